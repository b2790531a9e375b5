// Schedules of two stages with two ranks each are run together.
// RUN: pcc-run %s --arg x#0=[[1,2],[3,4]] --arg x#1=[[5,6],[7,8]] \
// RUN:   --arg @w=[10,100] --print loss,@sum,@w | FileCheck %s
// A value that is not computed yet,
// RUN: sed 's/run @forward.1 microbatch 0/run @forward.1 microbatch 1/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=EARLY
// or never computed,
// RUN: sed '/run @forward.0 microbatch 1/d' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=SEND
// a value that is sent where another one is expected,
// RUN: sed 's/recv @act microbatch 0 from 0/recv @act microbatch 1 from 0/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=OTHER
// stages that wait for each other: in transfers,
// RUN: sed 's/recv @act microbatch 1 from 0 channel 0/recv @act microbatch 1 from 0 channel 1/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=CHANNEL
// in collectives that are not the same one,
// RUN: sed 's/all_reduce sum %%part1/all_reduce max %%part1/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=COLLECTIVE
// or where one stage leaves a collective out,
// RUN: sed 's/%%r0 = dist.all_reduce sum %%part0 over \["pp"\]/%%r0 = nn.scale %%part0 by 1.0/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=ALONE
// a task of another stage, a stage without a schedule.
// RUN: sed 's/run @update.1/run @update.0/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: sed 's/"pp"=2/"pp"=3/' %s \
// RUN:   | not pcc-run --fill 1 2>&1 | FileCheck %s --check-prefix=MESH

#all = #dist.sharding<@mesh, [{}]>
#dp = #dist.sharding<@mesh, [{"dp"}, {}]>
#sum = #dist.sharding<@mesh, [], partial = {"dp"}>

module attributes {dist.spmd} {
dist.mesh @mesh = <["pp"=2, "dp"=2]>
nn.param @w : tensor<2xf32> init normal
    {dist.global = tensor<2xf32>, dist.sharding = #all}
nn.state @sum : tensor<f32> sum
    {dist.global = tensor<f32>, dist.sharding = #sum}
pipe.input @input.x : tensor<1x2xf32> role data name "x"
    {dist.global = tensor<2x2xf32>, dist.sharding = #dp}
pipe.value @act : tensor<2xf32>
pipe.output @output.loss : tensor<f32> name "loss"

pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x) -> (@act)
pipe.body @forward.0.body (%x: tensor<1x2xf32>) -> (tensor<2xf32>) {
  %row = nn.reshape %x : tensor<1x2xf32> -> tensor<2xf32>
  pipe.yield %row : tensor<2xf32>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body
    (@act, @w, @sum) -> (@sum)
pipe.body @forward.1.body (%a: tensor<2xf32>, %w: tensor<2xf32>,
        %sum_before: tensor<f32>) -> (tensor<f32> into 2) {
  %y = nn.contract "a,a->" %a, %w
      : tensor<2xf32>, tensor<2xf32> -> tensor<f32>
  %sum_sum = nn.sum %sum_before, %y : tensor<f32>
  pipe.yield %sum_sum : tensor<f32>
}
pipe.task @update.0 stage 0 update calls @update.0.body () -> (@output.loss)
pipe.body @update.0.body () -> (tensor<f32>) {
  %part0 = nn.constant dense<0.5> : tensor<f32>
  %r0 = dist.all_reduce sum %part0 over ["pp"] : tensor<f32>
  pipe.yield %r0 : tensor<f32>
}
pipe.task @update.1 stage 1 update calls @update.1.body
    (@sum, @w) -> (@output.loss, @w)
pipe.body @update.1.body (%sum: tensor<f32>, %w: tensor<2xf32>)
    -> (tensor<f32>, tensor<2xf32> into 1) {
  %part1 = dist.all_reduce sum %sum over ["dp"] : tensor<f32>
  %r1 = dist.all_reduce sum %part1 over ["pp"] : tensor<f32>
  %half = nn.scale %w by 0.5 : tensor<2xf32>
  pipe.yield %r1, %half : tensor<f32>, tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @forward.0 microbatch 0
  pipe.send @act microbatch 0 to 1 channel 0
  pipe.run @forward.0 microbatch 1
  pipe.send @act microbatch 1 to 1 channel 0
  pipe.run @update.0
}
pipe.schedule train stage 1 microbatches 2 {
  pipe.recv @act microbatch 0 from 0 channel 0
  pipe.run @forward.1 microbatch 0
  pipe.recv @act microbatch 1 from 0 channel 0
  pipe.run @forward.1 microbatch 1
  pipe.run @update.1
}
}

// 10 (1 + 3 + 5 + 7) + 100 (2 + 4 + 6 + 8), and stage 0's half. Only stage 1
// has written the parameter, so its value is printed.
// CHECK: result loss : tensor<f32> = 2160.5
// CHECK: @sum : tensor<f32> = 2160
// CHECK: @w : tensor<2xf32> = [5, 50]
// EARLY: error: 'pipe.run' op needs @act of microbatch 1, which stage 1 does not have yet
// SEND: error: 'pipe.send' op sends @act of microbatch 1, which stage 0 does not have yet
// OTHER: error: 'pipe.recv' op receives @act of microbatch 1
// OTHER: note: stage 0 sends @act of microbatch 0
// CHANNEL: error: the stages wait for each other forever
// CHANNEL: note: stage 0 waits to send @act of microbatch 1 to stage 1 on channel 0
// CHANNEL: note: stage 1 waits to receive @act of microbatch 1 from stage 0 on channel 1
// COLLECTIVE: error: the stages wait for each other forever
// COLLECTIVE: note: stage 0 waits in 'update.0' for other stages to do dist.all_reduce
// COLLECTIVE: note: stage 1 waits in 'update.1' for other stages to do dist.all_reduce
// ALONE: note: stage 0 is done
// ALONE: note: stage 1 waits in 'update.1' for other stages to do dist.all_reduce
// STAGE: error: 'pipe.run' op runs a task of stage 0 in the schedule of stage 1
// MESH: error: has schedules of 2 stages for entry 'train', the mesh has 3
