// Two stages of a training program become tasks. The activation and its
// cotangent are passed as pipe.values; inputs and outputs are bound to symbols;
// each stage updates the parameter that it holds.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s

nn.param @w : tensor<8x2xf32> init normal
nn.param @v : tensor<2x8xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<8x2xf32> gradient of @w
nn.state @grad.v : tensor<2x8xf32> gradient of @v

// CHECK: pipe.value @[[H:value.*]] : tensor<4x2xf32>
// CHECK: pipe.value @[[Z:value.*]] : tensor<4x8xf32>
// CHECK: pipe.value @[[DH:value.*]] : tensor<4x2xf32>
// CHECK-DAG: pipe.input @input.x : tensor<4x8xf32> role data name "x"
// CHECK-DAG: pipe.input @input.lr : tensor<f32> role lr name "lr"
// CHECK-DAG: pipe.output @output.loss : tensor<f32> name "loss"
// CHECK-DAG: pipe.output @output.norm : tensor<f32> name "norm"

// CHECK: pipe.body @forward.0.body (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>) -> (tensor<4x2xf32>) {
// CHECK-NEXT: %[[Y:.*]] = nn.contract "bc,cm->bm" %[[X]], %[[W]]
// CHECK-NEXT: pipe.yield %[[Y]]
// CHECK: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@[[H]])

// Accumulators are arguments, and results are written to them.
// CHECK: pipe.body @forward.1.body (%[[Y:.*]]: tensor<4x2xf32>, %[[V:.*]]: tensor<2x8xf32>, %[[L0:.*]]: tensor<f32>, %[[N0:.*]]: tensor<f32>) -> (tensor<4x8xf32>, tensor<f32> into 2, tensor<f32> into 3) {
// CHECK-NEXT: %[[ZZ:.*]] = nn.contract "bm,mc->bc" %[[Y]], %[[V]]
// CHECK-NEXT: %[[S:.*]] = nn.mul %[[ZZ]], %[[ZZ]]
// CHECK-NEXT: %[[L:.*]] = nn.reduce %[[S]]
// CHECK-NEXT: %[[L1:.*]] = nn.sum %[[L0]], %[[L]]
// CHECK-NEXT: %[[N:.*]] = nn.constant dense<3.200000e+01>
// CHECK-NEXT: %[[N1:.*]] = nn.sum %[[N0]], %[[N]]
// CHECK-NEXT: pipe.yield %[[ZZ]], %[[L1]], %[[N1]]
// CHECK: pipe.task @forward.1 stage 1 forward calls @forward.1.body (@[[H]], @v, @loss_sum, @target_count) -> (@[[Z]], @loss_sum, @target_count)

// A parameter is not passed as a value: the backward task takes it again.
// CHECK: pipe.body @backward.1.body (%[[ZZ:.*]]: tensor<4x8xf32>, %[[V:.*]]: tensor<2x8xf32>, %[[Y:.*]]: tensor<4x2xf32>, %[[GV:.*]]: tensor<2x8xf32>) -> (tensor<4x2xf32>, tensor<2x8xf32> into 3) {
// CHECK-NEXT: %[[DZ:.*]] = nn.scale %[[ZZ]] by 2.0
// CHECK-NEXT: %[[DY:.*]] = nn.contract "bc,mc->bm" %[[DZ]], %[[V]]
// CHECK-NEXT: %[[DV:.*]] = nn.contract "bm,bc->mc" %[[Y]], %[[DZ]]
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[GV]], %[[DV]]
// CHECK-NEXT: pipe.yield %[[DY]], %[[SUM]]
// CHECK: pipe.task @backward.1 stage 1 backward calls @backward.1.body (@[[Z]], @v, @[[H]], @grad.v) -> (@[[DH]], @grad.v)

// CHECK: pipe.body @backward.0.body (%[[X:.*]]: tensor<4x8xf32>, %[[DY:.*]]: tensor<4x2xf32>, %[[GW:.*]]: tensor<8x2xf32>) -> (tensor<8x2xf32> into 2) {
// CHECK-NEXT: %[[DW:.*]] = nn.contract "bc,bm->cm" %[[X]], %[[DY]]
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[GW]], %[[DW]]
// CHECK-NEXT: pipe.yield %[[SUM]]
// CHECK: pipe.task @backward.0 stage 0 backward calls @backward.0.body (@input.x, @[[DH]], @grad.w) -> (@grad.w)
func.func @microbatch(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<8x2xf32> {nn.stage = 0}
  %y = nn.contract "bc,cm->bm" %x, %w {nn.stage = 0} : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %v = nn.read @v : tensor<2x8xf32> {nn.stage = 1}
  %z = nn.contract "bm,mc->bc" %y, %v {nn.stage = 1} : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  %s = nn.mul %z, %z {nn.stage = 1} : tensor<4x8xf32>
  %l = nn.reduce %s [0, 1] {nn.stage = 1} : tensor<4x8xf32> -> tensor<f32>
  %n = nn.constant dense<32.0> : tensor<f32> {nn.stage = 1}
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.stage = 1}
  nn.accumulate %n, @target_count : tensor<f32> {nn.stage = 1}
  %dz = nn.scale %z by 2.0 {nn.bwd, nn.stage = 1} : tensor<4x8xf32>
  %dy = nn.contract "bc,mc->bm" %dz, %v {nn.bwd, nn.stage = 1} : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  %dv = nn.contract "bm,bc->mc" %y, %dz {nn.bwd, nn.stage = 1} : tensor<4x2xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  nn.accumulate %dv, @grad.v : tensor<2x8xf32> {nn.bwd, nn.stage = 1}
  %dw = nn.contract "bc,bm->cm" %x, %dy {nn.bwd, nn.stage = 0} : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<8x2xf32>
  nn.accumulate %dw, @grad.w : tensor<8x2xf32> {nn.bwd, nn.stage = 0}
  return
}

// CHECK: pipe.body @update.0.body
// CHECK: %[[W:.*]] = nn.sgd %w
// CHECK: pipe.yield %{{.*}}, %[[W]] :
// CHECK: pipe.task @update.0 stage 0 update calls @update.0.body (@input.lr, @input.weight_decay, @grad.w, @w) -> (@output.norm, @w)
// CHECK: pipe.body @update.1.body
// CHECK: %[[V:.*]] = nn.sgd %v
// CHECK: pipe.yield %{{.*}}, %{{.*}}, %[[V]] :
// CHECK: pipe.task @update.1 stage 1 update calls @update.1.body (@input.lr, @input.weight_decay, @target_count, @loss_sum, @grad.v, @v) -> (@output.loss, @output.norm, @v)
func.func @update(%lr: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>},
                  %decay: tensor<f32> {nn.name = "weight_decay", nn.role = #nn.role<weight_decay>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %n = nn.read @target_count : tensor<f32>
  %l = nn.read @loss_sum : tensor<f32>
  %loss = nn.div %l, %n : tensor<f32>
  %gw = nn.read @grad.w : tensor<8x2xf32>
  %sw = nn.sum_of_squares %gw : tensor<8x2xf32> -> tensor<f32>
  %gv = nn.read @grad.v : tensor<2x8xf32>
  %sv = nn.sum_of_squares %gv : tensor<2x8xf32> -> tensor<f32>
  %s = nn.sum %sw, %sv : tensor<f32>
  %norm = nn.sqrt %s : tensor<f32>
  %w = nn.read @w : tensor<8x2xf32>
  %nw = nn.sgd %w, %gw grad_scale %n lr %lr weight_decay %decay : tensor<8x2xf32>, tensor<8x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %nw, @w : tensor<8x2xf32>
  %v = nn.read @v : tensor<2x8xf32>
  %nv = nn.sgd %v, %gv grad_scale %n lr %lr weight_decay %decay : tensor<2x8xf32>, tensor<2x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %nv, @v : tensor<2x8xf32>
  return %loss, %norm : tensor<f32>, tensor<f32>
}
