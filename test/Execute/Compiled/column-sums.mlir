// Gradients of the scales of norms, with rows whose halves were swapped. The
// columns of such rows are not contiguous, so the sums over rows cannot share a
// kernel with the swap. Against the interpreter.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-6: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<1x1x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %dy: tensor<1x1x8xf32> {nn.name = "dy", nn.role = #nn.role<data>},
    %m: tensor<1x1xf32> {nn.name = "m", nn.role = #nn.role<data>},
    %r: tensor<1x1xf32> {nn.name = "r_positive", nn.role = #nn.role<data>},
    %xs: tensor<2x3x8xf32> {nn.name = "xs", nn.role = #nn.role<data>},
    %dys: tensor<2x3x8xf32> {nn.name = "dys", nn.role = #nn.role<data>},
    %ms: tensor<2x3xf32> {nn.name = "ms", nn.role = #nn.role<data>},
    %rs: tensor<2x3xf32> {nn.name = "rs_positive", nn.role = #nn.role<data>})
    -> (tensor<8xf32> {nn.name = "one_bias"},
        tensor<8xf32> {nn.name = "one_scale"},
        tensor<8xf32> {nn.name = "one_scales"},
        tensor<8xf32> {nn.name = "bias"},
        tensor<8xf32> {nn.name = "scale"},
        tensor<8xf32> {nn.name = "scales"}) {
  // One row.
  %low = nn.slice %dy at [0, 0, 0] step [1, 1, 1] : tensor<1x1x8xf32> -> tensor<1x1x4xf32>
  %high = nn.slice %dy at [0, 0, 4] step [1, 1, 1] : tensor<1x1x8xf32> -> tensor<1x1x4xf32>
  %to_low = nn.pad %high at [0, 0, 0] step [1, 1, 1] : tensor<1x1x4xf32> -> tensor<1x1x8xf32>
  %to_high = nn.pad %low at [0, 0, 4] step [1, 1, 1] : tensor<1x1x4xf32> -> tensor<1x1x8xf32>
  %d = nn.sum %to_low, %to_high : tensor<1x1x8xf32>
  %one_bias = nn.reduce %d [0, 1] : tensor<1x1x8xf32> -> tensor<8xf32>
  %one_scale = nn.layer_norm_grad_scale %d, %x mean %m rstd %r
      : tensor<1x1x8xf32>, tensor<1x1xf32>, tensor<1x1xf32> -> tensor<8xf32>
  %other = nn.rms_norm_grad_scale %dy, %x rstd %r : tensor<1x1x8xf32>, tensor<1x1xf32> -> tensor<8xf32>
  %one_scales = nn.sum %one_scale, %other : tensor<8xf32>
  // Six rows.
  %lows = nn.slice %dys at [0, 0, 0] step [1, 1, 1] : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
  %highs = nn.slice %dys at [0, 0, 4] step [1, 1, 1] : tensor<2x3x8xf32> -> tensor<2x3x4xf32>
  %to_lows = nn.pad %highs at [0, 0, 0] step [1, 1, 1] : tensor<2x3x4xf32> -> tensor<2x3x8xf32>
  %to_highs = nn.pad %lows at [0, 0, 4] step [1, 1, 1] : tensor<2x3x4xf32> -> tensor<2x3x8xf32>
  %ds = nn.sum %to_lows, %to_highs : tensor<2x3x8xf32>
  %bias = nn.reduce %ds [0, 1] : tensor<2x3x8xf32> -> tensor<8xf32>
  %scale = nn.layer_norm_grad_scale %ds, %xs mean %ms rstd %rs
      : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<8xf32>
  %others = nn.rms_norm_grad_scale %dys, %xs rstd %rs : tensor<2x3x8xf32>, tensor<2x3xf32> -> tensor<8xf32>
  %scales = nn.sum %scale, %others : tensor<8xf32>
  return %one_bias, %one_scale, %one_scales, %bias, %scale, %scales
      : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>
}
}
