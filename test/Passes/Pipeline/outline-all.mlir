// Everything that a training program of two stages has: ops that every task may
// repeat, sums of cotangents that are added up before they cross, accumulations
// of several stages, counts ahead of the microbatches, an evaluation.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s

// CHECK: pipe.value @value.0 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.1 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.2 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.3 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.4 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.5 : tensor<2x4xf32>
// CHECK-NEXT: pipe.input @input.x : tensor<2x4xf32> role data name "x"
// CHECK-NEXT: pipe.input @input.y : tensor<2x4xf32> role data name "y"
// CHECK-NEXT: pipe.input @input.targets : tensor<2xi64> role targets name "targets" {nn.ids = {below = 5 : i64, node = "loss"}}
// CHECK-NEXT: pipe.input @input.labels : tensor<2xi64> role labels name "targets"
// CHECK-NEXT: pipe.input @input.lr : tensor<f32> role lr name "lr"
// CHECK-NEXT: pipe.input @input.weight_decay : tensor<f32> role weight_decay name "weight_decay"
// CHECK-NEXT: pipe.output @output.norm : tensor<f32> name "norm"
// CHECK-NEXT: pipe.output @output.extra : tensor<f32> name "extra"
// CHECK-NEXT: pipe.output @output.loss : tensor<f32> name "loss"
// CHECK-NEXT: pipe.value @value.6 : tensor<2x4xf32>
// CHECK-NEXT: pipe.output @output.eval_target_count : tensor<f32> name "eval_target_count"
// CHECK-NEXT: pipe.output @output.eval_loss : tensor<f32> name "eval_loss"
// CHECK-NEXT: pipe.task @forward.0 stage 0 forward (%arg0: tensor<2x4xf32> from @input.x) -> (tensor<2x4xf32> to @value.0, tensor<2x4xf32> to @value.1) {
// CHECK-NEXT: %0 = nn.read @w : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %2 = nn.contract "bc,cm->bm" %arg0, %1 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %4 = nn.mul %2, %3 : tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %2, %4 : tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.1 stage 1 forward (%arg0: tensor<2x4xf32> from @value.1, %arg1: tensor<2x4xf32> from @input.y, %arg2: tensor<2xi64> from @input.targets) -> (tensor<2x4xf32> to @value.2, tensor<2x4xf32> to @value.3) {
// CHECK-NEXT: %0 = nn.read @v : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %arg0, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.mul %1, %2 : tensor<2x4xf32>
// CHECK-NEXT: %4 = nn.sub %3, %arg1 : tensor<2x4xf32>
// CHECK-NEXT: %5 = nn.sum %4, %arg0 : tensor<2x4xf32>
// CHECK-NEXT: %6 = nn.reduce %5 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %7 = nn.read @weights : tensor<f32>
// CHECK-NEXT: %8 = nn.mul %6, %7 : tensor<f32>
// CHECK-NEXT: nn.accumulate %8, @loss_sum : tensor<f32>
// CHECK-NEXT: %9 = nn.valid %arg2 : tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %10 = nn.reduce %9 [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %10, @target_count : tensor<f32>
// CHECK-NEXT: pipe.yield %4, %5 : tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.1 stage 1 backward (%arg0: tensor<2x4xf32> from @value.2, %arg1: tensor<2x4xf32> from @value.3, %arg2: tensor<2x4xf32> from @value.1) -> (tensor<2x4xf32> to @value.4, tensor<2x4xf32> to @value.5) {
// CHECK-NEXT: %0 = nn.scale %arg0 by 4.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.mul %0, %1 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.read @v : tensor<4x4xf32>
// CHECK-NEXT: %4 = nn.contract "bm,cm->bc" %2, %3 {nn.bwd} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %5 = nn.scale %arg1 by 2.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %6 = nn.contract "bc,bm->cm" %arg2, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %7 = nn.contract "bc,bm->cm" %5, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %8 = nn.sum %7, %6 {nn.bwd} : tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %8, @grad.v : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: %9 = nn.sum %4, %5 : tensor<2x4xf32>
// CHECK-NEXT: %10 = nn.sum %4, %5 : tensor<2x4xf32>
// CHECK-NEXT: %11 = nn.contract "bc,bm->cm" %arg0, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %11, @grad.w : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: pipe.yield %9, %10 : tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.0 stage 0 backward (%arg0: tensor<2x4xf32> from @value.0, %arg1: tensor<2x4xf32> from @value.5, %arg2: tensor<2x4xf32> from @value.4, %arg3: tensor<2x4xf32> from @input.x) {
// CHECK-NEXT: %0 = nn.scale %arg0 by 3.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.sum %0, %arg1 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.mul %arg2, %1 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.contract "bc,bm->cm" %arg3, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %3, @grad.w : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: pipe.yield
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @counts.1 stage 1 forward_backward (%arg0: tensor<2xi64> from @input.targets, %arg1: tensor<2xi64> from @input.labels) attributes {nn.ahead} {
// CHECK-NEXT: %0 = nn.valid %arg0 : tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %1 = nn.reduce %0 [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %1, @weights : tensor<f32>
// CHECK-NEXT: pipe.yield
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.0 stage 0 update (%arg0: tensor<f32> from @input.lr, %arg1: tensor<f32> from @input.weight_decay) -> (tensor<f32> to @output.norm, tensor<f32> to @output.extra) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.read @grad.w : tensor<4x4xf32>
// CHECK-NEXT: %2 = nn.sum_of_squares %1 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %3 = nn.sum %2 : tensor<f32>
// CHECK-NEXT: %4 = nn.sqrt %3 : tensor<f32>
// CHECK-NEXT: %5 = nn.read @w : tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.sgd %5, %1 grad_scale %0 lr %arg0 weight_decay %arg1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: nn.write %6, @w : tensor<4x4xf32>
// CHECK-NEXT: %7 = nn.read @unused : tensor<f32>
// CHECK-NEXT: %8 = nn.scale %7 by 5.000000e-01 : tensor<f32>
// CHECK-NEXT: nn.write %8, @unused : tensor<f32>
// CHECK-NEXT: %9 = nn.mul %arg0, %arg1 : tensor<f32>
// CHECK-NEXT: pipe.yield %4, %9 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.1 stage 1 update (%arg0: tensor<f32> from @input.lr, %arg1: tensor<f32> from @input.weight_decay) -> (tensor<f32> to @output.loss, tensor<f32> to @output.norm, tensor<f32> to @output.extra) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.read @target_count : tensor<f32>
// CHECK-NEXT: %2 = nn.read @loss_sum : tensor<f32>
// CHECK-NEXT: %3 = nn.div %2, %1 : tensor<f32>
// CHECK-NEXT: %4 = nn.read @grad.v : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.sum_of_squares %4 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %6 = nn.sum %5 : tensor<f32>
// CHECK-NEXT: %7 = nn.sqrt %6 : tensor<f32>
// CHECK-NEXT: %8 = nn.read @m.v : tensor<4x4xf32>
// CHECK-NEXT: %9 = nn.sum %8, %4 : tensor<4x4xf32>
// CHECK-NEXT: nn.write %9, @m.v : tensor<4x4xf32>
// CHECK-NEXT: %10 = nn.mul %arg0, %arg1 : tensor<f32>
// CHECK-NEXT: nn.write %0, @loss_sum : tensor<f32>
// CHECK-NEXT: nn.write %0, @weights : tensor<f32>
// CHECK-NEXT: pipe.yield %3, %7, %10 : tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate.0 stage 0 evaluate (%arg0: tensor<2x4xf32> from @input.x) -> (tensor<2x4xf32> to @value.6) {
// CHECK-NEXT: %0 = nn.read @w : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %arg0, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %1 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate.1 stage 1 evaluate (%arg0: tensor<2x4xf32> from @value.6) {
// CHECK-NEXT: %0 = nn.read @v : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %arg0, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.reduce %1 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %2, @eval_loss_sum : tensor<f32>
// CHECK-NEXT: pipe.yield
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate_result.0 stage 0 evaluate_result () -> (tensor<f32> to @output.eval_target_count) {
// CHECK-NEXT: %0 = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: pipe.yield %0 : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate_result.1 stage 1 evaluate_result () -> (tensor<f32> to @output.eval_loss) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.write %0, @eval_loss_sum : tensor<f32>
// CHECK-NEXT: pipe.yield %1 : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: }

nn.param @w : tensor<4x4xf32> init normal
nn.param @v : tensor<4x4xf32> init normal
nn.param @unused : tensor<f32> init zero
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @weights : tensor<f32> sum {nn.ahead}
nn.state @eval_loss_sum : tensor<f32> sum
nn.state @eval_target_count : tensor<f32> sum
nn.state @grad.w : tensor<4x4xf32> gradient of @w
nn.state @grad.v : tensor<4x4xf32> gradient of @v
nn.state @m.v : tensor<4x4xf32> exp_avg of @v

func.func @microbatch(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                      %y: tensor<2x4xf32> {nn.name = "y", nn.role = #nn.role<data>},
                      %t: tensor<2xi64> {nn.role = #nn.role<targets>, nn.ids = {below = 5 : i64, node = "loss"}}) {
  // Free of inputs and parameters, and a view of a parameter: in every task.
  %half = nn.constant dense<0.5> : tensor<2x4xf32>
  %w = nn.read @w : tensor<4x4xf32> {nn.stage = 0, dist.id = 7}
  %wt = nn.transpose %w [1, 0] {nn.stage = 0} : tensor<4x4xf32> -> tensor<4x4xf32>
  %h = nn.contract "bc,cm->bm" %x, %wt {nn.stage = 0, dist.id = 8} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %a = nn.mul %h, %half {nn.stage = 0} : tensor<2x4xf32>
  %v = nn.read @v : tensor<4x4xf32> {nn.stage = 1}
  %b = nn.contract "bc,cm->bm" %a, %v {nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %c = nn.mul %b, %half {nn.stage = 1} : tensor<2x4xf32>
  %d = nn.sub %c, %y {nn.stage = 1} : tensor<2x4xf32>
  %e = nn.sum %d, %a {nn.stage = 1} : tensor<2x4xf32>
  %s = nn.read @weights : tensor<f32> {nn.stage = 1}
  %l = nn.reduce %e [0, 1] {nn.stage = 1} : tensor<2x4xf32> -> tensor<f32>
  %m = nn.mul %l, %s {nn.stage = 1} : tensor<f32>
  nn.accumulate %m, @loss_sum : tensor<f32> {nn.stage = 1}
  // Counted where the loss is, wherever it says.
  %ok = nn.valid %t {nn.stage = 0} : tensor<2xi64> -> tensor<2xf32>
  %n = nn.reduce %ok [0] {nn.stage = 0} : tensor<2xf32> -> tensor<f32>
  nn.accumulate %n, @target_count : tensor<f32> {nn.stage = 0}
  %de = nn.scale %d by 4.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dc = nn.mul %de, %half {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %da = nn.contract "bm,cm->bc" %dc, %v {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %dd = nn.scale %e by 2.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dv = nn.contract "bc,bm->cm" %a, %dc {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %du = nn.contract "bc,bm->cm" %dd, %dc {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  // One stage's sum is added up whole.
  %duv = nn.sum %du, %dv {nn.bwd, nn.stage = 1} : tensor<4x4xf32>
  nn.accumulate %duv, @grad.v : tensor<4x4xf32> {nn.bwd, nn.stage = 1}
  // All of it is the second stage's: one value crosses. Of a sum with a part of
  // the first stage's own, one value and that.
  %dh = nn.sum %da, %dd {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dg = nn.scale %h by 3.0 {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %di = nn.sum %dg, %da, %dd {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dk = nn.mul %dh, %di {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dw = nn.contract "bc,bm->cm" %x, %dk {nn.bwd, nn.stage = 0} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  // Two stages' shares of one sum, and a share that is free.
  %dx = nn.contract "bc,bm->cm" %d, %dc {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %both = nn.sum %dw, %dx {nn.bwd, nn.stage = 0} : tensor<4x4xf32>
  nn.accumulate %both, @grad.w : tensor<4x4xf32> {nn.bwd, nn.stage = 0}
  return
}

func.func @counts(%t: tensor<2xi64> {nn.role = #nn.role<targets>},
                  %u: tensor<2xi64> {nn.role = #nn.role<labels>, nn.name = "targets"}) {
  %ok = nn.valid %t {nn.stage = 0} : tensor<2xi64> -> tensor<2xf32>
  %n = nn.reduce %ok [0] {dist.id = 3} : tensor<2xf32> -> tensor<f32>
  nn.accumulate %n, @weights : tensor<f32>
  return
}

func.func @update(%lr: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>},
                  %decay: tensor<f32> {nn.name = "weight_decay", nn.role = #nn.role<weight_decay>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}, tensor<f32> {nn.name = "extra"}) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %n = nn.read @target_count : tensor<f32> {dist.id = 9}
  %l = nn.read @loss_sum : tensor<f32>
  %loss = nn.div %l, %n : tensor<f32>
  %gw = nn.read @grad.w : tensor<4x4xf32>
  %sw = nn.sum_of_squares %gw : tensor<4x4xf32> -> tensor<f32>
  %gv = nn.read @grad.v : tensor<4x4xf32>
  %sv = nn.sum_of_squares %gv : tensor<4x4xf32> -> tensor<f32>
  %s = nn.sum %sw, %sv : tensor<f32>
  %norm = nn.sqrt %s : tensor<f32>
  %mv = nn.read @m.v : tensor<4x4xf32>
  %m = nn.sum %mv, %gv : tensor<4x4xf32>
  nn.write %m, @m.v : tensor<4x4xf32>
  %w = nn.read @w : tensor<4x4xf32>
  %nw = nn.sgd %w, %gw grad_scale %n lr %lr weight_decay %decay : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %nw, @w : tensor<4x4xf32>
  %u = nn.read @unused : tensor<f32>
  %nu = nn.scale %u by 0.5 : tensor<f32>
  nn.write %nu, @unused : tensor<f32>
  %e = nn.mul %lr, %decay : tensor<f32>
  nn.write %zero, @loss_sum : tensor<f32>
  nn.write %zero, @weights : tensor<f32>
  return %loss, %norm, %e : tensor<f32>, tensor<f32>, tensor<f32>
}

func.func @evaluate(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x4xf32> {nn.stage = 0}
  %h = nn.contract "bc,cm->bm" %x, %w {nn.stage = 0} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %v = nn.read @v : tensor<4x4xf32> {nn.stage = 1}
  %b = nn.contract "bc,cm->bm" %h, %v {nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %l = nn.reduce %b [0, 1] {nn.stage = 1} : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %l, @eval_loss_sum : tensor<f32> {nn.stage = 1}
  return
}

func.func @evaluate_result() -> (tensor<f32>, tensor<f32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %l = nn.read @eval_loss_sum : tensor<f32>
  %n = nn.read @eval_target_count : tensor<f32>
  nn.write %zero, @eval_loss_sum : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
