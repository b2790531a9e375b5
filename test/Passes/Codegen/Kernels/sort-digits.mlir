// Radix sort of many ids for a device: each pass ranks the keys of blocks,
// counts digits, and finds the key of each position. Arrays of blocks times
// keys exist only in the kernels' loops.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels \
// RUN:   -o %t.mlir && FileCheck %s < %t.mlir
// The sums equal those in the order of the ids, bit for bit, also on a device.
// Ids are computed from random numbers; some are invalid: negative or too
// large.
// RUN: pcc-run %s --entry=two --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=two --fill 1 --expect=0=%t.npy --rtol 0
// RUN: pcc-run %s --entry=one --fill 1 --save=0=%t.npy --print=none
// RUN: pcc-run %t.mlir --entry=one --fill 1 --expect=0=%t.npy --rtol 0
// RUN: pcc-kernels %t.mlir | FileCheck %s --check-prefix=DEVICE
// DEVICE: kernels, 0 wrong

// Two digits below 64. The second pass reads the keys in the order of the
// first.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %[[DY:.*]]: tensor<4096x2xf32>, %[[DRAWN:.*]]: tensor<4096xf32>, %[[OFFSET:.*]]: tensor<i32>
// CHECK: %[[KEYS:.*]]:3 = call @{{.*}}(%[[DRAWN]], %[[OFFSET]])
// CHECK: %[[RANKS:.*]] = call @[[RANK:.*]](%[[KEYS]]#2)
// CHECK: %[[LESS:.*]] = call @[[COUNT:.*]](%[[KEYS]]#1)
// CHECK: %[[STARTS:.*]]:2 = call @[[START:.*]](%[[LESS]])
// CHECK: %[[FIRST:.*]] = call @[[TOTAL:.*]](%[[LESS]])
// CHECK: %[[NEXT:.*]]:4 = call @[[FIND:.*]](%[[FIRST]], %[[STARTS]]#0, %[[STARTS]]#1, %[[RANKS]], %[[KEYS]]#0)
// CHECK: call @[[RANK]](%[[NEXT]]#3)
// CHECK: call @[[COUNT]](%[[NEXT]]#2)
// CHECK: call @[[START]](
// CHECK: call @[[TOTAL]](
// CHECK: %[[SORTED:.*]]:2 = call @{{.*}}(%[[NEXT]]#1,
// CHECK: call @{{.*}}(%[[SORTED]]#0, %[[DY]], %[[SORTED]]#1)

// CHECK: func.func private @[[RANK]](
// CHECK: nn.compare lt {{.*}} : tensor<64x64x64xi32>
// CHECK: return %{{.*}} : tensor<64x64xf32>
// CHECK: func.func private @[[COUNT]](
// CHECK: nn.compare lt {{.*}} : tensor<65x64x64xi32>
// CHECK: return %{{.*}} : tensor<65x64xf32>
// CHECK: func.func private @[[START]](
// CHECK: nn.where {{.*}} tensor<64x64x64xf32>
// CHECK: return %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>
// CHECK: func.func private @[[FIND]](
// CHECK: nn.compare le
// CHECK: nn.compare le
// CHECK: nn.compare eq
// CHECK-NOT: tensor<4096x4096
func.func @two(%dy: tensor<4096x2xf32>, %drawn: tensor<4096xf32>,
               %offset: tensor<i32>) -> tensor<3000x2xf32> {
  %wide = nn.scale %drawn by 2.0e+03 : tensor<4096xf32>
  %ids = nn.cast %wide : tensor<4096xf32> -> tensor<4096xi32>
  %g = nn.embedding_grad %dy, %ids offset %offset : tensor<i32>
      : tensor<4096x2xf32>, tensor<4096xi32> -> tensor<3000x2xf32>
  return %g : tensor<3000x2xf32>
}

// One digit is enough for few rows; blocks divide a number that is no power of
// two.
func.func @one(%dy: tensor<15x166x2xf32>, %drawn: tensor<15x166xf32>,
               %table: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %wide = nn.scale %drawn by 4.0 : tensor<15x166xf32>
  %ids = nn.cast %wide : tensor<15x166xf32> -> tensor<15x166xi64>
  %g = nn.embedding_grad %dy, %ids
      : tensor<15x166x2xf32>, tensor<15x166xi64> -> tensor<6x2xf32>
  %sum = nn.sum %table, %g : tensor<6x2xf32>
  return %sum : tensor<6x2xf32>
}
