// Mistakes in one rank's program with experts: each computes other values than
// its shardings say.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// As it is.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// The ids are counted from the first expert of another number of experts.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 4 : tensor<i64>
    // expected-error @+1 {{numbers elements of a value with sharding #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>, but does not start with this rank's}}
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// Or along another axis.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["tp"] by 2 : tensor<i64>
    // expected-error @+1 {{does not start with this rank's}}
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// Or from 0.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    // expected-error @+1 {{does not start with this rank's}}
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// w1 is split otherwise than w2: its experts over tp.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}, {"ep"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}, {}, {"ep"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    // expected-error @+1 {{takes operand 4 as #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>, which does not fit the op's sharding}}
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// Tokens are gathered over ep, ids over dp: they choose for other tokens.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"ep", "dp"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    // expected-error @+1 {{takes operand 1 as #dist.sharding<@mesh, [{"ep"}, {}, {}]>, which does not fit the op's sharding}}
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %s = dist.reduce_scatter %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// The reduce_scatter is left out, and the rank's part of the result taken.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    // expected-error @+1 {{over ["ep"] does not apply to a value with sharding #dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>}}
    %s = dist.shard_slice %y dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// The result is reduced twice.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    %t = dist.all_reduce sum %y over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32>
    // expected-error @+1 {{over ["ep"] does not apply to a value with sharding #dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"tp"}>}}
    %s = dist.reduce_scatter %t dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// The result is scattered over the ranks that have other tokens.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
  nn.param @w1 : tensor<2x2x3x8xf32> init normal {dist.global = tensor<4x2x6x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>}
  nn.param @w2 : tensor<2x8x3xf32> init normal {dist.global = tensor<4x8x6xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>}
  func.func @layer(%x: tensor<2x4x8xf32> {dist.global = tensor<8x4x8xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %ids: tensor<2x4x2xi32> {dist.global = tensor<8x4x2xi32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>},
                   %gates: tensor<2x4x2xf32> {dist.global = tensor<8x4x2xf32>, dist.sharding = #dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>}) {
    %w1 = nn.read @w1 : tensor<2x2x3x8xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}, {}]>]}
    %w2 = nn.read @w2 : tensor<2x8x3xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {"tp"}]>]}
    %ax = dist.all_gather %x dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
    %aids = dist.all_gather %ids dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xi32> -> tensor<4x4x2xi32>
    %agates = dist.all_gather %gates dim 0 over ["ep"] {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}]>]} : tensor<2x4x2xf32> -> tensor<4x4x2xf32>
    %first = dist.offset ["ep"] by 2 : tensor<i64>
    %y = nn.experts silu %ax ids %aids gates %agates w1 %w1 w2 %w2 offset %first
        {dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>]}
        : (tensor<4x4x8xf32>, tensor<4x4x2xi32>, tensor<4x4x2xf32>, tensor<2x2x3x8xf32>, tensor<2x8x3xf32>, tensor<i64>) -> tensor<4x4x8xf32>
    // expected-error @+1 {{over ["dp"] does not apply to a value with sharding #dist.sharding<@mesh, [{"dp"}, {}, {}], partial = {"ep", "tp"}>}}
    %s = dist.reduce_scatter %y dim 0 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}], partial = {"tp"}>]} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
    %r = dist.all_reduce sum %s over ["tp"] {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    %z = nn.sum %x, %r {dist.shardings = [#dist.sharding<@mesh, [{"dp", "ep"}, {}, {}]>]} : tensor<2x4x8xf32>
    return
  }
}

// -----

// Gradients of experts are no sums over ep: ranks along it have different ones.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2]>
  nn.param @w2 : tensor<2x8x4xf32> init normal {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>}
  nn.state @grad.w2 : tensor<2x8x4xf32> gradient of @w2 {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}], partial = {"dp"}>}
  func.func @update() {
    %g = nn.read @grad.w2 : tensor<2x8x4xf32> {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {}], partial = {"dp"}>]}
    // expected-error @+1 {{over ["dp", "ep"] does not apply to a value with sharding #dist.sharding<@mesh, [{"ep"}, {}, {}], partial = {"dp"}>}}
    %r = dist.all_reduce sum %g over ["dp", "ep"] {dist.shardings = [#dist.sharding<@mesh, [{"ep"}, {}, {}]>]} : tensor<2x8x4xf32>
    return
  }
}

// -----

// Nor has a rank a shard over ep of its experts' state.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2]>
  nn.param @w2 : tensor<2x8x4xf32> init normal {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>}
  nn.state @exp_avg.w2 : tensor<2x8x4xf32> exp_avg of @w2 {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>}
  // expected-error @+1 {{has members sharded over [], but 'exp_avg.w2' is sharded over ["ep"]}}
  nn.state @bucket.0.exp_avg : tensor<1x32xf32> bucket members [@exp_avg.w2] at [0] {dist.global = tensor<1x128xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp", "ep"}]>}
}

// -----

// Its shards are over dp.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "ep"=2, "cp"=2]>
  nn.param @w2 : tensor<2x8x4xf32> init normal {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>}
  nn.state @exp_avg.w2 : tensor<2x8x4xf32> exp_avg of @w2 {dist.global = tensor<4x8x4xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {}, {}]>}
  // expected-error @+1 {{is sharded over ["dp"], not over all data axes: ["dp", "cp"]}}
  nn.state @bucket.0.exp_avg : tensor<1x32xf32> bucket members [@exp_avg.w2] at [0] {dist.global = tensor<2x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"ep"}, {"dp"}]>}
}
