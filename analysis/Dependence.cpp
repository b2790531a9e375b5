//===- Dependence.cpp - Dependences of values -----------------------------===//

#include "analysis/Dependence.h"

using namespace mlir;
using namespace pcc::nn;

/// Whether `isSought` is true for `value` or for a value that it is computed
/// from; the search does not go beyond ops for which `stops` is true.
static bool reachesSought(Value value, llvm::function_ref<bool(Value)> isSought,
                          llvm::function_ref<bool(Operation *)> stops) {
  SmallVector<Value> work{value};
  llvm::SmallDenseSet<Value> seen{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (isSought(next))
      return true;
    Operation *op = next.getDefiningOp();
    if (!op || stops(op))
      continue;
    for (Value operand : op->getOperands())
      if (seen.insert(operand).second)
        work.push_back(operand);
  }
  return false;
}

bool pcc::nn::dependsOn(Value value, llvm::function_ref<bool(Value)> isSought) {
  return reachesSought(value, isSought, [](Operation *) { return false; });
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

static bool isTrained(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  ParamOp param = read ? paramOf(read) : nullptr;
  return param && !param.getFrozen() &&
         isa<FloatType>(param.getTensorType().getElementType());
}

/// Whether no gradient flows from the op to its operands.
static bool stopsGradient(Operation *op) {
  return isa<FloorOp, RoundOp>(op) || op->hasAttr(kDetachedAttr) ||
         llvm::none_of(op->getResultTypes(), [](Type type) {
           return isa<FloatType>(getElementTypeOrSelf(type));
         });
}

/// Whether `isSought` is true for a value that the gradient of `value` reaches.
static bool anyReached(Value value, llvm::function_ref<bool(Value)> isSought) {
  return reachesSought(value, isSought, stopsGradient);
}

bool pcc::nn::hasGradient(Value value) { return anyReached(value, isTrained); }

Operation *pcc::nn::findGradientStop(Value value) {
  Operation *stop = nullptr;
  anyReached(value, [&](Value reached) {
    Operation *op = reached.getDefiningOp();
    bool isStop = op && stopsGradient(op) && dependsOn(reached, isTrained);
    if (isStop && (!stop || stop->isBeforeInBlock(op)))
      stop = op;
    return false;
  });
  return stop;
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
