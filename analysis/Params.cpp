//===- Params.cpp - Order and initial values of parameters ----------------===//

#include "analysis/Params.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::nn;

void pcc::analysis::eraseUnused(ModuleOp module) {
  llvm::StringSet<> read;
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
    func.walk([&](ReadOp op) { read.insert(op.getSymbol()); });
  }
  for (auto param : llvm::make_early_inc_range(module.getOps<ParamOp>()))
    if (!read.contains(param.getSymName()))
      param.erase();
}

void pcc::analysis::sortParams(ModuleOp module, ArrayRef<StringRef> names) {
  Operation *first = nullptr;
  for (Operation &op : *module.getBody())
    if (!isa<ParamOp>(op)) {
      first = &op;
      break;
    }
  SymbolTable table(module);
  for (StringRef name : names)
    if (auto param = table.lookup<ParamOp>(name))
      param->moveBefore(first);
}

namespace {
struct Uses {
  bool scale = false, bias = false, other = false;
};
} // namespace

/// Collects the uses of a vector, also through ops that keep all its elements.
static void findUses(Value value, Uses &uses) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    unsigned operand = use.getOperandNumber();
    if (keepsElements(user) || isa<ConcatOp>(user))
      findUses(user->getResult(0), uses);
    else if (isa<LayerNormOp, RmsNormOp>(user) && operand > 0)
      (operand == 1 ? uses.scale : uses.bias) = true;
    else if (isa<MulOp>(user))
      uses.scale = true;
    else if (isa<SumOp>(user))
      uses.bias = true;
    else
      uses.other = true;
  }
}

void pcc::analysis::classifyParams(ModuleOp module) {
  llvm::StringMap<Uses> uses;
  module.walk(
      [&](ReadOp read) { findUses(read.getResult(), uses[read.getSymbol()]); });
  for (auto param : module.getOps<ParamOp>()) {
    // It keeps the file's value.
    if (param.getInit() == Init::File)
      continue;
    SourceAttr source = param.getSource();
    int64_t rank =
        source ? source.getType().getRank() : param.getTensorType().getRank();
    const Uses &use = uses[param.getSymName()];
    Init init = Init::Normal;
    if (rank < 2 && !use.other)
      init = use.scale ? Init::One : Init::Zero;
    param.setRecordAttr(param.getRecord().withInit(init));
  }
}
