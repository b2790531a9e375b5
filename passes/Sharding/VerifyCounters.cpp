//===- VerifyCounters.cpp - Checks the offsets of numbered elements -------===//

#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// Whether a value is a constant of zeros.
bool pcc::isUniformZero(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  if (isa<IntegerType>(elements.getElementType()))
    return elements.getSplatValue<APInt>().isZero();
  return isa<FloatType>(elements.getElementType()) &&
         elements.getSplatValue<APFloat>().isZero();
}

std::optional<Numbered> Numbered::of(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Numbered>>(op)
      .Case([](EmbeddingOp op) {
        return Numbered{op.getOffset(), op.getTable(), {0}};
      })
      .Case([](EmbeddingGradOp op) {
        return Numbered{op.getOffset(), op.getDtable(), {0}};
      })
      .Case<ExpertsOp, ExpertsGradOp>(
          [](auto op) { return Numbered{op.getOffset(), op.getW2(), {0}}; })
      .Case<PickOp, SpreadOp>([](auto op) {
        Value rows = isa<PickOp>(op) ? op.getInput() : op.getResult();
        unsigned last = tensorType(rows).getRank() - 1;
        return Numbered{op.getOffset(), rows, {last}};
      })
      .Case<RowMaxOp, CrossEntropyStatsOp, CrossEntropyGradOp>([](auto op) {
        unsigned classes = tensorType(op.getLogits()).getRank() - 1;
        return Numbered{op.getOffset(), op.getLogits(), {classes}};
      })
      .Case<AttentionOp, AttentionGradOp>(
          [](auto op) -> std::optional<Numbered> {
            if (op.getP().isZero())
              return std::nullopt;
            return Numbered{op.getHeadOrigin(), op.getQ(), {2}};
          })
      .Case([](DropoutOp op) {
        Numbered numbered{op.getOrigin(), op.getInput(), {}};
        for (unsigned dim = 0, end = tensorType(op.getInput()).getRank();
             dim < end; ++dim)
          if (dim != op.getBatchDim() && dim != op.getSeqDim())
            numbered.dims.push_back(dim);
        return numbered;
      })
      .Default(std::optional<Numbered>());
}

/// Whether a counter is, element by element, the rank's index along the axes
/// times the extent of its shard, possibly added to a value that is equal on
/// all ranks.
bool LayoutVerifier::startsAt(Value counter,
                              ArrayRef<std::pair<AxisList, int64_t>> starts) {
  if (auto sum = counter.getDefiningOp<SumOp>();
      sum && sum.getNumOperands() == 2 && getSharding(sum.getOperand(0)) &&
      mesh.layout(getSharding(sum.getOperand(0))) ==
          Layout(tensorType(counter).getRank()))
    counter = sum.getOperand(1);
  if (auto list = counter.getDefiningOp<ConcatOp>()) {
    auto isOne = [&](auto pair) {
      return startsAt(std::get<0>(pair), std::get<1>(pair));
    };
    return list.getNumOperands() == starts.size() &&
           llvm::all_of(llvm::zip(list.getOperands(), starts), isOne);
  }
  if (starts.size() != 1)
    return false;
  auto &[axes, extent] = starts.front();
  if (axes.empty())
    return isUniformZero(counter);
  if (auto reshape = counter.getDefiningOp<ReshapeOp>())
    counter = reshape.getInput();
  auto offset = counter.getDefiningOp<OffsetOp>();
  return offset && offset.getAxes() == mesh.names(axes) &&
         static_cast<int64_t>(offset.getExtent()) == extent;
}

LogicalResult LayoutVerifier::checkCounter(Operation *op,
                                           const Numbered &numbered) {
  auto layout = layoutOf(op, numbered.tensor, "numbers a value that");
  if (failed(layout))
    return failure();
  RankedTensorType type = tensorType(numbered.tensor);
  // One start for a single dim, else one for each dim of the tensor.
  SmallVector<std::pair<AxisList, int64_t>> starts;
  bool isSplit = false;
  bool isList = isa<DropoutOp>(op);
  for (unsigned dim = 0, end = type.getRank(); dim < end; ++dim) {
    bool counted = llvm::is_contained(numbered.dims, dim);
    isSplit |= counted && !layout->dims[dim].empty();
    if (counted || isList)
      starts.push_back(
          {counted ? layout->dims[dim] : AxisList(), type.getDimSize(dim)});
  }
  if (!isSplit) {
    if (!numbered.counter)
      return success();
    // Every rank has all of the numbered dims, so any counter is valid. It only
    // needs a sharding.
    auto own = layoutOf(op, numbered.counter, "counts from a value that");
    return success(succeeded(own));
  }
  if (numbered.counter && startsAt(numbered.counter, starts))
    return success();
  return op->emitOpError() << "numbers elements of a value with sharding "
                           << mesh.attr(*layout)
                           << ", but does not start with this rank's";
}
