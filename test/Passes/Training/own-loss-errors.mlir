// Losses computed by the model that cannot be accumulated over batches, and
// assumptions.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --nn-attach-loss
// RUN: not pcc-opt %s --split-input-file --nn-attach-loss=whole-batch 2> %t.errors | FileCheck %s
// RUN: FileCheck --check-prefix=WHOLE %s < %t.errors

// Neither number nor type of results matches the list.
// WHOLE: error: a model with a loss of its own returns the sum of each term
// expected-error @below {{returns the sum of each term and, where it is divided, its divisor, all 'tensor<f32>', not ('tensor<f32>')}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{divided}]} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// WHOLE: error: a model with a loss of its own returns the sum of each term
// expected-error @below {{not ('tensor<f32>', 'tensor<f32>')}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{}]} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s, %s : tensor<f32>, tensor<f32>
}

// -----

// WHOLE: error: a model with a loss of its own returns the sum of each term
// expected-error @below {{not ('tensor<f32>', 'tensor<f64>')}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}, %y: tensor<f64>) -> (tensor<f32>, tensor<f64>) attributes {nn.has_loss} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s, %y : tensor<f32>, tensor<f64>
}

// -----

// The maximum of a batch is not the sum of its microbatches' maxima.
// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "'nn.reduce_max' combines several samples"}
// CHECK: func.func @loss
// CHECK: %[[TOP:.*]] = nn.reduce_max
// CHECK: %[[ONE:.*]] = nn.constant dense<1.0
// CHECK: return %[[TOP]], %[[ONE]]
// expected-error @below {{the loss of a whole batch does not follow from those of its parts: 'nn.reduce_max' combines several samples}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{}]} {
  // expected-note @below {{train without --dp and in one microbatch: leave --global-batch-size out or set it to --micro-batch-size}}
  %s = nn.reduce_max %x [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A function of a sum is not a sum, although with one sample it looks like one.
// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "'nn.sqrt' computes with a sum over samples"}
// expected-error @below {{'nn.sqrt' computes with a sum over samples}}
// expected-note @below {{with one sample per microbatch this may be a false alarm: --micro-batch-size 2 shows more}}
func.func @forward(%x: tensor<1xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{}]} {
  %s = nn.reduce %x [0] : tensor<1xf32> -> tensor<f32>
  // expected-note @below {{train without --dp and in one microbatch}}
  %r = nn.sqrt %s : tensor<f32>
  return %r : tensor<f32>
}

// -----

// A divisor that is the samples' maximum. Only the first problem is reported.
// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "'nn.reduce_max' combines several samples"}
// CHECK: nn.scale {{.*}} by 3.0
// CHECK-NEXT: nn.reduce_max
// CHECK-NEXT: %[[PART:.*]] = nn.div
// CHECK-NEXT: nn.sum %[[PART]]
// expected-error @below {{'nn.reduce_max' combines several samples}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{divided, factor = 3.0}, {}]} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  // expected-note @below {{train without --dp}}
  %m = nn.reduce_max %x [0] : tensor<2xf32> -> tensor<f32>
  %l = nn.reduce_min %x [0] : tensor<2xf32> -> tensor<f32>
  return %s, %m, %l : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// Facts that the file leaves open, if the program does not show them.
// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "this is open"}
// expected-error @below {{does not follow from those of its parts: this is open}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{unclear = "this is open"}, {unclear = "another"}]} {
  // expected-note @below {{train without --dp}}
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s, %s : tensor<f32>, tensor<f32>
}

// -----

// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "'nn.reduce_max' combines several samples"}
// expected-error @below {{'nn.reduce_max' combines several samples}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{unclear = "this is open"}]} {
  // expected-note @below {{train without --dp}}
  %s = nn.reduce_max %x [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// Each term's assumption is reported once.
// CHECK: module attributes {nn.loss = "own"} {
// expected-warning @+3 {{first is taken so}}
// expected-note @+2 {{a file with a dynamic batch makes this explicit; one microbatch without --dp is the file's own batch}}
// expected-warning @+1 {{second is taken so}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> (tensor<f32>, tensor<f32>) attributes {nn.has_loss = [{assumed = "first is taken so", mean}, {assumed = "second is taken so", mean}]} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s, %s : tensor<f32>, tensor<f32>
}

// -----

// An op that the importer found to mix samples.
// CHECK: module attributes {nn.loss = "own", nn.whole_batch = "'norm' joins samples"}
// expected-error @below {{'norm' joins samples}}
// expected-note @below {{train without --dp}}
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{mean}], nn.joins_samples = "'norm' joins samples"} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A term that is not a sum; another op, which the term does not use, combines
// samples, too.
// CHECK: module attributes {nn.loss = "own"} {
func.func @forward(%x: tensor<2xf32> {nn.role = #nn.role<data>}) -> tensor<f32> attributes {nn.has_loss = [{mean}]} {
  %s = nn.reduce %x [0] : tensor<2xf32> -> tensor<f32>
  %m = nn.reduce_max %x [0] : tensor<2xf32> -> tensor<f32>
  return %s : tensor<f32>
}
