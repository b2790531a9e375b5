//===- ScoreMasks.cpp - Masks of attention within documents ---------------===//

#include "passes/Training/Documents/ScoreMasks.h"
#include "analysis/Evaluate.h"
#include "dialects/NN/Roles.h"
#include "passes/Training/Regularity.h"
#include "passes/Training/Visibility.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

bool pcc::countsPositions(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return roleOf(argument) == InputRole::Positions;
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || tensorType(value).getRank() != 1)
    return false;
  auto elements = cast<DenseIntElementsAttr>(constant.getValue());
  return elements.getNumElements() > 0 && (*elements.begin()).isZero() &&
         (elements.getNumElements() == 1 || stepAlong(value, 0) == 1);
}

bool pcc::isMask(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto where = dyn_cast_or_null<WhereOp>(op))
    return isMask(where.getLhs()) && isMask(where.getRhs());
  if (op && (keepsElements(op) || isa<BroadcastOp, CastOp, SliceOp>(op)))
    return isMask(op->getOperand(0));
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return elements && llvm::all_of(elements, [](const APFloat &element) {
           return element.isZero() ||
                  element.convertToDouble() <= analysis::kRemovesKey;
         });
}

bool pcc::hidesLaterKeys(AttentionOp op) {
  Value bias = op.getBias();
  if (!bias || !countsPositions(op.getQPos()) || !countsPositions(op.getKPos()))
    return false;
  ArrayRef<int64_t> shape = tensorType(bias).getShape();
  Visibility visibility(tensorType(op.getK()).getDimSize(1));
  visibility.add(bias, /*along=*/3, {-1, -1, 0, 1}, Visibility::Removed);
  for (int64_t query = 0; query < shape[2]; ++query)
    for (auto [begin, end] : visibility.at({query, 0}))
      if (end > query + 1)
        return false;
  return shape[2] == tensorType(op.getQ()).getDimSize(1);
}

/// The ranges [least, end) of keys within `ranges`, moved by `distance`.
static Visibility::Ranges moved(const Visibility::Ranges &ranges, int64_t least,
                                int64_t end, int64_t distance) {
  Visibility::Ranges all;
  for (auto [first, last] : ranges)
    if (std::max(first, least) < std::min(last, end))
      all.push_back(
          {std::max(first, least) + distance, std::min(last, end) + distance});
  return all;
}

bool pcc::hidesByDistance(AttentionOp op) {
  Value bias = op.getBias();
  int64_t heads = tensorType(bias).getDimSize(1),
          queries = tensorType(op.getQ()).getDimSize(1);
  if (tensorType(bias).getDimSize(3) == 1)
    return true;
  Visibility visibility(tensorType(op.getK()).getDimSize(1));
  visibility.add(bias, /*along=*/3, {-1, 0, 1, 2}, Visibility::Removed);
  for (int64_t head = 0; head < heads; ++head) {
    Visibility::Ranges before;
    for (int64_t query = 0; query < queries; ++query) {
      // The causal mask hides later keys in any case.
      Visibility::Ranges seen = visibility.at({head, query, 0});
      if (query && moved(before, 0, query, 1) != moved(seen, 1, query + 1, 0))
        return false;
      before = seen;
    }
  }
  return true;
}
