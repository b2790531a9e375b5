// Accesses of two streams that no event orders, within a step and from one to
// the next, and transfers that two stages begin in different orders.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify

// A valid program: while one value is sent the next one is computed, and while
// one is used the next one is received. Most of 100 iterations are skipped.
rt.stage 0 arena 6592 {
  rt.buffer @x : memref<16xf32> input at 0 slots 100 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value at 6400 slots 3
  rt.event @made
  rt.event @sent slots 3
  rt.func @train() {
    %made = rt.event_of @made : !rt.event
    rt.for %m = 0 to 3 {
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.record %sent
    }
    rt.for %m = 0 to 100 {
      %x = rt.address @x slot %m : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.wait %sent
      rt.copy %x to %a : memref<16xf32> to memref<16xf32>
      rt.record %made
      rt.wait %made stream 1
      rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
      rt.record %sent stream 1
    }
    %last = rt.event_of @sent : !rt.event
    rt.wait %last
  }
}
rt.stage 1 arena 256 {
  rt.buffer @a : memref<16xf32> value at 0 slots 2
  rt.buffer @y : memref<16xf32> output at 128 {name = "y"}
  rt.event @free
  rt.event @received slots 2
  rt.func @train() {
    %free = rt.event_of @free : !rt.event
    %a0 = rt.address @a : memref<16xf32>
    %a99 = rt.address @a slot 99 : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    %received0 = rt.event_of @received : !rt.event
    %received1 = rt.event_of @received slot 1 : !rt.event
    rt.recv %a0 from 0 channel 0 stream 5 : memref<16xf32>
    rt.record %received0 stream 5
    rt.for %m = 0 to 99 {
      %next = rt.address @a slot %m + 1 : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %coming = rt.event_of @received slot %m + 1 : !rt.event
      %received = rt.event_of @received slot %m : !rt.event
      rt.record %free
      rt.wait %free stream 5
      rt.recv %next from 0 channel 0 stream 5 : memref<16xf32>
      rt.record %coming stream 5
      rt.wait %received
      rt.copy %a to %y : memref<16xf32> to memref<16xf32>
    }
    rt.wait %received1
    rt.copy %a99 to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// Two slots for transfers of which three are in flight.
rt.stage 0 arena 6528 {
  rt.buffer @x : memref<16xf32> input at 0 slots 100 {role = "data", name = "x"}
  rt.buffer @a : memref<16xf32> value at 6400 slots 2
  rt.event @made
  rt.event @sent slots 3
  rt.func @train() {
    %made = rt.event_of @made : !rt.event
    rt.for %m = 0 to 3 {
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.record %sent
    }
    rt.for %m = 0 to 100 {
      %x = rt.address @x slot %m : memref<16xf32>
      %a = rt.address @a slot %m : memref<16xf32>
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.wait %sent
      // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
      rt.copy %x to %a : memref<16xf32> to memref<16xf32>
      rt.record %made
      rt.wait %made stream 1
      // expected-note @+1 {{used here}}
      rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
      rt.record %sent stream 1
    }
    %last = rt.event_of @sent : !rt.event
    rt.wait %last
  }
}

// -----

// Only in iteration 90 stream 1 reaches the bytes that the loop reads. The
// skipped iterations of stream 1 are executed as well.
rt.stage 0 arena 12864 {
  rt.buffer @x : memref<16xf32> input at 0 slots 100 {role = "data", name = "x"}
  rt.buffer @kept : memref<16xf32> value at 6400 slots 100
  rt.buffer @w : memref<16xf32> value at 12736
  rt.buffer @y : memref<16xf32> output at 12800 {name = "y"}
  rt.event @made
  rt.event @sent
  rt.func @train() {
    %made = rt.event_of @made : !rt.event
    %sent = rt.event_of @sent : !rt.event
    %y = rt.address @y : memref<16xf32>
    %x0 = rt.address @x : memref<16xf32>
    rt.copy %x0 to %y : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 100 {
      %x = rt.address @x slot %m : memref<16xf32>
      %kept = rt.address @kept slot %m : memref<16xf32>
      rt.copy %x to %kept : memref<16xf32> to memref<16xf32>
      rt.record %made
      rt.wait %made stream 1
      // expected-note @+1 {{used here}}
      rt.send %kept to 1 channel 0 stream 1 : memref<16xf32>
    }
    %w = rt.address @w : memref<16xf32>
    // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.zero %w : memref<16xf32>
    rt.record %sent stream 1
    rt.wait %sent
  }
}

// -----

// @in has the bytes of slot 50 of @kept, which is written after the event that
// the next transfer waits for: the fifty-second one may come too early, and no
// other.
rt.stage 0 arena 12864 {
  rt.buffer @x : memref<16xf32> input at 0 slots 100 {role = "data", name = "x"}
  rt.buffer @kept : memref<16xf32> value at 6400 slots 100
  rt.buffer @in : memref<16xf32> value at 9600
  rt.buffer @y : memref<16xf32> output at 12800 {name = "y"}
  rt.event @used
  rt.event @received
  rt.func @train() {
    rt.for %m = 0 to 100 {
      %x = rt.address @x slot %m : memref<16xf32>
      %kept = rt.address @kept slot %m : memref<16xf32>
      %in = rt.address @in : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      %used = rt.event_of @used : !rt.event
      %received = rt.event_of @received : !rt.event
      // expected-error @+1 {{writes bytes on stream 1 that stream 0 may still be using: no event orders the two}}
      rt.recv %in from 1 channel 0 stream 1 : memref<16xf32>
      rt.record %received stream 1
      rt.wait %received
      rt.copy %in to %y : memref<16xf32> to memref<16xf32>
      rt.record %used
      rt.wait %used stream 1
      // expected-note @+1 {{used here}}
      rt.copy %x to %kept : memref<16xf32> to memref<16xf32>
    }
  }
}

// -----

// An event is recorded before the op it should cover.
rt.stage 0 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.buffer @y : memref<16xf32> output at 64 {name = "y"}
  rt.event @received
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    %received = rt.event_of @received : !rt.event
    rt.record %received stream 1
    // expected-note @+1 {{used here}}
    rt.recv %a from 1 channel 0 stream 1 : memref<16xf32>
    rt.wait %received
    // expected-error @+1 {{reads bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.copy %a to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// Nothing records it.
rt.stage 0 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @received slots 2
  rt.func @body(%received: !rt.event) {
    // expected-error @+1 {{waits for an event that nothing has recorded}}
    rt.wait %received
  }
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %received = rt.event_of @received : !rt.event
    %other = rt.event_of @received slot 1 : !rt.event
    rt.recv %a from 1 channel 0 stream 1 : memref<16xf32>
    rt.record %other stream 1
    // expected-note @+1 {{called here}}
    rt.call @body(%received) : !rt.event
  }
}

// -----

// A kernel on a transfer's stream adds a value received into a scratch buffer,
// which is free once the stream has been waited for.
func.func private @add_kernel(%a: tensor<1x16xf32>, %b: tensor<1x16xf32>)
    -> (tensor<1x16xf32> {rt.inplace = 0}) attributes {rt.kernel} {
  %0 = nn.sum %a, %b : tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}
rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 1
rt.stage 0 arena 320 {
  rt.buffer @row : memref<1x32xf32> value at 0
  rt.buffer @sum : memref<1x16xf32> param at 128
  rt.buffer @frame : memref<64xi8> frame at 192
  rt.buffer @x : memref<16xf32> value at 192
  rt.event @made
  rt.func @make(%row: memref<1x32xf32>) {
    rt.zero %row : memref<1x32xf32>
  }
  rt.func @add(%sum: memref<1x16xf32>, %row: memref<1x32xf32>) frame 64 {
    %came = rt.temporary at 0 : memref<1x16xf32>
    // expected-note @+1 {{used here}}
    rt.reduce_scatter %row to %came over ["dp"] stream 1
        : memref<1x32xf32> to memref<1x16xf32>
    rt.launch @add_kernel ins(%sum, %came : memref<1x16xf32>, memref<1x16xf32>)
        outs(%sum : memref<1x16xf32>) inplace [0] stream 1
  }
  rt.func @train() {
    %row = rt.address @row : memref<1x32xf32>
    %sum = rt.address @sum : memref<1x16xf32>
    %x = rt.address @x : memref<16xf32>
    %made = rt.event_of @made : !rt.event
    rt.call @make(%row) : memref<1x32xf32>
    rt.record %made
    rt.wait %made stream 1
    rt.call @add(%sum, %row) frame @frame : memref<1x16xf32>, memref<1x32xf32>
    // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.zero %x : memref<16xf32>
  }
}

// -----

// An evaluation overwrites a buffer that is still being sent: the body
// responsible is named.
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> param at 0
  rt.func @make(%a: memref<16xf32>) {
    // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.zero %a : memref<16xf32>
  }
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    // expected-note @+1 {{used here, by an earlier entry point}}
    rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
  }
  rt.func @evaluate() {
    %a = rt.address @a : memref<16xf32>
    // expected-note @+1 {{called here}}
    rt.call @make(%a) : memref<16xf32>
  }
}

// -----

// The event that marks the end of the previous step is recorded again.
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @made
  rt.event @sent
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %made = rt.event_of @made : !rt.event
    %sent = rt.event_of @sent : !rt.event
    rt.record %sent
    rt.wait %sent
    // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.zero %a : memref<16xf32>
    rt.record %made
    rt.wait %made stream 1
    // expected-note @+1 {{used here, by an earlier entry point}}
    rt.all_reduce sum %a over ["dp"] stream 1 : memref<16xf32>
    rt.record %sent stream 1
  }
}

// -----

// The runtime reads parameters when an entry is done.
rt.stage 0 arena 128 {
  // expected-note @+1 {{it accesses bytes of this buffer}}
  rt.buffer @w : memref<16xf32> param at 0
  rt.buffer @a : memref<16xf32> value at 64
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    // expected-error @+1 {{on stream 1 may still be running when the runtime reads the results of @train}}
    rt.recv %w from 1 channel 0 stream 1 : memref<16xf32>
  }
}

// -----

// Both stages send first, each on a separate stream: if two communicators'
// streams cannot make progress at once, both stages wait forever.
// expected-error @-4 {{the stages wait for each other forever in @train}}
// expected-note @-5 {{transfers on all streams begin in program order}}
rt.stage 0 arena 128 {
  rt.buffer @w : memref<16xf32> param at 0
  rt.buffer @a : memref<16xf32> value at 64
  rt.event @done
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    // expected-note @+1 {{stage 0 waits to send 64 bytes to stage 1 on channel 0}}
    rt.send %w to 1 channel 0 stream 1 : memref<16xf32>
    rt.recv %a from 1 channel 1 stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
  }
}
rt.stage 1 arena 128 {
  rt.buffer @w : memref<16xf32> param at 0
  rt.buffer @a : memref<16xf32> value at 64
  rt.event @done
  rt.func @train() {
    %w = rt.address @w : memref<16xf32>
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    // expected-note @+1 {{stage 1 waits to send 64 bytes to stage 0 on channel 1}}
    rt.send %w to 0 channel 1 stream 1 : memref<16xf32>
    rt.recv %a from 0 channel 0 stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
  }
}

// -----

// Two communicators across stages, used in different orders by two stages.
// expected-error @-3 {{the stages wait for each other forever in @train}}
// expected-note @-4 {{transfers on all streams begin in program order}}
rt.program axes <["pp"=2, "tp"=2]> comms [] beside [["pp"], ["pp", "tp"]] microbatches 1
rt.stage 0 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.buffer @b : memref<16xf32> value at 64
  rt.event @a_done
  rt.event @b_done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %a_done = rt.event_of @a_done : !rt.event
    %b_done = rt.event_of @b_done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.zero %b : memref<16xf32>
    rt.record %a_done
    rt.wait %a_done stream 1
    rt.wait %a_done stream 2
    // expected-note @+1 {{stage 0 waits for all stages to do rt.all_reduce sum of 64 bytes of f32 over ["pp"]}}
    rt.all_reduce sum %a over ["pp"] stream 1 : memref<16xf32>
    rt.record %a_done stream 1
    rt.all_reduce sum %b over ["pp", "tp"] stream 2 : memref<16xf32>
    rt.record %b_done stream 2
    rt.wait %a_done
    rt.wait %b_done
  }
}
rt.stage 1 arena 128 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.buffer @b : memref<16xf32> value at 64
  rt.event @a_done
  rt.event @b_done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %b = rt.address @b : memref<16xf32>
    %a_done = rt.event_of @a_done : !rt.event
    %b_done = rt.event_of @b_done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.zero %b : memref<16xf32>
    rt.record %a_done
    rt.wait %a_done stream 1
    rt.wait %a_done stream 2
    // expected-note @+1 {{stage 1 waits for all stages to do rt.all_reduce sum of 64 bytes of f32 over ["pp", "tp"]}}
    rt.all_reduce sum %b over ["pp", "tp"] stream 2 : memref<16xf32>
    rt.record %b_done stream 2
    rt.all_reduce sum %a over ["pp"] stream 1 : memref<16xf32>
    rt.record %a_done stream 1
    rt.wait %a_done
    rt.wait %b_done
  }
}
