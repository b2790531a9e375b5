// Two steps of training, of two microbatches and of one, against numpy: losses
// and norms are means over the step's targets, gradients are cleared.
// RUN: %python %S/Inputs/linear.py adamw 0.5 %t.clipped
// RUN: pcc-opt %s --nn-attach-loss=loss=mse --nn-autodiff --nn-optimizer --nn-verify \
// RUN:   | pcc-run --entry=microbatch,microbatch,update,microbatch,update --exact --print=none \
// RUN:     --inputs %t.clipped.inputs.json --expected %t.clipped.expected.json --rtol 1e-12 | FileCheck %s
// RUN: %python %S/Inputs/linear.py adamw inf %t.free
// RUN: pcc-opt %s --nn-attach-loss=loss=mse --nn-autodiff --nn-optimizer --nn-verify \
// RUN:   | pcc-run --entry=microbatch,microbatch,update,microbatch,update --exact --print=none \
// RUN:     --inputs %t.free.inputs.json --expected %t.free.expected.json --rtol 1e-12 | FileCheck %s
// RUN: %python %S/Inputs/linear.py sgd 0.5 %t.sgd
// RUN: pcc-opt %s --nn-attach-loss=loss=mse --nn-autodiff --nn-optimizer=kind=sgd --nn-verify \
// RUN:   | pcc-run --entry=microbatch,microbatch,update,microbatch,update --exact --print=none \
// RUN:     --inputs %t.sgd.inputs.json --expected %t.sgd.expected.json --rtol 1e-12 | FileCheck %s

// Evaluation returns the mean over all its batches, and is reinitialized.
// RUN: pcc-opt %s --nn-attach-loss=loss=mse \
// RUN:   | pcc-run --entry=evaluate,evaluate,evaluate_result --exact --fill 1 --save 0=%t.two.npy --print=1,@eval_loss_sum,@eval_target_count \
// RUN:   | FileCheck %s --check-prefix=EVALUATE
// RUN: pcc-opt %s --nn-attach-loss=loss=mse \
// RUN:   | pcc-run --entry=evaluate,evaluate_result --exact --fill 1 --expect 0=%t.two.npy --print=none | FileCheck %s

// CHECK-NOT: WRONG
// CHECK: ok 0
// CHECK-NOT: WRONG

// EVALUATE: result 1 : tensor<f32> = 30
// EVALUATE-NEXT: @eval_loss_sum : tensor<f32> = 0
// EVALUATE-NEXT: @eval_target_count : tensor<f32> = 0

nn.param @w : tensor<4x3xf32> init normal decay
nn.param @b : tensor<3xf32> init zero
func.func @forward(%x: tensor<5x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<5x3xf32> {nn.name = "y"}) {
  %w = nn.read @w : tensor<4x3xf32>
  %b = nn.read @b : tensor<3xf32>
  %p = nn.contract "bk,kn->bn" %x, %w : tensor<5x4xf32>, tensor<4x3xf32> -> tensor<5x3xf32>
  %bb = nn.broadcast %b [1] : tensor<3xf32> -> tensor<5x3xf32>
  %y = nn.sum %p, %bb : tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
