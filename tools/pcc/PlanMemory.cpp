//===- PlanMemory.cpp - The memory of other plans -------------------------===//

#include "tools/pcc/PlanMemory.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Pipelines.h"
#include "passes/RegisterAll.h"
#include "tools/pcc/Input.h"
#include "tools/pcc/Run.h"
#include "tools/pcc/Summary.h"

using namespace mlir;
using namespace pcc;

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerAllPccDialects(registry);
  return registry;
}

PlanMemory::PlanMemory(const Arguments &arguments, const ONNXFile &file)
    : arguments(arguments), file(file), context(allDialects()),
      quiet(&context, [](Diagnostic &) {}) {
  context.loadAllAvailableDialects();
}

/// Compiles a plan; see PlanMemory::of().
static std::optional<int64_t>
compile(MLIRContext &context, const ONNXFile &file, Arguments arguments) {
  Input input;
  input.onnx = file;
  if (failed(readInput(context, arguments, input)))
    return std::nullopt;
  Summary summary(arguments.options);
  int last = findPhase("rt");
  for (int phase = input.phase + 1; phase <= last; ++phase)
    if (failed(runPhase(*input.module, phase, arguments.options)))
      return std::nullopt;
  summary.collect(*input.module, "rt");
  return summary.getLargestStage().second;
}

std::optional<int64_t> PlanMemory::of(const Options &plan) {
  auto [it, isNew] = known.try_emplace(describe(plan));
  if (isNew) {
    Arguments other = arguments;
    other.options = plan;
    other.options.memoryLimit = 0;
    it->second = compile(context, file, other);
  }
  return it->second;
}

std::string PlanMemory::describe(const Options &plan) const {
  const Options &asked = arguments.options;
  std::string text;
  auto flag = [&](StringRef name, int64_t value, int64_t before) {
    if (value != before)
      text += (" --" + name + " " + Twine(value)).str();
  };
  flag("tp", plan.tp, asked.tp);
  flag("cp", plan.cp, asked.cp);
  flag("pp", plan.pp, asked.pp);
  flag("dp", plan.dp, asked.dp);
  flag("micro-batch-size", plan.microBatch, asked.microBatch);
  if (plan.zero != asked.zero)
    flag("zero", plan.zeroStage(), -1);
  if (plan.recompute != asked.recompute)
    text += " --recompute " + plan.recompute;
  if (plan.headChunks != asked.headChunks)
    text += " --head-chunks " + plan.headChunks;
  if (plan.optimizerState != asked.optimizerState)
    text += " --optimizer-state " + plan.optimizerState;
  if (plan.offload != asked.offload)
    text += " --offload " + plan.offload;
  // The default depends on these two.
  if (!asked.globalBatchGiven &&
      (plan.microBatch != asked.microBatch || plan.dp != asked.dp))
    flag("global-batch-size", plan.globalBatch, 0);
  return StringRef(text).ltrim().str();
}
