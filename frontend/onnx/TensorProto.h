//===- TensorProto.h - Tensors of a file ------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_TENSORPROTO_H
#define PCC_FRONTEND_ONNX_TENSORPROTO_H

#include "analysis/Tensor.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// Loads the elements of a tensor in the type to compute with (see
/// elementType). Errors: an unsupported type, more than 2^26 elements, too few
/// or too many bytes for the shape.
mlir::FailureOr<analysis::Tensor> loadTensor(mlir::Location loc, Model &model,
                                             const onnx::TensorProto &tensor,
                                             bool asStored);

/// The whole number in an int64 tensor of one element that is stored in the
/// graph itself; nothing for other tensors.
std::optional<int64_t> wholeNumber(const onnx::TensorProto &tensor);

/// Whether all elements of a tensor [n] are 1.
bool isOnes(mlir::MLIRContext *context, const onnx::TensorProto &tensor,
            const FileRange &range);

/// Whether the float tensor at `range` is an additive attention mask: all
/// elements are 0 or very negative, and some are very negative.
bool isMask(mlir::MLIRContext *context, const onnx::TensorProto &tensor,
            const FileRange &range);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_TENSORPROTO_H
