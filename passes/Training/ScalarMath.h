//===- ScalarMath.h - Arithmetic on rank-0 tensors --------------*- C++ -*-===//
//
// Loss, norm and loss scale in @update are rank-0 tensors; this builds the ops
// that compute with them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_SCALARMATH_H
#define PCC_PASSES_TRAINING_SCALARMATH_H

#include "dialects/NN/NN.h"
#include "mlir/IR/Builders.h"

namespace pcc {

/// Creates ops on tensor<f32>, tensor<i64> and tensor<i1>.
class ScalarMath {
public:
  /// Ops are created at the builder's insertion point at each call.
  ScalarMath(mlir::OpBuilder &builder, mlir::Location loc);

  /// A constant, rounded to f32.
  mlir::Value real(double value);
  /// A constant of i64.
  mlir::Value whole(int64_t value);
  /// lhs <= rhs, which is false where either is nan.
  mlir::Value atMost(mlir::Value lhs, mlir::Value rhs);
  /// Whether a number that is not negative is finite.
  mlir::Value isFinite(mlir::Value value);
  /// lhs where the condition holds, else rhs.
  mlir::Value where(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// lhs + rhs; both have one type.
  mlir::Value sum(mlir::Value lhs, mlir::Value rhs);

  /// tensor<f32> and tensor<i64>.
  mlir::RankedTensorType realType, wholeType;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_SCALARMATH_H
