// A slice of a value is read in place: rt.views says that value 1 is value 0
// from element 4 on.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics --rt-verify

// Valid, also where the slice is copied.
rt.stage 0 arena 256 {
  rt.buffer @x : memref<2x4xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @y : memref<4xf32> output at 64 {name = "y"}
  rt.buffer @frame : memref<64xi8> frame at 128
  rt.func @f(%x: memref<2x4xf32>, %y: memref<4xf32>) frame 64
      attributes {rt.values = array<i64: 0, -1, 0, 2>, rt.views = array<i64: 1, 0, 4, 2, 1, 0>} {
    %row = rt.view %x offset 4 : memref<2x4xf32> to memref<4xf32>
    %copy = rt.temporary at 0 : memref<4xf32>
    rt.copy %row to %copy {rt.values = array<i64: 1, 1>} : memref<4xf32> to memref<4xf32>
    rt.copy %copy to %y {rt.values = array<i64: 2, 2>} : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<2x4xf32>
    %y = rt.address @y : memref<4xf32>
    rt.call @f(%x, %y) frame @frame : memref<2x4xf32>, memref<4xf32>
  }
}

// -----

// Another slice is read.
rt.stage 0 arena 256 {
  rt.buffer @x : memref<2x4xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @y : memref<4xf32> output at 64 {name = "y"}
  rt.func @f(%x: memref<2x4xf32>, %y: memref<4xf32>)
      attributes {rt.values = array<i64: 0, -1, 0, 1>, rt.views = array<i64: 1, 0, 4>} {
    %row = rt.view %x : memref<2x4xf32> to memref<4xf32>
    // expected-error @+1 {{reads value 1 of 'f' from a buffer that holds another}}
    rt.copy %row to %y {rt.values = array<i64: 1, 1>} : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<2x4xf32>
    %y = rt.address @y : memref<4xf32>
    rt.call @f(%x, %y) : memref<2x4xf32>, memref<4xf32>
  }
}

// -----

// A slice is written where another one is read.
rt.stage 0 arena 256 {
  rt.buffer @x : memref<4xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @y : memref<2x4xf32> output at 64 {name = "y"}
  // expected-error @+1 {{leaves another value in argument 1 than value 1}}
  rt.func @f(%x: memref<4xf32>, %y: memref<2x4xf32>)
      attributes {rt.values = array<i64: 0, -1, 0, 1>, rt.views = array<i64: 2, 1, 4, 3, 1, 0>} {
    %first = rt.view %y : memref<2x4xf32> to memref<4xf32>
    %second = rt.view %y offset 4 : memref<2x4xf32> to memref<4xf32>
    rt.zero %first {rt.values = array<i64: 2>} : memref<4xf32>
    rt.zero %second {rt.values = array<i64: 3>} : memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4xf32>
    %y = rt.address @y : memref<2x4xf32>
    rt.call @f(%x, %y) : memref<4xf32>, memref<2x4xf32>
  }
}

// -----

// A view of a view: both offsets are added.
rt.stage 0 arena 256 {
  rt.buffer @x : memref<4x4xf32> input at 0 {role = "data", name = "x"}
  rt.buffer @y : memref<4xf32> output at 64 {name = "y"}
  rt.func @f(%x: memref<4x4xf32>, %y: memref<4xf32>)
      attributes {rt.values = array<i64: 0, -1, 0, 2>, rt.views = array<i64: 1, 0, 4, 2, 1, 4>} {
    %rows = rt.view %x offset 4 : memref<4x4xf32> to memref<2x4xf32>
    %row = rt.view %rows offset 4 : memref<2x4xf32> to memref<4xf32>
    rt.copy %row to %y {rt.values = array<i64: 2, 2>} : memref<4xf32> to memref<4xf32>
    // expected-error @+1 {{reads value 1 of 'f' from a buffer that holds another}}
    rt.copy %row to %y {rt.values = array<i64: 1, 2>} : memref<4xf32> to memref<4xf32>
  }
  rt.func @train() {
    %x = rt.address @x : memref<4x4xf32>
    %y = rt.address @y : memref<4xf32>
    rt.call @f(%x, %y) : memref<4x4xf32>, memref<4xf32>
  }
}

// -----

// The offset of the view is missing.
rt.stage 0 arena 256 {
  rt.buffer @x : memref<2x4xf32> input at 0 {role = "data", name = "x"}
  // expected-error @+1 {{needs a view, its source and an offset for each view in 'rt.views'}}
  rt.func @f(%x: memref<2x4xf32>)
      attributes {rt.values = array<i64: 0, 0>, rt.views = array<i64: 1, 0>} {
  }
  rt.func @train() {
    %x = rt.address @x : memref<2x4xf32>
    rt.call @f(%x) : memref<2x4xf32>
  }
}
