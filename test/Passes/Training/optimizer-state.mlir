// Moments of bf16 are rounded with random bits by the parameter's number in the
// module, which frozen parameters count in, too, and by its extents in the
// model's file, without padding.
// RUN: pcc-opt %s --nn-optimizer=state=bf16 --nn-verify | FileCheck %s
// RUN: not pcc-opt %s --nn-optimizer='kind=sgd state=bf16' 2>&1 | FileCheck %s --check-prefix=SGD
// RUN: not pcc-opt %s --nn-optimizer=state=f16 2>&1 | FileCheck %s --check-prefix=TYPE
// SGD: error: cannot train with sgd and optimizer state of type 'bf16'
// TYPE: error: cannot train with adamw and optimizer state of type 'f16'

// Two parameters with the bits of one are refused.
// RUN: pcc-opt %s --nn-optimizer=state=bf16 | sed 's/rounding_bits 2/rounding_bits 0/' \
// RUN:   | not pcc-opt --nn-verify 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: {{.*}} rounds with the random numbers of parameter 0, which are taken
// TAKEN: note: by

nn.param @w : tensor<2x4xf32> init normal decay source <name = "w",
    file = "", offset = 0, type = tensor<2x3xf32>, file_size = 0, digest = 0,
    base = 0, strides = [3, 1], valid = [2, 3]>
nn.param @f : tensor<4xf32> init file frozen
nn.param @b : tensor<4xf32> init zero
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<2x4xf32> gradient of @w
nn.state @grad.b : tensor<4xf32> gradient of @b

// CHECK: nn.state @exp_avg.w : tensor<2x4xbf16> exp_avg of @w
// CHECK: nn.state @exp_avg_sq.b : tensor<4xbf16> exp_avg_sq of @b
// CHECK: func.func @update(%[[SEED:[^:]*]]: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>}
// CHECK-SAME: %[[STEP:[^:]*]]: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>}
// CHECK: %[[W:.*]] = nn.rounding_bits 0 seed %[[SEED]] step %[[STEP]] members [#nn.member<shape = [2, 4], whole = [2, 3]>] : {{.*}} -> tensor<2x4xi32>
// CHECK: nn.adamw decay {{.*}} rounding %[[W]] : {{.*}}, tensor<2x4xbf16>
// CHECK: %[[B:.*]] = nn.rounding_bits 2 seed %[[SEED]] step %[[STEP]] members [#nn.member<shape = [4], whole = [4]>]
// CHECK: nn.adamw {{.*}} rounding %[[B]]
