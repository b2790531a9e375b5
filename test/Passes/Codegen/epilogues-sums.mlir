// The library sums an operand with a slow kernel that reads it again. For a
// large operand the sum is never an epilogue: it is computed together with
// other work on the same rows, or by a separate kernel, which is faster, too.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-form-epilogues{partial-sums=32768})" | FileCheck %s
// RUN: sed s/8192/1024/g %s | pcc-opt --pass-pipeline="builtin.module(rt-form-epilogues{partial-sums=32768})" | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: pipe.body @backward
// CHECK-NOT: rt.epilogue<sum
// CHECK: nn.contract
// CHECK-NOT: rt.epilogue<sum
// SMALL-LABEL: pipe.body @backward
// SMALL: func.call @product_0_sum_b(%x, %d) {rt.epilogue = #rt.epilogue<sum_b>}
pipe.body @backward (%d: tensor<8192x768xbf16>, %x: tensor<8192x256xbf16>)
    -> (tensor<768xf32>, tensor<256x768xf32>) {
  %c = nn.cast %d : tensor<8192x768xbf16> -> tensor<8192x768xf32>
  %r = nn.reduce %c [0] : tensor<8192x768xf32> -> tensor<768xf32>
  %q = nn.contract "mk,mn->kn" %x, %d
      : tensor<8192x256xbf16>, tensor<8192x768xbf16> -> tensor<256x768xf32>
  pipe.yield %r, %q : tensor<768xf32>, tensor<256x768xf32>
}
