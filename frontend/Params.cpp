//===- Params.cpp - What the parameters of a model are --------------------===//

#include "frontend/Params.h"
#include "dialects/NN/SourceMarks.h"
#include "frontend/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

void pcc::frontend::sweep(ModuleOp module) {
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

void pcc::frontend::sortParams(ModuleOp module, ArrayRef<StringRef> names) {
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

/// How a vector is used, seen through ops that spread it over a tensor.
static void findUses(Value value, Uses &uses) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    unsigned operand = use.getOperandNumber();
    if (isa<BroadcastOp, ReshapeOp, ConcatOp>(user))
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

void pcc::frontend::classifyParams(ModuleOp module) {
  llvm::StringMap<Uses> uses;
  module.walk(
      [&](ReadOp read) { findUses(read.getResult(), uses[read.getSymbol()]); });
  for (auto param : module.getOps<ParamOp>()) {
    // Nobody draws what is one number, or what is not trained.
    if (param.getInit() == Init::File)
      continue;
    SourceAttr source = param.getSourceAttr();
    int64_t rank =
        source ? source.getType().getRank() : param.getTensorType().getRank();
    const Uses &use = uses[param.getSymName()];
    Init init = Init::Normal;
    if (rank < 2 && !use.other)
      init = use.scale ? Init::One : Init::Zero;
    param.setInit(init);
  }
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether a parameter is trained, and the evidence.
static std::string standingOf(ParamOp param, const ImportReport &report) {
  auto it = report.evidence.find(param.getSymName().str());
  std::string evidence = it == report.evidence.end() ? "" : it->second;
  if (param.getFrozen())
    return "frozen (" + (evidence.empty() ? "by --freeze" : evidence) + ")";
  std::string text = param.getDecay()
                         ? "trained, weight decay (source rank >= 2)"
                         : "trained, no weight decay (source rank < 2)";
  return evidence.empty() ? text : text + ", " + evidence;
}

void pcc::printParams(ModuleOp module, const ImportReport &report,
                      raw_ostream &os) {
  size_t width = 4;
  int64_t trained = 0, all = 0;
  for (auto param : module.getOps<ParamOp>())
    width = std::max(width, param.getSymName().size());
  for (auto param : module.getOps<ParamOp>()) {
    SourceAttr source = param.getSourceAttr();
    int64_t size = param.getTensorType().getNumElements();
    all += size;
    trained += param.getFrozen() ? 0 : size;
    os << param.getSymName();
    os.indent(width - param.getSymName().size() + 2)
        << print(param.getTensorType()) << "  " << standingOf(param, report)
        << ", new values: " << stringifyInit(param.getInit());
    if (source && !source.getFile().empty() && source.getOffset() != kAbsent)
      os << "  from " << source.getFile() << "+" << source.getOffset() << " "
         << print(source.getType());
    else
      os << "  from nowhere";
    if (auto name = param->getAttrOfType<StringAttr>(kSourceNameAttr))
      os << ", called '" << name.getValue() << "' there";
    if (param->hasAttr(kTransposedAttr))
      os << ", transposed";
    if (param->hasAttr(kPlusOneAttr))
      os << ", plus one";
    os << "\n";
  }
  for (const ImportReport::Constant &constant : report.constants)
    os << constant.name << "  " << constant.type << "  constant ("
       << constant.evidence << ")\n";
  os << all << " parameters, " << trained << " trained\n";
}
