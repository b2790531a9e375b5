// GEMMs and attention of compiled programs, against the interpreter.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-21: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %q: tensor<2x4x4x6xf32> {nn.name = "q", nn.role = #nn.role<data>},
    %k: tensor<2x4x4x6xf32> {nn.name = "k", nn.role = #nn.role<data>},
    %v: tensor<2x4x4x10xf32> {nn.name = "v", nn.role = #nn.role<data>},
    %k2: tensor<2x5x2x6xf32> {nn.name = "k2", nn.role = #nn.role<data>},
    %v2: tensor<2x5x2x6xf32> {nn.name = "v2", nn.role = #nn.role<data>},
    %at: tensor<4xi64> {nn.name = "at", nn.role = #nn.role<data>},
    %far: tensor<5xi64> {nn.name = "far", nn.role = #nn.role<data>},
    %b1: tensor<2x1x4x5xf32> {nn.name = "b1", nn.role = #nn.role<data>},
    %b2: tensor<1x4x1x1xf32> {nn.name = "b2", nn.role = #nn.role<data>},
    %n: tensor<2xi64> {nn.name = "n", nn.role = #nn.role<data>},
    %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<data>},
    %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<data>},
    %head: tensor<i64> {nn.name = "head", nn.role = #nn.role<data>},
    %do: tensor<2x4x4x10xf32> {nn.name = "do", nn.role = #nn.role<data>},
    %do2: tensor<2x4x4x6xf32> {nn.name = "do2", nn.role = #nn.role<data>},
    %a3: tensor<3x6x4xf32> {nn.name = "a3", nn.role = #nn.role<data>},
    %b3: tensor<6x5x4xf32> {nn.name = "b3", nn.role = #nn.role<data>},
    %m: tensor<7x6xf32> {nn.name = "m", nn.role = #nn.role<data>},
    %qkv: tensor<6x3x2x4xf32> {nn.name = "qkv", nn.role = #nn.role<data>})
    -> (tensor<2x4x4x10xf32> {nn.name = "plain_0"},
        tensor<2x4x4xf32> {nn.name = "plain_1"},
        tensor<2x4x4x6xf32> {nn.name = "plain_grad_0"},
        tensor<2x4x4x6xf32> {nn.name = "plain_grad_1"},
        tensor<2x4x4x10xf32> {nn.name = "plain_grad_2"},
        tensor<2x4x4x6xf32> {nn.name = "grouped_0"},
        tensor<2x4x4xf32> {nn.name = "grouped_1"},
        tensor<2x4x4x6xf32> {nn.name = "grouped_grad_0"},
        tensor<2x5x2x6xf32> {nn.name = "grouped_grad_1"},
        tensor<2x5x2x6xf32> {nn.name = "grouped_grad_2"},
        tensor<2x1x4x5xf32> {nn.name = "grouped_grad_3"},
        tensor<2x4x4x6xf32> {nn.name = "sink_0"},
        tensor<3x5x4xf32> {nn.name = "middle"},
        tensor<5x3xf32> {nn.name = "across"},
        tensor<4x3x7xf32> {nn.name = "left"},
        tensor<2x7x7xf32> {nn.name = "scores"},
        tensor<2x7x7xf32> {nn.name = "turned"},
        tensor<3x3xf32> {nn.name = "sliced"},
        tensor<6x6xf32> {nn.name = "gram"},
        tensor<f32> {nn.name = "dot"},
        tensor<4x6x7x3xf32> {nn.name = "outer"}) {
  // As many query heads as key heads; values have another width.
  %plain:2 = nn.attention causal %q, %k, %v positions %at, %at scale 0.5
      : (tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x4x4x10xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x4x10xf32>, tensor<2x4x4xf32>)
  %plain_grad:3 = nn.attention_grad causal %do, %q, %k, %v result %plain#0 lse %plain#1 positions %at, %at scale 0.5
      : (tensor<2x4x4x10xf32>, tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x4x4x10xf32>, tensor<2x4x4x10xf32>, tensor<2x4x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x4x4x10xf32>)
  // Two query heads per key head, another number of keys than of queries, a
  // bias per sample, query and key, and dropout.
  %grouped:3 = nn.attention %q, %k2, %v2 positions %at, %far bias %b1
      samples %n seed %seed step %step head_origin %head scale 0.5 {p = 0.3, id = 6}
      : (tensor<2x4x4x6xf32>, tensor<2x5x2x6xf32>, tensor<2x5x2x6xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2x1x4x5xf32>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x4x4x6xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  %grouped_grad:4 = nn.attention_grad %do2, %q, %k2, %v2 result %grouped#0 lse %grouped#1 max %grouped#2 positions %at, %far bias %b1
      samples %n seed %seed step %step head_origin %head scale 0.5 {p = 0.3, id = 6}
      : (tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x5x2x6xf32>, tensor<2x5x2x6xf32>, tensor<2x4x4x6xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<4xi64>, tensor<5xi64>, tensor<2x1x4x5xf32>, tensor<2xi64>, tensor<i64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x4x4x6xf32>, tensor<2x5x2x6xf32>, tensor<2x5x2x6xf32>, tensor<2x1x4x5xf32>)
  // A bias per head, with scale 1.
  %sink:3 = nn.attention causal %q, %k2, %v2 positions %at, %far bias %b2 scale 1.0
      : (tensor<2x4x4x6xf32>, tensor<2x5x2x6xf32>, tensor<2x5x2x6xf32>, tensor<4xi64>, tensor<5xi64>, tensor<1x4x1x1xf32>)
      -> (tensor<2x4x4x6xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  // GEMMs with any order of dims: batch dims first, last, and split; sums over
  // two dims that are not adjacent; a transposed result.
  %middle = nn.contract "mkb,knb->mnb" %a3, %b3 : tensor<3x6x4xf32>, tensor<6x5x4xf32> -> tensor<3x5x4xf32>
  %across = nn.contract "mkb,knb->nm" %a3, %b3 : tensor<3x6x4xf32>, tensor<6x5x4xf32> -> tensor<5x3xf32>
  %left = nn.contract "ik,mkb->bmi" %m, %a3 : tensor<7x6xf32>, tensor<3x6x4xf32> -> tensor<4x3x7xf32>
  %three = nn.contract "ik,kphd->iphd" %m, %qkv : tensor<7x6xf32>, tensor<6x3x2x4xf32> -> tensor<7x3x2x4xf32>
  %p0 = nn.select %three dim 1 index 0 : tensor<7x3x2x4xf32> -> tensor<7x2x4xf32>
  %p2 = nn.select %three dim 1 index 2 : tensor<7x3x2x4xf32> -> tensor<7x2x4xf32>
  %scores = nn.contract "ihd,jhd->hij" %p0, %p2 : tensor<7x2x4xf32>, tensor<7x2x4xf32> -> tensor<2x7x7xf32>
  %turned = nn.contract "ihd,jhd->hji" %p0, %p2 : tensor<7x2x4xf32>, tensor<7x2x4xf32> -> tensor<2x7x7xf32>
  %part = nn.slice %three at [1, 0, 1, 0] step [2, 1, 1, 1] : tensor<7x3x2x4xf32> -> tensor<3x3x1x4xf32>
  %sliced = nn.contract "aphd,bphd->ab" %part, %part : tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32> -> tensor<3x3xf32>
  %t = nn.transpose %m [1, 0] : tensor<7x6xf32> -> tensor<6x7xf32>
  %gram = nn.contract "ki,ij->kj" %t, %m : tensor<6x7xf32>, tensor<7x6xf32> -> tensor<6x6xf32>
  %dot = nn.contract "ik,ik->" %m, %m : tensor<7x6xf32>, tensor<7x6xf32> -> tensor<f32>
  %outer = nn.contract "ik,mkb->bkim" %m, %a3 : tensor<7x6xf32>, tensor<3x6x4xf32> -> tensor<4x6x7x3xf32>
  return %plain#0, %plain#1, %plain_grad#0, %plain_grad#1, %plain_grad#2,
      %grouped#0, %grouped#1, %grouped_grad#0, %grouped_grad#1, %grouped_grad#2,
      %grouped_grad#3, %sink#0, %middle, %across, %left, %scores, %turned,
      %sliced, %gram, %dot, %outer
      : tensor<2x4x4x10xf32>, tensor<2x4x4xf32>, tensor<2x4x4x6xf32>,
        tensor<2x4x4x6xf32>, tensor<2x4x4x10xf32>, tensor<2x4x4x6xf32>,
        tensor<2x4x4xf32>, tensor<2x4x4x6xf32>, tensor<2x5x2x6xf32>,
        tensor<2x5x2x6xf32>, tensor<2x1x4x5xf32>, tensor<2x4x4x6xf32>,
        tensor<3x5x4xf32>, tensor<5x3xf32>, tensor<4x3x7xf32>,
        tensor<2x7x7xf32>, tensor<2x7x7xf32>, tensor<3x3xf32>, tensor<6x6xf32>,
        tensor<f32>, tensor<4x6x7x3xf32>
}
}
