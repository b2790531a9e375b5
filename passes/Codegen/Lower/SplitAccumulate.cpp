//===- SplitAccumulate.cpp - Accumulation of a sum term by term -----------===//

#include "dialects/Dist/Dist.h"
#include "dialects/Dist/Layout.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTSPLITACCUMULATEPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The operations that can accumulate a term in place.
struct Adders {
  bool scatters; ///< a reduce_scatter of the library can accumulate

  /// Whether the library can accumulate the value: a GEMM's or a
  /// reduce_scatter's.
  bool byLibrary(Value value) const {
    Operation *adding = codegen::findAdding(value);
    return adding && (scatters || !isa<dist::ReduceScatterOp>(adding));
  }
  /// Whether the library can, or the kernel of an embedding gradient or of a
  /// grouped contraction.
  bool inPlace(Value value) const {
    return byLibrary(value) || codegen::findTiledSum(value) ||
           (value.hasOneUse() && value.getDefiningOp<nn::EmbeddingGradOp>());
  }
};

/// The terms of a sum that are added in place, the other terms, and the ops
/// that add them now, users first.
struct Parts {
  SmallVector<Value> terms, others;
  SmallVector<nn::SumOp> sums;

  /// Collects the terms of a sum other than `before`, also of inner sums with
  /// no other use.
  void take(nn::SumOp sum, Value before, const Adders &adders) {
    sums.push_back(sum);
    for (Value input : sum.getInputs()) {
      auto inner = input.getDefiningOp<nn::SumOp>();
      if (inner && input.hasOneUse())
        take(inner, before, adders);
      else if (input != before)
        (adders.inPlace(input) ? terms : others).push_back(input);
    }
  }
};

struct RTSplitAccumulatePass
    : pcc::impl::RTSplitAccumulatePassBase<RTSplitAccumulatePass> {
  using RTSplitAccumulatePassBase::RTSplitAccumulatePassBase;

  void runOnOperation() override {
    Adders adders{scatters};
    for (auto body : getOperation().getOps<pipe::BodyOp>())
      for (OpOperand &result :
           body.getBlock()->getTerminator()->getOpOperands())
        split(result, adders);
  }

  /// Whether a result overwrites its argument, as the first writer of a
  /// gradient does.
  static bool isFirst(OpOperand &result) {
    auto body = cast<pipe::BodyOp>(result.getOwner()->getParentOp());
    std::optional<unsigned> place = body.getReplaced(result.getOperandNumber());
    return place && body.overwrites(*place);
  }

  static void split(OpOperand &result, const Adders &adders) {
    auto last = result.get().getDefiningOp<nn::SumOp>();
    bool begins = isFirst(result);
    if (!last || !last->hasOneUse() ||
        !(begins || codegen::isAccumulation(last)))
      return;
    // The argument that the sum accumulates into.
    Value sum;
    if (!begins) {
      sum = result.get();
      while (auto inner = sum.getDefiningOp<nn::SumOp>())
        sum = inner.getInputs().front();
    }
    Operation *end = result.getOwner();
    OpBuilder builder(end);
    Location loc = last.getLoc();
    dist::ShardingAttr sharding = dist::getSharding(result.get());
    Parts parts;
    parts.take(last, sum, adders);
    if (parts.terms.empty() && begins)
      return;
    result.set(begins ? parts.terms.front() : sum);
    for (nn::SumOp old : parts.sums)
      old.erase();
    SmallVector<Value> &terms = parts.terms;
    if (parts.others.size() == 1)
      terms.push_back(parts.others.front());
    // Each term is added as soon as it is computed, so that its memory becomes
    // free.
    llvm::DenseMap<Operation *, unsigned> position;
    for (auto [i, op] : llvm::enumerate(*end->getBlock()))
      position[&op] = i + 1;
    SmallVector<std::pair<unsigned, Value>> byMaker;
    for (Value term : terms)
      byMaker.push_back({position.lookup(term.getDefiningOp()), term});
    llvm::sort(byMaker, [&](const auto &a, const auto &b) {
      return std::pair(a.first, llvm::find(terms, a.second)) <
             std::pair(b.first, llvm::find(terms, b.second));
    });
    // The first term that can be written in place becomes the base, and needs
    // no addition.
    if (begins) {
      auto *base = llvm::find_if(byMaker, [&](const auto &entry) {
        return adders.inPlace(entry.second);
      });
      sum = base->second;
      byMaker.erase(base);
    }
    auto add = [&](ValueRange values) {
      SmallVector<Value> inputs = {sum};
      llvm::append_range(inputs, values);
      auto made = nn::SumOp::create(builder, loc, sum.getType(), inputs);
      if (sharding)
        dist::setShardings(made, sharding);
      if (values.size() == 1 && adders.byLibrary(values.front()))
        made->setAttr(rt::kAddsInPlaceAttr, builder.getUnitAttr());
      sum = made;
    };
    for (auto [made, term] : byMaker) {
      Operation *maker = term.getDefiningOp(), *before = sum.getDefiningOp();
      if (before && (!maker || !before->isBeforeInBlock(maker)))
        maker = before;
      if (maker)
        builder.setInsertionPointAfter(maker);
      else
        builder.setInsertionPointToStart(end->getBlock());
      add(term);
    }
    builder.setInsertionPoint(end);
    if (parts.others.size() > 1)
      add(parts.others);
    result.set(sum);
  }
};

} // namespace
