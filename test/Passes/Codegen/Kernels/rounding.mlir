// Random bits for rounding are part of the kernel of the optimizer's step: they
// have no memory. Two buckets whose members differ in their numbers only share
// it, as the step that has the number is chosen outside.
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK:      %[[A:.*]] = nn.select %[[STEPS:.*]] dim 0 index 0 : tensor<2x2xi64> -> tensor<2xi64>
// CHECK:      call @[[KERNEL:.*]](%[[A]],
// CHECK:      %[[B:.*]] = nn.select %[[STEPS]] dim 0 index 1
// CHECK:      call @[[KERNEL]](%[[B]],
// CHECK-NOT:  call
// CHECK:      func.func private @[[KERNEL]](%[[OWN:[^:]*]]: tensor<2xi64>
// CHECK:        %[[STEP:.*]] = nn.select %[[OWN]] dim 0 index 0
// CHECK:        %[[BITS:.*]] = nn.rounding_bits 0 seed %{{.*}} step %[[STEP]] members
// CHECK:        nn.adamw {{.*}} rounding %[[BITS]]
// CHECK-NOT:  func.func
func.func @update(%steps: tensor<2x2xi64>, %seed: tensor<i64>, %step: tensor<i64>,
                  %p: tensor<1x64xf32>, %g: tensor<1x64xf32>, %m: tensor<1x64xbf16>,
                  %q: tensor<1x64xf32>, %h: tensor<1x64xf32>, %n: tensor<1x64xbf16>,
                  %s: tensor<f32>)
    -> (tensor<1x64xf32>, tensor<1x64xbf16>, tensor<1x64xf32>, tensor<1x64xbf16>) {
  %own.0 = nn.select %steps dim 0 index 0 : tensor<2x2xi64> -> tensor<2xi64>
  %step.0 = nn.select %own.0 dim 0 index 0 : tensor<2xi64> -> tensor<i64>
  %bits.0 = nn.rounding_bits 0 seed %seed step %step.0 members [#nn.member<shape = [64], whole = [64]>]
      : tensor<i64>, tensor<i64> -> tensor<1x64xi32>
  %a:3 = nn.adamw %p, %g, %m, %m grad_scale %s lr %s betas %s, %s eps %s weight_decay %s step %step rounding %bits.0
      : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<1x64xi32>
  %own.1 = nn.select %steps dim 0 index 1 : tensor<2x2xi64> -> tensor<2xi64>
  %step.1 = nn.select %own.1 dim 0 index 0 : tensor<2xi64> -> tensor<i64>
  %bits.1 = nn.rounding_bits 0 seed %seed step %step.1 members [#nn.member<shape = [64], whole = [64]>]
      : tensor<i64>, tensor<i64> -> tensor<1x64xi32>
  %b:3 = nn.adamw %q, %h, %n, %n grad_scale %s lr %s betas %s, %s eps %s weight_decay %s step %step rounding %bits.1
      : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<1x64xi32>
  return %a#0, %a#1, %b#0, %b#1 : tensor<1x64xf32>, tensor<1x64xbf16>, tensor<1x64xf32>, tensor<1x64xbf16>
}
