//===- SingleOpKernels.cpp - Kernels of a single op -----------------------===//

#include "passes/Codegen/Lower/SingleOpKernels.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;

func::FuncOp SingleOpKernels::getOrBuild(StringRef key, StringRef stem,
                                         TypeRange inputs, TypeRange results,
                                         Location loc, BuildBody body) {
  func::FuncOp &kernel = made[key];
  if (kernel)
    return kernel;
  std::string name;
  do
    name = ("kernel." + stem + "." + Twine(numbers[stem]++)).str();
  while (symbols.lookup(name));
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  kernel = func::FuncOp::create(builder, loc, name,
                                builder.getFunctionType(inputs, results));
  kernel.setPrivate();
  symbols.insert(kernel);
  kernel->setAttr(rt::kKernelAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  body(builder, kernel.getArguments());
  return kernel;
}

func::FuncOp SingleOpKernels::get(Operation *op) {
  SetVector<Value> operands(op->operand_begin(), op->operand_end());
  // The op as text, with operands as numbers, identifies what it computes.
  std::string key;
  llvm::raw_string_ostream os(key);
  NamedAttrList marks(op->getDiscardableAttrDictionary());
  marks.erase(dist::kShardingsAttr);
  os << op->getName() << marks.getDictionary(op->getContext())
     << op->getPropertiesAsAttribute();
  for (Value operand : op->getOperands())
    os << ' ' << llvm::find(operands, operand) - operands.begin();
  for (Type type : op->getOperandTypes())
    os << ' ' << type;
  for (Type type : op->getResultTypes())
    os << ' ' << type;

  SmallVector<Type> inputs;
  for (Value operand : operands)
    inputs.push_back(operand.getType());
  return getOrBuild(
      key, op->getName().stripDialect(), inputs, op->getResultTypes(),
      op->getLoc(), [&](OpBuilder &builder, ValueRange arguments) {
        IRMapping map;
        for (auto [from, to] : llvm::zip(operands, arguments))
          map.map(from, to);
        Operation *copy = builder.clone(*op, map);
        copy->removeDiscardableAttr(dist::kShardingsAttr);
        func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
      });
}

func::FuncOp SingleOpKernels::getAdd(RankedTensorType state,
                                     RankedTensorType value) {
  std::string key;
  llvm::raw_string_ostream(key) << "add " << state << ' ' << value;
  Location loc = module.getLoc();
  func::FuncOp kernel =
      getOrBuild(key, "accumulate", {state, value}, {state}, loc,
                 [&](OpBuilder &builder, ValueRange arguments) {
                   Value added = arguments[1];
                   if (state != value)
                     added = nn::CastOp::create(builder, loc, state, added);
                   Value sum = nn::SumOp::create(
                       builder, loc, state, ValueRange{arguments[0], added});
                   func::ReturnOp::create(builder, loc, sum);
                 });
  kernel.setResultAttr(0, rt::kInplaceAttr,
                       Builder(module.getContext()).getI64IntegerAttr(0));
  return kernel;
}

func::FuncOp SingleOpKernels::getTranspose(RankedTensorType type,
                                           ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  auto result = RankedTensorType::get(shape, type.getElementType());
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "transpose " << type;
  for (int64_t dim : permutation)
    os << ' ' << dim;
  Location loc = module.getLoc();
  return getOrBuild(key, "transpose", {type}, {result}, loc,
                    [&](OpBuilder &builder, ValueRange arguments) {
                      Value moved = nn::TransposeOp::create(
                          builder, loc, result, arguments[0], permutation);
                      func::ReturnOp::create(builder, loc, moved);
                    });
}
