// Losses written as primitives become cross_entropy, for which no rank needs
// all classes. Reshapes that merge batch and sequence before a loss are
// removed.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// The log softmax of the target's column is minus the cross entropy,
// CHECK-LABEL: func.func @by_rows(
// CHECK-SAME: %arg0: tensor<6x4xf32>, %arg1: tensor<6xi64>, %arg2: tensor<6x4xf32>) -> tensor<6xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %arg0, %arg1 classes 4 : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.scale %[[LOSS]] by -1.000000e+00 : tensor<6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<6xf32>
func.func @by_rows(%x: tensor<6x4xf32>,
                   %t: tensor<6xi64>,
                   %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @by_samples_and_rows(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>, %arg1: tensor<2x3xi64>, %arg2: tensor<2x3x4xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %arg0, %arg1 classes 4 : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.scale %[[LOSS]] by -1.000000e+00 : tensor<2x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3xf32>
func.func @by_samples_and_rows(%x: tensor<2x3x4xf32>,
                               %t: tensor<2x3xi64>,
                               %y: tensor<2x3x4xf32>)
    -> tensor<2x3xf32> {
  %reduce_max = nn.reduce_max %x [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %b = nn.broadcast %reduce_max [0, 1] : tensor<2x3xf32> -> tensor<2x3x4xf32>
  %sub = nn.sub %x, %b : tensor<2x3x4xf32>
  %exp = nn.exp %sub : tensor<2x3x4xf32>
  %reduce = nn.reduce %exp [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  %log = nn.log %reduce : tensor<2x3xf32>
  %b1 = nn.broadcast %log [0, 1] : tensor<2x3xf32> -> tensor<2x3x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<2x3x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [2] : tensor<4xi64> -> tensor<2x3x4xi64>
  %b3 = nn.broadcast %t [0, 1] : tensor<2x3xi64> -> tensor<2x3x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<2x3x4xi64> -> tensor<2x3x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<2x3x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<2x3x4xi1>, tensor<2x3x4xf32>
  %reduce1 = nn.reduce %w [2] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return %reduce1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @target_first(
// CHECK-SAME: %arg0: tensor<6x4xf32>, %arg1: tensor<6xi64>, %arg2: tensor<6x4xf32>) -> tensor<6xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %arg0, %arg1 classes 4 : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.scale %[[LOSS]] by -1.000000e+00 : tensor<6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<6xf32>
func.func @target_first(%x: tensor<6x4xf32>,
                        %t: tensor<6xi64>,
                        %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b3, %b2 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @columns_written_out(
// CHECK-SAME: %arg0: tensor<2x4xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2x4xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %arg0, %arg1 classes 4 : tensor<2x4xf32>, tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.scale %[[LOSS]] by -1.000000e+00 : tensor<2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2xf32>
func.func @columns_written_out(%x: tensor<2x4xf32>,
                               %t: tensor<2xi64>,
                               %y: tensor<2x4xf32>)
    -> tensor<2xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<2x4xf32> -> tensor<2xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<2xf32> -> tensor<2x4xf32>
  %sub = nn.sub %x, %b : tensor<2x4xf32>
  %exp = nn.exp %sub : tensor<2x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<2x4xf32> -> tensor<2xf32>
  %log = nn.log %reduce : tensor<2xf32>
  %b1 = nn.broadcast %log [0] : tensor<2xf32> -> tensor<2x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<2x4xf32>
  %c = nn.constant dense<[[0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<2x4xi64>
  %b2 = nn.broadcast %t [0] : tensor<2xi64> -> tensor<2x4xi64>
  %hit = nn.compare eq %c, %b2 : tensor<2x4xi64> -> tensor<2x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<2x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<2x4xi1>, tensor<2x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<2x4xf32> -> tensor<2xf32>
  return %reduce1 : tensor<2xf32>
}

// if columns count from 0,
// CHECK-LABEL: func.func @other_columns(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @other_columns(%x: tensor<6x4xf32>,
                         %t: tensor<6xi64>,
                         %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 2]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @columns_of_first_row(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @columns_of_first_row(%x: tensor<2x4xf32>,
                                %t: tensor<2xi64>,
                                %y: tensor<2x4xf32>)
    -> tensor<2xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<2x4xf32> -> tensor<2xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<2xf32> -> tensor<2x4xf32>
  %sub = nn.sub %x, %b : tensor<2x4xf32>
  %exp = nn.exp %sub : tensor<2x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<2x4xf32> -> tensor<2xf32>
  %log = nn.log %reduce : tensor<2xf32>
  %b1 = nn.broadcast %log [0] : tensor<2xf32> -> tensor<2x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<2x4xf32>
  %c = nn.constant dense<[[0, 1, 2, 3], [1, 2, 3, 0]]> : tensor<2x4xi64>
  %b2 = nn.broadcast %t [0] : tensor<2xi64> -> tensor<2x4xi64>
  %hit = nn.compare eq %c, %b2 : tensor<2x4xi64> -> tensor<2x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<2x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<2x4xi1>, tensor<2x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<2x4xf32> -> tensor<2xf32>
  return %reduce1 : tensor<2xf32>
}

// along the last dim,
// CHECK-LABEL: func.func @columns_by_row(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @columns_by_row(%x: tensor<4x4xf32>,
                          %t: tensor<4xi64>,
                          %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [0] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// if targets are by row,
// CHECK-LABEL: func.func @targets_by_column(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @targets_by_column(%x: tensor<4x4xf32>,
                             %t: tensor<4xi64>,
                             %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [1] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// if the column equals the target
// CHECK-LABEL: func.func @other_relation(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @other_relation(%x: tensor<6x4xf32>,
                          %t: tensor<6xi64>,
                          %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare lt %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// (not if it is unequal),
// CHECK-LABEL: func.func @all_others(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @all_others(%x: tensor<6x4xf32>,
                      %t: tensor<6xi64>,
                      %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %c1, %sub1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// if other columns are zero,
// CHECK-LABEL: func.func @not_zero(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @not_zero(%x: tensor<6x4xf32>,
                    %t: tensor<6xi64>,
                    %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<1.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// if the reduced dim is the last,
// CHECK-LABEL: func.func @max_of_columns(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @max_of_columns(%x: tensor<4x4xf32>,
                          %t: tensor<4xi64>,
                          %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [0] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sum_of_columns(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @sum_of_columns(%x: tensor<4x4xf32>,
                          %t: tensor<4xi64>,
                          %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [0] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @result_by_column(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @result_by_column(%x: tensor<4x4xf32>,
                            %t: tensor<4xi64>,
                            %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [0] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @max_by_column(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @max_by_column(%x: tensor<4x4xf32>,
                         %t: tensor<4xi64>,
                         %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [1] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @log_by_column(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @log_by_column(%x: tensor<4x4xf32>,
                         %t: tensor<4xi64>,
                         %y: tensor<4x4xf32>)
    -> tensor<4xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<4xf32> -> tensor<4x4xf32>
  %sub = nn.sub %x, %b : tensor<4x4xf32>
  %exp = nn.exp %sub : tensor<4x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<4x4xf32> -> tensor<4xf32>
  %log = nn.log %reduce : tensor<4xf32>
  %b1 = nn.broadcast %log [1] : tensor<4xf32> -> tensor<4x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<4x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<4x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<4xi64> -> tensor<4x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<4x4xi64> -> tensor<4x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<4x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<4x4xi1>, tensor<4x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %reduce1 : tensor<4xf32>
}

// and if all ops read one tensor.
// CHECK-LABEL: func.func @max_of_another(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @max_of_another(%x: tensor<6x4xf32>,
                          %t: tensor<6xi64>,
                          %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %y [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @exp_of_another(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @exp_of_another(%x: tensor<6x4xf32>,
                          %t: tensor<6xi64>,
                          %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %y : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @no_exp(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @no_exp(%x: tensor<6x4xf32>,
                  %t: tensor<6xi64>,
                  %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %reduce = nn.reduce %sub [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @minimum(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @minimum(%x: tensor<6x4xf32>,
                   %t: tensor<6xi64>,
                   %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_min = nn.reduce_min %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_min [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @no_softmax(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @no_softmax(%x: tensor<6x4xf32>,
                      %t: tensor<6xi64>,
                      %y: tensor<6x4xf32>)
    -> tensor<6xf32> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf32> -> tensor<6xf32>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub = nn.sub %x, %b : tensor<6x4xf32>
  %exp = nn.exp %sub : tensor<6x4xf32>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf32> -> tensor<6xf32>
  %log = nn.log %reduce : tensor<6xf32>
  %b1 = nn.broadcast %log [0] : tensor<6xf32> -> tensor<6x4xf32>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf32>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf32>
  %w = nn.where %hit, %sub, %c1 : tensor<6x4xi1>, tensor<6x4xf32>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf32> -> tensor<6xf32>
  return %reduce1 : tensor<6xf32>
}

// Not in fp16.
// CHECK-LABEL: func.func @halves(
// CHECK-NOT: nn.cross_entropy
// CHECK: return
func.func @halves(%x: tensor<6x4xf16>,
                  %t: tensor<6xi64>,
                  %y: tensor<6x4xf16>)
    -> tensor<6xf16> {
  %reduce_max = nn.reduce_max %x [1] : tensor<6x4xf16> -> tensor<6xf16>
  %b = nn.broadcast %reduce_max [0] : tensor<6xf16> -> tensor<6x4xf16>
  %sub = nn.sub %x, %b : tensor<6x4xf16>
  %exp = nn.exp %sub : tensor<6x4xf16>
  %reduce = nn.reduce %exp [1] : tensor<6x4xf16> -> tensor<6xf16>
  %log = nn.log %reduce : tensor<6xf16>
  %b1 = nn.broadcast %log [0] : tensor<6xf16> -> tensor<6x4xf16>
  %sub1 = nn.sub %sub, %b1 : tensor<6x4xf16>
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b2 = nn.broadcast %c [1] : tensor<4xi64> -> tensor<6x4xi64>
  %b3 = nn.broadcast %t [0] : tensor<6xi64> -> tensor<6x4xi64>
  %hit = nn.compare eq %b2, %b3 : tensor<6x4xi64> -> tensor<6x4xi1>
  %c1 = nn.constant dense<0.0> : tensor<6x4xf16>
  %w = nn.where %hit, %sub1, %c1 : tensor<6x4xi1>, tensor<6x4xf16>
  %reduce1 = nn.reduce %w [1] : tensor<6x4xf16> -> tensor<6xf16>
  return %reduce1 : tensor<6xf16>
}

// Rows of a loss are not merged,
// CHECK-LABEL: func.func @joined_rows(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>, %arg1: tensor<6xi64>) -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg1 : tensor<6xi64> -> tensor<2x3xi64>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %arg0, %[[V0]] classes 4 : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[LOSS]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6xf32>
func.func @joined_rows(%x: tensor<2x3x4xf32>,
                       %t: tensor<6xi64>)
    -> tensor<6xf32> {
  %r = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %l:2 = nn.cross_entropy %r, %t classes 4
      : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
  return %l#0 : tensor<6xf32>
}

// unless the log-sum-exp has a use,
// CHECK-LABEL: func.func @joined_rows_statistic(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>, %arg1: tensor<6xi64>) -> (tensor<6xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %[[V0]], %arg1 classes 4 : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
// CHECK-NEXT: return %[[LOSS]], %[[LSE]] : tensor<6xf32>, tensor<6xf32>
func.func @joined_rows_statistic(%x: tensor<2x3x4xf32>,
                                 %t: tensor<6xi64>)
    -> (tensor<6xf32>, tensor<6xf32>) {
  %r = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %l:2 = nn.cross_entropy %r, %t classes 4
      : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
  return %l#0, %l#1 : tensor<6xf32>, tensor<6xf32>
}

// or the reshape merges classes, too.
// CHECK-LABEL: func.func @joined_classes(
// CHECK-SAME: %arg0: tensor<6x2x2xf32>, %arg1: tensor<6xi64>) -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<6x2x2xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %[[V0]], %arg1 classes 4 : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
// CHECK-NEXT: return %[[LOSS]] : tensor<6xf32>
func.func @joined_classes(%x: tensor<6x2x2xf32>,
                          %t: tensor<6xi64>)
    -> tensor<6xf32> {
  %r = nn.reshape %x : tensor<6x2x2xf32> -> tensor<6x4xf32>
  %l:2 = nn.cross_entropy %r, %t classes 4
      : tensor<6x4xf32>, tensor<6xi64> -> tensor<6xf32>
  return %l#0 : tensor<6xf32>
}

// CHECK-LABEL: func.func @one_row(
// CHECK-SAME: %arg0: tensor<4xf32>, %arg1: tensor<1xi64>) -> tensor<1xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = nn.cross_entropy %[[V0]], %arg1 classes 4 : tensor<1x4xf32>, tensor<1xi64> -> tensor<1xf32>
// CHECK-NEXT: return %[[LOSS]] : tensor<1xf32>
func.func @one_row(%x: tensor<4xf32>, %t: tensor<1xi64>) -> tensor<1xf32> {
  %r = nn.reshape %x : tensor<4xf32> -> tensor<1x4xf32>
  %l:2 = nn.cross_entropy %r, %t classes 4
      : tensor<1x4xf32>, tensor<1xi64> -> tensor<1xf32>
  return %l#0 : tensor<1xf32>
}

// Targets that are counted are not merged, either,
// CHECK-LABEL: func.func @valid(
// CHECK-SAME: %arg0: tensor<2x3xi64>) -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.valid %arg0 : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6xf32>
func.func @valid(%t: tensor<2x3xi64>) -> tensor<6xf32> {
  %r = nn.reshape %t : tensor<2x3xi64> -> tensor<6xi64>
  %ok = nn.valid %r : tensor<6xi64> -> tensor<6xf32>
  return %ok : tensor<6xf32>
}

// nor is the operand of a full sum,
// CHECK-LABEL: func.func @sum_of_all(
// CHECK-SAME: %arg0: tensor<2x3xf32>) -> tensor<f32>
// CHECK-NEXT: %[[V0:.*]] = nn.reduce %arg0 [0, 1] : tensor<2x3xf32> -> tensor<f32>
// CHECK-NEXT: return %[[V0]] : tensor<f32>
func.func @sum_of_all(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %reduce = nn.reduce %r [0] : tensor<6xf32> -> tensor<f32>
  return %reduce : tensor<f32>
}

// unlike that of a sum over some dims.
// CHECK-LABEL: func.func @sum_of_some(
// CHECK-SAME: %arg0: tensor<2x3x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reduce %[[V0]] [0] : tensor<6x4xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @sum_of_some(%x: tensor<2x3x4xf32>) -> tensor<4xf32> {
  %r = nn.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %reduce = nn.reduce %r [0] : tensor<6x4xf32> -> tensor<4xf32>
  return %reduce : tensor<4xf32>
}
