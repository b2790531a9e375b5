// Ops on whole rows or columns in compiled programs, against the interpreter.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-44: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<2x3x70xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %dy: tensor<2x3x70xf32> {nn.name = "dy", nn.role = #nn.role<data>},
    %scale: tensor<70xf32> {nn.name = "scale", nn.role = #nn.role<data>},
    %bias: tensor<70xf32> {nn.name = "bias", nn.role = #nn.role<data>},
    %mean: tensor<2x3xf32> {nn.name = "mean", nn.role = #nn.role<data>},
    %rstd_positive: tensor<2x3xf32> {nn.name = "rstd_positive", nn.role = #nn.role<data>},
    %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<data>},
    %ids: tensor<2x3xi64> {nn.name = "ids", nn.role = #nn.role<data>},
    %first: tensor<i64> {nn.name = "first", nn.role = #nn.role<data>},
    %heads: tensor<2x3x2x12xf32> {nn.name = "heads", nn.role = #nn.role<data>},
    %at: tensor<3xi64> {nn.name = "at", nn.role = #nn.role<data>},
    %far: tensor<5xi64> {nn.name = "far", nn.role = #nn.role<data>},
    %n: tensor<2xi64> {nn.name = "n", nn.role = #nn.role<data>},
    %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<data>},
    %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<data>},
    %origin: tensor<3xi64> {nn.name = "origin", nn.role = #nn.role<data>},
    %long: tensor<40x512xf32> {nn.name = "long", nn.role = #nn.role<data>},
    %w: tensor<6x4xi64> {nn.name = "w", nn.role = #nn.role<data>})
    -> (tensor<2x3x70xf32> {nn.name = "softmax"},
        tensor<2x3x70xf32> {nn.name = "softmax_grad"},
        tensor<2x3x70xf32> {nn.name = "ln_0"},
        tensor<2x3xf32> {nn.name = "ln_1"},
        tensor<2x3xf32> {nn.name = "ln_2"},
        tensor<2x3x70xf32> {nn.name = "ln_plain_0"},
        tensor<2x3x70xf32> {nn.name = "ln_grad"},
        tensor<2x3x70xf32> {nn.name = "rms_0"},
        tensor<2x3xf32> {nn.name = "rms_1"},
        tensor<2x3x70xf32> {nn.name = "rms_grad"},
        tensor<2x3x70xf32> {nn.name = "bf16_softmax"},
        tensor<70xf32> {nn.name = "ln_scale_grad"},
        tensor<70xf32> {nn.name = "rms_scale_grad"},
        tensor<70xf32> {nn.name = "sum_rows"},
        tensor<3x70xf32> {nn.name = "sum_first"},
        tensor<2x70xf32> {nn.name = "sum_middle"},
        tensor<3xf32> {nn.name = "sum_ends"},
        tensor<f32> {nn.name = "sum_all"},
        tensor<f32> {nn.name = "sum_long"},
        tensor<f32> {nn.name = "squares"},
        tensor<f32> {nn.name = "squares_long"},
        tensor<2x3xf32> {nn.name = "max_rows"},
        tensor<3x70xf32> {nn.name = "max_first"},
        tensor<3xf32> {nn.name = "min_ends"},
        tensor<2x70xf32> {nn.name = "prod_middle"},
        tensor<6xi64> {nn.name = "i_max"},
        tensor<4xi64> {nn.name = "i_min"},
        tensor<6xi64> {nn.name = "i_prod"},
        tensor<2x3xf32> {nn.name = "ce_0"},
        tensor<2x3xf32> {nn.name = "ce_1"},
        tensor<2x3x70xf32> {nn.name = "ce_grad"},
        tensor<2x3xf32> {nn.name = "row_max"},
        tensor<2x2x3xf32> {nn.name = "stats"},
        tensor<2x3xf32> {nn.name = "loss_0"},
        tensor<2x3xf32> {nn.name = "loss_1"},
        tensor<2x3x70xf32> {nn.name = "ce_grad_part"},
        tensor<2x3xf32> {nn.name = "valid"},
        tensor<5x70xf32> {nn.name = "table_grad"},
        tensor<3x70xf32> {nn.name = "table_sum"},
        tensor<5x70xf32> {nn.name = "bf16_grad"},
        tensor<2x3x2x12xf32> {nn.name = "rope"},
        tensor<2x3x2x12xf32> {nn.name = "rope_back"},
        tensor<2x3x70xf32> {nn.name = "dropout"},
        tensor<70xf32> {nn.name = "dropped_sum"}) {
  // Rows, and reductions of rows.
  %softmax = nn.softmax %x : tensor<2x3x70xf32>
  %softmax_grad = nn.softmax_grad %dy, %softmax : tensor<2x3x70xf32>
  %ln:3 = nn.layer_norm %x scale %scale bias %bias eps 1.0e-2
      : tensor<2x3x70xf32>, tensor<70xf32>, tensor<70xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %ln_plain:3 = nn.layer_norm %dy scale %scale eps 2.0
      : tensor<2x3x70xf32>, tensor<70xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %ln_grad = nn.layer_norm_grad %dy, %x scale %scale mean %mean rstd %rstd_positive
      : tensor<2x3x70xf32>, tensor<70xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  %rms:2 = nn.rms_norm %x scale %scale eps 1.0 : tensor<2x3x70xf32>, tensor<70xf32> -> tensor<2x3xf32>
  %rms_grad = nn.rms_norm_grad %dy, %x scale %scale rstd %rstd_positive : tensor<2x3x70xf32>, tensor<70xf32>, tensor<2x3xf32>
  // In bf16, the value that a pass over the row computed is used twice.
  %narrow = nn.cast %x : tensor<2x3x70xf32> -> tensor<2x3x70xbf16>
  %narrow_softmax = nn.softmax %narrow : tensor<2x3x70xbf16>
  %bf16_softmax = nn.cast %narrow_softmax : tensor<2x3x70xbf16> -> tensor<2x3x70xf32>

  // Columns: a work item's block of columns, and a part of another block.
  %ln_scale_grad = nn.layer_norm_grad_scale %dy, %x mean %mean rstd %rstd_positive
      : tensor<2x3x70xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<70xf32>
  %rms_scale_grad = nn.rms_norm_grad_scale %dy, %x rstd %rstd_positive : tensor<2x3x70xf32>, tensor<2x3xf32> -> tensor<70xf32>
  %sum_rows = nn.reduce %dy [0, 1] : tensor<2x3x70xf32> -> tensor<70xf32>
  %sum_first = nn.reduce %dy [0] : tensor<2x3x70xf32> -> tensor<3x70xf32>
  %sum_middle = nn.reduce %x [1] : tensor<2x3x70xf32> -> tensor<2x70xf32>
  %sum_ends = nn.reduce %x [0, 2] : tensor<2x3x70xf32> -> tensor<3xf32>
  %sum_all = nn.reduce %x [0, 1, 2] : tensor<2x3x70xf32> -> tensor<f32>
  %sum_long = nn.reduce %long [0, 1] : tensor<40x512xf32> -> tensor<f32>
  %squares = nn.sum_of_squares %x : tensor<2x3x70xf32> -> tensor<f32>
  %squares_long = nn.sum_of_squares %long : tensor<40x512xf32> -> tensor<f32>
  %max_rows = nn.reduce_max %x [2] : tensor<2x3x70xf32> -> tensor<2x3xf32>
  %max_first = nn.reduce_max %x [0] : tensor<2x3x70xf32> -> tensor<3x70xf32>
  %min_ends = nn.reduce_min %x [0, 2] : tensor<2x3x70xf32> -> tensor<3xf32>
  %prod_middle = nn.reduce_prod %x [1] : tensor<2x3x70xf32> -> tensor<2x70xf32>
  %i_max = nn.reduce_max %w [1] : tensor<6x4xi64> -> tensor<6xi64>
  %w1 = nn.constant dense<1> : tensor<6x4xi64>
  %w2 = nn.sum %w, %w1 : tensor<6x4xi64>
  %i_min = nn.reduce_min %w2 [0] : tensor<6x4xi64> -> tensor<4xi64>
  %i_prod = nn.reduce_prod %w2 [1] : tensor<6x4xi64> -> tensor<6xi64>

  // The last 10 of 70 columns are padding.
  %ce:2 = nn.cross_entropy %x, %targets classes 60 : tensor<2x3x70xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  %ce_grad = nn.cross_entropy_grad %mean, %x, %targets lse %ce#1 classes 60 : tensor<2x3xf32>, tensor<2x3x70xf32>, tensor<2x3xi64>
  // Columns are numbered from `first`; targets below 1 are ignored.
  %one = nn.constant dense<1> : tensor<2x3xi64>
  %some = nn.sub %targets, %one : tensor<2x3xi64>
  %row_max = nn.row_max %x offset %first : tensor<i64> classes 68 : tensor<2x3x70xf32> -> tensor<2x3xf32>
  %stats = nn.cross_entropy_stats %x, %some max %row_max offset %first : tensor<i64> classes 68
      : tensor<2x3x70xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  %loss:2 = nn.cross_entropy_loss %stats max %row_max, %some : tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  %ce_grad_part = nn.cross_entropy_grad %mean, %x, %some lse %loss#1 offset %first : tensor<i64> classes 68
      : tensor<2x3xf32>, tensor<2x3x70xf32>, tensor<2x3xi64>
  %valid = nn.valid %some : tensor<2x3xi64> -> tensor<2x3xf32>

  // Gradients of a table and of a shard of its rows, added to a table and
  // alone.
  %table_grad = nn.embedding_grad %dy, %ids : tensor<2x3x70xf32>, tensor<2x3xi64> -> tensor<5x70xf32>
  %part_grad = nn.embedding_grad %dy, %ids offset %first : tensor<i64> : tensor<2x3x70xf32>, tensor<2x3xi64> -> tensor<3x70xf32>
  %part_base = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x3x70xf32> -> tensor<1x3x70xf32>
  %base = nn.reshape %part_base : tensor<1x3x70xf32> -> tensor<3x70xf32>
  %table_sum = nn.sum %base, %part_grad : tensor<3x70xf32>

  %narrow_grad = nn.embedding_grad %narrow, %ids : tensor<2x3x70xbf16>, tensor<2x3xi64> -> tensor<5x70xbf16>
  %bf16_grad = nn.cast %narrow_grad : tensor<5x70xbf16> -> tensor<5x70xf32>

  // The first 8 of 12 elements are rotated; then all, of a value that the
  // kernel computes.
  %rope = nn.rope %heads positions %at theta 1.0e2 dim 8 : tensor<2x3x2x12xf32>, tensor<3xi64>
  %doubled = nn.scale %heads by 2.0 : tensor<2x3x2x12xf32>
  %rope_back = nn.rope inverse %doubled positions %at theta 1.0e1 dim 12 : tensor<2x3x2x12xf32>, tensor<3xi64>

  %dropout = nn.dropout %x samples %n positions %at seed %seed step %step origin %origin
      {p = 0.3, id = 9, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x70xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>

  // Sums over rows of a value that depends on the column's index.
  %dropped = nn.dropout %dy samples %n positions %at seed %seed step %step origin %origin
      {p = 0.5, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x70xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
  %dropped_sum = nn.reduce %dropped [0, 1] : tensor<2x3x70xf32> -> tensor<70xf32>
  return %softmax, %softmax_grad, %ln#0, %ln#1, %ln#2, %ln_plain#0, %ln_grad,
      %rms#0, %rms#1, %rms_grad, %bf16_softmax, %ln_scale_grad, %rms_scale_grad,
      %sum_rows, %sum_first, %sum_middle, %sum_ends, %sum_all, %sum_long,
      %squares, %squares_long, %max_rows, %max_first, %min_ends, %prod_middle,
      %i_max, %i_min, %i_prod, %ce#0, %ce#1, %ce_grad, %row_max, %stats,
      %loss#0, %loss#1, %ce_grad_part, %valid, %table_grad, %table_sum,
      %bf16_grad, %rope, %rope_back, %dropout, %dropped_sum
      : tensor<2x3x70xf32>, tensor<2x3x70xf32>, tensor<2x3x70xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3x70xf32>,
        tensor<2x3x70xf32>, tensor<2x3x70xf32>, tensor<2x3xf32>,
        tensor<2x3x70xf32>, tensor<2x3x70xf32>, tensor<70xf32>, tensor<70xf32>,
        tensor<70xf32>, tensor<3x70xf32>, tensor<2x70xf32>, tensor<3xf32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x3xf32>,
        tensor<3x70xf32>, tensor<3xf32>, tensor<2x70xf32>, tensor<6xi64>,
        tensor<4xi64>, tensor<6xi64>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3x70xf32>, tensor<2x3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3x70xf32>, tensor<2x3xf32>, tensor<5x70xf32>,
        tensor<3x70xf32>, tensor<5x70xf32>, tensor<2x3x2x12xf32>,
        tensor<2x3x2x12xf32>, tensor<2x3x70xf32>, tensor<70xf32>
}
}
