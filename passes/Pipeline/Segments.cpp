//===- Segments.cpp - Divides stages into segments ------------------------===//
//
// A segment, such as a layer, becomes a forward and a backward task. Cut
// points with the fewest crossing bytes divide a transformer into pieces; where
// these repeat, each period is a segment:
//
//     pieces     E | A | M | A | M | A | M | H      embedding, attention, MLP,
//     segments   0 |   1   |   2   |   3   | 4      head
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Pipeline/CutPoints.h"
#include "passes/Pipeline/Passes.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {
#define GEN_PASS_DEF_NNSEGMENTSPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

struct NNSegmentsPass : pcc::impl::NNSegmentsPassBase<NNSegmentsPass> {
  void runOnOperation() override;
  void markLoss(func::FuncOp func);
  void markEvaluate(func::FuncOp func);
  void markRest(Block &block);
  void mark(Operation *op, int64_t segment) {
    op->setAttr(nn::kSegmentAttr,
                Builder(&getContext()).getI64IntegerAttr(segment));
  }

  /// The first segment of each stage, followed by the number of segments.
  SmallVector<int64_t> firstOfStage;
  /// By parameter: the first segment whose activations use it in training.
  llvm::StringMap<int64_t> owners;
};

} // namespace

static std::optional<int64_t> numberOf(Operation *op, StringRef attr) {
  if (auto number = op->getAttrOfType<IntegerAttr>(attr))
    return number.getInt();
  return std::nullopt;
}

/// Returns the begins of pieces: the cut points with at least one contraction
/// or attention op since the previous one. The ops before the first of these
/// are a piece of their own, up to the last cut point before it.
static SmallVector<size_t> findPieces(const Line &line) {
  SmallVector<size_t> begins = {0};
  for (size_t place : line.findCutPoints()) {
    int before = line.products[place];
    if (before == line.products.back())
      break;
    if (before == 0 && begins.size() == 2)
      begins.back() = place;
    else if (before == 0 || before > line.products[begins.back()])
      begins.push_back(place);
  }
  return begins;
}

/// Returns a hash of the computation of ops [begin, end), without ids of random
/// numbers.
static llvm::hash_code hashPiece(const Line &line, size_t begin, size_t end) {
  llvm::DenseMap<Operation *, size_t> index;
  llvm::hash_code hash = llvm::hash_value(end - begin);
  for (size_t i = begin; i < end; ++i) {
    Operation *op = line.ops[i];
    index[op] = i - begin;
    auto attrs =
        dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
    SmallVector<Attribute> values;
    if (attrs)
      for (NamedAttribute attr : attrs)
        if (attr.getName() != "id")
          values.push_back(attr.getValue());
    hash = llvm::hash_combine(hash, op->getName(),
                              llvm::hash_combine_range(values));
    for (Type type : op->getResultTypes())
      hash = llvm::hash_combine(hash, type);
    for (Value operand : op->getOperands()) {
      auto def = index.find(operand.getDefiningOp());
      hash = llvm::hash_combine(hash, operand.getType(),
                                def == index.end() ? ~size_t(0) : def->second);
    }
  }
  return hash;
}

/// Appends the begins of the segments of pieces [begin, end): the periods of
/// the longest repetition, and recursively the pieces before and after it.
static void findPeriods(ArrayRef<llvm::hash_code> pieces, size_t begin,
                        size_t end, SmallVectorImpl<size_t> &segments) {
  size_t period = 1, from = begin, covered = 0;
  for (size_t p = 1; 2 * p <= end - begin; ++p)
    for (size_t i = begin, run = 0; i + p < end; ++i) {
      run = pieces[i] == pieces[i + p] ? run + 1 : 0;
      size_t whole = (run + p) / p * p;
      if (whole < 2 * p || whole <= covered)
        continue;
      covered = whole;
      period = p;
      from = i + 1 - run;
    }
  if (covered == 0) {
    for (size_t i = begin; i < end; ++i)
      segments.push_back(i);
    return;
  }
  findPeriods(pieces, begin, from, segments);
  for (size_t i = from; i < from + covered; i += period)
    segments.push_back(i);
  findPeriods(pieces, from + covered, end, segments);
}

void NNSegmentsPass::markLoss(func::FuncOp func) {
  Block &block = func.getBody().front();
  Line line(block);
  SmallVector<size_t> begins = findPieces(line);
  SmallVector<llvm::hash_code> pieces;
  for (size_t i = 0; i < begins.size(); ++i)
    pieces.push_back(
        hashPiece(line, begins[i],
                  i + 1 < begins.size() ? begins[i + 1] : line.ops.size()));
  SmallVector<size_t> firsts;
  findPeriods(pieces, 0, pieces.size(), firsts);
  llvm::DenseSet<size_t> isBegin;
  for (size_t piece : firsts)
    isBegin.insert(begins[piece]);

  // A stage begins a new segment.
  int64_t segment = -1, stage = -1;
  for (auto [i, op] : llvm::enumerate(line.ops)) {
    int64_t own = numberOf(op, nn::kStageAttr).value_or(0);
    if (isBegin.contains(i) || own != stage || segment < 0)
      ++segment;
    for (; stage < own; ++stage)
      firstOfStage.push_back(segment);
    mark(op, segment);
  }
  firstOfStage.push_back(segment + 1);
  for (auto read : block.getOps<nn::ReadOp>())
    findActivationUsers(read, line.activations, [&](Operation *user) {
      int64_t own = *numberOf(user, nn::kSegmentAttr);
      auto [it, isNew] = owners.try_emplace(read.getSymbol(), own);
      it->second = std::min(it->second, own);
    });
  markRest(block);
}

/// Assigns ops that are no activations to their first user's segment; users
/// come later.
void NNSegmentsPass::markRest(Block &block) {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.hasAttr(nn::kSegmentAttr))
      continue;
    std::optional<int64_t> first;
    for (Operation *user : op.getUsers())
      if (auto segment = numberOf(user, nn::kSegmentAttr))
        first = std::min(first.value_or(*segment), *segment);
    mark(&op, first.value_or(
                  firstOfStage[numberOf(&op, nn::kStageAttr).value_or(0)]));
  }
}

/// Marks an evaluation, which has fewer ops: its ops run in the segments of
/// their parameters, if these are in the same stage.
void NNSegmentsPass::markEvaluate(func::FuncOp func) {
  Block &block = func.getBody().front();
  auto activations = findActivations(block);
  llvm::DenseMap<Operation *, int64_t> ofParameter;
  for (auto read : block.getOps<nn::ReadOp>())
    if (auto owner = owners.find(read.getSymbol()); owner != owners.end())
      findActivationUsers(read, activations, [&](Operation *user) {
        int64_t &own = ofParameter[user];
        own = std::max(own, owner->second);
      });
  for (Operation &op : block.without_terminator()) {
    if (!activations.contains(&op))
      continue;
    int64_t stage = numberOf(&op, nn::kStageAttr).value_or(0);
    int64_t segment = firstOfStage[stage];
    if (int64_t own = ofParameter.lookup(&op); own < firstOfStage[stage + 1])
      segment = std::max(segment, own);
    for (Value operand : op.getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && activations.contains(def))
        segment = std::max(segment, *numberOf(def, nn::kSegmentAttr));
    mark(&op, segment);
  }
  markRest(block);
}

void NNSegmentsPass::runOnOperation() {
  firstOfStage.clear();
  owners.clear();
  auto loss = getOperation().lookupSymbol<func::FuncOp>(nn::kLoss);
  if (!loss)
    return;
  markLoss(loss);
  if (auto evaluate = getOperation().lookupSymbol<func::FuncOp>(nn::kEvaluate))
    markEvaluate(evaluate);
}
