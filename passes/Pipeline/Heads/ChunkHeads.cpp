//===- ChunkHeads.cpp - Chooses the chunks of heads -----------------------===//

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Heads/Heads.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Training/Entry.h"
#include "llvm/Support/MathExtras.h"

namespace pcc {
#define GEN_PASS_DEF_PIPECHUNKHEADSPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// The bytes of logits up to which a chunk is as large as possible, and up to
/// which no head has chunks by itself.
static constexpr int64_t kMostBytes = int64_t(512) << 20;
/// The fewest tokens of a chunk that is chosen by bytes: the products stay
/// efficient.
static constexpr int64_t kFewestTokens = 256;

/// The extents of the token dims whose product is at most `most`, if that is
/// possible, the last dims first; as many samples or positions as a power of
/// two, or all.
static SmallVector<int64_t> extentsOf(ArrayRef<int64_t> tokens, int64_t most) {
  SmallVector<int64_t> chunk(tokens.size(), 1);
  for (int i = tokens.size() - 1; i >= 0; --i) {
    if (tokens[i] <= most) {
      chunk[i] = tokens[i];
      most /= tokens[i];
      continue;
    }
    chunk[i] = std::min<int64_t>(tokens[i], llvm::bit_floor(uint64_t(most)));
    break;
  }
  return chunk;
}

/// The extents of the token dims for at least `count` chunks: those of the
/// first dims become smaller first.
static SmallVector<int64_t> extentsFor(ArrayRef<int64_t> tokens,
                                       int64_t count) {
  SmallVector<int64_t> chunk(tokens);
  for (int64_t &extent : chunk) {
    int64_t all = extent;
    extent = llvm::divideCeil(all, std::min(all, count));
    count = llvm::divideCeil(count, llvm::divideCeil(all, extent));
  }
  return chunk;
}

/// Whether two ops compute the same: the backward pass gathers the head's input
/// again.
static bool areEqual(Operation *a, Operation *b) {
  auto essentials = [](Operation *op) {
    NamedAttrList attributes(op->getDiscardableAttrDictionary());
    for (StringRef name : nn::kStageAttrs)
      attributes.erase(name);
    attributes.erase(dist::kIdAttr);
    return attributes.getDictionary(op->getContext());
  };
  return a->getName() == b->getName() &&
         llvm::equal(a->getOperands(), b->getOperands()) &&
         llvm::equal(a->getResultTypes(), b->getResultTypes()) &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         essentials(a) == essentials(b);
}

/// Replaces an op of the backward pass by an equal one of the forward pass, if
/// there is one.
static bool replaceByForward(Operation *op) {
  if (op->getNumOperands() == 0)
    return false;
  for (Operation *other : op->getOperand(0).getUsers())
    if (other != op && !other->hasAttr(nn::kBackwardAttr) &&
        other->isBeforeInBlock(op) && areEqual(other, op)) {
      op->replaceAllUsesWith(other);
      op->erase();
      return true;
    }
  return false;
}

namespace {
struct PipeChunkHeadsPass
    : pcc::impl::PipeChunkHeadsPassBase<PipeChunkHeadsPass> {
  using PipeChunkHeadsPassBase::PipeChunkHeadsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (StringRef name : {nn::kMicrobatch, nn::kEvaluate}) {
      auto func = module.lookupSymbol<func::FuncOp>(name);
      if (!func)
        continue;
      SmallVector<Value> all = Head::findLogits(func.getBody().front());
      if (chunks && all.empty()) {
        emitError(func.getLoc()) << "--head-chunks " << int64_t(chunks)
                                 << ": the loss is no cross-entropy of logits";
        return signalPassFailure();
      }
      // A small head beside a large one stays whole.
      int64_t rows = 0;
      for (Value logits : all)
        rows = std::max(rows, rowsOf(logits));
      for (Value logits : all)
        if ((rowsOf(logits) == rows || rowsOf(logits) >= chunks) &&
            failed(choose(logits, name == nn::kMicrobatch)))
          return signalPassFailure();
    }
  }

  /// The rows of logits of a microbatch on a rank.
  static int64_t rowsOf(Value logits) {
    RankedTensorType type = nn::tensorType(logits);
    return type.getNumElements() / type.getShape().back();
  }

  LogicalResult choose(Value logits, bool isTraining) {
    ModuleOp module = getOperation();
    int64_t bytes = Head::getBytes(logits);
    if (chunks == 0 && bytes <= kMostBytes)
      return success();
    // Another loss of the same head has chosen.
    if (Head::getChunk(logits))
      return success();
    std::string why;
    std::optional<Head> head = Head::find(logits, why);
    if (head && isTraining && !keepsGradients) {
      head = std::nullopt;
      why = "the gradients of each microbatch are reduced, but the schedule "
            "computes those of all heads first; use --schedule 1f1b, or "
            "--zero 1";
    }
    if (!head) {
      if (chunks)
        return emitError(logits.getLoc())
               << "--head-chunks " << int64_t(chunks)
               << ": the head cannot be computed in chunks of tokens: " << why;
      module->setAttr(nn::kWholeHeadAttr,
                      StringAttr::get(module.getContext(), why));
      return success();
    }
    ArrayRef<int64_t> tokens = head->getTokens();
    int64_t all = rowsOf(logits);
    if (chunks > all)
      return emitError(logits.getLoc())
             << "--head-chunks " << int64_t(chunks) << ": a microbatch has "
             << all << (all == 1 ? " row" : " rows") << " of logits on a rank";
    SmallVector<int64_t> chunk =
        chunks ? extentsFor(tokens, chunks)
               : extentsOf(tokens,
                           std::max(kFewestTokens, kMostBytes / (bytes / all)));
    if (ArrayRef(chunk) == tokens)
      return success();
    Builder builder(module.getContext());
    for (Operation *op : head->getOps())
      op->setAttr(nn::kChunkAttr, builder.getDenseI64ArrayAttr(chunk));
    for (Operation *op : head->getNeeded())
      if (!replaceByForward(op))
        op->setAttr(nn::kChunkAttr, builder.getDenseI64ArrayAttr({}));
    return success();
  }
};
} // namespace
