// Rows that all samples share: their cotangent is a sum over samples, which
// must not depend on the batch size.
// RUN: pcc-opt %s --nn-precision=kind=fp16 --nn-autodiff | FileCheck %s
// CHECK: %[[ROWS:.*]] = nn.embedding %{{.*}} : tensor<4xi64>, tensor<9x8xf16> -> tensor<4x8xf16>
// CHECK: nn.broadcast %[[ROWS]] [1, 2] : tensor<4x8xf16> -> tensor<2x4x8xf16>
// CHECK: %[[WIDE:.*]] = nn.cast %{{.*}} {nn.bwd} : tensor<2x4x8xf16> -> tensor<2x4x8xf32>
// CHECK: %[[SUM:.*]] = nn.reduce %[[WIDE]] [0] {nn.bwd} : tensor<2x4x8xf32> -> tensor<4x8xf32>
// CHECK: nn.embedding_grad %[[SUM]], %{{.*}} {nn.bwd} : tensor<4x8xf32>, tensor<4xi64> -> tensor<9x8xf32>
module {
  nn.param @wpe : tensor<9x8xf32> init normal decay
  nn.param @w : tensor<8x8xf32> init normal decay
  func.func @loss(%x: tensor<2x4x8xf32> {nn.role = #nn.role<data>, nn.name = "x"},
                  %at: tensor<4xi64> {nn.role = #nn.role<positions>, nn.name = "at"})
      -> (tensor<f32>, tensor<f32>) {
    %table = nn.read @wpe : tensor<9x8xf32>
    %rows = nn.embedding %at, %table : tensor<4xi64>, tensor<9x8xf32> -> tensor<4x8xf32>
    %all = nn.broadcast %rows [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
    %h = nn.sum %x, %all : tensor<2x4x8xf32>
    %w = nn.read @w : tensor<8x8xf32>
    %y = nn.contract "bsk,kn->bsn" %h, %w : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32>
    %square = nn.mul %y, %y : tensor<2x4x8xf32>
    %sum = nn.reduce %square [0, 1, 2] : tensor<2x4x8xf32> -> tensor<f32>
    %count = nn.constant dense<64.0> : tensor<f32>
    return %sum, %count : tensor<f32>, tensor<f32>
  }
}
