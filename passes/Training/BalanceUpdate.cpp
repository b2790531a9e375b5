//===- BalanceUpdate.cpp - Loads and biases of experts --------------------===//

#include "passes/Training/BalanceUpdate.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "passes/Training/ScalarMath.h"
#include "runtime/Program.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {
/// Ops on the counts of one layer.
struct LayerBalance {
  EntryBuilder &entry;
  StateOp state;
  OpBuilder &builder = entry.builder;
  Location loc = state.getLoc();
  RankedTensorType type = state.getTensorType();
  ScalarMath math{builder, loc};
  Value counts = entry.read(state.getSymName(), type);
  Value total = ReduceOp::create(builder, loc, math.realType, counts,
                                 ArrayRef<int64_t>{0});

  Value splat(double number) {
    return ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(
            type, builder.getFloatAttr(type.getElementType(), number)));
  }
  Value repeat(Value scalar) {
    auto of = tensorType(scalar).clone(type.getShape());
    return BroadcastOp::create(builder, loc, of, scalar, ArrayRef<int64_t>());
  }
  Value lessThan(Value x, Value y) {
    return CompareOp::create(builder, loc,
                             CompareOp::getResultType(tensorType(x)),
                             Relation::Less, x, y);
  }
  Value where(Value condition, Value x, Value y) {
    return WhereOp::create(builder, loc, x.getType(), condition, x, y);
  }

  /// The largest count over the mean.
  Value load() {
    Value most = ReduceMaxOp::create(builder, loc, math.realType, counts,
                                     builder.getDenseI64ArrayAttr({0}));
    Value share = DivOp::create(builder, loc, math.realType, most, total);
    return ScaleOp::create(builder, loc, math.realType, share,
                           builder.getF64FloatAttr(type.getNumElements()));
  }
  /// Adds the rate to the biases of experts with less than the mean, and
  /// subtracts it from those with more.
  void changeBias(ParamOp param, double rate, Value isTaken) {
    Value mean = repeat(ScaleOp::create(
        builder, loc, math.realType, total,
        builder.getF64FloatAttr(1.0 / double(type.getNumElements()))));
    Value none = splat(0);
    Value change = where(lessThan(counts, mean), splat(rate),
                         where(lessThan(mean, counts), splat(-rate), none));
    Value taken = where(repeat(isTaken), change, none);
    // The parameter may be [1, E].
    RankedTensorType of = param.getTensorType();
    if (of != type)
      taken = ReshapeOp::create(builder, loc, of, taken);
    Value bias = entry.read(param.getSymName(), of);
    entry.write(SumOp::create(builder, loc, of, ValueRange{bias, taken}),
                param.getSymName());
  }
};
} // namespace

Value pcc::updateBalance(EntryBuilder &entry, ModuleOp module, Value isTaken) {
  SmallVector<Value> loads;
  for (StateOp state : llvm::to_vector(module.getOps<StateOp>())) {
    if (!state.getSymName().starts_with(kExpertCountPrefix))
      continue;
    LayerBalance layer{entry, state};
    loads.push_back(layer.load());
    if (auto rate = state->getAttrOfType<FloatAttr>(kBiasRateAttr))
      layer.changeBias(module.lookupSymbol<ParamOp>(*state.getOf()),
                       rate.getValueAsDouble(), isTaken);
    entry.clear(state);
  }
  if (loads.empty())
    return {};
  RankedTensorType scalar = tensorType(loads[0]);
  Value sum = SumOp::create(entry.builder, entry.loc, scalar, loads);
  return ScaleOp::create(
      entry.builder, entry.loc, scalar, sum,
      entry.builder.getF64FloatAttr(1.0 / double(loads.size())));
}

std::pair<Value, std::string> pcc::updateOverflow(EntryBuilder &entry,
                                                  ModuleOp module) {
  SmallVector<Value> all;
  std::string name;
  for (StateOp state : llvm::to_vector(module.getOps<StateOp>())) {
    auto capacity = state->getAttrOfType<FloatAttr>(kCapacityAttr);
    if (!capacity)
      continue;
    name = llvm::formatv("{0}{1}", PCC_OVERFLOW_PREFIX,
                         capacity.getValueAsDouble());
    all.push_back(entry.read(state.getSymName(), state.getTensorType()));
    entry.clear(state);
  }
  if (all.empty())
    return {};
  return {SumOp::create(entry.builder, entry.loc, all[0].getType(), all), name};
}
