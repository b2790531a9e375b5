// An op that reads or writes rows of its own sample keeps samples separate,
// though the rows of all samples are in one table. So does an op that also
// processes another view of the samples. An op that accesses another sample's
// rows does not.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss=loss=mse
// RUN: pcc-opt %s --split-input-file --nn-attach-loss="loss=mse whole-batch" \
// RUN:   | FileCheck %s

// CHECK: module attributes {nn.loss = "mse"}
func.func @forward(%x: tensor<2x4x3xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %i: tensor<2x5xi64> {nn.name = "i", nn.role = #nn.role<data>})
    -> (tensor<2x5x3xf32> {nn.name = "y"}) {
  %table = nn.reshape %x : tensor<2x4x3xf32> -> tensor<8x3xf32>
  %first = nn.constant dense<[0, 1]> : tensor<2xi64>
  %wide = nn.broadcast %first [0] : tensor<2xi64> -> tensor<2x5xi64>
  %four = nn.constant dense<4> : tensor<2x5xi64>
  %row = nn.mul %wide, %four : tensor<2x5xi64>
  %ids = nn.sum %i, %row : tensor<2x5xi64>
  %y = nn.embedding %ids, %table : tensor<2x5xi64>, tensor<8x3xf32> -> tensor<2x5x3xf32>
  return %y : tensor<2x5x3xf32>
}

// -----

// The next sample's rows.
// CHECK: nn.whole_batch = {{.*}}combines several samples
// expected-error @below {{does not follow from those of its parts: }}
// expected-note @+5 {{train without --dp and in one microbatch}}
func.func @forward(%x: tensor<2x4x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x2x3xf32> {nn.name = "y"}) {
  %table = nn.reshape %x : tensor<2x4x3xf32> -> tensor<8x3xf32>
  %ids = nn.constant dense<[[4, 5], [0, 1]]> : tensor<2x2xi64>
  %y = nn.embedding %ids, %table : tensor<2x2xi64>, tensor<8x3xf32> -> tensor<2x2x3xf32>
  return %y : tensor<2x2x3xf32>
}

// -----

// Rows 1 and 2 of each sample, after one of zeros.
// CHECK: module attributes {nn.loss = "mse"}
func.func @forward(%x: tensor<2x2x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3x3xf32> {nn.name = "y"}) {
  %ids = nn.constant dense<[[1, 2], [4, 5]]> : tensor<2x2xi64>
  %rows = nn.embedding_grad %x, %ids : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<6x3xf32>
  %y = nn.reshape %rows : tensor<6x3xf32> -> tensor<2x3x3xf32>
  return %y : tensor<2x3x3xf32>
}

// -----

// One op processes two views of the samples.
// CHECK: module attributes {nn.loss = "mse"}
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3xf32> {nn.name = "y"}) {
  %half = nn.scale %x by 5.000000e-01 : tensor<2x3xf32>
  %both = nn.concat %x, %half along 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  %tanh = nn.tanh %both : tensor<4x3xf32>
  %a = nn.slice %tanh at [0, 0] step [1, 1] : tensor<4x3xf32> -> tensor<2x3xf32>
  %b = nn.slice %tanh at [2, 0] step [1, 1] : tensor<4x3xf32> -> tensor<2x3xf32>
  %y = nn.mul %a, %b : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Each sample reads the previous sample's rows.
// CHECK: nn.whole_batch = {{.*}}combines several samples
// expected-error @below {{does not follow from those of its parts: }}
// expected-note @+3 {{train without --dp and in one microbatch}}
func.func @forward(%x: tensor<4x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<4x3xf32> {nn.name = "y"}) {
  %last = nn.slice %x at [3, 0] step [1, 1] : tensor<4x3xf32> -> tensor<1x3xf32>
  %rest = nn.slice %x at [0, 0] step [1, 1] : tensor<4x3xf32> -> tensor<3x3xf32>
  %y = nn.concat %last, %rest along 0 : tensor<1x3xf32>, tensor<3x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// A table that was repeated for the heads of each sample, merged with them.
// CHECK: module attributes {nn.loss = "mse"}
nn.param @w : tensor<3x5xf32> init normal
func.func @forward(%x: tensor<2x3x5xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<6x5xf32> {nn.name = "y"}) {
  %w = nn.read @w : tensor<3x5xf32>
  %each = nn.broadcast %w [1, 2] : tensor<3x5xf32> -> tensor<2x3x5xf32>
  %flat = nn.reshape %each : tensor<2x3x5xf32> -> tensor<6x5xf32>
  %rows = nn.reshape %x : tensor<2x3x5xf32> -> tensor<6x5xf32>
  %y = nn.mul %rows, %flat : tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}
