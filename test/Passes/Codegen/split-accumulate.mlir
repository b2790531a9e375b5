// Sums whose operands are accumulated one by one into the buffer of an
// argument.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate)" | FileCheck %s
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate{scatters=false})" \
// RUN:   | FileCheck %s --check-prefix=KERNEL

dist.mesh @mesh = <["dp"=2]>

// CHECK-LABEL: pipe.body @products
pipe.body @products (%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
    %z: tensor<8x6xf32>, %dw: tensor<8x6xf32>) -> (tensor<8x6xf32> into 3) {
  // CHECK: %[[P:.*]] = nn.contract
  // CHECK-NEXT: %[[S0:.*]] = nn.sum %dw, %[[P]] {rt.adds_in_place}
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[Q:.*]] = nn.contract
  // CHECK-NEXT: %[[S1:.*]] = nn.sum %[[S0]], %[[Q]] {rt.adds_in_place}
  %q = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[G:.*]] = nn.gelu
  %g = nn.gelu %z : tensor<8x6xf32>
  // CHECK-NEXT: %[[S2:.*]] = nn.sum %[[S1]], %z, %[[G]] : tensor<8x6xf32>
  // CHECK-NEXT: pipe.yield %[[S2]]
  %s = nn.sum %p, %z, %g, %q : tensor<8x6xf32>
  %sum = nn.sum %dw, %s : tensor<8x6xf32>
  pipe.yield %sum : tensor<8x6xf32>
}

// Reduced values are added as they arrive, or else by a kernel.
// CHECK-LABEL: pipe.body @reduced
// KERNEL-LABEL: pipe.body @reduced
// KERNEL: %[[R:.*]] = dist.reduce_scatter
// KERNEL-NEXT: nn.sum %sum, %[[R]] : tensor<4x6xf32>
pipe.body @reduced (%x: tensor<8x6xf32>, %sum: tensor<4x6xf32>)
    -> (tensor<4x6xf32> into 1) {
  // CHECK: %[[R:.*]] = dist.reduce_scatter
  // CHECK-NEXT: nn.sum %sum, %[[R]] {rt.adds_in_place}
  %r = dist.reduce_scatter %x dim 0 over ["dp"]
      : tensor<8x6xf32> -> tensor<4x6xf32>
  %s = nn.sum %sum, %r : tensor<4x6xf32>
  pipe.yield %s : tensor<4x6xf32>
}

// A sum that a kernel computes in one pass stays one sum.
// CHECK-LABEL: pipe.body @no_product
pipe.body @no_product (%z: tensor<8x6xf32>, %dw: tensor<8x6xf32>)
    -> (tensor<8x6xf32> into 1) {
  %g = nn.gelu %z : tensor<8x6xf32>
  // CHECK: %[[S:.*]] = nn.sum %dw, %z, %{{.*}} : tensor<8x6xf32>
  // CHECK-NEXT: pipe.yield %[[S]]
  %s = nn.sum %z, %g : tensor<8x6xf32>
  %sum = nn.sum %dw, %s : tensor<8x6xf32>
  pipe.yield %sum : tensor<8x6xf32>
}

// A GEMM result with another use has memory anyway.
// CHECK-LABEL: pipe.body @used
pipe.body @used (%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
    %z: tensor<8x6xf32>, %dw: tensor<8x6xf32>)
    -> (tensor<8x6xf32>, tensor<8x6xf32> into 3) {
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: %[[S:.*]] = nn.sum %dw, %{{.*}}, %z : tensor<8x6xf32>
  // CHECK-NEXT: pipe.yield %{{.*}}, %[[S]]
  %s = nn.sum %p, %z : tensor<8x6xf32>
  %sum = nn.sum %dw, %s : tensor<8x6xf32>
  pipe.yield %p, %sum : tensor<8x6xf32>, tensor<8x6xf32>
}

// The rows of a table are added in place, too, but by a kernel.
// CHECK-LABEL: pipe.body @table
pipe.body @table (%ids: tensor<4xi64>, %dy: tensor<4x6xf32>,
    %z: tensor<8x6xf32>, %dw: tensor<8x6xf32>) -> (tensor<8x6xf32> into 3) {
  // CHECK: %[[S0:.*]] = nn.sum %dw, %z : tensor<8x6xf32>
  // CHECK-NEXT: %[[E:.*]] = nn.embedding_grad
  // CHECK-NEXT: %[[S1:.*]] = nn.sum %[[S0]], %[[E]] : tensor<8x6xf32>
  // CHECK-NEXT: pipe.yield %[[S1]]
  %e = nn.embedding_grad %dy, %ids : tensor<4x6xf32>, tensor<4xi64> -> tensor<8x6xf32>
  %s = nn.sum %e, %z : tensor<8x6xf32>
  %sum = nn.sum %dw, %s : tensor<8x6xf32>
  pipe.yield %sum : tensor<8x6xf32>
}

// Without an old value the first GEMM overwrites.
// CHECK-LABEL: pipe.body @first
pipe.body @first (%x: tensor<4x8xf32>, %y: tensor<4x6xf32>,
    %z: tensor<8x6xf32>, %dw: tensor<8x6xf32>) -> (tensor<8x6xf32> into 3) {
  // CHECK: %[[P:.*]] = nn.contract
  // CHECK-NEXT: %[[S0:.*]] = nn.sum %[[P]], %z : tensor<8x6xf32>
  // CHECK-NEXT: %[[Q:.*]] = nn.contract
  // CHECK-NEXT: %[[S1:.*]] = nn.sum %[[S0]], %[[Q]] {rt.adds_in_place}
  // CHECK-NEXT: pipe.yield %[[S1]]
  %p = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %q = nn.contract "bk,bn->kn" %x, %y
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %s = nn.sum %p, %z : tensor<8x6xf32>
  %sum = nn.sum %s, %q : tensor<8x6xf32>
  pipe.yield %sum : tensor<8x6xf32>
}

// CHECK-LABEL: pipe.body @first_kernel
pipe.body @first_kernel (%z: tensor<8x6xf32>, %dw: tensor<8x6xf32>)
    -> (tensor<8x6xf32> into 1) {
  %g = nn.gelu %z : tensor<8x6xf32>
  // CHECK: %[[S:.*]] = nn.sum %z, %{{.*}} : tensor<8x6xf32>
  // CHECK-NEXT: pipe.yield %[[S]]
  %s = nn.sum %z, %g : tensor<8x6xf32>
  pipe.yield %s : tensor<8x6xf32>
}
