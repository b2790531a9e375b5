// Diagnostics of a plan: ops at which a sharding ends, ops that run unsharded,
// and values that are gathered.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-propagate -o /dev/null

// An op that needs a dim whole cannot follow its weight.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<4x8xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}]>, reason = "by hand">]}
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x8xf32>
  // expected-note@+1 {{it is split because of: nn.contract 'nn.contract'}}
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-error@+2 {{cannot split 'nn.softmax' 2 ways over mesh axis "tp": nn.softmax needs dim 1 of 'nn.contract' whole on each rank}}
  // expected-note@+1 {{use --tp 1, and --dp or --pp to use more ranks}}
  %y = nn.softmax %h : tensor<2x8xf32>
  return
}

// -----

// Two dims are merged, and only the minor one is sharded.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<4x8xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}]>, reason = "by hand">]}
func.func @forward(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x8xf32>
  // expected-note@+1 {{it is split because of: nn.contract 'nn.contract'}}
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-error@+2 {{cannot split 'nn.reshape' 2 ways over mesh axis "tp": dim 1 of 'nn.contract' is there the minor part of a dim whose major part is not split into single elements}}
  // expected-note@+1 {{use --tp 1, and --dp or --pp to use more ranks}}
  %y = nn.reshape %h : tensor<2x8xf32> -> tensor<16xf32>
  return
}

// -----

// Fewer key heads than ranks on one axis.
dist.mesh @mesh = <["tp"=4]>
nn.param @q : tensor<4x4x2xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}, {?}]>, reason = "by hand">]}
func.func @forward(%x: tensor<2x6x4xf32> {nn.role = #nn.role<data>},
                   %k: tensor<2x6x2x2xf32> {nn.role = #nn.role<data>},
                   %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %wq = nn.read @q : tensor<4x4x2xf32>
  // expected-note@+1 {{it is split because of: nn.contract 'nn.contract'}}
  %q = nn.contract "bsc,chd->bshd" %x, %wq : tensor<2x6x4xf32>, tensor<4x4x2xf32> -> tensor<2x6x4x2xf32>
  // expected-error@+2 {{cannot split 'nn.attention' 4 ways over mesh axis "tp": dim 2 of 'nn.contract' is 2 x 2 here, and 2 is not a multiple of 4}}
  // expected-note@+1 {{with fewer key/value heads than tensor ranks the mesh needs the axes tp_kv and tp_rep in place of tp; --dist-mesh declares them}}
  %o, %lse = nn.attention %q, %k, %k positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  return
}

// -----

// In the backward pass the value that loses the axis is gathered.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<4x8xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{?}, {"tp", ?}]>, reason = "by hand">]}
func.func @microbatch(%x: tensor<2x4xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<4x8xf32>
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x4xf32>, tensor<4x8xf32> -> tensor<2x8xf32>
  // expected-remark@+1 {{the gradient of 'nn.softmax' gathers 'nn.contract' over mesh axis "tp"}}
  %y = nn.softmax %h {nn.bwd} : tensor<2x8xf32>
  return
}

// -----

// The result of a row-parallel layer is whole, so the next layer runs whole.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<8x4xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "by hand">]}
nn.param @a : tensor<4x4xf32> init normal
func.func @microbatch(%x: tensor<2x8xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<8x4xf32>
  %a = nn.read @a : tensor<4x4xf32>
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{'nn.contract' runs whole on each of 2 tensor-parallel ranks (64 FLOPs)}}
  %y = nn.contract "bk,kn->bn" %h, %a : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  // GEMMs of two activations are not reported.
  %z = nn.contract "bk,bn->kn" %h, %y : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<4x4xf32>
  return
}
// Training and evaluation are reported once.
func.func @evaluate(%x: tensor<2x8xf32> {nn.role = #nn.role<data>}) {
  %w = nn.read @w : tensor<8x4xf32>
  %a = nn.read @a : tensor<4x4xf32>
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %y = nn.contract "bk,kn->bn" %h, %a : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  return
}

// -----

// Attention that runs whole, with three reasons: heads that are merged with
// other dims, probabilities of three dims, and heads that a norm needs. Each
// reason is reported once.
dist.mesh @mesh = <["tp"=2]>
nn.param @w : tensor<8x4xf32> init normal {dist.seeds = [#dist.seed<level = 0, result = 0, sharding = <@mesh, [{"tp", ?}, {?}]>, reason = "by hand">]}
nn.param @s : tensor<4xf32> init one
func.func @microbatch(%x: tensor<2x8xf32> {nn.role = #nn.role<data>},
                      %q: tensor<2x6x4x2xf32> {nn.role = #nn.role<data>},
                      %p: tensor<2x6x6xf32> {nn.role = #nn.role<data>},
                      %r: tensor<2x4x6x6xf32> {nn.role = #nn.role<data>},
                      %pos: tensor<6xi64> {nn.role = #nn.role<positions>}) {
  %w = nn.read @w : tensor<8x4xf32>
  %h = nn.contract "bk,kn->bn" %x, %w : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %e = nn.exp %q : tensor<2x6x4x2xf32>
  // expected-warning@+2 {{attention 'nn.attention' runs whole on each of 2 tensor-parallel ranks (2304 FLOPs forward): 'nn.reshape' merges its heads with other dims}}
  // expected-note@+1 {{--tp splits the other layers; use --tp 1, and --dp or --pp, to have no rank repeat another's work}}
  %o, %lse = nn.attention %e, %e, %e positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  %flat = nn.reshape %e : tensor<2x6x4x2xf32> -> tensor<2x24x2xf32>
  %m = nn.softmax %p : tensor<2x6x6xf32>
  %d = nn.scale %m by 2.0 : tensor<2x6x6xf32>
  // expected-warning@+2 {{attention 'nn.contract' runs whole on each of 2 tensor-parallel ranks (864 FLOPs forward): it has no dim of heads}}
  // expected-note@+1 {{--tp splits the other layers; use --tp 1, and --dp or --pp, to have no rank repeat another's work}}
  %a = nn.contract "bqk,bkc->bqc" %m, %p : tensor<2x6x6xf32>, tensor<2x6x6xf32> -> tensor<2x6x6xf32>
  %n = nn.softmax %r : tensor<2x4x6x6xf32>
  %t = nn.transpose %n [0, 1, 2, 3] : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf32>
  // expected-warning@+2 {{attention 'nn.contract' and 1 more run whole on each of 2 tensor-parallel ranks (6912 FLOPs forward): no weight of its own has the heads as a dim}}
  // expected-note@+1 {{--tp splits the other layers; use --tp 1, and --dp or --pp, to have no rank repeat another's work}}
  %b = nn.contract "bhqk,bhkc->bhqc" %t, %r : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf32>
  %c = nn.contract "bhqk,bhkc->bhqc" %r, %t : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf32> loc("other")
  %l = nn.contract "bqk,bkc->bqc" %d, %p : tensor<2x6x6xf32>, tensor<2x6x6xf32> -> tensor<2x6x6xf32>
  return
}
func.func @evaluate(%r: tensor<2x4x6x6xf32> {nn.role = #nn.role<data>}) {
  %n = nn.softmax %r : tensor<2x4x6x6xf32>
  %b = nn.contract "bhqk,bhkc->bhqc" %n, %r : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf32>
  return
}

// -----

// A gather over a data axis is reported once for each layer and value. The
// gather of attention's keys is intended and not reported.
dist.mesh @mesh = <["cp"=2]>
func.func @microbatch(
    %x: tensor<2x6x4x2xf32> {nn.name = "x", nn.role = #nn.role<data>, dist.seeds = [#dist.seed<level = 1, result = 0, sharding = <@mesh, [{}, {"cp"}, {}, {}]>, reason = "by hand">]},
    %pos: tensor<6xi64> {nn.name = "pos", nn.role = #nn.role<positions>}) {
  %o, %lse = nn.attention %x, %x, %x positions %pos, %pos scale 1.0
      : (tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<2x6x4x2xf32>, tensor<6xi64>, tensor<6xi64>) -> (tensor<2x6x4x2xf32>, tensor<2x6x4xf32>)
  // expected-remark@+1 {{'nn.reduce_max' gathers 'x' over mesh axis "cp": nn.reduce_max needs dim 1 of 'x' whole on each rank}}
  %m = nn.reduce_max %x [1] : tensor<2x6x4x2xf32> -> tensor<2x4x2xf32>
  %n = nn.reduce_max %x [0, 1] : tensor<2x6x4x2xf32> -> tensor<4x2xf32>
  // expected-remark@+1 {{'nn.slice' gathers 'x' over mesh axis "cp": nn.slice needs dim 1 of 'x' whole on each rank}}
  %s = nn.slice %x at [0, 1, 0, 0] step [1, 1, 1, 1] : tensor<2x6x4x2xf32> -> tensor<2x4x4x2xf32>
  return
}
