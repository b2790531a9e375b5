// Whole programs: accumulations and their order, and the attributes of ops.
// RUN: pcc-opt %s --split-input-file --nn-autodiff | FileCheck %s

// A parameter's gradient is accumulated as soon as the backward pass has passed
// its first user: the later layer's first, and last that of a parameter that
// both use. The count's node becomes the state's.
// CHECK: module {
// CHECK-NEXT: nn.param @a : tensor<2x2xf32> init normal
// CHECK-NEXT: nn.param @b : tensor<2x2xf32> init normal
// CHECK-NEXT: nn.state @loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @target_count : tensor<f32> sum {nn.count = "'count'"}
// CHECK-NEXT: nn.state @grad.a : tensor<2x2xf32> gradient of @a
// CHECK-NEXT: nn.state @grad.b : tensor<2x2xf32> gradient of @b
// CHECK: func.func @microbatch(%[[A0:[^ :,#]+]]: tensor<2x2xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @a : tensor<2x2xf32> {nn.stage = 0 : i64}
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @b : tensor<2x2xf32> {nn.stage = 1 : i64}
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.contract "bk,kn->bn" %[[A0]], %[[V0]] {nn.stage = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.tanh %[[V2]] {nn.stage = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.contract "bk,kn->bn" %[[V3]], %[[V1]] {nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.read @a : tensor<2x2xf32> {nn.stage = 1 : i64}
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.contract "bk,kn->bn" %[[V4]], %[[V5]] {nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.reduce %[[V6]] [0, 1] {nn.stage = 1 : i64} : tensor<2x2xf32> -> tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] : tensor<2x2xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V7]], @loss_sum : tensor<f32> {nn.stage = 1 : i64}
// CHECK-NEXT: nn.accumulate %[[V8]], @target_count : tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32> {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.broadcast %[[V9]] [] {nn.bwd, nn.stage = 1 : i64} : tensor<f32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.contract "bn,kn->bk" %[[V10]], %[[V5]] {nn.bwd, nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V12:[^ :,#]+]] = nn.contract "bk,bn->kn" %[[V4]], %[[V10]] {nn.bwd, nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V13:[^ :,#]+]] = nn.contract "bn,kn->bk" %[[V11]], %[[V1]] {nn.bwd, nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V14:[^ :,#]+]] = nn.contract "bk,bn->kn" %[[V3]], %[[V11]] {nn.bwd, nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: nn.accumulate %[[V14]], @grad.b : tensor<2x2xf32> {nn.bwd, nn.stage = 1 : i64}
// CHECK-NEXT: %[[V15:[^ :,#]+]] = nn.mul %[[V13]], %[[V3]] {nn.bwd, nn.stage = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[V16:[^ :,#]+]] = nn.mul %[[V15]], %[[V3]] {nn.bwd, nn.stage = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[V17:[^ :,#]+]] = nn.sub %[[V13]], %[[V16]] {nn.bwd, nn.stage = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: %[[V18:[^ :,#]+]] = nn.contract "bk,bn->kn" %[[A0]], %[[V17]] {nn.bwd, nn.stage = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V19:[^ :,#]+]] = nn.sum %[[V18]], %[[V12]] {nn.bwd, nn.stage = 0 : i64} : tensor<2x2xf32>
// CHECK-NEXT: nn.accumulate %[[V19]], @grad.a : tensor<2x2xf32> {nn.bwd, nn.stage = 0 : i64}
// CHECK-NEXT: return
nn.param @a : tensor<2x2xf32> init normal
nn.param @b : tensor<2x2xf32> init normal
func.func @loss(%x: tensor<2x2xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss_sum"}, tensor<f32> {nn.count = "'count'", nn.name = "target_count"}) {
  %a = nn.read @a : tensor<2x2xf32> {nn.stage = 0 : i64}
  %b = nn.read @b : tensor<2x2xf32> {nn.stage = 1 : i64}
  %h = nn.contract "bk,kn->bn" %x, %a {nn.stage = 0 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %t = nn.tanh %h {nn.stage = 0 : i64} : tensor<2x2xf32>
  %y = nn.contract "bk,kn->bn" %t, %b {nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %a2 = nn.read @a : tensor<2x2xf32> {nn.stage = 1 : i64}
  %z = nn.contract "bk,kn->bn" %y, %a2 {nn.stage = 1 : i64} : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %l = nn.reduce %z [0, 1] {nn.stage = 1 : i64} : tensor<2x2xf32> -> tensor<f32>
  %n = nn.reduce %x [0, 1] : tensor<2x2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}

// -----

// A parameter that is the loss itself, with no other user.
// CHECK: module {
// CHECK-NEXT: nn.param @a : tensor<f32> init normal
// CHECK-NEXT: nn.state @loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @target_count : tensor<f32> sum
// CHECK-NEXT: nn.state @grad.a : tensor<f32> gradient of @a
// CHECK: func.func @microbatch(%[[A0:[^ :,#]+]]: tensor<f32> {nn.name = "n", nn.role = #nn.role<lr>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @a : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[A0]], @target_count : tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32> {nn.bwd}
// CHECK-NEXT: nn.accumulate %[[V1]], @grad.a : tensor<f32> {nn.bwd}
// CHECK-NEXT: return
nn.param @a : tensor<f32> init normal
func.func @loss(%n: tensor<f32> {nn.name = "n", nn.role = #nn.role<lr>}) -> (tensor<f32>, tensor<f32>) {
  %a = nn.read @a : tensor<f32>
  return %a, %n : tensor<f32>, tensor<f32>
}

// -----

// Sums are flattened in every function, but not across stages or passes, nor if
// the inner one is used twice. A f64 parameter has a f64 gradient; integers
// have none.
// CHECK: module {
// CHECK-NEXT: nn.param @a : tensor<2xf64> init normal
// CHECK-NEXT: nn.param @i : tensor<2xi64> init zero frozen
// CHECK-NEXT: nn.state @loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @target_count : tensor<f32> sum
// CHECK-NEXT: nn.state @grad.a : tensor<2xf64> gradient of @a
// CHECK: func.func @microbatch(%[[A0:[^ :,#]+]]: tensor<2xf64> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @a : tensor<2xf64>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @i : tensor<2xi64>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.cast %[[V1]] : tensor<2xi64> -> tensor<2xf64>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.sum %[[V0]], %[[A0]], %[[V2]] : tensor<2xf64>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.sum %[[V3]], %[[V3]] : tensor<2xf64>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.cast %[[V4]] : tensor<2xf64> -> tensor<2xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.reduce %[[V5]] [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V6]], @loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V7]], @target_count : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32> {nn.bwd}
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.broadcast %[[V8]] [] {nn.bwd} : tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.cast %[[V9]] {nn.bwd} : tensor<2xf32> -> tensor<2xf64>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.sum %[[V10]], %[[V10]] {nn.bwd} : tensor<2xf64>
// CHECK-NEXT: nn.accumulate %[[V11]], @grad.a : tensor<2xf64> {nn.bwd}
// CHECK-NEXT: return
// CHECK: func.func @evaluate(%[[A0:[^ :,#]+]]: tensor<2xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2xf32> {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.sum %[[A0]], %[[A0]], %[[A0]] : tensor<2xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.sum %[[V0]], %[[A0]] {nn.stage = 1 : i64} : tensor<2xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.sum %[[V1]], %[[V1]] {nn.stage = 1 : i64} : tensor<2xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.sum %[[A0]], %[[V2]], %[[A0]] {nn.bwd, nn.stage = 1 : i64} : tensor<2xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2xf32>
nn.param @a : tensor<2xf64> init normal
nn.param @i : tensor<2xi64> init zero frozen
func.func @loss(%x: tensor<2xf64> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %a = nn.read @a : tensor<2xf64>
  %i = nn.read @i : tensor<2xi64>
  %f = nn.cast %i : tensor<2xi64> -> tensor<2xf64>
  %s = nn.sum %a, %x : tensor<2xf64>
  %t = nn.sum %s, %f : tensor<2xf64>
  %u = nn.sum %t, %t : tensor<2xf64>
  %v = nn.cast %u : tensor<2xf64> -> tensor<2xf32>
  %l = nn.reduce %v [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.constant dense<2.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
func.func @evaluate(%x: tensor<2xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2xf32> {
  %s = nn.sum %x, %x : tensor<2xf32>
  %t = nn.sum %s, %x : tensor<2xf32>
  %a = nn.sum %t, %x {nn.stage = 1 : i64} : tensor<2xf32>
  %b = nn.sum %a, %a {nn.stage = 1 : i64} : tensor<2xf32>
  %c = nn.sum %b, %x {nn.bwd, nn.stage = 1 : i64} : tensor<2xf32>
  %d = nn.sum %x, %c {nn.bwd, nn.stage = 1 : i64} : tensor<2xf32>
  return %d : tensor<2xf32>
}

// -----

// Detached values and integers propagate no gradient.
// CHECK: module {
// CHECK-NEXT: nn.param @a : tensor<2x2xf32> init normal
// CHECK-NEXT: nn.param @b : tensor<2x2xf32> init normal
// CHECK-NEXT: nn.state @loss_sum : tensor<f32> sum
// CHECK-NEXT: nn.state @target_count : tensor<f32> sum
// CHECK-NEXT: nn.state @grad.a : tensor<2x2xf32> gradient of @a
// CHECK: func.func @microbatch(%[[A0:[^ :,#]+]]: tensor<2x2xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @a : tensor<2x2xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @b : tensor<2x2xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.mul %[[V0]], %[[V1]] : tensor<2x2xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.compare lt %[[V0]], %[[A0]] : tensor<2x2xf32> -> tensor<2x2xi1>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.where %[[V3]], %[[V2]], %[[V0]] : tensor<2x2xi1>, tensor<2x2xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.mul %[[V4]], %[[V2]] : tensor<2x2xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.reduce %[[V5]] [0, 1] : tensor<2x2xf32> -> tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V6]], @loss_sum : tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V7]], @target_count : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.constant dense<1.000000e+00> : tensor<f32> {nn.bwd}
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.broadcast %[[V8]] [] {nn.bwd} : tensor<f32> -> tensor<2x2xf32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.mul %[[V9]], %[[V2]] {nn.bwd} : tensor<2x2xf32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<2x2xf32> {nn.bwd}
// CHECK-NEXT: %[[V12:[^ :,#]+]] = nn.where %[[V3]], %[[V11]], %[[V10]] {nn.bwd} : tensor<2x2xi1>, tensor<2x2xf32>
// CHECK-NEXT: nn.accumulate %[[V12]], @grad.a : tensor<2x2xf32> {nn.bwd}
// CHECK-NEXT: return
nn.param @a : tensor<2x2xf32> init normal
nn.param @b : tensor<2x2xf32> init normal
func.func @loss(%x: tensor<2x2xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) {
  %a = nn.read @a : tensor<2x2xf32>
  %b = nn.read @b : tensor<2x2xf32>
  %h = nn.mul %a, %b : tensor<2x2xf32>
  %fixed = nn.cast %h {nn.detached} : tensor<2x2xf32> -> tensor<2x2xf32>
  %is = nn.compare lt %a, %x : tensor<2x2xf32> -> tensor<2x2xi1>
  %kept = nn.where %is, %fixed, %a : tensor<2x2xi1>, tensor<2x2xf32>
  %y = nn.mul %kept, %fixed : tensor<2x2xf32>
  %l = nn.reduce %y [0, 1] : tensor<2x2xf32> -> tensor<f32>
  %n = nn.constant dense<2.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
