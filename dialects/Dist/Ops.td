//===- Ops.td - Operations of the dist dialect -------------*- tablegen -*-===//

#ifndef PCC_DIST_OPS
#define PCC_DIST_OPS

include "dialects/Dist/Attrs.td"
include "dialects/NN/Interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An op with its answer to the question how elements of its results depend on
/// elements of its operands.
class Dist_Op<string mnemonic, NN_ElementMap map, list<Trait> traits = []>
    : Op<Dist_Dialect, mnemonic,
         !listconcat([NN_ElementMapInterface, map], traits)>;

def Dist_Tensor : StaticShapeTensorOf<[AnyType]>;
def Dist_Offset : StaticShapeTensorOf<[I64]>;

def Dist_MeshOp : Dist_Op<"mesh", NN_General, [Symbol]> {
  let summary = "Declares the mesh of ranks that the program runs on";
  let description = [{
    See `#dist.axes` for sizes and roles of axes.

    ```mlir
    dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>
    ```

    **Constraints:**
    - a module has at most one mesh.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Dist_MeshAttr:$axes);
  let assemblyFormat = "$sym_name `=` $axes attr-dict";
  let hasVerifier = 1;
}

def Dist_ReshardOp : Dist_Op<"reshard", NN_Reshards,
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Changes the sharding of a tensor";
  let description = [{
    Input and result have the same global type. `--dist-partition` replaces the
    op by collectives, which follow from the two shardings alone.

    ```mlir
    %whole = dist.reshard %part from <@mesh, [{}, {} ], partial = {"tp"}>
        to <@mesh, [{}, {} ]> : tensor<4x8xf32>
    ```

    **Constraints:**
    - both shardings fit the type and have no open dims;
    - `from` and `to` equal the declared shardings of input and result, if they
      declare any;
    - the result is partial only over axes that the input is partial over. A
      scalar may also become partial over axes along which it is replicated:
      each rank then holds a share of the sum.
  }];
  let arguments = (ins Dist_Tensor:$input, Dist_ShardingAttr:$source,
                       Dist_ShardingAttr:$target);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `from` $source `to` $target attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

// Collectives on local values. The ranks of a group differ along `axes` only;
// their index in the group varies fastest along the last axis listed.

def Dist_AllReduceOp : Dist_Op<"all_reduce", NN_Reshards,
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Reduces values over ranks; every rank gets the result";
  let description = [{
    The reduction is `sum` or `max`. Several values are reduced by one
    collective.

    ```mlir
    %r:2 = dist.all_reduce sum %loss, %count over ["pp", "dp"]
        : tensor<f32>, tensor<f32>
    ```

    **Constraints:**
    - there is at least one value;
    - there is at least one axis; axes are distinct and belong to the mesh (all
      ops with axes).
  }];
  let arguments = (ins Dist_Reduction:$reduction,
    Variadic<Dist_Tensor>:$inputs, StrArrayAttr:$axes);
  let results = (outs Variadic<Dist_Tensor>:$results);
  let assemblyFormat = [{
    $reduction $inputs `over` $axes attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
}

class Dist_DimOp<string mnemonic>
    : Dist_Op<mnemonic, NN_Reshards, [Pure]> {
  let arguments = (ins Dist_Tensor:$input, I64Attr:$dim, StrArrayAttr:$axes);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `over` $axes attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Dist_AllGatherOp : Dist_DimOp<"all_gather"> {
  let summary = "Concatenates the ranks' inputs along a dim";
  let description = [{
    Every rank gets the whole result, ordered by the ranks' index.

    ```mlir
    %all = dist.all_gather %x dim 1 over ["tp"]
        : tensor<4x8xf32> -> tensor<4x16xf32>
    ```

    **Constraints:**
    - the dim of the result is the dim of the input times the number of ranks.
  }];
}

def Dist_ReduceScatterOp : Dist_DimOp<"reduce_scatter"> {
  let summary = "Sums over ranks and keeps this rank's shard along a dim";
  let description = [{
    ```mlir
    %shard = dist.reduce_scatter %x dim 0 over ["dp", "tp"]
        : tensor<4x8xf32> -> tensor<1x8xf32>
    ```

    **Constraints:**
    - the dim of the input is the dim of the result times the number of ranks.
  }];
}

def Dist_ShardSliceOp : Dist_DimOp<"shard_slice"> {
  let summary = "Slices this rank's shard of a replicated tensor";
  let description = [{
    The op is local: it needs no communication.

    ```mlir
    %shard = dist.shard_slice %x dim 0 over ["tp"]
        : tensor<4x8xf32> -> tensor<2x8xf32>
    ```

    **Constraints:**
    - the dim of the input is the dim of the result times the number of ranks.
  }];
}

def Dist_AllToAllOp : Dist_Op<"all_to_all", NN_Reshards, [Pure]> {
  let summary = "Moves the sharding of a tensor from one dim to another";
  let description = [{
    The input is sharded along dim `from`, the result along dim `to`, over the
    same axes.

    ```mlir
    %y = dist.all_to_all %x from 0 to 1 over ["tp"]
        : tensor<4x8xf32> -> tensor<8x4xf32>
    ```

    **Constraints:**
    - `from` and `to` are different dims;
    - dim `from` of the result is dim `from` of the input times the number of
      ranks;
    - dim `to` of the result is dim `to` of the input divided by the number of
      ranks.
  }];
  let arguments = (ins Dist_Tensor:$input, I64Attr:$from, I64Attr:$to,
                       StrArrayAttr:$axes);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `from` $from `to` $to `over` $axes attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Dist_OffsetOp : Dist_Op<"offset", NN_General, [Pure]> {
  let summary = "The offset of this rank's shard in a dim";
  let description = [{
    The result is the rank's index along `axes` (the last axis varies fastest)
    times `extent`, the shard's extent: a rank-0 i64 tensor.

    ```mlir
    %start = dist.offset ["tp"] by 25129 : tensor<i64>
    ```

    **Constraints:**
    - the result has rank 0;
    - the extent is at least 1.
  }];
  let arguments = (ins StrArrayAttr:$axes, I64Attr:$extent);
  let results = (outs Dist_Offset:$result);
  let assemblyFormat = "$axes `by` $extent attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_DIST_OPS
