//===- ExpertOps.td - Mixtures of experts ------------------*- tablegen -*-===//

#ifndef PCC_NN_EXPERTOPS
#define PCC_NN_EXPERTOPS

include "dialects/NN/OpBase.td"

/// The operands and attributes that nn.experts and nn.experts_grad share.
defvar NN_ExpertOperands = (ins NN_Float:$x, NN_Int:$ids, NN_F32:$gates,
    Variadic<NN_Float>:$w1, Variadic<NN_Float>:$b1, NN_Float:$w2,
    Optional<NN_Int>:$offset);
defvar NN_ExpertAttrs = (ins NN_ActivationAttr:$activation,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, OptionalAttr<F64Attr>:$limit,
    DefaultValuedAttr<F64Attr, "0.0">:$shift, OptionalAttr<F64Attr>:$capacity,
    OptionalAttr<I64Attr>:$rows);

def NN_ExpertsOp : NN_ComputeOp<"experts", NN_Narrow, NN_General, [NN_VJP, NN_Cost, NN_Local,
    AttrSizedOperandSegments]> {
  let summary = "The MLPs of a mixture of experts, summed over a token's choices";
  let description = [{
    Token t of x, [t.., h], has k choices: the experts ids[t, :] with the weights
    gates[t, :]. The result is

        y[t] = sum over c of gates[t, c] * MLP of expert ids[t, c] (x[t])
        MLP of expert e (x) = w2[e] act(w1[e] x + b1[e])

    w1 is [e, p, f, h], w2 [e, h, f], b1 [e, p, f]. With p = 2 the MLP is gated:
    act(u) = activation(u[0]) * (u[1] + shift), where u[0] and u[1] are [f]. With
    p = 1 act(u) = activation(u[0]). Two operands w1 with p = 1 are the two
    halves of a gated w1.

    `silu` is u * sigmoid(alpha * u). With `limit`, u[0] is at most limit, and
    u[1] is between -limit and limit. `relu2` is the square of relu.

    An id counts from `offset` (absent: 0). A choice whose expert is not among
    the e experts adds nothing. So ranks with a part of the experts compute their
    choices, and the sum over ranks is the whole result; likewise for ranks with
    a part of f. The sum over choices is computed in f32 or wider, also in 16-bit
    types, and rounded once.

    With `capacity` F, a rank with 1 of n parts of the experts has room for F / n
    of the choices: `rows`, rounded up to 128, if that is less than it may need.
    `overflow` is by how many choices it has more, which makes the result NaN.
    Over all ranks it is a sum.

    ```mlir
    %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
        : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>,
           tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
    ```

    **Constraints:**
    - ids and gates are [t.., k]; the result has the type of x;
    - the k ids of a token differ: there is room for as many choices as experts;
    - there is one w1 with p = 1 or 2, or there are two with p = 1;
    - there are as many b1 as w1, or none, each [e, p, f];
    - alpha is 1 unless the activation is silu; limit is positive; a shift needs
      a gated MLP;
    - capacity is at least 1, rows is positive and needs a capacity; with a
      capacity there is overflow, of rank 0;
    - offset has rank 0.
  }];
  let arguments = !con(NN_ExpertOperands, NN_ExpertAttrs);
  let results = (outs NN_Float:$result, Optional<NN_F32>:$overflow);
  let assemblyFormat = [{
    $activation $x `ids` $ids `gates` $gates `w1` $w1 (`b1` $b1^)? `w2` $w2
    (`offset` $offset^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The number of choices of a token.
    int64_t getChoices();
    /// The p of all operands w1: 2 if the MLP is gated, else 1.
    int64_t getParts();
  }];
}

def NN_ExpertsGradOp : NN_ComputeOp<"experts_grad", NN_WideSum, NN_General, [NN_Cost, NN_Local,
    AttrSizedOperandSegments]> {
  let summary = "The cotangents of the operands of experts";
  let description = [{
    They are computed from the result's cotangent dy, [t.., h], and the operands
    of the forward pass, whose w1 x + b1 is computed again. dgates[t, c] is the
    product of dy[t] with the result of choice c. The cotangents of the weights
    are sums over tokens. A choice whose expert is not among the e experts adds
    nothing, and its gate has the cotangent zero.

    A back end computes only those results that have uses.

    ```mlir
    %dx, %dgates, %dw1, %dw2 = nn.experts_grad silu %dy, %x ids %ids
        gates %gates w1 %w1 w2 %w2
        : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x2xi32>,
           tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>)
        -> (tensor<2x3x8xf32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>,
            tensor<4x8x16xf32>)
    ```

    **Constraints:**
    - the constraints of `nn.experts`; dy has the type of x;
    - the results have the types of x, gates, each w1, each b1 and w2, in this
      order; those of 16-bit operands may be f32.
  }];
  let arguments = !con((ins NN_Float:$dy), NN_ExpertOperands, NN_ExpertAttrs);
  let results = (outs NN_Float:$dx, NN_F32:$dgates,
                 Variadic<NN_Float>:$dweights);
  let assemblyFormat = [{
    $activation $dy `,` $x `ids` $ids `gates` $gates `w1` $w1 (`b1` $b1^)? `w2`
    $w2 (`offset` $offset^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getChoices();
    int64_t getParts();
    /// The cotangents of each w1, each b1, and w2.
    ::mlir::ResultRange getDw1() {
      return getDweights().take_front(getW1().size());
    }
    ::mlir::ResultRange getDb1() {
      return getDweights().slice(getW1().size(), getB1().size());
    }
    ::mlir::Value getDw2() { return getDweights().back(); }
  }];
}

// Expanded experts: rows of tokens in the order of their experts.

def NN_RouteOp : NN_ComputeOp<"route", NN_Wide, NN_General> {
  let summary = "Orders the choices of tokens by expert";
  let description = [{
    ids are [t.., k]: k choices of an expert for each token. Tokens, and pairs of
    token and choice, are numbered in row-major order. The choices of the
    `experts` experts from `offset` (absent: 0) on become rows, ordered by
    expert, then by pair. If these are more than R, the last ones are no rows.

    | result | | |
    |---|---|---|
    | tokens | i32 [R] | the token of each row |
    | pairs | i32 [R] | the pair of each row |
    | experts | i32 [R] | the expert of each row, minus offset |
    | rows | i32 [t.., k] | the row of each pair; -1 if its expert is another |
    | ends | i32 [experts] | the row after the last one of each expert |

    Tokens, pairs and experts are -1 in the rows after the last end.

    ```mlir
    %tokens, %pairs, %experts, %rows, %ends = nn.route %ids
        : (tensor<2x3x2xi32>) -> (tensor<12xi32>, tensor<12xi32>,
           tensor<12xi32>, tensor<2x3x2xi32>, tensor<4xi32>)
    ```

    **Constraints:**
    - the results have the shapes above, with at least one expert;
    - R is at least 1 and at most the number of pairs;
    - offset has rank 0.
  }];
  let arguments = (ins NN_Int:$ids, Optional<NN_Int>:$offset);
  let results = (outs NN_I32:$tokens, NN_I32:$pairs, NN_I32:$experts,
                 NN_I32:$rows, NN_I32:$ends);
  let assemblyFormat = [{
    $ids (`offset` $offset^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def NN_GroupedContractOp : NN_ComputeOp<"grouped_contract", NN_Wide, NN_General,
    [NN_Cost]> {
  let summary = "Contracts groups of rows, each with a matrix of its own";
  let description = [{
    The rows r of group e are those from ends[e - 1] (0 for the first) up to
    ends[e]. There are three forms:

    | form | lhs | rhs | result |
    |---|---|---|---|
    | `"rk,enk->rn"` | [r, k] | [e, n, k] | [r, n]: rows times the transposed matrix of their group |
    | `"rn,enk->rk"` | [r, n] | [e, n, k] | [r, k]: rows times the matrix of their group |
    | `"rn,rk->enk"` | [r, n] | [r, k] | [e, n, k]: the sum over each group's rows of lhs^T rhs |

    Rows after the last end are zero in results [r, ..], and are not read. A
    group without rows has zeros in [e, n, k]. It accumulates in f32 or wider.

    ```mlir
    %u = nn.grouped_contract "rk,enk->rn" %a, %w ends %ends
        : tensor<12x8xf32>, tensor<4x32x8xf32>, tensor<4xi32> -> tensor<12x32xf32>
    ```

    **Constraints:**
    - the form is one of the three, and the shapes match it;
    - there is an end for each group;
    - lhs and rhs have the same element type.
  }];
  let arguments = (ins StrAttr:$form, NN_Float:$lhs, NN_Float:$rhs,
                   NN_I32:$ends);
  let results = (outs NN_Float:$result);
  let assemblyFormat = [{
    $form $lhs `,` $rhs `ends` $ends attr-dict `:` type($lhs) `,` type($rhs) `,`
    type($ends) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the result has a matrix for each group, a sum over its rows.
    bool sumsRows() { return getForm().ends_with("enk"); }
  }];
}

#endif // PCC_NN_EXPERTOPS
