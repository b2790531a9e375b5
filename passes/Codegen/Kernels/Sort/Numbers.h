//===- Numbers.h - Building nn ops on whole numbers -------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H
#define PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Makes nn ops on whole numbers in one place. Sums are f32, in which numbers
/// are exact below 2^24; others are as the operand they come from.
class Numbers {
public:
  /// `b` must outlive this.
  Numbers(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Element types.
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type f32() { return b.getF32Type(); }

  /// The same numbers in another type.
  mlir::Value cast(mlir::Value x, mlir::Type type);
  /// The same elements in another shape.
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// 0, 1, 2 and so on, i32.
  mlir::Value count(int64_t size);
  /// A number in the shape and type of `like`.
  mlir::Value splat(int64_t value, mlir::Value like);
  /// Repeats x, whose dims become `dims` of a shape.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims);
  /// Of the first dim `size` entries from `start` on.
  mlir::Value from(mlir::Value x, int64_t start, int64_t size);
  /// x + y, and an op of two operands of one type, element by element.
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
  /// The sum of those for which a condition holds.
  mlir::Value sumWhere(mlir::Value condition, mlir::Value x);
  /// For how many along the last dim a condition holds.
  mlir::Value countWhere(mlir::Value condition);
  /// The rows of a table, or of a table of one dim the elements, at `ids`, i32
  /// of one dim.
  mlir::Value at(mlir::Value ids, mlir::Value table);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_SORT_NUMBERS_H
