//===- Import.cpp - ONNX to nn, operator by operator ----------------------===//

#include "frontend/Import.h"
#include "dialects/NN/Copies.h"
#include "frontend/Axes.h"
#include "frontend/Binder.h"
#include "frontend/Buffers.h"
#include "frontend/DimBinding.h"
#include "frontend/Evaluate.h"
#include "frontend/Names.h"
#include "frontend/OpTable.h"
#include "frontend/Params.h"
#include "frontend/Unsupported.h"
#include "mlir/IR/Verifier.h"
#include <deque>

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {

class Importer : public Translation {
public:
  Importer(MLIRContext &context, const ImportOptions &options)
      : options(options), builder(&context),
        file(FileLineColLoc::get(&context, options.path, 0, 0)) {}

  FailureOr<OwningOpRef<ModuleOp>> run();

  bool wantsDropout() const override { return !options.noDropout; }
  bool isForward() const override { return options.forward; }
  FailureOr<Tensor> load(Location loc,
                         const onnx::TensorProto &tensor) override;
  Value &constantFor(const Tensor &tensor) override {
    for (auto &[known, value] : constants)
      if (known.isSameView(tensor))
        return value;
    return constants.emplace_back(tensor, Value()).second;
  }
  Value argument(StringRef role) override {
    return entryArgument(forward, role);
  }
  int64_t nextRandomId() override { return randomIds++; }
  void setLoss(Value sum, Value count) override { losses[sum] = count; }
  Value valueNamed(StringRef name) override {
    auto it = items.find(name);
    return it == items.end() ? Value() : asValue(it->second, file);
  }

private:
  LogicalResult addInputs();
  LogicalResult addInitializers();
  LogicalResult importNodes();
  LogicalResult importNode(const onnx::NodeProto &node, const OpEntry &entry);
  LogicalResult addOutputs();
  void assignRoles();
  bool isMask(const onnx::TensorProto &tensor, const Extent &extent);
  /// A weight: what may be trained, so never folded into constants.
  bool isWeight(const onnx::TensorProto &tensor) const;
  /// The parameter that `node` reads as operand `i`, `weight` or one that an
  /// exporter merged with it.
  Weight *readBy(const onnx::NodeProto &node, int i, Weight *weight);
  Value asValue(const Item &item, Location loc);
  /// The value of a weight, declared as nn.param on first use.
  Value param(Weight &weight);
  void addCopy(ReadOp read, const Weight &copy);

  const ImportOptions &options;
  OpBuilder builder;
  Location file;
  std::unique_ptr<Model> model;
  int64_t opset = 0;
  OwningOpRef<ModuleOp> module;
  func::FuncOp forward;
  llvm::StringMap<Item> items;
  Weights weights;
  std::optional<NameFinder> names;
  /// Large constants, such as a mask that every layer uses.
  std::deque<std::pair<Tensor, Value>> constants;
  /// Sums of losses, with the number of targets of each.
  DenseMap<Value, Value> losses;
  int64_t randomIds = 0;
};

} // namespace

bool Importer::isWeight(const onnx::TensorProto &tensor) const {
  std::optional<int64_t> size =
      countElements(Shape(tensor.dims().begin(), tensor.dims().end()));
  Type element =
      elementType(builder.getContext(), tensor.data_type(), options.forward);
  return size && *size > 1 && *size < int64_t(1) << 50 &&
         isa_and_present<FloatType>(element);
}

/// Elements in typed fields instead of bytes.
static std::optional<Tensor> fromFields(Type element, ArrayRef<int64_t> shape,
                                        const onnx::TensorProto &tensor) {
  Tensor t(element, shape);
  auto fill = [&](const auto &values, auto convert) -> std::optional<Tensor> {
    if (static_cast<size_t>(values.size()) != t.elements().size())
      return std::nullopt;
    for (auto [to, from] : llvm::zip(t.elements(), values))
      to = convert(from);
    return t;
  };
  if (element.isF32())
    return fill(tensor.float_data(), ofFloat);
  if (element.isF64())
    return fill(tensor.double_data(), ofFloat);
  if (element.isInteger(64))
    return fill(tensor.int64_data(), ofInt);
  if (auto half = dyn_cast<FloatType>(element))
    return fill(tensor.int32_data(), [&](int32_t bits) {
      uint16_t raw = bits;
      char bytes[] = {static_cast<char>(raw), static_cast<char>(raw >> 8)};
      return Tensor::decode(half, {}, bytes).at(int64_t(0));
    });
  if (isa<IntegerType>(element))
    return fill(tensor.int32_data(), ofInt);
  return std::nullopt;
}

FailureOr<Tensor> Importer::load(Location loc,
                                 const onnx::TensorProto &tensor) {
  Type element =
      elementType(builder.getContext(), tensor.data_type(), options.forward);
  Type storage = storageType(builder.getContext(), tensor.data_type());
  if (!element)
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' has elements of a type that is not supported";
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > int64_t(1) << 28)
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' has a shape that cannot be held";
  int64_t size = *count;
  int64_t width = std::max(8u, storage.getIntOrFloatBitWidth()) / 8;
  auto disagrees = [&](int64_t bytes) -> LogicalResult {
    return emitError(loc) << "tensor '" << tensor.name() << "' has " << bytes
                          << " bytes, its shape needs " << size * width;
  };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    FailureOr<Extent> extent = model->find(loc, tensor, /*optional=*/false);
    if (failed(extent))
      return failure();
    if (extent->length != size * width)
      return disagrees(extent->length);
    return Tensor::decode(storage, shape, extent->bytes).castTo(element);
  }
  if (tensor.has_raw_data()) {
    int64_t bytes = tensor.raw_data().size();
    if (bytes != size * width)
      return disagrees(bytes);
    return Tensor::decode(storage, shape, tensor.raw_data().data())
        .castTo(element);
  }
  if (auto t = fromFields(storage, shape, tensor))
    return t->castTo(element);
  return emitError(loc) << "tensor '" << tensor.name()
                        << "' does not hold the elements of its shape";
}

/// Whether a tensor removes keys from scores, and does nothing else: elements
/// are 0 or very negative.
bool Importer::isMask(const onnx::TensorProto &tensor, const Extent &extent) {
  Type storage = storageType(builder.getContext(), tensor.data_type());
  int64_t width = storage.getIntOrFloatBitWidth() / 8;
  int64_t count = extent.length / width;
  if (tensor.dims_size() < 2 || !extent.bytes)
    return false;
  bool removes = false;
  constexpr int64_t kChunk = 1024;
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    Tensor part = Tensor::decode(storage, {std::min(kChunk, count - begin)},
                                 extent.bytes + begin * width);
    for (Scalar s : part.elements()) {
      if (s.f != 0 && !(s.f <= kRemovesKey))
        return false;
      removes |= s.f != 0;
    }
  }
  return removes;
}

/// Checks where weights lie, whether or not they turn out to be used.
LogicalResult Importer::addInitializers() {
  llvm::StringSet<> buffers = findBuffers(model->proto.graph());
  names.emplace(model->proto.graph());
  for (const onnx::TensorProto &tensor : model->proto.graph().initializer()) {
    Item &item = items[tensor.name()];
    if (!isWeight(tensor) || buffers.contains(tensor.name())) {
      FailureOr<Tensor> t = load(file, tensor);
      if (failed(t))
        return failure();
      item.tensor = *t;
      continue;
    }
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
      InFlightDiagnostic diag = emitError(file)
                                << "weight '" << tensor.name()
                                << "' is not stored as plain bytes";
      diag.attachNote(file) << "load and save the file with the onnx package "
                               "to convert it";
      return diag;
    }
    FailureOr<Extent> extent = model->find(file, tensor, options.randomInit);
    if (failed(extent))
      return failure();
    if (isMask(tensor, *extent)) {
      FailureOr<Tensor> t = load(file, tensor);
      if (failed(t))
        return failure();
      item.tensor = *t;
      continue;
    }
    auto type = RankedTensorType::get(
        Shape(tensor.dims().begin(), tensor.dims().end()),
        elementType(builder.getContext(), tensor.data_type(), options.forward));
    FailureOr<Weight *> weight = weights.add(
        file, names->find(tensor), tensor, type,
        storageType(builder.getContext(), tensor.data_type()), *extent);
    if (failed(weight))
      return failure();
    if (isRepeated(**weight)) {
      InFlightDiagnostic diag =
          emitError(file) << "weight '" << tensor.name() << "' is one table "
                          << type.getDimSize(0)
                          << " times: the exporter folded a lookup, and the "
                             "table is lost";
      diag.attachNote(file) << "export with a dynamic batch, or without "
                               "optimizations (optimize=False)";
      return diag;
    }
    item.weight = *weight;
  }
  weights.tieCopies(file);
  return success();
}

/// Notes on the parameter that is read that the file holds it once more.
void Importer::addCopy(ReadOp read, const Weight &copy) {
  auto param =
      SymbolTable::lookupNearestSymbolFrom<ParamOp>(read, read.getSymbolAttr());
  // The strides are those of the parameter's dims.
  SmallVector<int64_t> shape(param.getTensorType().getShape());
  SmallVector<int64_t> strides = {shape[1], 1};
  if (copy.transposed)
    strides = {1, shape[0]};
  const Extent &extent = copy.extent;
  auto stored = RankedTensorType::get(
      copy.type.getShape(), param.getSourceAttr().getType().getElementType());
  auto source =
      SourceAttr::get(builder.getContext(), copy.tensor->name(), extent.file,
                      extent.offset, stored, extent.fileSize, extent.digest,
                      /*base=*/0, builder.getDenseI64ArrayAttr(strides),
                      builder.getDenseI64ArrayAttr(shape));
  SmallVector<Attribute> copies;
  if (auto known = param->getAttrOfType<ArrayAttr>(kCopiesAttr))
    llvm::append_range(copies, known);
  copies.push_back(source);
  param->setAttr(kCopiesAttr, builder.getArrayAttr(copies));
}

Value Importer::param(Weight &weight) {
  if (weight.read)
    return weight.read;
  Location loc = NameLoc::get(builder.getStringAttr(weight.name), file);
  if (weight.original) {
    Value original = param(*weight.original);
    addCopy(original.getDefiningOp<ReadOp>(), weight);
    if (!weight.transposed)
      return weight.read = original;
    return weight.read =
               TransposeOp::create(builder, loc, weight.type, original, {1, 0});
  }
  ArrayRef<int64_t> shape = weight.type.getShape();
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d])
    strides[d] = stride;
  const Extent &extent = weight.extent;
  auto stored = RankedTensorType::get(shape, weight.storage);
  // Checkpoints keep the names and layouts of the file: a folded weight does
  // not have the layout that its name in the model stands for.
  StringRef name = weight.wasMerged ? StringRef(weight.name)
                                    : StringRef(weight.tensor->name());
  auto source =
      SourceAttr::get(builder.getContext(), name, extent.file, extent.offset,
                      stored, extent.fileSize, extent.digest,
                      /*base=*/0, builder.getDenseI64ArrayAttr(strides),
                      builder.getDenseI64ArrayAttr(shape));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(forward);
    auto param =
        ParamOp::create(builder, loc, weight.name, weight.type, Init::Normal,
                        /*decay=*/shape.size() >= 2, /*frozen=*/false, source);
    if (weight.name != weight.tensor->name())
      param->setAttr(kSourceNameAttr,
                     builder.getStringAttr(weight.tensor->name()));
  }
  // The first use: it comes before all others.
  return weight.read = ReadOp::create(builder, loc, weight.type, weight.name);
}

/// Inputs whose values follow from how training data is fed: samples begin at
/// position 0, and are full (no position is masked) unless there is a mask.
static std::optional<Tensor> impliedInput(const Input &input,
                                          bool paddingMask) {
  RankedTensorType type = input.type;
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || type.getRank() != 2)
    return std::nullopt;
  StringRef name = input.info->name();
  if (name.ends_with("attention_mask") && !paddingMask)
    return Tensor::splat(element, type.getShape(), ofInt(1));
  if (name != "position_ids")
    return std::nullopt;
  Tensor row(element, {1, type.getShape()[1]});
  for (auto [i, position] : llvm::enumerate(row.elements()))
    position = ofInt(i);
  return row.expand(type.getShape());
}

/// A file made for generation, token by token, is no model to train.
static LogicalResult checkNoCache(Location file,
                                  const onnx::GraphProto &graph) {
  for (const auto &input : graph.input())
    if (StringRef(input.name()).starts_with("past_key")) {
      InFlightDiagnostic diag = emitError(file)
                                << "input '" << input.name()
                                << "' is a cache of past keys: the file "
                                   "generates token by token";
      diag.attachNote(file) << "export the model without its cache "
                               "(use_cache=False), in training mode, opset "
                               "17, constant folding off";
      return diag;
    }
  return success();
}

LogicalResult Importer::addInputs() {
  if (failed(checkNoCache(file, model->proto.graph())))
    return failure();
  FailureOr<SmallVector<Input>> inputs =
      bindDims(file, model->proto.graph(), options);
  if (failed(inputs))
    return failure();
  forward = func::FuncOp::create(builder, file, "forward",
                                 builder.getFunctionType({}, {}));
  Block *body = forward.addEntryBlock();
  for (const Input &input : *inputs) {
    Item &item = items[input.info->name()];
    auto implied = options.forward ? std::optional<Tensor>()
                                   : impliedInput(input, options.paddingMask);
    if (implied) {
      item.tensor = *implied;
      emitRemark(file) << "input '" << input.info->name() << "' is taken as "
                       << (implied->isUniform() ? "ones: samples have no "
                                                  "padding"
                                                : "0, 1, ...");
      continue;
    }
    Type element = input.type.getElementType();
    bool ids = !options.forward && isa<IntegerType>(element) &&
               !element.isInteger(1) && input.type.getRank() == 2;
    auto attrs = builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr,
                              builder.getStringAttr(input.info->name())),
         builder.getNamedAttr(kRoleAttr,
                              builder.getStringAttr(ids ? "tokens" : "data"))});
    LogicalResult inserted = forward.insertArgument(forward.getNumArguments(),
                                                    input.type, attrs, file);
    assert(succeeded(inserted));
    (void)inserted;
    item.value = body->getArguments().back();
  }
  builder.setInsertionPointToStart(body);
  return success();
}

Value Importer::asValue(const Item &item, Location loc) {
  if (item.weight)
    return param(*item.weight);
  if (!item.tensor)
    return item.value;
  onnx::NodeProto none;
  return Binder(*this, builder, loc, none, opset, {}).constant(*item.tensor);
}

Weight *Importer::readBy(const onnx::NodeProto &node, int i, Weight *weight) {
  if (names->countUses(node.input(i)) < 2)
    return weight;
  return weights.separate(file, weight, names->byUse(node, i));
}

LogicalResult Importer::importNode(const onnx::NodeProto &node,
                                   const OpEntry &entry) {
  StringRef name =
      node.name().empty() && node.output_size() ? node.output(0) : node.name();
  Location loc = NameLoc::get(builder.getStringAttr(name), file);
  SmallVector<Item> inputs;
  bool constant = true;
  if (node.output_size() == 0)
    return emitError(file) << node.op_type() << " '" << name
                           << "' has no results";
  bool movesOnly = node.op_type() == "Identity";
  for (const std::string &input : node.input()) {
    if (input.empty()) {
      inputs.emplace_back();
      continue;
    }
    auto it = items.find(input);
    if (it == items.end()) {
      bool isLater = llvm::any_of(
          model->proto.graph().node(), [&](const onnx::NodeProto &other) {
            return llvm::is_contained(other.output(), input);
          });
      return emitError(file)
             << node.op_type() << " '" << name << "' reads '" << input << "', "
             << (isLater ? "which only a later node or itself defines: the "
                           "graph has a cycle, or its nodes are not in order"
                         : "which nothing defines");
    }
    Item item = it->second;
    if (item.weight && movesOnly)
      item.weight = weights.alias(item.weight, node.output(0));
    else if (item.weight)
      item.value = param(*readBy(node, inputs.size(), item.weight));
    if (item.isSequence() && node.op_type() != "SequenceAt")
      return emitError(file) << node.op_type() << " '" << name
                             << "' takes a sequence, which is not supported";
    constant &= item.tensor.has_value();
    if (Value count = item.value ? losses.lookup(item.value) : Value();
        count && !movesOnly && node.op_type() != "Cast")
      return emitError(file)
             << node.op_type() << " '" << name
             << "' computes with the loss, which is not supported: the loss "
                "must be an output of the model";
    inputs.push_back(item);
  }
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
  ImportFn fn = constant && entry.fold ? entry.fold : entry.build;
  if (!fn) {
    InFlightDiagnostic diag = binder.error()
                              << "its operands must be known at compile time";
    diag.attachNote(file) << "it computes with values that depend on the "
                             "model's inputs or weights";
    return diag;
  }
  if (failed(fn(binder)))
    return failure();
  for (const Item &item : binder.getResults())
    if (item.value && !canBeHeld(tensorType(item.value).getShape()))
      return binder.error()
             << "its result, " << item.value.getType() << ", cannot be held";
  for (auto [output, item] : llvm::zip(node.output(), binder.getResults()))
    if (item.isKnown())
      items[output] = item;
  return success();
}

LogicalResult Importer::importNodes() {
  const onnx::GraphProto &graph = model->proto.graph();
  Opsets opsets(model->proto);
  UnsupportedOps unsupported(opset);
  SmallVector<const OpEntry *> entries;
  for (const onnx::NodeProto &node : graph.node()) {
    entries.push_back(findEntry(node, opsets));
    if (!entries.back())
      unsupported.add(node);
  }
  if (failed(unsupported.report(file)))
    return failure();
  for (auto [node, entry] : llvm::zip(graph.node(), entries))
    if (failed(importNode(node, *entry)))
      return failure();
  return success();
}

/// The results of @forward: the loss as a sum and a count where the model
/// computes one, else its outputs. The caches of inference are left out.
LogicalResult Importer::addOutputs() {
  SmallVector<Value> results;
  SmallVector<StringRef> names;
  for (const auto &output : model->proto.graph().output()) {
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
    if (Value count = losses.lookup(value)) {
      results = {value, count};
      names = {"loss_sum", "target_count"};
      forward->setAttr(kHasLossAttr, builder.getUnitAttr());
      break;
    }
    if (!options.forward && StringRef(output.name()).starts_with("present"))
      continue;
    results.push_back(value);
    names.push_back(output.name());
  }
  if (results.empty())
    return emitError(file) << "the model has no outputs";
  func::ReturnOp::create(builder, file, results);
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    forward.setResultAttr(i, kNameAttr, builder.getStringAttr(name));
  return success();
}

/// Whether a use of `value` is the given operand of an Op, seen through ops
/// that move elements; `shifted` is set where one of them changes which
/// position an element belongs to.
template <typename Op>
static bool reaches(Value value, unsigned operand, bool &shifted) {
  SmallVector<std::pair<Value, bool>> work = {{value, false}};
  llvm::DenseSet<std::pair<Value, int>> seen;
  while (!work.empty()) {
    auto [at, isShifted] = work.pop_back_val();
    for (OpOperand &use : at.getUses()) {
      Operation *user = use.getOwner();
      if (isa<Op>(user) && use.getOperandNumber() == operand) {
        shifted |= isShifted;
        return true;
      }
      bool moves = isa<SliceOp, ConcatOp, PadOp>(user);
      if (!moves && !isa<ReshapeOp, CastOp, TransposeOp>(user))
        continue;
      std::pair<Value, bool> next(user->getResult(0), isShifted || moves);
      if (seen.insert({next.first, next.second}).second)
        work.push_back(next);
    }
  }
  return false;
}

/// Tells ids from targets by what reads them. A model that shifts its labels
/// inside takes the tokens themselves as labels.
void Importer::assignRoles() {
  BlockArgument tokens;
  SmallVector<BlockArgument> labels;
  for (BlockArgument argument : forward.getArguments()) {
    auto role = forward.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kRoleAttr);
    if (!role || role.getValue() != "tokens")
      continue;
    bool shifted = false;
    if (!tokens && reaches<EmbeddingOp>(argument, 0, shifted)) {
      tokens = argument;
      continue;
    }
    bool isTargets = reaches<CrossEntropyOp>(argument, 1, shifted);
    if (isTargets && shifted)
      labels.push_back(argument);
    forward.setArgAttr(argument.getArgNumber(), kRoleAttr,
                       builder.getStringAttr(isTargets ? "targets" : "data"));
  }
  for (BlockArgument argument : llvm::reverse(labels)) {
    if (!tokens || tokens.getType() != argument.getType())
      continue;
    argument.replaceAllUsesWith(tokens);
    LogicalResult erased = forward.eraseArgument(argument.getArgNumber());
    assert(succeeded(erased));
    (void)erased;
  }
}

FailureOr<OwningOpRef<ModuleOp>> Importer::run() {
  MLIRContext *context = builder.getContext();
  context->loadDialect<NNDialect, func::FuncDialect>();
  FailureOr<std::unique_ptr<Model>> read = Model::read(file, options.path);
  if (failed(read))
    return failure();
  model = std::move(*read);
  opset = Opsets(model->proto).standard();
  module = ModuleOp::create(builder, file);
  builder.setInsertionPointToEnd(module->getBody());
  if (failed(addInputs()) || failed(addInitializers()) ||
      failed(importNodes()) || failed(addOutputs()))
    return failure();
  assignRoles();
  sweep(*module);
  SmallVector<StringRef> names;
  for (const Weight &weight : weights.all())
    names.push_back(weight.name);
  sortParams(*module, names);
  classifyParams(*module);
  if (failed(verify(*module)))
    return failure();
  return std::move(module);
}

FailureOr<OwningOpRef<ModuleOp>> pcc::importONNX(MLIRContext &context,
                                                 const ImportOptions &options) {
  return Importer(context, options).run();
}
