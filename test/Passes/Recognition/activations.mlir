// gelu and silu are recognized by the values that an expression of one tensor
// takes, in any form, also with rounded constants. Other functions do not
// change.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// gelu by erf, with any last op.
// CHECK-LABEL: func.func @gelu_ends_in_product(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_ends_in_product(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.7071067811865476 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_ends_in_scale(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_ends_in_scale(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.7071067811865476 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %mul = nn.mul %x, %sum : tensor<4xf32>
  %scaled1 = nn.scale %mul by 0.5 : tensor<4xf32>
  return %scaled1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_ends_in_quotient(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_ends_in_quotient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.7071067811865476 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %mul = nn.mul %sum, %x : tensor<4xf32>
  %c1 = nn.constant dense<2.0> : tensor<4xf32>
  %div = nn.div %mul, %c1 : tensor<4xf32>
  return %div : tensor<4xf32>
}

// The constant as a root, and a difference instead of the sum.
// CHECK-LABEL: func.func @gelu_by_root(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_by_root(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<2.0> : tensor<4xf32>
  %sqrt = nn.sqrt %c : tensor<4xf32>
  %div = nn.div %x, %sqrt : tensor<4xf32>
  %erf = nn.erf %div : tensor<4xf32>
  %scaled = nn.scale %erf by -1.0 : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %c1 = nn.constant dense<1.0> : tensor<4xf32>
  %sub = nn.sub %c1, %scaled : tensor<4xf32>
  %mul = nn.mul %scaled1, %sub : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// Constants have single precision, as in a file.
// CHECK-LABEL: func.func @gelu_of_seven_digits(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_of_seven_digits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.707106 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// Constants rounded to half precision, as a factor and as a divisor.
// CHECK-LABEL: func.func @gelu_of_half(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_of_half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.70703125 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_of_half_inverse(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_of_half_inverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.7071823204419889 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// fp16 and bf16 cannot represent this constant, so it is not a rounded one.
// CHECK-LABEL: func.func @no_gelu_of_four_digits(
// CHECK-NOT: nn.gelu
// CHECK: return
func.func @no_gelu_of_four_digits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.7073 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// fp16 can represent this constant, but also a nearer one.
// CHECK-LABEL: func.func @no_gelu_of_half(
// CHECK-NOT: nn.gelu
// CHECK: return
func.func @no_gelu_of_half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.6953125 : tensor<4xf32>
  %erf = nn.erf %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled1, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// Constants that bf16 can represent and fp16 cannot: bf16 has fewer digits.
// CHECK-LABEL: func.func @gelu_of_bf16(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_of_bf16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 9.094947017729282e-13 : tensor<4xf32>
  %scaled1 = nn.scale %scaled by 1099511627776.0 : tensor<4xf32>
  %scaled2 = nn.scale %scaled1 by 0.6953125 : tensor<4xf32>
  %erf = nn.erf %scaled2 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled3 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled3, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_gelu_of_bf16(
// CHECK-NOT: nn.gelu
// CHECK: return
func.func @no_gelu_of_bf16(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 9.094947017729282e-13 : tensor<4xf32>
  %scaled1 = nn.scale %scaled by 1099511627776.0 : tensor<4xf32>
  %scaled2 = nn.scale %scaled1 by 0.640625 : tensor<4xf32>
  %erf = nn.erf %scaled2 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %erf, %c : tensor<4xf32>
  %scaled3 = nn.scale %x by 0.5 : tensor<4xf32>
  %mul = nn.mul %scaled3, %sum : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// gelu by tanh is the other function.
// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu tanh %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mul = nn.mul %x, %x : tensor<4xf32>
  %mul1 = nn.mul %mul, %x : tensor<4xf32>
  %scaled = nn.scale %mul1 by 0.044715 : tensor<4xf32>
  %sum = nn.sum %x, %scaled : tensor<4xf32>
  %scaled1 = nn.scale %sum by 0.7978845608028654 : tensor<4xf32>
  %tanh = nn.tanh %scaled1 : tensor<4xf32>
  %scaled2 = nn.scale %x by 0.5 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum1 = nn.sum %c, %tanh : tensor<4xf32>
  %mul2 = nn.mul %scaled2, %sum1 : tensor<4xf32>
  return %mul2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu_tanh_of_half(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu tanh %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_tanh_of_half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mul = nn.mul %x, %x : tensor<4xf32>
  %mul1 = nn.mul %mul, %x : tensor<4xf32>
  %scaled = nn.scale %mul1 by 0.044708251953125 : tensor<4xf32>
  %sum = nn.sum %x, %scaled : tensor<4xf32>
  %scaled1 = nn.scale %sum by 0.7978515625 : tensor<4xf32>
  %tanh = nn.tanh %scaled1 : tensor<4xf32>
  %scaled2 = nn.scale %x by 0.5 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum1 = nn.sum %c, %tanh : tensor<4xf32>
  %mul2 = nn.mul %scaled2, %sum1 : tensor<4xf32>
  return %mul2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_gelu_tanh(
// CHECK-NOT: nn.gelu
// CHECK: return
func.func @no_gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mul = nn.mul %x, %x : tensor<4xf32>
  %mul1 = nn.mul %mul, %x : tensor<4xf32>
  %scaled = nn.scale %mul1 by 0.0447 : tensor<4xf32>
  %sum = nn.sum %x, %scaled : tensor<4xf32>
  %scaled1 = nn.scale %sum by 0.7978845608028654 : tensor<4xf32>
  %tanh = nn.tanh %scaled1 : tensor<4xf32>
  %scaled2 = nn.scale %x by 0.5 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum1 = nn.sum %c, %tanh : tensor<4xf32>
  %mul2 = nn.mul %scaled2, %sum1 : tensor<4xf32>
  return %mul2 : tensor<4xf32>
}

// tanh by exponentials: (1 - e) / (1 + e) of e = exp(-2 u).
// CHECK-LABEL: func.func @gelu_by_exp(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.gelu tanh %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu_by_exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mul = nn.mul %x, %x : tensor<4xf32>
  %mul1 = nn.mul %mul, %x : tensor<4xf32>
  %scaled = nn.scale %mul1 by 0.044715 : tensor<4xf32>
  %sum = nn.sum %x, %scaled : tensor<4xf32>
  %scaled1 = nn.scale %sum by 0.7978845608028654 : tensor<4xf32>
  %scaled2 = nn.scale %scaled1 by -2.0 : tensor<4xf32>
  %exp = nn.exp %scaled2 : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sub = nn.sub %c, %exp : tensor<4xf32>
  %c1 = nn.constant dense<1.0> : tensor<4xf32>
  %sum1 = nn.sum %c1, %exp : tensor<4xf32>
  %div = nn.div %sub, %sum1 : tensor<4xf32>
  %c2 = nn.constant dense<1.0> : tensor<4xf32>
  %sum2 = nn.sum %c2, %div : tensor<4xf32>
  %mul2 = nn.mul %x, %sum2 : tensor<4xf32>
  %c3 = nn.constant dense<0.5> : tensor<4xf32>
  %mul3 = nn.mul %mul2, %c3 : tensor<4xf32>
  return %mul3 : tensor<4xf32>
}

// silu as a quotient.
// CHECK-LABEL: func.func @silu_by_exp(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.silu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @silu_by_exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by -1.0 : tensor<4xf32>
  %exp = nn.exp %scaled : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %exp, %c : tensor<4xf32>
  %div = nn.div %x, %sum : tensor<4xf32>
  return %div : tensor<4xf32>
}

// The nearest operand is tried first: a function of the sum, which is used
// twice.
// CHECK-LABEL: func.func @silu_of_sum(
// CHECK-SAME: %arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.sum %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.silu %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @silu_of_sum(%x: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %sum = nn.sum %x, %b : tensor<4xf32>
  %sigmoid = nn.sigmoid %sum : tensor<4xf32>
  %mul = nn.mul %sum, %sigmoid : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// Sigmoids of another slope, such as that of quick gelu.
// CHECK-LABEL: func.func @no_silu(
// CHECK-NOT: nn.gelu
// CHECK-NOT: nn.silu
// CHECK: return
func.func @no_silu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %scaled = nn.scale %x by 1.702 : tensor<4xf32>
  %sigmoid = nn.sigmoid %scaled : tensor<4xf32>
  %mul = nn.mul %x, %sigmoid : tensor<4xf32>
  %scaled1 = nn.scale %x by 1.00001 : tensor<4xf32>
  %sigmoid1 = nn.sigmoid %scaled1 : tensor<4xf32>
  %mul1 = nn.mul %x, %sigmoid1 : tensor<4xf32>
  return %mul, %mul1 : tensor<4xf32>, tensor<4xf32>
}

// Expressions of two tensors.
// CHECK-LABEL: func.func @no_silu_of_two(
// CHECK-NOT: nn.silu
// CHECK: return
func.func @no_silu_of_two(%x: tensor<4xf32>,
                          %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %sigmoid = nn.sigmoid %x : tensor<4xf32>
  %mul = nn.mul %sigmoid, %b : tensor<4xf32>
  %sum = nn.sum %x, %b : tensor<4xf32>
  %sigmoid1 = nn.sigmoid %sum : tensor<4xf32>
  %mul1 = nn.mul %x, %sigmoid1 : tensor<4xf32>
  return %mul, %mul1 : tensor<4xf32>, tensor<4xf32>
}

// Constants differ by element.
// CHECK-LABEL: func.func @no_silu_of_constants(
// CHECK-NOT: nn.silu
// CHECK: return
func.func @no_silu_of_constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<[1.0, 1.0, 1.0, 2.0]> : tensor<4xf32>
  %mul = nn.mul %x, %c : tensor<4xf32>
  %sigmoid = nn.sigmoid %mul : tensor<4xf32>
  %mul1 = nn.mul %x, %sigmoid : tensor<4xf32>
  return %mul1 : tensor<4xf32>
}

// Not a known function.
// CHECK-LABEL: func.func @no_polynomial(
// CHECK-NOT: nn.gelu
// CHECK-NOT: nn.silu
// CHECK: return
func.func @no_polynomial(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %sum = nn.sum %x, %c : tensor<4xf32>
  %scaled = nn.scale %sum by 0.5 : tensor<4xf32>
  %mul = nn.mul %x, %scaled : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// An expression of many ops, and of too many.
// CHECK-LABEL: func.func @silu_of_24_terms(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.silu %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @silu_of_24_terms(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.0033333333333333335 : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.006666666666666667 : tensor<4xf32>
  %scaled2 = nn.scale %x by 0.01 : tensor<4xf32>
  %scaled3 = nn.scale %x by 0.013333333333333334 : tensor<4xf32>
  %scaled4 = nn.scale %x by 0.016666666666666666 : tensor<4xf32>
  %scaled5 = nn.scale %x by 0.02 : tensor<4xf32>
  %scaled6 = nn.scale %x by 0.023333333333333334 : tensor<4xf32>
  %scaled7 = nn.scale %x by 0.02666666666666667 : tensor<4xf32>
  %scaled8 = nn.scale %x by 0.03 : tensor<4xf32>
  %scaled9 = nn.scale %x by 0.03333333333333333 : tensor<4xf32>
  %scaled10 = nn.scale %x by 0.03666666666666667 : tensor<4xf32>
  %scaled11 = nn.scale %x by 0.04 : tensor<4xf32>
  %scaled12 = nn.scale %x by 0.043333333333333335 : tensor<4xf32>
  %scaled13 = nn.scale %x by 0.04666666666666667 : tensor<4xf32>
  %scaled14 = nn.scale %x by 0.05 : tensor<4xf32>
  %scaled15 = nn.scale %x by 0.05333333333333334 : tensor<4xf32>
  %scaled16 = nn.scale %x by 0.056666666666666664 : tensor<4xf32>
  %scaled17 = nn.scale %x by 0.06 : tensor<4xf32>
  %scaled18 = nn.scale %x by 0.06333333333333334 : tensor<4xf32>
  %scaled19 = nn.scale %x by 0.06666666666666667 : tensor<4xf32>
  %scaled20 = nn.scale %x by 0.07 : tensor<4xf32>
  %scaled21 = nn.scale %x by 0.07333333333333333 : tensor<4xf32>
  %scaled22 = nn.scale %x by 0.07666666666666666 : tensor<4xf32>
  %scaled23 = nn.scale %x by 0.08 : tensor<4xf32>
  %sum = nn.sum %scaled, %scaled1, %scaled2, %scaled3, %scaled4, %scaled5, %scaled6, %scaled7, %scaled8, %scaled9, %scaled10, %scaled11, %scaled12, %scaled13, %scaled14, %scaled15, %scaled16, %scaled17, %scaled18, %scaled19, %scaled20, %scaled21, %scaled22, %scaled23
      : tensor<4xf32>
  %sigmoid = nn.sigmoid %sum : tensor<4xf32>
  %mul = nn.mul %x, %sigmoid : tensor<4xf32>
  return %mul : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_silu_of_25_terms(
// CHECK-NOT: nn.silu
// CHECK: return
func.func @no_silu_of_25_terms(%x: tensor<4xf32>) -> tensor<4xf32> {
  %scaled = nn.scale %x by 0.003076923076923077 : tensor<4xf32>
  %scaled1 = nn.scale %x by 0.006153846153846154 : tensor<4xf32>
  %scaled2 = nn.scale %x by 0.009230769230769232 : tensor<4xf32>
  %scaled3 = nn.scale %x by 0.012307692307692308 : tensor<4xf32>
  %scaled4 = nn.scale %x by 0.015384615384615385 : tensor<4xf32>
  %scaled5 = nn.scale %x by 0.018461538461538463 : tensor<4xf32>
  %scaled6 = nn.scale %x by 0.021538461538461538 : tensor<4xf32>
  %scaled7 = nn.scale %x by 0.024615384615384615 : tensor<4xf32>
  %scaled8 = nn.scale %x by 0.027692307692307693 : tensor<4xf32>
  %scaled9 = nn.scale %x by 0.03076923076923077 : tensor<4xf32>
  %scaled10 = nn.scale %x by 0.033846153846153845 : tensor<4xf32>
  %scaled11 = nn.scale %x by 0.036923076923076927 : tensor<4xf32>
  %scaled12 = nn.scale %x by 0.04 : tensor<4xf32>
  %scaled13 = nn.scale %x by 0.043076923076923075 : tensor<4xf32>
  %scaled14 = nn.scale %x by 0.046153846153846156 : tensor<4xf32>
  %scaled15 = nn.scale %x by 0.04923076923076923 : tensor<4xf32>
  %scaled16 = nn.scale %x by 0.052307692307692305 : tensor<4xf32>
  %scaled17 = nn.scale %x by 0.055384615384615386 : tensor<4xf32>
  %scaled18 = nn.scale %x by 0.05846153846153846 : tensor<4xf32>
  %scaled19 = nn.scale %x by 0.06153846153846154 : tensor<4xf32>
  %scaled20 = nn.scale %x by 0.06461538461538462 : tensor<4xf32>
  %scaled21 = nn.scale %x by 0.06769230769230769 : tensor<4xf32>
  %scaled22 = nn.scale %x by 0.07076923076923076 : tensor<4xf32>
  %scaled23 = nn.scale %x by 0.07384615384615385 : tensor<4xf32>
  %scaled24 = nn.scale %x by 0.07692307692307693 : tensor<4xf32>
  %sum = nn.sum %scaled, %scaled1, %scaled2, %scaled3, %scaled4, %scaled5, %scaled6, %scaled7, %scaled8, %scaled9, %scaled10, %scaled11, %scaled12, %scaled13, %scaled14, %scaled15, %scaled16, %scaled17, %scaled18, %scaled19, %scaled20, %scaled21, %scaled22, %scaled23, %scaled24
      : tensor<4xf32>
  %sigmoid = nn.sigmoid %sum : tensor<4xf32>
  %mul = nn.mul %x, %sigmoid : tensor<4xf32>
  return %mul : tensor<4xf32>
}
