// The calls that ops become, with their arguments: bytes for copies and
// transfers, elements for collectives, work items for kernels.
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s

rt.program axes <["dp"=2, "tp"=4]> comms [["tp"], ["dp", "tp"]] microbatches 1
rt.stage 0 arena 4096 {
  rt.buffer @w : memref<6x4xf32> param at 0 layout <[6, 4], [[], []]> record <init normal>
  rt.buffer @x : memref<16xf32> input at 128 slots 2 {role = "data", name = "x"}
  rt.buffer @y : memref<16xf32> value at 256
  rt.buffer @n : memref<i64> value at 320 slots 2
  rt.buffer @frame.task : memref<320xi8> frame at 448
  rt.buffer @frame.products : memref<2048xi8> frame at 1024
  // A body gets its scratch buffer and all other buffers as arguments.
  // CHECK-LABEL: llvm.func internal @stage0.task(
  // CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[FRAME:.*]]: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr, %arg4: !llvm.ptr)
  // CHECK-NEXT: %[[C3:.*]] = llvm.mlir.constant(3 : i64) : i64
  // CHECK-NEXT: %[[ALLOCA:.*]] = llvm.alloca %[[C3]] x !llvm.ptr : (i64) -> !llvm.ptr
  // CHECK-NEXT: %[[C256:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][%[[C256]]]
  // CHECK-NEXT: llvm.store %arg2, %[[ALLOCA]] : !llvm.ptr
  // CHECK-NEXT: %[[C8:.*]] = llvm.mlir.constant(8 : i64) : i64
  // CHECK-NEXT: %[[AT_1:.*]] = llvm.getelementptr %[[ALLOCA]][%[[C8]]]
  // CHECK-NEXT: llvm.store %arg4, %[[AT_1]] : !llvm.ptr
  // CHECK-NEXT: %[[C16:.*]] = llvm.mlir.constant(16 : i64) : i64
  // CHECK-NEXT: %[[AT_2:.*]] = llvm.getelementptr %[[ALLOCA]][%[[C16]]]
  // CHECK-NEXT: llvm.store %arg3, %[[AT_2]] : !llvm.ptr
  // CHECK-NEXT: %[[ONE:.*]] = llvm.mlir.addressof @pcc.kernel.0
  // CHECK-NEXT: llvm.call @pcc_launch(%[[CONTEXT]], %[[ONE]], %[[ALLOCA]])
  // CHECK-NEXT: llvm.store %[[AT]], %[[ALLOCA]] : !llvm.ptr
  // CHECK-NEXT: %[[C8_1:.*]] = llvm.mlir.constant(8 : i64) : i64
  // CHECK-NEXT: %[[AT_3:.*]] = llvm.getelementptr %[[ALLOCA]][%[[C8_1]]]
  // CHECK-NEXT: llvm.store %[[AT]], %[[AT_3]] : !llvm.ptr
  // CHECK-NEXT: %[[TWO:.*]] = llvm.mlir.addressof @pcc.kernel.1
  // CHECK-NEXT: llvm.call @pcc_launch(%[[CONTEXT]], %[[TWO]], %[[ALLOCA]])
  // CHECK-NEXT: %[[NODE:.*]] = llvm.mlir.addressof
  // CHECK-NEXT: llvm.call @pcc_set_node(%[[CONTEXT]], %[[NODE]])
  // CHECK-NEXT: %[[C64:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_copy(%[[CONTEXT]], %arg3, %arg2, %[[C64]])
  // CHECK-NEXT: %[[C96:.*]] = llvm.mlir.constant(96 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_zero(%[[CONTEXT]], %arg4, %[[C96]])
  // CHECK-NEXT: %[[C24:.*]] = llvm.mlir.constant(24 : i64) : i64
  // CHECK-NEXT: %[[AT_4:.*]] = llvm.getelementptr %arg4[%[[C24]]]
  // CHECK-NEXT: %[[C48:.*]] = llvm.mlir.constant(48 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_zero(%[[CONTEXT]], %[[AT_4]], %[[C48]])
  // CHECK-NEXT: llvm.return
  rt.func @task(%a: memref<16xf32>, %b: memref<16xf32>, %w: memref<6x4xf32>) frame 320 {
    %y = rt.temporary at 256 : memref<16xf32>
    rt.launch @one ins(%a, %w : memref<16xf32>, memref<6x4xf32>) outs(%b : memref<16xf32>)
    rt.launch @two ins(%y : memref<16xf32>) outs(%y : memref<16xf32>) inplace [0]
    rt.copy %a to %b : memref<16xf32> to memref<16xf32>
    rt.zero %w : memref<6x4xf32>
    %v = rt.view %w offset 6 : memref<6x4xf32> to memref<3x4xf32>
    rt.zero %v : memref<3x4xf32>
  }
  // The kernels: name, the buffers and their bytes, code, work items, grain.
  // CHECK: llvm.mlir.global internal constant @pcc.string.0("one\00")
  // CHECK: llvm.mlir.global internal constant @pcc.bytes.0()
  // CHECK: llvm.mlir.constant(64 : i64)
  // CHECK: llvm.mlir.constant(96 : i64)
  // CHECK: llvm.mlir.constant(64 : i64)
  // CHECK: llvm.mlir.global internal constant @pcc.kernel.0()
  // CHECK: llvm.mlir.addressof
  // CHECK: llvm.mlir.constant(3 : i32)
  // CHECK: llvm.mlir.addressof @pcc.bytes.0
  // CHECK: llvm.mlir.addressof @one
  // CHECK: llvm.mlir.constant(5 : i64)
  // CHECK: llvm.mlir.constant(6 : i64)
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK-LABEL: llvm.func internal @stage0.products(
  // CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[FRAME:.*]]: !llvm.ptr, %arg2: !llvm.ptr)
  // CHECK-NEXT: %[[C320:.*]] = llvm.mlir.constant(320 : i64) : i64
  // CHECK-NEXT: %[[AT_1:.*]] = llvm.getelementptr %[[FRAME]][%[[C320]]]
  // CHECK-NEXT: %[[C704:.*]] = llvm.mlir.constant(704 : i64) : i64
  // CHECK-NEXT: %[[AT_2:.*]] = llvm.getelementptr %[[FRAME]][%[[C704]]]
  // CHECK-NEXT: %[[C1024:.*]] = llvm.mlir.constant(1024 : i64) : i64
  // CHECK-NEXT: %[[AT_3:.*]] = llvm.getelementptr %[[FRAME]][%[[C1024]]]
  // CHECK-NEXT: %[[GEMM_0:.*]] = llvm.mlir.addressof @pcc.gemm.0
  // CHECK-NEXT: llvm.call @pcc_gemm(%[[CONTEXT]], %[[GEMM_0]], %[[AT_3]], %[[AT_3]], %[[AT_3]])
  // CHECK-NEXT: %[[GEMM_1:.*]] = llvm.mlir.addressof @pcc.gemm.1
  // CHECK-NEXT: llvm.call @pcc_gemm(%[[CONTEXT]], %[[GEMM_1]], %[[AT_2]], %[[AT_2]], %[[AT_2]])
  // CHECK-NEXT: %[[GEMM_2:.*]] = llvm.mlir.addressof @pcc.gemm.2
  // CHECK-NEXT: llvm.call @pcc_gemm(%[[CONTEXT]], %[[GEMM_2]], %[[AT_1]], %arg2, %[[AT_1]])
  // CHECK-NEXT: %[[GEMM_1_1:.*]] = llvm.mlir.addressof @pcc.gemm.1
  // CHECK-NEXT: llvm.call @pcc_gemm(%[[CONTEXT]], %[[GEMM_1_1]], %[[AT_2]], %[[AT_2]], %[[AT_2]])
  // CHECK-NEXT: llvm.return
  rt.func @products(%x: memref<16xf32>) frame 2048 {
    %z = rt.temporary at 320 : memref<64xf32>
    %g = rt.temporary at 704 : memref<5x3xf64>
    %big = rt.temporary at 1024 : memref<256xf32>
    rt.gemm %big, %big, %big as <m = 2, n = 3, k = 4, trans_a = true, lda = 5, ldb = 6, ldc = 7, batch = [8, 9], a = [10, 11], b = [12, 13], c = [14, 15], alpha = 0.5 : f32, beta = 1.0 : f32>
        : memref<256xf32>, memref<256xf32>, memref<256xf32>
    rt.gemm %g, %g, %g as <m = 5, n = 3, k = 1, trans_b = true, lda = 3, ldb = 3, ldc = 3>
        : memref<5x3xf64>, memref<5x3xf64>, memref<5x3xf64>
    // A constant for a shape and an element type.
    rt.gemm %z, %x, %z as <m = 5, n = 3, k = 1, trans_b = true, lda = 3, ldb = 3, ldc = 3>
        : memref<64xf32>, memref<16xf32>, memref<64xf32>
    rt.gemm %g, %g, %g as <m = 5, n = 3, k = 1, trans_b = true, lda = 3, ldb = 3, ldc = 3>
        : memref<5x3xf64>, memref<5x3xf64>, memref<5x3xf64>
  }
  // The shapes: dtype, transposed or not, m, n, k, leading dims, batches, their
  // strides in each matrix, alpha and beta, and a node of the model.
  // CHECK: llvm.mlir.global internal constant @pcc.gemm.0()
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant(2 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(4 : i64)
  // CHECK: llvm.mlir.constant(5 : i64)
  // CHECK: llvm.mlir.constant(6 : i64)
  // CHECK: llvm.mlir.constant(7 : i64)
  // CHECK: llvm.mlir.constant(8 : i64)
  // CHECK: llvm.mlir.constant(9 : i64)
  // CHECK: llvm.mlir.constant(10 : i64)
  // CHECK: llvm.mlir.constant(11 : i64)
  // CHECK: llvm.mlir.constant(12 : i64)
  // CHECK: llvm.mlir.constant(13 : i64)
  // CHECK: llvm.mlir.constant(14 : i64)
  // CHECK: llvm.mlir.constant(15 : i64)
  // CHECK: llvm.mlir.constant(5.000000e-01 : f32)
  // CHECK: llvm.mlir.constant(1.000000e+00 : f32)
  // CHECK: llvm.mlir.addressof @pcc.string.
  // CHECK: llvm.mlir.global internal constant @pcc.gemm.1()
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.mlir.constant(5 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(1.000000e+00 : f32)
  // CHECK: llvm.mlir.constant(0.000000e+00 : f32)
  // CHECK: llvm.mlir.global internal constant @pcc.gemm.2()
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant(0 : i32)
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.mlir.constant(5 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(1 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(0 : i64)
  // CHECK: llvm.mlir.constant(1.000000e+00 : f32)
  // CHECK: llvm.mlir.constant(0.000000e+00 : f32)
  // CHECK-LABEL: llvm.func internal @stage0.transfers(
  // CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[FRAME:.*]]: !llvm.ptr)
  // CHECK-NEXT: %[[C256:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %[[FRAME]][%[[C256]]]
  // CHECK-NEXT: %[[C320:.*]] = llvm.mlir.constant(320 : i64) : i64
  // CHECK-NEXT: %[[AT_1:.*]] = llvm.getelementptr %[[FRAME]][%[[C320]]]
  // CHECK-NEXT: %[[C640:.*]] = llvm.mlir.constant(640 : i64) : i64
  // CHECK-NEXT: %[[AT_2:.*]] = llvm.getelementptr %[[FRAME]][%[[C640]]]
  // CHECK-NEXT: %[[C704:.*]] = llvm.mlir.constant(704 : i64) : i64
  // CHECK-NEXT: %[[AT_3:.*]] = llvm.getelementptr %[[FRAME]][%[[C704]]]
  // CHECK-NEXT: %[[NODE:.*]] = llvm.mlir.addressof
  // CHECK-NEXT: llvm.call @pcc_set_node(%[[CONTEXT]], %[[NODE]])
  // CHECK-NEXT: %[[C1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C0:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C0_1:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C80:.*]] = llvm.mlir.constant(80 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_all_reduce(%[[CONTEXT]], %[[C1]], %[[C0]], %[[C0_1]], %[[AT]], %[[C80]])
  // CHECK-NEXT: %[[C0_2:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C1_1:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C1_2:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C15:.*]] = llvm.mlir.constant(15 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_all_reduce(%[[CONTEXT]], %[[C0_2]], %[[C1_1]], %[[C1_2]], %[[AT_3]], %[[C15]])
  // CHECK-NEXT: %[[C0_3:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C0_4:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C16:.*]] = llvm.mlir.constant(16 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_all_gather(%[[CONTEXT]], %[[C0_3]], %[[C0_4]], %[[AT]], %[[AT_1]], %[[C16]])
  // CHECK-NEXT: %[[C0_5:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C0_6:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C16_1:.*]] = llvm.mlir.constant(16 : i64) : i64
  // CHECK-NEXT: %[[ADDS:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: llvm.call @pcc_reduce_scatter(%[[CONTEXT]], %[[C0_5]], %[[C0_6]], %[[AT_1]], %[[AT]], %[[C16_1]], %[[ADDS]])
  // CHECK-NEXT: %[[C1_3:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C0_7:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[C8:.*]] = llvm.mlir.constant(8 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_all_to_all(%[[CONTEXT]], %[[C1_3]], %[[C0_7]], %[[AT_1]], %[[AT_1]], %[[C8]])
  // CHECK-NEXT: %[[C0_8:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[INDEX:.*]] = llvm.call @pcc_comm_index(%[[CONTEXT]], %[[C0_8]])
  // CHECK-NEXT: %[[C64:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK-NEXT: %[[MUL:.*]] = llvm.mul %[[INDEX]], %[[C64]] : i64
  // CHECK-NEXT: %[[AT_4:.*]] = llvm.getelementptr %[[AT_1]][%[[MUL]]]
  // CHECK-NEXT: llvm.call @pcc_copy(%[[CONTEXT]], %[[AT]], %[[AT_4]], %[[C64]])
  // CHECK-NEXT: llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C0_9:.*]] = llvm.mlir.constant(0 : i32) : i32
  // CHECK-NEXT: %[[INDEX_1:.*]] = llvm.call @pcc_constant_at(%[[CONTEXT]], %[[C0_9]])
  // CHECK-NEXT: %[[C8_1:.*]] = llvm.mlir.constant(8 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_copy(%[[CONTEXT]], %[[AT_2]], %[[INDEX_1]], %[[C8_1]])
  // CHECK-NEXT: %[[C1_5:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C2:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT: %[[C64_1:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_send(%[[CONTEXT]], %[[C1_5]], %[[C2]], %[[AT]], %[[C64_1]])
  // CHECK-NEXT: %[[C3_1:.*]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK-NEXT: %[[C4:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK-NEXT: %[[C256_1:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_recv(%[[CONTEXT]], %[[C3_1]], %[[C4]], %[[AT_1]], %[[C256_1]])
  // CHECK-NEXT: %[[C1_6:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[C2_1:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT: %[[C64_2:.*]] = llvm.mlir.constant(64 : i64) : i64
  // CHECK-NEXT: %[[C3_2:.*]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK-NEXT: %[[C4_1:.*]] = llvm.mlir.constant(4 : i32) : i32
  // CHECK-NEXT: %[[C256_2:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: llvm.call @pcc_exchange(%[[CONTEXT]], %[[C1_6]], %[[C2_1]], %[[AT]], %[[C64_2]], %[[C3_2]], %[[C4_1]], %[[AT_1]], %[[C256_2]])
  // CHECK-NEXT: llvm.return
  rt.func @transfers() frame 832 {
    %y = rt.temporary at 256 : memref<16xf32>
    %z = rt.temporary at 320 : memref<64xf32>
    %n = rt.temporary at 640 : memref<i64>
    %g = rt.temporary at 704 : memref<5x3xf64>
    rt.all_reduce sum %y, %z over ["dp", "tp"] : memref<16xf32>, memref<64xf32>
    rt.all_reduce max %g over ["tp"] : memref<5x3xf64>
    rt.all_gather %y to %z over ["tp"] : memref<16xf32> to memref<64xf32>
    rt.reduce_scatter %z to %y over ["tp"] : memref<64xf32> to memref<16xf32>
    rt.all_to_all %z to %z over ["dp", "tp"] : memref<64xf32> to memref<64xf32>
    rt.shard_slice %z to %y over ["tp"] : memref<64xf32> to memref<16xf32>
    %i = rt.comm_index over ["dp", "tp"] times 3 : memref<i64>
    rt.copy %i to %n : memref<i64> to memref<i64>
    rt.send %y to 1 channel 2 : memref<16xf32>
    rt.recv %z from 3 channel 4 : memref<64xf32>
    rt.exchange %y to 1 channel 2, %z from 3 channel 4 : memref<16xf32>, memref<64xf32>
  }
  // CHECK-LABEL: llvm.func internal @stage0.keep(
  // CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr)
  rt.func @keep(%key: memref<i64>, %to: memref<i64>) {
    rt.copy %key to %to : memref<i64> to memref<i64>
  }
  // An entry point gets the arena. It passes a body its scratch buffer; a body
  // without one gets any address.
  // CHECK-LABEL: llvm.func internal @stage0.train(
  // CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr)
  // CHECK-NEXT: %[[C128:.*]] = llvm.mlir.constant(128 : i64) : i64
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %[[ARENA]][%[[C128]]]
  // CHECK-NEXT: %[[C192:.*]] = llvm.mlir.constant(192 : i64) : i64
  // CHECK-NEXT: %[[AT_1:.*]] = llvm.getelementptr %[[ARENA]][%[[C192]]]
  // CHECK-NEXT: %[[C256:.*]] = llvm.mlir.constant(256 : i64) : i64
  // CHECK-NEXT: %[[AT_2:.*]] = llvm.getelementptr %[[ARENA]][%[[C256]]]
  // CHECK-NEXT: %[[C320:.*]] = llvm.mlir.constant(320 : i64) : i64
  // CHECK-NEXT: %[[AT_3:.*]] = llvm.getelementptr %[[ARENA]][%[[C320]]]
  // CHECK-NEXT: %[[C384:.*]] = llvm.mlir.constant(384 : i64) : i64
  // CHECK-NEXT: %[[AT_4:.*]] = llvm.getelementptr %[[ARENA]][%[[C384]]]
  // CHECK-NEXT: %[[N_KEY:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[KEY:.*]] = llvm.call @pcc_constant_at(%[[CONTEXT]], %[[N_KEY]])
  // CHECK-NEXT: %[[N_SAME:.*]] = llvm.mlir.constant(1 : i32) : i32
  // CHECK-NEXT: %[[SAME:.*]] = llvm.call @pcc_constant_at(%[[CONTEXT]], %[[N_SAME]])
  // CHECK-NEXT: %[[N_OTHER:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK-NEXT: %[[OTHER:.*]] = llvm.call @pcc_constant_at(%[[CONTEXT]], %[[N_OTHER]])
  // CHECK-NEXT: %[[C448:.*]] = llvm.mlir.constant(448 : i64) : i64
  // CHECK-NEXT: %[[AT_5:.*]] = llvm.getelementptr %[[ARENA]][%[[C448]]]
  // CHECK-NEXT: llvm.call @stage0.task(%[[CONTEXT]], %[[AT_5]], %[[AT]], %[[AT_2]], %[[ARENA]])
  // CHECK-NEXT: %[[C1024:.*]] = llvm.mlir.constant(1024 : i64) : i64
  // CHECK-NEXT: %[[AT_6:.*]] = llvm.getelementptr %[[ARENA]][%[[C1024]]]
  // CHECK-NEXT: llvm.call @stage0.products(%[[CONTEXT]], %[[AT_6]], %[[AT_1]])
  // CHECK-NEXT: llvm.call @stage0.keep(%[[CONTEXT]], %[[ARENA]], %[[KEY]], %[[AT_3]])
  // CHECK-NEXT: llvm.call @stage0.keep(%[[CONTEXT]], %[[ARENA]], %[[SAME]], %[[AT_4]])
  // CHECK-NEXT: llvm.call @stage0.keep(%[[CONTEXT]], %[[ARENA]], %[[OTHER]], %[[AT_3]])
  // CHECK-NEXT: llvm.return
  rt.func @train() {
    %w = rt.address @w : memref<6x4xf32>
    %x = rt.address @x : memref<16xf32>
    %x1 = rt.address @x slot 1 : memref<16xf32>
    %y = rt.address @y : memref<16xf32>
    %n = rt.address @n : memref<i64>
    %n1 = rt.address @n slot 1 : memref<i64>
    %key = rt.constant 4294967296 : memref<i64>
    %same = rt.constant 4294967296 : memref<i64>
    %other = rt.constant -1 : memref<i64>
    rt.call @task(%x, %y, %w) frame @frame.task : memref<16xf32>, memref<16xf32>, memref<6x4xf32>
    rt.call @products(%x1) frame @frame.products : memref<16xf32>
    rt.call @keep(%key, %n) : memref<i64>, memref<i64>
    rt.call @keep(%same, %n1) : memref<i64>, memref<i64>
    rt.call @keep(%other, %n) : memref<i64>, memref<i64>
  }
}
// Integers have numbers, equal ones the same: a factor of this rank's index in
// a communicator, or a constant (communicator -1).
// CHECK: llvm.mlir.global internal constant @pcc.constants.0()
// CHECK-DAG: llvm.mlir.constant(1 : i32)
// CHECK-DAG: llvm.mlir.constant(3 : i64)
// CHECK-DAG: llvm.mlir.constant(-1 : i32)
// CHECK-DAG: llvm.mlir.constant(4294967296 : i64)
// CHECK-DAG: llvm.mlir.constant(-1 : i64)
llvm.func @one(!llvm.ptr, i64, i64) attributes {rt.units = 5 : i64, rt.grain = 6 : i64}
llvm.func @two(!llvm.ptr, i64, i64) attributes {rt.units = 7 : i64, rt.grain = 8 : i64}
