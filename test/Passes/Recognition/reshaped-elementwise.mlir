// A reshape of an elementwise result moves to the operands of the op, if these
// have the result's type: not for casts and selections.
// RUN: pcc-opt %s --nn-recognize | FileCheck %s

// CHECK-LABEL: @floor
func.func @floor(%x: tensor<2x4x8xf32>) -> tensor<2x4x2x4xf32> {
  // CHECK: %[[R:.*]] = nn.reshape
  // CHECK-NEXT: nn.floor %[[R]] : tensor<2x4x2x4xf32>
  %f = nn.floor %x : tensor<2x4x8xf32>
  %y = nn.reshape %f : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  return %y : tensor<2x4x2x4xf32>
}

// CHECK-LABEL: @choice
func.func @choice(%c: tensor<2x4x8xi1>, %x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>)
    -> tensor<2x4x2x4xf32> {
  // CHECK: %[[W:.*]] = nn.where
  // CHECK-NEXT: nn.reshape %[[W]]
  %w = nn.where %c, %x, %y : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  %r = nn.reshape %w : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  return %r : tensor<2x4x2x4xf32>
}
