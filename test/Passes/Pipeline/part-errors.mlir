// Mistakes with sharded buckets: they are gathered before every use, and the
// shard is updated under a separate name.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipe-check

// A valid program.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// A bucket that is gathered too late.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.1
    // expected-error @+1 {{task 'forward' uses 'a', which is stale: no task has gathered 'a.row' from its shards, 'a.own'}}
    pipe.run @forward microbatch 0
    pipe.run @gather.0
    pipe.run @update
  }
}

// -----

// A bucket that is not gathered.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.1
    // expected-error @+1 {{task 'forward' uses 'a', which is stale: no task has gathered 'a.row' from its shards, 'a.own'}}
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// A use after the shard has changed.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 reduce calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @update
    // expected-error @+1 {{task 'forward' uses 'a', which is stale: no task has gathered 'a.row' from its shards, 'a.own'}}
    pipe.run @forward
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
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  // expected-error @+1 {{task 'gather.0' computes 'a.row' from 'b.own', not by one all_gather of its shards, 'a.own'}}
  pipe.task @gather.0 stage 0 gather calls @gather (@b.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}

// -----

// Another task writes a bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.body @whole (%a: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 0) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x64xf32>
    pipe.yield %c : tensor<1x64xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  pipe.task @update stage 0 update calls @change (@a.own, @b.own) -> (@a.own, @b.own)
  pipe.task @more stage 0 update calls @whole (@a.row) -> (@a.row)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    // expected-error @+1 {{task 'more' writes 'a.row', of which only the shard 'a.own' may be updated}}
    pipe.run @more
    pipe.run @update
  }
}

// -----

// A task that has a shard and its bucket under two names.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=2]>
  nn.param @a : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @a.row : tensor<1x64xf32> bucket members [@a] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @a.own : tensor<1x32xf32> part of @a.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  nn.param @b : tensor<64xf32> init normal {dist.global = tensor<64xf32>, dist.sharding = #dist.sharding<@mesh, [{}]>}
  nn.state @b.row : tensor<1x64xf32> bucket members [@b] at [0] {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}]>}
  nn.state @b.own : tensor<1x32xf32> part of @b.row {dist.global = tensor<1x64xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}]>}
  pipe.value @x : tensor<64xf32> {dist.sharding = #dist.sharding<*>}
  pipe.body @gather (%own: tensor<1x32xf32> as #dist.sharding<*, dp>, %row: tensor<1x64xf32> as #dist.sharding<*, *>) -> (tensor<1x64xf32> into 1) {
    %p = dist.all_gather %own dim 1 over ["dp"] {dist.shardings = [#dist.sharding<*, *>]} : tensor<1x32xf32> -> tensor<1x64xf32>
    pipe.yield %p : tensor<1x64xf32>
  }
  pipe.body @use (%w: tensor<64xf32> as #dist.sharding<*>) -> (tensor<64xf32>) {
    %y = nn.gelu tanh %w {dist.shardings = [#dist.sharding<*>]} : tensor<64xf32>
    pipe.yield %y : tensor<64xf32>
  }
  pipe.body @change (%a: tensor<1x32xf32> as #dist.sharding<*, dp>, %b: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 0, tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    %d = nn.scale %b by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c, %d : tensor<1x32xf32>, tensor<1x32xf32>
  }
  pipe.body @mix (%w: tensor<64xf32> as #dist.sharding<*>, %a: tensor<1x32xf32> as #dist.sharding<*, dp>) -> (tensor<1x32xf32> into 1) {
    %c = nn.scale %a by 0.5 {dist.shardings = [#dist.sharding<*, dp>]} : tensor<1x32xf32>
    pipe.yield %c : tensor<1x32xf32>
  }
  pipe.task @gather.0 stage 0 gather calls @gather (@a.own, @a.row) -> (@a.row)
  pipe.task @gather.1 stage 0 gather calls @gather (@b.own, @b.row) -> (@b.row)
  pipe.task @forward stage 0 forward_backward calls @use (@a) -> (@x)
  // expected-error @+1 {{task 'update' uses 'a' together with 'a.own', which is a shard of it or of its bucket}}
  pipe.task @update stage 0 update calls @mix (@a, @a.own) -> (@a.own)
  pipe.schedule train stage 0 microbatches 1 {
    pipe.run @gather.0
    pipe.run @gather.1
    pipe.run @forward microbatch 0
    pipe.run @update
  }
}
