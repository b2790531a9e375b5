// A rounded sum and sums of its rows; an embedding; attention.
func.func @f(%x: tensor<64x32xbf16>, %y: tensor<64x32xbf16>)
    -> (tensor<64x32xbf16>, tensor<64xf32>) {
  %s = nn.sum %x, %y : tensor<64x32xbf16>
  %w = nn.cast %s : tensor<64x32xbf16> -> tensor<64x32xf32>
  %r = nn.reduce %w [1] : tensor<64x32xf32> -> tensor<64xf32>
  return %s, %r : tensor<64x32xbf16>, tensor<64xf32>
}
func.func @g(%ids: tensor<8xi64>, %table: tensor<100x16xf32>)
    -> tensor<8x16xf32> {
  %r = nn.embedding %ids, %table : tensor<8xi64>, tensor<100x16xf32> -> tensor<8x16xf32>
  %s = nn.exp %r : tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}
func.func @h(%q: tensor<1x8x2x4xf32>, %at: tensor<8xi64>)
    -> (tensor<1x8x2x4xf32>, tensor<1x8x2xf32>) {
  %o, %l = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<1x8x2x4xf32>, tensor<1x8x2xf32>)
  return %o, %l : tensor<1x8x2x4xf32>, tensor<1x8x2xf32>
}
