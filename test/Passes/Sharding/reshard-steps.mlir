// More reshards, as steps. If no value is partial, each rank's shard is
// compared with the whole value.
// RUN: pcc-opt %s -dist-partition -o %t
// RUN: FileCheck --implicit-check-not='= dist.' --implicit-check-not='= nn.' %s < %t
// RUN: pcc-run %t --against %s --fill 1 --entry case0,case1,case2,case3,case4,case5,case11 | FileCheck --check-prefix=EQUAL %s
// EQUAL: 7 values equal the reference's

dist.mesh @mesh = <["dp"=2, "cp"=2, "tp"=2]>

// Two axes are exchanged: neither dim is free, so both are gathered.
// CHECK-LABEL: func.func @case0(
// CHECK: %[[S0:.*]] = dist.all_gather %{{.*}} dim 0 over ["dp"] {{.*}}: tensor<4x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.all_gather %[[S0]] dim 1 over ["tp"] {{.*}}: tensor<8x4xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[S2:.*]] = dist.shard_slice %[[S1]] dim 0 over ["tp"] {{.*}}: tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S3:.*]] = dist.shard_slice %[[S2]] dim 1 over ["dp"] {{.*}} : tensor<4x8xf32> -> tensor<4x4xf32>
func.func @case0(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>}) {
  %y = dist.reshard %x from <@mesh, [{"dp"}, {"tp"}]> to <@mesh, [{"tp"}, {"dp"}]> {dist.id = 0 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {"dp"}]>]} : tensor<8x8xf32>
  return
}

// The last axes of a dim move to another dim one by one.
// CHECK-LABEL: func.func @case1(
// CHECK: %[[S0:.*]] = dist.all_to_all %{{.*}} from 0 to 1 over ["tp"] {{.*}}: tensor<1x8xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.all_to_all %[[S0]] from 0 to 1 over ["cp"] {{.*}} : tensor<2x4xf32> -> tensor<4x2xf32>
func.func @case1(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "cp", "tp"}, {}]>}) {
  %y = dist.reshard %x from <@mesh, [{"dp", "cp", "tp"}, {}]> to <@mesh, [{"dp"}, {"tp", "cp"}]> {dist.id = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp", "cp"}]>]} : tensor<8x8xf32>
  return
}

// The order of a dim's axes changes: all are gathered.
// CHECK-LABEL: func.func @case2(
// CHECK: %[[S0:.*]] = dist.all_gather %{{.*}} dim 0 over ["dp", "cp"] {{.*}}: tensor<2x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.shard_slice %[[S0]] dim 0 over ["cp", "dp"] {{.*}} : tensor<8x8xf32> -> tensor<2x8xf32>
func.func @case2(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "cp"}, {}]>}) {
  %y = dist.reshard %x from <@mesh, [{"dp", "cp"}, {}]> to <@mesh, [{"cp", "dp"}, {}]> {dist.id = 2 : i64, dist.shardings = [#dist.sharding<@mesh, [{"cp", "dp"}, {}]>]} : tensor<8x8xf32>
  return
}

// Only axes that a dim loses are gathered.
// CHECK-LABEL: func.func @case3(
// CHECK: %[[S0:.*]] = dist.all_gather %{{.*}} dim 0 over ["cp"] {{.*}} : tensor<2x8xf32> -> tensor<4x8xf32>
func.func @case3(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp", "cp"}, {}]>}) {
  %y = dist.reshard %x from <@mesh, [{"dp", "cp"}, {}]> to <@mesh, [{"dp"}, {}]> {dist.id = 3 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<8x8xf32>
  return
}

// One slice shards a dim over two more axes.
// CHECK-LABEL: func.func @case4(
// CHECK: %[[S0:.*]] = dist.shard_slice %{{.*}} dim 0 over ["cp", "tp"] {{.*}} : tensor<4x8xf32> -> tensor<1x8xf32>
func.func @case4(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}) {
  %y = dist.reshard %x from <@mesh, [{"dp"}, {}]> to <@mesh, [{"dp", "cp", "tp"}, {}]> {dist.id = 4 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp", "cp", "tp"}, {}]>]} : tensor<8x8xf32>
  return
}

// A dim can be sharded over another axis after it is gathered over the first.
// CHECK-LABEL: func.func @case5(
// CHECK: %[[S0:.*]] = dist.all_to_all %{{.*}} from 0 to 1 over ["cp"] {{.*}}: tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.shard_slice %[[S0]] dim 0 over ["dp"] {{.*}} : tensor<8x4xf32> -> tensor<4x4xf32>
func.func @case5(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"cp"}, {}]>}) {
  %y = dist.reshard %x from <@mesh, [{"cp"}, {}]> to <@mesh, [{"dp"}, {"cp"}]> {dist.id = 5 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"cp"}]>]} : tensor<8x8xf32>
  return
}

// Partial sums are reduce-scattered over consecutive axes, once for each dim.
// CHECK-LABEL: func.func @case6(
// CHECK: %[[S0:.*]] = dist.reduce_scatter %{{.*}} dim 0 over ["dp", "cp"] {{.*}}: tensor<8x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.reduce_scatter %[[S0]] dim 1 over ["tp"] {{.*}} : tensor<2x8xf32> -> tensor<2x4xf32>
func.func @case6(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"dp", "cp", "tp"}>}) {
  %y = dist.reshard %x from <@mesh, [{}, {}], partial = {"dp", "cp", "tp"}> to <@mesh, [{"dp", "cp"}, {"tp"}]> {dist.id = 6 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp", "cp"}, {"tp"}]>]} : tensor<8x8xf32>
  return
}

// Of three axes the middle one is summed: a slice, a reduce-scatter, a slice.
// CHECK-LABEL: func.func @case7(
// CHECK: %[[S0:.*]] = dist.shard_slice %{{.*}} dim 0 over ["dp"] {{.*}}: tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.reduce_scatter %[[S0]] dim 0 over ["cp"] {{.*}}: tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %[[S2:.*]] = dist.shard_slice %[[S1]] dim 0 over ["tp"] {{.*}} : tensor<2x8xf32> -> tensor<1x8xf32>
func.func @case7(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"cp"}>}) {
  %y = dist.reshard %x from <@mesh, [{}, {}], partial = {"cp"}> to <@mesh, [{"dp", "cp", "tp"}, {}]> {dist.id = 7 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp", "cp", "tp"}, {}]>]} : tensor<8x8xf32>
  return
}

// An all-to-all of a partial value keeps it partial.
// CHECK-LABEL: func.func @case8(
// CHECK: %[[S0:.*]] = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}}: tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.all_to_all %[[S0]] from 0 to 1 over ["dp"] {{.*}} : tensor<4x4xf32> -> tensor<8x2xf32>
func.func @case8(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}], partial = {"cp", "tp"}>}) {
  %y = dist.reshard %x from <@mesh, [{"dp"}, {}], partial = {"cp", "tp"}> to <@mesh, [{}, {"tp", "dp"}], partial = {"cp"}> {dist.id = 8 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"tp", "dp"}], partial = {"cp"}>]} : tensor<8x8xf32>
  return
}

// All dims are gathered, then the value is reduced.
// CHECK-LABEL: func.func @case10(
// CHECK: %[[S0:.*]] = dist.all_gather %{{.*}} dim 0 over ["dp"] {{.*}}: tensor<4x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.all_gather %[[S0]] dim 1 over ["cp"] {{.*}}: tensor<8x4xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[S2:.*]] = dist.all_reduce sum %[[S1]] over ["tp"] {{.*}} : tensor<8x8xf32>
func.func @case10(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"cp"}], partial = {"tp"}>}) {
  %y = dist.reshard %x from <@mesh, [{"dp"}, {"cp"}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 10 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
  return
}

// The dim's first axis is not the wanted one: it is gathered over all axes.
// CHECK-LABEL: func.func @case11(
// CHECK: %[[S0:.*]] = dist.all_gather %{{.*}} dim 1 over ["dp", "cp"] {{.*}}: tensor<4x2xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S1:.*]] = dist.shard_slice %[[S0]] dim 1 over ["cp"] {{.*}} : tensor<4x8xf32> -> tensor<4x4xf32>
func.func @case11(%x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"dp", "cp"}]>}) {
  %y = dist.reshard %x from <@mesh, [{"tp"}, {"dp", "cp"}]> to <@mesh, [{"tp"}, {"cp"}]> {dist.id = 11 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {"cp"}]>]} : tensor<8x8xf32>
  return
}
