// With if-possible, a vocabulary whose padding would change results is not
// padded, and there is no diagnostic.
// RUN: pcc-opt %s -nn-pad-vocab="multiple=4 if-possible=true" 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error --implicit-check-not=remark

// exp(0) is 1: a loss that the model computes from primitives would count the
// padding.
// CHECK: nn.param @wte : tensor<13x4xf32> init normal{{$}}
nn.param @wte : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  // CHECK: nn.read @wte : tensor<13x4xf32>
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  // CHECK: nn.contract {{.*}} -> tensor<2x6x13xf32>
  %l = nn.contract "bsc,vc->bsv" %x, %w : tensor<2x6x4xf32>, tensor<13x4xf32> -> tensor<2x6x13xf32>
  %e = nn.exp %l : tensor<2x6x13xf32>
  %s = nn.reduce %e [2] : tensor<2x6x13xf32> -> tensor<2x6xf32>
  return
}
