//===- Gemm.cpp - Contractions as GEMMs -----------------------------------===//
//
// Labels of one kind (batch, M, N, K) that are adjacent in both tensors they
// occur in are merged into one dim. One dim each of M, N and K becomes the
// matrix. The other dims of batch, M and N become batch dims, with stride 0 in
// the tensor that lacks the label. The library takes two of them; the others
// become further calls. So do the other dims of K; those calls accumulate into
// the first one's result.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Gemm.h"
#include "llvm/ADT/SetVector.h"

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

/// Merges dims that are contiguous in every tensor.
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

Kinds classify(const ContractLabels &labels,
               const std::array<MemRefType, 3> &types) {
  Kinds kinds;
  llvm::SmallSetVector<char, 8> all;
  for (StringRef tensor : labels)
    all.insert(tensor.begin(), tensor.end());
  for (char label : all) {
    Dim dim;
    bool in[3];
    for (int t : {Lhs, Rhs, Result}) {
      size_t position = labels[t].find(label);
      in[t] = position != std::string::npos;
      if (in[t]) {
        dim.size = types[t].getDimSize(position);
        dim.stride[t] = rt::getStrides(types[t])[position];
      }
    }
    if (dim.size == 1)
      continue;
    Dims &kind = in[Lhs] && in[Rhs] ? (in[Result] ? kinds.batch : kinds.k)
                 : in[Lhs]          ? kinds.m
                                    : kinds.n;
    kind.push_back(dim);
  }
  for (Dims *dims : {&kinds.batch, &kinds.m, &kinds.n, &kinds.k})
    merge(*dims);
  return kinds;
}

/// The library's description of a matrix.
struct Matrix {
  bool isTransposed;
  int64_t leading;
};

/// Returns a matrix of rows x columns with these strides, if one of them is 1.
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
  Dims batch, depth;
  int64_t work = 0;
};

/// Tries dims i of M, j of N and l of K (or none, -1) as the matrix, where
/// `lhs` is the library's A.
std::optional<Choice> tryChoice(const Kinds &kinds, int i, int j, int l,
                                Tensor lhs, Tensor rhs) {
  Choice choice;
  choice.batch = kinds.batch;
  for (auto [index, dim] : llvm::enumerate(kinds.m))
    (int(index) == i ? choice.m : choice.batch.emplace_back()) = dim;
  for (auto [index, dim] : llvm::enumerate(kinds.n))
    (int(index) == j ? choice.n : choice.batch.emplace_back()) = dim;
  for (auto [index, dim] : llvm::enumerate(kinds.k))
    (int(index) == l ? choice.k : choice.depth.emplace_back()) = dim;
  const Dim &m = choice.m, &n = choice.n, &k = choice.k;
  auto a = asMatrix(m.size, m.stride[lhs], k.size, k.stride[lhs]);
  auto b = asMatrix(k.size, k.stride[rhs], n.size, n.stride[rhs]);
  auto c = asMatrix(m.size, m.stride[Result], n.size, n.stride[Result]);
  if (!a || !b || !c || c->isTransposed)
    return std::nullopt;
  choice.a = *a;
  choice.b = *b;
  choice.c = *c;
  choice.work = m.size * n.size * k.size;
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

/// The maximum number of calls for a contraction; with more, transposing copies
/// cost less.
static constexpr size_t kMaxCalls = 64;

/// Returns the choice with the largest matrix, and whether its A is the rhs.
static std::optional<std::pair<Choice, bool>> choose(const Kinds &kinds) {
  std::optional<std::pair<Choice, bool>> best;
  auto first = [](const Dims &dims) { return dims.empty() ? -1 : 0; };
  for (bool swapped : {false, true}) {
    Kinds tried = kinds;
    if (swapped)
      std::swap(tried.m, tried.n);
    for (int i = first(tried.m); i < int(tried.m.size()); ++i)
      for (int j = first(tried.n); j < int(tried.n.size()); ++j)
        for (int l = first(tried.k); l < int(tried.k.size()); ++l) {
          auto choice = tryChoice(tried, i, j, l, swapped ? Rhs : Lhs,
                                  swapped ? Lhs : Rhs);
          if (choice && (!best || choice->work > best->first.work))
            best = {*choice, swapped};
        }
  }
  return best;
}

FailureOr<GemmPlan> pcc::planGemm(const ContractLabels &labels,
                                  const std::array<MemRefType, 3> &types,
                                  bool accumulate) {
  auto chosen = choose(classify(labels, types));
  if (!chosen)
    return failure();
  auto &[best, swapped] = *chosen;

  // The library takes two batch dims: the largest ones.
  llvm::sort(best.batch, [](const Dim &a, const Dim &b) {
    return std::make_pair(-a.size, a.stride) <
           std::make_pair(-b.size, b.stride);
  });
  Dim none;
  Dim outer = best.batch.empty() ? none : best.batch[0];
  Dim inner = best.batch.size() > 1 ? best.batch[1] : none;
  if (outer.stride[Result] < inner.stride[Result])
    std::swap(outer, inner);
  ArrayRef<Dim> rest = best.batch;
  rest = rest.drop_front(std::min<size_t>(2, rest.size()));
  size_t count = 1;
  for (ArrayRef<Dim> dims : {rest, ArrayRef<Dim>(best.depth)})
    for (const Dim &dim : dims)
      if ((count *= dim.size) > kMaxCalls)
        return failure();

  GemmPlan plan;
  plan.swapped = swapped;
  for (const auto &start : unroll(rest))
    for (auto [index, depth] : llvm::enumerate(unroll(best.depth))) {
      GemmPlan::Call call = {start, /*adds=*/index > 0};
      for (int t : {Lhs, Rhs, Result})
        call.start[t] += depth[t];
      plan.calls.push_back(call);
    }
  MLIRContext *context = types[Result].getContext();
  Builder builder(context);
  int a = swapped ? Rhs : Lhs, b = swapped ? Lhs : Rhs;
  auto pair = [&](int64_t x, int64_t y) {
    return DenseI64ArrayAttr::get(context, {x, y});
  };
  plan.shape = rt::GemmAttr::get(
      context, best.m.size, best.n.size, best.k.size, best.a.isTransposed,
      best.b.isTransposed, best.a.leading, best.b.leading, best.c.leading,
      pair(outer.size, inner.size), pair(outer.stride[a], inner.stride[a]),
      pair(outer.stride[b], inner.stride[b]),
      pair(outer.stride[Result], inner.stride[Result]),
      builder.getF32FloatAttr(1), builder.getF32FloatAttr(accumulate ? 1 : 0));
  return plan;
}

ContractLabels pcc::orderLabels(const ContractLabels &labels) {
  const auto &[lhs, rhs, result] = labels;
  std::string batch, m, n, k;
  for (char label : lhs)
    (!StringRef(rhs).contains(label)     ? m
     : StringRef(result).contains(label) ? batch
                                         : k) += label;
  for (char label : rhs)
    if (!StringRef(lhs).contains(label))
      n += label;
  return {batch + m + k, batch + k + n, batch + m + n};
}

bool pcc::fitsEpilogue(const GemmPlan &plan, rt::Epilogue epilogue,
                       int64_t vector, bool hasMatrix) {
  rt::GemmAttr s = plan.shape;
  if (plan.calls.size() != 1)
    return false;
  if (epilogue == rt::Epilogue::None)
    return true;
  if (s.getBatch()[0] != 1 || s.getBatch()[1] != 1)
    return false;
  bool isOfRows = (epilogue == rt::Epilogue::SumA && !plan.swapped) ||
                  (epilogue == rt::Epilogue::SumB && plan.swapped);
  if (vector && vector != (isOfRows ? s.getM() : s.getN()))
    return false;
  bool isDense = s.getLdc() == s.getN();
  return isDense && (!hasMatrix || s.getN() % 8 == 0);
}
