//===- Training.cpp - Training steps of any stage's program ---------------===//

#include "interpreter/Training.h"
#include "interpreter/Fill.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

unsigned Training::addInput(InputInfo info) {
  // Positions are looked up in tables too, but come from no file.
  if (info.role != "tokens" && info.role != "targets")
    info.vocab = 0;
  for (auto [i, known] : llvm::enumerate(inputs))
    if (known.role == info.role && known.name == info.name) {
      known.vocab = std::max(known.vocab, info.vocab);
      known.isPerMicrobatch |= info.isPerMicrobatch;
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
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringRef role = argumentRole(function, i);
    inputsOf[function].push_back(
        addInput({role.str(), argumentName(function, i),
                  machine.argumentPlacement(function, i).global,
                  pipe::isPerMicrobatchRole(role),
                  vocabularyOf(function.getArgument(i))}));
  }
  return function;
}

LogicalResult Training::addPipelineInputs() {
  pipeline = std::make_unique<Pipeline>(machine, pipe::Entry::Train);
  if (failed(pipeline->check()))
    return failure();
  ModuleOp module = machine.getModule();
  for (auto input : module.getOps<pipe::InputOp>()) {
    // Its ids are looked up where a task takes it.
    int64_t vocab = 0;
    for (auto task : module.getOps<pipe::TaskOp>())
      for (auto [i, argument] :
           llvm::enumerate(task.getBlock()->getArguments()))
        if (task.getSource(i) == input.getSymName())
          vocab = std::max(vocab, vocabularyOf(argument));
    Placement placement =
        placementOf(input->getDiscardableAttrDictionary(),
                    input.getTensorType(), machine.getGrid().getMesh());
    inputsOf[input].push_back(
        addInput({input.getRole().str(), input.getName().str(),
                  placement.global, input.isPerMicrobatch(), vocab}));
  }
  return success();
}

FailureOr<std::unique_ptr<Training>> Training::create(Machine &machine,
                                                      int64_t microbatches) {
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
    FailureOr<func::FuncOp> microbatch = self->addFunction("microbatch");
    FailureOr<func::FuncOp> update = self->addFunction("update");
    if (failed(microbatch) || failed(update))
      return failure();
    self->microbatch = *microbatch;
    self->update = *update;
  }
  auto program = RuntimeProgram::create(machine, self->inputs,
                                        std::max<int64_t>(microbatches, 1));
  if (failed(program))
    return failure();
  self->program = std::move(*program);
  return self;
}

FailureOr<ValueList> Training::call(func::FuncOp function, int64_t microbatch) {
  ValueList args;
  for (unsigned input : inputsOf[function])
    args.push_back(program->getInput(input, std::max<int64_t>(microbatch, 0)));
  return machine.call(function, args, microbatch);
}

FailureOr<StepOutputs> Training::step() {
  if (pipeline) {
    auto outputs = pipeline->run([&](pipe::InputOp input, int64_t microbatch) {
      return program->getInput(inputsOf[input].front(), microbatch);
    });
    if (failed(outputs))
      return failure();
    TensorRef loss = outputs->lookup("loss"), norm = outputs->lookup("norm");
    if (!loss || !norm)
      return machine.getModule().emitError(
          "gives no outputs \"loss\" and \"norm\"");
    return StepOutputs{loss->real[0], norm->real[0]};
  }
  for (int64_t i = 0; i < program->get().microbatches; ++i)
    if (failed(call(microbatch, i)))
      return failure();
  FailureOr<ValueList> results = call(update, -1);
  if (failed(results))
    return failure();
  if (results->size() != 2)
    return update.emitError("must return the loss and the gradient norm");
  return StepOutputs{(*results)[0]->real[0], (*results)[1]->real[0]};
}
