//===- Expr.h - nn ops as scalar expressions --------------------*- C++ -*-===//
//
// One question, asked backwards from a kernel's results to its arguments: what
// is the element of this value at row r and column c? The answer is a graph of
// scalar nodes (see RowProgram.h), in which a chain of ops costs no memory
// traffic:
//
//     %b = nn.broadcast %bias [2] : tensor<8xf32> -> tensor<2x3x8xf32>
//     %s = nn.sum %x, %b : tensor<2x3x8xf32>
//     %y = nn.gelu %s : tensor<2x3x8xf32>
//
// The six rows of %y, d0 of 0 to 5, have eight columns. `build(%y, {d0, 8})`
// asks for %s at the same point, that for %x there and for %b, and that for
// %bias at row 0. What comes back is
//
//     gelu(add(leaf %x {d0, 8}, leaf %bias {0, 8}))
//
// - An elementwise op asks for its operands at its own point and combines them.
// - An op that moves elements asks for its operand at another point. Of
//   `nn.transpose %x [1, 0, 2]`, row d0 is %x's row (d0 mod 2) * 3 + d0
//   floordiv 2.
// - An op that needs a whole row has reductions, nodes without a column. Each
//   takes a sweep over the row before what uses it: softmax is a maximum, then
//   a sum of exponentials, then their quotients.
//
// Not every op can be asked at every point: a transpose of columns has no row
// to be read from, a sum along a row exists for the unit's own row only. Then
// there is no node, and RowProgram.cpp tries rows of another length. What has
// no form at any length is not made part of the kernel (Group.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_EXPR_H
#define PCC_PASSES_CODEGEN_KERNELS_EXPR_H

#include "passes/Codegen/Kernels/RowProgram.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::codegen {

/// What a maximum ignores: the least float. An infinity, being the identity,
/// would be folded into a choice that LLVM does not vectorise.
inline constexpr double kLowest = -3.40282346638528859812e38;

/// Makes the expressions of a RowProgram from nn ops. Every function returns
/// null where there is no such expression; `why` then says so.
class ExprBuilder {
public:
  /// Nodes are added to `program`; values other than `arguments`, the
  /// kernel's, are looked up in the ops that define them.
  ExprBuilder(RowProgram &program, mlir::MLIRContext *context,
              llvm::ArrayRef<mlir::Value> arguments)
      : program(program), context(context),
        arguments(arguments.begin(), arguments.end()) {}

  /// The value's element at a point.
  Node *build(mlir::Value value, Access access);
  /// The sum of a leading reduction (`reduce` of leading dims, the gradients of
  /// norm scales), at (d0, c) where the program sums over d1.
  Node *buildColumnSum(mlir::Value value, int64_t columns);

  /// Fills the program's `rope`; false on failure.
  bool buildRope(nn::RopeOp op);

  /// The first reason for which there was no expression, for people.
  std::string why;

  //===--------------------------------------------------------------------===//
  // Scalar operations; nodes of mixed float types are an error of the caller
  //===--------------------------------------------------------------------===//

  /// An operation that `build` emits; `cost` is about its instructions.
  Node *op(mlir::Type type, llvm::ArrayRef<Node *> operands, int cost,
           Node::Build build);
  /// A number of any scalar type.
  Node *constant(mlir::Type type, double value);
  /// An integer, all of whose bits count.
  Node *constantInt(mlir::Type type, uint64_t value);
  /// a + b, of floats, integers or indices; so are sub, mul and div, the last
  /// of integers truncated.
  Node *add(Node *a, Node *b);
  Node *sub(Node *a, Node *b);
  Node *mul(Node *a, Node *b);
  Node *div(Node *a, Node *b);
  /// The same with a number; null for a null operand.
  Node *mul(Node *a, double b) { return a ? mul(a, constant(a->type, b)) : a; }
  Node *add(Node *a, double b) { return a ? add(a, constant(a->type, b)) : a; }
  /// Functions of floats.
  Node *exp(Node *a);
  Node *log(Node *a);
  Node *tanh(Node *a);
  Node *sqrt(Node *a);
  /// a where the condition, an i1, holds, else b.
  Node *select(Node *condition, Node *a, Node *b);
  /// Signed comparison of integers or indices.
  Node *less(Node *a, Node *b);
  /// Whether two numbers are equal; a NaN equals nothing.
  Node *equal(Node *a, Node *b);
  /// Numbers of any kind; false where one is a NaN.
  Node *compare(nn::Relation relation, Node *a, Node *b);
  /// Any scalar type to any other; floats to integers truncate.
  Node *convert(Node *a, mlir::Type type);
  /// Rounds a value of type `a->type` to an nn element type and back.
  Node *round(Node *a, mlir::Type element);
  /// The number of the column, an index, of rows of `extent`.
  Node *column(int64_t extent);
  /// An expression in d0 and d1, an index.
  Node *rowIndex(mlir::AffineExpr row);
  /// The sum of a row of floats, times a number, rounded once to their type.
  Node *sumRow(Node *a, int64_t length, double scale = 1) {
    return reduceBy(a, length, Join::Sum, scale);
  }
  /// The maximum of a row; what it is of a NaN is not said.
  Node *reduceMax(Node *a, int64_t sweep) {
    return reduceBy(a, sweep, Join::MaxNumber);
  }
  /// The elements of a row of `sweep` columns, joined and scaled, in the type
  /// of `a`.
  Node *reduceBy(Node *a, int64_t sweep, Join join, double scale = 1);
  /// The rounded hash step of Random.h.
  Node *randomMix(Node *hash);
  /// A coordinate, i32, added to a key as Random.h does.
  Node *randomAdd(Node *key, Node *coordinate);
  /// The key of an op's random numbers, from its rank-0 operands.
  Node *randomKey(mlir::Value seed, mlir::Value step, int64_t id);

  /// Scalar number `name` of a row of `op`, made once for all of its results.
  Node *once(mlir::Operation *op, int name, llvm::function_ref<Node *()> make);

  /// The unit's row.
  mlir::AffineExpr d0() { return mlir::getAffineDimExpr(0, context); }
  /// The row of what is computed row by row.
  mlir::AffineExpr unitRow() { return program.unitRow(context); }
  /// The row that a column sum is at.
  mlir::AffineExpr d1() { return mlir::getAffineDimExpr(1, context); }
  /// A row that is the same for all units.
  mlir::AffineExpr affine(int64_t value) {
    return mlir::getAffineConstantExpr(value, context);
  }
  /// Types of scalars.
  mlir::Type f32() { return mlir::Float32Type::get(context); }
  mlir::Type f64() { return mlir::Float64Type::get(context); }
  mlir::Type i32() { return mlir::IntegerType::get(context, 32); }
  mlir::Type index() { return mlir::IndexType::get(context); }
  /// What an element type is computed in.
  mlir::Type computeType(mlir::Type element);

private:
  Node *fail(mlir::Operation *op, llvm::StringRef reason);
  Node *leaf(unsigned argument, mlir::Value value, Access access);
  /// The argument a value is, or -1.
  int argumentOf(mlir::Value value);

  Node *buildOp(mlir::OpResult value, Access access);
  Node *buildElementwise(mlir::Operation *op, Access access);
  Node *buildShape(mlir::Operation *op, Access access);
  Node *buildRows(mlir::OpResult value, Access access);
  Node *buildNorm(mlir::OpResult value, Access access);
  Node *buildSquares(nn::SumOfSquaresOp op, Access access);
  Node *buildLoss(mlir::OpResult value, Access access);
  Node *buildAttention(mlir::OpResult value, Access access);
  Node *buildOptimizer(mlir::OpResult value, Access access);

  Node *buildBroadcast(nn::BroadcastOp op, Access access);
  Node *buildTranspose(nn::TransposeOp op, Access access);
  Node *buildBox(mlir::Operation *op, mlir::Value input,
                 llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps,
                 bool isPad, Access access);
  Node *buildConcat(nn::ConcatOp op, Access access);
  Node *buildSelect(nn::SelectOp op, Access access);
  Node *buildInsert(nn::InsertOp op, Access access);
  Node *buildConstant(nn::ConstantOp op, Access access);
  Node *buildDropout(nn::DropoutOp op, Access access);
  Node *buildEmbedding(nn::EmbeddingOp op, Access access);
  Node *buildReduce(mlir::Operation *op, llvm::ArrayRef<int64_t> dims,
                    Join join, Access access);
  Node *buildLossStats(nn::CrossEntropyStatsOp op, Access access);
  Node *buildOfLogits(mlir::OpResult value, mlir::Value logits,
                      mlir::Value offset, Access access);
  Node *buildLossOfStats(nn::CrossEntropyLossOp op, unsigned result,
                         Access access);
  /// Whether a row op's result may be computed at this access: the columns of
  /// row d0, or its one entry.
  bool isWholeRow(mlir::OpResult result, Access access, int64_t length);

  RowProgram &program;
  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Access, Node *>, 2>>
      memo;
  /// Row scalars of an op that has several results, by (op, name).
  llvm::DenseMap<std::pair<mlir::Operation *, int>, Node *> shared;
  /// The row at which an op that needs whole rows is read.
  llvm::DenseMap<mlir::Operation *, mlir::AffineExpr> rowsOf;
  llvm::DenseMap<int64_t, Node *> columnNodes;
};

/// A scalar in another type: floats round to nearest even, and become integers
/// by truncation. f16 and bf16 come from and become f32.
mlir::Value convertScalar(ScalarBuilder &builder, mlir::Value value,
                          mlir::Type type);

/// The indices of a row-major index among dims of these sizes.
llvm::SmallVector<mlir::AffineExpr> delinearize(mlir::AffineExpr index,
                                                llvm::ArrayRef<int64_t> sizes);
/// The row-major index of indices among dims of these sizes.
mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> indices,
                           llvm::ArrayRef<int64_t> sizes,
                           mlir::MLIRContext *context);
/// How many leading dims of a shape are rows where trailing ones of `extent`
/// elements are columns (0: all are rows); -1 where no dims have that extent.
int64_t leadingDims(llvm::ArrayRef<int64_t> shape, int64_t extent);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EXPR_H
