// Grouped contractions on a device: blocks of four warps, each of which computes
// a tile of the result from factors in shared memory.
// RUN: pcc-opt %s --rt-lower-kernels-to-gpu -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=NARROW
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=SUMS
// RUN: pcc-opt %t.mlir --gpu-kernels-to-nvvm -o /dev/null

// The 100 rows of three groups, and those after the last end, fill at most seven
// tiles of 32 rows; 40 columns are two tiles. Ends are read on the device.
// CHECK-LABEL: gpu.func @rows
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 14, 1, 1>
// Each group in order: its end, the number of its tiles, and whether the block's
// tile is one of them.
// CHECK: %[[FOUND:.*]]:5 = scf.for %[[GROUP:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[BEGIN:.*]] = %{{.*}}, %[[KNOWN:.*]] = %{{.*}}, %[[OWN:.*]] = %{{.*}}, %[[FIRST:.*]] = %{{.*}}, %[[LAST:.*]] = %{{.*}})
// CHECK-NEXT: vector.load %arg2[%[[GROUP]]] {{.*}} : memref<3xi32>, vector<1xi32>
// CHECK: arith.subi %{{.*}}, %[[BEGIN]]
// CHECK: arith.divui
// CHECK: arith.cmpi ult
// CHECK: arith.select %{{.*}}, %[[GROUP]], %[[OWN]]
// CHECK: scf.yield
// The factors of the first step are loaded; rows after the group's end are zero.
// CHECK: arith.cmpi slt
// CHECK: scf.if {{.*}} -> (vector<4xf32>)
// CHECK: vector.load %arg0{{.*}} : memref<3600xf32>, vector<4xf32>
// CHECK: vector.load %arg1{{.*}} : memref<4320xf32>, vector<4xf32>
// A block without a tile has no steps. Steps take turns between two tiles of each
// factor, so a barrier after the stores is enough.
// CHECK: scf.for
// CHECK: arith.remui
// CHECK: memref.store {{.*}} : memref<{{.*}}xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// While they are multiplied, those of the next step are loaded.
// CHECK: vector.load %arg0
// CHECK: vector.load %arg1
// CHECK: scf.for
// CHECK: vector.load {{.*}} #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK-NEXT: arith.addf {{.*}} fastmath<contract>
// CHECK: vector.store {{.*}}, %arg3{{.*}} : memref<4000xf32>
func.func private @rows(%a: tensor<100x36xf32>, %w: tensor<3x40x36xf32>, %ends: tensor<3xi32>)
    -> tensor<100x40xf32> attributes {rt.kernel} {
  %c = nn.grouped_contract "rk,enk->rn" %a, %w ends %ends {rt.by_tiles}
      : tensor<100x36xf32>, tensor<3x40x36xf32>, tensor<3xi32> -> tensor<100x40xf32>
  return %c : tensor<100x40xf32>
}

// bf16: tiles keep the layout of memory, and tensor cores multiply them. The
// matrix has steps as rows, so it is transposed.
// NARROW-LABEL: gpu.func @narrow
// NARROW: vector.load %arg2{{.*}} : memref<2xi32>, vector<2xi32>
// NARROW: vector.load %arg0{{.*}}, vector<8xbf16>
// NARROW: scf.for
// NARROW: vector.store {{.*}} #gpu.address_space<workgroup>>, vector<8xbf16>
// NARROW: gpu.barrier
// NARROW: nvgpu.ldmatrix {{.*}}transpose = false
// NARROW: nvgpu.ldmatrix {{.*}}transpose = true
// NARROW: nvvm.mma.sync {{.*}}bf16
// Adjacent lanes exchange columns, so that a row's four lanes write whole sectors.
// The result is rounded once.
// NARROW: gpu.shuffle xor
// NARROW: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
// NARROW-NEXT: vector.store {{.*}}, %arg3
func.func private @narrow(%a: tensor<96x64xbf16>, %w: tensor<2x64x48xbf16>, %ends: tensor<2xi32>)
    -> tensor<96x48xbf16> attributes {rt.kernel} {
  %c = nn.grouped_contract "rn,enk->rk" %a, %w ends %ends {rt.by_tiles}
      : tensor<96x64xbf16>, tensor<2x64x48xbf16>, tensor<2xi32> -> tensor<96x48xbf16>
  return %c : tensor<96x48xbf16>
}

// A sum over rows: a block has a tile of a group's matrix, and a step for each of
// its rows; without rows it stores zeros. Here it adds to the old values, whose
// memory the result may have.
// SUMS-LABEL: gpu.func @sums
// SUMS-SAME: memref<8192xf32> {llvm.align = 16 : i64, rt.inplace = 3 : i64}
// SUMS-SAME: known_grid_size = array<i32: 8, 1, 1>
// SUMS: memref.load %arg2
// SUMS: %[[BEGIN:.*]] = arith.select
// SUMS: memref.load %arg2
// SUMS: %[[ROWS:.*]] = arith.subi %{{.*}}, %[[BEGIN]]
// SUMS: scf.for %{{.*}} to %[[ROWS]]
// SUMS: nvgpu.ldmatrix {{.*}}transpose = true
// SUMS-NOT: transpose = false
// SUMS: vector.load %arg3{{.*}} : memref<8192xf32>, vector<2xf32>
// SUMS: arith.addf
// SUMS-NEXT: vector.store {{.*}}, %arg4
func.func private @sums(%a: tensor<96x64xf16>, %b: tensor<96x64xf16>, %ends: tensor<2xi32>, %old: tensor<2x64x64xf32>)
    -> (tensor<2x64x64xf32> {rt.inplace = 3 : i64}) attributes {rt.kernel} {
  %c = nn.grouped_contract "rn,rk->enk" %a, %b ends %ends {rt.by_tiles}
      : tensor<96x64xf16>, tensor<96x64xf16>, tensor<2xi32> -> tensor<2x64x64xf32>
  %s = nn.sum %old, %c : tensor<2x64x64xf32>
  return %s : tensor<2x64x64xf32>
}
