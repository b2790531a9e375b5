//===- MakeLoops.cpp - Kernel IR to sequential loops ----------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Codegen/Kernels/ToLLVM.h"

using namespace mlir;
using namespace pcc;

/// An access group for accesses without dependences between loop iterations.
static LLVM::AccessGroupAttr makeAccessGroup(MLIRContext *context) {
  return LLVM::AccessGroupAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)));
}

/// f32 lanes of the widest vectors. LLVM chooses a loop's width by its widest
/// type, which is the f64 accumulator of a sum; most work is in f32.
static constexpr int kVectorWidth = 16;

/// Whether a loop has both f32 and 64-bit values, and no log, sin, cos or pow,
/// which call the math library.
static bool mixesWidths(Operation *loop) {
  bool hasNarrow = false, hasWide = false;
  loop->walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      hasNarrow |= type.isF32();
      hasWide |= type.isF64() || type.isInteger(64);
    }
  });
  bool calls =
      loop->walk([](Operation *op) {
            return isa<math::LogOp, math::SinOp, math::CosOp, math::PowFOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  return hasNarrow && hasWide && !calls;
}

LogicalResult codegen::makeLoops(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  IRRewriter rewriter(context);
  auto foralls = llvm::to_vector(kernel.getOps<scf::ForallOp>());
  if (foralls.size() != 1)
    return kernel.emitError(
        "a kernel must have exactly one forall over its work items");
  scf::ForallOp forall = foralls.front();

  Location loc = kernel.getLoc();
  Block &entry = kernel.getBody().front();
  Type index = rewriter.getIndexType();
  SmallVector<Type> types(kernel.getFunctionType().getInputs());
  types.append(2, index);
  Value begin = entry.addArgument(index, loc);
  Value end = entry.addArgument(index, loc);
  // The attributes on results were for buffer assignment.
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(rewriter.getFunctionType(types, {}));
  rewriter.setInsertionPoint(forall);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, one);
  forall.getTerminator()->erase();
  Block *body = loop.getBody();
  rewriter.inlineBlockBefore(forall.getBody(), body->getTerminator(),
                             loop.getInductionVar());
  rewriter.eraseOp(forall);

  SmallVector<memref::AllocaOp> temporaries;
  kernel.walk([&](memref::AllocaOp op) { temporaries.push_back(op); });
  for (memref::AllocaOp op : temporaries)
    op->moveBefore(&entry, entry.begin());

  auto group = makeAccessGroup(context);
  auto annotate = [&](LLVM::LoopVectorizeAttr vectorize) {
    return LLVM::LoopAnnotationAttr::get(
        context, {}, vectorize, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
        ArrayRef<LLVM::AccessGroupAttr>{group});
  };
  auto annotation = annotate({});
  auto wideAnnotation = annotate(LLVM::LoopVectorizeAttr::get(
      context, {}, {}, {}, rewriter.getI32IntegerAttr(kVectorWidth), {}, {},
      {}));
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    auto loops = linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops) || loops->empty())
      return op.emitError("cannot be lowered to loops");
    rewriter.eraseOp(op);
    Operation *innermost = loops->back();
    innermost->setAttr("llvm.loop_annotation",
                       mixesWidths(innermost) ? wideAnnotation : annotation);
    // Accumulators are the same element in every iteration.
    innermost->walk([&](Operation *access) {
      Value buffer;
      if (auto load = dyn_cast<memref::LoadOp>(access))
        buffer = load.getMemRef();
      else if (auto store = dyn_cast<memref::StoreOp>(access))
        buffer = store.getMemRef();
      if (buffer && cast<MemRefType>(buffer.getType()).getRank())
        access->setAttr("access_groups", ArrayAttr::get(context, {group}));
    });
  }
  return success();
}

/// LLVM has no erf intrinsic; in f64 the C library's is called.
static void callErf(ModuleOp module) {
  SmallVector<math::ErfOp> wide;
  module.walk([&](math::ErfOp op) {
    if (op.getType().isF64())
      wide.push_back(op);
  });
  if (wide.empty())
    return;
  OpBuilder builder(module.getBodyRegion());
  Type f64 = builder.getF64Type();
  auto erf = func::FuncOp::create(builder, module.getLoc(), "erf",
                                  builder.getFunctionType({f64}, {f64}));
  erf.setPrivate();
  for (math::ErfOp op : wide) {
    builder.setInsertionPoint(op);
    op.replaceAllUsesWith(
        func::CallOp::create(builder, op.getLoc(), erf, op.getOperand())
            .getResult(0));
    op.erase();
  }
}

LogicalResult codegen::expandMath(ModuleOp module) {
  callErf(module);
  RewritePatternSet patterns(module.getContext());
  auto isWanted = [](StringRef name) {
    return name == math::ExpOp::getOperationName() ||
           name == math::TanhOp::getOperationName() ||
           name == math::ErfOp::getOperationName();
  };
  populateMathPolynomialApproximationPatterns(patterns, isWanted);
  // Without bf16 instructions LLVM would call a function to round.
  arith::populateExpandBFloat16Patterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}
