// The ops that make or read the logits of a head get the extents of a chunk.
// RUN: pcc-opt %s -split-input-file -pipe-chunk-heads=chunks=2 | FileCheck %s
// RUN: pcc-opt %s -split-input-file -pipe-chunk-heads=chunks=8 | FileCheck %s --check-prefix=EIGHT
// RUN: pcc-opt %s -split-input-file -pipe-chunk-heads | FileCheck %s --check-prefix=SMALL
// Few logits stay whole.
// SMALL-NOT: nn.chunk

// tp splits the vocabulary, and sequence parallelism the tokens. The statistics
// of the loss are reduced between ops of the head. The gradients of the product
// are made with it; the gather for that of the weight is the forward pass's. The
// reduction of the input's gradient belongs to the backward pass.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<16x8xf32> init normal {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>, dist.global = tensor<32x8xf32>}
nn.state @grad.w : tensor<16x8xf32> gradient of @w {dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>, dist.global = tensor<32x8xf32>}
nn.param @p : tensor<2x2x8xf32> init one
nn.state @loss_sum : tensor<f32> sum

// CHECK-LABEL: func.func @microbatch(
// CHECK: %[[X:.*]] = nn.mul
// CHECK: %[[ALL:.*]] = dist.all_gather %[[X]] dim 1 over ["tp"] :
// CHECK-NOT: nn.chunk
// CHECK: %[[LOGITS:.*]] = nn.contract "bsk,nk->bsn" %[[ALL]], {{.*}} {nn.chunk = array<i64: 1, 4>}
// CHECK: %[[MAX:.*]] = nn.row_max %[[LOGITS]] {{.*}} {nn.chunk = array<i64: 1, 4>}
// CHECK: dist.all_reduce max %[[MAX]] over ["tp"] {nn.chunk = array<i64: 1, 4>}
// CHECK: nn.cross_entropy_stats {{.*}} {nn.chunk = array<i64: 1, 4>}
// CHECK: dist.all_reduce sum {{.*}} over ["tp"] {nn.chunk = array<i64: 1, 4>}
// CHECK: %[[LOSS:.*]], %{{.*}} = nn.cross_entropy_loss {{.*}} {nn.chunk = array<i64: 1, 4>}
// CHECK: nn.reduce %[[LOSS]] [0, 1] :
// CHECK: %[[GRAD:.*]] = nn.cross_entropy_grad {{.*}} {nn.bwd, nn.chunk = array<i64: 1, 4>}
// CHECK: %[[DX:.*]] = nn.contract "bsn,nk->bsk" %[[GRAD]], {{.*}} {nn.bwd, nn.chunk = array<i64: 1, 4>}
// CHECK: dist.reduce_scatter %[[DX]] dim 1 over ["tp"] {nn.bwd}
// CHECK-NOT: dist.all_gather
// CHECK: nn.contract "bsk,bsn->nk" %[[ALL]], %[[GRAD]] {nn.bwd, nn.chunk = array<i64: 1, 4>}

// As many chunks as tokens: a chunk is one position of a sample.
// EIGHT: nn.contract {{.*}} {nn.chunk = array<i64: 1, 1>}
func.func @microbatch(%x: tensor<2x2x8xf32> {nn.name = "x", nn.role = #nn.role<data>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}, {}]>},
                      %t: tensor<2x4xi64> {nn.name = "t", nn.role = #nn.role<targets>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
  %w = nn.read @w : tensor<16x8xf32>
  %p = nn.read @p : tensor<2x2x8xf32>
  %y = nn.mul %x, %p : tensor<2x2x8xf32>
  %all = dist.all_gather %y dim 1 over ["tp"] : tensor<2x2x8xf32> -> tensor<2x4x8xf32>
  %logits = nn.contract "bsk,nk->bsn" %all, %w : tensor<2x4x8xf32>, tensor<16x8xf32> -> tensor<2x4x16xf32>
  %o = dist.offset ["tp"] by 16 : tensor<i64>
  %m = nn.row_max %logits offset %o : tensor<i64> classes 32 : tensor<2x4x16xf32> -> tensor<2x4xf32>
  %max = dist.all_reduce max %m over ["tp"] : tensor<2x4xf32>
  %s = nn.cross_entropy_stats %logits, %t max %max offset %o : tensor<i64> classes 32 : tensor<2x4x16xf32>, tensor<2x4xi64>, tensor<2x4xf32> -> tensor<2x2x4xf32>
  %stats = dist.all_reduce sum %s over ["tp"] : tensor<2x2x4xf32>
  %loss, %lse = nn.cross_entropy_loss %stats max %max, %t : tensor<2x2x4xf32>, tensor<2x4xf32>, tensor<2x4xi64>
  %sum = nn.reduce %loss [0, 1] : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %sum, @loss_sum : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32> {nn.bwd}
  %d = nn.broadcast %one [] {nn.bwd} : tensor<f32> -> tensor<2x4xf32>
  %g = nn.cross_entropy_grad %d, %logits, %t lse %lse offset %o : tensor<i64> classes 32 {nn.bwd} : tensor<2x4xf32>, tensor<2x4x16xf32>, tensor<2x4xi64>
  %dx = nn.contract "bsn,nk->bsk" %g, %w {nn.bwd} : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32>
  %dx0 = dist.reduce_scatter %dx dim 1 over ["tp"] {nn.bwd} : tensor<2x4x8xf32> -> tensor<2x2x8xf32>
  %again = dist.all_gather %y dim 1 over ["tp"] {nn.bwd} : tensor<2x2x8xf32> -> tensor<2x4x8xf32>
  %dw = nn.contract "bsk,bsn->nk" %again, %g {nn.bwd} : tensor<2x4x8xf32>, tensor<2x4x16xf32> -> tensor<16x8xf32>
  nn.accumulate %dw, @grad.w : tensor<16x8xf32> {nn.bwd}
  return
}
