// Values that are added to scores or replace them, and that depend on inputs or
// are trained, become a bias with the values' extents.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// An added value that depends on inputs becomes a bias with its extents.
// CHECK-LABEL: func.func @data_added(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @data_added(%q: tensor<2x3x2x4xf32>,
                      %k: tensor<2x3x2x4xf32>,
                      %v: tensor<2x3x2x4xf32>,
                      %bias: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %bias [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// If the sum is scaled, so is the bias.
// CHECK-LABEL: func.func @data_scaled(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.scale %[[V1]] by 5.000000e-01 : tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V2]] scale 5.000000e-01 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @data_scaled(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>,
                       %bias: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %bias [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %scaled = nn.scale %sum by 0.5 : tensor<2x2x3x3xf32>
  %w = nn.softmax %scaled : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Data may mask keys, so finite numbers of a causal mask do not change,
// CHECK-LABEL: func.func @data_and_causal(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.sum %[[V3]], %[[V4]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V5]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @data_and_causal(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>,
                           %bias: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %bias [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// also if the data is one of several masks,
// CHECK-LABEL: func.func @selected_data_and_causal(
// CHECK: %[[DATA:.*]] = nn.select %arg3
// CHECK: nn.attention %arg0, %arg1, %arg2 positions %{{.*}}, %{{.*}} bias %{{.*}} scale 1.000000e+00
func.func @selected_data_and_causal(%q: tensor<2x3x2x4xf32>,
                                    %k: tensor<2x3x2x4xf32>,
                                    %v: tensor<2x3x2x4xf32>,
                                    %biases: tensor<2x2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %bias = nn.select %biases dim 1 index 0 : tensor<2x2x3xf32> -> tensor<2x3xf32>
  %b = nn.broadcast %bias [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// but infinite ones become causal.
// CHECK-LABEL: func.func @data_and_infinite(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, 0xFF800000, 0xFF800000], [0.000000e+00, 0.000000e+00, 0xFF800000], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.sum %[[V3]], %[[V4]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V5]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @data_and_infinite(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>,
                             %bias: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %bias [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, 0xFF800000, 0xFF800000],
      [0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Scaled integers may be a mask: -9999 masks keys,
// CHECK-LABEL: func.func @ids_take_keys(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi64>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg3 : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.scale %[[V3]] by -9.999000e+03 : tensor<2x1x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.sum %[[V5]], %[[V6]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @ids_take_keys(%q: tensor<2x3x2x4xf32>,
                         %k: tensor<2x3x2x4xf32>,
                         %v: tensor<2x3x2x4xf32>,
                         %ids: tensor<2x3xi64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %cast = nn.cast %ids : tensor<2x3xi64> -> tensor<2x3xf32>
  %scaled = nn.scale %cast by -9999.0 : tensor<2x3xf32>
  %b = nn.broadcast %scaled [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// -9998 is only added.
// CHECK-LABEL: func.func @ids_add(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi64>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.cast %arg3 : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.scale %[[V2]] by -9.998000e+03 : tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V3]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @ids_add(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>,
                   %ids: tensor<2x3xi64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %cast = nn.cast %ids : tensor<2x3xi64> -> tensor<2x3xf32>
  %scaled = nn.scale %cast by -9998.0 : tensor<2x3xf32>
  %b = nn.broadcast %scaled [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @ids_add_positive(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi64>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.cast %arg3 : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.scale %[[V3]] by 9.999000e+03 : tensor<2x1x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.sum %[[V5]], %[[V6]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @ids_add_positive(%q: tensor<2x3x2x4xf32>,
                            %k: tensor<2x3x2x4xf32>,
                            %v: tensor<2x3x2x4xf32>,
                            %ids: tensor<2x3xi64>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %cast = nn.cast %ids : tensor<2x3xi64> -> tensor<2x3xf32>
  %scaled = nn.scale %cast by 9999.0 : tensor<2x3xf32>
  %b = nn.broadcast %scaled [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A selected number masks keys, too,
// CHECK-LABEL: func.func @choice_takes_keys(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-9.999000e+03> : tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.where %arg3, %[[V3]], %[[V2]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.reshape %[[V4]] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V5]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.sum %[[V6]], %[[V7]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V8]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @choice_takes_keys(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>,
                             %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<0.0> : tensor<2x3xf32>
  %c1 = nn.constant dense<-9999.0> : tensor<2x3xf32>
  %w = nn.where %keep, %c, %c1 : tensor<2x3xi1>, tensor<2x3xf32>
  %b = nn.broadcast %w [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// unless it is above -9999: -9998 is only added.
// CHECK-LABEL: func.func @choice_adds(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-9.998000e+03> : tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.where %arg3, %[[V2]], %[[V1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %[[V3]] : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V4]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @choice_adds(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>,
                       %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<0.0> : tensor<2x3xf32>
  %c1 = nn.constant dense<-9998.0> : tensor<2x3xf32>
  %w = nn.where %keep, %c, %c1 : tensor<2x3xi1>, tensor<2x3xf32>
  %b = nn.broadcast %w [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A sum of data is not a mask.
// CHECK-LABEL: func.func @sum_adds(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3x5xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.reduce %arg3 [2] : tensor<2x3x5xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V2]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @sum_adds(%q: tensor<2x3x2x4xf32>,
                    %k: tensor<2x3x2x4xf32>,
                    %v: tensor<2x3x2x4xf32>,
                    %x: tensor<2x3x5xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %reduce = nn.reduce %x [2] : tensor<2x3x5xf32> -> tensor<2x3xf32>
  %b = nn.broadcast %reduce [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A trained bias next to a mask: it masks no keys.
// CHECK: nn.param @trained_table : tensor<1x2x3x3xf32> init normal
// CHECK-LABEL: func.func @trained(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @trained_table : tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention causal %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @trained_table : tensor<2x3x3xf32> init normal
func.func @trained(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %trained_table = nn.read @trained_table : tensor<2x3x3xf32>
  %b = nn.broadcast %trained_table [1, 2, 3]
      : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A mask that is a parameter of the file, here zeros, is not trained.
// CHECK-LABEL: func.func @stored_mask(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @stored_mask_mask : tensor<3x3xf32> init normal source <name = "stored_mask_mask", file = "m.onnx", offset = -1,
    type = tensor<3x3xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [3, 1], valid = [3, 3]>
func.func @stored_mask(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %stored_mask_mask = nn.read @stored_mask_mask : tensor<3x3xf32>
  %b = nn.broadcast %stored_mask_mask [2, 3]
      : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Data may mask keys after slices, transposes, reshapes and concatenations.
// CHECK-LABEL: func.func @moved_data(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<1x3x5x2xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg3 at [0, 0, 1, 0] step [1, 1, 1, 1] : tensor<1x3x5x2xf32> -> tensor<1x3x3x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] [0, 3, 1, 2] : tensor<1x3x3x2xf32> -> tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V0]] [0, 2, 3] : tensor<1x3x3xf32> -> tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.sum %[[V3]], %[[V4]] : tensor<1x2x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V5]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @moved_data(%q: tensor<2x3x2x4xf32>,
                      %k: tensor<2x3x2x4xf32>,
                      %v: tensor<2x3x2x4xf32>,
                      %x: tensor<1x3x5x2xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %s = nn.slice %x at [0, 0, 1, 0] step [1, 1, 1, 1]
      : tensor<1x3x5x2xf32> -> tensor<1x3x3x2xf32>
  %t = nn.transpose %s [0, 3, 1, 2] : tensor<1x3x3x2xf32> -> tensor<1x2x3x3xf32>
  %r = nn.reshape %t : tensor<1x2x3x3xf32> -> tensor<2x3x3xf32>
  %b = nn.broadcast %r [1, 2, 3] : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @joined_data(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x2xf32>, %arg4: tensor<2x1xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}[0.000000e+00, -1.000000e+09, -1.000000e+09], [0.000000e+00, 0.000000e+00, -1.000000e+09], [0.000000e+00, 0.000000e+00, 0.000000e+00]]]> : tensor<1x3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.concat %arg3, %arg4 along 1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V2]] : tensor<2x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V3]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V0]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.sum %[[V4]], %[[V5]] : tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V6]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @joined_data(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>,
                       %x: tensor<2x2xf32>,
                       %y: tensor<2x1xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %j = nn.concat %x, %y along 1
      : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  %b = nn.broadcast %j [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b : tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum1 = nn.sum %sum, %b1 : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// If data masks keys by a finite number, a query may have no key left. Its
// query vector is zeroed, and the number replaces its scores.
// CHECK-LABEL: func.func @padding(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V4]], %[[V5]], %[[V6]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V4]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %arg0, %[[V13]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V14]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding(%q: tensor<2x3x2x4xf32>,
                   %k: tensor<2x3x2x4xf32>,
                   %v: tensor<2x3x2x4xf32>,
                   %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @padding_filled(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V4]], %[[V6]], %[[V5]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V4]], %[[V9]], %[[V8]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %arg0, %[[V13]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V14]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_filled(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>,
                          %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %low, %p : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @padding_infinite(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0xFF800000> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V4:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.where %[[V3]], %[[V4]], %[[V5]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V2]], %[[V2]] bias %[[V6]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_infinite(%q: tensor<2x3x2x4xf32>,
                            %k: tensor<2x3x2x4xf32>,
                            %v: tensor<2x3x2x4xf32>,
                            %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @padding_and_causal(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<{{\[\[}}[true, false, false], [true, true, false], [true, true, true]]]> : tensor<1x3x3xi1>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V7:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V10]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.where %[[V11]], %[[V13]], %[[V14]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.where %[[V7]], %[[V16]], %[[V17]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V20:.*]] = nn.reshape %[[V18]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V21:.*]] = nn.broadcast %[[V20]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V22:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V23:.*]] = nn.where %[[V19]], %[[V21]], %[[V22]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V24:.*]] = nn.reduce_max %[[V23]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V25:.*]] = nn.reshape %[[V24]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V26:.*]] = nn.broadcast %[[V25]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V27:.*]] = nn.mul %arg0, %[[V26]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V27]], %arg1, %arg2 positions %[[V6]], %[[V6]] bias %[[V15]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_and_causal(%q: tensor<2x3x2x4xf32>,
                              %k: tensor<2x3x2x4xf32>,
                              %v: tensor<2x3x2x4xf32>,
                              %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low1 = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w1 = nn.where %b1, %w, %low1 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w2 = nn.softmax %w1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w2, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @causal_and_padding(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<-2.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V5:.*]] = nn.constant dense<{{\[\[}}{{\[\[}}true, false, false], [true, true, false], [true, true, true]]]]> : tensor<1x1x3x3xi1>
// CHECK-NEXT: %[[V6:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V6]] [0, 1] : tensor<1x1xf32> -> tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V3]] [0, 1] : tensor<1x1xf32> -> tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.where %[[V5]], %[[V7]], %[[V8]] : tensor<1x1x3x3xi1>, tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x3xi1>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V10]] [0, 1, 3] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V9]] : tensor<1x1x3x3xf32> -> tensor<1x3x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.where %[[V11]], %[[V13]], %[[V14]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V1]] [0, 1] : tensor<1x1xf32> -> tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V6]] [0, 1] : tensor<1x1xf32> -> tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.where %[[V5]], %[[V16]], %[[V17]] : tensor<1x1x3x3xi1>, tensor<1x1x3x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.broadcast %[[V10]] [0, 1, 3] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V20:.*]] = nn.reshape %[[V18]] : tensor<1x1x3x3xf32> -> tensor<1x3x3xf32>
// CHECK-NEXT: %[[V21:.*]] = nn.broadcast %[[V20]] [1, 2, 3] : tensor<1x3x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V22:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V23:.*]] = nn.where %[[V19]], %[[V21]], %[[V22]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V24:.*]] = nn.reduce_max %[[V23]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V25:.*]] = nn.reshape %[[V24]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V26:.*]] = nn.broadcast %[[V25]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V27:.*]] = nn.mul %arg0, %[[V26]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V27]], %arg1, %arg2 positions %[[V4]], %[[V4]] bias %[[V15]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @causal_and_padding(%q: tensor<2x3x2x4xf32>,
                              %k: tensor<2x3x2x4xf32>,
                              %v: tensor<2x3x2x4xf32>,
                              %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-2000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %low1 = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w1 = nn.where %b, %w, %low1 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w2 = nn.softmax %w1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w2, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @padding_and_infinite(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0xFF800000> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<{{\[\[}}[true, false, false], [true, true, false], [true, true, true]]]> : tensor<1x3x3xi1>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V7:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V10]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.where %[[V11]], %[[V13]], %[[V14]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.where %[[V7]], %[[V16]], %[[V17]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V20:.*]] = nn.reshape %[[V18]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V21:.*]] = nn.broadcast %[[V20]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V22:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V23:.*]] = nn.where %[[V19]], %[[V21]], %[[V22]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V24:.*]] = nn.reduce_max %[[V23]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V25:.*]] = nn.reshape %[[V24]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V26:.*]] = nn.broadcast %[[V25]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V27:.*]] = nn.mul %arg0, %[[V26]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V27]], %arg1, %arg2 positions %[[V6]], %[[V6]] bias %[[V15]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_and_infinite(%q: tensor<2x3x2x4xf32>,
                                %k: tensor<2x3x2x4xf32>,
                                %v: tensor<2x3x2x4xf32>,
                                %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b = nn.broadcast %c [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %b1 = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %low1 = nn.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %w1 = nn.where %b, %w, %low1 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w2 = nn.softmax %w1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w2, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @padding_infinite_and_causal(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<{{\[\[}}[true, false, false], [true, true, false], [true, true, true]]]> : tensor<1x3x3xi1>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<0xFF800000> : tensor<1x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V7:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V10]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.where %[[V11]], %[[V13]], %[[V14]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V5]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.where %[[V7]], %[[V16]], %[[V17]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.broadcast %[[V3]] [1, 2, 3] : tensor<1x3x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V20:.*]] = nn.reshape %[[V18]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V21:.*]] = nn.broadcast %[[V20]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V22:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V23:.*]] = nn.where %[[V19]], %[[V21]], %[[V22]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V24:.*]] = nn.reduce_max %[[V23]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V25:.*]] = nn.reshape %[[V24]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V26:.*]] = nn.broadcast %[[V25]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V27:.*]] = nn.mul %arg0, %[[V26]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V27]], %arg1, %arg2 positions %[[V6]], %[[V6]] bias %[[V15]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_infinite_and_causal(%q: tensor<2x3x2x4xf32>,
                                       %k: tensor<2x3x2x4xf32>,
                                       %v: tensor<2x3x2x4xf32>,
                                       %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<0xFF800000> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[true, false, false], [true, true, false], [true, true, true]]>
      : tensor<3x3xi1>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xi1> -> tensor<2x2x3x3xi1>
  %low1 = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w1 = nn.where %b1, %w, %low1 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w2 = nn.softmax %w1 : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w2, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A trained bias that is added before the selection.
// CHECK: nn.param @padding_and_bias_b : tensor<2x1xf32> init normal
// CHECK-LABEL: func.func @padding_and_bias(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.read @padding_and_bias_b : tensor<2x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V6:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x3xi1>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V6]] [0, 2, 3] : tensor<2x1x3xi1> -> tensor<2x2x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<2x1xf32> -> tensor<2x2x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [2] : tensor<1xf32> -> tensor<2x2x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<2x2x1x3xi1>, tensor<2x2x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.where %[[V5]], %[[V11]], %[[V12]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reduce_max %[[V13]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.reshape %[[V14]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V15]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.mul %arg0, %[[V16]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V17]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V10]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x2x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @padding_and_bias_b : tensor<2xf32> init normal
func.func @padding_and_bias(%q: tensor<2x3x2x4xf32>,
                            %k: tensor<2x3x2x4xf32>,
                            %v: tensor<2x3x2x4xf32>,
                            %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %padding_and_bias_b = nn.read @padding_and_bias_b : tensor<2xf32>
  %b1 = nn.broadcast %padding_and_bias_b [1]
      : tensor<2xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %b1 : tensor<2x2x3x3xf32>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %sum, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A trained bias that is added after two selections.
// CHECK: nn.param @bias_and_padding_b : tensor<2xf32> init zero
// CHECK-LABEL: func.func @bias_and_padding(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>, %arg4: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<-2.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V6:.*]] = nn.read @bias_and_padding_b : tensor<2xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.reshape %arg4 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V3]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x3xi1>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V11]] [0, 1, 2] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V13:.*]] = nn.reshape %[[V10]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.broadcast %[[V13]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.where %[[V12]], %[[V15]], %[[V14]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.broadcast %[[V4]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.where %[[V7]], %[[V17]], %[[V18]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V20:.*]] = nn.broadcast %[[V11]] [0, 1, 2] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V21:.*]] = nn.reshape %[[V19]] : tensor<2x1x1x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V22:.*]] = nn.broadcast %[[V21]] [0, 1, 3] : tensor<2x1x3xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V23:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V24:.*]] = nn.where %[[V20]], %[[V23]], %[[V22]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V25:.*]] = nn.reduce_max %[[V24]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V26:.*]] = nn.broadcast %[[V6]] [1] : tensor<2xf32> -> tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V27:.*]] = nn.reshape %[[V16]] : tensor<2x1x3x3xf32> -> tensor<2x3x3xf32>
// CHECK-NEXT: %[[V28:.*]] = nn.broadcast %[[V27]] [0, 2, 3] : tensor<2x3x3xf32> -> tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V29:.*]] = nn.sum %[[V26]], %[[V28]] : tensor<2x2x3x3xf32>
// CHECK-NEXT: %[[V30:.*]] = nn.reshape %[[V25]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V31:.*]] = nn.broadcast %[[V30]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V32:.*]] = nn.mul %arg0, %[[V31]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V32]], %arg1, %arg2 positions %[[V5]], %[[V5]] bias %[[V29]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x2x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @bias_and_padding_b : tensor<2xf32> init normal
func.func @bias_and_padding(%q: tensor<2x3x2x4xf32>,
                            %k: tensor<2x3x2x4xf32>,
                            %v: tensor<2x3x2x4xf32>,
                            %other: tensor<2x3xi1>,
                            %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %other [0, 2] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-2000000000.0> : tensor<2x2x3x3xf32>
  %b1 = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low1 = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %p, %low1 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.where %b, %low, %w : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %bias_and_padding_b = nn.read @bias_and_padding_b : tensor<2xf32>
  %b2 = nn.broadcast %bias_and_padding_b [1]
      : tensor<2xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %w1, %b2 : tensor<2x2x3x3xf32>
  %w2 = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w2, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A scale after the selection scales the number, too.
// CHECK-LABEL: func.func @padding_scaled(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-5.000000e+08> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V4]], %[[V5]], %[[V6]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V4]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %arg0, %[[V13]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V14]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V7]] scale 5.000000e-01 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @padding_scaled(%q: tensor<2x3x2x4xf32>,
                          %k: tensor<2x3x2x4xf32>,
                          %v: tensor<2x3x2x4xf32>,
                          %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %scaled = nn.scale %w by 0.5 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %scaled : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// No attention: some keys have finite numbers added, and some are replaced.
// CHECK-LABEL: func.func @padding_and_added(
// CHECK-NOT: nn.attention
// CHECK: return
func.func @padding_and_added(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>,
                             %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %m = nn.constant dense<[[0.0, -1000000000.0, -1000000000.0], [0.0, 0.0, -1000000000.0], [0.0, 0.0, 0.0]]>
      : tensor<3x3xf32>
  %b1 = nn.broadcast %m [2, 3] : tensor<3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %w, %b1 : tensor<2x2x3x3xf32>
  %w1 = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// Queries before batch and heads.
// CHECK-LABEL: func.func @padding_other_layout(
// CHECK-SAME: %arg0: tensor<3x2x2x4xf32>, %arg1: tensor<3x2x2x4xf32>, %arg2: tensor<3x2x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<3x2x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.transpose %arg0 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.transpose %arg1 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.transpose %arg2 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<1x2x1x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V2]] [0, 2] : tensor<1x1xf32> -> tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V1]] [0, 2] : tensor<1x1xf32> -> tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V7]], %[[V8]], %[[V9]] : tensor<1x2x1x3xi1>, tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V0]] [0, 2] : tensor<1x1xf32> -> tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V2]] [0, 2] : tensor<1x1xf32> -> tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.where %[[V7]], %[[V11]], %[[V12]] : tensor<1x2x1x3xi1>, tensor<1x2x1x3xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reduce_max %[[V13]] [3] : tensor<1x2x1x3xf32> -> tensor<1x2x1xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.transpose %[[V10]] [1, 2, 0, 3] : tensor<1x2x1x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.reshape %[[V14]] : tensor<1x2x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.broadcast %[[V16]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.mul %[[V4]], %[[V17]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V18]], %[[V5]], %[[V6]] positions %[[V3]], %[[V3]] bias %[[V15]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: %[[V19:.*]] = nn.transpose %[[RESULT]] [1, 0, 2, 3] : tensor<2x3x2x4xf32> -> tensor<3x2x2x4xf32>
// CHECK-NEXT: return %[[V19]] : tensor<3x2x2x4xf32>
func.func @padding_other_layout(%q: tensor<3x2x2x4xf32>,
                                %k: tensor<3x2x2x4xf32>,
                                %v: tensor<3x2x2x4xf32>,
                                %keep: tensor<2x3xi1>)
    -> tensor<3x2x2x4xf32> {
  %p = nn.contract "sbhd,tbhd->sbht" %q, %k
      : tensor<3x2x2x4xf32>, tensor<3x2x2x4xf32> -> tensor<3x2x2x3xf32>
  %b = nn.broadcast %keep [1, 3] : tensor<2x3xi1> -> tensor<3x2x2x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<3x2x2x3xf32>
  %w = nn.where %b, %p, %low : tensor<3x2x2x3xi1>, tensor<3x2x2x3xf32>
  %w1 = nn.softmax %w : tensor<3x2x2x3xf32>
  %p1 = nn.contract "sbht,tbhd->sbhd" %w1, %v
      : tensor<3x2x2x3xf32>, tensor<3x2x2x4xf32> -> tensor<3x2x2x4xf32>
  return %p1 : tensor<3x2x2x4xf32>
}

// A value that repeats along a dim is computed once: through a slice,
// CHECK-LABEL: func.func @core_of_slice(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x5xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x5xi1> -> tensor<2x1x1x5xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0, 2] step [1, 1, 1, 1] : tensor<2x1x1x5xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.where %[[V5]], %[[V6]], %[[V7]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.slice %[[V4]] at [0, 0, 0, 2] step [1, 1, 1, 1] : tensor<2x1x1x5xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V10:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.where %[[V9]], %[[V10]], %[[V11]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.reduce_max %[[V12]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reshape %[[V13]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.broadcast %[[V14]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.mul %arg0, %[[V15]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V16]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V8]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_slice(%q: tensor<2x3x2x4xf32>,
                         %k: tensor<2x3x2x4xf32>,
                         %v: tensor<2x3x2x4xf32>,
                         %keep: tensor<2x5xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x5xi1> -> tensor<2x2x4x5xi1>
  %s = nn.slice %b at [0, 0, 1, 2] step [1, 1, 1, 1]
      : tensor<2x2x4x5xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %s, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// through a transpose,
// CHECK-LABEL: func.func @core_of_transpose(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x3x1x1xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.transpose %[[V4]] [0, 3, 2, 1] : tensor<2x3x1x1xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.where %[[V5]], %[[V6]], %[[V7]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.transpose %[[V4]] [0, 3, 2, 1] : tensor<2x3x1x1xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V10:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.where %[[V9]], %[[V10]], %[[V11]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.reduce_max %[[V12]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.reshape %[[V13]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V15:.*]] = nn.broadcast %[[V14]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.mul %arg0, %[[V15]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V16]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V8]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_transpose(%q: tensor<2x3x2x4xf32>,
                             %k: tensor<2x3x2x4xf32>,
                             %v: tensor<2x3x2x4xf32>,
                             %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 1] : tensor<2x3xi1> -> tensor<2x3x3x2xi1>
  %t = nn.transpose %b [0, 3, 2, 1] : tensor<2x3x3x2xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %t, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// through a reshape that adds or removes dims of one element,
// CHECK-LABEL: func.func @core_of_reshape(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V4]], %[[V5]], %[[V6]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V4]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %arg0, %[[V13]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V14]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_reshape(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>,
                           %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x1x3x3xi1>
  %r = nn.reshape %b : tensor<2x1x3x3xi1> -> tensor<2x3x3xi1>
  %b1 = nn.broadcast %r [0, 2, 3] : tensor<2x3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @core_of_grown(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.where %[[V4]], %[[V5]], %[[V6]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.where %[[V4]], %[[V8]], %[[V9]] : tensor<2x1x1x3xi1>, tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.reduce_max %[[V10]] [3] : tensor<2x1x1x3xf32> -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.reshape %[[V11]] : tensor<2x1x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V12]] [0] : tensor<2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %arg0, %[[V13]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V14]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V7]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_grown(%q: tensor<2x3x2x4xf32>,
                         %k: tensor<2x3x2x4xf32>,
                         %v: tensor<2x3x2x4xf32>,
                         %keep: tensor<2x3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 2] : tensor<2x3xi1> -> tensor<2x3x3xi1>
  %r = nn.reshape %b : tensor<2x3x3xi1> -> tensor<2x1x3x3xi1>
  %r1 = nn.reshape %r : tensor<2x1x3x3xi1> -> tensor<2x3x3xi1>
  %b1 = nn.broadcast %r1 [0, 2, 3] : tensor<2x3x3xi1> -> tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %b1, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK: nn.param @core_of_reshaped_bias_b : tensor<2x2x1x3xf32> init normal
// CHECK-LABEL: func.func @core_of_reshaped_bias(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @core_of_reshaped_bias_b : tensor<2x2x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V1]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x2x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
nn.param @core_of_reshaped_bias_b : tensor<4x3xf32> init normal
func.func @core_of_reshaped_bias(%q: tensor<2x3x2x4xf32>,
                                 %k: tensor<2x3x2x4xf32>,
                                 %v: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %core_of_reshaped_bias_b = nn.read @core_of_reshaped_bias_b : tensor<4x3xf32>
  %b = nn.broadcast %core_of_reshaped_bias_b [0, 2]
      : tensor<4x3xf32> -> tensor<4x3x3xf32>
  %r = nn.reshape %b : tensor<4x3x3xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %r : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// and through an elementwise op, whose operands repeat along different dims.
// CHECK-LABEL: func.func @core_of_product(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xi1>, %arg4: tensor<3xi1>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<-1.000000e+09> : tensor<1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = nn.reshape %arg3 : tensor<2x3xi1> -> tensor<2x1x3xi1>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V6:.*]] = nn.reshape %arg4 : tensor<3xi1> -> tensor<1x3xi1>
// CHECK-NEXT: %[[V7:.*]] = nn.broadcast %[[V6]] [1, 2] : tensor<1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V8:.*]] = nn.mul %[[V5]], %[[V7]] : tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V9:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.broadcast %[[V1]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.where %[[V8]], %[[V9]], %[[V10]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V4]] [0, 1, 3] : tensor<2x1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V13:.*]] = nn.broadcast %[[V6]] [1, 2] : tensor<1x3xi1> -> tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V14:.*]] = nn.mul %[[V12]], %[[V13]] : tensor<2x1x3x3xi1>
// CHECK-NEXT: %[[V15:.*]] = nn.broadcast %[[V0]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V16:.*]] = nn.broadcast %[[V2]] [1] : tensor<1xf32> -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V17:.*]] = nn.where %[[V14]], %[[V15]], %[[V16]] : tensor<2x1x3x3xi1>, tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[V18:.*]] = nn.reduce_max %[[V17]] [3] : tensor<2x1x3x3xf32> -> tensor<2x1x3xf32>
// CHECK-NEXT: %[[V19:.*]] = nn.reshape %[[V18]] : tensor<2x1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V20:.*]] = nn.broadcast %[[V19]] [0, 1] : tensor<2x3xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V21:.*]] = nn.mul %arg0, %[[V20]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %[[V21]], %arg1, %arg2 positions %[[V3]], %[[V3]] bias %[[V11]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x3x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_product(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>,
                           %keep: tensor<2x3xi1>,
                           %rows: tensor<3xi1>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %keep [0, 3] : tensor<2x3xi1> -> tensor<2x2x3x3xi1>
  %b1 = nn.broadcast %rows [2] : tensor<3xi1> -> tensor<2x2x3x3xi1>
  %mul = nn.mul %b, %b1 : tensor<2x2x3x3xi1>
  %low = nn.constant dense<-1000000000.0> : tensor<2x2x3x3xf32>
  %w = nn.where %mul, %p, %low : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf32>
  %w1 = nn.softmax %w : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w1, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @core_of_sum(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V2]], %[[V3]] : tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V4]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_sum(%q: tensor<2x3x2x4xf32>,
                       %k: tensor<2x3x2x4xf32>,
                       %v: tensor<2x3x2x4xf32>,
                       %x: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %x [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<2.0> : tensor<3xf32>
  %b1 = nn.broadcast %c [2] : tensor<3xf32> -> tensor<2x2x3x3xf32>
  %mul = nn.mul %b, %b1 : tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %mul : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A constant with equal elements repeats along all dims.
// CHECK-LABEL: func.func @core_of_uniform(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x3xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<2.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %arg3 : tensor<2x3xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V0]] [1, 2] : tensor<1x1xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V2]], %[[V3]] : tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V1]], %[[V1]] bias %[[V4]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_uniform(%q: tensor<2x3x2x4xf32>,
                           %k: tensor<2x3x2x4xf32>,
                           %v: tensor<2x3x2x4xf32>,
                           %x: tensor<2x3xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %x [0, 3] : tensor<2x3xf32> -> tensor<2x2x3x3xf32>
  %c = nn.constant dense<2.0> : tensor<2x2x3x3xf32>
  %mul = nn.mul %b, %c : tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %mul : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}

// A slice along a repeated dim (heads) is not needed.
// CHECK-LABEL: func.func @core_of_part(
// CHECK-SAME: %arg0: tensor<2x3x2x4xf32>, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<2x3x2x4xf32>, %arg3: tensor<2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg3 : tensor<2x4xf32> -> tensor<2x1x1x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 1] step [1, 1, 1, 1] : tensor<2x1x1x4xf32> -> tensor<2x1x1x3xf32>
// CHECK-NEXT: %[[RESULT:.*]], %[[LSE:.*]], %[[MAX:.*]] = nn.attention %arg0, %arg1, %arg2 positions %[[V0]], %[[V0]] bias %[[V2]] scale 1.000000e+00 : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<2x1x1x3xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: return %[[RESULT]] : tensor<2x3x2x4xf32>
func.func @core_of_part(%q: tensor<2x3x2x4xf32>,
                        %k: tensor<2x3x2x4xf32>,
                        %v: tensor<2x3x2x4xf32>,
                        %x: tensor<2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %p = nn.contract "bshd,bthd->bhst" %q, %k
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x2x3x3xf32>
  %b = nn.broadcast %x [0, 3] : tensor<2x4xf32> -> tensor<2x3x3x4xf32>
  %s = nn.slice %b at [0, 1, 0, 1] step [1, 1, 1, 1]
      : tensor<2x3x3x4xf32> -> tensor<2x2x3x3xf32>
  %sum = nn.sum %p, %s : tensor<2x2x3x3xf32>
  %w = nn.softmax %sum : tensor<2x2x3x3xf32>
  %p1 = nn.contract "bhst,bthd->bshd" %w, %v
      : tensor<2x2x3x3xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %p1 : tensor<2x3x2x4xf32>
}
