// The dims that tensor parallelism shards, and the sharding of every value: one
// remark per dim and axis, with the level and the op that the axis came from.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-seed-tensor -dist-seed-data -dist-seed-sequence -dist-propagate=remarks -o /dev/null

// Of two pairs that share a weight the one with more parameters is sharded.
dist.mesh @mesh = <["tp"=2]>
nn.param @a : tensor<4x8xf32> init normal
// expected-remark@+1 {{'b' 'tensor<8x16xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @b : tensor<8x16xf32> init normal
// expected-remark@+1 {{'c' 'tensor<16x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @c : tensor<16x4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %a = nn.read @a : tensor<4x8xf32>
  %b = nn.read @b : tensor<8x16xf32>
  %c = nn.read @c : tensor<16x4xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (128 FLOPs)}}
  %h = nn.contract "bk,kn->bn" %x, %a : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x16xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %g = nn.contract "bn,nm->bm" %h, %b : tensor<2x8xf32>, tensor<8x16xf32> -> tensor<2x16xf32>
  // expected-remark@+1 {{'nn.contract' is not split by the sequence: 'tensor<2x4xf32>' is no [batch, sequence, ...]}}
  %y = nn.contract "bm,mo->bo" %g, %c : tensor<2x16xf32>, tensor<16x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// Of two equally large pairs the earlier one is sharded.
dist.mesh @mesh = <["tp"=2]>
// expected-remark@+1 {{'a' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @a : tensor<4x8xf32> init normal
// expected-remark@+1 {{'b' 'tensor<8x8xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @b : tensor<8x8xf32> init normal
nn.param @c : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %a = nn.read @a : tensor<4x8xf32>
  %b = nn.read @b : tensor<8x8xf32>
  %c = nn.read @c : tensor<8x4xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %h = nn.contract "bk,kn->bn" %x, %a : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{'nn.contract' is not split by the sequence: 'tensor<2x8xf32>' is no [batch, sequence, ...]}}
  %g = nn.contract "bn,nm->bm" %h, %b : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (128 FLOPs)}}
  %y = nn.contract "bm,mo->bo" %g, %c : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// Two independent pairs are both sharded; a dim between two weights that a norm
// needs whole is not.
dist.mesh @mesh = <["tp"=2]>
// expected-remark@+1 {{'a' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @a : tensor<4x8xf32> init normal
// expected-remark@+1 {{'b' 'tensor<8x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @b : tensor<8x4xf32> init normal
// expected-remark@+1 {{'c' 'tensor<4x6xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @c : tensor<4x6xf32> init normal
// expected-remark@+1 {{'d' 'tensor<6x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @d : tensor<6x4xf32> init normal
nn.param @e : tensor<4x32xf32> init normal
nn.param @f : tensor<32x4xf32> init normal
nn.param @s : tensor<32xf32> init one
nn.param @t : tensor<4xf32> init one
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %a = nn.read @a : tensor<4x8xf32>
  %b = nn.read @b : tensor<8x4xf32>
  %c = nn.read @c : tensor<4x6xf32>
  %d = nn.read @d : tensor<6x4xf32>
  %e = nn.read @e : tensor<4x32xf32>
  %f = nn.read @f : tensor<32x4xf32>
  %s = nn.read @s : tensor<32xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8xf32>': dim 1 is split over "tp" (level 0): nn.gelu 'nn.gelu'}}
  %h = nn.contract "bk,kn->bn" %x, %a : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{'nn.gelu' 'tensor<2x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %g = nn.gelu %h : tensor<2x8xf32>
  // expected-remark@+1 {{'nn.contract' is not split by the sequence: 'tensor<2x4xf32>' is no [batch, sequence, ...]}}
  %y = nn.contract "bn,nm->bm" %g, %b : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %i = nn.contract "bk,kn->bn" %y, %c : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{'nn.contract' is not split by the sequence: 'tensor<2x4xf32>' is no [batch, sequence, ...]}}
  %z = nn.contract "bn,nm->bm" %i, %d : tensor<2x6xf32>, tensor<6x4xf32> -> tensor<2x4xf32>
  %t = nn.read @t : tensor<4xf32>
  %p, %q = nn.rms_norm %z scale %t eps 1.0e-5 : tensor<2x4xf32>, tensor<4xf32> -> tensor<2xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (512 FLOPs)}}
  %j = nn.contract "bk,kn->bn" %p, %e : tensor<2x4xf32>, tensor<4x32xf32> -> tensor<2x32xf32>
  %k, %r = nn.rms_norm %j scale %s eps 1.0e-5 : tensor<2x32xf32>, tensor<32xf32> -> tensor<2xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (512 FLOPs)}}
  %u = nn.contract "bn,nm->bm" %k, %f : tensor<2x32xf32>, tensor<32x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// A table, a tied head, whose classes are the table's rows, and the loss. The
// batch is sharded over dp, at a later level. Columns of the table are whole.
dist.mesh @mesh = <["dp"=2, "tp"=2]>
// expected-remark@+1 {{'wte' 'tensor<16x4xf32>': dim 0 is split over "tp" (level 0): table rows}}
nn.param @wte : tensor<16x4xf32> init normal
// expected-remark@+1 {{'up' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @up : tensor<4x8xf32> init normal
// expected-remark@+1 {{'bias' 'tensor<8xf32>': dim 0 is split over "tp" (level 0): nn.broadcast 'nn.broadcast'}}
nn.param @bias : tensor<8xf32> init zero
// expected-remark@+1 {{'down' 'tensor<8x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @down : tensor<8x4xf32> init normal
nn.param @after : tensor<4xf32> init zero
func.func @forward(
    // expected-remark@+1 {{'tokens' 'tensor<2x6xi64>': dim 0 is split over "dp" (level 1): an input's batch and sequence}}
    %t: tensor<2x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    // expected-remark@+1 {{'targets' 'tensor<2x6xi64>': dim 0 is split over "dp" (level 1): an input's batch and sequence}}
    %l: tensor<2x6xi64> {nn.name = "targets", nn.role = #nn.role<targets>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  %up = nn.read @up : tensor<4x8xf32>
  %down = nn.read @down : tensor<8x4xf32>
  %bias = nn.read @bias : tensor<8xf32>
  %after = nn.read @after : tensor<4xf32>
  // expected-remark@+2 {{'nn.embedding' 'tensor<2x6x4xf32>': dim 0 is split over "dp" (level 1): nn.embedding 'nn.embedding'}}
  // expected-remark@+1 {{'nn.embedding' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x6x8xf32>': dim 0 is split over "dp" (level 1): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6x8xf32>': dim 2 is split over "tp" (level 0): nn.sum 'nn.sum'}}
  %h = nn.contract "bsc,cm->bsm" %x, %up : tensor<2x6x4xf32>, tensor<4x8xf32> -> tensor<2x6x8xf32>
  // expected-remark@+2 {{'nn.broadcast' 'tensor<2x6x8xf32>': dim 0 is split over "dp" (level 1): nn.sum 'nn.sum'}}
  // expected-remark@+1 {{'nn.broadcast' 'tensor<2x6x8xf32>': dim 2 is split over "tp" (level 0): nn.sum 'nn.sum'}}
  %b = nn.broadcast %bias [2] : tensor<8xf32> -> tensor<2x6x8xf32>
  // expected-remark@+2 {{'nn.sum' 'tensor<2x6x8xf32>': dim 0 is split over "dp" (level 1): nn.sum 'nn.sum'}}
  // expected-remark@+1 {{'nn.sum' 'tensor<2x6x8xf32>': dim 2 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %i = nn.sum %h, %b : tensor<2x6x8xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x6x4xf32>': dim 0 is split over "dp" (level 1): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %y = nn.contract "bsm,mc->bsc" %i, %down : tensor<2x6x8xf32>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  // expected-remark@+2 {{'nn.broadcast' 'tensor<2x6x4xf32>': dim 0 is split over "dp" (level 1): nn.sum 'nn.sum'}}
  // expected-remark@+1 {{'nn.broadcast' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): nn.sum 'nn.sum'}}
  %c = nn.broadcast %after [2] : tensor<4xf32> -> tensor<2x6x4xf32>
  // expected-remark@+2 {{'nn.sum' 'tensor<2x6x4xf32>': dim 0 is split over "dp" (level 1): nn.sum 'nn.sum'}}
  // expected-remark@+1 {{'nn.sum' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): nn.sum 'nn.sum'}}
  %z = nn.sum %x, %y, %c : tensor<2x6x4xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x6x16xf32>': dim 0 is split over "dp" (level 1): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6x16xf32>': dim 2 is split over "tp" (level 0): classes}}
  %logits = nn.contract "bsc,vc->bsv" %z, %w : tensor<2x6x4xf32>, tensor<16x4xf32> -> tensor<2x6x16xf32>
  // expected-remark@+1 {{'nn.cross_entropy' 'tensor<2x6xf32>': dim 0 is split over "dp" (level 1): nn.cross_entropy 'nn.cross_entropy'}}
  %loss, %lse = nn.cross_entropy %logits, %l classes 16 : tensor<2x6x16xf32>, tensor<2x6xi64> -> tensor<2x6xf32>
  return
}

// -----

// Grouped-query attention over two axes: the head dim of keys is whole.
dist.mesh @mesh = <["tp_kv"=2, "tp_rep"=2]>
// expected-remark@+2 {{'q.weight' 'tensor<4x4x2xf32>': dim 1 is split over "tp_kv" (level 0): nn.contract 'nn.contract'}}
// expected-remark@+1 {{'q.weight' 'tensor<4x4x2xf32>': dim 1 is split over "tp_rep" (level 0): nn.contract 'nn.contract'}}
nn.param @q.weight : tensor<4x4x2xf32> init normal
// expected-remark@+1 {{'k.weight' 'tensor<4x2x2xf32>': dim 1 is split over "tp_kv" (level 0): nn.contract 'nn.contract'}}
nn.param @k.weight : tensor<4x2x2xf32> init normal
// expected-remark@+2 {{'proj.weight' 'tensor<4x2x4xf32>': dim 0 is split over "tp_kv" (level 0): row-parallel weight}}
// expected-remark@+1 {{'proj.weight' 'tensor<4x2x4xf32>': dim 0 is split over "tp_rep" (level 0): row-parallel weight}}
nn.param @proj.weight : tensor<4x2x4xf32> init normal
func.func @forward(%x: tensor<2x8x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %pos: tensor<8xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<4x4x2xf32>
  %wk = nn.read @k.weight : tensor<4x2x2xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x8x4x2xf32>': dim 2 is split over "tp_kv" (level 0): nn.attention 'nn.attention'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8x4x2xf32>': dim 2 is split over "tp_rep" (level 0): nn.attention 'nn.attention'}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x8x4xf32>, tensor<4x4x2xf32> -> tensor<2x8x4x2xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8x2x2xf32>': dim 2 is split over "tp_kv" (level 0): nn.attention 'nn.attention'}}
  %k = nn.contract "bsc,cgd->bsgd" %x, %wk : tensor<2x8x4xf32>, tensor<4x2x2xf32> -> tensor<2x8x2x2xf32>
  // expected-remark@+4 {{'nn.attention' 'tensor<2x8x4x2xf32>': dim 2 is split over "tp_kv" (level 0): nn.contract 'nn.contract'}}
  // expected-remark@+3 {{'nn.attention' 'tensor<2x8x4x2xf32>': dim 2 is split over "tp_rep" (level 0): nn.contract 'nn.contract'}}
  // expected-remark@+2 {{'nn.attention' 'tensor<2x8x4xf32>': dim 2 is split over "tp_kv" (level 0): nn.attention 'nn.attention'}}
  // expected-remark@+1 {{'nn.attention' 'tensor<2x8x4xf32>': dim 2 is split over "tp_rep" (level 0): nn.attention 'nn.attention'}}
  %o, %lse = nn.attention causal %q, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x8x4x2xf32>, tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x4x2xf32>, tensor<2x8x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x2x4xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x8x4xf32>': dim 1 is split over "tp_kv" (level 2): sequence parallelism}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8x4xf32>': dim 1 is split over "tp_rep" (level 2): sequence parallelism}}
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x8x4x2xf32>, tensor<4x2x4xf32> -> tensor<2x8x4xf32>
  return
}

// -----

// One key head for all queries: keys are whole, queries are sharded.
dist.mesh @mesh = <["tp"=2]>
// expected-remark@+1 {{'q.weight' 'tensor<4x4x2xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @q.weight : tensor<4x4x2xf32> init normal
nn.param @k.weight : tensor<4x1x2xf32> init normal
// expected-remark@+1 {{'proj.weight' 'tensor<4x2x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @proj.weight : tensor<4x2x4xf32> init normal
func.func @forward(%x: tensor<2x6x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<4x4x2xf32>
  %wk = nn.read @k.weight : tensor<4x1x2xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6x4x2xf32>': dim 2 is split over "tp" (level 0): nn.attention 'nn.attention'}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x4xf32>, tensor<4x4x2xf32> -> tensor<2x6x4x2xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (192 FLOPs)}}
  %k = nn.contract "bsc,cgd->bsgd" %x, %wk : tensor<2x6x4xf32>, tensor<4x1x2xf32> -> tensor<2x6x1x2xf32>
  // expected-remark@+2 {{'nn.attention' 'tensor<2x6x4x2xf32>': dim 2 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.attention' 'tensor<2x6x4xf32>': dim 2 is split over "tp" (level 0): nn.attention 'nn.attention'}}
  %o, %lse = nn.attention causal %q, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x1x2xf32>, tensor<2x6x1x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x2x4xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x2xf32>, tensor<4x2x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

// A table of score biases by distance is whole. Its columns are the heads, and
// its ids are constants: each rank slices the columns of its heads.
dist.mesh @mesh = <["tp"=2]>
// expected-remark@+1 {{'q.weight' 'tensor<4x4x2xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @q.weight : tensor<4x4x2xf32> init normal
nn.param @near : tensor<3x4xf32> init normal
// expected-remark@+1 {{'proj.weight' 'tensor<4x2x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @proj.weight : tensor<4x2x4xf32> init normal
func.func @forward(%x: tensor<2x4x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %pos: tensor<4xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<4x4x2xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x4x4x2xf32>': dim 2 is split over "tp" (level 0): nn.attention 'nn.attention'}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x4x4xf32>, tensor<4x4x2xf32> -> tensor<2x4x4x2xf32>
  %distance = nn.constant dense<[[0, 1, 2, 2], [1, 0, 1, 2], [2, 1, 0, 1], [2, 2, 1, 0]]> : tensor<4x4xi64>
  %near = nn.read @near : tensor<3x4xf32>
  %rows = nn.embedding %distance, %near : tensor<4x4xi64>, tensor<3x4xf32> -> tensor<4x4x4xf32>
  %heads = nn.transpose %rows [2, 0, 1] : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
  %bias = nn.reshape %heads : tensor<4x4x4xf32> -> tensor<1x4x4x4xf32>
  // expected-remark@+2 {{'nn.attention' 'tensor<2x4x4x2xf32>': dim 2 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.attention' 'tensor<2x4x4xf32>': dim 2 is split over "tp" (level 0): nn.attention 'nn.attention'}}
  %o, %lse, %max = nn.attention %q, %q, %q positions %pos, %pos bias %bias scale 1.0
      : (tensor<2x4x4x2xf32>, tensor<2x4x4x2xf32>, tensor<2x4x4x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x4x4x4xf32>) -> (tensor<2x4x4x2xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x2x4xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x4x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x4x4x2xf32>, tensor<4x2x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

// Weights that are concatenated or scaled are not sharded: each GEMM slices
// them.
dist.mesh @mesh = <["tp"=2]>
nn.param @a : tensor<4x4xf32> init normal
nn.param @b : tensor<4x4xf32> init normal
// expected-remark@+1 {{'down' 'tensor<8x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @down : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %a = nn.read @a : tensor<4x4xf32>
  %b = nn.read @b : tensor<4x4xf32>
  %up = nn.concat %a, %b along 1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x8xf32>
  // expected-remark@+1 {{'nn.constant' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.mul 'nn.mul'}}
  %two = nn.constant dense<2.0> : tensor<4x8xf32>
  // expected-remark@+1 {{'nn.mul' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %twice = nn.mul %up, %two : tensor<4x8xf32>
  %down = nn.read @down : tensor<8x4xf32>
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %h = nn.contract "bk,kn->bn" %x, %twice : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{'nn.contract' is not split by the sequence: 'tensor<2x4xf32>' is no [batch, sequence, ...]}}
  %y = nn.contract "bn,nm->bm" %h, %down : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// Training and evaluation have the same shardings. A function without inputs of
// the model has none.
dist.mesh @mesh = <["tp"=2]>
// expected-remark@+1 {{'wte' 'tensor<16x4xf32>': dim 0 is split over "tp" (level 0): table rows}}
nn.param @wte : tensor<16x4xf32> init normal
nn.param @other : tensor<4x64xf32> init normal
nn.param @less : tensor<64x4xf32> init normal
func.func @microbatch(
    %t: tensor<2x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  // expected-remark@+1 {{'nn.embedding' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  return
}
func.func @evaluate(
    %t: tensor<2x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  // expected-remark@+1 {{'nn.embedding' 'tensor<2x6x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  return
}
func.func @update(%x: tensor<2x4xf32>) {
  %a = nn.read @other : tensor<4x64xf32>
  %b = nn.read @less : tensor<64x4xf32>
  %h = nn.contract "bk,kn->bn" %x, %a : tensor<2x4xf32>, tensor<4x64xf32> -> tensor<2x64xf32>
  %y = nn.contract "bn,nm->bm" %h, %b : tensor<2x64xf32>, tensor<64x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// The sequence is sharded over cp and, in results of row-parallel layers, also
// over tp.
dist.mesh @mesh = <["cp"=2, "tp"=2]>
// expected-remark@+1 {{'up' 'tensor<4x8xf32>': dim 1 is split over "tp" (level 0): nn.contract 'nn.contract'}}
nn.param @up : tensor<4x8xf32> init normal
// expected-remark@+1 {{'down' 'tensor<8x4xf32>': dim 0 is split over "tp" (level 0): row-parallel weight}}
nn.param @down : tensor<8x4xf32> init normal
func.func @forward(
    // expected-remark@+1 {{'tokens' 'tensor<2x8xi64>': dim 1 is split over "cp" (level 1): an input's batch and sequence}}
    %t: tensor<2x8xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    // expected-remark@+1 {{'targets' 'tensor<2x8xi64>': dim 1 is split over "cp" (level 1): an input's batch and sequence}}
    %l: tensor<2x8xi64> {nn.name = "targets", nn.role = #nn.role<targets>},
    %d: tensor<2x8x4xf32> {nn.name = "data", nn.role = #nn.role<data>},
    %p: tensor<8xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) {
  %up = nn.read @up : tensor<4x8xf32>
  %down = nn.read @down : tensor<8x4xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x8x8xf32>': dim 1 is split over "cp" (level 1): nn.contract 'nn.contract'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8x8xf32>': dim 2 is split over "tp" (level 0): nn.contract 'nn.contract'}}
  %h = nn.contract "bsc,cm->bsm" %d, %up : tensor<2x8x4xf32>, tensor<4x8xf32> -> tensor<2x8x8xf32>
  // expected-remark@+2 {{'nn.contract' 'tensor<2x8x4xf32>': dim 1 is split over "cp" (level 1): nn.mul 'nn.mul'}}
  // expected-remark@+1 {{'nn.contract' 'tensor<2x8x4xf32>': dim 1 is split over "tp" (level 2): sequence parallelism}}
  %y = nn.contract "bsm,mc->bsc" %h, %down : tensor<2x8x8xf32>, tensor<8x4xf32> -> tensor<2x8x4xf32>
  // expected-remark@+2 {{'nn.valid' 'tensor<2x8xf32>': dim 1 is split over "cp" (level 1): nn.valid 'nn.valid'}}
  // expected-remark@+1 {{'nn.valid' 'tensor<2x8xf32>': dim 1 is split over "tp" (level 2): nn.broadcast 'nn.broadcast'}}
  %n = nn.valid %l : tensor<2x8xi64> -> tensor<2x8xf32>
  // expected-remark@+2 {{'nn.broadcast' 'tensor<2x8x4xf32>': dim 1 is split over "cp" (level 1): nn.broadcast 'nn.broadcast'}}
  // expected-remark@+1 {{'nn.broadcast' 'tensor<2x8x4xf32>': dim 1 is split over "tp" (level 2): nn.mul 'nn.mul'}}
  %w = nn.broadcast %n [0, 1] : tensor<2x8xf32> -> tensor<2x8x4xf32>
  // expected-remark@+2 {{'nn.mul' 'tensor<2x8x4xf32>': dim 1 is split over "cp" (level 1): nn.mul 'nn.mul'}}
  // expected-remark@+1 {{'nn.mul' 'tensor<2x8x4xf32>': dim 1 is split over "tp" (level 2): nn.mul 'nn.mul'}}
  %z = nn.mul %y, %w : tensor<2x8x4xf32>
  return
}
