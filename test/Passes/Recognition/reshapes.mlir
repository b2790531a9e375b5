// A reshape that splits dims moves up to the op that merged them, or to a
// parameter or an input.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// A reshape that splits dims moves before elementwise ops,
// CHECK-LABEL: func.func @split(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x2x4xf32>
func.func @split(%x: tensor<6x8xf32>) -> tensor<2x3x2x4xf32> {
  %tanh = nn.tanh %x : tensor<6x8xf32>
  %r = nn.reshape %tanh : tensor<6x8xf32> -> tensor<2x3x2x4xf32>
  return %r : tensor<2x3x2x4xf32>
}

// unless the op has another use;
// CHECK-LABEL: func.func @split_used(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x3x8xf32>, tensor<6x8xf32>
func.func @split_used(%x: tensor<6x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %tanh = nn.tanh %x : tensor<6x8xf32>
  %r = nn.reshape %tanh : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %tanh : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// one that merges dims,
// CHECK-LABEL: func.func @merge(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<2x3x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x8xf32>
func.func @merge(%x: tensor<2x3x8xf32>) -> tensor<6x8xf32> {
  %tanh = nn.tanh %x : tensor<2x3x8xf32>
  %r = nn.reshape %tanh : tensor<2x3x8xf32> -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// or does both, stays.
// CHECK-LABEL: func.func @regroup(
// CHECK-SAME: %arg0: tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<2x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<2x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x3xf32>
func.func @regroup(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %tanh = nn.tanh %x : tensor<2x6xf32>
  %r = nn.reshape %tanh : tensor<2x6xf32> -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @regroup_behind(
// CHECK-SAME: %arg0: tensor<4x2x6xf32>) -> tensor<4x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<4x2x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<4x2x6xf32> -> tensor<4x4x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x4x3xf32>
func.func @regroup_behind(%x: tensor<4x2x6xf32>) -> tensor<4x4x3xf32> {
  %tanh = nn.tanh %x : tensor<4x2x6xf32>
  %r = nn.reshape %tanh : tensor<4x2x6xf32> -> tensor<4x4x3xf32>
  return %r : tensor<4x4x3xf32>
}

// A reshape that adds dims of one element anywhere moves up,
// CHECK-LABEL: func.func @one_in_front(
// CHECK-SAME: %arg0: tensor<4x8xf32>) -> tensor<1x4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4x8xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<1x4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1x4x8xf32>
func.func @one_in_front(%x: tensor<4x8xf32>) -> tensor<1x4x8xf32> {
  %tanh = nn.tanh %x : tensor<4x8xf32>
  %r = nn.reshape %tanh : tensor<4x8xf32> -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// CHECK-LABEL: func.func @one_between(
// CHECK-SAME: %arg0: tensor<4x8xf32>) -> tensor<4x1x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4x8xf32> -> tensor<4x1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<4x1x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x1x8xf32>
func.func @one_between(%x: tensor<4x8xf32>) -> tensor<4x1x8xf32> {
  %tanh = nn.tanh %x : tensor<4x8xf32>
  %r = nn.reshape %tanh : tensor<4x8xf32> -> tensor<4x1x8xf32>
  return %r : tensor<4x1x8xf32>
}

// CHECK-LABEL: func.func @one_behind(
// CHECK-SAME: %arg0: tensor<4x8xf32>) -> tensor<4x8x1x1xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4x8xf32> -> tensor<4x8x1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<4x8x1x1xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8x1x1xf32>
func.func @one_behind(%x: tensor<4x8xf32>) -> tensor<4x8x1x1xf32> {
  %tanh = nn.tanh %x : tensor<4x8xf32>
  %r = nn.reshape %tanh : tensor<4x8xf32> -> tensor<4x8x1x1xf32>
  return %r : tensor<4x8x1x1xf32>
}

// CHECK-LABEL: func.func @one_kept(
// CHECK-SAME: %arg0: tensor<4x1x8xf32>) -> tensor<2x2x1x4x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4x1x8xf32> -> tensor<2x2x1x4x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<2x2x1x4x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x2x1x4x2xf32>
func.func @one_kept(%x: tensor<4x1x8xf32>) -> tensor<2x2x1x4x2xf32> {
  %tanh = nn.tanh %x : tensor<4x1x8xf32>
  %r = nn.reshape %tanh : tensor<4x1x8xf32> -> tensor<2x2x1x4x2xf32>
  return %r : tensor<2x2x1x4x2xf32>
}

// also one that removes such dims at the end.
// CHECK-LABEL: func.func @one_goes_behind(
// CHECK-SAME: %arg0: tensor<4x8x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4x8x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @one_goes_behind(%x: tensor<4x8x1xf32>) -> tensor<4x8xf32> {
  %tanh = nn.tanh %x : tensor<4x8x1xf32>
  %r = nn.reshape %tanh : tensor<4x8x1xf32> -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Removing them at another position merges dims: the reshape stays.
// CHECK-LABEL: func.func @one_goes_in_front(
// CHECK-SAME: %arg0: tensor<1x4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<1x4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<1x4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @one_goes_in_front(%x: tensor<1x4x8xf32>) -> tensor<4x8xf32> {
  %tanh = nn.tanh %x : tensor<1x4x8xf32>
  %r = nn.reshape %tanh : tensor<1x4x8xf32> -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @one_goes_between(
// CHECK-SAME: %arg0: tensor<4x1x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<4x1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<4x1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @one_goes_between(%x: tensor<4x1x8xf32>) -> tensor<4x8xf32> {
  %tanh = nn.tanh %x : tensor<4x1x8xf32>
  %r = nn.reshape %tanh : tensor<4x1x8xf32> -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @all_ones(
// CHECK-SAME: %arg0: tensor<1x1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<1x1xf32> -> tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<1xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1xf32>
func.func @all_ones(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  %tanh = nn.tanh %x : tensor<1x1xf32>
  %r = nn.reshape %tanh : tensor<1x1xf32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK-LABEL: func.func @to_number(
// CHECK-SAME: %arg0: tensor<1xf32>) -> tensor<f32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<1xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<f32>
// CHECK-NEXT: return %[[V1]] : tensor<f32>
func.func @to_number(%x: tensor<1xf32>) -> tensor<f32> {
  %tanh = nn.tanh %x : tensor<1xf32>
  %r = nn.reshape %tanh : tensor<1xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @from_number(
// CHECK-SAME: %arg0: tensor<f32>) -> tensor<1xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1xf32>
func.func @from_number(%x: tensor<f32>) -> tensor<1xf32> {
  %tanh = nn.tanh %x : tensor<f32>
  %r = nn.reshape %tanh : tensor<f32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// All operands are split.
// CHECK-LABEL: func.func @two_operands(
// CHECK-SAME: %arg0: tensor<6x8xf32>, %arg1: tensor<6x8xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg1 : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.sub %[[V0]], %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x8xf32>
func.func @two_operands(%x: tensor<6x8xf32>,
                        %y: tensor<6x8xf32>)
    -> tensor<2x3x8xf32> {
  %sub = nn.sub %x, %y : tensor<6x8xf32>
  %r = nn.reshape %sub : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// Two reshapes become one, or none.
// CHECK-LABEL: func.func @merged_before(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.tanh %arg0 : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x8xf32>
func.func @merged_before(%x: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
  %r = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %tanh = nn.tanh %r : tensor<6x8xf32>
  %r1 = nn.reshape %tanh : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r1 : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> tensor<48xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x8xf32> -> tensor<48xf32>
// CHECK-NEXT: return %[[V0]] : tensor<48xf32>
func.func @twice(%x: tensor<2x3x8xf32>) -> tensor<48xf32> {
  %r = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %r1 = nn.reshape %r : tensor<6x8xf32> -> tensor<48xf32>
  return %r1 : tensor<48xf32>
}

// Equal reshapes become one.
// CHECK-LABEL: func.func @again(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> tensor<48xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x8xf32> -> tensor<48xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<48xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.exp %[[V0]] : tensor<48xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.sum %[[V1]], %[[V2]] : tensor<48xf32>
// CHECK-NEXT: return %[[V3]] : tensor<48xf32>
func.func @again(%x: tensor<2x3x8xf32>) -> tensor<48xf32> {
  %r = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %r1 = nn.reshape %r : tensor<6x8xf32> -> tensor<48xf32>
  %tanh = nn.tanh %r1 : tensor<48xf32>
  %r2 = nn.reshape %x : tensor<2x3x8xf32> -> tensor<2x24xf32>
  %r3 = nn.reshape %r2 : tensor<2x24xf32> -> tensor<48xf32>
  %exp = nn.exp %r3 : tensor<48xf32>
  %sum = nn.sum %tanh, %exp : tensor<48xf32>
  return %sum : tensor<48xf32>
}

// Different reshapes of the same value do not.
// CHECK-LABEL: func.func @not_again(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> (tensor<6x8xf32>, tensor<2x24xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<6x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg0 : tensor<2x3x8xf32> -> tensor<2x24xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.exp %[[V2]] : tensor<2x24xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<6x8xf32>, tensor<2x24xf32>
func.func @not_again(%x: tensor<2x3x8xf32>)
    -> (tensor<6x8xf32>, tensor<2x24xf32>) {
  %r = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %tanh = nn.tanh %r : tensor<6x8xf32>
  %r1 = nn.reshape %x : tensor<2x3x8xf32> -> tensor<2x24xf32>
  %exp = nn.exp %r1 : tensor<2x24xf32>
  return %tanh, %exp : tensor<6x8xf32>, tensor<2x24xf32>
}

// Constants get the shape of their reshape.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.sum %[[V0]], %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %r = nn.reshape %c : tensor<2x2xf32> -> tensor<4xf32>
  %sum = nn.sum %r, %x : tensor<4xf32>
  return %sum : tensor<4xf32>
}

// The operand of a broadcast is split along the dims that it has.
// CHECK-LABEL: func.func @broadcast_rows(
// CHECK-SAME: %arg0: tensor<6xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %[[V0]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x8xf32>
func.func @broadcast_rows(%x: tensor<6xf32>) -> tensor<2x3x8xf32> {
  %b = nn.broadcast %x [0] : tensor<6xf32> -> tensor<6x8xf32>
  %r = nn.reshape %b : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @broadcast_columns(
// CHECK-SAME: %arg0: tensor<8xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %[[V0]] [2, 3] : tensor<2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x2x4xf32>
func.func @broadcast_columns(%x: tensor<8xf32>) -> tensor<2x3x2x4xf32> {
  %b = nn.broadcast %x [1] : tensor<8xf32> -> tensor<6x8xf32>
  %r = nn.reshape %b : tensor<6x8xf32> -> tensor<2x3x2x4xf32>
  return %r : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @broadcast_number(
// CHECK-SAME: %arg0: tensor<f32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.broadcast %arg0 [] : tensor<f32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x8xf32>
func.func @broadcast_number(%x: tensor<f32>) -> tensor<2x3x8xf32> {
  %b = nn.broadcast %x [] : tensor<f32> -> tensor<6x8xf32>
  %r = nn.reshape %b : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @broadcast_used(
// CHECK-SAME: %arg0: tensor<6xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.broadcast %arg0 [0] : tensor<6xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x3x8xf32>, tensor<6x8xf32>
func.func @broadcast_used(%x: tensor<6xf32>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %b = nn.broadcast %x [0] : tensor<6xf32> -> tensor<6x8xf32>
  %r = nn.reshape %b : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %b : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// CHECK-LABEL: func.func @broadcast_merged(
// CHECK-SAME: %arg0: tensor<6xf32>) -> tensor<48xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.broadcast %arg0 [0] : tensor<6xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<48xf32>
// CHECK-NEXT: return %[[V1]] : tensor<48xf32>
func.func @broadcast_merged(%x: tensor<6xf32>) -> tensor<48xf32> {
  %b = nn.broadcast %x [0] : tensor<6xf32> -> tensor<6x8xf32>
  %r = nn.reshape %b : tensor<6x8xf32> -> tensor<48xf32>
  return %r : tensor<48xf32>
}

// The parts of a dim stay adjacent in a transpose.
// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %arg0: tensor<6x5x8xf32>) -> tensor<2x4x3x2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6x5x8xf32> -> tensor<3x2x5x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [3, 4, 0, 1, 2] : tensor<3x2x5x2x4xf32> -> tensor<2x4x3x2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x4x3x2x5xf32>
func.func @transpose(%x: tensor<6x5x8xf32>) -> tensor<2x4x3x2x5xf32> {
  %t = nn.transpose %x [2, 0, 1] : tensor<6x5x8xf32> -> tensor<8x6x5xf32>
  %r = nn.reshape %t : tensor<8x6x5xf32> -> tensor<2x4x3x2x5xf32>
  return %r : tensor<2x4x3x2x5xf32>
}

// CHECK-LABEL: func.func @transpose_used(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x4x6xf32>, tensor<8x6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<8x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x4x6xf32>, tensor<8x6xf32>
func.func @transpose_used(%x: tensor<6x8xf32>)
    -> (tensor<2x4x6xf32>, tensor<8x6xf32>) {
  %t = nn.transpose %x [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %r = nn.reshape %t : tensor<8x6xf32> -> tensor<2x4x6xf32>
  return %r, %t : tensor<2x4x6xf32>, tensor<8x6xf32>
}

// Each use of a parameter has a separate view.
// CHECK: nn.param @viewed : tensor<6x8xf32> init normal
// CHECK-LABEL: func.func @transpose_of_parameter(
// CHECK-SAME: ) -> (tensor<2x4x6xf32>, tensor<8x6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @viewed : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] [1, 2, 0] : tensor<6x2x4xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT: return %[[V3]], %[[V1]] : tensor<2x4x6xf32>, tensor<8x6xf32>
nn.param @viewed : tensor<6x8xf32> init normal
func.func @transpose_of_parameter() -> (tensor<2x4x6xf32>, tensor<8x6xf32>) {
  %viewed = nn.read @viewed : tensor<6x8xf32>
  %t = nn.transpose %viewed [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %r = nn.reshape %t : tensor<8x6xf32> -> tensor<2x4x6xf32>
  return %r, %t : tensor<2x4x6xf32>, tensor<8x6xf32>
}

// After a transpose: dims that are only split are split before the transpose.
// CHECK-LABEL: func.func @transpose_merged(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0, 2] : tensor<2x3x8xf32> -> tensor<3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<3x2x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x8xf32>
func.func @transpose_merged(%x: tensor<2x3x8xf32>) -> tensor<6x8xf32> {
  %t = nn.transpose %x [1, 0, 2] : tensor<2x3x8xf32> -> tensor<3x2x8xf32>
  %r = nn.reshape %t : tensor<3x2x8xf32> -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// CHECK-LABEL: func.func @transpose_regrouped(
// CHECK-SAME: %arg0: tensor<8x3x4xf32>) -> tensor<6x16xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8x3x4xf32> -> tensor<2x4x3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [2, 0, 1, 3] : tensor<2x4x3x4xf32> -> tensor<3x2x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<3x2x4x4xf32> -> tensor<6x16xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6x16xf32>
func.func @transpose_regrouped(%x: tensor<8x3x4xf32>) -> tensor<6x16xf32> {
  %t = nn.transpose %x [1, 0, 2] : tensor<8x3x4xf32> -> tensor<3x8x4xf32>
  %r = nn.reshape %t : tensor<3x8x4xf32> -> tensor<6x16xf32>
  return %r : tensor<6x16xf32>
}

// CHECK-LABEL: func.func @transpose_regrouped_used(
// CHECK-SAME: %arg0: tensor<8x3x4xf32>) -> (tensor<6x16xf32>, tensor<3x8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0, 2] : tensor<8x3x4xf32> -> tensor<3x8x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<3x8x4xf32> -> tensor<6x16xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<6x16xf32>, tensor<3x8x4xf32>
func.func @transpose_regrouped_used(%x: tensor<8x3x4xf32>)
    -> (tensor<6x16xf32>, tensor<3x8x4xf32>) {
  %t = nn.transpose %x [1, 0, 2] : tensor<8x3x4xf32> -> tensor<3x8x4xf32>
  %r = nn.reshape %t : tensor<3x8x4xf32> -> tensor<6x16xf32>
  return %r, %t : tensor<6x16xf32>, tensor<3x8x4xf32>
}

// CHECK-LABEL: func.func @transpose_of_one(
// CHECK-SAME: %arg0: tensor<8x1x4xf32>) -> tensor<2x16xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8x1x4xf32> -> tensor<2x4x1x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [2, 0, 1, 3] : tensor<2x4x1x4xf32> -> tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<1x2x4x4xf32> -> tensor<2x16xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x16xf32>
func.func @transpose_of_one(%x: tensor<8x1x4xf32>) -> tensor<2x16xf32> {
  %t = nn.transpose %x [1, 0, 2] : tensor<8x1x4xf32> -> tensor<1x8x4xf32>
  %r = nn.reshape %t : tensor<1x8x4xf32> -> tensor<2x16xf32>
  return %r : tensor<2x16xf32>
}

// CHECK-LABEL: func.func @transpose_in_no_common_parts(
// CHECK-SAME: %arg0: tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x4xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x6xf32>
func.func @transpose_in_no_common_parts(%x: tensor<4x6xf32>)
    -> tensor<4x6xf32> {
  %t = nn.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %r = nn.reshape %t : tensor<6x4xf32> -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Labels are split with the dims; the new labels are the first free letters.
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK-SAME: %arg0: tensor<6x8xf32>, %arg1: tensor<8x12xf32>) -> tensor<2x3x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg1 : tensor<8x12xf32> -> tensor<8x4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "mak,knb->manb" %[[V0]], %[[V1]] : tensor<2x3x8xf32>, tensor<8x4x3xf32> -> tensor<2x3x4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x4x3xf32>
func.func @rows_and_columns(%x: tensor<6x8xf32>,
                            %y: tensor<8x12xf32>)
    -> tensor<2x3x4x3xf32> {
  %p = nn.contract "mk,kn->mn" %x, %y
      : tensor<6x8xf32>, tensor<8x12xf32> -> tensor<6x12xf32>
  %r = nn.reshape %p : tensor<6x12xf32> -> tensor<2x3x4x3xf32>
  return %r : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: func.func @common_rows(
// CHECK-SAME: %arg0: tensor<8x3x4xf32>, %arg1: tensor<8x4x5xf32>) -> tensor<2x4x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8x3x4xf32> -> tensor<2x4x3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg1 : tensor<8x4x5xf32> -> tensor<2x4x4x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "bask,bakn->basn" %[[V0]], %[[V1]] : tensor<2x4x3x4xf32>, tensor<2x4x4x5xf32> -> tensor<2x4x3x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x4x3x5xf32>
func.func @common_rows(%x: tensor<8x3x4xf32>,
                       %y: tensor<8x4x5xf32>)
    -> tensor<2x4x3x5xf32> {
  %p = nn.contract "bsk,bkn->bsn" %x, %y
      : tensor<8x3x4xf32>, tensor<8x4x5xf32> -> tensor<8x3x5xf32>
  %r = nn.reshape %p : tensor<8x3x5xf32> -> tensor<2x4x3x5xf32>
  return %r : tensor<2x4x3x5xf32>
}

// CHECK-LABEL: func.func @product_used(
// CHECK-SAME: %arg0: tensor<6x8xf32>, %arg1: tensor<8x12xf32>) -> (tensor<2x3x12xf32>, tensor<6x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.contract "mk,kn->mn" %arg0, %arg1 : tensor<6x8xf32>, tensor<8x12xf32> -> tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x3x12xf32>, tensor<6x12xf32>
func.func @product_used(%x: tensor<6x8xf32>,
                        %y: tensor<8x12xf32>)
    -> (tensor<2x3x12xf32>, tensor<6x12xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %y
      : tensor<6x8xf32>, tensor<8x12xf32> -> tensor<6x12xf32>
  %r = nn.reshape %p : tensor<6x12xf32> -> tensor<2x3x12xf32>
  return %r, %p : tensor<2x3x12xf32>, tensor<6x12xf32>
}

// CHECK-LABEL: func.func @product_merged(
// CHECK-SAME: %arg0: tensor<2x3x8xf32>, %arg1: tensor<8x12xf32>) -> tensor<6x12xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "bsk,kn->bsn" %arg0, %arg1 : tensor<2x3x8xf32>, tensor<8x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<2x3x12xf32> -> tensor<6x12xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x12xf32>
func.func @product_merged(%x: tensor<2x3x8xf32>,
                          %y: tensor<8x12xf32>)
    -> tensor<6x12xf32> {
  %p = nn.contract "bsk,kn->bsn" %x, %y
      : tensor<2x3x8xf32>, tensor<8x12xf32> -> tensor<2x3x12xf32>
  %r = nn.reshape %p : tensor<2x3x12xf32> -> tensor<6x12xf32>
  return %r : tensor<6x12xf32>
}

// Rows of a softmax or a norm stay whole.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %arg0: tensor<8x3x6xf32>) -> tensor<2x4x3x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8x3x6xf32> -> tensor<2x4x3x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.softmax %[[V0]] : tensor<2x4x3x6xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x4x3x6xf32>
func.func @softmax(%x: tensor<8x3x6xf32>) -> tensor<2x4x3x6xf32> {
  %softmax = nn.softmax %x : tensor<8x3x6xf32>
  %r = nn.reshape %softmax : tensor<8x3x6xf32> -> tensor<2x4x3x6xf32>
  return %r : tensor<2x4x3x6xf32>
}

// CHECK-LABEL: func.func @softmax_row(
// CHECK-SAME: %arg0: tensor<8x6xf32>) -> tensor<8x2x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.softmax %arg0 : tensor<8x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<8x6xf32> -> tensor<8x2x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<8x2x3xf32>
func.func @softmax_row(%x: tensor<8x6xf32>) -> tensor<8x2x3xf32> {
  %softmax = nn.softmax %x : tensor<8x6xf32>
  %r = nn.reshape %softmax : tensor<8x6xf32> -> tensor<8x2x3xf32>
  return %r : tensor<8x2x3xf32>
}

// CHECK-LABEL: func.func @softmax_used(
// CHECK-SAME: %arg0: tensor<8x6xf32>) -> (tensor<2x4x6xf32>, tensor<8x6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.softmax %arg0 : tensor<8x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<8x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x4x6xf32>, tensor<8x6xf32>
func.func @softmax_used(%x: tensor<8x6xf32>)
    -> (tensor<2x4x6xf32>, tensor<8x6xf32>) {
  %softmax = nn.softmax %x : tensor<8x6xf32>
  %r = nn.reshape %softmax : tensor<8x6xf32> -> tensor<2x4x6xf32>
  return %r, %softmax : tensor<2x4x6xf32>, tensor<8x6xf32>
}

// CHECK: nn.param @layer_norm_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @layer_norm_g : tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %[[V1]] scale %[[V0]] eps 1.000000e-05 : tensor<2x3x8xf32>, tensor<8xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x8xf32>
nn.param @layer_norm_g : tensor<8xf32> init normal
func.func @layer_norm(%x: tensor<6x8xf32>) -> tensor<2x3x8xf32> {
  %layer_norm_g = nn.read @layer_norm_g : tensor<8xf32>
  %n:3 = nn.layer_norm %x scale %layer_norm_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// CHECK: nn.param @layer_norm_row_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @layer_norm_row(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @layer_norm_row_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x2x4xf32>
nn.param @layer_norm_row_g : tensor<8xf32> init normal
func.func @layer_norm_row(%x: tensor<6x8xf32>) -> tensor<6x2x4xf32> {
  %layer_norm_row_g = nn.read @layer_norm_row_g : tensor<8xf32>
  %n:3 = nn.layer_norm %x scale %layer_norm_row_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<6x2x4xf32>
  return %r : tensor<6x2x4xf32>
}

// CHECK: nn.param @layer_norm_used_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @layer_norm_used(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @layer_norm_used_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[RESULT]] : tensor<2x3x8xf32>, tensor<6x8xf32>
nn.param @layer_norm_used_g : tensor<8xf32> init normal
func.func @layer_norm_used(%x: tensor<6x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %layer_norm_used_g = nn.read @layer_norm_used_g : tensor<8xf32>
  %n:3 = nn.layer_norm %x scale %layer_norm_used_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %n#0 : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// CHECK: nn.param @layer_norm_statistic_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @layer_norm_statistic(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @layer_norm_statistic_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[MEAN]] : tensor<2x3x8xf32>, tensor<6xf32>
nn.param @layer_norm_statistic_g : tensor<8xf32> init normal
func.func @layer_norm_statistic(%x: tensor<6x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6xf32>) {
  %layer_norm_statistic_g = nn.read @layer_norm_statistic_g : tensor<8xf32>
  %n:3 = nn.layer_norm %x scale %layer_norm_statistic_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>, tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %n#1 : tensor<2x3x8xf32>, tensor<6xf32>
}

// CHECK: nn.param @rms_norm_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @rms_norm_g : tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %[[V1]] scale %[[V0]] eps 1.000000e-05 : tensor<2x3x8xf32>, tensor<8xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x8xf32>
nn.param @rms_norm_g : tensor<8xf32> init normal
func.func @rms_norm(%x: tensor<6x8xf32>) -> tensor<2x3x8xf32> {
  %rms_norm_g = nn.read @rms_norm_g : tensor<8xf32>
  %n:2 = nn.rms_norm %x scale %rms_norm_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// CHECK: nn.param @rms_norm_row_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @rms_norm_row(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @rms_norm_row_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x2x4xf32>
nn.param @rms_norm_row_g : tensor<8xf32> init normal
func.func @rms_norm_row(%x: tensor<6x8xf32>) -> tensor<6x2x4xf32> {
  %rms_norm_row_g = nn.read @rms_norm_row_g : tensor<8xf32>
  %n:2 = nn.rms_norm %x scale %rms_norm_row_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<6x2x4xf32>
  return %r : tensor<6x2x4xf32>
}

// CHECK: nn.param @rms_norm_used_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @rms_norm_used(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @rms_norm_used_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[RESULT]] : tensor<2x3x8xf32>, tensor<6x8xf32>
nn.param @rms_norm_used_g : tensor<8xf32> init normal
func.func @rms_norm_used(%x: tensor<6x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %rms_norm_used_g = nn.read @rms_norm_used_g : tensor<8xf32>
  %n:2 = nn.rms_norm %x scale %rms_norm_used_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %n#0 : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// CHECK: nn.param @rms_norm_statistic_g : tensor<8xf32> init one
// CHECK-LABEL: func.func @rms_norm_statistic(
// CHECK-SAME: %arg0: tensor<6x8xf32>) -> (tensor<2x3x8xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @rms_norm_statistic_g : tensor<8xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[RSTD:.*]] = nn.rms_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[RESULT]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V1]], %[[RSTD]] : tensor<2x3x8xf32>, tensor<6xf32>
nn.param @rms_norm_statistic_g : tensor<8xf32> init normal
func.func @rms_norm_statistic(%x: tensor<6x8xf32>)
    -> (tensor<2x3x8xf32>, tensor<6xf32>) {
  %rms_norm_statistic_g = nn.read @rms_norm_statistic_g : tensor<8xf32>
  %n:2 = nn.rms_norm %x scale %rms_norm_statistic_g eps 1.0e-5
      : tensor<6x8xf32>, tensor<8xf32> -> tensor<6xf32>
  %r = nn.reshape %n#0 : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %n#1 : tensor<2x3x8xf32>, tensor<6xf32>
}

// Ids are split like the rows that they look up,
// CHECK: nn.param @looked_up_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up(
// CHECK-SAME: %arg0: tensor<6xi64>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg0 : tensor<6xi64> -> tensor<2x3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V1]], %[[V0]] : tensor<2x3xi64>, tensor<10x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x8xf32>
nn.param @looked_up_t : tensor<10x8xf32> init normal
func.func @looked_up(%ids: tensor<6xi64>) -> tensor<2x3x8xf32> {
  %looked_up_t = nn.read @looked_up_t : tensor<10x8xf32>
  %rows = nn.embedding %ids, %looked_up_t
      : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
  %r = nn.reshape %rows : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// and merged only if they are constants.
// CHECK: nn.param @looked_up_merged_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up_merged(
// CHECK-SAME: %arg0: tensor<2x3xi64>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_merged_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg0, %[[V0]] : tensor<2x3xi64>, tensor<10x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6x8xf32>
nn.param @looked_up_merged_t : tensor<10x8xf32> init normal
func.func @looked_up_merged(%ids: tensor<2x3xi64>) -> tensor<6x8xf32> {
  %looked_up_merged_t = nn.read @looked_up_merged_t : tensor<10x8xf32>
  %rows = nn.embedding %ids, %looked_up_merged_t
      : tensor<2x3xi64>, tensor<10x8xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %rows : tensor<2x3x8xf32> -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// CHECK: nn.param @looked_up_constants_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up_constants(
// CHECK-SAME: ) -> tensor<6x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @looked_up_constants_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6x8xf32>
nn.param @looked_up_constants_t : tensor<10x8xf32> init normal
func.func @looked_up_constants() -> tensor<6x8xf32> {
  %c = nn.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>
  %looked_up_constants_t = nn.read @looked_up_constants_t : tensor<10x8xf32>
  %rows = nn.embedding %c, %looked_up_constants_t
      : tensor<2x3xi64>, tensor<10x8xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %rows : tensor<2x3x8xf32> -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}

// An embedding whose columns are split stays.
// CHECK: nn.param @looked_up_row_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up_row(
// CHECK-SAME: %arg0: tensor<6xi64>) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_row_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg0, %[[V0]] : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6x2x4xf32>
nn.param @looked_up_row_t : tensor<10x8xf32> init normal
func.func @looked_up_row(%ids: tensor<6xi64>) -> tensor<6x2x4xf32> {
  %looked_up_row_t = nn.read @looked_up_row_t : tensor<10x8xf32>
  %rows = nn.embedding %ids, %looked_up_row_t
      : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
  %r = nn.reshape %rows : tensor<6x8xf32> -> tensor<6x2x4xf32>
  return %r : tensor<6x2x4xf32>
}

// CHECK: nn.param @looked_up_used_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up_used(
// CHECK-SAME: %arg0: tensor<6xi64>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_used_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg0, %[[V0]] : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<2x3x8xf32>, tensor<6x8xf32>
nn.param @looked_up_used_t : tensor<10x8xf32> init normal
func.func @looked_up_used(%ids: tensor<6xi64>)
    -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  %looked_up_used_t = nn.read @looked_up_used_t : tensor<10x8xf32>
  %rows = nn.embedding %ids, %looked_up_used_t
      : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
  %r = nn.reshape %rows : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r, %rows : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// CHECK: nn.param @looked_up_numbers_t : tensor<10x1xf32> init normal
// CHECK-LABEL: func.func @looked_up_numbers(
// CHECK-SAME: %arg0: tensor<6xi64>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_numbers_t : tensor<10x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg0, %[[V0]] : tensor<6xi64>, tensor<10x1xf32> -> tensor<6x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<6x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3xf32>
nn.param @looked_up_numbers_t : tensor<10xf32> init normal
func.func @looked_up_numbers(%ids: tensor<6xi64>) -> tensor<2x3xf32> {
  %looked_up_numbers_t = nn.read @looked_up_numbers_t : tensor<10xf32>
  %r = nn.reshape %looked_up_numbers_t : tensor<10xf32> -> tensor<10x1xf32>
  %rows = nn.embedding %ids, %r
      : tensor<6xi64>, tensor<10x1xf32> -> tensor<6x1xf32>
  %r1 = nn.reshape %rows : tensor<6x1xf32> -> tensor<2x3xf32>
  return %r1 : tensor<2x3xf32>
}

// The padding row is preserved.
// CHECK: nn.param @looked_up_padding_t : tensor<10x8xf32> init normal
// CHECK-LABEL: func.func @looked_up_padding(
// CHECK-SAME: %arg0: tensor<6xi64>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @looked_up_padding_t : tensor<10x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg0 : tensor<6xi64> -> tensor<2x3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V1]], %[[V0]] {nn.padding_row = 3 : i64} : tensor<2x3xi64>, tensor<10x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x8xf32>
nn.param @looked_up_padding_t : tensor<10x8xf32> init normal
func.func @looked_up_padding(%ids: tensor<6xi64>) -> tensor<2x3x8xf32> {
  %looked_up_padding_t = nn.read @looked_up_padding_t : tensor<10x8xf32>
  %rows = nn.embedding %ids, %looked_up_padding_t {nn.padding_row = 3 : i64}
      : tensor<6xi64>, tensor<10x8xf32> -> tensor<6x8xf32>
  %r = nn.reshape %rows : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %r : tensor<2x3x8xf32>
}

// Rows of a computed table are split before the transpose of the table,
// CHECK-LABEL: func.func @row_of_computed_table(
// CHECK-SAME: %arg0: tensor<8x5x6xf32>, %arg1: tensor<5x5xi64>) -> tensor<5x5x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [2, 3, 0, 1] : tensor<2x4x5x6xf32> -> tensor<5x6x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<5x6x2x4xf32> -> tensor<30x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.embedding %arg1, %[[V2]] : tensor<5x5xi64>, tensor<30x2x4xf32> -> tensor<5x5x2x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<5x5x2x4xf32>
func.func @row_of_computed_table(%x: tensor<8x5x6xf32>,
                                 %ids: tensor<5x5xi64>)
    -> tensor<5x5x2x4xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
  %r = nn.reshape %t : tensor<5x6x8xf32> -> tensor<30x8xf32>
  %rows = nn.embedding %ids, %r
      : tensor<5x5xi64>, tensor<30x8xf32> -> tensor<5x5x8xf32>
  %r1 = nn.reshape %rows : tensor<5x5x8xf32> -> tensor<5x5x2x4xf32>
  return %r1 : tensor<5x5x2x4xf32>
}

// if there is one,
// CHECK-LABEL: func.func @row_not_moved(
// CHECK-SAME: %arg0: tensor<8x5x6xf32>, %arg1: tensor<5x5xi64>, %arg2: tensor<5x6x8xf32>) -> tensor<5x5x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg2 : tensor<5x6x8xf32> -> tensor<30x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<5x5xi64>, tensor<30x8xf32> -> tensor<5x5x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<5x5x8xf32> -> tensor<5x5x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<5x5x2x4xf32>
func.func @row_not_moved(%x: tensor<8x5x6xf32>,
                         %ids: tensor<5x5xi64>,
                         %t: tensor<5x6x8xf32>)
    -> tensor<5x5x2x4xf32> {
  %r = nn.reshape %t : tensor<5x6x8xf32> -> tensor<30x8xf32>
  %rows = nn.embedding %ids, %r
      : tensor<5x5xi64>, tensor<30x8xf32> -> tensor<5x5x8xf32>
  %r1 = nn.reshape %rows : tensor<5x5x8xf32> -> tensor<5x5x2x4xf32>
  return %r1 : tensor<5x5x2x4xf32>
}

// if only the rows are split,
// CHECK-LABEL: func.func @row_and_ids(
// CHECK-SAME: %arg0: tensor<8x5x6xf32>, %arg1: tensor<25xi64>) -> tensor<5x5x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<5x6x8xf32> -> tensor<30x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg1 : tensor<25xi64> -> tensor<5x5xi64>
// CHECK-NEXT: %[[V3:.*]] = nn.embedding %[[V2]], %[[V1]] : tensor<5x5xi64>, tensor<30x8xf32> -> tensor<5x5x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<5x5x8xf32>
func.func @row_and_ids(%x: tensor<8x5x6xf32>,
                       %ids: tensor<25xi64>)
    -> tensor<5x5x8xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
  %r = nn.reshape %t : tensor<5x6x8xf32> -> tensor<30x8xf32>
  %rows = nn.embedding %ids, %r
      : tensor<25xi64>, tensor<30x8xf32> -> tensor<25x8xf32>
  %r1 = nn.reshape %rows : tensor<25x8xf32> -> tensor<5x5x8xf32>
  return %r1 : tensor<5x5x8xf32>
}

// not together with the ids,
// CHECK-LABEL: func.func @ids_and_row(
// CHECK-SAME: %arg0: tensor<8x5x6xf32>, %arg1: tensor<25xi64>) -> tensor<5x5x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<5x6x8xf32> -> tensor<30x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %arg1, %[[V1]] : tensor<25xi64>, tensor<30x8xf32> -> tensor<25x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<25x8xf32> -> tensor<5x5x2x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<5x5x2x4xf32>
func.func @ids_and_row(%x: tensor<8x5x6xf32>,
                       %ids: tensor<25xi64>)
    -> tensor<5x5x2x4xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
  %r = nn.reshape %t : tensor<5x6x8xf32> -> tensor<30x8xf32>
  %rows = nn.embedding %ids, %r
      : tensor<25xi64>, tensor<30x8xf32> -> tensor<25x8xf32>
  %r1 = nn.reshape %rows : tensor<25x8xf32> -> tensor<5x5x2x4xf32>
  return %r1 : tensor<5x5x2x4xf32>
}

// and if the row is a single dim of the transpose.
// CHECK-LABEL: func.func @row_of_parts(
// CHECK-SAME: %arg0: tensor<8x5x6xf32>, %arg1: tensor<5x5xi64>) -> tensor<5x5x6x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0, 2] : tensor<8x5x6xf32> -> tensor<5x8x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<5x8x6xf32> -> tensor<5x48xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %arg1, %[[V1]] : tensor<5x5xi64>, tensor<5x48xf32> -> tensor<5x5x48xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<5x5x48xf32> -> tensor<5x5x6x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<5x5x6x8xf32>
func.func @row_of_parts(%x: tensor<8x5x6xf32>,
                        %ids: tensor<5x5xi64>)
    -> tensor<5x5x6x8xf32> {
  %t = nn.transpose %x [1, 0, 2] : tensor<8x5x6xf32> -> tensor<5x8x6xf32>
  %r = nn.reshape %t : tensor<5x8x6xf32> -> tensor<5x48xf32>
  %rows = nn.embedding %ids, %r
      : tensor<5x5xi64>, tensor<5x48xf32> -> tensor<5x5x48xf32>
  %r1 = nn.reshape %rows : tensor<5x5x48xf32> -> tensor<5x5x6x8xf32>
  return %r1 : tensor<5x5x6x8xf32>
}
