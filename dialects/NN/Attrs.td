//===- Attrs.td - Attributes of the nn dialect -------------*- tablegen -*-===//

#ifndef PCC_NN_ATTRS
#define PCC_NN_ATTRS

include "dialects/NN/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def NN_SourceAttr : AttrDef<NN_Dialect, "Source"> {
  let mnemonic = "source";
  let summary = "Where a parameter's elements lie in a file";
  let description = [{
    Program element (i0, i1, ...) is source element
    `base + sum over d of i_d * strides[d]` of the tensor `type` at byte
    `offset` of `file`, and zero where `i_d >= valid[d]` for any d (padding).
    `file_size` and `digest` (of its header, its ends and samples, see
    runtime/model/FileDigest.h) identify the file.
    An empty `file` means that the elements exist nowhere. A negative `offset`
    is of no byte: the file lacks the elements, which are zeros (-1), or has
    them in another form than plain bytes (less, runtime/model/EncodedTensor.h).
  }];
  let parameters = (ins
    StringRefParameter<"the tensor's name in the file">:$name,
    StringRefParameter<"as given on the command line">:$file,
    "int64_t":$offset,
    "::mlir::RankedTensorType":$type,
    "int64_t":$file_size,
    "uint64_t":$digest,
    "int64_t":$base,
    "::mlir::DenseI64ArrayAttr":$strides,
    "::mlir::DenseI64ArrayAttr":$valid);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// What a parameter is drawn from when it is not read from a file.
def NN_Init : I32EnumAttr<"Init", "initial value of a parameter", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"One", 1, "one">,
    I32EnumAttrCase<"Normal", 2, "normal">,
    I32EnumAttrCase<"File", 3, "file">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_InitAttr : EnumAttr<NN_Dialect, NN_Init, "init"> {
  let assemblyFormat = "`` $value";
}

def NN_StateKind : I32EnumAttr<"StateKind", "what a state is kept for", [
    I32EnumAttrCase<"Gradient", 0, "gradient">,
    I32EnumAttrCase<"Moment1", 1, "exp_avg">,
    I32EnumAttrCase<"Moment2", 2, "exp_avg_sq">,
    I32EnumAttrCase<"Sum", 3, "sum">,
    I32EnumAttrCase<"Copy", 4, "copy">,
    I32EnumAttrCase<"Bucket", 5, "bucket">,
    I32EnumAttrCase<"Number", 6, "number">,
    I32EnumAttrCase<"Part", 7, "part">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_StateKindAttr : EnumAttr<NN_Dialect, NN_StateKind, "kind"> {
  let assemblyFormat = "`` $value";
}

def NN_Relation : I32EnumAttr<"Relation", "how two elements compare", [
    I32EnumAttrCase<"Equal", 0, "eq">,
    I32EnumAttrCase<"Less", 1, "lt">,
    I32EnumAttrCase<"LessOrEqual", 2, "le">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_RelationAttr : EnumAttr<NN_Dialect, NN_Relation, "relation"> {
  let assemblyFormat = "`` $value";
}

def NN_InputDimsAttr : AttrDef<NN_Dialect, "InputDims"> {
  let mnemonic = "dims";
  let summary = "Which dims of an input run over samples and places";
  let description = [{
    `<batch = 1, sequence = 0>`: ids of texts that lie side by side.

    **Constraints:**
    - one of both is there, and they differ.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$batch,
                        DefaultValuedParameter<"int64_t", "-1">:$sequence);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

/// What the runtime puts into an input of a program. Its predicates are in
/// Roles.h; the runtime knows the roles by these names.
def NN_InputRole : I32EnumAttr<"InputRole", "what an input of a program is", [
    I32EnumAttrCase<"Tokens", 0, "tokens">,
    I32EnumAttrCase<"Targets", 1, "targets">,
    I32EnumAttrCase<"Labels", 2, "labels">,
    I32EnumAttrCase<"Data", 3, "data">,
    I32EnumAttrCase<"Shared", 4, "shared">,
    I32EnumAttrCase<"Positions", 5, "positions">,
    I32EnumAttrCase<"Samples", 6, "samples">,
    I32EnumAttrCase<"Seed", 7, "seed">,
    I32EnumAttrCase<"Step", 8, "step">,
    I32EnumAttrCase<"LearningRate", 9, "lr">,
    I32EnumAttrCase<"WeightDecay", 10, "weight_decay">,
    I32EnumAttrCase<"Beta1", 11, "beta1">,
    I32EnumAttrCase<"Beta2", 12, "beta2">,
    I32EnumAttrCase<"Epsilon", 13, "eps">,
    I32EnumAttrCase<"ClipGrad", 14, "clip_grad">,
    I32EnumAttrCase<"LossScaleWindow", 15, "loss_scale_window">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_InputRoleAttr : EnumAttr<NN_Dialect, NN_InputRole, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // PCC_NN_ATTRS
