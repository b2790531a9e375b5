//===- Machine.h - Virtual ranks that run a program -------------*- C++ -*-===//
//
// A machine holds the parameters and states of every rank and runs functions
// op by op, all ranks in lockstep: one op is done on every rank before the
// next one begins. From outside values are global: they are cut into the
// ranks' parts on the way in and put together again, replicas compared, on the
// way out.
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

/// Runs the functions of one module, which must outlive it.
class Machine {
public:
  /// With `exact`, floats are f64 whatever their declared type. A module of
  /// global types runs on one rank, one that is `dist.spmd` on its mesh.
  Machine(mlir::ModuleOp module, bool exact);

  /// The module that it was made for.
  mlir::ModuleOp getModule() const { return module; }
  /// Whether floats are computed and kept in f64.
  bool isExact() const { return exact; }
  /// The ranks.
  const Grid &getGrid() const { return grid; }

  /// A parameter or state: null for a parameter that was never given a value.
  /// Where only some stages have written it, theirs counts.
  mlir::FailureOr<TensorRef> readSymbol(llvm::StringRef name);
  /// Gives a parameter or state, which must be there, its value on every rank.
  void writeSymbol(llvm::StringRef name, const Tensor &global);
  /// What one rank holds of a parameter or state, of a bucket what its members
  /// do; null if it was never given a value.
  TensorRef readSymbol(llvm::StringRef name, int64_t rank);
  /// Replaces what one rank holds of a parameter or state; null: it holds
  /// nothing.
  void writeSymbol(llvm::StringRef name, int64_t rank, TensorRef local);
  /// What a step or an evaluation gathers has no value as it begins.
  void beginEntry();
  /// Where a symbol lies; nothing if there is none of this name.
  std::optional<Placement> symbolPlacement(llvm::StringRef name);
  /// Where argument or result number `index` of a function lies.
  Placement argumentPlacement(mlir::func::FuncOp function, unsigned index);
  Placement resultPlacement(mlir::func::FuncOp function, unsigned index);

  /// Called after every op with the ranks that ran it, for which microbatch
  /// (-1: none), and the values of its results, results[member][i]; a failure
  /// stops the run.
  using Observer = std::function<mlir::LogicalResult(
      mlir::Operation *, int64_t microbatch, llvm::ArrayRef<int64_t> ranks,
      llvm::ArrayRef<ValueList> results)>;
  /// Sets the one observer; null for none.
  void setObserver(Observer observer) { afterOp = std::move(observer); }
  /// Tells the observer, for who runs ops other than by call().
  mlir::LogicalResult observe(mlir::Operation *op, int64_t microbatch,
                              llvm::ArrayRef<int64_t> ranks,
                              llvm::ArrayRef<ValueList> results) const {
    return afterOp ? afterOp(op, microbatch, ranks, results) : mlir::success();
  }

  /// Runs a function on every rank. Errors are emitted at the op that could
  /// not be done.
  mlir::FailureOr<ValueList> call(mlir::func::FuncOp function,
                                  llvm::ArrayRef<TensorRef> args,
                                  int64_t microbatch = -1);

  /// False for an op that runOp and runCollective cannot do.
  bool canRun(llvm::StringRef opName) const;
  /// Runs one op on one rank.
  mlir::FailureOr<ValueList> runOp(mlir::Operation *op, int64_t rank,
                                   llvm::ArrayRef<TensorRef> operands);
  /// A function of ops without collectives: the kernels' form. `caller`: where
  /// to say that it is no such function.
  mlir::FailureOr<ValueList> runKernel(llvm::StringRef name,
                                       mlir::Operation *caller, int64_t rank,
                                       llvm::ArrayRef<TensorRef> operands);
  /// Runs a collective on members that hold all peers of each other.
  std::vector<ValueList> runCollective(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> ranks,
                                       llvm::ArrayRef<ValueList> operands);

private:
  /// Of what lies in a bucket that is cut, what its ranks hold together.
  TensorRef gather(nn::StateOp kept, llvm::StringRef name, int64_t rank);
  /// What one rank holds.
  struct Memory {
    llvm::StringMap<TensorRef> symbols;
    llvm::StringSet<> written;
  };
  /// What is gathered from this, or from anything, has no value any more.
  void forgetGathered(Memory &memory, llvm::StringRef own);
  ValueList finished(llvm::MutableArrayRef<Tensor> results) const;

  mlir::ModuleOp module;
  bool exact;
  Grid grid;
  KernelTable kernels;
  mlir::SymbolTable table;
  nn::Buckets buckets;
  /// Buckets by name that ranks hold all of; those that ranks hold parts of, by
  /// what lies in them.
  llvm::StringMap<nn::StateOp> wholeBuckets, cutBuckets;
  /// What @gather makes, and of which bucket.
  llvm::StringMap<nn::StateOp> gathered;
  Observer afterOp;
  std::vector<Memory> ranks;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_MACHINE_H
