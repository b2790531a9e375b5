//===- Ops.td - Operations of the dist dialect -------------*- tablegen -*-===//

#ifndef PCC_DIST_OPS
#define PCC_DIST_OPS

include "dialects/Dist/Attrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Dist_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dist_Dialect, mnemonic, traits>;

def Dist_Tensor : StaticShapeTensorOf<[AnyType]>;
def Dist_Offset : StaticShapeTensorOf<[I64]>;

def Dist_MeshOp : Dist_Op<"mesh", [Symbol]> {
  let summary = "The ranks the program runs on";
  let description = [{
    ```mlir
    dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>
    ```

    **Constraints:**
    - a module has at most one.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Dist_MeshAttr:$axes);
  let assemblyFormat = "$sym_name `=` $axes attr-dict";
  let hasVerifier = 1;
}

def Dist_ReshardOp : Dist_Op<"reshard",
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "The same tensor, lying differently";
  let description = [{
    Types are global. What it costs follows from the two shardings alone; see
    `--dist-partition`.

    ```mlir
    %whole = dist.reshard %part from <@mesh, [{}, {} ], partial = {"tp"}>
        to <@mesh, [{}, {} ]> : tensor<4x8xf32>
    ```

    **Constraints:**
    - both shardings fit the type, and have no open dims; what the input and the
      result are said to lie as is the same;
    - the result is partial only over axes the input is partial over. A scalar
      may become partial over axes along which it is replicated: each rank
      then holds its share.
  }];
  let arguments = (ins Dist_Tensor:$input, Dist_ShardingAttr:$source,
                       Dist_ShardingAttr:$target);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `from` $source `to` $target attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

// Collectives on local values. `axes` name the ranks that take part: those
// that differ along these axes only, numbered with the last axis fastest.

def Dist_AllReduceOp : Dist_Op<"all_reduce",
    [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The sum or maximum over ranks, on each of them";
  let description = [{
    Several values are reduced in one message.

    ```mlir
    %r:2 = dist.all_reduce sum %loss, %count over ["pp", "dp"]
        : tensor<f32>, tensor<f32>
    ```

    **Constraints:**
    - at least one value;
    - axes are the mesh's and differ (all collectives).
  }];
  let arguments = (ins Dist_Reduction:$reduction,
    Variadic<Dist_Tensor>:$inputs, StrArrayAttr:$axes);
  let results = (outs Variadic<Dist_Tensor>:$results);
  let assemblyFormat = [{
    $reduction $inputs `over` $axes attr-dict `:` type($inputs)
  }];
  let hasVerifier = 1;
}

class Dist_DimOp<string mnemonic> : Dist_Op<mnemonic, [Pure]> {
  let arguments = (ins Dist_Tensor:$input, I64Attr:$dim, StrArrayAttr:$axes);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `over` $axes attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Dist_AllGatherOp : Dist_DimOp<"all_gather"> {
  let summary = "The ranks' parts one after the other along a dim";
  let description = [{
    ```mlir
    %all = dist.all_gather %x dim 1 over ["tp"]
        : tensor<4x8xf32> -> tensor<4x16xf32>
    ```

    **Constraints:**
    - the dim of the result is the input's times the number of ranks.
  }];
}

def Dist_ReduceScatterOp : Dist_DimOp<"reduce_scatter"> {
  let summary = "This rank's part, along a dim, of the sum over ranks";
  let description = [{
    ```mlir
    %part = dist.reduce_scatter %x dim 0 over ["dp", "tp"]
        : tensor<4x8xf32> -> tensor<1x8xf32>
    ```

    **Constraints:**
    - the dim of the input is the result's times the number of ranks.
  }];
}

def Dist_ShardSliceOp : Dist_DimOp<"shard_slice"> {
  let summary = "This rank's part of a tensor all ranks have; no message";
  let description = [{
    ```mlir
    %part = dist.shard_slice %x dim 0 over ["tp"]
        : tensor<4x8xf32> -> tensor<2x8xf32>
    ```

    **Constraints:**
    - the dim of the input is the result's times the number of ranks.
  }];
}

def Dist_AllToAllOp : Dist_Op<"all_to_all", [Pure]> {
  let summary = "Split along `from` becomes split along `to`";
  let description = [{
    ```mlir
    %y = dist.all_to_all %x from 0 to 1 over ["tp"]
        : tensor<4x8xf32> -> tensor<8x4xf32>
    ```

    **Constraints:**
    - `from` and `to` differ; the result's `from` is the input's times the
      number of ranks, the input's `to` the result's.
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

def Dist_OffsetOp : Dist_Op<"offset", [Pure]> {
  let summary = "Where this rank's block starts";
  let description = [{
    The rank's number along `axes` (the last fastest) times `extent`: a rank-0
    i64 tensor.

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
