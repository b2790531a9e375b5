//===- Expr.h - nn ops as scalar expressions --------------------*- C++ -*-===//
//
// Builds expressions backwards, from a kernel's results to its arguments: for a
// value, a row r and a column c, the expression of that element. The result is
// a graph of scalar nodes (RowProgram.h), in which a chain of ops needs no
// memory traffic:
//
//     %b = nn.broadcast %bias [2] : tensor<8xf32> -> tensor<2x3x8xf32>
//     %s = nn.sum %x, %b : tensor<2x3x8xf32>
//     %y = nn.gelu %s : tensor<2x3x8xf32>
//
// The six rows of %y, d0 from 0 to 5, have eight columns. `build(%y, {d0, 8})`
// builds %s at the same point. That builds %x there, and %b, which builds %bias
// at row 0. The result is
//
//     gelu(add(leaf %x {d0, 8}, leaf %bias {0, 8}))
//
// - An elementwise op builds its operands at its own point and combines them.
// - An op that moves elements builds its operand at another point. For
//   `nn.transpose %x [1, 0, 2]`, row d0 is %x's row (d0 mod 2) * 3 + d0
//   floordiv 2.
// - An op that needs a whole row has reductions, which are nodes without a
//   column. Each takes a pass over the row before its users: softmax is a
//   maximum, then a sum of exponentials, then their quotients.
//
// Some ops have no expression at some points: a transpose of columns has no row
// to read, and a sum along a row exists only for the work item's own row.
// RowProgram.cpp then tries rows of another length. An op without an expression
// at any length does not become part of the kernel (Group.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_EXPR_H
#define PCC_PASSES_CODEGEN_KERNELS_EXPR_H

#include "passes/Codegen/Kernels/RowProgram.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::codegen {

/// The identity of a maximum: the lowest finite float. LLVM would fold
/// -infinity, the true identity, into a select that it does not vectorize.
inline constexpr double kLowest = -3.40282346638528859812e38;

/// Builds the expressions of a RowProgram from nn ops. Every function returns
/// null if there is no such expression; `why` then has the reason.
class ExprBuilder {
public:
  /// Nodes are added to `program`. Values other than the kernel's `arguments`
  /// are built from their defining ops.
  ExprBuilder(RowProgram &program, mlir::MLIRContext *context,
              llvm::ArrayRef<mlir::Value> arguments)
      : program(program), context(context),
        arguments(arguments.begin(), arguments.end()) {}

  /// The element of a value at a point.
  Node *build(mlir::Value value, Access access);
  /// The sum of a leading reduction (an nn.reduce of leading dims, or the
  /// gradient of a norm's scale) at (d0, c); the program sums over d1.
  Node *buildColumnSum(mlir::Value value, int64_t columns);

  /// Fills the program's `rope`; returns false on failure.
  bool buildRope(nn::RopeOp op);

  /// The first reason why there was no expression, for diagnostics.
  std::string why;

  //===--------------------------------------------------------------------===//
  // Scalar operations. Mixing float types is an error of the caller.

  /// An operation that `build` emits; `cost` is its approximate number of
  /// instructions.
  Node *op(mlir::Type type, llvm::ArrayRef<Node *> operands, int cost,
           Node::Build build);
  /// A constant of any scalar type.
  Node *constant(mlir::Type type, double value);
  /// An integer constant, exact in all bits.
  Node *constantInt(mlir::Type type, uint64_t value);
  /// a + b, of floats, integers or indices; likewise sub, mul and div. Integer
  /// division truncates.
  Node *add(Node *a, Node *b);
  Node *sub(Node *a, Node *b);
  Node *mul(Node *a, Node *b);
  Node *div(Node *a, Node *b);
  /// With a constant; null for a null operand.
  Node *mul(Node *a, double b) { return a ? mul(a, constant(a->type, b)) : a; }
  Node *add(Node *a, double b) { return a ? add(a, constant(a->type, b)) : a; }
  /// Functions of one operand, computed in its type.
  Node *exp(Node *a);
  Node *log(Node *a);
  Node *tanh(Node *a);
  Node *sqrt(Node *a);
  /// x to the power of y.
  Node *power(Node *x, Node *y);
  /// a where the condition, an i1, holds, else b.
  Node *select(Node *condition, Node *a, Node *b);
  /// Signed comparison of integers or indices.
  Node *less(Node *a, Node *b);
  /// Whether two numbers are equal; a NaN equals nothing.
  Node *equal(Node *a, Node *b);
  /// Compares two numbers of any type; false if one is NaN.
  Node *compare(nn::Relation relation, Node *a, Node *b);
  /// Converts any scalar type to any other. Floats to integers truncate; to
  /// bools, a number is compared with zero.
  Node *convert(Node *a, mlir::Type type);
  /// Rounds a value of type `a->type` to an nn element type and back.
  Node *round(Node *a, mlir::Type element);
  /// The column number, an index, for rows of `extent`.
  Node *column(int64_t extent);
  /// An affine expression in d0 and d1, as an index.
  Node *rowIndex(mlir::AffineExpr row);
  /// The sum of a row of floats, times `scale`, rounded once to their type.
  Node *sumRow(Node *a, int64_t length, double scale = 1) {
    return reduceBy(a, length, Combiner::Sum, scale);
  }
  /// The maximum of a row; unspecified if an element is NaN.
  Node *reduceMax(Node *a, int64_t length) {
    return reduceBy(a, length, Combiner::MaxNumber);
  }
  /// Reduces a row of `length` columns and scales the result, in the type of
  /// `a`.
  Node *reduceBy(Node *a, int64_t length, Combiner join, double scale = 1);
  /// An entry of a table known at compile time, as an index.
  Node *lookUp(llvm::ArrayRef<int64_t> table, Node *number);
  /// The mixing step of Random.h.
  Node *randomMix(Node *hash);
  /// Adds a coordinate, i32, to a key as Random.h does.
  Node *randomAdd(Node *key, Node *coordinate);
  /// The key of an op's random numbers, from its rank-0 operands.
  Node *randomKey(mlir::Value seed, mlir::Value step, int64_t id);
  /// The same without the last coordinate, which is the id plus the high half
  /// of the step.
  Node *randomStepKey(mlir::Value seed, mlir::Value step);
  /// The high half of an integer, as i32.
  Node *highHalf(Node *whole);
  /// Rounds an f32 to a bf16 with the lower half of the bits, an i32, as
  /// Random.h does.
  Node *roundAtRandom(Node *value, Node *bits);

  /// The expression `name` of `op`, built once for all of its results.
  Node *once(mlir::Operation *op, int name, llvm::function_ref<Node *()> make);

  /// The work item's row.
  mlir::AffineExpr d0() { return mlir::getAffineDimExpr(0, context); }
  /// The row that passes over rows compute.
  mlir::AffineExpr unitRow() { return program.unitRow(context); }
  /// The row that a column sum adds.
  mlir::AffineExpr d1() { return mlir::getAffineDimExpr(1, context); }
  /// A row that is the same for all work items.
  mlir::AffineExpr affine(int64_t value) {
    return mlir::getAffineConstantExpr(value, context);
  }
  mlir::Type f32() { return mlir::Float32Type::get(context); }
  mlir::Type f64() { return mlir::Float64Type::get(context); }
  mlir::Type i32() { return mlir::IntegerType::get(context, 32); }
  mlir::Type index() { return mlir::IndexType::get(context); }
  /// The type in which an element type is computed.
  mlir::Type computeType(mlir::Type element);

private:
  Node *fail(mlir::Operation *op, llvm::StringRef reason);
  Node *leaf(unsigned argument, mlir::Value value, Access access);
  /// The index of the argument that a value is, or -1.
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
  Node *buildRoundingBits(nn::RoundingBitsOp op, Access access);

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
  Node *buildRouting(mlir::Operation *op, Access access);
  Node *buildTopK(nn::TopKOp op, Access access);
  Node *buildPick(nn::PickOp op, Access access);
  Node *buildSpread(nn::SpreadOp op, Access access);
  /// The id of a pick or spread, minus its offset.
  template <typename Op>
  Node *buildId(Op op, Access access);
  /// Column c of a row of as many columns is entry c.
  Node *selectByColumn(llvm::ArrayRef<Node *> entries);
  Node *buildReduce(mlir::Operation *op, llvm::ArrayRef<int64_t> dims,
                    Combiner join, Access access);
  Node *buildLossStats(nn::CrossEntropyStatsOp op, Access access);
  Node *buildOfLogits(mlir::OpResult value, mlir::Value logits,
                      mlir::Value offset, Access access);
  Node *buildLossOfStats(nn::CrossEntropyLossOp op, unsigned result,
                         Access access);
  /// Whether an op over whole rows has an expression at this access: the
  /// columns, or the single entry, of unitRow() or of row 0.
  bool isWholeRow(mlir::OpResult result, Access access, int64_t length);

  RowProgram &program;
  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Access, Node *>, 2>>
      memo;
  /// The expressions of once(), by (op, name).
  llvm::DenseMap<std::pair<mlir::Operation *, int>, Node *> shared;
  /// The row at which an op over whole rows is read.
  llvm::DenseMap<mlir::Operation *, mlir::AffineExpr> rowsOf;
  llvm::DenseMap<int64_t, Node *> columnNodes;
};

/// Converts a scalar to another type. Floats round to nearest even and truncate
/// to integers; a number becomes a bool by comparison with zero. Callers
/// convert f16 and bf16 from and to f32 only.
mlir::Value convertScalar(ScalarBuilder &builder, mlir::Value value,
                          mlir::Type type);

/// The indices of a row-major index among dims of these sizes.
llvm::SmallVector<mlir::AffineExpr> delinearize(mlir::AffineExpr index,
                                                llvm::ArrayRef<int64_t> sizes);
/// The row-major index of indices among dims of these sizes.
mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> indices,
                           llvm::ArrayRef<int64_t> sizes,
                           mlir::MLIRContext *context);
/// The number of leading dims of a shape that are rows if the trailing dims, of
/// `extent` elements in all, are columns. With extent 0 all dims are rows.
/// Returns -1 if no trailing dims have that extent.
int64_t leadingDims(llvm::ArrayRef<int64_t> shape, int64_t extent);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EXPR_H
