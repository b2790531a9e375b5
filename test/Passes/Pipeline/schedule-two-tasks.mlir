// Two tasks of one direction run in the program's order, by microbatch.
// RUN: pcc-opt %s -pipe-schedule="kind=1f1b microbatches=2" | %python %S/Inputs/expand.py | FileCheck %s
// RUN: pcc-opt %s -pipe-schedule="kind=gpipe microbatches=2" | %python %S/Inputs/expand.py | FileCheck %s

// CHECK: pipe.schedule train stage 0 microbatches 2
// CHECK-NEXT: pipe.run @second microbatch 0
// CHECK-NEXT: pipe.run @first microbatch 0
// CHECK-NEXT: pipe.run @second microbatch 1
// CHECK-NEXT: pipe.run @first microbatch 1
pipe.input @x : tensor<2xf32> role data name "x"
pipe.task @second stage 0 forward_backward calls @second.body (@x)
pipe.body @second.body (%x: tensor<2xf32>) {
  pipe.yield
}
pipe.task @first stage 0 forward_backward calls @first.body (@x)
pipe.body @first.body (%x: tensor<2xf32>) {
  pipe.yield
}
