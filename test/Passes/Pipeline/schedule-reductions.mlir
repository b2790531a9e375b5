// Two layers, each of which accumulates a gradient; both accumulate a third
// one. A reduction follows the last run that adds to its gradient; gradients
// without such a run are reduced at the end. Iterations between the first and
// the last one stay a loop.
// RUN: pcc-opt %s -pipe-schedule=microbatches=4 -pipe-check | FileCheck %s

// CHECK: pipe.schedule train stage 0 microbatches 4
// CHECK-NEXT: pipe.run @forward.0 microbatch 0
// CHECK-NEXT: pipe.run @backward.1 microbatch 0 first
// CHECK-NEXT: pipe.run @backward.0 microbatch 0 first
// CHECK-NEXT: pipe.loop %m = 1 to 3 {
// CHECK-NEXT: pipe.run @forward.0 microbatch %m
// CHECK-NEXT: pipe.run @backward.1 microbatch %m
// CHECK-NEXT: pipe.run @backward.0 microbatch %m
// CHECK-NEXT: }
// CHECK-NEXT: pipe.run @forward.0 microbatch 3
// CHECK-NEXT: pipe.run @backward.1 microbatch 3
// CHECK-NEXT: pipe.run @reduce.1.0
// CHECK-NEXT: pipe.run @backward.0 microbatch 3
// CHECK-NEXT: pipe.run @reduce.0.0
// CHECK-NEXT: pipe.run @reduce.2.0
// CHECK-NEXT: pipe.run @reduce.3.0
// CHECK-NEXT: pipe.run @update.0
// CHECK-NEXT: }

nn.param @w.0 : tensor<32xf32> init normal
nn.param @w.1 : tensor<32xf32> init normal
nn.param @b.0 : tensor<32xf32> init zero
nn.param @b.1 : tensor<32xf32> init zero
nn.param @unused : tensor<32xf32> init zero
nn.state @grad.w.0 : tensor<32xf32> gradient of @w.0
nn.state @grad.w.1 : tensor<32xf32> gradient of @w.1
nn.state @grad.b.0 : tensor<32xf32> gradient of @b.0
nn.state @grad.b.1 : tensor<32xf32> gradient of @b.1
nn.state @grad.unused : tensor<32xf32> gradient of @unused
nn.state @bucket.2.grad : tensor<1x64xf32> bucket members [@grad.b.0, @grad.b.1] at [0, 32]
pipe.input @x : tensor<32xf32> role data name "x"
pipe.value @y : tensor<32xf32>
pipe.value @dy : tensor<32xf32>
pipe.value @r.0 : tensor<32xf32>
pipe.value @r.1 : tensor<32xf32>
pipe.value @r.2 : tensor<1x64xf32>
pipe.value @r.3 : tensor<32xf32>
pipe.task @forward.0 stage 0 forward calls @copy (@x) -> (@y)
pipe.body @copy (%x: tensor<32xf32>) -> (tensor<32xf32>) {
  pipe.yield %x : tensor<32xf32>
}
pipe.task @backward.1 stage 0 backward calls @back
    (@y, @grad.w.1, @grad.b.1) -> (@dy, @grad.w.1, @grad.b.1)
pipe.body @back (%y: tensor<32xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>)
    -> (tensor<32xf32>, tensor<32xf32> into 1, tensor<32xf32> into 2) {
  %dw = nn.sum %w, %y : tensor<32xf32>
  %db = nn.sum %b, %y : tensor<32xf32>
  pipe.yield %y, %dw, %db : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}
pipe.task @backward.0 stage 0 backward calls @end
    (@dy, @grad.w.0, @grad.b.0) -> (@grad.w.0, @grad.b.0)
pipe.body @end (%y: tensor<32xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>)
    -> (tensor<32xf32> into 1, tensor<32xf32> into 2) {
  %dw = nn.sum %w, %y : tensor<32xf32>
  %db = nn.sum %b, %y : tensor<32xf32>
  pipe.yield %dw, %db : tensor<32xf32>, tensor<32xf32>
}
pipe.body @reduce (%g: tensor<32xf32>) -> (tensor<32xf32> into 0) {
  pipe.yield %g : tensor<32xf32>
}
pipe.body @reduce_row (%g: tensor<1x64xf32>) -> (tensor<1x64xf32>) {
  pipe.yield %g : tensor<1x64xf32>
}
pipe.task @reduce.0.0 stage 0 reduce calls @reduce (@grad.w.0) -> (@r.0)
pipe.task @reduce.1.0 stage 0 reduce calls @reduce (@grad.w.1) -> (@r.1)
pipe.task @reduce.2.0 stage 0 reduce calls @reduce_row (@bucket.2.grad) -> (@r.2)
pipe.task @reduce.3.0 stage 0 reduce calls @reduce (@grad.unused) -> (@r.3)
pipe.task @update.0 stage 0 update calls @update
    (@r.0, @grad.w.0, @r.1, @grad.w.1, @r.2, @bucket.2.grad, @grad.unused)
    -> (@grad.w.0, @grad.w.1, @bucket.2.grad, @grad.unused)
pipe.body @update (%r0: tensor<32xf32>, %g0: tensor<32xf32>,
                   %r1: tensor<32xf32>, %g1: tensor<32xf32>,
                   %r2: tensor<1x64xf32>, %g2: tensor<1x64xf32>,
                   %g3: tensor<32xf32>)
    -> (tensor<32xf32> into 1, tensor<32xf32> into 3, tensor<1x64xf32> into 5,
        tensor<32xf32> into 6) {
  %zero = nn.constant dense<0.0> : tensor<32xf32>
  %zeros = nn.constant dense<0.0> : tensor<1x64xf32>
  pipe.yield %zero, %zero, %zeros, %zero
      : tensor<32xf32>, tensor<32xf32>, tensor<1x64xf32>, tensor<32xf32>
}
