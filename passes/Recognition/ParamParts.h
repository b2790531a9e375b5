//===- ParamParts.h - Parameters cut out of others --------------*- C++ -*-===//

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

/// Whether a slice leaves all dims but `dim` as they are, and takes each
/// element of its range there.
bool isAlong(nn::SliceOp slice, int64_t dim);
/// What of `dim` a slice along it takes.
ParamPart partOf(nn::SliceOp slice, int64_t dim);

/// The parameter that a read is the only one of, if all of it comes from the
/// file (padding does not), also where the file has copies of it; else null.
nn::ParamOp ownParam(nn::ReadOp read);
/// The parameter that `value` is a read of, if that read has no other use and
/// ownParam finds the parameter; else null.
nn::ParamOp soleParam(mlir::Value value);

/// Declares the elements `part` of dim `dim` of the parameter that `whole`
/// reads as a parameter of their own, named as in `weight[0:32]`, and reads it.
/// Its gradient and state are its own, checkpoints put the parts together.
mlir::Value readPart(mlir::PatternRewriter &rewriter, mlir::Value whole,
                     int64_t dim, ParamPart part);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_PARAMPARTS_H
