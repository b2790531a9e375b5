// Every op is parsed, printed and parsed again.
// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// CHECK: pipe.input @input.tokens : tensor<2x4xi64> role tokens name "ids"
pipe.input @input.tokens : tensor<2x4xi64> role tokens name "ids"
// CHECK: pipe.output @output.loss : tensor<f32> name "loss"
pipe.output @output.loss : tensor<f32> name "loss"
// CHECK: pipe.value @value.0 : tensor<2x4xi64>
pipe.value @value.0 : tensor<2x4xi64>
pipe.value @value.1 : tensor<f32>
nn.state @loss_sum : tensor<f32> sum

// Arguments keep their names.
// CHECK: pipe.task @forward.0 stage 0 forward calls @pass (@input.tokens) -> (@value.0){{$}}
// CHECK-NEXT: pipe.body @pass (%ids.1: tensor<2x4xi64>) -> (tensor<2x4xi64>) {
// CHECK-NEXT: pipe.yield %ids.1 : tensor<2x4xi64>
pipe.task @forward.0 stage 0 forward calls @pass (@input.tokens) -> (@value.0)
pipe.body @pass (%ids.1: tensor<2x4xi64>) -> (tensor<2x4xi64>) {
  pipe.yield %ids.1 : tensor<2x4xi64>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body
    (@value.0, @loss_sum) -> (@value.1)
pipe.body @forward.1.body (%x: tensor<2x4xi64>, %l: tensor<f32>)
    -> (tensor<f32>) {
  pipe.yield %l : tensor<f32>
}
// CHECK: pipe.task @backward.0 stage 0 backward calls @backward.0.body (@value.1) {nn.ahead}
// CHECK-NEXT: pipe.body @backward.0.body (%x: tensor<f32>) attributes {note = 1 : i64} {
// CHECK-NEXT: pipe.yield{{$}}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@value.1)
    {nn.ahead}
pipe.body @backward.0.body (%x: tensor<f32>) attributes {note = 1} {
  pipe.yield
}
// CHECK: pipe.task @update.1 stage 1 update calls @update.1.body (@loss_sum) -> (@output.loss, @loss_sum)
// CHECK-NEXT: pipe.body @update.1.body (%l: tensor<f32>) -> (tensor<f32>, tensor<f32> into 0) {
pipe.task @update.1 stage 1 update calls @update.1.body
    (@loss_sum) -> (@output.loss, @loss_sum)
pipe.body @update.1.body (%l: tensor<f32>)
    -> (tensor<f32>, tensor<f32> into 0) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  pipe.yield %l, %zero : tensor<f32>, tensor<f32>
}

// CHECK: pipe.schedule train stage 0 microbatches 2 {
pipe.schedule train stage 0 microbatches 2 {
  // CHECK-NEXT: pipe.run @forward.0 microbatch 0
  pipe.run @forward.0 microbatch 0
  // CHECK-NEXT: pipe.send @value.0 microbatch 0 to 1 channel 0
  pipe.send @value.0 microbatch 0 to 1 channel 0
  pipe.run @forward.0 microbatch 1
  // CHECK: pipe.exchange @value.0 microbatch 1 to 1 channel 0, @value.1 microbatch 0 from 1 channel 1
  pipe.exchange @value.0 microbatch 1 to 1 channel 0,
      @value.1 microbatch 0 from 1 channel 1
}
pipe.schedule train stage 1 microbatches 2 {
  // CHECK: pipe.recv @value.0 microbatch 0 from 0 channel 0
  pipe.recv @value.0 microbatch 0 from 0 channel 0
  pipe.run @forward.1 microbatch 0
  // CHECK: pipe.run @update.1
  pipe.run @update.1
}

// A number in a loop may count from the loop's microbatch.
// CHECK: pipe.schedule evaluate stage 0 microbatches 8 {
pipe.schedule evaluate stage 0 microbatches 8 {
  // CHECK-NEXT: pipe.loop %m = 1 to 6 attributes {note = 1 : i64} {
  pipe.loop %turn = 1 to 6 attributes {note = 1} {
    // CHECK-NEXT: pipe.send @value.0 microbatch %m to 1 channel 0
    pipe.send @value.0 microbatch %turn to 1 channel 0
    // CHECK-NEXT: pipe.recv @value.1 microbatch %m + 2 from 1 channel 1
    pipe.recv @value.1 microbatch %turn + 2 from 1 channel 1
    // CHECK-NEXT: pipe.exchange @value.0 microbatch %m + 1 to 1 channel 0, @value.1 microbatch %m from 1 channel 1
    pipe.exchange @value.0 microbatch %turn + 1 to 1 channel 0,
        @value.1 microbatch %turn from 1 channel 1
  }
  // CHECK: pipe.loop %m = 0 to 1 {
  pipe.loop %m = 0 to 1 {
    pipe.send @value.0 microbatch %m to 1 channel 0
  }
}
