//===- Heads.cpp - The ops of a head and its loss -------------------------===//

#include "passes/Pipeline/Heads/Heads.h"
#include "analysis/Activations.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/Location.h"

using namespace mlir;
using namespace pcc;

SmallVector<Value> Head::findLogits(Block &block) {
  llvm::SetVector<Value> found;
  for (Operation &op : block) {
    if (auto whole = dyn_cast<nn::CrossEntropyOp>(op))
      found.insert(whole.getLogits());
    else if (auto stats = dyn_cast<nn::CrossEntropyStatsOp>(op))
      found.insert(stats.getLogits());
  }
  return found.takeVector();
}

Head::Head(Value logits) : logits(logits) {
  ArrayRef<int64_t> shape = nn::tensorType(logits).getShape();
  llvm::append_range(tokens, shape.drop_back());
  HeadDims own;
  for (unsigned i = 0; i < tokens.size(); ++i)
    own.push_back(i);
  own.push_back(kClassDim);
  dims[logits] = own;
}

bool Head::refuse(Operation *op, StringRef text) {
  why = ("'" + op->getName().getStringRef() + "'").str();
  if (StringRef node = nn::sourceNode(op->getLoc()); !node.empty())
    why += (" of '" + node + "'").str();
  why += (" " + text).str();
  return false;
}

HeadDims Head::dimsOf(Value value) const {
  auto known = dims.find(value);
  if (known != dims.end())
    return known->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return HeadDims(type ? type.getRank() : 0, kOtherDim);
}

bool Head::hasTokens(Value value) const {
  HeadDims of = dimsOf(value);
  return llvm::all_of(llvm::seq<int>(0, tokens.size()),
                      [&](int dim) { return llvm::is_contained(of, dim); });
}

bool Head::isLarge(Value value) const {
  return hasTokens(value) && llvm::is_contained(dimsOf(value), kClassDim);
}

bool Head::isRepetition(Operation *op) {
  if (auto constant = dyn_cast_or_null<nn::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa_and_nonnull<nn::BroadcastOp>(op);
}

DenseI64ArrayAttr Head::getChunk(Value logits) {
  Operation *maker = logits.getDefiningOp();
  return maker ? maker->getAttrOfType<DenseI64ArrayAttr>(nn::kChunkAttr)
               : DenseI64ArrayAttr();
}

int64_t Head::getBytes(Value logits) { return bytesOf(logits); }

/// Whether an op treats equal tokens alike, wherever they are: it numbers no
/// tokens.
static bool isAlikeForTokens(Operation *op) {
  if (isa<dist::AllReduceOp>(op))
    return true;
  if (!isMemoryEffectFree(op) || !isa<nn::ShardingRuleInterface>(op))
    return false;
  return nn::elementMapOf(op) != nn::ElementMap::General ||
         isa<nn::ContractOp, nn::ReduceOp, nn::ReduceMaxOp, nn::CrossEntropyOp,
             nn::CrossEntropyGradOp, nn::CrossEntropyLossOp,
             nn::CrossEntropyStatsOp, nn::RowMaxOp, nn::SoftmaxOp,
             nn::SoftmaxGradOp, nn::ValidOp, nn::LayerNormOp,
             nn::LayerNormGradOp, nn::LayerNormGradScaleOp, nn::RmsNormOp,
             nn::RmsNormGradOp, nn::RmsNormGradScaleOp, nn::TopKOp>(op);
}

bool Head::note(Operation *op, Value value, HeadDims derived) {
  if (llvm::all_of(derived, [](int dim) { return dim == kOtherDim; }))
    return true;
  auto [it, isNew] = dims.try_emplace(value, derived);
  return it->second == derived ||
         refuse(op, "orders the dims of tokens and classes in another way");
}

bool Head::deduce(Operation *op) {
  if (isa<dist::AllReduceOp>(op)) {
    for (auto [input, result] : llvm::zip(op->getOperands(), op->getResults()))
      if (!note(op, result, dimsOf(input)) || !note(op, input, dimsOf(result)))
        return false;
    return true;
  }
  nn::ShardingRule rule = cast<nn::ShardingRuleInterface>(op).getShardingRule();
  SmallVector<int> ofFactor(rule.factors.size(), kOtherDim);
  auto take = [&](Value value, const nn::ValueFactors &factors) {
    HeadDims known = dimsOf(value);
    for (auto [dim, loops] : llvm::zip(known, factors)) {
      if (dim == kOtherDim)
        continue;
      if (loops.size() != 1)
        return refuse(op, "splits or joins dims of tokens or classes");
      int &of = ofFactor[loops.front()];
      if (of != kOtherDim && of != dim)
        return refuse(op, "relates tokens to others or to classes");
      of = dim;
      if (dim >= 0 && rule.factors[loops.front()].unshardable)
        return refuse(op, "needs all tokens");
    }
    return true;
  };
  auto give = [&](Value value, const nn::ValueFactors &factors) {
    HeadDims derived;
    for (const nn::DimFactors &loops : factors)
      derived.push_back(loops.size() == 1 ? ofFactor[loops.front()]
                                          : kOtherDim);
    return note(op, value, derived);
  };
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (!take(value, rule.operands[i]))
      return false;
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    if (!take(value, rule.results[i]))
      return false;
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    if (!give(value, rule.operands[i]))
      return false;
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    if (!give(value, rule.results[i]))
      return false;
  return true;
}

bool Head::add(Operation *op) {
  if (!found.insert(op).second)
    return true;
  if (!isAlikeForTokens(op))
    return refuse(op, "is not computed token by token");
  if (!deduce(op))
    return false;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (Value value : values) {
    if (!isLarge(value))
      continue;
    Operation *maker = value.getDefiningOp();
    if (!maker)
      return refuse(op, "reads logits that no op of the step computes");
    // Others may repeat the same value.
    if (isRepetition(maker))
      continue;
    if (!add(maker))
      return false;
    for (Operation *user : value.getUsers())
      if (!add(user))
        return false;
  }
  return true;
}

bool Head::addBetween() {
  Block *block = logits.getParentBlock();
  for (size_t size = 0; size != found.size();) {
    size = found.size();
    llvm::SmallPtrSet<Operation *, 32> after, before;
    for (Operation &op : *block)
      for (Value operand : op.getOperands())
        if (Operation *maker = operand.getDefiningOp();
            maker && (found.contains(maker) || after.contains(maker)))
          after.insert(&op);
    for (Operation &op : llvm::reverse(*block))
      for (Operation *user : op.getUsers())
        if (found.contains(user) || before.contains(user))
          before.insert(&op);
    for (Operation &op : *block)
      if (after.contains(&op) && before.contains(&op) && !add(&op))
        return false;
  }
  for (Operation &op : *block)
    if (found.contains(&op))
      ops.push_back(&op);
  return true;
}

void Head::findNeeded() {
  Block *block = logits.getParentBlock();
  auto activations = findActivations(*block);
  llvm::SmallPtrSet<Operation *, 16> before;
  for (Operation &op : llvm::reverse(*block)) {
    if (found.contains(&op) || !op.hasAttr(nn::kBackwardAttr) ||
        !activations.contains(&op))
      continue;
    for (Operation *user : op.getUsers())
      if (found.contains(user) || before.contains(user))
        before.insert(&op);
  }
  for (Operation &op : *block)
    if (before.contains(&op))
      needed.push_back(&op);
}

bool Head::deduceRepeated(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!isRepetition(maker) || found.contains(maker) ||
      maker->getNumOperands() == 0)
    return true;
  return deduce(maker) && deduceRepeated(maker->getOperand(0));
}

bool Head::check() {
  for (Operation *op : ops) {
    // Values of other ops may have become known since.
    if (!deduce(op))
      return false;
    if (op->getAttr(nn::kSegmentAttr) != ops.front()->getAttr(nn::kSegmentAttr))
      return refuse(op, "belongs to another layer than the logits");
    for (Value operand : op->getOperands())
      if (!deduceRepeated(operand))
        return false;
    for (Value result : op->getResults()) {
      if (hasTokens(result))
        continue;
      HeadDims of = dimsOf(result);
      if (llvm::any_of(of, [](int dim) { return dim >= 0; }) ||
          isa<nn::ReduceMaxOp, nn::RowMaxOp>(op))
        return refuse(op, "is no sum over all tokens");
      for (Operation *user : result.getUsers())
        if (found.contains(user))
          return refuse(user, "needs a sum over all tokens");
    }
  }
  return true;
}

std::optional<Head> Head::find(Value logits, std::string &why) {
  Head head(logits);
  bool fits = true;
  if (!logits.getDefiningOp()) {
    head.why = "the logits are an input";
    fits = false;
  }
  if (!fits || !head.add(logits.getDefiningOp()) || !head.addBetween() ||
      !head.check()) {
    why = head.why;
    return std::nullopt;
  }
  head.findNeeded();
  return head;
}
