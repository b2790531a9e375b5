// RUN: not pcc-opt %s -split-input-file --rt-lower-kernels-to-gpu 2>&1 \
// RUN:   | FileCheck %s

// Tiles of very wide heads are more than the shared memory of a block.
// CHECK: error: cannot be made by a device's tiles: a block has no room for them
func.func private @attention(%q: tensor<1x4x2x2048xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x2048xf32> attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x2048xf32>, tensor<1x4x2x2048xf32>, tensor<1x4x2x2048xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x2048xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x2048xf32>
}

// -----

// The gradient of a bias is made for each query, and added up by others.
// CHECK: error: cannot be made by a device's tiles: the bias' cotangent has no whole rows
func.func private @attention_grad(%q: tensor<1x4x2x8xf32>,
                                  %lse: tensor<1x4x2xf32>, %at: tensor<4xi64>,
                                  %bias: tensor<1x2x1x4xf32>)
    -> tensor<1x2x1x4xf32> attributes {rt.kernel} {
  %dq, %dk, %dv, %db = nn.attention_grad %q, %q, %q, %q result %q lse %lse max %lse positions %at, %at bias %bias scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x2x1x4xf32>)
  return %db : tensor<1x2x1x4xf32>
}
