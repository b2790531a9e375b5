//===- Causality.cpp - Whether a model predicts what it has not seen ------===//
//
// A language model may be trained to predict the next token only if no position
// sees it. Positions are followed through the program; an op that joins several
// may show one a later one, unless it is an attention whose flag, or a mask
// among what is added to its scores (a sliding window, say), removes every key
// after the query. What cannot be shown is taken to look ahead.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/Causality.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LoopTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// A number at or below this removes a key: exporters write -inf, the least
/// float, -1e4 or -1e9.
constexpr double kRemoves = -9999;

/// An element of `value`, if constants and positions alone say it.
std::optional<double> elementAt(Value value, ArrayRef<int64_t> index) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto role = function ? function.getArgAttrOfType<StringAttr>(
                               argument.getArgNumber(), kRoleAttr)
                         : StringAttr();
    if (role && role.getValue() == "positions" && index.size() == 1)
      return index[0];
    return std::nullopt;
  }
  auto of = [&](unsigned i) { return elementAt(op->getOperand(i), index); };
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements)
      return std::nullopt;
    int64_t at = 0;
    for (auto [i, extent] : llvm::zip(index, tensorType(value).getShape()))
      at = at * extent + i;
    if (isa<FloatType>(elements.getElementType()))
      return elements.isSplat()
                 ? elements.getSplatValue<APFloat>().convertToDouble()
                 : (*(elements.value_begin<APFloat>() + at)).convertToDouble();
    APInt number = elements.isSplat() ? elements.getSplatValue<APInt>()
                                      : *(elements.value_begin<APInt>() + at);
    return number.getBitWidth() == 1 ? double(number.getZExtValue())
                                     : double(number.getSExtValue());
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallVector<int64_t> inner;
    for (int64_t dim : broadcast.getDims())
      inner.push_back(index[dim]);
    return elementAt(broadcast.getInput(), inner);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> inner(index.size());
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      inner[dim] = index[i];
    return elementAt(transpose.getInput(), inner);
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    int64_t at = 0;
    for (auto [i, extent] : llvm::zip(index, tensorType(value).getShape()))
      at = at * extent + i;
    ArrayRef<int64_t> shape = tensorType(reshape.getInput()).getShape();
    SmallVector<int64_t> inner(shape.size());
    for (int64_t d = shape.size() - 1; d >= 0; at /= shape[d--])
      inner[d] = at % shape[d];
    return elementAt(reshape.getInput(), inner);
  }
  if (auto choice = dyn_cast<WhereOp>(op)) {
    std::optional<double> condition = of(0);
    return condition ? of(*condition != 0 ? 1 : 2) : std::nullopt;
  }
  if (isa<CastOp>(op))
    return of(0);
  if (auto scale = dyn_cast<ScaleOp>(op)) {
    std::optional<double> x = of(0);
    return x ? std::optional(*x * scale.getFactor().convertToDouble())
             : std::nullopt;
  }
  if (!isa<CompareOp, SubOp, MulOp, MinOp, MaxOp>(op))
    return std::nullopt;
  std::optional<double> x = of(0), y = of(1);
  if (!x || !y)
    return std::nullopt;
  if (auto compare = dyn_cast<CompareOp>(op)) {
    switch (compare.getRelation()) {
    case Relation::Equal:
      return *x == *y;
    case Relation::Less:
      return *x < *y;
    case Relation::LessOrEqual:
      return *x <= *y;
    }
  }
  return isa<SubOp>(op)   ? *x - *y
         : isa<MulOp>(op) ? *x * *y
         : isa<MinOp>(op) ? std::min(*x, *y)
                          : std::max(*x, *y);
}

/// Whether the element of a bias removes its key, whatever else is added to it.
bool removesAt(Value bias, ArrayRef<int64_t> index) {
  if (std::optional<double> known = elementAt(bias, index))
    return *known <= kRemoves;
  if (auto sum = bias.getDefiningOp<SumOp>())
    return llvm::any_of(sum.getInputs(),
                        [&](Value input) { return removesAt(input, index); });
  if (auto broadcast = bias.getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> inner;
    for (int64_t dim : broadcast.getDims())
      inner.push_back(index[dim]);
    return removesAt(broadcast.getInput(), inner);
  }
  if (auto transpose = bias.getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> inner(index.size());
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      inner[dim] = index[i];
    return removesAt(transpose.getInput(), inner);
  }
  if (auto choice = bias.getDefiningOp<WhereOp>())
    if (std::optional<double> holds = elementAt(choice.getCondition(), index))
      return removesAt(*holds != 0 ? choice.getLhs() : choice.getRhs(), index);
  return false;
}

/// Whether a bias [b, h, s, t], any dim of which may be 1, removes every key
/// after the query.
bool removesWhatFollows(Value bias) {
  ArrayRef<int64_t> shape = tensorType(bias).getShape();
  if (shape[2] != shape[3])
    return false;
  SmallVector<int64_t> index(4);
  for (index[0] = 0; index[0] < shape[0]; ++index[0])
    for (index[1] = 0; index[1] < shape[1]; ++index[1])
      for (index[2] = 0; index[2] < shape[2]; ++index[2])
        for (index[3] = index[2] + 1; index[3] < shape[3]; ++index[3])
          if (!removesAt(bias, index))
            return false;
  return true;
}

/// Where the positions of the tokens lie. Attention is the op that may take
/// from several positions: from those up to its own.
class PositionTracker : public LoopTracker {
public:
  using LoopTracker::LoopTracker;

private:
  bool visitSpecial(Operation *op, std::string &problem) override;

  /// Biases that were looked at: layers share them.
  DenseMap<Value, bool> isMask;
};

} // namespace

bool PositionTracker::visitSpecial(Operation *op, std::string &problem) {
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention)
    return false;
  bool isCausal =
      attention.getCausal() && attention.getQPos() == attention.getKPos();
  if (!isCausal && attention.getBias()) {
    auto [it, isNew] = isMask.try_emplace(attention.getBias(), false);
    if (isNew)
      it->second = removesWhatFollows(attention.getBias());
    isCausal = it->second;
  }
  if (!isCausal) {
    problem = "is an attention in which a position sees those after it";
    return true;
  }
  for (Value value : {attention.getQ(), attention.getK(), attention.getV()}) {
    const Place *from = find(value);
    if (from && !from->isApart(1))
      problem = "is an attention between other things than positions";
    if (from)
      for (Value result : op->getResults())
        place(result, {Place::Apart, 1, 1});
  }
  return true;
}

LookAhead pcc::findLookAhead(func::FuncOp function, Value tokens,
                             Value output) {
  // What the output does not need may do as it likes.
  DenseSet<Value> needed = {output};
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return needed.contains(result); }))
      needed.insert(op.operand_begin(), op.operand_end());
  PositionTracker tracker(tensorType(tokens).getDimSize(1), /*mayCount=*/true);
  tracker.start(tokens, 1);
  for (Operation &op : function.getBody().front()) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    std::string problem = tracker.visit(&op);
    if (llvm::any_of(op.getResults(), [&](Value result) {
          const LoopTracker::Place *place = tracker.find(result);
          return place && place->kind == LoopTracker::Place::Added;
        }))
      problem = "adds over them";
    if (problem.empty())
      continue;
    if (!isa<AttentionOp>(op))
      problem = "may take from later positions: it " + problem;
    return {&op, problem};
  }
  const LoopTracker::Place *place = tracker.find(output);
  if (place && !place->isApart(1))
    return {output.getDefiningOp(), "moves positions"};
  return {};
}
