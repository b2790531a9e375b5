// A library for attention moves 16 bytes at a time: heads that begin elsewhere
// in a value are copied.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(nn-expand-attention{on-device=true library=auto},rt-form-kernels,rt-verify-kernels,rt-lower,rt-verify)" \
// RUN:   | FileCheck %s

pipe.input @x : tensor<2x8x2x132xbf16> role data name "x"
pipe.input @y : tensor<2x8x2x136xbf16> role data name "y"
pipe.input @at : tensor<8xi64> role positions name "positions"
pipe.output @o : tensor<2x8x2x64xbf16> name "o"
pipe.output @p : tensor<2x8x2x64xbf16> name "p"
pipe.output @r : tensor<2x8x2x64xbf16> name "r"

// CHECK-LABEL: rt.func @strides.body
// CHECK: rt.launch
// CHECK: rt.attention {{.*}} : memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
pipe.task @strides stage 0 forward calls @strides.body (@x, @at) -> (@o)
pipe.body @strides.body (%x: tensor<2x8x2x132xbf16>, %at: tensor<8xi64>)
    -> (tensor<2x8x2x64xbf16>) {
  %q = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x8x2x132xbf16> -> tensor<2x8x2x64xbf16>
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>)
  pipe.yield %o : tensor<2x8x2x64xbf16>
}

// CHECK-LABEL: rt.func @offset.body
// CHECK: rt.launch
// CHECK: rt.attention {{.*}} : memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>,
pipe.task @offset stage 0 forward calls @offset.body (@y, @at) -> (@p)
pipe.body @offset.body (%y: tensor<2x8x2x136xbf16>, %at: tensor<8xi64>)
    -> (tensor<2x8x2x64xbf16>) {
  %q = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x8x2x136xbf16> -> tensor<2x8x2x64xbf16>
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>)
  pipe.yield %o : tensor<2x8x2x64xbf16>
}

// CHECK-LABEL: rt.func @there.body
// CHECK-NOT: rt.launch
// CHECK: rt.attention {{.*}} : memref<2x8x2x64xbf16, strided<[2176, 272, 136, 1]>>,
pipe.task @there stage 0 forward calls @there.body (@y, @at) -> (@r)
pipe.body @there.body (%y: tensor<2x8x2x136xbf16>, %at: tensor<8xi64>)
    -> (tensor<2x8x2x64xbf16>) {
  %q = nn.slice %y at [0, 0, 0, 8] step [1, 1, 1, 1]
      : tensor<2x8x2x136xbf16> -> tensor<2x8x2x64xbf16>
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.125
      : (tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>, tensor<2x8x2x64xbf16>,
         tensor<8xi64>, tensor<8xi64>)
      -> (tensor<2x8x2x64xbf16>, tensor<2x8x2xf32>)
  pipe.yield %o : tensor<2x8x2x64xbf16>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @strides microbatch 0
  pipe.run @offset microbatch 0
  pipe.run @there microbatch 0
}
