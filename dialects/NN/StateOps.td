//===- StateOps.td - Parameters, state and their uses ------*- tablegen -*-===//

#ifndef PCC_NN_STATEOPS
#define PCC_NN_STATEOPS

include "dialects/NN/OpBase.td"

def NN_ParamOp : NN_Op<"param", [Symbol]> {
  let summary = "A parameter of the model";
  let description = [{
    Declared with the shape the program wants; `source` says how it lies in
    the model's file (transposed, fused, split). `decay`: weight decay applies
    (its rank in the source file is at least 2). `frozen`: it is not trained.

    ```mlir
    nn.param @"h.0.ln_1.weight" : tensor<64xf32> init one
    ```
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
  let summary = "A tensor that lives from step to step, zero at the start";
  let description = [{
    `of` names the parameter a gradient or moment belongs to.

    ```mlir
    nn.state @"grad.wte.weight" : tensor<256x64xf32> gradient of @"wte.weight"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<NN_Tensor>:$type, NN_StateKindAttr:$kind,
    OptionalAttr<FlatSymbolRefAttr>:$of);
  let assemblyFormat = [{
    $sym_name `:` $type $kind (`of` $of^)? attr-dict
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
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$symbol `:` type($result) attr-dict";
}

def NN_WriteOp : NN_SymbolUse<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Replaces the value of a parameter or state";
  let arguments = (ins NN_Tensor:$value, FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$value `,` $symbol `:` type($value) attr-dict";
}

def NN_AccumulateOp
    : NN_SymbolUse<"accumulate", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Adds a value to a state";
  let description = [{
    The target is a state, whose element type may be wider than the value's.
    Additions of several values to one state commute.
  }];
  let arguments = (ins NN_Tensor:$value, FlatSymbolRefAttr:$symbol);
  let assemblyFormat = "$value `,` $symbol `:` type($value) attr-dict";
}

def NN_ConstantOp : NN_ComputeOp<"constant", [ConstantLike,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "A small or uniform tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

#endif // PCC_NN_STATEOPS
