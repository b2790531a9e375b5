// The bytes that kernels read and write in the emulator, against the minimum:
// each kernel is device code with a fault. They copy 2 MiB, or 6 MiB.
// DEFINE: %{kernel} =
// DEFINE: %{run} = not pcc-kernels %s --traffic --kernel=%{kernel} \
// DEFINE:   | FileCheck %s --check-prefix=%{kernel}

// RUN: pcc-kernels %s --traffic --kernel=right | FileCheck %s --check-prefix=RIGHT
// RIGHT: 2048 plain 1.00 1.00 1.00 1.10 1024 256 0 right{{$}}
// RIGHT: 1 kernels, 1 of more than 1 MiB, 0 beyond bounds

module {
gpu.module @kernels {

gpu.func @right(%x: memref<262144xf32> {llvm.readonly},
                %y: memref<262144xf32>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>,
                known_grid_size = array<i32: 1024, 1, 1>, rt.shared = 0 : i64} {
  %c256 = arith.constant 256 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c256 : index
  %at = arith.addi %first, %thread : index
  %v = memref.load %x[%at] : memref<262144xf32>
  memref.store %v, %y[%at] : memref<262144xf32>
  gpu.return
}

// A second access loads the same numbers, after a barrier that prevents
// merging.
// REDEFINE: %{kernel} = twice
// RUN: %{run}
// twice: 2048 plain 2.00 1.00 1.50 1.10 1024 256 0 twice: moves more than 1.1 times the least
// twice: 1 kernels, 1 of more than 1 MiB, 1 beyond bounds
gpu.func @twice(%x: memref<262144xf32> {llvm.readonly},
                %y: memref<262144xf32>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>,
                known_grid_size = array<i32: 1024, 1, 1>, rt.shared = 0 : i64} {
  %c256 = arith.constant 256 : index
  %c255 = arith.constant 255 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c256 : index
  %at = arith.addi %first, %thread : index
  %v = memref.load %x[%at] : memref<262144xf32>
  %mirrored = arith.subi %c255, %thread : index
  %other = arith.addi %first, %mirrored : index
  %w = memref.load %x[%other] : memref<262144xf32>
  %sum = arith.addf %v, %w : f32
  memref.store %sum, %y[%at] : memref<262144xf32>
  gpu.return
}

// Each lane accesses two adjacent elements, one after the other: each access of
// a warp touches all sectors of both.
// REDEFINE: %{kernel} = gaps
// RUN: %{run}
// gaps: 2048 plain 2.00 2.00 2.00 1.10 512 256 0 gaps: moves more than 1.1 times the least
gpu.func @gaps(%x: memref<262144xf32> {llvm.readonly},
               %y: memref<262144xf32>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>,
                known_grid_size = array<i32: 512, 1, 1>, rt.shared = 0 : i64} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %before = arith.muli %block, %c256 : index
  %number = arith.addi %before, %thread : index
  %at = arith.muli %number, %c2 : index
  %next = arith.addi %at, %c1 : index
  %v = memref.load %x[%at] : memref<262144xf32>
  memref.store %v, %y[%at] : memref<262144xf32>
  gpu.barrier
  %w = memref.load %x[%next] : memref<262144xf32>
  memref.store %w, %y[%next] : memref<262144xf32>
  gpu.return
}

// Four adjacent elements at once, without a known alignment: a GPU reads them
// one by one.
// REDEFINE: %{kernel} = unknown_alignment
// RUN: %{run}
// unknown_alignment: 2048 plain 4.00 1.00 2.50 1.10 256 256 0 unknown_alignment: moves more than 1.1 times the least
gpu.func @unknown_alignment(%x: memref<262144xf32> {llvm.readonly},
                            %y: memref<262144xf32>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>,
                known_grid_size = array<i32: 256, 1, 1>, rt.shared = 0 : i64} {
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %before = arith.muli %block, %c256 : index
  %number = arith.addi %before, %thread : index
  %at = arith.muli %number, %c4 : index
  %v = vector.load %x[%at] : memref<262144xf32>, vector<4xf32>
  vector.store %v, %y[%at] {alignment = 16 : i64}
      : memref<262144xf32>, vector<4xf32>
  gpu.return
}

// Most of a large device would be idle.
// REDEFINE: %{kernel} = few_blocks
// RUN: %{run}
// few_blocks: 6144 plain 1.00 1.00 1.00 1.10 192 256 0 few_blocks: has too few blocks
gpu.func @few_blocks(%x: memref<786432xf32> {llvm.readonly},
                     %y: memref<786432xf32>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>,
                known_grid_size = array<i32: 192, 1, 1>, rt.shared = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c4096 : index
  %mine = arith.addi %first, %thread : index
  scf.for %step = %c0 to %c4096 step %c256 {
    %at = arith.addi %mine, %step : index
    %v = memref.load %x[%at] : memref<786432xf32>
    memref.store %v, %y[%at] : memref<786432xf32>
  }
  gpu.return
}
}
}
