// Sums that are not split, or not moved; split-accumulate.mlir has those that
// are.
// RUN: pcc-opt %s -split-input-file --rt-split-accumulate | FileCheck %s

// The sum is needed itself.
// CHECK-LABEL: pipe.body @sum_used
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[CONTRACT]], %x : tensor<4x4xf32>
// CHECK-NEXT: %[[SUM1:.*]] = nn.sum %dw, %[[SUM]] : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[SUM]], %[[SUM1]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @sum_used (%x: tensor<4x4xf32>, %dw: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> into 1) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %s = nn.sum %p, %x : tensor<4x4xf32>
  %sum = nn.sum %dw, %s : tensor<4x4xf32>
  pipe.yield %s, %sum : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The sum with the old value is needed itself, too.
// CHECK-LABEL: pipe.body @result_used
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dw, %[[CONTRACT]] : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[SUM]], %[[SUM]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @result_used (%x: tensor<4x4xf32>, %dw: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> into 1) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %sum = nn.sum %dw, %p : tensor<4x4xf32>
  pipe.yield %sum, %sum : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The table's gradient has another use.
// CHECK-LABEL: pipe.body @rows_used
// CHECK-NEXT: %[[EMBEDDING_GRAD:.*]] = nn.embedding_grad %x, %ids : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dw, %[[EMBEDDING_GRAD]], %x : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[EMBEDDING_GRAD]], %[[SUM]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @rows_used (%x: tensor<4x4xf32>, %ids: tensor<4xi64>,
    %dw: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32> into 2) {
  %e = nn.embedding_grad %x, %ids : tensor<4x4xf32>, tensor<4xi64> -> tensor<4x4xf32>
  %s = nn.sum %e, %x : tensor<4x4xf32>
  %sum = nn.sum %dw, %s : tensor<4x4xf32>
  pipe.yield %e, %sum : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The old value is needed itself: its buffer must not change.
// CHECK-LABEL: pipe.body @old_used
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dw, %[[CONTRACT]] : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %dw, %[[SUM]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @old_used (%x: tensor<4x4xf32>, %dw: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> into 1) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %sum = nn.sum %dw, %p : tensor<4x4xf32>
  pipe.yield %dw, %sum : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The old value is an operand of the GEMM.
// CHECK-LABEL: pipe.body @own_factor
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %dw, %dw : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dw, %[[CONTRACT]] : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[SUM]] : tensor<4x4xf32>
pipe.body @own_factor (%dw: tensor<4x4xf32>) -> (tensor<4x4xf32> into 0) {
  %p = nn.contract "mk,kn->mn" %dw, %dw : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %sum = nn.sum %dw, %p : tensor<4x4xf32>
  pipe.yield %sum : tensor<4x4xf32>
}

// -----

// The sum goes into another argument's buffer, or into its own.
// CHECK-LABEL: pipe.body @elsewhere
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,nk->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dv, %[[CONTRACT]] : tensor<4x4xf32>
// CHECK-NEXT: %[[SUM1:.*]] = nn.sum %dw, %[[CONTRACT1]] : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %[[SUM]], %[[SUM1]] : tensor<4x4xf32>, tensor<4x4xf32>
pipe.body @elsewhere (%x: tensor<4x4xf32>, %dw: tensor<4x4xf32>,
    %dv: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32> into 2) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %q = nn.contract "mk,nk->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %a = nn.sum %dv, %p : tensor<4x4xf32>
  %b = nn.sum %dw, %q : tensor<4x4xf32>
  pipe.yield %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A GEMM behind reshapes counts; the rest of the sum is one sum.
// CHECK-LABEL: pipe.body @reshaped
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %[[CONTRACT]] : tensor<4x4xf32> -> tensor<16xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %dw, %[[RESHAPE]] {rt.adds_in_place} : tensor<16xf32>
// CHECK-NEXT: %[[SUM1:.*]] = nn.sum %[[SUM]], %y, %z : tensor<16xf32>
// CHECK-NEXT: pipe.yield %[[SUM1]] : tensor<16xf32>
pipe.body @reshaped (%x: tensor<4x4xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>,
    %dw: tensor<16xf32>) -> (tensor<16xf32> into 3) {
  %p = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %r = nn.reshape %p : tensor<4x4xf32> -> tensor<16xf32>
  %s = nn.sum %y, %r, %z : tensor<16xf32>
  %sum = nn.sum %dw, %s : tensor<16xf32>
  pipe.yield %sum : tensor<16xf32>
}
