//===- GroupedGemm.cpp - Grouped GEMMs on devices -------------------------===//

#include "passes/Codegen/Gpu/GroupedGemm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Gpu/Mma.h"
#include "passes/Codegen/Gpu/ThreadLayout.h"
#include "passes/Codegen/Kernels/Attention/Tiles.h"
#include <numeric>

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Threads of a block: two by two warps.
static constexpr int64_t kThreads = 4 * kWarp;
/// The largest and the smallest tile, in rows or columns.
static constexpr int64_t kMostTile = 128, kLeastTile = 32;
/// The largest tile of f64, whose sums take two registers, and of 16-bit
/// elements that are loaded one by one.
static constexpr int64_t kMostSmallTile = 64;
/// Steps of the inner dimension at a time: of 16-bit elements, and of others.
static constexpr int64_t kNarrowDepth = 32, kWideDepth = 16;
/// Lanes of a warp along rows and columns, if FMAs compute the products, and
/// the steps that are unrolled.
static constexpr int64_t kLaneRows = 4, kLaneColumns = 8, kUnrolled = 4;
/// Ends of groups that a thread loads at once.
static constexpr int64_t kEnds = 8;
/// Blocks of a multiprocessor, if threads have many sums or loads, and if not:
/// the registers of a thread are 255 or 128.
static constexpr int64_t kLargeBlocks = 2, kSmallBlocks = 4;
/// The most registers with sums, and the most loads of a step, of a thread with
/// 128 registers.
static constexpr int64_t kMostSums = 32, kMostLoads = 16;

/// The largest tile for `size` rows or columns that is at most half empty.
static int64_t tileFor(int64_t size, int64_t most) {
  int64_t tile = most;
  while (tile > kLeastTile && tile / 2 >= size)
    tile /= 2;
  return tile;
}

/// Elements of an access to a factor.
static int64_t accessOf(int64_t stride, int64_t bytes) {
  return std::gcd(kAccessBytes / bytes, stride);
}

GroupedTiles::GroupedTiles(const GroupedSizes &sizes, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t lhsVector = accessOf(sizes.lhsStride(), bytes),
          rhsVector = accessOf(sizes.k, bytes);
  bool isSlow = bytes == 2 && std::min(lhsVector, rhsVector) == 1;
  int64_t most = bytes == 8 || isSlow ? kMostSmallTile : kMostTile;
  bool isSum = sizes.form == GroupedSizes::Sums;
  int64_t perGroup =
      isSum ? sizes.n : llvm::divideCeil(sizes.rows, sizes.groups);
  rows = tileFor(perGroup, most);
  columns = tileFor(sizes.resultColumns(), most);
  depth = bytes == 2 ? kNarrowDepth : kWideDepth;
  matrices = isSum ? sizes.groups : 1;
  while (true) {
    columnTiles = llvm::divideCeil(sizes.resultColumns(), columns);
    // Each group, and the rows after the last end, may have a tile that is not
    // full.
    int64_t parts = isSum ? 1 : sizes.groups + 1;
    rowTiles = (sizes.resultRows() + parts * (rows - 1)) / rows;
    if (blocks() >= kFewBlocks || std::max(rows, columns) == kLeastTile)
      break;
    (rows > columns ? rows : columns) /= 2;
  }
  int64_t sums = rows * columns / kThreads * std::max<int64_t>(bytes / 4, 1);
  int64_t loads = (rows / lhsVector + columns / rhsVector) * depth / kThreads;
  blocksOfCore =
      sums > kMostSums || loads > kMostLoads ? kLargeBlocks : kSmallBlocks;
}

namespace {
/// A factor of a block's products: rows (or columns) of the result by steps of
/// the inner dimension.
struct Factor {
  Value buffer;
  /// The index of the element (0, 0), and the stride of the outer dim.
  Value base;
  int64_t stride;
  /// Whether steps are the outer dim.
  bool isByStep;
  /// Rows of the tile; those below `left` are valid (null: all).
  int64_t count;
  Value left;
  /// Two tiles in shared memory, which are used in turn; their stride and
  /// length. 16-bit elements have the same layout as in memory; of others,
  /// steps are the outer dim.
  Value tile = {};
  int64_t tileStride = 0, tileLength = 0;
  /// The index of the present tile's first element.
  Value begin = {};
  /// Elements of an access.
  int64_t vector = 1;
};

class GroupedBlock : public TileBuilder {
public:
  GroupedBlock(ScalarBuilder &b, const GroupedSizes &sizes,
               const GroupedTiles &tiles, const KernelChoices &choices,
               const GroupedBuffers &buffers);
  void emit(Value block);
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  using Values = SmallVector<Value>;

  void placeRows(Value block);
  void placeMatrix(Value block);
  void allocate(Factor &factor);
  Values loadFactor(const Factor &factor, Value step);
  void storeFactor(const Factor &factor, ArrayRef<Value> loaded);
  /// Emits body(row or step of the outer dim, that of the inner dim, i) for
  /// each vector of this thread.
  void forVectors(const Factor &factor,
                  llvm::function_ref<void(Value, Value, int64_t)> body);
  Values multiply(ArrayRef<Value> sums);
  Values multiplyNarrow(ArrayRef<Value> sums);
  Values multiplyWide(ArrayRef<Value> sums);
  /// Loads a lane's `count` elements of a step of a factor, in vectors that are
  /// `lanes` vectors apart.
  Values loadLane(const Factor &factor, Value step, Value first, int64_t count,
                  int64_t lanes);
  void store(ArrayRef<Value> sums);
  Values exchangeColumns(ArrayRef<Value> sums);
  /// Stores consecutive columns of a row, which begins at `start`.
  void storeColumns(ArrayRef<Value> sums, Value start, Value column);

  // The rows and columns of a lane, in the block's tile.
  int64_t rowsOfLane() const {
    return tiles.rows / 2 / (isNarrow ? 8 : kLaneRows);
  }
  int64_t columnsOfLane() const {
    return tiles.columns / 2 / (isNarrow ? kMmaColumns / 2 : kLaneColumns);
  }
  /// Consecutive ones.
  int64_t rowsTogether() const {
    return isNarrow ? 1 : std::min(widest, rowsOfLane());
  }
  int64_t columnsTogether() const {
    return isNarrow ? 2 : std::min(widest, columnsOfLane());
  }
  Value rowOf(int64_t r) {
    int64_t together = rowsTogether();
    return add(firstRow, r / together * together * (isNarrow ? 8 : kLaneRows) +
                             r % together);
  }
  Value columnOf(int64_t c) {
    int64_t together = columnsTogether();
    return add(firstColumn,
               c / together * together *
                       (isNarrow ? kMmaColumns / 2 : kLaneColumns) +
                   c % together);
  }

  using TileBuilder::add;
  using TileBuilder::store;
  Value add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value divide(Value x, int64_t y) {
    return arith::DivUIOp::create(b, x, index(y));
  }
  Value remainder(Value x, int64_t y) {
    return arith::RemUIOp::create(b, x, index(y));
  }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, how, x, y);
  }
  Value less(Value x, Value y) {
    return compare(arith::CmpIPredicate::slt, x, y);
  }
  Value both(Value x, Value y) {
    return x && y ? Value(arith::AndIOp::create(b, x, y)) : x ? x : y;
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// Emits a body under a condition; null: always.
  void onlyIf(Value condition, llvm::function_ref<void()> body);
  /// The valid rows from `first` on, or null if all tiles of `all` are full.
  Value leftOf(int64_t all, Value first, int64_t count) {
    return all % count ? sub(index(all), first) : Value();
  }
  Value endOf(Value group);
  Value loadPacked(Value buffer, Value at, int64_t count);
  void storePacked(Value value, Value buffer, Value at);

  ScalarBuilder &b;
  const GroupedSizes &sizes;
  const GroupedTiles &tiles;
  const GroupedBuffers &buffers;
  Type element, accumulator, outType;
  /// Whether tensor cores compute the products.
  bool isNarrow;
  /// Elements of 16 bytes.
  int64_t widest;
  Value thread, lane, warpRow, warpColumn, firstRow, firstColumn;
  Value shared;
  int64_t sharedBytes = 0;

  Factor lhs, rhs;
  /// The end of the inner dimension.
  Value depthEnd;
  /// The index of the tile's first element in the result; its valid rows and
  /// columns (null: all).
  Value outBase, rowsLeft, columnsLeft;
};
} // namespace

GroupedBlock::GroupedBlock(ScalarBuilder &b, const GroupedSizes &sizes,
                           const GroupedTiles &tiles,
                           const KernelChoices &choices,
                           const GroupedBuffers &buffers)
    : TileBuilder(b, choices), b(b), sizes(sizes), tiles(tiles),
      buffers(buffers),
      element(cast<MemRefType>(buffers.lhs.getType()).getElementType()),
      accumulator(element.isF64() ? element : Type(b.getF32Type())),
      outType(cast<MemRefType>(buffers.result.getType()).getElementType()),
      isNarrow(element.getIntOrFloatBitWidth() == 16),
      widest(kAccessBytes * 8 / element.getIntOrFloatBitWidth()) {
  auto workgroup =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  shared = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(), AffineMap(),
                         workgroup));
  thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  lane = remainder(thread, kWarp);
  Value warp = divide(thread, kWarp);
  warpRow = mul(divide(warp, 2), tiles.rows / 2);
  warpColumn = mul(remainder(warp, 2), tiles.columns / 2);
  // Tensor cores: four lanes have the columns of a row.
  int64_t lanes = isNarrow ? 4 : kLaneColumns;
  firstRow = add(warpRow, mul(divide(lane, lanes), rowsTogether()));
  firstColumn = add(warpColumn, mul(remainder(lane, lanes), columnsTogether()));
}

void GroupedBlock::onlyIf(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value GroupedBlock::endOf(Value group) {
  Value end = memref::LoadOp::create(b, buffers.ends, ValueRange{group});
  return arith::IndexCastOp::create(b, b.getIndexType(), end);
}

Value GroupedBlock::loadPacked(Value buffer, Value at, int64_t count) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  return vector::LoadOp::create(
      b, VectorType::get({count}, type), buffer, ValueRange{at},
      /*nontemporal=*/false,
      llvm::MaybeAlign(std::min<int64_t>(
          count * type.getIntOrFloatBitWidth() / 8, kAccessBytes)));
}

void GroupedBlock::storePacked(Value value, Value buffer, Value at) {
  auto type = cast<VectorType>(value.getType());
  vector::StoreOp::create(b, value, buffer, ValueRange{at},
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(type.getNumElements() *
                                           type.getElementTypeBitWidth() / 8));
}

/// Finds the group and the rows of a block's tile. Tiles of a group are
/// consecutive, and those of the rows after the last end come last; they have
/// no steps, so their sums are zero.
void GroupedBlock::placeRows(Value block) {
  Value tile = divide(block, tiles.columnTiles),
        column = mul(remainder(block, tiles.columnTiles), tiles.columns);
  Value rows = index(sizes.rows), groups = index(sizes.groups);
  // Found so far: the group, the first row of the tile, and the group's end.
  Values state = {index(0), index(0), groups, rows, rows};
  auto visit = [&](Value group, Value end, ValueRange state) {
    Value begin = state[0], known = state[1];
    Value count = divide(add(sub(end, begin), tiles.rows - 1), tiles.rows);
    Value number = sub(tile, known);
    Value isIt = compare(arith::CmpIPredicate::ult, number, count);
    return Values{end, add(known, count), choose(isIt, group, state[2]),
                  choose(isIt, add(begin, mul(number, tiles.rows)), state[3]),
                  choose(isIt, end, state[4])};
  };
  // Several ends at a time, whose loads do not wait for each other.
  int64_t together = std::gcd(sizes.groups, kEnds);
  auto loop = scf::ForOp::create(b, index(0), groups, index(together), state);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value group = loop.getInductionVar();
    Values now(loop.getRegionIterArgs());
    Value ends = loadPacked(buffers.ends, group, together);
    for (int64_t i = 0; i < together; ++i) {
      Value end = arith::IndexCastOp::create(
          b, b.getIndexType(), vector::ExtractOp::create(b, ends, i));
      now = visit(add(group, i), end, now);
    }
    scf::YieldOp::create(b, now);
  }
  state = visit(groups, rows, loop.getResults());
  Value group = state[2], first = state[3];
  bool isTransposed = sizes.form == GroupedSizes::Transposed;
  int64_t depth = sizes.depth(), columns = sizes.resultColumns();
  rowsLeft = sub(state[4], first);
  columnsLeft = leftOf(columns, column, tiles.columns);
  depthEnd = choose(less(group, groups), index(depth), index(0));
  lhs = {buffers.lhs,        mul(first, depth), depth,
         /*isByStep=*/false, tiles.rows,        rowsLeft};
  Value matrix = mul(group, sizes.n * sizes.k);
  rhs = {buffers.rhs,
         add(matrix, isTransposed ? mul(column, sizes.k) : column),
         sizes.k,
         /*isByStep=*/!isTransposed,
         tiles.columns,
         columnsLeft};
  outBase = add(mul(first, columns), column);
}

void GroupedBlock::placeMatrix(Value block) {
  Value column = mul(remainder(block, tiles.columnTiles), tiles.columns);
  Value rest = divide(block, tiles.columnTiles);
  Value row = mul(remainder(rest, tiles.rowTiles), tiles.rows),
        group = divide(rest, tiles.rowTiles);
  Value isFirst = compare(arith::CmpIPredicate::eq, group, index(0));
  Value begin = endOf(choose(isFirst, group, sub(group, index(1))));
  begin = choose(isFirst, index(0), begin);
  depthEnd = sub(endOf(group), begin);
  rowsLeft = leftOf(sizes.n, row, tiles.rows);
  columnsLeft = leftOf(sizes.k, column, tiles.columns);
  lhs = {buffers.lhs,       add(mul(begin, sizes.n), row),
         sizes.n,
         /*isByStep=*/true, tiles.rows,
         rowsLeft};
  rhs = {buffers.rhs,       add(mul(begin, sizes.k), column),
         sizes.k,
         /*isByStep=*/true, tiles.columns,
         columnsLeft};
  outBase = add(add(mul(group, sizes.n * sizes.k), mul(row, sizes.k)), column);
}

void GroupedBlock::allocate(Factor &factor) {
  factor.vector = accessOf(factor.stride, element.getIntOrFloatBitWidth() / 8);
  bool isByStep = factor.isByStep || !isNarrow;
  int64_t outer = isByStep ? tiles.depth : factor.count,
          inner = isByStep ? factor.count : tiles.depth;
  // Rows at the same column are in different banks.
  factor.tileStride = inner + widest;
  factor.tileLength = outer * factor.tileStride;
  int64_t length = 2 * factor.tileLength;
  auto space = cast<MemRefType>(shared.getType()).getMemorySpace();
  factor.tile = memref::ViewOp::create(
      b, MemRefType::get({length}, element, AffineMap(), space), shared,
      index(sharedBytes), ValueRange{});
  sharedBytes += length * element.getIntOrFloatBitWidth() / 8;
}

void GroupedBlock::forVectors(
    const Factor &factor,
    llvm::function_ref<void(Value, Value, int64_t)> body) {
  int64_t inner = factor.isByStep ? factor.count : tiles.depth;
  int64_t perOuter = inner / factor.vector,
          total = factor.count * tiles.depth / factor.vector;
  assert(total % kThreads == 0 && "tiles are whole vectors of all threads");
  for (int64_t i = 0; i < total / kThreads; ++i) {
    Value number = add(thread, i * kThreads);
    body(divide(number, perOuter),
         mul(remainder(number, perOuter), factor.vector), i);
  }
}

GroupedBlock::Values GroupedBlock::loadFactor(const Factor &factor,
                                              Value step) {
  auto type = VectorType::get({factor.vector}, element);
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Values loaded;
  forVectors(factor, [&](Value outer, Value inner, int64_t) {
    Value row = factor.isByStep ? inner : outer;
    Value isThere = less(add(step, factor.isByStep ? outer : inner), depthEnd);
    if (factor.left)
      isThere = both(isThere, less(row, factor.left));
    (factor.isByStep ? outer : inner) =
        add(step, factor.isByStep ? outer : inner);
    auto branch = scf::IfOp::create(b, type, isThere, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value at = add(add(factor.base, mul(outer, factor.stride)), inner);
    scf::YieldOp::create(b, loadPacked(factor.buffer, at, factor.vector));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, zeros);
    loaded.push_back(branch.getResult(0));
  });
  return loaded;
}

void GroupedBlock::storeFactor(const Factor &factor, ArrayRef<Value> loaded) {
  bool isTurned = !isNarrow && !factor.isByStep;
  forVectors(factor, [&](Value outer, Value inner, int64_t i) {
    (isTurned ? outer : inner) = add(factor.begin, isTurned ? outer : inner);
    if (!isTurned)
      return storePacked(loaded[i], factor.tile,
                         add(mul(outer, factor.tileStride), inner));
    for (int64_t j = 0; j < factor.vector; ++j) {
      Value x = vector::ExtractOp::create(b, loaded[i], j);
      memref::StoreOp::create(
          b, x, factor.tile,
          ValueRange{add(mul(add(inner, j), factor.tileStride), outer)});
    }
  });
}

/// A lane passes to ldmatrix the address of row lane % 8 of matrix lane / 8.
/// The four matrices of the left operand are rows 0 to 7 and 8 to 15 of steps 0
/// to 7, then of steps 8 to 15. Those of the right operand are steps 0 to 7 and
/// 8 to 15 of eight columns, then of the next eight.
GroupedBlock::Values GroupedBlock::multiplyNarrow(ArrayRef<Value> before) {
  Values sums(before);
  Value inMatrix = remainder(lane, 8), matrix = divide(lane, 8);
  Value odd = mul(remainder(matrix, 2), 8), second = mul(divide(matrix, 2), 8);
  auto startOf = [&](const Factor &factor, Value first, Value ofRows,
                     Value ofSteps) {
    Value &turned = factor.isByStep ? ofSteps : ofRows;
    turned = add(turned, inMatrix);
    Value row = add(first, ofRows);
    Value place = factor.isByStep ? add(mul(ofSteps, factor.tileStride), row)
                                  : add(mul(row, factor.tileStride), ofSteps);
    return add(place, factor.begin);
  };
  Value left = startOf(lhs, warpRow, odd, second),
        right = startOf(rhs, warpColumn, second, odd);
  auto load = [&](const Factor &factor, Value start, int64_t row, int64_t step,
                  bool isTransposed) {
    int64_t offset = factor.isByStep ? step * factor.tileStride + row
                                     : row * factor.tileStride + step;
    return loadMatrices(b, factor.tile, add(start, offset), isTransposed);
  };
  int64_t rows = rowsOfLane(), columns = columnsOfLane();
  for (int64_t step = 0; step < tiles.depth; step += kMmaDepth) {
    SmallVector<Values> a;
    for (int64_t r = 0; r < rows; r += 2)
      a.push_back(load(lhs, left, r * 8, step, lhs.isByStep));
    for (int64_t c = 0; c < columns; c += 4) {
      Values both = load(rhs, right, c * kMmaColumns / 2, step, rhs.isByStep);
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t r = 0; r < rows; r += 2) {
          Value *sum = &sums[r * columns + c + 2 * half];
          multiplyMatrices(b, element.isF16(), a[r / 2],
                           ArrayRef(both).slice(2 * half, 2),
                           {sum, sum + 1, sum + columns, sum + columns + 1});
        }
    }
  }
  return sums;
}

GroupedBlock::Values GroupedBlock::loadLane(const Factor &factor, Value step,
                                            Value first, int64_t count,
                                            int64_t lanes) {
  int64_t together = std::min(widest, count);
  Value start = add(add(mul(step, factor.tileStride), first), factor.begin);
  Values numbers;
  for (int64_t i = 0; i < count; i += together) {
    Value all = loadPacked(factor.tile, add(start, i * lanes), together);
    for (int64_t j = 0; j < together; ++j)
      numbers.push_back(vector::ExtractOp::create(b, all, j));
  }
  return numbers;
}

GroupedBlock::Values GroupedBlock::multiplyWide(ArrayRef<Value> before) {
  auto loop = scf::ForOp::create(b, index(0), index(tiles.depth),
                                 index(kUnrolled), before);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values sums(loop.getRegionIterArgs());
  int64_t columns = columnsOfLane();
  for (int64_t i = 0; i < kUnrolled; ++i) {
    Value step = add(loop.getInductionVar(), i);
    Values left = loadLane(lhs, step, firstRow, rowsOfLane(), kLaneRows),
           right = loadLane(rhs, step, firstColumn, columns, kLaneColumns);
    for (auto [r, x] : llvm::enumerate(left))
      for (auto [c, y] : llvm::enumerate(right)) {
        Value &sum = sums[r * columns + c];
        auto contract = arith::FastMathFlags::contract;
        sum = arith::AddFOp::create(b, arith::MulFOp::create(b, x, y, contract),
                                    sum, contract);
      }
  }
  scf::YieldOp::create(b, sums);
  return Values(loop.getResults());
}

GroupedBlock::Values GroupedBlock::multiply(ArrayRef<Value> sums) {
  return isNarrow ? multiplyNarrow(sums) : multiplyWide(sums);
}

/// Two adjacent lanes have two columns each of two blocks of eight. They
/// exchange them, so that the even lane has four consecutive columns of the
/// first block, the odd lane of the second:
///
///     lane            0    1    2    3  |  0    1    2    3
///     before          0,1  2,3  4,5  6,7|  8,9  10,11..
///     after           0-3  8-11 4-7  12-15
GroupedBlock::Values GroupedBlock::exchangeColumns(ArrayRef<Value> sums) {
  Value isOdd = compare(arith::CmpIPredicate::ne, remainder(lane, 2), index(0));
  Values exchanged;
  for (size_t i = 0; i < sums.size(); i += 4) {
    Value low[2], high[2];
    for (int64_t j = 0; j < 2; ++j) {
      Value first = sums[i + j], second = sums[i + 2 + j];
      Value other = gpu::ShuffleOp::create(b, choose(isOdd, first, second), 1,
                                           kWarp, gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      low[j] = choose(isOdd, other, first);
      high[j] = choose(isOdd, second, other);
    }
    exchanged.append({low[0], low[1], high[0], high[1]});
  }
  return exchanged;
}

void GroupedBlock::storeColumns(ArrayRef<Value> sums, Value start,
                                Value column) {
  auto wide = VectorType::get({int64_t(sums.size())}, accumulator);
  bool isRounded =
      outType.getIntOrFloatBitWidth() < accumulator.getIntOrFloatBitWidth();
  Value at = add(start, column);
  Value all = vector::FromElementsOp::create(b, wide, sums);
  if (buffers.before) {
    Value old = loadPacked(buffers.before, at, sums.size());
    if (isRounded)
      old = arith::ExtFOp::create(b, wide, old);
    all = arith::AddFOp::create(b, old, all);
  }
  if (isRounded)
    all = arith::TruncFOp::create(b, wide.clone(outType), all);
  storePacked(all, buffers.result, at);
}

void GroupedBlock::store(ArrayRef<Value> sums) {
  int64_t rows = rowsOfLane(), columns = columnsOfLane(),
          stride = sizes.resultColumns();
  // Two 16-bit elements for each of four lanes would be half a memory sector.
  Values exchanged;
  bool isExchanged = isNarrow && outType.getIntOrFloatBitWidth() == 16;
  int64_t together = columnsTogether();
  if (isExchanged) {
    exchanged = exchangeColumns(sums);
    sums = exchanged;
    together = 4;
  }
  auto placeOf = [&](int64_t c) {
    if (!isExchanged)
      return columnOf(c);
    Value inRow = remainder(lane, 4);
    Value first = add(mul(remainder(inRow, 2), 8), mul(divide(inRow, 2), 4));
    return add(add(warpColumn, first), c / 4 * 16 + c % 4);
  };
  int64_t vector = std::gcd(together, stride);
  for (int64_t r = 0; r < rows; ++r) {
    Value row = rowOf(r);
    onlyIf(rowsLeft ? less(row, rowsLeft) : Value(), [&] {
      Value start = add(outBase, mul(row, stride));
      for (int64_t c = 0; c < columns; c += vector) {
        Value column = placeOf(c);
        onlyIf(columnsLeft ? less(column, columnsLeft) : Value(), [&] {
          storeColumns(sums.slice(r * columns + c, vector), start, column);
        });
      }
    });
  }
}

void GroupedBlock::emit(Value block) {
  if (sizes.form == GroupedSizes::Sums)
    placeMatrix(block);
  else
    placeRows(block);
  allocate(lhs);
  allocate(rhs);
  // The sums, then the factors of the next step.
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(accumulator, 0));
  Values state(rowsOfLane() * columnsOfLane(), zero);
  int64_t sums = state.size();
  state.append(loadFactor(lhs, index(0)));
  int64_t ofLhs = state.size();
  state.append(loadFactor(rhs, index(0)));
  auto loop =
      scf::ForOp::create(b, index(0), depthEnd, index(tiles.depth), state);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values now(loop.getRegionIterArgs());
    ArrayRef<Value> all(now);
    // Other warps may still multiply the tiles before, but not those before
    // them: the barrier is after the stores of each step.
    Value step = loop.getInductionVar();
    Value turn = remainder(divide(step, tiles.depth), 2);
    for (Factor *factor : {&lhs, &rhs})
      factor->begin = mul(turn, factor->tileLength);
    storeFactor(lhs, all.slice(sums, ofLhs - sums));
    storeFactor(rhs, all.drop_front(ofLhs));
    gpu::BarrierOp::create(b);
    Value next = add(step, tiles.depth);
    Values left = loadFactor(lhs, next), right = loadFactor(rhs, next);
    Values after = multiply(all.take_front(sums));
    after.append(left);
    after.append(right);
    scf::YieldOp::create(b, after);
  }
  store(Values(loop.getResults().take_front(sums)));
}

FailureOr<gpu::GPUFuncOp>
codegen::emitDeviceGrouped(OpBuilder &builder, func::FuncOp kernel,
                           const KernelChoices &choices) {
  GroupedKernel grouped = GroupedKernel::of(kernel);
  GroupedSizes sizes(grouped.op);
  GroupedTiles tiles(sizes, nn::tensorType(grouped.lhs).getElementType());
  func::FuncOp flat;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(kernel);
    flat = flattenKernel(builder, kernel);
  }
  unsigned result = kernel.getNumArguments();
  if (Attribute operand = kernel.getResultAttr(0, rt::kInplaceAttr))
    flat.setArgAttr(result, rt::kInplaceAttr, operand);
  gpu::GPUFuncOp function =
      makeDeviceFunction(builder, flat, {flat.getArgument(result)});
  flat.erase();

  ScalarBuilder b(kernel.getLoc(), builder.getContext());
  b.setInsertionPointToStart(&function.getBody().front());
  GroupedBuffers buffers(grouped, function.getArguments());
  GroupedBlock block(b, sizes, tiles, choices, buffers);
  block.emit(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  gpu::ReturnOp::create(b);
  if (failed(setLaunch(function,
                       {tiles.blocks(), kThreads, block.getSharedBytes(),
                        tiles.blocksOfCore},
                       choices.sharedBytes)))
    return failure();
  return function;
}
