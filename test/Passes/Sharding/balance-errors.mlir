// What --cp-balance headtail refuses: ops that depend on the places of elements in
// a sequence. Softmax, norms of rows, reductions and contractions along it do not.
// RUN: pcc-opt %s -split-input-file -dist-seed-data -dist-propagate -dist-balance-sequence=is-asked -verify-diagnostics=only-expected 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: nn.order

// A slice takes elements by their place.
// expected-note@+1 {{leave --cp-balance out; --cp-comm-type a2a has equal work on all ranks, where heads allow it}}
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x7x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  // expected-error@+1 {{--cp-balance headtail: 'nn.slice' depends on the places of elements in the sequence, which the order changes}}
  %y = nn.slice %o at [0, 1, 0, 0] step [1, 1, 1, 1] : tensor<2x8x2x4xf32> -> tensor<2x7x2x4xf32>
  return %y : tensor<2x7x2x4xf32>
}
}

// -----

// One element, as of a pooled first token.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  // expected-error@+1 {{--cp-balance headtail: 'nn.select' depends on the places of elements in the sequence, which the order changes}}
  %y = nn.select %o dim 1 index 0 : tensor<2x8x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// A constant that differs along the sequence, but has the data's order elsewhere;
// the first one does not differ.
module {
dist.mesh @mesh = <["cp"=2]>
nn.param @w : tensor<8xf32> init normal
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %c = nn.constant dense<2.0> : tensor<8xf32>
  %d = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %e = nn.broadcast %c [1] : tensor<8xf32> -> tensor<2x8x2x4xf32>
  %f = nn.broadcast %d [1] : tensor<8xf32> -> tensor<2x8x2x4xf32>
  %g = nn.mul %o, %e : tensor<2x8x2x4xf32>
  %h = nn.mul %g, %f : tensor<2x8x2x4xf32>
  %z = nn.reduce %h [1] : tensor<2x8x2x4xf32> -> tensor<2x2x4xf32>
  %w = nn.read @w : tensor<8xf32>
  // expected-error@+1 {{--cp-balance headtail: 'nn.mul' depends on the places of elements in the sequence, which the order changes}}
  %v = nn.mul %w, %d : tensor<8xf32>
  %u = nn.reduce %v [0] : tensor<8xf32> -> tensor<f32>
  %t = nn.broadcast %u [] : tensor<f32> -> tensor<2x2x4xf32>
  %y = nn.sum %z, %t : tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// Blocks of the sequence.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  // expected-error@+1 {{--cp-balance headtail: 'nn.reshape' depends on the places of elements in the sequence, which the order changes}}
  %b = nn.reshape %o : tensor<2x8x2x4xf32> -> tensor<2x4x2x2x4xf32>
  %y = nn.reduce %b [1, 2] : tensor<2x4x2x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// A sequence that is longer by a token.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %c = nn.constant dense<2.0> : tensor<2x1x2x4xf32>
  // expected-error@+1 {{--cp-balance headtail: 'nn.concat' depends on the places of elements in the sequence, which the order changes}}
  %b = nn.concat %c, %o along 1 : tensor<2x1x2x4xf32>, tensor<2x8x2x4xf32> -> tensor<2x9x2x4xf32>
  %y = nn.reduce %b [1] : tensor<2x9x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// The places of the highest scores.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4x2xi32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %t = nn.transpose %o [0, 2, 3, 1] : tensor<2x8x2x4xf32> -> tensor<2x2x4x8xf32>
  // expected-error@+1 {{--cp-balance headtail: 'nn.top_k' depends on the places of elements in the sequence, which the order changes}}
  %y = nn.top_k %t : tensor<2x2x4x8xf32> -> tensor<2x2x4x2xi32>
  return %y : tensor<2x2x4x2xi32>
}
}

// -----

// Random numbers by the index of a key; queries have positions.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}
                      , %n: tensor<2xi64> {nn.name = "n", nn.role = #nn.role<samples>},
                      %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>},
                      %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>}) -> (tensor<2x2xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %s = nn.contract "bshd,bthd->bhst" %o, %x : tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32> -> tensor<2x2x8x8xf32>
  // expected-error@+1 {{--cp-balance headtail: 'nn.dropout' depends on the places of elements in the sequence, which the order changes}}
  %d = nn.dropout %s samples %n positions %p seed %seed step %step {p = 0.5 : f64, id = 1 : i64, batch_dim = 0 : i64, seq_dim = 2 : i64} : tensor<2x2x8x8xf32>, tensor<2xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  %y = nn.reduce %d [2, 3] : tensor<2x2x8x8xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
}

// -----

// Rows of a parameter by their place, and ids of places.
module {
dist.mesh @mesh = <["cp"=2]>
nn.param @w : tensor<8x4xf32> init normal
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %w = nn.read @w : tensor<8x4xf32>
  %e = nn.broadcast %w [1, 3] : tensor<8x4xf32> -> tensor<2x8x2x4xf32>
  // expected-error@+1 {{--cp-balance headtail: 'nn.sum' depends on the places of elements in the sequence, which the order changes}}
  %b = nn.sum %o, %e : tensor<2x8x2x4xf32>
  %y = nn.reduce %b [1] : tensor<2x8x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// A result along the sequence would have another order.
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x8x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  // expected-error@+1 {{--cp-balance headtail: 'nn.scale' depends on the places of elements in the sequence, which the order changes}}
  %y = nn.scale %o by 2.0 : tensor<2x8x2x4xf32>
  return %y : tensor<2x8x2x4xf32>
}
}

// -----

// Two pieces for each rank.
module {
dist.mesh @mesh = <["cp"=8]>
// expected-error@+2 {{--cp-balance headtail: 'x' has a sequence of 8, not a multiple of 16, two pieces for each of 8 ranks}}
// expected-note@+1 {{leave --cp-balance out, or choose --seq a multiple of 16}}
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention causal %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %y = nn.reduce %o [1] : tensor<2x8x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}

// -----

// All keys are visible: ranks do equal work.
// expected-warning@+1 {{--cp-balance headtail changes nothing: no attention with a split sequence is causal, so ranks have equal work}}
module {
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(%x: tensor<2x8x2x4xf32> {nn.name = "x", nn.role = #nn.role<data>, nn.dims = #nn.dims<batch = 0, sequence = 1>},
                      %p: tensor<8xi64> {nn.name = "p", nn.role = #nn.role<positions>}) -> (tensor<2x2x4xf32> {nn.name = "y"}) {
  %o, %lse = nn.attention %x, %x, %x positions %p, %p scale 0.25 : (tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<2x8x2x4xf32>, tensor<8xi64>, tensor<8xi64>) -> (tensor<2x8x2x4xf32>, tensor<2x8x2xf32>)
  %y = nn.reduce %o [1] : tensor<2x8x2x4xf32> -> tensor<2x2x4xf32>
  return %y : tensor<2x2x4xf32>
}
}
