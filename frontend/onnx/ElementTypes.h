//===- ElementTypes.h - The types of a file's elements ----------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_ELEMENTTYPES_H
#define PCC_FRONTEND_ONNX_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include <string>

namespace pcc::frontend {

/// The element type of an ONNX data type as a file stores it; null if nn has
/// none.
mlir::Type storageType(mlir::MLIRContext *context, int32_t dataType);
/// What ONNX calls it: "STRING".
std::string typeName(int32_t dataType);
/// What a user can do about other types.
inline constexpr llvm::StringLiteral kTypesRemedy =
    "tensors of floats, signed integers and bool are supported";

/// The element type to compute with: that of storage, but i16 for unsigned
/// bytes, and f32 for half precision, which a file has to be small. What a
/// program computes in is chosen by the compiler's flags, not by the file. With
/// `asStored`, as a forward-only program has it, half precision stays.
mlir::Type elementType(mlir::MLIRContext *context, int32_t dataType,
                       bool asStored);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_ELEMENTTYPES_H
