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

/// An op without side effects that has its own sharding rule. Elementwise ops
/// with the default rule are no such ops.
class NN_ComputeOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, !listconcat([Pure, NN_Sharding], traits)>;

/// An op whose result elements depend only on the operands' elements at the
/// same index. It is linear in no operand. An elementwise op that is linear has
/// its own sharding rule (`NN_ComputeOp` with `Elementwise`).
class NN_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : NN_Op<mnemonic, !listconcat(
          [Pure, Elementwise, NN_ShardingRuleInterface], traits)>;

/// The op maps zero to zero, so padding with zeros stays zero.
def NN_KeepsZero : NativeOpTrait<"KeepsZero"> {
  let cppNamespace = "::pcc::nn";
}

#endif // PCC_NN_OPBASE
