//===- Interfaces.td - Interfaces of nn ops ----------------*- tablegen -*-===//

#ifndef PCC_NN_INTERFACES
#define PCC_NN_INTERFACES

include "mlir/IR/OpBase.td"

def NN_ShardingRuleInterface : OpInterface<"ShardingRuleInterface"> {
  let cppNamespace = "::pcc::nn";
  let description = [{
    Maps dims of operands and results to the op's factors (loops).
  }];
  let methods = [
    InterfaceMethod<"Returns the rule; by default that of an elementwise op.",
      "::pcc::nn::ShardingRule", "getShardingRule", (ins), "",
      [{ return ::pcc::nn::elementwise($_op); }]>];
}

def NN_PartitionInterface : OpInterface<"PartitionInterface"> {
  let cppNamespace = "::pcc::nn";
  let description = [{
    For ops whose partitioned form is more than the same op with local types.
  }];
  let methods = [
    InterfaceMethod<"Builds the partitioned form: one value per result.",
      "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildLocal",
      (ins "::mlir::OpBuilder &":$builder,
           "::pcc::nn::PartitionContext &":$context)>];
}

def NN_DifferentiableInterface : OpInterface<"DifferentiableInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    InterfaceMethod<[{
      Builds the cotangents of the operands from the cotangents of the results
      (null: zero). Entry i of the returned vector belongs to operand i; null
      means that it gets no gradient.
    }], "::llvm::SmallVector<::mlir::Value>", "buildVJP",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::ValueRange":$cotangents)>];
}

def NN_CostInterface : OpInterface<"CostInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    InterfaceMethod<"The number of multiplications and additions.",
      "double", "getFlops">];
}

#endif // PCC_NN_INTERFACES
