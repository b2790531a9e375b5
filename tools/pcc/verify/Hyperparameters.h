//===- Hyperparameters.h - How pcc verify trains ----------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_VERIFY_HYPERPARAMETERS_H
#define PCC_TOOLS_PCC_VERIFY_HYPERPARAMETERS_H

#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace pcc {

/// The hyper-parameters of all runs of a verification. They are chosen so that
/// faults change the results, and rounding hardly does.
struct Hyperparameters {
  int64_t steps = 4;
  double rate = 0, decay = 0, clip = 0, eps = 0;
  /// The decay rates of AdamW's moments.
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.95;
  /// The step of the first update. Before it, with fp16, gradients overflow.
  int64_t firstUpdate = 1;

  /// Returns the flags of programs, without --data.
  std::vector<std::string> flags() const;
};

/// Chooses them, given the norms of the first gradient and of all parameters
/// and the number of trained elements.
Hyperparameters chooseHyperparameters(llvm::StringRef optimizer,
                                      llvm::StringRef precision, int64_t steps,
                                      double gradientNorm, double parameterNorm,
                                      int64_t trained);

/// Converts to JSON.
llvm::json::Value toJson(const Hyperparameters &hyperparameters);
/// Converts from JSON; nullopt if it is invalid.
std::optional<Hyperparameters>
hyperparametersFrom(const llvm::json::Value &value);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_HYPERPARAMETERS_H
