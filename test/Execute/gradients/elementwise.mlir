// RUN: pcc-opt %s --nn-autodiff | pcc-run --check-gradients --loss-from %s --fill 3 --samples 100 | FileCheck %s
// One parameter per op, or two for its two operands. Each result is multiplied
// by different cotangents, so that errors cannot cancel.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-24: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @exp : tensor<2x3xf32> init normal
nn.param @log : tensor<2x3xf32> init one
nn.param @sqrt : tensor<2x3xf32> init one
nn.param @tanh : tensor<2x3xf32> init normal
nn.param @erf : tensor<2x3xf32> init normal
nn.param @sigmoid : tensor<2x3xf32> init normal
nn.param @relu : tensor<2x3xf32> init normal
nn.param @silu : tensor<2x3xf32> init normal
nn.param @gelu : tensor<2x3xf32> init normal
nn.param @gelu_tanh : tensor<2x3xf32> init normal
nn.param @scale : tensor<2x3xf32> init normal
nn.param @cast : tensor<2x3xf32> init normal
nn.param @sum.0 : tensor<2x3xf32> init normal
nn.param @sum.2 : tensor<2x3xf32> init normal
nn.param @sub.0 : tensor<2x3xf32> init normal
nn.param @sub.1 : tensor<2x3xf32> init normal
nn.param @mul.0 : tensor<2x3xf32> init normal
nn.param @mul.1 : tensor<2x3xf32> init normal
nn.param @div.0 : tensor<2x3xf32> init normal
nn.param @div.1 : tensor<2x3xf32> init one
nn.param @max.0 : tensor<2x3xf32> init normal
nn.param @max.1 : tensor<2x3xf32> init normal
nn.param @min.0 : tensor<2x3xf32> init normal
nn.param @min.1 : tensor<2x3xf32> init normal

func.func @loss(%c: tensor<18x2x3xf32> {nn.name = "cotangents"}) -> (tensor<f32>, tensor<f32>) {
  %exp = nn.read @exp : tensor<2x3xf32>
  %log = nn.read @log : tensor<2x3xf32>
  %sqrt = nn.read @sqrt : tensor<2x3xf32>
  %tanh = nn.read @tanh : tensor<2x3xf32>
  %erf = nn.read @erf : tensor<2x3xf32>
  %sigmoid = nn.read @sigmoid : tensor<2x3xf32>
  %relu = nn.read @relu : tensor<2x3xf32>
  %silu = nn.read @silu : tensor<2x3xf32>
  %gelu = nn.read @gelu : tensor<2x3xf32>
  %gelu_tanh = nn.read @gelu_tanh : tensor<2x3xf32>
  %scale = nn.read @scale : tensor<2x3xf32>
  %cast = nn.read @cast : tensor<2x3xf32>
  %sum0 = nn.read @sum.0 : tensor<2x3xf32>
  %sum2 = nn.read @sum.2 : tensor<2x3xf32>
  %sub0 = nn.read @sub.0 : tensor<2x3xf32>
  %sub1 = nn.read @sub.1 : tensor<2x3xf32>
  %mul0 = nn.read @mul.0 : tensor<2x3xf32>
  %mul1 = nn.read @mul.1 : tensor<2x3xf32>
  %div0 = nn.read @div.0 : tensor<2x3xf32>
  %div1 = nn.read @div.1 : tensor<2x3xf32>
  %max0 = nn.read @max.0 : tensor<2x3xf32>
  %max1 = nn.read @max.1 : tensor<2x3xf32>
  %min0 = nn.read @min.0 : tensor<2x3xf32>
  %min1 = nn.read @min.1 : tensor<2x3xf32>
  %0 = nn.exp %exp : tensor<2x3xf32>
  %1 = nn.log %log : tensor<2x3xf32>
  %2 = nn.sqrt %sqrt : tensor<2x3xf32>
  %3 = nn.tanh %tanh : tensor<2x3xf32>
  %4 = nn.erf %erf : tensor<2x3xf32>
  %5 = nn.sigmoid %sigmoid : tensor<2x3xf32>
  %6 = nn.relu %relu : tensor<2x3xf32>
  %7 = nn.silu %silu : tensor<2x3xf32>
  %8 = nn.gelu %gelu : tensor<2x3xf32>
  %9 = nn.gelu tanh %gelu_tanh : tensor<2x3xf32>
  %10 = nn.scale %scale by -1.5 : tensor<2x3xf32>
  %wide = nn.cast %cast : tensor<2x3xf32> -> tensor<2x3xf64>
  %11 = nn.cast %wide : tensor<2x3xf64> -> tensor<2x3xf32>
  // The same operand twice, and an operand that is the other's square.
  %square = nn.mul %sum0, %sum0 : tensor<2x3xf32>
  %12 = nn.sum %sum0, %sum2, %square, %sum0 : tensor<2x3xf32>
  %13 = nn.sub %sub0, %sub1 : tensor<2x3xf32>
  %14 = nn.mul %mul0, %mul1 : tensor<2x3xf32>
  %15 = nn.div %div0, %div1 : tensor<2x3xf32>
  %16 = nn.max %max0, %max1 : tensor<2x3xf32>
  %17 = nn.min %min0, %min1 : tensor<2x3xf32>
  %all = nn.concat %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17 along 0
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
        -> tensor<36x3xf32>
  %rows = nn.reshape %all : tensor<36x3xf32> -> tensor<18x2x3xf32>
  %terms = nn.mul %rows, %c : tensor<18x2x3xf32>
  %l = nn.reduce %terms [0, 1, 2] : tensor<18x2x3xf32> -> tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
