//===- Entry.cpp - Entry functions and their state ------------------------===//

#include "passes/Training/Entry.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Location.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

bool pcc::hasTrainedParams(func::FuncOp function) {
  auto params = function->getParentOfType<ModuleOp>().getOps<ParamOp>();
  return llvm::any_of(params, [](ParamOp op) { return !op.getFrozen(); });
}

Value pcc::mainOutput(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  if (terminator->getNumOperands() == 1)
    return terminator->getOperand(0);
  // Skip a metric such as an accuracy, and ids: a loss of them has no gradient.
  SmallVector<Value> found;
  Value named;
  bool hasParams = hasTrainedParams(function);
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    if (tensorType(value).getRank() == 0 || (hasParams && !hasGradient(value)))
      continue;
    found.push_back(value);
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    if (name && name.getValue() == kLogits)
      named = value;
  }
  return found.size() == 1 ? found.front() : named;
}

EntryBuilder::EntryBuilder(ModuleOp module, StringRef name)
    : builder(module.getContext()),
      loc(NameLoc::get(builder.getStringAttr(name))) {
  builder.setInsertionPointToEnd(module.getBody());
  function =
      func::FuncOp::create(builder, loc, name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Value EntryBuilder::input(InputRole role, Type type) {
  StringRef name = stringifyInputRole(role);
  return insertInput(function, function.getNumArguments(), role, name, type,
                     NameLoc::get(builder.getStringAttr(name)));
}

Value EntryBuilder::read(StringRef symbol, Type type) {
  return ReadOp::create(builder, loc, type, symbol);
}

void EntryBuilder::write(Value value, StringRef symbol) {
  WriteOp::create(builder, loc, value, symbol);
}

void EntryBuilder::clear(StateOp state) {
  RankedTensorType type = state.getTensorType();
  auto zeros =
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
  write(ConstantOp::create(builder, loc, type, zeros), state.getSymName());
}

void EntryBuilder::finish(ValueRange results, ArrayRef<StringRef> names) {
  func::ReturnOp::create(builder, loc, results);
  SmallVector<DictionaryAttr> attrs;
  for (StringRef name : names)
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), TypeRange(results)));
  function.setAllResultAttrs(attrs);
}

StateOp pcc::addState(ModuleOp module, StringRef name, RankedTensorType type,
                      StateKind kind, StringRef of) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  // Search from the end: only a few functions follow the last state.
  for (Operation &op : llvm::reverse(*module.getBody()))
    if (isa<ParamOp, StateOp>(op)) {
      builder.setInsertionPointAfter(&op);
      break;
    }
  FlatSymbolRefAttr parameter;
  if (!of.empty())
    parameter = FlatSymbolRefAttr::get(builder.getContext(), of);
  return StateOp::create(builder, NameLoc::get(builder.getStringAttr(name)),
                         name, type, kind, parameter, /*members=*/ArrayAttr(),
                         /*offsets=*/DenseI64ArrayAttr(),
                         /*first=*/FloatAttr());
}

StateOp pcc::addNumber(ModuleOp module, StringRef name, RankedTensorType type,
                       double first) {
  StateOp state = addState(module, name, type, StateKind::Number);
  state.setFirst(llvm::APFloat(first));
  return state;
}

SmallVector<StateOp> pcc::gradients(ModuleOp module) {
  SmallVector<StateOp> states;
  for (auto state : module.getOps<StateOp>())
    if (state.getKind() == StateKind::Gradient)
      states.push_back(state);
  return states;
}

RankedTensorType pcc::scalarType(MLIRContext *context) {
  return RankedTensorType::get({}, Float32Type::get(context));
}

std::string pcc::nodeName(Operation *op) {
  StringRef name = sourceNode(op->getLoc());
  return "'" + (name.empty() ? op->getName().getStringRef() : name).str() + "'";
}

std::string pcc::nodeName(Value value) {
  if (Operation *op = value.getDefiningOp())
    return nodeName(op);
  auto arg = cast<BlockArgument>(value);
  if (auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()))
    if (StringRef name = inputName(function, arg.getArgNumber()); !name.empty())
      return "'" + name.str() + "'";
  StringRef name = sourceNode(value.getLoc());
  return name.empty() ? "an input" : "'" + name.str() + "'";
}
