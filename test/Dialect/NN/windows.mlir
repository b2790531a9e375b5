// Windows, chunks, soft caps and sinks of attention are parsed, printed and
// parsed again.
// RUN: pcc-opt %s -o %t && pcc-opt %t | diff %t -
// RUN: FileCheck %s < %t

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<2x3x2x4xf32>, %lse: tensor<2x3x2xf32>,
    %at: tensor<3xi64>, %sinks: tensor<2xf32>, %bias: tensor<1x2x3x3xf32>) {
  // CHECK: nn.attention causal %{{.*}} positions %{{[^ ]*}}, %{{[^ ]*}} sinks %{{.*}} scale 5.000000e-01 {window = 2 : i64} : (
  %0:2 = nn.attention causal %q, %q, %q positions %at, %at sinks %sinks scale 0.5 {window = 2 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  // CHECK: nn.attention causal %{{.*}} bias %{{[^ ]*}} sinks %{{[^ ]*}} scale 5.000000e-01 {chunk = 2 : i64, softcap = 5.000000e+01 : f64} : (
  %1:3 = nn.attention causal %q, %q, %q positions %at, %at bias %bias sinks %sinks scale 0.5 {chunk = 2 : i64, softcap = 50.0, window = 0 : i64}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>, tensor<2xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
  // CHECK: nn.attention_grad causal %{{.*}} scale 5.000000e-01 {chunk = 4 : i64, softcap = 3.000000e+01 : f64, window = 2 : i64} : (
  %2:3 = nn.attention_grad causal %q, %q, %q, %q result %q lse %lse positions %at, %at scale 0.5 {window = 2 : i64, chunk = 4 : i64, softcap = 30.0}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
  return
}

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<2x1x4x4xf32>, %lse: tensor<2x1x4xf32>,
                   %at: tensor<4xi64>, %sinks: tensor<1xf32>) {
  // CHECK: nn.masked_softmax causal %{{.*}} sinks %{{.*}} scale 1.000000e+00 {window = 2 : i64} : (
  %p, %l = nn.masked_softmax causal %x positions %at, %at sinks %sinks scale 1.0 {window = 2 : i64}
      : (tensor<2x1x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1xf32>) -> (tensor<2x1x4x4xf32>, tensor<2x1x4xf32>)
  // CHECK: nn.masked_softmax_grad causal %{{.*}} scale 1.000000e+00 {chunk = 2 : i64} : (
  %q, %dx = nn.masked_softmax_grad causal %x, %x lse %lse positions %at, %at scale 1.0 {chunk = 2 : i64}
      : (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>, tensor<2x1x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>)
  return
}
