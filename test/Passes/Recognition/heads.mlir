// A module per head becomes one attention, a norm per head one norm.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// A module per head: one attention of all heads, whose weights stay separate.
// CHECK: nn.param @two_heads_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @two_heads_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @two_heads_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @two_heads_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @two_heads_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @two_heads_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @two_heads(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @two_heads_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @two_heads_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @two_heads_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @two_heads_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @two_heads_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @two_heads_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @two_heads_q0 : tensor<2x4xf32> init normal
nn.param @two_heads_k0 : tensor<2x4xf32> init normal
nn.param @two_heads_v0 : tensor<2x4xf32> init normal
nn.param @two_heads_q1 : tensor<2x4xf32> init normal
nn.param @two_heads_k1 : tensor<2x4xf32> init normal
nn.param @two_heads_v1 : tensor<2x4xf32> init normal
func.func @two_heads(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %two_heads_q0 = nn.read @two_heads_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %two_heads_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %two_heads_k0 = nn.read @two_heads_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %two_heads_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %two_heads_v0 = nn.read @two_heads_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %two_heads_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %two_heads_q1 = nn.read @two_heads_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %two_heads_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %two_heads_k1 = nn.read @two_heads_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %two_heads_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %two_heads_v1 = nn.read @two_heads_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %two_heads_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK: nn.param @three_heads_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_v1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_q2 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_k2 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @three_heads_v2 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @three_heads(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @three_heads_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @three_heads_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @three_heads_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @three_heads_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @three_heads_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @three_heads_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @three_heads_q2 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.read @three_heads_k2 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.read @three_heads_v2 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.concat %[[V1]], %[[V4]], %[[V7]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V10]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.concat %[[V2]], %[[V5]], %[[V8]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V12]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.concat %[[V3]], %[[V6]], %[[V9]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V14]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V11]], %[[V13]], %[[V15]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x3x2xf32>, tensor<3x5x3x2xf32>, tensor<3x5x3x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x3x2xf32>, tensor<3x5x3xf32>)
// CHECK-NEXT: %[[V16:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x3x2xf32> -> tensor<3x5x6xf32>
// CHECK-NEXT: return %[[V16]] : tensor<3x5x6xf32>
nn.param @three_heads_q0 : tensor<2x4xf32> init normal
nn.param @three_heads_k0 : tensor<2x4xf32> init normal
nn.param @three_heads_v0 : tensor<2x4xf32> init normal
nn.param @three_heads_q1 : tensor<2x4xf32> init normal
nn.param @three_heads_k1 : tensor<2x4xf32> init normal
nn.param @three_heads_v1 : tensor<2x4xf32> init normal
nn.param @three_heads_q2 : tensor<2x4xf32> init normal
nn.param @three_heads_k2 : tensor<2x4xf32> init normal
nn.param @three_heads_v2 : tensor<2x4xf32> init normal
func.func @three_heads(%x: tensor<3x5x4xf32>) -> tensor<3x5x6xf32> {
  %three_heads_q0 = nn.read @three_heads_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %three_heads_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_k0 = nn.read @three_heads_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %three_heads_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_v0 = nn.read @three_heads_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %three_heads_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %three_heads_q1 = nn.read @three_heads_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %three_heads_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_k1 = nn.read @three_heads_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %three_heads_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_v1 = nn.read @three_heads_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %three_heads_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %three_heads_q2 = nn.read @three_heads_q2 : tensor<2x4xf32>
  %p10 = nn.contract "bsk,nk->bsn" %x, %three_heads_q2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_k2 = nn.read @three_heads_k2 : tensor<2x4xf32>
  %p11 = nn.contract "bsk,nk->bsn" %x, %three_heads_k2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %three_heads_v2 = nn.read @three_heads_v2 : tensor<2x4xf32>
  %p12 = nn.contract "bsk,nk->bsn" %x, %three_heads_v2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p13 = nn.contract "bsd,btd->bst" %p10, %p11
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled2 = nn.scale %p13 by 0.5 : tensor<3x5x5xf32>
  %softmax2 = nn.softmax %scaled2 : tensor<3x5x5xf32>
  %p14 = nn.contract "bst,btd->bsd" %softmax2, %p12
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9, %p14 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x6xf32>
  return %j : tensor<3x5x6xf32>
}

// CHECK: nn.param @transposed_keys_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @transposed_keys_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @transposed_keys_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @transposed_keys_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @transposed_keys_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @transposed_keys_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @transposed_keys(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @transposed_keys_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @transposed_keys_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @transposed_keys_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @transposed_keys_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @transposed_keys_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @transposed_keys_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @transposed_keys_q0 : tensor<2x4xf32> init normal
nn.param @transposed_keys_k0 : tensor<2x4xf32> init normal
nn.param @transposed_keys_v0 : tensor<2x4xf32> init normal
nn.param @transposed_keys_q1 : tensor<2x4xf32> init normal
nn.param @transposed_keys_k1 : tensor<2x4xf32> init normal
nn.param @transposed_keys_v1 : tensor<2x4xf32> init normal
func.func @transposed_keys(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %transposed_keys_q0 = nn.read @transposed_keys_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %transposed_keys_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %transposed_keys_k0 = nn.read @transposed_keys_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %transposed_keys_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %transposed_keys_v0 = nn.read @transposed_keys_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %transposed_keys_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %t = nn.transpose %p1 [0, 2, 1] : tensor<3x5x2xf32> -> tensor<3x2x5xf32>
  %p3 = nn.contract "bsd,bdt->bst" %p, %t
      : tensor<3x5x2xf32>, tensor<3x2x5xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %transposed_keys_q1 = nn.read @transposed_keys_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %transposed_keys_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %transposed_keys_k1 = nn.read @transposed_keys_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %transposed_keys_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %transposed_keys_v1 = nn.read @transposed_keys_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %transposed_keys_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %t1 = nn.transpose %p6 [0, 2, 1] : tensor<3x5x2xf32> -> tensor<3x2x5xf32>
  %p8 = nn.contract "bsd,bdt->bst" %p5, %t1
      : tensor<3x5x2xf32>, tensor<3x2x5xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK: nn.param @scores_transposed_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @scores_transposed_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @scores_transposed_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @scores_transposed_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @scores_transposed_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @scores_transposed_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @scores_transposed(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @scores_transposed_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @scores_transposed_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @scores_transposed_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @scores_transposed_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @scores_transposed_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @scores_transposed_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V10]], %[[V8]], %[[V12]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @scores_transposed_q0 : tensor<2x4xf32> init normal
nn.param @scores_transposed_k0 : tensor<2x4xf32> init normal
nn.param @scores_transposed_v0 : tensor<2x4xf32> init normal
nn.param @scores_transposed_q1 : tensor<2x4xf32> init normal
nn.param @scores_transposed_k1 : tensor<2x4xf32> init normal
nn.param @scores_transposed_v1 : tensor<2x4xf32> init normal
func.func @scores_transposed(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %scores_transposed_q0 = nn.read @scores_transposed_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %scores_transposed_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %scores_transposed_k0 = nn.read @scores_transposed_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %scores_transposed_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %scores_transposed_v0 = nn.read @scores_transposed_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %scores_transposed_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %p4 = nn.contract "btd,bsd->bts" %p1, %p
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %t = nn.transpose %p4 [0, 2, 1] : tensor<3x5x5xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %t by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p5 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %scores_transposed_q1 = nn.read @scores_transposed_q1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %scores_transposed_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %scores_transposed_k1 = nn.read @scores_transposed_k1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %scores_transposed_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %scores_transposed_v1 = nn.read @scores_transposed_v1 : tensor<2x4xf32>
  %p8 = nn.contract "bsk,nk->bsn" %x, %scores_transposed_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p9 = nn.contract "bsd,btd->bst" %p6, %p7
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %p10 = nn.contract "btd,bsd->bts" %p7, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %t1 = nn.transpose %p10 [0, 2, 1] : tensor<3x5x5xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %t1 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p11 = nn.contract "bst,btd->bsd" %softmax1, %p8
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p5, %p11 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK: nn.param @values_first_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @values_first_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @values_first_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @values_first_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @values_first_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @values_first_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @values_first(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @values_first_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @values_first_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @values_first_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @values_first_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @values_first_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @values_first_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V10]], %[[V12]], %[[V8]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @values_first_q0 : tensor<2x4xf32> init normal
nn.param @values_first_k0 : tensor<2x4xf32> init normal
nn.param @values_first_v0 : tensor<2x4xf32> init normal
nn.param @values_first_q1 : tensor<2x4xf32> init normal
nn.param @values_first_k1 : tensor<2x4xf32> init normal
nn.param @values_first_v1 : tensor<2x4xf32> init normal
func.func @values_first(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %values_first_q0 = nn.read @values_first_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %values_first_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %values_first_k0 = nn.read @values_first_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %values_first_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %values_first_v0 = nn.read @values_first_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %values_first_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "btd,bst->bsd" %p2, %softmax
      : tensor<3x5x2xf32>, tensor<3x5x5xf32> -> tensor<3x5x2xf32>
  %values_first_q1 = nn.read @values_first_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %values_first_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %values_first_k1 = nn.read @values_first_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %values_first_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %values_first_v1 = nn.read @values_first_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %values_first_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "btd,bst->bsd" %p7, %softmax1
      : tensor<3x5x2xf32>, tensor<3x5x5xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// Values that all heads share are used once: a mask,
// CHECK: nn.param @masked_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @masked_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @masked_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @masked_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @masked_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @masked_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>, %arg1: tensor<5x5xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @masked_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @masked_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @masked_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @masked_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @masked_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @masked_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %arg1 : tensor<5x5xf32> -> tensor<1x1x5x5xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] bias %[[V13]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>, tensor<1x1x5x5xf32>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V14:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V14]] : tensor<3x5x4xf32>
nn.param @masked_q0 : tensor<2x4xf32> init normal
nn.param @masked_k0 : tensor<2x4xf32> init normal
nn.param @masked_v0 : tensor<2x4xf32> init normal
nn.param @masked_q1 : tensor<2x4xf32> init normal
nn.param @masked_k1 : tensor<2x4xf32> init normal
nn.param @masked_v1 : tensor<2x4xf32> init normal
func.func @masked(%x: tensor<3x5x4xf32>,
                  %mask: tensor<5x5xf32>)
    -> tensor<3x5x4xf32> {
  %b = nn.broadcast %mask [1, 2] : tensor<5x5xf32> -> tensor<3x5x5xf32>
  %masked_q0 = nn.read @masked_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %masked_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %masked_k0 = nn.read @masked_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %masked_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %masked_v0 = nn.read @masked_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %masked_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %sum = nn.sum %scaled, %b : tensor<3x5x5xf32>
  %softmax = nn.softmax %sum : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %masked_q1 = nn.read @masked_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %masked_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %masked_k1 = nn.read @masked_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %masked_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %masked_v1 = nn.read @masked_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %masked_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %sum1 = nn.sum %scaled1, %b : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %sum1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// queries,
// CHECK: nn.param @common_queries_q : tensor<2x4xf32> init normal
// CHECK: nn.param @common_queries_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_queries_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_queries_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_queries_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @common_queries(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @common_queries_q : tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,nk->bsn" %arg0, %[[V0]] : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @common_queries_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @common_queries_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @common_queries_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @common_queries_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.concat %[[V2]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V6]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsd,batd->bast" %[[V1]], %[[V7]] : tensor<3x5x2xf32>, tensor<3x2x5x2xf32> -> tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.scale %[[V8]] by 5.000000e-01 : tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.softmax %[[V9]] : tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.contract "bast,batd->bsad" %[[V10]], %[[V12]] : tensor<3x2x5x5xf32>, tensor<3x2x5x2xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reshape %[[V13]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V14]] : tensor<3x5x4xf32>
nn.param @common_queries_q : tensor<2x4xf32> init normal
nn.param @common_queries_k0 : tensor<2x4xf32> init normal
nn.param @common_queries_v0 : tensor<2x4xf32> init normal
nn.param @common_queries_k1 : tensor<2x4xf32> init normal
nn.param @common_queries_v1 : tensor<2x4xf32> init normal
func.func @common_queries(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %common_queries_q = nn.read @common_queries_q : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %common_queries_q
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %common_queries_k0 = nn.read @common_queries_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %common_queries_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %common_queries_v0 = nn.read @common_queries_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %common_queries_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %common_queries_k1 = nn.read @common_queries_k1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %common_queries_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %common_queries_v1 = nn.read @common_queries_v1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %common_queries_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p7 = nn.contract "bsd,btd->bst" %p, %p5
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p7 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p8 = nn.contract "bst,btd->bsd" %softmax1, %p6
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p8 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// or values.
// CHECK: nn.param @common_values_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_values_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_values_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @common_values_k1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @common_values(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @common_values_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @common_values_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @common_values_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @common_values_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.concat %[[V0]], %[[V2]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V4]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.concat %[[V1]], %[[V3]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V6]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "basd,batd->bast" %[[V5]], %[[V7]] : tensor<3x2x5x2xf32>, tensor<3x2x5x2xf32> -> tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.scale %[[V8]] by 5.000000e-01 : tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.softmax %[[V9]] : tensor<3x2x5x5xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.contract "bast,btd->bsad" %[[V10]], %arg0 : tensor<3x2x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<3x5x2x4xf32> -> tensor<3x5x8xf32>
// CHECK-NEXT: return %[[V12]] : tensor<3x5x8xf32>
nn.param @common_values_q0 : tensor<2x4xf32> init normal
nn.param @common_values_k0 : tensor<2x4xf32> init normal
nn.param @common_values_q1 : tensor<2x4xf32> init normal
nn.param @common_values_k1 : tensor<2x4xf32> init normal
func.func @common_values(%x: tensor<3x5x4xf32>) -> tensor<3x5x8xf32> {
  %common_values_q0 = nn.read @common_values_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %common_values_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %common_values_k0 = nn.read @common_values_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %common_values_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p2 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p2 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p3 = nn.contract "bst,btd->bsd" %softmax, %x
      : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
  %common_values_q1 = nn.read @common_values_q1 : tensor<2x4xf32>
  %p4 = nn.contract "bsk,nk->bsn" %x, %common_values_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %common_values_k1 = nn.read @common_values_k1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %common_values_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p6 = nn.contract "bsd,btd->bst" %p4, %p5
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p6 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p7 = nn.contract "bst,btd->bsd" %softmax1, %x
      : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
  %j = nn.concat %p3, %p7 along 2
      : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x8xf32>
  return %j : tensor<3x5x8xf32>
}

// Each head has a bias.
// CHECK: nn.param @biased_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @biased_b0 : tensor<1x2xf32> init normal
// CHECK: nn.param @biased_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @biased_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @biased_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @biased_b1 : tensor<1x2xf32> init normal
// CHECK: nn.param @biased_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @biased_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @biased(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @biased_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @biased_b0 : tensor<1x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @biased_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @biased_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @biased_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @biased_b1 : tensor<1x2xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @biased_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.read @biased_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V1]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V2]], %[[V6]] along 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V11]] [1, 3] : tensor<2x2xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.sum %[[V10]], %[[V12]] : tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.concat %[[V3]], %[[V7]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V14]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.concat %[[V4]], %[[V8]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V16]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.transpose %[[V13]] [0, 2, 1, 3] : tensor<3x2x5x2xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V18]], %[[V15]], %[[V17]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V19:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V19]] : tensor<3x5x4xf32>
nn.param @biased_q0 : tensor<2x4xf32> init normal
nn.param @biased_b0 : tensor<2xf32> init normal
nn.param @biased_k0 : tensor<2x4xf32> init normal
nn.param @biased_v0 : tensor<2x4xf32> init normal
nn.param @biased_q1 : tensor<2x4xf32> init normal
nn.param @biased_b1 : tensor<2xf32> init normal
nn.param @biased_k1 : tensor<2x4xf32> init normal
nn.param @biased_v1 : tensor<2x4xf32> init normal
func.func @biased(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %biased_q0 = nn.read @biased_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %biased_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %biased_b0 = nn.read @biased_b0 : tensor<2xf32>
  %b = nn.broadcast %biased_b0 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %sum = nn.sum %p, %b : tensor<3x5x2xf32>
  %biased_k0 = nn.read @biased_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %biased_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %biased_v0 = nn.read @biased_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %biased_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %sum, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %biased_q1 = nn.read @biased_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %biased_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %biased_b1 = nn.read @biased_b1 : tensor<2xf32>
  %b1 = nn.broadcast %biased_b1 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %sum1 = nn.sum %p5, %b1 : tensor<3x5x2xf32>
  %biased_k1 = nn.read @biased_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %biased_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %biased_v1 = nn.read @biased_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %biased_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %sum1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// Elementwise ops.
// CHECK: nn.param @activated_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @activated_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @activated_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @activated_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @activated_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @activated_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @activated(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @activated_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @activated_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @activated_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @activated_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @activated_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @activated_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.relu %[[V8]] : tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V10]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V12]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.transpose %[[V9]] [0, 2, 1, 3] : tensor<3x2x5x2xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V14]], %[[V11]], %[[V13]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V15:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V15]] : tensor<3x5x4xf32>
nn.param @activated_q0 : tensor<2x4xf32> init normal
nn.param @activated_k0 : tensor<2x4xf32> init normal
nn.param @activated_v0 : tensor<2x4xf32> init normal
nn.param @activated_q1 : tensor<2x4xf32> init normal
nn.param @activated_k1 : tensor<2x4xf32> init normal
nn.param @activated_v1 : tensor<2x4xf32> init normal
func.func @activated(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %activated_q0 = nn.read @activated_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %activated_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %relu = nn.relu %p : tensor<3x5x2xf32>
  %activated_k0 = nn.read @activated_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %activated_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %activated_v0 = nn.read @activated_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %activated_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %relu, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %activated_q1 = nn.read @activated_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %activated_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %relu1 = nn.relu %p5 : tensor<3x5x2xf32>
  %activated_k1 = nn.read @activated_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %activated_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %activated_v1 = nn.read @activated_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %activated_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %relu1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// Each head has its own dropout.
// CHECK: nn.param @dropped_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @dropped_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @dropped_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @dropped_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @dropped_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @dropped_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @dropped(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>, %arg1: tensor<3xi64>, %arg2: tensor<5xi64> {nn.role = #nn.role<positions>}, %arg3: tensor<i64>, %arg4: tensor<i64>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @dropped_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @dropped_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @dropped_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @dropped_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @dropped_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @dropped_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V2]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] samples %arg1 seed %arg3 step %arg4 scale 5.000000e-01 {id = 1 : i64, p = 1.000000e-01 : f64} : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @dropped_q0 : tensor<2x4xf32> init normal
nn.param @dropped_k0 : tensor<2x4xf32> init normal
nn.param @dropped_v0 : tensor<2x4xf32> init normal
nn.param @dropped_q1 : tensor<2x4xf32> init normal
nn.param @dropped_k1 : tensor<2x4xf32> init normal
nn.param @dropped_v1 : tensor<2x4xf32> init normal
func.func @dropped(%x: tensor<3x5x4xf32>,
                   %samples: tensor<3xi64>,
                   %pos: tensor<5xi64> {nn.role = #nn.role<positions>},
                   %seed: tensor<i64>,
                   %step: tensor<i64>)
    -> tensor<3x5x4xf32> {
  %dropped_q0 = nn.read @dropped_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %dropped_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %dropped_k0 = nn.read @dropped_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %dropped_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %dropped_v0 = nn.read @dropped_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %dropped_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %drop = nn.dropout %softmax samples %samples positions %pos seed %seed step %step
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %p4 = nn.contract "bst,btd->bsd" %drop, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %dropped_q1 = nn.read @dropped_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %dropped_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %dropped_k1 = nn.read @dropped_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %dropped_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %dropped_v1 = nn.read @dropped_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %dropped_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %drop1 = nn.dropout %softmax1 samples %samples positions %pos seed %seed step %step
      {p = 0.1, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %p9 = nn.contract "bst,btd->bsd" %drop1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// Any order of heads.
// CHECK: nn.param @out_of_order_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @out_of_order_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @out_of_order_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @out_of_order_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @out_of_order_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @out_of_order_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @out_of_order(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @out_of_order_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @out_of_order_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @out_of_order_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @out_of_order_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @out_of_order_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @out_of_order_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V4]], %[[V1]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V5]], %[[V2]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V6]], %[[V3]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x4xf32>
nn.param @out_of_order_q0 : tensor<2x4xf32> init normal
nn.param @out_of_order_k0 : tensor<2x4xf32> init normal
nn.param @out_of_order_v0 : tensor<2x4xf32> init normal
nn.param @out_of_order_q1 : tensor<2x4xf32> init normal
nn.param @out_of_order_k1 : tensor<2x4xf32> init normal
nn.param @out_of_order_v1 : tensor<2x4xf32> init normal
func.func @out_of_order(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %out_of_order_q0 = nn.read @out_of_order_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %out_of_order_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %out_of_order_k0 = nn.read @out_of_order_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %out_of_order_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %out_of_order_v0 = nn.read @out_of_order_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %out_of_order_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %out_of_order_q1 = nn.read @out_of_order_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %out_of_order_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %out_of_order_k1 = nn.read @out_of_order_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %out_of_order_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %out_of_order_v1 = nn.read @out_of_order_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %out_of_order_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p9, %p4 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// A head may occur twice.
// CHECK: nn.param @same_head_twice_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @same_head_twice_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @same_head_twice_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @same_head_twice_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @same_head_twice_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @same_head_twice_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @same_head_twice(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @same_head_twice_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @same_head_twice_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @same_head_twice_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @same_head_twice_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @same_head_twice_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @same_head_twice_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V1]], %[[V4]], %[[V1]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V7]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V2]], %[[V5]], %[[V2]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V3]], %[[V6]], %[[V3]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V11]] : tensor<3x5x4xf32>, tensor<3x2x4xf32> -> tensor<3x5x3x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V8]], %[[V10]], %[[V12]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x3x2xf32>, tensor<3x5x3x2xf32>, tensor<3x5x3x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x3x2xf32>, tensor<3x5x3xf32>)
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x3x2xf32> -> tensor<3x5x6xf32>
// CHECK-NEXT: return %[[V13]] : tensor<3x5x6xf32>
nn.param @same_head_twice_q0 : tensor<2x4xf32> init normal
nn.param @same_head_twice_k0 : tensor<2x4xf32> init normal
nn.param @same_head_twice_v0 : tensor<2x4xf32> init normal
nn.param @same_head_twice_q1 : tensor<2x4xf32> init normal
nn.param @same_head_twice_k1 : tensor<2x4xf32> init normal
nn.param @same_head_twice_v1 : tensor<2x4xf32> init normal
nn.param @same_head_twice_q2 : tensor<2x4xf32> init normal
nn.param @same_head_twice_k2 : tensor<2x4xf32> init normal
nn.param @same_head_twice_v2 : tensor<2x4xf32> init normal
func.func @same_head_twice(%x: tensor<3x5x4xf32>) -> tensor<3x5x6xf32> {
  %same_head_twice_q0 = nn.read @same_head_twice_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %same_head_twice_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_k0 = nn.read @same_head_twice_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_v0 = nn.read @same_head_twice_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %same_head_twice_q1 = nn.read @same_head_twice_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_k1 = nn.read @same_head_twice_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_v1 = nn.read @same_head_twice_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %same_head_twice_q2 = nn.read @same_head_twice_q2 : tensor<2x4xf32>
  %p10 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_q2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_k2 = nn.read @same_head_twice_k2 : tensor<2x4xf32>
  %p11 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_k2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %same_head_twice_v2 = nn.read @same_head_twice_v2 : tensor<2x4xf32>
  %p12 = nn.contract "bsk,nk->bsn" %x, %same_head_twice_v2
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p13 = nn.contract "bsd,btd->bst" %p10, %p11
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled2 = nn.scale %p13 by 0.5 : tensor<3x5x5xf32>
  %softmax2 = nn.softmax %scaled2 : tensor<3x5x5xf32>
  %p14 = nn.contract "bst,btd->bsd" %softmax2, %p12
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9, %p4 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x6xf32>
  return %j : tensor<3x5x6xf32>
}

// No change for a single head,
// CHECK-LABEL: func.func @one_head(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @one_head_q0 : tensor<2x4xf32> init normal
nn.param @one_head_k0 : tensor<2x4xf32> init normal
nn.param @one_head_v0 : tensor<2x4xf32> init normal
func.func @one_head(%x: tensor<3x5x4xf32>) -> tensor<3x5x2xf32> {
  %one_head_q0 = nn.read @one_head_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %one_head_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %one_head_k0 = nn.read @one_head_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %one_head_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %one_head_v0 = nn.read @one_head_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %one_head_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4 along 2 : tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  return %j : tensor<3x5x2xf32>
}

// if results are concatenated along another dim,
// CHECK-LABEL: func.func @by_row(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @by_row_q0 : tensor<2x4xf32> init normal
nn.param @by_row_k0 : tensor<2x4xf32> init normal
nn.param @by_row_v0 : tensor<2x4xf32> init normal
nn.param @by_row_q1 : tensor<2x4xf32> init normal
nn.param @by_row_k1 : tensor<2x4xf32> init normal
nn.param @by_row_v1 : tensor<2x4xf32> init normal
func.func @by_row(%x: tensor<3x5x4xf32>) -> tensor<3x10x2xf32> {
  %by_row_q0 = nn.read @by_row_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %by_row_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %by_row_k0 = nn.read @by_row_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %by_row_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %by_row_v0 = nn.read @by_row_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %by_row_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %by_row_q1 = nn.read @by_row_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %by_row_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %by_row_k1 = nn.read @by_row_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %by_row_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %by_row_v1 = nn.read @by_row_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %by_row_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x10x2xf32>
  return %j : tensor<3x10x2xf32>
}

// if heads differ in more than their weights,
// CHECK-LABEL: func.func @other_scales(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @other_scales_q0 : tensor<2x4xf32> init normal
nn.param @other_scales_k0 : tensor<2x4xf32> init normal
nn.param @other_scales_v0 : tensor<2x4xf32> init normal
nn.param @other_scales_q1 : tensor<2x4xf32> init normal
nn.param @other_scales_k1 : tensor<2x4xf32> init normal
nn.param @other_scales_v1 : tensor<2x4xf32> init normal
func.func @other_scales(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %other_scales_q0 = nn.read @other_scales_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %other_scales_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_scales_k0 = nn.read @other_scales_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %other_scales_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_scales_v0 = nn.read @other_scales_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %other_scales_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %other_scales_q1 = nn.read @other_scales_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %other_scales_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_scales_k1 = nn.read @other_scales_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %other_scales_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_scales_v1 = nn.read @other_scales_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %other_scales_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.25 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK-LABEL: func.func @other_widths(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @other_widths_q0 : tensor<2x4xf32> init normal
nn.param @other_widths_k0 : tensor<2x4xf32> init normal
nn.param @other_widths_v0 : tensor<2x4xf32> init normal
nn.param @other_widths_q1 : tensor<2x4xf32> init normal
nn.param @other_widths_k1 : tensor<2x4xf32> init normal
nn.param @other_widths_v1 : tensor<3x4xf32> init normal
func.func @other_widths(%x: tensor<3x5x4xf32>) -> tensor<3x5x5xf32> {
  %other_widths_q0 = nn.read @other_widths_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %other_widths_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_widths_k0 = nn.read @other_widths_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %other_widths_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_widths_v0 = nn.read @other_widths_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %other_widths_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %other_widths_q1 = nn.read @other_widths_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %other_widths_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_widths_k1 = nn.read @other_widths_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %other_widths_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_widths_v1 = nn.read @other_widths_v1 : tensor<3x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %other_widths_v1
      : tensor<3x5x4xf32>, tensor<3x4xf32> -> tensor<3x5x3xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x3xf32> -> tensor<3x5x3xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x3xf32> -> tensor<3x5x5xf32>
  return %j : tensor<3x5x5xf32>
}

// CHECK-LABEL: func.func @other_inputs(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @other_inputs_q0 : tensor<2x4xf32> init normal
nn.param @other_inputs_k0 : tensor<2x4xf32> init normal
nn.param @other_inputs_v0 : tensor<2x4xf32> init normal
nn.param @other_inputs_q1 : tensor<2x4xf32> init normal
nn.param @other_inputs_k1 : tensor<2x4xf32> init normal
nn.param @other_inputs_v1 : tensor<2x4xf32> init normal
func.func @other_inputs(%x: tensor<3x5x4xf32>,
                        %z: tensor<3x5x4xf32>)
    -> tensor<3x5x4xf32> {
  %other_inputs_q0 = nn.read @other_inputs_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %other_inputs_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_inputs_k0 = nn.read @other_inputs_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %other_inputs_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_inputs_v0 = nn.read @other_inputs_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %other_inputs_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %other_inputs_q1 = nn.read @other_inputs_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %z, %other_inputs_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_inputs_k1 = nn.read @other_inputs_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %other_inputs_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_inputs_v1 = nn.read @other_inputs_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %other_inputs_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK-LABEL: func.func @other_ops(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @other_ops_q0 : tensor<2x4xf32> init normal
nn.param @other_ops_k0 : tensor<2x4xf32> init normal
nn.param @other_ops_v0 : tensor<2x4xf32> init normal
nn.param @other_ops_q1 : tensor<2x4xf32> init normal
nn.param @other_ops_k1 : tensor<2x4xf32> init normal
nn.param @other_ops_v1 : tensor<2x4xf32> init normal
func.func @other_ops(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %other_ops_q0 = nn.read @other_ops_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %other_ops_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_ops_k0 = nn.read @other_ops_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %other_ops_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_ops_v0 = nn.read @other_ops_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %other_ops_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %other_ops_q1 = nn.read @other_ops_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %other_ops_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %relu = nn.relu %p5 : tensor<3x5x2xf32>
  %other_ops_k1 = nn.read @other_ops_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %other_ops_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_ops_v1 = nn.read @other_ops_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %other_ops_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %relu, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK-LABEL: func.func @other_probability(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @other_probability_q0 : tensor<2x4xf32> init normal
nn.param @other_probability_k0 : tensor<2x4xf32> init normal
nn.param @other_probability_v0 : tensor<2x4xf32> init normal
nn.param @other_probability_q1 : tensor<2x4xf32> init normal
nn.param @other_probability_k1 : tensor<2x4xf32> init normal
nn.param @other_probability_v1 : tensor<2x4xf32> init normal
func.func @other_probability(%x: tensor<3x5x4xf32>,
                             %samples: tensor<3xi64>,
                             %pos: tensor<5xi64> {nn.role = #nn.role<positions>},
                             %seed: tensor<i64>,
                             %step: tensor<i64>)
    -> tensor<3x5x4xf32> {
  %other_probability_q0 = nn.read @other_probability_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %other_probability_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_probability_k0 = nn.read @other_probability_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %other_probability_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_probability_v0 = nn.read @other_probability_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %other_probability_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %drop = nn.dropout %softmax samples %samples positions %pos seed %seed step %step
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %p4 = nn.contract "bst,btd->bsd" %drop, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %other_probability_q1 = nn.read @other_probability_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %other_probability_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_probability_k1 = nn.read @other_probability_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %other_probability_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %other_probability_v1 = nn.read @other_probability_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %other_probability_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %drop1 = nn.dropout %softmax1 samples %samples positions %pos seed %seed step %step
      {p = 0.2, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %p9 = nn.contract "bst,btd->bsd" %drop1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// if dropout has an origin,
// CHECK-LABEL: func.func @with_origin(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @with_origin_q0 : tensor<2x4xf32> init normal
nn.param @with_origin_k0 : tensor<2x4xf32> init normal
nn.param @with_origin_v0 : tensor<2x4xf32> init normal
nn.param @with_origin_q1 : tensor<2x4xf32> init normal
nn.param @with_origin_k1 : tensor<2x4xf32> init normal
nn.param @with_origin_v1 : tensor<2x4xf32> init normal
func.func @with_origin(%x: tensor<3x5x4xf32>,
                       %samples: tensor<3xi64>,
                       %pos: tensor<5xi64> {nn.role = #nn.role<positions>},
                       %seed: tensor<i64>,
                       %step: tensor<i64>,
                       %origin: tensor<3xi64>)
    -> tensor<3x5x4xf32> {
  %with_origin_q0 = nn.read @with_origin_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %with_origin_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %with_origin_k0 = nn.read @with_origin_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %with_origin_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %with_origin_v0 = nn.read @with_origin_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %with_origin_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %drop = nn.dropout %softmax samples %samples positions %pos seed %seed step %step origin %origin
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  %p4 = nn.contract "bst,btd->bsd" %drop, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %with_origin_q1 = nn.read @with_origin_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %with_origin_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %with_origin_k1 = nn.read @with_origin_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %with_origin_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %with_origin_v1 = nn.read @with_origin_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %with_origin_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %drop1 = nn.dropout %softmax1 samples %samples positions %pos seed %seed step %step origin %origin
      {p = 0.1, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  %p9 = nn.contract "bst,btd->bsd" %drop1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// if biases are by sample or position,
// CHECK-LABEL: func.func @bias_by_batch(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @bias_by_batch_q0 : tensor<2x4xf32> init normal
nn.param @bias_by_batch_b0 : tensor<3xf32> init normal
nn.param @bias_by_batch_k0 : tensor<2x4xf32> init normal
nn.param @bias_by_batch_v0 : tensor<2x4xf32> init normal
nn.param @bias_by_batch_q1 : tensor<2x4xf32> init normal
nn.param @bias_by_batch_b1 : tensor<3xf32> init normal
nn.param @bias_by_batch_k1 : tensor<2x4xf32> init normal
nn.param @bias_by_batch_v1 : tensor<2x4xf32> init normal
func.func @bias_by_batch(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %bias_by_batch_q0 = nn.read @bias_by_batch_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_batch_b0 = nn.read @bias_by_batch_b0 : tensor<3xf32>
  %b = nn.broadcast %bias_by_batch_b0 [0] : tensor<3xf32> -> tensor<3x5x2xf32>
  %sum = nn.sum %p, %b : tensor<3x5x2xf32>
  %bias_by_batch_k0 = nn.read @bias_by_batch_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_batch_v0 = nn.read @bias_by_batch_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %sum, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %bias_by_batch_q1 = nn.read @bias_by_batch_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_batch_b1 = nn.read @bias_by_batch_b1 : tensor<3xf32>
  %b1 = nn.broadcast %bias_by_batch_b1 [0] : tensor<3xf32> -> tensor<3x5x2xf32>
  %sum1 = nn.sum %p5, %b1 : tensor<3x5x2xf32>
  %bias_by_batch_k1 = nn.read @bias_by_batch_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_batch_v1 = nn.read @bias_by_batch_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %bias_by_batch_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %sum1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// CHECK: nn.param @bias_by_position_q0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @bias_by_position_b0 : tensor<1x5x2xf32> init normal
// CHECK: nn.param @bias_by_position_k0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @bias_by_position_v0 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @bias_by_position_q1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @bias_by_position_b1 : tensor<1x5x2xf32> init normal
// CHECK: nn.param @bias_by_position_k1 : tensor<1x2x4xf32> init normal
// CHECK: nn.param @bias_by_position_v1 : tensor<1x2x4xf32> init normal
// CHECK-LABEL: func.func @bias_by_position(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @bias_by_position_q0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @bias_by_position_b0 : tensor<1x5x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @bias_by_position_k0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @bias_by_position_v0 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @bias_by_position_q1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.read @bias_by_position_b1 : tensor<1x5x2xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @bias_by_position_k1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.read @bias_by_position_v1 : tensor<1x2x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.concat %[[V1]], %[[V5]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.contract "bsk,ank->basn" %arg0, %[[V9]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.concat %[[V2]], %[[V6]] along 0 : tensor<1x5x2xf32>, tensor<1x5x2xf32> -> tensor<2x5x2xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V11]] [1, 2, 3] : tensor<2x5x2xf32> -> tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.sum %[[V10]], %[[V12]] : tensor<3x2x5x2xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.concat %[[V3]], %[[V7]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V14]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.concat %[[V4]], %[[V8]] along 0 : tensor<1x2x4xf32>, tensor<1x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.contract "bsk,ank->bsan" %arg0, %[[V16]] : tensor<3x5x4xf32>, tensor<2x2x4xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.transpose %[[V13]] [0, 2, 1, 3] : tensor<3x2x5x2xf32> -> tensor<3x5x2x2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V18]], %[[V15]], %[[V17]] positions %[[V0]], %[[V0]] scale 5.000000e-01 : (tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<3x5x2x2xf32>, tensor<5xi64>, tensor<5xi64>) -> (tensor<3x5x2x2xf32>, tensor<3x5x2xf32>)
// CHECK-NEXT: %[[V19:.*]] = nn.reshape %[[RESULT]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: return %[[V19]] : tensor<3x5x4xf32>
nn.param @bias_by_position_q0 : tensor<2x4xf32> init normal
nn.param @bias_by_position_b0 : tensor<5x2xf32> init normal
nn.param @bias_by_position_k0 : tensor<2x4xf32> init normal
nn.param @bias_by_position_v0 : tensor<2x4xf32> init normal
nn.param @bias_by_position_q1 : tensor<2x4xf32> init normal
nn.param @bias_by_position_b1 : tensor<5x2xf32> init normal
nn.param @bias_by_position_k1 : tensor<2x4xf32> init normal
nn.param @bias_by_position_v1 : tensor<2x4xf32> init normal
func.func @bias_by_position(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %bias_by_position_q0 = nn.read @bias_by_position_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %bias_by_position_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_position_b0 = nn.read @bias_by_position_b0 : tensor<5x2xf32>
  %b = nn.broadcast %bias_by_position_b0 [1, 2]
      : tensor<5x2xf32> -> tensor<3x5x2xf32>
  %sum = nn.sum %p, %b : tensor<3x5x2xf32>
  %bias_by_position_k0 = nn.read @bias_by_position_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %bias_by_position_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_position_v0 = nn.read @bias_by_position_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %bias_by_position_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %sum, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %bias_by_position_q1 = nn.read @bias_by_position_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %bias_by_position_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_position_b1 = nn.read @bias_by_position_b1 : tensor<5x2xf32>
  %b1 = nn.broadcast %bias_by_position_b1 [1, 2]
      : tensor<5x2xf32> -> tensor<3x5x2xf32>
  %sum1 = nn.sum %p5, %b1 : tensor<3x5x2xf32>
  %bias_by_position_k1 = nn.read @bias_by_position_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %bias_by_position_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_by_position_v1 = nn.read @bias_by_position_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %bias_by_position_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %sum1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// if a bias is a scalar
// CHECK-LABEL: func.func @bias_number(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @bias_number_q0 : tensor<2x4xf32> init normal
nn.param @bias_number_b0 : tensor<f32> init normal
nn.param @bias_number_k0 : tensor<2x4xf32> init normal
nn.param @bias_number_v0 : tensor<2x4xf32> init normal
nn.param @bias_number_q1 : tensor<2x4xf32> init normal
nn.param @bias_number_b1 : tensor<f32> init normal
nn.param @bias_number_k1 : tensor<2x4xf32> init normal
nn.param @bias_number_v1 : tensor<2x4xf32> init normal
func.func @bias_number(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %bias_number_q0 = nn.read @bias_number_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %bias_number_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_number_b0 = nn.read @bias_number_b0 : tensor<f32>
  %b = nn.broadcast %bias_number_b0 [] : tensor<f32> -> tensor<3x5x2xf32>
  %sum = nn.sum %p, %b : tensor<3x5x2xf32>
  %bias_number_k0 = nn.read @bias_number_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %bias_number_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_number_v0 = nn.read @bias_number_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %bias_number_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %sum, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %bias_number_q1 = nn.read @bias_number_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %bias_number_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_number_b1 = nn.read @bias_number_b1 : tensor<f32>
  %b1 = nn.broadcast %bias_number_b1 [] : tensor<f32> -> tensor<3x5x2xf32>
  %sum1 = nn.sum %p5, %b1 : tensor<3x5x2xf32>
  %bias_number_k1 = nn.read @bias_number_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %bias_number_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_number_v1 = nn.read @bias_number_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %bias_number_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %sum1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// or data,
// CHECK-LABEL: func.func @bias_of_data(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @bias_of_data_q0 : tensor<2x4xf32> init normal
nn.param @bias_of_data_k0 : tensor<2x4xf32> init normal
nn.param @bias_of_data_v0 : tensor<2x4xf32> init normal
nn.param @bias_of_data_q1 : tensor<2x4xf32> init normal
nn.param @bias_of_data_k1 : tensor<2x4xf32> init normal
nn.param @bias_of_data_v1 : tensor<2x4xf32> init normal
func.func @bias_of_data(%x: tensor<3x5x4xf32>,
                        %offset0: tensor<2xf32>,
                        %offset1: tensor<2xf32>)
    -> tensor<3x5x4xf32> {
  %bias_of_data_q0 = nn.read @bias_of_data_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %bias_of_data_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %b = nn.broadcast %offset0 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %sum = nn.sum %p, %b : tensor<3x5x2xf32>
  %bias_of_data_k0 = nn.read @bias_of_data_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %bias_of_data_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_of_data_v0 = nn.read @bias_of_data_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %bias_of_data_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %sum, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %softmax = nn.softmax %scaled : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %softmax, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %bias_of_data_q1 = nn.read @bias_of_data_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %bias_of_data_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %b1 = nn.broadcast %offset1 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %sum1 = nn.sum %p5, %b1 : tensor<3x5x2xf32>
  %bias_of_data_k1 = nn.read @bias_of_data_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %bias_of_data_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bias_of_data_v1 = nn.read @bias_of_data_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %bias_of_data_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %sum1, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %softmax1 = nn.softmax %scaled1 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %softmax1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// or if there is no softmax.
// CHECK-LABEL: func.func @no_softmax(
// CHECK-NOT: nn.concat %{{.*}} along 0
// CHECK: return
nn.param @no_softmax_q0 : tensor<2x4xf32> init normal
nn.param @no_softmax_k0 : tensor<2x4xf32> init normal
nn.param @no_softmax_v0 : tensor<2x4xf32> init normal
nn.param @no_softmax_q1 : tensor<2x4xf32> init normal
nn.param @no_softmax_k1 : tensor<2x4xf32> init normal
nn.param @no_softmax_v1 : tensor<2x4xf32> init normal
func.func @no_softmax(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %no_softmax_q0 = nn.read @no_softmax_q0 : tensor<2x4xf32>
  %p = nn.contract "bsk,nk->bsn" %x, %no_softmax_q0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %no_softmax_k0 = nn.read @no_softmax_k0 : tensor<2x4xf32>
  %p1 = nn.contract "bsk,nk->bsn" %x, %no_softmax_k0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %no_softmax_v0 = nn.read @no_softmax_v0 : tensor<2x4xf32>
  %p2 = nn.contract "bsk,nk->bsn" %x, %no_softmax_v0
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p3 = nn.contract "bsd,btd->bst" %p, %p1
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled = nn.scale %p3 by 0.5 : tensor<3x5x5xf32>
  %p4 = nn.contract "bst,btd->bsd" %scaled, %p2
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %no_softmax_q1 = nn.read @no_softmax_q1 : tensor<2x4xf32>
  %p5 = nn.contract "bsk,nk->bsn" %x, %no_softmax_q1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %no_softmax_k1 = nn.read @no_softmax_k1 : tensor<2x4xf32>
  %p6 = nn.contract "bsk,nk->bsn" %x, %no_softmax_k1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %no_softmax_v1 = nn.read @no_softmax_v1 : tensor<2x4xf32>
  %p7 = nn.contract "bsk,nk->bsn" %x, %no_softmax_v1
      : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %p8 = nn.contract "bsd,btd->bst" %p5, %p6
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x5xf32>
  %scaled1 = nn.scale %p8 by 0.5 : tensor<3x5x5xf32>
  %p9 = nn.contract "bst,btd->bsd" %scaled1, %p7
      : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %j = nn.concat %p4, %p9 along 2
      : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %j : tensor<3x5x4xf32>
}

// Heads without parameters.
// CHECK-LABEL: func.func @no_parameters(
// CHECK-SAME: %arg0: tensor<3x5x4xf32>, %arg1: tensor<3x5x4xf32>) -> tensor<3x5x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.contract "bsd,btd->bst" %arg0, %arg1 : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.softmax %[[V0]] : tensor<3x5x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "bst,btd->bsd" %[[V1]], %arg1 : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bst,btd->bsd" %[[V1]], %arg0 : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.concat %[[V2]], %[[V3]] along 2 : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x8xf32>
// CHECK-NEXT: return %[[V4]] : tensor<3x5x8xf32>
func.func @no_parameters(%x: tensor<3x5x4xf32>,
                         %y: tensor<3x5x4xf32>)
    -> tensor<3x5x8xf32> {
  %p = nn.contract "bsd,btd->bst" %x, %y
      : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x5xf32>
  %softmax = nn.softmax %p : tensor<3x5x5xf32>
  %p1 = nn.contract "bst,btd->bsd" %softmax, %y
      : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
  %p2 = nn.contract "bsd,btd->bst" %x, %y
      : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x5xf32>
  %softmax1 = nn.softmax %p2 : tensor<3x5x5xf32>
  %p3 = nn.contract "bst,btd->bsd" %softmax1, %x
      : tensor<3x5x5xf32>, tensor<3x5x4xf32> -> tensor<3x5x4xf32>
  %j = nn.concat %p1, %p3 along 2
      : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x8xf32>
  return %j : tensor<3x5x8xf32>
}

// Separate norms of all heads become one norm, multiplied by all scales,
// CHECK: nn.param @norms_g0 : tensor<1x4xf32> init normal
// CHECK: nn.param @norms_g1 : tensor<1x4xf32> init normal
// CHECK-LABEL: func.func @norms(
// CHECK-SAME: %arg0: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @norms_g0 : tensor<1x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @norms_g1 : tensor<1x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<3x2x5x4xf32>, tensor<4xf32> -> tensor<3x2x5xf32>, tensor<3x2x5xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V1]], %[[V2]] along 0 : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V3]] [1, 3] : tensor<2x4xf32> -> tensor<3x2x5x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.mul %[[RESULT]], %[[V4]] : tensor<3x2x5x4xf32>
// CHECK-NEXT: return %[[V5]] : tensor<3x2x5x4xf32>
nn.param @norms_g0 : tensor<4xf32> init normal
nn.param @norms_g1 : tensor<4xf32> init normal
func.func @norms(%x: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_g0 = nn.read @norms_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_g1 = nn.read @norms_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// CHECK: nn.param @norms_of_three_g0 : tensor<1x4xf32> init normal
// CHECK: nn.param @norms_of_three_g1 : tensor<1x4xf32> init normal
// CHECK: nn.param @norms_of_three_g2 : tensor<1x4xf32> init normal
// CHECK-LABEL: func.func @norms_of_three(
// CHECK-SAME: %arg0: tensor<3x3x5x4xf32>) -> tensor<3x3x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @norms_of_three_g0 : tensor<1x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @norms_of_three_g1 : tensor<1x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @norms_of_three_g2 : tensor<1x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<3x3x5x4xf32>, tensor<4xf32> -> tensor<3x3x5xf32>, tensor<3x3x5xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.concat %[[V1]], %[[V2]], %[[V3]] along 0 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [1, 3] : tensor<3x4xf32> -> tensor<3x3x5x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.mul %[[RESULT]], %[[V5]] : tensor<3x3x5x4xf32>
// CHECK-NEXT: return %[[V6]] : tensor<3x3x5x4xf32>
nn.param @norms_of_three_g0 : tensor<4xf32> init normal
nn.param @norms_of_three_g1 : tensor<4xf32> init normal
nn.param @norms_of_three_g2 : tensor<4xf32> init normal
func.func @norms_of_three(%x: tensor<3x3x5x4xf32>) -> tensor<3x3x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x3x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_three_g0 = nn.read @norms_of_three_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_three_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x3x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_three_g1 = nn.read @norms_of_three_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_three_g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s2 = nn.slice %x at [0, 2, 0, 0] step [1, 1, 1, 1]
      : tensor<3x3x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_three_g2 = nn.read @norms_of_three_g2 : tensor<4xf32>
  %n2:3 = nn.layer_norm %s2 scale %norms_of_three_g2 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0, %n2#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x3x5x4xf32>
  return %j : tensor<3x3x5x4xf32>
}

// CHECK: nn.param @norms_of_first_dim_g0 : tensor<1x4xf32> init normal
// CHECK: nn.param @norms_of_first_dim_g1 : tensor<1x4xf32> init normal
// CHECK-LABEL: func.func @norms_of_first_dim(
// CHECK-SAME: %arg0: tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @norms_of_first_dim_g0 : tensor<1x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @norms_of_first_dim_g1 : tensor<1x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = nn.layer_norm %arg0 scale %[[V0]] eps 1.000000e-05 : tensor<2x5x4xf32>, tensor<4xf32> -> tensor<2x5xf32>, tensor<2x5xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V1]], %[[V2]] along 0 : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V3]] [0, 2] : tensor<2x4xf32> -> tensor<2x5x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.mul %[[RESULT]], %[[V4]] : tensor<2x5x4xf32>
// CHECK-NEXT: return %[[V5]] : tensor<2x5x4xf32>
nn.param @norms_of_first_dim_g0 : tensor<4xf32> init normal
nn.param @norms_of_first_dim_g1 : tensor<4xf32> init normal
func.func @norms_of_first_dim(%x: tensor<2x5x4xf32>) -> tensor<2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x5x4xf32> -> tensor<1x5x4xf32>
  %norms_of_first_dim_g0 = nn.read @norms_of_first_dim_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_first_dim_g0 eps 1.0e-05
      : tensor<1x5x4xf32>, tensor<4xf32> -> tensor<1x5xf32>, tensor<1x5xf32>
  %s1 = nn.slice %x at [1, 0, 0] step [1, 1, 1]
      : tensor<2x5x4xf32> -> tensor<1x5x4xf32>
  %norms_of_first_dim_g1 = nn.read @norms_of_first_dim_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_first_dim_g1 eps 1.0e-05
      : tensor<1x5x4xf32>, tensor<4xf32> -> tensor<1x5xf32>, tensor<1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 0
      : tensor<1x5x4xf32>, tensor<1x5x4xf32> -> tensor<2x5x4xf32>
  return %j : tensor<2x5x4xf32>
}

// if they have no biases,
// CHECK-LABEL: func.func @norms_with_bias(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_with_bias_g0 : tensor<4xf32> init normal
nn.param @norms_with_bias_b0 : tensor<4xf32> init normal
nn.param @norms_with_bias_g1 : tensor<4xf32> init normal
nn.param @norms_with_bias_b1 : tensor<4xf32> init normal
func.func @norms_with_bias(%x: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_with_bias_g0 = nn.read @norms_with_bias_g0 : tensor<4xf32>
  %norms_with_bias_b0 = nn.read @norms_with_bias_b0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_with_bias_g0 bias %norms_with_bias_b0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_with_bias_g1 = nn.read @norms_with_bias_g1 : tensor<4xf32>
  %norms_with_bias_b1 = nn.read @norms_with_bias_b1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_with_bias_g1 bias %norms_with_bias_b1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// one eps,
// CHECK-LABEL: func.func @norms_of_two_eps(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_of_two_eps_g0 : tensor<4xf32> init normal
nn.param @norms_of_two_eps_g1 : tensor<4xf32> init normal
func.func @norms_of_two_eps(%x: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_two_eps_g0 = nn.read @norms_of_two_eps_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_two_eps_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_two_eps_g1 = nn.read @norms_of_two_eps_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_two_eps_g1 eps 1.0e-06
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// and parameters as scales,
// CHECK-LABEL: func.func @norms_by_data(
// CHECK-NOT: along 0
// CHECK: return
func.func @norms_by_data(%x: tensor<3x2x5x4xf32>,
                         %g0: tensor<4xf32>,
                         %g1: tensor<4xf32>)
    -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %n:3 = nn.layer_norm %s scale %g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %n1:3 = nn.layer_norm %s1 scale %g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// if they normalize one tensor,
// CHECK-LABEL: func.func @norms_of_two(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_of_two_g0 : tensor<4xf32> init normal
nn.param @norms_of_two_g1 : tensor<4xf32> init normal
func.func @norms_of_two(%x: tensor<3x2x5x4xf32>,
                        %z: tensor<3x2x5x4xf32>)
    -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_two_g0 = nn.read @norms_of_two_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_two_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %z at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_two_g1 = nn.read @norms_of_two_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_two_g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// all of its heads, in order,
// CHECK-LABEL: func.func @norms_out_of_order(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_out_of_order_g0 : tensor<4xf32> init normal
nn.param @norms_out_of_order_g1 : tensor<4xf32> init normal
func.func @norms_out_of_order(%x: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_out_of_order_g0 = nn.read @norms_out_of_order_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_out_of_order_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_out_of_order_g1 = nn.read @norms_out_of_order_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_out_of_order_g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// CHECK-LABEL: func.func @norms_of_some(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_of_some_g0 : tensor<4xf32> init normal
nn.param @norms_of_some_g1 : tensor<4xf32> init normal
func.func @norms_of_some(%x: tensor<3x3x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x3x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_some_g0 = nn.read @norms_of_some_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_some_g0 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<3x3x5x4xf32> -> tensor<3x1x5x4xf32>
  %norms_of_some_g1 = nn.read @norms_of_some_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_some_g1 eps 1.0e-05
      : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %j : tensor<3x2x5x4xf32>
}

// of one head each,
// CHECK-LABEL: func.func @norms_of_pairs(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_of_pairs_g0 : tensor<4xf32> init normal
nn.param @norms_of_pairs_g1 : tensor<4xf32> init normal
func.func @norms_of_pairs(%x: tensor<3x4x5x4xf32>) -> tensor<3x4x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x4x5x4xf32> -> tensor<3x2x5x4xf32>
  %norms_of_pairs_g0 = nn.read @norms_of_pairs_g0 : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_pairs_g0 eps 1.0e-05
      : tensor<3x2x5x4xf32>, tensor<4xf32> -> tensor<3x2x5xf32>, tensor<3x2x5xf32>
  %s1 = nn.slice %x at [0, 2, 0, 0] step [1, 1, 1, 1]
      : tensor<3x4x5x4xf32> -> tensor<3x2x5x4xf32>
  %norms_of_pairs_g1 = nn.read @norms_of_pairs_g1 : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_pairs_g1 eps 1.0e-05
      : tensor<3x2x5x4xf32>, tensor<4xf32> -> tensor<3x2x5xf32>, tensor<3x2x5xf32>
  %j = nn.concat %n#0, %n1#0 along 1
      : tensor<3x2x5x4xf32>, tensor<3x2x5x4xf32> -> tensor<3x4x5x4xf32>
  return %j : tensor<3x4x5x4xf32>
}

// and if results are concatenated along the dim of the slices.
// CHECK-LABEL: func.func @norms_joined_elsewhere(
// CHECK-NOT: nn.concat %{{.*}} along 0 : tensor<1x4xf32>
// CHECK: return
nn.param @norms_joined_elsewhere_g0 : tensor<4xf32> init normal
nn.param @norms_joined_elsewhere_g1 : tensor<4xf32> init normal
func.func @norms_joined_elsewhere(%x: tensor<1x2x5x4xf32>)
    -> tensor<2x1x5x4xf32> {
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<1x2x5x4xf32> -> tensor<1x1x5x4xf32>
  %norms_joined_elsewhere_g0 = nn.read @norms_joined_elsewhere_g0
      : tensor<4xf32>
  %n:3 = nn.layer_norm %s scale %norms_joined_elsewhere_g0 eps 1.0e-05
      : tensor<1x1x5x4xf32>, tensor<4xf32> -> tensor<1x1x5xf32>, tensor<1x1x5xf32>
  %s1 = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1]
      : tensor<1x2x5x4xf32> -> tensor<1x1x5x4xf32>
  %norms_joined_elsewhere_g1 = nn.read @norms_joined_elsewhere_g1
      : tensor<4xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_joined_elsewhere_g1 eps 1.0e-05
      : tensor<1x1x5x4xf32>, tensor<4xf32> -> tensor<1x1x5xf32>, tensor<1x1x5xf32>
  %j = nn.concat %n#0, %n1#0 along 0
      : tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32> -> tensor<2x1x5x4xf32>
  return %j : tensor<2x1x5x4xf32>
}

// CHECK-LABEL: func.func @norms_of_elements(
// CHECK-NOT: along 0
// CHECK: return
nn.param @norms_of_elements_g0 : tensor<1xf32> init normal
nn.param @norms_of_elements_g1 : tensor<1xf32> init normal
func.func @norms_of_elements(%x: tensor<3x5x2xf32>) -> tensor<3x5x2xf32> {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<3x5x2xf32> -> tensor<3x5x1xf32>
  %norms_of_elements_g0 = nn.read @norms_of_elements_g0 : tensor<1xf32>
  %n:3 = nn.layer_norm %s scale %norms_of_elements_g0 eps 1.0e-05
      : tensor<3x5x1xf32>, tensor<1xf32> -> tensor<3x5xf32>, tensor<3x5xf32>
  %s1 = nn.slice %x at [0, 0, 1] step [1, 1, 1]
      : tensor<3x5x2xf32> -> tensor<3x5x1xf32>
  %norms_of_elements_g1 = nn.read @norms_of_elements_g1 : tensor<1xf32>
  %n1:3 = nn.layer_norm %s1 scale %norms_of_elements_g1 eps 1.0e-05
      : tensor<3x5x1xf32>, tensor<1xf32> -> tensor<3x5xf32>, tensor<3x5xf32>
  %j = nn.concat %n#0, %n1#0 along 2
      : tensor<3x5x1xf32>, tensor<3x5x1xf32> -> tensor<3x5x2xf32>
  return %j : tensor<3x5x2xf32>
}
