// The softmax within attention.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// A key after the query counts as -inf.
// CHECK-LABEL: func.func private @causal(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[MINUS_3_403e38:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[WORD_2:.*]] = arith.trunci %[[IN]] : i64 to i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[WORD]], %[[WORD_2]] : i32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[C0_5]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[MINUS_3_403e38]], %[[PRODUCT]] : f32
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_3]], %[[CHOSEN]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: i64, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f64, %[[IN_7:.*]]: f32)
// CHECK-NEXT: %[[WORD_3:.*]] = arith.trunci %[[IN_4]] : i64 to i32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi slt, %[[WORD]], %[[WORD_3]] : i32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_5]], %[[C0_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT_2]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[C0_2]], %[[EXP]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[CHOSEN_2]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_6]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]], %[[CHOSEN_2]] : f64, f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_3]] : f64 to f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[NARROW]] : f32
// CHECK: %[[IS_3:.*]] = arith.cmpf ugt, %[[NARROW]], %[[C0_2]] : f32
// CHECK: %[[CHOSEN_3:.*]] = arith.select %[[IS_3]], %[[QUOTIENT]], %[[C0_2]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_8]], %[[CHOSEN_3]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_3]] : f32
// CHECK: %[[LOG:.*]] = math.log %[[NARROW]] : f32
// CHECK: %[[SUM_2:.*]] = arith.addf %[[LOADED_2]], %[[LOG]] : f32
// CHECK: memref.store
func.func private @causal(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax causal %x positions %q, %k scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %p, %lse : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
}

// A row in which all scores are -inf yields zeros.
// CHECK-LABEL: func.func private @bias(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[IN_2]] : f32
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_3]], %[[SUM]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[MINUS_INFINITY_2:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[LOADED]], %[[MINUS_INFINITY_2]] : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C0_2]], %[[LOADED]] : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f64, %[[IN_7:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_4]], %[[C0_5]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[PRODUCT_2]], %[[IN_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[SUM_2]], %[[CHOSEN]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[EXP]] : f32 to f64
// CHECK-NEXT: %[[SUM_3:.*]] = arith.addf %[[IN_6]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_3]], %[[EXP]] : f64, f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_2]] : f64 to f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[NARROW]] : f32
// CHECK: %[[IS_2:.*]] = arith.cmpf ugt, %[[NARROW]], %[[C0_2]] : f32
// CHECK: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[QUOTIENT]], %[[C0_2]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_8]], %[[CHOSEN_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_3]] : f32
// CHECK: %[[LOG:.*]] = math.log %[[NARROW]] : f32
// CHECK: %[[IS_3:.*]] = arith.cmpf ugt, %{{.*}}
// CHECK: %[[MAX:.*]] = arith.select %[[IS_3]], %[[CHOSEN]], %{{.*}} : f32
// CHECK: memref.store %[[LOG]], %arg5
// CHECK: memref.store %[[MAX]], %arg6
func.func private @bias(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %b: tensor<1x2x1x4xf32>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse, %max = nn.masked_softmax %x positions %q, %k bias %b scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>)
  return %p, %lse, %max : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>
}

// The hash of Random.h, word by word.
// CHECK-LABEL: func.func private @dropped(
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: %[[MAX:.*]] = arith.maxnumf %[[IN_2]], %[[PRODUCT]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[MAX]] : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_3]], %[[C0_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT_2]], %[[LOADED]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[EXP]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]], %[[EXP]] : f64, f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_2]] : f64 to f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[NARROW]] : f32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[IS:.*]] = arith.cmpf ugt, %[[NARROW]], %[[C0_2]] : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[QUOTIENT]], %[[C0_2]] : f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED_3]] : i64 to i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %[[C16]] : i32
// CHECK: %[[MIXED:.*]] = arith.xori %{{.*}}, %[[SHIFTED]] : i32
// CHECK: %[[C13:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_2:.*]] = arith.shrui %{{.*}}, %[[C13]] : i32
// CHECK: %[[MIXED_2:.*]] = arith.xori %{{.*}}, %[[SHIFTED_2]] : i32
// CHECK: %[[C16_2:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_3:.*]] = arith.shrui %{{.*}}, %[[C16_2]] : i32
// CHECK: %[[MIXED_3:.*]] = arith.xori %{{.*}}, %[[SHIFTED_3]] : i32
// CHECK: %[[C32:.*]] = arith.constant 32 : i64
// CHECK: %[[SHIFTED_4:.*]] = arith.shrui %[[LOADED_3]], %[[C32]] : i64
// CHECK: %[[WORD_2:.*]] = arith.trunci %[[SHIFTED_4]] : i64 to i32
// CHECK: %[[MIXED_4:.*]] = arith.xori %[[MIXED_3]], %{{.*}} : i32
// CHECK: %[[C16_3:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_5:.*]] = arith.shrui %[[MIXED_4]], %[[C16_3]] : i32
// CHECK: %[[MIXED_5:.*]] = arith.xori %[[MIXED_4]], %[[SHIFTED_5]] : i32
// CHECK: %[[C13_2:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_6:.*]] = arith.shrui %{{.*}}, %[[C13_2]] : i32
// CHECK: %[[MIXED_6:.*]] = arith.xori %{{.*}}, %[[SHIFTED_6]] : i32
// CHECK: %[[C16_4:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_7:.*]] = arith.shrui %{{.*}}, %[[C16_4]] : i32
// CHECK: %[[MIXED_7:.*]] = arith.xori %{{.*}}, %[[SHIFTED_7]] : i32
// CHECK: %[[WORD_3:.*]] = arith.trunci %[[LOADED_3]] : i64 to i32
// CHECK: %[[MIXED_8:.*]] = arith.xori %[[MIXED_7]], %{{.*}} : i32
// CHECK: %[[C16_5:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_8:.*]] = arith.shrui %[[MIXED_8]], %[[C16_5]] : i32
// CHECK: %[[MIXED_9:.*]] = arith.xori %[[MIXED_8]], %[[SHIFTED_8]] : i32
// CHECK: %[[C13_3:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_9:.*]] = arith.shrui %{{.*}}, %[[C13_3]] : i32
// CHECK: %[[MIXED_10:.*]] = arith.xori %{{.*}}, %[[SHIFTED_9]] : i32
// CHECK: %[[C16_6:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_10:.*]] = arith.shrui %{{.*}}, %[[C16_6]] : i32
// CHECK: %[[MIXED_11:.*]] = arith.xori %{{.*}}, %[[SHIFTED_10]] : i32
// CHECK: %[[HIGH_BITS:.*]] = arith.constant 32 : i64
// CHECK-NEXT: %[[HIGH:.*]] = arith.shrui %[[LOADED_3]], %[[HIGH_BITS]] : i64
// CHECK-NEXT: %[[HIGH_WORD:.*]] = arith.trunci %[[HIGH]] : i64 to i32
// CHECK-NEXT: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-NEXT: %[[ID:.*]] = arith.addi %[[HIGH_WORD]], %[[C7]] : i32
// CHECK-NEXT: %[[WEYL:.*]] = arith.constant -1640531527 : i32
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[ID]], %[[WEYL]] : i32
// CHECK-NEXT: %[[MUL1:.*]] = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[MOVED:.*]] = arith.addi %[[SCALED]], %[[MUL1]] : i32
// CHECK-NEXT: %[[MIXED_12:.*]] = arith.xori %[[MIXED_11]], %[[MOVED]] : i32
// CHECK: %[[C16_7:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_11:.*]] = arith.shrui %[[MIXED_12]], %[[C16_7]] : i32
// CHECK: %[[MIXED_13:.*]] = arith.xori %[[MIXED_12]], %[[SHIFTED_11]] : i32
// CHECK: %[[C13_4:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_12:.*]] = arith.shrui %{{.*}}, %[[C13_4]] : i32
// CHECK: %[[MIXED_14:.*]] = arith.xori %{{.*}}, %[[SHIFTED_12]] : i32
// CHECK: %[[C16_8:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_13:.*]] = arith.shrui %{{.*}}, %[[C16_8]] : i32
// CHECK: %[[MIXED_15:.*]] = arith.xori %{{.*}}, %[[SHIFTED_13]] : i32
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_4:.*]] = arith.trunci %[[LOADED_4]] : i64 to i32
// CHECK: %[[MIXED_16:.*]] = arith.xori %[[MIXED_15]], %{{.*}} : i32
// CHECK: %[[C16_9:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_14:.*]] = arith.shrui %[[MIXED_16]], %[[C16_9]] : i32
// CHECK: %[[MIXED_17:.*]] = arith.xori %[[MIXED_16]], %[[SHIFTED_14]] : i32
// CHECK: %[[C13_5:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_15:.*]] = arith.shrui %{{.*}}, %[[C13_5]] : i32
// CHECK: %[[MIXED_18:.*]] = arith.xori %{{.*}}, %[[SHIFTED_15]] : i32
// CHECK: %[[C16_10:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_16:.*]] = arith.shrui %{{.*}}, %[[C16_10]] : i32
// CHECK: %[[MIXED_19:.*]] = arith.xori %{{.*}}, %[[SHIFTED_16]] : i32
// The head, and then the position of the query.
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[WORD_6:.*]] = arith.trunci %[[LOADED_3]] : i64 to i32
// CHECK: %[[HEAD:.*]] = arith.addi %[[NUMBER]], %[[WORD_6]] : i32
// CHECK: %[[SPREAD:.*]] = arith.muli %[[HEAD]], %{{.*}} : i32
// CHECK: %[[MOVED_2:.*]] = arith.addi %[[SPREAD]], %{{.*}} : i32
// CHECK: %[[WITH_HEAD:.*]] = arith.xori %[[MIXED_19]], %[[MOVED_2]] : i32
// CHECK: %[[SHIFTED_1A:.*]] = arith.shrui %[[WITH_HEAD]], %{{.*}} : i32
// CHECK: %[[MIXED_1A:.*]] = arith.xori %[[WITH_HEAD]], %[[SHIFTED_1A]] : i32
// CHECK: %[[TIMES_1A:.*]] = arith.muli %[[MIXED_1A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_1B:.*]] = arith.shrui %[[TIMES_1A]], %{{.*}} : i32
// CHECK: %[[MIXED_1B:.*]] = arith.xori %[[TIMES_1A]], %[[SHIFTED_1B]] : i32
// CHECK: %[[TIMES_1B:.*]] = arith.muli %[[MIXED_1B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_1C:.*]] = arith.shrui %[[TIMES_1B]], %{{.*}} : i32
// CHECK: %[[OF_HEAD:.*]] = arith.xori %[[TIMES_1B]], %[[SHIFTED_1C]] : i32
// CHECK: %[[POSITION:.*]] = memref.load %arg{{[0-9]+}}[%{{.*}}] : memref<3xi64>
// CHECK: %[[WORD_5:.*]] = arith.trunci %[[POSITION]] : i64 to i32
// CHECK: %[[SPREAD_2:.*]] = arith.muli %[[WORD_5]], %{{.*}} : i32
// CHECK: %[[MOVED_3:.*]] = arith.addi %[[SPREAD_2]], %{{.*}} : i32
// CHECK: %[[WITH_QUERY:.*]] = arith.xori %[[OF_HEAD]], %[[MOVED_3]] : i32
// CHECK: %[[SHIFTED_2A:.*]] = arith.shrui %[[WITH_QUERY]], %{{.*}} : i32
// CHECK: %[[MIXED_2A:.*]] = arith.xori %[[WITH_QUERY]], %[[SHIFTED_2A]] : i32
// CHECK: %[[TIMES_2A:.*]] = arith.muli %[[MIXED_2A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_2B:.*]] = arith.shrui %[[TIMES_2A]], %{{.*}} : i32
// CHECK: %[[MIXED_2B:.*]] = arith.xori %[[TIMES_2A]], %[[SHIFTED_2B]] : i32
// CHECK: %[[TIMES_2B:.*]] = arith.muli %[[MIXED_2B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_2C:.*]] = arith.shrui %[[TIMES_2B]], %{{.*}} : i32
// CHECK: %[[OF_ROW:.*]] = arith.xori %[[TIMES_2B]], %[[SHIFTED_2C]] : i32
// CHECK: %[[C1_333:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_6:.*]]: f32, %[[IN_7:.*]]: i64, %[[IN_8:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_6]], %[[CHOSEN]] : f32
// CHECK-NEXT: %[[WORD_7:.*]] = arith.trunci %[[IN_7]] : i64 to i32
// One hash round per score: that of the key's position.
// CHECK-NEXT: %[[SPREAD_3:.*]] = arith.muli %[[WORD_7]], %{{.*}} : i32
// CHECK-NEXT: %[[MOVED_4:.*]] = arith.addi %[[SPREAD_3]], %{{.*}} : i32
// CHECK-NEXT: %[[WITH_KEY:.*]] = arith.xori %[[OF_ROW]], %[[MOVED_4]] : i32
// CHECK: %[[SHIFTED_3A:.*]] = arith.shrui %[[WITH_KEY]], %{{.*}} : i32
// CHECK: %[[MIXED_3A:.*]] = arith.xori %[[WITH_KEY]], %[[SHIFTED_3A]] : i32
// CHECK: %[[TIMES_3A:.*]] = arith.muli %[[MIXED_3A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_3B:.*]] = arith.shrui %[[TIMES_3A]], %{{.*}} : i32
// CHECK: %[[MIXED_3B:.*]] = arith.xori %[[TIMES_3A]], %[[SHIFTED_3B]] : i32
// CHECK: %[[TIMES_3B:.*]] = arith.muli %[[MIXED_3B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_3C:.*]] = arith.shrui %[[TIMES_3B]], %{{.*}} : i32
// CHECK: %[[MIXED_31:.*]] = arith.xori %[[TIMES_3B]], %[[SHIFTED_3C]] : i32
// CHECK-NEXT: %[[C1_074e09:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpi ult, %[[MIXED_31]], %[[C1_074e09]] : i32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[C0_2]], %[[C1_333]] : f32
// CHECK-NEXT: %[[PRODUCT_9:.*]] = arith.mulf %[[PRODUCT_3]], %[[CHOSEN_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_9]] : f32
// CHECK: %[[LOG:.*]] = math.log %[[NARROW]] : f32
// CHECK: %[[SUM_3:.*]] = arith.addf %[[LOADED]], %[[LOG]] : f32
// CHECK: memref.store
func.func private @dropped(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %n: tensor<2xi64>, %s: tensor<i64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax %x positions %q, %k samples %n seed %s step %s
      head_origin %s scale 0.5 {p = 0.25, id = 7}
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %p, %lse : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func private @causal_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32, %[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32)
// CHECK-NEXT: %[[WORD_2:.*]] = arith.trunci %[[IN]] : i64 to i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[WORD]], %[[WORD_2]] : i32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[C0_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT]], %[[LOADED_2]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C0_2]], %[[EXP]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[CHOSEN]], %[[IN_3]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_2]] : f32 to f64
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM]], %[[CHOSEN]] : f64, f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_3]] : f64 to f32
// CHECK: %[[C0_5_2:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32, %[[IN_8:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[IN_7]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_6]], %[[DIFFERENCE_2]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[PRODUCT_3]], %[[C0_5_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_4]] : f32
func.func private @causal_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad causal %x, %dp lse %lse positions %q, %k scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// CHECK-LABEL: func.func private @bias_grad(
// CHECK: %[[HIGHEST:.*]] = memref.load {{.*}}
// CHECK: %[[LSE:.*]] = memref.load {{.*}}
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[LSE]], %[[MINUS_INFINITY]] : f32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %{{.*}}, %[[LSE]] : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f64, %[[IN_8:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_4]], %{{.*}} : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[PRODUCT_2]], %[[IN_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[SUM_2]], %[[HIGHEST]] : f32
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[DIFFERENCE]], %[[CHOSEN]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE_2]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[EXP]], %[[IN_6]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_3]] : f32 to f64
// CHECK-NEXT: %[[SUM_3:.*]] = arith.addf %[[IN_7]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_3]], %[[EXP]] : f64, f32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_3]] : f64 to f32
// CHECK: %[[C0_5_2:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_9:.*]]: f32, %[[IN_10:.*]]: f32, %[[IN_11:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE_3:.*]] = arith.subf %[[IN_10]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN_9]], %[[DIFFERENCE_3]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[PRODUCT_4]], %[[C0_5_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_5]] : f32
func.func private @bias_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %max: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %b: tensor<1x2x1x4xf32>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad %x, %dp lse %lse max %max positions %q, %k bias %b scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// CHECK-LABEL: func.func private @dropped_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED_2]] : i64 to i32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %{{.*}}, %[[C16]] : i32
// CHECK: %[[MIXED:.*]] = arith.xori %{{.*}}, %[[SHIFTED]] : i32
// CHECK: %[[C13:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_2:.*]] = arith.shrui %{{.*}}, %[[C13]] : i32
// CHECK: %[[MIXED_2:.*]] = arith.xori %{{.*}}, %[[SHIFTED_2]] : i32
// CHECK: %[[C16_2:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_3:.*]] = arith.shrui %{{.*}}, %[[C16_2]] : i32
// CHECK: %[[MIXED_3:.*]] = arith.xori %{{.*}}, %[[SHIFTED_3]] : i32
// CHECK: %[[C32:.*]] = arith.constant 32 : i64
// CHECK: %[[SHIFTED_4:.*]] = arith.shrui %[[LOADED_2]], %[[C32]] : i64
// CHECK: %[[WORD_2:.*]] = arith.trunci %[[SHIFTED_4]] : i64 to i32
// CHECK: %[[MIXED_4:.*]] = arith.xori %[[MIXED_3]], %{{.*}} : i32
// CHECK: %[[C16_3:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_5:.*]] = arith.shrui %[[MIXED_4]], %[[C16_3]] : i32
// CHECK: %[[MIXED_5:.*]] = arith.xori %[[MIXED_4]], %[[SHIFTED_5]] : i32
// CHECK: %[[C13_2:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_6:.*]] = arith.shrui %{{.*}}, %[[C13_2]] : i32
// CHECK: %[[MIXED_6:.*]] = arith.xori %{{.*}}, %[[SHIFTED_6]] : i32
// CHECK: %[[C16_4:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_7:.*]] = arith.shrui %{{.*}}, %[[C16_4]] : i32
// CHECK: %[[MIXED_7:.*]] = arith.xori %{{.*}}, %[[SHIFTED_7]] : i32
// CHECK: %[[WORD_3:.*]] = arith.trunci %[[LOADED_2]] : i64 to i32
// CHECK: %[[MIXED_8:.*]] = arith.xori %[[MIXED_7]], %{{.*}} : i32
// CHECK: %[[C16_5:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_8:.*]] = arith.shrui %[[MIXED_8]], %[[C16_5]] : i32
// CHECK: %[[MIXED_9:.*]] = arith.xori %[[MIXED_8]], %[[SHIFTED_8]] : i32
// CHECK: %[[C13_3:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_9:.*]] = arith.shrui %{{.*}}, %[[C13_3]] : i32
// CHECK: %[[MIXED_10:.*]] = arith.xori %{{.*}}, %[[SHIFTED_9]] : i32
// CHECK: %[[C16_6:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_10:.*]] = arith.shrui %{{.*}}, %[[C16_6]] : i32
// CHECK: %[[MIXED_11:.*]] = arith.xori %{{.*}}, %[[SHIFTED_10]] : i32
// CHECK: %[[HIGH_BITS:.*]] = arith.constant 32 : i64
// CHECK-NEXT: %[[HIGH:.*]] = arith.shrui %[[LOADED_2]], %[[HIGH_BITS]] : i64
// CHECK-NEXT: %[[HIGH_WORD:.*]] = arith.trunci %[[HIGH]] : i64 to i32
// CHECK-NEXT: %[[C7:.*]] = arith.constant 7 : i32
// CHECK-NEXT: %[[ID:.*]] = arith.addi %[[HIGH_WORD]], %[[C7]] : i32
// CHECK-NEXT: %[[WEYL:.*]] = arith.constant -1640531527 : i32
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[ID]], %[[WEYL]] : i32
// CHECK-NEXT: %[[MUL1:.*]] = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[MOVED:.*]] = arith.addi %[[SCALED]], %[[MUL1]] : i32
// CHECK-NEXT: %[[MIXED_12:.*]] = arith.xori %[[MIXED_11]], %[[MOVED]] : i32
// CHECK: %[[C16_7:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_11:.*]] = arith.shrui %[[MIXED_12]], %[[C16_7]] : i32
// CHECK: %[[MIXED_13:.*]] = arith.xori %[[MIXED_12]], %[[SHIFTED_11]] : i32
// CHECK: %[[C13_4:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_12:.*]] = arith.shrui %{{.*}}, %[[C13_4]] : i32
// CHECK: %[[MIXED_14:.*]] = arith.xori %{{.*}}, %[[SHIFTED_12]] : i32
// CHECK: %[[C16_8:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_13:.*]] = arith.shrui %{{.*}}, %[[C16_8]] : i32
// CHECK: %[[MIXED_15:.*]] = arith.xori %{{.*}}, %[[SHIFTED_13]] : i32
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_4:.*]] = arith.trunci %[[LOADED_3]] : i64 to i32
// CHECK: %[[MIXED_16:.*]] = arith.xori %[[MIXED_15]], %{{.*}} : i32
// CHECK: %[[C16_9:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_14:.*]] = arith.shrui %[[MIXED_16]], %[[C16_9]] : i32
// CHECK: %[[MIXED_17:.*]] = arith.xori %[[MIXED_16]], %[[SHIFTED_14]] : i32
// CHECK: %[[C13_5:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_15:.*]] = arith.shrui %{{.*}}, %[[C13_5]] : i32
// CHECK: %[[MIXED_18:.*]] = arith.xori %{{.*}}, %[[SHIFTED_15]] : i32
// CHECK: %[[C16_10:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_16:.*]] = arith.shrui %{{.*}}, %[[C16_10]] : i32
// CHECK: %[[MIXED_19:.*]] = arith.xori %{{.*}}, %[[SHIFTED_16]] : i32
// The head, and then the position of the query.
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[SPREAD:.*]] = arith.muli %[[NUMBER]], %{{.*}} : i32
// CHECK: %[[MOVED_2:.*]] = arith.addi %[[SPREAD]], %{{.*}} : i32
// CHECK: %[[WITH_HEAD:.*]] = arith.xori %[[MIXED_19]], %[[MOVED_2]] : i32
// CHECK: %[[SHIFTED_1A:.*]] = arith.shrui %[[WITH_HEAD]], %{{.*}} : i32
// CHECK: %[[MIXED_1A:.*]] = arith.xori %[[WITH_HEAD]], %[[SHIFTED_1A]] : i32
// CHECK: %[[TIMES_1A:.*]] = arith.muli %[[MIXED_1A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_1B:.*]] = arith.shrui %[[TIMES_1A]], %{{.*}} : i32
// CHECK: %[[MIXED_1B:.*]] = arith.xori %[[TIMES_1A]], %[[SHIFTED_1B]] : i32
// CHECK: %[[TIMES_1B:.*]] = arith.muli %[[MIXED_1B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_1C:.*]] = arith.shrui %[[TIMES_1B]], %{{.*}} : i32
// CHECK: %[[OF_HEAD:.*]] = arith.xori %[[TIMES_1B]], %[[SHIFTED_1C]] : i32
// CHECK: %[[POSITION:.*]] = memref.load %arg{{[0-9]+}}[%{{.*}}] : memref<3xi64>
// CHECK: %[[WORD_5:.*]] = arith.trunci %[[POSITION]] : i64 to i32
// CHECK: %[[SPREAD_2:.*]] = arith.muli %[[WORD_5]], %{{.*}} : i32
// CHECK: %[[MOVED_3:.*]] = arith.addi %[[SPREAD_2]], %{{.*}} : i32
// CHECK: %[[WITH_QUERY:.*]] = arith.xori %[[OF_HEAD]], %[[MOVED_3]] : i32
// CHECK: %[[SHIFTED_2A:.*]] = arith.shrui %[[WITH_QUERY]], %{{.*}} : i32
// CHECK: %[[MIXED_2A:.*]] = arith.xori %[[WITH_QUERY]], %[[SHIFTED_2A]] : i32
// CHECK: %[[TIMES_2A:.*]] = arith.muli %[[MIXED_2A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_2B:.*]] = arith.shrui %[[TIMES_2A]], %{{.*}} : i32
// CHECK: %[[MIXED_2B:.*]] = arith.xori %[[TIMES_2A]], %[[SHIFTED_2B]] : i32
// CHECK: %[[TIMES_2B:.*]] = arith.muli %[[MIXED_2B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_2C:.*]] = arith.shrui %[[TIMES_2B]], %{{.*}} : i32
// CHECK: %[[OF_ROW:.*]] = arith.xori %[[TIMES_2B]], %[[SHIFTED_2C]] : i32
// CHECK: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[C1_333:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: i64, %[[IN_4:.*]]: f64, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[PRODUCT]], %[[LOADED]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[WORD_6:.*]] = arith.trunci %[[IN_3]] : i64 to i32
// CHECK-NEXT: %[[SPREAD_3:.*]] = arith.muli %[[WORD_6]], %{{.*}} : i32
// CHECK-NEXT: %[[MOVED_4:.*]] = arith.addi %[[SPREAD_3]], %{{.*}} : i32
// CHECK-NEXT: %[[WITH_KEY:.*]] = arith.xori %[[OF_ROW]], %[[MOVED_4]] : i32
// CHECK: %[[SHIFTED_3A:.*]] = arith.shrui %[[WITH_KEY]], %{{.*}} : i32
// CHECK: %[[MIXED_3A:.*]] = arith.xori %[[WITH_KEY]], %[[SHIFTED_3A]] : i32
// CHECK: %[[TIMES_3A:.*]] = arith.muli %[[MIXED_3A]], %{{.*}} : i32
// CHECK: %[[SHIFTED_3B:.*]] = arith.shrui %[[TIMES_3A]], %{{.*}} : i32
// CHECK: %[[MIXED_3B:.*]] = arith.xori %[[TIMES_3A]], %[[SHIFTED_3B]] : i32
// CHECK: %[[TIMES_3B:.*]] = arith.muli %[[MIXED_3B]], %{{.*}} : i32
// CHECK: %[[SHIFTED_3C:.*]] = arith.shrui %[[TIMES_3B]], %{{.*}} : i32
// CHECK: %[[MIXED_31:.*]] = arith.xori %[[TIMES_3B]], %[[SHIFTED_3C]] : i32
// CHECK-NEXT: %[[C1_074e09:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi ult, %[[MIXED_31]], %[[C1_074e09]] : i32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C0_2]], %[[C1_333]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[IN_2]], %[[CHOSEN]] : f32
// CHECK-NEXT: %[[PRODUCT_8:.*]] = arith.mulf %[[EXP]], %[[PRODUCT_7]] : f32
// CHECK-NEXT: %[[PRODUCT_9:.*]] = arith.mulf %[[EXP]], %[[CHOSEN]] : f32
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[PRODUCT_8]] : f32 to f64
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[IN_4]], %[[WIDE]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[SUM_2]], %[[PRODUCT_9]], %[[EXP]], %[[PRODUCT_7]] : f64, f32, f32, f32
// CHECK: %[[LOADED_5:.*]] = memref.load {{.*}}
// CHECK: %[[NARROW:.*]] = arith.truncf %[[LOADED_5]] : f64 to f32
// CHECK: %[[C0_5_2:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN_8:.*]]: f32, %[[IN_9:.*]]: f32, %[[IN_10:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE_2:.*]] = arith.subf %[[IN_9]], %[[NARROW]] : f32
// CHECK-NEXT: %[[PRODUCT_10:.*]] = arith.mulf %[[IN_8]], %[[DIFFERENCE_2]] : f32
// CHECK-NEXT: %[[PRODUCT_11:.*]] = arith.mulf %[[PRODUCT_10]], %[[C0_5_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_11]] : f32
func.func private @dropped_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %n: tensor<2xi64>, %s: tensor<i64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad %x, %dp lse %lse positions %q, %k
      samples %n seed %s step %s scale 0.5 {p = 0.25, id = 7}
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}
