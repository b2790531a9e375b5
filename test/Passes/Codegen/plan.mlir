// Offsets are multiples of 64 bytes. Buffers that outlive a step have separate
// offsets. Inputs, values, outputs and scratch buffers share bytes if their
// live ranges do not overlap, and so do the temporaries of a function within
// its scratch buffer. --rt-verify accepts every plan, and planning again gives
// the same offsets.
// RUN: pcc-opt %s -split-input-file -rt-plan | FileCheck %s
// RUN: pcc-opt %s -split-input-file -rt-plan -rt-plan -rt-verify | FileCheck %s

// c reuses a's bytes, which are dead. The scratch buffer uses the bytes of x,
// which nothing reads.
// CHECK: rt.stage 0 arena 320 {
rt.stage 0 {
  // CHECK-NEXT: rt.buffer @w : memref<4xf32> param at 0
  rt.buffer @w : memref<4xf32> param
  // Two slots of 80 bytes, 128 with the alignment of the second one.
  // CHECK-NEXT: rt.buffer @x : memref<20xf32> input at 64 slots 2
  rt.buffer @x : memref<20xf32> input slots 2
  // CHECK-NEXT: rt.buffer @frame.task : memref<128xi8> frame at 64
  // CHECK-NEXT: rt.func @task(%arg0: memref<20xf32>, %arg1: memref<4xf32>) frame 128 {
  rt.func @task(%x: memref<20xf32>, %w: memref<4xf32>) {
    // CHECK-NEXT: rt.temporary at 0 : memref<4xf32>
    %a = rt.temporary : memref<4xf32>
    // CHECK-NEXT: rt.temporary at 64 : memref<4xf32>
    %b = rt.temporary : memref<4xf32>
    // CHECK-NEXT: rt.temporary at 0 : memref<4xf32>
    %c = rt.temporary : memref<4xf32>
    rt.copy %w to %a : memref<4xf32> to memref<4xf32>
    rt.copy %a to %b : memref<4xf32> to memref<4xf32>
    rt.copy %b to %c : memref<4xf32> to memref<4xf32>
    rt.copy %c to %w : memref<4xf32> to memref<4xf32>
  }
  // CHECK: rt.func @train() {
  rt.func @train() {
    %x = rt.address @x : memref<20xf32>
    %w = rt.address @w : memref<4xf32>
    // CHECK: rt.call @task(%{{.*}}, %{{.*}}) frame @frame.task : memref<20xf32>, memref<4xf32>
    rt.call @task(%x, %w) : memref<20xf32>, memref<4xf32>
  }
}

// -----

// The largest is placed first, and each goes into the tightest gap that fits.
// In the second step a's 320 bytes and c's 192 are free: e, f and g fill the
// latter, h starts in the former.
// CHECK: rt.stage 0 arena 0 {
// CHECK-NEXT: rt.func @task() frame 896 {
// CHECK-NEXT: rt.temporary at 0 : memref<320xi8>
// CHECK-NEXT: rt.temporary at 320 : memref<256xi8>
// CHECK-NEXT: rt.temporary at 576 : memref<192xi8>
// CHECK-NEXT: rt.temporary at 768 : memref<128xi8>
// CHECK-NEXT: rt.temporary at 576 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 640 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 704 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 0 : memref<64xi8>
rt.stage 0 {
  rt.func @task() {
    %a = rt.temporary : memref<320xi8>
    %b = rt.temporary : memref<256xi8>
    %c = rt.temporary : memref<192xi8>
    %d = rt.temporary : memref<128xi8>
    %e = rt.temporary : memref<64xi8>
    %f = rt.temporary : memref<64xi8>
    %g = rt.temporary : memref<64xi8>
    %h = rt.temporary : memref<64xi8>
    rt.launch @k ins(%b, %c, %d : memref<256xi8>, memref<192xi8>, memref<128xi8>) outs(%a : memref<320xi8>)
    rt.launch @k ins(%d, %e, %f, %g, %h : memref<128xi8>, memref<64xi8>, memref<64xi8>, memref<64xi8>, memref<64xi8>) outs(%b : memref<256xi8>)
  }
}

// -----

// Of equal sizes the one that is accessed first is placed first. A live range
// that ends where another starts overlaps it.
// CHECK: rt.func @task() frame 192 {
// CHECK-NEXT: rt.temporary at 128 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 64 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 0 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 0 : memref<128xi8>
rt.stage 0 {
  rt.func @task() {
    %c = rt.temporary : memref<64xi8>
    %b = rt.temporary : memref<64xi8>
    %a = rt.temporary : memref<64xi8>
    %d = rt.temporary : memref<128xi8>
    rt.launch @k ins(%a : memref<64xi8>) outs(%b : memref<64xi8>)
    rt.launch @k ins(%b : memref<64xi8>) outs(%a : memref<64xi8>)
    rt.zero %c : memref<64xi8>
    rt.launch @k ins(%c : memref<64xi8>) outs(%d : memref<128xi8>)
  }
}

// -----

// An unused temporary has any offset in the scratch buffer.
// CHECK: rt.func @task() frame 128 {
// CHECK-NEXT: rt.temporary at 0 : memref<128xi8>
// CHECK-NEXT: rt.temporary at 0 : memref<64xi8>
rt.stage 0 {
  rt.func @task() {
    %a = rt.temporary : memref<128xi8>
    %b = rt.temporary : memref<64xi8>
    rt.zero %b : memref<64xi8>
  }
}

// -----

// A view is its temporary, and so is a view of it.
// CHECK: rt.func @task() frame 192 {
// CHECK-NEXT: rt.temporary at 0 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 64 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 128 : memref<64xi8>
rt.stage 0 {
  rt.func @task() {
    %a = rt.temporary : memref<64xi8>
    %b = rt.temporary : memref<64xi8>
    %c = rt.temporary : memref<64xi8>
    %v = rt.view %a offset 32 : memref<64xi8> to memref<32xi8>
    %w = rt.view %b : memref<64xi8> to memref<32xi8>
    %u = rt.view %w offset 16 : memref<32xi8> to memref<16xi8>
    rt.zero %a : memref<64xi8>
    rt.zero %b : memref<64xi8>
    rt.zero %v : memref<32xi8>
    rt.zero %u : memref<16xi8>
    rt.zero %c : memref<64xi8>
    rt.zero %v : memref<32xi8>
    rt.zero %u : memref<16xi8>
  }
}

// -----

// A temporary that is overwritten keeps its bytes in between: within a function
// a live range has no holes.
// CHECK: rt.func @task(%arg0: memref<64xi8>) frame 128 {
// CHECK-NEXT: rt.temporary at 0 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 64 : memref<64xi8>
rt.stage 0 {
  rt.func @task(%w: memref<64xi8>) {
    %a = rt.temporary : memref<64xi8>
    %b = rt.temporary : memref<64xi8>
    rt.zero %a : memref<64xi8>
    rt.zero %b : memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.zero %a : memref<64xi8>
  }
}

// -----

// Scratch buffers of different functions share bytes, because no two run at
// once; a function has one for all calls. Between the calls a value of neither
// function may use these bytes, but no value that is live at the calls. Calls
// of a function without temporaries get no scratch buffer, even if they had
// one.
// CHECK: rt.stage 0 arena 384 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @across : memref<64xi8> value at 320
// CHECK-NEXT: rt.buffer @between : memref<256xi8> value at 64
// CHECK-NEXT: rt.buffer @frame.small : memref<64xi8> frame at 64
// CHECK-NEXT: rt.func @small() frame 64 {
// CHECK-NEXT: rt.temporary at 0
// CHECK: rt.buffer @frame.large : memref<192xi8> frame at 64
// CHECK-NEXT: rt.func @large() frame 192 {
// CHECK-NEXT: rt.temporary at 0
// CHECK: rt.func @none(%arg0: memref<64xi8>) {
// CHECK: rt.func @train() {
// CHECK: rt.call @small() frame @frame.small{{$}}
// CHECK: rt.call @large() frame @frame.large{{$}}
// CHECK-NEXT: rt.call @none(%{{.*}}) : memref<64xi8>
// CHECK: rt.call @small() frame @frame.small{{$}}
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @across : memref<64xi8> value
  rt.buffer @between : memref<256xi8> value
  rt.func @small() {
    %t = rt.temporary : memref<1xi8>
    rt.zero %t : memref<1xi8>
  }
  rt.func @large() {
    %t = rt.temporary : memref<129xi8>
    rt.zero %t : memref<129xi8>
  }
  rt.buffer @frame.none : memref<64xi8> frame
  rt.func @none(%a: memref<64xi8>) frame 64 {
    rt.zero %a : memref<64xi8>
  }
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %across = rt.address @across : memref<64xi8>
    %between = rt.address @between : memref<256xi8>
    rt.copy %w to %across : memref<64xi8> to memref<64xi8>
    rt.call @small()
    rt.zero %between : memref<256xi8>
    rt.zero %between : memref<256xi8>
    rt.call @large()
    rt.call @none(%w) frame @frame.none : memref<64xi8>
    rt.call @small()
    rt.copy %across to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// An existing scratch buffer gets the size that its function needs.
// CHECK: rt.stage 0 arena 128 {
// CHECK-NEXT: rt.buffer @frame.task : memref<128xi8> frame at 0
// CHECK-NEXT: rt.func @task() frame 128 {
rt.stage 0 {
  rt.buffer @frame.task : memref<512xi8> frame at 64
  rt.func @task() frame 512 {
    %t = rt.temporary at 384 : memref<128xi8>
    rt.zero %t : memref<128xi8>
  }
  rt.func @train() {
    rt.call @task() frame @frame.task
  }
}

// -----

// Buffers that persist between steps are ordered by kind; those of one kind are
// contiguous.
// CHECK: rt.stage 0 arena 384 {
// CHECK-NEXT: rt.buffer @s : memref<64xi8> sum at 320
// CHECK-NEXT: rt.buffer @m : memref<64xi8> state at 192
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0 slots 2
// CHECK-NEXT: rt.buffer @n : memref<64xi8> state at 256
// CHECK-NEXT: rt.buffer @v : memref<64xi8> param at 128
rt.stage 0 {
  rt.buffer @s : memref<64xi8> sum
  rt.buffer @m : memref<64xi8> state
  rt.buffer @w : memref<64xi8> param slots 2
  rt.buffer @n : memref<64xi8> state
  rt.buffer @v : memref<64xi8> param
}

// -----

// A gradient is dead at the start of a step: @g has the bytes of @a, which are
// free when @g is initialized. A bucket is initialized with its first member:
// @early is live when @h is, so the bucket cannot use its bytes.
// CHECK: rt.stage 0 arena 320 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at [[A:[0-9]+]]
// CHECK-NEXT: rt.buffer @g : memref<64xi8> gradient at [[A]]
// CHECK-NEXT: rt.buffer @early : memref<64xi8> value at [[EARLY:[0-9]+]]
// CHECK-NEXT: rt.buffer @h : memref<64xi8> gradient in @row element 0 at [[ROW:[0-9]+]]
// CHECK-NEXT: rt.buffer @i : memref<64xi8> gradient in @row element 64 at {{[0-9]+}}
// CHECK-NEXT: rt.buffer @row : memref<1x128xi8> bucket at [[ROW]]
// CHECK-NEXT: rt.buffer @b : memref<128xi8> value at [[ROW]]
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @g : memref<64xi8> gradient
  rt.buffer @early : memref<64xi8> value
  rt.buffer @h : memref<64xi8> gradient in @row element 0
  rt.buffer @i : memref<64xi8> gradient in @row element 64
  rt.buffer @row : memref<1x128xi8> bucket
  rt.buffer @b : memref<128xi8> value
  rt.func @use(%b: memref<128xi8>, %w: memref<64xi8>) {
    %v = rt.view %b : memref<128xi8> to memref<64xi8>
    rt.copy %v to %w : memref<64xi8> to memref<64xi8>
  }
  rt.func @sum(%row: memref<1x128xi8>, %w: memref<64xi8>) attributes {gives_up = array<i64: 0>} {
    %v = rt.view %row : memref<1x128xi8> to memref<64xi8>
    rt.copy %v to %w : memref<64xi8> to memref<64xi8>
  }
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %g = rt.address @g : memref<64xi8>
    %early = rt.address @early : memref<64xi8>
    %h = rt.address @h : memref<64xi8>
    %i = rt.address @i : memref<64xi8>
    %row = rt.address @row : memref<1x128xi8>
    %b = rt.address @b : memref<128xi8>
    rt.zero %b : memref<128xi8>
    rt.call @use(%b, %w) : memref<128xi8>, memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %w to %early : memref<64xi8> to memref<64xi8>
    rt.copy %a to %h : memref<64xi8> to memref<64xi8>
    rt.copy %early to %g : memref<64xi8> to memref<64xi8>
    rt.copy %early to %i : memref<64xi8> to memref<64xi8>
    // The gradient that the sum kills is reinitialized: until then the bucket's
    // bytes are free.
    rt.call @sum(%row, %w) : memref<1x128xi8>, memref<64xi8>
    rt.zero %b : memref<128xi8>
    rt.call @use(%b, %w) : memref<128xi8>, memref<64xi8>
    rt.copy %w to %h : memref<64xi8> to memref<64xi8>
    rt.copy %w to %i : memref<64xi8> to memref<64xi8>
    rt.call @sum(%row, %w) : memref<1x128xi8>, memref<64xi8>
    rt.copy %g to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// Values: @b starts after the last read of @a; @c overlaps both. Nothing
// accesses @d: it has any offset.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @c : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @d : memref<64xi8> value at 64
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.buffer @c : memref<64xi8> value
  rt.buffer @d : memref<64xi8> value
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %c = rt.address @c : memref<64xi8>
    %d = rt.address @d : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %a to %c : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.copy %c to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// A value that an op overwrites as a whole is dead before: @b is between @a's
// two live ranges,
// CHECK: rt.stage 0 arena 128 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 64
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %a to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %a to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// but not if only a view of it is written: the rest must stay,
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 128
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %half = rt.view %a offset 32 : memref<64xi8> to memref<32xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.zero %half : memref<32xi8>
    rt.copy %a to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// nor where an op reads it, too.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<4x4xf32> param at 0
// CHECK-NEXT: rt.buffer @a : memref<4x4xf32> value at 64
// CHECK-NEXT: rt.buffer @b : memref<4x4xf32> value at 128
rt.stage 0 {
  rt.buffer @w : memref<4x4xf32> param
  rt.buffer @a : memref<4x4xf32> value
  rt.buffer @b : memref<4x4xf32> value
  rt.func @train() {
    %w = rt.address @w : memref<4x4xf32>
    %a = rt.address @a : memref<4x4xf32>
    %b = rt.address @b : memref<4x4xf32>
    rt.copy %w to %a : memref<4x4xf32> to memref<4x4xf32>
    rt.copy %w to %b : memref<4x4xf32> to memref<4x4xf32>
    rt.copy %b to %w : memref<4x4xf32> to memref<4x4xf32>
    rt.gemm %w, %w, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1.0 : f32>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

// Each slot of a buffer has separate live ranges: @b has the bytes of the
// second slot, which is written later.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64 slots 2
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 128
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value slots 2
  rt.buffer @b : memref<64xi8> value
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %a1 = rt.address @a slot 1 : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %a1 : memref<64xi8> to memref<64xi8>
    rt.copy %a to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// Buffers that a call has read are free for its later writes, and so are parts
// of its scratch buffer that it does not use at the time: @a overlaps the
// second temporary, which is written after @a is read, @b the first one.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @frame.task : memref<128xi8> frame at 64
// CHECK: rt.temporary at 0 : memref<64xi8>
// CHECK-NEXT: rt.temporary at 64 : memref<64xi8>
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.func @task(%a: memref<64xi8>, %b: memref<64xi8>) {
    %t = rt.temporary : memref<64xi8>
    %u = rt.temporary : memref<64xi8>
    rt.copy %a to %t : memref<64xi8> to memref<64xi8>
    rt.copy %t to %u : memref<64xi8> to memref<64xi8>
    rt.copy %u to %b : memref<64xi8> to memref<64xi8>
  }
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.call @task(%a, %b) : memref<64xi8>, memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// The same for arguments. The call overwrites @a as a whole first, also in
// another shape, and @e, after it has read others; @b and @d share their bytes.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @d : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @e : memref<64xi8> value at 128
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.buffer @d : memref<64xi8> value
  rt.buffer @e : memref<64xi8> value
  rt.func @task(%w: memref<64xi8>, %a: memref<64xi8>, %e: memref<64xi8>) {
    %v = rt.view %w : memref<64xi8> to memref<8x8xi8>
    %u = rt.view %a : memref<64xi8> to memref<8x8xi8>
    rt.copy %v to %u : memref<8x8xi8> to memref<8x8xi8>
    rt.copy %a to %e : memref<64xi8> to memref<64xi8>
    rt.copy %e to %w : memref<64xi8> to memref<64xi8>
  }
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %d = rt.address @d : memref<64xi8>
    %e = rt.address @e : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %w to %e : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %w to %d : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.copy %d to %w : memref<64xi8> to memref<64xi8>
    rt.call @task(%w, %a, %e) : memref<64xi8>, memref<64xi8>, memref<64xi8>
  }
}

// -----

// The call reads @a before it writes it, or writes only a part of @e first;
// later accesses do not matter.
// CHECK: rt.stage 0 arena 256 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @b : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @e : memref<64xi8> value at 192
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.buffer @e : memref<64xi8> value
  rt.func @task(%w: memref<64xi8>, %a: memref<64xi8>, %e: memref<64xi8>) {
    %half = rt.view %e offset 32 : memref<64xi8> to memref<32xi8>
    rt.copy %a to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.zero %half : memref<32xi8>
    rt.copy %e to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %e : memref<64xi8> to memref<64xi8>
  }
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %e = rt.address @e : memref<64xi8>
    rt.copy %w to %a : memref<64xi8> to memref<64xi8>
    rt.copy %w to %e : memref<64xi8> to memref<64xi8>
    rt.copy %w to %b : memref<64xi8> to memref<64xi8>
    rt.copy %b to %w : memref<64xi8> to memref<64xi8>
    rt.call @task(%w, %a, %e) : memref<64xi8>, memref<64xi8>, memref<64xi8>
  }
}

// -----

// Inputs are live from the start of an entry, outputs until its end: a value
// that is live before @x is read cannot use its bytes, nor one that is live
// after @o is written. @early has the bytes of @o, @soon has separate bytes,
// and @late those of @x.
// CHECK: rt.stage 0 arena 320 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @o : memref<64xi8> output at 64
// CHECK-NEXT: rt.buffer @x : memref<64xi8> input at 128
// CHECK-NEXT: rt.buffer @y : memref<64xi8> input at 192
// CHECK-NEXT: rt.buffer @early : memref<64xi8> value at 64
// CHECK-NEXT: rt.buffer @soon : memref<64xi8> value at 256
// CHECK-NEXT: rt.buffer @late : memref<64xi8> value at 128
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @o : memref<64xi8> output
  rt.buffer @x : memref<64xi8> input
  rt.buffer @y : memref<64xi8> input
  rt.buffer @early : memref<64xi8> value
  rt.buffer @soon : memref<64xi8> value
  rt.buffer @late : memref<64xi8> value
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %x = rt.address @x : memref<64xi8>
    %y = rt.address @y : memref<64xi8>
    %early = rt.address @early : memref<64xi8>
    %soon = rt.address @soon : memref<64xi8>
    %late = rt.address @late : memref<64xi8>
    %o = rt.address @o : memref<64xi8>
    rt.copy %w to %early : memref<64xi8> to memref<64xi8>
    rt.copy %early to %soon : memref<64xi8> to memref<64xi8>
    rt.copy %soon to %w : memref<64xi8> to memref<64xi8>
    rt.copy %x to %o : memref<64xi8> to memref<64xi8>
    rt.copy %y to %w : memref<64xi8> to memref<64xi8>
    rt.copy %w to %late : memref<64xi8> to memref<64xi8>
    rt.copy %late to %w : memref<64xi8> to memref<64xi8>
  }
}

// -----

// Entries do not run at once: values and outputs of one share bytes with those
// of the other. @both is a value of both, which keeps nothing from one to the
// other, even if the other writes only a part of it. @x is filled for both; @o
// is no output of the second, where @more has its bytes.
// CHECK: rt.stage 0 arena 320 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @x : memref<64xi8> input at 64
// CHECK-NEXT: rt.buffer @both : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @first : memref<64xi8> value at 192
// CHECK-NEXT: rt.buffer @last : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @other : memref<64xi8> value at 192
// CHECK-NEXT: rt.buffer @o : memref<64xi8> output at 256
// CHECK-NEXT: rt.buffer @more : memref<64xi8> value at 256
// CHECK-NEXT: rt.buffer @e : memref<64xi8> output at 128
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @x : memref<64xi8> input
  rt.buffer @both : memref<64xi8> value
  rt.buffer @first : memref<64xi8> value
  rt.buffer @last : memref<64xi8> value
  rt.buffer @other : memref<64xi8> value
  rt.buffer @o : memref<64xi8> output
  rt.buffer @more : memref<64xi8> value
  rt.buffer @e : memref<64xi8> output
  rt.func @train() {
    %w = rt.address @w : memref<64xi8>
    %x = rt.address @x : memref<64xi8>
    %both = rt.address @both : memref<64xi8>
    %first = rt.address @first : memref<64xi8>
    %last = rt.address @last : memref<64xi8>
    %o = rt.address @o : memref<64xi8>
    rt.copy %w to %both : memref<64xi8> to memref<64xi8>
    rt.copy %both to %first : memref<64xi8> to memref<64xi8>
    rt.copy %first to %o : memref<64xi8> to memref<64xi8>
    rt.copy %x to %last : memref<64xi8> to memref<64xi8>
    rt.copy %last to %w : memref<64xi8> to memref<64xi8>
  }
  rt.func @evaluate() {
    %w = rt.address @w : memref<64xi8>
    %x = rt.address @x : memref<64xi8>
    %both = rt.address @both : memref<64xi8>
    %other = rt.address @other : memref<64xi8>
    %more = rt.address @more : memref<64xi8>
    %e = rt.address @e : memref<64xi8>
    %half = rt.view %both : memref<64xi8> to memref<32xi8>
    rt.copy %w to %other : memref<64xi8> to memref<64xi8>
    rt.copy %w to %more : memref<64xi8> to memref<64xi8>
    rt.zero %half : memref<32xi8>
    rt.copy %other to %w : memref<64xi8> to memref<64xi8>
    rt.copy %more to %w : memref<64xi8> to memref<64xi8>
    rt.copy %x to %e : memref<64xi8> to memref<64xi8>
  }
}

// -----

// A program that only runs forward.
// CHECK: rt.stage 0 arena 192 {
// CHECK-NEXT: rt.buffer @w : memref<64xi8> param at 0
// CHECK-NEXT: rt.buffer @x : memref<64xi8> input at 64
// CHECK-NEXT: rt.buffer @a : memref<64xi8> value at 128
// CHECK-NEXT: rt.buffer @o : memref<64xi8> output at 64
rt.stage 0 {
  rt.buffer @w : memref<64xi8> param
  rt.buffer @x : memref<64xi8> input
  rt.buffer @a : memref<64xi8> value
  rt.buffer @o : memref<64xi8> output
  rt.func @forward() {
    %x = rt.address @x : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %o = rt.address @o : memref<64xi8>
    rt.copy %x to %a : memref<64xi8> to memref<64xi8>
    rt.copy %a to %o : memref<64xi8> to memref<64xi8>
  }
}

// -----

// When @c is written, the first slots of @a and @b are free, and @c needs both.
// So each slot has a separate offset.
// CHECK: rt.stage 0 arena 320 {
// CHECK: rt.buffer @a : memref<64xi8> value at [[A:[0-9]+]], [[#]] slots 2
// CHECK: rt.buffer @b : memref<64xi8> value at [[B:[0-9]+]], [[#]] slots 2
// CHECK: rt.buffer @c : memref<128xi8> value at [[#]]{{$}}
rt.stage 0 {
  rt.buffer @x : memref<64xi8> input
  rt.buffer @y : memref<64xi8> output
  rt.buffer @a : memref<64xi8> value slots 2
  rt.buffer @b : memref<64xi8> value slots 2
  rt.buffer @c : memref<128xi8> value
  rt.func @forward() {
    %x = rt.address @x : memref<64xi8>
    %y = rt.address @y : memref<64xi8>
    %a0 = rt.address @a : memref<64xi8>
    %b0 = rt.address @b : memref<64xi8>
    %a1 = rt.address @a slot 1 : memref<64xi8>
    %b1 = rt.address @b slot 1 : memref<64xi8>
    %c = rt.address @c : memref<128xi8>
    rt.copy %x to %a0 : memref<64xi8> to memref<64xi8>
    rt.copy %x to %b0 : memref<64xi8> to memref<64xi8>
    rt.copy %x to %a1 : memref<64xi8> to memref<64xi8>
    rt.copy %x to %b1 : memref<64xi8> to memref<64xi8>
    rt.copy %a0 to %y : memref<64xi8> to memref<64xi8>
    rt.copy %b0 to %y : memref<64xi8> to memref<64xi8>
    rt.zero %c : memref<128xi8>
    %half = rt.view %c offset 64 : memref<128xi8> to memref<64xi8>
    rt.copy %half to %y : memref<64xi8> to memref<64xi8>
    rt.copy %a1 to %y : memref<64xi8> to memref<64xi8>
    rt.copy %b1 to %y : memref<64xi8> to memref<64xi8>
  }
}

// -----

// @a overlaps @b, and each overlaps the scratch buffer of one of the calls:
// with two scratch buffers at most two are live at a time, at two offsets.
// CHECK: rt.stage 0 arena 512 {
// CHECK: rt.buffer @a : memref<128xi8> value at [[A:[0-9]+]]{{$}}
// CHECK: rt.buffer @b : memref<128xi8> value at [[B:[0-9]+]]{{$}}
// CHECK: rt.buffer @frame.f : memref<128xi8> frame at [[B]]
// CHECK: rt.buffer @frame.f.1 : memref<128xi8> frame at [[A]]
// CHECK: rt.call @f(%{{.*}}, %{{.*}}) frame @frame.f :
// CHECK: rt.call @f(%{{.*}}, %{{.*}}) frame @frame.f.1 :
rt.stage 0 {
  rt.buffer @x : memref<128xi8> input
  rt.buffer @y : memref<128xi8> output
  rt.buffer @a : memref<128xi8> value
  rt.buffer @b : memref<128xi8> value
  rt.func @f(%in: memref<128xi8>, %out: memref<128xi8>) {
    %t = rt.temporary : memref<128xi8>
    rt.copy %in to %t : memref<128xi8> to memref<128xi8>
    rt.copy %t to %out : memref<128xi8> to memref<128xi8>
  }
  rt.func @forward() {
    %x = rt.address @x : memref<128xi8>
    %y = rt.address @y : memref<128xi8>
    %a = rt.address @a : memref<128xi8>
    %b = rt.address @b : memref<128xi8>
    rt.copy %x to %a : memref<128xi8> to memref<128xi8>
    rt.call @f(%x, %y) : memref<128xi8>, memref<128xi8>
    rt.copy %x to %b : memref<128xi8> to memref<128xi8>
    rt.copy %a to %y : memref<128xi8> to memref<128xi8>
    rt.call @f(%x, %y) : memref<128xi8>, memref<128xi8>
    rt.copy %b to %y : memref<128xi8> to memref<128xi8>
  }
}

// -----

// Of many slots two are live together: @c has the bytes of the first two, which
// are dead, though the last one is not.
// CHECK: rt.stage 0 arena 2176 {
// CHECK: rt.buffer @a : memref<64xi8> value at 0 slots 34
// CHECK: rt.buffer @c : memref<128xi8> value at 0{{$}}
rt.stage 0 {
  rt.buffer @x : memref<64xi8> input
  rt.buffer @y : memref<64xi8> output
  rt.buffer @a : memref<64xi8> value slots 34
  rt.buffer @c : memref<128xi8> value
  rt.func @forward() {
    %x = rt.address @x : memref<64xi8>
    %y = rt.address @y : memref<64xi8>
    %first = rt.address @a slot 1 : memref<64xi8>
    %last = rt.address @a slot 33 : memref<64xi8>
    %c = rt.address @c : memref<128xi8>
    rt.copy %x to %first : memref<64xi8> to memref<64xi8>
    rt.copy %x to %last : memref<64xi8> to memref<64xi8>
    rt.copy %first to %y : memref<64xi8> to memref<64xi8>
    rt.zero %c : memref<128xi8>
    %half = rt.view %c offset 64 : memref<128xi8> to memref<64xi8>
    rt.copy %half to %y : memref<64xi8> to memref<64xi8>
    rt.copy %last to %y : memref<64xi8> to memref<64xi8>
  }
}

// -----

// Stream 1 receives into @a again when stream 2 has sent its contents, at any
// moment until then: @a is not free for @b, though stream 0 does not wait.
// CHECK: rt.stage 0 arena 192 {
// CHECK: rt.buffer @a : memref<64xi8> value at [[A:[0-9]+]]{{$}}
// CHECK-NOT: at [[A]]{{$}}
// CHECK: rt.func @forward
rt.stage 0 {
  rt.buffer @y : memref<64xi8> output
  rt.buffer @a : memref<64xi8> value
  rt.buffer @b : memref<64xi8> value
  rt.event @received
  rt.event @sent
  rt.event @issued
  rt.func @forward() {
    %y = rt.address @y : memref<64xi8>
    %a = rt.address @a : memref<64xi8>
    %b = rt.address @b : memref<64xi8>
    %received = rt.event_of @received : !rt.event
    %sent = rt.event_of @sent : !rt.event
    %issued = rt.event_of @issued : !rt.event
    rt.recv %a from 1 channel 0 stream 1 : memref<64xi8>
    rt.record %received stream 1
    rt.wait %received stream 2
    rt.send %a to 1 channel 1 stream 2 : memref<64xi8>
    rt.record %sent stream 2
    rt.zero %b : memref<64xi8>
    rt.copy %b to %y : memref<64xi8> to memref<64xi8>
    rt.record %issued
    rt.wait %issued stream 1
    rt.wait %sent stream 1
    rt.recv %a from 1 channel 0 stream 1 : memref<64xi8>
    rt.record %received stream 1
    rt.wait %received
    rt.copy %a to %y : memref<64xi8> to memref<64xi8>
  }
}
rt.stage 1 {
  rt.buffer @a : memref<64xi8> value
  rt.event @done
  rt.func @forward() {
    %a = rt.address @a : memref<64xi8>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<64xi8>
    rt.record %done
    rt.wait %done stream 1
    rt.send %a to 0 channel 0 stream 1 : memref<64xi8>
    rt.record %done stream 1
    rt.wait %done stream 2
    rt.recv %a from 0 channel 1 stream 2 : memref<64xi8>
    rt.record %done stream 2
    rt.wait %done stream 1
    rt.send %a to 0 channel 0 stream 1 : memref<64xi8>
    rt.record %done stream 1
    rt.wait %done
  }
}
