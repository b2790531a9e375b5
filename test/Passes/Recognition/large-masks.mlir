// Masks of up to 65536 elements become one constant; larger ones are computed.
// RUN: pcc-opt %s -nn-recognize --mlir-elide-elementsattrs-if-larger=16 | FileCheck %s

// CHECK-LABEL: func.func @constant(
// CHECK-SAME: %arg0: tensor<1x256x1x2xf32>, %arg1: tensor<1x256x1x2xf32>, %arg2: tensor<1x256x1x2xf32>) -> tensor<1x256x1x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense_resource<__elided__> : tensor<256xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<255xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V2]], %[[V1]] along 0 : tensor<255xf32>, tensor<1xf32> -> tensor<256xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<256xf32> -> tensor<1x1x256xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 2] : tensor<1x1x256xf32> -> tensor<1x1x256x256xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<1x1x256xf32> -> tensor<1x1x256x256xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.sum %[[V5]], %[[V6]] : tensor<1x1x256x256xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V7]] scale 1.000000e+00 : (tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32>, tensor<256xi64>, tensor<256xi64>, tensor<1x1x256x256xf32>) -> (tensor<1x256x1x2xf32>, tensor<1x256x1xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<1x256x1x2xf32>
func.func @constant(%q: tensor<1x256x1x2xf32>,
                    %k: tensor<1x256x1x2xf32>,
                    %v: tensor<1x256x1x2xf32>)
    -> tensor<1x256x1x2xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x256x1x2xf32>, tensor<1x256x1x2xf32> -> tensor<1x1x256x256xf32>
  %c = nn.constant dense<0.0> : tensor<255xf32>
  %c1 = nn.constant dense<-1000000000.0> : tensor<1xf32>
  %j = nn.concat %c, %c1 along 0
      : tensor<255xf32>, tensor<1xf32> -> tensor<256xf32>
  %b = nn.broadcast %j [2] : tensor<256xf32> -> tensor<1x1x256x256xf32>
  %c2 = nn.constant dense<0.0> : tensor<255xf32>
  %c3 = nn.constant dense<-1000000000.0> : tensor<1xf32>
  %j1 = nn.concat %c2, %c3 along 0
      : tensor<255xf32>, tensor<1xf32> -> tensor<256xf32>
  %b1 = nn.broadcast %j1 [3] : tensor<256xf32> -> tensor<1x1x256x256xf32>
  %sum = nn.sum %p, %b, %b1 : tensor<1x1x256x256xf32>
  %w = nn.softmax %sum : tensor<1x1x256x256xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<1x1x256x256xf32>, tensor<1x256x1x2xf32> -> tensor<1x256x1x2xf32>
  return %p1 : tensor<1x256x1x2xf32>
}

// CHECK-LABEL: func.func @computed(
// CHECK-SAME: %arg0: tensor<1x257x1x2xf32>, %arg1: tensor<1x257x1x2xf32>, %arg2: tensor<1x257x1x2xf32>) -> tensor<1x257x1x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense_resource<__elided__> : tensor<257xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<256xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V2]], %[[V1]] along 0 : tensor<256xf32>, tensor<1xf32> -> tensor<257xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<257xf32> -> tensor<1x1x257xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 2] : tensor<1x1x257xf32> -> tensor<1x1x257x257xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<1x1x257xf32> -> tensor<1x1x257x257xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.sum %[[V5]], %[[V6]] : tensor<1x1x257x257xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V7]] scale 1.000000e+00 : (tensor<1x257x1x2xf32>, tensor<1x257x1x2xf32>, tensor<1x257x1x2xf32>, tensor<257xi64>, tensor<257xi64>, tensor<1x1x257x257xf32>) -> (tensor<1x257x1x2xf32>, tensor<1x257x1xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<1x257x1x2xf32>
func.func @computed(%q: tensor<1x257x1x2xf32>,
                    %k: tensor<1x257x1x2xf32>,
                    %v: tensor<1x257x1x2xf32>)
    -> tensor<1x257x1x2xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<1x257x1x2xf32>, tensor<1x257x1x2xf32> -> tensor<1x1x257x257xf32>
  %c = nn.constant dense<0.0> : tensor<256xf32>
  %c1 = nn.constant dense<-1000000000.0> : tensor<1xf32>
  %j = nn.concat %c, %c1 along 0
      : tensor<256xf32>, tensor<1xf32> -> tensor<257xf32>
  %b = nn.broadcast %j [2] : tensor<257xf32> -> tensor<1x1x257x257xf32>
  %c2 = nn.constant dense<0.0> : tensor<256xf32>
  %c3 = nn.constant dense<-1000000000.0> : tensor<1xf32>
  %j1 = nn.concat %c2, %c3 along 0
      : tensor<256xf32>, tensor<1xf32> -> tensor<257xf32>
  %b1 = nn.broadcast %j1 [3] : tensor<257xf32> -> tensor<1x1x257x257xf32>
  %sum = nn.sum %p, %b, %b1 : tensor<1x1x257x257xf32>
  %w = nn.softmax %sum : tensor<1x1x257x257xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<1x1x257x257xf32>, tensor<1x257x1x2xf32> -> tensor<1x257x1x2xf32>
  return %p1 : tensor<1x257x1x2xf32>
}
