//===- Passes.td - From operators to the model -------------*- tablegen -*-===//

#ifndef PCC_PASSES_RECOGNITION
#define PCC_PASSES_RECOGNITION

include "mlir/Pass/PassBase.td"

def NNRecognizePass : Pass<"nn-recognize", "::mlir::ModuleOp"> {
  let summary = "Finds layer norm, gelu, attention and projections by meaning";
  let description = [{
    Rewrites what an exporter wrote to what it means:

    - contractions take transposes of their operands and results into their
      labels, and reshapes that split dims move up to where the dim comes from:
      a linear layer on [batch * seq, c] becomes one on [batch, seq, c].
    - elementwise expressions of one tensor that compute gelu (exact or tanh)
      or silu are found by their values, whatever their form.
    - layer norm from primitives.
    - attention: scores by any layout, scale before or on both operands, masks
      by addition or selection, dropout. A known mask that is causal is an
      attribute; other masks, and what else is added to the scores, are a bias.
    - one projection for q, k and v is factored into labels (part, head, d); the
      three are selections along part. Parameters are declared with the shape
      that the program wants; their source says how they lie in the file.
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

#endif // PCC_PASSES_RECOGNITION
