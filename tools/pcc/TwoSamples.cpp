//===- TwoSamples.cpp - Check of a model with two samples -----------------===//

#include "tools/pcc/TwoSamples.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Recognition/Passes.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossTerms.h"

using namespace mlir;
using namespace pcc;

/// Returns how the trained outputs of a model combine samples; nothing if they
/// do not.
static std::optional<LossTerms::Problem> findWorst(func::FuncOp forward) {
  // If the model computes its own loss, sums over samples are visible with one
  // sample, too.
  bool isOwn = forward->hasAttr(nn::kHasLossAttr);
  SmallVector<Value> outputs;
  if (isOwn)
    llvm::append_range(
        outputs, forward.getBody().front().getTerminator()->getOperands());
  else if (Value output = mainOutput(forward))
    outputs.push_back(output);
  std::optional<LossTerms::Problem> worst;
  for (Value output : outputs) {
    auto problem = findMixedSamples(forward, output, /*ofSums=*/!isOwn);
    if (problem && (!worst || problem->isSure > worst->isSure))
      worst = problem;
  }
  if (worst)
    worst->op = nullptr; // It is destroyed with the module.
  return worst;
}

/// Returns how a model combines samples when it is imported for two.
static std::optional<LossTerms::Problem> findOfTwo(StringRef name,
                                                   MLIRContext &context,
                                                   const ONNXFile &file,
                                                   ImportOptions import) {
  import.batch = 2;
  import.randomInit = true;
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  auto module = importONNX(context, file, import);
  if (failed(module))
    return std::nullopt;
  auto find = [&]() -> std::optional<LossTerms::Problem> {
    auto forward = (*module)->lookupSymbol<func::FuncOp>(name);
    return forward ? findWorst(forward) : std::nullopt;
  };
  auto problem = find();
  if (!problem || problem->isSure)
    return problem;
  // Ops that were written for each sample may be recognized as one op.
  PassManager recognize(&context);
  recognize.addPass(createNNRecognizePass());
  return succeeded(recognize.run(**module)) ? find() : problem;
}

void pcc::checkTwoSamples(func::FuncOp forward, const ONNXFile &file,
                          const ImportOptions &import) {
  if (forward->hasAttr(nn::kJoinsSamplesAttr))
    return;
  MLIRContext *context = forward.getContext();
  auto problem = findOfTwo(forward.getSymName(), *context, file, import);
  if (!problem)
    return;
  if (problem->isSure)
    forward->setAttr(nn::kJoinsSamplesAttr,
                     StringAttr::get(context, problem->what));
  else
    warnOfMixedSamples(forward, problem->what);
}
