// An evaluation uses each parameter on a stage that holds it in training, also
// through a transpose. A table that two stages hold is used on the first of
// them that has the other operands. Ops without parameters are on the stage of
// their operands.
// RUN: pcc-opt %s -nn-stage-cuts="stages=2 cut=up" -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @loss(
// CHECK: nn.read @table {{.*}}nn.stage = 0
// CHECK: nn.contract {{.*}}nn.stage = 0
// CHECK: nn.transpose {{.*}}nn.stage = 1
// CHECK: nn.contract {{.*}}nn.stage = 1
// CHECK: nn.broadcast {{.*}}nn.stage = 1
nn.param @table : tensor<8x2xf32> init normal
nn.param @scale : tensor<8xf32> init one
func.func @loss(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %table = nn.read @table : tensor<8x2xf32>
  %h = nn.contract "bc,cm->bm" %x, %table : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32> loc("down")
  %t = nn.transpose %table [1, 0] : tensor<8x2xf32> -> tensor<2x8xf32>
  %y = nn.contract "bm,mc->bc" %h, %t : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32> loc("up")
  %g = nn.read @scale : tensor<8xf32>
  %gs = nn.broadcast %g [1] : tensor<8xf32> -> tensor<4x8xf32>
  %z = nn.mul %y, %gs : tensor<4x8xf32> loc("scale")
  %loss = nn.reduce %z [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %count = nn.constant dense<32.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
// The scale is on the second stage, so its users are, too. A table that is used
// after the scale is read on the second stage, a table used before it on the
// first.
// CHECK-LABEL: func.func @evaluate(
// CHECK-NEXT: nn.read @table {{.*}}nn.stage = 0
// CHECK-NEXT: nn.contract "bc,cm->bm" {{.*}}nn.stage = 0
// CHECK-NEXT: nn.read @scale {{.*}}nn.stage = 1
// CHECK-NEXT: nn.broadcast {{.*}}nn.stage = 1
// CHECK-NEXT: nn.mul {{.*}}nn.stage = 1
// CHECK-NEXT: nn.contract "bc,cm->bm" {{.*}}nn.stage = 1
// CHECK-NEXT: nn.tanh {{.*}}nn.stage = 1
// CHECK-NEXT: nn.sub {{.*}}nn.stage = 1
// CHECK-NEXT: nn.constant {{.*}}nn.stage = 0
func.func @evaluate(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %table = nn.read @table : tensor<8x2xf32>
  %h = nn.contract "bc,cm->bm" %x, %table : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %g = nn.read @scale : tensor<8xf32>
  %gs = nn.broadcast %g [1] : tensor<8xf32> -> tensor<4x8xf32>
  %y = nn.mul %x, %gs : tensor<4x8xf32>
  %z = nn.contract "bc,cm->bm" %y, %table : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %t = nn.tanh %z : tensor<4x2xf32>
  %d = nn.sub %t, %h : tensor<4x2xf32>
  %c = nn.constant dense<1.0> : tensor<f32>
  return
}

// -----

// One op uses parameters of two stages, and no stage holds both.
nn.param @down : tensor<8x8xf32> init normal
nn.param @g : tensor<8xf32> init one
nn.param @up : tensor<8x8xf32> init normal
nn.param @b : tensor<8xf32> init zero
func.func @loss(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %w = nn.read @down : tensor<8x8xf32>
  %h = nn.contract "bc,cm->bm" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("down")
  %g = nn.read @g : tensor<8xf32>
  %n, %r = nn.rms_norm %h scale %g eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4xf32>
  %u = nn.read @up : tensor<8x8xf32>
  %y = nn.contract "bc,cm->bm" %n, %u : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> loc("up")
  %b = nn.read @b : tensor<8xf32>
  %bs = nn.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32>
  %z = nn.sum %y, %bs : tensor<4x8xf32>
  %loss = nn.reduce %z [0, 1] : tensor<4x8xf32> -> tensor<f32>
  %count = nn.constant dense<32.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
func.func @evaluate(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %g = nn.read @g : tensor<8xf32>
  %b = nn.read @b : tensor<8xf32>
  // expected-error @+1 {{uses parameters that no one stage holds}}
  %n, %m, %r = nn.layer_norm %x scale %g bias %b eps 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}
