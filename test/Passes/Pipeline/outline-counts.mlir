// Heads after layers of two stages, each with a separate count that is
// accumulated before the step. A stage accumulates the counts that its tasks
// read, from the inputs of these counts. A count that both read is on both.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s
// RUN: pcc-opt %s -pipe-outline -pipe-schedule=microbatches=3 -pipe-check -o /dev/null
// RUN: pcc-opt %s -pipe-outline -pipe-schedule="microbatches=3 kind=gpipe ahead" -pipe-check -o /dev/null

// CHECK: pipe.body @counts.0.body (%[[E:[^:]*]]: tensor<2x4xf32>, %[[C0:[^:]*]]: tensor<f32>, %[[B0:[^:]*]]: tensor<f32>) -> (tensor<f32> into 1, tensor<f32> into 2) {
// CHECK-NEXT: %[[R0:.*]] = nn.reduce %[[E]] [0, 1]
// CHECK-NEXT: nn.sum %[[C0]], %[[R0]]
// CHECK: nn.sum %[[B0]]
// CHECK: pipe.task @counts.0 stage 0 forward_backward calls @counts.0.body (@input.early, @step_count.0, @step_batches) -> (@step_count.0, @step_batches) {nn.ahead}
// CHECK: pipe.body @counts.1.body (%[[L:[^:]*]]: tensor<2x4xf32>, %[[C1:[^:]*]]: tensor<f32>, %[[B1:[^:]*]]: tensor<f32>) -> (tensor<f32> into 1, tensor<f32> into 2) {
// CHECK-NEXT: %[[R1:.*]] = nn.reduce %[[L]] [0, 1]
// CHECK-NEXT: nn.sum %[[C1]], %[[R1]]
// CHECK: nn.sum %[[B1]]
// CHECK: pipe.task @counts.1 stage 1 forward_backward calls @counts.1.body (@input.late, @step_count.1, @step_batches) -> (@step_count.1, @step_batches) {nn.ahead}

// Each stage clears its counts.
// CHECK: pipe.task @update.0 {{.*}} -> ({{.*}}, @w, @step_count.0, @step_batches)
// CHECK: pipe.task @update.1 {{.*}} -> ({{.*}}, @v, @step_count.1, @step_batches)

nn.param @w : tensor<4x4xf32> init normal
nn.param @v : tensor<4x4xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @step_count.0 : tensor<f32> sum {nn.ahead}
nn.state @step_count.1 : tensor<f32> sum {nn.ahead}
nn.state @step_batches : tensor<f32> sum {nn.ahead}
nn.state @grad.w : tensor<4x4xf32> gradient of @w
nn.state @grad.v : tensor<4x4xf32> gradient of @v

func.func @microbatch(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x4xf32> {nn.stage = 0}
  %h = nn.contract "bc,cm->bm" %x, %w {nn.stage = 0} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %c0 = nn.read @step_count.0 : tensor<f32> {nn.stage = 0}
  %n0 = nn.read @step_batches : tensor<f32> {nn.stage = 0}
  %s0 = nn.reduce %h [0, 1] {nn.stage = 0} : tensor<2x4xf32> -> tensor<f32>
  %d0 = nn.div %s0, %c0 {nn.stage = 0} : tensor<f32>
  %p0 = nn.mul %d0, %n0 {nn.stage = 0} : tensor<f32>
  %v = nn.read @v : tensor<4x4xf32> {nn.stage = 1}
  %o = nn.contract "bc,cm->bm" %h, %v {nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %c1 = nn.read @step_count.1 : tensor<f32> {nn.stage = 1}
  %n1 = nn.read @step_batches : tensor<f32> {nn.stage = 1}
  %s1 = nn.reduce %o [0, 1] {nn.stage = 1} : tensor<2x4xf32> -> tensor<f32>
  %d1 = nn.div %s1, %c1 {nn.stage = 1} : tensor<f32>
  %p1 = nn.mul %d1, %n1 {nn.stage = 1} : tensor<f32>
  %l = nn.sum %p0, %p1 {nn.stage = 1} : tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.stage = 1}
  %one = nn.constant dense<1.0> : tensor<f32>
  nn.accumulate %one, @target_count : tensor<f32> {nn.stage = 1}
  %wide1 = nn.broadcast %c1 [] {nn.bwd, nn.stage = 1} : tensor<f32> -> tensor<2x4xf32>
  %do = nn.mul %o, %wide1 {nn.bwd, nn.stage = 1} : tensor<2x4xf32>
  %dv = nn.contract "bc,bm->cm" %h, %do {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  nn.accumulate %dv, @grad.v : tensor<4x4xf32> {nn.bwd, nn.stage = 1}
  %dh = nn.contract "bm,cm->bc" %do, %v {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %wide0 = nn.broadcast %c0 [] {nn.bwd, nn.stage = 0} : tensor<f32> -> tensor<2x4xf32>
  %de = nn.mul %h, %wide0 {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %da = nn.sum %dh, %de {nn.bwd, nn.stage = 0} : tensor<2x4xf32>
  %dw = nn.contract "bc,bm->cm" %x, %da {nn.bwd, nn.stage = 0} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  nn.accumulate %dw, @grad.w : tensor<4x4xf32> {nn.bwd, nn.stage = 0}
  return
}

func.func @counts(%early: tensor<2x4xf32> {nn.name = "early", nn.role = #nn.role<data>},
                  %late: tensor<2x4xf32> {nn.name = "late", nn.role = #nn.role<data>}) {
  %e = nn.reduce %early [0, 1] : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %e, @step_count.0 : tensor<f32>
  %l = nn.reduce %late [0, 1] : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %l, @step_count.1 : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  nn.accumulate %one, @step_batches : tensor<f32>
  return
}

func.func @update(%lr: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>},
                  %decay: tensor<f32> {nn.name = "weight_decay", nn.role = #nn.role<weight_decay>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %n = nn.read @target_count : tensor<f32>
  %l = nn.read @loss_sum : tensor<f32>
  %loss = nn.div %l, %n : tensor<f32>
  %gw = nn.read @grad.w : tensor<4x4xf32>
  %sw = nn.sum_of_squares %gw : tensor<4x4xf32> -> tensor<f32>
  %gv = nn.read @grad.v : tensor<4x4xf32>
  %sv = nn.sum_of_squares %gv : tensor<4x4xf32> -> tensor<f32>
  %s = nn.sum %sw, %sv : tensor<f32>
  %norm = nn.sqrt %s : tensor<f32>
  %w = nn.read @w : tensor<4x4xf32>
  %nw = nn.sgd %w, %gw grad_scale %lr lr %lr weight_decay %decay : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %nw, @w : tensor<4x4xf32>
  %v = nn.read @v : tensor<4x4xf32>
  %nv = nn.sgd %v, %gv grad_scale %lr lr %lr weight_decay %decay : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %nv, @v : tensor<4x4xf32>
  %zw = nn.constant dense<0.0> : tensor<4x4xf32>
  nn.write %zw, @grad.w : tensor<4x4xf32>
  nn.write %zw, @grad.v : tensor<4x4xf32>
  nn.write %zero, @loss_sum : tensor<f32>
  nn.write %zero, @target_count : tensor<f32>
  nn.write %zero, @step_count.0 : tensor<f32>
  nn.write %zero, @step_count.1 : tensor<f32>
  nn.write %zero, @step_batches : tensor<f32>
  return %loss, %norm : tensor<f32>, tensor<f32>
}
