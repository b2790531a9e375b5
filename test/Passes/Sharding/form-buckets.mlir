// RUN: pcc-opt %s --dist-form-buckets --dist-verify | FileCheck %s
// RUN: pcc-opt %s --dist-form-buckets=zero=1 --dist-verify | FileCheck %s --check-prefix=PARTS
// RUN: pcc-opt %s --dist-form-buckets=zero=2 --dist-verify | FileCheck %s --check-prefix=SUMS
// RUN: pcc-opt %s --dist-form-buckets=bucket-size=1 --dist-verify | FileCheck %s --check-prefix=SMALL

// One matrix of each of two layers, sharded over tp, and the scale of a norm,
// replicated over tp: two buckets, since only matrices are decayed and sharded.
// Members start at multiples of 32 elements; bucket lengths are multiples of
// 64, for two dp ranks.

// CHECK:      nn.state @bucket.0.grad : tensor<1x64xf32> bucket members [@grad.a, @grad.b] at [0, 32]
// CHECK-SAME:   dist.global = tensor<2x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK-NEXT: nn.state @bucket.0.param : tensor<1x64xf32> bucket members [@a, @b] at [0, 32]
// CHECK-SAME:   dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>
// CHECK-NEXT: nn.state @bucket.0.exp_avg : tensor<1x64xf32> bucket members [@exp_avg.a, @exp_avg.b] at [0, 32]
// CHECK-NEXT: nn.state @bucket.0.exp_avg_sq : tensor<1x64xf32> bucket members [@exp_avg_sq.a, @exp_avg_sq.b] at [0, 32]
// CHECK-NEXT: nn.state @bucket.1.grad : tensor<1x64xf32> bucket members [@grad.s] at [0]
// CHECK-SAME:   dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"dp", "tp"}>
// @microbatch still uses members.
// CHECK:      func.func @microbatch
// CHECK:      nn.read @a : tensor<5x6xf32>
// CHECK:      nn.accumulate %{{.*}}, @grad.a : tensor<5x6xf32>
// CHECK:      func.func @update

// One collective over dp per bucket; over tp only the remaining partial sums
// are reduced. Values that two or four ranks replicate count a half or a fourth
// in the norm.
// CHECK:      %[[G0:.*]] = nn.read @bucket.0.grad : tensor<1x64xf32>
// CHECK-NEXT: %[[R0:.*]] = dist.all_reduce sum %[[G0]] over ["dp"]
// CHECK-NEXT: %[[Q0:.*]] = nn.sum_of_squares %[[R0]]
// CHECK-NEXT: %[[S0:.*]] = nn.scale %[[Q0]] by 5.000000e-01
// CHECK-NEXT: %[[G1:.*]] = nn.read @bucket.1.grad : tensor<1x64xf32>
// CHECK-NEXT: %[[D1:.*]] = dist.all_reduce sum %[[G1]] over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
// CHECK-NEXT: %[[R1:.*]] = dist.all_reduce sum %[[D1]] over ["tp"]
// CHECK-NEXT: %[[Q1:.*]] = nn.sum_of_squares %[[R1]]
// CHECK-NEXT: %[[S1:.*]] = nn.scale %[[Q1]] by 2.500000e-01
// CHECK-NEXT: nn.sum %[[S0]], %[[S1]]
// CHECK:      %[[P0:.*]] = nn.read @bucket.0.param : tensor<1x64xf32>
// CHECK-NEXT: %[[M0:.*]] = nn.read @bucket.0.exp_avg : tensor<1x64xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @bucket.0.exp_avg_sq : tensor<1x64xf32>
// CHECK-NEXT: %[[N0:.*]], %[[N1:.*]], %[[N2:.*]] = nn.adamw decay %[[P0]], %[[R0]], %[[M0]], %[[V0]]
// CHECK-NEXT: nn.write %[[N1]], @bucket.0.exp_avg : tensor<1x64xf32>
// CHECK-NEXT: nn.write %[[N2]], @bucket.0.exp_avg_sq : tensor<1x64xf32>
// CHECK-NEXT: nn.write %[[N0]], @bucket.0.param : tensor<1x64xf32>
// CHECK-NEXT: %[[Z0:.*]] = nn.constant dense<0.000000e+00>
// CHECK-NEXT: nn.write %[[Z0]], @bucket.0.grad : tensor<1x64xf32>
// CHECK:      nn.adamw %
// CHECK-NOT:  nn.adamw
// CHECK-NOT:  , @{{grad|exp_avg|a |b |s }}
// CHECK:      return

// With ZeRO stage 1 a dp rank holds and updates a shard (half) of each bucket
// of moments and parameters. The bucket of parameters is gathered before the
// next step.
// PARTS:      nn.state @bucket.0.grad : tensor<1x64xf32> bucket
// PARTS-NEXT: nn.state @bucket.0.param : tensor<1x64xf32> bucket members [@a, @b] at [0, 32]
// PARTS-NEXT: nn.state @bucket.0.own : tensor<1x32xf32> part of @bucket.0.param
// PARTS-SAME:   dist.global = tensor<2x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"dp"}]>
// PARTS-NEXT: nn.state @bucket.0.exp_avg : tensor<1x32xf32> bucket members [@exp_avg.a, @exp_avg.b] at [0, 32]
// PARTS-SAME:   dist.global = tensor<2x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"dp"}]>
// PARTS:      func.func @gather() {
// PARTS-NEXT:   %[[O:.*]] = nn.read @bucket.0.own : tensor<1x32xf32>
// PARTS-NEXT:   %[[A:.*]] = dist.all_gather %[[O]] dim 1 over ["dp"] {{.*}} : tensor<1x32xf32> -> tensor<1x64xf32>
// PARTS-NEXT:   nn.write %[[A]], @bucket.0.param : tensor<1x64xf32>
// PARTS:      func.func @update
// PARTS:      %[[R0:.*]] = dist.reduce_scatter %{{.*}} dim 1 over ["dp"] {{.*}} : tensor<1x64xf32> -> tensor<1x32xf32>
// PARTS-NEXT: %[[Q0:.*]] = nn.sum_of_squares %[[R0]] {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]}
// PARTS:      %[[D1:.*]] = dist.reduce_scatter %{{.*}} dim 1 over ["dp"] {{.*}} : tensor<1x64xf32> -> tensor<1x32xf32>
// PARTS-NEXT: dist.all_reduce sum %[[D1]] over ["tp"] {{.*}} : tensor<1x32xf32>
// PARTS:      nn.scale %{{.*}} by 5.000000e-01
// PARTS-NEXT: nn.sum %[[Q0]], %
// PARTS:      %[[P0:.*]] = nn.read @bucket.0.own : tensor<1x32xf32>
// PARTS:      %[[N0:.*]], %{{.*}}, %{{.*}} = nn.adamw decay %[[P0]], %[[R0]], %{{.*}} : tensor<1x32xf32>
// PARTS:      nn.write %[[N0]], @bucket.0.own : tensor<1x32xf32>
// PARTS-NOT:  .param
// PARTS:      return

// With ZeRO stage 2 a dp rank has a shard (half) of the accumulated gradients,
// to which @reduce adds the shard of a microbatch's gradients. @update reduces
// the remaining partial sums over tp.
// SUMS:      nn.state @bucket.1.grad : tensor<1x64xf32> bucket
// SUMS-NEXT: nn.state @bucket.1.param : tensor<1x64xf32> bucket
// SUMS:      nn.state @bucket.1.sum : tensor<1x32xf32> gradient of @bucket.1.grad {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}], partial = {"tp"}>}
// SUMS:      func.func @reduce() {
// SUMS:        %[[G1:.*]] = nn.read @bucket.1.grad : tensor<1x64xf32>
// SUMS-NEXT:   %[[R1:.*]] = dist.reduce_scatter %[[G1]] dim 1 over ["dp"] {{.*}} : tensor<1x64xf32> -> tensor<1x32xf32>
// SUMS-NEXT:   %[[O1:.*]] = nn.read @bucket.1.sum : tensor<1x32xf32>
// SUMS-NEXT:   %[[S1:.*]] = nn.sum %[[O1]], %[[R1]]
// SUMS-NEXT:   nn.write %[[S1]], @bucket.1.sum : tensor<1x32xf32>
// SUMS-NEXT:   %[[Z1:.*]] = nn.constant dense<0.000000e+00>
// SUMS-NEXT:   nn.write %[[Z1]], @bucket.1.grad : tensor<1x64xf32>
// SUMS:      func.func @update
// SUMS:        %[[T1:.*]] = nn.read @bucket.1.sum : tensor<1x32xf32>
// SUMS-NEXT:   dist.all_reduce sum %[[T1]] over ["tp"] {{.*}} : tensor<1x32xf32>
// SUMS-NOT:    .grad
// SUMS:        return

// No further segment is added to a full bucket.
// SMALL:      nn.state @bucket.0.grad : tensor<1x64xf32> bucket members [@grad.a] at [0]
// SMALL:      nn.state @bucket.1.grad : tensor<1x64xf32> bucket members [@grad.s] at [0]
// SMALL:      nn.state @bucket.2.grad : tensor<1x64xf32> bucket members [@grad.b] at [0]

#whole = #dist.sharding<@mesh, [{}]>
#scalar = #dist.sharding<@mesh, []>
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  nn.param @a : tensor<5x6xf32> init normal decay {dist.global = tensor<5x12xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.param @s : tensor<5xf32> init one {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.param @b : tensor<6x5xf32> init normal decay {dist.global = tensor<12x5xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
  nn.state @grad.a : tensor<5x6xf32> gradient of @a {dist.global = tensor<5x12xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>}
  nn.state @grad.s : tensor<5xf32> gradient of @s {dist.global = tensor<5xf32>, dist.sharding = #dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>}
  nn.state @grad.b : tensor<6x5xf32> gradient of @b {dist.global = tensor<12x5xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>}
  nn.state @exp_avg.a : tensor<5x6xf32> exp_avg of @a {dist.global = tensor<5x12xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.state @exp_avg.s : tensor<5xf32> exp_avg of @s {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.state @exp_avg.b : tensor<6x5xf32> exp_avg of @b {dist.global = tensor<12x5xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
  nn.state @exp_avg_sq.a : tensor<5x6xf32> exp_avg_sq of @a {dist.global = tensor<5x12xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.state @exp_avg_sq.s : tensor<5xf32> exp_avg_sq of @s {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.state @exp_avg_sq.b : tensor<6x5xf32> exp_avg_sq of @b {dist.global = tensor<12x5xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
  // The users of a parameter determine its segment.
  func.func @microbatch(%x: tensor<5xf32> {nn.role = #nn.role<data>, nn.name = "x", dist.global = tensor<5xf32>, dist.sharding = #whole}) {
    %a = nn.read @a : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %s = nn.read @s : tensor<5xf32> {dist.shardings = [#whole]}
    %b = nn.read @b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %sx = nn.mul %s, %x {nn.segment = 0, dist.shardings = [#whole]} : tensor<5xf32>
    %y = nn.contract "k,kn->n" %sx, %a {nn.segment = 0, dist.shardings = [#dist.sharding<@mesh, [{"tp"}]>]} : tensor<5xf32>, tensor<5x6xf32> -> tensor<6xf32>
    %z = nn.contract "k,kn->n" %y, %b {nn.segment = 1, dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}>]} : tensor<6xf32>, tensor<6x5xf32> -> tensor<5xf32>
    %w = nn.constant dense<0.0> : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>]}
    nn.accumulate %w, @grad.a : tensor<5x6xf32>
    %ws = nn.constant dense<0.0> : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
    nn.accumulate %ws, @grad.s : tensor<5xf32>
    %wb = nn.constant dense<0.0> : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
    nn.accumulate %wb, @grad.b : tensor<6x5xf32>
    return
  }
  func.func @update(%lr: tensor<f32> {nn.role = #nn.role<lr>, dist.global = tensor<f32>, dist.sharding = #scalar},
                    %t: tensor<i64> {nn.role = #nn.role<step>, dist.global = tensor<i64>, dist.sharding = #scalar})
      -> (tensor<f32> {dist.global = tensor<f32>, dist.sharding = #scalar, nn.name = "norm"}) {
    %ga = nn.read @grad.a : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>]}
    %ra = dist.all_reduce sum %ga over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<5x6xf32>
    %qa = nn.sum_of_squares %ra {dist.shardings = [#dist.sharding<@mesh, [], partial = {"tp"}>]} : tensor<5x6xf32> -> tensor<f32>
    %na = nn.scale %qa by 0.5 {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<f32>
    %gs = nn.read @grad.s : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
    %rs = dist.all_reduce sum %gs over ["dp", "tp"] {dist.shardings = [#whole]} : tensor<5xf32>
    %qs = nn.sum_of_squares %rs {dist.shardings = [#scalar]} : tensor<5xf32> -> tensor<f32>
    %ns = nn.scale %qs by 0.25 {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<f32>
    %gb = nn.read @grad.b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
    %rb = dist.all_reduce sum %gb over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<6x5xf32>
    %qb = nn.sum_of_squares %rb {dist.shardings = [#dist.sharding<@mesh, [], partial = {"tp"}>]} : tensor<6x5xf32> -> tensor<f32>
    %nb = nn.scale %qb by 0.5 {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<f32>
    %parts = nn.sum %na, %ns, %nb {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<f32>
    %all = dist.all_reduce sum %parts over ["dp", "tp"] {dist.shardings = [#scalar]} : tensor<f32>
    %norm = nn.sqrt %all {dist.shardings = [#scalar]} : tensor<f32>
    %pa = nn.read @a : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %ma = nn.read @exp_avg.a : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %va = nn.read @exp_avg_sq.a : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %a:3 = nn.adamw decay %pa, %ra, %ma, %va grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
    nn.write %a#0, @a : tensor<5x6xf32>
    nn.write %a#1, @exp_avg.a : tensor<5x6xf32>
    nn.write %a#2, @exp_avg_sq.a : tensor<5x6xf32>
    %ps = nn.read @s : tensor<5xf32> {dist.shardings = [#whole]}
    %ms = nn.read @exp_avg.s : tensor<5xf32> {dist.shardings = [#whole]}
    %vs = nn.read @exp_avg_sq.s : tensor<5xf32> {dist.shardings = [#whole]}
    %s:3 = nn.adamw %ps, %rs, %ms, %vs grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t {dist.shardings = [#whole, #whole, #whole]} : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
    nn.write %s#0, @s : tensor<5xf32>
    nn.write %s#1, @exp_avg.s : tensor<5xf32>
    nn.write %s#2, @exp_avg_sq.s : tensor<5xf32>
    %pb = nn.read @b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %mb = nn.read @exp_avg.b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %vb = nn.read @exp_avg_sq.b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %b:3 = nn.adamw decay %pb, %rb, %mb, %vb grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>, #dist.sharding<@mesh, [{"tp"}, {}]>, #dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
    nn.write %b#0, @b : tensor<6x5xf32>
    nn.write %b#1, @exp_avg.b : tensor<6x5xf32>
    nn.write %b#2, @exp_avg_sq.b : tensor<6x5xf32>
    %za = nn.constant dense<0.0> : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>]}
    nn.write %za, @grad.a : tensor<5x6xf32>
    %zs = nn.constant dense<0.0> : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
    nn.write %zs, @grad.s : tensor<5xf32>
    %zb = nn.constant dense<0.0> : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
    nn.write %zb, @grad.b : tensor<6x5xf32>
    return %norm : tensor<f32>
  }
}
