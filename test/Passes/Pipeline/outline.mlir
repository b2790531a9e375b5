// Two stages of a training program become tasks. The activation and its
// cotangent cross as pipe.values; inputs and outputs are bound to symbols; each
// stage updates the parameter that it holds.
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

// CHECK: pipe.task @forward.0 stage 0 forward (%[[X:.*]]: tensor<4x8xf32> from @input.x) -> (tensor<4x2xf32> to @[[H]]) {
// CHECK-NEXT: %[[W:.*]] = nn.read @w
// CHECK-NEXT: %[[Y:.*]] = nn.contract "bc,cm->bm" %[[X]], %[[W]]
// CHECK-NEXT: pipe.yield %[[Y]]

// CHECK: pipe.task @forward.1 stage 1 forward (%[[Y:.*]]: tensor<4x2xf32> from @[[H]]) -> (tensor<4x8xf32> to @[[Z]]) {
// CHECK-NEXT: %[[V:.*]] = nn.read @v
// CHECK-NEXT: %[[ZZ:.*]] = nn.contract "bm,mc->bc" %[[Y]], %[[V]]
// CHECK-NEXT: %[[S:.*]] = nn.mul %[[ZZ]], %[[ZZ]]
// CHECK-NEXT: %[[L:.*]] = nn.reduce %[[S]]
// CHECK-NEXT: nn.accumulate %[[L]], @loss_sum
// CHECK-NEXT: %[[N:.*]] = nn.constant dense<3.200000e+01>
// CHECK-NEXT: nn.accumulate %[[N]], @target_count
// CHECK-NEXT: pipe.yield %[[ZZ]]

// A parameter is no value that crosses: the backward reads it again.
// CHECK: pipe.task @backward.1 stage 1 backward (%[[ZZ:.*]]: tensor<4x8xf32> from @[[Z]], %[[Y:.*]]: tensor<4x2xf32> from @[[H]]) -> (tensor<4x2xf32> to @[[DH]]) {
// CHECK-NEXT: %[[DZ:.*]] = nn.scale %[[ZZ]] by 2.0
// CHECK-NEXT: %[[V:.*]] = nn.read @v
// CHECK-NEXT: %[[DY:.*]] = nn.contract "bc,mc->bm" %[[DZ]], %[[V]]
// CHECK-NEXT: %[[DV:.*]] = nn.contract "bm,bc->mc" %[[Y]], %[[DZ]]
// CHECK-NEXT: nn.accumulate %[[DV]], @grad.v
// CHECK-NEXT: pipe.yield %[[DY]]

// CHECK: pipe.task @backward.0 stage 0 backward (%[[X:.*]]: tensor<4x8xf32> from @input.x, %[[DY:.*]]: tensor<4x2xf32> from @[[DH]]) {
// CHECK-NEXT: %[[DW:.*]] = nn.contract "bc,bm->cm" %[[X]], %[[DY]]
// CHECK-NEXT: nn.accumulate %[[DW]], @grad.w
// CHECK-NEXT: pipe.yield
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

// CHECK: pipe.task @update.0 stage 0 update (%{{.*}}: tensor<f32> from @input.lr
// CHECK-NOT: @v
// CHECK: nn.write %{{.*}}, @w
// CHECK: pipe.task @update.1 stage 1 update (%{{.*}}: tensor<f32> from @input.lr
// CHECK-NOT: @w
// CHECK: nn.write %{{.*}}, @v
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
