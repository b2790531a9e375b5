// Grouping of ops into kernels, and the calls of the kernels.
// RUN: pcc-opt %s -split-input-file --rt-form-kernels --rt-verify-kernels \
// RUN:   | FileCheck %s

// An op merges the kernels of all its operands into one.
// CHECK-LABEL: func.func @joined(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_exp_tanh_sub(%arg0, %arg1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<4x8xf32>
// CHECK: func.func private @kernel_0_exp_tanh_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[TANH:.*]] = nn.tanh %arg1 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %[[EXP]], %[[TANH]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]] : tensor<4x8xf32>
func.func @joined(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = nn.exp %x : tensor<4x8xf32>
  %b = nn.tanh %y : tensor<4x8xf32>
  %c = nn.sub %a, %b : tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// -----

// A value with other users is an additional result.
// CHECK-LABEL: func.func @shared(
// CHECK-NEXT: %[[K0:.*]]:2 = call @kernel_0_exp_sub(%arg0) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %[[K0]]#0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]]#1, %[[CONTRACT]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_exp_sub(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}, tensor<4x8xf32>) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %[[EXP]], %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[EXP]], %[[SUB]] : tensor<4x8xf32>, tensor<4x8xf32>
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.exp %x : tensor<4x8xf32>
  %b = nn.sub %a, %x : tensor<4x8xf32>
  %c = nn.contract "mk,kn->mn" %a, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %b, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Kernels whose results have no common rows stay two.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_softmax(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_exp(%[[K0]]) : (tensor<4x8xf32>) -> tensor<3x8xf32>
// CHECK-NEXT: return %[[K1]] : tensor<3x8xf32>
// CHECK: func.func private @kernel_0_softmax(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SOFTMAX:.*]] = nn.softmax %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SOFTMAX]] : tensor<4x8xf32>
// CHECK: func.func private @kernel_1_exp(%arg0: tensor<4x8xf32>) -> tensor<3x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[SLICE:.*]] = nn.slice %arg0 at [1, 0] step [1, 1] : tensor<4x8xf32> -> tensor<3x8xf32>
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %[[SLICE]] : tensor<3x8xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<3x8xf32>
func.func @rows(%x: tensor<4x8xf32>) -> tensor<3x8xf32> {
  %a = nn.softmax %x : tensor<4x8xf32>
  %b = nn.slice %a at [1, 0] step [1, 1] : tensor<4x8xf32> -> tensor<3x8xf32>
  %c = nn.exp %b : tensor<3x8xf32>
  return %c : tensor<3x8xf32>
}

// -----

// Views: each kernel that needs a view has a copy of the op. A view that a GEMM
// needs is computed.
// CHECK-LABEL: func.func @views(
// CHECK-NEXT: %[[K0:.*]]:2 = call @kernel_0_sum(%arg1, %arg0) : (tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %[[K0]]#1, %arg2 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_mul(%[[CONTRACT]], %[[K0]]#0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,kn->mn" %[[K0]]#0, %arg2 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]]#1, %[[K1]], %[[CONTRACT1]] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_sum(%arg0: tensor<8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 1 : i64}, tensor<4x8xf32>) attributes {rt.kernel}
// CHECK-NEXT: %[[BROADCAST:.*]] = nn.broadcast %arg0 [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %arg1, %[[BROADCAST]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[BROADCAST]], %[[SUM]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_1_mul(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[MUL:.*]] = nn.mul %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[MUL]] : tensor<4x8xf32>
func.func @views(%x: tensor<4x8xf32>, %b: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %v = nn.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32>
  %p = nn.sum %x, %v : tensor<4x8xf32>
  %c = nn.contract "mk,kn->mn" %p, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %q = nn.mul %c, %v : tensor<4x8xf32>
  %d = nn.contract "mk,kn->mn" %v, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %p, %q, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A view of a result leaves the kernel with it.
// CHECK-LABEL: func.func @view_of_result(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_exp(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %[[K0]] [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %[[TRANSPOSE]], %arg1 : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: return %[[CONTRACT]] : tensor<8x4xf32>
// CHECK: func.func private @kernel_0_exp(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<4x8xf32>
func.func @view_of_result(%x: tensor<4x8xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %a = nn.exp %x : tensor<4x8xf32>
  %t = nn.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %c = nn.contract "mk,kn->mn" %t, %w : tensor<8x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// -----

// Collectives stay in order, even with independent operands.
dist.mesh @mesh = <["tp"=2]>
// CHECK-LABEL: func.func @collectives(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_exp(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[ALL_REDUCE:.*]] = dist.all_reduce sum %[[K0]] over ["tp"] : tensor<4x8xf32>
// CHECK-NEXT: %[[ALL_REDUCE1:.*]] = dist.all_reduce sum %arg1 over ["tp"] : tensor<4x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_sub(%[[ALL_REDUCE1]], %[[K0]]) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K1]], %[[ALL_REDUCE]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_exp(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<4x8xf32>
// CHECK: func.func private @kernel_1_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]] : tensor<4x8xf32>
func.func @collectives(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.exp %x : tensor<4x8xf32>
  %c = dist.all_reduce sum %a over ["tp"] : tensor<4x8xf32>
  %d = dist.all_reduce sum %y over ["tp"] : tensor<4x8xf32>
  %b = nn.sub %d, %a : tensor<4x8xf32>
  return %b, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Sums over the rows of one tensor are one kernel, even if one reads others, too.
// CHECK-LABEL: func.func @column_sums(
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[DY:.*]]: tensor<6x8xf32>, %[[Z:.*]]: tensor<6x8xf32>, %[[M:.*]]: tensor<6xf32>, %[[R:.*]]: tensor<6xf32>)
// CHECK-NEXT: %[[K0:.*]]:3 = call @[[BOTH:.*]](%[[DY]], %[[X]], %[[M]], %[[R]]) : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[K1:.*]] = call @[[ALONE:.*]](%[[Z]]) : (tensor<6x8xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %[[K0]]#0, %[[K0]]#1, %[[K0]]#2, %[[K1]] :
// CHECK: func.func private @[[BOTH]](%arg0: tensor<6x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) attributes {rt.kernel}
// CHECK-NEXT: %[[DB:.*]] = nn.reduce %arg0 [0]
// CHECK-NEXT: %[[DS:.*]] = nn.layer_norm_grad_scale %arg0, %arg1 mean %arg2 rstd %arg3
// CHECK: %[[SUM:.*]] = nn.reduce %{{.*}} [0]
// CHECK-NEXT: return %[[DB]], %[[DS]], %[[SUM]] :
// CHECK: func.func private @[[ALONE]](%arg0: tensor<6x8xf32>) -> tensor<8xf32> attributes {rt.kernel}
func.func @column_sums(%x: tensor<6x8xf32>, %dy: tensor<6x8xf32>, %z: tensor<6x8xf32>, %m: tensor<6xf32>, %r: tensor<6xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = nn.reduce %dy [0] : tensor<6x8xf32> -> tensor<8xf32>
  %b = nn.layer_norm_grad_scale %dy, %x mean %m rstd %r : tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<8xf32>
  %e = nn.mul %x, %x : tensor<6x8xf32>
  %c = nn.reduce %e [0] : tensor<6x8xf32> -> tensor<8xf32>
  %d = nn.reduce %z [0] : tensor<6x8xf32> -> tensor<8xf32>
  return %a, %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Results of one kernel are summed by one kernel.
// CHECK-LABEL: func.func @sums_of_parts(
// CHECK-NEXT: %[[K0:.*]]:2 = call @[[PARTS:.*]](%arg0)
// CHECK-NEXT: %[[K1:.*]]:2 = call @[[SUMS:.*]](%[[K0]]#0, %[[K0]]#1) : (tensor<6x8xf32>, tensor<6x8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: return %[[K1]]#0, %[[K1]]#1 :
func.func @sums_of_parts(%x: tensor<6x4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = nn.exp %x : tensor<6x4x8xf32>
  %a = nn.reduce %x [1] : tensor<6x4x8xf32> -> tensor<6x8xf32>
  %b = nn.reduce %e [1] : tensor<6x4x8xf32> -> tensor<6x8xf32>
  %c = nn.reduce %a [0] : tensor<6x8xf32> -> tensor<8xf32>
  %d = nn.reduce %b [0] : tensor<6x8xf32> -> tensor<8xf32>
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}

// -----

// Unused: there is no kernel.
// CHECK-LABEL: func.func @dead(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_sqrt(%arg0) : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: return %[[K0]] : tensor<6x8xf32>
// CHECK: func.func private @kernel_0_sqrt(%arg0: tensor<6x8xf32>) -> (tensor<6x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SQRT:.*]] = nn.sqrt %arg0 : tensor<6x8xf32>
// CHECK-NEXT: return %[[SQRT]] : tensor<6x8xf32>
func.func @dead(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %a = nn.exp %x : tensor<6x8xf32>
  %b = nn.tanh %a : tensor<6x8xf32>
  %c = nn.sqrt %x : tensor<6x8xf32>
  return %c : tensor<6x8xf32>
}

// -----

// A kernel's name has the last three kinds of ops, each once; views are not in
// it unless there is nothing else.
// CHECK-LABEL: func.func @names(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_tanh_sum_sqrt(%arg0, %arg1) : (tensor<6x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_broadcast(%arg1) : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K0]], %[[K1]] : tensor<6x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_tanh_sum_sqrt(%arg0: tensor<6x8xf32>, %arg1: tensor<8xf32>) -> (tensor<6x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<6x8xf32>
// CHECK-NEXT: %[[TANH:.*]] = nn.tanh %[[EXP]] : tensor<6x8xf32>
// CHECK-NEXT: %[[BROADCAST:.*]] = nn.broadcast %arg1 [1] : tensor<8xf32> -> tensor<6x8xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[TANH]], %[[BROADCAST]] : tensor<6x8xf32>
// CHECK-NEXT: %[[SQRT:.*]] = nn.sqrt %[[SUM]] : tensor<6x8xf32>
// CHECK-NEXT: %[[SUM1:.*]] = nn.sum %[[SQRT]], %arg0 : tensor<6x8xf32>
// CHECK-NEXT: return %[[SUM1]] : tensor<6x8xf32>
// CHECK: func.func private @kernel_1_broadcast(%arg0: tensor<8xf32>) -> tensor<4x8xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[BROADCAST:.*]] = nn.broadcast %arg0 [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[BROADCAST]] : tensor<4x8xf32>
func.func @names(%x: tensor<6x8xf32>, %v: tensor<8xf32>) -> (tensor<6x8xf32>, tensor<4x8xf32>) {
  %a = nn.exp %x : tensor<6x8xf32>
  %b = nn.tanh %a : tensor<6x8xf32>
  %k = nn.broadcast %v [1] : tensor<8xf32> -> tensor<6x8xf32>
  %c = nn.sum %b, %k : tensor<6x8xf32>
  %d = nn.sqrt %c : tensor<6x8xf32>
  %e = nn.sum %d, %x : tensor<6x8xf32>
  %l = nn.broadcast %v [1] : tensor<8xf32> -> tensor<4x8xf32>
  return %e, %l : tensor<6x8xf32>, tensor<4x8xf32>
}

// -----

// Equal kernels are one function even if the stages of their ops differ; the
// calls have the stage.
// CHECK-LABEL: func.func @equal(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_exp(%arg0) {nn.stage = 0 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[ALL_REDUCE:.*]] = dist.all_reduce sum %[[K0]] over ["tp"] : tensor<6x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_0_exp(%[[ALL_REDUCE]]) {nn.stage = 1 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: return %[[K0]], %[[K1]] : tensor<6x8xf32>, tensor<6x8xf32>
// CHECK: func.func private @kernel_0_exp(%arg0: tensor<6x8xf32>) -> (tensor<6x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<6x8xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<6x8xf32>
func.func @equal(%x: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %a = nn.exp %x {nn.stage = 0 : i64} : tensor<6x8xf32>
  %c = dist.all_reduce sum %a over ["tp"] : tensor<6x8xf32>
  %b = nn.exp %c {nn.stage = 1 : i64} : tensor<6x8xf32>
  return %a, %b : tensor<6x8xf32>, tensor<6x8xf32>
}
dist.mesh @mesh = <["tp"=2]>

// -----

// More than one op may be in between.
// CHECK-LABEL: func.func @between(
// CHECK-NEXT: %[[K0:.*]]:2 = call @kernel_0_exp_tanh(%arg0) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NEXT: %[[CONTRACT:.*]] = nn.contract "mk,kn->mn" %[[K0]]#0, %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[CONTRACT1:.*]] = nn.contract "mk,kn->mn" %[[CONTRACT]], %arg1 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_sub(%[[K0]]#0, %[[CONTRACT1]]) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[K1]], %[[K0]]#1 : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_0_exp_tanh(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 0 : i64}, tensor<4x8xf32>) attributes {rt.kernel}
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: %[[TANH:.*]] = nn.tanh %[[EXP]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[EXP]], %[[TANH]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: func.func private @kernel_1_sub(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SUB:.*]] = nn.sub %arg0, %arg1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[SUB]] : tensor<4x8xf32>
func.func @between(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = nn.exp %x : tensor<4x8xf32>
  %c = nn.contract "mk,kn->mn" %a, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %d = nn.contract "mk,kn->mn" %c, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %b = nn.sub %a, %d : tensor<4x8xf32>
  %e = nn.tanh %a : tensor<4x8xf32>
  return %b, %e : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// An op that needs whole rows cannot read a value that is not in rows: the view
// is computed first.
// CHECK-LABEL: func.func @columns(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_transpose(%arg0) : (tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_softmax(%[[K0]]) : (tensor<8x6xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: return %[[K1]] : tensor<8x6xf32>
// CHECK: func.func private @kernel_0_transpose(%arg0: tensor<6x8xf32>) -> tensor<8x6xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[TRANSPOSE:.*]] = nn.transpose %arg0 [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
// CHECK-NEXT: return %[[TRANSPOSE]] : tensor<8x6xf32>
// CHECK: func.func private @kernel_1_softmax(%arg0: tensor<8x6xf32>) -> (tensor<8x6xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel}
// CHECK-NEXT: %[[SOFTMAX:.*]] = nn.softmax %arg0 : tensor<8x6xf32>
// CHECK-NEXT: return %[[SOFTMAX]] : tensor<8x6xf32>
func.func @columns(%x: tensor<6x8xf32>) -> tensor<8x6xf32> {
  %t = nn.transpose %x [1, 0] : tensor<6x8xf32> -> tensor<8x6xf32>
  %s = nn.softmax %t : tensor<8x6xf32>
  return %s : tensor<8x6xf32>
}

// -----

// An embedding reads its table from memory, so a constant table is written to
// memory. Other constants are not.
// CHECK-LABEL: func.func @look_up(
// CHECK-NEXT: %[[K0:.*]] = call @kernel_0_constant() : () -> tensor<2x2xf32>
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_embedding_sum(%arg0, %[[K0]]) : (tensor<3xi64>, tensor<2x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: return %[[K1]] : tensor<3x2xf32>
// CHECK: func.func private @kernel_0_constant() -> tensor<2x2xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[CONSTANT:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 5.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT: return %[[CONSTANT]] : tensor<2x2xf32>
// CHECK: func.func private @kernel_1_embedding_sum(%arg0: tensor<3xi64>, %arg1: tensor<2x2xf32>) -> tensor<3x2xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[EMBEDDING:.*]] = nn.embedding %arg0, %arg1 : tensor<3xi64>, tensor<2x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %[[CONSTANT:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 5.000000e+00], [4.000000e+00, 4.500000e+00]]> : tensor<3x2xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[EMBEDDING]], %[[CONSTANT]] : tensor<3x2xf32>
// CHECK-NEXT: return %[[SUM]] : tensor<3x2xf32>
func.func @look_up(%ids: tensor<3xi64>) -> tensor<3x2xf32> {
  %t = nn.constant dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  %e = nn.embedding %ids, %t : tensor<3xi64>, tensor<2x2xf32> -> tensor<3x2xf32>
  %c = nn.constant dense<[[1.0, 2.0], [3.0, 5.0], [4.0, 4.5]]> : tensor<3x2xf32>
  %y = nn.sum %e, %c : tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// A zero that a body returns becomes cleared memory, in any argument or result.
// Dead constants are removed. A zero with another use is computed.
// CHECK-LABEL: pipe.body @zeros
// CHECK-NEXT: %[[CONSTANT:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_constant() : () -> tensor<4xf32>
// CHECK-NEXT: %[[ALL_REDUCE:.*]] = dist.all_reduce sum %[[K0]] over ["tp"] : tensor<4xf32>
// CHECK-NEXT: pipe.yield %[[CONSTANT]], %[[CONSTANT]], %[[K0]], %[[ALL_REDUCE]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK: func.func private @kernel_0_constant() -> tensor<4xf32> attributes {rt.kernel}
// CHECK-NEXT: %[[CONSTANT:.*]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: return %[[CONSTANT]] : tensor<4xf32>
dist.mesh @mesh = <["tp"=2]>
pipe.body @zeros (%s: tensor<4xf32>)
    -> (tensor<4xf32> into 0, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = nn.constant dense<0.0> : tensor<4xf32>
  %dead = nn.constant dense<1.0> : tensor<4xf32>
  %y = nn.constant dense<0.0> : tensor<4xf32>
  %r = dist.all_reduce sum %y over ["tp"] : tensor<4xf32>
  pipe.yield %z, %z, %y, %r
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Bodies are blocks like functions; kernels themselves are left as they are.
// CHECK-LABEL: pipe.body @body
// CHECK-NEXT: %[[K0:.*]] = func.call @kernel_0_exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: pipe.yield %[[K0]] : tensor<4xf32>
pipe.body @body (%x: tensor<4xf32>) -> (tensor<4xf32>) {
  %y = nn.exp %x : tensor<4xf32>
  pipe.yield %y : tensor<4xf32>
}
// CHECK: func.func private @mine(
// CHECK-NEXT: %[[TANH:.*]] = nn.tanh %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[TANH]] : tensor<4xf32>
// CHECK: func.func private @kernel_0_exp(
// CHECK-NEXT: %[[EXP:.*]] = nn.exp %arg0 : tensor<4xf32>
// CHECK-NEXT: return %[[EXP]] : tensor<4xf32>
func.func private @mine(%x: tensor<4xf32>) -> tensor<4xf32> attributes {rt.kernel} {
  %y = nn.tanh %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// In a kernel that sums over rows, no work item could write one number per row:
// there are two kernels, though both read the ids.
// CHECK-LABEL: func.func @ids(
// CHECK-NEXT: %[[K0:.*]]:2 = call @kernel_0_embedding_mul(%arg0, %arg1) : (tensor<5x6xf32>, tensor<1x5x6xf32>) -> (tensor<5xi64>, tensor<1x5x6xf32>)
// CHECK-NEXT: %[[K1:.*]] = call @kernel_1_reduce(%[[K0]]#1) : (tensor<1x5x6xf32>) -> tensor<5x6xf32>
// CHECK-NEXT: return %[[K0]]#0, %[[K1]] : tensor<5xi64>, tensor<5x6xf32>
func.func @ids(%table: tensor<5x6xf32>, %y: tensor<1x5x6xf32>) -> (tensor<5xi64>, tensor<5x6xf32>) {
  %ids = nn.constant dense<[4, 3, 2, 1, 0]> : tensor<5xi64>
  %rows = nn.embedding %ids, %table : tensor<5xi64>, tensor<5x6xf32> -> tensor<5x6xf32>
  %batch = nn.reshape %rows : tensor<5x6xf32> -> tensor<1x5x6xf32>
  %m = nn.mul %y, %batch : tensor<1x5x6xf32>
  %r = nn.reduce %m [0] : tensor<1x5x6xf32> -> tensor<5x6xf32>
  return %ids, %r : tensor<5xi64>, tensor<5x6xf32>
}

// -----

// A value that is summed in a wider type is read in its own type, once: the
// wide elements are not stored.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[GELU:.*]] = call @{{.*}}_gelu_grad(%{{.*}}, %[[X:.*]]) {{.*}} -> tensor<64x16xbf16>
// CHECK-NEXT: call @{{.*}}_layer_norm_grad_scale(%[[GELU]], %[[X]], {{.*}} -> (tensor<16xf32>, tensor<16xf32>)
// CHECK-NEXT: return
func.func @narrow(%dy: tensor<64x16xbf16>, %x: tensor<64x16xbf16>,
    %s: tensor<64xf32>)
    -> (tensor<64x16xbf16>, tensor<16xf32>, tensor<16xf32>) {
  %g = nn.gelu_grad tanh %dy, %x : tensor<64x16xbf16>
  %w = nn.cast %g : tensor<64x16xbf16> -> tensor<64x16xf32>
  %db = nn.reduce %w [0] : tensor<64x16xf32> -> tensor<16xf32>
  %ds = nn.layer_norm_grad_scale %g, %x mean %s rstd %s
      : tensor<64x16xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<16xf32>
  return %g, %db, %ds : tensor<64x16xbf16>, tensor<16xf32>, tensor<16xf32>
}
