// Collectives: in place if the old value is dead, through a transposition if
// the dim is not the outermost one, merged where their buffers are adjacent.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate,rt-lower,rt-verify)" -o %t.mlir
// RUN: %unnumbered < %t.mlir | FileCheck %s
// A rank's index is a value like others.
// RUN: sed -E 's/(rt.comm_index .*rt.values = array<i64: )[0-9]+/\10/' %t.mlir \
// RUN:   | not pcc-opt --rt-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: 'rt.launch' op reads value {{[0-9]+}} of 'microbatch.0.body' from a buffer that holds another
// RUN: sed -E 's/(rt.comm_index .*) \{rt.values = [^}]*\}/\1/' %t.mlir \
// RUN:   | not pcc-opt --rt-verify -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error: 'rt.comm_index' op does not name its value in 'rt.values'

dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @a : tensor<4x6xf32> init normal
nn.param @b : tensor<6xf32> init zero
nn.state @grad.a : tensor<4x6xf32> gradient of @a
nn.state @grad.b : tensor<6xf32> gradient of @b
pipe.input @input.x : tensor<4x6xf32> role data name "x"
pipe.input @input.y : tensor<4x6xf32> role data name "y"
pipe.output @output.loss : tensor<f32> name "loss"
pipe.output @output.norm : tensor<f32> name "norm"

// CHECK: rt.program axes <["dp"=2, "tp"=2]> comms {{\[}}["tp"], ["dp"]]

// CHECK-LABEL: rt.func @microbatch.0.body(
pipe.task @microbatch.0 stage 0 forward_backward calls @microbatch.0.body
    (@input.x, @input.y, @grad.a) -> (@grad.a)
pipe.body @microbatch.0.body (%x: tensor<4x6xf32>, %y: tensor<4x6xf32>,
        %grad_a_before: tensor<4x6xf32>) -> (tensor<4x6xf32> into 2) {
  // An input is needed again: a copy is reduced.
  // CHECK: rt.copy %{{.*}} to %[[C:.*]] :
  // CHECK-NEXT: rt.all_reduce max %[[C]] over ["tp"]
  %m = dist.all_reduce max %y over ["tp"] : tensor<4x6xf32>
  // CHECK: rt.launch @{{.*}}exp{{.*}} outs(%[[E:.*]] : memref<4x6xf32>)
  // CHECK-NEXT: rt.all_reduce sum %[[E]] over ["tp"] : memref<4x6xf32>
  %e = nn.exp %x : tensor<4x6xf32>
  %r = dist.all_reduce sum %e over ["tp"] : tensor<4x6xf32>
  // CHECK: rt.all_gather %[[C]] to %{{.*}} over ["tp"] : memref<4x6xf32> to memref<8x6xf32>
  %g0 = dist.all_gather %m dim 0 over ["tp"]
      : tensor<4x6xf32> -> tensor<8x6xf32>
  // CHECK: rt.all_gather %[[C]] to %[[BLOCKS:.*]] over ["tp"] : memref<4x6xf32> to memref<2x4x6xf32>
  // CHECK: rt.launch @kernel.transpose{{.*}} ins(%[[BLOCKS]]
  %g1 = dist.all_gather %m dim 1 over ["tp"]
      : tensor<4x6xf32> -> tensor<4x12xf32>
  // The result is in the bytes of the sum that it is added to.
  // CHECK: rt.reduce_scatter %{{.*}} to %[[SUM:.*]] over ["tp"] adds : memref<8x6xf32> to memref<4x6xf32>
  %s0 = dist.reduce_scatter %g0 dim 0 over ["tp"]
      : tensor<8x6xf32> -> tensor<4x6xf32>
  // CHECK: rt.launch @kernel.transpose{{.*}} ins(%[[VIEW:.*]] : memref<4x2x6xf32>) outs(%[[PACKED:.*]] :
  // CHECK: rt.reduce_scatter %[[PACKED]] to %{{.*}} over ["tp"]
  %s1 = dist.reduce_scatter %g1 dim 1 over ["tp"]
      : tensor<4x12xf32> -> tensor<4x6xf32>
  // CHECK: rt.shard_slice %{{.*}} to %{{.*}} over ["tp"] : memref<4x6xf32> to memref<2x6xf32>
  %h = dist.shard_slice %s1 dim 0 over ["tp"]
      : tensor<4x6xf32> -> tensor<2x6xf32>
  // CHECK: rt.all_to_all
  %t = dist.all_to_all %h from 0 to 1 over ["tp"]
      : tensor<2x6xf32> -> tensor<4x3xf32>
  // CHECK: %[[INDEX:.*]] = rt.comm_index over ["tp"] times 3 : memref<i64>
  %o = dist.offset ["tp"] by 3 : tensor<i64>
  // CHECK: rt.launch @{{.*}} ins(%[[INDEX]] :
  %n = nn.cast %o : tensor<i64> -> tensor<f32>
  // CHECK: rt.copy %[[SUM]] to
  %z = nn.sum %r, %s0 : tensor<4x6xf32>
  %grad_a_sum = nn.sum %grad_a_before, %z : tensor<4x6xf32>
  pipe.yield %grad_a_sum : tensor<4x6xf32>
}

// CHECK-LABEL: rt.func @update.0.body(
// CHECK-SAME: %[[A:.*]]: memref<4x6xf32>, %[[B:.*]]: memref<6xf32>, %{{.*}}: memref<f32>, %{{.*}}: memref<f32>) frame 256 {
pipe.task @update.0 stage 0 update calls @update.0.body
    (@grad.a, @grad.b) -> (@output.loss, @output.norm, @grad.a, @grad.b)
pipe.body @update.0.body (%ga: tensor<4x6xf32>, %gb: tensor<6xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<4x6xf32> into 0,
        tensor<6xf32> into 1) {
  // Both gradients in one collective, in place although they are state: they
  // are cleared next.
  // CHECK-NEXT: rt.all_reduce sum %[[A]], %[[B]] over ["dp"] : memref<4x6xf32>, memref<6xf32>
  // CHECK-NOT: rt.all_reduce sum %[[B]]
  %ra = dist.all_reduce sum %ga over ["dp"] : tensor<4x6xf32>
  // CHECK: rt.launch @{{.*}} ins(%[[A]] :
  %na = nn.sum_of_squares %ra : tensor<4x6xf32> -> tensor<f32>
  %rb = dist.all_reduce sum %gb over ["dp"] : tensor<6xf32>
  // CHECK: rt.launch @{{.*}} ins(%[[B]] :
  %nb = nn.sum_of_squares %rb : tensor<6xf32> -> tensor<f32>
  // Scalars are packed and reduced in one collective.
  // CHECK: rt.zero %[[ALL:.*]] : memref<32xf32>
  // CHECK: rt.copy
  // CHECK: rt.copy
  // CHECK: rt.all_reduce sum %[[ALL]] over ["tp"] : memref<32xf32>
  %n:2 = dist.all_reduce sum %na, %nb over ["tp"] : tensor<f32>, tensor<f32>
  %za = nn.constant dense<0.0> : tensor<4x6xf32>
  %zb = nn.constant dense<0.0> : tensor<6xf32>
  // CHECK: rt.zero %[[A]]
  // CHECK: rt.zero %[[B]]
  pipe.yield %n#0, %n#1, %za,
      %zb : tensor<f32>, tensor<f32>, tensor<4x6xf32>, tensor<6xf32>
}

pipe.schedule train stage 0 microbatches 1 {
  pipe.run @microbatch.0 microbatch 0
  pipe.run @update.0
}
