// Very many rows are summed in groups for a device, so that no work item adds
// all rows of a frequent id. Per group, rows that continue the last id of the
// previous group are summed apart from the other rows; then these partial sums
// are summed by their ids.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// Ids are computed from random numbers: some occur hundreds of times, some
// never, and some are invalid: negative or too large.
// RUN: pcc-run %s --entry=added --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=added --fill 1 --expect=0=%t.npy --rtol 2e-6
// RUN: pcc-run %s --entry=made --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=made --fill 1 --expect=0=%t.npy --rtol 2e-6
// With half as many rows in @prime, again a prime, the kernels are the same;
// the device compares all pairs of rows.
// RUN: sed s/8209/4099/g %s | pcc-opt --rt-form-kernels=partial-sums=256 -o %t.half.mlir
// RUN: pcc-kernels %t.half.mlir --seed 1 | FileCheck %s --check-prefix=DEVICE
// DEVICE-COUNT-22: {{^kernel_[0-9]+_.*}} blocks of
// DEVICE: 22 kernels, 0 wrong

// Everything is added to one table, in place.
// CHECK-LABEL: func.func @added(
// CHECK-SAME: %[[DY:.*]]: tensor<8192x2xbf16>, %{{.*}}: tensor<8192xf32>, %[[TABLE:.*]]: tensor<50x2xf32>
// CHECK: %[[SORTED:.*]]:2 = call @kernel_{{[0-9]+}}_mul_sum_where(
// CHECK: %[[PARTS:.*]] = call @[[PARTSUM:.*]](%[[SORTED]]#0, %[[DY]], %[[SORTED]]#1)
// CHECK-SAME: -> tensor<256x2xf32>
// CHECK: %[[OWN:.*]] = call @[[OWNSUM:.*]](%[[SORTED]]#1, %[[SORTED]]#0, %[[DY]], %[[TABLE]])
// CHECK: call @[[LAST:.*]](%[[SORTED]]#1, %[[PARTS]], %[[OWN]])
func.func @added(%dy: tensor<8192x2xbf16>, %drawn: tensor<8192xf32>,
                 %table: tensor<50x2xf32>) -> tensor<50x2xf32> {
  %wide = nn.scale %drawn by 3.0e+01 : tensor<8192xf32>
  %ids = nn.cast %wide : tensor<8192xf32> -> tensor<8192xi32>
  %g = nn.embedding_grad %dy, %ids
      : tensor<8192x2xbf16>, tensor<8192xi32> -> tensor<50x2xf32>
  %sum = nn.sum %table, %g : tensor<50x2xf32>
  return %sum : tensor<50x2xf32>
}

// Groups of 8704 rows have the same length, and the table is created here.
// There are few ids, so an id continues through many groups.
func.func @made(%dy: tensor<17x512x3xf32>, %drawn: tensor<17x512xf32>)
    -> tensor<5x3xf32> {
  %wide = nn.scale %drawn by 3.0 : tensor<17x512xf32>
  %ids = nn.cast %wide : tensor<17x512xf32> -> tensor<17x512xi64>
  %g = nn.embedding_grad %dy, %ids
      : tensor<17x512x3xf32>, tensor<17x512xi64> -> tensor<5x3xf32>
  return %g : tensor<5x3xf32>
}

// A prime number of rows cannot be divided into groups.
// CHECK-LABEL: func.func @prime(
// CHECK-NOT: rt.group
// CHECK: return
func.func @prime(%dy: tensor<8209x1xf32>, %ids: tensor<8209xi32>)
    -> tensor<5x1xf32> {
  %g = nn.embedding_grad %dy, %ids
      : tensor<8209x1xf32>, tensor<8209xi32> -> tensor<5x1xf32>
  return %g : tensor<5x1xf32>
}

// Each kernel of @added determines which rows continue an id: the flags are not
// stored.
// CHECK: func.func private @[[PARTSUM]](
// CHECK-SAME: %{{.*}}: tensor<8192xi32>, %{{.*}}: tensor<8192x2xbf16>, %[[KEYS:.*]]: tensor<8192xi32>)
// CHECK: %[[CONTINUED:.*]] = nn.compare eq %{{.*}}, %[[KEYS]] {rt.sorted} : tensor<8192xi32>
// CHECK: %[[IDS:.*]] = nn.where %[[CONTINUED]], %{{.*}}, %{{.*}} {rt.sorted}
// CHECK: nn.embedding_grad %{{.*}}, %[[IDS]] {rt.group = 32 : i64, rt.group_sums, rt.sorted}
// CHECK: func.func private @[[OWNSUM]](
// CHECK-SAME: %[[KEYS:.*]]: tensor<8192xi32>, %{{.*}}: tensor<8192xi32>, %{{.*}}: tensor<8192x2xbf16>, %{{.*}}: tensor<50x2xf32>)
// CHECK-SAME: rt.inplace = 3
// CHECK: %[[NONE:.*]] = nn.constant dense<-2> : tensor<8192xi32>
// CHECK: %[[IDS:.*]] = nn.where %{{.*}}, %[[NONE]], %[[KEYS]] {rt.sorted}
// CHECK: nn.embedding_grad %{{.*}}, %[[IDS]] {rt.group = 32 : i64, rt.sorted}
// CHECK: func.func private @[[LAST]](
// CHECK-SAME: rt.inplace = 2
// CHECK: %[[FIRST:.*]] = nn.select %{{.*}} dim 1 index 0 {rt.sorted} : tensor<256x32xi32> -> tensor<256xi32>
// CHECK: nn.embedding_grad %{{.*}}, %[[FIRST]] {rt.sorted}
