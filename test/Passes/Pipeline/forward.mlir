// A model that is not trained is one task, and its outputs are the program's
// outputs.
// RUN: pcc-opt %s -pipe-outline -pipe-schedule -pipe-check | FileCheck %s

nn.param @w : tensor<8x2xf32> init normal
// CHECK: pipe.input @input.x : tensor<4x8xf32> role data name "x"
// CHECK: pipe.output @output.y : tensor<4x2xf32> name "y"
// CHECK: pipe.body @forward.0.body (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x2xf32>) -> (tensor<4x2xf32>) {
// CHECK-NEXT: %[[Y:.*]] = nn.contract "bk,kn->bn" %[[X]], %[[W]]
// CHECK-NEXT: pipe.yield %[[Y]]
// CHECK: pipe.task @forward.0 stage 0 forward_only calls @forward.0.body (@input.x, @w) -> (@output.y)
// CHECK: pipe.schedule forward stage 0 microbatches 1
// CHECK-NEXT: pipe.run @forward.0 microbatch 0
func.func @forward(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<4x2xf32> {nn.name = "y"}) {
  %w = nn.read @w : tensor<8x2xf32>
  %y = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
