// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 40 | FileCheck %s
// Attention: causal; to another sequence with values of another size; with
// fewer key heads; with dropout.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-12: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @causal.q : tensor<2x4x2x4xf32> init normal
nn.param @causal.k : tensor<2x4x2x4xf32> init normal
nn.param @causal.v : tensor<2x4x2x4xf32> init normal
nn.param @full.q : tensor<2x4x3x4xf32> init normal
nn.param @full.k : tensor<2x5x3x4xf32> init normal
nn.param @full.v : tensor<2x5x3x6xf32> init normal
nn.param @grouped.q : tensor<2x4x4x4xf32> init normal
nn.param @grouped.k : tensor<2x4x2x4xf32> init normal
nn.param @grouped.v : tensor<2x4x2x4xf32> init normal
nn.param @dropped.q : tensor<2x4x4x4xf32> init normal
nn.param @dropped.k : tensor<2x4x2x4xf32> init normal
nn.param @dropped.v : tensor<2x4x2x4xf32> init normal

func.func @loss(
    %causal_c: tensor<2x4x2x4xf32> {nn.name = "causal_cotangents"},
    %full_c: tensor<2x4x3x6xf32> {nn.name = "full_cotangents"},
    %grouped_c: tensor<2x4x4x4xf32> {nn.name = "grouped_cotangents"},
    %dropped_c: tensor<2x4x4x4xf32> {nn.name = "dropped_cotangents"},
    %pos: tensor<4xi64> {nn.role = "positions"},
    %far: tensor<5xi64> {nn.role = "positions", nn.name = "far"},
    %samples: tensor<2xi64> {nn.role = "samples"},
    %seed: tensor<i64> {nn.role = "seed"},
    %step: tensor<i64> {nn.role = "step"})
    -> (tensor<f32>, tensor<f32>) {
  %causal_q = nn.read @causal.q : tensor<2x4x2x4xf32>
  %causal_k = nn.read @causal.k : tensor<2x4x2x4xf32>
  %causal_v = nn.read @causal.v : tensor<2x4x2x4xf32>
  %full_q = nn.read @full.q : tensor<2x4x3x4xf32>
  %full_k = nn.read @full.k : tensor<2x5x3x4xf32>
  %full_v = nn.read @full.v : tensor<2x5x3x6xf32>
  %grouped_q = nn.read @grouped.q : tensor<2x4x4x4xf32>
  %grouped_k = nn.read @grouped.k : tensor<2x4x2x4xf32>
  %grouped_v = nn.read @grouped.v : tensor<2x4x2x4xf32>
  %dropped_q = nn.read @dropped.q : tensor<2x4x4x4xf32>
  %dropped_k = nn.read @dropped.k : tensor<2x4x2x4xf32>
  %dropped_v = nn.read @dropped.v : tensor<2x4x2x4xf32>
  %causal:2 = nn.attention causal %causal_q, %causal_k, %causal_v positions %pos, %pos scale 0.5
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %causal_terms = nn.mul %causal#0, %causal_c : tensor<2x4x2x4xf32>
  %causal_sum = nn.reduce %causal_terms [0, 1, 2, 3] : tensor<2x4x2x4xf32> -> tensor<f32>
  %full:2 = nn.attention %full_q, %full_k, %full_v positions %pos, %far scale 0.5
      : (tensor<2x4x3x4xf32>, tensor<2x5x3x4xf32>, tensor<2x5x3x6xf32>, tensor<4xi64>, tensor<5xi64>) -> (tensor<2x4x3x6xf32>, tensor<2x4x3xf32>)
  %full_terms = nn.mul %full#0, %full_c : tensor<2x4x3x6xf32>
  %full_sum = nn.reduce %full_terms [0, 1, 2, 3] : tensor<2x4x3x6xf32> -> tensor<f32>
  %grouped:2 = nn.attention causal %grouped_q, %grouped_k, %grouped_v positions %pos, %pos scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %grouped_terms = nn.mul %grouped#0, %grouped_c : tensor<2x4x4x4xf32>
  %grouped_sum = nn.reduce %grouped_terms [0, 1, 2, 3] : tensor<2x4x4x4xf32> -> tensor<f32>
  %dropped:2 = nn.attention causal %dropped_q, %dropped_k, %dropped_v positions %pos, %pos samples %samples seed %seed step %step scale 0.5 {p = 0.3, id = 5}
      : (tensor<2x4x4x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %dropped_terms = nn.mul %dropped#0, %dropped_c : tensor<2x4x4x4xf32>
  %dropped_sum = nn.reduce %dropped_terms [0, 1, 2, 3] : tensor<2x4x4x4xf32> -> tensor<f32>
  %l = nn.sum %causal_sum, %full_sum, %grouped_sum, %dropped_sum : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
