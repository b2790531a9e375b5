// A kernel has at most 256 ops: 259 ops become two kernels.
// RUN: %python -c "for i in range(1, 260): print(f'  %%x{i} = nn.exp %%x{i - 1} : tensor<4xf32>')" > %t.ops
// RUN: sed -e '/^  .. OPS/r %t.ops' %s | pcc-opt --rt-form-kernels | FileCheck %s
// CHECK: func.func private @kernel_0_exp(
// CHECK-COUNT-256: nn.exp
// CHECK-NEXT: return
// CHECK: func.func private @kernel_1_exp(
// CHECK-COUNT-3: nn.exp
// CHECK-NEXT: return
func.func @many(%x0: tensor<4xf32>) -> tensor<4xf32> {
  // OPS
  return %x259 : tensor<4xf32>
}
