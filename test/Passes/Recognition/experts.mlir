// Products with a weight matrix per token and choice become nn.experts, in the
// forms that exporters write. Tokens are [b s] in the file, here 2 x 3, with 2
// choices each.
// RUN: pcc-opt %s -nn-recognize -split-input-file | FileCheck %s

// A fused projection: gates, then ups. The router computes on [b, s, ..], too.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x8xf32>, %[[ROUTER:.*]]: tensor<4x8xf32>, %[[W1:.*]]: tensor<4x10x8xf32>, %[[W2:.*]]: tensor<4x8x5xf32>)
// CHECK-NEXT: %[[LOGITS:.*]] = nn.contract "mak,nk->man" %[[X]], %[[ROUTER]]
// CHECK-NEXT: %[[SCORES:.*]] = nn.softmax %[[LOGITS]] : tensor<2x3x4xf32>
// CHECK-NEXT: %[[IDS:.*]] = nn.top_k %[[SCORES]] : tensor<2x3x4xf32> -> tensor<2x3x2xi32>
// CHECK-NEXT: %[[GATES:.*]] = nn.pick %[[SCORES]], %[[IDS]]
// CHECK-NEXT: %[[W1S:.*]] = nn.reshape %[[W1]] : tensor<4x10x8xf32> -> tensor<4x2x5x8xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.experts silu %[[X]] ids %[[IDS]] gates %[[GATES]] w1 %[[W1S]] w2 %[[W2]] : (
// CHECK-NEXT: return %[[Y]] : tensor<2x3x8xf32>
func.func @fused(%x: tensor<2x3x8xf32>, %router: tensor<4x8xf32>,
    %w1: tensor<4x10x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<2x3x8xf32> {
  %tokens = nn.reshape %x : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %logits = nn.contract "mk,nk->mn" %tokens, %router : tensor<6x8xf32>, tensor<4x8xf32> -> tensor<6x4xf32>
  %scores = nn.softmax %logits : tensor<6x4xf32>
  %ids = nn.top_k %scores : tensor<6x4xf32> -> tensor<6x2xi32>
  %gates = nn.pick %scores, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %twice = nn.broadcast %tokens [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %xs = nn.reshape %twice : tensor<6x2x8xf32> -> tensor<12x8x1xf32>
  %wide = nn.cast %ids : tensor<6x2xi32> -> tensor<6x2xi64>
  %pairs = nn.reshape %wide : tensor<6x2xi64> -> tensor<12xi64>
  // Exporters let negative ids count from the end.
  %zero = nn.constant dense<0> : tensor<12xi64>
  %e = nn.constant dense<4> : tensor<12xi64>
  %isNegative = nn.compare lt %pairs, %zero : tensor<12xi64> -> tensor<12xi1>
  %fromEnd = nn.sum %pairs, %e : tensor<12xi64>
  %wrapped = nn.where %isNegative, %fromEnd, %pairs : tensor<12xi1>, tensor<12xi64>
  %rows1 = nn.reshape %w1 : tensor<4x10x8xf32> -> tensor<4x80xf32>
  %g1 = nn.embedding %wrapped, %rows1 : tensor<12xi64>, tensor<4x80xf32> -> tensor<12x80xf32>
  %m1 = nn.reshape %g1 : tensor<12x80xf32> -> tensor<12x10x8xf32>
  %u1 = nn.contract "amk,akn->amn" %m1, %xs : tensor<12x10x8xf32>, tensor<12x8x1xf32> -> tensor<12x10x1xf32>
  %u = nn.reshape %u1 : tensor<12x10x1xf32> -> tensor<12x10xf32>
  %gate = nn.slice %u at [0, 0] step [1, 1] : tensor<12x10xf32> -> tensor<12x5xf32>
  %up = nn.slice %u at [0, 5] step [1, 1] : tensor<12x10xf32> -> tensor<12x5xf32>
  %sigmoid = nn.sigmoid %gate : tensor<12x5xf32>
  %silu = nn.mul %gate, %sigmoid : tensor<12x5xf32>
  %a = nn.mul %silu, %up : tensor<12x5xf32>
  %rows2 = nn.reshape %w2 : tensor<4x8x5xf32> -> tensor<4x40xf32>
  %g2 = nn.embedding %wrapped, %rows2 : tensor<12xi64>, tensor<4x40xf32> -> tensor<12x40xf32>
  %m2 = nn.reshape %g2 : tensor<12x40xf32> -> tensor<12x8x5xf32>
  %z = nn.contract "pnf,pf->pn" %m2, %a : tensor<12x8x5xf32>, tensor<12x5xf32> -> tensor<12x8xf32>
  %flat = nn.reshape %gates : tensor<6x2xf32> -> tensor<12xf32>
  %factors = nn.broadcast %flat [0] : tensor<12xf32> -> tensor<12x8xf32>
  %weighted = nn.mul %z, %factors : tensor<12x8xf32>
  %terms = nn.reshape %weighted : tensor<12x8xf32> -> tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  %result = nn.reshape %y : tensor<6x8xf32> -> tensor<2x3x8xf32>
  return %result : tensor<2x3x8xf32>
}

// -----

// Transposed weights, columns that alternate between gate and up, limits,
// biases. The parameters are declared as nn.experts reads them: strides say
// where the file has them. The biases of the result are those of the chosen
// experts times the gates.
// CHECK: nn.param @w1 : tensor<4x2x5x8xf32> {{.*}} strides = [80, 1, 2, 10], valid = [4, 2, 5, 8]>
// CHECK: nn.param @b1 : tensor<4x2x5xf32> {{.*}} strides = [10, 1, 2], valid = [4, 2, 5]>
// CHECK: nn.param @w2 : tensor<4x8x5xf32> {{.*}} strides = [40, 1, 8], valid = [4, 8, 5]>
// CHECK-LABEL: func.func @interleaved(
// CHECK: %[[IDS:.*]] = nn.top_k
// CHECK: %[[W1:.*]] = nn.read @w1
// CHECK: %[[B1:.*]] = nn.read @b1
// CHECK: %[[W2:.*]] = nn.read @w2
// CHECK: %[[B2:.*]] = nn.read @b2
// CHECK: %[[Y:.*]] = nn.experts silu %{{.*}} ids %[[IDS]] gates %[[GATES:.*]] w1 %[[W1]] b1 %[[B1]] w2 %[[W2]] {alpha = 1.702000e+00 : f64, limit = 7.000000e+00 : f64, shift = 1.000000e+00 : f64}
// CHECK: %[[SPREAD:.*]] = nn.spread %[[GATES]], %[[IDS]]
// CHECK: %[[BIAS:.*]] = nn.contract {{.*}} %[[SPREAD]], %[[B2]]
// CHECK: nn.sum %[[Y]], %[[BIAS]]
nn.param @w1 : tensor<4x8x10xf32> init normal source <name = "w1", file = "f", offset = 0, type = tensor<4x8x10xf32>, file_size = 9999, digest = 0, base = 0, strides = [80, 10, 1], valid = [4, 8, 10]>
nn.param @b1 : tensor<4x10xf32> init normal source <name = "b1", file = "f", offset = 1280, type = tensor<4x10xf32>, file_size = 9999, digest = 0, base = 0, strides = [10, 1], valid = [4, 10]>
nn.param @w2 : tensor<4x5x8xf32> init normal source <name = "w2", file = "f", offset = 1440, type = tensor<4x5x8xf32>, file_size = 9999, digest = 0, base = 0, strides = [40, 8, 1], valid = [4, 5, 8]>
nn.param @b2 : tensor<4x8xf32> init normal source <name = "b2", file = "f", offset = 2080, type = tensor<4x8xf32>, file_size = 9999, digest = 0, base = 0, strides = [8, 1], valid = [4, 8]>
func.func @interleaved(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>) -> tensor<6x8xf32> {
  %ids = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x2xi32>
  %best = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %gates = nn.softmax %best : tensor<6x2xf32>
  %twice = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %xs = nn.reshape %twice : tensor<6x2x8xf32> -> tensor<12x1x8xf32>
  %pairs = nn.reshape %ids : tensor<6x2xi32> -> tensor<12xi32>
  %w1 = nn.read @w1 : tensor<4x8x10xf32>
  %rows1 = nn.reshape %w1 : tensor<4x8x10xf32> -> tensor<4x80xf32>
  %g1 = nn.embedding %pairs, %rows1 : tensor<12xi32>, tensor<4x80xf32> -> tensor<12x80xf32>
  %m1 = nn.reshape %g1 : tensor<12x80xf32> -> tensor<12x8x10xf32>
  %product = nn.contract "amk,akn->amn" %xs, %m1 : tensor<12x1x8xf32>, tensor<12x8x10xf32> -> tensor<12x1x10xf32>
  %flat1 = nn.reshape %product : tensor<12x1x10xf32> -> tensor<12x10xf32>
  %b1 = nn.read @b1 : tensor<4x10xf32>
  %gb1 = nn.embedding %pairs, %b1 : tensor<12xi32>, tensor<4x10xf32> -> tensor<12x10xf32>
  %u = nn.sum %flat1, %gb1 : tensor<12x10xf32>
  %gate = nn.slice %u at [0, 0] step [1, 2] : tensor<12x10xf32> -> tensor<12x5xf32>
  %up = nn.slice %u at [0, 1] step [1, 2] : tensor<12x10xf32> -> tensor<12x5xf32>
  %most = nn.constant dense<7.0> : tensor<12x5xf32>
  %least = nn.constant dense<-7.0> : tensor<12x5xf32>
  %isLarge = nn.compare le %most, %gate : tensor<12x5xf32> -> tensor<12x5xi1>
  %limited = nn.where %isLarge, %most, %gate : tensor<12x5xi1>, tensor<12x5xf32>
  %below = nn.max %up, %least : tensor<12x5xf32>
  %both = nn.min %below, %most : tensor<12x5xf32>
  %scaled = nn.scale %limited by 1.702 : tensor<12x5xf32>
  %sigmoid = nn.sigmoid %scaled : tensor<12x5xf32>
  %swish = nn.mul %limited, %sigmoid : tensor<12x5xf32>
  %one = nn.constant dense<1.0> : tensor<12x5xf32>
  %shifted = nn.sum %both, %one : tensor<12x5xf32>
  %a = nn.mul %shifted, %swish : tensor<12x5xf32>
  %as = nn.reshape %a : tensor<12x5xf32> -> tensor<12x1x5xf32>
  %w2 = nn.read @w2 : tensor<4x5x8xf32>
  %rows2 = nn.reshape %w2 : tensor<4x5x8xf32> -> tensor<4x40xf32>
  %g2 = nn.embedding %pairs, %rows2 : tensor<12xi32>, tensor<4x40xf32> -> tensor<12x40xf32>
  %m2 = nn.reshape %g2 : tensor<12x40xf32> -> tensor<12x5x8xf32>
  %z1 = nn.contract "amk,akn->amn" %as, %m2 : tensor<12x1x5xf32>, tensor<12x5x8xf32> -> tensor<12x1x8xf32>
  %z2 = nn.reshape %z1 : tensor<12x1x8xf32> -> tensor<12x8xf32>
  %b2 = nn.read @b2 : tensor<4x8xf32>
  %gb2 = nn.embedding %pairs, %b2 : tensor<12xi32>, tensor<4x8xf32> -> tensor<12x8xf32>
  %z = nn.sum %gb2, %z2 : tensor<12x8xf32>
  %flat = nn.reshape %gates : tensor<6x2xf32> -> tensor<12xf32>
  %factors = nn.broadcast %flat [0] : tensor<12xf32> -> tensor<12x8xf32>
  %weighted = nn.mul %factors, %z : tensor<12x8xf32>
  %terms = nn.reshape %weighted : tensor<12x8xf32> -> tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Separate projections for gate and up, without flat pairs.
// CHECK-LABEL: func.func @separate(
// CHECK: nn.experts gelu %{{.*}} ids %{{.*}} gates %{{.*}} w1 %{{.*}}, %{{.*}} w2 %{{.*}} : (tensor<6x8xf32>, tensor<6x2xi32>, tensor<6x2xf32>, tensor<4x1x5x8xf32>, tensor<4x1x5x8xf32>, tensor<4x8x5xf32>)
func.func @separate(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>, %wg: tensor<4x5x8xf32>,
    %wu: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %ids = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %gg = nn.embedding %ids, %wg : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %gu = nn.embedding %ids, %wu : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %gate = nn.contract "tkfh,tkh->tkf" %gg, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %up = nn.contract "tkfh,tkh->tkf" %gu, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %gelu = nn.gelu %gate : tensor<6x2x5xf32>
  %a = nn.mul %up, %gelu : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Ups, then gates: the halves become two operands, the gate first.
// CHECK-LABEL: func.func @gate_last(
// CHECK-SAME: %[[W1:[a-z0-9]+]]: tensor<4x10x8xf32>
// CHECK: %[[PARTS:.*]] = nn.reshape %[[W1]] : tensor<4x10x8xf32> -> tensor<4x2x5x8xf32>
// CHECK-DAG: %[[GATE:.*]] = nn.slice %[[PARTS]] at [0, 1, 0, 0]
// CHECK-DAG: %[[UP:.*]] = nn.slice %[[PARTS]] at [0, 0, 0, 0]
// CHECK: nn.experts relu %{{.*}} w1 %[[GATE]], %[[UP]] w2
func.func @gate_last(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>, %w1: tensor<4x10x8xf32>,
    %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %ids = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<6x2xi32>, tensor<4x10x8xf32> -> tensor<6x2x10x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<6x2x10x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x10xf32>
  %split = nn.reshape %u : tensor<6x2x10xf32> -> tensor<6x2x2x5xf32>
  %up = nn.select %split dim 2 index 0 : tensor<6x2x2x5xf32> -> tensor<6x2x5xf32>
  %gate = nn.select %split dim 2 index 1 : tensor<6x2x2x5xf32> -> tensor<6x2x5xf32>
  %relu = nn.relu %gate : tensor<6x2x5xf32>
  %a = nn.mul %up, %relu : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Not experts: the second product uses the experts of another choice.
// CHECK-LABEL: func.func @other_ids(
// CHECK-NOT: nn.experts
func.func @other_ids(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>, %others: tensor<6x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %ids = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x2xi32>
  %ids2 = nn.top_k %others : tensor<6x4xf32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %g2 = nn.embedding %ids2, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %a = nn.relu %u : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Not experts: the tokens are repeated in the order [k, t], not [t, k].
// CHECK-LABEL: func.func @other_order(
// CHECK-NOT: nn.experts
func.func @other_order(%x: tensor<2x8xf32>, %logits: tensor<2x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<2x8xf32> {
  %ids = nn.top_k %logits : tensor<2x4xf32> -> tensor<2x2xi32>
  %gates = nn.pick %logits, %ids : tensor<2x4xf32>, tensor<2x2xi32> -> tensor<2x2xf32>
  %xs = nn.broadcast %x [1, 2] : tensor<2x8xf32> -> tensor<2x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<2x2xi32>, tensor<4x5x8xf32> -> tensor<2x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<2x2xi32>, tensor<4x8x5xf32> -> tensor<2x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<2x2x5x8xf32>, tensor<2x2x8xf32> -> tensor<2x2x5xf32>
  %a = nn.relu %u : tensor<2x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<2x2x8x5xf32>, tensor<2x2x5xf32> -> tensor<2x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<2x2xf32> -> tensor<2x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<2x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<2x2x8xf32> -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// Not experts: the sum is over tokens, not over choices.
// CHECK-LABEL: func.func @other_sum(
// CHECK-NOT: nn.experts
func.func @other_sum(%x: tensor<2x8xf32>, %logits: tensor<2x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<2x8xf32> {
  %ids = nn.top_k %logits : tensor<2x4xf32> -> tensor<2x2xi32>
  %gates = nn.pick %logits, %ids : tensor<2x4xf32>, tensor<2x2xi32> -> tensor<2x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<2x8xf32> -> tensor<2x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<2x2xi32>, tensor<4x5x8xf32> -> tensor<2x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<2x2xi32>, tensor<4x8x5xf32> -> tensor<2x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<2x2x5x8xf32>, tensor<2x2x8xf32> -> tensor<2x2x5xf32>
  %a = nn.relu %u : tensor<2x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<2x2x8x5xf32>, tensor<2x2x5xf32> -> tensor<2x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<2x2xf32> -> tensor<2x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<2x2x8xf32>
  %y = nn.reduce %terms [0] : tensor<2x2x8xf32> -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

// Two choices in turn, of which the second excludes the first; the square of a
// relu, without a gate.
// CHECK-LABEL: func.func @in_turn(
// CHECK: %[[FIRST:.*]] = nn.top_k %{{.*}} : tensor<6x4xf32> -> tensor<6x1xi32>
// CHECK: %[[SECOND:.*]] = nn.top_k %{{.*}} : tensor<6x4xf32> -> tensor<6x1xi32>
// CHECK: %[[IDS:.*]] = nn.concat %[[FIRST]], %[[SECOND]] along 1
// CHECK: nn.experts relu2 %{{.*}} ids %[[IDS]] gates
func.func @in_turn(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %first = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x1xi32>
  %one = nn.constant dense<1.0> : tensor<6x1xf32>
  %mark = nn.spread %one, %first : tensor<6x1xf32>, tensor<6x1xi32> -> tensor<6x4xf32>
  %zero = nn.constant dense<0.0> : tensor<6x4xf32>
  %isChosen = nn.compare lt %zero, %mark : tensor<6x4xf32> -> tensor<6x4xi1>
  %least = nn.constant dense<0xFF800000> : tensor<6x4xf32>
  %others = nn.where %isChosen, %least, %logits : tensor<6x4xi1>, tensor<6x4xf32>
  %second = nn.top_k %others : tensor<6x4xf32> -> tensor<6x1xi32>
  %ids = nn.concat %first, %second along 1 : tensor<6x1xi32>, tensor<6x1xi32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %relu = nn.relu %u : tensor<6x2x5xf32>
  %a = nn.mul %relu, %relu : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Not experts: two routers may choose one expert twice.
// CHECK-LABEL: func.func @two_routers(
// CHECK-NOT: nn.experts
func.func @two_routers(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>, %others: tensor<6x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %first = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x1xi32>
  %second = nn.top_k %others : tensor<6x4xf32> -> tensor<6x1xi32>
  %ids = nn.concat %first, %second along 1 : tensor<6x1xi32>, tensor<6x1xi32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %a = nn.relu %u : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// -----

// Not experts: nn.experts has no limit of 0.
// CHECK-LABEL: func.func @limit_of_zero(
// CHECK-NOT: nn.experts
func.func @limit_of_zero(%x: tensor<6x8xf32>, %logits: tensor<6x4xf32>,
    %w1: tensor<4x5x8xf32>, %w2: tensor<4x8x5xf32>) -> tensor<6x8xf32> {
  %ids = nn.top_k %logits : tensor<6x4xf32> -> tensor<6x2xi32>
  %gates = nn.pick %logits, %ids : tensor<6x4xf32>, tensor<6x2xi32> -> tensor<6x2xf32>
  %xs = nn.broadcast %x [0, 2] : tensor<6x8xf32> -> tensor<6x2x8xf32>
  %g1 = nn.embedding %ids, %w1 : tensor<6x2xi32>, tensor<4x5x8xf32> -> tensor<6x2x5x8xf32>
  %g2 = nn.embedding %ids, %w2 : tensor<6x2xi32>, tensor<4x8x5xf32> -> tensor<6x2x8x5xf32>
  %u = nn.contract "tkfh,tkh->tkf" %g1, %xs : tensor<6x2x5x8xf32>, tensor<6x2x8xf32> -> tensor<6x2x5xf32>
  %most = nn.constant dense<0.0> : tensor<6x2x5xf32>
  %limited = nn.min %u, %most : tensor<6x2x5xf32>
  %a = nn.silu %limited : tensor<6x2x5xf32>
  %z = nn.contract "tkhf,tkf->tkh" %g2, %a : tensor<6x2x8x5xf32>, tensor<6x2x5xf32> -> tensor<6x2x8xf32>
  %factors = nn.broadcast %gates [0, 1] : tensor<6x2xf32> -> tensor<6x2x8xf32>
  %terms = nn.mul %z, %factors : tensor<6x2x8xf32>
  %y = nn.reduce %terms [1] : tensor<6x2x8xf32> -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}
