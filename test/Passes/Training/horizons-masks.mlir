// Dependence bounds of ops that sum or compare elements, some of which masks
// hide.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --test-horizons

// Zeros hide the elements that they multiply: in a contraction, and in a sum.
func.func @zeros(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                 %table: tensor<9x2xf32>, %param: tensor<4x4xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  %causal = nn.constant dense<[[1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 0.0, 0.0], [-1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %a = nn.contract "qk,bkc->bqc" %causal, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // The transpose: row k of the mask says which positions see position k.
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %b = nn.contract "kq,bkc->bqc" %causal, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %c = nn.contract "bkc,qk->bcq" %x, %causal : tensor<1x4x2xf32>, tensor<4x4xf32> -> tensor<1x2x4xf32>
  // A window, a row without visible elements, and separate ranges.
  %some = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]]> : tensor<4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: -1 1 2 2}}
  %d = nn.contract "qk,bkc->bqc" %some, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // Unknown elements hide nothing.
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %e = nn.contract "qk,bkc->bqc" %param, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // Two masks: an element is hidden if either hides it.
  %both = nn.mul %causal, %some : tensor<4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: -1 1 2 2}}
  %f = nn.contract "qk,bkc->bqc" %both, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 1, 4, 1]: 0 1 2 3}}
  %wide = nn.broadcast %x [0, 2, 3] : tensor<1x4x2xf32> -> tensor<1x4x4x2xf32>
  %times = nn.broadcast %causal [1, 2] : tensor<4x4xf32> -> tensor<1x4x4x2xf32>
  // expected-remark@+1 {{sees [1, 1, 4, 1]: 0 1 2 3}}
  %kept = nn.mul %wide, %times : tensor<1x4x4x2xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %g = nn.reduce %kept [2] : tensor<1x4x4x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %h = nn.reduce %kept [1] : tensor<1x4x4x2xf32> -> tensor<1x4x2xf32>
  // A reduction over queries and keys has no single mask.
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %i = nn.reduce %kept [1, 2] : tensor<1x4x4x2xf32> -> tensor<1x2xf32>
  // Numbers near zero are not zero.
  %small = nn.constant dense<[[1.0, 1.0e-30, 0.0, 0.0], [1.0, 1.0, -0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 1 2 3}}
  %j = nn.contract "qk,bkc->bqc" %small, %x : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // If bounds fall along the keys, the last visible key does not have the
  // highest.
  %turn = nn.constant dense<[[3, 2, 1, 0]]> : tensor<1x4xi64>
  // expected-remark@+1 {{sees [4, 1]: 0 1 2 3}}
  %rows = nn.reshape %x : tensor<1x4x2xf32> -> tensor<4x2xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 3 2 1 0}}
  %back = nn.embedding %turn, %rows : tensor<1x4xi64>, tensor<4x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: -1 2 2 3}}
  %k = nn.contract "qk,bkc->bqc" %some, %back : tensor<4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // A mask that differs by sample, and keys with equal bounds.
  %two = nn.constant dense<[[[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]]]> : tensor<2x2x2xf32>
  // expected-remark@+1 {{sees [1, 2, 1]: 1 2}}
  %pair = nn.slice %x at [0, 1, 0] step [1, 1, 1] : tensor<1x4x2xf32> -> tensor<1x2x2xf32>
  // expected-remark@+1 {{sees [1, 2, 1]: 1 2}}
  %wider = nn.concat %pair, %pair along 0 : tensor<1x2x2xf32>, tensor<1x2x2xf32> -> tensor<2x2x2xf32>
  // expected-remark@+1 {{sees [2, 2, 1]: 1 -1 2 2}}
  %l = nn.contract "bqk,bkc->bqc" %two, %wider : tensor<2x2x2xf32>, tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  // expected-remark@+1 {{sees [2, 2, 1]: 1 2 -1 2}}
  %m = nn.contract "bqk,bkc->qbc" %two, %wider : tensor<2x2x2xf32>, tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  // Other reduced loops hide nothing by themselves.
  // expected-remark@+1 {{sees [1, 1]: 2}}
  %n = nn.contract "bqk,bkc->qc" %two, %wider : tensor<2x2x2xf32>, tensor<2x2x2xf32> -> tensor<2x2xf32>
  return
}

// -----

// Very negative numbers added to scores hide them from a softmax, and its zeros
// hide the values.
func.func @scores(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                  %table: tensor<9x2xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %s = nn.contract "bqc,bkc->bqk" %x, %x : tensor<1x4x2xf32>, tensor<1x4x2xf32> -> tensor<1x4x4xf32>
  %low = nn.constant dense<[[[0.0, -9999.0, -9999.0, -9999.0], [0.0, 0.0, -1.0e4, -1.0e9], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]]> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %m = nn.sum %s, %low : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %p = nn.softmax %m : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %y = nn.contract "bqk,bkc->bqc" %p, %x : tensor<1x4x4xf32>, tensor<1x4x2xf32> -> tensor<1x4x2xf32>
  // Numbers that are not negative enough hide nothing.
  %near = nn.constant dense<[[[0.0, -9998.0, -1.0e4, -1.0e4], [0.0, 0.0, -1.0e4, -1.0e4], [0.0, 0.0, 0.0, -1.0e4], [0.0, 0.0, 0.0, 0.0]]]> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %m2 = nn.sum %s, %near : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 1 2 3}}
  %p2 = nn.softmax %m2 : tensor<1x4x4xf32>
  // In a row without any key, keys that a finite number masks are visible;
  // otherwise keys that no infinite number masks; if there are none, none is.
  %none = nn.constant dense<[[[-1.0e9, -1.0e9, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [-1.0e9, -1.0e9, -1.0e9, 0xFF800000], [0.0, -1.0e9, -1.0e9, 0xFF800000]]]> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %m3 = nn.sum %s, %none : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 1 -1 2 3}}
  %p3 = nn.softmax %m3 : tensor<1x4x4xf32>
  %where = nn.compare lt %low, %near : tensor<1x4x4xf32> -> tensor<1x4x4xi1>
  %inf = nn.constant dense<0xFF800000> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %m4 = nn.where %where, %inf, %s : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 3 2 2 3}}
  %p4 = nn.softmax %m4 : tensor<1x4x4xf32>
  // Plus infinity hides nothing.
  %high = nn.constant dense<0x7F800000> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %m5 = nn.where %where, %high, %s : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %p5 = nn.softmax %m5 : tensor<1x4x4xf32>
  // Scores that depend on no tokens, before the others.
  %sink = nn.constant dense<0.0> : tensor<1x4x1xf32>
  // expected-remark@+1 {{sees [1, 4, 5]: -1 0 1 2 3 -1 1 1 2 3 -1 2 2 2 3 -1 3 3 3 3}}
  %m6 = nn.concat %sink, %m along 2 : tensor<1x4x1xf32>, tensor<1x4x4xf32> -> tensor<1x4x5xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %p6 = nn.softmax %m6 : tensor<1x4x5xf32>
  // expected-remark@+1 {{sees [1, 4, 5]: 0 1 2 3 -1 1 1 2 3 -1 2 2 2 3 -1 3 3 3 3 -1}}
  %m7 = nn.concat %m, %sink along 2 : tensor<1x4x4xf32>, tensor<1x4x1xf32> -> tensor<1x4x5xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %p7 = nn.softmax %m7 : tensor<1x4x5xf32>
  %lost = nn.constant dense<-1.0e9> : tensor<1x4x1xf32>
  // expected-remark@+1 {{sees [1, 4, 3]: 0 1 2 1 1 2 2 2 2 3 3 3}}
  %head = nn.slice %s at [0, 0, 0] step [1, 1, 1] : tensor<1x4x4xf32> -> tensor<1x4x3xf32>
  // expected-remark@+1 {{sees [1, 4, 4]: 0 1 2 -1 1 1 2 -1 2 2 2 -1 3 3 3 -1}}
  %m8 = nn.concat %head, %lost along 2 : tensor<1x4x3xf32>, tensor<1x4x1xf32> -> tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1]: 2 2 2 3}}
  %p8 = nn.softmax %m8 : tensor<1x4x4xf32>
  return
}

// -----

// A maximum does not depend on the least possible value, nor on very negative
// numbers among others.
func.func @maximum(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                   %table: tensor<9x2xf32>, %param: tensor<1x4x4xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %one = nn.select %x dim 2 index 0 : tensor<1x4x2xf32> -> tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %wide = nn.broadcast %one [0, 2] : tensor<1x4xf32> -> tensor<1x4x4xf32>
  %keep = nn.constant dense<[[[true, false, false, false], [true, true, false, false], [false, true, true, false], [false, false, false, false]]]> : tensor<1x4x4xi1>
  %low = nn.constant dense<-1.0e9> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %kept = nn.where %keep, %wide, %low : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %a = nn.reduce_max %kept [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %b = nn.reduce_max %kept [1] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // Zeros are no mask of a maximum.
  %zero = nn.constant dense<0.0> : tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %cut = nn.where %keep, %wide, %zero : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %c = nn.reduce_max %cut [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // They are if no element can be less: a selection between constants.
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %is = nn.compare lt %one, %one : tensor<1x4xf32> -> tensor<1x4xi1>
  %ones = nn.constant dense<1.0> : tensor<1x4xf32>
  %zeros = nn.constant dense<0.0> : tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %flag = nn.where %is, %ones, %zeros : tensor<1x4xi1>, tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %flags = nn.broadcast %flag [0, 2] : tensor<1x4xf32> -> tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %some = nn.where %keep, %flags, %zero : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 -1}}
  %d = nn.reduce_max %some [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // One of the constants is less.
  %minus = nn.constant dense<-1.0> : tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %sign = nn.where %is, %ones, %minus : tensor<1x4xi1>, tensor<1x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %signs = nn.broadcast %sign [0, 2] : tensor<1x4xf32> -> tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %other = nn.where %keep, %signs, %zero : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %e = nn.reduce_max %other [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // One of the numbers is not known.
  %may = nn.where %keep, %param, %zero : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %mixed = nn.where %keep, %wide, %may : tensor<1x4x4xi1>, tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %f = nn.reduce_max %mixed [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  // A minimum sees all.
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %g = nn.reduce_min %kept [2] : tensor<1x4x4xf32> -> tensor<1x4xf32>
  return
}

// -----

// Attention: causal attention bounds by positions, and a bias masks keys.
func.func @attention(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                     %pos: tensor<4xi64> {nn.role = #nn.role<positions>},
                     %any: tensor<4xi64> {nn.role = #nn.role<data>},
                     %table: tensor<9x4xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x4xf32> -> tensor<1x4x4xf32>
  // expected-remark@+1 {{sees [1, 4, 1, 1]: 0 1 2 3}}
  %h = nn.reshape %x : tensor<1x4x4xf32> -> tensor<1x4x2x2xf32>
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 0 1 2 3}}
  %a, %la = nn.attention causal %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // The same again, with equal bounds.
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 1, 1]: 3}}
  %a2, %la2 = nn.attention causal %a, %a, %a positions %pos, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // expected-remark@+2 {{#0 sees [1, 1, 1, 1]: 3}}
  // expected-remark@+1 {{#1 sees [1, 1, 1]: 3}}
  %b, %lb = nn.attention %h, %h, %h positions %pos, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // Unknown positions give no bound.
  // expected-remark@+2 {{#0 sees [1, 1, 1, 1]: 3}}
  // expected-remark@+1 {{#1 sees [1, 1, 1]: 3}}
  %c, %lc = nn.attention causal %h, %h, %h positions %pos, %any scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // expected-remark@+2 {{#0 sees [1, 1, 1, 1]: 3}}
  // expected-remark@+1 {{#1 sees [1, 1, 1]: 3}}
  %c2, %lc2 = nn.attention causal %h, %h, %h positions %any, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // Keys in another order, two at one position; queries at later positions.
  %kpos = nn.constant dense<[2, 3, 1, 1]> : tensor<4xi64>
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 3 3 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 0 3 3 3}}
  %d, %ld = nn.attention causal %h, %h, %h positions %pos, %kpos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  %one = nn.constant dense<1> : tensor<4xi64>
  %later = nn.sum %pos, %one : tensor<4xi64>
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 1 2 3 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 1 2 3 3}}
  %e, %le = nn.attention causal %h, %h, %h positions %later, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // Two keys of different parts, concatenated.
  // expected-remark@+1 {{sees [1, 2, 1, 1]: 2 3}}
  %front = nn.slice %h at [0, 2, 0, 0] step [1, 1, 1, 1] : tensor<1x4x2x2xf32> -> tensor<1x2x2x2xf32>
  // expected-remark@+1 {{sees [1, 6, 1, 1]: 2 3 0 1 2 3}}
  %keys = nn.concat %front, %h along 1 : tensor<1x2x2x2xf32>, tensor<1x4x2x2xf32> -> tensor<1x6x2x2xf32>
  %two = nn.slice %pos at [2] step [1] : tensor<4xi64> -> tensor<2xi64>
  %kpos6 = nn.concat %two, %pos along 0 : tensor<2xi64>, tensor<4xi64> -> tensor<6xi64>
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 0 1 2 3}}
  %f, %lf = nn.attention causal %h, %keys, %keys positions %pos, %kpos6 scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x6x2x2xf32>, tensor<1x6x2x2xf32>, tensor<4xi64>, tensor<6xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // A bias masks more keys; each head has a different one.
  %bias = nn.constant dense<[[[[0.0, 0.0, 0.0, 0.0], [0.0, -1.0e9, 0.0, 0.0], [0.0, 0.0, -1.0e9, 0.0], [0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9]]]]> : tensor<1x2x4x4xf32>
  // expected-remark@+3 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+2 {{#1 sees [1, 4, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#2 sees [1, 4, 1]: 0 1 2 3}}
  %g, %lg, %lg_max = nn.attention causal %h, %h, %h positions %pos, %pos bias %bias scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  // expected-remark@+3 {{#0 sees [1, 1, 1, 1]: 3}}
  // expected-remark@+2 {{#1 sees [1, 1, 1]: 3}}
  // expected-remark@+1 {{#2 sees [1, 1, 1]: 3}}
  %i, %li, %li_max = nn.attention %h, %h, %h positions %pos, %pos bias %bias scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  // Here groups and their query heads are one dim: an element that one head
  // sees is visible.
  %open = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0], [0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9]]]]> : tensor<1x2x4x4xf32>
  // expected-remark@+3 {{#0 sees [1, 4, 1, 1]: 2 3 2 3}}
  // expected-remark@+2 {{#1 sees [1, 4, 1]: 2 3 2 3}}
  // expected-remark@+1 {{#2 sees [1, 4, 1]: 2 3 2 3}}
  %p, %lp, %lp_max = nn.attention %h, %h, %h positions %pos, %pos bias %open scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  %none = nn.constant dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0]], [[-1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, -1.0e9, -1.0e9, -1.0e9]]]]> : tensor<1x2x4x4xf32>
  // expected-remark@+3 {{#0 sees [1, 4, 1, 1]: 3 1 2 3}}
  // expected-remark@+2 {{#1 sees [1, 4, 1]: 3 1 2 3}}
  // expected-remark@+1 {{#2 sees [1, 4, 1]: 3 1 2 3}}
  %r, %lr, %lr_max = nn.attention %h, %h, %h positions %pos, %pos bias %none scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x2x4x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  // One bias for all heads and queries.
  %pad = nn.constant dense<[[[[0.0, 0.0, 0.0, -1.0e9]]]]> : tensor<1x1x1x4xf32>
  // expected-remark@+3 {{#0 sees [1, 4, 1, 1]: 2 2 2 3}}
  // expected-remark@+2 {{#1 sees [1, 4, 1]: 2 2 2 3}}
  // expected-remark@+1 {{#2 sees [1, 4, 1]: 2 2 2 3}}
  %j, %lj, %lj_max = nn.attention %h, %h, %h positions %pos, %pos bias %pad scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x1x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  // A bias that is concatenated from constants.
  %n0 = nn.constant dense<-1.0e9> : tensor<1x1x1x1xf32>
  %n1 = nn.constant dense<0.0> : tensor<1x1x1x2xf32>
  %parts = nn.concat %n1, %n0, %n0 along 3 : tensor<1x1x1x2xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x4xf32>
  // expected-remark@+3 {{#0 sees [1, 4, 1, 1]: 1 1 2 3}}
  // expected-remark@+2 {{#1 sees [1, 4, 1]: 1 1 2 3}}
  // expected-remark@+1 {{#2 sees [1, 4, 1]: 1 1 2 3}}
  %k, %lk, %lk_max = nn.attention %h, %h, %h positions %pos, %pos bias %parts scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>, tensor<1x1x1x4xf32>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>, tensor<1x4x2xf32>)
  // Only queries depend on tokens.
  %free = nn.constant dense<1.0> : tensor<1x4x2x2xf32>
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 0 1 2 3}}
  %l, %ll = nn.attention %h, %free, %free positions %pos, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // expected-remark@+2 {{#0 sees [1, 4, 1, 1]: 0 1 2 3}}
  // expected-remark@+1 {{#1 sees [1, 4, 1]: 0 1 2 3}}
  %m, %lm = nn.attention causal %free, %free, %h positions %pos, %pos scale 0.5
      : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1x4x2x2xf32>, tensor<1x4x2xf32>)
  // Attention over positions; and over heads instead, which sees all positions.
  // expected-remark@+1 {{sees [1, 2, 1, 1]: 0 1}}
  %t = nn.slice %h at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<1x4x2x2xf32> -> tensor<1x2x2x2xf32>
  %tpos = nn.slice %pos at [0] step [1] : tensor<4xi64> -> tensor<2xi64>
  // expected-remark@+2 {{#0 sees [1, 2, 1, 1]: 0 1}}
  // expected-remark@+1 {{#1 sees [1, 2, 1]: 0 1}}
  %n, %ln = nn.attention causal %t, %t, %t positions %tpos, %tpos scale 0.5
      : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  // expected-remark@+1 {{sees [1, 1, 2, 1]: 0 1}}
  %turned = nn.transpose %t [0, 2, 1, 3] : tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  // expected-remark@+2 {{#0 sees [1, 1, 1, 1]: 1}}
  // expected-remark@+1 {{#1 sees [1, 1, 1]: 1}}
  %o, %lo = nn.attention causal %turned, %turned, %turned positions %tpos, %tpos scale 0.5
      : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<2xi64>, tensor<2xi64>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2xf32>)
  return
}

// -----

// A look-up in a table that depends on tokens: with known ids each row has its
// bound, with unknown ids any row may be read.
func.func @lookups(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                   %any: tensor<2xi64> {nn.role = #nn.role<data>},
                   %table: tensor<9x2xf32>, %zero: tensor<i64>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [4, 1]: 0 1 2 3}}
  %rows = nn.reshape %x : tensor<1x4x2xf32> -> tensor<4x2xf32>
  %some = nn.constant dense<[[2, 0, 3], [-1, 1, 4]]> : tensor<2x3xi64>
  // expected-remark@+1 {{sees [2, 3, 1]: 2 0 3 -1 1 -1}}
  %a = nn.embedding %some, %rows : tensor<2x3xi64>, tensor<4x2xf32> -> tensor<2x3x2xf32>
  %flat = nn.reshape %some : tensor<2x3xi64> -> tensor<6xi64>
  // expected-remark@+1 {{sees [6, 1]: 2 0 3 -1 1 -1}}
  %b = nn.embedding %flat, %rows : tensor<6xi64>, tensor<4x2xf32> -> tensor<6x2xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %c = nn.embedding %any, %rows : tensor<2xi64>, tensor<4x2xf32> -> tensor<2x2xf32>
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %d = nn.embedding %some, %rows offset %zero : tensor<i64> : tensor<2x3xi64>, tensor<4x2xf32> -> tensor<2x3x2xf32>
  // Columns that depend on tokens, in equal rows.
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %columns = nn.transpose %rows [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{sees [1, 4]: 0 1 2 3}}
  %e = nn.embedding %any, %columns : tensor<2xi64>, tensor<2x4xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{sees [1, 1, 4]: 0 1 2 3}}
  %f = nn.embedding %some, %columns : tensor<2x3xi64>, tensor<2x4xf32> -> tensor<2x3x4xf32>
  // Both rows and columns depend on tokens.
  // expected-remark@+1 {{sees [4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %square = nn.contract "qc,kc->qk" %rows, %rows : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  // expected-remark@+1 {{sees [6, 4]: 2 2 2 3 0 1 2 3 3 3 3 3 -1 -1 -1 -1 1 1 2 3 -1 -1 -1 -1}}
  %g = nn.embedding %flat, %square : tensor<6xi64>, tensor<4x4xf32> -> tensor<6x4xf32>
  // Tokens are the ids.
  // expected-remark@+1 {{sees [1, 1, 1]: 3}}
  %h = nn.embedding %ids, %rows : tensor<1x4xi64>, tensor<4x2xf32> -> tensor<1x4x2xf32>
  // One row for all.
  %one = nn.constant dense<1> : tensor<i64>
  // expected-remark@+1 {{sees [1]: 3}}
  %i = nn.embedding %one, %rows : tensor<i64>, tensor<4x2xf32> -> tensor<2xf32>
  %same = nn.constant dense<2> : tensor<3xi64>
  // expected-remark@+1 {{sees [1, 1]: 2}}
  %j = nn.embedding %same, %rows : tensor<3xi64>, tensor<4x2xf32> -> tensor<3x2xf32>
  return
}

// -----

// Scatter-adds of rows by known ids.
func.func @scatters(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                    %any: tensor<4xi64> {nn.role = #nn.role<data>},
                    %table: tensor<9x2xf32>, %zero: tensor<i64>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [4, 1]: 0 1 2 3}}
  %rows = nn.reshape %x : tensor<1x4x2xf32> -> tensor<4x2xf32>
  // 0 and 2 into row 1, 1 into row 3, 3 nowhere.
  %some = nn.constant dense<[1, 3, 1, -1]> : tensor<4xi64>
  // expected-remark@+1 {{sees [5, 1]: -1 2 -1 1 -1}}
  %a = nn.embedding_grad %rows, %some : tensor<4x2xf32>, tensor<4xi64> -> tensor<5x2xf32>
  %beyond = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  // expected-remark@+1 {{sees [3, 1]: 0 1 2}}
  %b = nn.embedding_grad %rows, %beyond : tensor<4x2xf32>, tensor<4xi64> -> tensor<3x2xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %c = nn.embedding_grad %rows, %any : tensor<4x2xf32>, tensor<4xi64> -> tensor<5x2xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %d = nn.embedding_grad %rows, %some offset %zero : tensor<i64> : tensor<4x2xf32>, tensor<4xi64> -> tensor<5x2xf32>
  // Ids with two dims, rows with two dims.
  // expected-remark@+1 {{sees [4, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %square = nn.contract "qc,kc->qk" %rows, %rows : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x4xf32>
  // expected-remark@+1 {{sees [2, 2, 4]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %pairs = nn.reshape %square : tensor<4x4xf32> -> tensor<2x2x4xf32>
  %grid = nn.constant dense<[[2, 0], [1, 2]]> : tensor<2x2xi64>
  // expected-remark@+1 {{sees [4, 4]: 1 1 2 3 2 2 2 3 3 3 3 3 -1 -1 -1 -1}}
  %e = nn.embedding_grad %pairs, %grid : tensor<2x2x4xf32>, tensor<2x2xi64> -> tensor<4x4xf32>
  // expected-remark@+1 {{sees [4, 2, 2]: 0 1 2 3 1 1 2 3 2 2 2 3 3 3 3 3}}
  %boxes = nn.reshape %square : tensor<4x4xf32> -> tensor<4x2x2xf32>
  // expected-remark@+1 {{sees [4, 2, 2]: -1 -1 -1 -1 2 2 2 3 -1 -1 -1 -1 1 1 2 3}}
  %f = nn.embedding_grad %boxes, %some : tensor<4x2x2xf32>, tensor<4xi64> -> tensor<4x2x2xf32>
  // Tokens are the ids: any row may be the last token's.
  // expected-remark@+1 {{sees [4]: 0 1 2 3}}
  %last = nn.reshape %ids : tensor<1x4xi64> -> tensor<4xi64>
  %ones = nn.constant dense<1.0> : tensor<4x2xf32>
  // expected-remark@+1 {{sees [1, 1]: 3}}
  %g = nn.embedding_grad %ones, %last : tensor<4x2xf32>, tensor<4xi64> -> tensor<5x2xf32>
  // expected-remark@+1 {{sees [2]: 0 1}}
  %first = nn.slice %last at [0] step [1] : tensor<4xi64> -> tensor<2xi64>
  // expected-remark@+1 {{sees [2, 1]: 1 2}}
  %two = nn.slice %rows at [1, 0] step [1, 1] : tensor<4x2xf32> -> tensor<2x2xf32>
  // expected-remark@+1 {{sees [1, 1]: 2}}
  %h = nn.embedding_grad %two, %first : tensor<2x2xf32>, tensor<2xi64> -> tensor<5x2xf32>
  return
}

// -----

// An op without a sharding rule depends on all operands.
func.func @other(%ids: tensor<1x4xi64> {nn.role = #nn.role<tokens>},
                 %table: tensor<9x2xf32>) {
  // expected-remark@+1 {{sees [1, 4, 1]: 0 1 2 3}}
  %x = nn.embedding %ids, %table : tensor<1x4xi64>, tensor<9x2xf32> -> tensor<1x4x2xf32>
  // expected-remark@+1 {{sees [1, 3, 1]: 0 1 2}}
  %two = nn.slice %x at [0, 0, 0] step [1, 1, 1] : tensor<1x4x2xf32> -> tensor<1x3x2xf32>
  // expected-remark@+1 {{sees []: 2}}
  %y = nn.sum_of_squares %two : tensor<1x3x2xf32> -> tensor<f32>
  return
}
