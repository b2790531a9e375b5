// Which operand's memory a kernel's result may reuse: rt.inplace.
// RUN: pcc-opt %s -split-input-file --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s

// An argument is overwritten by the result that is written to it, even if
// another would fit,
// CHECK-LABEL: pipe.body @own_place
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_sub(%g, %v, %w) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: pipe.yield %[[K0]] : tensor<4x8xf32>
pipe.body @own_place (%g: tensor<4x8xf32>, %v: tensor<4x8xf32>,
    %w: tensor<4x8xf32>) -> (tensor<4x8xf32> into 2) {
  %a = nn.sub %g, %v : tensor<4x8xf32>
  %n = nn.sub %a, %w : tensor<4x8xf32>
  pipe.yield %n : tensor<4x8xf32>
}

// -----

// not by a result that is written to another argument,
// CHECK-LABEL: pipe.body @other_place
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_sub(%w, %g) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: pipe.yield %[[K0]] : tensor<4x8xf32>
pipe.body @other_place (%g: tensor<4x8xf32>, %v: tensor<4x8xf32>,
    %w: tensor<4x8xf32>) -> (tensor<4x8xf32> into 1) {
  %n = nn.sub %w, %g : tensor<4x8xf32>
  pipe.yield %n : tensor<4x8xf32>
}

// -----

// and not by other results: they have separate buffers.
// CHECK-LABEL: pipe.body @no_place
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_exp(%w) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[CONSTANT:.*]] = nn.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: pipe.yield %[[K0]], %[[CONSTANT]] : tensor<4x8xf32>, tensor<4x8xf32>
pipe.body @no_place (%w: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32> into 0) {
  %n = nn.exp %w : tensor<4x8xf32>
  %z = nn.constant dense<0.0> : tensor<4x8xf32>
  pipe.yield %n, %z : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A chain of in-place sums that is written to an argument is in its buffer from
// the first sum on, so the last sum may be in place, too.
// CHECK-LABEL: pipe.body @on_the_way
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_sum(%w, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %x, %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[K0]], %[[CONTRACT]] {rt.adds_in_place} : tensor<4x8xf32>
// CHECK-NEXT: %[[K1:.*]] = func.call @kernel_1_exp_sum(%x, %[[SUM]]) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: pipe.yield %[[K1]] : tensor<4x8xf32>
pipe.body @on_the_way (%x: tensor<4x8xf32>, %y: tensor<8x8xf32>,
    %w: tensor<4x8xf32>) -> (tensor<4x8xf32> into 2) {
  %a = nn.sum %w, %x : tensor<4x8xf32>
  %p = nn.contract "mk,kn->mn" %x, %y : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %b = nn.sum %a, %p {rt.adds_in_place} : tensor<4x8xf32>
  %e = nn.exp %x : tensor<4x8xf32>
  %c = nn.sum %b, %e : tensor<4x8xf32>
  pipe.yield %c : tensor<4x8xf32>
}

// -----

// A value with no other use is preferred to one with uses, and that to an
// argument.
// CHECK-LABEL: func.func @dies(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %arg0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,nk->mn" %arg0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_sub(%arg0, %[[CONTRACT]], %[[CONTRACT1]]) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]], %[[CONTRACT]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 2 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUB1:.*]] = nn.sub %[[SUB]], %arg2 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB1]] : tensor<4x8xf32>
func.func @dies(%x: tensor<4x8xf32>, %k: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %used = nn.contract "mk,kn->mn" %x, %k : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %dies = nn.contract "mk,nk->mn" %x, %k : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %a = nn.sub %x, %used : tensor<4x8xf32>
  %b = nn.sub %a, %dies : tensor<4x8xf32>
  return %b, %used : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @used(
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %arg0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_sub(%arg0, %[[CONTRACT]]) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]], %[[CONTRACT]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]] : tensor<4x8xf32>
func.func @used(%x: tensor<4x8xf32>, %k: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %used = nn.contract "mk,kn->mn" %x, %k : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %a = nn.sub %x, %used : tensor<4x8xf32>
  return %a, %used : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Of two equally good operands, the first is reused.
// CHECK-LABEL: func.func @first(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_sub(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<4x8xf32>
// CHECK: func.func private @kernel_0_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]] : tensor<4x8xf32>
func.func @first(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = nn.sub %x, %y : tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

// Two results do not reuse the same operand.
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: %[[K0:.*]]:3 = call @kernel_0_sub_mul_div(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: return %[[K0]]#0, %[[K0]]#1, %[[K0]]#2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_sub_mul_div(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}, tensor<4x8xf32> {rt.inplace = 1 : i64}, tensor<4x8xf32>) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = nn.mul %[[SUB]], %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[DIV:.*]] = nn.div %[[MUL]], %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]], %[[MUL]], %[[DIV]] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
func.func @two(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.sub %x, %y : tensor<4x8xf32>
  %b = nn.mul %a, %x : tensor<4x8xf32>
  %c = nn.div %b, %y : tensor<4x8xf32>
  return %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The operand must have as many elements of the same type; the shape does not
// matter.
// CHECK-LABEL: func.func @size(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_cast(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_sum(%arg1, %arg2) : (tensor<8xf32>, tensor<32xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]], %[[K1]] : tensor<4x8xbf16>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_cast(%arg0: tensor<4x8xf32>) -> tensor<4x8xbf16> attributes {rt.kernel}
// CHECK-NEXT: %[[CAST:.*]] = nn.cast %arg0 : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NEXT: return %[[CAST]] : tensor<4x8xbf16>
// CHECK: func.func private @kernel_1_sum(%arg0: tensor<8xf32>, %arg1: tensor<32xf32>) -> (tensor<4x8xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[BROADCAST:.*]] = nn.broadcast %arg0 [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[RESHAPE:.*]] = nn.reshape %arg1 : tensor<32xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[BROADCAST]], %[[RESHAPE]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<4x8xf32>
func.func @size(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %z: tensor<32xf32>)
    -> (tensor<4x8xbf16>, tensor<4x8xf32>) {
  %b = nn.broadcast %y [1] : tensor<8xf32> -> tensor<4x8xf32>
  %c = nn.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
  %r = nn.reshape %z : tensor<32xf32> -> tensor<4x8xf32>
  %s = nn.sum %b, %r : tensor<4x8xf32>
  return %c, %s : tensor<4x8xbf16>, tensor<4x8xf32>
}

// -----

// Not in place if elements are read at other indices than the written one,
// CHECK-LABEL: func.func @moved(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_exp(%arg0) : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<4x4x8xf32>
// CHECK: func.func private @kernel_0_exp(%arg0: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg0 [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %[[TRANSPOSE]] : tensor<4x4x8xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<4x4x8xf32>
func.func @moved(%x: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> {
  %t = nn.transpose %x [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  %e = nn.exp %t : tensor<4x4x8xf32>
  return %e : tensor<4x4x8xf32>
}

// -----

// at a computed index,
// CHECK-LABEL: func.func @gathered(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_embedding(%arg0, %arg1) : (tensor<4xi64>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<4x8xf32>
// CHECK: func.func private @kernel_0_embedding(%arg0: tensor<4xi64>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[EMBEDDING:.*]] = nn.embedding %arg0, %arg1 : tensor<4xi64>, tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[EMBEDDING]] : tensor<4x8xf32>
func.func @gathered(%ids: tensor<4xi64>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = nn.embedding %ids, %x : tensor<4xi64>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// -----

// or in a later pass: %a is written before the rows' sums are known.
// CHECK-LABEL: func.func @later(
// CHECK-NEXT: %[[K0:.*]]:2 = call @kernel_0_softmax_mul_sum(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: return %[[K0]]#0, %[[K0]]#1 : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_softmax_mul_sum(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SOFTMAX:.*]] = nn.softmax %arg1 : tensor<4x8xf32>
// CHECK-NEXT: %[[MUL:.*]] = nn.mul %[[SOFTMAX]], %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[MUL]], %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[EXP]], %[[SUM]] : tensor<4x8xf32>, tensor<4x8xf32>
func.func @later(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.exp %x : tensor<4x8xf32>
  %s = nn.softmax %y : tensor<4x8xf32>
  %t = nn.mul %s, %x : tensor<4x8xf32>
  %b = nn.sum %t, %a : tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A result per row overwrites an operand per row.
// CHECK-LABEL: func.func @per_row(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce_sum(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[K0]] : tensor<4xf32>
// CHECK: func.func private @kernel_0_reduce_sum(%arg0: tensor<4x8xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[REDUCE]], %arg1 : tensor<4xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<4xf32>
func.func @per_row(%x: tensor<4x8xf32>, %r: tensor<4xf32>)
    -> tensor<4xf32> {
  %s = nn.reduce %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b = nn.sum %s, %r : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// A column sum reuses the buffer of its addend, which is read at the end.
// CHECK-LABEL: func.func @column_sum(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_reduce_sum(%arg0, %arg1) : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<8xf32>
// CHECK: func.func private @kernel_0_reduce_sum(%arg0: tensor<6x8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[REDUCE:.*]] = nn.reduce %arg0 [0] : tensor<6x8xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %arg1, %[[REDUCE]] : tensor<8xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<8xf32>
func.func @column_sum(%x: tensor<6x8xf32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %s = nn.reduce %x [0] : tensor<6x8xf32> -> tensor<8xf32>
  %b = nn.sum %old, %s : tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// The table that rows are added to is overwritten, on either side of the sum,
// CHECK-LABEL: func.func @table(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_embedding_grad_sum(%arg0, %arg1, %arg2) : (tensor<6x8xf32>, tensor<6xi64>, tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<6x8xf32>
// CHECK: func.func private @kernel_0_embedding_grad_sum(%arg0: tensor<6x8xf32>, %arg1: tensor<6xi64>, %arg2: tensor<6x8xf32>) -> (tensor<6x8xf32> {rt.inplace = 2 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EMBEDDING_GRAD:.*]] = nn.embedding_grad %arg0, %arg1 : tensor<6x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[EMBEDDING_GRAD]], %arg2 : tensor<6x8xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<6x8xf32>
func.func @table(%dy: tensor<6x8xf32>, %ids: tensor<6xi64>, %old: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %g = nn.embedding_grad %dy, %ids : tensor<6x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
  %b = nn.sum %g, %old : tensor<6x8xf32>
  return %b : tensor<6x8xf32>
}

// -----

// but not the operand that the rows come from.
// CHECK-LABEL: func.func @table_of_itself(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_embedding_grad_sum(%arg0, %arg1) : (tensor<6x8xf32>, tensor<6xi64>) -> tensor<6x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<6x8xf32>
// CHECK: func.func private @kernel_0_embedding_grad_sum(%arg0: tensor<6x8xf32>, %arg1: tensor<6xi64>) -> tensor<6x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[EMBEDDING_GRAD:.*]] = nn.embedding_grad %arg0, %arg1 : tensor<6x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %arg0, %[[EMBEDDING_GRAD]] : tensor<6x8xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<6x8xf32>
func.func @table_of_itself(%dy: tensor<6x8xf32>, %ids: tensor<6xi64>) -> tensor<6x8xf32> {
  %g = nn.embedding_grad %dy, %ids : tensor<6x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
  %b = nn.sum %dy, %g : tensor<6x8xf32>
  return %b : tensor<6x8xf32>
}

// -----

// Both elements of a pair are read before either is written, in the row itself
// CHECK-LABEL: func.func @rope(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_rope(%arg0, %arg1) : (tensor<2x3x2x8xf32>, tensor<3xi64>) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<2x3x2x8xf32>
// CHECK: func.func private @kernel_0_rope(%arg0: tensor<2x3x2x8xf32>, %arg1: tensor<3xi64>) -> (tensor<2x3x2x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[ROPE:.*]] = nn.rope %arg0 positions %arg1 theta 1.000000e+04 dim 8 : tensor<2x3x2x8xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[ROPE]] : tensor<2x3x2x8xf32>
func.func @rope(%x: tensor<2x3x2x8xf32>, %at: tensor<3xi64>) -> tensor<2x3x2x8xf32> {
  %r = nn.rope %x positions %at theta 1.0e4 dim 8 : tensor<2x3x2x8xf32>, tensor<3xi64>
  return %r : tensor<2x3x2x8xf32>
}

// -----

// but not in another.
// CHECK-LABEL: func.func @rope_moved(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_rope(%arg0, %arg1) : (tensor<2x2x2x8xf32>, tensor<2xi64>) -> tensor<2x2x2x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<2x2x2x8xf32>
// CHECK: func.func private @kernel_0_rope(%arg0: tensor<2x2x2x8xf32>, %arg1: tensor<2xi64>) -> tensor<2x2x2x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg0 [1, 0, 2, 3] : tensor<2x2x2x8xf32> -> tensor<2x2x2x8xf32>
// CHECK-NEXT: %[[ROPE:.*]] = nn.rope %[[TRANSPOSE]] positions %arg1 theta 1.000000e+04 dim 8 : tensor<2x2x2x8xf32>, tensor<2xi64>
// CHECK-NEXT: return %[[ROPE]] : tensor<2x2x2x8xf32>
func.func @rope_moved(%x: tensor<2x2x2x8xf32>, %at: tensor<2xi64>) -> tensor<2x2x2x8xf32> {
  %t = nn.transpose %x [1, 0, 2, 3] : tensor<2x2x2x8xf32> -> tensor<2x2x2x8xf32>
  %r = nn.rope %t positions %at theta 1.0e4 dim 8 : tensor<2x2x2x8xf32>, tensor<2xi64>
  return %r : tensor<2x2x2x8xf32>
}
