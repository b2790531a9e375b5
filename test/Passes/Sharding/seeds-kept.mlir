// A value may have several seeds of different levels: each pass adds one.
// RUN: pcc-opt %s -dist-seed-data | FileCheck %s
// RUN: pcc-opt %s -dist-seed-data -dist-propagate | FileCheck --check-prefix=PLAN %s

dist.mesh @mesh = <["dp"=2, "tp"=2]>
// CHECK: dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}]>, reason = "by hand">, #dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "an input's batch and sequence">]
// PLAN: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>, nn.role
func.func @forward(%x: tensor<4x8xf32> {nn.role = #nn.role<data>, dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}]>, reason = "by hand">]}) {
  // A seed of an op names a result; the other results follow from it.
  // PLAN: nn.reduce {{.*}}dist.factors = {{\[\[}}"dp"], ["tp"]]
  // PLAN: nn.layer_norm {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"dp", "tp"}, {}]>, #dist.sharding<@mesh, [{"dp", "tp"}]>, #dist.sharding<@mesh, [{"dp", "tp"}]>]
  %s = nn.constant dense<1.0> : tensor<8xf32>
  %t = nn.reduce %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  %y = nn.broadcast %t [0] : tensor<4xf32> -> tensor<4x8xf32>
  %n, %m, %r = nn.layer_norm %y scale %s eps 1.0e-5 {dist.seeds = [
      #dist.seed<level = 2, result = 2, sharding = <@mesh, [{"tp", ?}]>, reason = "by hand">]} : tensor<4x8xf32>, tensor<8xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}
