//===- CollectiveShardings.cpp - Shardings around collectives -------------===//
//
// Kind, axes and reduction of a collective must follow from the shardings of
// its operand and result. Only the order of blocks is not checked here: the ops
// around a collective permute them.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/CollectiveShardings.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

namespace {

using Names = SmallVector<StringAttr>;

/// A sharding as mutable lists.
struct MutableSharding {
  SmallVector<Names> dims;
  Names sum, max;

  explicit MutableSharding(ShardingAttr sharding)
      : sum(sharding.getPartial()), max(sharding.getPartialMax()) {
    for (DimAttr dim : sharding.getDims())
      dims.emplace_back(dim.getAxes());
    for (Names *parts : {&sum, &max})
      llvm::sort(*parts, [](StringAttr a, StringAttr b) {
        return a.getValue() < b.getValue();
      });
  }
  bool operator==(const MutableSharding &other) const {
    return dims == other.dims && sum == other.sum && max == other.max;
  }
};

} // namespace

/// Removes axes from a list; returns whether the list had all of them.
static bool takeAll(Names &from, const Names &axes) {
  bool hasAll = llvm::all_of(
      axes, [&](StringAttr axis) { return llvm::is_contained(from, axis); });
  llvm::erase_if(
      from, [&](StringAttr axis) { return llvm::is_contained(axes, axis); });
  return hasAll;
}

/// Removes axes from the first dim whose last axes they are; returns false if
/// there is none.
static bool takeFromDim(MutableSharding &from, const Names &axes) {
  for (Names &dim : from.dims)
    if (dim.size() >= axes.size() &&
        ArrayRef(dim).take_back(axes.size()) == ArrayRef(axes)) {
      dim.truncate(dim.size() - axes.size());
      return true;
    }
  return false;
}

LogicalResult pcc::verifyShardings(Operation *op, ShardingAttr from,
                                   ShardingAttr to) {
  auto list = op->getAttrOfType<ArrayAttr>("axes");
  Names axes = llvm::to_vector(list.getAsRange<StringAttr>());
  MutableSharding before(from), after(to);
  // Removes the collective's axes from one or both shardings, so that these can
  // be compared.
  bool fits =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](rt::AllReduceOp reduce) {
            bool isMax = reduce.getReduction() == rt::Reduction::Max;
            return takeAll(isMax ? before.max : before.sum, axes);
          })
          .Case([&](rt::AllGatherOp) { return takeFromDim(before, axes); })
          .Case([&](rt::ReduceScatterOp) {
            return takeAll(before.sum, axes) && takeFromDim(after, axes);
          })
          .Case([&](rt::AllToAllOp) {
            return takeFromDim(before, axes) && takeFromDim(after, axes) &&
                   from != to;
          })
          .Case([&](rt::ShardSliceOp) {
            Names taken(before.sum);
            llvm::append_range(taken, before.max);
            for (const Names &dim : before.dims)
              llvm::append_range(taken, dim);
            return takeFromDim(after, axes) &&
                   llvm::none_of(axes, [&](StringAttr axis) {
                     return llvm::is_contained(taken, axis);
                   });
          })
          .Default(false);
  if (fits && before == after)
    return success();
  return op->emitOpError() << "over " << list << " does not convert sharding "
                           << from << " to " << to;
}
