// Ops that reduce rows: one pass over a row for each reduction that the next
// pass needs.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// The maximum, the exponentials and their sum, the quotients.
// CHECK-LABEL: func.func private @softmax(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_2]], %[[IN]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[EXP]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]], %[[EXP]] : f64, f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_2]] : f64 to f32
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[NARROW]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_6]], %[[QUOTIENT]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @softmax(%x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @softmax_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f64)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_3]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_5]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_4]], %[[DIFFERENCE]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_2]] : f32
func.func private @softmax_grad(%dy: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.softmax_grad %dy, %y : tensor<2x3x4xf32>
  return %dx : tensor<2x3x4xf32>
}

// Mean and variance are sums in f64.
// CHECK-LABEL: func.func private @layer_norm(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[IN]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C0_25:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LOADED]], %[[C0_25]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[PRODUCT]] : f64 to f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_3]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[DIFFERENCE]], %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[WIDE_2:.*]] = arith.extf %[[PRODUCT_2]] : f32 to f64
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_4]], %[[WIDE_2]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_2]] : f64
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[C0_25_2:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT_3:.*]] = arith.mulf %[[LOADED_2]], %[[C0_25_2]] : f64
// CHECK: %[[NARROW_2:.*]] = arith.truncf %[[PRODUCT_3]] : f64 to f32
// CHECK: %[[WIDE_3:.*]] = arith.extf %[[NARROW_2]] : f32 to f64
// CHECK: %[[C1eM05:.*]] = arith.constant 1.000000e-05 : f64
// CHECK: %[[SUM_3:.*]] = arith.addf %[[WIDE_3]], %[[C1eM05]] : f64
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SUM_3]] : f64
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[ROOT]] : f64
// CHECK: %[[NARROW_3:.*]] = arith.truncf %[[QUOTIENT]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[IN_5]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[DIFFERENCE_2]], %[[NARROW_3]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[PRODUCT_4]], %[[IN_6]] : f32
// CHECK-NEXT: %[[SUM_4:.*]] = arith.addf %[[PRODUCT_5]], %[[IN_7]] : f32
// CHECK-NEXT: linalg.yield %[[SUM_4]] : f32
// CHECK: memref.store
// CHECK: memref.store
func.func private @layer_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %y, %m, %r = nn.layer_norm %x scale %s bias %b eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  return %y, %m, %r : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @layer_norm_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64, %[[IN_5:.*]]: f64)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[DIFFERENCE]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[PRODUCT]], %[[PRODUCT_2]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_3]] : f32 to f64
// CHECK-NEXT: %[[WIDE_2:.*]] = arith.extf %[[PRODUCT]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_5]], %[[WIDE_2]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]], %[[SUM_2]] : f64, f64
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[C0_25:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT_4:.*]] = arith.mulf %[[LOADED_3]], %[[C0_25]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[PRODUCT_4]] : f64 to f32
// CHECK: %[[C0_25_2:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT_5:.*]] = arith.mulf %[[LOADED_4]], %[[C0_25_2]] : f64
// CHECK: %[[NARROW_2:.*]] = arith.truncf %[[PRODUCT_5]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[IN_6]], %[[IN_7]] : f32
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[IN_8]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[DIFFERENCE_2]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[PRODUCT_8:.*]] = arith.mulf %[[PRODUCT_7]], %[[NARROW]] : f32
// CHECK-NEXT: %[[DIFFERENCE_3:.*]] = arith.subf %[[PRODUCT_6]], %[[PRODUCT_8]] : f32
// CHECK-NEXT: %[[DIFFERENCE_4:.*]] = arith.subf %[[DIFFERENCE_3]], %[[NARROW_2]] : f32
// CHECK-NEXT: %[[PRODUCT_9:.*]] = arith.mulf %[[DIFFERENCE_4]], %[[LOADED_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_9]] : f32
func.func private @layer_norm_grad(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %m: tensor<2x3xf32>, %r: tensor<2x3xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.layer_norm_grad %dy, %x scale %s mean %m rstd %r
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %dx : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @rms_norm(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[C0_25:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT_2:.*]] = arith.mulf %[[LOADED]], %[[C0_25]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[PRODUCT_2]] : f64 to f32
// CHECK: %[[WIDE_2:.*]] = arith.extf %[[NARROW]] : f32 to f64
// CHECK: %[[C1eM06:.*]] = arith.constant 9.9999999999999995E-7 : f64
// CHECK: %[[SUM_2:.*]] = arith.addf %[[WIDE_2]], %[[C1eM06]] : f64
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SUM_2]] : f64
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[ROOT]] : f64
// CHECK: %[[NARROW_2:.*]] = arith.truncf %[[QUOTIENT]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_3:.*]]: f32, %[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_3]], %[[NARROW_2]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[PRODUCT_3]], %[[IN_4]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_4]] : f32
// CHECK: memref.store
func.func private @rms_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %y, %r = nn.rms_norm %x scale %s eps 1.0e-6 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y, %r : tensor<2x3x4xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @rms_norm_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[PRODUCT]], %[[PRODUCT_2]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_3]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[C0_25:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[PRODUCT_4:.*]] = arith.mulf %[[LOADED_2]], %[[C0_25]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[PRODUCT_4]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[IN_5]], %[[IN_6]] : f32
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[IN_7]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[PRODUCT_6]], %[[NARROW]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT_5]], %[[PRODUCT_7]] : f32
// CHECK-NEXT: %[[PRODUCT_8:.*]] = arith.mulf %[[DIFFERENCE]], %[[LOADED]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_8]] : f32
func.func private @rms_norm_grad(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %r: tensor<2x3xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.rms_norm_grad %dy, %x scale %s rstd %r : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
  return %dx : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @reduce(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[IN]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED]] : f64 to f32
// CHECK: memref.store
func.func private @reduce(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_max(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @reduce_max(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_max %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_min(
// CHECK: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[MIN:.*]] = arith.minimumf %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[MIN]] : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @reduce_min(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_min %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_prod(
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[IN]] : f32 to f64
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED]] : f64 to f32
// CHECK: memref.store
func.func private @reduce_prod(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_prod %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @sum_of_squares(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[IN]] : f32 to f64
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[PRODUCT]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED]] : f64 to f32
// CHECK: memref.store
func.func private @sum_of_squares(%x: tensor<2x3x4xf32>)
    -> tensor<f32> attributes {rt.kernel} {
  %y = nn.sum_of_squares %x : tensor<2x3x4xf32> -> tensor<f32>
  return %y : tensor<f32>
}
