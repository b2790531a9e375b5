// Stages are divided into segments where the fewest bytes cross; each
// repetition is one segment, and a stage starts with a new segment.
// RUN: pcc-opt %s -split-input-file -nn-segments | FileCheck %s

// An embedding, two layers of two GEMMs each, and a head. Parameters are read
// in the segment that uses them; values that are not activations (the count)
// belong to the first segment.
nn.param @table : tensor<16x4xf32> init normal
nn.param @down : tensor<4x8xf32> init normal
nn.param @up : tensor<8x4xf32> init normal
nn.param @down2 : tensor<4x8xf32> init normal
nn.param @up2 : tensor<8x4xf32> init normal
nn.param @head : tensor<16x4xf32> init normal
// CHECK-LABEL: func.func @loss(
func.func @loss(%tokens: tensor<2x3xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
                %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  // CHECK-NEXT: nn.read @table {{.*}}{nn.segment = 0 : i64}
  %table = nn.read @table : tensor<16x4xf32>
  // CHECK-NEXT: nn.embedding {{.*}}{nn.segment = 0 : i64}
  %x = nn.embedding %tokens, %table : tensor<2x3xi64>, tensor<16x4xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: nn.read @down {{.*}}{nn.segment = 1 : i64}
  %down = nn.read @down : tensor<4x8xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 1 : i64}
  %h = nn.contract "bsc,cm->bsm" %x, %down : tensor<2x3x4xf32>, tensor<4x8xf32> -> tensor<2x3x8xf32>
  // CHECK-NEXT: nn.gelu {{.*}}{nn.segment = 1 : i64}
  %a = nn.gelu %h : tensor<2x3x8xf32>
  // CHECK-NEXT: nn.read @up {{.*}}{nn.segment = 1 : i64}
  %up = nn.read @up : tensor<8x4xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 1 : i64}
  %y = nn.contract "bsm,mc->bsc" %a, %up : tensor<2x3x8xf32>, tensor<8x4xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: nn.sum {{.*}}{nn.segment = 1 : i64}
  %z = nn.sum %x, %y : tensor<2x3x4xf32>
  // CHECK-NEXT: nn.read @down2 {{.*}}{nn.segment = 2 : i64}
  %down2 = nn.read @down2 : tensor<4x8xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 2 : i64}
  %h2 = nn.contract "bsc,cm->bsm" %z, %down2 : tensor<2x3x4xf32>, tensor<4x8xf32> -> tensor<2x3x8xf32>
  // CHECK-NEXT: nn.gelu {{.*}}{nn.segment = 2 : i64}
  %a2 = nn.gelu %h2 : tensor<2x3x8xf32>
  // CHECK-NEXT: nn.read @up2 {{.*}}{nn.segment = 2 : i64}
  %up2 = nn.read @up2 : tensor<8x4xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 2 : i64}
  %y2 = nn.contract "bsm,mc->bsc" %a2, %up2 : tensor<2x3x8xf32>, tensor<8x4xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: nn.sum {{.*}}{nn.segment = 2 : i64}
  %z2 = nn.sum %z, %y2 : tensor<2x3x4xf32>
  // CHECK-NEXT: nn.read @head {{.*}}{nn.segment = 3 : i64}
  %head = nn.read @head : tensor<16x4xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 3 : i64}
  %logits = nn.contract "bsc,vc->bsv" %z2, %head : tensor<2x3x4xf32>, tensor<16x4xf32> -> tensor<2x3x16xf32>
  // CHECK-NEXT: nn.cross_entropy {{.*}}nn.segment = 3 : i64
  %loss, %lse = nn.cross_entropy %logits, %targets classes 16 : tensor<2x3x16xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  // CHECK-NEXT: nn.reduce {{.*}}{nn.segment = 3 : i64}
  %sum = nn.reduce %loss [0, 1] : tensor<2x3xf32> -> tensor<f32>
  // CHECK-NEXT: nn.constant {{.*}}{nn.segment = 0 : i64}
  %count = nn.constant dense<6.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
// An evaluation, which computes fewer values, uses its parameters' segments.
// CHECK-LABEL: func.func @evaluate(
func.func @evaluate(%x: tensor<2x3x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  // CHECK-NEXT: nn.read @down2 {{.*}}{nn.segment = 2 : i64}
  %down2 = nn.read @down2 : tensor<4x8xf32>
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 2 : i64}
  %h2 = nn.contract "bsc,cm->bsm" %x, %down2 : tensor<2x3x4xf32>, tensor<4x8xf32> -> tensor<2x3x8xf32>
  // An op without parameters has the last segment of its operands.
  // CHECK-NEXT: nn.gelu {{.*}}{nn.segment = 2 : i64}
  %a2 = nn.gelu %h2 : tensor<2x3x8xf32>
  return
}

// -----

// A cut point within a layer: the parts of the layer on both stages are
// separate segments.
nn.param @down : tensor<4x8xf32> init normal
nn.param @up : tensor<8x4xf32> init normal
// CHECK-LABEL: func.func @loss(
func.func @loss(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                %targets: tensor<2x4xf32> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  // CHECK-NEXT: nn.read @down {{.*}}{nn.segment = 0 : i64, nn.stage = 0 : i64}
  %down = nn.read @down : tensor<4x8xf32> {nn.stage = 0 : i64}
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 0 : i64, nn.stage = 0 : i64}
  %h = nn.contract "bc,cm->bm" %x, %down {nn.stage = 0 : i64} : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: nn.read @up {{.*}}{nn.segment = 1 : i64, nn.stage = 1 : i64}
  %up = nn.read @up : tensor<8x4xf32> {nn.stage = 1 : i64}
  // CHECK-NEXT: nn.contract {{.*}}{nn.segment = 1 : i64, nn.stage = 1 : i64}
  %y = nn.contract "bm,mc->bc" %h, %up {nn.stage = 1 : i64} : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: nn.sub {{.*}}{nn.segment = 1 : i64, nn.stage = 1 : i64}
  %d = nn.sub %y, %targets {nn.stage = 1 : i64} : tensor<2x4xf32>
  // CHECK-NEXT: nn.reduce {{.*}}{nn.segment = 1 : i64, nn.stage = 1 : i64}
  %sum = nn.reduce %d [0, 1] {nn.stage = 1 : i64} : tensor<2x4xf32> -> tensor<f32>
  // CHECK-NEXT: nn.constant {{.*}}{nn.segment = 1 : i64, nn.stage = 1 : i64}
  %count = nn.constant dense<8.0> : tensor<f32> {nn.stage = 1 : i64}
  return %sum, %count : tensor<f32>, tensor<f32>
}
