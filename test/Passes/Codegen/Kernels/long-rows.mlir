// An update depends on a few numbers, such as a norm, which other kernels read
// as well. A kernel with both would have one row, which on CPUs is a single
// work item. On devices, blocks share a row and recompute the numbers, unless
// the kernel overwrites their operands.
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels | FileCheck %s
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefix=DEVICE

// CHECK-LABEL: pipe.body @clip
// CHECK: %[[N:.*]] = func.call @kernel_0_reduce_sqrt(%arg1)
// CHECK: %[[P:.*]] = func.call @kernel_1_sgd(%arg0, %arg2, %[[N]], %arg3)
// CHECK: pipe.yield %[[P]], %[[N]]
// DEVICE-LABEL: pipe.body @clip
// DEVICE: func.call @kernel_0_reduce_sqrt_sgd(%arg1, %arg0, %arg2, %arg3)
// DEVICE-NEXT: pipe.yield
pipe.body @clip (%arg0: tensor<1x65536xf32>, %arg1: tensor<8xf32>, %arg2: tensor<1x65536xf32>, %arg3: tensor<f32>)
    -> (tensor<1x65536xf32> into 0, tensor<f32>) {
  %s = nn.reduce %arg1 [0] : tensor<8xf32> -> tensor<f32>
  %n = nn.sqrt %s : tensor<f32>
  %p = nn.sgd %arg0, %arg2 grad_scale %n lr %arg3 weight_decay %arg3 : tensor<1x65536xf32>, tensor<1x65536xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  pipe.yield %p, %n : tensor<1x65536xf32>, tensor<f32>
}

// CHECK-LABEL: pipe.body @replaced
// CHECK: %[[N:.*]] = func.call @kernel_2_scale(%arg1)
// CHECK: func.call @kernel_1_sgd(%arg0, %arg2, %[[N]], %arg3)
// DEVICE-LABEL: pipe.body @replaced
// DEVICE: %[[N:.*]] = func.call @kernel_1_scale(%arg1)
// DEVICE: func.call @kernel_2_sgd(%arg0, %arg2, %[[N]], %arg3)
pipe.body @replaced (%arg0: tensor<1x65536xf32>, %arg1: tensor<f32>, %arg2: tensor<1x65536xf32>, %arg3: tensor<f32>)
    -> (tensor<1x65536xf32> into 0, tensor<f32> into 1) {
  %n = nn.scale %arg1 by 2.0 : tensor<f32>
  %p = nn.sgd %arg0, %arg2 grad_scale %n lr %arg3 weight_decay %arg3 : tensor<1x65536xf32>, tensor<1x65536xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  pipe.yield %p, %n : tensor<1x65536xf32>, tensor<f32>
}

// A softmax has one row anyway, so it is fused with its operand.
// CHECK-LABEL: func.func @softmax(
// CHECK: call @{{.*}}_exp_softmax(%arg0)
func.func @softmax(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %e = nn.exp %x : tensor<1x65536xf32>
  %y = nn.softmax %e : tensor<1x65536xf32>
  return %y : tensor<1x65536xf32>
}
