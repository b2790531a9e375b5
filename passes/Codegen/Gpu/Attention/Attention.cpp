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
  auto tiles = chooseDeviceTiles(attention, choices.sharedBytes);
  if (!tiles)
    return attention->emitError()
           << "cannot be lowered for a GPU: no tiles of its element types "
              "fit into the shared memory of a block";
  // Inserted next to the kernel, since a gpu.module cannot contain it.
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
  if (tiles->blocksOfCore)
    launch.blocksOfCore = tiles->blocksOfCore;
  if (failed(setLaunch(function, launch, choices.sharedBytes)))
    return failure();
  return function;
}
