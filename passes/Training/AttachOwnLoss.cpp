//===- AttachOwnLoss.cpp - @loss of a model with its own loss -------------===//
//
// Most losses are one mean, or are divided by one count: they become a sum and
// a count, as an attached loss. A loss with sums, or with terms of different
// counts, needs the counts of the whole step before the first gradient is
// computed. @counts accumulates them on all microbatches before everything
// else:
//
//   @counts      adds sum(m) to @step_count.0, 1 to @step_batches
//   @loss        returns sum(m * nll) / @step_count.0 * @step_batches + ..., 1
//   @update      divides their sums: the mean over microbatches
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossTerms.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

static Value constant(OpBuilder &builder, Location loc, float value) {
  RankedTensorType scalar = scalarType(builder.getContext());
  return ConstantOp::create(
      builder, loc, scalar,
      DenseElementsAttr::get(scalar, builder.getF32FloatAttr(value)));
}

static Location lossLoc(MLIRContext *context) {
  return NameLoc::get(StringAttr::get(context, "loss"));
}

/// Converts a tensor of one element to another shape and element type.
static Value convert(OpBuilder &builder, Value value, RankedTensorType type) {
  Location loc = value.getLoc();
  RankedTensorType from = tensorType(value);
  if (from.getShape() != type.getShape())
    value = ReshapeOp::create(builder, loc, type.clone(from.getElementType()),
                              value);
  // The value is an integer, but a quotient of sums may be slightly off.
  if (isa<FloatType>(from.getElementType()) &&
      isa<IntegerType>(type.getElementType()))
    value = RoundOp::create(builder, loc, value.getType(), value);
  if (from.getElementType() != type.getElementType())
    value = CastOp::create(builder, loc, type, value);
  return value;
}

/// Declares a state that @counts accumulates before the step.
static StateOp addAhead(ModuleOp module, StringRef name) {
  StateOp state =
      addState(module, name, scalarType(module.getContext()), StateKind::Sum);
  state->setAttr(kAheadAttr, UnitAttr::get(module.getContext()));
  return state;
}

/// Clones @forward; the clone accumulates `adds` into states and returns
/// nothing. `copies` maps values of @forward to those of the clone; a null
/// value adds 1.
static func::FuncOp cloneForward(ModuleOp module, func::FuncOp forward,
                                 StringRef name, IRMapping &copies,
                                 ArrayRef<std::pair<Value, StateOp>> adds) {
  auto clone = cast<func::FuncOp>(forward->clone(copies));
  clone.setSymName(name);
  Operation *terminator = clone.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (auto [value, state] : adds) {
    Value added = value ? copies.lookup(value)
                        : constant(builder, lossLoc(builder.getContext()), 1);
    added = convert(builder, added, state.getTensorType());
    AccumulateOp::create(builder, added.getLoc(), added, state.getSymName());
  }
  terminator->setOperands({});
  clone.setFunctionType(builder.getFunctionType(clone.getArgumentTypes(), {}));
  clone.removeResAttrsAttr();
  clone->removeAttr(kHasLossAttr);
  removeDropout(clone);
  return clone;
}

static llvm::DenseSet<Value> divisorsOf(const LossTerms &terms) {
  llvm::DenseSet<Value> divisors;
  for (const LossTerm &term : terms.terms)
    divisors.insert(term.divisor);
  return divisors;
}

/// Builds 0 if one of `divisors` is 0, so that the loss is undefined, else 1.
static Value isDefined(OpBuilder &builder, Location loc, ValueRange divisors) {
  Value defined = constant(builder, loc, 1);
  if (divisors.empty())
    return defined;
  Value zero = constant(builder, loc, 0), one = defined;
  RankedTensorType boolean =
      CompareOp::getResultType(scalarType(builder.getContext()));
  for (Value divisor : divisors) {
    Value isZero = CompareOp::create(builder, loc, boolean, Relation::Equal,
                                     divisor, zero);
    Value factor =
        WhereOp::create(builder, loc, zero.getType(), isZero, zero, one);
    defined = MulOp::create(builder, loc, zero.getType(), defined, factor);
  }
  return defined;
}

/// Adds @evaluate and @evaluate_result, which returns the loss from the sums of
/// all terms, and whether it is defined.
static void addTermEvaluation(ModuleOp module, func::FuncOp forward,
                              const LossTerms &terms) {
  RankedTensorType scalar = scalarType(module.getContext());
  SmallVector<std::pair<Value, StateOp>> adds;
  auto add = [&](Value value, const Twine &name) {
    StateOp state = addState(module, name.str(), scalar, StateKind::Sum);
    adds.push_back({value, state});
  };
  for (auto [i, term] : llvm::enumerate(terms.terms))
    add(term.sum, kEvalSum + Twine(i));
  for (auto [i, count] : llvm::enumerate(terms.counts))
    add(count, kEvalCount + Twine(i));
  // Values that are the same for every batch are recovered as the mean of their
  // sum over batches.
  for (auto [i, value] : llvm::enumerate(terms.batchInvariant))
    add(value, kEvalCount + Twine(terms.counts.size() + i));
  bool hasMeans = llvm::any_of(
      terms.terms, [](const LossTerm &term) { return term.means != 0; });
  if (hasMeans || !terms.batchInvariant.empty())
    add(nullptr, kEvalBatches);
  IRMapping copies;
  module.push_back(cloneForward(module, forward, kEvaluate, copies, adds));

  EntryBuilder result(module, kEvaluateResult);
  SmallVector<Value> reads;
  for (auto [value, state] : adds)
    reads.push_back(result.read(state.getSymName(), scalar));
  size_t sums = terms.terms.size();
  auto countOf = [&](Value count) -> Value {
    // Skip the sums: a count may also be a term's sum.
    auto it =
        llvm::find_if(llvm::drop_begin(adds, sums),
                      [&](const auto &added) { return added.first == count; });
    Value sum = reads[it - adds.begin()];
    if (!terms.counts.contains(count))
      sum =
          DivOp::create(result.builder, result.loc, scalar, sum, reads.back());
    return convert(result.builder, sum, tensorType(count));
  };
  Value loss = terms.build(result.builder, ArrayRef(reads).take_front(sums),
                           countOf, hasMeans ? reads.back() : Value());
  llvm::DenseSet<Value> isDivisor = divisorsOf(terms);
  SmallVector<Value> divisors;
  for (Value count : terms.counts)
    if (isDivisor.contains(count))
      divisors.push_back(countOf(count));
  Value defined = isDefined(result.builder, result.loc, divisors);
  for (auto [value, state] : adds)
    result.clear(state);
  result.finish({loss, defined}, {kLossResult, kTargetCount});
}

/// Adds @counts and evaluation functions, and builds the contribution of one
/// microbatch.
static Loss attachTerms(ModuleOp module, func::FuncOp forward,
                        const LossTerms &terms) {
  addTermEvaluation(module, forward, terms);
  RankedTensorType scalar = scalarType(module.getContext());
  SmallVector<std::pair<Value, StateOp>> adds;
  llvm::DenseSet<Value> divisors = divisorsOf(terms);
  for (auto [i, count] : llvm::enumerate(terms.counts)) {
    StateOp state = addAhead(module, (kStepCount + Twine(i)).str());
    if (divisors.contains(count))
      state->setAttr(kCountAttr,
                     StringAttr::get(module.getContext(), nodeName(count)));
    adds.push_back({count, state});
  }
  bool hasSums = llvm::any_of(
      terms.terms, [](const LossTerm &term) { return term.means != 1; });
  if (hasSums)
    adds.push_back({nullptr, addAhead(module, kStepBatches)});
  IRMapping copies;
  func::FuncOp counts = cloneForward(module, forward, kCounts, copies, adds);
  forward->getBlock()->getOperations().insert(forward->getIterator(), counts);
  eraseUnusedInputs(counts);

  Operation *terminator = forward.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  Location loc = lossLoc(module.getContext());
  auto read = [&](StateOp state) -> Value {
    return ReadOp::create(builder, loc, scalar, state.getSymName());
  };
  auto countOf = [&](Value count) {
    if (terms.batchInvariant.contains(count))
      return count;
    Value sum = read(
        adds[llvm::find(terms.counts, count) - terms.counts.begin()].second);
    return convert(builder, sum, tensorType(count));
  };
  Value part = terms.buildContribution(
      builder, countOf, hasSums ? read(adds.back().second) : Value());
  return {part, constant(builder, loc, 1)};
}

FailureOr<OwnLoss> pcc::attachOwnLoss(ModuleOp module, func::FuncOp forward,
                                      bool isWholeBatch) {
  FailureOr<LossTerms> terms = LossTerms::read(forward);
  if (failed(terms))
    return failure();
  Operation *terminator = forward.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  Location loc = lossLoc(module.getContext());
  if (terms->problem) {
    if (!isWholeBatch)
      return emitNotAdditive(forward, *terms->problem);
    module->setAttr(kWholeBatchAttr,
                    builder.getStringAttr(terms->problem->what));
    SmallVector<Value> sums;
    for (const LossTerm &term : terms->terms)
      sums.push_back(term.sum);
    Value loss =
        terms->build(builder, sums, [](Value count) { return count; }, nullptr);
    return OwnLoss{{loss, constant(builder, loc, 1)}, true};
  }
  for (const std::string &what : terms->assumed) {
    if (isWholeBatch)
      break;
    InFlightDiagnostic diag = forward.emitWarning() << what;
    diag.attachNote() << "a file with a dynamic batch makes this explicit; one "
                         "microbatch without --dp is the file's own batch";
  }
  if (!isWholeBatch && !terms->totals.empty()) {
    std::string names = "'" + llvm::join(terms->totals, "', '") + "'";
    InFlightDiagnostic diag =
        forward.emitWarning()
        << "the loss is a sum over samples, divided by " << names
        << ", which is taken as a number for the whole global batch";
    diag.attachNote() << "put the number for all samples of a step into the "
                         "data; if it is that of fewer, train without --dp "
                         "and in one microbatch";
  }
  if (!terms->isOneMean())
    return OwnLoss{attachTerms(module, forward, *terms), false};
  SmallVector<Value> sums;
  for (LossTerm &term : terms->terms)
    sums.push_back(term.factor == 1
                       ? term.sum
                       : ScaleOp::create(builder, loc, term.sum.getType(),
                                         term.sum,
                                         builder.getF64FloatAttr(term.factor)));
  Value sum = sums.front(), count = terms->terms.front().divisor;
  if (sums.size() > 1)
    sum = SumOp::create(builder, loc, sum.getType(), sums);
  if (!count)
    return OwnLoss{{sum, constant(builder, loc, 1)}, true};
  return OwnLoss{{sum, count}, true, nodeName(count)};
}
