//===- ThreadLayout.cpp - Which thread does what of a kernel --------------===//

#include "passes/Codegen/Gpu/ThreadLayout.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Gpu/Slice.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Threads of a block of several teams.
static constexpr int64_t kBlock = 256;
/// The most threads of a team.
static constexpr int64_t kMostThreads = 512;
/// Blocks that keep a large device busy; kernels that have less work have
/// fewer.
static constexpr int64_t kBlocks = 256;
/// Accesses of each operand that a thread has under way at a time.
static constexpr int64_t kDepth = 4;
/// Bytes of shared memory for what slices have added up, if a block has more.
static constexpr int64_t kMostSumBytes = 128 * 1024;
/// Half of what is large: a margin, as not all that is moved is looked at.
static constexpr int64_t kLargeBytes = 2 << 20;
/// Of what a block moves, rows that are the same for its units are at most one
/// part in so many.
static constexpr int64_t kSameShare = 32;
/// The most bytes of such rows, as several blocks share a core.
static constexpr int64_t kMostSame = 128 * 1024;
/// Tiles of a row of which something is summed up, each of which does that
/// again: enough that a large device is busy.
static constexpr int64_t kMostTiles = 1024;

SweepColumns codegen::columnsOf(linalg::GenericOp op,
                                const LayoutLimits &limits) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && type.getRank() == 1) {
      if (type.isDynamicDim(0))
        return {limits.columnBlock, true};
      return {type.getDimSize(0), false};
    }
  return {1, false};
}

/// Divisors are of interest up to the elements of an access.
static int64_t limitDivisor(int64_t divisor) {
  return std::min<int64_t>(divisor & -divisor, 1024);
}

int64_t codegen::divisorOf(Value index, int64_t units) {
  if (auto constant = getConstantIntValue(index))
    return limitDivisor(std::abs(*constant));
  auto argument = dyn_cast<BlockArgument>(index);
  if (argument)
    return isa<scf::ForallOp>(argument.getOwner()->getParentOp()) && units == 1
               ? 0
               : 1;
  Operation *op = index.getDefiningOp();
  auto of = [&](unsigned i) { return divisorOf(op->getOperand(i), units); };
  if (isa<arith::MulIOp>(op))
    return limitDivisor(of(0) * of(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp>(op))
    return std::gcd(of(0), of(1));
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    SmallVector<AffineExpr> dims;
    for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
      bool isZero = divisorOf(operand, units) == 0;
      dims.push_back(isZero ? getAffineConstantExpr(0, index.getContext())
                            : getAffineDimExpr(i, index.getContext()));
    }
    AffineExpr expr = simplifyAffineExpr(
        map.getResult(0).replaceDimsAndSymbols(dims, {}), dims.size(), 0);
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return limitDivisor(std::abs(constant.getValue()));
    return limitDivisor(expr.getLargestKnownDivisor());
  }
  return 1;
}

bool codegen::sumsRows(scf::ForOp loop) {
  return getConstantIntValue(loop.getUpperBound()) &&
         llvm::any_of(loop.getOps<linalg::GenericOp>(), [](auto op) {
           return llvm::any_of(op.getOutputs(), [](Value out) {
             return sliceOf(out)
                 .buffer.template getDefiningOp<memref::AllocaOp>();
           });
         });
}

/// Whether a loop over rows does more with these than sum them up.
static bool hasRows(scf::ForOp loop) {
  return llvm::any_of(loop.getOps<linalg::GenericOp>(), [](auto op) {
    return op.getNumReductionLoops() ||
           llvm::any_of(op.getOutputs(), [](Value out) {
             return isa<BlockArgument>(sliceOf(out).buffer);
           });
  });
}

scf::ForOp codegen::findGroupLoop(Block &unit) {
  for (auto loop : unit.getOps<scf::ForOp>())
    if (sumsRows(loop) && hasRows(loop))
      return loop;
  return {};
}

static bool isOneOf(ArrayRef<SameRow> rows, Value memref) {
  Slice slice = sliceOf(memref);
  return llvm::any_of(rows, [&](const SameRow &row) {
    return row.slice.buffer == slice.buffer && row.slice.offset == slice.offset;
  });
}

/// Columns of a sweep that a thread takes at a time: as many as 16 bytes hold
/// of the widest elements in device memory, if all operands are aligned so.
/// Were there more, a warp's access would have gaps, and touch sectors that the
/// next access touches again. Shared memory, where `sameRows` are, has none.
static int64_t widthOf(linalg::GenericOp op, SweepColumns columns,
                       int64_t units, ArrayRef<SameRow> sameRows) {
  int64_t bytes = 0, divisor = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !type.getRank())
      continue;
    if (columns.isDynamic)
      if (auto view = operand.get().getDefiningOp<memref::SubViewOp>())
        if (auto size = dyn_cast<Value>(view.getMixedSizes().front()))
          divisor = std::gcd(divisor, divisorOf(size, units));
    Slice slice = sliceOf(operand.get());
    if (slice.buffer.getDefiningOp<memref::AllocaOp>())
      continue;
    if (slice.offset)
      divisor = std::gcd(divisor, divisorOf(slice.offset, units));
    if (!isOneOf(sameRows, operand.get()))
      bytes = std::max(bytes, bytesOf(type.getElementType()));
  }
  // What is in no memory of the device does not matter; of less than 16 bits
  // accesses would be of less than 16 bytes.
  int64_t width = kAccessBytes / std::clamp<int64_t>(bytes ? bytes : 4, 2, 16);
  // A row's rest is worth a loop of its own where the row is long.
  if (!columns.isDynamic && columns.most < 64)
    divisor = std::gcd(divisor, columns.most);
  while (width > columns.most || divisor % width)
    width /= 2;
  return width;
}

/// The largest number of teams, up to `most`, that leaves enough blocks.
static int64_t teamsFor(int64_t units, int64_t most) {
  while (most > 1 && llvm::divideCeil(units, most) < kBlocks)
    most /= 2;
  return most;
}

/// Threads for rows of so many vectors: of those that leave the fewest idle the
/// most.
static int64_t threadsFor(int64_t vectors, int64_t most) {
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), most);
  auto taken = [&](int64_t t) { return llvm::alignTo(vectors, t); };
  for (int64_t fewer = threads / 2; fewer >= kWarp; fewer /= 2)
    if (taken(fewer) * 8 <= taken(threads) * 7)
      threads = fewer;
  return threads;
}

/// Has blocks do as many units as make little of the rows that are the same for
/// them, but not so many that blocks are too few.
static void shareRows(ThreadLayout &layout, const UnitStride &units) {
  if (units.rows.empty() || layout.slices > 1 || layout.tiles > 1 ||
      layout.units == 1 || units.sameBytes() > kMostSame)
    return;
  bool isLarge = units.ownBytes * layout.units > kLargeBytes;
  int64_t least = isLarge ? kBlocks : kFewBlocks;
  int64_t most = 1;
  while (layout.units / (most * 2) >= least &&
         (units.stride == 1 || units.count % (most * 2) == 0))
    most *= 2;
  int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(
      kSameShare * units.sameBytes(), std::max<int64_t>(units.ownBytes, 1)));
  int64_t perBlock = std::min(most, std::max(wanted, layout.teams));
  // Blocks of at least a warp.
  if (perBlock == 1 ||
      std::min(perBlock, layout.teams) * layout.threads < kWarp)
    return;
  layout.teams = std::min(layout.teams, perBlock);
  layout.rounds = perBlock / layout.teams;
  layout.stride = units.stride;
  layout.sameRows = units.rows;
}

static ThreadLayout layOutTeams(func::FuncOp kernel, const LayoutLimits &limits,
                                ArrayRef<SameRow> sameRows);

ThreadLayout codegen::layOut(func::FuncOp kernel, const LayoutLimits &limits) {
  if (!limits.mayShareRows)
    return layOutTeams(kernel, limits, {});
  UnitStride units = findSameRows(kernel);
  ThreadLayout layout = layOutTeams(kernel, limits, units.rows);
  shareRows(layout, units);
  if (layout.sameRows.empty() && !units.rows.empty())
    return layOutTeams(kernel, limits, {});
  return layout;
}

static ThreadLayout layOutTeams(func::FuncOp kernel, const LayoutLimits &limits,
                                ArrayRef<SameRow> sameRows) {
  auto forall = *kernel.getOps<scf::ForallOp>().begin();
  ThreadLayout layout;
  layout.units = forall.getStaticUpperBound().front();
  bool hasSums = false, hasTemporaries = false, hasLoops = false;
  // Vectors of the longest sweep; columns of the longest that does not reduce,
  // and of all that do.
  int64_t longest = 1, longestMap = 0, summed = 0, columnsOfTile = 1, sums = 0;
  int64_t summedRows = 1;
  forall.walk([&](linalg::GenericOp op) {
    SweepColumns columns = columnsOf(op, limits);
    int64_t width = widthOf(op, columns, layout.units, sameRows);
    auto [it, isNew] = layout.widths.try_emplace(columns, width);
    it->second = std::min(it->second, width);
    if (op.getNumReductionLoops())
      summed += columns.most * op.getNumDpsInputs();
    else
      longestMap = std::max(longestMap, columns.most);
  });
  for (auto [columns, width] : layout.widths) {
    longest = std::max<int64_t>(longest, llvm::divideCeil(columns.most, width));
    columnsOfTile = std::max(columnsOfTile, width);
  }
  forall.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      hasLoops = true;
      if (sumsRows(loop)) {
        hasSums = true;
        summedRows =
            std::max(summedRows, *getConstantIntValue(loop.getUpperBound()));
      }
      for (auto op : loop.getOps<linalg::GenericOp>())
        sums += op.getNumDpsInits();
    }
    if (auto alloca = dyn_cast<memref::AllocaOp>(op))
      hasTemporaries |= alloca.getType().getRank() && !alloca->use_empty();
  });
  int64_t vectors = llvm::PowerOf2Ceil(longest);

  if (scf::ForOp loop = findGroupLoop(*forall.getBody())) {
    int64_t columns = 1;
    for (auto op : loop.getOps<linalg::GenericOp>())
      columns = std::max(columns, columnsOf(op, limits).most);
    layout.threads = threadsOfGroup(columns);
    if (layout.threads == kWarp)
      layout.teams = teamsFor(layout.units, limits.mostWarps);
    layout.isOfGroups = true;
    return layout;
  }
  if (hasSums) {
    layout.threads = vectors;
    // No more than have a row each, but a warp at least.
    int64_t least = std::max<int64_t>(2, kWarp / vectors);
    int64_t rows = std::max<int64_t>(least, llvm::PowerOf2Ceil(summedRows));
    layout.slices = std::clamp(kBlock / vectors, least,
                               std::clamp(limits.mostSlices, least, rows));
    // Few blocks, as of the second step of a sum, are of more threads, as far
    // as there is memory for what each has added up.
    int64_t bytes = std::min(kMostSumBytes, limits.sharedBytes);
    int64_t most = std::min<int64_t>(
        kMostBlock, bytes / (sums * columnsOfTile * sizeof(double)));
    while (layout.units < kFewBlocks && layout.slices < rows &&
           2 * layout.slices <= limits.mostSlices &&
           2 * layout.slices * vectors <= most)
      layout.slices *= 2;
    return layout;
  }
  // What the tiles sum up is at most half as much as the longest row, or as
  // much if there were few tiles else.
  int64_t mostTiles = 0;
  if (summed)
    mostTiles =
        std::min(kMostTiles, std::max(longestMap / summed / 2,
                                      std::min(longestMap / summed, kBlocks)));
  if (summed || hasTemporaries || limits.leastThreads > 1) {
    bool isTiled = limits.mayTile && !hasTemporaries && !hasLoops &&
                   mostTiles != 1 && (mostTiles || !summed) &&
                   layout.units < kBlocks && vectors >= kDepth * kBlock;
    if (isTiled) {
      layout.threads = kBlock;
    } else if (vectors <= 8 * kWarp && layout.units >= kBlocks) {
      layout.threads = kWarp;
      layout.teams = teamsFor(layout.units, limits.mostWarps);
      return layout;
    } else {
      layout.threads = std::clamp<int64_t>(vectors / 2, kWarp, kMostThreads);
      return layout;
    }
  } else {
    layout.threads = threadsFor(longest, kBlock);
    layout.teams = teamsFor(layout.units, kBlock / layout.threads);
    // Blocks of at least a warp.
    if (layout.threads * layout.teams < kWarp)
      layout.teams = kWarp / layout.threads;
    if (hasLoops || !limits.mayTile)
      return layout;
  }
  int64_t depth = kDepth;
  while (depth > 1 &&
         layout.grid() * llvm::divideCeil(longest, depth * kBlock) < kBlocks)
    depth /= 2;
  if (longest > depth * layout.threads && layout.teams == 1) {
    int64_t step = layout.threads * columnsOfTile;
    layout.tileColumns = depth * step;
    if (mostTiles)
      layout.tileColumns = std::max<int64_t>(
          layout.tileColumns,
          llvm::alignDown(llvm::divideCeil(longestMap, mostTiles), step));
    layout.tiles = 1;
    for (auto [columns, width] : layout.widths)
      layout.tiles = std::max<int64_t>(
          layout.tiles, llvm::divideCeil(columns.most, layout.tileColumns));
  }
  return layout;
}
