//===- BatchNorms.cpp - Which statistics batch norms take -----------------===//
//
// A file in eval mode is another than the module that PyTorch trains: which
// statistics its batch norms take is told, or that exporters left none of them.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/AttrNames.h"
#include "frontend/import/Importer.h"
#include "frontend/onnx/Metadata.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether a batch norm is in the weights of a node: dynamo says so,
/// TorchScript folds one into a convolution alone, whose bias then has a name
/// it made up.
static bool hasFoldedNorm(const onnx::NodeProto &node) {
  StringRef op = node.op_type();
  if (wasRewrittenBy(node, kFusesNorm))
    return true;
  return (op == "Conv" || op == "ConvTranspose") && node.input_size() > 2 &&
         StringRef(node.input(2)).contains("::");
}

LogicalResult Importer::checkFoldedNorm(const onnx::NodeProto &node) const {
  if (options.forward || options.runningNorms || declared || reads ||
      !hasFoldedNorm(node))
    return success();
  InFlightDiagnostic diag = emitError(file)
                            << node.op_type() << " '" << node.name()
                            << "': the exporter folded a batch norm into its "
                               "weights, which PyTorch trains by the batch's "
                               "statistics";
  diag.attachNote(file) << "export in training mode (TorchScript, constant "
                           "folding off), or from dynamo with optimize=False; "
                           "--batch-norm running trains what the file has";
  return diag;
}

bool Importer::normalizesByBatch(const onnx::NodeProto &node, bool isTraining) {
  if (options.forward)
    return isTraining;
  if (options.runningNorms)
    return false;
  const std::string &name = node.name().empty() ? node.output(0) : node.name();
  (isTraining ? batchNorms : evalNorms).push_back(name);
  forward->setAttr(
      kJoinsSamplesAttr,
      builder.getStringAttr("batch norm '" + name + "' joins all samples"));
  return true;
}

void Importer::warnOfBatchNorms() const {
  auto list = [](ArrayRef<std::string> names) {
    std::string text = "'" + names[0] + "'";
    if (names.size() > 1)
      text += " and " + std::to_string(names.size() - 1) + " more";
    return text;
  };
  if (!evalNorms.empty()) {
    InFlightDiagnostic diag =
        emitWarning(file) << "the file is in eval mode, and batch norms are by "
                             "the batch's statistics, as PyTorch trains them: "
                          << list(evalNorms);
    diag.attachNote(file) << "--batch-norm running takes the file's running "
                             "statistics, as constants";
  }
  if (!batchNorms.empty() || !evalNorms.empty())
    emitWarning(file) << "running statistics stay as the file has them: "
                      << list(batchNorms.empty() ? evalNorms : batchNorms);
}
