// Masks of up to 65536 elements become one constant; larger ones are computed.
// RUN: pcc-opt %s -nn-recognize --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s

// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %arg0: tensor<1x256x1x2xf32>, %arg1: tensor<1x256x1x2xf32>, %arg2: tensor<1x256x1x2xf32>) -> tensor<1x256x1x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense_resource<__elided__> : tensor<256xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense_resource<__elided__> : tensor<1x1x256x256xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32>, tensor<256xi64>, tensor<256xi64>, tensor<1x1x256x256xf32>) -> (tensor<1x256x1x2xf32>, tensor<1x256x1xf32>, tensor<1x256x1xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<1x256x1x2xf32>
func.func @constant(%q: tensor<1x256x1x2xf32>,
                    %k: tensor<1x256x1x2xf32>,
                    %v: tensor<1x256x1x2xf32>)
    -> tensor<1x256x1x2xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32> -> tensor<1x1x256x256xf32>
  %c = nn.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0]>
      : tensor<16xf32>
  %b = nn.broadcast %c [1] : tensor<16xf32> -> tensor<16x16xf32>
  %r = nn.reshape %b : tensor<16x16xf32> -> tensor<256xf32>
  %b1 = nn.broadcast %r [2] : tensor<256xf32> -> tensor<1x1x256x256xf32>
  %c1 = nn.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0]>
      : tensor<16xf32>
  %b2 = nn.broadcast %c1 [1] : tensor<16xf32> -> tensor<16x16xf32>
  %r1 = nn.reshape %b2 : tensor<16x16xf32> -> tensor<256xf32>
  %b3 = nn.broadcast %r1 [3] : tensor<256xf32> -> tensor<1x1x256x256xf32>
  %sum = nn.sum %p, %b1, %b3 : tensor<1x1x256x256xf32>
  %w = nn.softmax %sum : tensor<1x1x256x256xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<1x1x256x256xf32>, tensor<1x256x1x2xf32> -> tensor<1x256x1x2xf32>
  return %p1 : tensor<1x256x1x2xf32>
}

// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %arg0: tensor<1x272x1x2xf32>, %arg1: tensor<1x272x1x2xf32>, %arg2: tensor<1x272x1x2xf32>) -> tensor<1x272x1x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense_resource<__elided__> : tensor<272xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, -1.000000e+09]> : tensor<16xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [1] : tensor<16xf32> -> tensor<17x16xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<17x16xf32> -> tensor<1x1x272xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V3]] [0, 1, 2] : tensor<1x1x272xf32> -> tensor<1x1x272x272xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V3]] [0, 1, 3] : tensor<1x1x272xf32> -> tensor<1x1x272x272xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.sum %[[V4]], %[[V5]] : tensor<1x1x272x272xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V6]] scale 1.000000e+00 : (tensor<1x272x1x2xf32>, tensor<1x272x1x2xf32>, tensor<1x272x1x2xf32>, tensor<272xi64>, tensor<272xi64>, tensor<1x1x272x272xf32>) -> (tensor<1x272x1x2xf32>, tensor<1x272x1xf32>, tensor<1x272x1xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<1x272x1x2xf32>
func.func @computed(%q: tensor<1x272x1x2xf32>,
                    %k: tensor<1x272x1x2xf32>,
                    %v: tensor<1x272x1x2xf32>)
    -> tensor<1x272x1x2xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x272x1x2xf32>, tensor<1x272x1x2xf32> -> tensor<1x1x272x272xf32>
  %c = nn.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0]>
      : tensor<16xf32>
  %b = nn.broadcast %c [1] : tensor<16xf32> -> tensor<17x16xf32>
  %r = nn.reshape %b : tensor<17x16xf32> -> tensor<272xf32>
  %b1 = nn.broadcast %r [2] : tensor<272xf32> -> tensor<1x1x272x272xf32>
  %c1 = nn.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1000000000.0]>
      : tensor<16xf32>
  %b2 = nn.broadcast %c1 [1] : tensor<16xf32> -> tensor<17x16xf32>
  %r1 = nn.reshape %b2 : tensor<17x16xf32> -> tensor<272xf32>
  %b3 = nn.broadcast %r1 [3] : tensor<272xf32> -> tensor<1x1x272x272xf32>
  %sum = nn.sum %p, %b1, %b3 : tensor<1x1x272x272xf32>
  %w = nn.softmax %sum : tensor<1x1x272x272xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<1x1x272x272xf32>, tensor<1x272x1x2xf32> -> tensor<1x272x1x2xf32>
  return %p1 : tensor<1x272x1x2xf32>
}
