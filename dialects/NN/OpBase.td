//===- OpBase.td - Base classes of nn ops ------------------*- tablegen -*-===//

#ifndef PCC_NN_OPBASE
#define PCC_NN_OPBASE

include "dialects/NN/Attrs.td"
include "dialects/NN/Interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class NN_Op<string mnemonic, list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, traits>;

def NN_Sharding : DeclareOpInterfaceMethods<NN_ShardingRuleInterface,
                                            ["getShardingRule"]>;
def NN_Local : DeclareOpInterfaceMethods<NN_PartitionInterface>;
def NN_VJP : DeclareOpInterfaceMethods<NN_DifferentiableInterface>;
def NN_Cost : DeclareOpInterfaceMethods<NN_CostInterface>;

/// An op without effects that has a sharding rule: every op that computes.
class NN_ComputeOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, !listconcat([Pure, NN_Sharding], traits)>;

/// Each element of the result is computed from those of the operands at its
/// place. Such an op is linear in no operand, unless it has a sharding rule of
/// its own (`NN_ComputeOp` with `Elementwise`).
class NN_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, !listconcat(
          [Pure, Elementwise, NN_ShardingRuleInterface], traits)>;

/// Gives zero for zeros: what pads its operand pads its result.
def NN_KeepsZero : NativeOpTrait<"KeepsZero"> {
  let cppNamespace = "::pcc::nn";
}

#endif // PCC_NN_OPBASE
