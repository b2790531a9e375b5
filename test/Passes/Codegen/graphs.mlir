// The ops between loops form a graph; a loop becomes graphs of as many
// iterations as its slots take to repeat.
// RUN: pcc-opt %s --rt-form-graphs --split-input-file | FileCheck %s

// Two and three slots: six iterations, twice, and the rest is a loop after them
// which belongs to the next graph. An address that both graphs use is declared
// in both.
// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @train() {
// CHECK-NEXT: rt.graph 0
// CHECK-NEXT: %[[Y:.*]] = rt.address @y : memref<4xf32>
// CHECK-NEXT: rt.zero %[[Y]]
// CHECK-NEXT: rt.graph 1 turns 6
// CHECK-NEXT: rt.for %[[M:.*]] = 1 to 13 {
// CHECK-NEXT: %[[X:.*]] = rt.address @x slot %[[M]] : memref<4xf32>
// CHECK-NEXT: %[[Y:.*]] = rt.address @y : memref<4xf32>
// CHECK-NEXT: rt.copy %[[Y]] to %[[X]]
// CHECK-NEXT: %[[E:.*]] = rt.event_of @done slot %[[M]] + 1 : !rt.event
// CHECK-NEXT: rt.record %[[E]]
// CHECK-NEXT: }
// CHECK-NEXT: rt.graph 2
// CHECK-NEXT: rt.for %[[M:.*]] = 13 to 15 {
// CHECK-NEXT: rt.address @x slot %[[M]] : memref<4xf32>
// CHECK: }
// CHECK-NEXT: %[[Y:.*]] = rt.address @y : memref<4xf32>
// CHECK-NEXT: rt.zero %[[Y]]
// CHECK-NEXT: }
// A second entry point has separate graphs.
// CHECK: rt.func @evaluate() {
// CHECK-NEXT: rt.graph 3
// CHECK-NEXT: rt.address @y
rt.stage 0 arena 192 {
  rt.buffer @x : memref<4xf32> value at 0 slots 2
  rt.buffer @y : memref<4xf32> output at 128
  rt.event @done slots 3
  rt.func @train() {
    %y = rt.address @y : memref<4xf32>
    rt.zero %y : memref<4xf32>
    rt.for %m = 1 to 15 {
      %x = rt.address @x slot %m : memref<4xf32>
      rt.copy %y to %x : memref<4xf32> to memref<4xf32>
      %e = rt.event_of @done slot %m + 1 : !rt.event
      rt.record %e
    }
    rt.zero %y : memref<4xf32>
  }
  rt.func @evaluate() {
    %y = rt.address @y : memref<4xf32>
    rt.zero %y : memref<4xf32>
  }
}

// -----

// Only those of a bucket's five slots count through which an address rotates.
// CHECK-LABEL: rt.stage 0
// CHECK: rt.graph 0 turns 2
// CHECK-NEXT: rt.for %[[M:.*]] = 0 to 8 {
// CHECK-NEXT: rt.address @row slot %[[M]] among 3 to 5
rt.stage 0 arena 1280 {
  rt.buffer @row : memref<1x64xf32> bucket at 0 slots 5
  rt.func @train() {
    rt.for %m = 0 to 8 {
      %row = rt.address @row slot %m among 3 to 5 : memref<1x64xf32>
      rt.zero %row : memref<1x64xf32>
    }
  }
}

// -----

// With fewer iterations than two graphs have, a loop is part of a single graph.
// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @train() {
// CHECK-NEXT: rt.graph 0
// CHECK-NEXT: rt.for %{{.*}} = 0 to 3 {
// CHECK-NOT: rt.graph
rt.stage 0 arena 192 {
  rt.buffer @x : memref<4xf32> value at 0 slots 2
  rt.func @train() {
    rt.for %m = 0 to 3 {
      %x = rt.address @x slot %m : memref<4xf32>
      rt.zero %x : memref<4xf32>
    }
  }
}

// -----

// Consecutive loops, with nothing before the first and after the last. Views
// are declared again together with their sources.
// CHECK-LABEL: rt.stage 0
// CHECK: rt.func @train() {
// CHECK-NEXT: rt.graph 0 turns 1
// CHECK-NEXT: rt.for %{{.*}} = 0 to 2 {
// CHECK-NEXT: %[[Y:.*]] = rt.address @y
// CHECK-NEXT: %[[V:.*]] = rt.view %[[Y]] offset 2
// CHECK-NEXT: rt.zero %[[V]]
// CHECK-NEXT: }
// CHECK-NEXT: rt.graph 1 turns 1
// CHECK-NEXT: rt.for %{{.*}} = 0 to 9 {
// CHECK-NEXT: %[[Y:.*]] = rt.address @y
// CHECK-NEXT: %[[V:.*]] = rt.view %[[Y]] offset 2
// CHECK-NEXT: rt.zero %[[V]]
// CHECK-NEXT: }
// CHECK-NEXT: }
rt.stage 0 arena 64 {
  rt.buffer @y : memref<4xf32> output at 0
  rt.func @train() {
    %y = rt.address @y : memref<4xf32>
    %v = rt.view %y offset 2 : memref<4xf32> to memref<2xf32>
    rt.for %m = 0 to 2 {
      rt.zero %v : memref<2xf32>
    }
    rt.for %m = 0 to 9 {
      rt.zero %v : memref<2xf32>
    }
  }
}
