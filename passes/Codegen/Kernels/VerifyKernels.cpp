//===- VerifyKernels.cpp - What back ends assume of kernels ---------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTVERIFYKERNELSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// An attention by tiles: nothing else but views, and no result in the place of
/// an operand, of which tiles are read after others have been written.
static LogicalResult verifyAttention(func::FuncOp kernel,
                                     Operation *attention) {
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator())
    if (&op != attention && !isView(&op))
      return op.emitError() << "'" << op.getName() << "' cannot be in kernel '"
                            << kernel.getName() << "' beside attention";
  for (auto [r, result] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    if (result.getDefiningOp() != attention)
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' is not made by its attention";
    if (kernel.getResultAttr(r, rt::kInplaceAttr))
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' overwrites an operand while it is still read";
  }
  std::string why;
  SmallVector<Value> arguments(kernel.getArguments());
  if (!hasTileForm(attention, arguments, &why))
    return attention->emitError() << "cannot be made by tiles: " << why;
  return success();
}

static LogicalResult verifyInplace(func::FuncOp kernel) {
  SmallVector<Value> arguments(kernel.getArguments());
  SmallVector<Value> results(
      kernel.getBody().front().getTerminator()->getOperands());
  if (Operation *attention = findAttention(results))
    return verifyAttention(kernel, attention);
  std::string why;
  auto program = RowProgram::create(arguments, results, &why);
  if (!program)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no row program: " << why;
  llvm::SmallDenseSet<int64_t> taken;
  for (auto [r, result] : llvm::enumerate(results)) {
    auto attr = kernel.getResultAttrOfType<IntegerAttr>(r, rt::kInplaceAttr);
    if (!attr)
      continue;
    int64_t k = attr.getInt();
    if (k < 0 || k >= static_cast<int64_t>(arguments.size()))
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' names operand " << k << " of " << arguments.size();
    auto from = nn::tensorType(arguments[k]), to = nn::tensorType(result);
    if (from.getNumElements() != to.getNumElements() ||
        from.getElementType() != to.getElementType())
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' cannot lie in operand " << k << ": " << to << " is not "
             << from;
    if (!taken.insert(k).second)
      return kernel.emitError() << "two results of kernel '" << kernel.getName()
                                << "' lie in operand " << k;
    if (!program->mayReuse(r, k))
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' overwrites operand " << k << " while it is still read";
  }
  return success();
}

static LogicalResult verifyOnTensors(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isKernelOp(&op))
      return op.emitError() << "'" << op.getName() << "' cannot be in kernel '"
                            << kernel.getName() << "'";
  return verifyInplace(kernel);
}

/// Kernel IR: one forall over the units, and nothing allocated but a few rows
/// on the stack.
static LogicalResult verifyTiled(func::FuncOp kernel) {
  auto foralls = llvm::to_vector(kernel.getOps<scf::ForallOp>());
  auto units = kernel->getAttrOfType<IntegerAttr>(rt::kUnitsAttr);
  if (foralls.size() != 1 ||
      foralls[0].getStaticUpperBound() != ArrayRef<int64_t>{units.getInt()})
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' is no forall over "
           << units.getInt() << " units";
  int64_t bytes = 0;
  auto result = kernel.walk([&](Operation *op) {
    if (isa<memref::AllocOp>(op)) {
      op->emitError() << "kernel '" << kernel.getName() << "' allocates";
      return WalkResult::interrupt();
    }
    if (auto alloca = dyn_cast<memref::AllocaOp>(op)) {
      auto type = alloca.getType();
      bytes += type.getNumElements() *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (bytes > kPrivateBytes)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' needs " << bytes
           << " bytes of stack, more than " << kPrivateBytes;
  return success();
}

namespace {
struct RTVerifyKernelsPass
    : pcc::impl::RTVerifyKernelsPassBase<RTVerifyKernelsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto result = getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) -> WalkResult {
          auto function = dyn_cast<func::FuncOp>(op);
          if (function && function->hasAttr(rt::kKernelAttr)) {
            if (failed(function->hasAttr(rt::kUnitsAttr)
                           ? verifyTiled(function)
                           : verifyOnTensors(function)))
              return WalkResult::interrupt();
            return WalkResult::skip();
          }
          bool isLoose = isKernelOp(op) && !isAlias(op);
          if (isLoose) {
            op->emitError() << "'" << op->getName() << "' is in no kernel";
            return WalkResult::interrupt();
          }
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
