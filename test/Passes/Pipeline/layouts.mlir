// Shardings are parsed as they are printed, and values with the declared
// shardings are accepted.
// RUN: pcc-opt %s -pipe-check | FileCheck %s
// RUN: pcc-opt %s -pipe-check --mlir-print-local-scope | pcc-opt -pipe-check | FileCheck %s

// CHECK-DAG: #scalar = #dist.sharding<>
// CHECK-DAG: #sum_tp = #dist.sharding<| sum tp>
// CHECK-DAG: #x_tp_sum_dp = #dist.sharding<*, tp | sum dp>
// CHECK-DAG: #dp-tp_x = #dist.sharding<dp:tp, *>
module attributes {dist.spmd} {
  dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>
  // CHECK: pipe.input @a {{.*}} {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}
  pipe.input @a : tensor<4x8xf32> role data name "a" {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}
  nn.param @w : tensor<8x4xf32> init normal {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.state @g : tensor<8x4xf32> gradient of @w {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>}
  // CHECK: pipe.value @y : tensor<2x8xf32> {dist.sharding = #dp-tp_x}
  pipe.value @y : tensor<2x8xf32> {dist.sharding = #dist.sharding<dp:tp, *>}
  pipe.output @sum : tensor<f32> name "sum"
  // CHECK: pipe.body @forward.body (%a: tensor<4x8xf32> as #dp_x, %w: tensor<8x4xf32> as #x_tp, %g: tensor<8x4xf32> as #x_tp_sum_dp) -> (tensor<2x8xf32>, tensor<8x4xf32> into 2) {
  pipe.body @forward.body (%a: tensor<4x8xf32> as #dist.sharding<dp, *>, %w: tensor<8x4xf32> as #dist.sharding<*, tp>, %g: tensor<8x4xf32> as #dist.sharding<*, tp | sum dp>)
      -> (tensor<2x8xf32>, tensor<8x4xf32> into 2) {
    // CHECK: nn.contract {{.*}} {dist.shardings = [#dp_tp]}
    %h = nn.contract "bk,kn->bn" %a, %w {dist.shardings = [#dist.sharding<dp, tp>]} : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
    %y = nn.contract "bn,kn->bk" %h, %w {dist.shardings = [#dist.sharding<dp, * | sum tp>]} : tensor<4x4xf32>, tensor<8x4xf32> -> tensor<4x8xf32>
    %block = dist.reduce_scatter %y dim 0 over ["tp"] {dist.shardings = [#dist.sharding<dp:tp, *>]} : tensor<4x8xf32> -> tensor<2x8xf32>
    %d = nn.contract "bk,bn->kn" %a, %h {dist.shardings = [#dist.sharding<*, tp | sum dp>]} : tensor<4x8xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
    %added = nn.sum %g, %d {dist.shardings = [#dist.sharding<*, tp | sum dp>]} : tensor<8x4xf32>
    pipe.yield %block, %added : tensor<2x8xf32>, tensor<8x4xf32>
  }
  pipe.task @forward.0 stage 0 forward calls @forward.body (@a, @w, @g) -> (@y, @g)
  pipe.body @backward.body (%y: tensor<2x8xf32> as #dist.sharding<dp:tp, *>) {
    pipe.yield
  }
  pipe.task @backward.1 stage 1 backward calls @backward.body (@y)
  pipe.body @update.0.body (%g: tensor<8x4xf32> as #dist.sharding<*, tp | sum dp>) -> (tensor<8x4xf32> into 0, tensor<f32>) {
    %zero = nn.constant dense<0.0> : tensor<8x4xf32> {dist.shardings = [#dist.sharding<*, tp | sum dp>]}
    %r = dist.all_reduce sum %g over ["dp"] {dist.shardings = [#dist.sharding<*, tp>]} : tensor<8x4xf32>
    %n = nn.sum_of_squares %r {dist.shardings = [#dist.sharding<| sum tp>]} : tensor<8x4xf32> -> tensor<f32>
    %m = dist.all_reduce sum %n over ["tp"] {dist.shardings = [#dist.sharding<>]} : tensor<f32>
    pipe.yield %zero, %m : tensor<8x4xf32>, tensor<f32>
  }
  pipe.task @update.0 stage 0 update calls @update.0.body (@g) -> (@g, @sum)
  pipe.body @update.1.body () {
    pipe.yield
  }
  pipe.task @update.1 stage 1 update calls @update.1.body ()
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @forward.0 microbatch 0
    pipe.send @y microbatch 0 to 1 channel 0
    pipe.run @update.0
  }
  pipe.schedule train stage 1 microbatches 1 {
    pipe.recv @y microbatch 0 from 0 channel 0
    pipe.run @backward.1 microbatch 0
    pipe.run @update.1
  }
}
