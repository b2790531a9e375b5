// A communicator has one stream.
// RUN: pcc-opt %s -split-input-file -rt-verify -verify-diagnostics

rt.program axes <["dp"=2 data]> comms [["dp"]] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    // expected-error @+1 {{communicates over ["dp"] on a communication stream, but the program lists no communicator for that}}
    rt.all_reduce sum %a over ["dp"] stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
  }
}

// -----

rt.program axes <["dp"=2 data]> comms [["dp"]] beside [["dp"]] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.all_reduce sum %a over ["dp"] : memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    // expected-note @+1 {{used here}}
    rt.all_reduce sum %a over ["dp"] stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done stream 2
    // expected-error @+1 {{uses a communicator on stream 2 that is also used on stream 1}}
    rt.all_reduce sum %a over ["dp"] stream 2 : memref<16xf32>
    rt.record %done stream 2
    rt.wait %done
  }
}

// -----

// Each stage alone is valid, but the two use different communicators.
rt.program axes <["pp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    // expected-error @+1 {{sends to stage 1 on channel 0 on a communication stream, but is received on the compute stream}}
    rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
  }
}
rt.stage 1 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    // expected-note @+1 {{received here}}
    rt.recv %a from 0 channel 0 : memref<16xf32>
  }
}

// -----

rt.program axes <["pp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.event @done
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    %done = rt.event_of @done : !rt.event
    rt.zero %a : memref<16xf32>
    rt.record %done
    rt.wait %done stream 1
    rt.wait %done stream 2
    // expected-note @+1 {{used here}}
    rt.send %a to 1 channel 0 stream 1 : memref<16xf32>
    // expected-error @+1 {{uses a communicator on stream 2 that is also used on stream 1}}
    rt.send %a to 1 channel 0 stream 2 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
    rt.record %done stream 2
    rt.wait %done
  }
}
rt.stage 1 arena 64 {
  rt.buffer @a : memref<16xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<16xf32>
    rt.recv %a from 0 channel 0 : memref<16xf32>
    rt.recv %a from 0 channel 0 : memref<16xf32>
  }
}
