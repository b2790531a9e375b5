// Losses and their parts.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// The last of eight columns is padding.
// CHECK-LABEL: func.func private @cross_entropy(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V2:.*]] = arith.constant 7 : i32
// CHECK: %[[V3:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: %[[V4:.*]] = memref.load {{.*}}
// CHECK: %[[V5:.*]] = arith.trunci %[[V4]] : i64 to i32
// CHECK: %[[V6:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V7:.*]]: f32, %[[V8:.*]]: f32, %[[V9:.*]]: f64)
// CHECK-NEXT: %[[V10:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V11:.*]] = arith.index_cast %[[V10]] : index to i32
// CHECK-NEXT: %[[V12:.*]] = arith.cmpi slt, %[[V11]], %[[V2]] : i32
// CHECK-NEXT: %[[V13:.*]] = arith.select %[[V12]], %[[V7]], %[[V3]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.cmpi eq, %[[V11]], %[[V5]] : i32
// CHECK-NEXT: %[[V15:.*]] = arith.select %[[V14]], %[[V7]], %[[V6]] : f32
// CHECK-NEXT: %[[V16:.*]] = arith.extf %[[V15]] : f32 to f64
// CHECK-NEXT: %[[V17:.*]] = arith.maxnumf %[[V8]], %[[V13]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: %[[V18:.*]] = arith.addf %[[V9]], %[[V16]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V17]], %[[V18]] : f32, f64
// CHECK: %[[V19:.*]] = memref.load {{.*}}
// CHECK: %[[V20:.*]] = memref.load {{.*}}
// CHECK: %[[V21:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V22:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V23:.*]]: f32, %[[V24:.*]]: f64)
// CHECK-NEXT: %[[V25:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V26:.*]] = arith.index_cast %[[V25]] : index to i32
// CHECK-NEXT: %[[V27:.*]] = arith.cmpi slt, %[[V26]], %[[V2]] : i32
// CHECK-NEXT: %[[V28:.*]] = arith.subf %[[V23]], %[[V19]] : f32
// CHECK-NEXT: %[[V29:.*]] = math.exp %[[V28]] : f32
// CHECK-NEXT: %[[V30:.*]] = arith.select %[[V27]], %[[V29]], %[[V22]] : f32
// CHECK-NEXT: %[[V31:.*]] = arith.extf %[[V30]] : f32 to f64
// CHECK-NEXT: %[[V32:.*]] = arith.addf %[[V24]], %[[V31]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V32]] : f64
// CHECK: %[[V33:.*]] = memref.load {{.*}}
// CHECK: %[[V34:.*]] = arith.constant 0 : i32
// CHECK: %[[V35:.*]] = arith.cmpi sge, %[[V5]], %[[V34]] : i32
// CHECK: %[[V36:.*]] = arith.truncf %[[V33]] : f64 to f32
// CHECK: %[[V37:.*]] = math.log %[[V36]] : f32
// CHECK: %[[V38:.*]] = arith.addf %[[V19]], %[[V37]] : f32
// CHECK: %[[V39:.*]] = arith.truncf %[[V20]] : f64 to f32
// CHECK: %[[V40:.*]] = arith.subf %[[V38]], %[[V39]] : f32
// CHECK: %[[V41:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V42:.*]] = arith.select %[[V35]], %[[V40]], %[[V41]] : f32
// CHECK: memref.store
// CHECK: memref.store
func.func private @cross_entropy(%x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %l, %lse = nn.cross_entropy %x, %t classes 7 : tensor<2x3x8xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return %l, %lse : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_grad(
// CHECK: %[[V0:.*]] = arith.constant 7 : i32
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = arith.trunci %[[V1]] : i64 to i32
// CHECK: %[[V3:.*]] = arith.constant 0 : i32
// CHECK: %[[V4:.*]] = arith.cmpi sge, %[[V2]], %[[V3]] : i32
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: %[[V6:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V7:.*]] = arith.select %[[V4]], %[[V5]], %[[V6]] : f32
// CHECK: %[[V8:.*]] = memref.load {{.*}}
// CHECK: %[[V9:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V10:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V11:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V12:.*]]: f32, %[[V13:.*]]: f32)
// CHECK-NEXT: %[[V14:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V15:.*]] = arith.index_cast %[[V14]] : index to i32
// CHECK-NEXT: %[[V16:.*]] = arith.cmpi slt, %[[V15]], %[[V0]] : i32
// CHECK-NEXT: %[[V17:.*]] = arith.subf %[[V12]], %[[V8]] : f32
// CHECK-NEXT: %[[V18:.*]] = math.exp %[[V17]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.cmpi eq, %[[V15]], %[[V2]] : i32
// CHECK-NEXT: %[[V20:.*]] = arith.select %[[V19]], %[[V9]], %[[V10]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.subf %[[V18]], %[[V20]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.mulf %[[V7]], %[[V21]] : f32
// CHECK-NEXT: %[[V23:.*]] = arith.select %[[V16]], %[[V22]], %[[V11]] : f32
// CHECK-NEXT: linalg.yield %[[V23]] : f32
func.func private @cross_entropy_grad(%d: tensor<2x3xf32>, %x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %lse: tensor<2x3xf32>)
    -> tensor<2x3x8xf32> attributes {rt.kernel} {
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse classes 7 : tensor<2x3xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %dx : tensor<2x3x8xf32>
}

// One rank's columns, numbered from an offset.
// CHECK-LABEL: func.func private @cross_entropy_grad_offset(
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.trunci %[[V0]] : i64 to i32
// CHECK: %[[V2:.*]] = arith.constant 15 : i32
// CHECK: %[[V3:.*]] = memref.load {{.*}}
// CHECK: %[[V4:.*]] = arith.trunci %[[V3]] : i64 to i32
// CHECK: %[[V5:.*]] = arith.constant 0 : i32
// CHECK: %[[V6:.*]] = arith.cmpi sge, %[[V4]], %[[V5]] : i32
// CHECK: %[[V7:.*]] = memref.load {{.*}}
// CHECK: %[[V8:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V9:.*]] = arith.select %[[V6]], %[[V7]], %[[V8]] : f32
// CHECK: %[[V10:.*]] = memref.load {{.*}}
// CHECK: %[[V11:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V12:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V13:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V14:.*]]: f32, %[[V15:.*]]: f32)
// CHECK-NEXT: %[[V16:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V17:.*]] = arith.index_cast %[[V16]] : index to i32
// CHECK-NEXT: %[[V18:.*]] = arith.addi %[[V17]], %[[V1]] : i32
// CHECK-NEXT: %[[V19:.*]] = arith.cmpi slt, %[[V18]], %[[V2]] : i32
// CHECK-NEXT: %[[V20:.*]] = arith.subf %[[V14]], %[[V10]] : f32
// CHECK-NEXT: %[[V21:.*]] = math.exp %[[V20]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.cmpi eq, %[[V18]], %[[V4]] : i32
// CHECK-NEXT: %[[V23:.*]] = arith.select %[[V22]], %[[V11]], %[[V12]] : f32
// CHECK-NEXT: %[[V24:.*]] = arith.subf %[[V21]], %[[V23]] : f32
// CHECK-NEXT: %[[V25:.*]] = arith.mulf %[[V9]], %[[V24]] : f32
// CHECK-NEXT: %[[V26:.*]] = arith.select %[[V19]], %[[V25]], %[[V13]] : f32
// CHECK-NEXT: linalg.yield %[[V26]] : f32
func.func private @cross_entropy_grad_offset(%d: tensor<2x3xf32>, %x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %lse: tensor<2x3xf32>, %first: tensor<i64>)
    -> tensor<2x3x8xf32> attributes {rt.kernel} {
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse offset %first : tensor<i64> classes 15
      : tensor<2x3xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %dx : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func private @row_max(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = arith.trunci %[[V1]] : i64 to i32
// CHECK: %[[V3:.*]] = arith.constant 15 : i32
// CHECK: %[[V4:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V5:.*]]: f32, %[[V6:.*]]: f32)
// CHECK-NEXT: %[[V7:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V8:.*]] = arith.index_cast %[[V7]] : index to i32
// CHECK-NEXT: %[[V9:.*]] = arith.addi %[[V8]], %[[V2]] : i32
// CHECK-NEXT: %[[V10:.*]] = arith.cmpi slt, %[[V9]], %[[V3]] : i32
// CHECK-NEXT: %[[V11:.*]] = arith.select %[[V10]], %[[V5]], %[[V4]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.maxnumf %[[V6]], %[[V11]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V12]] : f32
// CHECK: %[[V13:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @row_max(%x: tensor<2x3x8xf32>, %first: tensor<i64>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %m = nn.row_max %x offset %first : tensor<i64> classes 15 : tensor<2x3x8xf32> -> tensor<2x3xf32>
  return %m : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_stats(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: %[[V3:.*]] = arith.trunci %[[V2]] : i64 to i32
// CHECK: %[[V4:.*]] = arith.constant 15 : i32
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: %[[V6:.*]] = arith.trunci %[[V5]] : i64 to i32
// CHECK: %[[V7:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V8:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V9:.*]] = memref.load {{.*}}
// CHECK: %[[V10:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V11:.*]]: f32, %[[V12:.*]]: f64)
// CHECK-NEXT: %[[V13:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V14:.*]] = arith.index_cast %[[V13]] : index to i32
// CHECK-NEXT: %[[V15:.*]] = arith.addi %[[V14]], %[[V3]] : i32
// CHECK-NEXT: %[[V16:.*]] = arith.cmpi slt, %[[V15]], %[[V4]] : i32
// CHECK-NEXT: %[[V17:.*]] = arith.cmpi eq, %[[V15]], %[[V6]] : i32
// CHECK-NEXT: %[[V18:.*]] = arith.select %[[V17]], %[[V11]], %[[V7]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.select %[[V16]], %[[V18]], %[[V8]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.subf %[[V11]], %[[V9]] : f32
// CHECK-NEXT: %[[V21:.*]] = math.exp %[[V20]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.select %[[V16]], %[[V21]], %[[V10]] : f32
// CHECK-NEXT: %[[V23:.*]] = arith.select %[[V1]], %[[V19]], %[[V22]] : f32
// CHECK-NEXT: %[[V24:.*]] = arith.extf %[[V23]] : f32 to f64
// CHECK-NEXT: %[[V25:.*]] = arith.addf %[[V12]], %[[V24]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V25]] : f64
// CHECK: %[[V26:.*]] = memref.load {{.*}}
// CHECK: %[[V27:.*]] = arith.truncf %[[V26]] : f64 to f32
// CHECK: memref.store
func.func private @cross_entropy_stats(%x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %m: tensor<2x3xf32>, %first: tensor<i64>)
    -> tensor<2x2x3xf32> attributes {rt.kernel} {
  %s = nn.cross_entropy_stats %x, %t max %m offset %first : tensor<i64> classes 15
      : tensor<2x3x8xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  return %s : tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_loss(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: i64, %[[V2:.*]]: f32, %[[V3:.*]]: f32, %[[V4:.*]]: f32, %[[V5:.*]]: f32, %[[V6:.*]]: f32)
// CHECK-NEXT: %[[V7:.*]] = arith.trunci %[[V1]] : i64 to i32
// CHECK-NEXT: %[[V8:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[V9:.*]] = arith.cmpi sge, %[[V7]], %[[V8]] : i32
// CHECK-NEXT: %[[V10:.*]] = math.log %[[V3]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.addf %[[V2]], %[[V10]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.subf %[[V11]], %[[V4]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.select %[[V9]], %[[V12]], %[[V0]] : f32
// CHECK-NEXT: %[[V14:.*]] = math.log %[[V3]] : f32
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V2]], %[[V14]] : f32
// CHECK-NEXT: linalg.yield %[[V13]], %[[V15]] : f32, f32
func.func private @cross_entropy_loss(%s: tensor<2x2x3xf32>, %m: tensor<2x3xf32>, %t: tensor<2x3xi64>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %l, %lse = nn.cross_entropy_loss %s max %m, %t : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  return %l, %lse : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @valid(
// CHECK: %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: i64, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.trunci %[[V2]] : i64 to i32
// CHECK-NEXT: %[[V5:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[V6:.*]] = arith.cmpi sge, %[[V4]], %[[V5]] : i32
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V6]], %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V7]] : f32
func.func private @valid(%t: tensor<2x3xi64>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %v = nn.valid %t : tensor<2x3xi64> -> tensor<2x3xf32>
  return %v : tensor<2x3xf32>
}
