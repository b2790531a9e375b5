// Graphs whose launches would differ, and graphs that lack ops or values.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify

rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    %y = rt.address @y : memref<4xf32>
    // expected-error @+1 {{is in no graph, unlike other ops of its entry point}}
    rt.zero %y : memref<4xf32>
    rt.graph 0
    %z = rt.address @y : memref<4xf32>
    rt.zero %z : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    rt.graph 0
    // expected-note @+1 {{this is not in the graph}}
    %y = rt.address @y : memref<4xf32>
    rt.zero %y : memref<4xf32>
    rt.graph 1
    // expected-error @+1 {{is in graph 1 and uses a value from outside, which a launch skips}}
    rt.zero %y : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    // expected-note @+1 {{this is not in the graph}}
    %y = rt.address @y : memref<4xf32>
    rt.graph 1 turns 1
    rt.for %m = 0 to 4 {
      // expected-error @+1 {{is in graph 1 and uses a value from outside, which a launch skips}}
      rt.zero %y : memref<4xf32>
    }
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    rt.graph 0 turns 1
    rt.for %m = 0 to 4 {
      %y = rt.address @y : memref<4xf32>
      rt.zero %y : memref<4xf32>
    }
    %y = rt.address @y : memref<4xf32>
    // expected-error @+1 {{is in no graph, unlike other ops of its entry point}}
    rt.zero %y : memref<4xf32>
  }
}

// -----

rt.stage 0 arena 192 {
  rt.buffer @x : memref<4xf32> value at 0 slots 3
  rt.func @train() {
    rt.graph 0 turns 2
    rt.for %m = 0 to 6 {
      // expected-error @+1 {{cycles through 3 slots of @x, which does not divide the 2 iterations of its graph}}
      %x = rt.address @x slot %m : memref<4xf32>
      rt.zero %x : memref<4xf32>
    }
  }
}

// -----

// Only those slots of a bucket count through which the address rotates.
rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256, 512, 768 slots 4
  rt.buffer @g : memref<64xf32> gradient in @row element 0 at 0, 256, 512, 768 slots 4
  rt.func @train() {
    rt.graph 0 turns 2
    rt.for %m = 0 to 6 {
      %x = rt.address @row slot %m among 2 to 4 : memref<1x64xf32>
      rt.zero %x : memref<1x64xf32>
      rt.release %x : memref<1x64xf32>
      // expected-error @+1 {{cycles through 3 slots of @row, which does not divide the 2 iterations of its graph}}
      %y = rt.address @row slot %m among 1 to 4 : memref<1x64xf32>
      rt.zero %y : memref<1x64xf32>
      rt.release %y : memref<1x64xf32>
    }
  }
}

// -----

rt.stage 0 arena 192 {
  rt.buffer @frame.f : memref<64xi8> frame at 0 slots 3
  rt.func @f() frame 64 {
    %t = rt.temporary at 0 : memref<4xf32>
    rt.zero %t : memref<4xf32>
  }
  rt.func @train() {
    rt.graph 0 turns 2
    rt.for %m = 0 to 6 {
      // expected-error @+1 {{cycles through 3 slots of @frame.f, which does not divide the 2 iterations of its graph}}
      rt.call @f() frame @frame.f
    }
  }
}

// -----

rt.stage 0 arena 64 {
  rt.event @done slots 2
  rt.func @train() {
    rt.graph 0 turns 3
    rt.for %m = 0 to 6 {
      // expected-error @+1 {{cycles through 2 slots of @done, which does not divide the 3 iterations of its graph}}
      %e = rt.event_of @done slot %m : !rt.event
      rt.record %e
    }
  }
}

// -----

rt.stage 0 arena 64 {
  rt.func @train() {
    rt.graph 7 turns 4
    // expected-error @+1 {{has 6 iterations, but graph 7 covers 4 at a time}}
    rt.for %m = 0 to 6 {
    }
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @tokens : memref<4xi64> input at 0 refilled
  rt.func @train() {
    rt.graph 0 turns 1
    rt.for %m = 0 to 2 {
      %x = rt.address @tokens slot 1 : memref<4xi64>
      // expected-error @+1 {{fills one microbatch in all iterations of a graph's loop}}
      rt.fill %x : memref<4xi64>
    }
  }
}

// -----

rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    // expected-error @+1 {{is 2 iterations of a loop, but no loop follows}}
    rt.graph 0 turns 2
    %y = rt.address @y : memref<4xf32>
    rt.zero %y : memref<4xf32>
  }
}
