// Programs to which --rt-streams cannot add events.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-streams

rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 {
  rt.buffer @a : memref<16xf32> value
  rt.func @both(%a: memref<16xf32>) {
    rt.zero %a : memref<16xf32>
    // expected-error @+1 {{is on another stream than the preceding operations of '@both'}}
    rt.all_reduce sum %a over ["dp"] stream 1 : memref<16xf32>
  }
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    rt.call @both(%a) : memref<16xf32>
  }
}

// -----

// expected-error @+1 {{has events already}}
rt.stage 0 {
  rt.event @mine
  rt.func @train() {
  }
}
