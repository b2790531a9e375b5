// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// CHECK-LABEL: func.func @rounding
func.func @rounding(%seed: tensor<i64>, %step: tensor<i64>, %o: tensor<i64>,
                    %p: tensor<2x3xf32>, %m: tensor<2x3xbf16>, %s: tensor<f32>) {
  // CHECK: nn.rounding_bits 3 seed %{{.*}} step %{{[^ ]*}} members [#nn.member<shape = [2, 3], whole = [2, 3]>] : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  %0 = nn.rounding_bits 3 seed %seed step %step
      members [#nn.member<shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  // CHECK: nn.rounding_bits 0 seed %{{.*}} step %{{.*}} origins %{{.*}}, %{{.*}} position 1
  // CHECK-SAME: members [#nn.member<shape = [4, 8], whole = [4, 16], origins = [-1, 0]>, #nn.member<id = 1, start = 32, shape = [], whole = []>]
  // CHECK-SAME: : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64> -> tensor<1x32xi32>
  %1 = nn.rounding_bits 0 seed %seed step %step origins %o, %o position 1
      members [#nn.member<shape = [4, 8], whole = [4, 16], origins = [-1, 0]>,
               #nn.member<id = 1, start = 32, shape = [], whole = []>]
      : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64> -> tensor<1x32xi32>
  // CHECK: nn.adamw %{{.*}} step %{{.*}} rounding %{{[^ ]*}} : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>, {{.*}}, tensor<i64>, tensor<2x3xi32>
  %2:3 = nn.adamw %p, %p, %m, %m grad_scale %s lr %s betas %s, %s eps %s
      weight_decay %s step %step rounding %0
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<i64>, tensor<2x3xi32>
  return
}
