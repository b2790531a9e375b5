// Two stages, a forward and a backward task each. A value is received just
// before the task that needs it and sent just after the task that computes it;
// a send and the receive after it are one exchange.
// RUN: pcc-opt %s -pipe-schedule="kind=1f1b microbatches=2" -pipe-check | %python %S/Inputs/expand.py | FileCheck %s
// RUN: pcc-opt %s -pipe-schedule="kind=gpipe microbatches=2" -pipe-check | %python %S/Inputs/expand.py | FileCheck --check-prefix=GPIPE %s

pipe.input @x : tensor<2xf32> role data name "x"
pipe.value @act : tensor<2xf32>
pipe.value @grad : tensor<2xf32>
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act)
pipe.body @forward.0.body (%x: tensor<2xf32>) -> (tensor<2xf32>) {
  %y = nn.tanh %x : tensor<2xf32>
  pipe.yield %y : tensor<2xf32>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body (@act)
pipe.body @forward.1.body (%y: tensor<2xf32>) {
  pipe.yield
}
pipe.task @backward.1 stage 1 backward calls @backward.1.body (@act) -> (@grad)
pipe.body @backward.1.body (%y: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %y : tensor<2xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@grad)
pipe.body @backward.0.body (%g: tensor<2xf32>) {
  pipe.yield
}

// At most two microbatches are live in stage 0, one in stage 1.
// CHECK: pipe.schedule train stage 0 microbatches 2 attributes {live = 2 : i64} {
// CHECK-NEXT: pipe.run @forward.0 microbatch 0
// CHECK-NEXT: pipe.send @act microbatch 0 to 1 channel 0
// CHECK-NEXT: pipe.run @forward.0 microbatch 1
// CHECK-NEXT: pipe.exchange @act microbatch 1 to 1 channel 0, @grad microbatch 0 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 0
// CHECK-NEXT: pipe.recv @grad microbatch 1 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 1
// CHECK-NEXT: }
// CHECK-NEXT: pipe.schedule train stage 1 microbatches 2 attributes {live = 1 : i64} {
// CHECK-NEXT: pipe.recv @act microbatch 0 from 0 channel 0
// CHECK-NEXT: pipe.run @forward.1 microbatch 0
// CHECK-NEXT: pipe.run @backward.1 microbatch 0
// CHECK-NEXT: pipe.exchange @grad microbatch 0 to 0 channel 1, @act microbatch 1 from 0 channel 0
// CHECK-NEXT: pipe.run @forward.1 microbatch 1
// CHECK-NEXT: pipe.run @backward.1 microbatch 1
// CHECK-NEXT: pipe.send @grad microbatch 1 to 0 channel 1
// CHECK-NEXT: }

// All forward tasks, then all backward tasks.
// GPIPE: pipe.schedule train stage 1 microbatches 2 attributes {live = 2 : i64} {
// GPIPE-NEXT: pipe.recv @act microbatch 0 from 0 channel 0
// GPIPE-NEXT: pipe.run @forward.1 microbatch 0
// GPIPE-NEXT: pipe.recv @act microbatch 1 from 0 channel 0
// GPIPE-NEXT: pipe.run @forward.1 microbatch 1
// GPIPE-NEXT: pipe.run @backward.1 microbatch 0
// GPIPE-NEXT: pipe.send @grad microbatch 0 to 0 channel 1
// GPIPE-NEXT: pipe.run @backward.1 microbatch 1
// GPIPE-NEXT: pipe.send @grad microbatch 1 to 0 channel 1
// GPIPE-NEXT: }
