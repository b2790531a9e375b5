//===- TableReads.cpp - Rows that a graph reads of its tables -------------===//

#include "frontend/import/TableReads.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;

void TableReads::add(int64_t number, const Binder &b, unsigned data,
                     int64_t dim, int64_t first, int64_t count) {
  const std::string &name = b.node.input(data);
  auto root = roots.find(name);
  reads[{number, dim}] = {root == roots.end() ? name : root->second,
                          b.shape(data)[dim], first, count};
}

void TableReads::noteSlice(int64_t number, const Binder &b) {
  auto starts = b.ints(1, "starts"), axes = b.ints(3, "axes"),
       steps = b.ints(4, "steps");
  const Item &result = b.getResults()[0];
  if (failed(starts) || failed(axes) || failed(steps) || !*starts ||
      !(result.tensor || result.value))
    return;
  Shape from = b.shape(0),
        to = result.tensor ? Shape(result.tensor->shape())
                           : Shape(nn::tensorType(result.value).getShape());
  for (size_t i = 0; i < (*starts)->size(); ++i) {
    auto axis = normalizeAxis(*axes ? (**axes)[i] : i, from.size());
    if (!axis || (*steps && (**steps)[i] != 1) || to[*axis] == from[*axis])
      continue;
    int64_t start = (**starts)[i];
    add(number, b, 0, *axis, start < 0 ? start + from[*axis] : start,
        to[*axis]);
  }
}

/// Records indices that are consecutive along their only long dim.
void TableReads::noteIndices(int64_t number, const Binder &b, unsigned data,
                             int64_t dim, unsigned indices) {
  std::optional<Tensor> index = b.item(indices).tensor;
  if (!index || index->isFloat() || index->size() == 0)
    return;
  Tensor core = index->compact().core();
  if (llvm::count_if(core.shape(), [](int64_t n) { return n > 1; }) != 1)
    return;
  SmallVector<int64_t> rows = core.ints();
  if (llvm::equal(rows, llvm::seq(rows[0], rows[0] + core.size())))
    add(number, b, data, dim, rows[0], core.size());
}

/// Pairs of dims of the operands `table` and `other` that the node's operator
/// requires to be equal. None for operands that are parameters of the operator,
/// such as axes.
static SmallVector<std::pair<int64_t, int64_t>>
pairDims(const onnx::NodeProto &node, unsigned table, unsigned other,
         int64_t rank, int64_t otherRank) {
  enum Kind { Broadcasts, Contracts, Convolves, Others };
  Kind kind = llvm::StringSwitch<Kind>(node.op_type())
                  .Cases({"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max",
                          "Where", "And", "Or", "Equal", "Less", "Greater",
                          "LessOrEqual", "GreaterOrEqual", "Concat",
                          "LayerNormalization", "RMSNormalization"},
                         Broadcasts)
                  .Case("MatMul", Contracts)
                  .Case("Conv", Convolves)
                  .Default(Others);
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  if (kind == Broadcasts)
    for (int64_t d = 1; d <= std::min(rank, otherRank); ++d)
      pairs.push_back({rank - d, otherRank - d});
  if (kind == Contracts && rank > 1 && otherRank > 1)
    pairs.push_back(table == 0 ? std::pair(rank - 1, otherRank - 2)
                               : std::pair(rank - 2, otherRank - 1));
  if (kind == Convolves && table == 1 && other == 0 && rank > 1 &&
      otherRank > 1)
    pairs.push_back({1, 1});
  return pairs;
}

void TableReads::noteMismatch(int64_t number, const onnx::NodeProto &node,
                              const Binder &b) {
  for (unsigned table = 0; table < b.numInputs(); ++table)
    for (unsigned other = 0; other < b.numInputs(); ++other) {
      // Both operands may come from the file. Comparing two lengths finds the
      // one whose rows are not the sequence's.
      if (table == other || !b.has(table) || !b.has(other) ||
          b.item(table).isSequence() || b.item(other).isSequence() ||
          !(b.item(table).tensor || b.item(table).weight ||
            roots.count(node.input(table))))
        continue;
      Shape rows = b.shape(table), others = b.shape(other);
      for (auto [r, o] :
           pairDims(node, table, other, rows.size(), others.size()))
        if (rows[r] != others[o] && rows[r] != 1 && others[o] != 1)
          add(number, b, table, r, 0, others[o]);
    }
}

void TableReads::note(int64_t number, const onnx::NodeProto &node,
                      const Binder &b) {
  if (node.input_size() == 0 || !b.has(0) || b.item(0).isSequence())
    return;
  StringRef op = node.op_type();
  if (op == "Slice")
    noteSlice(number, b);
  else if (op == "Gather" || op == "GatherElements") {
    if (auto axis = normalizeAxis(b.intAttr("axis", 0), b.rank(0)))
      noteIndices(number, b, 0, *axis, 1);
  } else if (op == "GatherND") {
    if (b.intAttr("batch_dims", 0) == 0 && b.rank(1) > 0 &&
        b.shape(1).back() == 1)
      noteIndices(number, b, 0, 0, 1);
  } else if (op == "RotaryEmbedding") {
    // A cache of angles by position; without position ids it is as long as the
    // sequence.
    bool isStandard = node.domain().empty();
    unsigned cache = isStandard ? 1 : 2, positions = isStandard ? 3 : 1;
    if (b.has(positions) && b.has(cache) && b.rank(cache) == 2)
      noteIndices(number, b, cache, 0, positions);
  }
  // A derived value is reported by the name of its initializer.
  const std::string &data = node.input(0);
  auto root = roots.find(data);
  std::string name = root == roots.end() ? "" : root->second;
  if (name.empty() && (b.item(0).weight || b.isConstant(0)))
    name = data;
  if (!name.empty())
    for (const std::string &output : node.output())
      roots[output] = name;
}
