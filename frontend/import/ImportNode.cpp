//===- ImportNode.cpp - One node of the graph -----------------------------===//
//
// The operator table's entry translates a node: to a constant if all operands
// are constant, else to nn ops. A third form are expressions: values that
// follow from constants but are too large to fold.
//
//===----------------------------------------------------------------------===//

#include "analysis/Expressions.h"
#include "dialects/NN/AttrNames.h"
#include "frontend/import/Importer.h"
#include "frontend/import/ParamReads.h"
#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/ProgramNode.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

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

/// A node's name, or its first result's if it has none.
static StringRef nameOf(const onnx::NodeProto &node) {
  return node.name().empty() && node.output_size() ? node.output(0)
                                                   : node.name();
}

/// Whether a node or an output of a graph, or of its subgraphs, reads a name.
static bool readsName(const onnx::GraphProto &graph, StringRef name) {
  auto isIt = [&](const auto &value) { return value.name() == name; };
  return llvm::any_of(graph.output(), isIt) ||
         llvm::any_of(graph.node(), [&](const onnx::NodeProto &node) {
           return llvm::is_contained(node.input(), name) ||
                  llvm::any_of(node.attribute(), [&](const auto &attribute) {
                    return attribute.has_g() && readsName(attribute.g(), name);
                  });
         });
}

bool Importer::isRead(StringRef name) const {
  return !name.empty() && readsName(model.proto.graph(), name);
}

LogicalResult Importer::reportUndefined(const onnx::NodeProto &node,
                                        StringRef input) const {
  InFlightDiagnostic diag = emitError(file)
                            << node.op_type() << " '" << nameOf(node)
                            << "' reads '" << input << "', ";
  bool isEarlier = true;
  for (const onnx::NodeProto &other : model.proto.graph().node()) {
    isEarlier &= &other != &node;
    auto output = llvm::find(other.output(), input);
    if (output == other.output().end())
      continue;
    if (isEarlier)
      return diag << "result " << output - other.output().begin() << " of "
                  << other.op_type() << " '" << nameOf(other)
                  << "', which is not supported";
    return diag << "which only a later node or itself defines: the graph has a "
                   "cycle, or its nodes are not in order";
  }
  return diag << "which nothing defines";
}

LogicalResult Importer::readWeight(int64_t number, const onnx::NodeProto &node,
                                   Operands &operands, Item &item) {
  int64_t operand = operands.items.size();
  bool mayChoose = !reads && !declared && !options.forward;
  if (node.op_type() == "Identity") {
    // An Identity with a name of the source model stands for a merged tensor.
    if (mayChoose && names->isOwnName(node.output(0)))
      item.weight =
          weights.separate(item.weight, node.output(0), names->hasOwnNames());
    return success();
  }
  if (mayChoose && sharing->isConstant(*item.weight->tensor, node, operand)) {
    FailureOr<Tensor> constant = load(file, *item.weight->tensor);
    if (failed(constant))
      return failure();
    item = Item();
    item.tensor = *constant;
    return success();
  }
  Weight *weight = readBy(node, operand, item.weight);
  weight->uses.append({number, operand});
  if (node.op_type() == "Gather" && operand == 0)
    operands.table = weight;
  item.value = readParam(builder, forward, *weight);
  // Nodes read the element type of the file.
  Type element = elementType(builder.getContext(), weight->tensor->data_type(),
                             options.forward);
  RankedTensorType type = tensorType(item.value);
  if (type.getElementType() != element)
    item.value = CastOp::create(builder, file, type.clone(element), item.value);
  return success();
}

LogicalResult Importer::readLookup(const onnx::NodeProto &node,
                                   Operands &operands) {
  if (node.op_type() != "Gather" || options.forward || reads)
    return success();
  const Weight *table = operands.table;
  if (declared) {
    if (table)
      operands.paddingRow = table->provenance.paddingRow;
    return success();
  }
  LookupGradient gradient = lookupGradientOf(node);
  operands.paddingRow = gradient.paddingRow;
  if (!gradient.isScaled ||
      (table && choice->keeps(table->provenance, *table->tensor)))
    return success();
  InFlightDiagnostic diag =
      emitError(file)
      << "'" << nameOf(node)
      << "' has scale_grad_by_freq=True, which divides a row's "
         "gradient by its number of lookups in the whole batch: "
         "a gradient that is no sum over samples is not supported";
  diag.attachNote(file) << "export an Embedding without scale_grad_by_freq"
                        << (table ? ", or keep the table as it is: --freeze '" +
                                        table->name + "'"
                                  : std::string());
  return diag;
}

FailureOr<Importer::Operands>
Importer::readOperands(int64_t number, const onnx::NodeProto &node) {
  Operands operands;
  for (const std::string &input : node.input()) {
    if (input.empty()) {
      operands.items.emplace_back();
      continue;
    }
    auto it = items.find(input);
    if (it == items.end())
      return reportUndefined(node, input);
    Item item = it->second;
    int64_t operand = operands.items.size();
    if (item.weight && failed(readWeight(number, node, operands, item)))
      return failure();
    if (detachedReads.contains(number, operand))
      item = detach(item, file);
    if (item.isSequence() && node.op_type() != "SequenceAt")
      return emitError(file) << node.op_type() << " '" << nameOf(node)
                             << "' takes a sequence, which is not supported";
    bool isExpression = expressions.contains(item.value);
    operands.areConstant &= item.tensor.has_value();
    operands.areKnown &= item.tensor.has_value() || isExpression;
    operands.haveExpression |= isExpression;
    operands.items.push_back(item);
  }
  if (failed(readLookup(node, operands)))
    return failure();
  return operands;
}

FailureOr<ImportFn> Importer::chooseForm(Binder &binder, const OpEntry &entry,
                                         const Operands &operands,
                                         bool isExpression) const {
  bool isConstant = operands.areConstant;
  // An operator without a run-time form may still follow from constants in the
  // file.
  if (!entry.build || entry.foldsWeights)
    isConstant = llvm::all_of(
        llvm::seq<unsigned>(0, operands.items.size()),
        [&](unsigned i) { return !binder.has(i) || binder.tensor(i); });
  bool isFolded = isConstant && entry.fold && !isExpression;
  if (ImportFn form = isFolded ? entry.fold : entry.build)
    return form;
  InFlightDiagnostic diag = binder.error()
                            << "its operands must be known at compile time";
  diag.attachNote(file) << "it computes with values that depend on the "
                           "model's inputs or weights";
  return diag;
}

bool Importer::keepPaddingRow(Binder &binder, int64_t row) {
  const Item &result = binder.getResults()[0];
  if (!result.value || markPaddingRow(result.value, binder.value(0), row))
    return true;
  // One constant row is selected.
  std::optional<Tensor> ids =
      binder.isConstant(1) ? binder.item(1).tensor : std::nullopt;
  if (!ids || ids->size() != 1)
    return false;
  int64_t id = ids->at(int64_t(0)).i;
  if ((id < 0 ? id + binder.shape(0)[0] : id) == row)
    binder.set(0, detach(result, binder.loc));
  return true;
}

LogicalResult Importer::checkResults(Binder &binder, const Operands &operands) {
  for (const Item &item : binder.getResults())
    if (item.value && !canBeHeld(tensorType(item.value).getShape()))
      return binder.error()
             << "its result, " << item.value.getType()
             << ", is over the limits, 2^31 per dim and 2^40 elements";
  if (!operands.paddingRow || keepPaddingRow(binder, *operands.paddingRow))
    return success();
  std::string table = operands.table ? "'" + operands.table->name + "'"
                                     : std::string("a table");
  return binder.error() << "looks up rows of " << table
                        << ", whose padding row gets no gradient, in a way "
                           "that is not supported";
}

void Importer::keepResults(const onnx::NodeProto &node, Binder &binder,
                           bool areExpressions, Location loc) {
  for (auto [output, result] : llvm::zip(node.output(), binder.getResults())) {
    if (!result.isKnown())
      continue;
    Item item = result;
    // Empty values are constants; no gradient flows through them.
    if (RankedTensorType type = item.value ? tensorType(item.value) : nullptr;
        type && type.getNumElements() == 0) {
      item = Item();
      item.tensor = Tensor(type.getElementType(), Shape(type.getShape()));
    }
    items[output] = item;
    if (item.value && areExpressions)
      expressions.insert(item.value);
    else if (!options.forward && !reads &&
             (declared ? declared->detached.contains(output) : isDetach(node)))
      items[output] = detach(item, loc);
  }
}

LogicalResult Importer::importNode(int64_t number, const onnx::NodeProto &node,
                                   const OpEntry &entry) {
  Location loc = NameLoc::get(builder.getStringAttr(nameOf(node)), file);
  if (node.output_size() == 0)
    return emitError(file) << node.op_type() << " '" << nameOf(node)
                           << "' has no results";
  FailureOr<Operands> operands = readOperands(number, node);
  if (failed(operands) || failed(checkFoldedNorm(node)))
    return failure();
  bool isExpression = operands->areKnown && entry.build &&
                      isLeftUnfolded(node, operands->items);
  if (operands->areKnown && !isExpression && entry.fold)
    operands->areConstant = foldExpressions(operands->items);
  Binder binder(*this, builder, loc, node, opset, operands->items);
  for (unsigned i = 0; i < entry.operands.least; ++i)
    if (!binder.has(i))
      return binder.error() << "lacks operand " << i << " of at least "
                            << entry.operands.least;
  FailureOr<ImportFn> form = chooseForm(binder, entry, *operands, isExpression);
  if (failed(form))
    return failure();
  if (failed((*form)(binder))) {
    if (reads)
      reads->noteMismatch(number, node, binder);
    return failure();
  }
  if (reads)
    reads->note(number, node, binder);
  if (failed(checkResults(binder, *operands)))
    return failure();
  keepResults(node, binder,
              operands->areKnown && (entry.fold || operands->haveExpression),
              loc);
  return success();
}
