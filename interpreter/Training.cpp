//===- Training.cpp - Execution of training steps -------------------------===//

#include "interpreter/Training.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "interpreter/Fill.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

unsigned Training::addInput(InputInfo info) {
  for (auto [i, known] : llvm::enumerate(inputs))
    if (known.role == info.role && known.name == info.name) {
      if (info.vocab > known.vocab) {
        known.vocab = info.vocab;
        known.lookedUpBy = info.lookedUpBy;
      }
      return i;
    }
  inputs.push_back(std::move(info));
  return inputs.size() - 1;
}

FailureOr<func::FuncOp> Training::addFunction(StringRef name) {
  auto function = machine.getModule().lookupSymbol<func::FuncOp>(name);
  if (!function)
    return machine.getModule().emitError()
           << "has neither schedules nor a function @" << name;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    inputsOf[function].push_back(addInput(argumentInfo(
        function, i, machine.argumentPlacement(function, i).global)));
  return function;
}

LogicalResult Training::addPipelineInputs() {
  pipeline = std::make_unique<Pipeline>(machine, pipe::Entry::Train);
  if (failed(pipeline->check()))
    return failure();
  for (auto input : machine.getModule().getOps<pipe::InputOp>())
    inputsOf[input].push_back(
        addInput(inputInfo(input, pipeline->placement(input).global)));
  return success();
}

LogicalResult Training::readData(int64_t microbatches, DataSource source) {
  for (auto [i, info] : llvm::enumerate(inputs)) {
    if (!info.role || !nn::isNamed(*info.role) || !source) {
      unsigned number = filled.size();
      filled[i] = number;
      continue;
    }
    for (int64_t microbatch = 0; microbatch < microbatches; ++microbatch) {
      FailureOr<Tensor> value = source(info, microbatch);
      if (failed(value))
        return failure();
      reorder(*value, info.order);
      roundElements(*value, machine.isExact());
      data[{i, microbatch}] = std::make_shared<Tensor>(std::move(*value));
    }
  }
  return success();
}

TensorRef Training::getInput(unsigned input, int64_t microbatch) const {
  auto it = filled.find(input);
  return it == filled.end() ? data.lookup({input, microbatch})
                            : program->getInput(it->second, microbatch);
}

FailureOr<std::unique_ptr<Training>>
Training::create(Machine &machine, int64_t microbatches, DataSource data) {
  std::unique_ptr<Training> self(new Training(machine));
  if (!machine.getModule().getOps<pipe::ScheduleOp>().empty()) {
    if (failed(self->addPipelineInputs()))
      return failure();
    int64_t scheduled = self->pipeline->getMicrobatches();
    if (microbatches && microbatches != scheduled)
      return machine.getModule().emitError()
             << "is scheduled for " << scheduled << " microbatches, not "
             << microbatches;
    microbatches = scheduled;
  } else {
    FailureOr<func::FuncOp> microbatch = self->addFunction(nn::kMicrobatch);
    FailureOr<func::FuncOp> update = self->addFunction(nn::kUpdate);
    if (failed(microbatch) || failed(update))
      return failure();
    if (machine.getModule().lookupSymbol(nn::kCounts)) {
      FailureOr<func::FuncOp> counts = self->addFunction(nn::kCounts);
      if (failed(counts))
        return failure();
      self->counts = *counts;
    }
    if (machine.getModule().lookupSymbol(nn::kGather)) {
      FailureOr<func::FuncOp> gather = self->addFunction(nn::kGather);
      if (failed(gather))
        return failure();
      self->gather = *gather;
    }
    if (machine.getModule().lookupSymbol(nn::kReduce)) {
      FailureOr<func::FuncOp> reduce = self->addFunction(nn::kReduce);
      if (failed(reduce))
        return failure();
      self->reduce = *reduce;
    }
    self->microbatch = *microbatch;
    self->update = *update;
  }
  microbatches = std::max<int64_t>(microbatches, 1);
  if (failed(self->readData(microbatches, data)))
    return failure();
  SmallVector<InputInfo> filled;
  int64_t microBatch = 0;
  for (auto [i, info] : llvm::enumerate(self->inputs)) {
    if (info.dims.batch)
      microBatch = info.type.getDimSize(*info.dims.batch);
    if (self->filled.contains(i))
      filled.push_back(info);
  }
  if (!microBatch)
    return machine.getModule().emitError(
        "takes no input with a row per sample: none of role \"tokens\", "
        "\"targets\", \"labels\" or \"data\"");
  auto program =
      RuntimeProgram::create(machine, filled, microbatches, microBatch);
  if (failed(program))
    return failure();
  self->program = std::move(*program);
  return self;
}

void Training::writeNumber(StringRef name, double value) {
  std::optional<Placement> place = machine.symbolPlacement(name);
  if (!place)
    return;
  Tensor number(place->global);
  number.set(0, value);
  machine.writeSymbol(name, number);
}

FailureOr<ValueList> Training::call(func::FuncOp function, int64_t microbatch) {
  ValueList args;
  for (unsigned input : inputsOf[function])
    args.push_back(getInput(input, std::max<int64_t>(microbatch, 0)));
  return machine.call(function, args, microbatch);
}

/// Returns a function's result of this name; null if there is none.
static TensorRef resultNamed(func::FuncOp function, const ValueList &results,
                             StringRef name) {
  for (auto [i, value] : llvm::enumerate(results))
    if (function.getResultAttrOfType<StringAttr>(i, nn::kNameAttr) ==
        StringAttr::get(function.getContext(), name))
      return value;
  return nullptr;
}

FailureOr<StepOutputs> Training::step() {
  auto numberOf = [](TensorRef value) {
    return value ? std::optional(value->real[0]) : std::nullopt;
  };
  if (pipeline) {
    auto outputs = pipeline->run([&](pipe::InputOp input, int64_t microbatch) {
      return getInput(inputsOf[input].front(),
                      std::max<int64_t>(microbatch, 0));
    });
    if (failed(outputs))
      return failure();
    TensorRef loss = outputs->lookup(nn::kLossResult),
              norm = outputs->lookup(nn::kNormResult);
    if (!loss || !norm)
      return machine.getModule().emitError(
          "has no outputs \"loss\" and \"norm\"");
    return StepOutputs{loss->real[0], norm->real[0],
                       numberOf(outputs->lookup(nn::kLossScale)),
                       numberOf(outputs->lookup(nn::kAuxResult)),
                       numberOf(outputs->lookup(nn::kLoadResult))};
  }
  machine.beginEntry();
  if (gather && failed(call(gather, -1)))
    return failure();
  for (func::FuncOp function : {counts, microbatch})
    for (int64_t i = 0; function && i < program->get().microbatches; ++i)
      if (failed(call(function, i)) ||
          (function == microbatch && reduce && failed(call(reduce, -1))))
        return failure();
  FailureOr<ValueList> results = call(update, -1);
  if (failed(results))
    return failure();
  if (results->size() < 2)
    return update.emitError("must return the loss and the gradient norm");
  return StepOutputs{(*results)[0]->real[0], (*results)[1]->real[0],
                     numberOf(resultNamed(update, *results, nn::kLossScale)),
                     numberOf(resultNamed(update, *results, nn::kAuxResult)),
                     numberOf(resultNamed(update, *results, nn::kLoadResult))};
}
