//===- Names.h - Names of a program's functions and states ------*- C++ -*-===//
//
// A program of nn is a module of parameters, states and these functions. The
// names of results are those that the runtime finds them by.
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

/// The model, as the file has it.
inline constexpr llvm::StringLiteral kForward = "forward";
/// What becomes of it with a loss: returns the sum and the count of one
/// microbatch.
inline constexpr llvm::StringLiteral kLoss = "loss";
/// Adds to states what a loss divides by, on all microbatches, ahead of the
/// step.
inline constexpr llvm::StringLiteral kCounts = "counts";
/// Makes parameters whole of what ranks keep of them: the first thing in a step
/// and in an evaluation.
inline constexpr llvm::StringLiteral kGather = "gather";
/// What becomes of @loss with gradients: adds to states.
inline constexpr llvm::StringLiteral kMicrobatch = "microbatch";
/// Behind each @microbatch: adds what ranks make of its gradients to what each
/// keeps of their sum.
inline constexpr llvm::StringLiteral kReduce = "reduce";
/// The optimizer's step, once for all microbatches.
inline constexpr llvm::StringLiteral kUpdate = "update";
/// The loss without gradients and dropout: adds to states.
inline constexpr llvm::StringLiteral kEvaluate = "evaluate";
/// What all calls of @evaluate add up to.
inline constexpr llvm::StringLiteral kEvaluateResult = "evaluate_result";

/// A program has no other functions.
inline constexpr llvm::StringLiteral kFunctions[] = {
    kForward, kLoss,   kCounts,   kGather,        kMicrobatch,
    kReduce,  kUpdate, kEvaluate, kEvaluateResult};

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// What @microbatch adds the results of @loss to.
inline constexpr llvm::StringLiteral kLossSum = "loss_sum";
inline constexpr llvm::StringLiteral kTargetCount = "target_count";
/// The same of @evaluate.
inline constexpr llvm::StringLiteral kEvalLossSum = "eval_loss_sum";
inline constexpr llvm::StringLiteral kEvalTargetCount = "eval_target_count";
/// Of a loss of several terms, followed by its number: the sum of a term, and a
/// count that terms divide by.
inline constexpr llvm::StringLiteral kEvalSum = "eval_sum.";
inline constexpr llvm::StringLiteral kEvalCount = "eval_count.";
/// How many batches were evaluated.
inline constexpr llvm::StringLiteral kEvalBatches = "eval_batches";
/// What @counts adds to: the same counts of a step, and its microbatches.
inline constexpr llvm::StringLiteral kStepCount = "step_count.";
inline constexpr llvm::StringLiteral kStepBatches = "step_batches";

/// What the gradients of a step are multiplied by, from the loss on, where 16
/// bits would lose them; how many steps it has been right since it changed; and
/// how many steps of the optimizer there were.
inline constexpr llvm::StringLiteral kLossScale = "loss_scale";
inline constexpr llvm::StringLiteral kGoodSteps = "good_steps";
inline constexpr llvm::StringLiteral kUpdates = "updates";

/// The sum of a parameter's gradients.
inline std::string gradientName(llvm::StringRef param) {
  return ("grad." + param).str();
}
/// A parameter as the model computes with it, in a narrower type.
inline std::string copyName(llvm::StringRef param) {
  return ("copy." + param).str();
}
/// What an optimizer keeps of a parameter: PyTorch's name of it in front.
inline std::string momentName(StateKind kind, llvm::StringRef param) {
  return (stringifyStateKind(kind) + "." + param).str();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Of several outputs of @forward, the one that a loss is attached to.
inline constexpr llvm::StringLiteral kLogits = "logits";
/// Of @update: the mean loss and the gradient's norm, and where there is one,
/// the scale that the step was done with (kLossScale); of @evaluate_result, the
/// loss and the number of targets (kTargetCount).
inline constexpr llvm::StringLiteral kLossResult = "loss";
inline constexpr llvm::StringLiteral kNormResult = "norm";
/// In front of those of @evaluate_result where both are in one name space.
inline constexpr llvm::StringLiteral kEvalPrefix = "eval_";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_NAMES_H
