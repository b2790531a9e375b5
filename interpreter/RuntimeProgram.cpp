//===- RuntimeProgram.cpp - A module described to the runtime -------------===//

#include "interpreter/RuntimeProgram.h"
#include "analysis/ElementTypes.h"
#include "analysis/TensorRecords.h"
#include "dialects/NN/AttrNames.h"
#include "interpreter/Elements.h"
#include "runtime/support/DType.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::interp;

int64_t RuntimeProgram::allocate(int64_t bytes) {
  int64_t offset = arena.size();
  arena.resize(offset + llvm::alignTo(bytes, PCC_ALIGNMENT));
  return offset;
}

pcc_layout RuntimeProgram::layoutOf(RankedTensorType type) {
  pcc_layout layout = {};
  layout.rank = type.getRank();
  layout.shape = records.keep(type.getShape());
  layout.axis_begin = axisLists.emplace_back(type.getRank() + 1).data();
  return layout;
}

static LogicalResult unsupported(Operation *op, Type type) {
  return op->emitError() << "element type " << type
                         << " is not supported by the runtime";
}

LogicalResult RuntimeProgram::addParam(Operation *op, StringRef name,
                                       RankedTensorType type) {
  FailureOr<pcc_tensor> made =
      records.encode(name, type, cast<nn::ParamOp>(op).getRecord(),
                     [&](Type element) { return unsupported(op, element); });
  if (failed(made))
    return failure();
  pcc_tensor tensor = *made;
  tensor.kind = PCC_PARAM;
  tensor.layout = layoutOf(type);
  tensor.arena_offset = allocate(type.getNumElements() * sizeOf(tensor.dtype));
  tensors.push_back(tensor);
  tensorTypes.push_back(type);
  return success();
}

LogicalResult RuntimeProgram::addInput(ModuleOp module, const InputInfo &info) {
  pcc_input input = {};
  input.role = records.keep(info.roleName());
  input.name = records.keep(info.name);
  input.dtype = dtypeOf(info.type.getElementType());
  if (input.dtype < 0)
    return unsupported(module, info.type);
  input.layout = layoutOf(info.type);
  input.vocab = info.vocab;
  input.of_loss = info.isOfLoss;
  input.looked_up_by = records.keep(info.lookedUpBy);
  int64_t bytes = info.type.getNumElements() * sizeOf(input.dtype);
  input.slot_bytes =
      info.isPerMicrobatch ? llvm::alignTo(bytes, PCC_ALIGNMENT) : 0;
  input.arena_offset = allocate(
      info.isPerMicrobatch ? input.slot_bytes * program.microbatches : bytes);
  auto number = [](std::optional<unsigned> dim) {
    return dim ? static_cast<int32_t>(*dim) : -1;
  };
  input.batch_dim = number(info.dims.batch);
  input.sequence_dim = number(info.dims.sequence);
  std::tie(input.order_ranks, input.order_dims) = encodeOrder(info.order);
  if (info.role == nn::InputRole::Tokens && info.dims.sequence)
    program.seq = info.type.getDimSize(*info.dims.sequence);
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
  readElements(arena.data() + offset, dtype, tensor, 0, tensor.size());
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
