//===- Numbers.h - Building nn ops on integers ------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Builds nn ops on integers at one location. Sums along a dim are f32, which
/// is exact below 2^24. Other results have their operand's element type, except
/// those of cast() and compare().
class Numbers {
public:
  /// `b` must outlive this.
  Numbers(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type f32() { return b.getF32Type(); }

  /// The same numbers in another element type.
  mlir::Value cast(mlir::Value x, mlir::Type type);
  /// The same numbers in another shape.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// 0, 1, 2 and so on, i32.
  mlir::Value count(int64_t size);
  /// A constant in the shape and type of `like`.
  mlir::Value splat(int64_t value, mlir::Value like);
  /// Broadcasts x, whose dims become `dims` of the shape.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);
  /// `size` entries of the first dim from `start` on.
  mlir::Value from(mlir::Value x, int64_t start, int64_t size);
  /// x + y, and any binary op, elementwise.
  mlir::Value add(mlir::Value x, mlir::Value y);
  template <typename Op>
  mlir::Value of(mlir::Value x, mlir::Value y) {
    return Op::create(b, loc, x.getType(), x, y);
  }
  /// i1: whether a relation holds, element by element.
  mlir::Value compare(nn::Relation relation, mlir::Value x, mlir::Value y);
  /// x where the condition holds, else y.
  mlir::Value where(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// The sum of f32 along the last dim.
  mlir::Value sum(mlir::Value x);
  /// The sum of the elements that satisfy a condition, along the last dim.
  mlir::Value sumWhere(mlir::Value condition, mlir::Value x);
  /// The number of entries along the last dim that satisfy a condition.
  mlir::Value countWhere(mlir::Value condition);
  /// The rows of a table at `ids`, i32 of one dim; the elements if the table
  /// has one dim.
  mlir::Value at(mlir::Value ids, mlir::Value table);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H
