// Ops that become one kernel, and results that may be written in place.
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels | FileCheck %s

// CHECK-LABEL: pipe.body @chains
pipe.body @chains (%x: tensor<2x4x8xf32>, %b: tensor<8xf32>,
    %dy: tensor<2x4x8xf32>, %w: tensor<8x8xf32>, %grad_b: tensor<8xf32>,
    %grad_w: tensor<8x8xf32>)
    -> (tensor<2x4x8xf32>, tensor<8xf32> into 4, tensor<8x8xf32> into 5) {
  // CHECK: %[[H:.*]] = nn.contract
  // The bias, both gelu ops and their operands are one kernel.
  // CHECK-NEXT: %[[K:.*]]:2 = func.call @[[GELU:kernel_0_sum_gelu_gelu_grad]](%{{.*}}, %[[H]], %{{.*}})
  %h = nn.contract "bsk,kn->bsn" %x, %w
      : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32>
  %bb = nn.broadcast %b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %hb = nn.sum %h, %bb : tensor<2x4x8xf32>
  %g = nn.gelu tanh %hb : tensor<2x4x8xf32>
  %y = nn.contract "bsk,kn->bsn" %g, %w
      : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32>
  %d = nn.gelu_grad tanh %dy, %hb : tensor<2x4x8xf32>
  // A column sum is added to a gradient in place.
  // CHECK: %[[NEW:.*]] = func.call @[[SUM:kernel_1_reduce_sum]](%[[K]]#1, %grad_b)
  %db = nn.reduce %d [0, 1] : tensor<2x4x8xf32> -> tensor<8xf32>
  %grad_b_sum = nn.sum %grad_b, %db : tensor<8xf32>
  // A GEMM adds its result to the gradient itself.
  // CHECK: %[[DW:.*]] = nn.contract
  // CHECK: %[[SUMMED:.*]] = nn.sum %grad_w, %[[DW]] {rt.adds_in_place}
  // CHECK: pipe.yield %{{.*}}, %[[NEW]], %[[SUMMED]]
  %dw = nn.contract "bsk,bsn->kn" %x, %d
      : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<8x8xf32>
  %grad_w_sum = nn.sum %grad_w, %dw {rt.adds_in_place} : tensor<8x8xf32>
  pipe.yield %y, %grad_b_sum, %grad_w_sum
      : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}

// The same column sum is the same function.
// CHECK-LABEL: pipe.body @again
pipe.body @again (%d: tensor<2x4x8xf32>, %grad_b: tensor<8xf32>)
    -> (tensor<8xf32> into 1) {
  // CHECK: call @[[SUM]]
  %db = nn.reduce %d [0, 1] : tensor<2x4x8xf32> -> tensor<8xf32>
  %sum = nn.sum %grad_b, %db : tensor<8xf32>
  pipe.yield %sum : tensor<8xf32>
}

// A kernel must not depend on its users: the two sums share rows and an
// operand, but a contraction of the first is an operand of the second.
// CHECK-LABEL: func.func @between
func.func @between(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK: call @kernel_2_gelu
  // CHECK: nn.contract
  // CHECK: call @kernel_3_sum
  %g = nn.gelu %x : tensor<4x8xf32>
  %y = nn.contract "mk,kn->mn" %g, %w
      : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = nn.sum %g, %y : tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// Reshapes between contractions are aliases.
// CHECK-LABEL: func.func @alias
func.func @alias(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x2x8xf32> {
  // CHECK-NOT: call
  // CHECK: nn.reshape
  %r = nn.reshape %x : tensor<4x8xf32> -> tensor<2x2x8xf32>
  %y = nn.contract "abk,kn->abn" %r, %w
      : tensor<2x2x8xf32>, tensor<8x8xf32> -> tensor<2x2x8xf32>
  // CHECK: return
  return %y : tensor<2x2x8xf32>
}

// A zero that clears an argument is no kernel; one that is used otherwise is.
// CHECK-LABEL: pipe.body @clear
pipe.body @clear (%grad_b: tensor<8xf32>, %loss_sum: tensor<f32>)
    -> (tensor<f32>, tensor<8xf32> into 0, tensor<f32> into 1) {
  // CHECK: %[[Z:.*]] = nn.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK: %[[L:.*]]:2 = func.call @kernel_{{[0-9]+}}_exp()
  // CHECK: pipe.yield %[[L]]#1, %[[Z]], %[[L]]#0
  %z = nn.constant dense<0.0> : tensor<8xf32>
  %l = nn.constant dense<0.0> : tensor<f32>
  %e = nn.exp %l : tensor<f32>
  pipe.yield %e, %z, %l : tensor<f32>, tensor<8xf32>, tensor<f32>
}

// A full sum of so many rows that there are very many row sums, too.
// CHECK-LABEL: func.func @large_sum
func.func @large_sum(%x: tensor<131072x64xf32>) -> tensor<f32> {
  // CHECK: %[[A:.*]] = call @{{.*}} : (tensor<131072x64xf32>) -> tensor<2048xf32>
  // CHECK: %[[B:.*]] = call @{{.*}}(%[[A]]) : (tensor<2048xf32>) -> tensor<f32>
  // CHECK: return %[[B]]
  %s = nn.sum_of_squares %x : tensor<131072x64xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// CHECK: func.func private @[[GELU]](%{{.*}}) -> (tensor<2x4x8xf32> {rt.inplace = 1 : i64}, tensor<2x4x8xf32> {rt.inplace = 2 : i64}) attributes {rt.kernel}
// CHECK: func.func private @[[SUM]](%{{.*}}) -> (tensor<8xf32> {rt.inplace = 1 : i64})
