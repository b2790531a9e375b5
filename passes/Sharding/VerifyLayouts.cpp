//===- VerifyLayouts.cpp - Verifies the shardings of ops ------------------===//
//
// Every value of a rank's program except counters has a sharding. With its
// local type that determines the global tensor that it is a shard of. So each
// op can be checked on global types. Its sharding rule says which dims are one
// loop, the operands' shardings determine the axes of the loops, and these the
// sharding of each result. A collective changes a sharding in one way, which
// follows from its kind, dim and axes. An op that numbers its elements (rows of
// a table, classes, heads) must start with the first one of this rank.
//
// Shares no code with the passes that created the program, except dist::Mesh,
// so that it repeats none of their bugs. Only the sharding rules come from the
// ops.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/VerifyLayouts.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

FailureOr<Layout> LayoutVerifier::layoutOf(Operation *op, Value value,
                                           const Twine &what) {
  auto [known, isNew] = layouts.try_emplace(value);
  if (!isNew)
    return known->second;
  if (ShardingAttr sharding = getSharding(value))
    return known->second = mesh.layout(sharding);
  layouts.erase(value);
  return op->emitOpError() << what << " has no sharding";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Removes axes from the end of a dim; returns false if they are not there.
static bool takeLast(AxisList &dim, ArrayRef<Axis> axes) {
  if (dim.size() < axes.size() || ArrayRef(dim).take_back(axes.size()) != axes)
    return false;
  dim.truncate(dim.size() - axes.size());
  return true;
}

/// Removes axes from a set; returns whether it had all of them.
static bool takeAll(AxisSet &from, ArrayRef<Axis> axes) {
  AxisSet taken(axes);
  bool hasAll = (taken - from).empty();
  from = from - taken;
  return hasAll;
}

/// Returns the sharding after a collective; nothing if it does not apply.
static std::optional<Layout> transferred(Operation *op, Layout layout,
                                         ArrayRef<Axis> axes) {
  bool fits = false;
  if (auto reduce = dyn_cast<AllReduceOp>(op)) {
    fits = takeAll(reduce.getReduction() == dist::Reduction::Max
                       ? layout.partialMax
                       : layout.partial,
                   axes);
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    fits = takeAll(layout.partial, axes);
    layout.dims[scatter.getDim()].append(axes.begin(), axes.end());
  } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
    fits = takeLast(layout.dims[gather.getDim()], axes);
  } else if (auto exchange = dyn_cast<AllToAllOp>(op)) {
    fits = takeLast(layout.dims[exchange.getFrom()], axes);
    layout.dims[exchange.getTo()].append(axes.begin(), axes.end());
  } else if (auto slice = dyn_cast<ShardSliceOp>(op)) {
    AxisSet taken = layout.split() | layout.partial | layout.partialMax;
    fits = (taken & AxisSet(axes)).empty();
    layout.dims[slice.getDim()].append(axes.begin(), axes.end());
  }
  return fits ? std::optional(layout) : std::nullopt;
}

LogicalResult LayoutVerifier::verifyCollective(Operation *op) {
  AxisList axes;
  for (auto name :
       op->getAttrOfType<ArrayAttr>("axes").getAsRange<StringAttr>())
    axes.push_back(*mesh.find(name));
  for (auto [input, result] :
       llvm::zip_equal(op->getOperands(), op->getResults())) {
    auto from = layoutOf(op, input, "takes a value that"),
         said = layoutOf(op, result, "gives a value that");
    if (failed(from) || failed(said))
      return failure();
    std::optional<Layout> to = transferred(op, *from, axes);
    if (!to)
      return op->emitOpError()
             << "over " << mesh.names(axes) << " does not apply to a value "
             << "with sharding " << mesh.attr(*from);
    if (*to != *said)
      return op->emitOpError()
             << "over " << mesh.names(axes) << " converts " << mesh.attr(*from)
             << " to " << mesh.attr(*to) << ", but its result has sharding "
             << mesh.attr(*said);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with a sharding rule
//===----------------------------------------------------------------------===//

/// Returns the sharding rule of an op on its global types. Verifying the op on
/// these types is half of the proof.
FailureOr<ShardingRule> LayoutVerifier::globalRule(Operation *op,
                                                   ArrayRef<Layout> operands,
                                                   ArrayRef<Layout> results) {
  Block scratch;
  for (auto [operand, layout] : llvm::zip_equal(op->getOpOperands(), operands))
    scratch.addArgument(mesh.globalType(tensorType(operand.get()), layout),
                        op->getLoc());
  Operation *twin = op->cloneWithoutRegions();
  scratch.push_back(twin);
  twin->setOperands(scratch.getArguments());
  twin->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  for (auto [result, layout] : llvm::zip_equal(twin->getResults(), results))
    result.setType(mesh.globalType(tensorType(result), layout));

  std::string said;
  {
    ScopedDiagnosticHandler listen(op->getContext(), [&](Diagnostic &diag) {
      said += (said.empty() ? "" : "; ") + diag.str();
    });
    if (succeeded(mlir::verify(twin)))
      return cast<ShardingRuleInterface>(twin).getShardingRule();
  }
  return op->emitOpError() << "has shards whose global types do not fit: "
                           << said;
}

/// Finds the axes that split each factor from the dims of all values; all dims
/// of a factor must agree.
LogicalResult LayoutVerifier::findFactors(Operation *op,
                                          const ShardingRule &rule,
                                          ArrayRef<Layout> values,
                                          SmallVectorImpl<AxisList> &factors) {
  SmallVector<std::optional<AxisList>> found(rule.factors.size());
  SmallVector<ValueFactors> dims(rule.operands);
  llvm::append_range(dims, rule.results);
  // Dims of one factor first: they are unambiguous.
  for (bool merged : {false, true})
    for (auto [i, value] : llvm::enumerate(values))
      for (auto [dim, all] : llvm::enumerate(dims[i])) {
        if ((all.size() != 1) != merged)
          continue;
        ArrayRef<Axis> axes = value.dims[dim];
        bool usedUp = true, fits = true;
        for (auto [at, factor] : llvm::enumerate(all)) {
          std::optional<AxisList> &own = found[factor];
          if (!own) {
            // The axes that the later factors leave.
            size_t behind = 0;
            for (int other : ArrayRef(all).drop_front(at + 1))
              behind += found[other] ? found[other]->size() : 0;
            own.emplace(axes.drop_back(std::min(behind, axes.size())));
          }
          fits &= axes.take_front(own->size()) == ArrayRef(*own);
          axes = axes.drop_front(std::min(own->size(), axes.size()));
          // A minor factor is split only where the major ones are single
          // elements.
          fits &= usedUp || own->empty();
          usedUp &= rule.factors[factor].size == mesh.extent(*own);
        }
        if (!fits || !axes.empty())
          return op->emitOpError()
                 << (i < rule.operands.size() ? "takes operand "
                                              : "gives result ")
                 << (i < rule.operands.size() ? i : i - rule.operands.size())
                 << " as " << mesh.attr(value)
                 << ", which does not fit the op's sharding";
      }
  for (auto [factor, axes] : llvm::zip_equal(rule.factors, found)) {
    factors.push_back(axes.value_or(AxisList()));
    if (factor.unshardable && !factor.maximum && !factors.back().empty())
      return op->emitOpError() << "needs all of a dim that is split over "
                               << mesh.names(factors.back());
    if (factor.size % mesh.extent(factors.back()))
      return op->emitOpError()
             << "cannot split " << factor.size << " iterations over "
             << mesh.names(factors.back());
  }
  return success();
}

/// Checks partial operands. A partial maximum is never allowed. A sum may take
/// partial sums if all its operands are partial over the same axes. Another op
/// may take a partial sum if it is linear in it, no other operand is partial
/// over the same axes, and no loop is split over these axes.
LogicalResult LayoutVerifier::checkPartial(Operation *op,
                                           const ShardingRule &rule,
                                           ArrayRef<Layout> operands,
                                           AxisSet split, AxisSet &passed) {
  for (const Layout &layout : operands)
    passed = passed | layout.partial;
  for (auto [i, layout] : llvm::enumerate(operands)) {
    if (!layout.partialMax.empty())
      return op->emitOpError()
             << "takes operand " << i << " as a partial maximum over "
             << names(layout.partialMax) << ", which must be reduced first";
    if (rule.kind == ShardingRule::Kind::Additive) {
      if (layout.partial == passed)
        continue;
      return op->emitOpError()
             << "adds a partial sum over " << names(passed - layout.partial)
             << " to operand " << i << ", which is not partial there";
    }
    if (layout.partial.empty())
      continue;
    if (rule.kind == ShardingRule::Kind::None || !rule.linear[i])
      return op->emitOpError()
             << "is not linear in operand " << i << ", which is partial over "
             << names(layout.partial);
    for (auto [j, other] : llvm::enumerate(operands))
      if (j != i && !(other.partial & layout.partial).empty())
        return op->emitOpError() << "multiplies operands " << i << " and " << j
                                 << ", which are both partial over "
                                 << names(other.partial & layout.partial);
    if (!(split & layout.partial).empty())
      return op->emitOpError()
             << "is split over " << names(split & layout.partial)
             << ", over which operand " << i << " is partial";
  }
  return success();
}

/// Whether an op may make a sum of squares partial over axes along which it is
/// equal: by dividing it by the number of ranks. Stages are no replicas: each
/// has parameters of its own, so their sums are partial.
bool LayoutVerifier::mayBecomePartial(Operation *op, AxisSet made) {
  int64_t replicas = 1;
  for (Axis axis : made.list())
    if (mesh.role(axis) != AxisRole::Pipeline)
      replicas *= mesh.extent(axis);
  if (isa<SumOfSquaresOp>(op))
    return replicas == 1;
  auto scale = dyn_cast<ScaleOp>(op);
  return scale && scale.getInput().getDefiningOp<SumOfSquaresOp>() &&
         scale.getFactor().isExactlyValue(1.0 / replicas);
}

LogicalResult LayoutVerifier::checkResult(Operation *op,
                                          const ShardingRule &rule,
                                          unsigned result,
                                          ArrayRef<AxisList> factors,
                                          AxisSet passed, const Layout &said) {
  Layout due;
  due.dims = said.dims; // findFactors has compared them
  due.partial = passed;
  llvm::SmallBitVector has(factors.size());
  for (const DimFactors &dim : rule.results[result])
    for (int factor : dim)
      has.set(factor);
  for (auto [i, axes] : llvm::enumerate(factors)) {
    const ShardingRule::Factor &factor = rule.factors[i];
    if (has[i] || factor.resolved)
      continue;
    AxisSet &parts = factor.maximum ? due.partialMax : due.partial;
    parts = parts | AxisSet(axes);
  }
  if (due == said)
    return success();
  AxisSet made = said.partial - due.partial;
  if (!made.empty() && mayBecomePartial(op, made)) {
    due.partial = due.partial | made;
    if (due == said)
      return success();
  }
  return op->emitOpError() << "gives result " << result << " as "
                           << mesh.attr(due) << ", but its sharding is "
                           << mesh.attr(said);
}

LogicalResult LayoutVerifier::verifyRuled(Operation *op) {
  std::optional<Numbered> numbered = Numbered::of(op);
  auto bits = dyn_cast<RoundingBitsOp>(op);
  SmallVector<Layout> values;
  for (OpOperand &operand : op->getOpOperands()) {
    // VerifyRounding.cpp checks the origins.
    if ((numbered && operand.get() == numbered->counter) ||
        (bits && llvm::is_contained(bits.getOrigins(), operand.get()))) {
      values.emplace_back(tensorType(operand.get()).getRank());
      continue;
    }
    auto layout = layoutOf(op, operand.get(),
                           "takes operand " +
                               Twine(operand.getOperandNumber()) + ", which");
    if (failed(layout))
      return failure();
    values.push_back(*layout);
  }
  for (OpResult result : op->getResults()) {
    auto layout =
        layoutOf(op, result,
                 "gives result " + Twine(result.getResultNumber()) + ", which");
    if (failed(layout))
      return failure();
    values.push_back(*layout);
  }
  auto operands = ArrayRef(values).take_front(op->getNumOperands()),
       results = ArrayRef(values).drop_front(op->getNumOperands());
  auto rule = globalRule(op, operands, results);
  if (failed(rule))
    return failure();
  SmallVector<AxisList> factors;
  if (failed(findFactors(op, *rule, values, factors)))
    return failure();
  AxisSet split, passed;
  for (const AxisList &axes : factors)
    split = split | AxisSet(axes);
  if (failed(checkPartial(op, *rule, operands, split, passed)))
    return failure();
  for (auto [i, layout] : llvm::enumerate(results))
    if (failed(checkResult(op, *rule, i, factors, passed, layout)))
      return failure();
  return numbered ? checkCounter(op, *numbered) : success();
}

//===----------------------------------------------------------------------===//
// Each op
//===----------------------------------------------------------------------===//

/// Checks a constant: only a splat may be sharded, and only zero may be
/// partial.
LogicalResult LayoutVerifier::verifyConstant(ConstantOp op) {
  // A counter is checked where it is used.
  if (!getSharding(op.getResult()))
    return success();
  auto layout = layoutOf(op, op.getResult(), "");
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  bool isUniform = elements && elements.isSplat();
  if (!layout->partialMax.empty() || (!layout->split().empty() && !isUniform) ||
      (!layout->partial.empty() && !isUniformZero(op.getResult())))
    return op.emitOpError()
           << "has the same elements on each rank, but has sharding "
           << mesh.attr(*layout);
  return success();
}

LogicalResult LayoutVerifier::verify(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ConstantOp op) { return verifyConstant(op); })
      .Case<AllReduceOp, AllGatherOp, ReduceScatterOp, ShardSliceOp,
            AllToAllOp>([&](auto op) { return verifyCollective(op); })
      // Checked where an op uses it as a counter.
      .Case([&](OffsetOp op) { return success(); })
      .Default([&](Operation *op) -> LogicalResult {
        if (isa<ReshardOp>(op))
          return op->emitOpError("is left in a partitioned program");
        if (!isa<ShardingRuleInterface>(op))
          return op->emitOpError("has no sharding rule");
        // Part of a counter: it has no sharding and is used by counters only.
        if (isa<ReshapeOp, ConcatOp, SumOp>(op) &&
            !getSharding(op->getResult(0)))
          return success();
        return verifyRuled(op);
      });
}
