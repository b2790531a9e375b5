// Padding a vocabulary must not change results.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -nn-pad-vocab=multiple=4

// exp(0) is 1: a loss that the model computes from primitives would count the
// padding.
nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  %e = nn.exp %l : tensor<2x6x13xf32>
  // expected-error @+2 {{cannot pad 13 classes to a multiple of 4: 'nn.reduce' adds over them, and the padding would not be zero}}
  // expected-note @+1 {{use a --tp that divides the number of classes}}
  %s = nn.reduce %e [2] : tensor<2x6x13xf32> -> tensor<2x6xf32>
  return
}

// -----

nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %l = nn.contract "bsc,vc->bvs" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x13x6xf32>
  // expected-error @+2 {{cannot pad 13 classes to a multiple of 4: 'nn.reshape' makes them part of another dim}}
  // expected-note @+1 {{use a --tp that divides the number of classes}}
  %s = nn.reshape %l : tensor<2x13x6xf32> -> tensor<2x78xf32>
  return
}

// -----

// Some ops keep zeros, and zeros may be summed.
// expected-remark @+1 {{is padded with zeros to 'tensor<16x4xf32>'}}
nn.param @wte : tensor<13x4xf32> init normal
// expected-remark @+1 {{is padded with zeros to 'tensor<16xf32>'}}
nn.param @bias : tensor<13xf32> init zero
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %b = nn.read @bias : tensor<13xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  %c = nn.broadcast %b [2] : tensor<13xf32> -> tensor<2x6x13xf32>
  %d = nn.sum %l, %c : tensor<2x6x13xf32>
  %e = nn.tanh %d : tensor<2x6x13xf32>
  %s = nn.reduce %e [2] : tensor<2x6x13xf32> -> tensor<2x6xf32>
  return
}

// -----

// Rows that an op needs as a whole are not sharded, so they need no padding.
nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  %p = nn.softmax %l : tensor<2x6x13xf32>
  return
}

// -----

// A constant cannot be padded.
nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  // expected-error @+2 {{cannot pad 'tensor<13xf32>' of 'nn.constant': it is a constant}}
  // expected-note @+1 {{use a --tp that divides the number of classes}}
  %two = nn.constant dense<2.0> : tensor<13xf32>
  %c = nn.broadcast %two [2] : tensor<13xf32> -> tensor<2x6x13xf32>
  %d = nn.mul %l, %c : tensor<2x6x13xf32>
  return
}
