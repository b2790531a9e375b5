// RUN: pcc-opt %s --split-input-file --verify-diagnostics --rt-verify-kernels

func.func @loose(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'nn.exp' is in no kernel}}
  %y = nn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @k(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> tensor<4x8xf32> attributes {rt.kernel} {
  // expected-error @below {{'nn.contract' cannot be in kernel 'k'}}
  %y = nn.contract "mk,kn->mn" %x, %w
      : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// expected-error @below {{result 0 of kernel 'k' names operand 1 of 1}}
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32> {rt.inplace = 1})
    attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 of kernel 'k' cannot reuse the buffer of operand 0}}
func.func private @k(%x: tensor<4x8xf32>) -> (tensor<4xf32> {rt.inplace = 0})
    attributes {rt.kernel} {
  %y = nn.reduce %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Other rows still read what the transpose would overwrite.
// expected-error @below {{overwrites operand 0 while it is still read}}
func.func private @k(%x: tensor<4x4x8xf32>)
    -> (tensor<4x4x8xf32> {rt.inplace = 0}) attributes {rt.kernel} {
  %y = nn.transpose %x [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  return %y : tensor<4x4x8xf32>
}

// -----

// expected-error @below {{two results of kernel 'k' reuse the buffer of operand 0}}
func.func private @k(%x: tensor<4xf32>)
    -> (tensor<4xf32> {rt.inplace = 0}, tensor<4xf32> {rt.inplace = 0})
    attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4xf32>
  %z = nn.sqrt %x : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Work items that take some columns of a row cannot write a number per row.
// expected-error @below {{has no row program: one value per row together with column sums}}
func.func private @k(%x: tensor<3x4x8xf32>, %v: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4x8xf32>) attributes {rt.kernel} {
  %y = nn.exp %v : tensor<4xf32>
  %z = nn.reduce %x [0] : tensor<3x4x8xf32> -> tensor<4x8xf32>
  return %y, %z : tensor<4xf32>, tensor<4x8xf32>
}

// -----

// Grouped rows need ids that mark the rows that continue the previous group's
// id.
// expected-error @below {{has no row program: grouped rows whose ids are not an nn.where over an nn.compare}}
func.func private @k(%dy: tensor<8x2xf32>, %ids: tensor<8xi32>)
    -> tensor<5x2xf32> attributes {rt.kernel} {
  %g = nn.embedding_grad %dy, %ids {rt.group = 4 : i64, rt.sorted}
      : tensor<8x2xf32>, tensor<8xi32> -> tensor<5x2xf32>
  return %g : tensor<5x2xf32>
}

// -----

// A row's sums are not recomputed for each element of another row.
// expected-error @below {{has no row program: nn.layer_norm: is read at other rows}}
func.func private @k(%x: tensor<4x4x8xf32>, %s: tensor<8xf32>)
    -> tensor<4x4x8xf32> attributes {rt.kernel} {
  %y, %m, %r = nn.layer_norm %x scale %s eps 1.0e-5
      : tensor<4x4x8xf32>, tensor<8xf32> -> tensor<4x4xf32>, tensor<4x4xf32>
  %t = nn.transpose %y [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  return %t : tensor<4x4x8xf32>
}

// -----

func.func @attention(%q: tensor<2x4x2x8xf32>, %at: tensor<4xi64>) -> tensor<2x4x2x8xf32> {
  // expected-error @below {{'nn.attention' is in no kernel}}
  %o, %lse = nn.attention causal %q, %q, %q positions %at, %at scale 0.5
      : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<2x4x2x8xf32>, tensor<2x4x2xf32>)
  return %o : tensor<2x4x2x8xf32>
}

// -----

// Aliases, GEMMs, the sums that accumulate them in place, and cleared buffers
// need none.
pipe.body @loose (%x: tensor<4x8xf32>, %s: tensor<4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4xf32> into 1, tensor<4x4xf32> into 2) {
  %t = nn.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %y = nn.contract "mk,kn->mn" %x, %t : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
  %z = nn.constant dense<0.0> : tensor<4xf32>
  %sum = nn.sum %g, %y {rt.adds_in_place} : tensor<4x4xf32>
  pipe.yield %z, %sum : tensor<4xf32>, tensor<4x4xf32>
}

// -----

// Any other sum needs one.
pipe.body @loose (%y: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32> into 1) {
  // expected-error @below {{'nn.sum' is in no kernel}}
  %sum = nn.sum %g, %y : tensor<4x4xf32>
  pipe.yield %sum : tensor<4x4xf32>
}

// -----

// A one is written by a kernel, and so is a negative zero.
pipe.body @loose (%s: tensor<4xf32>) -> (tensor<4xf32> into 0) {
  // expected-error @below {{'nn.constant' is in no kernel}}
  %z = nn.constant dense<-0.0> : tensor<4xf32>
  pipe.yield %z : tensor<4xf32>
}

// -----

pipe.body @loose (%s: tensor<4xi64>) -> (tensor<4xi64> into 0) {
  // expected-error @below {{'nn.constant' is in no kernel}}
  %z = nn.constant dense<1> : tensor<4xi64>
  pipe.yield %z : tensor<4xi64>
}

// -----

pipe.body @cleared (%s: tensor<4xi64>) -> (tensor<4xi64> into 0) {
  %z = nn.constant dense<0> : tensor<4xi64>
  pipe.yield %z : tensor<4xi64>
}

// -----

// expected-error @below {{result 0 of kernel 'k' names operand -1 of 1}}
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xf32> {rt.inplace = -1})
    attributes {rt.kernel} {
  %y = nn.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{result 0 of kernel 'k' cannot reuse the buffer of operand 0: 'tensor<4xbf16>' is not 'tensor<4xf32>'}}
func.func private @k(%x: tensor<4xf32>) -> (tensor<4xbf16> {rt.inplace = 0})
    attributes {rt.kernel} {
  %y = nn.cast %x : tensor<4xf32> -> tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// Tiled: as many work items as the kernel declares, in one loop,
// expected-error @below {{kernel 'k' is not one forall over 5 work items}}
func.func private @k(%x: memref<4xf32>) attributes {rt.kernel, rt.units = 5 : i64} {
  scf.forall (%i) in (4) {
  }
  return
}

// -----

// expected-error @below {{kernel 'k' is not one forall over 4 work items}}
func.func private @k(%x: memref<4xf32>) attributes {rt.kernel, rt.units = 4 : i64} {
  scf.forall (%i) in (4) {
  }
  scf.forall (%i) in (4) {
  }
  return
}

// -----

// no memory but the stack's,
func.func private @k(%x: memref<4xf32>) attributes {rt.kernel, rt.units = 4 : i64} {
  scf.forall (%i) in (4) {
    // expected-error @below {{kernel 'k' allocates}}
    %m = memref.alloc() : memref<4xf32>
  }
  return
}

// -----

// of that 512 KiB, in buffers of any type,
func.func private @k(%x: memref<4xf32>) attributes {rt.kernel, rt.units = 4 : i64} {
  scf.forall (%i) in (4) {
    %m = memref.alloca() : memref<65536xf32>
    %n = memref.alloca() : memref<262144xi1>
  }
  return
}

// -----

// and not a byte more.
// expected-error @below {{kernel 'k' needs 524289 bytes of stack, more than 524288}}
func.func private @k(%x: memref<4xf32>) attributes {rt.kernel, rt.units = 4 : i64} {
  scf.forall (%i) in (4) {
    %m = memref.alloca() : memref<65536xf64>
    %n = memref.alloca() : memref<1xi1>
  }
  return
}

// -----

// Attention by tiles is the only op of its kernel,
func.func private @k(%q: tensor<1x4x2x8xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x8xf32> attributes {rt.kernel} {
  // expected-error @below {{'nn.scale' cannot be in kernel 'k' together with attention}}
  %x = nn.scale %q by 2.0 : tensor<1x4x2x8xf32>
  %o, %lse = nn.attention %x, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x8xf32>
}

// -----

// returns the op's result,
// expected-error @below {{result 0 of kernel 'k' is not computed by its attention}}
func.func private @k(%q: tensor<1x4x2x8xf32>, %at: tensor<4xi64>)
    -> (tensor<4x2x8xf32>, tensor<1x4x2xf32>) attributes {rt.kernel} {
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>)
  %r = nn.reshape %o : tensor<1x4x2x8xf32> -> tensor<4x2x8xf32>
  return %r, %lse : tensor<4x2x8xf32>, tensor<1x4x2xf32>
}

// -----

// not in the buffer that other tiles still read,
// expected-error @below {{result 0 of kernel 'k' overwrites an operand while it is still read}}
func.func private @k(%q: tensor<1x4x2x8xf32>, %at: tensor<4xi64>)
    -> (tensor<1x4x2x8xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %o, %lse = nn.attention %q, %q, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x8xf32>
}

// -----

// reads rows of heads,
func.func private @k(%q: tensor<1x4x2x8xf32>, %w: tensor<1x4x8x2xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x8xf32> attributes {rt.kernel} {
  %k = nn.transpose %w [0, 1, 3, 2] : tensor<1x4x8x2xf32> -> tensor<1x4x2x8xf32>
  // expected-error @below {{cannot be lowered to tiles: an operand has no contiguous rows in memory}}
  %o, %lse = nn.attention %q, %k, %q positions %at, %at scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x8xf32>
}

// -----

// and of the bias.
func.func private @k(%q: tensor<1x4x2x8xf32>, %turned: tensor<1x1x4x4xf32>, %at: tensor<4xi64>)
    -> tensor<1x4x2x8xf32> attributes {rt.kernel} {
  %bias = nn.transpose %turned [0, 1, 3, 2] : tensor<1x1x4x4xf32> -> tensor<1x1x4x4xf32>
  // expected-error @below {{cannot be lowered to tiles: an operand has no contiguous rows in memory}}
  %o, %lse, %max = nn.attention %q, %q, %q positions %at, %at bias %bias scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x4x4xf32>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  return %o : tensor<1x4x2x8xf32>
}

// -----

// Tiles compute the gradient of a bias for each query; other kernels sum it.
func.func private @k(%q: tensor<1x4x2x8xf32>, %lse: tensor<1x4x2xf32>, %at: tensor<4xi64>,
                     %bias: tensor<1x2x1x4xf32>)
    -> tensor<1x2x1x4xf32> attributes {rt.kernel} {
  // expected-error @below {{cannot be lowered to tiles: the bias' cotangent does not cover all queries and keys}}
  %dq, %dk, %dv, %db = nn.attention_grad %q, %q, %q, %q result %q lse %lse max %lse positions %at, %at bias %bias scale 0.5
      : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x1x4xf32>)
      -> (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x2x1x4xf32>)
  return %db : tensor<1x2x1x4xf32>
}

// -----

func.func private @k(%a: tensor<4x8xf32>, %w: tensor<2x6x8xf32>, %e: tensor<2xi32>)
    -> tensor<4x6xf32> attributes {rt.kernel} {
  // expected-error @below {{'nn.grouped_contract' cannot be in kernel 'k'}}
  %y = nn.grouped_contract "rk,enk->rn" %a, %w ends %e
      : tensor<4x8xf32>, tensor<2x6x8xf32>, tensor<2xi32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// expected-error @below {{kernel 'k' cannot be lowered to tiles: 'nn.exp' cannot be together with a grouped contraction}}
func.func private @k(%a: tensor<4x8xf32>, %w: tensor<2x6x8xf32>, %e: tensor<2xi32>)
    -> tensor<4x6xf32> attributes {rt.kernel} {
  %x = nn.exp %a : tensor<4x8xf32>
  %y = nn.grouped_contract "rk,enk->rn" %x, %w ends %e {rt.by_tiles}
      : tensor<4x8xf32>, tensor<2x6x8xf32>, tensor<2xi32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// -----

// expected-error @below {{kernel 'k' cannot be lowered to tiles: a sum over rows is added to one value}}
func.func private @k(%a: tensor<4x8xf32>, %w: tensor<2x6x8xf32>, %e: tensor<2xi32>, %b: tensor<4x6xf32>)
    -> tensor<4x6xf32> attributes {rt.kernel} {
  %y = nn.grouped_contract "rk,enk->rn" %a, %w ends %e {rt.by_tiles}
      : tensor<4x8xf32>, tensor<2x6x8xf32>, tensor<2xi32> -> tensor<4x6xf32>
  %s = nn.sum %b, %y : tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// -----

// Other blocks still read what the sum would overwrite.
// expected-error @below {{result 0 of kernel 'k' overwrites operand 0 while it is still read}}
func.func private @k(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<1xi32>)
    -> (tensor<1x8x8xf32> {rt.inplace = 0}) attributes {rt.kernel} {
  %y = nn.grouped_contract "rn,rk->enk" %a, %b ends %e {rt.by_tiles}
      : tensor<8x8xf32>, tensor<8x8xf32>, tensor<1xi32> -> tensor<1x8x8xf32>
  return %y : tensor<1x8x8xf32>
}
