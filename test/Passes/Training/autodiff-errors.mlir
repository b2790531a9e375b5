// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-autodiff

// expected-error@+1 {{has no function @loss of one block that returns the loss sum and the number of targets}}
module {
  func.func @forward(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

nn.param @w : tensor<2x3xf32> init normal
func.func @loss(%targets: tensor<2xi64>, %n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2x3xf32>
  // expected-error@unknown {{'argmax' lies between a trainable parameter and the loss, but nn.row_max has no derivative}}
  %y = nn.row_max %w classes 3 : tensor<2x3xf32> -> tensor<2xf32> loc("argmax")
  %l = nn.reduce %y [0] : tensor<2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

nn.param @w : tensor<2x3xf32> init normal
func.func @loss(%targets: tensor<2xi64>, %n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2x3xf32>
  // expected-error@unknown {{a statistic of 'ce' (a result of nn.cross_entropy other than the first) reaches the loss; it has no derivative}}
  %loss, %lse = nn.cross_entropy %w, %targets classes 3 : tensor<2x3xf32>, tensor<2xi64> -> tensor<2xf32> loc("ce")
  %z = nn.sum %loss, %lse : tensor<2xf32>
  %l = nn.reduce %z [0] : tensor<2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

nn.param @w : tensor<2xf32> init normal frozen
// expected-error@+1 {{the loss depends on no trainable parameter}}
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2xf32>
  %l = nn.reduce %w [0] : tensor<2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

nn.param @w : tensor<2xf32> init normal
// expected-warning@+1 {{parameter 'idle' does not influence the loss, so it is not trained}}
nn.param @idle : tensor<2xf32> init normal
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2xf32>
  %l = nn.reduce %w [0] : tensor<2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
