// The code of each elementwise op in a kernel: the body of a loop over
// elements.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func private @sum(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
func.func private @sum(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.sum %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sub(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[DIFFERENCE]] : f32
func.func private @sub(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.sub %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @mul(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @mul(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.mul %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @div(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[QUOTIENT]] : f32
func.func private @div(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.div %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// If neither is greater the result is the first, also if the second is NaN.
// CHECK-LABEL: func.func private @max(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf ogt, %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @max(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.max %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @min(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf olt, %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN_2]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @min(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.min %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @pow(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[POWER:.*]] = math.powf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[POWER]] : f32
func.func private @pow(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.pow %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @rem(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[REST:.*]] = arith.remf %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: linalg.yield %[[REST]] : f32
func.func private @rem(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.rem %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @exp(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[EXP]] : f32
func.func private @exp(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @log(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[LOG:.*]] = math.log %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[LOG]] : f32
func.func private @log(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.log %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sqrt(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[ROOT]] : f32
func.func private @sqrt(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sqrt %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @tanh(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[TANH]] : f32
func.func private @tanh(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.tanh %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @erf(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[ERF:.*]] = math.erf %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[ERF]] : f32
func.func private @erf(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.erf %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sin(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[SINE:.*]] = math.sin %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[SINE]] : f32
func.func private @sin(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sin %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @cos(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[COSINE:.*]] = math.cos %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[COSINE]] : f32
func.func private @cos(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.cos %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @floor(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[FLOOR:.*]] = math.floor %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[FLOOR]] : f32
func.func private @floor(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.floor %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @round(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[ROUNDED:.*]] = math.roundeven %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[ROUNDED]] : f32
func.func private @round(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.round %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @sigmoid(
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[MINUS_1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[MINUS_1]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[PRODUCT]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[EXP]], %[[C1]] : f32
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[SUM]] : f32
// CHECK-NEXT: linalg.yield %[[QUOTIENT]] : f32
func.func private @sigmoid(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.sigmoid %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @relu(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf ogt, %[[C0]], %[[IN]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[C0]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @relu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.relu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @silu(
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[MINUS_1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[MINUS_1]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[PRODUCT]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[EXP]], %[[C1]] : f32
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[QUOTIENT]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_2]] : f32
func.func private @silu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.silu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu(
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[C0_7071:.*]] = arith.constant 0.707106769 : f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[C0_7071]] : f32
// CHECK-NEXT: %[[ERF:.*]] = math.erf %[[PRODUCT_2]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ERF]], %[[C1]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[PRODUCT]], %[[SUM]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_3]] : f32
func.func private @gelu(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.gelu %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_tanh(
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[C0_04471:.*]] = arith.constant 4.471500e-02 : f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_7979:.*]] = arith.constant 0.797884583 : f32
// CHECK: %[[C1_2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[IN]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[PRODUCT_2]], %[[C0_04471]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT_3]], %[[C1]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[PRODUCT_4]], %[[C0_7979]] : f32
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[PRODUCT_5]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[TANH]], %[[C1_2]] : f32
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[PRODUCT]], %[[SUM_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_6]] : f32
func.func private @gelu_tanh(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.gelu tanh %x : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @relu_grad(
// CHECK: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[C0_2:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf ogt, %[[IN]], %[[C0_2]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN_2]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @relu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.relu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @silu_grad(
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[MINUS_1:.*]] = arith.constant -1.000000e+00 : f32
// CHECK: %[[C1_2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[MINUS_1]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[PRODUCT]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[EXP]], %[[C1]] : f32
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divf %[[C1]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN_2]], %[[QUOTIENT]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[C1_2]], %[[QUOTIENT]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[PRODUCT_2]], %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[QUOTIENT]], %[[PRODUCT_3]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN]], %[[SUM_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_4]] : f32
func.func private @silu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.silu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_grad(
// CHECK: %[[C0_7071:.*]] = arith.constant 0.707106769 : f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[MINUS_0_5:.*]] = arith.constant -5.000000e-01 : f32
// CHECK: %[[C0_3989:.*]] = arith.constant 0.398942292 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[C0_7071]] : f32
// CHECK-NEXT: %[[ERF:.*]] = math.erf %[[PRODUCT]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ERF]], %[[C1]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[SUM]], %[[C0_5]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_2]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[PRODUCT_3]], %[[MINUS_0_5]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[PRODUCT_4]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[EXP]], %[[C0_3989]] : f32
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[IN_2]], %[[PRODUCT_5]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[PRODUCT_2]], %[[PRODUCT_6]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[IN]], %[[SUM_2]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_7]] : f32
func.func private @gelu_grad(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.gelu_grad %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @gelu_grad_tanh(
// CHECK: %[[C0_04471:.*]] = arith.constant 4.471500e-02 : f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_7979:.*]] = arith.constant 0.797884583 : f32
// CHECK: %[[C1_2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[C0_5_2:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[C1_3:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_1341:.*]] = arith.constant 1.341450e-01 : f32
// CHECK: %[[C1_4:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[C0_7979_2:.*]] = arith.constant 0.797884583 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[PRODUCT]], %[[C0_04471]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT_2]], %[[C1]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[IN_2]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[PRODUCT_3]], %[[C0_7979]] : f32
// CHECK-NEXT: %[[TANH:.*]] = math.tanh %[[PRODUCT_4]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[TANH]], %[[C1_2]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[SUM_2]], %[[C0_5]] : f32
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[IN_2]], %[[C0_5_2]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[TANH]], %[[TANH]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[C1_3]], %[[PRODUCT_7]] : f32
// CHECK-NEXT: %[[PRODUCT_8:.*]] = arith.mulf %[[PRODUCT_6]], %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[PRODUCT_9:.*]] = arith.mulf %[[IN_2]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_10:.*]] = arith.mulf %[[PRODUCT_9]], %[[C0_1341]] : f32
// CHECK-NEXT: %[[SUM_3:.*]] = arith.addf %[[PRODUCT_10]], %[[C1_4]] : f32
// CHECK-NEXT: %[[PRODUCT_11:.*]] = arith.mulf %[[SUM_3]], %[[C0_7979_2]] : f32
// CHECK-NEXT: %[[PRODUCT_12:.*]] = arith.mulf %[[PRODUCT_8]], %[[PRODUCT_11]] : f32
// CHECK-NEXT: %[[SUM_4:.*]] = arith.addf %[[PRODUCT_5]], %[[PRODUCT_12]] : f32
// CHECK-NEXT: %[[PRODUCT_13:.*]] = arith.mulf %[[IN]], %[[SUM_4]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT_13]] : f32
func.func private @gelu_grad_tanh(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %z = nn.gelu_grad tanh %x, %y : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @scale(
// CHECK: %[[C0_5:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN]], %[[C0_5]] : f32
// CHECK-NEXT: linalg.yield %[[PRODUCT]] : f32
func.func private @scale(%x: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %y = nn.scale %x by 0.5 : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// bf16 is extended to f32, and the result is rounded.
// CHECK-LABEL: func.func private @narrow(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: bf16)
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[IN]] : f32 to bf16
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[NARROW]] : bf16 to f32
// CHECK-NEXT: %[[NARROW_2:.*]] = arith.truncf %[[WIDE]] : f32 to bf16
// CHECK-NEXT: linalg.yield %[[NARROW_2]] : bf16
func.func private @narrow(%x: tensor<2x4xf32>)
    -> tensor<2x4xbf16> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xbf16>
  return %y : tensor<2x4xbf16>
}

// CHECK-LABEL: func.func private @truncate(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: i64)
// CHECK-NEXT: %[[WHOLE:.*]] = arith.fptosi %[[IN]] : f32 to i64
// CHECK-NEXT: linalg.yield %[[WHOLE]] : i64
func.func private @truncate(%x: tensor<2x4xf32>)
    -> tensor<2x4xi64> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xi64>
  return %y : tensor<2x4xi64>
}

// CHECK-LABEL: func.func private @is_not_zero(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: i1)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf une, %[[IN]], %[[C0]] : f32
// CHECK-NEXT: linalg.yield %[[IS]] : i1
func.func private @is_not_zero(%x: tensor<2x4xf32>)
    -> tensor<2x4xi1> attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2x4xf32> -> tensor<2x4xi1>
  return %y : tensor<2x4xi1>
}

// Ops on integers, in one kernel.
// CHECK-LABEL: func.func private @whole_numbers(
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: i64, %[[IN_3:.*]]: i64)
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subi %[[IN]], %[[IN_2]] : i64
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.muli %[[DIFFERENCE]], %[[IN_2]] : i64
// CHECK-NEXT: %[[QUOTIENT:.*]] = arith.divsi %[[PRODUCT]], %[[IN]] : i64
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi sgt, %[[IN_2]], %[[QUOTIENT]] : i64
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[IN_2]], %[[QUOTIENT]] : i64
// CHECK-NEXT: %[[REST:.*]] = arith.remsi %[[CHOSEN]], %[[IN]] : i64
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[REST]], %[[IN]] : i64
// CHECK-NEXT: linalg.yield %[[SUM]] : i64
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
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[IS:.*]] = arith.cmpf oeq, %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[IS_2:.*]] = arith.cmpf ole, %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS_2]], %[[IN]], %[[IN_2]] : f32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS]], %[[CHOSEN]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN_2]] : f32
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
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i64, %[[IN_2:.*]]: i64, %[[IN_3:.*]]: i1)
// CHECK-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[IN]], %[[IN_2]] : i64
// CHECK-NEXT: linalg.yield %[[IS]] : i1
func.func private @less(%x: tensor<2x4xi64>, %y: tensor<2x4xi64>)
    -> tensor<2x4xi1> attributes {rt.kernel} {
  %c = nn.compare lt %x, %y : tensor<2x4xi64> -> tensor<2x4xi1>
  return %c : tensor<2x4xi1>
}

// With a scale of NaN the parameter does not change.
// CHECK-LABEL: func.func private @sgd(
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[LOADED]], %[[LOADED]] : f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[IN_2]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[LOADED_3]], %[[IN]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[PRODUCT_2]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[LOADED_2]], %[[SUM]] : f32
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf %[[IN]], %[[PRODUCT_3]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[DIFFERENCE]], %[[IN]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]] : f32
func.func private @sgd(%p: tensor<2x4xf32>, %g: tensor<2x4xf32>, %scale: tensor<f32>, %lr: tensor<f32>, %decay: tensor<f32>)
    -> tensor<2x4xf32> attributes {rt.kernel} {
  %n = nn.sgd decay %p, %g grad_scale %scale lr %lr weight_decay %decay
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %n : tensor<2x4xf32>
}

// CHECK-LABEL: func.func private @adamw(
// CHECK: %[[LOADED:.*]] = memref.load {{.*}}
// CHECK: %[[IS:.*]] = arith.cmpf oeq, %[[LOADED]], %[[LOADED]] : f32
// CHECK: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[LOADED_2:.*]] = memref.load {{.*}}
// CHECK: %[[LOADED_3:.*]] = memref.load {{.*}}
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[LOADED_2]], %[[LOADED_3]] : f32
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[C1]], %[[PRODUCT]] : f32
// CHECK: %[[WIDE:.*]] = arith.extf %[[LOADED_2]] : f32 to f64
// CHECK: %[[C1_2:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[LOADED_4:.*]] = memref.load {{.*}}
// CHECK: %[[WIDE_2:.*]] = arith.extf %[[LOADED_4]] : f32 to f64
// CHECK: %[[LOADED_5:.*]] = memref.load {{.*}}
// CHECK: %[[FLOAT:.*]] = arith.sitofp %[[LOADED_5]] : i64 to f64
// CHECK: %[[POWER:.*]] = math.powf %[[WIDE_2]], %[[FLOAT]] : f64
// CHECK: %[[DIFFERENCE_2:.*]] = arith.subf %[[C1_2]], %[[POWER]] : f64
// CHECK: %[[QUOTIENT:.*]] = arith.divf %[[WIDE]], %[[DIFFERENCE_2]] : f64
// CHECK: %[[NARROW:.*]] = arith.truncf %[[QUOTIENT]] : f64 to f32
// CHECK: %[[DIFFERENCE_3:.*]] = arith.subf %[[C1]], %[[LOADED_4]] : f32
// CHECK: %[[LOADED_6:.*]] = memref.load {{.*}}
// CHECK: %[[DIFFERENCE_4:.*]] = arith.subf %[[C1]], %[[LOADED_6]] : f32
// CHECK: %[[WIDE_3:.*]] = arith.extf %[[LOADED_6]] : f32 to f64
// CHECK: %[[POWER_2:.*]] = math.powf %[[WIDE_3]], %[[FLOAT]] : f64
// CHECK: %[[DIFFERENCE_5:.*]] = arith.subf %[[C1_2]], %[[POWER_2]] : f64
// CHECK: %[[ROOT:.*]] = math.sqrt %[[DIFFERENCE_5]] : f64
// CHECK: %[[NARROW_2:.*]] = arith.truncf %[[ROOT]] : f64 to f32
// CHECK: %[[LOADED_7:.*]] = memref.load {{.*}}
// CHECK: %[[IS_2:.*]] = arith.cmpf oeq, %[[LOADED]], %[[LOADED]] : f32
// CHECK: %[[C1_3:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DIFFERENCE_6:.*]] = arith.subf %[[C1_3]], %[[LOADED_4]] : f32
// CHECK: %[[IS_3:.*]] = arith.cmpf oeq, %[[LOADED]], %[[LOADED]] : f32
// CHECK: %[[C1_4:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[DIFFERENCE_7:.*]] = arith.subf %[[C1_4]], %[[LOADED_6]] : f32
// CHECK: linalg.generic {{.*}}["parallel"]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[IN_2:.*]]: f32, %[[IN_3:.*]]: f32, %[[IN_4:.*]]: f32, %[[IN_5:.*]]: f32, %[[IN_6:.*]]: f32, %[[IN_7:.*]]: f32)
// CHECK-NEXT: %[[PRODUCT_2:.*]] = arith.mulf %[[IN]], %[[DIFFERENCE]] : f32
// CHECK-NEXT: %[[PRODUCT_3:.*]] = arith.mulf %[[LOADED_4]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_4:.*]] = arith.mulf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_5:.*]] = arith.mulf %[[DIFFERENCE_3]], %[[PRODUCT_4]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT_3]], %[[PRODUCT_5]] : f32
// CHECK-NEXT: %[[PRODUCT_6:.*]] = arith.mulf %[[NARROW]], %[[SUM]] : f32
// CHECK-NEXT: %[[PRODUCT_7:.*]] = arith.mulf %[[LOADED_6]], %[[IN_4]] : f32
// CHECK-NEXT: %[[PRODUCT_8:.*]] = arith.mulf %[[DIFFERENCE_4]], %[[PRODUCT_4]] : f32
// CHECK-NEXT: %[[PRODUCT_9:.*]] = arith.mulf %[[PRODUCT_8]], %[[PRODUCT_4]] : f32
// CHECK-NEXT: %[[SUM_2:.*]] = arith.addf %[[PRODUCT_7]], %[[PRODUCT_9]] : f32
// CHECK-NEXT: %[[ROOT_2:.*]] = math.sqrt %[[SUM_2]] : f32
// CHECK-NEXT: %[[QUOTIENT_2:.*]] = arith.divf %[[ROOT_2]], %[[NARROW_2]] : f32
// CHECK-NEXT: %[[SUM_3:.*]] = arith.addf %[[QUOTIENT_2]], %[[LOADED_7]] : f32
// CHECK-NEXT: %[[QUOTIENT_3:.*]] = arith.divf %[[PRODUCT_6]], %[[SUM_3]] : f32
// CHECK-NEXT: %[[DIFFERENCE_8:.*]] = arith.subf %[[PRODUCT_2]], %[[QUOTIENT_3]] : f32
// CHECK-NEXT: %[[CHOSEN:.*]] = arith.select %[[IS]], %[[DIFFERENCE_8]], %[[IN]] : f32
// CHECK-NEXT: %[[PRODUCT_10:.*]] = arith.mulf %[[LOADED_4]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_11:.*]] = arith.mulf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_12:.*]] = arith.mulf %[[DIFFERENCE_6]], %[[PRODUCT_11]] : f32
// CHECK-NEXT: %[[SUM_4:.*]] = arith.addf %[[PRODUCT_10]], %[[PRODUCT_12]] : f32
// CHECK-NEXT: %[[CHOSEN_2:.*]] = arith.select %[[IS_2]], %[[SUM_4]], %[[IN_2]] : f32
// CHECK-NEXT: %[[PRODUCT_13:.*]] = arith.mulf %[[LOADED_6]], %[[IN_4]] : f32
// CHECK-NEXT: %[[PRODUCT_14:.*]] = arith.mulf %[[IN_3]], %[[LOADED]] : f32
// CHECK-NEXT: %[[PRODUCT_15:.*]] = arith.mulf %[[DIFFERENCE_7]], %[[PRODUCT_14]] : f32
// CHECK-NEXT: %[[PRODUCT_16:.*]] = arith.mulf %[[PRODUCT_15]], %[[PRODUCT_14]] : f32
// CHECK-NEXT: %[[SUM_5:.*]] = arith.addf %[[PRODUCT_13]], %[[PRODUCT_16]] : f32
// CHECK-NEXT: %[[CHOSEN_3:.*]] = arith.select %[[IS_3]], %[[SUM_5]], %[[IN_4]] : f32
// CHECK-NEXT: linalg.yield %[[CHOSEN]], %[[CHOSEN_2]], %[[CHOSEN_3]] : f32, f32, f32
func.func private @adamw(%p: tensor<2x4xf32>, %g: tensor<2x4xf32>, %m: tensor<2x4xf32>, %v: tensor<2x4xf32>, %scale: tensor<f32>, %lr: tensor<f32>, %b1: tensor<f32>, %b2: tensor<f32>, %eps: tensor<f32>, %decay: tensor<f32>, %step: tensor<i64>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) attributes {rt.kernel} {
  %n, %nm, %nv = nn.adamw decay %p, %g, %m, %v grad_scale %scale lr %lr
      betas %b1, %b2 eps %eps weight_decay %decay step %step
      : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return %n, %nm, %nv : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}
