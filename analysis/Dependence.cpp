//===- Dependence.cpp - What values are computed from ---------------------===//

#include "analysis/Dependence.h"

using namespace mlir;
using namespace pcc::nn;

bool pcc::nn::dependsOn(Value value, llvm::function_ref<bool(Value)> isSought) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Value> seen{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (isSought(next))
      return true;
    if (Operation *op = next.getDefiningOp())
      for (Value operand : op->getOperands())
        if (seen.insert(operand).second)
          work.push_back(operand);
  }
  return false;
}

llvm::DenseSet<Value> pcc::nn::neededFor(Value value) {
  llvm::DenseSet<Value> needed;
  dependsOn(value, [&](Value source) {
    needed.insert(source);
    return false;
  });
  return needed;
}

bool pcc::nn::hasResultOf(const llvm::DenseSet<Value> &values, Operation *op) {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return values.contains(result); });
}

ParamOp pcc::nn::paramOf(ReadOp read) {
  return SymbolTable::lookupNearestSymbolFrom<ParamOp>(read,
                                                       read.getSymbolAttr());
}

ParamOp pcc::nn::paramOf(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  auto read = value.getDefiningOp<ReadOp>();
  return read ? paramOf(read) : nullptr;
}
