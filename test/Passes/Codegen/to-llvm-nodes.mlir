// The runtime is told the node of the model before a call that does not take
// the node as an argument. It is told again only for another node, in another
// block, or after a body, which may have set another node.
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s

rt.program axes <["tp"=2]> comms [["tp"]] microbatches 4
rt.stage 0 arena 192 {
  rt.buffer @x : memref<4xf32> value at 0
  rt.buffer @y : memref<4xf32> output at 64 {name = "loss"}
  // CHECK: llvm.func internal @stage0.body(
  // CHECK: %[[ADD:.*]] = llvm.mlir.addressof @[[ADD_TEXT:pcc.string[.0-9]*]]
  rt.func @body(%x: memref<4xf32>) {
    // CHECK: llvm.call @pcc_set_node(%{{.*}}, %[[ADD]])
    // CHECK: llvm.call @pcc_all_reduce(
    // CHECK-NOT: pcc_set_node
    // CHECK: llvm.call @pcc_all_reduce(
    rt.all_reduce sum %x over ["tp"] : memref<4xf32> loc("layer/add")
    rt.all_reduce max %x over ["tp"] : memref<4xf32> loc("layer/add")
    // CHECK: llvm.call @pcc_set_node(
    // CHECK: llvm.call @pcc_zero(
    rt.zero %x : memref<4xf32> loc("layer/mul")
    // CHECK-NOT: pcc_set_node
    // CHECK: llvm.return
    // CHECK: @[[ADD_TEXT]]("layer/add\00")
  }
  // CHECK: llvm.func internal @stage0.forward(
  rt.func @forward() {
    %x = rt.address @x : memref<4xf32>
    // CHECK: llvm.call @pcc_set_node(
    // CHECK: llvm.call @pcc_zero(
    rt.zero %x : memref<4xf32> loc("first")
    // CHECK: llvm.call @stage0.body(
    // CHECK: llvm.call @pcc_set_node(
    // CHECK: llvm.call @pcc_zero(
    rt.call @body(%x) : memref<4xf32>
    rt.zero %x : memref<4xf32> loc("first")
    // CHECK: ^{{.*}}(%{{.*}}: i64):
    rt.for %m = 0 to 4 {
      %y = rt.address @y : memref<4xf32>
      // CHECK: llvm.call @pcc_set_node(
      // CHECK: llvm.call @pcc_copy(
      rt.copy %x to %y : memref<4xf32> to memref<4xf32> loc("first")
    }
  }
}
