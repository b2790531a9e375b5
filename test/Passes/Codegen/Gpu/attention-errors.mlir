// RUN: not pcc-opt %s -split-input-file --rt-lower-kernels-to-gpu 2>&1 \
// RUN:   | FileCheck %s

// Tiles of very wide heads are more than the shared memory of a block.
// CHECK: error: cannot be lowered for a GPU: no tiles of its element types fit into the shared memory of a block
func.func private @attention(%q: tensor<1x4x2x2048xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x2048xf32> attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x2048xf32>, tensor<1x4x2x2048xf32>, tensor<1x4x2x2048xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x2048xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x2048xf32>
}
