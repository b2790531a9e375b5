//===- Arithmetic.h - Short names for building nn ops -----------*- C++ -*-===//
//
// Many ONNX operators are formulas over a few nn ops. This builds such
// formulas; operands of one call have one type unless said otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_ARITHMETIC_H
#define PCC_FRONTEND_BINDING_ARITHMETIC_H

#include "dialects/NN/AttrNames.h"
#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// Builds formulas for one node: each function builds an op behind those that
/// are there and gives its result.
class Arithmetic {
public:
  /// `b` must outlive this.
  explicit Arithmetic(Binder &b) : b(b) {}

  /// A number as a tensor like x.
  mlir::Value splat(mlir::Value x, double number);
  /// The index along `dim` as a tensor of this shape and element type.
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim,
                   mlir::Type element);

  /// x + y, by element; so are sub, mul, div, rem (with the dividend's sign),
  /// pow, max and min.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  /// The same with a number, of floats or integers.
  mlir::Value add(mlir::Value x, double y) { return add(x, splat(x, y)); }
  mlir::Value mul(mlir::Value x, double y);
  /// e to the x, the natural logarithm and the square root, by element; of
  /// floats.
  mlir::Value exp(mlir::Value x) { return b.unary<nn::ExpOp>(x); }
  mlir::Value log(mlir::Value x) { return b.unary<nn::LogOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return b.unary<nn::SqrtOp>(x); }
  /// The absolute value, by element.
  mlir::Value abs(mlir::Value x);
  /// The same elements in another type: floats to integers truncate, anything
  /// to bool is whether it is not 0.
  mlir::Value cast(mlir::Value x, mlir::Type element);

  /// Whether x and y are so by element, as bools.
  mlir::Value equal(mlir::Value x, mlir::Value y) {
    return compare(nn::Relation::Equal, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return compare(nn::Relation::Less, x, y);
  }
  mlir::Value lessOrEqual(mlir::Value x, mlir::Value y) {
    return compare(nn::Relation::LessOrEqual, x, y);
  }
  /// The same for any relation.
  mlir::Value compare(nn::Relation relation, mlir::Value x, mlir::Value y);
  /// Whether x, of bools, is false.
  mlir::Value negate(mlir::Value x) { return equal(x, splat(x, 0)); }
  /// x and y, of bools by element.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return where(x, y, splat(x, 0));
  }
  /// x or y, of bools by element.
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return where(x, splat(x, 1), y);
  }
  /// By element x where `condition`, of bools, holds, else y.
  mlir::Value where(mlir::Value condition, mlir::Value x, mlir::Value y);

  /// Op, a reduction, over ascending dims, which disappear.
  template <typename Op>
  mlir::Value reduce(mlir::Value x, llvm::ArrayRef<int64_t> dims) {
    if (dims.empty())
      return x;
    mlir::RankedTensorType type = nn::tensorType(x);
    return Op::create(
        b.builder, b.loc,
        b.typeOf(without(type.getShape(), dims), type.getElementType()), x,
        dims);
  }
  /// The same for maxima and minima, whose gradient the first of equal elements
  /// gets, not all of them a part of it.
  template <typename Op>
  mlir::Value reduceToFirst(mlir::Value x, llvm::ArrayRef<int64_t> dims) {
    mlir::Value best = reduce<Op>(x, dims);
    if (best != x &&
        mlir::isa<mlir::FloatType>(nn::tensorType(x).getElementType()))
      best.getDefiningOp()->setAttr(nn::kFirstBestAttr,
                                    b.builder.getUnitAttr());
    return best;
  }
  /// The inverse of what a reduction does to a shape: x repeated along dims.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);
  /// The index along `dim`, i64, of the first, or last, element that equals the
  /// best one; Best is a reduction to it.
  template <typename Best>
  mlir::Value findBest(mlir::Value x, int64_t dim, bool last) {
    analysis::Shape shape(nn::tensorType(x).getShape());
    mlir::Value best = spread(reduce<Best>(x, dim), shape, dim);
    mlir::Value index = iota(shape, dim, b.builder.getI64Type());
    mlir::Value none = splat(index, last ? -1 : shape[dim]);
    mlir::Value found = where(equal(x, best), index, none);
    return last ? reduce<nn::ReduceMaxOp>(found, dim)
                : reduce<nn::ReduceMinOp>(found, dim);
  }
  /// x less the logarithm of the sum of its exponentials over a dim.
  mlir::Value logSoftmax(mlir::Value x, int64_t dim);

  /// Rows of x along `dim`: element i is that at ids[i], where ids, an integer
  /// tensor of any rank, takes the place of the dim. Rows that do not exist
  /// are zeros.
  mlir::Value take(mlir::Value x, mlir::Value ids, int64_t dim);
  /// Of each row of x along `dim` the element at its id: ids has the shape of x
  /// without the dim. Zero where a row has no such element.
  mlir::Value pick(mlir::Value x, mlir::Value ids, int64_t dim);
  /// ids, where those below zero count from the end of `extent`.
  mlir::Value wrap(mlir::Value ids, int64_t extent);

  /// A shape without some of its dims.
  static analysis::Shape without(llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<int64_t> dims);

private:
  Binder &b;
};

/// Sets the result to a function of operand 0, which must be of floats.
template <mlir::Value (*Formula)(Binder &, Arithmetic &, mlir::Value)>
mlir::LogicalResult buildFormula(Binder &b) {
  if (!mlir::isa<mlir::FloatType>(b.element(0)))
    return b.error() << "takes floats";
  Arithmetic a(b);
  b.set(0, Formula(b, a, b.value(0)));
  return mlir::success();
}

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_ARITHMETIC_H
