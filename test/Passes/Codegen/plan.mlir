// Offsets are multiples of 64 bytes. What lives across tasks has a place of its
// own, per slot; temporaries of one task share theirs where their lives do not
// overlap: c takes a's place, which was read for the last time before.
// RUN: pcc-opt %s -split-input-file -rt-plan | FileCheck %s

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

// -----

// The largest comes first, and each goes into the tightest gap that holds it. In
// the second step @a's 320 bytes and @c's 192 are free: @e, @f and @g fill the
// latter, @h begins the former.
// CHECK: rt.stage 0 arena 896 {
// CHECK-NEXT: rt.buffer @a : memref<320xi8> temporary at 0
// CHECK-NEXT: rt.buffer @b : memref<256xi8> temporary at 320
// CHECK-NEXT: rt.buffer @c : memref<192xi8> temporary at 576
// CHECK-NEXT: rt.buffer @d : memref<128xi8> temporary at 768
// CHECK-NEXT: rt.buffer @e : memref<64xi8> temporary at 576
// CHECK-NEXT: rt.buffer @f : memref<64xi8> temporary at 640
// CHECK-NEXT: rt.buffer @g : memref<64xi8> temporary at 704
// CHECK-NEXT: rt.buffer @h : memref<64xi8> temporary at 0
rt.stage 0 {
  rt.buffer @a : memref<320xi8> temporary
  rt.buffer @b : memref<256xi8> temporary
  rt.buffer @c : memref<192xi8> temporary
  rt.buffer @d : memref<128xi8> temporary
  rt.buffer @e : memref<64xi8> temporary
  rt.buffer @f : memref<64xi8> temporary
  rt.buffer @g : memref<64xi8> temporary
  rt.buffer @h : memref<64xi8> temporary
  rt.func @task() {
    %a = rt.address @a : memref<320xi8>
    %b = rt.address @b : memref<256xi8>
    %c = rt.address @c : memref<192xi8>
    %d = rt.address @d : memref<128xi8>
    %e = rt.address @e : memref<64xi8>
    %f = rt.address @f : memref<64xi8>
    %g = rt.address @g : memref<64xi8>
    %h = rt.address @h : memref<64xi8>
    rt.launch @k ins(%b, %c, %d : memref<256xi8>, memref<192xi8>, memref<128xi8>) outs(%a : memref<320xi8>)
    rt.launch @k ins(%d, %e, %f, %g, %h : memref<128xi8>, memref<64xi8>, memref<64xi8>, memref<64xi8>, memref<64xi8>) outs(%b : memref<256xi8>)
  }
}

// -----

// Of the same size the one that is touched first comes first. Lives that end
// where others begin are alive together.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @a : memref<64xi8> temporary at 0
// CHECK-NEXT: rt.buffer @b : memref<64xi8> temporary at 64
// CHECK-NEXT: rt.buffer @c : memref<64xi8> temporary at 128
// CHECK-NEXT: rt.buffer @d : memref<128xi8> temporary at 0
rt.stage 0 {
  rt.buffer @a : memref<64xi8> temporary
  rt.buffer @b : memref<64xi8> temporary
  rt.buffer @c : memref<64xi8> temporary
  rt.buffer @d : memref<128xi8> temporary
  rt.func @task() {
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %c = rt.address @c : memref<64xi8>
    %d = rt.address @d : memref<128xi8>
    rt.launch @k ins(%a : memref<64xi8>) outs(%b : memref<64xi8>)
    rt.launch @k ins(%b : memref<64xi8>) outs(%a : memref<64xi8>)
    rt.zero %c : memref<64xi8>
    rt.launch @k ins(%c : memref<64xi8>) outs(%d : memref<128xi8>)
  }
}

// -----

// What nothing touches has no place.
// CHECK: rt.stage 0 arena 64 {
// CHECK-NEXT: rt.buffer @a : memref<64xi8> temporary{{$}}
// CHECK-NEXT: rt.buffer @b : memref<64xi8> temporary at 0
rt.stage 0 {
  rt.buffer @a : memref<64xi8> temporary
  rt.buffer @b : memref<64xi8> temporary
  rt.func @task() {
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    rt.zero %b : memref<64xi8>
  }
}

// -----

// Those of different tasks share theirs always; a view is its buffer.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> temporary at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> temporary at 128
// CHECK-NEXT: rt.buffer @c : memref<128xi8> temporary at 64
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> temporary
  rt.buffer @b : memref<64xi8> temporary
  rt.buffer @c : memref<128xi8> temporary
  rt.func @one() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %v = rt.view %a offset 32 : memref<64xi8> to memref<32xi8>
    rt.zero %a : memref<64xi8>
    rt.zero %b : memref<64xi8>
    rt.zero %v : memref<32xi8>
  }
  rt.func @two() {
    %c = rt.address @c : memref<128xi8>
    rt.zero %c : memref<128xi8>
  }
}
