// Without --loss a model is trained to predict the next token only if it is
// seen from the program that no position sees the tokens after it.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss | FileCheck %s

// CHECK: module attributes {nn.loss = "causal-lm"}
// CHECK: func.func @loss
nn.param @w : tensor<8x16xf32> init normal
nn.param @emb : tensor<16x8xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = "positions"})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x8xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x8xf32> -> tensor<2x4x8xf32>
  %h = nn.reshape %x : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  %a, %lse = nn.attention causal %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  // Rows of all samples, one behind the other, and back.
  %rows = nn.reshape %a : tensor<2x4x2x4xf32> -> tensor<8x8xf32>
  %w = nn.read @w : tensor<8x16xf32>
  %scores = nn.contract "rc,cv->rv" %rows, %w : tensor<8x8xf32>, tensor<8x16xf32> -> tensor<8x16xf32>
  %logits = nn.reshape %scores : tensor<8x16xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// Two keys back and no further, as a table; and the same by comparing.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = "positions"})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %window = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x4xf32>
  %a, %lse = nn.attention %h, %h, %h positions %pos, %pos bias %window scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %key = nn.broadcast %pos [3] : tensor<4xi64> -> tensor<1x1x4x4xi64>
  %query = nn.transpose %key [0, 1, 3, 2] : tensor<1x1x4x4xi64> -> tensor<1x1x4x4xi64>
  %keeps = nn.compare le %key, %query : tensor<1x1x4x4xi64> -> tensor<1x1x4x4xi1>
  %zero = nn.constant dense<0.0> : tensor<1x1x4x4xf32>
  %removed = nn.constant dense<0xFF800000> : tensor<1x1x4x4xf32>
  %mask = nn.where %keeps, %zero, %removed : tensor<1x1x4x4xi1>, tensor<1x1x4x4xf32>
  %c, %lse2 = nn.attention %a, %a, %a positions %pos, %pos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %logits = nn.reshape %c : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// One key after a query is left.
nn.param @emb : tensor<16x16xf32> init normal
// expected-error@+2 {{the model says no loss, and causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss cross-entropy for classes or --loss mse for numbers, with the targets in labels.npy, or --loss causal-lm to predict the next token}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = "positions"})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %h = nn.reshape %x : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  %mask = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]]]> : tensor<1x1x4x4xf32>
  // expected-note@+1 {{'nn.attention' is an attention in which a position sees those after it}}
  %a, %lse = nn.attention %h, %h, %h positions %pos, %pos bias %mask scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %logits = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// What is no attention may mix positions, too.
nn.param @emb : tensor<16x16xf32> init normal
nn.param @mix : tensor<4x4xf32> init normal
// expected-error@+2 {{causal-lm is not assumed: a position may see the tokens that it would predict}}
// expected-note@+1 {{add --loss}}
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}) {
  %emb = nn.read @emb : tensor<16x16xf32>
  %x = nn.embedding %ids, %emb : tensor<2x4xi64>, tensor<16x16xf32> -> tensor<2x4x16xf32>
  %mix = nn.read @mix : tensor<4x4xf32>
  // expected-note@+1 {{'nn.contract' may take from later positions: it adds over positions}}
  %logits = nn.contract "bsv,st->btv" %x, %mix : tensor<2x4x16xf32>, tensor<4x4xf32> -> tensor<2x4x16xf32>
  return %logits : tensor<2x4x16xf32>
}

// -----

// Only what the output needs counts; and two tables of numbers by position.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @pos : tensor<4x16xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"})
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

// Sinks, keys and values of zeros behind the others, are of no position.
// CHECK: module attributes {nn.loss = "causal-lm"}
nn.param @emb : tensor<16x16xf32> init normal
nn.param @sink : tensor<1x4x1x1xf32> init normal
func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = "tokens"},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = "positions"})
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
  %a, %lse = nn.attention causal %h, %k, %k positions %pos, %kpos bias %bias scale 0.5
      : (tensor<2x4x4x4xf32>, tensor<2x5x4x4xf32>, tensor<2x5x4x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x4x1x5xf32>)
      -> (tensor<2x4x4x4xf32>, tensor<2x4x4xf32>)
  %y = nn.reshape %a : tensor<2x4x4x4xf32> -> tensor<2x4x16xf32>
  return %y : tensor<2x4x16xf32>
}
