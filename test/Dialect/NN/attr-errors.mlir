// Discardable attributes: names that nn does not know, names on other ops than
// theirs, and values of other kinds.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'builtin.module' op has the attribute 'nn.losses', which ops do not have}}
module attributes {nn.losses = "mse"} {
}

// -----

// expected-error@+1 {{'nn.state' op has the attribute 'nn.loss', which is only allowed on a module}}
nn.state @s : tensor<f32> sum {nn.loss = "mse"}

// -----

// expected-error@+1 {{has the attribute 'nn.loss', which is not a string}}
module attributes {nn.loss} {
}

// -----

// expected-error@+1 {{has the attribute 'nn.whole_batch', which is not a string}}
module attributes {nn.whole_batch = 1} {
}

// -----

// expected-error@+1 {{has the attribute 'nn.implied', which is not a dictionary of "ones" and "positions"}}
module attributes {nn.implied = {mask = "zeros"}} {
}

// -----

// expected-error@+1 {{has the attribute 'nn.bwd', which is not a unit}}
nn.state @s : tensor<f32> sum {nn.bwd = 1}

// -----

// expected-error@+1 {{has the attribute 'nn.stage', which is not a whole number}}
nn.state @s : tensor<f32> sum {nn.stage = "last"}

// -----

// expected-error@+1 {{'nn.state' op has the attribute 'nn.ids', which is only allowed on an input}}
nn.state @s : tensor<f32> sum {nn.ids = {below = 3 : i64, node = "wte"}}

// -----

// expected-error@+1 {{'nn.state' op has the attribute 'nn.has_loss', which is only allowed on a function}}
nn.state @s : tensor<f32> sum {nn.has_loss}

// -----

// expected-error@+1 {{has the attribute 'nn.has_loss', which is not a unit or a list of dictionaries}}
func.func @forward() attributes {nn.has_loss = ["mean"]} {
  return
}

// -----

// expected-error@+1 {{has the attribute 'nn.joins_samples', which is not a string}}
func.func @forward() attributes {nn.joins_samples} {
  return
}

// -----

// expected-error@+1 {{'nn.param' op has the attribute 'nn.ahead', which is only allowed on a state or a task}}
nn.param @w : tensor<4xf32> init zero {nn.ahead}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'nn.count', which is only allowed on a state}}
func.func @forward() attributes {nn.count = "/Sum"} {
  return
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'nn.exp' op has the attribute 'nn.padding_row', which is only allowed on nn.embedding}}
  %y = nn.exp %x {nn.padding_row = 0} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'nn.exp' op has the attribute 'nn.first_best', which is only allowed on nn.reduce_max or nn.reduce_min}}
  %y = nn.exp %x {nn.first_best} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'nn.exp' op has the attribute 'nn.detached', which is only allowed on nn.cast}}
  %y = nn.exp %x {nn.detached} : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{has the attribute 'nn.source_name', which is not a string}}
nn.param @w : tensor<4xf32> init zero {nn.source_name}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.stage', which inputs do not have}}
func.func @forward(%x: tensor<4xf32> {nn.stage = 0}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.dims', which is not #nn.dims}}
func.func @forward(%x: tensor<4x2xi64> {nn.dims = 1, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.dims', #nn.dims<batch = 2, sequence = 0>, which do not fit its role and 'tensor<4x2xi64>'}}
func.func @forward(%x: tensor<4x2xi64> {nn.dims = #nn.dims<batch = 2, sequence = 0>, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// An input with a row per sample has a batch dim,
// expected-error@+1 {{input 0 has the attribute 'nn.dims', #nn.dims<sequence = 1>, which do not fit its role}}
func.func @forward(%x: tensor<4x2xf32> {nn.dims = #nn.dims<sequence = 1>, nn.role = #nn.role<data>}) {
  return
}

// -----

// and an input that all samples share has none.
// expected-error@+1 {{input 0 has the attribute 'nn.dims', #nn.dims<batch = 0>, which do not fit its role}}
func.func @forward(%x: tensor<4x2xf32> {nn.dims = #nn.dims<batch = 0>, nn.role = #nn.role<shared>}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.dims', #nn.dims<batch = 0>, which do not fit its role}}
func.func @forward(%x: tensor<4x2xi64> {nn.dims = #nn.dims<batch = 0>, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.order', which is not #nn.head_tail}}
func.func @forward(%x: tensor<4x2xi64> {nn.order = 1, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.order', #nn.head_tail<ranks = 2, dims = [2]>, which does not fit its type}}
func.func @forward(%x: tensor<4x2xi64> {nn.order = #nn.head_tail<ranks = 2, dims = [2]>, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{a head-tail order is one of at least 2 ranks, not 1}}
func.func @forward(%x: tensor<4x2xi64> {nn.order = #nn.head_tail<ranks = 1, dims = [1]>}) {
  return
}

// -----

// expected-error@+1 {{a head-tail order needs dims, which are not negative}}
func.func @forward(%x: tensor<4x2xi64> {nn.order = #nn.head_tail<ranks = 2, dims = []>}) {
  return
}

// -----

// expected-error@+1 {{dims of a head-tail order ascend: 1 is before 0}}
func.func @forward(%x: tensor<4x2xi64> {nn.order = #nn.head_tail<ranks = 2, dims = [1, 0]>}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'nn.order', which is only allowed on an input or a constant}}
func.func @forward() attributes {nn.order = #nn.head_tail<ranks = 2, dims = [1]>} {
  return
}

// -----

func.func @forward(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the attribute 'nn.piece', which is only allowed on nn.attention or its gradient}}
  %y = nn.scale %x by 2.0 {nn.piece = 64 : i64} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{dim 1 cannot be both the batch and the sequence dim}}
func.func @forward(%x: tensor<4x2xi64> {nn.dims = #nn.dims<batch = 1, sequence = 1>, nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op has the attribute 'nn.dims', which is only allowed on an input}}
func.func @forward() attributes {nn.dims = #nn.dims<batch = 0>} {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.role', which is not a role}}
func.func @forward(%x: tensor<4xi64> {nn.role = "tokens"}) {
  return
}

// -----

// expected-error@+2 {{to be one of: tokens, targets, labels, data, shared}}
// expected-error@+1 {{failed to parse NN_InputRoleAttr parameter 'value'}}
func.func @forward(%x: tensor<4xi64> {nn.role = #nn.role<classes>}) {
  return
}

// -----

// expected-error@+1 {{input 0 of role 'tokens' cannot be 'tensor<4xf32>'}}
func.func @forward(%x: tensor<4xf32> {nn.role = #nn.role<tokens>}) {
  return
}

// -----

// expected-error@+1 {{input 0 of role 'samples' cannot be 'tensor<2x4xi64>'}}
func.func @forward(%x: tensor<2x4xi64> {nn.role = #nn.role<samples>}) {
  return
}

// -----

// expected-error@+1 {{input 0 of role 'seed' cannot be 'tensor<1xi64>'}}
func.func @forward(%x: tensor<1xi64> {nn.role = #nn.role<seed>}) {
  return
}

// -----

// expected-error@+1 {{input 1 of role 'lr' cannot be 'tensor<i64>'}}
func.func @update(%step: tensor<i64> {nn.role = #nn.role<step>},
                  %lr: tensor<i64> {nn.role = #nn.role<lr>}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.name', which is not a string}}
func.func @forward(%x: tensor<4xf32> {nn.name = 3}) {
  return
}

// -----

// expected-error@+1 {{input 0 has the attribute 'nn.ids', which is not a dictionary}}
func.func @forward(%x: tensor<4xi64> {nn.ids = 3}) {
  return
}

// -----

// expected-error@+1 {{result 0 has the attribute 'nn.role', which results do not have}}
func.func @forward(%x: tensor<4xf32>) -> (tensor<4xf32> {nn.role = #nn.role<data>}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{result 0 has the attribute 'nn.count', which is not a string}}
func.func @loss(%x: tensor<f32>) -> (tensor<f32> {nn.count}) {
  return %x : tensor<f32>
}
