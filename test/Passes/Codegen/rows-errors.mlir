// Mistakes with buckets that have slots. Cases that expect no error are valid.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

// A member of a bucket is in each of its slots.
rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 512 slots 2
  // expected-error @+1 {{has offset 576, but element 32 of @row is at 640}}
  rt.buffer @a : memref<32xf32> gradient in @row element 32 at 128, 576 slots 2
}

// -----

// A bucket of parameters is always live, at one offset.
rt.stage 0 arena 512 {
  // expected-error @+1 {{has 2 slots, but its contents persist between entry points}}
  rt.buffer @row : memref<1x64xf32> bucket at 0 slots 2
  rt.buffer @a : memref<64xf32> param in @row element 0 at 0, 256 slots 2
}

// -----

// A slot other than the filled one is read,
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @y : memref<1x64xf32> output at 512
  rt.func @train() {
    %a = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    %b = rt.address @row : memref<1x64xf32>
    %y = rt.address @y : memref<1x64xf32>
    // expected-error @+1 {{reads @row, which nothing has written}}
    rt.copy %b to %y : memref<1x64xf32> to memref<1x64xf32>
  }
}

// -----

// except one at the same offset: iterations may rotate through slots of other
// iterations.
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 256, 0, 256 slots 3
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 256, 0, 256 slots 3
  rt.buffer @y : memref<1x64xf32> output at 512
  rt.func @train() {
    %a = rt.address @row : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    rt.for %m = 0 to 31 {
      %b = rt.address @row slot %m + 1 among 1 to 3 : memref<1x64xf32>
      %y = rt.address @y : memref<1x64xf32>
      rt.copy %b to %y : memref<1x64xf32> to memref<1x64xf32>
      rt.release %b : memref<1x64xf32>
      %c = rt.address @row slot %m among 1 to 3 : memref<1x64xf32>
      rt.zero %c : memref<1x64xf32>
    }
  }
}

// -----

// A slot filled in one iteration and used in the next must be the same in both,
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @y : memref<1x64xf32> output at 512
  rt.func @train() {
    %a = rt.address @row : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    rt.for %m = 0 to 31 {
      %b = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      %y = rt.address @y : memref<1x64xf32>
      // expected-error @+1 {{reads @row, which nothing has written}}
      rt.copy %b to %y : memref<1x64xf32> to memref<1x64xf32>
      rt.release %b : memref<1x64xf32>
      %c = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      rt.zero %c : memref<1x64xf32>
    }
  }
}

// -----

// also in the last of many iterations,
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @y : memref<1x64xf32> output at 512
  rt.func @train() {
    %a = rt.address @row : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    %y = rt.address @y : memref<1x64xf32>
    rt.for %m = 0 to 31 {
      %b = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      rt.copy %b to %y : memref<1x64xf32> to memref<1x64xf32>
      rt.release %b : memref<1x64xf32>
      %c = rt.address @row slot %m + 1 among 0 to 2 : memref<1x64xf32>
      rt.zero %c : memref<1x64xf32>
    }
    %d = rt.address @row : memref<1x64xf32>
    // expected-error @+1 {{reads @row, which nothing has written}}
    rt.copy %d to %y : memref<1x64xf32> to memref<1x64xf32>
  }
}

// -----

// and an overlapping value in only one of the slots is an error, too.
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  // expected-note @+1 {{by @v}}
  rt.buffer @v : memref<1x64xf32> value at 256
  rt.buffer @y : memref<1x64xf32> output at 512
  rt.func @train() {
    rt.for %m = 0 to 31 {
      %a = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      rt.zero %a : memref<1x64xf32>
      %v = rt.address @v : memref<1x64xf32>
      rt.zero %v : memref<1x64xf32>
      %y = rt.address @y : memref<1x64xf32>
      // expected-error @+1 {{reads @row, part of which is overwritten}}
      rt.copy %a to %y : memref<1x64xf32> to memref<1x64xf32>
      rt.release %a : memref<1x64xf32>
    }
  }
}

// -----

// A bucket that is killed must have been filled, but another buffer may already
// have its bytes.
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @v : memref<1x64xf32> value at 256
  rt.func @train() {
    %a = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    %v = rt.address @v : memref<1x64xf32>
    rt.zero %v : memref<1x64xf32>
    rt.release %a : memref<1x64xf32>
    %b = rt.address @row : memref<1x64xf32>
    // expected-error @+1 {{releases @row, which was not filled before}}
    rt.release %b : memref<1x64xf32>
  }
}

// -----

// The gradients of all slots must be accumulated.
rt.stage 0 arena 768 {
  // expected-error @+1 {{holds gradients when @train ends that were not accumulated into @sum}}
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @sum : memref<1x32xf32> gradient at 512 of @row
  rt.func @train() {
    %a = rt.address @row : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    rt.release %a : memref<1x64xf32>
    %b = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %b : memref<1x64xf32>
  }
}

// -----

// A killed bucket may be overwritten as soon as it has been read, as by a
// temporary of the function that adds it to the others,
rt.program axes <["dp"=2, "cp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @sum : memref<1x16xf32> gradient at 768 of @row
  rt.buffer @f : memref<384xi8> frame at 256
  rt.func @reduce(%row: memref<1x64xf32>, %sum: memref<1x16xf32>) frame 384 attributes {gives_up = array<i64: 0>} {
    %half = rt.temporary at 256 : memref<1x32xf32>
    %own = rt.temporary at 0 : memref<1x16xf32>
    rt.reduce_scatter %row to %half over ["dp"] : memref<1x64xf32> to memref<1x32xf32>
    rt.shard_slice %half to %own over ["cp"] : memref<1x32xf32> to memref<1x16xf32>
    rt.copy %own to %sum : memref<1x16xf32> to memref<1x16xf32>
  }
  rt.func @train() {
    %row = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %row : memref<1x64xf32>
    %sum = rt.address @sum : memref<1x16xf32>
    rt.call @reduce(%row, %sum) frame @f : memref<1x64xf32>, memref<1x16xf32>
  }
}

// -----

// but not before it was read.
rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @sum : memref<1x64xf32> gradient at 768 of @row
  rt.buffer @f : memref<64xi8> frame at 256
  rt.func @reduce(%row: memref<1x64xf32>, %sum: memref<1x64xf32>) frame 64 attributes {gives_up = array<i64: 0>} {
    %t = rt.temporary at 0 : memref<1x16xf32>
    // expected-error @+1 {{writes a temporary of @reduce over @row, whose gradients were not accumulated into @sum}}
    rt.zero %t : memref<1x16xf32>
    rt.copy %row to %sum : memref<1x64xf32> to memref<1x64xf32>
  }
  rt.func @train() {
    %row = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %row : memref<1x64xf32>
    %sum = rt.address @sum : memref<1x64xf32>
    rt.call @reduce(%row, %sum) frame @f : memref<1x64xf32>, memref<1x64xf32>
  }
}

// -----

// A gradient that was not added to the others is lost if another buffer is
// written there;
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.buffer @sum : memref<1x32xf32> gradient at 512 of @row
  rt.buffer @v : memref<16xf32> value at 448
  rt.func @train() {
    %a = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    %v = rt.address @v : memref<16xf32>
    // expected-error @+1 {{writes @v over @row, whose gradients were not accumulated into @sum}}
    rt.zero %v : memref<16xf32>
  }
}

// -----

// also in an iteration that differs from others only in its slots.
rt.stage 0 arena 3072 {
  rt.buffer @row : memref<1x64xf32> bucket at 1792
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 1792
  rt.buffer @sum : memref<1x32xf32> gradient at 2048 of @row
  rt.buffer @v : memref<16xf32> value at 0 slots 31
  rt.func @train() {
    %a = rt.address @row : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    rt.for %m = 0 to 31 {
      %v = rt.address @v slot %m : memref<16xf32>
      // expected-error @+1 {{writes @v over @row, whose gradients were not accumulated into @sum}}
      rt.zero %v : memref<16xf32>
    }
    rt.release %a : memref<1x64xf32>
  }
}

// -----

// If streams use another slot of a bucket in each iteration, each waits for the
// use of the same slot, two iterations before;
rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 31
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.event @over slots 2
  rt.event @issued
  rt.func @train() {
    %a0 = rt.address @row : memref<1x64xf32>
    rt.zero %a0 : memref<1x64xf32>
    %a1 = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %a1 : memref<1x64xf32>
    %first = rt.event_of @over : !rt.event
    rt.record %first
    %second = rt.event_of @over slot 1 : !rt.event
    rt.record %second
    rt.for %m = 0 to 31 {
      %before = rt.event_of @over slot %m : !rt.event
      rt.wait %before
      %a = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      rt.release %a : memref<1x64xf32>
      rt.zero %a : memref<1x64xf32>
      %issued = rt.event_of @issued : !rt.event
      rt.record %issued
      rt.wait %issued stream 1
      rt.all_reduce sum %a over ["dp"] stream 1 : memref<1x64xf32>
      %over = rt.event_of @over slot %m : !rt.event
      rt.record %over stream 1
    }
    %last = rt.event_of @over : !rt.event
    rt.wait %last
    %other = rt.event_of @over slot 1 : !rt.event
    rt.wait %other
  }
}

// -----

// a wait of the previous iteration is too early.
rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 31
rt.stage 0 arena 768 {
  rt.buffer @row : memref<1x64xf32> bucket at 0, 256 slots 2
  rt.buffer @a : memref<64xf32> gradient in @row element 0 at 0, 256 slots 2
  rt.event @over slots 3
  rt.event @issued
  rt.func @train() {
    %a0 = rt.address @row : memref<1x64xf32>
    rt.zero %a0 : memref<1x64xf32>
    %a1 = rt.address @row slot 1 : memref<1x64xf32>
    rt.zero %a1 : memref<1x64xf32>
    %first = rt.event_of @over : !rt.event
    rt.record %first
    %second = rt.event_of @over slot 1 : !rt.event
    rt.record %second
    %third = rt.event_of @over slot 2 : !rt.event
    rt.record %third
    rt.for %m = 0 to 31 {
      %before = rt.event_of @over slot %m : !rt.event
      rt.wait %before
      %a = rt.address @row slot %m among 0 to 2 : memref<1x64xf32>
      // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
      rt.release %a : memref<1x64xf32>
      rt.zero %a : memref<1x64xf32>
      %issued = rt.event_of @issued : !rt.event
      rt.record %issued
      rt.wait %issued stream 1
      // expected-note @+1 {{used here}}
      rt.all_reduce sum %a over ["dp"] stream 1 : memref<1x64xf32>
      %over = rt.event_of @over slot %m : !rt.event
      rt.record %over stream 1
    }
    %last = rt.event_of @over : !rt.event
    rt.wait %last
    %other = rt.event_of @over slot 1 : !rt.event
    rt.wait %other
  }
}

// -----

// A slot of a scratch buffer needs a wait as a bucket's does: for one that
// repeats after two iterations, a wait of the third iteration before is too
// early.
rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 31
rt.stage 0 arena 512 {
  rt.buffer @frame.f : memref<256xi8> frame at 0, 256 slots 2
  rt.event @over slots 3
  rt.event @issued
  rt.func @f(%issued: !rt.event, %over: !rt.event) frame 256 {
    %t = rt.temporary at 0 : memref<64xf32>
    // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
    rt.zero %t : memref<64xf32>
    rt.record %issued
    rt.wait %issued stream 1
    // expected-note @+1 {{used here}}
    rt.all_reduce sum %t over ["dp"] stream 1 : memref<64xf32>
    rt.record %over stream 1
  }
  rt.func @train() {
    %first = rt.event_of @over : !rt.event
    rt.record %first
    %second = rt.event_of @over slot 1 : !rt.event
    rt.record %second
    %third = rt.event_of @over slot 2 : !rt.event
    rt.record %third
    rt.for %m = 0 to 31 {
      %before = rt.event_of @over slot %m : !rt.event
      rt.wait %before
      %issued = rt.event_of @issued : !rt.event
      // expected-note @+1 {{called here}}
      rt.call @f(%issued, %before) frame @frame.f : !rt.event, !rt.event
    }
  }
}
