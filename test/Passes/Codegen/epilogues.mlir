// Ops that are fused into one library call, so that less memory is accessed.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-form-epilogues)" | FileCheck %s
// The fused call computes the same, and so does the program lowered for the
// library.
// RUN: pcc-opt %s --rt-form-epilogues --rt-form-kernels --rt-verify-kernels -o /dev/null

// A bias before an op that no sum can be fused with. The functions are at the
// end.
// CHECK-LABEL: pipe.body @bias
// CHECK-NEXT: %[[S:.*]] = func.call @product_0_bias(%x, %w, %b) {rt.epilogue = #rt.epilogue<bias>}
// CHECK-NEXT: %[[Q:.*]] = nn.contract "mk,kn->mn" %[[S]], %w
// CHECK-NEXT: pipe.yield %[[Q]]
pipe.body @bias (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
    %b: tensor<32xf32>) -> (tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %r = nn.broadcast %b [1] : tensor<32xf32> -> tensor<64x32xf32>
  %s = nn.sum %r, %p : tensor<64x32xf32>
  %q = nn.contract "mk,kn->mn" %s, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  pipe.yield %q : tensor<64x32xf32>
}

// A residual connection, too; without a bias only the sum is fused.
// CHECK-LABEL: pipe.body @residual
// CHECK-NEXT: %[[S:.*]] = func.call @product_1_bias(%x, %w, %b) {rt.epilogue = #rt.epilogue<bias>}
// CHECK-NEXT: %[[T:.*]] = func.call @product_2_none(%[[S]], %w, %x) {rt.epilogue = #rt.epilogue<none>}
// CHECK-NEXT: pipe.yield %[[T]]
pipe.body @residual (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
    %b: tensor<32xf32>) -> (tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %r = nn.broadcast %b [1] : tensor<32xf32> -> tensor<64x32xf32>
  %s = nn.sum %x, %r, %p : tensor<64x32xf32>
  %q = nn.contract "mk,kn->mn" %s, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %t = nn.sum %x, %q : tensor<64x32xf32>
  pipe.yield %t : tensor<64x32xf32>
}

// Gelu, and its operand if the backward pass needs it.
// CHECK-LABEL: pipe.body @gelu
// CHECK-NEXT: %[[G:.*]]:2 = func.call @product_3_gelu(%x, %w, %b) {rt.epilogue = #rt.epilogue<gelu>}
// CHECK-NEXT: pipe.yield %[[G]]#1, %[[G]]#0
pipe.body @gelu (%x: tensor<64x32xbf16>, %w: tensor<32x32xbf16>,
    %b: tensor<32xbf16>) -> (tensor<64x32xbf16>, tensor<64x32xbf16>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xbf16>, tensor<32x32xbf16> -> tensor<64x32xbf16>
  %r = nn.broadcast %b [1] : tensor<32xbf16> -> tensor<64x32xbf16>
  %s = nn.sum %p, %r : tensor<64x32xbf16>
  %g = nn.gelu tanh %s : tensor<64x32xbf16>
  pipe.yield %s, %g : tensor<64x32xbf16>, tensor<64x32xbf16>
}

// CHECK-LABEL: pipe.body @gelu_alone
// CHECK-NEXT: %[[G:.*]] = func.call @product_4_gelu(%x, %w)
// CHECK-NEXT: pipe.yield %[[G]]
pipe.body @gelu_alone (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>)
    -> (tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %g = nn.gelu tanh %p : tensor<64x32xf32>
  pipe.yield %g : tensor<64x32xf32>
}

// The gradient of gelu with the GEMM of its operand; the gradient of the bias
// with that of the weight, whose operand it sums. In-place additions follow at
// once, the bias gradient by a kernel.
// CHECK-LABEL: pipe.body @backward
// CHECK-NEXT: %[[D:.*]] = func.call @product_5_gelu_grad(%dy, %w, %h) {rt.epilogue = #rt.epilogue<gelu_grad>}
// CHECK-NEXT: %[[W:.*]]:2 = func.call @product_6_sum_b(%x, %[[D]]) {rt.epilogue = #rt.epilogue<sum_b>}
// CHECK-NEXT: %[[DW:.*]] = nn.sum %dw, %[[W]]#0 {rt.adds_in_place}
// CHECK-NEXT: %[[DB:.*]] = nn.sum %db, %[[W]]#1
// CHECK-NEXT: pipe.yield %[[D]], %[[DB]], %[[DW]]
pipe.body @backward (%dy: tensor<64x32xbf16>, %w: tensor<32x32xbf16>,
    %h: tensor<64x32xbf16>, %x: tensor<64x32xbf16>, %db: tensor<32xf32>,
    %dw: tensor<32x32xf32>)
    -> (tensor<64x32xbf16>, tensor<32xf32> into 4, tensor<32x32xf32> into 5) {
  %p = nn.contract "mn,kn->mk" %dy, %w
      : tensor<64x32xbf16>, tensor<32x32xbf16> -> tensor<64x32xbf16>
  %d = nn.gelu_grad tanh %p, %h : tensor<64x32xbf16>
  %c = nn.cast %d : tensor<64x32xbf16> -> tensor<64x32xf32>
  %r = nn.reduce %c [0] : tensor<64x32xf32> -> tensor<32xf32>
  %b = nn.sum %db, %r : tensor<32xf32>
  %q = nn.contract "mk,mn->kn" %x, %d
      : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<32x32xf32>
  %s = nn.sum %dw, %q {rt.adds_in_place} : tensor<32x32xf32>
  pipe.yield %d, %b, %s : tensor<64x32xbf16>, tensor<32xf32>, tensor<32x32xf32>
}

// Transposed weights have their gradient's columns on the left.
// CHECK-LABEL: pipe.body @backward_lhs
// CHECK-NEXT: %[[W:.*]]:2 = func.call @product_7_sum_a(%d, %x) {rt.epilogue = #rt.epilogue<sum_a>}
// CHECK-NEXT: pipe.yield %[[W]]#1, %[[W]]#0
pipe.body @backward_lhs (%d: tensor<64x32xbf16>, %x: tensor<64x32xbf16>)
    -> (tensor<32xf32>, tensor<32x32xf32>) {
  %c = nn.cast %d : tensor<64x32xbf16> -> tensor<64x32xf32>
  %r = nn.reduce %c [0] : tensor<64x32xf32> -> tensor<32xf32>
  %q = nn.contract "mn,mk->nk" %d, %x
      : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<32x32xf32>
  pipe.yield %r, %q : tensor<32xf32>, tensor<32x32xf32>
}

// An in-place sum of two GEMM results stays after both. An in-place sum of a
// GEMM result and a reshaped argument moves with the GEMM.
// CHECK-LABEL: pipe.body @added_to
// CHECK-NEXT: %[[W:.*]]:2 = func.call @product_8_sum_b(%x, %d) {rt.epilogue = #rt.epilogue<sum_b>}
// CHECK-NEXT: %[[T:.*]] = nn.reshape %dv
// CHECK-NEXT: %[[U:.*]] = nn.sum %[[T]], %[[W]]#0 {rt.adds_in_place}
// CHECK-NEXT: %[[V:.*]]:2 = func.call @product_8_sum_b(%y, %e) {rt.epilogue = #rt.epilogue<sum_b>}
// CHECK-NEXT: %[[P:.*]] = nn.contract "mk,mn->kn" %z, %x
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[V]]#0, %[[P]] {rt.adds_in_place}
// CHECK-NEXT: pipe.yield %[[W]]#1, %[[V]]#1, %[[U]], %[[S]]
pipe.body @added_to (%d: tensor<64x32xf32>, %e: tensor<64x32xf32>,
    %x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %z: tensor<64x32xf32>,
    %dv: tensor<1024xf32>) -> (tensor<32xf32>, tensor<32xf32>,
    tensor<32x32xf32>, tensor<32x32xf32>) {
  %a = nn.reduce %d [0] : tensor<64x32xf32> -> tensor<32xf32>
  %b = nn.reduce %e [0] : tensor<64x32xf32> -> tensor<32xf32>
  %q = nn.contract "mk,mn->kn" %x, %d
      : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  %r = nn.contract "mk,mn->kn" %y, %e
      : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  %p = nn.contract "mk,mn->kn" %z, %x
      : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  %s = nn.sum %r, %p {rt.adds_in_place} : tensor<32x32xf32>
  %t = nn.reshape %dv : tensor<1024xf32> -> tensor<32x32xf32>
  %u = nn.sum %t, %q {rt.adds_in_place} : tensor<32x32xf32>
  pipe.yield %a, %b, %u, %s : tensor<32xf32>, tensor<32xf32>,
      tensor<32x32xf32>, tensor<32x32xf32>
}

dist.mesh @mesh = <["tp"=2]>

// The sharding attribute stays with the result; equal functions are merged.
// CHECK-LABEL: pipe.body @sharded
// CHECK-NEXT: %[[G:.*]]:2 = func.call @product_3_gelu(%x, %w, %b) {dist.shardings = [#{{.*}}, #{{.*}}], rt.epilogue = #rt.epilogue<gelu>}
#x_tp = #dist.sharding<*, tp>
pipe.body @sharded (%x: tensor<64x32xbf16>, %w: tensor<32x32xbf16>,
    %b: tensor<32xbf16>) -> (tensor<64x32xbf16>, tensor<64x32xbf16>) {
  %p = nn.contract "mk,kn->mn" %x, %w {dist.shardings = [#x_tp]}
      : tensor<64x32xbf16>, tensor<32x32xbf16> -> tensor<64x32xbf16>
  %r = nn.broadcast %b [1] {dist.shardings = [#x_tp]}
      : tensor<32xbf16> -> tensor<64x32xbf16>
  %s = nn.sum %p, %r {dist.shardings = [#x_tp]} : tensor<64x32xbf16>
  %g = nn.gelu tanh %s {dist.shardings = [#x_tp]} : tensor<64x32xbf16>
  pipe.yield %s, %g : tensor<64x32xbf16>, tensor<64x32xbf16>
}

// A function contains the ops that the call replaces.
// CHECK: func.func private @product_3_gelu(%[[X:.*]]: tensor<64x32xbf16>, %[[W:.*]]: tensor<32x32xbf16>, %[[B:.*]]: tensor<32xbf16>) -> (tensor<64x32xbf16>, tensor<64x32xbf16>) attributes {rt.epilogue = #rt.epilogue<gelu>} {
// CHECK-NEXT: %[[P:.*]] = nn.contract "mk,kn->mn" %[[X]], %[[W]]
// CHECK-NEXT: %[[R:.*]] = nn.broadcast %[[B]] [1]
// CHECK-NEXT: %[[S:.*]] = nn.sum %[[P]], %[[R]]
// CHECK-NEXT: %[[G:.*]] = nn.gelu tanh %[[S]]
// CHECK-NEXT: return %[[G]], %[[S]]
