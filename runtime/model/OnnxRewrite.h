//===- OnnxRewrite.h - Adds initializers to an ONNX file --------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_ONNXREWRITE_H
#define PCC_RUNTIME_MODEL_ONNXREWRITE_H

#include "runtime/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// An initializer to add: for a parameter that an exporter merged with others
/// or removed, or for one whose encoded elements are replaced by raw bytes.
struct NewInitializer {
  std::string name; ///< changed if the graph has the name already
  int32_t dtype;
  std::vector<int64_t> shape;
  int64_t bytes;
  /// The operands of nodes that read it; may be the first one that a node
  /// lacks.
  std::vector<pcc_use> uses;
  /// The offset of the field that the new initializer replaces under the same
  /// name: an initializer, or the value of a Constant. Negative: none.
  int64_t replaced = -1;
};

/// The edits of an ONNX file's bytes that add initializers, filled with zeros,
/// and make their uses read them. An Identity from the merged tensor to the
/// name of a new initializer is removed.
class OnnxRewrite {
public:
  /// `file`: all bytes of the model; empty `tensors` change nothing. Sets
  /// `error` to the reason if the initializers cannot be added.
  OnnxRewrite(const char *file, int64_t size,
              const std::vector<NewInitializer> &tensors, std::string &error);

  /// Returns the offset in the new file of a byte of the old one.
  int64_t placeOf(int64_t offset) const;
  /// Returns the offset in the new file of a new initializer's elements.
  int64_t offsetOfNew(size_t tensor) const { return offsets[tensor]; }
  /// Bytes of the new file.
  int64_t size() const { return placeOf(fileSize); }

  /// Calls write(bytes, count, offset in the new file) for all pieces of it.
  template <typename Write>
  void forEachPart(Write write) const {
    int64_t from = 0, to = 0;
    for (const Edit &edit : edits) {
      write(file + from, edit.at - from, to);
      to += edit.at - from;
      int64_t added = edit.inserted.size();
      write(edit.inserted.data(), added, to);
      to += added;
      from = edit.at + edit.removed;
    }
    write(file + from, fileSize - from, to);
  }

private:
  struct Edit {
    int64_t at, removed; ///< bytes of the old file
    std::string inserted;
  };
  class Walker;

  const char *file;
  int64_t fileSize;
  std::vector<Edit> edits; ///< sorted by offset, disjoint
  std::vector<int64_t> offsets;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_ONNXREWRITE_H
