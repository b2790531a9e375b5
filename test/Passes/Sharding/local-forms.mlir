// Ops that number their elements count from the start of the rank's shard.
// RUN: pcc-opt %s -dist-verify -dist-partition -o %t
// RUN: FileCheck %s < %t
// RUN: pcc-run %t --against %s --fill 1 --entry dropout,attention,constant,rows,merge,lookup,choices | FileCheck --check-prefix=EQUAL %s
// EQUAL: 18 values equal the reference's

dist.mesh @mesh = <["dp"=2, "tp_kv"=2, "tp_rep"=2]>

// Dims other than batch and sequence are counted from an origin.
// CHECK-LABEL: func @dropout
func.func @dropout(
    %x: tensor<4x6x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}, {"tp_kv"}]>},
    %n: tensor<4xi64> {dist.sharding = #dist.sharding<@mesh, [{"dp"}]>},
    %p: tensor<6xi64> {dist.sharding = #dist.sharding<@mesh, [{}]>},
    %s: tensor<i64> {dist.sharding = #dist.sharding<@mesh, []>}) {
  // CHECK: %[[Z0:.*]] = nn.constant dense<0> : tensor<1xi64>
  // CHECK: %[[Z1:.*]] = nn.constant dense<0> : tensor<1xi64>
  // CHECK: %[[O:.*]] = dist.offset ["tp_kv"] by 4 : tensor<i64>
  // CHECK: %[[O1:.*]] = nn.reshape %[[O]] : tensor<i64> -> tensor<1xi64>
  // CHECK: %[[ORIGIN:.*]] = nn.concat %[[Z0]], %[[Z1]], %[[O1]] along 0 : {{.*}} -> tensor<3xi64>
  // CHECK: nn.dropout {{.*}} origin %[[ORIGIN]] {{.*}} : tensor<2x6x4xf32>, tensor<2xi64>,
  %y = nn.dropout %x samples %n positions %p seed %s step %s
      {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1, dist.id = 1 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}, {"tp_kv"}]>]}
      : tensor<4x6x8xf32>, tensor<4xi64>, tensor<6xi64>, tensor<i64>, tensor<i64>
  return
}

// Heads are numbered over both axes.
// CHECK-LABEL: func @attention
func.func @attention(
    %q: tensor<4x6x8x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {"tp_kv", "tp_rep"}, {}]>},
    %k: tensor<4x6x2x4xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {"tp_kv"}, {}]>},
    %n: tensor<4xi64> {dist.sharding = #dist.sharding<@mesh, [{}]>},
    %p: tensor<6xi64> {dist.sharding = #dist.sharding<@mesh, [{}]>},
    %s: tensor<i64> {dist.sharding = #dist.sharding<@mesh, []>}) {
  // CHECK: %[[O:.*]] = dist.offset ["tp_kv", "tp_rep"] by 2 : tensor<i64>
  // CHECK: nn.attention {{.*}} head_origin %[[O]] {{.*}} : (tensor<4x6x2x4xf32>, tensor<4x6x1x4xf32>, tensor<4x6x1x4xf32>,
  %o, %lse = nn.attention %q, %k, %k positions %p, %p samples %n seed %s step %s scale 1.0
      {p = 0.1, id = 2, dist.id = 2 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp_kv", "tp_rep"}, {}]>, #dist.sharding<@mesh, [{}, {}, {"tp_kv", "tp_rep"}]>]}
      : (tensor<4x6x8x4xf32>, tensor<4x6x2x4xf32>, tensor<4x6x2x4xf32>, tensor<6xi64>, tensor<6xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>) -> (tensor<4x6x8x4xf32>, tensor<4x6x8xf32>)
  // Without dropout there are no ids.
  // CHECK-NOT: dist.offset
  // CHECK: nn.attention
  %r, %lse2 = nn.attention %q, %k, %k positions %p, %p scale 1.0
      {dist.id = 3 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}, {"tp_kv", "tp_rep"}, {}]>, #dist.sharding<@mesh, [{}, {}, {"tp_kv", "tp_rep"}]>]}
      : (tensor<4x6x8x4xf32>, tensor<4x6x2x4xf32>, tensor<4x6x2x4xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<4x6x8x4xf32>, tensor<4x6x8xf32>)
  return
}

// A uniform constant has its local size.
// CHECK-LABEL: func @constant
func.func @constant() {
  // CHECK: nn.constant dense<1.000000e+00> : tensor<4x8xf32>
  %c = nn.constant dense<1.0> : tensor<8x8xf32>
      {dist.id = 4 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]}
  return
}

// Rows of several dims, each with its sharding.
// CHECK-LABEL: func.func @lookup
func.func @lookup(
    %t: tensor<5x4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {"dp"}, {"tp_kv"}]>},
    %i: tensor<6xi64> {dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // CHECK: %[[Y:.*]] = nn.embedding %{{.*}} : tensor<6xi64>, tensor<5x2x4xf32> -> tensor<6x2x4xf32>
  %y = nn.embedding %i, %t {dist.id = 20 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}, {"tp_kv"}]>]}
      : tensor<6xi64>, tensor<5x4x8xf32> -> tensor<6x4x8xf32>
  // CHECK: nn.embedding_grad %[[Y]], %{{.*}} : tensor<6x2x4xf32>, tensor<6xi64> -> tensor<5x2x4xf32>
  %d = nn.embedding_grad %y, %i {dist.id = 21 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"dp"}, {"tp_kv"}]>]}
      : tensor<6x4x8xf32>, tensor<6xi64> -> tensor<5x4x8xf32>
  return
}

// A rank picks from its elements of each row, and adds to them.
// CHECK-LABEL: func.func @choices
func.func @choices(
    %s: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
    %x: tensor<4x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {"tp_kv"}]>}) {
  // CHECK: %[[I:.*]] = nn.top_k %{{.*}} : tensor<2x8xf32> -> tensor<2x3xi32>
  %i = nn.top_k %s {dist.id = 30 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]}
      : tensor<4x8xf32> -> tensor<4x3xi32>
  // CHECK: %[[O:.*]] = dist.offset ["tp_kv"] by 4 : tensor<i64>
  // CHECK: %[[V:.*]] = nn.pick %{{.*}}, %[[I]] offset %[[O]] : tensor<i64> {{.*}} : tensor<2x4xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  // CHECK: %[[SUM:.*]] = dist.all_reduce sum %[[V]]
  %p = nn.pick %x, %i {dist.id = 31 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}], partial = {"tp_kv"}>]}
      : tensor<4x8xf32>, tensor<4x3xi32> -> tensor<4x3xf32>
  %v = dist.reshard %p from <@mesh, [{"dp"}, {}], partial = {"tp_kv"}> to <@mesh, [{"dp"}, {}]>
      {dist.id = 33 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]} : tensor<4x3xf32>
  // CHECK: %[[O2:.*]] = dist.offset ["tp_kv"] by 4 : tensor<i64>
  // CHECK: nn.spread %[[SUM]], %[[I]] offset %[[O2]] : tensor<i64> {{.*}} : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2x4xf32>
  %w = nn.spread %v, %i {dist.id = 32 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {"tp_kv"}]>]}
      : tensor<4x3xf32>, tensor<4x3xi32> -> tensor<4x8xf32>
  return
}

// Statistics of rows are sharded like rows, also if there are as many columns.
// CHECK-LABEL: func @rows
func.func @rows(
    %x: tensor<8x8xf32> {dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>},
    %s: tensor<8xf32> {dist.sharding = #dist.sharding<@mesh, [{}]>}) {
  // CHECK: nn.layer_norm {{.*}} : tensor<4x8xf32>, tensor<8xf32> -> tensor<4xf32>, tensor<4xf32>
  %y, %mean, %rstd = nn.layer_norm %x scale %s eps 1.0e-5
      {dist.id = 5 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>, #dist.sharding<@mesh, [{"dp"}]>, #dist.sharding<@mesh, [{"dp"}]>]}
      : tensor<8x8xf32>, tensor<8xf32> -> tensor<8xf32>, tensor<8xf32>
  // CHECK: nn.rms_norm_grad {{.*}} : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  %d = nn.rms_norm_grad %x, %x scale %s rstd %rstd
      {dist.id = 6 : i64, dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]}
      : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// A dim of 1 belongs to no factor: next to it, 8 is reshaped into 2 x 4.
// CHECK-LABEL: func @merge
func.func @merge(
    %x: tensor<6x1x8xf32> {dist.sharding = #dist.sharding<@mesh, [{}, {}, {"tp_kv"}]>}) {
  // CHECK: nn.reshape {{.*}} : tensor<6x1x4xf32> -> tensor<6x1x4xf32>
  %y = nn.reshape %x
      {dist.id = 7 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {"tp_kv"}, {}]>]}
      : tensor<6x1x8xf32> -> tensor<6x2x4xf32>
  // CHECK: nn.reshape {{.*}} : tensor<6x1x4xf32> -> tensor<1x6x1x4xf32>
  %z = nn.reshape %y
      {dist.id = 8 : i64, dist.shardings = [#dist.sharding<@mesh, [{}, {}, {}, {"tp_kv"}]>]}
      : tensor<6x2x4xf32> -> tensor<1x6x1x8xf32>
  return
}

// A constant that is not uniform is whole on every rank, also as a resource.
// CHECK-LABEL: func @resource
func.func @resource() {
  // CHECK: nn.constant dense_resource<four> : tensor<4xi32>
  %c = nn.constant dense_resource<four> : tensor<4xi32>
      {dist.id = 9 : i64, dist.shardings = [#dist.sharding<@mesh, [{}]>]}
  return
}

{-#
  dialect_resources: {
    builtin: {
      four: "0x0400000001000000020000000300000004000000"
    }
  }
#-}
