// Inputs without tokens: the batch dim is the dim of samples.
// RUN: pcc-opt %s -dist-mesh=dp=2 -dist-seed-data -dist-propagate | FileCheck %s

// CHECK: func.func @microbatch
// CHECK-SAME: tensor<4x3x8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}, {}, {}]>
// CHECK-SAME: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>
// CHECK-SAME: tensor<4xi64> {dist.sharding = #dist.sharding<@mesh, [{"dp"}]>
func.func @microbatch(%pixels: tensor<4x3x8x8xf32> {nn.role = #nn.role<data>},
                      %mask: tensor<8x8xf32> {nn.role = #nn.role<data>},
                      %samples: tensor<4xi64> {nn.role = #nn.role<samples>}) {
  return
}
