// Memory that does not contain what a loop needs, in any iteration.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify

// A valid program: @a has a slot for each microbatch it holds.
rt.stage 0 arena 960 {
  rt.buffer @x : memref<16xf32> input at 0 slots 12 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value at 768 slots 2
  rt.buffer @y : memref<16xf32> output at 896 {name = "y"}
  rt.func @train() {
    %x0 = rt.address @x : memref<16xf32>
    %a0 = rt.address @a : memref<16xf32>
    rt.copy %x0 to %a0 : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 11 {
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      rt.copy %x to %next : memref<16xf32> to memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.copy %a to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// The first iteration writes @y over the ninth microbatch's @x.
rt.stage 0 arena 896 {
  rt.buffer @x : memref<16xf32> input at 0 slots 12 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value at 768 slots 2
  // expected-note @+1 {{by @y}}
  rt.buffer @y : memref<16xf32> output at 576 {name = "y"}
  rt.func @train() {
    %x0 = rt.address @x : memref<16xf32>
    %a0 = rt.address @a : memref<16xf32>
    rt.copy %x0 to %a0 : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 11 {
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      // expected-error @+1 {{reads @x, part of which is overwritten}}
      rt.copy %x to %next : memref<16xf32> to memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.copy %a to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// Nothing is written before the first iteration.
rt.stage 0 arena 960 {
  rt.buffer @x : memref<16xf32> input at 0 slots 12 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value at 768 slots 2
  rt.buffer @y : memref<16xf32> output at 896 {name = "y"}
  rt.func @train() {
    rt.for %m = 0 to 11 {
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      rt.copy %x to %next : memref<16xf32> to memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      // expected-error @+1 {{reads @a, which nothing has written}}
      rt.copy %a to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// The last of 31 iterations writes the last slot of @all, which overlaps @b.
rt.stage 0 arena 2240 {
  rt.buffer @x : memref<16xf32> input at 0 {role = "data", name = "x"}
  // expected-note @+1 {{by @all}}
  rt.buffer @all : memref<16xf32> value at 64 slots 32
  rt.buffer @b : memref<16xf32> value at 2048
  rt.buffer @y : memref<16xf32> output at 2112 {name = "y"}
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    rt.copy %x to %b : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %all = rt.address @all slot %m + 1 : memref<16xf32>
      rt.copy %in to %all : memref<16xf32> to memref<16xf32>
    }
    // expected-error @+1 {{reads @b, part of which is overwritten}}
    rt.copy %b to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// Iteration 21 writes the slot that overlaps @b, which each iteration reads.
rt.stage 0 arena 2240 {
  rt.buffer @x : memref<16xf32> input at 0 {role = "data", name = "x"}
  // expected-note @+1 {{by @all}}
  rt.buffer @all : memref<16xf32> value at 64 slots 32
  rt.buffer @b : memref<16xf32> value at 1344
  rt.buffer @y : memref<16xf32> output at 2112 {name = "y"}
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    rt.copy %x to %b : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %all = rt.address @all slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      %kept = rt.address @b : memref<16xf32>
      rt.copy %in to %all : memref<16xf32> to memref<16xf32>
      // expected-error @+1 {{reads @b, part of which is overwritten}}
      rt.copy %kept to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// Each iteration may write over a slot that is not read any more.
rt.stage 0 arena 2176 {
  rt.buffer @all : memref<16xf32> input at 64 slots 32 {role = "data", name = "x"}
  rt.buffer @b : memref<16xf32> value at 64
  rt.buffer @y : memref<16xf32> output at 2112 {name = "y"}
  rt.func @train() {
    %first = rt.address @all : memref<16xf32>
    %y0 = rt.address @y : memref<16xf32>
    rt.copy %first to %y0 : memref<16xf32> to memref<16xf32>
    rt.for %m = 1 to 32 {
      %all = rt.address @all slot %m : memref<16xf32>
      %b = rt.address @b : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.copy %all to %b : memref<16xf32> to memref<16xf32>
      rt.copy %b to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// A later loop reads one slot more than the first has written.
rt.stage 0 arena 2240 {
  rt.buffer @x : memref<16xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @all : memref<16xf32> value at 64 slots 32
  rt.buffer @y : memref<16xf32> output at 2112 {name = "y"}
  rt.func @train() {
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %all = rt.address @all slot %m : memref<16xf32>
      rt.copy %in to %all : memref<16xf32> to memref<16xf32>
    }
    rt.for %m = 0 to 31 {
      %all = rt.address @all slot %m + 1 : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      // expected-error @+1 {{reads @all, which nothing has written}}
      rt.copy %all to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// Every iteration leaves less than the one before: @b is overwritten in the
// third.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 {role = "data", name = "x"}
  // expected-note @+1 {{by @all}}
  rt.buffer @all : memref<16xf32> value at 64 slots 4
  rt.buffer @b : memref<16xf32> value at 192
  rt.buffer @y : memref<16xf32> output at 320 {name = "y"}
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    rt.copy %x to %b : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %all = rt.address @all slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      %kept = rt.address @b : memref<16xf32>
      rt.copy %in to %all : memref<16xf32> to memref<16xf32>
      // expected-error @+1 {{reads @b, part of which is overwritten}}
      rt.copy %kept to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// The peer sends less often than this stage receives.
// expected-error @+1 {{the stages wait for each other forever in @train}}
module {
  // expected-note @+1 {{stage 0 is done}}
  rt.stage 0 arena 64 {
    rt.buffer @a : memref<16xf32> value at 0
    rt.func @train() {
      %a = rt.address @a : memref<16xf32>
      rt.zero %a : memref<16xf32>
      rt.for %m = 0 to 30 {
        %b = rt.address @a : memref<16xf32>
        rt.send %b to 1 channel 0 : memref<16xf32>
      }
    }
  }
  rt.stage 1 arena 64 {
    rt.buffer @a : memref<16xf32> value at 0
    rt.func @train() {
      rt.for %m = 0 to 31 {
        %b = rt.address @a : memref<16xf32>
        // expected-note @+1 {{stage 1 waits to receive 64 bytes from stage 0 on channel 0}}
        rt.recv %b from 0 channel 0 : memref<16xf32>
      }
    }
  }
}

// -----

// A value written at the end of an iteration is lost in the next.
rt.stage 0 arena 192 {
  rt.buffer @x : memref<16xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @b : memref<16xf32> value at 64
  // expected-note @+1 {{by @c}}
  rt.buffer @c : memref<16xf32> value at 64
  rt.buffer @y : memref<16xf32> output at 128 {name = "y"}
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    rt.copy %x to %b : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %taken = rt.address @b : memref<16xf32>
      %c = rt.address @c : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      // expected-error @+1 {{reads @b, part of which is overwritten}}
      rt.copy %taken to %y : memref<16xf32> to memref<16xf32>
      rt.copy %in to %c : memref<16xf32> to memref<16xf32>
    }
  }
}
