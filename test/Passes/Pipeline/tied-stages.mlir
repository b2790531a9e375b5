// A table is the embedding of the first stage and the head of the second: both
// hold it, exchange their gradients, add the two in one order, and count the
// sum once in the norm. The second RUN line lowers further and verifies that
// buffers hold the values that are read.
// RUN: pcc-opt %s -o %t --pass-pipeline="builtin.module(nn-attach-loss{loss=causal-lm},canonicalize,cse,nn-stage-cuts{stages=2},nn-autodiff,nn-optimizer,dist-mesh{pp=2},dist-propagate,dist-insert-reshards,dist-verify,dist-partition,pipe-outline,pipe-schedule{microbatches=3},pipe-check)"
// RUN: FileCheck %s < %t
// RUN: pcc-opt %t --pass-pipeline="builtin.module(nn-expand-attention,rt-split-accumulate,rt-form-kernels,rt-verify-kernels,rt-lower,rt-verify)" | FileCheck %s --check-prefix=RT

// The narrow value between the two layers is sent, and its cotangent.
// CHECK: pipe.body @forward.0.body {{.*}} -> ({{.*}}tensor<4x6x2xf32>) {
// CHECK: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.tokens, @wte, @down) -> ({{.*}}@[[ACT:value.[0-9]+]])
// CHECK: pipe.body @forward.1.body (%{{.*}}: tensor<4x6x2xf32> as #x_x_x,
// CHECK: pipe.task @forward.1 stage 1 forward calls @forward.1.body (@[[ACT]],
// CHECK: pipe.body @backward.1.body {{.*}} -> (tensor<4x6x2xf32>, tensor<2x4xf32> into {{[0-9]+}}, tensor<8x4xf32> into {{[0-9]+}}) {
// CHECK: pipe.task @backward.1 stage 1 backward calls @backward.1.body first @backward.1.body.first {{.*}} -> (@[[GRAD:value.[0-9]+]], @grad.up, @grad.wte)
// CHECK: pipe.task @reduce.0.0 stage 0 reduce calls @reduce.0.0.body (@grad.wte) -> (@[[TIED0:.*]])
// CHECK: pipe.task @reduce.0.1 stage 1 reduce calls @reduce.0.1.body (@grad.wte) -> (@[[TIED1:.*]])

// CHECK-LABEL: pipe.body @update.0.body
// CHECK: %[[SUM:.*]] = nn.sum %[[TIED0]], %[[TIED1]] {{.*}}: tensor<8x4xf32>
// CHECK: nn.sum_of_squares %[[SUM]]
// CHECK: dist.all_reduce sum {{.*}} over ["pp"]
// CHECK-LABEL: pipe.body @update.1.body
// CHECK: %[[SUM:.*]] = nn.sum %[[TIED0]], %[[TIED1]] {{.*}}: tensor<8x4xf32>
// CHECK-NOT: nn.sum_of_squares %[[SUM]]
// CHECK: pipe.yield

// CHECK-LABEL: pipe.schedule train stage 0 microbatches 3 attributes {live = 2 : i64}
// CHECK: pipe.exchange @[[ACT]] microbatch 1 to 1 channel 0, @[[GRAD]] microbatch 0 from 1 channel 1
// CHECK-NEXT: pipe.run @backward.0 microbatch 0 first
// CHECK: pipe.run @backward.0 microbatch 1{{$}}
// CHECK: pipe.run @reduce.0.0
// CHECK-NEXT: pipe.exchange @[[TIED0]] microbatch 0 to 1 channel 2, @[[TIED1]] microbatch 0 from 1 channel 2
// CHECK-NEXT: pipe.run @update.0

// RT: rt.program axes <["pp"=2]> {{.*}}microbatches 3
// RT: rt.stage 0
// RT: rt.buffer @wte : memref<8x4xf32> param
// RT: rt.func @train()
// RT: rt.exchange
// RT: rt.stage 1
// RT: rt.buffer @wte : memref<8x4xf32> param

nn.param @wte : tensor<8x4xf32> init normal decay
nn.param @down : tensor<4x2xf32> init normal decay
nn.param @up : tensor<2x4xf32> init normal decay
func.func @forward(%tokens: tensor<4x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>})
    -> (tensor<4x6x8xf32> {nn.name = "logits"}) {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %tokens, %wte : tensor<4x6xi64>, tensor<8x4xf32> -> tensor<4x6x4xf32>
  %down = nn.read @down : tensor<4x2xf32>
  %h = nn.contract "bsc,cm->bsm" %x, %down : tensor<4x6x4xf32>, tensor<4x2xf32> -> tensor<4x6x2xf32>
  %a = nn.tanh %h : tensor<4x6x2xf32>
  %up = nn.read @up : tensor<2x4xf32>
  %y = nn.contract "bsm,mc->bsc" %a, %up : tensor<4x6x2xf32>, tensor<2x4xf32> -> tensor<4x6x4xf32>
  %z = nn.gelu %y : tensor<4x6x4xf32>
  %logits = nn.contract "bsc,vc->bsv" %z, %wte : tensor<4x6x4xf32>, tensor<8x4xf32> -> tensor<4x6x8xf32>
  return %logits : tensor<4x6x8xf32>
}
