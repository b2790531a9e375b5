// Layer norms and rms norms from their primitives, and patterns that only look
// alike.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// A layer norm with the standard deviation as a divisor, and with its
// reciprocal as either factor. Parameters that are scales and biases are marked
// as such.
// CHECK: nn.param @quotient_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @quotient(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @quotient_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @quotient_g : tensor<8xf32> init normal
func.func @quotient(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %quotient_g = nn.read @quotient_g : tensor<8xf32>
  %b2 = nn.broadcast %quotient_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// CHECK: nn.param @reciprocal_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @reciprocal(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reciprocal_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @reciprocal_g : tensor<8xf32> init normal
func.func @reciprocal(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %c1 = nn.constant dense<1.0> : tensor<2x4xf32>
  %div = nn.div %c1, %sqrt : tensor<2x4xf32>
  %b1 = nn.broadcast %div [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %sub, %b1 : tensor<2x4x8xf32>
  %reciprocal_g = nn.read @reciprocal_g : tensor<8xf32>
  %b2 = nn.broadcast %reciprocal_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul2 = nn.mul %mul1, %b2 : tensor<2x4x8xf32>
  return %mul2 : tensor<2x4x8xf32>
}

// CHECK: nn.param @reciprocal_first_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @reciprocal_first(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reciprocal_first_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @reciprocal_first_g : tensor<8xf32> init normal
func.func @reciprocal_first(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %c, %scaled1 : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %c1 = nn.constant dense<1.0> : tensor<2x4xf32>
  %div = nn.div %c1, %sqrt : tensor<2x4xf32>
  %b1 = nn.broadcast %div [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %b1, %sub : tensor<2x4x8xf32>
  %reciprocal_first_g = nn.read @reciprocal_first_g : tensor<8xf32>
  %b2 = nn.broadcast %reciprocal_first_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul2 = nn.mul %b2, %mul1 : tensor<2x4x8xf32>
  return %mul2 : tensor<2x4x8xf32>
}

// Without subtracting the mean: an rms norm.
// CHECK: nn.param @root_mean_square_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @root_mean_square(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @root_mean_square_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @root_mean_square_g : tensor<8xf32> init normal
func.func @root_mean_square(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %mul = nn.mul %x, %x : tensor<2x4x8xf32>
  %reduce = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %x, %b : tensor<2x4x8xf32>
  %root_mean_square_g = nn.read @root_mean_square_g : tensor<8xf32>
  %b1 = nn.broadcast %root_mean_square_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b1 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// CHECK: nn.param @root_mean_square_reciprocal_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @root_mean_square_reciprocal(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @root_mean_square_reciprocal_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @root_mean_square_reciprocal_g : tensor<8xf32> init normal
func.func @root_mean_square_reciprocal(%x: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %mul = nn.mul %x, %x : tensor<2x4x8xf32>
  %reduce = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %c1 = nn.constant dense<1.0> : tensor<2x4xf32>
  %div = nn.div %c1, %sqrt : tensor<2x4xf32>
  %b = nn.broadcast %div [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %x, %b : tensor<2x4x8xf32>
  %root_mean_square_reciprocal_g = nn.read @root_mean_square_reciprocal_g
      : tensor<8xf32>
  %b1 = nn.broadcast %root_mean_square_reciprocal_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul2 = nn.mul %mul1, %b1 : tensor<2x4x8xf32>
  return %mul2 : tensor<2x4x8xf32>
}

// The mean is rounded to single precision.
// CHECK: nn.param @mean_of_nearly_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @mean_of_nearly(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @mean_of_nearly_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @mean_of_nearly_g : tensor<8xf32> init normal
func.func @mean_of_nearly(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.12500000312500006 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %mean_of_nearly_g = nn.read @mean_of_nearly_g : tensor<8xf32>
  %b2 = nn.broadcast %mean_of_nearly_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// A bias that is added becomes the norm's bias, as either operand of the sum.
// CHECK: nn.param @biased_g : tensor<8xf32> init one
// CHECK: nn.param @biased_b : tensor<8xf32> init zero
// CHECK-LABEL: func.func @biased(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @biased_g : tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @biased_b : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] bias %[[V1]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @biased_g : tensor<8xf32> init normal
nn.param @biased_b : tensor<8xf32> init normal
func.func @biased(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %biased_g = nn.read @biased_g : tensor<8xf32>
  %b2 = nn.broadcast %biased_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %biased_b = nn.read @biased_b : tensor<8xf32>
  %b3 = nn.broadcast %biased_b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %mul1, %b3 : tensor<2x4x8xf32>
  return %sum1 : tensor<2x4x8xf32>
}

// CHECK: nn.param @biased_first_g : tensor<8xf32> init one
// CHECK: nn.param @biased_first_b : tensor<8xf32> init zero
// CHECK-LABEL: func.func @biased_first(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @biased_first_g : tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @biased_first_b : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] bias %[[V1]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x8xf32>
nn.param @biased_first_g : tensor<8xf32> init normal
nn.param @biased_first_b : tensor<8xf32> init normal
func.func @biased_first(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %biased_first_g = nn.read @biased_first_g : tensor<8xf32>
  %b2 = nn.broadcast %biased_first_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %biased_first_b = nn.read @biased_first_b : tensor<8xf32>
  %b3 = nn.broadcast %biased_first_b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %b3, %mul1 : tensor<2x4x8xf32>
  return %sum1 : tensor<2x4x8xf32>
}

// A norm has one bias.
// CHECK: nn.param @biased_twice_g : tensor<8xf32> init one
// CHECK: nn.param @biased_twice_b : tensor<8xf32> init zero
// CHECK: nn.param @biased_twice_c : tensor<8xf32> init zero
// CHECK-LABEL: func.func @biased_twice(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @biased_twice_g : tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @biased_twice_b : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] bias %[[V1]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @biased_twice_c : tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[RESULT]], %[[V3]] : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x4x8xf32>
nn.param @biased_twice_g : tensor<8xf32> init normal
nn.param @biased_twice_b : tensor<8xf32> init normal
nn.param @biased_twice_c : tensor<8xf32> init normal
func.func @biased_twice(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %biased_twice_g = nn.read @biased_twice_g : tensor<8xf32>
  %b2 = nn.broadcast %biased_twice_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %biased_twice_b = nn.read @biased_twice_b : tensor<8xf32>
  %b3 = nn.broadcast %biased_twice_b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %mul1, %b3 : tensor<2x4x8xf32>
  %biased_twice_c = nn.read @biased_twice_c : tensor<8xf32>
  %b4 = nn.broadcast %biased_twice_c [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum2 = nn.sum %sum1, %b4 : tensor<2x4x8xf32>
  return %sum2 : tensor<2x4x8xf32>
}

// A norm whose result is also used without the bias has no bias.
// CHECK: nn.param @used_without_bias_g : tensor<8xf32> init one
// CHECK: nn.param @used_without_bias_b : tensor<8xf32> init zero
// CHECK-LABEL: func.func @used_without_bias(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @used_without_bias_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @used_without_bias_b : tensor<8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.sum %[[RESULT]], %[[V2]] : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V3]], %[[RESULT]] : tensor<2x4x8xf32>, tensor<2x4x8xf32>
nn.param @used_without_bias_g : tensor<8xf32> init normal
nn.param @used_without_bias_b : tensor<8xf32> init normal
func.func @used_without_bias(%x: tensor<2x4x8xf32>)
    -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %used_without_bias_g = nn.read @used_without_bias_g : tensor<8xf32>
  %b2 = nn.broadcast %used_without_bias_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %used_without_bias_b = nn.read @used_without_bias_b : tensor<8xf32>
  %b3 = nn.broadcast %used_without_bias_b [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %mul1, %b3 : tensor<2x4x8xf32>
  return %sum1, %mul1 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// Sums of three operands do not change, nor do sums with a matrix.
// CHECK: nn.param @biased_by_three_g : tensor<8xf32> init one
// CHECK: nn.param @biased_by_three_b : tensor<8xf32> init zero
// CHECK-LABEL: func.func @biased_by_three(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @biased_by_three_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @biased_by_three_b : tensor<8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.sum %[[RESULT]], %[[V2]], %arg0 : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x4x8xf32>
nn.param @biased_by_three_g : tensor<8xf32> init normal
nn.param @biased_by_three_b : tensor<8xf32> init normal
func.func @biased_by_three(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %biased_by_three_g = nn.read @biased_by_three_g : tensor<8xf32>
  %b2 = nn.broadcast %biased_by_three_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %biased_by_three_b = nn.read @biased_by_three_b : tensor<8xf32>
  %b3 = nn.broadcast %biased_by_three_b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %mul1, %b3 : tensor<2x4x8xf32>
  %sum2 = nn.sum %mul1, %b3, %x : tensor<2x4x8xf32>
  return %sum2 : tensor<2x4x8xf32>
}

// CHECK: nn.param @added_to_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @added_to(
// CHECK-SAME: %arg0: tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @added_to_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 9.9999997473787516E-6 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.sum %[[RESULT]], %arg0 : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x4x8xf32>
nn.param @added_to_g : tensor<8xf32> init normal
nn.param @added_to_b : tensor<8xf32> init normal
func.func @added_to(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %added_to_g = nn.read @added_to_g : tensor<8xf32>
  %b2 = nn.broadcast %added_to_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  %added_to_b = nn.read @added_to_b : tensor<8xf32>
  %b3 = nn.broadcast %added_to_b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %sum1 = nn.sum %mul1, %b3 : tensor<2x4x8xf32>
  %sum2 = nn.sum %mul1, %x : tensor<2x4x8xf32>
  return %sum2 : tensor<2x4x8xf32>
}

// Not a norm: a factor other than 1 / 8, the reciprocal of the row's length.
// CHECK-LABEL: func.func @other_mean_factor(
// CHECK-NOT: nn.layer_norm
// CHECK: return
nn.param @other_mean_factor_g : tensor<8xf32> init normal
func.func @other_mean_factor(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.14285714285714285 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %other_mean_factor_g = nn.read @other_mean_factor_g : tensor<8xf32>
  %b2 = nn.broadcast %other_mean_factor_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @other_variance_factor(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @other_variance_factor_g : tensor<8xf32> init normal
func.func @other_variance_factor(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.14285714285714285 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %other_variance_factor_g = nn.read @other_variance_factor_g : tensor<8xf32>
  %b2 = nn.broadcast %other_variance_factor_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// Not a norm: statistics of columns, although the shapes match.
// CHECK-LABEL: func.func @mean_of_columns(
// CHECK-NOT: nn.layer_norm
// CHECK: return
nn.param @mean_of_columns_g : tensor<8xf32> init normal
func.func @mean_of_columns(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [0] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [0] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %mean_of_columns_g = nn.read @mean_of_columns_g : tensor<8xf32>
  %b2 = nn.broadcast %mean_of_columns_g [1] : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @variance_of_columns(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @variance_of_columns_g : tensor<8xf32> init normal
func.func @variance_of_columns(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [0] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [0] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %variance_of_columns_g = nn.read @variance_of_columns_g : tensor<8xf32>
  %b2 = nn.broadcast %variance_of_columns_g [1]
      : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// Not a norm: statistics that are repeated along the other dim.
// CHECK-LABEL: func.func @mean_by_column(
// CHECK-NOT: nn.layer_norm
// CHECK: return
nn.param @mean_by_column_g : tensor<8xf32> init normal
func.func @mean_by_column(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [1] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [0] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %mean_by_column_g = nn.read @mean_by_column_g : tensor<8xf32>
  %b2 = nn.broadcast %mean_by_column_g [1] : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @deviation_by_column(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @deviation_by_column_g : tensor<8xf32> init normal
func.func @deviation_by_column(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [1] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %deviation_by_column_g = nn.read @deviation_by_column_g : tensor<8xf32>
  %b2 = nn.broadcast %deviation_by_column_g [1]
      : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @deviation_by_column_reciprocal(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @deviation_by_column_reciprocal_g : tensor<8xf32> init normal
func.func @deviation_by_column_reciprocal(%x: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %c1 = nn.constant dense<1.0> : tensor<8xf32>
  %div = nn.div %c1, %sqrt : tensor<8xf32>
  %b1 = nn.broadcast %div [1] : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %sub, %b1 : tensor<8x8xf32>
  %deviation_by_column_reciprocal_g = nn.read @deviation_by_column_reciprocal_g
      : tensor<8xf32>
  %b2 = nn.broadcast %deviation_by_column_reciprocal_g [1]
      : tensor<8xf32> -> tensor<8x8xf32>
  %mul2 = nn.mul %mul1, %b2 : tensor<8x8xf32>
  return %mul2 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @scale_by_row(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @scale_by_row_g : tensor<8xf32> init normal
func.func @scale_by_row(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<1.0e-05> : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [0] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %scale_by_row_g = nn.read @scale_by_row_g : tensor<8xf32>
  %b2 = nn.broadcast %scale_by_row_g [0] : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// Not a norm: statistics of another tensor.
// CHECK-LABEL: func.func @mean_of_another(
// CHECK-NOT: nn.layer_norm
// CHECK: return
nn.param @mean_of_another_g : tensor<8xf32> init normal
func.func @mean_of_another(%x: tensor<2x4x8xf32>,
                           %z: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %z [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %mean_of_another_g = nn.read @mean_of_another_g : tensor<8xf32>
  %b2 = nn.broadcast %mean_of_another_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @product_of_two(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @product_of_two_g : tensor<8xf32> init normal
func.func @product_of_two(%x: tensor<2x4x8xf32>,
                          %z: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %z : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %product_of_two_g = nn.read @product_of_two_g : tensor<8xf32>
  %b2 = nn.broadcast %product_of_two_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @product_of_two_swapped(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @product_of_two_swapped_g : tensor<8xf32> init normal
func.func @product_of_two_swapped(%x: tensor<2x4x8xf32>,
                                  %z: tensor<2x4x8xf32>)
    -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %z, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %product_of_two_swapped_g = nn.read @product_of_two_swapped_g : tensor<8xf32>
  %b2 = nn.broadcast %product_of_two_swapped_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}

// Not a norm: the quotient is not a reciprocal.
// CHECK-LABEL: func.func @numerator_of_two(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @numerator_of_two_g : tensor<8xf32> init normal
func.func @numerator_of_two(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %c1 = nn.constant dense<2.0> : tensor<2x4xf32>
  %div = nn.div %c1, %sqrt : tensor<2x4xf32>
  %b1 = nn.broadcast %div [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %sub, %b1 : tensor<2x4x8xf32>
  %numerator_of_two_g = nn.read @numerator_of_two_g : tensor<8xf32>
  %b2 = nn.broadcast %numerator_of_two_g [2]
      : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul2 = nn.mul %mul1, %b2 : tensor<2x4x8xf32>
  return %mul2 : tensor<2x4x8xf32>
}

// Not a norm: eps must be one number.
// CHECK-LABEL: func.func @eps_by_row(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @eps_by_row_g : tensor<8xf32> init normal
func.func @eps_by_row(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %reduce = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<8xf32>
  %b = nn.broadcast %scaled [0] : tensor<8xf32> -> tensor<8x8xf32>
  %sub = nn.sub %x, %b : tensor<8x8xf32>
  %mul = nn.mul %sub, %sub : tensor<8x8xf32>
  %reduce1 = nn.reduce %mul [1] : tensor<8x8xf32> -> tensor<8xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<8xf32>
  %c = nn.constant dense<[1.0e-05, 1.0e-05, 1.0e-05, 1.0e-05, 1.0e-05, 1.0e-05, 1.0e-05, 2.0e-05]>
      : tensor<8xf32>
  %sum = nn.sum %scaled1, %c : tensor<8xf32>
  %sqrt = nn.sqrt %sum : tensor<8xf32>
  %b1 = nn.broadcast %sqrt [0] : tensor<8xf32> -> tensor<8x8xf32>
  %div = nn.div %sub, %b1 : tensor<8x8xf32>
  %eps_by_row_g = nn.read @eps_by_row_g : tensor<8xf32>
  %b2 = nn.broadcast %eps_by_row_g [1] : tensor<8xf32> -> tensor<8x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<8x8xf32>
  return %mul1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @three_terms(
// CHECK-NOT: nn.layer_norm
// CHECK-NOT: nn.rms_norm
// CHECK: return
nn.param @three_terms_g : tensor<8xf32> init normal
func.func @three_terms(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %reduce = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled = nn.scale %reduce by 0.125 : tensor<2x4xf32>
  %b = nn.broadcast %scaled [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %sub = nn.sub %x, %b : tensor<2x4x8xf32>
  %mul = nn.mul %sub, %sub : tensor<2x4x8xf32>
  %reduce1 = nn.reduce %mul [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %scaled1 = nn.scale %reduce1 by 0.125 : tensor<2x4xf32>
  %c = nn.constant dense<1.0e-05> : tensor<2x4xf32>
  %sum = nn.sum %scaled1, %c, %scaled1 : tensor<2x4xf32>
  %sqrt = nn.sqrt %sum : tensor<2x4xf32>
  %b1 = nn.broadcast %sqrt [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %div = nn.div %sub, %b1 : tensor<2x4x8xf32>
  %three_terms_g = nn.read @three_terms_g : tensor<8xf32>
  %b2 = nn.broadcast %three_terms_g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %mul1 = nn.mul %div, %b2 : tensor<2x4x8xf32>
  return %mul1 : tensor<2x4x8xf32>
}
