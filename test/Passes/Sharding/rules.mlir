// Sharding rules: how the sharding of one value determines the others of an op.
// Factors are the loops of an op, in the order of its rule; the sharding is the
// result's.
// RUN: pcc-opt %s -dist-propagate | FileCheck %s

dist.mesh @mesh = <["dp"=2, "tp"=2]>

// Rows are whole, other dims are sharded.
// CHECK-LABEL: func.func @softmax(
// CHECK: nn.softmax {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.softmax_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
func.func @softmax(
    %x: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {}]>, reason = "test">]}) {
  %y = nn.softmax %x : tensor<4x6x8xf32>
  %d = nn.softmax_grad %y, %x : tensor<4x6x8xf32>
  return
}

// CHECK-LABEL: func.func @norms(
// CHECK: nn.layer_norm {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}]>]
// CHECK: nn.layer_norm_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.layer_norm_grad_scale {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{}]>]
// CHECK: nn.rms_norm {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}]>]
// CHECK: nn.rms_norm_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.rms_norm_grad_scale {{.*}}dist.factors = {{\[\[}}"dp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{}]>]
func.func @norms(
    %x: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {}]>, reason = "test">]},
    %s: tensor<8xf32>) {
  %y, %m, %r = nn.layer_norm %x scale %s bias %s eps 1.0e-5 : tensor<4x6x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x6xf32>, tensor<4x6xf32>
  %dx = nn.layer_norm_grad %y, %x scale %s mean %m rstd %r : tensor<4x6x8xf32>, tensor<8xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  %ds = nn.layer_norm_grad_scale %y, %x mean %m rstd %r : tensor<4x6x8xf32>, tensor<4x6xf32>, tensor<4x6xf32> -> tensor<8xf32>
  %z, %q = nn.rms_norm %x scale %s eps 1.0e-5 : tensor<4x6x8xf32>, tensor<8xf32> -> tensor<4x6xf32>
  %dz = nn.rms_norm_grad %z, %x scale %s rstd %q : tensor<4x6x8xf32>, tensor<8xf32>, tensor<4x6xf32>
  %dt = nn.rms_norm_grad_scale %z, %x rstd %q : tensor<4x6x8xf32>, tensor<4x6xf32> -> tensor<8xf32>
  return
}

// Batch and heads are sharded. In grouped-query attention, key heads are the
// major part of query heads.
// CHECK-LABEL: func.func @attention(
// CHECK: nn.attention {{.*}}dist.factors = {{\[\[}}"dp"], [], [], ["tp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.attention_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], [], ["tp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>]
// CHECK: nn.rope {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>]
func.func @attention(
    %q: tensor<4x6x4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}, {}]>, reason = "test">]},
    %k: tensor<4x6x2x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}, {}]>, reason = "test">]},
    %at: tensor<6xi64>) {
  %o, %lse = nn.attention causal %q, %k, %k positions %at, %at scale 0.5 : (tensor<4x6x4x8xf32>, tensor<4x6x2x8xf32>, tensor<4x6x2x8xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<4x6x4x8xf32>, tensor<4x6x4xf32>)
  %dq, %dk, %dv = nn.attention_grad causal %o, %q, %k, %k result %o lse %lse positions %at, %at scale 0.5 : (tensor<4x6x4x8xf32>, tensor<4x6x4x8xf32>, tensor<4x6x2x8xf32>, tensor<4x6x2x8xf32>, tensor<4x6x4x8xf32>, tensor<4x6x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<4x6x4x8xf32>, tensor<4x6x2x8xf32>, tensor<4x6x2x8xf32>)
  %r = nn.rope %q positions %at theta 1.0e4 dim 8 : tensor<4x6x4x8xf32>, tensor<6xi64>
  return
}

// Sinks are sharded with the query heads, which are in groups by key head.
// CHECK-LABEL: func.func @sinks(
// CHECK: nn.scale {{.*}}dist.shardings = [#dist.sharding<@mesh, [{"tp"}]>]
// CHECK: nn.attention {{.*}}dist.factors = {{\[\[}}"dp"], [], [], ["tp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>], window = 3 : i64}
func.func @sinks(
    %q: tensor<4x6x4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}, {}]>, reason = "test">]},
    %k: tensor<4x6x2x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}, {}]>, reason = "test">]},
    %at: tensor<6xi64>, %sinks: tensor<4xf32>) {
  %s = nn.scale %sinks by 2.0 : tensor<4xf32>
  %o, %lse = nn.attention causal %q, %k, %k positions %at, %at sinks %s scale 0.5 {window = 3 : i64} : (tensor<4x6x4x8xf32>, tensor<4x6x2x8xf32>, tensor<4x6x2x8xf32>, tensor<6xi64>, tensor<6xi64>, tensor<4xf32>) -> (tensor<4x6x4x8xf32>, tensor<4x6x4xf32>)
  return
}

// CHECK-LABEL: func.func @scores(
// CHECK: nn.masked_softmax {{.*}}dist.factors = {{\[\[}}"dp"], ["tp"], [], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}, {}, {}]>, #dist.sharding<@mesh, [{"dp"}, {"tp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {"tp"}, {}]>]
// CHECK: nn.masked_softmax_grad {{.*}}dist.factors = {{\[\[}}"dp"], ["tp"], [], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}, {}, {}]>, #dist.sharding<@mesh, [{"dp"}, {"tp"}, {}, {}]>]
func.func @scores(
    %x: tensor<4x2x6x6xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {"tp"}, {}, {}]>, reason = "test">]},
    %at: tensor<6xi64>,
    %n: tensor<4xi64> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}]>, reason = "test">]},
    %s: tensor<i64>,
    %b: tensor<1x2x1x6xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}, {}, {}]>, reason = "test">]}) {
  %p, %lse, %max = nn.masked_softmax %x positions %at, %at bias %b samples %n seed %s step %s scale 0.5 {p = 0.5, id = 1} : (tensor<4x2x6x6xf32>, tensor<6xi64>, tensor<6xi64>, tensor<1x2x1x6xf32>, tensor<4xi64>, tensor<i64>, tensor<i64>) -> (tensor<4x2x6x6xf32>, tensor<4x2x6xf32>, tensor<4x2x6xf32>)
  %q, %d = nn.masked_softmax_grad %x, %p lse %lse max %max positions %at, %at bias %b samples %n seed %s step %s scale 0.5 {p = 0.5, id = 1} : (tensor<4x2x6x6xf32>, tensor<4x2x6x6xf32>, tensor<4x2x6xf32>, tensor<4x2x6xf32>, tensor<6xi64>, tensor<6xi64>, tensor<1x2x1x6xf32>, tensor<4xi64>, tensor<i64>, tensor<i64>) -> (tensor<4x2x6x6xf32>, tensor<4x2x6x6xf32>)
  return
}

// Rows of a table over tp: a look-up is partial over tp.
// CHECK-LABEL: func.func @tables(
// CHECK: nn.embedding {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.embedding_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]
func.func @tables(
    %ids: tensor<4x6xi64> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "test">]},
    %t: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"tp"}, {}]>, reason = "test">]},
    %dy: tensor<4x6x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {}]>, reason = "test">]}) {
  %x = nn.embedding %ids, %t : tensor<4x6xi64>, tensor<8x4xf32> -> tensor<4x6x4xf32>
  %g = nn.embedding_grad %dy, %ids : tensor<4x6x4xf32>, tensor<4x6xi64> -> tensor<8x4xf32>
  return
}

// A row's choice needs the whole row. Elements of rows over tp: a pick is partial
// over tp, and so is a spread of values over tp.
// CHECK-LABEL: func.func @choices(
// CHECK: nn.top_k {{.*}}dist.factors = {{\[\[}}"dp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.pick {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
// CHECK: nn.spread {{.*}}dist.factors = {{\[\[}}"dp"], [], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]
func.func @choices(
    %s: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {}]>, reason = "test">]},
    %x: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}]>, reason = "test">]}) {
  %i = nn.top_k %s : tensor<4x6x8xf32> -> tensor<4x6x2xi32>
  %v = nn.pick %x, %i : tensor<4x6x8xf32>, tensor<4x6x2xi32> -> tensor<4x6x2xf32>
  %w = nn.spread %v, %i : tensor<4x6x2xf32>, tensor<4x6x2xi32> -> tensor<4x6x8xf32>
  return
}

// Classes over tp.
// CHECK-LABEL: func.func @losses(
// CHECK: nn.cross_entropy {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>, #dist.sharding<@mesh, [{"dp"}, {}]>]
// CHECK: nn.cross_entropy_grad {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.valid {{.*}}dist.factors = {{\[\[}}"dp"], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]
func.func @losses(
    %x: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}]>, reason = "test">]},
    %t: tensor<4x6xi64> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "test">]},
    %m: tensor<4x6xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "test">]}) {
  %l, %lse = nn.cross_entropy %x, %t classes 8 : tensor<4x6x8xf32>, tensor<4x6xi64> -> tensor<4x6xf32>
  %d = nn.cross_entropy_grad %l, %x, %t lse %lse classes 8 : tensor<4x6xf32>, tensor<4x6x8xf32>, tensor<4x6xi64>
  %v = nn.valid %t : tensor<4x6xi64> -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @optimizers(
// CHECK: nn.adamw {{.*}}dist.factors = {{\[\[}}], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>, #dist.sharding<@mesh, [{}, {"tp"}]>]
// CHECK: nn.sgd {{.*}}dist.factors = {{\[\[}}], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]
// CHECK: nn.sum_of_squares {{.*}}dist.factors = {{\[\[}}], ["tp"]], dist.shardings = [#dist.sharding<@mesh, []>]
func.func @optimizers(
    %p: tensor<4x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"tp"}]>, reason = "test">]},
    %s: tensor<f32>,
    %n: tensor<i64>) {
  %a, %b, %c = nn.adamw %p, %p, %p, %p grad_scale %s lr %s betas %s, %s eps %s weight_decay %s step %n : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  %g = nn.sgd %p, %p grad_scale %s lr %s weight_decay %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  %q = nn.sum_of_squares %p : tensor<4x8xf32> -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @moved(
// CHECK: nn.transpose {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {"dp"}, {}]>]
// CHECK: nn.reshape {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}, {}]>]
// CHECK: nn.slice {{.*}}dist.factors = {{\[\[}}"dp"], [], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.pad {{.*}}dist.factors = {{\[\[}}"dp"], [], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.concat {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"], [], []], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.select {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}]>]
// CHECK: nn.insert {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp"}]>]
// CHECK: nn.reduce {{.*}}dist.factors = {{\[\[}}"dp"], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp"}]>]
// CHECK: nn.reduce_max {{.*}}dist.factors = {{\[\[}}], [], ["tp"]], dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]
func.func @moved(
    %x: tensor<4x6x8xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}, {"tp"}]>, reason = "test">]}) {
  %t = nn.transpose %x [2, 0, 1] : tensor<4x6x8xf32> -> tensor<8x4x6xf32>
  %r = nn.reshape %x : tensor<4x6x8xf32> -> tensor<24x2x4xf32>
  %s = nn.slice %x at [0, 1, 0] step [1, 2, 1] : tensor<4x6x8xf32> -> tensor<4x2x8xf32>
  %p = nn.pad %x at [0, 1, 0] step [1, 2, 1] : tensor<4x6x8xf32> -> tensor<4x13x8xf32>
  %c = nn.concat %x, %x along 1 : tensor<4x6x8xf32>, tensor<4x6x8xf32> -> tensor<4x12x8xf32>
  %e = nn.select %x dim 1 index 2 : tensor<4x6x8xf32> -> tensor<4x8xf32>
  %i = nn.insert %e dim 1 index 2 : tensor<4x8xf32> -> tensor<4x6x8xf32>
  %d = nn.reduce %x [1] : tensor<4x6x8xf32> -> tensor<4x8xf32>
  %m = nn.reduce_max %x [0] : tensor<4x6x8xf32> -> tensor<6x8xf32>
  return
}
