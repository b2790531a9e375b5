// Four tensor-parallel ranks for attentions with various numbers of heads.
// There are two axes if the ranks are a multiple of the key/value heads and
// divide the query heads.
// RUN: pcc-opt %s -split-input-file -dist-mesh=tp=4 | FileCheck %s

// Enough key/value heads: one axis.
// CHECK: dist.mesh @mesh = <["tp"=4]>
func.func @forward(%q: tensor<2x4x8x4xf32>, %k: tensor<2x4x4x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  return
}

// -----

// One attention has enough key/value heads, the other has not. Of two numbers
// the smaller one decides.
// CHECK: dist.mesh @mesh = <["tp_kv"=2, "tp_rep"=2]>
func.func @forward(%q: tensor<2x4x8x4xf32>, %k: tensor<2x4x8x4xf32>, %l: tensor<2x4x2x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %l, %l positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  %r, %lse2 = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  return
}

// -----

// CHECK: dist.mesh @mesh = <["tp_rep"=4]>
func.func @forward(%q: tensor<2x4x8x4xf32>, %k: tensor<2x4x1x4xf32>, %l: tensor<2x4x2x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %l, %l positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  %r, %lse2 = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x1x4xf32>, tensor<2x4x1x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  return
}

// -----

// The ranks do not divide the query heads.
// CHECK: dist.mesh @mesh = <["tp"=4]>
func.func @forward(%q: tensor<2x4x6x4xf32>, %k: tensor<2x4x2x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x6x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x6x4xf32>, tensor<2x4x6xf32>)
  return
}

// -----

// The ranks are no multiple of the key/value heads.
// CHECK: dist.mesh @mesh = <["tp"=4]>
func.func @forward(%q: tensor<2x4x12x4xf32>, %k: tensor<2x4x3x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x12x4xf32>, tensor<2x4x3x4xf32>, tensor<2x4x3x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x12x4xf32>, tensor<2x4x12xf32>)
  return
}
