// Attention is masked by the starts of documents. A learned table and a rotation
// use positions that are reset at each document; masks are by index.
// RUN: pcc-opt %s --nn-documents=ends=7,3 | FileCheck %s
// RUN: pcc-opt %s --nn-documents='ends=7 keep-positions' | FileCheck %s --check-prefix=KEPT

// CHECK: module attributes {nn.document_ends = array<i64: 7, 3>}
// KEPT: module attributes {nn.document_ends = array<i64: 7>}
nn.param @wte : tensor<8x4xf32> init normal
nn.param @wpe : tensor<6x4xf32> init normal

// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[IDS:[^:]*]]: tensor<2x6xi64> {nn.name = "ids", nn.role = #nn.role<tokens>},
// CHECK-SAME: %[[STARTS:[^:]*]]: tensor<2x6xi64> {nn.name = "document_starts", nn.role = #nn.role<document_starts>},
// CHECK-SAME: %[[AT:[^:]*]]: tensor<6xi64>
// KEPT-LABEL: func.func @forward(
// KEPT-SAME: %[[STARTS:[^:]*]]: tensor<2x6xi64> {nn.name = "document_starts",
func.func @forward(
    %ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>, nn.name = "ids"},
    %at: tensor<6xi64> {nn.role = #nn.role<positions>, nn.name = "positions"})
    -> (tensor<2x6x8xf32> {nn.name = "logits"}) {
  // CHECK: %[[INDEX:.*]] = nn.broadcast %[[AT]] [1]
  // CHECK: %[[PLACES:.*]] = nn.sub %[[INDEX]], %[[STARTS]] : tensor<2x6xi64>
  // CHECK: %[[WPE:.*]] = nn.read @wpe
  %wte = nn.read @wte : tensor<8x4xf32>
  %wpe = nn.read @wpe : tensor<6x4xf32>
  // CHECK: %[[X:.*]] = nn.embedding %[[IDS]],
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  // CHECK-NEXT: %[[ROWS:.*]] = nn.embedding %[[PLACES]], %[[WPE]] : tensor<2x6xi64>, tensor<6x4xf32> -> tensor<2x6x4xf32>
  // CHECK-NEXT: nn.sum %[[X]], %[[ROWS]]
  // KEPT: %[[TABLE:.*]] = nn.broadcast
  // KEPT: nn.sum %{{.*}}, %[[TABLE]]
  %table = nn.broadcast %wpe [1, 2] : tensor<6x4xf32> -> tensor<2x6x4xf32>
  %h = nn.sum %x, %table : tensor<2x6x4xf32>
  %q = nn.reshape %h : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  // CHECK: nn.rope %{{.*}} positions %[[PLACES]] theta {{.*}} : tensor<2x6x1x4xf32>, tensor<2x6xi64>
  // KEPT: nn.rope %{{.*}} : tensor<2x6x1x4xf32>, tensor<6xi64>
  %r = nn.rope %q positions %at theta 1.0e4 dim 4 : tensor<2x6x1x4xf32>, tensor<6xi64>
  // CHECK: nn.attention causal {{.*}} positions %[[AT]], %[[AT]] starts %[[STARTS]] scale
  // KEPT: nn.attention causal {{.*}} starts %[[STARTS]] scale
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  %y = nn.reshape %o : tensor<2x6x1x4xf32> -> tensor<2x6x4xf32>
  %logits = nn.contract "bsd,vd->bsv" %y, %wte : tensor<2x6x4xf32>, tensor<8x4xf32> -> tensor<2x6x8xf32>
  return %logits : tensor<2x6x8xf32>
}
