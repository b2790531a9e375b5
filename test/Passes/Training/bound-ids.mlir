// The ids that inputs may hold: the smallest of the tables whose rows they
// index, and the classes of targets, seen through ops that only move or widen
// them.
// RUN: pcc-opt %s -nn-bound-ids | FileCheck %s

nn.param @w : tensor<24x8xf32> init normal
nn.param @v : tensor<10x8xf32> init normal

// CHECK-LABEL: func @forward
func.func @forward(
    // A computed table bounds ids like a parameter.
    // CHECK-SAME: nn.ids = {below = 24 : i64, node = "table"}, nn.name = "tokens"
    %tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "types"}, nn.name = "types"
    %types: tensor<2x4xi32> {nn.name = "types", nn.role = #nn.role<data>},
    // CHECK-SAME: nn.ids = {below = 7 : i64, node = "loss"}, nn.name = "labels"
    %labels: tensor<2x4xi64> {nn.name = "labels", nn.role = #nn.role<targets>},
    // Columns of data may be different things: one gives no bound for another.
    // CHECK-SAME: %{{.*}}: tensor<2x2xi64> {nn.name = "pairs", nn.role = #nn.role<data>}
    %pairs: tensor<2x2xi64> {nn.name = "pairs", nn.role = #nn.role<data>},
    // CHECK-SAME: nn.ids = {below = 6 : i64, node = "nn.embedding_grad"}, nn.name = "rows"
    %rows: tensor<4xi64> {nn.name = "rows", nn.role = #nn.role<data>},
    // Classes of one sample: negative ones are no error.
    // CHECK-SAME: nn.ids = {below = 7 : i64, node = "loss", of_loss}, nn.name = "kind"
    %kind: tensor<4xi64> {nn.name = "kind", nn.role = #nn.role<data>},
    // The program provides positions itself.
    // CHECK-SAME: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) {
  %w = nn.read @w : tensor<24x8xf32>
  %v = nn.read @v : tensor<10x8xf32>
  %table = nn.tanh %w : tensor<24x8xf32>
  %a = nn.embedding %tokens, %table : tensor<2x4xi64>, tensor<24x8xf32> -> tensor<2x4x8xf32> loc("table")
  %wide = nn.cast %types : tensor<2x4xi32> -> tensor<2x4xi64>
  %flat = nn.reshape %wide : tensor<2x4xi64> -> tensor<8xi64>
  %b = nn.embedding %flat, %v : tensor<8xi64>, tensor<10x8xf32> -> tensor<8x8xf32> loc("types")
  %c = nn.embedding %flat, %w : tensor<8xi64>, tensor<24x8xf32> -> tensor<8x8xf32>
  %loss, %lse = nn.cross_entropy %a, %labels classes 7 : tensor<2x4x8xf32>, tensor<2x4xi64> -> tensor<2x4xf32> loc("loss")
  %column = nn.slice %pairs at [0, 0] step [1, 1] : tensor<2x2xi64> -> tensor<2x1xi64>
  %d = nn.embedding %column, %v : tensor<2x1xi64>, tensor<10x8xf32> -> tensor<2x1x8xf32>
  %dy = nn.constant dense<1.0> : tensor<4x8xf32>
  %e = nn.embedding_grad %dy, %rows : tensor<4x8xf32>, tensor<4xi64> -> tensor<6x8xf32>
  %f = nn.embedding %positions, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  %first = nn.select %a dim 1 index 0 : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %twice = nn.concat %first, %first along 0 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  %g, %glse = nn.cross_entropy %twice, %kind classes 7 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32> loc("loss")
  return
}

// Ids beyond the first table are looked up in another: a use up to a limit
// gives no bound; a use that replaces the lowest ids, or one id, does.
// CHECK-LABEL: func @cutoff
func.func @cutoff(
    // CHECK-SAME: nn.ids = {below = 24 : i64, node = "all"}, nn.name = "tokens"
    %tokens: tensor<4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    // CHECK-SAME: %{{.*}}: tensor<4xi64> {nn.name = "few", nn.role = #nn.role<tokens>}
    %few: tensor<4xi64> {nn.name = "few", nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<24x8xf32>
  %v = nn.read @v : tensor<10x8xf32>
  %zero = nn.constant dense<0> : tensor<4xi64>
  %last = nn.constant dense<9> : tensor<4xi64>
  %above = nn.compare le %last, %tokens : tensor<4xi64> -> tensor<4xi1>
  %least = nn.where %above, %last, %tokens : tensor<4xi1>, tensor<4xi64>
  %a = nn.embedding %least, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("first")
  %below = nn.compare le %tokens, %zero : tensor<4xi64> -> tensor<4xi1>
  %most = nn.where %below, %zero, %tokens : tensor<4xi1>, tensor<4xi64>
  %b = nn.embedding %most, %w : tensor<4xi64>, tensor<24x8xf32> -> tensor<4x8xf32> loc("all")
  %within = nn.compare lt %few, %last : tensor<4xi64> -> tensor<4xi1>
  %kept = nn.where %within, %few, %zero : tensor<4xi1>, tensor<4xi64>
  %c = nn.embedding %kept, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  return
}
