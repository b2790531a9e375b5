//===- Report.h - What pcc verify prints ------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_REPORT_H
#define PCC_TOOLS_PCC_VERIFY_REPORT_H

#include "tools/pcc/verify/Comparison.h"
#include "tools/pcc/verify/Reference.h"

namespace pcc {

/// The outcome of a verification.
struct Outcome {
  const Arguments &arguments;
  const Facts &plan;
  const Reference &reference;
  const std::vector<Quantity> &quantities;

  /// Returns whether no quantity differs.
  bool isOk() const;
};

/// Describes a plan: "8 ranks = tp 2 x dp 2 x pp 2, zero 2, f32".
std::string planText(const Facts &plan);

/// Prints a line for each quantity and, if one fails, the ten tensors that
/// differ most.
void printOutcome(const Outcome &outcome, llvm::raw_ostream &os);
/// Prints the same as JSON.
void printOutcomeJson(const Outcome &outcome, llvm::raw_ostream &os);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_REPORT_H
