// If one GEMM computes q, k and v, the library writes their cotangents
// interleaved, where that GEMM's cotangent is.
// DEFINE: %{passes} = nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-verify-kernels
// DEFINE: %{lower} = pcc-opt %s --pass-pipeline="builtin.module(%{passes},rt-lower)"
// RUN: %{lower} -o %t.mlir && pcc-opt %t.mlir --rt-verify | FileCheck %s

// Mistakes: two cotangents at one offset, rows of one that overlap another's,
// and two exchanged ones.
// DEFINE: %{change} =
// DEFINE: %{run} = sed %{change} %t.mlir | not pcc-opt --rt-verify 2>&1 | FileCheck %s
// REDEFINE: %{change} = 's/offset 256 \(: memref<2x8x3x2x64xbf16> to .*384\)/offset 128 \1/'
// RUN: %{run} --check-prefix=TWICE
// TWICE: error: 'rt.attention_grad' op writes a temporary of @whole.body over a temporary of @whole.body, which it also writes
// REDEFINE: %{change} = 's/offset 256 \(: memref<2x8x3x2x64xbf16> to .*384\)/offset 192 \1/'
// RUN: %{run} --check-prefix=TWICE
// REDEFINE: %{change} = '/rt.attention_grad.* to/s/to \(%%[0-9]*\), \(%%[0-9]*\)/to \2, \1/'
// RUN: %{run} --check-prefix=OTHER
// OTHER: error: 'rt.gemm' op reads value {{[0-9]+}} of 'whole.body' from a buffer that holds another

pipe.input @x : tensor<2x8x3x2x64xbf16> role data name "x"
pipe.input @w : tensor<8x384xbf16> role data name "w"
pipe.input @at : tensor<8xi64> role positions name "positions"
pipe.value @o : tensor<2x8x2x64xbf16>
pipe.value @lse : tensor<2x8x2xf32>
pipe.output @dx : tensor<2x8x8xbf16> name "dx"
pipe.output @all : tensor<2x8x3x2x64xbf16> name "all"
pipe.output @two : tensor<2x8x3x2x64xbf16> name "some"
pipe.output @double : tensor<2x8x3x2x64xbf16> name "twice"

pipe.task @forward stage 0 forward calls @forward.body (@x, @at) -> (@o, @lse)
pipe.body @forward.body (%x: tensor<2x8x3x2x64xbf16>, %at: tensor<8xi64>)
    -> (tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>) {
  %q = nn.select %x dim 2 index 0
      : tensor<2x8x3x2x64xbf16> -> tensor<2x8x2x64xbf16>
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>)
  pipe.yield %o, %lse : tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>
}

// The GEMM reads them as one.
// CHECK: rt.func @whole.body(
pipe.task @whole stage 0 backward calls @whole.body (@x, @w, @at, @o, @lse)
    -> (@dx)
pipe.body @whole.body (%x: tensor<2x8x3x2x64xbf16>, %w: tensor<8x384xbf16>,
    %at: tensor<8xi64>, %o: tensor<2x8x2x64xbf16>, %lse: tensor<2x8x2xf32>)
    -> (tensor<2x8x8xbf16>) {
  // CHECK: %[[ALL:.*]] = rt.temporary {{.*}} memref<2x8x3x2x64xbf16>
  // CHECK-NEXT: %[[DQ:.*]] = rt.view %[[ALL]] : memref<2x8x3x2x64xbf16> to memref<2x8x2x64xbf16, strided<[3072, 384, 64, 1]>>
  // CHECK-NEXT: %[[DK:.*]] = rt.view %[[ALL]] offset 256 :
  // CHECK-NEXT: %[[DV:.*]] = rt.view %[[ALL]] offset 128 :
  // CHECK: rt.attention_grad causal {{.*}} to %[[DQ]], %[[DK]], %[[DV]] workspace
  // CHECK-NOT: insert
  // CHECK: %[[FLAT:.*]] = rt.view %[[ALL]] : {{.*}} to memref<2x8x384xbf16>
  // CHECK-NEXT: rt.gemm %[[FLAT]]
  %q = nn.select %x dim 2 index 0
      : tensor<2x8x3x2x64xbf16> -> tensor<2x8x2x64xbf16>
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>)
  %0 = nn.insert %dq dim 2 index 0
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %1 = nn.insert %dk dim 2 index 2
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %2 = nn.insert %dv dim 2 index 1
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %all = nn.sum %2, %0, %1 : tensor<2x8x3x2x64xbf16>
  %flat = nn.reshape %all : tensor<2x8x3x2x64xbf16> -> tensor<2x8x384xbf16>
  %dx = nn.contract "bsk,nk->bsn" %flat, %w
      : tensor<2x8x384xbf16>, tensor<8x384xbf16> -> tensor<2x8x8xbf16>
  pipe.yield %dx : tensor<2x8x8xbf16>
}

// The interleaved cotangent is a task result: it is written to its buffer.
// CHECK: rt.func @given.body(
pipe.task @given stage 0 backward calls @given.body (@x, @at, @o, @lse)
    -> (@all)
pipe.body @given.body (%x: tensor<2x8x3x2x64xbf16>, %at: tensor<8xi64>,
    %o: tensor<2x8x2x64xbf16>, %lse: tensor<2x8x2xf32>)
    -> (tensor<2x8x3x2x64xbf16>) {
  // CHECK: rt.view %arg4 : memref<2x8x3x2x64xbf16> to memref<2x8x2x64xbf16, strided<[3072, 384, 64, 1]>>
  // CHECK: rt.attention_grad
  // CHECK-NEXT: {{^ *}$}}
  %q = nn.select %x dim 2 index 0
      : tensor<2x8x3x2x64xbf16> -> tensor<2x8x2x64xbf16>
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>)
  %0 = nn.insert %dq dim 2 index 0
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %1 = nn.insert %dk dim 2 index 1
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %2 = nn.insert %dv dim 2 index 2
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %all = nn.sum %0, %1, %2 : tensor<2x8x3x2x64xbf16>
  pipe.yield %all : tensor<2x8x3x2x64xbf16>
}

// With only two of the three cotangents the third must be zero, and two at one
// index must be added: a kernel does that.
// CHECK: rt.func @some.body(
// CHECK: rt.attention_grad {{.*}} memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<
// CHECK: rt.launch @kernel_{{[0-9]+}}_insert_sum
// CHECK: rt.launch @kernel_{{[0-9]+}}_insert_sum
pipe.task @some stage 0 backward calls @some.body (@x, @at, @o, @lse)
    -> (@two, @double)
pipe.body @some.body (%x: tensor<2x8x3x2x64xbf16>, %at: tensor<8xi64>,
    %o: tensor<2x8x2x64xbf16>, %lse: tensor<2x8x2xf32>)
    -> (tensor<2x8x3x2x64xbf16>, tensor<2x8x3x2x64xbf16>) {
  %q = nn.select %x dim 2 index 0
      : tensor<2x8x3x2x64xbf16> -> tensor<2x8x2x64xbf16>
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>)
  %0 = nn.insert %dq dim 2 index 0
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %1 = nn.insert %dk dim 2 index 1
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %some = nn.sum %0, %1 : tensor<2x8x3x2x64xbf16>
  %ek, %ev, %eq = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>)
  %2 = nn.insert %ek dim 2 index 0
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %3 = nn.insert %ev dim 2 index 1
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %4 = nn.insert %eq dim 2 index 1
      : tensor<2x8x2x64xbf16> -> tensor<2x8x3x2x64xbf16>
  %twice = nn.sum %2, %3, %4 : tensor<2x8x3x2x64xbf16>
  pipe.yield %some, %twice
      : tensor<2x8x3x2x64xbf16>, tensor<2x8x3x2x64xbf16>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @forward microbatch 0
  pipe.run @whole microbatch 0
  pipe.run @given microbatch 0
  pipe.run @some microbatch 0
}
