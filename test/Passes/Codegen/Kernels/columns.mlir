// Kernels other than passes over a row: sums over rows, column by column, in
// f64; sums by ids; rotary embeddings.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func private @layer_norm_grad_scale(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f64)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_2]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[DIFFERENCE]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[PRODUCT]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_2]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_3]], %[[WIDE]] : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[IN_4]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[NARROW]] : f32
func.func private @layer_norm_grad_scale(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %m: tensor<2x3xf32>, %r: tensor<2x3xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %ds = nn.layer_norm_grad_scale %dy, %x mean %m rstd %r
      : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4xf32>
  return %ds : tensor<4xf32>
}

// CHECK-LABEL: func.func private @rms_norm_grad_scale(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f64)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[PRODUCT]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_2]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_3]], %[[WIDE]] : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[IN_4]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[NARROW]] : f32
func.func private @rms_norm_grad_scale(%dy: tensor<2x3x4xf32>, %x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %ds = nn.rms_norm_grad_scale %dy, %x rstd %r : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<4xf32>
  return %ds : tensor<4xf32>
}

// CHECK-LABEL: func.func private @bias_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[IN]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[WIDE]] : f64
// CHECK-NEXT: linalg.yield %[[SUM]] : f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_3:.*]]: f64, %[[IN_4:.*]]: f32)
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[IN_3]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[NARROW]] : f32
func.func private @bias_grad(%dy: tensor<2x3x4xf32>)
    -> tensor<4xf32> attributes {rt.kernel} {
  %db = nn.reduce %dy [0, 1] : tensor<2x3x4xf32> -> tensor<4xf32>
  return %db : tensor<4xf32>
}

// A table is cleared, then rows are added at the ids.
// CHECK-LABEL: func.func private @embedding_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[LOADED]] : i64 to index
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[NUMBER]], %{{.*}} : index
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
func.func private @embedding_grad(%dy: tensor<2x3x4xf32>, %ids: tensor<2x3xi64>)
    -> tensor<7x4xf32> attributes {rt.kernel} {
  %dt = nn.embedding_grad %dy, %ids : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  return %dt : tensor<7x4xf32>
}

// Sines and cosines are computed once for all heads of a position.
// CHECK-LABEL: func.func private @rope(
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[LOADED]] : i64 to f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f64, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[FLOAT]], %[[IN]] : f64
// CHECK-NEXT: %[[COSINE:.*]] = math.cos %[[PRODUCT]] : f64
// CHECK-NEXT: %[[SINE:.*]] = math.sin %[[PRODUCT]] : f64
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[COSINE]] : f64 to f32
// CHECK-NEXT: %[[NARROW_2:.*]] = arith.truncf %[[SINE]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[NARROW]], %[[NARROW_2]] : f32, f32
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_4]], %[[IN_6]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_5]], %[[IN_7]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT_2]], %[[PRODUCT_3]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN_5]], %[[IN_6]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[IN_4]], %[[IN_7]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT_4]], %[[PRODUCT_5]] : f32
// CHECK-NEXT: linalg.yield %[[DIFFERENCE]], %[[SUM]] : f32, f32
func.func private @rope(%x: tensor<2x3x2x4xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x4xf32> attributes {rt.kernel} {
  %y = nn.rope %x positions %at theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func private @rope_inverse(
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[LOADED]] : i64 to f64
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f64, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[FLOAT]], %[[IN]] : f64
// CHECK-NEXT: %[[COSINE:.*]] = math.cos %[[PRODUCT]] : f64
// CHECK-NEXT: %[[SINE:.*]] = math.sin %[[PRODUCT]] : f64
// CHECK-NEXT: %[[NEGATED:.*]] = arith.negf %[[SINE]] : f64
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[COSINE]] : f64 to f32
// CHECK-NEXT: %[[NARROW_2:.*]] = arith.truncf %[[NEGATED]] : f64 to f32
// CHECK-NEXT: linalg.yield %[[NARROW]], %[[NARROW_2]] : f32, f32
// CHECK: scf.for
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_4]], %[[IN_6]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_5]], %[[IN_7]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT_2]], %[[PRODUCT_3]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN_5]], %[[IN_6]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[IN_4]], %[[IN_7]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT_4]], %[[PRODUCT_5]] : f32
// CHECK-NEXT: linalg.yield %[[DIFFERENCE]], %[[SUM]] : f32, f32
func.func private @rope_inverse(%x: tensor<2x3x2x4xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x4xf32> attributes {rt.kernel} {
  %y = nn.rope inverse %x positions %at theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x4xf32>
}
