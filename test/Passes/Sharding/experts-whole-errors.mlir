// Plans that experts do not allow where tensor-parallel ranks split them, too.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-seed-experts=whole -dist-seed-tensor -o /dev/null

dist.mesh @mesh = <["ep"=4, "tp"=2]>
nn.param @w1 : tensor<4x2x4x8xf32> init normal
// expected-note@+1 {{experts come from weight 'w2' : tensor<4x8x4xf32>}}
nn.param @w2 : tensor<4x8x4xf32> init normal
func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>},
                   %ids: tensor<8x4x2xi32> {nn.role = #nn.role<data>},
                   %gates: tensor<8x4x2xf32> {nn.role = #nn.role<data>}) {
  %w1 = nn.read @w1 : tensor<4x2x4x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x4xf32>
  // expected-error@+2 {{cannot split 'nn.experts' 8 ways over mesh axis "ep": 4 experts are not a multiple of 8 = --ep 4 x --tp 2}}
  // expected-note@+1 {{valid values for --ep are 1, 2}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<8x4x8xf32>, tensor<8x4x2xi32>, tensor<8x4x2xf32>, tensor<4x2x4x8xf32>, tensor<4x8x4xf32>) -> tensor<8x4x8xf32>
  return
}

// -----

// No value of --ep helps.
dist.mesh @mesh = <["tp"=4]>
nn.param @w1 : tensor<6x2x4x8xf32> init normal
// expected-note@+1 {{experts come from weight 'w2' : tensor<6x8x4xf32>}}
nn.param @w2 : tensor<6x8x4xf32> init normal
func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>},
                   %ids: tensor<8x4x2xi32> {nn.role = #nn.role<data>},
                   %gates: tensor<8x4x2xf32> {nn.role = #nn.role<data>}) {
  %w1 = nn.read @w1 : tensor<6x2x4x8xf32>
  %w2 = nn.read @w2 : tensor<6x8x4xf32>
  // expected-error@+2 {{cannot split 'nn.experts' 4 ways over mesh axis "tp": 6 experts are not a multiple of 4}}
  // expected-note@+1 {{leave --etp 1 out: then --tp splits each expert}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<8x4x8xf32>, tensor<8x4x2xi32>, tensor<8x4x2xf32>, tensor<6x2x4x8xf32>, tensor<6x8x4xf32>) -> tensor<8x4x8xf32>
  return
}

// -----

// expected-error@below {{--etp 1 gives each of 2 tensor-parallel ranks experts of its own, but the model has no experts}}
// expected-note@below {{leave --etp out}}
module {
  dist.mesh @mesh = <["tp"=2]>
  func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>}) {
    return
  }
}
