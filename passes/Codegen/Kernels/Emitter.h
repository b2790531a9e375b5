//===- Emitter.h - Building the kernel IR of one unit -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_EMITTER_H
#define PCC_PASSES_CODEGEN_KERNELS_EMITTER_H

#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/SweepPlan.h"

namespace pcc::codegen {

/// The columns a unit works on: [begin, begin + size), `size` an attribute
/// where it is the same for all units.
struct Window {
  mlir::Value begin; ///< null: 0
  mlir::OpFoldResult size;
};

/// Builds what one unit does, at the builder's place. `arguments` are the
/// kernel function's: `operands` of them, then the results; `constants` the
/// program's.
class Emitter {
public:
  /// `program` and `b` must outlive this.
  Emitter(const RowProgram &program, const KernelChoices &choices,
          ScalarBuilder &b, mlir::ValueRange arguments, unsigned operands,
          mlir::ValueRange constants)
      : program(program), choices(choices), sweepPlan(program), b(b),
        arguments(arguments.begin(), arguments.end()),
        constants(constants.begin(), constants.end()), operands(operands) {}

  /// How many units the program has: rows, or rows times blocks of columns.
  int64_t getUnits() const;
  /// `unit`: index, below getUnits().
  void emitUnit(mlir::Value unit);

private:
  /// All of a row.
  void emitRow();
  void runSweeps(bool isAfter);
  /// Rows one after another, and their sums.
  void emitGroup(mlir::Value unit);
  void emitColumnSums(Window window);
  /// Sums over rows that a unit adds to, at zero.
  mlir::Value beginSum(const Node *node, int64_t length, Window window);
  void emitScatter(Window window);
  bool isByRow() const {
    return program.shape == KernelShape::Scatter && program.scatter.isSorted &&
           choices.sumsByRow;
  }
  void emitRowSum(mlir::Value unit);
  /// A number that each token has.
  mlir::Value ofToken(const Node *node, mlir::Value token);
  /// What the tokens of a sorted sum are in the order of.
  mlir::Value keyAt(mlir::Value token) {
    return ofToken(program.scatter.key, token);
  }
  /// The first token whose id is not below `id`.
  mlir::Value findFirst(mlir::Value id);
  void emitRope(mlir::Value row);
  Window blockWindow(mlir::Value block);

  /// A row's slice of an argument.
  mlir::Value slice(mlir::Value buffer, mlir::Value row, int64_t extent,
                    Window window);
  mlir::Value affineValue(mlir::AffineExpr expr);
  /// The value of a node without a column.
  mlir::Value scalar(const Node *node);
  void runSweep(const Sweep &sweep, int index, Window window);
  /// One linalg.generic over the window. `outs` get `roots`' values: added to
  /// where an accumulator, stored elsewhere.
  struct Root {
    const Node *node;
    mlir::Value out;
    enum { Store, Reduce, SumElement } how;
    Join join = Join::Sum; ///< Reduce
  };
  void emitGeneric(llvm::ArrayRef<Root> roots, int sweep, Window window);
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

  /// What the elements of a sum are added up in.
  mlir::Type accumulatorOf(const Node *node);

  const RowProgram &program;
  KernelChoices choices;
  SweepPlan sweepPlan;
  ScalarBuilder &b;
  llvm::SmallVector<mlir::Value> arguments, constants;
  unsigned operands;
  /// The unit's row and, within a column sum, the row summed.
  mlir::Value row, reducedRow;
  /// The loop over a group's rows, ahead of which memory is allocated.
  mlir::Operation *rowLoop = nullptr;
  llvm::DenseMap<const Node *, mlir::Value> scalars;
  /// Reductions as they were added up.
  llvm::DenseMap<const Node *, mlir::Value> reduced;
  /// Rows kept in memory: temporaries, outputs, column sums.
  llvm::DenseMap<const Node *, mlir::Value> kept;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_EMITTER_H
