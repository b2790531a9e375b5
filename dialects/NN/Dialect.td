//===- Dialect.td - The nn dialect -------------------------*- tablegen -*-===//

#ifndef PCC_NN_DIALECT
#define PCC_NN_DIALECT

include "mlir/IR/OpBase.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let summary = "What is computed: tensor operations on static global shapes";
  let description = [{
    A program of one device's semantics, closed under differentiation. Values
    are ranked tensors of static shape. Parameters, gradients and optimizer
    state are module-level symbols (`nn.param`, `nn.state`) that functions read
    and write by name; the names are the source model's.

    Reductions over dimensions (contract, reduce, norms, softmax, losses)
    accumulate in f32 at least; the result is rounded once.

    Every input of a function has a role, `nn.role`, which says what the runtime
    puts there, and the model's name of it, `nn.name`:

    | role | what it is |
    |---|---|
    | tokens | ids of a text, `[batch, seq]`; one input at most |
    | targets | what the model shall give, by the loss that is attached or by the file's; one input at most |
    | labels | targets that the model itself shifts: of a text they are the tokens |
    | data | a row per sample, read by the input's name |
    | shared | the same for all samples, read by the input's name |
    | positions | 0, 1, ...: places in a text |
    | samples | the number of each sample in the global batch |
    | seed, step | whole numbers that random numbers depend on |
    | lr, weight_decay, beta1, beta2, eps, clip_grad | what the optimizer is told in each step |
    | loss_scale_window | after how many good steps the scale of the loss is doubled |

    A role implies which dims run over samples and places of a sequence: of
    tokens, targets and labels `[batch, seq, ...]`, of data `[batch, ...]`.
    `nn.dims` says it of an input of which it is otherwise.
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

#endif // PCC_NN_DIALECT
