//===- OptimizerOps.td - Steps of optimizers ---------------*- tablegen -*-===//

#ifndef PCC_NN_OPTIMIZEROPS
#define PCC_NN_OPTIMIZEROPS

include "dialects/NN/OpBase.td"

def NN_AdamWOp : NN_ComputeOp<"adamw", NN_Wide, NN_General, [
    AllTypesMatch<["param", "new_param"]>,
    AllTypesMatch<["exp_avg", "exp_avg_sq", "new_exp_avg", "new_exp_avg_sq"]>
    ]> {
  let summary = "One step of AdamW, with PyTorch's formulas";
  let description = [{
    g = grad * grad_scale; with `decay`, p *= 1 - lr * weight_decay;
    m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2;
    p -= lr * (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps).
    step counts from 1. A grad_scale of NaN turns the op into a no-op: p, m and
    v keep their values.

    Moments of bf16 are computed in f32, used for p, and then rounded at random,
    up or down with such probabilities that the mean is the f32: 16 random bits
    are added to the lower half of its pattern, which is then cut off. `rounding`
    has 32 bits per element: the lower half is for m, the upper one for v. NaN
    and infinity stay what they are.

    ```mlir
    %p1, %m1, %v1 = nn.adamw decay %p, %grad, %m, %v grad_scale %scale lr %lr
        betas %beta1, %beta2 eps %eps weight_decay %decay step %step
        : tensor<2x3xbf16>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>,
          tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<i64>
    ```

    **Constraints:**
    - grad and moments have the parameter's shape; new values have the types of
      the old values; both moments have the same type;
    - moments of bf16 have `rounding`, of the parameter's shape; others have
      none; none are f16;
    - grad_scale, lr, betas, eps, weight_decay and step have rank 0.
  }];
  let arguments = (ins NN_Float:$param, NN_Float:$grad, NN_Float:$exp_avg,
    NN_Float:$exp_avg_sq, NN_F32:$grad_scale, NN_F32:$lr, NN_F32:$beta1,
    NN_F32:$beta2, NN_F32:$eps, NN_F32:$weight_decay, NN_Int:$step,
    Optional<NN_I32>:$rounding, UnitAttr:$decay);
  let results = (outs NN_Float:$new_param, NN_Float:$new_exp_avg,
                 NN_Float:$new_exp_avg_sq);
  let assemblyFormat = [{
    (`decay` $decay^)? $param `,` $grad `,` $exp_avg `,` $exp_avg_sq
    `grad_scale` $grad_scale `lr` $lr `betas` $beta1 `,` $beta2 `eps` $eps
    `weight_decay` $weight_decay `step` $step (`rounding` $rounding^)? attr-dict
    `:` type($param) `,` type($grad) `,` type($exp_avg) `,` type($grad_scale)
    `,` type($lr) `,` type($beta1) `,` type($beta2) `,` type($eps) `,`
    type($weight_decay) `,` type($step) (`,` type($rounding)^)?
  }];
  let hasVerifier = 1;
}

def NN_RoundingBitsOp
    : NN_ComputeOp<"rounding_bits", NN_Declared, NN_General, [NN_Local]> {
  let summary = "Random bits for the rounding of every element of parameters";
  let description = [{
    The result is a flat buffer of `members`, or the rank's shard of one: its
    first element is then entry `position` of `origins`. Each element has 32
    bits: a hash of (seed, step, id, index), see Random.h. id is the op's plus
    the member's. index is the element's row-major index in the whole tensor,
    modulo 2^32. So the bits do not depend on sharding or on buckets. Elements
    between members have bits, too, which nothing uses.

    A kernel computes the bits where it uses them; they have no memory.

    ```mlir
    %bits = nn.rounding_bits 0 seed %seed step %step
        members [#nn.member<shape = [2, 3], whole = [2, 3]>]
        : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
    %part = nn.rounding_bits 7 seed %seed step %step origins %column, %first
        position 1 members
        [#nn.member<shape = [4, 8], whole = [4, 16], origins = [-1, 0]>,
         #nn.member<id = 1, start = 32, shape = [16], whole = [16]>]
        : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
        -> tensor<1x32xi32>
    ```

    **Constraints:**
    - seed, step and origins have rank 0;
    - there is at least one member; the first starts at 0, the others where the
      one before has ended or later;
    - `position` and the members' origins number an entry of `origins`;
    - without `position` the result has all elements of the members.
  }];
  let arguments = (ins I64Attr:$id, NN_Int:$seed, NN_Int:$step,
    Variadic<NN_Int>:$origins, OptionalAttr<I64Attr>:$position,
    NN_MemberArrayAttr:$members);
  let results = (outs NN_I32:$result);
  let assemblyFormat = [{
    $id `seed` $seed `step` $step (`origins` $origins^)?
    (`position` $position^)? `members` $members attr-dict `:` type($seed) `,`
    type($step) (`,` type($origins)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The members, in the order of their elements.
    ::llvm::SmallVector<::pcc::nn::MemberAttr> getMemberList();
  }];
}

def NN_SgdOp : NN_ComputeOp<"sgd", NN_Wide, NN_General, [
    AllTypesMatch<["param", "new_param"]>]> {
  let summary = "One step of stochastic gradient descent";
  let description = [{
    p -= lr * (grad * grad_scale + weight_decay * p); the weight_decay term only
    with `decay`. A grad_scale of NaN turns the op into a no-op: p keeps its
    value.

    ```mlir
    %p1 = nn.sgd decay %p, %grad grad_scale %scale lr %lr weight_decay %decay
        : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>,
          tensor<f32>
    ```

    **Constraints:**
    - grad has the parameter's shape; the new value has its type;
    - grad_scale, lr and weight_decay have rank 0.
  }];
  let arguments = (ins NN_Float:$param, NN_Float:$grad, NN_F32:$grad_scale,
    NN_F32:$lr, NN_F32:$weight_decay, UnitAttr:$decay);
  let results = (outs NN_Float:$new_param);
  let assemblyFormat = [{
    (`decay` $decay^)? $param `,` $grad `grad_scale` $grad_scale `lr` $lr
    `weight_decay` $weight_decay attr-dict `:` type($param) `,` type($grad)
    `,` type($grad_scale) `,` type($lr) `,` type($weight_decay)
  }];
  let hasVerifier = 1;
}

def NN_SumOfSquaresOp : NN_ComputeOp<"sum_of_squares", NN_Wide, NN_General> {
  let summary = "The sum of the squares of all elements";
  let description = [{
    The gradient norm is computed from it.

    ```mlir
    %s = nn.sum_of_squares %grad : tensor<2x3xf32> -> tensor<f32>
    ```

    **Constraints:**
    - the result has rank 0.
  }];
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_F32:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_NN_OPTIMIZEROPS
