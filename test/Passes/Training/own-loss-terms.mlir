// The terms of a loss that the model computes itself.
// RUN: pcc-opt %s --split-input-file --nn-attach-loss --nn-verify | FileCheck %s

// A mean by the batch: its factor halves for twice as many samples, so the
// count is one per microbatch.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.scale %[[V0]] by 5.000000e-01 : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.scale %[[V0]] by 5.000000e-01 : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V1]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V2]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V3]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> tensor<f32> attributes {nn.has_loss = [{factor = 0.5, mean}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Two means are added; a factor of 1 has no op.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.exp %[[A0]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[V1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.scale %[[V2]] by 2.500000e-01 : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.sum %[[V0]], %[[V3]] : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V4]], %[[V5]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.exp %[[A0]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[V1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.scale %[[V2]] by 2.500000e-01 : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.sum %[[V0]], %[[V3]] : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V4]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V5]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V3]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{mean}, {factor = 0.25, mean}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %e = nn.exp %x : tensor<2x4xf32>
  %t = nn.reduce %e [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %s, %t : tensor<f32>, tensor<f32>
}

// -----

// Two terms with one count: their sum is divided by it. The count is named
// after its node.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.count = "'m.sum'", nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.exp %[[A0]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[V1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.scale %[[V2]] by 2.000000e+00 : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.sum %[[V0]], %[[V4]] : tensor<f32>
// CHECK-NEXT: return %[[V5]], %[[V3]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.exp %[[A0]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[V1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.scale %[[V2]] by 2.000000e+00 : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.sum %[[V0]], %[[V4]] : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V5]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V3]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V3]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %m: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    attributes {nn.has_loss = [{divided, factor = 1.0}, {divided, factor = 2.0}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %e = nn.exp %x : tensor<2x4xf32>
  %t = nn.reduce %e [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %n = nn.reduce %m [0, 1] : tensor<2x4xf32> -> tensor<f32> loc("m.sum")
  return %s, %n, %t, %n : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A single sum: a microbatch's contribution to a mean over microbatches is
// multiplied by their number.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_sum.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @step_batches : tensor<f32> sum {nn.ahead}
// CHECK: func.func @counts() {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @step_batches : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @step_batches : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.mul %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V2]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> tensor<f32> attributes {nn.has_loss = [{}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A penalty that does not depend on samples is the same for every batch: a
// mean, next to a term with a count. Dropout is only in training; counts need
// neither.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.param @w : tensor<4xf32> init normal
// CHECK-NEXT: nn.state @eval_sum.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_sum.1 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_count.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_batches : tensor<f32> sum
// CHECK-NEXT: nn.state @step_count.0 : tensor<f32> sum {nn.ahead, nn.count = "'nn.reduce'"}
// CHECK-NEXT: nn.state @step_batches : tensor<f32> sum {nn.ahead}
// CHECK: func.func @counts(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @step_count.0 : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V1]], @step_batches : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}, %[[A2:[^ :,#]+]]: tensor<4xi64> {nn.name = "at", nn.role = #nn.role<positions>}, %[[A3:[^ :,#]+]]: tensor<2xi64> {nn.name = "samples", nn.role = #nn.role<samples>}, %[[A4:[^ :,#]+]]: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>}, %[[A5:[^ :,#]+]]: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.dropout %[[A0]] samples %[[A3]] positions %[[A2]] seed %[[A4]] step %[[A5]] {batch_dim = 0 : i64, id = 1 : i64, p = 1.000000e-01 : f64, seq_dim = 1 : i64} : tensor<2x4xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.reduce %[[V0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.read @w : tensor<4xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.mul %[[V2]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.reduce %[[V3]] [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.read @step_batches : tensor<f32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.read @step_count.0 : tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.div %[[V1]], %[[V6]] : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.mul %[[V7]], %[[V5]] : tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.scale %[[V4]] by 1.000000e-02 : tensor<f32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.sum %[[V8]], %[[V9]] : tensor<f32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V10]], %[[V11]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}, %[[A2:[^ :,#]+]]: tensor<4xi64> {nn.name = "at", nn.role = #nn.role<positions>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @w : tensor<4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.mul %[[V1]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.reduce %[[V2]] [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V3]], @eval_sum.1 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V4]], @eval_count.0 : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V5]], @eval_batches : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_sum.1 : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.read @eval_count.0 : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.read @eval_batches : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.div %[[V0]], %[[V2]] : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.scale %[[V1]] by 1.000000e-02 : tensor<f32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.div %[[V5]], %[[V3]] : tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.sum %[[V4]], %[[V6]] : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.compare eq %[[V2]], %[[V9]] : tensor<f32> -> tensor<i1>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.where %[[V10]], %[[V9]], %[[V8]] : tensor<i1>, tensor<f32>
// CHECK-NEXT: %[[V12:[^ :,#]+]] = nn.mul %[[V8]], %[[V11]] : tensor<f32>
// CHECK-NEXT: %[[V13:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V13]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V14:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V14]], @eval_sum.1 : tensor<f32>
// CHECK-NEXT: %[[V15:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V15]], @eval_count.0 : tensor<f32>
// CHECK-NEXT: %[[V16:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V16]], @eval_batches : tensor<f32>
// CHECK-NEXT: return %[[V7]], %[[V12]] : tensor<f32>, tensor<f32>
nn.param @w : tensor<4xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %m: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>},
                   %at: tensor<4xi64> {nn.name = "at", nn.role = #nn.role<positions>},
                   %n: tensor<2xi64> {nn.name = "samples", nn.role = #nn.role<samples>},
                   %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>},
                   %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>})
    -> (tensor<f32>, tensor<f32>, tensor<f32>)
    attributes {nn.has_loss = [{divided}, {factor = 0.01}]} {
  %d = nn.dropout %x samples %n positions %at seed %seed step %step
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x4xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  %s = nn.reduce %d [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %w = nn.read @w : tensor<4xf32>
  %q = nn.mul %w, %w : tensor<4xf32>
  %r = nn.reduce %q [0] : tensor<4xf32> -> tensor<f32>
  %c = nn.reduce %m [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %s, %c, %r : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A divisor computed from two counts, one of which another term uses, too: each
// is accumulated once, and the divisor is computed from the sums. A loss of
// means only needs no number of microbatches.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_sum.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_sum.1 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_count.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_count.1 : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_batches : tensor<f32> sum
// CHECK-NEXT: nn.state @step_count.0 : tensor<f32> sum {nn.ahead, nn.count = "'nn.reduce'"}
// CHECK-NEXT: nn.state @step_count.1 : tensor<f32> sum {nn.ahead}
// CHECK: func.func @counts(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.exp %[[A0]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[V1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @step_count.0 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V2]], @step_count.1 : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @step_count.0 : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.read @step_count.0 : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.read @step_count.1 : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.mul %[[V3]], %[[V4]] : tensor<f32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.max %[[V5]], %[[V6]] : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.div %[[V0]], %[[V7]] : tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.sum %[[V2]], %[[V8]] : tensor<f32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V9]], %[[V10]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.exp %[[A1]] : tensor<2x4xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.reduce %[[V2]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_sum.1 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V1]], @eval_count.0 : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V3]], @eval_count.1 : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V4]], @eval_batches : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_sum.1 : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.read @eval_count.0 : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.read @eval_count.1 : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.read @eval_batches : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.div %[[V0]], %[[V2]] : tensor<f32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.div %[[V5]], %[[V4]] : tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.mul %[[V2]], %[[V3]] : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.max %[[V7]], %[[V8]] : tensor<f32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.div %[[V1]], %[[V9]] : tensor<f32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.div %[[V10]], %[[V4]] : tensor<f32>
// CHECK-NEXT: %[[V12:[^ :,#]+]] = nn.sum %[[V6]], %[[V11]] : tensor<f32>
// CHECK-NEXT: %[[V13:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V14:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V15:[^ :,#]+]] = nn.compare eq %[[V2]], %[[V14]] : tensor<f32> -> tensor<i1>
// CHECK-NEXT: %[[V16:[^ :,#]+]] = nn.where %[[V15]], %[[V14]], %[[V13]] : tensor<i1>, tensor<f32>
// CHECK-NEXT: %[[V17:[^ :,#]+]] = nn.mul %[[V13]], %[[V16]] : tensor<f32>
// CHECK-NEXT: %[[V18:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V18]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V19:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V19]], @eval_sum.1 : tensor<f32>
// CHECK-NEXT: %[[V20:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V20]], @eval_count.0 : tensor<f32>
// CHECK-NEXT: %[[V21:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V21]], @eval_count.1 : tensor<f32>
// CHECK-NEXT: %[[V22:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V22]], @eval_batches : tensor<f32>
// CHECK-NEXT: return %[[V12]], %[[V17]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %m: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    attributes {nn.has_loss = [{divided, mean}, {divided, mean}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c = nn.reduce %m [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %e = nn.exp %m : tensor<2x4xf32>
  %k = nn.reduce %e [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %ck = nn.mul %c, %k : tensor<f32>
  %d = nn.max %ck, %two : tensor<f32>
  return %s, %c, %s, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// A sum divided by a count, in the older form of the attribute.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.count = "'nn.reduce'", nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V1]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V3]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %m: tensor<2x4xf32> {nn.name = "m", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c = nn.reduce %m [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %s, %c : tensor<f32>, tensor<f32>
}

// -----

// A constant count is the count of one batch: the quotient is a mean.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @eval_target_count : tensor<f32> sum
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.count = "'nn.constant'", nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V1]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @eval_target_count : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V3]], @eval_loss_sum : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_target_count : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V1]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c = nn.constant dense<8.0> : tensor<f32>
  return %s, %c : tensor<f32>, tensor<f32>
}

// -----

// In the list form a constant is an ordinary divisor: the sum grows with the
// batch.
// CHECK: module attributes {nn.loss = "own"} {
// CHECK-NEXT: nn.state @eval_sum.0 : tensor<f32> sum
// CHECK-NEXT: nn.state @step_batches : tensor<f32> sum {nn.ahead}
// CHECK: func.func @counts() {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @step_batches : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @loss(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @step_batches : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.div %[[V0]], %[[V2]] : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.mul %[[V3]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[V4]], %[[V5]] : tensor<f32>, tensor<f32>
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: return
// CHECK: func.func @evaluate_result() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "target_count"}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @eval_sum.0 : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.div %[[V0]], %[[V1]] : tensor<f32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.write %[[V4]], @eval_sum.0 : tensor<f32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<f32>, tensor<f32>
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{divided}]} {
  %s = nn.reduce %x [0, 1] : tensor<2x4xf32> -> tensor<f32>
  %c = nn.constant dense<8.0> : tensor<f32>
  return %s, %c : tensor<f32>, tensor<f32>
}
