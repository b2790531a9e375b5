// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 100 | FileCheck %s

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-9: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @softmax : tensor<2x3x4xf32> init normal
nn.param @layer_norm : tensor<2x3x4xf32> init normal
nn.param @layer_norm.scale : tensor<4xf32> init one
nn.param @layer_norm.bias : tensor<4xf32> init zero
nn.param @no_bias : tensor<2x3x4xf32> init normal
nn.param @no_bias.scale : tensor<4xf32> init one
nn.param @rms_norm : tensor<2x3x4xf32> init normal
nn.param @rms_norm.scale : tensor<4xf32> init one
nn.param @rope : tensor<2x3x2x6xf32> init normal

func.func @loss(%c: tensor<4x2x3x4xf32> {nn.name = "cotangents"},
                %d: tensor<2x3x2x6xf32> {nn.name = "rope_cotangents"},
                %pos: tensor<3xi64> {nn.role = #nn.role<positions>}) -> (tensor<f32>, tensor<f32>) {
  %softmax = nn.read @softmax : tensor<2x3x4xf32>
  %x = nn.read @layer_norm : tensor<2x3x4xf32>
  %xs = nn.read @layer_norm.scale : tensor<4xf32>
  %xb = nn.read @layer_norm.bias : tensor<4xf32>
  %y = nn.read @no_bias : tensor<2x3x4xf32>
  %ys = nn.read @no_bias.scale : tensor<4xf32>
  %z = nn.read @rms_norm : tensor<2x3x4xf32>
  %zs = nn.read @rms_norm.scale : tensor<4xf32>
  %rope = nn.read @rope : tensor<2x3x2x6xf32>
  %0 = nn.softmax %softmax : tensor<2x3x4xf32>
  %1:3 = nn.layer_norm %x scale %xs bias %xb eps 1.0e-2 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %2:3 = nn.layer_norm %y scale %ys eps 1.0e-2 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  %3:2 = nn.rms_norm %z scale %zs eps 1.0e-2 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  // Rotated, squared, and rotated back: both directions are differentiated.
  %r = nn.rope %rope positions %pos theta 1.0e1 dim 4 : tensor<2x3x2x6xf32>, tensor<3xi64>
  %rr = nn.mul %r, %r : tensor<2x3x2x6xf32>
  %ri = nn.rope inverse %rr positions %pos theta 2.0e1 dim 4 : tensor<2x3x2x6xf32>, tensor<3xi64>
  %all = nn.concat %0, %1#0, %2#0, %3#0 along 0
      : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<8x3x4xf32>
  %rows = nn.reshape %all : tensor<8x3x4xf32> -> tensor<4x2x3x4xf32>
  %terms = nn.mul %rows, %c : tensor<4x2x3x4xf32>
  %sum = nn.reduce %terms [0, 1, 2, 3] : tensor<4x2x3x4xf32> -> tensor<f32>
  %turned = nn.mul %ri, %d : tensor<2x3x2x6xf32>
  %turnedSum = nn.reduce %turned [0, 1, 2, 3] : tensor<2x3x2x6xf32> -> tensor<f32>
  %l = nn.sum %sum, %turnedSum : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
