// Mistakes in @gather, which gathers working copies of parameter shards.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// Valid: working copies of sharded parameters are gathered before every use.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.a : tensor<64xbf16> copy of @a {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.b : tensor<64xbf16> copy of @b {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.own : tensor<1x32xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @b.own : tensor<1x32xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @a.copy : tensor<1x64xbf16> bucket members [@copy.a] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.copy : tensor<1x64xbf16> bucket members [@copy.b] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @gather() {
    %ao = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ar = nn.cast %ao {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %ag = dist.all_gather %ar dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %ag, @a.copy : tensor<1x64xbf16>
    %bo = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %br = nn.cast %bo {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %bg = dist.all_gather %br dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %bg, @b.copy : tensor<1x64xbf16>
    return
  }
  func.func @update() {
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %p = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %o, @a.own : tensor<1x32xf32>
    nn.write %p, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// The working copies are not gathered.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.a : tensor<64xbf16> copy of @a {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.b : tensor<64xbf16> copy of @b {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.own : tensor<1x32xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @b.own : tensor<1x32xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  // expected-error @+1 {{is sharded between steps, but there is no @gather for it}}
  nn.state @a.copy : tensor<1x64xbf16> bucket members [@copy.a] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.copy : tensor<1x64xbf16> bucket members [@copy.b] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @update() {
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %p = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %o, @a.own : tensor<1x32xf32>
    nn.write %p, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// One of two buckets is not gathered.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.a : tensor<64xbf16> copy of @a {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.b : tensor<64xbf16> copy of @b {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.own : tensor<1x32xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @b.own : tensor<1x32xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  // expected-error @+1 {{is written 0 times by @gather, not once}}
  nn.state @a.copy : tensor<1x64xbf16> bucket members [@copy.a] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.copy : tensor<1x64xbf16> bucket members [@copy.b] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @gather() {
    %bo = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %br = nn.cast %bo {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %bg = dist.all_gather %br dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %bg, @b.copy : tensor<1x64xbf16>
    return
  }
  func.func @update() {
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %p = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %o, @a.own : tensor<1x32xf32>
    nn.write %p, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// Gathered from the shard of another bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.a : tensor<64xbf16> copy of @a {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.b : tensor<64xbf16> copy of @b {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.own : tensor<1x32xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @b.own : tensor<1x32xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @a.copy : tensor<1x64xbf16> bucket members [@copy.a] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.copy : tensor<1x64xbf16> bucket members [@copy.b] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @gather() {
    %ao = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ar = nn.cast %ao {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %ag = dist.all_gather %ar dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    // expected-error @+1 {{writes 'a.copy', but not the all_gather of its shard 'a.own' over all ranks}}
    nn.write %ag, @a.copy : tensor<1x64xbf16>
    %bo = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %br = nn.cast %bo {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %bg = dist.all_gather %br dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %bg, @b.copy : tensor<1x64xbf16>
    return
  }
  func.func @update() {
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %p = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %o, @a.own : tensor<1x32xf32>
    nn.write %p, @b.own : tensor<1x32xf32>
    return
  }
}

// -----

// @update uses the working copies, which were gathered before the last update.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.a : tensor<64xbf16> copy of @a {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @copy.b : tensor<64xbf16> copy of @b {dist.global = tensor<64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.own : tensor<1x32xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @b.own : tensor<1x32xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.state @a.copy : tensor<1x64xbf16> bucket members [@copy.a] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.copy : tensor<1x64xbf16> bucket members [@copy.b] at [0] {dist.global = tensor<1x64xbf16>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  func.func @gather() {
    %ao = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %ar = nn.cast %ao {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %ag = dist.all_gather %ar dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %ag, @a.copy : tensor<1x64xbf16>
    %bo = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %br = nn.cast %bo {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %bg = dist.all_gather %br dim 1 over ["dp"] {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    nn.write %bg, @b.copy : tensor<1x64xbf16>
    return
  }
  func.func @update() {
    // expected-error @+1 {{uses 'a.copy' in @update, where it is stale: its shard is 'a.own'}}
    %x = nn.read @a.copy : tensor<1x64xbf16> {dist.shardings = [#dist.sharding<@mesh, [{}, {}]>]}
    %o = nn.read @a.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    %p = nn.read @b.own : tensor<1x32xf32> {dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}]>]}
    nn.write %o, @a.own : tensor<1x32xf32>
    nn.write %p, @b.own : tensor<1x32xf32>
    return
  }
}
