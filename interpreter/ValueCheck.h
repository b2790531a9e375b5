//===- ValueCheck.h - Every op against a reference program ------*- C++ -*-===//

#ifndef PCC_INTERPRETER_VALUECHECK_H
#define PCC_INTERPRETER_VALUECHECK_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// Runs a partitioned program beside the program of global types that it was
/// made from. Ops of the two that belong together have one `dist.id`; after
/// each such op the global value is rebuilt from the ranks' parts by the op's
/// `dist.shardings`, replicas are compared, and it must be the reference's.
/// Thus the first wrong op is the one that is reported.
class ValueCheck {
public:
  /// Differences up to `tolerance`, relative to a value's largest element, are
  /// rounding. Both machines must outlive the check.
  ValueCheck(Machine &reference, Machine &checked, double tolerance);
  ~ValueCheck();

  /// Runs a function in both, with the same global arguments, and compares
  /// ops and results. Gives the checked program's results.
  mlir::FailureOr<ValueList> call(llvm::StringRef function,
                                  llvm::ArrayRef<TensorRef> args);
  /// Compares all parameters and states that have a value.
  mlir::LogicalResult compareSymbols();

  /// Values compared so far, and the largest relative difference among them.
  int64_t getCompared() const { return compared; }
  double getWorst() const { return worst; }

private:
  mlir::LogicalResult compareOp(mlir::Operation *op,
                                llvm::ArrayRef<int64_t> ranks,
                                llvm::ArrayRef<ValueList> results);
  mlir::LogicalResult compare(mlir::Location loc, const llvm::Twine &what,
                              const Tensor &found, const Tensor &wanted);

  Machine &reference, &checked;
  double tolerance;
  int64_t compared = 0;
  double worst = 0;
  /// The reference's results of the function being run, by dist.id.
  llvm::DenseMap<int64_t, std::pair<mlir::Operation *, ValueList>> values;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_VALUECHECK_H
