//===- Einsum.cpp - Einsum ------------------------------------------------===//
//
// Operands are combined from left to right. A label is summed over as soon as
// neither the result nor a later operand has it:
//
//   "bi,bj,ij->b"  becomes  "bi,bj->bij" (an outer product without a sum),
//   then "bij,ij->b"
//
//===----------------------------------------------------------------------===//

#include "frontend/binding/Arithmetic.h"
#include <cctype>
#include <map>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {
/// A value and the label of each of its dims.
struct Term {
  std::string labels;
  Value value;
};

struct Equation {
  SmallVector<std::string> operands;
  std::string output;
};

class Einsum {
public:
  explicit Einsum(Binder &b) : b(b), a(b) {}

  LogicalResult build();

private:
  InFlightDiagnostic error(StringRef what) {
    return b.error() << "the equation '" << b.stringAttr("equation", "") << "' "
                     << what;
  }
  FailureOr<Equation> read();
  /// Replaces the dots of `text`, an operand of this rank, by the last labels
  /// of `dots`, as numpy broadcasts.
  LogicalResult fillDots(std::string &text, int64_t rank, StringRef dots);
  LogicalResult bindLabels(const Equation &equation);
  /// Reduces dims with the same label to one dim: the diagonal.
  LogicalResult takeDiagonals(Term &term);
  /// Sums over the labels that are not in `wanted`.
  Term keep(Term term, StringRef wanted);
  Term combine(Term l, Term r, StringRef wanted);

  Shape shapeOf(StringRef labels) {
    return llvm::map_to_vector(labels,
                               [&](char label) { return extents[label]; });
  }

  Binder &b;
  Arithmetic a;
  std::map<char, int64_t> extents;
  /// The element type to compute in. PyTorch exports integer operands next to
  /// float ones, such as positions times frequencies.
  Type element;
};
} // namespace

LogicalResult Einsum::fillDots(std::string &text, int64_t rank,
                               StringRef dots) {
  size_t at = text.find("...");
  if (at == std::string::npos)
    return success();
  int64_t count = rank - (static_cast<int64_t>(text.size()) - 3);
  if (count < 0 || count > static_cast<int64_t>(dots.size()))
    return error("does not fit its operands");
  text.replace(at, 3, dots.take_back(count).str());
  return success();
}

FailureOr<Equation> Einsum::read() {
  std::string text = b.stringAttr("equation", "");
  llvm::erase(text, ' ');
  auto [inputs, output] = StringRef(text).split("->");
  SmallVector<StringRef> operands;
  inputs.split(operands, ',');
  if (operands.size() != b.numInputs())
    return error("does not have a term per operand");
  for (size_t i = 0; i < operands.size() && !element; ++i)
    if (isa<FloatType>(b.element(i)))
      element = b.element(i);
  // Integers are multiplied and added as f64, which is exact up to 2^53.
  if (!element && b.element(0).isInteger(1))
    return error("is over bools, which is not supported");
  if (!element)
    element = b.builder.getF64Type();
  // Unused labels, as many as the dots stand for dims.
  int64_t most = 0;
  for (auto [i, labels] : llvm::enumerate(operands))
    if (labels.contains("..."))
      most = std::max<int64_t>(most, b.rank(i) - (labels.size() - 3));
  std::string dots;
  for (char label = 'A'; label <= 'Z'; ++label)
    if (static_cast<int64_t>(dots.size()) < most && !inputs.contains(label))
      dots.push_back(label);
  Equation equation;
  equation.output = output.str();
  // Without an explicit output, the output has the dots' labels and those that
  // occur once, sorted.
  if (!StringRef(text).contains("->")) {
    equation.output = dots;
    for (int label = 'A'; label <= 'z'; ++label)
      if (isalpha(label) && llvm::count(text, label) == 1)
        equation.output.push_back(label);
  } else if (failed(fillDots(equation.output,
                             output.size() + most - 3 * output.contains("..."),
                             dots))) {
    return failure();
  }
  for (auto [i, labels] : llvm::enumerate(operands)) {
    equation.operands.push_back(labels.str());
    if (failed(fillDots(equation.operands.back(), b.rank(i), dots)))
      return failure();
  }
  return equation;
}

LogicalResult Einsum::bindLabels(const Equation &equation) {
  for (auto [i, labels] : llvm::enumerate(equation.operands)) {
    Shape shape = b.shape(i);
    if (shape.size() != labels.size() ||
        (isa<FloatType>(b.element(i)) && b.element(i) != element))
      return error("does not fit its operands");
    for (auto [label, extent] : llvm::zip(labels, shape)) {
      if (!isalpha(label))
        return error("has a label that is not a letter");
      int64_t &known = extents.try_emplace(label, extent).first->second;
      known = known == 1 ? extent : known;
      if (extent != 1 && extent != known)
        return error("has a label with two extents");
    }
  }
  for (char label : equation.output)
    if (!extents.count(label) || llvm::count(equation.output, label) != 1)
      return error("has an output label that is unknown or repeated");
  return success();
}

LogicalResult Einsum::takeDiagonals(Term &term) {
  for (size_t last = term.labels.size(); last-- > 0;) {
    size_t first = term.labels.find(term.labels[last]);
    if (first == last)
      continue;
    // One of the two dims gets its own label and is summed over, multiplied by
    // the identity matrix.
    char other = 'a';
    while (extents.count(other) || term.labels.find(other) != std::string::npos)
      other = other == 'z' ? 'A' : other + 1;
    char label = term.labels[last];
    int64_t extent = extents[label];
    if (failed(b.checkConstant({extent, extent})))
      return failure();
    Tensor eye(tensorType(term.value).getElementType(), {extent, extent});
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t j = 0; j < extent; ++j)
        eye.elements()[i * extent + j] = ofFloat(i == j);
    std::string from = term.labels;
    from[last] = other;
    std::string to = from;
    to.erase(last, 1);
    term.value = b.contract(from + "," + std::string{label, other} + "->" + to,
                            term.value, b.constant(eye), shapeOf(to));
    term.labels = to;
  }
  return success();
}

Term Einsum::keep(Term term, StringRef wanted) {
  SmallVector<int64_t> gone;
  std::string labels;
  for (auto [d, label] : llvm::enumerate(term.labels)) {
    if (wanted.contains(label))
      labels.push_back(label);
    else
      gone.push_back(d);
  }
  return {labels, a.reduce<ReduceOp>(term.value, gone)};
}

Term Einsum::combine(Term l, Term r, StringRef wanted) {
  // First sum over the labels that only one operand has.
  l = keep(l, wanted.str() + r.labels);
  r = keep(r, wanted.str() + l.labels);
  std::string labels, spread;
  bool sums = false;
  for (char label : l.labels + r.labels) {
    bool isKept = wanted.contains(label);
    sums |= !isKept;
    if (isKept && labels.find(label) == std::string::npos)
      labels.push_back(label);
  }
  if (sums)
    return {labels, b.contract(l.labels + "," + r.labels + "->" + labels,
                               l.value, r.value, shapeOf(labels))};
  auto widen = [&](const Term &term) {
    // Transpose to the result's order, then repeat along the missing dims.
    SmallVector<int64_t> order, dims;
    for (auto [d, label] : llvm::enumerate(labels)) {
      size_t at = term.labels.find(label);
      (at == std::string::npos ? dims : order)
          .push_back(at == std::string::npos ? d : at);
    }
    return a.spread(b.transpose(term.value, order), shapeOf(labels), dims);
  };
  return {labels, a.mul(widen(l), widen(r))};
}

LogicalResult Einsum::build() {
  FailureOr<Equation> equation = read();
  if (failed(equation) || failed(bindLabels(*equation)))
    return failure();
  SmallVector<Term> terms;
  for (auto [i, labels] : llvm::enumerate(equation->operands)) {
    // Dims of extent 1 broadcast: their label is dropped.
    Term term{"", a.cast(b.value(i), element)};
    Shape shape;
    for (auto [label, extent] : llvm::zip(labels, b.shape(i)))
      if (extent == extents[label]) {
        term.labels.push_back(label);
        shape.push_back(extent);
      }
    term.value = b.reshape(term.value, shape);
    if (failed(takeDiagonals(term)))
      return failure();
    terms.push_back(term);
  }
  Term result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    std::string wanted = equation->output;
    for (size_t later = i + 1; later < terms.size(); ++later)
      wanted += terms[later].labels;
    result = combine(result, terms[i], wanted);
  }
  result = keep(result, equation->output);
  SmallVector<int64_t> order;
  for (char label : equation->output)
    order.push_back(result.labels.find(label));
  Value combined = b.transpose(result.value, order);
  bool ofIntegers =
      llvm::none_of(llvm::seq<unsigned>(0, b.numInputs()),
                    [&](unsigned i) { return isa<FloatType>(b.element(i)); });
  b.set(0, ofIntegers ? a.cast(combined, b.element(0)) : combined);
  return success();
}

static LogicalResult buildEinsum(Binder &b) { return Einsum(b).build(); }

ArrayRef<OpEntry> pcc::frontend::einsumOps() {
  static const OpEntry table[] = {
      {"Einsum", 12, kAnyOpset, atLeast(1), nullptr, buildEinsum,
       attributes(stringAttr("equation").required())},
  };
  return table;
}
