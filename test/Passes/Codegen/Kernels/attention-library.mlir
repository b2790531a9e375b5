// The implementation of attention with --attention-library: the library
// computes it in bf16 and fp16 with heads of 64 or 128, unmasked or causal.
// Tiles compute all other cases. An attention and its gradient have the same
// implementation.
// RUN: pcc-opt %s --split-input-file --nn-expand-attention="on-device library=auto" | FileCheck %s
// RUN: pcc-opt %s --split-input-file --nn-expand-attention=on-device | FileCheck %s --check-prefix=NONE
// NONE-NOT: rt.by_library

// From sm_100 on the library's backward pass adds in no fixed order: tiles
// compute it, and the forward pass of the same attention. The library computes
// an attention without a gradient.
// RUN: pcc-opt %s --split-input-file --nn-expand-attention="on-device library=auto chips=80,100" | FileCheck %s --check-prefix=LATER
// LATER-LABEL: pipe.body @forward.body
// LATER-NOT: rt.by_library
// LATER-LABEL: @alone
// LATER: nn.attention %{{.*}} {rt.by_library} : (tensor<2x8x4x64xbf16>
// RUN: not pcc-opt %s --split-input-file --nn-expand-attention="on-device library=cudnn chips=100,120" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: cuDNN cannot compute the attention of '': its backward pass is not deterministic on sm_100

pipe.input @input.positions : tensor<8xi64> role positions name "positions"
pipe.value @q : tensor<2x8x4x64xbf16>
pipe.value @k : tensor<2x8x2x64xbf16>
pipe.value @o : tensor<2x8x4x64xbf16>
pipe.value @lse : tensor<2x8x4xf32>
pipe.value @dq : tensor<2x8x4x64xbf16>
pipe.value @dk : tensor<2x8x2x64xbf16>
pipe.task @forward.0 stage 0 forward calls @forward.body
    (@q, @k, @input.positions) -> (@o, @lse)
pipe.task @backward.0 stage 0 backward calls @backward.body
    (@o, @q, @k, @lse, @input.positions) -> (@dq, @dk)
// CHECK-LABEL: pipe.body @forward.body
pipe.body @forward.body (%q: tensor<2x8x4x64xbf16>, %k: tensor<2x8x2x64xbf16>,
    %at: tensor<8xi64>) -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>) {
  // CHECK: nn.attention causal {{.*}} {rt.by_library}
  %o, %lse = nn.attention causal %q, %k, %k positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  pipe.yield %o, %lse : tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>
}
// CHECK-LABEL: pipe.body @backward.body
pipe.body @backward.body (%o: tensor<2x8x4x64xbf16>, %q: tensor<2x8x4x64xbf16>,
    %k: tensor<2x8x2x64xbf16>, %lse: tensor<2x8x4xf32>, %at: tensor<8xi64>)
    -> (tensor<2x8x4x64xbf16>, tensor<2x8x2x64xbf16>) {
  // CHECK: nn.attention_grad causal {{.*}} {rt.by_library}
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %k, %k result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<2x8x2x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>)
  pipe.yield %dq, %dk : tensor<2x8x4x64xbf16>, tensor<2x8x2x64xbf16>
}

// -----

// The positions of the backward pass are sharded over cp, which the library
// does not support: it computes neither pass.
dist.mesh @mesh = <["cp"=2]>
pipe.input @input.positions : tensor<8xi64> role positions name "positions"
pipe.input @input.own : tensor<8xi64> role positions name "own"
    {dist.global = tensor<16xi64>,
     dist.sharding = #dist.sharding<@mesh, [{"cp"}]>}
pipe.value @q : tensor<2x8x4x64xbf16>
pipe.value @o : tensor<2x8x4x64xbf16>
pipe.value @lse : tensor<2x8x4xf32>
pipe.value @dq : tensor<2x8x4x64xbf16>
pipe.task @forward.0 stage 0 forward calls @forward.body
    (@q, @input.positions) -> (@o, @lse)
pipe.task @backward.0 stage 0 backward calls @backward.body
    (@o, @q, @lse, @input.own) -> (@dq)
// CHECK-LABEL: pipe.body @forward.body
// CHECK-NOT: rt.by_library
pipe.body @forward.body (%q: tensor<2x8x4x64xbf16>, %at: tensor<8xi64>)
    -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>) {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  pipe.yield %o, %lse : tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>
}
pipe.body @backward.body (%o: tensor<2x8x4x64xbf16>, %q: tensor<2x8x4x64xbf16>,
    %lse: tensor<2x8x4xf32>, %at: tensor<8xi64>) -> (tensor<2x8x4x64xbf16>) {
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %q, %q result %o lse %lse
      positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>)
  pipe.yield %dq : tensor<2x8x4x64xbf16>
}

// -----

// CHECK-LABEL: @alone
func.func @alone(%q: tensor<2x8x4x64xbf16>, %k: tensor<2x8x4x128xf16>,
    %x: tensor<2x8x4x48xbf16>, %f: tensor<2x8x4x64xf32>,
    %b: tensor<1x1x8x8xbf16>, %at: tensor<8xi64>, %n: tensor<2xi64>,
    %i: tensor<i64>) -> tensor<2x8x4xf32> {
  // lse has no use.
  // CHECK: nn.attention %{{.*}} {rt.by_library} : (tensor<2x8x4x64xbf16>
  %a:2 = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  // CHECK: nn.attention %{{.*}} {rt.by_library} : (tensor<2x8x4x128xf16>
  %c:2 = nn.attention %k, %k, %k positions %at, %at scale 0.125
      : (tensor<2x8x4x128xf16>, tensor<2x8x4x128xf16>, tensor<2x8x4x128xf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x128xf16>, tensor<2x8x4xf32>)
  // Positions that count up from 3 are supported, too.
  // CHECK: nn.attention causal %{{.*}} {rt.by_library} : (tensor<2x8x4x64xbf16>
  %up = nn.constant dense<[3, 4, 5, 6, 7, 8, 9, 10]> : tensor<8xi64>
  %d:2 = nn.attention causal %q, %q, %q positions %up, %up scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  // CHECK-NOT: rt.by_library
  // Unknown positions; f32; heads of 48; dropout; a bias; an lse with a use.
  %e:2 = nn.attention causal %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  %g:2 = nn.attention %f, %f, %f positions %at, %at scale 0.125
      : (tensor<2x8x4x64xf32>, tensor<2x8x4x64xf32>, tensor<2x8x4x64xf32>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xf32>, tensor<2x8x4xf32>)
  %h:2 = nn.attention %x, %x, %x positions %at, %at scale 0.125
      : (tensor<2x8x4x48xbf16>, tensor<2x8x4x48xbf16>, tensor<2x8x4x48xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x48xbf16>, tensor<2x8x4xf32>)
  %j:2 = nn.attention %q, %q, %q positions %at, %at samples %n seed %i step %i
      scale 0.125 {p = 0.1 : f64}
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  %l:3 = nn.attention %q, %q, %q positions %at, %at bias %b scale 0.125
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>, tensor<1x1x8x8xbf16>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
  %m:2 = nn.attention %q, %q, %q positions %at, %at scale 0.25
      : (tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>, tensor<2x8x4x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x4x64xbf16>, tensor<2x8x4xf32>)
  return %m#1 : tensor<2x8x4xf32>
}
