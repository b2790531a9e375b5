// RUN: pcc-opt %s --nn-precision=kind=bf16 | FileCheck %s
// RUN: pcc-opt %s --nn-precision=kind=bf16 --nn-autodiff | FileCheck %s --check-prefix=GRAD

// The scores that choose elements are f32, from the GEMM on that computes them:
// its operands are bf16. Other GEMMs return bf16. Chosen scores are f32, too;
// elements of another value have its type.

// CHECK-LABEL: func.func @loss
// CHECK: %[[INNER:.*]] = nn.contract "bk,kn->bn" %{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<8x8xbf16> -> tensor<4x8xbf16>
// CHECK: %[[LOGITS:.*]] = nn.contract "bk,kn->bn" %[[INNER]], %{{.*}} : tensor<4x8xbf16>, tensor<8x6xbf16> -> tensor<4x6xf32>
// CHECK: %[[SCORES:.*]] = nn.sigmoid %[[LOGITS]] : tensor<4x6xf32>
// CHECK: %[[IDS:.*]] = nn.top_k %[[SCORES]] : tensor<4x6xf32> -> tensor<4x2xi32>
// CHECK: nn.pick %[[SCORES]], %[[IDS]] : tensor<4x6xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK: %[[OTHERS:.*]] = nn.pick %[[INNER]], %[[IDS]] : tensor<4x8xbf16>, tensor<4x2xi32> -> tensor<4x2xbf16>
// CHECK: nn.spread %[[OTHERS]], %[[IDS]] : tensor<4x2xbf16>, tensor<4x2xi32> -> tensor<4x8xbf16>

// The cotangent of the logits is rounded for the GEMMs of the backward pass.
// GRAD-LABEL: func.func @microbatch
// GRAD: %[[D:.*]] = nn.cast %{{.*}} {nn.bwd} : tensor<4x6xf32> -> tensor<4x6xbf16>
// GRAD: nn.contract "bn,kn->bk" %[[D]], %{{.*}} {nn.bwd} : tensor<4x6xbf16>, tensor<8x6xbf16> -> tensor<4x8xbf16>
// GRAD: nn.contract "bk,bn->kn" %{{.*}}, %[[D]] {nn.bwd} : tensor<4x8xbf16>, tensor<4x6xbf16> -> tensor<8x6xf32>
module {
  nn.param @w : tensor<8x8xf32> init normal decay
  nn.param @gate : tensor<8x6xf32> init normal decay
  func.func @loss(%x: tensor<4x8xf32> {nn.role = #nn.role<data>, nn.name = "x"})
      -> (tensor<f32>, tensor<f32>) {
    %w = nn.read @w : tensor<8x8xf32>
    %gate = nn.read @gate : tensor<8x6xf32>
    %inner = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %logits = nn.contract "bk,kn->bn" %inner, %gate : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
    %scores = nn.sigmoid %logits : tensor<4x6xf32>
    %ids = nn.top_k %scores : tensor<4x6xf32> -> tensor<4x2xi32>
    %gates = nn.pick %scores, %ids : tensor<4x6xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
    %others = nn.pick %inner, %ids : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
    %again = nn.spread %others, %ids : tensor<4x2xf32>, tensor<4x2xi32> -> tensor<4x8xf32>
    %out = nn.contract "bk,kn->bn" %again, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %sum = nn.reduce %out [0, 1] : tensor<4x8xf32> -> tensor<f32>
    %others_sum = nn.reduce %gates [0, 1] : tensor<4x2xf32> -> tensor<f32>
    %loss = nn.sum %sum, %others_sum : tensor<f32>
    %count = nn.constant dense<4.0> : tensor<f32>
    return %loss, %count : tensor<f32>, tensor<f32>
  }
}
