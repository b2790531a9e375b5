// The plan that ../value-check.mlir is a partition of: column parallel, gelu,
// row parallel over tp, the batch over dp.
dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @w1 : tensor<4x6xf32> init normal
nn.param @w2 : tensor<6x4xf32> init normal
nn.state @total : tensor<f32> sum

func.func @main(%x: tensor<2x4xf32> {nn.name = "x"}) -> tensor<2x4xf32> {
  %w1 = nn.read @w1 : tensor<4x6xf32> {dist.id = 0 : i64}
  %w2 = nn.read @w2 : tensor<6x4xf32> {dist.id = 1 : i64}
  %h = nn.contract "bc,cf->bf" %x, %w1 {dist.id = 2 : i64}
      : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  %g = nn.gelu %h {dist.id = 3 : i64} : tensor<2x6xf32>
  %y = nn.contract "bf,fc->bc" %g, %w2 {dist.id = 4 : i64}
      : tensor<2x6xf32>, tensor<6x4xf32> -> tensor<2x4xf32>
  %z = dist.reshard %y
      from #dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>
      to #dist.sharding<@mesh, [{"dp"}, {}]> {dist.id = 5 : i64}
      : tensor<2x4xf32>
  %s = nn.reduce %z [0, 1] {dist.id = 6 : i64} : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %s, @total : tensor<f32>
  return %z : tensor<2x4xf32>
}
