// Attention on a device: blocks of 32 queries, two warps, which go through tiles
// of 32 keys.
// RUN: pcc-opt %s --rt-lower-kernels-to-gpu -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=WIDE
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=NARROW
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=WINDOW
// RUN: FileCheck %s --input-file %t.mlir --check-prefixes=BACK
// RUN: pcc-opt %t.mlir --canonicalize --cse | FileCheck %s --check-prefix=DROPPED
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=BIAS
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=PADDED
// RUN: FileCheck %s --input-file %t.mlir --check-prefix=TRAINED
// RUN: pcc-opt %t.mlir --gpu-kernels-to-nvvm -o /dev/null

// f32: q is loaded into shared memory once, with zeros after its 20 columns.
// WIDE-LABEL: gpu.func @wide
// WIDE-SAME: known_block_size = array<i32: 64, 1, 1>
// WIDE-SAME: known_grid_size = array<i32: 3, 1, 1>
// WIDE: gpu.dynamic_shared_memory
// WIDE: vector.store {{.*}} : memref<1152xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// Values of a lane: the highest score and the sum of each of four rows, and
// four columns of the results.
// WIDE: scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// WIDE-NEXT: gpu.barrier
// WIDE: gpu.barrier
// Dot products of queries and keys: four numbers of each operand at a time.
// WIDE: scf.for {{.*}} iter_args
// WIDE: vector.load {{.*}} : memref<1152xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// WIDE: arith.mulf {{.*}} fastmath<contract>
// WIDE-NEXT: arith.addf {{.*}} fastmath<contract>
// The lanes of a row exchange their highest scores.
// WIDE: arith.maxnumf
// WIDE: gpu.shuffle xor
// WIDE: math.exp2
// Scores are stored to the warp's rows of shared memory: they are an operand of
// the second GEMM.
// WIDE: nvvm.bar.warp.sync
// WIDE: memref.store
// WIDE: nvvm.bar.warp.sync
// WIDE: math.log
func.func private @wide(%q: tensor<1x32x3x20xf32>, %at: tensor<32xi64>)
    -> (tensor<1x32x3x20xf32>, tensor<1x32x3xf32>) attributes {rt.kernel} {
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x32x3x20xf32>, tensor<1x32x3x20xf32>, tensor<1x32x3x20xf32>, tensor<32xi64>, tensor<32xi64>)
      -> (tensor<1x32x3x20xf32>, tensor<1x32x3xf32>)
  return %o, %lse : tensor<1x32x3x20xf32>, tensor<1x32x3xf32>
}

// bf16, causal: fully masked tiles are skipped, by positions, and fully visible
// ones are not masked. Tensor cores compute the GEMMs, and scores stay in
// registers.
// NARROW-LABEL: gpu.func @narrow
// NARROW: arith.maxsi
// NARROW: scf.for
// NARROW-NEXT: gpu.barrier
// NARROW: arith.minsi
// NARROW: arith.maxsi
// NARROW: %[[SEEN:.*]] = arith.cmpi sge
// NARROW-NEXT: %[[CUT:.*]] = arith.cmpi slt
// NARROW: scf.if %[[SEEN]]
// NARROW: nvgpu.ldmatrix {{.*}}transpose = false
// NARROW: nvvm.mma.sync {{.*}}bf16
// NARROW: scf.if %[[CUT]]
// NARROW: arith.cmpi slt
// NARROW: } else {
// NARROW: math.exp2
// NARROW-NOT: memref.store
// NARROW: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
// NARROW: nvgpu.ldmatrix {{.*}}transpose = true
// NARROW: nvvm.mma.sync
func.func private @narrow(%q: tensor<1x32x3x16xbf16>, %at: tensor<32xi64>)
    -> tensor<1x32x3x16xbf16> attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x32x3x16xbf16>, tensor<1x32x3x16xbf16>, tensor<1x32x3x16xbf16>, tensor<32xi64>, tensor<32xi64>)
      -> (tensor<1x32x3x16xbf16>, tensor<1x32x3xf32>)
  return %o : tensor<1x32x3x16xbf16>
}

// Backward, the first block computes dk and dv of the only key head, and each
// of the others dq of one of the three heads that share it.
// BACK-LABEL: gpu.func @back
// BACK-SAME: known_grid_size = array<i32: 4, 1, 1>
// BACK: %[[ONE:.*]] = arith.constant 1 : index
// BACK: %[[KEYS:.*]] = arith.cmpi slt, %{{.*}}, %[[ONE]]
// BACK-NEXT: scf.if %[[KEYS]]
// The next tile's positions are loaded while this one is computed.
// BACK: scf.for {{.*}}, i32)
// BACK: memref.load {{.*}} : memref<32xi64>
// Rows of the result, which is q here, are read before those of q and its
// cotangent are in shared memory: threads wait for all of them at once.
// BACK: %[[TAKEN:.*]] = vector.load %arg0[
// BACK-NOT: vector.store %[[TAKEN]]
// BACK: vector.load %arg0[
// BACK: vector.store
// BACK: vector.load %arg0[
// BACK: vector.store
// BACK: gpu.barrier
// BACK-NOT: vector.load %arg0[
// BACK: nvvm.mma.sync
// BACK: } else {
// BACK: nvvm.mma.sync
func.func private @back(%q: tensor<1x32x3x16xf16>, %k: tensor<1x32x1x16xf16>,
                        %lse: tensor<1x32x3xf32>, %at: tensor<32xi64>)
    -> (tensor<1x32x3x16xf16>, tensor<1x32x1x16xf16>, tensor<1x32x1x16xf16>)
    attributes {rt.kernel} {
  %dq, %dk, %dv = nn.attention_grad causal %q, %q, %k, %k result %q lse %lse positions %at, %at scale 0.5
      : (tensor<1x32x3x16xf16>, tensor<1x32x3x16xf16>, tensor<1x32x1x16xf16>, tensor<1x32x1x16xf16>, tensor<1x32x3x16xf16>, tensor<1x32x3xf32>, tensor<32xi64>, tensor<32xi64>)
      -> (tensor<1x32x3x16xf16>, tensor<1x32x1x16xf16>, tensor<1x32x1x16xf16>)
  return %dq, %dk, %dv : tensor<1x32x3x16xf16>, tensor<1x32x1x16xf16>, tensor<1x32x1x16xf16>
}

// Dropout: the hashes of a key's position and of a query are computed once. A
// score takes an exclusive or of both, two multiplications, and a comparison.
// DROPPED-LABEL: gpu.func @dropped(
// DROPPED: memref.store {{.*}} : memref<32xi32
// DROPPED: memref.store {{.*}} : memref<32xi32
// DROPPED: %[[WEYL:.*]] = arith.muli %{{.*}}, %c-1640531527_i32
// DROPPED-NEXT: %[[SPREAD:.*]] = arith.addi %[[WEYL]], %c-2048144789_i32
// DROPPED-NEXT: %[[UPPER:.*]] = arith.shrui %[[SPREAD]], %c16_i32
// DROPPED-NEXT: %[[KEY:.*]] = arith.xori %[[SPREAD]], %[[UPPER]]
// DROPPED-NEXT: memref.store %[[KEY]], %[[BROUGHT:.*]][
// DROPPED: math.exp2
// DROPPED: %[[OF_KEY:.*]] = memref.load %[[BROUGHT]][
// DROPPED: %[[H:.*]] = arith.xori %{{.*}}, %[[OF_KEY]]
// DROPPED-NEXT: %[[H1:.*]] = arith.muli %[[H]], %c-2048144789_i32
// DROPPED-NEXT: %[[S:.*]] = arith.shrui %[[H1]], %c13_i32
// DROPPED-NEXT: %[[H2:.*]] = arith.xori %[[H1]], %[[S]]
// DROPPED-NEXT: %[[H3:.*]] = arith.muli %[[H2]], %c-1028477387_i32
// 0.1 of 2^32, and the upper half of that.
// DROPPED-NEXT: %[[H4:.*]] = arith.xori %[[H3]], %c6553_i32
// DROPPED-NEXT: %[[IS:.*]] = arith.cmpi ult, %[[H4]], %c429496729_i32
// DROPPED-NEXT: arith.select %[[IS]], %{{.*}}, %{{.*}} : f32
// DROPPED-NOT: arith.shrui {{.*}}, %c16_i32
// DROPPED: nvvm.mma.sync
func.func private @dropped(%q: tensor<1x32x3x16xbf16>, %at: tensor<32xi64>,
                           %b: tensor<1xi64>, %n: tensor<i64>)
    -> tensor<1x32x3x16xbf16> attributes {rt.kernel} {
  %o, %lse = nn.attention %q, %q, %q positions %at, %at samples %b seed %n step %n head_origin %n scale 0.5 {p = 0.1 : f64, id = 5 : i64}
      : (tensor<1x32x3x16xbf16>, tensor<1x32x3x16xbf16>, tensor<1x32x3x16xbf16>, tensor<32xi64>, tensor<32xi64>, tensor<1xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<1x32x3x16xbf16>, tensor<1x32x3xf32>)
  return %o : tensor<1x32x3x16xbf16>
}

// A bias: two neighbors are read at once, from device memory, and added to the
// scaled scores. Exponentials are of base 2, after the highest score is
// subtracted.
// BIAS-LABEL: gpu.func @biased(
// BIAS: nvvm.mma.sync
// BIAS: %[[TWO:.*]] = vector.load %arg1[%{{.*}}] {alignment = 8 : i64} : memref<3072xf32>, vector<2xf32>
// BIAS-NEXT: %[[B:.*]] = vector.extract %[[TWO]][0]
// BIAS-NEXT: %[[S:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// BIAS-NEXT: %[[X:.*]] = arith.addf %[[S]], %[[B]] fastmath<contract> : f32
// BIAS: %[[MOST:.*]] = arith.maxnumf %[[X]], %
// BIAS: gpu.shuffle xor
// BIAS: %[[NOW:.*]] = arith.maxnumf %arg{{.*}}, %
// BIAS: %[[OVER:.*]] = arith.subf %[[X]], %[[NOW]] : f32
// BIAS: %[[LOG:.*]] = arith.mulf %[[OVER]], %{{.*}} : f32
// BIAS-NEXT: math.exp2 %[[LOG]]
// lse is the log of the sum only, and max the highest score; max is 0 in rows
// where the sum is 0.
// BIAS: %[[ANY:.*]] = arith.cmpf ugt
// BIAS: %[[MAX:.*]] = arith.select %[[ANY]], %{{.*}}#0, %
// BIAS: %[[LSE:.*]] = math.log
// BIAS: memref.store %[[LSE]], %arg4
// BIAS: memref.store %[[MAX]], %arg5
func.func private @biased(%q: tensor<2x32x3x16xbf16>,
                          %bias: tensor<1x3x32x32xf32>, %at: tensor<32xi64>)
    -> (tensor<2x32x3x16xbf16>, tensor<2x32x3xf32>, tensor<2x32x3xf32>)
    attributes {rt.kernel} {
  %o, %lse, %max = nn.attention %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x32x3x16xbf16>, tensor<2x32x3x16xbf16>, tensor<2x32x3x16xbf16>, tensor<32xi64>, tensor<32xi64>, tensor<1x3x32x32xf32>)
      -> (tensor<2x32x3x16xbf16>, tensor<2x32x3xf32>, tensor<2x32x3xf32>)
  return %o, %lse, %max : tensor<2x32x3x16xbf16>, tensor<2x32x3xf32>, tensor<2x32x3xf32>
}

// A bias of padding, the same for all queries, is loaded into shared memory
// with the keys.
// PADDED-LABEL: gpu.func @padded(
// PADDED: %[[WORDS:.*]] = memref.view {{.*}} to memref<32xf32, #gpu.address_space<workgroup>>
// PADDED: scf.for
// PADDED: %[[ONE:.*]] = memref.load %arg1[
// PADDED-NEXT: %[[NUMBER:.*]] = arith.extf %[[ONE]] : bf16 to f32
// PADDED-NEXT: memref.store %[[NUMBER]], %[[WORDS]][
// PADDED: gpu.barrier
// PADDED: nvvm.mma.sync
// PADDED-NOT: load %arg1
// PADDED: memref.load %[[WORDS]][
func.func private @padded(%q: tensor<2x32x3x16xbf16>,
                          %bias: tensor<2x1x1x32xbf16>, %at: tensor<32xi64>)
    -> tensor<2x32x3x16xbf16> attributes {rt.kernel} {
  %o, %lse, %max = nn.attention %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x32x3x16xbf16>, tensor<2x32x3x16xbf16>, tensor<2x32x3x16xbf16>, tensor<32xi64>, tensor<32xi64>, tensor<2x1x1x32xbf16>)
      -> (tensor<2x32x3x16xbf16>, tensor<2x32x3xf32>, tensor<2x32x3xf32>)
  return %o : tensor<2x32x3x16xbf16>
}

// The gradient of a bias of relative positions: the first six blocks (2
// samples of 3 heads) compute dq. Blocks after them have a tile of queries and
// keys of one of the 3 heads, and iterate over the samples.
// TRAINED-LABEL: gpu.func @trained(
// TRAINED-SAME: known_grid_size = array<i32: 9, 1, 1>
// TRAINED: %[[SIX:.*]] = arith.constant 6 : index
// TRAINED: %[[QUERIES:.*]] = arith.cmpi slt, %{{.*}}, %[[SIX]]
// TRAINED-NEXT: scf.if %[[QUERIES]]
// TRAINED: arith.subi %{{.*}}, %[[SIX]]
// A tile whose keys are masked for all queries has a gradient of zeros.
// TRAINED: %[[SEEN:.*]] = arith.cmpi sge
// TRAINED: %[[SUMS:.*]]:16 = scf.if %[[SEEN]]
// TRAINED: %[[TWO:.*]] = arith.constant 2 : index
// TRAINED: scf.for %{{.*}} = %{{.*}} to %[[TWO]] step
// TRAINED-NEXT: gpu.barrier
// TRAINED: math.exp2
// TRAINED: scf.yield
// The tile's rows are stored through shared memory.
// TRAINED: vector.from_elements %[[SUMS]]#0, %[[SUMS]]#1 : vector<2xf32>
// TRAINED: vector.store %{{.*}}, %arg5[%{{.*}}] {alignment = 16 : i64} : memref<3072xf32>, vector<4xf32>
func.func private @trained(%q: tensor<2x32x3x16xf16>,
                           %bias: tensor<1x3x32x32xf32>,
                           %lse: tensor<2x32x3xf32>, %at: tensor<32xi64>)
    -> (tensor<2x32x3x16xf16>, tensor<1x3x32x32xf32>) attributes {rt.kernel} {
  %dq, %dk, %dv, %db = nn.attention_grad causal %q, %q, %q, %q result %q lse %lse max %lse positions %at, %at bias %bias scale 0.5
      : (tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<2x32x3xf32>, tensor<2x32x3xf32>, tensor<32xi64>, tensor<32xi64>, tensor<1x3x32x32xf32>)
      -> (tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<2x32x3x16xf16>, tensor<1x3x32x32xf32>)
  return %dq, %db : tensor<2x32x3x16xf16>, tensor<1x3x32x32xf32>
}

// With a window, tiles before the window of all queries are skipped, too, and
// tiles that begin before that of the last query are masked. A sink is the first
// maximum, and one lane of each row has its exponential.
// WINDOW-LABEL: gpu.func @window
// WINDOW: arith.minsi
// WINDOW: arith.maxsi
// WINDOW: arith.maximumf
// WINDOW: %[[MOST:.*]] = arith.maxnumf
// WINDOW: %[[ONE:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// WINDOW: scf.for {{.*}} = %[[MOST]]{{.*}} = %[[ONE]]
// WINDOW-NEXT: gpu.barrier
// WINDOW: %[[KEYS:.*]] = arith.cmpi sge
// WINDOW: %[[FIRST:.*]] = arith.subi
// WINDOW-NEXT: %[[NEAR:.*]] = arith.cmpi sge, %{{.*}}, %[[FIRST]]
// WINDOW-NEXT: %[[SEEN:.*]] = arith.andi %[[KEYS]], %[[NEAR]]
// WINDOW: %[[LATER:.*]] = arith.cmpi slt
// WINDOW: %[[LAST:.*]] = arith.subi
// WINDOW-NEXT: %[[FAR:.*]] = arith.cmpi slt, %{{.*}}, %[[LAST]]
// WINDOW-NEXT: %[[CUT:.*]] = arith.ori %[[LATER]], %[[FAR]]
// WINDOW: scf.if %[[SEEN]]
// WINDOW: math.tanh
// WINDOW: scf.if %[[CUT]]
// WINDOW: arith.cmpi slt
// WINDOW: arith.subi
// WINDOW-NEXT: arith.cmpi slt
// WINDOW-NEXT: arith.ori
func.func private @window(%q: tensor<1x32x3x20xf32>, %at: tensor<32xi64>,
    %sinks: tensor<3xf32>) -> tensor<1x32x3x20xf32> attributes {rt.kernel} {
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at sinks %sinks scale 0.5 {window = 7 : i64, softcap = 30.0}
      : (tensor<1x32x3x20xf32>, tensor<1x32x3x20xf32>, tensor<1x32x3x20xf32>, tensor<32xi64>, tensor<32xi64>, tensor<3xf32>)
      -> (tensor<1x32x3x20xf32>, tensor<1x32x3xf32>)
  return %o : tensor<1x32x3x20xf32>
}
