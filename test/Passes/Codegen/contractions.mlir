// The GEMMs that a contraction becomes: m, n, k, the leading dims of the
// matrices, batches and their strides.
// RUN: pcc-opt %s -split-input-file --pass-pipeline="builtin.module(rt-lower,rt-verify)" \
// RUN:   | FileCheck %s

// A matrix as stored, transposed, and both.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5>
pipe.input @l : tensor<4x6xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6xf32>, %r: tensor<6x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mk,kn->mn" %l, %r : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, trans_a = true, lda = 4, ldb = 5, ldc = 5>
pipe.input @l : tensor<6x4xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<6x4xf32>, %r: tensor<6x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "km,kn->mn" %l, %r : tensor<6x4xf32>, tensor<6x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, trans_b = true, lda = 6, ldb = 6, ldc = 5>
pipe.input @l : tensor<4x6xf32> role data name "l"
pipe.input @r : tensor<5x6xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6xf32>, %r: tensor<5x6xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mk,nk->mn" %l, %r : tensor<4x6xf32>, tensor<5x6xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, trans_a = true, trans_b = true, lda = 4, ldb = 6, ldc = 5>
pipe.input @l : tensor<6x4xf32> role data name "l"
pipe.input @r : tensor<5x6xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<6x4xf32>, %r: tensor<5x6xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "km,nk->mn" %l, %r : tensor<6x4xf32>, tensor<5x6xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// The result is stored transposed: operands are exchanged.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg1, %arg0, %arg2 as <m = 5, n = 4, k = 6, trans_a = true, trans_b = true, lda = 5, ldb = 6, ldc = 4>
pipe.input @l : tensor<4x6xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<5x4xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6xf32>, %r: tensor<6x5xf32>)
    -> (tensor<5x4xf32>) {
  %o = nn.contract "mk,kn->nm" %l, %r : tensor<4x6xf32>, tensor<6x5xf32> -> tensor<5x4xf32>
  pipe.yield %o : tensor<5x4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Rows, columns and summed dims are one dim each where they are adjacent.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 6, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5>
pipe.input @l : tensor<2x3x6xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<2x3x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x3x6xf32>, %r: tensor<6x5xf32>)
    -> (tensor<2x3x5xf32>) {
  %o = nn.contract "abk,kn->abn" %l, %r : tensor<2x3x6xf32>, tensor<6x5xf32> -> tensor<2x3x5xf32>
  pipe.yield %o : tensor<2x3x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 6, k = 6, lda = 6, ldb = 6, ldc = 6>
pipe.input @l : tensor<4x6xf32> role data name "l"
pipe.input @r : tensor<6x2x3xf32> role data name "r"
pipe.output @o : tensor<4x2x3xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6xf32>, %r: tensor<6x2x3xf32>)
    -> (tensor<4x2x3xf32>) {
  %o = nn.contract "mk,kcd->mcd" %l, %r : tensor<4x6xf32>, tensor<6x2x3xf32> -> tensor<4x2x3xf32>
  pipe.yield %o : tensor<4x2x3xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5>
pipe.input @l : tensor<4x2x3xf32> role data name "l"
pipe.input @r : tensor<2x3x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x2x3xf32>, %r: tensor<2x3x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mab,abn->mn" %l, %r : tensor<4x2x3xf32>, tensor<2x3x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 6, n = 42, k = 20, lda = 20, ldb = 42, ldc = 42>
pipe.input @l : tensor<2x3x4x5xf32> role data name "l"
pipe.input @r : tensor<4x5x6x7xf32> role data name "r"
pipe.output @o : tensor<2x3x6x7xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x3x4x5xf32>, %r: tensor<4x5x6x7xf32>)
    -> (tensor<2x3x6x7xf32>) {
  %o = nn.contract "abcd,cdef->abef" %l, %r : tensor<2x3x4x5xf32>, tensor<4x5x6x7xf32> -> tensor<2x3x6x7xf32>
  pipe.yield %o : tensor<2x3x6x7xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A vector is a matrix of one row or column.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 1, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5>
pipe.input @l : tensor<6xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<6xf32>, %r: tensor<6x5xf32>) -> (tensor<5xf32>) {
  %o = nn.contract "k,kn->n" %l, %r : tensor<6xf32>, tensor<6x5xf32> -> tensor<5xf32>
  pipe.yield %o : tensor<5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 1, k = 6, lda = 6, ldb = 1, ldc = 1>
pipe.input @l : tensor<4x6xf32> role data name "l"
pipe.input @r : tensor<6xf32> role data name "r"
pipe.output @o : tensor<4xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6xf32>, %r: tensor<6xf32>) -> (tensor<4xf32>) {
  %o = nn.contract "mk,k->m" %l, %r : tensor<4x6xf32>, tensor<6xf32> -> tensor<4xf32>
  pipe.yield %o : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 1, n = 1, k = 6, lda = 6, ldb = 1, ldc = 1>
pipe.input @l : tensor<6xf32> role data name "l"
pipe.input @r : tensor<6xf32> role data name "r"
pipe.output @o : tensor<f32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<6xf32>, %r: tensor<6xf32>) -> (tensor<f32>) {
  %o = nn.contract "k,k->" %l, %r : tensor<6xf32>, tensor<6xf32> -> tensor<f32>
  pipe.yield %o : tensor<f32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 1, lda = 1, ldb = 5, ldc = 5>
pipe.input @l : tensor<4xf32> role data name "l"
pipe.input @r : tensor<5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4xf32>, %r: tensor<5xf32>) -> (tensor<4x5xf32>) {
  %o = nn.contract "m,n->mn" %l, %r : tensor<4xf32>, tensor<5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Dims of one element are ignored.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 1, n = 1, k = 6, lda = 6, ldb = 1, ldc = 1>
pipe.input @l : tensor<1x6xf32> role data name "l"
pipe.input @r : tensor<6x1xf32> role data name "r"
pipe.output @o : tensor<1x1xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<1x6xf32>, %r: tensor<6x1xf32>)
    -> (tensor<1x1xf32>) {
  %o = nn.contract "mk,kn->mn" %l, %r : tensor<1x6xf32>, tensor<6x1xf32> -> tensor<1x1xf32>
  pipe.yield %o : tensor<1x1xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5>
pipe.input @l : tensor<1x4x6xf32> role data name "l"
pipe.input @r : tensor<1x6x5xf32> role data name "r"
pipe.output @o : tensor<1x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<1x4x6xf32>, %r: tensor<1x6x5xf32>)
    -> (tensor<1x4x5xf32>) {
  %o = nn.contract "amk,akn->amn" %l, %r : tensor<1x4x6xf32>, tensor<1x6x5xf32> -> tensor<1x4x5xf32>
  pipe.yield %o : tensor<1x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A batch dim, which may also be between the dims of a matrix.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [2, 1], a = [24, 0], b = [30, 0], c = [20, 0]>
pipe.input @l : tensor<2x4x6xf32> role data name "l"
pipe.input @r : tensor<2x6x5xf32> role data name "r"
pipe.output @o : tensor<2x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x4x6xf32>, %r: tensor<2x6x5xf32>)
    -> (tensor<2x4x5xf32>) {
  %o = nn.contract "bmk,bkn->bmn" %l, %r : tensor<2x4x6xf32>, tensor<2x6x5xf32> -> tensor<2x4x5xf32>
  pipe.yield %o : tensor<2x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 12, ldb = 5, ldc = 10, batch = [2, 1], a = [6, 0], b = [30, 0], c = [5, 0]>
pipe.input @l : tensor<4x2x6xf32> role data name "l"
pipe.input @r : tensor<2x6x5xf32> role data name "r"
pipe.output @o : tensor<4x2x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x2x6xf32>, %r: tensor<2x6x5xf32>)
    -> (tensor<4x2x5xf32>) {
  %o = nn.contract "mbk,bkn->mbn" %l, %r : tensor<4x2x6xf32>, tensor<2x6x5xf32> -> tensor<4x2x5xf32>
  pipe.yield %o : tensor<4x2x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, trans_b = true, lda = 12, ldb = 12, ldc = 5, batch = [2, 1], a = [6, 0], b = [6, 0], c = [20, 0]>
pipe.input @l : tensor<4x2x6xf32> role data name "l"
pipe.input @r : tensor<5x2x6xf32> role data name "r"
pipe.output @o : tensor<2x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x2x6xf32>, %r: tensor<5x2x6xf32>)
    -> (tensor<2x4x5xf32>) {
  %o = nn.contract "mbk,nbk->bmn" %l, %r : tensor<4x2x6xf32>, tensor<5x2x6xf32> -> tensor<2x4x5xf32>
  pipe.yield %o : tensor<2x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Two dims that are adjacent in all tensors are one batch dim. Of two batch
// dims, the one with the larger stride in the result comes first.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [6, 1], a = [24, 0], b = [30, 0], c = [20, 0]>
pipe.input @l : tensor<2x3x4x6xf32> role data name "l"
pipe.input @r : tensor<2x3x6x5xf32> role data name "r"
pipe.output @o : tensor<2x3x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x3x4x6xf32>, %r: tensor<2x3x6x5xf32>)
    -> (tensor<2x3x4x5xf32>) {
  %o = nn.contract "abmk,abkn->abmn" %l, %r : tensor<2x3x4x6xf32>, tensor<2x3x6x5xf32> -> tensor<2x3x4x5xf32>
  pipe.yield %o : tensor<2x3x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [3, 2], a = [24, 72], b = [30, 90], c = [40, 20]>
pipe.input @l : tensor<2x3x4x6xf32> role data name "l"
pipe.input @r : tensor<2x3x6x5xf32> role data name "r"
pipe.output @o : tensor<3x2x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x3x4x6xf32>, %r: tensor<2x3x6x5xf32>)
    -> (tensor<3x2x4x5xf32>) {
  %o = nn.contract "abmk,abkn->bamn" %l, %r : tensor<2x3x4x6xf32>, tensor<2x3x6x5xf32> -> tensor<3x2x4x5xf32>
  pipe.yield %o : tensor<3x2x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A batch dim that an operand lacks has stride 0.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 10, batch = [2, 1], a = [24, 0], c = [5, 0]>
pipe.input @l : tensor<2x4x6xf32> role data name "l"
pipe.input @r : tensor<6x5xf32> role data name "r"
pipe.output @o : tensor<4x2x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x4x6xf32>, %r: tensor<6x5xf32>)
    -> (tensor<4x2x5xf32>) {
  %o = nn.contract "bmk,kn->mbn" %l, %r : tensor<2x4x6xf32>, tensor<6x5xf32> -> tensor<4x2x5xf32>
  pipe.yield %o : tensor<4x2x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [2, 3], a = [24, 0], b = [0, 30], c = [60, 20]>
pipe.input @l : tensor<2x4x6xf32> role data name "l"
pipe.input @r : tensor<3x6x5xf32> role data name "r"
pipe.output @o : tensor<2x3x4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x4x6xf32>, %r: tensor<3x6x5xf32>)
    -> (tensor<2x3x4x5xf32>) {
  %o = nn.contract "bmk,gkn->bgmn" %l, %r : tensor<2x4x6xf32>, tensor<3x6x5xf32> -> tensor<2x3x4x5xf32>
  pipe.yield %o : tensor<2x3x4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// A third batch dim takes a call for each element, so it is the shortest one.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 7, k = 6, lda = 18, ldb = 7, ldc = 7, batch = [3, 5], a = [6, 0], b = [0, 42], c = [140, 28]>
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %arg0 offset 72 : memref<2x4x3x6xf32> to memref<72xf32>
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %arg2 offset 420 : memref<2x3x5x4x7xf32> to memref<420xf32>
// CHECK-NEXT: rt.gemm %[[VIEW]], %arg1, %[[VIEW1]] as <m = 4, n = 7, k = 6, lda = 18, ldb = 7, ldc = 7, batch = [3, 5], a = [6, 0], b = [0, 42], c = [140, 28]>
pipe.input @l : tensor<2x4x3x6xf32> role data name "l"
pipe.input @r : tensor<5x6x7xf32> role data name "r"
pipe.output @o : tensor<2x3x5x4x7xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<2x4x3x6xf32>, %r: tensor<5x6x7xf32>)
    -> (tensor<2x3x5x4x7xf32>) {
  %o = nn.contract "amck,bkn->acbmn" %l, %r : tensor<2x4x3x6xf32>, tensor<5x6x7xf32> -> tensor<2x3x5x4x7xf32>
  pipe.yield %o : tensor<2x3x5x4x7xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Summed dims that are not adjacent take several calls, too: later GEMMs
// accumulate into the result of the first.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: rt.gemm %arg0, %arg1, %arg2 as <m = 4, n = 5, k = 6, lda = 12, ldb = 10, ldc = 5>
// CHECK-NEXT: %[[VIEW:.*]] = rt.view %arg0 offset 6 : memref<4x2x6xf32> to memref<42xf32>
// CHECK-NEXT: %[[VIEW1:.*]] = rt.view %arg1 offset 5 : memref<6x2x5xf32> to memref<55xf32>
// CHECK-NEXT: rt.gemm %[[VIEW]], %[[VIEW1]], %arg2 as <m = 4, n = 5, k = 6, lda = 12, ldb = 10, ldc = 5, beta = 1.000000e+00 : f32>
pipe.input @l : tensor<4x2x6xf32> role data name "l"
pipe.input @r : tensor<6x2x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x2x6xf32>, %r: tensor<6x2x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mak,kan->mn" %l, %r : tensor<4x2x6xf32>, tensor<6x2x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Each GEMM sums over the dim with stride 1 in the lhs, although it is shorter.
// CHECK-LABEL: rt.func @t.body(
// CHECK-COUNT-6: rt.gemm
// CHECK-NOT: rt.gemm
pipe.input @l : tensor<4x6x2xf32> role data name "l"
pipe.input @r : tensor<2x6x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6x2xf32>, %r: tensor<2x6x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mak,kan->mn" %l, %r : tensor<4x6x2xf32>, tensor<2x6x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// Rows whose elements are not adjacent are no matrix: operands are copied.
// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 384 : memref<3x4x6xf32>
// CHECK-NEXT: rt.launch @kernel.transpose.0 ins(%arg0 : memref<4x6x3xf32>) outs(%[[T0]] : memref<3x4x6xf32>)
// CHECK-NEXT: %[[T1:.*]] = rt.temporary at 0 : memref<3x6x5xf32>
// CHECK-NEXT: rt.launch @kernel.transpose.1 ins(%arg1 : memref<6x5x3xf32>) outs(%[[T1]] : memref<3x6x5xf32>)
// CHECK-NEXT: %[[T2:.*]] = rt.temporary at 704 : memref<3x4x5xf32>
// CHECK-NEXT: rt.gemm %[[T0]], %[[T1]], %[[T2]] as <m = 4, n = 5, k = 6, lda = 6, ldb = 5, ldc = 5, batch = [3, 1], a = [24, 0], b = [30, 0], c = [20, 0]>
// CHECK-NEXT: rt.launch @kernel.transpose.2 ins(%[[T2]] : memref<3x4x5xf32>) outs(%arg2 : memref<4x5x3xf32>)
pipe.input @l : tensor<4x6x3xf32> role data name "l"
pipe.input @r : tensor<6x5x3xf32> role data name "r"
pipe.output @o : tensor<4x5x3xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x6x3xf32>, %r: tensor<6x5x3xf32>)
    -> (tensor<4x5x3xf32>) {
  %o = nn.contract "mkb,knb->mnb" %l, %r : tensor<4x6x3xf32>, tensor<6x5x3xf32> -> tensor<4x5x3xf32>
  pipe.yield %o : tensor<4x5x3xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// At most 64 calls are made.
// CHECK-LABEL: rt.func @t.body(
// CHECK-COUNT-64: rt.gemm
// CHECK-NOT: rt.gemm
pipe.input @l : tensor<4x64x70xf32> role data name "l"
pipe.input @r : tensor<70x64x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x64x70xf32>, %r: tensor<70x64x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mak,kan->mn" %l, %r : tensor<4x64x70xf32>, tensor<70x64x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

// CHECK-LABEL: rt.func @t.body(
// CHECK-NEXT: %[[T0:.*]] = rt.temporary at 0 : memref<65x70x5xf32>
// CHECK-NEXT: rt.launch @kernel.transpose.0 ins(%arg1 : memref<70x65x5xf32>) outs(%[[T0]] : memref<65x70x5xf32>)
// CHECK-NEXT: rt.gemm %arg0, %[[T0]], %arg2 as <m = 4, n = 5, k = 4550, lda = 4550, ldb = 5, ldc = 5>
pipe.input @l : tensor<4x65x70xf32> role data name "l"
pipe.input @r : tensor<70x65x5xf32> role data name "r"
pipe.output @o : tensor<4x5xf32> name "o"
pipe.task @t stage 0 forward_backward calls @t.body (@l, @r) -> (@o)
pipe.body @t.body (%l: tensor<4x65x70xf32>, %r: tensor<70x65x5xf32>)
    -> (tensor<4x5xf32>) {
  %o = nn.contract "mak,kan->mn" %l, %r : tensor<4x65x70xf32>, tensor<70x65x5xf32> -> tensor<4x5xf32>
  pipe.yield %o : tensor<4x5xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }
