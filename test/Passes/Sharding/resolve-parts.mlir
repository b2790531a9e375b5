// Gradients of slices of one tensor: a partial gradient is resolved before it
// is inserted among zeros, if that moves fewer bytes.
// RUN: pcc-opt %s -dist-propagate -dist-insert-reshards -dist-verify -o %t.plan
// RUN: FileCheck %s < %t.plan
// RUN: pcc-opt %t.plan -dist-partition -cse -dist-verify -o %t.spmd
// RUN: pcc-run %t.spmd --against %t.plan --fill 1 --entry=two,three,along | FileCheck --check-prefix=EQUAL %s
// EQUAL: values equal the reference's

dist.mesh @mesh = <["cp"=2]>

// Two of three slices are partial: two reduce-scatters of one slice each, not
// one of the whole.
// CHECK-LABEL: func.func @two(
// CHECK: %[[K:.*]] = nn.contract {{.*}} partial = {"cp"}
// CHECK: %[[KS:.*]] = dist.reshard %[[K]] from <@mesh, [{}, {}], partial = {"cp"}> to <@mesh, [{"cp"}, {}]>
// CHECK-NEXT: nn.insert %[[KS]] {{.*}}[{"cp"}, {}, {}]
// CHECK: dist.reshard {{.*}} from <@mesh, [{}, {}], partial = {"cp"}> to <@mesh, [{"cp"}, {}]>
// CHECK-NEXT: nn.insert
// CHECK: nn.sum {{.*}}[{"cp"}, {}, {}]
// CHECK-NOT: dist.reshard
func.func @two(
    %q: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}]>, reason = "test">]},
    %s: tensor<4x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}]>, reason = "test">]},
    %v: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}]>, reason = "test">]})
    -> tensor<4x3x8xf32> {
  %0 = nn.insert %q dim 1 index 0 : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %k1 = nn.contract "st,sd->td" %s, %q : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nn.insert %k1 dim 1 index 1 : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %v1 = nn.contract "st,sd->td" %s, %v : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = nn.insert %v1 dim 1 index 2 : tensor<4x8xf32> -> tensor<4x3x8xf32>
  %all = nn.sum %0, %1, %2 : tensor<4x3x8xf32>
  return %all : tensor<4x3x8xf32>
}

// If all three parts are partial over the same axis, resolving the whole moves
// no more bytes.
// CHECK-LABEL: func.func @three(
// CHECK: nn.insert {{.*}} partial = {"cp"}
// CHECK: nn.insert {{.*}} partial = {"cp"}
// CHECK: dist.reshard {{.*}} : tensor<4x2x8xf32>
func.func @three(
    %q: tensor<4x2x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}, {}]>, reason = "test">]},
    %s: tensor<4x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}]>, reason = "test">]},
    %v: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"cp"}, {}]>, reason = "test">]})
    -> tensor<4x2x8xf32> {
  %k1 = nn.contract "st,sd->td" %s, %v : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = nn.insert %k1 dim 1 index 0 : tensor<4x8xf32> -> tensor<4x2x8xf32>
  %s1 = nn.gelu %s : tensor<4x4xf32>
  %v1 = nn.contract "st,sd->td" %s1, %v : tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = nn.insert %v1 dim 1 index 1 : tensor<4x8xf32> -> tensor<4x2x8xf32>
  %all = nn.sum %q, %1, %2 : tensor<4x2x8xf32>
  return %all : tensor<4x2x8xf32>
}

// A value that is inserted along a sharded dim cannot be reduce-scattered
// first: the sum over a sequence stays partial until it is at its last
// position.
// CHECK-LABEL: func.func @along(
// CHECK: %[[R:.*]] = nn.reduce {{.*}} partial = {"cp"}
// CHECK-NEXT: %[[PUT:.*]] = nn.insert %[[R]] {{.*}}<@mesh, [{}, {}, {}], partial = {"cp"}>
// CHECK-NEXT: %[[PART:.*]] = dist.reshard %[[PUT]] from <@mesh, [{}, {}, {}], partial = {"cp"}> to <@mesh, [{}, {"cp"}, {}]>
// CHECK-NEXT: nn.sum %{{.*}}, %[[PART]]
func.func @along(
    %x: tensor<2x4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"cp"}, {}]>, reason = "test">]})
    -> tensor<2x4x8xf32> {
  %0 = nn.reduce %x [1] : tensor<2x4x8xf32> -> tensor<2x8xf32>
  %1 = nn.insert %0 dim 1 index 3 : tensor<2x8xf32> -> tensor<2x4x8xf32>
  %2 = nn.sum %x, %1 : tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}
