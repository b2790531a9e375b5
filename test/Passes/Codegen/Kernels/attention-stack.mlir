// If one GEMM computes q, k and v, a kernel of tiles writes their cotangents
// interleaved, where that GEMM's cotangent is. No size is a multiple of a tile
// here.
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels -o %t.mlir \
// RUN:   && FileCheck %s < %t.mlir
// The kernels of devices and CPUs compute the same, and the CPUs' kernels the
// same as the interpreter.
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// DEVICE: 4 kernels, 0 wrong

// CHECK-LABEL: func.func @whole(
// CHECK: %[[ALL:.*]] = call @[[WHOLE:.*_attention_grad]](
// CHECK-SAME: -> tensor<2x19x3x3x6xf32>
// CHECK-NEXT: return %[[ALL]]
func.func @whole(%d: tensor<2x19x3x6xf32>, %q: tensor<2x19x3x6xf32>,
    %k: tensor<2x19x3x6xf32>, %v: tensor<2x19x3x6xf32>,
    %o: tensor<2x19x3x6xf32>, %lse: tensor<2x19x3xf32>, %at: tensor<19xi64>)
    -> tensor<2x19x3x3x6xf32> {
  %dq, %dk, %dv = nn.attention_grad causal %d, %q, %k, %v result %o lse %lse
      positions %at, %at scale 0.4
      : (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>,
         tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3xf32>,
         tensor<19xi64>, tensor<19xi64>)
      -> (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>)
  %0 = nn.insert %dq dim 2 index 0
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %1 = nn.insert %dk dim 2 index 2
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %2 = nn.insert %dv dim 2 index 1
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %all = nn.sum %2, %0, %1 : tensor<2x19x3x3x6xf32>
  return %all : tensor<2x19x3x3x6xf32>
}

// Elements of a row must be contiguous: along the last dim a separate kernel
// interleaves the cotangents, and also if one of them has another use.
// CHECK-LABEL: func.func @last(
// CHECK: call @[[PLAIN:.*_attention_grad]]({{.*}} -> (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>)
// CHECK: call @{{.*}}_insert_sum(
// CHECK-LABEL: func.func @used(
// CHECK: call @[[PLAIN]](
// CHECK: call @{{.*}}_insert_sum(
func.func @last(%d: tensor<2x19x3x6xf32>, %q: tensor<2x19x3x6xf32>,
    %k: tensor<2x19x3x6xf32>, %v: tensor<2x19x3x6xf32>,
    %o: tensor<2x19x3x6xf32>, %lse: tensor<2x19x3xf32>, %at: tensor<19xi64>)
    -> tensor<2x19x3x6x3xf32> {
  %dq, %dk, %dv = nn.attention_grad causal %d, %q, %k, %v result %o lse %lse
      positions %at, %at scale 0.4
      : (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>,
         tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3xf32>,
         tensor<19xi64>, tensor<19xi64>)
      -> (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>)
  %0 = nn.insert %dq dim 4 index 0
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x6x3xf32>
  %1 = nn.insert %dk dim 4 index 1
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x6x3xf32>
  %2 = nn.insert %dv dim 4 index 2
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x6x3xf32>
  %all = nn.sum %0, %1, %2 : tensor<2x19x3x6x3xf32>
  return %all : tensor<2x19x3x6x3xf32>
}
func.func @used(%d: tensor<2x19x3x6xf32>, %q: tensor<2x19x3x6xf32>,
    %k: tensor<2x19x3x6xf32>, %v: tensor<2x19x3x6xf32>,
    %o: tensor<2x19x3x6xf32>, %lse: tensor<2x19x3xf32>, %at: tensor<19xi64>)
    -> (tensor<2x19x3x3x6xf32>, tensor<2x19x3x6xf32>) {
  %dq, %dk, %dv = nn.attention_grad causal %d, %q, %k, %v result %o lse %lse
      positions %at, %at scale 0.4
      : (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>,
         tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3xf32>,
         tensor<19xi64>, tensor<19xi64>)
      -> (tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>, tensor<2x19x3x6xf32>)
  %0 = nn.insert %dq dim 2 index 0
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %1 = nn.insert %dk dim 2 index 1
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %2 = nn.insert %dv dim 2 index 2
      : tensor<2x19x3x6xf32> -> tensor<2x19x3x3x6xf32>
  %all = nn.sum %0, %1, %2 : tensor<2x19x3x3x6xf32>
  return %all, %dk : tensor<2x19x3x3x6xf32>, tensor<2x19x3x6xf32>
}

// CHECK: func.func private @[[WHOLE]](
// CHECK-SAME: -> tensor<2x19x3x3x6xf32>
// CHECK: nn.attention_grad
// CHECK-COUNT-3: nn.insert
// CHECK: nn.sum
// CHECK-NEXT: return
