// Each value that is read must belong to the current microbatch.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify

// Two alternating slots, in a loop and after it. The last call is for no
// microbatch.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 5
  rt.buffer @a : memref<16xf32> value at 320 slots 2
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @copy(%x: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @clear(%y: memref<16xf32>) {
    rt.zero %y : memref<16xf32>
  }
  rt.func @train() {
    %x0 = rt.address @x : memref<16xf32>
    %a0 = rt.address @a : memref<16xf32>
    rt.call @copy(%x0, %a0) : memref<16xf32>, memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    rt.for %m = 0 to 4 {
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      rt.call @copy(%x, %next) : memref<16xf32>, memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      rt.call @copy(%a, %y) : memref<16xf32>, memref<16xf32>
    }
    %a4 = rt.address @a slot 4 : memref<16xf32>
    rt.call @copy(%a4, %y) : memref<16xf32>, memref<16xf32>
    rt.call @clear(%y) : memref<16xf32>
  }
}

// -----

// Both slots hold values, but not of this microbatch.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 3
  rt.buffer @a : memref<16xf32> value at 320 slots 2
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @copy(%x: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      rt.call @copy(%x, %a) : memref<16xf32>, memref<16xf32>
    }
    %a0 = rt.address @a : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    // expected-error @+1 {{reads @a of microbatch 0, but it holds microbatch 2}}
    rt.call @copy(%a0, %y) : memref<16xf32>, memref<16xf32>
  }
}

// -----

// The same with one slot, and in an op of the entry point itself. A value that
// is written only in part still belongs to the previous microbatch.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 3
  rt.buffer @a : memref<16xf32> value at 320
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @part(%a: memref<16xf32>) {
    %half = rt.view %a offset 0 : memref<16xf32> to memref<8xf32>
    rt.zero %half : memref<8xf32>
  }
  rt.func @train() {
    %x0 = rt.address @x : memref<16xf32>
    %a0 = rt.address @a : memref<16xf32>
    %a1 = rt.address @a slot 1 : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    rt.copy %x0 to %a0 : memref<16xf32> to memref<16xf32>
    rt.copy %a0 to %y : memref<16xf32> to memref<16xf32>
    // expected-error @+1 {{reads @a of microbatch 1, but it holds microbatch 0}}
    rt.call @part(%a1) : memref<16xf32>
  }
}

// -----

rt.stage 0 arena 640 {
  rt.buffer @x : memref<16xf32> input at 0 slots 3
  rt.buffer @a : memref<16xf32> value at 320 slots 2
  rt.func @copy(%x: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    rt.for %m = 0 to 2 {
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      // expected-error @+1 {{takes @x of microbatch 1 and @a of microbatch 0}}
      rt.call @copy(%x, %a) : memref<16xf32>, memref<16xf32>
    }
  }
}

// -----

// Each stage alone is valid.
rt.program axes <["pp"=2]> comms [] microbatches 2
rt.stage 0 arena 384 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2
  rt.buffer @a : memref<16xf32> value at 256
  rt.func @train() {
    rt.for %m = 0 to 2 {
      %x = rt.address @x slot %m : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      rt.copy %x to %a : memref<16xf32> to memref<16xf32>
      // expected-error @+1 {{sends microbatch 0 to stage 1 over channel 0}}
      rt.send %a to 1 channel 0 : memref<16xf32>
    }
  }
}
rt.stage 1 arena 384 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.func @train() {
    rt.for %m = 0 to 2 {
      %a = rt.address @a slot %m + 1 : memref<16xf32>
      // expected-note @+1 {{there it is received as microbatch 1}}
      rt.recv %a from 0 channel 0 : memref<16xf32>
    }
  }
}

// -----

// An entry point reads an input of all microbatches or of none: here a loop has
// one iteration too few in @evaluate, and @other is not needed.
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 3
  rt.buffer @other : memref<16xf32> input at 192 slots 3
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @copy(%x: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.call @copy(%x, %y) : memref<16xf32>, memref<16xf32>
    }
  }
  // expected-error @+1 {{reads the input @x of 2 of 3 microbatches, not of microbatch 2}}
  rt.func @evaluate() {
    rt.for %m = 0 to 2 {
      %x = rt.address @x slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.call @copy(%x, %y) : memref<16xf32>, memref<16xf32>
    }
  }
}

// -----

// Received values, too, must be used for all microbatches.
rt.program axes <["pp"=2]> comms [] microbatches 3
rt.stage 0 arena 256 {
  rt.buffer @x : memref<16xf32> input at 0 slots 3
  rt.func @train() {
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<16xf32>
      rt.send %x to 1 channel 0 : memref<16xf32>
    }
  }
}
rt.stage 1 arena 256 {
  rt.buffer @a : memref<16xf32> value at 0 slots 2
  rt.buffer @y : memref<16xf32> output at 128 {name = "y"}
  rt.func @copy(%a: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %a to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    %first = rt.address @a : memref<16xf32>
    rt.recv %first from 0 channel 0 : memref<16xf32>
    rt.for %m = 0 to 2 {
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      // expected-error @+1 {{receives @a of microbatch 2, which nothing uses}}
      rt.recv %next from 0 channel 0 : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      rt.call @copy(%a, %y) : memref<16xf32>, memref<16xf32>
    }
  }
}

// -----

// Inputs that an entry point fills: for each microbatch, in their order; the
// slot that is read holds the microbatch.
rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @copy(%x: memref<16xf32>, %y: memref<16xf32>) {
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
  }
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    %x0 = rt.address @x : memref<16xf32>
    rt.fill %x0 : memref<16xf32>
    rt.for %m = 0 to 3 {
      %next = rt.address @x slot %m + 1 : memref<16xf32>
      rt.fill %next : memref<16xf32>
      %x = rt.address @x slot %m : memref<16xf32>
      rt.call @copy(%x, %y) : memref<16xf32>, memref<16xf32>
    }
  }
}

// -----

rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    rt.for %m = 0 to 3 {
      %next = rt.address @x slot %m + 1 : memref<16xf32>
      // expected-error @+1 {{fills @x for microbatch 1, but the next one is 0 of 3}}
      rt.fill %next : memref<16xf32>
      %x = rt.address @x slot %m + 1 : memref<16xf32>
      rt.copy %x to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<16xf32>
      rt.fill %x : memref<16xf32>
      rt.copy %x to %y : memref<16xf32> to memref<16xf32>
    }
    %last = rt.address @x slot 1 : memref<16xf32>
    // expected-error @+1 {{fills @x for microbatch 1, but the next one is 3 of 3}}
    rt.fill %last : memref<16xf32>
  }
}

// -----

// The slot already holds the next microbatch but one.
rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<16xf32>
      rt.fill %x : memref<16xf32>
    }
    %x0 = rt.address @x : memref<16xf32>
    // expected-error @+1 {{reads @x of microbatch 0, but it holds microbatch 2}}
    rt.copy %x0 to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// Nothing is filled for microbatch 3 of 3.
rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    rt.for %m = 0 to 4 {
      %x = rt.address @x slot %m : memref<16xf32>
      rt.fill %x : memref<16xf32>
      // expected-error @+1 {{reads @x of microbatch 3, but there are 3}}
      rt.copy %x to %y : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

rt.program axes <[]> comms [] microbatches 3
rt.stage 0 arena 512 {
  rt.buffer @x : memref<16xf32> input at 0 slots 2 refilled
  rt.buffer @y : memref<16xf32> output at 448 {name = "y"}
  rt.func @train() {
    %y = rt.address @y : memref<16xf32>
    %x = rt.address @x : memref<16xf32>
    // expected-error @+1 {{reads @x, which nothing has written}}
    rt.copy %x to %y : memref<16xf32> to memref<16xf32>
    rt.fill %x : memref<16xf32>
  }
}
