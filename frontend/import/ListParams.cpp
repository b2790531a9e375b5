//===- ListParams.cpp - The list of a model's parameters ------------------===//

#include "analysis/Params.h"
#include "dialects/NN/AttrNames.h"
#include "frontend/import/Import.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

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
    SourceAttr source = param.getSource();
    int64_t size = param.getTensorType().getNumElements();
    all += size;
    trained += param.getFrozen() ? 0 : size;
    os << param.getSymName();
    os.indent(width - param.getSymName().size() + 2)
        << debugString(param.getTensorType()) << "  "
        << standingOf(param, report)
        << ", new values: " << stringifyInit(param.getInit());
    if (source && !source.getFile().empty() && source.getOffset() != kAbsent)
      os << "  from " << source.getFile() << "+" << source.getOffset() << " "
         << debugString(source.getType());
    else
      os << "  from nowhere";
    if (auto name = param->getAttrOfType<StringAttr>(nn::kSourceNameAttr))
      os << ", called '" << name.getValue() << "' there";
    if (param.getRecord().getTransposed())
      os << ", transposed";
    if (param.getRecord().getPlusOne())
      os << ", plus one";
    os << "\n";
  }
  for (const ImportReport::Constant &constant : report.constants)
    os << constant.name << "  " << constant.type << "  constant ("
       << constant.evidence << ")\n";
  os << all << " parameters, " << trained << " trained\n";
}
