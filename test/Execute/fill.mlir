// Values of --fill depend on seed and names only.
// RUN: pcc-run %s --entry=main --fill 3 --print 0,1,2,3,4,5 > %t.1
// RUN: FileCheck %s < %t.1
// RUN: pcc-run %s --entry=main --fill=3 --print 0,1,2,3,4,5 | diff %t.1 -
// RUN: not pcc-run %s --entry=main --fill 4 --print 0 --expect 0=[0,0] | FileCheck %s --check-prefix=OTHER
// RUN: not pcc-run %s --entry=unknown --fill 3 2>&1 | FileCheck %s --check-prefix=VOCAB

nn.param @table : tensor<5x2xf32> init normal

func.func @main(%ids: tensor<2x40xi64> {nn.role = #nn.role<tokens>},
                %positions: tensor<4xi64> {nn.role = #nn.role<positions>},
                %lr: tensor<f32> {nn.role = #nn.role<lr>},
                %x: tensor<3xf32> {nn.role = #nn.role<data>, nn.name = "x"},
                %window: tensor<i64> {nn.role = #nn.role<loss_scale_window>})
    -> (tensor<2xf32>, tensor<i64>, tensor<4xi64>, tensor<f32>, tensor<3xf32>,
        tensor<i64>) {
  %table = nn.read @table : tensor<5x2xf32>
  %rows = nn.embedding %ids, %table
      : tensor<2x40xi64>, tensor<5x2xf32> -> tensor<2x40x2xf32>
  %sum = nn.reduce %rows [0, 1] : tensor<2x40x2xf32> -> tensor<2xf32>
  %first = nn.select %ids dim 0 index 0 : tensor<2x40xi64> -> tensor<40xi64>
  %id = nn.select %first dim 0 index 7 : tensor<40xi64> -> tensor<i64>
  return %sum, %id, %positions, %lr, %x, %window
      : tensor<2xf32>, tensor<i64>, tensor<4xi64>, tensor<f32>, tensor<3xf32>,
        tensor<i64>
}

func.func private @unknown(%ids: tensor<2xi64> {nn.role = #nn.role<tokens>})
    -> tensor<2xi64> {
  return %ids : tensor<2xi64>
}

// CHECK: result 0 : tensor<2xf32> = [{{-?[0-9.]+}}, {{-?[0-9.]+}}]
// CHECK: result 1 : tensor<i64> = {{[0-4]$}}
// CHECK: result 2 : tensor<4xi64> = [0, 1, 2, 3]
// CHECK: result 3 : tensor<f32> = 0.00100000005
// CHECK: result 4 : tensor<3xf32> = [{{-?[0-9.]+}},
// CHECK: result 5 : tensor<i64> = 2000
// OTHER: WRONG 0: largest difference
// VOCAB: error: cannot tell the vocabulary of 'tokens'; give --vocab
