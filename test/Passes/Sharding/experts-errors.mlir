// Plans that the experts of a model do not allow.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-seed-experts -dist-seed-tensor -dist-seed-data -o /dev/null

// Values of --ep divide the experts and --dp.
dist.mesh @mesh = <["dp"=2, "ep"=4]>
nn.param @w1 : tensor<6x2x4x8xf32> init normal
// expected-note@+1 {{experts come from weight 'w2' : tensor<6x8x4xf32>}}
nn.param @w2 : tensor<6x8x4xf32> init normal
func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>},
                   %ids: tensor<8x4x2xi32> {nn.role = #nn.role<data>},
                   %gates: tensor<8x4x2xf32> {nn.role = #nn.role<data>}) {
  %w1 = nn.read @w1 : tensor<6x2x4x8xf32>
  %w2 = nn.read @w2 : tensor<6x8x4xf32>
  // expected-error@+2 {{cannot split 'nn.experts' 4 ways over mesh axis "ep": 6 experts are not a multiple of 4}}
  // expected-note@+1 {{valid values for --ep are 1, 2}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<8x4x8xf32>, tensor<8x4x2xi32>, tensor<8x4x2xf32>, tensor<6x2x4x8xf32>, tensor<6x8x4xf32>) -> tensor<8x4x8xf32>
  return
}

// -----

// Without experts there is nothing to split.
// expected-error@below {{--ep 2 splits experts over 2 ranks, but the model has no experts}}
// expected-note@below {{leave --ep out: its ranks share the batch as all ranks of --dp do}}
module {
  dist.mesh @mesh = <["ep"=2]>
  func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>}) {
    return
  }
}

// -----

// The hidden dim of each expert does not allow --tp.
dist.mesh @mesh = <["tp"=4]>
// expected-note@+1 {{columns come from weight 'w1' : tensor<8x2x6x8xf32>}}
nn.param @w1 : tensor<8x2x6x8xf32> init normal
nn.param @w2 : tensor<8x8x6xf32> init normal
func.func @forward(%x: tensor<8x4x8xf32> {nn.role = #nn.role<data>},
                   %ids: tensor<8x4x2xi32> {nn.role = #nn.role<data>},
                   %gates: tensor<8x4x2xf32> {nn.role = #nn.role<data>}) {
  %w1 = nn.read @w1 : tensor<8x2x6x8xf32>
  %w2 = nn.read @w2 : tensor<8x8x6xf32>
  // expected-error@+3 {{cannot split 'nn.experts' 4 ways over mesh axis "tp": 6 columns are not a multiple of 4}}
  // expected-note@+2 {{valid values for --tp are 1, 2, 3, 6}}
  // expected-note@+1 {{--etp 1 splits the experts over --tp instead of each expert}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<8x4x8xf32>, tensor<8x4x2xi32>, tensor<8x4x2xf32>, tensor<8x2x6x8xf32>, tensor<8x8x6xf32>) -> tensor<8x4x8xf32>
  return
}

// -----

// The ranks of --ep share the batch as ranks of --dp.
dist.mesh @mesh = <["ep"=2]>
nn.param @w1 : tensor<8x2x6x8xf32> init normal
nn.param @w2 : tensor<8x8x6xf32> init normal
// expected-error@+2 {{cannot split 'x' 2 ways over mesh axis "dp": a batch of 3 is not a multiple of 2}}
// expected-note@+1 {{valid values for --dp are 1, 3}}
func.func @forward(%x: tensor<3x4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %ids: tensor<3x4x2xi32> {nn.name = "ids", nn.role = #nn.role<data>},
                   %gates: tensor<3x4x2xf32> {nn.name = "gates", nn.role = #nn.role<data>}) {
  %w1 = nn.read @w1 : tensor<8x2x6x8xf32>
  %w2 = nn.read @w2 : tensor<8x8x6xf32>
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<3x4x8xf32>, tensor<3x4x2xi32>, tensor<3x4x2xf32>, tensor<8x2x6x8xf32>, tensor<8x8x6xf32>) -> tensor<3x4x8xf32>
  return
}
