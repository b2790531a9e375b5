// Three layers with one sharded bucket each. A bucket is gathered one task
// before its use and released after it, but stays resident if it is needed
// again before it could be gathered again: the last layer's bucket at the start
// of the backward pass, and the first layer's at the start of the next
// microbatch. Repeated actions form a loop. Without `ahead` a gather is right
// before its own task.
// RUN: pcc-opt %s -pipe-schedule="microbatches=4 ahead=1" -pipe-check | FileCheck %s
// RUN: pcc-opt %s -pipe-schedule=microbatches=1 -pipe-check | FileCheck %s --check-prefix=LATE

// CHECK:      pipe.schedule train stage 0
// CHECK-NEXT: pipe.run @gather.0
// CHECK-NEXT: pipe.loop %m = 0 to 4 {
// CHECK-NEXT: pipe.run @gather.1
// CHECK-NEXT: pipe.run @forward.0 microbatch %m
// CHECK-NEXT: pipe.release @row0
// CHECK-NEXT: pipe.run @gather.2
// CHECK-NEXT: pipe.run @forward.1 microbatch %m
// CHECK-NEXT: pipe.release @row1
// CHECK-NEXT: pipe.run @forward.2 microbatch %m
// CHECK-NEXT: pipe.run @gather.1
// CHECK-NEXT: pipe.run @backward.2 microbatch %m
// CHECK-NEXT: pipe.release @row2
// CHECK-NEXT: pipe.run @gather.0
// CHECK-NEXT: pipe.run @backward.1 microbatch %m
// CHECK-NEXT: pipe.release @row1
// CHECK-NEXT: pipe.run @backward.0 microbatch %m
// CHECK-NEXT: }
// CHECK-NEXT: pipe.release @row0
// CHECK-NEXT: pipe.run @update.0
// CHECK-NEXT: }

// LATE:      pipe.schedule train stage 0
// LATE-NEXT: pipe.run @gather.0
// LATE-NEXT: pipe.run @forward.0 microbatch 0
// LATE-NEXT: pipe.release @row0
// LATE-NEXT: pipe.run @gather.1
// LATE-NEXT: pipe.run @forward.1 microbatch 0
// LATE-NEXT: pipe.release @row1
// LATE-NEXT: pipe.run @gather.2
// LATE-NEXT: pipe.run @forward.2 microbatch 0
// LATE-NEXT: pipe.run @backward.2 microbatch 0
// LATE-NEXT: pipe.release @row2
// LATE-NEXT: pipe.run @gather.1
// LATE-NEXT: pipe.run @backward.1 microbatch 0
// LATE-NEXT: pipe.release @row1
// LATE-NEXT: pipe.run @gather.0
// LATE-NEXT: pipe.run @backward.0 microbatch 0
// LATE-NEXT: pipe.release @row0
// LATE-NEXT: pipe.run @update.0
// LATE-NEXT: }
#x = #dist.sharding<*>
#x_x = #dist.sharding<*, *>
#x_dp = #dist.sharding<*, dp>

module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2]>
nn.param @w0 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w0 : tensor<64xf32> copy of @w0 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own0 : tensor<1x32xf32> bucket members [@w0] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row0 : tensor<1x64xf32> bucket members [@copy.w0] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, nn.released}
pipe.task @gather.0 stage 0 gather calls @gather (@own0, @row0) -> (@row0)
nn.param @w1 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w1 : tensor<64xf32> copy of @w1 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own1 : tensor<1x32xf32> bucket members [@w1] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row1 : tensor<1x64xf32> bucket members [@copy.w1] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, nn.released}
pipe.task @gather.1 stage 0 gather calls @gather (@own1, @row1) -> (@row1)
nn.param @w2 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w2 : tensor<64xf32> copy of @w2 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own2 : tensor<1x32xf32> bucket members [@w2] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row2 : tensor<1x64xf32> bucket members [@copy.w2] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>, nn.released}
pipe.task @gather.2 stage 0 gather calls @gather (@own2, @row2) -> (@row2)
pipe.input @x : tensor<64xf32> role data name "x" {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
pipe.value @y0 : tensor<64xf32> {dist.sharding = #x}
pipe.value @y1 : tensor<64xf32> {dist.sharding = #x}
pipe.value @y2 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d2 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d1 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d0 : tensor<64xf32> {dist.sharding = #x}
pipe.body @gather (%own: tensor<1x32xf32> as #x_dp, %row: tensor<1x64xf32> as #x_x) -> (tensor<1x64xf32> into 1) {
  %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#x_x]} : tensor<1x32xf32> -> tensor<1x64xf32>
  pipe.yield %p : tensor<1x64xf32>
}
pipe.body @use (%x: tensor<64xf32> as #x, %w: tensor<64xf32> as #x) -> (tensor<64xf32>) {
  %y = nn.mul %x, %w {dist.shardings = [#x]} : tensor<64xf32>
  pipe.yield %y : tensor<64xf32>
}
pipe.body @change (%a: tensor<1x32xf32> as #x_dp, %b: tensor<1x32xf32> as #x_dp, %c: tensor<1x32xf32> as #x_dp) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1, tensor<1x32xf32> into 2) {
  %d = nn.scale %a by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  %e = nn.scale %b by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  %f = nn.scale %c by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  pipe.yield %d, %e, %f : tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>
}
pipe.task @forward.0 stage 0 forward calls @use (@x, @copy.w0) -> (@y0)
pipe.task @forward.1 stage 0 forward calls @use (@y0, @copy.w1) -> (@y1)
pipe.task @forward.2 stage 0 forward calls @use (@y1, @copy.w2) -> (@y2)
pipe.task @backward.2 stage 0 backward calls @use (@y2, @copy.w2) -> (@d2)
pipe.task @backward.1 stage 0 backward calls @use (@d2, @copy.w1) -> (@d1)
pipe.task @backward.0 stage 0 backward calls @use (@d1, @copy.w0) -> (@d0)
pipe.task @update.0 stage 0 update calls @change (@own0, @own1, @own2) -> (@own0, @own1, @own2)
}
