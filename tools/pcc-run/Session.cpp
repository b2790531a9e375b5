//===- Session.cpp - One run of pcc-run -----------------------------------===//

#include "tools/pcc-run/Session.h"
#include "dialects/NN/Names.h"
#include "interpreter/Compare.h"
#include "interpreter/GradientCheck.h"
#include "interpreter/Pipeline.h"
#include "interpreter/ValueCheck.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

Session::Session(CommandLine &options, ModuleOp module, ModuleOp other)
    : options(options), module(module),
      machine(module, options.exact || options.checkGradients),
      fill{options.fill, options.vocab} {
  if (other)
    this->other.emplace(other, machine.isExact());
}

TensorRef Session::lookup(StringRef key) {
  if (key.consume_front("@")) {
    if (arenas && !arenas->getSymbols().contains(key))
      return nullptr;
    FailureOr<TensorRef> value =
        arenas ? arenas->readSymbol(key) : machine.readSymbol(key);
    return failed(value) ? nullptr : *value;
  }
  size_t index;
  if (key.getAsInteger(10, index))
    index = llvm::find(resultNames, key) - resultNames.begin();
  return index < results.size() ? results[index] : nullptr;
}

LogicalResult Session::setSymbols(Machine &machine) {
  for (Operation &op : *machine.getModule().getBody()) {
    // Buckets and shards are set by their members.
    if (!isa<nn::ParamOp, nn::StateOp>(op) || nn::isAlias(&op))
      continue;
    StringRef name = cast<SymbolOpInterface>(op).getName();
    RankedTensorType type = machine.symbolPlacement(name)->global;
    std::string key = ("@" + name).str();
    if (given.has(key)) {
      auto value = given.get(key, type);
      if (!value)
        return op.emitError(llvm::toString(value.takeError()));
      machine.writeSymbol(name, *value);
    } else if (auto param = dyn_cast<nn::ParamOp>(op); param && fills()) {
      machine.writeSymbol(name, fill.parameter(name, param.getInit(), type));
    }
  }
  return success();
}

LogicalResult Session::setSymbols(ArenaMachine &machine) {
  for (const auto &[name, symbol] : machine.getSymbols()) {
    std::string key = ("@" + name).str();
    if (given.has(key)) {
      auto value = given.get(key, symbol.type);
      if (!value)
        return symbol.buffer->emitError(llvm::toString(value.takeError()));
      machine.writeSymbol(name, *value);
    } else if (symbol.isParam && fills()) {
      machine.writeSymbol(name, fill.parameter(name, symbol.init, symbol.type));
    }
  }
  return success();
}

LogicalResult Session::setAllSymbols() {
  if (failed(arenas ? setSymbols(*arenas) : setSymbols(machine)))
    return failure();
  return other ? setSymbols(*other) : success();
}

FailureOr<Tensor> Session::makeInput(Operation *op, const InputInfo &info,
                                     int64_t index, int64_t microbatch) {
  for (const std::string &key :
       {info.name + "#" + std::to_string(microbatch), info.name,
        info.roleName(), std::to_string(index)}) {
    if (!given.has(key))
      continue;
    auto value = given.get(key, info.type);
    if (!value)
      return op->emitError(llvm::toString(value.takeError()));
    reorder(*value, info.order);
    return *value;
  }
  if (fills()) {
    auto value = fill.input(info, microbatch);
    if (!value)
      return op->emitError(llvm::toString(value.takeError()));
    reorder(*value, info.order);
    return *value;
  }
  InFlightDiagnostic diag = op->emitError() << "input #" << index << " '"
                                            << info.name << "' has no value";
  diag.attachNote() << "give it with --arg " << info.name
                    << "=..., or generate all missing inputs with --fill";
  return diag;
}

FailureOr<ValueList> Session::makeArguments(Machine &machine,
                                            func::FuncOp function) {
  ValueList values;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!isa<RankedTensorType>(function.getArgument(i).getType()))
      return function.emitError() << "argument #" << i << " is not a tensor";
    InputInfo info = argumentInfo(
        function, i, machine.argumentPlacement(function, i).global);
    FailureOr<Tensor> value = makeInput(function, info, i, 0);
    if (failed(value))
      return failure();
    roundElements(*value, machine.isExact());
    values.push_back(std::make_shared<Tensor>(std::move(*value)));
  }
  return values;
}

int Session::show() {
  SmallVector<std::string> keys(options.show.begin(), options.show.end());
  if (keys.empty())
    for (size_t i = 0; i < results.size(); ++i)
      keys.push_back(resultNames.empty() ? std::to_string(i) : resultNames[i]);
  if (keys == SmallVector<std::string>{"none"})
    keys.clear();
  for (StringRef key : keys) {
    TensorRef value = lookup(key);
    if (!value)
      return usage("there is no result or symbol '" + key + "' to print");
    printTensor(llvm::outs(),
                key.starts_with("@") ? key.str() : "result " + key.str(),
                *value, options.maxElements);
  }
  for (StringRef pair : options.save) {
    auto [key, file] = pair.split('=');
    TensorRef value = lookup(key);
    if (!value)
      return usage("there is no result or symbol '" + key + "' to save");
    if (llvm::Error error = writeNpy(file, *value))
      return usage(llvm::toString(std::move(error)));
  }
  return kDone;
}

int Session::compare() {
  int code = kDone;
  for (StringRef key : wanted.keys()) {
    TensorRef found = lookup(key);
    if (!found)
      return usage("there is no result or symbol '" + key + "' to compare");
    auto expected = wanted.get(key, found->type);
    if (!expected)
      return usage(llvm::toString(expected.takeError()));
    Difference gap = difference(*found, *expected);
    bool close = gap.within(options.rtol);
    llvm::outs() << (close ? "ok    " : "WRONG ") << key << ": " << gap.text()
                 << '\n';
    if (!close)
      code = kFailed;
  }
  return code;
}

int Session::checkGradients() {
  Machine &lossMachine = other ? *other : machine;
  GradientCheckOptions check;
  check.samples = options.samples;
  check.loss = lossMachine.getModule().lookupSymbol<func::FuncOp>(nn::kLoss);
  check.gradient = module.lookupSymbol<func::FuncOp>(nn::kMicrobatch);
  if (!check.loss)
    return usage("there is no function @loss to check gradients of");
  if (!check.gradient)
    return usage("there is no function @microbatch to check");
  FailureOr<ValueList> lossArgs = makeArguments(lossMachine, check.loss);
  FailureOr<ValueList> gradientArgs = makeArguments(machine, check.gradient);
  if (failed(lossArgs) || failed(gradientArgs))
    return kFailed;
  return succeeded(interp::checkGradients(lossMachine, *lossArgs, machine,
                                          *gradientArgs, check, options.fill,
                                          llvm::outs()))
             ? kDone
             : kFailed;
}

int Session::runEntries() {
  SmallVector<func::FuncOp> entries;
  for (StringRef name : options.entries) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return usage("there is no function @" + name);
    entries.push_back(function);
  }
  if (entries.empty()) {
    llvm::append_range(entries, module.getOps<func::FuncOp>());
    if (entries.size() != 1)
      return usage("the module has " + Twine(entries.size()) +
                   " functions; name one with --entry");
  }
  std::optional<ValueCheck> check;
  if (other)
    check.emplace(*other, machine, options.rtol);
  // A microbatch's gradients are reduced before the next function runs.
  auto reduce = module.lookupSymbol<func::FuncOp>(nn::kReduce);
  bool isReduced = true;
  for (func::FuncOp function : entries) {
    FailureOr<ValueList> values = makeArguments(machine, function);
    if (failed(values))
      return kFailed;
    if (!isReduced && failed(machine.call(reduce, {})))
      return kFailed;
    isReduced = !reduce || function.getSymName() != nn::kMicrobatch;
    // The weights are gathered from the ranks' shards.
    StringRef name = function.getSymName();
    auto gather = module.lookupSymbol<func::FuncOp>(nn::kGather);
    if (gather && (name == nn::kMicrobatch || name == nn::kEvaluate) &&
        failed(machine.call(gather, {})))
      return kFailed;
    FailureOr<ValueList> outcome =
        check ? check->call(function.getSymName(), *values)
              : machine.call(function, *values);
    if (failed(outcome))
      return kFailed;
    results = *outcome;
  }
  if (check && failed(check->compareSymbols()))
    return kFailed;
  if (check)
    llvm::outs() << check->summary();
  return report();
}

/// Runs one step of an entry point's schedules.
int Session::runSchedules() {
  StringRef name = options.entries.empty() ? StringRef("train")
                                           : StringRef(options.entries[0]);
  std::optional<pipe::Entry> entry = pipe::symbolizeEntry(name);
  if (!entry || options.entries.size() > 1)
    return usage("--entry of a program with schedules is train or evaluate");
  Pipeline pipeline(machine, *entry);
  if (failed(pipeline.check()))
    return kFailed;
  llvm::DenseMap<std::pair<Operation *, int64_t>, TensorRef> inputs;
  for (auto [i, input] : llvm::enumerate(module.getOps<pipe::InputOp>())) {
    InputInfo info = inputInfo(input, pipeline.placement(input).global);
    for (int64_t microbatch = 0; microbatch < pipeline.getMicrobatches();
         ++microbatch) {
      FailureOr<Tensor> value = makeInput(input, info, i, microbatch);
      if (failed(value))
        return kFailed;
      roundElements(*value, machine.isExact());
      inputs[{input, microbatch}] = std::make_shared<Tensor>(std::move(*value));
    }
  }
  auto outputs = pipeline.run([&](pipe::InputOp input, int64_t microbatch) {
    return inputs.lookup({input, std::max<int64_t>(microbatch, 0)});
  });
  if (failed(outputs))
    return kFailed;
  for (auto output : module.getOps<pipe::OutputOp>())
    if (TensorRef value = outputs->lookup(output.getName())) {
      resultNames.push_back(output.getName().str());
      results.push_back(value);
    }
  return report();
}

/// Runs an entry point of an rt program once.
int Session::runArenas() {
  StringRef name = options.entries.empty() ? StringRef(rt::kTrainEntry)
                                           : StringRef(options.entries[0]);
  if (options.entries.size() > 1)
    return usage("--entry of an rt program is one of its entry points");
  for (auto [i, input] : llvm::enumerate(arenas->getInputs()))
    for (int64_t slot = 0; slot < input.slots; ++slot) {
      FailureOr<Tensor> value = makeInput(module, input.info, i, slot);
      if (failed(value))
        return kFailed;
      arenas->writeInput(input, slot, *value);
    }
  auto outputs = arenas->run(name);
  if (failed(outputs))
    return kFailed;
  for (const auto &[output, value] : *outputs) {
    resultNames.push_back(output);
    results.push_back(value);
  }
  return report();
}

int Session::report() {
  if (std::string key = given.unused(); !key.empty())
    return usage("there is no argument or symbol '" + key + "'");
  int shown = show();
  return std::max(shown, compare());
}

int Session::listMissing() {
  int code = kDone;
  for (RegisteredOperationName op :
       module.getContext()->getRegisteredOperations()) {
    StringRef dialect = op.getDialectNamespace();
    bool isDeclaration = llvm::is_contained({nn::ParamOp::getOperationName(),
                                             nn::StateOp::getOperationName(),
                                             dist::MeshOp::getOperationName()},
                                            op.getStringRef());
    if ((dialect != "nn" && dialect != "dist") || isDeclaration ||
        machine.canRun(op.getStringRef()))
      continue;
    llvm::outs() << op.getStringRef() << '\n';
    code = kFailed;
  }
  return code;
}

int Session::run() {
  if (options.missing)
    return listMissing();
  if (llvm::Error error = given.add(options.args, options.inputs))
    return usage(llvm::toString(std::move(error)));
  if (llvm::Error error = wanted.add(options.expect, options.expected))
    return usage(llvm::toString(std::move(error)));
  if (!module.getOps<rt::ProgramOp>().empty()) {
    if (other || options.checkGradients)
      return usage("an rt program can only be run and trained; compare its "
                   "results with those of another phase's program");
    auto created = ArenaMachine::create(
        module, options.exact,
        {options.streamSeed, /*reportsRaces=*/!options.allowRaces});
    if (failed(created))
      return kFailed;
    arenas = std::move(*created);
  }
  if (failed(setAllSymbols()))
    return kFailed;
  if (options.checkGradients)
    return checkGradients();
  if (!options.training.data.empty())
    return train();
  if (arenas)
    return runArenas();
  if (!module.getOps<pipe::ScheduleOp>().empty())
    return runSchedules();
  return runEntries();
}
