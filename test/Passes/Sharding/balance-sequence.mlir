// Context-parallel ranks that gather keys get pieces of equal work: the order of
// the inputs changes, and nothing else.
// RUN: pcc-opt %s -dist-seed-data -dist-propagate -dist-balance-sequence=is-asked | FileCheck %s
// Eight tokens have no pieces of 64: without the flag the order is the text's.
// RUN: pcc-opt %s -dist-seed-data -dist-propagate -dist-balance-sequence | FileCheck %s --check-prefix=DEFAULT

// Tokens, targets and positions by their role; of the mask, whose role says
// nothing about its dims, the one that attention has as keys. Samples and the
// row of a token's class have the data's order. Queries and keys have
// consecutive positions in pieces of two.
// CHECK-LABEL: func.func @microbatch(
// CHECK-SAME: %arg0: tensor<2x8xi64> {{{.*}}nn.name = "tokens", nn.order = #nn.head_tail<ranks = 2, dims = [1]>, nn.role
// CHECK-SAME: %arg1: tensor<2x8xi64> {{{.*}}nn.name = "targets", nn.order = #nn.head_tail<ranks = 2, dims = [1]>, nn.role
// CHECK-SAME: %arg2: tensor<2x1x1x8xf32> {{{.*}}nn.name = "mask", nn.order = #nn.head_tail<ranks = 2, dims = [3]>, nn.role
// CHECK-SAME: %arg3: tensor<8x8xf32> {{{.*}}nn.name = "other", nn.role
// CHECK-SAME: %arg4: tensor<8xi64> {{{.*}}nn.name = "positions", nn.order = #nn.head_tail<ranks = 2, dims = [0]>, nn.role
// CHECK-SAME: %arg5: tensor<2xi64> {{{.*}}nn.name = "samples", nn.role
// A table by position is reordered, a constant that does not differ is not.
// CHECK: nn.constant dense<[1.000000e+00, 2.000000e+00, 7.000000e+00, 8.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<8xf32> {{{.*}}nn.order = #nn.head_tail<ranks = 2, dims = [0]>
// CHECK: nn.constant dense<2.000000e+00>
// CHECK-NOT: nn.order
// CHECK: nn.attention causal {{.*}} nn.piece = 2 : i64
// DEFAULT-LABEL: func.func @microbatch(
// DEFAULT-NOT: nn.order
// DEFAULT-NOT: nn.piece
module {
dist.mesh @mesh = <["cp"=2]>
nn.param @table : tensor<8x8xf32> init normal
nn.param @wpe : tensor<8x8xf32> init normal
func.func @microbatch(%tokens: tensor<2x8xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
                      %targets: tensor<2x8xi64> {nn.name = "targets", nn.role = #nn.role<targets>},
                      %mask: tensor<2x1x1x8xf32> {nn.name = "mask", nn.role = #nn.role<data>},
                      %other: tensor<8x8xf32> {nn.name = "other", nn.role = #nn.role<shared>},
                      %p: tensor<8xi64> {nn.name = "positions", nn.role = #nn.role<positions>},
                      %samples: tensor<2xi64> {nn.name = "samples", nn.role = #nn.role<samples>},
                      %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>},
                      %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>}) -> (tensor<f32> {nn.name = "loss"}) {
  %table = nn.read @table : tensor<8x8xf32>
  %wpe = nn.read @wpe : tensor<8x8xf32>
  %e = nn.embedding %tokens, %table : tensor<2x8xi64>, tensor<8x8xf32> -> tensor<2x8x8xf32>
  %w = nn.embedding %p, %wpe : tensor<8xi64>, tensor<8x8xf32> -> tensor<8x8xf32>
  %r = nn.broadcast %w [1, 2] : tensor<8x8xf32> -> tensor<2x8x8xf32>
  %sum = nn.sum %e, %r : tensor<2x8x8xf32>
  %x = nn.dropout %sum samples %samples positions %p seed %seed step %step {p = 0.5 : f64, id = 1 : i64, batch_dim = 0 : i64, seq_dim = 1 : i64} : tensor<2x8x8xf32>, tensor<2xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  %h = nn.reshape %x : tensor<2x8x8xf32> -> tensor<2x8x2x4xf32>
  %t = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %u = nn.constant dense<2.0> : tensor<8xf32>
  %tu = nn.mul %t, %u : tensor<8xf32>
  %at = nn.broadcast %tu [1] : tensor<8xf32> -> tensor<2x8x2x4xf32>
  %hot = nn.mul %h, %at : tensor<2x8x2x4xf32>
  %q = nn.rope %hot positions %p theta 1.0e4 dim 4 : tensor<2x8x2x4xf32>, tensor<8xi64>
  %o, %lse, %max = nn.attention causal %q, %q, %h positions %p, %p bias %mask scale 0.5 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>, tensor<2x1x1x8xf32>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>, tensor<2x8x2xf32>)
  %y = nn.reshape %o : tensor<2x8x2x4xf32> -> tensor<2x8x8xf32>
  %z = nn.contract "bsk,kn->bsn" %y, %other : tensor<2x8x8xf32>, tensor<8x8xf32> -> tensor<2x8x8xf32>
  %l, %n = nn.cross_entropy %z, %targets classes 8 : tensor<2x8x8xf32>, tensor<2x8xi64> -> tensor<2x8xf32>
  %loss = nn.reduce %l [0, 1] : tensor<2x8xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
}
