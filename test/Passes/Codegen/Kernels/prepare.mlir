// Sums are split into sums of rows and sums over rows before kernels are
// formed, and the dims of other reductions are moved to the end.
// RUN: pcc-opt %s -split-input-file --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s

// A full sum is one work item up to 16384 elements,
// CHECK-LABEL: func.func @small(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<128x128xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K0]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<128x128xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0, 1] : tensor<128x128xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @small(%x: tensor<128x128xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0, 1] : tensor<128x128xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// beyond, rows are summed first,
// CHECK-LABEL: func.func @large(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<128x129xf32>) -> tensor<128xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<128xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<128x129xf32>) -> tensor<128xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [1] : tensor<128x129xf32> -> tensor<128xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<128xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<128xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<128xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @large(%x: tensor<128x129xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0, 1] : tensor<128x129xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// over so many dims that at most 65536 row sums remain,
// CHECK-LABEL: func.func @many_rows(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<256x256x2x2xf32>) -> tensor<256x256xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<256x256xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<256x256x2x2xf32>) -> tensor<256x256xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [2, 3] : tensor<256x256x2x2xf32> -> tensor<256x256xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<256x256xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<256x256xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0, 1] : tensor<256x256xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @many_rows(%x: tensor<256x256x2x2xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0, 1, 2, 3] : tensor<256x256x2x2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @too_many_rows(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<256x257x2xf32>) -> tensor<256xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<256xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<256x257x2xf32>) -> tensor<256xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [1, 2] : tensor<256x257x2xf32> -> tensor<256xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<256xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<256xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<256xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @too_many_rows(%x: tensor<256x257x2xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0, 1, 2] : tensor<256x257x2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// and one dim is cut into rows of up to 4096, or the longest that divides it,
// CHECK-LABEL: func.func @one_dim(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<32776xf32>) -> tensor<17xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<17xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<32776xf32>) -> tensor<17xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %arg0 : tensor<32776xf32> -> tensor<17x1928xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %[[RESHAPE]] [1] : tensor<17x1928xf32> -> tensor<17xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<17xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<17xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<17xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @one_dim(%x: tensor<32776xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0] : tensor<32776xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// of at least 64.
// CHECK-LABEL: func.func @no_divisor(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<16411xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K0]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<16411xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<16411xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @no_divisor(%x: tensor<16411xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0] : tensor<16411xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @least_divisor(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<1050304xf32>) -> tensor<16411xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<16411xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<1050304xf32>) -> tensor<16411xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %arg0 : tensor<1050304xf32> -> tensor<16411x64xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %[[RESHAPE]] [1] : tensor<16411x64xf32> -> tensor<16411xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<16411xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<16411xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<16411xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @least_divisor(%x: tensor<1050304xf32>) -> tensor<f32> {
  %s = nn.reduce %x [0] : tensor<1050304xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Sums of squares are split like others, in f32; short ones stay one op.
// CHECK-LABEL: func.func @squares(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_mul_reduce(%arg0) : (tensor<128x129xbf16>) -> tensor<128xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<128xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_mul_reduce(%arg0: tensor<128x129xbf16>) -> tensor<128xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[CAST:.*]] = nn.cast %arg0 : tensor<128x129xbf16> -> tensor<128x129xf32>
// CHECK-NEXT: %[[MUL:.*]] = nn.mul %[[CAST]], %[[CAST]] : tensor<128x129xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %[[MUL]] [1] : tensor<128x129xf32> -> tensor<128xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<128xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<128xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<128xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @squares(%x: tensor<128x129xbf16>) -> tensor<f32> {
  %s = nn.sum_of_squares %x : tensor<128x129xbf16> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @wide_squares(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_mul_reduce(%arg0) : (tensor<128x129xf32>) -> tensor<128xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<128xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K1]] : tensor<f32>
// CHECK: func.func private @kernel_0_mul_reduce(%arg0: tensor<128x129xf32>) -> tensor<128xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[MUL:.*]] = nn.mul %arg0, %arg0 : tensor<128x129xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %[[MUL]] [1] : tensor<128x129xf32> -> tensor<128xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<128xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<128xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<128xf32> -> tensor<f32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<f32>
func.func @wide_squares(%x: tensor<128x129xf32>) -> tensor<f32> {
  %s = nn.sum_of_squares %x : tensor<128x129xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @few_squares(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_sum_of_squares(%arg0) : (tensor<128x128xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[K0]] : tensor<f32>
// CHECK: func.func private @kernel_0_sum_of_squares(%arg0: tensor<128x128xf32>) -> tensor<f32> attributes {rt.kernel}
// CHECK-NEXT: %[[SUM_OF_SQUARES:.*]] = nn.sum_of_squares %arg0 : tensor<128x128xf32> -> tensor<f32>
// CHECK-NEXT: return %[[SUM_OF_SQUARES]] : tensor<f32>
func.func @few_squares(%x: tensor<128x128xf32>) -> tensor<f32> {
  %s = nn.sum_of_squares %x : tensor<128x128xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Trailing dims are summed first, then leading ones.
// CHECK-LABEL: func.func @both_ends(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]) : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %[[K1]] : tensor<3xf32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [2, 3] : tensor<2x3x4x5xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<2x3xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<2x3xf32>) -> tensor<3xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<2x3xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<3xf32>
func.func @both_ends(%x: tensor<2x3x4x5xf32>) -> tensor<3xf32> {
  %s = nn.reduce %x [0, 2, 3] : tensor<2x3x4x5xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @one_end(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%arg1) : (tensor<2x3x4x5xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: return %[[K0]], %[[K1]] : tensor<2x3xf32>, tensor<4x5xf32>
// CHECK: func.func private @kernel_0_reduce(%arg0: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [2, 3] : tensor<2x3x4x5xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<2x3xf32>
// CHECK: func.func private @kernel_1_reduce(%arg0: tensor<2x3x4x5xf32>) -> tensor<4x5xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0, 1] : tensor<2x3x4x5xf32> -> tensor<4x5xf32>
// CHECK-NEXT: return %[[REDUCE]] : tensor<4x5xf32>
func.func @one_end(%x: tensor<2x3x4x5xf32>, %y: tensor<2x3x4x5xf32>)
    -> (tensor<2x3xf32>, tensor<4x5xf32>) {
  %s = nn.reduce %x [2, 3] : tensor<2x3x4x5xf32> -> tensor<2x3xf32>
  %t = nn.reduce %y [0, 1] : tensor<2x3x4x5xf32> -> tensor<4x5xf32>
  return %s, %t : tensor<2x3xf32>, tensor<4x5xf32>
}

// -----

// Maxima and minima are computed along rows only: other dims are transposed.
// CHECK-LABEL: func.func @maximum(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_transpose(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x4x3x5xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce_max(%[[K0]]) : (tensor<2x4x3x5xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[K1]] : tensor<2x4xf32>
// CHECK: func.func private @kernel_0_transpose(%arg0: tensor<2x3x4x5xf32>) -> tensor<2x4x3x5xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg0 [0, 2, 1, 3] : tensor<2x3x4x5xf32> -> tensor<2x4x3x5xf32>
// CHECK-NEXT: return %[[TRANSPOSE]] : tensor<2x4x3x5xf32>
// CHECK: func.func private @kernel_1_reduce_max(%arg0: tensor<2x4x3x5xf32>) -> tensor<2x4xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE_MAX:.*]] = nn.reduce_max %arg0 [2, 3] : tensor<2x4x3x5xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[REDUCE_MAX]] : tensor<2x4xf32>
func.func @maximum(%x: tensor<2x3x4x5xf32>) -> tensor<2x4xf32> {
  %s = nn.reduce_max %x [1, 3] : tensor<2x3x4x5xf32> -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @minimum_of_rows(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce_min(%arg0) : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[K0]] : tensor<2x3xf32>
// CHECK: func.func private @kernel_0_reduce_min(%arg0: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE_MIN:.*]] = nn.reduce_min %arg0 [2, 3] : tensor<2x3x4x5xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[REDUCE_MIN]] : tensor<2x3xf32>
func.func @minimum_of_rows(%x: tensor<2x3x4x5xf32>) -> tensor<2x3xf32> {
  %s = nn.reduce_min %x [2, 3] : tensor<2x3x4x5xf32> -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @product(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_transpose(%arg0) : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce_prod(%[[K0]]) : (tensor<3x2xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %[[K1]] : tensor<3xf32>
// CHECK: func.func private @kernel_0_transpose(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg0 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK-NEXT: return %[[TRANSPOSE]] : tensor<3x2xf32>
// CHECK: func.func private @kernel_1_reduce_prod(%arg0: tensor<3x2xf32>) -> tensor<3xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE_PROD:.*]] = nn.reduce_prod %arg0 [1] : tensor<3x2xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[REDUCE_PROD]] : tensor<3xf32>
func.func @product(%x: tensor<2x3xf32>) -> tensor<3xf32> {
  %s = nn.reduce_prod %x [0] : tensor<2x3xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// A sum that is written to an argument is computed by a kernel, except results
// of GEMMs, also reshaped ones, which the GEMM accumulates.
// CHECK-LABEL: pipe.body @accumulate
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_sum(%x, %s) : (tensor<4x4xbf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "abk,kn->abn" %y, %z : tensor<2x2x4xf32>, tensor<4x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %[[CONTRACT]] : tensor<2x2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[K0]], %[[RESHAPE]] {rt.adds_in_place} : tensor<4x4xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,kn->mn" %z, %z : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[K1:.*]] = func.call @kernel_1_sum(%[[SUM]], %[[CONTRACT1]]) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[CONTRACT1]], %[[K1]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @accumulate (%x: tensor<4x4xbf16>, %y: tensor<2x2x4xf32>,
    %z: tensor<4x4xf32>, %s: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> into 3) {
  %cast = nn.cast %x : tensor<4x4xbf16> -> tensor<4x4xf32>
  %s1 = nn.sum %s, %cast : tensor<4x4xf32>
  %a = nn.contract "abk,kn->abn" %y, %z : tensor<2x2x4xf32>, tensor<4x4xf32> -> tensor<2x2x4xf32>
  %b = nn.reshape %a : tensor<2x2x4xf32> -> tensor<4x4xf32>
  %s2 = nn.sum %s1, %b {rt.adds_in_place} : tensor<4x4xf32>
  %c = nn.contract "mk,kn->mn" %z, %z : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %s3 = nn.sum %s2, %c : tensor<4x4xf32>
  pipe.yield %c, %s3 : tensor<4x4xf32>, tensor<4x4xf32>
}
