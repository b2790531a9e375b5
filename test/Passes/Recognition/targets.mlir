// If the file has a loss, the ids that its cross entropy takes are the targets
// of the model, or labels if they are those of another position.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// CHECK-LABEL: func.func @targets(
// CHECK-SAME: %arg1: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<targets>}
func.func @targets(%x: tensor<2x3x4xf32>, %t: tensor<2x3xi64> {nn.role = #nn.role<data>, nn.name = "ids"})
    -> tensor<2x3xf32> attributes {nn.has_loss} {
  %l, %lse = nn.cross_entropy %x, %t classes 4 : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return %l : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @labels(
// CHECK-SAME: %arg1: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<labels>}
func.func @labels(%x: tensor<2x2x4xf32>, %t: tensor<2x3xi64> {nn.role = #nn.role<data>, nn.name = "ids"})
    -> tensor<2x2xf32> attributes {nn.has_loss} {
  %s = nn.slice %t at [0, 1] step [1, 1] : tensor<2x3xi64> -> tensor<2x2xi64>
  %l, %lse = nn.cross_entropy %x, %s classes 4 : tensor<2x2x4xf32>, tensor<2x2xi64> -> tensor<2x2xf32>
  return %l : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @no_loss(
// CHECK-SAME: %arg1: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<data>}
func.func @no_loss(%x: tensor<2x3x4xf32>, %t: tensor<2x3xi64> {nn.role = #nn.role<data>, nn.name = "ids"})
    -> tensor<2x3xf32> {
  %l, %lse = nn.cross_entropy %x, %t classes 4 : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return %l : tensor<2x3xf32>
}
