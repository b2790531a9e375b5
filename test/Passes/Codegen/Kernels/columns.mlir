// Kernels that are no sweeps of one row: sums over rows, column by column, in
// f64; sums by ids; rotations of pairs.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func private @layer_norm_grad_scale(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V3:.*]]: f32, %[[V4:.*]]: f32, %[[V5:.*]]: f64)
// CHECK-NEXT: %[[V6:.*]] = arith.subf %[[V4]], %[[V1]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V6]], %[[V2]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V3]], %[[V7]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.extf %[[V8]] : f32 to f64
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V5]], %[[V9]] : f64
// CHECK-NEXT: linalg.yield %[[V10]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V11:.*]]: f64, %[[V12:.*]]: f32)
// CHECK-NEXT: %[[V13:.*]] = arith.truncf %[[V11]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[V13]] : f32
func.func private @layer_norm_grad_scale(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %m: tensor<2x3xf32>, %r: tensor<2x3xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %ds = nn.layer_norm_grad_scale %dy, %x mean %m rstd %r
      : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4xf32>
  return %ds : tensor<4xf32>
}

// CHECK-LABEL: func.func private @rms_norm_grad_scale(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32, %[[V4:.*]]: f64)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V3]], %[[V1]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V2]], %[[V5]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.extf %[[V6]] : f32 to f64
// CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V4]], %[[V7]] : f64
// CHECK-NEXT: linalg.yield %[[V8]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V9:.*]]: f64, %[[V10:.*]]: f32)
// CHECK-NEXT: %[[V11:.*]] = arith.truncf %[[V9]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[V11]] : f32
func.func private @rms_norm_grad_scale(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %ds = nn.rms_norm_grad_scale %dy, %x rstd %r : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<4xf32>
  return %ds : tensor<4xf32>
}

// CHECK-LABEL: func.func private @bias_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f64)
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V1]] : f32 to f64
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] : f64
// CHECK-NEXT: linalg.yield %[[V4]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V5:.*]]: f64, %[[V6:.*]]: f32)
// CHECK-NEXT: %[[V7:.*]] = arith.truncf %[[V5]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[V7]] : f32
func.func private @bias_grad(%dy: tensor<2x3x4xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %db = nn.reduce %dy [0, 1] : tensor<2x3x4xf32> -> tensor<4xf32>
  return %db : tensor<4xf32>
}

// A table is cleared, then rows are added to where ids say.
// CHECK-LABEL: func.func private @embedding_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = arith.index_cast %[[V1]] : i64 to index
// CHECK: %[[V3:.*]] = arith.cmpi ult, %[[V2]], %{{.*}} : index
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V4:.*]]: f32, %[[V5:.*]]: f32)
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V4]] : f32
// CHECK-NEXT: linalg.yield %[[V6]] : f32
func.func private @embedding_grad(%dy: tensor<2x3x4xf32>, %ids: tensor<2x3xi64>)
    -> tensor<7x4xf32> attributes {rt.kernel} {
  %dt = nn.embedding_grad %dy, %ids : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  return %dt : tensor<7x4xf32>
}

// Sines and cosines are computed once for all heads of a position.
// CHECK-LABEL: func.func private @rope(
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.sitofp %[[V0]] : i64 to f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f64, %[[V3:.*]]: f32, %[[V4:.*]]: f32)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V1]], %[[V2]] : f64
// CHECK-NEXT: %[[V6:.*]] = math.cos %[[V5]] : f64
// CHECK-NEXT: %[[V7:.*]] = math.sin %[[V5]] : f64
// CHECK-NEXT: %[[V8:.*]] = arith.truncf %[[V6]] : f64 to f32
// CHECK-NEXT: %[[V9:.*]] = arith.truncf %[[V7]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[V8]], %[[V9]] : f32, f32
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V10:.*]]: f32, %[[V11:.*]]: f32, %[[V12:.*]]: f32, %[[V13:.*]]: f32, %[[V14:.*]]: f32, %[[V15:.*]]: f32)
// CHECK-NEXT: %[[V16:.*]] = arith.mulf %[[V10]], %[[V12]] : f32
// CHECK-NEXT: %[[V17:.*]] = arith.mulf %[[V11]], %[[V13]] : f32
// CHECK-NEXT: %[[V18:.*]] = arith.subf %[[V16]], %[[V17]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.mulf %[[V11]], %[[V12]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.mulf %[[V10]], %[[V13]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.addf %[[V19]], %[[V20]] : f32
// CHECK-NEXT: linalg.yield %[[V18]], %[[V21]] : f32, f32
func.func private @rope(%x: tensor<2x3x2x4xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x4xf32> attributes {rt.kernel} {
  %y = nn.rope %x positions %at theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func private @rope_inverse(
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.sitofp %[[V0]] : i64 to f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f64, %[[V3:.*]]: f32, %[[V4:.*]]: f32)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V1]], %[[V2]] : f64
// CHECK-NEXT: %[[V6:.*]] = math.cos %[[V5]] : f64
// CHECK-NEXT: %[[V7:.*]] = math.sin %[[V5]] : f64
// CHECK-NEXT: %[[V8:.*]] = arith.negf %[[V7]] : f64
// CHECK-NEXT: %[[V9:.*]] = arith.truncf %[[V6]] : f64 to f32
// CHECK-NEXT: %[[V10:.*]] = arith.truncf %[[V8]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[V9]], %[[V10]] : f32, f32
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V11:.*]]: f32, %[[V12:.*]]: f32, %[[V13:.*]]: f32, %[[V14:.*]]: f32, %[[V15:.*]]: f32, %[[V16:.*]]: f32)
// CHECK-NEXT: %[[V17:.*]] = arith.mulf %[[V11]], %[[V13]] : f32
// CHECK-NEXT: %[[V18:.*]] = arith.mulf %[[V12]], %[[V14]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.subf %[[V17]], %[[V18]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.mulf %[[V12]], %[[V13]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.mulf %[[V11]], %[[V14]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.addf %[[V20]], %[[V21]] : f32
// CHECK-NEXT: linalg.yield %[[V19]], %[[V22]] : f32, f32
func.func private @rope_inverse(%x: tensor<2x3x2x4xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x4xf32> attributes {rt.kernel} {
  %y = nn.rope inverse %x positions %at theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x4xf32>
}
