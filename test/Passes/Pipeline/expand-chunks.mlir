// A head becomes as many copies as it has chunks: here two of two samples and
// one of the last sample.
// RUN: pcc-opt %s -pipe-expand-chunks | FileCheck %s

// CHECK-LABEL: pipe.body @forward.0.body
// CHECK-SAME: %[[X:x]]: tensor<5x4x8xf32>, %[[W:w]]: tensor<16x8xf32>, %[[T:t]]: tensor<5x4xi64>, %[[G:grad]]: tensor<16x8xf32>
// A part of each operand with tokens; the weight is whole.
// CHECK: %[[X0:.*]] = nn.slice %[[X]] at [0, 0, 0] step [1, 1, 1] {nn.chunk = array<i64: 2, 4>} : tensor<5x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[L0:.*]] = nn.contract "bsk,nk->bsn" %[[X0]], %[[W]] : {{.*}} -> tensor<2x4x16xf32>
// CHECK-NEXT: %[[T0:.*]] = nn.slice %[[T]] at [0, 0] {{.*}} -> tensor<2x4xi64>
// CHECK-NEXT: %[[LOSS0:.*]], %[[LSE0:.*]] = nn.cross_entropy %[[L0]], %[[T0]] {{.*}} -> tensor<2x4xf32>
// What is the same for all tokens is repeated for fewer.
// CHECK-NEXT: %[[D0:.*]] = nn.broadcast %{{.*}} [] {nn.bwd} : tensor<f32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[G0:.*]] = nn.cross_entropy_grad %[[D0]], %[[L0]], %[[T0]] lse %[[LSE0]]
// CHECK-NEXT: %[[DX0:.*]] = nn.contract "bsn,nk->bsk" %[[G0]], %[[W]]
// CHECK-NEXT: %[[DW0:.*]] = nn.contract "bsk,bsn->nk" %[[X0]], %[[G0]]
// CHECK: nn.slice %[[X]] at [2, 0, 0] {{.*}} -> tensor<2x4x8xf32>
// CHECK: %[[LOSS1:.*]], %{{.*}} = nn.cross_entropy
// CHECK: %[[DX1:.*]] = nn.contract "bsn,nk->bsk"
// CHECK: %[[DW1:.*]] = nn.contract "bsk,bsn->nk"
// CHECK: nn.slice %[[X]] at [4, 0, 0] {{.*}} -> tensor<1x4x8xf32>
// CHECK: %[[LOSS2:.*]], %{{.*}} = nn.cross_entropy
// CHECK: %[[DX2:.*]] = nn.contract "bsn,nk->bsk"
// CHECK: %[[DW2:.*]] = nn.contract "bsk,bsn->nk"
// CHECK: %[[LOSS:.*]] = nn.concat %[[LOSS0]], %[[LOSS1]], %[[LOSS2]] along 0
// CHECK: %[[DX:.*]] = nn.concat %[[DX0]], %[[DX1]], %[[DX2]] along 0
// CHECK: %[[DW:.*]] = nn.sum %[[DW0]], %[[DW1]], %[[DW2]] {nn.bwd} : tensor<16x8xf32>
// CHECK: %[[SUM:.*]] = nn.reduce %[[LOSS]] [0, 1]
// CHECK: %[[NEW:.*]] = nn.sum %[[G]], %[[DW]] : tensor<16x8xf32>
// CHECK: pipe.yield %[[DX]], %[[SUM]], %[[NEW]]
pipe.body @forward.0.body(%x: tensor<5x4x8xf32>, %w: tensor<16x8xf32>, %t: tensor<5x4xi64>, %grad: tensor<16x8xf32>) -> (tensor<5x4x8xf32>, tensor<f32>, tensor<16x8xf32> into 3) {
  %logits = nn.contract "bsk,nk->bsn" %x, %w {nn.chunk = array<i64: 2, 4>} : tensor<5x4x8xf32>, tensor<16x8xf32> -> tensor<5x4x16xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 {nn.chunk = array<i64: 2, 4>} : tensor<5x4x16xf32>, tensor<5x4xi64> -> tensor<5x4xf32>
  %sum = nn.reduce %loss [0, 1] : tensor<5x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32> {nn.bwd}
  %d = nn.broadcast %one [] {nn.bwd} : tensor<f32> -> tensor<5x4xf32>
  %g = nn.cross_entropy_grad %d, %logits, %t lse %lse classes 16 {nn.bwd, nn.chunk = array<i64: 2, 4>} : tensor<5x4xf32>, tensor<5x4x16xf32>, tensor<5x4xi64>
  %dx = nn.contract "bsn,nk->bsk" %g, %w {nn.bwd, nn.chunk = array<i64: 2, 4>} : tensor<5x4x16xf32>, tensor<16x8xf32> -> tensor<5x4x8xf32>
  %dw = nn.contract "bsk,bsn->nk" %x, %g {nn.bwd, nn.chunk = array<i64: 2, 4>} : tensor<5x4x8xf32>, tensor<5x4x16xf32> -> tensor<16x8xf32>
  %new = nn.sum %grad, %dw : tensor<16x8xf32>
  pipe.yield %dx, %sum, %new : tensor<5x4x8xf32>, tensor<f32>, tensor<16x8xf32>
}

// Two losses of the same logits, one of them capped: one head.
// CHECK-LABEL: pipe.body @two.0.body
// CHECK-COUNT-2: nn.contract
// CHECK-NOT: nn.contract
// CHECK: pipe.yield
pipe.body @two.0.body(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %t: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %logits = nn.contract "bk,nk->bn" %x, %w {nn.chunk = array<i64: 2>} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 {nn.chunk = array<i64: 2>} : tensor<4x16xf32>, tensor<4xi64> -> tensor<4xf32>
  %capped = nn.tanh %logits {nn.chunk = array<i64: 2>} : tensor<4x16xf32>
  %other, %lse2 = nn.cross_entropy %capped, %t classes 16 {nn.chunk = array<i64: 2>} : tensor<4x16xf32>, tensor<4xi64> -> tensor<4xf32>
  pipe.yield %loss, %other : tensor<4xf32>, tensor<4xf32>
}

// A cotangent that is repeated for the tokens of each sample: its part is the
// samples' of the chunk. A constant that differs from token to token is sliced.
// CHECK-LABEL: pipe.body @samples.0.body
// CHECK: %[[S0:.*]] = nn.slice %s at [0] step [1] {nn.chunk = array<i64: 1, 3>} : tensor<2xf32> -> tensor<1xf32>
// CHECK-NEXT: nn.broadcast %[[S0]] [0] : tensor<1xf32> -> tensor<1x3xf32>
// CHECK: %[[C0:.*]] = nn.slice %{{.*}} at [0, 0] step [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: nn.broadcast %[[C0]] [0, 1] : tensor<1x3xf32> -> tensor<1x3x16xf32>
// CHECK: nn.slice %s at [1]
// CHECK: pipe.yield
pipe.body @samples.0.body(%x: tensor<2x3x8xf32>, %w: tensor<16x8xf32>, %t: tensor<2x3xi64>, %s: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3x8xf32>) {
  %cst = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %logits = nn.contract "bsk,nk->bsn" %x, %w {nn.chunk = array<i64: 1, 3>} : tensor<2x3x8xf32>, tensor<16x8xf32> -> tensor<2x3x16xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 {nn.chunk = array<i64: 1, 3>} : tensor<2x3x16xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  %each = nn.broadcast %s [0] : tensor<2xf32> -> tensor<2x3xf32>
  %g = nn.cross_entropy_grad %each, %logits, %t lse %lse classes 16 {nn.chunk = array<i64: 1, 3>} : tensor<2x3xf32>, tensor<2x3x16xf32>, tensor<2x3xi64>
  %factors = nn.broadcast %cst [0, 1] : tensor<2x3xf32> -> tensor<2x3x16xf32>
  %scaled = nn.mul %g, %factors {nn.chunk = array<i64: 1, 3>} : tensor<2x3x16xf32>
  %dx = nn.contract "bsn,nk->bsk" %scaled, %w {nn.chunk = array<i64: 1, 3>} : tensor<2x3x16xf32>, tensor<16x8xf32> -> tensor<2x3x8xf32>
  pipe.yield %loss, %dx : tensor<2x3xf32>, tensor<2x3x8xf32>
}
