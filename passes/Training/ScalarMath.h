//===- ScalarMath.h - Arithmetic of single numbers --------------*- C++ -*-===//
//
// What @update decides by: loss, norm and the loss scale are tensors of rank 0.
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
  /// Ops are created by `builder`, where it stands at each call.
  ScalarMath(mlir::OpBuilder &builder, mlir::Location loc);

  /// A constant, rounded to f32.
  mlir::Value real(double value);
  /// A constant of i64.
  mlir::Value whole(int64_t value);
  /// lhs <= rhs, which is false where either is nan.
  mlir::Value atMost(mlir::Value lhs, mlir::Value rhs);
  /// Of a number that is not negative.
  mlir::Value isFinite(mlir::Value value);
  /// lhs where the condition holds, else rhs.
  mlir::Value where(mlir::Value condition, mlir::Value lhs, mlir::Value rhs);
  /// lhs + rhs, of one type.
  mlir::Value sum(mlir::Value lhs, mlir::Value rhs);

  /// tensor<f32> and tensor<i64>.
  mlir::RankedTensorType realType, wholeType;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_SCALARMATH_H
