//===- ModelNames.cpp - Names of arrays and checkpoint tensors ------------===//

#include "frontend/import/ModelNames.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "runtime/support/FileNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// A name for a message: printable, and cut after 80 characters.
static std::string shown(StringRef name) {
  const size_t longest = 80;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (nameError(name).empty() && name.size() <= longest)
    return name.str();
  llvm::printEscapedString(name.take_front(longest), os);
  if (name.size() > longest)
    os << "...";
  return text;
}

LogicalResult pcc::frontend::checkArrayNames(Location file, Arrays arrays,
                                             ArrayRef<StringRef> names) {
  bool areInputs = arrays == Arrays::Inputs;
  StringRef noun = areInputs ? "input" : "output",
            verb = areInputs ? "read from" : "written to";
  auto refuse = [&](const Twine &what) {
    InFlightDiagnostic diag = emitError(file) << what;
    diag.attachNote(file) << "rename it in the file, or export with " << noun
                          << "_names=[...]";
    return diag;
  };
  llvm::StringMap<StringRef> fileOf;
  for (StringRef name : names) {
    if (std::string why = arrayNameError(name); !why.empty())
      return refuse(noun + " '" + shown(name) + "' cannot be " + verb + " <" +
                    noun + ">.npy: its name " + why);
    auto [known, isNew] = fileOf.insert({arrayFile(name), name});
    if (!isNew && known->second != name)
      return refuse(noun + "s '" + shown(known->second) + "' and '" +
                    shown(name) + "' would both be " + verb + " '" +
                    known->first() + "'");
  }
  return success();
}

/// A description of the symbol that a program reserves this name for: a
/// function, a state, or another parameter's state. Empty if there is none.
static std::string otherMeaning(StringRef name,
                                const llvm::StringMap<ParamOp> &symbols) {
  if (llvm::is_contained(kFunctions, name))
    return "a function";
  const StringRef states[] = {kLossSum,         kTargetCount, kEvalLossSum,
                              kEvalTargetCount, kEvalBatches, kStepBatches,
                              kLossScale,       kGoodSteps,   kUpdates};
  if (llvm::is_contained(states, name))
    return "a sum or count of a step";
  for (StringRef prefix : {kEvalSum, kEvalCount, kStepCount})
    if (StringRef rest = name; rest.consume_front(prefix) && !rest.empty() &&
                               llvm::all_of(rest, llvm::isDigit))
      return "a sum or count of a step";
  auto isOf = [&](StringRef prefix) {
    StringRef param = name;
    return param.consume_front(prefix) && symbols.contains(param);
  };
  if (isOf(gradientName("")))
    return "the gradient of another";
  if (isOf(copyName("")))
    return "the working copy of another";
  for (StateKind kind : {StateKind::Moment1, StateKind::Moment2})
    if (isOf(momentName(kind, "")))
      return "the optimizer's state of another";
  return "";
}

LogicalResult pcc::frontend::checkParamNames(Location file, ModuleOp module) {
  llvm::StringMap<ParamOp> saved, symbols;
  for (auto param : module.getOps<ParamOp>())
    symbols.insert({param.getSymName(), param});
  auto refuse = [&](StringRef name, const Twine &why) -> LogicalResult {
    InFlightDiagnostic diag = emitError(file)
                              << "parameter '" << shown(name) << "' " << why;
    diag.attachNote(file) << "rename it in the module, or in the file";
    return diag;
  };
  for (auto param : module.getOps<ParamOp>()) {
    StringRef symbol = param.getSymName();
    if (std::string other = otherMeaning(symbol, symbols); !other.empty())
      return refuse(symbol, "has a name that programs reserve for " + other);
    SourceAttr source = param.getSource();
    if (!source)
      continue;
    StringRef name = source.getName();
    if (std::string why = tensorNameError(name); !why.empty())
      return refuse(name, "cannot be saved: its name " + why);
    auto [known, isNew] = saved.insert({name, param});
    if (!isNew)
      return refuse(symbol, "would be saved as '" + shown(name) +
                                "', and so would '" +
                                known->second.getSymName() + "'");
  }
  return success();
}
