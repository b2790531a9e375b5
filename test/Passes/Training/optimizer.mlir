// RUN: pcc-opt %s --nn-optimizer --nn-verify | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: pcc-opt %s --nn-optimizer=kind=sgd --nn-verify | FileCheck %s --check-prefixes=CHECK,SGD

nn.param @w : tensor<2x4xf32> init normal decay
nn.param @b : tensor<4xf32> init zero
nn.param @f : tensor<4xf32> init file frozen
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<2x4xf32> gradient of @w
nn.state @grad.b : tensor<4xf32> gradient of @b

// ADAMW: nn.state @exp_avg.w : tensor<2x4xf32> exp_avg of @w
// ADAMW-NEXT: nn.state @exp_avg.b : tensor<4xf32> exp_avg of @b
// ADAMW-NEXT: nn.state @exp_avg_sq.w : tensor<2x4xf32> exp_avg_sq of @w
// ADAMW-NEXT: nn.state @exp_avg_sq.b : tensor<4xf32> exp_avg_sq of @b
// SGD-NOT: exp_avg

// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[LR:[^:]*]]: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>}
// CHECK-SAME: %[[WD:[^:]*]]: tensor<f32> {nn.name = "weight_decay", nn.role = #nn.role<weight_decay>}
// ADAMW-SAME: %[[B1:[^:]*]]: tensor<f32> {nn.name = "beta1", nn.role = #nn.role<beta1>}
// ADAMW-SAME: %[[B2:[^:]*]]: tensor<f32> {nn.name = "beta2", nn.role = #nn.role<beta2>}
// ADAMW-SAME: %[[EPS:[^:]*]]: tensor<f32> {nn.name = "eps", nn.role = #nn.role<eps>}
// CHECK-SAME: %[[CLIP:[^:]*]]: tensor<f32> {nn.name = "clip_grad", nn.role = #nn.role<clip_grad>}
// ADAMW-SAME: %[[STEP:[^:]*]]: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>}
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"})
// CHECK-DAG: %[[N:.*]] = nn.read @target_count
// CHECK-DAG: %[[SUM:.*]] = nn.read @loss_sum
// CHECK: %[[LOSS:.*]] = nn.div %[[SUM]], %[[N]]
// CHECK: %[[GW:.*]] = nn.read @grad.w
// CHECK-NEXT: %[[SW:.*]] = nn.sum_of_squares %[[GW]]
// CHECK-NEXT: %[[GB:.*]] = nn.read @grad.b
// CHECK-NEXT: %[[SB:.*]] = nn.sum_of_squares %[[GB]]
// CHECK-NEXT: %[[SS:.*]] = nn.sum %[[SW]], %[[SB]] : tensor<f32>
// CHECK-NEXT: %[[ROOT:.*]] = nn.sqrt %[[SS]]
// CHECK-NEXT: %[[NORM:.*]] = nn.div %[[ROOT]], %[[N]]
// CHECK-NEXT: %[[TINY:.*]] = nn.constant dense<9.99999997E-7>
// CHECK-NEXT: %[[BOUNDED:.*]] = nn.sum %[[NORM]], %[[TINY]]
// CHECK-DAG: %[[ONE:.*]] = nn.constant dense<1.0
// CHECK-DAG: %[[RATIO:.*]] = nn.div %[[CLIP]], %[[BOUNDED]]
// CHECK: %[[FACTOR:.*]] = nn.min %[[RATIO]], %[[ONE]]
// CHECK-NEXT: %[[ZERO:.*]] = nn.sub %[[LOSS]], %[[LOSS]]
// CHECK-NEXT: %[[BOTH:.*]] = nn.sum %[[NORM]], %[[ZERO]]
// CHECK: %[[MOST:.*]] = nn.constant dense<3.40282347E+38>
// CHECK-NEXT: %[[FINITE:.*]] = nn.compare le %[[BOTH]], %[[MOST]]
// CHECK-DAG: %[[TAKEN:.*]] = nn.div %[[FACTOR]], %[[N]]
// CHECK-DAG: %[[NAN:.*]] = nn.constant dense<0x7FC00000>
// CHECK: %[[SCALE:.*]] = nn.where %[[FINITE]], %[[TAKEN]], %[[NAN]]

// ADAMW: %[[W:.*]] = nn.read @w
// ADAMW-NEXT: %[[M:.*]] = nn.read @exp_avg.w
// ADAMW-NEXT: %[[V:.*]] = nn.read @exp_avg_sq.w
// ADAMW-NEXT: %[[NW:.*]], %[[NM:.*]], %[[NV:.*]] = nn.adamw decay %[[W]], %[[GW]], %[[M]], %[[V]] grad_scale %[[SCALE]] lr %[[LR]] betas %[[B1]], %[[B2]] eps %[[EPS]] weight_decay %[[WD]] step %[[STEP]]
// ADAMW-NEXT: nn.write %[[NW]], @w
// ADAMW-NEXT: nn.write %[[NM]], @exp_avg.w
// ADAMW-NEXT: nn.write %[[NV]], @exp_avg_sq.w
// ADAMW: nn.adamw %{{[^,]*}}, %[[GB]]
// SGD: %[[W:.*]] = nn.read @w
// SGD-NEXT: %[[NW:.*]] = nn.sgd decay %[[W]], %[[GW]] grad_scale %[[SCALE]] lr %[[LR]] weight_decay %[[WD]]
// SGD-NEXT: nn.write %[[NW]], @w
// SGD: nn.sgd %{{[^,]*}}, %[[GB]]

// CHECK-NOT: @f
// CHECK: %[[ZW:.*]] = nn.constant dense<0.0{{.*}}> : tensor<2x4xf32>
// CHECK-NEXT: nn.write %[[ZW]], @grad.w
// CHECK: nn.write %{{.*}}, @grad.b
// CHECK: nn.write %{{.*}}, @loss_sum
// CHECK: nn.write %{{.*}}, @target_count
// CHECK-NEXT: return %[[LOSS]], %[[NORM]]
