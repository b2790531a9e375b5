// State that is read and changed in one task: what is needed later is copied
// first, what is dead is overwritten. --rt-verify runs on every one.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower,rt-verify)" | FileCheck %s

// The old value is yielded after the write.
nn.param @w : tensor<4xf32> init one
pipe.output @old : tensor<4xf32> name "old"
// CHECK-LABEL: rt.func @t(
pipe.task @t stage 0 update calls @t.body (@w) -> (@old, @w)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> into 0) {
  // CHECK: rt.copy %[[W:.*]] to %[[OLD:.*]] :
  // CHECK: rt.launch @kernel.exp.0 ins(%[[OLD]] : memref<4xf32>) outs(%[[W]] :
  %e = nn.exp %w : tensor<4xf32>
  pipe.yield %w, %e : tensor<4xf32>, tensor<4xf32>
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
// CHECK-LABEL: rt.func @t(
pipe.task @t stage 0 update calls @t.body (@w) -> (@o, @w)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> into 0) {
  // CHECK: rt.launch @k ins(%[[W:.*]] : memref<4xf32>) outs(%[[K:.*]] : memref<4xf32>)
  // CHECK-NOT: inplace
  %e = func.call @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: rt.launch @kernel.mul.0 ins(%[[W]], %[[K]]
  %m = nn.mul %w, %e : tensor<4xf32>
  // CHECK: rt.copy %[[K]] to %[[W]]
  pipe.yield %m, %e : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A parameter must outlive the task: nothing takes its place.
nn.param @w : tensor<4xf32> init one
pipe.output @o : tensor<4xf32> name "o"
func.func private @k(%a: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: rt.func @t(
pipe.task @t stage 0 update calls @t.body (@w) -> (@o)
pipe.body @t.body (%w: tensor<4xf32>) -> (tensor<4xf32>) {
  // CHECK: rt.launch @k ins(%{{.*}} : memref<4xf32>) outs(%arg0 : memref<4xf32>)
  // CHECK-NOT: inplace
  %e = func.call @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: rt.func @train
  pipe.yield %e : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

// A view keeps its source alive.
nn.param @w : tensor<2x4xf32> init one
pipe.input @input.x : tensor<2x4xf32> role data name "x"
pipe.output @o : tensor<8xf32> name "o"
func.func private @k(%a: tensor<2x4xf32>)
    -> (tensor<2x4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.exp %a : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
// CHECK-LABEL: rt.func @t(
pipe.task @t stage 0 forward_backward calls @t.body (@input.x) -> (@o)
pipe.body @t.body (%x: tensor<2x4xf32>) -> (tensor<8xf32>) {
  // CHECK: rt.launch @kernel.exp.0 {{.*}} outs(%[[A:.*]] : memref<2x4xf32>)
  %a = nn.exp %x : tensor<2x4xf32>
  // CHECK: %[[V:.*]] = rt.view %[[A]] : memref<2x4xf32> to memref<8xf32>
  %v = nn.reshape %a : tensor<2x4xf32> -> tensor<8xf32>
  // CHECK: rt.launch @k ins(%[[A]] : memref<2x4xf32>) outs(%[[B:.*]] : memref<2x4xf32>)
  // CHECK-NOT: inplace
  %b = func.call @k(%a) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[W:.*]] = rt.view %[[B]] : memref<2x4xf32> to memref<8xf32>
  // CHECK: rt.launch @kernel.sum.0 ins(%[[V]], %[[W]]
  %w = nn.reshape %b : tensor<2x4xf32> -> tensor<8xf32>
  %s = nn.sum %v, %w : tensor<8xf32>
  pipe.yield %s : tensor<8xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Two reductions of one read move to the start with it, once.
nn.state @s : tensor<4xf32> sum
pipe.output @a : tensor<4xf32> name "a"
pipe.output @b : tensor<4xf32> name "b"
dist.mesh @mesh = <["dp"=2, "tp"=2]>
// CHECK-LABEL: rt.func @t(
pipe.task @t stage 0 update calls @t.body (@s) -> (@a, @b)
pipe.body @t.body (%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: rt.copy %[[S:.*]] to %arg0
  // CHECK: rt.all_reduce sum %arg0 over ["dp"]
  // CHECK: rt.copy %[[S]] to %arg1
  // CHECK: rt.all_reduce sum %arg1 over ["tp"]
  %r = dist.all_reduce sum %s over ["dp"] : tensor<4xf32>
  %q = dist.all_reduce sum %s over ["tp"] : tensor<4xf32>
  pipe.yield %r, %q : tensor<4xf32>, tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }
