// Sums of vectors that are added up, as in the norm of a model's gradients. For
// devices, vectors of one shape are added elementwise first, so that there is
// one sum for each shape. For CPUs nothing changes.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefix=APART
// The sums are equal up to the order of additions.
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// RUN: pcc-run %s --entry=norm --fill 1 --save=0=%t.0.npy --save=1=%t.1.npy \
// RUN:   --print=none
// RUN: pcc-run %t.mlir --entry=norm --fill 1 --expect=0=%t.0.npy \
// RUN:   --expect=1=%t.1.npy --rtol 1e-6
// RUN: pcc-run %s --entry=all --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=all --fill 1 --expect=0=%t.npy --rtol 1e-6

// DEVICE: 3 kernels, 0 wrong

// The sum of %e has another use, and %d is shorter: they are not merged.
// CHECK-LABEL: func.func private @kernel_0_reduce_sum(
// CHECK-SAME: %[[D:.*]]: tensor<64xf32>, %[[E:.*]]: tensor<512xf32>, %[[A:.*]]: tensor<512xf32>, %[[B:.*]]: tensor<512xf32>, %[[C:.*]]: tensor<512xf32>)
// CHECK-NEXT: %[[OTHER:.*]] = nn.reduce %[[D]] [0]
// CHECK-NEXT: %[[READ:.*]] = nn.reduce %[[E]] [0]
// CHECK-NEXT: %[[ABC:.*]] = nn.sum %[[A]], %[[B]], %[[C]] : tensor<512xf32>
// CHECK-NEXT: %[[SAME:.*]] = nn.reduce %[[ABC]] [0]
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[SAME]], %[[OTHER]], %[[READ]] : tensor<f32>
// CHECK-NEXT: return %[[READ]], %[[SUM]]
// APART-COUNT-5: nn.reduce
func.func @norm(%a: tensor<512xf32>, %b: tensor<512xf32>, %c: tensor<512xf32>,
    %d: tensor<64xf32>, %e: tensor<512xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = nn.reduce %a [0] : tensor<512xf32> -> tensor<f32>
  %1 = nn.reduce %d [0] : tensor<64xf32> -> tensor<f32>
  %2 = nn.reduce %b [0] : tensor<512xf32> -> tensor<f32>
  %3 = nn.reduce %e [0] : tensor<512xf32> -> tensor<f32>
  %4 = nn.reduce %c [0] : tensor<512xf32> -> tensor<f32>
  %5 = nn.sum %0, %1, %2, %3, %4 : tensor<f32>
  return %3, %5 : tensor<f32>, tensor<f32>
}

// All sums are merged: the remaining sum is not added to any other.
// CHECK-LABEL: func.func private @kernel_1_sum_reduce(
// CHECK: %[[BOTH:.*]] = nn.sum
// CHECK-NEXT: %[[SUM:.*]] = nn.reduce %[[BOTH]] [0]
// CHECK-NEXT: return %[[SUM]]
func.func @all(%a: tensor<512xf32>, %b: tensor<512xf32>) -> tensor<f32> {
  %0 = nn.reduce %a [0] : tensor<512xf32> -> tensor<f32>
  %1 = nn.reduce %b [0] : tensor<512xf32> -> tensor<f32>
  %2 = nn.sum %0, %1 : tensor<f32>
  return %2 : tensor<f32>
}

// In bf16 or fp16 the elements' sums would be rounded.
// CHECK-LABEL: func.func private @kernel_2_reduce_sum(
// CHECK-COUNT-2: nn.reduce
func.func @narrow(%a: tensor<64xbf16>, %b: tensor<64xbf16>) -> tensor<bf16> {
  %0 = nn.reduce %a [0] : tensor<64xbf16> -> tensor<bf16>
  %1 = nn.reduce %b [0] : tensor<64xbf16> -> tensor<bf16>
  %2 = nn.sum %0, %1 : tensor<bf16>
  return %2 : tensor<bf16>
}
