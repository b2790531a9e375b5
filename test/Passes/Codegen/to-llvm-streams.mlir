// Ops on a stream become calls that take the stream's number. Events are
// numbered in program order, slot by slot, and bodies take their numbers.
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s

llvm.func @add(!llvm.ptr, i64, i64) attributes {rt.units = 5 : i64, rt.grain = 6 : i64}
rt.program axes <["pp"=2, "dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 1
rt.stage 0 arena 128 {
  rt.buffer @w : memref<4xf32> param at 0 record <init zero>
  rt.buffer @x : memref<8xf32> value at 64
  rt.event @first slots 3
  rt.event @second slots 2
  // CHECK: llvm.func internal @stage0.body(%[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[W:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.ptr, %[[E:.*]]: i32) {
  rt.func @body(%w: memref<4xf32>, %x: memref<8xf32>, %e: !rt.event) {
    // CHECK: %[[BESIDE:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK: %[[S7:.*]] = llvm.mlir.constant(7 : i32)
    // CHECK-NEXT: llvm.call @pcc_all_reduce_async(%[[CONTEXT]], %[[S7]], %[[BESIDE]], {{.*}}, %[[W]],
    rt.all_reduce sum %w over ["dp"] stream 7 : memref<4xf32>
    // CHECK-NEXT: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: llvm.call @pcc_all_reduce(%[[CONTEXT]], %[[FIRST]], {{.*}}, %[[W]],
    rt.all_reduce sum %w over ["dp"] : memref<4xf32>
    // CHECK: llvm.call @pcc_all_gather_async(%[[CONTEXT]], {{.*}}, %[[W]], %[[X]],
    rt.all_gather %w to %x over ["dp"] stream 7
        : memref<4xf32> to memref<8xf32>
    // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
    // CHECK-NEXT: %[[NOT:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: llvm.call @pcc_reduce_scatter_async(%[[CONTEXT]], {{.*}}, %[[X]], %[[W]], %[[FOUR]], %[[NOT]])
    rt.reduce_scatter %x to %w over ["dp"] stream 7
        : memref<8xf32> to memref<4xf32>
    // CHECK: llvm.mlir.constant(4 : i64)
    // CHECK-NEXT: %[[ADDS:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK: llvm.call @pcc_reduce_scatter_async(%[[CONTEXT]], {{.*}}, %[[X]], %[[W]], %{{.*}}, %[[ADDS]])
    rt.reduce_scatter %x to %w over ["dp"] adds stream 7
        : memref<8xf32> to memref<4xf32>
    // CHECK: llvm.call @pcc_all_to_all_async(%[[CONTEXT]], {{.*}}, %[[W]], %[[W]],
    rt.all_to_all %w to %w over ["dp"] stream 7
        : memref<4xf32> to memref<4xf32>
    // CHECK: llvm.call @pcc_send_async(%[[CONTEXT]], {{.*}}, %[[W]],
    rt.send %w to 1 channel 0 stream 1 : memref<4xf32>
    // CHECK: llvm.call @pcc_recv_async(%[[CONTEXT]], {{.*}}, %[[W]],
    rt.recv %w from 1 channel 1 stream 2 : memref<4xf32>
    // CHECK: %[[S2:.*]] = llvm.mlir.constant(2 : i32)
    // CHECK-NEXT: llvm.call @pcc_record(%[[CONTEXT]], %[[S2]], %[[E]])
    rt.record %e stream 2
    // CHECK: %[[S0:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK-NEXT: llvm.call @pcc_wait(%[[CONTEXT]], %[[S0]], %[[E]])
    rt.wait %e
    // CHECK: %[[S6:.*]] = llvm.mlir.constant(6 : i32)
    // CHECK: llvm.call @pcc_launch_async(%[[CONTEXT]], %[[S6]], %{{.*}}, %{{.*}}) :
    rt.launch @add outs(%w : memref<4xf32>) stream 6
    // The compute stream has separate calls.
    // CHECK: llvm.call @pcc_launch(%[[CONTEXT]], %{{.*}}, %{{.*}}) :
    rt.launch @add outs(%w : memref<4xf32>)
    // CHECK: llvm.call @pcc_send(%[[CONTEXT]],
    rt.send %w to 1 channel 0 : memref<4xf32>
  }
  // CHECK: llvm.func internal @stage0.train(
  rt.func @train() {
    %w = rt.address @w : memref<4xf32>
    %x = rt.address @x : memref<8xf32>
    // CHECK: %[[SECOND:.*]] = llvm.mlir.constant(4 : i32)
    %e = rt.event_of @second slot 1 : !rt.event
    // CHECK: llvm.call @stage0.body({{.*}}, %[[SECOND]])
    rt.call @body(%w, %x, %e) : memref<4xf32>, memref<8xf32>, !rt.event
    // In a loop the slot is counted at run time.
    rt.for %m = 0 to 9 {
      // CHECK: ^bb1(%[[M:.*]]: i64):
      // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
      // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[M]], %[[ONE]]
      // CHECK-NEXT: %[[SLOTS:.*]] = llvm.mlir.constant(3 : i64)
      // CHECK-NEXT: %[[SLOT:.*]] = llvm.urem %[[SUM]], %[[SLOTS]]
      // CHECK-NEXT: %[[FIRST:.*]] = llvm.mlir.constant(0 : i64)
      // CHECK-NEXT: %[[NUMBER:.*]] = llvm.add %[[SLOT]], %[[FIRST]]
      // CHECK-NEXT: %[[EVENT:.*]] = llvm.trunc %[[NUMBER]] : i64 to i32
      %first = rt.event_of @first slot %m + 1 : !rt.event
      // CHECK: llvm.call @pcc_record({{.*}}, %[[EVENT]])
      rt.record %first
    }
  }
}
// A fill names the input, by its number among all inputs of the stage, and the
// microbatch. The compute stream has a separate call.
rt.stage 1 arena 256 {
  rt.buffer @lr : memref<f32> input at 0 {role = "lr", name = "lr"}
  rt.buffer @x : memref<4xf32> input at 64 slots 2 refilled
      {role = "data", name = "x"}
  // CHECK: llvm.func internal @stage1.train(%[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
  rt.func @train() {
    // CHECK: %[[AT:.*]] = llvm.getelementptr %[[ARENA]]
    %x = rt.address @x slot 4 : memref<4xf32>
    // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
    // CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
    // CHECK-NEXT: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
    // CHECK-NEXT: llvm.call @pcc_fill(%[[CONTEXT]], %[[ONE]], %[[FOUR]], %[[AT]], %[[BYTES]])
    rt.fill %x : memref<4xf32>
    // CHECK: ^bb1(%[[M:.*]]: i64):
    rt.for %m = 0 to 3 {
      // CHECK: %[[BASE:.*]] = llvm.getelementptr %[[ARENA]]
      // CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[BASE]]
      %next = rt.address @x slot %m + 1 : memref<4xf32>
      // CHECK: %[[MICROBATCH:.*]] = llvm.add %[[M]], %{{.*}} : i64
      // CHECK: llvm.call @pcc_fill_async(%[[CONTEXT]], %{{.*}}, %{{.*}}, %[[MICROBATCH]], %[[NEXT]], %{{.*}})
      rt.fill %next stream 3 : memref<4xf32>
    }
  }
}
