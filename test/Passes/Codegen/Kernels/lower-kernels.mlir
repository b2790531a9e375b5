// The kernel IR and the LLVM function of a row kernel.
// RUN: pcc-opt %s --rt-tile-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: pcc-opt %s --rt-lower-kernels | FileCheck %s

// TILE: func.func private @softmax(%[[X:.*]]: memref<64xf32>, %[[Y:.*]]: memref<64xf32> {rt.inplace = 0 : i64})
// TILE-SAME: rt.grain = {{[0-9]+}} : i64, rt.kernel, rt.units = 8 : i64
// TILE: scf.forall (%{{.*}}) in (8)
// Maximum, sum and quotient; the exponentials are kept on the stack.
// TILE: linalg.generic {{.*}}iterator_types = ["reduction"]
// TILE: %[[ROW:.*]] = memref.alloca() {{.*}} : memref<8xf32>
// TILE: linalg.generic {{.*}}iterator_types = ["reduction"]
// TILE: math.exp
// TILE-NOT: math.exp
// TILE: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[ROW]]

// CHECK: llvm.func @softmax(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME: rt.units = 8
// Elements carry their loop's access group, and its back edge names it.
// CHECK: llvm.load {{.*}} {access_groups = [#access_group]}
// CHECK: llvm.br {{.*}} {loop_annotation = #loop_annotation}
func.func private @softmax(%x: tensor<2x4x8xf32>)
    -> (tensor<2x4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}
