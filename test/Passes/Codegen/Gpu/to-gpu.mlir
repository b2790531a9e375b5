// Kernels as functions of a gpu.module: the code of one thread.
// RUN: pcc-opt %s --rt-lower-kernels-to-gpu --canonicalize --cse | FileCheck %s

// A warp computes a row of 768: each lane takes 4 columns, six times. A block
// has eight warps. The row is read once: the first pass keeps it in shared
// memory for the second, and the second keeps the exponentials for the third.
// Each lane reads only what it wrote itself: no barrier.
// CHECK-LABEL: gpu.func @softmax(
// CHECK-SAME: %[[X:.*]]: memref<1572864xf32> {llvm.align = 16 : i64, llvm.readonly}
// CHECK-SAME: %[[Y:.*]]: memref<1572864xf32> {llvm.align = 16 : i64, rt.inplace = 0 : i64}
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 256, 1, 1>, nvvm.minctasm = {{[0-9]+}} : i32, rt.shared = 49152 : i64
// CHECK-NOT: gpu.barrier
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK: %[[WARP:.*]] = arith.divui %[[THREAD]], %c32
// CHECK: %[[ROW:.*]] = memref.view {{.*}} to memref<768xf32, #gpu.address_space<workgroup>>
// CHECK: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %c8
// CHECK: arith.addi %[[FIRST]], %[[WARP]]
// CHECK: scf.for {{.*}} = %c0 to %c768 step %c128 iter_args
// CHECK: vector.load %[[X]][{{.*}}] {alignment = 16 : i64} : memref<1572864xf32>, vector<4xf32>
// CHECK: vector.store {{.*}}, %[[ROW]][
// CHECK-COUNT-4: arith.maxnumf
// CHECK: scf.yield
// CHECK: gpu.shuffle xor {{.*}}, %c16_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor {{.*}}, %c8_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor {{.*}}, %c4_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor {{.*}}, %c2_i32, %c32_i32 : f32
// CHECK: gpu.shuffle xor {{.*}}, %c1_i32, %c32_i32 : f32
// CHECK: scf.for {{.*}} = %c0 to %c768 step %c128 iter_args
// CHECK-NOT: vector.load %[[X]]
// CHECK: vector.load %[[ROW]][
// CHECK: math.exp
// CHECK: vector.store {{.*}} : memref<768xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-COUNT-5: gpu.shuffle
// CHECK: scf.for {{.*}} = %c0 to %c768 step %c128 {
// CHECK: vector.load {{.*}} : memref<768xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK: vector.store {{.*}}, %[[Y]][{{.*}}] {alignment = 16 : i64} : memref<1572864xf32>, vector<4xf32>
// CHECK: gpu.return
func.func private @softmax(%x: tensor<2048x768xf32>)
    -> (tensor<2048x768xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2048x768xf32>
  return %y : tensor<2048x768xf32>
}

// A row of 1000 takes a warp eight steps. In the last one, only some lanes have
// columns; the other steps have no condition.
// CHECK-LABEL: gpu.func @ragged(
// CHECK: scf.for {{.*}} = %c0 to %c896 step %c128 iter_args
// CHECK-NOT: scf.if
// CHECK: vector.load
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %c896
// CHECK: %[[IS_MINE:.*]] = arith.cmpi ult, %[[LAST]], %c1000
// CHECK: scf.if %[[IS_MINE]]
// CHECK: vector.load
// CHECK-NOT: scf.for
// CHECK: gpu.shuffle
// CHECK: gpu.return
func.func private @ragged(%x: tensor<4096x1000xf32>) -> tensor<4096xf32>
    attributes {rt.kernel} {
  %s = nn.reduce %x [1] : tensor<4096x1000xf32> -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// A block computes a long row: its warps store their sums in shared memory, and
// each adds all of them, in the same order. The value that one thread stores
// for the row overwrites an operand that all have read: a barrier is needed.
// CHECK-LABEL: gpu.func @total(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 1, 1, 1>, nvvm.minctasm = {{[0-9]+}} : i32, rt.shared = 64 : i64
// CHECK: scf.for
// CHECK: vector.load
// CHECK-COUNT-5: gpu.shuffle
// CHECK: %[[IS_FIRST_LANE:.*]] = arith.cmpi eq
// CHECK: scf.if %[[IS_FIRST_LANE]] {
// CHECK-NEXT: memref.store {{.*}} : memref<16xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}} : memref<16xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: gpu.shuffle
// CHECK: memref.load %{{.*}}[%c0] : memref<1xf32>
// CHECK: gpu.barrier
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK-NEXT: memref.store {{.*}}[%c0] : memref<1xf32>
func.func private @total(%x: tensor<65536xf32>, %sum: tensor<f32>)
    -> (tensor<f32> {rt.inplace = 1 : i64}) attributes {rt.kernel} {
  %s = nn.reduce %x [0] : tensor<65536xf32> -> tensor<f32>
  %t = nn.sum %sum, %s : tensor<f32>
  return %t : tensor<f32>
}

// One row of a hundred million columns: blocks of 256 threads take tiles of
// 4096 columns, 4 per access. The first block handles the last column, which is
// less than an access.
// CHECK-LABEL: gpu.func @flat(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 24415, 1, 1>, nvvm.minctasm = {{[0-9]+}} : i32, rt.shared = 0 : i64
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: arith.muli %[[BLOCK]], %c4096
// CHECK: scf.for {{.*}} = %c0 to %c4096 step %c1024
// CHECK: arith.cmpi ult, {{.*}}, %c100000000
// CHECK: vector.load {{.*}} : memref<100000001xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<100000001xf32>, vector<4xf32>
// CHECK: %[[IS_REST:.*]] = arith.cmpi ult, {{.*}}, %c1
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %c0
// CHECK: arith.andi %[[IS_REST]], %[[IS_FIRST]]
// CHECK: memref.load
// CHECK: memref.store
func.func private @flat(%x: tensor<100000001xf32>)
    -> (tensor<100000001xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %y = nn.sum %x, %x : tensor<100000001xf32>
  return %y : tensor<100000001xf32>
}

// 1025 columns: accesses of 4 fill four tiles, and the last column is in a
// fifth tile, for which the kernel has no such access.
// CHECK-LABEL: gpu.func @flat_rest(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 5, 1, 1>
// CHECK: %[[IS_MINE:.*]] = arith.cmpi ult, %{{.*}}, %c1024
// CHECK: scf.if %[[IS_MINE]]
// CHECK: vector.load
// CHECK: vector.store
// CHECK: arith.cmpi ult, {{.*}}, %c1
func.func private @flat_rest(%x: tensor<1025xf32>) -> tensor<1025xf32>
    attributes {rt.kernel} {
  %y = nn.relu %x : tensor<1025xf32>
  return %y : tensor<1025xf32>
}

// A block has several short rows; a thread moves 8 bf16 elements at a time. The
// block reads the row that is added to all of them once.
// CHECK-LABEL: gpu.func @short(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 512, 1, 1>
// CHECK: %[[TEAM:.*]] = arith.divui %{{.*}}, %c2
// CHECK-NOT: scf.for
// CHECK: scf.if
// CHECK-NEXT: vector.load {{.*}} : memref<16xbf16>, vector<8xbf16>
// CHECK-NEXT: vector.store {{.*}} : memref<16xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1048576xbf16>, vector<8xbf16>
// CHECK: vector.load {{.*}} : memref<16xbf16, #gpu.address_space<workgroup>>, vector<8xbf16>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<1048576xbf16>, vector<8xbf16>
func.func private @short(%x: tensor<65536x16xbf16>, %b: tensor<16xbf16>)
    -> tensor<65536x16xbf16> attributes {rt.kernel} {
  %w = nn.broadcast %b [1] : tensor<16xbf16> -> tensor<65536x16xbf16>
  %y = nn.sum %x, %w : tensor<65536x16xbf16>
  return %y : tensor<65536x16xbf16>
}

// A sum over rows of few columns: 4 threads take 16 columns, so that there are
// 48 blocks. In a block, 256 such groups (slices) share the rows; a tree
// reduction adds their sums.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME: known_block_size = array<i32: 1024, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 48, 1, 1>, nvvm.minctasm = {{[0-9]+}} : i32, rt.shared = 16384 : i64
// CHECK: %[[SLICE:.*]] = arith.divui %[[THREAD:.*]], %c4
// CHECK: scf.for {{.*}} = %[[SLICE]] to %c1000 step %c256 iter_args
// CHECK: vector.load
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
// CHECK-COUNT-4: memref.store {{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c8 step %c1 {
// CHECK: %[[HALF:.*]] = arith.shrui %c128, %[[STEP]]
// CHECK: %[[IS_MINE:.*]] = arith.cmpi ult, %[[SLICE]], %[[HALF]]
// CHECK: scf.if %[[IS_MINE]] {
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[HALF]], %c4
// CHECK: %[[OTHER:.*]] = arith.addi %[[THREAD]], %[[SKIPPED]]
// CHECK: memref.load %[[SUMS:.*]][%[[THREAD]]]
// CHECK: memref.load %[[SUMS]][%[[OTHER]]]
// CHECK: arith.addf
// CHECK: memref.store {{.*}}, %[[SUMS]][%[[THREAD]]]
// CHECK: gpu.barrier
// CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[SLICE]], %c0
// CHECK: scf.if %[[IS_FIRST]] {
// CHECK-COUNT-4: memref.load
// CHECK: vector.store
func.func private @columns(%x: tensor<1000x768xf32>) -> tensor<768xf32>
    attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<1000x768xf32> -> tensor<768xf32>
  return %y : tensor<768xf32>
}

// With many columns there are enough blocks if each keeps 128 columns: 32
// threads that take 4 each.
// CHECK-LABEL: gpu.func @many_columns(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 128, 1, 1>
func.func private @many_columns(%x: tensor<1000x16384xf32>)
    -> tensor<16384xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<1000x16384xf32> -> tensor<16384xf32>
  return %y : tensor<16384xf32>
}
// There are few threads without a row: 16 slices of 4 threads for 10 rows, and
// for 2 rows one warp.
// CHECK-LABEL: gpu.func @few_rows(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 48, 1, 1>
func.func private @few_rows(%x: tensor<10x768xf32>) -> tensor<768xf32>
    attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<10x768xf32> -> tensor<768xf32>
  return %y : tensor<768xf32>
}
// CHECK-LABEL: gpu.func @two_rows(
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 48, 1, 1>
func.func private @two_rows(%x: tensor<2x768xf32>) -> tensor<768xf32>
    attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<2x768xf32> -> tensor<768xf32>
  return %y : tensor<768xf32>
}
// No smaller block divides 770 columns: each keeps 128.
// CHECK-LABEL: gpu.func @odd_columns(
// CHECK-SAME: known_grid_size = array<i32: 7, 1, 1>
func.func private @odd_columns(%x: tensor<1000x770xf32>) -> tensor<770xf32>
    attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<1000x770xf32> -> tensor<770xf32>
  return %y : tensor<770xf32>
}

// A long row is split into tiles although each block must then recompute the
// sum of a short row. All tiles together sum at most as many columns as the
// long row has. No tiles are made if other blocks overwrite the operand of the
// sum.
// CHECK-LABEL: gpu.func @tiled(
// CHECK-SAME: known_grid_size = array<i32: 1024, 1, 1>
// CHECK-LABEL: gpu.func @fewer(
// CHECK-SAME: known_grid_size = array<i32: 64, 1, 1>
// CHECK-LABEL: gpu.func @whole(
// CHECK-SAME: known_grid_size = array<i32: 1, 1, 1>
func.func private @tiled(%x: tensor<4194304xf32>, %n: tensor<1024xf32>)
    -> (tensor<4194304xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %s = nn.reduce %n [0] : tensor<1024xf32> -> tensor<f32>
  %w = nn.broadcast %s [] : tensor<f32> -> tensor<4194304xf32>
  %y = nn.mul %x, %w : tensor<4194304xf32>
  return %y : tensor<4194304xf32>
}
func.func private @fewer(%x: tensor<4194304xf32>, %n: tensor<65536xf32>)
    -> (tensor<4194304xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %s = nn.reduce %n [0] : tensor<65536xf32> -> tensor<f32>
  %w = nn.broadcast %s [] : tensor<f32> -> tensor<4194304xf32>
  %y = nn.mul %x, %w : tensor<4194304xf32>
  return %y : tensor<4194304xf32>
}
func.func private @whole(%x: tensor<4194304xf32>)
    -> (tensor<4194304xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %s = nn.reduce %x [0] : tensor<4194304xf32> -> tensor<f32>
  %w = nn.broadcast %s [] : tensor<f32> -> tensor<4194304xf32>
  %y = nn.mul %x, %w : tensor<4194304xf32>
  return %y : tensor<4194304xf32>
}

// A thread moves as many columns at a time as the widest elements allow: a
// warp's access to the narrower ones has no gaps either.
// CHECK-LABEL: gpu.func @mixed(
// CHECK: vector.load {{.*}} : memref<1572864xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<1572864xbf16>, vector<4xbf16>
func.func private @mixed(%x: tensor<2048x768xf32>) -> tensor<2048x768xbf16>
    attributes {rt.kernel} {
  %y = nn.cast %x : tensor<2048x768xf32> -> tensor<2048x768xbf16>
  return %y : tensor<2048x768xbf16>
}

// 16 sequences of 512 positions have one table of positions: a block takes the
// 16 rows of one position, each 512 rows after the previous one, and reads the
// table's row once. A row has 192 vectors: of 256 threads some would have none,
// so a row is computed by 64 threads.
// CHECK-LABEL: gpu.func @positions(
// CHECK-SAME: %{{.*}}: memref<6291456xf32> {{.*}}, %[[TABLE:.*]]: memref<393216xf32> {{.*}}, %
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 512, 1, 1>
// CHECK: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: vector.load %[[TABLE]]
// CHECK: gpu.barrier
// CHECK: scf.for %[[ROUND:.*]] = %c0 to %c16 step %c4 {
// CHECK-NOT: %[[TABLE]]
// CHECK: arith.addi %[[ROUND]], %
// CHECK: arith.muli {{.*}}, %c512
// CHECK: gpu.return
func.func private @positions(%x: tensor<16x512x768xf32>,
    %table: tensor<512x768xf32>) -> tensor<16x512x768xf32>
    attributes {rt.kernel} {
  %w = nn.broadcast %table [1, 2]
      : tensor<512x768xf32> -> tensor<16x512x768xf32>
  %y = nn.sum %x, %w : tensor<16x512x768xf32>
  return %y : tensor<16x512x768xf32>
}

// A concatenation of three operands: each column is read from its operand only.
// CHECK-LABEL: gpu.func @parts(
// CHECK-SAME: %[[A:.*]]: memref<1048576xf32> {{.*}}, %[[B:.*]]: memref<1048576xf32> {{.*}}, %
// CHECK-NOT: vector.load
// CHECK: scf.if
// CHECK: vector.load %[[A]]
// CHECK: } else {
// CHECK-NOT: vector.load
// CHECK: scf.if
// CHECK: vector.load %[[B]]
// CHECK: } else {
func.func private @parts(%a: tensor<4096x256xf32>, %b: tensor<4096x256xf32>)
    -> tensor<4096x2x256xf32> attributes {rt.kernel} {
  %x = nn.insert %a dim 1 index 0
      : tensor<4096x256xf32> -> tensor<4096x2x256xf32>
  %y = nn.insert %b dim 1 index 1
      : tensor<4096x256xf32> -> tensor<4096x2x256xf32>
  %z = nn.sum %x, %y : tensor<4096x2x256xf32>
  return %z : tensor<4096x2x256xf32>
}

// The highest logit of a row and the sum of exponentials are computed in one
// pass, which keeps nothing in shared memory. A row takes three rounds of four
// accesses of 8 columns, all of which are classes. The sum is scaled to the
// highest logit so far. Then there is one more access, and the last class.
// Threads combine the highest logits before the sums.
// CHECK-LABEL: gpu.func @loss(
// CHECK-SAME: %[[X:.*]]: memref<206045184xbf16> {{{.*}}}, %{{.*}}: memref<4096xi64>
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>
// CHECK-SAME: rt.shared = 192 : i64
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: scf.for {{.*}} = %c0 to %c49152 step %c16384 iter_args(%[[MAX:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[BEFORE:.*]] = %[[LOWEST]])
// CHECK-COUNT-4: vector.load %[[X]]{{.*}}vector<8xbf16>
// CHECK-NOT: arith.cmpi slt
// CHECK-NOT: vector.load
// CHECK: %[[NOW:.*]] = arith.maxnumf %{{.*}}, %[[LOWEST]] : f32
// CHECK-NEXT: %[[LESS:.*]] = arith.subf %[[BEFORE]], %[[NOW]] : f32
// CHECK-NEXT: %[[POWER:.*]] = arith.mulf %[[LESS]], %[[LOG2E]] : f32
// CHECK-NEXT: %[[FACTOR:.*]] = math.exp2 %[[POWER]] : f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[FACTOR]] : f32
// CHECK-NEXT: %[[OVER:.*]] = arith.subf %{{.*}}, %[[NOW]] : f32
// CHECK-NEXT: %[[OF:.*]] = arith.mulf %[[OVER]], %[[LOG2E]] : f32
// CHECK-NEXT: %[[TERM:.*]] = math.exp2 %[[OF]] : f32
// CHECK-NEXT: arith.addf %[[SCALED]], %[[TERM]]
// CHECK-COUNT-31: math.exp2
// CHECK-NOT: math.exp2
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[NOW]] :
// CHECK: scf.if
// CHECK: vector.load %[[X]]{{.*}}vector<8xbf16>
// CHECK: arith.cmpi slt, %{{.*}}, %c50257_i32
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: math.exp2
// CHECK-NOT: math.exp2
// CHECK: gpu.barrier
// CHECK: math.log
func.func private @loss(%x: tensor<4096x50304xbf16>, %t: tensor<4096xi64>)
    -> (tensor<4096xf32>, tensor<4096xf32>) attributes {rt.kernel} {
  %l, %lse = nn.cross_entropy %x, %t classes 50257
      : tensor<4096x50304xbf16>, tensor<4096xi64> -> tensor<4096xf32>
  return %l, %lse : tensor<4096xf32>, tensor<4096xf32>
}

// If another pass follows, the pass that computes both keeps the row.
// CHECK-LABEL: gpu.func @long_softmax(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<40000xf32> {{{.*}}}, %
// CHECK: vector.load %[[Y]]
// CHECK: vector.store {{.*}} : memref<20000xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.shuffle
// CHECK-NOT: vector.load %[[Y]]
// CHECK: gpu.return
func.func private @long_softmax(%x: tensor<2x20000xf32>) -> tensor<2x20000xf32>
    attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2x20000xf32>
  return %y : tensor<2x20000xf32>
}

// Other exponentials stay as they are: both passes compute the same elements.
// CHECK-LABEL: gpu.func @loss_of_powers(
// CHECK-COUNT-16: math.exp %
// CHECK-COUNT-17: math.exp2 %
// CHECK-COUNT-4: math.exp %
// CHECK-COUNT-5: math.exp2 %
// CHECK-NOT: math.exp
// CHECK: scf.if
// CHECK-COUNT-4: math.exp %
// CHECK-COUNT-5: math.exp2 %
// CHECK-NOT: math.exp
// CHECK: gpu.shuffle
func.func private @loss_of_powers(%x: tensor<4096x20000xf32>,
    %t: tensor<4096xi64>) -> tensor<4096xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4096x20000xf32>
  %l, %lse = nn.cross_entropy %y, %t classes 20000
      : tensor<4096x20000xf32>, tensor<4096xi64> -> tensor<4096xf32>
  return %l : tensor<4096xf32>
}

// One of the columns of an access may be the target's. That is tested for all
// together: if none is, nothing is subtracted. Exponentials use base 2 because
// results computed from them are rounded to bf16.
// CHECK-LABEL: gpu.func @loss_grad(
// CHECK: %[[T:.*]] = arith.trunci {{.*}} : i64 to i32
// CHECK: vector.load {{.*}} vector<8xbf16>
// CHECK-COUNT-8: math.exp2 %
// CHECK-NOT: math.exp
// CHECK: %[[AT:.*]] = arith.subi %[[T]], %{{.*}} : i32
// CHECK: %[[NEAR:.*]] = arith.cmpi ult, %[[AT]], %c8_i32 : i32
// CHECK: scf.if %[[NEAR]] -> (bf16, bf16, bf16, bf16, bf16, bf16, bf16, bf16)
// CHECK: %[[HIT:.*]] = arith.cmpi eq, %[[AT]], %c7_i32 : i32
// CHECK: arith.select %[[HIT]], %{{.*}}, %{{.*}} : f32
// CHECK: } else {
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: }
// CHECK: vector.store {{.*}} vector<8xbf16>
// CHECK: gpu.return
func.func private @loss_grad(%d: tensor<4096xf32>, %x: tensor<4096x2048xbf16>,
    %t: tensor<4096xi64>, %lse: tensor<4096xf32>) -> tensor<4096x2048xbf16>
    attributes {rt.kernel} {
  %dx = nn.cross_entropy_grad %d, %x, %t lse %lse classes 2048
      : tensor<4096xf32>, tensor<4096x2048xbf16>, tensor<4096xi64>
  return %dx : tensor<4096x2048xbf16>
}

// bf16 results are computed with approximate divisions, too; f32 results with
// neither.
// CHECK-LABEL: gpu.func @silu_bf16(
// CHECK-NOT: math.exp %
// CHECK: arith.divf {{.*}} fastmath<afn> : f32
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @silu_f32(
// CHECK-NOT: afn
// CHECK: math.exp %
// CHECK-NOT: afn
// CHECK: arith.divf
// CHECK-NOT: afn
// CHECK: gpu.return
func.func private @silu_bf16(%x: tensor<4096x2048xbf16>)
    -> tensor<4096x2048xbf16> attributes {rt.kernel} {
  %y = nn.silu %x : tensor<4096x2048xbf16>
  return %y : tensor<4096x2048xbf16>
}
func.func private @silu_f32(%x: tensor<4096x2048xf32>)
    -> tensor<4096x2048xf32> attributes {rt.kernel} {
  %y = nn.silu %x : tensor<4096x2048xf32>
  return %y : tensor<4096x2048xf32>
}

// Groups of rows that are summed, too: a block of two warps computes a group,
// its 32 rows one after another. Each thread has the same 8 columns of all
// rows, in two accesses, and their sums in registers. Numbers of one row are
// reduced over the block, which has a barrier before the next row.
// CHECK-LABEL: gpu.func @groups(
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: known_grid_size = array<i32: 256, 1, 1>
// CHECK-SAME: nvvm.minctasm = 8 : i32
// CHECK: %[[SUMS:.*]]:8 = scf.for {{.*}} = %c0 to %c32 step %c1 iter_args(
// CHECK-COUNT-2: vector.load {{.*}} : memref<4194304xf32>, vector<4xf32>
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} : memref<4194304xf32>, vector<4xf32>
// CHECK: vector.store {{.*}} : memref<4194304xf32>, vector<4xf32>
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK: vector.from_elements %[[SUMS]]#0, %[[SUMS]]#1, %[[SUMS]]#2, %[[SUMS]]#3
// CHECK: vector.store {{.*}} : memref<131072xf32>, vector<4xf32>
// CHECK: vector.from_elements %[[SUMS]]#4,
// CHECK: gpu.return
func.func private @groups(%x: tensor<8192x512xf32>)
    -> (tensor<8192x512xf32>, tensor<256x512xf32>) attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<8192x512xf32>
  %g = nn.reshape %y : tensor<8192x512xf32> -> tensor<256x32x512xf32>
  %s = nn.reduce %g [1] : tensor<256x32x512xf32> -> tensor<256x512xf32>
  return %y, %s : tensor<8192x512xf32>, tensor<256x512xf32>
}
