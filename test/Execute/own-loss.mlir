// A program whose inputs are all arrays, labels of its own loss among them:
// their rows are the samples. Two steps of two microbatches of two.
// RUN: %python %S/Inputs/own_loss.py %t
// RUN: pcc-opt %s --nn-attach-loss --nn-autodiff --nn-optimizer --nn-verify -o %t.mlir
// RUN: rm -f %t.jsonl
// RUN: pcc-run %t.mlir --data %t --steps 2 --microbatches 2 --exact \
// RUN:   --print none --init random --lr 0 --min-lr 0 --log-json %t.jsonl
// RUN: %python %S/Inputs/own_loss.py %t %t.jsonl | FileCheck %s

// CHECK: 2 steps as numpy

nn.param @w : tensor<4xf32> init zero
func.func @forward(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %t: tensor<2xi64> {nn.name = "labels", nn.role = #nn.role<data>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "n"})
    attributes {nn.has_loss} {
  %w = nn.read @w : tensor<4xf32>
  %b = nn.broadcast %w [1] : tensor<4xf32> -> tensor<2x4xf32>
  %y = nn.sum %x, %b : tensor<2x4xf32>
  %ce, %lse = nn.cross_entropy %y, %t classes 4
      : tensor<2x4xf32>, tensor<2xi64> -> tensor<2xf32>
  %v = nn.valid %t : tensor<2xi64> -> tensor<2xf32>
  %l = nn.reduce %ce [0] : tensor<2xf32> -> tensor<f32>
  %n = nn.reduce %v [0] : tensor<2xf32> -> tensor<f32>
  return %l, %n : tensor<f32>, tensor<f32>
}
