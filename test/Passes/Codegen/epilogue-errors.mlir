// Epilogue operands are read and written like any other buffer.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics --rt-verify

// Valid: gelu of a GEMM and a bias, and the operand of gelu.
#whole = #dist.sharding<*, *>
#vector = #dist.sharding<*>
rt.program axes <["tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<8x8xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @b : memref<8xf32> input at 256 {role = "data", name = "b"}
  rt.buffer @y : memref<8x8xf32> output at 320 {name = "y"}
  rt.buffer @h : memref<8x8xf32> output at 576 {name = "h"}
  rt.func @f(%x: memref<8x8xf32>, %b: memref<8xf32>, %y: memref<8x8xf32>, %h: memref<8x8xf32>)
      attributes {rt.layouts = [#whole, #vector, #whole, #whole], rt.values = array<i64: 0, 1, -1, -1, 0, 1, 2, 3>} {
    rt.gemm %x, %x, %y as <m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8> epilogue <gelu>
        vector %b : memref<8xf32> matrix %h : memref<8x8xf32> {rt.values = array<i64: 0, 0, 1, 2, 3>}
        : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<8x8xf32>
    %b = rt.address @b : memref<8xf32>
    %y = rt.address @y : memref<8x8xf32>
    %h = rt.address @h : memref<8x8xf32>
    rt.call @f(%x, %b, %y, %h) : memref<8x8xf32>, memref<8xf32>, memref<8x8xf32>, memref<8x8xf32>
  }
}

// -----

// Each rank would apply it to a partial sum.
#whole = #dist.sharding<*, *>
#part = #dist.sharding<*, * | sum tp>
#vector = #dist.sharding<*>
rt.program axes <["tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<8x8xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @b : memref<8xf32> input at 256 {role = "data", name = "b"}
  rt.buffer @y : memref<8x8xf32> value at 320
  rt.func @f(%x: memref<8x8xf32>, %b: memref<8xf32>, %y: memref<8x8xf32>)
      attributes {rt.layouts = [#whole, #vector, #part], rt.values = array<i64: 0, 1, -1, 0, 1, 2>} {
    // expected-error @+1 {{applies 'bias' to value 2 of 'f', which is partial: }}
    rt.gemm %x, %x, %y as <m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8> epilogue <bias>
        vector %b : memref<8xf32> {rt.values = array<i64: 0, 0, 1, 2>}
        : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<8x8xf32>
    %b = rt.address @b : memref<8xf32>
    %y = rt.address @y : memref<8x8xf32>
    rt.call @f(%x, %b, %y) : memref<8x8xf32>, memref<8xf32>, memref<8x8xf32>
  }
}

// -----

// Another value than the bias that the epilogue names.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<8x8xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @b : memref<2x8xf32> input at 256 {role = "data", name = "b"}
  rt.buffer @y : memref<8x8xf32> output at 320 {name = "y"}
  rt.func @f(%x: memref<8x8xf32>, %b: memref<2x8xf32>, %y: memref<8x8xf32>)
      attributes {rt.values = array<i64: 0, 1, -1, 0, 1, 3>, rt.views = array<i64: 2, 1, 8>} {
    %first = rt.view %b : memref<2x8xf32> to memref<8xf32>
    // expected-error @+1 {{reads value 2 of 'f' from a buffer that holds another}}
    rt.gemm %x, %x, %y as <m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8> epilogue <bias>
        vector %first : memref<8xf32> {rt.values = array<i64: 0, 0, 2, 3>}
        : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<8x8xf32>
    %b = rt.address @b : memref<2x8xf32>
    %y = rt.address @y : memref<8x8xf32>
    rt.call @f(%x, %b, %y) : memref<8x8xf32>, memref<2x8xf32>, memref<8x8xf32>
  }
}

// -----

// The operand of gelu overlaps a GEMM operand.
rt.stage 0 arena 1024 {
  rt.buffer @x : memref<8x8xf32> value at 0
  rt.buffer @w : memref<8x8xf32> input at 256 {role = "data", name = "w"}
  rt.buffer @y : memref<8x8xf32> output at 512 {name = "y"}
  rt.func @train() {
    %x = rt.address @x : memref<8x8xf32>
    %w = rt.address @w : memref<8x8xf32>
    %y = rt.address @y : memref<8x8xf32>
    rt.copy %w to %x : memref<8x8xf32> to memref<8x8xf32>
    // expected-error @+1 {{over @x, which it reads}}
    rt.gemm %x, %w, %y as <m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8> epilogue <gelu>
        matrix %x : memref<8x8xf32>
        : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  }
}
