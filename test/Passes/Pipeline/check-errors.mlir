// What the checker must reject, one schedule each.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --pipe-check

pipe.value @a : tensor<2xf32>
// expected-error @+1 {{task 'f' does not run on microbatch 1}}
pipe.task @f stage 0 forward () -> (tensor<2xf32> to @a) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @f microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.task @f stage 0 forward () -> (tensor<2xf32> to @a) {
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
pipe.task @b stage 0 backward (%x: tensor<2xf32> from @a) { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{task 'b' needs value 'a' of microbatch 0, which is not there}}
  pipe.run @b microbatch 0
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{value 'a' of microbatch 0 is sent before it is there}}
  pipe.send @a microbatch 0 to 1 channel 0
}
pipe.schedule train stage 1 microbatches 1 {
  pipe.recv @a microbatch 0 from 0 channel 0
}

// -----

// Transfers pair per channel in one order.
pipe.value @a : tensor<2xf32>
pipe.value @c : tensor<2xf32>
pipe.task @f stage 0 forward () -> (tensor<2xf32> to @a, tensor<2xf32> to @c) {
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

// Two stages that both send first wait forever under rendezvous.
// expected-error @+1 {{the stages wait for each other forever}}
module {
pipe.value @a : tensor<2xf32>
pipe.value @c : tensor<2xf32>
pipe.task @f0 stage 0 forward () -> (tensor<2xf32> to @a) {
  %x = nn.constant dense<1.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}
pipe.task @f1 stage 1 forward () -> (tensor<2xf32> to @c) {
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

pipe.task @f stage 0 forward () { pipe.yield }
pipe.task @b stage 0 backward () { pipe.yield }
pipe.schedule train stage 0 microbatches 2 attributes {live = 1 : i64} {
  pipe.run @f microbatch 0
  // expected-error @+1 {{stage 0 holds 2 microbatches, but declares 1}}
  pipe.run @f microbatch 1
  pipe.run @b microbatch 0
  pipe.run @b microbatch 1
}

// -----

pipe.task @f stage 0 forward () { pipe.yield }
pipe.task @u stage 0 update () { pipe.yield }
pipe.schedule train stage 0 microbatches 2 {
  pipe.run @f microbatch 0
  pipe.run @u
  // expected-error @+1 {{task 'f' runs after the update of its step}}
  pipe.run @f microbatch 1
}

// -----

// expected-error @+1 {{stage 0 has no schedule}}
module {
pipe.task @f stage 1 forward () { pipe.yield }
pipe.schedule train stage 1 microbatches 1 {
  pipe.run @f microbatch 0
}
}

// -----

nn.param @w : tensor<2xf32> init normal
pipe.task @f stage 0 forward () { pipe.yield }
// expected-error @+1 {{task 'e' evaluates parameter 'w', which stage 0 does not train}}
pipe.task @e stage 0 evaluate () {
  %w = nn.read @w : tensor<2xf32>
  pipe.yield
}
