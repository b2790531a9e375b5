//===- ElementTypes.h - Element types of ONNX tensors -----------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_ELEMENTTYPES_H
#define PCC_FRONTEND_ONNX_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include <string>

namespace pcc::frontend {

/// The element type of an ONNX data type as a file stores it, i8 for unsigned
/// bytes; null if nn has none.
mlir::Type storageType(mlir::MLIRContext *context, int32_t dataType);
/// The name of an ONNX data type: "STRING".
std::string typeName(int32_t dataType);
/// The note for tensors of unsupported element types.
inline constexpr llvm::StringLiteral kTypesRemedy =
    "tensors of floats, signed integers and bool are supported";

/// The element type to compute with: the storage type, but i16 for unsigned
/// bytes and f32 for fp16 and bf16, which a file uses to be small. The
/// compiler's flags choose the precision of a program, not the file. With
/// `asStored`, for forward-only programs, fp16 and bf16 stay.
mlir::Type elementType(mlir::MLIRContext *context, int32_t dataType,
                       bool asStored);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_ELEMENTTYPES_H
