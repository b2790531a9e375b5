// Sums over rows that a kernel computes together with other work on each row:
// its work items take groups of rows one after another, and read each row once.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// The kernels of devices and CPUs compute the same, and the CPUs' kernels the
// same as the interpreter.
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// RUN: pcc-run %s --entry=norm --fill 1 --save=0=%t.0.npy --save=1=%t.1.npy \
// RUN:   --save=2=%t.2.npy --save=3=%t.3.npy --print=none
// RUN: pcc-run %t.mlir --entry=norm --fill 1 --expect=0=%t.0.npy \
// RUN:   --expect=1=%t.1.npy --expect=2=%t.2.npy --expect=3=%t.3.npy --rtol 1e-5

// DEVICE: kernel_0_{{[a-z_]*}}: 256 blocks of 32, {{.*}}, reads 1.0{{[0-9]}}, writes 1.00
// DEVICE: 9 kernels, 0 wrong

// The gradients of a norm, of its scale and bias, and of the bias of the GEMM
// before it. The rows of the norm's gradient overwrite those of dy.
// CHECK-LABEL: func.func @norm(
// CHECK-NEXT: %[[ALL:.*]]:4 = call @kernel_0_
// CHECK-NEXT: %[[SUMS:.*]]:3 = call @kernel_1_reduce(%[[ALL]]#1, %[[ALL]]#2, %[[ALL]]#3)
// CHECK-NEXT: return %[[ALL]]#0, %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2
func.func @norm(%dy: tensor<8192x256xf32>, %x: tensor<8192x256xf32>,
    %scale: tensor<256xf32>, %mean: tensor<8192xf32>, %rstd: tensor<8192xf32>,
    %rest: tensor<8192x256xf32>)
    -> (tensor<8192x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
  %d = nn.layer_norm_grad %dy, %x scale %scale mean %mean rstd %rstd
      : tensor<8192x256xf32>, tensor<256xf32>, tensor<8192xf32>, tensor<8192xf32>
  %dx = nn.sum %d, %rest : tensor<8192x256xf32>
  %ds = nn.layer_norm_grad_scale %dy, %x mean %mean rstd %rstd
      : tensor<8192x256xf32>, tensor<8192xf32>, tensor<8192xf32> -> tensor<256xf32>
  %db = nn.reduce %dy [0] : tensor<8192x256xf32> -> tensor<256xf32>
  %dp = nn.reduce %dx [0] : tensor<8192x256xf32> -> tensor<256xf32>
  return %dx, %ds, %db, %dp
      : tensor<8192x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
}

// One number per row in addition. The number of columns is no multiple of a
// warp's, so the threads of a block wait for each other.
// CHECK-LABEL: func.func @numbers(
// CHECK-NEXT: call @kernel_2_{{.*}} -> (tensor<8192xf32>, tensor<256x388xf32>)
// CHECK-NEXT: call @kernel_3_reduce(
func.func @numbers(%x: tensor<8192x388xf32>) -> (tensor<8192xf32>, tensor<388xf32>) {
  %y = nn.softmax %x : tensor<8192x388xf32>
  %z = nn.mul %y, %x : tensor<8192x388xf32>
  %r = nn.reduce %z [1] : tensor<8192x388xf32> -> tensor<8192xf32>
  %s = nn.reduce %y [0] : tensor<8192x388xf32> -> tensor<388xf32>
  return %r, %s : tensor<8192xf32>, tensor<388xf32>
}

// Rows are not grouped if there are too few columns for a work item, or few
// rows.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT: call {{.*}} -> tensor<8192x64xf32>
// CHECK-NEXT: call {{.*}} -> tensor<4x64xf32>
// CHECK-NEXT: call {{.*}} -> tensor<64xf32>
func.func @narrow(%x: tensor<8192x64xf32>) -> (tensor<8192x64xf32>, tensor<64xf32>) {
  %y = nn.softmax %x : tensor<8192x64xf32>
  %s = nn.reduce %y [0] : tensor<8192x64xf32> -> tensor<64xf32>
  return %y, %s : tensor<8192x64xf32>, tensor<64xf32>
}
// CHECK-LABEL: func.func @few(
// CHECK-NEXT: call {{.*}} -> tensor<64x256xf32>
// CHECK-NEXT: call {{.*}} -> tensor<256xf32>
func.func @few(%x: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<256xf32>) {
  %y = nn.softmax %x : tensor<64x256xf32>
  %s = nn.reduce %y [0] : tensor<64x256xf32> -> tensor<256xf32>
  return %y, %s : tensor<64x256xf32>, tensor<256xf32>
}

// CHECK: func.func private @kernel_0_
// CHECK-SAME: -> (tensor<8192x256xf32> {rt.inplace = 0 : i64}, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>)
