//===- DependenceTracker.cpp - Dependence bounds of a program -------------===//

#include "passes/Training/DependenceTracker.h"
#include "analysis/Lines.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::nn;

using Index = DependenceBound::Shape;

SmallVector<int> pcc::loopsOf(const ShardingRule &rule,
                              const ValueFactors &dims) {
  SmallVector<int> loops;
  for (const DimFactors &own : dims)
    loops.push_back(own.size() == 1 ? own[0] : -1);
  return loops;
}

/// The dependence bound of each element along the `kept` loops, when an op
/// reduces its operands along loop `along` over the elements that are visible.
DependenceBound DependenceTracker::reduce(ArrayRef<Operand> operands,
                                          ArrayRef<int> kept, int64_t along,
                                          int64_t extent,
                                          Visibility &visibility) const {
  SmallVector<DependenceBound> bounds;
  SmallVector<bool> rises;
  SmallVector<int64_t> shape(kept.size(), 1);
  int64_t loops = along + 1;
  for (const Operand &operand : operands) {
    auto isReduced = [&](size_t d) {
      int loop = operand.loops[d];
      return loop < 0 || (loop != along && !llvm::is_contained(kept, loop));
    };
    bounds.push_back(of(operand.value).reduce(isReduced));
    rises.push_back(bounds.back().rises());
    for (auto [d, loop] : llvm::enumerate(operand.loops)) {
      loops = std::max<int64_t>(loops, loop + 1);
      auto to = llvm::find(kept, loop);
      bool varies = bounds.back().varies(d) || visibility.varies(loop);
      if (loop >= 0 && to != kept.end() && varies)
        shape[to - kept.begin()] = tensorType(operand.value).getShape()[d];
    }
  }
  auto highest = [&] {
    int32_t most = -1;
    for (const DependenceBound &bound : bounds)
      most = std::max(most, bound.highest());
    return most;
  };
  Index at(loops, 0);
  auto seenAt = [&](DependenceBound::Index index) {
    for (auto [loop, i] : llvm::zip(kept, index))
      if (loop >= 0)
        at[loop] = i;
    int32_t most = -1;
    Visibility::Ranges ranges = visibility.at(at);
    for (auto [bound, operand, isRising] : llvm::zip(bounds, operands, rises)) {
      auto dim = llvm::find(operand.loops, along) - operand.loops.begin();
      Index own;
      for (int loop : operand.loops)
        own.push_back(loop < 0 ? 0 : at[loop]);
      bool isAlong = dim < static_cast<int64_t>(own.size());
      if (!isAlong || !bound.varies(dim)) {
        if (!isAlong || !ranges.empty())
          most = std::max(most, bound.at(own));
        continue;
      }
      for (auto [begin, end] : ranges)
        for (own[dim] = isRising ? end - 1 : begin; own[dim] < end; ++own[dim])
          most = std::max(most, bound.at(own));
    }
    return most;
  };
  return DependenceBound::build(shape, seenAt, highest);
}

/// Adds the op's operands that mask elements along a loop to `visibility`.
void DependenceTracker::hide(Operation *op, ArrayRef<Operand> operands,
                             int along, Visibility &visibility) {
  auto add = [&](const Operand &operand, Visibility::Hides hides) {
    auto dim = llvm::find(operand.loops, along) - operand.loops.begin();
    if (dim < static_cast<int64_t>(operand.loops.size()))
      visibility.add(operand.value, dim, operand.loops, hides);
  };
  if (isa<ContractOp, ReduceOp>(op))
    for (const Operand &operand : operands)
      add(operand, Visibility::Zeros);
  if (isa<SoftmaxOp>(op))
    add(operands[0], Visibility::Removed);
  if (isa<ReduceMaxOp>(op))
    add(operands[0], Visibility::Least);
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention)
    return;
  if (attention.getBias())
    add(operands[5], Visibility::Removed);
  if (attention.getCausal())
    visibility.addCausal(attention.getQPos(), attention.getKPos(),
                         operands[0].loops[1]);
}

/// A key; attentions with equal keys have equal bounds.
std::vector<const void *> DependenceTracker::keyOf(AttentionOp op) const {
  std::vector<const void *> key = {op.getCausal() ? this : nullptr};
  for (Value value : {op.getBias(), op.getQPos(), op.getKPos()})
    key.push_back(value ? value.getAsOpaquePointer() : nullptr);
  for (Value value : op->getOperands()) {
    auto it = known.find(value);
    key.push_back(it == known.end() ? nullptr : it->second.identity());
    // One shared table may belong to different dims.
    for (size_t d = 0, rank = tensorType(value).getRank(); d < rank; ++d)
      key.push_back(it != known.end() && it->second.varies(d) ? this : nullptr);
  }
  return key;
}

/// Whether each result element of an op depends on all elements along `loop`.
static bool isSeenWhole(const ShardingRule &rule, int loop) {
  if (loop < 0 || rule.factors[loop].unshardable)
    return true;
  return llvm::none_of(rule.results, [&](const ValueFactors &dims) {
    return llvm::any_of(dims, [&](const DimFactors &own) {
      return own.size() == 1 && own[0] == loop;
    });
  });
}

void DependenceTracker::visitByRule(Operation *op, const ShardingRule &rule) {
  SmallVector<Operand> operands;
  std::optional<int> along;
  int64_t extent = 0;
  for (auto [value, dims] : llvm::zip_equal(op->getOperands(), rule.operands)) {
    operands.push_back({value, loopsOf(rule, dims)});
    DependenceBound bound = of(value);
    for (auto [d, loop] : llvm::enumerate(operands.back().loops))
      if (loop >= 0 && bound.varies(d) && isSeenWhole(rule, loop)) {
        along = loop;
        extent = tensorType(value).getShape()[d];
      }
  }
  Visibility visibility(extent);
  if (along)
    hide(op, operands, *along, visibility);
  std::vector<const void *> key;
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    key = keyOf(attention);
    if (auto it = attentions.find(key); it != attentions.end()) {
      set(attention.getResult(), it->second);
      for (Value row : {attention.getLse(), attention.getMax()})
        if (row)
          set(row, DependenceBound(3, it->second.highest()));
      return;
    }
  }
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), rule.results)) {
    SmallVector<int> kept = loopsOf(rule, dims);
    for (int &loop : kept)
      if (loop >= 0 && rule.factors[loop].unshardable)
        loop = -1;
    DependenceBound joint(kept.size());
    // Masks apply only if they do not vary along reduced loops: an element
    // hidden at one index of such a loop may be visible at another.
    if (along && !visibility.isEmpty() && !visibility.variesBeyond(kept)) {
      joint = reduce(operands, kept, *along, extent, visibility);
    } else {
      for (const Operand &operand : operands) {
        DependenceBound bound = of(operand.value).reduce([&](size_t d) {
          return operand.loops[d] < 0 ||
                 !llvm::is_contained(kept, operand.loops[d]);
        });
        SmallVector<int64_t> places;
        for (int loop : kept) {
          auto from = llvm::find(operand.loops, loop);
          bool isNew = loop < 0 || from == operand.loops.end();
          places.push_back(isNew ? -1 : from - operand.loops.begin());
        }
        joint = joint.join(bound.mapDims(places));
      }
    }
    // Share the table of an operand that is equal.
    for (Value operand : op->getOperands())
      if (DependenceBound own = of(operand); own == joint)
        joint = own;
    set(result, joint);
  }
  if (!key.empty())
    attentions.insert_or_assign(key, of(op->getResult(0)));
}

/// The ids in row-major order; empty if they are not known.
static std::optional<std::vector<int64_t>> idsOf(Value ids) {
  // A reshape keeps the row-major order.
  while (auto reshape = ids.getDefiningOp<ReshapeOp>())
    ids = reshape.getInput();
  RankedTensorType type = tensorType(ids);
  int64_t count = type.getNumElements();
  if (type.getRank() == 0 || count == 0 || count > 1 << 24)
    return std::nullopt;
  std::vector<int64_t> numbers;
  Lines lines(ids, type.getRank() - 1, Lines::Finite);
  Index index(type.getRank(), 0);
  do {
    int64_t i = 0;
    for (const Run &run : lines.line(index)) {
      if (!run.isKnown)
        return std::nullopt;
      for (int64_t begin = i; i < run.end; ++i)
        numbers.push_back(run.first.i + run.slope * (i - begin));
    }
    index.back() = type.getShape().back() - 1;
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == type.getShape()[d - 1])
      index[--d] = 0;
    if (d == 0)
      break;
  } while (true);
  return numbers;
}

/// A lookup in a table that varies along rows: if the ids are known, each
/// result row has the bound of its table row.
void DependenceTracker::visitLookup(EmbeddingOp op) {
  DependenceBound table = of(op.getTable());
  std::optional<std::vector<int64_t>> ids;
  if (table.varies(0) && !op.getOffset())
    ids = idsOf(op.getIds());
  if (!ids)
    return visitByRule(op, op.getShardingRule());
  ArrayRef<int64_t> of = tensorType(op.getIds()).getShape();
  Index shape(of);
  llvm::append_range(shape, table.shape().drop_front());
  int64_t rows = tensorType(op.getTable()).getShape()[0];
  Index row(table.shape().size());
  set(op.getResult(),
      DependenceBound::build(
          shape,
          [&](DependenceBound::Index index) {
            int64_t number = 0;
            for (auto [i, extent] : llvm::zip(index, of))
              number = number * extent + i;
            row[0] = (*ids)[number];
            llvm::copy(index.drop_front(of.size()), row.begin() + 1);
            return row[0] < 0 || row[0] >= rows ? -1 : table.at(row);
          },
          [&] { return table.highest(); }));
}

/// Rows summed into a table: if the ids are known, each table row has the
/// maximum of the bounds of its summands.
void DependenceTracker::visitScatter(EmbeddingGradOp op) {
  DependenceBound rows = of(op.getDy());
  std::optional<std::vector<int64_t>> ids;
  if (!op.getOffset() && of(op.getIds()).highest() < 0)
    ids = idsOf(op.getIds());
  RankedTensorType type = tensorType(op.getDtable());
  if (!ids)
    return set(
        op.getDtable(),
        DependenceBound(type.getRank(),
                        std::max(rows.highest(), of(op.getIds()).highest())));
  // Collect for each table row the indices of its summands.
  int64_t rank = tensorType(op.getIds()).getRank();
  Index shape(rows.shape().drop_front(rank)), index(rows.shape().size(), 0);
  shape.insert(shape.begin(), type.getShape()[0]);
  std::vector<Index> named(shape[0]);
  for (int64_t id : *ids) {
    if (id >= 0 && id < shape[0])
      named[id].append(index.begin(), index.begin() + rank);
    for (int64_t d = rank; d-- > 0; index[d] = 0)
      if (++index[d] < tensorType(op.getIds()).getShape()[d])
        break;
  }
  set(op.getDtable(), DependenceBound::build(
                          shape,
                          [&](DependenceBound::Index at) {
                            int32_t most = -1;
                            llvm::copy(at.drop_front(), index.begin() + rank);
                            ArrayRef<int64_t> places = named[at[0]];
                            for (size_t i = 0; i < places.size(); i += rank) {
                              llvm::copy(places.slice(i, rank), index.begin());
                              most = std::max(most, rows.at(index));
                            }
                            return most;
                          },
                          [&] { return rows.highest(); }));
}

DependenceBound DependenceTracker::concat(ConcatOp op) const {
  int64_t dim = op.getDim();
  SmallVector<DependenceBound> parts;
  Index shape(op.getType().getRank(), 1), ends;
  bool isSame = true;
  for (Value input : op.getInputs()) {
    parts.push_back(of(input));
    isSame &= !parts.back().varies(dim) && parts.back() == parts.front();
    for (auto [extent, own] : llvm::zip(shape, parts.back().shape()))
      extent = std::max(extent, own);
    ends.push_back((ends.empty() ? 0 : ends.back()) +
                   tensorType(input).getShape()[dim]);
  }
  if (isSame)
    return parts.front();
  shape[dim] = op.getType().getShape()[dim];
  Index own;
  return DependenceBound::build(
      shape,
      [&](DependenceBound::Index index) {
        size_t part = llvm::upper_bound(ends, index[dim]) - ends.begin();
        own.assign(index.begin(), index.end());
        own[dim] -= part ? ends[part - 1] : 0;
        return parts[part].at(own);
      },
      [&] {
        int32_t most = -1;
        for (const DependenceBound &bound : parts)
          most = std::max(most, bound.highest());
        return most;
      });
}

std::optional<Index> pcc::movedFrom(Operation *op, ArrayRef<int64_t> index) {
  Index from(index);
  if (auto slice = dyn_cast<SliceOp>(op)) {
    for (auto [i, start, step] :
         llvm::zip(from, slice.getStarts(), slice.getSteps()))
      i = start + i * step;
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    ArrayRef<int64_t> shape = tensorType(pad.getInput()).getShape();
    for (auto [i, start, step, extent] :
         llvm::zip(from, pad.getStarts(), pad.getSteps(), shape)) {
      if (i < start || (i - start) % step || (i - start) / step >= extent)
        return std::nullopt;
      i = (i - start) / step;
    }
  } else if (auto select = dyn_cast<SelectOp>(op)) {
    from.insert(from.begin() + select.getDim(), select.getIndex());
  } else if (auto insert = dyn_cast<InsertOp>(op)) {
    if (from[insert.getDim()] != static_cast<int64_t>(insert.getIndex()))
      return std::nullopt;
    from.erase(from.begin() + insert.getDim());
  }
  return from;
}

/// The table shape of a moved value: dims along which its bound may vary.
static Index movedShape(Operation *op, const DependenceBound &input) {
  RankedTensorType to = tensorType(op->getResult(0));
  Index shape(input.shape());
  if (auto select = dyn_cast<SelectOp>(op)) {
    shape.erase(shape.begin() + select.getDim());
  } else if (auto insert = dyn_cast<InsertOp>(op)) {
    shape.insert(shape.begin() + insert.getDim(),
                 to.getShape()[insert.getDim()]);
  } else {
    ArrayRef<int64_t> from = tensorType(op->getOperand(0)).getShape();
    for (auto [extent, old, now] : llvm::zip(shape, from, to.getShape()))
      if (extent > 1 || (isa<PadOp>(op) && old != now))
        extent = now;
  }
  return shape;
}

void DependenceTracker::visit(Operation *op) {
  bool depends = llvm::any_of(op->getOperands(),
                              [&](Value value) { return known.count(value); });
  if (!depends)
    return;
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    set(reshape, of(reshape.getInput())
                     .reshape(tensorType(reshape.getInput()).getShape(),
                              reshape.getType().getShape()));
  } else if (isa<SliceOp, PadOp, SelectOp, InsertOp>(op)) {
    // The ops of movedFrom(); a sharding rule is less precise.
    DependenceBound input = of(op->getOperand(0));
    set(op->getResult(0), DependenceBound::build(
                              movedShape(op, input),
                              [&](DependenceBound::Index index) {
                                std::optional<Index> from =
                                    movedFrom(op, index);
                                return from ? input.at(*from) : -1;
                              },
                              [&] { return input.highest(); }));
  } else if (auto joined = dyn_cast<ConcatOp>(op)) {
    set(joined.getResult(), concat(joined));
  } else if (auto lookup = dyn_cast<EmbeddingOp>(op)) {
    visitLookup(lookup);
  } else if (auto scatter = dyn_cast<EmbeddingGradOp>(op)) {
    visitScatter(scatter);
  } else if (auto ruled = dyn_cast<ShardingRuleInterface>(op)) {
    visitByRule(op, ruled.getShardingRule());
  } else {
    int32_t most = -1;
    for (Value operand : op->getOperands())
      most = std::max(most, of(operand).highest());
    for (Value result : op->getResults())
      set(result, DependenceBound(tensorType(result).getRank(), most));
  }
}
