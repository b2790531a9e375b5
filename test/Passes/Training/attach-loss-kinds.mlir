// RUN: pcc-opt %s --nn-attach-loss=loss=cross-entropy --nn-verify | FileCheck %s --check-prefix=CE
// RUN: pcc-opt %s --nn-attach-loss=loss=mse --nn-verify | FileCheck %s --check-prefix=MSE
// RUN: not pcc-opt %s --nn-attach-loss=loss=hinge 2>&1 | FileCheck %s --check-prefix=HINGE
// RUN: not pcc-opt %s --nn-attach-loss=loss=causal-lm 2>&1 | FileCheck %s --check-prefix=LM

// CE: func.func @loss(%{{.*}} "x", nn.role = #nn.role<data>}, %[[T:[^:]*]]: tensor<2xi64> {nn.name = "targets", nn.role = #nn.role<targets>})
// CE: nn.cross_entropy %{{.*}}, %[[T]] classes 3 : tensor<2x3xf32>

// MSE: func.func @loss(%{{.*}} "x", nn.role = #nn.role<data>}, %[[T:[^:]*]]: tensor<2x3xf32> {nn.name = "targets", nn.role = #nn.role<targets>})
// MSE: %[[D:.*]] = nn.sub %{{.*}}, %[[T]]
// MSE-NEXT: %[[S:.*]] = nn.mul %[[D]], %[[D]]
// MSE-NEXT: %[[SUM:.*]] = nn.reduce %[[S]] [0, 1]
// MSE-NEXT: %[[N:.*]] = nn.constant dense<6.0
// MSE-NEXT: return %[[SUM]], %[[N]]

// HINGE: error: there is no loss 'hinge'
// HINGE: note: losses are causal-lm, cross-entropy and mse

// LM: error: loss causal-lm needs an input of token ids [batch, seq]
// LM: note: input 'x' is 'tensor<2x4xf32>'

nn.param @w : tensor<4x3xf32> init normal
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3xf32> {nn.name = "y"}) {
  %w = nn.read @w : tensor<4x3xf32>
  %y = nn.contract "bk,kn->bn" %x, %w : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
