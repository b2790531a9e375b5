//===- Buckets.cpp - Buckets and their members ----------------------------===//

#include "analysis/Buckets.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

bool nn::isBucket(Operation *symbol) {
  auto state = dyn_cast_or_null<StateOp>(symbol);
  return state && state.getKind() == StateKind::Bucket;
}

bool nn::isAlias(Operation *symbol) {
  auto state = dyn_cast_or_null<StateOp>(symbol);
  return state && (state.getKind() == StateKind::Bucket ||
                   state.getKind() == StateKind::Part);
}

SmallVector<StringRef> nn::heldBy(StateOp state) {
  if (!isBucket(state))
    return {state.getSymName()};
  SmallVector<StringRef> names;
  for (auto member : state.getMembersAttr().getAsRange<FlatSymbolRefAttr>())
    names.push_back(member.getValue());
  return names;
}

StringRef nn::rowOf(StateOp state) {
  return state.getKind() == StateKind::Part ? *state.getOf()
                                            : state.getSymName();
}

StateOp nn::bucketSummedIn(const SymbolTable &symbols, StateOp state) {
  if (!state || state.getKind() != StateKind::Gradient || !state.getOf())
    return {};
  auto row = symbols.lookup<StateOp>(*state.getOf());
  return row && isBucket(row) ? row : StateOp();
}

bool nn::isGradients(const SymbolTable &symbols, StringRef symbol) {
  auto state = symbols.lookup<StateOp>(symbol);
  return state && llvm::all_of(heldBy(state), [&](StringRef name) {
           auto one = symbols.lookup<StateOp>(name);
           return one && one.getKind() == StateKind::Gradient;
         });
}

Buckets::Buckets(ModuleOp module) {
  for (auto state : module.getOps<StateOp>()) {
    if (!isBucket(state))
      continue;
    for (auto [name, offset] :
         llvm::zip_equal(heldBy(state), *state.getOffsets()))
      places[name] = {state, offset};
  }
}
