// Sums over rows in two steps, for devices that need many work items.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// The sums are equal up to the order of additions.
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// RUN: pcc-run %s --entry=sum --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=sum --fill 1 --expect=0=%t.npy --rtol 1e-6
// RUN: pcc-run %s --entry=scales --fill 1 --save=0=%t.0.npy --save=1=%t.1.npy \
// RUN:   --save=2=%t.2.npy --print=none
// RUN: pcc-run %t.mlir --entry=scales --fill 1 --expect=0=%t.0.npy \
// RUN:   --expect=1=%t.1.npy --expect=2=%t.2.npy --rtol 1e-6

// DEVICE: 6 kernels, 0 wrong
// WHOLE-NOT: nn.reshape

// 6 blocks of 40 rows: 288 partial sums.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %[[X:.*]]: tensor<4x60x48xf32>
// CHECK: %[[PARTS:.*]] = call @kernel_0_reduce(%[[X]]) : (tensor<4x60x48xf32>) -> tensor<6x48xf32>
// CHECK: %[[ALL:.*]] = call @kernel_1_reduce(%[[PARTS]]) : (tensor<6x48xf32>) -> tensor<48xf32>
// CHECK: return %[[ALL]]
func.func @sum(%x: tensor<4x60x48xf32>) -> tensor<48xf32> {
  %s = nn.reduce %x [0, 1] : tensor<4x60x48xf32> -> tensor<48xf32>
  return %s : tensor<48xf32>
}

// The gradients of norms' scales, in f32, and the sum of a rounded value in
// f32, too. All read dy, so one kernel computes all partial sums, and one
// kernel adds them.
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[DY:.*]]: tensor<4x128x16xbf16>, %[[X:.*]]: tensor<4x128x16xbf16>, %[[MEAN:.*]]: tensor<4x128xf32>, %[[RSTD:.*]]: tensor<4x128xf32>)
// CHECK: %[[P:.*]]:3 = call @kernel_2_sub_mul_reduce(%[[X]], %[[DY]], %[[MEAN]], %[[RSTD]]) {{.*}} -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK: %[[S:.*]]:3 = call @kernel_3_reduce(%[[P]]#0, %[[P]]#1, %[[P]]#2) {{.*}} -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
// CHECK: return %[[S]]#0, %[[S]]#1, %[[S]]#2
func.func @scales(%dy: tensor<4x128x16xbf16>, %x: tensor<4x128x16xbf16>,
    %mean: tensor<4x128xf32>, %rstd: tensor<4x128xf32>)
    -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %ds = nn.layer_norm_grad_scale %dy, %x mean %mean rstd %rstd
      : tensor<4x128x16xbf16>, tensor<4x128xf32>, tensor<4x128xf32> -> tensor<16xf32>
  %w = nn.cast %dy
      : tensor<4x128x16xbf16> -> tensor<4x128x16xf32>
  %db = nn.reduce %w [0, 1] : tensor<4x128x16xf32> -> tensor<16xf32>
  %dr = nn.rms_norm_grad_scale %dy, %x rstd %rstd
      : tensor<4x128x16xbf16>, tensor<4x128xf32> -> tensor<16xf32>
  return %ds, %db, %dr : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// With few rows or many columns, nothing changes.
// CHECK-LABEL: func.func @few(
// CHECK: call @{{.*}} : (tensor<63x15xf32>) -> tensor<15xf32>
func.func @few(%x: tensor<63x15xf32>) -> tensor<15xf32> {
  %s = nn.reduce %x [0] : tensor<63x15xf32> -> tensor<15xf32>
  return %s : tensor<15xf32>
}

// CHECK-LABEL: func.func @wide(
// CHECK: call @{{.*}} : (tensor<640x512xf32>) -> tensor<512xf32>
func.func @wide(%x: tensor<640x512xf32>) -> tensor<512xf32> {
  %s = nn.reduce %x [0] : tensor<640x512xf32> -> tensor<512xf32>
  return %s : tensor<512xf32>
}

// The rows of a partial sum are consecutive.
// CHECK-LABEL: func.func private @kernel_0_reduce(
// CHECK-NEXT: %[[ROWS:.*]] = nn.reshape %arg0 : tensor<4x60x48xf32> -> tensor<6x40x48xf32>
// CHECK-NEXT: nn.reduce %[[ROWS]] [1] : tensor<6x40x48xf32> -> tensor<6x48xf32>
// CHECK-LABEL: func.func private @kernel_2_sub_mul_reduce(
// CHECK: nn.sub
// CHECK: nn.reduce {{.*}} [1] : tensor<16x32x16xf32> -> tensor<16x16xf32>
