//===- Runs.cpp - Elementwise ops on run-length encoded lines -------------===//

#include "analysis/Runs.h"
#include "analysis/Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::nn;

/// Integers up to this magnitude, and sums of two, are exact in f32.
static constexpr double kExact = 1 << 22;

static Scalar valueAt(const Run &run, int64_t offset, bool isFloat) {
  return isFloat ? ofFloat(run.first.f + run.slope * offset)
                 : ofInt(run.first.i + run.slope * offset);
}

static bool isSame(Scalar a, Scalar b, bool isFloat) {
  return isFloat ? a.f == b.f : a.i == b.i;
}

void pcc::analysis::append(Line &line, Run run, bool isFloat) {
  if (run.end - (line.empty() ? 0 : line.back().end) == 1)
    run.slope = 0;
  if (!line.empty()) {
    Run &last = line.back();
    int64_t begin = line.size() > 1 ? line[line.size() - 2].end : 0;
    bool goesOn = last.isKnown == run.isKnown;
    if (run.isKnown && goesOn)
      goesOn =
          last.slope == run.slope &&
          isSame(valueAt(last, last.end - begin, isFloat), run.first, isFloat);
    if (goesOn) {
      last.end = run.end;
      return;
    }
  }
  line.push_back(run);
}

Line pcc::analysis::repeated(int64_t size, std::optional<Scalar> value) {
  return {Run{size, value.has_value(), value.value_or(ofInt(0)), 0}};
}

static bool isWhole(Scalar s, bool isFloat) {
  return !isFloat || (std::fabs(s.f) <= kExact && s.f == std::floor(s.f));
}

Line pcc::analysis::compress(ArrayRef<Scalar> values, bool isFloat) {
  Line line;
  int64_t size = values.size();
  auto step = [&](int64_t i) -> std::optional<int64_t> {
    Scalar a = values[i], b = values[i + 1];
    if (isSame(a, b, isFloat))
      return 0;
    if (!isWhole(a, isFloat) || !isWhole(b, isFloat))
      return std::nullopt;
    return isFloat ? static_cast<int64_t>(b.f - a.f) : b.i - a.i;
  };
  for (int64_t begin = 0; begin < size;) {
    int64_t end = begin + 1, slope = 0;
    // Two different values do not form a run; a slope needs three.
    if (end < size) {
      std::optional<int64_t> first = step(begin);
      bool rises = first && (*first == 0 ||
                             (end + 1 < size && step(begin + 1) == first));
      for (slope = rises ? *first : 0;
           rises && end < size && step(end - 1) == first;)
        ++end;
    }
    line.push_back({end, true, values[begin], slope});
    begin = end;
  }
  return line;
}

static bool holds(Relation relation, int sign) {
  return relation == Relation::Equal  ? sign == 0
         : relation == Relation::Less ? sign < 0
                                      : sign <= 0;
}

/// The result of a float op; nullopt (not known) for ops without a formula
/// here.
static std::optional<Scalar> applyFloat(Operation *op, ArrayRef<Scalar> in) {
  using Result = std::optional<double>;
  double x = in[0].f, y = in.size() > 1 ? in[1].f : 0;
  Result result =
      TypeSwitch<Operation *, Result>(op)
          .Case([&](SumOp) {
            double sum = 0;
            for (Scalar s : in)
              sum += s.f;
            return sum;
          })
          .Case([&](SubOp) { return x - y; })
          .Case([&](MulOp) { return x * y; })
          .Case([&](DivOp) { return x / y; })
          .Case([&](MaxOp) { return std::max(x, y); })
          .Case([&](MinOp) { return std::min(x, y); })
          .Case([&](RemOp) { return std::fmod(x, y); })
          .Case([&](PowOp) { return std::pow(x, y); })
          .Case([&](ScaleOp s) { return x * s.getFactor().convertToDouble(); })
          .Case([&](ExpOp) { return std::exp(x); })
          .Case([&](LogOp) { return std::log(x); })
          .Case([&](SqrtOp) { return std::sqrt(x); })
          .Case([&](TanhOp) { return std::tanh(x); })
          .Case([&](ErfOp) { return std::erf(x); })
          .Case([&](SinOp) { return std::sin(x); })
          .Case([&](CosOp) { return std::cos(x); })
          .Case([&](FloorOp) { return std::floor(x); })
          .Case([&](RoundOp) { return std::nearbyint(x); })
          .Case([&](SigmoidOp) { return 1 / (1 + std::exp(-x)); })
          .Case([&](ReluOp) { return std::max(x, 0.0); })
          .Default([](Operation *) { return Result(); });
  if (!result)
    return std::nullopt;
  return roundTo(tensorType(op->getResult(0)).getElementType(),
                 ofFloat(*result));
}

/// The result of an integer op; nullopt (not known) if it is undefined at run
/// time, and for ops without a formula here.
static std::optional<int64_t> applyInt(Operation *op, ArrayRef<Scalar> in) {
  using Result = std::optional<int64_t>;
  int64_t x = in[0].i, y = in.size() > 1 ? in[1].i : 0;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](SumOp) -> Result {
        int64_t sum = 0;
        for (Scalar s : in)
          sum += s.i;
        return sum;
      })
      .Case([&](SubOp) -> Result { return x - y; })
      .Case([&](MulOp) -> Result { return x * y; })
      .Case([&](DivOp) { return y ? Result(x / y) : std::nullopt; })
      .Case([&](RemOp) { return y ? Result(x % y) : std::nullopt; })
      .Case([&](MaxOp) -> Result { return std::max(x, y); })
      .Case([&](MinOp) -> Result { return std::min(x, y); })
      .Default([](Operation *) { return Result(); });
}

/// The result for one element of each operand; nullopt if it is not known.
static std::optional<Scalar> apply(Operation *op, ArrayRef<Scalar> in) {
  Type from = tensorType(op->getOperand(0)).getElementType();
  Type to = tensorType(op->getResult(0)).getElementType();
  bool isFloat = isa<FloatType>(from);
  if (auto compare = dyn_cast<CompareOp>(op)) {
    if (isFloat && (std::isnan(in[0].f) || std::isnan(in[1].f)))
      return ofInt(0);
    int sign = isFloat ? (in[0].f > in[1].f) - (in[0].f < in[1].f)
                       : (in[0].i > in[1].i) - (in[0].i < in[1].i);
    return ofInt(holds(compare.getRelation(), sign));
  }
  if (isa<CastOp>(op)) {
    if (isa<FloatType>(to))
      return roundTo(to, isFloat ? in[0] : ofFloat(in[0].i));
    if (to.isInteger(1))
      return ofInt(isFloat ? in[0].f != 0 : in[0].i != 0);
    return isFloat ? ofInt(static_cast<int64_t>(in[0].f)) : in[0];
  }
  if (isFloat)
    return applyFloat(op, in);
  std::optional<int64_t> result = applyInt(op, in);
  if (!result)
    return std::nullopt;
  // A bool is true if the result is not zero; a product of bools is `and`.
  return ofInt(to.isInteger(1) ? *result != 0 : *result);
}

/// The signs of the `size` numbers d, d + slope, ... as runs (end, sign).
static SmallVector<std::pair<int64_t, int>> signsOf(int64_t d, int64_t slope,
                                                    int64_t size) {
  SmallVector<std::pair<int64_t, int>> signs;
  int before = d < 0 ? -1 : d > 0;
  if (slope == 0 || (before && (before < 0) == (slope < 0)))
    return {{size, before}};
  // The index of the first number that is 0 or has the other sign.
  int64_t distance = std::abs(d), step = std::abs(slope);
  int64_t cross = (distance + step - 1) / step;
  int after = slope < 0 ? -1 : 1;
  auto add = [&](int64_t end, int sign) {
    end = std::min(end, size);
    if (end > (signs.empty() ? 0 : signs.back().first))
      signs.push_back({end, sign});
  };
  add(cross, before);
  add(cross + (distance % step == 0), 0);
  add(size, after);
  return signs;
}

namespace {

/// A segment of a line from `begin` to `end`, in which each operand is a single
/// run.
struct Segment {
  Operation *op;
  int64_t begin, end;
  ArrayRef<Run> in;
  bool isFloat, isResultFloat;
  /// Whether values that are not known are finite and no mask.
  bool isFinite;
  Line &line;

  void put(int64_t to, std::optional<Scalar> value, int64_t slope = 0) const {
    append(line, {to, value.has_value(), value.value_or(ofInt(0)), slope},
           isResultFloat);
  }
  void unknown() const { put(end, std::nullopt); }
  /// Appends operand `i` from `from` to `to` as the result.
  void copy(unsigned i, int64_t from, int64_t to) const {
    if (!in[i].isKnown)
      return put(to, std::nullopt);
    put(to, valueAt(in[i], from - begin, isResultFloat), in[i].slope);
  }
  void elementByElement() const {
    SmallVector<Scalar> values(in.size());
    for (int64_t i = begin; i < end; ++i) {
      for (auto [value, run] : llvm::zip(values, in))
        value = valueAt(run, i - begin, isFloat);
      put(i + 1, apply(op, values));
    }
  }
  bool isExact() const {
    return llvm::all_of(in, [&](const Run &run) {
      return isWhole(run.first, isFloat) &&
             isWhole(valueAt(run, end - begin - 1, isFloat), isFloat);
    });
  }
  int64_t whole(unsigned i) const {
    return isFloat ? static_cast<int64_t>(in[i].first.f) : in[i].first.i;
  }
  std::optional<double> resultWithUnknowns() const;
  void compute() const;
  void chooseBySign(llvm::function_ref<void(int64_t, int64_t, int)> fn) const;
};

} // namespace

/// Calls fn with each range of elements for which the first operand minus the
/// second has one sign, and with that sign.
void Segment::chooseBySign(
    llvm::function_ref<void(int64_t, int64_t, int)> fn) const {
  int64_t from = begin;
  for (auto [to, sign] :
       signsOf(whole(0) - whole(1), in[0].slope - in[1].slope, end - begin)) {
    fn(from, begin + to, sign);
    from = begin + to;
  }
}

/// The op's result if operands that are not known are finite and no mask: 0 if
/// a factor or the dividend is 0; the known operands' sum or difference if it
/// masks a key (kRemovesKey). Otherwise nullopt.
std::optional<double> Segment::resultWithUnknowns() const {
  double known = 0;
  bool hasZero = false;
  for (auto [i, run] : llvm::enumerate(in)) {
    if (!run.isKnown || run.slope)
      continue;
    known += isa<SubOp>(op) && i == 1 ? -run.first.f : run.first.f;
    hasZero |= run.first.f == 0 && (isa<MulOp>(op) || i == 0);
  }
  if (isa<MulOp, DivOp>(op) && hasZero)
    return 0;
  if (isa<SumOp, SubOp>(op) && known <= kRemovesKey)
    return known;
  return std::nullopt;
}

void Segment::compute() const {
  if (isa<WhereOp>(op)) {
    if (in[0].isKnown)
      return copy(in[0].first.i ? 1 : 2, begin, end);
    bool isEither = in[1].isKnown && in[2].isKnown && !in[1].slope &&
                    !in[2].slope &&
                    isSame(in[1].first, in[2].first, isResultFloat);
    return isEither ? copy(1, begin, end) : unknown();
  }
  if (isa<MulOp>(op) && !isFloat)
    for (const Run &run : in)
      if (run.isKnown && !run.slope && run.first.i == 0)
        return put(end, ofInt(0));
  if (!llvm::all_of(in, [](const Run &run) { return run.isKnown; })) {
    std::optional<double> number;
    if (isFinite && isFloat && isResultFloat)
      number = resultWithUnknowns();
    return number ? put(end, ofFloat(*number)) : unknown();
  }
  if (llvm::all_of(in, [](const Run &run) { return run.slope == 0; })) {
    SmallVector<Scalar> values;
    for (const Run &run : in)
      values.push_back(run.first);
    return put(end, apply(op, values));
  }
  if (!isExact())
    return elementByElement();
  auto result = [&](int64_t first) {
    return isResultFloat ? ofFloat(first) : ofInt(first);
  };
  Type to = tensorType(op->getResult(0)).getElementType();
  if (isa<SumOp>(op)) {
    int64_t first = 0, slope = 0;
    for (auto [i, run] : llvm::enumerate(in)) {
      first += whole(i);
      slope += run.slope;
    }
    return put(end, result(first), slope);
  }
  if (isa<SubOp>(op))
    return put(end, result(whole(0) - whole(1)), in[0].slope - in[1].slope);
  if (isa<MulOp>(op))
    for (int i : {0, 1})
      if (in[i].slope == 0)
        return put(end, result(whole(0) * whole(1)),
                   whole(i) * in[1 - i].slope);
  // Only to types that represent these numbers exactly.
  if (isa<CastOp>(op) &&
      (to.isF32() || to.isF64() || to.isInteger(32) || to.isInteger(64)))
    return put(end, result(whole(0)), in[0].slope);
  if (auto compare = dyn_cast<CompareOp>(op))
    return chooseBySign([&](int64_t, int64_t stop, int sign) {
      put(stop, ofInt(holds(compare.getRelation(), sign)));
    });
  if (isa<MaxOp, MinOp>(op))
    return chooseBySign([&](int64_t start, int64_t stop, int sign) {
      copy(isa<MaxOp>(op) == (sign >= 0) ? 0 : 1, start, stop);
    });
  elementByElement();
}

Line pcc::analysis::combine(Operation *op, ArrayRef<ArrayRef<Run>> operands,
                            bool isFinite) {
  // The first operand of nn.where is its condition; the others determine the
  // kind.
  bool isFloat =
      isa<FloatType>(tensorType(op->getOperands().back()).getElementType());
  bool isResultFloat =
      isa<FloatType>(tensorType(op->getResult(0)).getElementType());
  Line line;
  SmallVector<unsigned> at(operands.size(), 0);
  int64_t begin = 0, size = operands.front().back().end;
  while (begin < size) {
    int64_t end = size;
    SmallVector<Run> in;
    for (auto [runs, i] : llvm::zip(operands, at)) {
      while (runs[i].end <= begin)
        ++i;
      end = std::min(end, runs[i].end);
    }
    for (auto [number, entry] : llvm::enumerate(llvm::zip(operands, at))) {
      auto [runs, i] = entry;
      Run run = runs[i];
      bool isCondition = isa<WhereOp>(op) && number == 0;
      if (run.isKnown)
        run.first = valueAt(run, begin - (i ? runs[i - 1].end : 0),
                            isFloat && !isCondition);
      in.push_back(run);
    }
    Segment{op, begin, end, in, isFloat, isResultFloat, isFinite, line}
        .compute();
    begin = end;
  }
  return line;
}
