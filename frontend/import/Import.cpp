//===- Import.cpp - ONNX to nn, operator by operator ----------------------===//

#include "analysis/Expressions.h"
#include "analysis/Params.h"
#include "analysis/Roles.h"
#include "dialects/NN/GradientMarks.h"
#include "frontend/import/ContextLength.h"
#include "frontend/import/DimBinding.h"
#include "frontend/import/Importer.h"
#include "frontend/import/Inputs.h"
#include "frontend/import/OwnLoss.h"
#include "frontend/import/ParamReads.h"
#include "frontend/import/Unsupported.h"
#include "frontend/onnx/Definitions.h"
#include "frontend/onnx/MarkedWrites.h"
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

bool Importer::isLeftUnfolded(const onnx::NodeProto &node,
                              ArrayRef<Item> inputs) const {
  SmallVector<std::optional<Tensor>> operands;
  bool isFloat = false;
  for (const Item &item : inputs)
    if (item.tensor || item.value) {
      operands.push_back(item.tensor);
      isFloat |=
          isa<FloatType>(item.tensor ? item.tensor->element()
                                     : tensorType(item.value).getElementType());
    }
  return staysExpression(node.op_type(), operands, isFloat);
}

bool Importer::foldExpressions(MutableArrayRef<Item> inputs) const {
  for (Item &item : inputs)
    if (item.value) {
      std::optional<Tensor> whole = computeWhole(item.value);
      if (!whole)
        return false;
      item = Item();
      item.tensor = whole;
    }
  return true;
}

Item Importer::detach(const Item &item, Location loc) {
  Item result = item;
  if (!item.value && !item.weight)
    return result;
  Value value = asValue(item, loc);
  auto stop = CastOp::create(builder, loc, value.getType(), value);
  stop->setAttr(kDetachedAttr, builder.getUnitAttr());
  result.weight = nullptr;
  result.value = stop;
  return result;
}

LogicalResult Importer::importNode(int64_t number, const onnx::NodeProto &node,
                                   const OpEntry &entry) {
  StringRef name =
      node.name().empty() && node.output_size() ? node.output(0) : node.name();
  Location loc = NameLoc::get(builder.getStringAttr(name), file);
  SmallVector<Item> inputs;
  bool constant = true, isKnown = true, hasExpression = false;
  if (node.output_size() == 0)
    return emitError(file) << node.op_type() << " '" << name
                           << "' has no results";
  bool movesOnly = node.op_type() == "Identity";
  // A table of which this node looks up rows.
  Weight *padded = nullptr;
  for (const std::string &input : node.input()) {
    if (input.empty()) {
      inputs.emplace_back();
      continue;
    }
    auto it = items.find(input);
    if (it == items.end()) {
      bool isLater = llvm::any_of(
          model.proto.graph().node(), [&](const onnx::NodeProto &other) {
            return llvm::is_contained(other.output(), input);
          });
      return emitError(file)
             << node.op_type() << " '" << name << "' reads '" << input << "', "
             << (isLater ? "which only a later node or itself defines: the "
                           "graph has a cycle, or its nodes are not in order"
                         : "which nothing defines");
    }
    Item item = it->second;
    if (item.weight && movesOnly) {
      // An Identity with a name of the model stands for a tensor that was
      // merged.
      if (!reads && !declared && !options.forward &&
          names->isOwnName(node.output(0)))
        item.weight =
            weights.separate(item.weight, node.output(0), names->hasOwnNames());
    } else if (item.weight && !reads && !declared && !options.forward &&
               sharing->isConstant(*item.weight->tensor, node, inputs.size())) {
      FailureOr<Tensor> number = load(file, *item.weight->tensor);
      if (failed(number))
        return failure();
      item = Item();
      item.tensor = *number;
    } else if (item.weight) {
      int64_t operand = inputs.size();
      Weight *weight = readBy(node, operand, item.weight);
      weight->uses.append({number, operand});
      if (node.op_type() == "Gather" && operand == 0 &&
          weight->provenance.paddingRow)
        padded = weight;
      item.value = readParam(builder, forward, *weight);
    }
    if (item.isSequence() && node.op_type() != "SequenceAt")
      return emitError(file) << node.op_type() << " '" << name
                             << "' takes a sequence, which is not supported";
    constant &= item.tensor.has_value();
    hasExpression |= expressions.contains(item.value);
    isKnown &= item.tensor.has_value() || expressions.contains(item.value);
    inputs.push_back(item);
  }
  if (failed(checkFoldedNorm(node)))
    return failure();
  bool isExpression = isKnown && entry.build && isLeftUnfolded(node, inputs);
  if (isKnown && !isExpression && entry.fold)
    constant = foldExpressions(inputs);
  Binder binder(*this, builder, loc, node, opset, inputs);
  for (unsigned i = 0; i < entry.operands; ++i)
    if (!binder.has(i))
      return binder.error()
             << "lacks operand " << i << " of at least " << entry.operands;
  // What has no form at run time may still follow from a buffer in the file.
  if (!entry.build || entry.foldsWeights)
    constant =
        llvm::all_of(llvm::seq<unsigned>(0, inputs.size()), [&](unsigned i) {
          return !binder.has(i) || binder.tensor(i);
        });
  bool isFolded = constant && entry.fold && !isExpression;
  ImportFn fn = isFolded ? entry.fold : entry.build;
  if (!fn) {
    InFlightDiagnostic diag = binder.error()
                              << "its operands must be known at compile time";
    diag.attachNote(file) << "it computes with values that depend on the "
                             "model's inputs or weights";
    return diag;
  }
  if (failed(fn(binder))) {
    if (reads)
      reads->noteMisfit(number, node, binder);
    return failure();
  }
  if (reads)
    reads->note(number, node, binder);
  for (const Item &item : binder.getResults())
    if (item.value && !canBeHeld(tensorType(item.value).getShape()))
      return binder.error()
             << "its result, " << item.value.getType() << ", cannot be held";
  if (padded && !options.forward &&
      !(binder.getResults()[0].value &&
        markPaddingRow(binder.getResults()[0].value, *padded)))
    return binder.error() << "looks up rows of '" << padded->name
                          << "', whose padding row gets no gradient, in a way "
                             "that is not supported";
  for (auto [output, result] : llvm::zip(node.output(), binder.getResults())) {
    if (!result.isKnown())
      continue;
    Item item = result;
    // What is empty is known, and no gradient goes through it.
    if (RankedTensorType type = item.value ? tensorType(item.value) : nullptr;
        type && type.getNumElements() == 0) {
      item = Item();
      item.tensor = Tensor(type.getElementType(), Shape(type.getShape()));
    }
    items[output] = item;
    if (item.value && isKnown && (entry.fold || hasExpression))
      expressions.insert(item.value);
    else if (declared && !options.forward &&
             declared->detached.contains(output))
      items[output] = detach(item, loc);
  }
  return success();
}

LogicalResult Importer::importNodes() {
  const onnx::GraphProto &graph = model.proto.graph();
  Opsets opsets(model.proto);
  if (failed(reportUnsupported(file, model.proto)))
    return failure();
  // Branches add nodes.
  for (int64_t number = 0; number < graph.node_size(); ++number) {
    const onnx::NodeProto &node = graph.node(number);
    bool isBranch = node.op_type() == "If";
    if (failed(isBranch ? takeBranch(number)
                        : importNode(number, node, *findEntry(node, opsets))))
      return failure();
  }
  return success();
}

/// Of the outputs the loss that the model computes itself: the one number that
/// parameters have a part in, of several the one that is called loss. Null if
/// there is none.
FailureOr<Value> Importer::findLoss(ArrayRef<Value> results,
                                    ArrayRef<StringRef> names) {
  SmallVector<unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(results))
    if (tensorType(value).getRank() == 0 &&
        isa<FloatType>(tensorType(value).getElementType()) &&
        dependsOnParams(value))
      numbers.push_back(i);
  for (unsigned i : numbers)
    if (numbers.size() == 1 || names[i] == "loss")
      return results[i];
  if (numbers.empty())
    return Value();
  InFlightDiagnostic diag =
      emitError(file) << "the model has " << numbers.size()
                      << " outputs that are one number, and none of them is "
                         "called loss";
  for (unsigned i : numbers)
    diag.attachNote(results[i].getLoc()) << "output '" << names[i] << "'";
  diag.attachNote(file) << "name the one to train by: export it with "
                           "output_names=[..., \"loss\", ...], or alone";
  return diag;
}

/// The results of @forward: the loss alone where the model computes one, else
/// its outputs. The caches of inference are left out.
LogicalResult Importer::addOutputs() {
  SmallVector<Value> results;
  SmallVector<StringRef> names;
  for (const auto &output : model.proto.graph().output()) {
    auto it = items.find(output.name());
    if (it == items.end())
      return emitError(file)
             << "output '" << output.name() << "' is computed by no node";
    if (it->second.isSequence())
      return emitError(file) << "output '" << output.name()
                             << "' is a sequence, which is not supported";
    Value value = asValue(it->second, file);
    if (tensorType(value).getNumElements() == 0)
      return emitError(file)
             << "output '" << output.name() << "' is empty: a tensor of "
             << tensorType(value) << " is not supported";
    if (!options.forward && StringRef(output.name()).starts_with("present"))
      continue;
    results.push_back(value);
    names.push_back(output.name());
  }
  if (results.empty())
    return emitError(file) << "the model has no outputs";
  if (!options.forward) {
    FailureOr<Value> loss = findLoss(results, names);
    if (failed(loss))
      return failure();
    if (*loss) {
      names = {"loss"};
      results = {*loss};
      forward->setAttr(kHasLossAttr, builder.getUnitAttr());
    }
  }
  func::ReturnOp::create(builder, file, results);
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    forward.setResultAttr(i, kNameAttr, builder.getStringAttr(name));
  return success();
}

LogicalResult Importer::begin() {
  MLIRContext *context = builder.getContext();
  context->loadDialect<NNDialect, func::FuncDialect>();
  if (failed(checkDefinitions(file, model.proto.graph())))
    return failure();
  removeUnreadStrings(*model.proto.mutable_graph());
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
  // Some models count positions by what is no padding: no usual padding is 7.
  for (BlockArgument argument : forward.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto name = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kNameAttr);
    if (type.getRank() != 2 || !isa<IntegerType>(type.getElementType()))
      continue;
    Item &item = items[name.getValue()];
    item.value = nullptr;
    item.tensor = Tensor::splat(type.getElementType(), type.getShape(),
                                roundTo(type.getElementType(), ofInt(7)));
  }
  // What was read before a node that does not fit still was.
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
  sweep(*module);
  SmallVector<StringRef> names;
  for (const Weight &weight : weights.all())
    names.push_back(weight.name);
  sortParams(*module, names);
  markMerged(*module, weights);
  classifyParams(*module);
  if (!options.forward && (failed(choice->finish(*module, weights, report)) ||
                           failed(weights.report(file))))
    return failure();
  if (!options.forward && !declared) {
    warnOfDropped();
    warnOfLostBiases();
  }
  warnOfBatchNorms();
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

/// The file for another batch; null if it has none.
static OwningOpRef<ModuleOp> importFor(int64_t batch, MLIRContext &context,
                                       const ONNXFile &file,
                                       const ImportOptions &options) {
  ImportOptions other = options;
  other.batch = batch;
  // What there is to say is said for the one that is kept.
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
  auto forward = (*module)->lookupSymbol<func::FuncOp>("forward");
  if (!forward->hasAttr(kHasLossAttr))
    return module;
  // Of one sample a mean is a sum: then two are compared with four.
  int64_t batch = options.batch.value_or(1);
  OwningOpRef<ModuleOp> some, twice = importFor(std::max<int64_t>(2 * batch, 4),
                                                context, file, options);
  if (batch == 1)
    some = importFor(2, context, file, options);
  auto forwardOf = [](OwningOpRef<ModuleOp> &read) {
    return read->lookupSymbol<func::FuncOp>("forward");
  };
  bool isFixed = !twice || (batch == 1 && !some);
  splitLoss(forward,
            isFixed ? func::FuncOp()
            : some  ? forwardOf(some)
                    : forward,
            isFixed ? func::FuncOp() : forwardOf(twice));
  sweep(**module);
  return module;
}
