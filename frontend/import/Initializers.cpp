//===- Initializers.cpp - The tensors of a file ---------------------------===//

#include "analysis/Expressions.h"
#include "frontend/import/DimBinding.h"
#include "frontend/import/Importer.h"
#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/FileRangeScan.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;

bool Importer::mayBeWeight(const onnx::TensorProto &tensor) const {
  std::optional<int64_t> size =
      countElements(Shape(tensor.dims().begin(), tensor.dims().end()));
  Type element =
      elementType(builder.getContext(), tensor.data_type(), options.forward);
  // For inference, single numbers are constants.
  return size && *size > (options.forward ? 1 : 0) &&
         *size < int64_t(1) << 50 && isa_and_present<FloatType>(element);
}

LogicalResult Importer::hold(const onnx::TensorProto &tensor, Item &item) {
  // A large mask is tested for a band while it is read.
  StringRef bytes = tensor.raw_data();
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    FailureOr<FileRange> range = model.find(file, tensor, /*optional=*/false);
    if (failed(range))
      return failure();
    bytes = StringRef(range->bytes, range->length);
  }
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  Type storage = storageType(builder.getContext(), tensor.data_type()),
       element = elementType(builder.getContext(), tensor.data_type(),
                             options.forward);
  if (storage && storage == element && canBeHeld(shape) && !bytes.empty())
    if (std::optional<Band> band = findBand(element, shape, bytes)) {
      item.value = buildBand(builder, file,
                             RankedTensorType::get(shape, element), *band);
      expressions.insert(item.value);
      return success();
    }
  FailureOr<Tensor> t = load(file, tensor);
  if (failed(t))
    return failure();
  item.tensor = *t;
  return success();
}

/// Classifies each initializer and checks where its elements are, used or not.
LogicalResult Importer::addInitializers() {
  const onnx::GraphProto &graph = model.proto.graph();
  source.emplace(graph);
  if (!declared && !options.forward)
    detachedReads = DetachedReads(graph, *source);
  if (!declared && !options.forward)
    biases = LostBiases(model, *source);
  names.emplace(model.proto);
  sharing.emplace(graph, *names, *source);
  auto isOne = [&](StringRef name) { return isNumberOne(name); };
  ProvenanceFinder finder(graph, *names, *source, declared, isOne);
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    Item &item = items[tensor.name()];
    Provenance provenance;
    FileRange range;
    Shape shape(tensor.dims().begin(), tensor.dims().end());
    bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    if (mayBeWeight(tensor)) {
      FailureOr<FileRange> found =
          isExternal ? model.find(file, tensor, options.randomInit) : range;
      if (failed(found))
        return failure();
      range = std::move(*found);
      Type storage = storageType(builder.getContext(), tensor.data_type());
      provenance = biases.contains(tensor.name())
                       ? biases.provenanceOf(tensor)
                       : finder.find(tensor, range, storage);
      if (range.bytes && range.offset >= 0 && isExpanded(tensor, provenance)) {
        shape = shapeBeforeExpand(range, shape,
                                  storage.getIntOrFloatBitWidth() / 8);
        range.length =
            *countElements(shape) * storage.getIntOrFloatBitWidth() / 8;
      }
      auto type = RankedTensorType::get(shape, storage);
      bool isLost = provenance.isTrained() ||
                    (provenance.kind == Provenance::Kind::Presumed &&
                     provenance.isGenerated);
      if (isLost && !options.forward && !choice->keeps(provenance, tensor) &&
          failed(checkFoldedLookup(tensor, type, range, provenance)))
        return failure();
      if (!options.forward && isScale(tensor))
        choice->applyPlusOne(provenance, tensor);
      choice->apply(provenance, tensor, type, report);
    }
    if (provenance.isConstant()) {
      if (failed(hold(tensor, item)))
        return failure();
      continue;
    }
    if (!isExternal) {
      InFlightDiagnostic diag = emitError(file)
                                << "weight '" << tensor.name()
                                << "' has no elements in the file";
      diag.attachNote(file) << "export the model again with its weights";
      return diag;
    }
    if (failed(
            addWeight(tensor, shape, std::move(range), std::move(provenance))))
      return failure();
  }
  return options.forward ? success() : weights.tieCopies(file);
}

bool Importer::isNumberOne(StringRef name) {
  const onnx::GraphProto &graph = model.proto.graph();
  const onnx::TensorProto *tensor = nullptr;
  for (const onnx::TensorProto &initializer : graph.initializer())
    if (initializer.name() == name)
      tensor = &initializer;
  for (const onnx::NodeProto &node : graph.node())
    for (const auto &attribute : node.attribute())
      if (node.op_type() == "Constant" && node.output_size() == 1 &&
          node.output(0) == name && attribute.name() == "value")
        tensor = &attribute.t();
  if (!tensor ||
      countElements(Shape(tensor->dims().begin(), tensor->dims().end())) != 1)
    return false;
  ScopedDiagnosticHandler quiet(builder.getContext(), [](Diagnostic &) {});
  FailureOr<Tensor> number = load(file, *tensor);
  if (failed(number))
    return false;
  Scalar value = number->at(int64_t(0));
  return isa<FloatType>(number->element()) ? value.f == 1 : value.i == 1;
}

void Importer::warnOfDropped() const {
  std::string factors, merged;
  for (auto [name, other] : source->findDropped(model.proto.graph())) {
    // It may have been found as a parameter that was merged with another.
    if (llvm::any_of(weights.all(), [name = name](const Weight &weight) {
          return weight.name == name || weight.provenance.likelyName == name;
        }))
      continue;
    std::string &list = other.empty() ? factors : merged;
    list += (Twine(list.empty() ? "" : ", ") + "'" + name + "'").str();
    if (!other.empty())
      list += (Twine(" (equal to '") + other + "')").str();
  }
  auto warn = [&](StringRef list, StringRef why) {
    if (list.empty())
      return;
    InFlightDiagnostic diag = emitWarning(file)
                              << "not trained, because the file lacks them: "
                              << list << ": the exporter " << why;
    diag.attachNote(file) << "export with optimize=False or with pcc-export";
  };
  warn(factors, "drops factors of 1 and terms of 0, parameters or not");
  warn(merged, "merges what it computes from equal parameters");
  for (const std::string &node : detachedReads.getUnknown()) {
    InFlightDiagnostic diag =
        emitWarning(file) << "'" << node
                          << "' reads a detached value, through which no "
                             "gradient flows in PyTorch; the file does not "
                             "tell which operand it is, so gradients flow here";
    diag.attachNote(file) << "export with optimize=False or with pcc-export";
  }
  for (const onnx::NodeProto &node : model.proto.graph().node())
    if (std::string smoothing = source->lostSmoothing(node);
        !smoothing.empty()) {
      InFlightDiagnostic diag = emitWarning(file)
                                << "'" << node.name() << "' lacks the label "
                                << "smoothing of the module, " << smoothing
                                << ", which the exporter left out";
      diag.attachNote(file) << "export with pcc-export";
    }
}

LogicalResult Importer::checkFoldedLookup(const onnx::TensorProto &tensor,
                                          RankedTensorType type,
                                          const FileRange &range,
                                          const Provenance &provenance) const {
  std::string lookup =
      foldedLookup(range, type.getShape(), type.getElementTypeBitWidth() / 8);
  if (lookup.empty())
    return success();
  std::string name = provenance.moduleName();
  bool isNamed = !name.empty() && name != tensor.name();
  std::string table = isNamed ? "'" + name + "'" : "a table";
  InFlightDiagnostic diag = emitError(file)
                            << "weight '" << tensor.name() << "' is " << lookup
                            << ": the exporter folded the lookup of " << table
                            << ", which the file lacks";
  diag.attachNote(file) << "export with pcc-export, with optimize=False, or "
                           "with a dynamic batch and sequence; --freeze '"
                        << (isNamed ? name : tensor.name())
                        << "' trains all else";
  return diag;
}

bool Importer::isExpanded(const onnx::TensorProto &tensor,
                          const Provenance &provenance) const {
  if (options.forward || tensor.dims_size() < 3 || !provenance.isTrained() ||
      provenance.moduleName() == tensor.name())
    return false;
  return llvm::any_of(model.proto.graph().input(), [&](const auto &input) {
    const auto &dims = input.type().tensor_type().shape().dim();
    return !dims.empty() && dims[0].dim_value() == tensor.dims(0) &&
           tensor.dims(0) > 1;
  });
}

LogicalResult Importer::addWeight(const onnx::TensorProto &tensor,
                                  ArrayRef<int64_t> shape, FileRange range,
                                  Provenance provenance) {
  Type element =
      elementType(builder.getContext(), tensor.data_type(), options.forward);
  // Training computes in f32.
  if (element.isF64() && !options.forward)
    element = builder.getF32Type();
  auto type = RankedTensorType::get(shape, element);
  FailureOr<Weight *> weight = weights.add(
      file, std::move(provenance), tensor, type,
      storageType(builder.getContext(), tensor.data_type()), std::move(range));
  if (failed(weight))
    return failure();
  (*weight)->isAbsent = biases.contains(tensor.name());
  if (!llvm::equal(shape, tensor.dims()))
    (*weight)->expanded.assign(tensor.dims().begin(), tensor.dims().end());
  (*weight)->isTable =
      llvm::any_of(names->usesOf(tensor.name()), [](const auto &use) {
        return use.node->op_type() == "Gather" && use.operand == 0;
      });
  items[tensor.name()].weight = *weight;
  return success();
}

Weight *Importer::readBy(const onnx::NodeProto &node, int i, Weight *weight) {
  if (reads || declared || options.forward)
    return weight;
  bool isUniform =
      weight->range.bytes && names->countUses(node.input(i)) > 1 &&
      isRepetition(weight->range, weight->storage.getIntOrFloatBitWidth() / 8);
  const Provenance &known = weight->provenance;
  std::string own = known.isAltered ? known.moduleName() : weight->name;
  SharingFinder::Read read =
      sharing->find(*weight->tensor, own, node, i, isUniform);
  if (read.name.empty() || (read.name == own && !read.isComputed))
    return weight;
  if (weight->isTable && node.op_type() != "Gather" && !read.isProven)
    return weights.shareTable(weight, read.name);
  // A value equal to 1 + w may be w, and vice versa.
  Provenance provenance = known;
  provenance.isAltered = read.isComputed || (known.isAltered && !read.isProven);
  provenance.isPlusOne = false;
  provenance.isNameProven = read.isProven && !provenance.isAltered;
  provenance.name = read.name;
  provenance.likelyName.clear();
  // A name derived from the file's name is not the module's.
  bool isModules = !StringRef(read.name).starts_with(weight->tensor->name());
  if (provenance.isAltered && isModules) {
    provenance.likelyName = read.name;
    provenance.name = weight->tensor->name() + "/" + read.name;
  }
  if (isScale(*weight->tensor))
    choice->applyPlusOne(provenance, *weight->tensor);
  return weights.separate(weight, std::move(provenance), read.isProven);
}

bool Importer::isScale(const onnx::TensorProto &tensor) const {
  ArrayRef<NameFinder::Use> uses = names->usesOf(tensor.name());
  return !uses.empty() && llvm::all_of(uses, [](const NameFinder::Use &use) {
    StringRef op = use.node->op_type();
    bool isNorm = op.ends_with("Normalization");
    return op == "Mul" ||
           (isNorm && use.operand == (op.starts_with("Skip") ? 2 : 1));
  });
}

/// The most elements of a tensor that is loaded as indices or shapes.
static constexpr int64_t kMostIndices = 1 << 20;

LogicalResult Importer::addShapes() {
  names.emplace(model.proto);
  for (const onnx::TensorProto &tensor : model.proto.graph().initializer()) {
    Item &item = items[tensor.name()];
    Shape shape(tensor.dims().begin(), tensor.dims().end());
    std::optional<int64_t> size = countElements(shape);
    Type element =
        elementType(builder.getContext(), tensor.data_type(), options.forward);
    if (!size || !element)
      return failure();
    if (mayBeWeight(tensor) && *size > 1) {
      FailureOr<FileRange> range = model.find(file, tensor, /*optional=*/true);
      if (failed(range))
        return failure();
      Provenance provenance;
      provenance.name = tensor.name();
      auto weight = weights.add(
          file, std::move(provenance), tensor,
          RankedTensorType::get(shape, element),
          storageType(builder.getContext(), tensor.data_type()), *range);
      if (failed(weight))
        return failure();
      item.weight = *weight;
      continue;
    }
    if (*size > kMostIndices) {
      item.tensor = Tensor::splat(
          element, shape, isa<FloatType>(element) ? ofFloat(0) : ofInt(0));
      continue;
    }
    FailureOr<Tensor> t = load(file, tensor);
    if (failed(t))
      return failure();
    item.tensor = *t;
  }
  return success();
}

void Importer::warnOfLostBiases() const {
  if (biases.unknown().empty())
    return;
  InFlightDiagnostic diag =
      emitWarning(file) << "not trained, because the exporter removed biases "
                           "that are all zeros: '"
                        << llvm::join(biases.unknown(), "', '") << "'";
  diag.attachNote(file) << "export without optimizations (optimize=False), or "
                           "with dynamo=False, or give them values first";
}
