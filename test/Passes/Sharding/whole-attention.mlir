// Attention whose heads come from no weight runs whole on each tensor-parallel
// rank. The compile succeeds, with one warning for all layers with the same
// reason.
// RUN: pcc-opt %s -dist-mesh=tp=2 -dist-seed-tensor -dist-propagate --mlir-print-op-on-diagnostic=false 2>&1 | FileCheck %s

// CHECK: warning: attention 'nn.attention' runs whole on each of 2 tensor-parallel ranks ({{[0-9.e+]*}} FLOPs forward): no weight of its own has the heads as a dim
// CHECK: note: --tp splits the other layers; use --tp 1, and --dp or --pp, to have no rank repeat another's work
nn.param @up : tensor<8x16xf32> init normal
nn.param @down : tensor<16x8xf32> init normal
func.func @forward(%q: tensor<2x6x4x2xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %o, %lse = nn.attention %q, %q, %q positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  %x = nn.reshape %o : tensor<2x6x4x2xf32> -> tensor<2x6x8xf32>
  %up = nn.read @up : tensor<8x16xf32>
  %h = nn.contract "bsc,cm->bsm" %x, %up : tensor<2x6x8xf32>, tensor<8x16xf32> -> tensor<2x6x16xf32>
  %a = nn.gelu %h : tensor<2x6x16xf32>
  %down = nn.read @down : tensor<16x8xf32>
  %y = nn.contract "bsm,mc->bsc" %a, %down : tensor<2x6x16xf32>, tensor<16x8xf32> -> tensor<2x6x8xf32>
  return
}
