//===- Attention.cpp - Tiled attention ------------------------------------===//

#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Attention/DeviceTiles.h"
#include "passes/Codegen/Kernels/Attention/WorkItem.h"
#include "passes/Codegen/Kernels/Stack.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Multiplications worth a thread: some tens of microseconds.
static constexpr int64_t kGrainProducts = 1 << 20;

/// The fewest keys for which bf16/fp16 attention uses tiles on a CPU. They
/// compute in f32, whereas the GEMM library multiplies low-precision factors
/// faster, and short rows of scores need little memory. See
/// docs/rationale/kernels.md.
static constexpr int64_t kLeastNarrowKeys = 128;

Operation *codegen::findAttention(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (isa_and_nonnull<nn::AttentionOp, nn::AttentionGradOp>(op))
      return op;
  return nullptr;
}

Operation *codegen::findAttention(ArrayRef<Value> results) {
  return findAttention(llvm::map_to_vector(results, [](Value result) {
    Operation *op = result.getDefiningOp();
    Operation *stacked = op ? findStacked(op) : nullptr;
    return stacked ? stacked : op;
  }));
}

/// An upper bound of the private memory of a work item, in bytes, for both
/// directions. It depends on the head sizes and, backward, on the queries of
/// the heads that share a key head, for each of which one value is kept.
static int64_t privateBytes(const AttentionSizes &sizes) {
  KernelChoices choices;
  int64_t lanes = choices.vectorLanes;
  int64_t tile = std::max(choices.tileQueries, choices.tileKeys);
  int64_t widths = sizes.width + sizes.valueWidth;
  bool isNarrow = !nn::tensorType(sizes.q).getElementType().isF32();
  // Keys, values and their gradients; pairs; contributions to dq; values per
  // row.
  int64_t numbers =
      tile * (2 * widths + 2 * tile + llvm::alignTo(sizes.width, lanes) + 8) +
      sizes.shared() * sizes.queries + 4 * lanes * lanes;
  if (isNarrow || sizes.width % lanes)
    numbers += tile * llvm::alignTo(sizes.width, lanes);
  if (isNarrow)
    numbers += tile * widths;
  // Biases of pairs, or their cotangents, and a row of them.
  if (sizes.bias)
    numbers += tile * tile + 2 * tile;
  return numbers * 4;
}

/// The reason why tiles are impossible on any target, or empty.
static StringRef whyNoTiles(Operation *attention) {
  AttentionSizes sizes(attention);
  for (Value numbers : {sizes.q, sizes.bias, sizes.sinks})
    if (numbers && nn::tensorType(numbers).getElementTypeBitWidth() > 32)
      return "elements have more than 32 bits";
  return "";
}

static constexpr StringLiteral kTooWide =
    "its tiles exceed the private memory of a work item";

StringRef codegen::whyNotOnCpu(Operation *attention) {
  if (privateBytes(AttentionSizes(attention)) > kPrivateBytes)
    return kTooWide;
  auto grad = dyn_cast<nn::AttentionGradOp>(attention);
  if (grad && !nn::tensorType(grad.getDq()).getElementType().isF32())
    return "dq is accumulated in memory and must be f32";
  return "";
}

StringRef codegen::whyExpanded(Operation *attention, bool isOnDevice,
                               int64_t sharedBytes) {
  StringRef why = whyNoTiles(attention);
  if (!why.empty())
    return why;
  if (isOnDevice)
    return chooseDeviceTiles(attention, sharedBytes)
               ? ""
               : "tiles of such wide heads exceed a block's shared memory";
  AttentionSizes sizes(attention);
  if (privateBytes(sizes) > kPrivateBytes)
    return kTooWide;
  if (nn::tensorType(sizes.q).getElementTypeBitWidth() < 32 &&
      sizes.keys < kLeastNarrowKeys)
    return "bf16/fp16 tiles need at least 128 keys";
  return "";
}

/// Whether the bias' cotangent, if it is used, covers all queries and keys;
/// --nn-expand-attention ensures that.
static bool hasWholeRows(Operation *attention) {
  AttentionSizes sizes(attention);
  if (!sizes.asksForBias)
    return true;
  auto grad = cast<nn::AttentionGradOp>(attention);
  return nn::tensorType(grad.getDbias()).getShape().drop_front(2) ==
         ArrayRef<int64_t>({sizes.queries, sizes.keys});
}

bool codegen::hasTileForm(Operation *attention, ArrayRef<Value> arguments,
                          std::string *why) {
  auto no = [&](StringRef reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  Value bias = AttentionSizes(attention).bias;
  for (Value operand : attention->getOperands()) {
    auto view = findStrided(operand, arguments);
    // Rows of heads, and of the bias, are read as vectors.
    bool isRow = view && (view->strides.size() != 4 || view->strides[3] == 1);
    bool isEqual =
        view && operand == bias &&
        (view->strides[3] == 0 || nn::tensorType(bias).getShape()[3] == 1);
    if (!isRow && !isEqual)
      return no("an operand has no contiguous rows in memory");
  }
  if (!hasWholeRows(attention))
    return no("the bias' cotangent does not cover all queries and keys");
  StringRef reason = whyNoTiles(attention);
  return reason.empty() || no(reason);
}

AttentionWorkItems
codegen::getAttentionWorkItems(Operation *attention,
                               const KernelChoices &choices) {
  AttentionSizes sizes(attention);
  bool isForward = isa<nn::AttentionOp>(attention);
  int64_t height = sizes.tileHeight(choices);
  int64_t units = sizes.batch * (isForward ? sizes.heads : sizes.keyHeads);
  int64_t rows = isForward ? height : sizes.queries * sizes.shared();
  if (isForward)
    units *= llvm::divideCeil(sizes.queries, height);
  else
    units += sizes.countBiasUnits(choices);
  int64_t products = rows * sizes.keys * (sizes.width + sizes.valueWidth) *
                     (isForward ? 1 : 2);
  return {units, std::max<int64_t>(1, kGrainProducts / products)};
}

void codegen::emitAttention(ScalarBuilder &b, Operation *attention,
                            const KernelChoices &choices, Value unit,
                            const OperandMap &operands,
                            ArrayRef<Operand> outs) {
  if (auto op = dyn_cast<nn::AttentionOp>(attention))
    emitForward(b, op, choices, unit, operands, outs);
  else
    emitBackward(b, cast<nn::AttentionGradOp>(attention), choices, unit,
                 operands, outs);
}
