//===- TrainingModes.cpp - Operators that act otherwise in training -------===//
//
// A file in eval mode is another than the module that PyTorch trains: which
// statistics its batch norms take is told, or that exporters left none of them;
// and which dropout is active where the file does not say so.
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

/// Nodes without a name are known by their first result.
static const std::string &nameOf(const onnx::NodeProto &node) {
  return node.name().empty() ? node.output(0) : node.name();
}

bool Importer::normalizesByBatch(const onnx::NodeProto &node, bool isTraining) {
  if (options.forward)
    return isTraining;
  if (options.runningNorms)
    return false;
  const std::string &name = nameOf(node);
  (isTraining ? batchNorms : evalNorms).push_back(name);
  forward->setAttr(
      kJoinsSamplesAttr,
      builder.getStringAttr("batch norm '" + name + "' joins all samples"));
  return true;
}

/// "'a' and 2 more".
static std::string list(ArrayRef<std::string> names) {
  std::string text = "'" + names[0] + "'";
  if (names.size() > 1)
    text += " and " + std::to_string(names.size() - 1) + " more";
  return text;
}

void Importer::warnOfBatchNorms() const {
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

bool Importer::drops(const onnx::NodeProto &node,
                     std::optional<bool> isTraining) {
  if (options.noDropout)
    return false;
  if (options.forward)
    return isTraining.value_or(false);
  if (!isTraining)
    openDropouts.push_back(nameOf(node));
  else if (!*isTraining)
    idleDropouts.push_back(nameOf(node));
  return isTraining.value_or(true);
}

void Importer::warnOfDropout() const {
  if (!openDropouts.empty()) {
    InFlightDiagnostic diag = emitWarning(file)
                              << "dropout is active in " << list(openDropouts)
                              << ": opset " << opset
                              << " does not say whether a Dropout node is in "
                                 "training mode";
    diag.attachNote(file) << "--no-dropout trains without dropout";
  }
  if (!idleDropouts.empty()) {
    InFlightDiagnostic diag =
        emitWarning(file) << "dropout is not active in " << list(idleDropouts)
                          << ": training_mode is false or absent";
    diag.attachNote(file) << "export in training mode to train with dropout, "
                             "or give --no-dropout";
  }
}
