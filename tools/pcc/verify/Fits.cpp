//===- Fits.cpp - Whether a program fits into this machine ----------------===//

#include "tools/pcc/verify/Reference.h"
#include "tools/pcc/verify/RunLog.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pcc;

/// Memory of a rank's process apart from its arena.
static constexpr int64_t kProcessBytes = int64_t(32) << 20;

/// Returns the memory that is available, in bytes; 0: unknown.
static int64_t availableMemory() {
  std::string text = readWhole("/proc/meminfo");
  int64_t available = 0;
  StringRef rest = StringRef(text).split("MemAvailable:").second;
  rest = rest.split("kB").first.trim();
  if (rest.getAsInteger(10, available))
    return 0;
  available <<= 10;
  // A container may have less.
  int64_t most = 0, used = 0;
  if (!StringRef(readWhole("/sys/fs/cgroup/memory.max"))
           .trim()
           .getAsInteger(10, most) &&
      !StringRef(readWhole("/sys/fs/cgroup/memory.current"))
           .trim()
           .getAsInteger(10, used))
    available = std::min(available, std::max<int64_t>(most - used, 0));
  return available;
}

LogicalResult pcc::checkFits(const Facts &facts, const Facts &plan,
                             StringRef who, StringRef input) {
  int64_t available = availableMemory();
  int64_t fixed = facts.stateBytes + facts.ranks() * kProcessBytes;
  int64_t activations = facts.bytes - facts.stateBytes;
  if (!available || fixed + activations <= available)
    return success();
  auto note = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << input << ": note: ";
  };
  llvm::errs() << input << ": error: the program of " << who << " needs "
               << formatBytes(double(fixed + activations))
               << ", and this machine has " << formatBytes(double(available))
               << " available\n";
  note() << formatBytes(double(activations))
         << " are activations of a micro batch of " << plan.microBatch
         << ", the rest parameters, gradients and optimizer state\n";
  // Activations are proportional to the micro batch, and at least to the
  // sequence.
  double share = double(available - fixed) / double(activations);
  int64_t micro = int64_t(double(plan.microBatch) * share);
  if (share > 0 && micro >= 1)
    note() << "--micro-batch-size " << micro << " fits\n";
  else if (int64_t seq = int64_t(share * double(plan.seq * plan.microBatch));
           share > 0 && seq >= 1)
    note() << "--micro-batch-size 1 with sequences of " << seq
           << " tokens may fit: --seq " << seq << "\n";
  else
    note() << "a model of at most "
           << int64_t(double(facts.trained) * double(available) /
                      double(fixed) / 2)
           << " parameters fits, of " << facts.trained
           << ": export it with fewer layers\n";
  return failure();
}
