// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 100 | FileCheck %s
// One parameter per op that moves elements or multiplies matrices.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-15: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @reshape : tensor<2x3x4xf32> init normal
nn.param @transpose : tensor<2x3x4xf32> init normal
nn.param @broadcast : tensor<2x4xf32> init normal
nn.param @reduce : tensor<2x3x4xf32> init normal
nn.param @slice : tensor<5x6x4xf32> init normal
nn.param @pad : tensor<2x2x1xf32> init normal
nn.param @concat.0 : tensor<2x1x4xf32> init normal
nn.param @concat.1 : tensor<2x2x4xf32> init normal
nn.param @select : tensor<2x3x5x4xf32> init normal
nn.param @insert : tensor<2x4xf32> init normal
nn.param @where : tensor<2x3x4xf32> init normal
nn.param @lhs : tensor<2x4x5xf32> init normal
nn.param @rhs : tensor<5x3x2xf32> init normal
nn.param @batched.0 : tensor<2x3x6xf32> init normal
nn.param @batched.1 : tensor<2x4x6xf32> init normal

func.func @loss(%c: tensor<12x2x3x4xf32> {nn.name = "cotangents"}, %choice: tensor<2x3x4xi1>) -> (tensor<f32>, tensor<f32>) {
  %reshape = nn.read @reshape : tensor<2x3x4xf32>
  %transpose = nn.read @transpose : tensor<2x3x4xf32>
  %broadcast = nn.read @broadcast : tensor<2x4xf32>
  %reduce = nn.read @reduce : tensor<2x3x4xf32>
  %slice = nn.read @slice : tensor<5x6x4xf32>
  %pad = nn.read @pad : tensor<2x2x1xf32>
  %concat0 = nn.read @concat.0 : tensor<2x1x4xf32>
  %concat1 = nn.read @concat.1 : tensor<2x2x4xf32>
  %select = nn.read @select : tensor<2x3x5x4xf32>
  %insert = nn.read @insert : tensor<2x4xf32>
  %where = nn.read @where : tensor<2x3x4xf32>
  %lhs = nn.read @lhs : tensor<2x4x5xf32>
  %rhs = nn.read @rhs : tensor<5x3x2xf32>
  %batched0 = nn.read @batched.0 : tensor<2x3x6xf32>
  %batched1 = nn.read @batched.1 : tensor<2x4x6xf32>

  %flat = nn.reshape %reshape : tensor<2x3x4xf32> -> tensor<8x3xf32>
  %0 = nn.reshape %flat : tensor<8x3xf32> -> tensor<2x3x4xf32>
  %turned = nn.transpose %transpose [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %turned2 = nn.mul %turned, %turned : tensor<4x2x3xf32>
  %1 = nn.transpose %turned2 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %2 = nn.broadcast %broadcast [0, 2] : tensor<2x4xf32> -> tensor<2x3x4xf32>
  %sums = nn.reduce %reduce [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  %3 = nn.broadcast %sums [1] : tensor<3xf32> -> tensor<2x3x4xf32>
  %4 = nn.slice %slice at [1, 0, 0] step [3, 2, 1] : tensor<5x6x4xf32> -> tensor<2x3x4xf32>
  %5 = nn.pad %pad at [0, 0, 2] step [1, 2, 1] : tensor<2x2x1xf32> -> tensor<2x3x4xf32>
  %6 = nn.concat %concat0, %concat1 along 1 : tensor<2x1x4xf32>, tensor<2x2x4xf32> -> tensor<2x3x4xf32>
  %7 = nn.select %select dim 2 index 3 : tensor<2x3x5x4xf32> -> tensor<2x3x4xf32>
  %8 = nn.insert %insert dim 1 index 1 : tensor<2x4xf32> -> tensor<2x3x4xf32>
  %other = nn.mul %where, %where : tensor<2x3x4xf32>
  %9 = nn.where %choice, %where, %other : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  // K at different ends, N before and after M.
  %product = nn.contract "amk,knb->bnma" %lhs, %rhs : tensor<2x4x5xf32>, tensor<5x3x2xf32> -> tensor<2x3x4x2xf32>
  %10 = nn.reduce %product [3] : tensor<2x3x4x2xf32> -> tensor<2x3x4xf32>
  %11 = nn.contract "bmk,bnk->bmn" %batched0, %batched1 : tensor<2x3x6xf32>, tensor<2x4x6xf32> -> tensor<2x3x4xf32>
  %all = nn.concat %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 along 0
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>,
        tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
        -> tensor<24x3x4xf32>
  %rows = nn.reshape %all : tensor<24x3x4xf32> -> tensor<12x2x3x4xf32>
  %terms = nn.mul %rows, %c : tensor<12x2x3x4xf32>
  %l = nn.reduce %terms [0, 1, 2, 3] : tensor<12x2x3x4xf32> -> tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
