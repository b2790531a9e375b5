//===- FusedGemm.cpp - GEMMs with epilogues -------------------------------===//

#include "passes/Codegen/Kernels/FusedGemm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

bool codegen::isGemm(Operation *op) {
  return isa<nn::ContractOp>(op) ||
         (isa<func::CallOp>(op) && op->hasAttr(rt::kEpilogueAttr));
}

bool codegen::mayAccumulate(Operation *op) {
  if (isa<nn::ContractOp>(op))
    return true;
  auto kind = op->getAttrOfType<rt::EpilogueAttr>(rt::kEpilogueAttr);
  return kind && (kind.getValue() == rt::Epilogue::SumA ||
                  kind.getValue() == rt::Epilogue::SumB);
}

std::optional<FusedGemm> codegen::readGemm(Operation *op) {
  FusedGemm product;
  if (auto contract = dyn_cast<nn::ContractOp>(op)) {
    product.contract = contract;
    product.lhs = contract.getLhs();
    product.rhs = contract.getRhs();
    product.result = op->getResult(0);
    return product;
  }
  auto call = dyn_cast<func::CallOp>(op);
  auto kind = op->getAttrOfType<rt::EpilogueAttr>(rt::kEpilogueAttr);
  auto function = call && kind
                      ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                            op, call.getCalleeAttr())
                      : func::FuncOp();
  if (!function)
    return std::nullopt;
  auto given = [&](Value inside) {
    auto argument = dyn_cast<BlockArgument>(inside);
    return argument ? op->getOperand(argument.getArgNumber()) : Value();
  };
  product.epilogue = kind.getValue();
  for (Operation &inner : function.getBody().front()) {
    if (auto contract = dyn_cast<nn::ContractOp>(inner)) {
      product.contract = contract;
      product.lhs = given(contract.getLhs());
      product.rhs = given(contract.getRhs());
    } else if (auto bias = dyn_cast<nn::BroadcastOp>(inner)) {
      product.bias = given(bias.getInput());
    } else if (auto grad = dyn_cast<nn::GeluGradOp>(inner)) {
      product.before = given(grad.getX());
    } else if (auto sum = dyn_cast<nn::SumOp>(inner)) {
      for (Value input : sum.getInputs())
        if (Value added = given(input))
          product.added = added;
    }
  }
  product.result = op->getResult(0);
  if (op->getNumResults() > 1)
    (product.epilogue == rt::Epilogue::Gelu ? product.kept : product.sums) =
        op->getResult(1);
  return product;
}
