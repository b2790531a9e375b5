//===- Names.h - Names of a program's functions and states ------*- C++ -*-===//
//
// An nn program is a module of parameters, states and these functions. The
// runtime finds results by their names.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_NAMES_H
#define PCC_DIALECTS_NN_NAMES_H

#include "dialects/NN/Attrs.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace pcc::nn {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The model as in the file.
inline constexpr llvm::StringLiteral kForward = "forward";
/// The model with its loss: returns the sum and the count of one microbatch.
inline constexpr llvm::StringLiteral kLoss = "loss";
/// Accumulates the divisors of a loss into states, over all microbatches,
/// before the step.
inline constexpr llvm::StringLiteral kCounts = "counts";
/// Gathers parameters from the ranks' shards, at the start of a step and of an
/// evaluation.
inline constexpr llvm::StringLiteral kGather = "gather";
/// The loss with its backward pass for one microbatch: accumulates loss and
/// gradients into states.
inline constexpr llvm::StringLiteral kMicrobatch = "microbatch";
/// Runs after each @microbatch: reduces its gradients over ranks and adds each
/// rank's shard of the result to the shard that it accumulates.
inline constexpr llvm::StringLiteral kReduce = "reduce";
/// The optimizer's step, once after all microbatches.
inline constexpr llvm::StringLiteral kUpdate = "update";
/// The loss without gradients and dropout: accumulates into states.
inline constexpr llvm::StringLiteral kEvaluate = "evaluate";
/// Returns the results of all calls of @evaluate.
inline constexpr llvm::StringLiteral kEvaluateResult = "evaluate_result";

/// All functions that a program may have.
inline constexpr llvm::StringLiteral kFunctions[] = {
    kForward, kLoss,   kCounts,   kGather,        kMicrobatch,
    kReduce,  kUpdate, kEvaluate, kEvaluateResult};

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// The states that @microbatch accumulates the results of @loss into.
inline constexpr llvm::StringLiteral kLossSum = "loss_sum";
inline constexpr llvm::StringLiteral kTargetCount = "target_count";
/// The same for @evaluate.
inline constexpr llvm::StringLiteral kEvalLossSum = "eval_loss_sum";
inline constexpr llvm::StringLiteral kEvalTargetCount = "eval_target_count";
/// The state of the sum of auxiliary losses, if @loss returns one, and the
/// result of @update that is their mean.
inline constexpr llvm::StringLiteral kAuxSum = "aux_sum";
inline constexpr llvm::StringLiteral kAuxResult = "aux";
/// The prefix of states [E] that count how often a layer's experts are chosen
/// in a step, and the result of @update that is the largest count over the
/// mean, averaged over layers.
inline constexpr llvm::StringLiteral kExpertCountPrefix = "expert_count.";
inline constexpr llvm::StringLiteral kLoadResult = "load";
/// The prefix of states of a layer's choices beyond the capacity
/// (kCapacityAttr) in a step. @update returns their sum under the name
/// PCC_OVERFLOW_PREFIX + the capacity.
inline constexpr llvm::StringLiteral kOverflowPrefix = "expert_overflow.";
/// For a loss that is not one mean, such as one of several terms, each followed
/// by a number: the sum of a term, and a count that terms divide by.
inline constexpr llvm::StringLiteral kEvalSum = "eval_sum.";
inline constexpr llvm::StringLiteral kEvalCount = "eval_count.";
/// The number of batches that were evaluated.
inline constexpr llvm::StringLiteral kEvalBatches = "eval_batches";
/// The states that @counts adds to: the same counts for a step, and its number
/// of microbatches.
inline constexpr llvm::StringLiteral kStepCount = "step_count.";
inline constexpr llvm::StringLiteral kStepBatches = "step_batches";

/// The loss scale, which keeps low-precision gradients from underflow; the
/// number of steps without overflow since it changed; and the number of
/// optimizer steps.
inline constexpr llvm::StringLiteral kLossScale = "loss_scale";
inline constexpr llvm::StringLiteral kGoodSteps = "good_steps";
inline constexpr llvm::StringLiteral kUpdates = "updates";

/// The name of the state that accumulates a parameter's gradient.
inline std::string gradientName(llvm::StringRef param) {
  return ("grad." + param).str();
}
/// The name of a parameter's working copy.
inline std::string copyName(llvm::StringRef param) {
  return ("copy." + param).str();
}
/// The name of a moment of a parameter, which begins with PyTorch's name for
/// the moment.
inline std::string momentName(StateKind kind, llvm::StringRef param) {
  return (stringifyStateKind(kind) + "." + param).str();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The output of @forward that a loss is attached to, if there are several.
inline constexpr llvm::StringLiteral kLogits = "logits";
/// @update returns the mean loss, the gradient's norm, the loss scale of the
/// step (kLossScale) if there is one, the mean auxiliary loss (kAuxResult) and
/// the load of experts (kLoadResult) if there are any, and the counts of
/// kCountAttr.
/// @evaluate_result returns the loss and the number of targets (kTargetCount);
/// if the loss is not one mean, 1 if the loss is defined, else 0, for the
/// latter.
inline constexpr llvm::StringLiteral kLossResult = "loss";
inline constexpr llvm::StringLiteral kNormResult = "norm";
/// The prefix of the results of @evaluate_result where both share a name space.
inline constexpr llvm::StringLiteral kEvalPrefix = "eval_";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_NAMES_H
