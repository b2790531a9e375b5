// A router and its experts are one piece: no cut point is between them, though
// few bytes of gates cross there.
// RUN: pcc-opt %s -nn-stage-cuts=stages=2 | FileCheck %s
// RUN: not pcc-opt %s -nn-stage-cuts=stages=3 2>&1 | FileCheck %s --check-prefix=MANY

// MANY: cannot cut the model into 3 pipeline stages: it has 1 cut point

nn.param @up : tensor<8x8xf32> init normal
nn.param @router : tensor<4x8xf32> init normal
nn.param @w1 : tensor<4x2x16x8xf32> init normal
nn.param @w2 : tensor<4x8x16xf32> init normal
func.func @loss(%x: tensor<4x3x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                %targets: tensor<4x3x8xf32> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %up = nn.read @up : tensor<8x8xf32>
  // CHECK: nn.contract "bsh,hk->bsk" {{.*}}{nn.stage = 0 : i64}
  %u = nn.contract "bsh,hk->bsk" %x, %up : tensor<4x3x8xf32>, tensor<8x8xf32> -> tensor<4x3x8xf32>
  // CHECK: nn.contract "bsh,eh->bse" {{.*}}{nn.stage = 1 : i64}
  %h = nn.gelu %u : tensor<4x3x8xf32>
  %router = nn.read @router : tensor<4x8xf32>
  %logits = nn.contract "bsh,eh->bse" %h, %router : tensor<4x3x8xf32>, tensor<4x8xf32> -> tensor<4x3x4xf32>
  %scores = nn.softmax %logits : tensor<4x3x4xf32>
  %ids = nn.top_k %scores : tensor<4x3x4xf32> -> tensor<4x3x1xi32>
  %gates = nn.pick %scores, %ids : tensor<4x3x4xf32>, tensor<4x3x1xi32> -> tensor<4x3x1xf32>
  %w1 = nn.read @w1 : tensor<4x2x16x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x16xf32>
  // CHECK: nn.experts {{.*}}nn.stage = 1 : i64
  %y = nn.experts silu %h ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<4x3x8xf32>, tensor<4x3x1xi32>, tensor<4x3x1xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<4x3x8xf32>
  %z = nn.sum %h, %y : tensor<4x3x8xf32>
  %d = nn.sub %z, %targets : tensor<4x3x8xf32>
  %s = nn.mul %d, %d : tensor<4x3x8xf32>
  %loss = nn.reduce %s [0, 1, 2] : tensor<4x3x8xf32> -> tensor<f32>
  %count = nn.constant dense<96.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
