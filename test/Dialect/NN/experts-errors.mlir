// One violation of every constraint of the ops of experts.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x3xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs x of [t.., h], ids and gates of [t.., k]}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x3xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x9x16xf32>) {
  // expected-error@+1 {{needs w2 of [e, h, f] with h = 8}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x9x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x8x16xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs w1 of [e, p, f, h], as w2 of [e, h, f]}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x8x16xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x3x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{has 3 parts of w1; an MLP has one, a gated MLP two}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x3x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x1x16x8xf32>, %w1: tensor<4x1x16x8xf32>, %b0: tensor<4x1x16xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{has 2 w1, but 1 b1}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0, %w1 b1 %b0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x16x8xf32>, tensor<4x1x16x8xf32>, tensor<4x1x16xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %b0: tensor<4x1x16xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs b1 of [e, p, f], as its w1}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 b1 %b0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x1x16xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xbf16>) {
  // expected-error@+1 {{has x of 'f32', but weights of 'tensor<4x8x16xbf16>'}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xbf16>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{has an alpha, which gelu does not use}}
  %0 = nn.experts gelu %x ids %ids gates %g w1 %w0 w2 %v {alpha = 2.0}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs a limit above 0}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {limit = 0.0}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x1x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{has a shift, but its MLP is not gated}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {shift = 1.0}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x1x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs a capacity of at least 1}}
  %0:2 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {capacity = 0.5}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> (tensor<2x3x8xf32>, tensor<f32>)
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs rows of at least 1, and a capacity for them}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {rows = 4}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{needs an overflow if it has a capacity, else none}}
  %0 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {capacity = 1.5}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x8xf32>, %ids: tensor<2x3x2xi32>, %g: tensor<2x3x2xf32>, %w0: tensor<4x2x16x8xf32>, %v: tensor<4x8x16xf32>) {
  // expected-error@+1 {{overflow must be a rank-0 tensor, not 'tensor<1xf32>'}}
  %0:2 = nn.experts silu %x ids %ids gates %g w1 %w0 w2 %v {capacity = 1.5}
      : (tensor<2x3x8xf32>, tensor<2x3x2xi32>, tensor<2x3x2xf32>, tensor<4x2x16x8xf32>, tensor<4x8x16xf32>) -> (tensor<2x3x8xf32>, tensor<1xf32>)
  return
}

// -----

func.func @f(%ids: tensor<2x3x2xi32>) {
  // expected-error@+1 {{has 13 rows for 12 choices, and needs at least one row, and at most one for each choice}}
  %0:5 = nn.route %ids : (tensor<2x3x2xi32>) -> (tensor<13xi32>, tensor<13xi32>, tensor<13xi32>, tensor<2x3x2xi32>, tensor<1xi32>)
  return
}

// -----

func.func @f(%ids: tensor<2x3x2xi32>) {
  // expected-error@+1 {{needs tokens, pairs and experts of [R]}}
  %0:5 = nn.route %ids : (tensor<2x3x2xi32>) -> (tensor<12xi32>, tensor<11xi32>, tensor<12xi32>, tensor<2x3x2xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%a: tensor<12x8xf32>, %w: tensor<4x32x8xf32>, %ends: tensor<4xi32>) {
  // expected-error@+1 {{has the form 'rk,ekn->rn', not 'rk,enk->rn', 'rn,enk->rk' or 'rn,rk->enk'}}
  %0 = nn.grouped_contract "rk,ekn->rn" %a, %w ends %ends : tensor<12x8xf32>, tensor<4x32x8xf32>, tensor<4xi32> -> tensor<12x32xf32>
  return
}

// -----

func.func @f(%a: tensor<12x8xf32>, %w: tensor<4x32x8xf32>, %ends: tensor<4xi32>) {
  // expected-error@+1 {{has operands and a result that do not match 'rn,enk->rk'}}
  %0 = nn.grouped_contract "rn,enk->rk" %a, %w ends %ends : tensor<12x8xf32>, tensor<4x32x8xf32>, tensor<4xi32> -> tensor<12x32xf32>
  return
}

// -----

func.func @f(%a: tensor<12x8xf32>, %w: tensor<4x32x8xf32>, %ends: tensor<3xi32>) {
  // expected-error@+1 {{needs an end for each of 4 groups}}
  %0 = nn.grouped_contract "rk,enk->rn" %a, %w ends %ends : tensor<12x8xf32>, tensor<4x32x8xf32>, tensor<3xi32> -> tensor<12x32xf32>
  return
}
