// A layer that mixes positions (gMLP, MLP-Mixer) has weights over the sequence,
// and splitting them splits the sequence of what they read. It ends at the
// inputs: these lie alike in training and evaluation, and taking a part of one
// costs nothing.
// RUN: pcc-opt %s -dist-seed-tensor -dist-propagate | FileCheck %s

dist.mesh @mesh = <["tp"=2]>
nn.param @mix.weight : tensor<6x6xf32> init normal
// CHECK: func.func @forward(%arg0: tensor<2x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {}]>, nn.role = #nn.role<data>})
func.func @forward(%x: tensor<2x6x8xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @mix.weight : tensor<6x6xf32>
  %h = nn.relu %x : tensor<2x6x8xf32>
  // CHECK: nn.contract {{.*}}dist.factors = {{\[\[}}], ["tp"], [], []]
  %v = nn.contract "bsc,st->btc" %h, %w : tensor<2x6x8xf32>, tensor<6x6xf32> -> tensor<2x6x8xf32>
  %y = nn.mul %x, %v : tensor<2x6x8xf32>
  return
}
