// A row-parallel layer after --dist-insert-reshards becomes one rank's program:
// half of the weight's rows and of the activation's columns, and an all_reduce
// where a partial sum was resolved. Declarations keep the global type next to
// the local one.
// RUN: pcc-opt %s -dist-partition | FileCheck %s
// RUN: pcc-opt %s -dist-partition -dist-verify -o /dev/null

// CHECK: module attributes {dist.spmd}
dist.mesh @mesh = <["tp"=2]>
// CHECK: nn.param @down : tensor<4x4xf32> init normal {dist.global = tensor<8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
nn.param @down : tensor<8x4xf32> init normal {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
// CHECK: func.func @forward(%[[X:.*]]: tensor<2x4xf32> {dist.global = tensor<2x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>
// CHECK-SAME: -> (tensor<2x4xf32> {dist.global = tensor<2x4xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>
func.func @forward(%x: tensor<2x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>, nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>, nn.name = "y"}) {
  // CHECK-NEXT: %[[W:.*]] = nn.read @down : tensor<4x4xf32>
  %w = nn.read @down : tensor<8x4xf32> {dist.id = 0, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
  // CHECK-NEXT: %[[H:.*]] = nn.contract "bm,mc->bc" %[[X]], %[[W]] {{.*}} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %h = nn.contract "bm,mc->bc" %x, %w {dist.id = 1, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
      : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: %[[R:.*]] = dist.all_reduce sum %[[H]] over ["tp"] {{.*}} : tensor<2x4xf32>
  %r = dist.reshard %h from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]>
      {dist.id = 2, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<2x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = nn.gelu %[[R]] {{.*}} : tensor<2x4xf32>
  %y = nn.gelu %r {dist.id = 3, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<2x4xf32>
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<2x4xf32>
}
