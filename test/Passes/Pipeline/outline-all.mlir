// All features of a training program of two stages: ops that every task may
// repeat, cotangents that are summed before they are sent, accumulations on
// several stages, counts before the microbatches, an evaluation.
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
// CHECK-NEXT: pipe.input @input.lr : tensor<f32> role lr name "lr"
// CHECK-NEXT: pipe.input @input.weight_decay : tensor<f32> role weight_decay name "weight_decay"
// CHECK-NEXT: pipe.output @output.norm : tensor<f32> name "norm"
// CHECK-NEXT: pipe.output @output.extra : tensor<f32> name "extra"
// CHECK-NEXT: pipe.output @output.loss : tensor<f32> name "loss"
// CHECK-NEXT: pipe.value @value.6 : tensor<2x4xf32>
// CHECK-NEXT: pipe.output @output.eval_target_count : tensor<f32> name "eval_target_count"
// CHECK-NEXT: pipe.output @output.eval_loss : tensor<f32> name "eval_loss"
// CHECK-NEXT: pipe.body @forward.0.body (%input.x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
// CHECK-NEXT: %0 = nn.transpose %w [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %input.x, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.mul %1, %2 : tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %1, %3 : tensor<2x4xf32>, tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@value.0, @value.1)
// CHECK-NEXT: pipe.body @forward.1.body (%value.1: tensor<2x4xf32>, %v: tensor<4x4xf32>, %input.y: tensor<2x4xf32>, %weights: tensor<f32>, %loss_sum: tensor<f32>, %input.targets: tensor<2xi64>, %target_count: tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32> into 4, tensor<f32> into 6) {
// CHECK-NEXT: %0 = nn.contract "bc,cm->bm" %value.1, %v : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.mul %0, %1 : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.sub %2, %input.y : tensor<2x4xf32>
// CHECK-NEXT: %4 = nn.sum %3, %value.1 : tensor<2x4xf32>
// CHECK-NEXT: %5 = nn.reduce %4 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %6 = nn.mul %5, %weights : tensor<f32>
// CHECK-NEXT: %7 = nn.sum %loss_sum, %6 : tensor<f32>
// CHECK-NEXT: %8 = nn.valid %input.targets : tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %9 = nn.reduce %8 [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: %10 = nn.sum %target_count, %9 : tensor<f32>
// CHECK-NEXT: pipe.yield %3, %4, %7, %10 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.1 stage 1 forward calls @forward.1.body (@value.1, @v, @input.y, @weights, @loss_sum, @input.targets, @target_count) -> (@value.2, @value.3, @loss_sum, @target_count)
// CHECK-NEXT: pipe.body @backward.1.body (%value.2: tensor<2x4xf32>, %v: tensor<4x4xf32>, %value.3: tensor<2x4xf32>, %value.1: tensor<2x4xf32>, %grad.v: tensor<4x4xf32>, %grad.w: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32> into 4, tensor<4x4xf32> into 5) {
// CHECK-NEXT: %0 = nn.scale %value.2 by 4.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.constant dense<5.000000e-01> : tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.mul %0, %1 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.contract "bm,cm->bc" %2, %v {nn.bwd} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %4 = nn.scale %value.3 by 2.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %5 = nn.contract "bc,bm->cm" %value.1, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.contract "bc,bm->cm" %4, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %7 = nn.sum %6, %5 {nn.bwd} : tensor<4x4xf32>
// CHECK-NEXT: %8 = nn.sum %grad.v, %7 : tensor<4x4xf32>
// CHECK-NEXT: %9 = nn.sum %3, %4 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %10 = nn.scale %3 by 5.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %11 = nn.scale %4 by 6.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %12 = nn.sum %10, %11 : tensor<2x4xf32>
// CHECK-NEXT: %13 = nn.contract "bc,bm->cm" %value.2, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %14 = nn.sum %grad.w, %13 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %9, %12, %8, %14 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.1 stage 1 backward calls @backward.1.body (@value.2, @v, @value.3, @value.1, @grad.v, @grad.w) -> (@value.4, @value.5, @grad.v, @grad.w)
// CHECK-NEXT: pipe.body @backward.0.body (%value.0: tensor<2x4xf32>, %value.5: tensor<2x4xf32>, %value.4: tensor<2x4xf32>, %input.x: tensor<2x4xf32>, %grad.w: tensor<4x4xf32>) -> (tensor<4x4xf32> into 4) {
// CHECK-NEXT: %0 = nn.scale %value.0 by 3.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.sum %0, %value.5 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.mul %value.4, %1 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %3 = nn.contract "bc,bm->cm" %input.x, %2 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %4 = nn.sum %grad.w, %3 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %4 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.0 stage 0 backward calls @backward.0.body (@value.0, @value.5, @value.4, @input.x, @grad.w) -> (@grad.w)
// CHECK-NEXT: pipe.body @counts.1.body (%input.targets: tensor<2xi64>, %weights: tensor<f32>) -> (tensor<f32> into 1) {
// CHECK-NEXT: %0 = nn.valid %input.targets : tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %1 = nn.reduce %0 [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: %2 = nn.sum %weights, %1 : tensor<f32>
// CHECK-NEXT: pipe.yield %2 : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @counts.1 stage 1 forward_backward calls @counts.1.body (@input.targets, @weights) -> (@weights) {nn.ahead}
// CHECK-NEXT: pipe.body @update.0.body (%input.lr: tensor<f32>, %input.weight_decay: tensor<f32>, %grad.w: tensor<4x4xf32>, %w: tensor<4x4xf32>, %unused: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<4x4xf32> into 3, tensor<f32> into 4) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.sum_of_squares %grad.w : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %2 = nn.sum %1 : tensor<f32>
// CHECK-NEXT: %3 = nn.sqrt %2 : tensor<f32>
// CHECK-NEXT: %4 = nn.sgd %w, %grad.w grad_scale %0 lr %input.lr weight_decay %input.weight_decay : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: %5 = nn.scale %unused by 5.000000e-01 : tensor<f32>
// CHECK-NEXT: %6 = nn.mul %input.lr, %input.weight_decay : tensor<f32>
// CHECK-NEXT: pipe.yield %3, %6, %4, %5 : tensor<f32>, tensor<f32>, tensor<4x4xf32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.0 stage 0 update calls @update.0.body (@input.lr, @input.weight_decay, @grad.w, @w, @unused) -> (@output.norm, @output.extra, @w, @unused)
// CHECK-NEXT: pipe.body @update.1.body (%input.lr: tensor<f32>, %input.weight_decay: tensor<f32>, %target_count: tensor<f32>, %loss_sum: tensor<f32>, %grad.v: tensor<4x4xf32>, %m.v: tensor<4x4xf32>, %weights: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32> into 3, tensor<4x4xf32> into 5, tensor<f32> into 6) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.div %loss_sum, %target_count : tensor<f32>
// CHECK-NEXT: %2 = nn.sum_of_squares %grad.v : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %3 = nn.sum %2 : tensor<f32>
// CHECK-NEXT: %4 = nn.sqrt %3 : tensor<f32>
// CHECK-NEXT: %5 = nn.sum %m.v, %grad.v : tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.mul %input.lr, %input.weight_decay : tensor<f32>
// CHECK-NEXT: pipe.yield %1, %4, %6, %0, %5, %0 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4x4xf32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.1 stage 1 update calls @update.1.body (@input.lr, @input.weight_decay, @target_count, @loss_sum, @grad.v, @m.v, @weights) -> (@output.loss, @output.norm, @output.extra, @loss_sum, @m.v, @weights)
// CHECK-NEXT: pipe.body @evaluate.0.body (%input.x: tensor<2x4xf32>, %w: tensor<4x4xf32>) -> (tensor<2x4xf32>) {
// CHECK-NEXT: %0 = nn.contract "bc,cm->bm" %input.x, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate.0 stage 0 evaluate calls @evaluate.0.body (@input.x, @w) -> (@value.6)
// CHECK-NEXT: pipe.body @evaluate.1.body (%value.6: tensor<2x4xf32>, %v: tensor<4x4xf32>, %eval_loss_sum: tensor<f32>) -> (tensor<f32> into 2) {
// CHECK-NEXT: %0 = nn.contract "bc,cm->bm" %value.6, %v : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.reduce %0 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %2 = nn.sum %eval_loss_sum, %1 : tensor<f32>
// CHECK-NEXT: pipe.yield %2 : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate.1 stage 1 evaluate calls @evaluate.1.body (@value.6, @v, @eval_loss_sum) -> (@eval_loss_sum)
// CHECK-NEXT: pipe.body @evaluate_result.0.body (%eval_target_count: tensor<f32>) -> (tensor<f32>) {
// CHECK-NEXT: pipe.yield %eval_target_count : tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate_result.0 stage 0 evaluate_result calls @evaluate_result.0.body (@eval_target_count) -> (@output.eval_target_count)
// CHECK-NEXT: pipe.body @evaluate_result.1.body (%eval_loss_sum: tensor<f32>) -> (tensor<f32>, tensor<f32> into 0) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: pipe.yield %eval_loss_sum, %0 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @evaluate_result.1 stage 1 evaluate_result calls @evaluate_result.1.body (@eval_loss_sum) -> (@output.eval_loss, @eval_loss_sum)
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
  // A constant and a view of a parameter: repeated in every task that needs
  // them.
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
  // Counted on the stage of the loss, regardless of its nn.stage.
  %ok = nn.valid %t {nn.stage = 0} : tensor<2xi64> -> tensor<2xf32>
  %n = nn.reduce %ok [0] {nn.stage = 0} : tensor<2xf32> -> tensor<f32>
  nn.accumulate %n, @target_count : tensor<f32> {nn.stage = 0}
  %de = nn.scale %d by 4.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dc = nn.mul %de, %half {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %da = nn.contract "bm,cm->bc" %dc, %v {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %dd = nn.scale %e by 2.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dv = nn.contract "bc,bm->cm" %a, %dc {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %du = nn.contract "bc,bm->cm" %dd, %dc {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  // All operands of this sum are on one stage: it is added as one value.
  %duv = nn.sum %du, %dv {nn.bwd, nn.stage = 1} : tensor<4x4xf32>
  nn.accumulate %duv, @grad.v : tensor<4x4xf32> {nn.bwd, nn.stage = 1}
  // If the second stage has all operands of a sum, one value is sent. If one
  // operand is on the first stage, the second sends the sum of the others.
  %dh = nn.sum %da, %dd {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dg = nn.scale %h by 3.0 {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dp = nn.scale %da by 5.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dq = nn.scale %dd by 6.0 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %di = nn.sum %dg, %dp, %dq {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dk = nn.mul %dh, %di {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dw = nn.contract "bc,bm->cm" %x, %dk {nn.bwd, nn.stage = 0} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  // A sum of contributions of two stages.
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
