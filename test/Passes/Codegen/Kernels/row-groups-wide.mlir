// With 6144 columns, each of a block's 512 threads has twelve; wider rows are
// not grouped. A kernel has at most four sums in registers, also with few
// columns.
// RUN: pcc-opt %s --rt-form-kernels=partial-sums=256 --rt-verify-kernels -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: pcc-kernels %t.mlir --assemble | FileCheck %s --check-prefix=ASSEMBLED
// ASSEMBLED: 9 of 9 kernels, 0 with too few registers

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

// CHECK-LABEL: func.func @five(
// CHECK-NEXT: call @{{.*}} -> (tensor<16384x384xbf16>, tensor<16384x384xf32>, tensor<512x384xf32>, tensor<512x384xf32>, tensor<512x384xf32>, tensor<512x384xf32>)
// CHECK-NEXT: call @{{.*}} -> (tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>)
// CHECK-NEXT: call @{{.*}} -> tensor<512x384xf32>
// CHECK-NEXT: call @{{.*}} -> tensor<384xf32>
// CHECK-NEXT: return
func.func @five(%x: tensor<16384x384xbf16>, %a: tensor<16384x384xbf16>)
    -> (tensor<16384x384xbf16>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) {
  %y = nn.softmax %x : tensor<16384x384xbf16>
  %w = nn.cast %y : tensor<16384x384xbf16> -> tensor<16384x384xf32>
  %v = nn.cast %a : tensor<16384x384xbf16> -> tensor<16384x384xf32>
  %p1 = nn.mul %w, %v : tensor<16384x384xf32>
  %p2 = nn.sum %w, %v : tensor<16384x384xf32>
  %p3 = nn.sub %w, %v : tensor<16384x384xf32>
  %p4 = nn.mul %p1, %v : tensor<16384x384xf32>
  %s0 = nn.reduce %w [0] : tensor<16384x384xf32> -> tensor<384xf32>
  %s1 = nn.reduce %p1 [0] : tensor<16384x384xf32> -> tensor<384xf32>
  %s2 = nn.reduce %p2 [0] : tensor<16384x384xf32> -> tensor<384xf32>
  %s3 = nn.reduce %p3 [0] : tensor<16384x384xf32> -> tensor<384xf32>
  %s4 = nn.reduce %p4 [0] : tensor<16384x384xf32> -> tensor<384xf32>
  return %y, %s0, %s1, %s2, %s3, %s4 : tensor<16384x384xbf16>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>
}
