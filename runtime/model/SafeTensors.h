//===- SafeTensors.h - Reads and writes safetensors files -------*- C++ -*-===//
//
// u64 little-endian length of the header, the header as JSON, then all
// tensors' bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_SAFETENSORS_H
#define PCC_RUNTIME_MODEL_SAFETENSORS_H

#include "runtime/support/BlockHashes.h"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pcc {

/// A mapped file. The reader accepts only what the format allows: a header of
/// at most 100,000,000 bytes, no key twice, no holes, overlaps or trailing
/// bytes, sizes that agree with shape and type.
class SafeTensors {
public:
  /// What the header says of a tensor.
  struct Tensor {
    std::string dtype; ///< "F32"
    std::vector<int64_t> shape;
    int64_t place; ///< of its first byte in the file
    int64_t bytes;
  };

  /// Exits with `code`, naming file and cause, for anything else, and for what
  /// is not as it was `saved`.
  SafeTensors(const std::string &path, ExitCode code, const char *what,
              const std::optional<SavedFile> &saved = std::nullopt);

  /// nullptr: there is no such tensor.
  const Tensor *find(const std::string &name) const;
  /// Bytes [begin, end) of a tensor. What is made of them may be used when
  /// requireWhole() has returned.
  const char *read(const Tensor &tensor, int64_t begin, int64_t end) const;
  /// Lets go of the memory that bytes [begin, end) of a tensor were read into.
  void release(const Tensor &tensor, int64_t begin, int64_t end) const {
    file.release(tensor.place + begin, tensor.place + end);
  }
  /// Requires that all that was read is as it was saved.
  void requireWhole() const;
  /// The texts of the header's "__metadata__", by key; empty if it has none.
  const std::map<std::string, std::string> &metadata() const { return notes; }
  /// The path that it was opened with.
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  std::unique_ptr<BlockCheck> check; ///< null: nothing to compare with
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> notes;
};

/// A tensor to be written.
struct SafeTensorsEntry {
  /// The key of the header, unique in the file, and what the format calls the
  /// type ("F32").
  std::string name, dtype;
  /// Its extents; empty for a scalar.
  std::vector<int64_t> shape;
  /// The bytes of all its elements.
  int64_t bytes;
};

/// The bytes of a file before those of its tensors, which follow in this order.
std::string
safeTensorsHeader(const std::vector<SafeTensorsEntry> &entries,
                  const std::map<std::string, std::string> &metadata);

/// Writes a file tensor by tensor, in the order given at the start. After a
/// failure nothing more is written.
class SafeTensorsWriter {
public:
  /// Creates the file and writes the header. What goes wrong is told by
  /// finish().
  SafeTensorsWriter(const std::string &path,
                    const std::vector<SafeTensorsEntry> &entries,
                    const std::map<std::string, std::string> &metadata);
  ~SafeTensorsWriter();
  SafeTensorsWriter(const SafeTensorsWriter &) = delete;
  SafeTensorsWriter &operator=(const SafeTensorsWriter &) = delete;

  /// The next bytes of the buffer.
  void write(const void *data, int64_t bytes);
  /// Flushes to the disk and closes. Returns what went wrong, if anything did;
  /// `written` says what the file holds.
  [[nodiscard]] std::string finish(FileHashes &written);

private:
  std::string path, error;
  FILE *file;
  BlockHasher hasher;
  int64_t headerBytes = 0;
  std::string headerHash;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_SAFETENSORS_H
