// The ops of mixtures of experts are parsed, printed and parsed again.
// RUN: pcc-opt %s -o %t && pcc-opt %t | diff %t -
// RUN: FileCheck %s < %t

// CHECK-LABEL: func.func @experts
func.func @experts(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>,
    %gates: tensor<2x3x2xf32>, %w1: tensor<4x2x16x8xf32>,
    %b1: tensor<4x2x16xf32>, %w2: tensor<4x8x16xf32>,
    %gate: tensor<4x1x16x8xf32>, %up: tensor<4x1x16x8xf32>, %first: tensor<i64>) {
  // CHECK: nn.experts silu %{{.*}} ids %{{.*}} gates %{{.*}} w1 %{{.*}} b1 %{{.*}} w2 %{{.*}} {alpha = 1.702000e+00 : f64, limit = 7.000000e+00 : f64, shift = 1.000000e+00 : f64} :
  %0 = nn.experts silu %x ids %ids gates %gates w1 %w1 b1 %b1 w2 %w2 {alpha = 1.702, limit = 7.0, shift = 1.0}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x2x16xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  // CHECK: nn.experts gelu_tanh %{{.*}} ids %{{.*}} gates %{{.*}} w1 %{{.*}}, %{{.*}} w2 %{{.*}} offset %{{.*}} : (
  %1 = nn.experts gelu_tanh %x ids %ids gates %gates w1 %gate, %up w2 %w2 offset %first
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x16x8xf32>, tensor<4x1x16x8xf32>, tensor<4x8x16xf32>, tensor<i64>) -> tensor<2x3x8xf32>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}:3 = nn.experts_grad relu2 %{{.*}}, %{{.*}} ids %{{.*}} gates %{{.*}} w1 %{{.*}} b1 %{{.*}} w2 %{{.*}} :
  %dx, %dgates, %dw:3 = nn.experts_grad relu2 %0, %x ids %ids gates %gates w1 %w1 b1 %b1 w2 %w2
      : (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x2x16xf32>, tensor<4x8x16xf32>)
      -> (tensor<2x3x8xf32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x2x16xf32>, tensor<4x8x16xf32>)
  return
}

// CHECK-LABEL: func.func @routed
func.func @routed(%x: tensor<12x8xf32>, %ids: tensor<2x3x2xi64>,
                  %w: tensor<4x32x8xf32>, %first: tensor<i64>) {
  // CHECK: %tokens, %pairs, %experts, %rows, %ends = nn.route %{{.*}} offset %{{.*}} :
  %t, %p, %e, %r, %ends = nn.route %ids offset %first
      : (tensor<2x3x2xi64>, tensor<i64>) -> (tensor<12xi32>, tensor<12xi32>, tensor<12xi32>, tensor<2x3x2xi32>, tensor<4xi32>)
  // CHECK: nn.grouped_contract "rk,enk->rn" %{{.*}}, %{{.*}} ends %{{.*}} :
  %u = nn.grouped_contract "rk,enk->rn" %x, %w ends %ends : tensor<12x8xf32>, tensor<4x32x8xf32>, tensor<4xi32> -> tensor<12x32xf32>
  // CHECK: nn.grouped_contract "rn,enk->rk"
  %v = nn.grouped_contract "rn,enk->rk" %u, %w ends %ends : tensor<12x32xf32>, tensor<4x32x8xf32>, tensor<4xi32> -> tensor<12x8xf32>
  // CHECK: nn.grouped_contract "rn,rk->enk"
  %d = nn.grouped_contract "rn,rk->enk" %u, %v ends %ends : tensor<12x32xf32>, tensor<12x8xf32>, tensor<4xi32> -> tensor<4x32x8xf32>
  return
}
