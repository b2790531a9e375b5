// Attention by tiles on CPUs stays an op, and becomes a kernel together with
// the views it reads through: q, k and v as slices of one GEMM result.
// RUN: pcc-opt %s -nn-expand-attention | FileCheck %s --check-prefix=KEPT
// RUN: pcc-opt %s -nn-expand-attention -rt-form-kernels -rt-verify-kernels -o %t.mlir
// RUN: FileCheck %s --check-prefix=KERNEL --input-file %t.mlir
// RUN: sed -n '/func.func private @kernel_0/,$p' %t.mlir | sed '1i module {' > %t.kernels.mlir
// RUN: pcc-opt %t.kernels.mlir -rt-verify-kernels -rt-tile-kernels="vector-lanes=4 product-rows=2 product-vectors=1 tile-queries=4 tile-keys=4" -rt-verify-kernels -o %t.tiles.mlir
// RUN: FileCheck %s --check-prefix=TILES --input-file %t.tiles.mlir
// RUN: pcc-opt %t.tiles.mlir -rt-lower-kernels -o /dev/null

// KEPT-LABEL: func @attention
// KEPT: nn.attention causal

// KERNEL-LABEL: func @attention
// KERNEL-SAME: (%[[QKV:.*]]: tensor<2x8x3x2x4xf32>, %[[AT:.*]]: tensor<8xi64>)
// KERNEL-NEXT: %[[R:.*]]:2 = call @kernel_0_attention(%[[QKV]], %[[AT]])
// KERNEL-NEXT: return %[[R]]#0, %[[R]]#1
func.func @attention(%qkv: tensor<2x8x3x2x4xf32>, %at: tensor<8xi64>)
    -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>) {
  %q = nn.select %qkv dim 2 index 0 : tensor<2x8x3x2x4xf32> -> tensor<2x8x2x4xf32>
  %k = nn.select %qkv dim 2 index 1 : tensor<2x8x3x2x4xf32> -> tensor<2x8x2x4xf32>
  %v = nn.select %qkv dim 2 index 2 : tensor<2x8x3x2x4xf32> -> tensor<2x8x2x4xf32>
  %o, %lse = nn.attention causal %q, %k, %v positions %at, %at scale 0.5
      : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  return %o, %lse : tensor<2x8x2x4xf32>, tensor<2x8x2xf32>
}

// The kernel writes the op's result; the GEMM reads it through the transpose.
// KERNEL-LABEL: func @gradient
// KERNEL: %[[G:.*]]:3 = call @kernel_1_attention_grad
// KERNEL-NEXT: %[[T:.*]] = nn.transpose %[[G]]#0 [0, 2, 1, 3]
// KERNEL-NEXT: nn.contract "bhsd,dn->bhsn" %[[T]]
func.func @gradient(%do: tensor<1x5x2x4xf32>, %q: tensor<1x5x2x4xf32>,
                    %k: tensor<1x6x1x4xf32>, %o: tensor<1x5x2x4xf32>,
                    %lse: tensor<1x5x2xf32>, %at: tensor<5xi64>,
                    %to: tensor<6xi64>, %b: tensor<1xi64>, %i: tensor<i64>,
                    %w: tensor<4x7xf32>)
    -> (tensor<1x2x5x7xf32>, tensor<1x6x1x4xf32>, tensor<1x6x1x4xf32>) {
  %dq, %dk, %dv = nn.attention_grad %do, %q, %k, %k result %o lse %lse positions %at, %to samples %b seed %i step %i scale 0.5 {p = 0.25 : f64}
      : (tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>, tensor<1x6x1x4xf32>, tensor<1x6x1x4xf32>, tensor<1x5x2x4xf32>, tensor<1x5x2xf32>, tensor<5xi64>, tensor<6xi64>, tensor<1xi64>, tensor<i64>, tensor<i64>)
      -> (tensor<1x5x2x4xf32>, tensor<1x6x1x4xf32>, tensor<1x6x1x4xf32>)
  %t = nn.transpose %dq [0, 2, 1, 3] : tensor<1x5x2x4xf32> -> tensor<1x2x5x4xf32>
  %y = nn.contract "bhsd,dn->bhsn" %t, %w : tensor<1x2x5x4xf32>, tensor<4x7xf32> -> tensor<1x2x5x7xf32>
  return %y, %dk, %dv : tensor<1x2x5x7xf32>, tensor<1x6x1x4xf32>, tensor<1x6x1x4xf32>
}

// In bf16 and fp16 tiles start at 128 keys; dq is f32 for them, and rounded by
// a cast.
// KEPT-LABEL: func @narrow
// KEPT: %[[DQ:.*]], %{{.*}}, %{{.*}} = nn.attention_grad {{.*}} -> (tensor<1x2x1x8xf32>, tensor<1x128x1x8xbf16>, tensor<1x128x1x8xbf16>)
// KEPT-NEXT: %[[C:.*]] = nn.cast %[[DQ]] {nn.bwd} : tensor<1x2x1x8xf32> -> tensor<1x2x1x8xbf16>
// KEPT-NEXT: return %[[C]]
func.func @narrow(%q: tensor<1x2x1x8xbf16>, %k: tensor<1x128x1x8xbf16>,
                  %lse: tensor<1x2x1xf32>, %at: tensor<2xi64>,
                  %to: tensor<128xi64>) -> tensor<1x2x1x8xbf16> {
  %dq, %dk, %dv = nn.attention_grad %q, %q, %k, %k result %q lse %lse positions %at, %to scale 0.5 {nn.bwd}
      : (tensor<1x2x1x8xbf16>, tensor<1x2x1x8xbf16>, tensor<1x128x1x8xbf16>, tensor<1x128x1x8xbf16>, tensor<1x2x1x8xbf16>, tensor<1x2x1xf32>, tensor<2xi64>, tensor<128xi64>)
      -> (tensor<1x2x1x8xbf16>, tensor<1x128x1x8xbf16>, tensor<1x128x1x8xbf16>)
  return %dq : tensor<1x2x1x8xbf16>
}

// KEPT-LABEL: func @short
// KEPT: nn.masked_softmax
func.func @short(%q: tensor<1x2x1x8xbf16>, %k: tensor<1x127x1x8xbf16>,
                 %at: tensor<2xi64>, %to: tensor<127xi64>)
    -> tensor<1x2x1x8xbf16> {
  %o, %lse = nn.attention %q, %k, %k positions %at, %to scale 0.5
      : (tensor<1x2x1x8xbf16>, tensor<1x127x1x8xbf16>, tensor<1x127x1x8xbf16>, tensor<2xi64>, tensor<127xi64>)
      -> (tensor<1x2x1x8xbf16>, tensor<1x2x1xf32>)
  return %o : tensor<1x2x1x8xbf16>
}

// Tiles read a bias, too; its gradient is computed from whole rows of scores
// and, if it is shared by all queries, summed afterwards.
// KEPT-LABEL: func @biased
// KEPT: nn.attention {{.*}} bias %{{.*}} -> (tensor<2x5x2x4xf32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>)
// KEPT-NEXT: %{{.*}}, %{{.*}}, %{{.*}}, %[[DB:.*]] = nn.attention_grad {{.*}} bias %{{.*}} tensor<1x2x5x6xf32>)
// KEPT-NEXT: %[[SUM:.*]] = nn.reduce %[[DB]] [2] {nn.bwd} : tensor<1x2x5x6xf32> -> tensor<1x2x6xf32>
// KEPT-NEXT: %[[R:.*]] = nn.reshape %[[SUM]] {nn.bwd} : tensor<1x2x6xf32> -> tensor<1x2x1x6xf32>
// KEPT-NEXT: return {{.*}}, %[[R]]
// KERNEL-LABEL: func @biased
// KERNEL: call @kernel_5_attention
// KERNEL: call @kernel_6_attention_grad
func.func @biased(%do: tensor<2x5x2x4xf32>, %q: tensor<2x5x2x4xf32>,
                  %k: tensor<2x6x2x4xf32>, %at: tensor<5xi64>,
                  %to: tensor<6xi64>, %bias: tensor<1x2x1x6xf32>)
    -> (tensor<2x5x2x4xf32>, tensor<1x2x1x6xf32>) {
  %o, %lse, %max = nn.attention %q, %k, %k positions %at, %to bias %bias scale 0.5
      : (tensor<2x5x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<5xi64>, tensor<6xi64>, tensor<1x2x1x6xf32>)
      -> (tensor<2x5x2x4xf32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>)
  %dq, %dk, %dv, %db = nn.attention_grad %do, %q, %k, %k result %o lse %lse max %max positions %at, %to bias %bias scale 0.5 {nn.bwd}
      : (tensor<2x5x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x5x2x4xf32>, tensor<2x5x2xf32>, tensor<2x5x2xf32>, tensor<5xi64>, tensor<6xi64>, tensor<1x2x1x6xf32>)
      -> (tensor<2x5x2x4xf32>, tensor<2x6x2x4xf32>, tensor<2x6x2x4xf32>, tensor<1x2x1x6xf32>)
  return %dq, %db : tensor<2x5x2x4xf32>, tensor<1x2x1x6xf32>
}

// KERNEL: func.func private @kernel_0_attention
// KERNEL-COUNT-3: nn.select
// KERNEL-NEXT: nn.attention causal

// A work item is a head of a sample and one of two tiles of queries. Tiles of
// keys are skipped if none of their positions is at or before one of the
// queries.
// TILES: func.func private @kernel_0_attention(%[[QKV:.*]]: memref<384xf32>, %[[AT:.*]]: memref<8xi64>, %{{.*}}: memref<128xf32>, %{{.*}}: memref<32xf32>)
// TILES-SAME: rt.units = 8
// TILES: scf.forall (%{{.*}}) in (8)
// TILES: vector.load %[[QKV]]
// TILES: scf.for
// TILES: arith.maxsi
// TILES: arith.minsi
// TILES: %[[SEES:.*]] = arith.cmpi sge
// TILES-NEXT: scf.if %[[SEES]]
// A step of the sum: two rows, each a number times a vector.
// TILES: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<4xf32>, vector<4xf32>)
// TILES: %[[F:.*]] = vector.load
// TILES: vector.broadcast
// TILES-NEXT: vector.fma %{{.*}}, %[[F]], %[[A]]
// TILES: vector.broadcast
// TILES-NEXT: vector.fma %{{.*}}, %[[F]], %[[B]]
// TILES: arith.maxnumf
// TILES: math.exp

// Backward, a work item is a key head of a sample.
// TILES: func.func private @kernel_1_attention_grad
// TILES-SAME: rt.units = 1

// A bias without a query dim is one number for a vector of queries.
// TILES: func.func private @kernel_5_attention(
// TILES-SAME: %[[BIAS:[^:]*]]: memref<12xf32>
// TILES: memref.load %[[BIAS]]
// TILES-NEXT: %[[ALL:.*]] = vector.broadcast
// TILES: arith.addf %{{.*}}, %[[ALL]]
// TILES: arith.maxnumf

// The four work items of key heads are followed by those of dbias: two heads,
// two tiles of queries each. They accumulate over the samples.
// TILES: func.func private @kernel_6_attention_grad
// TILES-SAME: rt.units = 8
// TILES: scf.forall (%[[UNIT:.*]]) in (8)
// TILES: %[[HEADS:.*]] = arith.constant 4 : index
// TILES-NEXT: %[[IS:.*]] = arith.cmpi slt, %[[UNIT]], %[[HEADS]]
// TILES-NEXT: scf.if %[[IS]]
// TILES: } else {
// TILES-NEXT: arith.subi %[[UNIT]], %[[HEADS]]
