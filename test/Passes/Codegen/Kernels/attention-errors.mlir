// Attention that cannot be computed by CPU tiles, although GPU tiles could.
// RUN: pcc-opt %s -rt-tile-kernels -split-input-file -verify-diagnostics

// CPU tiles accumulate dq in memory, in f32,
func.func private @k(%q: tensor<1x4x2x8xbf16>, %lse: tensor<1x4x2xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x8xbf16> attributes {rt.kernel} {
  // expected-error @below {{cannot be lowered to CPU tiles: dq is accumulated in memory and must be f32}}
  %dq, %dk, %dv = nn.attention_grad %q, %q, %q, %q result %q lse %lse positions %at, %at scale 0.5
      : (tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>, tensor<1x4x2x8xbf16>)
  return %dq : tensor<1x4x2x8xbf16>
}

// -----

// and are private memory of a work item.
func.func private @k(%q: tensor<1x4x1x640xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x1x640xf32> attributes {rt.kernel} {
  // expected-error @below {{cannot be lowered to CPU tiles: its tiles exceed the private memory of a work item}}
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x1x640xf32>, tensor<1x4x1x640xf32>, tensor<1x4x1x640xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x1x640xf32>, tensor<1x4x1xf32>)
  return %o : tensor<1x4x1x640xf32>
}
