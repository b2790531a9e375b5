// Programs that --nn-verify accepts; verify-errors.mlir has programs that it
// rejects.
// RUN: pcc-opt %s --split-input-file --nn-verify -o /dev/null

// @update, @evaluate_result and, for states marked nn.ahead, all functions read
// states. The first two write them; only @update writes parameters.
nn.param @w : tensor<f32> init normal
nn.state @grad.w : tensor<f32> gradient of @w
nn.state @loss_sum : tensor<f32> sum
nn.state @step_count : tensor<f32> sum {nn.ahead}
func.func @microbatch(%x: tensor<f32> {nn.role = #nn.role<data>}) {
  %n = nn.read @step_count : tensor<f32>
  %w = nn.read @w : tensor<f32>
  nn.accumulate %n, @grad.w : tensor<f32>
  nn.accumulate %w, @loss_sum : tensor<f32>
  return
}
func.func @evaluate_result() {
  %s = nn.read @loss_sum : tensor<f32>
  nn.write %s, @loss_sum : tensor<f32>
  return
}
func.func @update() {
  %g = nn.read @grad.w : tensor<f32>
  nn.write %g, @w : tensor<f32>
  nn.write %g, @grad.w : tensor<f32>
  return
}

// -----

// There may be several inputs of data, shared inputs and positions; several
// draws in the backward pass or with other ids; and several attentions without
// dropout.
func.func @forward(%x: tensor<2x3x1x4xf32> {nn.role = #nn.role<data>},
                   %y: tensor<2x3xf32> {nn.role = #nn.role<data>},
                   %i: tensor<2xi64> {nn.role = #nn.role<samples>},
                   %j: tensor<3xi64> {nn.role = #nn.role<positions>},
                   %k: tensor<3xi64> {nn.role = #nn.role<positions>},
                   %a: tensor<3xi64> {nn.role = #nn.role<shared>},
                   %b: tensor<3xi64> {nn.role = #nn.role<shared>},
                   %s: tensor<i64> {nn.role = #nn.role<seed>},
                   %t: tensor<i64> {nn.role = #nn.role<step>}) {
  %d = nn.dropout %y samples %i positions %j seed %s step %t {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %e = nn.dropout %y samples %i positions %j seed %s step %t {p = 0.1, id = 2, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %f = nn.dropout %y samples %i positions %j seed %s step %t {nn.bwd, p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %o, %l = nn.attention %x, %x, %x positions %j, %k scale 1.0 {id = 1}
      : (tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<2x3x1x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x1x4xf32>, tensor<2x3x1xf32>)
  return
}

// -----

// A gradient of a f64 parameter is f64.
nn.param @w : tensor<4xf64> init normal
nn.state @grad.w : tensor<4xf64> gradient of @w

// -----

// Sums may be reshaped and cast; a count may be a constant; ops without a
// derivative may compute frozen values, counts or unused values.
nn.param @w : tensor<2x3xf32> init normal
nn.param @f : tensor<2x3xf32> init normal frozen
func.func @loss(%x: tensor<2x3xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<2x3xf32>
  %f = nn.read @f : tensor<2x3xf32>
  %m = nn.row_max %f classes 3 : tensor<2x3xf32> -> tensor<2xf32>
  %r = nn.row_max %w classes 3 : tensor<2x3xf32> -> tensor<2xf32>
  %c = nn.reduce %r [0] : tensor<2xf32> -> tensor<f32>
  %y = nn.reduce %w [1] : tensor<2x3xf32> -> tensor<2xf32>
  %z = nn.sum %y, %m : tensor<2xf32>
  %wide = nn.cast %z : tensor<2xf32> -> tensor<2xf64>
  %l = nn.reduce %wide [0] : tensor<2xf64> -> tensor<f64>
  %n = nn.cast %l : tensor<f64> -> tensor<f32>
  return %n, %c : tensor<f32>, tensor<f32>
}

// -----

func.func @loss(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %l = nn.sum_of_squares %x : tensor<2xf32> -> tensor<f32>
  %s = nn.sum %l, %l : tensor<f32>
  %n = nn.constant dense<2.0> : tensor<f32>
  return %s, %n : tensor<f32>, tensor<f32>
}

// -----

// The terms of a loss in the file have already been checked.
module attributes {nn.loss = "own"} {
func.func @loss(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %l = nn.reduce_max %x [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.sqrt %l : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
}

// -----

// Forward ops are on the same or later stages than their operands, backward ops
// on the same or earlier ones; they use residuals of any earlier stage. Reads
// and constants are on the stages of their uses.
nn.param @w : tensor<4xf32> init normal
func.func @microbatch(%x: tensor<4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4xf32>
  %c = nn.constant dense<1.0> : tensor<4xf32> {nn.stage = 1 : i64}
  %a = nn.sum %x, %w, %c {nn.stage = 0 : i64} : tensor<4xf32>
  %b = nn.exp %a {nn.stage = 1 : i64} : tensor<4xf32>
  %d = nn.exp %b {nn.stage = 1 : i64} : tensor<4xf32>
  %e = nn.mul %d, %a {nn.bwd, nn.stage = 1 : i64} : tensor<4xf32>
  %f = nn.mul %e, %a {nn.bwd, nn.stage = 0 : i64} : tensor<4xf32>
  %g = nn.mul %f, %w {nn.bwd, nn.stage = 0 : i64} : tensor<4xf32>
  return
}
