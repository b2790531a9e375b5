// Counts of each layer's experts, and the auxiliary loss of its router.
// RUN: pcc-opt %s -split-input-file -nn-balance-experts='aux-loss=0.5 bias-rate=0.1' | FileCheck %s

// The bias is added to the scores by which experts are chosen; groups that are
// not chosen are masked after that. Two targets of the first sample count.
// CHECK: nn.state @expert_count.0 : tensor<4xf32> sum of @bias {nn.bias_rate = 1.000000e-01 : f64}
// CHECK-LABEL: func.func @loss(
// CHECK: %[[VALID:.*]] = nn.valid %{{.*}} : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[TARGETS:.*]] = nn.reduce %[[VALID]] [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK: %[[SCORES:.*]] = nn.sigmoid
// CHECK: %[[IDS:.*]] = nn.top_k
// CHECK: %[[Y:.*]] = nn.experts
// The auxiliary loss: counts times the scores' shares, by sample.
// CHECK-DAG: %[[ONES:.*]] = nn.constant dense<1.000000e+00> : tensor<2x3x2xf32>
// CHECK-DAG: %[[CHOSEN:.*]] = nn.spread %{{.*}}, %[[IDS]] : tensor<2x3x2xf32>, tensor<2x3x2xi32> -> tensor<2x3x4xf32>
// CHECK: nn.reduce %{{.*}} [0, 1] : tensor<2x3x4xf32> -> tensor<4xf32>
// CHECK: nn.accumulate %{{.*}}, @expert_count.0 : tensor<4xf32>
// CHECK: %[[COUNTS:.*]] = nn.reduce %{{.*}} [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK: %[[SUMS:.*]] = nn.reduce %[[SCORES]] [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
// CHECK: %[[REPEATED:.*]] = nn.broadcast %[[SUMS]] [0, 1]
// CHECK: %[[SHARES:.*]] = nn.div %[[SCORES]], %[[REPEATED]]
// CHECK: %[[SHARE:.*]] = nn.reduce %[[SHARES]] [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK: %[[PRODUCTS:.*]] = nn.mul %[[COUNTS]], %[[SHARE]] : tensor<2x4xf32>
// CHECK: %[[BY_SAMPLE:.*]] = nn.reduce %[[PRODUCTS]] [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK: %[[WEIGHTED:.*]] = nn.mul %[[BY_SAMPLE]], %[[TARGETS]] : tensor<2xf32>
// CHECK: %[[SUM:.*]] = nn.reduce %[[WEIGHTED]] [0] : tensor<2xf32> -> tensor<f32>
// 0.5 * 4 experts / (2 choices * 3 tokens^2)
// CHECK: %[[AUX:.*]] = nn.scale %[[SUM]] by 0.1111111111111111{{[0-9]*}} : tensor<f32>
// CHECK: return %{{.*}}, %{{.*}}, %[[TOTAL:.*]] : tensor<f32>, tensor<f32>, tensor<f32>
nn.param @bias : tensor<4xf32> init file frozen
nn.param @w1 : tensor<4x2x5x8xf32> init normal
nn.param @w2 : tensor<4x8x5xf32> init normal
func.func @loss(%x: tensor<2x3x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %router: tensor<4x8xf32> {nn.name = "router", nn.role = #nn.role<data>},
    %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %logits = nn.contract "bsh,eh->bse" %x, %router : tensor<2x3x8xf32>, tensor<4x8xf32> -> tensor<2x3x4xf32>
  %scores = nn.sigmoid %logits : tensor<2x3x4xf32>
  %bias = nn.read @bias : tensor<4xf32>
  %repeated = nn.broadcast %bias [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %corrected = nn.sum %scores, %repeated : tensor<2x3x4xf32>
  %masked = nn.constant dense<0xFF800000> : tensor<2x3x4xf32>
  %isOut = nn.constant dense<false> : tensor<2x3x4xi1>
  %grouped = nn.where %isOut, %masked, %corrected : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  %ids = nn.top_k %grouped : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
  %gates = nn.pick %scores, %ids : tensor<2x3x4xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  %w1 = nn.read @w1 : tensor<4x2x5x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x5xf32>
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x5x8xf32>, tensor<4x8x5xf32>) -> tensor<2x3x8xf32>
  %sum = nn.reduce %y [0, 1, 2] : tensor<2x3x8xf32> -> tensor<f32>
  %valid = nn.valid %targets : tensor<2x3xi64> -> tensor<2x3xf32>
  %count = nn.reduce %valid [0, 1] : tensor<2x3xf32> -> tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
