//===- OnnxRewrite.h - An ONNX file with more initializers ------*- C++ -*-===//

#ifndef PCC_RUNTIME_MODEL_ONNXREWRITE_H
#define PCC_RUNTIME_MODEL_ONNXREWRITE_H

#include "runtime/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// A parameter that the file has only as a part of what an exporter merged, or
/// that an exporter removed; or one whose elements are to be plain bytes where
/// the file has them in another form.
struct NewInitializer {
  std::string name; ///< made another where the graph has it already
  int32_t dtype;
  std::vector<int64_t> shape;
  int64_t bytes;
  /// What is to read it: operands of nodes, or the next one that a node lacks.
  std::vector<pcc_use> uses;
  /// The offset of the field that the new initializer replaces, of its name: an
  /// initializer, or what a Constant holds. Negative: none.
  int64_t replaced = -1;
};

/// What changes in the bytes of an ONNX file to give it new initializers, of
/// zeros at first, which the nodes read that they are for. An Identity that
/// gave the merged tensor a new one's name goes.
class OnnxRewrite {
public:
  /// `file`: all bytes of the model; empty `tensors` change nothing. `error`
  /// says why it cannot be done.
  OnnxRewrite(const char *file, int64_t size,
              const std::vector<NewInitializer> &tensors, std::string &error);

  /// Where a byte of the file lies in the new one.
  int64_t placeOf(int64_t offset) const;
  /// Where the elements of a new initializer begin.
  int64_t placeOfNew(size_t tensor) const { return places[tensor]; }
  /// Bytes of the new file.
  int64_t size() const { return placeOf(fileSize); }

  /// Calls write(bytes, count, place in the new file) for all parts of it.
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
  std::vector<Edit> edits; ///< by place, apart from each other
  std::vector<int64_t> places;
};

} // namespace pcc

#endif // PCC_RUNTIME_MODEL_ONNXREWRITE_H
