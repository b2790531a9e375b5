// Ops that bound the ids of an input, and ops that do not.
// RUN: pcc-opt %s -nn-bound-ids | FileCheck %s

nn.param @w : tensor<24x8xf32> init normal
nn.param @v : tensor<10x8xf32> init normal

// Ids that are moved, repeated or widened are still ids. A bound on a slice of
// tokens holds for all tokens. Of two tables the smaller one is used; of two
// equal ones the last.
// CHECK-LABEL: func @moved
func.func @moved(
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "turned"}, nn.name = "a"
    %a: tensor<2x4xi64> {nn.name = "a", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "wide"}, nn.name = "b"
    %b: tensor<4xi64> {nn.name = "b", nn.role = #nn.role<data>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "joined"}, nn.name = "c"
    %c: tensor<2x4xi64> {nn.name = "c", nn.role = #nn.role<targets>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "second"}, nn.name = "d"
    %d: tensor<4xi64> {nn.name = "d", nn.role = #nn.role<shared>}) {
  %w = nn.read @w : tensor<24x8xf32>
  %v = nn.read @v : tensor<10x8xf32>
  %t = nn.transpose %a [1, 0] : tensor<2x4xi64> -> tensor<4x2xi64>
  %x = nn.embedding %t, %v : tensor<4x2xi64>, tensor<10x8xf32> -> tensor<4x2x8xf32> loc("turned")
  %y = nn.embedding %a, %w : tensor<2x4xi64>, tensor<24x8xf32> -> tensor<2x4x8xf32> loc("whole")
  %wide = nn.broadcast %b [1] : tensor<4xi64> -> tensor<2x4xi64>
  %z = nn.embedding %wide, %v : tensor<2x4xi64>, tensor<10x8xf32> -> tensor<2x4x8xf32> loc("wide")
  %s = nn.slice %c at [0, 1] step [1, 1] : tensor<2x4xi64> -> tensor<2x3xi64>
  %p = nn.pad %s at [0, 0] step [1, 1] : tensor<2x3xi64> -> tensor<2x4xi64>
  %one = nn.select %p dim 1 index 0 : tensor<2x4xi64> -> tensor<2xi64>
  %j = nn.concat %one, %one along 0 : tensor<2xi64>, tensor<2xi64> -> tensor<4xi64>
  %among = nn.insert %j dim 0 index 1 : tensor<4xi64> -> tensor<2x4xi64>
  %u = nn.embedding %among, %v : tensor<2x4xi64>, tensor<10x8xf32> -> tensor<2x4x8xf32> loc("joined")
  %e = nn.embedding %d, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("first")
  %f = nn.embedding %d, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("second")
  return
}

// Values computed from ids, slices of data, tables with an offset, and ids used
// as numbers give no bound; nor do looked-up values or logits of integers.
// CHECK-LABEL: func @other
// CHECK-NOT: nn.ids
func.func @other(
    %a: tensor<4xi64> {nn.name = "a", nn.role = #nn.role<tokens>},
    %b: tensor<2x4xi64> {nn.name = "b", nn.role = #nn.role<data>},
    %c: tensor<4xi64> {nn.name = "c", nn.role = #nn.role<tokens>},
    %d: tensor<4x2xi64> {nn.name = "d", nn.role = #nn.role<data>},
    %e: tensor<4xi64> {nn.name = "e"},
    %n: tensor<i64>) {
  %v = nn.read @v : tensor<10x8xf32>
  %one = nn.constant dense<1> : tensor<4xi64>
  %next = nn.sum %a, %one : tensor<4xi64>
  %x = nn.embedding %next, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  %row = nn.select %b dim 0 index 1 : tensor<2x4xi64> -> tensor<4xi64>
  %y = nn.embedding %row, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  %z = nn.embedding %c, %v offset %n : tensor<i64> : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  %g = nn.embedding_grad %z, %c offset %n : tensor<i64> : tensor<4x8xf32>, tensor<4xi64> -> tensor<10x8xf32>
  %u = nn.embedding %one, %d : tensor<4xi64>, tensor<4x2xi64> -> tensor<4x2xi64>
  %f = nn.cast %c : tensor<4xi64> -> tensor<4xf32>
  %i = nn.embedding %e, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  return
}

// Tokens above a limit are replaced: the table bounds the limit. If tokens
// equal to an id or below one are replaced, the table bounds the tokens. Labels
// give no bound if some are replaced.
// CHECK-LABEL: func @limits
func.func @limits(
    // CHECK-SAME: tensor<4xi64> {nn.name = "a"
    %a: tensor<4xi64> {nn.name = "a", nn.role = #nn.role<tokens>},
    // CHECK-SAME: tensor<4xi64> {nn.name = "b"
    %b: tensor<4xi64> {nn.name = "b", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "c"}, nn.name = "c"
    %c: tensor<4xi64> {nn.name = "c", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "d"}, nn.name = "d"
    %d: tensor<4xi64> {nn.name = "d", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "e"}, nn.name = "e"
    %e: tensor<4xi64> {nn.name = "e", nn.role = #nn.role<tokens>},
    // CHECK-SAME: nn.ids = {below = 10 : i64, node = "f"}, nn.name = "f"
    %f: tensor<4xi64> {nn.name = "f", nn.role = #nn.role<tokens>},
    // CHECK-SAME: tensor<4xi64> {nn.name = "g", nn.role = #nn.role<targets>}
    %g: tensor<4xi64> {nn.name = "g", nn.role = #nn.role<targets>},
    // CHECK-SAME: tensor<4xi1> {nn.name = "h"
    %h: tensor<4xi1> {nn.name = "h", nn.role = #nn.role<tokens>}) {
  %v = nn.read @v : tensor<10x8xf32>
  %nine = nn.constant dense<9> : tensor<4xi64>
  // The id is used where it is less than the limit.
  %al = nn.compare lt %a, %nine : tensor<4xi64> -> tensor<4xi1>
  %aw = nn.where %al, %a, %nine : tensor<4xi1>, tensor<4xi64>
  %ae = nn.embedding %aw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("a")
  // The id is replaced where the limit is less.
  %bl = nn.compare lt %nine, %b : tensor<4xi64> -> tensor<4xi1>
  %bw = nn.where %bl, %nine, %b : tensor<4xi1>, tensor<4xi64>
  %be = nn.embedding %bw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("b")
  // The id is used where it is greater than the replacement.
  %cl = nn.compare lt %nine, %c : tensor<4xi64> -> tensor<4xi1>
  %cw = nn.where %cl, %c, %nine : tensor<4xi1>, tensor<4xi64>
  %ce = nn.embedding %cw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("c")
  %dl = nn.compare lt %d, %nine : tensor<4xi64> -> tensor<4xi1>
  %dw = nn.where %dl, %nine, %d : tensor<4xi1>, tensor<4xi64>
  %de = nn.embedding %dw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("d")
  // One id is replaced.
  %el = nn.compare eq %e, %nine : tensor<4xi64> -> tensor<4xi1>
  %ew = nn.where %el, %e, %nine : tensor<4xi1>, tensor<4xi64>
  %ee = nn.embedding %ew, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("e")
  // Limited by an unknown value.
  %fw = nn.where %h, %f, %nine : tensor<4xi1>, tensor<4xi64>
  %fe = nn.embedding %fw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("f")
  %gl = nn.compare eq %g, %nine : tensor<4xi64> -> tensor<4xi1>
  %gw = nn.where %gl, %nine, %g : tensor<4xi1>, tensor<4xi64>
  %ge = nn.embedding %gw, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32> loc("g")
  return
}

// Inputs that only losses read are marked, for role data; for targets the role
// implies it.
// CHECK-LABEL: func @losses
func.func @losses(
    %x: tensor<4x8xf32> {nn.role = #nn.role<data>},
    // CHECK: nn.ids = {below = 5 : i64, node = "nn.cross_entropy", of_loss}, nn.name = "a"
    %a: tensor<4xi64> {nn.name = "a", nn.role = #nn.role<data>},
    // CHECK-SAME: nn.ids = {below = 5 : i64, node = "nn.cross_entropy"}, nn.name = "b"
    %b: tensor<4xi64> {nn.name = "b", nn.role = #nn.role<targets>},
    // CHECK-SAME: nn.ids = {below = 5 : i64, node = "nn.cross_entropy"}, nn.name = "c"
    %c: tensor<4xi64> {nn.name = "c", nn.role = #nn.role<data>}) {
  %v = nn.read @v : tensor<10x8xf32>
  %la, %sa = nn.cross_entropy %x, %a classes 5 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  %lb, %sb = nn.cross_entropy %x, %b classes 5 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  %lc, %sc = nn.cross_entropy %x, %c classes 5 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  %e = nn.embedding %c, %v : tensor<4xi64>, tensor<10x8xf32> -> tensor<4x8xf32>
  return
}
