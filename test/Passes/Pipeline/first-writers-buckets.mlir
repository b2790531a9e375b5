// The gradients of a bucket are initialized by runs if all of them can be:
// @bucket.1 has a member without a writer, so the update still clears it. Gaps
// between the members of a bucket that is not cleared are zero when the bucket
// is read.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=3},pipe-mark-dead-arguments,pipe-check)" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-run %t.mlir --fill 1 --steps 2 --exact --print none --save @a=%t.a.npy --save @c=%t.c.npy
// RUN: pcc-opt %t.mlir --pass-pipeline="builtin.module(rt-split-accumulate,rt-form-kernels,rt-lower,rt-verify)" -o %t.rt.mlir
// RUN: FileCheck %s --check-prefix=RT < %t.rt.mlir
// RUN: pcc-run %t.rt.mlir --fill 1 --steps 2 --exact --print none --expect @a=%t.a.npy --expect @c=%t.c.npy
// Without the zeros between the members the norm would be NaN.
// RUN: sed '/rt.zero .*memref<28xf32>/d' %t.rt.mlir > %t.bad.mlir
// RUN: not pcc-opt %t.bad.mlir --rt-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: reads @bucket.0.grad, which nothing has written
// RUN: not pcc-run %t.bad.mlir --fill 1 --steps 2 --print none 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: which nothing has written

nn.param @a : tensor<4xf32> init normal
nn.param @b : tensor<4xf32> init normal
nn.param @c : tensor<4xf32> init normal
nn.param @d : tensor<4xf32> init normal
nn.state @grad.a : tensor<4xf32> gradient of @a
nn.state @grad.b : tensor<4xf32> gradient of @b
nn.state @grad.c : tensor<4xf32> gradient of @c
nn.state @grad.d : tensor<4xf32> gradient of @d
nn.state @bucket.0.grad : tensor<1x64xf32> bucket
    members [@grad.a, @grad.b] at [0, 32]
nn.state @bucket.0.param : tensor<1x64xf32> bucket
    members [@a, @b] at [0, 32]
nn.state @bucket.1.grad : tensor<1x64xf32> bucket
    members [@grad.c, @grad.d] at [0, 32]
nn.state @bucket.1.param : tensor<1x64xf32> bucket
    members [@c, @d] at [0, 32]
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @norm : tensor<f32> name "norm"

// CHECK: pipe.body @add (
// CHECK: pipe.body @add.first (%x: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>) -> (tensor<4xf32> into 1, tensor<4xf32> into 2, tensor<4xf32> into 3) {
// CHECK-NEXT: %[[Y:.*]] = nn.tanh %x
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[C]], %x
// CHECK-NEXT: pipe.yield %x, %[[Y]], %[[S]]
pipe.body @add (%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>,
                %c: tensor<4xf32>)
    -> (tensor<4xf32> into 1, tensor<4xf32> into 2, tensor<4xf32> into 3) {
  %y = nn.tanh %x : tensor<4xf32>
  %0 = nn.sum %a, %x : tensor<4xf32>
  %1 = nn.sum %b, %y : tensor<4xf32>
  %2 = nn.sum %c, %x : tensor<4xf32>
  pipe.yield %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.task @backward.0 stage 0 backward calls @add
    (@x, @grad.a, @grad.b, @grad.c) -> (@grad.a, @grad.b, @grad.c)

// CHECK: pipe.body @step {{.*}} -> (tensor<1x64xf32> into 0, tensor<1x64xf32> into 1, tensor<1x64xf32> into 3, tensor<f32>) attributes {gives_up = array<i64: 2>} {
// CHECK: pipe.task @update.0 {{.*}} -> (@bucket.0.param, @bucket.1.param, @bucket.1.grad, @norm)
pipe.body @step (%p: tensor<1x64xf32>, %q: tensor<1x64xf32>,
                 %g: tensor<1x64xf32>, %h: tensor<1x64xf32>)
    -> (tensor<1x64xf32> into 0, tensor<1x64xf32> into 1,
        tensor<1x64xf32> into 2, tensor<1x64xf32> into 3, tensor<f32>) {
  %n = nn.sum_of_squares %g : tensor<1x64xf32> -> tensor<f32>
  %0 = nn.sum %p, %g : tensor<1x64xf32>
  %1 = nn.sum %q, %h : tensor<1x64xf32>
  %z = nn.constant dense<0.0> : tensor<1x64xf32>
  pipe.yield %0, %1, %z, %z, %n : tensor<1x64xf32>, tensor<1x64xf32>,
      tensor<1x64xf32>, tensor<1x64xf32>, tensor<f32>
}
pipe.task @update.0 stage 0 update calls @step
    (@bucket.0.param, @bucket.1.param, @bucket.0.grad, @bucket.1.grad)
    -> (@bucket.0.param, @bucket.1.param, @bucket.0.grad, @bucket.1.grad, @norm)

// CHECK-LABEL: pipe.schedule train
// CHECK: pipe.run @backward.0 microbatch 0 first
// CHECK: pipe.loop %m = 1 to 3
// CHECK-NEXT: pipe.run @backward.0 microbatch %m{{$}}

// RT: rt.buffer @grad.a : memref<4xf32> gradient in @bucket.0.grad
// RT: rt.buffer @grad.c : memref<4xf32> sum in @bucket.1.grad
// RT-LABEL: rt.func @train
// RT: rt.call @add(
// RT: %[[V:.*]] = rt.view %{{.*}} offset 4 : memref<1x64xf32> to memref<28xf32>
// RT-NEXT: rt.zero %[[V]]
// RT: %[[W:.*]] = rt.view %{{.*}} offset 36 : memref<1x64xf32> to memref<28xf32>
// RT-NEXT: rt.zero %[[W]]
// RT-NOT: rt.zero
// RT: rt.call @step(
