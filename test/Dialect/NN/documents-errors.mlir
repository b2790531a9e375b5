// One violation of every constraint on the starts of documents.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<3xi64>, %starts: tensor<2x3xi64>) {
  // expected-error@+1 {{has documents without a causal mask}}
  %0:2 = nn.attention %q, %q, %q positions %at, %at starts %starts scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %lse: tensor<2x3x2xf32>, %at: tensor<3xi64>) {
  // expected-error@+1 {{needs a start of the document of each of 2 x 3 queries}}
  %0:3 = nn.attention_grad causal %q, %q, %q, %q result %q lse %lse positions %at, %at starts %at scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x3x3xf32>, %at: tensor<3xi64>, %starts: tensor<3x2xi64>) {
  // expected-error@+1 {{needs a start of the document of each of 2 x 3 queries}}
  %0:2 = nn.masked_softmax causal %x positions %at, %at starts %starts scale 1.0
      : (tensor<2x1x3x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3x2xi64>) -> (tensor<2x1x3x3xf32>, tensor<2x1x3xf32>)
  return
}

// -----

func.func @f(%q: tensor<2x3x2x4xf32>, %at: tensor<2x4xi64>) {
  // expected-error@+1 {{needs one position per sequence element}}
  %0 = nn.rope %q positions %at theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<2x4xi64>
  return
}

// -----

// expected-error@+1 {{input 0 of role 'document_starts' cannot be 'tensor<3xi64>'}}
func.func @f(%starts: tensor<3xi64> {nn.role = #nn.role<document_starts>}) {
  return
}
