// fp16 has a loss scale: gradients are multiplied by it from the first
// cotangent on, and divided together with the division by the number of
// targets. A step without a finite norm is skipped.
// RUN: pcc-opt %s --nn-precision=kind=fp16 --nn-autodiff --nn-optimizer --nn-verify | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: pcc-opt %s --nn-precision=kind=fp16 --nn-autodiff --nn-optimizer=kind=sgd --nn-verify | FileCheck %s --check-prefixes=CHECK,SGD

// CHECK: nn.state @loss_scale : tensor<f32> number first 1.024000e+03
// CHECK: nn.state @good_steps : tensor<i64> number first 0.000000e+00
// ADAMW: nn.state @updates : tensor<i64> number first 0.000000e+00
// SGD-NOT: @updates

// CHECK-LABEL: func.func @microbatch
// CHECK: nn.contract "bk,k->b" %{{.*}} : tensor<4x2xf16>, tensor<2xf16> -> tensor<4xf16>
// CHECK: %[[SUM:.*]] = nn.reduce %{{.*}} [0] : tensor<4xf32> -> tensor<f32>
// CHECK: nn.accumulate %[[SUM]], @loss_sum
// CHECK: %[[FIRST:.*]] = nn.read @loss_scale : tensor<f32> {nn.bwd}
// CHECK: nn.broadcast %[[FIRST]] [] {nn.bwd}
// CHECK: nn.contract "bk,b->k" %{{.*}} {nn.bwd} : tensor<4x2xf16>, tensor<4xf16> -> tensor<2xf32>

// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[WINDOW:[^:]*]]: tensor<i64> {nn.name = "loss_scale_window"
// CHECK-NOT: #nn.role<step>
// CHECK-SAME: -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}, tensor<f32> {nn.name = "loss_scale"})
// CHECK: %[[SCALE:.*]] = nn.read @loss_scale
// CHECK: %[[N:.*]] = nn.read @target_count
// CHECK: %[[LENGTH:.*]] = nn.sqrt
// CHECK: %[[DIVISOR:.*]] = nn.mul %[[N]], %[[SCALE]]
// CHECK: %[[NORM:.*]] = nn.div %[[LENGTH]], %[[DIVISOR]]
// CHECK: %[[FACTOR:.*]] = nn.min
// CHECK: %[[ZERO:.*]] = nn.sub %[[LOSS:.*]], %[[LOSS]]
// CHECK: %[[FINITE:.*]] = nn.sum %[[NORM]], %[[ZERO]]
// CHECK: %[[MOST:.*]] = nn.constant dense<3.40282347E+38>
// CHECK: %[[GOOD:.*]] = nn.compare le %[[FINITE]], %[[MOST]]
// CHECK-DAG: %[[BOTH:.*]] = nn.div %[[FACTOR]], %[[DIVISOR]]
// CHECK-DAG: %[[NAN:.*]] = nn.constant dense<0x7FC00000>
// CHECK: %[[STEP:.*]] = nn.where %[[GOOD]], %[[BOTH]], %[[NAN]]
// CHECK: nn.write %{{.*}}, @good_steps
// CHECK: nn.write %{{.*}}, @loss_scale
// ADAMW: %[[NEXT:.*]] = nn.sum %{{.*}} : tensor<i64>
// ADAMW: nn.adamw {{.*}} grad_scale %[[STEP]] {{.*}} step %[[NEXT]]
// SGD: nn.sgd {{.*}} grad_scale %[[STEP]]
// CHECK: return %{{.*}}, %[[NORM]], %[[SCALE]]

// The gradients, divided by the loss scale, are the loss's gradients.
// RUN: pcc-opt %s --nn-precision=kind=fp16 --nn-autodiff --nn-optimizer -o %t.adamw.mlir
// RUN: pcc-run %t.adamw.mlir --loss-from %s --check-gradients --fill 1 | FileCheck %s --check-prefix=GRADIENT
// GRADIENT: ok    @w:

// Every kind of step, of both optimizers. The gradients (3, 4) of a loss of 6,
// summed over 2 targets: the loss is 3, the norm 2.5.
// RUN: pcc-opt %s --nn-precision=kind=fp16 --nn-autodiff --nn-optimizer=kind=sgd -o %t.sgd.mlir
// DEFINE: %{one} = pcc-run %t.sgd.mlir --entry update --arg lr=1 --arg weight_decay=0 --arg clip_grad=100 --arg loss_scale_window=3 --arg @w=[7,9] --arg @loss_sum=6
// DEFINE: %{print} = --print 0,1,2,@w,@loss_scale,@good_steps
// DEFINE: %{other} = pcc-run %t.adamw.mlir --entry update --arg lr=1 --arg weight_decay=0.5 --arg beta1=0.5 --arg beta2=0.5 --arg eps=0 --arg clip_grad=100 --arg loss_scale_window=3 --arg @w=[7,9] --arg @loss_sum=6 --arg @exp_avg.w=[1,2] --arg @exp_avg_sq.w=[4,5]
// DEFINE: %{show} = --print @w,@exp_avg.w,@exp_avg_sq.w,@updates,@loss_scale,@good_steps

// RUN: %{one} %{print} --arg @target_count=2 --arg @loss_scale=8 --arg @good_steps=1 --arg @grad.w=[24,32] | FileCheck %s --check-prefix=TAKEN
// TAKEN: result 0 : tensor<f32> = 3
// TAKEN: result 1 : tensor<f32> = 2.5
// TAKEN: result 2 : tensor<f32> = 8
// TAKEN: @w : tensor<2xf32> = [5.5, 7]
// TAKEN: @loss_scale : tensor<f32> = 8
// TAKEN: @good_steps : tensor<i64> = 2

// RUN: %{one} %{print} --arg @target_count=2 --arg @loss_scale=8 --arg @good_steps=2 --arg @grad.w=[24,32] | FileCheck %s --check-prefix=DOUBLED
// DOUBLED: @w : tensor<2xf32> = [5.5, 7]
// DOUBLED: @loss_scale : tensor<f32> = 16
// DOUBLED: @good_steps : tensor<i64> = 0

// A value too large for f32 is inf.
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([3, numpy.nan], numpy.float32))"
// RUN: for g in [3,1e39] [3,-1e39] %t.npy; do \
// RUN:   %{one} %{print} --arg @target_count=2 --arg @loss_scale=8 --arg @good_steps=2 --arg @grad.w=$g | FileCheck %s --check-prefix=SKIPPED || exit 1; \
// RUN: done
// SKIPPED: result 0 : tensor<f32> = 3
// SKIPPED: result 1 : tensor<f32> = {{inf|nan}}
// SKIPPED: result 2 : tensor<f32> = 8
// SKIPPED: @w : tensor<2xf32> = [7, 9]
// SKIPPED: @loss_scale : tensor<f32> = 4
// SKIPPED: @good_steps : tensor<i64> = 0

// RUN: %{one} %{print} --arg @target_count=2 --arg @loss_scale=1 --arg @grad.w=[3,1e39] | FileCheck %s --check-prefix=LEAST
// LEAST: @loss_scale : tensor<f32> = 1

// RUN: %{one} %{print} --arg @target_count=2 --arg @loss_scale=4294967296 --arg @good_steps=2 --arg @grad.w=[0,0] | FileCheck %s --check-prefix=GREATEST
// GREATEST: @loss_scale : tensor<f32> = 4.2949673e+09
// GREATEST: @good_steps : tensor<i64> = 0

// Without valid targets there is neither a step nor an overflow.
// RUN: %{one} %{print} --arg @target_count=0 --arg @loss_scale=8 --arg @good_steps=2 --arg @grad.w=[0,0] | FileCheck %s --check-prefix=EMPTY
// EMPTY: @w : tensor<2xf32> = [7, 9]
// EMPTY: @loss_scale : tensor<f32> = 8
// EMPTY: @good_steps : tensor<i64> = 2

// AdamW's moments and step number do not change, either.
// RUN: %{other} %{show} --arg @target_count=2 --arg @loss_scale=8 --arg @good_steps=2 --arg @updates=4 --arg @grad.w=[3,1e39] | FileCheck %s --check-prefix=STAYS
// STAYS: @w : tensor<2xf32> = [7, 9]
// STAYS: @exp_avg.w : tensor<2xf32> = [1, 2]
// STAYS: @exp_avg_sq.w : tensor<2xf32> = [4, 5]
// STAYS: @updates : tensor<i64> = 4

// In the first step, whose moments are zero, parameters change by the learning
// rate.
// RUN: %{other} %{show} --arg @target_count=2 --arg @loss_scale=8 --arg @exp_avg.w=[0,0] --arg @exp_avg_sq.w=[0,0] --arg @grad.w=[24,32] | FileCheck %s --check-prefix=MOVES
// MOVES: @w : tensor<2xf32> = [6, 8]
// MOVES: @exp_avg.w : tensor<2xf32> = [0.75, 1]
// MOVES: @exp_avg_sq.w : tensor<2xf32> = [1.125, 2]
// MOVES: @updates : tensor<i64> = 1

module {
  nn.param @w : tensor<2xf32> init normal
  func.func @loss(%x: tensor<4x2xf32> {nn.role = #nn.role<data>, nn.name = "x"})
      -> (tensor<f32>, tensor<f32>) {
    %w = nn.read @w : tensor<2xf32>
    %y = nn.contract "bk,k->b" %x, %w : tensor<4x2xf32>, tensor<2xf32> -> tensor<4xf32>
    %square = nn.mul %y, %y : tensor<4xf32>
    %sum = nn.reduce %square [0] : tensor<4xf32> -> tensor<f32>
    %count = nn.constant dense<4.0> : tensor<f32>
    return %sum, %count : tensor<f32>, tensor<f32>
  }
}
