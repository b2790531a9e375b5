// Attention: two contractions with a softmax between them, with any order of
// dims, and patterns that only look alike.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// Dims in any order, in operands and results.
// CHECK-LABEL: func.func @other_orders(
// CHECK-SAME: %arg0: tensor<2x2x4x3xf32>, %arg1: tensor<3x4x2x2xf32>, %arg2: tensor<4x3x2x2xf32>) -> tensor<4x2x3x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %arg0 [0, 3, 1, 2] : tensor<2x2x4x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %arg1 [3, 0, 2, 1] : tensor<3x4x2x2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %arg2 [2, 1, 3, 0] : tensor<4x3x2x2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V1]], %[[V2]], %[[V3]] positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: %[[V4:.*]] = nn.transpose %[[RESULT]] [3, 2, 1, 0] : tensor<2x3x2x4xf32> -> tensor<4x2x3x2xf32>
// CHECK-NEXT: return %[[V4]] : tensor<4x2x3x2xf32>
func.func @other_orders(%q: tensor<2x2x4x3xf32>,
                        %k: tensor<3x4x2x2xf32>,
                        %v: tensor<4x3x2x2xf32>)
    -> tensor<4x2x3x2xf32> {
  %p = nn.contract "hbds,tdbh->hbst" %q, %k
      : tensor<2x2x4x3xf32>, tensor<3x4x2x2xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "ethb,hbst->ebsh" %v, %w
      : tensor<4x3x2x2xf32>, tensor<2x2x3x3xf32> -> tensor<4x2x3x2xf32>
  return %p1 : tensor<4x2x3x2xf32>
}

// Queries before batch and heads.
// CHECK-LABEL: func.func @queries_first(
// CHECK-SAME: %arg0: tensor<3x2x2x4xf32>, %arg1: tensor<3x2x2x4xf32>, %arg2: tensor<3x2x2x4xf32>) -> tensor<3x2x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %arg0 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %arg1 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %arg2 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %[[V1]], %[[V2]], %[[V3]] positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: %[[V4:.*]] = nn.transpose %[[RESULT]] [1, 0, 2, 3] : tensor<2x3x2x4xf32> -> tensor<3x2x2x4xf32>
// CHECK-NEXT: return %[[V4]] : tensor<3x2x2x4xf32>
func.func @queries_first(%q: tensor<3x2x2x4xf32>,
                         %k: tensor<3x2x2x4xf32>,
                         %v: tensor<3x2x2x4xf32>)
    -> tensor<3x2x2x4xf32> {
  %p = nn.contract "sbhd,tbhd->sbht" %q, %k
      : tensor<3x2x2x4xf32>, tensor<3x2x2x4xf32> -> tensor<3x2x2x3xf32>
  %w = nn.softmax %p : tensor<3x2x2x3xf32>
  %p1 = nn.contract "sbht,tbhd->sbhd" %w, %v
      : tensor<3x2x2x3xf32>, tensor<3x2x2x4xf32> -> tensor<3x2x2x4xf32>
  return %p1 : tensor<3x2x2x4xf32>
}

// The keys as the first factor.
// CHECK-LABEL: func.func @keys_first(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x5x2x4xf32>, %arg2: tensor<2x5x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<3xi64>, tensor<5xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @keys_first(%q: tensor<2x3x2x4xf32>,
                      %k: tensor<2x5x2x4xf32>,
                      %v: tensor<2x5x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bthd,bshd->bhst" %k, %q
      : tensor<2x5x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x5xf32>
  %w = nn.softmax %p : tensor<2x2x3x5xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x5xf32>, tensor<2x5x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Values of another width, other positions of keys.
// CHECK-LABEL: func.func @wider_values(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x5x2x4xf32>, %arg2: tensor<2x5x2x6xf32>) -> tensor<2x3x2x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x6xf32>, tensor<3xi64>, tensor<5xi64>) -> (tensor<2x3x2x6xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x6xf32>
func.func @wider_values(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x5x2x4xf32>,
                        %v: tensor<2x5x2x6xf32>)
    -> tensor<2x3x2x6xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32> -> tensor<2x2x3x5xf32>
  %w = nn.softmax %p : tensor<2x2x3x5xf32>
  %p1 = nn.contract "bhst,bthe->bshe" %w, %v
      : tensor<2x2x3x5xf32>, tensor<2x5x2x6xf32> -> tensor<2x3x2x6xf32>
  return %p1 : tensor<2x3x2x6xf32>
}

// Positions are the tokens' positions if there are as many.
// CHECK-LABEL: func.func @of_tokens(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3x2x4xf32>, %arg4: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg1, %arg2, %arg3 positions %arg4, %arg4 scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @of_tokens(%tokens: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                     %q: tensor<2x3x2x4xf32>,
                     %k: tensor<2x3x2x4xf32>,
                     %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @of_longer_tokens(
// CHECK-SAME: %arg0: tensor<2x5xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x5x2x4xf32>, %arg3: tensor<2x5x2x4xf32>, %arg4: tensor<5xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg1, %arg2, %arg3 positions %[[V0]], %arg4 scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<3xi64>, tensor<5xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @of_longer_tokens(%tokens: tensor<2x5xi64> {nn.role = #nn.role<tokens>},
                            %q: tensor<2x3x2x4xf32>,
                            %k: tensor<2x5x2x4xf32>,
                            %v: tensor<2x5x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32> -> tensor<2x2x3x5xf32>
  %w = nn.softmax %p : tensor<2x2x3x5xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x5xf32>, tensor<2x5x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @of_other_tokens(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg1, %arg2, %arg3 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @of_other_tokens(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                           %q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: values that all heads or samples share lack a dim.
// CHECK-LABEL: func.func @values_of_all_heads(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @values_of_all_heads(%q: tensor<2x3x2x4xf32>,
                               %k: tensor<2x3x2x4xf32>,
                               %v: tensor<2x3x4xf32>)
    -> tensor<2x2x3x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bte->bhse" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x4xf32> -> tensor<2x2x3x4xf32>
  return %p1 : tensor<2x2x3x4xf32>
}

// No attention: values by query instead of by key.
// CHECK-LABEL: func.func @values_by_query(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @values_by_query(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x2x3x5xf32>)
    -> tensor<2x2x3x5xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bhse->bhte" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x2x3x5xf32> -> tensor<2x2x3x5xf32>
  return %p1 : tensor<2x2x3x5xf32>
}

// No attention: the queries have a dim of keys, too.
// CHECK-LABEL: func.func @keys_in_both(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @keys_in_both(%q: tensor<2x3x4x3xf32>,
                        %k: tensor<2x2x4x3xf32>,
                        %v: tensor<2x2x3x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bsdt,bhdt->bsht" %q, %k
      : tensor<2x3x4x3xf32>, tensor<2x2x4x3xf32> -> tensor<2x3x2x3xf32>
  %w = nn.softmax %p : tensor<2x3x2x3xf32>
  %p1 = nn.contract "bsht,bhte->bshe" %w, %v
      : tensor<2x3x2x3xf32>, tensor<2x2x3x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @values_by_both(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @values_by_both(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x3x5xf32>)
    -> tensor<2x2x3x5xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bste->bhse" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x3x5xf32> -> tensor<2x2x3x5xf32>
  return %p1 : tensor<2x2x3x5xf32>
}

// CHECK-LABEL: func.func @values_by_head_and_query(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @values_by_head_and_query(%q: tensor<2x3x2x4xf32>,
                                    %k: tensor<2x3x2x4xf32>,
                                    %v: tensor<2x3x3x5xf32>)
    -> tensor<2x2x3x5xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,hste->bhse" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x3x5xf32> -> tensor<2x2x3x5xf32>
  return %p1 : tensor<2x2x3x5xf32>
}

// CHECK-LABEL: func.func @summed_over_heads(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @summed_over_heads(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x5xf32>)
    -> tensor<2x3x5xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthe->bse" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x5xf32> -> tensor<2x3x5xf32>
  return %p1 : tensor<2x3x5xf32>
}

// A value subtracted from all keys' scores alike changes nothing,
// CHECK-LABEL: func.func @less_than_highest(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @less_than_highest(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %reduce_max = nn.reduce_max %p [3] : tensor<2x2x3x3xf32> -> tensor<2x2x3xf32>
  %b = nn.broadcast %reduce_max [0, 1, 2]
      : tensor<2x2x3xf32> -> tensor<2x2x3x3xf32>
  %sub = nn.sub %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sub : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// unlike a value per key.
// CHECK-LABEL: func.func @less_by_key(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @less_by_key(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %reduce_max = nn.reduce_max %p [2] : tensor<2x2x3x3xf32> -> tensor<2x2x3xf32>
  %b = nn.broadcast %reduce_max [0, 1, 3]
      : tensor<2x2x3xf32> -> tensor<2x2x3x3xf32>
  %sub = nn.sub %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sub : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @less_whole(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @less_whole(%q: tensor<2x3x2x4xf32>,
                      %k: tensor<2x3x2x4xf32>,
                      %v: tensor<2x3x2x4xf32>,
                      %z: tensor<2x2x3x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sub = nn.sub %p, %z : tensor<2x2x3x3xf32>
  %w = nn.softmax %sub : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Attention sinks, scores whose probabilities are discarded, become an operand
// if they differ by head only.
// CHECK: nn.param @sinks_behind_sink : tensor<2xf32> init normal
// CHECK-LABEL: func.func @sinks_behind(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @sinks_behind_sink : tensor<2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] sinks %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @sinks_behind_sink : tensor<2xf32> init normal
func.func @sinks_behind(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sinks_behind_sink = nn.read @sinks_behind_sink : tensor<2xf32>
  %b = nn.broadcast %sinks_behind_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %p, %b along 3
      : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32> -> tensor<2x2x3x4xf32>
  %w = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK: nn.param @sinks_in_front_sink : tensor<2xf32> init normal
// CHECK-LABEL: func.func @sinks_in_front(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @sinks_in_front_sink : tensor<2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] sinks %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @sinks_in_front_sink : tensor<2xf32> init normal
func.func @sinks_in_front(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sinks_in_front_sink = nn.read @sinks_in_front_sink : tensor<2xf32>
  %b = nn.broadcast %sinks_in_front_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %b, %p along 3
      : tensor<2x2x3x1xf32>, tensor<2x2x3x3xf32> -> tensor<2x2x3x4xf32>
  %w = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w at [0, 0, 0, 1] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Others become keys and values of zeros with the scores as bias.
// CHECK-LABEL: func.func @sinks_by_query(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x2x3x2xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<0> : tensor<2xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<0.000000e+00> : tensor<2x2x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.concat %arg1, %[[V3]] along 1 : tensor<2x3x2x4xf32>, tensor<2x2x2x4xf32> -> tensor<2x5x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.concat %arg2, %[[V3]] along 1 : tensor<2x3x2x4xf32>, tensor<2x2x2x4xf32> -> tensor<2x5x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.concat %[[V2]], %[[V1]] along 0 : tensor<3xi64>, tensor<2xi64> -> tensor<5xi64>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V0]] [] : tensor<f32> -> tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.concat %[[V7]], %arg3 along 3 : tensor<2x2x3x3xf32>, tensor<2x2x3x2xf32> -> tensor<2x2x3x5xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %[[V4]], %[[V5]] positions %[[V2]], %[[V6]] bias %[[V8]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2x2x3x5xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @sinks_by_query(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>,
                          %sink: tensor<2x2x3x2xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %j = nn.concat %sink, %p along 3
      : tensor<2x2x3x2xf32>, tensor<2x2x3x3xf32> -> tensor<2x2x3x5xf32>
  %w = nn.softmax %j : tensor<2x2x3x5xf32>
  %s = nn.slice %w at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x2x3x5xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Finite masks do not change: each query has at least the sink.
// CHECK: nn.param @sinks_masked_sink : tensor<2xf32> init normal
// CHECK-LABEL: func.func @sinks_masked(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @sinks_masked_sink : tensor<2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] sinks %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @sinks_masked_sink : tensor<2xf32> init normal
func.func @sinks_masked(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %sinks_masked_sink = nn.read @sinks_masked_sink : tensor<2xf32>
  %b1 = nn.broadcast %sinks_masked_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %w, %b1 along 3
      : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32> -> tensor<2x2x3x4xf32>
  %w1 = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w1 at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK: nn.param @sinks_masked_otherwise_sink : tensor<2xf32> init normal
// CHECK-LABEL: func.func @sinks_masked_otherwise(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -1.000000e+09, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [-1.000000e+09, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.read @sinks_masked_otherwise_sink : tensor<2xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V0]] sinks %[[V2]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>, tensor<2xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @sinks_masked_otherwise_sink : tensor<2xf32> init normal
func.func @sinks_masked_otherwise(%q: tensor<2x3x2x4xf32>,
                                  %k: tensor<2x3x2x4xf32>,
                                  %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, 0.0], [0.0, 0.0, 0.0], [-1000000000.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %sinks_masked_otherwise_sink = nn.read @sinks_masked_otherwise_sink
      : tensor<2xf32>
  %b1 = nn.broadcast %sinks_masked_otherwise_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %sum, %b1 along 3
      : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32> -> tensor<2x2x3x4xf32>
  %w = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: the discarded element is a key, not the sink.
// CHECK-LABEL: func.func @sinks_are_kept(
// CHECK-NOT: nn.attention
// CHECK: return
nn.param @sinks_are_kept_sink : tensor<2xf32> init normal
func.func @sinks_are_kept(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sinks_are_kept_sink = nn.read @sinks_are_kept_sink : tensor<2xf32>
  %b = nn.broadcast %sinks_are_kept_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %p, %b along 3
      : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32> -> tensor<2x2x3x4xf32>
  %w = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w at [0, 0, 0, 1] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @sinks_in_front_are_kept(
// CHECK-NOT: nn.attention
// CHECK: return
nn.param @sinks_in_front_are_kept_sink : tensor<2xf32> init normal
func.func @sinks_in_front_are_kept(%q: tensor<2x3x2x4xf32>,
                                   %k: tensor<2x3x2x4xf32>,
                                   %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sinks_in_front_are_kept_sink = nn.read @sinks_in_front_are_kept_sink
      : tensor<2xf32>
  %b = nn.broadcast %sinks_in_front_are_kept_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %b, %p along 3
      : tensor<2x2x3x1xf32>, tensor<2x2x3x3xf32> -> tensor<2x2x3x4xf32>
  %w = nn.softmax %j : tensor<2x2x3x4xf32>
  %s = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @sinks_around(
// CHECK-NOT: nn.attention
// CHECK: return
nn.param @sinks_around_sink : tensor<2xf32> init normal
func.func @sinks_around(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sinks_around_sink = nn.read @sinks_around_sink : tensor<2xf32>
  %b = nn.broadcast %sinks_around_sink [1]
      : tensor<2xf32> -> tensor<2x2x3x1xf32>
  %j = nn.concat %p, %b, %b along 3
      : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32>, tensor<2x2x3x1xf32> -> tensor<2x2x3x5xf32>
  %w = nn.softmax %j : tensor<2x2x3x5xf32>
  %s = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x5xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Dropout of probabilities by sample and query.
// CHECK-LABEL: func.func @dropped(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2xi64>, %arg4: tensor<3xi64> {nn.role = #nn.role<positions>}, %arg5: tensor<i64>, %arg6: tensor<i64>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] samples %arg3 seed %arg5 step %arg6 scale 1.000000e+00 {id = 7 : i64, p = 2.500000e-01 : f64} : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @dropped(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>,
                   %samples: tensor<2xi64>,
                   %pos: tensor<3xi64> {nn.role = #nn.role<positions>},
                   %seed: tensor<i64>,
                   %step: tensor<i64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %drop = nn.dropout %w samples %samples positions %pos seed %seed step %step
      {p = 0.25, id = 7, batch_dim = 0, seq_dim = 2}
      : tensor<2x2x3x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %p1 = nn.contract "bhst,bthd->bshd" %drop, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: dropout by key,
// CHECK-LABEL: func.func @dropped_by_key(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @dropped_by_key(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>,
                          %samples: tensor<2xi64>,
                          %pos: tensor<3xi64> {nn.role = #nn.role<positions>},
                          %seed: tensor<i64>,
                          %step: tensor<i64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %drop = nn.dropout %w samples %samples positions %pos seed %seed step %step
      {p = 0.25, id = 7, batch_dim = 0, seq_dim = 3}
      : tensor<2x2x3x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %p1 = nn.contract "bhst,bthd->bshd" %drop, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// or by head.
// CHECK-LABEL: func.func @dropped_by_head(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @dropped_by_head(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>,
                           %samples: tensor<2xi64>,
                           %pos: tensor<3xi64> {nn.role = #nn.role<positions>},
                           %seed: tensor<i64>,
                           %step: tensor<i64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %w = nn.softmax %p : tensor<2x2x3x3xf32>
  %drop = nn.dropout %w samples %samples positions %pos seed %seed step %step
      {p = 0.25, id = 7, batch_dim = 1, seq_dim = 2}
      : tensor<2x2x3x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %p1 = nn.contract "bhst,bthd->bshd" %drop, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Grouped-query attention: query heads that share a key head are adjacent.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @groups(%q: tensor<2x3x4x4xf32>,
                  %k: tensor<2x3x2x4xf32>,
                  %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 2, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r = nn.reshape %b : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %b1 = nn.broadcast %v [0, 1, 2, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r1 = nn.reshape %b1 : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %r1
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}

// CHECK-LABEL: func.func @one_group(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x1x4xf32>, %arg2: tensor<2x3x1x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @one_group(%q: tensor<2x3x4x4xf32>,
                     %k: tensor<2x3x1x4xf32>,
                     %v: tensor<2x3x1x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 2, 4]
      : tensor<2x3x1x4xf32> -> tensor<2x3x1x4x4xf32>
  %r = nn.reshape %b : tensor<2x3x1x4x4xf32> -> tensor<2x3x4x4xf32>
  %b1 = nn.broadcast %v [0, 1, 2, 4]
      : tensor<2x3x1x4xf32> -> tensor<2x3x1x4x4xf32>
  %r1 = nn.reshape %b1 : tensor<2x3x1x4x4xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %r1
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}

// Key heads that are repeated alternately are not grouped,
// CHECK-LABEL: func.func @groups_in_turns(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %arg1 [0, 1, 3, 4] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %arg2 [0, 1, 3, 4] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %[[V2]], %[[V4]] positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @groups_in_turns(%q: tensor<2x3x4x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 3, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r = nn.reshape %b : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %b1 = nn.broadcast %v [0, 1, 3, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r1 = nn.reshape %b1 : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %r1
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}

// nor are keys and values with different numbers of heads,
// CHECK-LABEL: func.func @groups_of_two_sizes(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x1x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %arg1 [0, 1, 2, 4] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %arg2 [0, 1, 2, 4] : tensor<2x3x1x4xf32> -> tensor<2x3x1x4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<2x3x1x4x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %[[V2]], %[[V4]] positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @groups_of_two_sizes(%q: tensor<2x3x4x4xf32>,
                               %k: tensor<2x3x2x4xf32>,
                               %v: tensor<2x3x1x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 2, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r = nn.reshape %b : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %b1 = nn.broadcast %v [0, 1, 2, 4]
      : tensor<2x3x1x4xf32> -> tensor<2x3x1x4x4xf32>
  %r1 = nn.reshape %b1 : tensor<2x3x1x4x4xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %r1
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}

// nor keys if values are not repeated.
// CHECK-LABEL: func.func @groups_of_keys(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %arg1 [0, 1, 2, 4] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %[[V2]], %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @groups_of_keys(%q: tensor<2x3x4x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x4x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 2, 4]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2x4xf32>
  %r = nn.reshape %b : tensor<2x3x2x2x4xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}

// Repeated elements are not heads.
// CHECK-LABEL: func.func @repeated_elements(
// CHECK-SAME: %arg0: tensor<2x3x4x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.broadcast %arg1 [0, 1, 2, 3] : tensor<2x3x2x4xf32> -> tensor<2x3x2x4x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3x2x4x2xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %arg2 [0, 1, 2, 3] : tensor<2x3x2x4xf32> -> tensor<2x3x2x4x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<2x3x2x4x2xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %[[V2]], %[[V4]] positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x4x4xf32>
func.func @repeated_elements(%q: tensor<2x3x4x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x4x4xf32> {
  %b = nn.broadcast %k [0, 1, 2, 3]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x4x2xf32>
  %r = nn.reshape %b : tensor<2x3x2x4x2xf32> -> tensor<2x3x4x4xf32>
  %b1 = nn.broadcast %v [0, 1, 2, 3]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x4x2xf32>
  %r1 = nn.reshape %b1 : tensor<2x3x2x4x2xf32> -> tensor<2x3x4x4xf32>
  %p = nn.contract "bshd,bthd->bhst" %q, %r
      : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32> -> tensor<2x4x3x3xf32>
  %w = nn.softmax %p : tensor<2x4x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %r1
      : tensor<2x4x3x3xf32>, tensor<2x3x4x4xf32> -> tensor<2x3x4x4xf32>
  return %p1 : tensor<2x3x4x4xf32>
}
