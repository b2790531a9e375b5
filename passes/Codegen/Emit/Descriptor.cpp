//===- Descriptor.cpp - What a program says of itself ---------------------===//
//
// The structures of runtime/Program.h, field by field and in its order.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Emit/Descriptor.h"
#include "analysis/IdBound.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "passes/Codegen/Emit/Data.h"
#include "runtime/Program.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

int pcc::getDType(Type element) {
  return llvm::TypeSwitch<Type, int>(element)
      .Case([](Float32Type) { return PCC_F32; })
      .Case([](Float64Type) { return PCC_F64; })
      .Case([](BFloat16Type) { return PCC_BF16; })
      .Case([](Float16Type) { return PCC_F16; })
      .Case([](IntegerType type) {
        if (type.isUnsigned())
          return -1;
        switch (type.getWidth()) {
        case 64:
          return int(PCC_I64);
        case 32:
          return int(PCC_I32);
        case 16:
          return int(PCC_I16);
        case 8:
          return int(PCC_I8);
        case 1:
          return int(PCC_BOOL);
        }
        return -1;
      })
      .Default([](Type) { return -1; });
}

std::string pcc::stageSymbol(rt::StageOp stage, StringRef function) {
  return ("stage" + Twine(stage.getIndex()) + "." + function).str();
}

namespace {

class Descriptor {
public:
  Descriptor(ModuleOp module, rt::ProgramOp program, DataBuilder &data)
      : module(module), program(program), data(data) {}

  LogicalResult emit();

private:
  Datum axes();
  Datum comms();
  FailureOr<Datum> stage(rt::StageOp stage);
  FailureOr<Datum> tensor(rt::BufferOp buffer);
  FailureOr<Datum> input(rt::BufferOp buffer);
  FailureOr<Datum> outputs(rt::StageOp stage, StringRef entry, StringRef prefix,
                           int32_t &count);
  FailureOr<Datum> layout(rt::BufferOp buffer);
  /// `isCopy`: another tensor of the file than the one that is read.
  FailureOr<Datum> source(rt::BufferOp buffer, nn::SourceAttr attr,
                          bool isCopy);
  /// The address of a buffer's source; null where it has none.
  FailureOr<Datum> sharedSource(rt::BufferOp buffer);
  /// The number of an element type of a buffer or its source.
  FailureOr<Datum> dtype(rt::BufferOp buffer, Type element);

  /// The number of a mesh axis, or -1.
  int32_t axisIndex(Attribute name) {
    auto names = program.getAxes();
    const auto *found = llvm::find(names, name);
    return found == names.end() ? -1 : found - names.begin();
  }
  Datum string(std::optional<StringRef> text) {
    return text ? data.addString(*text) : Datum::null();
  }
  Datum stringAttr(Operation *op, StringRef name) {
    auto attr = op->getAttrOfType<StringAttr>(name);
    return attr ? data.addString(attr.getValue()) : Datum::null();
  }

  ModuleOp module;
  rt::ProgramOp program;
  DataBuilder &data;
  /// Sources are shared by a parameter and its states.
  llvm::DenseMap<Attribute, Datum> sources;
};

Datum Descriptor::axes() {
  SmallVector<Datum> all;
  for (auto [name, size] : llvm::zip(program.getAxes(), program.getSizes()))
    all.push_back(Datum::structure(
        {data.addString(cast<StringAttr>(name).getValue()), Datum::i64(size)}));
  return data.addArray("pcc.axes", all);
}

Datum Descriptor::comms() {
  SmallVector<Datum> all;
  for (Attribute comm : program.getComms()) {
    SmallVector<int32_t> indices;
    for (Attribute name : cast<ArrayAttr>(comm))
      indices.push_back(axisIndex(name));
    all.push_back(Datum::structure(
        {Datum::i32(indices.size()), data.addArray("pcc.comm_axes", indices)}));
  }
  return data.addArray("pcc.comms", all);
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

FailureOr<Datum> Descriptor::dtype(rt::BufferOp buffer, Type element) {
  int number = getDType(element);
  if (number < 0)
    return LogicalResult(buffer.emitOpError()
                         << "has elements of type " << element
                         << ", which the runtime does not know");
  return Datum::i32(number);
}

FailureOr<Datum> Descriptor::source(rt::BufferOp buffer, nn::SourceAttr attr,
                                    bool isCopy) {
  Datum file =
      attr.getFile().empty() ? Datum::null() : data.addString(attr.getFile());
  RankedTensorType type = attr.getType();
  FailureOr<Datum> number = dtype(buffer, type.getElementType());
  if (failed(number))
    return failure();
  return Datum::structure(
      {data.addString(attr.getName()), file, Datum::i64(attr.getFileSize()),
       Datum::i64(static_cast<int64_t>(attr.getDigest())),
       Datum::i64(attr.getOffset()), *number, Datum::i32(type.getRank()),
       Datum::i32(!isCopy && buffer->hasAttr("transposed")),
       Datum::i32(!isCopy && buffer->hasAttr("plus_one")),
       data.addArray("pcc.shape", type.getShape()), Datum::i64(attr.getBase()),
       data.addArray("pcc.stride", attr.getStrides().asArrayRef()),
       data.addArray("pcc.valid", attr.getValid().asArrayRef())});
}

FailureOr<Datum> Descriptor::sharedSource(rt::BufferOp buffer) {
  auto attr = buffer->getAttrOfType<nn::SourceAttr>("source");
  if (!attr)
    return Datum::null();
  auto known = sources.find(attr);
  if (known != sources.end())
    return known->second;
  FailureOr<Datum> value = source(buffer, attr, /*isCopy=*/false);
  if (failed(value))
    return failure();
  Datum made = data.add("pcc.source", *value);
  sources.insert({attr, made});
  return made;
}

FailureOr<Datum> Descriptor::tensor(rt::BufferOp buffer) {
  int32_t kind = PCC_SCRATCH;
  if (buffer.getKind() == rt::BufferKind::Param)
    kind = PCC_PARAM;
  else if (buffer.getKind() == rt::BufferKind::State)
    kind = PCC_STATE;
  int32_t init = PCC_INIT_ZERO;
  if (auto name = buffer->getAttrOfType<StringAttr>("init")) {
    std::optional<nn::Init> parsed = nn::symbolizeInit(name.getValue());
    if (!parsed)
      return LogicalResult(buffer.emitOpError()
                           << "has no known initial value " << name);
    switch (*parsed) {
    case nn::Init::Zero:
      init = PCC_INIT_ZERO;
      break;
    case nn::Init::One:
      init = PCC_INIT_ONE;
      break;
    case nn::Init::Normal:
      init = PCC_INIT_NORMAL;
      break;
    case nn::Init::File:
      init = PCC_INIT_FILE;
      break;
    }
  }
  FailureOr<Datum> where = layout(buffer), from = sharedSource(buffer);
  FailureOr<Datum> number =
      dtype(buffer, buffer.getMemRefType().getElementType());
  if (failed(where) || failed(from) || failed(number))
    return failure();
  SmallVector<Datum> copies;
  if (auto attrs = buffer->getAttrOfType<ArrayAttr>("copies"))
    for (auto attr : attrs.getAsRange<nn::SourceAttr>()) {
      FailureOr<Datum> copy = source(buffer, attr, /*isCopy=*/true);
      if (failed(copy))
        return failure();
      copies.push_back(*copy);
    }
  SmallVector<int64_t> uses;
  if (auto attr = buffer->getAttrOfType<DenseI64ArrayAttr>("uses"))
    uses.assign(attr.asArrayRef().begin(), attr.asArrayRef().end());
  return Datum::structure(
      {data.addString(buffer.getSymName()), stringAttr(buffer, "of"),
       Datum::i32(kind), *number, Datum::i32(init),
       Datum::i32(buffer->hasAttr("decay")), *where,
       Datum::i64(*buffer.getOffset()), *from, Datum::i32(copies.size()),
       data.addArray("pcc.copies", copies), Datum::i32(uses.size() / 2),
       data.addArray("pcc.uses", uses)});
}

FailureOr<Datum> Descriptor::input(rt::BufferOp buffer) {
  FailureOr<Datum> where = layout(buffer);
  FailureOr<Datum> number =
      dtype(buffer, buffer.getMemRefType().getElementType());
  if (failed(where) || failed(number))
    return failure();
  auto ids = nn::IdBound::from(buffer->getAttr(nn::kIdsAttr));
  return Datum::structure(
      {stringAttr(buffer, "role"), stringAttr(buffer, "name"), *number,
       Datum::i32(ids && ids->isOfLoss), *where,
       Datum::i64(*buffer.getOffset()),
       Datum::i64(buffer.getSlots() > 1 ? buffer.getSlotBytes() : 0),
       Datum::i64(ids ? ids->below : 0), data.addString(ids ? ids->node : "")});
}

/// The outputs that an entry point hands to its tasks.
SmallVector<rt::BufferOp> outputsOf(rt::StageOp stage, StringRef entry) {
  SymbolTable symbols(stage);
  SmallVector<rt::BufferOp> outputs;
  if (auto function = symbols.lookup<rt::FuncOp>(entry))
    for (auto address : function.getBlock()->getOps<rt::AddressOp>()) {
      auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
      if (buffer.getKind() == rt::BufferKind::Output &&
          !llvm::is_contained(outputs, buffer))
        outputs.push_back(buffer);
    }
  return outputs;
}

/// The array of what an entry point gives; `prefix` is no part of the names.
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
         Datum::i32(getDType(buffer.getMemRefType().getElementType())), *where,
         Datum::i64(*buffer.getOffset())}));
  }
  count = all.size();
  return data.addArray("pcc.outputs", all);
}

FailureOr<Datum> Descriptor::stage(rt::StageOp stage) {
  SmallVector<Datum> tensors, inputs;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    if (int(buffer.getKind()) <= int(rt::BufferKind::Sum)) {
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
  return Datum::structure(
      {Datum::i64(*stage.getArena()), Datum::i32(tensors.size()),
       Datum::i32(inputs.size()), Datum::i32(trained),
       data.addArray("pcc.tensors", tensors),
       data.addArray("pcc.inputs", inputs), *train, entry(rt::kTrainEntry),
       entry(rt::kEvaluateEntry), Datum::i32(evaluated), *evaluate,
       entry(rt::kForwardEntry), Datum::i32(forwarded), *forward});
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
  data.addPublic(
      "pcc_the_program",
      Datum::structure(
          {Datum::i32(PCC_ABI_VERSION),
           data.addString(program.getModel().value_or("program")),
           string(program.getSource()),
           data.addString(program.getSummary().value_or("")),
           Datum::i32(program.getAxes().size()), axes(),
           Datum::i32(stages.size()), data.addArray("pcc.stages", stages),
           Datum::i32(program.getComms().size()), comms(),
           Datum::i64(program.getSeq()), Datum::i64(program.getMicroBatch()),
           Datum::i64(program.getMicrobatches()),
           Datum::i64(program.getAxisSize("dp")),
           Datum::i64(program.getParameters()),
           Datum::f64(program.getFlopsPerStep().convertToDouble()),
           Datum::i32(implications.size()),
           data.addArray("pcc.implied", implications)}));
  return success();
}

} // namespace

LogicalResult pcc::emitDescriptor(ModuleOp module, DataBuilder &data) {
  auto programs = module.getOps<rt::ProgramOp>();
  if (programs.empty())
    return module.emitError("has no rt.program");
  return Descriptor(module, *programs.begin(), data).emit();
}
