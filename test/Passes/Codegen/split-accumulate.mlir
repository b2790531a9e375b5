// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate)" | FileCheck %s

nn.param @w : tensor<8x6xf32> init normal
nn.state @grad.w : tensor<8x6xf32> gradient of @w

// CHECK-LABEL: @products
func.func @products(%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
                    %z: tensor<8x6xf32>) {
  // CHECK: %[[P:.*]] = nn.contract
  // CHECK-NEXT: nn.accumulate %[[P]], @grad.w
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[Q:.*]] = nn.contract
  // CHECK-NEXT: nn.accumulate %[[Q]], @grad.w
  %q = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[G:.*]] = nn.gelu
  %g = nn.gelu %z : tensor<8x6xf32>
  // CHECK: %[[R:.*]] = nn.sum %{{.*}}, %[[G]]
  // CHECK-NEXT: nn.accumulate %[[R]], @grad.w
  // CHECK-NOT: nn.accumulate
  %s = nn.sum %p, %z, %g, %q : tensor<8x6xf32>
  nn.accumulate %s, @grad.w : tensor<8x6xf32>
  return
}

// What a kernel adds up in one sweep stays one sum.
// CHECK-LABEL: @no_product
func.func @no_product(%z: tensor<8x6xf32>) {
  %g = nn.gelu %z : tensor<8x6xf32>
  // CHECK: %[[S:.*]] = nn.sum
  // CHECK-NEXT: nn.accumulate %[[S]], @grad.w
  %s = nn.sum %z, %g : tensor<8x6xf32>
  nn.accumulate %s, @grad.w : tensor<8x6xf32>
  return
}

// A product that is used otherwise has memory anyway.
// CHECK-LABEL: @used
func.func @used(%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
                %z: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[S:.*]] = nn.sum
  // CHECK-NEXT: nn.accumulate %[[S]], @grad.w
  %s = nn.sum %p, %z : tensor<8x6xf32>
  nn.accumulate %s, @grad.w : tensor<8x6xf32>
  return %p : tensor<8x6xf32>
}

// The rows of a table are added in place, too.
// CHECK-LABEL: @table
func.func @table(%ids: tensor<4xi64>, %dy: tensor<4x6xf32>,
                 %z: tensor<8x6xf32>) {
  // CHECK: %[[E:.*]] = nn.embedding_grad
  // CHECK-NEXT: nn.accumulate %[[E]], @grad.w
  // CHECK-NEXT: nn.accumulate %{{.*}}, @grad.w
  %e = nn.embedding_grad %dy, %ids : tensor<4x6xf32>, tensor<4xi64> -> tensor<8x6xf32>
  %s = nn.sum %e, %z : tensor<8x6xf32>
  nn.accumulate %s, @grad.w : tensor<8x6xf32>
  return
}

// The state is read before the sum is added: the product waits.
// CHECK-LABEL: @read_between
func.func @read_between(%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
                        %z: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK: %[[P:.*]] = nn.contract
  // CHECK-NEXT: nn.read @grad.w
  // CHECK-NEXT: nn.accumulate %[[P]], @grad.w
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %old = nn.read @grad.w : tensor<8x6xf32>
  %s = nn.sum %p, %z : tensor<8x6xf32>
  nn.accumulate %s, @grad.w : tensor<8x6xf32>
  return %old : tensor<8x6xf32>
}
