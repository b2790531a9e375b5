//===- Differentiate.cpp - Derivatives of translated ops ------------------===//

#include "frontend/binding/Differentiate.h"
#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

FailureOr<SmallVector<Value>>
pcc::frontend::differentiate(OpBuilder &builder, Location loc, Value output,
                             ArrayRef<Value> inputs) {
  llvm::DenseSet<Value> depends(inputs.begin(), inputs.end());
  SmallVector<Operation *> path;
  for (Operation &op : *builder.getInsertionBlock())
    if (llvm::any_of(op.getOperands(),
                     [&](Value in) { return depends.contains(in); })) {
      path.push_back(&op);
      for (Value result : op.getResults())
        depends.insert(result);
    }
  DenseMap<Value, SmallVector<Value>> terms;
  RankedTensorType type = tensorType(output);
  Attribute one = builder.getFloatAttr(type.getElementType(), 1);
  terms[output].push_back(ConstantOp::create(
      builder, loc, type, DenseElementsAttr::get(type, one)));
  auto total = [&](Value value) -> Value {
    auto it = terms.find(value);
    if (it == terms.end())
      return nullptr;
    if (it->second.size() == 1)
      return it->second[0];
    return SumOp::create(builder, loc, value.getType(), it->second);
  };
  for (Operation *op : llvm::reverse(path)) {
    SmallVector<Value> cotangents;
    for (Value result : op->getResults())
      cotangents.push_back(total(result));
    if (llvm::none_of(cotangents, [](Value d) { return d; }))
      continue;
    auto rule = dyn_cast<DifferentiableInterface>(op);
    bool hasStatistics = op->getNumResults() > 1 &&
                         llvm::any_of(ArrayRef<Value>(cotangents).drop_front(),
                                      [](Value d) { return d; });
    if (!rule || !cotangents[0] || hasStatistics)
      return emitError(loc)
             << "goes through " << op->getName() << ", which has no derivative";
    SmallVector<Value> parts = rule.buildVJP(builder, cotangents);
    for (auto [operand, part] : llvm::zip(op->getOperands(), parts))
      if (part && depends.contains(operand))
        terms[operand].push_back(part);
  }
  return llvm::map_to_vector(inputs, total);
}
