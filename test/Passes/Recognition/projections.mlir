// Projections of several parts, learned positions, and parameters in the shape
// in which they are read.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// Equal parts that are split alike are selected along a separate dim.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %arg0: tensor<2x3x24xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x24xf32> -> tensor<2x3x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 2 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V3]] : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
func.func @heads(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @out_of_order(
// CHECK-SAME: %arg0: tensor<2x3x24xf32>) -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x24xf32> -> tensor<2x3x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 2 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V3]] : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
func.func @out_of_order(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @two_dims(
// CHECK-SAME: %arg0: tensor<2x24xf32>) -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x24xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 1 index 0 : tensor<2x3x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.select %[[V0]] dim 1 index 1 : tensor<2x3x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 1 index 2 : tensor<2x3x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V3]] : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
func.func @two_dims(%x: tensor<2x24xf32>)
    -> (tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>) {
  %s = nn.slice %x at [0, 0] step [1, 1] : tensor<2x24xf32> -> tensor<2x8xf32>
  %r = nn.reshape %s : tensor<2x8xf32> -> tensor<2x2x4xf32>
  %s1 = nn.slice %x at [0, 8] step [1, 1] : tensor<2x24xf32> -> tensor<2x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x8xf32> -> tensor<2x2x4xf32>
  %s2 = nn.slice %x at [0, 16] step [1, 1] : tensor<2x24xf32> -> tensor<2x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x8xf32> -> tensor<2x2x4xf32>
  return %r, %r1, %r2 : tensor<2x2x4xf32>, tensor<2x2x4xf32>, tensor<2x2x4xf32>
}

// Not if a part is missing,
// CHECK-LABEL: func.func @too_few(
// CHECK-NOT: nn.select
// CHECK: return
func.func @too_few(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @too_narrow(
// CHECK-NOT: nn.select
// CHECK: return
func.func @too_narrow(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x5xf32>, tensor<2x3x2x5xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x10xf32>
  %r = nn.reshape %s : tensor<2x3x10xf32> -> tensor<2x3x2x5xf32>
  %s1 = nn.slice %x at [0, 0, 10] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x10xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x10xf32> -> tensor<2x3x2x5xf32>
  return %r, %r1 : tensor<2x3x2x5xf32>, tensor<2x3x2x5xf32>
}

// if a part does not begin where another ends,
// CHECK-LABEL: func.func @between(
// CHECK-NOT: nn.select
// CHECK: return
func.func @between(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 4] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// if a part is every other column,
// CHECK-LABEL: func.func @every_other(
// CHECK-NOT: nn.select
// CHECK: return
func.func @every_other(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 2]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 2]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 1] step [1, 1, 2]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// if two parts are the same,
// CHECK-LABEL: func.func @twice_one(
// CHECK-NOT: nn.select
// CHECK: return
func.func @twice_one(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// if parts are split differently,
// CHECK-LABEL: func.func @split_differently(
// CHECK-NOT: nn.select
// CHECK: return
func.func @split_differently(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x4x2xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x4x2xf32>
  return %r, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x4x2xf32>
}

// if some are not split,
// CHECK-LABEL: func.func @some_split(
// CHECK-NOT: nn.select
// CHECK: return
func.func @some_split(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %tanh = nn.tanh %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %tanh, %r, %r1 : tensor<2x3x8xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// or if a part or the whole has another use.
// CHECK-LABEL: func.func @slice_used(
// CHECK-NOT: nn.select
// CHECK: return
func.func @slice_used(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x8xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  return %r, %s1, %r1, %r2 : tensor<2x3x2x4xf32>, tensor<2x3x8xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @whole_used(
// CHECK-NOT: nn.select
// CHECK: return
func.func @whole_used(%x: tensor<2x3x24xf32>)
    -> (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x24xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x3x2x4xf32>
  %tanh = nn.tanh %x : tensor<2x3x24xf32>
  return %r, %r1, %r2, %tanh : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x24xf32>
}

// Not if the reshape does not split the columns.
// CHECK-LABEL: func.func @merged(
// CHECK-NOT: nn.select
// CHECK: return
func.func @merged(%x: tensor<2x3x24xf32>)
    -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<6x8xf32>
  return %r, %r1, %r2 : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>
}

// CHECK-LABEL: func.func @rows_split(
// CHECK-NOT: nn.select
// CHECK: return
func.func @rows_split(%x: tensor<4x3x24xf32>)
    -> (tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<4x3x24xf32> -> tensor<4x3x8xf32>
  %r = nn.reshape %s : tensor<4x3x8xf32> -> tensor<2x2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<4x3x24xf32> -> tensor<4x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<4x3x8xf32> -> tensor<2x2x3x8xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<4x3x24xf32> -> tensor<4x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<4x3x8xf32> -> tensor<2x2x3x8xf32>
  return %r, %r1, %r2 : tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>
}

// CHECK-LABEL: func.func @regrouped(
// CHECK-NOT: nn.select
// CHECK: return
func.func @regrouped(%x: tensor<2x3x24xf32>)
    -> (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r = nn.reshape %s : tensor<2x3x8xf32> -> tensor<2x6x4xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<2x3x8xf32> -> tensor<2x6x4xf32>
  %s2 = nn.slice %x at [0, 0, 16] step [1, 1, 1]
      : tensor<2x3x24xf32> -> tensor<2x3x8xf32>
  %r2 = nn.reshape %s2 : tensor<2x3x8xf32> -> tensor<2x6x4xf32>
  return %r, %r1, %r2 : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>
}

// CHECK-LABEL: func.func @fewer_rows(
// CHECK-NOT: nn.select
// CHECK: return
func.func @fewer_rows(%x: tensor<2x3x16xf32>)
    -> (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) {
  %s = nn.slice %x at [1, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<1x3x8xf32>
  %r = nn.reshape %s : tensor<1x3x8xf32> -> tensor<1x3x2x4xf32>
  %s1 = nn.slice %x at [1, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<1x3x8xf32>
  %r1 = nn.reshape %s1 : tensor<1x3x8xf32> -> tensor<1x3x2x4xf32>
  return %r, %r1 : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>
}

// CHECK-LABEL: func.func @vector(
// CHECK-NOT: nn.select
// CHECK: return
func.func @vector(%x: tensor<16xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %s = nn.slice %x at [0] step [1] : tensor<16xf32> -> tensor<8xf32>
  %r = nn.reshape %s : tensor<8xf32> -> tensor<2x4xf32>
  %s1 = nn.slice %x at [8] step [1] : tensor<16xf32> -> tensor<8xf32>
  %r1 = nn.reshape %s1 : tensor<8xf32> -> tensor<2x4xf32>
  return %r, %r1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// Gates and the values that they multiply: parts with elementwise users.
// CHECK-LABEL: func.func @gated_by_silu(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.silu %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_silu(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %silu = nn.silu %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %silu, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_gelu(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.gelu %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_gelu(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %gelu = nn.gelu %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %gelu, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_sigmoid(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.sigmoid %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_sigmoid(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %sigmoid = nn.sigmoid %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %sigmoid, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_tanh(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_tanh(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %tanh = nn.tanh %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %tanh, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_relu(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.relu %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_relu(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %relu = nn.relu %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %relu, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_scale(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.scale %[[V1]] by 2.000000e+00 : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_scale(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %scaled = nn.scale %s by 2.0 : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %scaled, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_sum(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.sum %[[V1]], %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_sum(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %sum = nn.sum %s, %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %sum, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gated_by_mul(
// CHECK-SAME: %arg0: tensor<2x3x16xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 : tensor<2x3x16xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.select %[[V0]] dim 2 index 0 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.mul %[[V1]], %[[V1]] : tensor<2x3x8xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.select %[[V0]] dim 2 index 1 : tensor<2x3x2x8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.mul %[[V3]], %[[V3]] : tensor<2x3x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<2x3x8xf32>, tensor<2x3x8xf32>
func.func @gated_by_mul(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s, %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul1 = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %mul, %mul1 : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// Other ops do not make a part a gate.
// CHECK-LABEL: func.func @not_gated(
// CHECK-NOT: nn.select
// CHECK: return
func.func @not_gated(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %exp = nn.exp %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %mul = nn.mul %s1, %s1 : tensor<2x3x8xf32>
  return %exp, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @gate_used_otherwise(
// CHECK-NOT: nn.select
// CHECK: return
func.func @gate_used_otherwise(%x: tensor<2x3x16xf32>)
    -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %s = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %silu = nn.silu %s : tensor<2x3x8xf32>
  %s1 = nn.slice %x at [0, 0, 8] step [1, 1, 1]
      : tensor<2x3x16xf32> -> tensor<2x3x8xf32>
  %exp = nn.exp %s1 : tensor<2x3x8xf32>
  %mul = nn.mul %s1, %exp : tensor<2x3x8xf32>
  return %silu, %mul : tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// A part that is not read.
// CHECK-LABEL: func.func @gate_unused(
// CHECK-NOT: nn.select
// CHECK: return
func.func @gate_unused(%x: tensor<2x16xf32>) -> tensor<2x8xf32> {
  %s = nn.slice %x at [0, 8] step [1, 1] : tensor<2x16xf32> -> tensor<2x8xf32>
  %s1 = nn.slice %x at [0, 0] step [1, 1] : tensor<2x16xf32> -> tensor<2x8xf32>
  %silu = nn.silu %s1 : tensor<2x8xf32>
  return %silu : tensor<2x8xf32>
}

// A table looked up by 0, 1, ... is looked up by the positions,
// CHECK: nn.param @positions_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @positions(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @positions_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x3xf32>
nn.param @positions_t : tensor<10x3xf32> init normal
func.func @positions(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %positions_t = nn.read @positions_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %positions_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// also by sample,
// CHECK: nn.param @positions_by_sample_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @positions_by_sample(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @positions_by_sample_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<4x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x4x3xf32>
nn.param @positions_by_sample_t : tensor<10x3xf32> init normal
func.func @positions_by_sample(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<2x4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b = nn.broadcast %c [1] : tensor<4xi64> -> tensor<2x4xi64>
  %positions_by_sample_t = nn.read @positions_by_sample_t : tensor<10x3xf32>
  %rows = nn.embedding %b, %positions_by_sample_t
      : tensor<2x4xi64>, tensor<10x3xf32> -> tensor<2x4x3xf32>
  return %rows : tensor<2x4x3xf32>
}

// CHECK: nn.param @positions_by_two_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @positions_by_two(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @positions_by_two_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [2, 3] : tensor<4x3xf32> -> tensor<2x3x4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x4x3xf32>
nn.param @positions_by_two_t : tensor<10x3xf32> init normal
func.func @positions_by_two(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<2x3x4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %b = nn.broadcast %c [2] : tensor<4xi64> -> tensor<2x3x4xi64>
  %positions_by_two_t = nn.read @positions_by_two_t : tensor<10x3xf32>
  %rows = nn.embedding %b, %positions_by_two_t
      : tensor<2x3x4xi64>, tensor<10x3xf32> -> tensor<2x3x4x3xf32>
  return %rows : tensor<2x3x4x3xf32>
}

// CHECK: nn.param @positions_of_one_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @positions_of_one(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<1x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @positions_of_one_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [1, 2] : tensor<4x3xf32> -> tensor<1x4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<1x4x3xf32>
nn.param @positions_of_one_t : tensor<10x3xf32> init normal
func.func @positions_of_one(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<1x4x3xf32> {
  %c = nn.constant dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>
  %positions_of_one_t = nn.read @positions_of_one_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %positions_of_one_t
      : tensor<1x4xi64>, tensor<10x3xf32> -> tensor<1x4x3xf32>
  return %rows : tensor<1x4x3xf32>
}

// if the ids are the positions of the tokens,
// CHECK: nn.param @not_from_zero_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @not_from_zero(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @not_from_zero_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
nn.param @not_from_zero_t : tensor<10x3xf32> init normal
func.func @not_from_zero(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<4x3xf32> {
  %c = nn.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %not_from_zero_t = nn.read @not_from_zero_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %not_from_zero_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// CHECK: nn.param @not_in_order_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @not_in_order(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 2, 1, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @not_in_order_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
nn.param @not_in_order_t : tensor<10x3xf32> init normal
func.func @not_in_order(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<4x3xf32> {
  %c = nn.constant dense<[0, 2, 1, 3]> : tensor<4xi64>
  %not_in_order_t = nn.read @not_in_order_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %not_in_order_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// CHECK: nn.param @shorter_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @shorter(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @shorter_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<3xi64>, tensor<10x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x3xf32>
nn.param @shorter_t : tensor<10x3xf32> init normal
func.func @shorter(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<3x3xf32> {
  %c = nn.constant dense<[0, 1, 2]> : tensor<3xi64>
  %shorter_t = nn.read @shorter_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %shorter_t
      : tensor<3xi64>, tensor<10x3xf32> -> tensor<3x3xf32>
  return %rows : tensor<3x3xf32>
}

// CHECK: nn.param @differ_by_sample_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @differ_by_sample(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}) -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}0, 1, 2, 3], [0, 1, 2, 2]]> : tensor<2x4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @differ_by_sample_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<2x4xi64>, tensor<10x3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x4x3xf32>
nn.param @differ_by_sample_t : tensor<10x3xf32> init normal
func.func @differ_by_sample(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<2x4x3xf32> {
  %c = nn.constant dense<[[0, 1, 2, 3], [0, 1, 2, 2]]> : tensor<2x4xi64>
  %differ_by_sample_t = nn.read @differ_by_sample_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %differ_by_sample_t
      : tensor<2x4xi64>, tensor<10x3xf32> -> tensor<2x4x3xf32>
  return %rows : tensor<2x4x3xf32>
}

// if there are tokens,
// CHECK: nn.param @no_tokens_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @no_tokens(
// CHECK-SAME: ) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @no_tokens_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
nn.param @no_tokens_t : tensor<10x3xf32> init normal
func.func @no_tokens() -> tensor<4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %no_tokens_t = nn.read @no_tokens_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %no_tokens_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// and if tokens have a batch dim.
// CHECK: nn.param @tokens_of_rank_one_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @tokens_of_rank_one(
// CHECK-SAME: %arg0: tensor<4xi64> {nn.role = #nn.role<tokens>}) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @tokens_of_rank_one_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
nn.param @tokens_of_rank_one_t : tensor<10x3xf32> init normal
func.func @tokens_of_rank_one(%tokens: tensor<4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %tokens_of_rank_one_t = nn.read @tokens_of_rank_one_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %tokens_of_rank_one_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// CHECK: nn.param @narrow_ids_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @narrow_ids(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
// CHECK-NEXT: %[[V1:.*]] = nn.read @narrow_ids_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<4xi32>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
nn.param @narrow_ids_t : tensor<10x3xf32> init normal
func.func @narrow_ids(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>})
    -> tensor<4x3xf32> {
  %c = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %narrow_ids_t = nn.read @narrow_ids_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %narrow_ids_t
      : tensor<4xi32>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// CHECK: nn.param @ids_given_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @ids_given(
// CHECK-SAME: %arg0: tensor<2x4xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<4xi64>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @ids_given_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.embedding %arg1, %[[V0]] : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x3xf32>
nn.param @ids_given_t : tensor<10x3xf32> init normal
func.func @ids_given(%tokens: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                     %ids: tensor<4xi64>)
    -> tensor<4x3xf32> {
  %ids_given_t = nn.read @ids_given_t : tensor<10x3xf32>
  %rows = nn.embedding %ids, %ids_given_t
      : tensor<4xi64>, tensor<10x3xf32> -> tensor<4x3xf32>
  return %rows : tensor<4x3xf32>
}

// CHECK: nn.param @one_id_t : tensor<10x3xf32> init normal
// CHECK-LABEL: func.func @one_id(
// CHECK-SAME: %arg0: tensor<2x1xi64> {nn.role = #nn.role<tokens>}) -> tensor<3xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0> : tensor<i64>
// CHECK-NEXT: %[[V1:.*]] = nn.read @one_id_t : tensor<10x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.embedding %[[V0]], %[[V1]] : tensor<i64>, tensor<10x3xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3xf32>
nn.param @one_id_t : tensor<10x3xf32> init normal
func.func @one_id(%tokens: tensor<2x1xi64> {nn.role = #nn.role<tokens>})
    -> tensor<3xf32> {
  %c = nn.constant dense<0> : tensor<i64>
  %one_id_t = nn.read @one_id_t : tensor<10x3xf32>
  %rows = nn.embedding %c, %one_id_t
      : tensor<i64>, tensor<10x3xf32> -> tensor<3xf32>
  return %rows : tensor<3xf32>
}

// A parameter that is read in one other shape gets that shape,
// CHECK: nn.param @reshaped_w : tensor<6x2x4xf32> init normal source <name = "reshaped_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 4, 1], valid = [6, 2, 4]> copies [<name = "reshaped_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 4, 1], valid = [6, 2, 4]>]
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: ) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reshaped_w : tensor<6x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x2x4xf32>
nn.param @reshaped_w : tensor<6x8xf32> init normal source <name = "reshaped_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "reshaped_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @reshaped() -> tensor<6x2x4xf32> {
  %reshaped_w = nn.read @reshaped_w : tensor<6x8xf32>
  %r = nn.reshape %reshaped_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  return %tanh : tensor<6x2x4xf32>
}

// and matching strides,
// CHECK: nn.param @reshaped_rows_w : tensor<3x2x8xf32> init normal source <name = "reshaped_rows_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [16, 8, 1], valid = [3, 2, 8]> copies [<name = "reshaped_rows_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [16, 8, 1], valid = [3, 2, 8]>]
// CHECK-LABEL: func.func @reshaped_rows(
// CHECK-SAME: ) -> tensor<3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reshaped_rows_w : tensor<3x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<3x2x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x2x8xf32>
nn.param @reshaped_rows_w : tensor<6x8xf32> init normal source <name = "reshaped_rows_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "reshaped_rows_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @reshaped_rows() -> tensor<3x2x8xf32> {
  %reshaped_rows_w = nn.read @reshaped_rows_w : tensor<6x8xf32>
  %r = nn.reshape %reshaped_rows_w : tensor<6x8xf32> -> tensor<3x2x8xf32>
  %tanh = nn.tanh %r : tensor<3x2x8xf32>
  return %tanh : tensor<3x2x8xf32>
}

// CHECK: nn.param @reshaped_both_w : tensor<2x3x4x1x2xf32> init normal source <name = "reshaped_both_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [24, 8, 2, 2, 1], valid = [2, 3, 4, 1, 2]> copies [<name = "reshaped_both_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [24, 8, 2, 2, 1], valid = [2, 3, 4, 1, 2]>]
// CHECK-LABEL: func.func @reshaped_both(
// CHECK-SAME: ) -> tensor<2x3x4x1x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reshaped_both_w : tensor<2x3x4x1x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<2x3x4x1x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x4x1x2xf32>
nn.param @reshaped_both_w : tensor<6x8xf32> init normal source <name = "reshaped_both_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "reshaped_both_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @reshaped_both() -> tensor<2x3x4x1x2xf32> {
  %reshaped_both_w = nn.read @reshaped_both_w : tensor<6x8xf32>
  %r = nn.reshape %reshaped_both_w : tensor<6x8xf32> -> tensor<2x3x4x1x2xf32>
  %tanh = nn.tanh %r : tensor<2x3x4x1x2xf32>
  return %tanh : tensor<2x3x4x1x2xf32>
}

// also if it is read several times.
// CHECK: nn.param @reshaped_twice_w : tensor<6x2x4xf32> init normal source <name = "reshaped_twice_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 4, 1], valid = [6, 2, 4]> copies [<name = "reshaped_twice_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 4, 1], valid = [6, 2, 4]>]
// CHECK-LABEL: func.func @reshaped_twice(
// CHECK-SAME: ) -> (tensor<6x2x4xf32>, tensor<6x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @reshaped_twice_w : tensor<6x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V1]], %[[V1]] : tensor<6x2x4xf32>, tensor<6x2x4xf32>
nn.param @reshaped_twice_w : tensor<6x8xf32> init normal source <name = "reshaped_twice_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "reshaped_twice_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @reshaped_twice() -> (tensor<6x2x4xf32>, tensor<6x2x4xf32>) {
  %reshaped_twice_w = nn.read @reshaped_twice_w : tensor<6x8xf32>
  %r = nn.reshape %reshaped_twice_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  %r1 = nn.reshape %reshaped_twice_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh1 = nn.tanh %r1 : tensor<6x2x4xf32>
  return %tanh, %tanh1 : tensor<6x2x4xf32>, tensor<6x2x4xf32>
}

// CHECK: nn.param @reshaped_without_source_w : tensor<6x2x4xf32> init normal
// CHECK-LABEL: func.func @reshaped_without_source(
// CHECK-SAME: ) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @reshaped_without_source_w : tensor<6x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.tanh %[[V0]] : tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<6x2x4xf32>
nn.param @reshaped_without_source_w : tensor<6x8xf32> init normal
func.func @reshaped_without_source() -> tensor<6x2x4xf32> {
  %reshaped_without_source_w = nn.read @reshaped_without_source_w
      : tensor<6x8xf32>
  %r = nn.reshape %reshaped_without_source_w
      : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  return %tanh : tensor<6x2x4xf32>
}

// Not if it is read in two shapes,
// CHECK: nn.param @two_shapes_w : tensor<6x8xf32> init normal source <name = "two_shapes_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]> copies [<name = "two_shapes_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]>]
// CHECK-LABEL: func.func @two_shapes(
// CHECK-SAME: ) -> (tensor<6x2x4xf32>, tensor<6x4x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @two_shapes_w : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<6x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<6x4x2xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.tanh %[[V3]] : tensor<6x4x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V4]] : tensor<6x2x4xf32>, tensor<6x4x2xf32>
nn.param @two_shapes_w : tensor<6x8xf32> init normal source <name = "two_shapes_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "two_shapes_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @two_shapes() -> (tensor<6x2x4xf32>, tensor<6x4x2xf32>) {
  %two_shapes_w = nn.read @two_shapes_w : tensor<6x8xf32>
  %r = nn.reshape %two_shapes_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  %r1 = nn.reshape %two_shapes_w : tensor<6x8xf32> -> tensor<6x4x2xf32>
  %tanh1 = nn.tanh %r1 : tensor<6x4x2xf32>
  return %tanh, %tanh1 : tensor<6x2x4xf32>, tensor<6x4x2xf32>
}

// also in its own shape,
// CHECK: nn.param @shape_used_w : tensor<6x8xf32> init normal source <name = "shape_used_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]> copies [<name = "shape_used_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]>]
// CHECK-LABEL: func.func @shape_used(
// CHECK-SAME: ) -> (tensor<6x2x4xf32>, tensor<6x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.read @shape_used_w : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<6x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.exp %[[V0]] : tensor<6x8xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<6x2x4xf32>, tensor<6x8xf32>
nn.param @shape_used_w : tensor<6x8xf32> init normal source <name = "shape_used_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "shape_used_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @shape_used() -> (tensor<6x2x4xf32>, tensor<6x8xf32>) {
  %shape_used_w = nn.read @shape_used_w : tensor<6x8xf32>
  %r = nn.reshape %shape_used_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  %exp = nn.exp %shape_used_w : tensor<6x8xf32>
  return %tanh, %exp : tensor<6x2x4xf32>, tensor<6x8xf32>
}

// or if the shape merges dims.
// CHECK: nn.param @merged_shape_w : tensor<6x8xf32> init normal source <name = "merged_shape_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]> copies [<name = "merged_shape_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]>]
// CHECK-LABEL: func.func @merged_shape(
// CHECK-SAME: ) -> tensor<48xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @merged_shape_w : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<48xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<48xf32>
// CHECK-NEXT: return %[[V2]] : tensor<48xf32>
nn.param @merged_shape_w : tensor<6x8xf32> init normal source <name = "merged_shape_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>
    copies [<name = "merged_shape_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @merged_shape() -> tensor<48xf32> {
  %merged_shape_w = nn.read @merged_shape_w : tensor<6x8xf32>
  %r = nn.reshape %merged_shape_w : tensor<6x8xf32> -> tensor<48xf32>
  %tanh = nn.tanh %r : tensor<48xf32>
  return %tanh : tensor<48xf32>
}

// A parameter with padding keeps its shape.
// CHECK: nn.param @padded_w : tensor<6x8xf32> init normal source <name = "padded_w", file = "m.onnx", offset = 64, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [5, 8]> copies [<name = "padded_w_copy", file = "m.onnx", offset = 512, type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0, strides = [8, 1], valid = [6, 8]>]
// CHECK-LABEL: func.func @padded(
// CHECK-SAME: ) -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.read @padded_w : tensor<6x8xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] : tensor<6x8xf32> -> tensor<6x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.tanh %[[V1]] : tensor<6x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6x2x4xf32>
nn.param @padded_w : tensor<6x8xf32> init normal source <name = "padded_w", file = "m.onnx", offset = 64,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [5, 8]>
    copies [<name = "padded_w_copy", file = "m.onnx", offset = 512,
    type = tensor<6x8xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [8, 1], valid = [6, 8]>]
func.func @padded() -> tensor<6x2x4xf32> {
  %padded_w = nn.read @padded_w : tensor<6x8xf32>
  %r = nn.reshape %padded_w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %tanh = nn.tanh %r : tensor<6x2x4xf32>
  return %tanh : tensor<6x2x4xf32>
}
