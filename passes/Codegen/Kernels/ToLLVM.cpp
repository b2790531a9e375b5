//===- ToLLVM.cpp - Loops to LLVM functions -------------------------------===//

#include "passes/Codegen/Kernels/ToLLVM.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace pcc;

static constexpr StringLiteral kAccessGroups = "access_groups";

namespace {

/// Converts a load or store and keeps its access groups.
template <typename Op>
struct AccessPattern : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto groups =
        dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(kAccessGroups));
    if (!groups)
      return failure();
    Location loc = op.getLoc();
    Value pointer =
        this->getStridedElementPtr(rewriter, loc, op.getMemRefType(),
                                   adaptor.getMemref(), adaptor.getIndices());
    if constexpr (std::is_same_v<Op, memref::LoadOp>) {
      Type type = this->getTypeConverter()->convertType(op.getType());
      auto load = LLVM::LoadOp::create(rewriter, loc, type, pointer);
      load.setAccessGroupsAttr(groups);
      rewriter.replaceOp(op, load);
    } else {
      auto store =
          LLVM::StoreOp::create(rewriter, loc, adaptor.getValue(), pointer);
      store.setAccessGroupsAttr(groups);
      rewriter.eraseOp(op);
    }
    return success();
  }
};

} // namespace

LogicalResult codegen::convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  patterns.add<AccessPattern<memref::LoadOp>, AccessPattern<memref::StoreOp>>(
      converter, /*benefit=*/2);
  populateAffineToStdConversionPatterns(patterns);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

/// Conversion leaves the loop annotation as a discardable attribute of the back
/// edge; LLVM reads only the branch's own attribute.
static void moveLoopAnnotations(LLVM::LLVMFuncOp function) {
  constexpr StringLiteral name = "llvm.loop_annotation";
  function.walk([&](LLVM::BrOp latch) {
    if (auto annotation =
            latch->getAttrOfType<LLVM::LoopAnnotationAttr>(name)) {
      latch->removeAttr(name);
      latch.setLoopAnnotationAttr(annotation);
    }
  });
}

void codegen::finishFunctions(ModuleOp module) {
  OpBuilder builder(module.getContext());
  auto functions = llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp function : functions) {
    if (function.isExternal())
      continue;
    moveLoopAnnotations(function);
    Block &body = function.getBody().front();
    Location loc = function.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(module.getContext());
    Type i64 = builder.getI64Type();
    unsigned buffers = body.getNumArguments() - 2;
    builder.setInsertionPointToStart(&body);
    Value begin = body.getArgument(buffers);
    Value end = body.getArgument(buffers + 1);
    Value args = body.addArgument(pointer, loc);
    for (unsigned i = 0; i < buffers; ++i) {
      Value slot =
          LLVM::GEPOp::create(builder, loc, pointer, pointer, args,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      Value buffer = LLVM::LoadOp::create(builder, loc, pointer, slot);
      body.getArgument(i).replaceAllUsesWith(buffer);
    }
    Value newBegin = body.addArgument(i64, loc);
    Value newEnd = body.addArgument(i64, loc);
    begin.replaceAllUsesWith(newBegin);
    end.replaceAllUsesWith(newEnd);
    body.eraseArguments(0, buffers + 2);
    function.setFunctionType(LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(module.getContext()), {pointer, i64, i64}));
    function.removeArgAttrsAttr();
  }
}
