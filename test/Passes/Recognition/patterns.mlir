// Patterns that exporters write, and patterns that only look alike.
// RUN: pcc-opt %s --nn-recognize --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s

nn.param @g : tensor<8xf32> init normal
nn.param @b : tensor<8xf32> init normal

// Nine primitives; the standard deviation is a reciprocal.
// CHECK: nn.param @g : tensor<8xf32> init one
// CHECK: nn.param @b : tensor<8xf32> init zero
// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %g = nn.read @g : tensor<8xf32>
  %b = nn.read @b : tensor<8xf32>
  %sum = nn.reduce %x [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %mean = nn.scale %sum by 0.125 : tensor<2x4xf32>
  %means = nn.broadcast %mean [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %d = nn.sub %x, %means : tensor<2x4x8xf32>
  %d2 = nn.mul %d, %d : tensor<2x4x8xf32>
  %sum2 = nn.reduce %d2 [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %var = nn.scale %sum2 by 0.125 : tensor<2x4xf32>
  %eps = nn.constant dense<1.0e-5> : tensor<2x4xf32>
  %v = nn.sum %var, %eps : tensor<2x4xf32>
  %std = nn.sqrt %v : tensor<2x4xf32>
  %one = nn.constant dense<1.0> : tensor<2x4xf32>
  %r = nn.div %one, %std : tensor<2x4xf32>
  %rs = nn.broadcast %r [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %n = nn.mul %d, %rs : tensor<2x4x8xf32>
  %gs = nn.broadcast %g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %ng = nn.mul %n, %gs : tensor<2x4x8xf32>
  %bs = nn.broadcast %b [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  %y = nn.sum %ng, %bs : tensor<2x4x8xf32>
  // CHECK: %[[G:.*]] = nn.read @g
  // CHECK: %[[B:.*]] = nn.read @b
  // CHECK-NEXT: nn.layer_norm %{{.*}} scale %[[G]] bias %[[B]] eps 9.9999997
  // CHECK-NEXT: return
  return %y : tensor<2x4x8xf32>
}

// -----

// Reductions that keep their dim, and a batch of one that is merged with the
// sequence before a linear layer and split from it afterwards.
// CHECK-LABEL: @batch_of_one
nn.param @g : tensor<8xf32> init normal
nn.param @w : tensor<8x6xf32> init normal
func.func @batch_of_one(%x: tensor<1x4x8xf32>) -> tensor<1x4x6xf32> {
  %g = nn.read @g : tensor<8xf32>
  %w = nn.read @w : tensor<8x6xf32>
  %sum = nn.reduce %x [2] : tensor<1x4x8xf32> -> tensor<1x4xf32>
  %mean = nn.scale %sum by 0.125 : tensor<1x4xf32>
  %means = nn.broadcast %mean [0, 1] : tensor<1x4xf32> -> tensor<1x4x8xf32>
  %d = nn.sub %x, %means : tensor<1x4x8xf32>
  %d2 = nn.mul %d, %d : tensor<1x4x8xf32>
  %sum2 = nn.reduce %d2 [2] : tensor<1x4x8xf32> -> tensor<1x4xf32>
  %var = nn.scale %sum2 by 0.125 : tensor<1x4xf32>
  %kept = nn.reshape %var : tensor<1x4xf32> -> tensor<1x4x1xf32>
  %eps = nn.constant dense<1.0e-5> : tensor<1x4x1xf32>
  %v = nn.sum %kept, %eps : tensor<1x4x1xf32>
  %std = nn.sqrt %v : tensor<1x4x1xf32>
  %flat = nn.reshape %std : tensor<1x4x1xf32> -> tensor<1x4xf32>
  %s = nn.broadcast %flat [0, 1] : tensor<1x4xf32> -> tensor<1x4x8xf32>
  %n = nn.div %d, %s : tensor<1x4x8xf32>
  %gs = nn.broadcast %g [2] : tensor<8xf32> -> tensor<1x4x8xf32>
  %y = nn.mul %n, %gs : tensor<1x4x8xf32>
  // CHECK: %[[Y:.*]], %{{.*}}, %{{.*}} = nn.layer_norm %arg0
  // CHECK-NEXT: nn.contract "bsk,kn->bsn" %[[Y]]
  // CHECK-NEXT: return
  %merged = nn.reshape %y : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %z = nn.contract "mk,kn->mn" %merged, %w
      : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %result = nn.reshape %z : tensor<4x6xf32> -> tensor<1x4x6xf32>
  return %result : tensor<1x4x6xf32>
}

// -----

// The variance of another tensor.
// CHECK-LABEL: @no_layer_norm
// CHECK-NOT: nn.layer_norm
nn.param @g : tensor<8xf32> init normal
func.func @no_layer_norm(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>)
    -> tensor<4x8xf32> {
  %g = nn.read @g : tensor<8xf32>
  %sum = nn.reduce %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  %mean = nn.scale %sum by 0.125 : tensor<4xf32>
  %means = nn.broadcast %mean [0] : tensor<4xf32> -> tensor<4x8xf32>
  %d = nn.sub %x, %means : tensor<4x8xf32>
  %d2 = nn.mul %z, %z : tensor<4x8xf32>
  %sum2 = nn.reduce %d2 [1] : tensor<4x8xf32> -> tensor<4xf32>
  %var = nn.scale %sum2 by 0.125 : tensor<4xf32>
  %eps = nn.constant dense<1.0e-5> : tensor<4xf32>
  %v = nn.sum %var, %eps : tensor<4xf32>
  %std = nn.sqrt %v : tensor<4xf32>
  %s = nn.broadcast %std [0] : tensor<4xf32> -> tensor<4x8xf32>
  %n = nn.div %d, %s : tensor<4x8xf32>
  %gs = nn.broadcast %g [1] : tensor<8xf32> -> tensor<4x8xf32>
  %y = nn.mul %n, %gs : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// The same function in another order, and one with a wrong constant.
// CHECK-LABEL: @gelu
func.func @gelu(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>,
                                       tensor<8xf32>) {
  %one = nn.constant dense<1.0> : tensor<8xf32>
  %a = nn.scale %x by 0.70710678 : tensor<8xf32>
  %e = nn.erf %a : tensor<8xf32>
  %e1 = nn.sum %one, %e : tensor<8xf32>
  %half = nn.scale %e1 by 0.5 : tensor<8xf32>
  %y = nn.mul %half, %x : tensor<8xf32>
  // CHECK-DAG: %[[GELU:.*]] = nn.gelu %arg0
  %b = nn.scale %x by 0.7 : tensor<8xf32>
  %f = nn.erf %b : tensor<8xf32>
  %f1 = nn.sum %one, %f : tensor<8xf32>
  %half2 = nn.scale %f1 by 0.5 : tensor<8xf32>
  %z = nn.mul %half2, %x : tensor<8xf32>
  // CHECK-DAG: nn.erf
  %s = nn.sigmoid %x : tensor<8xf32>
  %silu = nn.mul %s, %x : tensor<8xf32>
  // CHECK-DAG: %[[SILU:.*]] = nn.silu %arg0
  // CHECK: return %[[GELU]], %{{.*}}, %[[SILU]]
  return %y, %z, %silu : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A mask that lets every query see one key more is not causal: it is a bias.
// CHECK-LABEL: @window
// CHECK: %[[BIAS:.*]] = nn.constant dense<{{.*}}> : tensor<1x1x3x3xf32>
// CHECK: nn.attention %arg0, %arg1, %arg2 positions {{.*}} bias %[[BIAS]] scale
func.func @window(%q: tensor<1x3x2x4xf32>, %k: tensor<1x3x2x4xf32>,
                  %v: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32> -> tensor<1x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0],
                          [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<1x2x3x3xf32>
  %masked = nn.sum %s, %mask : tensor<1x2x3x3xf32>
  %p = nn.softmax %masked : tensor<1x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v
      : tensor<1x2x3x3xf32>, tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// -----

// No mask, keys as the contraction's first operand, and two masks that are
// causal together. Positions are constants if the program has no tokens.
// CHECK-LABEL: @encoder
// CHECK: nn.constant dense<[0, 1, 2]>
// CHECK: nn.attention %arg0, %arg1, %arg2 positions {{.*}} scale 5.000000e-01
func.func @encoder(%q: tensor<1x3x2x4xf32>, %k: tensor<1x3x2x4xf32>,
                   %v: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %qs = nn.scale %q by 0.5 : tensor<1x3x2x4xf32>
  %s = nn.contract "bthd,bshd->bhst" %k, %qs
      : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32> -> tensor<1x2x3x3xf32>
  %p = nn.softmax %s : tensor<1x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v
      : tensor<1x2x3x3xf32>, tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// CHECK-LABEL: @two_masks
// CHECK: nn.attention causal
func.func @two_masks(%q: tensor<1x3x2x4xf32>, %k: tensor<1x3x2x4xf32>,
                     %v: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32> -> tensor<1x2x3x3xf32>
  %c = nn.constant dense<[[true, false, false], [true, true, false],
                          [true, true, true]]> : tensor<3x3xi1>
  %keep = nn.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<1x2x3x3xi1>
  %low = nn.constant dense<-1.0e4> : tensor<1x2x3x3xf32>
  %masked = nn.where %keep, %s, %low
      : tensor<1x2x3x3xi1>, tensor<1x2x3x3xf32>
  %none = nn.constant dense<0.0> : tensor<1x2x3x3xf32>
  %sum = nn.sum %masked, %none : tensor<1x2x3x3xf32>
  %p = nn.softmax %sum : tensor<1x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v
      : tensor<1x2x3x3xf32>, tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// -----

// Parts of unequal width do not get a separate dim.
// CHECK-LABEL: @unequal
// CHECK-NOT: nn.select
func.func @unequal(%x: tensor<2x4x24xf32>)
    -> (tensor<2x4x2x4xf32>, tensor<2x4x4x4xf32>) {
  %a = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x4x24xf32> -> tensor<2x4x8xf32>
  %b = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x4x24xf32> -> tensor<2x4x16xf32>
  %c = nn.reshape %a : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  %d = nn.reshape %b : tensor<2x4x16xf32> -> tensor<2x4x4x4xf32>
  return %c, %d : tensor<2x4x2x4xf32>, tensor<2x4x4x4xf32>
}

// -----

// A parameter that is read in two shapes keeps its shape.
// CHECK: nn.param @w : tensor<8x6xf32>
nn.param @w : tensor<8x6xf32> init normal
// CHECK-LABEL: @two_shapes
func.func @two_shapes(%x: tensor<2x8xf32>) -> (tensor<2x2x3xf32>,
                                               tensor<2x3x2xf32>) {
  %w = nn.read @w : tensor<8x6xf32>
  %y = nn.contract "mk,kn->mn" %x, %w
      : tensor<2x8xf32>, tensor<8x6xf32> -> tensor<2x6xf32>
  %a = nn.reshape %y : tensor<2x6xf32> -> tensor<2x2x3xf32>
  %z = nn.gelu %y : tensor<2x6xf32>
  %b = nn.reshape %z : tensor<2x6xf32> -> tensor<2x3x2xf32>
  return %a, %b : tensor<2x2x3xf32>, tensor<2x3x2xf32>
}

// -----

// An rms norm by a power, a mean and a reciprocal root. Its scale is 1 + w.
// CHECK-LABEL: @rms_norm
nn.param @w : tensor<8xf32> init normal
func.func @rms_norm(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = nn.read @w : tensor<8xf32>
  %x2 = nn.mul %x, %x : tensor<2x4x8xf32>
  %sum = nn.reduce %x2 [2] : tensor<2x4x8xf32> -> tensor<2x4xf32>
  %mean = nn.scale %sum by 0.125 : tensor<2x4xf32>
  %eps = nn.constant dense<1.0e-6> : tensor<2x4xf32>
  %v = nn.sum %mean, %eps : tensor<2x4xf32>
  %root = nn.sqrt %v : tensor<2x4xf32>
  %one = nn.constant dense<1.0> : tensor<2x4xf32>
  %r = nn.div %one, %root : tensor<2x4xf32>
  %rs = nn.broadcast %r [0, 1] : tensor<2x4xf32> -> tensor<2x4x8xf32>
  %n = nn.mul %x, %rs : tensor<2x4x8xf32>
  %ones = nn.constant dense<1.0> : tensor<8xf32>
  %g = nn.sum %ones, %w : tensor<8xf32>
  %gs = nn.broadcast %g [2] : tensor<8xf32> -> tensor<2x4x8xf32>
  // CHECK: %[[G:.*]] = nn.sum
  // CHECK-NEXT: nn.rms_norm %{{.*}} scale %[[G]] eps 9.9999999
  // CHECK-NEXT: return
  %y = nn.mul %gs, %n : tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// Rotary embedding of the first half of each head from tables of the base
// 10000, heads before the sequence.
// CHECK-LABEL: @rope
// CHECK-SAME: %[[T:.*]]: tensor<2x3xi64> {{{.*}}}, %[[X:[^:]*]]: tensor<2x5x3x8xf32>, %[[P:.*]]: tensor<3xi64>
func.func @rope(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %x: tensor<2x5x3x8xf32>) -> tensor<2x5x3x8xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0],
    [0.5403023, 0.9999500, 0.5403023, 0.9999500],
    [-0.4161468, 0.9998000, -0.4161468, 0.9998000]]> : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0],
    [0.8414710, 0.0099998, 0.8414710, 0.0099998],
    [0.9092974, 0.0199987, 0.9092974, 0.0199987]]> : tensor<3x4xf32>
  %c = nn.broadcast %cos [2, 3] : tensor<3x4xf32> -> tensor<2x5x3x4xf32>
  %s = nn.broadcast %sin [2, 3] : tensor<3x4xf32> -> tensor<2x5x3x4xf32>
  %rot = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x5x3x8xf32> -> tensor<2x5x3x4xf32>
  %pass = nn.slice %x at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x5x3x8xf32> -> tensor<2x5x3x4xf32>
  %low = nn.slice %rot at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x5x3x4xf32> -> tensor<2x5x3x2xf32>
  %high = nn.slice %rot at [0, 0, 0, 2] step [1, 1, 1, 1] : tensor<2x5x3x4xf32> -> tensor<2x5x3x2xf32>
  %neg = nn.scale %high by -1.0 : tensor<2x5x3x2xf32>
  %turned = nn.concat %neg, %low along 3 : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32> -> tensor<2x5x3x4xf32>
  %a = nn.mul %rot, %c : tensor<2x5x3x4xf32>
  %b = nn.mul %turned, %s : tensor<2x5x3x4xf32>
  %r = nn.sum %a, %b : tensor<2x5x3x4xf32>
  // CHECK: %[[Q:.*]] = nn.transpose %[[X]] [0, 2, 1, 3]
  // CHECK-NEXT: %[[R:.*]] = nn.rope %[[Q]] positions %[[P]] theta 1.000000e+04 dim 4 : tensor<2x3x5x8xf32>
  // CHECK-NEXT: nn.transpose %[[R]] [0, 2, 1, 3]
  // CHECK-NEXT: return
  %y = nn.concat %r, %pass along 3 : tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32> -> tensor<2x5x3x8xf32>
  return %y : tensor<2x5x3x8xf32>
}

// -----

// Frequencies that are no powers of one base: the primitives stay.
// CHECK-LABEL: @scaled_rope
// CHECK-NOT: nn.rope
// CHECK: nn.concat
// CHECK: return
func.func @scaled_rope(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %x: tensor<2x5x3x4xf32>) -> tensor<2x5x3x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0],
    [0.5403023, 0.9999500, 0.5403023, 0.9999500],
    [-0.4161468, 0.9898000, -0.4161468, 0.9898000]]> : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0],
    [0.8414710, 0.0099998, 0.8414710, 0.0099998],
    [0.9092974, 0.0199987, 0.9092974, 0.0199987]]> : tensor<3x4xf32>
  %c = nn.broadcast %cos [2, 3] : tensor<3x4xf32> -> tensor<2x5x3x4xf32>
  %s = nn.broadcast %sin [2, 3] : tensor<3x4xf32> -> tensor<2x5x3x4xf32>
  %low = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x5x3x4xf32> -> tensor<2x5x3x2xf32>
  %high = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1] : tensor<2x5x3x4xf32> -> tensor<2x5x3x2xf32>
  %neg = nn.scale %high by -1.0 : tensor<2x5x3x2xf32>
  %turned = nn.concat %neg, %low along 3 : tensor<2x5x3x2xf32>, tensor<2x5x3x2xf32> -> tensor<2x5x3x4xf32>
  %a = nn.mul %x, %c : tensor<2x5x3x4xf32>
  %b = nn.mul %turned, %s : tensor<2x5x3x4xf32>
  %y = nn.sum %a, %b : tensor<2x5x3x4xf32>
  return %y : tensor<2x5x3x4xf32>
}

// -----

// Two query heads share a key head: the repeated key heads are not computed.
// CHECK-LABEL: @grouped
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x3x4x8xf32>, %[[K:[^:]*]]: tensor<2x3x2x8xf32>, %[[V:[^:]*]]: tensor<2x3x2x8xf32>
func.func @grouped(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x2x8xf32>, %v: tensor<2x3x2x8xf32>) -> tensor<2x3x4x8xf32> {
  %kt = nn.transpose %k [0, 2, 1, 3] : tensor<2x3x2x8xf32> -> tensor<2x2x3x8xf32>
  %vt = nn.transpose %v [0, 2, 1, 3] : tensor<2x3x2x8xf32> -> tensor<2x2x3x8xf32>
  %ks = nn.broadcast %kt [0, 1, 3, 4] : tensor<2x2x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %vs = nn.broadcast %vt [0, 1, 3, 4] : tensor<2x2x3x8xf32> -> tensor<2x2x2x3x8xf32>
  %kk = nn.reshape %ks : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  %vv = nn.reshape %vs : tensor<2x2x2x3x8xf32> -> tensor<2x4x3x8xf32>
  %p = nn.contract "bshd,bhtd->bhst" %q, %kk : tensor<2x3x4x8xf32>, tensor<2x4x3x8xf32> -> tensor<2x4x3x3xf32>
  %soft = nn.softmax %p : tensor<2x4x3x3xf32>
  // CHECK: nn.attention %[[Q]], %{{.*}}, %{{.*}} positions
  // CHECK-SAME: (tensor<2x3x4x8xf32>, tensor<2x3x2x8xf32>, tensor<2x3x2x8xf32>,
  %y = nn.contract "bhst,bhtd->bshd" %soft, %vv : tensor<2x4x3x3xf32>, tensor<2x4x3x8xf32> -> tensor<2x3x4x8xf32>
  return %y : tensor<2x3x4x8xf32>
}

// -----

// Rows merged before a norm and split after it: the norm is of [b, s].
// CHECK-LABEL: @norm_of_rows
nn.param @g : tensor<8xf32> init normal
func.func @norm_of_rows(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %g = nn.read @g : tensor<8xf32>
  %rows = nn.reshape %x : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %n, %rstd = nn.rms_norm %rows scale %g eps 1.0e-5 : tensor<8x8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK-NOT: nn.reshape
  // CHECK: nn.rms_norm {{.*}} : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>
  // CHECK-NOT: nn.reshape
  %y = nn.reshape %n : tensor<8x8xf32> -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// Scores replaced by a finite number if a condition on data is false. If it is
// false for all keys of a query, PyTorch's probabilities are equal and the
// scores get no gradient: the query is multiplied by zero.
// CHECK-LABEL: @selected
// CHECK: %[[REPLACED:.*]] = nn.where %{{.*}} : tensor<4x1x3x3xi1>
// CHECK: %[[KEPT:.*]] = nn.where %{{.*}} : tensor<4x1x3x3xi1>
// CHECK: %[[ALIVE:.*]] = nn.reduce_max %[[KEPT]] [3] : {{.*}} -> tensor<4x1x3xf32>
// CHECK: %[[ROWS:.*]] = nn.reshape %[[ALIVE]]
// CHECK: %[[GATE:.*]] = nn.broadcast %[[ROWS]] [0, 1]
// CHECK: %[[Q:.*]] = nn.mul %arg0, %[[GATE]]
// CHECK: nn.attention %[[Q]], %arg1, %arg2 positions {{.*}} bias %[[REPLACED]] scale
func.func @selected(%q: tensor<4x3x2x4xf32>, %k: tensor<4x3x2x4xf32>,
                    %v: tensor<4x3x2x4xf32>, %keep: tensor<4x3x3xi1>)
    -> tensor<4x3x2x4xf32> {
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<4x3x2x4xf32>, tensor<4x3x2x4xf32> -> tensor<4x2x3x3xf32>
  %keeps = nn.broadcast %keep [0, 2, 3] : tensor<4x3x3xi1> -> tensor<4x2x3x3xi1>
  %low = nn.constant dense<-3.0e38> : tensor<4x2x3x3xf32>
  %masked = nn.where %keeps, %s, %low : tensor<4x2x3x3xi1>, tensor<4x2x3x3xf32>
  %p = nn.softmax %masked : tensor<4x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v
      : tensor<4x2x3x3xf32>, tensor<4x3x2x4xf32> -> tensor<4x3x2x4xf32>
  return %y : tensor<4x3x2x4xf32>
}

// -----

// A trained score per head next to the scores of the keys, whose probability is
// discarded, becomes an operand. The subtraction of the highest score, as
// exporters write it, changes nothing.
// CHECK-LABEL: @sinks
// CHECK: %[[SINK:.*]] = nn.read @sink
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions %{{.*}} sinks %[[SINK]] scale
nn.param @sink : tensor<2xf32> init normal
func.func @sinks(%q: tensor<1x3x2x4xf32>, %k: tensor<1x3x2x4xf32>,
                 %v: tensor<1x3x2x4xf32>) -> tensor<1x3x2x4xf32> {
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32> -> tensor<1x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9],
                          [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<1x2x3x3xf32>
  %masked = nn.sum %s, %mask : tensor<1x2x3x3xf32>
  %sink = nn.read @sink : tensor<2xf32>
  %column = nn.broadcast %sink [1] : tensor<2xf32> -> tensor<1x2x3x1xf32>
  %all = nn.concat %masked, %column along 3
      : tensor<1x2x3x3xf32>, tensor<1x2x3x1xf32> -> tensor<1x2x3x4xf32>
  %max = nn.reduce_max %all [3] : tensor<1x2x3x4xf32> -> tensor<1x2x3xf32>
  %shift = nn.broadcast %max [0, 1, 2] : tensor<1x2x3xf32> -> tensor<1x2x3x4xf32>
  %low = nn.sub %all, %shift : tensor<1x2x3x4xf32>
  %p = nn.softmax %low : tensor<1x2x3x4xf32>
  %kept = nn.slice %p at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<1x2x3x4xf32> -> tensor<1x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %kept, %v
      : tensor<1x2x3x3xf32>, tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32>
  return %y : tensor<1x3x2x4xf32>
}

// -----

// A padding mask of data that replaces scores, a trained bias by head, and a
// causal mask that is added. If a query has only masked keys, the keys of the
// added mask get gradients and the replaced ones do not: no bias does that.
// CHECK-LABEL: @biases
// CHECK-NOT: nn.attention
// CHECK: nn.softmax
nn.param @table : tensor<2x3x3xf32> init normal
func.func @biases(%q: tensor<4x3x2x4xf32>, %k: tensor<4x3x2x4xf32>,
                  %v: tensor<4x3x2x4xf32>, %keep: tensor<4x3xi1>)
    -> tensor<4x3x2x4xf32> {
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<4x3x2x4xf32>, tensor<4x3x2x4xf32> -> tensor<4x2x3x3xf32>
  %table = nn.read @table : tensor<2x3x3xf32>
  %bias = nn.broadcast %table [1, 2, 3] : tensor<2x3x3xf32> -> tensor<4x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9],
                          [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<4x2x3x3xf32>
  %both = nn.sum %bias, %mask : tensor<4x2x3x3xf32>
  %biased = nn.sum %s, %both : tensor<4x2x3x3xf32>
  %keeps = nn.broadcast %keep [0, 3] : tensor<4x3xi1> -> tensor<4x2x3x3xi1>
  %low = nn.constant dense<-1.0e9> : tensor<4x2x3x3xf32>
  %masked = nn.where %keeps, %biased, %low : tensor<4x2x3x3xi1>, tensor<4x2x3x3xf32>
  %p = nn.softmax %masked : tensor<4x2x3x3xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v
      : tensor<4x2x3x3xf32>, tensor<4x3x2x4xf32> -> tensor<4x3x2x4xf32>
  return %y : tensor<4x3x2x4xf32>
}

// -----

// The norm has rows [2, 4], as the reshape that splits them moves before it.
// CHECK-LABEL: @split_behind_norm
nn.param @g : tensor<8xf32> init normal
func.func @split_behind_norm(%x: tensor<8x8xf32>) -> tensor<2x4x8xf32> {
  %g = nn.read @g : tensor<8xf32>
  // CHECK: %[[ROWS:.*]] = nn.reshape %{{.*}} : tensor<8x8xf32> -> tensor<2x4x8xf32>
  // CHECK: nn.rms_norm %[[ROWS]] {{.*}} : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32>
  %n, %rstd = nn.rms_norm %x scale %g eps 1.0e-5 : tensor<8x8xf32>, tensor<8xf32> -> tensor<8xf32>
  %y = nn.reshape %n : tensor<8x8xf32> -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// -----

// The gate and the value of a feed-forward layer: one GEMM and two selections.
// CHECK-LABEL: @gated
// CHECK: %[[READ:.*]] = nn.read @w : tensor<8x2x6xf32>
// CHECK: %[[Y:.*]] = nn.contract {{.*}}%[[READ]] {{.*}} -> tensor<2x4x2x6xf32>
// CHECK-DAG: %[[GATE:.*]] = nn.select %[[Y]] dim 2 index 0
// CHECK-DAG: %[[UP:.*]] = nn.select %[[Y]] dim 2 index 1
// CHECK-DAG: %[[SILU:.*]] = nn.silu %[[GATE]] : tensor<2x4x6xf32>
// CHECK: nn.mul %[[SILU]], %[[UP]]
nn.param @w : tensor<8x12xf32> init normal
func.func @gated(%x: tensor<2x4x8xf32>) -> tensor<2x4x6xf32> {
  %w = nn.read @w : tensor<8x12xf32>
  %y = nn.contract "bsk,kn->bsn" %x, %w : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  %g = nn.slice %y at [0, 0, 0] step [1, 1, 1] : tensor<2x4x12xf32> -> tensor<2x4x6xf32>
  %u = nn.slice %y at [0, 0, 6] step [1, 1, 1] : tensor<2x4x12xf32> -> tensor<2x4x6xf32>
  %s = nn.silu %g : tensor<2x4x6xf32>
  %r = nn.mul %s, %u : tensor<2x4x6xf32>
  return %r : tensor<2x4x6xf32>
}

// -----

// Four query heads, one key head and one value head in one projection become
// separate weights, each with its offset in the file. The bias is split alike.
// CHECK-DAG: nn.param @"w[0:8]" : tensor<8x4x2xf32> {{.*}} base = 0, strides = [12, 2, 1]
// CHECK-DAG: nn.param @"w[8:10]" : tensor<8x1x2xf32> {{.*}} base = 8, strides = [12, 2, 1]
// CHECK-DAG: nn.param @"w[10:12]" : tensor<8x1x2xf32> {{.*}} base = 10, strides = [12, 2, 1]
// CHECK-DAG: nn.param @"b[10:12]" : tensor<1x2xf32> {{.*}} base = 10, strides = [2, 1]
// CHECK-NOT: nn.param @w :
// CHECK-LABEL: @many_queries
// CHECK-NOT: nn.slice
nn.param @w : tensor<8x12xf32> init normal decay source <name = "w",
    file = "m.onnx", offset = 64, type = tensor<8x12xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [12, 1], valid = [8, 12]>
nn.param @b : tensor<12xf32> init normal source <name = "b",
    file = "m.onnx", offset = 448, type = tensor<12xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [1], valid = [12]>
func.func @many_queries(%x: tensor<2x4x8xf32>) -> (tensor<2x4x4x2xf32>, tensor<2x4x1x2xf32>, tensor<2x4x1x2xf32>) {
  %w = nn.read @w : tensor<8x12xf32>
  %b = nn.read @b : tensor<12xf32>
  %m = nn.contract "bsk,kn->bsn" %x, %w : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  %bb = nn.broadcast %b [2] : tensor<12xf32> -> tensor<2x4x12xf32>
  %y = nn.sum %bb, %m : tensor<2x4x12xf32>
  %qs = nn.slice %y at [0, 0, 0] step [1, 1, 1] : tensor<2x4x12xf32> -> tensor<2x4x8xf32>
  %ks = nn.slice %y at [0, 0, 8] step [1, 1, 1] : tensor<2x4x12xf32> -> tensor<2x4x2xf32>
  %vs = nn.slice %y at [0, 0, 10] step [1, 1, 1] : tensor<2x4x12xf32> -> tensor<2x4x2xf32>
  %q = nn.reshape %qs : tensor<2x4x8xf32> -> tensor<2x4x4x2xf32>
  %k = nn.reshape %ks : tensor<2x4x2xf32> -> tensor<2x4x1x2xf32>
  %v = nn.reshape %vs : tensor<2x4x2xf32> -> tensor<2x4x1x2xf32>
  return %q, %k, %v : tensor<2x4x4x2xf32>, tensor<2x4x1x2xf32>, tensor<2x4x1x2xf32>
}

// -----

// A weight with another use is not split.
// CHECK-LABEL: @shared_weight
// CHECK-COUNT-2: nn.slice
nn.param @w : tensor<8x12xf32> init normal
func.func @shared_weight(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x12xf32>) {
  %w = nn.read @w : tensor<8x12xf32>
  %y = nn.contract "sk,kn->sn" %x, %w : tensor<4x8xf32>, tensor<8x12xf32> -> tensor<4x12xf32>
  %q = nn.slice %y at [0, 0] step [1, 1] : tensor<4x12xf32> -> tensor<4x8xf32>
  %k = nn.slice %y at [0, 8] step [1, 1] : tensor<4x12xf32> -> tensor<4x4xf32>
  return %q, %k, %w : tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x12xf32>
}

// -----

// A block that is used twice: each use has its own view of the weight, which
// is then declared with heads, and of the bias.
// CHECK: nn.param @w : tensor<2x4x8xf32>
// CHECK: nn.param @b : tensor<2x4xf32>
// CHECK-LABEL: @used_twice
// CHECK-COUNT-2: nn.contract "bsk,hdk->bshd"
// CHECK-NOT: nn.reshape
nn.param @w : tensor<8x8xf32> init normal
nn.param @b : tensor<8xf32> init normal
func.func @used_twice(%x: tensor<2x3x8xf32>, %y: tensor<2x3x8xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %w = nn.read @w : tensor<8x8xf32>
  %b = nn.read @b : tensor<8xf32>
  %t = nn.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %bias = nn.broadcast %b [2] : tensor<8xf32> -> tensor<2x3x8xf32>
  %px = nn.contract "bsk,kn->bsn" %x, %t : tensor<2x3x8xf32>, tensor<8x8xf32> -> tensor<2x3x8xf32>
  %sx = nn.sum %px, %bias : tensor<2x3x8xf32>
  %qx = nn.reshape %sx : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %py = nn.contract "bsk,kn->bsn" %y, %t : tensor<2x3x8xf32>, tensor<8x8xf32> -> tensor<2x3x8xf32>
  %sy = nn.sum %py, %bias : tensor<2x3x8xf32>
  %qy = nn.reshape %sy : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %qx, %qy : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// -----

// Cross-attention with one weight for queries of one input, and keys and values
// of another: two parameters, each with its offset in the file.
// CHECK-DAG: nn.param @"w[0:4]" : tensor<4x4xf32> {{.*}} base = 0, strides = [4, 1], valid = [4, 4]
// CHECK-DAG: nn.param @"w[4:12]" : tensor<8x4xf32> {{.*}} base = 16, strides = [4, 1], valid = [8, 4]
// CHECK-NOT: nn.param @w :
// CHECK-LABEL: @cross_projection
// CHECK-NOT: nn.slice
nn.param @w : tensor<12x4xf32> init normal decay source <name = "w",
    file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
func.func @cross_projection(%x: tensor<3x4xf32>, %m: tensor<5x4xf32>) -> (tensor<3x4xf32>, tensor<5x8xf32>, tensor<5x4xf32>) {
  %w = nn.read @w : tensor<12x4xf32>
  %wq = nn.slice %w at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
  %wkv = nn.slice %w at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
  %again = nn.slice %w at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
  %q = nn.contract "sk,nk->sn" %x, %wq : tensor<3x4xf32>, tensor<4x4xf32> -> tensor<3x4xf32>
  %kv = nn.contract "sk,nk->sn" %m, %wkv : tensor<5x4xf32>, tensor<8x4xf32> -> tensor<5x8xf32>
  %z = nn.contract "sk,nk->sn" %m, %again : tensor<5x4xf32>, tensor<4x4xf32> -> tensor<5x4xf32>
  return %q, %kv, %z : tensor<3x4xf32>, tensor<5x8xf32>, tensor<5x4xf32>
}

// -----

// Slices that leave out a part or overlap stay slices.
// CHECK-LABEL: @part_unused
// CHECK-COUNT-4: nn.slice
nn.param @w : tensor<12x4xf32> init normal
nn.param @v : tensor<12x4xf32> init normal
func.func @part_unused() -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %w = nn.read @w : tensor<12x4xf32>
  %a = nn.slice %w at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
  %b = nn.slice %w at [8, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
  %v = nn.read @v : tensor<12x4xf32>
  %c = nn.slice %v at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
  %d = nn.slice %v at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
  return %a, %b, %c, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A projection of a concatenation is a sum of projections.
// CHECK-DAG: nn.param @"w[0:4]" : tensor<5x4xf32> {{.*}} base = 0, strides = [10, 1]
// CHECK-DAG: nn.param @"w[4:10]" : tensor<5x6xf32> {{.*}} base = 4, strides = [10, 1]
// CHECK-LABEL: @joined
// CHECK-NOT: nn.concat
// CHECK: %[[A:.*]] = nn.contract "mk,nk->mn" %arg0
// CHECK: %[[B:.*]] = nn.contract "mk,nk->mn" %arg1
// CHECK: nn.sum %[[A]], %[[B]]
nn.param @w : tensor<5x10xf32> init normal decay source <name = "w",
    file = "m.onnx", offset = 64, type = tensor<5x10xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [10, 1], valid = [5, 10]>
func.func @joined(%a: tensor<3x4xf32>, %b: tensor<3x6xf32>) -> tensor<3x5xf32> {
  %w = nn.read @w : tensor<5x10xf32>
  %ab = nn.concat %a, %b along 1 : tensor<3x4xf32>, tensor<3x6xf32> -> tensor<3x10xf32>
  %y = nn.contract "sk,nk->sn" %ab, %w : tensor<3x10xf32>, tensor<5x10xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// Scores whose batch and heads are one dim, as torch.bmm needs them.
// CHECK-LABEL: @batch_and_heads
// CHECK: nn.attention %arg0, %arg1, %arg2
// CHECK-NOT: nn.softmax
func.func @batch_and_heads(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x4x8xf32>, %v: tensor<2x3x4x8xf32>) -> tensor<2x4x3x8xf32> {
  %qt = nn.transpose %q [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %kt = nn.transpose %k [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %vt = nn.transpose %v [0, 2, 1, 3] : tensor<2x3x4x8xf32> -> tensor<2x4x3x8xf32>
  %qm = nn.reshape %qt : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %km = nn.reshape %kt : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %vm = nn.reshape %vt : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %s = nn.contract "amk,ank->amn" %qm, %km : tensor<8x3x8xf32>, tensor<8x3x8xf32> -> tensor<8x3x3xf32>
  %p = nn.softmax %s : tensor<8x3x3xf32>
  %o = nn.contract "amk,akn->amn" %p, %vm : tensor<8x3x3xf32>, tensor<8x3x8xf32> -> tensor<8x3x8xf32>
  %y = nn.reshape %o : tensor<8x3x8xf32> -> tensor<2x4x3x8xf32>
  return %y : tensor<2x4x3x8xf32>
}

// -----

// As torch.nn.MultiheadAttention computes it when it returns the probabilities:
// batch and heads are split from their common dim after a transpose.
// CHECK-LABEL: @batch_and_heads_behind
// CHECK: %[[O:.*]], %{{.*}} = nn.attention
// CHECK-NOT: nn.softmax
// CHECK: %[[T:.*]] = nn.transpose %[[O]] [1, 0, 2, 3]
// CHECK: nn.reshape %[[T]] : tensor<3x2x4x8xf32> -> tensor<6x32xf32>
func.func @batch_and_heads_behind(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x8xf32>) -> tensor<6x32xf32> {
  %qm = nn.reshape %q : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %km = nn.reshape %k : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %vm = nn.reshape %v : tensor<2x4x3x8xf32> -> tensor<8x3x8xf32>
  %s = nn.contract "amk,ank->amn" %qm, %km : tensor<8x3x8xf32>, tensor<8x3x8xf32> -> tensor<8x3x3xf32>
  %p = nn.softmax %s : tensor<8x3x3xf32>
  %o = nn.contract "amk,akn->amn" %p, %vm : tensor<8x3x3xf32>, tensor<8x3x8xf32> -> tensor<8x3x8xf32>
  %t = nn.transpose %o [1, 0, 2] : tensor<8x3x8xf32> -> tensor<3x8x8xf32>
  %y = nn.reshape %t : tensor<3x8x8xf32> -> tensor<6x32xf32>
  return %y : tensor<6x32xf32>
}

// -----

// A module per head, each with separate weights, a bias for the queries and
// dropout: one attention. The weights stay separate parameters.
// CHECK-LABEL: @module_per_head
// CHECK-DAG: %[[Q0:.*]] = nn.read @q0 : tensor<1x2x4xf32>
// CHECK-DAG: %[[Q1:.*]] = nn.read @q1 : tensor<1x2x4xf32>
// CHECK-DAG: nn.concat %[[Q0]], %[[Q1]] along 0 : {{.*}} -> tensor<2x2x4xf32>
// CHECK: %[[O:.*]], %{{.*}} = nn.attention causal {{.*}}scale 5.000000e-01
// CHECK: %[[R:.*]] = nn.reshape %[[O]] : tensor<3x5x2x2xf32> -> tensor<3x5x4xf32>
// CHECK: return %[[R]]
nn.param @q0 : tensor<2x4xf32> init normal
nn.param @k0 : tensor<2x4xf32> init normal
nn.param @v0 : tensor<2x4xf32> init normal
nn.param @b0 : tensor<2xf32> init normal
nn.param @q1 : tensor<2x4xf32> init normal
nn.param @k1 : tensor<2x4xf32> init normal
nn.param @v1 : tensor<2x4xf32> init normal
nn.param @b1 : tensor<2xf32> init normal
func.func @module_per_head(%x: tensor<3x5x4xf32>, %samples: tensor<3xi64>, %pos: tensor<5xi64> {nn.role = #nn.role<positions>}, %seed: tensor<i64>, %step: tensor<i64>) -> tensor<3x5x4xf32> {
  %mask = nn.constant dense<[[[0.0, -1.0e30, -1.0e30, -1.0e30, -1.0e30], [0.0, 0.0, -1.0e30, -1.0e30, -1.0e30], [0.0, 0.0, 0.0, -1.0e30, -1.0e30], [0.0, 0.0, 0.0, 0.0, -1.0e30], [0.0, 0.0, 0.0, 0.0, 0.0]]]> : tensor<1x5x5xf32>
  %flat = nn.reshape %mask : tensor<1x5x5xf32> -> tensor<5x5xf32>
  %masks = nn.broadcast %flat [1, 2] : tensor<5x5xf32> -> tensor<3x5x5xf32>
  %wq0 = nn.read @q0 : tensor<2x4xf32>
  %wk0 = nn.read @k0 : tensor<2x4xf32>
  %wv0 = nn.read @v0 : tensor<2x4xf32>
  %rb0 = nn.read @b0 : tensor<2xf32>
  %m0 = nn.contract "bsk,nk->bsn" %x, %wq0 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bb0 = nn.broadcast %rb0 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %hq0 = nn.sum %m0, %bb0 : tensor<3x5x2xf32>
  %hk0 = nn.contract "bsk,nk->bsn" %x, %wk0 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %hv0 = nn.contract "bsk,nk->bsn" %x, %wv0 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %kt0 = nn.transpose %hk0 [0, 2, 1] : tensor<3x5x2xf32> -> tensor<3x2x5xf32>
  %p0 = nn.contract "bsd,bdt->bst" %hq0, %kt0 : tensor<3x5x2xf32>, tensor<3x2x5xf32> -> tensor<3x5x5xf32>
  %c0 = nn.scale %p0 by 0.5 : tensor<3x5x5xf32>
  %s0 = nn.sum %c0, %masks : tensor<3x5x5xf32>
  %w0 = nn.softmax %s0 : tensor<3x5x5xf32>
  %d0 = nn.dropout %w0 samples %samples positions %pos seed %seed step %step {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %o0 = nn.contract "bst,btd->bsd" %d0, %hv0 : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %wq1 = nn.read @q1 : tensor<2x4xf32>
  %wk1 = nn.read @k1 : tensor<2x4xf32>
  %wv1 = nn.read @v1 : tensor<2x4xf32>
  %rb1 = nn.read @b1 : tensor<2xf32>
  %m1 = nn.contract "bsk,nk->bsn" %x, %wq1 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %bb1 = nn.broadcast %rb1 [2] : tensor<2xf32> -> tensor<3x5x2xf32>
  %hq1 = nn.sum %m1, %bb1 : tensor<3x5x2xf32>
  %hk1 = nn.contract "bsk,nk->bsn" %x, %wk1 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %hv1 = nn.contract "bsk,nk->bsn" %x, %wv1 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %kt1 = nn.transpose %hk1 [0, 2, 1] : tensor<3x5x2xf32> -> tensor<3x2x5xf32>
  %p1 = nn.contract "bsd,bdt->bst" %hq1, %kt1 : tensor<3x5x2xf32>, tensor<3x2x5xf32> -> tensor<3x5x5xf32>
  %c1 = nn.scale %p1 by 0.5 : tensor<3x5x5xf32>
  %s1 = nn.sum %c1, %masks : tensor<3x5x5xf32>
  %w1 = nn.softmax %s1 : tensor<3x5x5xf32>
  %d1 = nn.dropout %w1 samples %samples positions %pos seed %seed step %step {p = 0.1, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<3x5x5xf32>, tensor<3xi64>, tensor<5xi64>, tensor<i64>, tensor<i64>
  %o1 = nn.contract "bst,btd->bsd" %d1, %hv1 : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %y = nn.concat %o0, %o1 along 2 : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}

// -----

// Heads that differ in more than their weights stay separate.
// CHECK-LABEL: @heads_of_two_scales
// CHECK-COUNT-2: nn.softmax
// CHECK: nn.concat
nn.param @v0 : tensor<2x4xf32> init normal
nn.param @v1 : tensor<2x4xf32> init normal
func.func @heads_of_two_scales(%x: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %wv0 = nn.read @v0 : tensor<2x4xf32>
  %wv1 = nn.read @v1 : tensor<2x4xf32>
  %s = nn.contract "bsd,btd->bst" %x, %x : tensor<3x5x4xf32>, tensor<3x5x4xf32> -> tensor<3x5x5xf32>
  %s0 = nn.scale %s by 0.5 : tensor<3x5x5xf32>
  %p0 = nn.softmax %s0 : tensor<3x5x5xf32>
  %h0 = nn.contract "bsk,nk->bsn" %x, %wv0 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %o0 = nn.contract "bst,btd->bsd" %p0, %h0 : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %s1 = nn.scale %s by 0.25 : tensor<3x5x5xf32>
  %p1 = nn.softmax %s1 : tensor<3x5x5xf32>
  %h1 = nn.contract "bsk,nk->bsn" %x, %wv1 : tensor<3x5x4xf32>, tensor<2x4xf32> -> tensor<3x5x2xf32>
  %o1 = nn.contract "bst,btd->bsd" %p1, %h1 : tensor<3x5x5xf32>, tensor<3x5x2xf32> -> tensor<3x5x2xf32>
  %y = nn.concat %o0, %o1 along 2 : tensor<3x5x2xf32>, tensor<3x5x2xf32> -> tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}

// -----

// A parameter that the file has twice is split, too: each part has its offset
// in the copy, too.
// CHECK-DAG: nn.param @"w[0:4]" {{.*}}copies [<name = "w2", file = "m.onnx", offset = 512, {{.*}} base = 0, strides = [4, 1], valid = [4, 4]>]
// CHECK-DAG: nn.param @"w[4:12]" {{.*}}copies [<name = "w2", file = "m.onnx", offset = 512, {{.*}} base = 16, strides = [4, 1], valid = [8, 4]>]
// CHECK-LABEL: @copied
nn.param @w : tensor<12x4xf32> init normal decay source <name = "w",
    file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
    copies [<name = "w2", file = "m.onnx", offset = 512,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>]
func.func @copied(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x8xf32>) {
  %w = nn.read @w : tensor<12x4xf32>
  %a = nn.slice %w at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
  %b = nn.slice %w at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
  %y = nn.contract "sk,nk->sn" %x, %a : tensor<3x4xf32>, tensor<4x4xf32> -> tensor<3x4xf32>
  %z = nn.contract "sk,nk->sn" %x, %b : tensor<3x4xf32>, tensor<8x4xf32> -> tensor<3x8xf32>
  return %y, %z : tensor<3x4xf32>, tensor<3x8xf32>
}

// -----

// Scores by distance are looked up by the same ids for all samples and heads.
// If these two are one dim, it is split before the op that merged it.
// CHECK-LABEL: @scores_by_distance
// CHECK: %[[T:.*]] = nn.transpose %{{.*}} [2, 3, 0, 1] : tensor<2x4x5x6xf32> -> tensor<5x6x2x4xf32>
// CHECK: %[[ROWS:.*]] = nn.reshape %[[T]] : tensor<5x6x2x4xf32> -> tensor<30x2x4xf32>
// CHECK: %[[Y:.*]] = nn.embedding %{{.*}}, %[[ROWS]] : tensor<5x5xi64>, tensor<30x2x4xf32> -> tensor<5x5x2x4xf32>
// CHECK: %[[Z:.*]] = nn.transpose %[[Y]] [2, 3, 0, 1] : tensor<5x5x2x4xf32> -> tensor<2x4x5x5xf32>
// CHECK: return %[[Z]]
func.func @scores_by_distance(%x: tensor<2x4x5x6xf32>, %ids: tensor<5x5xi64>) -> tensor<2x4x5x5xf32> {
  %s = nn.reshape %x : tensor<2x4x5x6xf32> -> tensor<8x5x6xf32>
  %t = nn.transpose %s [1, 2, 0] : tensor<8x5x6xf32> -> tensor<5x6x8xf32>
  %rows = nn.reshape %t : tensor<5x6x8xf32> -> tensor<30x8xf32>
  %y = nn.embedding %ids, %rows : tensor<5x5xi64>, tensor<30x8xf32> -> tensor<5x5x8xf32>
  %u = nn.transpose %y [2, 0, 1] : tensor<5x5x8xf32> -> tensor<8x5x5xf32>
  %z = nn.reshape %u : tensor<8x5x5xf32> -> tensor<2x4x5x5xf32>
  return %z : tensor<2x4x5x5xf32>
}

// -----

// Several query heads, one key head and one value head, sliced after the
// projection is split into heads.
// CHECK-DAG: nn.param @"w[0:8]" : tensor<5x4x2xf32>
// CHECK-DAG: nn.param @"w[8:10]" : tensor<5x2xf32>
// CHECK-DAG: nn.param @"w[10:12]" : tensor<5x2xf32>
// CHECK-LABEL: @one_head_of_keys
// CHECK-DAG: %[[K:.*]] = nn.contract "bsk,kn->bsn" %{{.*}} -> tensor<3x6x2xf32>
// CHECK-DAG: %[[V:.*]] = nn.contract "bsk,kn->bsn" %{{.*}} -> tensor<3x6x2xf32>
// CHECK-DAG: %[[Q:.*]] = nn.contract "bsk,khd->bshd" %{{.*}} -> tensor<3x6x4x2xf32>
// CHECK: return %[[Q]], %[[K]], %[[V]]
nn.param @w : tensor<5x12xf32> init normal decay
func.func @one_head_of_keys(%x: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>) {
  %w = nn.read @w : tensor<5x12xf32>
  %y = nn.contract "bsk,kn->bsn" %x, %w : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %h = nn.reshape %y : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %q = nn.slice %h at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %k = nn.select %h dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  %v = nn.select %h dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %q, %k, %v : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>
}

// -----

// A separate norm for each query head.
// CHECK: nn.param @g0 : tensor<1x4xf32> init one
// CHECK-LABEL: @norm_of_each_head
// CHECK-DAG: %[[ONES:.*]] = nn.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[N:[a-z]*]], %{{.*}}, %{{.*}} = nn.layer_norm %arg0 scale %[[ONES]] eps
// CHECK-DAG: %[[G:.*]] = nn.concat %{{.*}}, %{{.*}} along 0 : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK-DAG: %[[S:.*]] = nn.broadcast %[[G]] [1, 3] : tensor<2x4xf32> -> tensor<3x2x5x4xf32>
// CHECK: %[[Y:.*]] = nn.mul %[[N]], %[[S]]
// CHECK: return %[[Y]]
nn.param @g0 : tensor<4xf32> init normal source <name = "g0",
    file = "m.onnx", offset = 64, type = tensor<4xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [1], valid = [4]>
nn.param @g1 : tensor<4xf32> init normal source <name = "g1",
    file = "m.onnx", offset = 128, type = tensor<4xf32>, file_size = 1024,
    digest = 7, base = 0, strides = [1], valid = [4]>
func.func @norm_of_each_head(%q: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %g0 = nn.read @g0 : tensor<4xf32>
  %g1 = nn.read @g1 : tensor<4xf32>
  %q0 = nn.slice %q at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %q1 = nn.slice %q at [0, 1, 0, 0] step [1, 1, 1, 1] : tensor<3x2x5x4xf32> -> tensor<3x1x5x4xf32>
  %n0:3 = nn.layer_norm %q0 scale %g0 eps 1.0e-5 : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %n1:3 = nn.layer_norm %q1 scale %g1 eps 1.0e-5 : tensor<3x1x5x4xf32>, tensor<4xf32> -> tensor<3x1x5xf32>, tensor<3x1x5xf32>
  %y = nn.concat %n0#0, %n1#0 along 1 : tensor<3x1x5x4xf32>, tensor<3x1x5x4xf32> -> tensor<3x2x5x4xf32>
  return %y : tensor<3x2x5x4xf32>
}
