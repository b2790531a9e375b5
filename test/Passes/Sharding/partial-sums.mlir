// Values that stay partial, and ops that resolve partial sums: every inserted
// op, in order.
// RUN: pcc-opt %s -dist-propagate -dist-insert-reshards -dist-verify | FileCheck %s

dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>
// A gradient has its parameter's sharding, partial over the axes of its first
// summand.
// CHECK: nn.state @grad.w {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
nn.param @w : tensor<4x4xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "row-parallel weight">]}
nn.state @grad.w : tensor<4x4xf32> gradient of @w
nn.param @b : tensor<4xf32> init zero
// CHECK: nn.state @grad.b {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
nn.state @grad.b : tensor<4xf32> gradient of @b
// The loss is summed on the last stage, so it is partial over stages. Counts
// before the step are not.
// CHECK: nn.state @loss_sum {{.*}}<@mesh, [], partial = {"pp", "dp", "tp"}>
nn.state @loss_sum : tensor<f32> sum
// CHECK: nn.state @count {{.*}}<@mesh, [], partial = {"dp"}>
nn.state @count : tensor<f32> sum {nn.ahead}

// Results of linear ops are partial if one operand of a product or all operands
// of a sum are. Other ops need the sum. Of a product of two partial sums one is
// resolved.
// CHECK: func.func @linear(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 0 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.scale %[[V0]] by 2.000000e+00 {dist.id = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.mul %[[A2]], %[[V1]] {dist.id = 2 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.transpose %[[V2]] [1, 0] {dist.id = 3 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.sub %[[V3]], %[[V2]] {dist.id = 4 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 5 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = dist.reshard %[[V5]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 6 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = dist.reshard %[[V4]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 7 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.mul %[[V6]], %[[V7]] {dist.id = 8 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.exp %[[V8]] {dist.id = 9 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: return %[[V9]] : tensor<8x8xf32>
func.func @linear(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %y: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]},
    %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %p = nn.contract "mk,kn->mn" %x, %y : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %scaled = nn.scale %p by 2.0 : tensor<8x8xf32>
  %times = nn.mul %z, %scaled : tensor<8x8xf32>
  %turned = nn.transpose %times [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %less = nn.sub %turned, %times : tensor<8x8xf32>
  %q = nn.contract "mk,kn->mn" %x, %y : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %both = nn.mul %q, %less : tensor<8x8xf32>
  %e = nn.exp %both : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

// One use needs the sum, so all use it: it is resolved once, where the partial
// sum is defined.
// CHECK: func.func @once(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 10 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = dist.reshard %[[V0]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 11 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.scale %[[V1]] by 2.000000e+00 {dist.id = 12 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.exp %[[V1]] {dist.id = 13 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.log %[[V2]] {dist.id = 14 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: return
func.func @once(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %y: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]},
    %z: tensor<8x8xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %y : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %scaled = nn.scale %p by 2.0 : tensor<8x8xf32>
  %e = nn.exp %p : tensor<8x8xf32>
  %f = nn.log %scaled : tensor<8x8xf32>
  return
}

// A partial sum whose result is sharded over the same axis is resolved to a
// shard.
// CHECK: func.func @split(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x6xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 15 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = dist.reshard %[[V0]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {"tp"}]> {dist.id = 16 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.contract "mn,no->mo" %[[V1]], %[[A2]] {dist.id = 17 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = dist.reshard %[[V2]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 18 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x6xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.exp %[[V3]] {dist.id = 19 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x6xf32>
// CHECK-NEXT: return
func.func @split(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %y: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]},
    %z: tensor<8x6xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]}) {
  %p = nn.contract "mk,kn->mn" %x, %y : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %q = nn.contract "mn,no->mo" %p, %z : tensor<8x8xf32>, tensor<8x6xf32> -> tensor<8x6xf32>
  %e = nn.exp %q : tensor<8x6xf32>
  return
}

// Operands of a sum are grouped by the axes over which they are partial.
// CHECK: func.func @groups(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}, %[[A3:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}, %[[A4:[^ :,#]+]]: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 20 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A2]], %[[A3]] {dist.id = 21 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"dp"}>]} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.sum %[[V0]], %[[V0]] {dist.id = 22 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = dist.reshard %[[V2]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 23 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = dist.reshard %[[V1]] from <@mesh, [{}, {}], partial = {"dp"}> to <@mesh, [{}, {}]> {dist.id = 24 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = nn.sum %[[V3]], %[[A4]], %[[A4]], %[[V4]] {dist.id = 25 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.exp %[[V5]] {dist.id = 26 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: return
func.func @groups(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %y: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]},
    %a: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"dp"}]>, reason = "seed">]},
    %b: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "seed">]},
    %z: tensor<8x8xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %y : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %q = nn.contract "mk,kn->mn" %a, %b : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %s = nn.sum %p, %z, %q, %p, %z : tensor<8x8xf32>
  %e = nn.exp %s : tensor<8x8xf32>
  return
}

// A gathered value is reused in its region: forward or backward, and stage.
// Values that are resolved or sliced are reused in the whole stage.
// CHECK: func.func @regions(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = dist.reshard %[[A0]] from <@mesh, [{}, {"tp"}]> to <@mesh, [{}, {}]> {dist.id = 27 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.softmax %[[V0]] {dist.id = 28 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.softmax %[[V0]] {dist.id = 29 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = dist.reshard %[[A0]] from <@mesh, [{}, {"tp"}]> to <@mesh, [{}, {}]> {dist.id = 30 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.softmax %[[V3]] {dist.id = 31 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = dist.reshard %[[A0]] from <@mesh, [{}, {"tp"}]> to <@mesh, [{}, {}]> {dist.id = 32 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.bwd, nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.softmax %[[V5]] {dist.id = 33 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.bwd, nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = dist.reshard %[[A1]] from <@mesh, [{}, {}]> to <@mesh, [{"tp"}, {}]> {dist.id = 34 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>], nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.mul %[[V7]], %[[A2]] {dist.id = 35 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>], nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = nn.mul %[[V7]], %[[A2]] {dist.id = 36 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>], nn.bwd, nn.stage = 0 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = dist.reshard %[[A1]] from <@mesh, [{}, {}]> to <@mesh, [{"tp"}, {}]> {dist.id = 37 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>], nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = nn.mul %[[V10]], %[[A2]] {dist.id = 38 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>], nn.stage = 1 : i64} : tensor<8x4xf32>
// CHECK-NEXT: %[[V12:[^ :,#]+]] = dist.reshard %[[A1]] from <@mesh, [{}, {}]> to <@mesh, [{"tp"}, {}]> {dist.id = 39 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<8x4xf32>
// CHECK-NEXT: %[[V13:[^ :,#]+]] = nn.mul %[[V12]], %[[A2]] {dist.id = 40 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<8x4xf32>
// CHECK-NEXT: return
func.func @regions(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %z: tensor<8x4xf32>,
    %c: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]}) {
  %a = nn.softmax %x {nn.stage = 0 : i64} : tensor<8x4xf32>
  %b = nn.softmax %x {nn.stage = 0 : i64} : tensor<8x4xf32>
  %d = nn.softmax %x {nn.stage = 1 : i64} : tensor<8x4xf32>
  %e = nn.softmax %x {nn.bwd, nn.stage = 1 : i64} : tensor<8x4xf32>
  %f = nn.mul %z, %c {nn.stage = 0 : i64} : tensor<8x4xf32>
  %g = nn.mul %z, %c {nn.bwd, nn.stage = 0 : i64} : tensor<8x4xf32>
  %h = nn.mul %z, %c {nn.stage = 1 : i64} : tensor<8x4xf32>
  %i = nn.mul %z, %c : tensor<8x4xf32>
  return
}

// A partial sum is reduced before it is sent to another stage, over all axes
// over which it is partial.
// CHECK: func.func @stages(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}, %[[A1:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}, %[[A2:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}, %[[A3:[^ :,#]+]]: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A0]], %[[A1]] {dist.id = 41 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>], nn.stage = 0 : i64} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.scale %[[V0]] by 2.000000e+00 {dist.id = 42 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>], nn.stage = 0 : i64} : tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[^ :,#]+]] = dist.reshard %[[V1]] from <@mesh, [{}, {}], partial = {"tp"}> to <@mesh, [{}, {}]> {dist.id = 43 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 0 : i64} : tensor<8x8xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.scale %[[V2]] by 2.000000e+00 {dist.id = 44 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 1 : i64} : tensor<8x8xf32>
// CHECK-NEXT: %[[V4:[^ :,#]+]] = nn.contract "mk,kn->mn" %[[A2]], %[[A3]] {dist.id = 45 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"dp"}>], nn.stage = 0 : i64} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = dist.reshard %[[V4]] from <@mesh, [{}, {}], partial = {"dp"}> to <@mesh, [{}, {}]> {dist.id = 46 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 0 : i64} : tensor<8x8xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.scale %[[V5]] by 2.000000e+00 {dist.id = 47 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>], nn.stage = 1 : i64} : tensor<8x8xf32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = nn.scale %[[V6]] by 2.000000e+00 {dist.id = 48 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<8x8xf32>
// CHECK-NEXT: return
func.func @stages(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "seed">]},
    %y: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "seed">]},
    %a: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"dp"}]>, reason = "seed">]},
    %b: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "seed">]}) {
  %p = nn.contract "mk,kn->mn" %x, %y {nn.stage = 0 : i64} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %here = nn.scale %p by 2.0 {nn.stage = 0 : i64} : tensor<8x8xf32>
  %there = nn.scale %here by 2.0 {nn.stage = 1 : i64} : tensor<8x8xf32>
  %q = nn.contract "mk,kn->mn" %a, %b {nn.stage = 0 : i64} : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  %goes = nn.scale %q by 2.0 {nn.stage = 1 : i64} : tensor<8x8xf32>
  %any = nn.scale %goes by 2.0 : tensor<8x8xf32>
  return
}

// Gradients are accumulated in the order of their computation.
// CHECK: func.func @microbatch(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>, nn.role = #nn.role<data>}, %[[A1:[^ :,#]+]]: tensor<8x4x2xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>, nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = dist.reshard %[[A0]] from <@mesh, [{"dp"}, {}]> to <@mesh, [{"dp"}, {"tp"}]> {dist.id = 49 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}]>], nn.bwd} : tensor<8x4xf32>
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.contract "bk,bn->kn" %[[V0]], %[[A0]] {dist.id = 50 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>], nn.bwd} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %[[V1]], @grad.w : tensor<4x4xf32> {dist.id = 51 : i64, nn.bwd}
// CHECK-NEXT: %[[V2:[^ :,#]+]] = nn.reduce %[[A1]] [0, 2] {dist.id = 52 : i64, dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>], nn.bwd} : tensor<8x4x2xf32> -> tensor<4xf32>
// CHECK-NEXT: nn.accumulate %[[V2]], @grad.b : tensor<4xf32> {dist.id = 53 : i64, nn.bwd}
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.reduce %[[A1]] [0, 1, 2] {dist.id = 54 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<8x4x2xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V3]], @loss_sum : tensor<f32> {dist.id = 55 : i64}
// CHECK-NEXT: return
func.func @microbatch(
    %x: tensor<8x4xf32> {nn.role = #nn.role<data>, dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "seed">]},
    %y: tensor<8x4x2xf32> {nn.role = #nn.role<data>, dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}]>, reason = "seed">]}) {
  %g = nn.contract "bk,bn->kn" %x, %x {nn.bwd} : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  nn.accumulate %g, @grad.w : tensor<4x4xf32> {nn.bwd}
  %b = nn.reduce %y [0, 2] {nn.bwd} : tensor<8x4x2xf32> -> tensor<4xf32>
  nn.accumulate %b, @grad.b : tensor<4xf32> {nn.bwd}
  %l = nn.reduce %y [0, 1, 2] : tensor<8x4x2xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32>
  return
}

// CHECK: func.func @counts(%[[A0:[^ :,#]+]]: tensor<8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>, nn.role = #nn.role<data>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.reduce %[[A0]] [0, 1] {dist.id = 56 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<8x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %[[V0]], @count : tensor<f32> {dist.id = 57 : i64}
// CHECK-NEXT: return
func.func @counts(
    %x: tensor<8x4xf32> {nn.role = #nn.role<data>, dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "seed">]}) {
  %n = nn.reduce %x [0, 1] : tensor<8x4xf32> -> tensor<f32>
  nn.accumulate %n, @count : tensor<f32>
  return
}

// Readers first reduce over data axes if a shard results, then over other axes.
// A norm sums shares of all ranks. A cleared value has the accumulator's
// sharding, even if the zero has other uses.
// CHECK: func.func @update(%[[A0:[^ :,#]+]]: tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>, nn.role = #nn.role<lr>}) -> (tensor<f32> {dist.sharding = #dist.sharding<@mesh, []>}) {
// CHECK-NEXT: %[[V0:[^ :,#]+]] = nn.read @w : tensor<4x4xf32> {dist.id = 58 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
// CHECK-NEXT: %[[V1:[^ :,#]+]] = nn.read @grad.w : tensor<4x4xf32> {dist.id = 59 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
// CHECK-NEXT: %[[V2:[^ :,#]+]] = dist.reshard %[[V1]] from <@mesh, [{"tp"}, {}], partial = {"dp"}> to <@mesh, [{"tp"}, {}]> {dist.id = 60 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<4x4xf32>
// CHECK-NEXT: %[[V3:[^ :,#]+]] = nn.read @grad.b : tensor<4xf32> {dist.id = 61 : i64, dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
// CHECK-NEXT: %[[V4:[^ :,#]+]] = dist.reshard %[[V3]] from <@mesh, [{}], partial = {"dp", "tp"}> to <@mesh, [{}], partial = {"tp"}> {dist.id = 62 : i64, dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}>]} : tensor<4xf32>
// CHECK-NEXT: %[[V5:[^ :,#]+]] = dist.reshard %[[V4]] from <@mesh, [{}], partial = {"tp"}> to <@mesh, [{}]> {dist.id = 63 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<4xf32>
// CHECK-NEXT: %[[V6:[^ :,#]+]] = nn.sum_of_squares %[[V2]] {dist.id = 64 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"tp"}>]} : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V7:[^ :,#]+]] = dist.reshard %[[V6]] from <@mesh, [], partial = {"tp"}> to <@mesh, [], partial = {"pp", "dp", "tp"}> {dist.id = 65 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"pp", "dp", "tp"}>]} : tensor<f32>
// CHECK-NEXT: %[[V8:[^ :,#]+]] = nn.sum_of_squares %[[V5]] {dist.id = 66 : i64, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V9:[^ :,#]+]] = dist.reshard %[[V8]] from <@mesh, []> to <@mesh, [], partial = {"pp", "dp", "tp"}> {dist.id = 67 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"pp", "dp", "tp"}>]} : tensor<f32>
// CHECK-NEXT: %[[V10:[^ :,#]+]] = nn.sum %[[V7]], %[[V9]] {dist.id = 68 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"pp", "dp", "tp"}>]} : tensor<f32>
// CHECK-NEXT: %[[V11:[^ :,#]+]] = dist.reshard %[[V10]] from <@mesh, [], partial = {"pp", "dp", "tp"}> to <@mesh, []> {dist.id = 69 : i64, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
// CHECK-NEXT: %[[V12:[^ :,#]+]] = nn.sqrt %[[V11]] {dist.id = 70 : i64, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
// CHECK-NEXT: %[[V13:[^ :,#]+]] = nn.read @loss_sum : tensor<f32> {dist.id = 71 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"pp", "dp", "tp"}>]}
// CHECK-NEXT: %[[V14:[^ :,#]+]] = dist.reshard %[[V13]] from <@mesh, [], partial = {"pp", "dp", "tp"}> to <@mesh, []> {dist.id = 72 : i64, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
// CHECK-NEXT: %[[V15:[^ :,#]+]] = nn.div %[[V14]], %[[V12]] {dist.id = 73 : i64, dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<f32>
// CHECK-NEXT: %[[V16:[^ :,#]+]] = nn.sgd %[[V0]], %[[V2]] grad_scale %[[V15]] lr %[[A0]] weight_decay %[[A0]] {dist.id = 74 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: nn.write %[[V16]], @w : tensor<4x4xf32> {dist.id = 75 : i64}
// CHECK-NEXT: %[[V17:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<4x4xf32> {dist.id = 76 : i64, dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
// CHECK-NEXT: nn.write %[[V17]], @grad.w : tensor<4x4xf32> {dist.id = 77 : i64}
// CHECK-NEXT: %[[V18:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<4xf32> {dist.id = 78 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]}
// CHECK-NEXT: %[[V19:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<4xf32> {dist.id = 79 : i64, dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
// CHECK-NEXT: nn.write %[[V19]], @grad.b : tensor<4xf32> {dist.id = 80 : i64}
// CHECK-NEXT: %[[V20:[^ :,#]+]] = nn.exp %[[V18]] {dist.id = 81 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<4xf32>
// CHECK-NEXT: nn.write %[[V20]], @b : tensor<4xf32> {dist.id = 82 : i64}
// CHECK-NEXT: %[[V21:[^ :,#]+]] = nn.constant dense<0.000000e+00> : tensor<f32> {dist.id = 83 : i64, dist.shardings = [#dist.sharding<@mesh, [], partial = {"pp", "dp", "tp"}>]}
// CHECK-NEXT: nn.write %[[V21]], @loss_sum : tensor<f32> {dist.id = 84 : i64}
// CHECK-NEXT: return %[[V15]] : tensor<f32>
func.func @update(%lr: tensor<f32> {nn.role = #nn.role<lr>}) -> tensor<f32> {
  %w = nn.read @w : tensor<4x4xf32>
  %gw = nn.read @grad.w : tensor<4x4xf32>
  %gb = nn.read @grad.b : tensor<4xf32>
  %n = nn.sum_of_squares %gw : tensor<4x4xf32> -> tensor<f32>
  %m = nn.sum_of_squares %gb : tensor<4xf32> -> tensor<f32>
  %sum = nn.sum %n, %m : tensor<f32>
  %norm = nn.sqrt %sum : tensor<f32>
  %loss = nn.read @loss_sum : tensor<f32>
  %mean = nn.div %loss, %norm : tensor<f32>
  %new = nn.sgd %w, %gw grad_scale %mean lr %lr weight_decay %lr : tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  nn.write %new, @w : tensor<4x4xf32>
  %z = nn.constant dense<0.0> : tensor<4x4xf32>
  nn.write %z, @grad.w : tensor<4x4xf32>
  %zb = nn.constant dense<0.0> : tensor<4xf32>
  nn.write %zb, @grad.b : tensor<4xf32>
  %e = nn.exp %zb : tensor<4xf32>
  nn.write %e, @b : tensor<4xf32>
  %zl = nn.constant dense<0.0> : tensor<f32>
  nn.write %zl, @loss_sum : tensor<f32>
  return %mean : tensor<f32>
}
