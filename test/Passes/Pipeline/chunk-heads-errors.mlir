// Heads that cannot be computed in chunks: an error where chunks are asked for.
// RUN: not pcc-opt %s -split-input-file -pipe-chunk-heads=chunks=2 2>&1 | FileCheck %s
// RUN: pcc-opt %s -split-input-file -pipe-chunk-heads | FileCheck %s --check-prefix=AUTO

// The gradient needs the loss of all tokens. The logits have 1 GiB: without
// --head-chunks they stay whole, and the module says why.
// CHECK: error: --head-chunks 2: the head cannot be computed in chunks of tokens: 'nn.broadcast' needs a sum over all tokens
// AUTO: module attributes {nn.whole_head = "'nn.broadcast' needs a sum over all tokens"}
// AUTO-NOT: nn.chunk
module {
nn.param @w : tensor<65536x8xf32> init normal
func.func @microbatch(%x: tensor<2x2048x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                      %t: tensor<2x2048xi64> {nn.name = "t", nn.role = #nn.role<targets>}) {
  %w = nn.read @w : tensor<65536x8xf32>
  %logits = nn.contract "bsk,nk->bsn" %x, %w : tensor<2x2048x8xf32>, tensor<65536x8xf32> -> tensor<2x2048x65536xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 65536 : tensor<2x2048x65536xf32>, tensor<2x2048xi64> -> tensor<2x2048xf32>
  %sum = nn.reduce %loss [0, 1] : tensor<2x2048xf32> -> tensor<f32>
  %d = nn.broadcast %sum [] {nn.bwd} : tensor<f32> -> tensor<2x2048xf32>
  %g = nn.cross_entropy_grad %d, %logits, %t lse %lse classes 65536 {nn.bwd} : tensor<2x2048xf32>, tensor<2x2048x65536xf32>, tensor<2x2048xi64>
  return
}
}

// -----

// Another op reads the logits, and relates tokens to each other.
// CHECK: error: --head-chunks 2: the head cannot be computed in chunks of tokens: 'nn.softmax' needs all tokens
module {
nn.param @w : tensor<16x8xf32> init normal
nn.state @loss_sum : tensor<f32> sum
func.func @microbatch(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                      %t: tensor<4xi64> {nn.name = "t", nn.role = #nn.role<targets>}) {
  %w = nn.read @w : tensor<16x8xf32>
  %logits = nn.contract "bk,nk->bn" %x, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 : tensor<4x16xf32>, tensor<4xi64> -> tensor<4xf32>
  %turned = nn.transpose %logits [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
  %all = nn.softmax %turned : tensor<16x4xf32>
  return
}
}

// -----

// CHECK: error: --head-chunks 2: the head cannot be computed in chunks of tokens: the logits are an input
module {
func.func @microbatch(%logits: tensor<4x16xf32> {nn.name = "x", nn.role = #nn.role<data>},
                      %t: tensor<4xi64> {nn.name = "t", nn.role = #nn.role<targets>}) {
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 : tensor<4x16xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}
}

// -----

// CHECK: error: --head-chunks 2: a microbatch has 1 row of logits on a rank
module {
nn.param @w : tensor<16x8xf32> init normal
func.func @microbatch(%x: tensor<1x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                      %t: tensor<1xi64> {nn.name = "t", nn.role = #nn.role<targets>}) {
  %w = nn.read @w : tensor<16x8xf32>
  %logits = nn.contract "bk,nk->bn" %x, %w : tensor<1x8xf32>, tensor<16x8xf32> -> tensor<1x16xf32>
  %loss, %lse = nn.cross_entropy %logits, %t classes 16 : tensor<1x16xf32>, tensor<1xi64> -> tensor<1xf32>
  return
}
}

// -----

// CHECK: error: --head-chunks 2: the loss is no cross-entropy of logits
module {
nn.state @loss_sum : tensor<f32> sum
func.func @microbatch(%x: tensor<4x8xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %square = nn.mul %x, %x : tensor<4x8xf32>
  %sum = nn.reduce %square [0, 1] : tensor<4x8xf32> -> tensor<f32>
  nn.accumulate %sum, @loss_sum : tensor<f32>
  return
}
}
