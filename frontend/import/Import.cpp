//===- Import.cpp - ONNX to nn, operator by operator ----------------------===//

#include "analysis/AssignRoles.h"
#include "analysis/Expressions.h"
#include "analysis/Params.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "frontend/import/ContextLength.h"
#include "frontend/import/DimBinding.h"
#include "frontend/import/Importer.h"
#include "frontend/import/Inputs.h"
#include "frontend/import/ModelNames.h"
#include "frontend/import/OwnLoss.h"
#include "frontend/import/ParamReads.h"
#include "frontend/import/Unsupported.h"
#include "frontend/onnx/Constants.h"
#include "frontend/onnx/Definitions.h"
#include "frontend/onnx/MarkedWrites.h"
#include "frontend/onnx/ModelFolder.h"
#include "frontend/onnx/RowEnds.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

Value Importer::asValue(const Item &item, Location loc) {
  if (item.weight)
    return readParam(builder, forward, *item.weight);
  if (!item.tensor)
    return item.value;
  onnx::NodeProto none;
  return Binder(*this, builder, loc, none, opset, {}).constant(*item.tensor);
}

LogicalResult Importer::importNodes() {
  const onnx::GraphProto &graph = model.proto.graph();
  Opsets opsets(model.proto);
  // Branches append nodes while the loop runs.
  for (int64_t number = 0; number < graph.node_size(); ++number) {
    const onnx::NodeProto &node = graph.node(number);
    bool isBranch = node.op_type() == "If";
    // A Constant that was lifted to an initializer.
    if (node.op_type() == "Constant" && node.output_size() == 1 &&
        items.contains(node.output(0)))
      continue;
    if (failed(isBranch ? takeBranch(number)
                        : importNode(number, node, *findEntry(node, opsets))))
      return failure();
  }
  return success();
}

/// Sparse initializers whose values are in the file became dense ones when it
/// was read; the rest is reported.
static LogicalResult checkSparse(Location file, const onnx::GraphProto &graph) {
  if (graph.sparse_initializer().empty())
    return success();
  InFlightDiagnostic diag = emitError(file)
                            << "the values of the sparse initializer '"
                            << graph.sparse_initializer(0).values().name()
                            << "' are in another file, which is not supported";
  diag.attachNote(file) << "load the model with the onnx package and save it "
                           "with save_as_external_data=False";
  return diag;
}

LogicalResult Importer::begin() {
  MLIRContext *context = builder.getContext();
  context->loadDialect<NNDialect, func::FuncDialect>();
  // Check the file's own nodes first: the next steps add private attributes.
  if (failed(checkDefinitions(file, model.proto.graph())) ||
      failed(reportUnsupported(file, model.proto)))
    return failure();
  warnOfUnreadFields(file, model.proto);
  removeUnreadStrings(*model.proto.mutable_graph());
  if (failed(checkSparse(file, model.proto.graph())))
    return failure();
  liftConstants(*model.proto.mutable_graph());
  markRowEnds(*model.proto.mutable_graph());
  chooseMarkedWrites(*model.proto.mutable_graph());
  opset = Opsets(model.proto).standard();
  FailureOr<std::optional<Declarations>> declarations =
      readDeclarations(file, model.proto);
  FailureOr<TrainChoice> trainChoice = TrainChoice::parse(file, options);
  if (failed(declarations) || failed(trainChoice))
    return failure();
  declared = std::move(*declarations);
  choice.emplace(std::move(*trainChoice));
  module = ModuleOp::create(builder, file);
  builder.setInsertionPointToEnd(module->getBody());
  if (failed(readModelFolder(file, model.proto, *module)))
    return failure();
  FailureOr<BatchDims> dims =
      BatchDims::read(file, model.proto.graph(), options);
  if (failed(dims))
    return failure();
  batchDims = std::move(*dims);
  FailureOr<func::FuncOp> entry = makeForward(
      builder, file, model.proto.graph(), options, batchDims, items);
  if (failed(entry))
    return failure();
  forward = *entry;
  return success();
}

TableReads Importer::readTables() {
  reads.emplace();
  if (failed(begin()) || failed(addShapes()))
    return *reads;
  // Some models count only non-padding ids as positions. The constant id 7 is
  // no usual padding id.
  for (BlockArgument argument : forward.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    StringRef name = inputName(forward, argument.getArgNumber());
    if (type.getRank() != 2 || !isa<IntegerType>(type.getElementType()))
      continue;
    Item &item = items[name];
    item.value = nullptr;
    item.tensor = Tensor::splat(type.getElementType(), type.getShape(),
                                roundTo(type.getElementType(), ofInt(7)));
  }
  // Reads before a failing node are valid.
  (void)importNodes();
  return *reads;
}

FailureOr<OwningOpRef<ModuleOp>> Importer::run() {
  if (failed(begin()) || failed(addInitializers()) || failed(importNodes()) ||
      failed(addOutputs()))
    return failure();
  if (!options.forward)
    resolveOpenInputs(forward, batchDims);
  assignRoles(forward);
  eraseUnused(*module);
  SmallVector<StringRef> names;
  for (const Weight &weight : weights.all())
    names.push_back(weight.name);
  sortParams(*module, names);
  markMerged(*module, weights);
  classifyParams(*module);
  if (!options.forward &&
      (failed(choice->finish(*module, weights, report)) ||
       failed(weights.report(file)) || failed(checkParamNames(file, *module))))
    return failure();
  if (!options.forward && !declared) {
    warnOfDropped();
    warnOfLostBiases();
  }
  warnOfBatchNorms();
  warnOfDropout();
  if (failed(verify(*module)))
    return failure();
  return std::move(module);
}

TableReads pcc::frontend::readTables(MLIRContext &context, const ONNXFile &file,
                                     const ImportOptions &options) {
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  ImportOptions probed = options;
  probed.noDropout = true;
  probed.batch = std::nullopt;
  probed.paddingMask = probed.forward = false;
  ImportReport unused;
  return Importer(context, file, probed, unused).readTables();
}

/// Imports the file for another batch; null if it fails.
static OwningOpRef<ModuleOp> importFor(int64_t batch, MLIRContext &context,
                                       const ONNXFile &file,
                                       const ImportOptions &options) {
  ImportOptions other = options;
  other.batch = batch;
  // The import that is kept reports all diagnostics.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  ImportReport unused;
  auto module = Importer(context, file, other, unused).run();
  return failed(module) ? OwningOpRef<ModuleOp>() : std::move(*module);
}

FailureOr<OwningOpRef<ModuleOp>> pcc::importONNX(MLIRContext &context,
                                                 const ONNXFile &file,
                                                 const ImportOptions &options,
                                                 ImportReport *report) {
  ImportReport unused;
  auto module =
      Importer(context, file, options, report ? *report : unused).run();
  if (failed(module))
    return failure();
  auto forward = (*module)->lookupSymbol<func::FuncOp>(kForward);
  if (!forward->hasAttr(kHasLossAttr))
    return module;
  // A mean over one sample equals the sum, so two samples are compared with
  // four.
  int64_t batch = options.batch.value_or(1);
  OwningOpRef<ModuleOp> some, twice = importFor(std::max<int64_t>(2 * batch, 4),
                                                context, file, options);
  if (batch == 1)
    some = importFor(2, context, file, options);
  auto forwardOf = [](OwningOpRef<ModuleOp> &read) {
    return read->lookupSymbol<func::FuncOp>(kForward);
  };
  bool isFixed = !twice || (batch == 1 && !some);
  splitLoss(forward,
            isFixed ? func::FuncOp()
            : some  ? forwardOf(some)
                    : forward,
            isFixed ? func::FuncOp() : forwardOf(twice));
  eraseUnused(**module);
  return module;
}
