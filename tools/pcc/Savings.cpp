//===- Savings.cpp - Memory with other flags ------------------------------===//

#include "tools/pcc/Savings.h"
#include "tools/pcc/PlanMemory.h"

using namespace mlir;
using namespace pcc;

/// The plans that differ from the given one in one flag that saves memory.
static std::vector<Options> findPlans(const Options &asked, int64_t chunks) {
  std::vector<Options> plans;
  auto add = [&](auto change) {
    Options plan = asked;
    change(plan);
    plans.push_back(plan);
  };
  if (asked.recompute == "none")
    add([](Options &plan) { plan.recompute = "selective"; });
  if (asked.recompute != "full")
    add([](Options &plan) { plan.recompute = "full"; });
  if (asked.headChunks != "off")
    add([&](Options &plan) { plan.headChunks = std::to_string(4 * chunks); });
  if (asked.dp * asked.cp > 1)
    for (int64_t stage = asked.zeroStage() + 1; stage <= 3; ++stage)
      add([&](Options &plan) { plan.zero = std::to_string(stage); });
  if (asked.optimizer == "adamw" && asked.optimizerState == "f32")
    add([](Options &plan) { plan.optimizerState = "bf16"; });
  if (asked.offload.empty())
    add([&](Options &plan) {
      plan.offload = asked.hasDevice() ? "optimizer" : "optimizer=DIR";
    });
  add([](Options &plan) { plan.cp *= 2; });
  return plans;
}

void pcc::addSavings(Summary &summary, const Arguments &arguments,
                     const ONNXFile &file) {
  if (arguments.options.forward)
    return;
  PlanMemory memory(arguments, file);
  for (const Options &plan :
       findPlans(arguments.options, summary.getHeadChunks()))
    if (std::optional<int64_t> bytes = memory.of(plan))
      summary.addSaving(memory.describe(plan), *bytes);
}
