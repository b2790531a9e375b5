//===- FormEpilogues.cpp - Selection of GEMM epilogues --------------------===//
//
// Fuses the ops that follow a GEMM into its epilogue if that reduces memory
// traffic. Whether it does depends on the kernels that remain. Ahead of an
// attention, the sum of a GEMM and a bias is a kernel of its own. Ahead of a
// norm, it costs nothing, since the norm's kernel reads the GEMM's result
// anyway. So each fusion is tried on a copy of the body, for which kernels are
// formed:
//
//     %p = nn.contract ...           p written
//     %s = nn.sum %p, %bias          p read, s written     a kernel
//     %o = nn.attention %s           s read
//
//     %s = func.call @product_0_bias s written
//     %o = nn.attention %s           s read
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipe/Pipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Kernels/Prepare.h"
#include "passes/Codegen/Lower/Fusions.h"
#include "passes/Codegen/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_RTFORMEPILOGUESPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The memory traffic of the kernels and GEMMs of a body.
struct Traffic {
  int64_t bytes = 0;    ///< read and written
  int64_t launches = 0; ///< kernels and GEMMs

  /// Whether one of the numbers is less, and the other not greater.
  bool isLess(const Traffic &than) const {
    return bytes <= than.bytes && launches <= than.launches &&
           (bytes < than.bytes || launches < than.launches);
  }
};

struct RTFormEpiloguesPass
    : pcc::impl::RTFormEpiloguesPassBase<RTFormEpiloguesPass> {
  using RTFormEpiloguesPassBase::RTFormEpiloguesPassBase;

  void runOnOperation() override;
  void formIn(pipe::BodyOp body);
  /// Returns the traffic of a body after a fusion of kind `kind` with
  /// `contract`, or of the body as it is without `contract`. Fails if no
  /// kernels can be formed, which --rt-form-kernels reports.
  FailureOr<Traffic> count(pipe::BodyOp body, nn::ContractOp contract = {},
                           FusionKind kind = {});
  /// Returns the name of the function that contains the fused ops.
  StringRef outline(const Fusion &fusion);

  /// The functions, by their text without the name.
  llvm::StringMap<func::FuncOp> functions;
};

} // namespace

/// Bytes that take a device longer to read than a kernel launch.
static constexpr int64_t kLarge = 8 << 20;

static int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : values) {
    RankedTensorType type = nn::tensorType(value);
    bytes += type.getNumElements() * rt::getElementBytes(type.getElementType());
  }
  return bytes;
}

/// Returns the operand that a GEMM's epilogue sums up, if any. The library
/// reads it again, in a separate kernel.
static ValueRange summedOperand(Operation *product) {
  auto epilogue = product->getAttrOfType<rt::EpilogueAttr>(rt::kEpilogueAttr);
  if (!epilogue)
    return {};
  switch (epilogue.getValue()) {
  case rt::Epilogue::SumA:
    return product->getOperands().take_front(1);
  case rt::Epilogue::SumB:
    return product->getOperands().slice(1, 1);
  default:
    return {};
  }
}

/// Returns the cost, in bytes, of the library's second read of an operand,
/// which runs at two thirds of the speed of our kernels. For a small operand
/// only the saved launches count.
static int64_t costOf(ValueRange factor) {
  int64_t bytes = bytesOf(factor);
  return bytes >= kLarge ? bytes + bytes / 2 : 0;
}

FailureOr<Traffic> RTFormEpiloguesPass::count(pipe::BodyOp body,
                                              nn::ContractOp contract,
                                              FusionKind kind) {
  IRMapping mapping;
  OwningOpRef<pipe::BodyOp> copy(cast<pipe::BodyOp>(body->clone(mapping)));
  if (contract) {
    Value inCopy = mapping.lookup(contract.getResult());
    auto fusion =
        findFusion(cast<nn::ContractOp>(inCopy.getDefiningOp()), kind);
    applyFusion(*fusion, "product");
  }
  Block &block = *copy->getBlock();
  codegen::prepareBlock(block, partialSums);
  ScopedDiagnosticHandler quiet(&getContext(),
                                [](Diagnostic &) { return success(); });
  auto grouping = codegen::groupBlock(block, /*isForDevice=*/true);
  if (failed(grouping))
    return failure();
  Traffic traffic;
  for (const codegen::Group &group : grouping->groups) {
    traffic.bytes += bytesOf(group.arguments.getArrayRef());
    traffic.bytes += bytesOf(group.results);
    ++traffic.launches;
  }
  for (Operation &op : block)
    if (codegen::isGemm(&op)) {
      traffic.bytes += bytesOf(op.getOperands()) + bytesOf(op.getResults());
      traffic.bytes += costOf(summedOperand(&op));
      ++traffic.launches;
    }
  return traffic;
}

StringRef RTFormEpiloguesPass::outline(const Fusion &fusion) {
  MLIRContext *context = &getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  SmallVector<Type> inputs(ValueRange(fusion.arguments).getTypes()),
      outputs(ValueRange(fusion.results).getTypes());
  Location loc = fusion.ops.back()->getLoc();
  auto function = func::FuncOp::create(
      loc, "product", FunctionType::get(context, inputs, outputs));
  function.setPrivate();
  function->setAttr(rt::kEpilogueAttr,
                    rt::EpilogueAttr::get(context, fusion.epilogue));
  Block *body = function.addEntryBlock();
  IRMapping mapping;
  mapping.map(fusion.arguments, body->getArguments());
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  for (Operation *op : fusion.ops)
    inner.clone(*op, mapping)
        ->setDiscardableAttrs(DictionaryAttr::get(context));
  SmallVector<Value> results;
  for (Value result : fusion.results)
    results.push_back(mapping.lookup(result));
  func::ReturnOp::create(inner, loc, results);

  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, OpPrintingFlags().useLocalScope());
  auto [it, isNew] = functions.try_emplace(text, function);
  if (!isNew) {
    function.erase();
    return it->second.getName();
  }
  function.setName(("product_" + Twine(functions.size() - 1) + "_" +
                    rt::stringifyEpilogue(fusion.epilogue))
                       .str());
  builder.insert(function);
  return function.getName();
}

void RTFormEpiloguesPass::formIn(pipe::BodyOp body) {
  auto contracts = llvm::to_vector(body.getBlock()->getOps<nn::ContractOp>());
  std::optional<Traffic> now;
  for (nn::ContractOp contract : contracts)
    for (FusionKind kind : kFusionKinds) {
      auto fusion = findFusion(contract, kind);
      if (!fusion)
        continue;
      if (!now) {
        auto without = count(body);
        if (failed(without))
          return;
        now = *without;
      }
      auto with = count(body, contract, kind);
      if (failed(with) || !with->isLess(*now))
        continue;
      now = *with;
      applyFusion(*fusion, outline(*fusion));
      break;
    }
}

void RTFormEpiloguesPass::runOnOperation() {
  functions.clear();
  for (auto body : getOperation().getOps<pipe::BodyOp>())
    formIn(body);
}
