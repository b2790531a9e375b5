//===- Programs.cpp - Compiles and runs programs to verify ----------------===//

#include "tools/pcc/verify/Programs.h"
#include "tools/pcc/verify/RunLog.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

/// Lines of a failed program that are shown.
static constexpr size_t kLastLines = 8;

static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR)
      return;
    text = text.drop_front(std::max<ssize_t>(count, 0));
  }
}

static std::string readAll(int file) {
  std::string text;
  char bytes[4096];
  while (true) {
    ssize_t count = ::read(file, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(bytes, count);
  }
}

Compiling::Compiling(Arguments arguments, StringRef path, StringRef log,
                     Compile compile) {
  arguments.emit = "exe";
  arguments.output = path.str();
  arguments.options.verbosity = 0;
  arguments.report = Report::None;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0)
    llvm::report_fatal_error("cannot make a pipe", false);
  child = Child::fork(log, [&] {
    ::close(ends[0]);
    arguments.onProgram = [&](ModuleOp module, const Summary &summary) {
      std::string text;
      llvm::raw_string_ostream(text) << toJson(factsOf(module, summary));
      writeAll(ends[1], text);
      ::close(ends[1]);
    };
    return compile(arguments);
  });
  ::close(ends[1]);
  auto value = llvm::json::parse(readAll(ends[0]));
  ::close(ends[0]);
  if (value)
    known = factsFrom(*value);
  else
    llvm::consumeError(value.takeError());
}

std::string pcc::logOf(StringRef folder, StringRef run) {
  return (folder + "/" + run + ".jsonl").str();
}

std::string pcc::checkpointOf(StringRef folder, StringRef run, int64_t step) {
  std::string path;
  llvm::raw_string_ostream(path)
      << folder << "/" << run << "/" << llvm::format("step-%08lld", step);
  return path;
}

static std::string outputOf(const RunSettings &settings, StringRef run) {
  return (settings.folder + "/" + run + ".txt").str();
}

int pcc::runProgram(const RunSettings &settings, StringRef run,
                    std::vector<std::string> flags) {
  std::string save = (settings.folder + "/" + run).str();
  llvm::sys::fs::remove_directories(save);
  std::vector<std::string> command = {
      settings.program,
      "--data=" + settings.data,
      "--log-json=" + logOf(settings.folder, run),
      "--save=" + save,
      "--weights-only",
      "--timeout=" + std::to_string(settings.timeout)};
  if (!settings.hasWeights)
    command.push_back("--init=random");
  command.insert(command.end(), flags.begin(), flags.end());
  return Child::train(outputOf(settings, run), command, settings.threads)
      .wait()
      .exitCode();
}

void pcc::reportFailure(const RunSettings &settings, StringRef run, int code,
                        StringRef who, StringRef input) {
  if (CaughtSignals::caught())
    return;
  llvm::errs() << input << ": error: the program of " << who << " ended with "
               << code << "\n";
  std::string text = readWhole(outputOf(settings, run));
  SmallVector<StringRef> lines, errors;
  StringRef(text).trim().split(lines, '\n', -1, false);
  for (StringRef line : lines)
    if (line.contains("error: ") || line.contains("note: "))
      errors.push_back(line);
  ArrayRef<StringRef> shown = errors.empty() ? lines : errors;
  for (StringRef line : shown.take_back(kLastLines)) {
    // "[rank 3] error: ..." becomes "[rank 3] ...".
    StringRef rank;
    if (size_t end = line.find("] ");
        line.starts_with("[rank ") && end != StringRef::npos) {
      rank = line.take_front(end + 2);
      line = line.drop_front(end + 2);
    }
    for (StringRef kind : {"error: ", "warning: ", "note: "})
      if (line.consume_front(kind))
        break;
    llvm::errs() << input << ": note: " << rank << line << "\n";
  }
}

LogicalResult pcc::runTwice(const RunSettings &settings, StringRef who,
                            const Hyperparameters &hyperparameters,
                            StringRef input, bool skipsNonfinite) {
  auto run = [&](StringRef name, int64_t last) {
    std::vector<std::string> flags = hyperparameters.flags();
    flags.push_back("--stop-after=" + std::to_string(last));
    // A plan with a fault may compute NaN; its results are compared, too.
    if (skipsNonfinite)
      flags.push_back("--skip-nonfinite=" +
                      std::to_string(hyperparameters.steps));
    int code = runProgram(settings, name, flags);
    if (code)
      reportFailure(settings, name, code, who, input);
    return success(code == 0);
  };
  if (failed(run("whole", hyperparameters.steps)))
    return failure();
  // Not by keeping every checkpoint of one run: those of large models are
  // large.
  if (hyperparameters.firstUpdate == hyperparameters.steps)
    return success();
  return run("first", hyperparameters.firstUpdate);
}
