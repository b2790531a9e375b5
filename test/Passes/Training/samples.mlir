// How each value depends on samples: separate ("apart": index i of a dim is of
// sample i / inner); summed ("added"); or mixed, with the op's effect and
// whether it certainly mixes. Values that are the same for all samples have no
// remark.
// RUN: pcc-opt %s --split-input-file --verify-diagnostics --test-samples

// Ops that keep samples separate, along any dim.
func.func @apart(%x: tensor<3x4x6xf32> {nn.role = #nn.role<data>},
                 %ids: tensor<3x4xi64> {nn.role = #nn.role<data>},
                 %table: tensor<9x6xf32>, %m: tensor<6x5xf32>,
                 %w: tensor<6xf32>) {
  // expected-remark@+1 {{apart along 1 by 1}}
  %t = nn.transpose %x [2, 0, 1] : tensor<3x4x6xf32> -> tensor<6x3x4xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %e = nn.exp %t : tensor<6x3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %l = nn.embedding %ids, %table : tensor<3x4xi64>, tensor<9x6xf32> -> tensor<3x4x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %s = nn.mul %x, %l : tensor<3x4x6xf32>
  // expected-remark@+1 {{apart along 2 by 1}}
  %y = nn.contract "bsc,cv->svb" %s, %m : tensor<3x4x6xf32>, tensor<6x5xf32> -> tensor<4x5x3xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %chosen = nn.top_k %x : tensor<3x4x6xf32> -> tensor<3x4x2xi32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %picked = nn.pick %x, %chosen : tensor<3x4x6xf32>, tensor<3x4x2xi32> -> tensor<3x4x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %spread = nn.spread %picked, %chosen : tensor<3x4x2xf32>, tensor<3x4x2xi32> -> tensor<3x4x6xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %scores = nn.contract "bqc,bkc->qbk" %x, %l : tensor<3x4x6xf32>, tensor<3x4x6xf32> -> tensor<4x3x4xf32>
  // expected-remark@+2 {{#0 apart along 0 by 1}}
  // expected-remark@+1 {{#1 apart along 0 by 1}}
  %n, %r = nn.rms_norm %x scale %w eps 1.0e-5 : tensor<3x4x6xf32>, tensor<6xf32> -> tensor<3x4xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %wide = nn.broadcast %x [1, 2, 3] : tensor<3x4x6xf32> -> tensor<2x3x4x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %sum = nn.reduce %wide [0, 2] : tensor<2x3x4x6xf32> -> tensor<3x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %max = nn.reduce_max %wide [0, 3] : tensor<2x3x4x6xf32> -> tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %cut = nn.slice %x at [0, 1, 0] step [1, 2, 1] : tensor<3x4x6xf32> -> tensor<3x2x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %pad = nn.pad %cut at [0, 1, 0] step [1, 1, 1] : tensor<3x2x6xf32> -> tensor<3x5x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %first = nn.select %wide dim 0 index 1 : tensor<2x3x4x6xf32> -> tensor<3x4x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %into = nn.insert %first dim 1 index 0 : tensor<3x4x6xf32> -> tensor<3x2x4x6xf32>
  // One operand has no samples: it is the same for all, if it repeats.
  %row = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %rows = nn.broadcast %row [2] : tensor<6xf32> -> tensor<3x4x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %scaled = nn.mul %rows, %x : tensor<3x4x6xf32>
  return
}

// -----

// Dims that are merged or split.
func.func @reshapes(%x: tensor<3x4x6xf32> {nn.role = #nn.role<data>}) {
  // expected-remark@+1 {{apart along 0 by 4}}
  %rows = nn.reshape %x : tensor<3x4x6xf32> -> tensor<12x6xf32>
  // expected-remark@+1 {{apart along 0 by 24}}
  %flat = nn.reshape %x : tensor<3x4x6xf32> -> tensor<72xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %back = nn.reshape %flat : tensor<72xf32> -> tensor<3x24xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %half = nn.reshape %rows : tensor<12x6xf32> -> tensor<6x2x6xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %pairs = nn.reshape %rows : tensor<12x6xf32> -> tensor<3x2x2x6xf32>
  // expected-remark@+1 {{apart along 0 by 8}}
  %tall = nn.reshape %rows : tensor<12x6xf32> -> tensor<24x3xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %one = nn.reshape %x : tensor<3x4x6xf32> -> tensor<1x3x1x24xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %heads = nn.transpose %x [1, 0, 2] : tensor<3x4x6xf32> -> tensor<4x3x6xf32>
  // After another dim: index i is of sample i % 3.
  // expected-remark@+1 {{apart along 0 by 1}}
  %merged = nn.reshape %heads : tensor<4x3x6xf32> -> tensor<12x6xf32>
  // expected-remark@+1 {{apart along 1 by 6}}
  %columns = nn.reshape %heads : tensor<4x3x6xf32> -> tensor<4x18xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %apart = nn.reshape %columns : tensor<4x18xf32> -> tensor<4x3x6xf32>
  // Three of nine parts belong to each sample; eight parts belong to none.
  // expected-remark@+1 {{apart along 0 by 3}}
  %nine = nn.reshape %x : tensor<3x4x6xf32> -> tensor<9x8xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe reshapes over several samples}}
  %eight = nn.reshape %x : tensor<3x4x6xf32> -> tensor<8x9xf32>
  // expected-remark@+1 {{mixed}}
  %after = nn.exp %eight : tensor<8x9xf32>
  return
}

// -----

// Ops that certainly combine samples; ops that may only move them.
func.func @mixes(%x: tensor<3x4xf32> {nn.role = #nn.role<data>},
                 %ids: tensor<3xi64> {nn.role = #nn.role<data>},
                 %other: tensor<3xi64>) {
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %max = nn.reduce_max %x [0] : tensor<3x4xf32> -> tensor<4xf32>
  // expected-remark@+1 {{mixed}}
  %after = nn.exp %max : tensor<4xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %t = nn.transpose %x [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %p = nn.softmax %t : tensor<4x3xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %pairs = nn.contract "ac,bc->ab" %x, %x : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x3xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %square = nn.slice %x at [0, 0] step [1, 1] : tensor<3x4xf32> -> tensor<3x3xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %turned = nn.transpose %square [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %with = nn.mul %square, %turned : tensor<3x3xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %last = nn.slice %x at [1, 0] step [1, 1] : tensor<3x4xf32> -> tensor<2x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %one = nn.select %x dim 0 index 1 : tensor<3x4xf32> -> tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %zeros = nn.pad %x at [1, 0] step [1, 1] : tensor<3x4xf32> -> tensor<4x4xf32>
  // Rows of other samples, by unknown indices.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %rows = nn.embedding %other, %x : tensor<3xi64>, tensor<3x4xf32> -> tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %named = nn.embedding %ids, %x : tensor<3xi64>, tensor<3x4xf32> -> tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %put = nn.embedding_grad %x, %other : tensor<3x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  // A constant that differs by sample, and one that does not.
  %n = nn.constant dense<[[0.0], [1.0], [2.0]]> : tensor<3x1xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %column = nn.slice %x at [0, 2] step [1, 1] : tensor<3x4xf32> -> tensor<3x1xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %by = nn.mul %column, %n : tensor<3x1xf32>
  %same = nn.constant dense<2.0> : tensor<3x1xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %all = nn.mul %column, %same : tensor<3x1xf32>
  return
}

// -----

// Linear ops of a sum over samples are sums over samples.
func.func @sums(%x: tensor<3x4xf32> {nn.role = #nn.role<data>},
                %m: tensor<4x5xf32>, %c: tensor<4xf32>, %w: tensor<4xf32>) {
  // expected-remark@+1 {{added}}
  %sum = nn.reduce %x [0] : tensor<3x4xf32> -> tensor<4xf32>
  // expected-remark@+1 {{added}}
  %twice = nn.scale %sum by 2.0 : tensor<4xf32>
  // expected-remark@+1 {{added}}
  %both = nn.sum %sum, %twice : tensor<4xf32>
  // expected-remark@+1 {{added}}
  %less = nn.sub %sum, %twice : tensor<4xf32>
  // expected-remark@+1 {{added}}
  %times = nn.mul %sum, %c : tensor<4xf32>
  // expected-remark@+1 {{added}}
  %wide = nn.broadcast %sum [1] : tensor<4xf32> -> tensor<2x4xf32>
  // expected-remark@+1 {{added}}
  %y = nn.contract "c,cv->v" %sum, %m : tensor<4xf32>, tensor<4x5xf32> -> tensor<5xf32>
  // expected-remark@+1 {{added}}
  %rows = nn.reshape %sum : tensor<4xf32> -> tensor<2x2xf32>
  // expected-remark@+1 {{added}}
  %total = nn.reduce %sum [0] : tensor<4xf32> -> tensor<f32>
  // expected-remark@+1 {{added}}
  %grad = nn.contract "bc,bd->cd" %x, %x : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<4x4xf32>
  // Not with an operand that is not a sum, a product of two sums, or a
  // nonlinear op.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %plus = nn.sum %sum, %c : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %minus = nn.sub %c, %sum : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %square = nn.mul %sum, %sum : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %e = nn.exp %sum : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %quotient = nn.div %sum, %c : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %per = nn.div %c, %sum : tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %max = nn.max %sum, %twice : tensor<4xf32>
  // expected-remark@+3 {{#0 mixed}}
  // expected-remark@+2 {{#1 mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %p, %r = nn.rms_norm %sum scale %w eps 1.0e-5 : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  // expected-remark@+1 {{added}}
  %each = nn.broadcast %sum [1] : tensor<4xf32> -> tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %mean = nn.mul %x, %each : tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely computes with a sum over samples}}
  %f16 = nn.cast %sum : tensor<4xf32> -> tensor<4xf16>
  // expected-remark@+1 {{added}}
  %f64 = nn.cast %sum : tensor<4xf32> -> tensor<4xf64>
  return
}

// -----

// Rows in a table of all samples' rows, read and written by indices with a step
// of a sample's number of rows.
func.func @rows(%x: tensor<3x4x2xf32> {nn.role = #nn.role<data>},
                %i: tensor<3x5xi64> {nn.role = #nn.role<data>},
                %p: tensor<12x2xf32>, %q: tensor<4x2xf32>) {
  // expected-remark@+1 {{apart along 0 by 4}}
  %table = nn.reshape %x : tensor<3x4x2xf32> -> tensor<12x2xf32>
  %own = nn.constant dense<[[0, 3], [4, 7], [8, 11]]> : tensor<3x2xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %a = nn.embedding %own, %table : tensor<3x2xi64>, tensor<12x2xf32> -> tensor<3x2x2xf32>
  // One sample's rows adjacent, and strided.
  %list = nn.constant dense<[0, 3, 4, 7, 8, 11]> : tensor<6xi64>
  // expected-remark@+1 {{apart along 0 by 2}}
  %b = nn.embedding %list, %table : tensor<6xi64>, tensor<12x2xf32> -> tensor<6x2xf32>
  %across = nn.constant dense<[[0, 4, 8], [3, 7, 11]]> : tensor<2x3xi64>
  // expected-remark@+1 {{apart along 1 by 1}}
  %c = nn.embedding %across, %table : tensor<2x3xi64>, tensor<12x2xf32> -> tensor<2x3x2xf32>
  // Another step; not the same step; the wrong number of samples.
  %less = nn.constant dense<[[0, 3], [3, 6], [6, 9]]> : tensor<3x2xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %d = nn.embedding %less, %table : tensor<3x2xi64>, tensor<12x2xf32> -> tensor<3x2x2xf32>
  %uneven = nn.constant dense<[[0, 3], [4, 7], [8, 10]]> : tensor<3x2xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %e = nn.embedding %uneven, %table : tensor<3x2xi64>, tensor<12x2xf32> -> tensor<3x2x2xf32>
  %two = nn.constant dense<[[0, 3], [4, 7]]> : tensor<2x2xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %f = nn.embedding %two, %table : tensor<2x2xi64>, tensor<12x2xf32> -> tensor<2x2x2xf32>
  // Rows that data indexes within its own sample: index plus first row.
  %four = nn.constant dense<[[0], [4], [8]]> : tensor<3x1xi64>
  %column = nn.reshape %four : tensor<3x1xi64> -> tensor<3xi64>
  %begin = nn.broadcast %column [0] : tensor<3xi64> -> tensor<3x5xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %named = nn.sum %i, %begin : tensor<3x5xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %g = nn.embedding %named, %table : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %turned = nn.transpose %named [1, 0] : tensor<3x5xi64> -> tensor<5x3xi64>
  // expected-remark@+1 {{apart along 1 by 1}}
  %h = nn.embedding %turned, %table : tensor<5x3xi64>, tensor<12x2xf32> -> tensor<5x3x2xf32>
  // One number per sample may be moved, other values may not.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %scaled = nn.mul %named, %i : tensor<3x5xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %wide = nn.broadcast %named [0, 2] : tensor<3x5xi64> -> tensor<3x2x5xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %j = nn.embedding %wide, %table : tensor<3x2x5xi64>, tensor<12x2xf32> -> tensor<3x2x5x2xf32>
  // With twice the step, rows belong to other samples.
  // expected-remark@+1 {{apart along 0 by 1}}
  %far = nn.sum %named, %begin : tensor<3x5xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %k = nn.embedding %far, %table : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // Without the sample's first row, all index the first sample's rows.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %l = nn.embedding %i, %table : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // Tables that are the same for all samples: repeated per sample or not,
  // indexed within the sample or not.
  %both = nn.broadcast %q [1, 2] : tensor<4x2xf32> -> tensor<3x4x2xf32>
  %repeated = nn.reshape %both : tensor<3x4x2xf32> -> tensor<12x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %m = nn.embedding %named, %repeated : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %n = nn.embedding %named, %p : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %o = nn.embedding %far, %repeated : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  %zeros = nn.constant dense<0.5> : tensor<12x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %r = nn.embedding %far, %zeros : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %s = nn.embedding %i, %p : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // Equal rows with different columns; and the reverse.
  %column2 = nn.constant dense<[0.5, 1.5]> : tensor<2xf32>
  %alike = nn.broadcast %column2 [1] : tensor<2xf32> -> tensor<12x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %t = nn.embedding %named, %alike : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  %first = nn.select %p dim 1 index 0 : tensor<12x2xf32> -> tensor<12xf32>
  %flat = nn.broadcast %first [0] : tensor<12xf32> -> tensor<12x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %v = nn.embedding %named, %flat : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  // A table that repeats fewer rows, or one with a dim that is not the samples.
  %q3 = nn.slice %q at [0, 0] step [1, 1] : tensor<4x2xf32> -> tensor<3x2xf32>
  %four3 = nn.broadcast %q3 [1, 2] : tensor<3x2xf32> -> tensor<4x3x2xf32>
  %repeated3 = nn.reshape %four3 : tensor<4x3x2xf32> -> tensor<12x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %w = nn.embedding %named, %repeated3 : tensor<3x5xi64>, tensor<12x2xf32> -> tensor<3x5x2xf32>
  return
}

// -----

// Rows that are scattered into a table of all samples' rows.
func.func @scatters(%x: tensor<3x2x2xf32> {nn.role = #nn.role<data>},
                    %i: tensor<3x2xi64> {nn.role = #nn.role<data>}) {
  %own = nn.constant dense<[[0, 3], [4, 7], [8, 11]]> : tensor<3x2xi64>
  // expected-remark@+1 {{apart along 0 by 4}}
  %a = nn.embedding_grad %x, %own : tensor<3x2x2xf32>, tensor<3x2xi64> -> tensor<12x2xf32>
  // In tables of other sizes these rows belong to other samples.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %b = nn.embedding_grad %x, %own : tensor<3x2x2xf32>, tensor<3x2xi64> -> tensor<15x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %c = nn.embedding_grad %x, %own : tensor<3x2x2xf32>, tensor<3x2xi64> -> tensor<13x2xf32>
  %begin = nn.constant dense<[[0, 0], [4, 4], [8, 8]]> : tensor<3x2xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %named = nn.sum %begin, %i : tensor<3x2xi64>
  // expected-remark@+1 {{apart along 0 by 4}}
  %d = nn.embedding_grad %x, %named : tensor<3x2x2xf32>, tensor<3x2xi64> -> tensor<12x2xf32>
  // expected-remark@+1 {{added}}
  %e = nn.embedding_grad %x, %i : tensor<3x2x2xf32>, tensor<3x2xi64> -> tensor<12x2xf32>
  // Samples are the second dim of both ids and rows, or of one of them.
  // expected-remark@+1 {{apart along 1 by 1}}
  %t = nn.transpose %x [1, 0, 2] : tensor<3x2x2xf32> -> tensor<2x3x2xf32>
  %across = nn.constant dense<[[0, 4, 8], [3, 7, 11]]> : tensor<2x3xi64>
  // expected-remark@+1 {{apart along 0 by 4}}
  %f = nn.embedding_grad %t, %across : tensor<2x3x2xf32>, tensor<2x3xi64> -> tensor<12x2xf32>
  // Two adjacent rows of each.
  // expected-remark@+1 {{apart along 0 by 2}}
  %rows = nn.reshape %x : tensor<3x2x2xf32> -> tensor<6x2xf32>
  %list = nn.constant dense<[0, 3, 4, 7, 8, 11]> : tensor<6xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %g = nn.embedding_grad %rows, %list : tensor<6x2xf32>, tensor<6xi64> -> tensor<12x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %back = nn.reshape %a : tensor<12x2xf32> -> tensor<3x4x2xf32>
  return
}

// -----

// Whole batches concatenated, as two views of the samples.
func.func @views(%x: tensor<3x4xf32> {nn.role = #nn.role<data>},
                 %c: tensor<3x4xf32>) {
  // expected-remark@+1 {{apart along 0 by 1}}
  %half = nn.scale %x by 0.5 : tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %both = nn.concat %x, %half along 0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<6x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %e = nn.exp %both : tensor<6x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %a = nn.slice %e at [0, 0] step [1, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %b = nn.slice %e at [3, 1] step [1, 2] : tensor<6x4xf32> -> tensor<3x2xf32>
  // From the middle of a batch, part of one, and every other sample.
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %middle = nn.slice %e at [1, 0] step [1, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %part = nn.slice %e at [3, 0] step [1, 1] : tensor<6x4xf32> -> tensor<2x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %other = nn.slice %e at [0, 0] step [2, 1] : tensor<6x4xf32> -> tensor<3x4xf32>
  // With values that are the same for all samples, and with others.
  %one = nn.constant dense<1.0> : tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %with = nn.concat %one, %x along 0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<6x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %without = nn.concat %c, %x along 0 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<6x4xf32>
  %few = nn.constant dense<1.0> : tensor<2x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %uneven = nn.concat %few, %x along 0 : tensor<2x4xf32>, tensor<3x4xf32> -> tensor<5x4xf32>
  // Along another dim, and of samples along different dims.
  // expected-remark@+1 {{apart along 0 by 1}}
  %beside = nn.concat %x, %half along 1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x8xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %square = nn.slice %x at [0, 1] step [1, 1] : tensor<3x4xf32> -> tensor<3x3xf32>
  // expected-remark@+1 {{apart along 1 by 1}}
  %turned = nn.transpose %square [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %cross = nn.concat %square, %turned along 0 : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<6x3xf32>
  // A sum over all of them is one over the samples.
  // expected-remark@+1 {{added}}
  %sum = nn.reduce %both [0] : tensor<6x4xf32> -> tensor<4xf32>
  // Three adjacent rows of each sample.
  // expected-remark@+1 {{apart along 0 by 1}}
  %wide = nn.broadcast %x [0, 2] : tensor<3x4xf32> -> tensor<3x2x4xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %rows = nn.reshape %wide : tensor<3x2x4xf32> -> tensor<6x4xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %two = nn.concat %rows, %rows along 0 : tensor<6x4xf32>, tensor<6x4xf32> -> tensor<12x4xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %last = nn.slice %two at [6, 0] step [1, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %three = nn.slice %two at [3, 0] step [1, 1] : tensor<12x4xf32> -> tensor<6x4xf32>
  return
}

// -----

// One sample: any dim of extent 1 may be the samples, so no finding is certain.
func.func @single(%x: tensor<1x4xf32> {nn.role = #nn.role<data>},
                  %i: tensor<1x2xi64> {nn.role = #nn.role<data>},
                  %known: tensor<1x2xi64>) {
  // expected-remark@+1 {{apart along 0 by 1}}
  %list = nn.reshape %x : tensor<1x4xf32> -> tensor<1x1x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %max = nn.reduce_max %list [0] : tensor<1x1x4xf32> -> tensor<1x4xf32>
  // Only one dim has one element: it is the samples.
  // expected-remark@+1 {{apart along 0 by 1}}
  %pairs = nn.reshape %x : tensor<1x4xf32> -> tensor<1x2x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %sure = nn.reduce_max %pairs [0] : tensor<1x2x2xf32> -> tensor<2x2xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %after = nn.reshape %x : tensor<1x4xf32> -> tensor<2x2x1xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %which = nn.reduce_max %after [0] : tensor<2x2x1xf32> -> tensor<2x1xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %half = nn.reshape %x : tensor<1x4xf32> -> tensor<2x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %what = nn.reduce_max %half [0] : tensor<2x2xf32> -> tensor<2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %line = nn.reshape %x : tensor<1x4xf32> -> tensor<1x4x1xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %ends = nn.reduce_max %line [0] : tensor<1x4x1xf32> -> tensor<4x1xf32>
  // expected-remark@+1 {{apart along 0 by 4}}
  %rows = nn.reshape %x : tensor<1x4xf32> -> tensor<4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %top = nn.reduce_max %rows [0] : tensor<4xf32> -> tensor<f32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %same = nn.reduce_max %x [0] : tensor<1x4xf32> -> tensor<4xf32>
  // expected-remark@+1 {{apart along 0 by 4}}
  %one = nn.reshape %x : tensor<1x4xf32> -> tensor<4x1xf32>
  // expected-remark@+1 {{apart along 0 by 4}}
  %column = nn.reduce_max %one [1] : tensor<4x1xf32> -> tensor<4xf32>
  // expected-remark@+1 {{apart along 0 by 2}}
  %table = nn.reshape %x : tensor<1x4xf32> -> tensor<2x2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %own = nn.embedding %i, %table : tensor<1x2xi64>, tensor<2x2xf32> -> tensor<1x2x2xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %top2 = nn.reduce_max %own [0, 1] : tensor<1x2x2xf32> -> tensor<2xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %any = nn.embedding %known, %table : tensor<1x2xi64>, tensor<2x2xf32> -> tensor<1x2x2xf32>
  // expected-remark@+1 {{apart along 0 by 5}}
  %put = nn.embedding_grad %own, %known : tensor<1x2x2xf32>, tensor<1x2xi64> -> tensor<5x2xf32>
  return
}

// -----

// A test for infinite values usually does not combine samples; other tests do.
func.func @infinite(%x: tensor<3x4xf32> {nn.role = #nn.role<data>}) {
  %inf = nn.constant dense<0x7F800000> : tensor<f32>
  %infs = nn.broadcast %inf [] : tensor<f32> -> tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %is = nn.compare eq %x, %infs : tensor<3x4xf32> -> tensor<3x4xi1>
  // expected-remark@+1 {{apart along 0 by 1}}
  %whole = nn.cast %is : tensor<3x4xi1> -> tensor<3x4xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe combines several samples}}
  %any = nn.reduce_max %whole [0, 1] : tensor<3x4xi64> -> tensor<i64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %lt = nn.compare lt %x, %infs : tensor<3x4xf32> -> tensor<3x4xi1>
  // expected-remark@+1 {{apart along 0 by 1}}
  %whole2 = nn.cast %lt : tensor<3x4xi1> -> tensor<3x4xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %any2 = nn.reduce_max %whole2 [0, 1] : tensor<3x4xi64> -> tensor<i64>
  %large = nn.constant dense<1.0e30> : tensor<3x4xf32>
  // expected-remark@+1 {{apart along 0 by 1}}
  %at = nn.compare eq %x, %large : tensor<3x4xf32> -> tensor<3x4xi1>
  // expected-remark@+1 {{apart along 0 by 1}}
  %whole3 = nn.cast %at : tensor<3x4xi1> -> tensor<3x4xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %any3 = nn.reduce_max %whole3 [0, 1] : tensor<3x4xi64> -> tensor<i64>
  %some = nn.constant dense<[[0x7F800000, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<3x4xf32>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{maybe depends on the index of each of the samples}}
  %at4 = nn.compare eq %x, %some : tensor<3x4xf32> -> tensor<3x4xi1>
  %two = nn.constant dense<2> : tensor<3x4xi64>
  // expected-remark@+1 {{apart along 0 by 1}}
  %at5 = nn.compare eq %whole, %two : tensor<3x4xi64> -> tensor<3x4xi1>
  // expected-remark@+1 {{apart along 0 by 1}}
  %at6 = nn.compare eq %x, %x : tensor<3x4xf32> -> tensor<3x4xi1>
  // expected-remark@+1 {{apart along 0 by 1}}
  %whole6 = nn.cast %at6 : tensor<3x4xi1> -> tensor<3x4xi64>
  // expected-remark@+2 {{mixed}}
  // expected-remark@+1 {{surely combines several samples}}
  %any6 = nn.reduce_max %whole6 [0, 1] : tensor<3x4xi64> -> tensor<i64>
  return
}
