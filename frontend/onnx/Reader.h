//===- Reader.h - ONNX files ------------------------------------*- C++ -*-===//
//
// Reads a model without its weights: the file is mapped, and large tensors
// stay in the mapping, known by file and offset. That is done once; whoever
// translates the graph, for one batch or another, changes a copy of it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_READER_H
#define PCC_FRONTEND_ONNX_READER_H

#include "dialects/NN/AttrNames.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <memory>
#include <optional>
#include <string>

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>

namespace pcc::frontend {

/// Lets the pages of a mapped file go, the one that `begin` lies in as well;
/// they can be read from the file again.
void giveBack(const char *begin, const char *end);

/// Bytes of a mapped file.
struct FileRange {
  /// The path to it: as given for the model itself, beside it for others.
  std::string file;
  /// nn::kAbsent: the file lacks these bytes, all of which are zero; below it:
  /// it has them in another form, see runtime/model/EncodedTensor.h.
  int64_t offset = 0, length = 0;
  /// The size of the whole file, and its digest (runtime/model/FileDigest.h).
  int64_t fileSize = 0;
  uint64_t digest = 0;
  /// The first of these bytes; null where the file need not exist (random
  /// initial values).
  const char *bytes = nullptr;
  /// Whether these are pages of the file, not a copy in memory.
  bool isMapped = false;
};

/// The key of external data at location "" whose bytes are fields that hold
/// elements in another form.
inline constexpr llvm::StringLiteral kEncodedKey = "encoded";

/// A model's file and those of its external data, each mapped once.
class ModelFile {
public:
  /// Errors, each with the file as location: it cannot be read, is not ONNX,
  /// is truncated.
  static mlir::FailureOr<std::shared_ptr<ModelFile>> read(mlir::Location loc,
                                                          llvm::StringRef path);

  /// The path as it was given to read().
  llvm::StringRef getPath() const { return path; }
  /// The model, its large inline tensors replaced by references.
  const onnx::ModelProto &getProto() const { return proto; }

  /// Where the elements of a tensor lie. Errors for external data: missing,
  /// too short, outside the model's folder; none of them with `optional`.
  mlir::FailureOr<FileRange>
  find(mlir::Location loc, const onnx::TensorProto &tensor, bool optional);
  /// Where a tensor is that the file lacks, in memory at `bytes`.
  FileRange absent(llvm::StringRef bytes);

  /// The paths of all external data, whether or not it is there; sorted.
  std::vector<std::string> externalFiles() const;

private:
  /// The elements of a tensor that the model's file has in another form, at
  /// `range`. Errors: not those of its shape.
  mlir::FailureOr<FileRange>
  decode(mlir::Location loc, const onnx::TensorProto &tensor, FileRange range);
  struct File {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    uint64_t digest;

    bool isMapped() const {
      return buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
    }
  };
  /// Maps `path` once.
  const File *map(llvm::StringRef path);

  std::string path;
  onnx::ModelProto proto;
  llvm::StringMap<File> files;
  /// By the offset of what they were made from.
  std::map<int64_t, std::vector<char>> decoded;
};

/// A model that is prepared and completed while it is translated.
class Model {
public:
  /// A copy of the model to change; `file` is kept, for its bytes.
  explicit Model(std::shared_ptr<ModelFile> file)
      : proto(file->getProto()), file(std::move(file)) {}

  /// The model as it is now; whoever prepares it may change it.
  onnx::ModelProto proto;

  /// Adds an initializer of `size` zeros, which the file lacks, to the graph.
  const onnx::TensorProto *addZeros(llvm::StringRef name, int32_t dataType,
                                    int64_t size);
  /// Where the elements of a tensor lie, as ModelFile::find() tells, also of
  /// one that was added.
  mlir::FailureOr<FileRange>
  find(mlir::Location loc, const onnx::TensorProto &tensor, bool optional);

private:
  std::shared_ptr<ModelFile> file;
  llvm::StringMap<std::string> zeros; ///< by tensors that the file lacks
};

/// A node's attribute of this name; null if it has none.
const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node,
                                          llvm::StringRef name);

/// The model's bytes less large tensors: those refer to (offset, length) of
/// the file as external data at location "". `truncated` tells what is wrong
/// where the bytes are no ModelProto.
mlir::FailureOr<std::string> stripWeights(llvm::StringRef bytes,
                                          bool &truncated);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_READER_H
