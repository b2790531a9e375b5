// How contractions become products of matrices.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-lower,rt-verify)" | FileCheck %s

nn.param @qkv : tensor<16x3x4x4xf32> init normal
nn.state @grad.qkv : tensor<16x3x4x4xf32> gradient of @qkv
pipe.input @input.x : tensor<2x8x16xf32> role "data" name "x"
pipe.output @output.o : tensor<2x8x4x4xf32> name "o"

// CHECK-LABEL: rt.func @microbatch.0
pipe.task @microbatch.0 stage 0 forward_backward
    (%x: tensor<2x8x16xf32> from @input.x)
    -> (tensor<2x8x4x4xf32> to @output.o) {
  %w = nn.read @qkv : tensor<16x3x4x4xf32>
  // Rows and columns merge: 2 x 8 and 3 x 4 x 4.
  // CHECK: rt.gemm {{.*}} as <m = 16, n = 48, k = 16, lda = 16, ldb = 48, ldc = 48>
  %y = nn.contract "bsk,kphd->bsphd" %x, %w
      : tensor<2x8x16xf32>, tensor<16x3x4x4xf32> -> tensor<2x8x3x4x4xf32>
  // Parts are strided views; no copies.
  // CHECK-NOT: rt.launch
  // CHECK: %[[Q:.*]] = rt.view %{{.*}} : memref<2x8x3x4x4xf32> to memref<2x8x4x4xf32, strided<[384, 48, 4, 1]>>
  // CHECK: %[[K:.*]] = rt.view %{{.*}} offset 16 :
  // CHECK: %[[V:.*]] = rt.view %{{.*}} offset 32 :
  %q = nn.select %y dim 2 index 0
      : tensor<2x8x3x4x4xf32> -> tensor<2x8x4x4xf32>
  %k = nn.select %y dim 2 index 1
      : tensor<2x8x3x4x4xf32> -> tensor<2x8x4x4xf32>
  %v = nn.select %y dim 2 index 2
      : tensor<2x8x3x4x4xf32> -> tensor<2x8x4x4xf32>
  // Batch and head are batch dims.
  // CHECK: rt.gemm %[[Q]], %[[K]], %[[S:.*]] as <m = 8, n = 8, k = 4, trans_b = true, lda = 48, ldb = 48, ldc = 8, batch = [2, 4], a = [384, 4], b = [384, 4], c = [256, 64]>
  %s = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32> -> tensor<2x4x8x8xf32>
  // CHECK: rt.gemm %[[S]], %[[V]], %{{.*}} as <m = 8, n = 4, k = 8, lda = 8, ldb = 48, ldc = 16, batch = [2, 4], a = [256, 64], b = [384, 4], c = [128, 4]>
  %o = nn.contract "bhst,bthd->bshd" %s, %v
      : tensor<2x4x8x8xf32>, tensor<2x8x4x4xf32> -> tensor<2x8x4x4xf32>
  // The result is stored transposed: operands change places.
  // CHECK: rt.gemm %[[K]], %[[Q]], %{{.*}} as <m = 8, n = 8, k = 4
  %t = nn.contract "bshd,bthd->bhts" %q, %k
      : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32> -> tensor<2x4x8x8xf32>
  // CHECK: rt.gemm {{.*}} as <m = 16, n = 48, k = 16, trans_a = true, lda = 16, ldb = 48, ldc = 48, beta = 1.000000e+00 : f32>
  %g = nn.contract "bsk,bsphd->kphd" %x, %y
      : tensor<2x8x16xf32>, tensor<2x8x3x4x4xf32> -> tensor<16x3x4x4xf32>
  nn.accumulate %g, @grad.qkv : tensor<16x3x4x4xf32>
  pipe.yield %o : tensor<2x8x4x4xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @microbatch.0 microbatch 0
}
