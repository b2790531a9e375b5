// The forward task of the last segment computes the gradient of the logits
// together with the loss: it needs no later value, and both read the logits.
// The gradient, not the logits, is passed to the backward task.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s

nn.param @v : tensor<2x8xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @grad.v : tensor<2x8xf32> gradient of @v

// CHECK: pipe.value @[[D:value.*]] : tensor<4x8xf32>
// CHECK-NOT: pipe.value @{{.*}} : tensor<4x8xf32>
// CHECK: pipe.body @forward.1.body
// CHECK: %[[Z:.*]] = nn.contract "bm,mc->bc"
// CHECK: %[[L:.*]], %[[LSE:.*]] = nn.cross_entropy %[[Z]],
// CHECK: %[[G:.*]] = nn.cross_entropy_grad %{{.*}}, %[[Z]], %{{.*}} lse %[[LSE]]
// CHECK: pipe.yield {{.*}}%[[G]]
// CHECK: pipe.body @backward.1.body
// CHECK-NOT: nn.cross_entropy_grad
// CHECK: nn.contract "bc,mc->bm"
func.func @microbatch(%x: tensor<4x2xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %t: tensor<4xi64> {nn.name = "t", nn.role = #nn.role<targets>}) {
  %h = nn.gelu %x {nn.stage = 0} : tensor<4x2xf32>
  %v = nn.read @v : tensor<2x8xf32> {nn.stage = 1}
  %z = nn.contract "bm,mc->bc" %h, %v {nn.stage = 1} : tensor<4x2xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  %loss, %lse = nn.cross_entropy %z, %t classes 8 {nn.stage = 1} : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  %l = nn.reduce %loss [0] {nn.stage = 1} : tensor<4xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.stage = 1}
  %one = nn.constant dense<1.0> : tensor<4xf32> {nn.bwd, nn.stage = 1}
  %dz = nn.cross_entropy_grad %one, %z, %t lse %lse classes 8 {nn.bwd, nn.stage = 1} : tensor<4xf32>, tensor<4x8xf32>, tensor<4xi64>
  %dh = nn.contract "bc,mc->bm" %dz, %v {nn.bwd, nn.stage = 1} : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<4x2xf32>
  %dv = nn.contract "bm,bc->mc" %h, %dz {nn.bwd, nn.stage = 1} : tensor<4x2xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  nn.accumulate %dv, @grad.v : tensor<2x8xf32> {nn.bwd, nn.stage = 1}
  return
}

func.func @update(%lr: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>},
                  %decay: tensor<f32> {nn.name = "weight_decay", nn.role = #nn.role<weight_decay>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %loss = nn.read @loss_sum : tensor<f32>
  %g = nn.read @grad.v : tensor<2x8xf32>
  %v = nn.read @v : tensor<2x8xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %new = nn.sgd %v, %g grad_scale %one lr %lr weight_decay %decay : tensor<2x8xf32>, tensor<2x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %new, @v : tensor<2x8xf32>
  %squares = nn.sum_of_squares %g : tensor<2x8xf32> -> tensor<f32>
  %norm = nn.sqrt %squares : tensor<f32>
  return %loss, %norm : tensor<f32>, tensor<f32>
}
