// The library gets the epilogue in a GEMM's attribute, which must match the
// function.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify-kernels

// The library has no epilogue for gelu by the error function.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<gelu>}}
func.func private @p(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<4x8xf32> attributes {rt.epilogue = #rt.epilogue<gelu>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %g = nn.gelu %p : tensor<4x8xf32>
  return %g : tensor<4x8xf32>
}

// -----

// The library stores gelu's operand, not the GEMM's result before the bias.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<gelu>}}
func.func private @p(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>)
    attributes {rt.epilogue = #rt.epilogue<gelu>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %r = nn.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32>
  %s = nn.sum %p, %r : tensor<4x8xf32>
  %g = nn.gelu tanh %s : tensor<4x8xf32>
  return %g, %p : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A bias is repeated along rows.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<bias>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<bias>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %r = nn.broadcast %b [0] : tensor<8xf32> -> tensor<8x8xf32>
  %s = nn.sum %p, %r : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// A bias that the attribute does not declare.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<none>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<none>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %r = nn.broadcast %b [1] : tensor<8xf32> -> tensor<8x8xf32>
  %s = nn.sum %p, %r : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// The derivative is of the other operand, not of the GEMM's result.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<gelu_grad>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %h: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<gelu_grad>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %d = nn.gelu_grad tanh %h, %p : tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

// The other operand, summed over dims that the GEMM keeps.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<sum_a>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8xf32>)
    attributes {rt.epilogue = #rt.epilogue<sum_a>} {
  %p = nn.contract "km,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %r = nn.reduce %w [0] : tensor<8x8xf32> -> tensor<8xf32>
  return %p, %r : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<sum_a>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8xf32>)
    attributes {rt.epilogue = #rt.epilogue<sum_a>} {
  %p = nn.contract "km,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %r = nn.reduce %x [1] : tensor<8x8xf32> -> tensor<8xf32>
  return %p, %r : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// An op that the attribute does not declare.
// expected-error @below {{function 'p' is not a GEMM with epilogue #rt.epilogue<gelu>}}
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<gelu>} {
  %y = nn.exp %x : tensor<8x8xf32>
  %p = nn.contract "mk,kn->mn" %y, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %g = nn.gelu tanh %p : tensor<8x8xf32>
  return %g : tensor<8x8xf32>
}

// -----

// A call with another epilogue than the function's.
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<gelu>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %g = nn.gelu tanh %p : tensor<8x8xf32>
  return %g : tensor<8x8xf32>
}
pipe.body @b (%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  // expected-error @below {{calls @p, which is not a GEMM with this epilogue}}
  %y = func.call @p(%x, %x) {rt.epilogue = #rt.epilogue<none>}
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  pipe.yield %y : tensor<8x8xf32>
}

// -----

// The GEMM's result is a partial sum: each rank would apply gelu to it.
dist.mesh @mesh = <["tp"=2]>
#part = #dist.sharding<*, * | sum tp>
func.func private @p(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<8x8xf32> attributes {rt.epilogue = #rt.epilogue<gelu>} {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %g = nn.gelu tanh %p : tensor<8x8xf32>
  return %g : tensor<8x8xf32>
}
pipe.body @b (%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  // expected-error @below {{applies 'gelu' to a partial sum, }}
  %y = func.call @p(%x, %x) {dist.shardings = [#part], rt.epilogue = #rt.epilogue<gelu>}
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  pipe.yield %y : tensor<8x8xf32>
}
