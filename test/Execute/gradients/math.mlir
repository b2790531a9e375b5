// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 100 | FileCheck %s
// Functions that formulas of imported operators use, and maxima of rows.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-10: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @sin : tensor<2x3xf32> init normal
nn.param @cos : tensor<2x3xf32> init normal
nn.param @pow.0 : tensor<2x3xf32> init one
nn.param @pow.1 : tensor<2x3xf32> init normal
nn.param @rem.0 : tensor<2x3xf32> init normal
nn.param @rem.1 : tensor<2x3xf32> init one
nn.param @reduce_max : tensor<4x2x3xf32> init normal
nn.param @reduce_min : tensor<2x4x3xf32> init normal
nn.param @reduce_prod : tensor<2x4x3xf32> init normal
nn.param @floor : tensor<2x3xf32> init normal

func.func @loss(%c: tensor<6x2x3xf32> {nn.name = "cotangents"}) -> (tensor<f32>, tensor<f32>) {
  %sin = nn.read @sin : tensor<2x3xf32>
  %cos = nn.read @cos : tensor<2x3xf32>
  %pow0 = nn.read @pow.0 : tensor<2x3xf32>
  %pow1 = nn.read @pow.1 : tensor<2x3xf32>
  %rem0 = nn.read @rem.0 : tensor<2x3xf32>
  %rem1 = nn.read @rem.1 : tensor<2x3xf32>
  %reduce_max = nn.read @reduce_max : tensor<4x2x3xf32>
  %reduce_min = nn.read @reduce_min : tensor<2x4x3xf32>
  %reduce_prod = nn.read @reduce_prod : tensor<2x4x3xf32>
  %floor = nn.read @floor : tensor<2x3xf32>
  %0 = nn.sin %sin : tensor<2x3xf32>
  %1 = nn.cos %cos : tensor<2x3xf32>
  %2 = nn.pow %pow0, %pow1 : tensor<2x3xf32>
  // A quotient near 2.5, far from the jumps of rem.
  %far = nn.constant dense<2.5> : tensor<2x3xf32>
  %large = nn.sum %rem0, %far : tensor<2x3xf32>
  %3 = nn.rem %large, %rem1 : tensor<2x3xf32>
  %4 = nn.reduce_max %reduce_max [0] : tensor<4x2x3xf32> -> tensor<2x3xf32>
  %best = nn.reduce_min %reduce_min [1] : tensor<2x4x3xf32> -> tensor<2x3xf32>
  // Step functions have no gradient; the other factor has one.
  %low = nn.floor %floor : tensor<2x3xf32>
  %near = nn.round %floor : tensor<2x3xf32>
  %steps = nn.sum %low, %near : tensor<2x3xf32>
  %product = nn.mul %steps, %floor : tensor<2x3xf32>
  %factors = nn.reduce_prod %reduce_prod [1] : tensor<2x4x3xf32> -> tensor<2x3xf32>
  %5 = nn.sum %best, %product, %factors : tensor<2x3xf32>
  %all = nn.concat %0, %1, %2, %3, %4, %5 along 0
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
        -> tensor<12x3xf32>
  %rows = nn.reshape %all : tensor<12x3xf32> -> tensor<6x2x3xf32>
  %terms = nn.mul %rows, %c : tensor<6x2x3xf32>
  %l = nn.reduce %terms [0, 1, 2] : tensor<6x2x3xf32> -> tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
