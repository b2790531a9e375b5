// One test per constraint of the dialect.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'magic' is no phase}}
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

// expected-error @+1 {{binds an argument to @x, which is no pipe.value or pipe.input}}
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
// expected-error @+1 {{binds a result to @x, which is no pipe.value or pipe.output}}
pipe.task @t stage 0 forward calls @t.body (@x) -> (@x)
pipe.body @t.body (%a: tensor<3xf32>) -> (tensor<3xf32>) {
  pipe.yield %a : tensor<3xf32>
}

// -----

// expected-error @+1 {{yields 0 values but has 1 targets}}
pipe.task @t stage 0 forward calls @t.body () -> (@x)
pipe.body @t.body () -> (tensor<3xf32>) {
  pipe.yield
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
  // expected-error @+1 {{names microbatch 1 of 1}}
  pipe.run @t microbatch 1
}

// -----

pipe.task @t stage 0 evaluate calls @t.body ()
pipe.body @t.body () { pipe.yield }
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{runs a task of phase evaluate in the schedule to train}}
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
  // expected-error @+1 {{names @v, which is no pipe.value}}
  pipe.recv @v microbatch 0 from 1 channel 0
}

// -----

// expected-error @+1 {{attribute 'microbatches' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
pipe.schedule train stage 0 microbatches 0 {
}

// -----

pipe.value @x : tensor<2xf32>
// expected-error @+1 {{has 0 arguments but 1 sources}}
"pipe.task"() <{sym_name = "t", stage = 0 : i64, phase = #pipe<phase forward>, sources = [@x], targets = []}> ({
  pipe.yield
}) : () -> ()

// -----

// expected-error @+1 {{must end in pipe.yield}}
"pipe.task"() <{sym_name = "t", stage = 0 : i64, phase = #pipe<phase forward>, sources = [], targets = []}> ({
  "func.return"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{binds to "x", not to a symbol}}
"pipe.task"() <{sym_name = "t", stage = 0 : i64, phase = #pipe<phase forward>, sources = ["x"], targets = []}> ({
^bb0(%x: tensor<2xf32>):
  pipe.yield
}) : () -> ()

// -----

pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{cannot be part of a schedule}}
  %x = nn.constant dense<0.0> : tensor<2xf32>
}

// -----

pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names @t, which is no task}}
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
  // expected-error @+1 {{names microbatch 3 of 1}}
  pipe.exchange @v microbatch 0 to 1 channel 0, @v microbatch 3 from 1 channel 1
}

// -----

pipe.value @v : tensor<2xf32>
pipe.schedule train stage 0 microbatches 1 {
  // expected-error @+1 {{names microbatch 3 of 1}}
  pipe.exchange @v microbatch 3 to 1 channel 0, @v microbatch 0 from 1 channel 1
}
