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
///
/// Whatever the reference runs is recorded; run it first. Of a program cut
/// into stages only the tasks of microbatches are compared so: its updates
/// hold a stage's share of what the reference's hold.
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
  /// An error unless two numbers, such as losses, agree; `what` names them.
  mlir::LogicalResult compareScalar(llvm::StringRef what, double found,
                                    double wanted);
  /// Forgets what the reference ran.
  void clear() { values.clear(); }

  /// A line that says how many values were compared, and how closely the
  /// worst agrees.
  std::string summary() const;

private:
  mlir::LogicalResult compareOp(mlir::Operation *op, int64_t microbatch,
                                llvm::ArrayRef<int64_t> ranks,
                                llvm::ArrayRef<ValueList> results);
  mlir::LogicalResult compare(mlir::Location loc, const llvm::Twine &what,
                              const Tensor &found, const Tensor &wanted);

  Machine &reference, &checked;
  double tolerance;
  int64_t compared = 0;
  double worst = 0;
  /// The reference's ops and their results, by microbatch and dist.id.
  llvm::DenseMap<std::pair<int64_t, int64_t>,
                 std::pair<mlir::Operation *, ValueList>>
      values;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_VALUECHECK_H
