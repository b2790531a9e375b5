// How values repeat ("same") or grow along each dim: from one index to the
// next, and then to the index that is larger by each divisor of the extent.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --test-steps

// Constants.
func.func @constants() {
  // expected-remark@+1 {{steps along 0: same along 1: same same}}
  %splat = nn.constant dense<3> : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 4 along 1: 1 2}}
  %rows = nn.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any 1}}
  %same = nn.constant dense<[[0, 0, 1, 1], [0, 0, 1, 1]]> : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any same}}
  %twice = nn.constant dense<[0, 5, 0, 5]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: any 3}}
  %pairs = nn.constant dense<[0, 5, 3, 8]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: any any}}
  %odd = nn.constant dense<[0, 1, 2, 4]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: any}}
  %last = nn.constant dense<[[0, 1], [2, 3], [4, 4]]> : tensor<3x2xi64>
  // expected-remark@+1 {{steps along 0: -2 -4}}
  %down = nn.constant dense<[3, 1, -1, -3]> : tensor<4xi32>
  // expected-remark@+1 {{steps along 0: same along 1: any}}
  %floats = nn.constant dense<[[0.5, 1.5], [0.5, 1.5]]> : tensor<2x2xf32>
  // expected-remark@+1 {{steps along 0: any along 1: any}}
  %uneven = nn.constant dense<[[0.5, 0.5], [1.5, 1.0]]> : tensor<2x2xf32>
  // expected-remark@+1 {{steps along 0: along 1: any}}
  %one = nn.constant dense<[[0.5, 1.5]]> : tensor<1x2xf32>
  // expected-remark@+1 {{steps along 0: 100 along 1: 10 along 2: 1}}
  %cube = nn.constant dense<[[[0, 1], [10, 11], [20, 21]], [[100, 101], [110, 111], [120, 121]]]> : tensor<2x3x2xi64>
  // expected-remark@+1 {{steps along 0: any same}}
  %flags = nn.constant dense<[true, false, true, false]> : tensor<4xi1>
  return
}

// -----

// Ops that move or repeat elements.
func.func @moves(%x: tensor<4xi64>, %y: tensor<2x4xf32>) {
  // expected-remark@+1 {{steps along 0: 1 2}}
  %row = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: 1 2}}
  %down = nn.broadcast %row [1] : tensor<4xi64> -> tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 1 2 along 1: same}}
  %along = nn.broadcast %row [0] : tensor<4xi64> -> tensor<4x2xi64>
  // expected-remark@+1 {{steps along 0: 1 2 along 1: same}}
  %t = nn.transpose %down [1, 0] : tensor<2x4xi64> -> tensor<4x2xi64>
  // Each element twice in a row, and all elements twice.
  // expected-remark@+1 {{steps along 0: any 1 2}}
  %each = nn.reshape %along : tensor<4x2xi64> -> tensor<8xi64>
  // expected-remark@+1 {{steps along 0: any any same}}
  %again = nn.reshape %down : tensor<2x4xi64> -> tensor<8xi64>
  // expected-remark@+1 {{steps along 0: 2 along 1: 1}}
  %split = nn.reshape %row : tensor<4xi64> -> tensor<2x2xi64>
  // expected-remark@+1 {{steps along 0: 1 2}}
  %wide = nn.cast %row : tensor<4xi64> -> tensor<4xi32>
  // expected-remark@+1 {{steps along 0: any any}}
  %float = nn.cast %row : tensor<4xi64> -> tensor<4xf32>
  // Inputs are unknown, but repeat where they are broadcast.
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %given = nn.broadcast %x [1] : tensor<4xi64> -> tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any any same}}
  %flat = nn.reshape %given : tensor<2x4xi64> -> tensor<8xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %back = nn.reshape %flat : tensor<8xi64> -> tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: along 1: any any}}
  %one = nn.reshape %x : tensor<4xi64> -> tensor<1x4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: same along 2: any any}}
  %thrice = nn.broadcast %y [0, 2] : tensor<2x4xf32> -> tensor<2x3x4xf32>
  // expected-remark@+1 {{steps along 0: any any any along 1: any any}}
  %six = nn.reshape %thrice : tensor<2x3x4xf32> -> tensor<6x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: any}}
  %cut = nn.slice %given at [0, 1] step [1, 1] : tensor<2x4xi64> -> tensor<2x2xi64>
  // expected-remark@+1 {{steps along 0: same along 1: 1}}
  %front = nn.slice %down at [0, 1] step [1, 1] : tensor<2x4xi64> -> tensor<2x2xi64>
  // expected-remark@+1 {{steps along 0: any any any}}
  %joined = nn.concat %row, %row along 0 : tensor<4xi64>, tensor<4xi64> -> tensor<8xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any any any}}
  %beside = nn.concat %given, %down along 1 : tensor<2x4xi64>, tensor<2x4xi64> -> tensor<2x8xi64>
  return
}

// -----

// Values computed from known integers.
func.func @computed(%x: tensor<2x4xi64>, %y: tensor<4xf32>) {
  // expected-remark@+1 {{steps along 0: 1 2}}
  %row = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: 1 2}}
  %down = nn.broadcast %row [1] : tensor<4xi64> -> tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 10 along 1:}}
  %begin = nn.constant dense<[[0], [10]]> : tensor<2x1xi64>
  // expected-remark@+1 {{steps along 0: 10}}
  %column = nn.reshape %begin : tensor<2x1xi64> -> tensor<2xi64>
  // expected-remark@+1 {{steps along 0: 10 along 1: same same}}
  %first = nn.broadcast %column [0] : tensor<2xi64> -> tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 10 along 1: 2 4}}
  %sum = nn.sum %down, %first, %down : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: same same}}
  %three = nn.constant dense<3> : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 30 along 1: 6 12}}
  %times = nn.mul %sum, %three : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 30 along 1: 6 12}}
  %turned = nn.mul %three, %sum : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %square = nn.mul %down, %down : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: any any}}
  %cross = nn.mul %down, %first : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: any any}}
  %any = nn.mul %down, %x : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: any any}}
  %all = nn.sum %down, %x : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: 10 along 1: -1 -2}}
  %less = nn.sub %first, %down : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any along 1: any any}}
  %given = nn.sub %x, %down : tensor<2x4xi64>
  // expected-remark@+1 {{steps along 0: any any 10}}
  %flat = nn.reshape %sum : tensor<2x4xi64> -> tensor<8xi64>
  // expected-remark@+1 {{steps along 0: 10 along 1: same along 2: 2 4}}
  %wide = nn.broadcast %sum [0, 2] : tensor<2x4xi64> -> tensor<2x3x4xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %rows = nn.broadcast %y [1] : tensor<4xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %e = nn.exp %rows : tensor<2x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: any any}}
  %s = nn.mul %e, %e : tensor<2x4xf32>
  // expected-remark@+1 {{steps along 0: any}}
  %max = nn.reduce_max %sum [1] : tensor<2x4xi64> -> tensor<2xi64>
  return
}

// -----

// Rows scattered into a table of all rows repeat if they are equal and their
// ids index the next rows.
func.func @tables(%y: tensor<2x3xf32>, %z: tensor<4x3xf32>) {
  // expected-remark@+1 {{steps along 0: 3 along 1: 2}}
  %own = nn.constant dense<[[0, 2], [3, 5]]> : tensor<2x2xi64>
  // expected-remark@+1 {{steps along 0: same along 1: any along 2: any}}
  %rows = nn.broadcast %y [1, 2] : tensor<2x3xf32> -> tensor<2x2x3xf32>
  // expected-remark@+1 {{steps along 0: any any same along 1: any}}
  %a = nn.embedding_grad %rows, %own : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<6x3xf32>
  // Different rows; ids with other steps; another extent.
  // expected-remark@+1 {{steps along 0: any along 1: any along 2: any}}
  %other = nn.reshape %z : tensor<4x3xf32> -> tensor<2x2x3xf32>
  // expected-remark@+1 {{steps along 0: any any any along 1: any}}
  %b = nn.embedding_grad %other, %own : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<6x3xf32>
  // expected-remark@+1 {{steps along 0: 2 along 1: 2}}
  %near = nn.constant dense<[[0, 2], [2, 4]]> : tensor<2x2xi64>
  // expected-remark@+1 {{steps along 0: any any any along 1: any}}
  %c = nn.embedding_grad %rows, %near : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<6x3xf32>
  // expected-remark@+1 {{steps along 0: any any any along 1: any}}
  %d = nn.embedding_grad %rows, %own : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<8x3xf32>
  // Ids in one list.
  // expected-remark@+1 {{steps along 0: any 3}}
  %list = nn.constant dense<[0, 2, 3, 5]> : tensor<4xi64>
  // expected-remark@+1 {{steps along 0: any same along 1: any}}
  %flat = nn.reshape %rows : tensor<2x2x3xf32> -> tensor<4x3xf32>
  // expected-remark@+1 {{steps along 0: any any same along 1: any}}
  %e = nn.embedding_grad %flat, %list : tensor<4x3xf32>, tensor<4xi64> -> tensor<6x3xf32>
  // Each row has equal columns.
  // expected-remark@+1 {{steps along 0: same along 1: same along 2: same}}
  %ones = nn.constant dense<1.0> : tensor<2x2x3xf32>
  // expected-remark@+1 {{steps along 0: any any any along 1: same}}
  %f = nn.embedding_grad %ones, %near : tensor<2x2x3xf32>, tensor<2x2xi64> -> tensor<6x3xf32>
  return
}

// -----

// Products and sums over merged dims.
func.func @contracts(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-remark@+1 {{steps along 0: same along 1: any along 2: any any}}
  %wide = nn.broadcast %x [1, 2] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: any along 2: any}}
  %a = nn.contract "bsc,cv->bsv" %wide, %y : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>
  // expected-remark@+1 {{steps along 0: any any along 1: any any}}
  %b = nn.contract "bsc,bsd->cd" %wide, %wide : tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<4x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: any along 2: any any}}
  %p = nn.softmax %wide : tensor<2x3x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: same along 2: same same}}
  %same = nn.constant dense<1.0> : tensor<2x3x4xf32>
  // expected-remark@+1 {{steps along 0: same along 1: same along 2: any any}}
  %q = nn.softmax %same : tensor<2x3x4xf32>
  // expected-remark@+1 {{steps along 0: any any same along 1: any}}
  %merged = nn.reshape %a : tensor<2x3x5xf32> -> tensor<6x5xf32>
  // expected-remark@+1 {{steps along 0: any any any any any any same}}
  %all = nn.reshape %a : tensor<2x3x5xf32> -> tensor<30xf32>
  // expected-remark@+1 {{steps along 0: same along 1: same along 2: any along 3: any any}}
  %twelve = nn.broadcast %x [2, 3] : tensor<3x4xf32> -> tensor<2x2x3x4xf32>
  // expected-remark@+1 {{steps along 0: any any same any same along 1: any any}}
  %rows = nn.reshape %twelve : tensor<2x2x3x4xf32> -> tensor<12x4xf32>
  // expected-remark@+1 {{steps along 0: any any}}
  %scale = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // expected-remark@+2 {{#0 steps along 0: any along 1: any along 2: any any}}
  // expected-remark@+1 {{#1 steps along 0: any along 1: any}}
  %n, %r = nn.rms_norm %wide scale %scale eps 1.0e-5 : tensor<2x3x4xf32>, tensor<4xf32> -> tensor<2x3xf32>
  return
}
