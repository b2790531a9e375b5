// An entry point requests the inputs of a microbatch while it computes the
// previous one.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower{overlap=true},rt-verify)" \
// RUN:   | %unnumbered | FileCheck %s
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower,rt-verify)" \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// BEFORE: rt.buffer @x : memref<2x4xf32> input at {{[0-9]+}} slots 6 layout
// BEFORE-NOT: rt.fill

// Two slots alternate: microbatch m + 2 is filled into the slot of microbatch m
// after its last read. In the last iteration there is no next microbatch;
// nothing reads its fill.
// CHECK: rt.buffer @x : memref<2x4xf32> input at {{[0-9]+}} slots 2 refilled layout
// A scalar of the whole step is filled before the step.
// CHECK: rt.buffer @lr : memref<f32> input at {{[0-9]+}} layout
// CHECK: rt.event @x.filled slots 2
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[X0:.*]] = rt.address @x : memref<2x4xf32>
// CHECK-NEXT: rt.fill %[[X0]] stream 1 : memref<2x4xf32>
// CHECK-NEXT: %[[E0:.*]] = rt.event_of @x.filled : !rt.event
// CHECK-NEXT: rt.record %[[E0]] stream 1
// CHECK-NEXT: rt.for %m = 0 to 6 {
// CHECK-NEXT: %[[NEXT:.*]] = rt.address @x slot %m + 1 : memref<2x4xf32>
// CHECK-NEXT: %[[I:.*]] = rt.event_of @issued : !rt.event
// CHECK-NEXT: rt.record %[[I]]{{$}}
// CHECK-NEXT: rt.wait %[[I]] stream 1
// CHECK-NEXT: rt.fill %[[NEXT]] stream 1 : memref<2x4xf32>
// CHECK-NEXT: %[[E1:.*]] = rt.event_of @x.filled slot %m + 1 : !rt.event
// CHECK-NEXT: rt.record %[[E1]] stream 1
// CHECK-NEXT: %[[X:.*]] = rt.address @x slot %m : memref<2x4xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act
// CHECK-NEXT: %[[E:.*]] = rt.event_of @x.filled slot %m : !rt.event
// CHECK-NEXT: rt.wait %[[E]]{{$}}
// CHECK-NEXT: rt.call @forward.0.body(%[[X]], %[[ACT]])
// CHECK: rt.call @backward.0.body(
// CHECK-NEXT: }
// CHECK: rt.call @update.0.body(
// CHECK-NEXT: %[[LAST:.*]] = rt.event_of @x.filled : !rt.event
// CHECK-NEXT: rt.wait %[[LAST]]{{$}}
// CHECK-NEXT: }
pipe.input @x : tensor<2x4xf32> role data name "x"
pipe.input @lr : tensor<f32> role lr name "lr"
pipe.value @act : tensor<2x4xf32>
nn.state @sum : tensor<2x4xf32> sum
pipe.output @loss : tensor<f32> name "loss"
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act)
pipe.body @forward.0.body (%x: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  %t = nn.tanh %x : tensor<2x4xf32>
  pipe.yield %t : tensor<2x4xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@act, @x, @sum) -> (@sum)
pipe.body @backward.0.body (%a: tensor<2x4xf32>, %x: tensor<2x4xf32>,
    %s: tensor<2x4xf32>) -> (tensor<2x4xf32> into 2) {
  %p = nn.mul %a, %x : tensor<2x4xf32>
  %n = nn.sum %s, %p : tensor<2x4xf32>
  pipe.yield %n : tensor<2x4xf32>
}
pipe.task @update.0 stage 0 update calls @update.0.body (@lr) -> (@loss)
pipe.body @update.0.body (%lr: tensor<f32>) -> (tensor<f32>) {
  pipe.yield %lr : tensor<f32>
}
pipe.schedule train stage 0 microbatches 6 {
  pipe.loop %m = 0 to 6 {
    pipe.run @forward.0 microbatch %m
    pipe.run @backward.0 microbatch %m
  }
  pipe.run @update.0
}

// -----

// If the inputs of all microbatches are live at once, each has a slot, and all
// are filled before the step.
// CHECK: rt.buffer @x : memref<2x4xf32> input at {{[0-9]+}} slots 6 layout
// CHECK-NOT: rt.fill
pipe.input @x : tensor<2x4xf32> role data name "x"
pipe.value @act : tensor<2x4xf32>
nn.state @sum : tensor<2x4xf32> sum
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act)
pipe.body @forward.0.body (%x: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
  %t = nn.tanh %x : tensor<2x4xf32>
  pipe.yield %t : tensor<2x4xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@act, @x, @sum) -> (@sum)
pipe.body @backward.0.body (%a: tensor<2x4xf32>, %x: tensor<2x4xf32>,
    %s: tensor<2x4xf32>) -> (tensor<2x4xf32> into 2) {
  %p = nn.mul %a, %x : tensor<2x4xf32>
  %n = nn.sum %s, %p : tensor<2x4xf32>
  pipe.yield %n : tensor<2x4xf32>
}
pipe.schedule train stage 0 microbatches 6 {
  pipe.loop %m = 0 to 6 {
    pipe.run @forward.0 microbatch %m
  }
  pipe.loop %m = 0 to 6 {
    pipe.run @backward.0 microbatch %m
  }
}
