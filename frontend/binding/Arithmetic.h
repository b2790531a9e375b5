//===- Arithmetic.h - Short names for building nn ops -----------*- C++ -*-===//
//
// Many ONNX operators are formulas over a few nn ops. This class builds such
// formulas. Operands of one call have one type unless stated otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_ARITHMETIC_H
#define PCC_FRONTEND_BINDING_ARITHMETIC_H

#include "dialects/NN/AttrNames.h"
#include "frontend/binding/Binder.h"

namespace pcc::frontend {

/// Builds formulas for one node. Each function appends the ops of its formula,
/// if it needs any, and returns the result.
class Arithmetic {
public:
  /// `b` must outlive this.
  explicit Arithmetic(Binder &b) : b(b) {}

  /// A tensor of x's type filled with a number.
  mlir::Value splat(mlir::Value x, double number);
  /// A tensor of this shape and element type that holds the index along `dim`.
  mlir::Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim,
                   mlir::Type element);

  /// x + y elementwise; likewise sub, mul, div, rem (with the dividend's sign),
  /// pow, max and min.
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  /// The same with a number, for floats or integers.
  mlir::Value add(mlir::Value x, double y) { return add(x, splat(x, y)); }
  mlir::Value mul(mlir::Value x, double y);
  /// Exponential, natural logarithm and square root, elementwise, of floats.
  mlir::Value exp(mlir::Value x) { return b.unary<nn::ExpOp>(x); }
  mlir::Value log(mlir::Value x) { return b.unary<nn::LogOp>(x); }
  mlir::Value sqrt(mlir::Value x) { return b.unary<nn::SqrtOp>(x); }
  /// The absolute value, elementwise.
  mlir::Value abs(mlir::Value x);
  /// Converts the elements: floats to integers truncate, anything to bool tests
  /// for not being 0.
  mlir::Value cast(mlir::Value x, mlir::Type element);

  /// Whether the relation holds elementwise, as bools.
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
  /// Logical not, elementwise, of bools.
  mlir::Value negate(mlir::Value x) { return equal(x, splat(x, 0)); }
  /// Logical and, elementwise, of bools.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return where(x, y, splat(x, 0));
  }
  /// Logical or, elementwise, of bools.
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return where(x, splat(x, 1), y);
  }
  /// Elementwise x where `condition`, of bools, holds, else y.
  mlir::Value where(mlir::Value condition, mlir::Value x, mlir::Value y);

  /// Reduces by Op over ascending dims, which disappear.
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
  /// The same for maxima and minima whose gradient goes to the first of equal
  /// elements instead of being shared among them.
  template <typename Op>
  mlir::Value reduceToFirst(mlir::Value x, llvm::ArrayRef<int64_t> dims) {
    mlir::Value best = reduce<Op>(x, dims);
    if (best != x &&
        mlir::isa<mlir::FloatType>(nn::tensorType(x).getElementType()))
      best.getDefiningOp()->setAttr(nn::kFirstBestAttr,
                                    b.builder.getUnitAttr());
    return best;
  }
  /// Repeats x along `dims` to `shape`: the inverse of a reduction's shape
  /// change.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);
  /// The i64 index along `dim` of the first, or last, element that equals the
  /// extremum. Best is the reduction that computes it.
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
  /// Log-softmax over a dim: x minus the logarithm of its sum of exponentials.
  mlir::Value logSoftmax(mlir::Value x, int64_t dim);

  /// Gathers rows of x along `dim`: element i is the row ids[i]. The dims of
  /// ids, an integer tensor of any rank, replace the dim. Rows out of range are
  /// zeros.
  mlir::Value take(mlir::Value x, mlir::Value ids, int64_t dim);
  /// Picks one element of each row of x along `dim`; ids has the shape of x
  /// without the dim. Zero for an id out of range.
  mlir::Value pick(mlir::Value x, mlir::Value ids, int64_t dim);
  /// ids with negative ones counted from the end of `extent`.
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
