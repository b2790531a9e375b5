// Two layers, the first of which has more columns than rows. Tensor parallelism
// shards the dim between them, "m": the second weight is row parallel, which is
// the only seed. Its other dim is left open (?).
// RUN: pcc-opt %s -dist-seed-tensor | FileCheck --implicit-check-not=dist.seeds %s

dist.mesh @mesh = <["tp"=2]>
// CHECK: nn.param @up : tensor<4x8xf32> init normal{{$}}
nn.param @up : tensor<4x8xf32> init normal
// CHECK: nn.param @down : tensor<8x4xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "row-parallel weight">]}
nn.param @down : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x6x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x6x4xf32> {nn.name = "y"}) {
  %up = nn.read @up : tensor<4x8xf32>
  %h = nn.contract "bsc,cm->bsm" %x, %up : tensor<2x6x4xf32>, tensor<4x8xf32> -> tensor<2x6x8xf32>
  %a = nn.gelu %h : tensor<2x6x8xf32>
  %down = nn.read @down : tensor<8x4xf32>
  %y = nn.contract "bsm,mc->bsc" %a, %down : tensor<2x6x8xf32>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}
