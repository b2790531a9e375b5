// RUN: pcc-opt %s --dist-working-copies | FileCheck %s

// A rounded parameter is read from a working copy, of which there is one for
// all uses; only @update rounds. Values that are not parameters, or are
// computed from one, are rounded where they are used.

// CHECK: nn.param @w : tensor<4x8xf32>
// CHECK-NEXT: nn.param @frozen : tensor<8xf32>
// CHECK-NEXT: nn.state @grad.w : tensor<4x8xf32> gradient of @w
// CHECK-NEXT: nn.state @copy.w : tensor<4x8xbf16> copy of @w
// CHECK-NEXT: nn.state @copy.frozen : tensor<8xbf16> copy of @frozen
// CHECK-NOT: nn.state
module {
  nn.param @w : tensor<4x8xf32> init normal decay
  nn.param @frozen : tensor<8xf32> init one frozen
  nn.state @grad.w : tensor<4x8xf32> gradient of @w
  // CHECK-LABEL: func.func @microbatch
  func.func @microbatch(%x: tensor<8xf32> {nn.role = #nn.role<data>, nn.name = "x"}) {
    // CHECK-NEXT: %[[FROZEN:.*]] = nn.read @copy.frozen : tensor<8xbf16>
    %frozen = nn.read @frozen : tensor<8xf32>
    // CHECK-NEXT: %[[W:.*]] = nn.read @w : tensor<4x8xf32>
    // CHECK-DAG: %[[H:.*]] = nn.read @copy.w : tensor<4x8xbf16>
    // CHECK-DAG: %[[AGAIN:.*]] = nn.read @copy.w : tensor<4x8xbf16>
    %w = nn.read @w : tensor<4x8xf32>
    // CHECK-DAG: %[[T:.*]] = nn.transpose %{{.*}} [1, 0] {nn.segment = 1 : i64} : tensor<4x8xbf16> -> tensor<8x4xbf16>
    %turned = nn.transpose %w [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %t = nn.cast %turned {nn.segment = 1 : i64} : tensor<8x4xf32> -> tensor<8x4xbf16>
    %h = nn.cast %w : tensor<4x8xf32> -> tensor<4x8xbf16>
    %f = nn.cast %frozen : tensor<8xf32> -> tensor<8xbf16>
    // CHECK: nn.cast %{{.*}} : tensor<8xf32> -> tensor<8xbf16>
    %d = nn.cast %x : tensor<8xf32> -> tensor<8xbf16>
    // CHECK: %[[TWICE:.*]] = nn.scale %[[W]] by 2.000000e+00 : tensor<4x8xf32>
    // CHECK: nn.cast %[[TWICE]] : tensor<4x8xf32> -> tensor<4x8xbf16>
    %twice = nn.scale %w by 2.0 : tensor<4x8xf32>
    %half = nn.cast %twice : tensor<4x8xf32> -> tensor<4x8xbf16>
    // CHECK: nn.contract "kn,n->k" %{{.*}}, %[[FROZEN]]
    %y = nn.contract "kn,n->k" %h, %f : tensor<4x8xbf16>, tensor<8xbf16> -> tensor<4xbf16>
    %z = nn.contract "nk,n->k" %t, %d : tensor<8x4xbf16>, tensor<8xbf16> -> tensor<4xbf16>
    %v = nn.contract "kn,n->k" %half, %d : tensor<4x8xbf16>, tensor<8xbf16> -> tensor<4xbf16>
    %sum = nn.sum %y, %z, %v : tensor<4xbf16>
    %dw = nn.contract "k,n->kn" %sum, %d : tensor<4xbf16>, tensor<8xbf16> -> tensor<4x8xf32>
    nn.accumulate %dw, @grad.w : tensor<4x8xf32>
    return
  }
  // CHECK-LABEL: func.func @update
  func.func @update() {
    // CHECK: %[[OLD:.*]] = nn.read @w : tensor<4x8xf32>
    // CHECK: %[[NEW:.*]] = nn.sub %[[OLD]], %{{.*}} : tensor<4x8xf32>
    // CHECK-NEXT: nn.write %[[NEW]], @w : tensor<4x8xf32>
    // CHECK-NEXT: %[[ROUNDED:.*]] = nn.cast %[[NEW]] : tensor<4x8xf32> -> tensor<4x8xbf16>
    // CHECK-NEXT: nn.write %[[ROUNDED]], @copy.w : tensor<4x8xbf16>
    // CHECK-NOT: copy.frozen
    %w = nn.read @w : tensor<4x8xf32>
    %g = nn.read @grad.w : tensor<4x8xf32>
    %new = nn.sub %w, %g : tensor<4x8xf32>
    nn.write %new, @w : tensor<4x8xf32>
    return
  }
}
