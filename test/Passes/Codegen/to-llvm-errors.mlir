// Ops that cannot be lowered to LLVM or to the program's description.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-to-llvm

// expected-error @+1 {{has no rt.program}}
module {
  rt.stage 0 arena 0 {
  }
}

// -----

rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> value
  rt.func @train() {
    // expected-error @+1 {{names a buffer without offset; run --rt-plan}}
    %a = rt.address @a : memref<4xf32>
    rt.zero %a : memref<4xf32>
  }
}

// -----

rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.func @f() {
    // expected-error @+1 {{has no offset; run --rt-plan}}
    %a = rt.temporary : memref<4xf32>
    rt.zero %a : memref<4xf32>
  }
}

// -----

rt.program axes <["tp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    // expected-error @+1 {{is over ["tp"], which is no communicator of the program}}
    rt.all_reduce sum %a over ["tp"] : memref<4xf32>
  }
}

// -----

rt.program axes <["tp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> value at 0
  rt.buffer @b : memref<2xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<2xf32>
    // expected-error @+1 {{is over ["tp"], which is no communicator of the program}}
    rt.shard_slice %a to %b over ["tp"] : memref<4xf32> to memref<2xf32>
  }
}

// -----

rt.program axes <["tp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.func @train() {
    // expected-error @+1 {{is over ["tp"], which is no communicator of the program}}
    %b = rt.comm_index over ["tp"] times 3 : memref<i64>
  }
}

// -----

rt.program axes <["tp"=2]> comms [] microbatches 1
rt.stage 0 arena 192 {
  rt.buffer @a : memref<4xf32> value at 0
  rt.buffer @b : memref<8xf32> value at 64
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    %b = rt.address @b : memref<8xf32>
    // expected-error @+1 {{is over ["tp"], which is no communicator of the program}}
    rt.all_gather %a to %b over ["tp"] : memref<4xf32> to memref<8xf32>
  }
}

// -----

rt.program axes <["tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xi7> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xi7>
    // expected-error @+1 {{has elements of type 'i7', which the runtime does not know}}
    rt.all_reduce sum %a over ["tp"] : memref<4xi7>
  }
}

// -----

rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    // expected-error @+1 {{launches @k, which is no lowered kernel}}
    rt.launch @k ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  }
}

// -----

llvm.func @k(!llvm.ptr, i64, i64) attributes {rt.units = 4 : i64}
rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  rt.buffer @a : memref<4xf32> value at 0
  rt.func @train() {
    %a = rt.address @a : memref<4xf32>
    // expected-error @+1 {{launches @k, which is no lowered kernel}}
    rt.launch @k ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  }
}

// -----

rt.program axes <["tp"=2]> comms [] microbatches 1
rt.stage 0 arena 64 {
  // expected-error @+1 {{is sharded over "dp", which is no axis of the mesh}}
  rt.buffer @a : memref<4xf32> param at 0 layout <[8], [["dp"]]> record <init one>
}

// -----

rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  // expected-error @+1 {{has elements of type 'i7', which the runtime does not know}}
  rt.buffer @a : memref<4xi7> param at 0 record <init one>
}

// -----

rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 64 {
  // expected-error @+1 {{has elements of type 'i7', which the runtime does not know}}
  rt.buffer @a : memref<4xi7> input at 0 {role = "data", name = "x"}
}

// -----

// In programs for GPUs kernels compute grouped contractions.
gpu.module @kernels {
}
rt.program axes <[]> comms [] microbatches 1
rt.stage 0 arena 1088 {
  rt.buffer @a : memref<4x2xf32> value at 0
  rt.buffer @w : memref<2x2x2xf32> value at 64
  rt.buffer @c : memref<4x2xf32> value at 128
  rt.buffer @e : memref<2xi32> value at 192
  rt.func @train() {
    %a = rt.address @a : memref<4x2xf32>
    %w = rt.address @w : memref<2x2x2xf32>
    %c = rt.address @c : memref<4x2xf32>
    %e = rt.address @e : memref<2xi32>
    // expected-error @+1 {{'rt.grouped_gemm' op calls a library that programs for GPUs lack; with --nn-expand-experts=tiles kernels compute grouped contractions}}
    rt.grouped_gemm nt %a, %w, %c ends %e : memref<4x2xf32>, memref<2x2x2xf32>, memref<4x2xf32>, memref<2xi32>
  }
}
