//===- Descriptor.cpp - The program descriptor ----------------------------===//
//
// Builds the structures of runtime/Program.h, field by field in their order.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Emit/Descriptor.h"
#include "analysis/ElementTypes.h"
#include "analysis/IdBound.h"
#include "analysis/TensorRecords.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "dialects/NN/Roles.h"
#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Emit/Communication.h"
#include "passes/Codegen/Emit/Data.h"
#include "runtime/Program.h"
#include "runtime/support/FileNames.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;

std::string pcc::stageSymbol(rt::StageOp stage, StringRef function) {
  return ("stage" + Twine(stage.getIndex()) + "." + function).str();
}

namespace {

class Descriptor {
public:
  Descriptor(ModuleOp module, rt::ProgramOp program, DataBuilder &data,
             const Constants &constants, const Attentions &attentions)
      : module(module), program(program), data(data), constants(constants),
        attentions(attentions), communication(module), records(module) {}

  LogicalResult emit();

private:
  Datum axes();
  Datum comms();
  SmallVector<Datum> ways();
  /// The address of the record of nn::kModelFolderAttr; null without one.
  Datum modelFolder();
  SmallVector<Datum> collectives(rt::StageOp stage);
  FailureOr<Datum> stage(rt::StageOp stage);
  FailureOr<Datum> tensor(rt::BufferOp buffer);
  FailureOr<Datum> input(rt::BufferOp buffer);
  FailureOr<Datum> outputs(rt::StageOp stage, StringRef entry, StringRef prefix,
                           int32_t &count);
  FailureOr<Datum> layout(rt::BufferOp buffer);
  /// The address of the bucket that holds a tensor, if that is sharded between
  /// steps; else null, as the tensor has an arena offset of its own.
  FailureOr<Datum> bucket(rt::BufferOp buffer);
  /// The runtime's record of a parameter, working copy, optimizer state,
  /// number, gradient or sum, except its sharding.
  FailureOr<pcc_tensor> record(rt::BufferOp buffer);
  /// `dims`: the number of dims of the tensor with this source.
  Datum source(const pcc_source &source, int32_t dims);
  /// The address of a tensor's source; null without one.
  Datum sharedSource(const pcc_source *source, int32_t dims);
  /// The pcc_dtype of a buffer's elements; fails with an error if there is
  /// none.
  FailureOr<Datum> dtype(rt::BufferOp buffer, Type element);
  LogicalResult refuse(rt::BufferOp buffer, Type element);

  /// The index of a mesh axis, or -1.
  int32_t axisIndex(Attribute name) {
    std::optional<unsigned> axis =
        program.getAxes().find(cast<StringAttr>(name));
    return axis ? static_cast<int32_t>(*axis) : -1;
  }
  Datum string(std::optional<StringRef> text) {
    return text ? data.addString(*text) : Datum::null();
  }
  Datum string(const char *text) {
    return text ? data.addString(text) : Datum::null();
  }
  Datum stringAttr(Operation *op, StringRef name) {
    auto attr = op->getAttrOfType<StringAttr>(name);
    return attr ? data.addString(attr.getValue()) : Datum::null();
  }

  ModuleOp module;
  rt::ProgramOp program;
  DataBuilder &data;
  const Constants &constants;
  const Attentions &attentions;
  codegen::Communication communication;
  TensorRecords records;
  /// The emitted record of each source. A parameter and its optimizer states
  /// share one.
  llvm::DenseMap<const pcc_source *, Datum> sources;
  /// By the buffer of the whole bucket.
  llvm::DenseMap<Operation *, Datum> buckets;
  /// Of the current stage: by unsharded bucket buffer, the buffer of the rank's
  /// shard.
  llvm::DenseMap<Operation *, rt::BufferOp> parts;
};

Datum Descriptor::axes() {
  SmallVector<Datum> all;
  dist::MeshAxesAttr axes = program.getAxes();
  for (auto [name, size, role] :
       llvm::zip(axes.getNames(), axes.getSizes(), axes.getRoles()))
    all.push_back(
        Datum::structure({data.addString(name.getValue()), Datum::i64(size),
                          Datum::i32(static_cast<int>(role))}));
  return data.addArray("pcc.axes", all);
}

Datum Descriptor::comms() {
  SmallVector<Datum> all;
  for (ArrayAttr comm : program.getAllComms()) {
    SmallVector<int32_t> indices;
    for (Attribute name : comm)
      indices.push_back(axisIndex(name));
    size_t number = all.size();
    all.push_back(Datum::structure(
        {Datum::i32(indices.size()), data.addArray("pcc.comm_axes", indices),
         Datum::i32(communication.exchanges(number)),
         Datum::i32(communication.channelsOf(number))}));
  }
  return data.addArray("pcc.comms", all);
}

SmallVector<Datum> Descriptor::ways() {
  SmallVector<Datum> all;
  for (const codegen::StageTransfer &way : communication.getTransfers())
    all.push_back(Datum::structure({Datum::i32(way.from), Datum::i32(way.to),
                                    Datum::i32(way.channel),
                                    Datum::i32(way.isOverlapped)}));
  return all;
}

SmallVector<Datum> Descriptor::collectives(rt::StageOp stage) {
  SmallVector<Datum> all;
  for (const pcc_collective &op : communication.collectivesOf(stage))
    all.push_back(Datum::structure(
        {Datum::i32(op.comm), Datum::i32(op.kind), Datum::i32(op.dtype),
         Datum::i32(op.reduction), Datum::i64(op.count)}));
  return all;
}

FailureOr<Datum> Descriptor::layout(rt::BufferOp buffer) {
  SmallVector<int64_t> shape(buffer.getMemRefType().getShape());
  SmallVector<int32_t> begin = {0}, axes;
  if (rt::LayoutAttr layout = buffer.getLayoutAttr()) {
    shape.assign(layout.getShape().asArrayRef().begin(),
                 layout.getShape().asArrayRef().end());
    for (Attribute dim : layout.getAxes()) {
      for (Attribute name : cast<ArrayAttr>(dim)) {
        axes.push_back(axisIndex(name));
        if (axes.back() < 0)
          return LogicalResult(buffer.emitOpError()
                               << "is sharded over " << name
                               << ", which is no axis of the mesh");
      }
      begin.push_back(axes.size());
    }
  } else {
    begin.append(shape.size(), 0);
  }
  return Datum::structure({Datum::i32(shape.size()),
                           data.addArray("pcc.shape", shape),
                           data.addArray("pcc.axis_begin", begin),
                           data.addArray("pcc.layout_axes", axes)});
}

LogicalResult Descriptor::refuse(rt::BufferOp buffer, Type element) {
  return buffer.emitOpError() << "has elements of type " << element
                              << ", which the runtime does not know";
}

FailureOr<Datum> Descriptor::dtype(rt::BufferOp buffer, Type element) {
  int32_t number = dtypeOf(element);
  if (number < 0)
    return refuse(buffer, element);
  return Datum::i32(number);
}

Datum Descriptor::source(const pcc_source &source, int32_t dims) {
  auto numbers = [](const int64_t *list, int32_t count) {
    return ArrayRef<int64_t>(list, count);
  };
  Datum file = string(source.file);
  return Datum::structure(
      {string(source.name), string(source.saved_name), file,
       Datum::i64(source.file_size),
       Datum::i64(static_cast<int64_t>(source.file_digest)),
       Datum::i64(source.offset), Datum::i32(source.dtype),
       Datum::i32(source.saved_dtype), Datum::i32(source.rank),
       Datum::i32(source.transposed), Datum::i32(source.plus_one),
       data.addArray("pcc.shape", numbers(source.shape, source.rank)),
       Datum::i64(source.base),
       data.addArray("pcc.stride", numbers(source.stride, dims)),
       data.addArray("pcc.valid", numbers(source.valid, dims))});
}

Datum Descriptor::sharedSource(const pcc_source *source, int32_t dims) {
  if (!source)
    return Datum::null();
  auto known = sources.find(source);
  if (known != sources.end())
    return known->second;
  Datum made = data.add("pcc.source", this->source(*source, dims));
  sources.insert({source, made});
  return made;
}

FailureOr<pcc_tensor> Descriptor::record(rt::BufferOp buffer) {
  FailureOr<pcc_tensor> tensor = records.encode(
      buffer.getSymName(), buffer.getMemRefType(), buffer.getRecordAttr(),
      [&](Type element) { return refuse(buffer, element); });
  if (failed(tensor))
    return failure();
  if (buffer.getOf())
    tensor->of = records.keep(*buffer.getOf());
  if (tensor->source && *tensor->source->name)
    if (std::string why = tensorNameError(tensor->source->name); !why.empty())
      return LogicalResult(buffer.emitOpError()
                           << "cannot be saved: its name " << why);
  tensor->kind = PCC_SCRATCH;
  if (buffer.getKind() == rt::BufferKind::Param)
    tensor->kind = PCC_PARAM;
  else if (buffer.getKind() == rt::BufferKind::State)
    tensor->kind = PCC_STATE;
  else if (buffer.getKind() == rt::BufferKind::Copy)
    tensor->kind = PCC_COPY;
  else if (buffer.getKind() == rt::BufferKind::Number)
    tensor->kind = PCC_NUMBER;
  tensor->arena_offset = buffer.getOffset().value_or(0);
  tensor->bucket_offset = buffer.getElement().value_or(0);
  return tensor;
}

FailureOr<Datum> Descriptor::bucket(rt::BufferOp buffer) {
  if (!buffer.getBucket())
    return Datum::null();
  auto row = SymbolTable::lookupNearestSymbolFrom<rt::BufferOp>(
      buffer, buffer.getBucketAttr());
  rt::BufferOp part = parts.lookup(row);
  ArrayAttr cut = part ? part.getShardAxes() : row.getShardAxes();
  if (cut.empty())
    return Datum::null();
  auto known = buckets.find(row);
  if (known != buckets.end())
    return known->second;
  SmallVector<int32_t> axes;
  for (Attribute name : cut) {
    axes.push_back(axisIndex(name));
    if (axes.back() < 0)
      return LogicalResult(row.emitOpError()
                           << "is sharded over " << name
                           << ", which is no axis of the mesh");
  }
  Datum made =
      data.add("pcc.bucket",
               Datum::structure(
                   {Datum::i64(row.getLayoutAttr().getShape()[1]),
                    Datum::i32(axes.size()), data.addArray("pcc.axes", axes),
                    Datum::i32(part ? 1 : 0), Datum::i64(*row.getOffset())}));
  buckets.insert({row, made});
  return made;
}

FailureOr<Datum> Descriptor::tensor(rt::BufferOp buffer) {
  FailureOr<Datum> where = layout(buffer);
  FailureOr<pcc_tensor> tensor = record(buffer);
  FailureOr<Datum> row = bucket(buffer);
  if (failed(where) || failed(tensor) || failed(row))
    return failure();
  auto dims = static_cast<int32_t>(buffer.getMemRefType().getRank());
  Datum from = sharedSource(tensor->source, dims);
  SmallVector<Datum> copies;
  for (int32_t i = 0; i < tensor->n_copies; ++i)
    copies.push_back(source(tensor->copies[i], dims));
  SmallVector<int64_t> uses;
  for (int32_t i = 0; i < tensor->n_uses; ++i)
    uses.append({tensor->uses[i].node, tensor->uses[i].operand});
  return Datum::structure(
      {string(tensor->name), string(tensor->of), Datum::i32(tensor->kind),
       Datum::i32(tensor->dtype), Datum::i32(tensor->init),
       Datum::i32(tensor->decay), *where, Datum::i64(tensor->arena_offset),
       from, Datum::i32(tensor->n_copies), data.addArray("pcc.copies", copies),
       Datum::i32(tensor->n_uses), data.addArray("pcc.uses", uses), *row,
       Datum::i64(tensor->bucket_offset)});
}

FailureOr<Datum> Descriptor::input(rt::BufferOp buffer) {
  FailureOr<Datum> where = layout(buffer);
  FailureOr<Datum> number =
      dtype(buffer, buffer.getMemRefType().getElementType());
  if (failed(where) || failed(number))
    return failure();
  auto name = buffer->getAttrOfType<StringAttr>("name");
  if (name && !name.getValue().empty())
    if (std::string why = arrayNameError(name.getValue()); !why.empty())
      return LogicalResult(buffer.emitOpError()
                           << "cannot be read from a file: its name " << why);
  auto ids = nn::IdBound::from(buffer->getAttr(nn::kIdsAttr));
  nn::InputDims dims;
  auto roleName = buffer->getAttrOfType<StringAttr>("role");
  if (auto role = nn::symbolizeInputRole(roleName ? roleName.getValue() : ""))
    dims = nn::dimsOf(*role, buffer.getMemRefType().getRank(),
                      buffer->getAttr(nn::kDimsAttr));
  auto dim = [](std::optional<unsigned> number) {
    return Datum::i32(number ? static_cast<int32_t>(*number) : -1);
  };
  auto [ranks, ordered] = analysis::encodeOrder(
      buffer->getAttrOfType<nn::HeadTailAttr>(nn::kOrderAttr));
  return Datum::structure(
      {stringAttr(buffer, "role"), stringAttr(buffer, "name"), *number,
       Datum::i32(ids && ids->isOfLoss), *where,
       Datum::i64(*buffer.getOffset()),
       Datum::i64(buffer.getSlots() > 1 ? buffer.getSlotBytes() : 0),
       Datum::i64(ids ? ids->below : 0), data.addString(ids ? ids->node : ""),
       dim(dims.batch), dim(dims.sequence), Datum::i32(buffer.getRefilled()),
       Datum::i32(ranks), Datum::i32(ordered)});
}

/// The output buffers that an entry point passes to its tasks.
SmallVector<rt::BufferOp> outputsOf(rt::StageOp stage, StringRef entry) {
  SymbolTable symbols(stage);
  SmallVector<rt::BufferOp> outputs;
  if (auto function = symbols.lookup<rt::FuncOp>(entry))
    function.walk([&](rt::AddressOp address) {
      auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
      if (buffer.getKind() == rt::BufferKind::Output &&
          !llvm::is_contained(outputs, buffer))
        outputs.push_back(buffer);
    });
  return outputs;
}

/// The array of an entry point's outputs; `prefix` is dropped from the names.
FailureOr<Datum> Descriptor::outputs(rt::StageOp stage, StringRef entry,
                                     StringRef prefix, int32_t &count) {
  SmallVector<Datum> all;
  for (rt::BufferOp buffer : outputsOf(stage, entry)) {
    FailureOr<Datum> where = layout(buffer);
    if (failed(where))
      return failure();
    StringRef name = buffer->getAttrOfType<StringAttr>("name").getValue();
    name.consume_front(prefix);
    all.push_back(Datum::structure(
        {data.addString(name),
         Datum::i32(dtypeOf(buffer.getMemRefType().getElementType())), *where,
         Datum::i64(*buffer.getOffset())}));
  }
  count = all.size();
  return data.addArray("pcc.outputs", all);
}

/// The end of the arena range that persists between entries; it is initialized
/// to zero.
static int64_t endOfKept(rt::StageOp stage) {
  rt::PersistentBuffers persistent(stage);
  int64_t end = 0;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (persistent.isReserved(buffer) && buffer.getOffset())
      end =
          std::max(end, int64_t(*buffer.getOffset()) + buffer.getTotalBytes());
  return end;
}

FailureOr<Datum> Descriptor::stage(rt::StageOp stage) {
  SmallVector<Datum> tensors, inputs;
  parts = rt::findShards(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    // Buckets are described by the tensors in them.
    if (buffer.getKind() == rt::BufferKind::Bucket ||
        buffer.getKind() == rt::BufferKind::Part)
      continue;
    if (rt::isTensor(buffer.getKind())) {
      FailureOr<Datum> made = tensor(buffer);
      if (failed(made))
        return failure();
      tensors.push_back(*made);
    } else if (buffer.getKind() == rt::BufferKind::Input) {
      FailureOr<Datum> made = input(buffer);
      if (failed(made))
        return failure();
      inputs.push_back(*made);
    }
  }
  int32_t trained, evaluated, forwarded;
  FailureOr<Datum> train = outputs(stage, rt::kTrainEntry, "", trained);
  FailureOr<Datum> evaluate =
      outputs(stage, rt::kEvaluateEntry, nn::kEvalPrefix, evaluated);
  FailureOr<Datum> forward = outputs(stage, rt::kForwardEntry, "", forwarded);
  if (failed(train) || failed(evaluate) || failed(forward))
    return failure();
  auto entry = [&](StringRef name) {
    if (!SymbolTable::lookupSymbolIn(stage, name))
      return Datum::null();
    return Datum::address(stageSymbol(stage, name));
  };
  int64_t streams = 1, events = 0;
  stage.walk([&](Operation *op) {
    streams = std::max(streams, rt::getStream(op) + 1);
    if (auto event = dyn_cast<rt::EventOp>(op))
      events += event.getSlots();
  });
  SmallVector<Datum> communicated = collectives(stage);
  auto found = attentions.find(stage);
  ArrayRef<Datum> library;
  if (found != attentions.end())
    library = found->second;
  return Datum::structure({Datum::i64(*stage.getArena()),
                           Datum::i64(stage.getOffloadedBytes()),
                           Datum::i64(endOfKept(stage)),
                           Datum::i32(tensors.size()),
                           Datum::i32(inputs.size()),
                           Datum::i32(trained),
                           data.addArray("pcc.tensors", tensors),
                           data.addArray("pcc.inputs", inputs),
                           *train,
                           entry(rt::kTrainEntry),
                           entry(rt::kEvaluateEntry),
                           Datum::i32(evaluated),
                           *evaluate,
                           entry(rt::kForwardEntry),
                           Datum::i32(forwarded),
                           *forward,
                           Datum::i32(streams),
                           Datum::i32(events),
                           Datum::i32(library.size()),
                           data.addArray("pcc.attentions", library),
                           Datum::i32(communicated.size()),
                           data.addArray("pcc.collectives", communicated)});
}

Datum Descriptor::modelFolder() {
  auto folder = module->getAttrOfType<DictionaryAttr>(nn::kModelFolderAttr);
  if (!folder)
    return Datum::null();
  SmallVector<Datum> files;
  for (Attribute file : folder.getAs<ArrayAttr>(nn::kModelFolderFiles))
    files.push_back(data.addString(cast<StringAttr>(file).getValue()));
  auto path = folder.getAs<StringAttr>(nn::kModelFolderPath);
  return data.add("pcc.model_folder",
                  Datum::structure({data.addString(path.getValue()),
                                    Datum::i32(files.size()),
                                    data.addArray("pcc.files", files)}));
}

LogicalResult Descriptor::emit() {
  SmallVector<Datum> stages;
  for (auto op : module.getOps<rt::StageOp>()) {
    FailureOr<Datum> made = stage(op);
    if (failed(made))
      return failure();
    stages.push_back(*made);
  }
  SmallVector<Datum> implications;
  if (auto attr = module->getAttrOfType<DictionaryAttr>(nn::kImpliedAttr))
    for (NamedAttribute implied : attr) {
      bool isOnes = implied.getValue() ==
                    StringAttr::get(module.getContext(), nn::kImpliedOnes);
      implications.push_back(Datum::structure(
          {data.addString(implied.getName()), Datum::i32(isOnes)}));
    }
  SmallVector<Datum> integers;
  for (auto &[constant, number] : constants.list())
    integers.push_back(Datum::structure(
        {Datum::i32(constant.first), Datum::i64(constant.second)}));
  SmallVector<Datum> ends;
  if (auto attr =
          module->getAttrOfType<DenseI64ArrayAttr>(nn::kDocumentEndsAttr))
    for (int64_t end : attr.asArrayRef())
      ends.push_back(Datum::i64(end));
  SmallVector<Datum> allWays = ways();
  data.addPublic(
      "pcc_the_program",
      Datum::structure({Datum::i32(PCC_ABI_VERSION),
                        data.addString(program.getModel().value_or("program")),
                        string(program.getSource()),
                        data.addString(program.getSummary().value_or("")),
                        Datum::i32(program.getAxes().getNames().size()),
                        axes(),
                        Datum::i32(stages.size()),
                        data.addArray("pcc.stages", stages),
                        Datum::i32(program.getAllComms().size()),
                        comms(),
                        Datum::i32(allWays.size()),
                        data.addArray("pcc.ways", allWays),
                        Datum::i64(program.getSeq()),
                        Datum::i64(program.getMicroBatch()),
                        Datum::i64(program.getMicrobatches()),
                        Datum::i64(program.getAxes().batchExtent()),
                        Datum::i64(program.getParameters()),
                        Datum::f64(program.getFlopsPerStep().convertToDouble()),
                        Datum::i32(implications.size()),
                        data.addArray("pcc.implied", implications),
                        Datum::i32(integers.size()),
                        data.addArray("pcc.constants", integers),
                        modelFolder(),
                        stringAttr(module, nn::kWholeBatchAttr),
                        Datum::i32(ends.size()),
                        data.addArray("pcc.document_ends", ends),
                        string(program.getOffloadDir())}));
  return success();
}

} // namespace

LogicalResult pcc::emitDescriptor(ModuleOp module, DataBuilder &data,
                                  const Constants &constants,
                                  const Attentions &attentions) {
  auto programs = module.getOps<rt::ProgramOp>();
  if (programs.empty())
    return module.emitError("has no rt.program");
  return Descriptor(module, *programs.begin(), data, constants, attentions)
      .emit();
}
