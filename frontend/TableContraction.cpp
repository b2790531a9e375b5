//===- TableContraction.cpp - Operators that multiply and sum -------------===//

#include "frontend/Arithmetic.h"
#include <cctype>
#include <map>

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Labels for up to so many dims; batch dims take from the front.
static constexpr StringLiteral kLabels = "abcdefghij";

/// Numpy's matmul: the last two dims are matrices, the others broadcast.
static FailureOr<Value> multiply(Binder &b, Value left, Value right) {
  Shape l(tensorType(left).getShape()), r(tensorType(right).getShape());
  if (l.empty() || r.empty() || !isa<FloatType>(b.element(0)))
    return b.error() << "takes floats of at least one dim";
  // A vector is a matrix whose other dim disappears.
  bool rowVector = l.size() == 1, columnVector = r.size() == 1;
  int64_t k = l.back(), rk = columnVector ? r[0] : r[r.size() - 2];
  if (k != rk)
    return b.error() << "a sum over " << k << " and " << rk << " elements";
  Shape lBatch(l.begin(), l.end() - (rowVector ? 1 : 2));
  Shape rBatch(r.begin(), r.end() - (columnVector ? 1 : 2));
  auto batch = broadcastShapes({lBatch, rBatch});
  if (!batch || batch->size() > kLabels.size())
    return b.error() << "the shapes of its operands do not fit";

  // Batch dims that one operand lacks need not be broadcast: their label is
  // then an M or N of the other.
  Shape shape = *batch;
  std::string labels = kLabels.take_front(batch->size()).str();
  auto operand = [&](Value value, const Shape &own, StringRef tail) {
    ArrayRef<int64_t> full = tensorType(value).getShape();
    Shape kept;
    std::string mine;
    size_t lead = batch->size() - own.size();
    for (auto [d, extent] : llvm::enumerate(own))
      if (extent == (*batch)[lead + d]) {
        mine.push_back(labels[lead + d]);
        kept.push_back(extent);
      }
    llvm::append_range(kept, full.drop_front(own.size()));
    return std::pair(b.reshape(value, kept), mine + tail.str());
  };
  auto [lhs, lLabels] = operand(left, lBatch, rowVector ? "k" : "mk");
  auto [rhs, rLabels] = operand(right, rBatch, columnVector ? "k" : "kn");
  std::string out = labels;
  if (!rowVector) {
    out += "m";
    shape.push_back(l[l.size() - 2]);
  }
  if (!columnVector) {
    out += "n";
    shape.push_back(r.back());
  }
  return b.contract(lLabels + "," + rLabels + "->" + out, lhs, rhs, shape);
}

static LogicalResult buildMatMul(Binder &b) {
  FailureOr<Value> product = multiply(b, b.value(0), b.value(1));
  if (failed(product))
    return failure();
  b.set(0, *product);
  return success();
}

/// ONNX Runtime's matmul with what its optimizer moved into it: a factor, and
/// for each operand a transpose of its last two dims or of the first dim with
/// those of the batch.
static LogicalResult buildFusedMatMul(Binder &b) {
  auto operand = [&](unsigned i, StringRef swap, StringRef swapBatch) {
    Value value = b.value(i);
    int64_t rank = b.rank(i);
    if (rank < 2)
      return value;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (b.intAttr(swapBatch, 0))
      std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    if (b.intAttr(swap, 0))
      std::swap(order[rank - 2], order[rank - 1]);
    return llvm::is_sorted(order) ? value : b.transpose(value, order);
  };
  FailureOr<Value> product = multiply(b, operand(0, "transA", "transBatchA"),
                                      operand(1, "transB", "transBatchB"));
  if (failed(product))
    return failure();
  b.set(0, b.scale(*product, b.floatAttr("alpha", 1.0)));
  return success();
}

/// A contraction by its labels: each of one letter, none twice in one operand.
static LogicalResult buildEinsum(Binder &b) {
  std::string text = b.stringAttr("equation", "");
  llvm::erase(text, ' ');
  // Without an output it has the labels that occur once, sorted.
  if (!StringRef(text).contains("->")) {
    std::string once;
    for (int label = 'A'; label <= 'z'; ++label)
      if (isalpha(label) && llvm::count(text, label) == 1)
        once.push_back(label);
    text += "->" + once;
  }
  auto [inputs, output] = StringRef(text).split("->");
  SmallVector<StringRef> labels;
  inputs.split(labels, ',');
  if (labels.size() != b.numInputs() || labels.size() > 2 ||
      !isa<FloatType>(b.element(0)) || StringRef(text).contains('.'))
    return b.error() << "the equation '" << text << "' is not supported";
  std::map<char, int64_t> extents;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    Shape shape = b.shape(i);
    bool fits = shape.size() == labels[i].size();
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      char label = labels[i][d];
      auto known = extents.try_emplace(label, shape[d]).first;
      fits = known->second == shape[d] && labels[i].count(label) == 1;
    }
    if (!fits)
      return b.error() << "the equation '" << text
                       << "' does not fit, or repeats a label";
  }
  Shape shape;
  for (char label : output) {
    if (!extents.count(label) || output.count(label) != 1)
      return b.error() << "the equation '" << text << "' is not supported";
    shape.push_back(extents[label]);
  }
  // Labels of one operand alone are summed over before.
  Arithmetic a(b);
  SmallVector<Value> values;
  SmallVector<std::string> kept;
  for (unsigned i = 0; i < b.numInputs(); ++i) {
    StringRef other = labels.size() > 1 ? labels[1 - i] : "";
    SmallVector<int64_t> gone;
    kept.emplace_back();
    for (auto [d, label] : llvm::enumerate(labels[i])) {
      if (output.contains(label) || other.contains(label))
        kept.back().push_back(label);
      else
        gone.push_back(d);
    }
    values.push_back(a.reduce<ReduceOp>(b.value(i), gone));
  }
  if (values.size() == 2) {
    b.set(0, b.contract(kept[0] + "," + kept[1] + "->" + output, values[0],
                        values[1], shape));
    return success();
  }
  SmallVector<int64_t> permutation;
  for (char label : output)
    permutation.push_back(kept[0].find(label));
  b.set(0, b.transpose(values[0], permutation));
  return success();
}

static LogicalResult buildGemm(Binder &b) {
  if (b.rank(0) != 2 || b.rank(1) != 2 || !isa<FloatType>(b.element(0)))
    return b.error() << "takes matrices of floats";
  bool transA = b.intAttr("transA", 0), transB = b.intAttr("transB", 0);
  Shape l = b.shape(0), r = b.shape(1);
  int64_t m = l[transA], n = r[!transB];
  if (l[!transA] != r[transB])
    return b.error() << "a sum over " << l[!transA] << " and " << r[transB]
                     << " elements";
  Value y =
      b.contract(Twine(transA ? "km," : "mk,") + (transB ? "nk->mn" : "kn->mn"),
                 b.value(0), b.value(1), {m, n});
  y = b.scale(y, b.floatAttr("alpha", 1.0));
  double beta = b.floatAttr("beta", 1.0);
  if (b.has(2) && beta != 0) {
    if (!broadcastShapes({b.shape(2), Shape({m, n})}))
      return b.error() << "the shapes of its operands do not fit";
    Value bias = b.broadcast(b.scale(b.value(2), beta), {m, n});
    y = SumOp::create(b.builder, b.loc, y.getType(), ValueRange{y, bias});
  }
  b.set(0, y);
  return success();
}

/// A convolution whose windows tile the image: a linear layer on patches.
static LogicalResult buildConv(Binder &b) {
  Shape x = b.shape(0), w = b.shape(1);
  size_t spatial = x.size() < 3 ? 0 : x.size() - 2;
  if (!spatial || w.size() != x.size() || !isa<FloatType>(b.element(0)))
    return b.error() << "takes images [n, channel, ...] and kernels [m, "
                        "channel, ...] of floats";
  ArrayRef<int64_t> kernel = ArrayRef<int64_t>(w).drop_front(2);
  auto is = [&](StringRef name, ArrayRef<int64_t> wanted) {
    auto given = b.ints(name);
    return given ? ArrayRef<int64_t>(*given) == wanted
                 : llvm::all_of(wanted, [](int64_t n) { return n == 1; });
  };
  Shape ones(spatial, 1), zeros(2 * spatial, 0);
  bool tiles = x[1] == w[1] && b.intAttr("group", 1) == 1 &&
               is("strides", kernel) && is("dilations", ones) &&
               (!b.find("pads") || is("pads", zeros));
  std::string pad = b.stringAttr("auto_pad", "NOTSET");
  for (size_t d = 0; d < spatial; ++d)
    tiles &= x[2 + d] % kernel[d] == 0;
  if (!tiles || (pad != "NOTSET" && pad != "VALID" &&
                 !StringRef(pad).starts_with("SAME")))
    return b.error() << "only windows that tile the image are supported: "
                        "strides equal to the kernel, nothing between or "
                        "around them";

  // [n, c, h, y, w, x] to [n, h, w, c, y, x], each patch then one dim.
  Shape split = {x[0], x[1]}, counts;
  SmallVector<int64_t> permutation = {0}, inner = {1};
  int64_t patches = 1, elements = x[1];
  for (size_t d = 0; d < spatial; ++d) {
    counts.push_back(x[2 + d] / kernel[d]);
    permutation.push_back(split.size());
    inner.push_back(split.size() + 1);
    split.append({counts.back(), kernel[d]});
    patches *= counts.back();
    elements *= kernel[d];
  }
  permutation.append(inner);
  Value rows = b.reshape(b.transpose(b.reshape(b.value(0), split), permutation),
                         {x[0], patches, elements});
  Value y =
      b.contract("bsk,nk->bsn", rows, b.reshape(b.value(1), {w[0], elements}),
                 {x[0], patches, w[0]});
  if (b.has(2))
    y = SumOp::create(
        b.builder, b.loc, y.getType(),
        ValueRange{y, b.broadcast(b.value(2), {x[0], patches, w[0]})});
  counts.insert(counts.begin(), {x[0], w[0]});
  b.set(0, b.reshape(b.transpose(y, {0, 2, 1}), counts));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::contractionOps() {
  static const OpEntry table[] = {
      {"Conv", 1, kAnyOpset, 2, nullptr, buildConv},
      {"Einsum", 12, kAnyOpset, 1, nullptr, buildEinsum},
      {"Gemm", 1, kAnyOpset, 2, nullptr, buildGemm},
      {"MatMul", 1, kAnyOpset, 2, nullptr, buildMatMul},
      {"com.microsoft.FusedMatMul", 1, kAnyOpset, 2, nullptr, buildFusedMatMul},
  };
  return table;
}
