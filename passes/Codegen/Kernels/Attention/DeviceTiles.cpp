//===- DeviceTiles.cpp - Tiles of attention on devices --------------------===//

#include "passes/Codegen/Kernels/Attention/DeviceTiles.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Queries per streamed tile in a block of keys that has a third of the
/// registers.
static constexpr int64_t kHalfColumns = 32;
/// The widest heads that leave registers for another block.
static constexpr int64_t kNarrow = 64;
/// The most columns of a result that a warp keeps in registers.
static constexpr int64_t kMostChunk = 128;
/// Padding in bytes between rows, so that eight rows at the same column are in
/// different banks.
static constexpr int64_t kRowGap = 16;

static int64_t bytesOf(Value value) {
  return nn::tensorType(value).getElementTypeBitWidth() / 8;
}

/// Bytes of an element of the widest result with rows of a head.
static int64_t resultBytes(Operation *attention) {
  auto grad = dyn_cast<nn::AttentionGradOp>(attention);
  int64_t bytes = 0;
  for (Value result : attention->getResults())
    if (nn::tensorType(result).getRank() == 4 &&
        !(grad && result == grad.getDbias()))
      bytes = std::max(bytes, bytesOf(result));
  return bytes;
}

/// The tiles for the given rows and columns.
static DeviceTiles layOut(Operation *attention, const AttentionSizes &sizes,
                          int64_t rows, int64_t columns) {
  DeviceTiles tiles;
  tiles.elementBytes = nn::tensorType(sizes.q).getElementTypeBitWidth() / 8;
  // The step of a product on tensor cores, or four columns for each of eight
  // lanes.
  int64_t step = tiles.usesTensorCores() ? 16 : 32;
  int64_t widest = std::max(sizes.width, sizes.valueWidth);
  tiles.chunks = llvm::divideCeil(widest, kMostChunk);
  if (tiles.chunks > 1) {
    tiles.width = tiles.valueWidth = llvm::alignTo(widest, kMostChunk);
  } else {
    tiles.width = llvm::alignTo(sizes.width, step);
    tiles.valueWidth = llvm::alignTo(sizes.valueWidth, step);
  }
  tiles.chunk = std::min(tiles.width, kMostChunk);
  tiles.valueChunk = std::min(tiles.valueWidth, kMostChunk);
  auto strideOf = [&](int64_t width, int64_t bytes) {
    return (width * bytes + kRowGap) / tiles.elementBytes;
  };
  tiles.stride = strideOf(tiles.width, tiles.elementBytes);
  tiles.valueStride = strideOf(tiles.valueWidth, tiles.elementBytes);
  // Results pass through the memory of resident tiles.
  int64_t bytes = resultBytes(attention);
  bool isForward = isa<nn::AttentionOp>(attention);
  tiles.stayStride =
      std::max(tiles.stride,
               strideOf(isForward ? tiles.valueChunk : tiles.chunk, bytes));
  tiles.stayValueStride =
      std::max(tiles.valueStride, strideOf(tiles.valueChunk, bytes));
  if (sizes.asksForBias && tiles.usesTensorCores())
    tiles.stayStride =
        std::max(tiles.stayStride, strideOf(columns, bytesOf(sizes.bias)));
  tiles.rows = rows;
  tiles.columns = columns;
  tiles.scoreStride = columns + kRowGap / 4;
  return tiles;
}

static int64_t bytesOf(const DeviceTiles &tiles, const AttentionSizes &sizes,
                       bool isForward) {
  int64_t stay = tiles.stayStride + (isForward ? 0 : tiles.stayValueStride);
  int64_t bytes =
      (tiles.rows * stay + tiles.columns * (tiles.stride + tiles.valueStride)) *
      tiles.elementBytes;
  if (!tiles.usesTensorCores())
    bytes += tiles.rows * tiles.scoreStride * 4;
  // Values and positions per row, and dropout's and the bias' per column.
  int64_t most = std::max(tiles.rows, tiles.columns);
  int64_t numbers = isForward ? tiles.rows + tiles.columns : 5 * most;
  if (sizes.p > 0)
    numbers += isForward ? tiles.columns : most;
  if (sizes.bias)
    numbers += tiles.columns + (isForward ? 0 : most);
  // The first and the last visible tile of each warp.
  if (sizes.starts)
    numbers += isForward ? tiles.rows : most;
  if (sizes.isBounded())
    numbers += 2 * llvm::alignTo(tiles.rows / kWarpRows, 4);
  return bytes + numbers * 4;
}

std::optional<DeviceTiles> codegen::chooseDeviceTiles(Operation *attention,
                                                      int64_t sharedBytes) {
  AttentionSizes sizes(attention);
  Type element = nn::tensorType(sizes.q).getElementType();
  if (element.getIntOrFloatBitWidth() > 32)
    return std::nullopt;
  for (Value operand : attention->getOperands())
    if (nn::tensorType(operand).getRank() == 4 && operand != sizes.bias &&
        nn::tensorType(operand).getElementType() != element)
      return std::nullopt;
  if (sizes.bias && bytesOf(sizes.bias) > 4)
    return std::nullopt;
  bool isForward = isa<nn::AttentionOp>(attention);
  bool isWide = std::max(sizes.width, sizes.valueWidth) > kNarrow;
  bool usesTensorCores = element.getIntOrFloatBitWidth() == 16;
  // Several blocks per multiprocessor: one computes while another waits for its
  // tile. Forward, two blocks leave half of the registers to each. That is not
  // enough with both dropout and a bias, if the scores are also masked or the
  // bias differs by query. Backward, three blocks are possible if they are half
  // as large, and without a bias.
  bool isPlain =
      sizes.p == 0 || !sizes.bias ||
      (!sizes.isCausal && nn::tensorType(sizes.bias).getDimSize(2) == 1);
  int64_t blocksOfCore = 0, fromRows = 128;
  if (usesTensorCores && !isWide && isForward && isPlain)
    blocksOfCore = 2;
  bool isHalved = usesTensorCores && !isWide && !isForward && !sizes.bias;
  if (isHalved) {
    blocksOfCore = 3;
    fromRows = 64;
  }
  int64_t mostRows =
      isForward ? sizes.queries : std::max(sizes.queries, sizes.keys);
  int64_t mostColumns = isForward ? sizes.keys : mostRows;
  // Backward a warp accumulates two results.
  int64_t most = isForward || !isWide ? 64 : 32;
  // A tile in two pieces has positions from the lower to the higher one, which
  // see most keys. Pieces that no warp's rows divide are too short to matter.
  auto straddles = [&](int64_t count) {
    return sizes.piece % kWarpRows == 0 && sizes.piece % count;
  };
  for (int64_t rows = fromRows; rows >= kWarpRows; rows /= 2)
    for (int64_t columns = most; columns >= std::min<int64_t>(rows, 32);
         columns /= 2) {
      if (straddles(rows) || straddles(columns))
        continue;
      DeviceTiles tiles = layOut(
          attention, sizes,
          std::min(rows, int64_t(llvm::alignTo(mostRows, kWarpRows))),
          std::min(columns, int64_t(llvm::alignTo(mostColumns, kWarpRows))));
      tiles.blocksOfCore = blocksOfCore;
      tiles.columnsOfKeys =
          isHalved ? std::min(tiles.columns, kHalfColumns) : tiles.columns;
      if (bytesOf(tiles, sizes, isForward) *
              std::max<int64_t>(blocksOfCore, 1) <=
          sharedBytes)
        return tiles;
    }
  return std::nullopt;
}
