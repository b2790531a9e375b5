//===- LossTerms.cpp - Terms of a model's own loss ------------------------===//
//
// The frontend has split the loss into terms. LossTerms checks on the
// recognized model that they can be accumulated over batches: it tracks the
// samples through the program, and each term must be a sum over them or the
// same for every batch.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/LossTerms.h"
#include "analysis/Dependence.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LoopTracker.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Dependence = LoopTracker::Dependence;

/// The extent of an input's batch dim; empty if the input has none.
static std::optional<int64_t> samplesOf(BlockArgument argument) {
  std::optional<unsigned> batch = dimsOf(argument).batch;
  return batch ? std::optional(tensorType(argument).getDimSize(*batch))
               : std::nullopt;
}

FailureOr<LossTerms> LossTerms::read(func::FuncOp forward) {
  LossTerms loss;
  Operation *terminator = forward.getBody().front().getTerminator();
  RankedTensorType scalar = scalarType(forward.getContext());
  auto wrong = [&]() -> LogicalResult {
    return forward.emitError()
           << "a model with a loss of its own returns the sum of each term "
              "and, "
              "where it is divided, its divisor, all "
           << scalar << ", not (" << forward.getResultTypes() << ")";
  };
  if (llvm::any_of(terminator->getOperandTypes(),
                   [&](Type type) { return type != scalar; }))
    return wrong();
  SmallVector<DictionaryAttr> attrs;
  if (auto list = forward->getAttrOfType<ArrayAttr>(kHasLossAttr))
    llvm::append_range(attrs, list.getAsRange<DictionaryAttr>());
  else // a sum by a count
    attrs.push_back(DictionaryAttr::get(
        forward.getContext(),
        NamedAttribute(StringAttr::get(forward.getContext(), "divided"),
                       UnitAttr::get(forward.getContext()))));
  std::optional<Problem> unclear;
  OperandRange results = terminator->getOperands();
  for (DictionaryAttr attr : attrs) {
    bool isDivided = attr.contains("divided");
    if (results.size() < 1u + isDivided)
      return wrong();
    LossTerm term;
    term.sum = results[0];
    if (isDivided)
      term.divisor = results[1];
    results = results.drop_front(1 + isDivided);
    if (auto factor = attr.getAs<FloatAttr>("factor"))
      term.factor = factor.getValueAsDouble();
    auto means = attr.getAs<IntegerAttr>("mean");
    term.means = means ? means.getInt() : attr.contains("mean");
    if (auto what = attr.getAs<StringAttr>("assumed"))
      loss.assumed.push_back(what.str());
    if (auto input = attr.getAs<StringAttr>("total"))
      loss.totals.insert(input.getValue());
    if (auto why = attr.getAs<StringAttr>("unclear"); why && !unclear)
      unclear = Problem{why.str(), term.sum.getDefiningOp()};
    loss.terms.push_back(term);
  }
  if (!results.empty())
    return wrong();
  loss.analyze(forward);
  // A problem found in the ops takes precedence over the text of `unclear`.
  if (!loss.problem)
    loss.problem = unclear;
  return loss;
}

/// Returns a tracker that starts at the batch dims of all inputs.
static LoopTracker sampleTracker(func::FuncOp forward) {
  LoopTracker samples("samples", std::max<int64_t>(batchOf(forward), 1));
  for (BlockArgument argument : forward.getArguments())
    if (samplesOf(argument) == batchOf(forward))
      samples.start(argument, *dimsOf(argument).batch);
  return samples;
}

std::optional<LossTerms::Problem>
pcc::findMixedSamples(func::FuncOp forward, Value sum, bool ofSums) {
  if (auto joins = forward->getAttrOfType<StringAttr>(kJoinsSamplesAttr))
    return LossTerms::Problem{joins.str()};
  LoopTracker samples = sampleTracker(forward);
  DenseSet<Value> needed = neededFor(sum);
  auto isSum = [&](Value value) {
    const Dependence *place = samples.find(value);
    return place && place->kind == Dependence::Summed;
  };
  std::optional<LossTerms::Problem> possible;
  for (Operation &op : forward.getBody().front().without_terminator()) {
    if (!hasResultOf(needed, &op))
      continue;
    std::string what = samples.visit(&op);
    if (what.empty() || (!ofSums && llvm::any_of(op.getOperands(), isSum)))
      continue;
    LossTerms::Problem problem = {nodeName(&op) + " " + what, &op,
                                  samples.combinesSurely()};
    if (problem.isSure)
      return problem;
    if (!possible && batchOf(forward) > 1)
      possible = problem;
  }
  return possible;
}

std::optional<int64_t> pcc::rowsPerSample(func::FuncOp forward, Value output) {
  int64_t rows = tensorType(output).getDimSize(0), batch = batchOf(forward);
  for (BlockArgument argument : forward.getArguments())
    if (samplesOf(argument) == rows)
      return 1;
  if (batch == 0)
    return 1;
  LoopTracker samples = sampleTracker(forward);
  for (Operation &op : forward.getBody().front().without_terminator())
    samples.visit(&op);
  const Dependence *place = samples.find(output);
  if (!place) // the same for all samples
    return 1;
  if (rows % batch || place->kind != Dependence::PerElement ||
      (batch > 1 && (place->dim != 0 || place->inner != rows / batch)))
    return std::nullopt;
  return rows / batch;
}

InFlightDiagnostic pcc::emitNotAdditive(func::FuncOp forward,
                                        const LossTerms::Problem &problem) {
  InFlightDiagnostic diag =
      forward.emitError()
      << "the loss of a whole batch does not follow from those of its parts: "
      << problem.what;
  diag.attachNote(problem.op ? problem.op->getLoc() : forward.getLoc())
      << "train without --dp and in one microbatch: leave "
         "--global-batch-size out or set it to --micro-batch-size";
  if (batchOf(forward) == 1)
    diag.attachNote(forward.getLoc())
        << "with one sample per microbatch this may be a false alarm: "
           "--micro-batch-size 2 shows more";
  return diag;
}

void pcc::warnOfMixedSamples(func::FuncOp forward, StringRef what) {
  InFlightDiagnostic diag =
      forward.emitWarning()
      << "the losses of the samples are not proven to be independent: " << what;
  diag.attachNote(forward.getLoc())
      << "if it combines several samples, train without --dp and in one "
         "microbatch: leave --global-batch-size out or set it to "
         "--micro-batch-size";
}

/// Whether a value is computed from neither inputs nor parameters.
static bool isConstant(Value value) {
  return !dependsOn(value, [](Value source) {
    return isa<BlockArgument>(source) || source.getDefiningOp<ReadOp>();
  });
}

void LossTerms::analyze(func::FuncOp forward) {
  if (auto joins = forward->getAttrOfType<StringAttr>(kJoinsSamplesAttr)) {
    problem = Problem{joins.str()};
    return;
  }
  bool isUnit = forward->getAttrOfType<UnitAttr>(kHasLossAttr) != nullptr;
  LoopTracker samples = sampleTracker(forward);
  llvm::MapVector<Operation *, std::string> joins;
  for (Operation &op : forward.getBody().front().without_terminator())
    if (std::string what = samples.visit(&op); !what.empty())
      joins[&op] = what;
  auto say = [&](Value value, StringRef otherwise) {
    if (problem)
      return;
    DenseSet<Value> needed = neededFor(value);
    for (auto &[op, what] : joins)
      if (hasResultOf(needed, op)) {
        problem = Problem{nodeName(op) + " " + what, op};
        return;
      }
    problem =
        Problem{nodeName(value) + " " + otherwise.str(), value.getDefiningOp()};
  };
  auto isAdded = [&](Value value) {
    const Dependence *place = samples.find(value);
    return place && place->kind == Dependence::Summed;
  };
  // Whether a divisor is computed from counts and values that are the same for
  // every batch; collects both.
  std::function<bool(Value)> findCounts = [&](Value value) {
    if (!samples.find(value)) {
      if (isConstant(value))
        return true;
      batchInvariant.insert(value);
      for (BlockArgument input : forward.getArguments())
        if (dependsOn(value, [&](Value source) { return source == input; }))
          totals.insert(inputName(forward, input.getArgNumber()));
      return true;
    }
    if (isAdded(value)) {
      counts.insert(value);
      return true;
    }
    Operation *op = value.getDefiningOp();
    return op && tensorType(value).getNumElements() == 1 &&
           llvm::all_of(op->getOperands(), findCounts);
  };
  for (LossTerm &term : terms) {
    // The term is the same for every batch, or its divisor is a constant count
    // of one batch: the loss is then the mean over batches.
    bool isWritten = isUnit && !samples.find(term.divisor);
    if (!samples.find(term.sum) || isWritten)
      ++term.means;
    else if (!isAdded(term.sum))
      say(term.sum, "is not a sum over samples");
    if (term.divisor && !findCounts(term.divisor))
      say(term.divisor, "is a divisor that is not a sum over samples");
  }
}

bool LossTerms::isOneMean() const {
  Value divisor = terms.front().divisor;
  return llvm::all_of(terms, [&](const LossTerm &term) {
    if (term.divisor != divisor)
      return false;
    if (counts.contains(divisor))
      return term.means == 0;
    bool isFixed =
        !divisor || batchInvariant.contains(divisor) || isConstant(divisor);
    return isFixed && term.means == 1;
  });
}

Value LossTerms::scaled(OpBuilder &builder, const LossTerm &term, Value sum,
                        function_ref<Value(Value)> countOf) const {
  Location loc = term.sum.getLoc();
  if (term.factor != 1)
    sum = ScaleOp::create(builder, loc, sum.getType(), sum,
                          builder.getF64FloatAttr(term.factor));
  if (!term.divisor)
    return sum;
  IRMapping mapping;
  std::function<Value(Value)> rebuild = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value made;
    Operation *op = value.getDefiningOp();
    if (counts.contains(value) || batchInvariant.contains(value)) {
      made = countOf(value);
    } else if (op) {
      for (Value operand : op->getOperands())
        rebuild(operand);
      Operation *copy = builder.clone(*op, mapping);
      made = copy->getResult(cast<OpResult>(value).getResultNumber());
    } else {
      made = value;
    }
    mapping.map(value, made);
    return made;
  };
  return DivOp::create(builder, loc, sum.getType(), sum, rebuild(term.divisor));
}

/// Adds rank-0 values.
static Value add(OpBuilder &builder, ValueRange values) {
  if (values.size() == 1)
    return values.front();
  return SumOp::create(builder, values.front().getLoc(),
                       values.front().getType(), values);
}

/// Builds value * factor^power.
static Value multiply(OpBuilder &builder, Value value, Value factor,
                      int64_t power) {
  for (; power > 0; --power)
    value =
        MulOp::create(builder, value.getLoc(), value.getType(), value, factor);
  for (; power < 0; ++power)
    value =
        DivOp::create(builder, value.getLoc(), value.getType(), value, factor);
  return value;
}

Value LossTerms::build(OpBuilder &builder, ValueRange sums,
                       function_ref<Value(Value)> countOf,
                       Value batches) const {
  SmallVector<Value> parts;
  for (auto [term, sum] : llvm::zip_equal(terms, sums)) {
    Value part = scaled(builder, term, sum, countOf);
    if (batches)
      part = multiply(builder, part, batches, -term.means);
    parts.push_back(part);
  }
  return add(builder, parts);
}

Value LossTerms::buildContribution(OpBuilder &builder,
                                   function_ref<Value(Value)> countOf,
                                   Value batches) const {
  SmallVector<Value> parts;
  for (const LossTerm &term : terms) {
    Value part = scaled(builder, term, term.sum, countOf);
    parts.push_back(multiply(builder, part, batches, 1 - term.means));
  }
  return add(builder, parts);
}
