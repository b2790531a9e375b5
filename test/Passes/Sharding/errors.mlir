// Values that cannot be sharded, and notes on possible flags.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-seed-tensor -dist-seed-data -dist-seed-sequence -dist-propagate

// 4 heads, column parallel and then row parallel.
dist.mesh @mesh = <["tp"=3]>
// expected-note @+1 {{heads come from weight 'q.weight' : tensor<12x4x3xf32>}}
nn.param @q.weight : tensor<12x4x3xf32> init normal
nn.param @proj.weight : tensor<4x3x12xf32> init normal
func.func @forward(%x: tensor<2x6x12xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<12x4x3xf32>
  // expected-error @+2 {{cannot split 'nn.contract' 3 ways over mesh axis "tp": 4 heads are not a multiple of 3}}
  // expected-note @+1 {{valid values for --tp are 1, 2, 4}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x12xf32>, tensor<12x4x3xf32> -> tensor<2x6x4x3xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x3xf32>, tensor<2x6x4x3xf32>, tensor<2x6x4x3xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x3xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x3x12xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x3xf32>, tensor<4x3x12xf32> -> tensor<2x6x12xf32>
  return
}

// -----

// E17: 2 key/value heads on one axis of 4.
dist.mesh @mesh = <["tp"=4]>
// expected-note @+1 {{heads come from weight 'q.weight'}}
nn.param @q.weight : tensor<16x4x4xf32> init normal
nn.param @k.weight : tensor<16x2x4xf32> init normal
nn.param @proj.weight : tensor<4x4x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<16x4x4xf32>
  %wk = nn.read @k.weight : tensor<16x2x4xf32>
  // expected-error @+2 {{2 key/value heads are not a multiple of 4}}
  // expected-note @+1 {{valid values for --tp are 1, 2, 4}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x16xf32>, tensor<16x4x4xf32> -> tensor<2x6x4x4xf32>
  %k = nn.contract "bsc,cgd->bsgd" %x, %wk : tensor<2x6x16xf32>, tensor<16x2x4xf32> -> tensor<2x6x2x4xf32>
  %o, %lse = nn.attention causal %q, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x6x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x4x16xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x4xf32>, tensor<4x4x16xf32> -> tensor<2x6x16xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=4]>
// expected-note @+1 {{columns come from weight 'fc.weight' : tensor<16x30xf32>}}
nn.param @fc.weight : tensor<16x30xf32> init normal
nn.param @proj.weight : tensor<30x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @fc.weight : tensor<16x30xf32>
  // expected-error @+2 {{cannot split 'nn.contract' 4 ways over mesh axis "tp": 30 columns are not a multiple of 4}}
  // expected-note @+1 {{valid values for --tp are 1, 2, 3, 5, 6, 10, 15, 30}}
  %y = nn.contract "bsc,cn->bsn" %x, %w : tensor<2x6x16xf32>, tensor<16x30xf32> -> tensor<2x6x30xf32>
  %p = nn.read @proj.weight : tensor<30x16xf32>
  %z = nn.contract "bsn,nc->bsc" %y, %p : tensor<2x6x30xf32>, tensor<30x16xf32> -> tensor<2x6x16xf32>
  return
}

// -----

dist.mesh @mesh = <["tp"=2]>
// expected-note @+1 {{table rows come from 'wte' : tensor<13x4xf32>}}
nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  // expected-error @+2 {{cannot split 'nn.embedding' 2 ways over mesh axis "tp": 13 table rows are not a multiple of 2}}
  // expected-note @+1 {{pad them: --nn-pad-vocab=multiple=2}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

dist.mesh @mesh = <["dp"=4]>
// expected-error @+2 {{cannot split 'ids' 4 ways over mesh axis "dp": a batch of 6 is not a multiple of 4}}
// expected-note @+1 {{valid values for --dp are 1, 2, 3, 6}}
func.func @forward(%t: tensor<6x8xi64> {nn.role = #nn.role<tokens>, nn.name = "ids"}) {
  return
}

// -----

dist.mesh @mesh = <["cp"=4]>
// expected-error @+2 {{cannot split 'ids' 4 ways over mesh axis "cp": a sequence of 6 is not a multiple of 4}}
// expected-note @+1 {{valid values for --cp are 1, 2, 3, 6}}
func.func @forward(%t: tensor<8x6xi64> {nn.role = #nn.role<tokens>, nn.name = "ids"}) {
  return
}

// -----

dist.mesh @mesh = <["tp"=4]>
nn.param @wte : tensor<16x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  // expected-error @+2 {{a sequence of 6 is not a multiple of 4, which --sequence-parallel needs}}
  // expected-note @+1 {{leave --sequence-parallel out, or choose --seq a multiple of 4}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

// expected-error @+2 {{cannot split the model 2 ways over mesh axis "tp": no pair of layers is column then row parallel}}
// expected-note @+1 {{use --tp 1, and --dp or --pp to use more ranks}}
module {
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<4x4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x4xf32>
  %y = nn.contract "bc,cn->bn" %x, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  return
}
}

// -----

// An op without a sharding rule cannot be sharded.
dist.mesh @mesh = <["dp"=2]>
func.func private @other(tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  // expected-error @+1 {{'func.call' has no sharding rule; only nn ops can be sharded}}
  %y = func.call @other(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

dist.mesh @mesh = <["dp"=2]>
// expected-error @+1 {{has more than one block: a training program has no branches}}
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  return
^unreachable:
  return
}

// -----

dist.mesh @mesh = <["dp"=2]>
// expected-error @+1 {{takes 'index', which is no ranked tensor}}
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}, %i: index) {
  return
}

// -----

// Rows that another op needs as a whole are not sharded, and a remark says so.
dist.mesh @mesh = <["tp"=2]>
nn.param @wte : tensor<16x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  // expected-remark @+1 {{the table rows of 'nn.embedding' stay whole on each of 2 tensor-parallel ranks: another op needs all of them}}
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  // expected-remark @+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (1536 FLOPs)}}
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<16x4xf32> -> tensor<2x6x16xf32>
  %p = nn.softmax %l : tensor<2x6x16xf32>
  return
}

// -----

// Two attentions with one factor for their heads: tp must divide both.
dist.mesh @mesh = <["tp"=4]>
// expected-note @+1 {{heads come from weight 'q.weight'}}
nn.param @q.weight : tensor<16x4x4xf32> init normal
nn.param @k.weight : tensor<16x2x4xf32> init normal
nn.param @proj.weight : tensor<4x4x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<16x4x4xf32>
  %wk = nn.read @k.weight : tensor<16x2x4xf32>
  // expected-error @+2 {{2 key/value heads are not a multiple of 4}}
  // expected-note @+1 {{valid values for --tp are 1, 2, 4}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x16xf32>, tensor<16x4x4xf32> -> tensor<2x6x4x4xf32>
  %k = nn.contract "bsc,cgd->bsgd" %x, %wk : tensor<2x6x16xf32>, tensor<16x2x4xf32> -> tensor<2x6x2x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>)
  %o2, %lse2 = nn.attention causal %o, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x6x4x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x4x16xf32>
  %y = nn.contract "bshd,hdc->bsc" %o2, %wp : tensor<2x6x4x4xf32>, tensor<4x4x16xf32> -> tensor<2x6x16xf32>
  return
}

// -----

// Batch and sequence are merged; the sequence is the minor part.
dist.mesh @mesh = <["dp"=2, "cp"=2]>
nn.param @wte : tensor<16x4xf32> init normal
func.func @forward(%t: tensor<4x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  %x = nn.embedding %t, %w : tensor<4x6xi64>, tensor<16x4xf32> -> tensor<4x6x4xf32>
  // expected-remark @+1 {{'nn.reshape' gathers 'nn.embedding' over mesh axis "cp": dim 1 of 'nn.embedding' is there the minor part of a dim whose major part is not split into single elements}}
  %y = nn.reshape %x : tensor<4x6x4xf32> -> tensor<24x4xf32>
  return
}

// -----

// Heads that are merged with the dim of q, k and v would be gathered: no pair
// of layers remains.
// expected-error @+2 {{cannot split the model 2 ways over mesh axis "tp": no pair of layers is column then row parallel}}
// expected-note @+1 {{use --tp 1, and --dp or --pp to use more ranks}}
module {
dist.mesh @mesh = <["tp"=2]>
nn.param @qkv.weight : tensor<16x3x4x4xf32> init normal
nn.param @proj.weight : tensor<4x4x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %w = nn.read @qkv.weight : tensor<16x3x4x4xf32>
  %qkv = nn.contract "bsc,cphd->bsphd" %x, %w : tensor<2x6x16xf32>, tensor<16x3x4x4xf32> -> tensor<2x6x3x4x4xf32>
  %q = nn.select %qkv dim 2 index 0 : tensor<2x6x3x4x4xf32> -> tensor<2x6x4x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x4x16xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x4xf32>, tensor<4x4x16xf32> -> tensor<2x6x16xf32>
  %flat = nn.reshape %qkv : tensor<2x6x3x4x4xf32> -> tensor<2x6x48xf32>
  return
}
}

// -----

dist.mesh @mesh = <["tp"=4]>
nn.param @wte : tensor<16x4xf32> init normal
func.func @forward(%t: tensor<2x8xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<16x4xf32>
  %x = nn.embedding %t, %w : tensor<2x8xi64>, tensor<16x4xf32> -> tensor<2x8x4xf32>
  // expected-note @+1 {{it is split because of}}
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x8x4xf32>, tensor<16x4xf32> -> tensor<2x8x16xf32>
  // expected-error @+2 {{cannot split 'nn.reshape' 4 ways over mesh axis "tp": dim 2 of 'nn.contract' is 2 x 8 here, and 2 is not a multiple of 4}}
  // expected-note @+1 {{valid values for --tp are 1, 2}}
  %r = nn.reshape %l : tensor<2x8x16xf32> -> tensor<2x8x2x8xf32>
  return
}

// -----

// Rows without a sequence.
dist.mesh @mesh = <["tp"=2]>
nn.param @fc : tensor<4x8xf32> init normal
nn.param @proj : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @fc : tensor<4x8xf32>
  %y = nn.contract "bc,cn->bn" %x, %w : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  %p = nn.read @proj : tensor<8x4xf32>
  // expected-remark @+1 {{'nn.contract' is not split by the sequence: 'tensor<2x4xf32>' is no [batch, sequence, ...]}}
  %z = nn.contract "bn,nc->bc" %y, %p : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// A single position: a learned query.
dist.mesh @mesh = <["tp"=2]>
nn.param @fc : tensor<4x8xf32> init normal
nn.param @proj : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x1x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @fc : tensor<4x8xf32>
  %y = nn.contract "bsc,cn->bsn" %x, %w : tensor<2x1x4xf32>, tensor<4x8xf32> -> tensor<2x1x8xf32>
  %p = nn.read @proj : tensor<8x4xf32>
  // expected-remark @+1 {{'nn.contract' is not split by the sequence: it has one position}}
  %z = nn.contract "bsn,nc->bsc" %y, %p : tensor<2x1x8xf32>, tensor<8x4xf32> -> tensor<2x1x4xf32>
  return
}
