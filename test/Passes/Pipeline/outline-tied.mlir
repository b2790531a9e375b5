// A table that three stages use: each accumulates its own gradient and sends it
// to the others. All add the three in one order, and the first counts them in
// the norm. Zeros that stand for other stages' sums are removed, except in
// collectives, to which all stages contribute.
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
// CHECK-NEXT: pipe.body @forward.0.body (%input.x: tensor<2x4xf32>, %table: tensor<4x4xf32>) -> (tensor<2x4xf32>) {
// CHECK-NEXT: %0 = nn.contract "bc,cm->bm" %input.x, %table : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.0 stage 0 forward calls @forward.0.body (@input.x, @table) -> (@value.0)
// CHECK-NEXT: pipe.body @forward.1.body (%value.0: tensor<2x4xf32>, %table: tensor<4x4xf32>) -> (tensor<2x4xf32>) {
// CHECK-NEXT: %0 = nn.contract "bc,cm->bm" %value.0, %table : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: pipe.yield %0 : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.1 stage 1 forward calls @forward.1.body (@value.0, @table) -> (@value.1)
// CHECK-NEXT: pipe.body @forward.2.body (%value.1: tensor<2x4xf32>, %table: tensor<4x4xf32>, %w: tensor<4x4xf32>, %loss_sum: tensor<f32>, %target_count: tensor<f32>) -> (tensor<2x4xf32>, tensor<f32> into 3, tensor<f32> into 4) {
// CHECK-NEXT: %0 = nn.sum %table, %w : tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.contract "bc,cm->bm" %value.1, %0 : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = nn.reduce %1 [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK-NEXT: %3 = nn.sum %loss_sum, %2 : tensor<f32>
// CHECK-NEXT: %4 = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %5 = nn.sum %target_count, %4 : tensor<f32>
// CHECK-NEXT: pipe.yield %1, %3, %5 : tensor<2x4xf32>, tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @forward.2 stage 2 forward calls @forward.2.body (@value.1, @table, @w, @loss_sum, @target_count) -> (@value.2, @loss_sum, @target_count)
// CHECK-NEXT: pipe.body @backward.2.body (%value.2: tensor<2x4xf32>, %value.1: tensor<2x4xf32>, %grad.w: tensor<4x4xf32>, %grad.table: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32> into 2, tensor<4x4xf32> into 3) {
// CHECK-NEXT: %0 = nn.scale %value.2 by 2.000000e+00 {nn.bwd} : tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.contract "bm,bc->mc" %value.1, %0 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %2 = nn.sum %grad.w, %1 : tensor<4x4xf32>
// CHECK-NEXT: %3 = nn.sum %grad.table, %1 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %0, %2, %3 : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.2 stage 2 backward calls @backward.2.body (@value.2, @value.1, @grad.w, @grad.table) -> (@value.3, @grad.w, @grad.table)
// CHECK-NEXT: pipe.body @backward.1.body (%value.3: tensor<2x4xf32>, %table: tensor<4x4xf32>, %value.0: tensor<2x4xf32>, %grad.table: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32> into 3) {
// CHECK-NEXT: %0 = nn.contract "bm,cm->bc" %value.3, %table {nn.bwd} : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = nn.contract "bm,bc->mc" %value.0, %0 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %2 = nn.sum %grad.table, %1 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %0, %2 : tensor<2x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.1 stage 1 backward calls @backward.1.body (@value.3, @table, @value.0, @grad.table) -> (@value.4, @grad.table)
// CHECK-NEXT: pipe.body @backward.0.body (%input.x: tensor<2x4xf32>, %value.4: tensor<2x4xf32>, %grad.table: tensor<4x4xf32>) -> (tensor<4x4xf32> into 2) {
// CHECK-NEXT: %0 = nn.contract "bm,bc->mc" %input.x, %value.4 {nn.bwd} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %1 = nn.sum %grad.table, %0 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %1 : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @backward.0 stage 0 backward calls @backward.0.body (@input.x, @value.4, @grad.table) -> (@grad.table)
// CHECK-NEXT: pipe.body @reduce.0.0.body (%grad.table: tensor<4x4xf32>) -> (tensor<4x4xf32> into 0) {
// CHECK-NEXT: pipe.yield %grad.table : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @reduce.0.0 stage 0 reduce calls @reduce.0.0.body (@grad.table) -> (@value.5)
// CHECK-NEXT: pipe.body @reduce.0.1.body (%grad.table: tensor<4x4xf32>) -> (tensor<4x4xf32> into 0) {
// CHECK-NEXT: pipe.yield %grad.table : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @reduce.0.1 stage 1 reduce calls @reduce.0.1.body (@grad.table) -> (@value.6)
// CHECK-NEXT: pipe.body @reduce.0.2.body (%grad.table: tensor<4x4xf32>) -> (tensor<4x4xf32> into 0) {
// CHECK-NEXT: pipe.yield %grad.table : tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @reduce.0.2 stage 2 reduce calls @reduce.0.2.body (@grad.table) -> (@value.7)
// CHECK-NEXT: pipe.body @update.0.body (%input.lr: tensor<f32>, %value.5: tensor<4x4xf32>, %value.6: tensor<4x4xf32>, %value.7: tensor<4x4xf32>, %table: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4x4xf32> into 4) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = dist.all_reduce sum %0 over ["pp"] : tensor<f32>
// CHECK-NEXT: %2 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = nn.div %2, %1 : tensor<f32>
// CHECK-NEXT: %4 = nn.sum %value.5, %value.6, %value.7 : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.sum_of_squares %4 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %6 = nn.sum %5 : tensor<f32>
// CHECK-NEXT: %7 = dist.all_reduce sum %6 over ["pp"] : tensor<f32>
// CHECK-NEXT: %8 = nn.sqrt %7 : tensor<f32>
// CHECK-NEXT: %9 = nn.sum %table, %4 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %3, %8, %9 : tensor<f32>, tensor<f32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.0 stage 0 update calls @update.0.body (@input.lr, @value.5, @value.6, @value.7, @table) -> (@output.loss, @output.norm, @table)
// CHECK-NEXT: pipe.body @update.1.body (%input.lr: tensor<f32>, %value.5: tensor<4x4xf32>, %value.6: tensor<4x4xf32>, %value.7: tensor<4x4xf32>, %table: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>, tensor<4x4xf32> into 4) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = dist.all_reduce sum %0 over ["pp"] : tensor<f32>
// CHECK-NEXT: %2 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = nn.div %2, %1 : tensor<f32>
// CHECK-NEXT: %4 = nn.sum %value.5, %value.6, %value.7 : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %6 = dist.all_reduce sum %5 over ["pp"] : tensor<f32>
// CHECK-NEXT: %7 = nn.sqrt %6 : tensor<f32>
// CHECK-NEXT: %8 = nn.sum %table, %4 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %3, %7, %8 : tensor<f32>, tensor<f32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.1 stage 1 update calls @update.1.body (@input.lr, @value.5, @value.6, @value.7, @table) -> (@output.loss, @output.norm, @table)
// CHECK-NEXT: pipe.body @update.2.body (%input.lr: tensor<f32>, %target_count: tensor<f32>, %loss_sum: tensor<f32>, %value.5: tensor<4x4xf32>, %value.6: tensor<4x4xf32>, %value.7: tensor<4x4xf32>, %grad.w: tensor<4x4xf32>, %table: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32> into 2, tensor<4x4xf32> into 7, tensor<4x4xf32> into 8) {
// CHECK-NEXT: %0 = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = dist.all_reduce sum %target_count over ["pp"] : tensor<f32>
// CHECK-NEXT: %2 = nn.div %loss_sum, %1 : tensor<f32>
// CHECK-NEXT: %3 = nn.sum %value.5, %value.6, %value.7 : tensor<4x4xf32>
// CHECK-NEXT: %4 = nn.scale %grad.w by 5.000000e-01 : tensor<4x4xf32>
// CHECK-NEXT: %5 = nn.sum_of_squares %4 : tensor<4x4xf32> -> tensor<f32>
// CHECK-NEXT: %6 = nn.sum %5 : tensor<f32>
// CHECK-NEXT: %7 = dist.all_reduce sum %6 over ["pp"] : tensor<f32>
// CHECK-NEXT: %8 = nn.sqrt %7 : tensor<f32>
// CHECK-NEXT: %9 = nn.sum %table, %3 : tensor<4x4xf32>
// CHECK-NEXT: %10 = nn.sum %w, %4 : tensor<4x4xf32>
// CHECK-NEXT: pipe.yield %2, %8, %0, %9, %10 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pipe.task @update.2 stage 2 update calls @update.2.body (@input.lr, @target_count, @loss_sum, @value.5, @value.6, @value.7, @grad.w, @table, @w) -> (@output.loss, @output.norm, @loss_sum, @table, @w)
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
  // All stages take part, also with zeros.
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
