//===- Traffic.cpp - Memory traffic of a kernel ---------------------------===//

#include "tools/pcc-kernels/Traffic.h"
#include "dialects/NN/VisibleKeys.h"
#include "passes/Codegen/Gpu/GroupedGemm.h"
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

/// Kernels that move less have no bounds: they take hardly any time.
static constexpr int64_t kSmall = 1 << 20;
/// Kernels that move more than kLarge need kLeastBlocks blocks.
static constexpr int64_t kLarge = 4 << 20, kLeastBlocks = 256;
static constexpr double kMost = 1.1, kMostOfRows = 1.3;
/// A margin for operands of attention that are not counted, such as the seed.
static constexpr double kBeside = 1.01;

TrafficKind pcc::trafficKindOf(func::FuncOp kernel) {
  TrafficKind kind = TrafficKind::Plain;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<nn::AttentionOp, nn::AttentionGradOp>(op))
      return TrafficKind::Attention;
    if (isa<nn::GroupedContractOp>(op))
      return TrafficKind::Grouped;
    if (isa<nn::EmbeddingGradOp>(op))
      kind = TrafficKind::Scatter;
    else if (isColumnSum(&op))
      kind = TrafficKind::ColumnSum;
    else if (isa<nn::EmbeddingOp>(op) && kind == TrafficKind::Plain)
      kind = TrafficKind::Gather;
  }
  return kind;
}

namespace {
/// The traffic of attention by tiles, in sectors.
class TileTraffic {
public:
  /// Op is `nn.attention` or `nn.attention_grad`.
  template <typename Op>
  explicit TileTraffic(Op op)
      : queries(sectors(op.getQ())),
        keys(sectors(op.getK()) + sectors(op.getV())),
        results(sectors(op.getResult())) {
    ArrayRef<int64_t> shape = nn::tensorType(op.getQ()).getShape();
    ArrayRef<int64_t> value = nn::tensorType(op.getV()).getShape();
    int64_t others = value[1];
    mask = nn::VisibleKeys(op);
    bool isForward = std::is_same_v<Op, nn::AttentionOp>;
    bool isNarrow = std::max(shape[3], value[3]) <= 64 &&
                    nn::tensorType(op.getQ()).getElementTypeBitWidth() == 16;
    if (!isForward && isNarrow && !op.getBias())
      rowsOfTile = 64;
    heads = double(shape[2]) / double(value[2]);
    ofQueries = tiles(shape[1], others, Seen::Keys);
    ofKeys = tiles(others, shape[1], Seen::Queries);
    // Each block reads the positions of its own rows and of all columns, which
    // tell the tiles that it skips.
    double each = double(shape[0] * shape[2] * int64_t(sizeof(int64_t))) /
                  Sectors::kBytes;
    placesOfQueries =
        each * double(shape[1]) +
        each * double(others) * tiles(shape[1], others, Seen::All);
    placesOfKeys = each * double(others) +
                   each * double(shape[1]) * tiles(others, shape[1], Seen::All);
    // With a window, chunks or documents, positions of visible tiles are read
    // again.
    if (mask.isBounded() || op.getStarts()) {
      placesOfQueries += each * double(others) * ofQueries;
      placesOfKeys += each * double(shape[1]) * ofKeys;
    }
    // The starts of documents are read with the positions of queries.
    if (op.getStarts()) {
      placesOfQueries += each * double(shape[1]);
      placesOfKeys += each * double(shape[1]) *
                      (tiles(others, shape[1], Seen::All) + ofKeys);
    }
    double all = tiles(shape[1], others, Seen::All);
    double pairs = double(
        llvm::divideCeil(others, keysOfPair(std::max(shape[3], value[3]))));
    ofPairs = pairs * ofQueries / all;
    if (Value bias = op.getBias())
      placesOfPairs = double(nn::tensorType(bias).getDimSize(0) *
                             nn::tensorType(bias).getDimSize(1) *
                             int64_t(sizeof(int64_t))) *
                      (double(shape[1]) * pairs + double(others) * all) /
                      Sectors::kBytes;
    // A row's value takes a whole sector, since the values of a head are not
    // contiguous.
    double rows = double(shape[0] * shape[1] * shape[2]);
    stats = op.getBias() ? 2 * rows : rows;
    if (op.getBias())
      countBias(op.getBias(), nn::tensorType(op.getQ()), others);
  }

  /// q once, and for each tile of queries of a head the keys and values that
  /// they see.
  double forward() const {
    return queries + heads * keys * ofQueries + biasOfQueries +
           placesOfQueries + results + stats;
  }
  /// For each tile of keys, the operands of the queries that see them, and vice
  /// versa; the operands of the tile itself; and the cotangents.
  double backward(double cotangents) const {
    return keys + ofQuery() * ofKeys + biasOfKeys + placesOfKeys + ofQuery() +
           heads * keys * ofQueries + biasOfQueries + placesOfQueries +
           cotangents;
  }
  /// For each tile of the bias' cotangent, the operands of its queries and keys
  /// for all samples and heads, and their positions once.
  double ofBiasCotangent() const {
    return ofQuery() * ofPairs + heads * keys * ofQueries + biasOfQueries +
           placesOfPairs;
  }

  static double sectors(Value value) {
    RankedTensorType tensor = nn::tensorType(value);
    return double(tensor.getNumElements() * tensor.getElementTypeBitWidth()) /
           8 / Sectors::kBytes;
  }

private:
  /// What a tile of rows reads: all others; the keys that its queries see; or
  /// the queries that see its keys.
  enum class Seen { All, Keys, Queries };
  /// How often all of `others` are read, for tiles of `count` rows. With a
  /// causal mask, it is half as often, plus the tiles on the diagonal; with a
  /// window or chunks, only the tiles that some row reaches. Positions are
  /// assumed to be consecutive.
  double tiles(int64_t count, int64_t others, Seen seen) const {
    double all = double(llvm::divideCeil(count, rowsOfTile));
    if (seen == Seen::All || !mask.isCausal || count != others)
      return all;
    if (!mask.isBounded())
      return (all + 1) / 2;
    double read = 0;
    for (int64_t first = 0; first < count; first += rowsOfTile) {
      int64_t end = std::min(first + rowsOfTile, count), from = first;
      if (seen == Seen::Keys) {
        from = std::max<int64_t>(0, mask.first(first));
      } else {
        int64_t key = end - 1;
        while (end < count && mask.sees(end, key))
          ++end;
      }
      read += double(std::min<int64_t>(llvm::alignTo(end, kOthers), others) -
                     from / kOthers * kOthers);
    }
    return read / double(others);
  }
  /// Keys of a tile of the bias' cotangent, by the width of heads.
  static int64_t keysOfPair(int64_t width) { return width > 64 ? 32 : 64; }

  /// The operands of all queries, once.
  double ofQuery() const { return queries + 2 * results + stats; }

  /// Counts the bias of each pair that is not skipped, or of each query or key
  /// that a tile has. One access of a warp reads the bias of 8 consecutive
  /// keys; of 4 if keys are rows and FMAs are used. If those are less than a
  /// sector, several accesses read the same one.
  void countBias(Value bias, RankedTensorType query, int64_t others) {
    ArrayRef<int64_t> shape = query.getShape();
    ArrayRef<int64_t> of = nn::tensorType(bias).getShape();
    double bytes = nn::tensorType(bias).getElementTypeBitWidth() / 8.0;
    double pairs = double(shape[0] * shape[2]);
    auto sectorsOf = [&](double elements, int64_t together) {
      double least = std::max(1.0, Sectors::kBytes / (bytes * together));
      return pairs * elements * bytes * least / Sectors::kBytes;
    };
    bool hasQueries = of[2] > 1, hasKeys = of[3] > 1;
    double s = double(shape[1]), t = double(others);
    int64_t together = query.getElementType().isF32() ? 4 : 8;
    if (hasQueries && hasKeys) {
      biasOfQueries =
          sectorsOf(t * s / tiles(shape[1], others, Seen::All) * ofQueries, 8);
      biasOfKeys = sectorsOf(
          t * s / tiles(others, shape[1], Seen::All) * ofKeys, together);
    } else if (hasKeys) {
      biasOfQueries = sectorsOf(t * ofQueries, 8);
      biasOfKeys = sectorsOf(t, together);
    } else {
      biasOfQueries = sectorsOf(s, together);
      biasOfKeys = sectorsOf(s * ofKeys, 8);
    }
  }

  /// The most others that a tile has.
  static constexpr int64_t kOthers = 64;
  nn::VisibleKeys mask;
  /// Rows of a block: 64 in the backward pass of bf16 or fp16 heads of at most
  /// 64 elements without a bias.
  int64_t rowsOfTile = 128;
  double queries, keys, results, stats;
  double placesOfQueries, placesOfKeys, placesOfPairs = 0;
  double heads; ///< of queries, for each of keys
  double ofQueries, ofKeys, ofPairs;
  /// The sectors of the bias, for all tiles of queries, and of keys.
  double biasOfQueries = 0, biasOfKeys = 0;
};
} // namespace

/// The sectors of a grouped contraction: each tile reads its rows and columns
/// of the factors, and each warp the ends.
static double mostOfGrouped(func::FuncOp kernel) {
  GroupedKernel grouped = GroupedKernel::of(kernel);
  GroupedSizes sizes(grouped.op);
  GroupedTiles tiles(sizes, nn::tensorType(grouped.lhs).getElementType());
  bool isSum = sizes.form == GroupedSizes::Sums;
  double rhs = TileTraffic::sectors(grouped.rhs);
  if (!isSum)
    rhs /= double(sizes.groups);
  double most = TileTraffic::sectors(grouped.lhs) * double(tiles.columnTiles) +
                rhs * double(tiles.rowTiles) +
                TileTraffic::sectors(grouped.result);
  if (grouped.before)
    most += TileTraffic::sectors(grouped.before);
  const double warps = 4;
  return most +
         warps * double(tiles.blocks()) * (isSum ? 2 : double(sizes.groups));
}

double pcc::mostOfTiles(func::FuncOp kernel) {
  if (findGrouped(kernel))
    return mostOfGrouped(kernel);
  double most = 0;
  kernel.walk([&](Operation *op) {
    if (auto forward = dyn_cast<nn::AttentionOp>(op))
      most += TileTraffic(forward).forward();
    auto grad = dyn_cast<nn::AttentionGradOp>(op);
    if (!grad)
      return;
    double cotangents = 0;
    for (Value made : {grad.getDq(), grad.getDk(), grad.getDv()})
      cotangents += TileTraffic::sectors(made);
    TileTraffic tiles(grad);
    most += tiles.backward(cotangents);
    if (Value dbias = grad.getDbias(); dbias && !dbias.use_empty())
      most += tiles.ofBiasCotangent() + TileTraffic::sectors(dbias);
  });
  return most;
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
  case TrafficKind::Grouped:
    return "grouped";
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
      // A small number in every float type.
      memset(pointers.back(), 0x3c, buffer.bytes);
      if (auto type = dyn_cast<IntegerType>(buffer.element))
        drawIds(buffer.bytes, type.getWidth(),
                i < kernel.ids.size() ? kernel.ids[i] : RowIds());
    }
  }
  std::vector<void *> pointers;

private:
  /// Draws ids. Each row is looked up once if there are enough rows, since
  /// repeated reads are not waste. Rows are added to with the frequency of
  /// words: the k-th 1/k times as often as the first.
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
      if (ids.areInOrder)
        id = i;
      else if (ids.areSorted)
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

/// Returns the bound on a kernel's traffic, as a multiple of the minimum.
static double mostTimes(const TrafficRule &rule, const KernelTraffic &traffic) {
  if (rule.most > 0)
    return kBeside * rule.most / double(traffic.least());
  return rule.kind == TrafficKind::Plain ? kMost : kMostOfRows;
}

KernelTraffic pcc::countTraffic(const Runnable::Kernel &kernel,
                                const TrafficRule &rule, uint64_t seed) {
  KernelTraffic traffic;
  Buffers buffers(kernel, seed);
  pcc_emu_reset();
  pcc_emu_seed(seed);
  pcc_emu_check_races(0);
  pcc_emu_launch(kernel.emulated, buffers.pointers.data());
  traffic.counts = pcc_emu_count(kernel.emulated->name);
  int64_t bytes = traffic.least() * Sectors::kBytes;
  if (bytes > kSmall && traffic.times() > mostTimes(rule, traffic))
    llvm::raw_string_ostream(traffic.problem) << llvm::format(
        "moves more than %.3g times the least", mostTimes(rule, traffic));
  if (bytes > kLarge && kernel.device.grid < kLeastBlocks)
    traffic.problem +=
        std::string(traffic.problem.empty() ? "" : ", ") + "has too few blocks";
  return traffic;
}

bool pcc::reportTraffic(ModuleOp module, const KernelChoice &choice,
                        uint64_t seed) {
  auto runnable = Runnable::create(module, choice, /*withCpu=*/false);
  if (!runnable)
    return true;
  llvm::StringMap<TrafficRule> rules;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr(rt::kKernelAttr))
      rules[deviceName(kernel.getName())] = {trafficKindOf(kernel),
                                             mostOfTiles(kernel)};
  int64_t judged = 0, bad = 0;
  llvm::outs() << "     KiB  kind       reads  writes  times   most  blocks  "
                  "threads  shared  kernel\n";
  for (const Runnable::Kernel &kernel : runnable->getKernels()) {
    TrafficRule rule = rules.lookup(kernel.device.name);
    KernelTraffic traffic = countTraffic(kernel, rule, seed);
    const pcc_emu_counts &counts = traffic.counts;
    auto part = [](int64_t count, int64_t least) {
      return least ? double(count) / double(least) : 1;
    };
    int64_t bytes = traffic.least() * Sectors::kBytes;
    judged += bytes > kSmall;
    bad += !traffic.problem.empty();
    llvm::outs()
        << llvm::format(
               "%8lld  %-9s  %5.2f  %6.2f  %5.2f  %5.2f  %6lld  %7lld  "
               "%6lld  ",
               (long long)bytes / 1024, nameOf(rule.kind).data(),
               part(counts.read_sectors, counts.distinct_read),
               part(counts.written_sectors, counts.distinct_written),
               traffic.times(), mostTimes(rule, traffic),
               (long long)kernel.device.grid, (long long)kernel.device.block,
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
