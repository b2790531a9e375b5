//===- Layouts.cpp - Do tasks' values lie as they say? --------------------===//
//
// Within a body each op's results must follow from its operands as in one
// rank's function. A body's arguments say how they lie, and a task binds what
// lies alike: so what one task gives and another takes is one tensor of the
// mesh. A value in parts is not sent to another stage: what would be added up
// on both sides, or on none, is added up once, before.
//
//   pipe.value @value.0 : tensor<2x8xf32> {dist.sharding = #x_tp}
//   pipe.body @b (%x: tensor<2x8xf32> as #x_tp) -> (tensor<2x8xf32>) {
//     %y = nn.gelu tanh %x {dist.shardings = [#x_tp]} : tensor<2x8xf32>
//     pipe.yield %y : tensor<2x8xf32>
//   }
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/Layouts.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/Pipe/Transfers.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

class LayoutChecker {
public:
  LayoutChecker(ModuleOp module, dist::MeshOp mesh)
      : module(module), symbols(module), layouts(mesh),
        mesh(layouts.getMesh()) {}
  LogicalResult check();

private:
  LogicalResult checkBody(BodyOp body);
  LogicalResult checkTask(TaskOp task, BodyOp body);
  LogicalResult checkCrossing();
  FailureOr<dist::Layout> layoutOf(TaskOp task, StringRef symbol);

  ModuleOp module;
  SymbolTable symbols;
  LayoutVerifier layouts;
  const dist::Mesh &mesh;
};

} // namespace

LogicalResult LayoutChecker::checkBody(BodyOp body) {
  layouts.clear();
  for (BlockArgument argument : body.getBlock()->getArguments())
    if (failed(layouts.layoutOf(
            body, argument,
            "has argument " + Twine(argument.getArgNumber()) + ", which")))
      return failure();
  for (Operation &op : *body.getBlock())
    if (!isa<YieldOp>(op) && failed(layouts.verify(&op)))
      return failure();
  return success();
}

/// How a task has what a symbol stands for.
FailureOr<dist::Layout> LayoutChecker::layoutOf(TaskOp task, StringRef name) {
  Operation *symbol = symbols.lookup(name);
  // What the runtime reads is the same on each rank.
  if (auto output = dyn_cast<OutputOp>(symbol))
    return dist::Layout(output.getTensorType().getRank());
  auto sharding =
      symbol->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr);
  if (!sharding)
    return symbol->emitOpError("does not say how it lies");
  dist::Layout layout = mesh.layout(sharding);
  // A sum over stages: what is added to is one stage's part of it.
  std::optional<dist::Axis> stages = mesh.stageAxis();
  if (stages && isa<nn::StateOp>(symbol) && hasPartOfStage(task.getPhase()))
    layout.partial.erase(*stages);
  return layout;
}

LogicalResult LayoutChecker::checkTask(TaskOp task, BodyOp body) {
  auto check = [&](StringRef symbol, Value value, StringRef binds,
                   unsigned i) -> LogicalResult {
    FailureOr<dist::Layout> due = layoutOf(task, symbol);
    auto own = layouts.layoutOf(task, value, "has a value that");
    if (failed(due) || failed(own))
      return failure();
    if (*due == *own)
      return success();
    return emitError(task.getLoc())
           << "task '" << task.getSymName() << "' binds " << binds << " " << i
           << " of '" << body.getSymName() << "', which lies as "
           << mesh.shortAttr(*own) << ", to '" << symbol << "', which lies as "
           << mesh.shortAttr(*due);
  };
  for (BlockArgument argument : body.getBlock()->getArguments()) {
    unsigned i = argument.getArgNumber();
    if (!task.getInteger(i)) {
      if (failed(check(task.getSource(i), argument, "argument", i)))
        return failure();
      continue;
    }
    auto own = layouts.layoutOf(task, argument, "has an integer that");
    if (failed(own))
      return failure();
    if (*own != dist::Layout(0))
      return emitError(task.getLoc())
             << "task '" << task.getSymName() << "' binds argument " << i
             << ", which lies as " << mesh.shortAttr(*own) << ", to an integer";
  }
  for (auto [i, value] : llvm::enumerate(body.getResults()))
    if (failed(check(task.getTarget(i), value, "result", i)))
      return failure();
  return success();
}

/// Gradients of a parameter that two stages have are added up as they are, at
/// the end of a step, and reduced afterwards; all else crosses whole.
LogicalResult LayoutChecker::checkCrossing() {
  llvm::StringSet<> added;
  for (auto task : module.getOps<TaskOp>())
    if (!task.isPerMicrobatch())
      for (unsigned i = 0; i < task.getTargets().size(); ++i)
        added.insert(task.getTarget(i));
  WalkResult result = module.walk([&](Operation *op) {
    for (const Half &half : halvesOf(op)) {
      auto value = symbols.lookup<ValueOp>(half.value);
      dist::Layout layout = mesh.layout(
          value->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr));
      dist::AxisSet parts = layout.partialMax;
      if (!added.contains(half.value))
        parts = parts | layout.partial;
      if (parts.empty())
        continue;
      op->emitOpError() << "moves '" << half.value
                        << "' to another stage in parts: it lies as "
                        << mesh.shortAttr(layout);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LayoutChecker::check() {
  for (auto value : module.getOps<ValueOp>())
    if (!value->hasAttr(dist::kShardingAttr))
      return value.emitOpError("does not say how it lies");
  for (auto body : module.getOps<BodyOp>())
    if (failed(checkBody(body)))
      return failure();
  layouts.clear();
  for (auto task : module.getOps<TaskOp>())
    for (bool isFirst : {false, true}) {
      StringRef name = task.getCallee(isFirst).getValue();
      if (failed(checkTask(task, symbols.lookup<BodyOp>(name))))
        return failure();
    }
  return checkCrossing();
}

LogicalResult pcc::checkLayouts(ModuleOp module) {
  dist::MeshOp mesh = dist::findMesh(module);
  if (!mesh || !module->hasAttr(dist::kSpmdAttr))
    return success();
  return LayoutChecker(module, mesh).check();
}
