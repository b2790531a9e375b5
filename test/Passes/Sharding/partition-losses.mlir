// Classes sharded over ranks: a row's maximum is reduced first, then both of
// its sums in one collective, never the logits. Adjacent sums of scalars over
// the same ranks are one collective, too.
// RUN: pcc-opt %s -dist-partition | FileCheck %s

dist.mesh @mesh = <["dp"=2, "tp"=2]>
// CHECK: func.func @loss(%[[X:.*]]: tensor<4x4xf32> {{.*}}, %[[T:.*]]: tensor<4xi64>
func.func @loss(
    %x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>},
    %t: tensor<8xi64> {dist.sharding = #dist.sharding<@mesh, [{"dp"}]>})
    -> (tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>}, tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>}) {
  // CHECK: %[[FIRST:.*]] = dist.offset ["tp"] by 4
  // CHECK: %[[M:.*]] = nn.row_max %[[X]] offset %[[FIRST]] : tensor<i64> classes 7 {{.*}}: tensor<4x4xf32> -> tensor<4xf32>
  // CHECK: %[[MAX:.*]] = dist.all_reduce max %[[M]] over ["tp"]
  // CHECK: %[[P:.*]] = nn.cross_entropy_stats %[[X]], %[[T]] max %[[MAX]] offset %[[FIRST]] : tensor<i64> classes 7
  // CHECK: %[[S:.*]] = dist.all_reduce sum %[[P]] over ["tp"]
  // CHECK: %[[LOSS:.*]], %{{.*}} = nn.cross_entropy_loss %[[S]] max %[[MAX]], %[[T]]
  %l, %lse = nn.cross_entropy %x, %t classes 7 {dist.id = 0, dist.shardings = [#dist.sharding<@mesh, [{"dp"}]>, #dist.sharding<@mesh, [{"dp"}]>]}
      : tensor<8x8xf32>, tensor<8xi64> -> tensor<8xf32>
  // CHECK: %[[A:.*]] = nn.reduce %[[LOSS]] [0]
  %s = nn.reduce %l [0] {dist.id = 1, dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<8xf32> -> tensor<f32>
  %v = nn.valid %t {dist.id = 2, dist.shardings = [#dist.sharding<@mesh, [{"dp"}]>]} : tensor<8xi64> -> tensor<8xf32>
  // CHECK: %[[B:.*]] = nn.reduce
  %n = nn.reduce %v [0] {dist.id = 3, dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<8xf32> -> tensor<f32>
  // CHECK: %[[BOTH:.*]]:2 = dist.all_reduce sum %[[A]], %[[B]] over ["dp"]
  // CHECK-NOT: dist.all_reduce
  %sum = dist.reshard %s from <@mesh, [], partial = {"dp"}> to <@mesh, []>
      {dist.id = 4, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
  %count = dist.reshard %n from <@mesh, [], partial = {"dp"}> to <@mesh, []>
      {dist.id = 5, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
  // CHECK: return %[[BOTH]]#0, %[[BOTH]]#1
  return %sum, %count : tensor<f32>, tensor<f32>
}
