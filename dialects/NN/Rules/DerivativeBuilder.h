//===- DerivativeBuilder.h - Builder of derivative ops ----------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_DERIVATIVEBUILDER_H
#define PCC_DIALECTS_NN_DERIVATIVEBUILDER_H

#include "dialects/NN/NN.h"

namespace pcc::nn {

/// Builds ops with one builder and one location.
struct Make {
  /// The builder; its insertion point is that of the functions below.
  mlir::OpBuilder &builder;
  /// The location of the built ops, usually that of the differentiated op.
  mlir::Location loc;

  /// x * factor.
  mlir::Value scale(mlir::Value x, double factor) {
    return ScaleOp::create(builder, loc, x.getType(), x,
                           builder.getF64FloatAttr(factor));
  }
  /// x * y, elementwise.
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return MulOp::create(builder, loc, x.getType(), x, y);
  }
  /// x / y, elementwise.
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return DivOp::create(builder, loc, x.getType(), x, y);
  }
  /// x + y, elementwise.
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return SumOp::create(builder, loc, x.getType(), mlir::ValueRange{x, y});
  }
  /// x - y, elementwise.
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return SubOp::create(builder, loc, x.getType(), x, y);
  }
  /// dy where x > 0, else 0.
  mlir::Value reluGrad(mlir::Value dy, mlir::Value x) {
    return ReluGradOp::create(builder, loc, x.getType(), dy, x);
  }
  /// A constant with all elements equal to `number`; the element type is a
  /// float.
  mlir::Value splat(mlir::RankedTensorType type, double number) {
    mlir::Attribute value = builder.getFloatAttr(type.getElementType(), number);
    return ConstantOp::create(builder, loc, type,
                              mlir::DenseElementsAttr::get(type, value));
  }
  /// The contraction `spec` with a result of `type`; see nn.contract.
  mlir::Value contract(const llvm::Twine &spec, mlir::Value lhs,
                       mlir::Value rhs, mlir::Type type) {
    return ContractOp::create(builder, loc, type, builder.getStringAttr(spec),
                              lhs, rhs);
  }
  /// Sums over `dims`, then casts to the element type of `type`.
  mlir::Value reduce(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                     mlir::RankedTensorType type) {
    auto sums = mlir::RankedTensorType::get(type.getShape(),
                                            tensorType(x).getElementType());
    mlir::Value sum = ReduceOp::create(builder, loc, sums, x, dims);
    if (sums == type)
      return sum;
    return CastOp::create(builder, loc, type, sum);
  }
};

/// The dims 0 .. rank-1 that are not in `dims`, ascending.
inline llvm::SmallVector<int64_t> otherDims(int64_t rank,
                                            llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      others.push_back(dim);
  return others;
}

/// Extends `cotangents` by nulls: the remaining operands get no gradient.
inline llvm::SmallVector<mlir::Value>
padded(mlir::Operation *op, llvm::SmallVector<mlir::Value> cotangents) {
  cotangents.resize(op->getNumOperands());
  return cotangents;
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_DERIVATIVEBUILDER_H
