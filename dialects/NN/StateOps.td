//===- StateOps.td - Parameters, state and their uses ------*- tablegen -*-===//

#ifndef PCC_NN_STATEOPS
#define PCC_NN_STATEOPS

include "dialects/NN/OpBase.td"

def NN_ParamOp : NN_Op<"param", NN_Declared, NN_General, [Symbol]> {
  let summary = "A parameter of the model";
  let description = [{
    - The type is the one that the program computes with;
    - `record` is written as its entries, `init` and those that follow it (see
      `#nn.record`). The source maps elements to the model's file, where they
      may be transposed, fused or split;
    - `frozen`: it is not trained.

    ```mlir
    nn.param @"h.0.ln_1.weight" : tensor<64xf32> init one
    nn.param @w : tensor<8x12xf32> init normal decay source <name = "w",
        file = "m.onnx", offset = 128, type = tensor<12x8xf32>,
        file_size = 1000, digest = 7, base = 0, strides = [1, 8],
        valid = [8, 12]>
    ```

    **Constraints:**
    - the record has an `init`.

    **Constraints** (of the source, if there is one):
    - it has a stride and a valid extent for each dim of the global type, which
      is `dist.global` if given, else the declared type;
    - the tensor in the file has a static shape;
    - a valid extent is at least 1 and at most its dim;
    - every element that is read is in the file's tensor.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<NN_Tensor>:$type, NN_RecordAttr:$record, UnitAttr:$frozen);
  let assemblyFormat = [{
    $sym_name `:` $type custom<Record>($record) (`frozen` $frozen^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
    ::pcc::nn::Init getInit() { return *getRecord().getInit(); }
    bool getDecay() { return getRecord().getDecay(); }
    /// The elements in the model's file, or null.
    ::pcc::nn::SourceAttr getSource() { return getRecord().getSource(); }
  }];
}

def NN_StateOp : NN_Op<"state", NN_Declared, NN_General,
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor that persists from step to step";
  let description = [{
    `of` names the parameter or bucket that a state belongs to. The kinds are:

    | kind | contents | initial value |
    |---|---|---|
    | `gradient` | the gradient of a parameter, or the accumulated shard of a bucket of gradients | 0 |
    | `exp_avg`, `exp_avg_sq` | first and second moments of the optimizer | 0 |
    | `sum` | an accumulator, such as the loss sum of a step | 0 |
    | `copy` | a working copy of a parameter, in its type or a narrower one | the parameter |
    | `number` | a scalar that is the same on every rank, such as the loss scale | `first` |
    | `bucket` | an alias of its members | |
    | `part` | an alias of the rank's shard of a bucket | |

    `@update` writes a working copy together with its parameter. If ranks hold
    shards of the parameter only, `@gather` gathers the copy before each step.

    A gradient `of` a bucket of gradients is the rank's shard of their sum over
    microbatches. After each microbatch `@reduce` adds the rank's shard to it.

    `@microbatch` may read a `number`.

    A `bucket` has no memory of its own. It is an alias of its members, which
    are all parameters or all states of one kind: a flat buffer that holds the
    rank's local tensor of each member, row major, at the member's offset, with
    zeros between members. A write to a bucket writes its members.
    `--dist-form-buckets` forms buckets.

    A `part` has no memory of its own either. It is an alias of the rank's shard
    of the bucket `of`, according to its sharding. After a step only the shard
    is valid; `@gather` makes the whole bucket valid again.

    ```mlir
    nn.param @"wte.weight" : tensor<256x64xf32> init normal decay
    nn.state @"grad.wte.weight" : tensor<256x64xf32> gradient of @"wte.weight"
    nn.state @"copy.wte.weight" : tensor<256x64xbf16> copy of @"wte.weight"
    nn.state @loss_sum : tensor<f32> sum
    nn.state @loss_scale : tensor<f32> number first 1.024000e+03
    nn.param @a : tensor<4x8xf32> init normal decay
    nn.param @b : tensor<5xf32> init zero
    nn.state @grad.a : tensor<4x8xf32> gradient of @a
    nn.state @grad.b : tensor<5xf32> gradient of @b
    nn.state @bucket.0.grad : tensor<1x64xf32> bucket members
        [@grad.a, @grad.b] at [0, 32]
    nn.state @bucket.0.sum : tensor<1x32xf32> gradient of @bucket.0.grad
    nn.state @bucket.0.param : tensor<1x64xf32> bucket members [@a, @b]
        at [0, 32]
    nn.state @bucket.0.own : tensor<1x32xf32> part of @bucket.0.param
    ```

    **Constraints:**
    - `of` names an `nn.param`; for a part, which must have an `of`, a bucket of
      the same element type; for a gradient it may name a bucket;
    - a copy has an `of`, the parameter's shape, and a float type that is not
      wider than the parameter's;
    - a number has no `of` and rank 0; only numbers have a `first`;
    - a bucket, and no other kind, has members, each with an offset. Members are
      parameters and states of its element type, but no buckets or parts.
      `--dist-verify` checks buckets further.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<NN_Tensor>:$type, NN_StateKindAttr:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$of,
    OptionalAttr<FlatSymbolRefArrayAttr>:$members,
    OptionalAttr<DenseI64ArrayAttr>:$offsets,
    OptionalAttr<F64Attr>:$first);
  let assemblyFormat = [{
    $sym_name `:` $type $kind (`of` $of^)?
    (`members` $members^ `at` $offsets)? (`first` $first^)? attr-dict
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

class NN_SymbolUse<string mnemonic, NN_Precision precision,
                   list<Trait> traits>
    : NN_Op<mnemonic, precision, NN_General, !listconcat(
        [DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)>;

def NN_ReadOp : NN_SymbolUse<"read", NN_Declared, [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a parameter or state";
  let description = [{
    The result is the current value: earlier writes and accumulations are
    visible, later ones are not.

    ```mlir
    nn.param @w : tensor<8x12xf32> init normal
    %w = nn.read @w : tensor<8x12xf32>
    ```

    **Constraints:**
    - the symbol is an `nn.param` or `nn.state` of the result's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$symbol `:` type($result) attr-dict";
}

def NN_WriteOp : NN_SymbolUse<"write", NN_Wide, [MemoryEffects<[MemWrite]>]> {
  let summary = "Replaces the value of a parameter or state";
  let description = [{
    Only `@update` writes parameters, and it never writes frozen ones
    (`--nn-verify`).

    ```mlir
    nn.state @loss_sum : tensor<f32> sum
    nn.write %zero, @loss_sum : tensor<f32>
    ```

    **Constraints:**
    - the symbol is an `nn.param` or `nn.state` of the value's type.
  }];
  let arguments = (ins NN_Tensor:$value, FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$value `,` $symbol `:` type($value) attr-dict";
}

def NN_AccumulateOp
    : NN_SymbolUse<"accumulate", NN_Wide,
        [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Adds a value to a state";
  let description = [{
    The target is a state, whose element type may be wider than the value's.
    Additions of several values to one state commute.

    ```mlir
    nn.param @w : tensor<8x12xf32> init normal
    nn.state @grad.w : tensor<8x12xf32> gradient of @w
    nn.accumulate %dw, @grad.w : tensor<8x12xbf16>
    ```

    **Constraints:**
    - the symbol is an `nn.state` of the value's shape;
    - its element type is the value's or a wider float.
  }];
  let arguments = (ins NN_Tensor:$value, FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$value `,` $symbol `:` type($value) attr-dict";
}

def NN_ConstantOp : NN_ComputeOp<"constant", NN_Declared, NN_General,
    [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    It lists its elements, or has a single value for all (`dense<0.5>`).

    ```mlir
    %half = nn.constant dense<0.5> : tensor<4x8xf32>
    %at = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
    ```

    **Constraints:**
    - the result has the value's type.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

#endif // PCC_NN_STATEOPS
