// If slots have arbitrary offsets, a loop reads them from a table, one for all
// addresses of the buffer. For contiguous slots the offset is computed. A
// rotation through some slots starts at the first of these.
// RUN: pcc-opt %s -rt-verify -rt-to-llvm | FileCheck %s

rt.program axes <[]> comms [] microbatches 6
rt.stage 0 arena 1408 {
  rt.buffer @x : memref<16xf32> value at 192, 64, 320 slots 3
  rt.buffer @y : memref<16xf32> value at 384 slots 2
  rt.buffer @z : memref<16xf32> value at 0
  rt.buffer @row : memref<1x64xf32> bucket at 512, 1024, 768 slots 3
  rt.buffer @frame.f : memref<64xi8> frame at 1280, 1344 slots 2
  rt.func @f() frame 64 {
    %t = rt.temporary at 0 : memref<16xf32>
    rt.zero %t : memref<16xf32>
  }
  rt.buffer @g : memref<64xf32> gradient in @row element 0 at 512, 1024, 768 slots 3
  // CHECK: llvm.func internal @stage0.forward(%{{.*}}: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) {
  rt.func @forward() {
    // The offset of a known slot is a constant.
    // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(64 : i64)
    // CHECK-NEXT: llvm.getelementptr %[[ARENA]][%[[FIRST]]]
    %first = rt.address @x slot 1 : memref<16xf32>
    rt.zero %first : memref<16xf32>
    // CHECK: ^[[LOOP:.*]](%[[M:.*]]: i64):
    rt.for %m = 0 to 6 {
      // CHECK: %[[SLOT:.*]] = llvm.urem
      // CHECK-NEXT: %[[TABLE:.*]] = llvm.mlir.addressof @[[SLOTS:pcc.slots[.0-9]*]]
      // CHECK-NEXT: %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]][%[[SLOT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      // CHECK-NEXT: %[[OFFSET:.*]] = llvm.load %[[ENTRY]] : !llvm.ptr -> i64
      // CHECK-NEXT: %[[X:.*]] = llvm.getelementptr %[[ARENA]][%[[OFFSET]]]
      %x = rt.address @x slot %m : memref<16xf32>
      rt.zero %x : memref<16xf32>
      // CHECK: llvm.urem
      // CHECK-NOT: llvm.load
      // CHECK: llvm.mul
      %y = rt.address @y slot %m : memref<16xf32>
      rt.copy %x to %y : memref<16xf32> to memref<16xf32>
      // CHECK: llvm.mlir.addressof @[[SLOTS]]
      %again = rt.address @x slot %m : memref<16xf32>
      %z = rt.address @z : memref<16xf32>
      rt.copy %again to %z : memref<16xf32> to memref<16xf32>
      // CHECK: %[[AHEAD:.*]] = llvm.add %[[M]], %{{.*}} : i64
      // CHECK: %[[TURN:.*]] = llvm.urem %[[AHEAD]], %[[TWO:.*]] : i64
      // CHECK: %[[SLOT:.*]] = llvm.add %[[TURN]], %[[ONE:.*]] : i64
      // CHECK-NEXT: %[[TABLE:.*]] = llvm.mlir.addressof @[[ROWS:pcc.slots[.0-9]*]]
      // CHECK-NEXT: llvm.getelementptr %[[TABLE]][%[[SLOT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %row = rt.address @row slot %m + 3 among 1 to 3 : memref<1x64xf32>
      rt.zero %row : memref<1x64xf32>
      rt.release %row : memref<1x64xf32>
      // A call computes its scratch buffer's address from the loop variable.
      // CHECK: %[[TURN:.*]] = llvm.urem %[[M]], %{{.*}} : i64
      // CHECK-NEXT: llvm.mlir.addressof @[[FRAMES:pcc.slots[.0-9]*]]
      // CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[TURN]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      // CHECK-NEXT: %[[OFFSET:.*]] = llvm.load
      // CHECK-NEXT: %[[FRAME:.*]] = llvm.getelementptr %[[ARENA]][%[[OFFSET]]]
      // CHECK-NEXT: llvm.call @stage0.f(%{{.*}}, %[[FRAME]])
      rt.call @f() frame @frame.f
    }
  }
}
// CHECK: llvm.mlir.global internal constant @[[SLOTS]]() {{.*}} : !llvm.array<3 x i64> {
// CHECK-DAG: llvm.mlir.constant(192 : i64)
// CHECK-DAG: llvm.mlir.constant(64 : i64)
// CHECK-DAG: llvm.mlir.constant(320 : i64)
// CHECK: llvm.mlir.global internal constant @[[ROWS]]() {{.*}} : !llvm.array<3 x i64> {
// CHECK: llvm.mlir.global internal constant @[[FRAMES]]() {{.*}} : !llvm.array<2 x i64> {
// CHECK-NOT: llvm.mlir.global{{.*}}pcc.slots
