// Loops of kernels in LLVM: metadata of accesses and vectorization, and
// functions that are called.
// RUN: pcc-opt %s --rt-lower-kernels -mlir-print-local-scope \
// RUN:   | FileCheck %s --implicit-check-not=access_groups --implicit-check-not=loop_annotation

// CHECK: llvm.func @erf(f64) -> f64

// Buffers first, then the loop over work items, in it the one over columns. No
// two iterations of the latter share an element.
// CHECK-LABEL: llvm.func @double(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK: %[[SLOT0:.*]] = llvm.getelementptr %[[ARGS]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[X:.*]] = llvm.load %[[SLOT0]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT: %[[SLOT1:.*]] = llvm.getelementptr %[[ARGS]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[Y:.*]] = llvm.load %[[SLOT1]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : index) : i64
// CHECK: llvm.br ^[[UNITS:.*]](%[[BEGIN]] : i64)
// CHECK: ^[[UNITS]](%[[UNIT:.*]]: i64):
// CHECK-NEXT: llvm.icmp "slt" %[[UNIT]], %[[END]] : i64
// CHECK: llvm.br ^[[COLUMNS:.*]](
// CHECK: ^[[COLUMNS]](%[[COLUMN:.*]]: i64):
// CHECK: llvm.load {{.*}} {access_groups = [#llvm.access_group<id = distinct[[GROUP:.*]]<>>]} : !llvm.ptr -> f32
// CHECK-NEXT: llvm.fmul
// CHECK: llvm.store {{.*}} {access_groups = [#llvm.access_group<id = distinct[[GROUP]]<>>]} : f32, !llvm.ptr
// CHECK: llvm.add %[[COLUMN]],
// CHECK-NEXT: llvm.br ^[[COLUMNS]]({{.*}}) {loop_annotation = #llvm.loop_annotation<parallelAccesses = <id = distinct[[GROUP]]<>>>}
// CHECK: llvm.add %[[UNIT]],
// CHECK-NEXT: llvm.br ^[[UNITS]](
// CHECK: llvm.return
func.func private @double(%x: tensor<600x600xf32>) -> tensor<600x600xf32>
    attributes {rt.kernel} {
  %y = nn.scale %x by 2.0 : tensor<600x600xf32>
  return %y : tensor<600x600xf32>
}

// A sum is the same element in each iteration, and its stack slot is allocated
// outside of the loops. For f32 summed in f64, vectors have f32's length.
// CHECK-LABEL: llvm.func @sum(
// CHECK: llvm.alloca {{.*}} x f64 {alignment = 64 : i64}
// CHECK: llvm.br
// CHECK: llvm.store {{.*}} : f64, !llvm.ptr
// CHECK: llvm.load {{.*}} {access_groups = {{.*}}} : !llvm.ptr -> f32
// CHECK: %[[OLD:.*]] = llvm.load {{.*}} : !llvm.ptr -> f64
// CHECK: %[[NEW:.*]] = llvm.fadd %[[OLD]], {{.*}} {fastmathFlags = #llvm.fastmath<reassoc>} : f64
// CHECK: llvm.store %[[NEW]], {{.*}} : f64, !llvm.ptr
// CHECK: {loop_annotation = #llvm.loop_annotation<vectorize = <width = 16 : i32>, parallelAccesses
func.func private @sum(%x: tensor<600x600xf32>) -> tensor<600xf32>
    attributes {rt.kernel} {
  %y = nn.reduce %x [1] : tensor<600x600xf32> -> tensor<600xf32>
  return %y : tensor<600xf32>
}

// Loops that call a function for each element are not vectorized.
// CHECK-LABEL: llvm.func @sum_of_logs(
// CHECK: {access_groups
// CHECK: llvm.intr.log
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @sum_of_logs(%x: tensor<600x600xf32>) -> tensor<600xf32>
    attributes {rt.kernel} {
  %l = nn.log %x : tensor<600x600xf32>
  %y = nn.reduce %l [1] : tensor<600x600xf32> -> tensor<600xf32>
  return %y : tensor<600xf32>
}

// Integers of 64 bits are as wide as f64.
// CHECK-LABEL: llvm.func @mixed(
// CHECK: {access_groups
// CHECK: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<vectorize = <width = 16 : i32>, parallelAccesses
func.func private @mixed(%x: tensor<300xi64>) -> tensor<300xf32>
    attributes {rt.kernel} {
  %y = nn.cast %x : tensor<300xi64> -> tensor<300xf32>
  return %y : tensor<300xf32>
}

// CHECK-LABEL: llvm.func @integers(
// CHECK: {access_groups
// CHECK: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @integers(%x: tensor<300xi64>) -> tensor<300xi64>
    attributes {rt.kernel} {
  %y = nn.sum %x, %x : tensor<300xi64>
  return %y : tensor<300xi64>
}

// exp, tanh and erf are polynomials,
// CHECK-LABEL: llvm.func @polynomials(
// CHECK-NOT: llvm.intr.{{exp|tanh}}
// CHECK-NOT: call
// CHECK: {access_groups
// CHECK: llvm.intr.fma
// CHECK-COUNT-3: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @polynomials(%x: tensor<300xf32>)
    -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) attributes {rt.kernel} {
  %y = nn.exp %x : tensor<300xf32>
  %z = nn.tanh %x : tensor<300xf32>
  %w = nn.erf %x : tensor<300xf32>
  return %y, %z, %w : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
}

// others are LLVM intrinsics, and erf of f64 calls the C library.
// CHECK-LABEL: llvm.func @functions(
// CHECK: {access_groups
// CHECK: llvm.intr.sin
// CHECK: llvm.intr.cos
// CHECK: llvm.intr.sqrt
// CHECK-COUNT-3: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @functions(%x: tensor<300xf32>)
    -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) attributes {rt.kernel} {
  %y = nn.sin %x : tensor<300xf32>
  %z = nn.cos %x : tensor<300xf32>
  %w = nn.sqrt %x : tensor<300xf32>
  return %y, %z, %w : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
}

// CHECK-LABEL: llvm.func @erf_wide(
// CHECK: {access_groups
// CHECK: llvm.call @erf({{.*}}) : (f64) -> f64
// CHECK: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @erf_wide(%x: tensor<300xf64>) -> tensor<300xf64>
    attributes {rt.kernel} {
  %y = nn.erf %x : tensor<300xf64>
  return %y : tensor<300xf64>
}

// Rounding to bf16 is arithmetic on bits.
// CHECK-LABEL: llvm.func @narrow(
// CHECK: {access_groups
// CHECK-NOT: llvm.fptrunc
// CHECK: llvm.lshr
// CHECK-NOT: llvm.fptrunc
// CHECK: {access_groups
// CHECK: {loop_annotation = #llvm.loop_annotation<parallelAccesses
func.func private @narrow(%x: tensor<300xf32>) -> tensor<300xbf16>
    attributes {rt.kernel} {
  %y = nn.cast %x : tensor<300xf32> -> tensor<300xbf16>
  return %y : tensor<300xbf16>
}
