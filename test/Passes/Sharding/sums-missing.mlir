// RUN: pcc-opt %s --dist-verify --split-input-file --verify-diagnostics

// A gradient that nothing is added to stays zero, and trains nothing.

nn.param @a : tensor<4xf32> init normal
nn.param @b : tensor<4xf32> init normal
nn.state @grad.a : tensor<4xf32> gradient of @a
// expected-note @+1 {{this one}}
nn.state @grad.b : tensor<4xf32> gradient of @b
func.func @microbatch(%arg0: tensor<4xf32>) {
  nn.accumulate %arg0, @grad.a : tensor<4xf32>
  return
}
func.func @update() {
  %0 = nn.read @grad.a : tensor<4xf32>
  // expected-error @+1 {{uses the sum 'grad.b', to which nothing is added}}
  %1 = nn.read @grad.b : tensor<4xf32>
  %2 = nn.sum %0, %1 : tensor<4xf32>
  nn.write %2, @a : tensor<4xf32>
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  nn.write %zero, @grad.a : tensor<4xf32>
  nn.write %zero, @grad.b : tensor<4xf32>
  return
}

// -----

// A bucket is read: the error names its member.

nn.param @a : tensor<32xf32> init normal
nn.param @b : tensor<32xf32> init normal
nn.state @grad.a : tensor<32xf32> gradient of @a
// expected-note @+1 {{this one}}
nn.state @grad.b : tensor<32xf32> gradient of @b
nn.state @row : tensor<1x64xf32> bucket members [@grad.a, @grad.b] at [0, 32]
func.func @microbatch(%arg0: tensor<32xf32>) {
  nn.accumulate %arg0, @grad.a : tensor<32xf32>
  return
}
func.func @update() -> tensor<f32> {
  // expected-error @+1 {{uses the sum 'grad.b', to which nothing is added}}
  %0 = nn.read @row : tensor<1x64xf32>
  %1 = nn.sum_of_squares %0 : tensor<1x64xf32> -> tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<1x64xf32>
  nn.write %zero, @row : tensor<1x64xf32>
  return %1 : tensor<f32>
}

// -----

// The same for counts of an evaluation.

// expected-note @+1 {{this one}}
nn.state @eval.loss_sum : tensor<f32> sum
func.func @microbatch() {
  return
}
func.func @evaluate_result() -> tensor<f32> {
  // expected-error @+1 {{uses the sum 'eval.loss_sum', to which nothing is}}
  %0 = nn.read @eval.loss_sum : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The next step would add to an accumulator that is not cleared: a target
// count,

// expected-note @+1 {{this one}}
nn.state @target_count : tensor<f32> sum
func.func @microbatch(%arg0: tensor<f32>) {
  nn.accumulate %arg0, @target_count : tensor<f32>
  return
}
func.func @update() -> tensor<f32> {
  // expected-error @+1 {{uses the sum 'target_count', which is not cleared for the next}}
  %0 = nn.read @target_count : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// or a gradient, even if a value other than zero is written to it.

nn.param @a : tensor<4xf32> init normal
// expected-note @+1 {{this one}}
nn.state @grad.a : tensor<4xf32> gradient of @a
func.func @microbatch(%arg0: tensor<4xf32>) {
  nn.accumulate %arg0, @grad.a : tensor<4xf32>
  return
}
func.func @update() {
  // expected-error @+1 {{uses the sum 'grad.a', which is not cleared for the next}}
  %0 = nn.read @grad.a : tensor<4xf32>
  nn.write %0, @a : tensor<4xf32>
  nn.write %0, @grad.a : tensor<4xf32>
  return
}
