// RUN: pcc-opt %s --nn-autodiff -o %t.mlir
// RUN: pcc-run %t.mlir --check-gradients --loss-from %s --fill 3 --samples 100 | FileCheck %s
// Elements of rows: by a choice, by ids with an offset that leaves some out, and
// added to rows, with ids that occur twice.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-2: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @scores : tensor<2x3x5xf32> init normal
nn.param @values : tensor<2x3x4xf32> init normal

func.func @loss(%c: tensor<2x3x5xf32> {nn.name = "c"}, %d: tensor<2x3x2xf32> {nn.name = "d"}) -> (tensor<f32>, tensor<f32>) {
  %x = nn.read @scores : tensor<2x3x5xf32>
  %v = nn.read @values : tensor<2x3x4xf32>
  %chosen = nn.top_k %x : tensor<2x3x5xf32> -> tensor<2x3x2xi32>
  %gates = nn.pick %x, %chosen : tensor<2x3x5xf32>, tensor<2x3x2xi32> -> tensor<2x3x2xf32>
  %squares = nn.mul %gates, %gates : tensor<2x3x2xf32>
  %terms = nn.mul %squares, %d : tensor<2x3x2xf32>
  %0 = nn.reduce %terms [0, 1, 2] : tensor<2x3x2xf32> -> tensor<f32>
  %known = nn.constant dense<[[[1, 4, 1, 0], [0, 0, 2, 9], [3, 1, 2, 4]], [[7, 5, 6, 3], [1, 1, 1, 1], [4, 3, 2, 1]]]> : tensor<2x3x4xi64>
  %offset = nn.constant dense<1> : tensor<i64>
  %all = nn.spread %v, %known offset %offset : tensor<i64> : tensor<2x3x4xf32>, tensor<2x3x4xi64> -> tensor<2x3x5xf32>
  %product = nn.mul %all, %all : tensor<2x3x5xf32>
  %weighted = nn.mul %product, %c : tensor<2x3x5xf32>
  %1 = nn.reduce %weighted [0, 1, 2] : tensor<2x3x5xf32> -> tensor<f32>
  %own = nn.pick %x, %known offset %offset : tensor<i64> : tensor<2x3x5xf32>, tensor<2x3x4xi64> -> tensor<2x3x4xf32>
  %both = nn.mul %own, %v : tensor<2x3x4xf32>
  %2 = nn.reduce %both [0, 1, 2] : tensor<2x3x4xf32> -> tensor<f32>
  %l = nn.sum %0, %1, %2 : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
