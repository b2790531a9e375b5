// The starts of documents are parsed, printed and parsed again.
// RUN: pcc-opt %s -o %t && pcc-opt %t | diff %t -
// RUN: FileCheck %s < %t

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x3x2x4xf32>, %lse: tensor<2x3x2xf32>,
    %at: tensor<3xi64>, %starts: tensor<2x3xi64> {nn.role = #nn.role<document_starts>},
    %places: tensor<2x3xi64>, %x: tensor<2x1x3x3xf32>, %rows: tensor<2x1x3xf32>) {
  // CHECK: nn.attention causal %{{.*}} positions %{{[^ ]*}}, %{{[^ ]*}} starts %{{[^ ]*}} scale 5.000000e-01 : (
  %0:2 = nn.attention causal %q, %q, %q positions %at, %at starts %starts scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  // CHECK: nn.attention_grad causal %{{.*}} starts %{{[^ ]*}} scale 5.000000e-01 {window = 2 : i64} : (
  %1:3 = nn.attention_grad causal %q, %q, %q, %q result %q lse %lse positions %at, %at starts %starts scale 0.5 {window = 2 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
  // CHECK: nn.masked_softmax causal %{{.*}} starts %{{[^ ]*}} scale 1.000000e+00 : (
  %p, %l = nn.masked_softmax causal %x positions %at, %at starts %starts scale 1.0
      : (tensor<2x1x3x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>) -> (tensor<2x1x3x3xf32>, tensor<2x1x3xf32>)
  // CHECK: nn.masked_softmax_grad causal %{{.*}} starts %{{[^ ]*}} scale 1.000000e+00 : (
  %2:2 = nn.masked_softmax_grad causal %x, %x lse %rows positions %at, %at starts %starts scale 1.0
      : (tensor<2x1x3x3xf32>, tensor<2x1x3x3xf32>, tensor<2x1x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x3xi64>) -> (tensor<2x1x3x3xf32>, tensor<2x1x3x3xf32>)
  // CHECK: nn.rope %{{.*}} : tensor<2x3x2x4xf32>, tensor<2x3xi64>
  %3 = nn.rope %q positions %places theta 1.0e4 dim 4 : tensor<2x3x2x4xf32>, tensor<2x3xi64>
  return
}
