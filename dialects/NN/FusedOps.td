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
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NN_SoftmaxGradOp
    : NN_ComputeOp<"softmax_grad", [SameOperandsAndResultType]> {
  let summary = "y * (dy - sum of y * dy along the last dim)";
  let arguments = (ins NN_Float:$dy, NN_Float:$y);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "$dy `,` $y attr-dict `:` type($dx)";
  let hasVerifier = 1;
}

def NN_LayerNormOp : NN_ComputeOp<"layer_norm", [NN_VJP,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "(x - mean) * rstd * scale + bias along the last dim";
  let description = [{
    mean and rstd = 1 / sqrt(variance + eps), with the biased variance, have
    the input's shape less its last dim and are f32.
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
  let description = [{rstd = 1 / sqrt(mean of x^2 + eps), f32.}];
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
    the last dim by positions[s] * theta^(-2i/dim); `inverse` rotates back.
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
    which then stands for all; an entry of -inf masks a key. lse is log of the sum of exp of the scores (less the row's highest, with a bias: beside a fill of the least float it would be lost),
    [b, s, h], f32. With p > 0 the probabilities are dropped out as
    `nn.dropout` does, with coordinates (samples[b], positions of query and
    key, head + head_origin); samples, seed and step must then be present.
  }];
  let arguments = (ins NN_Float:$q, NN_Float:$k, NN_Float:$v, NN_Int:$q_pos,
    NN_Int:$k_pos, Optional<NN_Float>:$bias, Optional<NN_Int>:$samples,
    Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$result, NN_F32:$lse);
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
  let arguments = (ins NN_Float:$d_result, NN_Float:$q, NN_Float:$k,
    NN_Float:$v, NN_Float:$result, NN_F32:$lse, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias, Optional<NN_Int>:$samples,
    Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$dq, NN_Float:$dk, NN_Float:$dv,
                 Optional<NN_Float>:$dbias);
  let assemblyFormat = [{
    (`causal` $causal^)? $d_result `,` $q `,` $k `,` $v `result` $result `lse`
    $lse `positions` $q_pos `,` $k_pos (`bias` $bias^)?
    (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// What attention becomes where no library computes it whole.

def NN_MaskedSoftmaxOp : NN_ComputeOp<"masked_softmax",
    [AllTypesMatch<["scores", "probs"]>, AttrSizedOperandSegments]> {
  let summary = "The softmax within attention, by rows of scores";
  let description = [{
    scores are [b, h, s, t] products of queries and keys; probs the softmax of
    scale * scores + bias along t, dropped out with p > 0 as `nn.attention`
    says; bias and lse [b, h, s] as there. A row all of whose keys have -inf gives zeros, and -inf as its lse.
  }];
  let arguments = (ins NN_Float:$scores, NN_Int:$q_pos, NN_Int:$k_pos,
    Optional<NN_Float>:$bias, Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_F32:$lse);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `positions` $q_pos `,` $k_pos
    (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_MaskedSoftmaxGradOp : NN_ComputeOp<"masked_softmax_grad",
    [AllTypesMatch<["scores", "d_probs", "probs", "d_scores"]>,
     AttrSizedOperandSegments]> {
  let summary = "The cotangent of attention's scores";
  let description = [{
    Computes the probabilities again from scores and lse [b, h, s]: `probs` are
    those after dropout, which the values' cotangent needs.
  }];
  let arguments = (ins NN_Float:$scores, NN_Float:$d_probs, NN_F32:$lse,
    NN_Int:$q_pos, NN_Int:$k_pos, Optional<NN_Float>:$bias,
    Optional<NN_Int>:$samples, Optional<NN_Int>:$seed, Optional<NN_Int>:$step,
    Optional<NN_Int>:$head_origin, F64Attr:$scale, UnitAttr:$causal,
    DefaultValuedAttr<F64Attr, "0.0">:$p,
    DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs NN_Float:$probs, NN_Float:$d_scores);
  let assemblyFormat = [{
    (`causal` $causal^)? $scores `,` $d_probs `lse` $lse `positions` $q_pos
    `,` $k_pos (`bias` $bias^)? (`samples` $samples^ `seed` $seed `step` $step)?
    (`head_origin` $head_origin^)? `scale` $scale attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_EmbeddingOp : NN_ComputeOp<"embedding", [NN_VJP, NN_Local]> {
  let summary = "The rows of a table named by ids";
  let description = [{
    The result has the shape of ids followed by the table's row. An id less
    `offset` (absent: 0) that is no row of the table gives zeros.
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
  let arguments = (ins NN_Float:$dy, NN_Int:$ids, Optional<NN_Int>:$offset);
  let results = (outs NN_Float:$dtable);
  let assemblyFormat = [{
    $dy `,` $ids (`offset` $offset^ `:` type($offset))? attr-dict `:`
    type($dy) `,` type($ids) `->` type($dtable)
  }];
  let hasVerifier = 1;
}

#endif // PCC_NN_FUSEDOPS
