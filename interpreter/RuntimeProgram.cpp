//===- RuntimeProgram.cpp - What the runtime fills, for a module ----------===//

#include "interpreter/RuntimeProgram.h"
#include "dialects/NN/AttrNames.h"
#include "runtime/support/DType.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// The runtime's name of an element type, or -1.
static int32_t dtypeOf(Type type) {
  if (type.isF32())
    return PCC_F32;
  if (type.isF64())
    return PCC_F64;
  if (type.isBF16())
    return PCC_BF16;
  if (type.isF16())
    return PCC_F16;
  if (type.isInteger(64))
    return PCC_I64;
  if (type.isInteger(32))
    return PCC_I32;
  return -1;
}

const char *RuntimeProgram::keep(StringRef text) {
  return texts.emplace_back(text.str()).c_str();
}

const int64_t *RuntimeProgram::keep(ArrayRef<int64_t> list) {
  return numbers.emplace_back(list.begin(), list.end()).data();
}

int64_t RuntimeProgram::allocate(int64_t bytes) {
  int64_t offset = arena.size();
  arena.resize(offset + (bytes + 63) / 64 * 64);
  return offset;
}

pcc_layout RuntimeProgram::layoutOf(RankedTensorType type) {
  pcc_layout layout = {};
  layout.rank = type.getRank();
  layout.shape = keep(type.getShape());
  layout.axis_begin = axisLists.emplace_back(type.getRank() + 1).data();
  return layout;
}

static LogicalResult unsupported(Operation *op, Type type) {
  return op->emitError() << "element type " << type
                         << " is none that the runtime can fill";
}

LogicalResult RuntimeProgram::addParam(Operation *op, StringRef name,
                                       RankedTensorType type) {
  auto param = cast<nn::ParamOp>(op);
  pcc_tensor tensor = {};
  tensor.name = keep(name);
  tensor.kind = PCC_PARAM;
  tensor.dtype = dtypeOf(type.getElementType());
  if (tensor.dtype < 0)
    return unsupported(op, type);
  switch (param.getInit()) {
  case nn::Init::Zero:
    tensor.init = PCC_INIT_ZERO;
    break;
  case nn::Init::One:
    tensor.init = PCC_INIT_ONE;
    break;
  case nn::Init::Normal:
    tensor.init = PCC_INIT_NORMAL;
    break;
  case nn::Init::File:
    tensor.init = PCC_INIT_FILE;
    break;
  }
  tensor.decay = param.getDecay();
  tensor.layout = layoutOf(type);
  tensor.arena_offset = allocate(type.getNumElements() * sizeOf(tensor.dtype));
  if (nn::SourceAttr from = param.getSourceAttr()) {
    pcc_source &source = sources.emplace_back();
    source.name = keep(from.getName());
    source.file = from.getFile().empty() ? nullptr : keep(from.getFile());
    source.file_size = from.getFileSize();
    source.file_digest = from.getDigest();
    source.offset = from.getOffset();
    source.dtype = dtypeOf(from.getType().getElementType());
    if (source.dtype < 0)
      return unsupported(op, from.getType());
    source.rank = from.getType().getRank();
    source.transposed = param->hasAttr(nn::kTransposedAttr);
    source.plus_one = param->hasAttr(nn::kPlusOneAttr);
    source.shape = keep(from.getType().getShape());
    source.base = from.getBase();
    source.stride = keep(from.getStrides().asArrayRef());
    source.valid = keep(from.getValid().asArrayRef());
    tensor.source = &source;
  }
  tensors.push_back(tensor);
  tensorTypes.push_back(type);
  return success();
}

LogicalResult RuntimeProgram::addInput(ModuleOp module, const InputInfo &info) {
  pcc_input input = {};
  input.role = keep(info.roleName());
  input.name = keep(info.name);
  input.dtype = dtypeOf(info.type.getElementType());
  if (input.dtype < 0)
    return unsupported(module, info.type);
  input.layout = layoutOf(info.type);
  input.vocab = info.vocab;
  input.of_loss = info.isOfLoss;
  input.looked_up_by = keep(info.lookedUpBy);
  int64_t bytes = info.type.getNumElements() * sizeOf(input.dtype);
  input.slot_bytes = info.isPerMicrobatch ? (bytes + 63) / 64 * 64 : 0;
  input.arena_offset = allocate(
      info.isPerMicrobatch ? input.slot_bytes * program.microbatches : bytes);
  if (info.role == nn::InputRole::Tokens && info.type.getRank() == 2)
    program.seq = info.type.getDimSize(1);
  inputs.push_back(input);
  inputTypes.push_back(info.type);
  return success();
}

FailureOr<std::unique_ptr<RuntimeProgram>>
RuntimeProgram::create(Machine &machine, ArrayRef<InputInfo> inputs,
                       int64_t microbatches, int64_t microBatch) {
  std::unique_ptr<RuntimeProgram> self(new RuntimeProgram());
  ModuleOp module = machine.getModule();
  self->program.abi_version = PCC_ABI_VERSION;
  self->program.model = "interpreted";
  self->program.microbatches = microbatches;
  self->program.micro_batch = microBatch;
  self->program.data_parallel = 1;
  for (auto param : module.getOps<nn::ParamOp>()) {
    StringRef name = param.getSymName();
    if (failed(
            self->addParam(param, name, machine.symbolPlacement(name)->global)))
      return failure();
  }
  for (const InputInfo &info : inputs)
    if (failed(self->addInput(module, info)))
      return failure();
  self->stage.arena_bytes = self->arena.size();
  self->stage.n_tensors = self->tensors.size();
  self->stage.tensors = self->tensors.data();
  self->stage.n_inputs = self->inputs.size();
  self->stage.inputs = self->inputs.data();
  self->program.n_stages = 1;
  self->program.stages = &self->stage;
  checkInputs(self->stage);
  return self;
}

Tensor RuntimeProgram::read(int64_t offset, RankedTensorType type) const {
  Tensor tensor(type);
  int32_t dtype = dtypeOf(type.getElementType());
  const char *from = arena.data() + offset;
  if (tensor.isFloat()) {
    convert(tensor.real.data(), PCC_F64, 1, from, dtype, 1, tensor.size());
    return tensor;
  }
  for (int64_t i = 0; i < tensor.size(); ++i)
    switch (sizeOf(dtype)) {
    case 8:
      tensor.integer[i] = reinterpret_cast<const int64_t *>(from)[i];
      break;
    case 4:
      tensor.integer[i] = reinterpret_cast<const int32_t *>(from)[i];
      break;
    case 2:
      tensor.integer[i] = reinterpret_cast<const int16_t *>(from)[i];
      break;
    default:
      tensor.integer[i] = from[i];
    }
  return tensor;
}

void RuntimeProgram::fillParameters(Machine &machine,
                                    const InitialValues &values,
                                    StringRef model) {
  SourceFiles files(program, model.str());
  pcc::fillParameters(program, stage, {}, arena.data(), values, files);
  for (auto [tensor, type] : llvm::zip_equal(tensors, tensorTypes))
    machine.writeSymbol(tensor.name, read(tensor.arena_offset, type));
}

void RuntimeProgram::fillInputs(const Dataset &data, const DataOrder &order,
                                const StepValues &values) {
  checkSamples(program, data, order, values.step);
  pcc::fillInputs(program, stage, {}, arena.data(), data, order, values);
}

TensorRef RuntimeProgram::getInput(unsigned input, int64_t microbatch) const {
  int64_t offset = inputs[input].arena_offset;
  if (inputs[input].slot_bytes)
    offset += inputs[input].slot_bytes * microbatch;
  return std::make_shared<Tensor>(read(offset, inputTypes[input]));
}
