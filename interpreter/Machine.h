//===- Machine.h - Virtual ranks that run a program -------------*- C++ -*-===//
//
// A machine holds the parameters and states of every rank and runs functions
// op by op, all ranks in lockstep: one op is done on every rank before the
// next one begins.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_MACHINE_H
#define PCC_INTERPRETER_MACHINE_H

#include "interpreter/Kernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::interp {

/// The values of a function's arguments or results on one rank.
using ValueList = llvm::SmallVector<TensorRef>;

class Machine {
public:
  /// With `exact`, floats are f64 whatever their declared type.
  Machine(mlir::ModuleOp module, bool exact, int64_t numRanks = 1);

  mlir::ModuleOp getModule() const { return module; }
  bool isExact() const { return exact; }
  int64_t getNumRanks() const { return symbols.size(); }

  /// The value of a parameter or state on a rank; null for a parameter that
  /// was never given one.
  TensorRef getSymbol(int64_t rank, llvm::StringRef name) const;
  void setSymbol(int64_t rank, llvm::StringRef name, TensorRef value);

  /// Called after every op with the op and the ranks' values of its results,
  /// results[member][i]; a failure stops the run.
  using Observer = std::function<mlir::LogicalResult(
      mlir::Operation *, llvm::ArrayRef<ValueList> results)>;
  void setObserver(Observer observer) { afterOp = std::move(observer); }

  /// Runs a function on every rank: args[rank][i] to results[rank][i].
  /// Errors are emitted at the op that could not be done.
  mlir::FailureOr<std::vector<ValueList>> call(mlir::func::FuncOp function,
                                               llvm::ArrayRef<ValueList> args);

private:
  using Values = llvm::DenseMap<mlir::Value, TensorRef>;

  mlir::LogicalResult runBlock(mlir::Block &block, std::vector<Values> &values);
  /// Runs one op on one rank.
  mlir::FailureOr<ValueList> runOp(mlir::Operation *op, int64_t rank,
                                   llvm::ArrayRef<TensorRef> operands);

  mlir::ModuleOp module;
  bool exact;
  KernelTable kernels;
  Observer afterOp;
  /// Per rank.
  std::vector<llvm::StringMap<TensorRef>> symbols;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_MACHINE_H
