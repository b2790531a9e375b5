//===- ShapeOps.td - Ops that move elements ----------------*- tablegen -*-===//

#ifndef PCC_NN_SHAPEOPS
#define PCC_NN_SHAPEOPS

include "dialects/NN/OpBase.td"

class NN_ShapeOp<string mnemonic, list<Trait> traits = []>
    : NN_ComputeOp<mnemonic, !listconcat([NN_VJP], traits)> {
  let results = (outs NN_Tensor:$result);
  let hasVerifier = 1;
}

def NN_ReshapeOp : NN_ShapeOp<"reshape"> {
  let summary = "The same elements, row major, in another shape";
  let arguments = (ins NN_Tensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def NN_TransposeOp : NN_ShapeOp<"transpose"> {
  let summary = "Dim i of the result is dim permutation[i] of the input";
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def NN_BroadcastOp : NN_ShapeOp<"broadcast"> {
  let summary = "Repeats the input along new dims";
  let description = [{
    Dim i of the input is dim dims[i] of the result (ascending, equal extents);
    the result's other dims are new.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def NN_ReduceOp : NN_ShapeOp<"reduce"> {
  let summary = "The sum over dims, which disappear";
  let arguments = (ins NN_Float:$input, DenseI64ArrayAttr:$dims);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

class NN_RowReduceOp<string mnemonic, string what>
    : NN_ComputeOp<mnemonic, [NN_VJP]> {
  let summary = what;
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $input $dims attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}
def NN_ReduceMaxOp : NN_RowReduceOp<"reduce_max",
    "The maximum over dims, which disappear"> {
  let description = [{Elements that share the maximum share its cotangent.}];
}
def NN_ReduceMinOp : NN_RowReduceOp<"reduce_min",
    "The minimum over dims, which disappear"> {
  let description = [{Elements that share the minimum share its cotangent.}];
}
def NN_ReduceProdOp : NN_RowReduceOp<"reduce_prod",
    "The product over dims, which disappear">;

def NN_SliceOp : NN_ShapeOp<"slice"> {
  let summary = "A box of the input";
  let description = [{
    Starts at `starts`; the extents are the result's; dim d is stepped by
    `steps[d]`, at least 1 and at most the dim.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                   DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $input `at` $starts `step` $steps attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def NN_PadOp : NN_ShapeOp<"pad"> {
  let summary = "The input within zeros";
  let description = [{
    Element i of the input lies at starts + i * steps of the result: the
    transpose of slice.
  }];
  let arguments = (ins NN_Tensor:$input, DenseI64ArrayAttr:$starts,
                   DenseI64ArrayAttr:$steps);
  let assemblyFormat = [{
    $input `at` $starts `step` $steps attr-dict `:` type($input) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def NN_ConcatOp : NN_ShapeOp<"concat"> {
  let summary = "The inputs one after the other along a dim";
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$dim);
  let assemblyFormat = [{
    $inputs `along` $dim attr-dict `:` type($inputs) `->` type($result)
  }];
}

def NN_SelectOp : NN_ShapeOp<"select"> {
  let summary = "The input at one index of a dim, which disappears";
  let arguments = (ins NN_Tensor:$input, I64Attr:$dim, I64Attr:$index);
  let assemblyFormat = [{
    $input `dim` $dim `index` $index attr-dict `:` type($input) `->`
    type($result)
  }];
}

def NN_InsertOp : NN_ShapeOp<"insert"> {
  let summary = "Zeros but for the input at one index of a new dim";
  let description = [{The transpose of select.}];
  let arguments = (ins NN_Tensor:$input, I64Attr:$dim, I64Attr:$index);
  let assemblyFormat = [{
    $input `dim` $dim `index` $index attr-dict `:` type($input) `->`
    type($result)
  }];
}

#endif // PCC_NN_SHAPEOPS
