// An attached loss is summed over microbatches and ranks, unless the model
// certainly combines several samples: then a step is one microbatch of one
// rank.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss=loss=mse
// RUN: pcc-opt %s --split-input-file --nn-attach-loss="loss=mse whole-batch" \
// RUN:   | FileCheck %s

// The mean over samples is subtracted from each.
// CHECK: module attributes {nn.loss = "mse", nn.whole_batch = {{.*}}computes with a sum over samples
// expected-error @below {{does not follow from those of its parts: }}
// expected-note @+5 {{train without --dp and in one microbatch}}
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {nn.name = "y"}) {
  %sum = nn.reduce %x [0] : tensor<2x4xf32> -> tensor<4xf32>
  %wide = nn.broadcast %sum [1] : tensor<4xf32> -> tensor<2x4xf32>
  %y = nn.sub %x, %wide : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// CHECK: nn.whole_batch = {{.*}}combines several samples
// expected-error @below {{does not follow from those of its parts: }}
// expected-note @+3 {{train without --dp and in one microbatch}}
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x2xf32> {nn.name = "y"}) {
  %y = nn.contract "ad,bd->ab" %x, %x : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// CHECK: nn.whole_batch = {{.*}}combines several samples
// expected-error @below {{does not follow from those of its parts: }}
// expected-note @+3 {{train without --dp and in one microbatch}}
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {nn.name = "y"}) {
  %top = nn.reduce_max %x [0] : tensor<2x4xf32> -> tensor<4xf32>
  %wide = nn.broadcast %top [1] : tensor<4xf32> -> tensor<2x4xf32>
  %y = nn.mul %x, %wide : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// One sample: rows of its sequence are not several samples, nor are elements of
// a dim that was split from a dim of extent 1.
// CHECK-NOT: whole_batch
func.func @forward(%x: tensor<1x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<1x4xf32> {nn.name = "y"}) {
  %rows = nn.reshape %x : tensor<1x4xf32> -> tensor<4xf32>
  %top = nn.reduce_max %rows [0] : tensor<4xf32> -> tensor<f32>
  %wide = nn.broadcast %top [] : tensor<f32> -> tensor<1x4xf32>
  %list = nn.reshape %x : tensor<1x4xf32> -> tensor<1x1x4xf32>
  %mean = nn.reduce %list [0] : tensor<1x1x4xf32> -> tensor<1x4xf32>
  %y = nn.mul %mean, %wide : tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

// An op that may only move samples is reported: here rows of both.
// CHECK-NOT: whole_batch
// expected-warning @+2 {{the losses of the samples are not proven to be independent: }}
// expected-note @+1 {{if it combines several samples, train without --dp}}
func.func @forward(%x: tensor<2x6xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x6xf32> {nn.name = "y"}) {
  %t = nn.transpose %x [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  %r = nn.reshape %t : tensor<6x2xf32> -> tensor<4x3xf32>
  %y = nn.reshape %r : tensor<4x3xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// -----

// CHECK-NOT: whole_batch
// expected-warning @+2 {{depends on the index of each of the samples}}
// expected-note @+1 {{if it combines several samples}}
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {nn.name = "y"}) {
  %n = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<2x4xf32>
  %y = nn.mul %x, %n : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// A test for overflows in any value, as in T5 for fp16, most likely does not
// combine samples.
// CHECK: module attributes {nn.loss = "mse"}
// expected-warning @+2 {{the losses of the samples are not proven to be independent: 'nn.reduce_max' combines several samples}}
// expected-note @+1 {{if it combines several samples}}
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {nn.name = "y"}) {
  %inf = nn.constant dense<0x7F800000> : tensor<2x4xf32>
  %is = nn.compare eq %x, %inf : tensor<2x4xf32> -> tensor<2x4xi1>
  %whole = nn.cast %is : tensor<2x4xi1> -> tensor<2x4xi64>
  %any = nn.reduce_max %whole [0, 1] : tensor<2x4xi64> -> tensor<i64>
  %is_any = nn.cast %any : tensor<i64> -> tensor<i1>
  %less = nn.constant dense<6.450400e+04> : tensor<f32>
  %most = nn.constant dense<6.550400e+04> : tensor<f32>
  %bound = nn.where %is_any, %less, %most : tensor<i1>, tensor<f32>
  %wide = nn.broadcast %bound [] : tensor<f32> -> tensor<2x4xf32>
  %y = nn.min %x, %wide : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
