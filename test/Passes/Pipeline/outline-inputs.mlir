// Names of inputs and outputs: by the role, or by the name if a model has
// several inputs of one role; outputs without a name by their number. Equal
// names of different roles have different symbols.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s

// CHECK: pipe.input @input.tokens : tensor<2xi64> role tokens name "tokens"
// CHECK-NEXT: pipe.input @input.more : tensor<2xi64> role tokens name "more"
// CHECK-NEXT: pipe.input @input.x : tensor<2xf32> role data name "x"
// CHECK-NEXT: pipe.input @input.y : tensor<2xf32> role data name "y"
// CHECK-NEXT: pipe.input @input.targets : tensor<2xi64> role targets name "x"
// CHECK-NEXT: pipe.input @input.x.2 : tensor<2xi64> role tokens name "x"
// CHECK-NEXT: pipe.output @output.sum : tensor<2xf32> name "sum"
// CHECK-NEXT: pipe.output @output.1 : tensor<2xf32> name "1"
// CHECK-NEXT: pipe.output @output.2 : tensor<2xi64> name "2"
// An argument has the name of the buffer that it is bound to.
// CHECK-NEXT: pipe.body @forward.0.body (%input.tokens: tensor<2xi64>, %input.more: tensor<2xi64>, %input.x: tensor<2xf32>, %input.y: tensor<2xf32>, %input.targets: tensor<2xi64>, %input.x.2: tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi64>) {
// CHECK-NEXT: %[[S:.*]] = nn.sum %input.x, %input.y : tensor<2xf32>
// CHECK-NEXT: pipe.yield %[[S]], %input.x, %input.tokens
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.0 stage 0 forward_only calls @forward.0.body (@input.tokens, @input.more, @input.x, @input.y, @input.targets, @input.x.2) -> (@output.sum, @output.1, @output.2)
func.func @forward(%a: tensor<2xi64> {nn.role = #nn.role<tokens>},
                   %b: tensor<2xi64> {nn.role = #nn.role<tokens>, nn.name = "more"},
                   %x: tensor<2xf32> {nn.role = #nn.role<data>, nn.name = "x"},
                   %y: tensor<2xf32> {nn.role = #nn.role<data>, nn.name = "y"},
                   %t: tensor<2xi64> {nn.role = #nn.role<targets>, nn.name = "x"},
                   %u: tensor<2xi64> {nn.role = #nn.role<tokens>, nn.name = "x"})
    -> (tensor<2xf32> {nn.name = "sum"}, tensor<2xf32>, tensor<2xi64>) {
  %s = nn.sum %x, %y {nn.stage = 0, dist.id = 4} : tensor<2xf32>
  return %s, %x, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xi64>
}
