// With offload, moments and master weights come first in the arena, in a range
// of whole pages that the stage names. A master weight has a working copy of a
// narrower type. All other buffers come after it, as without offload.
// RUN: pcc-opt %s -split-input-file -rt-plan=offload=true | FileCheck %s
// RUN: pcc-opt %s -split-input-file -rt-plan=offload=true -rt-verify -o %t
// RUN: pcc-opt %s -split-input-file -rt-plan=offload=true -rt-plan \
// RUN:   | FileCheck %s --check-prefix=AGAIN

// Planned again without offload, no range is left.
// AGAIN-NOT: offloaded

// CHECK: rt.stage 0 arena 2097408 offloaded 2097152 {
rt.stage 0 {
  // CHECK-NEXT: rt.buffer @w : memref<8xf32> param at 0
  rt.buffer @w : memref<8xf32> param layout <[8], [[]]>
  // CHECK-NEXT: rt.buffer @copy.w : memref<8xbf16> copy at 2097216
  rt.buffer @copy.w : memref<8xbf16> copy layout <[8], [[]]> of @w
  // CHECK-NEXT: rt.buffer @m.w : memref<8xf32> state at 64
  rt.buffer @m.w : memref<8xf32> state layout <[8], [[]]> of @w
  // A weight that is used as it is.
  // CHECK-NEXT: rt.buffer @b : memref<4xf32> param at 2097152
  rt.buffer @b : memref<4xf32> param layout <[4], [[]]>
  // CHECK-NEXT: rt.buffer @m.b : memref<4xf32> state at 128
  rt.buffer @m.b : memref<4xf32> state layout <[4], [[]]> of @b
  // A state that an op other than a kernel accesses.
  // CHECK-NEXT: rt.buffer @s : memref<4xf32> state at 2097280
  rt.buffer @s : memref<4xf32> state layout <[4], [[]]>
  // CHECK-NEXT: rt.buffer @x : memref<4xf32> input at 2097344
  rt.buffer @x : memref<4xf32> input {role = "data", name = "x"}
  rt.func @update(%w: memref<8xf32>, %c: memref<8xbf16>, %m: memref<8xf32>) {
    rt.launch @step ins(%w, %m : memref<8xf32>, memref<8xf32>)
      outs(%w, %m, %c : memref<8xf32>, memref<8xf32>, memref<8xbf16>)
      inplace [0, 1, -1]
  }
  rt.func @clear(%s: memref<4xf32>) {
    rt.zero %s : memref<4xf32>
  }
  rt.func @train() {
    %w = rt.address @w : memref<8xf32>
    %c = rt.address @copy.w : memref<8xbf16>
    %m = rt.address @m.w : memref<8xf32>
    %s = rt.address @s : memref<4xf32>
    rt.call @update(%w, %c, %m) : memref<8xf32>, memref<8xbf16>, memref<8xf32>
    rt.call @clear(%s) : memref<4xf32>
  }
}

func.func private @step(tensor<8xf32>, tensor<8xf32>)
    -> (tensor<8xf32> {rt.inplace = 0 : i64}, tensor<8xf32> {rt.inplace = 1 : i64}, tensor<8xbf16>)
    attributes {rt.kernel}

// -----

// A bucket moves as a whole, if all that it holds may: not the parameters of
// the second one, of which one has no working copy.
// CHECK: rt.stage 0 arena 2097472 offloaded 2097152 {
rt.stage 0 {
  // CHECK-NEXT: rt.buffer @m : memref<1x64xf32> bucket at 0
  rt.buffer @m : memref<1x64xf32> bucket layout <[1, 64], [[], []]>
  // CHECK-NEXT: rt.buffer @p : memref<1x64xf32> bucket at 2097152
  rt.buffer @p : memref<1x64xf32> bucket layout <[1, 64], [[], []]>
  // CHECK-NEXT: rt.buffer @a : memref<4xf32> param in @p element 0 at 2097152
  rt.buffer @a : memref<4xf32> param in @p element 0 layout <[4], [[]]>
  // CHECK-NEXT: rt.buffer @b : memref<4xf32> param in @p element 32 at 2097280
  rt.buffer @b : memref<4xf32> param in @p element 32 layout <[4], [[]]>
  // CHECK-NEXT: rt.buffer @m.a : memref<4xf32> state in @m element 0 at 0
  rt.buffer @m.a : memref<4xf32> state in @m element 0 layout <[4], [[]]> of @a
  // CHECK-NEXT: rt.buffer @m.b : memref<4xf32> state in @m element 32 at 128
  rt.buffer @m.b : memref<4xf32> state in @m element 32 layout <[4], [[]]> of @b
  // CHECK-NEXT: rt.buffer @copy.a : memref<4xbf16> copy at 2097408
  rt.buffer @copy.a : memref<4xbf16> copy layout <[4], [[]]> of @a
  rt.func @train() {
  }
}
