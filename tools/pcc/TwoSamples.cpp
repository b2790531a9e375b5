//===- TwoSamples.cpp - What one sample does not show ---------------------===//

#include "tools/pcc/TwoSamples.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Recognition/Passes.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossTerms.h"

using namespace mlir;
using namespace pcc;

/// How a model joins samples, by its outputs that are trained.
static std::optional<LossTerms::Problem> findWorst(func::FuncOp forward) {
  // What a loss of the model's own computes of sums shows of one sample, too.
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
    worst->op = nullptr; // It goes with the module.
  return worst;
}

/// The same of a model as it is for two samples.
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
  // What was made for each sample may be recognized as one.
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
