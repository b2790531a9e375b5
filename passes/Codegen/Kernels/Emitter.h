//===- Emitter.h - Building the kernel IR of a work item --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_EMITTER_H
#define PCC_PASSES_CODEGEN_KERNELS_EMITTER_H

#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/RowPassPlan.h"

namespace pcc::codegen {

/// The columns of a work item: [begin, begin + size). `size` is an attribute if
/// it is the same for all work items.
struct Window {
  mlir::Value begin; ///< null: 0
  mlir::OpFoldResult size;
};

/// Builds the body of one work item at the insertion point. `arguments` are the
/// kernel function's: `operands` operands, then the results. `constants` are
/// the program's.
class Emitter {
public:
  /// `program` and `b` must outlive this.
  Emitter(const RowProgram &program, const KernelChoices &choices,
          ScalarBuilder &b, mlir::ValueRange arguments, unsigned operands,
          mlir::ValueRange constants)
      : program(program), choices(choices), passPlan(program), b(b),
        arguments(arguments.begin(), arguments.end()),
        constants(constants.begin(), constants.end()), operands(operands) {}

  /// The number of work items: rows; rows times blocks of columns; or, if a sum
  /// by ids is divided by row, table rows, plus tokens if it has a base (see
  /// emitRowSum).
  int64_t getUnits() const;
  /// `unit`: index, below getUnits().
  void emitWorkItem(mlir::Value unit);

private:
  /// Emits a row of every output.
  void emitRow();
  void emitPasses(bool isAfter);
  /// Emits the rows of a group one after another, with their column sums.
  void emitGroup(mlir::Value unit);
  void emitColumnSums(Window window);
  /// Allocates the accumulator of a column sum, initialized to zero.
  mlir::Value beginSum(const Node *node, int64_t length, Window window);
  void emitScatter(Window window);
  bool isByRow() const {
    return program.shape == KernelShape::Scatter && program.scatter.isSorted &&
           choices.sumsByRow;
  }
  void emitRowSum(mlir::Value unit);
  /// The value of a scalar node for a token.
  mlir::Value ofToken(const Node *node, mlir::Value token);
  /// The sort key of a token of a sorted sum.
  mlir::Value keyAt(mlir::Value token) {
    return ofToken(program.scatter.key, token);
  }
  /// The first token whose key is not below `id`, by binary search.
  mlir::Value findFirst(mlir::Value id);
  void emitRope(mlir::Value row);
  Window blockWindow(mlir::Value block);

  /// A row's slice of an argument.
  mlir::Value slice(mlir::Value buffer, mlir::Value row, int64_t extent,
                    Window window);
  mlir::Value affineValue(mlir::AffineExpr expr);
  /// The value of a node that does not depend on the column.
  mlir::Value scalar(const Node *node);
  void emitPass(const RowPass &pass, int index, Window window);
  /// Emits one linalg.generic over the window, which computes the values of
  /// `roots` and stores them in `out` or combines them with it.
  struct Root {
    const Node *node;
    mlir::Value out;
    enum { Store, Reduce, SumElement } how;
    Combiner join = Combiner::Sum; ///< Reduce
  };
  void emitGeneric(llvm::ArrayRef<Root> roots, int pass, Window window);
  mlir::Value allocate(mlir::Type element, int64_t length);
  mlir::Type elementOf(mlir::Value buffer) {
    return llvm::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  }
  mlir::Value bufferOf(const Node *leaf) {
    unsigned argument = leaf->argument;
    return argument < RowProgram::kFirstConstant
               ? arguments[argument]
               : constants[argument - RowProgram::kFirstConstant];
  }
  mlir::Value outputBuffer(const Output &output) {
    return arguments[operands + output.index];
  }
  mlir::Value index(int64_t value);

  /// The type in which a node's sum is accumulated.
  mlir::Type accumulatorOf(const Node *node);

  const RowProgram &program;
  KernelChoices choices;
  RowPassPlan passPlan;
  ScalarBuilder &b;
  llvm::SmallVector<mlir::Value> arguments, constants;
  unsigned operands;
  /// The work item's row and, within a column sum, the row that is added.
  mlir::Value row, reducedRow;
  /// The loop over a group's rows; memory is allocated before it.
  mlir::Operation *rowLoop = nullptr;
  llvm::DenseMap<const Node *, mlir::Value> scalars;
  /// The results of reductions, before scaling.
  llvm::DenseMap<const Node *, mlir::Value> reduced;
  /// Rows kept in memory: temporaries, outputs, column sums.
  llvm::DenseMap<const Node *, mlir::Value> kept;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EMITTER_H
