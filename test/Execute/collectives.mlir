// Every collective on the ranks of a 2 x 3 mesh. Arguments are sharded and
// results assembled by their shardings.
// RUN: pcc-run %s --arg x=[[0,1,2,3,4,5],[10,11,12,13,14,15]] | FileCheck %s
// RUN: sed 's/sum %%part over \["tp"\]/sum %%part over ["dp"]/' %s \
// RUN:   | not pcc-run --arg x=[[0,1,2,3,4,5],[10,11,12,13,14,15]] 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIFFER

module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=3]>

func.func @main(
    %x: tensor<1x2xf32> {nn.name = "x", dist.global = tensor<2x6xf32>,
        dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>})
    -> (tensor<1x6xf32> {dist.global = tensor<2x6xf32>,
            dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
        tensor<2x2xf32> {dist.global = tensor<2x6xf32>,
            dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
        tensor<f32> {dist.global = tensor<f32>,
            dist.sharding = #dist.sharding<@mesh, []>},
        tensor<1x2xf32> {dist.global = tensor<1x2xf32>,
            dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"dp", "tp"}>},
        tensor<1x2xf32> {dist.global = tensor<3x2xf32>,
            dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>},
        tensor<i64> {dist.global = tensor<i64>,
            dist.sharding = #dist.sharding<@mesh, [], partial = {"tp"}>},
        tensor<1x2xf32> {dist.global = tensor<1x6xf32>,
            dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
        tensor<1x1xf32> {dist.global = tensor<1x6xf32>,
            dist.sharding = #dist.sharding<@mesh, [{}, {"tp", "dp"}]>},
        tensor<1x2xf32> {dist.global = tensor<3x2xf32>,
            dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>}) {
  %row = dist.all_gather %x dim 1 over ["tp"]
      : tensor<1x2xf32> -> tensor<1x6xf32>
  %column = dist.all_gather %x dim 0 over ["dp"]
      : tensor<1x2xf32> -> tensor<2x2xf32>
  %part = nn.reduce %x [0, 1] : tensor<1x2xf32> -> tensor<f32>
  %line = dist.all_reduce sum %part over ["tp"] : tensor<f32>
  %all = dist.all_reduce max %line over ["dp"] : tensor<f32>
  // Rank t of a row has its columns 2 t and 2 t + 1; of the gathered row,
  // reshaped to [3, 2], they are row t.
  %rows = nn.reshape %row : tensor<1x6xf32> -> tensor<3x2xf32>
  %rs = dist.reduce_scatter %rows dim 0 over ["tp"]
      : tensor<3x2xf32> -> tensor<1x2xf32>
  %slice = dist.shard_slice %rows dim 0 over ["tp"]
      : tensor<3x2xf32> -> tensor<1x2xf32>
  %same = dist.all_reduce max %slice over ["dp"] : tensor<1x2xf32>
  %offset = dist.offset ["tp"] by 5 : tensor<i64>
  // Rows sharded over dp become columns sharded over dp.
  %a2a = dist.all_to_all %x from 0 to 1 over ["dp"]
      : tensor<1x2xf32> -> tensor<2x1xf32>
  %sum = nn.reduce %column [0] : tensor<2x2xf32> -> tensor<2xf32>
  %sums = nn.reshape %sum : tensor<2xf32> -> tensor<1x2xf32>
  %swapped = nn.reduce %a2a [0] : tensor<2x1xf32> -> tensor<1xf32>
  %single = nn.reshape %swapped : tensor<1xf32> -> tensor<1x1xf32>
  return %row, %column, %all, %x, %same, %offset, %sums, %single, %rs
      : tensor<1x6xf32>, tensor<2x2xf32>, tensor<f32>, tensor<1x2xf32>,
        tensor<1x2xf32>, tensor<i64>, tensor<1x2xf32>, tensor<1x1xf32>,
        tensor<1x2xf32>
}
}

// CHECK: result 0 : tensor<2x6xf32> = {{\[\[}}0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15]]
// CHECK: result 1 : tensor<2x6xf32> = {{\[\[}}0, 1, 2, 3, 4, 5], [10, 11, 12, 13, 14, 15]]
// CHECK: result 2 : tensor<f32> = 75
// CHECK: result 3 : tensor<1x2xf32> = {{\[\[}}42, 48]]
// CHECK: result 4 : tensor<3x2xf32> = {{\[\[}}10, 11], [12, 13], [14, 15]]
// 0 + 5 + 10 over tp.
// CHECK: result 5 : tensor<i64> = 15
// CHECK: result 6 : tensor<1x6xf32> = {{\[\[}}10, 12, 14, 16, 18, 20]]
// CHECK: result 7 : tensor<1x6xf32> = {{\[\[}}10, 12, 14, 16, 18, 20]]
// CHECK: result 8 : tensor<3x2xf32> = {{\[\[}}30, 36], [42, 48], [54, 60]]
// DIFFER: error: result #2: ranks 0 and 1 hold the same shard, but differ at its element 0
