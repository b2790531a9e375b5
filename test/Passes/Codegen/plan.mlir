// Offsets are multiples of 64 bytes. What lives across tasks has a place of its
// own, per slot; temporaries of one task share theirs where their lives do not
// overlap: c takes a's place, which was read for the last time before.
// RUN: pcc-opt %s -rt-plan | FileCheck %s

// CHECK: rt.stage 0 arena 448 {
rt.stage 0 {
  // CHECK-NEXT: rt.buffer @w : memref<4xf32> param at 0
  rt.buffer @w : memref<4xf32> param
  // Two slots of 80 bytes, 128 with what aligns the second one.
  // CHECK-NEXT: rt.buffer @x : memref<20xf32> input at 64 slots 2
  rt.buffer @x : memref<20xf32> input slots 2
  // CHECK-NEXT: rt.buffer @a : memref<4xf32> temporary at 320
  rt.buffer @a : memref<4xf32> temporary
  // CHECK-NEXT: rt.buffer @b : memref<4xf32> temporary at 384
  rt.buffer @b : memref<4xf32> temporary
  // CHECK-NEXT: rt.buffer @c : memref<4xf32> temporary at 320
  rt.buffer @c : memref<4xf32> temporary
  rt.func @task(%x: memref<20xf32>) {
    %w = rt.address @w : memref<4xf32>
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    %c = rt.address @c : memref<4xf32>
    rt.copy %w to %a : memref<4xf32> to memref<4xf32>
    rt.copy %a to %b : memref<4xf32> to memref<4xf32>
    rt.copy %b to %c : memref<4xf32> to memref<4xf32>
    rt.copy %c to %w : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<20xf32>
    rt.call @task(%x) : memref<20xf32>
  }
}
