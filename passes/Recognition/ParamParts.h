//===- ParamParts.h - Parameters sliced from others -------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_PARAMPARTS_H
#define PCC_PASSES_RECOGNITION_PARAMPARTS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/PatternMatch.h"

namespace pcc::recognition {

/// The elements [begin, begin + size) of a dim.
struct ParamPart {
  /// The first index and the number of indices.
  int64_t begin, size;
};

/// Whether a slice takes a contiguous range of `dim` and all other dims whole.
bool isAlong(nn::SliceOp slice, int64_t dim);
/// The range of `dim` that a slice along it takes.
ParamPart partOf(nn::SliceOp slice, int64_t dim);

/// The parameter of a read, or null. The read must be the only use of the
/// parameter, and all elements must come from the file (padding does not). The
/// file may contain copies of the parameter.
nn::ParamOp ownParam(nn::ReadOp read);
/// The parameter of a read with one use that `ownParam` accepts; else null.
nn::ParamOp soleParam(mlir::Value value);

/// Declares the elements `part` of dim `dim` of the parameter that `whole`
/// reads as a separate parameter, named as in `weight[0:32]`, and reads it. It
/// has its own gradient and optimizer state; checkpoints merge the parts.
mlir::Value readPart(mlir::PatternRewriter &rewriter, mlir::Value whole,
                     int64_t dim, ParamPart part);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_PARAMPARTS_H
