// One seed, the rows of the second weight over tp, determines all shardings:
// the activation in between is sharded like these rows, so the first weight and
// the bias are sharded by columns. Factors are the loops of an op: here "m" is
// the fourth factor of the first contraction (batch, sequence, summed c, m) and
// the third, summed one of the second. The second result is whole: a sum over
// ranks that --dist-insert-reshards will resolve.
// RUN: pcc-opt %s -dist-propagate | FileCheck %s

dist.mesh @mesh = <["tp"=2]>
// CHECK: nn.param @up {{.*}}{dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
nn.param @up : tensor<4x8xf32> init normal
// CHECK: nn.param @bias {{.*}}{dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
nn.param @bias : tensor<8xf32> init zero
// CHECK: nn.param @down {{.*}}{dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
nn.param @down : tensor<8x4xf32> init normal {dist.seeds = [
    #dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "row-parallel weight">]}
// CHECK: func.func @forward(%[[X:.*]]: tensor<2x6x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>
func.func @forward(%x: tensor<2x6x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x6x4xf32> {nn.name = "y"}) {
  // CHECK: %[[UP:.*]] = nn.read @up {{.*}}[#dist.sharding<@mesh, [{}, {"tp"}]>]
  %up = nn.read @up : tensor<4x8xf32>
  // CHECK: %[[H:.*]] = nn.contract "bsc,cm->bsm" %[[X]], %[[UP]] {dist.factors = {{\[\[}}], [], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp"}]>]}
  %h = nn.contract "bsc,cm->bsm" %x, %up : tensor<2x6x4xf32>, tensor<4x8xf32> -> tensor<2x6x8xf32>
  // CHECK: %[[BIAS:.*]] = nn.read @bias {{.*}}[#dist.sharding<@mesh, [{"tp"}]>]
  %bias = nn.read @bias : tensor<8xf32>
  // CHECK: %[[B:.*]] = nn.broadcast %[[BIAS]] [2] {dist.factors = {{\[\[}}], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp"}]>]}
  %b = nn.broadcast %bias [2] : tensor<8xf32> -> tensor<2x6x8xf32>
  // CHECK: %[[S:.*]] = nn.sum %[[H]], %[[B]] {dist.factors = {{\[\[}}], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp"}]>]}
  %s = nn.sum %h, %b : tensor<2x6x8xf32>
  // CHECK: %[[A:.*]] = nn.gelu %[[S]] {dist.factors = {{\[\[}}], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp"}]>]}
  %a = nn.gelu %s : tensor<2x6x8xf32>
  // CHECK: %[[DOWN:.*]] = nn.read @down {{.*}}[#dist.sharding<@mesh, [{"tp"}, {}]>]
  %down = nn.read @down : tensor<8x4xf32>
  // CHECK: nn.contract "bsm,mc->bsc" %[[A]], %[[DOWN]] {dist.factors = {{\[\[}}], [], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}]>]}
  %y = nn.contract "bsm,mc->bsc" %a, %down : tensor<2x6x8xf32>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}
