//===- OneRank.cpp - The one rank that a plan is compared with ------------===//

#include "tools/pcc/verify/OneRank.h"
#include "runtime/Version.h"
#include "runtime/support/Files.h"
#include "tools/pcc/verify/Digests.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace pcc;

/// The flags that choose a plan, and not a model.
static constexpr StringLiteral kOfPlan[] = {
    "tp",           "pp",          "dp",           "cp",
    "ep",           "etp",         "world-size",   "zero",
    "schedule",     "overlap",     "recompute",    "sequence-parallel",
    "vpp",          "stage-cut",   "bucket-size",  "micro-batch-size",
    "memory-limit", "head-chunks", "cp-comm-type", "cp-balance",
    "offload"};

Arguments pcc::oneRank(Arguments arguments, const Facts &plan) {
  Options &options = arguments.options;
  Options model = options;
  options = Options();
  options.dims = model.dims;
  options.seq = model.seq;
  // The length that a text was compiled with.
  if (!arguments.verification->plan.empty() && model.dims.empty())
    options.seq = plan.seq;
  options.loss = model.loss;
  options.documentEnds = model.documentEnds;
  options.keepPositions = model.keepPositions;
  options.moeAuxLoss = model.moeAuxLoss;
  options.moeBiasRate = model.moeBiasRate;
  options.optimizer = plan.optimizer;
  options.optimizerState = plan.optimizerState;
  options.precision = plan.precision;
  options.freeze = model.freeze;
  options.train = model.train;
  options.normPlusOne = model.normPlusOne;
  options.randomInit = model.randomInit;
  options.noDropout = model.noDropout;
  // One rank needs more memory than the plan's ranks.
  options.allowGatheredExperts = true;
  options.runningNorms = model.runningNorms;
  options.paddingMask = model.paddingMask;
  options.targetCpu = model.targetCpu;
  options.vectorLanes = model.vectorLanes;
  options.globalBatch = plan.globalBatch;
  options.globalBatchGiven = true;
  options.microBatch = plan.microBatch * plan.dp;
  llvm::erase_if(arguments.given, [](StringRef flag) {
    return llvm::is_contained(kOfPlan, flag);
  });
  return arguments;
}

/// Adds a file's path and digest; of a folder, those of its files.
static void addFile(llvm::json::Array &files, StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return;
  if (llvm::sys::fs::is_directory(status)) {
    std::error_code error;
    std::vector<std::string> entries;
    for (llvm::sys::fs::directory_iterator at(path, error), end;
         at != end && !error; at.increment(error))
      entries.push_back(at->path());
    llvm::sort(entries);
    for (const std::string &entry : entries)
      if (!llvm::sys::fs::is_directory(entry))
        addFile(files, entry);
    return;
  }
  SmallString<128> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  files.push_back(llvm::json::Array{absolute.str().str(), digestOf(path)});
}

std::string pcc::keyOf(const Arguments &arguments, const Facts &plan) {
  const Options &options = arguments.options;
  const Verification &verification = *arguments.verification;
  llvm::json::Array files;
  addFile(files, arguments.input);
  for (const std::string &file : plan.files)
    addFile(files, file);
  for (const std::string &path : splitPaths(verification.data))
    addFile(files, path);
  addFile(files, "/proc/self/exe");
  llvm::json::Array texts;
  for (const auto &[name, extent] : options.dims)
    texts.push_back(name + "=" + std::to_string(extent));
  for (const auto &[first, second] : arguments.ties.ties)
    texts.push_back(first + "=" + second);
  auto add = [&](const std::vector<std::string> &list) {
    texts.push_back(llvm::json::Array(list));
  };
  add(arguments.ties.unties);
  add(arguments.inputs.shared);
  add(arguments.inputs.perSample);
  for (const std::string *text :
       {&options.loss, &options.optimizer, &options.optimizerState,
        &options.precision, &options.freeze, &options.train,
        &options.normPlusOne, &options.targetCpu})
    texts.push_back(*text);
  int mask = options.paddingMask ? 1 + *options.paddingMask : 0;
  llvm::json::Array numbers{options.seq,
                            options.globalBatch,
                            options.microBatch,
                            options.noDropout,
                            int(options.runningNorms),
                            int(options.randomInit),
                            mask,
                            options.keepPositions,
                            options.moeAuxLoss,
                            options.moeBiasRate,
                            verification.steps};
  for (const DataInput &input : plan.inputs)
    for (int64_t end : input.ends)
      numbers.push_back(end);
  std::string key;
  llvm::raw_string_ostream(key)
      << llvm::json::Value(llvm::json::Object{{"version", PCC_VERSION},
                                              {"files", std::move(files)},
                                              {"data", verification.data},
                                              {"flags", std::move(texts)},
                                              {"numbers", std::move(numbers)}});
  return key;
}
