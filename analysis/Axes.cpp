//===- Axes.cpp - Batch and sequence dims, entry arguments ----------------===//

#include "analysis/Axes.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::nn;

namespace {

enum class Axis : uint8_t { Other, Batch, Sequence };

/// A factor of a dim. A dim is a product of pieces, major to minor: the first
/// dim of [batch * seq, n] has two pieces.
struct Piece {
  int64_t size;
  Axis axis;
};
using Dims = SmallVector<SmallVector<Piece, 2>, 4>;

/// The sequence length of the tokens.
int64_t lengthOf(BlockArgument tokens) {
  return tensorType(tokens).getDimSize(*dimsOf(tokens).sequence);
}

struct AxisFinder {
  DenseMap<Value, Dims> known;

  static Dims plain(Value value) {
    Dims dims;
    for (int64_t extent : tensorType(value).getShape())
      dims.push_back({{extent, Axis::Other}});
    return dims;
  }

  static Dims ofArgument(BlockArgument argument) {
    Dims dims = plain(argument);
    InputDims known = dimsOf(argument);
    if (known.batch)
      dims[*known.batch][0].axis = Axis::Batch;
    if (!known.sequence)
      return dims;
    // With several sequences, only the dim of the first tokens, which positions
    // number, is the sequence.
    Piece &sequence = dims[*known.sequence][0];
    auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    BlockArgument tokens = findInput(func, InputRole::Tokens);
    if (roleOf(argument) == InputRole::Positions ||
        (tokens && sequence.size == lengthOf(tokens)))
      sequence.axis = Axis::Sequence;
    return dims;
  }

  /// Assigns the pieces of a dim to the dim's factors in an op's sharding rule,
  /// major to minor, as long as sizes match.
  static void assign(ArrayRef<Piece> pieces, ArrayRef<int> factors,
                     const ShardingRule &rule,
                     MutableArrayRef<SmallVector<Piece, 2>> known) {
    for (int factor : factors) {
      int64_t size = rule.factors[factor].size, covered = 1;
      size_t n = 0;
      while (n < pieces.size() && (n == 0 || covered < size))
        covered *= pieces[n++].size;
      if (covered != size)
        return;
      bool plain = llvm::all_of(
          known[factor], [](Piece piece) { return piece.axis == Axis::Other; });
      if (plain)
        known[factor].assign(pieces.begin(), pieces.begin() + n);
      pieces = pieces.drop_front(n);
    }
  }

  /// Computes the pieces of a value, operands before results. It does not
  /// recurse, as graphs may be deep.
  const Dims &find(Value value) {
    SmallVector<Value> work = {value};
    while (!work.empty()) {
      Value next = work.back();
      if (known.contains(next)) {
        work.pop_back();
        continue;
      }
      auto op = next.getDefiningOp<ShardingRuleInterface>();
      size_t before = work.size();
      if (op)
        for (Value operand : op->getOperands())
          if (!known.contains(operand))
            work.push_back(operand);
      if (work.size() > before)
        continue;
      work.pop_back();
      if (auto argument = dyn_cast<BlockArgument>(next))
        known[next] = ofArgument(argument);
      else
        known[next] = op ? through(op, cast<OpResult>(next).getResultNumber())
                         : plain(next);
    }
    return known[value];
  }

  Dims through(ShardingRuleInterface op, unsigned result) {
    ShardingRule rule = op.getShardingRule();
    SmallVector<SmallVector<Piece, 2>> pieces;
    for (const ShardingRule::Factor &factor : rule.factors)
      pieces.push_back({{factor.size, Axis::Other}});
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Dims dims = known.lookup(operand);
      for (auto [own, factors] : llvm::zip(dims, rule.operands[i]))
        assign(own, factors, rule, pieces);
    }
    Dims dims;
    for (const DimFactors &factors : rule.results[result]) {
      dims.emplace_back();
      for (int factor : factors)
        llvm::append_range(dims.back(), pieces[factor]);
    }
    return dims;
  }
};

} // namespace

BatchAndSequence pcc::analysis::findAxes(Value value) {
  AxisFinder finder;
  const Dims &dims = finder.find(value);
  BatchAndSequence axes;
  for (auto [d, pieces] : llvm::enumerate(dims)) {
    if (pieces.size() != 1)
      continue;
    int64_t dim = d;
    if (pieces[0].axis == Axis::Batch && axes.batch < 0)
      axes.batch = dim;
    if (pieces[0].axis == Axis::Sequence && axes.seq < 0)
      axes.seq = dim;
  }
  return axes;
}

struct SequenceFinder::State {
  AxisFinder finder;
};

SequenceFinder::SequenceFinder() : state(std::make_unique<State>()) {}
SequenceFinder::~SequenceFinder() = default;

std::optional<unsigned> SequenceFinder::find(Value value,
                                             ArrayRef<unsigned> candidates) {
  const Dims &dims = state->finder.find(value);
  std::optional<unsigned> other;
  for (unsigned dim : candidates) {
    if (dims[dim].size() == 1 && dims[dim][0].axis == Axis::Sequence)
      return dim;
    bool hasSamples = llvm::any_of(
        dims[dim], [](Piece piece) { return piece.axis == Axis::Batch; });
    bool isLonger = !other || (tensorType(value).getDimSize(*other) == 1 &&
                               tensorType(value).getDimSize(dim) > 1);
    if (!hasSamples && isLonger)
      other = dim;
  }
  return other;
}

std::optional<bool> pcc::analysis::runsOverBatch(Value value,
                                                 ArrayRef<int64_t> wanted) {
  AxisFinder finder;
  const Dims &dims = finder.find(value);
  std::optional<bool> found;
  for (auto [d, pieces] : llvm::enumerate(dims))
    if (llvm::any_of(pieces,
                     [](Piece piece) { return piece.axis == Axis::Batch; }))
      found = found.value_or(false) ||
              llvm::is_contained(wanted, static_cast<int64_t>(d));
  return found;
}

/// Whether an op has the batch dims of the samples and of a candidate as one
/// factor (true) or only as different factors (false); nullopt if it does not
/// have both.
static std::optional<bool> seesTogether(ShardingRuleInterface op,
                                        const AxisFinder &samples,
                                        const AxisFinder &candidate) {
  ShardingRule rule = op.getShardingRule();
  // For each factor, bit masks of the operands that have it as batch dim of the
  // samples (first) and of the candidate (second).
  SmallVector<std::pair<unsigned, unsigned>> rows(rule.factors.size());
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto mark = [&](const AxisFinder &finder, auto member) {
      auto dims = finder.known.find(op->getOperand(i));
      if (dims == finder.known.end())
        return;
      SmallVector<SmallVector<Piece, 2>> pieces;
      for (const ShardingRule::Factor &factor : rule.factors)
        pieces.push_back({{factor.size, Axis::Other}});
      for (auto [own, factors] : llvm::zip(dims->second, rule.operands[i]))
        AxisFinder::assign(own, factors, rule, pieces);
      for (auto [f, found] : llvm::enumerate(pieces))
        if (llvm::any_of(found, [](Piece p) { return p.axis == Axis::Batch; }))
          rows[f].*member |= 1u << std::min(i, 31u);
    };
    mark(samples, &std::pair<unsigned, unsigned>::first);
    mark(candidate, &std::pair<unsigned, unsigned>::second);
  }
  std::optional<bool> answer;
  bool ofSamples = false, ofCandidate = false;
  for (auto [first, second] : rows) {
    // If a single operand has both, it is their outer product.
    if (first && second && first != second)
      return true;
    ofSamples |= first != 0;
    ofCandidate |= second != 0;
  }
  if (ofSamples && ofCandidate)
    answer = false;
  return answer;
}

bool pcc::analysis::reachesRows(BlockArgument argument, Value output) {
  AxisFinder finder;
  for (BlockArgument other : argument.getOwner()->getArguments()) {
    Dims dims = AxisFinder::plain(other);
    if (other == argument && !dims.empty())
      dims[0][0].axis = Axis::Batch;
    finder.known[other] = dims;
  }
  const Dims &dims = finder.find(output);
  return !dims.empty() && llvm::any_of(dims[0], [](Piece piece) {
    return piece.axis == Axis::Batch;
  });
}

std::optional<bool>
pcc::analysis::isUsedByRow(BlockArgument candidate,
                           ArrayRef<BlockArgument> samples) {
  AxisFinder ofSamples, ofCandidate;
  Block *body = candidate.getOwner();
  for (BlockArgument argument : body->getArguments())
    for (AxisFinder *finder : {&ofSamples, &ofCandidate}) {
      Dims dims = AxisFinder::plain(argument);
      bool hasRows = finder == &ofSamples
                         ? llvm::is_contained(samples, argument)
                         : argument == candidate;
      if (hasRows && !dims.empty())
        dims[0][0].axis = Axis::Batch;
      finder->known[argument] = dims;
    }
  std::optional<bool> found;
  for (Operation &op : *body) {
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      ofSamples.find(result);
      ofCandidate.find(result);
    }
    auto rule = dyn_cast<ShardingRuleInterface>(op);
    auto together = rule ? seesTogether(rule, ofSamples, ofCandidate)
                         : std::optional<bool>();
    if (together && *together)
      return true;
    found = together ? together : found;
  }
  return found;
}

Value pcc::analysis::entryArgument(func::FuncOp forward, InputRole role) {
  if (BlockArgument argument = findInput(forward, role))
    return argument;
  static constexpr InputRole order[] = {
      InputRole::DocumentStarts, InputRole::Positions, InputRole::Samples,
      InputRole::Seed, InputRole::Step};
  // Before the first argument that follows it in this order, else at the end.
  unsigned index = forward.getNumArguments();
  bool later = false;
  for (InputRole other : order) {
    later |= other == role;
    if (BlockArgument found = findInput(forward, other); later && found)
      index = std::min(index, found.getArgNumber());
  }
  SmallVector<int64_t> extents;
  if (!isScalar(role)) {
    if (role != InputRole::Positions) {
      BlockArgument rows = findModelData(forward);
      extents.push_back(tensorType(rows).getDimSize(*dimsOf(rows).batch));
    }
    if (role != InputRole::Samples)
      extents.push_back(lengthOf(findInput(forward, InputRole::Tokens)));
  }
  Type i64 = IntegerType::get(forward.getContext(), 64);
  return insertInput(forward, index, role, stringifyInputRole(role),
                     RankedTensorType::get(extents, i64), forward.getLoc());
}
