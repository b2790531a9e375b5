// Ops that move elements, and the indices that a kernel reads. The index of
// each row, of the result and of operands, follows from the work item's, d0;
// [n] is its extent.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels -mlir-print-local-scope \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func private @transpose(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 2 + (d0 mod 2) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[IN]] : f32
func.func private @transpose(%x: tensor<2x3x4xf32>)
    -> tensor<3x2x4xf32> attributes {rt.kernel} {
  %y = nn.transpose %x [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  return %y : tensor<3x2x4xf32>
}

// CHECK-LABEL: func.func private @transpose_columns(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> ((d0 floordiv 3) mod 4 + (d0 mod 3) * 4 + (d0 floordiv 12) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[IN]] : f32
func.func private @transpose_columns(%x: tensor<2x3x4xf32>)
    -> tensor<2x4x3xf32> attributes {rt.kernel} {
  %y = nn.transpose %x [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func private @broadcast(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @broadcast(%b: tensor<4xf32>, %x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.broadcast %b [2] : tensor<4xf32> -> tensor<2x3x4xf32>
  %z = nn.mul %x, %y : tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @broadcast_rows(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[LOADED]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @broadcast_rows(%b: tensor<2x3xf32>, %x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.broadcast %b [0, 1] : tensor<2x3xf32> -> tensor<2x3x4xf32>
  %z = nn.mul %x, %y : tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @slice(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> ((d0 mod 2) * 2 + ((d0 floordiv 2) mod 2 + 1) * 4 + (d0 floordiv 4) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[IN]] : f32
func.func private @slice(%x: tensor<2x3x4xf32>)
    -> tensor<2x2x2xf32> attributes {rt.kernel} {
  %y = nn.slice %x at [0, 1, 0] step [1, 1, 2] : tensor<2x3x4xf32> -> tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

// Padding is zero.
// CHECK-LABEL: func.func private @pad(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 30 - 1)>
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[IS_2:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[BOTH:.*]] = arith.andi %[[IS]], %[[IS_2]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> (((d0 floordiv 6) mod 5) floordiv 2)>
// CHECK: affine.apply affine_map<(d0, d1) -> (((d0 floordiv 6) mod 5) mod 2)>
// CHECK: %[[IS_3:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[IS_4:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[BOTH_2:.*]] = arith.andi %[[IS_3]], %[[IS_4]] : i1
// CHECK: %[[BOTH_3:.*]] = arith.andi %[[BOTH]], %[[BOTH_2]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 6 - 1)>
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[IS_5:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[IS_6:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[BOTH_4:.*]] = arith.andi %[[IS_5]], %[[IS_6]] : i1
// CHECK: %[[BOTH_5:.*]] = arith.andi %[[BOTH_3]], %[[BOTH_4]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> ((d0 mod 6 - 1) mod 4 + ((((d0 floordiv 6) mod 5) floordiv 2) mod 3) * 4 + ((d0 floordiv 30 - 1) mod 2) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[BOTH_5]], %[[IN]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @pad(%x: tensor<2x3x4xf32>)
    -> tensor<4x5x6xf32> attributes {rt.kernel} {
  %y = nn.pad %x at [1, 0, 1] step [1, 2, 1] : tensor<2x3x4xf32> -> tensor<4x5x6xf32>
  return %y : tensor<4x5x6xf32>
}

// CHECK-LABEL: func.func private @concat(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 6)>
// CHECK: %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3 + (d0 floordiv 6) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3 + (d0 floordiv 6) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @concat(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>)
    -> tensor<2x6x4xf32> attributes {rt.kernel} {
  %y = nn.concat %a, %b along 1 : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// CHECK-LABEL: func.func private @concat_columns(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 8)>
// CHECK: %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 4 + ((d0 floordiv 8) mod 3) * 4 + (d0 floordiv 24) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 4 + ((d0 floordiv 8) mod 3) * 4 + (d0 floordiv 24) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @concat_columns(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>)
    -> tensor<2x3x8xf32> attributes {rt.kernel} {
  %y = nn.concat %a, %b along 2 : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func private @select(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 * 3 + 2)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[IN]] : f32
func.func private @select(%x: tensor<2x3x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.select %x dim 1 index 2 : tensor<2x3x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @insert(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3)>
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @insert(%x: tensor<2x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.insert %x dim 1 index 2 : tensor<2x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @reshape(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [24] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [24] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [24] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
func.func private @reshape(%x: tensor<2x3x4xf32>, %y: tensor<6x4xf32>)
    -> tensor<6x4xf32> attributes {rt.kernel} {
  %r = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %z = nn.sum %r, %y : tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}

// An invalid id yields zeros.
// CHECK-LABEL: func.func private @embedding(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[LOADED]] : i64 to index
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[NUMBER_2:.*]] = arith.index_cast %[[LOADED_2]] : i64 to index
// CHECK: %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[CHOSEN:.*]] = arith.select %[[IS]], %{{.*}}, %{{.*}} : index
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS]], %[[IN]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN_2]] : f32
func.func private @embedding(%ids: tensor<2x3xi64>, %t: tensor<7x4xf32>, %first: tensor<i64>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.embedding %ids, %t offset %first : tensor<i64> : tensor<2x3xi64>, tensor<7x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @constant(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [24] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [24] [1]
// CHECK: %[[C2:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @constant(%x: tensor<2x3x4xf32>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %k = nn.constant dense<2.0> : tensor<2x3x4xf32>
  %y = nn.mul %x, %k : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func private @dropout(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[LOADED:.*]] = memref.load %arg3[
// CHECK: %[[WORD:.*]] = arith.trunci %[[LOADED]] : i64 to i32
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
// CHECK: %[[SHIFTED_4:.*]] = arith.shrui %[[LOADED]], %[[C32]] : i64
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
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[STEP:.*]] = memref.load %arg4[
// CHECK: %[[WORD_3:.*]] = arith.trunci %[[STEP]] : i64 to i32
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
// CHECK-NEXT: %[[HIGH:.*]] = arith.shrui %[[STEP]], %[[HIGH_BITS]] : i64
// CHECK-NEXT: %[[HIGH_WORD:.*]] = arith.trunci %[[HIGH]] : i64 to i32
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[ID:.*]] = arith.addi %[[HIGH_WORD]], %[[C3]] : i32
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
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 3)>
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_4:.*]] = arith.trunci %[[LOADED_2]] : i64 to i32
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
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3)>
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_5:.*]] = arith.trunci %[[LOADED_3]] : i64 to i32
// CHECK: %[[MIXED_20:.*]] = arith.xori %[[MIXED_19]], %{{.*}} : i32
// CHECK: %[[C16_11:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_17:.*]] = arith.shrui %[[MIXED_20]], %[[C16_11]] : i32
// CHECK: %[[MIXED_21:.*]] = arith.xori %[[MIXED_20]], %[[SHIFTED_17]] : i32
// CHECK: %[[C13_6:.*]] = arith.constant 13 : i32
// CHECK: %[[SHIFTED_18:.*]] = arith.shrui %{{.*}}, %[[C13_6]] : i32
// CHECK: %[[MIXED_22:.*]] = arith.xori %{{.*}}, %[[SHIFTED_18]] : i32
// CHECK: %[[C16_12:.*]] = arith.constant 16 : i32
// CHECK: %[[SHIFTED_19:.*]] = arith.shrui %{{.*}}, %[[C16_12]] : i32
// CHECK: %[[MIXED_23:.*]] = arith.xori %{{.*}}, %[[SHIFTED_19]] : i32
// CHECK: affine.apply affine_map<(d0, d1) -> (2)>
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[WORD_6:.*]] = arith.trunci %[[LOADED_4]] : i64 to i32
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[C1_333:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[NUMBER:.*]] = arith.index_cast %[[COLUMN]] : index to i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[NUMBER]], %[[WORD_6]] : i32
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.muli %[[SUM]], %{{.*}}-1640531527_i32_37 : i32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addi %[[PRODUCT]], %{{.*}}-2048144789_i32_38 : i32
// CHECK-NEXT: %[[MIXED_24:.*]] = arith.xori %[[MIXED_23]], %[[SUM_2]] : i32
// CHECK-NEXT: %[[C16_13:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[SHIFTED_20:.*]] = arith.shrui %[[MIXED_24]], %[[C16_13]] : i32
// CHECK-NEXT: %[[MIXED_25:.*]] = arith.xori %[[MIXED_24]], %[[SHIFTED_20]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_43 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.muli %[[MIXED_25]], %{{.*}}-2048144789_i32_43 : i32
// CHECK-NEXT: %[[C13_7:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[SHIFTED_21:.*]] = arith.shrui %[[PRODUCT_2]], %[[C13_7]] : i32
// CHECK-NEXT: %[[MIXED_26:.*]] = arith.xori %[[PRODUCT_2]], %[[SHIFTED_21]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_45 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.muli %[[MIXED_26]], %{{.*}}-1028477387_i32_45 : i32
// CHECK-NEXT: %[[C16_14:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[SHIFTED_22:.*]] = arith.shrui %[[PRODUCT_3]], %[[C16_14]] : i32
// CHECK-NEXT: %[[MIXED_27:.*]] = arith.xori %[[PRODUCT_3]], %[[SHIFTED_22]] : i32
// CHECK-NEXT: %[[C1_074e09:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi ult, %[[MIXED_27]], %[[C1_074e09]] : i32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN]], %[[C1_333]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C0]], %[[PRODUCT_4]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @dropout(%x: tensor<2x3x4xf32>, %n: tensor<2xi64>, %at: tensor<3xi64>, %s: tensor<i64>, %t: tensor<i64>, %o: tensor<3xi64>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.dropout %x samples %n positions %at seed %s step %t origin %o
      {p = 0.25, id = 3, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  return %y : tensor<2x3x4xf32>
}
