// A sum of rows by ids for a device: ids are ranked by comparing each with all,
// then sorted, and the adding kernel reads the rows in that order, in place.
// CPUs iterate over the ids in their order.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// RUN: pcc-opt %s --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefix=CPU
// The sums are equal bit for bit, also on a device.
// RUN: pcc-run %s --entry=table --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=table --fill 1 --expect=0=%t.npy --rtol 0
// RUN: pcc-run %s --entry=part --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=part --fill 1 --expect=0=%t.npy --rtol 0
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// DEVICE: 6 kernels, 0 wrong

// CHECK-LABEL: func.func @table(
// CHECK-SAME: %[[DY:.*]]: tensor<2x6x8xf32>, %[[IDS:.*]]: tensor<2x6xi64>, %[[TABLE:.*]]: tensor<5x8xf32>
// CHECK: %[[RANK:.*]]:2 = call @[[RANKS:.*]](%[[IDS]])
// CHECK: %[[ORDER:.*]]:2 = call @[[ORDERS:.*]](%[[RANK]]#0, %[[RANK]]#1)
// CHECK: call @[[ADD:.*]](%[[DY]], %[[ORDER]]#0, %[[ORDER]]#1, %[[TABLE]])
// CHECK-LABEL: func.func @part(
// CHECK: func.func private @[[RANKS]](
// CHECK: nn.compare lt
// CHECK: nn.reduce {{.*}} [1] : tensor<12x12xf32> -> tensor<12xf32>
// CHECK: func.func private @[[ORDERS]](
// CHECK: nn.compare eq
// CHECK: func.func private @[[ADD]](%[[ROWS:.*]]: tensor<2x6x8xf32>, %[[FROM:.*]]: tensor<12xi32>, %[[SORTED:.*]]: tensor<12xi32>, %{{.*}}: tensor<5x8xf32>)
// CHECK-SAME: rt.inplace = 3
// CHECK: %[[FLAT:.*]] = nn.reshape %[[ROWS]]
// CHECK: %[[TAKEN:.*]] = nn.embedding %[[FROM]], %[[FLAT]]
// CHECK: nn.embedding_grad %[[TAKEN]], %[[SORTED]] {rt.sorted}

// CPU: func.func private @
// CPU-NOT: nn.compare
// CPU: nn.embedding_grad %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// CPU-NOT: rt.sorted
func.func @table(%dy: tensor<2x6x8xf32>, %ids: tensor<2x6xi64>,
                 %table: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %g = nn.embedding_grad %dy, %ids
      : tensor<2x6x8xf32>, tensor<2x6xi64> -> tensor<5x8xf32>
  %sum = nn.sum %table, %g : tensor<5x8xf32>
  return %sum : tensor<5x8xf32>
}

// A rank's shard of a table, which is created here: rows that no id names are
// zero.
func.func @part(%dy: tensor<40x8xf32>, %ids: tensor<40xi32>,
                %offset: tensor<i32>) -> tensor<7x8xf32> {
  %g = nn.embedding_grad %dy, %ids offset %offset : tensor<i32>
      : tensor<40x8xf32>, tensor<40xi32> -> tensor<7x8xf32>
  return %g : tensor<7x8xf32>
}
