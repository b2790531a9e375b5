//===- Shape.cpp - Operators that move elements ---------------------------===//
//
// Each function computes the result's shape once for constants and values; only
// the last step differs: a view of a tensor or an nn op.
//
//===----------------------------------------------------------------------===//

#include "analysis/Axes.h"
#include "frontend/binding/Binder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

using Axes = SmallVector<int64_t>;

static LogicalResult setReshaped(Binder &b, ArrayRef<int64_t> shape) {
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->reshape(shape));
  else
    b.set(0, b.reshape(b.value(0), shape));
  return success();
}

static LogicalResult importIdentity(Binder &b) {
  b.set(0, b.item(0));
  return success();
}

/// The extents of the inputs that the user chooses: batch and sequence.
static SmallVector<std::pair<StringRef, int64_t>> chosenDims(Binder &b) {
  SmallVector<std::pair<StringRef, int64_t>> dims;
  Block *block = b.builder.getInsertionBlock();
  auto forward = dyn_cast_or_null<func::FuncOp>(block->getParentOp());
  if (!forward)
    return dims;
  BlockArgument tokens = findInput(forward, InputRole::Tokens);
  BlockArgument rows = findModelData(forward);
  if (rows && tensorType(rows).getRank() > 0)
    dims.push_back({"batch", tensorType(rows).getDimSize(0)});
  if (tokens && tensorType(tokens).getRank() == 2)
    dims.push_back({"sequence", tensorType(tokens).getDimSize(1)});
  return dims;
}

static void noteExampleExtent(Binder &b, InFlightDiagnostic &diag,
                              StringRef name, int64_t now, int64_t then) {
  diag.attachNote(b.loc)
      << "the file has a " << name << " of " << then
      << ", the example's at its export, as a constant; it is " << now
      << " here";
  diag.attachNote(b.loc)
      << "export with dynamo=True and dynamic_shapes, or from x.shape[i] where "
         "the module has len(x) or int(...), or at the "
      << name << " that is trained";
}

/// The number of leading dims that two shapes have in common.
static size_t keptDims(const Shape &from, const Shape &to) {
  size_t kept = 0;
  while (kept < from.size() && kept < to.size() && from[kept] == to[kept])
    ++kept;
  return kept;
}

/// The only number of a shape, after the leading dims that stay, that would fit
/// as -1 and may be a dim's index; nothing unless there is exactly one and a
/// leading dim stays.
static std::optional<int64_t> overwritten(const Shape &from, const Shape &to) {
  size_t kept = keptDims(from, to);
  int64_t elements = product(ArrayRef(from).drop_front(kept));
  int64_t wanted = product(ArrayRef(to).drop_front(kept));
  std::optional<int64_t> found;
  if (wanted < 1)
    return found;
  for (int64_t extent : ArrayRef(to).drop_front(kept)) {
    constexpr int64_t kMostDims = 8;
    if (extent < 1 || extent >= kMostDims || elements % (wanted / extent))
      continue;
    if (found || kept == 0)
      return std::nullopt;
    found = extent;
  }
  return found;
}

/// The sequence length of the exported example, `now` here, from a shape whose
/// dim `open` is -1 and whose other dims do not divide the elements. With 32
/// positions:
///
///   [1, 32, 8] -> [-1, 2, 6, 8]  12, in two dims, if dim 0 is left open
///   [1, 4, 32, 8] -> [-1, 12, 8] 12, the only dim that differs
static std::optional<int64_t> exampleLength(ArrayRef<int64_t> from,
                                            ArrayRef<int64_t> to, size_t open,
                                            int64_t batch, int64_t now) {
  int64_t others =
              product(to.take_front(open)) * product(to.drop_front(open + 1)),
          all = product(from);
  if (open == 0 && all > 0 && others > 0 && now * batch * others % all == 0) {
    int64_t length = now * batch * others / all;
    // The file has it as a number, or as the product of consecutive dims.
    for (size_t first = 1; first < to.size(); ++first)
      for (size_t n = 1; first + n <= to.size(); ++n)
        if (product(to.slice(first, n)) == length)
          return length;
  }
  while (!from.empty() && !to.empty() && from.back() == to.back()) {
    from = from.drop_back();
    to = to.drop_back();
  }
  if (open == 0 && to.size() == 2 && !from.empty() && from.back() == now)
    return to.back();
  return std::nullopt;
}

/// Reports a reshape that does not fit. `open`: the dim of `to` that is -1, or
/// -1 if there is none.
static InFlightDiagnostic reportMismatch(Binder &b, const Shape &from,
                                         const Shape &to, int64_t open) {
  Shape written = to;
  if (open >= 0)
    written[open] = -1;
  int64_t wanted = std::abs(product(written));
  InFlightDiagnostic diag =
      b.error() << "cannot turn [" << ArrayRef(from) << "] into ["
                << ArrayRef(written) << "]: " << product(from)
                << " elements are "
                << (open >= 0 && wanted ? "no multiple of " : "not ") << wanted;
  if (open >= 0) {
    auto dims = chosenDims(b);
    std::optional<int64_t> then;
    if (dims.size() == 2)
      then = exampleLength(from, to, open, dims[0].second, dims[1].second);
    if (then && *then != dims[1].second) {
      noteExampleExtent(b, diag, dims[1].first, dims[1].second, *then);
      return diag;
    }
  }
  // Checks whether the example's extent in place of this one would fit.
  for (auto [name, now] : chosenDims(b)) {
    int64_t scaled = open < 0 ? now * product(to) : 0;
    // An unchanged leading dim is not the example's.
    if (llvm::is_contained(ArrayRef(to).take_front(keptDims(from, to)), now))
      continue;
    if (product(from) > 0 && scaled > 0 && scaled % product(from) == 0) {
      noteExampleExtent(b, diag, name, now, scaled / product(from));
      return diag;
    }
  }
  if (auto number = overwritten(from, to)) {
    diag.attachNote(b.loc)
        << "no batch or sequence fits " << *number
        << ", where -1 does: PyTorch's TorchScript exporter writes dims over "
           "the -1 of repeat_interleave(dim=-1), and over others of the file";
    diag.attachNote(b.loc)
        << "export with dynamo=True, or count that dim from the front";
    return diag;
  }
  diag.attachNote(b.loc) << "a dim bound by a flag does not fit a number "
                            "that the file contains";
  return diag;
}

/// Whether a reshape splits the batch, the first dim, into another number of
/// rows with a free dim for the rest. A batch size that the export wrote as a
/// number would so mix samples. Merging the batch with the dims after it is no
/// such case: [batch, heads, ...] as [batch * heads, -1, ...].
static bool splitsBatch(Binder &b, const Shape &from, const Shape &to,
                        bool isOpen, bool isFirstGiven) {
  if (b.isConstant(0) || !isOpen || !isFirstGiven || from.empty() ||
      to[0] == 1 || to[0] == from[0])
    return false;
  for (size_t i = 2; i <= from.size(); ++i)
    if (product(ArrayRef(from).take_front(i)) == to[0])
      return false;
  auto dims = chosenDims(b);
  return !dims.empty() && dims[0].second == from[0] && from[0] > 1 &&
         findAxes(b.value(0)).batch == 0;
}

static LogicalResult importReshape(Binder &b) {
  auto target = b.ints(1, "shape");
  if (failed(target))
    return failure();
  if (!*target)
    return b.error() << "needs a shape";
  Shape from = b.shape(0), to;
  bool allowZero = b.intAttr("allowzero", 0);
  int64_t open = -1;
  for (auto [i, extent] : llvm::enumerate(**target)) {
    if (extent == -1)
      open = i;
    bool keeps = extent == 0 && !allowZero && i < from.size();
    to.push_back(extent == -1 ? 1 : keeps ? from[i] : extent);
  }
  if (open >= 0 && product(to) > 0)
    to[open] = product(from) / product(to);
  bool negative = llvm::any_of(to, [](int64_t extent) { return extent < 0; });
  if (negative || product(to) != product(from))
    return reportMismatch(b, from, to, open);
  if (splitsBatch(b, from, to, open >= 0, open != 0 && !to.empty())) {
    InFlightDiagnostic diag = b.error() << "reshapes a batch of " << from[0]
                                        << " to " << to[0] << " rows";
    noteExampleExtent(b, diag, "batch", from[0], to[0]);
    return diag;
  }
  return setReshaped(b, to);
}

static LogicalResult importFlatten(Binder &b) {
  Shape from = b.shape(0);
  int64_t rank = from.size(), axis = b.intAttr("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    return b.error() << "has no such axis";
  ArrayRef<int64_t> shape = from;
  return setReshaped(
      b, {product(shape.take_front(axis)), product(shape.drop_front(axis))});
}

static LogicalResult importSqueeze(Binder &b) {
  auto axes = b.ints(1, "axes");
  if (failed(axes))
    return failure();
  Shape from = b.shape(0), to;
  llvm::SmallDenseSet<int64_t> dropped;
  if (*axes)
    for (int64_t axis : **axes) {
      auto dim = normalizeAxis(axis, from.size());
      if (!dim || from[*dim] != 1)
        return b.error() << "cannot drop dim " << axis;
      dropped.insert(*dim);
    }
  for (auto [i, extent] : llvm::enumerate(from))
    if (*axes ? !dropped.contains(i) : extent != 1)
      to.push_back(extent);
  return setReshaped(b, to);
}

static LogicalResult importUnsqueeze(Binder &b) {
  auto axes = b.ints(1, "axes");
  if (failed(axes))
    return failure();
  if (!*axes)
    return b.error() << "needs axes";
  Shape from = b.shape(0), to(from.size() + (*axes)->size(), 0);
  for (int64_t axis : **axes) {
    auto dim = normalizeAxis(axis, to.size());
    if (!dim || to[*dim] == 1)
      return b.error() << "cannot insert dim " << axis;
    to[*dim] = 1;
  }
  const int64_t *next = from.begin();
  for (int64_t &extent : to)
    if (extent == 0)
      extent = *next++;
  return setReshaped(b, to);
}

static LogicalResult importTranspose(Binder &b) {
  int64_t rank = b.rank(0);
  Axes permutation;
  if (auto perm = b.ints("perm"))
    permutation = *perm;
  else
    for (int64_t d = rank; d-- > 0;)
      permutation.push_back(d);
  Axes sorted = permutation;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return b.error() << "perm does not name every dim once";
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->transpose(permutation));
  else
    b.set(0, b.transpose(b.value(0), permutation));
  return success();
}

static LogicalResult importExpand(Binder &b) {
  std::optional<Tensor> target = b.tensor(1);
  if (!target)
    return b.error() << "the shape must be known at compile time";
  auto shape = broadcastShapes({b.shape(0), Shape(target->ints())});
  if (!shape)
    return b.error() << "the shapes do not fit";
  // Only constants need memory; an expression does not.
  if (b.isConstant(0) && failed(b.checkConstant(*shape)))
    return failure();
  if (b.isConstant(0))
    b.set(0, b.item(0).tensor->expand(*shape));
  else
    b.set(0, b.broadcast(b.value(0), *shape));
  return success();
}

ArrayRef<OpEntry> pcc::frontend::shapeOps() {
  static const OpEntry table[] = {
      {"Expand", 8, kAnyOpset, 2, importExpand, importExpand},
      {"Flatten", 1, kAnyOpset, 1, importFlatten, importFlatten,
       attributes(intAttr("axis"))},
      {"Identity", 1, kAnyOpset, 1, importIdentity, importIdentity},
      {"Reshape", 5, kAnyOpset, between(1, 2), importReshape, importReshape,
       attributes(flagAttr("allowzero").since(14))},
      {"Squeeze", 1, kAnyOpset, between(1, 2), importSqueeze, importSqueeze,
       attributes(intsAttr("axes").until(12))},
      {"Transpose", 1, kAnyOpset, 1, importTranspose, importTranspose,
       attributes(intsAttr("perm"))},
      {"Unsqueeze", 1, kAnyOpset, between(1, 2), importUnsqueeze,
       importUnsqueeze, attributes(intsAttr("axes").until(12).required())},
  };
  return table;
}
