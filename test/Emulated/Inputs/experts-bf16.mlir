// A mixture of experts and its gradient, in bf16; rows of tiles that are not full.
module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<3x67x40xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %dy: tensor<3x67x40xf32> {nn.name = "dy", nn.role = #nn.role<data>},
    %ids: tensor<3x67x2xi64> {nn.name = "ids", nn.role = #nn.role<data>},
    %gates: tensor<3x67x2xf32> {nn.name = "gates", nn.role = #nn.role<data>},
    %w1: tensor<4x2x24x40xf32> {nn.name = "w1", nn.role = #nn.role<data>},
    %w2: tensor<4x40x24xf32> {nn.name = "w2", nn.role = #nn.role<data>})
    -> (tensor<3x67x40xf32> {nn.name = "y"},
        tensor<3x67x40xf32> {nn.name = "dx"},
        tensor<3x67x2xf32> {nn.name = "dgates"},
        tensor<4x2x24x40xf32> {nn.name = "dw1"},
        tensor<4x40x24xf32> {nn.name = "dw2"}) {
  %n_x = nn.cast %x : tensor<3x67x40xf32> -> tensor<3x67x40xbf16>
  %n_dy = nn.cast %dy : tensor<3x67x40xf32> -> tensor<3x67x40xbf16>
  %n_w1 = nn.cast %w1 : tensor<4x2x24x40xf32> -> tensor<4x2x24x40xbf16>
  %n_w2 = nn.cast %w2 : tensor<4x40x24xf32> -> tensor<4x40x24xbf16>
  %y = nn.experts silu %n_x ids %ids gates %gates w1 %n_w1 w2 %n_w2
      : (tensor<3x67x40xbf16>, tensor<3x67x2xi64>, tensor<3x67x2xf32>, tensor<4x2x24x40xbf16>, tensor<4x40x24xbf16>) -> tensor<3x67x40xbf16>
  %dx, %dgates, %dw1, %dw2 = nn.experts_grad silu %n_dy, %n_x ids %ids gates %gates w1 %n_w1 w2 %n_w2
      : (tensor<3x67x40xbf16>, tensor<3x67x40xbf16>, tensor<3x67x2xi64>, tensor<3x67x2xf32>, tensor<4x2x24x40xbf16>, tensor<4x40x24xbf16>)
      -> (tensor<3x67x40xbf16>, tensor<3x67x2xf32>, tensor<4x2x24x40xbf16>, tensor<4x40x24xbf16>)
  %o_y = nn.cast %y : tensor<3x67x40xbf16> -> tensor<3x67x40xf32>
  %o_dx = nn.cast %dx : tensor<3x67x40xbf16> -> tensor<3x67x40xf32>
  %o_dw1 = nn.cast %dw1 : tensor<4x2x24x40xbf16> -> tensor<4x2x24x40xf32>
  %o_dw2 = nn.cast %dw2 : tensor<4x40x24xbf16> -> tensor<4x40x24xf32>
  return %o_y, %o_dx, %dgates, %o_dw1, %o_dw2 : tensor<3x67x40xf32>, tensor<3x67x40xf32>, tensor<3x67x2xf32>, tensor<4x2x24x40xf32>, tensor<4x40x24xf32>
}
}
