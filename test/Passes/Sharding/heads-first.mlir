// By their shapes, a linear layer before the keys and values of cross-attention
// and their projections are a pair of column and row parallel layers, with more
// parameters than the heads. But a weight is sharded along one dim only, and
// without column parallel projections attention would run whole. So heads are
// sharded first, and the linear layer stays whole.
// RUN: pcc-opt %s -dist-seed-tensor 2>&1 | FileCheck %s
// RUN: pcc-opt %s -dist-seed-tensor -dist-propagate 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLAN

dist.mesh @mesh = <["tp"=2]>
// CHECK: nn.param @memory.weight
// CHECK-NOT: dist.seeds
// CHECK: nn.param @q.weight
// CHECK-NOT: dist.seeds
// CHECK: nn.param @kv.weight
// CHECK-NOT: dist.seeds
// CHECK: nn.param @proj.weight {{.*}}dist.seeds = {{.*}}{"tp", ?}
nn.param @memory.weight : tensor<64x8xf32> init normal
nn.param @q.weight : tensor<8x4x2xf32> init normal
nn.param @kv.weight : tensor<64x4x2xf32> init normal
nn.param @proj.weight : tensor<4x2x8xf32> init normal
func.func @forward(%x: tensor<2x6x8xf32> {nn.role = #nn.role<data>},
                   %m: tensor<2x6x8xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  // PLAN: remark: 'nn.contract' runs whole on each of 2 tensor-parallel ranks
  %wm = nn.read @memory.weight : tensor<64x8xf32>
  %memory = nn.contract "bsc,mc->bsm" %m, %wm : tensor<2x6x8xf32>, tensor<64x8xf32> -> tensor<2x6x64xf32>
  %wq = nn.read @q.weight : tensor<8x4x2xf32>
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x8xf32>, tensor<8x4x2xf32> -> tensor<2x6x4x2xf32>
  %wkv = nn.read @kv.weight : tensor<64x4x2xf32>
  %kv = nn.contract "bsm,mhd->bshd" %memory, %wkv : tensor<2x6x64xf32>, tensor<64x4x2xf32> -> tensor<2x6x4x2xf32>
  // PLAN: nn.attention {{.*}}dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp"}, {}]>
  %o, %lse = nn.attention %q, %kv, %kv positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x2x8xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x2xf32>, tensor<4x2x8xf32> -> tensor<2x6x8xf32>
  return
}
