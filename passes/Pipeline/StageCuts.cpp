//===- StageCuts.cpp - Divides the forward pass into stages ---------------===//

#include "dialects/NN/Location.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/CutPoints.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/StringMap.h"
#include <limits>

namespace pcc {
#define GEN_PASS_DEF_NNSTAGECUTSPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

struct NNStageCutsPass : pcc::impl::NNStageCutsPassBase<NNStageCutsPass> {
  using NNStageCutsPassBase::NNStageCutsPassBase;
  void runOnOperation() override;
  LogicalResult markLoss(func::FuncOp func);
  LogicalResult markEvaluate(func::FuncOp func);
  void markRest(Block &block);
  FailureOr<SmallVector<size_t>> balance(func::FuncOp func, const Line &line);
  FailureOr<SmallVector<size_t>> cutAtNodes(func::FuncOp func,
                                            const Line &line);

  /// By parameter: the stages whose activations use it in training.
  llvm::StringMap<SmallVector<int64_t>> owners;
};

} // namespace

/// Returns the cuts that minimize the cost of the most expensive stage; among
/// equal ones the first.
FailureOr<SmallVector<size_t>> NNStageCutsPass::balance(func::FuncOp func,
                                                        const Line &line) {
  SmallVector<size_t> places = line.findStageCutPoints();
  size_t cuts = stages - 1;
  // Of several cut points between the same two contractions only one can be
  // used.
  int most = 0, before = 0;
  for (size_t place : places)
    if (line.products[place] > before) {
      before = line.products[place];
      ++most;
    }
  if (static_cast<size_t>(most) < cuts) {
    InFlightDiagnostic diag = emitError(func.getLoc())
                              << "cannot cut the model into " << int64_t(stages)
                              << " pipeline stages: it has " << most
                              << " cut points";
    diag.attachNote() << "--pp may be at most " << most + 1;
    return diag;
  }
  SmallVector<size_t> result(cuts);
  if (result.empty())
    return result;
  // best[c][i]: the least possible maximum cost of the stages before cut c,
  // with cut c at places[i].
  size_t n = places.size();
  std::vector<std::vector<double>> best(
      cuts, std::vector<double>(n, std::numeric_limits<double>::infinity()));
  std::vector<std::vector<size_t>> from(cuts, std::vector<size_t>(n, 0));
  for (size_t i = 0; i < n; ++i)
    best[0][i] = line.cost[places[i]];
  for (size_t c = 1; c < cuts; ++c)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j) {
        if (line.products[places[j]] == line.products[places[i]])
          continue;
        double stage = line.cost[places[i]] - line.cost[places[j]];
        double worst = std::max(best[c - 1][j], stage);
        if (worst < best[c][i]) {
          best[c][i] = worst;
          from[c][i] = j;
        }
      }
  auto dearest = [&](size_t i) {
    return std::max(best.back()[i], line.cost.back() - line.cost[places[i]]);
  };
  size_t end = 0;
  for (size_t i = 1; i < n; ++i)
    if (dearest(i) < dearest(end))
      end = i;
  for (size_t c = cuts; c-- > 0; end = from[c][end])
    result[c] = places[end];
  return result;
}

FailureOr<SmallVector<size_t>> NNStageCutsPass::cutAtNodes(func::FuncOp func,
                                                           const Line &line) {
  SmallVector<StringRef> names;
  StringRef(cut).split(names, ',', -1, /*KeepEmpty=*/false);
  if (static_cast<int64_t>(names.size()) != stages - 1)
    return emitError(func.getLoc())
           << "--stage-cut names " << names.size()
           << (names.size() == 1 ? " node" : " nodes") << ", but --pp "
           << int64_t(stages) << " needs " << int64_t(stages) - 1;
  SmallVector<size_t> cuts;
  for (StringRef name : names) {
    auto it = llvm::find_if(line.ops, [&](Operation *op) {
      StringRef node = nn::sourceNode(op->getLoc());
      return node == name || (node.starts_with(name) &&
                              StringRef("/.").contains(node[name.size()]));
    });
    if (it == line.ops.end()) {
      InFlightDiagnostic diag = emitError(func.getLoc())
                                << "--stage-cut: there is no node '" << name
                                << "' in the forward pass";
      diag.attachNote() << "--emit=nn --mlir-print-debuginfo prints the nodes";
      return diag;
    }
    size_t place = it - line.ops.begin();
    if (place == 0 || (!cuts.empty() && place <= cuts.back()))
      return emitError(func.getLoc())
             << "--stage-cut: '" << name << "' does not come after "
             << (cuts.empty() ? "the first node"
                              : "the node before it in the list");
    cuts.push_back(place);
  }
  return cuts;
}

static int64_t stageOf(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(nn::kStageAttr).getInt();
}

/// Assigns the other ops to their first user's stage; users come later in the
/// block.
void NNStageCutsPass::markRest(Block &block) {
  Builder builder(&getContext());
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.hasAttr(nn::kStageAttr))
      continue;
    int64_t first = stages - 1;
    bool isUsed = false;
    for (Operation *user : op.getUsers())
      if (user->hasAttr(nn::kStageAttr)) {
        first = std::min(first, stageOf(user));
        isUsed = true;
      }
    op.setAttr(nn::kStageAttr, builder.getI64IntegerAttr(isUsed ? first : 0));
  }
}

LogicalResult NNStageCutsPass::markLoss(func::FuncOp func) {
  Builder builder(&getContext());
  Block &block = func.getBody().front();
  Line line(block);
  auto cuts = cut.empty() ? balance(func, line) : cutAtNodes(func, line);
  if (failed(cuts))
    return failure();
  int64_t stage = 0;
  for (auto [i, op] : llvm::enumerate(line.ops)) {
    while (stage < static_cast<int64_t>(cuts->size()) && i >= (*cuts)[stage])
      ++stage;
    op->setAttr(nn::kStageAttr, builder.getI64IntegerAttr(stage));
  }
  for (auto read : block.getOps<nn::ReadOp>())
    findActivationUsers(read, line.activations, [&](Operation *user) {
      auto &stagesOf = owners[read.getSymbol()];
      if (!llvm::is_contained(stagesOf, stageOf(user)))
        stagesOf.push_back(stageOf(user));
    });
  markRest(block);
  return success();
}

/// Marks an evaluation. Its ops must be where training updates their
/// parameters, although it has fewer ops to balance. An op goes to the first
/// stage that holds its parameters, not before the stages of its operands.
LogicalResult NNStageCutsPass::markEvaluate(func::FuncOp func) {
  Builder builder(&getContext());
  Block &block = func.getBody().front();
  auto activations = findActivations(block);
  llvm::DenseMap<Operation *, SmallVector<StringRef>> parameters;
  for (auto read : block.getOps<nn::ReadOp>())
    findActivationUsers(read, activations, [&](Operation *user) {
      parameters[user].push_back(read.getSymbol());
    });
  for (Operation &op : block.without_terminator()) {
    if (!activations.contains(&op))
      continue;
    int64_t stage = 0;
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && activations.contains(def))
        stage = std::max(stage, stageOf(def));
    // Several stages may hold a tied parameter: take the first reachable one.
    while (stage < stages && llvm::any_of(
                                 parameters[&op],
                                 [&](StringRef symbol) {
                                   auto owner = owners.find(symbol);
                                   return owner != owners.end() &&
                                          !llvm::is_contained(owner->second,
                                                              stage);
                                 }))
      ++stage;
    if (stage == stages)
      return op.emitOpError("uses parameters that no one stage holds");
    op.setAttr(nn::kStageAttr, builder.getI64IntegerAttr(stage));
  }
  markRest(block);
  return success();
}

void NNStageCutsPass::runOnOperation() {
  if (stages < 1) {
    emitError(getOperation().getLoc()) << "needs at least one stage";
    return signalPassFailure();
  }
  owners.clear();
  if (auto loss = getOperation().lookupSymbol<func::FuncOp>(nn::kLoss))
    if (failed(markLoss(loss)))
      return signalPassFailure();
  if (auto evaluate = getOperation().lookupSymbol<func::FuncOp>(nn::kEvaluate))
    if (failed(markEvaluate(evaluate)))
      return signalPassFailure();
}
