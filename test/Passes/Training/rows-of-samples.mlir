// An output whose first dim has several consecutive rows per sample is split,
// so that targets are given by sample. Rows that belong to no sample have no
// targets.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss=loss=cross-entropy \
// RUN:   | FileCheck %s

// As in a model that ends with logits.view(-1, vocab).
// CHECK-LABEL: func.func @loss
// CHECK-SAME:  tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>}
// CHECK-SAME:  tensor<2x3xi64> {nn.name = "targets"
// CHECK:       %[[ROWS:.*]] = nn.reshape {{.*}} -> tensor<6x5xf32>
// CHECK:       %[[BACK:.*]] = nn.reshape %[[ROWS]] : tensor<6x5xf32> -> tensor<2x3x5xf32>
// CHECK:       nn.cross_entropy %[[BACK]]
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
                   %table: tensor<7x5xf32>) -> (tensor<6x5xf32> {nn.name = "logits"}) {
  %x = nn.embedding %ids, %table : tensor<2x3xi64>, tensor<7x5xf32> -> tensor<2x3x5xf32>
  %y = nn.reshape %x : tensor<2x3x5xf32> -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// Rows of one sample are not adjacent: positions come first.
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
                   %table: tensor<7x5xf32>) -> (tensor<6x5xf32> {nn.name = "logits"}) {
  %x = nn.embedding %ids, %table : tensor<2x3xi64>, tensor<7x5xf32> -> tensor<2x3x5xf32>
  %t = nn.transpose %x [1, 0, 2] : tensor<2x3x5xf32> -> tensor<3x2x5xf32>
  // expected-error @+2 {{the first dim of the output, [6, 5] by 'nn.reshape', does not have one or more rows for each of the 2 samples of the inputs}}
  // expected-note @+1 {{--loss needs an output [batch, ...]}}
  %y = nn.reshape %t : tensor<3x2x5xf32> -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// -----

// The patches of all samples are one sequence.
func.func @forward(%x: tensor<4x6x5xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<1x24x5xf32> {nn.name = "y"}) {
  // expected-error @+2 {{does not have one or more rows for each of the 4 samples}}
  // expected-note @+1 {{--loss needs an output [batch, ...]}}
  %y = nn.reshape %x : tensor<4x6x5xf32> -> tensor<1x24x5xf32>
  return %y : tensor<1x24x5xf32>
}
