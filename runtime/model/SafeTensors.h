//===- SafeTensors.h - Reads and writes safetensors files -------*- C++ -*-===//
//
// A file consists of the length of the header as little-endian u64, the header
// as JSON, and the bytes of all tensors.
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

/// A mapped safetensors file. The reader is strict: a header of at most
/// 100,000,000 bytes, no duplicate keys, no holes, overlaps or trailing bytes,
/// and sizes that agree with shape and type.
class SafeTensors {
public:
  /// The header's entry of a tensor.
  struct Tensor {
    std::string dtype; ///< "F32"
    std::vector<int64_t> shape;
    int64_t place; ///< offset of its first byte in the file
    int64_t bytes;
  };

  /// Exits with `code`, naming file and cause, if the file is invalid or, given
  /// `saved`, if its size or header differ from the saved ones.
  SafeTensors(const std::string &path, ExitCode code, const char *what,
              const std::optional<SavedFile> &saved = std::nullopt);

  /// Returns the tensor of this name, or nullptr.
  const Tensor *find(const std::string &name) const;
  /// Returns bytes [begin, end) of a tensor. They are only verified, and their
  /// values may only be used, once requireWhole() has returned.
  const char *read(const Tensor &tensor, int64_t begin, int64_t end) const;
  /// Releases the memory that bytes [begin, end) of a tensor were read into.
  void release(const Tensor &tensor, int64_t begin, int64_t end) const {
    file.release(tensor.place + begin, tensor.place + end);
  }
  /// Exits unless all blocks that were read have their saved hashes.
  void requireWhole() const;
  /// The strings of the header's "__metadata__", by key.
  const std::map<std::string, std::string> &metadata() const { return notes; }
  /// The path that it was opened with.
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  std::unique_ptr<BlockCheck> check; ///< null without hashes
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> notes;
};

/// A tensor to be written.
struct SafeTensorsEntry {
  /// The tensor's name, unique in the file, and the format's name of the type
  /// ("F32").
  std::string name, dtype;
  std::vector<int64_t> shape; ///< empty for a scalar
  int64_t bytes;              ///< of all elements
};

/// Returns the bytes of a file before its tensors, which follow in this order.
std::string
safeTensorsHeader(const std::vector<SafeTensorsEntry> &entries,
                  const std::map<std::string, std::string> &metadata);

/// Writes a file tensor by tensor, in the order given at the start. After a
/// failure nothing more is written.
class SafeTensorsWriter {
public:
  /// Creates the file and writes the header. Errors are returned by finish().
  SafeTensorsWriter(const std::string &path,
                    const std::vector<SafeTensorsEntry> &entries,
                    const std::map<std::string, std::string> &metadata);
  ~SafeTensorsWriter();
  SafeTensorsWriter(const SafeTensorsWriter &) = delete;
  SafeTensorsWriter &operator=(const SafeTensorsWriter &) = delete;

  /// Writes the next bytes of the tensors.
  void write(const void *data, int64_t bytes);
  /// Flushes to disk and closes. Returns the first error, or an empty string;
  /// `written` gets size and hashes of the file.
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
