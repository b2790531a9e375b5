//===- ThreadLayout.cpp - Mapping of work items to threads ----------------===//

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

/// Threads of a block that has several thread groups, computes a tile, or sums
/// rows. Small kernels have fewer; sums over rows have more if there are few
/// blocks.
static constexpr int64_t kBlock = 256;
/// The maximum number of threads per thread group.
static constexpr int64_t kMostThreads = 512;
/// The number of blocks that keeps a large device busy; kernels with less work
/// have fewer.
static constexpr int64_t kBlocks = 256;
/// Outstanding accesses of a thread for each operand.
static constexpr int64_t kDepth = 4;
/// The maximum bytes of shared memory for the partial sums of slices.
static constexpr int64_t kMostSumBytes = 128 * 1024;
/// A kernel that moves more bytes than this counts as large. It is half of the
/// actual limit: a margin, since not all moved bytes are counted.
static constexpr int64_t kLargeBytes = 2 << 20;
/// Rows that are cached for all work items are at most 1/kSameShare of the
/// bytes that a block moves, if the number of blocks permits.
static constexpr int64_t kSameShare = 32;
/// The maximum bytes of cached rows; several blocks share a multiprocessor.
static constexpr int64_t kMostSame = 128 * 1024;
/// The maximum number of tiles of a row that is also reduced. Each tile repeats
/// the reduction, so there are only enough tiles to keep a large device busy.
static constexpr int64_t kMostTiles = 1024;

PassColumns codegen::columnsOf(linalg::GenericOp op,
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

/// Limits a divisor to its largest power-of-two factor, at most 1024, which
/// exceeds the elements of an access.
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

/// Whether a loop over rows computes more than sums of them.
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

/// Returns the consecutive columns that a thread accesses at a time in a pass:
/// 16 bytes of the widest element type in device memory, if all operands are
/// aligned accordingly. With more columns, a warp's access would have gaps and
/// touch sectors that its next access touches again. Rows in shared memory
/// (`sameRows`) do not limit the width.
static int64_t widthOf(linalg::GenericOp op, PassColumns columns, int64_t units,
                       ArrayRef<SameRow> sameRows) {
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
  // Operands without device memory do not matter. Elements narrower than 16
  // bits count as 16 bits, so their accesses are narrower than 16 bytes.
  int64_t width = kAccessBytes / std::clamp<int64_t>(bytes ? bytes : 4, 2, 16);
  // A short row (fewer than 64 columns) gets no separate loop for the columns
  // left over by a wider access.
  if (!columns.isDynamic && columns.most < 64)
    divisor = std::gcd(divisor, columns.most);
  while (width > columns.most || divisor % width)
    width /= 2;
  return width;
}

/// Returns the largest number of thread groups per block, at most `most`, that
/// leaves enough blocks.
static int64_t groupsFor(int64_t units, int64_t most) {
  while (most > 1 && llvm::divideCeil(units, most) < kBlocks)
    most /= 2;
  return most;
}

/// Returns the threads for rows of `vectors` vectors: the largest number that
/// leaves few threads idle.
static int64_t threadsFor(int64_t vectors, int64_t most) {
  int64_t threads = std::min<int64_t>(llvm::PowerOf2Ceil(vectors), most);
  auto taken = [&](int64_t t) { return llvm::alignTo(vectors, t); };
  for (int64_t fewer = threads / 2; fewer >= kWarp; fewer /= 2)
    if (taken(fewer) * 8 <= taken(threads) * 7)
      threads = fewer;
  return threads;
}

/// Lets blocks compute so many work items that their cached rows are a small
/// share of the moved bytes, but not so many that there are too few blocks.
static void shareRows(ThreadLayout &layout, const WorkItemStride &units) {
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

static ThreadLayout layOutGroups(func::FuncOp kernel,
                                 const LayoutLimits &limits,
                                 ArrayRef<SameRow> sameRows);

ThreadLayout codegen::layOut(func::FuncOp kernel, const LayoutLimits &limits) {
  if (!limits.mayShareRows)
    return layOutGroups(kernel, limits, {});
  WorkItemStride units = findSameRows(kernel);
  ThreadLayout layout = layOutGroups(kernel, limits, units.rows);
  shareRows(layout, units);
  if (layout.sameRows.empty() && !units.rows.empty())
    return layOutGroups(kernel, limits, {});
  return layout;
}

static ThreadLayout layOutGroups(func::FuncOp kernel,
                                 const LayoutLimits &limits,
                                 ArrayRef<SameRow> sameRows) {
  auto forall = *kernel.getOps<scf::ForallOp>().begin();
  ThreadLayout layout;
  layout.units = forall.getStaticUpperBound().front();
  bool hasSums = false, hasTemporaries = false, hasLoops = false;
  // The vectors of the longest pass; the columns of the longest pass that does
  // not reduce, and of all passes that reduce.
  int64_t longest = 1, longestMap = 0, summed = 0, columnsOfTile = 1, sums = 0;
  int64_t summedRows = 1;
  forall.walk([&](linalg::GenericOp op) {
    PassColumns columns = columnsOf(op, limits);
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
      layout.teams = groupsFor(layout.units, limits.mostWarps);
    layout.isOfGroups = true;
    return layout;
  }
  if (hasSums) {
    layout.threads = vectors;
    // At most one slice per row (rounded up to a power of two), but at least
    // two slices and a warp of threads.
    int64_t least = std::max<int64_t>(2, kWarp / vectors);
    int64_t rows = std::max<int64_t>(least, llvm::PowerOf2Ceil(summedRows));
    layout.slices = std::clamp(kBlock / vectors, least,
                               std::clamp(limits.mostSlices, least, rows));
    // If there are few blocks, as in the second step of a sum, they get more
    // threads, as far as shared memory holds the partial sums.
    int64_t bytes = std::min(kMostSumBytes, limits.sharedBytes);
    int64_t most = std::min<int64_t>(
        kMostBlock, bytes / (sums * columnsOfTile * sizeof(double)));
    while (layout.units < kFewBlocks && layout.slices < rows &&
           2 * layout.slices <= limits.mostSlices &&
           2 * layout.slices * vectors <= most)
      layout.slices *= 2;
    return layout;
  }
  // The columns that all tiles reduce are at most half of the longest row, or
  // all of it if there were few tiles otherwise.
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
      layout.teams = groupsFor(layout.units, limits.mostWarps);
      return layout;
    } else {
      layout.threads = std::clamp<int64_t>(vectors / 2, kWarp, kMostThreads);
      return layout;
    }
  } else {
    layout.threads = threadsFor(longest, kBlock);
    layout.teams = groupsFor(layout.units, kBlock / layout.threads);
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
