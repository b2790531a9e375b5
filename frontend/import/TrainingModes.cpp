//===- TrainingModes.cpp - Operators with a training mode -----------------===//
//
// A file in eval mode differs from the module that PyTorch trains. Warnings
// tell which statistics its batch norms use, and which dropout is active if the
// file does not state it. Batch norms that exporters folded are reported.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/AttrNames.h"
#include "frontend/import/Importer.h"
#include "frontend/onnx/Metadata.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether a batch norm is folded into the weights of a node. dynamo records
/// it; TorchScript folds only into convolutions, whose bias then has a
/// generated name.
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

/// A node's name, or its first result's if it has none.
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
      builder.getStringAttr("batch norm '" + name + "' combines all samples"));
  return true;
}

/// "'a' and 2 more".
static std::string nameFirst(ArrayRef<std::string> names) {
  std::string text = "'" + names[0] + "'";
  if (names.size() > 1)
    text += " and " + std::to_string(names.size() - 1) + " more";
  return text;
}

void Importer::warnOfBatchNorms() const {
  if (!evalNorms.empty()) {
    InFlightDiagnostic diag =
        emitWarning(file)
        << "the file is in eval mode, but batch norms use "
           "the batch's statistics, as in PyTorch's training: "
        << nameFirst(evalNorms);
    diag.attachNote(file) << "--batch-norm running uses the file's running "
                             "statistics, as constants";
  }
  if (!batchNorms.empty() || !evalNorms.empty())
    emitWarning(file) << "running statistics are not updated: "
                      << nameFirst(batchNorms.empty() ? evalNorms : batchNorms);
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
                              << "dropout is active in "
                              << nameFirst(openDropouts) << ": opset " << opset
                              << " does not say whether a Dropout node is in "
                                 "training mode";
    diag.attachNote(file) << "--no-dropout trains without dropout";
  }
  if (!idleDropouts.empty()) {
    InFlightDiagnostic diag = emitWarning(file)
                              << "dropout is not active in "
                              << nameFirst(idleDropouts)
                              << ": training_mode is false or absent";
    diag.attachNote(file) << "export in training mode to train with dropout, "
                             "or pass --no-dropout";
  }
}
