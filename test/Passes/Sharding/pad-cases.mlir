// Padded values, and the effect of trailing zeros on each op.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -nn-pad-vocab=multiple=4 | FileCheck %s

// Not padded: a table whose rows are a multiple already, a table of positions,
// and a computed table.
// CHECK: nn.param @wte : tensor<12x4xf32> init normal{{$}}
// CHECK: nn.param @wpe : tensor<7x4xf32> init normal{{$}}
nn.param @wte : tensor<12x4xf32> init normal
nn.param @wpe : tensor<7x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
                   %p: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %w = nn.read @wte : tensor<12x4xf32>
  %v = nn.read @wpe : tensor<7x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<12x4xf32> -> tensor<2x6x4xf32>
  %y = nn.embedding %p, %v : tensor<6xi64>, tensor<7x4xf32> -> tensor<6x4xf32>
  // CHECK: nn.embedding {{.*}} tensor<7x4xf32> -> tensor<2x6x4xf32>
  %e = nn.exp %v : tensor<7x4xf32>
  %z = nn.embedding %t, %e : tensor<2x6xi64>, tensor<7x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

// One row more than a multiple, and one less, each in training and evaluation.
// A source keeps the shape in its file.
// CHECK: nn.param @wte : tensor<16x4xf32> init normal source <name = "file", {{.*}}valid = [13, 4]>
// expected-remark @below {{'wte' 'tensor<13x4xf32>' is padded with zeros to 'tensor<16x4xf32>'}}
nn.param @wte : tensor<13x4xf32> init normal source <name = "file", file = "m.onnx", offset = 0, type = tensor<13x4xf32>, file_size = 1000, digest = 7, base = 0, strides = [4, 1], valid = [13, 4]>
// CHECK: nn.param @types : tensor<16x2x4xf32> {{.*}} strides = [8, 4, 1], valid = [15, 2, 4]>
// expected-remark @below {{'types' 'tensor<15x2x4xf32>' is padded with zeros to 'tensor<16x2x4xf32>'}}
nn.param @types : tensor<15x2x4xf32> init normal
// CHECK-LABEL: func.func @microbatch
// CHECK: nn.read @wte : tensor<16x4xf32>
// CHECK: nn.embedding {{.*}} tensor<16x2x4xf32> -> tensor<2x6x2x4xf32>
// CHECK-LABEL: func.func @evaluate
// CHECK: nn.read @wte : tensor<16x4xf32>
func.func @microbatch(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
                      %d: tensor<2x6xi64> {nn.role = #nn.role<data>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %v = nn.read @types : tensor<15x2x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %y = nn.embedding %d, %v : tensor<2x6xi64>, tensor<15x2x4xf32> -> tensor<2x6x2x4xf32>
  return
}
func.func @evaluate(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @wte : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  return
}

// -----

// Classes of a head without a table, with its bias.
// CHECK: nn.param @head : tensor<4x8xf32> {{.*}} strides = [6, 1], valid = [4, 6]>
// expected-remark @below {{'head' 'tensor<4x6xf32>' is padded with zeros to 'tensor<4x8xf32>'}}
nn.param @head : tensor<4x6xf32> init normal
// expected-remark @below {{'bias' 'tensor<6xf32>' is padded with zeros to 'tensor<8xf32>'}}
nn.param @bias : tensor<6xf32> init zero
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>},
                   %t: tensor<2xi64> {nn.role = #nn.role<targets>}) {
  %w = nn.read @head : tensor<4x6xf32>
  %b = nn.read @bias : tensor<6xf32>
  %l = nn.contract "bk,kv->bv" %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  %wide = nn.broadcast %b [1] : tensor<6xf32> -> tensor<2x6xf32>
  %s = nn.sum %l, %wide : tensor<2x6xf32>
  // CHECK: nn.cross_entropy {{.*}} classes 6 : tensor<2x8xf32>, tensor<2xi64>
  %loss, %lse = nn.cross_entropy %s, %t classes 6 : tensor<2x6xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}

// -----

// A product is zero if one factor is zero, a sum only if all operands are.
// expected-remark @below {{is padded}}
nn.param @w : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %e = nn.exp %w : tensor<13x4xf32>
  %m = nn.mul %e, %w : tensor<13x4xf32>
  %s = nn.reduce %m [0] : tensor<13x4xf32> -> tensor<4xf32>
  %g = nn.contract "vc,vd->cd" %e, %w : tensor<13x4xf32>, tensor<13x4xf32> -> tensor<4x4xf32>
  %d = nn.sub %w, %m : tensor<13x4xf32>
  %r = nn.reduce %d [0] : tensor<13x4xf32> -> tensor<4xf32>
  return
}

// -----

nn.param @w : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %e = nn.exp %w : tensor<13x4xf32>
  %d = nn.sum %w, %e : tensor<13x4xf32>
  // expected-error @below {{cannot pad 13 classes to a multiple of 4: 'nn.reduce' adds over them, and the padding would not be zero}}
  // expected-note @below {{use a --tp that divides}}
  %s = nn.reduce %d [0] : tensor<13x4xf32> -> tensor<4xf32>
  return
}

// -----

nn.param @w : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %e = nn.exp %w : tensor<13x4xf32>
  // expected-error @below {{'nn.contract' adds over them}}
  // expected-note @below {{use a --tp that divides}}
  %g = nn.contract "vc,vd->cd" %e, %e : tensor<13x4xf32>, tensor<13x4xf32> -> tensor<4x4xf32>
  return
}

// -----

// A quotient of zeros is not zero.
nn.param @w : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  %d = nn.div %w, %w : tensor<13x4xf32>
  // expected-error @below {{'nn.reduce' adds over them}}
  // expected-note @below {{use a --tp that divides}}
  %s = nn.reduce %d [0] : tensor<13x4xf32> -> tensor<4xf32>
  return
}

// -----

// A reshape keeps the rows as a dim if it adds a dim of one element, but not if
// it merges them with another dim.
// expected-remark @below {{is padded}}
nn.param @w : tensor<13x4xf32> init normal
// CHECK-LABEL: func.func @rows
func.func @rows(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  // CHECK: nn.reshape {{.*}} -> tensor<1x16x4xf32>
  %r = nn.reshape %w : tensor<13x4xf32> -> tensor<1x13x4xf32>
  return
}

// -----

nn.param @w : tensor<13x4xf32> init normal
func.func @forward(%t: tensor<2x6xi64> {nn.role = #nn.role<tokens>}) {
  %w = nn.read @w : tensor<13x4xf32>
  %x = nn.embedding %t, %w : tensor<2x6xi64>, tensor<13x4xf32> -> tensor<2x6x4xf32>
  // expected-error @below {{cannot pad 13 classes to a multiple of 4: 'nn.reshape' makes them part of another dim}}
  // expected-note @below {{use a --tp that divides}}
  %r = nn.reshape %w : tensor<13x4xf32> -> tensor<52xf32>
  return
}

// -----

// Inputs have no padding.
nn.param @head : tensor<4x6xf32> init normal
// expected-error @below {{cannot pad 'tensor<2x6xf32>' of 'scores': it is not computed here}}
// expected-note @below {{use a --tp that divides the number of classes}}
func.func @forward(%s: tensor<2x6xf32> {nn.name = "scores", nn.role = #nn.role<data>},
                   %t: tensor<2xi64> {nn.role = #nn.role<targets>}) {
  %loss, %lse = nn.cross_entropy %s, %t classes 6 : tensor<2x6xf32>, tensor<2xi64> -> tensor<2xf32>
  return
}
