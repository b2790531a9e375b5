//===- Interfaces.td - What passes ask of nn ops -----------*- tablegen -*-===//

#ifndef PCC_NN_INTERFACES
#define PCC_NN_INTERFACES

include "mlir/IR/OpBase.td"

def NN_ShardingRuleInterface : OpInterface<"ShardingRuleInterface"> {
  let cppNamespace = "::pcc::nn";
  let description = [{Which dims of operands and results are one loop.}];
  let methods = [
    InterfaceMethod<"By default every dim of an elementwise op is one loop.",
      "::pcc::nn::ShardingRule", "getShardingRule", (ins), "",
      [{ return ::pcc::nn::elementwise($_op); }]>];
}

def NN_PartitionInterface : OpInterface<"PartitionInterface"> {
  let cppNamespace = "::pcc::nn";
  let description = [{
    For ops whose form on one rank is more than themselves with local types.
  }];
  let methods = [
    InterfaceMethod<"Builds the local form; one value per result.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildLocal",
      (ins "::mlir::OpBuilder &":$builder,
           "::pcc::nn::PartitionContext &":$context)>];
}

def NN_DifferentiableInterface : OpInterface<"DifferentiableInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    InterfaceMethod<[{
      Builds the cotangents of the operands from those of the results (null:
      zero). Entry i of the answer belongs to operand i; null means that no
      gradient flows there.
    }], "::llvm::SmallVector<::mlir::Value>", "buildVJP",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$cotangents)>];
}

def NN_CostInterface : OpInterface<"CostInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    InterfaceMethod<"Multiplications and additions, each counted as one.",
      "double", "getFlops">];
}

#endif // PCC_NN_INTERFACES
