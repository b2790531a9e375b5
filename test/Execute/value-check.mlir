// A partitioned program is compared with its plan after every op.
// RUN: pcc-run %s --against %S/Inputs/mlp.plan.mlir --fill 1 --exact \
// RUN:   --rtol 1e-12 --print @total | FileCheck %s
// The first op that is wrong is named: another gelu,
// RUN: sed 's/%%g = nn.gelu %%h /%%g = nn.gelu tanh %%h /' %s \
// RUN:   | not pcc-run --against %S/Inputs/mlp.plan.mlir --fill 1 --exact \
// RUN:       --rtol 1e-8 2>&1 | FileCheck %s --check-prefix=GELU
// a missing reduction (replicas differ),
// RUN: sed 's/%%z = dist.all_reduce sum %%y over \["tp"\]/%%z = nn.scale %%y by 1.0/' %s \
// RUN:   | not pcc-run --against %S/Inputs/mlp.plan.mlir --fill 1 --exact \
// RUN:       --rtol 1e-8 2>&1 | FileCheck %s --check-prefix=REDUCE
// a sum that is taken for one that is partial over another axis,
// RUN: sed 's/\[#dist.sharding<@mesh, \[\], partial = {"dp"}>\]/[#dist.sharding<@mesh, [], partial = {"tp"}>]/' %s \
// RUN:   | not pcc-run --against %S/Inputs/mlp.plan.mlir --fill 1 --exact \
// RUN:       --rtol 1e-8 2>&1 | FileCheck %s --check-prefix=PARTIAL
// a dist.id that no op of the plan has.
// RUN: sed 's/dist.id = 6/dist.id = 60/' %s \
// RUN:   | not pcc-run --against %S/Inputs/mlp.plan.mlir --fill 1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER

#s_b = #dist.sharding<@mesh, [{"dp"}, {}]>
#s_f = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>
#s_p = #dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp"}>
#column = #dist.sharding<@mesh, [{}, {"tp"}]>
#row = #dist.sharding<@mesh, [{"tp"}, {}]>

module attributes {dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @w1 : tensor<4x3xf32> init normal
    {dist.global = tensor<4x6xf32>, dist.sharding = #column}
nn.param @w2 : tensor<3x4xf32> init normal
    {dist.global = tensor<6x4xf32>, dist.sharding = #row}
nn.state @total : tensor<f32> sum {dist.global = tensor<f32>,
    dist.sharding = #dist.sharding<@mesh, [], partial = {"dp"}>}

func.func @main(%x: tensor<1x4xf32> {nn.name = "x",
                    dist.global = tensor<2x4xf32>, dist.sharding = #s_b})
    -> (tensor<1x4xf32> {dist.global = tensor<2x4xf32>,
                         dist.sharding = #s_b}) {
  %w1 = nn.read @w1 : tensor<4x3xf32>
      {dist.id = 0 : i64, dist.shardings = [#column]}
  %w2 = nn.read @w2 : tensor<3x4xf32>
      {dist.id = 1 : i64, dist.shardings = [#row]}
  %h = nn.contract "bc,cf->bf" %x, %w1
      {dist.id = 2 : i64, dist.shardings = [#s_f]}
      : tensor<1x4xf32>, tensor<4x3xf32> -> tensor<1x3xf32>
  %g = nn.gelu %h {dist.id = 3 : i64, dist.shardings = [#s_f]}
      : tensor<1x3xf32>
  %y = nn.contract "bf,fc->bc" %g, %w2
      {dist.id = 4 : i64, dist.shardings = [#s_p]}
      : tensor<1x3xf32>, tensor<3x4xf32> -> tensor<1x4xf32>
  %z = dist.all_reduce sum %y over ["tp"]
      {dist.id = 5 : i64, dist.shardings = [#s_b]} : tensor<1x4xf32>
  %s = nn.reduce %z [0, 1] {dist.id = 6 : i64, dist.shardings =
      [#dist.sharding<@mesh, [], partial = {"dp"}>]}
      : tensor<1x4xf32> -> tensor<f32>
  nn.accumulate %s, @total : tensor<f32>
  return %z : tensor<1x4xf32>
}
}

// 7 ops, 1 result, 2 parameters, 1 state.
// CHECK: 11 values equal the reference's, the worst to {{[0-9.]+}}e-1
// CHECK: @total : tensor<f32> =
// GELU: error: 'nn.gelu' op result #0 differs from the reference: largest difference
// GELU: mlp.plan.mlir:13:8: remark: this is the reference's op
// REDUCE: error: 'nn.scale' op result #0: ranks 0 and 1 hold the same shard, but differ
// PARTIAL: error: 'nn.reduce' op result #0
// NUMBER: error: 'nn.reduce' op has the number 60, which no op of the reference has
