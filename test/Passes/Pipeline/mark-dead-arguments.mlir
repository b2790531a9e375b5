// Bodies kill arguments that no run or transfer needs after any of their calls.
// RUN: pcc-opt %s --pipe-mark-dead-arguments --pipe-check | FileCheck %s
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-mark-dead-arguments,pipe-check,rt-form-kernels,rt-lower,rt-verify)" \
// RUN:   | FileCheck %s --check-prefix=RT

// @loss is the last use of @logits, so it may overwrite them with their
// gradient. The backward task is the last use of @act. Two instances of @first
// are live at once.
// CHECK: pipe.body @loss.body {{.*}} attributes {gives_up = array<i64: 0>} {
// CHECK-NOT: gives_up
// CHECK: pipe.body @backward.body {{.*}} attributes {gives_up = array<i64: 0, 1>} {
// RT: rt.func @loss.body(%[[LOGITS:.*]]: memref<2x8xf32>, %{{.*}}: memref<2x8xf32>) attributes {gives_up = array<i64: 0>
pipe.input @x : tensor<2x8xf32> role data name "x"
pipe.value @first : tensor<2x8xf32>
pipe.value @act : tensor<2x8xf32>
pipe.value @logits : tensor<2x8xf32>
pipe.value @dlogits : tensor<2x8xf32>
pipe.task @begin stage 0 forward calls @begin.body (@x) -> (@first)
pipe.body @begin.body (%x: tensor<2x8xf32>) -> (tensor<2x8xf32>) {
  %y = nn.tanh %x : tensor<2x8xf32>
  pipe.yield %y : tensor<2x8xf32>
}
pipe.task @forward stage 0 forward calls @forward.body (@first)
    -> (@act, @logits)
pipe.body @forward.body (%x: tensor<2x8xf32>)
    -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %a = nn.tanh %x : tensor<2x8xf32>
  %y = nn.exp %a : tensor<2x8xf32>
  pipe.yield %a, %y : tensor<2x8xf32>, tensor<2x8xf32>
}
pipe.task @loss stage 0 forward calls @loss.body (@logits) -> (@dlogits)
pipe.body @loss.body (%x: tensor<2x8xf32>) -> (tensor<2x8xf32>) {
  %y = nn.exp %x : tensor<2x8xf32>
  %z = nn.tanh %y : tensor<2x8xf32>
  pipe.yield %z : tensor<2x8xf32>
}
pipe.task @backward stage 0 backward calls @backward.body (@dlogits, @act)
pipe.body @backward.body (%d: tensor<2x8xf32>, %a: tensor<2x8xf32>) {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @begin microbatch 0
  pipe.run @begin microbatch 1
  pipe.run @forward microbatch 0
  pipe.run @loss microbatch 0
  pipe.run @backward microbatch 0
  pipe.run @forward microbatch 1
  pipe.run @loss microbatch 1
  pipe.run @backward microbatch 1
}
