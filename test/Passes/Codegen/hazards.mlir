// State that is read and changed in one body: values needed later are copied
// first, dead ones are overwritten. --rt-verify runs on every case.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower,rt-verify)" | %unnumbered | FileCheck %s

// The old value is yielded to another buffer.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[T0]] to %arg0 : memref<4xf32> to memref<4xf32>
nn.param @w : tensor<4xf32> init one
pipe.output @old : tensor<4xf32> name "old"
pipe.task @t stage 0 update calls @t.body (@w) -> (@old, @w)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> into 0) {
  %e = nn.exp %w : tensor<4xf32>
  pipe.yield %w, %e : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// Two states are exchanged, and one of the old values is a result, too: one of
// them is copied.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.copy %arg0 to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %[[T0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg1 to %arg0 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[T0]] to %arg1 : memref<4xf32> to memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
pipe.output @o : tensor<4xf32> name "o"
pipe.task @t stage 0 update calls @t.body (@a, @b) -> (@o, @a, @b)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 0, tensor<4xf32> into 1) {
  pipe.yield %a, %b, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// Values shift along three states, and one state gets a new value. In the right
// order no temporary is needed: the state yielded first is overwritten last.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.copy %arg2 to %arg3 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg1 to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<4xf32> to memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
nn.state @c : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
pipe.task @t stage 0 forward_backward calls @t.body (@x, @c, @b, @a) -> (@c, @b, @a)
pipe.body @t.body (%x: tensor<4xf32>, %c: tensor<4xf32>, %b: tensor<4xf32>,
    %a: tensor<4xf32>)
    -> (tensor<4xf32> into 1, tensor<4xf32> into 2, tensor<4xf32> into 3) {
  pipe.yield %x, %c, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// In a cycle of three states, one is copied to a temporary.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %[[T0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg1 to %arg0 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg2 to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[T0]] to %arg2 : memref<4xf32> to memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
nn.state @c : tensor<4xf32> sum
pipe.task @t stage 0 update calls @t.body (@a, @b, @c) -> (@a, @b, @c)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32> into 0, tensor<4xf32> into 1, tensor<4xf32> into 2) {
  pipe.yield %b, %c, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// Two slices of a state go to other states, and the state gets another value:
// both slices are read first.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<8xf32>
// CHECK-NEXT: rt.launch @kernel.concat.0 ins(%arg1, %arg2 : memref<4xf32>, memref<4xf32>) outs(%[[T0]] : memref<8xf32>)
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %[[T0]] : memref<8xf32> to memref<2x4xf32>
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %arg0 : memref<2x4xf32> to memref<4xf32>
// CHECK-NEXT: %[[VIEW2:.*]] = rt.view %arg0 offset 4 : memref<2x4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[VIEW1]] to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[VIEW2]] to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[VIEW]] to %arg0 : memref<2x4xf32> to memref<2x4xf32>
nn.state @a : tensor<2x4xf32> sum
nn.state @b : tensor<4xf32> sum
nn.state @c : tensor<4xf32> sum
pipe.task @t stage 0 update calls @t.body (@a, @b, @c) -> (@a, @b, @c)
pipe.body @t.body (%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>)
    -> (tensor<2x4xf32> into 0, tensor<4xf32> into 1, tensor<4xf32> into 2) {
  %bc = nn.concat %b, %c along 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  %new = nn.reshape %bc : tensor<8xf32> -> tensor<2x4xf32>
  %p = nn.select %a dim 0 index 0 : tensor<2x4xf32> -> tensor<4xf32>
  %q = nn.select %a dim 0 index 1 : tensor<2x4xf32> -> tensor<4xf32>
  pipe.yield %new, %p, %q : tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A state's value goes to another state, and the state is cleared, last.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.copy %arg1 to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.zero %arg0 : memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
pipe.output @o : tensor<4xf32> name "o"
pipe.task @t stage 0 update calls @t.body (@a, @b) -> (@o, @a, @b)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %z = nn.constant dense<0.0> : tensor<4xf32>
  pipe.yield %b, %z, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// One value goes into two states and a result: it is computed in the result's
// buffer, and then copied to both states.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<4xf32>) outs(%arg3 : memref<4xf32>)
// CHECK-NEXT: rt.copy %arg3 to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg3 to %arg2 : memref<4xf32> to memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @o : tensor<4xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@x, @a, @b) -> (@o, @a, @b)
pipe.body @t.body (%x: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> into 1, tensor<4xf32> into 2) {
  %e = nn.exp %x : tensor<4xf32>
  pipe.yield %e, %e, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Each of two states gets the value computed in the buffer of the other: the
// two are exchanged.
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @k ins(%arg0 : memref<4xf32>) outs(%arg0 : memref<4xf32>) inplace [0]
// CHECK-NEXT: rt.launch @k ins(%arg1 : memref<4xf32>) outs(%arg1 : memref<4xf32>) inplace [0]
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %[[T0]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %arg1 to %arg0 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.copy %[[T0]] to %arg1 : memref<4xf32> to memref<4xf32>
nn.state @a : tensor<4xf32> sum
nn.state @b : tensor<4xf32> sum
pipe.task @t stage 0 update calls @t.body (@a, @b) -> (@a, @b)
pipe.body @t.body (%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32> into 0, tensor<4xf32> into 1) {
  %x = func.call @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  pipe.yield %y, %x : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A state is transposed into itself: the kernel must not write it while it is
// still read.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4x4xf32>
// CHECK-NEXT: rt.launch @kernel.transpose.0 ins(%arg0 : memref<4x4xf32>) outs(%[[T0]] : memref<4x4xf32>)
// CHECK-NEXT: rt.copy %[[T0]] to %arg0 : memref<4x4xf32> to memref<4x4xf32>
nn.state @a : tensor<4x4xf32> sum
pipe.task @t stage 0 update calls @t.body (@a) -> (@a)
pipe.body @t.body (%a: tensor<4x4xf32>) -> (tensor<4x4xf32> into 0) {
  %t = nn.transpose %a [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  pipe.yield %t : tensor<4x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A kernel may work in place, but its operand is read again.
nn.param @w : tensor<4xf32> init one
pipe.output @o : tensor<4xf32> name "o"
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<4xf32>
// CHECK-NEXT: rt.launch @k ins(%arg0 : memref<4xf32>) outs(%[[T0]] : memref<4xf32>)
// CHECK-NEXT: rt.launch @kernel.mul.0 ins(%arg0, %[[T0]] : memref<4xf32>, memref<4xf32>) outs(%arg1 : memref<4xf32>)
// CHECK-NEXT: rt.copy %[[T0]] to %arg0 : memref<4xf32> to memref<4xf32>
pipe.task @t stage 0 update calls @t.body (@w) -> (@o, @w)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> into 0) {
  %e = func.call @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %m = nn.mul %w, %e : tensor<4xf32>
  pipe.yield %m, %e : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A parameter must outlive the body: nothing overwrites it.
nn.param @w : tensor<4xf32> init one
pipe.output @o : tensor<4xf32> name "o"
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.launch @k ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
pipe.task @t stage 0 update calls @t.body (@w) -> (@o)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>) {
  %e = func.call @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
  pipe.yield %e : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A view extends its source's live range.
nn.param @w : tensor<2x4xf32> init one
pipe.input @input.x : tensor<2x4xf32> role data name "x"
pipe.output @o : tensor<8xf32> name "o"
func.func private @k(%a: tensor<2x4xf32>)
    -> (tensor<2x4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<2x4xf32>
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<2x4xf32>) outs(%[[T0]] : memref<2x4xf32>)
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %[[T0]] : memref<2x4xf32> to memref<8xf32>
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 64 : memref<2x4xf32>
// CHECK-NEXT: rt.launch @k ins(%[[T0]] : memref<2x4xf32>) outs(%[[T1]] : memref<2x4xf32>)
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %[[T1]] : memref<2x4xf32> to memref<8xf32>
// CHECK-NEXT: rt.launch @kernel.sum.0 ins(%[[VIEW]], %[[VIEW1]] : memref<8xf32>, memref<8xf32>) outs(%arg1 : memref<8xf32>)
pipe.task @t stage 0 forward_backward calls @t.body (@input.x) -> (@o)
pipe.body @t.body (%x: tensor<2x4xf32>) -> (tensor<8xf32>) {
  %a = nn.exp %x : tensor<2x4xf32>
  %v = nn.reshape %a : tensor<2x4xf32> -> tensor<8xf32>
  %b = func.call @k(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %w = nn.reshape %b : tensor<2x4xf32> -> tensor<8xf32>
  %s = nn.sum %v, %w : tensor<8xf32>
  pipe.yield %s : tensor<8xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Two reductions of one argument that must not change: copies are reduced.
nn.state @s : tensor<4xf32> sum
pipe.output @a : tensor<4xf32> name "a"
pipe.output @b : tensor<4xf32> name "b"
dist.mesh @mesh = <["dp"=2, "tp"=2]>
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.all_reduce sum %arg1 over ["dp"] : memref<4xf32>
// CHECK-NEXT: rt.copy %arg0 to %arg2 : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: rt.all_reduce sum %arg2 over ["tp"] : memref<4xf32>
pipe.task @t stage 0 update calls @t.body (@s) -> (@a, @b)
pipe.body @t.body (%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = dist.all_reduce sum %s over ["dp"] : tensor<4xf32>
  %q = dist.all_reduce sum %s over ["tp"] : tensor<4xf32>
  pipe.yield %r, %q : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }
