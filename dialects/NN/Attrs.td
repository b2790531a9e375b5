//===- Attrs.td - Attributes of the nn dialect -------------*- tablegen -*-===//

#ifndef PCC_NN_ATTRS
#define PCC_NN_ATTRS

include "dialects/NN/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def NN_SourceAttr : AttrDef<NN_Dialect, "Source"> {
  let mnemonic = "source";
  let summary = "The location of a parameter's elements in a file";
  let description = [{
    Element (i0, i1, ...) of the parameter is source element
    `base + sum over d of i_d * strides[d]` of the tensor `type` at byte
    `offset` of `file`, and zero where `i_d >= valid[d]` for any d (padding).
    `file_size` and `digest` (of its header, its ends and samples, see
    runtime/model/FileDigest.h) identify the file.
    An empty `file` means that the elements are in no file. A negative `offset`
    is no byte offset: with -1 the file lacks the elements, which are zeros;
    with a lower value it has them in an encoding other than plain bytes, see
    runtime/model/EncodedTensor.h.
  }];
  let parameters = (ins
    StringRefParameter<"the tensor's name in the file">:$name,
    StringRefParameter<"the path on the command line">:$file,
    "int64_t":$offset,
    "::mlir::RankedTensorType":$type,
    "int64_t":$file_size,
    "uint64_t":$digest,
    "int64_t":$base,
    "::mlir::DenseI64ArrayAttr":$strides,
    "::mlir::DenseI64ArrayAttr":$valid);
  let assemblyFormat = "`<` struct(params) `>`";
}

/// The initial value of a parameter if weights are random (`--init random`),
/// not read from the model's file or a checkpoint. File: the value of the
/// model's file even then.
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

def NN_RecordAttr : AttrDef<NN_Dialect, "Record"> {
  let mnemonic = "record";
  let summary = "What the runtime knows about a parameter, except its type";
  let description = [{
    A parameter and its buffer in an rt program have the same record. The record
    of an optimizer state has only the entries that it shares with its
    parameter: `decay`, `source`, `transposed` and `plus_one`.

    - `init`: the distribution that the parameter is drawn from when training
      starts from scratch; `init file` keeps the file's value even then;
    - `decay`: weight decay applies, because its rank in the source model is at
      least 2;
    - `source`: the elements in the model's file.

    The other entries complement the source. They do not change how the file is
    read; they describe the model's own form of the parameter, which checkpoints
    have.

    - `transposed`: the source tensor, a matrix, is the transpose of the model's
      tensor of that name. Constant folding of exporters leaves weights of
      linear layers in this form;
    - `plus_one`: the source tensor's elements are the model's plus one.
      Exporters fold in the 1 that a norm adds to its weight;
    - `copies`: the other tensors of the file that hold the same elements, such
      as a tied head that an exporter wrote out. They are never read; when a
      trained model is written, all get the same elements;
    - `uses`: pairs (node of the graph, operand) that use the source tensor for
      this parameter, if it is merged with other parameters or missing.

    In `nn.param` the entries stand without `<` and `>`:

    ```mlir
    nn.param @w : tensor<8x12xf32> init normal decay source <name = "w",
        file = "m.onnx", offset = 128, type = tensor<12x8xf32>,
        file_size = 1000, digest = 7, base = 0, strides = [1, 8],
        valid = [8, 12]> transposed uses [3, 1]
    ```

    **Constraints:**
    - `uses` has an even number of entries.
  }];
  let parameters = (ins
    OptionalParameter<"::std::optional<::pcc::nn::Init>">:$init,
    DefaultValuedParameter<"bool", "false">:$decay,
    OptionalParameter<"::pcc::nn::SourceAttr">:$source,
    DefaultValuedParameter<"bool", "false">:$transposed,
    DefaultValuedParameter<"bool", "false">:$plus_one,
    OptionalArrayRefParameter<"::pcc::nn::SourceAttr">:$copies,
    OptionalArrayRefParameter<"int64_t">:$uses);
  let builders = [
    AttrBuilder<(ins "::pcc::nn::Init":$init, "bool":$decay,
                     CArg<"::pcc::nn::SourceAttr", "{}">:$source), [{
      return $_get($_ctxt, init, decay, source, false, false,
                   ::llvm::ArrayRef<::pcc::nn::SourceAttr>(),
                   ::llvm::ArrayRef<int64_t>());
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The same record with another entry.
    RecordAttr withInit(::pcc::nn::Init init);
    RecordAttr withSource(::pcc::nn::SourceAttr source);
    RecordAttr withTransposed(bool transposed);
    RecordAttr withPlusOne(bool plusOne);
    RecordAttr withCopies(::llvm::ArrayRef<::pcc::nn::SourceAttr> copies);
    RecordAttr withUses(::llvm::ArrayRef<int64_t> uses);
    /// The record with `map` applied to the source and its copies.
    RecordAttr mapSources(
        ::llvm::function_ref<::pcc::nn::SourceAttr(::pcc::nn::SourceAttr)> map);
    /// The record of a state that belongs to a parameter with this record.
    RecordAttr ofState();
  }];
}

def NN_StateKind : I32EnumAttr<"StateKind", "kind of a state", [
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

def NN_Relation : I32EnumAttr<"Relation", "relation of two elements", [
    I32EnumAttrCase<"Equal", 0, "eq">,
    I32EnumAttrCase<"Less", 1, "lt">,
    I32EnumAttrCase<"LessOrEqual", 2, "le">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_RelationAttr : EnumAttr<NN_Dialect, NN_Relation, "relation"> {
  let assemblyFormat = "`` $value";
}

def NN_Activation : I32EnumAttr<"Activation", "activation of an expert's MLP", [
    I32EnumAttrCase<"Silu", 0, "silu">,
    I32EnumAttrCase<"Gelu", 1, "gelu">,
    I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
    I32EnumAttrCase<"Relu", 3, "relu">,
    I32EnumAttrCase<"Relu2", 4, "relu2">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_ActivationAttr : EnumAttr<NN_Dialect, NN_Activation, "activation"> {
  let assemblyFormat = "`` $value";
}

def NN_HeadTailAttr : AttrDef<NN_Dialect, "HeadTail"> {
  let mnemonic = "head_tail";
  let summary = "The head-tail order of a sequence";
  let description = [{
    A sequence of which each of c `ranks` has a part is cut into 2c pieces.
    Rank i has pieces i and 2c-1-i, so that all ranks do equal work under a
    causal mask. Along `dims` an input has the pieces in the order of the ranks:

    ```
    sequence     0 1 2 3 4 5 6 7      <ranks = 2, dims = [1]>
    order        0 1 6 7 2 3 4 5
                 rank 0  rank 1
    ```

    The value of an input of role positions is the position in the sequence.

    **Constraints:**
    - there are at least 2 ranks;
    - there is at least one dim; dims ascend and are not negative.
  }];
  let parameters = (ins "int64_t":$ranks,
                        "::mlir::DenseI64ArrayAttr":$dims);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def NN_InputDimsAttr : AttrDef<NN_Dialect, "InputDims"> {
  let mnemonic = "dims";
  let summary = "The batch and sequence dims of an input";
  let description = [{
    For example `<batch = 1, sequence = 0>` for token ids of shape [seq, batch].
    -1 means that the input has no such dim.

    **Constraints:**
    - at least one of the dims is given, and they differ.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$batch,
                        DefaultValuedParameter<"int64_t", "-1">:$sequence);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

/// The role of a program's input, see the table in Dialect.td. Its predicates
/// are in Roles.h; the runtime knows the roles by these names.
def NN_InputRole : I32EnumAttr<"InputRole", "role of a program's input", [
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
    I32EnumAttrCase<"LossScaleWindow", 15, "loss_scale_window">,
    I32EnumAttrCase<"DocumentStarts", 16, "document_starts">]> {
  let cppNamespace = "::pcc::nn";
  let genSpecializedAttr = 0;
}
def NN_InputRoleAttr : EnumAttr<NN_Dialect, NN_InputRole, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

def NN_MemberAttr : AttrDef<NN_Dialect, "Member"> {
  let mnemonic = "member";
  let summary = "A tensor's place in a flat buffer, and its part of the whole";
  let description = [{
    The rank's tensor of this `shape` begins at element `start` of a flat
    buffer, row major. It is a shard of a tensor of the extents `whole`, without
    padding: a shard may be longer. Along dim d the shard begins at entry
    `origins[d]` of the op's operand `origins`, or at 0 if that is -1 or if
    `origins` is empty. `id` is the number of the tensor's random numbers,
    relative to the op's.

    ```mlir
    #nn.member<id = 1, start = 64, shape = [4, 8], whole = [8, 8],
               origins = [0, -1]>
    ```

    **Constraints:**
    - id and start are not negative;
    - shape and whole have the same rank, and extents of at least 1;
    - origins is empty or has an entry of at least -1 per dim.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$id,
    DefaultValuedParameter<"int64_t", "0">:$start,
    "::mlir::DenseI64ArrayAttr":$shape,
    "::mlir::DenseI64ArrayAttr":$whole,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$origins);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of the shard's elements.
    int64_t getNumElements() const;
    /// The entry of the op's `origins` that dim d begins at, or -1.
    int64_t getOrigin(unsigned d) const {
      return getOrigins() ? getOrigins()[d] : -1;
    }
  }];
}
def NN_MemberArrayAttr
    : TypedArrayAttrBase<NN_MemberAttr, "places of tensors in a flat buffer">;

#endif // PCC_NN_ATTRS
