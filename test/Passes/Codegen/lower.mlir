// Buffer assignment for a task and an update.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate,rt-lower,rt-verify)" | %unnumbered | FileCheck %s

nn.param @w : tensor<8x6xf32> init normal decay
nn.state @grad.w : tensor<8x6xf32> gradient of @w
nn.state @exp_avg.w : tensor<8x6xf32> exp_avg of @w
pipe.input @input.x : tensor<4x8xf32> role data name "x"
pipe.input @input.lr : tensor<f32> role lr name "lr"
pipe.output @output.norm : tensor<f32> name "norm"

func.func private @add(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>)
    -> (tensor<4x6xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.sum %a, %b : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func private @step(%p: tensor<8x6xf32>, %g: tensor<8x6xf32>,
    %lr: tensor<f32>) -> (tensor<8x6xf32> {rt.inplace = 0 : i64})
    attributes {rt.kernel} {
  %r = nn.sub %p, %g : tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}
func.func private @norm(%g: tensor<8x6xf32>) -> tensor<f32>
    attributes {rt.kernel} {
  %r = nn.sum_of_squares %g : tensor<8x6xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK: rt.program axes <[]> comms [] microbatches 2 {micro_batch = 4 : i64, parameters = 48 : i64}
// CHECK: rt.stage 0 arena 960 {
// The moment is used by no task: it has no buffer.
// CHECK-NOT: exp_avg
// CHECK: rt.buffer @w : memref<8x6xf32> param at 0 layout <[8, 6], {{\[}}[], []]> record <init normal decay>
// CHECK: rt.buffer @grad.w : memref<8x6xf32> sum at 192
// CHECK: rt.buffer @input.x : memref<4x8xf32> input at 384 slots 2
// CHECK: rt.buffer @input.lr : memref<f32> input at 896
// The norm is written after the last read of x, at the same offset.
// CHECK: rt.buffer @output.norm : memref<f32> output at 384
// The scratch buffer of the first body. The other body has no temporaries.
// CHECK: rt.buffer @frame.microbatch.0.body : memref<256xi8> frame at 640
// CHECK-NOT: rt.buffer

// CHECK: rt.func @microbatch.0.body(%[[X:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<8x6xf32>, %[[G:.*]]: memref<8x6xf32>) frame 256 {
pipe.task @microbatch.0 stage 0 forward_backward calls @microbatch.0.body
    (@input.x, @w, @grad.w) -> (@grad.w)
pipe.body @microbatch.0.body (%x: tensor<4x8xf32>, %w: tensor<8x6xf32>,
        %grad_w_before: tensor<8x6xf32>) -> (tensor<8x6xf32> into 2) {
  // CHECK-NEXT: %[[Y:.*]] = rt.temporary at 0 : memref<4x6xf32>
  // CHECK-NEXT: rt.gemm %[[X]], %[[W]], %[[Y]] as <m = 4, n = 6, k = 8, lda = 8, ldb = 6, ldc = 6>
  %y = nn.contract "bk,kn->bn" %x, %w
      : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  // y is used below: its memory is not reused. z is dead: its memory is.
  // CHECK: rt.launch @add ins(%[[Y]], %[[Y]] {{.*}} outs(%[[Z:.*]] :
  // CHECK-NOT: inplace
  // CHECK: rt.launch @add ins(%[[Z]], %[[Y]] {{.*}} outs(%[[Z]] : memref<4x6xf32>) inplace [0]
  %z = func.call @add(%y, %y)
      : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %u = func.call @add(%z, %y)
      : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // The GEMM accumulates into the gradient.
  // CHECK: rt.gemm %[[X]], %[[Z]], %[[G]] as <m = 8, n = 6, k = 4, trans_a = true, lda = 8, ldb = 6, ldc = 6, beta = 1.000000e+00 : f32>
  %g = nn.contract "bk,bn->kn" %x, %u
      : tensor<4x8xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
  %grad_w_sum = nn.sum %grad_w_before, %g : tensor<8x6xf32>
  pipe.yield %grad_w_sum : tensor<8x6xf32>
}

// CHECK: rt.func @update.0.body(%[[LR:.*]]: memref<f32>, %[[W:.*]]: memref<8x6xf32>, %[[G:.*]]: memref<8x6xf32>, %[[NORM:.*]]: memref<f32>) {
pipe.task @update.0 stage 0 update calls @update.0.body
    (@input.lr, @w, @grad.w) -> (@output.norm, @w, @grad.w)
pipe.body @update.0.body (%lr: tensor<f32>, %w: tensor<8x6xf32>,
        %g: tensor<8x6xf32>)
    -> (tensor<f32>, tensor<8x6xf32> into 1, tensor<8x6xf32> into 2) {
  // A result is computed in the buffer that it is yielded to.
  // CHECK: rt.launch @norm ins(%[[G]] {{.*}} outs(%[[NORM]] :
  %n = func.call @norm(%g) : (tensor<8x6xf32>) -> tensor<f32>
  // CHECK: rt.launch @step ins(%[[W]], %[[G]], %[[LR]] {{.*}} outs(%[[W]] : memref<8x6xf32>) inplace [0]
  %p = func.call @step(%w, %g, %lr)
      : (tensor<8x6xf32>, tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  // CHECK-NOT: rt.copy
  %zero = nn.constant dense<0.0> : tensor<8x6xf32>
  // CHECK: rt.zero %[[G]]
  // CHECK-NOT: rt.copy
  pipe.yield %n, %p, %zero : tensor<f32>, tensor<8x6xf32>, tensor<8x6xf32>
}

// Each call passes the addresses of parameters, state and its microbatch's
// inputs.
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[X0:.*]] = rt.address @input.x : memref<4x8xf32>
// CHECK-NEXT: %[[W0:.*]] = rt.address @w
// CHECK-NEXT: %[[G0:.*]] = rt.address @grad.w
// CHECK-NEXT: rt.call @microbatch.0.body(%[[X0]], %[[W0]], %[[G0]]) frame @frame.microbatch.0.body :
// CHECK-NEXT: %[[X1:.*]] = rt.address @input.x slot 1 : memref<4x8xf32>
// CHECK-NEXT: %[[W1:.*]] = rt.address @w
// CHECK-NEXT: %[[G1:.*]] = rt.address @grad.w
// CHECK-NEXT: rt.call @microbatch.0.body(%[[X1]], %[[W1]], %[[G1]]) frame @frame.microbatch.0.body :
// CHECK-NEXT: %[[LR0:.*]] = rt.address @input.lr
// CHECK-NEXT: %[[W2:.*]] = rt.address @w
// CHECK-NEXT: %[[G2:.*]] = rt.address @grad.w
// CHECK-NEXT: %[[N:.*]] = rt.address @output.norm
// CHECK-NEXT: rt.call @update.0.body(%[[LR0]], %[[W2]], %[[G2]], %[[N]]) :
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @microbatch.0 microbatch 0
  pipe.run @microbatch.0 microbatch 1
  pipe.run @update.0
}
