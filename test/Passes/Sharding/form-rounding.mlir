// Random bits for the rounding of bf16 moments: those of the members of a bucket
// become one op, which knows where the members are in the bucket and in their
// whole tensors, and where this rank's shard begins. Equal offsets are passed
// once.
// RUN: pcc-opt %s --dist-form-buckets --dist-verify | FileCheck %s
// RUN: pcc-opt %s --dist-form-buckets=zero=1 --dist-verify | FileCheck %s --check-prefix=PARTS

// CHECK:      nn.state @bucket.0.exp_avg : tensor<1x64xbf16> bucket members [@exp_avg.a, @exp_avg.b] at [0, 32]
// CHECK:      func.func @update
// CHECK:      %[[TP:.*]] = dist.offset ["tp"] by 6 : tensor<i64>
// The least id of a bucket is in the high half of its step.
// CHECK:      %[[SAME:.*]] = nn.broadcast %{{.*}} [] {{.*}} : tensor<i64> -> tensor<2x2xi64>
// CHECK-NEXT: %[[LEAST:.*]] = nn.constant dense<{{\[}}[0, 0], [4294967296, 4294967296]]> : tensor<2x2xi64>
// CHECK-NEXT: %[[STEPS:.*]] = nn.sum %[[SAME]], %[[LEAST]]
// CHECK-NEXT: %[[E0:.*]] = nn.select %[[STEPS]] dim 0 index 0 {{.*}} -> tensor<2xi64>
// CHECK-NEXT: %[[S0:.*]] = nn.select %[[E0]] dim 0 index 0
// CHECK-NEXT: %[[B0:.*]] = nn.rounding_bits 0 seed %{{.*}} step %[[S0]] origins %[[TP]]
// CHECK-SAME:   members [#nn.member<shape = [5, 6], whole = [5, 12], origins = [-1, 0]>, #nn.member<id = 2, start = 32, shape = [6, 5], whole = [12, 5], origins = [0, -1]>]
// CHECK-SAME:   {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<1x64xi32>
// CHECK-NEXT: nn.adamw decay {{.*}} rounding %[[B0]] {{.*}} : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xbf16>
// CHECK:      %[[E1:.*]] = nn.select %[[STEPS]] dim 0 index 1
// CHECK-NEXT: %[[S1:.*]] = nn.select %[[E1]] dim 0 index 0
// CHECK-NEXT: %[[B1:.*]] = nn.rounding_bits 0 seed %{{.*}} step %[[S1]] members [#nn.member<shape = [5], whole = [5]>]
// CHECK-NEXT: nn.adamw {{.*}} rounding %[[B1]]
// CHECK-NOT:  nn.rounding_bits

// With ZeRO a rank has half of each bucket.
// PARTS:      %[[TP:.*]] = dist.offset ["tp"] by 6 : tensor<i64>
// PARTS:      %[[AT0:.*]] = dist.offset ["dp"] by 32 : tensor<i64>
// PARTS:      nn.rounding_bits 0 seed %{{.*}} step %{{.*}} origins %[[TP]], %[[AT0]] position 1 members [{{.*}}] {{.*}} -> tensor<1x32xi32>
// PARTS:      %[[AT1:.*]] = dist.offset ["dp"] by 32 : tensor<i64>
// PARTS:      nn.rounding_bits 0 seed %{{.*}} step %{{.*}} origins %[[AT1]] position 0 members

// Bits that depend on the plan are refused: of another place in the bucket, of
// the local instead of the whole tensor, of the bucket instead of the shard, or
// of another parameter.
// RUN: pcc-opt %s --dist-form-buckets=zero=1 -o %t.mlir
// RUN: cp %t.mlir %t.0.mlir && pcc-opt %t.0.mlir --dist-verify -o %t.same
// RUN: sed 's/<id = 2, start = 32,/<id = 2, start = 64,/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: 'nn.rounding_bits' op has a member at element 64, but 'b' is at 32
// RUN: sed 's/whole = \[5, 12\]/whole = [5, 6]/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: 'nn.rounding_bits' op has a member of another whole tensor than 'a'
// RUN: sed 's/shape = \[5, 6\]/shape = [6, 5]/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: 'nn.rounding_bits' op has a member of another shape than 'a'
// RUN: sed 's/, origins = \[-1, 0\]//' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=ORIGIN
// ORIGIN: error: 'nn.rounding_bits' op does not begin at this rank's shard in dim 1 of 'a', which is sharded over ["tp"]
// RUN: sed 's/dist.offset \["tp"\] by 6/dist.offset ["tp"] by 5/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=ORIGIN
// RUN: sed 's/origins = \[-1, 0\]/origins = [0, 0]/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: error: 'nn.rounding_bits' op begins at an offset in dim 0 of 'a', of which the rank has all
// RUN: sed 's/ position [01]//' %t.mlir | sed 's/tensor<1x32xi32>/tensor<1x32xi32>/' | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: 'nn.rounding_bits' op {{does not begin at this rank's shard in 'bucket.0.own', which is sharded over \["dp"\]|has 32 elements, but its members 62}}
// RUN: sed 's/dist.offset \["dp"\] by 32/dist.offset ["dp"] by 64/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=SHARD
// SHARD: error: 'nn.rounding_bits' op does not begin at this rank's shard in 'bucket.0.own', which is sharded over ["dp"]
// RUN: sed 's/<id = 2, start/<id = 1, start/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=ALIKE
// ALIKE: error: 'nn.rounding_bits' op rounds 's' with the bits of 'b'
// RUN: sed 's/nn.rounding_bits 0 seed \([^ ]*\) step [^ ]*/nn.rounding_bits 0 seed \1 step \1/' %t.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: pcc-opt %s --dist-form-buckets -o %t.whole.mlir
// RUN: sed '/func @update/,$s/nn.read @bucket.0.param/nn.read @bucket.0.grad/' %t.whole.mlir | not pcc-opt --dist-verify 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'nn.adamw' op rounds with other bits than those of a parameter
// STEP: error: 'nn.rounding_bits' op does not depend on the optimizer's step

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
  nn.state @exp_avg.a : tensor<5x6xbf16> exp_avg of @a {dist.global = tensor<5x12xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.state @exp_avg.s : tensor<5xbf16> exp_avg of @s {dist.global = tensor<5xbf16>, dist.sharding = #whole}
  nn.state @exp_avg.b : tensor<6x5xbf16> exp_avg of @b {dist.global = tensor<12x5xbf16>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
  nn.state @exp_avg_sq.a : tensor<5x6xbf16> exp_avg_sq of @a {dist.global = tensor<5x12xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
  nn.state @exp_avg_sq.s : tensor<5xbf16> exp_avg_sq of @s {dist.global = tensor<5xbf16>, dist.sharding = #whole}
  nn.state @exp_avg_sq.b : tensor<6x5xbf16> exp_avg_sq of @b {dist.global = tensor<12x5xbf16>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
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
                    %seed: tensor<i64> {nn.role = #nn.role<seed>, dist.global = tensor<i64>, dist.sharding = #scalar},
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
    %ma = nn.read @exp_avg.a : tensor<5x6xbf16> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %va = nn.read @exp_avg_sq.a : tensor<5x6xbf16> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]}
    %oa = dist.offset ["tp"] by 6 : tensor<i64>
    %bitsa = nn.rounding_bits 0 seed %seed step %t origins %oa members [#nn.member<shape = [5, 6], whole = [5, 12], origins = [-1, 0]>] {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<5x6xi32>
    %a:3 = nn.adamw decay %pa, %ra, %ma, %va grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t rounding %bitsa {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<5x6xi32>
    nn.write %a#0, @a : tensor<5x6xf32>
    nn.write %a#1, @exp_avg.a : tensor<5x6xbf16>
    nn.write %a#2, @exp_avg_sq.a : tensor<5x6xbf16>
    %ps = nn.read @s : tensor<5xf32> {dist.shardings = [#whole]}
    %ms = nn.read @exp_avg.s : tensor<5xbf16> {dist.shardings = [#whole]}
    %vs = nn.read @exp_avg_sq.s : tensor<5xbf16> {dist.shardings = [#whole]}
    %bitss = nn.rounding_bits 1 seed %seed step %t members [#nn.member<shape = [5], whole = [5]>] {dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<i64>, tensor<i64> -> tensor<5xi32>
    %s:3 = nn.adamw %ps, %rs, %ms, %vs grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t rounding %bitss {dist.shardings = [#whole, #whole, #whole]} : tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<5xi32>
    nn.write %s#0, @s : tensor<5xf32>
    nn.write %s#1, @exp_avg.s : tensor<5xbf16>
    nn.write %s#2, @exp_avg_sq.s : tensor<5xbf16>
    %pb = nn.read @b : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %mb = nn.read @exp_avg.b : tensor<6x5xbf16> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %vb = nn.read @exp_avg_sq.b : tensor<6x5xbf16> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]}
    %ob = dist.offset ["tp"] by 6 : tensor<i64>
    %bitsb = nn.rounding_bits 2 seed %seed step %t origins %ob members [#nn.member<shape = [6, 5], whole = [12, 5], origins = [0, -1]>] {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<6x5xi32>
    %b:3 = nn.adamw decay %pb, %rb, %mb, %vb grad_scale %norm lr %lr betas %lr, %lr eps %lr weight_decay %lr step %t rounding %bitsb {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}]>, #dist.sharding<@mesh, [{"tp"}, {}]>, #dist.sharding<@mesh, [{"tp"}, {}]>]} : tensor<6x5xf32>, tensor<6x5xf32>, tensor<6x5xbf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<6x5xi32>
    nn.write %b#0, @b : tensor<6x5xf32>
    nn.write %b#1, @exp_avg.b : tensor<6x5xbf16>
    nn.write %b#2, @exp_avg_sq.b : tensor<6x5xbf16>
    %za = nn.constant dense<0.0> : tensor<5x6xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}], partial = {"dp"}>]}
    nn.write %za, @grad.a : tensor<5x6xf32>
    %zs = nn.constant dense<0.0> : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp", "tp"}>]}
    nn.write %zs, @grad.s : tensor<5xf32>
    %zb = nn.constant dense<0.0> : tensor<6x5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>]}
    nn.write %zb, @grad.b : tensor<6x5xf32>
    return %norm : tensor<f32>
  }
}
