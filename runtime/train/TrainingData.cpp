//===- TrainingData.cpp - The samples that a run trains on ----------------===//

#include "runtime/train/TrainingData.h"

#include "runtime/Backend.h"
#include "runtime/data/Concatenation.h"
#include "runtime/data/Inputs.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/support/Proportions.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <filesystem>
#include <utility>

using namespace pcc;

/// The weights of --data-weights, one for each source.
static std::vector<int64_t> weightsOf(const TrainingOptions &options,
                                      size_t sources) {
  bool isGiven = options.given.count("data-weights") > 0;
  std::vector<int64_t> weights;
  std::string problem = parseProportions(options.dataWeights, weights);
  if (!problem.empty())
    fail(isGiven ? ExitUsage : ExitOutput,
         (isGiven ? "--data-weights: " : "the checkpoint's --data-weights: ") +
             problem);
  auto counted = [](size_t count, const char *what) {
    return format("%lld %s%s", static_cast<long long>(count), what,
                  count == 1 ? "" : "s");
  };
  if (weights.size() != sources)
    fail(ExitUsage,
         format("--data names %s, --data-weights has %s",
                counted(sources, "source").c_str(),
                counted(weights.size(), "weight").c_str()),
         isGiven ? "give a weight for each source"
                 : format("the weights %s are the checkpoint's: give "
                          "--data-weights with a weight for each source",
                          options.dataWeights.c_str()));
  return weights;
}

/// Exits if two entries name the same data: the samples that a source takes
/// would depend on which of them it is.
static void requireDifferent(const std::vector<std::string> &paths) {
  auto fileOf = [](const std::string &path) {
    size_t dot = path.size() - std::min<size_t>(path.size(), 4);
    return path.substr(dot) == ".idx" ? path.substr(0, dot) + ".bin" : path;
  };
  for (size_t i = 0; i < paths.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      std::string a = fileOf(paths[j]), b = fileOf(paths[i]);
      std::error_code isMissing;
      if (a == b || std::filesystem::equivalent(a, b, isMissing))
        fail(ExitUsage,
             format("--data: '%s' and '%s' are the same source",
                    paths[j].c_str(), paths[i].c_str()),
             "name it once, with the sum of the weights");
    }
}

/// Whether a run has had only one source, all of --data, from its first step.
static bool isPlain(const DataPosition &position) {
  return position.since == 0 && position.sources.size() == 1 &&
         position.sources[0].start == 0;
}

TrainingData::TrainingData(const pcc_program &program,
                           const TrainingOptions &options,
                           const DataPosition &earlier)
    : program(program), options(options) {
  bool isBlend = !options.dataWeights.empty();
  std::vector<std::string> paths = {options.data};
  std::vector<int64_t> weights = {1};
  if (isBlend) {
    paths = splitPaths(options.data);
    weights = weightsOf(options, paths.size());
    requireDifferent(paths);
  }
  Sources sources;
  for (const std::string &path : paths)
    sources.push_back(openDataset(program, path, "data"));
  requireSamples(sources);
  sources = continueRun(earlier, std::move(sources), weights);
  if (isBlend) {
    auto all = std::make_unique<BlendDataset>(program, options.data,
                                              std::move(sources));
    blend = all.get();
    data = std::move(all);
  } else {
    data = std::move(sources.front());
  }
  sequence =
      std::make_unique<DataOrder>(position, options.shuffle, options.seed);
}

void TrainingData::requireSamples(const Sources &sources) const {
  // A short source of a blend is repeated within a step.
  int64_t least = options.dataWeights.empty() ? globalBatch(program) : 1;
  for (const auto &source : sources)
    if (source->samples() < least)
      fail(ExitData,
           format("'%s' is too short: it has %s samples, %s needs %lld",
                  source->path().c_str(), grouped(source->samples()).c_str(),
                  options.dataWeights.empty() ? "one step" : "a source",
                  static_cast<long long>(least)),
           source->needed(least));
}

DataPosition
TrainingData::splitFilesOf(const DataPosition &earlier,
                           const std::vector<SourcePosition> &now) const {
  if (!isPlain(earlier))
    return earlier;
  const SourcePosition &whole = earlier.sources.front();
  auto isWhole = [&](const SourcePosition &source) {
    return source.path == whole.path ||
           (!whole.digest.empty() && source.digest == whole.digest);
  };
  if (splitPaths(whole.path).size() < 2 ||
      std::any_of(now.begin(), now.end(), isWhole))
    return earlier;
  FilePositions split;
  if (options.shuffle)
    split.problem = "their samples were shuffled together";
  else
    split = splitFiles(program, whole, earlier.seq, now);
  if (!split.problem.empty()) {
    warn("how far the run was in each file of '" + whole.path +
         "' is not known, since " + split.problem +
         ": each source starts with its first sample");
    return earlier;
  }
  DataPosition files = earlier;
  files.sources = split.sources;
  // No blend of them was begun, and they count samples of this program.
  files.batch = 0;
  files.seq = program.seq;
  return files;
}

TrainingData::Sources
TrainingData::continueRun(const DataPosition &earlier, Sources sources,
                          const std::vector<int64_t> &weights) {
  bool first = backend::rank() == 0, resumes = !earlier.sources.empty();
  std::vector<SourcePosition> now;
  for (size_t i = 0; i < sources.size(); ++i) {
    SourcePosition source;
    source.path = sources[i]->path();
    source.samples = sources[i]->samples();
    source.weight = weights[i];
    // Only checkpoints need it.
    if (first && (resumes || !options.save.empty()))
      source.digest = sources[i]->digest();
    now.push_back(source);
  }
  int64_t batch = globalBatch(program);
  // Without a blend, the samples of a step depend only on its number.
  if (options.dataWeights.empty() && (!resumes || isPlain(earlier))) {
    Continuation run = continuePlain(earlier, now.front(), batch, program.seq);
    position = run.position;
    if (first)
      lines = run.lines;
    for (const std::string &warning : run.warnings)
      if (first)
        warn(warning);
    return sources;
  }
  Continuation run;
  if (first) {
    run = continueFrom(splitFilesOf(earlier, now), now, batch, program.seq);
    for (const std::string &warning : run.warnings)
      warn(warning);
    if (resumes)
      lines = run.lines;
    position = run.position;
  }
  std::vector<int64_t> sent = {position.step, position.since};
  for (size_t i = 0; i < run.given.size(); ++i) {
    const SourcePosition &source = position.sources[i];
    sent.insert(sent.end(), {run.given[i], source.samples, source.number,
                             source.start, source.taken});
  }
  const size_t each = 5;
  sent.resize(2 + each * now.size());
  backend::broadcast(sent.data(),
                     static_cast<int64_t>(sent.size() * sizeof(int64_t)), 0);
  Sources ordered;
  if (!first)
    position = {sent[0], sent[1], batch, program.seq, {}};
  for (size_t i = 0; i < now.size(); ++i) {
    const int64_t *one = &sent[2 + each * i];
    SourcePosition source = now[one[0]];
    if (source.samples != one[1])
      fail(ExitData,
           format("'%s' has %s samples on this rank, and %s on rank 0",
                  source.path.c_str(), grouped(source.samples).c_str(),
                  grouped(one[1]).c_str()),
           "all hosts need the same data");
    ordered.push_back(std::move(sources[one[0]]));
    source.number = one[2];
    source.start = one[3];
    source.taken = one[4];
    if (!first)
      position.sources.push_back(source);
  }
  return ordered;
}

DataPosition TrainingData::positionAfter(int64_t step) const {
  DataPosition after = position;
  after.step = step;
  std::vector<int64_t> taken = sequence->takenAfter(step);
  for (size_t i = 0; i < taken.size(); ++i)
    after.sources[i].taken = taken[i];
  return after;
}

std::string pcc::dataText(const pcc_program &program, const Dataset &data) {
  std::string text =
      data.describe() + ", " + grouped(data.samples()) + " samples";
  if (program.seq)
    text += format(" of %lld", static_cast<long long>(program.seq));
  return text;
}

/// "30% from a.bin: 35,149 tokens (llm.c), 549 samples; 2.73 passes".
std::string TrainingData::sourceText(size_t number) const {
  const SourcePosition &source = position.sources[number];
  double sum = 0;
  for (const SourcePosition &one : position.sources)
    sum += static_cast<double>(one.weight);
  double share = static_cast<double>(source.weight) / sum;
  auto samples = static_cast<double>(source.samples);
  double from = static_cast<double>(source.position()) / samples;
  double steps =
      static_cast<double>(std::max<int64_t>(options.steps - position.step, 0));
  double to =
      from + share * steps * static_cast<double>(position.batch) / samples;
  std::string passes = format("%.2f passes", to);
  if (from > 0)
    passes = format("passes %.2f to %.2f", from, to);
  return format("source     %.6g%% from ", 100 * share) +
         blend->source(number).describe() + ", " + grouped(source.samples) +
         " samples; " + passes + " in " + grouped(options.steps) + " steps\n";
}

std::string TrainingData::describe(bool isOnePass,
                                   const std::string &rest) const {
  std::string text = "data       " + dataText(program, *data);
  if (options.shuffle)
    text += ", shuffled";
  // The samples that one pass omits because they fill no step.
  int64_t left = data->samples() - options.steps * globalBatch(program);
  if (!blend && isOnePass && left > 0)
    text += ", " + grouped(left) + " of them unused";
  text += rest + "\n";
  for (size_t i = 0; blend && i < position.sources.size(); ++i)
    if (position.sources[i].weight > 0)
      text += sourceText(i);
  return text;
}

std::vector<std::string> TrainingData::passesBegun(int64_t step) const {
  std::vector<std::string> begun;
  if (!blend)
    return begun;
  std::vector<int64_t> before = sequence->takenAfter(step - 1),
                       after = sequence->takenAfter(step);
  for (size_t i = 0; i < after.size(); ++i) {
    const SourcePosition &source = position.sources[i];
    // Complete passes before the last sample that was taken.
    auto passes = [&](int64_t taken) {
      return std::max<int64_t>(source.start + taken - 1, 0) / source.samples;
    };
    int64_t was = passes(before[i]), is = passes(after[i]), power = 1;
    while (power <= was)
      power *= 2;
    if (power <= is)
      begun.push_back(format("pass       %s starts again in step %lld: pass %s",
                             source.path.c_str(), static_cast<long long>(step),
                             grouped(is + 1).c_str()));
  }
  return begun;
}
