// Buffer assignment in a body: whose memory a result reuses, when a state must
// be copied, and which reductions are merged.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-split-accumulate,rt-lower,rt-verify)" \
// RUN:   | %unnumbered | FileCheck %s

// A state that is not changed before the last use of its old value is not
// copied, even if it is changed then.
nn.state @s : tensor<4xf32> sum
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg1 : memref<4xf32>) outs(%arg0 : memref<4xf32>)
pipe.task @t stage 0 update calls @t.body (@s) -> (@o, @s)
pipe.body @t.body (%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> into 0) {
  %e = nn.exp %s : tensor<4xf32>
  %f = nn.tanh %e : tensor<4xf32>
  pipe.yield %e, %f : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A result is computed in the state that it is written to,
nn.state @s : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
pipe.task @t stage 0 forward_backward calls @t.body (@x, @s) -> (@s)
pipe.body @t.body (%x: tensor<4xf32>, %s_before: tensor<4xf32>)
    -> (tensor<4xf32> into 1) {
  %e = nn.exp %x : tensor<4xf32>
  pipe.yield %e : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// but not if that is still read afterwards,
nn.state @s : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.mul.0 ins(%arg1, %[[T0]] : memref<4xf32>, memref<4xf32>) outs(%arg2 : memref<4xf32>)
// CHECK-NEXT: rt.copy %[[T0]] to %arg1 : memref<4xf32> to memref<4xf32>
pipe.task @t stage 0 forward_backward calls @t.body (@x, @s) -> (@o, @s)
pipe.body @t.body (%x: tensor<4xf32>, %s: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 1) {
  %e = nn.exp %x : tensor<4xf32>
  %m = nn.mul %s, %e : tensor<4xf32>
  pipe.yield %m, %e : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// if it is read in between,
nn.state @s : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg1 : memref<4xf32>) outs(%arg2 : memref<4xf32>)
// CHECK-NEXT: rt.copy %[[T0]] to %arg1 : memref<4xf32> to memref<4xf32>
pipe.task @t stage 0 forward_backward calls @t.body (@x, @s) -> (@o, @s)
pipe.body @t.body (%x: tensor<4xf32>, %s: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 1) {
  %e = nn.exp %x : tensor<4xf32>
  %m = nn.tanh %s : tensor<4xf32>
  pipe.yield %m, %e : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// or if the state gets another value while the result is needed.
nn.state @s : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.mul.0 ins(%[[T0]], %arg1 : memref<4xf32>, memref<4xf32>) outs(%arg2 : memref<4xf32>)
pipe.task @t stage 0 forward_backward calls @t.body (@x, @s) -> (@o, @s)
pipe.body @t.body (%x: tensor<4xf32>, %s_before: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 1) {
  %e = nn.exp %x : tensor<4xf32>
  %f = nn.tanh %x : tensor<4xf32>
  %m = nn.mul %e, %f : tensor<4xf32>
  pipe.yield %m, %f : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A result is computed in the buffer that it is yielded to, also through a
// reshape; yielded twice, it is copied once;
pipe.input @x : tensor<2x2xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
pipe.output @p : tensor<2x2xf32> name "p"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<2x2xf32>) outs(%arg2 : memref<2x2xf32>)
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %arg2 : memref<2x2xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[VIEW]] to %arg1 : memref<4xf32> to memref<4xf32>
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@o, @p)
pipe.body @t.body (%x: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %e = nn.exp %x : tensor<2x2xf32>
  %r = nn.reshape %e : tensor<2x2xf32> -> tensor<4xf32>
  pipe.yield %r, %e : tensor<4xf32>, tensor<2x2xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// and this is preferred to the buffer of an operand, from which it would be
// copied in the end: the operand is computed in the result's buffer, too.
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
// CHECK-NEXT: rt.launch @k ins(%arg1 : memref<4xf32>) outs(%arg1 : memref<4xf32>) inplace [0]{{$}}
// CHECK-NEXT: }
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@o)
pipe.body @t.body (%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %t = nn.tanh %x : tensor<4xf32>
  %e = func.call @k(%t) : (tensor<4xf32>) -> tensor<4xf32>
  pipe.yield %e : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A kernel works in place if its operand is dead, but not in an argument of the
// body, not if the operand is passed twice, and not in a larger buffer.
func.func private @k(%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.mul %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @k ins(%arg0, %arg0 : memref<4xf32>, memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 64 : memref<4xf32>
// CHECK-NEXT: rt.launch @k ins(%[[T0]], %[[T0]] : memref<4xf32>, memref<4xf32>) outs(%[[T1]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @k ins(%[[T1]], %arg0 : memref<4xf32>, memref<4xf32>) outs(%[[T1]] : memref<4xf32>) inplace [0]
// CHECK-NEXT: %[[T2:.*]] = rt.temporary at 0 : memref<8xf32>
// CHECK-NEXT: rt.launch @kernel.concat.0 ins(%[[T1]] : memref<4xf32>) outs(%[[T2]] : memref<8xf32>)
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %[[T2]] offset 4 : memref<8xf32> to memref<4xf32>
// CHECK-NEXT: %[[T3:.*]] = rt.temporary at 64 : memref<4xf32>
// CHECK-NEXT: rt.launch @k ins(%[[VIEW]], %arg0 : memref<4xf32>, memref<4xf32>) outs(%[[T3]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%[[T3]] : memref<4xf32>) outs(%arg1 : memref<4xf32>)
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@o)
pipe.body @t.body (%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %a = func.call @k(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @k(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = func.call @k(%b, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = nn.concat %c, %c along 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  %e = nn.slice %d at [4] step [1] : tensor<8xf32> -> tensor<4xf32>
  %f = func.call @k(%e, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = nn.exp %f : tensor<4xf32>
  pipe.yield %g : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// It works in place of a state if the result is the state's next value, or if
// that is written after the result's last use.
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
nn.state @s : tensor<4xf32> sum
nn.state @u : tensor<4xf32> sum
nn.state @v : tensor<4xf32> sum
pipe.output @o : tensor<4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @k ins(%arg0 : memref<4xf32>) outs(%arg0 : memref<4xf32>) inplace [0]
// CHECK-NEXT: rt.launch @k ins(%arg1 : memref<4xf32>) outs(%arg1 : memref<4xf32>) inplace [0]
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg1 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 64 : memref<4xf32>
// CHECK-NEXT: rt.launch @k ins(%arg2 : memref<4xf32>) outs(%[[T1]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.mul.0 ins(%[[T0]], %[[T1]] : memref<4xf32>, memref<4xf32>) outs(%arg3 : memref<4xf32>)
// CHECK-NEXT: rt.zero %arg1 : memref<4xf32>
pipe.task @t stage 0 update calls @t.body (@s, @u, @v) -> (@o, @s, @u)
pipe.body @t.body (%s: tensor<4xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %a = func.call @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @k(%u) : (tensor<4xf32>) -> tensor<4xf32>
  %c = nn.tanh %b : tensor<4xf32>
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %d = func.call @k(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %e = nn.mul %c, %d : tensor<4xf32>
  pipe.yield %e, %a, %zero : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// Slices and transposes are views if a GEMM can read them; for other ops a
// kernel copies them.
pipe.input @x : tensor<6x3x4xf32> role data name "x"
pipe.output @o : tensor<6x6xf32> name "o"
pipe.output @p : tensor<6x4xf32> name "p"
pipe.output @q : tensor<4x4xf32> name "q"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %arg0 offset 8 : memref<6x3x4xf32> to memref<6x4xf32, strided<[12, 1]>>
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<6x4xf32>
// CHECK-NEXT: rt.launch @kernel.select.0 ins(%arg0 : memref<6x3x4xf32>) outs(%[[T0]] : memref<6x4xf32>)
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %[[T0]] : memref<6x4xf32> to memref<4x6xf32, strided<[1, 4]>>
// CHECK-NEXT: rt.gemm %[[VIEW]], %[[VIEW1]], %arg1 as <m = 6, n = 6, k = 4, trans_b = true, lda = 12, ldb = 4, ldc = 6>
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 0 : memref<6x4xf32>
// CHECK-NEXT: rt.launch @kernel.select.1 ins(%arg0 : memref<6x3x4xf32>) outs(%[[T1]] : memref<6x4xf32>)
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%[[T1]] : memref<6x4xf32>) outs(%arg2 : memref<6x4xf32>)
// CHECK-NEXT: %[[VIEW2:.*]] = rt.view %arg0 offset 28 : memref<6x3x4xf32> to memref<2x2x4xf32, strided<[36, 4, 1]>>
// CHECK-NEXT: rt.gemm %[[VIEW2]], %[[VIEW2]], %arg3 as <m = 4, n = 4, k = 2, trans_a = true, lda = 36, ldb = 36, ldc = 4>
// CHECK-NEXT: %[[VIEW3:.*]] = rt.view %[[VIEW2]] offset 4 : memref<2x2x4xf32, strided<[36, 4, 1]>> to memref<40xf32>
// CHECK-NEXT: %[[VIEW4:.*]] = rt.view %[[VIEW2]] offset 4 : memref<2x2x4xf32, strided<[36, 4, 1]>> to memref<40xf32>
// CHECK-NEXT: rt.gemm %[[VIEW3]], %[[VIEW4]], %arg3 as <m = 4, n = 4, k = 2, trans_a = true, lda = 36, ldb = 36, ldc = 4, beta = 1.000000e+00 : f32>
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@o, @p, @q)
pipe.body @t.body (%x: tensor<6x3x4xf32>)
    -> (tensor<6x6xf32>, tensor<6x4xf32>, tensor<4x4xf32>) {
  %a = nn.select %x dim 1 index 2 : tensor<6x3x4xf32> -> tensor<6x4xf32>
  %b = nn.select %x dim 1 index 1 : tensor<6x3x4xf32> -> tensor<6x4xf32>
  %t = nn.transpose %b [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %o = nn.contract "mk,kn->mn" %a, %t : tensor<6x4xf32>, tensor<4x6xf32> -> tensor<6x6xf32>
  %c = nn.select %x dim 1 index 0 : tensor<6x3x4xf32> -> tensor<6x4xf32>
  %p = nn.exp %c : tensor<6x4xf32>
  %d = nn.slice %x at [2, 1, 0] step [3, 1, 1] : tensor<6x3x4xf32> -> tensor<2x2x4xf32>
  %q = nn.contract "abi,abj->ij" %d, %d : tensor<2x2x4xf32>, tensor<2x2x4xf32> -> tensor<4x4xf32>
  pipe.yield %o, %p, %q : tensor<6x6xf32>, tensor<6x4xf32>, tensor<4x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A contiguous slice is a view for every op.
pipe.input @x : tensor<6x3x4xf32> role data name "x"
pipe.output @p : tensor<3x4xf32> name "p"
pipe.output @q : tensor<2x3x4xf32> name "q"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %arg0 offset 24 : memref<6x3x4xf32> to memref<3x4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%[[VIEW]] : memref<3x4xf32>) outs(%arg1 : memref<3x4xf32>)
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %arg0 offset 36 : memref<6x3x4xf32> to memref<2x3x4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.1 ins(%[[VIEW1]] : memref<2x3x4xf32>) outs(%arg2 : memref<2x3x4xf32>)
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@p, @q)
pipe.body @t.body (%x: tensor<6x3x4xf32>)
    -> (tensor<3x4xf32>, tensor<2x3x4xf32>) {
  %a = nn.select %x dim 0 index 2 : tensor<6x3x4xf32> -> tensor<3x4xf32>
  %p = nn.exp %a : tensor<3x4xf32>
  %b = nn.slice %x at [3, 0, 0] step [1, 1, 1] : tensor<6x3x4xf32> -> tensor<2x3x4xf32>
  %q = nn.exp %b : tensor<2x3x4xf32>
  pipe.yield %p, %q : tensor<3x4xf32>, tensor<2x3x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A GEMM accumulates into the sum, from operands that are live until then; a
// result of another type, or with other uses, is added by a kernel.
nn.state @s : tensor<4x4xf32> sum
pipe.input @x : tensor<4x4xf32> role data name "x"
pipe.output @o : tensor<4x4xf32> name "o"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg0, %arg1 as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1.000000e+00 : f32>
// CHECK-NEXT: rt.gemm %arg0, %arg0, %arg2 as <m = 4, n = 4, k = 4, trans_b = true, lda = 4, ldb = 4, ldc = 4>
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4x4xbf16>
// CHECK-NEXT: rt.launch @kernel.cast.0 ins(%arg0 : memref<4x4xf32>) outs(%[[T0]] : memref<4x4xbf16>)
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 64 : memref<4x4xbf16>
// CHECK-NEXT: rt.gemm %[[T0]], %[[T0]], %[[T1]] as <m = 4, n = 4, k = 4, trans_b = true, lda = 4, ldb = 4, ldc = 4>
// CHECK-NEXT: %[[T2:.*]] = rt.temporary at 0 : memref<4x4xf32>
// CHECK-NEXT: rt.launch @kernel.cast.1 ins(%[[T1]] : memref<4x4xbf16>) outs(%[[T2]] : memref<4x4xf32>)
// CHECK-NEXT: %[[T3:.*]] = rt.temporary at 64 : memref<4x4xf32>
// CHECK-NEXT: rt.launch @kernel.sum.0 ins(%arg1, %arg2, %[[T2]] : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%[[T3]] : memref<4x4xf32>)
// CHECK-NEXT: rt.copy %[[T3]] to %arg1 : memref<4x4xf32> to memref<4x4xf32>
pipe.task @t stage 0 forward_backward calls @t.body (@x, @s) -> (@o, @s)
pipe.body @t.body (%x: tensor<4x4xf32>, %s_before: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> into 1) {
  %a = nn.contract "mk,kn->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %b = nn.contract "mk,nk->mn" %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %d = nn.cast %x : tensor<4x4xf32> -> tensor<4x4xbf16>
  %e = nn.contract "mk,nk->mn" %d, %d : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
  %s_sum = nn.sum %s_before, %b : tensor<4x4xf32>
  %s_sum1 = nn.sum %s_sum, %a : tensor<4x4xf32>
  %s_cast2 = nn.cast %e : tensor<4x4xbf16> -> tensor<4x4xf32>
  %s_sum2 = nn.sum %s_sum1, %s_cast2 : tensor<4x4xf32>
  pipe.yield %b, %s_sum2 : tensor<4x4xf32>, tensor<4x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Reductions of states move to the start and are merged if they are alike and
// the states are adjacent,
nn.state @a : tensor<4xf32> gradient
nn.state @b : tensor<2x2xf32> gradient
nn.state @c : tensor<4xf32> gradient
dist.mesh @mesh = <["dp"=2, "tp"=2]>
pipe.output @n : tensor<f32> name "n"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.all_reduce sum %arg0, %arg1, %arg2 over ["dp"] : memref<4xf32>, memref<2x2xf32>, memref<4xf32>
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<f32>
// CHECK-NEXT: rt.launch @kernel.sum_of_squares.0 ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<f32>)
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 64 : memref<f32>
// CHECK-NEXT: rt.launch @kernel.sum_of_squares.1 ins(%arg1 : memref<2x2xf32>) outs(%[[T1]] : memref<f32>)
// CHECK-NEXT: %[[T2:.*]] = rt.temporary at 128 : memref<f32>
// CHECK-NEXT: rt.launch @kernel.sum_of_squares.0 ins(%arg2 : memref<4xf32>) outs(%[[T2]] : memref<f32>)
// CHECK-NEXT: rt.launch @kernel.sum.0 ins(%[[T0]], %[[T1]], %[[T2]] : memref<f32>, memref<f32>, memref<f32>) outs(%arg3 : memref<f32>)
// CHECK-NEXT: rt.zero %arg0 : memref<4xf32>
// CHECK-NEXT: rt.zero %arg1 : memref<2x2xf32>
// CHECK-NEXT: rt.zero %arg2 : memref<4xf32>
pipe.task @t stage 0 update calls @t.body (@a, @b, @c) -> (@n, @a, @b, @c)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<2x2xf32>, %c: tensor<4xf32>)
    -> (tensor<f32>, tensor<4xf32> into 0, tensor<2x2xf32> into 1,
        tensor<4xf32> into 2) {
  %ra = dist.all_reduce sum %a over ["dp"] : tensor<4xf32>
  %na = nn.sum_of_squares %ra : tensor<4xf32> -> tensor<f32>
  %rb = dist.all_reduce sum %b over ["dp"] : tensor<2x2xf32>
  %nb = nn.sum_of_squares %rb : tensor<2x2xf32> -> tensor<f32>
  %rc = dist.all_reduce sum %c over ["dp"] : tensor<4xf32>
  %nc = nn.sum_of_squares %rc : tensor<4xf32> -> tensor<f32>
  %n = nn.sum %na, %nb, %nc : tensor<f32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  %y = nn.constant dense<0.0> : tensor<2x2xf32>
  pipe.yield %n, %z, %y,
      %z : tensor<f32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// not over other axes, nor by another reduction, nor of other elements, nor
// with a gap between.
nn.state @a : tensor<4xf32> gradient
nn.state @b : tensor<4xf32> gradient
nn.state @c : tensor<4xf32> gradient
nn.state @d : tensor<2xf64> gradient
nn.state @e : tensor<2xf64> gradient
nn.state @f : tensor<2xf64> gradient
dist.mesh @mesh = <["dp"=2, "tp"=2]>
pipe.output @n : tensor<f64> name "n"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.all_reduce sum %arg0 over ["dp"] : memref<4xf32>
// CHECK-NEXT: rt.all_reduce sum %arg1 over ["tp"] : memref<4xf32>
// CHECK-NEXT: rt.all_reduce max %arg2 over ["tp"] : memref<4xf32>
// CHECK-NEXT: rt.all_reduce max %arg3 over ["tp"] : memref<2xf64>
// CHECK-NEXT: rt.all_reduce max %arg4 over ["tp"] : memref<2xf64>
// CHECK-NEXT: rt.launch @kernel.reduce.0 ins(%arg5 : memref<2xf64>) outs(%arg6 : memref<f64>)
pipe.task @t stage 0 update calls @t.body
    (@a, @b, @c, @d, @f, @e) -> (@n, @a, @b, @c, @d, @f)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>,
        %d: tensor<2xf64>, %f: tensor<2xf64>, %e: tensor<2xf64>)
    -> (tensor<f64>, tensor<4xf32> into 0, tensor<4xf32> into 1,
        tensor<4xf32> into 2, tensor<2xf64> into 3, tensor<2xf64> into 4) {
  %ra = dist.all_reduce sum %a over ["dp"] : tensor<4xf32>
  %rb = dist.all_reduce sum %b over ["tp"] : tensor<4xf32>
  %rc = dist.all_reduce max %c over ["tp"] : tensor<4xf32>
  %rd = dist.all_reduce max %d over ["tp"] : tensor<2xf64>
  %rf = dist.all_reduce max %f over ["tp"] : tensor<2xf64>
  %n = nn.reduce %e [0] : tensor<2xf64> -> tensor<f64>
  pipe.yield %n, %ra, %rb, %rc, %rd, %rf
      : tensor<f64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf64>,
        tensor<2xf64>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// Reductions of gradient buckets stay separate, too, wherever they are: one
// collective per bucket.
nn.param @a : tensor<32xf32> init zero
nn.param @b : tensor<32xf32> init zero
nn.state @grad.a : tensor<32xf32> gradient of @a
nn.state @grad.b : tensor<32xf32> gradient of @b
dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.state @bucket.0.grad : tensor<1x32xf32> bucket members [@grad.a] at [0]
nn.state @bucket.1.grad : tensor<1x32xf32> bucket members [@grad.b] at [0]
nn.state @bucket.0.sum : tensor<1x16xf32> gradient of @bucket.0.grad
nn.state @bucket.1.sum : tensor<1x16xf32> gradient of @bucket.1.grad
pipe.output @n : tensor<1x16xf32> name "n"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.all_reduce sum %arg0 over ["tp"] : memref<1x16xf32>
// CHECK-NEXT: rt.all_reduce sum %arg1 over ["tp"] : memref<1x16xf32>
pipe.task @t stage 0 update calls @t.body
    (@bucket.0.sum, @bucket.1.sum) -> (@n)
pipe.body @t.body (%a: tensor<1x16xf32>, %b: tensor<1x16xf32>)
    -> (tensor<1x16xf32>) attributes {gives_up = array<i64: 0, 1>} {
  %ra = dist.all_reduce sum %a over ["tp"] : tensor<1x16xf32>
  %rb = dist.all_reduce sum %b over ["tp"] : tensor<1x16xf32>
  %s = nn.sum %ra, %rb : tensor<1x16xf32>
  pipe.yield %s : tensor<1x16xf32>
}
pipe.task @r stage 0 reduce_each calls @r.body
    (@bucket.0.grad, @bucket.1.grad, @bucket.0.sum, @bucket.1.sum)
    -> (@bucket.0.sum, @bucket.1.sum)
pipe.body @r.body (%a: tensor<1x32xf32>, %b: tensor<1x32xf32>,
                   %c: tensor<1x16xf32>, %d: tensor<1x16xf32>)
    -> (tensor<1x16xf32> into 2, tensor<1x16xf32> into 3) {
  %ra = dist.reduce_scatter %a dim 1 over ["dp"]
      : tensor<1x32xf32> -> tensor<1x16xf32>
  %rb = dist.reduce_scatter %b dim 1 over ["dp"]
      : tensor<1x32xf32> -> tensor<1x16xf32>
  pipe.yield %ra, %rb : tensor<1x16xf32>, tensor<1x16xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @r microbatch 0
  pipe.run @t
}

// -----

// Reductions across stages are not merged: one stage could merge reductions
// that another may not.
nn.state @a : tensor<4xf32> gradient
nn.state @b : tensor<4xf32> gradient
dist.mesh @mesh = <["pp"=2]>
pipe.output @n : tensor<4xf32> name "n"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.all_reduce sum %arg0 over ["pp"] : memref<4xf32>
// CHECK-NEXT: rt.copy %arg1 to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.all_reduce sum %arg2 over ["pp"] : memref<4xf32>
// CHECK-NEXT: rt.copy %arg2 to %arg1 : memref<4xf32> to memref<4xf32>
pipe.task @t stage 0 update calls @t.body (@a, @b) -> (@n, @a, @b)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %ra = dist.all_reduce sum %a over ["pp"] : tensor<4xf32>
  %rb = dist.all_reduce sum %b over ["pp"] : tensor<4xf32>
  pipe.yield %rb, %ra, %rb : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.task @u stage 1 update calls @u.body ()
pipe.body @u.body () {
  %c = nn.constant dense<1.0> : tensor<4xf32>
  %rc = dist.all_reduce sum %c over ["pp"] : tensor<4xf32>
  %d = nn.constant dense<2.0> : tensor<4xf32>
  %rd = dist.all_reduce sum %d over ["pp"] : tensor<4xf32>
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }
pipe.schedule train stage 1 microbatches 1 { pipe.run @u }

// -----

// Several small values are packed and reduced in one collective, in multiples
// of 64 bytes; large ones are reduced in place.
dist.mesh @mesh = <["tp"=2]>
pipe.input @x : tensor<3xf32> role data name "x"
pipe.input @y : tensor<17xf32> role data name "y"
pipe.input @z : tensor<16384xf32> role data name "z"
pipe.output @p : tensor<3xf32> name "p"
pipe.output @q : tensor<17xf32> name "q"
pipe.output @r : tensor<3xf32> name "r"
pipe.output @s : tensor<16384xf32> name "s"
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<48xf32>
// CHECK-NEXT: rt.zero %[[T0]] : memref<48xf32>
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %[[T0]] : memref<48xf32> to memref<3xf32>
// CHECK-NEXT: rt.copy %arg0 to %[[VIEW]] : memref<3xf32> to memref<3xf32>
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %[[T0]] offset 16 : memref<48xf32> to memref<17xf32>
// CHECK-NEXT: rt.copy %arg1 to %[[VIEW1]] : memref<17xf32> to memref<17xf32>
// CHECK-NEXT: rt.all_reduce sum %[[T0]] over ["tp"] : memref<48xf32>
// CHECK-NEXT: rt.copy %arg0 to %arg5 : memref<3xf32> to memref<3xf32>
// CHECK-NEXT: rt.all_reduce sum %arg5 over ["tp"] : memref<3xf32>
// CHECK-NEXT: rt.copy %arg2 to %arg6 : memref<16384xf32> to memref<16384xf32>
// CHECK-NEXT: rt.all_reduce sum %arg6 over ["tp"] : memref<16384xf32>
// CHECK-NEXT: rt.copy %[[VIEW]] to %arg3 : memref<3xf32> to memref<3xf32>
// CHECK-NEXT: rt.copy %[[VIEW1]] to %arg4 : memref<17xf32> to memref<17xf32>
pipe.task @t stage 0 forward_backward calls @t.body
    (@x, @y, @z) -> (@p, @q, @r, @s)
pipe.body @t.body (%x: tensor<3xf32>, %y: tensor<17xf32>, %z: tensor<16384xf32>)
    -> (tensor<3xf32>, tensor<17xf32>, tensor<3xf32>, tensor<16384xf32>) {
  %a:2 = dist.all_reduce sum %x, %y over ["tp"] : tensor<3xf32>, tensor<17xf32>
  %b:2 = dist.all_reduce sum %x, %z over ["tp"] : tensor<3xf32>, tensor<16384xf32>
  pipe.yield %a#0, %a#1, %b#0, %b#1 : tensor<3xf32>, tensor<17xf32>, tensor<3xf32>, tensor<16384xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }
