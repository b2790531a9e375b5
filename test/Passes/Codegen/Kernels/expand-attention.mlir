// RUN: pcc-opt %s -nn-expand-attention=all | FileCheck %s

// Scores, their softmax, and the weighted mean of the values. The log-sum-exp
// is [b, h, s] in nn.masked_softmax and [b, s, h] in nn.attention.
// CHECK-LABEL: func @attention
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x2x8xf32>, %[[K:.*]]: tensor<2x4x2x8xf32>, %[[V:.*]]: tensor<2x4x2x8xf32>, %[[AT:.*]]: tensor<4xi64>)
func.func @attention(%q: tensor<2x4x2x8xf32>, %k: tensor<2x4x2x8xf32>,
                     %v: tensor<2x4x2x8xf32>, %at: tensor<4xi64>)
    -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>) {
  // CHECK-NEXT: %[[S:.*]] = nn.contract "bshd,bthd->bhst" %[[Q]], %[[K]]
  // CHECK-NEXT: %[[P:.*]], %[[LSE:.*]] = nn.masked_softmax causal %[[S]] positions %[[AT]], %[[AT]] scale 5.000000e-01
  // CHECK-NEXT: %[[O:.*]] = nn.contract "bhst,bthd->bshd" %[[P]], %[[V]]
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[LSE]] [0, 2, 1]
  // CHECK-NEXT: return %[[O]], %[[T]]
  %o, %lse = nn.attention causal %q, %k, %v positions %at, %at scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  return %o, %lse : tensor<2x4x2x8xf32>, tensor<2x4x2xf32>
}

// The backward pass recomputes the scores, and their softmax from lse.
// CHECK-LABEL: func @gradient
// CHECK-SAME: (%[[DO:.*]]: tensor<2x4x2x8xf32>, %[[Q:.*]]: tensor<2x4x2x8xf32>, %[[K:.*]]: tensor<2x4x2x8xf32>, %[[V:.*]]: tensor<2x4x2x8xf32>, %{{.*}}: tensor<2x4x2x8xf32>, %[[LSE:.*]]: tensor<2x4x2xf32>, %[[AT:.*]]: tensor<4xi64>)
func.func @gradient(%do: tensor<2x4x2x8xf32>, %q: tensor<2x4x2x8xf32>,
                    %k: tensor<2x4x2x8xf32>, %v: tensor<2x4x2x8xf32>,
                    %o: tensor<2x4x2x8xf32>, %lse: tensor<2x4x2xf32>, %at: tensor<4xi64>)
    -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) {
  // CHECK-NEXT: %[[S:.*]] = nn.contract "bshd,bthd->bhst" %[[Q]], %[[K]]
  // CHECK-NEXT: %[[DP:.*]] = nn.contract "bshd,bthd->bhst" %[[DO]], %[[V]]
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[LSE]] [0, 2, 1]
  // CHECK-NEXT: %[[P:.*]], %[[DS:.*]] = nn.masked_softmax_grad causal %[[S]], %[[DP]] lse %[[T]] positions %[[AT]], %[[AT]] scale 5.000000e-01
  // CHECK-NEXT: %[[DV:.*]] = nn.contract "bhst,bshd->bthd" %[[P]], %[[DO]]
  // CHECK-NEXT: %[[DQ:.*]] = nn.contract "bhst,bthd->bshd" %[[DS]], %[[K]]
  // CHECK-NEXT: %[[DK:.*]] = nn.contract "bhst,bshd->bthd" %[[DS]], %[[Q]]
  // CHECK-NEXT: return %[[DQ]], %[[DK]], %[[DV]]
  %dq, %dk, %dv = nn.attention_grad causal %do, %q, %k, %v result %o lse %lse positions %at, %at scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return %dq, %dk, %dv : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
}

// Two query heads share a key head: heads are two dims, g and r, in between.
// CHECK-LABEL: func @grouped
// CHECK-SAME: (%[[Q:.*]]: tensor<2x4x2x8xf32>, %[[K:.*]]: tensor<2x4x1x8xf32>,
func.func @grouped(%q: tensor<2x4x2x8xf32>, %k: tensor<2x4x1x8xf32>, %at: tensor<4xi64>)
    -> tensor<2x4x2x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[Q]] : tensor<2x4x2x8xf32> -> tensor<2x4x1x2x8xf32>
  // CHECK-NEXT: %[[S:.*]] = nn.contract "bsgrd,btgd->bgrst" %[[R]], %[[K]]
  // CHECK-NEXT: %[[F:.*]] = nn.reshape %[[S]] : tensor<2x1x2x4x4xf32> -> tensor<2x2x4x4xf32>
  // CHECK-NEXT: %[[P:.*]], %{{.*}} = nn.masked_softmax %[[F]]
  // CHECK-NEXT: %[[G:.*]] = nn.reshape %[[P]] : tensor<2x2x4x4xf32> -> tensor<2x1x2x4x4xf32>
  // CHECK-NEXT: %[[O:.*]] = nn.contract "bgrst,btgd->bsgrd" %[[G]], %[[K]]
  // CHECK-NEXT: %[[Y:.*]] = nn.reshape %[[O]] : tensor<2x4x1x2x8xf32> -> tensor<2x4x2x8xf32>
  // CHECK: return %[[Y]]
  %o, %lse = nn.attention %q, %k, %k positions %at, %at scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x1x8xf32>, tensor<2x4x1x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  return %o : tensor<2x4x2x8xf32>
}

// The mask and the sinks belong to the softmax; the soft cap, which has the
// scale, is computed before it. Its derivative follows the softmax's gradient.
// CHECK-LABEL: func @capped
// CHECK-SAME: (%[[Q:[^:]*]]: {{.*}}, %[[SINKS:[^:]*]]: tensor<2xf32>)
func.func @capped(%q: tensor<2x4x2x8xf32>, %at: tensor<4xi64>, %sinks: tensor<2xf32>)
    -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) {
  // CHECK-NEXT: %[[S:.*]] = nn.contract "bshd,bthd->bhst" %[[Q]], %[[Q]]
  // CHECK-NEXT: %[[X:.*]] = nn.scale %[[S]] by 1.000000e-02
  // CHECK-NEXT: %[[TANH:.*]] = nn.tanh %[[X]]
  // CHECK-NEXT: %[[Y:.*]] = nn.scale %[[TANH]] by 5.000000e+01
  // CHECK-NEXT: nn.masked_softmax causal %[[Y]] positions %{{[^ ]*}}, %{{[^ ]*}} sinks %[[SINKS]] scale 1.000000e+00 {window = 3 : i64}
  // CHECK: %[[Z:.*]] = nn.scale %{{.*}} by 5.000000e+01
  // CHECK: %{{.*}}, %[[D:.*]] = nn.masked_softmax_grad causal %[[Z]], %{{.*}} scale 1.000000e+00 {window = 3 : i64}
  // CHECK-NEXT: %[[RATIO:.*]] = nn.scale %[[Z]] by 2.000000e-02
  // CHECK-NEXT: %[[SQUARE:.*]] = nn.mul %[[RATIO]], %[[RATIO]]
  // CHECK-NEXT: %[[PART:.*]] = nn.mul %[[D]], %[[SQUARE]]
  // CHECK-NEXT: %[[REST:.*]] = nn.sub %[[D]], %[[PART]]
  // CHECK-NEXT: nn.scale %[[REST]] by 5.000000e-01
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at sinks %sinks scale 0.5 {window = 3 : i64, softcap = 50.0}
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xf32>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse positions %at, %at scale 0.5 {window = 3 : i64, softcap = 50.0}
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return %o, %dq, %dk, %dv : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
}
