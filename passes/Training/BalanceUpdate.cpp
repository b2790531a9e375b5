//===- BalanceUpdate.cpp - Loads and biases of experts --------------------===//
//
// The counts of all layers are one tensor [layers, E]: what ranks and stages
// counted is added by one collective.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/BalanceUpdate.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "runtime/Program.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {
/// Ops on the counts of layers with equally many experts.
struct LayersBalance {
  EntryBuilder &entry;
  ArrayRef<StateOp> states;
  OpBuilder &builder = entry.builder;
  Location loc = entry.loc;
  int64_t layers = states.size();
  int64_t experts;
  Type f32 = builder.getF32Type();
  /// [layers, E], and sums over experts: [layers].
  Value counts, totals;

  LayersBalance(EntryBuilder &entry, ArrayRef<StateOp> states)
      : entry(entry), states(states) {
    StateOp first = states[0];
    experts = first.getTensorType().getNumElements();
    // A sum may stay partial over ranks, unlike a concatenation.
    SmallVector<Value> rows;
    for (unsigned i = 0; i < states.size(); ++i) {
      StateOp state = states[i];
      Value row = entry.read(state.getSymName(), state.getTensorType());
      if (state.getTensorType().getRank() > 1)
        row = ReshapeOp::create(builder, loc, type({experts}), row);
      rows.push_back(
          InsertOp::create(builder, loc, type({layers, experts}), row, 0, i));
    }
    counts = SumOp::create(builder, loc, type({layers, experts}), rows);
    totals = ReduceOp::create(builder, loc, type({layers}), counts,
                              ArrayRef<int64_t>{1});
  }

  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, f32);
  }
  Value splat(RankedTensorType of, double number) {
    return ConstantOp::create(
        builder, loc, of,
        DenseElementsAttr::get(of, builder.getFloatAttr(f32, number)));
  }
  Value scale(Value x, double factor) {
    return ScaleOp::create(builder, loc, x.getType(), x,
                           builder.getF64FloatAttr(factor));
  }
  Value lessThan(Value x, Value y) {
    return CompareOp::create(builder, loc,
                             CompareOp::getResultType(tensorType(x)),
                             Relation::Less, x, y);
  }
  Value where(Value condition, Value x, Value y) {
    return WhereOp::create(builder, loc, x.getType(), condition, x, y);
  }

  /// The largest count over the mean, added over layers.
  Value loads() {
    Value most = ReduceMaxOp::create(builder, loc, type({layers}), counts,
                                     builder.getDenseI64ArrayAttr({1}));
    Value shares = DivOp::create(builder, loc, most.getType(), most, totals);
    Value sum =
        ReduceOp::create(builder, loc, type({}), shares, ArrayRef<int64_t>{0});
    return scale(sum, experts);
  }
  /// Adds its rate to the biases of experts with less than the mean, and
  /// subtracts it from those with more, where a layer has such biases.
  void changeBiases(ModuleOp module, Value isTaken) {
    if (llvm::none_of(states, [](StateOp state) {
          return state->hasAttr(kBiasRateAttr);
        }))
      return;
    RankedTensorType whole = type({layers, experts});
    Value mean =
        BroadcastOp::create(builder, loc, whole, scale(totals, 1.0 / experts),
                            ArrayRef<int64_t>{0});
    Value none = splat(whole, 0);
    Value sign = where(lessThan(counts, mean), splat(whole, 1),
                       where(lessThan(mean, counts), splat(whole, -1), none));
    Value taken = BroadcastOp::create(
        builder, loc, tensorType(isTaken).clone(whole.getShape()), isTaken,
        ArrayRef<int64_t>());
    Value signs = where(taken, sign, none);
    for (unsigned i = 0; i < states.size(); ++i) {
      StateOp state = states[i];
      auto rate = state->getAttrOfType<FloatAttr>(kBiasRateAttr);
      if (!rate)
        continue;
      auto param = module.lookupSymbol<ParamOp>(*state.getOf());
      Value change =
          SelectOp::create(builder, loc, type({experts}), signs, 0, i);
      // The parameter may be [1, E].
      RankedTensorType of = param.getTensorType();
      if (of != change.getType())
        change = ReshapeOp::create(builder, loc, of, change);
      Value bias = entry.read(param.getSymName(), of);
      entry.write(SumOp::create(
                      builder, loc, of,
                      ValueRange{bias, scale(change, rate.getValueAsDouble())}),
                  param.getSymName());
    }
  }
};
} // namespace

Value pcc::updateBalance(EntryBuilder &entry, ModuleOp module, Value isTaken) {
  llvm::MapVector<int64_t, SmallVector<StateOp>> groups;
  size_t layers = 0;
  for (StateOp state : module.getOps<StateOp>())
    if (state.getSymName().starts_with(kExpertCountPrefix)) {
      groups[state.getTensorType().getNumElements()].push_back(state);
      ++layers;
    }
  SmallVector<Value> loads;
  for (auto &[experts, states] : groups) {
    LayersBalance balance(entry, states);
    loads.push_back(balance.loads());
    balance.changeBiases(module, isTaken);
    for (StateOp state : states)
      entry.clear(state);
  }
  if (loads.empty())
    return {};
  RankedTensorType scalar = tensorType(loads[0]);
  Value sum = SumOp::create(entry.builder, entry.loc, scalar, loads);
  return ScaleOp::create(entry.builder, entry.loc, scalar, sum,
                         entry.builder.getF64FloatAttr(1.0 / double(layers)));
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
