// Programs that cannot be divided into tasks.
// RUN: pcc-opt %s -pipe-outline --split-input-file --verify-diagnostics

// expected-error @+1 {{a training program has the functions @microbatch and @update}}
module { }

// -----

// expected-error @+1 {{a training program has the functions @microbatch and @update}}
module {
  func.func @microbatch() { return }
}

// -----

// expected-error @+1 {{a training program has the functions @microbatch and @update}}
module {
  func.func @update() { return }
}

// -----

// expected-error @+1 {{input 1 of @update has no role}}
func.func @update(%lr: tensor<f32> {nn.role = #nn.role<lr>}, %x: tensor<f32>) { return }
func.func @microbatch() { return }

// -----

func.func @update() { return }
// expected-error @+1 {{input 0 of @counts has no role}}
func.func @counts(%x: tensor<f32>) { return }
func.func @microbatch() { return }

// -----

func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>, nn.name = "x"}) {
  // expected-error @+1 {{is in segment -1, which 2 ops cannot have}}
  nn.accumulate %x, @s : tensor<f32> {nn.stage = -1}
  return
}
nn.state @s : tensor<f32> sum
func.func @update() { return }

// -----

func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>, nn.name = "x"}) {
  // expected-error @+1 {{is in segment 2, which 2 ops cannot have}}
  nn.accumulate %x, @s : tensor<f32> {nn.segment = 2}
  return
}
nn.state @s : tensor<f32> sum
func.func @update() { return }

// -----

func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>, nn.name = "x"}) {
  %a = nn.exp %x {nn.segment = 1, nn.stage = 1} : tensor<f32>
  // expected-error @+1 {{is in stage 0, but segment 1 is in stage 1}}
  nn.accumulate %a, @s : tensor<f32> {nn.segment = 1, nn.stage = 0}
  return
}
nn.state @s : tensor<f32> sum
func.func @update() { return }

// -----

// @microbatch determines the stages.
func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>, nn.name = "x"}) {
  nn.accumulate %x, @s : tensor<f32> {nn.stage = 0}
  return
}
nn.state @s : tensor<f32> sum
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}
func.func @evaluate(%x: tensor<f32> {nn.role = #nn.role<data>, nn.name = "x"}) {
  // expected-error @+1 {{is in segment 1 of 1}}
  nn.accumulate %x, @s : tensor<f32> {nn.stage = 1}
  return
}
func.func @evaluate_result() -> (tensor<f32>, tensor<f32>) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}

// -----

func.func @microbatch() { return }
// expected-error @+1 {{@update returns the loss and the gradient norm, under these names}}
func.func @update() -> (tensor<f32> {nn.name = "norm"}, tensor<f32> {nn.name = "loss"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}

// -----

func.func @microbatch() { return }
// expected-error @+1 {{@update returns the loss and the gradient norm, under these names}}
func.func @update() -> (tensor<f32> {nn.name = "loss"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c : tensor<f32>
}

// -----

func.func @microbatch() { return }
// expected-error @+1 {{@update returns the loss and the gradient norm, under these names}}
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}, tensor<f32>) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c, %c : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func @microbatch() { return }
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}
func.func @evaluate() { return }
// expected-error @+1 {{@evaluate_result returns the loss and the target count, not 1 values}}
func.func @evaluate_result() -> tensor<f32> {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c : tensor<f32>
}
