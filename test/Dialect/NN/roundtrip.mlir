// Every op is parsed, printed and parsed again.
// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// CHECK: nn.param @w : tensor<8x12xf32> init normal decay source <name = "h.weight"{{.*}}strides = [1, 8], valid = [8, 12]>
nn.param @w : tensor<8x12xf32> init normal decay source <
  name = "h.weight", file = "m.onnx", offset = 64, type = tensor<12x8xf32>,
  file_size = 1000, digest = 7, base = 0, strides = [1, 8],
  valid = [8, 12]>
nn.param @frozen : tensor<4xf32> init file frozen
// CHECK: nn.state @grad.w : tensor<8x12xf32> gradient of @w
nn.state @grad.w : tensor<8x12xf32> gradient of @w
nn.state @loss_sum : tensor<f32> sum

func.func @forward(%ids: tensor<2x4xi64> {nn.role = "tokens"},
                   %x: tensor<2x4x8xf32>) -> tensor<2x4x12xf32> {
  %w = nn.read @w : tensor<8x12xf32>
  // CHECK: nn.contract "bsk,kn->bsn" %{{.*}}, %{{.*}} : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  %y = nn.contract "bsk,kn->bsn" %x, %w
      : tensor<2x4x8xf32>, tensor<8x12xf32> -> tensor<2x4x12xf32>
  %z = nn.gelu tanh %y : tensor<2x4x12xf32>
  %s = nn.sum %y, %z : tensor<2x4x12xf32>
  nn.accumulate %w, @grad.w : tensor<8x12xf32>
  return %s : tensor<2x4x12xf32>
}
