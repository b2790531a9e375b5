// Gradients of a bucket that are reduced twice, too early or not at all: a
// function's argument has another sharding than declared.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics --rt-verify

// A valid program.
#part = #dist.sharding<*, * | sum dp>
#member = #dist.sharding<* | sum dp>
#whole = #dist.sharding<*, *>
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> gradient in @row element 0 at 0
  rt.buffer @y : memref<1x32xf32> output at 128 {name = "y"}
  rt.func @back(%g: memref<32xf32>)
      attributes {rt.layouts = [#member], rt.values = array<i64: -1, 0>} {
    rt.zero %g {rt.values = array<i64: 0>} : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x32xf32>)
      attributes {rt.layouts = [#part, #whole], rt.values = array<i64: 0, 1>} {
    rt.all_reduce sum %row over ["dp"] {rt.values = array<i64: 0, 1>}
        : memref<1x32xf32>
  }
  rt.func @update(%row: memref<1x32xf32>, %y: memref<1x32xf32>)
      attributes {rt.layouts = [#whole], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %row to %y {rt.values = array<i64: 0, 0>}
        : memref<1x32xf32> to memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @back(%g) : memref<32xf32>
    rt.call @reduce(%row) : memref<1x32xf32>
    rt.call @update(%row, %y) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// Reduced twice.
#part = #dist.sharding<*, * | sum dp>
#member = #dist.sharding<* | sum dp>
#whole = #dist.sharding<*, *>
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> gradient in @row element 0 at 0
  rt.buffer @y : memref<1x32xf32> output at 128 {name = "y"}
  rt.func @back(%g: memref<32xf32>)
      attributes {rt.layouts = [#member], rt.values = array<i64: -1, 0>} {
    rt.zero %g {rt.values = array<i64: 0>} : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x32xf32>)
      attributes {rt.layouts = [#part, #whole], rt.values = array<i64: 0, 1>} {
    rt.all_reduce sum %row over ["dp"] {rt.values = array<i64: 0, 1>}
        : memref<1x32xf32>
  }
  rt.func @update(%row: memref<1x32xf32>, %y: memref<1x32xf32>)
      attributes {rt.layouts = [#whole], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %row to %y {rt.values = array<i64: 0, 0>}
        : memref<1x32xf32> to memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @back(%g) : memref<32xf32>
    rt.call @reduce(%row) : memref<1x32xf32>
    // expected-error @+1 {{expects @row partial over dp, but it is not partial}}
    rt.call @reduce(%row) : memref<1x32xf32>
    rt.call @update(%row, %y) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// Not reduced.
#part = #dist.sharding<*, * | sum dp>
#member = #dist.sharding<* | sum dp>
#whole = #dist.sharding<*, *>
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> gradient in @row element 0 at 0
  rt.buffer @y : memref<1x32xf32> output at 128 {name = "y"}
  rt.func @back(%g: memref<32xf32>)
      attributes {rt.layouts = [#member], rt.values = array<i64: -1, 0>} {
    rt.zero %g {rt.values = array<i64: 0>} : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x32xf32>)
      attributes {rt.layouts = [#part, #whole], rt.values = array<i64: 0, 1>} {
    rt.all_reduce sum %row over ["dp"] {rt.values = array<i64: 0, 1>}
        : memref<1x32xf32>
  }
  rt.func @update(%row: memref<1x32xf32>, %y: memref<1x32xf32>)
      attributes {rt.layouts = [#whole], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %row to %y {rt.values = array<i64: 0, 0>}
        : memref<1x32xf32> to memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @back(%g) : memref<32xf32>
    // expected-error @+1 {{expects @row not partial, but it is partial over dp}}
    rt.call @update(%row, %y) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// Reduced before the last write, of a sum that the previous step cleared.
#part = #dist.sharding<*, * | sum dp>
#member = #dist.sharding<* | sum dp>
#whole = #dist.sharding<*, *>
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> sum in @row element 0 at 0
  rt.buffer @y : memref<1x32xf32> output at 128 {name = "y"}
  rt.func @back(%g: memref<32xf32>)
      attributes {rt.layouts = [#member], rt.values = array<i64: -1, 0>} {
    rt.zero %g {rt.values = array<i64: 0>} : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x32xf32>)
      attributes {rt.layouts = [#part, #whole], rt.values = array<i64: 0, 1>} {
    rt.all_reduce sum %row over ["dp"] {rt.values = array<i64: 0, 1>}
        : memref<1x32xf32>
  }
  rt.func @update(%row: memref<1x32xf32>, %y: memref<1x32xf32>)
      attributes {rt.layouts = [#whole], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %row to %y {rt.values = array<i64: 0, 0>}
        : memref<1x32xf32> to memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @reduce(%row) : memref<1x32xf32>
    rt.call @back(%g) : memref<32xf32>
    // expected-error @+1 {{expects @row not partial, but it is partial over dp}}
    rt.call @update(%row, %y) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// The sum is not cleared: the next step would reduce a reduced value.
#part = #dist.sharding<*, * | sum dp>
#member = #dist.sharding<* | sum dp>
#whole = #dist.sharding<*, *>
rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 256 {
  // expected-error @+1 {{is left not partial by @train, which expects it partial over dp}}
  rt.buffer @row : memref<1x32xf32> bucket at 0
  rt.buffer @g : memref<32xf32> sum in @row element 0 at 0
  rt.buffer @y : memref<1x32xf32> output at 128 {name = "y"}
  rt.func @back(%g: memref<32xf32>)
      attributes {rt.layouts = [#member], rt.values = array<i64: -1, 0>} {
    rt.zero %g {rt.values = array<i64: 0>} : memref<32xf32>
  }
  rt.func @reduce(%row: memref<1x32xf32>)
      attributes {rt.layouts = [#part, #whole], rt.values = array<i64: 0, 1>} {
    rt.all_reduce sum %row over ["dp"] {rt.values = array<i64: 0, 1>}
        : memref<1x32xf32>
  }
  rt.func @update(%row: memref<1x32xf32>, %y: memref<1x32xf32>)
      attributes {rt.layouts = [#whole], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %row to %y {rt.values = array<i64: 0, 0>}
        : memref<1x32xf32> to memref<1x32xf32>
  }
  rt.func @train() {
    %g = rt.address @g : memref<32xf32>
    %row = rt.address @row : memref<1x32xf32>
    %y = rt.address @y : memref<1x32xf32>
    rt.call @reduce(%row) : memref<1x32xf32>
    rt.call @update(%row, %y) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// The runtime writes a shard of rows, but the function expects columns.
#columns = #dist.sharding<*, tp>
rt.program axes <["dp"=2, "tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @w : memref<4x4xf32> param at 0 layout <[8, 4], [["tp"], []]> record <init normal>
  rt.buffer @y : memref<4x4xf32> output at 128 {name = "y"}
  rt.func @use(%w: memref<4x4xf32>, %y: memref<4x4xf32>)
      attributes {rt.layouts = [#columns], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %w to %y {rt.values = array<i64: 0, 0>}
        : memref<4x4xf32> to memref<4x4xf32>
  }
  rt.func @train() {
    %w = rt.address @w : memref<4x4xf32>
    %y = rt.address @y : memref<4x4xf32>
    // expected-error @+1 {{takes @w as #dist.sharding<*, tp>, but it is sharded over [["tp"], []] in memory}}
    rt.call @use(%w, %y) : memref<4x4xf32>, memref<4x4xf32>
  }
}

// -----

// Sharded over another axis, in a call after one that takes it as declared.
#rows = #dist.sharding<tp, *>
#other = #dist.sharding<dp, *>
rt.program axes <["dp"=2, "tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 256 {
  rt.buffer @w : memref<4x4xf32> param at 0 layout <[8, 4], [["tp"], []]> record <init normal>
  rt.buffer @y : memref<4x4xf32> output at 128 {name = "y"}
  rt.func @use(%w: memref<4x4xf32>, %y: memref<4x4xf32>)
      attributes {rt.layouts = [#rows], rt.values = array<i64: 0, -1, 0, 0>} {
    rt.copy %w to %y {rt.values = array<i64: 0, 0>}
        : memref<4x4xf32> to memref<4x4xf32>
  }
  rt.func @write(%w: memref<4x4xf32>)
      attributes {rt.layouts = [#other], rt.values = array<i64: -1, 0>} {
    rt.zero %w {rt.values = array<i64: 0>} : memref<4x4xf32>
  }
  rt.func @train() {
    %w = rt.address @w : memref<4x4xf32>
    %y = rt.address @y : memref<4x4xf32>
    rt.call @use(%w, %y) : memref<4x4xf32>, memref<4x4xf32>
    // expected-error @+1 {{takes @w as #dist.sharding<dp, *>, but it is sharded over [["tp"], []] in memory}}
    rt.call @write(%w) : memref<4x4xf32>
  }
}
