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

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {rt.kernel}
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-error @+1 {{writes @x over @x, which it reads}}
    rt.launch @k ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
}

// -----

func.func private @k(tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {rt.kernel}
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

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @t : memref<4xf32> temporary
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    %v = rt.view %t : memref<4xf32> to memref<2x2xf32>
    // expected-error @+1 {{uses a buffer without offset; run --rt-plan}}
    rt.copy %x to %v : memref<4xf32> to memref<2x2xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-error @+1 {{launches @k, which is no kernel}}
    rt.launch @k ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  }
}

// -----

func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    attributes {rt.kernel}
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<4xf32> input at 64
  rt.buffer @z : memref<4xf32> input at 128
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    %z = rt.address @z : memref<4xf32>
    // expected-error @+1 {{does not give @k the buffers it takes}}
    rt.launch @k ins(%x : memref<4xf32>)
        outs(%y, %z : memref<4xf32>, memref<4xf32>)
  }
}

// -----

func.func private @k(tensor<4xi32>) -> tensor<4xf32> attributes {rt.kernel}
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<4xf32> input at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    // expected-error @+1 {{does not give @k the buffers it takes}}
    rt.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  }
}

// -----

// In place, but of another operand than the kernel allows.
func.func private @k(tensor<4xf32>, tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<4xf32> input at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    // expected-error @+1 {{writes out 0 over in 1, which @k does not allow}}
    rt.launch @k ins(%x, %y : memref<4xf32>, memref<4xf32>)
        outs(%y : memref<4xf32>) inplace [1]
  }
}

// -----

// State that the next step needs; nothing reads it in this one.
rt.stage 0 arena 1024 {
  // expected-error @+1 {{is overwritten when @train ends}}
  rt.buffer @m : memref<4xf32> state at 0
  // expected-note @+1 {{by @t}}
  rt.buffer @t : memref<4xf32> temporary at 0
  rt.func @train() {
    %t = rt.address @t : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  // expected-error @+1 {{is not written by @train}}
  rt.buffer @loss : memref<f32> output at 0
  rt.func @train() {
    %l = rt.address @loss : memref<f32>
  }
}

// -----

rt.program axes ["tp"] sizes [4] comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<8xf32> input at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<8xf32>
    // expected-error @+1 {{turns 4 elements into 8 on 4 ranks}}
    rt.all_gather %x to %y over ["tp"] : memref<4xf32> to memref<8xf32>
  }
}

// -----

// What crosses stages. Each waits for the other's message:
// expected-error @-3 {{the stages wait for each other forever in @train}}
// expected-note @+5 {{stage 0 waits to send 16 bytes to stage 1 on channel 0}}
rt.stage 0 arena 64 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    rt.send %x to 1 channel 0 : memref<4xf32>
    rt.recv %x from 1 channel 0 : memref<4xf32>
  }
}
rt.stage 1 arena 64 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-note @+1 {{stage 1 waits to send 16 bytes to stage 0 on channel 0}}
    rt.send %x to 0 channel 0 : memref<4xf32>
    rt.recv %x from 0 channel 0 : memref<4xf32>
  }
}

// -----

// an exchange does not; nor do collectives within a stage matter here.
rt.stage 0 arena 128 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<4xf32> value at 64
  rt.func @task(%a: memref<4xf32>, %b: memref<4xf32>) {
    rt.exchange %a to 1 channel 0, %b from 1 channel 1
        : memref<4xf32>, memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    rt.call @task(%x, %y) : memref<4xf32>, memref<4xf32>
    rt.all_reduce max %y over ["pp"] : memref<4xf32>
  }
}
rt.stage 1 arena 128 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<4xf32> value at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<4xf32>
    rt.all_reduce sum %x over ["tp"] : memref<4xf32>
    rt.exchange %x to 0 channel 1, %y from 0 channel 0
        : memref<4xf32>, memref<4xf32>
    rt.all_reduce max %y over ["pp"] : memref<4xf32>
  }
}

// -----

// messages of different lengths,
rt.stage 0 arena 64 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-note @+1 {{sent here}}
    rt.send %x to 1 channel 0 : memref<4xf32>
  }
}
rt.stage 1 arena 64 {
  rt.buffer @x : memref<2xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<2xf32>
    // expected-error @+1 {{receives 8 bytes where stage 0 sends 16}}
    rt.recv %x from 0 channel 0 : memref<2xf32>
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-error @+1 {{names stage 1 of 1}}
    rt.send %x to 1 channel 0 : memref<4xf32>
  }
}

// -----

// collectives that are not the same one,
// expected-error @-3 {{the stages wait for each other forever in @train}}
rt.stage 0 arena 128 {
  rt.buffer @a : memref<4xf32> gradient at 0
  rt.buffer @b : memref<4xf32> gradient at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-note @+1 {{stage 0 waits for all stages to do rt.all_reduce sum of 80 bytes of f32 over ["pp"]}}
    rt.all_reduce sum %a, %b over ["pp"] : memref<4xf32>, memref<4xf32>
  }
}
rt.stage 1 arena 128 {
  rt.buffer @a : memref<4xf32> gradient at 0
  rt.buffer @b : memref<4xf32> gradient at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-note @+1 {{stage 1 waits for all stages to do rt.all_reduce sum of 16 bytes of f32 over ["pp"]}}
    rt.all_reduce sum %a over ["pp"] : memref<4xf32>
    rt.all_reduce sum %b over ["pp"] : memref<4xf32>
  }
}

// -----

// or that a stage leaves out.
// expected-error @-3 {{the stages wait for each other forever in @train}}
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> gradient at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    // expected-note @+1 {{stage 0 waits for all stages to do rt.all_reduce}}
    rt.all_reduce sum %a over ["pp", "tp"] : memref<4xf32>
  }
}
// expected-note @+1 {{stage 1 is done}}
rt.stage 1 arena 64 {
  rt.buffer @a : memref<4xf32> gradient at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    rt.all_reduce sum %a over ["tp"] : memref<4xf32>
  }
}

// -----

// expected-error @+1 {{stands where stage 0 must be}}
rt.stage 1 arena 64 {
}

// -----

// The right buffer, but not the value that is meant: an older one,
rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0
  rt.buffer @t : memref<4xf32> temporary at 64
  rt.func @task() {
    %w = rt.address @w : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{means value 1 of 'task', but reads a buffer that holds another}}
    rt.copy %t to %w {rt.values = array<i64: 1, 1>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

// one that was overwritten, be it in part,
rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0
  rt.buffer @t : memref<4xf32> temporary at 64
  rt.func @task() {
    %w = rt.address @w : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
    %v = rt.view %w offset 2 : memref<4xf32> to memref<2xf32>
    rt.zero %v {rt.values = array<i64: 1>} : memref<2xf32>
    %u = rt.view %w : memref<4xf32> to memref<2xf32>
    rt.all_reduce sum %u over ["dp"] {rt.values = array<i64: 0, 2>}
        : memref<2xf32>
    // expected-error @+1 {{means value 0 of 'task', but reads a buffer that holds another}}
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

// one of a state that should have been written,
rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0
  rt.buffer @t : memref<4xf32> temporary at 64
  // expected-error @+1 {{leaves another value in @w than value 1}}
  rt.func @task() attributes {rt.state_values = {w = 1 : i64}} {
    %w = rt.address @w : memref<4xf32>
    %t = rt.address @t : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

// or in a slot.
rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0
  // expected-error @+1 {{leaves another value in argument 0 than value 1}}
  rt.func @task(%a: memref<4xf32>) attributes {rt.values = array<i64: 1>} {
    %w = rt.address @w : memref<4xf32>
    rt.copy %w to %a {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0
  rt.func @task() {
    %w = rt.address @w : memref<4xf32>
    // expected-error @+1 {{means 2 values but has 1 accesses}}
    rt.zero %w {rt.values = array<i64: 0, 1>} : memref<4xf32>
  }
}
