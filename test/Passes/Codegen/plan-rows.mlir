// Buckets that are repeatedly filled and killed are placed wherever there is
// room each time.
// RUN: pcc-opt %s --split-input-file --rt-plan --rt-verify | FileCheck %s
// RUN: pcc-opt %s --split-input-file --rt-plan --rt-plan --rt-verify \
// RUN:   | FileCheck %s

// Two of @a, @b and @c are live at once, but they overlap pairwise: with one
// offset each they would need 768 bytes. They rotate through two offsets and
// change the offset in every iteration, so that @c in one iteration has the
// bytes of @b in the previous one. After the last iteration, @a is read at the
// offset where it was filled.
// CHECK-LABEL: rt.stage 0 arena 512 {
// CHECK: rt.buffer @x : memref<1x64xf32> input at [[#X:]]
// CHECK: rt.buffer @a : memref<1x64xf32> bucket at [[#A:]], [[#B:]] slots 2
// CHECK: rt.buffer @part : memref<16xf32> gradient in @a element 32 at [[#A + 128]], [[#B + 128]] slots 2
// CHECK: rt.buffer @b : memref<1x64xf32> bucket at [[#B]], [[#A]] slots 2
// CHECK: rt.buffer @c : memref<1x64xf32> bucket at [[#A]], [[#B]] slots 2
// CHECK: rt.func @train() {
// CHECK-NEXT: rt.address @x
// CHECK-NEXT: rt.address @a :
// CHECK: rt.for %[[M:.*]] = 0 to 31 {
// CHECK-NEXT: rt.address @a slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.address @b slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.copy
// CHECK-NEXT: rt.address @a slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.release
// CHECK-NEXT: rt.address @b slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.address @c slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.copy
// CHECK-NEXT: rt.address @b slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.release
// CHECK-NEXT: rt.address @c slot %[[M]] among 0 to 2
// CHECK-NEXT: rt.address @a slot %[[M]] + 1 among 0 to 2
// CHECK-NEXT: rt.copy
// CHECK: }
// CHECK: rt.address @part slot 1
rt.stage 0 {
  rt.buffer @x : memref<1x64xf32> input {role = "data", name = "x"}
  rt.buffer @y : memref<16xf32> output {name = "y"}
  rt.buffer @a : memref<1x64xf32> bucket
  rt.buffer @part : memref<16xf32> gradient in @a element 32
  rt.buffer @b : memref<1x64xf32> bucket
  rt.buffer @of_b : memref<64xf32> gradient in @b element 0
  rt.buffer @c : memref<1x64xf32> bucket
  rt.buffer @of_c : memref<64xf32> gradient in @c element 0
  rt.func @train() {
    %x = rt.address @x : memref<1x64xf32>
    %a = rt.address @a : memref<1x64xf32>
    rt.copy %x to %a : memref<1x64xf32> to memref<1x64xf32>
    rt.for %m = 0 to 31 {
      %before = rt.address @a : memref<1x64xf32>
      %b = rt.address @b : memref<1x64xf32>
      rt.copy %before to %b : memref<1x64xf32> to memref<1x64xf32>
      %over = rt.address @a : memref<1x64xf32>
      rt.release %over : memref<1x64xf32>
      %b.again = rt.address @b : memref<1x64xf32>
      %c = rt.address @c : memref<1x64xf32>
      rt.copy %b.again to %c : memref<1x64xf32> to memref<1x64xf32>
      %b.over = rt.address @b : memref<1x64xf32>
      rt.release %b.over : memref<1x64xf32>
      %c.again = rt.address @c : memref<1x64xf32>
      %next = rt.address @a : memref<1x64xf32>
      rt.copy %c.again to %next : memref<1x64xf32> to memref<1x64xf32>
      %c.over = rt.address @c : memref<1x64xf32>
      rt.release %c.over : memref<1x64xf32>
    }
    %last = rt.address @part : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    rt.copy %last to %y : memref<16xf32> to memref<16xf32>
  }
}

// -----

// Outside of loops each fill has a slot, or shares that of another fill at the
// same offset. Here @a, @v and @w overlap pairwise, two at a time.
// CHECK-LABEL: rt.stage 0 arena 512 {
// CHECK: rt.buffer @v : memref<1x64xf32> value at [[#V:]]
// CHECK: rt.buffer @w : memref<1x64xf32> value at [[#W:]]
// CHECK: rt.buffer @a : memref<1x64xf32> bucket at [[#W]], [[#V]] slots 2
// CHECK: rt.func @train() {
// CHECK: rt.address @a :
// CHECK: rt.address @a :
// CHECK: rt.address @a :
// CHECK-NEXT: rt.release
// CHECK: rt.address @a slot 1 :
// CHECK: rt.address @a slot 1 :
rt.stage 0 {
  rt.buffer @x : memref<1x64xf32> input {role = "data", name = "x"}
  rt.buffer @y : memref<1x64xf32> output {name = "y"}
  rt.buffer @v : memref<1x64xf32> value
  rt.buffer @w : memref<1x64xf32> value
  rt.buffer @a : memref<1x64xf32> bucket
  rt.buffer @of_a : memref<64xf32> gradient in @a element 0
  rt.func @train() {
    %x = rt.address @x : memref<1x64xf32>
    %v = rt.address @v : memref<1x64xf32>
    %w = rt.address @w : memref<1x64xf32>
    %a0 = rt.address @a : memref<1x64xf32>
    rt.copy %x to %a0 : memref<1x64xf32> to memref<1x64xf32>
    %a1 = rt.address @a : memref<1x64xf32>
    rt.copy %a1 to %v : memref<1x64xf32> to memref<1x64xf32>
    %a2 = rt.address @a : memref<1x64xf32>
    rt.release %a2 : memref<1x64xf32>
    rt.copy %v to %w : memref<1x64xf32> to memref<1x64xf32>
    %a3 = rt.address @a : memref<1x64xf32>
    rt.copy %w to %a3 : memref<1x64xf32> to memref<1x64xf32>
    %a4 = rt.address @a : memref<1x64xf32>
    %y = rt.address @y : memref<1x64xf32>
    rt.copy %a4 to %y : memref<1x64xf32> to memref<1x64xf32>
  }
}

// -----

// If the slots of values repeat after three iterations, buckets have three,
// too: the loop still repeats its offsets after three iterations. In each
// iteration @a has the bytes of the third slot of @v, which is not live yet.
// CHECK-LABEL: rt.stage 0 arena 1024 {
// CHECK: rt.buffer @v : memref<1x64xf32> value at [[#V:]] slots 3
// CHECK: rt.buffer @a : memref<1x64xf32> bucket at [[#V + 512]], [[#V]], [[#V + 256]] slots 3
// CHECK: rt.for %[[M:.*]] = 0 to 30 {
// CHECK: rt.address @a slot %[[M]] among 0 to 3
// CHECK: rt.release
// CHECK: rt.address @v slot %[[M]] + 2
// CHECK: rt.address @a slot %[[M]] + 1 among 0 to 3
rt.stage 0 {
  rt.buffer @y : memref<1x64xf32> output {name = "y"}
  rt.buffer @v : memref<1x64xf32> value slots 3
  rt.buffer @a : memref<1x64xf32> bucket
  rt.buffer @of_a : memref<64xf32> gradient in @a element 0
  rt.func @train() {
    %v0 = rt.address @v : memref<1x64xf32>
    rt.zero %v0 : memref<1x64xf32>
    %v1 = rt.address @v slot 1 : memref<1x64xf32>
    rt.zero %v1 : memref<1x64xf32>
    %a = rt.address @a : memref<1x64xf32>
    rt.zero %a : memref<1x64xf32>
    rt.for %m = 0 to 30 {
      %y = rt.address @y : memref<1x64xf32>
      %now = rt.address @a : memref<1x64xf32>
      rt.copy %now to %y : memref<1x64xf32> to memref<1x64xf32>
      %over = rt.address @a : memref<1x64xf32>
      rt.release %over : memref<1x64xf32>
      %old = rt.address @v slot %m : memref<1x64xf32>
      rt.copy %old to %y : memref<1x64xf32> to memref<1x64xf32>
      %new = rt.address @v slot %m + 2 : memref<1x64xf32>
      rt.zero %new : memref<1x64xf32>
      %next = rt.address @a : memref<1x64xf32>
      rt.zero %next : memref<1x64xf32>
    }
  }
}

// -----

// The scratch buffer of a call in a loop, too, has another offset in each
// iteration: that of the slot of @v that is not written yet.
// CHECK-LABEL: rt.stage 0 arena 768 {
// CHECK: rt.buffer @v : memref<64xf32> value at [[#V:]] slots 2
// CHECK: rt.buffer @frame.f : memref<256xi8> frame at [[#V + 256]], [[#V]] slots 2
// CHECK: rt.call @f(%{{.*}}, %{{.*}}) frame @frame.f :
rt.stage 0 {
  rt.buffer @y : memref<64xf32> output {name = "y"}
  rt.buffer @v : memref<64xf32> value slots 2
  rt.func @f(%in: memref<64xf32>, %out: memref<64xf32>) {
    %t = rt.temporary : memref<64xf32>
    rt.copy %in to %t : memref<64xf32> to memref<64xf32>
    rt.copy %t to %out : memref<64xf32> to memref<64xf32>
  }
  rt.func @train() {
    %first = rt.address @v : memref<64xf32>
    rt.zero %first : memref<64xf32>
    rt.for %m = 0 to 30 {
      %v = rt.address @v slot %m : memref<64xf32>
      %y = rt.address @y : memref<64xf32>
      rt.call @f(%v, %y) : memref<64xf32>, memref<64xf32>
      %next = rt.address @v slot %m + 1 : memref<64xf32>
      rt.copy %v to %next : memref<64xf32> to memref<64xf32>
    }
  }
}
