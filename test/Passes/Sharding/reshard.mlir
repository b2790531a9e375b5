// The table from reshards to collectives.
// RUN: pcc-opt %s -dist-partition -o %t
// RUN: FileCheck --implicit-check-not=NULL %s < %t
// RUN: pcc-run %t --against %s --fill 1 --entry moves | FileCheck --check-prefix=EQUAL %s
// EQUAL: 4 values equal the reference's

dist.mesh @mesh = <["dp"=2, "cp"=2, "tp"=2]>

// CHECK-LABEL: func @table
// CHECK-SAME: (%[[P:[^:]*]]: tensor<8x8xf32> {dist.global = tensor<8x8xf32>
// CHECK-SAME: %[[S:arg1]]: tensor<4x8xf32> {dist.global = tensor<8x8xf32>
func.func @table(
    %p: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>},
    %s: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>},
    %r: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
  // CHECK: dist.all_reduce sum %[[P]] over ["tp"] {{.*}}: tensor<8x8xf32>
  %a = dist.reshard %p from <@mesh, [{}, {}], partial = {"tp"}>
      to <@mesh, [{}, {}]> {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
  // CHECK: dist.reduce_scatter %[[P]] dim 1 over ["tp"] {{.*}}: tensor<8x8xf32> -> tensor<8x4xf32>
  %b = dist.reshard %p from <@mesh, [{}, {}], partial = {"tp"}>
      to <@mesh, [{}, {"tp"}]> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<8x8xf32>
  // CHECK: dist.all_gather %[[S]] dim 0 over ["tp"] {{.*}}: tensor<4x8xf32> -> tensor<8x8xf32>
  %c = dist.reshard %s from <@mesh, [{"tp"}, {}]>
      to <@mesh, [{}, {}]> {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
  // CHECK: dist.shard_slice %{{.*}} dim 0 over ["dp", "tp"] {{.*}}: tensor<8x8xf32> -> tensor<2x8xf32>
  %d = dist.reshard %r from <@mesh, [{}, {}]>
      to <@mesh, [{"dp", "tp"}, {}]> {dist.shardings = [#dist.sharding<@mesh, [{"dp", "tp"}, {}]>]} : tensor<8x8xf32>
  // CHECK: dist.all_to_all %[[S]] from 0 to 1 over ["tp"] {{.*}}: tensor<4x8xf32> -> tensor<8x4xf32>
  %e = dist.reshard %s from <@mesh, [{"tp"}, {}]>
      to <@mesh, [{}, {"tp"}]> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<8x8xf32>
  return
}

// Several steps: a value that can be reduce-scattered is never reduced whole,
// and a gathered value is as small as possible.
// CHECK-LABEL: func @steps
func.func @steps(
    %x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"cp"}, {}], partial = {"dp", "tp"}>}) {
  // CHECK: %[[A:.*]] = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}}: tensor<4x8xf32> -> tensor<4x4xf32>
  // CHECK: %[[B:.*]] = dist.all_gather %[[A]] dim 0 over ["cp"] {{.*}}: tensor<4x4xf32> -> tensor<8x4xf32>
  // CHECK: dist.all_reduce sum %[[B]] over ["dp"] {{.*}}dist.id = 7{{.*}} : tensor<8x4xf32>
  %a = dist.reshard %x from <@mesh, [{"cp"}, {}], partial = {"dp", "tp"}>
      to <@mesh, [{}, {"tp"}]> {dist.id = 7 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<8x8xf32>
  // CHECK: %[[C:.*]] = dist.reduce_scatter %{{.*}} dim 0 over ["tp"]
  // CHECK-NEXT: dist.all_reduce sum %[[C]] over ["dp"]
  %b = dist.reshard %x from <@mesh, [{"cp"}, {}], partial = {"dp", "tp"}>
      to <@mesh, [{"cp", "tp"}, {}]> {dist.shardings = [#dist.sharding<@mesh, [{"cp", "tp"}, {}]>]} : tensor<8x8xf32>
  // Both axes at once: one collective.
  // CHECK: dist.all_reduce sum %{{.*}} over ["dp", "tp"]
  %c = dist.reshard %x from <@mesh, [{"cp"}, {}], partial = {"dp", "tp"}>
      to <@mesh, [{"cp"}, {}]> {dist.shardings = [#dist.sharding<@mesh, [{"cp"}, {}]>]} : tensor<8x8xf32>
  return
}

// A replicated scalar becomes each rank's share of a partial sum: no
// collective.
// CHECK-LABEL: func @share
func.func @share(%x: tensor<f32> {dist.sharding = #dist.sharding<@mesh, [], partial = {"tp"}>}) {
  // CHECK: nn.scale %{{.*}} by 2.500000e-01
  %a = dist.reshard %x from <@mesh, [], partial = {"tp"}> to <@mesh, [], partial = {"dp", "cp", "tp"}>
      {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "cp", "tp"}>]} : tensor<f32>
  return
}

// An axis that moves from dim to dim shards one of them at a time.
// CHECK-LABEL: func @moves
func.func @moves(
    %x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>},
    %y: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>},
    %z: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "tp"}, {"cp"}]>}) {
  // CHECK: %[[A:.*]] = dist.shard_slice %{{.*}} dim 1 over ["dp"] {{.*}}: tensor<4x8xf32> -> tensor<4x4xf32>
  // CHECK: dist.all_to_all %[[A]] from 0 to 1 over ["tp"] {{.*}}: tensor<4x4xf32> -> tensor<8x2xf32>
  %a = dist.reshard %x from <@mesh, [{"tp"}, {}]> to <@mesh, [{}, {"dp", "tp"}]>
      {dist.id = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"dp", "tp"}]>]} : tensor<8x8xf32>
  // CHECK: %[[B:.*]] = dist.shard_slice %{{.*}} dim 0 over ["cp"] {{.*}}: tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: %[[C:.*]] = dist.all_to_all %[[B]] from 1 to 0 over ["dp"] {{.*}}: tensor<4x4xf32> -> tensor<2x8xf32>
  // CHECK: dist.shard_slice %[[C]] dim 0 over ["tp"]
  %b = dist.reshard %y from <@mesh, [{}, {"dp"}]> to <@mesh, [{"cp", "dp", "tp"}, {}]>
      {dist.id = 2 : i64, dist.shardings = [#dist.sharding<@mesh, [{"cp", "dp", "tp"}, {}]>]} : tensor<8x8xf32>
  %c = dist.reshard %z from <@mesh, [{"dp", "tp"}, {"cp"}]> to <@mesh, [{"tp"}, {"dp", "cp"}]>
      {dist.id = 3 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {"dp", "cp"}]>]} : tensor<8x8xf32>
  %d = dist.reshard %z from <@mesh, [{"dp", "tp"}, {"cp"}]> to <@mesh, [{"cp"}, {"tp", "dp"}]>
      {dist.id = 4 : i64, dist.shardings = [#dist.sharding<@mesh, [{"cp"}, {"tp", "dp"}]>]} : tensor<8x8xf32>
  return
}
