// RUN: pcc-opt %s --nn-autodiff -o %t.mlir
// RUN: pcc-run %t.mlir --check-gradients --loss-from %s --fill 3 --samples 100 --arg targets=[[0,4,-100],[2,-100,3]] | FileCheck %s
// RUN: pcc-run %t.mlir --entry=microbatch --exact --fill 3 --arg targets=[[0,4,-100],[2,-100,3]] --print=@grad.logits,@grad.table | FileCheck %s --check-prefix=ZERO
// Embedding, and sums into rows, with ids that occur twice; embedding with an
// offset that leaves some out; cross entropy with ignored targets and padded
// classes; dropout.

// CHECK: loss
// CHECK-NOT: WRONG
// CHECK-COUNT-5: ok
// CHECK-NOT: {{ok|WRONG}}
nn.param @table : tensor<5x4xf32> init normal
nn.param @shifted : tensor<5x4xf32> init normal
nn.param @logits : tensor<2x3x7xf32> init normal
nn.param @added : tensor<2x3x4xf32> init normal
nn.param @dropout : tensor<2x3x4xf32> init normal

// The gradients of a table row without an id, and of ignored rows and padded
// columns of the logits, are exactly zero.
// ZERO: @grad.logits : {{.*}} = {{\[\[\[}}{{[^]]*}}, 0, 0], [{{[^]]*}}, 0, 0], [0, 0, 0, 0, 0, 0, 0]], {{\[\[}}{{[^]]*}}, 0, 0], [0, 0, 0, 0, 0, 0, 0], [{{[^]]*}}, 0, 0]]]
// ZERO: @grad.table : {{.*}}, [0, 0, 0, 0], [{{[^]]*}}]]

func.func @loss(%ids: tensor<2x3xi64> {nn.name = "ids"},
                %targets: tensor<2x3xi64> {nn.name = "targets", nn.role = #nn.role<targets>},
                %samples: tensor<2xi64> {nn.role = #nn.role<samples>},
                %pos: tensor<3xi64> {nn.role = #nn.role<positions>},
                %seed: tensor<i64> {nn.role = #nn.role<seed>},
                %step: tensor<i64> {nn.role = #nn.role<step>},
                %c: tensor<3x2x3x4xf32> {nn.name = "cotangents"},
                %d: tensor<2x3xf32> {nn.name = "loss_cotangents"}) -> (tensor<f32>, tensor<f32>) {
  %table = nn.read @table : tensor<5x4xf32>
  %shifted = nn.read @shifted : tensor<5x4xf32>
  %logits = nn.read @logits : tensor<2x3x7xf32>
  %x = nn.read @dropout : tensor<2x3x4xf32>
  %known = nn.constant dense<[[1, 4, 1], [0, 0, 2]]> : tensor<2x3xi64>
  %added = nn.read @added : tensor<2x3x4xf32>
  %rowsums = nn.embedding_grad %added, %known : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<5x4xf32>
  %squares = nn.mul %rowsums, %rowsums : tensor<5x4xf32>
  %sum3 = nn.reduce %squares [0, 1] : tensor<5x4xf32> -> tensor<f32>
  %offset = nn.constant dense<3> : tensor<i64>
  %0 = nn.embedding %known, %table : tensor<2x3xi64>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %1 = nn.embedding %ids, %shifted offset %offset : tensor<i64> : tensor<2x3xi64>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %2 = nn.dropout %x samples %samples positions %pos seed %seed step %step {p = 0.4, id = 9, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  %loss, %lse = nn.cross_entropy %logits, %targets classes 5 : tensor<2x3x7xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  %all = nn.concat %0, %1, %2 along 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<6x3x4xf32>
  %rows = nn.reshape %all : tensor<6x3x4xf32> -> tensor<3x2x3x4xf32>
  %terms = nn.mul %rows, %c : tensor<3x2x3x4xf32>
  %sum = nn.reduce %terms [0, 1, 2, 3] : tensor<3x2x3x4xf32> -> tensor<f32>
  %weighted = nn.mul %loss, %d : tensor<2x3xf32>
  %sum2 = nn.reduce %weighted [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %l = nn.sum %sum, %sum2, %sum3 : tensor<f32>
  %n = nn.constant dense<1.0> : tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
