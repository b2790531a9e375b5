//===- Machine.h - Execution of a program on virtual ranks ------*- C++ -*-===//
//
// A machine stores the parameters and states of all ranks and runs functions op
// by op. All ranks run in lockstep: each op runs on all ranks before the next
// one. Its interface has global values. They are split into shards on the way
// in, and assembled on the way out, where replicas are compared.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_MACHINE_H
#define PCC_INTERPRETER_MACHINE_H

#include "analysis/Buckets.h"
#include "interpreter/Grid.h"
#include "interpreter/Kernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::interp {

/// Runs the functions of one module, which must outlive this.
class Machine {
public:
  /// With `exact`, all floats are f64. A module of global types runs on one
  /// rank, a `dist.spmd` module on its mesh.
  Machine(mlir::ModuleOp module, bool exact);

  /// The module that is run.
  mlir::ModuleOp getModule() const { return module; }
  /// Whether floats are computed and kept in f64.
  bool isExact() const { return exact; }
  /// The ranks.
  const Grid &getGrid() const { return grid; }

  /// Returns the global value of a parameter or state; null if it has none. If
  /// only some stages have written it, their value is returned.
  mlir::FailureOr<TensorRef> readSymbol(llvm::StringRef name);
  /// Sets an existing parameter or state on all ranks; of a parameter, also the
  /// working copies, except gathered ones.
  void writeSymbol(llvm::StringRef name, const Tensor &global);
  /// Returns one rank's value of a parameter or state; null if it has none. The
  /// value of a replicated bucket is assembled from its members.
  TensorRef readSymbol(llvm::StringRef name, int64_t rank);
  /// Sets one rank's value of a parameter or state; null: it has no value.
  void writeSymbol(llvm::StringRef name, int64_t rank, TensorRef local);
  /// Drops the values that a step or an evaluation gathers; called when one
  /// begins.
  void beginEntry();
  /// Returns the placement of a symbol; nothing if there is no such symbol.
  std::optional<Placement> symbolPlacement(llvm::StringRef name);
  /// Returns the placement of argument or result `index` of a function.
  Placement argumentPlacement(mlir::func::FuncOp function, unsigned index);
  Placement resultPlacement(mlir::func::FuncOp function, unsigned index);

  /// Called after every op, except in kernels, with the ranks that ran it, the
  /// microbatch (-1: none), and its results, results[member][i]. A failure
  /// stops the run.
  using Observer = std::function<mlir::LogicalResult(
      mlir::Operation *, int64_t microbatch, llvm::ArrayRef<int64_t> ranks,
      llvm::ArrayRef<ValueList> results)>;
  /// Sets the observer; null for none.
  void setObserver(Observer observer) { afterOp = std::move(observer); }
  /// Calls the observer; for callers that run ops without call().
  mlir::LogicalResult observe(mlir::Operation *op, int64_t microbatch,
                              llvm::ArrayRef<int64_t> ranks,
                              llvm::ArrayRef<ValueList> results) const {
    return afterOp ? afterOp(op, microbatch, ranks, results) : mlir::success();
  }

  /// Runs a function on all ranks. Errors are emitted at the op that failed.
  mlir::FailureOr<ValueList> call(mlir::func::FuncOp function,
                                  llvm::ArrayRef<TensorRef> args,
                                  int64_t microbatch = -1);

  /// Whether runOp or runCollective supports an nn or dist op.
  bool canRun(llvm::StringRef opName) const;
  /// Runs one op on one rank.
  mlir::FailureOr<ValueList> runOp(mlir::Operation *op, int64_t rank,
                                   llvm::ArrayRef<TensorRef> operands);
  /// Runs a function without collectives, such as a kernel, on one rank. Errors
  /// about the function itself are emitted at `caller`.
  mlir::FailureOr<ValueList> runKernel(llvm::StringRef name,
                                       mlir::Operation *caller, int64_t rank,
                                       llvm::ArrayRef<TensorRef> operands);
  /// Runs a collective on members that include all peers of each of them.
  std::vector<ValueList> runCollective(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> ranks,
                                       llvm::ArrayRef<ValueList> operands);

private:
  /// Assembles a member of a sharded bucket from the ranks' shards.
  TensorRef gather(nn::StateOp kept, llvm::StringRef name, int64_t rank);
  /// The values of one rank.
  struct Memory {
    llvm::StringMap<TensorRef> symbols;
    llvm::StringSet<> written;
  };
  /// Drops the values that were gathered from `own`, or all if it is empty.
  void forgetGathered(Memory &memory, llvm::StringRef own);
  ValueList finished(llvm::MutableArrayRef<Tensor> results) const;

  mlir::ModuleOp module;
  bool exact;
  Grid grid;
  KernelTable kernels;
  mlir::SymbolTable table;
  nn::Buckets buckets;
  /// The replicated buckets by name, and the sharded buckets by member.
  llvm::StringMap<nn::StateOp> replicatedBuckets, shardedBuckets;
  /// The symbols that @gather sets, with the bucket that they are gathered
  /// from.
  llvm::StringMap<nn::StateOp> gathered;
  Observer afterOp;
  std::vector<Memory> ranks;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_MACHINE_H
