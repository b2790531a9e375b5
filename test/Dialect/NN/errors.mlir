// One violation of every constraint of an op.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{spec must read "lhs,rhs->result"}}
  %0 = nn.contract "abc,cd" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{labels "ab" do not name the 3 dims}}
  %0 = nn.contract "ab,bd->ad" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{label '1' is not a letter}}
  %0 = nn.contract "ab1,1d->abd" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{label 'a' occurs twice in "aac"}}
  %0 = nn.contract "aac,cd->ad" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{label 'c' is 5 here and 4 elsewhere}}
  %0 = nn.contract "abc,dc->abd" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %z: tensor<4x5xf32>) {
  // expected-error@+1 {{label 'a' occurs only once}}
  %0 = nn.contract "abc,cd->bd" %x, %z
      : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%y: tensor<2x3x5xf32>, %b: tensor<2x3x4xbf16>) {
  // expected-error@+1 {{needs operands of one element type}}
  %0 = nn.contract "abc,abd->cd" %b, %y
      : tensor<2x3x4xbf16>, tensor<2x3x5xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = "nn.sum"() : () -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{drops with probability 1.0}}
  %0 = nn.dropout %x samples %i positions %j seed %s step %s {p = 1.0, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{batch_dim 0 and seq_dim 3 must be two different dims of a rank 3 tensor}}
  %0 = nn.dropout %x samples %i positions %j seed %s step %s {p = 0.1, id = 1, batch_dim = 0, seq_dim = 3}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{needs one sample per batch row and one position per sequence element}}
  %0 = nn.dropout %x samples %j positions %j seed %s step %s {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{origin must have one entry per dim}}
  %0 = nn.dropout %x samples %i positions %j seed %s step %s origin %i {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>, tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{seed must be a rank-0 tensor}}
  %0 = nn.dropout %x samples %i positions %j seed %i step %s {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<2xi64>, tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>) {
  // expected-error@+1 {{step must be a rank-0 tensor}}
  %0 = nn.dropout %x samples %i positions %j seed %s step %i {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{must keep the element type}}
  %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<24xbf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{reshapes 24 elements into 25}}
  %0 = nn.reshape %x : tensor<2x3x4xf32> -> tensor<25xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{permutation must name every dim once}}
  %0 = nn.transpose %x [0, 1, 1] : tensor<2x3x4xf32> -> tensor<2x3x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{permutation must name every dim once}}
  %0 = nn.transpose %x [0, 1] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{must return 'tensor<4x2x3xf32>', not 'tensor<2x3x4xf32>'}}
  %0 = nn.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%c: tensor<4xf32>) {
  // expected-error@+1 {{needs one entry of dims per dim of the input}}
  %0 = nn.broadcast %c [0, 1] : tensor<4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>) {
  // expected-error@+1 {{dims must ascend and lie within the result}}
  %0 = nn.broadcast %r [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%c: tensor<4xf32>) {
  // expected-error@+1 {{must return 'tensor<4x4xf32>', not 'tensor<4x5xf32>'}}
  %0 = nn.broadcast %c [1] : tensor<4xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{dims must ascend and lie within the input}}
  %0 = nn.reduce %x [3] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{must return 'tensor<2x4xf32>', not 'tensor<2x3xf32>'}}
  %0 = nn.reduce %x [1] : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{must keep the element type}}
  %0 = nn.slice %x at [0, 0, 0] step [1, 1, 1]
      : tensor<2x3x4xf32> -> tensor<2x3x4xbf16>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{needs a start and a step for every dim}}
  %0 = nn.slice %x at [0, 0] step [1, 1]
      : tensor<2x3x4xf32> -> tensor<2x3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{box of 2 from 1 by 3 leaves a dim of 4}}
  %0 = nn.slice %x at [0, 0, 1] step [1, 1, 3]
      : tensor<2x3x4xf32> -> tensor<2x3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{box of 4 from 2 by 1 leaves a dim of 5}}
  %0 = nn.pad %x at [0, 0, 2] step [1, 1, 1]
      : tensor<2x3x4xf32> -> tensor<2x3x5xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{needs at least one input}}
  %0 = "nn.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{has no dim 3}}
  %0 = nn.concat %x, %x along 3
      : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<2x3x5xf32>) {
  // expected-error@+1 {{inputs must agree except in the concatenated dim}}
  %0 = nn.concat %x, %y along 1
      : tensor<2x3x4xf32>, tensor<2x3x5xf32> -> tensor<2x6x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<2x3x5xf32>) {
  // expected-error@+1 {{must return 'tensor<2x3x9xf32>', not 'tensor<2x3x8xf32>'}}
  %0 = nn.concat %x, %y along 2
      : tensor<2x3x4xf32>, tensor<2x3x5xf32> -> tensor<2x3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{has no index 3 of dim 1}}
  %0 = nn.select %x dim 1 index 3 : tensor<2x3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{'tensor<2x3xf32>' is not 'tensor<2x3x4xf32>' without dim 1}}
  %0 = nn.select %x dim 1 index 0 : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%c: tensor<4xf32>) {
  // expected-error@+1 {{has no index 9 of dim 0}}
  %0 = nn.insert %c dim 0 index 9 : tensor<4xf32> -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%f: tensor<f32>) {
  // expected-error@+1 {{needs rows of at least one dim}}
  %0 = nn.softmax %f : tensor<f32>
  return
}

// -----

func.func @f(%f: tensor<f32>) {
  // expected-error@+1 {{needs rows of at least one dim}}
  %0 = nn.softmax_grad %f, %f : tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %d: tensor<5xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0:3 = nn.layer_norm %x scale %d eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<5xf32> -> tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %d: tensor<5xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0:3 = nn.layer_norm %x scale %c bias %d eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<5xf32>
      -> tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have one entry per row}}
  %0:3 = nn.layer_norm %x scale %c eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x2xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %d: tensor<5xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0 = nn.layer_norm_grad %x, %x scale %d mean %r rstd %r
      : tensor<2x3x4xf32>, tensor<5xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %r: tensor<2x3xf32>, %q: tensor<2x2xf32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have one entry per row}}
  %0 = nn.layer_norm_grad %x, %x scale %c mean %r rstd %q
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0 = nn.layer_norm_grad_scale %x, %x mean %r rstd %r
      : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %d: tensor<5xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0:2 = nn.rms_norm %x scale %d eps 1.0e-5
      : tensor<2x3x4xf32>, tensor<5xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %q: tensor<2x2xf32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have one entry per row}}
  %0 = nn.rms_norm_grad %x, %x scale %c rstd %q
      : tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{'tensor<5xf32>' does not fit rows of 4}}
  %0 = nn.rms_norm_grad_scale %x, %x rstd %r
      : tensor<2x3x4xf32>, tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %j: tensor<3xi64>) {
  // expected-error@+1 {{takes [batch, sequence, head, dim]}}
  %0 = nn.rope %x positions %j theta 1.0e4 dim 2
      : tensor<2x3x4xf32>, tensor<3xi64>
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>) {
  // expected-error@+1 {{cannot rotate 3 of 4 elements}}
  %0 = nn.rope %h positions %j theta 1.0e4 dim 3
      : tensor<2x3x2x4xf32>, tensor<3xi64>
  return
}

// -----

func.func @f(%i: tensor<2xi64>, %h: tensor<2x3x2x4xf32>) {
  // expected-error@+1 {{needs one position per sequence element}}
  %0 = nn.rope %h positions %i theta 1.0e4 dim 2
      : tensor<2x3x2x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %j: tensor<3xi64>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{needs q, k, v of [batch, sequence, head, dim]}}
  %0:2 = nn.attention %x, %k, %k positions %j, %far scale 0.5
      : (tensor<2x3x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{shapes of q, k and v do not match}}
  %0:2 = nn.attention %h, %h, %k positions %j, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{1 query heads are not a multiple of 2 key heads}}
  %0:2 = nn.attention %k, %h, %h positions %far, %j scale 0.5
      : (tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<5xi64>, tensor<3xi64>)
      -> (tensor<2x5x1x4xf32>, tensor<2x5x1xf32>)
  return
}

// -----

func.func @f(%i: tensor<2xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{needs one position per sequence element}}
  %0:2 = nn.attention %h, %k, %k positions %i, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>, %bias: tensor<1x2x5x5xf32>) {
  // expected-error@+1 {{has scores of [2, 2, 3, 5], which 'tensor<1x2x5x5xf32>' cannot be added to}}
  %0:3 = nn.attention %h, %k, %k positions %j, %far bias %bias scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<1x2x5x5xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %bias: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{has a bias without a max}}
  %0:2 = nn.attention %h, %h, %h positions %j, %j bias %bias scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %bias: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{max must have the type of lse}}
  %0:3 = nn.attention %h, %h, %h positions %j, %j bias %bias scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<3xi64>, tensor<3xi64>, tensor<1x2x3x3xf32>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<2x2x3xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x4x2x8xf32>, %lse: tensor<2x4x2xf32>, %p: tensor<4xi64>) {
  // expected-error@+1 {{has a max without a bias}}
  %0:3 = nn.attention_grad %x, %x, %x, %x result %x lse %lse max %lse
      positions %p, %p scale 1.0
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>,
         tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2xf32>,
         tensor<2x4x2xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %lse: tensor<2x1x4xf32>, %p: tensor<4xi64>) {
  // expected-error@+1 {{has a max without a bias}}
  %0, %1 = nn.masked_softmax_grad %x, %x lse %lse max %lse positions %p, %p
      scale 1.0
      : (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>, tensor<2x1x4xf32>,
         tensor<2x1x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{results must be [b, s, h, e] and [b, s, h]}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x1xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{drops with probability 1.0}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far scale 0.5 {p = 1.0, id = 1}
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{needs samples, seed and step to drop out}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far scale 0.5 {p = 0.1, id = 1}
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %s: tensor<i64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{needs one sample per batch row}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far samples %j seed %s step %s scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{seed must be a rank-0 tensor}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far samples %i seed %i step %s scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2xi64>, tensor<2xi64>, tensor<i64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%i: tensor<2xi64>, %j: tensor<3xi64>, %s: tensor<i64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{step must be a rank-0 tensor}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far samples %i seed %s step %i scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2xi64>, tensor<i64>, tensor<2xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%i: tensor<2xi64>, %j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{head_origin must be a rank-0 tensor}}
  %0:2 = nn.attention %h, %k, %k positions %j, %far head_origin %i scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<3xi64>, tensor<5xi64>, tensor<2xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %lse: tensor<2x3x2xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{shapes of q, k and v do not match}}
  %0:3 = nn.attention_grad %h, %h, %h, %k result %h lse %lse positions %j, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %lse: tensor<2x3x2xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{d_result and result must be [b, s, h, e], lse [b, s, h]}}
  %0:3 = nn.attention_grad %x, %h, %k, %k result %h lse %lse positions %j, %far scale 0.5
      : (tensor<2x3x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>)
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{d_result and result must be [b, s, h, e], lse [b, s, h]}}
  %0:3 = nn.attention_grad %h, %h, %k, %k result %h lse %r positions %j, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>)
  return
}

// -----

func.func @f(%j: tensor<3xi64>, %h: tensor<2x3x2x4xf32>, %k: tensor<2x5x1x4xf32>, %lse: tensor<2x3x2xf32>, %far: tensor<5xi64>) {
  // expected-error@+1 {{cotangents must have the types of q, k and v}}
  %0:3 = nn.attention_grad %h, %h, %k, %k result %h lse %lse positions %j, %far scale 0.5
      : (tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>, tensor<2x3x2xf32>, tensor<3xi64>, tensor<5xi64>)
      -> (tensor<2x3x2x4xf32>, tensor<2x5x1x4xf32>, tensor<2x3x2x4xf32>)
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{table must be [rows, columns...]}}
  %0 = nn.embedding %ij, %c
      : tensor<2x3xi64>, tensor<4xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%z: tensor<4x5xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{must return 'tensor<2x3x5xf32>', not 'tensor<2x3x4xf32>'}}
  %0 = nn.embedding %ij, %z
      : tensor<2x3xi64>, tensor<4x5xf32> -> tensor<2x3x4xf32>
  return
}

// -----

func.func @f(%z: tensor<4x5xf32>, %i: tensor<2xi64>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.embedding %ij, %z offset %i : tensor<2xi64>
      : tensor<2x3xi64>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{table must be [rows, columns...]}}
  %0 = nn.embedding_grad %x, %ij
      : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{dy must have a row of the table per id}}
  %0 = nn.embedding_grad %x, %i
      : tensor<2x3x4xf32>, tensor<2xi64> -> tensor<7x4xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.embedding_grad %x, %ij offset %i : tensor<2xi64>
      : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<7x4xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{has different rows in 'tensor<f32>' and 'tensor<1xi32>'}}
  %0 = nn.top_k %x : tensor<f32> -> tensor<1xi32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{has different rows in 'tensor<2x4xf32>' and 'tensor<3x2xi32>'}}
  %0 = nn.top_k %x : tensor<2x4xf32> -> tensor<3x2xi32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{cannot take 5 of 4 elements}}
  %0 = nn.top_k %x : tensor<2x4xf32> -> tensor<2x5xi32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{cannot take 0 of 4 elements}}
  %0 = nn.top_k %x : tensor<2x4xf32> -> tensor<2x0xi32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{must be statically shaped tensor of 32-bit signless integer values}}
  %0 = nn.top_k %x : tensor<2x4xf32> -> tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error@+1 {{has different rows in 'tensor<2x4xf32>' and 'tensor<3x2xi32>'}}
  %0 = nn.pick %x, %i : tensor<2x4xf32>, tensor<3x2xi32> -> tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %i: tensor<2x3xi32>) {
  // expected-error@+1 {{must return 'tensor<2x3xf32>', not 'tensor<2x3xf64>'}}
  %0 = nn.pick %x, %i : tensor<2x4xf32>, tensor<2x3xi32> -> tensor<2x3xf64>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %i: tensor<2x3xi32>, %o: tensor<1xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.pick %x, %i offset %o : tensor<1xi64> : tensor<2x4xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %i: tensor<2x3xi32>) {
  // expected-error@+1 {{needs one id per value}}
  %0 = nn.spread %x, %i : tensor<2x4xf32>, tensor<2x3xi32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) {
  // expected-error@+1 {{has different rows in 'tensor<2x3xf32>' and 'tensor<3x5xf32>'}}
  %0 = nn.spread %x, %i : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<3x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) {
  // expected-error@+1 {{must return 'tensor<2x5xf32>', not 'tensor<2x5xbf16>'}}
  %0 = nn.spread %x, %i : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2x5xbf16>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>, %o: tensor<1xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.spread %x, %i offset %o : tensor<1xi64> : tensor<2x3xf32>, tensor<2x3xi32> -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{needs one target per row of logits}}
  %0:2 = nn.cross_entropy %x, %i classes 4
      : tensor<2x3x4xf32>, tensor<2xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{cannot have 5 classes in 4 columns}}
  %0:2 = nn.cross_entropy %x, %ij classes 5
      : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{cannot have 0 classes in 4 columns}}
  %0:2 = nn.cross_entropy %x, %ij classes 0
      : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{loss and lse must have the targets' shape}}
  %0:2 = nn.cross_entropy %x, %ij classes 4
      : tensor<2x3x4xf32>, tensor<2x3xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{needs one target per row of logits}}
  %0 = nn.cross_entropy_grad %r, %x, %i lse %r classes 4
      : tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %q: tensor<2x2xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{dloss and lse must have the targets' shape}}
  %0 = nn.cross_entropy_grad %q, %x, %ij lse %q classes 4
      : tensor<2x2xf32>, tensor<2x3x4xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{cannot have 5 classes in 4 columns}}
  %0 = nn.cross_entropy_grad %r, %x, %ij lse %r classes 5
      : tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %i: tensor<2xi64>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.cross_entropy_grad %r, %x, %ij lse %r offset %i : tensor<2xi64> classes 5
      : tensor<2x3xf32>, tensor<2x3x4xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{does not have one entry per row}}
  %0 = nn.row_max %x classes 4 : tensor<2x3x4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{cannot have 5 classes in 4 columns}}
  %0 = nn.row_max %x classes 5 : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.row_max %x offset %i : tensor<2xi64> classes 5
      : tensor<2x3x4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{needs one target per row of logits}}
  %0 = nn.cross_entropy_stats %x, %i max %r classes 4
      : tensor<2x3x4xf32>, tensor<2xi64>, tensor<2x3xf32> -> tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %q: tensor<2x2xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{does not have one entry per row}}
  %0 = nn.cross_entropy_stats %x, %ij max %q classes 4
      : tensor<2x3x4xf32>, tensor<2x3xi64>, tensor<2x2xf32>
      -> tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{must return 'tensor<2x2x3xf32>', not 'tensor<2x3xf32>'}}
  %0 = nn.cross_entropy_stats %x, %ij max %r classes 4
      : tensor<2x3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{cannot have 5 classes in 4 columns}}
  %0 = nn.cross_entropy_stats %x, %ij max %r classes 5
      : tensor<2x3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32>
      -> tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %i: tensor<2xi64>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{offset must be a rank-0 tensor}}
  %0 = nn.cross_entropy_stats %x, %ij max %r offset %i : tensor<2xi64> classes 4
      : tensor<2x3x4xf32>, tensor<2x3xi64>, tensor<2x3xf32>
      -> tensor<2x2x3xf32>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %ij: tensor<2x3xi64>) {
  // expected-error@+1 {{stats must be 'tensor<2x2x3xf32>'}}
  %0:2 = nn.cross_entropy_loss %r max %r, %ij
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @f(%x: tensor<2x3x4xf32>, %r: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{max must have the targets' shape}}
  %0:2 = nn.cross_entropy_loss %x max %r, %i
      : tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2xi64>
  return
}

// -----

func.func @f(%ij: tensor<2x3xi64>) {
  // expected-error@+1 {{must return one number per target}}
  %0 = nn.valid %ij : tensor<2x3xi64> -> tensor<2xf32>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %q: tensor<2x2xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have the shape of 'tensor<2x3xf32>'}}
  %0:3 = nn.adamw %r, %q, %r, %r grad_scale %f lr %f betas %f, %f eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %q: tensor<2x2xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have the shape of 'tensor<2x3xf32>'}}
  %0:3 = nn.adamw %r, %r, %q, %q grad_scale %f lr %f betas %f, %f eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{grad_scale must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %c lr %f betas %f, %f eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{lr must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %c betas %f, %f eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{beta1 must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %f betas %c, %f eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{beta2 must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %f betas %f, %c eps %f weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{eps must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %f betas %f, %f eps %c weight_decay %f step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %s: tensor<i64>, %f: tensor<f32>) {
  // expected-error@+1 {{weight_decay must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %f betas %f, %f eps %f weight_decay %c step %s
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<i64>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %i: tensor<2xi64>, %f: tensor<f32>) {
  // expected-error@+1 {{step must be a rank-0 tensor}}
  %0:3 = nn.adamw %r, %r, %r, %r grad_scale %f lr %f betas %f, %f eps %f weight_decay %f step %i
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xi64>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>, %q: tensor<2x2xf32>, %f: tensor<f32>) {
  // expected-error@+1 {{'tensor<2x2xf32>' does not have the shape of 'tensor<2x3xf32>'}}
  %0 = nn.sgd %r, %q grad_scale %f lr %f weight_decay %f
      : tensor<2x3xf32>, tensor<2x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f(%c: tensor<4xf32>, %r: tensor<2x3xf32>, %f: tensor<f32>) {
  // expected-error@+1 {{lr must be a rank-0 tensor}}
  %0 = nn.sgd %r, %r grad_scale %f lr %c weight_decay %f
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @f(%r: tensor<2x3xf32>) {
  // expected-error@+1 {{result must be a rank-0 tensor}}
  %0 = nn.sum_of_squares %r : tensor<2x3xf32> -> tensor<1xf32>
  return
}

// -----

func.func @f(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = nn.where %c, %x, %x : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{box of 3 from 0 by 9223372036854775807 leaves a dim of 4}}
  %0 = nn.slice %x at [0] step [9223372036854775807]
      : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{box of 1 from 0 by 9223372036854775807 leaves a dim of 4}}
  %0 = nn.slice %x at [0] step [9223372036854775807]
      : tensor<4xf32> -> tensor<1xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{box of 0 from 5 by 1 leaves a dim of 4}}
  %0 = nn.slice %x at [5] step [1] : tensor<4xf32> -> tensor<0xf32>
  return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %n: tensor<2xi64>, %p: tensor<4xi64>,
             %s: tensor<i64>) {
  // expected-error@+1 {{drops with probability nan, not in [0, 1)}}
  %0 = nn.dropout %x samples %n positions %p seed %s step %s
      {p = 0x7FF8000000000000 : f64, id = 1, batch_dim = 0, seq_dim = 1}
      : tensor<2x4xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %p: tensor<4xi64>, %n: tensor<3xi64>,
             %s: tensor<i64>) {
  // expected-error@+1 {{needs one sample per batch row}}
  %0, %1 = nn.masked_softmax %x positions %p, %p samples %n seed %s step %s
      scale 1.0 {p = 0.5 : f64}
      : (tensor<2x1x4x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<3xi64>,
         tensor<i64>, tensor<i64>)
      -> (tensor<2x1x4x4xf32>, tensor<2x1x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{dims must ascend and lie within the input}}
  %0 = nn.reduce_max %x [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = nn.compare lt %x, %x : tensor<2x3xf32> -> tensor<3x2xi1>
  return
}

// -----

func.func @f(%x: tensor<2x4x4xf32>, %p: tensor<4xi64>) {
  // expected-error@+1 {{takes scores of [batch, head, query, key]}}
  %0, %1 = nn.masked_softmax %x positions %p, %p scale 1.0
      : (tensor<2x4x4xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x5xf32>, %p: tensor<4xi64>) {
  // expected-error@+1 {{needs one position per query and per key}}
  %0, %1 = nn.masked_softmax %x positions %p, %p scale 1.0
      : (tensor<2x1x4x5xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x1x4x5xf32>, tensor<2x1x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %lse: tensor<2x4xf32>,
             %p: tensor<4xi64>) {
  // expected-error@+1 {{lse must be [batch, head, query]}}
  %0, %1 = nn.masked_softmax_grad %x, %x lse %lse positions %p, %p scale 1.0
      : (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>, tensor<2x4xf32>,
         tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x4x2x8xf32>, %lse: tensor<2x4x2xf32>,
             %bias: tensor<1x2x4x4xf32>, %p: tensor<4xi64>) {
  // expected-error@+1 {{the bias' cotangent must have its type}}
  %0:4 = nn.attention_grad %x, %x, %x, %x result %x lse %lse max %lse
      positions %p, %p bias %bias scale 1.0
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>,
         tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2xf32>,
         tensor<2x4x2xf32>,
         tensor<4xi64>, tensor<4xi64>, tensor<1x2x4x4xf32>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>,
          tensor<2x2x4x4xf32>)
  return
}

// -----

// expected-error@+1 {{is a copy, which needs 'of' with a parameter}}
nn.state @c : tensor<8xbf16> copy

// -----

// expected-note@+1 {{it is declared as 'tensor<8xf32>'}}
nn.param @w : tensor<8xf32> init zero
// expected-error@+1 {{is 'tensor<4xbf16>', not a copy of @w}}
nn.state @c : tensor<4xbf16> copy of @w

// -----

// expected-note@+1 {{it is declared as 'tensor<8xbf16>'}}
nn.param @w : tensor<8xbf16> init zero
// expected-error@+1 {{is 'tensor<8xf32>', not a copy of @w}}
nn.state @c : tensor<8xf32> copy of @w

// -----

// expected-error@+1 {{is a number, which needs rank 0 and no 'of'}}
nn.state @n : tensor<1xf32> number first 1.0

// -----

nn.param @w : tensor<f32> init zero
// expected-error@+1 {{is a number, which needs rank 0 and no 'of'}}
nn.state @n : tensor<f32> number of @w

// -----

// expected-error@+1 {{has a 'first' value, but is not a number}}
nn.state @s : tensor<f32> sum first 1.0

// -----

func.func @f(%x: tensor<2x1x4x4xbf16>, %p: tensor<4xi64>) {
  // expected-error@+1 {{cannot return 'tensor<2x1x4x4xf32>' for scores of 'tensor<2x1x4x4xbf16>'}}
  %0, %1 = nn.masked_softmax %x positions %p, %p scale 1.0
      : (tensor<2x1x4x4xbf16>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x1x4x4xf32>, tensor<2x1x4xf32>)
  return
}

// -----

func.func @f(%x: tensor<2x1x4x4xf32>, %lse: tensor<2x1x4xf32>,
             %p: tensor<4xi64>) {
  // expected-error@+1 {{cannot return 'tensor<2x1x2x4xf32>' for scores of 'tensor<2x1x4x4xf32>'}}
  %0, %1 = nn.masked_softmax_grad %x, %x lse %lse positions %p, %p scale 1.0
      : (tensor<2x1x4x4xf32>, tensor<2x1x4x4xf32>, tensor<2x1x4xf32>,
         tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x1x2x4xf32>, tensor<2x1x2x4xf32>)
  return
}
