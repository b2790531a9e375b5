// Mistakes with buckets that are sharded, where the shard's address differs
// from rank to rank: an access to it counts as one to the bucket.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -rt-verify

// A valid program.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      rt.copy %b to %v : memref<32xf32> to memref<32xf32>
      rt.zero %own : memref<1x32xf32>
    }
  }
}

// -----

// A bucket that is not gathered.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      // expected-error @+1 {{reads @row, which is stale: its shard @own was not gathered}}
      rt.copy %b to %v : memref<32xf32> to memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      rt.zero %own : memref<1x32xf32>
    }
  }
}

// -----

// A bucket that is used after its shard has changed.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      rt.zero %own : memref<1x32xf32>
      // expected-error @+1 {{reads @row, which is stale: its shard @own was not gathered}}
      rt.copy %b to %v : memref<32xf32> to memref<32xf32>
    }
  }
}

// -----

// A bucket is changed outside the shard.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      // expected-error @+1 {{writes @row, which only an all_gather may write, from its shard @own}}
      rt.zero %b : memref<32xf32>
      rt.zero %own : memref<1x32xf32>
    }
  }
}

// -----

// Gathered over other ranks than those that hold shards.
module {
  rt.program axes <["dp"=2, "tp"=2]> comms [["dp"], ["tp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      // expected-error @+1 {{writes @row, which only an all_gather may write, from its shard @own}}
      rt.all_gather %own to %row over ["tp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
    }
  }
}

// -----

// Gathered from another buffer.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<1x32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      // expected-error @+1 {{writes @row, which only an all_gather may write, from its shard @own}}
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<1x32xf32>
      rt.zero %v : memref<1x32xf32>
      rt.call @gather(%v, %row) : memref<1x32xf32>, memref<1x64xf32>
    }
  }
}

// -----

// Two buckets of parameters with exchanged shards.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @other : memref<1x64xf32> bucket at 256 layout <[1, 64], [[], []]>
    rt.buffer @others : memref<1x32xf32> part in @other at 256 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @c : memref<64xf32> param in @other element 0 at 256 layout <[64], [[]]>
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      // expected-error @+1 {{writes @row, which only an all_gather may write, from its shard @own}}
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %others = rt.address @others : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      rt.call @gather(%others, %row) : memref<1x32xf32>, memref<1x64xf32>
    }
  }
}

// -----

// Another buffer overlaps the bucket.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-error @+1 {{is overwritten when @train ends}}
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    // expected-note @+1 {{by @w}}
    rt.buffer @w : memref<16xf32> value at 128
    rt.func @train() {
      %w = rt.address @w : memref<16xf32>
      rt.zero %w : memref<16xf32>
    }
  }
}

// -----

// The shard is overwritten by a reduce-scatter of its own bucket.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      rt.all_gather %own to %row over ["dp"] : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      // expected-error @+1 {{writes @own over @row, which it reads}}
      rt.reduce_scatter %row to %own over ["dp"] : memref<1x64xf32> to memref<1x32xf32>
    }
  }
}

// -----

// Gathered concurrently with a change of the shard.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.event @e
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      // expected-note @+1 {{used here}}
      rt.all_gather %own to %row over ["dp"] stream 1 : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      // expected-error @+1 {{writes bytes on stream 0 that stream 1 may still be using: no event orders the two}}
      rt.zero %own : memref<1x32xf32>
      %e = rt.event_of @e : !rt.event
      rt.record %e stream 1
      rt.wait %e
    }
  }
}

// -----

// Gathered concurrently with a use of the bucket.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.buffer @v : memref<32xf32> value at 256
    rt.event @e
    rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x64xf32>) {
      // expected-note @+1 {{used here}}
      rt.all_gather %own to %row over ["dp"] stream 1 : memref<1x32xf32> to memref<1x64xf32>
    }
    rt.func @train() {
      %own = rt.address @own : memref<1x32xf32>
      %row = rt.address @row : memref<1x64xf32>
      %b = rt.address @b : memref<32xf32>
      %v = rt.address @v : memref<32xf32>
      rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x64xf32>
      // expected-error @+1 {{reads bytes on stream 0 that stream 1 may still be using: no event orders the two}}
      rt.copy %b to %v : memref<32xf32> to memref<32xf32>
      %e = rt.event_of @e : !rt.event
      rt.record %e stream 1
      rt.wait %e
    }
  }
}

// -----

// A shard with a wrong offset.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-error @+1 {{must have the offset of @row, which is 0}}
    rt.buffer @own : memref<1x32xf32> part in @row at 128 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.func @train() {
    }
  }
}

// -----

// A shard of another size.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-error @+1 {{is no equal shard of @row}}
    rt.buffer @own : memref<1x16xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.func @train() {
    }
  }
}

// -----

// Two shards of one bucket.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-note @+1 {{the first one}}
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    // expected-error @+1 {{is a second shard of @row}}
    rt.buffer @two : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.func @train() {
    }
  }
}

// -----

// A shard of a bucket that is itself sharded.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    // expected-error @+1 {{is a shard of @row, which is sharded itself}}
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @row : memref<1x32xf32> bucket at 0 layout <[1, 64], [[], ["dp"]]>
    rt.func @train() {
    }
  }
}

// -----

// A shard that does not name its axes.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-error @+1 {{is a shard of a bucket, which needs 'in'}}
    rt.buffer @own : memref<1x32xf32> part in @row at 0 
    rt.buffer @a : memref<5xf32> param in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> param in @row element 32 at 128 layout <[32], [[]]>
    rt.func @train() {
    }
  }
}

// -----

// A shard of moments.
module {
  rt.program axes <["dp"=2]> comms [["dp"]] microbatches 1
  rt.stage 0 arena 1024 {
    rt.buffer @row : memref<1x64xf32> bucket at 0 layout <[1, 64], [[], []]>
    // expected-error @+1 {{is a shard of @row, which has members that are no parameters}}
    rt.buffer @own : memref<1x32xf32> part in @row at 0 layout <[1, 64], [[], ["dp"]]>
    rt.buffer @a : memref<5xf32> state in @row element 0 at 0 layout <[5], [[]]>
    rt.buffer @b : memref<32xf32> state in @row element 32 at 128 layout <[32], [[]]>
    rt.func @train() {
    }
  }
}
