// The softmax within attention.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// A key after the query counts as -inf.
// CHECK-LABEL: func.func private @causal(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = arith.trunci %[[V1]] : i64 to i32
// CHECK: %[[V3:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: %[[V4:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V5:.*]]: i64, %[[V6:.*]]: f32, %[[V7:.*]]: f32)
// CHECK-NEXT: %[[V8:.*]] = arith.trunci %[[V5]] : i64 to i32
// CHECK-NEXT: %[[V9:.*]] = arith.cmpi slt, %[[V2]], %[[V8]] : i32
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V6]], %[[V4]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.select %[[V9]], %[[V3]], %[[V10]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.maxnumf %[[V7]], %[[V11]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V12]] : f32
// CHECK: %[[V13:.*]] = memref.load {{.*}}
// CHECK: %[[V14:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V15:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V16:.*]]: i64, %[[V17:.*]]: f32, %[[V18:.*]]: f64, %[[V19:.*]]: f32)
// CHECK-NEXT: %[[V20:.*]] = arith.trunci %[[V16]] : i64 to i32
// CHECK-NEXT: %[[V21:.*]] = arith.cmpi slt, %[[V2]], %[[V20]] : i32
// CHECK-NEXT: %[[V22:.*]] = arith.mulf %[[V17]], %[[V4]] : f32
// CHECK-NEXT: %[[V23:.*]] = arith.subf %[[V22]], %[[V13]] : f32
// CHECK-NEXT: %[[V24:.*]] = math.exp %[[V23]] : f32
// CHECK-NEXT: %[[V25:.*]] = arith.select %[[V21]], %[[V15]], %[[V24]] : f32
// CHECK-NEXT: %[[V26:.*]] = arith.extf %[[V25]] : f32 to f64
// CHECK-NEXT: %[[V27:.*]] = arith.addf %[[V18]], %[[V26]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V27]], %[[V25]] : f64, f32
// CHECK: %[[V28:.*]] = memref.load {{.*}}
// CHECK: %[[V29:.*]] = arith.truncf %[[V28]] : f64 to f32
// CHECK: %[[V30:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V31:.*]] = arith.divf %[[V30]], %[[V29]] : f32
// CHECK: %[[V32:.*]] = arith.cmpf ugt, %[[V29]], %[[V15]] : f32
// CHECK: %[[V33:.*]] = arith.select %[[V32]], %[[V31]], %[[V15]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V34:.*]]: f32, %[[V35:.*]]: f32)
// CHECK-NEXT: %[[V36:.*]] = arith.mulf %[[V34]], %[[V33]] : f32
// CHECK-NEXT: linalg.yield %[[V36]] : f32
// CHECK: %[[V37:.*]] = math.log %[[V29]] : f32
// CHECK: %[[V38:.*]] = arith.addf %[[V13]], %[[V37]] : f32
// CHECK: memref.store
func.func private @causal(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax causal %x positions %q, %k scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %p, %lse : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
}

// A row of -inf alone gives zeros.
// CHECK-LABEL: func.func private @bias(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32, %[[V4:.*]]: f32)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V3]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.maxnumf %[[V4]], %[[V6]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V7]] : f32
// CHECK: %[[V8:.*]] = memref.load {{.*}}
// CHECK: %[[V9:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V10:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[V11:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V12:.*]] = arith.cmpf oeq, %[[V8]], %[[V10]] : f32
// CHECK: %[[V13:.*]] = arith.select %[[V12]], %[[V11]], %[[V8]] : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V14:.*]]: f32, %[[V15:.*]]: f32, %[[V16:.*]]: f64, %[[V17:.*]]: f32)
// CHECK-NEXT: %[[V18:.*]] = arith.mulf %[[V14]], %[[V1]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.addf %[[V18]], %[[V15]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.subf %[[V19]], %[[V13]] : f32
// CHECK-NEXT: %[[V21:.*]] = math.exp %[[V20]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.extf %[[V21]] : f32 to f64
// CHECK-NEXT: %[[V23:.*]] = arith.addf %[[V16]], %[[V22]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V23]], %[[V21]] : f64, f32
// CHECK: %[[V24:.*]] = memref.load {{.*}}
// CHECK: %[[V25:.*]] = arith.truncf %[[V24]] : f64 to f32
// CHECK: %[[V26:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V27:.*]] = arith.divf %[[V26]], %[[V25]] : f32
// CHECK: %[[V28:.*]] = arith.cmpf ugt, %[[V25]], %[[V11]] : f32
// CHECK: %[[V29:.*]] = arith.select %[[V28]], %[[V27]], %[[V11]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V30:.*]]: f32, %[[V31:.*]]: f32)
// CHECK-NEXT: %[[V32:.*]] = arith.mulf %[[V30]], %[[V29]] : f32
// CHECK-NEXT: linalg.yield %[[V32]] : f32
// CHECK: %[[V33:.*]] = math.log %[[V25]] : f32
// CHECK: memref.store
func.func private @bias(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %b: tensor<1x2x1x4xf32>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax %x positions %q, %k bias %b scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %p, %lse : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
}

// The hash of Random.h, word by word.
// CHECK-LABEL: func.func private @dropped(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.maxnumf %[[V3]], %[[V4]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
// CHECK: %[[V6:.*]] = memref.load {{.*}}
// CHECK: %[[V7:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V8:.*]]: f32, %[[V9:.*]]: f64, %[[V10:.*]]: f32)
// CHECK-NEXT: %[[V11:.*]] = arith.mulf %[[V8]], %[[V1]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.subf %[[V11]], %[[V6]] : f32
// CHECK-NEXT: %[[V13:.*]] = math.exp %[[V12]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.extf %[[V13]] : f32 to f64
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V9]], %[[V14]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V15]], %[[V13]] : f64, f32
// CHECK: %[[V16:.*]] = memref.load {{.*}}
// CHECK: %[[V17:.*]] = arith.truncf %[[V16]] : f64 to f32
// CHECK: %[[V18:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V19:.*]] = arith.divf %[[V18]], %[[V17]] : f32
// CHECK: %[[V20:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V21:.*]] = arith.cmpf ugt, %[[V17]], %[[V20]] : f32
// CHECK: %[[V22:.*]] = arith.select %[[V21]], %[[V19]], %[[V20]] : f32
// CHECK: %[[V23:.*]] = memref.load {{.*}}
// CHECK: %[[V24:.*]] = arith.trunci %[[V23]] : i64 to i32
// CHECK: %[[V25:.*]] = arith.constant 16 : i32
// CHECK: %[[V26:.*]] = arith.shrui %{{.*}}, %[[V25]] : i32
// CHECK: %[[V27:.*]] = arith.xori %{{.*}}, %[[V26]] : i32
// CHECK: %[[V28:.*]] = arith.constant 13 : i32
// CHECK: %[[V29:.*]] = arith.shrui %{{.*}}, %[[V28]] : i32
// CHECK: %[[V30:.*]] = arith.xori %{{.*}}, %[[V29]] : i32
// CHECK: %[[V31:.*]] = arith.constant 16 : i32
// CHECK: %[[V32:.*]] = arith.shrui %{{.*}}, %[[V31]] : i32
// CHECK: %[[V33:.*]] = arith.xori %{{.*}}, %[[V32]] : i32
// CHECK: %[[V34:.*]] = arith.constant 32 : i64
// CHECK: %[[V35:.*]] = arith.shrui %[[V23]], %[[V34]] : i64
// CHECK: %[[V36:.*]] = arith.trunci %[[V35]] : i64 to i32
// CHECK: %[[V37:.*]] = arith.xori %[[V33]], %{{.*}} : i32
// CHECK: %[[V38:.*]] = arith.constant 16 : i32
// CHECK: %[[V39:.*]] = arith.shrui %[[V37]], %[[V38]] : i32
// CHECK: %[[V40:.*]] = arith.xori %[[V37]], %[[V39]] : i32
// CHECK: %[[V41:.*]] = arith.constant 13 : i32
// CHECK: %[[V42:.*]] = arith.shrui %{{.*}}, %[[V41]] : i32
// CHECK: %[[V43:.*]] = arith.xori %{{.*}}, %[[V42]] : i32
// CHECK: %[[V44:.*]] = arith.constant 16 : i32
// CHECK: %[[V45:.*]] = arith.shrui %{{.*}}, %[[V44]] : i32
// CHECK: %[[V46:.*]] = arith.xori %{{.*}}, %[[V45]] : i32
// CHECK: %[[V47:.*]] = arith.trunci %[[V23]] : i64 to i32
// CHECK: %[[V48:.*]] = arith.xori %[[V46]], %{{.*}} : i32
// CHECK: %[[V49:.*]] = arith.constant 16 : i32
// CHECK: %[[V50:.*]] = arith.shrui %[[V48]], %[[V49]] : i32
// CHECK: %[[V51:.*]] = arith.xori %[[V48]], %[[V50]] : i32
// CHECK: %[[V52:.*]] = arith.constant 13 : i32
// CHECK: %[[V53:.*]] = arith.shrui %{{.*}}, %[[V52]] : i32
// CHECK: %[[V54:.*]] = arith.xori %{{.*}}, %[[V53]] : i32
// CHECK: %[[V55:.*]] = arith.constant 16 : i32
// CHECK: %[[V56:.*]] = arith.shrui %{{.*}}, %[[V55]] : i32
// CHECK: %[[V57:.*]] = arith.xori %{{.*}}, %[[V56]] : i32
// CHECK: %[[V58:.*]] = arith.constant 7 : i32
// CHECK: %[[V59:.*]] = arith.xori %[[V57]], %{{.*}} : i32
// CHECK: %[[V60:.*]] = arith.constant 16 : i32
// CHECK: %[[V61:.*]] = arith.shrui %[[V59]], %[[V60]] : i32
// CHECK: %[[V62:.*]] = arith.xori %[[V59]], %[[V61]] : i32
// CHECK: %[[V63:.*]] = arith.constant 13 : i32
// CHECK: %[[V64:.*]] = arith.shrui %{{.*}}, %[[V63]] : i32
// CHECK: %[[V65:.*]] = arith.xori %{{.*}}, %[[V64]] : i32
// CHECK: %[[V66:.*]] = arith.constant 16 : i32
// CHECK: %[[V67:.*]] = arith.shrui %{{.*}}, %[[V66]] : i32
// CHECK: %[[V68:.*]] = arith.xori %{{.*}}, %[[V67]] : i32
// CHECK: %[[V69:.*]] = memref.load {{.*}}
// CHECK: %[[V70:.*]] = arith.trunci %[[V69]] : i64 to i32
// CHECK: %[[V71:.*]] = arith.xori %[[V68]], %{{.*}} : i32
// CHECK: %[[V72:.*]] = arith.constant 16 : i32
// CHECK: %[[V73:.*]] = arith.shrui %[[V71]], %[[V72]] : i32
// CHECK: %[[V74:.*]] = arith.xori %[[V71]], %[[V73]] : i32
// CHECK: %[[V75:.*]] = arith.constant 13 : i32
// CHECK: %[[V76:.*]] = arith.shrui %{{.*}}, %[[V75]] : i32
// CHECK: %[[V77:.*]] = arith.xori %{{.*}}, %[[V76]] : i32
// CHECK: %[[V78:.*]] = arith.constant 16 : i32
// CHECK: %[[V79:.*]] = arith.shrui %{{.*}}, %[[V78]] : i32
// CHECK: %[[V80:.*]] = arith.xori %{{.*}}, %[[V79]] : i32
// CHECK: %[[V81:.*]] = memref.load {{.*}}
// CHECK: %[[V82:.*]] = arith.trunci %[[V81]] : i64 to i32
// CHECK: %[[V83:.*]] = arith.xori %[[V80]], %{{.*}} : i32
// CHECK: %[[V84:.*]] = arith.constant 16 : i32
// CHECK: %[[V85:.*]] = arith.shrui %[[V83]], %[[V84]] : i32
// CHECK: %[[V86:.*]] = arith.xori %[[V83]], %[[V85]] : i32
// CHECK: %[[V87:.*]] = arith.constant 13 : i32
// CHECK: %[[V88:.*]] = arith.shrui %{{.*}}, %[[V87]] : i32
// CHECK: %[[V89:.*]] = arith.xori %{{.*}}, %[[V88]] : i32
// CHECK: %[[V90:.*]] = arith.constant 16 : i32
// CHECK: %[[V91:.*]] = arith.shrui %{{.*}}, %[[V90]] : i32
// CHECK: %[[V92:.*]] = arith.xori %{{.*}}, %[[V91]] : i32
// CHECK: %[[V93:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[V94:.*]] = arith.trunci %[[V23]] : i64 to i32
// CHECK: %[[V95:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V96:.*]]: f32, %[[V97:.*]]: i64, %[[V98:.*]]: f32)
// CHECK-NEXT: %[[V99:.*]] = arith.mulf %[[V96]], %[[V22]] : f32
// CHECK-NEXT: %[[V100:.*]] = arith.trunci %[[V97]] : i64 to i32
// CHECK-NEXT: %[[V101:.*]] = arith.muli %[[V100]], %{{.*}}-1640531527_i32_48 : i32
// CHECK-NEXT: %[[V102:.*]] = arith.addi %[[V101]], %{{.*}}-2048144789_i32_49 : i32
// CHECK-NEXT: %[[V103:.*]] = arith.xori %[[V92]], %[[V102]] : i32
// CHECK-NEXT: %[[V104:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V105:.*]] = arith.shrui %[[V103]], %[[V104]] : i32
// CHECK-NEXT: %[[V106:.*]] = arith.xori %[[V103]], %[[V105]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_55 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[V107:.*]] = arith.muli %[[V106]], %{{.*}}-2048144789_i32_55 : i32
// CHECK-NEXT: %[[V108:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[V109:.*]] = arith.shrui %[[V107]], %[[V108]] : i32
// CHECK-NEXT: %[[V110:.*]] = arith.xori %[[V107]], %[[V109]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_57 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[V111:.*]] = arith.muli %[[V110]], %{{.*}}-1028477387_i32_57 : i32
// CHECK-NEXT: %[[V112:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V113:.*]] = arith.shrui %[[V111]], %[[V112]] : i32
// CHECK-NEXT: %[[V114:.*]] = arith.xori %[[V111]], %[[V113]] : i32
// CHECK-NEXT: %[[V115:.*]] = arith.xori %[[V114]], %{{.*}} : i32
// CHECK-NEXT: %[[V116:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V117:.*]] = arith.shrui %[[V115]], %[[V116]] : i32
// CHECK-NEXT: %[[V118:.*]] = arith.xori %[[V115]], %[[V117]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_60 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[V119:.*]] = arith.muli %[[V118]], %{{.*}}-2048144789_i32_60 : i32
// CHECK-NEXT: %[[V120:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[V121:.*]] = arith.shrui %[[V119]], %[[V120]] : i32
// CHECK-NEXT: %[[V122:.*]] = arith.xori %[[V119]], %[[V121]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_62 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[V123:.*]] = arith.muli %[[V122]], %{{.*}}-1028477387_i32_62 : i32
// CHECK-NEXT: %[[V124:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V125:.*]] = arith.shrui %[[V123]], %[[V124]] : i32
// CHECK-NEXT: %[[V126:.*]] = arith.xori %[[V123]], %[[V125]] : i32
// CHECK-NEXT: %[[V127:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[V128:.*]] = arith.cmpi ult, %[[V126]], %[[V127]] : i32
// CHECK-NEXT: %[[V129:.*]] = arith.select %[[V128]], %[[V20]], %[[V95]] : f32
// CHECK-NEXT: %[[V130:.*]] = arith.mulf %[[V99]], %[[V129]] : f32
// CHECK-NEXT: linalg.yield %[[V130]] : f32
// CHECK: %[[V131:.*]] = math.log %[[V17]] : f32
// CHECK: %[[V132:.*]] = arith.addf %[[V6]], %[[V131]] : f32
// CHECK: memref.store
func.func private @dropped(%x: tensor<2x2x3x4xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %n: tensor<2xi64>, %s: tensor<i64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax %x positions %q, %k samples %n seed %s step %s
      head_origin %s scale 0.5 {p = 0.25, id = 7}
      : (tensor<2x2x3x4xf32>, tensor<3xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %p, %lse : tensor<2x2x3x4xf32>, tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func private @causal_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V1:.*]] = memref.load {{.*}}
// CHECK: %[[V2:.*]] = arith.trunci %[[V1]] : i64 to i32
// CHECK: %[[V3:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V4:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V5:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V6:.*]]: i64, %[[V7:.*]]: f32, %[[V8:.*]]: f32, %[[V9:.*]]: f64, %[[V10:.*]]: f32)
// CHECK-NEXT: %[[V11:.*]] = arith.trunci %[[V6]] : i64 to i32
// CHECK-NEXT: %[[V12:.*]] = arith.cmpi slt, %[[V2]], %[[V11]] : i32
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[V7]], %[[V4]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.subf %[[V13]], %[[V5]] : f32
// CHECK-NEXT: %[[V15:.*]] = math.exp %[[V14]] : f32
// CHECK-NEXT: %[[V16:.*]] = arith.select %[[V12]], %[[V3]], %[[V15]] : f32
// CHECK-NEXT: %[[V17:.*]] = arith.mulf %[[V16]], %[[V8]] : f32
// CHECK-NEXT: %[[V18:.*]] = arith.extf %[[V17]] : f32 to f64
// CHECK-NEXT: %[[V19:.*]] = arith.addf %[[V9]], %[[V18]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V19]], %[[V16]] : f64, f32
// CHECK: %[[V20:.*]] = memref.load {{.*}}
// CHECK: %[[V21:.*]] = arith.truncf %[[V20]] : f64 to f32
// CHECK: %[[V22:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V23:.*]]: f32, %[[V24:.*]]: f32, %[[V25:.*]]: f32)
// CHECK-NEXT: %[[V26:.*]] = arith.subf %[[V24]], %[[V21]] : f32
// CHECK-NEXT: %[[V27:.*]] = arith.mulf %[[V23]], %[[V26]] : f32
// CHECK-NEXT: %[[V28:.*]] = arith.mulf %[[V27]], %[[V22]] : f32
// CHECK-NEXT: linalg.yield %[[V28]] : f32
func.func private @causal_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad causal %x, %dp lse %lse positions %q, %k scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// CHECK-LABEL: func.func private @bias_grad(
// CHECK: %[[V0:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32, %[[V4:.*]]: f32)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V3]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.maxnumf %[[V4]], %[[V6]] fastmath<nnan,nsz> : f32
// CHECK-NEXT: linalg.yield %[[V7]] : f32
// CHECK: %[[V8:.*]] = memref.load {{.*}}
// CHECK: %[[V9:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V10:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[V11:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V12:.*]] = arith.cmpf oeq, %[[V8]], %[[V10]] : f32
// CHECK: %[[V13:.*]] = arith.select %[[V12]], %[[V11]], %[[V8]] : f32
// CHECK: %[[V14:.*]] = memref.load {{.*}}
// CHECK: %[[V15:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[V16:.*]] = arith.cmpf oeq, %[[V14]], %[[V15]] : f32
// CHECK: %[[V17:.*]] = arith.select %[[V16]], %[[V11]], %[[V14]] : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V18:.*]]: f32, %[[V19:.*]]: f32, %[[V20:.*]]: f32, %[[V21:.*]]: f64, %[[V22:.*]]: f32)
// CHECK-NEXT: %[[V23:.*]] = arith.mulf %[[V18]], %[[V1]] : f32
// CHECK-NEXT: %[[V24:.*]] = arith.addf %[[V23]], %[[V19]] : f32
// CHECK-NEXT: %[[V25:.*]] = arith.subf %[[V24]], %[[V13]] : f32
// CHECK-NEXT: %[[V26:.*]] = arith.subf %[[V25]], %[[V17]] : f32
// CHECK-NEXT: %[[V27:.*]] = math.exp %[[V26]] : f32
// CHECK-NEXT: %[[V28:.*]] = arith.mulf %[[V27]], %[[V20]] : f32
// CHECK-NEXT: %[[V29:.*]] = arith.extf %[[V28]] : f32 to f64
// CHECK-NEXT: %[[V30:.*]] = arith.addf %[[V21]], %[[V29]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V30]], %[[V27]] : f64, f32
// CHECK: %[[V31:.*]] = memref.load {{.*}}
// CHECK: %[[V32:.*]] = arith.truncf %[[V31]] : f64 to f32
// CHECK: %[[V33:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V34:.*]]: f32, %[[V35:.*]]: f32, %[[V36:.*]]: f32)
// CHECK-NEXT: %[[V37:.*]] = arith.subf %[[V35]], %[[V32]] : f32
// CHECK-NEXT: %[[V38:.*]] = arith.mulf %[[V34]], %[[V37]] : f32
// CHECK-NEXT: %[[V39:.*]] = arith.mulf %[[V38]], %[[V33]] : f32
// CHECK-NEXT: linalg.yield %[[V39]] : f32
func.func private @bias_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %b: tensor<1x2x1x4xf32>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad %x, %dp lse %lse positions %q, %k bias %b scale 0.5
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// CHECK-LABEL: func.func private @dropped_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: memref.store
// CHECK: %[[V1:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: %[[V3:.*]] = memref.load {{.*}}
// CHECK: %[[V4:.*]] = arith.trunci %[[V3]] : i64 to i32
// CHECK: %[[V5:.*]] = arith.constant 16 : i32
// CHECK: %[[V6:.*]] = arith.shrui %{{.*}}, %[[V5]] : i32
// CHECK: %[[V7:.*]] = arith.xori %{{.*}}, %[[V6]] : i32
// CHECK: %[[V8:.*]] = arith.constant 13 : i32
// CHECK: %[[V9:.*]] = arith.shrui %{{.*}}, %[[V8]] : i32
// CHECK: %[[V10:.*]] = arith.xori %{{.*}}, %[[V9]] : i32
// CHECK: %[[V11:.*]] = arith.constant 16 : i32
// CHECK: %[[V12:.*]] = arith.shrui %{{.*}}, %[[V11]] : i32
// CHECK: %[[V13:.*]] = arith.xori %{{.*}}, %[[V12]] : i32
// CHECK: %[[V14:.*]] = arith.constant 32 : i64
// CHECK: %[[V15:.*]] = arith.shrui %[[V3]], %[[V14]] : i64
// CHECK: %[[V16:.*]] = arith.trunci %[[V15]] : i64 to i32
// CHECK: %[[V17:.*]] = arith.xori %[[V13]], %{{.*}} : i32
// CHECK: %[[V18:.*]] = arith.constant 16 : i32
// CHECK: %[[V19:.*]] = arith.shrui %[[V17]], %[[V18]] : i32
// CHECK: %[[V20:.*]] = arith.xori %[[V17]], %[[V19]] : i32
// CHECK: %[[V21:.*]] = arith.constant 13 : i32
// CHECK: %[[V22:.*]] = arith.shrui %{{.*}}, %[[V21]] : i32
// CHECK: %[[V23:.*]] = arith.xori %{{.*}}, %[[V22]] : i32
// CHECK: %[[V24:.*]] = arith.constant 16 : i32
// CHECK: %[[V25:.*]] = arith.shrui %{{.*}}, %[[V24]] : i32
// CHECK: %[[V26:.*]] = arith.xori %{{.*}}, %[[V25]] : i32
// CHECK: %[[V27:.*]] = arith.trunci %[[V3]] : i64 to i32
// CHECK: %[[V28:.*]] = arith.xori %[[V26]], %{{.*}} : i32
// CHECK: %[[V29:.*]] = arith.constant 16 : i32
// CHECK: %[[V30:.*]] = arith.shrui %[[V28]], %[[V29]] : i32
// CHECK: %[[V31:.*]] = arith.xori %[[V28]], %[[V30]] : i32
// CHECK: %[[V32:.*]] = arith.constant 13 : i32
// CHECK: %[[V33:.*]] = arith.shrui %{{.*}}, %[[V32]] : i32
// CHECK: %[[V34:.*]] = arith.xori %{{.*}}, %[[V33]] : i32
// CHECK: %[[V35:.*]] = arith.constant 16 : i32
// CHECK: %[[V36:.*]] = arith.shrui %{{.*}}, %[[V35]] : i32
// CHECK: %[[V37:.*]] = arith.xori %{{.*}}, %[[V36]] : i32
// CHECK: %[[V38:.*]] = arith.constant 7 : i32
// CHECK: %[[V39:.*]] = arith.xori %[[V37]], %{{.*}} : i32
// CHECK: %[[V40:.*]] = arith.constant 16 : i32
// CHECK: %[[V41:.*]] = arith.shrui %[[V39]], %[[V40]] : i32
// CHECK: %[[V42:.*]] = arith.xori %[[V39]], %[[V41]] : i32
// CHECK: %[[V43:.*]] = arith.constant 13 : i32
// CHECK: %[[V44:.*]] = arith.shrui %{{.*}}, %[[V43]] : i32
// CHECK: %[[V45:.*]] = arith.xori %{{.*}}, %[[V44]] : i32
// CHECK: %[[V46:.*]] = arith.constant 16 : i32
// CHECK: %[[V47:.*]] = arith.shrui %{{.*}}, %[[V46]] : i32
// CHECK: %[[V48:.*]] = arith.xori %{{.*}}, %[[V47]] : i32
// CHECK: %[[V49:.*]] = memref.load {{.*}}
// CHECK: %[[V50:.*]] = arith.trunci %[[V49]] : i64 to i32
// CHECK: %[[V51:.*]] = arith.xori %[[V48]], %{{.*}} : i32
// CHECK: %[[V52:.*]] = arith.constant 16 : i32
// CHECK: %[[V53:.*]] = arith.shrui %[[V51]], %[[V52]] : i32
// CHECK: %[[V54:.*]] = arith.xori %[[V51]], %[[V53]] : i32
// CHECK: %[[V55:.*]] = arith.constant 13 : i32
// CHECK: %[[V56:.*]] = arith.shrui %{{.*}}, %[[V55]] : i32
// CHECK: %[[V57:.*]] = arith.xori %{{.*}}, %[[V56]] : i32
// CHECK: %[[V58:.*]] = arith.constant 16 : i32
// CHECK: %[[V59:.*]] = arith.shrui %{{.*}}, %[[V58]] : i32
// CHECK: %[[V60:.*]] = arith.xori %{{.*}}, %[[V59]] : i32
// CHECK: %[[V61:.*]] = memref.load {{.*}}
// CHECK: %[[V62:.*]] = arith.trunci %[[V61]] : i64 to i32
// CHECK: %[[V63:.*]] = arith.xori %[[V60]], %{{.*}} : i32
// CHECK: %[[V64:.*]] = arith.constant 16 : i32
// CHECK: %[[V65:.*]] = arith.shrui %[[V63]], %[[V64]] : i32
// CHECK: %[[V66:.*]] = arith.xori %[[V63]], %[[V65]] : i32
// CHECK: %[[V67:.*]] = arith.constant 13 : i32
// CHECK: %[[V68:.*]] = arith.shrui %{{.*}}, %[[V67]] : i32
// CHECK: %[[V69:.*]] = arith.xori %{{.*}}, %[[V68]] : i32
// CHECK: %[[V70:.*]] = arith.constant 16 : i32
// CHECK: %[[V71:.*]] = arith.shrui %{{.*}}, %[[V70]] : i32
// CHECK: %[[V72:.*]] = arith.xori %{{.*}}, %[[V71]] : i32
// CHECK: %[[V73:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[V74:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[V75:.*]] = arith.constant 1.33333337 : f32
// CHECK: linalg.generic {{.*}}["reduction"]
// CHECK-NEXT: ^bb0(%[[V76:.*]]: f32, %[[V77:.*]]: f32, %[[V78:.*]]: i64, %[[V79:.*]]: f64, %[[V80:.*]]: f32, %[[V81:.*]]: f32, %[[V82:.*]]: f32)
// CHECK-NEXT: %[[V83:.*]] = arith.mulf %[[V76]], %[[V1]] : f32
// CHECK-NEXT: %[[V84:.*]] = arith.subf %[[V83]], %[[V2]] : f32
// CHECK-NEXT: %[[V85:.*]] = math.exp %[[V84]] : f32
// CHECK-NEXT: %[[V86:.*]] = arith.trunci %[[V78]] : i64 to i32
// CHECK-NEXT: %[[V87:.*]] = arith.muli %[[V86]], %{{.*}}-1640531527_i32_45 : i32
// CHECK-NEXT: %[[V88:.*]] = arith.addi %[[V87]], %{{.*}}-2048144789_i32_46 : i32
// CHECK-NEXT: %[[V89:.*]] = arith.xori %[[V72]], %[[V88]] : i32
// CHECK-NEXT: %[[V90:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V91:.*]] = arith.shrui %[[V89]], %[[V90]] : i32
// CHECK-NEXT: %[[V92:.*]] = arith.xori %[[V89]], %[[V91]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_60 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[V93:.*]] = arith.muli %[[V92]], %{{.*}}-2048144789_i32_60 : i32
// CHECK-NEXT: %[[V94:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[V95:.*]] = arith.shrui %[[V93]], %[[V94]] : i32
// CHECK-NEXT: %[[V96:.*]] = arith.xori %[[V93]], %[[V95]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_62 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[V97:.*]] = arith.muli %[[V96]], %{{.*}}-1028477387_i32_62 : i32
// CHECK-NEXT: %[[V98:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V99:.*]] = arith.shrui %[[V97]], %[[V98]] : i32
// CHECK-NEXT: %[[V100:.*]] = arith.xori %[[V97]], %[[V99]] : i32
// CHECK-NEXT: %[[V101:.*]] = arith.xori %[[V100]], %{{.*}} : i32
// CHECK-NEXT: %[[V102:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V103:.*]] = arith.shrui %[[V101]], %[[V102]] : i32
// CHECK-NEXT: %[[V104:.*]] = arith.xori %[[V101]], %[[V103]] : i32
// CHECK-NEXT: %{{.*}}-2048144789_i32_65 = arith.constant -2048144789 : i32
// CHECK-NEXT: %[[V105:.*]] = arith.muli %[[V104]], %{{.*}}-2048144789_i32_65 : i32
// CHECK-NEXT: %[[V106:.*]] = arith.constant 13 : i32
// CHECK-NEXT: %[[V107:.*]] = arith.shrui %[[V105]], %[[V106]] : i32
// CHECK-NEXT: %[[V108:.*]] = arith.xori %[[V105]], %[[V107]] : i32
// CHECK-NEXT: %{{.*}}-1028477387_i32_67 = arith.constant -1028477387 : i32
// CHECK-NEXT: %[[V109:.*]] = arith.muli %[[V108]], %{{.*}}-1028477387_i32_67 : i32
// CHECK-NEXT: %[[V110:.*]] = arith.constant 16 : i32
// CHECK-NEXT: %[[V111:.*]] = arith.shrui %[[V109]], %[[V110]] : i32
// CHECK-NEXT: %[[V112:.*]] = arith.xori %[[V109]], %[[V111]] : i32
// CHECK-NEXT: %[[V113:.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: %[[V114:.*]] = arith.cmpi ult, %[[V112]], %[[V113]] : i32
// CHECK-NEXT: %[[V115:.*]] = arith.select %[[V114]], %[[V74]], %[[V75]] : f32
// CHECK-NEXT: %[[V116:.*]] = arith.mulf %[[V77]], %[[V115]] : f32
// CHECK-NEXT: %[[V117:.*]] = arith.mulf %[[V85]], %[[V116]] : f32
// CHECK-NEXT: %[[V118:.*]] = arith.extf %[[V117]] : f32 to f64
// CHECK-NEXT: %[[V119:.*]] = arith.mulf %[[V85]], %[[V115]] : f32
// CHECK-NEXT: %[[V120:.*]] = arith.addf %[[V79]], %[[V118]] fastmath<reassoc> : f64
// CHECK-NEXT: linalg.yield %[[V120]], %[[V119]], %[[V85]], %[[V116]] : f64, f32, f32, f32
// CHECK: %[[V121:.*]] = memref.load {{.*}}
// CHECK: %[[V122:.*]] = arith.truncf %[[V121]] : f64 to f32
// CHECK: %[[V123:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V124:.*]]: f32, %[[V125:.*]]: f32, %[[V126:.*]]: f32)
// CHECK-NEXT: %[[V127:.*]] = arith.subf %[[V125]], %[[V122]] : f32
// CHECK-NEXT: %[[V128:.*]] = arith.mulf %[[V124]], %[[V127]] : f32
// CHECK-NEXT: %[[V129:.*]] = arith.mulf %[[V128]], %[[V123]] : f32
// CHECK-NEXT: linalg.yield %[[V129]] : f32
func.func private @dropped_grad(%x: tensor<2x2x3x4xf32>, %dp: tensor<2x2x3x4xf32>, %lse: tensor<2x2x3xf32>, %q: tensor<3xi64>, %k: tensor<4xi64>, %n: tensor<2xi64>, %s: tensor<i64>)
    -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) attributes {rt.kernel} {
  %p, %ds = nn.masked_softmax_grad %x, %dp lse %lse positions %q, %k
      samples %n seed %s step %s scale 0.5 {p = 0.25, id = 7}
      : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3xf32>, tensor<3xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>)
  return %p, %ds : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}
