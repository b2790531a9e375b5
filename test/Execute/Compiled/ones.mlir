// Compiled programs with dims of one element, against the interpreter.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-21: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %z: tensor<3x1x5x1xf32> {nn.name = "z", nn.role = #nn.role<data>},
    %w: tensor<1xf32> {nn.name = "w", nn.role = #nn.role<data>},
    %r: tensor<3x5xf32> {nn.name = "r", nn.role = #nn.role<data>},
    %v: tensor<5xf32> {nn.name = "v", nn.role = #nn.role<data>},
    %i: tensor<3xi64> {nn.name = "i", nn.role = #nn.role<data>},
    %q: tensor<2x1x4x6xf32> {nn.name = "q", nn.role = #nn.role<data>},
    %n: tensor<1xi64> {nn.name = "n", nn.role = #nn.role<data>},
    %at: tensor<4xi64> {nn.name = "at", nn.role = #nn.role<data>},
    %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<data>})
    -> (tensor<3x1x5x1xf32> {nn.name = "softmax"},
        tensor<3x1x5x1xf32> {nn.name = "rms_0"},
        tensor<3x1x5xf32> {nn.name = "rms_1"},
        tensor<5x1x3x1xf32> {nn.name = "transpose"},
        tensor<3x1x5x1xf32> {nn.name = "broadcast"},
        tensor<3x1x5x1xf32> {nn.name = "broadcast_one"},
        tensor<3x1x7x5x1xf32> {nn.name = "wide"},
        tensor<3x5x1xf32> {nn.name = "select"},
        tensor<3x1x2x5x1xf32> {nn.name = "insert"},
        tensor<3x2x5x1xf32> {nn.name = "concat"},
        tensor<3x3x5x2xf32> {nn.name = "pad"},
        tensor<2x1x2x1xf32> {nn.name = "slice"},
        tensor<1x5x1xf32> {nn.name = "sum_rows"},
        tensor<1x1xf32> {nn.name = "sum_middle"},
        tensor<3x1x5xf32> {nn.name = "sum_last"},
        tensor<3x1xf32> {nn.name = "max"},
        tensor<3x5x1xf32> {nn.name = "embedding"},
        tensor<3x1xf32> {nn.name = "scalars"},
        tensor<5x1xf32> {nn.name = "scatter"},
        tensor<2x1x4x6xf32> {nn.name = "dropout"},
        tensor<1x4x2x6xf32> {nn.name = "dropout_first"}) {
  %softmax = nn.softmax %z : tensor<3x1x5x1xf32>
  %rms:2 = nn.rms_norm %z scale %w eps 1.0 : tensor<3x1x5x1xf32>, tensor<1xf32> -> tensor<3x1x5xf32>
  %t = nn.transpose %z [2, 3, 0, 1] : tensor<3x1x5x1xf32> -> tensor<5x1x3x1xf32>
  %transpose = nn.exp %t : tensor<5x1x3x1xf32>
  %b = nn.broadcast %r [0, 2] : tensor<3x5xf32> -> tensor<3x1x5x1xf32>
  %broadcast = nn.sum %b, %z : tensor<3x1x5x1xf32>
  %bw = nn.broadcast %w [3] : tensor<1xf32> -> tensor<3x1x5x1xf32>
  %broadcast_one = nn.sum %bw, %z : tensor<3x1x5x1xf32>
  %wide0 = nn.broadcast %z [0, 1, 3, 4] : tensor<3x1x5x1xf32> -> tensor<3x1x7x5x1xf32>
  %wide = nn.exp %wide0 : tensor<3x1x7x5x1xf32>
  %e = nn.exp %z : tensor<3x1x5x1xf32>
  %select = nn.select %e dim 1 index 0 : tensor<3x1x5x1xf32> -> tensor<3x5x1xf32>
  %insert = nn.insert %z dim 2 index 1 : tensor<3x1x5x1xf32> -> tensor<3x1x2x5x1xf32>
  %concat = nn.concat %z, %e along 1 : tensor<3x1x5x1xf32>, tensor<3x1x5x1xf32> -> tensor<3x2x5x1xf32>
  %pad = nn.pad %e at [0, 1, 0, 1] step [1, 1, 1, 1] : tensor<3x1x5x1xf32> -> tensor<3x3x5x2xf32>
  %slice0 = nn.slice %e at [1, 0, 2, 0] step [1, 1, 2, 1] : tensor<3x1x5x1xf32> -> tensor<2x1x2x1xf32>
  %slice = nn.scale %slice0 by 2.0 : tensor<2x1x2x1xf32>
  %sum_rows = nn.reduce %z [0] : tensor<3x1x5x1xf32> -> tensor<1x5x1xf32>
  %sum_middle = nn.reduce %z [0, 2] : tensor<3x1x5x1xf32> -> tensor<1x1xf32>
  %sum_last = nn.reduce %z [3] : tensor<3x1x5x1xf32> -> tensor<3x1x5xf32>
  %max = nn.reduce_max %z [2, 3] : tensor<3x1x5x1xf32> -> tensor<3x1xf32>
  %rows = nn.reshape %r : tensor<3x5xf32> -> tensor<3x5x1xf32>
  %embedding = nn.embedding %i, %rows : tensor<3xi64>, tensor<3x5x1xf32> -> tensor<3x5x1xf32>
  %column = nn.reshape %v : tensor<5xf32> -> tensor<5x1xf32>
  %scalars = nn.embedding %i, %column : tensor<3xi64>, tensor<5x1xf32> -> tensor<3x1xf32>
  %scatter = nn.embedding_grad %scalars, %i : tensor<3x1xf32>, tensor<3xi64> -> tensor<5x1xf32>
  // The sequence dim after the first dim of columns, of which there are two.
  %dropout = nn.dropout %q samples %n positions %at seed %seed step %seed
      {p = 0.3, id = 9, batch_dim = 1, seq_dim = 2}
      : tensor<2x1x4x6xf32>, tensor<1xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  %d0 = nn.reshape %q : tensor<2x1x4x6xf32> -> tensor<1x4x2x6xf32>
  %dropout_first = nn.dropout %d0 samples %n positions %at seed %seed step %seed
      {p = 0.6, id = 8, batch_dim = 0, seq_dim = 1}
      : tensor<1x4x2x6xf32>, tensor<1xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  return %softmax, %rms#0, %rms#1, %transpose, %broadcast, %broadcast_one,
      %wide, %select, %insert, %concat, %pad, %slice, %sum_rows, %sum_middle,
      %sum_last, %max, %embedding, %scalars, %scatter, %dropout, %dropout_first
      : tensor<3x1x5x1xf32>, tensor<3x1x5x1xf32>, tensor<3x1x5xf32>,
        tensor<5x1x3x1xf32>, tensor<3x1x5x1xf32>, tensor<3x1x5x1xf32>,
        tensor<3x1x7x5x1xf32>, tensor<3x5x1xf32>, tensor<3x1x2x5x1xf32>,
        tensor<3x2x5x1xf32>, tensor<3x3x5x2xf32>, tensor<2x1x2x1xf32>,
        tensor<1x5x1xf32>, tensor<1x1xf32>, tensor<3x1x5xf32>, tensor<3x1xf32>,
        tensor<3x5x1xf32>, tensor<3x1xf32>, tensor<5x1xf32>,
        tensor<2x1x4x6xf32>, tensor<1x4x2x6xf32>
}
}
