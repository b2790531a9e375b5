// An emulated device is told which buffers are dead: released ones, and a
// temporary before its first use, unless a transfer uses it, which may be in
// flight before compute has reached it. Other targets are not told.
// RUN: pcc-opt %s -rt-to-llvm=forgets | FileCheck %s
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s --check-prefix=NOTHING
// NOTHING-NOT: pcc_forget

rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 1
rt.stage 0 arena 192 {
  // CHECK: llvm.func internal @stage0.task(%{{.*}}: !llvm.ptr, %[[FRAME:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.ptr
  rt.func @task(%x: memref<16xf32>, %done: !rt.event) frame 192 {
    %first = rt.temporary at 0 : memref<16xf32>
    %sent = rt.temporary at 64 : memref<16xf32>
    // CHECK: llvm.getelementptr %[[FRAME]]
    // CHECK: %[[LAST:.*]] = llvm.getelementptr %[[FRAME]]
    %last = rt.temporary at 128 : memref<16xf32>
    // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
    // CHECK-NEXT: llvm.call @pcc_forget(%{{.*}}, %[[FRAME]], %[[BYTES]])
    // CHECK: llvm.call @pcc_copy(%{{.*}}, %[[FRAME]], %[[X]],
    rt.copy %x to %first : memref<16xf32> to memref<16xf32>
    // CHECK-NOT: pcc_forget
    // CHECK: llvm.call @pcc_all_reduce_async
    rt.all_reduce sum %sent over ["dp"] stream 1 : memref<16xf32>
    rt.record %done stream 1
    rt.wait %done
    // The first use of a view is the first use of the whole temporary.
    // CHECK: llvm.getelementptr %[[LAST]]
    // CHECK: llvm.call @pcc_forget(%{{.*}}, %[[LAST]],
    // CHECK: llvm.call @pcc_zero
    %half = rt.view %last offset 8 : memref<16xf32> to memref<8xf32>
    rt.zero %half : memref<8xf32>
    // CHECK-NOT: pcc_forget
    // CHECK: llvm.call @pcc_copy
    rt.copy %first to %last : memref<16xf32> to memref<16xf32>
    // CHECK: llvm.call @pcc_forget(%{{.*}}, %[[X]],
    rt.release %x : memref<16xf32>
  }
}
