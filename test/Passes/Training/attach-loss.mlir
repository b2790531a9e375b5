// RUN: pcc-opt %s --nn-verify --nn-attach-loss --nn-verify | FileCheck %s

nn.param @w : tensor<8x16xf32> init normal
// CHECK: nn.param
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum

// The targets follow the tokens. Dropout and unused hidden states are removed
// from @evaluate, with the inputs that only they used.
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>}
// CHECK-SAME: %[[T:[^:]*]]: tensor<2x4xi64> {nn.name = "targets", nn.role = #nn.role<targets>}
// CHECK-SAME: nn.role = #nn.role<samples>
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"})
// CHECK: nn.dropout
// CHECK: nn.attention {{.*}} samples
// CHECK: %[[L:.*]] = nn.contract "bsc,cv->bsv"
// CHECK-NEXT: %[[CE:.*]], %{{.*}} = nn.cross_entropy %[[L]], %[[T]] classes 16
// CHECK-NEXT: %[[V:.*]] = nn.valid %[[T]]
// CHECK-NEXT: %[[SUM:.*]] = nn.reduce %[[CE]] [0, 1]
// CHECK-NEXT: %[[N:.*]] = nn.reduce %[[V]] [0, 1]
// CHECK-NEXT: return %[[SUM]], %[[N]]

// CHECK-LABEL: func.func @evaluate(
// CHECK-NOT: nn.role = #nn.role<s
// CHECK-NOT: nn.dropout
// CHECK: nn.attention causal %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} positions %{{[^ ]*}}, %{{[^ ]*}} scale 5.0{{[^{]*}} :
// CHECK: nn.cross_entropy
// CHECK: nn.accumulate %{{.*}}, @eval_loss_sum
// CHECK-NEXT: nn.accumulate %{{.*}}, @eval_target_count
// CHECK-NEXT: return{{$}}

// CHECK-LABEL: func.func @evaluate_result()
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"})
// CHECK: %[[SUM:.*]] = nn.read @eval_loss_sum
// CHECK-NEXT: %[[N:.*]] = nn.read @eval_target_count
// CHECK-NEXT: %[[MEAN:.*]] = nn.div %[[SUM]], %[[N]]
// CHECK: nn.write %{{.*}}, @eval_loss_sum
// CHECK: nn.write %{{.*}}, @eval_target_count
// CHECK-NEXT: return %[[MEAN]], %[[N]]

func.func @forward(
    %ids: tensor<2x4xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
    %pos: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>},
    %samples: tensor<2xi64> {nn.name = "samples", nn.role = #nn.role<samples>},
    %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>},
    %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>},
    %table: tensor<2x4x8xf32> {nn.name = "table", nn.role = #nn.role<data>})
    -> (tensor<2x4x16xf32> {nn.name = "logits"}, tensor<2x4x8xf32> {nn.name = "hidden"}) {
  %x = nn.dropout %table samples %samples positions %pos seed %seed step %step
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  %h = nn.reshape %x : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32>
  %a, %lse = nn.attention causal %h, %h, %h positions %pos, %pos samples %samples seed %seed step %step scale 0.5 {p = 0.1, id = 2}
      : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>)
  %y = nn.reshape %a : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32>
  %w = nn.read @w : tensor<8x16xf32>
  %logits = nn.contract "bsc,cv->bsv" %y, %w : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32>
  return %logits, %y : tensor<2x4x16xf32>, tensor<2x4x8xf32>
}
