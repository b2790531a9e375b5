// Wrong offsets of buffers in buckets.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x96xf32> bucket at 64
  rt.buffer @a : memref<5xf32> gradient in @row element 0 at 64
  // expected-error @+1 {{has offset 256, but element 32 of @row is at 192}}
  rt.buffer @b : memref<40xf32> gradient in @row element 32 at 256
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x96xf32> bucket at 64
  // expected-note @+1 {{this one}}
  rt.buffer @b : memref<40xf32> gradient in @row element 0 at 64
  // expected-error @+1 {{overlaps another buffer of its bucket}}
  rt.buffer @a : memref<5xf32> gradient in @row element 32 at 192
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x64xf32> bucket at 64
  // expected-error @+1 {{occupies elements [32, 72) of a bucket of 64}}
  rt.buffer @b : memref<40xf32> gradient in @row element 32 at 192
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x96xf32> bucket at 64
  // expected-error @+1 {{begins at element 16 of a bucket, no multiple of 32}}
  rt.buffer @b : memref<40xf32> gradient in @row element 16 at 128
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x96xf32> bucket at 64
  // expected-note @+1 {{this one}}
  rt.buffer @a : memref<5xf32> param in @row element 0 at 64
  // expected-error @+1 {{is of another kind than other members of its bucket}}
  rt.buffer @b : memref<40xf32> gradient in @row element 32 at 192
}

// -----

// Moments are at other offsets than their parameters.

rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x96xf32> bucket at 0
  rt.buffer @moments : memref<1x96xf32> bucket at 384
  rt.buffer @a : memref<5xf32> param in @row element 0 at 0
  // expected-note @+1 {{the parameter}}
  rt.buffer @b : memref<5xf32> param in @row element 32 at 128
  rt.buffer @exp_avg.a : memref<5xf32> state in @moments element 0 at 384 of @a
  // expected-error @+1 {{begins at element 64 of its bucket, but its parameter at element 32}}
  rt.buffer @exp_avg.b : memref<5xf32> state in @moments element 64 at 640 of @b
}

// -----

// Their parameters are in two buckets.

rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0
  rt.buffer @other : memref<1x64xf32> bucket at 256
  rt.buffer @moments : memref<1x64xf32> bucket at 512
  rt.buffer @a : memref<5xf32> param in @row element 0 at 0
  rt.buffer @b : memref<5xf32> param in @row element 32 at 128
  rt.buffer @c : memref<5xf32> param in @other element 32 at 384
  // expected-note @+1 {{the other member}}
  rt.buffer @exp_avg.a : memref<5xf32> state in @moments element 0 at 512 of @a
  // expected-error @+1 {{belongs to a parameter in @other, but another member of its bucket to one in @row}}
  rt.buffer @exp_avg.c : memref<5xf32> state in @moments element 32 at 640 of @c
}

// -----

// One bucket has two kinds of moments.

rt.stage 0 arena 1024 {
  rt.buffer @row : memref<1x64xf32> bucket at 0
  rt.buffer @moments : memref<1x64xf32> bucket at 256
  rt.buffer @a : memref<5xf32> param in @row element 0 at 0
  rt.buffer @b : memref<5xf32> param in @row element 32 at 128
  // expected-note @+1 {{the other member}}
  rt.buffer @exp_avg.a : memref<5xf32> state in @moments element 0 at 256 of @a
  // expected-error @+1 {{is not named 'exp_avg.*' like another member of its bucket}}
  rt.buffer @exp_avg_sq.b : memref<5xf32> state in @moments element 32 at 384 of @b
}

// -----

// The buckets of two layers are exchanged.
func.func private @update_kernel(%w: tensor<1x32xf32>, %m: tensor<1x32xf32>)
    -> (tensor<1x32xf32> {rt.inplace = 0}, tensor<1x32xf32> {rt.inplace = 1})
    attributes {rt.kernel} {
  %0 = nn.sum %w, %m : tensor<1x32xf32>
  return %0, %m : tensor<1x32xf32>, tensor<1x32xf32>
}
rt.stage 0 arena 512 {
  rt.buffer @row.a : memref<1x32xf32> bucket at 0
  rt.buffer @row.b : memref<1x32xf32> bucket at 128
  // expected-note @+1 {{the moments}}
  rt.buffer @moments : memref<1x32xf32> bucket at 256
  rt.buffer @a : memref<5xf32> param in @row.a element 0 at 0
  rt.buffer @b : memref<5xf32> param in @row.b element 0 at 128
  rt.buffer @exp_avg.b : memref<5xf32> state in @moments element 0 at 256 of @b
  rt.func @update(%w: memref<1x32xf32>, %m: memref<1x32xf32>) {
    // expected-error @+1 {{writes moments of the parameters in @row.b, but parameters of another bucket}}
    rt.launch @update_kernel ins(%w, %m : memref<1x32xf32>, memref<1x32xf32>)
        outs(%w, %m : memref<1x32xf32>, memref<1x32xf32>) inplace [0, 1]
  }
  rt.func @train() {
    %w = rt.address @row.a : memref<1x32xf32>
    %m = rt.address @moments : memref<1x32xf32>
    rt.call @update(%w, %m) : memref<1x32xf32>, memref<1x32xf32>
  }
}

// -----

// Another buffer overlaps a bucket.
rt.stage 0 arena 1024 {
  // expected-note @+1 {{this one}}
  rt.buffer @row : memref<1x96xf32> bucket at 64
  rt.buffer @a : memref<5xf32> param in @row element 0 at 64
  // expected-error @+1 {{overlaps another buffer that keeps its content}}
  rt.buffer @c : memref<16xf32> state at 384
  rt.func @train() {
  }
}

// -----

// Each tp rank has a separate bucket, so each must have a shard.
rt.program axes <["dp"=2, "tp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
  // expected-error @+1 {{is sharded over other axes than @row}}
  rt.buffer @a : memref<5xf32> state in @row element 0 at 0 layout <[10], [["tp"]]>
}

// -----

rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x32xf32> bucket at 0 layout <[1, 64], [[], ["dp"]]>
  // expected-error @+1 {{has an offset, but its bucket is sharded}}
  rt.buffer @a : memref<5xf32> state in @row element 0 at 0 layout <[5], [[]]>
}

// -----

rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x32xf32> bucket at 0 layout <[1, 64], [[], ["dp"]]>
  rt.buffer @a : memref<5xf32> state in @row element 0 layout <[5], [[]]>
  rt.func @train() {
    // expected-error @+1 {{names @a, which is in the sharded bucket @row}}
    %a = rt.address @a : memref<5xf32>
  }
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<5xf32> state at 0
  // expected-error @+1 {{is in @row, which is not a bucket}}
  rt.buffer @a : memref<5xf32> state in @row element 0 at 0
}

// -----

rt.stage 0 arena 512 {
  rt.buffer @row : memref<1x32xf32> bucket at 0
  // expected-error @+1 {{has another element type than its bucket @row of 'f32'}}
  rt.buffer @a : memref<5xbf16> copy in @row element 0 at 0
}

// -----

rt.stage 0 arena 512 {
  // expected-error @+1 {{is a bucket, which must have the shape [1, n]}}
  rt.buffer @row : memref<2x32xf32> bucket at 0
}

// -----

// Gathered parameters are dead at the start of a step.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 512 {
    rt.buffer @own : memref<1x32xf32> bucket at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<64xf32> param in @own element 0
    rt.buffer @row : memref<1x64xbf16> bucket at 128
    rt.buffer @copy.a : memref<64xbf16> copy in @row element 0 at 128 of @a
    rt.buffer @x : memref<64xbf16> output at 256
    rt.func @use(%a: memref<64xbf16>, %x: memref<64xbf16>) {
      // expected-error @+1 {{reads @row, which nothing has written}}
      rt.copy %a to %x : memref<64xbf16> to memref<64xbf16>
    }
    rt.func @train() {
      %a = rt.address @copy.a : memref<64xbf16>
      %x = rt.address @x : memref<64xbf16>
      rt.call @use(%a, %x) : memref<64xbf16>, memref<64xbf16>
    }
  }
}
