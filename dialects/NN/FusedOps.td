//===- FusedOps.td - Norms, softmax, attention, embedding --*- tablegen -*-===//
//
// Ops with their own sharding rules and derivatives. Their gradients are ops,
// too, so a back end can map each to one kernel or library call.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_NN_FUSEDOPS
#define PCC_NN_FUSEDOPS

include "dialects/NN/OpBase.td"

def NN_SoftmaxOp
    : NN_ComputeOp<"softmax", NN_Wide, NN_General,
        [NN_VJP, SameOperandsAndResultType]> {
  let summary = "exp(x) / sum of exp(x) along the last dim";
  let description = [{
    The row's maximum is subtracted first, so no exponential overflows.

    ```mlir
    %p = nn.softmax %x : tensor<2x4x8xf32>
    ```

    **Constraints:**
    - there is at least one dim;
    - operand and result have the same type.
  }];
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NN_SoftmaxGradOp
    : NN_ComputeOp<"softmax_grad", NN_Wide, NN_General,
        [SameOperandsAndResultType]> {
  let summary = "y * (dy - sum of y * dy along the last dim)";
  let description = [{
    The cotangent of the input of `nn.softmax`, whose result is y.

    ```mlir
    %dx = nn.softmax_grad %dy, %y : tensor<2x4x8xf32>
    ```

    **Constraints:**
    - there is at least one dim;
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$y);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "$dy `,` $y attr-dict `:` type($dx)";
  let hasVerifier = 1;
}

def NN_LayerNormOp : NN_ComputeOp<"layer_norm", NN_LayerLikeFirst, NN_General,
    [NN_VJP, AllTypesMatch<["input", "result"]>]> {
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
    - there is at least one dim; input and result have the same type;
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

def NN_LayerNormGradOp : NN_ComputeOp<"layer_norm_grad", NN_Wide, NN_General,
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
    - there is at least one dim; dy, input and dx have the same type;
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

def NN_LayerNormGradScaleOp
    : NN_ComputeOp<"layer_norm_grad_scale", NN_WideSum, NN_General,
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
    - there is at least one dim; dy and input have the same type;
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

def NN_RmsNormOp : NN_ComputeOp<"rms_norm", NN_LayerLikeFirst, NN_General,
    [NN_VJP, AllTypesMatch<["input", "result"]>]> {
  let summary = "x * rstd * scale along the last dim";
  let description = [{
    x is [..., c], scale [c]; rstd = 1 / sqrt(mean of x^2 + eps) is [...] of
    f32 and kept for the backward pass; no cotangent flows through it.

    ```mlir
    %y, %rstd = nn.rms_norm %x scale %scale eps 1.0e-6
        : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - there is at least one dim; input and result have the same type;
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

def NN_RmsNormGradOp : NN_ComputeOp<"rms_norm_grad", NN_Wide, NN_General,
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
    - there is at least one dim; dy, input and dx have the same type;
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

def NN_RmsNormGradScaleOp
    : NN_ComputeOp<"rms_norm_grad_scale", NN_WideSum, NN_General,
    [AllTypesMatch<["dy", "input"]>]> {
  let summary = "The cotangent of rms_norm's scale";
  let description = [{
    dscale = sum over rows of dy * x * rstd.

    ```mlir
    %dscale = nn.rms_norm_grad_scale %dy, %x rstd %rstd
        : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<4xf32>
    ```

    **Constraints:**
    - there is at least one dim; dy and input have the same type;
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

def NN_RopeOp : NN_ComputeOp<"rope", NN_LayerLikeFirst, NN_General, [NN_VJP,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Rotary position embedding of [b, s, h, d]";
  let description = [{
    Rotates the pairs (i, i + dim/2), i < dim/2, of the first `dim` elements of
    the last dim by positions[s] * theta^(-2i/dim), or positions[b, s]; `inverse`
    rotates back, which is also the derivative.

    ```mlir
    %y = nn.rope %q positions %at theta 1.0e4 dim 2
        : tensor<2x3x2x4xf32>, tensor<3xi64>
    ```

    **Constraints:**
    - the input is [batch, sequence, head, dim]; the result has its type;
    - `dim` is even, at least 2 and at most the last extent;
    - there is one position per element of the sequence, [s], or of each sample's
      sequence, [b, s].
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

def NN_AttentionOp : NN_ComputeOp<"attention", NN_Narrow, NN_General,
    [NN_VJP, NN_Cost, NN_Local, AttrSizedOperandSegments]> {
  let summary = "Multi-head attention: softmax(scale * q k^T + bias + mask) v";
  let description = [{
    q is [b, s, h, d], k [b, t, g, d], v [b, t, g, e] with g dividing h: query
    head i uses key head i / (h / g). `causal` masks keys whose position is
    greater than the query's. `bias` is [b, h, s, t]; a dim of extent 1 is
    broadcast. An entry of -inf masks a key.

    Of a query at position i and a key at position j, a causal mask may also
    keep those only that are close to each other:

    - `window`, if it is not 0: i - j < window;
    - `chunk`, if it is not 0: i / chunk = j / chunk, rounded down;
    - `starts`, [b, s], if given: j >= starts[b, query], the position at which
      the query's document begins.

    With a `softcap` c that is not 0, the scaled products x are replaced by
    c tanh(x / c) before the bias is added. `sinks`, [h], are scores of one more
    key per query head, which all queries see and whose value is zero: it adds
    to the sum of exponentials only.

    The result is [b, s, h, e]. lse, [b, s, h] of f32, is kept for the backward
    pass: the log-sum-exp of a row's scores, with its sink. With a bias there is
    another result, `max` [b, s, h], the row's highest score or its sink, and
    lse is the log-sum-exp minus max. Otherwise a mask value of the least float
    would absorb the log. A row whose keys all have -inf yields zeros and,
    without sinks, an lse of -inf and a max of 0.

    With p > 0 probabilities are dropped as by `nn.dropout`, with coordinates
    (samples[b], head + head_origin, positions of query and key).

    ```mlir
    %o, %lse = nn.attention causal %q, %k, %v positions %at, %at scale 0.5
        : (tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>, tensor<2x3x2x8xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x3x4x8xf32>, tensor<2x3x4xf32>)
    ```

    The cotangent of the sinks follows from the results; the derivative builds
    it of other ops:

        dsinks[h] = - sum over b, s of exp(sinks[h] - max - lse) * sum(do * o)

    **Constraints:**
    - q, k and v have four dims, which match as above; h is a multiple of g;
    - there is one position per query and per key; with a chunk none is
      negative;
    - window and chunk are not negative, and 0 without `causal`;
    - starts are [b, s], and given only with `causal`;
    - softcap is finite and not negative;
    - sinks are [h];
    - each dim of bias is 1 or that of the scores [b, h, s, t];
    - p is at least 0 and less than 1; with p > 0 samples, seed and step are
      given; samples are [b]; seed, step and head_origin have rank 0;
    - the results have the shapes above; there is a max if and only if there is
      a bias.
  }];
  let arguments = (ins NN_Float:$q, NN_Float:$k, NN_Float:$v, NN_Int:$q_pos,
    NN_Int:$k_pos, Optional<NN_Float>:$bias, Optional<NN_Float>:$sinks,
    Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, Optional<NN_Int>:$starts, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<I64Attr, "0">:$window,
    DefaultValuedAttr<I64Attr, "0">:$chunk,
    DefaultValuedAttr<F64Attr, "0.0">:$softcap,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$result, NN_F32:$lse, Optional<NN_F32>:$max);
  let assemblyFormat = [{
    (`causal` $causal^)? $q `,` $k `,` $v `positions` $q_pos `,` $k_pos
    (`bias` $bias^)? (`sinks` $sinks^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? (`starts` $starts^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_AttentionGradOp : NN_ComputeOp<"attention_grad", NN_Wide, NN_General,
    [NN_Cost, NN_Local, AttrSizedOperandSegments]> {
  let summary = "The cotangents of attention's q, k, v and bias";
  let description = [{
    They are computed from the result's cotangent, [b, s, h, e], and from the
    operands and results of the forward pass. The probabilities are recomputed
    from the scores, lse and, with a bias, max. lse has the sinks, so they are
    no operand.

    ```mlir
    %dq, %dk, %dv = nn.attention_grad causal %do, %q, %k, %v result %o
        lse %lse positions %at, %at scale 0.5
        : (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>,
           tensor<2x3x2x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>, tensor<2x3x2x8xf32>)
    ```

    **Constraints:**
    - the constraints of `nn.attention` on q, k, v, positions, window, chunk,
      starts, softcap, bias and dropout;
    - d_result and result have the same type, [b, s, h, e];
    - lse is [b, s, h], and so is max, which is given if and only if there is a
      bias;
    - dq, dk, dv and dbias have the types of q, k, v and bias, with two
      exceptions. dq may be f32 if q has a 16-bit type. dbias may have all
      queries or keys where the bias has extent 1;
    - there is a dbias only with a bias.
  }];
  let arguments = (ins NN_Float:$d_result, NN_Float:$q, NN_Float:$k,
    NN_Float:$v, NN_Float:$result, NN_F32:$lse, Optional<NN_F32>:$max,
    NN_Int:$q_pos, NN_Int:$k_pos, Optional<NN_Float>:$bias, Optional<NN_Int>:$samples,
    Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, Optional<NN_Int>:$starts, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<I64Attr, "0">:$window,
    DefaultValuedAttr<I64Attr, "0">:$chunk,
    DefaultValuedAttr<F64Attr, "0.0">:$softcap,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$dq, NN_Float:$dk, NN_Float:$dv,
                 Optional<NN_Float>:$dbias);
  let assemblyFormat = [{
    (`causal` $causal^)? $d_result `,` $q `,` $k `,` $v `result` $result `lse`
    $lse (`max` $max^)? `positions` $q_pos `,` $k_pos (`bias` $bias^)?
    (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? (`starts` $starts^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Expanded attention, for back ends without a fused implementation.

def NN_MaskedSoftmaxOp : NN_ComputeOp<"masked_softmax", NN_Wide, NN_General,
    [AttrSizedOperandSegments]> {
  let summary = "The softmax of expanded attention";
  let description = [{
    scores are [b, h, s, t], the products of queries and keys. probs are the
    softmax of scale * scores + bias along t, with the mask, the sinks and, for
    p > 0, the dropout of `nn.attention`. lse and max are as there, but
    [b, h, s]. A soft cap is computed by other ops before.

    ```mlir
    %p, %lse = nn.masked_softmax causal %scores positions %at, %at scale 0.5
        : (tensor<2x4x3x3xf32>, tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x4x3x3xf32>, tensor<2x4x3xf32>)
    ```

    **Constraints:**
    - scores have four dims, and probs have their shape;
    - lse is [b, h, s], and so is max, which is a result if and only if there is
      a bias;
    - scores have the element type of probs, or f32;
    - there is one position per query and per key;
    - the constraints of `nn.attention` on window, chunk, starts, bias, sinks
      and dropout.
  }];
  let arguments = (ins NN_Float:$scores, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias, Optional<NN_Float>:$sinks,
    Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, Optional<NN_Int>:$starts, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<I64Attr, "0">:$window,
    DefaultValuedAttr<I64Attr, "0">:$chunk,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_F32:$lse, Optional<NN_F32>:$max);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `positions` $q_pos `,` $k_pos
    (`bias` $bias^)? (`sinks` $sinks^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? (`starts` $starts^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_MaskedSoftmaxGradOp
    : NN_ComputeOp<"masked_softmax_grad", NN_Wide, NN_General,
    [AllTypesMatch<["scores", "d_probs"]>, AllTypesMatch<["probs", "d_scores"]>,
     AttrSizedOperandSegments]> {
  let summary = "The cotangent of expanded attention's scores";
  let description = [{
    The op recomputes the probabilities from scores, lse [b, h, s] and, with a
    bias, max. `probs` are the probabilities after dropout, which the cotangent
    of the values needs. d_scores are the cotangents of the scores, with `scale`
    applied.

    ```mlir
    %p, %ds = nn.masked_softmax_grad causal %scores, %dp lse %lse
        positions %at, %at scale 0.5
        : (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>, tensor<2x4x3xf32>,
           tensor<3xi64>, tensor<3xi64>)
        -> (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>)
    ```

    **Constraints:**
    - scores have four dims; d_probs have the type of scores; probs and d_scores
      have the same type, of the shape of scores;
    - lse is [b, h, s], and so is max, which is given if and only if there is a
      bias;
    - scores have the element type of probs, or f32;
    - there is one position per query and per key;
    - the constraints of `nn.attention` on window, chunk, starts, bias and
      dropout.
  }];
  let arguments = (ins NN_Float:$scores, NN_Float:$d_probs, NN_F32:$lse,
    Optional<NN_F32>:$max, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias,
    Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, Optional<NN_Int>:$starts, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<I64Attr, "0">:$window,
    DefaultValuedAttr<I64Attr, "0">:$chunk,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_Float:$d_scores);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `,` $d_probs `lse` $lse (`max` $max^)?
    `positions` $q_pos `,` $k_pos (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? (`starts` $starts^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_EmbeddingOp : NN_ComputeOp<"embedding", NN_Narrow, NN_General,
    [NN_VJP, NN_Local]> {
  let summary = "Looks up rows of a table by ids";
  let description = [{
    ids are [...], the table [rows, columns...], the result [..., columns...].
    The row is the id minus `offset` (absent: 0). If the table has no such row,
    the result is zeros. So ranks with shards of a table look up their own rows,
    and the sum over ranks is the whole result (vocab parallelism).

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

def NN_EmbeddingGradOp : NN_ComputeOp<"embedding_grad", NN_WideSum, NN_General,
    [NN_VJP, NN_Local]> {
  let summary = "Sums rows by id: the cotangent of an embedding's table";
  let description = [{
    dy is [..., columns...], ids [...], the result [rows, columns...]. Row r is
    the sum of the rows of dy whose id minus `offset` is r. Ids that name no row
    are ignored. Forward passes use the op to scatter-add rows by ids.

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

// The choice of elements of rows, as tokens choose experts by their scores.

def NN_TopKOp : NN_ComputeOp<"top_k", NN_Wide, NN_General> {
  let summary = "The indices of the largest elements of each row";
  let description = [{
    x is [..., e], the result [..., k]: the indices along the last dim of the k
    largest elements, largest first. A NaN is larger than any number. Of equal
    elements, also of NaNs and of zeros of either sign, the one with the lower
    index comes first. So a row always has k different indices from 0 to e - 1,
    the same ones on every target.

    ```mlir
    %ids = nn.top_k %scores : tensor<2x3x8xf32> -> tensor<2x3x2xi32>
    ```

    The op has no derivative. `nn.pick` reads the elements.

    **Constraints:**
    - x has at least one dim;
    - the result has the leading dims of x, and 1 to e indices per row.
  }];
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_I32:$ids);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($ids)";
  let hasVerifier = 1;
}

def NN_PickOp : NN_ComputeOp<"pick", NN_LikeFirst, NN_General,
    [NN_VJP, NN_Local]> {
  let summary = "Picks elements of each row by ids";
  let description = [{
    x is [..., e], ids are [..., n], the result [..., n]: element i of a row is
    the row's element ids[i] - `offset` (absent: 0) of x. If the row has no such
    element, the result is zero. So ranks with shards of the rows pick their own
    elements, and the sum over ranks is the whole result.

    ```mlir
    %gates = nn.pick %scores, %ids
        : tensor<2x3x8xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
    ```

    The derivative is `nn.spread`.

    **Constraints:**
    - x and ids have at least one dim, and the same leading dims;
    - the result has the dims of ids and the element type of x;
    - offset has rank 0.
  }];
  let arguments = (ins NN_Tensor:$input, NN_Int:$ids, Optional<NN_Int>:$offset);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $ids (`offset` $offset^ `:` type($offset))? attr-dict `:`
    type($input) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

def NN_SpreadOp : NN_ComputeOp<"spread", NN_LikeFirst, NN_General,
    [NN_VJP, NN_Local]> {
  let summary = "Adds values to rows of zeros by ids";
  let description = [{
    x and ids are [..., n], the result is [..., e]: element j of a row is the
    sum of the row's values of x whose id minus `offset` (absent: 0) is j, and
    zero without such a value. Other ids are ignored.

    ```mlir
    %weights = nn.spread %gates, %ids
        : tensor<2x3x2xf32>, tensor<2x3x2xi32> -> tensor<2x3x8xf32>
    ```

    The derivative is `nn.pick`.

    **Constraints:**
    - x has at least one dim; ids have its shape;
    - the result has the leading dims of x, and its element type;
    - offset has rank 0.
  }];
  let arguments = (ins NN_Float:$input, NN_Int:$ids, Optional<NN_Int>:$offset);
  let results = (outs NN_Float:$result);
  let assemblyFormat = [{
    $input `,` $ids (`offset` $offset^ `:` type($offset))? attr-dict `:`
    type($input) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // PCC_NN_FUSEDOPS
