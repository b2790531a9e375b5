// Ops that stay in kernels; epilogues.mlir has ops that become GEMM epilogues.
// RUN: pcc-opt %s --rt-form-epilogues -split-input-file | FileCheck %s
// CHECK-NOT: func.call

// A norm reads the GEMM's result anyway: the bias costs nothing there.
pipe.body @norm (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
    %b: tensor<32xf32>, %g: tensor<32xf32>) -> (tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %r = nn.broadcast %b [1] : tensor<32xf32> -> tensor<64x32xf32>
  %s = nn.sum %p, %r : tensor<64x32xf32>
  %y, %mean, %rstd = nn.layer_norm %s scale %g eps 1.0e-5
      : tensor<64x32xf32>, tensor<32xf32> -> tensor<64xf32>, tensor<64xf32>
  pipe.yield %y : tensor<64x32xf32>
}

// -----

// The library only has gelu with tanh.
pipe.body @exact (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>)
    -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %g = nn.gelu %p : tensor<64x32xf32>
  %q = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %d = nn.gelu_grad %q, %p : tensor<64x32xf32>
  pipe.yield %g, %d : tensor<64x32xf32>, tensor<64x32xf32>
}

// -----

// Columns of gelu's operand would not be a multiple of 8 numbers apart.
pipe.body @narrow (%x: tensor<64x32xf32>, %w: tensor<32x36xf32>)
    -> (tensor<64x36xf32>, tensor<64x36xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<64x32xf32>, tensor<32x36xf32> -> tensor<64x36xf32>
  %g = nn.gelu tanh %p : tensor<64x36xf32>
  pipe.yield %p, %g : tensor<64x36xf32>, tensor<64x36xf32>
}

// -----

// The gradient of a bias would be rounded to bf16 or fp16, as the GEMM's result
// is.
pipe.body @rounded (%d: tensor<64x32xbf16>, %x: tensor<64x32xbf16>)
    -> (tensor<32xf32>, tensor<32x32xbf16>) {
  %c = nn.cast %d : tensor<64x32xbf16> -> tensor<64x32xf32>
  %r = nn.reduce %c [0] : tensor<64x32xf32> -> tensor<32xf32>
  %q = nn.contract "mn,mk->nk" %d, %x
      : tensor<64x32xbf16>, tensor<64x32xbf16> -> tensor<32x32xbf16>
  pipe.yield %r, %q : tensor<32xf32>, tensor<32x32xbf16>
}

// -----

// The sum is over other dims than the GEMM sums over,
pipe.body @other_sum (%d: tensor<64x32xf32>, %x: tensor<64x32xf32>)
    -> (tensor<64xf32>, tensor<32x32xf32>) {
  %r = nn.reduce %d [1] : tensor<64x32xf32> -> tensor<64xf32>
  %q = nn.contract "mn,mk->nk" %d, %x
      : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  pipe.yield %r, %q : tensor<64xf32>, tensor<32x32xf32>
}

// -----

// or it is needed to compute the GEMM's other operand.
pipe.body @too_early (%d: tensor<64x32xf32>, %w: tensor<32x32xf32>)
    -> (tensor<32x32xf32>) {
  %r = nn.reduce %d [0] : tensor<64x32xf32> -> tensor<32xf32>
  %b = nn.broadcast %r [1] : tensor<32xf32> -> tensor<64x32xf32>
  %x = nn.contract "mk,kn->mn" %b, %w
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %q = nn.contract "mn,mk->nk" %d, %x
      : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  pipe.yield %q : tensor<32x32xf32>
}

// -----

// The GEMM's result is a partial sum: each rank would add the bias to it.
dist.mesh @mesh = <["tp"=2]>
#part = #dist.sharding<*, * | sum tp>
pipe.body @parts (%x: tensor<64x32xf32>, %w: tensor<32x32xf32>,
    %b: tensor<32xf32>) -> (tensor<64x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w {dist.shardings = [#part]}
      : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %r = nn.broadcast %b [1] {dist.shardings = [#part]}
      : tensor<32xf32> -> tensor<64x32xf32>
  %s = nn.sum %p, %r {dist.shardings = [#part]} : tensor<64x32xf32>
  pipe.yield %s : tensor<64x32xf32>
}

// -----

// A bias along other dims than the last ones.
pipe.body @rows (%x: tensor<32x32xf32>, %w: tensor<32x32xf32>,
    %b: tensor<32xf32>) -> (tensor<32x32xf32>) {
  %p = nn.contract "mk,kn->mn" %x, %w
      : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %r = nn.broadcast %b [0] : tensor<32xf32> -> tensor<32x32xf32>
  %g = nn.sum %p, %r : tensor<32x32xf32>
  %h = nn.gelu tanh %g : tensor<32x32xf32>
  pipe.yield %h : tensor<32x32xf32>
}
