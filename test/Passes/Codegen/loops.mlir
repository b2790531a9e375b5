// A loop of a schedule becomes an rt.for: slots follow from the microbatch.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=32},pipe-check,rt-lower,rt-verify)" -o %t.mlir
// RUN: %unnumbered %t.mlir | FileCheck %s
// RUN: pcc-opt %t.mlir --pass-pipeline="builtin.module(rt-lower-kernels,rt-to-llvm)" | FileCheck %s --check-prefix=LLVM
// RUN: pcc-opt %s --pass-pipeline="builtin.module(pipe-schedule{microbatches=32 kind=gpipe},pipe-check,rt-lower,rt-verify)" \
// RUN:   | %unnumbered | FileCheck %s --check-prefix=GPIPE

// Stage 0 holds residuals of its backward task for two microbatches, and
// received values for one.
// CHECK: rt.stage 0 arena {{[0-9]+}} {
// CHECK: rt.buffer @x : memref<2xf32> input at {{.*}} slots 32
// CHECK: rt.buffer @act : memref<2xf32> value at {{.*}} slots 2
// CHECK: rt.buffer @grad : memref<2xf32> value at [[#]]
// CHECK-NOT: slots
// CHECK: rt.func @train() {
// CHECK-NEXT: %[[X:.*]] = rt.address @x : memref<2xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X]], %[[ACT]])
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act : memref<2xf32>
// CHECK-NEXT: rt.send %[[ACT]] to 1 channel 0 : memref<2xf32>
// CHECK-NEXT: rt.for %m = 0 to 31 {
// CHECK-NEXT: %[[X:.*]] = rt.address @x slot %m + 1 : memref<2xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act slot %m + 1 : memref<2xf32>
// CHECK-NEXT: rt.call @forward.0.body(%[[X]], %[[ACT]])
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act slot %m + 1 : memref<2xf32>
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad slot %m : memref<2xf32>
// CHECK-NEXT: rt.exchange %[[ACT]] to 1 channel 0, %[[GRAD]] from 1 channel 1
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act slot %m : memref<2xf32>
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad slot %m : memref<2xf32>
// CHECK-NEXT: %{{.*}} = rt.address @dx slot %m : memref<2xf32>
// CHECK-NEXT: rt.call @backward.0.body(%[[ACT]], %[[GRAD]], %{{.*}})
// CHECK-NEXT: }
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad slot 31 : memref<2xf32>
// CHECK-NEXT: rt.recv %[[GRAD]] from 1 channel 1 : memref<2xf32>
// CHECK-NEXT: %[[ACT:.*]] = rt.address @act slot 31 : memref<2xf32>
// CHECK-NEXT: %[[GRAD:.*]] = rt.address @grad slot 31 : memref<2xf32>
// CHECK-NEXT: %{{.*}} = rt.address @dx slot 31 : memref<2xf32>
// CHECK-NEXT: rt.call @backward.0.body(%[[ACT]], %[[GRAD]], %{{.*}})
// CHECK-NEXT: }

// The LLVM function has a loop, too, and computes the address in it.
// LLVM: llvm.func internal @stage0.train(%[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) {
// LLVM: %[[BEGIN:.*]] = llvm.mlir.constant(0 : i64) : i64
// LLVM: llvm.br ^[[LOOP:.*]](%[[BEGIN]] : i64)
// LLVM: ^[[LOOP]](%[[M:.*]]: i64):
// LLVM: llvm.call @stage0.forward.0.body
// LLVM: llvm.call @pcc_exchange
// LLVM: %[[BEHIND:.*]] = llvm.mlir.constant(0 : i64) : i64
// LLVM: %[[SUM:.*]] = llvm.add %[[M]], %[[BEHIND]] : i64
// LLVM: %[[SLOTS:.*]] = llvm.mlir.constant(2 : i64) : i64
// LLVM: %[[SLOT:.*]] = llvm.urem %[[SUM]], %[[SLOTS]] : i64
// LLVM: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64) : i64
// LLVM: %[[OFFSET:.*]] = llvm.mul %[[SLOT]], %[[BYTES]] : i64
// LLVM: %[[ACT:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// LLVM: llvm.call @stage0.backward.0.body(%[[CONTEXT]], %{{.*}}, %[[ACT]],
// LLVM: %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
// LLVM: %[[NEXT:.*]] = llvm.add %[[M]], %[[ONE]] : i64
// LLVM: %[[END:.*]] = llvm.mlir.constant(31 : i64) : i64
// LLVM: %[[LESS:.*]] = llvm.icmp "slt" %[[NEXT]], %[[END]] : i64
// LLVM: llvm.cond_br %[[LESS]], ^[[LOOP]](%[[NEXT]] : i64), ^[[AFTER:.*]]
// LLVM: ^[[AFTER]]:
// LLVM: llvm.call @pcc_recv
// LLVM: llvm.return

// GPipe holds residuals of all microbatches.
// GPIPE: rt.stage 0 arena
// GPIPE: rt.buffer @act : memref<2xf32> value at {{[0-9]+}} slots 32
// GPIPE: rt.func @train() {
// GPIPE: rt.for %m = 0 to 31 {
// GPIPE: rt.send
// GPIPE: rt.exchange
// GPIPE: rt.for %m = 0 to 31 {
// GPIPE-NEXT: %{{.*}} = rt.address @act slot %m : memref<2xf32>

pipe.input @x : tensor<2xf32> role data name "x"
pipe.value @act : tensor<2xf32>
pipe.value @grad : tensor<2xf32>
pipe.value @dx : tensor<2xf32>
pipe.task @forward.0 stage 0 forward calls @forward.0.body (@x) -> (@act)
pipe.body @forward.0.body (%x: tensor<2xf32>) -> (tensor<2xf32>) {
  %y = nn.tanh %x : tensor<2xf32>
  pipe.yield %y : tensor<2xf32>
}
pipe.task @forward.1 stage 1 forward calls @forward.1.body (@act)
pipe.body @forward.1.body (%y: tensor<2xf32>) {
  pipe.yield
}
pipe.task @backward.1 stage 1 backward calls @backward.1.body (@act) -> (@grad)
pipe.body @backward.1.body (%y: tensor<2xf32>) -> (tensor<2xf32>) {
  %g = nn.tanh %y : tensor<2xf32>
  pipe.yield %g : tensor<2xf32>
}
pipe.task @backward.0 stage 0 backward calls @backward.0.body (@act, @grad) -> (@dx)
pipe.body @backward.0.body (%y: tensor<2xf32>, %g: tensor<2xf32>) -> (tensor<2xf32>) {
  %d = nn.mul %y, %g : tensor<2xf32>
  pipe.yield %d : tensor<2xf32>
}
