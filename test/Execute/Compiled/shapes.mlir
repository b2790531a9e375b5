// Ops of compiled programs that move elements, against the interpreter: along
// rows and columns, fused into others and alone.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-COUNT-19: ok
// CHECK-NOT: WRONG

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<2x3x4x5xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %y: tensor<2x3x4x5xf32> {nn.name = "y", nn.role = #nn.role<data>},
    %column: tensor<5xf32> {nn.name = "column", nn.role = #nn.role<data>},
    %row: tensor<2x4xf32> {nn.name = "row", nn.role = #nn.role<data>},
    %ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<data>},
    %first: tensor<i64> {nn.name = "first", nn.role = #nn.role<data>})
    -> (tensor<4x3x2x5xf32> {nn.name = "swapped"},
        tensor<5x4x3x2xf32> {nn.name = "reversed"},
        tensor<3x2x4x5xf32> {nn.name = "run"},
        tensor<2x3x4x5xf32> {nn.name = "broadcast_column"},
        tensor<2x3x4x5xf32> {nn.name = "broadcast_middle"},
        tensor<1x2x2x5xf32> {nn.name = "slice_rows"},
        tensor<2x3x4x2xf32> {nn.name = "slice_columns"},
        tensor<4x3x9x5xf32> {nn.name = "pad_rows"},
        tensor<2x3x4x12xf32> {nn.name = "pad_columns"},
        tensor<2x7x4x5xf32> {nn.name = "concat_rows"},
        tensor<2x3x4x10xf32> {nn.name = "concat_columns"},
        tensor<2x4x5xf32> {nn.name = "select"},
        tensor<2x3x4xf32> {nn.name = "select_last"},
        tensor<2x3x4x5xf32> {nn.name = "insert"},
        tensor<2x3x4xf32> {nn.name = "embedding"},
        tensor<2x3x2x2xf32> {nn.name = "embedding_parts"},
        tensor<2x3x4x5xf32> {nn.name = "positions"},
        tensor<2x3x4x5xf32> {nn.name = "table"},
        tensor<2x3xf32> {nn.name = "scalars"}) {
  %e = nn.exp %x : tensor<2x3x4x5xf32>
  %swapped = nn.transpose %e [2, 1, 0, 3] : tensor<2x3x4x5xf32> -> tensor<4x3x2x5xf32>
  %reversed = nn.transpose %x [3, 2, 1, 0] : tensor<2x3x4x5xf32> -> tensor<5x4x3x2xf32>
  // The last two dims stay contiguous.
  %run = nn.transpose %y [1, 0, 2, 3] : tensor<2x3x4x5xf32> -> tensor<3x2x4x5xf32>

  %columns = nn.broadcast %column [3] : tensor<5xf32> -> tensor<2x3x4x5xf32>
  %broadcast_column = nn.sum %columns, %x : tensor<2x3x4x5xf32>
  %rows = nn.broadcast %row [0, 2] : tensor<2x4xf32> -> tensor<2x3x4x5xf32>
  %broadcast_middle = nn.mul %rows, %x : tensor<2x3x4x5xf32>

  %slice_rows0 = nn.slice %e at [1, 0, 1, 0] step [1, 2, 2, 1] : tensor<2x3x4x5xf32> -> tensor<1x2x2x5xf32>
  %slice_rows = nn.scale %slice_rows0 by 3.0 : tensor<1x2x2x5xf32>
  %slice_columns = nn.slice %e at [0, 0, 0, 1] step [1, 1, 1, 2] : tensor<2x3x4x5xf32> -> tensor<2x3x4x2xf32>
  %pad_rows = nn.pad %e at [1, 0, 1, 0] step [1, 1, 2, 1] : tensor<2x3x4x5xf32> -> tensor<4x3x9x5xf32>
  %pad_columns = nn.pad %e at [0, 0, 0, 2] step [1, 1, 1, 2] : tensor<2x3x4x5xf32> -> tensor<2x3x4x12xf32>

  %part = nn.slice %y at [0, 1, 0, 0] step [1, 1, 1, 1] : tensor<2x3x4x5xf32> -> tensor<2x1x4x5xf32>
  %concat_rows = nn.concat %e, %part, %y along 1
      : tensor<2x3x4x5xf32>, tensor<2x1x4x5xf32>, tensor<2x3x4x5xf32> -> tensor<2x7x4x5xf32>
  %concat_columns = nn.concat %e, %y along 3 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32> -> tensor<2x3x4x10xf32>

  %select = nn.select %e dim 1 index 2 : tensor<2x3x4x5xf32> -> tensor<2x4x5xf32>
  %select_last = nn.select %e dim 3 index 3 : tensor<2x3x4x5xf32> -> tensor<2x3x4xf32>
  %insert0 = nn.insert %select dim 1 index 1 : tensor<2x4x5xf32> -> tensor<2x3x4x5xf32>
  %insert = nn.sum %insert0, %y : tensor<2x3x4x5xf32>

  // Some ids are before the first row of this shard.
  %embedding = nn.embedding %ids, %row offset %first : tensor<i64>
      : tensor<2x3xi64>, tensor<2x4xf32> -> tensor<2x3x4xf32>
  %square = nn.reshape %row : tensor<2x4xf32> -> tensor<2x2x2xf32>
  %found = nn.embedding %ids, %square offset %first : tensor<i64>
      : tensor<2x3xi64>, tensor<2x2x2xf32> -> tensor<2x3x2x2xf32>
  %embedding_parts = nn.scale %found by 2.0 : tensor<2x3x2x2xf32>

  // Constants: an arithmetic progression, and others.
  %at = nn.constant dense<[3, 5, 7, 9]> : tensor<4xi64>
  %at_f = nn.cast %at : tensor<4xi64> -> tensor<4xf32>
  %at_b = nn.broadcast %at_f [2] : tensor<4xf32> -> tensor<2x3x4x5xf32>
  %positions = nn.mul %at_b, %x : tensor<2x3x4x5xf32>
  %c = nn.constant dense<[1.0, -2.0, 4.0, 0.5, 9.0]> : tensor<5xf32>
  %i = nn.constant dense<[1, 5, -3, 2, 8]> : tensor<5xi64>
  %if = nn.cast %i : tensor<5xi64> -> tensor<5xf32>
  %ci = nn.mul %c, %if : tensor<5xf32>
  %cb = nn.broadcast %ci [3] : tensor<5xf32> -> tensor<2x3x4x5xf32>
  %table = nn.sum %cb, %x : tensor<2x3x4x5xf32>
  %idf = nn.cast %ids : tensor<2x3xi64> -> tensor<2x3xf32>
  %ff = nn.cast %first : tensor<i64> -> tensor<f32>
  %fb = nn.broadcast %ff [] : tensor<f32> -> tensor<2x3xf32>
  %scalars = nn.sub %idf, %fb : tensor<2x3xf32>
  return %swapped, %reversed, %run, %broadcast_column, %broadcast_middle,
      %slice_rows, %slice_columns, %pad_rows, %pad_columns, %concat_rows,
      %concat_columns, %select, %select_last, %insert, %embedding,
      %embedding_parts, %positions, %table, %scalars
      : tensor<4x3x2x5xf32>, tensor<5x4x3x2xf32>, tensor<3x2x4x5xf32>,
        tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<1x2x2x5xf32>,
        tensor<2x3x4x2xf32>, tensor<4x3x9x5xf32>, tensor<2x3x4x12xf32>,
        tensor<2x7x4x5xf32>, tensor<2x3x4x10xf32>, tensor<2x4x5xf32>,
        tensor<2x3x4xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4xf32>,
        tensor<2x3x2x2xf32>, tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>,
        tensor<2x3xf32>
}
}
