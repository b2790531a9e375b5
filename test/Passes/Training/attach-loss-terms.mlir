// A loss of two terms with separate counts: sum(e * m) / sum(m) and a tenth of
// the mean of e by max(sum(k), 1). The counts of all microbatches are known
// before the first gradient; a microbatch adds its contribution to the mean.
// RUN: pcc-opt %s --nn-attach-loss --nn-verify --nn-autodiff --nn-optimizer=kind=sgd --nn-verify | FileCheck %s

// CHECK: module attributes {nn.loss = "own"}
// CHECK: nn.state @eval_sum.0
// CHECK-NEXT: nn.state @eval_sum.1
// CHECK-NEXT: nn.state @eval_count.0
// CHECK-NEXT: nn.state @eval_count.1
// CHECK-NEXT: nn.state @eval_batches
// CHECK-NEXT: nn.state @step_count.0 : tensor<f32> sum {nn.ahead, nn.count = "'m.sum'"}
// CHECK-NEXT: nn.state @step_count.1 : tensor<f32> sum {nn.ahead}
// CHECK-NEXT: nn.state @step_batches : tensor<f32> sum {nn.ahead}
nn.param @w : tensor<4xf32> init normal

// Only the ops that @counts needs are left of the model.
// CHECK-LABEL: func.func @counts(
// CHECK-SAME: %[[M:[^:]*]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}, %[[K:[^:]*]]: tensor<2x4xf32> {nn.name = "k", nn.role = #nn.role<data>})
// CHECK-NOT: nn.exp
// CHECK: %[[CM:.*]] = nn.reduce %[[M]] [0, 1]
// CHECK: %[[CK:.*]] = nn.reduce %[[K]] [0, 1]
// CHECK: nn.accumulate %[[CM]], @step_count.0
// CHECK: nn.accumulate %[[CK]], @step_count.1
// CHECK: %[[ONE:.*]] = nn.constant dense<1.0
// CHECK: nn.accumulate %[[ONE]], @step_batches

// CHECK-LABEL: func.func @microbatch(
// CHECK: %[[S0:.*]] = nn.reduce %{{.*}} [0, 1]
// CHECK: %[[S1:.*]] = nn.reduce %{{.*}} [0, 1]
// CHECK: %[[N:.*]] = nn.read @step_batches
// CHECK: %[[C0:.*]] = nn.read @step_count.0
// CHECK: %[[P0:.*]] = nn.div %[[S0]], %[[C0]]
// CHECK: %[[Q0:.*]] = nn.mul %[[P0]], %[[N]]
// CHECK: %[[T:.*]] = nn.scale %[[S1]] by 1.25
// CHECK: %[[C1:.*]] = nn.read @step_count.1
// CHECK: %[[MAX:.*]] = nn.max %[[C1]], %{{.*}}
// CHECK: %[[P1:.*]] = nn.div %[[T]], %[[MAX]]
// CHECK: %[[LOSS:.*]] = nn.sum %[[Q0]], %[[P1]]
// CHECK: nn.accumulate %[[LOSS]], @loss_sum

// CHECK-LABEL: func.func @evaluate_result()
// CHECK: %[[E0:.*]] = nn.div %{{.*}}, %{{.*}}
// CHECK: %[[E1:.*]] = nn.div %{{.*}}, %{{.*}}
// The second term is a mean: it does not grow with the batch.
// CHECK: %[[E2:.*]] = nn.div %[[E1]], %{{.*}}
// CHECK: nn.sum %[[E0]], %[[E2]]

// A count that is a divisor itself is returned for error messages; a count with
// a lower bound is not.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}, tensor<f32> {nn.name = "count:'m.sum'"})
// CHECK: %[[COUNT:.*]] = nn.read @step_count.0
// CHECK: nn.write %{{.*}}, @step_count.0
// CHECK: nn.write %{{.*}}, @step_count.1
// CHECK: nn.write %{{.*}}, @step_batches
// CHECK: return %{{.*}}, %{{.*}}, %[[COUNT]]
func.func @forward(
    %x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %m: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>},
    %k: tensor<2x4xf32> {nn.name = "k", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    attributes {nn.has_loss = [{divided, factor = 1.0}, {divided, factor = 0.0125, mean}]} {
  %w = nn.read @w : tensor<4xf32>
  %wide = nn.broadcast %w [1] : tensor<4xf32> -> tensor<2x4xf32>
  %y = nn.mul %x, %wide : tensor<2x4xf32>
  %e = nn.exp %y : tensor<2x4xf32>
  %em = nn.mul %e, %m : tensor<2x4xf32>
  %s0 = nn.reduce %em [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c0 = nn.reduce %m [0, 1] : tensor<2x4xf32> -> tensor<f32> loc("m.sum")
  %s1 = nn.reduce %e [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c1 = nn.reduce %k [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %max = nn.max %c1, %one : tensor<f32>
  return %s0, %c0, %s1, %max : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
