// Entry points: arguments of tasks, slots of values that are live at the same
// time, and transfers between stages.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower,rt-verify)" \
// RUN:   | %unnumbered | FileCheck %s

// An input has a slot for each microbatch, a learning rate one for all. In
// stage 0, two slots of @act and one of @grad are live at once, at any free
// offsets; the losses have the bytes of inputs. Stage 1 forwards @far to stage
// 2; it is sent before @grad is received.
// CHECK: rt.program axes <[]> comms [] microbatches 3 {micro_batch = 2 : i64}
// CHECK: rt.stage 0 arena 384 {
// CHECK-NEXT: rt.buffer @x : memref<2xf32> input at 0 slots 3 layout <[2], {{\[\[}}]]> {name = "x", role = "data"}
// CHECK-NEXT: rt.buffer @lr : memref<f32> input at 192 layout <[], []> {name = "lr", role = "lr"}
// CHECK-NEXT: rt.buffer @act : memref<2xf32> value at 256, 0 slots 2
// CHECK-NEXT: rt.buffer @far : memref<4xf32> value at 320
// CHECK-NEXT: rt.buffer @grad : memref<2xf32> value at 64
// CHECK-NEXT: rt.buffer @loss : memref<f32> output at 0 {name = "loss"}
// CHECK-NEXT: rt.buffer @eval : memref<f32> output at 192 {name = "eval"}
// CHECK: rt.func @forward.0.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>, %arg2: memref<4xf32>) {
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg0 : memref<2xf32>) outs(%arg1 : memref<2xf32>)
// CHECK-NEXT: rt.launch @kernel.concat.0 ins(%arg0, %arg1 : memref<2xf32>, memref<2xf32>) outs(%arg2 : memref<4xf32>)
// CHECK: rt.func @backward.0.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>) {
// CHECK: rt.func @update.0.body(%arg0: memref<f32>, %arg1: memref<f32>) {
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<f32> to memref<f32>
// CHECK: rt.func @evaluate.0.body(%arg0: memref<2xf32>, %arg1: memref<f32>) {
// CHECK-NEXT: rt.launch @kernel.sum_of_squares.0 ins(%arg0 : memref<2xf32>) outs(%arg1 : memref<f32>)
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[X:.*]] = rt.address @x : memref<2xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: %[[FAR:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X]], %[[ACT]], %[[FAR]]) : memref<2xf32>, memref<2xf32>, memref<4xf32>
// CHECK-NEXT: %[[ACT1:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: rt.send %[[ACT1]] to 1 channel 0 : memref<2xf32>
// CHECK-NEXT: %[[FAR1:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR1]] to 1 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[X1:.*]] = rt.address @x slot 1 : memref<2xf32>
// CHECK-NEXT: %[[ACT2:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: %[[FAR2:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X1]], %[[ACT2]], %[[FAR2]]) : memref<2xf32>, memref<2xf32>, memref<4xf32>
// CHECK-NEXT: %[[ACT3:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[ACT3]] to 1 channel 0, %[[GRAD]] from 1 channel 2 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[FAR3:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR3]] to 1 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[ACT4:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: %[[GRAD1:.*]] = rt.address @grad : memref<2xf32>
// CHECK-NEXT: rt.call @backward.0.body(%[[ACT4]], %[[GRAD1]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[X2:.*]] = rt.address @x slot 2 : memref<2xf32>
// CHECK-NEXT: %[[ACT5:.*]] = rt.address @act slot 2 : memref<2xf32>
// CHECK-NEXT: %[[FAR4:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X2]], %[[ACT5]], %[[FAR4]]) : memref<2xf32>, memref<2xf32>, memref<4xf32>
// CHECK-NEXT: %[[ACT6:.*]] = rt.address @act slot 2 : memref<2xf32>
// CHECK-NEXT: %[[GRAD2:.*]] = rt.address @grad slot 1 : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[ACT6]] to 1 channel 0, %[[GRAD2]] from 1 channel 2 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[FAR5:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR5]] to 1 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[ACT7:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: %[[GRAD3:.*]] = rt.address @grad slot 1 : memref<2xf32>
// CHECK-NEXT: rt.call @backward.0.body(%[[ACT7]], %[[GRAD3]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[GRAD4:.*]] = rt.address @grad slot 2 : memref<2xf32>
// CHECK-NEXT: rt.recv %[[GRAD4]] from 1 channel 2 : memref<2xf32>
// CHECK-NEXT: %[[ACT8:.*]] = rt.address @act slot 2 : memref<2xf32>
// CHECK-NEXT: %[[GRAD5:.*]] = rt.address @grad slot 2 : memref<2xf32>
// CHECK-NEXT: rt.call @backward.0.body(%[[ACT8]], %[[GRAD5]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[LR:.*]] = rt.address @lr : memref<f32>
// CHECK-NEXT: %[[LOSS:.*]] = rt.address @loss : memref<f32>
// CHECK-NEXT: rt.call @update.0.body(%[[LR]], %[[LOSS]]) : memref<f32>, memref<f32>
// CHECK: rt.func @evaluate() {
// CHECK-NEXT: %[[X:.*]] = rt.address @x : memref<2xf32>
// CHECK-NEXT: %[[EVAL:.*]] = rt.address @eval : memref<f32>
// CHECK-NEXT: rt.call @evaluate.0.body(%[[X]], %[[EVAL]]) : memref<2xf32>, memref<f32>
// CHECK: rt.address @x slot 2 : memref<2xf32>
// CHECK-NEXT: rt.address @eval : memref<f32>
// CHECK-NEXT: rt.call @evaluate.0.body({{.*}}) : memref<2xf32>, memref<f32>
// CHECK-NEXT: }
// CHECK: rt.stage 1 arena 128 {
// CHECK-NEXT: rt.buffer @act : memref<2xf32> value at 0
// CHECK-NEXT: rt.buffer @far : memref<4xf32> value at 64
// CHECK-NEXT: rt.buffer @grad : memref<2xf32> value at 64
// CHECK: rt.func @forward.1.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>) {
// CHECK-NEXT: rt.launch @kernel.exp.0 ins(%arg0 : memref<2xf32>) outs(%arg1 : memref<2xf32>)
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: rt.recv %[[ACT]] from 0 channel 0 : memref<2xf32>
// CHECK-NEXT: %[[FAR:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR]] from 0 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[FAR1:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR1]] to 2 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[ACT1:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad : memref<2xf32>
// CHECK-NEXT: rt.call @forward.1.body(%[[ACT1]], %[[GRAD]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[GRAD1:.*]] = rt.address @grad : memref<2xf32>
// CHECK-NEXT: %[[ACT2:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[GRAD1]] to 0 channel 2, %[[ACT2]] from 0 channel 0 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[FAR2:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR2]] from 0 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[FAR3:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR3]] to 2 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[ACT3:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: %[[GRAD2:.*]] = rt.address @grad slot 1 : memref<2xf32>
// CHECK-NEXT: rt.call @forward.1.body(%[[ACT3]], %[[GRAD2]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[GRAD3:.*]] = rt.address @grad slot 1 : memref<2xf32>
// CHECK-NEXT: %[[ACT4:.*]] = rt.address @act slot 2 : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[GRAD3]] to 0 channel 2, %[[ACT4]] from 0 channel 0 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[FAR4:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR4]] from 0 channel 1 : memref<4xf32>
// CHECK-NEXT: %[[FAR5:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.send %[[FAR5]] to 2 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[ACT5:.*]] = rt.address @act slot 2 : memref<2xf32>
// CHECK-NEXT: %[[GRAD4:.*]] = rt.address @grad slot 2 : memref<2xf32>
// CHECK-NEXT: rt.call @forward.1.body(%[[ACT5]], %[[GRAD4]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[GRAD5:.*]] = rt.address @grad slot 2 : memref<2xf32>
// CHECK-NEXT: rt.send %[[GRAD5]] to 0 channel 2 : memref<2xf32>
// CHECK: rt.stage 2 arena 64 {
// CHECK-NEXT: rt.buffer @far : memref<4xf32> value at 0
// CHECK: rt.func @forward.2.body(%arg0: memref<4xf32>) {
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[FAR:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR]] from 1 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[FAR1:.*]] = rt.address @far : memref<4xf32>
// CHECK-NEXT: rt.call @forward.2.body(%[[FAR1]]) : memref<4xf32>
// CHECK-NEXT: %[[FAR2:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR2]] from 1 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[FAR3:.*]] = rt.address @far slot 1 : memref<4xf32>
// CHECK-NEXT: rt.call @forward.2.body(%[[FAR3]]) : memref<4xf32>
// CHECK-NEXT: %[[FAR4:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.recv %[[FAR4]] from 1 channel 0 : memref<4xf32>
// CHECK-NEXT: %[[FAR5:.*]] = rt.address @far slot 2 : memref<4xf32>
// CHECK-NEXT: rt.call @forward.2.body(%[[FAR5]]) : memref<4xf32>
pipe.input @x : tensor<2xf32> role data name "x"
pipe.input @lr : tensor<f32> role lr name "lr"
pipe.value @act : tensor<2xf32>
pipe.value @far : tensor<4xf32>
pipe.value @grad : tensor<2xf32>
pipe.output @loss : tensor<f32> name "loss"
pipe.output @eval : tensor<f32> name "eval"
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act, @far)
pipe.body @forward.0.body (%x: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<4xf32>) {
  %y = nn.tanh %x : tensor<2xf32>
  %z = nn.concat %x, %y along 0 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  pipe.yield %y, %z : tensor<2xf32>, tensor<4xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@act, @grad)
pipe.body @backward.0.body (%y: tensor<2xf32>, %g: tensor<2xf32>) {
  pipe.yield
}
pipe.task @update.0 stage 0 update calls @update.0.body (@lr) -> (@loss)
pipe.body @update.0.body (%lr: tensor<f32>) -> (tensor<f32>) {
  pipe.yield %lr : tensor<f32>
}
pipe.task @evaluate.0 stage 0 evaluate calls @evaluate.0.body (@x) -> (@eval)
pipe.body @evaluate.0.body (%x: tensor<2xf32>) -> (tensor<f32>) {
  %s = nn.sum_of_squares %x : tensor<2xf32> -> tensor<f32>
  pipe.yield %s : tensor<f32>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body (@act) -> (@grad)
pipe.body @forward.1.body (%y: tensor<2xf32>) -> (tensor<2xf32>) {
  %z = nn.exp %y : tensor<2xf32>
  pipe.yield %z : tensor<2xf32>
}
pipe.task @forward.2 stage 2 forward calls @forward.2.body (@far)
pipe.body @forward.2.body (%y: tensor<4xf32>) {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 3 {
  pipe.run @forward.0 microbatch 0
  pipe.send @act microbatch 0 to 1 channel 0
  pipe.send @far microbatch 0 to 1 channel 1
  pipe.run @forward.0 microbatch 1
  pipe.exchange @act microbatch 1 to 1 channel 0, @grad microbatch 0 from 1 channel 2
  pipe.send @far microbatch 1 to 1 channel 1
  pipe.run @backward.0 microbatch 0
  pipe.run @forward.0 microbatch 2
  pipe.exchange @act microbatch 2 to 1 channel 0, @grad microbatch 1 from 1 channel 2
  pipe.send @far microbatch 2 to 1 channel 1
  pipe.run @backward.0 microbatch 1
  pipe.recv @grad microbatch 2 from 1 channel 2
  pipe.run @backward.0 microbatch 2
  pipe.run @update.0
}
pipe.schedule evaluate stage 0 microbatches 3 {
  pipe.run @evaluate.0 microbatch 0
  pipe.run @evaluate.0 microbatch 1
  pipe.run @evaluate.0 microbatch 2
}
pipe.schedule train stage 1 microbatches 3 {
  pipe.recv @act microbatch 0 from 0 channel 0
  pipe.recv @far microbatch 0 from 0 channel 1
  pipe.send @far microbatch 0 to 2 channel 0
  pipe.run @forward.1 microbatch 0
  pipe.exchange @grad microbatch 0 to 0 channel 2, @act microbatch 1 from 0 channel 0
  pipe.recv @far microbatch 1 from 0 channel 1
  pipe.send @far microbatch 1 to 2 channel 0
  pipe.run @forward.1 microbatch 1
  pipe.exchange @grad microbatch 1 to 0 channel 2, @act microbatch 2 from 0 channel 0
  pipe.recv @far microbatch 2 from 0 channel 1
  pipe.send @far microbatch 2 to 2 channel 0
  pipe.run @forward.1 microbatch 2
  pipe.send @grad microbatch 2 to 0 channel 2
}
pipe.schedule train stage 2 microbatches 3 {
  pipe.recv @far microbatch 0 from 1 channel 0
  pipe.run @forward.2 microbatch 0
  pipe.recv @far microbatch 1 from 1 channel 0
  pipe.run @forward.2 microbatch 1
  pipe.recv @far microbatch 2 from 1 channel 0
  pipe.run @forward.2 microbatch 2
}

// -----

// Attributes of a parameter's or state's buffer: initialization, weight decay,
// offset in the file, its shard of the whole. The program's counts are those of
// all data parallel ranks; padding is not counted.
// CHECK: rt.program axes <["dp"=2, "tp"=4]> comms {{\[\[}}"dp"], ["dp", "tp"]] microbatches 1 {micro_batch = 2 : i64, parameters = 226 : i64, seq = 5 : i64}
// CHECK: rt.stage 0 arena 640 {
// CHECK-NEXT: rt.buffer @a : memref<8x4xf32> param at 0 layout <[8, 16], {{\[\[}}], ["tp"]]> record <init normal decay source <name = "a.weight", file = "m.onnx", offset = 64, type = tensor<16x8xf32>, file_size = 1000, digest = 7, base = 5, strides = [1, 8], valid = [8, 15]> transposed plus_one uses [3, 1]>
// CHECK-NEXT: rt.buffer @b : memref<6xf32> param at 128 layout <[6], {{\[\[}}]]> record <init one>
// CHECK-NEXT: rt.buffer @exp_avg.a : memref<8x4xf32> state at 192 layout <[8, 16], {{\[\[}}], ["tp"]]> of @a record <decay source <name = "a.weight", file = "m.onnx", offset = 64, type = tensor<16x8xf32>, file_size = 1000, digest = 7, base = 5, strides = [1, 8], valid = [8, 15]> transposed plus_one>
// CHECK-NEXT: rt.buffer @grad.a : memref<8x4xf32> sum at 320 layout <[8, 4], {{\[\[}}], []]> of @a record <decay source <name = "a.weight", file = "m.onnx", offset = 64, type = tensor<16x8xf32>, file_size = 1000, digest = 7, base = 5, strides = [1, 8], valid = [8, 15]> transposed plus_one>
// CHECK-NEXT: rt.buffer @sum : memref<f32> sum at 448 layout <[], []>
// CHECK-NEXT: rt.buffer @tokens : memref<2x5xi64> input at 512 layout <[4, 5], {{\[\[}}"dp"], []]> {name = "ids", nn.ids = {below = 50257 : i64, node = "wte"}, role = "tokens"}
// CHECK-NEXT: rt.buffer @norm : memref<f32> output at 512 {name = "norm"}
// CHECK-NEXT: rt.buffer @frame.t.body : memref<64xi8> frame at 576
// CHECK: rt.func @t.body(%arg0: memref<2x5xi64>, %arg1: memref<8x4xf32>, %arg2: memref<6xf32>, %arg3: memref<8x4xf32>, %arg4: memref<8x4xf32>, %arg5: memref<f32>, %arg6: memref<f32>) frame 64 {
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<f32>
// CHECK-NEXT: rt.copy %arg5 to %[[T0]] : memref<f32> to memref<f32>
// CHECK-NEXT: rt.all_reduce sum %[[T0]] over ["dp"] : memref<f32>
// CHECK-NEXT: rt.copy %[[T0]] to %arg6 : memref<f32> to memref<f32>
// CHECK-NEXT: rt.all_reduce max %arg6 over ["dp", "tp"] : memref<f32>
// CHECK-NEXT: rt.copy %arg1 to %arg4 : memref<8x4xf32> to memref<8x4xf32>
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[TOKENS:.*]] = rt.address @tokens : memref<2x5xi64>
// CHECK-NEXT: %[[A:.*]] = rt.address @a : memref<8x4xf32>
// CHECK-NEXT: %[[B:.*]] = rt.address @b : memref<6xf32>
// CHECK-NEXT: %[[GRAD_A:.*]] = rt.address @grad.a : memref<8x4xf32>
// CHECK-NEXT: %[[EXP_AVG_A:.*]] = rt.address @exp_avg.a : memref<8x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = rt.address @sum : memref<f32>
// CHECK-NEXT: %[[NORM:.*]] = rt.address @norm : memref<f32>
// CHECK-NEXT: rt.call @t.body(%[[TOKENS]], %[[A]], %[[B]], %[[GRAD_A]], %[[EXP_AVG_A]], %[[SUM]], %[[NORM]]) frame @frame.t.body : memref<2x5xi64>, memref<8x4xf32>, memref<6xf32>, memref<8x4xf32>, memref<8x4xf32>, memref<f32>, memref<f32>
module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=4]>
nn.param @a : tensor<8x4xf32> init normal decay
    source <name = "a.weight", file = "m.onnx", offset = 64, type = tensor<16x8xf32>, file_size = 1000, digest = 7, base = 5, strides = [1, 8], valid = [8, 15]>
    transposed plus_one uses [3, 1]
    {dist.global = tensor<8x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
nn.param @b : tensor<6xf32> init one
nn.state @exp_avg.a : tensor<8x4xf32> exp_avg of @a
    {dist.global = tensor<8x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
nn.state @grad.a : tensor<8x4xf32> gradient of @a
nn.state @sum : tensor<f32> sum
nn.param @unused : tensor<100xf32> init one
pipe.input @tokens : tensor<2x5xi64> role tokens name "ids"
    {dist.global = tensor<4x5xi64>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>,
     nn.ids = {below = 50257 : i64, node = "wte"}}
pipe.output @norm : tensor<f32> name "norm"
pipe.task @t stage 0 forward_backward calls @t.body
    (@tokens, @a, @b, @grad.a, @exp_avg.a, @sum) -> (@norm, @exp_avg.a)
pipe.body @t.body (%ids: tensor<2x5xi64>, %a: tensor<8x4xf32>,
        %b: tensor<6xf32>, %g: tensor<8x4xf32>,
        %exp_avg_a_before: tensor<8x4xf32>, %s: tensor<f32>)
    -> (tensor<f32>, tensor<8x4xf32> into 4) {
  %r = dist.all_reduce sum %s over ["dp"] : tensor<f32>
  %q = dist.all_reduce max %r over ["dp", "tp"] : tensor<f32>
  pipe.yield %q, %a : tensor<f32>, tensor<8x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }
}

// -----

// A task of the whole step takes a value of the first microbatch, which is live
// until then.
// CHECK: rt.program axes <[]> comms [] microbatches 2 {micro_batch = 2 : i64}
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @x : memref<2xf32> input at 64 slots 2 layout <[2], {{\[\[}}]]> {name = "x", role = "data"}
// CHECK-NEXT: rt.buffer @act : memref<2xf32> value at 0 slots 2
// CHECK-NEXT: rt.buffer @o : memref<2xf32> output at 64 {name = "o"}
// CHECK: rt.func @forward.0.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>) {
// CHECK-NEXT: rt.launch @kernel.tanh.0 ins(%arg0 : memref<2xf32>) outs(%arg1 : memref<2xf32>)
// CHECK: rt.func @update.0.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>) {
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<2xf32> to memref<2xf32>
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[X:.*]] = rt.address @x : memref<2xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X]], %[[ACT]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[X1:.*]] = rt.address @x slot 1 : memref<2xf32>
// CHECK-NEXT: %[[ACT1:.*]] = rt.address @act slot 1 : memref<2xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X1]], %[[ACT1]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[ACT2:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: %[[O:.*]] = rt.address @o : memref<2xf32>
// CHECK-NEXT: rt.call @update.0.body(%[[ACT2]], %[[O]]) : memref<2xf32>, memref<2xf32>
pipe.input @x : tensor<2xf32> role data name "x"
pipe.value @act : tensor<2xf32>
pipe.output @o : tensor<2xf32> name "o"
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act)
pipe.body @forward.0.body (%x: tensor<2xf32>) -> (tensor<2xf32>) {
  %y = nn.tanh %x : tensor<2xf32>
  pipe.yield %y : tensor<2xf32>
}
pipe.task @update.0 stage 0 update calls @update.0.body (@act) -> (@o)
pipe.body @update.0.body (%a: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %a : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @forward.0 microbatch 0
  pipe.run @forward.0 microbatch 1
  pipe.run @update.0
}

// -----

// Tasks that share a body pass it different integers, which need no memory in
// the arena.
// CHECK: rt.stage 0 arena 128 {
// CHECK-NEXT: rt.buffer @a : memref<i64> output at 0 {name = "a"}
// CHECK-NEXT: rt.buffer @b : memref<i64> output at 64 {name = "b"}
// CHECK-NEXT: rt.func @keep(%arg0: memref<i64>, %arg1: memref<i64>) {
// CHECK-NEXT: rt.copy %arg0 to %arg1 : memref<i64> to memref<i64>
// CHECK-NEXT: }
// CHECK-NEXT: rt.func @train() {
// CHECK-NEXT: %[[K:.*]] = rt.constant 4294967296 : memref<i64>
// CHECK-NEXT: %[[A:.*]] = rt.address @a : memref<i64>
// CHECK-NEXT: rt.call @keep(%[[K]], %[[A]]) : memref<i64>, memref<i64>
// CHECK-NEXT: %[[K1:.*]] = rt.constant -1 : memref<i64>
// CHECK-NEXT: %[[B:.*]] = rt.address @b : memref<i64>
// CHECK-NEXT: rt.call @keep(%[[K1]], %[[B]]) : memref<i64>, memref<i64>
pipe.output @a : tensor<i64> name "a"
pipe.output @b : tensor<i64> name "b"
pipe.body @keep (%k: tensor<i64>) -> (tensor<i64>) {
  pipe.yield %k : tensor<i64>
}
pipe.task @t stage 0 update calls @keep (4294967296) -> (@a)
pipe.task @u stage 0 update calls @keep (-1) -> (@b)
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @t
  pipe.run @u
}

// -----

// A body that only renames a state, so that it can be sent, is no call and no
// function: the value has the state's address. A body that kills a buffer is
// called.
// CHECK: rt.stage 0 arena
// CHECK-NOT: rt.func @name.body
// CHECK: rt.func @end.body(%arg0: memref<2xf32>, %arg1: memref<2xf32>) attributes {gives_up = array<i64: 1>{{.*}}} {
// CHECK-NEXT: }
// CHECK-NEXT: rt.func @train() {
// CHECK-NEXT: %[[SUM:.*]] = rt.address @sum : memref<2xf32>
// CHECK-NEXT: %[[OTHER:.*]] = rt.address @other : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[SUM]] to 1 channel 0, %[[OTHER]] from 1 channel 0 : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: %[[SUM1:.*]] = rt.address @sum : memref<2xf32>
// CHECK-NEXT: %[[OTHER1:.*]] = rt.address @other : memref<2xf32>
// CHECK-NEXT: rt.call @end.body(%[[SUM1]], %[[OTHER1]]) : memref<2xf32>, memref<2xf32>
// CHECK-NEXT: }
nn.state @sum : tensor<2xf32> sum
pipe.value @mine : tensor<2xf32>
pipe.value @other : tensor<2xf32>
pipe.body @name.body (%s: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %s : tensor<2xf32>
}
pipe.body @end.body (%s: tensor<2xf32>, %o: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  pipe.yield %s : tensor<2xf32>
}
pipe.task @name.0 stage 0 reduce calls @name.body (@sum) -> (@mine)
pipe.task @end.0 stage 0 update calls @end.body (@sum, @other) -> (@sum)
pipe.task @name.1 stage 1 reduce calls @name.body (@sum) -> (@other)
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @name.0
  pipe.exchange @mine microbatch 0 to 1 channel 0, @other microbatch 0 from 1 channel 0
  pipe.run @end.0
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.run @name.1
  pipe.exchange @other microbatch 0 to 0 channel 0, @mine microbatch 0 from 0 channel 0
}
