// Two kernels: a sum of rows, rounded, and one of all.
func.func @f(%x: tensor<64x32xbf16>, %y: tensor<64x32xbf16>)
    -> (tensor<64x32xbf16>, tensor<64xf32>) {
  %s = nn.sum %x, %y : tensor<64x32xbf16>
  %w = nn.cast %s : tensor<64x32xbf16> -> tensor<64x32xf32>
  %r = nn.reduce %w [1] : tensor<64x32xf32> -> tensor<64xf32>
  return %s, %r : tensor<64x32xbf16>, tensor<64xf32>
}
