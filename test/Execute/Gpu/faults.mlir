// Faults in device code that the emulator detects. Each kernel copies 64
// numbers, by two warps.
// DEFINE: %{kernel} =
// DEFINE: %{run} = not --crash pcc-kernels %s --kernel=%{kernel} 2>&1 \
// DEFINE:   | FileCheck %s --check-prefix=%{kernel}

// RUN: pcc-kernels %s --kernel=right | FileCheck %s --check-prefix=RIGHT
// RIGHT: right: 2 blocks of 64, shared 256, reads 1.00, writes 1.00
// RIGHT: 1 kernels, 0 wrong

module {
gpu.module @kernels {

// Threads write what they have read to shared memory; other threads read it.
gpu.func @right(%x: memref<128xf32> {llvm.readonly}, %y: memref<128xf32>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 2, 1, 1>, rt.shared = 256 : i64} {
  %all = gpu.dynamic_shared_memory
      : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %row = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<64xf32, #gpu.address_space<workgroup>>
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c64 : index
  %from = arith.addi %first, %thread : index
  %mirrored = arith.subi %c63, %thread : index
  %to = arith.addi %first, %mirrored : index
  %v = memref.load %x[%from] : memref<128xf32>
  memref.store %v, %row[%thread]
      : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %w = memref.load %row[%mirrored]
      : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%to] : memref<128xf32>
  gpu.return
}

// REDEFINE: %{kernel} = no_barrier
// RUN: %{run}
// no_barrier: emulator: kernel 'no_barrier', block {{[01]}}, thread {{[0-9]+}}: reads byte {{[0-9]+}} of shared memory, which no thread has written
gpu.func @no_barrier(%x: memref<128xf32> {llvm.readonly}, %y: memref<128xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 2, 1, 1>, rt.shared = 256 : i64} {
  %all = gpu.dynamic_shared_memory
      : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %row = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<64xf32, #gpu.address_space<workgroup>>
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c64 : index
  %from = arith.addi %first, %thread : index
  %mirrored = arith.subi %c63, %thread : index
  %to = arith.addi %first, %mirrored : index
  %v = memref.load %x[%from] : memref<128xf32>
  memref.store %v, %row[%thread]
      : memref<64xf32, #gpu.address_space<workgroup>>
  %w = memref.load %row[%mirrored]
      : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%to] : memref<128xf32>
  gpu.return
}

// Shared memory is overwritten while others may still read it.
// REDEFINE: %{kernel} = too_early
// RUN: %{run}
// too_early: emulator: kernel 'too_early', block {{[01]}}, thread {{[0-9]+}}: {{reads|writes}} element {{[0-9]+}} of shared memory, which another thread {{touches|writes}} at the same time
gpu.func @too_early(%x: memref<128xf32> {llvm.readonly}, %y: memref<128xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 2, 1, 1>, rt.shared = 256 : i64} {
  %all = gpu.dynamic_shared_memory
      : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %row = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<64xf32, #gpu.address_space<workgroup>>
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %first = arith.muli %block, %c64 : index
  %from = arith.addi %first, %thread : index
  %mirrored = arith.subi %c63, %thread : index
  %to = arith.addi %first, %mirrored : index
  %v = memref.load %x[%from] : memref<128xf32>
  memref.store %v, %row[%thread]
      : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %w = memref.load %row[%mirrored]
      : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %row[%thread]
      : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%to] : memref<128xf32>
  gpu.return
}

// REDEFINE: %{kernel} = branch
// RUN: %{run}
// branch: emulator: kernel 'branch', block 0, thread {{[0-9]+}}: waits at a barrier, thread {{[0-9]+}} has ended
gpu.func @branch(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %c40 = arith.constant 40 : index
  %is = arith.cmpi ult, %thread, %c40 : index
  scf.if %is {
    gpu.barrier
  }
  %v = memref.load %x[%thread] : memref<64xf32>
  memref.store %v, %y[%thread] : memref<64xf32>
  gpu.return
}

// REDEFINE: %{kernel} = two_barriers
// RUN: %{run}
// two_barriers: emulator: kernel 'two_barriers', block 0, thread {{[0-9]+}}: waits at barrier {{[0-9]+}}, thread 0 at barrier {{[0-9]+}}
gpu.func @two_barriers(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %c32 = arith.constant 32 : index
  %is = arith.cmpi ult, %thread, %c32 : index
  %v = memref.load %x[%thread] : memref<64xf32>
  scf.if %is {
    gpu.barrier
    memref.store %v, %y[%thread] : memref<64xf32>
  } else {
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%thread] : memref<64xf32>
    gpu.barrier
  }
  gpu.return
}

// REDEFINE: %{kernel} = few_lanes
// RUN: %{run}
// few_lanes: emulator: kernel 'few_lanes', block 0, thread {{[0-9]+}}: waits at a shuffle, lane {{[0-9]+}} of the mask ffffffff has ended elsewhere
gpu.func @few_lanes(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %is = arith.cmpi ult, %thread, %c40 : index
  scf.if %is {
    %v = memref.load %x[%thread] : memref<64xf32>
    %w, %valid = gpu.shuffle xor %v, %c1, %c32 : f32
    memref.store %w, %y[%thread] : memref<64xf32>
  }
  gpu.return
}

// REDEFINE: %{kernel} = unaligned
// RUN: %{run}
// unaligned: emulator: kernel 'unaligned', block 0, thread {{[0-9]+}}: reads 16 bytes at an address that is no multiple of 16
gpu.func @unaligned(%x: memref<257xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %columns = arith.muli %thread, %c4 : index
  %at = arith.addi %columns, %c1 : index
  %v = vector.load %x[%at] {alignment = 16 : i64}
      : memref<257xf32>, vector<4xf32>
  %w = vector.reduction <add>, %v : vector<4xf32> into f32
  memref.store %w, %y[%thread] : memref<64xf32>
  gpu.return
}

// REDEFINE: %{kernel} = outside
// RUN: %{run}
// outside: emulator: kernel 'outside', block 0, thread 63: reads 4 bytes outside of the kernel's buffers
gpu.func @outside(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %at = arith.addi %thread, %c1 : index
  %v = memref.load %x[%at] : memref<64xf32>
  memref.store %v, %y[%thread] : memref<64xf32>
  gpu.return
}

// REDEFINE: %{kernel} = outside_shared
// RUN: %{run}
// outside_shared: emulator: kernel 'outside_shared', block 0, thread {{[0-9]+}}: writes 4 bytes at {{[0-9]+}} of its 128 bytes of shared memory
gpu.func @outside_shared(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 128 : i64} {
  %all = gpu.dynamic_shared_memory
      : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %row = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<64xf32, #gpu.address_space<workgroup>>
  %c63 = arith.constant 63 : index
  %thread = gpu.thread_id x
  %mirrored = arith.subi %c63, %thread : index
  %v = memref.load %x[%thread] : memref<64xf32>
  memref.store %v, %row[%thread]
      : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %w = memref.load %row[%mirrored]
      : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%mirrored] : memref<64xf32>
  gpu.return
}

// REDEFINE: %{kernel} = overwrites
// RUN: %{run}
// overwrites: emulator: kernel 'overwrites', block 0, thread {{[0-9]+}}: writes to buffer 0, which the kernel only reads
gpu.func @overwrites(%x: memref<64xf32> {llvm.readonly}, %y: memref<64xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 1, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %v = memref.load %y[%thread] : memref<64xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %y[%thread] : memref<64xf32>
  memref.store %v, %x[%thread] : memref<64xf32>
  gpu.return
}

// Two blocks write the same elements.
// REDEFINE: %{kernel} = blocks
// RUN: %{run}
// blocks: emulator: kernel 'blocks', block {{[01]}}, thread {{[0-9]+}}: writes element {{[0-9]+}} of buffer 1, which another thread touches at the same time
gpu.func @blocks(%x: memref<128xf32> {llvm.readonly}, %y: memref<128xf32>)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>,
                known_grid_size = array<i32: 2, 1, 1>, rt.shared = 0 : i64} {
  %thread = gpu.thread_id x
  %v = memref.load %x[%thread] : memref<128xf32>
  memref.store %v, %y[%thread] : memref<128xf32>
  gpu.return
}

}
}
