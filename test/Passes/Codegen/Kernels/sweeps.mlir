// A value that a later pass needs is kept in a row on the stack if it took 8
// instructions or more, and recomputed if it took fewer. Each function that is
// named after an op takes 7 instructions in total; @kept takes 8.
// RUN: pcc-opt %s -rt-tile-kernels -rt-verify-kernels | FileCheck %s

// CHECK-LABEL: func.func private @scale(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @scale(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %s0 = nn.scale %x by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %s4 = nn.scale %s3 by 0.5 : tensor<4x300xf32>
  %s5 = nn.scale %s4 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s5 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s5, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @sum(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @sum(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.sum %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s3 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s3, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @sub(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @sub(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.sub %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s3 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s3, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @mul(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @mul(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.mul %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s3 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s3, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @div(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @div(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.div %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s0 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s0, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @max(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @max(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.max %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s2 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s2, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @sqrt(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @sqrt(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.sqrt %x : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s1 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s1, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @floor(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @floor(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.floor %x : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %s4 = nn.scale %s3 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s4 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s4, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @round(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @round(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.round %x : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %s4 = nn.scale %s3 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s4 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s4, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @relu(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @relu(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.relu %x : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s3 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s3, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @cast(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @cast(%x: tensor<4x300xi64>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.cast %x : tensor<4x300xi64> -> tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %s4 = nn.scale %s3 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s4 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s4, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @bf16(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @bf16(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %b = nn.cast %x : tensor<4x300xf32> -> tensor<4x300xbf16>
  %v = nn.cast %b : tensor<4x300xbf16> -> tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s3 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s3, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @where(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @where(%c: tensor<4x300xi1>, %x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.where %c, %x, %y : tensor<4x300xi1>, tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s2 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s2, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @compare(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @compare(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %c = nn.compare lt %x, %y : tensor<4x300xf32> -> tensor<4x300xi1>
  %v = nn.cast %c : tensor<4x300xi1> -> tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s2 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s2, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @relu_grad(
// CHECK-NOT: memref.alloca() {{.*}} : memref<300xf32>
func.func private @relu_grad(%x: tensor<4x300xf32>, %y: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %v = nn.relu_grad %x, %y : tensor<4x300xf32>
  %s0 = nn.scale %v by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s2 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s2, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// CHECK-LABEL: func.func private @kept(
// CHECK: memref.alloca() {{.*}} : memref<300xf32>
func.func private @kept(%x: tensor<4x300xf32>)
    -> tensor<4x300xf32> attributes {rt.kernel} {
  %s0 = nn.scale %x by 0.5 : tensor<4x300xf32>
  %s1 = nn.scale %s0 by 0.5 : tensor<4x300xf32>
  %s2 = nn.scale %s1 by 0.5 : tensor<4x300xf32>
  %s3 = nn.scale %s2 by 0.5 : tensor<4x300xf32>
  %s4 = nn.scale %s3 by 0.5 : tensor<4x300xf32>
  %s5 = nn.scale %s4 by 0.5 : tensor<4x300xf32>
  %s6 = nn.scale %s5 by 0.5 : tensor<4x300xf32>
  %sum = nn.reduce %s6 [1] : tensor<4x300xf32> -> tensor<4xf32>
  %sums = nn.broadcast %sum [0] : tensor<4xf32> -> tensor<4x300xf32>
  %z = nn.sub %s6, %sums : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}

// A result that was written is read again, even if it is cheap to recompute.
// CHECK-LABEL: func.func private @written(
// CHECK-SAME: %{{.*}}: memref<1200xf32>, %[[A:.*]]: memref<1200xf32>, %{{.*}}: memref<1200xf32>)
// CHECK: %[[ROW:.*]] = memref.subview %[[A]]
// CHECK: linalg.generic {{.*}} outs({{.*}}, %[[ROW]]
// CHECK: linalg.generic {{.*}} ins(%[[ROW]] :
func.func private @written(%x: tensor<4x300xf32>) -> (tensor<4x300xf32>, tensor<4x300xf32>)
    attributes {rt.kernel} {
  %a = nn.scale %x by 2.0 : tensor<4x300xf32>
  %s = nn.softmax %a : tensor<4x300xf32>
  return %a, %s : tensor<4x300xf32>, tensor<4x300xf32>
}

// Rows of up to 16384 are kept.
// CHECK-LABEL: func.func private @longest(
// CHECK: memref.alloca() {{.*}} : memref<16384xf32>
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func private @longest(%x: tensor<4x16384xf32>) -> tensor<4x16384xf32>
    attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<4x16384xf32>
  return %y : tensor<4x16384xf32>
}

// CHECK-LABEL: func.func private @too_long(
// CHECK-NOT: memref<16385xf32>{{$}}
// CHECK: math.exp
// CHECK-NOT: memref<16385xf32>{{$}}
// CHECK: math.exp
func.func private @too_long(%x: tensor<4x16385xf32>) -> tensor<4x16385xf32>
    attributes {rt.kernel} {
  %y = nn.softmax %x : tensor<4x16385xf32>
  return %y : tensor<4x16385xf32>
}

// Three passes: a value that the first keeps is neither recomputed nor kept
// again.
// CHECK-LABEL: func.func private @once(
// CHECK: math.tanh
// CHECK-NOT: math.tanh
func.func private @once(%x: tensor<4x300xf32>) -> tensor<4x300xf32> attributes {rt.kernel} {
  %t = nn.tanh %x : tensor<4x300xf32>
  %y = nn.softmax %t : tensor<4x300xf32>
  %z = nn.sum %y, %t : tensor<4x300xf32>
  return %z : tensor<4x300xf32>
}
