// Three stages. A value for a distant stage passes through the stages between;
// a value for several stages is sent once. Values of the whole step are
// exchanged between pairs of stages in one order, before their users run.
// Evaluations have separate schedules, and counts come before everything else.
// RUN: pcc-opt %s -pipe-schedule="kind=1f1b microbatches=4" -pipe-check | %python %S/Inputs/expand.py | FileCheck %s
// RUN: pcc-opt %s -pipe-schedule="kind=gpipe microbatches=2" -pipe-check | %python %S/Inputs/expand.py | FileCheck %s --check-prefix=GPIPE
// RUN: pcc-opt %s -pipe-schedule -pipe-check | %python %S/Inputs/expand.py | FileCheck %s --check-prefix=ONE

// Later stages hold fewer microbatches.
// CHECK: pipe.schedule train stage 0 microbatches 4 attributes {live = 3 : i64} {
// CHECK-NEXT: pipe.run @forward.0 microbatch 0
// CHECK-NEXT: pipe.send @near microbatch 0 to 1 channel 0
// CHECK-NEXT: pipe.send @far microbatch 0 to 1 channel 0
// CHECK-NEXT: pipe.run @forward.0 microbatch 1
// CHECK-NEXT: pipe.send @near microbatch 1 to 1 channel 0
// CHECK-NEXT: pipe.send @far microbatch 1 to 1 channel 0
// CHECK-NEXT: pipe.run @forward.0 microbatch 2
// CHECK-NEXT: pipe.send @near microbatch 2 to 1 channel 0
// CHECK-NEXT: pipe.send @far microbatch 2 to 1 channel 0
// CHECK-NEXT: pipe.recv @dnear microbatch 0 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 0
// CHECK-NEXT: pipe.run @forward.0 microbatch 3
// CHECK-NEXT: pipe.send @near microbatch 3 to 1 channel 0
// CHECK-NEXT: pipe.send @far microbatch 3 to 1 channel 0
// CHECK-NEXT: pipe.recv @dnear microbatch 1 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 1
// CHECK-NEXT: pipe.recv @dnear microbatch 2 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 2
// CHECK-NEXT: pipe.recv @dnear microbatch 3 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 3
// CHECK-NEXT: pipe.run @tied.0
// CHECK-NEXT: pipe.send @other0 microbatch 0 to 1 channel 2
// CHECK-NEXT: pipe.exchange @tied0 microbatch 0 to 2 channel 2, @tied2 microbatch 0 from 2 channel 2
// CHECK-NEXT: pipe.send @other0 microbatch 0 to 2 channel 2
// CHECK-NEXT: pipe.run @update.0
// CHECK: pipe.schedule train stage 1 microbatches 4 attributes {live = 2 : i64} {
// CHECK-NEXT: pipe.recv @near microbatch 0 from 0 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 0 from 0 channel 0
// CHECK-NEXT: pipe.run @forward.1 microbatch 0
// CHECK-NEXT: pipe.send @mid microbatch 0 to 2 channel 0
// CHECK-NEXT: pipe.send @far microbatch 0 to 2 channel 0
// CHECK-NEXT: pipe.recv @near microbatch 1 from 0 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 1 from 0 channel 0
// CHECK-NEXT: pipe.run @forward.1 microbatch 1
// CHECK-NEXT: pipe.send @mid microbatch 1 to 2 channel 0
// CHECK-NEXT: pipe.send @far microbatch 1 to 2 channel 0
// CHECK-NEXT: pipe.recv @dmid microbatch 0 from 2 channel 1
// CHECK-NEXT: pipe.recv @dfar microbatch 0 from 2 channel 1
// CHECK-NEXT: pipe.run @backward.1 microbatch 0
// CHECK-NEXT: pipe.recv @near microbatch 2 from 0 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 2 from 0 channel 0
// CHECK-NEXT: pipe.send @dnear microbatch 0 to 0 channel 1
// CHECK-NEXT: pipe.run @forward.1 microbatch 2
// CHECK-NEXT: pipe.send @mid microbatch 2 to 2 channel 0
// CHECK-NEXT: pipe.send @far microbatch 2 to 2 channel 0
// CHECK-NEXT: pipe.recv @dmid microbatch 1 from 2 channel 1
// CHECK-NEXT: pipe.recv @dfar microbatch 1 from 2 channel 1
// CHECK-NEXT: pipe.run @backward.1 microbatch 1
// CHECK-NEXT: pipe.recv @near microbatch 3 from 0 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 3 from 0 channel 0
// CHECK-NEXT: pipe.send @dnear microbatch 1 to 0 channel 1
// CHECK-NEXT: pipe.run @forward.1 microbatch 3
// CHECK-NEXT: pipe.send @mid microbatch 3 to 2 channel 0
// CHECK-NEXT: pipe.send @far microbatch 3 to 2 channel 0
// CHECK-NEXT: pipe.recv @dmid microbatch 2 from 2 channel 1
// CHECK-NEXT: pipe.recv @dfar microbatch 2 from 2 channel 1
// CHECK-NEXT: pipe.run @backward.1 microbatch 2
// CHECK-NEXT: pipe.send @dnear microbatch 2 to 0 channel 1
// CHECK-NEXT: pipe.recv @dmid microbatch 3 from 2 channel 1
// CHECK-NEXT: pipe.recv @dfar microbatch 3 from 2 channel 1
// CHECK-NEXT: pipe.run @backward.1 microbatch 3
// CHECK-NEXT: pipe.send @dnear microbatch 3 to 0 channel 1
// CHECK-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// CHECK-NEXT: pipe.run @update.1
// CHECK: pipe.schedule train stage 2 microbatches 4 attributes {live = 1 : i64} {
// CHECK-NEXT: pipe.run @counts.2 microbatch 0
// CHECK-NEXT: pipe.run @counts.2 microbatch 1
// CHECK-NEXT: pipe.run @counts.2 microbatch 2
// CHECK-NEXT: pipe.run @counts.2 microbatch 3
// CHECK-NEXT: pipe.recv @mid microbatch 0 from 1 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 0 from 1 channel 0
// CHECK-NEXT: pipe.run @forward.2 microbatch 0
// CHECK-NEXT: pipe.run @backward.2 microbatch 0
// CHECK-NEXT: pipe.recv @mid microbatch 1 from 1 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 1 from 1 channel 0
// CHECK-NEXT: pipe.send @dmid microbatch 0 to 1 channel 1
// CHECK-NEXT: pipe.send @dfar microbatch 0 to 1 channel 1
// CHECK-NEXT: pipe.run @forward.2 microbatch 1
// CHECK-NEXT: pipe.run @backward.2 microbatch 1
// CHECK-NEXT: pipe.recv @mid microbatch 2 from 1 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 2 from 1 channel 0
// CHECK-NEXT: pipe.send @dmid microbatch 1 to 1 channel 1
// CHECK-NEXT: pipe.send @dfar microbatch 1 to 1 channel 1
// CHECK-NEXT: pipe.run @forward.2 microbatch 2
// CHECK-NEXT: pipe.run @backward.2 microbatch 2
// CHECK-NEXT: pipe.recv @mid microbatch 3 from 1 channel 0
// CHECK-NEXT: pipe.recv @far microbatch 3 from 1 channel 0
// CHECK-NEXT: pipe.send @dmid microbatch 2 to 1 channel 1
// CHECK-NEXT: pipe.send @dfar microbatch 2 to 1 channel 1
// CHECK-NEXT: pipe.run @forward.2 microbatch 3
// CHECK-NEXT: pipe.run @backward.2 microbatch 3
// CHECK-NEXT: pipe.send @dmid microbatch 3 to 1 channel 1
// CHECK-NEXT: pipe.send @dfar microbatch 3 to 1 channel 1
// CHECK-NEXT: pipe.run @tied.2
// CHECK-NEXT: pipe.exchange @tied2 microbatch 0 to 0 channel 2, @tied0 microbatch 0 from 0 channel 2
// CHECK-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// CHECK-NEXT: pipe.run @update.2
// CHECK: pipe.schedule evaluate stage 0 microbatches 4 {
// CHECK-NEXT: pipe.run @evaluate.0 microbatch 0
// CHECK-NEXT: pipe.send @enear microbatch 0 to 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.0 microbatch 1
// CHECK-NEXT: pipe.send @enear microbatch 1 to 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.0 microbatch 2
// CHECK-NEXT: pipe.send @enear microbatch 2 to 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.0 microbatch 3
// CHECK-NEXT: pipe.send @enear microbatch 3 to 1 channel 0
// CHECK-NEXT: pipe.run @evaluate_result.0
// CHECK: pipe.schedule evaluate stage 1 microbatches 4 {
// CHECK-NEXT: pipe.recv @enear microbatch 0 from 0 channel 0
// CHECK-NEXT: pipe.run @evaluate.1 microbatch 0
// CHECK-NEXT: pipe.send @enear microbatch 0 to 2 channel 0
// CHECK-NEXT: pipe.recv @enear microbatch 1 from 0 channel 0
// CHECK-NEXT: pipe.run @evaluate.1 microbatch 1
// CHECK-NEXT: pipe.send @enear microbatch 1 to 2 channel 0
// CHECK-NEXT: pipe.recv @enear microbatch 2 from 0 channel 0
// CHECK-NEXT: pipe.run @evaluate.1 microbatch 2
// CHECK-NEXT: pipe.send @enear microbatch 2 to 2 channel 0
// CHECK-NEXT: pipe.recv @enear microbatch 3 from 0 channel 0
// CHECK-NEXT: pipe.run @evaluate.1 microbatch 3
// CHECK-NEXT: pipe.send @enear microbatch 3 to 2 channel 0
// CHECK: pipe.schedule evaluate stage 2 microbatches 4 {
// CHECK-NEXT: pipe.recv @enear microbatch 0 from 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.2 microbatch 0
// CHECK-NEXT: pipe.recv @enear microbatch 1 from 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.2 microbatch 1
// CHECK-NEXT: pipe.recv @enear microbatch 2 from 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.2 microbatch 2
// CHECK-NEXT: pipe.recv @enear microbatch 3 from 1 channel 0
// CHECK-NEXT: pipe.run @evaluate.2 microbatch 3

// All forward tasks, then all backward tasks: all microbatches are held.
// GPIPE: pipe.schedule train stage 0 microbatches 2 attributes {live = 2 : i64} {
// GPIPE-NEXT: pipe.run @forward.0 microbatch 0
// GPIPE-NEXT: pipe.send @near microbatch 0 to 1 channel 0
// GPIPE-NEXT: pipe.send @far microbatch 0 to 1 channel 0
// GPIPE-NEXT: pipe.run @forward.0 microbatch 1
// GPIPE-NEXT: pipe.send @near microbatch 1 to 1 channel 0
// GPIPE-NEXT: pipe.send @far microbatch 1 to 1 channel 0
// GPIPE-NEXT: pipe.recv @dnear microbatch 0 from 1 channel 1
// GPIPE-NEXT: pipe.run @backward.0 microbatch 0
// GPIPE-NEXT: pipe.recv @dnear microbatch 1 from 1 channel 1
// GPIPE-NEXT: pipe.run @backward.0 microbatch 1
// GPIPE-NEXT: pipe.run @tied.0
// GPIPE-NEXT: pipe.send @other0 microbatch 0 to 1 channel 2
// GPIPE-NEXT: pipe.exchange @tied0 microbatch 0 to 2 channel 2, @tied2 microbatch 0 from 2 channel 2
// GPIPE-NEXT: pipe.send @other0 microbatch 0 to 2 channel 2
// GPIPE-NEXT: pipe.run @update.0
// GPIPE: pipe.schedule train stage 1 microbatches 2 attributes {live = 2 : i64} {
// GPIPE-NEXT: pipe.recv @near microbatch 0 from 0 channel 0
// GPIPE-NEXT: pipe.recv @far microbatch 0 from 0 channel 0
// GPIPE-NEXT: pipe.run @forward.1 microbatch 0
// GPIPE-NEXT: pipe.send @mid microbatch 0 to 2 channel 0
// GPIPE-NEXT: pipe.send @far microbatch 0 to 2 channel 0
// GPIPE-NEXT: pipe.recv @near microbatch 1 from 0 channel 0
// GPIPE-NEXT: pipe.recv @far microbatch 1 from 0 channel 0
// GPIPE-NEXT: pipe.run @forward.1 microbatch 1
// GPIPE-NEXT: pipe.send @mid microbatch 1 to 2 channel 0
// GPIPE-NEXT: pipe.send @far microbatch 1 to 2 channel 0
// GPIPE-NEXT: pipe.recv @dmid microbatch 0 from 2 channel 1
// GPIPE-NEXT: pipe.recv @dfar microbatch 0 from 2 channel 1
// GPIPE-NEXT: pipe.run @backward.1 microbatch 0
// GPIPE-NEXT: pipe.send @dnear microbatch 0 to 0 channel 1
// GPIPE-NEXT: pipe.recv @dmid microbatch 1 from 2 channel 1
// GPIPE-NEXT: pipe.recv @dfar microbatch 1 from 2 channel 1
// GPIPE-NEXT: pipe.run @backward.1 microbatch 1
// GPIPE-NEXT: pipe.send @dnear microbatch 1 to 0 channel 1
// GPIPE-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// GPIPE-NEXT: pipe.run @update.1
// GPIPE: pipe.schedule train stage 2 microbatches 2 attributes {live = 2 : i64} {
// GPIPE-NEXT: pipe.run @counts.2 microbatch 0
// GPIPE-NEXT: pipe.run @counts.2 microbatch 1
// GPIPE-NEXT: pipe.recv @mid microbatch 0 from 1 channel 0
// GPIPE-NEXT: pipe.recv @far microbatch 0 from 1 channel 0
// GPIPE-NEXT: pipe.run @forward.2 microbatch 0
// GPIPE-NEXT: pipe.recv @mid microbatch 1 from 1 channel 0
// GPIPE-NEXT: pipe.recv @far microbatch 1 from 1 channel 0
// GPIPE-NEXT: pipe.run @forward.2 microbatch 1
// GPIPE-NEXT: pipe.run @backward.2 microbatch 0
// GPIPE-NEXT: pipe.send @dmid microbatch 0 to 1 channel 1
// GPIPE-NEXT: pipe.send @dfar microbatch 0 to 1 channel 1
// GPIPE-NEXT: pipe.run @backward.2 microbatch 1
// GPIPE-NEXT: pipe.send @dmid microbatch 1 to 1 channel 1
// GPIPE-NEXT: pipe.send @dfar microbatch 1 to 1 channel 1
// GPIPE-NEXT: pipe.run @tied.2
// GPIPE-NEXT: pipe.exchange @tied2 microbatch 0 to 0 channel 2, @tied0 microbatch 0 from 0 channel 2
// GPIPE-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// GPIPE-NEXT: pipe.run @update.2
// GPIPE: pipe.schedule evaluate stage 0 microbatches 2 {
// GPIPE-NEXT: pipe.run @evaluate.0 microbatch 0
// GPIPE-NEXT: pipe.send @enear microbatch 0 to 1 channel 0
// GPIPE-NEXT: pipe.run @evaluate.0 microbatch 1
// GPIPE-NEXT: pipe.send @enear microbatch 1 to 1 channel 0
// GPIPE-NEXT: pipe.run @evaluate_result.0
// GPIPE: pipe.schedule evaluate stage 1 microbatches 2 {
// GPIPE-NEXT: pipe.recv @enear microbatch 0 from 0 channel 0
// GPIPE-NEXT: pipe.run @evaluate.1 microbatch 0
// GPIPE-NEXT: pipe.send @enear microbatch 0 to 2 channel 0
// GPIPE-NEXT: pipe.recv @enear microbatch 1 from 0 channel 0
// GPIPE-NEXT: pipe.run @evaluate.1 microbatch 1
// GPIPE-NEXT: pipe.send @enear microbatch 1 to 2 channel 0
// GPIPE: pipe.schedule evaluate stage 2 microbatches 2 {
// GPIPE-NEXT: pipe.recv @enear microbatch 0 from 1 channel 0
// GPIPE-NEXT: pipe.run @evaluate.2 microbatch 0
// GPIPE-NEXT: pipe.recv @enear microbatch 1 from 1 channel 0
// GPIPE-NEXT: pipe.run @evaluate.2 microbatch 1

// One microbatch.
// ONE: pipe.schedule train stage 0 microbatches 1 attributes {live = 1 : i64} {
// ONE-NEXT: pipe.run @forward.0 microbatch 0
// ONE-NEXT: pipe.send @near microbatch 0 to 1 channel 0
// ONE-NEXT: pipe.send @far microbatch 0 to 1 channel 0
// ONE-NEXT: pipe.recv @dnear microbatch 0 from 1 channel 1
// ONE-NEXT: pipe.run @backward.0 microbatch 0
// ONE-NEXT: pipe.run @tied.0
// ONE-NEXT: pipe.send @other0 microbatch 0 to 1 channel 2
// ONE-NEXT: pipe.exchange @tied0 microbatch 0 to 2 channel 2, @tied2 microbatch 0 from 2 channel 2
// ONE-NEXT: pipe.send @other0 microbatch 0 to 2 channel 2
// ONE-NEXT: pipe.run @update.0
// ONE: pipe.schedule train stage 1 microbatches 1 attributes {live = 1 : i64} {
// ONE-NEXT: pipe.recv @near microbatch 0 from 0 channel 0
// ONE-NEXT: pipe.recv @far microbatch 0 from 0 channel 0
// ONE-NEXT: pipe.run @forward.1 microbatch 0
// ONE-NEXT: pipe.send @mid microbatch 0 to 2 channel 0
// ONE-NEXT: pipe.send @far microbatch 0 to 2 channel 0
// ONE-NEXT: pipe.recv @dmid microbatch 0 from 2 channel 1
// ONE-NEXT: pipe.recv @dfar microbatch 0 from 2 channel 1
// ONE-NEXT: pipe.run @backward.1 microbatch 0
// ONE-NEXT: pipe.send @dnear microbatch 0 to 0 channel 1
// ONE-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// ONE-NEXT: pipe.run @update.1
// ONE: pipe.schedule train stage 2 microbatches 1 attributes {live = 1 : i64} {
// ONE-NEXT: pipe.run @counts.2 microbatch 0
// ONE-NEXT: pipe.recv @mid microbatch 0 from 1 channel 0
// ONE-NEXT: pipe.recv @far microbatch 0 from 1 channel 0
// ONE-NEXT: pipe.run @forward.2 microbatch 0
// ONE-NEXT: pipe.run @backward.2 microbatch 0
// ONE-NEXT: pipe.send @dmid microbatch 0 to 1 channel 1
// ONE-NEXT: pipe.send @dfar microbatch 0 to 1 channel 1
// ONE-NEXT: pipe.run @tied.2
// ONE-NEXT: pipe.exchange @tied2 microbatch 0 to 0 channel 2, @tied0 microbatch 0 from 0 channel 2
// ONE-NEXT: pipe.recv @other0 microbatch 0 from 0 channel 2
// ONE-NEXT: pipe.run @update.2
// ONE: pipe.schedule evaluate stage 0 microbatches 1 {
// ONE-NEXT: pipe.run @evaluate.0 microbatch 0
// ONE-NEXT: pipe.send @enear microbatch 0 to 1 channel 0
// ONE-NEXT: pipe.run @evaluate_result.0
// ONE: pipe.schedule evaluate stage 1 microbatches 1 {
// ONE-NEXT: pipe.recv @enear microbatch 0 from 0 channel 0
// ONE-NEXT: pipe.run @evaluate.1 microbatch 0
// ONE-NEXT: pipe.send @enear microbatch 0 to 2 channel 0
// ONE: pipe.schedule evaluate stage 2 microbatches 1 {
// ONE-NEXT: pipe.recv @enear microbatch 0 from 1 channel 0
// ONE-NEXT: pipe.run @evaluate.2 microbatch 0

pipe.input @x : tensor<2xf32> role data name "x"
pipe.value @near : tensor<2xf32>
pipe.value @far : tensor<2xf32>
pipe.value @mid : tensor<2xf32>
pipe.value @dmid : tensor<2xf32>
pipe.value @dnear : tensor<2xf32>
pipe.value @dfar : tensor<2xf32>
pipe.value @tied0 : tensor<2xf32>
pipe.value @tied2 : tensor<2xf32>
pipe.value @other0 : tensor<2xf32>
pipe.value @enear : tensor<2xf32>
pipe.task @counts.2 stage 2 forward_backward calls @counts.2.body
    (@x) {nn.ahead}
pipe.body @counts.2.body (%x: tensor<2xf32>) {
  pipe.yield
}
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@near, @far)
pipe.body @forward.0.body (%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  pipe.yield %x, %x : tensor<2xf32>, tensor<2xf32>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body (@near) -> (@mid)
pipe.body @forward.1.body (%x: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %x : tensor<2xf32>
}
pipe.task @forward.2 stage 2 forward calls @forward.2.body (@mid, @far)
pipe.body @forward.2.body (%x: tensor<2xf32>, %y: tensor<2xf32>) {
  pipe.yield
}
pipe.task @backward.2 stage 2 backward calls @backward.2.body
    (@mid) -> (@dmid, @dfar)
pipe.body @backward.2.body (%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  pipe.yield %x, %x : tensor<2xf32>, tensor<2xf32>
}
pipe.task @backward.1 stage 1 backward calls @backward.1.body
    (@dmid, @dfar) -> (@dnear)
pipe.body @backward.1.body (%x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>) {
  pipe.yield %x : tensor<2xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@dnear)
pipe.body @backward.0.body (%x: tensor<2xf32>) {
  pipe.yield
}
pipe.task @tied.0 stage 0 reduce calls @tied.0.body () -> (@tied0, @other0)
pipe.body @tied.0.body () -> (tensor<2xf32>, tensor<2xf32>) {
  %c = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %c, %c : tensor<2xf32>, tensor<2xf32>
}
pipe.task @update.0 stage 0 update calls @update.0.body (@tied2)
pipe.body @update.0.body (%t: tensor<2xf32>) {
  pipe.yield
}
pipe.task @update.1 stage 1 update calls @update.1.body (@other0)
pipe.body @update.1.body (%t: tensor<2xf32>) {
  pipe.yield
}
pipe.task @update.2 stage 2 update calls @update.2.body (@tied0, @other0)
pipe.body @update.2.body (%t: tensor<2xf32>, %o: tensor<2xf32>) {
  pipe.yield
}
pipe.task @tied.2 stage 2 reduce calls @tied.2.body () -> (@tied2)
pipe.body @tied.2.body () -> (tensor<2xf32>) {
  %c = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %c : tensor<2xf32>
}
pipe.task @evaluate.0 stage 0 evaluate calls @evaluate.0.body (@x) -> (@enear)
pipe.body @evaluate.0.body (%x: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %x : tensor<2xf32>
}
pipe.task @evaluate.1 stage 1 evaluate calls @evaluate.1.body ()
pipe.body @evaluate.1.body () {
  pipe.yield
}
pipe.task @evaluate.2 stage 2 evaluate calls @evaluate.2.body (@enear)
pipe.body @evaluate.2.body (%x: tensor<2xf32>) {
  pipe.yield
}
pipe.task @evaluate_result.0 stage 0 evaluate_result calls @evaluate_result.0.body
    ()
pipe.body @evaluate_result.0.body () {
  pipe.yield
}
