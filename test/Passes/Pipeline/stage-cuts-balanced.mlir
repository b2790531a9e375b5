// Ten layers of several widths. A cut point is where fewer bytes cross than on
// either side, between two GEMMs; of those, the cuts that minimize the cost of
// the most expensive stage are chosen. A narrow value before the first GEMM or
// after the last is no cut point. Stages are in program order.
// RUN: pcc-opt %s -nn-stage-cuts=stages=2 | FileCheck %s --check-prefix=OF-2
// RUN: pcc-opt %s -nn-stage-cuts=stages=3 | FileCheck %s --check-prefix=OF-3
// RUN: pcc-opt %s -nn-stage-cuts=stages=4 | FileCheck %s --check-prefix=OF-4
// RUN: pcc-opt %s -nn-stage-cuts=stages=5 | FileCheck %s --check-prefix=OF-5
// RUN: not pcc-opt %s -nn-stage-cuts=stages=9 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: pcc-opt %s -nn-stage-cuts="stages=4 cut=l1,l4.act,l7" | FileCheck %s --check-prefix=NAMED
// MOST: error: cannot cut the model into 9 pipeline stages: it has 5 cut points
// MOST: note: --pp may be at most 6

// OF-2: nn.broadcast {{.*}}nn.stage = 0
// OF-2: nn.sum {{.*}}nn.stage = 0
// OF-2: nn.reduce {{.*}}nn.stage = 0
// OF-2: nn.broadcast {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 0
// OF-2: nn.tanh {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 0
// OF-2: nn.tanh {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 0
// OF-2: nn.tanh {{.*}}nn.stage = 0
// OF-2: nn.contract {{.*}}nn.stage = 1
// OF-2: nn.contract {{.*}}nn.stage = 1
// OF-2: nn.contract {{.*}}nn.stage = 1
// OF-2: nn.contract {{.*}}nn.stage = 1
// OF-2: nn.contract {{.*}}nn.stage = 1
// OF-2: nn.reduce {{.*}}nn.stage = 1
// OF-2: nn.tanh {{.*}}nn.stage = 1
// OF-2: nn.reduce {{.*}}nn.stage = 1
// OF-2: nn.constant {{.*}}nn.stage = 0

// OF-3: nn.broadcast {{.*}}nn.stage = 0
// OF-3: nn.sum {{.*}}nn.stage = 0
// OF-3: nn.reduce {{.*}}nn.stage = 0
// OF-3: nn.broadcast {{.*}}nn.stage = 0
// OF-3: nn.contract {{.*}}nn.stage = 0
// OF-3: nn.tanh {{.*}}nn.stage = 0
// OF-3: nn.contract {{.*}}nn.stage = 0
// OF-3: nn.contract {{.*}}nn.stage = 0
// OF-3: nn.contract {{.*}}nn.stage = 1
// OF-3: nn.tanh {{.*}}nn.stage = 1
// OF-3: nn.contract {{.*}}nn.stage = 1
// OF-3: nn.tanh {{.*}}nn.stage = 1
// OF-3: nn.contract {{.*}}nn.stage = 1
// OF-3: nn.contract {{.*}}nn.stage = 1
// OF-3: nn.contract {{.*}}nn.stage = 2
// OF-3: nn.contract {{.*}}nn.stage = 2
// OF-3: nn.contract {{.*}}nn.stage = 2
// OF-3: nn.reduce {{.*}}nn.stage = 2
// OF-3: nn.tanh {{.*}}nn.stage = 2
// OF-3: nn.reduce {{.*}}nn.stage = 2
// OF-3: nn.constant {{.*}}nn.stage = 0

// OF-4: nn.broadcast {{.*}}nn.stage = 0
// OF-4: nn.sum {{.*}}nn.stage = 0
// OF-4: nn.reduce {{.*}}nn.stage = 0
// OF-4: nn.broadcast {{.*}}nn.stage = 0
// OF-4: nn.contract {{.*}}nn.stage = 0
// OF-4: nn.tanh {{.*}}nn.stage = 0
// OF-4: nn.contract {{.*}}nn.stage = 1
// OF-4: nn.contract {{.*}}nn.stage = 1
// OF-4: nn.contract {{.*}}nn.stage = 1
// OF-4: nn.tanh {{.*}}nn.stage = 1
// OF-4: nn.contract {{.*}}nn.stage = 1
// OF-4: nn.tanh {{.*}}nn.stage = 1
// OF-4: nn.contract {{.*}}nn.stage = 2
// OF-4: nn.contract {{.*}}nn.stage = 2
// OF-4: nn.contract {{.*}}nn.stage = 3
// OF-4: nn.contract {{.*}}nn.stage = 3
// OF-4: nn.contract {{.*}}nn.stage = 3
// OF-4: nn.reduce {{.*}}nn.stage = 3
// OF-4: nn.tanh {{.*}}nn.stage = 3
// OF-4: nn.reduce {{.*}}nn.stage = 3
// OF-4: nn.constant {{.*}}nn.stage = 0

// OF-5: nn.broadcast {{.*}}nn.stage = 0
// OF-5: nn.sum {{.*}}nn.stage = 0
// OF-5: nn.reduce {{.*}}nn.stage = 0
// OF-5: nn.broadcast {{.*}}nn.stage = 0
// OF-5: nn.contract {{.*}}nn.stage = 0
// OF-5: nn.tanh {{.*}}nn.stage = 1
// OF-5: nn.contract {{.*}}nn.stage = 1
// OF-5: nn.contract {{.*}}nn.stage = 1
// OF-5: nn.contract {{.*}}nn.stage = 2
// OF-5: nn.tanh {{.*}}nn.stage = 2
// OF-5: nn.contract {{.*}}nn.stage = 2
// OF-5: nn.tanh {{.*}}nn.stage = 2
// OF-5: nn.contract {{.*}}nn.stage = 3
// OF-5: nn.contract {{.*}}nn.stage = 3
// OF-5: nn.contract {{.*}}nn.stage = 4
// OF-5: nn.contract {{.*}}nn.stage = 4
// OF-5: nn.contract {{.*}}nn.stage = 4
// OF-5: nn.reduce {{.*}}nn.stage = 4
// OF-5: nn.tanh {{.*}}nn.stage = 4
// OF-5: nn.reduce {{.*}}nn.stage = 4
// OF-5: nn.constant {{.*}}nn.stage = 0

// A name matches a node's name up to a slash or a dot.
// NAMED: nn.broadcast {{.*}}nn.stage = 0
// NAMED: nn.sum {{.*}}nn.stage = 0
// NAMED: nn.reduce {{.*}}nn.stage = 0
// NAMED: nn.broadcast {{.*}}nn.stage = 0
// NAMED: nn.contract {{.*}}nn.stage = 0
// NAMED: nn.tanh {{.*}}nn.stage = 0
// NAMED: nn.contract {{.*}}nn.stage = 1
// NAMED: nn.contract {{.*}}nn.stage = 1
// NAMED: nn.contract {{.*}}nn.stage = 1
// NAMED: nn.tanh {{.*}}nn.stage = 1
// NAMED: nn.contract {{.*}}nn.stage = 1
// NAMED: nn.tanh {{.*}}nn.stage = 2
// NAMED: nn.contract {{.*}}nn.stage = 2
// NAMED: nn.contract {{.*}}nn.stage = 2
// NAMED: nn.contract {{.*}}nn.stage = 3
// NAMED: nn.contract {{.*}}nn.stage = 3
// NAMED: nn.contract {{.*}}nn.stage = 3
// NAMED: nn.reduce {{.*}}nn.stage = 3
// NAMED: nn.tanh {{.*}}nn.stage = 3
// NAMED: nn.reduce {{.*}}nn.stage = 3
// NAMED: nn.constant {{.*}}nn.stage = 0

nn.param @shift : tensor<16xf32> init zero
nn.param @w0 : tensor<16x2xf32> init normal
nn.param @w1 : tensor<2x16xf32> init normal
nn.param @w2 : tensor<16x3xf32> init normal
nn.param @w3 : tensor<3x8xf32> init normal
nn.param @w4 : tensor<8x2xf32> init normal
nn.param @w5 : tensor<2x32xf32> init normal
nn.param @w6 : tensor<32x4xf32> init normal
nn.param @w7 : tensor<4x16xf32> init normal
nn.param @w8 : tensor<16x2xf32> init normal
nn.param @w9 : tensor<2x16xf32> init normal
func.func @loss(%x: tensor<4x16xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %shift = nn.read @shift : tensor<16xf32>
  %shifts = nn.broadcast %shift [1] : tensor<16xf32> -> tensor<4x16xf32>
  %shifted = nn.sum %x, %shifts : tensor<4x16xf32>
  %narrow = nn.reduce %shifted [1] : tensor<4x16xf32> -> tensor<4xf32>
  %spread = nn.broadcast %narrow [0] : tensor<4xf32> -> tensor<4x16xf32>
  %w0 = nn.read @w0 : tensor<16x2xf32> loc("l0/read")
  %h0 = nn.contract "bc,cm->bm" %spread, %w0 : tensor<4x16xf32>, tensor<16x2xf32> -> tensor<4x2xf32> loc("l0/MatMul")
  %a0 = nn.tanh %h0 : tensor<4x2xf32> loc("l0.act")
  %w1 = nn.read @w1 : tensor<2x16xf32> loc("l1/read")
  %h1 = nn.contract "bc,cm->bm" %a0, %w1 : tensor<4x2xf32>, tensor<2x16xf32> -> tensor<4x16xf32> loc("l1/MatMul")
  %w2 = nn.read @w2 : tensor<16x3xf32> loc("l2/read")
  %h2 = nn.contract "bc,cm->bm" %h1, %w2 : tensor<4x16xf32>, tensor<16x3xf32> -> tensor<4x3xf32> loc("l2/MatMul")
  %w3 = nn.read @w3 : tensor<3x8xf32> loc("l3/read")
  %h3 = nn.contract "bc,cm->bm" %h2, %w3 : tensor<4x3xf32>, tensor<3x8xf32> -> tensor<4x8xf32> loc("l3/MatMul")
  %a3 = nn.tanh %h3 : tensor<4x8xf32> loc("l3.act")
  %w4 = nn.read @w4 : tensor<8x2xf32> loc("l4/read")
  %h4 = nn.contract "bc,cm->bm" %a3, %w4 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32> loc("l4/MatMul")
  %a4 = nn.tanh %h4 : tensor<4x2xf32> loc("l4.act")
  %w5 = nn.read @w5 : tensor<2x32xf32> loc("l5/read")
  %h5 = nn.contract "bc,cm->bm" %a4, %w5 : tensor<4x2xf32>, tensor<2x32xf32> -> tensor<4x32xf32> loc("l5/MatMul")
  %w6 = nn.read @w6 : tensor<32x4xf32> loc("l6/read")
  %h6 = nn.contract "bc,cm->bm" %h5, %w6 : tensor<4x32xf32>, tensor<32x4xf32> -> tensor<4x4xf32> loc("l6/MatMul")
  %w7 = nn.read @w7 : tensor<4x16xf32> loc("l7/read")
  %h7 = nn.contract "bc,cm->bm" %h6, %w7 : tensor<4x4xf32>, tensor<4x16xf32> -> tensor<4x16xf32> loc("l7/MatMul")
  %w8 = nn.read @w8 : tensor<16x2xf32> loc("l8/read")
  %h8 = nn.contract "bc,cm->bm" %h7, %w8 : tensor<4x16xf32>, tensor<16x2xf32> -> tensor<4x2xf32> loc("l8/MatMul")
  %w9 = nn.read @w9 : tensor<2x16xf32> loc("l9/read")
  %h9 = nn.contract "bc,cm->bm" %h8, %w9 : tensor<4x2xf32>, tensor<2x16xf32> -> tensor<4x16xf32> loc("l9/MatMul")
  %rows = nn.reduce %h9 [1] : tensor<4x16xf32> -> tensor<4xf32>
  %bounded = nn.tanh %rows : tensor<4xf32>
  %loss = nn.reduce %bounded [0] : tensor<4xf32> -> tensor<f32> loc("sum")
  %count = nn.constant dense<32.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
