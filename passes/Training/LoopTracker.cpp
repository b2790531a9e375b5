//===- LoopTracker.cpp - Tracks the batch dim through a program -----------===//

#include "passes/Training/LoopTracker.h"
#include "passes/Training/Regularity.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Dependence = LoopTracker::Dependence;

/// A reshape keeps the row-major order, so the loop keeps its stride.
std::string LoopTracker::visitReshape(Operation *op, const Dependence &from) {
  int64_t stride =
      from.inner * strideOf(tensorType(op->getOperand(0)).getShape(), from.dim);
  ArrayRef<int64_t> shape = tensorType(op->getResult(0)).getShape();
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    int64_t own = strideOf(shape, dim);
    if (stride % own || own * shape[dim] % (stride * extent))
      continue;
    setDependence(op->getResult(0),
                  {Dependence::PerElement, dim, stride / own});
    // With one element the loop may be any dim of extent 1.
    if (extent == 1 && (stride != own || shape[dim] != 1 ||
                        llvm::count(shape.drop_front(dim + 1), 1)))
      doubtful.insert(op->getResult(0));
    return "";
  }
  return "reshapes over several " + noun;
}

/// An op with Summed operands: its result is Summed if the op is linear in
/// them.
std::string LoopTracker::visitLinear(Operation *op, const ShardingRule &rule) {
  size_t added = 0, dependent = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const Dependence *from = find(operand);
    dependent += from ? 1 : 0;
    added += from && from->kind == Dependence::Summed && rule.linear[i];
  }
  bool isHandedOn = rule.kind == ShardingRule::Kind::Additive
                        ? added == op->getNumOperands()
                    : rule.kind == ShardingRule::Kind::Multiplicative
                        ? added == 1 && dependent == 1
                        : false;
  isSure = true;
  if (!isHandedOn)
    return "computes with a sum over " + noun;
  for (Value result : op->getResults())
    setDependence(result, {Dependence::Summed});
  return "";
}

std::string LoopTracker::visitByRule(Operation *op) {
  auto ruled = dyn_cast<ShardingRuleInterface>(op);
  if (!ruled)
    return "combines several " + noun;
  ShardingRule rule = ruled.getShardingRule();
  if (llvm::any_of(op->getOperands(), [&](Value operand) {
        const Dependence *from = find(operand);
        return from && from->kind == Dependence::Summed;
      }))
    return visitLinear(op, rule);

  // All operands that depend on the loop must run along one factor.
  int factor = -1;
  int64_t inner = 1;
  for (auto [operand, dims] :
       llvm::zip_equal(op->getOperands(), rule.operands)) {
    const Dependence *from = find(operand);
    if (!from)
      continue;
    const DimFactors &own = dims[from->dim];
    if (own.size() != 1 || rule.factors[own[0]].unshardable) {
      isSure = true;
      return "combines several " + noun;
    }
    isSure = true;
    if (factor >= 0 && (own[0] != factor || from->inner != inner))
      return "combines several " + noun;
    isSure = false;
    factor = own[0];
    inner = from->inner;
  }
  for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
    for (auto [d, own] : llvm::enumerate(dims))
      if (numbers == Numbers::Refused && llvm::is_contained(own, factor) &&
          !find(operand) &&
          !isUniformAlong(operand, d, stepIn(rule, own, factor, inner)))
        return "depends on the index of each of the " + noun;
  for (auto [result, dims] : llvm::zip_equal(op->getResults(), rule.results)) {
    auto dim = llvm::find_if(dims, [&](const DimFactors &own) {
      return llvm::is_contained(own, factor);
    });
    if (dim != dims.end())
      setDependence(result,
                    {Dependence::PerElement, dim - dims.begin(), inner});
    else if (rule.factors[factor].resolved) {
      isSure = true;
      return "combines several " + noun;
    } else
      setDependence(result, {Dependence::Summed});
  }
  return "";
}

/// A sum of row indices within an element and the index of its first row.
bool LoopTracker::visitNumber(SumOp op) {
  const Dependence *at = nullptr;
  for (Value operand : op.getInputs())
    if (const Dependence *from = find(operand)) {
      if (from->kind != Dependence::PerElement || (at && !(*at == *from)))
        return false;
      at = from;
    }
  int64_t step = 0;
  for (Value operand : op.getInputs()) {
    auto own = find(operand) ? std::optional<int64_t>(numbered.lookup(operand))
                             : stepAlong(operand, at->dim, at->inner);
    if (!own)
      return false;
    step += *own;
  }
  if (step == 0)
    return false;
  setDependence(op.getResult(), Dependence(*at));
  numbered[op.getResult()] = step;
  return true;
}

/// The dependence of ids into a table with `rows` rows per element, if each
/// element's ids are known to index its own rows; else empty.
std::optional<Dependence> LoopTracker::ownRows(Value ids, int64_t rows) {
  if (const Dependence *from = find(ids)) {
    bool isOwn = extent == 1 || numbered.lookup(ids) == rows;
    return isOwn && from->kind == Dependence::PerElement
               ? std::optional<Dependence>(*from)
               : std::nullopt;
  }
  for (auto [dim, size] : llvm::enumerate(tensorType(ids).getShape()))
    if (int64_t inner = size / extent;
        size % extent == 0 && size > 0 &&
        (extent == 1 || stepAlong(ids, dim, inner) == rows))
      return Dependence{Dependence::PerElement, static_cast<int64_t>(dim),
                        inner};
  return std::nullopt;
}

/// Handles lookups in a table with rows of all elements, if each element reads
/// its own rows only, or the rows of all elements are equal.
bool LoopTracker::visitLookup(EmbeddingOp op) {
  Value ids = op.getIds(), rows = op.getTable();
  if (const Dependence *table = find(rows)) {
    if (table->kind != Dependence::PerElement || table->dim != 0 ||
        tensorType(rows).getDimSize(0) != table->inner * extent)
      return false;
    auto where = ownRows(ids, table->inner);
    if (!where)
      return false;
    setDependence(op.getResult(), *where);
    if (extent == 1)
      doubtful.insert(op.getResult());
    return true;
  }
  // The table rows are the same for each element.
  auto it = numbered.find(ids);
  if (it == numbered.end())
    return false;
  auto flat = rows.getDefiningOp<ReshapeOp>();
  bool isRepeated = flat &&
                    tensorType(rows).getDimSize(0) == it->second * extent &&
                    tensorType(flat.getInput()).getRank() > 0 &&
                    tensorType(flat.getInput()).getDimSize(0) == extent &&
                    isUniformAlong(flat.getInput(), 0);
  if (!isRepeated && !isUniformAlong(rows, 0))
    return false;
  setDependence(op.getResult(), Dependence(*find(ids)));
  return true;
}

/// Handles a scatter into a table with rows of all elements, if each element
/// writes its own rows only.
bool LoopTracker::visitScatter(EmbeddingGradOp op) {
  const Dependence *from = find(op.getDy());
  int64_t rows = tensorType(op.getDtable()).getDimSize(0);
  if (!from || from->kind != Dependence::PerElement || from->inner != 1 ||
      rows % extent)
    return false;
  auto where = ownRows(op.getIds(), rows / extent);
  if (!where || (extent > 1 && where->dim != from->dim))
    return false;
  setDependence(op.getDtable(), {Dependence::PerElement, 0, rows / extent});
  if (extent == 1)
    doubtful.insert(op.getDtable());
  return true;
}

/// Handles concats and slices of whole loops, such as two views of all samples
/// that go through one encoder.
bool LoopTracker::visitConcatOrSlice(Operation *op) {
  const Dependence *at = nullptr;
  auto isWhole = [&](int64_t size) { return size % (at->inner * extent) == 0; };
  for (Value operand : op->getOperands())
    if (const Dependence *from = find(operand)) {
      if (from->kind != Dependence::PerElement || (at && !(*at == *from)))
        return false;
      at = from;
    }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    if (static_cast<int64_t>(concat.getDim()) != at->dim)
      return false;
    for (Value operand : op->getOperands())
      if (!isWhole(tensorType(operand).getDimSize(at->dim)) ||
          (!find(operand) && !isUniformAlong(operand, at->dim)))
        return false;
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    if (!isWhole(slice.getStarts()[at->dim]) ||
        slice.getSteps()[at->dim] != 1 ||
        !isWhole(tensorType(slice.getResult()).getDimSize(at->dim)))
      return false;
  } else {
    return false;
  }
  setDependence(op->getResult(0), Dependence(*at));
  return true;
}

/// Handles ops whose operands that depend on the loop are PerElement.
std::string LoopTracker::visitPerElement(Operation *op) {
  if (visitConcatOrSlice(op))
    return "";
  if (auto sum = dyn_cast<SumOp>(op))
    if (visitNumber(sum))
      return "";
  if (auto lookup = dyn_cast<EmbeddingOp>(op)) {
    if (visitLookup(lookup))
      return "";
    // Row indices may refer to rows of any element.
    if (const Dependence *table = find(lookup.getTable());
        table && table->dim == 0) {
      isSure = true;
      return "combines several " + noun;
    }
  }
  if (auto scatter = dyn_cast<EmbeddingGradOp>(op))
    if (visitScatter(scatter))
      return "";
  int64_t step = 0;
  for (Value operand : op->getOperands())
    if (auto it = numbered.find(operand); it != numbered.end()) {
      if (!keepsElements(op) && !isa<CastOp>(op))
        return "depends on the index of each of the " + noun;
      step = it->second;
    }
  std::string problem = isa<ReshapeOp>(op)
                            ? visitReshape(op, *find(op->getOperand(0)))
                            : visitByRule(op);
  if (step)
    numbered[op->getResult(0)] = step;
  return problem;
}

/// Whether the op tests for infinity. Models for fp16 do so before they clamp
/// overflows; usually no value is infinite, and the result is the same for all
/// elements.
static bool isTestOfInfinity(Operation *op) {
  auto compare = dyn_cast<CompareOp>(op);
  if (!compare || compare.getRelation() != Relation::Equal)
    return false;
  Value wanted = compare.getRhs();
  while (auto wide = wanted.getDefiningOp<BroadcastOp>())
    wanted = wide.getInput();
  auto constant = wanted.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
         isa<FloatType>(elements.getElementType()) &&
         elements.getSplatValue<APFloat>().isInfinity();
}

std::string LoopTracker::visit(Operation *op) {
  std::string problem;
  bool depends = false;
  isSure = false;
  for (Value operand : op->getOperands())
    if (const Dependence *from = find(operand)) {
      depends = true;
      if (from->kind != Dependence::Mixed)
        continue;
      for (Value result : op->getResults())
        setDependence(result, {Dependence::Mixed});
      return "";
    }
  if (depends) {
    bool isAdded = llvm::any_of(op->getOperands(), [&](Value operand) {
      const Dependence *from = find(operand);
      return from && from->kind == Dependence::Summed;
    });
    problem = isAdded ? visitByRule(op) : visitPerElement(op);
  }
  // With one element, dims of extent 1 may have been exchanged.
  auto mayBeAnother = [&](Value v) {
    return doubtful.contains(v) ||
           (extent == 1 && find(v) &&
            llvm::count(tensorType(v).getShape(), 1) > 1);
  };
  if (llvm::any_of(op->getOperands(), mayBeAnother)) {
    isSure = false;
    doubtful.insert(op->result_begin(), op->result_end());
  }
  if (isTestOfInfinity(op))
    doubtful.insert(op->result_begin(), op->result_end());
  if (!problem.empty())
    for (Value result : op->getResults())
      setDependence(result, {Dependence::Mixed});
  return problem;
}
