// A gradient that a task clears in each microbatch is initialized in each
// microbatch: only the body that overwrites remains, and all iterations are
// equal.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=3},pipe-mark-dead-arguments)" | FileCheck %s

nn.param @a : tensor<4xf32> init normal
nn.state @grad.a : tensor<4xf32> gradient of @a
nn.state @sum.a : tensor<4xf32> gradient of @a
pipe.input @x : tensor<4xf32> role data name "x"

// CHECK: pipe.body @add (
// CHECK-NEXT: pipe.yield %x
pipe.body @add (%x: tensor<4xf32>, %g: tensor<4xf32>)
    -> (tensor<4xf32> into 1) {
  %0 = nn.sum %g, %x : tensor<4xf32>
  pipe.yield %0 : tensor<4xf32>
}
pipe.task @backward.1 stage 0 backward calls @add (@x, @grad.a) -> (@grad.a)

// The accumulator of these gradients is initialized once.
// CHECK: pipe.body @reduce (%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> (tensor<4xf32> into 1) attributes {gives_up = array<i64: 0>} {
// CHECK-NEXT: nn.tanh
// CHECK-NEXT: nn.sum
// CHECK: pipe.body @reduce.first (%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> (tensor<4xf32> into 1) attributes {gives_up = array<i64: 0>} {
// CHECK-NEXT: %[[R:.*]] = nn.tanh
// CHECK-NEXT: pipe.yield %[[R]] :
pipe.body @reduce (%g: tensor<4xf32>, %sum: tensor<4xf32>)
    -> (tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %r = nn.tanh %g : tensor<4xf32>
  %0 = nn.sum %sum, %r : tensor<4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  pipe.yield %z, %0 : tensor<4xf32>, tensor<4xf32>
}
// CHECK: pipe.task @backward.0 stage 0 backward calls @reduce first @reduce.first (@grad.a, @sum.a) -> (@sum.a)
pipe.task @backward.0 stage 0 backward calls @reduce (@grad.a, @sum.a)
    -> (@grad.a, @sum.a)

pipe.body @step (%a: tensor<4xf32>, %sum: tensor<4xf32>)
    -> (tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %0 = nn.sum %a, %sum : tensor<4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  pipe.yield %0, %z : tensor<4xf32>, tensor<4xf32>
}
pipe.task @update.0 stage 0 update calls @step (@a, @sum.a) -> (@a, @sum.a)

// CHECK: pipe.run @backward.1 microbatch 0{{$}}
// CHECK-NEXT: pipe.run @backward.0 microbatch 0 first
// CHECK-NEXT: pipe.loop
// CHECK-NEXT: pipe.run @backward.1 microbatch %m{{$}}
// CHECK-NEXT: pipe.run @backward.0 microbatch %m{{$}}
