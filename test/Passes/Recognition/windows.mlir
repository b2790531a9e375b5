// Masks that keep only the last keys become attributes of attention: windows and
// chunks. So does a soft cap, and sinks become an operand.
// RUN: pcc-opt %s --nn-recognize --split-input-file | FileCheck %s

// A stored mask.
// CHECK-LABEL: func.func @window(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions %[[AT:.*]], %[[AT]] scale 1.000000e+00 {window = 2 : i64} : (tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x4xf32>, tensor<1x4x2xf32>)
func.func @window(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// One row differs from a window of 2: a bias.
// CHECK-LABEL: func.func @other_window(
// CHECK: nn.attention %arg0, %arg1, %arg2 positions {{.*}} bias %{{[^ ]*}} scale 1.000000e+00 : (
func.func @other_window(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// The first key that a query sees is that of its chunk.
// CHECK-LABEL: func.func @chunk(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 1.000000e+00 {chunk = 2 : i64} : (
func.func @chunk(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, -1.0e9, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// Each query sees itself.
// CHECK-LABEL: func.func @itself(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 1.000000e+00 {window = 1 : i64} : (
func.func @itself(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [-1.0e9, 0.0, -1.0e9, -1.0e9], [-1.0e9, -1.0e9, 0.0, -1.0e9], [-1.0e9, -1.0e9, -1.0e9, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// A mask that compares positions.
// CHECK-LABEL: func.func @computed(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 1.000000e+00 {window = 3 : i64} : (
func.func @computed(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %n = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %i = nn.broadcast %n [0] : tensor<4xi64> -> tensor<4x4xi64>
  %j = nn.broadcast %n [1] : tensor<4xi64> -> tensor<4x4xi64>
  %behind = nn.compare le %j, %i : tensor<4x4xi64> -> tensor<4x4xi1>
  %size = nn.constant dense<3> : tensor<4x4xi64>
  %first = nn.sub %i, %size : tensor<4x4xi64>
  %near = nn.compare lt %first, %j : tensor<4x4xi64> -> tensor<4x4xi1>
  %both = nn.mul %behind, %near : tensor<4x4xi1>
  %keep = nn.broadcast %both [2, 3] : tensor<4x4xi1> -> tensor<1x2x4x4xi1>
  %low = nn.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %s = nn.where %keep, %qk, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// A window as long as the sequence masks nothing.
// CHECK-LABEL: func.func @long(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 1.000000e+00 : (
func.func @long(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %n = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %i = nn.broadcast %n [0] : tensor<4xi64> -> tensor<4x4xi64>
  %j = nn.broadcast %n [1] : tensor<4xi64> -> tensor<4x4xi64>
  %behind = nn.compare le %j, %i : tensor<4x4xi64> -> tensor<4x4xi1>
  %size = nn.constant dense<4> : tensor<4x4xi64>
  %first = nn.sub %i, %size : tensor<4x4xi64>
  %near = nn.compare lt %first, %j : tensor<4x4xi64> -> tensor<4x4xi1>
  %both = nn.mul %behind, %near : tensor<4x4xi1>
  %keep = nn.broadcast %both [2, 3] : tensor<4x4xi1> -> tensor<1x2x4x4xi1>
  %low = nn.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %s = nn.where %keep, %qk, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// A mask that compares the chunks of positions.
// CHECK-LABEL: func.func @computed_chunk(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 1.000000e+00 {chunk = 3 : i64} : (
func.func @computed_chunk(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %n = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %i = nn.broadcast %n [0] : tensor<4xi64> -> tensor<4x4xi64>
  %j = nn.broadcast %n [1] : tensor<4xi64> -> tensor<4x4xi64>
  %behind = nn.compare le %j, %i : tensor<4x4xi64> -> tensor<4x4xi1>
  %size = nn.constant dense<3> : tensor<4x4xi64>
  %of_i = nn.div %i, %size : tensor<4x4xi64>
  %of_j = nn.div %j, %size : tensor<4x4xi64>
  %near = nn.compare eq %of_i, %of_j : tensor<4x4xi64> -> tensor<4x4xi1>
  %both = nn.mul %behind, %near : tensor<4x4xi1>
  %keep = nn.broadcast %both [2, 3] : tensor<4x4xi1> -> tensor<1x2x4x4xi1>
  %low = nn.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %s = nn.where %keep, %qk, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// A soft cap below the mask: 50 tanh(0.01 x) has the scale 0.5.
// CHECK-LABEL: func.func @cap(
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} scale 5.000000e-01 {softcap = 5.000000e+01 : f64, window = 2 : i64} : (
func.func @cap(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %x = nn.scale %qk by 0.01 : tensor<1x2x4x4xf32>
  %t = nn.tanh %x : tensor<1x2x4x4xf32>
  %c = nn.scale %t by 50.0 : tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %c, %mask : tensor<1x2x4x4xf32>
  %p = nn.softmax %s : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// A soft cap of masked scores is none.
// CHECK-LABEL: func.func @cap_of_mask(
// CHECK-NOT: nn.attention
// CHECK: nn.tanh
// CHECK-NOT: nn.attention
func.func @cap_of_mask(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %t = nn.tanh %s : tensor<1x2x4x4xf32>
  %c = nn.scale %t by 50.0 : tensor<1x2x4x4xf32>
  %p = nn.softmax %c : tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// -----

// A score per head whose probability is discarded.
nn.param @sink : tensor<2xf32> init normal
// CHECK-LABEL: func.func @sinks(
// CHECK: %[[SINK:.*]] = nn.read @sink : tensor<2xf32>
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} sinks %[[SINK]] scale 1.000000e+00 {window = 2 : i64} : (
func.func @sinks(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %sink = nn.read @sink : tensor<2xf32>
  %column = nn.broadcast %sink [1] : tensor<2xf32> -> tensor<1x2x4x1xf32>
  %all = nn.concat %s, %column along 3 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32> -> tensor<1x2x4x5xf32>
  %w = nn.softmax %all : tensor<1x2x4x5xf32>
  %p = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<1x2x4x5xf32> -> tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// -----

// One number for all heads.
// CHECK-LABEL: func.func @one_sink(
// CHECK: %[[SINK:.*]] = nn.broadcast %{{.*}} [] : tensor<f32> -> tensor<2xf32>
// CHECK: nn.attention causal %arg0, %arg1, %arg2 positions {{.*}} sinks %[[SINK]] scale 1.000000e+00 {window = 2 : i64} : (
func.func @one_sink(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>, %sink: tensor<f32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %column = nn.broadcast %sink [] : tensor<f32> -> tensor<1x2x4x1xf32>
  %all = nn.concat %s, %column along 3 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32> -> tensor<1x2x4x5xf32>
  %w = nn.softmax %all : tensor<1x2x4x5xf32>
  %p = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<1x2x4x5xf32> -> tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}

// -----

// Scores that differ by query are keys; the window is part of the bias then.
// CHECK-LABEL: func.func @sinks_by_query(
// CHECK: %[[BIAS:.*]] = nn.concat %{{.*}}, %arg3 along 3
// CHECK: nn.attention %arg0, %{{.*}}, %{{.*}} positions {{.*}} bias %[[BIAS]] scale 1.000000e+00 : (
func.func @sinks_by_query(%q: tensor<1x4x2x4xf32>, %k: tensor<1x4x2x4xf32>, %v: tensor<1x4x2x4xf32>, %sink: tensor<1x2x4x1xf32>) -> tensor<1x4x2x4xf32> {
  %qk = nn.contract "bshd,bthd->bhst" %q, %k : tensor<1x4x2x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x2x4x4xf32>
  %m = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [-1.0e9, 0.0, 0.0, -1.0e9], [-1.0e9, -1.0e9, 0.0, 0.0]]> : tensor<4x4xf32>
  %mask = nn.broadcast %m [2, 3] : tensor<4x4xf32> -> tensor<1x2x4x4xf32>
  %s = nn.sum %qk, %mask : tensor<1x2x4x4xf32>
  %all = nn.concat %s, %sink along 3 : tensor<1x2x4x4xf32>, tensor<1x2x4x1xf32> -> tensor<1x2x4x5xf32>
  %w = nn.softmax %all : tensor<1x2x4x5xf32>
  %p = nn.slice %w at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<1x2x4x5xf32> -> tensor<1x2x4x4xf32>
  %y = nn.contract "bhst,bthd->bshd" %p, %v : tensor<1x2x4x4xf32>, tensor<1x4x2x4xf32> -> tensor<1x4x2x4xf32>
  return %y : tensor<1x4x2x4xf32>
}
