//===- Files.h - Durable files and folders ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_FILES_H
#define PCC_RUNTIME_SUPPORT_FILES_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace pcc {

// [[nodiscard]] functions that return a string return an error message, empty
// on success. Functions without a result exit with ExitOutput and the cause on
// failure.

/// Opens a new file for writing; returns null with errno set on failure. An
/// existing file of this name, such as one of a killed run, is deleted first.
/// Of a link only the link is deleted, not its target.
FILE *createFile(const std::string &path);
/// The same, as a descriptor; -1 with errno set.
int createDescriptor(const std::string &path);

/// Writes the next bytes of a file. A large file is flushed to disk while it is
/// written. Otherwise the flush at the end would write all of it, without
/// visible progress. Returns false with errno set on failure.
[[nodiscard]] bool writeBytes(FILE *file, const std::string &path,
                              const void *data, int64_t bytes);

/// Writes a block at byte `offset` of an open file. Starts to flush a block of
/// at least 16 MiB to disk, and then waits until the block before it, at byte
/// `before` unless negative, is flushed. Returns false with errno set on
/// failure.
[[nodiscard]] bool writeAt(int file, const std::string &path, const void *data,
                           int64_t bytes, int64_t offset, int64_t before = -1);

/// Flushes to disk and closes.
[[nodiscard]] std::string syncAndClose(FILE *file, const std::string &path);
/// The same, of a descriptor.
[[nodiscard]] std::string syncAndClose(int file, const std::string &path);

/// Writes a whole small file and flushes it to disk. Deletes the file if it
/// cannot be written completely.
[[nodiscard]] std::string writeFile(const std::string &path,
                                    const std::string &text);

/// Flushes the entries of a folder to disk.
[[nodiscard]] std::string syncFolder(const std::string &path);

/// Returns "cannot write 'path': " and the cause in errno.
std::string cannotWrite(const std::string &path);

/// Creates a folder and its missing parents.
void makeFolders(const std::string &path);

/// Creates a folder that does not exist yet; its parent must exist.
void makeNewFolder(const std::string &path);

/// Deletes a folder with its contents, or a file, if it exists. Links are
/// deleted, not followed.
void removeFolder(const std::string &path);

/// Renames folder `from` to `to`, replacing `to` atomically if it exists. If
/// the file system cannot exchange folders, `to` is renamed to `aside` in
/// between.
[[nodiscard]] std::string replaceFolder(const std::string &from,
                                        const std::string &to,
                                        const std::string &aside);

/// Renames file `from` to `to`, replacing a file `to` if it exists; or renames
/// a folder.
void replaceFile(const std::string &from, const std::string &to);

/// Returns the folder part of a path, with the slash at its end; empty if it
/// has none.
std::string folderOf(const std::string &path);

/// Returns whether anything has this name, including a dangling link.
bool exists(const std::string &path);
/// Returns whether the path is a folder or a link to one.
bool isFolder(const std::string &path);

/// Returns whether the path exists and is neither a regular file nor a folder,
/// such as a pipe or /dev/null. Such a path must not be replaced by a file.
bool isDevice(const std::string &path);
/// Returns whether two paths name the same regular file, also through links and
/// other spellings; or, if neither exists, whether they would.
bool isSameFile(const std::string &a, const std::string &b);

/// Splits a value of --data at commas, unless the whole is the name of a file.
std::vector<std::string> splitPaths(const std::string &paths);

/// Returns the sorted names in a folder; empty if it cannot be read.
std::vector<std::string> listFolder(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_FILES_H
