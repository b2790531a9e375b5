// Four linear layers on named inputs of floats.
module attributes {pcc.phase = "nn", pcc.model = "losses"} {
  nn.param @a : tensor<8x16xf32> init normal decay
  nn.param @a.bias : tensor<16xf32> init zero
  nn.param @b : tensor<16x8xf32> init normal decay
  nn.param @c : tensor<8x16xf32> init normal decay
  nn.param @d : tensor<16x6xf32> init normal decay
  func.func @forward(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                     %gain: tensor<4x8xf32> {nn.name = "gain", nn.role = #nn.role<data>})
      -> (tensor<4x6xf32> {nn.name = "y"}) {
    %a = nn.read @a : tensor<8x16xf32>
    %bias = nn.read @a.bias : tensor<16xf32>
    %b = nn.read @b : tensor<16x8xf32>
    %c = nn.read @c : tensor<8x16xf32>
    %d = nn.read @d : tensor<16x6xf32>
    %p = nn.contract "bk,kn->bn" %x, %a : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %bb = nn.broadcast %bias [1] : tensor<16xf32> -> tensor<4x16xf32>
    %q = nn.sum %p, %bb : tensor<4x16xf32>
    %g = nn.gelu %q : tensor<4x16xf32>
    %r = nn.contract "bk,kn->bn" %g, %b : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
    %s = nn.mul %r, %gain : tensor<4x8xf32>
    %h = nn.sum %s, %x : tensor<4x8xf32>
    %u = nn.contract "bk,kn->bn" %h, %c : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %v = nn.gelu %u : tensor<4x16xf32>
    %y = nn.contract "bk,kn->bn" %v, %d : tensor<4x16xf32>, tensor<16x6xf32> -> tensor<4x6xf32>
    return %y : tensor<4x6xf32>
  }
}
