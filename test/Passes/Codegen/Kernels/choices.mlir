// Options of a back end: the type of sums, and the number of columns per work
// item.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: pcc-opt %s \
// RUN:   -rt-tile-kernels='accumulator-bits=32 column-block=32' \
// RUN:   -rt-verify-kernels | FileCheck %s --check-prefixes=CHECK,NARROW

// Rounded once, after the scale.
// CHECK-LABEL: func.func private @mean(
// WIDE: memref.alloca() {{.*}} : memref<f64>
// WIDE: %[[SUM:.*]] = memref.load {{.*}} : memref<f64>
// WIDE: %[[SCALED:.*]] = arith.mulf %[[SUM]], {{.*}} : f64
// WIDE: arith.truncf %[[SCALED]] : f64 to f32
// NARROW: memref.alloca() {{.*}} : memref<f32>
// NARROW: %[[SUM:.*]] = memref.load {{.*}} : memref<f32>
// NARROW: arith.mulf %[[SUM]], {{.*}} : f32
// CHECK: memref.store
func.func private @mean(%x: tensor<2x4xf32>, %g: tensor<4xf32>)
    -> (tensor<2x4xf32>, tensor<2xf32>) attributes {rt.kernel} {
  %y, %r = nn.rms_norm %x scale %g eps 1.0e-5
      : tensor<2x4xf32>, tensor<4xf32> -> tensor<2xf32>
  return %y, %r : tensor<2x4xf32>, tensor<2xf32>
}

// Squares are computed in the wide type.
// CHECK-LABEL: func.func private @norm(
// WIDE: %[[X:.*]] = arith.extf {{.*}} : f32 to f64
// WIDE: arith.mulf %[[X]], %[[X]] : f64
// NARROW: linalg.generic
// NARROW: arith.mulf %[[X:.*]], %[[X]] : f32
func.func private @norm(%x: tensor<2x4xf32>) -> tensor<f32>
    attributes {rt.kernel} {
  %n = nn.sum_of_squares %x : tensor<2x4xf32> -> tensor<f32>
  return %n : tensor<f32>
}

// A maximum is exact in its own type.
// CHECK-LABEL: func.func private @largest(
// CHECK: memref.alloca() {{.*}} : memref<f32>
// CHECK-NOT: f64
// CHECK: return
func.func private @largest(%x: tensor<2x4xf32>) -> tensor<2xf32>
    attributes {rt.kernel} {
  %m = nn.reduce_max %x [1] : tensor<2x4xf32> -> tensor<2xf32>
  return %m : tensor<2xf32>
}

// CHECK-LABEL: func.func private @columns(
// WIDE-SAME: rt.units = 2
// NARROW-SAME: rt.units = 4
// WIDE: memref.alloca() {{.*}} : memref<64xf64>
// NARROW: memref.alloca() {{.*}} : memref<32xf32>
func.func private @columns(%x: tensor<3x128xf32>) -> tensor<128xf32>
    attributes {rt.kernel} {
  %s = nn.reduce %x [0] : tensor<3x128xf32> -> tensor<128xf32>
  return %s : tensor<128xf32>
}
