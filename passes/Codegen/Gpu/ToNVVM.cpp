//===- ToNVVM.cpp - Lowering of device functions to NVVM ------------------===//
//
// Converts everything in one conversion with MLIR's patterns, like MLIR's own
// pass for GPU functions. That pass lacks functions on bare pointers whose
// types tell the address space, vectors, and affine maps.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Gpu/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_GPUKERNELSTONVVMPASS
#include "passes/Codegen/Gpu/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Declares a block's dynamic shared memory as an external variable, as CUDA
/// does. If it were defined with zero bytes, LLVM would conclude that no two
/// accesses to it alias.
static void declareSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (type && !type.getNumElements())
      global.setLinkage(LLVM::Linkage::External);
  }
}

/// Lowers loops, branches and affine maps, then everything else.
static LogicalResult convert(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet control(context);
  populateAffineToStdConversionPatterns(control);
  populateSCFToControlFlowConversionPatterns(control);
  vector::populateVectorFromElementsUnrollPatterns(control);
  if (failed(applyPatternsGreedily(module, std::move(control))))
    return failure();

  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateNVGPUToNVVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  configureGpuToNVVMConversionLegality(target);
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  declareSharedMemory(module);
  return success();
}

namespace {
struct GpuKernelsToNVVMPass
    : pcc::impl::GpuKernelsToNVVMPassBase<GpuKernelsToNVVMPass> {
  void runOnOperation() override {
    // LLVM simplifies the result further; here one iteration over all ops is
    // enough.
    GreedyRewriteConfig once;
    once.setMaxIterations(1);
    once.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    OpPassManager simplify(gpu::GPUModuleOp::getOperationName());
    simplify.addPass(createCanonicalizerPass(once));
    simplify.addPass(createCSEPass());
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(runPipeline(simplify, module)) || failed(convert(module)) ||
          failed(check(module)))
        return signalPassFailure();
  }

  /// Reports ops that the partial conversion left.
  LogicalResult check(gpu::GPUModuleOp module) {
    auto result = module.walk([&](Operation *op) {
      if (op == module ||
          isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' cannot be lowered for a GPU";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
