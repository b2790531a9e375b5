// Activation recomputation and residuals of backward passes.
// RUN: pcc-opt %s -split-input-file -pipe-recompute=kind=selective | FileCheck %s --check-prefixes=CHECK,SELECTIVE
// RUN: not pcc-opt %s -split-input-file -pipe-recompute=kind=none 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: the kind of recomputation is 'selective' or 'full', not 'none'
// RUN: pcc-opt %s -split-input-file -pipe-recompute=kind=full | FileCheck %s --check-prefixes=CHECK,FULL

// Segment 1 is a norm and two GEMMs with a gelu between them. Selective keeps
// the first GEMM's result and recomputes the operands of both GEMMs, just
// before their first use. Segment 2 keeps everything: its backward pass runs
// next.
nn.param @s : tensor<8xf32> init one
nn.param @u : tensor<8x16xf32> init normal
nn.param @d : tensor<16x8xf32> init normal
nn.state @grad.s : tensor<8xf32> gradient of @s
nn.state @grad.u : tensor<8x16xf32> gradient of @u
nn.state @grad.d : tensor<16x8xf32> gradient of @d

// CHECK-LABEL: func.func @microbatch(
// CHECK: %[[IN:.*]] = nn.mul {{.*}} {nn.segment = 0 : i64}
// CHECK: nn.rms_norm %[[IN]] {{.*}} {nn.segment = 1 : i64}
// CHECK: %[[UP:.*]] = nn.contract {{.*}} {nn.segment = 1 : i64}
// CHECK: nn.gelu %[[UP]] {nn.segment = 1 : i64}
// CHECK: %[[T:.*]] = nn.tanh {{.*}} {nn.segment = 2 : i64}
// CHECK: %[[DY:.*]] = nn.mul %[[T]], %[[T]] {nn.bwd, nn.segment = 2 : i64}
// CHECK-NEXT: %[[DG:.*]] = nn.contract "bn,kn->bk" %[[DY]],
// SELECTIVE-NEXT: %[[G:.*]] = nn.gelu %[[UP]] {nn.bwd, nn.recomputed, nn.segment = 1 : i64}
// SELECTIVE-NEXT: nn.contract "bk,bn->kn" %[[G]], %[[DY]]
// SELECTIVE: %[[DUP:.*]] = nn.gelu_grad %[[DG]], %[[UP]]
// SELECTIVE-NEXT: nn.contract "bn,kn->bk" %[[DUP]],
// SELECTIVE-NEXT: %[[N:.*]], %[[R:.*]] = nn.rms_norm %[[IN]] {{.*}} {nn.bwd, nn.recomputed, nn.segment = 1 : i64}
// SELECTIVE-NEXT: nn.contract "bk,bn->kn" %[[N]], %[[DUP]]

// Full keeps only the segment's input. Its output %y has no use here, so the
// second GEMM is not recomputed.
// FULL-NEXT: %[[N:.*]], %[[R:.*]] = nn.rms_norm %[[IN]] {{.*}} {nn.bwd, nn.recomputed, nn.segment = 1 : i64}
// FULL-NEXT: %[[UP2:.*]] = nn.contract "bk,kn->bn" %[[N]], {{.*}} {nn.bwd, nn.recomputed, nn.segment = 1 : i64}
// FULL-NEXT: %[[G:.*]] = nn.gelu %[[UP2]] {nn.bwd, nn.recomputed, nn.segment = 1 : i64}
// FULL-NEXT: nn.contract "bk,bn->kn" %[[G]], %[[DY]]
// FULL: %[[DUP:.*]] = nn.gelu_grad %[[DG]], %[[UP2]]
// FULL-NEXT: nn.contract "bn,kn->bk" %[[DUP]],
// FULL-NEXT: nn.contract "bk,bn->kn" %[[N]], %[[DUP]]

// CHECK: nn.rms_norm_grad_scale %{{.*}}, %[[IN]] rstd %[[R]]
// CHECK-NOT: nn.recomputed
func.func @microbatch(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %s = nn.read @s : tensor<8xf32>
  %u = nn.read @u : tensor<8x16xf32>
  %d = nn.read @d : tensor<16x8xf32>
  %w = nn.broadcast %s [1] : tensor<8xf32> -> tensor<4x8xf32>
  %in = nn.mul %x, %w {nn.segment = 0} : tensor<4x8xf32>
  %n, %r = nn.rms_norm %in scale %s eps 1.0e-5 {nn.segment = 1} : tensor<4x8xf32>, tensor<8xf32> -> tensor<4xf32>
  %up = nn.contract "bk,kn->bn" %n, %u {nn.segment = 1} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %g = nn.gelu %up {nn.segment = 1} : tensor<4x16xf32>
  %y = nn.contract "bk,kn->bn" %g, %d {nn.segment = 1} : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %t = nn.tanh %y {nn.segment = 2} : tensor<4x8xf32>
  %dy = nn.mul %t, %t {nn.bwd, nn.segment = 2} : tensor<4x8xf32>
  %dg = nn.contract "bn,kn->bk" %dy, %d {nn.bwd, nn.segment = 1} : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %dd = nn.contract "bk,bn->kn" %g, %dy {nn.bwd, nn.segment = 1} : tensor<4x16xf32>, tensor<4x8xf32> -> tensor<16x8xf32>
  nn.accumulate %dd, @grad.d : tensor<16x8xf32> {nn.bwd, nn.segment = 1}
  %dup = nn.gelu_grad %dg, %up {nn.bwd, nn.segment = 1} : tensor<4x16xf32>
  %dn = nn.contract "bn,kn->bk" %dup, %u {nn.bwd, nn.segment = 1} : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  %du = nn.contract "bk,bn->kn" %n, %dup {nn.bwd, nn.segment = 1} : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  nn.accumulate %du, @grad.u : tensor<8x16xf32> {nn.bwd, nn.segment = 1}
  %ds = nn.rms_norm_grad_scale %dn, %in rstd %r {nn.bwd, nn.segment = 1} : tensor<4x8xf32>, tensor<4xf32> -> tensor<8xf32>
  nn.accumulate %ds, @grad.s : tensor<8xf32> {nn.bwd, nn.segment = 1}
  return
}

// -----

// Residuals of another segment are available to this one, too: of %a and %b,
// which follow from each other and from %in, %b is kept for segment 1, so
// segment 0 keeps nothing itself.
nn.param @w : tensor<4xf32> init normal

// CHECK-LABEL: func.func @microbatch(
// CHECK: %[[A:.*]] = nn.mul
// CHECK: %[[B:.*]] = nn.tanh %[[A]] {nn.segment = 0 : i64}
// CHECK: %[[P:.*]] = nn.mul %[[B]], %[[B]] {nn.segment = 1 : i64}
// CHECK: nn.sub %{{.*}}, %[[B]] {nn.bwd, nn.segment = 1 : i64}
// CHECK: %[[E:.*]] = nn.exp %[[B]] {nn.bwd, nn.recomputed, nn.segment = 0 : i64}
// CHECK-NEXT: nn.mul %{{.*}}, %[[E]] {nn.bwd, nn.segment = 0 : i64}
// CHECK-NEXT: return
func.func @microbatch(%x: tensor<4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4xf32>
  %a = nn.mul %x, %w {nn.segment = 0} : tensor<4xf32>
  %b = nn.tanh %a {nn.segment = 0} : tensor<4xf32>
  %e = nn.exp %b {nn.segment = 0} : tensor<4xf32>
  %p = nn.mul %b, %b {nn.segment = 1} : tensor<4xf32>
  %q = nn.mul %p, %e {nn.segment = 2} : tensor<4xf32>
  %dp = nn.mul %q, %q {nn.bwd, nn.segment = 2} : tensor<4xf32>
  %db = nn.sub %dp, %b {nn.bwd, nn.segment = 1} : tensor<4xf32>
  %de = nn.mul %db, %e {nn.bwd, nn.segment = 0} : tensor<4xf32>
  return
}

// -----

// Choices are saved, not recomputed: a score that differs by rounding could
// choose another element.
nn.param @w : tensor<4x6xf32> init normal

// CHECK-LABEL: func.func @microbatch(
// CHECK: %[[IN:.*]] = nn.mul {{.*}} {nn.segment = 0 : i64}
// CHECK: %[[P:.*]] = nn.softmax %[[IN]] {nn.segment = 0 : i64}
// CHECK: %[[IDS:.*]] = nn.top_k %[[P]] {nn.segment = 0 : i64}
// CHECK: nn.pick %[[P]], %[[IDS]]
// CHECK-NOT: nn.top_k
// CHECK: nn.spread %{{.*}}, %[[IDS]] {nn.bwd, nn.segment = 0 : i64}
// CHECK-NOT: nn.top_k
// CHECK: return
func.func @microbatch(%x: tensor<4x6xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x6xf32>
  %in = nn.mul %x, %w {nn.segment = 0} : tensor<4x6xf32>
  %p = nn.softmax %in {nn.segment = 0} : tensor<4x6xf32>
  %ids = nn.top_k %p {nn.segment = 0} : tensor<4x6xf32> -> tensor<4x2xi32>
  %v = nn.pick %p, %ids {nn.segment = 0} : tensor<4x6xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  %y = nn.tanh %v {nn.segment = 1} : tensor<4x2xf32>
  %dy = nn.mul %y, %y {nn.bwd, nn.segment = 1} : tensor<4x2xf32>
  %dp = nn.spread %dy, %ids {nn.bwd, nn.segment = 0} : tensor<4x2xf32>, tensor<4x2xi32> -> tensor<4x6xf32>
  %dx = nn.softmax_grad %dp, %p {nn.bwd, nn.segment = 0} : tensor<4x6xf32>
  return
}
