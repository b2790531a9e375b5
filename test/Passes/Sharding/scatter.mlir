// Scatter-adds in the forward pass, with a sharded batch and sharded rows, and
// their derivative, a look-up in a table with sharded rows.
// RUN: pcc-opt %s -nn-bound-ids -nn-attach-loss=whole-batch -nn-autodiff \
// RUN:   -nn-optimizer -dist-mesh="dp=2 tp=2" %plan -o %t.plan
// RUN: FileCheck %s < %t.plan
// RUN: %equal | FileCheck --check-prefix=EQUAL %s
// EQUAL: values equal the reference's, the worst to

nn.param @up : tensor<8x6xf32> init normal
nn.param @down : tensor<6x4xf32> init normal
nn.param @table : tensor<6x4xf32> init normal

// CHECK-LABEL: func @microbatch
func.func @forward(
    %x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %ids: tensor<4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"})
    attributes {nn.has_loss} {
  %up = nn.read @up : tensor<8x6xf32>
  %down = nn.read @down : tensor<6x4xf32>
  %table = nn.read @table : tensor<6x4xf32>
  %h = nn.contract "bk,kn->bn" %x, %up : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %y = nn.contract "bk,kn->bn" %h, %down : tensor<4x6xf32>, tensor<6x4xf32> -> tensor<4x4xf32>
  // The batch is sharded: each rank adds its samples' rows, a partial sum.
  // CHECK: nn.embedding_grad {{.*}}partial = {"dp"
  %sums = nn.embedding_grad %y, %ids : tensor<4x4xf32>, tensor<4xi64> -> tensor<6x4xf32>
  %one = nn.constant dense<1.0> : tensor<4x4xf32>
  %hits = nn.embedding_grad %one, %ids : tensor<4x4xf32>, tensor<4xi64> -> tensor<6x4xf32>
  %zero = nn.constant dense<0.0> : tensor<6x4xf32>
  %hit = nn.compare lt %zero, %hits : tensor<6x4xf32> -> tensor<6x4xi1>
  %put = nn.where %hit, %sums, %table : tensor<6x4xi1>, tensor<6x4xf32>
  %t = nn.tanh %put : tensor<6x4xf32>
  %loss = nn.reduce %t [0, 1] : tensor<6x4xf32> -> tensor<f32>
  %count = nn.constant dense<1.0> : tensor<f32>
  // CHECK: nn.embedding {{.*}}nn.bwd
  return %loss, %count : tensor<f32>, tensor<f32>
}
