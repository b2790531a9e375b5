// Losses, and the ops of a vocab parallel loss.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// The last of eight columns is padding.
// CHECK-LABEL: func.func private @cross_entropy(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C7:.*]] = arith.constant 7 : i32
// CHECK: %[[MINUS_3_403e38:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f64)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[NUMBER]], %[[C7]] : i32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN]], %[[MINUS_3_403e38]] : f32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi eq, %[[NUMBER]], %[[WORD]] : i32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[IN]], %[[C0_2]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[CHOSEN_2]] : f32 to f64
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_2]], %[[CHOSEN]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_3]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[MAX]], %[[SUM]] : f32, f64
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[C0_3:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C0_4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f64)
// CHECK-NEXT: %[[COLUMN_2:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER_2:.*]] = arith.index_cast %[[COLUMN_2]] : index to i32
// CHECK-NEXT: %[[IS_3:.*]] = arith.cmpi slt, %[[NUMBER_2]], %[[C7]] : i32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN_4]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[CHOSEN_3:.*]] = arith.select %[[IS_3]], %[[EXP]], %[[C0_4]] : f32
// CHECK-NEXT: %[[WIDE_2:.*]] = arith.extf %[[CHOSEN_3]] : f32 to f64
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_5]], %[[WIDE_2]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_2]] : f64
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[C0_5:.*]] = arith.constant 0 : i32
// CHECK: %[[IS_4:.*]] = arith.cmpi sge, %[[WORD]], %[[C0_5]] : i32
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_4]] : f64 to f32
// CHECK: %[[LOG:.*]] = math.log %[[NARROW]] : f32
// CHECK: %[[SUM_3:.*]] = arith.addf %[[LOADED_2]], %[[LOG]] : f32
// CHECK: %[[NARROW_2:.*]] = arith.truncf %[[LOADED_3]] : f64 to f32
// CHECK: %[[DIFFERENCE_2:.*]] = arith.subf %[[SUM_3]], %[[NARROW_2]] : f32
// CHECK: %[[C0_6:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[CHOSEN_4:.*]] = arith.select %[[IS_4]], %[[DIFFERENCE_2]], %[[C0_6]] : f32
// CHECK: memref.store
// CHECK: memref.store
func.func private @cross_entropy(%x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %l, %lse = nn.cross_entropy %x, %t classes 7 : tensor<2x3x8xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return %l, %lse : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_grad(
// CHECK: %[[C7:.*]] = arith.constant 7 : i32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[IS:.*]] = arith.cmpi sge, %[[WORD]], %[[C0]] : i32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[LOADED_2]], %[[C0_2]] : f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_3:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[C0_4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi slt, %[[NUMBER]], %[[C7]] : i32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN]], %[[LOADED_3]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[IS_3:.*]] = arith.cmpi eq, %[[NUMBER]], %[[WORD]] : i32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_3]], %[[C1]], %[[C0_3]] : f32
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[EXP]], %[[CHOSEN_2]] : f32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[CHOSEN]], %[[DIFFERENCE_2]] : f32
// CHECK-NEXT: %[[CHOSEN_3:.*]] = arith.select %[[IS_2]], %[[PRODUCT]], %[[C0_4]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN_3]] : f32
func.func private @cross_entropy_grad(%d: tensor<2x3xf32>, %x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %lse: tensor<2x3xf32>)
    -> tensor<2x3x8xf32> attributes {rt.kernel} {
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse classes 7 : tensor<2x3xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %dx : tensor<2x3x8xf32>
}

// One rank's columns, numbered from an offset.
// CHECK-LABEL: func.func private @cross_entropy_grad_offset(
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C15:.*]] = arith.constant 15 : i32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_2:.*]] = arith.trunci %[[LOADED_2]] : i64 to i32
// CHECK: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: %[[IS:.*]] = arith.cmpi sge, %[[WORD_2]], %[[C0]] : i32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[LOADED_3]], %[[C0_2]] : f32
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_3:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[C0_4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[NUMBER]], %[[WORD]] : i32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi slt, %[[SUM]], %[[C15]] : i32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN]], %[[LOADED_4]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[IS_3:.*]] = arith.cmpi eq, %[[SUM]], %[[WORD_2]] : i32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_3]], %[[C1]], %[[C0_3]] : f32
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[EXP]], %[[CHOSEN_2]] : f32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[CHOSEN]], %[[DIFFERENCE_2]] : f32
// CHECK-NEXT: %[[CHOSEN_3:.*]] = arith.select %[[IS_2]], %[[PRODUCT]], %[[C0_4]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN_3]] : f32
func.func private @cross_entropy_grad_offset(%d: tensor<2x3xf32>, %x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %lse: tensor<2x3xf32>, %first: tensor<i64>)
    -> tensor<2x3x8xf32> attributes {rt.kernel} {
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse offset %first : tensor<i64> classes 15
      : tensor<2x3xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %dx : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func private @row_max(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C15:.*]] = arith.constant 15 : i32
// CHECK: %[[MINUS_3_403e38:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[NUMBER]], %[[WORD]] : i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[SUM]], %[[C15]] : i32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN]], %[[MINUS_3_403e38]] : f32
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_2]], %[[CHOSEN]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: memref.store
func.func private @row_max(%x: tensor<2x3x8xf32>, %first: tensor<i64>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %m = nn.row_max %x offset %first : tensor<i64> classes 15 : tensor<2x3x8xf32> -> tensor<2x3xf32>
  return %m : tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_stats(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C15:.*]] = arith.constant 15 : i32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_2:.*]] = arith.trunci %[[LOADED_2]] : i64 to i32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[C0_3:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[C0_4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f64)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[NUMBER]], %[[WORD]] : i32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi slt, %[[SUM]], %[[C15]] : i32
// CHECK-NEXT: %[[IS_3:.*]] = arith.cmpi eq, %[[SUM]], %[[WORD_2]] : i32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS_3]], %[[IN]], %[[C0_2]] : f32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[CHOSEN]], %[[C0_3]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN]], %[[LOADED_3]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[CHOSEN_3:.*]] = arith.select %[[IS_2]], %[[EXP]], %[[C0_4]] : f32
// CHECK-NEXT: %[[CHOSEN_4:.*]] = arith.select %[[IS]], %[[CHOSEN_2]], %[[CHOSEN_3]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[CHOSEN_4]] : f32 to f64
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_2]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_2]] : f64
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_4]] : f64 to f32
// CHECK: memref.store
func.func private @cross_entropy_stats(%x: tensor<2x3x8xf32>, %t: tensor<2x3xi64>, %m: tensor<2x3xf32>, %first: tensor<i64>)
    -> tensor<2x2x3xf32> attributes {rt.kernel} {
  %s = nn.cross_entropy_stats %x, %t max %m offset %first : tensor<i64> classes 15
      : tensor<2x3x8xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  return %s : tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func private @cross_entropy_loss(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32, %[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32)
// CHECK-NEXT: %[[WORD:.*]] = arith.trunci %[[IN]] : i64 to i32
// CHECK-NEXT: %[[C0_2:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi sge, %[[WORD]], %[[C0_2]] : i32
// CHECK-NEXT: %[[LOG:.*]] = math.log %[[IN_3]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_2]], %[[LOG]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[SUM]], %[[IN_4]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[DIFFERENCE]], %[[C0]] : f32
// CHECK-NEXT: %[[LOG_2:.*]] = math.log %[[IN_3]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_2]], %[[LOG_2]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]], %[[SUM_2]] : f32, f32
func.func private @cross_entropy_loss(%s: tensor<2x2x3xf32>, %m: tensor<2x3xf32>, %t: tensor<2x3xi64>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>) attributes {rt.kernel} {
  %l, %lse = nn.cross_entropy_loss %s max %m, %t : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  return %l, %lse : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func private @valid(
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[WORD:.*]] = arith.trunci %[[IN]] : i64 to i32
// CHECK-NEXT: %[[C0_2:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi sge, %[[WORD]], %[[C0_2]] : i32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C1]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @valid(%t: tensor<2x3xi64>)
    -> tensor<2x3xf32> attributes {rt.kernel} {
  %v = nn.valid %t : tensor<2x3xi64> -> tensor<2x3xf32>
  return %v : tensor<2x3xf32>
}
