// Gradients are compared with finite differences, parameter by parameter.
// RUN: pcc-run %s --check-gradients --fill 1 | FileCheck %s
// RUN: sed 's/by 2.0/by 2.00001/' %s > %t.mlir
// RUN: not pcc-run %t.mlir --check-gradients --fill 1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/nn.accumulate %loss, @loss_sum/nn.accumulate %x, @loss_sum/' %s > %t.mlir
// RUN: not pcc-run %t.mlir --check-gradients --fill 1 2>&1 | FileCheck %s --check-prefix=LOSS

nn.param @w : tensor<3xf32> init normal
nn.param @b : tensor<f32> init zero
nn.param @constant : tensor<f32> init zero frozen
nn.state @grad.w : tensor<3xf32> gradient of @w
nn.state @grad.b : tensor<f32> gradient of @b
nn.state @loss_sum : tensor<f32> sum

// sum of w^2, times x, plus b x.
func.func @loss(%x: tensor<f32> {nn.name = "x"})
    -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<3xf32>
  %b = nn.read @b : tensor<f32>
  %s = nn.contract "a,a->" %w, %w : tensor<3xf32>, tensor<3xf32> -> tensor<f32>
  %t = nn.sum %s, %b : tensor<f32>
  %y = nn.mul %t, %x : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  return %y, %one : tensor<f32>, tensor<f32>
}

func.func @microbatch(%x: tensor<f32> {nn.name = "x"}) {
  %w = nn.read @w : tensor<3xf32>
  %b = nn.read @b : tensor<f32>
  %s = nn.sum_of_squares %w : tensor<3xf32> -> tensor<f32>
  %t = nn.sum %s, %b : tensor<f32>
  %loss = nn.mul %t, %x : tensor<f32>
  nn.accumulate %loss, @loss_sum : tensor<f32>
  %xs = nn.broadcast %x [] : tensor<f32> -> tensor<3xf32>
  %dw = nn.mul %w, %xs : tensor<3xf32>
  %dw2 = nn.scale %dw by 2.0 : tensor<3xf32>
  nn.accumulate %dw2, @grad.w : tensor<3xf32>
  nn.accumulate %x, @grad.b : tensor<f32>
  return
}

// CHECK: loss
// CHECK-NEXT: ok    @w: scale {{.*}}, worst relative error {{[0-9.]+}}e-1
// CHECK-NEXT: ok    @b: scale {{.*}}, worst relative error {{[0-9.]+}}e-1
// CHECK-NOT: @constant
// WRONG: WRONG @w:
// WRONG: ok    @b:
// LOSS: error: accumulates a loss of {{.*}}, @loss gives
