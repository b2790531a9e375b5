// Hidden states that are trained as classes: the hidden dim stays whole because
// norms need it, so the layers that write it can be sharded by heads.
// RUN: pcc-opt %s -dist-seed-tensor 2>&1 | FileCheck %s

dist.mesh @mesh = <["tp"=2]>
// CHECK: remark: the classes of 'nn.cross_entropy' stay whole on each of 2 tensor-parallel ranks: another op needs all of them
// CHECK: nn.param @proj.weight {{.*}}dist.seeds = {{.*}}{"tp", ?}
nn.param @scale : tensor<8xf32> init one
nn.param @qkv.weight : tensor<8x4x2xf32> init normal
nn.param @proj.weight : tensor<4x2x8xf32> init normal
func.func @forward(%x: tensor<2x6x8xf32> {nn.role = #nn.role<data>},
                   %targets: tensor<2x6xi64> {nn.role = #nn.role<targets>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6xf32> {
  %w = nn.read @qkv.weight : tensor<8x4x2xf32>
  %q = nn.contract "bsc,chd->bshd" %x, %w : tensor<2x6x8xf32>, tensor<8x4x2xf32> -> tensor<2x6x4x2xf32>
  %o, %lse = nn.attention %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x2x8xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x2xf32>, tensor<4x2x8xf32> -> tensor<2x6x8xf32>
  %r = nn.sum %x, %y : tensor<2x6x8xf32>
  %g = nn.read @scale : tensor<8xf32>
  %h, %rstd = nn.rms_norm %r scale %g eps 1.0e-5 : tensor<2x6x8xf32>, tensor<8xf32> -> tensor<2x6xf32>
  %s = nn.sum %r, %h : tensor<2x6x8xf32>
  %loss, %sums = nn.cross_entropy %s, %targets classes 8 : tensor<2x6x8xf32>, tensor<2x6xi64> -> tensor<2x6xf32>
  return %loss : tensor<2x6xf32>
}
