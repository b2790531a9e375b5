// The ops between the contraction of queries and keys and the softmax: constant
// masks become an attribute or a bias.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// If everything above the diagonal is masked, by a sum or by a selection, the
// attention is causal.
// CHECK-LABEL: func.func @causal_added(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @causal_added(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @causal_chosen(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @causal_chosen(%q: tensor<2x3x2x4xf32>,
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
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @causal_filled(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @causal_filled(%q: tensor<2x3x2x4xf32>,
                         %k: tensor<2x3x2x4xf32>,
                         %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[false, true, true], [false, false, true], [false, false, false]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %low, %p : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A mask that masks nothing is removed.
// CHECK-LABEL: func.func @no_mask(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @no_mask(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m1 = nn.constant dense<[[false, false, false], [false, false, false], [false, false, false]]>
      : tensor<3x3xi1>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %low, %sum : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A single query that sees all keys needs no mask.
// CHECK-LABEL: func.func @one_query(
// CHECK-SAME: %arg0: tensor<2x1x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x1x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0> : tensor<1xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V1]] scale 1.000000e+00 : (tensor<2x1x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<1xi64>, tensor<3xi64>) -> (tensor<2x1x2x4xf32>, tensor<2x1x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x1x2x4xf32>
func.func @one_query(%q: tensor<2x1x2x4xf32>,
                     %k: tensor<2x3x2x4xf32>,
                     %v: tensor<2x3x2x4xf32>)
    -> tensor<2x1x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x1x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x1x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, 0.0]]> : tensor<1x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<1x3xf32> -> tensor<2x2x1x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x1x3xf32>
  %w = nn.softmax %sum : tensor<2x2x1x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x1x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x1x2x4xf32>
  return %p1 : tensor<2x1x2x4xf32>
}

// Other masks become a bias of their numbers,
// CHECK-LABEL: func.func @diagonal(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}-1.000000e+09, -1.000000e+09, -1.000000e+09], [0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @diagonal(%q: tensor<2x3x2x4xf32>,
                    %k: tensor<2x3x2x4xf32>,
                    %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[-1000000000.0, -1000000000.0, -1000000000.0], [0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @window(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @window(%q: tensor<2x3x2x4xf32>,
                  %k: tensor<2x3x2x4xf32>,
                  %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @holes(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0xFF800000], [0.000000e+00, 0xFF800000, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @holes(%q: tensor<2x3x2x4xf32>,
                 %k: tensor<2x3x2x4xf32>,
                 %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, false, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @not_first(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0xFF800000, 0xFF800000], [0xFF800000, 0.000000e+00, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @not_first(%q: tensor<2x3x2x4xf32>,
                     %k: tensor<2x3x2x4xf32>,
                     %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [false, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// and the numbers decide: -9999 masks a key,
// CHECK-LABEL: func.func @just_removes(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @just_removes(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -9999.0, -9999.0], [0.0, 0.0, -9999.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// -9998 is added as a bias,
// CHECK-LABEL: func.func @just_no_mask(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -9.998000e+03, -9.998000e+03], [0.000000e+00, 0.000000e+00, -9.998000e+03], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @just_no_mask(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -9998.0, -9998.0], [0.0, 0.0, -9998.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// and so are positive numbers
// CHECK-LABEL: func.func @positive(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 1.000000e+09, 1.000000e+09], [0.000000e+00, 0.000000e+00, 1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @positive(%q: tensor<2x3x2x4xf32>,
                    %k: tensor<2x3x2x4xf32>,
                    %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 1000000000.0, 1000000000.0], [0.0, 0.0, 1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// and a mask with numbers other than zero on and below the diagonal.
// CHECK-LABEL: func.func @other_zero(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}1.000000e+00, -1.000000e+09, -1.000000e+09], [1.000000e+00, 1.000000e+00, -1.000000e+09], [1.000000e+00, 1.000000e+00, 1.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @other_zero(%q: tensor<2x3x2x4xf32>,
                      %k: tensor<2x3x2x4xf32>,
                      %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[1.0, -1000000000.0, -1000000000.0], [1.0, 1.0, -1000000000.0], [1.0, 1.0, 1.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A bias that is linear along the keys is added and masks nothing,
// CHECK-LABEL: func.func @rising(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x5x2x4xf32>, %arg2: tensor<2x5x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -1.000000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00]]]]> : tensor<1x1x1x5xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V1]] bias %[[V2]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<1x1x1x5xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @rising(%q: tensor<2x3x2x4xf32>,
                  %k: tensor<2x5x2x4xf32>,
                  %v: tensor<2x5x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x5x2x4xf32> -> tensor<2x2x3x5xf32>
  %m = nn.constant dense<[[0.0, -1.0, -2.0, -3.0, -4.0], [0.0, -1.0, -2.0, -3.0, -4.0], [0.0, -1.0, -2.0, -3.0, -4.0]]>
      : tensor<3x5xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x5xf32> -> tensor<2x2x3x5xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x5xf32>
  %w = nn.softmax %sum : tensor<2x2x3x5xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x5xf32>, tensor<2x5x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// also next to a mask, with which it is merged into one constant.
// CHECK-LABEL: func.func @rising_beside_mask(
// CHECK-SAME: %arg0: tensor<2x4x2x4xf32>, %arg1: tensor<2x4x2x4xf32>, %arg2: tensor<2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -1.000000e+09, -1.000000e+09, -1.000000e+09], [0.000000e+00, -1.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, -1.000000e+00, -2.000000e+00, -1.000000e+09], [0.000000e+00, -1.000000e+00, -2.000000e+00, -3.000000e+00]]]]> : tensor<1x1x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>, tensor<2x4x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x2x4xf32>
func.func @rising_beside_mask(%q: tensor<2x4x2x4xf32>,
                              %k: tensor<2x4x2x4xf32>,
                              %v: tensor<2x4x2x4xf32>)
    -> tensor<2x4x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0]]>
      : tensor<4x4xf32>
  %b = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<2x2x4x4xf32>
  %sum = nn.sum %p, %b : tensor<2x2x4x4xf32>
  %m1 = nn.constant dense<[[0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0]]>
      : tensor<4x4xf32>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<4x4xf32> -> tensor<2x2x4x4xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x4x4xf32>
  %w = nn.softmax %sum1 : tensor<2x2x4x4xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32>
  return %p1 : tensor<2x4x2x4xf32>
}

// The bias is scaled with the scores.
// CHECK-LABEL: func.func @rising_and_scaled(
// CHECK-SAME: %arg0: tensor<2x4x2x4xf32>, %arg1: tensor<2x4x2x4xf32>, %arg2: tensor<2x4x2x4xf32>) -> tensor<2x4x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -5.000000e-01, -5.000000e+08, -5.000000e+08], [0.000000e+00, -5.000000e-01, -1.000000e+00, -5.000000e+08], [0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00], [0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00]]]]> : tensor<1x1x4x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 5.000000e-01 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>, tensor<2x4x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x4x2x4xf32>
func.func @rising_and_scaled(%q: tensor<2x4x2x4xf32>,
                             %k: tensor<2x4x2x4xf32>,
                             %v: tensor<2x4x2x4xf32>)
    -> tensor<2x4x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x2x4x4xf32>
  %m = nn.constant dense<[[0.0, 0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]>
      : tensor<4x4xf32>
  %b = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<2x2x4x4xf32>
  %sum = nn.sum %p, %b : tensor<2x2x4x4xf32>
  %m1 = nn.constant dense<[[0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0], [0.0, -1.0, -2.0, -3.0]]>
      : tensor<4x4xf32>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<4x4xf32> -> tensor<2x2x4x4xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x4x4xf32>
  %scaled = nn.scale %sum1 by 0.5 : tensor<2x2x4x4xf32>
  %w = nn.softmax %scaled : tensor<2x2x4x4xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32>
  return %p1 : tensor<2x4x2x4xf32>
}

// Masks that differ by head or sample.
// CHECK-LABEL: func.func @by_head(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0.000000e+00, 0.000000e+00], [-1.000000e+09, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]], {{\[\[}}0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @by_head(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[[0.0, 0.0, 0.0], [-1000000000.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]]>
      : tensor<2x3x3xf32>
  %b = nn.broadcast %m [1, 2, 3] : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @causal_for_one_head(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]], {{\[\[}}0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @causal_for_one_head(%q: tensor<2x3x2x4xf32>,
                               %k: tensor<2x3x2x4xf32>,
                               %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]>
      : tensor<2x3x3xf32>
  %b = nn.broadcast %m [1, 2, 3] : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A mask that masks one key for all queries.
// CHECK-LABEL: func.func @by_key(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0.000000e+00, 0xFF800000]]]]> : tensor<1x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @by_key(%q: tensor<2x3x2x4xf32>,
                  %k: tensor<2x3x2x4xf32>,
                  %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[true, true, false]> : tensor<3xi1>
  %b = nn.broadcast %m [3] : tensor<3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// All queries see only the first key, which is causal for the first query
// alone.
// CHECK-LABEL: func.func @first_key(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0xFF800000, 0xFF800000]]]]> : tensor<1x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @first_key(%q: tensor<2x3x2x4xf32>,
                     %k: tensor<2x3x2x4xf32>,
                     %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[true, false, false]> : tensor<3xi1>
  %b = nn.broadcast %m [3] : tensor<3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Queries without any key: PyTorch computes equal probabilities for all keys.
// CHECK-LABEL: func.func @by_query(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}true], [false], [true]]]]> : tensor<1x1x3x1xi1>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<1x1x1xf32> -> tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [0, 1, 3] : tensor<1x1x1xf32> -> tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V3]], %[[V5]], %[[V6]] : tensor<1x1x3x1xi1>, tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [0, 1, 3] : tensor<1x1x1xf32> -> tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<1x1x1xf32> -> tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V3]], %[[V8]], %[[V9]] : tensor<1x1x3x1xi1>, tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<1x1x3x1xf32> -> tensor<1x1x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<1x1x3xf32> -> tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.transpose %[[V12]] [0, 2, 1, 3] : tensor<1x1x3x1xf32> -> tensor<1x3x1x1xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reshape %[[V13]] : tensor<1x3x1x1xf32> -> tensor<3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.broadcast %[[V14]] [1] : tensor<3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.mul %arg0, %[[V15]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V16]], %arg1, %arg2 positions %[[V2]], %[[V2]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x1xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @by_query(%q: tensor<2x3x2x4xf32>,
                    %k: tensor<2x3x2x4xf32>,
                    %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[true, false, true]> : tensor<3xi1>
  %b = nn.broadcast %m [2] : tensor<3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// With minus infinity they have no probabilities: the mask is a bias.
// CHECK-LABEL: func.func @by_query_infinite(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @by_query_infinite(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<[[true, false, false], [false, false, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Finite numbers that are added to all scores keep their differences.
// CHECK-LABEL: func.func @by_query_added(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00], [-1.000000e+09], [0.000000e+00]]]]> : tensor<1x1x3x1xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x1xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @by_query_added(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, 0.0], [-1000000000.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Two masks that are causal together are merged,
// CHECK-LABEL: func.func @joined_masks(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @joined_masks(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, true, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %m1 = nn.constant dense<[[0.0, -1000000000.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %w, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// also if they mask more than that.
// CHECK-LABEL: func.func @joined_not(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0xFF800000], [0.000000e+00, -1.000000e+09, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @joined_not(%q: tensor<2x3x2x4xf32>,
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
  %m1 = nn.constant dense<[[0.0, -1000000000.0, 0.0], [0.0, 0.0, 0.0], [0.0, -1000000000.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %w, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: each mask leaves keys, but both together leave none to a query.
// CHECK-LABEL: func.func @joined_leave_none(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<{{\[\[}}true, true, true], [false, true, true], [true, true, true]]> : tensor<3x3xi1>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bshd,bthd->bhst" %arg0, %arg1 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V2]] [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.where %[[V4]], %[[V3]], %[[V1]] : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V0]] [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.sum %[[V5]], %[[V6]] : tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.softmax %[[V7]] : tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.contract "bhst,bthd->bshd" %[[V8]], %arg2 : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V9]] : tensor<2x3x2x4xf32>
func.func @joined_leave_none(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, true, true], [false, true, true], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %m1 = nn.constant dense<[[0.0, 0.0, 0.0], [0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m1 [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %w, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Scales before and after a mask.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.250000e-01 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @scaled(%q: tensor<2x3x2x4xf32>,
                  %k: tensor<2x3x2x4xf32>,
                  %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %scaled = nn.scale %p by 0.25 : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %scaled, %b : tensor<2x2x3x3xf32>
  %scaled1 = nn.scale %sum by 0.5 : tensor<2x2x3x3xf32>
  %w = nn.softmax %scaled1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A mask masks nothing if a scale after the sum makes its numbers small.
// CHECK-LABEL: func.func @scaled_mask(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}0.000000e+00, 0.000000e+00, -1.000000e+03], [0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]]> : tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 9.9999999999999995E-7 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @scaled_mask(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %scaled = nn.scale %sum by 1.0e-06 : tensor<2x2x3x3xf32>
  %w = nn.softmax %scaled : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Not masks: selections whose branches are not the scores and a low number.
// CHECK-LABEL: func.func @no_choice(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @no_choice(%q: tensor<2x3x2x4xf32>,
                     %k: tensor<2x3x2x4xf32>,
                     %v: tensor<2x3x2x4xf32>,
                     %z: tensor<2x2x3x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %w = nn.where %b, %p, %z : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @both_chosen(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @both_chosen(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %c1 = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %c2 = nn.constant dense<-2000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %c1, %c2 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @chosen_too_high(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @chosen_too_high(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-9998.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @chosen_just(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @chosen_just(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-9999.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @filled_too_high(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @filled_too_high(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<0.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %low, %p : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: a sum of two contractions, one of them scaled,
// CHECK-LABEL: func.func @two_products(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @two_products(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>,
                        %q2: tensor<2x3x2x4xf32>,
                        %k2: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %p1 = nn.contract "bshd,bthd->bhst" %q2, %k2
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %scaled = nn.scale %p1 by 0.5 : tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %scaled : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p2 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p2 : tensor<2x3x2x4xf32>
}

// or another op on the scores.
// CHECK-LABEL: func.func @product_of_scores(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @product_of_scores(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>,
                             %z: tensor<2x2x3x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %mul = nn.mul %p, %z : tensor<2x2x3x3xf32>
  %w = nn.softmax %mul : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @twice_the_product(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @twice_the_product(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %p : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}
