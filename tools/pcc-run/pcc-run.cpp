//===- pcc-run.cpp - Interprets programs on virtual ranks -----------------===//

#include "interpreter/Arrays.h"
#include "interpreter/GradientCheck.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;
namespace cl = llvm::cl;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2 };

cl::OptionCategory category("pcc-run");

struct CommandLine {
  cl::opt<std::string> input{cl::Positional, cl::desc("<module.mlir | ->"),
                             cl::init("-"), cl::cat(category)};
  cl::list<std::string> entries{
      "entry",
      cl::desc("Functions to run, one after the other on the same "
               "parameters and states (default: the only one)"),
      cl::CommaSeparated, cl::value_desc("name,..."), cl::cat(category)};
  cl::list<std::string> args{
      "arg",
      cl::desc("Value of an argument (by name, role or index) or of a "
               "parameter or state (@name): nested lists, or a .npy or JSON "
               "file"),
      cl::value_desc("key=value"), cl::cat(category)};
  cl::opt<std::string> inputs{
      "inputs", cl::desc("JSON file with an object of such keys and values"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<uint64_t> fill{
      "fill", cl::desc("Makes up what is not given, by role and type"),
      cl::value_desc("seed"), cl::cat(category)};
  cl::opt<int64_t> vocab{
      "vocab", cl::desc("Bound of the token ids that --fill makes up"),
      cl::init(0), cl::cat(category)};
  cl::opt<bool> exact{"exact",
                      cl::desc("Computes in f64 whatever the declared types"),
                      cl::cat(category)};
  cl::list<std::string> show{
      "print",
      cl::desc("Results (by index) and symbols (@name) to print "
               "(default: all results; none)"),
      cl::CommaSeparated, cl::value_desc("key,..."), cl::cat(category)};
  cl::opt<int64_t> maxElements{"max-elements",
                               cl::desc("Larger tensors are printed in short"),
                               cl::init(64), cl::cat(category)};
  cl::list<std::string> save{
      "save", cl::desc("Writes a result or symbol to a .npy file"),
      cl::value_desc("key=file"), cl::cat(category)};
  cl::list<std::string> expect{"expect",
                               cl::desc("What a result or symbol must be"),
                               cl::value_desc("key=value"), cl::cat(category)};
  cl::opt<std::string> expected{
      "expected", cl::desc("JSON file with an object of such keys and values"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<double> rtol{"rtol",
                       cl::desc("Difference allowed by --expect, relative to "
                                "the largest element"),
                       cl::init(1e-6), cl::cat(category)};
  cl::opt<bool> checkGradients{
      "check-gradients",
      cl::desc("Compares the gradients that @microbatch accumulates with "
               "differences of @loss, in f64"),
      cl::cat(category)};
  cl::opt<int64_t> samples{
      "samples", cl::desc("Elements of each parameter to check"),
      cl::init(GradientCheckOptions().samples), cl::cat(category)};
};

/// A mistake on the command line or in a file it names.
int usage(const Twine &message) {
  llvm::errs() << "pcc-run: error: " << message << '\n';
  return kUsage;
}

/// Values by key, as text or, from a file with many, parsed.
class NamedValues {
public:
  /// The error's text, empty when all is well.
  std::string add(ArrayRef<std::string> pairs, StringRef file) {
    for (StringRef pair : pairs) {
      // Names of symbols may hold '=' nowhere, values may.
      auto [key, value] = pair.split('=');
      if (key.empty() || value.empty())
        return "'" + pair.str() + "' does not read key=value";
      text[key] = value.str();
    }
    if (file.empty())
      return "";
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return file.str() + ": " + buffer.getError().message();
    auto parsed = llvm::json::parse((*buffer)->getBuffer());
    if (!parsed)
      return file.str() + ": " + llvm::toString(parsed.takeError());
    const llvm::json::Object *object = parsed->getAsObject();
    if (!object)
      return file.str() + ": is no JSON object";
    for (auto &[key, value] : *object)
      json.try_emplace(key.str(), value);
    return "";
  }

  bool has(StringRef key) const { return text.count(key) || json.count(key); }

  llvm::Expected<Tensor> get(StringRef key, RankedTensorType type) {
    used.insert(key);
    auto it = text.find(key);
    auto value = it != text.end() ? readArray(it->second, type)
                                  : fromJson(json.find(key)->second, type);
    if (!value)
      return llvm::createStringError(key.str() + ": " +
                                     llvm::toString(value.takeError()));
    return value;
  }

  /// A key that was never asked for, or nothing.
  std::string unused() const {
    for (const auto &entry : text)
      if (!used.contains(entry.first()))
        return entry.first().str();
    for (const auto &entry : json)
      if (!used.contains(entry.first()))
        return entry.first().str();
    return "";
  }

  template <typename F>
  void forEachKey(F f) const {
    SmallVector<StringRef> keys(text.keys());
    llvm::append_range(keys, json.keys());
    llvm::sort(keys);
    keys.erase(llvm::unique(keys), keys.end());
    llvm::for_each(keys, f);
  }

private:
  llvm::StringMap<std::string> text;
  llvm::StringMap<llvm::json::Value> json;
  llvm::StringSet<> used;
};

/// One run of the tool.
struct Session {
  CommandLine &options;
  ModuleOp module;
  Machine machine;
  NamedValues given, wanted;
  /// Of the last entry.
  ValueList results;

  Session(CommandLine &options, ModuleOp module)
      : options(options), module(module),
        machine(module, options.exact || options.checkGradients) {}

  Fill fill() const { return {options.fill, options.vocab}; }
  bool fills() const { return options.fill.getNumOccurrences(); }

  int run();
  LogicalResult setSymbols();
  FailureOr<ValueList> makeArguments(func::FuncOp function);
  TensorRef lookup(StringRef key);
  int show();
  int compare();
};

TensorRef Session::lookup(StringRef key) {
  if (key.consume_front("@"))
    return machine.getSymbol(0, key);
  size_t index;
  if (key.getAsInteger(10, index) || index >= results.size())
    return nullptr;
  return results[index];
}

LogicalResult Session::setSymbols() {
  auto set = [&](Operation *op, StringRef name, RankedTensorType type) {
    std::string key = ("@" + name).str();
    if (given.has(key)) {
      auto value = given.get(key, type);
      if (!value)
        return LogicalResult(op->emitError(llvm::toString(value.takeError())));
      roundElements(*value, machine.isExact());
      machine.setSymbol(0, name, std::make_shared<Tensor>(*value));
    } else if (auto param = dyn_cast<nn::ParamOp>(op); param && fills()) {
      Tensor value = *fill().parameter(name, param.getInit(), type);
      roundElements(value, machine.isExact());
      machine.setSymbol(0, name, std::make_shared<Tensor>(value));
    }
    return success();
  };
  for (Operation &op : *module.getBody()) {
    if (auto param = dyn_cast<nn::ParamOp>(op))
      if (failed(set(param, param.getSymName(), param.getTensorType())))
        return failure();
    if (auto state = dyn_cast<nn::StateOp>(op))
      if (failed(set(state, state.getSymName(), state.getTensorType())))
        return failure();
  }
  return success();
}

FailureOr<ValueList> Session::makeArguments(func::FuncOp function) {
  ValueList values;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = dyn_cast<RankedTensorType>(function.getArgument(i).getType());
    if (!type)
      return function.emitError() << "argument #" << i << " is no tensor";
    std::string name = argumentName(function, i);
    std::string keys[] = {name, argumentRole(function, i).str(),
                          std::to_string(i)};
    auto *key =
        std::find_if(std::begin(keys), std::end(keys),
                     [&](const std::string &key) { return given.has(key); });
    Tensor value(type);
    if (key != std::end(keys)) {
      auto read = given.get(*key, type);
      if (!read)
        return function.emitError(llvm::toString(read.takeError()));
      value = *read;
    } else if (fills()) {
      FailureOr<TensorRef> made = fill().argument(function, i);
      if (failed(made))
        return failure();
      value = **made;
    } else {
      InFlightDiagnostic diag = function.emitError()
                                << "argument #" << i << " '" << name
                                << "' has no value";
      diag.attachNote() << "give it with --arg " << name
                        << "=..., or make up all that is missing with --fill";
      return diag;
    }
    roundElements(value, machine.isExact());
    values.push_back(std::make_shared<Tensor>(std::move(value)));
  }
  return values;
}

int Session::show() {
  SmallVector<std::string> keys(options.show.begin(), options.show.end());
  if (keys.empty())
    for (size_t i = 0; i < results.size(); ++i)
      keys.push_back(std::to_string(i));
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
  wanted.forEachKey([&](StringRef key) {
    TensorRef found = lookup(key);
    if (!found) {
      code = usage("there is no result or symbol '" + key + "' to compare");
      return;
    }
    auto expected = wanted.get(key, found->type);
    if (!expected) {
      code = usage(llvm::toString(expected.takeError()));
      return;
    }
    double scale = 0, worst = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < found->size(); ++i) {
      double a = found->get(i), b = expected->get(i);
      if (std::isfinite(b))
        scale = std::max(scale, std::abs(b));
      // Equal infinities and NaNs agree.
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      double error = std::abs(a - b);
      if (!(error <= worst)) {
        worst = error;
        at = i;
      }
    }
    bool close = worst <= options.rtol * scale;
    llvm::outs() << (close ? "ok   " : "WRONG") << ' ' << key
                 << llvm::format(": largest difference %.2g of %.3g", worst,
                                 scale);
    if (!close) {
      llvm::outs() << " at element " << at
                   << llvm::format(": %.9g, expected %.9g", found->get(at),
                                   expected->get(at));
      code = std::max<int>(code, kFailed);
    }
    llvm::outs() << '\n';
  });
  return code;
}

int Session::run() {
  std::string error = given.add(options.args, options.inputs);
  if (error.empty())
    error = wanted.add(options.expect, options.expected);
  if (!error.empty())
    return usage(error);
  if (failed(setSymbols()))
    return kFailed;

  if (options.checkGradients) {
    GradientCheckOptions check;
    check.samples = options.samples;
    return failed(checkGradients(
               machine, check, options.fill,
               [&](func::FuncOp function) { return makeArguments(function); },
               llvm::outs()))
               ? kFailed
               : kDone;
  }

  SmallVector<func::FuncOp> entries;
  for (StringRef name : options.entries) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      return usage("there is no function @" + name);
    entries.push_back(function);
  }
  if (entries.empty()) {
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.size() != 1)
      return usage("the module has " + Twine(functions.size()) +
                   " functions; name one with --entry");
    entries = functions;
  }
  for (func::FuncOp function : entries) {
    FailureOr<ValueList> values = makeArguments(function);
    if (failed(values))
      return kFailed;
    auto outcome = machine.call(function, *values);
    if (failed(outcome))
      return kFailed;
    results = outcome->front();
  }
  if (std::string key = given.unused(); !key.empty())
    return usage("there is no argument or symbol '" + key + "'");
  int shown = show(), compared = compare();
  return std::max(shown, compared);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  CommandLine options;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "interprets pcc programs on virtual ranks\n");

  DialectRegistry registry;
  registry.insert<func::FuncDialect, nn::NNDialect>();
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  context.printOpOnDiagnostic(false);
  auto module = parseSourceFile<ModuleOp>(options.input, sources, &context);
  if (!module)
    return kFailed;
  return Session(options, *module).run();
}
