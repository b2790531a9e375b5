// Offsets beyond 2 GiB survive: constant indices of llvm.getelementptr have
// 32 bits only.
// RUN: pcc-opt %s --rt-to-llvm | FileCheck %s

module {
  rt.program axes <[]> comms [] microbatches 1
  rt.stage 0 arena 4294967360 {
    rt.buffer @large : memref<1073741824xf32> value at 0
    rt.buffer @small : memref<16xf32> value at 4294967296
    rt.func @train() {
      %0 = rt.address @small : memref<16xf32>
      rt.zero %0 : memref<16xf32>
    }
  }
}
// CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(4294967296 : i64)
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]]
// CHECK: llvm.call @pcc_zero(%{{.*}}, %[[AT]],
