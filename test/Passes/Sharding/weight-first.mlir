// A weight may be either operand of a contraction.
// RUN: pcc-opt %s -dist-mesh=tp=2 -dist-seed-tensor -dist-seed-sequence -dist-propagate 2>&1 | FileCheck --implicit-check-not=remark %s

// CHECK: nn.param @fc {{.*}}[{}, {"tp"}]
nn.param @fc : tensor<4x8xf32> init normal
// CHECK: nn.param @proj {{.*}}[{"tp"}, {}]
nn.param @proj : tensor<8x4xf32> init normal
func.func @forward(%x: tensor<2x6x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @fc : tensor<4x8xf32>
  // CHECK: nn.contract "cn,bsc->bsn" {{.*}}[{}, {}, {"tp"}]
  %y = nn.contract "cn,bsc->bsn" %w, %x : tensor<4x8xf32>, tensor<2x6x4xf32> -> tensor<2x6x8xf32>
  %p = nn.read @proj : tensor<8x4xf32>
  // CHECK: nn.contract "nc,bsn->bsc" {{.*}}[{}, {"tp"}, {}]
  %z = nn.contract "nc,bsn->bsc" %p, %y : tensor<8x4xf32>, tensor<2x6x8xf32> -> tensor<2x6x4xf32>
  return
}
