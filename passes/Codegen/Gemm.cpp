//===- Gemm.cpp - Contractions as matrix products -------------------------===//
//
// Labels of one kind (batch, M, N, K) that lie next to each other in both
// tensors they occur in are one dim. One dim of each kind becomes the matrix;
// what is left of batch, M and N are batches, with stride 0 in the tensor that
// lacks the label.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Gemm.h"

using namespace mlir;
using namespace pcc;

namespace {

enum Tensor { Lhs, Rhs, Result };

/// A loop of the contraction: its extent and its stride in each tensor, 0 in
/// one that lacks it.
struct Dim {
  int64_t size = 1;
  std::array<int64_t, 3> stride = {0, 0, 0};
};

using Dims = SmallVector<Dim, 4>;

/// The dims of a contraction by kind.
struct Kinds {
  Dims batch, m, n, k;
};

/// Joins dims that are one dim in every tensor.
void merge(Dims &dims) {
  auto inside = [](const Dim &outer, const Dim &inner) {
    for (int t : {Lhs, Rhs, Result})
      if (outer.stride[t] != inner.stride[t] * inner.size)
        return false;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < dims.size() && !changed; ++i)
      for (unsigned j = 0; j < dims.size() && !changed; ++j)
        if (i != j && inside(dims[i], dims[j])) {
          dims[j].size *= dims[i].size;
          dims.erase(dims.begin() + i);
          changed = true;
        }
  }
}

Kinds classify(nn::ContractOp op, ArrayRef<MemRefType> types) {
  StringRef labels[] = {op.getLhsLabels(), op.getRhsLabels(),
                        op.getResultLabels()};
  Kinds kinds;
  llvm::SmallSetVector<char, 8> all;
  for (StringRef tensor : labels)
    all.insert(tensor.begin(), tensor.end());
  for (char label : all) {
    Dim dim;
    dim.size = op.getLabelSize(label);
    if (dim.size == 1)
      continue;
    bool in[3];
    for (int t : {Lhs, Rhs, Result}) {
      size_t position = labels[t].find(label);
      in[t] = position != StringRef::npos;
      if (in[t])
        dim.stride[t] = rt::getStrides(types[t])[position];
    }
    Dims &kind = in[Lhs] && in[Rhs] ? (in[Result] ? kinds.batch : kinds.k)
                 : in[Lhs]          ? kinds.m
                                    : kinds.n;
    kind.push_back(dim);
  }
  for (Dims *dims : {&kinds.batch, &kinds.m, &kinds.n, &kinds.k})
    merge(*dims);
  return kinds;
}

/// One matrix as the library wants it.
struct Matrix {
  bool isTransposed;
  int64_t leading;
};

/// A matrix of rows x columns with these strides, if one of them is 1.
std::optional<Matrix> asMatrix(int64_t rows, int64_t rowStride, int64_t columns,
                               int64_t columnStride) {
  if (columns == 1 || columnStride == 1) {
    int64_t leading = rows == 1 ? columns : rowStride;
    if (leading >= columns)
      return Matrix{false, leading};
  }
  if (rows == 1 || rowStride == 1)
    if (int64_t leading = columns == 1 ? rows : columnStride; leading >= rows)
      return Matrix{true, leading};
  return std::nullopt;
}

/// One choice of matrix dims.
struct Choice {
  Dim m, n, k;
  Matrix a, b, c;
  Dims batch;
  int64_t work = 0;
};

/// Tries dims i of M and j of N (or none, -1) as the matrix, where `lhs` is
/// the library's A.
std::optional<Choice> tryChoice(const Kinds &kinds, int i, int j, Tensor lhs,
                                Tensor rhs) {
  Choice choice;
  choice.batch = kinds.batch;
  for (auto [index, dim] : llvm::enumerate(kinds.m))
    (int(index) == i ? choice.m : choice.batch.emplace_back()) = dim;
  for (auto [index, dim] : llvm::enumerate(kinds.n))
    (int(index) == j ? choice.n : choice.batch.emplace_back()) = dim;
  if (!kinds.k.empty())
    choice.k = kinds.k.front();
  const Dim &m = choice.m, &n = choice.n, &k = choice.k;
  auto a = asMatrix(m.size, m.stride[lhs], k.size, k.stride[lhs]);
  auto b = asMatrix(k.size, k.stride[rhs], n.size, n.stride[rhs]);
  auto c = asMatrix(m.size, m.stride[Result], n.size, n.stride[Result]);
  if (!a || !b || !c || c->isTransposed)
    return std::nullopt;
  choice.a = *a;
  choice.b = *b;
  choice.c = *c;
  choice.work = m.size * n.size;
  merge(choice.batch);
  return choice;
}

/// The start of every call that iterates over dims: their cross product.
SmallVector<std::array<int64_t, 3>> unroll(ArrayRef<Dim> dims) {
  SmallVector<std::array<int64_t, 3>> starts = {{0, 0, 0}};
  for (const Dim &dim : dims) {
    SmallVector<std::array<int64_t, 3>> next;
    for (auto start : starts)
      for (int64_t i = 0; i < dim.size; ++i) {
        auto at = start;
        for (int t : {Lhs, Rhs, Result})
          at[t] += i * dim.stride[t];
        next.push_back(at);
      }
    starts = std::move(next);
  }
  return starts;
}

} // namespace

/// More calls than this for one contraction are refused: the program would
/// become longer than its work is worth.
static constexpr size_t kMaxCalls = 256;

FailureOr<GemmPlan> pcc::planGemm(nn::ContractOp op, MemRefType lhs,
                                  MemRefType rhs, MemRefType result,
                                  bool accumulate, std::string &why) {
  if (lhs.getElementType() != rhs.getElementType() ||
      lhs.getElementType() != result.getElementType()) {
    why = "its operands and result differ in element type";
    return failure();
  }
  Kinds kinds = classify(op, {lhs, rhs, result});
  if (kinds.k.size() > 1) {
    why = "the dims summed over do not lie next to each other in both operands";
    return failure();
  }

  std::optional<Choice> best;
  bool bestSwapped = false;
  for (bool swapped : {false, true}) {
    Kinds tried = kinds;
    if (swapped)
      std::swap(tried.m, tried.n);
    for (int i = tried.m.empty() ? -1 : 0; i < int(tried.m.size()); ++i)
      for (int j = tried.n.empty() ? -1 : 0; j < int(tried.n.size()); ++j) {
        auto choice =
            tryChoice(tried, i, j, swapped ? Rhs : Lhs, swapped ? Lhs : Rhs);
        if (choice && (!best || choice->work > best->work)) {
          best = choice;
          bestSwapped = swapped;
        }
      }
  }
  if (!best) {
    why = "no dim of an operand or of the result is contiguous";
    return failure();
  }

  // The library takes two batch dims: the largest ones.
  llvm::sort(best->batch, [](const Dim &a, const Dim &b) {
    return std::make_pair(-a.size, a.stride) <
           std::make_pair(-b.size, b.stride);
  });
  Dim none;
  Dim outer = best->batch.size() > 0 ? best->batch[0] : none;
  Dim inner = best->batch.size() > 1 ? best->batch[1] : none;
  if (outer.stride[Result] < inner.stride[Result])
    std::swap(outer, inner);
  ArrayRef<Dim> rest = best->batch;
  rest = rest.drop_front(std::min<size_t>(2, rest.size()));

  GemmPlan plan;
  plan.swapped = bestSwapped;
  plan.starts = unroll(rest);
  if (plan.starts.size() > kMaxCalls) {
    why = "its batch dims would take " + std::to_string(plan.starts.size()) +
          " calls";
    return failure();
  }
  MLIRContext *context = op->getContext();
  Builder builder(context);
  int a = bestSwapped ? Rhs : Lhs, b = bestSwapped ? Lhs : Rhs;
  auto pair = [&](int64_t x, int64_t y) {
    return DenseI64ArrayAttr::get(context, {x, y});
  };
  plan.shape = rt::GemmAttr::get(
      context, best->m.size, best->n.size, best->k.size, best->a.isTransposed,
      best->b.isTransposed, best->a.leading, best->b.leading, best->c.leading,
      pair(outer.size, inner.size), pair(outer.stride[a], inner.stride[a]),
      pair(outer.stride[b], inner.stride[b]),
      pair(outer.stride[Result], inner.stride[Result]),
      builder.getF32FloatAttr(1), builder.getF32FloatAttr(accumulate ? 1 : 0));
  return plan;
}
