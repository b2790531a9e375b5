// What --rt-verify refuses.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

// expected-error @+1 {{has no arena; run --rt-plan}}
rt.stage 0 {
}

// -----

rt.stage 0 arena 1024 {
  // expected-error @+1 {{lies at 32, which is no multiple of 64}}
  rt.buffer @a : memref<4xf32> param at 32
}

// -----

rt.stage 0 arena 64 {
  // expected-error @+1 {{ends at byte 128 of an arena of 64}}
  rt.buffer @a : memref<4xf32> temporary at 64
}

// -----

rt.stage 0 arena 1024 {
  // expected-note @+1 {{this one}}
  rt.buffer @a : memref<32xf32> param at 0
  // expected-error @+1 {{overlaps another buffer that keeps its content}}
  rt.buffer @b : memref<4xf32> input at 64
  rt.func @train() {
  }
}

// -----

// Two temporaries in one place, both alive.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @a : memref<4xf32> temporary at 64
  // expected-note @+1 {{by @b}}
  rt.buffer @b : memref<4xf32> temporary at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    rt.copy %x to %a : memref<4xf32> to memref<4xf32>
    rt.copy %x to %b : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{reads @a, part of which is overwritten}}
    rt.copy %a to %x : memref<4xf32> to memref<4xf32>
  }
}

// -----

// The same, but the first is dead: nothing to say.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @a : memref<4xf32> temporary at 64
  rt.buffer @b : memref<4xf32> temporary at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    rt.copy %x to %a : memref<4xf32> to memref<4xf32>
    rt.copy %a to %x : memref<4xf32> to memref<4xf32>
    rt.copy %x to %b : memref<4xf32> to memref<4xf32>
    rt.copy %b to %x : memref<4xf32> to memref<4xf32>
  }
}

// -----

// A temporary in a slot's place, seen through a call and a view.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @v : memref<4xf32> value at 64 slots 2
  // expected-note @+1 {{by @t}}
  rt.buffer @t : memref<2xf32> temporary at 128
  rt.func @task(%from: memref<4xf32>, %to: memref<4xf32>) {
    %t = rt.address @t : memref<2xf32>
    rt.zero %t : memref<2xf32>
    %half = rt.view %from offset 2 : memref<4xf32> to memref<2xf32>
    %first = rt.view %from : memref<4xf32> to memref<2xf32>
    %out = rt.view %to : memref<4xf32> to memref<2xf32>
    rt.copy %half to %out : memref<2xf32> to memref<2xf32>
    // expected-error @+1 {{reads @v, part of which is overwritten}}
    rt.copy %first to %out : memref<2xf32> to memref<2xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %v0 = rt.address @v : memref<4xf32>
    %v1 = rt.address @v slot 1 : memref<4xf32>
    rt.copy %x to %v0 : memref<4xf32> to memref<4xf32>
    rt.copy %x to %v1 : memref<4xf32> to memref<4xf32>
    rt.call @task(%v0, %x) : memref<4xf32>, memref<4xf32>
    rt.call @task(%v1, %x) : memref<4xf32>, memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @t : memref<4xf32> temporary at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    // expected-error @+1 {{reads @t, which nothing has written}}
    rt.send %t to 1 channel 0 : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-error @+1 {{writes @x over @x, which it reads}}
    rt.launch @k ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @t : memref<4xf32> temporary at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    // expected-error @+1 {{writes @t over @t, which it also writes}}
    rt.launch @k ins(%x : memref<4xf32>)
        outs(%t, %t : memref<4xf32>, memref<4xf32>)
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4x4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    // expected-error @+1 {{writes @x over @x, which it reads}}
    rt.gemm %x, %x, %x as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4xf32> gradient at 0
  rt.buffer @b : memref<4xf32> gradient at 128
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{reduces @a and @b, which are not contiguous}}
    rt.all_reduce sum %a, %b over ["dp"] : memref<4xf32>, memref<4xf32>
  }
}
