// Schedules that the checker must reject, one mistake each.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipe-check

pipe.value @a : tensor<2xf32>
// expected-error @+1 {{task 'f' does not run on microbatch 1}}
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @f microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  // expected-error @+1 {{task 'f' runs twice on microbatch 0}}
  pipe.run @f microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@a)
pipe.body @b.body (%x: tensor<2xf32>) { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{task 'b' needs value 'a' of microbatch 0, which is not available}}
  pipe.run @b microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{value 'a' of microbatch 0 is sent before it is available}}
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.recv @a microbatch 0 from 0 channel 0
}

// -----

// The transfers of a channel have the same order on both stages.
pipe.value @a : tensor<2xf32>
pipe.value @c : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a, @c)
pipe.body @f.body () -> (tensor<2xf32>, tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x, %x : tensor<2xf32>, tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  // expected-note @+1 {{it is sent here}}
  pipe.send @a microbatch 0 to 1 channel 0
  pipe.send @c microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  // expected-error @+1 {{stage 1 receives 'c' of microbatch 0 where stage 0 sends 'a' of microbatch 0}}
  pipe.recv @c microbatch 0 from 0 channel 0
  pipe.recv @a microbatch 0 from 0 channel 0
}

// -----

// Two stages that both send first wait forever if a send waits for its receive.
// expected-error @+1 {{the stages wait for each other forever}}
module {
pipe.value @a : tensor<2xf32>
pipe.value @c : tensor<2xf32>
pipe.task @f0 stage 0 forward calls @f0.body () -> (@a)
pipe.body @f0.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @f1 stage 1 forward calls @f1.body () -> (@c)
pipe.body @f1.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f0 microbatch 0
  // expected-note @+1 {{stage 0 waits to send 'a' of microbatch 0 to stage 1}}
  pipe.send @a microbatch 0 to 1 channel 0
  pipe.recv @c microbatch 0 from 1 channel 1
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.run @f1 microbatch 0
  // expected-note @+1 {{stage 1 waits to send 'c' of microbatch 0 to stage 0}}
  pipe.send @c microbatch 0 to 0 channel 1
  pipe.recv @a microbatch 0 from 0 channel 0
}
}

// -----

pipe.task @f stage 0 forward calls @f.body ()
pipe.body @f.body () { pipe.yield }
pipe.task @b stage 0 backward calls @b.body ()
pipe.body @b.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 2 attributes {live = 1 : i64} {
  pipe.run @f microbatch 0
  // expected-error @+1 {{stage 0 holds 2 microbatches, but declares 1}}
  pipe.run @f microbatch 1
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
}

// -----

pipe.task @f stage 0 forward calls @f.body ()
pipe.body @f.body () { pipe.yield }
pipe.task @u stage 0 update calls @u.body ()
pipe.body @u.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @f microbatch 0
  pipe.run @u
  // expected-error @+1 {{task 'f' runs on microbatch 1 after 'u', which needs all of them}}
  pipe.run @f microbatch 1
}

// -----

// expected-error @+1 {{stage 0 has no schedule}}
module {
pipe.task @f stage 1 forward calls @f.body ()
pipe.body @f.body () { pipe.yield }
pipe.schedule train stage 1 microbatches 1 {
  pipe.run @f microbatch 0
}
}

// -----

nn.param @w : tensor<2xf32> init normal
pipe.value @y : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body ()
pipe.body @f.body () { pipe.yield }
// expected-error @+1 {{task 'e' evaluates parameter 'w', which stage 0 does not train}}
pipe.task @e stage 0 evaluate calls @e.body (@w) -> (@y)
pipe.body @e.body (%w: tensor<2xf32>) -> (tensor<2xf32>) {
  %y = nn.tanh %w : tensor<2xf32>
  pipe.yield %y : tensor<2xf32>
}

// -----

// A result, like an update, needs all microbatches.
pipe.task @e stage 0 evaluate calls @e.body ()
pipe.body @e.body () { pipe.yield }
pipe.task @r stage 0 evaluate_result calls @r.body ()
pipe.body @r.body () { pipe.yield }
pipe.schedule evaluate stage 0 microbatches 2 {
  pipe.run @e microbatch 0
  pipe.run @r
  // expected-error @+1 {{task 'e' runs on microbatch 1 after 'r', which needs all of them}}
  pipe.run @e microbatch 1
}

// -----

// A collective over stages waits for all of them. Stage 0 reaches it before it
// sends the value that stage 1 needs to reach it.
// expected-error @+1 {{the stages wait for each other forever}}
module {
pipe.value @a : tensor<f32>
pipe.task @t stage 0 update calls @t.body () -> (@a)
pipe.body @t.body () -> (tensor<f32>) {
  %x = nn.constant dense<1.0> : tensor<f32>
  pipe.yield %x : tensor<f32>
}
pipe.task @u0 stage 0 update calls @u0.body ()
pipe.body @u0.body () {
  %x = nn.constant dense<1.0> : tensor<f32>
  %y = dist.all_reduce sum %x over ["pp"] : tensor<f32>
  pipe.yield
}
pipe.task @u1 stage 1 update calls @u1.body (@a)
pipe.body @u1.body (%a: tensor<f32>) {
  %y = dist.all_reduce sum %a over ["pp"] : tensor<f32>
  pipe.yield
}
dist.mesh @mesh = <["pp"=2]>
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @t
  // expected-note @+1 {{stage 0 waits in 'u0' for other stages to do dist.all_reduce}}
  pipe.run @u0
  pipe.send @a microbatch 0 to 1 channel 2
}
pipe.schedule train stage 1 microbatches 1 {
  // expected-note @+1 {{stage 1 waits to receive 'a' of microbatch 0 from stage 0}}
  pipe.recv @a microbatch 0 from 0 channel 2
  pipe.run @u1
}
}

// -----

// All stages must issue the same collective.
// expected-error @+1 {{the stages wait for each other forever}}
module {
dist.mesh @mesh = <["pp"=2]>
pipe.task @u0 stage 0 update calls @u0.body ()
pipe.body @u0.body () {
  %x = nn.constant dense<1.0> : tensor<f32>
  %y = dist.all_reduce sum %x over ["pp"] : tensor<f32>
  pipe.yield
}
pipe.task @u1 stage 1 update calls @u1.body ()
pipe.body @u1.body () {
  %x = nn.constant dense<1.0> : tensor<f32>
  %y = dist.all_reduce max %x over ["pp"] : tensor<f32>
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 {
  // expected-note @+1 {{stage 0 waits in 'u0' for other stages to do dist.all_reduce}}
  pipe.run @u0
}
pipe.schedule train stage 1 microbatches 1 {
  // expected-note @+1 {{stage 1 waits in 'u1' for other stages to do dist.all_reduce}}
  pipe.run @u1
}
}

// -----

pipe.schedule train stage 0 microbatches 1 { }
// expected-error @+1 {{stage 0 has two schedules}}
pipe.schedule train stage 0 microbatches 1 { }

// -----

pipe.schedule train stage 0 microbatches 1 { }
// expected-error @+1 {{has 2 microbatches, but stage 0 has 1}}
pipe.schedule train stage 1 microbatches 2 { }

// -----

// expected-error @+1 {{the mesh has 3 stages, but the number of schedules is 2}}
dist.mesh @mesh = <["pp"=3]>
pipe.schedule train stage 0 microbatches 1 { }
pipe.schedule train stage 1 microbatches 1 { }

// -----

// expected-error @+1 {{task 'e' is of stage 0, which has no schedule}}
pipe.task @e stage 0 evaluate calls @e.body ()
pipe.body @e.body () { pipe.yield }

// -----

// A stage's own update must use the gradients that the stage accumulates,
nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'f' adds to 's', which no task of stage 0 uses at the end of a step}}
pipe.task @f stage 0 forward calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %sum = nn.sum %s, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.task @u stage 1 update calls @u.body (@s) -> (@s)
pipe.body @u.body (%x: tensor<f32>) -> (tensor<f32> into 0) {
  pipe.yield %x : tensor<f32>
}

// -----

// and clear them.
nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'f' adds to 's', which no task of stage 0 clears at the end of a step}}
pipe.task @f stage 0 forward calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %sum = nn.sum %s, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.output @o : tensor<f32> name "o"
pipe.task @u stage 0 update calls @u.body (@s) -> (@o)
pipe.body @u.body (%s: tensor<f32>) -> (tensor<f32>) {
  pipe.yield %s : tensor<f32>
}

// -----

pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @g stage 0 forward calls @g.body () -> (@a)
pipe.body @g.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  // expected-error @+1 {{value 'a' of microbatch 0 is computed twice}}
  pipe.run @g microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{there is no stage 1}}
  pipe.recv @a microbatch 0 from 1 channel 0
}

// -----

// Both sides of a transfer must name the same microbatch.
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @f microbatch 0
  // expected-note @+1 {{it is sent here}}
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 2 {
  // expected-error @+1 {{stage 1 receives 'a' of microbatch 1 where stage 0 sends 'a' of microbatch 0}}
  pipe.recv @a microbatch 1 from 0 channel 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  pipe.send @a microbatch 0 to 1 channel 0
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.recv @a microbatch 0 from 0 channel 0
  // expected-error @+1 {{value 'a' of microbatch 0 is received twice}}
  pipe.recv @a microbatch 0 from 0 channel 0
}

// -----

// A stage that is done sends nothing any more.
// expected-error @+2 {{the stages wait for each other forever}}
// expected-note @+1 {{stage 0 is done}}
module {
pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 { }
pipe.schedule train stage 1 microbatches 1 {
  // expected-note @+1 {{stage 1 waits to receive 'a' of microbatch 0 from stage 0}}
  pipe.recv @a microbatch 0 from 0 channel 0
}
}

// -----

// Channels are independent.
// expected-error @+1 {{the stages wait for each other forever}}
module {
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  // expected-note @+1 {{stage 0 waits to send 'a' of microbatch 0 to stage 1}}
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  // expected-note @+1 {{stage 1 waits to receive 'a' of microbatch 0 from stage 0}}
  pipe.recv @a microbatch 0 from 0 channel 1
}
}

// -----

// Valid: both directions at once, a collective over stages, and as many
// microbatches as declared.
dist.mesh @mesh = <["dp"=3, "pp"=2]>
pipe.value @a : tensor<f32>
pipe.value @b : tensor<f32>
pipe.task @f0 stage 0 forward calls @f0.body () -> (@a)
pipe.body @f0.body () -> (tensor<f32>) {
  %x = nn.constant dense<1.0> : tensor<f32>
  pipe.yield %x : tensor<f32>
}
pipe.task @f1 stage 1 forward calls @f1.body () -> (@b)
pipe.body @f1.body () -> (tensor<f32>) {
  %x = nn.constant dense<1.0> : tensor<f32>
  pipe.yield %x : tensor<f32>
}
pipe.task @b0 stage 0 backward calls @b0.body (@b)
pipe.body @b0.body (%b: tensor<f32>) { pipe.yield }
pipe.task @b1 stage 1 backward calls @b1.body (@a)
pipe.body @b1.body (%a: tensor<f32>) { pipe.yield }
pipe.task @u0 stage 0 update calls @u0.body ()
pipe.body @u0.body () {
  %x = nn.constant dense<1.0> : tensor<f32>
  %y = dist.all_reduce sum %x over ["pp"] : tensor<f32>
  %z = dist.all_reduce max %y over ["pp"] : tensor<f32>
  pipe.yield
}
pipe.task @u1 stage 1 update calls @u1.body ()
pipe.body @u1.body () {
  %x = nn.constant dense<1.0> : tensor<f32>
  %y = dist.all_reduce sum %x over ["pp"] : tensor<f32>
  %z = dist.all_reduce max %y over ["pp"] : tensor<f32>
  pipe.yield
}
pipe.schedule train stage 1 microbatches 2 attributes {live = 1 : i64} {
  pipe.run @f1 microbatch 0
  pipe.exchange @b microbatch 0 to 0 channel 1, @a microbatch 0 from 0 channel 0
  pipe.run @b1 microbatch 0
  pipe.run @f1 microbatch 1
  pipe.exchange @b microbatch 1 to 0 channel 1, @a microbatch 1 from 0 channel 0
  pipe.run @b1 microbatch 1
  pipe.run @u1
}
pipe.schedule train stage 0 microbatches 2 attributes {live = 1 : i64} {
  pipe.run @f0 microbatch 0
  pipe.exchange @a microbatch 0 to 1 channel 0, @b microbatch 0 from 1 channel 1
  pipe.run @b0 microbatch 0
  pipe.run @f0 microbatch 1
  pipe.exchange @a microbatch 1 to 1 channel 0, @b microbatch 1 from 1 channel 1
  pipe.run @b0 microbatch 1
  pipe.run @u0
}

// -----

// expected-error @+1 {{task 'u' does not run on microbatch 0}}
pipe.task @u stage 0 update calls @u.body ()
pipe.body @u.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 2 { }

// -----

// A mesh without an axis of stages has one stage.
// expected-error @+1 {{the mesh has 1 stages, but the number of schedules is 2}}
dist.mesh @mesh = <["dp"=2]>
pipe.schedule train stage 0 microbatches 1 { }
pipe.schedule train stage 1 microbatches 1 { }

// -----

dist.mesh @mesh = <["dp"=2]>
pipe.schedule train stage 0 microbatches 1 { }

// -----

// expected-error @+1 {{stage 1 has no schedule}}
module {
pipe.schedule train stage 0 microbatches 1 { }
pipe.schedule train stage 2 microbatches 1 { }
}

// -----

// A count that is accumulated before the microbatches is read by them and
// cleared; a forward-only program trains nothing that it reads.
nn.param @w : tensor<f32> init normal
nn.state @count : tensor<f32> sum {nn.ahead}
pipe.task @counts stage 0 forward_backward calls @counts.body
    (@count) -> (@count) {nn.ahead}
pipe.body @counts.body (%count: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %sum = nn.sum %count, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.value @y : tensor<f32>
pipe.task @f stage 0 forward_backward calls @f.body (@count) -> (@y)
pipe.body @f.body (%count: tensor<f32>) -> (tensor<f32>) {
  %y = nn.tanh %count : tensor<f32>
  pipe.yield %y : tensor<f32>
}
pipe.task @u stage 0 update calls @u.body (@count) -> (@count)
pipe.body @u.body (%count: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<0.0> : tensor<f32>
  pipe.yield %x : tensor<f32>
}
pipe.output @out : tensor<f32> name "out"
pipe.task @o stage 0 forward_only calls @o.body (@w) -> (@out)
pipe.body @o.body (%w: tensor<f32>) -> (tensor<f32>) {
  pipe.yield %w : tensor<f32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @counts microbatch 0
  pipe.run @counts microbatch 1
  pipe.run @f microbatch 0
  pipe.run @f microbatch 1
  pipe.run @u
}
pipe.schedule forward stage 0 microbatches 1 {
  pipe.run @o microbatch 0
}

// -----

// The microbatches do not use the count; a use in the update is too late.
nn.state @count : tensor<f32> sum {nn.ahead}
// expected-error @+1 {{task 'counts' adds to 'count', which no task of stage 0 uses at the end of a step}}
pipe.task @counts stage 0 forward_backward calls @counts.body
    (@count) -> (@count) {nn.ahead}
pipe.body @counts.body (%count: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %sum = nn.sum %count, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.task @u stage 0 update calls @u.body (@count) -> (@count)
pipe.body @u.body (%x: tensor<f32>) -> (tensor<f32> into 0) {
  pipe.yield %x : tensor<f32>
}

// -----

// A microbatch's read of its accumulator does not count as a use.
nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'f' adds to 's', which no task of stage 0 uses at the end of a step}}
pipe.task @f stage 0 forward_backward calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.tanh %s : tensor<f32>
  %sum = nn.sum %s, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.task @u stage 0 update calls @u.body (@s) -> (@s)
pipe.body @u.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  pipe.yield %zero : tensor<f32>
}

// -----

// Several sums with the accumulator, also as both operands, still add to it.
nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'f' adds to 's', which no task of stage 0 uses at the end of a step}}
pipe.task @f stage 0 forward_backward calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %twice = nn.sum %s, %s : tensor<f32>
  %sum = nn.sum %x, %twice : tensor<f32>
  pipe.yield %sum : tensor<f32>
}

// -----

// Valid: a result counts as a use, and a state that is overwritten by anything
// other than a sum with itself counts as cleared, although it is read.
nn.state @s : tensor<f32> sum
pipe.output @o : tensor<f32> name "o"
pipe.task @f stage 0 forward_backward calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.constant dense<1.0> : tensor<f32>
  %sum = nn.sum %s, %x : tensor<f32>
  pipe.yield %sum : tensor<f32>
}
pipe.task @u stage 0 update calls @u.body (@s) -> (@o, @s)
pipe.body @u.body (%s: tensor<f32>) -> (tensor<f32>, tensor<f32> into 0) {
  %less = nn.scale %s by 0.5 : tensor<f32>
  pipe.yield %s, %less : tensor<f32>, tensor<f32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  pipe.run @u
}

// -----

// An evaluation trains nothing either.
nn.param @w : tensor<2xf32> init normal
pipe.value @x : tensor<2xf32>
pipe.value @y : tensor<2xf32>
pipe.task @f stage 1 forward calls @f.body (@w) -> (@x)
pipe.body @f.body (%w: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %w : tensor<2xf32>
}
// expected-error @+1 {{task 'e' evaluates parameter 'w', which stage 0 does not train}}
pipe.task @e stage 0 evaluate calls @e.body (@w) -> (@y)
pipe.body @e.body (%w: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %w : tensor<2xf32>
}

// -----

// A microbatch may only accumulate: the contributions of the others would be
// lost.
nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'f' replaces 's', to which a microbatch may only add}}
pipe.task @f stage 0 evaluate calls @f.body (@s) -> (@s)
pipe.body @f.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  %x = nn.tanh %s : tensor<f32>
  pipe.yield %x : tensor<f32>
}

// -----

nn.state @s : tensor<f32> sum
// expected-error @+1 {{task 'u' replaces 's' by itself}}
pipe.task @u stage 0 update calls @u.body (@s) -> (@s)
pipe.body @u.body (%s: tensor<f32>) -> (tensor<f32> into 0) {
  pipe.yield %s : tensor<f32>
}

// -----

// One parameter's update is written to the other.
nn.param @v : tensor<2xf32> init normal
nn.param @w : tensor<2xf32> init normal
nn.state @grad.w : tensor<2xf32> gradient of @w
// expected-error @+1 {{task 'u' replaces 'w' by a value that does not depend on it}}
pipe.task @u stage 0 update calls @u.body (@v, @grad.w, @w) -> (@w)
pipe.body @u.body (%v: tensor<2xf32>, %g: tensor<2xf32>, %w: tensor<2xf32>)
    -> (tensor<2xf32> into 2) {
  %x = nn.sum %v, %g : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}

// -----

// A step number that does not depend on the old one would always be the same.
nn.state @n : tensor<i64> number first 0.0
nn.state @s : tensor<i1> sum
// expected-error @+1 {{task 'u' replaces 'n' by a number that is not incremented from it}}
pipe.task @u stage 0 update calls @u.body (@n, @s) -> (@n)
pipe.body @u.body (%n: tensor<i64>, %s: tensor<i1>) -> (tensor<i64> into 0) {
  %one = nn.constant dense<1> : tensor<i64>
  %zero = nn.constant dense<0> : tensor<i64>
  %next = nn.sum %one, %one : tensor<i64>
  %kept = nn.where %s, %n, %zero : tensor<i1>, tensor<i64>
  %x = nn.where %s, %next, %kept : tensor<i1>, tensor<i64>
  pipe.yield %x : tensor<i64>
}

// -----

// The values of two moments are exchanged.
nn.param @w : tensor<2xf32> init normal
nn.state @m.w : tensor<2xf32> exp_avg of @w
nn.state @v.w : tensor<2xf32> exp_avg_sq of @w
nn.state @grad.w : tensor<2xf32> gradient of @w
nn.state @step : tensor<i64> sum
nn.state @one : tensor<f32> sum
// expected-error @+1 {{task 'u' replaces 'm.w' by a value that does not depend on it}}
pipe.task @u stage 0 update calls @u.body
    (@w, @grad.w, @m.w, @v.w, @one, @step) -> (@w, @m.w, @v.w)
pipe.body @u.body (%w: tensor<2xf32>, %g: tensor<2xf32>, %m: tensor<2xf32>,
                   %v: tensor<2xf32>, %one: tensor<f32>, %step: tensor<i64>)
    -> (tensor<2xf32> into 0, tensor<2xf32> into 2, tensor<2xf32> into 3) {
  %x, %y, %z = nn.adamw %w, %g, %m, %v grad_scale %one lr %one betas %one, %one
      eps %one weight_decay %one step %step : tensor<2xf32>, tensor<2xf32>,
      tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
      tensor<f32>, tensor<f32>, tensor<i64>
  pipe.yield %x, %z, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Valid: both depend on their old values, and the sum is reinitialized.
nn.param @w : tensor<2xf32> init normal
nn.state @m.w : tensor<2xf32> exp_avg of @w
nn.state @s : tensor<2xf32> sum
pipe.task @u stage 0 update calls @u.body (@m.w, @w, @s) -> (@w, @m.w, @s)
pipe.body @u.body (%m: tensor<2xf32>, %w: tensor<2xf32>, %s: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32> into 0, tensor<2xf32> into 2) {
  %x = nn.sum %m, %w : tensor<2xf32>
  %y = nn.tanh %x : tensor<2xf32>
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %x, %y, %zero : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @u
}

// -----

// A value of the first twenty microbatches is not available for later ones,
// although all iterations look alike.
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @b.body (@a)
pipe.body @b.body (%x: tensor<2xf32>) { pipe.yield }
pipe.schedule train stage 0 microbatches 32 {
  pipe.loop %m = 0 to 20 {
    pipe.run @f microbatch %m
  }
  pipe.loop %m = 0 to 32 {
    // expected-error @+1 {{task 'b' needs value 'a' of microbatch 20, which is not available}}
    pipe.run @b microbatch %m
  }
}

// -----

// A gradient is dead before a run has written its contribution,
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  %sum = nn.sum %w, %g : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @add first @put (@g) -> (@g)
pipe.schedule train stage 0 microbatches 2 {
  // expected-error @+1 {{task 'b' adds to 'g', which no earlier run of the step has initialized}}
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @u
}

// -----

// and a live gradient must not be overwritten,
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  %sum = nn.sum %w, %g : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @add first @put (@g) -> (@g)
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0 first
  // expected-error @+1 {{task 'b' overwrites 'g', which earlier runs have accumulated into}}
  pipe.run @b microbatch 1 first
  pipe.run @u
}

// -----

// neither by the next iteration of a loop,
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  %sum = nn.sum %w, %g : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @add first @put (@g) -> (@g)
pipe.schedule train stage 0 microbatches 2 {
  pipe.loop %m = 0 to 2 {
    // expected-error @+1 {{task 'b' overwrites 'g', which earlier runs have accumulated into}}
    pipe.run @b microbatch %m first
  }
  pipe.run @u
}

// -----

// nor by another writer of the same gradient.
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  %sum = nn.sum %w, %g : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @put (@g) -> (@g)
pipe.task @c stage 0 backward calls @put (@g) -> (@g)
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @b microbatch 0
  // expected-error @+1 {{task 'c' overwrites 'g', which earlier runs have accumulated into}}
  pipe.run @c microbatch 0
  pipe.run @u
}

// -----

// State that the update writes is live at the start of the next step.
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w, @g)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0, tensor<2xf32> into 1) {
  %sum = nn.sum %w, %g : tensor<2xf32>
  %z = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %sum, %z : tensor<2xf32>, tensor<2xf32>
}
pipe.task @b stage 0 backward calls @put (@g) -> (@g)
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{task 'b' overwrites 'g', which earlier runs have accumulated into}}
  pipe.run @b microbatch 0
  pipe.run @u
}

// -----

// A bucket is read after all its members have been initialized.
nn.param @v : tensor<32xf32> init normal
nn.param @w : tensor<32xf32> init normal
nn.state @g : tensor<32xf32> gradient of @v
nn.state @h : tensor<32xf32> gradient of @w
nn.state @row : tensor<1x64xf32> bucket members [@g, @h] at [0, 32]
pipe.output @n : tensor<f32> name "n"
pipe.body @put (%g: tensor<32xf32>) -> (tensor<32xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<32xf32>
  pipe.yield %x : tensor<32xf32>
}
pipe.task @b stage 0 backward calls @put (@g) -> (@g)
pipe.task @u stage 0 update calls @norm (@row) -> (@n)
pipe.body @norm (%g: tensor<1x64xf32>) -> (tensor<f32>) {
  %n = nn.sum_of_squares %g : tensor<1x64xf32> -> tensor<f32>
  pipe.yield %n : tensor<f32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @b microbatch 0
  // expected-error @+1 {{task 'u' uses 'h', which no earlier run of the step has initialized}}
  pipe.run @u
}

// -----

// A buffer that a task kills has no later use: in no task of the whole step,
nn.param @w : tensor<2xf32> init normal
nn.state @g : tensor<2xf32> gradient of @w
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.body @add (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @u stage 0 update calls @step (@w, @g) -> (@w)
pipe.body @step (%w: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 0) attributes {gives_up = array<i64: 1>} {
  %sum = nn.sum %w, %g : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @put (@g) -> (@g)
pipe.output @n : tensor<f32> name "n"
pipe.task @v stage 0 update calls @norm (@g) -> (@n)
pipe.body @norm (%g: tensor<2xf32>) -> (tensor<f32>) {
  %n = nn.sum_of_squares %g : tensor<2xf32> -> tensor<f32>
  pipe.yield %n : tensor<f32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @b microbatch 0
  pipe.run @u
  // expected-error @+1 {{task 'v' uses 'g', which no earlier run of the step has initialized}}
  pipe.run @v
}

// -----

// in no later run,
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @b.body (@a)
pipe.task @c stage 0 backward calls @b.body (@a)
pipe.body @b.body (%x: tensor<2xf32>) attributes {gives_up = array<i64: 0>} {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  pipe.run @b microbatch 0
  // expected-error @+1 {{task 'c' needs value 'a' of microbatch 0, which an earlier task has killed}}
  pipe.run @c microbatch 0
}

// -----

// on no other stage,
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @b stage 0 backward calls @b.body (@a)
pipe.body @b.body (%x: tensor<2xf32>) attributes {gives_up = array<i64: 0>} {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  pipe.run @b microbatch 0
  // expected-error @+1 {{value 'a' of microbatch 0 is sent after a task has killed it}}
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.recv @a microbatch 0 from 0 channel 0
}

// -----

// and not in the task itself.
pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward calls @f.body () -> (@a)
pipe.body @f.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
// expected-error @+1 {{task 'b' takes 'a' twice and kills it}}
pipe.task @b stage 0 backward calls @b.body (@a, @a)
pipe.body @b.body (%x: tensor<2xf32>, %y: tensor<2xf32>)
    attributes {gives_up = array<i64: 0>} {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @f microbatch 0
  pipe.run @b microbatch 0
}

// -----

// Parameters are needed in the next step.
nn.param @w : tensor<2xf32> init normal
// expected-error @+1 {{task 'b' kills 'w', which is no value and no gradient}}
pipe.task @b stage 0 backward calls @b.body (@w)
pipe.body @b.body (%x: tensor<2xf32>) attributes {gives_up = array<i64: 0>} {
  pipe.yield
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @b microbatch 0
}

// -----

// A reduction of a gradient follows all runs that add to it, on all
// microbatches,
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @reduce
  // expected-error @+1 {{task 'b' uses 'g' after 'reduce' has reduced it}}
  pipe.run @b microbatch 1
  pipe.run @u
}

// -----

// once,
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @reduce
  // expected-error @+1 {{task 'reduce' runs twice on microbatch 0}}
  pipe.run @reduce
  pipe.run @u
}

// -----

// also where it is another task,
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.value @s : tensor<2xf32>
pipe.task @again stage 0 reduce calls @again.body (@g) -> (@s)
pipe.body @again.body (%g: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %g : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @reduce
  // expected-error @+1 {{task 'again' uses 'g' after 'reduce' has reduced it}}
  pipe.run @again
  pipe.run @u
}

// -----

// before the users of its result,
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  // expected-error @+1 {{task 'u' needs value 'r' of microbatch 0, which is not available}}
  pipe.run @u
  pipe.run @reduce
}

// -----

// on each stage that has it.
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.value @s : tensor<2xf32>
nn.state @h : tensor<2xf32> sum
// expected-error @+1 {{task 'other' does not run on microbatch 0}}
pipe.task @other stage 0 reduce calls @other.body (@h) -> (@s)
pipe.body @other.body (%h: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %h : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @reduce
  pipe.run @u
}

// -----

// If a value is computed in a gradient's buffer, the gradient is dead,
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  %sum = nn.sum %r, %g : tensor<2xf32>
  pipe.yield %zero, %sum : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @reduce
  // expected-error @+1 {{task 'u' reads 'g', whose buffer holds 'r' now}}
  pipe.run @u
}

// -----

// and when the gradient is reinitialized, the value is dead.
nn.state @g : tensor<2xf32> sum
pipe.value @r : tensor<2xf32>
pipe.task @b stage 0 backward calls @b.body (@g) -> (@g)
pipe.body @b.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  %sum = nn.sum %g, %x : tensor<2xf32>
  pipe.yield %sum : tensor<2xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@g) -> (@r)
pipe.body @reduce.body (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  pipe.yield %g : tensor<2xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @g) -> (@g, @o)
pipe.body @u.body (%r: tensor<2xf32>, %g: tensor<2xf32>)
    -> (tensor<2xf32> into 1, tensor<2xf32>) {
  %zero = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %zero, %r : tensor<2xf32>, tensor<2xf32>
}
pipe.output @o : tensor<2xf32> name "o"
pipe.output @p : tensor<2xf32> name "p"
pipe.task @v stage 0 update calls @v.body (@r) -> (@p)
pipe.body @v.body (%r: tensor<2xf32>) -> (tensor<2xf32>) {
  pipe.yield %r : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
  pipe.run @reduce
  pipe.run @u
  // expected-error @+1 {{task 'v' needs value 'r' of microbatch 0, which an earlier task has killed}}
  pipe.run @v
}

// -----

// A reduction of a bucket reduces its members.
nn.param @w : tensor<32xf32> init normal
nn.state @grad.w : tensor<32xf32> gradient of @w
nn.state @bucket : tensor<1x32xf32> bucket members [@grad.w] at [0]
pipe.value @r : tensor<1x32xf32>
pipe.task @b stage 0 backward calls @b.body (@w, @grad.w) -> (@grad.w)
pipe.body @b.body (%w: tensor<32xf32>, %g: tensor<32xf32>)
    -> (tensor<32xf32> into 1) {
  %sum = nn.sum %g, %w : tensor<32xf32>
  pipe.yield %sum : tensor<32xf32>
}
pipe.task @reduce stage 0 reduce calls @reduce.body (@bucket) -> (@r)
pipe.body @reduce.body (%g: tensor<1x32xf32>) -> (tensor<1x32xf32>) {
  pipe.yield %g : tensor<1x32xf32>
}
pipe.task @u stage 0 update calls @u.body (@r, @bucket) -> (@bucket, @o)
pipe.body @u.body (%r: tensor<1x32xf32>, %g: tensor<1x32xf32>)
    -> (tensor<1x32xf32> into 1, tensor<1x32xf32>) {
  %zero = nn.constant dense<0.0> : tensor<1x32xf32>
  pipe.yield %zero, %r : tensor<1x32xf32>, tensor<1x32xf32>
}
pipe.output @o : tensor<1x32xf32> name "o"
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @b microbatch 0
  pipe.run @reduce
  // expected-error @+1 {{task 'b' uses 'grad.w' after 'reduce' has reduced it}}
  pipe.run @b microbatch 1
  pipe.run @u
}

// -----

// Sums of an evaluation are cleared at its end: no microbatch initializes them.
nn.state @s : tensor<2xf32> sum
pipe.output @n : tensor<f32> name "n"
pipe.task @e stage 0 evaluate calls @put (@s) -> (@s)
pipe.body @put (%g: tensor<2xf32>) -> (tensor<2xf32> into 0) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @r stage 0 evaluate_result calls @result (@s) -> (@n, @s)
pipe.body @result (%s: tensor<2xf32>)
    -> (tensor<f32>, tensor<2xf32> into 0) {
  %n = nn.reduce %s [0] : tensor<2xf32> -> tensor<f32>
  %z = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %n, %z : tensor<f32>, tensor<2xf32>
}
pipe.schedule evaluate stage 0 microbatches 1 {
  // expected-error @+1 {{task 'e' overwrites 's', which earlier runs have accumulated into}}
  pipe.run @e microbatch 0
  pipe.run @r
}
