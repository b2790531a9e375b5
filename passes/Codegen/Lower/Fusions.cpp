//===- Fusions.cpp - Fusion of ops into GEMM epilogues --------------------===//

#include "passes/Codegen/Lower/Fusions.h"
#include "dialects/Dist/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/Kernels/Accumulation.h"
#include "passes/Codegen/Kernels/Group.h"
#include "passes/Codegen/Lower/Gemm.h"
#include "passes/Codegen/Lower/LowerTask.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;

/// Returns the vector that a term broadcasts along leading dims only, as the
/// library's bias is; otherwise null.
static Value biasOf(Value term) {
  auto broadcast = term.getDefiningOp<nn::BroadcastOp>();
  if (!broadcast)
    return {};
  int64_t rank = nn::tensorType(term).getRank();
  int64_t first = rank - nn::tensorType(broadcast.getInput()).getRank();
  return llvm::equal(broadcast.getDims(), llvm::seq(first, rank))
             ? broadcast.getInput()
             : Value();
}

/// Whether a value is not partial.
static bool isWhole(Value value) {
  dist::ShardingAttr layout = dist::getSharding(value);
  return !layout ||
         (layout.getPartial().empty() && layout.getPartialMax().empty());
}

/// Whether the library supports a contraction with an epilogue.
static bool fits(nn::ContractOp contract, rt::Epilogue epilogue, Value vector,
                 bool hasMatrix) {
  Type element = contract.getType().getElementType();
  bool hasEpilogues = element.isF32() || element.isBF16() || element.isF16();
  if (epilogue != rt::Epilogue::None && !hasEpilogues)
    return false;
  auto plan = planGemm(
      {contract.getLhsLabels().str(), contract.getRhsLabels().str(),
       contract.getResultLabels().str()},
      {bufferType(contract.getLhs().getType()),
       bufferType(contract.getRhs().getType()), bufferType(contract.getType())},
      /*accumulate=*/false);
  int64_t elements =
      vector ? nn::tensorType(vector).getNumElements() : int64_t(0);
  return succeeded(plan) && fitsEpilogue(*plan, epilogue, elements, hasMatrix);
}

namespace {
/// The sum that adds up a contraction's result, a bias and another value.
struct Added {
  nn::SumOp sum;
  Value bias, other;
  Operation *broadcast = nullptr;
};
} // namespace

/// Finds the only use of a contraction's result as a sum with a bias, another
/// value, or both.
static std::optional<Added> findSum(nn::ContractOp contract) {
  Value product = contract.getResult();
  if (!product.hasOneUse())
    return std::nullopt;
  Added added;
  added.sum = dyn_cast<nn::SumOp>(*product.user_begin());
  if (!added.sum || codegen::getAdding(added.sum) ||
      added.sum.getInputs().size() > 3)
    return std::nullopt;
  for (Value term : added.sum.getInputs()) {
    if (term == product)
      continue;
    Value bias = biasOf(term);
    if (bias && !added.bias) {
      added.bias = bias;
      added.broadcast = term.getDefiningOp();
    } else if (!added.other) {
      added.other = term;
    } else {
      return std::nullopt;
    }
  }
  return added;
}

static std::optional<Fusion> findGelu(nn::ContractOp contract) {
  Value from = contract.getResult();
  Fusion fusion{rt::Epilogue::Gelu, {contract}, {}, {}, contract};
  fusion.arguments = {contract.getLhs(), contract.getRhs()};
  Value bias;
  if (auto added = findSum(contract); added && added->bias && !added->other) {
    from = added->sum.getResult();
    bias = added->bias;
    fusion.arguments.push_back(bias);
    llvm::append_values(fusion.ops, added->broadcast,
                        added->sum.getOperation());
    fusion.place = added->sum;
  }
  nn::GeluOp gelu;
  bool isKept = false;
  for (Operation *user : from.getUsers()) {
    auto found = dyn_cast<nn::GeluOp>(user);
    if (found && found.getTanh() && !gelu)
      gelu = found;
    else
      isKept = true;
  }
  if (!gelu || !isWhole(from) ||
      !fits(contract, rt::Epilogue::Gelu, bias, isKept))
    return std::nullopt;
  fusion.ops.push_back(gelu);
  fusion.results.push_back(gelu.getResult());
  if (isKept)
    fusion.results.push_back(from);
  return fusion;
}

static std::optional<Fusion> findPlus(nn::ContractOp contract) {
  auto added = findSum(contract);
  if (!added || (!added->bias && !added->other) ||
      (added->bias && !isWhole(added->sum.getResult())))
    return std::nullopt;
  rt::Epilogue epilogue = added->bias ? rt::Epilogue::Bias : rt::Epilogue::None;
  if (!fits(contract, epilogue, added->bias, /*hasMatrix=*/false))
    return std::nullopt;
  Fusion fusion{epilogue, {contract}, {}, {}, added->sum};
  fusion.arguments = {contract.getLhs(), contract.getRhs()};
  if (added->bias) {
    fusion.ops.push_back(added->broadcast);
    fusion.arguments.push_back(added->bias);
  }
  if (added->other)
    fusion.arguments.push_back(added->other);
  fusion.ops.push_back(added->sum);
  fusion.results.push_back(added->sum.getResult());
  return fusion;
}

static std::optional<Fusion> findGeluGrad(nn::ContractOp contract) {
  Value product = contract.getResult();
  auto grad = product.hasOneUse()
                  ? dyn_cast<nn::GeluGradOp>(*product.user_begin())
                  : nn::GeluGradOp();
  if (!grad || !grad.getTanh() || grad.getDy() != product ||
      !fits(contract, rt::Epilogue::GeluGrad, {}, /*hasMatrix=*/true))
    return std::nullopt;
  Fusion fusion{rt::Epilogue::GeluGrad, {contract, grad}, {}, {}, grad};
  fusion.arguments = {contract.getLhs(), contract.getRhs(), grad.getX()};
  fusion.results = {grad.getDx()};
  return fusion;
}

/// Whether a value is available before an op, or can be made so because it is
/// only an alias of an available value. With `moves`, moves the aliases there.
static bool isThere(Value value, Operation *place, bool moves) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->isBeforeInBlock(place))
    return true;
  if (!codegen::isAlias(maker) || !isThere(maker->getOperand(0), place, moves))
    return false;
  if (moves)
    maker->moveBefore(place);
  return true;
}

/// Returns the f32 sum of a contraction's operand over the contracted labels;
/// null if there is none, or more than one.
static nn::ReduceOp findOperandSum(nn::ContractOp contract, Value factor,
                                   StringRef labels) {
  SmallVector<int64_t> summed;
  for (auto [dim, label] : llvm::enumerate(labels))
    if (!contract.getResultLabels().contains(label))
      summed.push_back(dim);
  auto isIt = [&](Operation *user) {
    auto reduce = dyn_cast<nn::ReduceOp>(user);
    return reduce && reduce->getBlock() == contract->getBlock() &&
           nn::tensorType(reduce.getResult()).getElementType().isF32() &&
           llvm::equal(reduce.getDims(), summed);
  };
  SmallVector<Operation *> found;
  for (Operation *user : factor.getUsers()) {
    if (isIt(user))
      found.push_back(user);
    else if (isa<nn::CastOp>(user))
      llvm::copy_if(user->getUsers(), std::back_inserter(found), isIt);
  }
  return found.size() == 1 ? cast<nn::ReduceOp>(found.front()) : nn::ReduceOp();
}

static std::optional<Fusion> findSums(nn::ContractOp contract) {
  // The weight gradient must be f32, like the bias gradient.
  Value product = contract.getResult();
  if (!contract.getType().getElementType().isF32() || !product.hasOneUse())
    return std::nullopt;
  for (rt::Epilogue epilogue : {rt::Epilogue::SumB, rt::Epilogue::SumA}) {
    bool isLhs = epilogue == rt::Epilogue::SumA;
    nn::ReduceOp reduce = findOperandSum(
        contract, isLhs ? contract.getLhs() : contract.getRhs(),
        isLhs ? contract.getLhsLabels() : contract.getRhsLabels());
    if (!reduce || reduce.use_empty() ||
        !fits(contract, epilogue, reduce.getResult(), /*hasMatrix=*/false))
      continue;
    // Before all uses of both results.
    Operation *place = contract;
    for (Operation *user : reduce->getUsers())
      if (user->isBeforeInBlock(place))
        place = user;
    if (!isThere(contract.getLhs(), place, /*moves=*/false) ||
        !isThere(contract.getRhs(), place, /*moves=*/false))
      continue;
    Fusion fusion{epilogue, {contract}, {}, {}, place};
    if (Operation *cast = reduce.getInput().getDefiningOp<nn::CastOp>())
      fusion.ops.push_back(cast);
    fusion.ops.push_back(reduce);
    fusion.arguments = {contract.getLhs(), contract.getRhs()};
    fusion.results = {product, reduce.getResult()};
    return fusion;
  }
  return std::nullopt;
}

std::optional<Fusion> pcc::findFusion(nn::ContractOp contract,
                                      FusionKind kind) {
  std::optional<Fusion> fusion;
  switch (kind) {
  case FusionKind::Gelu:
    fusion = findGelu(contract);
    break;
  case FusionKind::Sum:
    fusion = findPlus(contract);
    break;
  case FusionKind::GeluGrad:
    fusion = findGeluGrad(contract);
    break;
  case FusionKind::Sums:
    fusion = findSums(contract);
    break;
  }
  if (!fusion)
    return std::nullopt;
  llvm::sort(fusion->ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  // A value that is read twice becomes one argument.
  llvm::SetVector<Value> distinct(fusion->arguments.begin(),
                                  fusion->arguments.end());
  fusion->arguments = distinct.takeVector();
  return fusion;
}

Operation *pcc::applyFusion(const Fusion &fusion, StringRef callee) {
  // An in-place sum stays right behind the contraction that it adds; its other
  // operand may be another contraction.
  Value product = fusion.results.front();
  Operation *adds = product.hasOneUse() ? *product.user_begin() : nullptr;
  if (adds && (!codegen::getAdding(adds) || adds->getOperand(1) != product))
    adds = nullptr;
  for (Value argument : fusion.arguments)
    isThere(argument, fusion.place, /*moves=*/true);
  OpBuilder builder(fusion.place);
  Operation *last = fusion.ops.back();
  SmallVector<Type> types;
  SmallVector<Attribute> shardings;
  for (Value result : fusion.results) {
    types.push_back(result.getType());
    dist::ShardingAttr sharding = dist::getSharding(result);
    shardings.push_back(sharding ? Attribute(sharding)
                                 : Attribute(builder.getUnitAttr()));
  }
  auto call = func::CallOp::create(builder, last->getLoc(), callee, types,
                                   fusion.arguments);
  call->setAttr(rt::kEpilogueAttr,
                rt::EpilogueAttr::get(builder.getContext(), fusion.epilogue));
  if (Attribute stage = last->getDiscardableAttr(nn::kStageAttr))
    call->setAttr(nn::kStageAttr, stage);
  if (llvm::any_of(shardings, llvm::IsaPred<dist::ShardingAttr>))
    call->setAttr(dist::kShardingsAttr, builder.getArrayAttr(shardings));
  for (auto [before, after] : llvm::zip(fusion.results, call.getResults()))
    Value(before).replaceAllUsesWith(after);
  for (Operation *op : llvm::reverse(fusion.ops))
    if (op->use_empty())
      op->erase();
  Operation *behind = call->getNextNode();
  if (adds && isThere(adds->getOperand(0), behind, /*moves=*/true))
    adds->moveBefore(behind);
  return call;
}
