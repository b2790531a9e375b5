// Mistakes with buckets of parameters that are sharded between steps and
// gathered for a step.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// Buckets that @gather gathers from their shards; valid.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// They are not gathered.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  // expected-error @+1 {{is sharded between steps, but there is no @gather for it}}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// One of two is not gathered.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  // expected-error @+1 {{is written 0 times by @gather, not once}}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// Gathered from the shard of another bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    // expected-error @+1 {{writes 'a.row', but not the all_gather of its shard 'a.own' over all ranks}}
    nn.write %ag, @a.row : tensor<1x64xf32>
    %c = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %cg = dist.all_gather %c dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %cg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// @update uses a gathered bucket, which was gathered before the last update.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    // expected-error @+1 {{uses 'a.row' in @update, where it is stale: its shard is 'a.own'}}
    %r = nn.read @a.row : tensor<1x64xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]}
    return
  }
}

// -----

// @update uses a member of such a bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    // expected-error @+1 {{uses 'a' in @update, where it is stale: its shard is 'a.own'}}
    %r = nn.read @a : tensor<64xf32> {dist.shardings = [#dist.sharding<@mesh, [{}]>]}
    return
  }
}

// -----

// @update does not update a shard.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  // expected-error @+1 {{is written 0 times by @update, not once}}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    return
  }
}

// -----

// A microbatch changes a shard.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @microbatch() {
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    // expected-error @+1 {{writes 'a.own', which only @update may write: 'a.row' is gathered from it}}
    nn.write %o, @a.own : tensor<1x32xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// A microbatch changes a parameter.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  func.func @gather() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ag = dist.all_gather %a dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %ag, @a.row : tensor<1x64xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %bg = dist.all_gather %b dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    nn.write %bg, @b.row : tensor<1x64xf32>
    return
  }
  func.func @microbatch() {
    %o = nn.read @a : tensor<64xf32> {dist.shardings = [#dist.sharding<@mesh, [{}]>]}
    // expected-error @+1 {{writes 'a', but only its shard 'a.own' may be written}}
    nn.write %o, @a : tensor<64xf32>
    return
  }
  func.func @update() {
    %a = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %a, @a.own : tensor<1x32xf32>
    %b = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %b, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// Two shards of one bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  // expected-error @+1 {{is a shard of 'a.row', but so is 'a.own'}}
  nn.state @a.two : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
}

// -----

// A shard of gradients.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @grad.a : tensor<64xf32> gradient of @a {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@grad.a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  // expected-error @+1 {{is a shard of 'a.row', which is no unsharded bucket of parameters}}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
}

// -----

// A shard for each tensor parallel rank.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2, "tp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  // expected-error @+1 {{is no shard of 'a.row' over the data axes}}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}]>}
}

// -----

// A shard that is too short.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  // expected-error @+1 {{has 16 elements of 64 on each of 2 ranks}}
  nn.state @a.own : tensor<1x16xf32> part of @a.row {dist.global = tensor<1x32xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
}

// -----

// A shard of a state that is not a bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  // expected-error @+1 {{is a shard, which needs 'of' with a bucket, and no 'first'}}
  nn.state @a.own : tensor<1x32xf32> part of @a {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
}
