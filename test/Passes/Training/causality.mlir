// Without --loss a model is trained to predict the next token only if the
// program shows that no position depends on tokens after it.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss | FileCheck %s

// CHECK: module attributes {nn.loss = "causal-lm"}
// CHECK: func.func @loss
nn.param @w : tensor<8x16xf32> init normal
nn.param @emb : tensor<16x8xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x8xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x8xf32> -> tensor<2x4x8xf32>
  %h = nn.reshape %x : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  %a, %lse = nn.attention causal %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  // The rows of all samples concatenated, and back.
  %rows = nn.reshape %a : tensor<2x4x2x4xf32> -> tensor<8x8xf32>
  %w = nn.read @w : tensor<8x16xf32>
  %scores = nn.contract "rc,cv->rv" %rows, %w : tensor<8x8xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %logits = nn.reshape %scores : tensor<8x16xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// A window of two previous keys, as a table of constants and by comparisons.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %window = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x4xf32>
  %a, %lse, %max = nn.attention %h, %h, %h positions %pos, %pos bias %window scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %key = nn.broadcast %pos [3] : tensor<4xi64> -> tensor<1x1x4x4xi64>
  %query = nn.transpose %key [0, 1, 3, 2] : tensor<1x1x4x4xi64> -> tensor<1x1x4x4xi64>
  %keeps = nn.compare le %key, %query : tensor<1x1x4x4xi64> -> tensor<1x1x4x4xi1>
  %zero = nn.constant dense<0.0> : tensor<1x1x4x4xf32>
  %removed = nn.constant dense<0xFF800000> : tensor<1x1x4x4xf32>
  %mask = nn.where %keeps, %zero, %removed : tensor<1x1x4x4xi1>, tensor<1x1x4x4xf32>
  %c, %lse2, %max2 = nn.attention %a, %a, %a positions %pos, %pos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %logits = nn.reshape %c : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// One key after a query is not masked.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{no --loss is given, and causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss cross-entropy for classes or --loss mse for numbers, with the targets in labels.npy, or --loss causal-lm to predict the next token}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %mask = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x4xf32>
  // expected-note@+1 {{'nn.attention' may let position 2 see position 3}}
  %a, %lse, %max = nn.attention %h, %h, %h positions %pos, %pos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %logits = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// Ops other than attention may mix positions, too.
nn.param @emb : tensor<16x16xf32> init normal
nn.param @mix : tensor<4x4xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %mix = nn.read @mix : tensor<4x4xf32>
  // expected-note@+1 {{'nn.contract' may let position 0 see position 3}}
  %logits = nn.contract "bsv,st->btv" %x, %mix : tensor<2x4x16xf32>, tensor<4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// Only ops that the output needs are considered. Two tables of numbers by
// position.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @pos : tensor<4x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}, tensor<2x16xf32> {nn.name = "pooled"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %p = nn.read @pos : tensor<4x16xf32>
  %wide = nn.broadcast %p [1, 2] : tensor<4x16xf32> -> tensor<2x4x16xf32>
  %logits = nn.sum %x, %wide : tensor<2x4x16xf32>
  %pooled = nn.reduce %x [1] : tensor<2x4x16xf32> -> tensor<2x16xf32>
  return %logits, %pooled : tensor<2x4x16xf32>, tensor<2x16xf32>
}

// -----

// Sinks (keys and values of zeros after the others) have no position.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @sink : tensor<1x4x1x1xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %zeros = nn.constant dense<0.0> : tensor<2x1x4x4xf32>
  %first = nn.constant dense<0> : tensor<1xi64>
  %k = nn.concat %h, %zeros along 1 : tensor<2x4x4x4xf32>, tensor<2x1x4x4xf32> -> tensor<2x5x4x4xf32>
  %kpos = nn.concat %pos, %first along 0 : tensor<4xi64>, tensor<1xi64> -> tensor<5xi64>
  %none = nn.constant dense<0.0> : tensor<1x4x1x4xf32>
  %sink = nn.read @sink : tensor<1x4x1x1xf32>
  %bias = nn.concat %none, %sink along 3 : tensor<1x4x1x4xf32>, tensor<1x4x1x1xf32> -> tensor<1x4x1x5xf32>
  %a, %lse, %max = nn.attention causal %h, %k, %k positions %pos, %kpos bias %bias scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x4x1x5xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %y = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Scores are multiplied by a mask, and masked ones become very negative
// numbers.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %s = nn.contract "bqc,bkc->bqk" %x, %x : tensor<2x4x16xf32>, tensor<2x4x16xf32> -> tensor<2x4x4xf32>
  %b = nn.constant dense<[[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
  %low = nn.constant dense<[[0.0, -1.0e4, -1.0e4, -1.0e4], [0.0, 0.0, -1.0e4, -1.0e4], [0.0, 0.0, 0.0, -1.0e4], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %times = nn.broadcast %b [1, 2] : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %plus = nn.broadcast %low [1, 2] : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %kept = nn.mul %s, %times : tensor<2x4x4xf32>
  %m = nn.sum %kept, %plus : tensor<2x4x4xf32>
  %p = nn.softmax %m : tensor<2x4x4xf32>
  %y = nn.contract "bqk,bkc->bqc" %p, %x : tensor<2x4x4xf32>, tensor<2x4x16xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Without very negative numbers every key takes part in the sum.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %s = nn.contract "bqc,bkc->bqk" %x, %x : tensor<2x4x16xf32>, tensor<2x4x16xf32> -> tensor<2x4x4xf32>
  %b = nn.constant dense<[[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
  %times = nn.broadcast %b [1, 2] : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %kept = nn.mul %s, %times : tensor<2x4x4xf32>
  // expected-note@+1 {{'nn.softmax' may let position 0 see position 3}}
  %p = nn.softmax %kept : tensor<2x4x4xf32>
  %y = nn.contract "bqk,bkc->bqc" %p, %x : tensor<2x4x4xf32>, tensor<2x4x16xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A finite number masks all keys of query 0, so it depends on all of them.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %mask = nn.constant dense<[[[[-1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9]]]]> : tensor<1x1x4x4xf32>
  // expected-note@+1 {{'nn.attention' may let position 0 see position 3}}
  %a, %lse, %max = nn.attention %h, %h, %h positions %pos, %pos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %y = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A key before the others that belongs to no token and that every query sees.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @memory : tensor<1x4x4xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %one = nn.read @memory : tensor<1x4x4xf32>
  %memory = nn.broadcast %one [1, 2, 3] : tensor<1x4x4xf32> -> tensor<2x1x4x4xf32>
  %k = nn.concat %memory, %h along 1 : tensor<2x1x4x4xf32>, tensor<2x4x4x4xf32> -> tensor<2x5x4x4xf32>
  %kpos = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
  %mask = nn.constant dense<[[[[0.0, 0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x5xf32>
  %a, %lse, %max = nn.attention %h, %k, %k positions %pos, %kpos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x1x4x5xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %y = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// Cumulative sums; a convolution over the two previous positions, with padding
// before the first; and the previous position.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @taps : tensor<2x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %wide = nn.broadcast %x [0, 2, 3] : tensor<2x4x16xf32> -> tensor<2x4x4x16xf32>
  %before = nn.constant dense<[[[[true], [false], [false], [false]], [[true], [true], [false], [false]], [[true], [true], [true], [false]], [[true], [true], [true], [true]]]]> : tensor<1x4x4x1xi1>
  %square = nn.reshape %before : tensor<1x4x4x1xi1> -> tensor<4x4xi1>
  %kept = nn.broadcast %square [1, 2] : tensor<4x4xi1> -> tensor<2x4x4x16xi1>
  %zero = nn.constant dense<0.0> : tensor<2x4x4x16xf32>
  %terms = nn.where %kept, %wide, %zero : tensor<2x4x4x16xi1>, tensor<2x4x4x16xf32>
  %sums = nn.reduce %terms [2] : tensor<2x4x4x16xf32> -> tensor<2x4x16xf32>
  %first = nn.transpose %sums [1, 0, 2] : tensor<2x4x16xf32> -> tensor<4x2x16xf32>
  %rows = nn.reshape %first : tensor<4x2x16xf32> -> tensor<4x32xf32>
  %reads = nn.constant dense<[[-1, -1], [-1, 0], [0, 1], [1, 2]]> : tensor<4x2xi64>
  %looked = nn.embedding %reads, %rows : tensor<4x2xi64>, tensor<4x32xf32> -> tensor<4x2x32xf32>
  %windows = nn.reshape %looked : tensor<4x2x32xf32> -> tensor<4x2x2x16xf32>
  %taps = nn.read @taps : tensor<2x16xf32>
  %conv = nn.contract "okbc,kc->boc" %windows, %taps : tensor<4x2x2x16xf32>, tensor<2x16xf32> -> tensor<2x4x16xf32>
  %head = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x3x16xf32>
  %shifted = nn.pad %head at [0, 1, 0] step [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x4x16xf32>
  %y = nn.sum %conv, %shifted : tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// The next position.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  // expected-note@+1 {{'nn.slice' may let position 0 see position 1}}
  %rest = nn.slice %x at [0, 1, 0] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x3x16xf32>
  %shifted = nn.pad %rest at [0, 0, 0] step [1, 1, 1] : tensor<2x3x16xf32> -> tensor<2x4x16xf32>
  %y = nn.sum %x, %shifted : tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A convolution whose window includes the next position; a row is split and
// concatenated again.
nn.param @emb : tensor<16x16xf32> init normal
nn.param @taps : tensor<2x16xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %left = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x4x8xf32>
  %right = nn.slice %x at [0, 0, 8] step [1, 1, 1] : tensor<2x4x16xf32> -> tensor<2x4x8xf32>
  %turned = nn.concat %right, %left along 2 : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x16xf32>
  %first = nn.transpose %turned [1, 0, 2] : tensor<2x4x16xf32> -> tensor<4x2x16xf32>
  %rows = nn.reshape %first : tensor<4x2x16xf32> -> tensor<4x32xf32>
  %reads = nn.constant dense<[[0, -1], [1, 0], [2, 3], [3, 2]]> : tensor<4x2xi64>
  // expected-note@+1 {{'nn.embedding' may let position 2 see position 3}}
  %looked = nn.embedding %reads, %rows : tensor<4x2xi64>, tensor<4x32xf32> -> tensor<4x2x32xf32>
  %windows = nn.reshape %looked : tensor<4x2x32xf32> -> tensor<4x2x2x16xf32>
  %taps = nn.read @taps : tensor<2x16xf32>
  %y = nn.contract "okbc,kc->boc" %windows, %taps : tensor<4x2x2x16xf32>, tensor<2x16xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A recurrence, step by step.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
func.func @forward(
    %ids: tensor<2x2xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x2x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x2xi64>, tensor<16x16xf32> -> tensor<2x2x16xf32>
  %x0 = nn.select %x dim 1 index 0 : tensor<2x2x16xf32> -> tensor<2x16xf32>
  %h0 = nn.tanh %x0 : tensor<2x16xf32>
  %x1 = nn.select %x dim 1 index 1 : tensor<2x2x16xf32> -> tensor<2x16xf32>
  %s1 = nn.sum %h0, %x1 : tensor<2x16xf32>
  %h1 = nn.tanh %s1 : tensor<2x16xf32>
  %y0 = nn.insert %h0 dim 1 index 0 : tensor<2x16xf32> -> tensor<2x2x16xf32>
  %y1 = nn.reshape %h1 : tensor<2x16xf32> -> tensor<2x1x16xf32>
  %last = nn.pad %y1 at [0, 1, 0] step [1, 1, 1] : tensor<2x1x16xf32> -> tensor<2x2x16xf32>
  %y = nn.sum %y0, %last : tensor<2x2x16xf32>
  return %y : tensor<2x2x16xf32>
}

// -----

// A trained mask may change.
nn.param @emb : tensor<16x16xf32> init normal
nn.param @mix : tensor<4x4xf32> init zero
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %mix = nn.read @mix : tensor<4x4xf32>
  // expected-note@+1 {{'nn.contract' may let position 0 see position 3}}
  %y = nn.contract "bsv,ts->btv" %x, %mix : tensor<2x4x16xf32>, tensor<4x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}

// -----

// A contraction reduces two loops: an element masked at one index of the second
// is visible at another.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{no --loss is given, and causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<2x3x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x3xi64>, tensor<16x16xf32> -> tensor<2x3x16xf32>
  %h = nn.reshape %x : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
  %w = nn.constant dense<[[[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]]> : tensor<3x3x2xf32>
  // expected-note@+1 {{'nn.contract' may let position 0 see position 2}}
  %y = nn.contract "qkj,bkjc->bqc" %w, %h : tensor<3x3x2xf32>, tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
  %logits = nn.concat %y, %y along 2 : tensor<2x3x8xf32>, tensor<2x3x8xf32> -> tensor<2x3x16xf32>
  return %logits : tensor<2x3x16xf32>
}

// -----

// The same attention over positions, and over heads, of which there are as
// many: then each head depends on all positions.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{no --loss is given, and causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %a, %lse = nn.attention causal %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %t = nn.transpose %a [0, 2, 1, 3] : tensor<2x4x4x4xf32> -> tensor<2x4x4x4xf32>
  // expected-note@+1 {{'nn.attention' may let position 0 see position 3}}
  %b, %lse2 = nn.attention causal %t, %t, %t positions %pos, %pos scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %logits = nn.reshape %b : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}
