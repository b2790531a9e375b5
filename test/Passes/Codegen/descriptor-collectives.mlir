// The collectives of a stage, each size once, which the runtime issues before
// the first step, and the maximum number of channels of each communicator: one
// where collectives have few elements.
// RUN: pcc %s --emit obj -o %t.o -q
// RUN: %cc -I %root %S/Inputs/print-program.c %t.o -o %t \
// RUN:   -Wl,--defsym=pcc_all_reduce=0,--defsym=pcc_all_gather=0 \
// RUN:   -Wl,--defsym=pcc_reduce_scatter=0,--defsym=pcc_zero=0
// RUN: %t | FileCheck %s
// CHECK: comm dp channels 32
// CHECK-NEXT: comm dp tp channels 1
// CHECK-NEXT: comm tp channels 32
// CHECK: stage 0
// CHECK-NEXT: all_gather comm 0 dtype 0 reduction 0 count 5000
// CHECK-NEXT: reduce_scatter comm 0 dtype 0 reduction 0 count 5000
// CHECK-NEXT: all_reduce comm 1 dtype 0 reduction 0 count 1
// CHECK-NEXT: all_reduce comm 1 dtype 0 reduction 1 count 1
// CHECK-NEXT: all_reduce comm 2 dtype 0 reduction 0 count 5000
// CHECK-NEXT: all_reduce comm 2 dtype 0 reduction 0 count 10000

module attributes {pcc.phase = "rt"} {
rt.program axes <["dp"=2 data, "tp"=4]>
    comms [["dp"], ["dp", "tp"], ["tp"]] microbatches 1
rt.stage 0 arena 65536 {
  rt.buffer @scalar : memref<f32> sum at 0
  rt.buffer @half : memref<5000xf32> value at 64
  rt.buffer @whole : memref<10000xf32> value at 20096
  rt.func @train() {
    %scalar = rt.address @scalar : memref<f32>
    %half = rt.address @half : memref<5000xf32>
    %whole = rt.address @whole : memref<10000xf32>
    rt.zero %scalar : memref<f32>
    rt.zero %half : memref<5000xf32>
    rt.zero %whole : memref<10000xf32>
    rt.all_reduce max %scalar over ["dp", "tp"] : memref<f32>
    rt.all_reduce sum %scalar over ["dp", "tp"] : memref<f32>
    rt.all_reduce sum %whole over ["tp"] : memref<10000xf32>
    rt.all_reduce sum %half over ["tp"] : memref<5000xf32>
    rt.all_reduce sum %half over ["tp"] : memref<5000xf32>
    rt.all_gather %half to %whole over ["dp"] : memref<5000xf32> to memref<10000xf32>
    rt.reduce_scatter %whole to %half over ["dp"] : memref<10000xf32> to memref<5000xf32>
  }
}
}
