// The gradient of attention's sinks: -p sum(do * o), summed over samples and
// queries, with p the probability of a sink. It is f32 in every precision. The gradient of attention keeps the window and the soft cap, and needs
// no sinks.
// RUN: pcc-opt %s --nn-autodiff | FileCheck %s
// RUN: pcc-opt %s --nn-precision=kind=bf16 --nn-autodiff | FileCheck %s --check-prefix=NARROW

nn.param @q : tensor<2x3x2x4xf32> init normal
nn.param @sinks : tensor<2xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[SINKS:.*]] = nn.read @sinks
// CHECK: %[[O:[^,]*]], %[[LSE:.*]] = nn.attention causal {{.*}} sinks %[[SINKS]] scale 5.000000e-01 {softcap = 5.000000e+01 : f64, window = 2 : i64}
// CHECK: nn.attention_grad causal %[[DO:[^,]*]], {{.*}} scale 5.000000e-01 {nn.bwd, softcap = 5.000000e+01 : f64, window = 2 : i64}
// CHECK: %[[TERMS:.*]] = nn.mul %[[DO]], %[[O]] {nn.bwd}
// CHECK-NEXT: %[[DOT:.*]] = nn.reduce %[[TERMS]] [3] {nn.bwd}
// CHECK-NEXT: %[[EACH:.*]] = nn.broadcast %[[SINKS]] [2] {nn.bwd} : tensor<2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: %[[LOG:.*]] = nn.sub %[[EACH]], %[[LSE]] {nn.bwd}
// CHECK-NEXT: %[[P:.*]] = nn.exp %[[LOG]] {nn.bwd}
// CHECK-NEXT: %[[PRODUCT:.*]] = nn.mul %[[P]], %[[DOT]] {nn.bwd}
// CHECK-NEXT: %[[MINUS:.*]] = nn.scale %[[PRODUCT]] by -1.000000e+00 {nn.bwd}
// CHECK-NEXT: %[[D:.*]] = nn.reduce %[[MINUS]] [0, 1] {nn.bwd} : tensor<2x3x2xf32> -> tensor<2xf32>
// CHECK: nn.accumulate %[[D]], @grad.sinks

// NARROW-LABEL: func.func @microbatch
// NARROW: %[[READ:.*]] = nn.read @sinks
// NARROW: %[[COPY:.*]] = nn.cast %[[READ]] : tensor<2xf32> -> tensor<2xbf16>
// NARROW-NEXT: %[[SINKS:.*]] = nn.cast %[[COPY]] : tensor<2xbf16> -> tensor<2xf32>
// NARROW: %[[O:[^,]*]], %{{.*}} = nn.attention causal {{.*}} sinks %[[SINKS]] {{.*}} tensor<2xf32>) -> (tensor<2x3x2x4xbf16>, tensor<2x3x2xf32>)
// NARROW: nn.attention_grad
// NARROW: nn.cast %{{.*}} : tensor<2x3x2x4xbf16> -> tensor<2x3x2x4xf32>
// NARROW: nn.cast %[[O]] {nn.bwd} : tensor<2x3x2x4xbf16> -> tensor<2x3x2x4xf32>
// NARROW: %[[D:.*]] = nn.reduce %{{.*}} [0, 1] {nn.bwd} : tensor<2x3x2xf32> -> tensor<2xf32>
// NARROW: nn.accumulate %[[D]], @grad.sinks
func.func @loss(%c: tensor<2x3x2x4xf32>, %at: tensor<3xi64>)
    -> (tensor<f32>, tensor<f32>) {
  %q = nn.read @q : tensor<2x3x2x4xf32>
  %sinks = nn.read @sinks : tensor<2xf32>
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at sinks %sinks scale 0.5 {window = 2 : i64, softcap = 50.0}
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  %y = nn.mul %o, %c : tensor<2x3x2x4xf32>
  %l = nn.reduce %y [0, 1, 2, 3] : tensor<2x3x2x4xf32> -> tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
