// One violation of every constraint of random rounding.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// -----

func.func @f(%p: tensor<2x3xf32>, %b: tensor<2x3xbf16>, %h: tensor<2x3xf16>,
             %r: tensor<2x3xi32>, %q: tensor<3x2xi32>, %s: tensor<i64>,
             %f: tensor<f32>) {
  // expected-error@+1 {{does not round moments of 'bf16'}}
  %0:3 = nn.adamw %p, %p, %b, %b grad_scale %f lr %f betas %f, %f eps %f
      weight_decay %f step %s 
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @f(%p: tensor<2x3xf32>, %b: tensor<2x3xbf16>, %h: tensor<2x3xf16>,
             %r: tensor<2x3xi32>, %q: tensor<3x2xi32>, %s: tensor<i64>,
             %f: tensor<f32>) {
  // expected-error@+1 {{rounds moments of 'f32'}}
  %0:3 = nn.adamw %p, %p, %p, %p grad_scale %f lr %f betas %f, %f eps %f
      weight_decay %f step %s rounding %r
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<2x3xi32>
  return
}

// -----

func.func @f(%p: tensor<2x3xf32>, %b: tensor<2x3xbf16>, %h: tensor<2x3xf16>,
             %r: tensor<2x3xi32>, %q: tensor<3x2xi32>, %s: tensor<i64>,
             %f: tensor<f32>) {
  // expected-error@+1 {{cannot have moments of f16}}
  %0:3 = nn.adamw %p, %p, %h, %h grad_scale %f lr %f betas %f, %f eps %f
      weight_decay %f step %s rounding %r
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf16>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<2x3xi32>
  return
}

// -----

func.func @f(%p: tensor<2x3xf32>, %b: tensor<2x3xbf16>, %h: tensor<2x3xf16>,
             %r: tensor<2x3xi32>, %q: tensor<3x2xi32>, %s: tensor<i64>,
             %f: tensor<f32>) {
  // expected-error@+1 {{rounds with 'tensor<3x2xi32>', which does not have the shape of 'tensor<2x3xf32>'}}
  %0:3 = nn.adamw %p, %p, %b, %b grad_scale %f lr %f betas %f, %f eps %f
      weight_decay %f step %s rounding %q
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{seed must be a rank-0 tensor}}
  %0 = nn.rounding_bits 0 seed %v step %s 
      members [#nn.member<shape = [2, 3], whole = [2, 3]>]
      : tensor<2xi64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{step must be a rank-0 tensor}}
  %0 = nn.rounding_bits 0 seed %s step %v 
      members [#nn.member<shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<2xi64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{origins must be a rank-0 tensor}}
  %0 = nn.rounding_bits 0 seed %s step %s origins %v
      members [#nn.member<shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<i64>, tensor<2xi64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{begins at origin 1 of 1}}
  %0 = nn.rounding_bits 0 seed %s step %s origins %s position 1
      members [#nn.member<shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{has no members}}
  %0 = nn.rounding_bits 0 seed %s step %s 
      members []
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{has member 0 at element 32, but the first starts at 0}}
  %0 = nn.rounding_bits 0 seed %s step %s 
      members [#nn.member<start = 32, shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{has member 1 at element 4, which overlaps the one before}}
  %0 = nn.rounding_bits 0 seed %s step %s 
      members [#nn.member<shape = [2, 3], whole = [2, 3]>, #nn.member<start = 4, shape = [2], whole = [2]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{has member 0 with origin 2 of 1}}
  %0 = nn.rounding_bits 0 seed %s step %s origins %s
      members [#nn.member<shape = [2, 3], whole = [2, 3], origins = [-1, 2]>]
      : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  // expected-error@+1 {{has 6 elements, but its members 8}}
  %0 = nn.rounding_bits 0 seed %s step %s 
      members [#nn.member<shape = [2, 4], whole = [2, 4]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  %0 = nn.rounding_bits 0 seed %s step %s 
      // expected-error@+1 {{has id -1 and start 0, one of which is negative}}
      members [#nn.member<id = -1, shape = [2, 3], whole = [2, 3]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  %0 = nn.rounding_bits 0 seed %s step %s 
      // expected-error@+1 {{has a shard of rank 2, but the whole tensor has rank 1}}
      members [#nn.member<shape = [2, 3], whole = [6]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  %0 = nn.rounding_bits 0 seed %s step %s 
      // expected-error@+1 {{has an extent that is not positive}}
      members [#nn.member<shape = [2, 3], whole = [2, 0]>]
      : tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  %0 = nn.rounding_bits 0 seed %s step %s origins %s
      // expected-error@+1 {{has 1 origins for 2 dims}}
      members [#nn.member<shape = [2, 3], whole = [2, 3], origins = [0]>]
      : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%s: tensor<i64>, %v: tensor<2xi64>) {
  %0 = nn.rounding_bits 0 seed %s step %s origins %s
      // expected-error@+1 {{has origin -2, less than -1}}
      members [#nn.member<shape = [2, 3], whole = [2, 3], origins = [-2, 0]>]
      : tensor<i64>, tensor<i64>, tensor<i64> -> tensor<2x3xi32>
  return
}
