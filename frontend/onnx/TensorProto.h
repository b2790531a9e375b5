//===- TensorProto.h - Tensors of a file ------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_TENSORPROTO_H
#define PCC_FRONTEND_ONNX_TENSORPROTO_H

#include "analysis/Tensor.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// The elements of a tensor, in the type to compute with: see elementType.
/// Errors: a type that is not supported, more than 2^28 elements, too few or
/// too many bytes for the shape.
mlir::FailureOr<analysis::Tensor> loadTensor(mlir::Location loc, Model &model,
                                             const onnx::TensorProto &tensor,
                                             bool asStored);

/// The one whole number that a tensor of int64 in the graph itself is; nothing
/// if it holds more, or something else.
std::optional<int64_t> wholeNumber(const onnx::TensorProto &tensor);

/// Whether a tensor [n] holds nothing but ones.
bool isOnes(mlir::MLIRContext *context, const onnx::TensorProto &tensor,
            const FileRange &range);

/// Whether a tensor of floats that lies at `range` removes keys from scores,
/// and does nothing else: elements are 0 or very negative.
bool isMask(mlir::MLIRContext *context, const onnx::TensorProto &tensor,
            const FileRange &range);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_TENSORPROTO_H
