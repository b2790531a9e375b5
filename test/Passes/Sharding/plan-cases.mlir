// Reshards that cannot be inserted, and valid plans that look broken.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-propagate -dist-insert-reshards -o /dev/null

// A state has the sharding of the first value accumulated into it; a whole
// value added to a partial state would be counted once per rank.
dist.mesh @mesh = <["dp"=2]>
// expected-note @below {{the state is here}}
nn.state @sum : tensor<4xf32> sum
func.func @microbatch(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "batch">]},
    %y: tensor<4xf32>) {
  %s = nn.reduce %x [0] : tensor<8x4xf32> -> tensor<4xf32>
  nn.accumulate %s, @sum : tensor<4xf32>
  // expected-error @below {{adds a value with sharding #dist.sharding<@mesh, [{}]> to a state with sharding #dist.sharding<@mesh, [{}], partial = {"dp"}>}}
  nn.accumulate %y, @sum : tensor<4xf32>
  return
}

// -----

// Valid in the other order: the second value is resolved before it is added.
dist.mesh @mesh = <["dp"=2]>
nn.state @sum : tensor<4xf32> sum
func.func @microbatch(
    %x: tensor<8x4xf32> {dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{"dp"}, {}]>, reason = "batch">]},
    %y: tensor<4xf32>) {
  %s = nn.reduce %x [0] : tensor<8x4xf32> -> tensor<4xf32>
  nn.accumulate %y, @sum : tensor<4xf32>
  nn.accumulate %s, @sum : tensor<4xf32>
  return
}

// -----

// Each axis divides the dim, but both together do not.
dist.mesh @mesh = <["dp"=2, "tp"=2]>
// expected-error @below {{cannot split 'w' 2 ways over mesh axis "tp": dim 0 of 'tensor<6xf32>' is not a multiple of 4}}
// expected-note @below {{asked for as: second}}
nn.param @w : tensor<6xf32> init normal {dist.seeds = [
    #dist.seed<level = 0, result = 0, sharding = <@mesh, [{"dp", ?}]>, reason = "first">,
    #dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}]>, reason = "second">]}
