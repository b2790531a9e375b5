//===- OpBase.td - Base classes of nn ops ------------------*- tablegen -*-===//

#ifndef PCC_NN_OPBASE
#define PCC_NN_OPBASE

include "dialects/NN/Attrs.td"
include "dialects/NN/Interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op with its answers to the questions that passes ask about every op; see
/// Interfaces.td. They have no defaults: an op without them is an error.
class NN_Op<string mnemonic, NN_Precision precision, NN_ElementMap map,
            list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, !listconcat(
          [NN_PrecisionInterface, NN_ElementMapInterface, precision, map],
          !if(map.isElementwise, [Elementwise], []<Trait>), traits)>;

def NN_Sharding : DeclareOpInterfaceMethods<NN_ShardingRuleInterface,
                                            ["getShardingRule"]>;
def NN_Local : DeclareOpInterfaceMethods<NN_PartitionInterface>;
def NN_VJP : DeclareOpInterfaceMethods<NN_DifferentiableInterface>;
def NN_Cost : DeclareOpInterfaceMethods<NN_CostInterface>;

/// An op without side effects that has its own sharding rule. Elementwise ops
/// with the default rule are no such ops.
class NN_ComputeOp<string mnemonic, NN_Precision precision, NN_ElementMap map,
                   list<Trait> traits = []>
    : NN_Op<mnemonic, precision, map,
            !listconcat([Pure, NN_Sharding], traits)>;

/// An elementwise op that is linear in no operand. One that is linear has its
/// own sharding rule (`NN_ComputeOp` with `NN_Elementwise`).
class NN_ElementwiseOp<string mnemonic, NN_Precision precision,
                       list<Trait> traits = []>
    : NN_Op<mnemonic, precision, NN_Elementwise,
            !listconcat([Pure, NN_ShardingRuleInterface], traits)>;

/// The op maps zero to zero, so padding with zeros stays zero.
def NN_KeepsZero : NativeOpTrait<"KeepsZero"> {
  let cppNamespace = "::pcc::nn";
}

#endif // PCC_NN_OPBASE
