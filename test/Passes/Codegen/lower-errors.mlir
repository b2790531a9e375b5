// Pipelines that cannot be lowered to rt.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-lower

// expected-error @+1 {{has no schedule to lower}}
module {
}

// -----

pipe.schedule train stage 0 microbatches 1 {
}
// expected-error @+1 {{has 2 microbatches, another schedule 1}}
pipe.schedule train stage 1 microbatches 2 {
}

// -----

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
pipe.input @x : tensor<4xf32> role data name "x"
pipe.output @y : tensor<4xf32> name "y"
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@y)
pipe.body @t.body (%x: tensor<4xf32>) -> (tensor<4xf32>) {
  // expected-error @+1 {{calls @f, which is not a kernel}}
  %y = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  pipe.yield %y : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }

// -----

pipe.output @y : tensor<4xf32> name "y"
pipe.task @t stage 0 update calls @t.body () -> (@y)
pipe.body @t.body () -> (tensor<4xf32>) {
  // expected-error @+1 {{cannot be part of a body}}
  %y = arith.constant dense<1.0> : tensor<4xf32>
  pipe.yield %y : tensor<4xf32>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t }

// -----

pipe.input @x : tensor<4x4xf32> role data name "x"
pipe.output @y : tensor<4x4xf64> name "y"
pipe.task @t stage 0 forward_backward calls @t.body (@x) -> (@y)
pipe.body @t.body (%x: tensor<4x4xf32>) -> (tensor<4x4xf64>) {
  // expected-error @+1 {{cannot be lowered to a GEMM: its operands and result differ in element type}}
  %y = nn.contract "mk,kn->mn" %x, %x
      : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf64>
  pipe.yield %y : tensor<4x4xf64>
}
pipe.schedule train stage 0 microbatches 1 { pipe.run @t microbatch 0 }
