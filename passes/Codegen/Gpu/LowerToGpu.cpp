//===- LowerToGpu.cpp - Lowering of kernels to a gpu.module ---------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Gpu/Attention/Attention.h"
#include "passes/Codegen/Gpu/Device.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "passes/Codegen/Gpu/GroupedGemm.h"
#include "passes/Codegen/Gpu/Passes.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc {
#define GEN_PASS_DEF_RTLOWERKERNELSTOGPUPASS
#include "passes/Codegen/Gpu/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// The minimum number of resident threads per multiprocessor, which has 64 Ki
/// registers: half of the maximum, so that each thread has 64 registers.
static constexpr int64_t kThreadsPerCore = 1024;
/// The same for groups of rows: each thread has 128 registers, for its sums.
static constexpr int64_t kWideThreadsPerCore = 512;
/// The maximum number of resident blocks per multiprocessor.
static constexpr int64_t kMostBlocks = 32;
/// The minimum number of columns per block of a sum over rows: a 32-byte sector
/// of 16-bit elements.
static constexpr int64_t kLeastColumns = 16;

/// Rewrites fills and copies to generics.
static LogicalResult generalize(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<linalg::LinalgOp> named;
  kernel.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op.emitError("cannot be lowered for a GPU");
  }
  return success();
}

/// Returns the arguments that the kernel writes, which are its results.
static llvm::SmallDenseSet<Value> findWritten(func::FuncOp kernel) {
  llvm::SmallDenseSet<Value> written;
  kernel.walk([&](Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      for (Value out : generic.getOutputs())
        written.insert(sliceOf(out).buffer);
    if (auto store = dyn_cast<memref::StoreOp>(op))
      written.insert(store.getMemRef());
  });
  return written;
}

/// Tightens the limits so that blocks use less shared memory than with
/// `layout`. Returns false if that is impossible.
static bool shrink(LayoutLimits &limits, const ThreadLayout &layout) {
  bool isMoreThanWarp = layout.threads * layout.slices > kWarp;
  if (!layout.sameRows.empty())
    limits.mayShareRows = false;
  else if (layout.teams > 1)
    limits.mostWarps = layout.teams / 2;
  else if (layout.slices > 2 && isMoreThanWarp)
    limits.mostSlices = layout.slices / 2;
  else
    return false;
  return true;
}

FailureOr<gpu::GPUFuncOp>
codegen::emitDeviceKernel(OpBuilder &builder, func::FuncOp kernel,
                          const KernelChoices &choices) {
  LayoutLimits limits;
  limits.columnBlock = choices.columnBlock;
  limits.sharedBytes = choices.sharedBytes;
  while (true) {
    ThreadLayout layout = layOut(kernel, limits);
    gpu::GPUFuncOp function =
        makeDeviceFunction(builder, kernel, findWritten(kernel));
    DeviceEmitter emitter(kernel, function, layout, limits);
    LogicalResult result = emitter.emit();
    auto conflict = emitter.getConflict();
    if (conflict != DeviceEmitter::Conflict::None) {
      function.erase();
      if (conflict == DeviceEmitter::Conflict::NeedsWarps)
        limits.leastThreads = kWarp;
      else
        limits.mayTile = false;
      continue;
    }
    if (failed(result)) {
      function.erase();
      return failure();
    }
    int64_t shared = emitter.getSharedBytes();
    if (shared > limits.sharedBytes && shrink(limits, layout)) {
      function.erase();
      continue;
    }
    // Without a minimum, ptxas prefers more resident blocks to enough
    // registers.
    int64_t threads = layout.isOfGroups ? kWideThreadsPerCore : kThreadsPerCore;
    if (failed(setLaunch(
            function,
            {layout.grid(), layout.block(), shared,
             std::clamp<int64_t>(threads / layout.block(), 1, kMostBlocks)},
            limits.sharedBytes)))
      return failure();
    return function;
  }
}

namespace {
struct RTLowerKernelsToGpuPass
    : pcc::impl::RTLowerKernelsToGpuPassBase<RTLowerKernelsToGpuPass> {
  using RTLowerKernelsToGpuPassBase::RTLowerKernelsToGpuPassBase;

  void runOnOperation() override {
    if (failed(lower(getOperation())))
      signalPassFailure();
  }

  LogicalResult lower(ModuleOp module) {
    KernelChoices choices;
    choices.accumulatorBits = accumulatorBits;
    choices.columnBlock = columnBlock;
    choices.wantedUnits = kFewBlocks;
    choices.leastColumns = kLeastColumns;
    choices.sumsByRow = true;
    choices.sharedBytes = leastShared(chips);
    OpBuilder builder(&getContext());
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    builder.setInsertionPointToEnd(module.getBody());
    auto device =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kDeviceModule);
    OpPassManager simplify(func::FuncOp::getOperationName());
    simplify.addPass(createCSEPass());
    auto functions = module.getOps<func::FuncOp>();
    for (auto kernel : llvm::make_early_inc_range(functions)) {
      if (!kernel->hasAttr(rt::kKernelAttr))
        continue;
      if (!kernel->hasAttr(rt::kWorkItemsAttr)) {
        SmallVector<Value> results(
            kernel.getBody().front().getTerminator()->getOperands());
        if (Operation *attention = findAttention(results)) {
          builder.setInsertionPointToEnd(device.getBody());
          if (failed(emitDeviceAttention(builder, kernel, attention, choices)))
            return failure();
          kernel.erase();
          continue;
        }
        if (findGrouped(kernel)) {
          builder.setInsertionPointToEnd(device.getBody());
          if (failed(emitDeviceGrouped(builder, kernel, choices)))
            return failure();
          kernel.erase();
          continue;
        }
        auto emitted = emitKernel(builder, kernel, choices);
        if (failed(emitted))
          return failure();
        kernel = *emitted;
      }
      if (failed(generalize(kernel)) || failed(runPipeline(simplify, kernel)))
        return failure();
      builder.setInsertionPointToEnd(device.getBody());
      if (failed(emitDeviceKernel(builder, kernel, choices)))
        return failure();
      kernel.erase();
    }
    auto globals = module.getOps<memref::GlobalOp>();
    for (auto global : llvm::make_early_inc_range(globals))
      if (global->hasAttr(rt::kKernelAttr)) {
        global->removeAttr(rt::kKernelAttr);
        global->moveBefore(device.getBody(), device.getBody()->begin());
      }
    return success();
  }
};
} // namespace
