// A row-parallel layer after --dist-propagate. The summed factor "m" is
// sharded, so each rank has a partial sum: the result is partial, and resolved
// once, after its definition, because the gelu that uses it is not linear.
// RUN: pcc-opt %s -dist-insert-reshards | FileCheck %s
// RUN: pcc-opt %s -dist-insert-reshards -dist-verify -o /dev/null

dist.mesh @mesh = <["tp"=2]>
nn.param @down : tensor<8x4xf32> init normal {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
// CHECK: func.func @forward(%[[X:.*]]: tensor<2x8xf32>
// CHECK-SAME: -> (tensor<2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
func.func @forward(%x: tensor<2x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>, nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x4xf32> {nn.name = "y"}) {
  // CHECK-NEXT: %[[W:.*]] = nn.read @down
  %w = nn.read @down : tensor<8x4xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
  // CHECK-NEXT: %[[H:.*]] = nn.contract "bm,mc->bc" %[[X]], %[[W]] {dist.id = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
  // CHECK-NEXT: %[[R:.*]] = dist.reshard %[[H]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 2 : i64
  %h = nn.contract "bm,mc->bc" %x, %w {dist.factors = [[], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]}
      : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = nn.gelu %[[R]] {dist.id = 3
  %y = nn.gelu %h {dist.factors = [[], []], dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<2x4xf32>
  // CHECK-NEXT: return %[[Y]]
  return %y : tensor<2x4xf32>
}
