// The first run of a step that contributes to a gradient overwrites it, by a
// body without the sum; the update no longer clears it. Two layers share both
// bodies. Of the table's two writers the head is the first: the body of the
// lookup only adds to it.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=4},pipe-mark-dead-arguments,pipe-check)" | FileCheck %s
// With one microbatch each run is the first writer: there are no other bodies.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=1},pipe-mark-dead-arguments,pipe-check)" | FileCheck %s --check-prefix=ONE
// Two steps, interpreted on values and on memory. Memory that no run has
// written holds no valid numbers.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=4},pipe-mark-dead-arguments,pipe-check)" -o %t.mlir
// RUN: pcc-run %t.mlir --fill 1 --vocab 4 --steps 2 --exact --print none --save @table=%t.table.npy --save @a=%t.a.npy --save @b=%t.b.npy
// RUN: pcc-opt %t.mlir --pass-pipeline="builtin.module(rt-split-accumulate,rt-form-kernels,rt-lower,rt-verify)" -o %t.rt.mlir
// RUN: pcc-run %t.rt.mlir --fill 1 --vocab 4 --steps 2 --exact --print none --expect @table=%t.table.npy --expect @a=%t.a.npy --expect @b=%t.b.npy
// RUN: FileCheck %s --check-prefix=RT < %t.rt.mlir

nn.param @table : tensor<4x2xf32> init normal
nn.param @a : tensor<2x2xf32> init normal
nn.param @b : tensor<2x2xf32> init normal
nn.state @grad.table : tensor<4x2xf32> gradient of @table
nn.state @grad.a : tensor<2x2xf32> gradient of @a
nn.state @grad.b : tensor<2x2xf32> gradient of @b
pipe.input @ids : tensor<3xi64> role tokens name "ids"
pipe.value @x : tensor<3x2xf32>
pipe.value @y : tensor<3x2xf32>
pipe.value @z : tensor<3x2xf32>
pipe.value @dz : tensor<3x2xf32>
pipe.value @dy : tensor<3x2xf32>
pipe.value @dx : tensor<3x2xf32>

pipe.body @look_up (%ids: tensor<3xi64>, %table: tensor<4x2xf32>)
    -> (tensor<3x2xf32>) {
  %x = nn.embedding %ids, %table
      : tensor<3xi64>, tensor<4x2xf32> -> tensor<3x2xf32>
  pipe.yield %x : tensor<3x2xf32>
}
pipe.body @layer (%x: tensor<3x2xf32>, %w: tensor<2x2xf32>)
    -> (tensor<3x2xf32>) {
  %y = nn.contract "bk,kn->bn" %x, %w
      : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  pipe.yield %y : tensor<3x2xf32>
}
pipe.task @forward.0 stage 0 forward calls @look_up (@ids, @table) -> (@x)
pipe.task @forward.1 stage 0 forward calls @layer (@x, @a) -> (@y)
pipe.task @forward.2 stage 0 forward calls @layer (@y, @b) -> (@z)

// CHECK: pipe.body @head {{.*}} attributes {gives_up = array<i64: 0>} {
// CHECK: nn.sum %dtable
// CHECK: pipe.body @head.first (%z: tensor<3x2xf32>, %table: tensor<4x2xf32>, %dtable: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<4x2xf32> into 2) attributes {gives_up = array<i64: 0>} {
// CHECK-NEXT: %[[P:.*]] = nn.contract
// CHECK-NEXT: %[[D:.*]] = nn.contract
// CHECK-NEXT: %[[G:.*]] = nn.contract
// CHECK-NEXT: pipe.yield %[[D]], %[[G]]
// ONE: pipe.body @head (
// ONE-NOT: nn.sum
// ONE: pipe.yield
// RT-LABEL: rt.func @head.first(
// RT-NOT: beta
// RT: rt.gemm {{.*}}, %arg2 as
// RT-NOT: beta
// RT: rt.func
pipe.body @head (%z: tensor<3x2xf32>, %table: tensor<4x2xf32>,
                 %dtable: tensor<4x2xf32>)
    -> (tensor<3x2xf32>, tensor<4x2xf32> into 2) {
  %p = nn.contract "bk,vk->bv" %z, %table
      : tensor<3x2xf32>, tensor<4x2xf32> -> tensor<3x4xf32>
  %d = nn.contract "bv,vk->bk" %p, %table
      : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
  %g = nn.contract "bv,bk->vk" %p, %z
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<4x2xf32>
  %sum = nn.sum %dtable, %g : tensor<4x2xf32>
  pipe.yield %d, %sum : tensor<3x2xf32>, tensor<4x2xf32>
}
// CHECK: pipe.task @backward.3 stage 0 backward calls @head first @head.first (@z, @table, @grad.table) -> (@dz, @grad.table)
// ONE: pipe.task @backward.3 stage 0 backward calls @head (@z, @table, @grad.table) -> (@dz, @grad.table)
pipe.task @backward.3 stage 0 backward calls @head (@z, @table, @grad.table)
    -> (@dz, @grad.table)

// CHECK: pipe.body @layer_grad (
// CHECK: pipe.body @layer_grad.first (
// CHECK-NOT: pipe.body @layer_grad
pipe.body @layer_grad (%x: tensor<3x2xf32>, %dy: tensor<3x2xf32>,
                       %w: tensor<2x2xf32>, %dw: tensor<2x2xf32>)
    -> (tensor<3x2xf32>, tensor<2x2xf32> into 3) {
  %dx = nn.contract "bn,kn->bk" %dy, %w
      : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %g = nn.contract "bk,bn->kn" %x, %dy
      : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %sum = nn.sum %dw, %g : tensor<2x2xf32>
  pipe.yield %dx, %sum : tensor<3x2xf32>, tensor<2x2xf32>
}
// CHECK: pipe.task @backward.2 stage 0 backward calls @layer_grad first @layer_grad.first (
pipe.task @backward.2 stage 0 backward calls @layer_grad
    (@y, @dz, @b, @grad.b) -> (@dy, @grad.b)
// CHECK: pipe.task @backward.1 stage 0 backward calls @layer_grad first @layer_grad.first (
pipe.task @backward.1 stage 0 backward calls @layer_grad
    (@x, @dy, @a, @grad.a) -> (@dx, @grad.a)

// CHECK: pipe.task @backward.0 stage 0 backward calls @table_grad (
pipe.body @table_grad (%ids: tensor<3xi64>, %dx: tensor<3x2xf32>,
                       %dtable: tensor<4x2xf32>) -> (tensor<4x2xf32> into 2) {
  %g = nn.embedding_grad %dx, %ids
      : tensor<3x2xf32>, tensor<3xi64> -> tensor<4x2xf32>
  %sum = nn.sum %dtable, %g : tensor<4x2xf32>
  pipe.yield %sum : tensor<4x2xf32>
}
pipe.task @backward.0 stage 0 backward calls @table_grad
    (@ids, @dx, @grad.table) -> (@grad.table)

// CHECK: pipe.body @step {{.*}} -> (tensor<4x2xf32> into 0, tensor<2x2xf32> into 1, tensor<2x2xf32> into 2) attributes {gives_up = array<i64: 3, 4, 5>} {
// CHECK-NOT: nn.constant
// CHECK: pipe.task @update.0 stage 0 update calls @step (@table, @a, @b, @grad.table, @grad.a, @grad.b) -> (@table, @a, @b)
// ONE: pipe.task @update.0 stage 0 update calls @step (@table, @a, @b, @grad.table, @grad.a, @grad.b) -> (@table, @a, @b)
pipe.body @step (%table: tensor<4x2xf32>, %a: tensor<2x2xf32>,
                 %b: tensor<2x2xf32>, %dtable: tensor<4x2xf32>,
                 %da: tensor<2x2xf32>, %db: tensor<2x2xf32>)
    -> (tensor<4x2xf32> into 0, tensor<2x2xf32> into 1, tensor<2x2xf32> into 2,
        tensor<4x2xf32> into 3, tensor<2x2xf32> into 4,
        tensor<2x2xf32> into 5) {
  %t = nn.sum %table, %dtable : tensor<4x2xf32>
  %u = nn.sum %a, %da : tensor<2x2xf32>
  %v = nn.sum %b, %db : tensor<2x2xf32>
  %z4 = nn.constant dense<0.0> : tensor<4x2xf32>
  %z2 = nn.constant dense<0.0> : tensor<2x2xf32>
  pipe.yield %t, %u, %v, %z4, %z2, %z2
      : tensor<4x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<4x2xf32>,
        tensor<2x2xf32>, tensor<2x2xf32>
}
pipe.task @update.0 stage 0 update calls @step
    (@table, @a, @b, @grad.table, @grad.a, @grad.b)
    -> (@table, @a, @b, @grad.table, @grad.a, @grad.b)

// CHECK-LABEL: pipe.schedule train
// CHECK: pipe.run @forward.2 microbatch 0
// CHECK-NEXT: pipe.run @backward.3 microbatch 0 first
// CHECK-NEXT: pipe.run @backward.2 microbatch 0 first
// CHECK-NEXT: pipe.run @backward.1 microbatch 0 first
// CHECK-NEXT: pipe.run @backward.0 microbatch 0{{$}}
// CHECK-NEXT: pipe.loop %m = 1 to 4 {
// CHECK-NOT: first
// CHECK: pipe.run @update.0
// ONE-LABEL: pipe.schedule train
// ONE-NOT: first
