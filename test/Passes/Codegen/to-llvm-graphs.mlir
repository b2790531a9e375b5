// A graph's ops are issued if the runtime asks for that graph, and a loop a
// given number of iterations at a time.
// RUN: pcc-opt %s -rt-to-llvm | FileCheck %s

rt.program axes <[]> comms [] microbatches 8
rt.stage 0 arena 192 {
  rt.buffer @x : memref<4xf32> value at 0 slots 2
  rt.buffer @y : memref<4xf32> output at 128 {name = "loss"}
  // CHECK: llvm.func internal @stage0.train(%[[CONTEXT:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) {
  rt.func @train() {
    // CHECK: %[[G0:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: %[[BEGUN:.*]] = llvm.call @pcc_graph_begin(%[[CONTEXT]], %[[G0]], %{{.*}}, %{{.*}}) : (!llvm.ptr, i32, i64, !llvm.ptr) -> i32
    // CHECK: %[[IS:.*]] = llvm.icmp "ne" %[[BEGUN]],
    // CHECK-NEXT: llvm.cond_br %[[IS]], ^[[INSIDE:bb[0-9]+]], ^[[BEHIND:bb[0-9]+]]
    // CHECK: ^[[INSIDE]]:
    rt.graph 0
    %y = rt.address @y : memref<4xf32>
    // CHECK: llvm.call @pcc_zero(
    rt.zero %y : memref<4xf32>
    // CHECK: llvm.call @pcc_graph_end(%[[CONTEXT]], %{{.*}})
    // CHECK-NEXT: llvm.br ^[[BEHIND]]
    // CHECK: ^[[BEHIND]]:
    // CHECK: llvm.br ^[[LAUNCH:bb[0-9]+]](
    // CHECK: ^[[LAUNCH]](%[[FIRST:.*]]: i64):
    // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
    // CHECK: %[[END:.*]] = llvm.add %[[FIRST]], %[[TWO]]
    // CHECK: llvm.call @pcc_graph_begin(%[[CONTEXT]], %{{.*}}, %[[FIRST]], %{{.*}})
    // CHECK: llvm.cond_br %{{.*}}, ^[[TURN:bb[0-9]+]](%[[FIRST]] : i64), ^[[NEXT:bb[0-9]+]]
    // CHECK: ^[[TURN]](%[[M:.*]]: i64):
    rt.graph 1 turns 2
    rt.for %m = 1 to 7 {
      // CHECK: llvm.add %[[M]],
      // CHECK: llvm.urem
      %x = rt.address @x slot %m : memref<4xf32>
      // CHECK: llvm.call @pcc_zero(
      rt.zero %x : memref<4xf32>
      // CHECK: %[[FOLLOWING:.*]] = llvm.add %[[M]], %{{.*}}
      // CHECK: %[[LESS:.*]] = llvm.icmp "slt" %[[FOLLOWING]], %[[END]]
      // CHECK: llvm.cond_br %[[LESS]], ^[[TURN]](%[[FOLLOWING]] : i64), ^[[ISSUED:bb[0-9]+]]
    }
    // CHECK: ^[[ISSUED]]:
    // CHECK: llvm.call @pcc_graph_end(
    // CHECK: llvm.br ^[[NEXT]]
    // CHECK: ^[[NEXT]]:
    // CHECK: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i64)
    // CHECK: %[[MORE:.*]] = llvm.icmp "slt" %[[END]], %[[SEVEN]]
    // CHECK: llvm.cond_br %[[MORE]], ^[[LAUNCH]](%[[END]] : i64), ^[[AFTER:bb[0-9]+]]
    // CHECK: ^[[AFTER]]:
    // CHECK: llvm.call @pcc_graph_begin(
    rt.graph 2
    // CHECK: llvm.call @pcc_graph_end(
    // CHECK: llvm.return
  }
}
// CHECK: "graph 0, of @train\00"
// CHECK: "graph 1, turns of the loop of @train\00"
