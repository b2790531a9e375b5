// Mistakes in the members of buckets.
// RUN: pcc-opt %s -split-input-file -verify-diagnostics -dist-verify

// A member twice: two buckets would hold the gradient of one parameter.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  // expected-error @+1 {{has the member 'grad.b', which is in a bucket already}}
  nn.state @other : tensor<1x64xf32> bucket members [@grad.b] at [0]
}

// -----

// Two members overlap.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has 'grad.a' at element 32, which overlaps another member}}
  nn.state @row : tensor<1x96xf32> bucket members [@grad.b, @grad.a] at [0, 32]
}

// -----

// A member at an offset that is not aligned.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has 'grad.b' at element 16, which is no multiple of 32}}
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 16]
}

// -----

// A member that ends after the bucket.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has 64 elements, but its last member ends at 72}}
  nn.state @row : tensor<1x64xf32> bucket members [@grad.a, @grad.b] at [0, 32]
}

// -----

// A bucket with an invalid length.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has 80 elements, no multiple of 32}}
  nn.state @row : tensor<1x80xf32> bucket members [@grad.a, @grad.b] at [0, 32]
}

// -----

// Members with different weight decay: one optimizer step would treat all
// alike.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has 'a' and 's', only one of which decays}}
  nn.state @row : tensor<1x64xf32> bucket members [@grad.a, @grad.s] at [0, 32]
}

// -----

// Gradients and parameters in one bucket.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{has the member 'b', which is of another kind than its first or of none}}
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @b] at [0, 32]
}

// -----

// Gradients at other offsets than their parameters: a step would update
// elements of one parameter by gradients of another.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  // expected-error @+1 {{must match, for 'b', the members and offsets of 'row'}}
  nn.state @rows : tensor<1x96xf32> bucket members [@b, @a] at [0, 64]
}

// -----

// The same members at other offsets.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x128xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  // expected-error @+1 {{must match, for 'a', the members and offsets of 'row'}}
  nn.state @rows : tensor<1x128xf32> bucket members [@a, @b] at [0, 64]
}

// -----

// A moment in no bucket is not updated.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  // expected-error @+1 {{is in no bucket, but other state of 'a' is in 'row'}}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
}

// -----

// Two names for the same elements in one function.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  func.func @update() {
    // expected-note @+1 {{here}}
    %all = nn.read @row : tensor<1x96xf32>
    // expected-error @+1 {{uses 'grad.a' together with 'row', which is its bucket}}
    %one = nn.read @grad.a : tensor<5xf32>
    nn.write %all, @row : tensor<1x96xf32>
    return
  }
}

// -----

// A bucket that no step updates.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  // expected-error @+1 {{is written 0 times by @update, not once}}
  nn.state @rows : tensor<1x96xf32> bucket members [@a, @b] at [0, 32]
  func.func @update() {
    %all = nn.read @row : tensor<1x96xf32>
    nn.write %all, @row : tensor<1x96xf32>
    return
  }
}

// -----

// A step without the weight decay of its members.
module {
  nn.param @a : tensor<5xf32> init normal decay
  nn.param @b : tensor<40xf32> init normal decay
  nn.param @s : tensor<5xf32> init one
  nn.state @grad.a : tensor<5xf32> gradient of @a
  nn.state @grad.b : tensor<40xf32> gradient of @b
  nn.state @grad.s : tensor<5xf32> gradient of @s
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a, @grad.b] at [0, 32]
  nn.state @rows : tensor<1x96xf32> bucket members [@a, @b] at [0, 32]
  func.func @update(%lr: tensor<f32>) {
    %g = nn.read @row : tensor<1x96xf32>
    %p = nn.read @rows : tensor<1x96xf32>
    // expected-error @+1 {{updates 'rows', whose members decay}}
    %n = nn.sgd %p, %g grad_scale %lr lr %lr weight_decay %lr : tensor<1x96xf32>, tensor<1x96xf32>, tensor<f32>, tensor<f32>, tensor<f32>
    nn.write %n, @rows : tensor<1x96xf32>
    nn.write %g, @row : tensor<1x96xf32>
    return
  }
}

// -----

// A replicated bucket for all tp ranks, with members that are sharded over tp.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=3, "tp"=2]>
  nn.param @a : tensor<5xf32> init normal decay {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @grad.a : tensor<5xf32> gradient of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}], partial = {"dp"}>}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  // expected-error @+1 {{has members sharded over [], but 'grad.a' is sharded over ["tp"]}}
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a] at [0] {dist.global = tensor<1x96xf32>, dist.sharding = #dist.sharding<@mesh, [{}, {}], partial = {"dp"}>}
}

// -----

// A replicated bucket with gradients that are partial: they would not be
// reduced.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=3, "tp"=2]>
  nn.param @a : tensor<5xf32> init normal decay {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @grad.a : tensor<5xf32> gradient of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}], partial = {"dp"}>}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  // expected-error @+1 {{is partial over [], but 'grad.a' is partial over ["dp"]}}
  nn.state @row : tensor<1x96xf32> bucket members [@grad.a] at [0] {dist.global = tensor<2x96xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}]>}
}

// -----

// Three ranks of dp cannot have equal parts of 64 elements.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=3, "tp"=2]>
  nn.param @a : tensor<5xf32> init normal decay {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @grad.a : tensor<5xf32> gradient of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}], partial = {"dp"}>}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  // expected-error @+1 {{has 64 elements, no multiple of 96}}
  nn.state @row : tensor<1x64xf32> bucket members [@grad.a] at [0] {dist.global = tensor<2x64xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>}
}

// -----

// A bucket of gradients must not be sharded: microbatches add to all of it.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=3, "tp"=2]>
  nn.param @a : tensor<5xf32> init normal decay {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @grad.a : tensor<5xf32> gradient of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  // expected-error @+1 {{is sharded, but ranks need all of its members}}
  nn.state @row : tensor<1x32xf32> bucket members [@grad.a] at [0] {dist.global = tensor<2x96xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"dp"}]>}
}

// -----

// Functions must not use members of a sharded bucket.
module attributes {dist.spmd} {
  dist.mesh @mesh = <["dp"=3, "tp"=2]>
  nn.param @a : tensor<5xf32> init normal decay {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @grad.a : tensor<5xf32> gradient of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}], partial = {"dp"}>}
  nn.state @exp_avg.a : tensor<5xf32> exp_avg of @a {dist.global = tensor<10xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}]>}
  nn.state @row : tensor<1x32xf32> bucket members [@exp_avg.a] at [0] {dist.global = tensor<2x96xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {"dp"}]>}
  nn.state @rows : tensor<1x96xf32> bucket members [@grad.a] at [0] {dist.global = tensor<2x96xf32>, dist.sharding = #dist.sharding<@mesh, [{"tp"}, {}], partial = {"dp"}>}
  func.func @evaluate() {
    // expected-error @+1 {{uses 'exp_avg.a', a member of the sharded bucket 'row'}}
    %one = nn.read @exp_avg.a : tensor<5xf32> {dist.shardings = [#dist.sharding<@mesh, [{"tp"}]>]}
    return
  }
}
