//===- Attrs.td - Attributes of the dist dialect -----------*- tablegen -*-===//

#ifndef PCC_DIST_ATTRS
#define PCC_DIST_ATTRS

include "dialects/Dist/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"

/// The role of a mesh axis. The numbers equal those of pcc_axis_role.
def Dist_AxisRole : I32EnumAttr<"AxisRole", "role of a mesh axis", [
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
    In `<["dp"=2, "x"=4 tensor]>` the last axis varies fastest with the rank.
    Passes select axes by role, not by name:

    | role | sharded over the axis | names that imply the role |
    |---|---|---|
    | pipeline | layers: each rank runs one stage | `pp` |
    | data | the batch | `dp` |
    | sequence | every sequence (context parallelism) | `cp` |
    | tensor | every layer's weights and activations | `tp`, `tp_kv`, `tp_rep` |
    | expert | the batch and, of experts, their weights | `ep` |

    With several tensor axes, the first ones also split dims that are too small
    for all of them: `tp_kv` splits the key/value heads and the query heads,
    `tp_rep` only the query heads.

    **Constraints:**
    - names are not empty and are distinct;
    - an axis with one of the names above has the implied role; any other axis
      states its role;
    - at most one axis has the role pipeline;
    - sizes are at least 2; axes of size 1 are omitted;
    - there are fewer than 2^31 ranks.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"::pcc::dist::AxisRole">:$roles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The index of the axis with this name, if there is one.
    std::optional<unsigned> find(::llvm::StringRef name) const;
    /// The number of ranks along all axes of a role; 1 if no axis has it.
    int64_t extent(AxisRole role) const;
    /// The number of ranks that the batch is sharded over: along all axes of
    /// the roles data and expert.
    int64_t batchExtent() const {
      return extent(AxisRole::Data) * extent(AxisRole::Expert);
    }
    /// Whether any of the named axes has the role.
    bool hasRole(::mlir::ArrayAttr names, AxisRole role) const;
  }];
}

def Dist_DimAttr : AttrDef<Dist_Dialect, "Dim"> {
  let mnemonic = "dim";
  let summary = "The mesh axes that one dim is sharded over";
  let description = [{
    Axes are listed major to minor: `{"dp", "tp", ?}`. A trailing `?` marks an
    open dim: propagation may append axes. Only seeds may have open dims.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes,
                        "bool":$open);
  let hasCustomAssemblyFormat = 1;
}

def Dist_ShardingAttr : AttrDef<Dist_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "The sharding of a tensor over a mesh";
  let description = [{
    For each dim, the axes that it is sharded over, and the axes over which the
    tensor is partial. `#dist.sharding<@mesh, [{}, {"dp"} ], partial = {"tp"}>`:
    dim 1 is sharded over dp, and the tensor is the sum of the tensors of the
    ranks along tp. Along every other axis the tensor is replicated. With
    `partial max = {"tp"}` it is their elementwise maximum, which is only
    allowed in a partitioned (SPMD) module.

    `pipe.body` uses a short form without the mesh's name, for example
    `#dist.sharding<*, dp | sum tp>`, which is printed as the alias
    `#x_dp_sum_tp`. A dim that is sharded over two axes is written `dp:cp`, a
    dim that is not sharded `*`, and a partial maximum `| max tp`.

    **Constraints:**
    - an axis occurs at most once in dims, partial and partial max;
    - (where it is attached) every axis belongs to the mesh, there is one
      entry per dim, and the number of ranks along a dim's axes divides the
      dim's extent, unless the type is already local.
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
    Lower levels are propagated first and win conflicts over an axis.
    Propagation may shard an open dim (`?`) over more axes, but not a closed
    one. `result` is the index of the op's result that the seed applies to; it
    is 0 for parameters, states and arguments.
  }];
  let parameters = (ins "int64_t":$level, "int64_t":$result,
                        "::pcc::dist::ShardingAttr":$sharding,
                        StringRefParameter<"reason for the seed">:$reason);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Dist_Reduction : I32EnumAttr<"Reduction", "reduction over ranks", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Max", 1, "max">]> {
  let cppNamespace = "::pcc::dist";
}

#endif // PCC_DIST_ATTRS
