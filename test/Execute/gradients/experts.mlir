// RUN: pcc-opt %s --nn-autodiff -o %t.mlir
// RUN: pcc-run %t.mlir --check-gradients --loss-from %s --fill 3 --samples 200 | FileCheck %s
// The forms of an expert's MLP: a gated one in one tensor, with biases, a limit
// and a shift; one in two tensors, of which the ids leave an expert out; one
// that is not gated; and experts from an offset on, which some choices miss.
// Frozen weights get no gradient.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-14: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @x : tensor<2x3x4xf32> init normal
nn.param @gates : tensor<2x3x2xf32> init normal
nn.param @w1 : tensor<3x2x5x4xf32> init normal
nn.param @b1 : tensor<3x2x5xf32> init normal
nn.param @w2 : tensor<3x4x5xf32> init normal
nn.param @gate : tensor<4x1x3x4xf32> init normal
nn.param @up : tensor<4x1x3x4xf32> init normal
nn.param @gate_bias : tensor<4x1x3xf32> init normal
nn.param @up_bias : tensor<4x1x3xf32> init normal
nn.param @down : tensor<4x4x3xf32> init normal
nn.param @plain1 : tensor<3x1x6x4xf32> init normal
nn.param @plain2 : tensor<3x4x6xf32> init normal
nn.param @part1 : tensor<2x2x3x4xf32> init normal
nn.param @part2 : tensor<2x4x3xf32> init normal
nn.param @frozen : tensor<2x4x3xf32> init normal frozen

func.func @loss(%c: tensor<5x2x3x4xf32> {nn.name = "cotangents"})
    -> (tensor<f32>, tensor<f32>) {
  %x = nn.read @x : tensor<2x3x4xf32>
  %g = nn.read @gates : tensor<2x3x2xf32>
  %w1 = nn.read @w1 : tensor<3x2x5x4xf32>
  %b1 = nn.read @b1 : tensor<3x2x5xf32>
  %w2 = nn.read @w2 : tensor<3x4x5xf32>
  %ids = nn.constant dense<[[[0, 2], [1, 0], [2, 1]], [[1, 2], [2, 0], [2, 0]]]> : tensor<2x3x2xi32>
  %0 = nn.experts silu %x ids %ids gates %g w1 %w1 b1 %b1 w2 %w2 {alpha = 1.7, limit = 0.5, shift = 1.0}
      : (tensor<2x3x4xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<3x2x5x4xf32>, tensor<3x2x5xf32>, tensor<3x4x5xf32>) -> tensor<2x3x4xf32>
  %gate = nn.read @gate : tensor<4x1x3x4xf32>
  %up = nn.read @up : tensor<4x1x3x4xf32>
  %gb = nn.read @gate_bias : tensor<4x1x3xf32>
  %ub = nn.read @up_bias : tensor<4x1x3xf32>
  %down = nn.read @down : tensor<4x4x3xf32>
  %1 = nn.experts gelu %x ids %ids gates %g w1 %gate, %up b1 %gb, %ub w2 %down
      : (tensor<2x3x4xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x3x4xf32>, tensor<4x1x3x4xf32>, tensor<4x1x3xf32>, tensor<4x1x3xf32>, tensor<4x4x3xf32>) -> tensor<2x3x4xf32>
  %plain1 = nn.read @plain1 : tensor<3x1x6x4xf32>
  %plain2 = nn.read @plain2 : tensor<3x4x6xf32>
  %2 = nn.experts relu2 %x ids %ids gates %g w1 %plain1 w2 %plain2
      : (tensor<2x3x4xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<3x1x6x4xf32>, tensor<3x4x6xf32>) -> tensor<2x3x4xf32>
  %part1 = nn.read @part1 : tensor<2x2x3x4xf32>
  %part2 = nn.read @part2 : tensor<2x4x3xf32>
  %offset = nn.constant dense<1> : tensor<i64>
  %3 = nn.experts gelu_tanh %x ids %ids gates %g w1 %part1 w2 %part2 offset %offset
      : (tensor<2x3x4xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<2x2x3x4xf32>, tensor<2x4x3xf32>, tensor<i64>) -> tensor<2x3x4xf32>
  %frozen = nn.read @frozen : tensor<2x4x3xf32>
  %4 = nn.experts silu %x ids %ids gates %g w1 %part1 w2 %frozen offset %offset
      : (tensor<2x3x4xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<2x2x3x4xf32>, tensor<2x4x3xf32>, tensor<i64>) -> tensor<2x3x4xf32>
  %all = nn.concat %0, %1, %2, %3, %4 along 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<10x3x4xf32>
  %rows = nn.reshape %all : tensor<10x3x4xf32> -> tensor<5x2x3x4xf32>
  %terms = nn.mul %rows, %c : tensor<5x2x3x4xf32>
  %sum = nn.reduce %terms [0, 1, 2, 3] : tensor<5x2x3x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %sum, %one : tensor<f32>, tensor<f32>
}
