//===- Passes.td - Recognizes the model's layers -----------*- tablegen -*-===//

#ifndef PCC_PASSES_RECOGNITION
#define PCC_PASSES_RECOGNITION

include "mlir/Pass/PassBase.td"

def NNRecognizePass : Pass<"nn-recognize", "::mlir::ModuleOp"> {
  let summary = "Recognizes layer norm, gelu, attention and projections";
  let description = [{
    Replaces the primitives that an exporter wrote by the ops they compute:

    - contractions fold transposes of their operands and results into their
      labels. Reshapes that split dims move up to the op that created the dim: a
      linear layer on [batch * seq, c] becomes one on [batch, seq, c].
    - elementwise expressions of one tensor that compute gelu (exact or tanh) or
      silu are recognized by their values, in any form.
    - layer norm and rms norm are recognized from primitives.
    - a mixture of experts whose weight matrices are gathered per token becomes
      `nn.experts`, and its router computes on [batch, seq, ..].
    - attention is recognized for any order of dims, with a scale before or on
      both operands, masks by addition or selection, and dropout. A known mask
      that is causal becomes an attribute; other masks and terms that are added
      to the scores become a bias.
    - one projection for q, k and v is factored into labels (part, head, d); q,
      k and v are selections along part. Parameters are declared with the shape
      that the program uses; their source holds the layout in the file.
    - learned positions become an embedding of the argument with role
      positions.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect", "::mlir::func::FuncDialect"];
  let options = [
    Option<"maxRewrites", "max-rewrites", "int64_t", /*default=*/"0",
           "Rewrites after which recognition stops; 0: 200 per op of the "
           "module">
  ];
}

def NNCheckExpertGathersPass
    : Pass<"nn-check-expert-gathers", "::mlir::ModuleOp"> {
  let summary = "Refuses gathered weight matrices of experts beyond 1 GiB a rank";
  let description = [{
    A file whose experts `nn-recognize` does not know gathers a matrix for each
    token and each of its choices:

    ```mlir
    %w = nn.read @experts.up : tensor<128x768x2048xf32>
    %m = nn.embedding %ids, %w : tensor<8192xi32>, ... -> tensor<8192x768x2048xf32>
    ```

    It trains so, but needs the memory of all these matrices. A warning states
    the bytes on a rank and the first node; from 1 GiB on, it is an error unless
    `allow` is set.
  }];
  let dependentDialects = ["::pcc::nn::NNDialect"];
  let options = [
    Option<"allow", "allow", "bool", /*default=*/"false",
           "Warns at any size">,
    Option<"stages", "stages", "int64_t", /*default=*/"1",
           "Pipeline stages, over which layers are divided">,
    Option<"parts", "parts", "int64_t", /*default=*/"1",
           "Parts into which ranks divide a batch's tokens">,
    Option<"elementBytes", "element-bytes", "int64_t", /*default=*/"4",
           "Bytes of an element in training">
  ];
}

#endif // PCC_PASSES_RECOGNITION
