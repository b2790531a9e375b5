// The gradient ops of every op. Execute/gradients checks their numbers.
// RUN: pcc-opt %s --split-input-file --nn-autodiff | FileCheck %s

// Both gradients of a contraction keep its labels; the weight's gradient has
// the weight's dims.
nn.param @w : tensor<4x2x3xf32> init normal
// CHECK: nn.state @grad.w : tensor<4x2x3xf32> gradient of @w
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[D:.*]] = nn.broadcast
// CHECK: %[[R:.*]] = nn.contract "bk,bhd->khd" %{{.*}}, %[[D]] {nn.bwd} : tensor<5x4xf32>, tensor<5x2x3xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: nn.accumulate %[[R]], @grad.w
func.func @loss(%x: tensor<5x4xf32>, %n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4x2x3xf32>
  %y = nn.contract "bk,khd->bhd" %x, %w : tensor<5x4xf32>, tensor<4x2x3xf32> -> tensor<5x2x3xf32>
  %l = nn.reduce %y [0, 1, 2] : tensor<5x2x3xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// A value used three times has one sum of three; the same value twice, too.
nn.param @w : tensor<4xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[W:.*]] = nn.read @w
// CHECK: %[[D:.*]] = nn.broadcast
// CHECK: %[[A:.*]] = nn.mul %[[D]], %[[W]] {nn.bwd}
// CHECK-NEXT: %[[B:.*]] = nn.mul %[[D]], %[[W]] {nn.bwd}
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[D]], %[[A]], %[[B]] {nn.bwd}
// CHECK-NEXT: nn.accumulate %[[S]], @grad.w
// CHECK-NOT: nn.sum
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4xf32>
  %a = nn.mul %w, %w : tensor<4xf32>
  %b = nn.sum %w, %a : tensor<4xf32>
  %l = nn.reduce %b [0] : tensor<4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// Two reads of one parameter have one gradient; a frozen one has none.
nn.param @w : tensor<4xf32> init normal
nn.param @f : tensor<4xf32> init file frozen
// CHECK-NOT: grad.f
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[F:.*]] = nn.read @f
// CHECK: %[[D:.*]] = nn.broadcast
// CHECK-NEXT: %[[A:.*]] = nn.mul %[[D]], %[[F]] {nn.bwd}
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[A]], %[[D]] {nn.bwd}
// CHECK-NEXT: nn.accumulate %[[S]], @grad.w
// CHECK-NEXT: return
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4xf32>
  %f = nn.read @f : tensor<4xf32>
  %a = nn.mul %w, %f : tensor<4xf32>
  %v = nn.read @w : tensor<4xf32>
  %b = nn.sum %v, %a : tensor<4xf32>
  %l = nn.reduce %b [0] : tensor<4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// Gradient ops have the stage of their forward op; sums have that of the value.
// Sums of different stages are not merged, those of one stage are.
nn.param @w : tensor<4xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[T:.*]] = nn.tanh %{{.*}} {nn.stage = 0 : i64}
// CHECK-NEXT: %[[IN:.*]] = nn.sum %[[T]], %{{.*}} {nn.stage = 0 : i64}
// CHECK-NEXT: %[[E:.*]] = nn.exp %[[IN]] {nn.stage = 1 : i64}
// CHECK-NEXT: nn.sum %[[E]], %[[E]], %[[IN]] {nn.stage = 1 : i64}
// CHECK: nn.accumulate %{{.*}}, @loss_sum : tensor<f32> {nn.stage = 1 : i64}
// CHECK: nn.accumulate %{{.*}}, @target_count : tensor<f32>{{$}}
// CHECK: nn.constant dense<1.0{{.*}} {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[D:.*]] = nn.broadcast {{.*}} {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[DE:.*]] = nn.sum %[[D]], %[[D]] {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[DIN:.*]] = nn.mul %[[DE]], %[[E]] {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[D]], %[[DIN]] {nn.bwd, nn.stage = 0 : i64}
// CHECK: nn.sub %[[S]], %{{.*}} {nn.bwd, nn.stage = 0 : i64}
// CHECK: nn.accumulate %{{.*}}, @grad.w : tensor<4xf32> {nn.bwd, nn.stage = 0 : i64}
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4xf32> {nn.stage = 0 : i64}
  %t = nn.tanh %w {nn.stage = 0 : i64} : tensor<4xf32>
  %a = nn.sum %t, %w {nn.stage = 0 : i64} : tensor<4xf32>
  %e = nn.exp %a {nn.stage = 1 : i64} : tensor<4xf32>
  %c = nn.sum %e, %e {nn.stage = 1 : i64} : tensor<4xf32>
  %b = nn.sum %c, %a {nn.stage = 1 : i64} : tensor<4xf32>
  %l = nn.reduce %b [0] {nn.stage = 1 : i64} : tensor<4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// A gradient is f32 for a parameter of any type.
nn.param @w : tensor<4xbf16> init normal
// CHECK: nn.state @grad.w : tensor<4xf32> gradient
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[G:.*]] = nn.cast %{{.*}} {nn.bwd} : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: nn.accumulate %[[G]], @grad.w : tensor<4xbf16>
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4xbf16>
  %a = nn.cast %w : tensor<4xbf16> -> tensor<4xf32>
  %l = nn.reduce %a [0] : tensor<4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// The gradient of a weight is a sum in f32, not rounded to the type of its
// working copy, also if its elements are moved, repeated or among zeros.
nn.param @w : tensor<3x8xf32> init normal
nn.param @v : tensor<8xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK: %[[V:.*]] = nn.select %{{.*}} dim 0 index 1 {nn.bwd} : tensor<2x8xf32> -> tensor<8xf32>
// CHECK-NEXT: nn.accumulate %[[V]], @grad.v : tensor<8xf32>
// CHECK: %[[W:.*]] = nn.contract "bk,bn->kn" %{{.*}} : tensor<2x4xbf16>, tensor<2x8xbf16> -> tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = nn.slice %[[W]] at [0, 0] step [1, 1] {nn.bwd} : tensor<4x8xf32> -> tensor<3x8xf32>
// CHECK-NEXT: nn.accumulate %[[S]], @grad.w : tensor<3x8xf32>
func.func @loss(%x: tensor<2x4xbf16>, %n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<3x8xf32>
  %p = nn.pad %w at [0, 0] step [1, 1] : tensor<3x8xf32> -> tensor<4x8xf32>
  %h = nn.cast %p : tensor<4x8xf32> -> tensor<4x8xbf16>
  %y = nn.contract "bk,kn->bn" %x, %h : tensor<2x4xbf16>, tensor<4x8xbf16> -> tensor<2x8xbf16>
  %v = nn.read @v : tensor<8xf32>
  %i = nn.insert %v dim 0 index 1 : tensor<8xf32> -> tensor<2x8xf32>
  %j = nn.cast %i : tensor<2x8xf32> -> tensor<2x8xbf16>
  %z = nn.sum %y, %j : tensor<2x8xbf16>
  %f = nn.cast %z : tensor<2x8xbf16> -> tensor<2x8xf32>
  %l = nn.reduce %f [0, 1] : tensor<2x8xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// Ops without a use are not differentiated, and are removed.
nn.param @w : tensor<4xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK-NOT: nn.exp
// CHECK-NOT: nn.mul
func.func @loss(%n: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %w = nn.read @w : tensor<4xf32>
  %e = nn.exp %w : tensor<4xf32>
  %l = nn.reduce %w [0] : tensor<4xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
