// Equal bodies are replaced by the first of them.
// RUN: pcc-opt %s -split-input-file -pipe-share-bodies | FileCheck %s

pipe.value @x : tensor<4xf32>
pipe.value @y : tensor<4xf32>
pipe.value @z : tensor<4xf32>
pipe.value @w : tensor<4xf32>
// CHECK: pipe.body @one (
// CHECK-NOT: pipe.body @two
pipe.body @one (%a: tensor<4xf32>) -> (tensor<4xf32>) {
  %b = nn.scale %a by 2.0 : tensor<4xf32>
  %c = nn.sum %a, %b : tensor<4xf32>
  pipe.yield %c : tensor<4xf32>
}
// CHECK: pipe.task @t0 stage 0 forward calls @one (@x) -> (@y)
pipe.task @t0 stage 0 forward calls @one (@x) -> (@y)
pipe.body @two (%a: tensor<4xf32>) -> (tensor<4xf32>) {
  %b = nn.scale %a by 2.0 : tensor<4xf32>
  %c = nn.sum %a, %b : tensor<4xf32>
  pipe.yield %c : tensor<4xf32>
}
// CHECK: pipe.task @t1 stage 0 forward calls @one (@y) -> (@z)
pipe.task @t1 stage 0 forward calls @two (@y) -> (@z)
// Bodies differ if a constant, operands, or the argument that a result
// overwrites differ.
// CHECK: pipe.body @scaled (
pipe.body @scaled (%a: tensor<4xf32>) -> (tensor<4xf32>) {
  %b = nn.scale %a by 3.0 : tensor<4xf32>
  %c = nn.sum %a, %b : tensor<4xf32>
  pipe.yield %c : tensor<4xf32>
}
// CHECK: pipe.task @t2 stage 0 forward calls @scaled (@z) -> (@w)
pipe.task @t2 stage 0 forward calls @scaled (@z) -> (@w)
// CHECK: pipe.body @doubled (
pipe.body @doubled (%a: tensor<4xf32>) -> (tensor<4xf32>) {
  %b = nn.scale %a by 2.0 : tensor<4xf32>
  %c = nn.sum %b, %b : tensor<4xf32>
  pipe.yield %c : tensor<4xf32>
}
pipe.value @v : tensor<4xf32>
// CHECK: pipe.task @t3 stage 0 forward calls @doubled (@z) -> (@v)
pipe.task @t3 stage 0 forward calls @doubled (@z) -> (@v)
nn.state @s : tensor<4xf32> sum
// CHECK: pipe.body @into (
pipe.body @into (%a: tensor<4xf32>) -> (tensor<4xf32> into 0) {
  %b = nn.scale %a by 2.0 : tensor<4xf32>
  %c = nn.sum %a, %b : tensor<4xf32>
  pipe.yield %c : tensor<4xf32>
}
// CHECK: pipe.task @t4 stage 0 forward calls @into (@s) -> (@s)
pipe.task @t4 stage 0 forward calls @into (@s) -> (@s)
// Bodies of different types differ.
pipe.value @p : tensor<2xf32>
pipe.value @q : tensor<2xf32>
// CHECK: pipe.body @short (
pipe.body @short (%a: tensor<2xf32>) -> (tensor<2xf32>) {
  %b = nn.scale %a by 2.0 : tensor<2xf32>
  %c = nn.sum %a, %b : tensor<2xf32>
  pipe.yield %c : tensor<2xf32>
}
// CHECK: pipe.task @t5 stage 0 forward calls @short (@p) -> (@q)
pipe.task @t5 stage 0 forward calls @short (@p) -> (@q)

// -----

// The ids of the random numbers differ by one constant: the difference times
// 2^32 is an additional argument, which is added to the step of each draw.
pipe.input @samples : tensor<4xi64> role samples name "samples"
pipe.input @positions : tensor<8xi64> role positions name "positions"
pipe.input @seed : tensor<i64> role seed name "seed"
pipe.input @step : tensor<i64> role step name "step"
pipe.value @x : tensor<4x8xf32>
pipe.value @y : tensor<4x8xf32>
pipe.value @z : tensor<4x8xf32>
pipe.value @w : tensor<4x8xf32>
// CHECK: pipe.body @one ({{.*}}, %[[STEP:[^:]*]]: tensor<i64>, %[[KEY:[^:]*]]: tensor<i64>)
// CHECK-NEXT: %[[SUM:.*]] = nn.sum %[[STEP]], %[[KEY]] : tensor<i64>
// CHECK-NEXT: %[[FIRST:.*]] = nn.dropout {{.*}} step %[[SUM]] {{.*}}id = 3
// CHECK-NEXT: nn.dropout %[[FIRST]] {{.*}} step %[[SUM]] {{.*}}id = 4
pipe.body @one (%a: tensor<4x8xf32>, %n: tensor<4xi64>, %p: tensor<8xi64>,
                %seed: tensor<i64>, %step: tensor<i64>) -> (tensor<4x8xf32>) {
  %b = nn.dropout %a samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 3, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  %c = nn.dropout %b samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 4, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  pipe.yield %c : tensor<4x8xf32>
}
// CHECK: pipe.task @t0 stage 0 forward calls @one (@x, @samples, @positions, @seed, @step, 0) -> (@y)
pipe.task @t0 stage 0 forward calls @one (@x, @samples, @positions, @seed, @step) -> (@y)
// CHECK-NOT: pipe.body @two
pipe.body @two (%a: tensor<4x8xf32>, %n: tensor<4xi64>, %p: tensor<8xi64>,
                %seed: tensor<i64>, %step: tensor<i64>) -> (tensor<4x8xf32>) {
  %b = nn.dropout %a samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 5, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  %c = nn.dropout %b samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 6, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  pipe.yield %c : tensor<4x8xf32>
}
// CHECK: pipe.task @t1 stage 0 forward calls @one (@y, @samples, @positions, @seed, @step, 8589934592) -> (@z)
pipe.task @t1 stage 0 forward calls @two (@y, @samples, @positions, @seed, @step) -> (@z)
// The ids do not differ by one constant: another body.
// CHECK: pipe.body @three (
// CHECK-NEXT: nn.dropout {{.*}}id = 7
// CHECK-NEXT: nn.dropout {{.*}}id = 9
pipe.body @three (%a: tensor<4x8xf32>, %n: tensor<4xi64>, %p: tensor<8xi64>,
                  %seed: tensor<i64>, %step: tensor<i64>) -> (tensor<4x8xf32>) {
  %b = nn.dropout %a samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 7, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  %c = nn.dropout %b samples %n positions %p seed %seed step %step
      {p = 0.5 : f64, id = 9, batch_dim = 0, seq_dim = 1} : tensor<4x8xf32>, tensor<4xi64>, tensor<8xi64>, tensor<i64>, tensor<i64>
  pipe.yield %c : tensor<4x8xf32>
}
// CHECK: pipe.task @t2 stage 0 forward calls @three (@z, @samples, @positions, @seed, @step) -> (@w)
pipe.task @t2 stage 0 forward calls @three (@z, @samples, @positions, @seed, @step) -> (@w)
