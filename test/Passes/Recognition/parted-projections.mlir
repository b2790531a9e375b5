// Projections with unequal parts, and weights of concatenated inputs or that
// are sliced, become separate parameters, each with its offset in the file.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// Unequal parts of a projection that has no other use.
// CHECK: nn.param @"two_parts_w[0:8]" : tensor<6x8xf32> init normal source <name = "two_parts_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"two_parts_w[8:12]" : tensor<6x4xf32> init normal source <name = "two_parts_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>
// CHECK-LABEL: func.func @two_parts(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"two_parts_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"two_parts_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V2]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @two_parts_w : tensor<6x12xf32> init normal source <name = "two_parts_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @two_parts(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %two_parts_w = nn.read @two_parts_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %two_parts_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @"three_parts_out_of_order_w[0:8]" : tensor<6x8xf32> init normal source <name = "three_parts_out_of_order_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"three_parts_out_of_order_w[8:10]" : tensor<6x2xf32> init normal source <name = "three_parts_out_of_order_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 2]>
// CHECK: nn.param @"three_parts_out_of_order_w[10:12]" : tensor<6x2xf32> init normal source <name = "three_parts_out_of_order_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 10, strides = [12, 1], valid = [6, 2]>
// CHECK-LABEL: func.func @three_parts_out_of_order(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x8xf32>, tensor<2x3x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"three_parts_out_of_order_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"three_parts_out_of_order_w[8:10]" : tensor<6x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V2]] : tensor<2x3x6xf32>, tensor<6x2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @"three_parts_out_of_order_w[10:12]" : tensor<6x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V4]] : tensor<2x3x6xf32>, tensor<6x2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: return %[[V3]], %[[V1]], %[[V5]] : tensor<2x3x2xf32>, tensor<2x3x8xf32>, tensor<2x3x2xf32>
nn.param @three_parts_out_of_order_w : tensor<6x12xf32> init normal source <name = "three_parts_out_of_order_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @three_parts_out_of_order(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x2xf32>, tensor<2x3x8xf32>, tensor<2x3x2xf32>) {
  %three_parts_out_of_order_w = nn.read @three_parts_out_of_order_w
      : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %three_parts_out_of_order_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x2xf32>
  %s1 = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s2 = nn.slice %p at [0, 0, 10] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x2xf32>
  return %s, %s1, %s2 : tensor<2x3x2xf32>, tensor<2x3x8xf32>, tensor<2x3x2xf32>
}

// A projection with one or two biases is split, too,
// CHECK: nn.param @"biased_w[0:8]" : tensor<6x8xf32> init normal source <name = "biased_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"biased_w[8:12]" : tensor<6x4xf32> init normal source <name = "biased_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>
// CHECK: nn.param @"biased_b[0:8]" : tensor<8xf32> init zero source <name = "biased_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [8]>
// CHECK: nn.param @"biased_b[8:12]" : tensor<4xf32> init zero source <name = "biased_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 8, strides = [1], valid = [4]>
// CHECK-LABEL: func.func @biased(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"biased_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"biased_b[0:8]" : tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @"biased_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V5]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @"biased_b[8:12]" : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V7]] [2] : tensor<4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.sum %[[V6]], %[[V8]] : tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V4]], %[[V9]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @biased_w : tensor<6x12xf32> init normal source <name = "biased_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @biased_b : tensor<12xf32> init normal source <name = "biased_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @biased(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %biased_w = nn.read @biased_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %biased_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %biased_b = nn.read @biased_b : tensor<12xf32>
  %b = nn.broadcast %biased_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %s = nn.slice %sum at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @"biased_first_w[0:8]" : tensor<6x8xf32> init normal source <name = "biased_first_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"biased_first_w[8:12]" : tensor<6x4xf32> init normal source <name = "biased_first_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>
// CHECK: nn.param @"biased_first_b[0:8]" : tensor<8xf32> init zero source <name = "biased_first_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [8]>
// CHECK: nn.param @"biased_first_b[8:12]" : tensor<4xf32> init zero source <name = "biased_first_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 8, strides = [1], valid = [4]>
// CHECK-LABEL: func.func @biased_first(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"biased_first_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"biased_first_b[0:8]" : tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V3]], %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @"biased_first_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V5]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @"biased_first_b[8:12]" : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V7]] [2] : tensor<4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.sum %[[V8]], %[[V6]] : tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V4]], %[[V9]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @biased_first_w : tensor<6x12xf32> init normal source <name = "biased_first_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @biased_first_b : tensor<12xf32> init normal source <name = "biased_first_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @biased_first(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %biased_first_w = nn.read @biased_first_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %biased_first_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %biased_first_b = nn.read @biased_first_b : tensor<12xf32>
  %b = nn.broadcast %biased_first_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %b, %p : tensor<2x3x12xf32>
  %s = nn.slice %sum at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @"biased_twice_w[0:8]" : tensor<6x8xf32> init normal source <name = "biased_twice_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"biased_twice_w[8:12]" : tensor<6x4xf32> init normal source <name = "biased_twice_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>
// CHECK: nn.param @"biased_twice_b[0:8]" : tensor<8xf32> init zero source <name = "biased_twice_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [8]>
// CHECK: nn.param @"biased_twice_b[8:12]" : tensor<4xf32> init zero source <name = "biased_twice_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 8, strides = [1], valid = [4]>
// CHECK: nn.param @"biased_twice_c[0:8]" : tensor<8xf32> init zero source <name = "biased_twice_c", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [8]>
// CHECK: nn.param @"biased_twice_c[8:12]" : tensor<4xf32> init zero source <name = "biased_twice_c", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 8, strides = [1], valid = [4]>
// CHECK-LABEL: func.func @biased_twice(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"biased_twice_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"biased_twice_b[0:8]" : tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @"biased_twice_c[0:8]" : tensor<8xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.broadcast %[[V4]] [2] : tensor<8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.sum %[[V1]], %[[V3]], %[[V5]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @"biased_twice_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V7]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.read @"biased_twice_b[8:12]" : tensor<4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.broadcast %[[V9]] [2] : tensor<4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V11:.*]] = nn.read @"biased_twice_c[8:12]" : tensor<4xf32>
// CHECK-NEXT: %[[V12:.*]] = nn.broadcast %[[V11]] [2] : tensor<4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V13:.*]] = nn.sum %[[V8]], %[[V10]], %[[V12]] : tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V6]], %[[V13]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @biased_twice_w : tensor<6x12xf32> init normal source <name = "biased_twice_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @biased_twice_b : tensor<12xf32> init normal source <name = "biased_twice_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
nn.param @biased_twice_c : tensor<12xf32> init normal source <name = "biased_twice_c", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @biased_twice(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %biased_twice_w = nn.read @biased_twice_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %biased_twice_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %biased_twice_b = nn.read @biased_twice_b : tensor<12xf32>
  %b = nn.broadcast %biased_twice_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %biased_twice_c = nn.read @biased_twice_c : tensor<12xf32>
  %b1 = nn.broadcast %biased_twice_c [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %b, %b1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @"biased_by_matrix_w[0:8]" : tensor<6x8xf32> init normal source <name = "biased_by_matrix_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>
// CHECK: nn.param @"biased_by_matrix_w[8:12]" : tensor<6x4xf32> init normal source <name = "biased_by_matrix_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>
// CHECK: nn.param @"biased_by_matrix_m[0:8]" : tensor<3x8xf32> init normal source <name = "biased_by_matrix_m", file = "m.onnx", offset = 64, type = tensor<3x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [3, 8]>
// CHECK: nn.param @"biased_by_matrix_m[8:12]" : tensor<3x4xf32> init normal source <name = "biased_by_matrix_m", file = "m.onnx", offset = 64, type = tensor<3x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [3, 4]>
// CHECK-LABEL: func.func @biased_by_matrix(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"biased_by_matrix_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"biased_by_matrix_m[0:8]" : tensor<3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [1, 2] : tensor<3x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.read @"biased_by_matrix_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V5]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.read @"biased_by_matrix_m[8:12]" : tensor<3x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.broadcast %[[V7]] [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.sum %[[V6]], %[[V8]] : tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V4]], %[[V9]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @biased_by_matrix_w : tensor<6x12xf32> init normal source <name = "biased_by_matrix_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @biased_by_matrix_b : tensor<12xf32> init normal source <name = "biased_by_matrix_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
nn.param @biased_by_matrix_m : tensor<3x12xf32> init normal source <name = "biased_by_matrix_m", file = "m.onnx", offset = 64,
    type = tensor<3x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [3, 12]>
func.func @biased_by_matrix(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %biased_by_matrix_w = nn.read @biased_by_matrix_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %biased_by_matrix_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %biased_by_matrix_b = nn.read @biased_by_matrix_b : tensor<12xf32>
  %b = nn.broadcast %biased_by_matrix_b [2]
      : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %biased_by_matrix_m = nn.read @biased_by_matrix_m : tensor<3x12xf32>
  %b1 = nn.broadcast %biased_by_matrix_m [1, 2]
      : tensor<3x12xf32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %b1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// and one whose weight is in the file twice.
// CHECK: nn.param @"copied_w[0:8]" : tensor<6x8xf32> init normal source <name = "copied_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]> copies [<name = "copied_w_copy", file = "m.onnx", offset = 512, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 8]>]
// CHECK: nn.param @"copied_w[8:12]" : tensor<6x4xf32> init normal source <name = "copied_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]> copies [<name = "copied_w_copy", file = "m.onnx", offset = 512, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [12, 1], valid = [6, 4]>]
// CHECK-LABEL: func.func @copied(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"copied_w[0:8]" : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"copied_w[8:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V2]] : tensor<2x3x6xf32>, tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @copied_w : tensor<6x12xf32> init normal source <name = "copied_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
    copies [<name = "copied_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>]
func.func @copied(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %copied_w = nn.read @copied_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %copied_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// The weight may be either operand, and any of its dims may be the columns.
// CHECK: nn.param @"weight_first_w[0:8]" : tensor<8x6xf32> init normal source <name = "weight_first_w", file = "m.onnx", offset = 64, type = tensor<12x6xf32>, file_size = 1024, digest = 7, base = 0, strides = [6, 1], valid = [8, 6]>
// CHECK: nn.param @"weight_first_w[8:12]" : tensor<4x6xf32> init normal source <name = "weight_first_w", file = "m.onnx", offset = 64, type = tensor<12x6xf32>, file_size = 1024, digest = 7, base = 48, strides = [6, 1], valid = [4, 6]>
// CHECK-LABEL: func.func @weight_first(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"weight_first_w[0:8]" : tensor<8x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "nk,bsk->bsn" %[[V0]], %arg0 : tensor<8x6xf32>, tensor<2x3x6xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"weight_first_w[8:12]" : tensor<4x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "nk,bsk->bsn" %[[V2]], %arg0 : tensor<4x6xf32>, tensor<2x3x6xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @weight_first_w : tensor<12x6xf32> init normal source <name = "weight_first_w", file = "m.onnx", offset = 64,
    type = tensor<12x6xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [6, 1], valid = [12, 6]>
func.func @weight_first(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %weight_first_w = nn.read @weight_first_w : tensor<12x6xf32>
  %p = nn.contract "nk,bsk->bsn" %weight_first_w, %x
      : tensor<12x6xf32>, tensor<2x3x6xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @"of_a_batch_of_weights_w[0:8]" : tensor<2x6x8xf32> init normal source <name = "of_a_batch_of_weights_w", file = "m.onnx", offset = 64, type = tensor<2x6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [72, 12, 1], valid = [2, 6, 8]>
// CHECK: nn.param @"of_a_batch_of_weights_w[8:12]" : tensor<2x6x4xf32> init normal source <name = "of_a_batch_of_weights_w", file = "m.onnx", offset = 64, type = tensor<2x6x12xf32>, file_size = 1024, digest = 7, base = 8, strides = [72, 12, 1], valid = [2, 6, 4]>
// CHECK-LABEL: func.func @of_a_batch_of_weights(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"of_a_batch_of_weights_w[0:8]" : tensor<2x6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,bkn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<2x6x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"of_a_batch_of_weights_w[8:12]" : tensor<2x6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,bkn->bsn" %arg0, %[[V2]] : tensor<2x3x6xf32>, tensor<2x6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @of_a_batch_of_weights_w : tensor<2x6x12xf32> init normal source <name = "of_a_batch_of_weights_w", file = "m.onnx", offset = 64,
    type = tensor<2x6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [72, 12, 1], valid = [2, 6, 12]>
func.func @of_a_batch_of_weights(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %of_a_batch_of_weights_w = nn.read @of_a_batch_of_weights_w
      : tensor<2x6x12xf32>
  %p = nn.contract "bsk,bkn->bsn" %x, %of_a_batch_of_weights_w
      : tensor<2x3x6xf32>, tensor<2x6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// Not split: columns that the other operand has, too,
// CHECK: nn.param @columns_of_both_w : tensor<12x6xf32> init normal source <name = "columns_of_both_w", file = "m.onnx", offset = 64, type = tensor<12x6xf32>, file_size = 1024, digest = 7, base = 0, strides = [6, 1], valid = [12, 6]>
// CHECK-LABEL: func.func @columns_of_both(
// CHECK-SAME: %arg0: tensor<12x3x6xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @columns_of_both_w : tensor<12x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "nsk,nk->sn" %arg0, %[[V0]] : tensor<12x3x6xf32>, tensor<12x6xf32> -> tensor<3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 8] step [1, 1] : tensor<3x12xf32> -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x8xf32>, tensor<3x4xf32>
nn.param @columns_of_both_w : tensor<12x6xf32> init normal source <name = "columns_of_both_w", file = "m.onnx", offset = 64,
    type = tensor<12x6xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [6, 1], valid = [12, 6]>
func.func @columns_of_both(%x: tensor<12x3x6xf32>)
    -> (tensor<3x8xf32>, tensor<3x4xf32>) {
  %columns_of_both_w = nn.read @columns_of_both_w : tensor<12x6xf32>
  %p = nn.contract "nsk,nk->sn" %x, %columns_of_both_w
      : tensor<12x3x6xf32>, tensor<12x6xf32> -> tensor<3x12xf32>
  %s = nn.slice %p at [0, 0] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
  %s1 = nn.slice %p at [0, 8] step [1, 1] : tensor<3x12xf32> -> tensor<3x4xf32>
  return %s, %s1 : tensor<3x8xf32>, tensor<3x4xf32>
}

// equal parts,
// CHECK: nn.param @equal_parts_w : tensor<6x12xf32> init normal source <name = "equal_parts_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @equal_parts(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @equal_parts_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 6] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x6xf32>, tensor<2x3x6xf32>
nn.param @equal_parts_w : tensor<6x12xf32> init normal source <name = "equal_parts_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @equal_parts(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x6xf32>, tensor<2x3x6xf32>) {
  %equal_parts_w = nn.read @equal_parts_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %equal_parts_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  %s1 = nn.slice %p at [0, 0, 6] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  return %s, %s1 : tensor<2x3x6xf32>, tensor<2x3x6xf32>
}

// parts with a gap between them,
// CHECK: nn.param @gap_w : tensor<6x12xf32> init normal source <name = "gap_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @gap(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @gap_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x6xf32>, tensor<2x3x4xf32>
nn.param @gap_w : tensor<6x12xf32> init normal source <name = "gap_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @gap(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>) {
  %gap_w = nn.read @gap_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %gap_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x6xf32>, tensor<2x3x4xf32>
}

// parts that overlap,
// CHECK: nn.param @overlap_w : tensor<6x12xf32> init normal source <name = "overlap_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @overlap(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x6xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @overlap_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 6] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x6xf32>
nn.param @overlap_w : tensor<6x12xf32> init normal source <name = "overlap_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @overlap(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x6xf32>) {
  %overlap_w = nn.read @overlap_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %overlap_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 6] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x6xf32>
}

// parts that are not the whole result,
// CHECK: nn.param @without_the_first_w : tensor<6x12xf32> init normal source <name = "without_the_first_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @without_the_first(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @without_the_first_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 2] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x6xf32>, tensor<2x3x4xf32>
nn.param @without_the_first_w : tensor<6x12xf32> init normal source <name = "without_the_first_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @without_the_first(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>) {
  %without_the_first_w = nn.read @without_the_first_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %without_the_first_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 2] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x6xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @without_the_last_w : tensor<6x12xf32> init normal source <name = "without_the_last_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @without_the_last(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @without_the_last_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 6] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x6xf32>, tensor<2x3x4xf32>
nn.param @without_the_last_w : tensor<6x12xf32> init normal source <name = "without_the_last_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @without_the_last(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x6xf32>, tensor<2x3x4xf32>) {
  %without_the_last_w = nn.read @without_the_last_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %without_the_last_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x6xf32>
  %s1 = nn.slice %p at [0, 0, 6] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x6xf32>, tensor<2x3x4xf32>
}

// parts of other dims,
// CHECK: nn.param @rows_w : tensor<6x12xf32> init normal source <name = "rows_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x1x12xf32>, tensor<2x2x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @rows_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x1x12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 1, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x2x12xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x1x12xf32>, tensor<2x2x12xf32>
nn.param @rows_w : tensor<6x12xf32> init normal source <name = "rows_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @rows(%x: tensor<2x3x6xf32>)
    -> (tensor<2x1x12xf32>, tensor<2x2x12xf32>) {
  %rows_w = nn.read @rows_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %rows_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x1x12xf32>
  %s1 = nn.slice %p at [0, 1, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x2x12xf32>
  return %s, %s1 : tensor<2x1x12xf32>, tensor<2x2x12xf32>
}

// and projections that have another use, or whose weight or bias has:
// CHECK: nn.param @whole_used_w : tensor<6x12xf32> init normal source <name = "whole_used_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @whole_used(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @whole_used_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V1]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
nn.param @whole_used_w : tensor<6x12xf32> init normal source <name = "whole_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @whole_used(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>) {
  %whole_used_w = nn.read @whole_used_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %whole_used_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1, %p : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
}

// CHECK: nn.param @product_used_w : tensor<6x12xf32> init normal source <name = "product_used_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK: nn.param @product_used_b : tensor<12xf32> init zero source <name = "product_used_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [12]>
// CHECK-LABEL: func.func @product_used(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @product_used_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @product_used_b : tensor<12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.slice %[[V4]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]], %[[V1]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
nn.param @product_used_w : tensor<6x12xf32> init normal source <name = "product_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @product_used_b : tensor<12xf32> init normal source <name = "product_used_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @product_used(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>) {
  %product_used_w = nn.read @product_used_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %product_used_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %product_used_b = nn.read @product_used_b : tensor<12xf32>
  %b = nn.broadcast %product_used_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %s = nn.slice %sum at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1, %p : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
}

// CHECK: nn.param @bias_used_w : tensor<6x12xf32> init normal source <name = "bias_used_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK: nn.param @bias_used_b : tensor<12xf32> init normal source <name = "bias_used_b", file = "m.onnx", offset = 64, type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [12]>
// CHECK-LABEL: func.func @bias_used(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @bias_used_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @bias_used_b : tensor<12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [2] : tensor<12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.slice %[[V4]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
nn.param @bias_used_w : tensor<6x12xf32> init normal source <name = "bias_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @bias_used_b : tensor<12xf32> init normal source <name = "bias_used_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @bias_used(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>) {
  %bias_used_w = nn.read @bias_used_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %bias_used_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %bias_used_b = nn.read @bias_used_b : tensor<12xf32>
  %b = nn.broadcast %bias_used_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %s = nn.slice %sum at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1, %b : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<2x3x12xf32>
}

// CHECK: nn.param @weight_used_w : tensor<6x12xf32> init normal source <name = "weight_used_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @weight_used(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @weight_used_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V0]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>
nn.param @weight_used_w : tensor<6x12xf32> init normal source <name = "weight_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @weight_used(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>) {
  %weight_used_w = nn.read @weight_used_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %weight_used_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1, %weight_used_w : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>
}

// CHECK: nn.param @weight_read_again_w : tensor<6x12xf32> init normal source <name = "weight_read_again_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @weight_read_again(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @weight_read_again_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V0]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>
nn.param @weight_read_again_w : tensor<6x12xf32> init normal source <name = "weight_read_again_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
func.func @weight_read_again(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>) {
  %weight_read_again_w = nn.read @weight_read_again_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %weight_read_again_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  %weight_read_again_w1 = nn.read @weight_read_again_w : tensor<6x12xf32>
  return %s, %s1, %weight_read_again_w1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>, tensor<6x12xf32>
}

// a weight with padding, which is not in the file,
// CHECK: nn.param @padded_weight_w : tensor<6x12xf32> init normal source <name = "padded_weight_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 11]>
// CHECK-LABEL: func.func @padded_weight(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @padded_weight_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @padded_weight_w : tensor<6x12xf32> init normal source <name = "padded_weight_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 11]>
func.func @padded_weight(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %padded_weight_w = nn.read @padded_weight_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %padded_weight_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %s = nn.slice %p at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %p at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// a bias that is no parameter,
// CHECK: nn.param @bias_of_data_w : tensor<6x12xf32> init normal source <name = "bias_of_data_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @bias_of_data(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>, %arg1: tensor<12xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @bias_of_data_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %arg1 [2] : tensor<12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.sum %[[V1]], %[[V2]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.slice %[[V3]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V3]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V4]], %[[V5]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @bias_of_data_w : tensor<6x12xf32> init normal source <name = "bias_of_data_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @bias_of_data_b : tensor<12xf32> init normal source <name = "bias_of_data_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @bias_of_data(%x: tensor<2x3x6xf32>,
                        %z: tensor<12xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %bias_of_data_w = nn.read @bias_of_data_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %bias_of_data_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %bias_of_data_b = nn.read @bias_of_data_b : tensor<12xf32>
  %b = nn.broadcast %bias_of_data_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %b1 = nn.broadcast %z [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %b1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// a bias by row,
// CHECK: nn.param @bias_by_row_w : tensor<6x12xf32> init normal source <name = "bias_by_row_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK: nn.param @bias_by_row_r : tensor<3xf32> init zero source <name = "bias_by_row_r", file = "m.onnx", offset = 64, type = tensor<3xf32>, file_size = 1024, digest = 7, base = 0, strides = [1], valid = [3]>
// CHECK-LABEL: func.func @bias_by_row(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @bias_by_row_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @bias_by_row_r : tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [1] : tensor<3xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.slice %[[V4]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @bias_by_row_w : tensor<6x12xf32> init normal source <name = "bias_by_row_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @bias_by_row_b : tensor<12xf32> init normal source <name = "bias_by_row_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
nn.param @bias_by_row_r : tensor<3xf32> init normal source <name = "bias_by_row_r", file = "m.onnx", offset = 64,
    type = tensor<3xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [3]>
func.func @bias_by_row(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %bias_by_row_w = nn.read @bias_by_row_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %bias_by_row_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %bias_by_row_b = nn.read @bias_by_row_b : tensor<12xf32>
  %b = nn.broadcast %bias_by_row_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %bias_by_row_r = nn.read @bias_by_row_r : tensor<3xf32>
  %b1 = nn.broadcast %bias_by_row_r [1] : tensor<3xf32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %b1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// a residual connection,
// CHECK: nn.param @residual_w : tensor<6x12xf32> init normal source <name = "residual_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK-LABEL: func.func @residual(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>, %arg1: tensor<2x3x12xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @residual_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.sum %[[V1]], %arg1 : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V2]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.slice %[[V2]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @residual_w : tensor<6x12xf32> init normal source <name = "residual_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @residual_b : tensor<12xf32> init normal source <name = "residual_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
func.func @residual(%x: tensor<2x3x6xf32>,
                    %z: tensor<2x3x12xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %residual_w = nn.read @residual_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %residual_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %residual_b = nn.read @residual_b : tensor<12xf32>
  %b = nn.broadcast %residual_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %z : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// or a sum with another projection.
// CHECK: nn.param @two_products_w : tensor<6x12xf32> init normal source <name = "two_products_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK: nn.param @two_products_v : tensor<6x12xf32> init normal
// CHECK-LABEL: func.func @two_products(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>, %arg1: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @two_products_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @two_products_v : tensor<6x12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,kn->bsn" %arg1, %[[V2]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.slice %[[V4]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @two_products_w : tensor<6x12xf32> init normal source <name = "two_products_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @two_products_b : tensor<12xf32> init normal source <name = "two_products_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
nn.param @two_products_v : tensor<6x12xf32> init normal
func.func @two_products(%x: tensor<2x3x6xf32>,
                        %z: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %two_products_w = nn.read @two_products_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %two_products_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %two_products_b = nn.read @two_products_b : tensor<12xf32>
  %b = nn.broadcast %two_products_b [2] : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %two_products_v = nn.read @two_products_v : tensor<6x12xf32>
  %p1 = nn.contract "bsk,kn->bsn" %z, %two_products_v
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %p1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// CHECK: nn.param @bias_of_one_number_w : tensor<6x12xf32> init normal source <name = "bias_of_one_number_w", file = "m.onnx", offset = 64, type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0, strides = [12, 1], valid = [6, 12]>
// CHECK: nn.param @bias_of_one_number_n : tensor<f32> init zero
// CHECK-LABEL: func.func @bias_of_one_number(
// CHECK-SAME: %arg0: tensor<2x3x6xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @bias_of_one_number_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @bias_of_one_number_n : tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V2]] [] : tensor<f32> -> tensor<2x3x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<2x3x12xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V4]] at [0, 0, 0] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.slice %[[V4]] at [0, 0, 8] step [1, 1, 1] : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V5]], %[[V6]] : tensor<2x3x8xf32>, tensor<2x3x4xf32>
nn.param @bias_of_one_number_w : tensor<6x12xf32> init normal source <name = "bias_of_one_number_w", file = "m.onnx", offset = 64,
    type = tensor<6x12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [12, 1], valid = [6, 12]>
nn.param @bias_of_one_number_b : tensor<12xf32> init normal source <name = "bias_of_one_number_b", file = "m.onnx", offset = 64,
    type = tensor<12xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [1], valid = [12]>
nn.param @bias_of_one_number_n : tensor<f32> init normal
func.func @bias_of_one_number(%x: tensor<2x3x6xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x4xf32>) {
  %bias_of_one_number_w = nn.read @bias_of_one_number_w : tensor<6x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %bias_of_one_number_w
      : tensor<2x3x6xf32>, tensor<6x12xf32> -> tensor<2x3x12xf32>
  %bias_of_one_number_b = nn.read @bias_of_one_number_b : tensor<12xf32>
  %b = nn.broadcast %bias_of_one_number_b [2]
      : tensor<12xf32> -> tensor<2x3x12xf32>
  %sum = nn.sum %p, %b : tensor<2x3x12xf32>
  %bias_of_one_number_n = nn.read @bias_of_one_number_n : tensor<f32>
  %b1 = nn.broadcast %bias_of_one_number_n []
      : tensor<f32> -> tensor<2x3x12xf32>
  %sum1 = nn.sum %p, %b1 : tensor<2x3x12xf32>
  %s = nn.slice %sum1 at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x8xf32>
  %s1 = nn.slice %sum1 at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x12xf32> -> tensor<2x3x4xf32>
  return %s, %s1 : tensor<2x3x8xf32>, tensor<2x3x4xf32>
}

// Not split: every other column,
// CHECK: nn.param @steps_w : tensor<6x12xf32> init normal
// CHECK-LABEL: func.func @steps(
// CHECK-SAME: %arg0: tensor<3x6xf32>) -> (tensor<3x4xf32>, tensor<3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @steps_w : tensor<6x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V0]] : tensor<3x6xf32>, tensor<6x12xf32> -> tensor<3x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0] step [1, 2] : tensor<3x12xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 4] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x4xf32>, tensor<3x8xf32>
nn.param @steps_w : tensor<6x12xf32> init normal
func.func @steps(%x: tensor<3x6xf32>) -> (tensor<3x4xf32>, tensor<3x8xf32>) {
  %steps_w = nn.read @steps_w : tensor<6x12xf32>
  %p = nn.contract "sk,kn->sn" %x, %steps_w
      : tensor<3x6xf32>, tensor<6x12xf32> -> tensor<3x12xf32>
  %s = nn.slice %p at [0, 0] step [1, 2] : tensor<3x12xf32> -> tensor<3x4xf32>
  %s1 = nn.slice %p at [0, 4] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
  return %s, %s1 : tensor<3x4xf32>, tensor<3x8xf32>
}

// a vector,
// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %arg0: tensor<12xf32>) -> (tensor<8xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg0 at [0] step [1] : tensor<12xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %arg0 at [8] step [1] : tensor<12xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<8xf32>, tensor<4xf32>
func.func @vector(%x: tensor<12xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %s = nn.slice %x at [0] step [1] : tensor<12xf32> -> tensor<8xf32>
  %s1 = nn.slice %x at [8] step [1] : tensor<12xf32> -> tensor<4xf32>
  return %s, %s1 : tensor<8xf32>, tensor<4xf32>
}

// and an argument, which is no projection.
// CHECK-LABEL: func.func @no_product(
// CHECK-SAME: %arg0: tensor<3x12xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg0 at [0, 0] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %arg0 at [0, 8] step [1, 1] : tensor<3x12xf32> -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<3x8xf32>, tensor<3x4xf32>
func.func @no_product(%x: tensor<3x12xf32>)
    -> (tensor<3x8xf32>, tensor<3x4xf32>) {
  %s = nn.slice %x at [0, 0] step [1, 1] : tensor<3x12xf32> -> tensor<3x8xf32>
  %s1 = nn.slice %x at [0, 8] step [1, 1] : tensor<3x12xf32> -> tensor<3x4xf32>
  return %s, %s1 : tensor<3x8xf32>, tensor<3x4xf32>
}

// Unequal numbers of heads are unequal parts.
// CHECK: nn.param @"heads_w[0:8]" : tensor<5x4x2xf32> init normal
// CHECK: nn.param @"heads_w[8:10]" : tensor<5x2xf32> init normal
// CHECK: nn.param @"heads_w[10:12]" : tensor<5x2xf32> init normal
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"heads_w[0:8]" : tensor<5x4x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"heads_w[8:10]" : tensor<5x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V1]] : tensor<3x6x5xf32>, tensor<5x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.read @"heads_w[10:12]" : tensor<5x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V3]] : tensor<3x6x5xf32>, tensor<5x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x4x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: return %[[V5]], %[[V2]], %[[V4]] : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>
nn.param @heads_w : tensor<5x12xf32> init normal
func.func @heads(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>) {
  %heads_w = nn.read @heads_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %heads_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %e = nn.select %r dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  %e1 = nn.select %r dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %e, %e1 : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>
}

// CHECK: nn.param @"heads_cut_out_w[0:6]" : tensor<5x3x2xf32> init normal
// CHECK: nn.param @"heads_cut_out_w[6:10]" : tensor<5x2x2xf32> init normal
// CHECK: nn.param @"heads_cut_out_w[10:12]" : tensor<5x2xf32> init normal
// CHECK-LABEL: func.func @heads_cut_out(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x3x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"heads_cut_out_w[0:6]" : tensor<5x3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"heads_cut_out_w[6:10]" : tensor<5x2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"heads_cut_out_w[10:12]" : tensor<5x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V2]] : tensor<3x6x5xf32>, tensor<5x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x3x2xf32> -> tensor<3x6x3x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V1]] : tensor<3x6x5xf32>, tensor<5x2x2xf32> -> tensor<3x6x2x2xf32>
// CHECK-NEXT: return %[[V4]], %[[V5]], %[[V3]] : tensor<3x6x3x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2xf32>
nn.param @heads_cut_out_w : tensor<5x12xf32> init normal
func.func @heads_cut_out(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x3x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2xf32>) {
  %heads_cut_out_w = nn.read @heads_cut_out_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %heads_cut_out_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x3x2xf32>
  %s1 = nn.slice %r at [0, 0, 3, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
  %e = nn.select %r dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %s1, %e : tensor<3x6x3x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2xf32>
}

// Not split: equal numbers of heads,
// CHECK: nn.param @heads_alike_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @heads_alike(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @heads_alike_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 2, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.slice %[[V1]] at [0, 0, 4, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V4]] : tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>
nn.param @heads_alike_w : tensor<5x12xf32> init normal
func.func @heads_alike(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>) {
  %heads_alike_w = nn.read @heads_alike_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %heads_alike_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
  %s1 = nn.slice %r at [0, 0, 2, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
  %s2 = nn.slice %r at [0, 0, 4, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
  return %s, %s1, %s2 : tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x2x2xf32>
}

// CHECK: nn.param @heads_left_out_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @heads_left_out(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @heads_left_out_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V1]] dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>
nn.param @heads_left_out_w : tensor<5x12xf32> init normal
func.func @heads_left_out(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>) {
  %heads_left_out_w = nn.read @heads_left_out_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %heads_left_out_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %e = nn.select %r dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %e : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>
}

// a projection with another use,
// CHECK: nn.param @heads_used_whole_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @heads_used_whole(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @heads_used_whole_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 4, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V1]] : tensor<3x6x4x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x6x2xf32>
nn.param @heads_used_whole_w : tensor<5x12xf32> init normal
func.func @heads_used_whole(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x6x2xf32>) {
  %heads_used_whole_w = nn.read @heads_used_whole_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %heads_used_whole_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %s1 = nn.slice %r at [0, 0, 4, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x2x2xf32>
  return %s, %s1, %r : tensor<3x6x4x2xf32>, tensor<3x6x2x2xf32>, tensor<3x6x6x2xf32>
}

// CHECK: nn.param @columns_used_w : tensor<5x12xf32> init normal
// CHECK-LABEL: func.func @columns_used(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>, tensor<3x6x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @columns_used_w : tensor<5x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kn->bsn" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V2]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.select %[[V2]] dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.select %[[V2]] dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]], %[[V5]], %[[V1]] : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>, tensor<3x6x12xf32>
nn.param @columns_used_w : tensor<5x12xf32> init normal
func.func @columns_used(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>, tensor<3x6x12xf32>) {
  %columns_used_w = nn.read @columns_used_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %columns_used_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %e = nn.select %r dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  %e1 = nn.select %r dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %e, %e1, %p : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>, tensor<3x6x12xf32>
}

// parts along another dim,
// CHECK: nn.param @elements_cut_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @elements_cut(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x6x1xf32>, tensor<3x6x6x1xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @elements_cut_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x6x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 0, 1] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x6x1xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x6x6x1xf32>, tensor<3x6x6x1xf32>
nn.param @elements_cut_w : tensor<5x12xf32> init normal
func.func @elements_cut(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x6x1xf32>, tensor<3x6x6x1xf32>) {
  %elements_cut_w = nn.read @elements_cut_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %elements_cut_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x6x1xf32>
  %s1 = nn.slice %r at [0, 0, 0, 1] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x6x1xf32>
  return %s, %s1 : tensor<3x6x6x1xf32>, tensor<3x6x6x1xf32>
}

// CHECK: nn.param @elements_selected_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @elements_selected(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x1x2xf32>, tensor<3x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @elements_selected_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 4, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x1x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.select %[[V1]] dim 1 index 0 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V4]] : tensor<3x6x4x2xf32>, tensor<3x6x1x2xf32>, tensor<3x6x2xf32>
nn.param @elements_selected_w : tensor<5x12xf32> init normal
func.func @elements_selected(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x1x2xf32>, tensor<3x6x2xf32>) {
  %elements_selected_w = nn.read @elements_selected_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %elements_selected_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %s1 = nn.slice %r at [0, 0, 4, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x1x2xf32>
  %e = nn.select %r dim 1 index 0 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %s1, %e : tensor<3x6x4x2xf32>, tensor<3x6x1x2xf32>, tensor<3x6x2xf32>
}

// and reshapes that split more than heads.
// CHECK: nn.param @split_in_three_w : tensor<5x6x2x1xf32> init normal
// CHECK-LABEL: func.func @split_in_three(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2x1xf32>, tensor<3x6x2x2x1xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @split_in_three_w : tensor<5x6x2x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,kphd->bsphd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2x1xf32> -> tensor<3x6x6x2x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V1]] at [0, 0, 0, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x6x6x2x1xf32> -> tensor<3x6x4x2x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V1]] at [0, 0, 4, 0, 0] step [1, 1, 1, 1, 1] : tensor<3x6x6x2x1xf32> -> tensor<3x6x2x2x1xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x6x4x2x1xf32>, tensor<3x6x2x2x1xf32>
nn.param @split_in_three_w : tensor<5x12xf32> init normal
func.func @split_in_three(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2x1xf32>, tensor<3x6x2x2x1xf32>) {
  %split_in_three_w = nn.read @split_in_three_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %split_in_three_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x6x6x2x1xf32>
  %s = nn.slice %r at [0, 0, 0, 0, 0] step [1, 1, 1, 1, 1]
      : tensor<3x6x6x2x1xf32> -> tensor<3x6x4x2x1xf32>
  %s1 = nn.slice %r at [0, 0, 4, 0, 0] step [1, 1, 1, 1, 1]
      : tensor<3x6x6x2x1xf32> -> tensor<3x6x2x2x1xf32>
  return %s, %s1 : tensor<3x6x4x2x1xf32>, tensor<3x6x2x2x1xf32>
}

// CHECK: nn.param @rows_split_w : tensor<5x12xf32> init normal
// CHECK-LABEL: func.func @rows_split(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x2x1x12xf32>, tensor<3x2x2x12xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @rows_split_w : tensor<5x12xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %arg0 : tensor<3x6x5xf32> -> tensor<3x2x3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "bstk,kn->bstn" %[[V1]], %[[V0]] : tensor<3x2x3x5xf32>, tensor<5x12xf32> -> tensor<3x2x3x12xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V2]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x2x3x12xf32> -> tensor<3x2x1x12xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.slice %[[V2]] at [0, 0, 1, 0] step [1, 1, 1, 1] : tensor<3x2x3x12xf32> -> tensor<3x2x2x12xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<3x2x1x12xf32>, tensor<3x2x2x12xf32>
nn.param @rows_split_w : tensor<5x12xf32> init normal
func.func @rows_split(%x: tensor<3x6x5xf32>)
    -> (tensor<3x2x1x12xf32>, tensor<3x2x2x12xf32>) {
  %rows_split_w = nn.read @rows_split_w : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %rows_split_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %r = nn.reshape %p : tensor<3x6x12xf32> -> tensor<3x2x3x12xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x3x12xf32> -> tensor<3x2x1x12xf32>
  %s1 = nn.slice %r at [0, 0, 1, 0] step [1, 1, 1, 1]
      : tensor<3x2x3x12xf32> -> tensor<3x2x2x12xf32>
  return %s, %s1 : tensor<3x2x1x12xf32>, tensor<3x2x2x12xf32>
}

// Not split: the result of another op.
// CHECK: nn.param @no_projection_of_heads_w : tensor<5x6x2xf32> init normal
// CHECK-LABEL: func.func @no_projection_of_heads(
// CHECK-SAME: %arg0: tensor<3x6x5xf32>) -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @no_projection_of_heads_w : tensor<5x6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "bsk,khd->bshd" %arg0, %[[V0]] : tensor<3x6x5xf32>, tensor<5x6x2xf32> -> tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<3x6x6x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V2]] at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.select %[[V2]] dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.select %[[V2]] dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]], %[[V5]] : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>
nn.param @no_projection_of_heads_w : tensor<5x12xf32> init normal
func.func @no_projection_of_heads(%x: tensor<3x6x5xf32>)
    -> (tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>) {
  %no_projection_of_heads_w = nn.read @no_projection_of_heads_w
      : tensor<5x12xf32>
  %p = nn.contract "bsk,kn->bsn" %x, %no_projection_of_heads_w
      : tensor<3x6x5xf32>, tensor<5x12xf32> -> tensor<3x6x12xf32>
  %tanh = nn.tanh %p : tensor<3x6x12xf32>
  %r = nn.reshape %tanh : tensor<3x6x12xf32> -> tensor<3x6x6x2xf32>
  %s = nn.slice %r at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x6x6x2xf32> -> tensor<3x6x4x2xf32>
  %e = nn.select %r dim 2 index 4 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  %e1 = nn.select %r dim 2 index 5 : tensor<3x6x6x2xf32> -> tensor<3x6x2xf32>
  return %s, %e, %e1 : tensor<3x6x4x2xf32>, tensor<3x6x2xf32>, tensor<3x6x2xf32>
}

// A contraction over a concatenated dim becomes a sum of contractions.
// CHECK: nn.param @"joined_w[0:4]" : tensor<4x5xf32> init normal source <name = "joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [5, 1], valid = [4, 5]>
// CHECK: nn.param @"joined_w[4:6]" : tensor<2x5xf32> init normal source <name = "joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 20, strides = [5, 1], valid = [2, 5]>
// CHECK-LABEL: func.func @joined(
// CHECK-SAME: %arg0: tensor<3x4xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @"joined_w[0:4]" : tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V0]] : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"joined_w[4:6]" : tensor<2x5xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "mk,kn->mn" %arg1, %[[V2]] : tensor<3x2xf32>, tensor<2x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<3x5xf32>
// CHECK-NEXT: return %[[V4]] : tensor<3x5xf32>
nn.param @joined_w : tensor<6x5xf32> init normal source <name = "joined_w", file = "m.onnx", offset = 64,
    type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [5, 1], valid = [6, 5]>
func.func @joined(%x0: tensor<3x4xf32>,
                  %x1: tensor<3x2xf32>)
    -> tensor<3x5xf32> {
  %joined_w = nn.read @joined_w : tensor<6x5xf32>
  %j = nn.concat %x0, %x1 along 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %joined_w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// CHECK: nn.param @"joined_behind_weight_w[0:4]" : tensor<5x4xf32> init normal source <name = "joined_behind_weight_w", file = "m.onnx", offset = 64, type = tensor<5x6xf32>, file_size = 1024, digest = 7, base = 0, strides = [6, 1], valid = [5, 4]>
// CHECK: nn.param @"joined_behind_weight_w[4:6]" : tensor<5x2xf32> init normal source <name = "joined_behind_weight_w", file = "m.onnx", offset = 64, type = tensor<5x6xf32>, file_size = 1024, digest = 7, base = 4, strides = [6, 1], valid = [5, 2]>
// CHECK-LABEL: func.func @joined_behind_weight(
// CHECK-SAME: %arg0: tensor<3x4xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @"joined_behind_weight_w[0:4]" : tensor<5x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "nk,sk->sn" %[[V0]], %arg0 : tensor<5x4xf32>, tensor<3x4xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"joined_behind_weight_w[4:6]" : tensor<5x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "nk,sk->sn" %[[V2]], %arg1 : tensor<5x2xf32>, tensor<3x2xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.sum %[[V1]], %[[V3]] : tensor<3x5xf32>
// CHECK-NEXT: return %[[V4]] : tensor<3x5xf32>
nn.param @joined_behind_weight_w : tensor<5x6xf32> init normal source <name = "joined_behind_weight_w", file = "m.onnx", offset = 64,
    type = tensor<5x6xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [6, 1], valid = [5, 6]>
func.func @joined_behind_weight(%x0: tensor<3x4xf32>,
                                %x1: tensor<3x2xf32>)
    -> tensor<3x5xf32> {
  %joined_behind_weight_w = nn.read @joined_behind_weight_w : tensor<5x6xf32>
  %j = nn.concat %x0, %x1 along 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
  %p = nn.contract "nk,sk->sn" %joined_behind_weight_w, %j
      : tensor<5x6xf32>, tensor<3x6xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// CHECK: nn.param @"three_joined_w[0:3]" : tensor<3x5xf32> init normal source <name = "three_joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [5, 1], valid = [3, 5]>
// CHECK: nn.param @"three_joined_w[3:5]" : tensor<2x5xf32> init normal source <name = "three_joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 15, strides = [5, 1], valid = [2, 5]>
// CHECK: nn.param @"three_joined_w[5:6]" : tensor<1x5xf32> init normal source <name = "three_joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 25, strides = [5, 1], valid = [1, 5]>
// CHECK-LABEL: func.func @three_joined(
// CHECK-SAME: %arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>, %arg2: tensor<3x1xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @"three_joined_w[0:3]" : tensor<3x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V0]] : tensor<3x3xf32>, tensor<3x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.read @"three_joined_w[3:5]" : tensor<2x5xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "mk,kn->mn" %arg1, %[[V2]] : tensor<3x2xf32>, tensor<2x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.read @"three_joined_w[5:6]" : tensor<1x5xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.contract "mk,kn->mn" %arg2, %[[V4]] : tensor<3x1xf32>, tensor<1x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.sum %[[V1]], %[[V3]], %[[V5]] : tensor<3x5xf32>
// CHECK-NEXT: return %[[V6]] : tensor<3x5xf32>
nn.param @three_joined_w : tensor<6x5xf32> init normal source <name = "three_joined_w", file = "m.onnx", offset = 64,
    type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [5, 1], valid = [6, 5]>
func.func @three_joined(%x0: tensor<3x3xf32>,
                        %x1: tensor<3x2xf32>,
                        %x2: tensor<3x1xf32>)
    -> tensor<3x5xf32> {
  %three_joined_w = nn.read @three_joined_w : tensor<6x5xf32>
  %j = nn.concat %x0, %x1, %x2 along 1
      : tensor<3x3xf32>, tensor<3x2xf32>, tensor<3x1xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %three_joined_w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// Not split: concatenated rows,
// CHECK: nn.param @rows_joined_w : tensor<6x5xf32> init normal source <name = "rows_joined_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [5, 1], valid = [6, 5]>
// CHECK-LABEL: func.func @rows_joined(
// CHECK-SAME: %arg0: tensor<2x6xf32>, %arg1: tensor<1x6xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @rows_joined_w : tensor<6x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.concat %arg0, %arg1 along 0 : tensor<2x6xf32>, tensor<1x6xf32> -> tensor<3x6xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "mk,kn->mn" %[[V1]], %[[V0]] : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x5xf32>
nn.param @rows_joined_w : tensor<6x5xf32> init normal source <name = "rows_joined_w", file = "m.onnx", offset = 64,
    type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [5, 1], valid = [6, 5]>
func.func @rows_joined(%x0: tensor<2x6xf32>,
                       %x1: tensor<1x6xf32>)
    -> tensor<3x5xf32> {
  %rows_joined_w = nn.read @rows_joined_w : tensor<6x5xf32>
  %j = nn.concat %x0, %x1 along 0
      : tensor<2x6xf32>, tensor<1x6xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %rows_joined_w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// CHECK: nn.param @batch_joined_w : tensor<2x6x5xf32> init normal source <name = "batch_joined_w", file = "m.onnx", offset = 64, type = tensor<2x6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [30, 5, 1], valid = [2, 6, 5]>
// CHECK-LABEL: func.func @batch_joined(
// CHECK-SAME: %arg0: tensor<1x3x6xf32>, %arg1: tensor<1x3x6xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @batch_joined_w : tensor<2x6x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.concat %arg0, %arg1 along 0 : tensor<1x3x6xf32>, tensor<1x3x6xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "bsk,bkn->bsn" %[[V1]], %[[V0]] : tensor<2x3x6xf32>, tensor<2x6x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x5xf32>
nn.param @batch_joined_w : tensor<2x6x5xf32> init normal source <name = "batch_joined_w", file = "m.onnx", offset = 64,
    type = tensor<2x6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [30, 5, 1], valid = [2, 6, 5]>
func.func @batch_joined(%x0: tensor<1x3x6xf32>,
                        %x1: tensor<1x3x6xf32>)
    -> tensor<2x3x5xf32> {
  %batch_joined_w = nn.read @batch_joined_w : tensor<2x6x5xf32>
  %j = nn.concat %x0, %x1 along 0
      : tensor<1x3x6xf32>, tensor<1x3x6xf32> -> tensor<2x3x6xf32>
  %p = nn.contract "bsk,bkn->bsn" %j, %batch_joined_w
      : tensor<2x3x6xf32>, tensor<2x6x5xf32> -> tensor<2x3x5xf32>
  return %p : tensor<2x3x5xf32>
}

// a weight with another use,
// CHECK: nn.param @joined_weight_used_w : tensor<6x5xf32> init normal source <name = "joined_weight_used_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [5, 1], valid = [6, 5]>
// CHECK-LABEL: func.func @joined_weight_used(
// CHECK-SAME: %arg0: tensor<3x4xf32>, %arg1: tensor<3x2xf32>) -> (tensor<3x5xf32>, tensor<6x5xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @joined_weight_used_w : tensor<6x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.concat %arg0, %arg1 along 1 : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "mk,kn->mn" %[[V1]], %[[V0]] : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V2]], %[[V0]] : tensor<3x5xf32>, tensor<6x5xf32>
nn.param @joined_weight_used_w : tensor<6x5xf32> init normal source <name = "joined_weight_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [5, 1], valid = [6, 5]>
func.func @joined_weight_used(%x0: tensor<3x4xf32>,
                              %x1: tensor<3x2xf32>)
    -> (tensor<3x5xf32>, tensor<6x5xf32>) {
  %joined_weight_used_w = nn.read @joined_weight_used_w : tensor<6x5xf32>
  %j = nn.concat %x0, %x1 along 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %joined_weight_used_w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p, %joined_weight_used_w : tensor<3x5xf32>, tensor<6x5xf32>
}

// a padded weight,
// CHECK: nn.param @joined_weight_padded_w : tensor<6x5xf32> init normal source <name = "joined_weight_padded_w", file = "m.onnx", offset = 64, type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0, strides = [5, 1], valid = [5, 5]>
// CHECK-LABEL: func.func @joined_weight_padded(
// CHECK-SAME: %arg0: tensor<3x4xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @joined_weight_padded_w : tensor<6x5xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.concat %arg0, %arg1 along 1 : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "mk,kn->mn" %[[V1]], %[[V0]] : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x5xf32>
nn.param @joined_weight_padded_w : tensor<6x5xf32> init normal source <name = "joined_weight_padded_w", file = "m.onnx", offset = 64,
    type = tensor<6x5xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [5, 1], valid = [5, 5]>
func.func @joined_weight_padded(%x0: tensor<3x4xf32>,
                                %x1: tensor<3x2xf32>)
    -> tensor<3x5xf32> {
  %joined_weight_padded_w = nn.read @joined_weight_padded_w : tensor<6x5xf32>
  %j = nn.concat %x0, %x1 along 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %joined_weight_padded_w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// and data instead of a weight.
// CHECK-LABEL: func.func @joined_by_data(
// CHECK-SAME: %arg0: tensor<6x5xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<3x2xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.concat %arg1, %arg2 along 1 : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.contract "sk,kn->sn" %[[V0]], %arg0 : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x5xf32>
func.func @joined_by_data(%w: tensor<6x5xf32>,
                          %x0: tensor<3x4xf32>,
                          %x1: tensor<3x2xf32>)
    -> tensor<3x5xf32> {
  %j = nn.concat %x0, %x1 along 1
      : tensor<3x4xf32>, tensor<3x2xf32> -> tensor<3x6xf32>
  %p = nn.contract "sk,kn->sn" %j, %w
      : tensor<3x6xf32>, tensor<6x5xf32> -> tensor<3x5xf32>
  return %p : tensor<3x5xf32>
}

// Slices that together are the whole parameter become separate parameters.
// CHECK: nn.param @"cut_w[0:4]" : tensor<4x4xf32> init normal source <name = "cut_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [4, 4]>
// CHECK: nn.param @"cut_w[4:12]" : tensor<8x4xf32> init normal source <name = "cut_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 16, strides = [4, 1], valid = [8, 4]>
// CHECK-LABEL: func.func @cut(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"cut_w[0:4]" : tensor<4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"cut_w[4:12]" : tensor<8x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V0]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<4x4xf32>, tensor<8x4xf32>
nn.param @cut_w : tensor<12x4xf32> init normal source <name = "cut_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut() -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %cut_w = nn.read @cut_w : tensor<12x4xf32>
  %s = nn.slice %cut_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<8x4xf32>
}

// CHECK: nn.param @"cut_columns_w[0:1]" : tensor<12x1xf32> init normal source <name = "cut_columns_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 1]>
// CHECK: nn.param @"cut_columns_w[1:4]" : tensor<12x3xf32> init normal source <name = "cut_columns_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 1, strides = [4, 1], valid = [12, 3]>
// CHECK-LABEL: func.func @cut_columns(
// CHECK-SAME: ) -> (tensor<12x1xf32>, tensor<12x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"cut_columns_w[0:1]" : tensor<12x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"cut_columns_w[1:4]" : tensor<12x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V0]] : tensor<12x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<12x3xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<12x1xf32>, tensor<12x3xf32>
nn.param @cut_columns_w : tensor<12x4xf32> init normal source <name = "cut_columns_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_columns() -> (tensor<12x1xf32>, tensor<12x3xf32>) {
  %cut_columns_w = nn.read @cut_columns_w : tensor<12x4xf32>
  %s = nn.slice %cut_columns_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x1xf32>
  %s1 = nn.slice %cut_columns_w at [0, 1] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x3xf32>
  %tanh = nn.tanh %s : tensor<12x1xf32>
  %tanh1 = nn.tanh %s1 : tensor<12x3xf32>
  return %tanh, %tanh1 : tensor<12x1xf32>, tensor<12x3xf32>
}

// CHECK: nn.param @"cut_out_of_order_w[0:8]" : tensor<8x4xf32> init normal source <name = "cut_out_of_order_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [8, 4]>
// CHECK: nn.param @"cut_out_of_order_w[8:12]" : tensor<4x4xf32> init normal source <name = "cut_out_of_order_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 32, strides = [4, 1], valid = [4, 4]>
// CHECK-LABEL: func.func @cut_out_of_order(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"cut_out_of_order_w[0:8]" : tensor<8x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"cut_out_of_order_w[8:12]" : tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V0]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<4x4xf32>, tensor<8x4xf32>
nn.param @cut_out_of_order_w : tensor<12x4xf32> init normal source <name = "cut_out_of_order_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_out_of_order() -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %cut_out_of_order_w = nn.read @cut_out_of_order_w : tensor<12x4xf32>
  %s = nn.slice %cut_out_of_order_w at [8, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_out_of_order_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<8x4xf32>
}

// CHECK: nn.param @"cut_in_equal_parts_w[0:6]" : tensor<6x4xf32> init normal source <name = "cut_in_equal_parts_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [6, 4]>
// CHECK: nn.param @"cut_in_equal_parts_w[6:12]" : tensor<6x4xf32> init normal source <name = "cut_in_equal_parts_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 24, strides = [4, 1], valid = [6, 4]>
// CHECK-LABEL: func.func @cut_in_equal_parts(
// CHECK-SAME: ) -> (tensor<6x4xf32>, tensor<6x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"cut_in_equal_parts_w[0:6]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"cut_in_equal_parts_w[6:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V0]] : tensor<6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<6x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<6x4xf32>, tensor<6x4xf32>
nn.param @cut_in_equal_parts_w : tensor<12x4xf32> init normal source <name = "cut_in_equal_parts_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_in_equal_parts() -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %cut_in_equal_parts_w = nn.read @cut_in_equal_parts_w : tensor<12x4xf32>
  %s = nn.slice %cut_in_equal_parts_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %s1 = nn.slice %cut_in_equal_parts_w at [6, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %tanh = nn.tanh %s : tensor<6x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<6x4xf32>
  return %tanh, %tanh1 : tensor<6x4xf32>, tensor<6x4xf32>
}

// Not if they leave out a part,
// CHECK: nn.param @cut_gap_w : tensor<12x4xf32> init normal source <name = "cut_gap_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_gap(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<6x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_gap_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [6, 0] step [1, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<6x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<4x4xf32>, tensor<6x4xf32>
nn.param @cut_gap_w : tensor<12x4xf32> init normal source <name = "cut_gap_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_gap() -> (tensor<4x4xf32>, tensor<6x4xf32>) {
  %cut_gap_w = nn.read @cut_gap_w : tensor<12x4xf32>
  %s = nn.slice %cut_gap_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_gap_w at [6, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<6x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<6x4xf32>
}

// CHECK: nn.param @cut_not_first_w : tensor<12x4xf32> init normal source <name = "cut_not_first_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_not_first(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<7x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_not_first_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [1, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [5, 0] step [1, 1] : tensor<12x4xf32> -> tensor<7x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<7x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<4x4xf32>, tensor<7x4xf32>
nn.param @cut_not_first_w : tensor<12x4xf32> init normal source <name = "cut_not_first_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_not_first() -> (tensor<4x4xf32>, tensor<7x4xf32>) {
  %cut_not_first_w = nn.read @cut_not_first_w : tensor<12x4xf32>
  %s = nn.slice %cut_not_first_w at [1, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_not_first_w at [5, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<7x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<7x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<7x4xf32>
}

// CHECK: nn.param @cut_not_last_w : tensor<12x4xf32> init normal source <name = "cut_not_last_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_not_last(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<7x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_not_last_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<7x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<7x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<4x4xf32>, tensor<7x4xf32>
nn.param @cut_not_last_w : tensor<12x4xf32> init normal source <name = "cut_not_last_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_not_last() -> (tensor<4x4xf32>, tensor<7x4xf32>) {
  %cut_not_last_w = nn.read @cut_not_last_w : tensor<12x4xf32>
  %s = nn.slice %cut_not_last_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_not_last_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<7x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<7x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<7x4xf32>
}

// overlap,
// CHECK: nn.param @cut_overlap_w : tensor<12x4xf32> init normal source <name = "cut_overlap_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_overlap(
// CHECK-SAME: ) -> (tensor<5x4xf32>, tensor<8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_overlap_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<5x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<5x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<5x4xf32>, tensor<8x4xf32>
nn.param @cut_overlap_w : tensor<12x4xf32> init normal source <name = "cut_overlap_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_overlap() -> (tensor<5x4xf32>, tensor<8x4xf32>) {
  %cut_overlap_w = nn.read @cut_overlap_w : tensor<12x4xf32>
  %s = nn.slice %cut_overlap_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<5x4xf32>
  %s1 = nn.slice %cut_overlap_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<5x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  return %tanh, %tanh1 : tensor<5x4xf32>, tensor<8x4xf32>
}

// CHECK: nn.param @cut_inside_w : tensor<12x4xf32> init normal source <name = "cut_inside_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_inside(
// CHECK-SAME: ) -> (tensor<12x4xf32>, tensor<8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_inside_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V0]] : tensor<12x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<12x4xf32>, tensor<8x4xf32>
nn.param @cut_inside_w : tensor<12x4xf32> init normal source <name = "cut_inside_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_inside() -> (tensor<12x4xf32>, tensor<8x4xf32>) {
  %cut_inside_w = nn.read @cut_inside_w : tensor<12x4xf32>
  %s = nn.slice %cut_inside_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x4xf32>
  %s1 = nn.slice %cut_inside_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<12x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  return %tanh, %tanh1 : tensor<12x4xf32>, tensor<8x4xf32>
}

// are a single slice,
// CHECK: nn.param @cut_whole_w : tensor<12x4xf32> init normal source <name = "cut_whole_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_whole(
// CHECK-SAME: ) -> tensor<12x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_whole_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<12x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<12x4xf32>
nn.param @cut_whole_w : tensor<12x4xf32> init normal source <name = "cut_whole_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_whole() -> tensor<12x4xf32> {
  %cut_whole_w = nn.read @cut_whole_w : tensor<12x4xf32>
  %s = nn.slice %cut_whole_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x4xf32>
  %tanh = nn.tanh %s : tensor<12x4xf32>
  return %tanh : tensor<12x4xf32>
}

// or if the parameter has another use.
// CHECK: nn.param @cut_used_w : tensor<12x4xf32> init normal source <name = "cut_used_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_used(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<12x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_used_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<8x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.exp %[[V0]] : tensor<12x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]], %[[V5]] : tensor<4x4xf32>, tensor<8x4xf32>, tensor<12x4xf32>
nn.param @cut_used_w : tensor<12x4xf32> init normal source <name = "cut_used_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_used() -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<12x4xf32>) {
  %cut_used_w = nn.read @cut_used_w : tensor<12x4xf32>
  %s = nn.slice %cut_used_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_used_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  %exp = nn.exp %cut_used_w : tensor<12x4xf32>
  return %tanh, %tanh1, %exp : tensor<4x4xf32>, tensor<8x4xf32>, tensor<12x4xf32>
}

// CHECK: nn.param @cut_step_w : tensor<12x4xf32> init normal source <name = "cut_step_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [12, 4]>
// CHECK-LABEL: func.func @cut_step(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_step_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<8x4xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V0]] at [0, 0] step [2, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.exp %[[V5]] : tensor<6x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]], %[[V6]] : tensor<4x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>
nn.param @cut_step_w : tensor<12x4xf32> init normal source <name = "cut_step_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [12, 4]>
func.func @cut_step() -> (tensor<4x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>) {
  %cut_step_w = nn.read @cut_step_w : tensor<12x4xf32>
  %s = nn.slice %cut_step_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_step_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  %s2 = nn.slice %cut_step_w at [0, 0] step [2, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %exp = nn.exp %s2 : tensor<6x4xf32>
  return %tanh, %tanh1, %exp : tensor<4x4xf32>, tensor<8x4xf32>, tensor<6x4xf32>
}

// Not if the parameter is padded: padding is not in the file.
// CHECK: nn.param @cut_padded_w : tensor<12x4xf32> init normal source <name = "cut_padded_w", file = "m.onnx", offset = 64, type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0, strides = [4, 1], valid = [11, 4]>
// CHECK-LABEL: func.func @cut_padded(
// CHECK-SAME: ) -> (tensor<4x4xf32>, tensor<8x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_padded_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %[[V0]] at [4, 0] step [1, 1] : tensor<12x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.tanh %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V2]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<4x4xf32>, tensor<8x4xf32>
nn.param @cut_padded_w : tensor<12x4xf32> init normal source <name = "cut_padded_w", file = "m.onnx", offset = 64,
    type = tensor<12x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [11, 4]>
func.func @cut_padded() -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %cut_padded_w = nn.read @cut_padded_w : tensor<12x4xf32>
  %s = nn.slice %cut_padded_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<4x4xf32>
  %s1 = nn.slice %cut_padded_w at [4, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<8x4xf32>
  %tanh = nn.tanh %s : tensor<4x4xf32>
  %tanh1 = nn.tanh %s1 : tensor<8x4xf32>
  return %tanh, %tanh1 : tensor<4x4xf32>, tensor<8x4xf32>
}

// Not if they are along two dims.
// CHECK: nn.param @cut_two_ways_w : tensor<12x4xf32> init normal
// CHECK-LABEL: func.func @cut_two_ways(
// CHECK-SAME: ) -> (tensor<6x4xf32>, tensor<12x2xf32>, tensor<6x4xf32>, tensor<12x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @cut_two_ways_w : tensor<12x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<6x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %[[V0]] at [0, 0] step [1, 1] : tensor<12x4xf32> -> tensor<12x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V3]] : tensor<12x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %[[V0]] at [6, 0] step [1, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.exp %[[V5]] : tensor<6x4xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.slice %[[V0]] at [0, 2] step [1, 1] : tensor<12x4xf32> -> tensor<12x2xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.exp %[[V7]] : tensor<12x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]], %[[V6]], %[[V8]] : tensor<6x4xf32>, tensor<12x2xf32>, tensor<6x4xf32>, tensor<12x2xf32>
nn.param @cut_two_ways_w : tensor<12x4xf32> init normal
func.func @cut_two_ways()
    -> (tensor<6x4xf32>, tensor<12x2xf32>, tensor<6x4xf32>, tensor<12x2xf32>) {
  %cut_two_ways_w = nn.read @cut_two_ways_w : tensor<12x4xf32>
  %s = nn.slice %cut_two_ways_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %tanh = nn.tanh %s : tensor<6x4xf32>
  %s1 = nn.slice %cut_two_ways_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x2xf32>
  %tanh1 = nn.tanh %s1 : tensor<12x2xf32>
  %s2 = nn.slice %cut_two_ways_w at [6, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %exp = nn.exp %s2 : tensor<6x4xf32>
  %s3 = nn.slice %cut_two_ways_w at [0, 2] step [1, 1]
      : tensor<12x4xf32> -> tensor<12x2xf32>
  %exp1 = nn.exp %s3 : tensor<12x2xf32>
  return %tanh, %tanh1, %exp, %exp1 : tensor<6x4xf32>, tensor<12x2xf32>, tensor<6x4xf32>, tensor<12x2xf32>
}

// A parameter whose halves two projections read becomes two parameters.
// CHECK: nn.param @"cut_twice_w[0:6]" : tensor<6x4xf32> init normal
// CHECK: nn.param @"cut_twice_w[6:12]" : tensor<6x4xf32> init normal
// CHECK-LABEL: func.func @cut_twice(
// CHECK-SAME: %arg0: tensor<3x6xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @"cut_twice_w[0:6]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @"cut_twice_w[6:12]" : tensor<6x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V0]] : tensor<3x6xf32>, tensor<6x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.contract "mk,kn->mn" %arg0, %[[V1]] : tensor<3x6xf32>, tensor<6x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<3x4xf32>, tensor<3x4xf32>
nn.param @cut_twice_w : tensor<12x4xf32> init normal
func.func @cut_twice(%x: tensor<3x6xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %cut_twice_w = nn.read @cut_twice_w : tensor<12x4xf32>
  %s = nn.slice %cut_twice_w at [0, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %s1 = nn.slice %cut_twice_w at [6, 0] step [1, 1]
      : tensor<12x4xf32> -> tensor<6x4xf32>
  %p = nn.contract "sk,kn->sn" %x, %s
      : tensor<3x6xf32>, tensor<6x4xf32> -> tensor<3x4xf32>
  %p1 = nn.contract "sk,kn->sn" %x, %s1
      : tensor<3x6xf32>, tensor<6x4xf32> -> tensor<3x4xf32>
  return %p, %p1 : tensor<3x4xf32>, tensor<3x4xf32>
}
