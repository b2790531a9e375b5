// Device functions as LLVM functions for GPUs.
// RUN: pcc-opt %s --rt-lower-kernels-to-gpu --gpu-kernels-to-nvvm | FileCheck %s

// The block's shared memory is declared, instead of a variable without bytes:
// of that, LLVM would assume that no two accesses have the same address.
// CHECK: llvm.mlir.global external @[[SHARED:__dynamic_shmem__0]]() {addr_space = 3 : i32, alignment = 16 : i64}
// CHECK: llvm.func @__nv_expf(f32) -> f32
// CHECK-LABEL: llvm.func @softmax(
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}
// CHECK-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.call @__nv_expf
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// CHECK: llvm.return
func.func private @softmax(%x: tensor<2048x768xf32>) -> tensor<2048x768xf32>
    attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<2048x768xf32>
  return %y : tensor<2048x768xf32>
}
