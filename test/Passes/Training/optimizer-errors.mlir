// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-optimizer

// expected-error@+1 {{has no state @loss_sum; run --nn-autodiff first}}
module {
}

// -----

// expected-error@+1 {{has no gradient; run --nn-autodiff first}}
module {
  nn.state @loss_sum : tensor<f32> sum
  nn.state @target_count : tensor<f32> sum
}

// -----

// expected-error@+2 {{cannot train 'w' of 'bf16'}}
// expected-note@+1 {{needs f32 master weights, which are not supported yet; parameters must be f32}}
nn.param @w : tensor<4xbf16> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<4xf32> gradient of @w

// -----

// expected-error@+1 {{has an @update already}}
module {
  nn.state @loss_sum : tensor<f32> sum
  nn.state @target_count : tensor<f32> sum
  func.func @update() {
    return
  }
}
