//===- ElementwiseOps.td - Contraction and elementwise ops -*- tablegen -*-===//

#ifndef PCC_NN_ELEMENTWISEOPS
#define PCC_NN_ELEMENTWISEOPS

include "dialects/NN/OpBase.td"

def NN_ContractOp : NN_ComputeOp<"contract", NN_NarrowProduct, NN_General,
    [NN_VJP, NN_Cost]> {
  let summary = "Contracts two tensors over labelled dims, as einsum";
  let description = [{
    Each letter of `spec` labels a dim. A label in both operands and the
    result is a batch dim, in lhs and result M, in rhs and result N, in both
    operands only K (summed over). It accumulates in f32 or wider.

    ```mlir
    %y = nn.contract "bsk,kn->bsn" %x, %w
        : tensor<4x64x768xf32>, tensor<768x3072xf32> -> tensor<4x64x3072xf32>
    ```

    **Constraints:**
    - `spec` has the form "lhs,rhs->result" and names every dim by one letter;
    - a label occurs in at least two of the three, at most once in each, with
      the same extent;
    - lhs and rhs have the same element type.
  }];
  let arguments = (ins StrAttr:$spec, NN_Float:$lhs, NN_Float:$rhs);
  let results = (outs NN_Float:$result);
  let assemblyFormat = [{
    $spec $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getLhsLabels();
    ::llvm::StringRef getRhsLabels();
    ::llvm::StringRef getResultLabels();
    /// The extent of a label that occurs in the spec.
    int64_t getLabelSize(char label);
  }];
}

def NN_SumOp : NN_ComputeOp<"sum", NN_LikeOperands, NN_Elementwise,
    [NN_VJP, SameOperandsAndResultType]> {
  let summary = "The elementwise sum of any number of tensors";
  let description = [{
    Sums are n-ary so that partial sums of several operands are added before one
    reduction over ranks.

    ```mlir
    %r = nn.sum %x, %attention, %mlp : tensor<4x64x768xf32>
    ```

    **Constraints:**
    - at least one operand;
    - operands and result have the same type.
  }];
  let arguments = (ins Variadic<NN_Tensor>:$inputs);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($result)";
  let hasFolder = 1;
}

class NN_BinaryOp<string mnemonic, string what, NN_Precision precision,
                  Trait rule = NN_ShardingRuleInterface>
    : NN_Op<mnemonic, precision, NN_Elementwise,
            [Pure, rule, NN_VJP, SameOperandsAndResultType]> {
  let summary = what;
  let description = [{
    Operands are not broadcast implicitly: see `nn.broadcast`.

    ```mlir
    %z = nn.}] # mnemonic # [{ %x, %y : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Tensor:$lhs, NN_Tensor:$rhs);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def NN_SubOp : NN_BinaryOp<"sub", "Elementwise difference",
                           NN_LikeOperands, NN_Sharding>;
def NN_MulOp : NN_BinaryOp<"mul", "Elementwise product",
                           NN_LikeOperands, NN_Sharding>;
def NN_DivOp : NN_BinaryOp<"div", "Elementwise quotient", NN_Wide>;
def NN_MaxOp : NN_BinaryOp<"max", "Elementwise maximum",
                           NN_LikeOperands> {
  let description = [{
    Equal operands share the cotangent, half each.

    ```mlir
    %z = nn.max %x, %y : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
}
def NN_MinOp : NN_BinaryOp<"min", "Elementwise minimum",
                           NN_LikeOperands> {
  let description = [{
    Equal operands share the cotangent, half each.

    ```mlir
    %z = nn.min %x, %y : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
}
def NN_RemOp : NN_BinaryOp<"rem",
    "The elementwise remainder of a truncating division", NN_Wide>;

def NN_PowOp : NN_ElementwiseOp<"pow", NN_Wide,
    [NN_VJP, SameOperandsAndResultType]> {
  let summary = "The elementwise power";
  let description = [{
    The lhs to the power of the rhs, as C's pow: for a negative base and an
    exponent that is no integer the result is nan. Where the base is 0, the
    exponent gets no cotangent.

    ```mlir
    %z = nn.pow %x, %y : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Float:$lhs, NN_Float:$rhs);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def NN_CompareOp : NN_ElementwiseOp<"compare", NN_Wide,
    [SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "Compares two tensors elementwise";
  let description = [{
    The relation is `eq`, `lt` or `le`. Integers are signed; no relation holds
    for a nan. The op has no derivative.

    ```mlir
    %near = nn.compare le %x, %y : tensor<4xf32> -> tensor<4xi1>
    ```

    **Constraints:**
    - the operands have the same type;
    - the result is i1 of their shape.
  }];
  let arguments = (ins NN_RelationAttr:$relation, NN_Tensor:$lhs,
                   NN_Tensor:$rhs);
  let results = (outs StaticShapeTensorOf<[I1]>:$result);
  let assemblyFormat = [{
    $relation $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The result type for operands of this type.
    static ::mlir::RankedTensorType
    getResultType(::mlir::RankedTensorType operands);
  }];
}

class NN_UnaryOp<string mnemonic, string what, NN_Precision precision,
                 list<Trait> traits = []>
    : NN_ElementwiseOp<mnemonic, precision, !listconcat(
          [NN_VJP, SameOperandsAndResultType], traits)> {
  let summary = what;
  let description = [{
    The op is elementwise.

    ```mlir
    %y = nn.}] # mnemonic # [{ %x : tensor<4x8xf32>
    ```

    **Constraints:**
    - operand and result have the same type.
  }];
  let arguments = (ins NN_Float:$input);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}
def NN_ExpOp : NN_UnaryOp<"exp", "e to the power of the input", NN_Wide>;
def NN_LogOp : NN_UnaryOp<"log", "Natural logarithm", NN_Wide>;
def NN_SqrtOp : NN_UnaryOp<"sqrt", "Square root", NN_Wide, [NN_KeepsZero]>;
def NN_TanhOp : NN_UnaryOp<"tanh", "Hyperbolic tangent", NN_LikeFirst,
                           [NN_KeepsZero]>;
def NN_ErfOp : NN_UnaryOp<"erf", "The Gauss error function", NN_Wide,
                          [NN_KeepsZero]>;
def NN_SinOp : NN_UnaryOp<"sin", "Sine", NN_Wide>;
def NN_CosOp : NN_UnaryOp<"cos", "Cosine", NN_Wide>;
def NN_FloorOp : NN_UnaryOp<"floor", "Rounds down to an integer", NN_Wide>;
def NN_RoundOp : NN_UnaryOp<"round",
    "Rounds to the nearest integer, ties to even", NN_Wide>;
def NN_SigmoidOp : NN_UnaryOp<"sigmoid", "1 / (1 + exp(-x))", NN_LikeFirst>;
def NN_ReluOp : NN_UnaryOp<"relu", "max(x, 0)", NN_LikeFirst, [NN_KeepsZero]>;
def NN_SiluOp : NN_UnaryOp<"silu", "x * sigmoid(x)", NN_LikeFirst,
                           [NN_KeepsZero]>;

def NN_ReluGradOp
    : NN_ComputeOp<"relu_grad", NN_Wide, NN_Elementwise,
                   [SameOperandsAndResultType]> {
  let summary = "The cotangent of relu's input: dy where x > 0";
  let description = [{
    dx = dy where x > 0, else 0. The op is linear in dy, so partial sums of dy
    pass through it.

    ```mlir
    %dx = nn.relu_grad %dy, %x : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$x);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "$dy `,` $x attr-dict `:` type($dx)";
}

def NN_SiluGradOp
    : NN_ComputeOp<"silu_grad", NN_Wide, NN_Elementwise,
                   [SameOperandsAndResultType]> {
  let summary = "The cotangent of silu's input";
  let description = [{
    With s = sigmoid(x): dx = dy * s * (1 + x * (1 - s)).

    ```mlir
    %dx = nn.silu_grad %dy, %x : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$x);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "$dy `,` $x attr-dict `:` type($dx)";
}

def NN_GeluOp : NN_ElementwiseOp<"gelu", NN_LikeFirst,
    [NN_VJP, NN_KeepsZero, SameOperandsAndResultType]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    x * Phi(x) with the error function, or with `tanh` the approximation
    x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).

    ```mlir
    %y = nn.gelu %x : tensor<4x8xf32>
    %z = nn.gelu tanh %x : tensor<4x8xf32>
    ```

    **Constraints:**
    - operand and result have the same type.
  }];
  let arguments = (ins NN_Float:$input, UnitAttr:$tanh);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "(`tanh` $tanh^)? $input attr-dict `:` type($result)";
}

def NN_GeluGradOp
    : NN_ComputeOp<"gelu_grad", NN_Wide, NN_Elementwise,
                   [SameOperandsAndResultType]> {
  let summary = "The cotangent of gelu's input";
  let description = [{
    dx = dy times the derivative at x of `nn.gelu`, in the same form.

    ```mlir
    %dx = nn.gelu_grad tanh %dy, %x : tensor<4x8xf32>
    ```

    **Constraints:**
    - operands and result have the same type.
  }];
  let arguments = (ins NN_Float:$dy, NN_Float:$x, UnitAttr:$tanh);
  let results = (outs NN_Float:$dx);
  let assemblyFormat = "(`tanh` $tanh^)? $dy `,` $x attr-dict `:` type($dx)";
}

def NN_WhereOp : NN_ElementwiseOp<"where", NN_LikeOperands, [NN_VJP,
    AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "Selects elements of two tensors by a condition";
  let description = [{
    The result is the lhs where the condition holds, else the rhs. An element
    that is not selected gets no cotangent.

    ```mlir
    %y = nn.where %keep, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>
    ```

    **Constraints:**
    - the condition has the result's shape;
    - lhs, rhs and result have the same type.
  }];
  let arguments = (ins StaticShapeTensorOf<[I1]>:$condition, NN_Tensor:$lhs,
                   NN_Tensor:$rhs);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $lhs `,` $rhs attr-dict `:` type($condition) `,`
    type($result)
  }];
}

def NN_ScaleOp : NN_ComputeOp<"scale", NN_LikeFirst, NN_Elementwise,
    [NN_VJP, SameOperandsAndResultType]> {
  let summary = "The input times a constant";
  let description = [{
    The derivative is the op itself.

    ```mlir
    %y = nn.scale %x by 0.125 : tensor<4x8xf32>
    ```

    **Constraints:**
    - operand and result have the same type.
  }];
  let arguments = (ins NN_Float:$input, F64Attr:$factor);
  let results = (outs NN_Float:$result);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($result)";
  let hasFolder = 1;
}

def NN_CastOp : NN_ComputeOp<"cast", NN_Wide, NN_Elementwise,
    [NN_VJP, NN_KeepsZero, SameOperandsAndResultShape]> {
  let summary = "Casts to another element type";
  let description = [{
    Narrowing a float rounds to nearest even. A cast from float to integer
    truncates. A cast to i1 tests whether the input is not zero. The cotangent
    is cast back. Integers get no cotangent, nor does the input of a cast with
    `nn.detached`.

    ```mlir
    %y = nn.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
    ```

    **Constraints:**
    - operand and result have the same shape.
  }];
  let arguments = (ins NN_Tensor:$input);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def NN_DropoutOp : NN_ComputeOp<"dropout", NN_LikeFirst, NN_General,
    [NN_VJP, NN_Local, NN_KeepsZero, AllTypesMatch<["input", "result"]>]> {
  let summary = "Dropout: zeroes elements at random and scales the others";
  let description = [{
    A hash of (seed, id, step, coordinates) determines whether an element is
    kept and divided by 1 - p; see Random.h. The coordinate along `batch_dim` is
    samples[i], along `seq_dim` positions[i], elsewhere the index plus origin (a
    1-D tensor with an entry per dim; absent: 0). So the random numbers do not
    depend on sharding. The derivative is the op itself.

    ```mlir
    %y = nn.dropout %x samples %samples positions %at seed %seed step %step
        {p = 0.1, id = 3, batch_dim = 0, seq_dim = 1}
        : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>,
          tensor<i64>
    ```

    **Constraints:**
    - operand and result have the same type;
    - p is at least 0 and less than 1;
    - `batch_dim` and `seq_dim` are two different dims of the input;
    - there is one sample per element of `batch_dim` and one position per
      element of `seq_dim`;
    - origin, if given, has an entry per dim;
    - seed and step have rank 0.
  }];
  let arguments = (ins NN_Float:$input, NN_Int:$samples, NN_Int:$positions,
    NN_Int:$seed, NN_Int:$step, Optional<NN_Int>:$origin, F64Attr:$p,
    I64Attr:$id, I64Attr:$batch_dim, I64Attr:$seq_dim);
  let results = (outs NN_Float:$result);
  let assemblyFormat = [{
    $input `samples` $samples `positions` $positions `seed` $seed `step` $step
    (`origin` $origin^)? attr-dict `:` type($input) `,` type($samples) `,`
    type($positions) `,` type($seed) `,` type($step) (`,` type($origin)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // PCC_NN_ELEMENTWISEOPS
