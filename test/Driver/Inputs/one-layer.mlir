// A model of one GEMM: there is nothing to recompute.
nn.param @w : tensor<4x3xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3xf32> {nn.name = "y"}) {
  %w = nn.read @w : tensor<4x3xf32>
  %y = nn.contract "bk,kn->bn" %x, %w : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
