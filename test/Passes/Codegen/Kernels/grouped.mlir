// On devices grouped contractions are kernels. A sum over the rows of groups is
// added to the gradient by its kernel; on CPUs the library adds it.
// RUN: pcc-opt %s --nn-expand-experts=tiles --rt-split-accumulate --rt-form-kernels=partial-sums=4 --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefixes=BOTH,CHECK
// RUN: pcc-opt %s --nn-expand-experts --rt-split-accumulate --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s --check-prefixes=BOTH,CPU

// BOTH-LABEL: pipe.body @body
// BOTH-SAME: (%[[A:.*]]: tensor<6x4xf32>, %[[B:.*]]: tensor<6x8xf32>, %[[ENDS:.*]]: tensor<3xi32>, %[[W:.*]]: tensor<3x8x4xf32>, %[[DW:.*]]: tensor<96xf32>)
// CHECK-DAG: %[[Y:.*]] = func.call @[[ROWS:kernel_[0-9]+_grouped_contract]](%[[A]], %[[W]], %[[ENDS]])
// CHECK-DAG: %[[SUM:.*]] = func.call @[[ADDS:kernel_[0-9]+_grouped_contract_sum]](%[[B]], %[[A]], %[[ENDS]], %[[DW]])
// CHECK: pipe.yield %[[Y]], %[[SUM]]
// CPU-DAG: %[[Y:.*]] = nn.grouped_contract "rk,enk->rn" %[[A]], %[[W]] ends %[[ENDS]] :
// CPU-DAG: %[[P:.*]] = nn.grouped_contract "rn,rk->enk" %[[B]], %[[A]] ends %[[ENDS]] :
// CPU: %[[F:.*]] = nn.reshape %[[P]]
// CPU: %[[SUM:.*]] = nn.sum %[[DW]], %[[F]] {rt.adds_in_place}
// CPU: pipe.yield %[[Y]], %[[SUM]]
pipe.body @body(%a: tensor<6x4xf32>, %b: tensor<6x8xf32>, %ends: tensor<3xi32>, %w: tensor<3x8x4xf32>, %dw: tensor<96xf32>)
    -> (tensor<6x8xf32>, tensor<96xf32> into 4) {
  %y = nn.grouped_contract "rk,enk->rn" %a, %w ends %ends : tensor<6x4xf32>, tensor<3x8x4xf32>, tensor<3xi32> -> tensor<6x8xf32>
  %p = nn.grouped_contract "rn,rk->enk" %b, %a ends %ends : tensor<6x8xf32>, tensor<6x4xf32>, tensor<3xi32> -> tensor<3x8x4xf32>
  %f = nn.reshape %p : tensor<3x8x4xf32> -> tensor<96xf32>
  %s = nn.sum %dw, %f : tensor<96xf32>
  pipe.yield %y, %s : tensor<6x8xf32>, tensor<96xf32>
}

// Elementwise ops before and after are kernels of their own: their results are
// read by tiles.
// BOTH-LABEL: func @apart
// CHECK: %[[X:.*]] = call @[[EXP:kernel_[0-9]+_exp]](%arg0)
// CHECK: %[[Y:.*]] = call @[[ROWS]](%[[X]], %arg1, %arg2)
// CHECK: call @{{kernel_[0-9]+_exp}}(%[[Y]])
func.func @apart(%a: tensor<6x4xf32>, %w: tensor<3x8x4xf32>, %ends: tensor<3xi32>) -> tensor<6x8xf32> {
  %x = nn.exp %a : tensor<6x4xf32>
  %y = nn.grouped_contract "rk,enk->rn" %x, %w ends %ends : tensor<6x4xf32>, tensor<3x8x4xf32>, tensor<3xi32> -> tensor<6x8xf32>
  %z = nn.exp %y : tensor<6x8xf32>
  return %z : tensor<6x8xf32>
}

// CHECK: func.func private @[[ROWS]]({{.*}}) -> tensor<6x8xf32> attributes {rt.kernel}
// CHECK-NEXT: nn.grouped_contract "rk,enk->rn" %arg0, %arg1 ends %arg2 {rt.by_tiles}
// CHECK: func.func private @[[ADDS]]({{.*}}) -> (tensor<96xf32> {rt.inplace = 3 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[P:.*]] = nn.grouped_contract "rn,rk->enk" %arg0, %arg1 ends %arg2 {rt.by_tiles}
// CHECK-NEXT: %[[F:.*]] = nn.reshape %[[P]]
// CHECK-NEXT: nn.sum %arg3, %[[F]]
