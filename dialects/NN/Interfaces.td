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

// Every op of this dialect answers these questions, which passes ask. The
// answers are parameters of `NN_Op`. The enums in Traits.h say what each means;
// the predicates of passes are in Interfaces.h.

def NN_PrecisionInterface : OpInterface<"PrecisionInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    StaticInterfaceMethod<"What training in 16 bits makes of the op.",
      "::pcc::nn::Precision", "getPrecision">];
}

class NN_Precision<string value>
    : ParamNativeOpTrait<"HasPrecision", "::pcc::nn::Precision::" # value> {
  let cppNamespace = "::pcc::nn";
}
def NN_Declared : NN_Precision<"Declared">;
def NN_Either : NN_Precision<"Either">;
def NN_Wide : NN_Precision<"Wide">;
def NN_WideSum : NN_Precision<"WideSum">;
def NN_Narrow : NN_Precision<"Narrow">;
def NN_NarrowProduct : NN_Precision<"NarrowProduct">;
def NN_LayerLikeFirst : NN_Precision<"LayerLikeFirst">;
def NN_LikeFirst : NN_Precision<"LikeFirst">;
def NN_LikeOperands : NN_Precision<"LikeOperands">;

def NN_ElementMapInterface : OpInterface<"ElementMapInterface"> {
  let cppNamespace = "::pcc::nn";
  let methods = [
    StaticInterfaceMethod<[{
      How elements of the results depend on elements of the operands. Ops of the
      dist dialect answer this, too.
    }], "::pcc::nn::ElementMap", "getElementMap">];
}

class NN_ElementMap<string value>
    : ParamNativeOpTrait<"HasElementMap", "::pcc::nn::ElementMap::" # value> {
  let cppNamespace = "::pcc::nn";
  bit isElementwise = !eq(value, "Elementwise");
}
def NN_General : NN_ElementMap<"General">;
def NN_Elementwise : NN_ElementMap<"Elementwise">;
def NN_Permutes : NN_ElementMap<"Permutes">;
def NN_Repeats : NN_ElementMap<"Repeats">;
def NN_Drops : NN_ElementMap<"Drops">;
def NN_Fills : NN_ElementMap<"Fills">;
def NN_Joins : NN_ElementMap<"Joins">;
def NN_Reshards : NN_ElementMap<"Reshards">;

#endif // PCC_NN_INTERFACES
