// A block uses at most the shared memory of the smallest of the GPUs that
// kernels are compiled for: 227 KiB of sm_90 and sm_100, 163 of sm_80, 99 of
// sm_86, sm_89 and sm_120.
// DEFINE: %{chips} =
// DEFINE: %{lower} = pcc-opt %s --rt-lower-kernels-to-gpu=%{chips} | FileCheck %s
// RUN: %{lower} --check-prefixes=CHECK,HOPPER
// REDEFINE: %{chips} = chips=100
// RUN: %{lower} --check-prefixes=CHECK,HOPPER
// REDEFINE: %{chips} = chips=80
// RUN: %{lower} --check-prefixes=CHECK,AMPERE
// REDEFINE: %{chips} = chips=80,100
// RUN: %{lower} --check-prefixes=CHECK,AMPERE
// REDEFINE: %{chips} = chips=80,120
// RUN: %{lower} --check-prefixes=CHECK,SMALL
// REDEFINE: %{chips} = chips=86
// RUN: %{lower} --check-prefixes=CHECK,SMALL
// A chip that is not listed.
// REDEFINE: %{chips} = chips=130
// RUN: %{lower} --check-prefixes=CHECK,SMALL

// Attention has tiles of fewer columns, or rows.
// CHECK-LABEL: gpu.func @attend(
// HOPPER-SAME: known_block_size = array<i32: 256, 1, 1>
// HOPPER-SAME: rt.shared = 170752
// AMPERE-SAME: known_block_size = array<i32: 256, 1, 1>
// AMPERE-SAME: rt.shared = 120448
// SMALL-SAME: known_block_size = array<i32: 128, 1, 1>
// SMALL-SAME: rt.shared = 77184
func.func private @attend(%q: tensor<1x256x2x128xf32>, %at: tensor<256xi64>)
    -> (tensor<1x256x2x128xf32>, tensor<1x256x2xf32>) attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.125
      : (tensor<1x256x2x128xf32>, tensor<1x256x2x128xf32>,
         tensor<1x256x2x128xf32>, tensor<256xi64>, tensor<256xi64>)
      -> (tensor<1x256x2x128xf32>, tensor<1x256x2xf32>)
  return %o, %lse : tensor<1x256x2x128xf32>, tensor<1x256x2xf32>
}

// A row of 37504 numbers is kept for the second pass, or read again.
// CHECK-LABEL: gpu.func @normalize(
// HOPPER-SAME: rt.shared = 150{{[0-9]+}} :
// AMPERE-SAME: rt.shared = 150{{[0-9]+}} :
// SMALL-SAME: rt.shared = {{[0-9]?[0-9]?[0-9]}} :
func.func private @normalize(%x: tensor<4x37504xf32>) -> tensor<4x37504xf32>
    attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<4x37504xf32>
  return %y : tensor<4x37504xf32>
}

// A work item keeps as many expensive values as fit into the shared memory of a
// block on all of these GPUs, also if it is compiled for a larger one: here the
// gelu of a row, not its tanh, which is recomputed. The two rows of the
// operands are kept, too, if there is room.
// CHECK-LABEL: gpu.func @costly(
// HOPPER-SAME: rt.shared = 131{{[0-9]+}} :
// AMPERE-SAME: rt.shared = 131{{[0-9]+}} :
// SMALL-SAME: rt.shared = 65{{[0-9]+}} :
func.func private @costly(%x: tensor<4x16384xf32>, %z: tensor<4x16384xf32>)
    -> tensor<4x16384xbf16> attributes {rt.kernel} {
  %g = nn.gelu %x : tensor<4x16384xf32>
  %h = nn.tanh %z : tensor<4x16384xf32>
  %y = nn.softmax %g : tensor<4x16384xf32>
  %w = nn.softmax %h : tensor<4x16384xf32>
  %s = nn.sum %y, %w : tensor<4x16384xf32>
  %c = nn.cast %s : tensor<4x16384xf32> -> tensor<4x16384xbf16>
  return %c : tensor<4x16384xbf16>
}
