//===- Input.cpp - Input files of pcc -------------------------------------===//

#include "tools/pcc/Input.h"
#include "dialects/NN/DiagnosticCode.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipelines.h"
#include "tools/pcc/Directory/DocumentEnds.h"
#include "tools/pcc/Plan.h"
#include "tools/pcc/TwoSamples.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <set>

using namespace mlir;
using namespace pcc;

/// Refuses flags that have no effect after a phase.
static LogicalResult checkFlags(const Arguments &arguments, int phase,
                                Location loc) {
  std::pair<StringRef, StringRef> usedUpBy[] = {
      {"init", "import"},
      {"freeze", "import"},
      {"train", "import"},
      {"norm-plus-one", "import"},
      {"tie", "import"},
      {"untie", "import"},
      {"shared-input", "import"},
      {"per-sample", "import"},
      {"dim", "import"},
      {"padding-mask", "import"},
      {"no-dropout", "import"},
      {"no-padding-mask", "import"},
      {"batch-norm", "import"},
      {"documents", "train"},
      {"keep-positions", "train"},
      {"moe-capacity", "train"},
      {"moe-aux-loss", "train"},
      {"moe-bias-rate", "train"},
      {"allow-gathered-experts", "nn"},
      {"stage-cut", "train"},
      {"sequence-parallel", "plan"},
      {"memory-limit", "rt"},
      {"offload", "rt"}};
  for (auto [flag, when] : usedUpBy)
    if (phase >= findPhase(when) && llvm::is_contained(arguments.given, flag)) {
      InFlightDiagnostic diag =
          emitError(loc) << "--" << flag << " comes too late for a "
                         << "module at '" << getPhases()[phase].name << "'";
      diag.attachNote() << "give it where the phase '" << when << "' is made";
      return diag;
    }
  return success();
}

/// Returns the batch size of @forward, 0 if it has no batch.
static int64_t batchOf(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>(nn::kForward);
  return forward ? nn::batchOf(forward) : 0;
}

/// Derives the micro batch size from the batch of a hand-written model.
static LogicalResult adoptBatch(ModuleOp module, Options &options) {
  int64_t batch = batchOf(module), dp = options.dp;
  if (!batch || options.microBatch * dp == batch)
    return success();
  if (batch % dp)
    return emitError(module.getLoc()) << "the model's batch of " << batch
                                      << " is not a multiple of --dp " << dp;
  if (options.microBatch) {
    InFlightDiagnostic diag =
        emitError(module.getLoc())
        << "the model has batches of " << batch << " samples, not of "
        << options.microBatch * dp << ", which --micro-batch-size "
        << options.microBatch << " x --dp " << dp << " are";
    diag.attachNote() << "give --micro-batch-size " << batch / dp
                      << ", or a model with batches of "
                      << options.microBatch * dp;
    return diag;
  }
  options.microBatch = batch / dp;
  return success();
}

/// Whether bytes are neither text, which has no zero bytes, nor MLIR bytecode.
static bool isBinary(StringRef bytes) {
  return bytes.contains('\0') && !bytes.starts_with("ML\xefR");
}

/// Adds the files that a module refers to: the files of its model.
static void addFiles(ModuleOp module, Input &input) {
  std::set<std::string> files;
  if (auto source = module->getAttrOfType<StringAttr>(kSourceAttr))
    files.insert(source.str());
  // Parameters and their buffers refer to them.
  module.walk([&](SymbolOpInterface op) {
    op->getAttrDictionary().walk(
        [&](nn::SourceAttr source) { files.insert(source.getFile().str()); });
  });
  llvm::append_range(input.files, files);
}

/// Reads the printed module of a phase.
static LogicalResult readModule(MLIRContext &context, Arguments &arguments,
                                Input &input) {
  llvm::SourceMgr sources;
  auto text =
      input.standardInput.empty()
          ? llvm::MemoryBuffer::getFileOrSTDIN(arguments.input)
          : llvm::MemoryBuffer::getMemBuffer(input.standardInput, "<stdin>");
  if (!text)
    return emitError(FileLineColLoc::get(&context, arguments.input, 0, 0))
           << "cannot be read: " << text.getError().message();
  // The program reads weights from the model's file, so that needs a path.
  if (isBinary((*text)->getBuffer())) {
    InFlightDiagnostic diag =
        emitError(FileLineColLoc::get(&context, arguments.input, 0, 0))
        << "is not the text of a module";
    diag.attachNote() << "give an ONNX model by its path: its weights are "
                         "read from there when training starts";
    return diag;
  }
  if (arguments.input == "-" && input.standardInput.empty())
    input.standardInput = (*text)->getBuffer().str();
  sources.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  input.module = parseSourceFile<ModuleOp>(sources, &context);
  if (!input.module)
    return failure();
  ModuleOp module = *input.module;
  auto phase = module->getAttrOfType<StringAttr>(kPhaseAttr);
  if (!phase) {
    InFlightDiagnostic diag = emitError(module.getLoc())
                              << "the module does not say which phase it is "
                                 "the output of";
    diag.attachNote() << "add the attribute " << kPhaseAttr
                      << " = \"nn\" if it is a model written by hand";
    return diag;
  }
  input.phase = findPhase(phase.getValue());
  if (input.phase < 0)
    return emitError(module.getLoc())
           << "there is no phase '" << phase.getValue() << "'";
  addFiles(module, input);
  if (failed(checkFlags(arguments, input.phase, module.getLoc())) ||
      failed(adoptPlan(module, arguments)) ||
      failed(resolveExperts(arguments.options, module.getLoc())))
    return failure();
  if (failed(adoptBatch(module, arguments.options)))
    return failure();
  Options &options = arguments.options;
  return resolveBatch(options, 0, module.getLoc());
}

/// The longest sequence that is compiled without --seq: the memory of attention
/// grows with its square.
static constexpr int64_t kLongestUnasked = 4096;

/// Binds sequence dims without a given length to the lengths that the file
/// tells.
static LogicalResult chooseLengths(MLIRContext &context, const ONNXFile &file,
                                   Options &options, ImportOptions &import,
                                   Location loc) {
  auto lengths = findContextLengths(context, file, import);
  if (failed(lengths))
    return failure();
  for (const auto &[dim, length, source] : *lengths) {
    if (length > kLongestUnasked) {
      InFlightDiagnostic diag =
          emitError(loc) << "the model takes sequences of " << length
                         << " tokens, by its " << source << "; a length above "
                         << kLongestUnasked << " must be given";
      nn::setCode(diag, nn::DiagnosticCode::MissingFlag);
      if (lengths->size() > 1)
        diag.attachNote() << "add --dim " << dim << "=N, or --seq N";
      else
        diag.attachNote() << "add --seq N, which may be " << length;
      return diag;
    }
    if (dim.empty())
      options.seq = length;
    else
      options.dims.push_back({dim, length});
    options.seqSource += (options.seqSource.empty() ? "" : "; ") +
                         (lengths->size() > 1 ? "'" + dim + "' " : "") +
                         std::to_string(length) + ", from " + source;
  }
  import.dims.insert(options.dims.begin(), options.dims.end());
  if (options.seq)
    import.seq = options.seq;
  return success();
}

/// Adds a note to the first error of an import if a sequence is longer than the
/// file tells. If its length was not given, adds its origin `chosen` instead.
/// The shapes in such errors seldom tell the cause.
static void noteLength(MLIRContext &context, const ONNXFile &file,
                       const ImportOptions &import, StringRef chosen,
                       std::vector<Diagnostic> &said) {
  auto error = llvm::find_if(said, [](const Diagnostic &diagnostic) {
    return diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  if (error == said.end())
    return;
  if (!chosen.empty()) {
    error->attachNote() << "the sequence is " << chosen
                        << ", for no --seq was given: add --seq N if it is "
                           "another";
    return;
  }
  ImportOptions open = import;
  open.seq = std::nullopt;
  open.dims.clear();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  auto lengths = findContextLengths(context, file, open);
  if (failed(lengths))
    return;
  for (const auto &[dim, longest, source] : *lengths) {
    auto given = import.dims.find(dim);
    int64_t length =
        given != import.dims.end() ? given->second : import.seq.value_or(0);
    if (length <= longest)
      continue;
    error->attachNote() << "a sequence of " << length
                        << " is longer than the model's longest, " << longest
                        << " by its " << source;
    return;
  }
}

/// Whether an import replaced a padding mask by ones although the model
/// computes its own loss.
static bool impliesMaskOfOwnLoss(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>(nn::kForward);
  auto implied = module->getAttrOfType<DictionaryAttr>(nn::kImpliedAttr);
  return forward && forward->hasAttr(nn::kHasLossAttr) && implied &&
         llvm::any_of(implied, [](NamedAttribute input) {
           auto value = dyn_cast<StringAttr>(input.getValue());
           return value && value.getValue() == nn::kImpliedOnes;
         });
}

/// Reads an ONNX file.
static LogicalResult readModel(MLIRContext &context, Arguments &arguments,
                               Input &input) {
  if (!input.onnx) {
    auto read = readONNX(context, arguments.input);
    if (failed(read))
      return failure();
    input.onnx = std::move(*read);
  }
  const ONNXFile &file = input.onnx;
  Options &options = arguments.options;
  ImportOptions import;
  import.dims.insert(options.dims.begin(), options.dims.end());
  import.inputs = arguments.inputs;
  auto outline = readModelOutline(context, file, import);
  if (failed(outline))
    return failure();
  llvm::append_range(input.files, outline->files);
  Location loc = FileLineColLoc::get(&context, arguments.input, 0, 0);
  bool batchGiven = options.microBatch;
  // The inputs of a forward-only model need not have the same batch.
  int64_t fixed = options.forward ? 0 : outline->batch.value_or(0);
  if (failed(resolveExperts(options, loc)) ||
      failed(resolveBatch(options, fixed, loc)))
    return failure();
  if (options.seq)
    import.seq = options.seq;
  if (!options.forward || batchGiven)
    import.batch = options.microBatch * options.dp;
  import.forward = options.forward;
  if (failed(chooseLengths(context, file, options, import, loc)))
    return failure();
  import.randomInit = options.randomInit;
  import.noDropout = options.noDropout;
  import.keepsBiases = options.moeBiasRate > 0;
  import.attachesLoss = !options.loss.empty();
  import.runningNorms = options.runningNorms;
  // Token files have no padding; other data has its own mask.
  import.paddingMask = options.paddingMask.value_or(
      !options.loss.empty() && options.loss != "causal-lm");
  import.freeze = options.freeze;
  import.train = options.train;
  import.plusOne = options.normPlusOne;
  import.ties = arguments.ties;
  std::vector<Diagnostic> said;
  auto readOnce = [&] {
    said.clear();
    input.report = ImportReport();
    ScopedDiagnosticHandler hold(&context, [&](Diagnostic &diagnostic) {
      said.push_back(std::move(diagnostic));
    });
    return importONNX(context, file, import, &input.report);
  };
  auto module = readOnce();
  // Whether the file computes its own loss is known only after an import.
  if (succeeded(module) && !options.paddingMask && !import.paddingMask &&
      impliesMaskOfOwnLoss(**module)) {
    import.paddingMask = true;
    module = readOnce();
  }
  if (failed(module))
    noteLength(context, file, import, options.seqSource, said);
  for (Diagnostic &diagnostic : said)
    context.getDiagEngine().emit(std::move(diagnostic));
  if (failed(module))
    return failure();
  input.module = std::move(*module);
  // The sequence length may come from the file.
  if (auto forward = input.module->lookupSymbol<func::FuncOp>(nn::kForward)) {
    if (!options.forward && !fixed && *import.batch == 1 &&
        options.microbatches > 1)
      checkTwoSamples(forward, file, import);
    BlockArgument tokens = nn::findInput(forward, nn::InputRole::Tokens);
    if (tokens && nn::tensorType(tokens).getRank() == 2)
      options.seq = nn::tensorType(tokens).getDimSize(1);
  }
  input.phase = findPhase("import");
  Builder builder(&context);
  (*input.module)
      ->setAttr(kModelAttr, builder.getStringAttr(modelName(arguments)));
  (*input.module)->setAttr(kSourceAttr, builder.getStringAttr(arguments.input));
  recordPlan(*input.module, input.phase, options);
  return success();
}

std::string pcc::modelName(const Arguments &arguments) {
  return arguments.modelName.empty()
             ? llvm::sys::path::stem(arguments.input).str()
             : arguments.modelName;
}

LogicalResult pcc::readInput(MLIRContext &context, Arguments &arguments,
                             Input &input) {
  StringRef path = arguments.input;
  input.files = {path.str()};
  bool isModule = path == "-" || path.ends_with(".mlir");
  if (failed(isModule ? readModule(context, arguments, input)
                      : readModel(context, arguments, input)))
    return failure();
  bool isOpen = arguments.findsDocumentEnds && !arguments.options.forward;
  return isOpen ? findDocumentEnds(*input.module, arguments) : success();
}
