// Stages that begin at nodes the user names, and names that do not fit.
// RUN: pcc-opt %s -nn-stage-cuts="stages=2 cut=up" --mlir-print-debuginfo | FileCheck %s
// RUN: pcc-opt %s -nn-stage-cuts="stages=2 cut=,up," --mlir-print-debuginfo | FileCheck %s
// RUN: not pcc-opt %s -nn-stage-cuts="stages=3" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not pcc-opt %s -nn-stage-cuts="stages=3 cut=up" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not pcc-opt %s -nn-stage-cuts="stages=2 cut=nowhere" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not pcc-opt %s -nn-stage-cuts="stages=3 cut=up,down" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not pcc-opt %s -nn-stage-cuts="stages=3 cut=up,up" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not pcc-opt %s -nn-stage-cuts="stages=2 cut=up,sum" 2>&1 | FileCheck %s --check-prefix=PLURAL
// RUN: not pcc-opt %s -nn-stage-cuts="stages=2 cut=u" 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not pcc-opt %s -nn-stage-cuts="stages=2 cut=down" 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: pcc-opt %s -nn-stage-cuts="stages=2 cut=act" | FileCheck %s --check-prefix=SECOND
// RUN: not pcc-opt %s -nn-stage-cuts="stages=0" 2>&1 | FileCheck %s --check-prefix=NONE
// MANY: error: cannot cut the model into 3 pipeline stages: it has 1 cut points
// MANY: note: --pp may be at most 2
// COUNT: error: --stage-cut names 1 node, but --pp 3 needs 2
// MISSING: error: --stage-cut: there is no node 'nowhere' in the forward pass
// ORDER: error: --stage-cut: 'down' does not come after the node before it in the list
// TWICE: error: --stage-cut: 'up' does not come after the node before it in the list
// PLURAL: error: --stage-cut names 2 nodes, but --pp 2 needs 1
// PART: error: --stage-cut: there is no node 'u' in the forward pass
// PART: note: --emit=nn --mlir-print-debuginfo prints the nodes
// FIRST: error: --stage-cut: 'down' does not come after the first node
// SECOND: nn.contract {{.*}}nn.stage = 0
// SECOND: nn.tanh {{.*}}nn.stage = 1
// NONE: error: {{.*}}needs at least one stage

// CHECK: nn.tanh {{.*}}nn.stage = 0
// CHECK: nn.contract {{.*}}nn.stage = 1
nn.param @down : tensor<8x2xf32> init normal
nn.param @up : tensor<2x8xf32> init normal
func.func @loss(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
  %down = nn.read @down : tensor<8x2xf32> loc("down")
  %h = nn.contract "bc,cm->bm" %x, %down : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32> loc("down")
  %t = nn.tanh %h : tensor<4x2xf32> loc("act")
  %up = nn.read @up : tensor<2x8xf32> loc("up")
  %y = nn.contract "bm,mc->bc" %t, %up : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32> loc("up")
  %loss = nn.reduce %y [0, 1] : tensor<4x8xf32> -> tensor<f32> loc("sum")
  %count = nn.constant dense<32.0> : tensor<f32>
  return %loss, %count : tensor<f32>, tensor<f32>
}
