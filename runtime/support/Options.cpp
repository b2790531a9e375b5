//===- Options.cpp - The flags of a training binary -----------------------===//

#include "runtime/support/Options.h"

#include "runtime/support/Error.h"
#include "runtime/support/LearningRate.h"
#include "runtime/support/Proportions.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace pcc;

namespace {
enum class Kind { Text, Count, Real, Switch };

/// A flag: the variable for its value, the valid values and the help text.
struct Flag {
  const char *name;
  Kind kind;
  void *value;
  const char *placeholder;
  double least, most; ///< inclusive bounds of a number
  bool saved;         ///< whether checkpoints store it
  const char *help;
};

struct Group {
  const char *title;
  std::vector<Flag> flags;
};
} // namespace

static std::vector<Group> groupsOf(TrainingOptions &o) {
  const double big = 9e15; // an integer that a double represents exactly
  auto text = [](const char *name, std::string &value, const char *what,
                 const char *help, bool saved = false) {
    return Flag{name, Kind::Text, &value, what, 0, 0, saved, help};
  };
  auto count = [&](const char *name, int64_t &value, double least,
                   const char *help, bool saved = false) {
    return Flag{name, Kind::Count, &value, "N", least, big, saved, help};
  };
  auto real = [](const char *name, double &value, double most,
                 const char *help) {
    return Flag{name, Kind::Real, &value, "X", 0, most, true, help};
  };
  auto on = [](const char *name, bool &value, const char *help,
               bool saved = false) {
    return Flag{name, Kind::Switch, &value, "", 0, 0, saved, help};
  };
  return {
      {"Data",
       {text("data", o.data, "PATH",
             "token files (llm.c, Megatron, uint16), separated by commas, or a "
             "folder of <input>.npy and labels.npy",
             true),
        text("data-weights", o.dataWeights, "X,Y",
             "blend the entries of --data in these proportions, instead of "
             "concatenating them",
             true),
        on("shuffle", o.shuffle,
           "visit the samples of each pass in a random order from --seed",
           true),
        count("seed", o.seed, 0,
              "random seed of weights, dropout and --shuffle (default 0)",
              true),
        text("val-data", o.valData, "PATH",
             "validation data, in the same formats"),
        count("eval-every", o.evalEvery, 1,
              "evaluate every N steps (default: at the end)"),
        count("eval-batches", o.evalBatches, 1,
              "global batches of one evaluation (default 20)")}},
      {"Training",
       {count("steps", o.steps, 1,
              "total steps, also of the learning-rate schedule (default: one "
              "pass over --data)",
              true),
        real("lr", o.lr, 1e30,
             "peak learning rate, after warm-up (default 6e-4)"),
        real("min-lr", o.minLr, 1e30,
             "learning rate at the last step (default 0.1 x --lr)"),
        count("warmup-steps", o.warmupSteps, 0,
              "steps of linear warm-up to --lr (default 0)", true),
        text("lr-schedule", o.lrSchedule, "NAME",
             "constant, linear, cosine (default) or wsd", true),
        real("weight-decay", o.weightDecay, 1e9,
             "weight decay of tensors of rank 2 or more (default 0.1)"),
        real("beta1", o.beta1, 1,
             "decay rate of AdamW's first moment (default 0.9)"),
        real("beta2", o.beta2, 1,
             "decay rate of AdamW's second moment (default 0.95)"),
        real("eps", o.eps, 1e9, "added to AdamW's denominator (default 1e-8)"),
        real("clip-grad", o.clipGrad, 1e30,
             "maximum gradient norm, 0 for none (default 1)"),
        Flag{"initial-loss-scale", Kind::Count, &o.initialLossScale, "N", 1,
             PCC_MOST_LOSS_SCALE, true,
             "fp16: first loss scale, a power of two (default 1024)"},
        count("loss-scale-window", o.lossScaleWindow, 1,
              "fp16: steps without overflow after which the loss scale is "
              "doubled (default 2000)",
              true),
        on("skip-empty", o.skipEmpty,
           "skip the update of steps without valid targets, instead of ending "
           "with an error",
           true),
        count("skip-nonfinite", o.skipNonfinite, 0,
              "skip the update of up to N steps in a row whose loss or "
              "gradient norm is not finite (default 0: the first ends the run)",
              true)}},
      {"Weights and checkpoints",
       {text("init", o.init, "HOW",
             "initial weights: from-onnx (default), random, or a .safetensors "
             "file or a folder with some"),
        text("model", o.model, "FILE",
             "path of the model file or of its folder, if it was moved"),
        text("save", o.save, "DIR", "write checkpoints to DIR"),
        count("save-every", o.saveEvery, 1,
              "steps between checkpoints (default: only at the end)"),
        count("keep", o.keep, 1,
              "keep only the last N checkpoints (default: all)"),
        text("save-dtype", o.saveDtype, "TYPE",
             "types of saved weights: source (default), those of the model "
             "directory, or f32"),
        text("max-shard-size", o.maxShardSize, "SIZE",
             "save larger weights in several files (default 5GB)"),
        on("weights-only", o.weightsOnly,
           "save no files of the model directory, such as config.json"),
        text("resume", o.resume, "DIR",
             "continue from the latest checkpoint in DIR, or from DIR if it is "
             "one"),
        count("stop-after", o.stopAfter, 1,
              "end after step N, with a checkpoint"),
        text("export-onnx", o.exportOnnx, "FILE",
             "at the end, write the model with the trained weights")}},
      {"Ranks",
       {Flag{"timeout", Kind::Count, &o.timeout, "SECONDS", 0, 1e6, false,
             "end if no rank makes progress for so long (default 600, 0: "
             "never)"},
        text("offload-dir", o.offloadDir, "DIR",
             "folder for offloaded optimizer state, on a disk of each rank's "
             "host (default: that of pcc --offload)"),
        on("no-cuda-graphs", o.noCudaGraphs,
           "GPU programs: launch no CUDA graphs; the results are the same"),
        on("cuda-graphs", o.cudaGraphs,
           "GPU programs: launch CUDA graphs with pipeline stages, too "
           "(default: only without)"),
        on("nvls", o.nvls,
           "GPU programs: let NVLink switches reduce; two runs then differ by "
           "rounding")}},
      {"Output",
       {count("log-every", o.logEvery, 1,
              "steps between lines on the terminal (default 1)"),
        text("log-json", o.logJson, "FILE",
             "write one JSON object per step to FILE"),
        text("tensorboard-dir", o.tensorboardDir, "DIR",
             "write TensorBoard events to a file in DIR"),
        text("trace", o.trace, "FILE",
             "write a timeline of each rank, for Perfetto"),
        text("trace-steps", o.traceSteps, "A:B",
             "the steps of --trace (default: the second and third)"),
        text("report", o.report, "FILE",
             "write the collectives and transfers of each rank in a step to "
             "FILE, as JSON"),
        text("outputs", o.outputs, "DIR",
             "folder for the outputs of a forward-only program"),
        on("info", o.info,
           "print mesh, batch, memory and data format of this program and "
           "exit"),
        on("version", o.version, "print the version of pcc and exit"),
        on("help", o.help, "print this text and exit")}},
  };
}

/// Returns the flag of this name, or nullptr.
static const Flag *findFlag(const std::vector<Group> &groups,
                            const std::string &name) {
  for (const Group &group : groups)
    for (const Flag &flag : group.flags)
      if (name == flag.name)
        return &flag;
  return nullptr;
}

/// Returns whether a text is a decimal number such as 12, -0.5 or 6e-4.
/// strtod() also accepts "0x10", "inf" and leading spaces.
static bool isDecimal(const std::string &text) {
  size_t at = 0;
  auto skip = [&](const char *any) {
    size_t begin = at;
    at = std::min(text.find_first_not_of(any, at), text.size());
    return at - begin;
  };
  auto skipOne = [&](const char *any) {
    if (at < text.size() && strchr(any, text[at]))
      ++at;
  };
  const char *digits = "0123456789";
  skipOne("+-");
  size_t count = skip(digits), point = at;
  skipOne(".");
  if (at > point)
    count += skip(digits);
  if (count == 0)
    return false;
  if (at < text.size() && strchr("eE", text[at])) {
    ++at;
    skipOne("+-");
    if (skip(digits) == 0)
      return false;
  }
  return at == text.size();
}

/// Stores a value. Returns the error, or an empty string.
static std::string assign(const Flag &flag, const std::string &value) {
  if (flag.kind == Kind::Text) {
    *static_cast<std::string *>(flag.value) = value;
    return value.empty() ? "needs a value" : "";
  }
  if (flag.kind == Kind::Switch) {
    *static_cast<bool *>(flag.value) = value == "true";
    return value == "true" || value == "false" ? "" : "takes no value";
  }
  errno = 0;
  double number = strtod(value.c_str(), nullptr);
  if (!isDecimal(value) || errno == ERANGE)
    return format("'%s' is not a number", value.c_str());
  if (flag.kind == Kind::Count && number != std::floor(number))
    return format("'%s' is not a whole number", value.c_str());
  if (number < flag.least)
    return format("must be at least %g, not %s", flag.least, value.c_str());
  if (number > flag.most)
    return format("must be at most %g, not %s", flag.most, value.c_str());
  if (flag.kind == Kind::Count)
    *static_cast<int64_t *>(flag.value) = static_cast<int64_t>(number);
  else
    *static_cast<double *>(flag.value) = number;
  return "";
}

/// Returns the number of single-letter edits between two words.
static size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t best = std::min(
          {row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = row[j];
      row[j] = best;
    }
  }
  return row[b.size()];
}

[[noreturn]] static void unknownFlag(const std::vector<Group> &groups,
                                     const std::string &argument,
                                     const std::string &name) {
  std::string nearest;
  size_t least = 3;
  for (const Group &group : groups)
    for (const Flag &flag : group.flags)
      if (size_t d = distance(name, flag.name); d < least) {
        least = d;
        nearest = flag.name;
      }
  fail(ExitUsage, format("unknown argument '%s'", argument.c_str()),
       nearest.empty() ? "--help lists all flags"
                       : format("did you mean --%s?", nearest.c_str()));
}

bool pcc::parseTraceSteps(const std::string &text, int64_t &from, int64_t &to) {
  int used = 0;
  long long a = 0, b = 0;
  if (sscanf(text.c_str(), "%lld:%lld%n", &a, &b, &used) != 2 ||
      used != static_cast<int>(text.size()) || a < 1 || b < a)
    return false;
  from = a;
  to = b;
  return true;
}

std::optional<int64_t> pcc::parseBytes(const std::string &text) {
  const std::pair<const char *, double> units[] = {
      {"", 1},         {"KB", 1e3},     {"MB", 1e6},
      {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  size_t end = text.find_first_not_of("0123456789.");
  std::string number = text.substr(0, end);
  std::string unit = end == std::string::npos ? "" : text.substr(end);
  for (auto [name, factor] : units) {
    if (unit != name || !isDecimal(number))
      continue;
    double bytes = strtod(number.c_str(), nullptr) * factor;
    if (bytes >= 1 && bytes < 9e15)
      return static_cast<int64_t>(bytes);
  }
  return std::nullopt;
}

static void checkOptions(const TrainingOptions &options) {
  Decay decay;
  if (!parseDecay(options.lrSchedule, decay))
    fail(ExitUsage,
         format("--lr-schedule: no schedule is called '%s'",
                options.lrSchedule.c_str()),
         "valid values are constant, linear, cosine, wsd");
  std::vector<int64_t> weights;
  if (!options.dataWeights.empty())
    if (std::string problem = parseProportions(options.dataWeights, weights);
        !problem.empty())
      fail(ExitUsage, "--data-weights: " + problem,
           "--data a.bin,b.bin --data-weights 0.3,0.7 takes three of ten "
           "samples from a.bin");
  int64_t scale = options.initialLossScale;
  if (scale & (scale - 1))
    fail(ExitUsage,
         format("--initial-loss-scale: %lld is no power of two",
                static_cast<long long>(scale)),
         "any other scale would round every gradient");
  if (options.beta1 >= 1 || options.beta2 >= 1)
    fail(ExitUsage, "--beta1 and --beta2 must be less than 1");
  if (options.minLr > options.lr)
    fail(ExitUsage, format("--min-lr %g is greater than --lr %g", options.minLr,
                           options.lr));
  for (const char *name :
       {"save-every", "keep", "save-dtype", "max-shard-size", "weights-only"})
    if (options.given.count(name) && options.save.empty())
      fail(ExitUsage, format("--%s needs --save DIR", name));
  if (options.saveDtype != "source" && options.saveDtype != "f32")
    fail(ExitUsage,
         format("--save-dtype: '%s' is not known", options.saveDtype.c_str()),
         "valid values are source and f32");
  if (!parseBytes(options.maxShardSize))
    fail(ExitUsage,
         format("--max-shard-size: '%s' is no size in bytes",
                options.maxShardSize.c_str()),
         "sizes are 5GB, 500MB, 64MiB or 1000000");
  int64_t from, to;
  if (options.given.count("trace-steps") &&
      !parseTraceSteps(options.traceSteps, from, to))
    fail(ExitUsage,
         format("--trace-steps: '%s' is no range of steps",
                options.traceSteps.c_str()),
         "--trace-steps 10:12 traces steps 10, 11 and 12");
  if (options.given.count("trace-steps") && options.trace.empty())
    fail(ExitUsage, "--trace-steps needs --trace FILE");
  for (const char *name : {"eval-every", "eval-batches"})
    if (options.given.count(name) && options.valData.empty())
      fail(ExitUsage, format("--%s needs --val-data PATH", name));
  if (!options.init.empty() && !options.resume.empty())
    fail(ExitUsage,
         format("--init %s and --resume %s: a resumed run has the checkpoint's "
                "weights",
                options.init.c_str(), options.resume.c_str()),
         "leave one out; --init DIR/step-... starts a new run with those of a "
         "checkpoint");
}

TrainingOptions pcc::parseOptions(int argc, char **argv) {
  TrainingOptions options;
  std::vector<Group> groups = groupsOf(options);
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "-h") {
      options.help = true;
      continue;
    }
    if (argument.compare(0, 2, "--") != 0)
      unknownFlag(groups, argument, argument);
    size_t equals = argument.find('=');
    bool attached = equals != std::string::npos;
    std::string name = argument.substr(2, attached ? equals - 2 : equals);
    const Flag *flag = findFlag(groups, name);
    if (!flag)
      unknownFlag(groups, argument, name);
    std::string value;
    if (attached)
      value = argument.substr(equals + 1);
    else if (flag->kind == Kind::Switch)
      value = "true";
    else if (i + 1 < argc)
      value = argv[++i];
    else
      fail(ExitUsage, format("--%s needs a value", flag->name));
    std::string problem = assign(*flag, value);
    if (!problem.empty())
      fail(ExitUsage, format("--%s: %s", flag->name, problem.c_str()));
    auto [known, isNew] = options.given.insert({flag->name, value});
    if (!isNew)
      fail(ExitUsage, format("--%s is given twice", flag->name) +
                          (flag->kind == Kind::Switch
                               ? ""
                               : format(": '%s' and '%s'",
                                        known->second.c_str(), value.c_str())));
  }
  if (!options.help && !options.info && !options.version)
    checkOptions(options);
  return options;
}

std::string pcc::helpText(const std::string &program) {
  TrainingOptions options;
  std::string text =
      format("Usage: %s --data PATH [options]\n", program.c_str());
  for (const Group &group : groupsOf(options)) {
    text += format("\n%s:\n", group.title);
    for (const Flag &flag : group.flags) {
      std::string left = format("--%s %s", flag.name, flag.placeholder);
      text += format("  %-20s %s\n", left.c_str(), flag.help);
    }
  }
  text +=
      "\nExit codes: 0 done, 2 usage, 3 ranks or launcher, 4 data or "
      "weights,\n5 loss not finite, 6 out of memory, 7 a rank or its GPU was "
      "lost,\n8 checkpoint or output, 9 no usable device, driver or "
      "library,\n128 + n signal n.\nSIGTERM, SIGUSR1 and SIGHUP end a run "
      "after the current step, with a\ncheckpoint; a second SIGTERM, or "
      "Ctrl-C, ends it at once.\nOMP_NUM_THREADS sets the threads of each "
      "rank, PCC_START_SECONDS the time\nthat ranks may take to start.\n";
  return text;
}

/// Returns the value of a flag as text. 17 digits represent a double exactly.
static std::string textOf(const Flag &flag, int digits = 17) {
  switch (flag.kind) {
  case Kind::Text:
    return *static_cast<std::string *>(flag.value);
  case Kind::Switch:
    return *static_cast<bool *>(flag.value) ? "true" : "false";
  case Kind::Count:
    return std::to_string(*static_cast<int64_t *>(flag.value));
  case Kind::Real:
    return format("%.*g", digits, *static_cast<double *>(flag.value));
  }
  return "";
}

std::vector<std::pair<std::string, std::string>>
pcc::savedOptions(const TrainingOptions &options) {
  TrainingOptions copy = options;
  std::vector<std::pair<std::string, std::string>> saved;
  for (const Group &group : groupsOf(copy))
    for (const Flag &flag : group.flags) {
      bool isUnset =
          (flag.value == &copy.minLr && copy.minLr < 0) ||
          (flag.value == &copy.dataWeights && copy.dataWeights.empty());
      if (!flag.saved || isUnset)
        continue;
      saved.push_back({flag.name, textOf(flag)});
    }
  return saved;
}

std::vector<std::string> pcc::commonOptions(const TrainingOptions &options) {
  TrainingOptions copy = options;
  std::vector<std::string> texts;
  const int people = 15; // with 17 digits, 0.1 is 0.10000000000000001
  for (const Group &group : groupsOf(copy))
    for (const Flag &flag : group.flags) {
      std::string name = flag.name;
      // --no-cuda-graphs is common: NCCL requires that all ranks or none record
      // an operation in a graph.
      bool isOwn = name == "timeout" || name == "log-every" || name == "model";
      if (isOwn)
        continue;
      std::string value = textOf(flag, people);
      bool isWord = name == "lr-schedule" || name == "save-dtype" ||
                    name == "max-shard-size" || value == "random" ||
                    value == "from-onnx"; // values of --init
      isWord |= name == "data-weights" && !value.empty();
      if (flag.kind != Kind::Text || isWord)
        texts.push_back("--" + name + " " + value);
      else
        texts.push_back((value.empty() ? "no --" : "--") + name);
    }
  return texts;
}

std::vector<std::string> pcc::changedOptions(const TrainingOptions &before,
                                             const TrainingOptions &after) {
  // Six digits for messages; checkpoints store 17.
  auto shortened = [](const std::string &value) {
    char *end;
    double number = strtod(value.c_str(), &end);
    bool isReal = !*end && value.find_first_of(".e") != std::string::npos;
    return isReal ? format("%g", number) : value;
  };
  std::map<std::string, std::string> was;
  for (auto &[name, value] : savedOptions(before))
    was[name] = value;
  std::vector<std::string> changes;
  for (auto &[name, value] : savedOptions(after)) {
    auto it = was.find(name);
    if (it == was.end())
      changes.push_back(format("--%s %s, not given before", name.c_str(),
                               shortened(value).c_str()));
    else if (it->second != value)
      changes.push_back(format("--%s %s -> %s", name.c_str(),
                               shortened(it->second).c_str(),
                               shortened(value).c_str()));
  }
  return changes;
}

void pcc::restoreOption(TrainingOptions &options, const std::string &name,
                        const std::string &value) {
  if (options.given.count(name))
    return;
  std::vector<Group> groups = groupsOf(options);
  const Flag *flag = findFlag(groups, name);
  if (!flag || !flag->saved || !assign(*flag, value).empty())
    fail(ExitOutput, format("the checkpoint has '%s' for --%s", value.c_str(),
                            name.c_str()));
}
