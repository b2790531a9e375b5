// Every op and attribute is parsed, printed and parsed again.
// RUN: pcc-opt %s -split-input-file | pcc-opt -split-input-file | FileCheck %s

// CHECK: dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=4]>
dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=4]>

// CHECK: nn.param @w {{.*}} {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp"}, {?}]>, reason = "row weight">]}
nn.param @w : tensor<8x4xf32> init normal {dist.seeds = [#dist.seed<
  level = 0, result = 0, sharding = <@mesh, [{"tp"}, {?}]>,
  reason = "row weight">]}
// CHECK: nn.param @b {{.*}} {dist.sharding = #dist.sharding<@mesh, [{"dp", "tp"}]>}
nn.param @b : tensor<8xf32> init zero
    {dist.sharding = #dist.sharding<@mesh, [{"dp", "tp"}]>}

// CHECK-LABEL: func @plan
// CHECK-SAME: {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>}
func.func @plan(
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>})
    -> (tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}) {
  %w = nn.read @w : tensor<8x4xf32>
      {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
  // CHECK: nn.contract
  // CHECK-SAME: dist.id = 3 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>]
  %y = nn.contract "bk,kn->bn" %x, %w {dist.id = 3 : i64,
      dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>]}
      : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: dist.reshard %{{.*}} from <@mesh, [{"dp"}, {}], partial = {"tp"}> to <@mesh, [{"dp"}, {}]> : tensor<4x4xf32>
  %z = dist.reshard %y from <@mesh, [{"dp"}, {}], partial = {"tp"}>
      to <@mesh, [{"dp"}, {}]> : tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// CHECK-LABEL: func @norm
func.func @norm(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: dist.reshard %{{.*}} from <@mesh, []> to <@mesh, [], partial = {"pp", "dp"}>
  %y = dist.reshard %x from <@mesh, []> to <@mesh, [], partial = {"pp", "dp"}>
      : tensor<f32>
  return %y : tensor<f32>
}

// -----

// CHECK: module attributes {dist.spmd}
module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=4]>
// CHECK: nn.param @w : tensor<2x4xf32> {{.*}}dist.global = tensor<8x4xf32>
nn.param @w : tensor<2x4xf32> init normal {dist.global = tensor<8x4xf32>,
  dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
// CHECK-LABEL: func @spmd
func.func @spmd(%x: tensor<2x8xf32> {dist.global = tensor<4x8xf32>,
    dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}) -> tensor<i64> {
  // CHECK: %[[A:.*]]:2 = dist.all_reduce sum %{{.*}}, %{{.*}} over ["dp", "tp"] : tensor<2x8xf32>, tensor<2x8xf32>
  %a:2 = dist.all_reduce sum %x, %x over ["dp", "tp"]
      : tensor<2x8xf32>, tensor<2x8xf32>
  // CHECK: dist.all_reduce max %[[A]]#1 over ["tp"] : tensor<2x8xf32>
  %m = dist.all_reduce max %a#1 over ["tp"] : tensor<2x8xf32>
  // CHECK: dist.all_gather %{{.*}} dim 0 over ["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  %g = dist.all_gather %m dim 0 over ["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  // CHECK: dist.reduce_scatter %{{.*}} dim 1 over ["dp", "tp"] : tensor<8x8xf32> -> tensor<8x1xf32>
  %s = dist.reduce_scatter %g dim 1 over ["dp", "tp"]
      : tensor<8x8xf32> -> tensor<8x1xf32>
  // CHECK: dist.all_to_all %{{.*}} from 1 to 0 over ["tp"] : tensor<8x1xf32> -> tensor<2x4xf32>
  %t = dist.all_to_all %s from 1 to 0 over ["tp"]
      : tensor<8x1xf32> -> tensor<2x4xf32>
  // CHECK: dist.shard_slice %{{.*}} dim 0 over ["dp"] : tensor<2x4xf32> -> tensor<1x4xf32>
  %l = dist.shard_slice %t dim 0 over ["dp"] : tensor<2x4xf32> -> tensor<1x4xf32>
  // CHECK: dist.offset ["tp"] by 2 : tensor<i64>
  %o = dist.offset ["tp"] by 2 : tensor<i64>
  return %o : tensor<i64>
}
}

// -----

// A name that implies its role prints none, whether it was stated or not.
// CHECK: dist.mesh @mesh = <["pp"=2, "replica"=2 data, "cp"=2, "tp_kv"=2, "x"=2 tensor, "ep"=2, "y"=2 expert]>
dist.mesh @mesh = <["pp"=2 pipeline, "replica"=2 data, "cp"=2 sequence,
                    "tp_kv"=2 tensor, "x"=2 tensor, "ep"=2, "y"=2 expert]>
