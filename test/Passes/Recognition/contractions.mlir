// Normal form of contractions: transposes and scales move out of their
// operands, and labels get the usual names.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// Transposes of operands and of the result are in the labels,
// CHECK-LABEL: func.func @transposed_lhs(
// CHECK-SAME: %arg0: tensor<4x2x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "kbs,kn->bsn" %arg0, %arg1 : tensor<4x2x3xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x5xf32>
func.func @transposed_lhs(%x: tensor<4x2x3xf32>,
                          %y: tensor<4x5xf32>)
    -> tensor<2x3x5xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %p = nn.contract "bsk,kn->bsn" %t, %y
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @transposed_rhs(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>, %arg1: tensor<5x6x4xf32>) -> tensor<2x3x5x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "bsk,hdk->bshd" %arg0, %arg1 : tensor<2x3x4xf32>, tensor<5x6x4xf32> -> tensor<2x3x5x6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x5x6xf32>
func.func @transposed_rhs(%x: tensor<2x3x4xf32>,
                          %y: tensor<5x6x4xf32>)
    -> tensor<2x3x5x6xf32> {
  %t = nn.transpose %y [2, 0, 1] : tensor<5x6x4xf32> -> tensor<4x5x6xf32>
  %p = nn.contract "bsk,khd->bshd" %x, %t
      : tensor<2x3x4xf32>, tensor<4x5x6xf32> -> tensor<2x3x5x6xf32>
  return %p : tensor<2x3x5x6xf32>
}

// CHECK-LABEL: func.func @transposed_both(
// CHECK-SAME: %arg0: tensor<4x2xf32>, %arg1: tensor<5x4xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "ks,nk->sn" %arg0, %arg1 : tensor<4x2xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x5xf32>
func.func @transposed_both(%x: tensor<4x2xf32>,
                           %y: tensor<5x4xf32>)
    -> tensor<2x5xf32> {
  %t = nn.transpose %x [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %t1 = nn.transpose %y [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>
  %p = nn.contract "sk,kn->sn" %t, %t1
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @transposed_result(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<5x2x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "bsk,kn->nbs" %arg0, %arg1 : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<5x2x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<5x2x3xf32>
func.func @transposed_result(%x: tensor<2x3x4xf32>,
                             %y: tensor<4x5xf32>)
    -> tensor<5x2x3xf32> {
  %p = nn.contract "bsk,kn->bsn" %x, %y
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  %t = nn.transpose %p [2, 0, 1] : tensor<2x3x5xf32> -> tensor<5x2x3xf32>
  return %t : tensor<5x2x3xf32>
}

// unless something else reads it.
// CHECK-LABEL: func.func @transposed_result_used(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> (tensor<5x2xf32>, tensor<2x5xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.contract "sk,kn->sn" %arg0, %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [1, 0] : tensor<2x5xf32> -> tensor<5x2xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<5x2xf32>, tensor<2x5xf32>
func.func @transposed_result_used(%x: tensor<2x4xf32>,
                                  %y: tensor<4x5xf32>)
    -> (tensor<5x2xf32>, tensor<2x5xf32>) {
  %p = nn.contract "sk,kn->sn" %x, %y
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  %t = nn.transpose %p [1, 0] : tensor<2x5xf32> -> tensor<5x2xf32>
  return %t, %p : tensor<5x2xf32>, tensor<2x5xf32>
}

// Two transposes become one.
// CHECK-LABEL: func.func @transposed_twice(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3x2x4xf32>
func.func @transposed_twice(%x: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %t1 = nn.transpose %t [0, 2, 1] : tensor<3x4x2xf32> -> tensor<3x2x4xf32>
  return %t1 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func.func @transposed_back(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x2x3xf32>
func.func @transposed_back(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %t = nn.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %t1 = nn.transpose %t [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  return %t1 : tensor<4x2x3xf32>
}

// A scale moves after its op,
// CHECK-LABEL: func.func @scaled_lhs(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "sk,kn->sn" %arg0, %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.scale %[[V0]] by 5.000000e-01 : tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5xf32>
func.func @scaled_lhs(%x: tensor<2x4xf32>,
                      %y: tensor<4x5xf32>)
    -> tensor<2x5xf32> {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %p = nn.contract "sk,kn->sn" %scaled, %y
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @scaled_rhs(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "sk,kn->sn" %arg0, %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.scale %[[V0]] by 5.000000e-01 : tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5xf32>
func.func @scaled_rhs(%x: tensor<2x4xf32>,
                      %y: tensor<4x5xf32>)
    -> tensor<2x5xf32> {
  %scaled = nn.scale %y by 0.5 : tensor<4x5xf32>
  %p = nn.contract "sk,kn->sn" %x, %scaled
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// and scales are merged.
// CHECK-LABEL: func.func @scaled_both(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "sk,kn->sn" %arg0, %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.scale %[[V0]] by 1.250000e-01 : tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5xf32>
func.func @scaled_both(%x: tensor<2x4xf32>,
                       %y: tensor<4x5xf32>)
    -> tensor<2x5xf32> {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %scaled1 = nn.scale %y by 0.25 : tensor<4x5xf32>
  %p = nn.contract "sk,kn->sn" %scaled, %scaled1
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// The scaled operand has other users, too.
// CHECK-LABEL: func.func @scaled_used(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> (tensor<2x5xf32>, tensor<2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.scale %arg0 by 5.000000e-01 : tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "sk,kn->sn" %[[V0]], %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x5xf32>, tensor<2x4xf32>
func.func @scaled_used(%x: tensor<2x4xf32>,
                       %y: tensor<4x5xf32>)
    -> (tensor<2x5xf32>, tensor<2x4xf32>) {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %p = nn.contract "sk,kn->sn" %scaled, %y
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p, %scaled : tensor<2x5xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @scaled_transpose(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.scale %[[V0]] by 5.000000e-01 : tensor<4x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x2xf32>
func.func @scaled_transpose(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %t = nn.transpose %scaled [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  return %t : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @scaled_transpose_used(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.scale %arg0 by 5.000000e-01 : tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<4x2xf32>, tensor<2x4xf32>
func.func @scaled_transpose_used(%x: tensor<2x4xf32>)
    -> (tensor<4x2xf32>, tensor<2x4xf32>) {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %t = nn.transpose %scaled [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  return %t, %scaled : tensor<4x2xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @scaled_twice(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.scale %arg0 by 1.500000e+00 : tensor<2x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4xf32>
func.func @scaled_twice(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %scaled1 = nn.scale %scaled by 3.0 : tensor<2x4xf32>
  return %scaled1 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @scaled_twice_used(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.scale %arg0 by 5.000000e-01 : tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.scale %[[V0]] by 3.000000e+00 : tensor<2x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2x4xf32>, tensor<2x4xf32>
func.func @scaled_twice_used(%x: tensor<2x4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %scaled = nn.scale %x by 0.5 : tensor<2x4xf32>
  %scaled1 = nn.scale %scaled by 3.0 : tensor<2x4xf32>
  return %scaled1, %scaled : tensor<2x4xf32>, tensor<2x4xf32>
}

// Sums of sums without other uses are one sum.
// CHECK-LABEL: func.func @sum_of_sums(
// CHECK-SAME: %arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.sum %arg0, %arg1, %arg2, %arg3 : tensor<2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2xf32>
func.func @sum_of_sums(%a: tensor<2xf32>,
                       %b: tensor<2xf32>,
                       %c: tensor<2xf32>,
                       %d: tensor<2xf32>)
    -> tensor<2xf32> {
  %sum = nn.sum %a, %b : tensor<2xf32>
  %sum1 = nn.sum %c, %d : tensor<2xf32>
  %sum2 = nn.sum %sum, %sum1 : tensor<2xf32>
  return %sum2 : tensor<2xf32>
}

// CHECK-LABEL: func.func @sum_of_used_sum(
// CHECK-SAME: %arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.sum %arg0, %arg1 : tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.sum %[[V0]], %arg2 : tensor<2xf32>
// CHECK-NEXT: return %[[V1]], %[[V0]] : tensor<2xf32>, tensor<2xf32>
func.func @sum_of_used_sum(%a: tensor<2xf32>,
                           %b: tensor<2xf32>,
                           %c: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  %sum = nn.sum %a, %b : tensor<2xf32>
  %sum1 = nn.sum %sum, %c : tensor<2xf32>
  return %sum1, %sum : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @sum_of_sum_behind(
// CHECK-SAME: %arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.sum %arg2, %arg0, %arg1 : tensor<2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2xf32>
func.func @sum_of_sum_behind(%a: tensor<2xf32>,
                             %b: tensor<2xf32>,
                             %c: tensor<2xf32>)
    -> tensor<2xf32> {
  %sum = nn.sum %a, %b : tensor<2xf32>
  %sum1 = nn.sum %c, %sum : tensor<2xf32>
  return %sum1 : tensor<2xf32>
}

// A contraction with a parameter gets the usual labels: m for rows, k for the
// summed dim, n for columns,
// CHECK: nn.param @rows_w : tensor<4x5xf32> init normal
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @rows_w : tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V0]] : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5xf32>
nn.param @rows_w : tensor<4x5xf32> init normal
func.func @rows(%x: tensor<2x4xf32>) -> tensor<2x5xf32> {
  %rows_w = nn.read @rows_w : tensor<4x5xf32>
  %p = nn.contract "xy,yz->xz" %x, %rows_w
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// b for batch, s for sequence, h for heads, d for their elements,
// CHECK: nn.param @batch_and_seq_w : tensor<4x2x5xf32> init normal
// CHECK-LABEL: func.func @batch_and_seq(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>) -> tensor<2x3x2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @batch_and_seq_w : tensor<4x2x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<2x3x4xf32>, tensor<4x2x5xf32> -> tensor<2x3x2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x2x5xf32>
nn.param @batch_and_seq_w : tensor<4x2x5xf32> init normal
func.func @batch_and_seq(%x: tensor<2x3x4xf32>) -> tensor<2x3x2x5xf32> {
  %batch_and_seq_w = nn.read @batch_and_seq_w : tensor<4x2x5xf32>
  %p = nn.contract "xyz,zvw->xyvw" %x, %batch_and_seq_w
      : tensor<2x3x4xf32>, tensor<4x2x5xf32> -> tensor<2x3x2x5xf32>
  return %p : tensor<2x3x2x5xf32>
}

// and t and p as the third ones.
// CHECK: nn.param @three_rows_w : tensor<4x2x5x6xf32> init normal
// CHECK-LABEL: func.func @three_rows(
// CHECK-SAME: %arg0: tensor<2x3x3x4xf32>) -> tensor<2x3x3x2x5x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @three_rows_w : tensor<4x2x5x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bstk,kphd->bstphd" %arg0, %[[V0]] : tensor<2x3x3x4xf32>, tensor<4x2x5x6xf32> -> tensor<2x3x3x2x5x6xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x3x2x5x6xf32>
nn.param @three_rows_w : tensor<4x2x5x6xf32> init normal
func.func @three_rows(%x: tensor<2x3x3x4xf32>) -> tensor<2x3x3x2x5x6xf32> {
  %three_rows_w = nn.read @three_rows_w : tensor<4x2x5x6xf32>
  %p = nn.contract "wxyz,zuvq->wxyuvq" %x, %three_rows_w
      : tensor<2x3x3x4xf32>, tensor<4x2x5x6xf32> -> tensor<2x3x3x2x5x6xf32>
  return %p : tensor<2x3x3x2x5x6xf32>
}

// CHECK: nn.param @two_summed_w : tensor<3x4x5xf32> init normal
// CHECK-LABEL: func.func @two_summed(
// CHECK-SAME: %arg0: tensor<2x3x3x4xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @two_summed_w : tensor<3x4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bskl,kln->bsn" %arg0, %[[V0]] : tensor<2x3x3x4xf32>, tensor<3x4x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x5xf32>
nn.param @two_summed_w : tensor<3x4x5xf32> init normal
func.func @two_summed(%x: tensor<2x3x3x4xf32>) -> tensor<2x3x5xf32> {
  %two_summed_w = nn.read @two_summed_w : tensor<3x4x5xf32>
  %p = nn.contract "wxyz,yzu->wxu" %x, %two_summed_w
      : tensor<2x3x3x4xf32>, tensor<3x4x5xf32> -> tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// A vector has them, too.
// CHECK: nn.param @vector_w : tensor<4xf32> init normal
// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @vector_w : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,k->m" %arg0, %[[V0]] : tensor<2x4xf32>, tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2xf32>
nn.param @vector_w : tensor<4xf32> init normal
func.func @vector(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %vector_w = nn.read @vector_w : tensor<4xf32>
  %p = nn.contract "xy,y->x" %x, %vector_w
      : tensor<2x4xf32>, tensor<4xf32> -> tensor<2xf32>
  return %p : tensor<2xf32>
}

// CHECK: nn.param @transposed_weight_w : tensor<5x4xf32> init normal
// CHECK-LABEL: func.func @transposed_weight(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @transposed_weight_w : tensor<5x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,nk->mn" %arg0, %[[V0]] : tensor<2x4xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5xf32>
nn.param @transposed_weight_w : tensor<5x4xf32> init normal
func.func @transposed_weight(%x: tensor<2x4xf32>) -> tensor<2x5xf32> {
  %transposed_weight_w = nn.read @transposed_weight_w : tensor<5x4xf32>
  %p = nn.contract "xz,yz->xy" %x, %transposed_weight_w
      : tensor<2x4xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// CHECK: nn.param @columns_in_front_w : tensor<4x5xf32> init normal
// CHECK-LABEL: func.func @columns_in_front(
// CHECK-SAME: %arg0: tensor<2x4xf32>) -> tensor<5x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @columns_in_front_w : tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,kn->nm" %arg0, %[[V0]] : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<5x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<5x2xf32>
nn.param @columns_in_front_w : tensor<4x5xf32> init normal
func.func @columns_in_front(%x: tensor<2x4xf32>) -> tensor<5x2xf32> {
  %columns_in_front_w = nn.read @columns_in_front_w : tensor<4x5xf32>
  %p = nn.contract "xz,zy->yx" %x, %columns_in_front_w
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<5x2xf32>
  return %p : tensor<5x2xf32>
}

// Labels do not change if a label is in all three tensors,
// CHECK: nn.param @shared_label_w : tensor<2x4x5xf32> init normal
// CHECK-LABEL: func.func @shared_label(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @shared_label_w : tensor<2x4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "gxk,gkn->gxn" %arg0, %[[V0]] : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x5xf32>
nn.param @shared_label_w : tensor<2x4x5xf32> init normal
func.func @shared_label(%x: tensor<2x3x4xf32>) -> tensor<2x3x5xf32> {
  %shared_label_w = nn.read @shared_label_w : tensor<2x4x5xf32>
  %p = nn.contract "gxk,gkn->gxn" %x, %shared_label_w
      : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// or if there are more labels than names.
// CHECK: nn.param @four_rows_w : tensor<4x5xf32> init normal
// CHECK-LABEL: func.func @four_rows(
// CHECK-SAME: %arg0: tensor<2x2x3x3x4xf32>) -> tensor<2x2x3x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @four_rows_w : tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "uwxyz,zv->uwxyv" %arg0, %[[V0]] : tensor<2x2x3x3x4xf32>, tensor<4x5xf32> -> tensor<2x2x3x3x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x2x3x3x5xf32>
nn.param @four_rows_w : tensor<4x5xf32> init normal
func.func @four_rows(%x: tensor<2x2x3x3x4xf32>) -> tensor<2x2x3x3x5xf32> {
  %four_rows_w = nn.read @four_rows_w : tensor<4x5xf32>
  %p = nn.contract "uwxyz,zv->uwxyv" %x, %four_rows_w
      : tensor<2x2x3x3x4xf32>, tensor<4x5xf32> -> tensor<2x2x3x3x5xf32>
  return %p : tensor<2x2x3x3x5xf32>
}

// CHECK: nn.param @four_columns_w : tensor<4x2x2x2x2xf32> init normal
// CHECK-LABEL: func.func @four_columns(
// CHECK-SAME: %arg0: tensor<3x4xf32>) -> tensor<3x2x2x2x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @four_columns_w : tensor<4x2x2x2x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "xz,zabce->xabce" %arg0, %[[V0]] : tensor<3x4xf32>, tensor<4x2x2x2x2xf32> -> tensor<3x2x2x2x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x2x2x2x2xf32>
nn.param @four_columns_w : tensor<4x2x2x2x2xf32> init normal
func.func @four_columns(%x: tensor<3x4xf32>) -> tensor<3x2x2x2x2xf32> {
  %four_columns_w = nn.read @four_columns_w : tensor<4x2x2x2x2xf32>
  %p = nn.contract "xz,zabce->xabce" %x, %four_columns_w
      : tensor<3x4xf32>, tensor<4x2x2x2x2xf32> -> tensor<3x2x2x2x2xf32>
  return %p : tensor<3x2x2x2x2xf32>
}

// CHECK: nn.param @three_summed_w : tensor<2x2x4x5xf32> init normal
// CHECK-LABEL: func.func @three_summed(
// CHECK-SAME: %arg0: tensor<3x2x2x4xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @three_summed_w : tensor<2x2x4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "xabz,abzy->xy" %arg0, %[[V0]] : tensor<3x2x2x4xf32>, tensor<2x2x4x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x5xf32>
nn.param @three_summed_w : tensor<2x2x4x5xf32> init normal
func.func @three_summed(%x: tensor<3x2x2x4xf32>) -> tensor<3x5xf32> {
  %three_summed_w = nn.read @three_summed_w : tensor<2x2x4x5xf32>
  %p = nn.contract "xabz,abzy->xy" %x, %three_summed_w
      : tensor<3x2x2x4xf32>, tensor<2x2x4x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// They do not change without a parameter,
// CHECK-LABEL: func.func @no_parameter(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "xy,yz->xz" %arg0, %arg1 : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x5xf32>
func.func @no_parameter(%x: tensor<2x4xf32>,
                        %y: tensor<4x5xf32>)
    -> tensor<2x5xf32> {
  %p = nn.contract "xy,yz->xz" %x, %y
      : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return %p : tensor<2x5xf32>
}

// or if the parameter is the first operand.
// CHECK: nn.param @in_front_w : tensor<5x4xf32> init normal
// CHECK-LABEL: func.func @parameter_in_front(
// CHECK-SAME: %arg0: tensor<4x2xf32>) -> tensor<5x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @in_front_w : tensor<5x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "zy,yx->zx" %[[V0]], %arg0 : tensor<5x4xf32>, tensor<4x2xf32> -> tensor<5x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<5x2xf32>
nn.param @in_front_w : tensor<5x4xf32> init normal
func.func @parameter_in_front(%x: tensor<4x2xf32>) -> tensor<5x2xf32> {
  %in_front_w = nn.read @in_front_w : tensor<5x4xf32>
  %p = nn.contract "zy,yx->zx" %in_front_w, %x
      : tensor<5x4xf32>, tensor<4x2xf32> -> tensor<5x2xf32>
  return %p : tensor<5x2xf32>
}
