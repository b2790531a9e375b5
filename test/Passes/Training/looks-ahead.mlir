// If a position depends on a later one, the op responsible is named, though
// others precede and follow it.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss -o /dev/null

// The second of two attentions; the first one is causal.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x2x8xf32>
  %a, %l = nn.attention causal %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  %t = nn.tanh %a : tensor<2x4x2x8xf32>
  // expected-note@+1 {{'nn.attention' may let position 0 see position 3}}
  %b, %m = nn.attention %t, %t, %t positions %pos, %pos scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  %c, %n = nn.attention causal %b, %b, %b positions %pos, %pos scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  %s = nn.sum %a, %c : tensor<2x4x2x8xf32>
  %y = nn.reshape %s : tensor<2x4x2x8xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// The mean of all positions, used at each.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %e = nn.exp %x : tensor<2x4x16xf32>
  // expected-note@+1 {{'nn.reduce' may let position 0 see position 3}}
  %mean = nn.reduce %e [1] : tensor<2x4x16xf32> -> tensor<2x16xf32>
  %t = nn.tanh %mean : tensor<2x16xf32>
  %wide = nn.broadcast %t [0, 2] : tensor<2x16xf32> -> tensor<2x4x16xf32>
  %y = nn.sum %x, %wide : tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A norm over positions.
nn.param @emb : tensor<16x16xf32> init normal
nn.param @s : tensor<4xf32> init one
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %s = nn.read @s : tensor<4xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %t = nn.transpose %x [0, 2, 1] : tensor<2x4x16xf32> -> tensor<2x16x4xf32>
  // expected-note@+1 {{'nn.rms_norm' may let position 0 see position 3}}
  %n, %r = nn.rms_norm %t scale %s eps 1.0e-5 : tensor<2x16x4xf32>, tensor<4xf32> -> tensor<2x16xf32>
  %y = nn.transpose %n [0, 2, 1] : tensor<2x16x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Halves of the sequence that are exchanged.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %a = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x2x16xf32>
  // expected-note@+1 {{'nn.slice' may let position 0 see position 2}}
  %b = nn.slice %x at [0, 2, 0] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x2x16xf32>
  %y = nn.concat %b, %a along 1 : tensor<2x2x16xf32>, tensor<2x2x16xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// The first position reads the last one, all others read themselves.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x16xf32> -> tensor<2x3x16xf32>
  // expected-note@+1 {{'nn.select' may let position 1 see position 2}}
  %last = nn.select %x dim 1 index 2 : tensor<2x3x16xf32> -> tensor<2x16xf32>
  %there = nn.insert %last dim 1 index 1 : tensor<2x16xf32> -> tensor<2x3x16xf32>
  %y = nn.sum %x, %there : tensor<2x3x16xf32>
  return %y : tensor<2x3x16xf32>
}

// -----

// Only the second sample looks ahead.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x16xf32> -> tensor<2x3x16xf32>
  %mix = nn.constant dense<[[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]], [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]]> : tensor<2x3x3xf32>
  // expected-note@+1 {{'nn.contract' may let position 0 see position 1}}
  %y = nn.contract "bqk,bkc->bqc" %mix, %x : tensor<2x3x3xf32>, tensor<2x3x16xf32> -> tensor<2x3x16xf32>
  return %y : tensor<2x3x16xf32>
}

// -----

// The columns of the right half, concatenated with columns that depend on
// nothing.
nn.param @emb : tensor<16x8xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x8xf32>
  %x = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x8xf32> -> tensor<2x3x8xf32>
  // expected-note@+1 {{'nn.reduce_max' may let position 0 see position 2}}
  %m = nn.reduce_max %x [1] : tensor<2x3x8xf32> -> tensor<2x8xf32>
  %wide = nn.broadcast %m [0, 2] : tensor<2x8xf32> -> tensor<2x3x8xf32>
  %none = nn.constant dense<0.0> : tensor<2x3x4xf32>
  %y = nn.concat %none, %wide, %none along 2 : tensor<2x3x4xf32>, tensor<2x3x8xf32>, tensor<2x3x4xf32> -> tensor<2x3x16xf32>
  return %y : tensor<2x3x16xf32>
}

// -----

// A reshape merges and splits dims in another order: not the reshape looks
// ahead, but the contraction.
nn.param @emb : tensor<16x4xf32> init normal
nn.param @mix : tensor<12x12xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x4xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  %mix = nn.read @mix : tensor<12x12xf32>
  %x = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x4xf32> -> tensor<2x3x4xf32>
  %flat = nn.reshape %x : tensor<2x3x4xf32> -> tensor<2x12xf32>
  // expected-note@+1 {{'nn.contract' may let position 0 see position 2}}
  %z = nn.contract "bk,kn->bn" %flat, %mix : tensor<2x12xf32>, tensor<12x12xf32> -> tensor<2x12xf32>
  %y = nn.reshape %z : tensor<2x12xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Only token ids, shifted by a position.
nn.param @emb : tensor<16x4xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x4xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  // expected-note@+1 {{'nn.slice' may let position 0 see position 1}}
  %next = nn.slice %ids at [0, 1] step [1, 1] : tensor<2x3xi64> -> tensor<2x2xi64>
  %last = nn.slice %ids at [0, 2] step [1, 1] : tensor<2x3xi64> -> tensor<2x1xi64>
  %shifted = nn.concat %next, %last along 1 : tensor<2x2xi64>, tensor<2x1xi64> -> tensor<2x3xi64>
  %y = nn.embedding %shifted, %emb : tensor<2x3xi64>, tensor<16x4xf32> -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// Positions are two dims, and positions of the second half look ahead. Along
// each single dim no index is after the position.
nn.param @emb : tensor<16x4xf32> init normal
// expected-error@+2 {{a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x4xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x4xf32> -> tensor<2x4x4xf32>
  %halves = nn.reshape %x : tensor<2x4x4xf32> -> tensor<2x2x2x4xf32>
  %mix = nn.constant dense<[[[1.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]> : tensor<2x2x2xf32>
  // expected-note@+1 {{'nn.contract' may let position 2 see position 3}}
  %z = nn.contract "mqk,bmkc->bmqc" %mix, %halves : tensor<2x2x2xf32>, tensor<2x2x2x4xf32> -> tensor<2x2x2x4xf32>
  %t = nn.tanh %z : tensor<2x2x2x4xf32>
  %y = nn.reshape %t : tensor<2x2x2x4xf32> -> tensor<2x4x4xf32>
  return %y : tensor<2x4x4xf32>
}

// -----

// Outputs that are not logits: of another length, or several candidates.
nn.param @emb : tensor<16x4xf32> init normal
// expected-error@+3 {{no --loss is given, and causal-lm is not assumed: 0 outputs are [batch, seq, vocab] for the tokens' [2, 3]}}
// expected-note@+2 {{scores of the last position alone cannot train the model: export it with those of all positions}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x1x4xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  %last = nn.slice %ids at [0, 2] step [1, 1] : tensor<2x3xi64> -> tensor<2x1xi64>
  // expected-note@+1 {{output 0 'logits', computed by 'nn.embedding', is [2, 1, 4] of 'f32'}}
  %y = nn.embedding %last, %emb : tensor<2x1xi64>, tensor<16x4xf32> -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

nn.param @emb : tensor<16x4xf32> init normal
// expected-error@+3 {{0 outputs are [batch, seq, vocab]}}
// expected-note@+2 {{scores of the last position alone cannot train the model}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x2x4xf32> {nn.name = "two"}, tensor<2x4xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  %last = nn.slice %ids at [0, 1] step [1, 1] : tensor<2x3xi64> -> tensor<2x2xi64>
  // expected-note@+1 {{output 0 'two'}}
  %y = nn.embedding %last, %emb : tensor<2x2xi64>, tensor<16x4xf32> -> tensor<2x2x4xf32>
  // expected-note@+1 {{output 1 'logits'}}
  %z = nn.select %y dim 1 index 1 : tensor<2x2x4xf32> -> tensor<2x4xf32>
  return %y, %z : tensor<2x2x4xf32>, tensor<2x4xf32>
}

// -----

nn.param @emb : tensor<16x4xf32> init normal
// expected-error@+2 {{2 outputs are [batch, seq, vocab]}}
// expected-note@+1 {{add --loss}}
func.func @forward(%ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x4xf32> {nn.name = "a"}, tensor<2x3x4xf32>, tensor<2x3x4xi64> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x4xf32>
  // expected-note@+1 {{output 0 'a'}}
  %y = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x4xf32> -> tensor<2x3x4xf32>
  // expected-note@+1 {{output 1, computed by}}
  %z = nn.exp %y : tensor<2x3x4xf32>
  // expected-note@+1 {{output 2 'logits'}}
  %i = nn.cast %z : tensor<2x3x4xf32> -> tensor<2x3x4xi64>
  return %y, %z, %i : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xi64>
}

// -----

// No tokens.
// expected-error@+2 {{no --loss is given, and causal-lm is not assumed: no input is of token ids [batch, seq]}}
// expected-note@+1 {{add --loss}}
func.func @forward(%x: tensor<2x3x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2x3x4xf32> {
  // expected-note@+1 {{output 0, computed by 'nn.exp'}}
  %y = nn.exp %x : tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
