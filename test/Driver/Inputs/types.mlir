// An input that may be all zeros without harm.
module attributes {pcc.phase = "nn"} {
  nn.param @w : tensor<4x4xf32> init normal
  func.func @forward(
      %x: tensor<4x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
      %types: tensor<4x4xf32> {nn.name = "types", nn.role = #nn.role<data>})
      -> (tensor<4x4xf32> {nn.name = "y"}) {
    %w = nn.read @w : tensor<4x4xf32>
    %sum = nn.sum %x, %types : tensor<4x4xf32>
    %y = nn.contract "bi,io->bo" %sum, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}
