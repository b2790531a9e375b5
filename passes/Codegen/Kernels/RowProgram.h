//===- RowProgram.h - A kernel as sweeps over rows --------------*- C++ -*-===//
//
// What one unit of a kernel computes, as a graph of scalar expressions in the
// unit's row r and a column c. Elementwise nn ops become operations on such
// expressions, so that a chain of them costs no memory traffic; reshape,
// broadcast, transpose, select and the like only change which element a leaf
// loads; a reduction along a row is an expression without a column that needs
// a sweep of its own, after which later sweeps may use it. It says what is
// added up, not in which type: that is for the back end.
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

/// Which element of a row-major tensor the point (r, c) of a kernel's space
/// needs: element `row * extent + c`, or `row` where extent is 0. `row` is
/// affine in d0, the unit's row, and d1, the row a column reduction is at.
struct Access {
  /// The row's number, or the element's where extent is 0.
  mlir::AffineExpr row;
  /// The columns of the tensor; 0: the element does not depend on c.
  int64_t extent = 0;

  bool operator==(const Access &other) const {
    return row == other.row && extent == other.extent;
  }
};

/// How a reduction combines elements. A maximum and a minimum are NaN where an
/// element is; of MaxNumber that is not said, which is faster.
enum class Join { Sum, SumOfSquares, Max, Min, Prod, MaxNumber };

/// A scalar expression at a point (r, c), or at a row r where extent is 0.
struct Node {
  /// What a node is; `operands` and the fields below depend on it.
  enum class Kind {
    Leaf,      ///< an element of a kernel argument
    Gather,    ///< the same with a row that is computed: operands[0]
    Column,    ///< the column, index type
    Row,       ///< `row`, index type
    Op,        ///< a scalar operation on the operands
    Reduce,    ///< operands[0] of a row of `sweep`, joined, times `scale`
    ColReduce, ///< a sum of operands[0] over d1, the rows that disappear
  };
  /// Emits the operation for operands that are given as scalars.
  using Build = std::function<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;

  /// Of a node whose fields below are set by the caller.
  Node(Kind kind, mlir::Type type, llvm::ArrayRef<Node *> operands = {})
      : kind(kind), type(type), operands(operands) {}

  /// Decides which of the fields below count.
  Kind kind;
  mlir::Type type; ///< f16 and bf16 are computed with as f32
  llvm::SmallVector<Node *, 3> operands;
  int64_t extent = 0;    ///< of its column; 0: the same for the whole row
  int level = 0;         ///< sweeps that must have ended before
  int cost = 0;          ///< about the instructions of computing it again
  unsigned argument = 0; ///< Leaf, Gather
  mlir::AffineExpr row;  ///< Leaf, Row
  Build build;           ///< Op
  int64_t sweep = 0;     ///< Reduce: the row's length
  Join join = Join::Sum; ///< Reduce: how the row's elements are combined
  double scale = 1;      ///< Reduce, of floats: before it is rounded to `type`
};

/// A tensor the kernel writes: result `index` of its function.
struct Output {
  /// The number among the kernel function's results.
  unsigned index;
  /// What is stored at each point; the program owns it.
  Node *node;
  /// Where it is stored.
  Access access;
};

/// Rows of embedding_grad: row `id` of the output gets `dy` of every token.
struct Scatter {
  Node *id = nullptr; ///< index type, of the token's row d0; negative: none
  Node *dy = nullptr; ///< of [tokens, columns]
  int64_t tokens = 0, tableRows = 0;
  /// The argument added to, or -1: zero.
  int base = -1;
  /// Whether equal ids stand side by side, the lower ones first.
  bool isSorted = false;
  /// What tokens are in the order of, if they are. `id` is that, or none.
  Node *key = nullptr;
  /// If not 0, of equal keys only those have an id that are in one group of so
  /// many tokens with the first of them; or those that are in another, which
  /// have the number of theirs.
  int64_t group = 0;
  bool isOfGroups = false;
};

/// A rotation of pairs (i, i + half) of each head of a row [heads, width]; what
/// lies behind the pairs is copied.
struct Rope {
  Node *input = nullptr;     ///< of [rows, heads * width]
  Node *position = nullptr;  ///< f64, of the row
  Node *frequency = nullptr; ///< f64, of the pair
  int64_t heads = 0, width = 0, half = 0;
  bool isInverse = false;
};

/// How the units of a kernel are laid out.
enum class KernelShape {
  Rows,    ///< unit = a row of every output
  Columns, ///< unit = a row of the outputs x a block of columns; sums over d1
  Groups,  ///< unit = some rows one after another, and sums over these
  Scatter, ///< unit = a block of columns of the table, or a row of it
  Rope,    ///< unit = a row of all heads
};

/// Units of a kernel of groups of rows at least, as each takes its rows one
/// after another; columns of these, as they are all that is done at a time.
inline constexpr int64_t kLeastGroups = 256, kLeastGroupColumns = 256;
/// The most columns of a thread of a device that takes the rows of a group: it
/// has what it reads of a row, and some sums of each column, in registers.
inline constexpr int64_t kThreadColumns = 12;
/// The most columns of such rows, which half of the threads take that a block
/// may have.
inline constexpr int64_t kMostGroupColumns = 512 * kThreadColumns;

/// Threads of a device that take the rows of a group: whole warps.
inline int64_t threadsOfGroup(int64_t columns) {
  return std::max<int64_t>(
      32, llvm::PowerOf2Ceil(llvm::divideCeil(columns, kThreadColumns)));
}

/// The computation of a kernel: outputs, the nodes they are computed from, and
/// how units share them.
class RowProgram {
public:
  /// How units share the work.
  KernelShape shape = KernelShape::Rows;
  int64_t rows = 1;    ///< of the outputs; Groups: of those that are sums
  int64_t columns = 0; ///< of the outputs; 0: outputs are one entry per row
  int64_t reduced = 1; ///< Columns, Groups: the extent of d1
  llvm::SmallVector<Output> outputs;
  Scatter scatter;
  Rope rope;
  /// Tensors known at compile time; leaves name them from kFirstConstant on.
  llvm::SmallVector<mlir::DenseElementsAttr> constants;
  static constexpr unsigned kFirstConstant = 1u << 30;

  /// Builds the program of a kernel function's body, or of ops that would be
  /// one: `results` are the values it must produce, `arguments` those it gets;
  /// everything between them is nn ops. Null where the ops share no row space
  /// or an op has no such form; `why` says which.
  static std::unique_ptr<RowProgram>
  create(llvm::ArrayRef<mlir::Value> arguments,
         llvm::ArrayRef<mlir::Value> results, std::string *why = nullptr);

  /// Whether result `index` may lie in argument `argument`'s buffer: each of
  /// its elements is read before, or at the point where, it is written.
  bool mayReuse(unsigned index, unsigned argument) const;

  /// The row that a unit is at, of what has as many rows as are computed.
  mlir::AffineExpr unitRow(mlir::MLIRContext *context) const {
    auto unit = mlir::getAffineDimExpr(0, context);
    return shape == KernelShape::Groups
               ? unit * reduced + mlir::getAffineDimExpr(1, context)
               : unit;
  }
  /// Whether an output is one of the sums over the rows of a group.
  bool isOfGroup(const Output &output) const {
    return shape == KernelShape::Groups &&
           llvm::isa<mlir::AffineDimExpr>(output.access.row);
  }

  /// Nodes in the order they were made: operands first.
  llvm::ArrayRef<std::unique_ptr<Node>> getNodes() const { return nodes; }
  /// Takes a node in; the program owns what is returned.
  Node *add(Node node) {
    nodes.push_back(std::make_unique<Node>(std::move(node)));
    return nodes.back().get();
  }

private:
  std::vector<std::unique_ptr<Node>> nodes;
};

/// Whether an op sums over rows, leaving columns.
bool isColumnSum(mlir::Operation *op);

/// Whether a node is made of a sum over rows. One row is summed at the place of
/// its sum, so that places do not tell.
bool hasColumnSum(const Node *node);

/// The number of elements of a value of an nn op.
int64_t numElements(mlir::Value value);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ROWPROGRAM_H
