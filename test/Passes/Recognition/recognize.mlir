// Patterns that exporters write, and the recognized ops.
// RUN: pcc-opt %s -nn-recognize -canonicalize -cse | FileCheck %s

// A linear layer on rows [batch * seq, c], with a weight that is stored
// transposed: the dims stay separate and the labels contain the transpose.
// CHECK-LABEL: func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>, %[[W:.*]]: tensor<8x4xf32>)
// CHECK-NEXT: %[[Y:.*]] = nn.contract "mak,nk->man" %[[X]], %[[W]] : tensor<2x3x4xf32>, tensor<8x4xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<8x4xf32>)
    -> tensor<2x3x8xf32> {
  %rows = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %t = nn.transpose %w [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %p = nn.contract "mk,kn->mn" %rows, %t : tensor<6x4xf32>, tensor<4x8xf32> -> tensor<6x8xf32>
  %y = nn.reshape %p : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// x * sigmoid(x), by its values.
// CHECK-LABEL: func @silu
// CHECK-NEXT: %[[Y:.*]] = nn.silu
// CHECK-NEXT: return %[[Y]]
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = nn.sigmoid %x : tensor<4xf32>
  %y = nn.mul %x, %s : tensor<4xf32>
  return %y : tensor<4xf32>
}
