// Rows of four groups, each with a matrix of its own.
func.func @f(%x: tensor<64x2048xf32>, %w: tensor<4x8x2048xf32>, %ends: tensor<4xi32>)
    -> tensor<64x8xf32> {
  %y = nn.grouped_contract "rk,enk->rn" %x, %w ends %ends
      : tensor<64x2048xf32>, tensor<4x8x2048xf32>, tensor<4xi32> -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}
