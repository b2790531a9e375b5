//===- Traffic.cpp - What a kernel moves on a device ----------------------===//

#include "tools/pcc-kernels/Traffic.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "runtime/emulated/Sectors.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Kernels that move less are left alone: they are over at once.
static constexpr int64_t kSmall = 1 << 20;
/// Kernels that move more need so many blocks.
static constexpr int64_t kLarge = 4 << 20, kLeastBlocks = 256;
static constexpr double kMost = 1.1, kMostOfRows = 1.3;

TrafficKind pcc::trafficKindOf(func::FuncOp kernel) {
  TrafficKind kind = TrafficKind::Plain;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<nn::AttentionOp, nn::AttentionGradOp>(op))
      return TrafficKind::Attention;
    if (isa<nn::EmbeddingGradOp>(op))
      kind = TrafficKind::Scatter;
    else if (isColumnSum(&op))
      kind = TrafficKind::ColumnSum;
    else if (isa<nn::EmbeddingOp>(op) && kind == TrafficKind::Plain)
      kind = TrafficKind::Gather;
  }
  return kind;
}

static StringRef nameOf(TrafficKind kind) {
  switch (kind) {
  case TrafficKind::Plain:
    return "plain";
  case TrafficKind::Gather:
    return "gather";
  case TrafficKind::Scatter:
    return "scatter";
  case TrafficKind::ColumnSum:
    return "columns";
  case TrafficKind::Attention:
    return "attention";
  }
  return "";
}

namespace {
/// The buffers of a launch.
class Buffers {
public:
  Buffers(const Runnable::Kernel &kernel, uint64_t seed) : random(seed) {
    for (auto [i, buffer] : llvm::enumerate(kernel.device.buffers)) {
      if (buffer.inplace >= 0) {
        pointers.push_back(pointers[buffer.inplace]);
        continue;
      }
      bytes.emplace_back(aligned_alloc(64, llvm::alignTo(buffer.bytes, 64)));
      pointers.push_back(bytes.back().get());
      // Of any type of floats some small number.
      memset(pointers.back(), 0x3c, buffer.bytes);
      if (auto type = dyn_cast<IntegerType>(buffer.element))
        drawIds(buffer.bytes, type.getWidth(),
                i < kernel.ids.size() ? kernel.ids[i] : RowIds());
    }
  }
  std::vector<void *> pointers;

private:
  /// Rows are looked up once each, if there are enough: what is read twice is
  /// no waste. Rows are added to as often as words are used: that of the k-th
  /// 1/k times as often as that of the first.
  void drawIds(int64_t size, int64_t width, RowIds ids) {
    std::uniform_real_distribution<double> uniform(0, 1);
    auto *at = static_cast<unsigned char *>(pointers.back());
    int64_t each = llvm::divideCeil(width, 8), rows = ids.rows;
    int64_t step = rows * 5 / 8 + 1;
    while (rows && std::gcd(step, rows) != 1)
      ++step;
    std::vector<int64_t> sorted;
    for (int64_t i = 0; ids.areSorted && i < size / each; ++i)
      sorted.push_back(int64_t(std::pow(rows + 1, uniform(random))) - 1);
    llvm::sort(sorted);
    for (int64_t i = 0; i < size / each; ++i) {
      int64_t id = 1;
      if (ids.areSorted)
        id = sorted[i];
      else if (ids.areAdded)
        id = int64_t(std::pow(rows + 1, uniform(random))) - 1;
      else if (rows)
        id = i * step % rows;
      else if (size > each) // One alone is the number of a step.
        id = random() % 2;
      memcpy(at + i * each, &id, each);
    }
  }

  struct Free {
    void operator()(void *memory) const { free(memory); }
  };
  std::mt19937_64 random;
  std::vector<std::unique_ptr<void, Free>> bytes;
};
} // namespace

KernelTraffic pcc::countTraffic(const Runnable::Kernel &kernel,
                                TrafficKind kind, uint64_t seed) {
  KernelTraffic traffic;
  Buffers buffers(kernel, seed);
  pcc_emu_reset();
  pcc_emu_seed(seed);
  pcc_emu_check_races(0);
  pcc_emu_launch(kernel.emulated, buffers.pointers.data());
  traffic.counts = pcc_emu_count(kernel.emulated->name);
  int64_t bytes = traffic.least() * Sectors::kBytes;
  double most = kind == TrafficKind::Plain ? kMost : kMostOfRows;
  if (kind != TrafficKind::Attention && bytes > kSmall &&
      traffic.times() > most)
    traffic.problem = "moves more than " +
                      std::string(most == kMost ? "1.1" : "1.3") +
                      " times the least";
  if (bytes > kLarge && kernel.device.grid < kLeastBlocks)
    traffic.problem +=
        std::string(traffic.problem.empty() ? "" : ", ") + "has too few blocks";
  return traffic;
}

bool pcc::reportTraffic(ModuleOp module, StringRef only, uint64_t seed) {
  auto runnable = Runnable::create(module, only, /*withCpu=*/false);
  if (!runnable)
    return true;
  llvm::StringMap<TrafficKind> kinds;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(rt::kKernelAttr))
      kinds[deviceName(kernel.getName())] = trafficKindOf(kernel);
  int64_t judged = 0, bad = 0;
  llvm::outs() << "     KiB  kind       reads  writes  times  blocks  threads  "
                  "shared  kernel\n";
  for (const Runnable::Kernel &kernel : runnable->getKernels()) {
    TrafficKind kind = kinds.lookup(kernel.device.name);
    KernelTraffic traffic = countTraffic(kernel, kind, seed);
    const pcc_emu_counts &counts = traffic.counts;
    auto part = [](int64_t count, int64_t least) {
      return least ? double(count) / double(least) : 1;
    };
    int64_t bytes = traffic.least() * Sectors::kBytes;
    judged += bytes > kSmall;
    bad += !traffic.problem.empty();
    llvm::outs() << llvm::format(
                        "%8lld  %-9s  %5.2f  %6.2f  %5.2f  %6lld  %7lld  "
                        "%6lld  ",
                        (long long)bytes / 1024, nameOf(kind).data(),
                        part(counts.read_sectors, counts.distinct_read),
                        part(counts.written_sectors, counts.distinct_written),
                        traffic.times(), (long long)kernel.device.grid,
                        (long long)kernel.device.block,
                        (long long)kernel.device.shared)
                 << kernel.device.name;
    if (!traffic.problem.empty())
      llvm::outs() << ": " << traffic.problem;
    llvm::outs() << "\n";
    llvm::outs().flush();
  }
  llvm::outs() << runnable->getKernels().size() << " kernels, " << judged
               << " of more than 1 MiB, " << bad << " beyond bounds\n";
  return bad;
}
