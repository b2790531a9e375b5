//===- Layouts.cpp - Shardings in and between tasks -----------------------===//
//
// Within a body the sharding of each op's results must follow from its
// operands, as in a function. A body declares the shardings of its arguments,
// and a task binds symbols of the same shardings. So the result of one task and
// the argument of another are one tensor of the mesh. A partial value is not
// sent to another stage: a reduction could happen on both sides, or on none. It
// is reduced once, before. Gradients of a parameter that several stages hold
// are the exception: they are exchanged while partial, and reduced afterwards.
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

/// Returns the sharding of a symbol as a task sees it.
FailureOr<dist::Layout> LayoutChecker::layoutOf(TaskOp task, StringRef name) {
  Operation *symbol = symbols.lookup(name);
  // Outputs, which the runtime reads, are the same on each rank.
  if (auto output = dyn_cast<OutputOp>(symbol))
    return dist::Layout(output.getTensorType().getRank());
  auto sharding =
      symbol->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr);
  if (!sharding)
    return symbol->emitOpError("has no sharding");
  dist::Layout layout = mesh.layout(sharding);
  // For a sum over stages a task adds to its own stage's partial sum.
  std::optional<dist::Axis> stages = mesh.stageAxis();
  if (stages && isa<nn::StateOp>(symbol) &&
      hasStageContribution(task.getPhase()))
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
           << " of '" << body.getSymName() << "', which has sharding "
           << mesh.shortAttr(*own) << ", to '" << symbol
           << "', which has sharding " << mesh.shortAttr(*due);
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
             << ", which has sharding " << mesh.shortAttr(*own)
             << ", to an integer";
  }
  for (auto [i, value] : llvm::enumerate(body.getResults()))
    if (failed(check(task.getTarget(i), value, "result", i)))
      return failure();
  return success();
}

/// Checks transfers between stages. Gradients of a parameter that several
/// stages hold are exchanged at the end of a step while partial, and reduced
/// afterwards; all other values must not be partial.
LogicalResult LayoutChecker::checkCrossing() {
  llvm::StringSet<> added;
  for (auto task : module.getOps<TaskOp>())
    if (!task.isPerMicrobatch())
      for (unsigned i = 0; i < task.getTargets().size(); ++i)
        added.insert(task.getTarget(i));
  WalkResult result =
      module.walk([&](Operation *op) {
        for (const Half &half : halvesOf(op)) {
          auto value = symbols.lookup<ValueOp>(half.value);
          dist::Layout layout = mesh.layout(
              value->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr));
          dist::AxisSet parts = layout.partialMax;
          if (!added.contains(half.value))
            parts = parts | layout.partial;
          if (parts.empty())
            continue;
          op->emitOpError()
              << "transfers '" << half.value
              << "' to another stage while it is partial: its sharding is "
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
      return value.emitOpError("has no sharding");
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
