// Programs that --rt-verify rejects.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

// expected-error @+1 {{has no arena; run --rt-plan}}
rt.stage 0 {
}

// -----

rt.stage 0 arena 1024 {
  // expected-error @+1 {{has offset 32, which is no multiple of 64}}
  rt.buffer @a : memref<4xf32> param at 32
}

// -----

rt.stage 0 arena 64 {
  // expected-error @+1 {{ends at byte 128 of an arena of 64}}
  rt.buffer @a : memref<4xf32> value at 64
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

// Two live values overlap.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @a : memref<4xf32> value at 64
  // expected-note @+1 {{by @b}}
  rt.buffer @b : memref<4xf32> value at 64
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

// The same, but the first is dead: no error.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @a : memref<4xf32> value at 64
  rt.buffer @b : memref<4xf32> value at 64
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

// A slot is after the end of the arena.
rt.stage 0 arena 320 {
  rt.buffer @x : memref<16xf32> input at 0
  // expected-error @+1 {{ends at byte 384 of an arena of 320}}
  rt.buffer @v : memref<16xf32> value at 64, 320, 192 slots 3
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %v = rt.address @v slot 2 : memref<16xf32>
    rt.copy %x to %v : memref<16xf32> to memref<16xf32>
    rt.copy %v to %x : memref<16xf32> to memref<16xf32>
  }
}

// -----

// A buffer may be between slots, but must not overlap one.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0
  rt.buffer @v : memref<16xf32> value at 64, 256 slots 2
  // expected-note @+1 {{by @over}}
  rt.buffer @over : memref<16xf32> value at 256
  rt.buffer @between : memref<32xf32> value at 128
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %v0 = rt.address @v : memref<16xf32>
    %v1 = rt.address @v slot 1 : memref<16xf32>
    %between = rt.address @between : memref<32xf32>
    %over = rt.address @over : memref<16xf32>
    rt.copy %x to %v0 : memref<16xf32> to memref<16xf32>
    rt.copy %x to %v1 : memref<16xf32> to memref<16xf32>
    rt.zero %between : memref<32xf32>
    rt.copy %v0 to %x : memref<16xf32> to memref<16xf32>
    rt.zero %over : memref<16xf32>
    // expected-error @+1 {{reads @v, part of which is overwritten}}
    rt.copy %v1 to %x : memref<16xf32> to memref<16xf32>
  }
}

// -----

// A temporary overlaps a slot, seen through a call and a view.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<32xf32> input at 0
  rt.buffer @v : memref<32xf32> value at 128 slots 2
  rt.buffer @frame.task : memref<64xi8> frame at 256
  rt.func @task(%from: memref<32xf32>, %to: memref<32xf32>) frame 64 {
    // expected-note @+1 {{by a temporary of @task}}
    %t = rt.temporary at 0 : memref<16xf32>
    rt.zero %t : memref<16xf32>
    %half = rt.view %from offset 16 : memref<32xf32> to memref<16xf32>
    %first = rt.view %from offset 15 : memref<32xf32> to memref<16xf32>
    %out = rt.view %to : memref<32xf32> to memref<16xf32>
    rt.copy %half to %out : memref<16xf32> to memref<16xf32>
    // expected-error @+1 {{reads @v, part of which is overwritten}}
    rt.copy %first to %out : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<32xf32>
    %v0 = rt.address @v : memref<32xf32>
    %v1 = rt.address @v slot 1 : memref<32xf32>
    rt.copy %x to %v0 : memref<32xf32> to memref<32xf32>
    rt.copy %x to %v1 : memref<32xf32> to memref<32xf32>
    rt.call @task(%v0, %x) frame @frame.task : memref<32xf32>, memref<32xf32>
    rt.call @task(%v1, %x) frame @frame.task : memref<32xf32>, memref<32xf32>
  }
}

// -----

// Bytes of a scratch buffer are lost where a temporary is written,
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @v : memref<4xf32> value at 64
  rt.buffer @frame.task : memref<128xi8> frame at 64
  rt.func @task() frame 128 {
    // expected-note @+1 {{by a temporary of @task}}
    %t = rt.temporary at 0 : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %v = rt.address @v : memref<4xf32>
    rt.copy %x to %v : memref<4xf32> to memref<4xf32>
    rt.call @task() frame @frame.task
    // expected-error @+1 {{reads @v, part of which is overwritten}}
    rt.copy %v to %x : memref<4xf32> to memref<4xf32>
  }
}

// -----

// but not next to it, nor before,
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @v : memref<4xf32> value at 64
  rt.buffer @w : memref<4xf32> value at 128
  rt.buffer @frame.task : memref<128xi8> frame at 64
  rt.func @task(%v: memref<4xf32>, %x: memref<4xf32>) frame 128 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.copy %v to %x : memref<4xf32> to memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %v = rt.address @v : memref<4xf32>
    %w = rt.address @w : memref<4xf32>
    rt.copy %x to %v : memref<4xf32> to memref<4xf32>
    rt.copy %x to %w : memref<4xf32> to memref<4xf32>
    rt.call @task(%v, %x) frame @frame.task : memref<4xf32>, memref<4xf32>
    rt.copy %w to %x : memref<4xf32> to memref<4xf32>
  }
}

// -----

// and so are values that another call left there.
rt.stage 0 arena 1024 {
  rt.buffer @frame.one : memref<64xi8> frame at 0
  rt.buffer @frame.two : memref<64xi8> frame at 0
  rt.func @one() frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @two() frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    // expected-error @+1 {{reads a temporary of @two, which nothing has written}}
    rt.send %t to 1 channel 0 : memref<4xf32>
  }
  rt.func @train() {
    rt.call @one() frame @frame.one
    rt.call @two() frame @frame.two
  }
}

// -----

// Two live temporaries of one function overlap.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @frame.task : memref<64xi8> frame at 64
  rt.func @task(%x: memref<4xf32>) frame 64 {
    %a = rt.temporary at 0 : memref<4xf32>
    // expected-note @+1 {{by a temporary of @task}}
    %b = rt.temporary at 0 : memref<4xf32>
    rt.copy %x to %a : memref<4xf32> to memref<4xf32>
    rt.copy %x to %b : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{reads a temporary of @task, part of which is overwritten}}
    rt.copy %a to %x : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    rt.call @task(%x) frame @frame.task : memref<4xf32>
  }
}

// -----

// An argument that overlaps the scratch buffer.
rt.stage 0 arena 1024 {
  rt.buffer @v : memref<4xf32> value at 64
  rt.buffer @frame.task : memref<64xi8> frame at 64
  rt.func @task(%v: memref<4xf32>) frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.zero %t : memref<4xf32>
    // expected-error @+1 {{writes @v over a temporary of @task, which it reads}}
    rt.copy %t to %v : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %v = rt.address @v : memref<4xf32>
    rt.call @task(%v) frame @frame.task : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @frame.task : memref<192xi8> frame at 64
  rt.func @task() frame 192 {
    %a = rt.temporary at 0 : memref<4xf32>
    %b = rt.temporary at 128 : memref<4xf32>
    rt.zero %a : memref<4xf32>
    rt.zero %b : memref<4xf32>
    // expected-error @+1 {{reduces a temporary of @task and a temporary of @task, which are not contiguous}}
    rt.all_reduce sum %a, %b over ["dp"] : memref<4xf32>, memref<4xf32>
  }
  rt.func @train() {
    rt.call @task() frame @frame.task
  }
}

// -----

// State that overlaps a scratch buffer.
rt.stage 0 arena 1024 {
  // expected-error @+1 {{is overwritten when @train ends}}
  rt.buffer @m : memref<4xf32> state at 0
  rt.buffer @frame.task : memref<64xi8> frame at 0
  rt.func @task() frame 64 {
    // expected-note @+1 {{by a temporary of @task}}
    %t = rt.temporary at 0 : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @train() {
    rt.call @task() frame @frame.task
  }
}

// -----

// Integers are constant, also as arguments of a function.
rt.stage 0 arena 1024 {
  rt.func @train() {
    %k = rt.constant 7 : memref<i64>
    // expected-error @+1 {{writes a constant}}
    rt.zero %k : memref<i64>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.func @task(%k: memref<i64>) {
    %v = rt.view %k : memref<i64> to memref<1xi64>
    // expected-error @+1 {{writes a constant}}
    rt.all_reduce sum %v over ["dp"] : memref<1xi64>
  }
  rt.func @train() {
    %k = rt.constant 7 : memref<i64>
    rt.call @task(%k) : memref<i64>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @t : memref<4xf32> value at 64
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
  rt.buffer @t : memref<4xf32> value at 64
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
  rt.buffer @a : memref<4xf32> sum at 0
  rt.buffer @b : memref<4xf32> sum at 128
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
  rt.func @task(%x: memref<4xf32>) {
    // expected-error @+1 {{has no offset; run --rt-plan}}
    %t = rt.temporary : memref<4xf32>
    %v = rt.view %t : memref<4xf32> to memref<2x2xf32>
    rt.copy %x to %v : memref<4xf32> to memref<2x2xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    rt.call @task(%x) : memref<4xf32>
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
    // expected-error @+1 {{passes to @k buffers that do not match its arguments}}
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
    // expected-error @+1 {{passes to @k buffers that do not match its arguments}}
    rt.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  }
}

// -----

// In place of another operand than the kernel allows.
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
  rt.buffer @t : memref<4xf32> value at 0
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

rt.program axes <["tp"=4]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.buffer @y : memref<8xf32> input at 64
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<8xf32>
    // expected-error @+1 {{maps 4 elements to 8, which does not match 4 ranks}}
    rt.all_gather %x to %y over ["tp"] : memref<4xf32> to memref<8xf32>
  }
}

// -----

// Transfers between stages. Each waits for the other's transfer:
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

// an exchange does not wait, and collectives within a stage do not matter.
rt.program axes <["pp"=2]> comms [["pp"]] microbatches 1
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

// transfers of different lengths,
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
    // expected-error @+1 {{names stage 1, but the number of stages is 1}}
    rt.send %x to 1 channel 0 : memref<4xf32>
  }
}

// -----

// different collectives,
// expected-error @-3 {{the stages wait for each other forever in @train}}
rt.program axes <["pp"=2]> comms [["pp"]] microbatches 1
rt.stage 0 arena 128 {
  rt.buffer @a : memref<4xf32> sum at 0
  rt.buffer @b : memref<4xf32> sum at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-note @+1 {{stage 0 waits for all stages to do rt.all_reduce sum of 80 bytes of f32 over ["pp"]}}
    rt.all_reduce sum %a, %b over ["pp"] : memref<4xf32>, memref<4xf32>
  }
}
rt.stage 1 arena 128 {
  rt.buffer @a : memref<4xf32> sum at 0
  rt.buffer @b : memref<4xf32> sum at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-note @+1 {{stage 1 waits for all stages to do rt.all_reduce sum of 16 bytes of f32 over ["pp"]}}
    rt.all_reduce sum %a over ["pp"] : memref<4xf32>
    rt.all_reduce sum %b over ["pp"] : memref<4xf32>
  }
}

// -----

// or a collective that a stage leaves out.
// expected-error @-3 {{the stages wait for each other forever in @train}}
rt.program axes <["pp"=2, "tp"=2]> comms [["pp", "tp"]] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> sum at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    // expected-note @+1 {{stage 0 waits for all stages to do rt.all_reduce}}
    rt.all_reduce sum %a over ["pp", "tp"] : memref<4xf32>
  }
}
// expected-note @+1 {{stage 1 is done}}
rt.stage 1 arena 64 {
  rt.buffer @a : memref<4xf32> sum at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    rt.all_reduce sum %a over ["tp"] : memref<4xf32>
  }
}

// -----

// expected-error @+1 {{is declared where stage 0 must be}}
rt.stage 1 arena 64 {
}

// -----

// The right buffer, but not the named value: an older one,
rt.stage 0 arena 128 {
  rt.func @task(%w: memref<4xf32>) frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{reads value 1 of 'task' from a buffer that holds another}}
    rt.copy %t to %w {rt.values = array<i64: 1, 1>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

// one that was overwritten, at least in part,
rt.stage 0 arena 128 {
  rt.func @task(%w: memref<4xf32>) frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
    %v = rt.view %w offset 2 : memref<4xf32> to memref<2xf32>
    rt.zero %v {rt.values = array<i64: 1>} : memref<2xf32>
    %u = rt.view %w : memref<4xf32> to memref<2xf32>
    rt.all_reduce sum %u over ["dp"] {rt.values = array<i64: 0, 2>}
        : memref<2xf32>
    // expected-error @+1 {{reads value 0 of 'task' from a buffer that holds another}}
    rt.copy %w to %t {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

// or one in a slot that should have been written.
rt.stage 0 arena 128 {
  // expected-error @+1 {{leaves another value in argument 0 than value 1}}
  rt.func @task(%a: memref<4xf32>, %w: memref<4xf32>)
      attributes {rt.values = array<i64: -1, 0, 1, 0>} {
    rt.copy %w to %a {rt.values = array<i64: 0, 0>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

rt.stage 0 arena 128 {
  rt.func @task(%w: memref<4xf32>) {
    // expected-error @+1 {{names 2 values but has 1 accesses}}
    rt.zero %w {rt.values = array<i64: 0, 1>} : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 128 {
  // expected-error @+1 {{names 3 values but has 1 arguments}}
  rt.func @task(%w: memref<4xf32>) attributes {rt.values = array<i64: 0, 1, 2>} {
  }
}

// -----

// The right temporary, but of a value that another one has overwritten.
rt.stage 0 arena 128 {
  rt.func @task(%w: memref<4xf32>) frame 128 {
    %t = rt.temporary at 64 : memref<4xf32>
    %u = rt.temporary at 64 : memref<4xf32>
    rt.copy %w to %t {rt.values = array<i64: 0, 1>}
        : memref<4xf32> to memref<4xf32>
    rt.zero %u {rt.values = array<i64: 2>} : memref<4xf32>
    // expected-error @+1 {{reads value 1 of 'task' from a buffer that holds another}}
    rt.copy %t to %w {rt.values = array<i64: 1, 1>}
        : memref<4xf32> to memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  // expected-error @+1 {{has no offset; run --rt-plan}}
  rt.buffer @a : memref<4xf32> param
}

// -----

// The arena is a byte shorter than the second slot needs.
rt.stage 0 arena 127 {
  // expected-error @+1 {{ends at byte 128 of an arena of 127}}
  rt.buffer @a : memref<4xf32> input at 0 slots 2
}

// -----

// The second slot of one is the first of the other.
rt.stage 0 arena 1024 {
  // expected-note @+1 {{this one}}
  rt.buffer @a : memref<4xf32> input at 0 slots 2
  // expected-error @+1 {{overlaps another buffer that keeps its content}}
  rt.buffer @b : memref<4xf32> state at 64
  rt.func @train() {
  }
}

// -----

// Each entry point is checked separately, with its own contents of memory.
rt.stage 0 arena 1024 {
  rt.buffer @t : memref<4xf32> value at 0
  // expected-error @+1 {{is not written by @evaluate}}
  rt.buffer @o : memref<4xf32> output at 64 {name = "o"}
  rt.func @train() {
    %o = rt.address @o : memref<4xf32>
    rt.zero %o : memref<4xf32>
  }
  rt.func @evaluate() {
    %o = rt.address @o : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 1024 {
  rt.buffer @t : memref<4xf32> value at 0
  rt.buffer @o : memref<4xf32> output at 64 {name = "o"}
  rt.func @train() {
    %t = rt.address @t : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @forward() {
    %t = rt.address @t : memref<4xf32>
    %o = rt.address @o : memref<4xf32>
    // expected-error @+1 {{reads @t, which nothing has written}}
    rt.copy %t to %o : memref<4xf32> to memref<4xf32>
  }
}

// -----

// Accumulators of a step must not be overwritten, either.
rt.stage 0 arena 1024 {
  // expected-error @+1 {{is overwritten when @train ends}}
  rt.buffer @s : memref<4xf32> sum at 0
  // expected-note @+1 {{by @t}}
  rt.buffer @t : memref<4xf32> value at 0
  rt.func @train() {
    %t = rt.address @t : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
}

// -----

// Only the last four bytes overlap another buffer.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<32xf32> input at 0
  rt.buffer @a : memref<32xf32> value at 128
  // expected-note @+1 {{by @b}}
  rt.buffer @b : memref<17xf32> value at 192
  rt.func @train() {
    %x = rt.address @x : memref<32xf32>
    %a = rt.address @a : memref<32xf32>
    %b = rt.address @b : memref<17xf32>
    rt.copy %x to %a : memref<32xf32> to memref<32xf32>
    %v = rt.view %b offset 15 : memref<17xf32> to memref<1xf32>
    rt.zero %v : memref<1xf32>
    %w = rt.view %a offset 16 : memref<32xf32> to memref<15xf32>
    %u = rt.view %a : memref<32xf32> to memref<15xf32>
    rt.copy %w to %u : memref<15xf32> to memref<15xf32>
    %y = rt.view %a offset 17 : memref<32xf32> to memref<15xf32>
    // expected-error @+1 {{reads @a, part of which is overwritten}}
    rt.copy %y to %u : memref<15xf32> to memref<15xf32>
  }
}

// -----

// A kernel's buffers: of another element type,
func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {rt.kernel} {
  return %x : tensor<4xf32>
}
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4xi32> input at 0
  rt.buffer @b : memref<4xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xi32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{passes to @k buffers that do not match its arguments}}
    rt.launch @k ins(%a : memref<4xi32>) outs(%b : memref<4xf32>)
  }
}

// -----

// a result among the operands,
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {rt.kernel} {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4xf32> input at 0
  rt.buffer @b : memref<4xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{passes to @k buffers that do not match its arguments}}
    rt.launch @k ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  }
}

// -----

// and no kernel at all.
func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4xf32> input at 0
  rt.buffer @b : memref<4xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{launches @k, which is no kernel}}
    rt.launch @k ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  }
}

// -----

// In place only for the result and the operand that the launch lists.
func.func private @k(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0}, tensor<4xf32>) attributes {rt.kernel} {
  return %x, %y : tensor<4xf32>, tensor<4xf32>
}
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4xf32> input at 0
  rt.buffer @b : memref<4xf32> input at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{writes @b over @b, which it reads}}
    rt.launch @k ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%a, %b : memref<4xf32>, memref<4xf32>) inplace [0, -1]
  }
}

// -----

// A GEMM reads its operands until it is complete.
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<4x4xf32> input at 0
  rt.func @train() {
    %a = rt.address @a : memref<4x4xf32>
    // expected-error @+1 {{writes @a over @a, which it reads}}
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1.0 : f32>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.program axes <["tp"=4]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<8xf32> input at 0
  rt.buffer @b : memref<4xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<8xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{maps 8 elements to 4, which does not match 4 ranks}}
    rt.reduce_scatter %a to %b over ["tp"] : memref<8xf32> to memref<4xf32>
  }
}

// -----

rt.program axes <["tp"=4]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<8xf32> input at 0
  rt.buffer @b : memref<4xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<8xf32>
    %b = rt.address @b : memref<4xf32>
    // expected-error @+1 {{maps 8 elements to 4, which does not match 4 ranks}}
    rt.shard_slice %a to %b over ["tp"] : memref<8xf32> to memref<4xf32>
  }
}

// -----

rt.program axes <["dp"=2, "tp"=3]> comms [["dp", "tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @a : memref<8xf32> input at 0
  rt.buffer @b : memref<8xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<8xf32>
    %b = rt.address @b : memref<8xf32>
    // expected-error @+1 {{maps 8 elements to 8, which does not match 6 ranks}}
    rt.all_to_all %a to %b over ["dp", "tp"] : memref<8xf32> to memref<8xf32>
  }
}

// -----

// Valid: buffers end with the arena and begin where others end; buffers that
// are not state may be overwritten at the end; an accumulating GEMM, a kernel
// and a reduction work in place; a lowered kernel does not declare its
// operands; collectives have a block for each rank; another entry's output is
// not this one's; a scratch buffer overlaps dead values, and its temporaries
// dead ones of it; an integer is valid in every call.
llvm.func @lowered(!llvm.ptr, i64, i64)
func.func private @k(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>)
    -> (tensor<16xf32>, tensor<4x4xf32> {rt.inplace = 0}) attributes {rt.kernel} {
  %z = nn.reshape %x : tensor<4x4xf32> -> tensor<16xf32>
  return %z, %y : tensor<16xf32>, tensor<4x4xf32>
}
rt.program axes <["tp"=4]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1280 {
  rt.buffer @a : memref<4x4xf32> param at 0
  rt.buffer @x : memref<4x4xf32> input at 64 slots 2
  rt.buffer @b : memref<4x4xf32> value at 192
  rt.buffer @c : memref<16x4xf32> value at 256
  rt.buffer @o : memref<f32> output at 512 {name = "o"}
  rt.buffer @e : memref<f32> output at 576 {name = "e"}
  rt.buffer @d : memref<4x4xf32> value at 64
  rt.buffer @f : memref<16xf32> value at 1216
  rt.buffer @n : memref<i64> value at 640
  rt.buffer @frame.task : memref<128xi8> frame at 192
  rt.func @task(%k: memref<i64>, %n: memref<i64>, %w: memref<4x4xf32>) frame 128 {
    %t = rt.temporary at 0 : memref<4x4xf32>
    %u = rt.temporary at 64 : memref<4x4xf32>
    %v = rt.temporary at 0 : memref<4x4xf32>
    rt.copy %k to %n : memref<i64> to memref<i64>
    rt.copy %w to %t : memref<4x4xf32> to memref<4x4xf32>
    rt.all_to_all %t to %u over ["tp"] : memref<4x4xf32> to memref<4x4xf32>
    rt.all_to_all %u to %v over ["tp"] : memref<4x4xf32> to memref<4x4xf32>
    rt.all_reduce sum %v, %u over ["tp"] : memref<4x4xf32>, memref<4x4xf32>
  }
  rt.func @train() {
    %a = rt.address @a : memref<4x4xf32>
    %b = rt.address @b : memref<4x4xf32>
    %c = rt.address @c : memref<16x4xf32>
    %d = rt.address @d : memref<4x4xf32>
    %f = rt.address @f : memref<16xf32>
    %x = rt.address @x : memref<4x4xf32>
    %y = rt.address @x slot 1 : memref<4x4xf32>
    %o = rt.address @o : memref<f32>
    %k = rt.constant 7 : memref<i64>
    %n = rt.address @n : memref<i64>
    rt.call @task(%k, %n, %a) frame @frame.task : memref<i64>, memref<i64>, memref<4x4xf32>
    rt.copy %x to %b : memref<4x4xf32> to memref<4x4xf32>
    rt.gemm %a, %x, %b as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1.0 : f32>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
    rt.launch @k ins(%b, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%f, %b : memref<16xf32>, memref<4x4xf32>) inplace [-1, 0]
    rt.launch @lowered ins(%b : memref<4x4xf32>) outs(%o : memref<f32>)
    rt.all_reduce sum %b over ["tp"] : memref<4x4xf32>
    rt.all_gather %b to %c over ["tp"] : memref<4x4xf32> to memref<16x4xf32>
    rt.reduce_scatter %c to %b over ["tp"] : memref<16x4xf32> to memref<4x4xf32>
    rt.shard_slice %c to %b over ["tp"] : memref<16x4xf32> to memref<4x4xf32>
    rt.copy %y to %b : memref<4x4xf32> to memref<4x4xf32>
    rt.all_to_all %b to %d over ["tp"] : memref<4x4xf32> to memref<4x4xf32>
    rt.call @task(%k, %n, %a) frame @frame.task : memref<i64>, memref<i64>, memref<4x4xf32>
  }
  rt.func @evaluate() {
    %e = rt.address @e : memref<f32>
    rt.zero %e : memref<f32>
  }
}

// -----

// A copy needs two buffers.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<4xf32> input at 0
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    // expected-error @+1 {{writes @x over @x, which it reads}}
    rt.copy %x to %x : memref<4xf32> to memref<4xf32>
  }
}

// -----

// A reduce_scatter's accumulator must be initialized.
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 128 {
  rt.buffer @x : memref<8xf32> input at 0
  rt.buffer @s : memref<4xf32> value at 64
  rt.func @train() {
    %x = rt.address @x : memref<8xf32>
    %s = rt.address @s : memref<4xf32>
    // expected-error @+1 {{reads @s, which nothing has written}}
    rt.reduce_scatter %x to %s over ["dp"] adds : memref<8xf32> to memref<4xf32>
  }
}

// -----

// Gradients are dead at the start of an entry: the first GEMM overwrites,
rt.stage 0 arena 192 {
  rt.buffer @g : memref<4x4xf32> gradient at 0
  rt.buffer @x : memref<4x4xf32> input at 64
  rt.func @add(%x: memref<4x4xf32>, %g: memref<4x4xf32>) {
    // expected-error @+1 {{reads @g, which nothing has written}}
    rt.gemm %x, %x, %g as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4,
        beta = 1.0 : f32> : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %g = rt.address @g : memref<4x4xf32>
    rt.call @add(%x, %g) : memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

// and none after it,
rt.stage 0 arena 192 {
  rt.buffer @g : memref<4x4xf32> gradient at 0
  rt.buffer @x : memref<4x4xf32> input at 64
  rt.func @put(%x: memref<4x4xf32>, %g: memref<4x4xf32>) {
    // expected-error @+1 {{overwrites @g, whose accumulated gradients are lost}}
    rt.gemm %x, %x, %g as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %g = rt.address @g : memref<4x4xf32>
    rt.for %m = 0 to 2 {
      rt.call @put(%x, %g) : memref<4x4xf32>, memref<4x4xf32>
    }
  }
}

// -----

// also in one function, or in part.
rt.stage 0 arena 192 {
  rt.buffer @g : memref<4x4xf32> gradient at 0
  rt.buffer @x : memref<4x4xf32> input at 64
  rt.func @put(%x: memref<4x4xf32>, %g: memref<4x4xf32>) {
    rt.copy %x to %g : memref<4x4xf32> to memref<4x4xf32>
    // expected-error @+1 {{overwrites @g, whose accumulated gradients are lost}}
    rt.gemm %x, %x, %g as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %g = rt.address @g : memref<4x4xf32>
    rt.call @put(%x, %g) : memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

rt.stage 0 arena 192 {
  rt.buffer @g : memref<4x4xf32> gradient at 0
  rt.buffer @x : memref<4x4xf32> input at 64
  rt.func @put(%x: memref<4x4xf32>, %g: memref<4x4xf32>) {
    rt.copy %x to %g : memref<4x4xf32> to memref<4x4xf32>
  }
  rt.func @clear(%g: memref<4x4xf32>) {
    %row = rt.view %g offset 4 : memref<4x4xf32> to memref<4xf32>
    // expected-error @+1 {{overwrites @g, whose accumulated gradients are lost}}
    rt.zero %row : memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %g = rt.address @g : memref<4x4xf32>
    rt.call @put(%x, %g) : memref<4x4xf32>, memref<4x4xf32>
    rt.call @clear(%g) : memref<4x4xf32>
  }
}

// -----

// A bucket of gradients is all of its members and the gaps between them.
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x64xf32> bucket at 0
  rt.buffer @g : memref<4x4xf32> gradient in @row element 0 at 0
  rt.buffer @h : memref<32xf32> gradient in @row element 32 at 128
  rt.buffer @n : memref<1x64xf32> output at 256
  rt.func @put(%g: memref<4x4xf32>, %h: memref<32xf32>) {
    rt.zero %g : memref<4x4xf32>
    rt.zero %h : memref<32xf32>
  }
  rt.func @use(%row: memref<1x64xf32>, %n: memref<1x64xf32>) {
    // expected-error @+1 {{reads @row, which nothing has written}}
    rt.copy %row to %n : memref<1x64xf32> to memref<1x64xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<4x4xf32>
    %h = rt.address @h : memref<32xf32>
    %row = rt.address @row : memref<1x64xf32>
    %n = rt.address @n : memref<1x64xf32>
    rt.call @put(%g, %h) : memref<4x4xf32>, memref<32xf32>
    rt.call @use(%row, %n) : memref<1x64xf32>, memref<1x64xf32>
  }
}

// -----

// Members of a bucket must not be overwritten through the bucket's buffer.
rt.stage 0 arena 256 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> gradient in @row element 0 at 0
  rt.func @put(%g: memref<32xf32>) {
    rt.zero %g : memref<32xf32>
  }
  rt.func @clear(%row: memref<1x32xf32>) {
    // expected-error @+1 {{overwrites @row, whose accumulated gradients are lost}}
    rt.zero %row : memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    rt.call @put(%g) : memref<32xf32>
    rt.call @clear(%row) : memref<1x32xf32>
  }
}

// -----

// A buffer that a function has killed is dead,
rt.stage 0 arena 192 {
  rt.buffer @v : memref<4x4xf32> value at 0
  rt.buffer @x : memref<4x4xf32> input at 64
  rt.func @f(%x: memref<4x4xf32>, %v: memref<4x4xf32>)
      attributes {gives_up = array<i64: 1>} {
    rt.copy %x to %v : memref<4x4xf32> to memref<4x4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %v = rt.address @v : memref<4x4xf32>
    rt.call @f(%x, %v) : memref<4x4xf32>, memref<4x4xf32>
    // expected-error @+1 {{reads @v, which nothing has written}}
    rt.copy %v to %x : memref<4x4xf32> to memref<4x4xf32>
  }
}

// -----

// parameters included, which the next step needs.
rt.stage 0 arena 192 {
  // expected-error @+1 {{is not written by @train}}
  rt.buffer @w : memref<4x4xf32> param at 0
  rt.func @f(%w: memref<4x4xf32>) attributes {gives_up = array<i64: 0>} {
    rt.zero %w : memref<4x4xf32>
  }
  rt.func @train() {
    %w = rt.address @w : memref<4x4xf32>
    rt.call @f(%w) : memref<4x4xf32>
  }
}

// -----

// In a loop with a slot for each iteration, the slot of the previous iteration.
rt.stage 0 arena 1088 {
  rt.buffer @v : memref<4x4xf32> input at 0 slots 16
  rt.buffer @o : memref<4x4xf32> value at 1024
  rt.func @f(%v: memref<4x4xf32>) attributes {gives_up = array<i64: 0>} {
    rt.zero %v : memref<4x4xf32>
  }
  rt.func @train() {
    %o = rt.address @o : memref<4x4xf32>
    rt.for %m = 1 to 16 {
      %v = rt.address @v slot %m : memref<4x4xf32>
      rt.call @f(%v) : memref<4x4xf32>
      %u = rt.address @v slot %m + -1 : memref<4x4xf32>
      // expected-error @+1 {{reads @v, which nothing has written}}
      rt.copy %u to %o : memref<4x4xf32> to memref<4x4xf32>
    }
  }
}

// -----

// In each iteration the scratch buffer is that of its slot: here the one that
// overlaps the call's operand.
rt.stage 0 arena 512 {
  rt.buffer @v : memref<64xf32> value at 0 slots 2
  rt.buffer @frame.f : memref<256xi8> frame at 0, 256 slots 2
  rt.func @f(%in: memref<64xf32>) frame 256 {
    %t = rt.temporary at 0 : memref<64xf32>
    // expected-error @+1 {{writes a temporary of @f over @v, which it reads}}
    rt.copy %in to %t : memref<64xf32> to memref<64xf32>
  }
  rt.func @train() {
    rt.for %m = 0 to 30 {
      %v = rt.address @v slot %m : memref<64xf32>
      rt.zero %v : memref<64xf32>
      rt.call @f(%v) frame @frame.f : memref<64xf32>
    }
  }
}
