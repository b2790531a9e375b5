//===- StateOps.td - Parameters, state and their uses ------*- tablegen -*-===//

#ifndef PCC_NN_STATEOPS
#define PCC_NN_STATEOPS

include "dialects/NN/OpBase.td"

def NN_ParamOp : NN_Op<"param", [Symbol]> {
  let summary = "A parameter of the model";
  let description = [{
    Declared with the shape the program wants; `source` says how it lies in
    the model's file (transposed, fused, split). `init` is what it is drawn
    from where training starts afresh; `file` keeps the file's value even then,
    as of what is not trained. `decay`: weight decay applies (its rank in
    the source file is at least 2). `frozen`: it is not trained.

    ```mlir
    nn.param @"h.0.ln_1.weight" : tensor<64xf32> init one
    nn.param @w : tensor<8x12xf32> init normal decay source <name = "w",
        file = "m.onnx", offset = 128, type = tensor<12x8xf32>,
        file_size = 1000, digest = 7, base = 0, strides = [1, 8],
        valid = [8, 12]>
    ```

    **Constraints** (of the source, if there is one):
    - a stride and a valid extent for each dim of the global type, which is
      `dist.global` where that is given, else the declared one;
    - the tensor in the file has a static shape;
    - a valid extent is at least 1 and at most its dim;
    - every element that is read is one of the file's tensor.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<NN_Tensor>:$type, NN_InitAttr:$init, UnitAttr:$decay,
    UnitAttr:$frozen, OptionalAttr<NN_SourceAttr>:$source);
  let assemblyFormat = [{
    $sym_name `:` $type `init` $init (`decay` $decay^)? (`frozen` $frozen^)?
    (`source` $source^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::mlir::cast<::mlir::RankedTensorType>(getType());
    }
  }];
}

def NN_StateOp : NN_Op<"state",
    [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor that lives from step to step";
  let description = [{
    Gradients, moments of the optimizer, and sums such as the loss of a step.
    `of` names the parameter a gradient or moment belongs to. They are zero at
    the start. A `copy` is no sum: it is its parameter, as it is or rounded to a
    narrower type, also at the start, and `@update` writes both, or, where ranks
    keep parts of the parameter, `@gather` makes it ahead of each step. A
    gradient of a row of gradients is what a rank keeps of the sum of these, to which
    `@reduce` adds its part behind each microbatch. A `number` says how
    steps are done, such as the scale of the loss: it goes on from step to step,
    `first` is its value at the start, `@microbatch` may read it, and every rank
    has the same.

    A `bucket` has no elements of its own. It is another name for what its
    members hold, all of them parameters or states of one kind: a row in which
    one rank's part of each lies, row-major, at its offset, with zeros between
    them. Who writes a bucket writes its members. `--dist-form-buckets` makes
    them.

    A `part` has no elements of its own either. It is another name for those
    elements of the row `of` which its rank keeps, as its sharding says; they
    alone are what a step leaves of the row, which `@gather` makes whole again.

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
    - `of`, if given, names an `nn.param`, but that of a part, which has one,
      names a bucket of its element type, and that of a gradient may name a
      bucket of gradients;
    - a copy has one, its shape, and floats no wider than its;
    - a number has none and rank 0, and nothing else has a `first`;
    - a bucket, and nothing else, has members, each with an offset: parameters
      and states of its element type that are no buckets. What else is true of
      them is checked by `--dist-verify`.
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

class NN_SymbolUse<string mnemonic, list<Trait> traits>
    : NN_Op<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<SymbolUserOpInterface>], traits)>;

def NN_ReadOp : NN_SymbolUse<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "The present value of a parameter or state";
  let description = [{
    The value is the one at this place of the program: writes and
    accumulations before it are seen, later ones are not.

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

def NN_WriteOp : NN_SymbolUse<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Replaces the value of a parameter or state";
  let description = [{
    Only `@update` writes parameters, and never frozen ones (`--nn-verify`).

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
    : NN_SymbolUse<"accumulate", [MemoryEffects<[MemRead, MemWrite]>]> {
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

def NN_ConstantOp : NN_ComputeOp<"constant", [ConstantLike,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "A small or uniform tensor known at compile time";
  let description = [{
    Few elements, or all of one value (`dense<0.5>`).

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
