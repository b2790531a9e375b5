//===- Fit.cpp - Memory limit ---------------------------------------------===//

#include "tools/pcc/Fit.h"
#include "tools/pcc/PlanMemory.h"
#include "llvm/Support/MathExtras.h"
#include <unistd.h>

using namespace mlir;
using namespace pcc;

namespace {
/// Another plan, and its distance from the given one.
struct Candidate {
  Options options;
  int distance;
};
} // namespace

/// The number of times that one size must be doubled or halved to get the
/// other.
static int distanceOf(int64_t from, int64_t to) {
  return std::abs(int(llvm::Log2_64_Ceil(from)) - int(llvm::Log2_64_Ceil(to)));
}

/// Returns the plans with the same number of ranks and the same global batch,
/// the nearest first.
static std::vector<Candidate> findCandidates(const Options &asked) {
  std::vector<Candidate> candidates;
  // Selective recomputation comes after all changes of the micro batch, then
  // higher ZeRO stages, which communicate more, then full recomputation, then
  // other sizes of tp, pp and dp. Offload comes last, because its state crosses
  // a slow link in each step.
  constexpr int kSelective = 32, kOtherStage = 64, kFull = 4 * kOtherStage,
                kOtherSplit = 4 * kFull, kOffload = 256 * kOtherSplit;
  auto push = [&](const Options &plan, int distance) {
    if (distance)
      candidates.push_back({plan, distance});
    if (!asked.offload.empty())
      return;
    Options options = plan;
    options.offload = asked.hasDevice() ? "optimizer" : "optimizer=DIR";
    candidates.push_back({options, distance + kOffload});
  };
  auto addRecomputing = [&](const Options &plan, int distance) {
    push(plan, distance);
    for (auto [kind, further] :
         {std::pair("selective", kSelective), std::pair("full", kFull)}) {
      bool isMore = asked.recompute == "none" ||
                    (asked.recompute == "selective" && further == kFull);
      if (!isMore)
        continue;
      Options options = plan;
      options.recompute = kind;
      push(options, distance + further);
    }
  };
  auto add = [&](int64_t tp, int64_t pp, int64_t dp, int64_t micro,
                 int distance) {
    if (asked.globalBatch % (micro * dp) || dp % asked.ep)
      return;
    Options options = asked;
    options.tp = tp;
    options.pp = pp;
    options.dp = dp;
    options.etp = asked.splitsOnlyExperts() ? 1 : 0;
    options.microBatch = micro;
    addRecomputing(options, distance);
    if (dp * asked.cp == 1)
      return;
    int64_t stage = options.zeroStage();
    for (int64_t larger = stage + 1; larger <= 3; ++larger) {
      options.zero = std::to_string(larger);
      addRecomputing(options, distance + kOtherStage * int(larger - stage));
    }
  };
  auto addAll = [&](int64_t tp, int64_t pp, int64_t dp, int distance) {
    for (int64_t micro = asked.microBatch; micro > 0; micro /= 2)
      add(tp, pp, dp, micro,
          kOtherSplit * distance + distanceOf(asked.microBatch, micro));
  };
  addAll(asked.tp, asked.pp, asked.dp, 0);
  int64_t ranks = asked.tp * asked.pp * asked.dp;
  for (int64_t tp = 1; tp <= ranks; ++tp)
    for (int64_t pp = 1; ranks % tp == 0 && pp <= ranks / tp; ++pp) {
      int64_t dp = ranks / tp / pp;
      if (ranks % (tp * pp) || (tp == asked.tp && pp == asked.pp))
        continue;
      addAll(tp, pp, dp,
             distanceOf(asked.tp, tp) + distanceOf(asked.pp, pp) +
                 distanceOf(asked.dp, dp));
    }
  auto key = [](const Candidate &candidate) {
    const Options &options = candidate.options;
    return std::make_tuple(candidate.distance, options.tp, options.pp,
                           options.microBatch);
  };
  llvm::sort(candidates, [&](const Candidate &a, const Candidate &b) {
    return key(a) < key(b);
  });
  return candidates;
}

/// Returns the memory of this machine, in bytes.
static int64_t hostMemory() {
  return int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

LogicalResult pcc::checkMemory(Location loc, const Summary &summary,
                               const Arguments &arguments,
                               const ONNXFile &file) {
  const Options &asked = arguments.options;
  auto [stage, bytes] = summary.getLargestStage();
  if (!asked.seqSource.empty() && bytes > hostMemory()) {
    InFlightDiagnostic diag =
        emitError(loc) << "a rank of stage " << stage << " needs "
                       << formatBytes(bytes) << " for sequences of "
                       << asked.seq << " tokens, more than this machine's "
                       << formatBytes(hostMemory());
    diag.attachNote() << "the length is the model's longest: "
                      << asked.seqSource;
    diag.attachNote() << "add --seq N to choose it";
    return diag;
  }
  if (!asked.memoryLimit || bytes <= asked.memoryLimit)
    return success();
  InFlightDiagnostic diag = emitError(loc) << "a rank of stage " << stage
                                           << " needs " << formatBytes(bytes)
                                           << ", more than --memory-limit "
                                           << formatBytes(asked.memoryLimit);
  std::string parts;
  llvm::raw_string_ostream os(parts);
  summary.printMemory(os, stage);
  diag.attachNote() << parts;

  PlanMemory plans(arguments, file);
  auto memoryOf = [&](const Options &plan) { return plans.of(plan); };
  // Most plans are far from fitting. A plan that does not fit with full
  // recomputation need not be tried without, except for the little more memory
  // that recomputing a layer may need. This saves a third of all compiles.
  auto isHopeless = [&](Options plan) {
    plan.recompute = "full";
    std::optional<int64_t> needs = memoryOf(plan);
    return !needs || *needs > asked.memoryLimit + asked.memoryLimit / 8;
  };
  std::optional<Candidate> least;
  int64_t leastBytes = bytes;
  for (const Candidate &candidate : findCandidates(asked)) {
    if (candidate.options.recompute != "full" && isHopeless(candidate.options))
      continue;
    std::optional<int64_t> needs = memoryOf(candidate.options);
    bool fits = needs && *needs <= asked.memoryLimit;
    // Offload that saves little is only worth it if the plan then fits.
    bool isSlow = candidate.options.offload != asked.offload;
    int64_t most = isSlow && !fits ? leastBytes / 16 * 15 : leastBytes;
    if (!needs || *needs >= most)
      continue;
    least = candidate;
    leastBytes = *needs;
    if (fits) {
      diag.attachNote() << "this fits with " << formatBytes(*needs) << ": "
                        << plans.describe(candidate.options);
      return diag;
    }
  }
  Diagnostic &note = diag.attachNote()
                     << "no other plan with as many ranks fits";
  if (least)
    note << "; " << plans.describe(least->options)
         << " needs least: " << formatBytes(leastBytes);
  diag.attachNote() << "use more ranks: a larger --tp or --pp";
  return diag;
}
