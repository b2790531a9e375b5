//===- TileKernels.cpp - nn kernels to kernel IR --------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTTILEKERNELSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {
struct RTTileKernelsPass : pcc::impl::RTTileKernelsPassBase<RTTileKernelsPass> {
  using RTTileKernelsPassBase::RTTileKernelsPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    codegen::KernelChoices choices;
    choices.accumulatorBits = accumulatorBits;
    choices.columnBlock = columnBlock;
    choices.vectorLanes = vectorLanes;
    choices.productRows = productRows;
    choices.productVectors = productVectors;
    choices.tileQueries = tileQueries;
    choices.tileKeys = tileKeys;
    auto functions = getOperation().getOps<func::FuncOp>();
    for (auto kernel : llvm::make_early_inc_range(functions))
      if (kernel->hasAttr(rt::kKernelAttr) &&
          !kernel->hasAttr(rt::kWorkItemsAttr) &&
          failed(codegen::emitKernel(builder, kernel, choices)))
        return signalPassFailure();
  }
};
} // namespace
