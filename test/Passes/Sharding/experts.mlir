// Experts of one layer on two data-parallel ranks that split the experts, and
// two tensor-parallel ranks that split each expert. The ranks of ep share the
// batch, too. So tokens, ids and gates are gathered over ep, and the result,
// which is partial over ep and tp, is scattered over ep.
// RUN: pcc-opt %s -dist-mesh="dp=4 ep=2 tp=2" -dist-seed-experts -dist-seed-tensor -o %t.seeds
// RUN: FileCheck %s --input-file=%t.seeds --check-prefix=SEEDS
// RUN: pcc-opt %t.seeds -dist-seed-data -dist-propagate -dist-insert-reshards -dist-verify -dist-partition -dist-verify | FileCheck %s

// With `whole` tensor-parallel ranks have different experts: none is split.
// RUN: pcc-opt %s -dist-mesh="dp=4 ep=2 tp=2" -dist-seed-experts=whole -dist-seed-tensor -o %t.whole
// RUN: FileCheck %s --input-file=%t.whole --check-prefix=SEEDS-WHOLE
// RUN: pcc-opt %t.whole -dist-seed-data -dist-propagate -dist-insert-reshards -dist-verify -dist-partition -dist-verify | FileCheck %s --check-prefix=WHOLE

// With sequence parallelism tokens are gathered over tp, too, and the result is
// scattered.
// RUN: pcc-opt %t.whole -dist-seed-data -dist-seed-sequence -dist-propagate -dist-insert-reshards -dist-verify -dist-partition -dist-verify | FileCheck %s --check-prefix=SEQUENCE

// Without ep the experts are tensor parallel as other MLPs are.
// RUN: pcc-opt %s -dist-mesh="dp=2 tp=2" -dist-seed-experts -dist-seed-tensor -dist-seed-data -dist-propagate -dist-insert-reshards -dist-verify -dist-partition -dist-verify | FileCheck %s --check-prefix=TENSOR

// SEEDS:       dist.mesh @mesh = <["dp"=2, "ep"=2, "tp"=2]>
// SEEDS-NEXT:  nn.param @w1 : tensor<4x2x6x8xf32> init normal{{$}}
// SEEDS-NEXT:  nn.param @w2 {{.*}}level = 0, result = 0, sharding = <@mesh, [{"ep", ?}, {?}, {?}]>, reason = "experts">
// SEEDS-SAME:  {{.*}}level = 0, result = 0, sharding = <@mesh, [{?}, {?}, {"tp", ?}]>, reason = "row-parallel weight">

// SEEDS-WHOLE: nn.param @w2 {{.*}} sharding = <@mesh, [{"ep", "tp", ?}, {?}, {?}]>, reason = "experts">]}

// CHECK:      nn.param @w1 : tensor<2x2x3x8xf32> {{.*}}<@mesh, [{"ep"}, {}, {"tp"}, {}]>
// CHECK-NEXT: nn.param @w2 : tensor<2x8x3xf32> {{.*}}<@mesh, [{"ep"}, {}, {"tp"}]>
// CHECK:      func.func @forward(%[[X:.*]]: tensor<2x4x8xf32> {{{.*}} [{"dp", "ep"}, {}, {}]>, nn.name = "x"{{.*}}, %[[IDS:.*]]: tensor<2x4x2xi32> {{.*}}, %[[GATES:.*]]: tensor<2x4x2xf32> {
// CHECK-DAG:  %[[AX:.*]] = dist.all_gather %[[X]] dim 0 over ["ep"] {{.*}} : tensor<2x4x8xf32> -> tensor<4x4x8xf32>
// CHECK-DAG:  %[[AIDS:.*]] = dist.all_gather %[[IDS]] dim 0 over ["ep"]
// CHECK-DAG:  %[[AGATES:.*]] = dist.all_gather %[[GATES]] dim 0 over ["ep"]
// CHECK:      %[[FIRST:.*]] = dist.offset ["ep"] by 2
// CHECK-NEXT: %[[Y:.*]] = nn.experts silu %[[AX]] ids %[[AIDS]] gates %[[AGATES]] w1 %{{.*}} w2 %{{.*}} offset %[[FIRST]]
// CHECK-SAME:   [{"dp"}, {}, {}], partial = {"ep", "tp"}>
// CHECK-NEXT: %[[S:.*]] = dist.reduce_scatter %[[Y]] dim 0 over ["ep"] {{.*}} : tensor<4x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[R:.*]] = dist.all_reduce sum %[[S]] over ["tp"]
// CHECK-NEXT: nn.sum %[[X]], %[[R]]

// WHOLE:      nn.param @w1 : tensor<1x2x6x8xf32> {{.*}}<@mesh, [{"ep", "tp"}, {}, {}, {}]>
// WHOLE-NEXT: nn.param @w2 : tensor<1x8x6xf32> {{.*}}<@mesh, [{"ep", "tp"}, {}, {}]>
// WHOLE-COUNT-3: dist.all_gather %{{.*}} dim 0 over ["ep"]
// WHOLE:      %[[FIRST:.*]] = dist.offset ["ep", "tp"] by 1
// WHOLE-NEXT: %[[Y:.*]] = nn.experts {{.*}} offset %[[FIRST]] {{.*}} partial = {"ep", "tp"}>
// WHOLE-NEXT: %[[S:.*]] = dist.reduce_scatter %[[Y]] dim 0 over ["ep"]
// WHOLE-NEXT: dist.all_reduce sum %[[S]] over ["tp"]

// SEQUENCE:     %[[FIRST:.*]] = dist.offset ["ep", "tp"] by 1
// SEQUENCE:     %[[Y:.*]] = nn.experts {{.*}} offset %[[FIRST]] {{.*}} partial = {"ep", "tp"}>
// SEQUENCE:     %[[S:.*]] = dist.reduce_scatter %[[Y]] dim 0 over ["ep"]
// SEQUENCE-NEXT: dist.reduce_scatter %[[S]] dim 1 over ["tp"] {{.*}} : tensor<2x4x8xf32> -> tensor<2x2x8xf32>

// TENSOR:     nn.param @w1 : tensor<4x2x3x8xf32> {{.*}}<@mesh, [{}, {}, {"tp"}, {}]>
// TENSOR-NOT: dist.all_gather
// TENSOR:     %[[Y:.*]] = nn.experts silu %{{.*}} ids %{{.*}} gates %{{.*}} w1 %{{.*}} w2 %{{[^ ]*}} {{{.*}} partial = {"tp"}>
// TENSOR-NEXT: dist.all_reduce sum %[[Y]] over ["tp"]

nn.param @w1 : tensor<4x2x6x8xf32> init normal
nn.param @w2 : tensor<4x8x6xf32> init normal
func.func @forward(%x: tensor<8x4x8xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %ids: tensor<8x4x2xi32> {nn.name = "ids", nn.role = #nn.role<data>},
                   %gates: tensor<8x4x2xf32> {nn.name = "gates", nn.role = #nn.role<data>})
    -> (tensor<8x4x8xf32> {nn.name = "y"}) {
  %w1 = nn.read @w1 : tensor<4x2x6x8xf32>
  %w2 = nn.read @w2 : tensor<4x8x6xf32>
  %y = nn.experts silu %x ids %ids gates %gates w1 %w1 w2 %w2
      : (tensor<8x4x8xf32>, tensor<8x4x2xi32>, tensor<8x4x2xf32>, tensor<4x2x6x8xf32>, tensor<4x8x6xf32>) -> tensor<8x4x8xf32>
  %z = nn.sum %x, %y : tensor<8x4x8xf32>
  return %z : tensor<8x4x8xf32>
}
