// Of 6144 columns a block of 512 threads has twelve each; wider rows are not
// taken in groups.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-kernels %t.mlir --assemble | FileCheck %s --check-prefix=ASSEMBLED
// ASSEMBLED: 5 of 5 kernels, 0 with too few registers

// CHECK-LABEL: func.func @widest(
// CHECK-NEXT: call @kernel_0{{.*}} -> (tensor<8192x6144xbf16>, tensor<256x6144xf32>)
// CHECK-NEXT: call @kernel_1
// CHECK-NEXT: return
func.func @widest(%x: tensor<8192x6144xbf16>) -> (tensor<8192x6144xbf16>, tensor<6144xf32>) {
  %y = nn.softmax %x : tensor<8192x6144xbf16>
  %w = nn.cast %y : tensor<8192x6144xbf16> -> tensor<8192x6144xf32>
  %s = nn.reduce %w [0] : tensor<8192x6144xf32> -> tensor<6144xf32>
  return %y, %s : tensor<8192x6144xbf16>, tensor<6144xf32>
}

// CHECK-LABEL: func.func @wider(
// CHECK-NEXT: call @{{.*}} -> tensor<8192x6400xbf16>
// CHECK-NEXT: call @{{.*}} -> tensor<256x6400xf32>
// CHECK-NEXT: call @{{.*}} -> tensor<6400xf32>
func.func @wider(%x: tensor<8192x6400xbf16>) -> (tensor<8192x6400xbf16>, tensor<6400xf32>) {
  %y = nn.softmax %x : tensor<8192x6400xbf16>
  %w = nn.cast %y : tensor<8192x6400xbf16> -> tensor<8192x6400xf32>
  %s = nn.reduce %w [0] : tensor<8192x6400xf32> -> tensor<6400xf32>
  return %y, %s : tensor<8192x6400xbf16>, tensor<6400xf32>
}
