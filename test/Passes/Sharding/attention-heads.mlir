// Context parallelism: attention's heads are split over the ranks that have
// parts of the sequence elsewhere.
// RUN: pcc-opt %s -split-input-file -dist-seed-data -dist-propagate -dist-attention-heads | FileCheck %s --check-prefix=FACTORS
// RUN: pcc-opt %s -split-input-file -dist-seed-data -dist-propagate -dist-attention-heads -dist-insert-reshards | FileCheck %s
// RUN: not pcc-opt %s -split-input-file -dist-seed-data -dist-propagate -dist-attention-heads=is-asked 2>&1 | FileCheck %s --check-prefix=ERROR

// Four queries share two key/value heads. Their loops are b, s, t, heads,
// repeats, and two of columns: cp leaves s and splits the heads.
// FACTORS-LABEL: func.func @microbatch
// FACTORS: nn.attention {{.*}}dist.factors = {{..\]}}, [], [], ["cp"], [], [], []],

// Queries, keys and values exchange the sequence for heads before attention,
// the result afterwards. The projection has the sequence split as before.
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[Q:.*]] = nn.scale
// CHECK-NEXT: %[[Q2:.*]] = dist.reshard %[[Q]] from <@mesh, [{}, {"cp"}, {}, {}]> to <@mesh, [{}, {}, {"cp"}, {}]>
// CHECK-NEXT: %[[K2:.*]] = dist.reshard %arg1 from <@mesh, [{}, {"cp"}, {}, {}]> to <@mesh, [{}, {}, {"cp"}, {}]>
// CHECK-NEXT: %[[O:.*]], %{{.*}} = nn.attention causal %[[Q2]], %[[K2]], %[[K2]] positions %arg2, %arg2
// CHECK-NEXT: %[[O2:.*]] = dist.reshard %[[O]] from <@mesh, [{}, {}, {"cp"}, {}]> to <@mesh, [{}, {"cp"}, {}, {}]>
// CHECK-NEXT: nn.scale %[[O2]]
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x4x16xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %k: tensor<2x8x2x16xf32> {nn.name = "k", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x8x4x16xf32> {nn.name = "y"}) {
  %q = nn.scale %x by 2.0 : tensor<2x8x4x16xf32>
  %o, %lse = nn.attention causal %q, %k, %k positions %p, %p scale 0.25 : (tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>, tensor<2x8x2x16xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x4x16xf32>, tensor<2x8x4xf32>)
  %y = nn.scale %o by 2.0 : tensor<2x8x4x16xf32>
  return %y : tensor<2x8x4x16xf32>
}
}

// -----

// One key/value head cannot be split: keys and values are gathered.
// FACTORS-LABEL: func.func @microbatch
// FACTORS: nn.attention {{.*}}dist.factors = {{..\]}}, ["cp"], [], [], [], [], []],
// ERROR: error: --cp-comm-type a2a: attention has 1 key/value head on a tensor-parallel rank, not a multiple of cp 2
// ERROR: note: --cp-comm-type allgather gathers keys and values instead
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x4x16xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %k: tensor<2x8x1x16xf32> {nn.name = "k", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x8x4x16xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %k, %k positions %p, %p scale 0.25 : (tensor<2x8x4x16xf32>, tensor<2x8x1x16xf32>, tensor<2x8x1x16xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x4x16xf32>, tensor<2x8x4xf32>)
  return %o : tensor<2x8x4x16xf32>
}
}
