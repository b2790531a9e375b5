// RUN: pcc-opt %s --nn-autodiff | FileCheck %s
// RUN: pcc-opt %s --canonicalize | FileCheck %s --check-prefix=KEPT

// No gradient flows through a cast with nn.detached, which is then removed; and
// none from lookups of a padding row: their ids become invalid.

// KEPT: nn.cast %{{.*}} {nn.detached}
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[ROWS:.*]] = nn.embedding %[[IDS:[^,]*]], %[[TABLE:[^ ]*]] {nn.padding_row = 3 : i64}
// CHECK-NOT: nn.cast
// CHECK: nn.mul %[[ROWS]], %[[ROWS]]
// CHECK: %[[D:.*]] = nn.mul %{{.*}}, %[[ROWS]] {nn.bwd}
// CHECK-NOT: nn.sum
// CHECK: %[[IS:.*]] = nn.compare eq %[[IDS]]
// CHECK: %[[NONE:.*]] = nn.where %[[IS]], %{{.*}}, %[[IDS]]
// CHECK: nn.embedding_grad %[[D]], %[[NONE]]
module {
  nn.param @wte : tensor<8x4xf32> init normal
  func.func @loss(%ids: tensor<2xi64> {nn.role = #nn.role<tokens>})
      -> (tensor<f32>, tensor<f32>) {
    %table = nn.read @wte : tensor<8x4xf32>
    %rows = nn.embedding %ids, %table {nn.padding_row = 3 : i64} : tensor<2xi64>, tensor<8x4xf32> -> tensor<2x4xf32>
    %fixed = nn.cast %rows {nn.detached} : tensor<2x4xf32> -> tensor<2x4xf32>
    %product = nn.mul %rows, %fixed : tensor<2x4xf32>
    %sum = nn.reduce %product [0, 1] : tensor<2x4xf32> -> tensor<f32>
    %count = nn.constant dense<2.0> : tensor<f32>
    return %sum, %count : tensor<f32>, tensor<f32>
  }
}
