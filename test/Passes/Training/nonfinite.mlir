// A step whose loss or gradient norm is not finite is skipped: parameter and
// moments do not change, with and without clipping.
// RUN: pcc-opt %s --nn-optimizer -o %t.adamw.mlir
// RUN: pcc-opt %s --nn-optimizer=kind=sgd -o %t.sgd.mlir
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.array([0, numpy.nan], numpy.float32)); numpy.save('%t.scalar.npy', numpy.array(numpy.nan, numpy.float32))"

// Norms that are not finite, the last one from finite gradients; then losses
// that are not finite with finite gradients (3, 4).
// DEFINE: %{sgd} = pcc-run %t.sgd.mlir --entry update --arg lr=1 --arg weight_decay=0 --arg @target_count=2 --arg @w=[7,9]
// DEFINE: %{adamw} = pcc-run %t.adamw.mlir --entry update --arg lr=1 --arg weight_decay=0.5 --arg beta1=0.5 --arg beta2=0.5 --arg eps=0 --arg step=3 --arg @target_count=2 --arg @w=[7,9] --arg @exp_avg.w=[1,2] --arg @exp_avg_sq.w=[4,5]
// RUN: for clip in 1 1e39; do for gradient in %t.npy [3,1e39] [3,-1e39] [3,1e30]; do \
// RUN:   %{sgd} --arg clip_grad=$clip --arg @loss_sum=6 --arg @grad.w=$gradient --print 0,@w && \
// RUN:   %{adamw} --arg clip_grad=$clip --arg @loss_sum=6 --arg @grad.w=$gradient --print 0,@w,@exp_avg.w,@exp_avg_sq.w || exit 1; \
// RUN: done; done | sort | uniq -c | FileCheck %s --check-prefix=NORMS
// NORMS: 8 @exp_avg.w : tensor<2xf32> = [1, 2]
// NORMS-NEXT: 8 @exp_avg_sq.w : tensor<2xf32> = [4, 5]
// NORMS-NEXT: 16 @w : tensor<2xf32> = [7, 9]
// NORMS-NEXT: 16 result 0 : tensor<f32> = 3
// NORMS-NOT: {{.}}
// RUN: for clip in 1 1e39; do for loss in %t.scalar.npy 1e39 -1e39; do \
// RUN:   %{sgd} --arg clip_grad=$clip --arg @loss_sum=$loss --arg @grad.w=[3,4] --print 1,@w && \
// RUN:   %{adamw} --arg clip_grad=$clip --arg @loss_sum=$loss --arg @grad.w=[3,4] --print 1,@w,@exp_avg.w,@exp_avg_sq.w || exit 1; \
// RUN: done; done | sort | uniq -c | FileCheck %s --check-prefix=LOSSES
// LOSSES: 6 @exp_avg.w : tensor<2xf32> = [1, 2]
// LOSSES-NEXT: 6 @exp_avg_sq.w : tensor<2xf32> = [4, 5]
// LOSSES-NEXT: 12 @w : tensor<2xf32> = [7, 9]
// LOSSES-NEXT: 12 result 1 : tensor<f32> = 2.5
// LOSSES-NOT: {{.}}

// A finite step is taken, its gradients divided by the two targets, and clipped
// from 2.5 to 1.
// RUN: %{sgd} --arg clip_grad=1e39 --arg @loss_sum=-6 --arg @grad.w=[3,4] --print @w | FileCheck %s --check-prefix=TAKEN
// TAKEN: @w : tensor<2xf32> = [5.5, 7]
// RUN: %{sgd} --arg clip_grad=1 --arg @loss_sum=6 --arg @grad.w=[3,4] --print @w | FileCheck %s --check-prefix=CLIPPED
// CLIPPED: @w : tensor<2xf32> = [6.4{{[0-9]*}}, 8.2{{[0-9]*}}]

nn.param @w : tensor<2xf32> init normal decay
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<2xf32> gradient of @w
