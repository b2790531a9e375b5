//===- Dialect.td - The dist dialect -----------------------*- tablegen -*-===//

#ifndef PCC_DIST_DIALECT
#define PCC_DIST_DIALECT

include "mlir/IR/OpBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let summary = "Distribution: a mesh of ranks, shardings and collectives";
  let description = [{
    A module has at most one `dist.mesh`. A sharding lists, for each dim of a
    tensor, the mesh axes that the dim is sharded over, and the axes over which
    the tensor is partial.

    Discardable attributes:
    - `dist.shardings`: an array, the sharding of each result of an op, or in a
      partitioned module `unit` if it is not known;
    - `dist.sharding`: the sharding of a parameter, state, function argument or
      result, `pipe.input` or `pipe.value`;
    - `dist.arguments`: an array, the sharding of each argument of an op's
      region;
    - `dist.seeds`: an array of the shardings that propagation starts from;
    - `dist.factors`: the axes of each factor of an op's sharding rule, from
      propagation to the insertion of reshards;
    - `dist.id`: an i64 that an op and its partitioned form share;
    - `dist.global`: the global type of a parameter, state, function argument or
      result, or `pipe.input`, that a partitioned module declares with a local
      type;
    - `dist.spmd`, on the module: types are local; the module is one rank's
      program.
  }];
  let cppNamespace = "::pcc::dist";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{void registerAttributes();}];
}

#endif // PCC_DIST_DIALECT
