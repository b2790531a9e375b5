// A table of biases that all samples share, with its heads moved: ops that move
// elements of an unrounded gradient do not round it either.
// RUN: pcc-opt %s --nn-precision=kind=bf16 --nn-autodiff | FileCheck %s
// CHECK: %[[ROWS:.*]] = nn.embedding %{{.*}} -> tensor<4x8xbf16>
// CHECK: %[[MOVED:.*]] = nn.transpose %[[ROWS]] [1, 0] : tensor<4x8xbf16> -> tensor<8x4xbf16>
// CHECK: nn.broadcast %[[MOVED]] [1, 2] : tensor<8x4xbf16> -> tensor<2x8x4xbf16>
// CHECK: %[[SUM:.*]] = nn.reduce %{{.*}} [0] {nn.bwd} : tensor<2x8x4xf32> -> tensor<8x4xf32>
// CHECK: %[[BACK:.*]] = nn.transpose %[[SUM]] [1, 0] {nn.bwd} : tensor<8x4xf32> -> tensor<4x8xf32>
// CHECK: nn.embedding_grad %[[BACK]], %{{.*}} {nn.bwd} : tensor<4x8xf32>, tensor<4xi64> -> tensor<9x8xf32>
module {
  nn.param @table : tensor<9x8xf32> init normal decay
  nn.param @w : tensor<4x4xf32> init normal decay
  func.func @loss(%x: tensor<2x8x4xf32> {nn.role = #nn.role<data>, nn.name = "x"},
                  %at: tensor<4xi64> {nn.role = #nn.role<positions>, nn.name = "at"})
      -> (tensor<f32>, tensor<f32>) {
    %table = nn.read @table : tensor<9x8xf32>
    %rows = nn.embedding %at, %table : tensor<4xi64>, tensor<9x8xf32> -> tensor<4x8xf32>
    %moved = nn.transpose %rows [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %all = nn.broadcast %moved [1, 2] : tensor<8x4xf32> -> tensor<2x8x4xf32>
    %h = nn.sum %x, %all : tensor<2x8x4xf32>
    %w = nn.read @w : tensor<4x4xf32>
    %y = nn.contract "bsk,kn->bsn" %h, %w : tensor<2x8x4xf32>, tensor<4x4xf32> -> tensor<2x8x4xf32>
    %square = nn.mul %y, %y : tensor<2x8x4xf32>
    %sum = nn.reduce %square [0, 1, 2] : tensor<2x8x4xf32> -> tensor<f32>
    %count = nn.constant dense<64.0> : tensor<f32>
    return %sum, %count : tensor<f32>, tensor<f32>
  }
}
