// 4 ranks do not divide 13 classes. The tied table gets three rows of zeros,
// the logits three columns; the loss still counts 13 classes. The parameter's
// source says that the file has 13 rows.
// RUN: pcc-opt %s -nn-pad-vocab=multiple=4 2>&1 | FileCheck %s

// CHECK: remark: 'wte' 'tensor<13x4xf32>' is padded with zeros to 'tensor<16x4xf32>'
// CHECK: nn.param @wte : tensor<16x4xf32> init normal source <name = "wte", {{.*}}type = tensor<13x4xf32>, {{.*}}strides = [4, 1], valid = [13, 4]>
nn.param @wte : tensor<13x4xf32> init normal
func.func @loss(%tokens: tensor<2x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
                %targets: tensor<2x6xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
    -> tensor<2x6xf32> {
  // CHECK: %[[W:.*]] = nn.read @wte : tensor<16x4xf32>
  %w = nn.read @wte : tensor<13x4xf32>
  // CHECK-NEXT: %[[X:.*]] = nn.embedding %{{.*}}, %[[W]] : tensor<2x6xi64>, tensor<16x4xf32> -> tensor<2x6x4xf32>
  %x = nn.embedding %tokens, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  // CHECK-NEXT: %[[L:.*]] = nn.contract "bsc,vc->bsv" %[[X]], %[[W]] : tensor<2x6x4xf32>, tensor<16x4xf32> -> tensor<2x6x16xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  // CHECK-NEXT: nn.cross_entropy %[[L]], %{{.*}} classes 13 : tensor<2x6x16xf32>, tensor<2x6xi64> -> tensor<2x6xf32>
  %loss, %lse = nn.cross_entropy %l, %targets classes 13 : tensor<2x6x13xf32>, tensor<2x6xi64> -> tensor<2x6xf32>
  return %loss : tensor<2x6xf32>
}
