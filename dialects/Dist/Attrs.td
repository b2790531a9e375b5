//===- Attrs.td - Attributes of the dist dialect -----------*- tablegen -*-===//

#ifndef PCC_DIST_ATTRS
#define PCC_DIST_ATTRS

include "dialects/Dist/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"

def Dist_MeshAttr : AttrDef<Dist_Dialect, "MeshAxes"> {
  let mnemonic = "axes";
  let summary = "The named axes of a mesh and their sizes";
  let description = [{
    `<["dp"=2, "tp"=4]>`: the last axis varies fastest with the rank.

    **Constraints:**
    - names are not empty and differ;
    - sizes are at least 2: an axis of size 1 splits nothing and is left out;
    - there are fewer than 2^31 ranks.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Dist_DimAttr : AttrDef<Dist_Dialect, "Dim"> {
  let mnemonic = "dim";
  let summary = "The axes one dim is split over";
  let description = [{
    `{"dp", "tp", ?}`: major to minor. `?` leaves it open to more axes, which
    only seeds may.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
                        "bool":$open);
  let hasCustomAssemblyFormat = 1;
}

def Dist_ShardingAttr : AttrDef<Dist_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "Where the elements of a tensor lie";
  let description = [{
    `#dist.sharding<@mesh, [{}, {"dp"} ], partial = {"tp"}>`: dim 1 is split
    over dp, and the tensor is the sum of what the ranks along tp hold. Along
    every other axis the ranks hold the same.

    **Constraints:**
    - an axis occurs at most once over dims and partial.
    - (where it is attached) every axis is one of the mesh's, there is one
      entry per dim, and the axes of a dim divide its extent.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        ArrayRefParameter<"::pcc::dist::DimAttr">:$dims,
                        ArrayRefParameter<"::mlir::StringAttr">:$partial);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Dist_SeedAttr : AttrDef<Dist_Dialect, "Seed"> {
  let mnemonic = "seed";
  let summary = "A sharding that propagation starts from";
  let description = [{
    Lower levels are propagated first and win where two want one axis. In a
    seed a dim with `?` may be split further by propagation, one without may
    not. `result` says which result of an op is meant.
  }];
  let parameters = (ins "int64_t":$level, "int64_t":$result,
                        "::pcc::dist::ShardingAttr":$sharding,
                        StringRefParameter<"why it was asked for">:$reason);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dist_Reduction : I32EnumAttr<"Reduction", "how values are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::pcc::dist";
}

#endif // PCC_DIST_ATTRS
