//===- FusedOps.td - Norms, softmax, attention, embedding --*- tablegen -*-===//
//
// Ops with a sharding rule and a derivative of their own. Their gradients are
// ops too, so that a back end may map each to one kernel or library call.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_NN_FUSEDOPS
#define PCC_NN_FUSEDOPS

include "dialects/NN/OpBase.td"

def NN_SoftmaxOp
    : NN_ComputeOp<"softmax", [NN_VJP, SameOperandsAndResultType]> {
  let summary = "exp(x) / sum of exp(x) along the last dim";
  let description = [{
    The largest x of the row is subtracted first, so that no exponential is
    too large.

    ```mlir
    %p = nn.softmax %x : tensor<2x4x8xf32>
    ```

    **Constraints:**
    - at least one dim;
    - operand and result have one type.
  }];
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NN_SoftmaxGradOp
    : NN_ComputeOp<"softmax_grad", [SameOperandsAndResultType]> {
  let summary = "y * (dy - sum of y * dy along the last dim)";
  let description = [{
    The cotangent of the input of `nn.softmax`, whose result is y.

    ```mlir
    %dx = nn.softmax_grad %dy, %y : tensor<2x4x8xf32>
    ```

    **Constraints:**
    - at least one dim;
    - operands and result have one type.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$y);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "$dy `,` $y attr-dict `:` type($dx)";
  let hasVerifier = 1;
}

def NN_LayerNormOp : NN_ComputeOp<"layer_norm", [NN_VJP,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "(x - mean) * rstd * scale + bias along the last dim";
  let description = [{
    x is [..., c]; scale and bias are [c]; mean and
    rstd = 1 / sqrt(variance + eps), with the biased variance, are [...] of
    f32. They are kept for the backward pass; no cotangent flows through them.

    ```mlir
    %y, %mean, %rstd = nn.layer_norm %x scale %scale bias %bias eps 1.0e-5
        : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>
        -> tensor<2x3xf32>, tensor<2x3xf32>
    ```

    **Constraints:**
    - at least one dim; input and result have one type;
    - scale and bias have one element per column, mean and rstd one per row.
  }];
  let arguments = (ins NN_Float:$input, NN_Float:$scale,
                   Optional<NN_Float>:$bias, F64Attr:$eps);
  let results = (outs NN_Float:$result, NN_F32:$mean, NN_F32:$rstd);
  let assemblyFormat = [{
    $input `scale` $scale (`bias` $bias^)? `eps` $eps attr-dict `:`
    type($input) `,` type($scale) (`,` type($bias)^)? `->` type($mean) `,`
    type($rstd)
  }];
  let hasVerifier = 1;
}

def NN_LayerNormGradOp : NN_ComputeOp<"layer_norm_grad",
    [AllTypesMatch<["dy", "input", "dx"]>]> {
  let summary = "The cotangent of layer_norm's input";
  let description = [{
    With x' = (x - mean) * rstd and g = dy * scale:
    dx = rstd * (g - mean(g) - x' * mean(g * x')), means along the last dim.

    ```mlir
    %dx = nn.layer_norm_grad %dy, %x scale %scale mean %mean rstd %rstd
        : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    ```

    **Constraints:**
    - at least one dim; dy, input and dx have one type;
    - scale has one element per column, mean and rstd have one per row.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$input, NN_Float:$scale,
                   NN_F32:$mean, NN_F32:$rstd);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = [{
    $dy `,` $input `scale` $scale `mean` $mean `rstd` $rstd attr-dict `:`
    type($dx) `,` type($scale) `,` type($mean) `,` type($rstd)
  }];
  let hasVerifier = 1;
}

def NN_LayerNormGradScaleOp : NN_ComputeOp<"layer_norm_grad_scale",
    [AllTypesMatch<["dy", "input"]>]> {
  let summary = "The cotangent of layer_norm's scale";
  let description = [{
    dscale = sum over rows of dy * (x - mean) * rstd. The bias' cotangent is
    the sum over rows of dy, an `nn.reduce`.

    ```mlir
    %dscale = nn.layer_norm_grad_scale %dy, %x mean %mean rstd %rstd
        : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4xf32>
    ```

    **Constraints:**
    - at least one dim; dy and input have one type;
    - dscale has one element per column, mean and rstd have one per row.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$input, NN_F32:$mean,
                   NN_F32:$rstd);
  let results = (outs NN_Float:$dscale);
  let assemblyFormat = [{
    $dy `,` $input `mean` $mean `rstd` $rstd attr-dict `:` type($dy) `,`
    type($mean) `,` type($rstd) `->` type($dscale)
  }];
  let hasVerifier = 1;
}

def NN_RmsNormOp : NN_ComputeOp<"rms_norm", [NN_VJP,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "x * rstd * scale along the last dim";
  let description = [{
    x is [..., c], scale [c]; rstd = 1 / sqrt(mean of x^2 + eps) is [...] of
    f32 and kept for the backward pass; no cotangent flows through it.

    ```mlir
    %y, %rstd = nn.rms_norm %x scale %scale eps 1.0e-6
        : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - at least one dim; input and result have one type;
    - scale has one element per column, rstd one per row.
  }];
  let arguments = (ins NN_Float:$input, NN_Float:$scale, F64Attr:$eps);
  let results = (outs NN_Float:$result, NN_F32:$rstd);
  let assemblyFormat = [{
    $input `scale` $scale `eps` $eps attr-dict `:` type($input) `,`
    type($scale) `->` type($rstd)
  }];
  let hasVerifier = 1;
}

def NN_RmsNormGradOp : NN_ComputeOp<"rms_norm_grad",
    [AllTypesMatch<["dy", "input", "dx"]>]> {
  let summary = "The cotangent of rms_norm's input";
  let description = [{
    With g = dy * scale: dx = rstd * (g - x * rstd^2 * mean(g * x)), the mean
    along the last dim.

    ```mlir
    %dx = nn.rms_norm_grad %dy, %x scale %scale rstd %rstd
        : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
    ```

    **Constraints:**
    - at least one dim; dy, input and dx have one type;
    - scale has one element per column, rstd one per row.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$input, NN_Float:$scale,
                   NN_F32:$rstd);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = [{
    $dy `,` $input `scale` $scale `rstd` $rstd attr-dict `:` type($dx) `,`
    type($scale) `,` type($rstd)
  }];
  let hasVerifier = 1;
}

def NN_RmsNormGradScaleOp : NN_ComputeOp<"rms_norm_grad_scale",
    [AllTypesMatch<["dy", "input"]>]> {
  let summary = "The cotangent of rms_norm's scale";
  let description = [{
    dscale = sum over rows of dy * x * rstd.

    ```mlir
    %dscale = nn.rms_norm_grad_scale %dy, %x rstd %rstd
        : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<4xf32>
    ```

    **Constraints:**
    - at least one dim; dy and input have one type;
    - dscale has one element per column, rstd one per row.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$input, NN_F32:$rstd);
  let results = (outs NN_Float:$dscale);
  let assemblyFormat = [{
    $dy `,` $input `rstd` $rstd attr-dict `:` type($dy) `,` type($rstd) `->`
    type($dscale)
  }];
  let hasVerifier = 1;
}

def NN_RopeOp : NN_ComputeOp<"rope", [NN_VJP,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Rotary position embedding of [b, s, h, d]";
  let description = [{
    Rotates the pairs (i, i + dim/2), i < dim/2, of the first `dim` elements of
    the last dim by positions[s] * theta^(-2i/dim); `inverse` rotates back,
    which is also the derivative.

    ```mlir
    %y = nn.rope %q positions %at theta 1.0e4 dim 2
        : tensor<2x3x2x4xf32>, tensor<3xi64>
    ```

    **Constraints:**
    - the input is [batch, sequence, head, dim], the result has its type;
    - `dim` is even, at least 2 and at most the last extent;
    - one position per element of the sequence.
  }];
  let arguments = (ins NN_Float:$input, NN_Int:$positions, F64Attr:$theta,
                   I64Attr:$dim, UnitAttr:$inverse);
  let results = (outs NN_Float:$result);
  let assemblyFormat = [{
    (`inverse` $inverse^)? $input `positions` $positions `theta` $theta `dim`
    $dim attr-dict `:` type($input) `,` type($positions)
  }];
  let hasVerifier = 1;
}

def NN_AttentionOp : NN_ComputeOp<"attention", [NN_VJP, NN_Cost, NN_Local,
    AttrSizedOperandSegments]> {
  let summary = "softmax(scale * q k^T + bias + mask) v, by heads";
  let description = [{
    q is [b, s, h, d], k [b, t, g, d], v [b, t, g, e] with g dividing h: query
    head i uses key head i / (h / g). `causal` masks keys whose position is
    greater than the query's. `bias` is [b, h, s, t] with any of its dims 1,
    which then stands for all; an entry of -inf masks a key.

    The result is [b, s, h, e]. lse, [b, s, h] of f32, is kept for the
    backward pass: the log of the sum of exp of a row's scores. With a bias it
    is that less the row's highest score, `max` [b, s, h], which is a result,
    too: beside a fill of the least float the log would be lost. A row all of
    whose keys have -inf gives zeros, -inf as its lse and 0 as its max.

    With p > 0 the probabilities are dropped out as `nn.dropout` does, with
    coordinates (samples[b], head + head_origin, positions of query and key).

    ```mlir
    %o, %lse = nn.attention causal %q, %k, %v positions %at, %at scale 0.5
        : (tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>, tensor<2x3x2x8xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x3x4x8xf32>, tensor<2x3x4xf32>)
    ```

    **Constraints:**
    - q, k and v have four dims, which fit as above; h is a multiple of g;
    - one position per query and per key;
    - each dim of bias is 1 or that of the scores [b, h, s, t];
    - p is at least 0 and less than 1; with p > 0 samples, seed and step are
      given; samples are [b]; seed, step and head_origin have rank 0;
    - the results have the shapes above; there is a max with a bias only.
  }];
  let arguments = (ins NN_Float:$q, NN_Float:$k, NN_Float:$v, NN_Int:$q_pos,
    NN_Int:$k_pos, Optional<NN_Float>:$bias, Optional<NN_Int>:$samples,
    Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$result, NN_F32:$lse, Optional<NN_F32>:$max);
  let assemblyFormat = [{
    (`causal` $causal^)? $q `,` $k `,` $v `positions` $q_pos `,` $k_pos
    (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_AttentionGradOp : NN_ComputeOp<"attention_grad", [NN_Cost, NN_Local,
    AttrSizedOperandSegments]> {
  let summary = "The cotangents of attention's q, k, v and bias";
  let description = [{
    Of the result's cotangent, [b, s, h, e], and of what the forward pass took
    and gave. The probabilities are computed again from the scores and lse, with
    a bias also max.

    ```mlir
    %dq, %dk, %dv = nn.attention_grad causal %do, %q, %k, %v result %o
        lse %lse positions %at, %at scale 0.5
        : (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>,
           tensor<2x3x2x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>, tensor<2x3x2x8xf32>)
    ```

    **Constraints:**
    - what `nn.attention` demands of q, k, v, positions, bias and dropout;
    - d_result and result have one type, [b, s, h, e]; lse is [b, s, h], and so
      is max, which is given with a bias only;
    - dq, dk, dv and dbias have the types of q, k, v and bias, but dq of 16
      bits may be f32, and a dbias may have all queries or keys where the bias
      has 1; there is a dbias only with a bias.
  }];
  let arguments = (ins NN_Float:$d_result, NN_Float:$q, NN_Float:$k,
    NN_Float:$v, NN_Float:$result, NN_F32:$lse, Optional<NN_F32>:$max,
    NN_Int:$q_pos, NN_Int:$k_pos, Optional<NN_Float>:$bias, Optional<NN_Int>:$samples,
    Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$dq, NN_Float:$dk, NN_Float:$dv,
                 Optional<NN_Float>:$dbias);
  let assemblyFormat = [{
    (`causal` $causal^)? $d_result `,` $q `,` $k `,` $v `result` $result `lse`
    $lse (`max` $max^)? `positions` $q_pos `,` $k_pos (`bias` $bias^)?
    (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// What attention becomes where no library computes it whole.

def NN_MaskedSoftmaxOp : NN_ComputeOp<"masked_softmax",
    [AttrSizedOperandSegments]> {
  let summary = "The softmax within attention, by rows of scores";
  let description = [{
    scores are [b, h, s, t] products of queries and keys; probs the softmax of
    scale * scores + bias along t, dropped out with p > 0 as `nn.attention`
    says; bias as there, lse and max [b, h, s] what they are there.

    ```mlir
    %p, %lse = nn.masked_softmax causal %scores positions %at, %at scale 0.5
        : (tensor<2x4x3x3xf32>, tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x4x3x3xf32>, tensor<2x4x3xf32>)
    ```

    **Constraints:**
    - scores have four dims, probs their shape; lse is [b, h, s], and so is max,
      which is there with a bias only;
    - scores have the element type of probs, or f32;
    - one position per query and per key;
    - what `nn.attention` demands of bias and dropout.
  }];
  let arguments = (ins NN_Float:$scores, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias, Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_F32:$lse, Optional<NN_F32>:$max);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `positions` $q_pos `,` $k_pos
    (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_MaskedSoftmaxGradOp : NN_ComputeOp<"masked_softmax_grad",
    [AllTypesMatch<["scores", "d_probs"]>, AllTypesMatch<["probs", "d_scores"]>,
     AttrSizedOperandSegments]> {
  let summary = "The cotangent of attention's scores";
  let description = [{
    Computes the probabilities again from scores and lse [b, h, s], with a bias
    also max: `probs` are those after dropout, which the values' cotangent needs. d_scores are the
    cotangents of the scores, `scale` included.

    ```mlir
    %p, %ds = nn.masked_softmax_grad causal %scores, %dp lse %lse
        positions %at, %at scale 0.5
        : (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>, tensor<2x4x3xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>)
    ```

    **Constraints:**
    - scores have four dims; d_probs have their type, probs and d_scores one
      type and their shape; lse is [b, h, s], and so is max, which is given with
      a bias only;
    - scores have the element type of probs, or f32;
    - one position per query and per key;
    - what `nn.attention` demands of bias and dropout.
  }];
  let arguments = (ins NN_Float:$scores, NN_Float:$d_probs, NN_F32:$lse,
    Optional<NN_F32>:$max, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias,
    Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_Float:$d_scores);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `,` $d_probs `lse` $lse (`max` $max^)?
    `positions` $q_pos `,` $k_pos (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_EmbeddingOp : NN_ComputeOp<"embedding", [NN_VJP, NN_Local]> {
  let summary = "The rows of a table named by ids";
  let description = [{
    ids are [...], the table [rows, columns...], the result
    [..., columns...]. An id less `offset` (absent: 0) that is no row of the
    table gives zeros: a rank that holds some rows looks up these, and the sum
    over ranks is the whole.

    ```mlir
    %x = nn.embedding %ids, %table
        : tensor<2x3xi64>, tensor<7x4xf32> -> tensor<2x3x4xf32>
    ```

    **Constraints:**
    - the table has at least two dims;
    - the result has the dims of ids, then those of a row, and the table's
      element type;
    - offset has rank 0.
  }];
  let arguments = (ins NN_Int:$ids, NN_Tensor:$table,
                   Optional<NN_Int>:$offset);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $ids `,` $table (`offset` $offset^ `:` type($offset))? attr-dict `:`
    type($ids) `,` type($table) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_EmbeddingGradOp : NN_ComputeOp<"embedding_grad", [NN_VJP, NN_Local]> {
  let summary = "The cotangent of the table: dy's rows added by id";
  let description = [{
    dy is [..., columns...], ids [...], the result [rows, columns...]: row r is
    the sum of the rows of dy whose id less `offset` is r. Ids that name no row
    are left out. Also how a forward pass adds up rows by ids.

    ```mlir
    %dtable = nn.embedding_grad %dy, %ids
        : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
    ```

    **Constraints:**
    - the result has at least two dims;
    - dy has the dims of ids, then those of a row;
    - offset has rank 0.
  }];
  let arguments = (ins NN_Float:$dy, NN_Int:$ids, Optional<NN_Int>:$offset);
  let results = (outs NN_Float:$dtable);
  let assemblyFormat = [{
    $dy `,` $ids (`offset` $offset^ `:` type($offset))? attr-dict `:`
    type($dy) `,` type($ids) `->` type($dtable)
  }];
  let hasVerifier = 1;
}

#endif // PCC_NN_FUSEDOPS
