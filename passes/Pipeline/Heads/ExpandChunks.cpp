//===- ExpandChunks.cpp - Computes heads chunk by chunk -------------------===//

#include "dialects/Dist/Layout.h"
#include "dialects/NN/Location.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Pipeline/Heads/Heads.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Pipeline/TaskBuilder.h"

namespace pcc {
#define GEN_PASS_DEF_PIPEEXPANDCHUNKSPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// Expands the ops of one head.
class Expander {
public:
  Expander(const Head &head, ArrayRef<int64_t> chunk)
      : head(head), chunk(chunk), builder(head.getOps().back()) {}
  void run();

private:
  void moveUsersBehind();
  void emitChunk(ArrayRef<int64_t> start);
  Value take(Value operand, IRMapping &mapping);
  Value slice(Value whole);
  RankedTensorType typeOf(Value whole);
  Value join(Value whole, ArrayRef<Value> parts);

  const Head &head;
  ArrayRef<int64_t> chunk;
  OpBuilder builder;
  /// The first token of the current chunk, and its extents.
  SmallVector<int64_t> begin, extents;
  /// By result that other ops use: its parts, by chunk.
  llvm::MapVector<Value, SmallVector<Value>> parts;
};

struct PipeExpandChunksPass
    : pcc::impl::PipeExpandChunksPassBase<PipeExpandChunksPass> {
  void runOnOperation() override;
};

} // namespace

/// Moves ops that use the head's results behind its last op.
void Expander::moveUsersBehind() {
  Operation *last = head.getOps().back();
  llvm::SmallPtrSet<Operation *, 16> after;
  SmallVector<Operation *> moved;
  for (Operation *op = head.getOps().front(); op != last;
       op = op->getNextNode()) {
    if (head.contains(op)) {
      after.insert(op);
    } else if (llvm::any_of(op->getOperands(), [&](Value operand) {
                 return after.contains(operand.getDefiningOp());
               })) {
      after.insert(op);
      moved.push_back(op);
    }
  }
  for (Operation *op : llvm::reverse(moved))
    op->moveAfter(last);
  builder.setInsertionPointAfter(last);
}

RankedTensorType Expander::typeOf(Value whole) {
  RankedTensorType type = nn::tensorType(whole);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, dim] : llvm::zip(shape, head.dimsOf(whole)))
    if (dim >= 0)
      extent = extents[dim];
  return RankedTensorType::get(shape, type.getElementType());
}

Value Expander::slice(Value whole) {
  HeadDims dims = head.dimsOf(whole);
  SmallVector<int64_t> starts(dims.size(), 0), steps(dims.size(), 1);
  for (auto [start, dim] : llvm::zip(starts, dims))
    if (dim >= 0)
      start = begin[dim];
  auto made = nn::SliceOp::create(builder, whole.getLoc(), typeOf(whole), whole,
                                  starts, steps);
  setSharding(made, dist::getSharding(whole));
  // Other values may exist in kernels only.
  Operation *maker = whole.getDefiningOp();
  if (!isa_and_nonnull<nn::ConstantOp, nn::BroadcastOp, nn::CastOp,
                       nn::ReshapeOp, nn::SelectOp, nn::SliceOp,
                       nn::TransposeOp>(maker))
    made->setAttr(nn::kChunkAttr, builder.getDenseI64ArrayAttr(chunk));
  return made;
}

/// The current chunk's part of an operand.
Value Expander::take(Value operand, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(operand))
    return known;
  if (typeOf(operand) == operand.getType())
    return operand;
  Operation *maker = operand.getDefiningOp();
  Value part;
  if (Head::isRepetition(maker)) {
    // Cloned with the chunk's extents: a slice of its result would need the
    // whole value in memory.
    for (Value repeated : maker->getOperands())
      mapping.map(repeated, take(repeated, mapping));
    Operation *copy = builder.clone(*maker, mapping);
    if (auto constant = dyn_cast<nn::ConstantOp>(copy))
      constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue())
                                .resizeSplat(typeOf(operand)));
    copy->getResult(0).setType(typeOf(operand));
    part = copy->getResult(0);
  } else {
    part = slice(operand);
  }
  mapping.map(operand, part);
  return part;
}

void Expander::emitChunk(ArrayRef<int64_t> start) {
  begin.assign(start.begin(), start.end());
  extents.clear();
  for (auto [from, size, all] : llvm::zip(begin, chunk, head.getTokens()))
    extents.push_back(std::min(size, all - from));
  IRMapping mapping;
  for (Operation *op : head.getOps()) {
    for (Value operand : op->getOperands())
      mapping.map(operand, take(operand, mapping));
    Operation *copy = builder.clone(*op, mapping);
    copy->removeAttr(nn::kChunkAttr);
    for (auto [result, part] : llvm::zip(op->getResults(), copy->getResults()))
      part.setType(typeOf(result));
    for (Value result : op->getResults())
      if (auto used = parts.find(result); used != parts.end())
        used->second.push_back(mapping.lookup(result));
  }
}

/// Joins the parts of a value along the token dims, or adds them.
Value Expander::join(Value whole, ArrayRef<Value> given) {
  dist::ShardingAttr sharding = dist::getSharding(whole);
  SmallVector<Value> values(given);
  if (!head.hasTokens(whole)) {
    auto sum = nn::SumOp::create(builder, whole.getLoc(), whole.getType(),
                                 ValueRange(values));
    setSharding(sum, sharding);
    return sum;
  }
  HeadDims dims = head.dimsOf(whole);
  // The last token dim changes first from chunk to chunk.
  for (int token = head.getTokens().size() - 1; token >= 0; --token) {
    size_t along = llvm::divideCeil(head.getTokens()[token], chunk[token]);
    if (along == 1)
      continue;
    int64_t dim = llvm::find(dims, token) - dims.begin();
    SmallVector<Value> joined;
    for (size_t i = 0; i < values.size(); i += along) {
      auto row = ArrayRef(values).slice(i, along);
      SmallVector<int64_t> shape(nn::tensorType(row.front()).getShape());
      shape[dim] = head.getTokens()[token];
      auto type =
          RankedTensorType::get(shape, nn::tensorType(whole).getElementType());
      auto concat = nn::ConcatOp::create(builder, whole.getLoc(), type,
                                         ValueRange(row), dim);
      setSharding(concat, sharding);
      joined.push_back(concat);
    }
    values = joined;
  }
  return values.front();
}

void Expander::run() {
  moveUsersBehind();
  for (Operation *op : head.getOps())
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !head.contains(user); }))
        parts[result];
  SmallVector<int64_t> start(chunk.size(), 0);
  for (bool isDone = false; !isDone;) {
    emitChunk(start);
    isDone = true;
    for (int i = start.size() - 1; i >= 0 && isDone; --i) {
      start[i] += chunk[i];
      isDone = start[i] >= head.getTokens()[i];
      if (isDone)
        start[i] = 0;
    }
  }
  for (auto &[whole, values] : parts) {
    Value joined = join(whole, values);
    if (Operation *made = joined.getDefiningOp())
      nn::inheritStage(made, whole.getDefiningOp());
    whole.replaceUsesWithIf(
        joined, [&](OpOperand &use) { return !head.contains(use.getOwner()); });
  }
  for (Operation *op : llvm::reverse(head.getOps()))
    op->erase();
}

void PipeExpandChunksPass::runOnOperation() {
  for (auto body : getOperation().getOps<pipe::BodyOp>())
    // A head may have several losses; all are expanded at once.
    for (;;) {
      SmallVector<Value> all = Head::findLogits(*body.getBlock());
      auto *logits = llvm::find_if(all, Head::getChunk);
      if (logits == all.end())
        break;
      DenseI64ArrayAttr chunk = Head::getChunk(*logits);
      std::string why;
      std::optional<Head> head = Head::find(*logits, why);
      if (!head) {
        logits->getDefiningOp()->emitOpError()
            << "has the attribute '" << nn::kChunkAttr << "', but " << why;
        return signalPassFailure();
      }
      Expander(*head, chunk).run();
    }
  // Ops that a head needs, but that are computed once.
  for (auto body : getOperation().getOps<pipe::BodyOp>())
    for (Operation &op : *body.getBlock())
      if (auto chunk = op.getAttrOfType<DenseI64ArrayAttr>(nn::kChunkAttr);
          chunk && chunk.empty())
        op.removeAttr(nn::kChunkAttr);
}
