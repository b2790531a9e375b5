//===- DocumentEnds.cpp - The tokens that end a document ------------------===//

#include "tools/pcc/Directory/DocumentEnds.h"
#include "dialects/NN/AttrNames.h"
#include "frontend/import/ModelConfig.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace pcc;

LogicalResult pcc::findDocumentEnds(ModuleOp module, Arguments &arguments) {
  std::vector<std::string> folders;
  if (auto folder = module->getAttrOfType<DictionaryAttr>(nn::kModelFolderAttr))
    if (auto path = folder.getAs<StringAttr>(nn::kModelFolderPath))
      folders.push_back(path.str());
  folders.push_back(llvm::sys::path::parent_path(arguments.input).str());
  std::string why = "has no config.json";
  for (StringRef folder : folders) {
    SmallString<128> path = folder;
    llvm::sys::path::append(path, "config.json");
    std::string problem;
    auto config = frontend::ModelConfig::read(path, problem);
    if (!config)
      continue;
    arguments.options.documentEnds = config->endsOfText();
    if (!arguments.options.documentEnds.empty())
      return success();
    why = ("has no eos_token_id in '" + path + "'").str();
  }
  InFlightDiagnostic diag = emitError(module.getLoc())
                            << "--documents auto: the model " << why;
  diag.attachNote() << "give the ids of the tokens that end a document, such "
                       "as --documents 50256";
  return diag;
}
