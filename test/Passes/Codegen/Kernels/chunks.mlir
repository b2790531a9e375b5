// Slices of chunks stay outside kernels: chunks of one size share their kernels.
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels | FileCheck %s

// CHECK: pipe.body @forward.0.body
// CHECK: %[[X0:.*]] = nn.slice %x at [0, 0]
// CHECK: %[[G0:.*]] = func.call @kernel_0_gelu(%[[X0]])
// CHECK: nn.contract "bk,kn->bn" %[[G0]], %w
// CHECK: %[[X1:.*]] = nn.slice %x at [2, 0]
// CHECK: %[[G1:.*]] = func.call @kernel_0_gelu(%[[X1]])
// CHECK: nn.contract "bk,kn->bn" %[[G1]], %w
// CHECK: func.func private @kernel_0_gelu(%arg0: tensor<2x8xf32>)
// CHECK-NOT: nn.slice
pipe.body @forward.0.body(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>) {
  %x0 = nn.slice %x at [0, 0] step [1, 1] {nn.chunk = array<i64: 2>} : tensor<4x8xf32> -> tensor<2x8xf32>
  %g0 = nn.gelu %x0 : tensor<2x8xf32>
  %y0 = nn.contract "bk,kn->bn" %g0, %w : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
  %x1 = nn.slice %x at [2, 0] step [1, 1] {nn.chunk = array<i64: 2>} : tensor<4x8xf32> -> tensor<2x8xf32>
  %g1 = nn.gelu %x1 : tensor<2x8xf32>
  %y1 = nn.contract "bk,kn->bn" %g1, %w : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
  %y = nn.concat %y0, %y1 along 0 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  pipe.yield %y : tensor<4x8xf32>
}
