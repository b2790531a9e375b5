// RUN: pcc-opt %s --dist-form-buckets=zero=1 --dist-verify | FileCheck %s

// A parameter that is used both in f32 and rounded: it is gathered in f32, and
// its working copy is rounded from the gathered bucket.
// CHECK:      nn.state @bucket.0.param : tensor<1x64xf32> bucket members [@s] at [0]
// CHECK:      nn.state @bucket.0.own : tensor<1x32xf32> part of @bucket.0.param
// CHECK:      nn.state @bucket.0.copy : tensor<1x64xbf16> bucket members [@copy.s] at [0]
// CHECK:      func.func @gather() {
// CHECK-NEXT:   %[[O:.*]] = nn.read @bucket.0.own : tensor<1x32xf32>
// CHECK-NEXT:   %[[A:.*]] = dist.all_gather %[[O]] dim 1 over ["dp"] {{.*}} : tensor<1x32xf32> -> tensor<1x64xf32>
// CHECK-NEXT:   nn.write %[[A]], @bucket.0.param : tensor<1x64xf32>
// CHECK-NEXT:   %[[C:.*]] = nn.cast %[[A]] {{.*}} : tensor<1x64xf32> -> tensor<1x64xbf16>
// CHECK-NEXT:   nn.write %[[C]], @bucket.0.copy : tensor<1x64xbf16>
// CHECK-NEXT:   return
// CHECK:      func.func @update
// CHECK-NOT:    .copy
// CHECK-NOT:    .param
// CHECK:        return

#whole = #dist.sharding<@mesh, [{}]>
#scalar = #dist.sharding<@mesh, []>
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @s : tensor<5xf32> init one {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.state @grad.s : tensor<5xf32> gradient of @s {dist.global = tensor<5xf32>, dist.sharding = #dist.sharding<@mesh, [{}], partial = {"dp"}>}
  nn.state @exp_avg.s : tensor<5xf32> exp_avg of @s {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.state @exp_avg_sq.s : tensor<5xf32> exp_avg_sq of @s {dist.global = tensor<5xf32>, dist.sharding = #whole}
  nn.state @copy.s : tensor<5xbf16> copy of @s {dist.global = tensor<5xbf16>, dist.sharding = #whole}
  func.func @microbatch(%x: tensor<5xf32> {nn.role = #nn.role<data>, nn.name = "x", dist.global = tensor<5xf32>, dist.sharding = #whole}) {
    %s = nn.read @s : tensor<5xf32> {dist.shardings = [#whole]}
    %sx = nn.mul %s, %x {dist.shardings = [#whole]} : tensor<5xf32>
    %c = nn.read @copy.s : tensor<5xbf16> {dist.shardings = [#whole]}
    %cx = nn.gelu tanh %c {dist.shardings = [#whole]} : tensor<5xbf16>
    %ws = nn.constant dense<0.0> : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp"}>]}
    nn.accumulate %ws, @grad.s : tensor<5xf32>
    return
  }
  func.func @update(%lr: tensor<f32> {nn.role = #nn.role<lr>, dist.global = tensor<f32>, dist.sharding = #scalar},
                    %t: tensor<i64> {nn.role = #nn.role<step>, dist.global = tensor<i64>, dist.sharding = #scalar})
      -> (tensor<f32> {dist.global = tensor<f32>, dist.sharding = #scalar, nn.name = "norm"}) {
    %gs = nn.read @grad.s : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp"}>]}
    %rs = dist.all_reduce sum %gs over ["dp"] {dist.shardings = [#whole]} : tensor<5xf32>
    %qs = nn.sum_of_squares %rs {dist.shardings = [#scalar]} : tensor<5xf32> -> tensor<f32>
    %ns = nn.scale %qs by 0.5 {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<f32>
    %parts = nn.sum %ns {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<f32>
    %all = dist.all_reduce sum %parts over ["dp"] {dist.shardings = [#scalar]} : tensor<f32>
    %norm = nn.sqrt %all {dist.shardings = [#scalar]} : tensor<f32>
    %ps = nn.read @s : tensor<5xf32> {dist.shardings = [#whole]}
    %ms = nn.read @exp_avg.s : tensor<5xf32> {dist.shardings = [#whole]}
    %vs = nn.read @exp_avg_sq.s : tensor<5xf32> {dist.shardings = [#whole]}
    %s:3 = nn.adamw %ps, %rs, %ms, %vs grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t {dist.shardings = [#whole, #whole, #whole]} : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
    nn.write %s#0, @s : tensor<5xf32>
    nn.write %s#1, @exp_avg.s : tensor<5xf32>
    nn.write %s#2, @exp_avg_sq.s : tensor<5xf32>
    %c = nn.cast %s#0 {dist.shardings = [#whole]} : tensor<5xf32> -> tensor<5xbf16>
    nn.write %c, @copy.s : tensor<5xbf16>
    %zs = nn.constant dense<0.0> : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp"}>]}
    nn.write %zs, @grad.s : tensor<5xf32>
    return %norm : tensor<f32>
  }
}
