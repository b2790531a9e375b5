// What --moe-aux-loss and --moe-bias-rate refuse.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -nn-balance-experts='aux-loss=0.5 bias-rate=0.1'

// The scores are exponentials over their sum: not known as a softmax.
nn.param @bias : tensor<4xf32> init file frozen
nn.param @w1 : tensor<4x1x5x8xf32> init normal
nn.param @w2 : tensor<4x8x5xf32> init normal
func.func @loss(%x: tensor<2x3x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %logits: tensor<2x3x4xf32> {nn.name = "logits", nn.role = #nn.role<data>},
    %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %scores = nn.exp %logits : tensor<2x3x4xf32>
  %ids = nn.top_k %scores : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
  %gates = nn.pick %scores, %ids : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  %w1 = nn.read @w1 : tensor<4x1x5x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x5xf32>
  // expected-error@+1 {{--moe-aux-loss needs the scores of the router of '', which must be a softmax or a sigmoid: these are not known}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x5x8xf32>, tensor<4x8x5xf32>) -> tensor<2x3x8xf32>
  %sum = nn.reduce %y [0, 1, 2] : tensor<2x3x8xf32> -> tensor<f32>
  %valid = nn.valid %targets : tensor<2x3xi64> -> tensor<2x3xf32>
  %count = nn.reduce %valid [0, 1] : tensor<2x3xf32> -> tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}

// -----

// The frozen bias belongs to the scores that gates are made of.
nn.param @bias : tensor<4xf32> init file frozen
nn.param @w1 : tensor<4x1x5x8xf32> init normal
nn.param @w2 : tensor<4x8x5xf32> init normal
func.func @loss(%x: tensor<2x3x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %router: tensor<4x8xf32> {nn.name = "router", nn.role = #nn.role<data>},
    %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %logits = nn.contract "bsh,eh->bse" %x, %router : tensor<2x3x8xf32>, tensor<4x8xf32> -> tensor<2x3x4xf32>
  %bias = nn.read @bias : tensor<4xf32>
  %repeated = nn.broadcast %bias [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %scores = nn.sum %logits, %repeated : tensor<2x3x4xf32>
  %ids = nn.top_k %scores : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
  %picked = nn.pick %scores, %ids : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  %gates = nn.softmax %picked : tensor<2x3x2xf32>
  %w1 = nn.read @w1 : tensor<4x1x5x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x5xf32>
  // expected-error@+2 {{--moe-bias-rate changes a correction bias of the router, but '' has none}}
  // expected-note@+1 {{it is a buffer or a frozen parameter called ..correction_bias or expert_bias}}
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x5x8xf32>, tensor<4x8x5xf32>) -> tensor<2x3x8xf32>
  %sum = nn.reduce %y [0, 1, 2] : tensor<2x3x8xf32> -> tensor<f32>
  %valid = nn.valid %targets : tensor<2x3xi64> -> tensor<2x3xf32>
  %count = nn.reduce %valid [0, 1] : tensor<2x3xf32> -> tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
