// The values that segments pass to each other: as few as possible, and none
// twice.
// RUN: pcc-opt %s -split-input-file -pipe-outline | FileCheck %s

// Operands that two earlier segments pass to a sum of a third are added in the
// later of the two: @h and @a are passed as one value, though the sum is an op
// of the last segment.
nn.param @w : tensor<4xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
// CHECK: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@[[H:.*]])
// CHECK: pipe.body @forward.1.body (%[[X:.*]]: tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK-NEXT: %[[A:.*]] = nn.tanh %[[X]]
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[X]], %[[A]]
// CHECK-NEXT: pipe.yield %[[SUM]]
// CHECK: pipe.task @forward.1 stage 0 forward calls @forward.1.body (@[[H]]) -> (@[[S:.*]])
// CHECK: pipe.task @forward.2 stage 0 forward calls @forward.2.body (@[[S]], @loss_sum, @target_count) -> (@loss_sum, @target_count)
func.func @microbatch(%x: tensor<4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4xf32>
  %h = nn.mul %x, %w {nn.segment = 0} : tensor<4xf32>
  %a = nn.tanh %h {nn.segment = 1} : tensor<4xf32>
  %b = nn.constant dense<1.0> : tensor<4xf32>
  %s = nn.sum %h, %a, %b {nn.segment = 2} : tensor<4xf32>
  %l = nn.reduce %s [0] {nn.segment = 2} : tensor<4xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.segment = 2}
  nn.accumulate %l, @target_count : tensor<f32> {nn.segment = 2}
  return
}
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}

// -----

// An operand that the third segment needs for another op, too, is added there:
// adding it earlier would save no transfer.
nn.param @w : tensor<4xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
// CHECK: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@[[H:.*]])
// CHECK: pipe.task @forward.1 stage 0 forward calls @forward.1.body (@[[H]]) -> (@[[A:.*]])
// CHECK: pipe.body @forward.2.body (%[[H2:.*]]: tensor<4xf32>, %[[A2:.*]]: tensor<4xf32>,
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[H2]], %[[A2]]
// CHECK-NEXT: nn.mul %[[SUM]], %[[H2]]
// CHECK: pipe.task @forward.2 stage 0 forward calls @forward.2.body (@[[H]], @[[A]], @loss_sum, @target_count)
func.func @microbatch(%x: tensor<4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4xf32>
  %h = nn.mul %x, %w {nn.segment = 0} : tensor<4xf32>
  %a = nn.tanh %h {nn.segment = 1} : tensor<4xf32>
  %s = nn.sum %h, %a {nn.segment = 2} : tensor<4xf32>
  %m = nn.mul %s, %h {nn.segment = 2} : tensor<4xf32>
  %l = nn.reduce %m [0] {nn.segment = 2} : tensor<4xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.segment = 2}
  nn.accumulate %l, @target_count : tensor<f32> {nn.segment = 2}
  return
}
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}

// -----

// If all slices of a value are needed, the whole value is passed, and the
// slices are views of it. A single smaller slice is passed by itself.
nn.param @w : tensor<2x4xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
// CHECK: pipe.value @[[WHOLE:.*]] : tensor<2x4xf32>
// CHECK: pipe.value @[[PART:.*]] : tensor<4xf32>
// CHECK: pipe.body @forward.0.body ({{.*}}) -> (tensor<2x4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[MUL:.*]] = nn.mul
// CHECK-NEXT: %[[TANH:.*]] = nn.tanh
// CHECK-NEXT: %[[ONE:.*]] = nn.select %[[TANH]] dim 0 index 1
// CHECK-NEXT: pipe.yield %[[MUL]], %[[ONE]]
// CHECK: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@[[WHOLE]], @[[PART]])
// CHECK: pipe.body @forward.1.body (%[[W:.*]]: tensor<2x4xf32>, %[[P:.*]]: tensor<4xf32>,
// CHECK-NEXT: %[[B:.*]] = nn.select %[[W]] dim 0 index 1
// CHECK-NEXT: %[[A:.*]] = nn.select %[[W]] dim 0 index 0
// CHECK-NEXT: %[[AB:.*]] = nn.mul %[[A]], %[[B]]
// CHECK-NEXT: nn.mul %[[AB]], %[[P]]
// CHECK: pipe.task @forward.1 stage 0 forward calls @forward.1.body (@[[WHOLE]], @[[PART]],
func.func @microbatch(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %weight = nn.read @w : tensor<2x4xf32>
  %w = nn.mul %x, %weight {nn.segment = 0} : tensor<2x4xf32>
  %t = nn.tanh %w {nn.segment = 0} : tensor<2x4xf32>
  %a = nn.select %w dim 0 index 0 {nn.segment = 0} : tensor<2x4xf32> -> tensor<4xf32>
  %b = nn.select %w dim 0 index 1 {nn.segment = 0} : tensor<2x4xf32> -> tensor<4xf32>
  %p = nn.select %t dim 0 index 1 {nn.segment = 0} : tensor<2x4xf32> -> tensor<4xf32>
  %ab = nn.mul %a, %b {nn.segment = 1} : tensor<4xf32>
  %y = nn.mul %ab, %p {nn.segment = 1} : tensor<4xf32>
  %l = nn.reduce %y [0] {nn.segment = 1} : tensor<4xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.segment = 1}
  nn.accumulate %l, @target_count : tensor<f32> {nn.segment = 1}
  return
}
func.func @update() -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %c = nn.constant dense<0.0> : tensor<f32>
  return %c, %c : tensor<f32>, tensor<f32>
}
