//===- DimParts.cpp - Factorizes dims across a reshape --------------------===//

#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

std::optional<DimParts> pcc::recognition::splitDims(ArrayRef<int64_t> from,
                                                    ArrayRef<int64_t> to) {
  DimParts parts;
  for (int64_t extent : from) {
    SmallVector<int64_t, 2> &part = parts.emplace_back();
    int64_t covered = 1;
    auto take = [&] {
      covered *= to.front();
      part.push_back(to.front());
      to = to.drop_front();
    };
    // A dropped extent of 1, such as a batch of one, counts as merged. Only
    // after all other dims it may be dropped: a reduction kept that dim.
    if (extent == 1 && !to.empty()) {
      if (to.front() != 1)
        return std::nullopt;
      take();
    }
    while (covered < extent && !to.empty())
      take();
    if (covered != extent)
      return std::nullopt;
  }
  for (int64_t extent : to) {
    if (extent != 1 || parts.empty())
      return std::nullopt;
    parts.back().push_back(1);
  }
  return parts;
}

std::optional<DimParts> pcc::recognition::commonParts(ArrayRef<int64_t> from,
                                                      ArrayRef<int64_t> to) {
  DimParts parts;
  int64_t left = 1;
  for (int64_t extent : from) {
    SmallVector<int64_t, 2> &part = parts.emplace_back();
    while (extent != 1) {
      while (left == 1 && !to.empty()) {
        left = to.front();
        to = to.drop_front();
      }
      int64_t next = std::min(extent, left);
      if (next < 2 || extent % next || left % next)
        return std::nullopt;
      part.push_back(next);
      extent /= next;
      left /= next;
    }
    if (part.empty())
      part.push_back(1);
  }
  return parts;
}

Value pcc::recognition::transposeParts(
    OpBuilder &builder, Location loc, TransposeOp op,
    ArrayRef<SmallVector<int64_t, 2>> split) {
  SmallVector<SmallVector<int64_t, 2>> parts(split.size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    parts[from] = split[to];
  SmallVector<int64_t> shape, first, permutation, result;
  for (ArrayRef<int64_t> part : parts) {
    first.push_back(shape.size());
    llvm::append_range(shape, part);
  }
  for (int64_t from : op.getPermutation())
    for (auto [i, extent] : llvm::enumerate(parts[from])) {
      permutation.push_back(first[from] + i);
      result.push_back(extent);
    }
  Value input = reshapeTo(builder, loc, op.getInput(), shape);
  return TransposeOp::create(builder, loc, op.getType().clone(result), input,
                             permutation);
}

Value pcc::recognition::withoutTransposes(Value value, std::string &labels) {
  while (auto transpose = value.getDefiningOp<TransposeOp>()) {
    std::string own(labels.size(), ' ');
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      own[from] = labels[to];
    labels = own;
    value = transpose.getInput();
  }
  return value;
}

Value pcc::recognition::splitContract(OpBuilder &builder, ContractOp op,
                                      const DimParts &split,
                                      RankedTensorType type) {
  StringRef spec = op.getSpec(), out = op.getResultLabels();
  std::string unused;
  for (char label = 'a'; label <= 'z'; ++label)
    if (!spec.contains(label))
      unused.push_back(label);
  llvm::SmallDenseMap<char, std::pair<std::string, ArrayRef<int64_t>>> parts;
  for (auto [label, part] : llvm::zip(out, split)) {
    std::string labels;
    for (size_t i = 0; i < part.size(); ++i) {
      if (i > 0 && unused.empty())
        return {};
      labels.push_back(i == 0 ? label : unused.front());
      if (i > 0)
        unused.erase(0, 1);
    }
    parts[label] = {labels, part};
  }
  auto operand = [&](Value value, StringRef labels) {
    SmallVector<int64_t> shape;
    std::string text;
    for (auto [label, extent] :
         llvm::zip(labels, tensorType(value).getShape())) {
      auto it = parts.find(label);
      if (it == parts.end()) {
        text.push_back(label);
        shape.push_back(extent);
        continue;
      }
      text += it->second.first;
      llvm::append_range(shape, it->second.second);
    }
    return std::pair(reshapeTo(builder, op.getLoc(), value, shape), text);
  };
  auto [lhs, lhsLabels] = operand(op.getLhs(), op.getLhsLabels());
  auto [rhs, rhsLabels] = operand(op.getRhs(), op.getRhsLabels());
  std::string result;
  for (char label : out)
    result += parts[label].first;
  return ContractOp::create(
      builder, op.getLoc(), type,
      builder.getStringAttr(lhsLabels + "," + rhsLabels + "->" + result), lhs,
      rhs);
}
