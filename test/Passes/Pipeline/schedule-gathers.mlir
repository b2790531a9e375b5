// Four layers whose parameters are gathered once per step. The tasks
// communicate over tp on the compute stream, so each gather is issued two
// layers before its use: a device starts collectives in issue order, and after
// all gathers the first layer's collective would wait for the last gather to
// start. Actions that repeat for the next microbatch form a loop. Without
// `ahead` gathers are on the compute stream, and all come first.
// RUN: pcc-opt %s -pipe-schedule="microbatches=4 ahead=1" -pipe-check | FileCheck %s
// RUN: pcc-opt %s -pipe-schedule=microbatches=4 -pipe-check | FileCheck %s --check-prefix=FIRST

// CHECK:      pipe.schedule train stage 0
// CHECK-NEXT: pipe.run @gather.0
// CHECK-NEXT: pipe.run @gather.1
// CHECK-NEXT: pipe.run @gather.2
// CHECK-NEXT: pipe.run @forward.0 microbatch 0
// CHECK-NEXT: pipe.run @gather.3
// CHECK-NEXT: pipe.loop %m = 0 to 3 {
// CHECK-NEXT: pipe.run @forward.1 microbatch %m
// CHECK-NEXT: pipe.run @forward.2 microbatch %m
// CHECK-NEXT: pipe.run @forward.3 microbatch %m
// CHECK-NEXT: pipe.run @backward.3 microbatch %m
// CHECK-NEXT: pipe.run @backward.2 microbatch %m
// CHECK-NEXT: pipe.run @backward.1 microbatch %m
// CHECK-NEXT: pipe.run @backward.0 microbatch %m
// CHECK-NEXT: pipe.run @forward.0 microbatch %m + 1
// CHECK-NEXT: }
// CHECK-NEXT: pipe.run @forward.1 microbatch 3
// CHECK-NEXT: pipe.run @forward.2 microbatch 3
// CHECK-NEXT: pipe.run @forward.3 microbatch 3
// CHECK-NEXT: pipe.run @backward.3 microbatch 3
// CHECK-NEXT: pipe.run @backward.2 microbatch 3
// CHECK-NEXT: pipe.run @backward.1 microbatch 3
// CHECK-NEXT: pipe.run @backward.0 microbatch 3
// CHECK-NEXT: pipe.run @update.0
// CHECK-NEXT: }

// FIRST:      pipe.schedule train stage 0
// FIRST-NEXT: pipe.run @gather.0
// FIRST-NEXT: pipe.run @gather.1
// FIRST-NEXT: pipe.run @gather.2
// FIRST-NEXT: pipe.run @gather.3
// FIRST-NEXT: pipe.loop %m = 0 to 4 {
// FIRST-NEXT: pipe.run @forward.0 microbatch %m
#x = #dist.sharding<*>
#x_tp = #dist.sharding<tp>
#x_x = #dist.sharding<*, *>
#x_dp = #dist.sharding<*, dp>

module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @w0 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w0 : tensor<64xf32> copy of @w0 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own0 : tensor<1x32xf32> bucket members [@w0] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row0 : tensor<1x64xf32> bucket members [@copy.w0] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
pipe.task @gather.0 stage 0 gather calls @gather (@own0, @row0) -> (@row0)
nn.param @w1 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w1 : tensor<64xf32> copy of @w1 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own1 : tensor<1x32xf32> bucket members [@w1] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row1 : tensor<1x64xf32> bucket members [@copy.w1] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
pipe.task @gather.1 stage 0 gather calls @gather (@own1, @row1) -> (@row1)
nn.param @w2 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w2 : tensor<64xf32> copy of @w2 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own2 : tensor<1x32xf32> bucket members [@w2] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row2 : tensor<1x64xf32> bucket members [@copy.w2] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
pipe.task @gather.2 stage 0 gather calls @gather (@own2, @row2) -> (@row2)
nn.param @w3 : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @copy.w3 : tensor<64xf32> copy of @w3 {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
nn.state @own3 : tensor<1x32xf32> bucket members [@w3] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
nn.state @row3 : tensor<1x64xf32> bucket members [@copy.w3] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
pipe.task @gather.3 stage 0 gather calls @gather (@own3, @row3) -> (@row3)
pipe.input @x : tensor<64xf32> role data name "x" {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
pipe.value @y0 : tensor<64xf32> {dist.sharding = #x}
pipe.value @y1 : tensor<64xf32> {dist.sharding = #x}
pipe.value @y2 : tensor<64xf32> {dist.sharding = #x}
pipe.value @y3 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d3 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d2 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d1 : tensor<64xf32> {dist.sharding = #x}
pipe.value @d0 : tensor<64xf32> {dist.sharding = #x}
pipe.body @gather (%own: tensor<1x32xf32> as #x_dp, %row: tensor<1x64xf32> as #x_x) -> (tensor<1x64xf32> into 1) {
  %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#x_x]} : tensor<1x32xf32> -> tensor<1x64xf32>
  pipe.yield %p : tensor<1x64xf32>
}
pipe.body @use (%x: tensor<64xf32> as #x, %w: tensor<64xf32> as #x) -> (tensor<64xf32>) {
  %z = nn.mul %x, %w {dist.shardings = [#x]} : tensor<64xf32>
  %half = dist.shard_slice %z dim 0 over ["tp"] {dist.shardings = [#x_tp]} : tensor<64xf32> -> tensor<32xf32>
  %y = dist.all_gather %half dim 0 over ["tp"] {dist.shardings = [#x]} : tensor<32xf32> -> tensor<64xf32>
  pipe.yield %y : tensor<64xf32>
}
pipe.body @change (%a: tensor<1x32xf32> as #x_dp, %b: tensor<1x32xf32> as #x_dp, %c: tensor<1x32xf32> as #x_dp, %d: tensor<1x32xf32> as #x_dp) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1, tensor<1x32xf32> into 2, tensor<1x32xf32> into 3) {
  %e = nn.scale %a by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  %f = nn.scale %b by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  %g = nn.scale %c by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  %h = nn.scale %d by 0.5 {dist.shardings = [#x_dp]} : tensor<1x32xf32>
  pipe.yield %e, %f, %g, %h : tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>
}
pipe.task @forward.0 stage 0 forward calls @use (@x, @copy.w0) -> (@y0)
pipe.task @forward.1 stage 0 forward calls @use (@y0, @copy.w1) -> (@y1)
pipe.task @forward.2 stage 0 forward calls @use (@y1, @copy.w2) -> (@y2)
pipe.task @forward.3 stage 0 forward calls @use (@y2, @copy.w3) -> (@y3)
pipe.task @backward.3 stage 0 backward calls @use (@y3, @copy.w3) -> (@d3)
pipe.task @backward.2 stage 0 backward calls @use (@d3, @copy.w2) -> (@d2)
pipe.task @backward.1 stage 0 backward calls @use (@d2, @copy.w1) -> (@d1)
pipe.task @backward.0 stage 0 backward calls @use (@d1, @copy.w0) -> (@d0)
pipe.task @update.0 stage 0 update calls @change (@own0, @own1, @own2, @own3) -> (@own0, @own1, @own2, @own3)
}
