// Axes over which all operands of a sum are partial are not resolved for the
// sum, only those that differ: here one all_reduce over tp, none over dp, which
// the update reduces once per step.
// RUN: pcc-opt %s -dist-propagate -dist-insert-reshards -dist-verify | FileCheck %s

dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @w : tensor<4x4xf32> init normal
// CHECK: nn.state @grad.w {{.*}}partial = {"dp"}
nn.state @grad.w : tensor<4x4xf32> gradient of @w

func.func @microbatch(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "batch">]},
    %y: tensor<8x6x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {"tp"}, {}]>, reason = "batch, sequence">]}) {
  // CHECK: %[[A:.*]] = nn.contract "bk,bn->kn" {{.*}}partial = {"dp"}>
  %a = nn.contract "bk,bn->kn" %x, %x : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  // CHECK: %[[B:.*]] = nn.contract "btk,btn->kn" {{.*}}partial = {"dp", "tp"}>
  %b = nn.contract "btk,btn->kn" %y, %y : tensor<8x6x4xf32>, tensor<8x6x4xf32> -> tensor<4x4xf32>
  // CHECK-NEXT: %[[C:.*]] = dist.reshard %[[B]] from <@mesh, [{}, {}], partial = {"dp", "tp"}> to <@mesh, [{}, {}], partial = {"dp"}>
  // CHECK-NEXT: nn.sum %[[A]], %[[C]] {{.*}}partial = {"dp"}>
  %s = nn.sum %a, %b : tensor<4x4xf32>
  // CHECK-NEXT: nn.accumulate
  nn.accumulate %s, @grad.w : tensor<4x4xf32>
  return
}
