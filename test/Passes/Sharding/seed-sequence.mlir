// Two layers after --dist-seed-tensor. With sequence parallelism the result of
// the row-parallel one is sharded along the sequence, its dim 1: the sum over
// ranks becomes a reduce-scatter.
// RUN: pcc-opt %s -dist-seed-sequence | FileCheck %s

dist.mesh @mesh = <["tp"=2]>
nn.param @up : tensor<4x8xf32> init normal
// CHECK: nn.param @down {{.*}}level = 0
nn.param @down : tensor<8x4xf32> init normal {dist.seeds = [
    #dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "row-parallel weight">]}
func.func @forward(%x: tensor<2x6x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x6x4xf32> {nn.name = "y"}) {
  // CHECK-NOT: dist.seeds
  %up = nn.read @up : tensor<4x8xf32>
  %h = nn.contract "bsc,cm->bsm" %x, %up : tensor<2x6x4xf32>, tensor<4x8xf32> -> tensor<2x6x8xf32>
  %a = nn.gelu %h : tensor<2x6x8xf32>
  %down = nn.read @down : tensor<8x4xf32>
  // CHECK: nn.contract "bsm,mc->bsc" {{.*}}{dist.seeds = [#dist.seed<level = 2, result = 0, sharding = <@mesh, [{?}, {"tp", ?}, {?}]>, reason = "sequence parallelism">]}
  %y = nn.contract "bsm,mc->bsc" %a, %down : tensor<2x6x8xf32>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}
