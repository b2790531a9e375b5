// What each elementwise op is in a kernel: the body of a loop over elements.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func private @sum(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @sum(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.sum %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sub(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.subf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @sub(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.sub %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @mul(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @mul(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.mul %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @div(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.divf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @div(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.div %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// Where neither is greater it is the first, a nan of the second included.
// CHECK-LABEL: func.func private @max(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf ogt, %[[V1]], %[[V0]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[V1]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
func.func private @max(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.max %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @min(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf olt, %[[V1]], %[[V0]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[V1]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
func.func private @min(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.min %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @pow(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = math.powf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @pow(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.pow %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @rem(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.remf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @rem(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.rem %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @exp(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.exp %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @exp(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @log(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.log %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @log(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.log %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sqrt(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.sqrt %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @sqrt(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sqrt %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @tanh(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.tanh %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @tanh(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.tanh %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @erf(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.erf %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @erf(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.erf %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sin(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.sin %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @sin(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sin %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @cos(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.cos %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @cos(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.cos %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @floor(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.floor %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @floor(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.floor %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @round(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32)
// CHECK-NEXT: %[[V2:.*]] = math.roundeven %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V2]] : f32
func.func private @round(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.round %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sigmoid(
// CHECK: %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.exp %[[V4]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V0]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.divf %[[V0]], %[[V6]] : f32
// CHECK-NEXT: linalg.yield %[[V7]] : f32
func.func private @sigmoid(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sigmoid %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @relu(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf ogt, %[[V0]], %[[V1]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[V0]], %[[V1]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
func.func private @relu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.relu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @silu(
// CHECK: %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.mulf %[[V2]], %[[V1]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.exp %[[V4]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.addf %[[V5]], %[[V0]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.divf %[[V0]], %[[V6]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V2]], %[[V7]] : f32
// CHECK-NEXT: linalg.yield %[[V8]] : f32
func.func private @silu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.silu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu(
// CHECK: %[[V0:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V1:.*]] = arith.constant 0.707106769 : f32
// CHECK: %[[V2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V3:.*]]: f32, %[[V4:.*]]: f32)
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[V3]], %[[V0]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V3]], %[[V1]] : f32
// CHECK-NEXT: %[[V7:.*]] = math.erf %[[V6]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V7]], %[[V2]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V5]], %[[V8]] : f32
// CHECK-NEXT: linalg.yield %[[V9]] : f32
func.func private @gelu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.gelu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_tanh(
// CHECK: %[[V0:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V1:.*]] = arith.constant 4.471500e-02 : f32
// CHECK: %[[V2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V3:.*]] = arith.constant 0.797884583 : f32
// CHECK: %[[V4:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V5:.*]]: f32, %[[V6:.*]]: f32)
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V5]], %[[V0]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V5]], %[[V5]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V8]], %[[V1]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V9]], %[[V2]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.mulf %[[V5]], %[[V10]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.mulf %[[V11]], %[[V3]] : f32
// CHECK-NEXT: %[[V13:.*]] = math.tanh %[[V12]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.addf %[[V13]], %[[V4]] : f32
// CHECK-NEXT: %[[V15:.*]] = arith.mulf %[[V7]], %[[V14]] : f32
// CHECK-NEXT: linalg.yield %[[V15]] : f32
func.func private @gelu_tanh(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.gelu tanh %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @relu_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32, %[[V3:.*]]: f32)
// CHECK-NEXT: %[[V4:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V5:.*]] = arith.cmpf ogt, %[[V1]], %[[V4]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V5]], %[[V2]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V6]] : f32
func.func private @relu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.relu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @silu_grad(
// CHECK: %[[V0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: %[[V2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V3:.*]]: f32, %[[V4:.*]]: f32, %[[V5:.*]]: f32)
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[V4]], %[[V1]] : f32
// CHECK-NEXT: %[[V7:.*]] = math.exp %[[V6]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V7]], %[[V0]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.divf %[[V0]], %[[V8]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V4]], %[[V9]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.subf %[[V2]], %[[V9]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.mulf %[[V10]], %[[V11]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.addf %[[V9]], %[[V12]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.mulf %[[V3]], %[[V13]] : f32
// CHECK-NEXT: linalg.yield %[[V14]] : f32
func.func private @silu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.silu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_grad(
// CHECK: %[[V0:.*]] = arith.constant 0.707106769 : f32
// CHECK: %[[V1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V2:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V3:.*]] = arith.constant -5.000000e-01 : f32
// CHECK: %[[V4:.*]] = arith.constant 0.398942292 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V5:.*]]: f32, %[[V6:.*]]: f32, %[[V7:.*]]: f32)
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V6]], %[[V0]] : f32
// CHECK-NEXT: %[[V9:.*]] = math.erf %[[V8]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.addf %[[V9]], %[[V1]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.mulf %[[V10]], %[[V2]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.mulf %[[V6]], %[[V6]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[V12]], %[[V3]] : f32
// CHECK-NEXT: %[[V14:.*]] = math.exp %[[V13]] : f32
// CHECK-NEXT: %[[V15:.*]] = arith.mulf %[[V14]], %[[V4]] : f32
// CHECK-NEXT: %[[V16:.*]] = arith.mulf %[[V6]], %[[V15]] : f32
// CHECK-NEXT: %[[V17:.*]] = arith.addf %[[V11]], %[[V16]] : f32
// CHECK-NEXT: %[[V18:.*]] = arith.mulf %[[V5]], %[[V17]] : f32
// CHECK-NEXT: linalg.yield %[[V18]] : f32
func.func private @gelu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.gelu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_grad_tanh(
// CHECK: %[[V0:.*]] = arith.constant 4.471500e-02 : f32
// CHECK: %[[V1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V2:.*]] = arith.constant 0.797884583 : f32
// CHECK: %[[V3:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V4:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[V6:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V7:.*]] = arith.constant 1.341450e-01 : f32
// CHECK: %[[V8:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V9:.*]] = arith.constant 0.797884583 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V10:.*]]: f32, %[[V11:.*]]: f32, %[[V12:.*]]: f32)
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[V11]], %[[V11]] : f32
// CHECK-NEXT: %[[V14:.*]] = arith.mulf %[[V13]], %[[V0]] : f32
// CHECK-NEXT: %[[V15:.*]] = arith.addf %[[V14]], %[[V1]] : f32
// CHECK-NEXT: %[[V16:.*]] = arith.mulf %[[V11]], %[[V15]] : f32
// CHECK-NEXT: %[[V17:.*]] = arith.mulf %[[V16]], %[[V2]] : f32
// CHECK-NEXT: %[[V18:.*]] = math.tanh %[[V17]] : f32
// CHECK-NEXT: %[[V19:.*]] = arith.addf %[[V18]], %[[V3]] : f32
// CHECK-NEXT: %[[V20:.*]] = arith.mulf %[[V19]], %[[V4]] : f32
// CHECK-NEXT: %[[V21:.*]] = arith.mulf %[[V11]], %[[V5]] : f32
// CHECK-NEXT: %[[V22:.*]] = arith.mulf %[[V18]], %[[V18]] : f32
// CHECK-NEXT: %[[V23:.*]] = arith.subf %[[V6]], %[[V22]] : f32
// CHECK-NEXT: %[[V24:.*]] = arith.mulf %[[V21]], %[[V23]] : f32
// CHECK-NEXT: %[[V25:.*]] = arith.mulf %[[V11]], %[[V11]] : f32
// CHECK-NEXT: %[[V26:.*]] = arith.mulf %[[V25]], %[[V7]] : f32
// CHECK-NEXT: %[[V27:.*]] = arith.addf %[[V26]], %[[V8]] : f32
// CHECK-NEXT: %[[V28:.*]] = arith.mulf %[[V27]], %[[V9]] : f32
// CHECK-NEXT: %[[V29:.*]] = arith.mulf %[[V24]], %[[V28]] : f32
// CHECK-NEXT: %[[V30:.*]] = arith.addf %[[V20]], %[[V29]] : f32
// CHECK-NEXT: %[[V31:.*]] = arith.mulf %[[V10]], %[[V30]] : f32
// CHECK-NEXT: linalg.yield %[[V31]] : f32
func.func private @gelu_grad_tanh(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.gelu_grad tanh %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @scale(
// CHECK: %[[V0:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[V1]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : f32
func.func private @scale(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.scale %x by 0.5 : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// bf16 is computed with as f32 and rounded at the end.
// CHECK-LABEL: func.func private @narrow(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: bf16)
// CHECK-NEXT: %[[V2:.*]] = arith.truncf %[[V0]] : f32 to bf16
// CHECK-NEXT: %[[V3:.*]] = arith.extf %[[V2]] : bf16 to f32
// CHECK-NEXT: %[[V4:.*]] = arith.truncf %[[V3]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[V4]] : bf16
func.func private @narrow(%x: tensor<2x4xf32>)
    -> tensor<2x4xbf16> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}

// CHECK-LABEL: func.func private @truncate(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: i64)
// CHECK-NEXT: %[[V2:.*]] = arith.fptosi %[[V0]] : f32 to i64
// CHECK-NEXT: linalg.yield %[[V2]] : i64
func.func private @truncate(%x: tensor<2x4xf32>)
    -> tensor<2x4xi64> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xi64>
  return %y : tensor<2x4xi64>
}

// CHECK-LABEL: func.func private @is_not_zero(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: i1)
// CHECK-NEXT: %[[V2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf une, %[[V0]], %[[V2]] : f32
// CHECK-NEXT: linalg.yield %[[V3]] : i1
func.func private @is_not_zero(%x: tensor<2x4xf32>)
    -> tensor<2x4xi1> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xi1>
  return %y : tensor<2x4xi1>
}

// Integers, one after the other in one kernel.
// CHECK-LABEL: func.func private @whole_numbers(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: i64, %[[V1:.*]]: i64, %[[V2:.*]]: i64)
// CHECK-NEXT: %[[V3:.*]] = arith.subi %[[V0]], %[[V1]] : i64
// CHECK-NEXT: %[[V4:.*]] = arith.muli %[[V3]], %[[V1]] : i64
// CHECK-NEXT: %[[V5:.*]] = arith.divsi %[[V4]], %[[V0]] : i64
// CHECK-NEXT: %[[V6:.*]] = arith.cmpi sgt, %[[V1]], %[[V5]] : i64
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V6]], %[[V1]], %[[V5]] : i64
// CHECK-NEXT: %[[V8:.*]] = arith.remsi %[[V7]], %[[V0]] : i64
// CHECK-NEXT: %[[V9:.*]] = arith.addi %[[V8]], %[[V0]] : i64
// CHECK-NEXT: linalg.yield %[[V9]] : i64
func.func private @whole_numbers(%x: tensor<2x4xi64>, %y: tensor<2x4xi64>)
    -> tensor<2x4xi64> attributes {rt.kernel} {
  %d = nn.sub %x, %y : tensor<2x4xi64>
  %p = nn.mul %d, %y : tensor<2x4xi64>
  %q = nn.div %p, %x : tensor<2x4xi64>
  %m = nn.max %q, %y : tensor<2x4xi64>
  %r = nn.rem %m, %x : tensor<2x4xi64>
  %z = nn.sum %r, %x : tensor<2x4xi64>
  return %z : tensor<2x4xi64>
}

// CHECK-LABEL: func.func private @choose(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: f32, %[[V1:.*]]: f32, %[[V2:.*]]: f32)
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf oeq, %[[V0]], %[[V1]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.cmpf ole, %[[V0]], %[[V1]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.select %[[V4]], %[[V0]], %[[V1]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V3]], %[[V5]], %[[V0]] : f32
// CHECK-NEXT: linalg.yield %[[V6]] : f32
func.func private @choose(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %c = nn.compare le %x, %y : tensor<2x4xf32> -> tensor<2x4xi1>
  %e = nn.compare eq %x, %y : tensor<2x4xf32> -> tensor<2x4xi1>
  %a = nn.where %c, %x, %y : tensor<2x4xi1>, tensor<2x4xf32>
  %b = nn.where %e, %a, %x : tensor<2x4xi1>, tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @less(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V0:.*]]: i64, %[[V1:.*]]: i64, %[[V2:.*]]: i1)
// CHECK-NEXT: %[[V3:.*]] = arith.cmpi slt, %[[V0]], %[[V1]] : i64
// CHECK-NEXT: linalg.yield %[[V3]] : i1
func.func private @less(%x: tensor<2x4xi64>, %y: tensor<2x4xi64>)
    -> tensor<2x4xi1> attributes {rt.kernel} {
  %c = nn.compare lt %x, %y : tensor<2x4xi64> -> tensor<2x4xi1>
  return %c : tensor<2x4xi1>
}

// A scale that is nan leaves the parameter as it is.
// CHECK-LABEL: func.func private @sgd(
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.cmpf oeq, %[[V0]], %[[V0]] : f32
// CHECK: %[[V2:.*]] = memref.load {{.*}}
// CHECK: %[[V3:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V4:.*]]: f32, %[[V5:.*]]: f32, %[[V6:.*]]: f32)
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V5]], %[[V0]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[V3]], %[[V4]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.addf %[[V7]], %[[V8]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V2]], %[[V9]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.subf %[[V4]], %[[V10]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.select %[[V1]], %[[V11]], %[[V4]] : f32
// CHECK-NEXT: linalg.yield %[[V12]] : f32
func.func private @sgd(%p: tensor<2x4xf32>, %g: tensor<2x4xf32>, %scale: tensor<f32>, %lr: tensor<f32>, %decay: tensor<f32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %n = nn.sgd decay %p, %g grad_scale %scale lr %lr weight_decay %decay
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %n : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @adamw(
// CHECK: %[[V0:.*]] = memref.load {{.*}}
// CHECK: %[[V1:.*]] = arith.cmpf oeq, %[[V0]], %[[V0]] : f32
// CHECK: %[[V2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V3:.*]] = memref.load {{.*}}
// CHECK: %[[V4:.*]] = memref.load {{.*}}
// CHECK: %[[V5:.*]] = arith.mulf %[[V3]], %[[V4]] : f32
// CHECK: %[[V6:.*]] = arith.subf %[[V2]], %[[V5]] : f32
// CHECK: %[[V7:.*]] = arith.extf %[[V3]] : f32 to f64
// CHECK: %[[V8:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[V9:.*]] = memref.load {{.*}}
// CHECK: %[[V10:.*]] = arith.extf %[[V9]] : f32 to f64
// CHECK: %[[V11:.*]] = memref.load {{.*}}
// CHECK: %[[V12:.*]] = arith.sitofp %[[V11]] : i64 to f64
// CHECK: %[[V13:.*]] = math.powf %[[V10]], %[[V12]] : f64
// CHECK: %[[V14:.*]] = arith.subf %[[V8]], %[[V13]] : f64
// CHECK: %[[V15:.*]] = arith.divf %[[V7]], %[[V14]] : f64
// CHECK: %[[V16:.*]] = arith.truncf %[[V15]] : f64 to f32
// CHECK: %[[V17:.*]] = arith.subf %[[V2]], %[[V9]] : f32
// CHECK: %[[V18:.*]] = memref.load {{.*}}
// CHECK: %[[V19:.*]] = arith.subf %[[V2]], %[[V18]] : f32
// CHECK: %[[V20:.*]] = arith.extf %[[V18]] : f32 to f64
// CHECK: %[[V21:.*]] = math.powf %[[V20]], %[[V12]] : f64
// CHECK: %[[V22:.*]] = arith.subf %[[V8]], %[[V21]] : f64
// CHECK: %[[V23:.*]] = math.sqrt %[[V22]] : f64
// CHECK: %[[V24:.*]] = arith.truncf %[[V23]] : f64 to f32
// CHECK: %[[V25:.*]] = memref.load {{.*}}
// CHECK: %[[V26:.*]] = arith.cmpf oeq, %[[V0]], %[[V0]] : f32
// CHECK: %[[V27:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V28:.*]] = arith.subf %[[V27]], %[[V9]] : f32
// CHECK: %[[V29:.*]] = arith.cmpf oeq, %[[V0]], %[[V0]] : f32
// CHECK: %[[V30:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[V31:.*]] = arith.subf %[[V30]], %[[V18]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[V32:.*]]: f32, %[[V33:.*]]: f32, %[[V34:.*]]: f32, %[[V35:.*]]: f32, %[[V36:.*]]: f32, %[[V37:.*]]: f32, %[[V38:.*]]: f32)
// CHECK-NEXT: %[[V39:.*]] = arith.mulf %[[V32]], %[[V6]] : f32
// CHECK-NEXT: %[[V40:.*]] = arith.mulf %[[V9]], %[[V33]] : f32
// CHECK-NEXT: %[[V41:.*]] = arith.mulf %[[V34]], %[[V0]] : f32
// CHECK-NEXT: %[[V42:.*]] = arith.mulf %[[V17]], %[[V41]] : f32
// CHECK-NEXT: %[[V43:.*]] = arith.addf %[[V40]], %[[V42]] : f32
// CHECK-NEXT: %[[V44:.*]] = arith.mulf %[[V16]], %[[V43]] : f32
// CHECK-NEXT: %[[V45:.*]] = arith.mulf %[[V18]], %[[V35]] : f32
// CHECK-NEXT: %[[V46:.*]] = arith.mulf %[[V19]], %[[V41]] : f32
// CHECK-NEXT: %[[V47:.*]] = arith.mulf %[[V46]], %[[V41]] : f32
// CHECK-NEXT: %[[V48:.*]] = arith.addf %[[V45]], %[[V47]] : f32
// CHECK-NEXT: %[[V49:.*]] = math.sqrt %[[V48]] : f32
// CHECK-NEXT: %[[V50:.*]] = arith.divf %[[V49]], %[[V24]] : f32
// CHECK-NEXT: %[[V51:.*]] = arith.addf %[[V50]], %[[V25]] : f32
// CHECK-NEXT: %[[V52:.*]] = arith.divf %[[V44]], %[[V51]] : f32
// CHECK-NEXT: %[[V53:.*]] = arith.subf %[[V39]], %[[V52]] : f32
// CHECK-NEXT: %[[V54:.*]] = arith.select %[[V1]], %[[V53]], %[[V32]] : f32
// CHECK-NEXT: %[[V55:.*]] = arith.mulf %[[V9]], %[[V33]] : f32
// CHECK-NEXT: %[[V56:.*]] = arith.mulf %[[V34]], %[[V0]] : f32
// CHECK-NEXT: %[[V57:.*]] = arith.mulf %[[V28]], %[[V56]] : f32
// CHECK-NEXT: %[[V58:.*]] = arith.addf %[[V55]], %[[V57]] : f32
// CHECK-NEXT: %[[V59:.*]] = arith.select %[[V26]], %[[V58]], %[[V33]] : f32
// CHECK-NEXT: %[[V60:.*]] = arith.mulf %[[V18]], %[[V35]] : f32
// CHECK-NEXT: %[[V61:.*]] = arith.mulf %[[V34]], %[[V0]] : f32
// CHECK-NEXT: %[[V62:.*]] = arith.mulf %[[V31]], %[[V61]] : f32
// CHECK-NEXT: %[[V63:.*]] = arith.mulf %[[V62]], %[[V61]] : f32
// CHECK-NEXT: %[[V64:.*]] = arith.addf %[[V60]], %[[V63]] : f32
// CHECK-NEXT: %[[V65:.*]] = arith.select %[[V29]], %[[V64]], %[[V35]] : f32
// CHECK-NEXT: linalg.yield %[[V54]], %[[V59]], %[[V65]] : f32, f32, f32
func.func private @adamw(%p: tensor<2x4xf32>, %g: tensor<2x4xf32>, %m: tensor<2x4xf32>, %v: tensor<2x4xf32>, %scale: tensor<f32>, %lr: tensor<f32>, %b1: tensor<f32>, %b2: tensor<f32>, %eps: tensor<f32>, %decay: tensor<f32>, %step: tensor<i64>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) attributes {rt.kernel} {
  %n, %nm, %nv = nn.adamw decay %p, %g, %m, %v grad_scale %scale lr %lr
      betas %b1, %b2 eps %eps weight_decay %decay step %step
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return %n, %nm, %nv : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}
