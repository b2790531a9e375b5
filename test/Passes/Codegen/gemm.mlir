// Lowering of contractions to GEMMs.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-split-accumulate,rt-lower,rt-verify)" | FileCheck %s

nn.param @qkv : tensor<16x3x4x4xf32> init normal
nn.state @grad.qkv : tensor<16x3x4x4xf32> gradient of @qkv
pipe.input @input.x : tensor<2x8x16xf32> role data name "x"
pipe.output @output.o : tensor<2x8x4x4xf32> name "o"

// CHECK-LABEL: rt.func @microbatch.0.body(
pipe.task @microbatch.0 stage 0 forward_backward calls @microbatch.0.body
    (@input.x, @qkv, @grad.qkv) -> (@output.o, @grad.qkv)
pipe.body @microbatch.0.body (%x: tensor<2x8x16xf32>, %w: tensor<16x3x4x4xf32>,
        %grad_qkv_before: tensor<16x3x4x4xf32>)
    -> (tensor<2x8x4x4xf32>, tensor<16x3x4x4xf32> into 2) {
  // Rows and columns merge: 2 x 8 and 3 x 4 x 4.
  // CHECK: rt.gemm {{.*}} as <m = 16, n = 48, k = 16, lda = 16, ldb = 48, ldc = 48>
  %y = nn.contract "bsk,kphd->bsphd" %x, %w
      : tensor<2x8x16xf32>, tensor<16x3x4x4xf32> -> tensor<2x8x3x4x4xf32>
  // Slices are strided views; no copies.
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
  // The result is stored transposed: operands are exchanged.
  // CHECK: rt.gemm %[[K]], %[[Q]], %{{.*}} as <m = 8, n = 8, k = 4
  %t = nn.contract "bshd,bthd->bhts" %q, %k
      : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32> -> tensor<2x4x8x8xf32>
  // CHECK: rt.gemm {{.*}} as <m = 16, n = 48, k = 16, trans_a = true, lda = 16, ldb = 48, ldc = 48, beta = 1.000000e+00 : f32>
  %g = nn.contract "bsk,bsphd->kphd" %x, %y
      : tensor<2x8x16xf32>, tensor<2x8x3x4x4xf32> -> tensor<16x3x4x4xf32>
  %grad_qkv_sum = nn.sum %grad_qkv_before, %g : tensor<16x3x4x4xf32>
  pipe.yield %o, %grad_qkv_sum : tensor<2x8x4x4xf32>, tensor<16x3x4x4xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @microbatch.0 microbatch 0
}

// -----

// Grouped-query attention, backward: the summed dims, r and s, are not adjacent
// in the rhs. There is one GEMM per r, and they accumulate.
pipe.input @input.p : tensor<2x3x2x8x8xf32> role data name "p"
pipe.input @input.y : tensor<2x8x3x2x4xf32> role data name "y"
pipe.output @output.o : tensor<2x8x3x4xf32> name "o"

// CHECK-LABEL: rt.func @grouped.body(
pipe.task @grouped stage 0 forward_backward calls @grouped.body
    (@input.p, @input.y) -> (@output.o)
pipe.body @grouped.body (%p: tensor<2x3x2x8x8xf32>, %y: tensor<2x8x3x2x4xf32>)
    -> (tensor<2x8x3x4xf32>) {
  // CHECK-NOT: rt.launch
  // CHECK: rt.gemm %arg0, %arg1, %arg2 as <m = 8, n = 4, k = 8, trans_a = true, lda = 8, ldb = 24, ldc = 12, batch = [2, 3], a = [384, 128], b = [192, 8], c = [96, 4]>
  // CHECK: %[[P:.*]] = rt.view %arg0 offset 64 :
  // CHECK: %[[Y:.*]] = rt.view %arg1 offset 4 :
  // CHECK: rt.gemm %[[P]], %[[Y]], %arg2 as <m = 8, n = 4, k = 8, trans_a = true, lda = 8, ldb = 24, ldc = 12, batch = [2, 3], a = [384, 128], b = [192, 8], c = [96, 4], beta = 1.000000e+00 : f32>
  // CHECK-NOT: rt.gemm
  %o = nn.contract "bgrst,bsgrd->btgd" %p, %y
      : tensor<2x3x2x8x8xf32>, tensor<2x8x3x2x4xf32> -> tensor<2x8x3x4xf32>
  pipe.yield %o : tensor<2x8x3x4xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @grouped microbatch 0
}

// -----

// A batch dim is innermost in all tensors: no matrix has contiguous rows.
// Operands and result are transposed; an accumulated result is added
// afterwards.
nn.param @w : tensor<6x5x4xf32> init normal
nn.state @grad.w : tensor<6x5x4xf32> gradient of @w
pipe.input @input.x : tensor<3x6x4xf32> role data name "x"
pipe.output @output.y : tensor<3x5x4xf32> name "y"

// CHECK-LABEL: rt.func @strided.body(
pipe.task @strided stage 0 forward_backward calls @strided.body
    (@input.x, @w, @grad.w) -> (@output.y, @grad.w)
pipe.body @strided.body (%x: tensor<3x6x4xf32>, %w: tensor<6x5x4xf32>,
        %grad_w_before: tensor<6x5x4xf32>)
    -> (tensor<3x5x4xf32>, tensor<6x5x4xf32> into 2) {
  // CHECK: rt.launch @kernel.transpose.0 ins(%arg0 {{.*}} outs(%[[X:.*]] : memref<4x3x6xf32>)
  // CHECK: rt.launch @kernel.transpose.1 ins(%{{.*}} outs(%[[W:.*]] : memref<4x6x5xf32>)
  // CHECK: rt.gemm %[[X]], %[[W]], %[[C:.*]] as <m = 3, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [4, 1], a = [18, 0], b = [30, 0], c = [15, 0]>
  // CHECK: rt.launch @kernel.transpose.2 ins(%[[C]] : memref<4x3x5xf32>) outs(%arg3 :
  %y = nn.contract "mkb,knb->mnb" %x, %w
      : tensor<3x6x4xf32>, tensor<6x5x4xf32> -> tensor<3x5x4xf32>
  // CHECK: rt.gemm {{.*}}, %[[G:.*]] as
  // CHECK: rt.launch @kernel.transpose{{.*}} ins(%[[G]] {{.*}} outs(%[[T:.*]] : memref<6x5x4xf32>)
  // CHECK: rt.launch @kernel.accumulate.0 ins(%arg2, %[[T]] : {{.*}} outs(%arg2 : memref<6x5x4xf32>) inplace [0]
  %g = nn.contract "mkb,mnb->knb" %x, %y
      : tensor<3x6x4xf32>, tensor<3x5x4xf32> -> tensor<6x5x4xf32>
  %grad_w_sum = nn.sum %grad_w_before, %g : tensor<6x5x4xf32>
  pipe.yield %y, %grad_w_sum : tensor<3x5x4xf32>, tensor<6x5x4xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @strided microbatch 0
}
