// A stage becomes functions of the runtime's context and of the arena, or of a
// scratch buffer. A buffer is the arena plus its offset; the shape of a GEMM is
// a separate constant; collectives identify reduction, element type and
// communicator by numbers. The runtime finds everything from @pcc_the_program.
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s

rt.program axes <["tp"=2]> comms [["tp"]] microbatches 1
rt.stage 0 arena 192 {
  rt.buffer @w : memref<4x4xf32> param at 0 layout <[4, 8], [[], ["tp"]]> record <init normal>
  rt.buffer @x : memref<4x4xf32> input at 64 {role = "data", name = "x"}
  rt.buffer @y : memref<4x4xf32> value at 128
  // CHECK: llvm.func internal @stage0.train(%[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr) {
  rt.func @train() {
    %w = rt.address @w : memref<4x4xf32>
    // CHECK-NEXT: %[[C64:.*]] = llvm.mlir.constant(64 : i64)
    // CHECK-NEXT: %[[X:.*]] = llvm.getelementptr %[[ARENA]][%[[C64]]] {{.*}}, i8
    %x = rt.address @x : memref<4x4xf32>
    // CHECK-NEXT: %[[C128:.*]] = llvm.mlir.constant(128 : i64)
    // CHECK-NEXT: %[[Y:.*]] = llvm.getelementptr %[[ARENA]][%[[C128]]] {{.*}}, i8
    %y = rt.address @y : memref<4x4xf32>
    // CHECK-NEXT: %[[SHAPE:.*]] = llvm.mlir.addressof @[[GEMM:.*]] :
    // CHECK-NEXT: llvm.call @pcc_gemm(%[[CONTEXT]], %[[SHAPE]], %[[X]], %[[ARENA]], %[[Y]])
    rt.gemm %x, %w, %y as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
    // CHECK-NEXT: %[[NODE:.*]] = llvm.mlir.addressof
    // CHECK-NEXT: llvm.call @pcc_set_node(%[[CONTEXT]], %[[NODE]])
    // CHECK-NEXT: %[[COMM:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK-NEXT: %[[TYPE:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK-NEXT: %[[SUM:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK-NEXT: %[[COUNT:.*]] = llvm.mlir.constant(16 : i64)
    // CHECK-NEXT: llvm.call @pcc_all_reduce(%[[CONTEXT]], {{.*}}, %[[Y]], %[[COUNT]])
    rt.all_reduce sum %y over ["tp"] : memref<4x4xf32>
    // CHECK-NEXT: llvm.return
  }
  // CHECK: llvm.mlir.global internal constant @[[GEMM]]()
  // GEMMs of one shape and different element types have different constants.
  // CHECK: llvm.func internal @stage0.half(
  rt.func @half(%a: memref<4x4xbf16>, %b: memref<4x4xf32>) {
    // CHECK-NEXT: llvm.mlir.addressof @[[WIDE:.*]] :
    // CHECK-NEXT: llvm.call @pcc_gemm(
    rt.gemm %a, %a, %b as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xbf16>, memref<4x4xbf16>, memref<4x4xf32>
    // CHECK-NEXT: llvm.mlir.addressof @[[GEMM]] :
    // CHECK-NEXT: llvm.call @pcc_gemm(
    rt.gemm %b, %b, %b as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
    // CHECK-NEXT: llvm.mlir.addressof @[[HALF:.*]] :
    // CHECK-NEXT: llvm.call @pcc_gemm(
    rt.gemm %a, %a, %a as <m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>
        : memref<4x4xbf16>, memref<4x4xbf16>, memref<4x4xbf16>
    // CHECK-NEXT: llvm.return
  }
}
// CHECK: llvm.mlir.global internal constant @[[WIDE]]()
// CHECK-NEXT: llvm.mlir.undef
// CHECK-NEXT: %[[A:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: llvm.insertvalue %[[A]], %{{.*}}[0]
// CHECK-NEXT: %[[B:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: llvm.insertvalue %[[B]], %{{.*}}[1]
// CHECK-NEXT: %[[C:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT: llvm.insertvalue %[[C]], %{{.*}}[2]
// CHECK: llvm.mlir.global internal constant @[[HALF]]()
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: llvm.mlir.constant(2 : i32)
// CHECK: %[[C:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT: llvm.insertvalue %[[C]], %{{.*}}[2]
// CHECK: llvm.mlir.global external constant @pcc_the_program()
