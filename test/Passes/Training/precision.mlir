// RUN: pcc-opt %s --nn-precision=kind=bf16 | FileCheck %s
// RUN: pcc-opt %s --nn-precision=kind=bf16 --nn-autodiff | FileCheck %s --check-prefix=GRAD
// RUN: pcc-opt %s --nn-precision | FileCheck %s --check-prefix=WIDE
// RUN: not pcc-opt %s --nn-precision=kind=bf8 2>&1 | FileCheck %s --check-prefix=NONE

// Values that depend on a parameter are low precision, with the exceptions
// listed in Precision.cpp. Casts of parameters follow ops that only move
// elements.

// WIDE-NOT: bf16
// NONE: error: there is no precision 'bf8'
// NONE: note: precisions are f32, bf16 and fp16

// CHECK: nn.param @w : tensor<8x8xf32>
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %[[DATA:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK: %[[TURNED:.*]] = nn.transpose %{{.*}} [1, 0] : tensor<8x8xf32>
// CHECK: %[[X:.*]] = nn.cast %[[DATA]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[W:.*]] = nn.cast %[[TURNED]] : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK: %[[PRODUCT:.*]] = nn.contract "bk,kn->bn" %[[X]], %[[W]] : {{.*}} -> tensor<4x8xbf16>
// CHECK: %[[BIAS:.*]] = nn.cast %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[BIASED:.*]] = nn.sum %[[PRODUCT]], %[[BIAS]] : tensor<4x8xbf16>
// Values that do not depend on a parameter.
// CHECK: %[[SINE:.*]] = nn.sin %{{.*}} : tensor<4xf32>
// CHECK: %[[TABLE:.*]] = nn.broadcast %[[SINE]] [0] : tensor<4xf32> -> tensor<4x8xf32>
// Ops with operands of both types.
// CHECK: %[[UP:.*]] = nn.cast %[[BIASED]] : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK: %[[BOTH:.*]] = nn.sum %[[UP]], %[[TABLE]] : tensor<4x8xf32>
// CHECK: %[[DOWN:.*]] = nn.cast %[[BOTH]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[NORM:.*]], %{{.*}} = nn.rms_norm %[[DOWN]] scale %{{.*}} : tensor<4x8xbf16>, tensor<8xbf16> -> tensor<4xf32>
// CHECK: %[[SCORES:.*]] = nn.cast %[[NORM]] : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK: %[[P:.*]] = nn.softmax %[[SCORES]] : tensor<4x8xf32>
// CHECK: %[[HALF:.*]] = nn.cast %[[P]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: %[[OUT:.*]] = nn.contract "bk,kn->bn" %[[HALF]], %[[W]] : {{.*}} -> tensor<4x8xbf16>
// The loss.
// CHECK: %[[LAST:.*]] = nn.cast %[[OUT]] : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK: nn.sub %[[LAST]], %{{.*}} : tensor<4x8xf32>
// CHECK: nn.reduce %{{.*}} [0, 1] : tensor<4x8xf32> -> tensor<f32>

// Gradients of parameters are never rounded: neither cotangents of each use,
// nor moved gradients, nor sums over rows.
// GRAD-LABEL: func.func @microbatch
// GRAD: %[[SECOND:.*]] = nn.contract "bk,bn->kn" %{{.*}}, %{{.*}} {nn.bwd} : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xf32>
// GRAD: %[[DSCALE:.*]] = nn.rms_norm_grad_scale {{.*}} -> tensor<8xf32>
// GRAD: nn.accumulate %[[DSCALE]], @grad.g : tensor<8xf32>
// GRAD: %[[FIRST:.*]] = nn.contract "bk,bn->kn" %{{.*}}, %{{.*}} {nn.bwd} : tensor<4x8xbf16>, tensor<4x8xbf16> -> tensor<8x8xf32>
// GRAD: %[[SUM:.*]] = nn.sum %[[SECOND]], %[[FIRST]] {nn.bwd} : tensor<8x8xf32>
// GRAD: %[[DBIAS:.*]] = nn.reduce %{{.*}} [0] {nn.bwd} : tensor<4x8xf32> -> tensor<8xf32>
// GRAD: nn.accumulate %[[DBIAS]], @grad.b : tensor<8xf32>
// GRAD: %[[DW:.*]] = nn.transpose %[[SUM]] [1, 0] {nn.bwd} : tensor<8x8xf32>
// GRAD: nn.accumulate %[[DW]], @grad.w : tensor<8x8xf32>
module {
  nn.param @w : tensor<8x8xf32> init normal decay
  nn.param @b : tensor<8xf32> init zero
  nn.param @g : tensor<8xf32> init one
  func.func @loss(%x: tensor<4x8xf32> {nn.role = #nn.role<data>, nn.name = "x"},
                  %y: tensor<4x8xf32> {nn.role = #nn.role<targets>, nn.name = "y"},
                  %at: tensor<4xi64> {nn.role = #nn.role<positions>, nn.name = "at"})
      -> (tensor<f32>, tensor<f32>) {
    %w = nn.read @w : tensor<8x8xf32>
    %turned = nn.transpose %w [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    %b = nn.read @b : tensor<8xf32>
    %rows = nn.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32>
    %product = nn.contract "bk,kn->bn" %x, %turned : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %biased = nn.sum %product, %rows : tensor<4x8xf32>
    %number = nn.cast %at : tensor<4xi64> -> tensor<4xf32>
    %sine = nn.sin %number : tensor<4xf32>
    %table = nn.broadcast %sine [0] : tensor<4xf32> -> tensor<4x8xf32>
    %moved = nn.sum %biased, %table : tensor<4x8xf32>
    %g = nn.read @g : tensor<8xf32>
    %normed, %rstd = nn.rms_norm %moved scale %g eps 1.0e-6 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4xf32>
    %p = nn.softmax %normed : tensor<4x8xf32>
    %out = nn.contract "bk,kn->bn" %p, %turned : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %d = nn.sub %out, %y : tensor<4x8xf32>
    %square = nn.mul %d, %d : tensor<4x8xf32>
    %sum = nn.reduce %square [0, 1] : tensor<4x8xf32> -> tensor<f32>
    %count = nn.constant dense<32.0> : tensor<f32>
    return %sum, %count : tensor<f32>, tensor<f32>
  }
}
