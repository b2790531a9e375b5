// RUN: pcc-opt %s --nn-autodiff --nn-expand-attention=all | pcc-run --check-gradients --loss-from %s --fill 3 --samples 40 | FileCheck %s
// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 40 | FileCheck %s
// Attention with a window; with chunks and sinks under grouped heads; with a
// soft cap, a bias and sinks; with dropout of probabilities beside sinks. As
// attention, and expanded.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-16: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @near.q : tensor<2x4x2x4xf32> init normal
nn.param @near.k : tensor<2x4x2x4xf32> init normal
nn.param @near.v : tensor<2x4x2x4xf32> init normal
nn.param @parts.q : tensor<2x4x4x4xf32> init normal
nn.param @parts.k : tensor<2x4x2x4xf32> init normal
nn.param @parts.v : tensor<2x4x2x4xf32> init normal
nn.param @parts.sinks : tensor<4xf32> init normal
nn.param @capped.q : tensor<2x4x2x4xf32> init normal
nn.param @capped.k : tensor<2x5x2x4xf32> init normal
nn.param @capped.v : tensor<2x5x2x4xf32> init normal
nn.param @capped.bias : tensor<1x2x4x5xf32> init normal
nn.param @capped.sinks : tensor<2xf32> init normal
nn.param @dropped.q : tensor<2x4x2x4xf32> init normal
nn.param @dropped.k : tensor<2x4x2x4xf32> init normal
nn.param @dropped.v : tensor<2x4x2x4xf32> init normal
nn.param @dropped.sinks : tensor<2xf32> init normal

func.func @loss(
    %near_c: tensor<2x4x2x4xf32> {nn.name = "near_cotangents"},
    %parts_c: tensor<2x4x4x4xf32> {nn.name = "parts_cotangents"},
    %capped_c: tensor<2x4x2x4xf32> {nn.name = "capped_cotangents"},
    %dropped_c: tensor<2x4x2x4xf32> {nn.name = "dropped_cotangents"},
    %pos: tensor<4xi64> {nn.role = #nn.role<positions>},
    %far: tensor<5xi64> {nn.role = #nn.role<positions>, nn.name = "far"},
    %samples: tensor<2xi64> {nn.role = #nn.role<samples>},
    %seed: tensor<i64> {nn.role = #nn.role<seed>},
    %step: tensor<i64> {nn.role = #nn.role<step>})
    -> (tensor<f32>, tensor<f32>) {
  %near_q = nn.read @near.q : tensor<2x4x2x4xf32>
  %near_k = nn.read @near.k : tensor<2x4x2x4xf32>
  %near_v = nn.read @near.v : tensor<2x4x2x4xf32>
  %near:2 = nn.attention causal %near_q, %near_k, %near_v positions %pos, %pos scale 0.5 {window = 2 : i64}
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %near_terms = nn.mul %near#0, %near_c : tensor<2x4x2x4xf32>
  %near_sum = nn.reduce %near_terms [0, 1, 2, 3] : tensor<2x4x2x4xf32> -> tensor<f32>
  %parts_q = nn.read @parts.q : tensor<2x4x4x4xf32>
  %parts_k = nn.read @parts.k : tensor<2x4x2x4xf32>
  %parts_v = nn.read @parts.v : tensor<2x4x2x4xf32>
  %parts_sinks = nn.read @parts.sinks : tensor<4xf32>
  %parts:2 = nn.attention causal %parts_q, %parts_k, %parts_v positions %pos, %pos sinks %parts_sinks scale 0.5 {chunk = 3 : i64}
      : (tensor<2x4x4x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<4xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %parts_terms = nn.mul %parts#0, %parts_c : tensor<2x4x4x4xf32>
  %parts_sum = nn.reduce %parts_terms [0, 1, 2, 3] : tensor<2x4x4x4xf32> -> tensor<f32>
  %capped_q = nn.read @capped.q : tensor<2x4x2x4xf32>
  %capped_k = nn.read @capped.k : tensor<2x5x2x4xf32>
  %capped_v = nn.read @capped.v : tensor<2x5x2x4xf32>
  %capped_bias = nn.read @capped.bias : tensor<1x2x4x5xf32>
  %capped_sinks = nn.read @capped.sinks : tensor<2xf32>
  %capped:3 = nn.attention %capped_q, %capped_k, %capped_v positions %pos, %far bias %capped_bias sinks %capped_sinks scale 0.5 {softcap = 0.75}
      : (tensor<2x4x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x2x4x5xf32>, tensor<2xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>, tensor<2x4x2xf32>)
  %capped_terms = nn.mul %capped#0, %capped_c : tensor<2x4x2x4xf32>
  %capped_sum = nn.reduce %capped_terms [0, 1, 2, 3] : tensor<2x4x2x4xf32> -> tensor<f32>
  %dropped_q = nn.read @dropped.q : tensor<2x4x2x4xf32>
  %dropped_k = nn.read @dropped.k : tensor<2x4x2x4xf32>
  %dropped_v = nn.read @dropped.v : tensor<2x4x2x4xf32>
  %dropped_sinks = nn.read @dropped.sinks : tensor<2xf32>
  %dropped:2 = nn.attention causal %dropped_q, %dropped_k, %dropped_v positions %pos, %pos sinks %dropped_sinks samples %samples seed %seed step %step scale 0.5 {p = 0.3, id = 5}
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xf32>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %dropped_terms = nn.mul %dropped#0, %dropped_c : tensor<2x4x2x4xf32>
  %dropped_sum = nn.reduce %dropped_terms [0, 1, 2, 3] : tensor<2x4x2x4xf32> -> tensor<f32>
  %l = nn.sum %near_sum, %parts_sum, %capped_sum, %dropped_sum : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
