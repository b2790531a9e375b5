//===- Dialect.td - The nn dialect -------------------------*- tablegen -*-===//

#ifndef PCC_NN_DIALECT
#define PCC_NN_DIALECT

include "mlir/IR/OpBase.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let summary = "Neural network operations on static global shapes";
  let description = [{
    A program has the semantics of a single device and is closed under
    differentiation. Values are ranked tensors of static shape. Parameters,
    gradients and optimizer state are module-level symbols (`nn.param`,
    `nn.state`) that functions read and write by name. Parameters keep the
    source model's names.

    Reductions over dimensions (contract, reduce, norms, softmax, losses)
    accumulate in f32 or wider and round the result once.

    Two traits of each op tell passes what they may do with it. The first is
    what training in 16 bits makes of it; `nn-precision` uses it:

    | trait | operands | results |
    |---|---|---|
    | NN_Declared | none | their declared type |
    | NN_Either | as they are | f32 |
    | NN_Wide | f32 | f32 |
    | NN_WideSum | f32, or 16 bits in a backward pass | a sum: f32 or the operands' type |
    | NN_Narrow | 16 bits | 16 bits; the op is a layer |
    | NN_NarrowProduct | 16 bits | a sum: 16 bits or f32; the op is a layer |
    | NN_LayerLikeFirst | the first operand's type | the first operand's type; the op is a layer |
    | NN_LikeFirst | the first operand's type | the first operand's type |
    | NN_LikeOperands | 16 bits, or all f32 if one is | 16 bits if an operand is |

    The other is how elements of the result depend on elements of the operands:

    | trait | the result has | example |
    |---|---|---|
    | NN_Elementwise | elements computed from those at the same index | `nn.mul` |
    | NN_Permutes | the operand's elements, each once | `nn.transpose` |
    | NN_Repeats | each element of the operand at least once | `nn.broadcast` |
    | NN_Drops | some of the operand's elements | `nn.slice` |
    | NN_Fills | the operand's elements, and zeros | `nn.pad` |
    | NN_Joins | the elements of several operands | `nn.concat` |
    | NN_General | anything else | `nn.contract` |

    Ops of the dist dialect have the second trait, too. There, NN_Reshards is a
    change of sharding: result i is operand i.

    Every input of a function has a role, `nn.role`, which determines the data
    that the runtime puts there, and its name in the model, `nn.name`:

    | role | contents |
    |---|---|
    | tokens | token ids, `[batch, seq]`; at most one input |
    | targets | targets of the attached loss or of the model's own loss; at most one input |
    | labels | targets that the model itself shifts: for a text the tokens |
    | data | one row per sample, read from the data set by the input's name |
    | shared | the same for all samples, read from the data set by the input's name |
    | positions | 0, 1, ...: positions in a text |
    | samples | the number of each sample in the global batch |
    | document_starts | for each token the position at which its document begins |
    | seed, step | integers that random numbers depend on |
    | lr, weight_decay, beta1, beta2, eps, clip_grad | hyperparameters of the optimizer in each step |
    | loss_scale_window | the number of steps without overflow after which the loss scale doubles |

    A role implies the batch and sequence dims: tokens, targets and labels are
    `[batch, seq, ...]`, document_starts are `[batch, seq]`, data is
    `[batch, ...]`, samples are `[batch]` and positions are `[seq]`. `nn.dims` overrides this for an input.
  }];
  let cppNamespace = "::pcc::nn";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

/// Any tensor the dialect computes with.
def NN_Tensor : StaticShapeTensorOf<[F16, BF16, F32, F64, I1, I8, I16, I32,
                                     I64]>;
def NN_Float : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def NN_Int : StaticShapeTensorOf<[I1, I8, I16, I32, I64]>;
def NN_F32 : StaticShapeTensorOf<[F32]>;
def NN_I32 : StaticShapeTensorOf<[I32]>;

#endif // PCC_NN_DIALECT
