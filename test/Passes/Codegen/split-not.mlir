// What is not split, or not moved: see split-accumulate.mlir for what is.
// RUN: pcc-opt %s -split-input-file --rt-split-accumulate | FileCheck %s

// The sum is needed itself.
nn.state @s : tensor<4x4xf32> sum
// CHECK-LABEL: func.func @sum_used(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %arg0, %arg0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[CONTRACT]], %arg0 : tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[SUM]], @s : tensor<4x4xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<4x4xf32>
func.func @sum_used(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %s = nn.sum %p, %x : tensor<4x4xf32>
  nn.accumulate %s, @s : tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----

// Another needs the rows of the table.
nn.state @s : tensor<4x4xf32> sum
// CHECK-LABEL: func.func @rows_used(
// CHECK-NEXT: %[[EMBEDDING_GRAD:.*]] = nn.embedding_grad %arg0, %arg1 : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[EMBEDDING_GRAD]], %arg0 : tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[SUM]], @s : tensor<4x4xf32>
// CHECK-NEXT: return %[[EMBEDDING_GRAD]] : tensor<4x4xf32>
func.func @rows_used(%x: tensor<4x4xf32>, %ids: tensor<4xi64>) -> tensor<4x4xf32> {
  %e = nn.embedding_grad %x, %ids : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
  %s = nn.sum %e, %x : tensor<4x4xf32>
  nn.accumulate %s, @s : tensor<4x4xf32>
  return %e : tensor<4x4xf32>
}

// -----

// The state is written in between; another may be, and others may add to it.
nn.state @s : tensor<4x4xf32> sum
nn.state @t : tensor<4x4xf32> sum
// CHECK-LABEL: func.func @written(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %arg0, %arg0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.write %arg0, @s : tensor<4x4xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,nk->mn" %arg0, %arg0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[CONTRACT1]], @s : tensor<4x4xf32>
// CHECK-NEXT: nn.write %arg0, @t : tensor<4x4xf32>
// CHECK-NEXT: %[[T:.*]] = nn.read @t : tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[T]], @s : tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[CONTRACT]], @s : tensor<4x4xf32>
// CHECK-NEXT: return
func.func @written(%x: tensor<4x4xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  nn.write %x, @s : tensor<4x4xf32>
  %q = nn.contract "mk,nk->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  nn.write %x, @t : tensor<4x4xf32>
  %t = nn.read @t : tensor<4x4xf32>
  nn.accumulate %t, @s : tensor<4x4xf32>
  %s = nn.sum %p, %q : tensor<4x4xf32>
  nn.accumulate %s, @s : tensor<4x4xf32>
  return
}

// -----

// A product behind reshapes is one; only what is left of the sum remains.
nn.state @s : tensor<16xf32> sum
// CHECK-LABEL: func.func @reshaped(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %arg0, %arg0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %[[CONTRACT]] : tensor<4x4xf32> -> tensor<16xf32>
// CHECK-NEXT: nn.accumulate %[[RESHAPE]], @s : tensor<16xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %arg1, %arg2 : tensor<16xf32>
// CHECK-NEXT: nn.accumulate %[[SUM]], @s : tensor<16xf32>
// CHECK-NEXT: return
func.func @reshaped(%x: tensor<4x4xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = nn.reshape %p : tensor<4x4xf32> -> tensor<16xf32>
  %s = nn.sum %y, %r, %z : tensor<16xf32>
  nn.accumulate %s, @s : tensor<16xf32>
  return
}
