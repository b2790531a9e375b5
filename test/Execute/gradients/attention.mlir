// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 40 | FileCheck %s
// Attention: causal; to another sequence with values of another size; with
// fewer key heads; with dropout; with a bias by head and pair, and one by batch
// and key, under grouped heads.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-20: ok
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
nn.param @headed.q : tensor<2x4x2x4xf32> init normal
nn.param @headed.k : tensor<2x5x2x4xf32> init normal
nn.param @headed.v : tensor<2x5x2x4xf32> init normal
nn.param @headed.bias : tensor<1x2x4x5xf32> init normal
nn.param @padded.q : tensor<2x4x4x4xf32> init normal
nn.param @padded.k : tensor<2x4x2x4xf32> init normal
nn.param @padded.v : tensor<2x4x2x4xf32> init normal
nn.param @padded.bias : tensor<2x1x1x4xf32> init normal

func.func @loss(
    %causal_c: tensor<2x4x2x4xf32> {nn.name = "causal_cotangents"},
    %full_c: tensor<2x4x3x6xf32> {nn.name = "full_cotangents"},
    %grouped_c: tensor<2x4x4x4xf32> {nn.name = "grouped_cotangents"},
    %dropped_c: tensor<2x4x4x4xf32> {nn.name = "dropped_cotangents"},
    %headed_c: tensor<2x4x2x4xf32> {nn.name = "headed_cotangents"},
    %padded_c: tensor<2x4x4x4xf32> {nn.name = "padded_cotangents"},
    %pos: tensor<4xi64> {nn.role = #nn.role<positions>},
    %far: tensor<5xi64> {nn.role = #nn.role<positions>, nn.name = "far"},
    %samples: tensor<2xi64> {nn.role = #nn.role<samples>},
    %seed: tensor<i64> {nn.role = #nn.role<seed>},
    %step: tensor<i64> {nn.role = #nn.role<step>})
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
  %headed_q = nn.read @headed.q : tensor<2x4x2x4xf32>
  %headed_k = nn.read @headed.k : tensor<2x5x2x4xf32>
  %headed_v = nn.read @headed.v : tensor<2x5x2x4xf32>
  %headed_bias = nn.read @headed.bias : tensor<1x2x4x5xf32>
  %headed:3 = nn.attention causal %headed_q, %headed_k, %headed_v positions %pos, %far bias %headed_bias samples %samples seed %seed step %step scale 0.5 {p = 0.3, id = 6}
      : (tensor<2x4x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x2x4x5xf32>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>, tensor<2x4x2xf32>)
  %headed_terms = nn.mul %headed#0, %headed_c : tensor<2x4x2x4xf32>
  %headed_sum = nn.reduce %headed_terms [0, 1, 2, 3] : tensor<2x4x2x4xf32> -> tensor<f32>
  %padded_q = nn.read @padded.q : tensor<2x4x4x4xf32>
  %padded_k = nn.read @padded.k : tensor<2x4x2x4xf32>
  %padded_v = nn.read @padded.v : tensor<2x4x2x4xf32>
  %padded_bias = nn.read @padded.bias : tensor<2x1x1x4xf32>
  %padded:3 = nn.attention %padded_q, %padded_k, %padded_v positions %pos, %pos bias %padded_bias scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2x1x1x4xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %padded_terms = nn.mul %padded#0, %padded_c : tensor<2x4x4x4xf32>
  %padded_sum = nn.reduce %padded_terms [0, 1, 2, 3] : tensor<2x4x4x4xf32> -> tensor<f32>
  %l = nn.sum %causal_sum, %full_sum, %grouped_sum, %dropped_sum, %headed_sum, %padded_sum : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
