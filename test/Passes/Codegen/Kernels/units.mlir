// How kernels are divided into work items: the length of rows, the number of
// work items, and the number that a thread computes at a time (grain).
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// Rows have at least 256 columns if possible: here all dims are one row.
// CHECK: func.func private @short({{.*}}{rt.grain = 17 : i64, rt.kernel, rt.units = 1 : i64}
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: memref.subview {{.*}} [960] [1]
func.func private @short(%x: tensor<6x40x4xf32>)
    -> tensor<6x40x4xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<6x40x4xf32>
  return %y : tensor<6x40x4xf32>
}

// The last two dims have 256 elements: the first dim is the number of work
// items.
// CHECK: func.func private @enough({{.*}}{rt.grain = 64 : i64, rt.kernel, rt.units = 8 : i64}
// CHECK: scf.forall (%{{.*}}) in (8) {
// CHECK: memref.subview {{.*}} [256] [1]
func.func private @enough(%x: tensor<8x4x64xf32>)
    -> tensor<8x4x64xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<8x4x64xf32>
  return %y : tensor<8x4x64xf32>
}

// 255 elements are too few.
// CHECK: func.func private @too_short({{.*}}{rt.grain = 8 : i64, rt.kernel, rt.units = 1 : i64}
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: memref.subview {{.*}} [2040] [1]
func.func private @too_short(%x: tensor<8x5x51xf32>)
    -> tensor<8x5x51xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<8x5x51xf32>
  return %y : tensor<8x5x51xf32>
}

// Rows need not be of a convenient length.
// CHECK: func.func private @too_long({{.*}}{rt.grain = 3 : i64, rt.kernel, rt.units = 512 : i64}
// CHECK: scf.forall (%{{.*}}) in (512) {
// CHECK: memref.subview {{.*}} [4097] [1]
func.func private @too_long(%x: tensor<32x16x4097xf32>)
    -> tensor<32x16x4097xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<32x16x4097xf32>
  return %y : tensor<32x16x4097xf32>
}

// Rows have at most 65536 columns if possible.
// CHECK: func.func private @longest({{.*}}{rt.grain = 1 : i64, rt.kernel, rt.units = 16 : i64}
// CHECK: scf.forall (%{{.*}}) in (16) {
// CHECK: memref.subview {{.*}} [65536] [1]
func.func private @longest(%x: tensor<16x65536xf32>)
    -> tensor<16x65536xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16x65536xf32>
  return %y : tensor<16x65536xf32>
}

// They are longer if the shape has no shorter row of at least two columns.
// CHECK: func.func private @huge({{.*}}{rt.grain = 1 : i64, rt.kernel, rt.units = 16 : i64}
// CHECK: scf.forall (%{{.*}}) in (16) {
// CHECK: memref.subview {{.*}} [65537] [1]
func.func private @huge(%x: tensor<16x65537xf32>)
    -> tensor<16x65537xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16x65537xf32>
  return %y : tensor<16x65537xf32>
}

// One thread would compute a single row: from 16384 elements on, the row is
// split by a divisor.
// CHECK: func.func private @single({{.*}}{rt.grain = 4 : i64, rt.kernel, rt.units = 4 : i64}
// CHECK: scf.forall (%{{.*}}) in (4) {
// CHECK: memref.subview {{.*}} [4096] [1]
func.func private @single(%x: tensor<16384xf32>)
    -> tensor<16384xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16384xf32>
  return %y : tensor<16384xf32>
}

// CHECK: func.func private @smaller({{.*}}{rt.grain = 1 : i64, rt.kernel, rt.units = 1 : i64}
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: memref.subview {{.*}} [16380] [1]
func.func private @smaller(%x: tensor<16380xf32>)
    -> tensor<16380xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16380xf32>
  return %y : tensor<16380xf32>
}

// The same holds for fewer than 16 rows.
// CHECK: func.func private @few({{.*}}{rt.grain = 4 : i64, rt.kernel, rt.units = 8 : i64}
// CHECK: scf.forall (%{{.*}}) in (8) {
// CHECK: memref.subview {{.*}} [3840] [1]
func.func private @few(%x: tensor<15x2048xf32>)
    -> tensor<15x2048xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<15x2048xf32>
  return %y : tensor<15x2048xf32>
}

// CHECK: func.func private @many({{.*}}{rt.grain = 8 : i64, rt.kernel, rt.units = 16 : i64}
// CHECK: scf.forall (%{{.*}}) in (16) {
// CHECK: memref.subview {{.*}} [2048] [1]
func.func private @many(%x: tensor<16x2048xf32>)
    -> tensor<16x2048xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16x2048xf32>
  return %y : tensor<16x2048xf32>
}

// The length is the largest divisor of at most 4096,
// CHECK: func.func private @least({{.*}}{rt.grain = 4 : i64, rt.kernel, rt.units = 17 : i64}
// CHECK: scf.forall (%{{.*}}) in (17) {
// CHECK: memref.subview {{.*}} [3856] [1]
func.func private @least(%x: tensor<65552xf32>)
    -> tensor<65552xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<65552xf32>
  return %y : tensor<65552xf32>
}

// and of at least 256.
// CHECK: func.func private @shortest({{.*}}{rt.grain = 64 : i64, rt.kernel, rt.units = 16411 : i64}
// CHECK: scf.forall (%{{.*}}) in (16411) {
// CHECK: memref.subview {{.*}} [256] [1]
func.func private @shortest(%x: tensor<4201216xf32>)
    -> tensor<4201216xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4201216xf32>
  return %y : tensor<4201216xf32>
}

// If there is no such divisor, the row stays whole.
// CHECK: func.func private @prime({{.*}}{rt.grain = 1 : i64, rt.kernel, rt.units = 1 : i64}
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: memref.subview {{.*}} [16411] [1]
func.func private @prime(%x: tensor<16411xf32>)
    -> tensor<16411xf32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<16411xf32>
  return %y : tensor<16411xf32>
}

// A scalar is a row of one element.
// CHECK: func.func private @one({{.*}}{rt.grain = 16384 : i64, rt.kernel, rt.units = 1 : i64}
// CHECK: scf.forall (%{{.*}}) in (1) {
// CHECK: memref.subview {{.*}} [1] [1]
func.func private @one(%x: tensor<f32>) -> tensor<f32> attributes {rt.kernel} {
  %y = nn.exp %x : tensor<f32>
  return %y : tensor<f32>
}

// CHECK: func.func private @ones({{.*}}{rt.grain = 16384 : i64, rt.kernel, rt.units = 3 : i64}
// CHECK: scf.forall (%{{.*}}) in (3) {
// CHECK: memref.subview {{.*}} [1] [1]
func.func private @ones(%x: tensor<3x1xf32>)
    -> tensor<3x1xf32> attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<3x1xf32>
  return %y : tensor<3x1xf32>
}

// A result may be one number per row.
// CHECK: func.func private @mixed({{.*}}{rt.grain = 32 : i64, rt.kernel, rt.units = 8 : i64}
// CHECK: scf.forall (%{{.*}}) in (8) {
// CHECK: memref.subview {{.*}} [512] [1]
func.func private @mixed(%x: tensor<8x512xf32>, %r: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8x512xf32>) attributes {rt.kernel} {
  %y = nn.exp %r : tensor<8xf32>
  %z = nn.exp %x : tensor<8x512xf32>
  return %y, %z : tensor<8xf32>, tensor<8x512xf32>
}

// Operands count towards the grain, too.
// CHECK: func.func private @entry({{.*}}{rt.grain = 32 : i64, rt.kernel, rt.units = 16 : i64}
// CHECK: scf.forall (%{{.*}}) in (16) {
// CHECK: memref.subview {{.*}} [512] [1]
func.func private @entry(%x: tensor<2x8x512xf32>)
    -> tensor<2x8xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [2] : tensor<2x8x512xf32> -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// A work item of a sum over rows is a block of 64 columns (the last one is
// shorter) of one row of the result.
// CHECK: func.func private @columns({{.*}}{rt.grain = 2 : i64, rt.kernel, rt.units = 3 : i64}
// CHECK: scf.forall (%{{.*}}) in (3) {
func.func private @columns(%x: tensor<100x130xf32>)
    -> tensor<130xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [0] : tensor<100x130xf32> -> tensor<130xf32>
  return %y : tensor<130xf32>
}

// CHECK: func.func private @kept_columns({{.*}}{rt.grain = 25 : i64, rt.kernel, rt.units = 6 : i64}
// CHECK: scf.forall (%{{.*}}) in (6) {
// CHECK: memref.subview {{.*}} [64] [1]
func.func private @kept_columns(%x: tensor<3x10x128xf32>)
    -> tensor<3x128xf32> attributes {rt.kernel} {
  %y = nn.reduce %x [1] : tensor<3x10x128xf32> -> tensor<3x128xf32>
  return %y : tensor<3x128xf32>
}

// Each work item takes all tokens, for its block of columns.
// CHECK: func.func private @scatter({{.*}}{rt.grain = 42 : i64, rt.kernel, rt.units = 3 : i64}
// CHECK: scf.forall (%{{.*}}) in (3) {
func.func private @scatter(%dy: tensor<2x3x130xf32>, %ids: tensor<2x3xi64>)
    -> tensor<7x130xf32> attributes {rt.kernel} {
  %dt = nn.embedding_grad %dy, %ids : tensor<2x3x130xf32>, tensor<2x3xi64> -> tensor<7x130xf32>
  return %dt : tensor<7x130xf32>
}

// All heads of a position are a row.
// CHECK: func.func private @rope({{.*}}{rt.grain = 128 : i64, rt.kernel, rt.units = 6 : i64}
// CHECK: scf.forall (%{{.*}}) in (6) {
// CHECK: memref.subview {{.*}} [32] [1]
func.func private @rope(%x: tensor<2x3x2x64xf32>, %at: tensor<3xi64>)
    -> tensor<2x3x2x64xf32> attributes {rt.kernel} {
  %y = nn.rope %x positions %at theta 1.0e4 dim 64 : tensor<2x3x2x64xf32>, tensor<3xi64>
  return %y : tensor<2x3x2x64xf32>
}
