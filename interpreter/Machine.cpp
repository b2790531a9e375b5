//===- Machine.cpp - Virtual ranks that run a program ---------------------===//

#include "interpreter/Machine.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

Machine::Machine(ModuleOp module, bool exact, int64_t numRanks)
    : module(module), exact(exact), symbols(numRanks) {
  for (auto state : module.getOps<nn::StateOp>()) {
    auto zeros = std::make_shared<Tensor>(state.getTensorType());
    for (auto &table : symbols)
      table[state.getSymName()] = zeros;
  }
}

TensorRef Machine::getSymbol(int64_t rank, StringRef name) const {
  return symbols[rank].lookup(name);
}

void Machine::setSymbol(int64_t rank, StringRef name, TensorRef value) {
  symbols[rank][name] = std::move(value);
}

/// state + value, as the state's element type holds it.
static TensorRef accumulated(const Tensor &state, const Tensor &value,
                             bool exact) {
  Tensor sum = state;
  for (size_t i = 0; i < sum.real.size(); ++i)
    sum.real[i] += value.real[i];
  for (size_t i = 0; i < sum.integer.size(); ++i)
    sum.integer[i] += value.integer[i];
  roundElements(sum, exact);
  return std::make_shared<Tensor>(std::move(sum));
}

FailureOr<ValueList> Machine::runOp(Operation *op, int64_t rank,
                                    ArrayRef<TensorRef> operands) {
  if (auto read = dyn_cast<nn::ReadOp>(op)) {
    TensorRef value = getSymbol(rank, read.getSymbol());
    if (!value)
      return op->emitOpError()
             << "reads " << read.getSymbolAttr() << ", which has no value";
    return ValueList{value};
  }
  if (auto write = dyn_cast<nn::WriteOp>(op)) {
    setSymbol(rank, write.getSymbol(), operands[0]);
    return ValueList{};
  }
  if (auto accumulate = dyn_cast<nn::AccumulateOp>(op)) {
    StringRef name = accumulate.getSymbol();
    TensorRef state = getSymbol(rank, name);
    if (!state)
      return op->emitOpError() << "adds to " << accumulate.getSymbolAttr()
                               << ", which has no value";
    setSymbol(rank, name, accumulated(*state, *operands[0], exact));
    return ValueList{};
  }

  const Kernel *kernel = kernels.find(op->getName().getStringRef());
  if (!kernel)
    return op->emitOpError("cannot be interpreted");
  SmallVector<Tensor> results;
  for (Type type : op->getResultTypes())
    results.emplace_back(cast<RankedTensorType>(type));
  if (failed((*kernel)(op, Args(op, operands), results)))
    return failure();
  ValueList values;
  for (Tensor &result : results) {
    roundElements(result, exact);
    values.push_back(std::make_shared<Tensor>(std::move(result)));
  }
  return values;
}

LogicalResult Machine::runBlock(Block &block, std::vector<Values> &values) {
  for (Operation &op : block.without_terminator()) {
    std::vector<ValueList> results;
    for (auto [rank, known] : llvm::enumerate(values)) {
      ValueList operands;
      for (Value operand : op.getOperands())
        operands.push_back(known.lookup(operand));
      FailureOr<ValueList> result = runOp(&op, rank, operands);
      if (failed(result))
        return failure();
      results.push_back(std::move(*result));
      for (auto [name, value] :
           llvm::zip_equal(op.getResults(), results.back()))
        known[name] = value;
    }
    if (afterOp && failed(afterOp(&op, results)))
      return failure();
  }
  return success();
}

FailureOr<std::vector<ValueList>> Machine::call(func::FuncOp function,
                                                ArrayRef<ValueList> args) {
  if (function.isExternal())
    return function.emitError("has no body to run");
  if (!function.getBody().hasOneBlock())
    return function.emitError("has more than one block");
  Block &block = function.getBody().front();
  std::vector<Values> values(getNumRanks());
  for (auto [known, given] : llvm::zip_equal(values, args))
    for (auto [name, value] : llvm::zip_equal(block.getArguments(), given))
      known[name] = value;
  if (failed(runBlock(block, values)))
    return failure();
  std::vector<ValueList> results;
  for (Values &known : values) {
    ValueList list;
    for (Value value : block.getTerminator()->getOperands())
      list.push_back(known.lookup(value));
    results.push_back(std::move(list));
  }
  return results;
}
