// Ops that reduce rows: a row is swept once for each value that the next sweep
// needs of all of it.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// The maximum, the exponentials and their sum, the quotients.
// CHECK-LABEL: func.func private @softmax(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.maxnumf %[[V2]], %[[V1]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
// CHECK: %[[V4:.*]] = memref.load {{.*}}
// CHECK: %[[V5:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V6:.*]]: f32, %[[V7:.*]]: f64, %[[V8:.*]]: f32)
// CHECK-NEXT: %[[V9:.*]] = arith.subf %[[V6]], %[[V4]] : f32
// CHECK-NEXT: %[[V10:.*]] = math.exp %[[V9]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.extf %[[V10]] : f32 to f64
// CHECK-NEXT: %[[V12:.*]] = arith.addf %[[V7]], %[[V11]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V12]], %[[V10]] : f64, f32
// CHECK: %[[V13:.*]] = memref.load {{.*}}
// CHECK: %[[V14:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V15:.*]] = arith.truncf %[[V13]] : f64 to f32
// CHECK: %[[V16:.*]] = arith.divf %[[V14]], %[[V15]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V17:.*]]: f32, %[[V18:.*]]: f32)
// CHECK-NEXT: %[[V19:.*]] = arith.mulf %[[V17]], %[[V16]] : f32
// CHECK-NEXT: linalg.yield %[[V19]] : f32
func.func private @softmax(%x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @softmax_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32, %[[V3:.*]]: f64)
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V1]], %[[V2]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.extf %[[V4]] : f32 to f64
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V3]], %[[V5]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V6]] : f64
// CHECK: %[[V7:.*]] = memref.load {{.*}}
// CHECK: %[[V8:.*]] = arith.truncf %[[V7]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V9:.*]]: f32, %[[V10:.*]]: f32, %[[V11:.*]]: f32)
// CHECK-NEXT: %[[V12:.*]] = arith.subf %[[V10]], %[[V8]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[V9]], %[[V12]] : f32
// CHECK-NEXT: linalg.yield %[[V13]] : f32
func.func private @softmax_grad(%dy: tensor<2x3x4xf32>, %y: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.softmax_grad %dy, %y : tensor<2x3x4xf32>
  return %dx : tensor<2x3x4xf32>
}

// Mean and variance are sums in f64.
// CHECK-LABEL: func.func private @layer_norm(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V1]] : f32 to f64
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V4]] : f64
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: %[[V6:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V7:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V8:.*]] = arith.mulf %[[V5]], %[[V7]] : f64
// CHECK: %[[V9:.*]] = arith.truncf %[[V8]] : f64 to f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V10:.*]]: f32, %[[V11:.*]]: f64)
// CHECK-NEXT: %[[V12:.*]] = arith.subf %[[V10]], %[[V9]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[V12]], %[[V12]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.extf %[[V13]] : f32 to f64
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V11]], %[[V14]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V15]] : f64
// CHECK: %[[V16:.*]] = memref.load {{.*}}
// CHECK: %[[V17:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[V18:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V19:.*]] = arith.mulf %[[V16]], %[[V18]] : f64
// CHECK: %[[V20:.*]] = arith.truncf %[[V19]] : f64 to f32
// CHECK: %[[V21:.*]] = arith.extf %[[V20]] : f32 to f64
// CHECK: %[[V22:.*]] = arith.constant 1.000000e-05 : f64
// CHECK: %[[V23:.*]] = arith.addf %[[V21]], %[[V22]] : f64
// CHECK: %[[V24:.*]] = math.sqrt %[[V23]] : f64
// CHECK: %[[V25:.*]] = arith.divf %[[V17]], %[[V24]] : f64
// CHECK: %[[V26:.*]] = arith.truncf %[[V25]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V27:.*]]: f32, %[[V28:.*]]: f32, %[[V29:.*]]: f32, %[[V30:.*]]: f32)
// CHECK-NEXT: %[[V31:.*]] = arith.subf %[[V27]], %[[V9]] : f32
// CHECK-NEXT: %[[V32:.*]] = arith.mulf %[[V31]], %[[V26]] : f32
// CHECK-NEXT: %[[V33:.*]] = arith.mulf %[[V32]], %[[V28]] : f32
// CHECK-NEXT: %[[V34:.*]] = arith.addf %[[V33]], %[[V29]] : f32
// CHECK-NEXT: linalg.yield %[[V34]] : f32
// CHECK: memref.store
// CHECK: memref.store
func.func private @layer_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %y, %m, %r = nn.layer_norm %x scale %s bias %b eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  return %y, %m, %r : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @layer_norm_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: %[[V3:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V4:.*]]: f32, %[[V5:.*]]: f32, %[[V6:.*]]: f32, %[[V7:.*]]: f64, %[[V8:.*]]: f64)
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V4]], %[[V5]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.subf %[[V6]], %[[V2]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.mulf %[[V10]], %[[V3]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.mulf %[[V9]], %[[V11]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.extf %[[V12]] : f32 to f64
// CHECK-NEXT: %[[V14:.*]] = arith.extf %[[V9]] : f32 to f64
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V7]], %[[V13]] fastmath<reassoc> : f64
// CHECK-NEXT: %[[V16:.*]] = arith.addf %[[V8]], %[[V14]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V15]], %[[V16]] : f64, f64
// CHECK: %[[V17:.*]] = memref.load {{.*}}
// CHECK: %[[V18:.*]] = memref.load {{.*}}
// CHECK: %[[V19:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V20:.*]] = arith.mulf %[[V17]], %[[V19]] : f64
// CHECK: %[[V21:.*]] = arith.truncf %[[V20]] : f64 to f32
// CHECK: %[[V22:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V23:.*]] = arith.mulf %[[V18]], %[[V22]] : f64
// CHECK: %[[V24:.*]] = arith.truncf %[[V23]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V25:.*]]: f32, %[[V26:.*]]: f32, %[[V27:.*]]: f32, %[[V28:.*]]: f32)
// CHECK-NEXT: %[[V29:.*]] = arith.mulf %[[V25]], %[[V26]] : f32
// CHECK-NEXT: %[[V30:.*]] = arith.subf %[[V27]], %[[V2]] : f32
// CHECK-NEXT: %[[V31:.*]] = arith.mulf %[[V30]], %[[V3]] : f32
// CHECK-NEXT: %[[V32:.*]] = arith.mulf %[[V31]], %[[V21]] : f32
// CHECK-NEXT: %[[V33:.*]] = arith.subf %[[V29]], %[[V32]] : f32
// CHECK-NEXT: %[[V34:.*]] = arith.subf %[[V33]], %[[V24]] : f32
// CHECK-NEXT: %[[V35:.*]] = arith.mulf %[[V34]], %[[V3]] : f32
// CHECK-NEXT: linalg.yield %[[V35]] : f32
func.func private @layer_norm_grad(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %m: tensor<2x3xf32>, %r: tensor<2x3xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.layer_norm_grad %dy, %x scale %s mean %m rstd %r
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return %dx : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @rms_norm(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V1]], %[[V1]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.extf %[[V3]] : f32 to f64
// CHECK-NEXT: %[[V5:.*]] = arith.addf %[[V2]], %[[V4]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V5]] : f64
// CHECK: %[[V6:.*]] = memref.load {{.*}}
// CHECK: %[[V7:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[V8:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V9:.*]] = arith.mulf %[[V6]], %[[V8]] : f64
// CHECK: %[[V10:.*]] = arith.truncf %[[V9]] : f64 to f32
// CHECK: %[[V11:.*]] = arith.extf %[[V10]] : f32 to f64
// CHECK: %[[V12:.*]] = arith.constant 9.9999999999999995E-7 : f64
// CHECK: %[[V13:.*]] = arith.addf %[[V11]], %[[V12]] : f64
// CHECK: %[[V14:.*]] = math.sqrt %[[V13]] : f64
// CHECK: %[[V15:.*]] = arith.divf %[[V7]], %[[V14]] : f64
// CHECK: %[[V16:.*]] = arith.truncf %[[V15]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V17:.*]]: f32, %[[V18:.*]]: f32, %[[V19:.*]]: f32)
// CHECK-NEXT: %[[V20:.*]] = arith.mulf %[[V17]], %[[V16]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.mulf %[[V20]], %[[V18]] : f32
// CHECK-NEXT: linalg.yield %[[V21]] : f32
// CHECK: memref.store
func.func private @rms_norm(%x: tensor<2x3x4xf32>, %s: tensor<4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %y, %r = nn.rms_norm %x scale %s eps 1.0e-6 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return %y, %r : tensor<2x3x4xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @rms_norm_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32, %[[V4:.*]]: f32, %[[V5:.*]]: f64)
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V2]], %[[V3]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V4]], %[[V1]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V6]], %[[V7]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.extf %[[V8]] : f32 to f64
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V5]], %[[V9]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V10]] : f64
// CHECK: %[[V11:.*]] = memref.load {{.*}}
// CHECK: %[[V12:.*]] = arith.constant 2.500000e-01 : f64
// CHECK: %[[V13:.*]] = arith.mulf %[[V11]], %[[V12]] : f64
// CHECK: %[[V14:.*]] = arith.truncf %[[V13]] : f64 to f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V15:.*]]: f32, %[[V16:.*]]: f32, %[[V17:.*]]: f32, %[[V18:.*]]: f32)
// CHECK-NEXT: %[[V19:.*]] = arith.mulf %[[V15]], %[[V16]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.mulf %[[V17]], %[[V1]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.mulf %[[V20]], %[[V14]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.subf %[[V19]], %[[V21]] : f32
// CHECK-NEXT: %[[V23:.*]] = arith.mulf %[[V22]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V23]] : f32
func.func private @rms_norm_grad(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %s: tensor<4xf32>, %r: tensor<2x3xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %dx = nn.rms_norm_grad %dy, %x scale %s rstd %r : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>
  return %dx : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @reduce(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V1]] : f32 to f64
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V4]] : f64
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: %[[V6:.*]] = arith.truncf %[[V5]] : f64 to f32
// CHECK: memref.store
func.func private @reduce(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_max(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.maximumf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
// CHECK: %[[V4:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @reduce_max(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_max %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_min(
// CHECK: %[[V0:.*]] = arith.constant 0x7F800000 : f32
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.minimumf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
// CHECK: %[[V4:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @reduce_min(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_min %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @reduce_prod(
// CHECK: %[[V0:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V1]] : f32 to f64
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V2]], %[[V3]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V4]] : f64
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: %[[V6:.*]] = arith.truncf %[[V5]] : f64 to f32
// CHECK: memref.store
func.func private @reduce_prod(%x: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %y = nn.reduce_prod %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @sum_of_squares(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V1]] : f32 to f64
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V3]], %[[V3]] : f64
// CHECK-NEXT: %[[V5:.*]] = arith.addf %[[V2]], %[[V4]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V5]] : f64
// CHECK: %[[V6:.*]] = memref.load {{.*}}
// CHECK: %[[V7:.*]] = arith.truncf %[[V6]] : f64 to f32
// CHECK: memref.store
func.func private @sum_of_squares(%x: tensor<2x3x4xf32>)
    -> tensor<f32> attributes {rt.kernel} {
  %y = nn.sum_of_squares %x : tensor<2x3x4xf32> -> tensor<f32>
  return %y : tensor<f32>
}
