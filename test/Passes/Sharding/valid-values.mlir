// The values of --tp that a model allows if it does not allow the given one.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-seed-tensor -o /dev/null

// --tp n must divide the key/value heads, or be a multiple of them that divides
// the query heads.
dist.mesh @mesh = <["tp"=4]>
// expected-note@+1 {{heads come from weight 'q.weight' : tensor<16x6x4xf32>}}
nn.param @q.weight : tensor<16x6x4xf32> init normal
nn.param @k.weight : tensor<16x3x4xf32> init normal
nn.param @proj.weight : tensor<6x4x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<16x6x4xf32>
  %wk = nn.read @k.weight : tensor<16x3x4xf32>
  // expected-error@+2 {{cannot split 'nn.contract' 4 ways over mesh axis "tp": 6 heads are not a multiple of 4}}
  // expected-note@+1 {{valid values for --tp are 1, 3, 6}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x16xf32>, tensor<16x6x4xf32> -> tensor<2x6x6x4xf32>
  %k = nn.contract "bsc,cgd->bsgd" %x, %wk : tensor<2x6x16xf32>, tensor<16x3x4xf32> -> tensor<2x6x3x4xf32>
  %o, %lse = nn.attention causal %q, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x6x6x4xf32>, tensor<2x6x3x4xf32>, tensor<2x6x3x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x6x4xf32>, tensor<2x6x6xf32>)
  %wp = nn.read @proj.weight : tensor<6x4x16xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x6x4xf32>, tensor<6x4x16xf32> -> tensor<2x6x16xf32>
  return
}

// -----

// Values that both heads and the MLP's columns allow. The note has the type in
// the user's file.
dist.mesh @mesh = <["tp"=4]>
nn.param @q.weight : tensor<16x4x4xf32> init normal
nn.param @proj.weight : tensor<4x4x16xf32> init normal
// expected-note@+1 {{columns come from weight 'up' : tensor<30x16xf32>}}
nn.param @up : tensor<16x30xf32> init normal source <name = "up", file = "m.onnx", offset = 0, type = tensor<30x16xf32>, file_size = 10000, digest = 7, base = 0, strides = [1, 16], valid = [16, 30]>
nn.param @down : tensor<30x16xf32> init normal
func.func @forward(%x: tensor<2x6x16xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q.weight : tensor<16x4x4xf32>
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x16xf32>, tensor<16x4x4xf32> -> tensor<2x6x4x4xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<2x6x4x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x4xf32>, tensor<2x6x4xf32>)
  %wp = nn.read @proj.weight : tensor<4x4x16xf32>
  %y = nn.contract "bshd,hdc->bsc" %o, %wp : tensor<2x6x4x4xf32>, tensor<4x4x16xf32> -> tensor<2x6x16xf32>
  %u = nn.read @up : tensor<16x30xf32>
  %d = nn.read @down : tensor<30x16xf32>
  // expected-error@+2 {{cannot split 'nn.contract' 4 ways over mesh axis "tp": 30 columns are not a multiple of 4}}
  // expected-note@+1 {{valid values for --tp are 1, 2}}
  %h = nn.contract "bsc,cm->bsm" %y, %u : tensor<2x6x16xf32>, tensor<16x30xf32> -> tensor<2x6x30xf32>
  %z = nn.contract "bsm,mc->bsc" %h, %d : tensor<2x6x30xf32>, tensor<30x16xf32> -> tensor<2x6x16xf32>
  return
}

// -----

// Columns that a reshape splits: their major part must be a multiple.
dist.mesh @mesh = <["tp"=6]>
// expected-note@+1 {{columns come from weight 'up' : tensor<16x12xf32>}}
nn.param @up : tensor<16x12xf32> init normal
nn.param @down : tensor<4x3x16xf32> init normal
func.func @forward(%x: tensor<2x16xf32> {nn.role = #nn.role<data>}) {
  %u = nn.read @up : tensor<16x12xf32>
  %d = nn.read @down : tensor<4x3x16xf32>
  // expected-error@+2 {{cannot split 'nn.contract' 6 ways over mesh axis "tp": 4 columns are not a multiple of 6}}
  // expected-note@+1 {{valid values for --tp are 1, 2, 4}}
  %h = nn.contract "bc,cm->bm" %x, %u : tensor<2x16xf32>, tensor<16x12xf32> -> tensor<2x12xf32>
  %r = nn.reshape %h : tensor<2x12xf32> -> tensor<2x4x3xf32>
  %z = nn.contract "bmn,mnc->bc" %r, %d : tensor<2x4x3xf32>, tensor<4x3x16xf32> -> tensor<2x16xf32>
  return
}

// -----

// Classes, and rows of a table, that are no multiple.
dist.mesh @mesh = <["tp"=4]>
nn.param @head : tensor<4x6xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>},
                   %t: tensor<2xi64> {nn.role = #nn.role<targets>}) {
  %w = nn.read @head : tensor<4x6xf32>
  // expected-note@+1 {{classes come from 'nn.contract' : tensor<2x6xf32>}}
  %l = nn.contract "bk,kv->bv" %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  // expected-error@+2 {{cannot split 'nn.cross_entropy' 4 ways over mesh axis "tp": 6 classes are not a multiple of 4}}
  // expected-note@+1 {{pad them: --nn-pad-vocab=multiple=4}}
  %loss, %lse = nn.cross_entropy %l, %t classes 6 : tensor<2x6xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}
