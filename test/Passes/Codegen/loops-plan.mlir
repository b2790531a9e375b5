// Values that an iteration passes to the next are live until then, also those
// that nothing reads after the last: @d, written after @c, has other bytes. @e,
// read for the last time before @c is overwritten, shares @c's. A slot of
// @turns is live from one op to the next, in every other iteration: so @y and
// @d, which each iteration writes afterwards, share bytes with its slots.
// RUN: pcc-opt %s --rt-plan --rt-verify | FileCheck %s

// CHECK: rt.stage 0 arena 256 {
// CHECK: rt.buffer @y : memref<16xf32> output at [[#Y:]]
// CHECK: rt.buffer @c : memref<16xf32> value at [[#C:]]
// CHECK: rt.buffer @d : memref<16xf32> value at [[#Y + 64]]
// CHECK: rt.buffer @e : memref<16xf32> value at [[#C]]
// CHECK: rt.buffer @turns : memref<16xf32> value at [[#Y]] slots 2
rt.stage 0 {
  rt.buffer @x : memref<16xf32> input {role = "data", name = "x"}
  rt.buffer @y : memref<16xf32> output {name = "y"}
  rt.buffer @c : memref<16xf32> value
  rt.buffer @d : memref<16xf32> value
  rt.buffer @e : memref<16xf32> value
  rt.buffer @turns : memref<16xf32> value slots 2
  rt.func @train() {
    %x = rt.address @x : memref<16xf32>
    %c = rt.address @c : memref<16xf32>
    rt.copy %x to %c : memref<16xf32> to memref<16xf32>
    rt.for %m = 0 to 31 {
      %in = rt.address @x : memref<16xf32>
      %y = rt.address @y : memref<16xf32>
      %taken = rt.address @c : memref<16xf32>
      %d = rt.address @d : memref<16xf32>
      %e = rt.address @e : memref<16xf32>
      %now = rt.address @turns slot %m : memref<16xf32>
      rt.copy %taken to %now : memref<16xf32> to memref<16xf32>
      rt.copy %now to %e : memref<16xf32> to memref<16xf32>
      rt.copy %e to %y : memref<16xf32> to memref<16xf32>
      rt.copy %in to %taken : memref<16xf32> to memref<16xf32>
      rt.copy %in to %d : memref<16xf32> to memref<16xf32>
      rt.copy %d to %y : memref<16xf32> to memref<16xf32>
    }
  }
}
