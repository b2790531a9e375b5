// RUN: pcc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @nothing
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %
// CHECK-NEXT: return %[[X]]
func.func @nothing(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>,
                   %s: tensor<i64>) -> tensor<2x3xf32> {
  %a = nn.sum %x : tensor<2x3xf32>
  %b = nn.scale %a by 1.0 : tensor<2x3xf32>
  %c = nn.cast %b : tensor<2x3xf32> -> tensor<2x3xf32>
  %d = nn.dropout %c samples %i positions %j seed %s step %s
      {p = 0.0, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %e = nn.reshape %d : tensor<2x3xf32> -> tensor<2x3xf32>
  %f = nn.transpose %e [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %g = nn.broadcast %f [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %h = nn.reduce %g [] : tensor<2x3xf32> -> tensor<2x3xf32>
  %k = nn.slice %h at [0, 0] step [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %l = nn.pad %k at [0, 0] step [1, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %l : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @chains
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[A:.*]] = nn.reshape %[[X]] : tensor<2x3x4xf32> -> tensor<24xf32>
// CHECK-NEXT: %[[B:.*]] = nn.transpose %[[X]] [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[X]]
func.func @chains(%x: tensor<2x3x4xf32>)
    -> (tensor<24xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  %a = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %b = nn.reshape %a : tensor<6x4xf32> -> tensor<24xf32>
  %c = nn.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %d = nn.transpose %c [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  %e = nn.transpose %d [2, 1, 0] : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  return %b, %d, %e : tensor<24xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>
}
