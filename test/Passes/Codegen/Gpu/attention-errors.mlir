// Tiles of attention are a CPU's; what a device runs is expanded.
// RUN: not pcc-opt %s --rt-lower-kernels-to-gpu 2>&1 | FileCheck %s
// CHECK: error: kernel 'attention' is attention by a CPU's tiles; devices have it expanded
func.func private @attention(%q: tensor<1x4x2x8xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x8xf32> attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x8xf32>
}
