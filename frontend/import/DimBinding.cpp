//===- DimBinding.cpp - Static shapes for a model's inputs ----------------===//

#include "frontend/import/DimBinding.h"
#include "dialects/NN/DiagnosticCode.h"
#include "frontend/onnx/ElementTypes.h"
#include "mlir/IR/Builders.h"
#include "runtime/support/DType.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;

bool pcc::frontend::isSequenceDim(const onnx::ValueInfoProto &input, int d) {
  const onnx::TypeProto_Tensor &type = input.type().tensor_type();
  if (d != 1 || type.shape().dim_size() != 2)
    return false;
  int32_t dtype = dtypeOfONNX(type.elem_type());
  return dtype >= 0 && !isFloat(dtype);
}

SmallVector<const onnx::ValueInfoProto *>
pcc::frontend::fedInputs(const onnx::GraphProto &graph) {
  llvm::StringSet<> initialized;
  for (const auto &tensor : graph.initializer())
    initialized.insert(tensor.name());
  SmallVector<const onnx::ValueInfoProto *> inputs;
  for (const auto &input : graph.input())
    if (!initialized.contains(input.name()))
      inputs.push_back(&input);
  return inputs;
}

namespace {

/// Binds the dims of one model; each name is bound to one extent.
struct DimBinder {
  Location loc;
  const ImportOptions &options;
  std::map<std::string, int64_t> bound;
  /// The name of the dim that --seq binds, unless --dim binds it.
  std::string sequence;
  bool hasSequence = false;

  /// The flag for dim `d` of an input, and its value. --seq binds dim 1 of ids,
  /// except in a second sequence that --dim binds.
  std::pair<StringRef, std::optional<int64_t>>
  flag(int d, bool ids, bool shared, const std::string &symbol) {
    if (shared)
      return {"", std::nullopt};
    if (d == 0)
      return {"the batch", options.batch ? options.batch : 1};
    if (d != 1 || !ids)
      return {"", std::nullopt};
    hasSequence = true;
    if (sequence.empty())
      sequence = symbol;
    if (symbol != sequence && options.dims.count(symbol))
      return {"", std::nullopt};
    return {"--seq", options.seq};
  }

  FailureOr<int64_t> bind(StringRef input, int d, bool ids, bool shared,
                          const onnx::TensorShapeProto::Dimension &dim) {
    auto [name, value] = flag(d, ids, shared, dim.dim_param());
    if (dim.has_dim_value()) {
      if (dim.dim_value() < 1)
        return emitError(loc) << "dim " << d << " of input '" << input
                              << "' is " << dim.dim_value();
      bool given = value && (d > 0 || shared || options.batch.has_value());
      if (given && *value != dim.dim_value()) {
        InFlightDiagnostic diag = emitError(loc)
                                  << "dim " << d << " of input '" << input
                                  << "' is " << dim.dim_value() << ", " << name
                                  << " says " << *value;
        diag.attachNote(loc)
            << "export the model with dynamic dims to choose them freely";
        return diag;
      }
      return dim.dim_value();
    }
    const std::string &symbol = dim.dim_param();
    if (!symbol.empty()) {
      auto given = options.dims.find(symbol);
      bool both = value && given != options.dims.end() &&
                  (d != 0 || options.batch) && given->second != *value;
      if (both)
        return emitError(loc)
               << "dim '" << symbol << "' of input '" << input << "' is "
               << given->second << " by --dim and " << *value << " by " << name;
      if (given != options.dims.end())
        value = given->second;
      auto before = bound.find(symbol);
      if (before != bound.end() && (!value || d > 1))
        value = before->second;
    }
    if (!value) {
      std::string what =
          symbol.empty() ? "dim " + std::to_string(d) : "dim '" + symbol + "'";
      InFlightDiagnostic diag = emitError(loc) << what << " of input '" << input
                                               << "' is not bound to a number";
      nn::setCode(diag, nn::DiagnosticCode::MissingFlag);
      if (d == 1 && ids && !shared)
        diag.attachNote(loc) << "add --seq N";
      else
        diag.attachNote(loc) << "add --dim " << symbol << "=N";
      return diag;
    }
    if (*value < 1)
      return emitError(loc) << "dim " << d << " of input '" << input
                            << "' cannot be " << *value;
    if (!symbol.empty()) {
      auto [it, isNew] = bound.try_emplace(symbol, *value);
      if (!isNew && it->second != *value)
        return emitError(loc) << "dim '" << symbol << "' is both " << it->second
                              << " and " << *value;
    }
    return *value;
  }
};

} // namespace

/// The most samples, and ids of all samples, in one microbatch of all
/// data-parallel ranks. Positions and masks of this size are constants in the
/// compiler.
static constexpr int64_t kMostSamples = 1 << 20, kMostTokens = 1 << 22;

static LogicalResult checkSamples(Location loc, StringRef input,
                                  ArrayRef<int64_t> shape, bool ids) {
  int64_t samples = shape[0], most = kMostSamples;
  if (ids)
    most = std::min(most, std::max<int64_t>(1, kMostTokens / shape[1]));
  if (samples <= most)
    return success();
  InFlightDiagnostic diag = emitError(loc) << "input '" << input << "' has "
                                           << samples << " samples";
  if (ids)
    diag << " of " << shape[1] << " ids";
  diag << " in one microbatch of all data-parallel ranks; there may be "
       << most;
  diag.attachNote(loc)
      << "choose a smaller --micro-batch-size or --dp: a step then has "
         "more microbatches and computes the same";
  return diag;
}

/// Reports a --dim that names no dim of the inputs.
static LogicalResult checkNames(Location loc, const onnx::GraphProto &graph,
                                const ImportOptions &options) {
  llvm::SetVector<StringRef> names;
  for (const onnx::ValueInfoProto *info : fedInputs(graph))
    for (const auto &dim : info->type().tensor_type().shape().dim())
      if (!dim.has_dim_value() && !dim.dim_param().empty())
        names.insert(dim.dim_param());
  for (const auto &given : options.dims)
    if (!names.contains(given.first)) {
      InFlightDiagnostic diag =
          emitError(loc) << "--dim " << given.first << "=" << given.second
                         << " names no dim of the model's inputs";
      diag.attachNote(loc) << (names.empty()
                                   ? "all its dims are static"
                                   : "its dims are " + llvm::join(names, ", "));
      return diag;
    }
  return success();
}

FailureOr<SmallVector<Input>>
pcc::frontend::bindDims(Location loc, const onnx::GraphProto &graph,
                        const ImportOptions &options,
                        const BatchDims &batchDims) {
  if (failed(checkNames(loc, graph, options)))
    return failure();
  DimBinder binder{loc, options, {}, {}};
  SmallVector<Input> inputs;
  // Shared inputs come last: they may have a dim of the others.
  auto fed = fedInputs(graph);
  SmallVector<const onnx::ValueInfoProto *> ordered;
  for (bool isShared : {false, true})
    llvm::copy_if(fed, std::back_inserter(ordered), [&](const auto *info) {
      return batchDims.isShared(info->name()) == isShared;
    });
  for (const onnx::ValueInfoProto *info : ordered) {
    bool shared = batchDims.isShared(info->name());
    const onnx::TypeProto_Tensor &type = info->type().tensor_type();
    Type element =
        elementType(loc.getContext(), type.elem_type(), options.forward);
    // Programs take no unsigned inputs.
    if (type.elem_type() == onnx::TensorProto::UINT8)
      element = nullptr;
    if (!info->type().has_tensor_type())
      return emitError(loc) << "input '" << info->name() << "' is not a tensor";
    if (!element) {
      InFlightDiagnostic diag = emitError(loc) << "input '" << info->name()
                                               << "' has elements of type "
                                               << typeName(type.elem_type());
      diag.attachNote(loc) << kTypesRemedy;
      return diag;
    }
    Shape shape;
    bool ids = isa<IntegerType>(element) && type.shape().dim_size() == 2;
    for (int d = 0; d < type.shape().dim_size(); ++d) {
      FailureOr<int64_t> extent =
          binder.bind(info->name(), d, ids, shared, type.shape().dim(d));
      if (failed(extent))
        return failure();
      shape.push_back(*extent);
    }
    if (!canBeHeld(shape))
      return emitError(loc)
             << "input '" << info->name()
             << "' has a shape over the limits, 2^31 per dim and 2^40 elements";
    bool isChosen =
        !shared && !shape.empty() && !type.shape().dim(0).has_dim_value();
    if (isChosen && failed(checkSamples(loc, info->name(), shape, ids)))
      return failure();
    inputs.push_back({info, RankedTensorType::get(shape, element), shared});
  }
  llvm::sort(inputs, [&](const Input &a, const Input &b) {
    return llvm::find(fed, a.info) < llvm::find(fed, b.info);
  });
  if (options.seq && !binder.hasSequence) {
    InFlightDiagnostic diag =
        emitError(loc) << "--seq " << *options.seq
                       << ": no input of the model holds ids [batch, seq]";
    for (const Input &input : inputs)
      diag.attachNote(loc) << "input '" << input.info->name() << "' is "
                           << input.type;
    return diag;
  }
  return inputs;
}

FailureOr<ONNXFile> pcc::readONNX(MLIRContext &context, StringRef path) {
  return ModelFile::read(FileLineColLoc::get(&context, path, 0, 0), path);
}

FailureOr<ModelOutline> pcc::readModelOutline(MLIRContext &context,
                                              const ONNXFile &file,
                                              const ImportOptions &options) {
  Location loc = FileLineColLoc::get(&context, file->getPath(), 0, 0);
  auto dims = BatchDims::read(loc, file->getProto().graph(), options);
  if (failed(dims))
    return failure();
  ModelOutline outline;
  outline.batch = dims->fixedBatch;
  outline.files = file->externalFiles();
  return outline;
}
