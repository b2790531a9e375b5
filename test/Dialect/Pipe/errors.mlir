// One test per constraint of the dialect.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{failed to parse Pipe_PhaseAttr}}
// expected-error @+1 {{expected ::pcc::pipe::Phase to be one of: forward, backward, forward_backward, update, evaluate, evaluate_result, forward_only}}
pipe.task @t stage 0 magic calls @t.body ()
pipe.body @t.body () { pipe.yield }

// -----

// expected-error @+1 {{attribute 'stage' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
pipe.task @t stage -1 forward calls @t.body ()
pipe.body @t.body () { pipe.yield }

// -----

// expected-error @+1 {{attribute 'stage' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
pipe.schedule train stage -1 microbatches 1 {
}

// -----

// expected-error @+1 {{binds an argument to @x, which is not a pipe.input, pipe.value, parameter or state}}
pipe.task @t stage 0 forward calls @t.body (@x)
pipe.body @t.body (%a: tensor<2xf32>) { pipe.yield }

// -----

// expected-note @+1 {{it is declared as 'tensor<3xf32>'}}
pipe.value @x : tensor<3xf32>
// expected-error @+1 {{binds 'tensor<2xf32>' to @x}}
pipe.task @t stage 0 forward calls @t.body (@x)
pipe.body @t.body (%a: tensor<2xf32>) { pipe.yield }

// -----

pipe.input @x : tensor<3xf32> role data name "x"
pipe.input @y : tensor<3xf32> role targets name "y"
// expected-error @+1 {{binds a result to @x, which is not a pipe.value or pipe.output}}
pipe.task @t stage 0 forward calls @t.body (@y) -> (@x)
pipe.body @t.body (%a: tensor<3xf32>) -> (tensor<3xf32>) {
  pipe.yield %a : tensor<3xf32>
}

// -----

// The value that it would read could be overwritten already.
pipe.value @x : tensor<3xf32>
// expected-error @+1 {{binds both an argument and a result to @x}}
pipe.task @t stage 0 forward calls @t.body (@x) -> (@x)
pipe.body @t.body (%a: tensor<3xf32>) -> (tensor<3xf32>) {
  pipe.yield %a : tensor<3xf32>
}

// -----

pipe.value @x : tensor<3xf32>
pipe.value @y : tensor<3xf32>
// expected-error @+1 {{binds two results to @y}}
pipe.task @t stage 0 forward calls @t.body (@x) -> (@y, @y)
pipe.body @t.body (%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  pipe.yield %a, %a : tensor<3xf32>, tensor<3xf32>
}

// -----

// An integer is bound to an argument of type tensor<i64>.
// expected-error @+1 {{binds 'tensor<1xi64>' to an integer}}
pipe.task @t stage 0 forward calls @t.body (7)
pipe.body @t.body (%a: tensor<1xi64>) { pipe.yield }

// -----

// expected-error @+1 {{binds 'tensor<f32>' to an integer}}
pipe.task @t stage 0 forward calls @t.body (7)
pipe.body @t.body (%a: tensor<f32>) { pipe.yield }

// -----

// A value that is read after a step is not an argument.
pipe.output @x : tensor<3xf32> name "x"
// expected-error @+1 {{binds an argument to @x, which is not a pipe.input, pipe.value, parameter or state}}
pipe.task @t stage 0 forward calls @t.body (@x)
pipe.body @t.body (%a: tensor<3xf32>) { pipe.yield }

// -----

// expected-note @+1 {{it is declared as 'tensor<3xf32>'}}
pipe.output @x : tensor<3xf32> name "x"
// expected-error @+1 {{binds 'tensor<2xf32>' to @x}}
pipe.task @t stage 0 forward calls @t.body () -> (@x)
pipe.body @t.body () -> (tensor<2xf32>) {
  %x = nn.constant dense<0.0> : tensor<2xf32>
  pipe.yield %x : tensor<2xf32>
}

// -----

// expected-note @+1 {{it is declared as 'tensor<3xf32>'}}
nn.param @w : tensor<3xf32> init normal
// expected-error @+1 {{binds 'tensor<2xf32>' to @w}}
pipe.task @t stage 0 forward calls @t.body (@w)
pipe.body @t.body (%a: tensor<2xf32>) { pipe.yield }

// -----

// expected-note @+1 {{it is declared as 'tensor<3xf32>'}}
nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds 'tensor<2xf32>' to @s}}
pipe.task @t stage 0 forward calls @t.body (@s)
pipe.body @t.body (%a: tensor<2xf32>) { pipe.yield }

// -----

// expected-error @+1 {{calls @t.body, which is not a body}}
pipe.task @t stage 0 forward calls @t.body ()
pipe.value @t.body : tensor<3xf32>

// -----

pipe.value @x : tensor<3xf32>
// expected-error @+1 {{binds 1 arguments, but the body takes 0}}
pipe.task @t stage 0 forward calls @t.body (@x)
pipe.body @t.body () { pipe.yield }

// -----

pipe.value @x : tensor<3xf32>
// expected-error @+1 {{binds 1 results, but the body returns 0}}
pipe.task @t stage 0 forward calls @t.body () -> (@x)
pipe.body @t.body () { pipe.yield }

// -----

// A value may be two arguments, a parameter or state may not: it could be
// replaced while it is read.
pipe.value @x : tensor<3xf32>
nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds two arguments to @s}}
pipe.task @t stage 0 forward calls @t.body (@x, @s, @x, @s)
pipe.body @t.body (%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>,
                   %d: tensor<3xf32>) {
  pipe.yield
}

// -----

// A result is a state only if it is written to an argument.
nn.state @r : tensor<3xf32> sum
nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds a result to @s, which is not a pipe.value or pipe.output}}
pipe.task @t stage 0 forward calls @t.body (@r) -> (@s)
pipe.body @t.body (%r: tensor<3xf32>) -> (tensor<3xf32>) {
  pipe.yield %r : tensor<3xf32>
}

// -----

nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds both an argument and a result to @s}}
pipe.task @t stage 0 forward calls @t.body (@s) -> (@s)
pipe.body @t.body (%s: tensor<3xf32>) -> (tensor<3xf32>) {
  pipe.yield %s : tensor<3xf32>
}

// -----

nn.state @s : tensor<3xf32> sum
nn.state @r : tensor<3xf32> sum
// expected-error @+1 {{binds a result to @r, which is not a pipe.value or pipe.output}}
pipe.task @t stage 0 forward calls @t.body (@s) -> (@r)
pipe.body @t.body (%s: tensor<3xf32>) -> (tensor<3xf32> into 0) {
  pipe.yield %s : tensor<3xf32>
}

// -----

pipe.output @o : tensor<3xf32> name "o"
nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds a result that overwrites @s to @o}}
pipe.task @t stage 0 reduce calls @t.body (@s) -> (@o)
pipe.body @t.body (%s: tensor<3xf32>) -> (tensor<3xf32> into 0) {
  pipe.yield %s : tensor<3xf32>
}

// -----

pipe.value @v : tensor<3xf32>
nn.param @p : tensor<3xf32> init normal
// expected-error @+1 {{binds a result that overwrites @p to @v}}
pipe.task @t stage 0 reduce calls @t.body (@p) -> (@v)
pipe.body @t.body (%p: tensor<3xf32>) -> (tensor<3xf32> into 0) {
  pipe.yield %p : tensor<3xf32>
}

// -----

// expected-note @+1 {{it is declared as 'tensor<4xf32>'}}
pipe.value @v : tensor<4xf32>
nn.state @s : tensor<3xf32> sum
// expected-error @+1 {{binds 'tensor<3xf32>' to @v}}
pipe.task @t stage 0 reduce calls @t.body (@s) -> (@v)
pipe.body @t.body (%s: tensor<3xf32>) -> (tensor<3xf32> into 0) {
  pipe.yield %s : tensor<3xf32>
}

// -----

pipe.value @x : tensor<3xf32>
// expected-error @+1 {{overwrites @x, which is not a parameter or state}}
pipe.task @t stage 0 forward calls @t.body (@x) -> (@x)
pipe.body @t.body (%x: tensor<3xf32>) -> (tensor<3xf32> into 0) {
  pipe.yield %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{yields 0 values but has 1 results}}
pipe.body @b () -> (tensor<3xf32>) {
  pipe.yield
}

// -----

// expected-error @+1 {{writes result 0 into argument 1 of 1}}
pipe.body @b (%s: tensor<3xf32>) -> (tensor<3xf32> into 1) {
  pipe.yield %s : tensor<3xf32>
}

// -----

// expected-error @+1 {{writes result 0 into argument -2 of 1}}
pipe.body @b (%s: tensor<3xf32>) -> (tensor<3xf32> into -2) {
  pipe.yield %s : tensor<3xf32>
}

// -----

// expected-error @+1 {{writes two results into argument 0}}
pipe.body @b (%s: tensor<3xf32>)
    -> (tensor<3xf32> into 0, tensor<3xf32> into 0) {
  pipe.yield %s, %s : tensor<3xf32>, tensor<3xf32>
}

// -----

// expected-error @+1 {{writes result 1 of 'tensor<2xf32>' into argument 0 of 'tensor<3xf32>'}}
pipe.body @b (%s: tensor<3xf32>, %t: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32> into 0) {
  pipe.yield %t, %t : tensor<2xf32>, tensor<2xf32>
}

// -----

pipe.task @t stage 1 forward calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{runs a task of stage 1 in the schedule of stage 0}}
  pipe.run @t microbatch 0
}

// -----

pipe.task @t stage 0 update calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{must not name a microbatch}}
  pipe.run @t microbatch 0
}

// -----

pipe.task @t stage 0 forward calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names microbatch 1, but the schedule has 1}}
  pipe.run @t microbatch 1
}

// -----

pipe.task @t stage 0 evaluate calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{runs a task of phase evaluate in the schedule of entry point train}}
  pipe.run @t microbatch 0
}

// -----

pipe.value @v : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{is between stage 0 and itself}}
  pipe.send @v microbatch 0 to 0 channel 0
}

// -----

pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names @v, which is not a pipe.value}}
  pipe.recv @v microbatch 0 from 1 channel 0
}

// -----

// expected-error @+1 {{attribute 'microbatches' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
pipe.schedule train stage 0 microbatches 0 {
}

// -----

// expected-error @+1 {{must end in pipe.yield}}
pipe.body @b () {
  "func.return"() : () -> ()
}

// -----

// expected-error @+1 {{binds an argument to "x", which is neither a symbol nor an integer}}
"pipe.task"() <{sym_name = "t", stage = 0 : i64, phase = #pipe<phase forward>, body = @b, sources = ["x"], targets = []}> : () -> ()
pipe.body @b (%x: tensor<2xf32>) { pipe.yield }

// -----

// expected-error @+1 {{binds a result to 3 : i64, which is not a symbol}}
"pipe.task"() <{sym_name = "t", stage = 0 : i64, phase = #pipe<phase forward>, body = @b, sources = [], targets = [3]}> : () -> ()
pipe.body @b () { pipe.yield }

// -----

nn.state @s : tensor<f32> sum
pipe.body @b (%x: tensor<f32>) {
  // expected-error @+1 {{is not allowed in a body, which takes parameters and state as arguments}}
  %y = nn.read @s : tensor<f32>
  pipe.yield
}

// -----

nn.state @s : tensor<f32> sum
pipe.body @b (%x: tensor<f32>) {
  // expected-error @+1 {{is not allowed in a body, which takes parameters and state as arguments}}
  nn.write %x, @s : tensor<f32>
  pipe.yield
}

// -----

nn.state @s : tensor<f32> sum
pipe.body @b (%x: tensor<f32>) {
  // expected-error @+1 {{is not allowed in a body, which takes parameters and state as arguments}}
  nn.accumulate %x, @s : tensor<f32>
  pipe.yield
}

// -----

// A body uses only its arguments.
%x = nn.constant dense<0.0> : tensor<2xf32>
// expected-note @+1 {{required by region isolation constraints}}
pipe.body @b () -> (tensor<2xf32>) {
  // expected-error @+1 {{using value defined outside the region}}
  pipe.yield %x : tensor<2xf32>
}

// -----

pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{cannot be part of a schedule}}
  %x = nn.constant dense<0.0> : tensor<2xf32>
}

// -----

pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names @t, which is not a task}}
  pipe.run @t microbatch 0
}

// -----

pipe.task @t stage 0 forward calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{must name a microbatch}}
  pipe.run @t
}

// -----

pipe.value @v : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names microbatch 3, but the schedule has 1}}
  pipe.exchange @v microbatch 0 to 1 channel 0, @v microbatch 3 from 1 channel 1
}

// -----

pipe.value @v : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names microbatch 3, but the schedule has 1}}
  pipe.exchange @v microbatch 3 to 1 channel 0, @v microbatch 0 from 1 channel 1
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 4 {
  // expected-error @+1 {{has the empty range 3 to 3}}
  pipe.loop %m = 3 to 3 {
    pipe.send @a microbatch %m to 1 channel 0
  }
}

// -----

pipe.schedule train stage 0 microbatches 4 {
  // expected-error @+1 {{needs at least one op}}
  pipe.loop %m = 0 to 3 {
  }
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{names microbatch 1 in every iteration of a loop, not relative to its variable}}
    pipe.send @a microbatch 1 to 1 channel 0
  }
}

// -----

pipe.value @a : tensor<2xf32>
pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{names microbatch 4, but the schedule has 4}}
    pipe.send @a microbatch %m + 2 to 1 channel 0
  }
}

// -----

pipe.value @a : tensor<2xf32>
pipe.value @b : tensor<2xf32>
pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{names microbatch -1, but the schedule has 4}}
    pipe.exchange @a microbatch %m to 1 channel 0, @b microbatch %m + -1 from 1 channel 1
  }
}

// -----

pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{cannot be part of a loop}}
    pipe.value @a : tensor<2xf32>
  }
}

// -----

pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{cannot be part of a loop}}
    pipe.loop %n = 0 to 3 {
    }
  }
}

// -----

pipe.task @t stage 0 forward calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 4 {
  pipe.loop %m = 0 to 3 {
    // expected-error @+1 {{names microbatch 4, but the schedule has 4}}
    pipe.run @t microbatch %m + 2
  }
}

// -----

pipe.schedule train stage 0 microbatches 4 {
  // expected-error @+1 {{expected '='}}
  pipe.loop %m 0 to 3 {
  }
}

// -----

// expected-error @+1 {{lists argument 1 of 1 in 'gives_up'; indices must be ascending and in range}}
pipe.body @b (%x: tensor<2xf32>) attributes {gives_up = array<i64: 1>} {
  pipe.yield
}

// -----

// expected-error @+1 {{lists argument 0 of 2 in 'gives_up'; indices must be ascending and in range}}
pipe.body @b (%x: tensor<2xf32>, %y: tensor<2xf32>)
    attributes {gives_up = array<i64: 1, 0>} {
  pipe.yield
}

// -----

// expected-error @+1 {{lists argument 0 in 'gives_up', but a result overwrites it}}
pipe.body @b (%x: tensor<2xf32>) -> (tensor<2xf32> into 0)
    attributes {gives_up = array<i64: 0>} {
  %y = nn.tanh %x : tensor<2xf32>
  pipe.yield %y : tensor<2xf32>
}

// -----

pipe.body @b () { pipe.yield }
// expected-error @+1 {{calls @c first, which is not a body}}
pipe.task @t stage 0 backward calls @b first @c ()

// -----

pipe.body @b () { pipe.yield }
// expected-error @+1 {{runs once per step, so it cannot have a separate body for its first run}}
pipe.task @t stage 0 update calls @b first @b ()

// -----

pipe.value @x : tensor<2xf32>
pipe.body @b (%x: tensor<2xf32>) { pipe.yield }
pipe.body @c () { pipe.yield }
// expected-error @+1 {{calls @c first, which has another signature than @b}}
pipe.task @t stage 0 backward calls @b first @c (@x)

// -----

pipe.body @b () { pipe.yield }
pipe.task @t stage 0 backward calls @b ()
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{is the first run of @t, which has no separate body for it}}
  pipe.run @t microbatch 0 first
}
