// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify-kernels

func.func @loose(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'nn.exp' is in no kernel}}
  %y = nn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @k(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<4x8xf32> attributes {rt.kernel} {
  // expected-error @below {{'nn.contract' cannot be in kernel 'k'}}
  %y = nn.contract "mk,kn->mn" %x, %w
      : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// expected-error @below {{result 0 of kernel 'k' names operand 1 of 1}}
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32> {rt.inplace = 1})
    attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 of kernel 'k' cannot lie in operand 0}}
func.func private @k(%x: tensor<4x8xf32>) -> (tensor<4xf32> {rt.inplace = 0})
    attributes {rt.kernel} {
  %y = nn.reduce %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Other rows still read what the transpose would overwrite.
// expected-error @below {{overwrites operand 0 while it is still read}}
func.func private @k(%x: tensor<4x4x8xf32>)
    -> (tensor<4x4x8xf32> {rt.inplace = 0}) attributes {rt.kernel} {
  %y = nn.transpose %x [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  return %y : tensor<4x4x8xf32>
}

// -----

// expected-error @below {{two results of kernel 'k' lie in operand 0}}
func.func private @k(%x: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0}, tensor<4xf32> {rt.inplace = 0})
    attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4xf32>
  %z = nn.sqrt %x : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// A row's sums are not made again for every element of another row.
// expected-error @below {{has no row program: nn.layer_norm: is read at other rows}}
func.func private @k(%x: tensor<4x4x8xf32>, %s: tensor<8xf32>)
    -> tensor<4x4x8xf32> attributes {rt.kernel} {
  %y, %m, %r = nn.layer_norm %x scale %s eps 1.0e-5
      : tensor<4x4x8xf32>, tensor<8xf32> -> tensor<4x4xf32>, tensor<4x4xf32>
  %t = nn.transpose %y [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  return %t : tensor<4x4x8xf32>
}
