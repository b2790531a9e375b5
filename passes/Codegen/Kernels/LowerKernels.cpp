//===- LowerKernels.cpp - Kernel functions to LLVM for CPUs ---------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/ToLLVM.h"

namespace pcc {
#define GEN_PASS_DEF_RTLOWERKERNELSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {
/// Kernels are lowered in a module of their own, in which every op converts;
/// the host code around them keeps its dialects.
struct RTLowerKernelsPass
    : pcc::impl::RTLowerKernelsPassBase<RTLowerKernelsPass> {
  using RTLowerKernelsPassBase::RTLowerKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(module.getBody());
    auto inner = ModuleOp::create(builder, module.getLoc());
    if (failed(lower(module, inner)))
      signalPassFailure();
    inner.erase();
  }

  LogicalResult lower(ModuleOp module, ModuleOp inner) {
    OpBuilder builder(&getContext());
    codegen::KernelChoices choices;
    choices.vectorLanes = vectorLanes;
    // On x86, vectors below 512 bits have 16 registers, not 32.
    if (vectorLanes < 16)
      choices.productRows = 4;
    auto functions = module.getOps<func::FuncOp>();
    for (auto kernel : llvm::make_early_inc_range(functions)) {
      if (!kernel->hasAttr(rt::kKernelAttr))
        continue;
      if (!kernel->hasAttr(rt::kWorkItemsAttr)) {
        auto emitted = codegen::emitKernel(builder, kernel, choices);
        if (failed(emitted))
          return failure();
        kernel = *emitted;
      }
      if (failed(codegen::makeLoops(kernel)))
        return failure();
      kernel->moveBefore(inner.getBody(), inner.getBody()->end());
    }
    auto globals = module.getOps<memref::GlobalOp>();
    for (auto global : llvm::make_early_inc_range(globals))
      if (global->hasAttr(rt::kKernelAttr))
        global->moveBefore(inner.getBody(), inner.getBody()->begin());
    OpPassManager simplify(ModuleOp::getOperationName());
    simplify.addPass(memref::createExpandStridedMetadataPass());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(codegen::expandMath(inner)) ||
        failed(runPipeline(simplify, inner)) ||
        failed(codegen::convertToLLVM(inner)))
      return failure();
    codegen::finishFunctions(inner);
    for (Operation &op : llvm::make_early_inc_range(*inner.getBody()))
      op.moveBefore(module.getBody(), module.getBody()->end());
    return success();
  }
};
} // namespace
