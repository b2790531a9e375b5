// A layer that mixes positions (gMLP, MLP-Mixer) has weights over the sequence,
// and sharding them shards the sequence of their operands. Propagation ends at
// the inputs: they have one sharding in training and evaluation, and slicing
// them costs nothing.
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
