// The dependence bound of each element of a value: the last token position it
// may depend on. A table has extent 1 along dims where the bound does not vary;
// values that depend on no token have no remark.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --test-horizons

// Ops that move elements.
func.func @moves(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                 %table: tensor<9x6xf32>, %c: tensor<2x1x6xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<2x4xi64>, tensor<9x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %t = nn.transpose %x [2, 1, 0] : tensor<2x4x6xf32> -> tensor<6x4x2xf32>
  // expected-remark@+1 {{sees [1, 1, 4, 1]: 0 1 2 3}}
  %wide = nn.broadcast %x [0, 2, 3] : tensor<2x4x6xf32> -> tensor<2x5x4x6xf32>
  // Every other position from the second on.
  // expected-remark@+1 {{sees [1, 2, 1]: 1 3}}
  %odd = nn.slice %x at [0, 1, 0] step [1, 2, 1] : tensor<2x4x6xf32> -> tensor<2x2x6xf32>
  // A slice of another dim: bounds do not change.
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %half = nn.slice %x at [0, 0, 3] step [1, 1, 1] : tensor<2x4x6xf32> -> tensor<2x4x3xf32>
  // Zeros, which depend on nothing, before each and after the last.
  // expected-remark@+1 {{sees [1, 5, 1]: -1 1 -1 3 -1}}
  %pad = nn.pad %odd at [0, 1, 0] step [1, 2, 1] : tensor<2x2x6xf32> -> tensor<2x5x6xf32>
  // Zeros between positions.
  // expected-remark@+1 {{sees [1, 4, 7]: -1 0 -1 0 -1 0 -1 -1 1 -1 1 -1 1 -1 -1 2 -1 2 -1 2 -1 -1 3 -1 3 -1 3 -1}}
  %side = nn.pad %half at [0, 0, 1] step [1, 1, 2] : tensor<2x4x3xf32> -> tensor<2x4x7xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %last = nn.select %x dim 1 index 3 : tensor<2x4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [4, 1]: 0 1 2 3}}
  %row = nn.select %t dim 0 index 2 : tensor<6x4x2xf32> -> tensor<4x2xf32>
  // expected-remark@+1 {{sees [1, 3, 1]: -1 3 -1}}
  %at = nn.insert %last dim 1 index 1 : tensor<2x6xf32> -> tensor<2x3x6xf32>
  // expected-remark@+1 {{sees [2, 1, 4, 1]: -1 -1 -1 -1 0 1 2 3}}
  %new = nn.insert %x dim 0 index 1 : tensor<2x4x6xf32> -> tensor<2x2x4x6xf32>
  // Concatenation along positions, and along another dim.
  // expected-remark@+1 {{sees [1, 7, 1]: 1 3 -1 0 1 2 3}}
  %joined = nn.concat %odd, %c, %x along 1 : tensor<2x2x6xf32>, tensor<2x1x6xf32>, tensor<2x4x6xf32> -> tensor<2x7x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %beside = nn.concat %x, %half along 2 : tensor<2x4x6xf32>, tensor<2x4x3xf32> -> tensor<2x4x9xf32>
  // expected-remark@+1 {{sees [1, 6, 1]: 1 3 0 1 2 3}}
  %pair = nn.concat %odd, %x along 1 : tensor<2x2x6xf32>, tensor<2x4x6xf32> -> tensor<2x6x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %all = nn.reshape %last : tensor<2x6xf32> -> tensor<2x1x6xf32>
  // If parts have equal bounds, nothing varies; nor along a dim where the other
  // parts depend on nothing.
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %both = nn.concat %all, %all along 1 : tensor<2x1x6xf32>, tensor<2x1x6xf32> -> tensor<2x2x6xf32>
  // expected-remark@+1 {{sees [1, 1, 12]: -1 -1 -1 -1 -1 -1 3 3 3 3 3 3}}
  %one = nn.concat %c, %all along 2 : tensor<2x1x6xf32>, tensor<2x1x6xf32> -> tensor<2x1x12xf32>
  return
}

// -----

// Dims that are merged or split: the table has an extent where the bound
// varies.
func.func @reshapes(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                    %table: tensor<9x6xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<2x4xi64>, tensor<9x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [8, 1]: 0 1 2 3 0 1 2 3}}
  %rows = nn.reshape %x : tensor<2x4x6xf32> -> tensor<8x6xf32>
  // expected-remark@+1 {{sees [2, 4, 1]: 0 1 2 3 0 1 2 3}}
  %back = nn.reshape %rows : tensor<8x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1, 1]: 0 1 2 3}}
  %heads = nn.reshape %x : tensor<2x4x6xf32> -> tensor<2x4x2x3xf32>
  // expected-remark@+1 {{sees [1, 2, 2, 1]: 0 1 2 3}}
  %split = nn.reshape %x : tensor<2x4x6xf32> -> tensor<2x2x2x6xf32>
  // expected-remark@+1 {{sees [1, 24]: 0 0 0 0 0 0 1 1 1 1 1 1 2 2 2 2 2 2 3 3 3 3 3 3}}
  %flat = nn.reshape %x : tensor<2x4x6xf32> -> tensor<2x24xf32>
  // expected-remark@+1 {{sees [1, 1, 4, 1, 1, 1]: 0 1 2 3}}
  %ones = nn.reshape %x : tensor<2x4x6xf32> -> tensor<1x2x4x1x6x1xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %less = nn.reshape %ones : tensor<1x2x4x1x6x1xf32> -> tensor<2x4x6xf32>
  // Several dims become several other dims.
  // expected-remark@+1 {{sees [4, 2, 1]: 0 1 2 3 0 1 2 3}}
  %cross = nn.reshape %x : tensor<2x4x6xf32> -> tensor<4x2x6xf32>
  // expected-remark@+1 {{sees [4, 1, 1]: 0 1 2 3}}
  %t = nn.transpose %x [1, 0, 2] : tensor<2x4x6xf32> -> tensor<4x2x6xf32>
  // expected-remark@+1 {{sees [8, 1]: 0 0 1 1 2 2 3 3}}
  %turned = nn.reshape %t : tensor<4x2x6xf32> -> tensor<8x6xf32>
  // expected-remark@+1 {{sees [2, 2, 1, 1]: 0 1 2 3}}
  %three = nn.reshape %t : tensor<4x2x6xf32> -> tensor<2x2x2x6xf32>
  // expected-remark@+1 {{sees [1, 3, 1]: 1 2 3}}
  %s = nn.slice %x at [0, 1, 0] step [1, 1, 1] : tensor<2x4x6xf32> -> tensor<2x3x6xf32>
  // expected-remark@+1 {{sees [6, 1]: 1 2 3 1 2 3}}
  %six = nn.reshape %s : tensor<2x3x6xf32> -> tensor<6x6xf32>
  // expected-remark@+1 {{sees [3, 2, 1]: 1 2 3 1 2 3}}
  %thirds = nn.reshape %six : tensor<6x6xf32> -> tensor<3x2x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 2}}
  %none = nn.slice %x at [0, 2, 0] step [1, 1, 1] : tensor<2x4x6xf32> -> tensor<2x1x6xf32>
  // expected-remark@+1 {{sees [1]: 2}}
  %lost = nn.reshape %none : tensor<2x1x6xf32> -> tensor<12xf32>
  return
}

// -----

// Elementwise ops, and ops along other dims: the maximum of the operands'
// bounds.
func.func @elementwise(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                       %table: tensor<9x6xf32>, %w: tensor<6xf32>,
                       %m: tensor<6x3xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<2x4xi64>, tensor<9x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 3, 1]: 0 1 2}}
  %first = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<2x4x6xf32> -> tensor<2x3x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: -1 0 1 2}}
  %later = nn.pad %first at [0, 1, 0] step [1, 1, 1] : tensor<2x3x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 3, 1]: 1 2 3}}
  %last = nn.slice %x at [0, 1, 0] step [1, 1, 1] : tensor<2x4x6xf32> -> tensor<2x3x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 2 3 -1}}
  %sooner = nn.pad %last at [0, 0, 0] step [1, 1, 1] : tensor<2x3x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %a = nn.mul %x, %later : tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 2 3 3}}
  %b = nn.mul %x, %sooner : tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 2 3 3}}
  %c = nn.sum %later, %x, %sooner : tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 1]: 2}}
  %two = nn.select %x dim 1 index 2 : tensor<2x4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 2}}
  %each = nn.broadcast %two [0, 2] : tensor<2x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 2 2 2 3}}
  %d = nn.sub %x, %each : tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 2}}
  %e = nn.sub %each, %later : tensor<2x4x6xf32>
  // The operand with the lowest bound does not change the maximum.
  // expected-remark@+1 {{sees [1, 1]: 1}}
  %one = nn.select %x dim 1 index 1 : tensor<2x4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 1}}
  %low = nn.broadcast %one [0, 2] : tensor<2x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 2}}
  %up = nn.sum %each, %low : tensor<2x4x6xf32>
  // expected-remark@+2 {{#0 sees [1, 4, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 4]: 0 1 2 3}}
  %n, %r = nn.rms_norm %x scale %w eps 1.0e-5 : tensor<2x4x6xf32>, tensor<6xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %y = nn.contract "bsc,cv->bsv" %n, %m : tensor<2x4x6xf32>, tensor<6x3xf32> -> tensor<2x4x3xf32>
  // Rows and columns have bounds: a table of both.
  // expected-remark@+1 {{sees [1, 4, 1, 1]: 0 1 2 3}}
  %rows = nn.broadcast %x [0, 1, 3] : tensor<2x4x6xf32> -> tensor<2x4x4x6xf32>
  // expected-remark@+1 {{sees [1, 1, 4, 1]: 0 1 2 3}}
  %columns = nn.broadcast %x [0, 2, 3] : tensor<2x4x6xf32> -> tensor<2x4x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 4, 1]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %square = nn.mul %rows, %columns : tensor<2x4x4x6xf32>
  // expected-remark@+1 {{sees [1, 4, 4, 1]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %turned = nn.transpose %square [0, 2, 1, 3] : tensor<2x4x4x6xf32> -> tensor<2x4x4x6xf32>
  // expected-remark@+1 {{sees [1, 1, 2, 1]: 2 3}}
  %parts = nn.slice %square at [0, 1, 2, 0] step [1, 1, 1, 1] : tensor<2x4x4x6xf32> -> tensor<2x2x2x6xf32>
  return
}

// -----

// Ops that sum, compare or mix positions depend on all of them.
func.func @joins(%ids: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                 %table: tensor<9x6xf32>, %w: tensor<4xf32>,
                 %m: tensor<4x3xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<2x4xi64>, tensor<9x6xf32> -> tensor<2x4x6xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %sum = nn.reduce %x [1] : tensor<2x4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [4]: 0 1 2 3}}
  %other = nn.reduce %x [0, 2] : tensor<2x4x6xf32> -> tensor<4xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %max = nn.reduce_max %x [1] : tensor<2x4x6xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %max2 = nn.reduce_max %x [2] : tensor<2x4x6xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %t = nn.transpose %x [0, 2, 1] : tensor<2x4x6xf32> -> tensor<2x6x4xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %p = nn.softmax %t : tensor<2x6x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %q = nn.softmax %x : tensor<2x4x6xf32>
  // expected-remark@+2 {{#0 sees [1, 1, 1]: 3}}
  // expected-remark@+1 {{#1 sees [1, 1]: 3}}
  %n, %r = nn.rms_norm %t scale %w eps 1.0e-5 : tensor<2x6x4xf32>, tensor<4xf32> -> tensor<2x6xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %y = nn.contract "bsc,st->btc" %x, %m : tensor<2x4x6xf32>, tensor<4x3xf32> -> tensor<2x3x6xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %s = nn.contract "bqc,bkc->bqk" %x, %x : tensor<2x4x6xf32>, tensor<2x4x6xf32> -> tensor<2x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %v = nn.contract "bqk,bkc->bqc" %s, %x : tensor<2x4x4xf32>, tensor<2x4x6xf32> -> tensor<2x4x6xf32>
  return
}

// -----

// Beyond 4096 queries by 4096 keys a table would be too large: all bounds are
// the last position.
func.func @large(%ids: tensor<1x4097xi64> {nn.role = #nn.role<tokens>},
                 %table: tensor<9x2xf32>) {
  // expected-remark@+1 {{sees [1, 4097, 1]: 0 1 2 3 4}}
  %x = nn.embedding %ids, %table : tensor<1x4097xi64>, tensor<9x2xf32> -> tensor<1x4097x2xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 4096}}
  %s = nn.contract "bqc,bkc->bqk" %x, %x : tensor<1x4097x2xf32>, tensor<1x4097x2xf32> -> tensor<1x4097x4097xf32>
  return
}
