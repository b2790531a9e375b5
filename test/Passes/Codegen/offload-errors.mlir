// Offloaded ranges that --rt-verify rejects.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

rt.stage 0 arena 2097344 offloaded 2097152 {
  // expected-error @+1 {{ends at byte 2097216, but begins in the offloaded range of 2097152 bytes}}
  rt.buffer @m : memref<32xf32> state at 2097088 layout <[32], [[]]>
}

// -----

rt.stage 0 arena 2097280 offloaded 2097152 {
  // expected-error @+1 {{is offloaded, but is neither a moment nor a master weight}}
  rt.buffer @v : memref<4xf32> value at 64
}

// -----

// Its working copy has the same type: kernels use it as it is.
rt.stage 0 arena 2097280 offloaded 2097152 {
  // expected-error @+1 {{is offloaded, but is neither a moment nor a master weight}}
  rt.buffer @w : memref<4xf32> param at 64 layout <[4], [[]]>
  rt.buffer @copy.w : memref<4xf32> copy at 2097152 layout <[4], [[]]> of @w
}

// -----

rt.stage 0 arena 2097280 offloaded 2097152 {
  rt.buffer @p : memref<1x8xf32> bucket at 0 layout <[1, 8], [[], []]>
  rt.buffer @m : memref<4xf32> state in @p element 0 at 0 layout <[4], [[]]>
  // expected-error @+1 {{is offloaded, but is neither a moment nor a master weight}}
  rt.buffer @g : memref<4xf32> sum in @p element 4 at 16 layout <[4], [[]]>
}

// -----

rt.stage 0 arena 2097280 offloaded 2097152 {
  rt.buffer @m : memref<4xf32> state at 0 layout <[4], [[]]>
  rt.buffer @s : memref<4xf32> sum at 2097152 layout <[4], [[]]>
  rt.func @train() {
    %m = rt.address @m : memref<4xf32>
    %s = rt.address @s : memref<4xf32>
    // expected-error @+1 {{accesses @m, which is offloaded: only kernels on the compute stream may}}
    rt.copy %m to %s : memref<4xf32> to memref<4xf32>
  }
}

// -----

// In a body.
rt.stage 0 arena 2097280 offloaded 2097152 {
  rt.buffer @m : memref<4xf32> state at 0 layout <[4], [[]]>
  rt.func @clear(%m: memref<4xf32>) {
    // expected-error @+1 {{accesses @m, which is offloaded: only kernels on the compute stream may}}
    rt.zero %m : memref<4xf32>
  }
  rt.func @train() {
    %m = rt.address @m : memref<4xf32>
    rt.call @clear(%m) : memref<4xf32>
  }
}

// -----

func.func private @k(tensor<4xf32>) -> (tensor<4xf32> {rt.inplace = 0 : i64})
    attributes {rt.kernel}
rt.stage 0 arena 2097280 offloaded 2097152 {
  rt.buffer @m : memref<4xf32> state at 0 layout <[4], [[]]>
  rt.func @train() {
    %m = rt.address @m : memref<4xf32>
    // expected-error @+1 {{accesses @m, which is offloaded: only kernels on the compute stream may}}
    rt.launch @k ins(%m : memref<4xf32>) outs(%m : memref<4xf32>) inplace [0] stream 1
  }
}
