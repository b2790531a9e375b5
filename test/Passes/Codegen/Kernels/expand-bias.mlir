// The gradient of attention's bias, the gradient of grouped-query attention,
// and the attributes of the ops that attention expands to.
// RUN: pcc-opt %s -split-input-file -nn-expand-attention=all | FileCheck %s

// The gradient is summed over the dims that the bias lacks, without the scale,
// in the bias's type. Dims of size 1 remain.
// CHECK-LABEL: func.func @bias(
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %arg1 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "bsgrd,btgd->bgrst" %[[RESHAPE]], %arg2 : tensor<2x4x3x2x8xf32>, tensor<2x5x3x8xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE1:.*]] = nn.reshape %[[CONTRACT]] : tensor<2x3x2x4x5xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[RESHAPE2:.*]] = nn.reshape %arg0 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "bsgrd,btgd->bgrst" %[[RESHAPE2]], %arg2 : tensor<2x4x3x2x8xf32>, tensor<2x5x3x8xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE3:.*]] = nn.reshape %[[CONTRACT1]] : tensor<2x3x2x4x5xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg4 [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[MAX:.*]] = nn.transpose %arg5 [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[PROBS:.*]], %[[DSCORES:.*]] = nn.masked_softmax_grad %[[RESHAPE1]], %[[RESHAPE3]] lse %[[TRANSPOSE]] max %[[MAX]] positions %arg6, %arg7 bias %arg8 scale 5.000000e-01 : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x6x1x5xbf16>) -> (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>)
// CHECK-NEXT: %[[RESHAPE4:.*]] = nn.reshape %[[PROBS]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE5:.*]] = nn.reshape %arg0 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT2:.*]] = nn.contract "bgrst,bsgrd->btgd" %[[RESHAPE4]], %[[RESHAPE5]] : tensor<2x3x2x4x5xf32>, tensor<2x4x3x2x8xf32> -> tensor<2x5x3x8xf32>
// CHECK-NEXT: %[[RESHAPE6:.*]] = nn.reshape %[[DSCORES]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[CONTRACT3:.*]] = nn.contract "bgrst,btgd->bsgrd" %[[RESHAPE6]], %arg2 : tensor<2x3x2x4x5xf32>, tensor<2x5x3x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[RESHAPE7:.*]] = nn.reshape %[[CONTRACT3]] : tensor<2x4x3x2x8xf32> -> tensor<2x4x6x8xf32>
// CHECK-NEXT: %[[RESHAPE8:.*]] = nn.reshape %[[DSCORES]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE9:.*]] = nn.reshape %arg1 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT4:.*]] = nn.contract "bgrst,bsgrd->btgd" %[[RESHAPE8]], %[[RESHAPE9]] : tensor<2x3x2x4x5xf32>, tensor<2x4x3x2x8xf32> -> tensor<2x5x3x8xf32>
// CHECK-NEXT: %[[SCALE:.*]] = nn.scale %[[DSCORES]] by 2.000000e+00 : tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %[[SCALE]] [0, 2] : tensor<2x6x4x5xf32> -> tensor<6x5xf32>
// CHECK-NEXT: %[[RESHAPE10:.*]] = nn.reshape %[[REDUCE]] : tensor<6x5xf32> -> tensor<1x6x1x5xf32>
// CHECK-NEXT: %[[CAST:.*]] = nn.cast %[[RESHAPE10]] : tensor<1x6x1x5xf32> -> tensor<1x6x1x5xbf16>
// CHECK-NEXT: return %[[CAST]] : tensor<1x6x1x5xbf16>
func.func @bias(%do: tensor<2x4x6x8xf32>, %q: tensor<2x4x6x8xf32>, %k: tensor<2x5x3x8xf32>,
    %o: tensor<2x4x6x8xf32>, %lse: tensor<2x4x6xf32>, %max: tensor<2x4x6xf32>, %at: tensor<4xi64>, %far: tensor<5xi64>,
    %b: tensor<1x6x1x5xbf16>) -> tensor<1x6x1x5xbf16> {
  %dq, %dk, %dv, %db = nn.attention_grad %do, %q, %k, %k result %o lse %lse max %max positions %at, %far bias %b scale 0.5
      : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x6x1x5xbf16>)
      -> (tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x8xf32>, tensor<1x6x1x5xbf16>)
  return %db : tensor<1x6x1x5xbf16>
}

// -----

// If the scale is 1 and the bias has all dims of the scores, its gradient is
// the scores' gradient.
// CHECK-LABEL: func.func @whole_bias(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "bshd,bthd->bhst" %arg1, %arg2 : tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "bshd,bthd->bhst" %arg0, %arg3 : tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg5 [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[MAX:.*]] = nn.transpose %arg6 [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[PROBS:.*]], %[[DSCORES:.*]] = nn.masked_softmax_grad %[[CONTRACT]], %[[CONTRACT1]] lse %[[TRANSPOSE]] max %[[MAX]] positions %arg7, %arg8 bias %arg9 scale 1.000000e+00 : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2x6x4x5xf32>) -> (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>)
// CHECK-NEXT: %[[CONTRACT2:.*]] = nn.contract "bhst,bshd->bthd" %[[PROBS]], %arg0 : tensor<2x6x4x5xf32>, tensor<2x4x6x8xf32> -> tensor<2x5x6x8xf32>
// CHECK-NEXT: %[[CONTRACT3:.*]] = nn.contract "bhst,bthd->bshd" %[[DSCORES]], %arg2 : tensor<2x6x4x5xf32>, tensor<2x5x6x8xf32> -> tensor<2x4x6x8xf32>
// CHECK-NEXT: %[[CONTRACT4:.*]] = nn.contract "bhst,bshd->bthd" %[[DSCORES]], %arg1 : tensor<2x6x4x5xf32>, tensor<2x4x6x8xf32> -> tensor<2x5x6x8xf32>
// CHECK-NEXT: return %[[CONTRACT3]], %[[CONTRACT4]], %[[CONTRACT2]], %[[DSCORES]] : tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x6x4x5xf32>
func.func @whole_bias(%do: tensor<2x4x6x8xf32>, %q: tensor<2x4x6x8xf32>, %k: tensor<2x5x6x8xf32>,
    %v: tensor<2x5x6x8xf32>, %o: tensor<2x4x6x8xf32>, %lse: tensor<2x4x6xf32>, %max: tensor<2x4x6xf32>, %at: tensor<4xi64>, %far: tensor<5xi64>,
    %b: tensor<2x6x4x5xf32>) -> (tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x6x4x5xf32>) {
  %dq, %dk, %dv, %db = nn.attention_grad %do, %q, %k, %v result %o lse %lse max %max positions %at, %far bias %b scale 1.0
      : (tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2x6x4x5xf32>)
      -> (tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x6x4x5xf32>)
  return %dq, %dk, %dv, %db : tensor<2x4x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x5x6x8xf32>, tensor<2x6x4x5xf32>
}

// -----

// Two query heads to a key head, values wider than keys, dropout.
// CHECK-LABEL: func.func @grouped(
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %arg1 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "bsgrd,btgd->bgrst" %[[RESHAPE]], %arg2 : tensor<2x4x3x2x8xf32>, tensor<2x5x3x8xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE1:.*]] = nn.reshape %[[CONTRACT]] : tensor<2x3x2x4x5xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[RESHAPE2:.*]] = nn.reshape %arg0 : tensor<2x4x6x9xf32> -> tensor<2x4x3x2x9xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "bsgrd,btgd->bgrst" %[[RESHAPE2]], %arg3 : tensor<2x4x3x2x9xf32>, tensor<2x5x3x9xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE3:.*]] = nn.reshape %[[CONTRACT1]] : tensor<2x3x2x4x5xf32> -> tensor<2x6x4x5xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg5 [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
// CHECK-NEXT: %[[PROBS:.*]], %[[DSCORES:.*]] = nn.masked_softmax_grad causal %[[RESHAPE1]], %[[RESHAPE3]] lse %[[TRANSPOSE]] positions %arg6, %arg7 samples %arg8 seed %arg9 step %arg9 head_origin %arg9 scale 5.000000e-01 {id = 7 : i64, p = 2.500000e-01 : f64} : (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>, tensor<2x6x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<2x6x4x5xf32>, tensor<2x6x4x5xf32>)
// CHECK-NEXT: %[[RESHAPE4:.*]] = nn.reshape %[[PROBS]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE5:.*]] = nn.reshape %arg0 : tensor<2x4x6x9xf32> -> tensor<2x4x3x2x9xf32>
// CHECK-NEXT: %[[CONTRACT2:.*]] = nn.contract "bgrst,bsgrd->btgd" %[[RESHAPE4]], %[[RESHAPE5]] : tensor<2x3x2x4x5xf32>, tensor<2x4x3x2x9xf32> -> tensor<2x5x3x9xf32>
// CHECK-NEXT: %[[RESHAPE6:.*]] = nn.reshape %[[DSCORES]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[CONTRACT3:.*]] = nn.contract "bgrst,btgd->bsgrd" %[[RESHAPE6]], %arg2 : tensor<2x3x2x4x5xf32>, tensor<2x5x3x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[RESHAPE7:.*]] = nn.reshape %[[CONTRACT3]] : tensor<2x4x3x2x8xf32> -> tensor<2x4x6x8xf32>
// CHECK-NEXT: %[[RESHAPE8:.*]] = nn.reshape %[[DSCORES]] : tensor<2x6x4x5xf32> -> tensor<2x3x2x4x5xf32>
// CHECK-NEXT: %[[RESHAPE9:.*]] = nn.reshape %arg1 : tensor<2x4x6x8xf32> -> tensor<2x4x3x2x8xf32>
// CHECK-NEXT: %[[CONTRACT4:.*]] = nn.contract "bgrst,bsgrd->btgd" %[[RESHAPE8]], %[[RESHAPE9]] : tensor<2x3x2x4x5xf32>, tensor<2x4x3x2x8xf32> -> tensor<2x5x3x8xf32>
// CHECK-NEXT: return %[[RESHAPE7]], %[[CONTRACT4]], %[[CONTRACT2]] : tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x9xf32>
func.func @grouped(%do: tensor<2x4x6x9xf32>, %q: tensor<2x4x6x8xf32>, %k: tensor<2x5x3x8xf32>,
    %v: tensor<2x5x3x9xf32>, %o: tensor<2x4x6x9xf32>, %lse: tensor<2x4x6xf32>, %at: tensor<4xi64>, %far: tensor<5xi64>,
    %n: tensor<2xi64>, %s: tensor<i64>) -> (tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x9xf32>) {
  %dq, %dk, %dv = nn.attention_grad causal %do, %q, %k, %v result %o lse %lse positions %at, %far
      samples %n seed %s step %s head_origin %s scale 0.5 {p = 0.25, id = 7}
      : (tensor<2x4x6x9xf32>, tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x9xf32>, tensor<2x4x6x9xf32>, tensor<2x4x6xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x9xf32>)
  return %dq, %dk, %dv : tensor<2x4x6x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x9xf32>
}

// -----

// All ops of an expansion, and no others, get the attributes of the attention.
// Here other ops follow, precede and separate the expansions.
// CHECK-LABEL: func.func @marks(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "bshd,bthd->bhst" %arg0, %arg0 {nn.stage = 3 : i64} : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32> -> tensor<2x2x4x4xf32>
// CHECK-NEXT: %[[PROBS:.*]], %[[LSE:.*]] = nn.masked_softmax %[[CONTRACT]] positions %arg1, %arg1 scale 5.000000e-01 {nn.stage = 3 : i64} : (tensor<2x2x4x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4xf32>)
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "bhst,bthd->bshd" %[[PROBS]], %arg0 {nn.stage = 3 : i64} : tensor<2x2x4x4xf32>, tensor<2x4x2x8xf32> -> tensor<2x4x2x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %[[CONTRACT1]] : tensor<2x4x2x8xf32>
// CHECK-NEXT: %[[CONTRACT2:.*]] = nn.contract "bshd,bthd->bhst" %[[EXP]], %arg0 {nn.stage = 4 : i64} : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32> -> tensor<2x2x4x4xf32>
// CHECK-NEXT: %[[PROBS1:.*]], %[[LSE1:.*]] = nn.masked_softmax %[[CONTRACT2]] positions %arg1, %arg1 scale 5.000000e-01 {nn.stage = 4 : i64} : (tensor<2x2x4x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4xf32>)
// CHECK-NEXT: %[[CONTRACT3:.*]] = nn.contract "bhst,bthd->bshd" %[[PROBS1]], %arg0 {nn.stage = 4 : i64} : tensor<2x2x4x4xf32>, tensor<2x4x2x8xf32> -> tensor<2x4x2x8xf32>
// CHECK-NEXT: return %[[CONTRACT3]] : tensor<2x4x2x8xf32>
func.func @marks(%q: tensor<2x4x2x8xf32>, %at: tensor<4xi64>) -> tensor<2x4x2x8xf32> {
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5 {nn.stage = 3 : i64}
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  %e = nn.exp %o : tensor<2x4x2x8xf32>
  %p, %lse2 = nn.attention %e, %q, %q positions %at, %at scale 0.5 {nn.stage = 4 : i64}
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  return %p : tensor<2x4x2x8xf32>
}
