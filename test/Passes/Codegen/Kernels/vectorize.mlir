// LLVM vectorizes the maxima of rows, also if some elements are masked or
// padding.
// RUN: pcc-opt %s --rt-lower-kernels | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: clang-22 -O3 -march=x86-64-v3 -Wno-override-module -S %t.ll -o %t.s \
// RUN:   -Rpass=loop-vectorize -Rpass-missed=loop-vectorize 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="not vectorized"
// CHECK-COUNT-4: vectorized loop

func.func private @causal(%x: tensor<2x4x64x64xf32>, %at: tensor<64xi64>)
    -> (tensor<2x4x64x64xf32>, tensor<2x4x64xf32>) attributes {rt.kernel} {
  %p, %lse = nn.masked_softmax causal %x positions %at, %at scale 0.25
      : (tensor<2x4x64x64xf32>, tensor<64xi64>, tensor<64xi64>)
      -> (tensor<2x4x64x64xf32>, tensor<2x4x64xf32>)
  return %p, %lse : tensor<2x4x64x64xf32>, tensor<2x4x64xf32>
}
func.func private @padded(%x: tensor<8x64xf32>) -> tensor<8xf32>
    attributes {rt.kernel} {
  %m = nn.row_max %x classes 60 : tensor<8x64xf32> -> tensor<8xf32>
  return %m : tensor<8xf32>
}
