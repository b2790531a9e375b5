// A model that computes its loss itself keeps it.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss --nn-verify | FileCheck %s

nn.param @w : tensor<8x16xf32> init normal
// CHECK-LABEL: func.func @loss(%{{.*}}: tensor<2x4xi64> {nn.name = "labels", nn.role = #nn.role<targets>})
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.count = "'nn.reduce'", nn.name = "target_count"}) {
// CHECK: nn.cross_entropy
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @forward(%x: tensor<2x4x16xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %t: tensor<2x4xi64> {nn.name = "labels", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "n"}) attributes {nn.has_loss} {
  %ce, %lse = nn.cross_entropy %x, %t classes 16 : tensor<2x4x16xf32>, tensor<2x4xi64> -> tensor<2x4xf32>
  %v = nn.valid %t : tensor<2x4xi64> -> tensor<2x4xf32>
  %l = nn.reduce %ce [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %n = nn.reduce %v [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// expected-error@+1 {{a model with a loss of its own returns the sum of each term and, where it is divided, its divisor, all 'tensor<f32>', not ('tensor<4xf32>')}}
func.func @forward(%x: tensor<4xf32> {nn.role = #nn.role<data>}) -> tensor<4xf32> attributes {nn.has_loss} {
  return %x : tensor<4xf32>
}
