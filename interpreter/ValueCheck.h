//===- ValueCheck.h - Comparison with a reference program -------*- C++ -*-===//

#ifndef PCC_INTERPRETER_VALUECHECK_H
#define PCC_INTERPRETER_VALUECHECK_H

#include "interpreter/Machine.h"

namespace pcc::interp {

/// Compares a partitioned program with the program of global types that it was
/// created from. Corresponding ops of the two have the same `dist.id`. After
/// each such op, the global value is rebuilt from the ranks' shards by the op's
/// `dist.shardings`; replicas must agree, and the value must be the
/// reference's. So the first wrong op is reported.
///
/// The values of the reference are recorded; run it first. In a program of
/// stages, only the tasks of microbatches are compared: updates operate on a
/// stage's share of the reference's values.
class ValueCheck {
public:
  /// Differences up to `tolerance`, relative to a value's largest element plus
  /// 1e-3, count as rounding. Both machines must outlive the check.
  ValueCheck(Machine &reference, Machine &checked, double tolerance);
  ~ValueCheck();

  /// Runs a function in both programs, with the same global arguments, and
  /// compares ops and results. Returns the checked program's results.
  mlir::FailureOr<ValueList> call(llvm::StringRef function,
                                  llvm::ArrayRef<TensorRef> args);
  /// Compares all parameters and states that have a value.
  mlir::LogicalResult compareSymbols();
  /// Fails with an error unless two numbers, such as losses, agree; `what`
  /// names them.
  mlir::LogicalResult compareScalar(llvm::StringRef what, double found,
                                    double wanted);
  /// Drops the recorded values of the reference.
  void clear() { values.clear(); }

  /// Returns a line with the number of compared values and the largest relative
  /// difference.
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
