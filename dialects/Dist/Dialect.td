//===- Dialect.td - The dist dialect -----------------------*- tablegen -*-===//

#ifndef PCC_DIST_DIALECT
#define PCC_DIST_DIALECT

include "mlir/IR/OpBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let summary = "Where values live: a mesh of ranks, shardings, collectives";
  let description = [{
    A module has one `dist.mesh`. A sharding says for each dim of a tensor over
    which axes it is split, and over which axes the tensor is the sum of what
    the ranks hold.

    Discardable attributes:
    - `dist.shardings`: an array, the sharding of each result of an op;
    - `dist.sharding`: of a parameter, state, function argument or result, or a
      value between tasks;
    - `dist.arguments`: an array, the sharding of each argument of an op's
      region;
    - `dist.seeds`: an array of wishes that propagation starts from;
    - `dist.factors`: between propagation and the insertion of reshards, the
      axes of each factor of an op's sharding rule;
    - `dist.id`: an i64 that an op and its local form share;
    - `dist.global`: the global type of what a partitioned module declares with
      a local one (parameters, states, function arguments and results);
    - `dist.spmd`, on the module: types are local, the module is one rank's
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
