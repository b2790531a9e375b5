//===- Files.h - Durable files and folders ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_FILES_H
#define PCC_RUNTIME_SUPPORT_FILES_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace pcc {

// Functions that return a text say what went wrong, for a message; it is empty
// if nothing did. Others exit with ExitOutput and the cause on failure.

/// Opens a new file for writing; null with errno set if it cannot be. What has
/// its name, as a killed run leaves it, makes room: a link is removed, and
/// what it leads to stays as it is.
FILE *createFile(const std::string &path);
/// The same, as a descriptor; -1 with errno set.
int createDescriptor(const std::string &path);

/// Writes the next bytes of a file. The disk begins with a large one while the
/// rest is written: else all of it would wait for the flush at the end, of
/// which nobody sees how far it is. Returns false with errno set on failure.
[[nodiscard]] bool writeBytes(FILE *file, const std::string &path,
                              const void *data, int64_t bytes);

/// Writes a block at byte `offset` of an open file. The disk begins with a
/// large one, and is waited for to have written the one before, which begins at
/// byte `before` unless that is negative. Returns false with errno set on
/// failure.
[[nodiscard]] bool writeAt(int file, const std::string &path, const void *data,
                           int64_t bytes, int64_t offset, int64_t before = -1);

/// Flushes to the disk and closes.
[[nodiscard]] std::string syncAndClose(FILE *file, const std::string &path);
/// The same, of a descriptor.
[[nodiscard]] std::string syncAndClose(int file, const std::string &path);

/// Writes a whole small file and flushes it to the disk. Nothing is left of a
/// file that could not be written.
[[nodiscard]] std::string writeFile(const std::string &path,
                                    const std::string &text);

/// Flushes the entries of a folder to the disk.
[[nodiscard]] std::string syncFolder(const std::string &path);

/// "cannot write 'path': " and the cause in errno.
std::string cannotWrite(const std::string &path);

/// Makes a folder and those above it where they are missing.
void makeFolders(const std::string &path);

/// Makes a folder that is not there yet, in one that is.
void makeNewFolder(const std::string &path);

/// Deletes a folder with all that is in it, or a file, if it is there. Of a
/// link nothing but the link goes.
void removeFolder(const std::string &path);

/// Puts folder `from` at the place of `to`, which may exist, in one step; where
/// the file system cannot do that, `to` is called `aside` in between.
[[nodiscard]] std::string replaceFolder(const std::string &from,
                                        const std::string &to,
                                        const std::string &aside);

/// Puts the file `from` at the place of the file `to`, which may exist, or
/// renames a folder.
void replaceFile(const std::string &from, const std::string &to);

/// The folder part of a path, with the slash at its end; empty if it has none.
std::string folderOf(const std::string &path);

/// True for whatever has this name, also a link that leads nowhere.
bool exists(const std::string &path);
/// True also for a link to a folder.
bool isFolder(const std::string &path);

/// True for what is there and neither a regular file nor a folder: a pipe,
/// /dev/null. Nothing may take its place.
bool isDevice(const std::string &path);
/// Whether two paths lead to one regular file or, where there is none yet,
/// would: also through links and other spellings.
bool isSameFile(const std::string &a, const std::string &b);

/// Names of the entries of a folder, sorted; empty if it cannot be read.
std::vector<std::string> listFolder(const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_FILES_H
