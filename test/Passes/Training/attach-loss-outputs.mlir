// The outputs that a loss accepts: their number, names, shapes and types.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss=loss=cross-entropy -o /dev/null
// RUN: not pcc-opt %s --split-input-file --nn-attach-loss=loss=mse 2> %t.mse | FileCheck %s
// RUN: FileCheck --check-prefix=ERRORS %s < %t.mse

// Several outputs, none named logits.
// ERRORS: error: a loss needs a model with one output, or one that is called logits; this has 2
// ERRORS: note: output 0, computed by 'nn.exp', is [2, 3] of 'f32'
// ERRORS: note: output 1 'other', computed by 'x', is [2, 3] of 'f32'
// ERRORS: note: --loss mse is of the output called logits
// expected-error @below {{a loss needs a model with one output, or one that is called logits; this has 2}}
// expected-note @below {{--loss cross-entropy is of the output called logits: export the model with output_names=[..., "logits", ...], or with the one output}}
func.func @forward(
    // expected-note @below {{output 1 'other', computed by 'x', is [2, 3] of 'f32'}}
    %x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3xf32>, tensor<2x3xf32> {nn.name = "other"}) {
  // expected-note @below {{output 0, computed by 'nn.exp', is [2, 3] of 'f32'}}
  %y = nn.exp %x : tensor<2x3xf32>
  return %y, %x : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// Of several outputs the one named logits, at any position.
// CHECK-LABEL: func.func @loss
// CHECK: %[[Y:.*]] = nn.exp
// CHECK: nn.sub %[[Y]]
// CHECK-LABEL: func.func @evaluate
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>})
    -> (tensor<2x3xf32> {nn.name = "hidden"}, tensor<2x3xf32> {nn.name = "logits"}) {
  %y = nn.exp %x : tensor<2x3xf32>
  return %x, %y : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// No output.
// ERRORS: error: a loss needs a model with one output, or one that is called logits; this has 0
// expected-error @below {{this has 0}}
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>}) {
  return
}

// -----

// One number for each sample: no classes, but valid for mse. Every target is
// valid.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: tensor<2xf32> {nn.name = "targets", nn.role = #nn.role<targets>}
// CHECK: dense<2.0
func.func @forward(%x: tensor<2xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2xf32> {
  // expected-error @below {{loss cross-entropy needs an output [batch, ..., classes] of floats, 'nn.exp' is 'tensor<2xf32>'}}
  %y = nn.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// One number for all.
// ERRORS: error: loss mse needs an output [batch, ...] of floats, 'nn.reduce' is 'tensor<f32>'
func.func @forward(%x: tensor<2xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<f32> {
  // expected-error @below {{loss cross-entropy needs an output [batch, ..., classes] of floats, 'nn.reduce' is 'tensor<f32>'}}
  %y = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Whole numbers.
// ERRORS: error: loss mse needs an output [batch, ...] of floats, 'nn.cast' is 'tensor<2x3xi64>'
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2x3xi64> {
  // expected-error @below {{'nn.cast' is 'tensor<2x3xi64>'}}
  %y = nn.cast %x : tensor<2x3xf32> -> tensor<2x3xi64>
  return %y : tensor<2x3xi64>
}

// -----

// bf16 outputs are squared in f32.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: tensor<2x3xbf16> {nn.name = "targets", nn.role = #nn.role<targets>}
// CHECK: %[[D:.*]] = nn.sub {{.*}} : tensor<2x3xbf16>
// CHECK-NEXT: %[[W:.*]] = nn.cast %[[D]] : tensor<2x3xbf16> -> tensor<2x3xf32>
// CHECK-NEXT: %[[S:.*]] = nn.mul %[[W]], %[[W]] : tensor<2x3xf32>
// CHECK-NEXT: nn.reduce %[[S]] [0, 1]
// CHECK-NEXT: dense<6.0
func.func @forward(%x: tensor<2x3xbf16> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<2x3xbf16> {
  %y = nn.exp %x : tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
}

// -----

// The model already has targets. Targets of classes must be integers.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x3xf32> {{{[^}]*}}}, %[[T:[^:]*]]: tensor<2x3xf32>
// CHECK: nn.sub %{{.*}}, %[[T]]
// expected-error @below {{the model's targets are 'tensor<2x3xf32>', the loss needs 'tensor<2xi64>'}}
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %t: tensor<2x3xf32> {nn.name = "t", nn.role = #nn.role<targets>}) -> tensor<2x3xf32> {
  %y = nn.exp %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// No input at all: the targets are the first.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: (%{{[^:]*}}: tensor<2x3xf32> {nn.name = "targets", nn.role = #nn.role<targets>})
nn.param @w : tensor<2x3xf32> init normal
// expected-warning @below {{the losses of the samples are not proven to be independent: 'loss' depends on the index of each of the samples}}
// expected-note @below {{if it combines several samples}}
func.func @forward() -> tensor<2x3xf32> {
  %w = nn.read @w : tensor<2x3xf32>
  return %w : tensor<2x3xf32>
}

// -----

// An output that does not depend on samples has no rows of samples.
// CHECK-LABEL: func.func @loss
// CHECK: nn.sub {{.*}} : tensor<5x3xf32>
nn.param @w : tensor<5x3xf32> init normal
// expected-warning @below {{the losses of the samples are not proven to be independent: 'loss' depends on the index of each of the samples}}
// expected-note @below {{if it combines several samples}}
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<5x3xf32> {
  %w = nn.read @w : tensor<5x3xf32>
  return %w : tensor<5x3xf32>
}

// -----

// Three rows of each sample become a dim.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: tensor<2x3x4xf32> {nn.name = "targets"
// CHECK: nn.reshape {{.*}} : tensor<6x4xf32> -> tensor<2x3x4xf32>
func.func @forward(%x: tensor<2x12xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<6x4xf32> {
  %y = nn.reshape %x : tensor<2x12xf32> -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// Three numbers of each sample are a row of three.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: tensor<2x3xf32> {nn.name = "targets"
// CHECK: nn.reshape {{.*}} : tensor<6xf32> -> tensor<2x3xf32>
// CHECK: dense<6.0
func.func @forward(%x: tensor<2x3xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<6xf32> {
  %y = nn.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// Not split: rows that contain halves of two samples, and rows that are
// columns.
// ERRORS: error: the first dim of the output, [4, 3] by 'nn.reshape', does not have one or more rows for each of the 2 samples of the inputs
// ERRORS: note: --loss needs an output [batch, ...]; a loss that the model computes itself may be of any shape
func.func @forward(%x: tensor<2x6xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<4x3xf32> {
  %h = nn.reshape %x : tensor<2x6xf32> -> tensor<2x2x3xf32>
  %t = nn.transpose %h [1, 0, 2] : tensor<2x2x3xf32> -> tensor<2x2x3xf32>
  // expected-error @below {{the first dim of the output, [4, 3] by 'nn.reshape', does not have one or more rows for each of the 2 samples of the inputs}}
  // expected-note @below {{--loss needs an output [batch, ...]; a loss that the model computes itself may be of any shape}}
  %y = nn.reshape %t : tensor<2x2x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// ERRORS: error: the first dim of the output, [6, 2] by 'nn.transpose'
func.func @forward(%x: tensor<2x6xf32> {nn.name = "x", nn.role = #nn.role<data>}) -> tensor<6x2xf32> {
  // expected-error @below {{[6, 2] by 'nn.transpose', does not have one or more rows for each of the 2 samples}}
  // expected-note @below {{--loss needs an output [batch, ...]}}
  %y = nn.transpose %x [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  return %y : tensor<6x2xf32>
}

// -----

// As many rows as a per-sample input has: they are taken as one row per sample.
// CHECK-LABEL: func.func @loss
// CHECK: nn.sub {{.*}} : tensor<6x2xf32>
// expected-warning @below {{the losses of the samples are not proven to be independent: 'loss' depends on the index of each of the samples}}
// expected-note @below {{if it combines several samples}}
func.func @forward(%x: tensor<2x6xf32> {nn.name = "x", nn.role = #nn.role<data>},
                   %z: tensor<6xf32> {nn.name = "z", nn.role = #nn.role<data>}) -> tensor<6x2xf32> {
  %y = nn.transpose %x [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  return %y : tensor<6x2xf32>
}
