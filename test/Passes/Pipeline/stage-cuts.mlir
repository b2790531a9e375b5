// Two layers with a narrow value between them: 4 x 2 elements, where 4 x 8
// cross before and after. The cut point is there, and parameters are read in
// the stage of their layer. Values that are not activations (the count) have
// their first user's stage, or 0 without users.
// RUN: pcc-opt %s -nn-stage-cuts=stages=2 | FileCheck %s
// RUN: pcc-opt %s -nn-stage-cuts=stages=1 | FileCheck --check-prefix=ONE %s

nn.param @down : tensor<8x2xf32> init normal
nn.param @up : tensor<2x8xf32> init normal
// ONE-NOT: nn.stage = 1
func.func @loss(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                %targets: tensor<4x8xf32> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  // CHECK: nn.read @down {{.*}}{nn.stage = 0 : i64}
  %down = nn.read @down : tensor<8x2xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.stage = 0 : i64}
  %h = nn.contract "bc,cm->bm" %x, %down : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  // CHECK-NEXT: nn.tanh {{.*}}{nn.stage = 0 : i64}
  %t = nn.tanh %h : tensor<4x2xf32>
  // CHECK-NEXT: nn.read @up {{.*}}{nn.stage = 1 : i64}
  %up = nn.read @up : tensor<2x8xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.stage = 1 : i64}
  %y = nn.contract "bm,mc->bc" %t, %up : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: nn.sub {{.*}}{nn.stage = 1 : i64}
  %d = nn.sub %y, %targets : tensor<4x8xf32>
  // CHECK-NEXT: nn.mul {{.*}}{nn.stage = 1 : i64}
  %s = nn.mul %d, %d : tensor<4x8xf32>
  // CHECK-NEXT: nn.reduce {{.*}}{nn.stage = 1 : i64}
  %loss = nn.reduce %s [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // CHECK-NEXT: nn.constant {{.*}}{nn.stage = 0 : i64}
  %count = nn.constant dense<32.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
// @evaluate uses each parameter where training holds it.
func.func @evaluate(%t: tensor<4x2xf32> {nn.name = "t", nn.role = #nn.role<data>}) {
  // CHECK: nn.read @up {{.*}}{nn.stage = 1 : i64}
  %up = nn.read @up : tensor<2x8xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.stage = 1 : i64}
  %y = nn.contract "bm,mc->bc" %t, %up : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  return
}
