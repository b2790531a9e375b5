// Losses written out become cross_entropy, which needs no rank to have all
// classes; reshapes that join batch and sequence before a loss disappear.
// RUN: pcc-opt %s -nn-recognize -canonicalize -cse | FileCheck %s

// log_softmax by rows, of which the target's column is chosen.
// CHECK-LABEL: func.func @written_out
// CHECK-SAME: (%[[X:.*]]: tensor<6x8xf32>, %[[T:.*]]: tensor<6xi64>)
// CHECK-NEXT: %[[L:.*]], %{{.*}} = nn.cross_entropy %[[X]], %[[T]] classes 8 : tensor<6x8xf32>, tensor<6xi64> -> tensor<6xf32>
// CHECK-NEXT: %[[M:.*]] = nn.scale %[[L]] by -1.0
// CHECK-NEXT: return %[[M]]
func.func @written_out(%x: tensor<6x8xf32>, %t: tensor<6xi64>) -> tensor<6xf32> {
  %max = nn.reduce_max %x [1] : tensor<6x8xf32> -> tensor<6xf32>
  %maxs = nn.broadcast %max [0] : tensor<6xf32> -> tensor<6x8xf32>
  %shifted = nn.sub %x, %maxs : tensor<6x8xf32>
  %e = nn.exp %shifted : tensor<6x8xf32>
  %sum = nn.reduce %e [1] : tensor<6x8xf32> -> tensor<6xf32>
  %log = nn.log %sum : tensor<6xf32>
  %logs = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x8xf32>
  %p = nn.sub %shifted, %logs : tensor<6x8xf32>
  %column = nn.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>
  %columns = nn.broadcast %column [1] : tensor<8xi64> -> tensor<6x8xi64>
  %ts = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x8xi64>
  %hit = nn.compare eq %columns, %ts : tensor<6x8xi64> -> tensor<6x8xi1>
  %zero = nn.constant dense<0.0> : tensor<6x8xf32>
  %chosen = nn.where %hit, %p, %zero : tensor<6x8xi1>, tensor<6x8xf32>
  %y = nn.reduce %chosen [1] : tensor<6x8xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// The columns do not count from 0: another one than the target's is chosen.
// CHECK-LABEL: func.func @other_columns
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @other_columns(%x: tensor<6x8xf32>, %t: tensor<6xi64>) -> tensor<6xf32> {
  %max = nn.reduce_max %x [1] : tensor<6x8xf32> -> tensor<6xf32>
  %maxs = nn.broadcast %max [0] : tensor<6xf32> -> tensor<6x8xf32>
  %shifted = nn.sub %x, %maxs : tensor<6x8xf32>
  %e = nn.exp %shifted : tensor<6x8xf32>
  %sum = nn.reduce %e [1] : tensor<6x8xf32> -> tensor<6xf32>
  %log = nn.log %sum : tensor<6xf32>
  %logs = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x8xf32>
  %p = nn.sub %shifted, %logs : tensor<6x8xf32>
  %column = nn.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi64>
  %columns = nn.broadcast %column [1] : tensor<8xi64> -> tensor<6x8xi64>
  %ts = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x8xi64>
  %hit = nn.compare eq %columns, %ts : tensor<6x8xi64> -> tensor<6x8xi1>
  %zero = nn.constant dense<0.0> : tensor<6x8xf32>
  %chosen = nn.where %hit, %p, %zero : tensor<6x8xi1>, tensor<6x8xf32>
  %y = nn.reduce %chosen [1] : tensor<6x8xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @joined_rows
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x8xf32>, %[[T:.*]]: tensor<2x3xi64>)
// CHECK-NEXT: %[[L:.*]], %{{.*}} = nn.cross_entropy %[[X]], %[[T]] classes 8 : tensor<2x3x8xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[S:.*]] = nn.reduce %[[L]] [0, 1]
// CHECK-NEXT: %[[V:.*]] = nn.valid %[[T]] : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[N:.*]] = nn.reduce %[[V]] [0, 1]
// CHECK-NEXT: return %[[S]], %[[N]]
func.func @joined_rows(%x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>) -> (tensor<f32>, tensor<f32>) {
  %rows = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %ts = nn.reshape %t : tensor<2x3xi64> -> tensor<6xi64>
  %l, %lse = nn.cross_entropy %rows, %ts classes 8 : tensor<6x8xf32>, tensor<6xi64> -> tensor<6xf32>
  %s = nn.reduce %l [0] : tensor<6xf32> -> tensor<f32>
  %v = nn.valid %ts : tensor<6xi64> -> tensor<6xf32>
  %n = nn.reduce %v [0] : tensor<6xf32> -> tensor<f32>
  return %s, %n : tensor<f32>, tensor<f32>
}
