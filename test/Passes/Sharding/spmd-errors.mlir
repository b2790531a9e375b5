// Mistakes in one rank's program: each computes other values than its shardings
// say.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// An all_reduce is left out.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @left_out(%x: tensor<4x8xf32> {dist.global = tensor<4x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
                      %w: tensor<8x8xf32> {dist.global = tensor<16x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
    %y = nn.contract "bk,kn->bn" %x, %w {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
        : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    // expected-error @+1 {{is not linear in operand 0, which is partial over ["tp"]}}
    %z = nn.gelu %y {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<4x8xf32>
    return
  }
}

// -----

// An all_reduce is left out before an op that accepts partial sums; but the
// op's sharding says that its result is whole.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @passed(%x: tensor<4x8xf32> {dist.global = tensor<4x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>},
                    %w: tensor<8x8xf32> {dist.global = tensor<16x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
    %y = nn.contract "bk,kn->bn" %x, %w {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
        : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    // expected-error @+1 {{gives result 0 as #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>, but its sharding is #dist.sharding<@mesh, [{}, {}]>}}
    %z = nn.transpose %y [1, 0] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<4x8xf32> -> tensor<8x4xf32>
    return
  }
}

// -----

// An all_reduce twice: the sum of replicated values.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @twice(%x: tensor<4x8xf32> {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
    // expected-error @+1 {{over ["tp"] does not apply to a value with sharding #dist.sharding<@mesh, [{}, {}]>}}
    %y = dist.all_reduce sum %x over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<4x8xf32>
    return
  }
}

// -----

// An all_reduce over another axis of the same size.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @other_axis(%x: tensor<4x8xf32> {dist.global = tensor<8x16xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp"}]>}) {
    // expected-error @+1 {{over ["dp"] does not apply}}
    %y = dist.all_gather %x dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<4x8xf32> -> tensor<4x16xf32>
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @other_part(%x: tensor<4x8xf32> {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
    // expected-error @+1 {{over ["dp"] converts #dist.sharding<@mesh, [{}, {}]> to #dist.sharding<@mesh, [{}, {"dp"}]>, but its result has sharding #dist.sharding<@mesh, [{}, {"tp"}]>}}
    %y = dist.shard_slice %x dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {"tp"}]>]} : tensor<4x8xf32> -> tensor<4x4xf32>
    return
  }
}

// -----

// The order of axes is the order of shards.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @order(%x: tensor<4x8xf32> {dist.global = tensor<16x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "tp"}, {}]>}) {
    // expected-error @+1 {{over ["tp", "dp"] does not apply}}
    %y = dist.all_gather %x dim 0 over ["tp", "dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<4x8xf32> -> tensor<16x8xf32>
    return
  }
}

// -----

// A reduce-scatter of values that are partial over another axis.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  nn.state @grad : tensor<4x8xf32> gradient of @w {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"tp"}>}
  nn.param @w : tensor<4x8xf32> init normal {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @scatter() {
    %g = nn.read @grad : tensor<4x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]}
    // expected-error @+1 {{over ["dp"] does not apply}}
    %y = dist.reduce_scatter %g dim 0 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<4x8xf32> -> tensor<2x8xf32>
    return
  }
}

// -----

// The maximum of partial sums, and the sum of maxima.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["tp"=2]>
  func.func @max(%x: tensor<4x8xf32> {dist.global = tensor<4x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}) {
    %y = nn.reduce %x [1] {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"tp"}>]} : tensor<4x8xf32> -> tensor<4xf32>
    // expected-error @+1 {{over ["tp"] does not apply to a value with sharding #dist.sharding<@mesh, [{}], partial = {"tp"}>}}
    %z = dist.all_reduce max %y over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<4xf32>
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["tp"=2]>
  func.func @sum(%x: tensor<4x8xf32> {dist.global = tensor<4x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}) {
    %first = dist.offset ["tp"] by 8 : tensor<i64>
    %y = nn.row_max %x offset %first : tensor<i64> classes 15 {dist.shardings = [#dist.sharding<@mesh, [{}], partial max = {"tp"}>]} : tensor<4x8xf32> -> tensor<4xf32>
    // expected-error @+1 {{over ["tp"] does not apply to a value with sharding #dist.sharding<@mesh, [{}], partial max = {"tp"}>}}
    %z = dist.all_reduce sum %y over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{}]>]} : tensor<4xf32>
    return
  }
}

// -----

// Classes counted as if they were the first rank's.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @classes(%x: tensor<4x8xf32> {dist.global = tensor<4x16xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}) {
    // expected-error @+1 {{numbers elements of a value with sharding #dist.sharding<@mesh, [{}, {"tp"}]>, but does not start with this rank's}}
    %y = nn.row_max %x classes 7 {dist.shardings = [#dist.sharding<@mesh, [{}], partial max = {"tp"}>]} : tensor<4x8xf32> -> tensor<4xf32>
    return
  }
}

// -----

// Rows of a table counted along another axis, or in other steps.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @rows(%ids: tensor<4xi64> {dist.global = tensor<4xi64>, dist.sharding = #dist.sharding<@mesh, [{}]>},
                  %t: tensor<8x2xf32> {dist.global = tensor<16x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
    %first = dist.offset ["dp"] by 8 : tensor<i64>
    // expected-error @+1 {{does not start with this rank's}}
    %y = nn.embedding %ids, %t offset %first : tensor<i64> {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<4xi64>, tensor<8x2xf32> -> tensor<4x2xf32>
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @steps(%ids: tensor<4xi64> {dist.global = tensor<4xi64>, dist.sharding = #dist.sharding<@mesh, [{}]>},
                   %t: tensor<8x2xf32> {dist.global = tensor<16x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
    %first = dist.offset ["tp"] by 4 : tensor<i64>
    // expected-error @+1 {{does not start with this rank's}}
    %y = nn.embedding %ids, %t offset %first : tensor<i64> {dist.shardings = [#dist.sharding<@mesh, [{}, {}], partial = {"tp"}>]} : tensor<4xi64>, tensor<8x2xf32> -> tensor<4x2xf32>
    return
  }
}

// -----

// Operands of one shape that are shards of different tensors.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @parts(%x: tensor<4x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
                   %y: tensor<4x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}) {
    // expected-error @+1 {{takes operand 1 as #dist.sharding<@mesh, [{"tp"}, {}]>, which does not fit the op's sharding}}
    %z = nn.sum %x, %y {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<4x8xf32>
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @shapes(%x: tensor<4x8xf32> {dist.global = tensor<8x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
                    %y: tensor<4x8xf32> {dist.global = tensor<4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}) {
    // expected-error @+1 {{has shards whose global types do not fit}}
    %z = nn.sum %x, %y {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<4x8xf32>
    return
  }
}

// -----

// A partial gradient for a state that is whole, and a sharded result.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  nn.state @grad : tensor<f32> sum {dist.global = tensor<f32>, dist.sharding = #dist.sharding<@mesh, []>}
  func.func @gradient(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}]>}) {
    %y = nn.reduce %x [0] {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<4xf32> -> tensor<f32>
    // expected-error @+1 {{moves a value with sharding #dist.sharding<@mesh, [], partial = {"dp"}>, but 'grad' has sharding #dist.sharding<@mesh, []>}}
    nn.accumulate %y, @grad : tensor<f32>
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @result(%x: tensor<4xf32> {dist.global = tensor<8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp"}]>})
      -> (tensor<f32> {dist.global = tensor<f32>, dist.sharding = #dist.sharding<@mesh, []>}) {
    %y = nn.reduce %x [0] {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp"}>]} : tensor<4xf32> -> tensor<f32>
    // expected-error @+1 {{returns a partial value}}
    return %y : tensor<f32>
  }
}

// -----

// A constant as a partial sum, and a rank's share with a wrong factor.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @ones() {
    // expected-error @+1 {{has the same elements on each rank, but has sharding}}
    %y = nn.constant dense<1.0> : tensor<4xf32> {dist.shardings = [#dist.sharding<@mesh, [{}], partial = {"dp"}>]}
    return
  }
}

// -----

module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  func.func @share(%x: tensor<f32> {dist.global = tensor<f32>, dist.sharding = #dist.sharding<@mesh, []>}) {
    // expected-error @+1 {{but its sharding is #dist.sharding<@mesh, [], partial = {"dp", "tp"}>}}
    %y = nn.scale %x by 5.0e-01 {dist.shardings = [#dist.sharding<@mesh, [], partial = {"dp", "tp"}>]} : tensor<f32>
    return
  }
}

// -----

// A value without sharding.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["tp"=2]>
  func.func @silent(%x: tensor<4xf32> {dist.global = tensor<4xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}) {
    // expected-error @+1 {{gives result 0, which has no sharding}}
    %y = nn.gelu %x : tensor<4xf32>
    return
  }
}

// -----

// A number that the update increments and does not write.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["tp"=2]>
  nn.state @kept : tensor<i64> number first 0.0 {dist.global = tensor<i64>, dist.sharding = #dist.sharding<@mesh, []>}
  // expected-error @+1 {{is a number that is read in each step, but nothing writes it}}
  nn.state @lost : tensor<i64> number first 0.0 {dist.global = tensor<i64>, dist.sharding = #dist.sharding<@mesh, []>}
  func.func @update() {
    %kept = nn.read @kept : tensor<i64> {dist.shardings = [#dist.sharding<@mesh, []>]}
    %lost = nn.read @lost : tensor<i64> {dist.shardings = [#dist.sharding<@mesh, []>]}
    %next = nn.sum %kept, %lost {dist.shardings = [#dist.sharding<@mesh, []>]} : tensor<i64>
    nn.write %next, @kept : tensor<i64>
    return
  }
}
