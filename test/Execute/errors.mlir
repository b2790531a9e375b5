// Errors are reported with their location.
// RUN: not pcc-run %s --entry=main 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not pcc-run %s --entry=main --arg x=[1,2] 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not pcc-run %s --entry=main --arg x=[1,2,3] 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: not pcc-run %s --entry=main --fill 0 --arg y=[1] 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not pcc-run %s --fill 0 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not pcc-run %s --entry=nothing 2>&1 | FileCheck %s --check-prefix=NOFUNC
// RUN: not pcc-run %s --entry=main --fill 0 --expect 4=1 2>&1 | FileCheck %s --check-prefix=NORESULT
// RUN: not pcc-run %s --entry=main --fill 0 --arg x=%s 2>&1 | FileCheck %s --check-prefix=NOTJSON
// RUN: not pcc-run %s --entry=main --fill 0 --arg x=%t.none 2>&1 | FileCheck %s --check-prefix=NOFILE
// RUN: %python -c "import numpy; numpy.save('%t.npy', numpy.zeros((3, 1)))"
// RUN: not pcc-run %s --entry=main --fill 0 --arg x=%t.npy 2>&1 | FileCheck %s --check-prefix=NPY
// RUN: not pcc-run %s --entry=bad_target --arg t=[3] --fill 0 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not pcc-run %s --entry=main --check-gradients --fill 0 2>&1 | FileCheck %s --check-prefix=NOGRAD

nn.param @w : tensor<3xf32> init normal

func.func @main(%x: tensor<3xf32> {nn.name = "x"}) -> tensor<3xf32> {
  %w = nn.read @w : tensor<3xf32>
  %y = nn.sum %x, %w : tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @bad_target(%x: tensor<1x4xf32>, %t: tensor<1xi64> {nn.name = "t"})
    -> tensor<1xf32> {
  %loss, %lse = nn.cross_entropy %x, %t classes 3
      : tensor<1x4xf32>, tensor<1xi64> -> tensor<1xf32>
  return %loss : tensor<1xf32>
}

// MISSING: error: input #0 'x' has no value
// MISSING: note: give it with --arg x=..., or generate all missing inputs with --fill
// SHAPE: error: x: the given numbers do not form a tensor<3xf32>
// PARAM: error: 'nn.read' op reads @w, which has no value
// UNUSED: error: there is no argument or symbol 'y'
// ENTRY: error: the module has 2 functions; name one with --entry
// NOFUNC: error: there is no function @nothing
// NORESULT: error: there is no result or symbol '4' to compare
// NOTJSON: error: x: {{.*}}errors.mlir: {{.*}}Invalid JSON
// NOFILE: error: x: {{.*}}.none: No such file or directory
// NPY: holds an array of shape (3, 1), expected tensor<3xf32>
// TARGET: error: 'nn.cross_entropy' op target 3 of row 0 is none of the 3 classes
// NOGRAD: error: there is no function @loss to check gradients of
