// Tables by position in other forms: rows of a number each, a table in another
// order of dims, one that is repeated for the samples, and one that two layers
// share.
// RUN: pcc-opt %s --nn-documents=ends=7 --split-input-file | FileCheck %s

// CHECK: %[[PLACES:.*]] = nn.sub
// CHECK: %[[SCALES:.*]] = nn.constant dense<{{.*}}> : tensor<6xf32>
// CHECK: %[[COLUMN:.*]] = nn.reshape %[[SCALES]] : tensor<6xf32> -> tensor<6x1xf32>
// CHECK: %[[TAKEN:.*]] = nn.embedding %[[PLACES]], %[[COLUMN]] : tensor<2x6xi64>, tensor<6x1xf32> -> tensor<2x6x1xf32>
// CHECK: %[[FLAT:.*]] = nn.reshape %[[TAKEN]] : tensor<2x6x1xf32> -> tensor<2x6xf32>
// CHECK: %[[WIDE:.*]] = nn.broadcast %[[FLAT]] [0, 1] : tensor<2x6xf32> -> tensor<2x6x1x4xf32>
// CHECK: nn.mul %{{.*}}, %[[WIDE]]
// CHECK: nn.mul %{{.*}}, %[[WIDE]]
nn.param @wte : tensor<8x4xf32> init normal
func.func @forward(
    %ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
    %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %scales = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %wide = nn.broadcast %scales [1] : tensor<6xf32> -> tensor<2x6x1x4xf32>
  %r = nn.mul %q, %wide : tensor<2x6x1x4xf32>
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  %s = nn.mul %o, %wide : tensor<2x6x1x4xf32>
  return %s : tensor<2x6x1x4xf32>
}

// -----

// CHECK: %[[PLACES:.*]] = nn.sub
// CHECK: %[[TABLE:.*]] = nn.read @table
// CHECK: %[[ROWS:.*]] = nn.transpose %[[TABLE]] [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK: %[[TAKEN:.*]] = nn.embedding %[[PLACES]], %[[ROWS]] : tensor<2x6xi64>, tensor<6x4xf32> -> tensor<2x6x4xf32>
// CHECK: %[[MOVED:.*]] = nn.transpose %[[TAKEN]] [0, 2, 1] : tensor<2x6x4xf32> -> tensor<2x4x6xf32>
// CHECK: nn.sum %{{.*}}, %[[MOVED]]
nn.param @wte : tensor<8x4xf32> init normal
nn.param @table : tensor<4x6xf32> init normal
func.func @forward(
    %ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
    %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %table = nn.read @table : tensor<4x6xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %columns = nn.transpose %x [0, 2, 1] : tensor<2x6x4xf32> -> tensor<2x4x6xf32>
  %wide = nn.broadcast %table [1, 2] : tensor<4x6xf32> -> tensor<2x4x6xf32>
  %h = nn.sum %columns, %wide : tensor<2x4x6xf32>
  %rows = nn.transpose %h [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
  %q = nn.reshape %rows : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %r = nn.rope %q positions %at theta 1.0e4 dim 4 : tensor<2x6x1x4xf32>, tensor<6xi64>
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// The file repeats the positions for the samples before the lookup.
// CHECK: %[[PLACES:.*]] = nn.sub
// CHECK: %[[FOUND:.*]] = nn.embedding %{{.*}}, %{{.*}} : tensor<2x6xi64>, tensor<6x4xf32> -> tensor<2x6x4xf32>
// CHECK: %[[ONE:.*]] = nn.select %[[FOUND]] dim 0 index 0 : tensor<2x6x4xf32> -> tensor<6x4xf32>
// CHECK: nn.embedding %[[PLACES]], %[[ONE]]
nn.param @wte : tensor<8x4xf32> init normal
nn.param @wpe : tensor<6x4xf32> init normal
func.func @forward(
    %ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
    %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %wpe = nn.read @wpe : tensor<6x4xf32>
  %each = nn.broadcast %at [1] : tensor<6xi64> -> tensor<2x6xi64>
  %table = nn.embedding %each, %wpe : tensor<2x6xi64>, tensor<6x4xf32> -> tensor<2x6x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %h = nn.sum %x, %table : tensor<2x6x4xf32>
  %q = nn.reshape %h : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %r = nn.rope %q positions %at theta 1.0e4 dim 4 : tensor<2x6x1x4xf32>, tensor<6xi64>
  %o, %lse = nn.attention causal %r, %r, %q positions %at, %at scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}

// -----

// Biases that are the same in every document: of a token, and masks of windows
// and of tokens. Their ops stay as they are.
// CHECK: tensor<2x6xf32> {nn.name = "valid"
// CHECK-NOT: nn.embedding %{{.*}}tensor<2x6xi64>, tensor<6x
// CHECK: nn.attention causal {{.*}} bias %{{.*}} starts %
nn.param @wte : tensor<8x4xf32> init normal
func.func @forward(
    %ids: tensor<2x6xi64> {nn.role = #nn.role<tokens>},
    %valid: tensor<2x6xf32> {nn.role = #nn.role<data>, nn.name = "valid"},
    %at: tensor<6xi64> {nn.role = #nn.role<positions>}) -> tensor<2x6x1x4xf32> {
  %wte = nn.read @wte : tensor<8x4xf32>
  %x = nn.embedding %ids, %wte : tensor<2x6xi64>, tensor<8x4xf32> -> tensor<2x6x4xf32>
  %q = nn.reshape %x : tensor<2x6x4xf32> -> tensor<2x6x1x4xf32>
  %own = nn.reduce %x [2] : tensor<2x6x4xf32> -> tensor<2x6xf32>
  %kept = nn.mul %own, %valid : tensor<2x6xf32>
  %byKey = nn.broadcast %kept [0, 3] : tensor<2x6xf32> -> tensor<2x1x6x6xf32>
  %window = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, -1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<6x6xf32>
  %mask = nn.broadcast %window [2, 3] : tensor<6x6xf32> -> tensor<2x1x6x6xf32>
  %bias = nn.sum %byKey, %mask : tensor<2x1x6x6xf32>
  // The mask hides later keys, so the attention is causal.
  %o, %lse, %max = nn.attention %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<2x6x1x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<2x1x6x6xf32>)
      -> (tensor<2x6x1x4xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>)
  return %o : tensor<2x6x1x4xf32>
}
