// Ops that cannot be one kernel, and why.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-tile-kernels

// expected-error @below {{kernel 'k' has no row program: the results share no rows}}
func.func private @k(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>)
    -> (tensor<4x8xf32>, tensor<3x8xf32>) attributes {rt.kernel} {
  %a = nn.exp %x : tensor<4x8xf32>
  %b = nn.exp %y : tensor<3x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<3x8xf32>
}

// -----

// expected-error @below {{sums over different numbers of rows}}
func.func private @k(%x: tensor<4x8xf32>, %y: tensor<3x8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) attributes {rt.kernel} {
  %a = nn.reduce %x [0] : tensor<4x8xf32> -> tensor<8xf32>
  %b = nn.reduce %y [0] : tensor<3x8xf32> -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error @below {{nn.softmax: is read at other rows than its own}}
func.func private @k(%x: tensor<4x8xf32>) -> tensor<8xf32> attributes {rt.kernel} {
  %s = nn.softmax %x : tensor<4x8xf32>
  %a = nn.reduce %s [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// expected-error @below {{has no row program: nn.softmax: its rows are not the kernel's}}
func.func private @k(%x: tensor<4x8xf32>, %y: tensor<8xf32>)
    -> tensor<8xf32> attributes {rt.kernel} {
  %a = nn.reduce %x [0] : tensor<4x8xf32> -> tensor<8xf32>
  %s = nn.softmax %y : tensor<8xf32>
  %b = nn.sum %a, %s : tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// expected-error @below {{scatters a value that needs whole rows}}
func.func private @k(%x: tensor<4x8xf32>, %ids: tensor<4xi64>)
    -> tensor<5x8xf32> attributes {rt.kernel} {
  %s = nn.softmax %x : tensor<4x8xf32>
  %a = nn.embedding_grad %s, %ids : tensor<4x8xf32>, tensor<4xi64> -> tensor<5x8xf32>
  return %a : tensor<5x8xf32>
}

// -----

// Rows are added to one table: the kernel contains no other op,
// expected-error @below {{the results share no rows}}
func.func private @k(%x: tensor<4x8xf32>, %ids: tensor<4xi64>)
    -> (tensor<5x8xf32>, tensor<5x8xf32>) attributes {rt.kernel} {
  %a = nn.embedding_grad %x, %ids : tensor<4x8xf32>, tensor<4xi64> -> tensor<5x8xf32>
  %b = nn.exp %a : tensor<5x8xf32>
  return %a, %b : tensor<5x8xf32>, tensor<5x8xf32>
}

// -----

// neither afterwards,
// expected-error @below {{the results share no rows}}
func.func private @k(%x: tensor<4x8xf32>, %ids: tensor<4xi64>)
    -> tensor<5x8xf32> attributes {rt.kernel} {
  %a = nn.embedding_grad %x, %ids : tensor<4x8xf32>, tensor<4xi64> -> tensor<5x8xf32>
  %b = nn.exp %a : tensor<5x8xf32>
  return %b : tensor<5x8xf32>
}

// -----

// nor in a sum of more than two,
// expected-error @below {{the results share no rows}}
func.func private @k(%x: tensor<4x8xf32>, %ids: tensor<4xi64>, %y: tensor<5x8xf32>)
    -> tensor<5x8xf32> attributes {rt.kernel} {
  %a = nn.embedding_grad %x, %ids : tensor<4x8xf32>, tensor<4xi64> -> tensor<5x8xf32>
  %b = nn.sum %a, %y, %y : tensor<5x8xf32>
  return %b : tensor<5x8xf32>
}

// -----

// nor is the table that they are added to computed.
// expected-error @below {{the results share no rows}}
func.func private @k(%x: tensor<4x8xf32>, %ids: tensor<4xi64>, %y: tensor<5x8xf32>)
    -> tensor<5x8xf32> attributes {rt.kernel} {
  %a = nn.embedding_grad %x, %ids : tensor<4x8xf32>, tensor<4xi64> -> tensor<5x8xf32>
  %e = nn.exp %y : tensor<5x8xf32>
  %b = nn.sum %a, %e : tensor<5x8xf32>
  return %b : tensor<5x8xf32>
}

// -----

// expected-error @below {{nn.rope: rotates a value that needs whole rows}}
func.func private @k(%x: tensor<2x3x2x8xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x8xf32> attributes {rt.kernel} {
  %r = nn.reshape %x : tensor<2x3x2x8xf32> -> tensor<2x3x16xf32>
  %s = nn.softmax %r : tensor<2x3x16xf32>
  %h = nn.reshape %s : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
  %y = nn.rope %h positions %at theta 1.0e4 dim 8 : tensor<2x3x2x8xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x8xf32>
}

// -----

// A rotary embedding is the only op of its kernel.
// expected-error @below {{the results share no rows}}
func.func private @k(%x: tensor<2x3x2x8xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x8xf32> attributes {rt.kernel} {
  %y = nn.rope %x positions %at theta 1.0e4 dim 8 : tensor<2x3x2x8xf32>, tensor<3xi64>
  %z = nn.exp %y : tensor<2x3x2x8xf32>
  return %z : tensor<2x3x2x8xf32>
}

// -----

// expected-error @below {{nn.embedding: its table is computed in the kernel}}
func.func private @k(%t: tensor<4x8xf32>, %ids: tensor<3xi64>)
    -> tensor<3x8xf32> attributes {rt.kernel} {
  %e = nn.exp %t : tensor<4x8xf32>
  %y = nn.embedding %ids, %e : tensor<3xi64>, tensor<4x8xf32> -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// A work item knows the sum of its own row, not of another one,
// expected-error @below {{nn.softmax: is read at other rows than its own}}
func.func private @k(%x: tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
    attributes {rt.kernel} {
  %s = nn.softmax %x : tensor<4x4x8xf32>
  %t = nn.transpose %s [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  return %t : tensor<4x4x8xf32>
}

// -----

// nor of a second.
// expected-error @below {{nn.softmax: its rows are not the kernel's}}
func.func private @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {rt.kernel} {
  %s = nn.softmax %x : tensor<4x8xf32>
  %f = nn.slice %s at [0, 0] step [1, 1] : tensor<4x8xf32> -> tensor<1x8xf32>
  %r = nn.reshape %f : tensor<1x8xf32> -> tensor<8xf32>
  %b = nn.broadcast %r [1] : tensor<8xf32> -> tensor<4x8xf32>
  %y = nn.sum %s, %b : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Rows of other lengths.
// expected-error @below {{has no row program: nn.softmax: its rows are not the kernel's}}
func.func private @k(%x: tensor<4x8xf32>) -> tensor<2x16xf32>
    attributes {rt.kernel} {
  %s = nn.softmax %x : tensor<4x8xf32>
  %r = nn.reshape %s : tensor<4x8xf32> -> tensor<2x16xf32>
  %t = nn.softmax %r : tensor<2x16xf32>
  return %t : tensor<2x16xf32>
}

// -----

// Reductions other than sums are along rows.
// expected-error @below {{nn.reduce_max: sums over dims that are not the last}}
func.func private @k(%x: tensor<4x8xf32>) -> tensor<8xf32> attributes {rt.kernel} {
  %y = nn.reduce_max %x [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}
