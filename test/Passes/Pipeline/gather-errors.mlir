// Mistakes in gathers: tasks compute with working copies that are gathered from
// the parameter shards, before every use.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipe-check

// A valid program.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// A gather that comes too late.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    // expected-error @+1 {{task 'forward' uses 'copy.a', which is stale: no task has gathered 'a.copy' from its shards, 'a.own'}}
    pipe.run @forward microbatch 0
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @update
  }
}

// -----

// A gather that is left out.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.1
    // expected-error @+1 {{task 'forward' uses 'copy.a', which is stale}}
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// The shard of another bucket.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  // expected-error @+1 {{task 'gather.0' computes 'a.copy' from 'b.own', not by one all_gather of its shards, 'a.own'}}
  pipe.task @gather.0 stage 0 gather calls @gather (@b.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// A use after the shard has changed.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 update calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @update
    // expected-error @+1 {{task 'forward' uses 'copy.a', which is stale}}
    pipe.run @forward
  }
}

// -----

// A working copy that another task writes.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    %p = dist.all_gather %s dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 update calls @gather (@a.own, @a.copy) -> (@a.copy)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.copy) -> (@b.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    // expected-error @+1 {{task 'gather.0' writes 'a.copy', of which only the shard 'a.own' may be updated}}
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// Valid: rounded by one task, gathered by another.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.value @part : tensor<1x32xbf16> {dist.sharding = #dist.sharding<*, dp>}
  pipe.body @round (%own: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xbf16>) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    pipe.yield %s : tensor<1x32xbf16>
  }
  pipe.body @gather (%part: tensor<1x32xbf16> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %p = dist.all_gather %part dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @round.0 stage 0 gather calls @round (@a.own) -> (@part)
  pipe.task @gather.0 stage 0 gather calls @gather (@part, @a.copy) -> (@a.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @round.0
    pipe.run @gather.0
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// The rounded shard is of another bucket.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.value @part : tensor<1x32xbf16> {dist.sharding = #dist.sharding<*, dp>}
  pipe.body @round (%own: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xbf16>) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    pipe.yield %s : tensor<1x32xbf16>
  }
  pipe.body @gather (%part: tensor<1x32xbf16> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %p = dist.all_gather %part dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @round.0 stage 0 gather calls @round (@b.own) -> (@part)
  // expected-error @+1 {{task 'gather.0' computes 'a.copy' from 'part', not by one all_gather of its shards, 'a.own'}}
  pipe.task @gather.0 stage 0 gather calls @gather (@part, @a.copy) -> (@a.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @round.0
    pipe.run @gather.0
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// Gathered before it is rounded.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.value @part : tensor<1x32xbf16> {dist.sharding = #dist.sharding<*, dp>}
  pipe.body @round (%own: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xbf16>) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    pipe.yield %s : tensor<1x32xbf16>
  }
  pipe.body @gather (%part: tensor<1x32xbf16> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %p = dist.all_gather %part dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @round.0 stage 0 gather calls @round (@a.own) -> (@part)
  pipe.task @gather.0 stage 0 gather calls @gather (@part, @a.copy) -> (@a.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    // expected-error @+1 {{task 'gather.0' uses 'part', which is stale: no task has computed it from 'a.own'}}
    pipe.run @gather.0
    pipe.run @round.0
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// A value other than the rounded shard.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.value @part : tensor<1x32xbf16> {dist.sharding = #dist.sharding<*, dp>}
  pipe.body @round (%own: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xbf16>) {
    %s = nn.gelu tanh %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %t = nn.cast %s {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    pipe.yield %t : tensor<1x32xbf16>
  }
  pipe.body @gather (%part: tensor<1x32xbf16> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %p = dist.all_gather %part dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  // expected-error @+1 {{task 'round.0' may not produce 'part' by nn.gelu}}
  pipe.task @round.0 stage 0 gather calls @round (@a.own) -> (@part)
  pipe.task @gather.0 stage 0 gather calls @gather (@part, @a.copy) -> (@a.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @round.0
    pipe.run @gather.0
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// The shard has changed since it was rounded.
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
  pipe.value @x : tensor<64xbf16> {dist.sharding = #dist.sharding<*>}
  pipe.value @part : tensor<1x32xbf16> {dist.sharding = #dist.sharding<*, dp>}
  pipe.body @round (%own: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xbf16>) {
    %s = nn.cast %own {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32> -> tensor<1x32xbf16>
    pipe.yield %s : tensor<1x32xbf16>
  }
  pipe.body @gather (%part: tensor<1x32xbf16> as #dist.sharding<*, dp>, %row: tensor<1x64xbf16> as #dist.sharding<*, *>) -> (tensor<1x64xbf16> into 1) {
    %p = dist.all_gather %part dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xbf16> -> tensor<1x64xbf16>
    pipe.yield %p : tensor<1x64xbf16>
  }
  pipe.body @use (%w: tensor<64xbf16> as #dist.sharding<*>) -> (tensor<64xbf16>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xbf16>
    pipe.yield %y : tensor<64xbf16>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @round.0 stage 0 gather calls @round (@a.own) -> (@part)
  pipe.task @gather.0 stage 0 gather calls @gather (@part, @a.copy) -> (@a.copy)
  pipe.task @forward stage 0 forward_backward calls @use (@copy.a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @round.0
    pipe.run @update
    // expected-error @+1 {{task 'gather.0' uses 'part', which is stale: no task has computed it from 'a.own' since that changed}}
    pipe.run @gather.0
    pipe.run @forward microbatch 0
  }
}
