//===- Reader.h - ONNX files ------------------------------------*- C++ -*-===//
//
// Reads a model without its weights. The file is mapped once; large tensors
// stay in the mapping and are represented by file and offset. Each translation
// of the graph changes its own copy of the protobuf.
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

/// Releases the pages of a mapped file that overlap [begin, end). They are read
/// from the file again when touched.
void releasePages(const char *begin, const char *end);

/// A range of bytes of a mapped file.
struct FileRange {
  /// The file's path: for the model itself as it was given, for external data
  /// its location appended to the path of the model's folder.
  std::string file;
  /// nn::kAbsent if the file lacks these bytes, all of which are zero. Other
  /// negative offsets refer to elements in an encoded form:
  /// runtime/model/EncodedTensor.h.
  int64_t offset = 0, length = 0;
  /// The size of the whole file, and its digest (runtime/model/FileDigest.h).
  int64_t fileSize = 0;
  uint64_t digest = 0;
  /// The first byte; null if the file need not exist (random initial values).
  const char *bytes = nullptr;
  /// Whether `bytes` points into the mapping, not to a copy in memory.
  bool isMapped = false;
};

/// The key of external data with location "" whose bytes are protobuf fields
/// that encode elements.
inline constexpr llvm::StringLiteral kEncodedKey = "encoded";

/// A model's file and the files of its external data, each mapped once.
class ModelFile {
public:
  /// Reads the model's file. Errors, with the file as location: it cannot be
  /// read, is not ONNX, is truncated.
  static mlir::FailureOr<std::shared_ptr<ModelFile>> read(mlir::Location loc,
                                                          llvm::StringRef path);

  /// The path that was passed to read().
  llvm::StringRef getPath() const { return path; }
  /// The model, with references in place of large inline tensors.
  const onnx::ModelProto &getProto() const { return proto; }

  /// Where the elements of a tensor are. Errors for external data: missing, too
  /// short, outside the model's folder. With `optional` a missing file is no
  /// error.
  mlir::FailureOr<FileRange>
  find(mlir::Location loc, const onnx::TensorProto &tensor, bool optional);
  /// A range for a tensor that the file lacks, whose elements are in memory at
  /// `bytes`.
  FileRange absent(llvm::StringRef bytes);

  /// The paths of all external data, existing or not; sorted.
  std::vector<std::string> externalFiles() const;

private:
  /// Decodes the elements of a tensor from the protobuf fields at `range`.
  /// Errors: their number is not that of the shape; a type or shape that cannot
  /// be read from typed fields.
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
  /// Decoded elements, by the offset of their encoded form.
  std::map<int64_t, std::vector<char>> decoded;
};

/// A model's protobuf that the importer rewrites and extends before it
/// translates it.
class Model {
public:
  /// Copies the model; `file` is kept for its bytes.
  explicit Model(std::shared_ptr<ModelFile> file)
      : proto(file->getProto()), file(std::move(file)) {}

  /// The model in its current state; preparatory steps change it.
  onnx::ModelProto proto;

  /// Adds an initializer of `size` zeros that the file lacks.
  const onnx::TensorProto *addZeros(llvm::StringRef name, int32_t dataType,
                                    int64_t size);
  /// Where the elements of a tensor are, as ModelFile::find(), also for tensors
  /// of addZeros().
  mlir::FailureOr<FileRange>
  find(mlir::Location loc, const onnx::TensorProto &tensor, bool optional);

private:
  std::shared_ptr<ModelFile> file;
  llvm::StringMap<std::string> zeros; ///< by name of the tensor
};

/// A node's attribute of this name; null if it is absent.
const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node,
                                          llvm::StringRef name);

/// The model's bytes without the elements of weights and large tensors (see
/// copyTensor in Wire.cpp), which become external data with location "" and the
/// (offset, length) of their bytes. If the bytes are not a ModelProto,
/// `truncated` tells whether the file was cut off.
mlir::FailureOr<std::string> stripWeights(llvm::StringRef bytes,
                                          bool &truncated);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_READER_H
