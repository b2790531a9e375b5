// RUN: pcc-opt %s -dist-mesh="pp=2 dp=3 cp=2 tp=4" | FileCheck %s
// RUN: pcc-opt %s -dist-mesh="dp=2 tp=2" | FileCheck --check-prefix=TWO %s
// RUN: pcc-opt %s -dist-mesh="tp=8" | FileCheck --check-prefix=EIGHT %s
// RUN: pcc-opt %s -dist-mesh="tp=3" | FileCheck --check-prefix=THREE %s
// RUN: pcc-opt %s -dist-mesh | FileCheck --check-prefix=ONE %s
// RUN: pcc-opt %s -dist-mesh="dp=6 ep=3 cp=2" | FileCheck --check-prefix=EXPERTS %s
// RUN: pcc-opt %s -dist-mesh="dp=3 ep=3" | FileCheck --check-prefix=ALL %s
// RUN: not pcc-opt %s -dist-mesh="dp=4 ep=3" 2>&1 | FileCheck --check-prefix=DIVIDES %s
// RUN: not pcc-opt %s -dist-mesh=dp=0 2>&1 | FileCheck --check-prefix=ZERO %s
// RUN: not pcc-opt %s -dist-mesh=dp=2 -dist-mesh=dp=2 2>&1 | FileCheck --check-prefix=TWICE %s

// 2 key/value heads among 4 ranks: two axes.
// CHECK: dist.mesh @mesh = <["pp"=2, "dp"=3, "cp"=2, "tp_kv"=2, "tp_rep"=2]>
// TWO: dist.mesh @mesh = <["dp"=2, "tp"=2]>
// EIGHT: dist.mesh @mesh = <["tp_kv"=2, "tp_rep"=4]>
// If neither number divides the other, there is one axis; a later pass rejects
// the attention by name.
// THREE: dist.mesh @mesh = <["tp"=3]>
// ONE-NOT: dist.mesh
// The ranks of ep are some of dp's.
// EXPERTS: dist.mesh @mesh = <["dp"=2, "ep"=3, "cp"=2]>
// ALL: dist.mesh @mesh = <["ep"=3]>
// DIVIDES: error: mesh axis "ep" of size 3 splits no data-parallel axis of size 4, which is not a multiple of it
// ZERO: error: mesh axis "dp" cannot have size 0
// TWICE: error: has a mesh already
func.func @forward(%q: tensor<2x4x8x4xf32>, %k: tensor<2x4x2x4xf32>, %p: tensor<4xi64>) {
  %o, %lse = nn.attention %q, %k, %k positions %p, %p scale 1.0
      : (tensor<2x4x8x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x8x4xf32>, tensor<2x4x8xf32>)
  return
}
