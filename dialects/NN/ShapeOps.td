//===- ShapeOps.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef PCC_NN_SHAPEOPS
#define PCC_NN_SHAPEOPS

include "dialects/NN/OpBase.td"

class NN_ShapeOp<string mnemonic, NN_Precision precision, NN_ElementMap map>
    : NN_ComputeOp<mnemonic, precision, map, [NN_VJP]> {
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
}

def NN_ReshapeOp : NN_ShapeOp<"reshape", NN_LikeFirst, NN_Permutes> {
  let summary = "Changes the shape, keeping the row-major order of elements";
  let description = [{
    ```mlir
    %rows = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
    ```

    **Constraints:**
    - input and result have the same element type and number of elements.
  }];
  let arguments = (ins NN_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def NN_TransposeOp : NN_ShapeOp<"transpose", NN_LikeFirst, NN_Permutes> {
  let summary = "Permutes the dims of a tensor";
  let description = [{
    Dim i of the result is dim permutation[i] of the input.

    ```mlir
    %y = nn.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
    ```

    **Constraints:**
    - the permutation names every dim once;
    - the result has the permuted extents and the input's element type.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def NN_BroadcastOp : NN_ShapeOp<"broadcast", NN_LikeFirst, NN_Repeats> {
  let summary = "Repeats the input along new dims";
  let description = [{
    Dim i of the input is dim dims[i] of the result; all other dims of the
    result are new. The derivative is `nn.reduce`.

    ```mlir
    %b = nn.broadcast %bias [2] : tensor<8xf32> -> tensor<2x4x8xf32>
    ```

    **Constraints:**
    - `dims` has one entry per dim of the input, ascending, all dims of the
      result;
    - these dims have the input's extents; the element types are equal.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def NN_ReduceOp : NN_ShapeOp<"reduce", NN_Wide, NN_General> {
  let summary = "Sums over dims, which the result does not have";
  let description = [{
    It accumulates in f32 or wider and rounds the result once. The derivative is
    `nn.broadcast`.

    ```mlir
    %s = nn.reduce %x [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
    ```

    **Constraints:**
    - `dims` are ascending dims of the input;
    - the result has the other dims and the input's element type.
  }];
  let arguments = (ins NN_Float:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

class NN_RowReduceOp<string mnemonic, string what>
    : NN_ComputeOp<mnemonic, NN_Wide, NN_General, [NN_VJP]> {
  let summary = what;
  let description = [{
    ```mlir
    %y = nn.}] # mnemonic # [{ %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - `dims` are ascending dims of the input;
    - the result has the other dims and the input's element type.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}
def NN_ReduceMaxOp : NN_RowReduceOp<"reduce_max",
    "The maximum over dims"> {
  let description = [{
    Elements that equal the maximum share its cotangent; with the attribute
    `nn.first_best` the first of them gets all of it.

    ```mlir
    %y = nn.reduce_max %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - `dims` are ascending dims of the input;
    - the result has the other dims and the input's element type.
  }];
}
def NN_ReduceMinOp : NN_RowReduceOp<"reduce_min",
    "The minimum over dims"> {
  let description = [{
    Elements that equal the minimum share its cotangent; with the attribute
    `nn.first_best` the first of them gets all of it.

    ```mlir
    %y = nn.reduce_min %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
    ```

    **Constraints:**
    - `dims` are ascending dims of the input;
    - the result has the other dims and the input's element type.
  }];
}
def NN_ReduceProdOp : NN_RowReduceOp<"reduce_prod",
    "The product over dims">;

def NN_SliceOp : NN_ShapeOp<"slice", NN_LikeFirst, NN_Drops> {
  let summary = "Extracts a strided slice";
  let description = [{
    Element i of the result is the input's element at starts + i * steps. The
    result's type has the slice's extents. The derivative is `nn.pad`.

    ```mlir
    %y = nn.slice %x at [0, 1, 0] step [1, 1, 2]
        : tensor<2x3x4xf32> -> tensor<2x2x2xf32>
    ```

    **Constraints:**
    - input and result have the same element type and rank; there is a start and
      a step for each dim;
    - a start is an index of the dim; a step is at least 1 and at most the dim;
    - the slice has at least one element and ends within the input.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                   DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $input `at` $starts `step` $steps attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def NN_PadOp : NN_ShapeOp<"pad", NN_LikeFirst, NN_Fills> {
  let summary = "Pads a tensor with zeros";
  let description = [{
    Element i of the input is at starts + i * steps of the result; all other
    elements are zero. It is the transpose of `nn.slice`.

    ```mlir
    %y = nn.pad %x at [1, 0, 0] step [1, 2, 1]
        : tensor<2x3x4xf32> -> tensor<4x5x4xf32>
    ```

    **Constraints:**
    - input and result have the same element type and rank; there is a start and
      a step for each dim;
    - a start is an index of the result's dim; a step is at least 1 and at most
      that dim;
    - the input has at least one element and ends within the result.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                   DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $input `at` $starts `step` $steps attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def NN_ConcatOp : NN_ShapeOp<"concat", NN_LikeOperands, NN_Joins> {
  let summary = "Concatenates tensors along a dim";
  let description = [{
    ```mlir
    %y = nn.concat %a, %b along 1
        : tensor<2x3x4xf32>, tensor<2x5x4xf32> -> tensor<2x8x4xf32>
    ```

    **Constraints:**
    - there is at least one input, and all have the dim;
    - all other dims and the element type are equal;
    - the result's extent of the dim is the sum of the inputs' extents.
  }];
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$dim);
  let assemblyFormat = [{
    $inputs `along` $dim attr-dict `:` type($inputs) `->` type($result)
  }];
}

def NN_SelectOp : NN_ShapeOp<"select", NN_LikeFirst, NN_Drops> {
  let summary = "Selects one index of a dim and removes the dim";
  let description = [{
    For example, it separates q, k and v after a fused projection. The dim is
    never sharded, so a selection needs no communication.

    ```mlir
    %k = nn.select %qkv dim 1 index 2 : tensor<2x3x4xf32> -> tensor<2x4xf32>
    ```

    **Constraints:**
    - the input has the dim and the index;
    - the result has the other dims and the input's element type.
  }];
  let arguments = (ins NN_Tensor:$input, I64Attr:$dim, I64Attr:$index);
  let assemblyFormat = [{
    $input `dim` $dim `index` $index attr-dict `:` type($input) `->`
    type($result)
  }];
}

def NN_InsertOp : NN_ShapeOp<"insert", NN_LikeFirst, NN_Fills> {
  let summary = "Inserts a tensor at one index of a new dim of zeros";
  let description = [{
    It is the transpose of `nn.select`.

    ```mlir
    %d = nn.insert %dk dim 1 index 2 : tensor<2x4xf32> -> tensor<2x3x4xf32>
    ```

    **Constraints:**
    - the result has the dim and the index;
    - the input has the other dims and the result's element type.
  }];
  let arguments = (ins NN_Tensor:$input, I64Attr:$dim, I64Attr:$index);
  let assemblyFormat = [{
    $input `dim` $dim `index` $index attr-dict `:` type($input) `->`
    type($result)
  }];
}

#endif // PCC_NN_SHAPEOPS
