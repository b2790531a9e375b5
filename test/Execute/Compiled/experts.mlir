// Mixtures of experts in compiled programs, against the interpreter. Of the
// three experts of `halves`, some choices miss one; those of `part` are 1 to 3.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../Inputs/run_compiled.py %s %t | FileCheck %s
// CHECK-NOT: WRONG
// CHECK-COUNT-22: ok
// CHECK-NOT: {{ok|WRONG}}

module attributes {pcc.phase = "spmd"} {
func.func @forward(
    %x: tensor<2x3x6xf32> {nn.name = "x", nn.role = #nn.role<data>},
    %dy: tensor<2x3x6xf32> {nn.name = "dy", nn.role = #nn.role<data>},
    %ids: tensor<2x3x2xi64> {nn.name = "ids", nn.role = #nn.role<data>},
    %gates: tensor<2x3x2xf32> {nn.name = "gates", nn.role = #nn.role<data>},
    %w1: tensor<4x2x5x6xf32> {nn.name = "w1", nn.role = #nn.role<data>},
    %b1: tensor<4x2x5xf32> {nn.name = "b1", nn.role = #nn.role<data>},
    %w2: tensor<4x6x5xf32> {nn.name = "w2", nn.role = #nn.role<data>},
    %gate: tensor<3x1x7x6xf32> {nn.name = "gate", nn.role = #nn.role<data>},
    %up: tensor<3x1x7x6xf32> {nn.name = "up", nn.role = #nn.role<data>},
    %down: tensor<3x6x7xf32> {nn.name = "down", nn.role = #nn.role<data>},
    %plain1: tensor<4x1x5x6xf32> {nn.name = "plain1", nn.role = #nn.role<data>},
    %first: tensor<i64> {nn.name = "first", nn.role = #nn.role<data>})
    -> (tensor<2x3x6xf32> {nn.name = "gated"},
        tensor<2x3x6xf32> {nn.name = "gated_dx"},
        tensor<2x3x2xf32> {nn.name = "gated_dgates"},
        tensor<4x2x5x6xf32> {nn.name = "gated_dw1"},
        tensor<4x2x5xf32> {nn.name = "gated_db1"},
        tensor<4x6x5xf32> {nn.name = "gated_dw2"},
        tensor<2x3x6xf32> {nn.name = "halves"},
        tensor<2x3x6xf32> {nn.name = "halves_dx"},
        tensor<2x3x2xf32> {nn.name = "halves_dgates"},
        tensor<3x1x7x6xf32> {nn.name = "halves_dgate"},
        tensor<3x1x7x6xf32> {nn.name = "halves_dup"},
        tensor<3x6x7xf32> {nn.name = "halves_ddown"},
        tensor<2x3x6xf32> {nn.name = "plain"},
        tensor<2x3x6xf32> {nn.name = "plain_dx"},
        tensor<2x3x2xf32> {nn.name = "plain_dgates"},
        tensor<4x1x5x6xf32> {nn.name = "plain_dplain1"},
        tensor<4x6x5xf32> {nn.name = "plain_dw2"},
        tensor<2x3x6xf32> {nn.name = "part"},
        tensor<2x3x6xf32> {nn.name = "part_dx"},
        tensor<2x3x2xf32> {nn.name = "part_dgates"},
        tensor<3x1x7x6xf32> {nn.name = "part_dgate"},
        tensor<3x6x7xf32> {nn.name = "part_ddown"}) {
  %gated = nn.experts silu %x ids %ids gates %gates w1 %w1 b1 %b1 w2 %w2 {alpha = 1.7, limit = 0.5, shift = 1.0}
      : (tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<4x2x5x6xf32>, tensor<4x2x5xf32>, tensor<4x6x5xf32>) -> tensor<2x3x6xf32>
  %gated_dx, %gated_dgates, %gated_dw1, %gated_db1, %gated_dw2 = nn.experts_grad silu %dy, %x ids %ids gates %gates w1 %w1 b1 %b1 w2 %w2 {alpha = 1.7, limit = 0.5, shift = 1.0}
      : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<4x2x5x6xf32>, tensor<4x2x5xf32>, tensor<4x6x5xf32>)
      -> (tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<4x2x5x6xf32>, tensor<4x2x5xf32>, tensor<4x6x5xf32>)
  %halves = nn.experts gelu_tanh %x ids %ids gates %gates w1 %gate, %up w2 %down
      : (tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>) -> tensor<2x3x6xf32>
  %halves_dx, %halves_dgates, %halves_dgate, %halves_dup, %halves_ddown = nn.experts_grad gelu_tanh %dy, %x ids %ids gates %gates w1 %gate, %up w2 %down
      : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>)
      -> (tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>)
  %plain = nn.experts relu2 %x ids %ids gates %gates w1 %plain1 w2 %w2
      : (tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<4x1x5x6xf32>, tensor<4x6x5xf32>) -> tensor<2x3x6xf32>
  %plain_dx, %plain_dgates, %plain_dplain1, %plain_dw2 = nn.experts_grad relu2 %dy, %x ids %ids gates %gates w1 %plain1 w2 %w2
      : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<4x1x5x6xf32>, tensor<4x6x5xf32>)
      -> (tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<4x1x5x6xf32>, tensor<4x6x5xf32>)
  %part = nn.experts relu %x ids %ids gates %gates w1 %gate w2 %down offset %first
      : (tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>, tensor<i64>) -> tensor<2x3x6xf32>
  %part_dx, %part_dgates, %part_dgate, %part_ddown = nn.experts_grad relu %dy, %x ids %ids gates %gates w1 %gate w2 %down offset %first
      : (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xi64>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>, tensor<i64>)
      -> (tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>)
  return %gated, %gated_dx, %gated_dgates, %gated_dw1, %gated_db1, %gated_dw2, %halves, %halves_dx, %halves_dgates, %halves_dgate, %halves_dup, %halves_ddown, %plain, %plain_dx, %plain_dgates, %plain_dplain1, %plain_dw2, %part, %part_dx, %part_dgates, %part_dgate, %part_ddown
      : tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<4x2x5x6xf32>, tensor<4x2x5xf32>, tensor<4x6x5xf32>, tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>, tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<4x1x5x6xf32>, tensor<4x6x5xf32>, tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<2x3x2xf32>, tensor<3x1x7x6xf32>, tensor<3x6x7xf32>
}
}
