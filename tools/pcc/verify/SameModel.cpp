//===- SameModel.cpp - Whether a plan is one of the model -----------------===//

#include "tools/pcc/verify/SameModel.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pcc;

LogicalResult pcc::checkSameModel(const Arguments &arguments, const Facts &plan,
                                  const Facts &one) {
  const std::string &text = arguments.verification->plan;
  std::string from =
      plan.source.empty() ? "" : "it was compiled from '" + plan.source + "', ";
  auto refuse = [&](const Twine &what) {
    llvm::errs() << text << ": error: the plan is of another model: " << from
                 << what << "\n"
                 << text
                 << ": note: give the model and the flags that it was compiled "
                    "with, or compile the plan again\n";
    return failure();
  };
  if (text.empty())
    return success();
  for (const auto &[name, type] : one.parameters) {
    auto found = plan.parameters.find(name);
    if (found == plan.parameters.end())
      return refuse("without the parameter '" + Twine(name) + "' of " +
                    arguments.input);
    if (!type.empty() && !found->second.empty() && found->second != type)
      return refuse("whose '" + Twine(name) + "' is " + found->second +
                    ", not " + type + " as in " + arguments.input);
  }
  for (const auto &[name, type] : plan.parameters)
    if (!one.parameters.count(name))
      return refuse("with the parameter '" + Twine(name) + "', which " +
                    arguments.input + " does not have");
  if (arguments.options.randomInit)
    return success();
  for (const auto &[name, digest] : one.digests) {
    auto found = plan.digests.find(name);
    if (found != plan.digests.end() && found->second != digest)
      return refuse("with other weights than those of " +
                    Twine(arguments.input));
  }
  return success();
}
