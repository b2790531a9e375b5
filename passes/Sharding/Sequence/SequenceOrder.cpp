//===- SequenceOrder.cpp - Dims in another order than the data ------------===//

#include "passes/Sharding/Sequence/SequenceOrder.h"
#include "dialects/NN/AttrNames.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

/// The orders that are known; others are numbered from 2 on.
static constexpr int kUniform = -1, kData = 0, kReordered = 1;

int SequenceOrder::find(int order) const {
  while (parents[order] != order)
    order = parents[order];
  return order;
}

bool SequenceOrder::unify(int a, int b) {
  a = find(a), b = find(b);
  if (a == b)
    return true;
  if (std::max(a, b) <= kReordered)
    return false;
  parents[std::max(a, b)] = std::min(a, b);
  return true;
}

bool SequenceOrder::needDataOrder(const Pieces &pieces) {
  return llvm::all_of(pieces, [&](Piece piece) {
    return piece.isUniform() || unify(piece.order, kData);
  });
}

/// Joins the pieces of two operands that are one loop of an op.
bool SequenceOrder::join(Pieces &to, const Pieces &from) {
  auto isUniform = [](const Pieces &pieces) {
    return llvm::all_of(pieces, std::mem_fn(&Piece::isUniform));
  };
  if (!to.empty() && isUniform(from))
    return true;
  if (isUniform(to)) {
    to = from;
    return true;
  }
  bool isAlike = to.size() == from.size() &&
                 llvm::all_of(llvm::zip_equal(to, from), [](auto pair) {
                   return std::get<0>(pair).size == std::get<1>(pair).size;
                 });
  if (!isAlike)
    return needDataOrder(to) && needDataOrder(from);
  for (auto [own, other] : llvm::zip_equal(to, from)) {
    if (own.isUniform())
      own = other;
    else if (!other.isUniform() && !unify(own.order, other.order))
      return false;
  }
  return true;
}

/// Assigns the pieces of a dim to its factors.
bool SequenceOrder::takeDim(const Pieces &dim, const DimFactors &factors,
                            const ShardingRule &rule,
                            MutableArrayRef<Pieces> found) {
  ArrayRef<Piece> rest = dim;
  SmallVector<Pieces> parts;
  bool isSplit = false;
  for (int factor : factors) {
    int64_t size = rule.factors[factor].size, covered = 1;
    Pieces part;
    while (covered < size && !rest.empty()) {
      covered *= rest.front().size;
      part.push_back(rest.front());
      rest = rest.drop_front();
    }
    isSplit |= covered != size;
    parts.push_back(part);
  }
  // A factor is only a part of a piece.
  if (isSplit) {
    if (!needDataOrder(dim))
      return false;
    bool isUniform = llvm::all_of(dim, std::mem_fn(&Piece::isUniform));
    for (auto [factor, part] : llvm::zip_equal(factors, parts))
      part = {{rule.factors[factor].size, isUniform ? kUniform : kData}};
  }
  for (auto [factor, part] : llvm::zip_equal(factors, parts))
    if (!join(found[factor], part))
      return false;
  return true;
}

/// Whether an op computes the same for any order of a loop that a rank needs
/// whole: a reduction, or the keys of attention, which have positions.
static bool isAnyOrder(const ShardedOp &op, int factor) {
  return llvm::TypeSwitch<Operation *, bool>(op.op)
      .Case<SoftmaxOp, SoftmaxGradOp, ReduceProdOp>([](auto) { return true; })
      // The first of equal elements may be another one.
      .Case<ReduceMaxOp, ReduceMinOp>(
          [](auto reduce) { return !reduce->hasAttr(kFirstBestAttr); })
      .Case([&](AttentionOp) { return op.rule.operands[1][1][0] == factor; })
      .Case(
          [&](AttentionGradOp) { return op.rule.operands[2][1][0] == factor; })
      .Default([](Operation *) { return false; });
}

/// The factors along which an op numbers elements: ids of the elements, or
/// random numbers by their index.
static DimFactors numberedFactors(const ShardedOp &op) {
  const ShardingRule &rule = op.rule;
  return llvm::TypeSwitch<Operation *, DimFactors>(op.op)
      .Case<DropoutOp>([&](DropoutOp dropout) {
        DimFactors dims;
        for (auto [dim, factors] : llvm::enumerate(rule.operands[0]))
          if (dim != dropout.getBatchDim() && dim != dropout.getSeqDim())
            llvm::append_range(dims, factors);
        return dims;
      })
      .Case<AttentionOp>([&](AttentionOp attention) {
        return attention.getP().isZero() ? DimFactors() : rule.operands[0][2];
      })
      .Case<AttentionGradOp>([&](AttentionGradOp grad) {
        return grad.getP().isZero() ? DimFactors() : rule.operands[1][2];
      })
      .Case<CrossEntropyOp, PickOp>(
          [&](auto) { return rule.operands[0].back(); })
      .Case<CrossEntropyGradOp>([&](auto) { return rule.operands[1].back(); })
      .Case<EmbeddingOp>([&](auto) { return rule.operands[1].front(); })
      .Case<SpreadOp>([&](auto) { return rule.results[0].back(); })
      .Case<EmbeddingGradOp>([&](auto) { return rule.results[0].front(); })
      .Default([](Operation *) { return DimFactors(); });
}

/// Whether a constant's elements are known to be equal along a dim.
static bool isUniformAlong(DenseElementsAttr elements, int64_t dim) {
  if (elements.isSplat())
    return true;
  ArrayRef<int64_t> shape = cast<ShapedType>(elements.getType()).getShape();
  ArrayRef<char> bytes = elements.getRawData();
  size_t count = elements.getNumElements();
  // Bits may be packed.
  if (count == 0 || bytes.size() % count)
    return false;
  size_t slab = bytes.size() / count;
  for (int64_t extent : shape.drop_front(dim + 1))
    slab *= extent;
  for (size_t at = 0; at < bytes.size(); at += slab) {
    size_t first = at - at % (slab * shape[dim]);
    if (bytes.slice(at, slab) != bytes.slice(first, slab))
      return false;
  }
  return true;
}

/// Numbers an order: for Open a new one, or that which the key has already.
int SequenceOrder::startOrder(Order order, StringRef key) {
  if (order != Order::Open)
    return order == Order::Reordered ? kReordered : kData;
  int next = static_cast<int>(parents.size());
  if (!key.empty()) {
    auto [it, isNew] = openOrders.try_emplace(key, next);
    if (!isNew)
      return it->second;
  }
  parents.push_back(next);
  return next;
}

SequenceOrder::Dims SequenceOrder::ofConstant(ConstantOp op, unsigned number,
                                              OrderOf orderOf) {
  Dims all;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  // Packed bits cannot be reordered as bytes.
  if (elements && elements.getRawData().size() < size_t(elements.size()) &&
      !elements.isSplat())
    elements = {};
  for (auto [dim, extent] : llvm::enumerate(op.getType().getShape())) {
    Pieces &pieces = all.emplace_back();
    if (extent == 1)
      continue;
    bool isUniform = elements && isUniformAlong(elements, dim);
    pieces.push_back({extent, isUniform  ? kUniform
                              : elements ? startOrder(orderOf(number, dim), "")
                                         : kData});
  }
  return all;
}

bool SequenceOrder::visit(const ShardedOp &op, OrderOf orderOf) {
  if (auto constant = dyn_cast<ConstantOp>(op.op)) {
    dims[op.results[0]] = ofConstant(constant, op.results[0], orderOf);
    return true;
  }
  const ShardingRule &rule = op.rule;
  SmallVector<Pieces> found(rule.factors.size());
  for (auto [number, factors] : llvm::zip_equal(op.operands, rule.operands))
    for (auto [dim, own] : llvm::zip_equal(dimsOf(number), factors))
      if (!takeDim(dim, own, rule, found))
        return false;
  auto number = [&](int factor) {
    int64_t size = rule.factors[factor].size;
    return size == 1 || join(found[factor], {{size, kData}});
  };
  for (auto [factor, loop] : llvm::enumerate(rule.factors))
    if (loop.unshardable && !isAnyOrder(op, factor) && !number(factor))
      return false;
  for (int factor : numberedFactors(op))
    if (!number(factor))
      return false;
  bool isStore = isa<WriteOp, AccumulateOp>(op.op);
  bool isRepetition = isa<BroadcastOp>(op.op);
  for (auto [number, factors] : llvm::zip_equal(op.results, rule.results)) {
    Dims result;
    for (const DimFactors &dim : factors) {
      Pieces &pieces = result.emplace_back();
      for (int factor : dim) {
        int64_t size = rule.factors[factor].size;
        if (size == 1)
          continue;
        bool isKnown = !found[factor].empty();
        if (isKnown)
          llvm::append_range(pieces, found[factor]);
        else
          pieces.push_back({size, isRepetition ? kUniform : kData});
      }
    }
    if (!isStore)
      dims[number] = std::move(result);
    // Symbols have the data's order.
    else if (!llvm::all_of(
                 result, [&](const Pieces &dim) { return needDataOrder(dim); }))
      return false;
  }
  return true;
}

SequenceOrder::Dims SequenceOrder::ofInput(unsigned number, OrderOf orderOf) {
  const ShardedValue &value = program[number];
  auto function = cast<func::FuncOp>(value.owner);
  unsigned index = cast<BlockArgument>(value.value).getArgNumber();
  std::optional<InputRole> role = roleOf(function, index);
  Dims all;
  for (auto [dim, extent] : llvm::enumerate(value.type.getShape())) {
    Pieces &pieces = all.emplace_back();
    if (extent == 1)
      continue;
    std::string key = ((role ? stringifyInputRole(*role) : StringRef()) + " " +
                       inputName(function, index) + " " + Twine(dim))
                          .str();
    pieces.push_back({extent, startOrder(orderOf(number, dim), key)});
  }
  return all;
}

const SequenceOrder::Dims &SequenceOrder::dimsOf(unsigned number) {
  // A reshard has no rule: its result has the dims of its input.
  while (true) {
    Value value = program[number].value;
    auto reshard =
        value ? value.getDefiningOp<dist::ReshardOp>() : dist::ReshardOp();
    if (!reshard)
      return dims[number];
    number = program.numberOf(reshard.getInput());
  }
}

SequenceOrder::SequenceOrder(const Program &program, OrderOf orderOf)
    : program(program), parents({kData, kReordered}) {
  for (auto [number, value] : llvm::enumerate(program.values)) {
    Dims all;
    if (value.kind == ShardedValue::Kind::Input)
      all = ofInput(number, orderOf);
    else if (value.kind != ShardedValue::Kind::Inner)
      for (int64_t extent : value.type.getShape())
        all.push_back(extent == 1 ? Pieces() : Pieces{{extent, kData}});
    dims.push_back(std::move(all));
  }
  for (const ShardedOp &op : program.ops)
    if (!visit(op, orderOf)) {
      counter = op.op;
      return;
    }
  // Results of functions have the data's order.
  ModuleOp module = program.module;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    Operation *end = function.getBody().front().getTerminator();
    for (Value value : end->getOperands())
      for (const Pieces &dim : dimsOf(program.numberOf(value)))
        if (!counter && !needDataOrder(dim))
          counter = value.getDefiningOp() ? value.getDefiningOp() : end;
  }
}

bool SequenceOrder::isReordered(unsigned value, unsigned dim) const {
  const Pieces &pieces = dims[value][dim];
  return pieces.size() == 1 && !pieces[0].isUniform() &&
         find(pieces[0].order) == kReordered;
}
