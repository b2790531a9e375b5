// A value that a kernel changes in place is computed at the result's address:
// logits, for example, at that of their gradient. Not if another op reads the
// value afterwards, or the kernel reads it as another operand, too, in any
// shape.
// RUN: pcc-opt %s --pass-pipeline="builtin.module(rt-split-accumulate,rt-lower,rt-verify)" | FileCheck %s

nn.param @w : tensor<8x6xf32> init normal decay
pipe.input @input.x : tensor<4x8xf32> role data name "x"
pipe.value @value.0 : tensor<4x6xf32>
pipe.value @value.1 : tensor<4x6xf32>
pipe.value @value.2 : tensor<4x6xf32>
pipe.value @value.3 : tensor<4x6xf32>
pipe.output @output.norm : tensor<f32> name "norm"
pipe.output @output.more : tensor<f32> name "more"

func.func private @twice(%a: tensor<4x6xf32>)
    -> (tensor<4x6xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.sum %a, %a : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func private @total(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> tensor<f32>
    attributes {rt.kernel} {
  %p = nn.mul %a, %b : tensor<4x6xf32>
  %r = nn.reduce %p [0, 1] : tensor<4x6xf32> -> tensor<f32>
  return %r : tensor<f32>
}

pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @w) -> (@value.0, @value.1, @output.norm)
// CHECK: rt.func @forward.0.body(%[[X:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<8x6xf32>, %[[Z:.*]]: memref<4x6xf32>, %[[U:.*]]: memref<4x6xf32>, %[[T:.*]]: memref<f32>)
// CHECK-NEXT: rt.gemm %[[X]], %[[W]], %[[Z]]
// CHECK-NEXT: rt.launch @twice ins(%[[Z]] {{.*}} outs(%[[Z]] : memref<4x6xf32>) inplace [0]
// CHECK-NEXT: %[[V:.*]] = rt.temporary
// CHECK-NEXT: rt.gemm %[[X]], %[[W]], %[[V]]
// CHECK-NEXT: rt.launch @twice ins(%[[V]] {{.*}} outs(%[[U]] : memref<4x6xf32>) {rt.values
// CHECK-NEXT: rt.launch @total ins(%[[V]], %[[U]] {{.*}} outs(%[[T]] :
pipe.body @forward.0.body (%x: tensor<4x8xf32>, %w: tensor<8x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) {
  %y = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %z = func.call @twice(%y) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %v = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %u = func.call @twice(%v) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = func.call @total(%v, %u) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<f32>
  pipe.yield %z, %u, %t : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>
}

func.func private @plain(%a: tensor<24xf32>)
    -> (tensor<24xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %r = nn.sum %a, %a : tensor<24xf32>
  return %r : tensor<24xf32>
}
func.func private @mirror(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>)
    -> (tensor<4x6xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %t = nn.transpose %b [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %r = nn.sum %a, %t : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

pipe.task @forward.1 stage 0 forward calls @forward.1.body (@input.x, @w) -> (@value.2, @value.3, @output.more)
// CHECK: rt.func @forward.1.body(%[[X:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<8x6xf32>, %[[Z:.*]]: memref<4x6xf32>, %[[U:.*]]: memref<4x6xf32>, %[[T:.*]]: memref<f32>)
// CHECK-NEXT: %[[Y:.*]] = rt.temporary
// CHECK-NEXT: rt.gemm %[[X]], %[[W]], %[[Y]]
// CHECK-NEXT: %[[Y1:.*]] = rt.view %[[Y]]
// CHECK: rt.launch @plain ins(%[[Y1]] {{.*}} outs(%{{.*}} : memref<24xf32>) {rt.values
// CHECK: rt.launch @total ins(%[[Y]], %{{.*}} outs(%[[T]] :
// CHECK: %[[V:.*]] = rt.temporary
// CHECK-NEXT: rt.gemm %[[X]], %[[W]], %[[V]]
// CHECK: rt.launch @mirror ins(%[[V]], {{.*}} outs(%[[U]] : memref<4x6xf32>) {rt.values
pipe.body @forward.1.body (%x: tensor<4x8xf32>, %w: tensor<8x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) {
  %y = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %y1 = nn.reshape %y : tensor<4x6xf32> -> tensor<24xf32>
  %z1 = func.call @plain(%y1) : (tensor<24xf32>) -> tensor<24xf32>
  %z = nn.reshape %z1 : tensor<24xf32> -> tensor<4x6xf32>
  %t = func.call @total(%y, %z) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<f32>
  %v = nn.contract "bk,kn->bn" %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %v1 = nn.reshape %v : tensor<4x6xf32> -> tensor<6x4xf32>
  %u = func.call @mirror(%v, %v1) : (tensor<4x6xf32>, tensor<6x4xf32>) -> tensor<4x6xf32>
  pipe.yield %z, %u, %t : tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>
}

pipe.schedule train stage 0 microbatches 1 {
  pipe.run @forward.0 microbatch 0
  pipe.run @forward.1 microbatch 0
}
