//===- Attention.cpp - Attention on devices -------------------------------===//

#include "passes/Codegen/Gpu/Attention/Attention.h"
#include "passes/Codegen/Gpu/Attention/Block.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

FailureOr<gpu::GPUFuncOp>
codegen::emitDeviceAttention(OpBuilder &builder, func::FuncOp kernel,
                             Operation *attention,
                             const KernelChoices &choices) {
  auto tiles = chooseDeviceTiles(attention);
  if (!tiles)
    return attention->emitError()
           << "cannot be made by a device's tiles: a block has no room for "
              "them";
  // Beside the kernel: a function of a gpu.module has no place for it.
  func::FuncOp flat;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(kernel);
    flat = flattenKernel(builder, kernel);
  }
  unsigned operands = kernel.getNumArguments();
  llvm::SmallDenseSet<Value> written;
  for (Value result : flat.getArguments().drop_front(operands))
    written.insert(result);
  gpu::GPUFuncOp function = makeDeviceFunction(builder, flat, written);
  flat.erase();

  ScalarBuilder b(kernel.getLoc(), builder.getContext());
  b.setInsertionPointToStart(&function.getBody().front());
  AttentionBuffers buffers =
      findBuffers(b, kernel, attention, function.getArguments());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  AttentionSizes sizes(attention);
  DeviceLaunch launch;
  launch.block = tiles->threads();
  if (auto op = dyn_cast<nn::AttentionOp>(attention)) {
    launch.grid = countForwardBlocks(sizes, *tiles);
    launch.shared = emitForwardBlock(b, op, choices, *tiles, block,
                                     buffers.operands, buffers.outs);
  } else {
    launch.grid = countBackwardBlocks(sizes, *tiles, buffers.outs);
    launch.shared =
        emitBackwardBlock(b, cast<nn::AttentionGradOp>(attention), choices,
                          *tiles, block, buffers.operands, buffers.outs);
  }
  gpu::ReturnOp::create(b);
  // A thread has all the registers that there are, or half of them where that
  // suffices: then one block computes while another waits for its tile. It does
  // not where scores are dropped out and have a bias, and are masked or have
  // numbers of it of their own.
  const int64_t narrow = 64;
  bool isPlain =
      sizes.p == 0 || !sizes.bias ||
      (!sizes.isCausal && nn::tensorType(sizes.bias).getDimSize(2) == 1);
  if (isa<nn::AttentionOp>(attention) && tiles->usesTensorCores() && isPlain &&
      std::max(tiles->width, tiles->valueWidth) <= narrow)
    launch.blocksOfCore = 2;
  if (failed(setLaunch(function, launch)))
    return failure();
  return function;
}
