// A table that three stages use: each adds up its own gradient and hands it to
// the others; all add the three in one order, and the first counts them. Zeros
// of other stages' sums vanish, but not from what all stages add up together.
// RUN: pcc-opt %s -pipe-outline | FileCheck %s

// CHECK: dist.mesh @mesh = <["pp"=3]>
// CHECK-NEXT: pipe.value @value.0 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.1 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.2 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.3 : tensor<2x4xf32>
// CHECK-NEXT: pipe.value @value.4 : tensor<2x4xf32>
// CHECK-NEXT: pipe.input @input.x : tensor<2x4xf32> role data name "x"
// CHECK-NEXT: pipe.value @value.5 : tensor<4x4xf32>
// CHECK-NEXT: pipe.value @value.6 : tensor<4x4xf32>
// CHECK-NEXT: pipe.value @value.7 : tensor<4x4xf32>
// CHECK-NEXT: pipe.input @input.lr : tensor<f32> role lr name "lr"
// CHECK-NEXT: pipe.output @output.loss : tensor<f32> name "loss"
// CHECK-NEXT: pipe.output @output.norm : tensor<f32> name "norm"
// CHECK-NEXT: pipe.task @forward.0 stage 0 forward (%arg0: tensor<2x4xf32> from @input.x) -> (tensor<2x4xf32> to @value.0) {
// CHECK-NEXT: %0 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %arg0, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %1 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.1 stage 1 forward (%arg0: tensor<2x4xf32> from @value.0) -> (tensor<2x4xf32> to @value.1) {
// CHECK-NEXT: %0 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %arg0, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %1 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.2 stage 2 forward (%arg0: tensor<2x4xf32> from @value.1) -> (tensor<2x4xf32> to @value.2) {
// CHECK-NEXT: %0 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.read @w : tensor<4x4xf32>
// CHECK-NEXT: %2 = nn.sum %0, %1 : tensor<4x4xf32>
// CHECK-NEXT: %3 = nn.contract "bc,cm->bm" %arg0, %2 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %4 = nn.reduce %3 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: nn.accumulate %4, @loss_sum : tensor<f32>
// CHECK-NEXT: %5 = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: nn.accumulate %5, @target_count : tensor<f32>
// CHECK-NEXT: pipe.yield %3 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.2 stage 2 backward (%arg0: tensor<2x4xf32> from @value.2, %arg1: tensor<2x4xf32> from @value.1) -> (tensor<2x4xf32> to @value.3) {
// CHECK-NEXT: %0 = nn.scale %arg0 by 2.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.contract "bm,bc->mc" %arg1, %0 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %1, @grad.w : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: nn.accumulate %1, @grad.table : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: pipe.yield %0 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.1 stage 1 backward (%arg0: tensor<2x4xf32> from @value.3, %arg1: tensor<2x4xf32> from @value.0) -> (tensor<2x4xf32> to @value.4) {
// CHECK-NEXT: %0 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bm,cm->bc" %arg0, %0 {nn.bwd} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.contract "bm,bc->mc" %arg1, %1 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %2, @grad.table : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: pipe.yield %1 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.0 stage 0 backward (%arg0: tensor<2x4xf32> from @input.x, %arg1: tensor<2x4xf32> from @value.4) {
// CHECK-NEXT: %0 = nn.contract "bm,bc->mc" %arg0, %arg1 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: nn.accumulate %0, @grad.table : tensor<4x4xf32> {nn.bwd}
// CHECK-NEXT: pipe.yield
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @tied.0.0 stage 0 update () -> (tensor<4x4xf32> to @value.5) {
// CHECK-NEXT: %0 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @tied.0.1 stage 1 update () -> (tensor<4x4xf32> to @value.6) {
// CHECK-NEXT: %0 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @tied.0.2 stage 2 update () -> (tensor<4x4xf32> to @value.7) {
// CHECK-NEXT: %0 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.0 stage 0 update (%arg0: tensor<f32> from @input.lr, %arg1: tensor<4x4xf32> from @value.6, %arg2: tensor<4x4xf32> from @value.7) -> (tensor<f32> to @output.loss, tensor<f32> to @output.norm) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = dist.all_reduce sum %0 over ["pp"] : tensor<f32>
// CHECK-NEXT: %2 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = nn.div %2, %1 : tensor<f32>
// CHECK-NEXT: %4 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.sum %4, %arg1, %arg2 : tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.sum_of_squares %5 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %7 = nn.sum %6 : tensor<f32>
// CHECK-NEXT: %8 = dist.all_reduce sum %7 over ["pp"] : tensor<f32>
// CHECK-NEXT: %9 = nn.sqrt %8 : tensor<f32>
// CHECK-NEXT: %10 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %11 = nn.sum %10, %5 : tensor<4x4xf32>
// CHECK-NEXT: nn.write %11, @table : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %3, %9 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.1 stage 1 update (%arg0: tensor<f32> from @input.lr, %arg1: tensor<4x4xf32> from @value.5, %arg2: tensor<4x4xf32> from @value.7) -> (tensor<f32> to @output.loss, tensor<f32> to @output.norm) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = dist.all_reduce sum %0 over ["pp"] : tensor<f32>
// CHECK-NEXT: %2 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = nn.div %2, %1 : tensor<f32>
// CHECK-NEXT: %4 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.sum %arg1, %4, %arg2 : tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %7 = dist.all_reduce sum %6 over ["pp"] : tensor<f32>
// CHECK-NEXT: %8 = nn.sqrt %7 : tensor<f32>
// CHECK-NEXT: %9 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %10 = nn.sum %9, %5 : tensor<4x4xf32>
// CHECK-NEXT: nn.write %10, @table : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %3, %8 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.2 stage 2 update (%arg0: tensor<f32> from @input.lr, %arg1: tensor<4x4xf32> from @value.5, %arg2: tensor<4x4xf32> from @value.6) -> (tensor<f32> to @output.loss, tensor<f32> to @output.norm) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = nn.read @target_count : tensor<f32>
// CHECK-NEXT: %2 = dist.all_reduce sum %1 over ["pp"] : tensor<f32>
// CHECK-NEXT: %3 = nn.read @loss_sum : tensor<f32>
// CHECK-NEXT: %4 = nn.div %3, %2 : tensor<f32>
// CHECK-NEXT: %5 = nn.read @grad.table : tensor<4x4xf32>
// CHECK-NEXT: %6 = nn.sum %arg1, %arg2, %5 : tensor<4x4xf32>
// CHECK-NEXT: %7 = nn.read @grad.w : tensor<4x4xf32>
// CHECK-NEXT: %8 = nn.scale %7 by 5.000000e-01 : tensor<4x4xf32>
// CHECK-NEXT: %9 = nn.sum_of_squares %8 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %10 = nn.sum %9 : tensor<f32>
// CHECK-NEXT: %11 = dist.all_reduce sum %10 over ["pp"] : tensor<f32>
// CHECK-NEXT: %12 = nn.sqrt %11 : tensor<f32>
// CHECK-NEXT: %13 = nn.read @table : tensor<4x4xf32>
// CHECK-NEXT: %14 = nn.sum %13, %6 : tensor<4x4xf32>
// CHECK-NEXT: nn.write %14, @table : tensor<4x4xf32>
// CHECK-NEXT: %15 = nn.read @w : tensor<4x4xf32>
// CHECK-NEXT: %16 = nn.sum %15, %8 : tensor<4x4xf32>
// CHECK-NEXT: nn.write %16, @w : tensor<4x4xf32>
// CHECK-NEXT: nn.write %0, @loss_sum : tensor<f32>
// CHECK-NEXT: pipe.yield %4, %12 : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: }

nn.param @table : tensor<4x4xf32> init normal
nn.param @w : tensor<4x4xf32> init normal
nn.state @loss_sum : tensor<f32> sum
nn.state @target_count : tensor<f32> sum
nn.state @grad.w : tensor<4x4xf32> gradient of @w
nn.state @grad.table : tensor<4x4xf32> gradient of @table
dist.mesh @mesh = <["pp"=3]>

func.func @microbatch(%x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  %t = nn.read @table : tensor<4x4xf32> {nn.stage = 0}
  %a = nn.contract "bc,cm->bm" %x, %t {nn.stage = 0} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %b = nn.contract "bc,cm->bm" %a, %t {nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %w = nn.read @w : tensor<4x4xf32> {nn.stage = 2}
  %u = nn.sum %t, %w {nn.stage = 2} : tensor<4x4xf32>
  %c = nn.contract "bc,cm->bm" %b, %u {nn.stage = 2} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %l = nn.reduce %c [0, 1] {nn.stage = 2} : tensor<2x4xf32> -> tensor<f32>
  nn.accumulate %l, @loss_sum : tensor<f32> {nn.stage = 2}
  %n = nn.constant dense<2.0> : tensor<f32>
  nn.accumulate %n, @target_count : tensor<f32>
  %dc = nn.scale %c by 2.0 {nn.bwd, nn.stage = 2} : tensor<2x4xf32>
  %dw = nn.contract "bm,bc->mc" %b, %dc {nn.bwd, nn.stage = 2} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  nn.accumulate %dw, @grad.w : tensor<4x4xf32> {nn.bwd, nn.stage = 2}
  %db = nn.contract "bm,cm->bc" %dc, %t {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %dt1 = nn.contract "bm,bc->mc" %a, %db {nn.bwd, nn.stage = 1} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %dt0 = nn.contract "bm,bc->mc" %x, %db {nn.bwd, nn.stage = 0} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  %dt = nn.sum %dt0, %dt1, %dw {nn.bwd, nn.stage = 0} : tensor<4x4xf32>
  nn.accumulate %dt, @grad.table : tensor<4x4xf32> {nn.bwd, nn.stage = 0}
  return
}

func.func @update(%lr: tensor<f32> {nn.name = "lr", nn.role = #nn.role<lr>})
    -> (tensor<f32> {nn.name = "loss"}, tensor<f32> {nn.name = "norm"}) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %n = nn.read @target_count : tensor<f32>
  // All stages take part, whatever they bring.
  %ns = dist.all_reduce sum %n over ["pp"] : tensor<f32>
  %l = nn.read @loss_sum : tensor<f32>
  %loss = nn.div %l, %ns : tensor<f32>
  %gt = nn.read @grad.table : tensor<4x4xf32>
  %st = nn.sum_of_squares %gt : tensor<4x4xf32> -> tensor<f32>
  %gw = nn.read @grad.w : tensor<4x4xf32>
  %hw = nn.scale %gw by 0.5 : tensor<4x4xf32>
  %sw = nn.sum_of_squares %hw : tensor<4x4xf32> -> tensor<f32>
  %s = nn.sum %st, %sw : tensor<f32>
  %all = dist.all_reduce sum %s over ["pp"] : tensor<f32>
  %norm = nn.sqrt %all : tensor<f32>
  %t = nn.read @table : tensor<4x4xf32>
  %nt = nn.sum %t, %gt : tensor<4x4xf32>
  nn.write %nt, @table : tensor<4x4xf32>
  %w = nn.read @w : tensor<4x4xf32>
  %nw = nn.sum %w, %hw : tensor<4x4xf32>
  nn.write %nw, @w : tensor<4x4xf32>
  nn.write %zero, @loss_sum : tensor<f32>
  return %loss, %norm : tensor<f32>, tensor<f32>
}
