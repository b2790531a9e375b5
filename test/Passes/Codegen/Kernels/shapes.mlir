// Ops that move elements: what a kernel reads where. Of each row, of the
// result and of what is read, the number follows from the unit's, d0; [n] is its
// extent.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels -mlir-print-local-scope \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func private @transpose(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 2 + (d0 mod 2) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[V0]] : f32
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
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[V0]] : f32
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
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
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
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V1]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
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
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func private @slice(%x: tensor<2x3x4xf32>)
    -> tensor<2x2x2xf32> attributes {rt.kernel} {
  %y = nn.slice %x at [0, 1, 0] step [1, 1, 2] : tensor<2x3x4xf32> -> tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

// Zero where no element lies.
// CHECK-LABEL: func.func private @pad(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 30 - 1)>
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[V0:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[V1:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[V2:.*]] = arith.andi %[[V0]], %[[V1]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> (((d0 floordiv 6) mod 5) floordiv 2)>
// CHECK: affine.apply affine_map<(d0, d1) -> (((d0 floordiv 6) mod 5) mod 2)>
// CHECK: %[[V3:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[V4:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[V5:.*]] = arith.andi %[[V3]], %[[V4]] : i1
// CHECK: %[[V6:.*]] = arith.andi %[[V2]], %[[V5]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 6 - 1)>
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[V7:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[V8:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[V9:.*]] = arith.andi %[[V7]], %[[V8]] : i1
// CHECK: %[[V10:.*]] = arith.andi %[[V6]], %[[V9]] : i1
// CHECK: affine.apply affine_map<(d0, d1) -> ((d0 mod 6 - 1) mod 4 + ((((d0 floordiv 6) mod 5) floordiv 2) mod 3) * 4 + ((d0 floordiv 30 - 1) mod 2) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: %[[V11:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V12:.*]]: f32, %[[V13:.*]]: f32)
// CHECK-NEXT: %[[V14:.*]] = arith.select %[[V10]], %[[V12]], %[[V11]] : f32
// CHECK-NEXT: linalg.yield %[[V14]] : f32
func.func private @pad(%x: tensor<2x3x4xf32>)
    -> tensor<4x5x6xf32> attributes {rt.kernel} {
  %y = nn.pad %x at [1, 0, 1] step [1, 2, 1] : tensor<2x3x4xf32> -> tensor<4x5x6xf32>
  return %y : tensor<4x5x6xf32>
}

// CHECK-LABEL: func.func private @concat(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 6)>
// CHECK: %[[V0:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3 + (d0 floordiv 6) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3 + (d0 floordiv 6) * 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V0]], %[[V1]], %[[V2]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
func.func private @concat(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xf32>)
    -> tensor<2x6x4xf32> attributes {rt.kernel} {
  %y = nn.concat %a, %b along 1 : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// CHECK-LABEL: func.func private @concat_columns(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 8)>
// CHECK: %[[V0:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 4 + ((d0 floordiv 8) mod 3) * 4 + (d0 floordiv 24) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 4 + ((d0 floordiv 8) mod 3) * 4 + (d0 floordiv 24) * 12)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [1] [1]
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V0]], %[[V1]], %[[V2]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
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
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: linalg.yield %[[V0]] : f32
func.func private @select(%x: tensor<2x3x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.select %x dim 1 index 2 : tensor<2x3x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @insert(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3)>
// CHECK: %[[V0:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 3)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[V1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V0]], %[[V2]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
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
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @reshape(%x: tensor<2x3x4xf32>, %y: tensor<6x4xf32>)
    -> tensor<6x4xf32> attributes {rt.kernel} {
  %r = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %z = nn.sum %r, %y : tensor<6x4xf32>
  return %z : tensor<6x4xf32>
}

// An id that names no row gives zeros.
// CHECK-LABEL: func.func private @embedding(
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.index_cast %[[V0]] : i64 to index
// CHECK: affine.apply affine_map<(d0, d1) -> (0)>
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: %[[V3:.*]] = arith.index_cast %[[V2]] : i64 to index
// CHECK: %[[V4:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[V5:.*]] = arith.select %[[V4]], %{{.*}}, %{{.*}} : index
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[V6:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V7:.*]]: f32, %[[V8:.*]]: f32)
// CHECK-NEXT: %[[V9:.*]] = arith.select %[[V4]], %[[V7]], %[[V6]] : f32
// CHECK-NEXT: linalg.yield %[[V9]] : f32
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
// CHECK: %[[V0:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V1]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
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
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.trunci %[[V0]] : i64 to i32
// CHECK: %[[V2:.*]] = arith.constant 16 : i32
// CHECK: %[[V3:.*]] = arith.shrui %{{.*}}, %[[V2]] : i32
// CHECK: %[[V4:.*]] = arith.xori %{{.*}}, %[[V3]] : i32
// CHECK: %[[V5:.*]] = arith.constant 13 : i32
// CHECK: %[[V6:.*]] = arith.shrui %{{.*}}, %[[V5]] : i32
// CHECK: %[[V7:.*]] = arith.xori %{{.*}}, %[[V6]] : i32
// CHECK: %[[V8:.*]] = arith.constant 16 : i32
// CHECK: %[[V9:.*]] = arith.shrui %{{.*}}, %[[V8]] : i32
// CHECK: %[[V10:.*]] = arith.xori %{{.*}}, %[[V9]] : i32
// CHECK: %[[V11:.*]] = arith.constant 32 : i64
// CHECK: %[[V12:.*]] = arith.shrui %[[V0]], %[[V11]] : i64
// CHECK: %[[V13:.*]] = arith.trunci %[[V12]] : i64 to i32
// CHECK: %[[V14:.*]] = arith.xori %[[V10]], %{{.*}} : i32
// CHECK: %[[V15:.*]] = arith.constant 16 : i32
// CHECK: %[[V16:.*]] = arith.shrui %[[V14]], %[[V15]] : i32
// CHECK: %[[V17:.*]] = arith.xori %[[V14]], %[[V16]] : i32
// CHECK: %[[V18:.*]] = arith.constant 13 : i32
// CHECK: %[[V19:.*]] = arith.shrui %{{.*}}, %[[V18]] : i32
// CHECK: %[[V20:.*]] = arith.xori %{{.*}}, %[[V19]] : i32
// CHECK: %[[V21:.*]] = arith.constant 16 : i32
// CHECK: %[[V22:.*]] = arith.shrui %{{.*}}, %[[V21]] : i32
// CHECK: %[[V23:.*]] = arith.xori %{{.*}}, %[[V22]] : i32
// CHECK: %[[V24:.*]] = arith.trunci %[[V0]] : i64 to i32
// CHECK: %[[V25:.*]] = arith.xori %[[V23]], %{{.*}} : i32
// CHECK: %[[V26:.*]] = arith.constant 16 : i32
// CHECK: %[[V27:.*]] = arith.shrui %[[V25]], %[[V26]] : i32
// CHECK: %[[V28:.*]] = arith.xori %[[V25]], %[[V27]] : i32
// CHECK: %[[V29:.*]] = arith.constant 13 : i32
// CHECK: %[[V30:.*]] = arith.shrui %{{.*}}, %[[V29]] : i32
// CHECK: %[[V31:.*]] = arith.xori %{{.*}}, %[[V30]] : i32
// CHECK: %[[V32:.*]] = arith.constant 16 : i32
// CHECK: %[[V33:.*]] = arith.shrui %{{.*}}, %[[V32]] : i32
// CHECK: %[[V34:.*]] = arith.xori %{{.*}}, %[[V33]] : i32
// CHECK: %[[V35:.*]] = arith.constant 3 : i32
// CHECK: %[[V36:.*]] = arith.xori %[[V34]], %{{.*}} : i32
// CHECK: %[[V37:.*]] = arith.constant 16 : i32
// CHECK: %[[V38:.*]] = arith.shrui %[[V36]], %[[V37]] : i32
// CHECK: %[[V39:.*]] = arith.xori %[[V36]], %[[V38]] : i32
// CHECK: %[[V40:.*]] = arith.constant 13 : i32
// CHECK: %[[V41:.*]] = arith.shrui %{{.*}}, %[[V40]] : i32
// CHECK: %[[V42:.*]] = arith.xori %{{.*}}, %[[V41]] : i32
// CHECK: %[[V43:.*]] = arith.constant 16 : i32
// CHECK: %[[V44:.*]] = arith.shrui %{{.*}}, %[[V43]] : i32
// CHECK: %[[V45:.*]] = arith.xori %{{.*}}, %[[V44]] : i32
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 floordiv 3)>
// CHECK: %[[V46:.*]] = memref.load {{.*}}
// CHECK: %[[V47:.*]] = arith.trunci %[[V46]] : i64 to i32
// CHECK: %[[V48:.*]] = arith.xori %[[V45]], %{{.*}} : i32
// CHECK: %[[V49:.*]] = arith.constant 16 : i32
// CHECK: %[[V50:.*]] = arith.shrui %[[V48]], %[[V49]] : i32
// CHECK: %[[V51:.*]] = arith.xori %[[V48]], %[[V50]] : i32
// CHECK: %[[V52:.*]] = arith.constant 13 : i32
// CHECK: %[[V53:.*]] = arith.shrui %{{.*}}, %[[V52]] : i32
// CHECK: %[[V54:.*]] = arith.xori %{{.*}}, %[[V53]] : i32
// CHECK: %[[V55:.*]] = arith.constant 16 : i32
// CHECK: %[[V56:.*]] = arith.shrui %{{.*}}, %[[V55]] : i32
// CHECK: %[[V57:.*]] = arith.xori %{{.*}}, %[[V56]] : i32
// CHECK: affine.apply affine_map<(d0, d1) -> (d0 mod 3)>
// CHECK: %[[V58:.*]] = memref.load {{.*}}
// CHECK: %[[V59:.*]] = arith.trunci %[[V58]] : i64 to i32
// CHECK: %[[V60:.*]] = arith.xori %[[V57]], %{{.*}} : i32
// CHECK: %[[V61:.*]] = arith.constant 16 : i32
// CHECK: %[[V62:.*]] = arith.shrui %[[V60]], %[[V61]] : i32
// CHECK: %[[V63:.*]] = arith.xori %[[V60]], %[[V62]] : i32
// CHECK: %[[V64:.*]] = arith.constant 13 : i32
// CHECK: %[[V65:.*]] = arith.shrui %{{.*}}, %[[V64]] : i32
// CHECK: %[[V66:.*]] = arith.xori %{{.*}}, %[[V65]] : i32
// CHECK: %[[V67:.*]] = arith.constant 16 : i32
// CHECK: %[[V68:.*]] = arith.shrui %{{.*}}, %[[V67]] : i32
// CHECK: %[[V69:.*]] = arith.xori %{{.*}}, %[[V68]] : i32
// CHECK: affine.apply affine_map<(d0, d1) -> (2)>
// CHECK: %[[V70:.*]] = memref.load {{.*}}
// CHECK: %[[V71:.*]] = arith.trunci %[[V70]] : i64 to i32
// CHECK: %[[V72:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: affine.apply affine_map<(d0, d1) -> (d0)>
// CHECK: memref.subview %{{.*}}[%{{.*}}] [4] [1]
// CHECK: %[[V73:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V74:.*]]: f32, %[[V75:.*]]: f32)
// CHECK-NEXT: %[[V76:.*]] = linalg.index 0 : index
// CHECK-NEXT: %[[V77:.*]] = arith.index_cast %[[V76]] : index to i32
// CHECK-NEXT: %[[V78:.*]] = arith.addi %[[V77]], %[[V71]] : i32
// CHECK-NEXT: %[[V79:.*]] = arith.muli %[[V78]], %{{.*}}-1640531527_i32_36 : i32
// CHECK-NEXT: %[[V80:.*]] = arith.addi %[[V79]], %{{.*}}-2048144789_i32_37 : i32
// CHECK-NEXT: %[[V81:.*]] = arith.xori %[[V69]], %[[V80]] : i32
// CHECK-NEXT: %[[V82:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V83:.*]] = arith.shrui %[[V81]], %[[V82]] : i32
// CHECK-NEXT: %[[V84:.*]] = arith.xori %[[V81]], %[[V83]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_42 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[V85:.*]] = arith.muli %[[V84]], %{{.*}}-2048144789_i32_42 : i32
// CHECK-NEXT: %[[V86:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[V87:.*]] = arith.shrui %[[V85]], %[[V86]] : i32
// CHECK-NEXT: %[[V88:.*]] = arith.xori %[[V85]], %[[V87]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_44 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[V89:.*]] = arith.muli %[[V88]], %{{.*}}-1028477387_i32_44 : i32
// CHECK-NEXT: %[[V90:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V91:.*]] = arith.shrui %[[V89]], %[[V90]] : i32
// CHECK-NEXT: %[[V92:.*]] = arith.xori %[[V89]], %[[V91]] : i32
// CHECK-NEXT: %[[V93:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[V94:.*]] = arith.cmpi ult, %[[V92]], %[[V93]] : i32
// CHECK-NEXT: %[[V95:.*]] = arith.mulf %[[V74]], %[[V73]] : f32
// CHECK-NEXT: %[[V96:.*]] = arith.select %[[V94]], %[[V72]], %[[V95]] : f32
// CHECK-NEXT: linalg.yield %[[V96]] : f32
func.func private @dropout(%x: tensor<2x3x4xf32>, %n: tensor<2xi64>, %at: tensor<3xi64>, %s: tensor<i64>, %o: tensor<3xi64>)
    -> tensor<2x3x4xf32> attributes {rt.kernel} {
  %y = nn.dropout %x samples %n positions %at seed %s step %s origin %o
      {p = 0.25, id = 3, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  return %y : tensor<2x3x4xf32>
}
