// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss=loss=causal-lm

// expected-error@+1 {{has no function @forward of one block}}
module {
}

// -----

// expected-error@+1 {{loss causal-lm needs one output [batch, seq, vocab] for the tokens' [2, 4], the model has 0}}
func.func @forward(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x3x8xf32> {nn.role = #nn.role<data>})
    -> (tensor<2x3x8xf32> {nn.name = "logits"}) {
  // expected-note@+1 {{output 0 'logits', computed by 'nn.exp', is [2, 3, 8] of 'f32'}}
  %y = nn.exp %x : tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// -----

// expected-error@+1 {{the model has 2}}
func.func @forward(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x4x8xf32> {nn.role = #nn.role<data>})
    -> (tensor<2x4x8xf32> {nn.name = "a"}, tensor<2x4x8xf32> {nn.name = "b"}) {
  // expected-note@+1 {{output 0 'a'}}
  %y = nn.exp %x : tensor<2x4x8xf32>
  // expected-note@+1 {{output 1 'b'}}
  %z = nn.exp %y : tensor<2x4x8xf32>
  return %y, %z : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// -----

// expected-error@+1 {{the model's targets are 'tensor<8xi64>', the loss needs 'tensor<2x4xi64>'}}
func.func @forward(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                   %t: tensor<8xi64> {nn.role = #nn.role<targets>},
                   %x: tensor<2x4x8xf32> {nn.role = #nn.role<data>}) -> tensor<2x4x8xf32> {
  return %x : tensor<2x4x8xf32>
}
