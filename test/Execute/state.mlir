// Parameters and states keep their values from one entry to the next. Flags
// select the printed values and pass arguments.
// RUN: pcc-run %s --entry=add,add,total --arg x=[1,2,3] --arg @w=[10,20,30.5] \
// RUN:   --print 0,@sum | FileCheck %s
// RUN: echo '{"x": [1, 2, 3], "@w": [10, 20, 30.5]}' > %t.json
// RUN: pcc-run %s --entry=add,total --inputs %t.json --save @sum=%t.npy \
// RUN:   --expect 0=66.5 | FileCheck %s --check-prefix=ONCE
// RUN: %python -c "import numpy; print(numpy.load('%t.npy'))" \
// RUN:   | FileCheck %s --check-prefix=SAVED
// RUN: pcc-run %s --entry=total --arg @sum=%t.npy \
// RUN:   | FileCheck %s --check-prefix=READ
// RUN: pcc-run %s --entry=replace --arg x=[4,5,6] --print @w \
// RUN:   | FileCheck %s --check-prefix=WRITE

nn.param @w : tensor<3xf32> init normal
nn.state @sum : tensor<3xf32> sum

func.func @add(%x: tensor<3xf32> {nn.name = "x"}) {
  %w = nn.read @w : tensor<3xf32>
  %y = nn.sum %x, %w : tensor<3xf32>
  nn.accumulate %y, @sum : tensor<3xf32>
  return
}

func.func @total() -> tensor<f32> {
  %sum = nn.read @sum : tensor<3xf32>
  %total = nn.reduce %sum [0] : tensor<3xf32> -> tensor<f32>
  return %total : tensor<f32>
}

func.func @replace(%x: tensor<3xf32> {nn.name = "x"}) {
  nn.write %x, @w : tensor<3xf32>
  return
}

// CHECK: result 0 : tensor<f32> = 133
// CHECK: @sum : tensor<3xf32> = [22, 44, 67]
// ONCE: result 0 : tensor<f32> = 66.5
// ONCE: ok    0: largest difference 0 of 66.5
// SAVED: [11. 22. 33.5]
// READ: result 0 : tensor<f32> = 66.5
// WRITE: @w : tensor<3xf32> = [4, 5, 6]
