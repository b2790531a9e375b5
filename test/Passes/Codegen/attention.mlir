// Attention by the library: q, k and v are read as slices of one GEMM result,
// stats are stored by heads in the memory of lse, and the backward pass has a
// workspace for the samples that it processes at a time.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-verify-kernels,rt-lower,rt-verify)" \
// RUN:   | FileCheck %s

// 16 samples: the workspace has dS of 8, so that it is smaller than all
// operands and results, 202.1 MB.
// RUN: sed 's/tensor<6x/tensor<16x/g' %s \
// RUN:   | pcc-opt --pass-pipeline="builtin.module(nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-verify-kernels,rt-lower,rt-verify)" \
// RUN:   | FileCheck %s --check-prefix=MORE
// MORE: rt.temporary at 0 : memref<201723904xi8>
// MORE: rt.attention_grad {{.*}} samples 8 scale

// With 32 heads, dS of a sample take more than 1 GiB: the library processes as
// many heads at a time as take less.
// DEFINE: %{queries} = 4096
// DEFINE: %{heads} = sed 's/tensor<6x1024x/tensor<1x%{queries}x/g; s/tensor<1024x/tensor<%{queries}x/g; s/x12x/x32x/g' %s \
// DEFINE:   | pcc-opt --pass-pipeline="builtin.module(nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-verify-kernels,rt-lower,rt-verify)" \
// DEFINE:   | FileCheck %s
// RUN: %{heads} --check-prefix=HEADS
// HEADS: rt.temporary at 0 : memref<537137152xi8>
// HEADS: rt.attention_grad {{.*}} samples 1 key_heads 16 scale
// REDEFINE: %{queries} = 8192
// RUN: %{heads} --check-prefix=LONG
// LONG: rt.temporary at 0 : memref<537006080xi8>
// LONG: rt.attention_grad {{.*}} samples 1 key_heads 4 scale

// The gradient of another attention, or of one that the library did not
// compute, is rejected.
// DEFINE: %{change} =
// DEFINE: %{run} = pcc-opt %s \
// DEFINE:   --pass-pipeline="builtin.module(nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-lower)" \
// DEFINE:   | sed %{change} | not pcc-opt -rt-verify 2>&1 | FileCheck %s
// REDEFINE: %{change} = 's/attention_grad causal/attention_grad/'
// RUN: %{run} --check-prefix=CAUSAL
// CAUSAL: error: 'rt.attention_grad' op is not causal with scale 1.250000e-01, but its stats are of an attention that is causal with scale 1.250000e-01
// CAUSAL: note: computed here
// REDEFINE: %{change} = '/attention_grad/s/scale 1.25/scale 2.5/'
// RUN: %{run} --check-prefix=SCALE
// SCALE: error: 'rt.attention_grad' op is causal with scale 2.500000e-01, but its stats are of an attention that is causal with scale 1.250000e-01
// REDEFINE: %{change} = 's/rt.attention causal.*/rt.zero %%arg2 {rt.values = array<i64: 4>} : memref<6x1024x12x64xbf16> rt.zero %%arg3 {rt.values = array<i64: 5>} : memref<6x1024x12xf32>/'
// RUN: %{run} --check-prefix=NONE
// NONE: error: 'rt.attention_grad' op is the gradient of an attention that the library does not compute

pipe.input @x : tensor<6x1024x3x12x64xbf16> role data name "x"
pipe.value @o : tensor<6x1024x12x64xbf16>
pipe.value @lse : tensor<6x1024x12xf32>
pipe.output @dq : tensor<6x1024x12x64xbf16> name "dq"
pipe.output @dk : tensor<6x1024x12x64xbf16> name "dk"
pipe.output @dv : tensor<6x1024x12x64xbf16> name "dv"
pipe.input @at : tensor<1024xi64> role positions name "positions"

// CHECK: rt.func @forward.body(%[[X:.*]]: memref<6x1024x3x12x64xbf16>, %{{.*}}: memref<1024xi64>, %[[O:.*]]: memref<6x1024x12x64xbf16>, %[[L:.*]]: memref<6x1024x12xf32>)
pipe.task @forward stage 0 forward calls @forward.body (@x, @at) -> (@o, @lse)
pipe.body @forward.body (%x: tensor<6x1024x3x12x64xbf16>, %at: tensor<1024xi64>)
    -> (tensor<6x1024x12x64xbf16>, tensor<6x1024x12xf32>) {
  // CHECK-NEXT: %[[Q:.*]] = rt.view %[[X]] : {{.*}} to memref<6x1024x12x64xbf16, strided<[2359296, 2304, 64, 1]>>
  // CHECK-NEXT: %[[K:.*]] = rt.view %[[X]] offset 768 :
  // CHECK-NEXT: %[[V:.*]] = rt.view %[[X]] offset 1536 :
  // CHECK-NEXT: %[[S:.*]] = rt.view %[[L]] : memref<6x1024x12xf32> to memref<6x1024x12xf32, strided<[12288, 1, 1024]>>
  // CHECK-NEXT: rt.attention causal %[[Q]], %[[K]], %[[V]] to %[[O]], %[[S]] scale 1.250000e-01
  // CHECK-NEXT: {{^ *}$}}
  %q = nn.select %x dim 2 index 0
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %k = nn.select %x dim 2 index 1
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %v = nn.select %x dim 2 index 2
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %o, %lse = nn.attention causal %q, %k, %v positions %at, %at scale 0.125
      : (tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>,
         tensor<6x1024x12x64xbf16>, tensor<1024xi64>, tensor<1024xi64>)
      -> (tensor<6x1024x12x64xbf16>, tensor<6x1024x12xf32>)
  pipe.yield %o, %lse : tensor<6x1024x12x64xbf16>, tensor<6x1024x12xf32>
}

// dS of a sample have 24 MiB.
// CHECK: rt.func @backward.body(
pipe.task @backward stage 0 backward calls @backward.body
    (@x, @at, @o, @lse) -> (@dq, @dk, @dv)
pipe.body @backward.body (%x: tensor<6x1024x3x12x64xbf16>,
    %at: tensor<1024xi64>, %o: tensor<6x1024x12x64xbf16>,
    %lse: tensor<6x1024x12xf32>)
    -> (tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>,
        tensor<6x1024x12x64xbf16>) {
  // CHECK: %[[W:.*]] = rt.temporary at 0 : memref<75649024xi8>
  // CHECK: rt.attention_grad causal %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}}, %{{.*}}, %{{.*}} workspace %[[W]] samples 3 scale 1.250000e-01
  %q = nn.select %x dim 2 index 0
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %k = nn.select %x dim 2 index 1
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %v = nn.select %x dim 2 index 2
      : tensor<6x1024x3x12x64xbf16> -> tensor<6x1024x12x64xbf16>
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %k, %v result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>,
         tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>,
         tensor<6x1024x12x64xbf16>, tensor<6x1024x12xf32>, tensor<1024xi64>,
         tensor<1024xi64>)
      -> (tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>,
          tensor<6x1024x12x64xbf16>)
  pipe.yield %dq, %dk, %dv : tensor<6x1024x12x64xbf16>,
      tensor<6x1024x12x64xbf16>, tensor<6x1024x12x64xbf16>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @forward microbatch 0
  pipe.run @backward microbatch 0
}
