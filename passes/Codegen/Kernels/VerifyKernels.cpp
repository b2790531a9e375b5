//===- VerifyKernels.cpp - Verification of kernels ------------------------===//
//
// Also verifies GEMMs with an epilogue, which are functions too: the GEMM
// library is called by their attribute, which must match their ops.
//
//===----------------------------------------------------------------------===//

#include "dialects/Dist/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Attention/Attention.h"
#include "passes/Codegen/Kernels/Emit.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Grouped/GroupedKernel.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Kernels/Stack.h"

namespace pcc {
#define GEN_PASS_DEF_RTVERIFYKERNELSPASS
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Verifies a tiled attention: no other ops but views and those that stack its
/// results, and no result that reuses an operand's buffer, since operand tiles
/// are read after result tiles are written.
static LogicalResult verifyAttention(func::FuncOp kernel,
                                     Operation *attention) {
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator())
    if (&op != attention && !isView(&op) && findStacked(&op) != attention)
      return op.emitError() << "'" << op.getName() << "' cannot be in kernel '"
                            << kernel.getName() << "' together with attention";
  for (auto [r, result] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    if (findAttention(result) != attention)
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' is not computed by its attention";
    if (kernel.getResultAttr(r, rt::kInplaceAttr))
      return kernel.emitError()
             << "result " << r << " of kernel '" << kernel.getName()
             << "' overwrites an operand while it is still read";
  }
  std::string why;
  SmallVector<Value> arguments(kernel.getArguments());
  if (!hasTileForm(attention, arguments, &why))
    return attention->emitError() << "cannot be lowered to tiles: " << why;
  return success();
}

static LogicalResult verifyInplace(func::FuncOp kernel) {
  SmallVector<Value> arguments(kernel.getArguments());
  SmallVector<Value> results(
      kernel.getBody().front().getTerminator()->getOperands());
  if (Operation *attention = findAttention(results))
    return verifyAttention(kernel, attention);
  std::string why;
  std::optional<GroupedKernel> grouped;
  std::unique_ptr<RowProgram> program;
  if (findGrouped(kernel)) {
    SmallVector<Operation *> ops =
        llvm::map_to_vector(kernel.getBody().front().without_terminator(),
                            [](Operation &op) { return &op; });
    grouped = GroupedKernel::find(ops, arguments, results, &why);
    if (!grouped)
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' cannot be lowered to tiles: " << why;
  } else {
    program = RowProgram::create(arguments, results, &why);
    if (!program)
      return kernel.emitError() << "kernel '" << kernel.getName()
                                << "' has no row program: " << why;
  }
  auto mayReuse = [&](unsigned r, unsigned k) {
    return grouped ? grouped->mayReuse(arguments[k]) : program->mayReuse(r, k);
  };
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
             << "' cannot reuse the buffer of operand " << k << ": " << to
             << " is not " << from;
    if (!taken.insert(k).second)
      return kernel.emitError() << "two results of kernel '" << kernel.getName()
                                << "' reuse the buffer of operand " << k;
    if (!mayReuse(r, k))
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

/// Kernel IR: one forall over the work items, and no allocations except a few
/// rows on the stack.
static LogicalResult verifyTiled(func::FuncOp kernel) {
  auto foralls = llvm::to_vector(kernel.getOps<scf::ForallOp>());
  auto units = kernel->getAttrOfType<IntegerAttr>(rt::kWorkItemsAttr);
  if (foralls.size() != 1 ||
      foralls[0].getStaticUpperBound() != ArrayRef<int64_t>{units.getInt()})
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' is not one forall over "
           << units.getInt() << " work items";
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

//===----------------------------------------------------------------------===//
// GEMMs with an epilogue
//===----------------------------------------------------------------------===//

/// Whether a value is a vector argument, repeated along leading dims.
static bool isBias(Value value) {
  auto broadcast = value.getDefiningOp<nn::BroadcastOp>();
  if (!broadcast || !isa<BlockArgument>(broadcast.getInput()))
    return false;
  int64_t rank = nn::tensorType(value).getRank();
  int64_t first = rank - nn::tensorType(broadcast.getInput()).getRank();
  return llvm::equal(broadcast.getDims(), llvm::seq(first, rank));
}

/// Whether a value is the sum of a GEMM, at most one bias and, with `mayAdd`,
/// at most one argument of its shape. Sets `hasBias`.
static bool isProductPlus(Value value, Value product, bool mayAdd,
                          bool &hasBias) {
  auto sum = value.getDefiningOp<nn::SumOp>();
  if (!sum)
    return false;
  int products = 0, biases = 0, arguments = 0;
  for (Value input : sum.getInputs()) {
    products += input == product;
    biases += isBias(input);
    arguments += isa<BlockArgument>(input);
  }
  hasBias = biases;
  return products == 1 && biases <= 1 && arguments <= (mayAdd ? 1 : 0) &&
         products + biases + arguments == int64_t(sum.getInputs().size());
}

/// Whether a value is the sum of a factor over the labels that the contraction
/// sums over.
static bool isFactorSum(Value value, Value factor, StringRef labels,
                        nn::ContractOp product) {
  auto reduce = value.getDefiningOp<nn::ReduceOp>();
  if (!reduce || !nn::tensorType(value).getElementType().isF32())
    return false;
  Value from = reduce.getInput();
  if (auto cast = from.getDefiningOp<nn::CastOp>())
    from = cast.getInput();
  SmallVector<int64_t> summed;
  for (auto [dim, label] : llvm::enumerate(labels))
    if (!product.getResultLabels().contains(label))
      summed.push_back(dim);
  return from == factor && llvm::equal(reduce.getDims(), summed);
}

/// Whether a function's ops match its epilogue attribute.
static bool isMadeAs(func::FuncOp function, rt::Epilogue epilogue) {
  Block &block = function.getBody().front();
  auto products = llvm::to_vector(block.getOps<nn::ContractOp>());
  SmallVector<Value> results(block.getTerminator()->getOperands());
  if (products.size() != 1 || results.empty() || results.size() > 2)
    return false;
  nn::ContractOp product = products.front();
  if (!isa<BlockArgument>(product.getLhs()) ||
      !isa<BlockArgument>(product.getRhs()))
    return false;
  Value made = product.getResult(), first = results.front();
  Value second = results.size() > 1 ? results.back() : Value();
  bool hasBias = false;
  switch (epilogue) {
  case rt::Epilogue::None:
  case rt::Epilogue::Bias:
    return !second && isProductPlus(first, made, /*mayAdd=*/true, hasBias) &&
           hasBias == (epilogue == rt::Epilogue::Bias);
  case rt::Epilogue::Gelu: {
    auto gelu = first.getDefiningOp<nn::GeluOp>();
    if (!gelu || !gelu.getTanh() || (second && second != gelu.getInput()))
      return false;
    return gelu.getInput() == made ||
           isProductPlus(gelu.getInput(), made, /*mayAdd=*/false, hasBias);
  }
  case rt::Epilogue::GeluGrad: {
    auto grad = first.getDefiningOp<nn::GeluGradOp>();
    return !second && grad && grad.getTanh() && grad.getDy() == made &&
           isa<BlockArgument>(grad.getX());
  }
  case rt::Epilogue::SumA:
    return first == made && second &&
           isFactorSum(second, product.getLhs(), product.getLhsLabels(),
                       product);
  case rt::Epilogue::SumB:
    return first == made && second &&
           isFactorSum(second, product.getRhs(), product.getRhsLabels(),
                       product);
  }
  llvm_unreachable("no such epilogue");
}

/// Verifies that the callee has the call's epilogue, and that bias and gelu are
/// not applied to a partial sum: the bias would be added once per rank, and
/// gelu is not linear.
static LogicalResult verifyGemmCall(func::CallOp call) {
  auto kind = call->getAttrOfType<rt::EpilogueAttr>(rt::kEpilogueAttr);
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!function || function->getAttr(rt::kEpilogueAttr) != kind)
    return call.emitError() << "calls " << call.getCalleeAttr()
                            << ", which is not a GEMM with this epilogue";
  dist::ShardingAttr layout = dist::getSharding(call.getResult(0));
  bool isOfWhole = kind.getValue() == rt::Epilogue::Bias ||
                   kind.getValue() == rt::Epilogue::Gelu;
  if (isOfWhole && layout &&
      (!layout.getPartial().empty() || !layout.getPartialMax().empty()))
    return call.emitError()
           << "applies '" << rt::stringifyEpilogue(kind.getValue())
           << "' to a partial sum, " << layout;
  return success();
}

static LogicalResult verifyGemm(func::FuncOp function) {
  auto kind = function->getAttrOfType<rt::EpilogueAttr>(rt::kEpilogueAttr);
  Block &block = function.getBody().front();
  llvm::SmallDenseSet<Operation *> needed;
  std::function<void(Value)> need = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && needed.insert(op).second)
      for (Value operand : op->getOperands())
        need(operand);
  };
  for (Value result : block.getTerminator()->getOperands())
    need(result);
  bool isAllUsed =
      needed.size() == std::distance(block.begin(), block.end()) - size_t(1) &&
      llvm::none_of(block.getArguments(),
                    [](Value argument) { return argument.use_empty(); });
  if (!kind || !isAllUsed || !isMadeAs(function, kind.getValue()))
    return function.emitError() << "function '" << function.getName()
                                << "' is not a GEMM with epilogue "
                                << function->getAttr(rt::kEpilogueAttr);
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
            if (failed(function->hasAttr(rt::kWorkItemsAttr)
                           ? verifyTiled(function)
                           : verifyOnTensors(function)))
              return WalkResult::interrupt();
            return WalkResult::skip();
          }
          if (function && function->hasAttr(rt::kEpilogueAttr)) {
            if (failed(verifyGemm(function)))
              return WalkResult::interrupt();
            return WalkResult::skip();
          }
          if (auto call = dyn_cast<func::CallOp>(op);
              call && call->hasAttr(rt::kEpilogueAttr) &&
              failed(verifyGemmCall(call)))
            return WalkResult::interrupt();
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
