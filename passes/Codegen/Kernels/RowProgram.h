//===- RowProgram.h - A kernel as passes over rows --------------*- C++ -*-===//
//
// The computation of one work item, as a graph of scalar expressions in its row
// r and a column c. Elementwise nn ops become operations on expressions, so a
// chain of them needs no memory traffic. Reshape, broadcast, transpose, select
// and the like only change which element a leaf loads. A reduction along a row
// is an expression without a column; it takes a pass of its own, after which
// later passes may use it. The accumulation type of a sum is up to the back
// end.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ROWPROGRAM_H
#define PCC_PASSES_CODEGEN_KERNELS_ROWPROGRAM_H

#include "dialects/NN/NN.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <memory>

namespace pcc::codegen {

/// Builds the scalar code of kernels.
using ScalarBuilder = mlir::ImplicitLocOpBuilder;

/// The element of a row-major tensor that is read or written at point (r, c):
/// element `row * extent + c`, or `row` if extent is 0. `row` is affine in d0,
/// the work item's row, and d1, the row that a column sum adds.
struct Access {
  /// The row, or the element if extent is 0.
  mlir::AffineExpr row;
  /// The columns of the tensor; 0: the element does not depend on c.
  int64_t extent = 0;

  bool operator==(const Access &other) const {
    return row == other.row && extent == other.extent;
  }
};

/// How a reduction combines elements. Max and Min propagate NaN; for MaxNumber
/// the result with a NaN is unspecified, which is faster.
enum class Combiner { Sum, SumOfSquares, Max, Min, Prod, MaxNumber };

/// A scalar expression at a point (r, c), or at a row r if extent is 0.
struct Node {
  /// The kind of a node; determines the use of `operands` and the fields below.
  enum class Kind {
    Leaf,      ///< an element of a kernel argument or a constant
    Gather,    ///< the same at a computed row: operands[0]
    Column,    ///< the column, index type
    Row,       ///< `row`, index type
    Op,        ///< a scalar operation on the operands
    Reduce,    ///< operands[0] reduced over `length` columns, times `scale`
    ColReduce, ///< the sum of operands[0] over d1
  };
  /// Emits the operation on scalar operands.
  using Build = std::function<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;

  /// A node whose fields below are set by the caller.
  Node(Kind kind, mlir::Type type, llvm::ArrayRef<Node *> operands = {})
      : kind(kind), type(type), operands(operands) {}

  Kind kind;
  mlir::Type type; ///< f32 for f16 and bf16
  llvm::SmallVector<Node *, 3> operands;
  int64_t extent = 0;    ///< columns; 0: the same for the whole row
  int level = 0;         ///< passes that must precede
  int cost = 0;          ///< approximate instructions to recompute it
  unsigned argument = 0; ///< Leaf, Gather
  mlir::AffineExpr row;  ///< Leaf, Row
  Build build;           ///< Op
  int64_t length = 0;    ///< Reduce: the row's length
  Combiner join =
      Combiner::Sum; ///< Reduce: how the row's elements are combined
  double scale = 1;  ///< Reduce of floats: factor before rounding to `type`
};

/// A tensor that the kernel writes: result `index` of its function.
struct Output {
  /// Among the results of the kernel function.
  unsigned index;
  /// The value stored at each point; owned by the program.
  Node *node;
  Access access;
};

/// The rows of an embedding_grad: for every token, output row `id` accumulates
/// `dy`.
struct Scatter {
  Node *id = nullptr; ///< index type, of the token's row d0; out of range: none
  Node *dy = nullptr; ///< of [tokens, columns]
  int64_t tokens = 0, tableRows = 0;
  /// The argument that is added to, or -1: zero.
  int base = -1;
  /// Whether the tokens are sorted by `key`, in ascending order.
  bool isSorted = false;
  /// The sort key of tokens, if they are sorted. Without `isOfGroups`, `id`
  /// equals it or is no row.
  Node *key = nullptr;
  /// The tokens per group; 0: no groups. With groups, among the tokens of one
  /// key those have an id that are in the group of the first. With
  /// `isOfGroups`, those in later groups have one: the number of their group.
  int64_t group = 0;
  bool isOfGroups = false;
};

/// A rotation of pairs (i, i + half) of each head of a row [heads, width];
/// columns after the pairs are copied.
struct Rope {
  Node *input = nullptr;     ///< of [rows, heads * width]
  Node *position = nullptr;  ///< f64, of the row
  Node *frequency = nullptr; ///< f64, of the pair
  int64_t heads = 0, width = 0, half = 0;
  bool isInverse = false;
};

/// How the work items of a kernel divide its outputs.
enum class KernelShape {
  Rows,    ///< a row of every output
  Columns, ///< a row of the outputs x a block of columns; sums over d1
  Groups,  ///< several rows one after another, and their column sums
  Scatter, ///< a block of columns of the table, or a row of it
  Rope,    ///< a row of all heads
};

/// Limits for KernelShape::Groups: the fewest groups, as each work item
/// processes its rows one after another, and the fewest columns, which are its
/// only parallelism.
inline constexpr int64_t kLeastGroups = 256, kLeastGroupColumns = 256;
/// The most columns per thread of a device block that processes a group: a
/// thread keeps its part of a row, and several sums per column, in registers.
inline constexpr int64_t kThreadColumns = 12;
/// The most columns of a row of a group: kThreadColumns for each of 512
/// threads, half of the most threads of a block.
inline constexpr int64_t kMostGroupColumns = 512 * kThreadColumns;

/// The threads of a device block that processes a group of rows; whole warps.
inline int64_t threadsOfGroup(int64_t columns) {
  return std::max<int64_t>(
      32, llvm::PowerOf2Ceil(llvm::divideCeil(columns, kThreadColumns)));
}

/// The computation of a kernel: its outputs, the nodes that compute them, and
/// the division into work items.
class RowProgram {
public:
  KernelShape shape = KernelShape::Rows;
  int64_t rows =
      1; ///< of the outputs; Groups: of the outputs that are column sums
  int64_t columns = 0; ///< of the outputs; 0: outputs have one entry per row
  int64_t reduced = 1; ///< Columns, Groups: the extent of d1
  llvm::SmallVector<Output> outputs;
  Scatter scatter;
  Rope rope;
  /// Tensors known at compile time; leaves refer to them from kFirstConstant
  /// on.
  llvm::SmallVector<mlir::DenseElementsAttr> constants;
  static constexpr unsigned kFirstConstant = 1u << 30;

  /// Builds the program of a kernel function's body, or of ops that would form
  /// one: `results` are computed from `arguments`, with only nn ops in between.
  /// Returns null if the ops share no row space or an op has no expression;
  /// `why` then has the reason.
  static std::unique_ptr<RowProgram>
  create(llvm::ArrayRef<mlir::Value> arguments,
         llvm::ArrayRef<mlir::Value> results, std::string *why = nullptr);

  /// Whether result `index` may reuse the buffer of argument `argument`: each
  /// element is read before, or at the point where, it is written.
  bool mayReuse(unsigned index, unsigned argument) const;

  /// The row of the passes over rows, at which full-size outputs are computed.
  mlir::AffineExpr unitRow(mlir::MLIRContext *context) const {
    auto unit = mlir::getAffineDimExpr(0, context);
    return shape == KernelShape::Groups
               ? unit * reduced + mlir::getAffineDimExpr(1, context)
               : unit;
  }
  /// Whether an output is a column sum of a group.
  bool isOfGroup(const Output &output) const {
    return shape == KernelShape::Groups &&
           llvm::isa<mlir::AffineDimExpr>(output.access.row);
  }

  /// All nodes, operands before users.
  llvm::ArrayRef<std::unique_ptr<Node>> getNodes() const { return nodes; }
  /// Adds a node, which the program owns.
  Node *add(Node node) {
    nodes.push_back(std::make_unique<Node>(std::move(node)));
    return nodes.back().get();
  }

private:
  std::vector<std::unique_ptr<Node>> nodes;
};

/// Whether an op sums over rows, leaving columns.
bool isColumnSum(mlir::Operation *op);

/// Whether a node depends on a column sum. A column sum of a single row has the
/// same access as the row, so accesses do not tell.
bool hasColumnSum(const Node *node);

/// The number of elements of a value of an nn op.
int64_t numElements(mlir::Value value);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ROWPROGRAM_H
