//===- VerifySpmd.cpp - Verifies one rank's program -----------------------===//
//
// VerifyLayouts.cpp checks single ops; this file checks arguments, results and
// accesses to symbols.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/VerifySpmd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

class SpmdVerifier {
public:
  SpmdVerifier(ModuleOp module, MeshOp mesh)
      : module(module), layouts(mesh), mesh(layouts.getMesh()) {}
  LogicalResult run();

private:
  LogicalResult verify(func::FuncOp function);
  LogicalResult verify(Operation &op);
  LogicalResult verifyStore(Operation *op, Value value, StringAttr symbol);
  LogicalResult verifyReturn(func::ReturnOp op);
  LogicalResult verifyNumbers();

  ModuleOp module;
  LayoutVerifier layouts;
  const Mesh &mesh;
  /// The shardings of parameters and states.
  llvm::StringMap<Layout> symbols;
};

} // namespace

/// Checks that a value that is read or written has its symbol's sharding. One
/// stage adds to a sum over stages; the others have zero there.
LogicalResult SpmdVerifier::verifyStore(Operation *op, Value value,
                                        StringAttr symbol) {
  auto layout = layouts.layoutOf(op, value, "moves a value that");
  if (failed(layout))
    return failure();
  auto known = symbols.find(symbol.getValue());
  if (known == symbols.end())
    return op->emitOpError() << "names " << symbol << ", which has no "
                             << "sharding";
  Layout due = known->second;
  if (auto stages = mesh.stageAxis(); stages && isa<AccumulateOp>(op))
    due.partial.erase(*stages);
  if (*layout != due)
    return op->emitOpError()
           << "moves a value with sharding " << mesh.attr(*layout) << ", but '"
           << symbol.getValue() << "' has sharding "
           << mesh.attr(known->second);
  return success();
}

LogicalResult SpmdVerifier::verifyReturn(func::ReturnOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto layout = layouts.layoutOf(op, operand.get(), "returns a value that");
    if (failed(layout))
      return failure();
    if (!layout->partial.empty() || !layout->partialMax.empty())
      return op.emitOpError() << "returns a partial value: its sharding is "
                              << mesh.attr(*layout);
    auto said = function.getResultAttrOfType<ShardingAttr>(i, kShardingAttr);
    if (!said || mesh.layout(said) != *layout)
      return op.emitOpError()
             << "returns a value with sharding " << mesh.attr(*layout)
             << ", which result " << i << " of @" << function.getSymName()
             << " does not declare";
  }
  return success();
}

LogicalResult SpmdVerifier::verify(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ReadOp op) {
        return verifyStore(op, op.getResult(), op.getSymbolAttr().getAttr());
      })
      .Case<WriteOp, AccumulateOp>([&](auto op) {
        return verifyStore(op, op->getOperand(0), op.getSymbolAttr().getAttr());
      })
      .Case([&](func::ReturnOp op) { return verifyReturn(op); })
      .Default([&](Operation *op) { return layouts.verify(op); });
}

LogicalResult SpmdVerifier::verify(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has more than one block");
  for (BlockArgument argument : function.getArguments())
    if (failed(layouts.layoutOf(
            function, argument,
            "has argument " + Twine(argument.getArgNumber()) + ", which")))
      return failure();
  for (Operation &op : function.getBody().front())
    if (failed(verify(op)))
      return failure();
  layouts.clear();
  return success();
}

/// Checks that numbers that are read in each step are written: otherwise they
/// would never change.
LogicalResult SpmdVerifier::verifyNumbers() {
  llvm::StringSet<> read, written;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (auto from = dyn_cast<ReadOp>(op))
        read.insert(from.getSymbol());
      else if (auto to = dyn_cast<WriteOp>(op))
        written.insert(to.getSymbol());
      else if (auto adding = dyn_cast<AccumulateOp>(op))
        written.insert(adding.getSymbol());
    });
  for (auto state : module.getOps<StateOp>())
    if (StringRef name = state.getSymName();
        state.getKind() == StateKind::Number && read.contains(name) &&
        !written.contains(name))
      return state.emitOpError()
             << "is a number that is read in each step, but "
                "nothing writes it";
  return success();
}

LogicalResult SpmdVerifier::run() {
  for (Operation &op : *module.getBody()) {
    if (!isa<ParamOp, StateOp>(op))
      continue;
    if (!op.hasAttr(kGlobalAttr))
      return op.emitOpError()
             << "has no " << kGlobalAttr << " in a partitioned program";
    // With the global type there is a sharding (verified).
    Layout layout = mesh.layout(op.getAttrOfType<ShardingAttr>(kShardingAttr));
    if (isa<ParamOp>(op) && !layout.partial.empty())
      return op.emitOpError()
             << "is partial over " << layouts.names(layout.partial)
             << ": a parameter must not be partial";
    symbols[SymbolTable::getSymbolName(&op)] = layout;
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && failed(verify(function)))
      return failure();
  return verifyNumbers();
}

LogicalResult pcc::verifySpmd(ModuleOp module) {
  MeshOp mesh = findMesh(module);
  return mesh ? SpmdVerifier(module, mesh).run() : success();
}
