// Gradients and moments have their parameter's sharding, before any op
// determines it: the weight's gradient is computed sharded although its
// operands would allow a whole one. Other accumulators do not.
// RUN: pcc-opt %s -dist-propagate | FileCheck %s

dist.mesh @mesh = <["tp"=2]>
// CHECK: nn.param @w {{.*}}<@mesh, [{"tp"}, {}]>
nn.param @w : tensor<4x8xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "row-parallel weight">]}
// CHECK: nn.state @grad.w {{.*}}<@mesh, [{"tp"}, {}]>
nn.state @grad.w : tensor<4x8xf32> gradient of @w
// CHECK: nn.state @exp_avg.w {{.*}}<@mesh, [{"tp"}, {}]>
nn.state @exp_avg.w : tensor<4x8xf32> exp_avg of @w
// CHECK: nn.state @sum {{.*}}<@mesh, [{}, {}]>
nn.state @sum : tensor<4x8xf32> sum
// CHECK: func.func @microbatch
func.func @microbatch(%x: tensor<2x4xf32> {nn.role = #nn.role<data>},
                      %dy: tensor<2x8xf32> {nn.role = #nn.role<data>}) {
  // CHECK: nn.contract {{.*}}dist.factors = {{\[\[}}], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]
  %g = nn.contract "bk,bn->kn" %x, %dy {nn.bwd} : tensor<2x4xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
  nn.accumulate %g, @grad.w : tensor<4x8xf32> {nn.bwd}
  return
}
