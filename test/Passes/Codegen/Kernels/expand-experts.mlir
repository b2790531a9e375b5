// Each choice of a token is a row; rows are ordered by expert, so that the
// products of an expert are one GEMM. Nothing routed is kept for the backward
// pass, which computes only the results that have uses.
// RUN: pcc-opt %s -nn-expand-experts | FileCheck %s

// CHECK-LABEL: func @experts
// CHECK-SAME: (%[[X:.*]]: tensor<3x8xf32>, %[[IDS:.*]]: tensor<3x2xi32>, %[[GATES:.*]]: tensor<3x2xf32>, %[[W1:.*]]: tensor<4x2x16x8xf32>, %[[W2:.*]]: tensor<4x8x16xf32>)
func.func @experts(%x: tensor<3x8xf32>, %ids: tensor<3x2xi32>, %gates: tensor<3x2xf32>,
                   %w1: tensor<4x2x16x8xf32>, %w2: tensor<4x8x16xf32>) -> tensor<3x8xf32> {
  // CHECK-NEXT: %[[TOKENS:.*]], %{{.*}}, %{{.*}}, %[[ROWS:.*]], %[[ENDS:.*]] = nn.route %[[IDS]]
  // CHECK-NEXT: %[[XR:.*]] = nn.embedding %[[TOKENS]], %[[X]] : {{.*}} -> tensor<6x8xf32>
  // CHECK-NEXT: %[[W:.*]] = nn.reshape %[[W1]] : {{.*}} -> tensor<4x32x8xf32>
  // CHECK-NEXT: %[[U:.*]] = nn.grouped_contract "rk,enk->rn" %[[XR]], %[[W]] ends %[[ENDS]] : {{.*}} -> tensor<6x32xf32>
  // CHECK-NEXT: %[[PARTS:.*]] = nn.reshape %[[U]] : {{.*}} -> tensor<6x2x16xf32>
  // CHECK-NEXT: %[[U0:.*]] = nn.select %[[PARTS]] dim 1 index 0
  // CHECK-NEXT: %[[U1:.*]] = nn.select %[[PARTS]] dim 1 index 1
  // CHECK-NEXT: %[[ACT:.*]] = nn.silu %[[U0]]
  // CHECK-NEXT: %[[A:.*]] = nn.mul %[[ACT]], %[[U1]]
  // CHECK-NEXT: %[[Z:.*]] = nn.grouped_contract "rk,enk->rn" %[[A]], %[[W2]] ends %[[ENDS]] : {{.*}} -> tensor<6x8xf32>
  // CHECK-NEXT: %[[PICKED:.*]] = nn.embedding %[[ROWS]], %[[Z]] : {{.*}} -> tensor<3x2x8xf32>
  // CHECK-NEXT: %[[G:.*]] = nn.broadcast %[[GATES]] [0, 1]
  // CHECK-NEXT: %[[TERMS:.*]] = nn.mul %[[PICKED]], %[[G]]
  // CHECK-NEXT: %[[Y:.*]] = nn.reduce %[[TERMS]] [1] : tensor<3x2x8xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: return %[[Y]]
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<3x8xf32>, tensor<3x2xi32>, tensor<3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// In 16 bits the sum over choices is f32, and rounded once. With frozen weights
// only dx and dgates are computed.
// CHECK-LABEL: func @frozen
func.func @frozen(%dy: tensor<3x8xbf16>, %x: tensor<3x8xbf16>, %ids: tensor<3x2xi32>, %gates: tensor<3x2xf32>,
                  %w1: tensor<4x1x16x8xbf16>, %w2: tensor<4x8x16xbf16>) -> (tensor<3x8xbf16>, tensor<3x2xf32>) {
  // CHECK-NOT: "rn,rk->enk"
  // CHECK: %[[BACK:.*]] = nn.grouped_contract "rn,enk->rk" {{.*}} -> tensor<6x16xf32>
  // CHECK: %[[DOTS:.*]] = nn.reduce %{{.*}} [1] : tensor<6x16xf32> -> tensor<6xf32>
  // CHECK: %[[DX:.*]] = nn.grouped_contract "rn,enk->rk" {{.*}} -> tensor<6x8xf32>
  // CHECK: %[[SUM:.*]] = nn.reduce %{{.*}} [1] : tensor<3x2x8xf32> -> tensor<3x8xf32>
  // CHECK-NEXT: nn.cast %[[SUM]] : tensor<3x8xf32> -> tensor<3x8xbf16>
  // CHECK-NOT: "rn,rk->enk"
  %dx, %dgates, %dw:2 = nn.experts_grad relu %dy, %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<3x8xbf16>, tensor<3x8xbf16>, tensor<3x2xi32>, tensor<3x2xf32>, tensor<4x1x16x8xbf16>, tensor<4x8x16xbf16>)
      -> (tensor<3x8xbf16>, tensor<3x2xf32>, tensor<4x1x16x8xbf16>, tensor<4x8x16xbf16>)
  return %dx, %dgates : tensor<3x8xbf16>, tensor<3x2xf32>
}
