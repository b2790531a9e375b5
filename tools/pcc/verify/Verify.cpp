//===- Verify.cpp - pcc verify --------------------------------------------===//

#include "tools/pcc/verify/Verify.h"
#include "tools/pcc/Directory/ExportDirectory.h"
#include "tools/pcc/verify/GivenData.h"
#include "tools/pcc/verify/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace pcc;

namespace {
/// The folder of a verification's files.
class Folder {
public:
  /// `keep`: its path; empty: a temporary one.
  LogicalResult create(StringRef keep);

  Folder() = default;
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  /// Removes it unless the user named it.
  ~Folder() {
    if (isTemporary)
      llvm::sys::fs::remove_directories(path);
  }

  SmallString<128> path;

private:
  bool isTemporary = false;
};

class Verifier {
public:
  Verifier(const Arguments &arguments, StringRef folder, Compile compile)
      : arguments(arguments), folder(folder), compile(compile) {}

  int run();

private:
  LogicalResult compilePlan();
  LogicalResult compareAll(const Reference &reference);
  void say(const Twine &text) const;

  const Arguments &arguments;
  StringRef folder;
  Compile compile;
  RunSettings plan;
  std::optional<Compiling> compiling;
  Facts facts;
  bool isOk = false;
};
} // namespace

static LogicalResult cannotMake(StringRef path, std::error_code error) {
  llvm::errs() << "pcc: error: cannot make the folder '" << path
               << "': " << error.message() << "\n";
  return failure();
}

/// Makes a folder unless it exists.
static LogicalResult makeFolder(StringRef path) {
  std::error_code error = llvm::sys::fs::create_directories(path);
  if (!error && !llvm::sys::fs::is_directory(path))
    error = std::make_error_code(std::errc::not_a_directory);
  return error ? cannotMake(path, error) : success();
}

LogicalResult Folder::create(StringRef keep) {
  if (!keep.empty())
    return makeFolder(path = keep);
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("pcc-verify", path))
    return cannotMake(path, error);
  isTemporary = true;
  return success();
}

/// Flags that a text of a later phase does not take. The model does, for the
/// reference.
static constexpr StringLiteral kOfModel[] = {"init",
                                             "freeze",
                                             "train",
                                             "norm-plus-one",
                                             "tie",
                                             "untie",
                                             "shared-input",
                                             "per-sample",
                                             "dim",
                                             "stage-cut",
                                             "no-padding-mask",
                                             "padding-mask",
                                             "batch-norm",
                                             "no-dropout",
                                             "allow-gathered-experts",
                                             "moe-aux-loss",
                                             "moe-bias-rate",
                                             "documents",
                                             "keep-positions",
                                             "sequence-parallel"};

/// Returns the seconds without progress after which a plan's program, which may
/// hang, is stopped: many times a step of one rank.
static int64_t timeoutOf(const Reference &reference) {
  constexpr double kLeast = 60, kSteps = 50;
  double longest = 0;
  for (const LoggedStep &step :
       readLog(logOf(reference.folder + "/one", "whole")))
    longest = std::max(longest, step.seconds);
  return int64_t(kLeast + kSteps * longest);
}

/// Tells the user what goes on.
void Verifier::say(const Twine &text) const {
  if (arguments.options.verbosity > 0)
    llvm::errs() << "verify:    " << text << "\n";
}

LogicalResult Verifier::compilePlan() {
  Arguments planned = arguments;
  const std::string &text = arguments.verification->plan;
  if (!text.empty()) {
    planned.input = text;
    llvm::erase_if(planned.given, [](StringRef flag) {
      return llvm::is_contained(kOfModel, flag);
    });
  }
  plan.folder = (folder + "/plan").str();
  plan.program = plan.folder + "/program";
  if (failed(makeFolder(plan.folder)))
    return failure();
  compiling.emplace(planned, plan.program, "", compile);
  if (compiling->facts()) {
    facts = *compiling->facts();
    return success();
  }
  if (compiling->finish() == 0)
    llvm::errs() << planned.input
                 << ": error: a text past phase 'rt' cannot be verified\n";
  return failure();
}

LogicalResult Verifier::compareAll(const Reference &reference) {
  auto at = [&](StringRef part, StringRef run, int64_t step) {
    return checkpointOf(reference.folder + "/" + part.str(), run, step);
  };
  int64_t steps = reference.hyperparameters.steps;
  int64_t first = reference.hyperparameters.firstUpdate;
  StringRef firstRun = first == steps ? "whole" : "first";
  auto runOf = [&](StringRef part) {
    return TrainedRun(logOf(reference.folder + "/" + part.str(), "whole"),
                      at(part, firstRun, first), at(part, "whole", steps));
  };
  TrainedRun one = runOf("one"), other = runOf("other");
  TrainedRun planned(logOf(plan.folder, "whole"),
                     checkpointOf(plan.folder, firstRun, first),
                     checkpointOf(plan.folder, "whole", steps));
  SavedTensors initial(at("one", "initial", 1));
  std::vector<Quantity> quantities =
      compareRuns(planned, one, other, initial, reference.hyperparameters,
                  boundsOf(facts.precision, facts.optimizerState));
  Outcome outcome{arguments, facts, reference, quantities};
  if (arguments.report == Report::JSON)
    printOutcomeJson(outcome, llvm::outs());
  else if (!outcome.isOk() || arguments.options.verbosity > 0)
    printOutcome(outcome, llvm::outs());
  isOk = outcome.isOk();
  return success();
}

int Verifier::run() {
  if (failed(compilePlan()))
    return 1;
  if (failed(checkSuitable(arguments.verification->data, facts,
                           arguments.input)) ||
      failed(checkFits(facts, facts, "the plan", arguments.input))) {
    compiling->stop();
    return 1;
  }
  say("compiling " + planText(facts));
  auto reference = getReference(arguments, facts, folder, compile);
  if (failed(reference)) {
    compiling->stop();
    return 1;
  }
  if (compiling->finish())
    return 1;
  say("training " + planText(facts));
  plan.data = reference->data;
  plan.timeout = timeoutOf(*reference);
  plan.hasWeights =
      reference->facts.hasWeights && !arguments.options.randomInit;
  if (failed(runTwice(plan, "the plan", reference->hyperparameters,
                      arguments.input, /*skipsNonfinite=*/true)))
    return 1;
  if (failed(compareAll(*reference)))
    return 1;
  return isOk ? 0 : 1;
}

/// Makes the folders, exports a model directory, and verifies.
static int verify(Arguments &arguments, Compile compile) {
  Verification &options = *arguments.verification;
  Folder folder;
  if (failed(checkReadable(options.data, arguments.input)) ||
      failed(folder.create(options.keep)) ||
      (!options.reference.empty() && failed(makeFolder(options.reference))))
    return 1;
  // Where it can be reused.
  options.exports =
      options.reference.empty() ? folder.path.str().str() : options.reference;
  if (int code = exportDirectory(arguments))
    return code;
  return Verifier(arguments, folder.path, compile).run();
}

int pcc::runVerify(Arguments arguments, Compile compile) {
  CaughtSignals signals;
  int code = verify(arguments, compile);
  llvm::outs().flush();
  return code;
}
