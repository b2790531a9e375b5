//===- Attrs.td - Attributes of the dist dialect -----------*- tablegen -*-===//

#ifndef PCC_DIST_ATTRS
#define PCC_DIST_ATTRS

include "dialects/Dist/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"

/// What a mesh axis is for. The numbers are those of pcc_axis_role.
def Dist_AxisRole : I32EnumAttr<"AxisRole", "what a mesh axis is for", [
    I32EnumAttrCase<"Pipeline", 0, "pipeline">,
    I32EnumAttrCase<"Data", 1, "data">,
    I32EnumAttrCase<"Sequence", 2, "sequence">,
    I32EnumAttrCase<"Tensor", 3, "tensor">,
    I32EnumAttrCase<"Expert", 4, "expert">]> {
  let cppNamespace = "::pcc::dist";
  let genSpecializedAttr = 0;
}

def Dist_MeshAttr : AttrDef<Dist_Dialect, "MeshAxes"> {
  let mnemonic = "axes";
  let summary = "The named axes of a mesh, their sizes and roles";
  let description = [{
    `<["dp"=2, "x"=4 tensor]>`: the last axis varies fastest with the rank. An
    axis' role is what it is for, and what passes ask for:

    | role | ranks along the axis have | implied by the names |
    |---|---|---|
    | pipeline | each a stage | `pp` |
    | data | each a part of the batch | `dp` |
    | sequence | each a part of every sequence | `cp` |
    | tensor | each a part of every layer | `tp`, `tp_kv`, `tp_rep` |
    | expert | each some of the experts | `ep` |

    Of several tensor axes the first splits also what later ones find too few
    of, such as key/value heads.

    **Constraints:**
    - names are not empty and differ;
    - one of the names above has the role that it implies, another one states
      its role;
    - at most one axis is of stages;
    - sizes are at least 2: an axis of size 1 splits nothing and is left out;
    - there are fewer than 2^31 ranks.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"::pcc::dist::AxisRole">:$roles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of the axis of this name, if there is one.
    std::optional<unsigned> find(::llvm::StringRef name) const;
    /// How many ranks there are along all axes of a role; 1 where none has it.
    int64_t extent(AxisRole role) const;
    /// Whether one of the axes that are named has a role.
    bool hasRole(::mlir::ArrayAttr names, AxisRole role) const;
  }];
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
    every other axis the ranks hold the same. With `partial max = {"tp"}` it is
    the maximum of what they hold, which only a rank's program has.

    Below a rank's functions, where each value has its layout on a line of its
    own and the mesh is known, the same is written `#dist.sharding<*, dp | sum
    tp>` and printed under a name that says it, such as `#x_dp_sum_tp`; a dim
    that is split over two axes is `dp:cp`, and `| max tp` a maximum.

    **Constraints:**
    - an axis occurs at most once over dims, partial and partial max.
    - (where it is attached) every axis is one of the mesh's, there is one
      entry per dim, and the axes of a dim divide its extent.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
                        ArrayRefParameter<"::pcc::dist::DimAttr">:$dims,
                        ArrayRefParameter<"::mlir::StringAttr">:$partial,
                        ArrayRefParameter<"::mlir::StringAttr">:$partialMax);
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
