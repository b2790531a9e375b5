// Every collective in a compiled program, along inner dims and over two axes in
// both orders: four ranks compute the same as the interpreter.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c "import numpy; numpy.arange(64, dtype='<u2').tofile('data.bin')"
// No shardings would require all these collectives, so pcc must not check them.
// RUN: sed 's/, dist.spmd}/}/' %s > untold.mlir && pcc untold.mlir -q -o program
// RUN: ./program --data data.bin --steps 1 --init random --seed 5 --save saved
// RUN: %python %S/Inputs/split_safetensors.py saved/step-00000001/model.safetensors
// RUN: pcc-run %s --data data.bin --steps 1 --init random --seed 5 --print none \
// RUN:   --expect @a=a.npy --expect @b=b.npy --expect @c=c.npy --expect @d=d.npy \
// RUN:   --expect @e=e.npy --expect @f=f.npy --expect @g=g.npy --expect @h=h.npy \
// RUN:   --expect @i=i.npy --expect @j=j.npy --expect @k=k.npy --expect @x=x.npy \
// RUN:   | FileCheck %s
// Zeros would agree, too.
// RUN: %python -c "import numpy; [numpy.load(f'{n}.npy').any() or exit(n) for n in 'abcdefghijkx']"
// CHECK-COUNT-12: ok @

#in = #dist.sharding<@mesh, [{}, {"tp"}, {"dp"}, {}]>
#dp = #dist.sharding<@mesh, [{}, {}, {"dp"}, {}]>
#last = #dist.sharding<@mesh, [{}, {}, {"dp"}, {"tp"}]>
#first = #dist.sharding<@mesh, [{"dp"}, {"tp"}, {}, {}]>
#all = #dist.sharding<@mesh, [{}, {}, {}, {}]>
#both = #dist.sharding<@mesh, [{}, {"tp", "dp"}, {}, {}]>
#moved = #dist.sharding<@mesh, [{}, {}, {"tp", "dp"}, {}]>
#other = #dist.sharding<@mesh, [{}, {}, {"dp", "tp"}, {}]>

module attributes {pcc.phase = "pipeline", dist.spmd} {
dist.mesh @mesh = <["dp"=2, "tp"=2]>
nn.param @x : tensor<4x4x6x6xf32> init normal
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #in}
nn.param @a : tensor<4x8x6x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #dp}
nn.param @b : tensor<4x8x6x3xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #last}
nn.param @c : tensor<2x4x12x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #first}
nn.param @d : tensor<4x8x6x3xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #last}
nn.param @e : tensor<4x2x12x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #both}
nn.param @f : tensor<4x8x12x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #all}
nn.param @g : tensor<4x8x3x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #moved}
nn.param @h : tensor<4x8x3x6xf32> init zero
    {dist.global = tensor<4x8x12x6xf32>, dist.sharding = #other}
nn.param @i : tensor<1xf32> init zero
    {dist.global = tensor<4xf32>,
     dist.sharding = #dist.sharding<@mesh, [{"tp", "dp"}]>}
nn.param @j : tensor<4x4x6x6xf32> init zero
    {dist.global = tensor<4x4x6x6xf32>, dist.sharding = #all}
nn.param @k : tensor<4x4x6x6xf32> init zero
    {dist.global = tensor<4x8x6x6xf32>,
     dist.sharding = #dist.sharding<@mesh, [{}, {"tp"}, {}, {}]>}
pipe.input @input.tokens : tensor<1x8xi64> role tokens name "tokens"
    {dist.global = tensor<2x8xi64>,
     dist.sharding = #dist.sharding<@mesh, [{"dp"}, {}]>}
pipe.output @output.loss : tensor<f32> name "loss"
pipe.output @output.norm : tensor<f32> name "norm"

pipe.task @microbatch.0 stage 0 forward_backward calls @microbatch.0.body
    (@input.tokens)
pipe.body @microbatch.0.body (%ids: tensor<1x8xi64>) {
  pipe.yield
}
pipe.task @update.0 stage 0 update calls @update.0.body
    (@x, @a, @b, @c, @d, @e, @f, @g, @h, @i, @j, @k)
    -> (@output.loss, @output.norm, @a, @b, @c, @d, @e, @f, @g, @h, @i, @j, @k)
pipe.body @update.0.body (%x: tensor<4x4x6x6xf32>,
        %a_before: tensor<4x8x6x6xf32>, %b_before: tensor<4x8x6x3xf32>,
        %c_before: tensor<2x4x12x6xf32>, %d_before: tensor<4x8x6x3xf32>,
        %e_before: tensor<4x2x12x6xf32>, %f_before: tensor<4x8x12x6xf32>,
        %g_before: tensor<4x8x3x6xf32>, %h_before: tensor<4x8x3x6xf32>,
        %i_before: tensor<1xf32>, %j_before: tensor<4x4x6x6xf32>,
        %k_before: tensor<4x4x6x6xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<4x8x6x6xf32> into 1,
        tensor<4x8x6x3xf32> into 2, tensor<2x4x12x6xf32> into 3,
        tensor<4x8x6x3xf32> into 4, tensor<4x2x12x6xf32> into 5,
        tensor<4x8x12x6xf32> into 6, tensor<4x8x3x6xf32> into 7,
        tensor<4x8x3x6xf32> into 8, tensor<1xf32> into 9,
        tensor<4x4x6x6xf32> into 10, tensor<4x4x6x6xf32> into 11) {
  %a = dist.all_gather %x dim 1 over ["tp"]
      : tensor<4x4x6x6xf32> -> tensor<4x8x6x6xf32>
  %b = dist.all_to_all %x from 1 to 3 over ["tp"]
      : tensor<4x4x6x6xf32> -> tensor<4x8x6x3xf32>
  %c = dist.all_to_all %x from 2 to 0 over ["dp"]
      : tensor<4x4x6x6xf32> -> tensor<2x4x12x6xf32>
  %d = dist.shard_slice %a dim 3 over ["tp"]
      : tensor<4x8x6x6xf32> -> tensor<4x8x6x3xf32>
  %whole = dist.all_gather %a dim 2 over ["dp"]
      : tensor<4x8x6x6xf32> -> tensor<4x8x12x6xf32>
  %e = dist.shard_slice %whole dim 1 over ["tp", "dp"]
      : tensor<4x8x12x6xf32> -> tensor<4x2x12x6xf32>
  %f = dist.all_gather %e dim 1 over ["tp", "dp"]
      : tensor<4x2x12x6xf32> -> tensor<4x8x12x6xf32>
  %g = dist.all_to_all %e from 1 to 2 over ["tp", "dp"]
      : tensor<4x2x12x6xf32> -> tensor<4x8x3x6xf32>
  %h = dist.reduce_scatter %whole dim 2 over ["dp", "tp"]
      : tensor<4x8x12x6xf32> -> tensor<4x8x3x6xf32>
  %offset = dist.offset ["tp", "dp"] by 5 : tensor<i64>
  %start = nn.cast %offset : tensor<i64> -> tensor<f32>
  %i = nn.reshape %start : tensor<f32> -> tensor<1xf32>
  %j = dist.all_reduce max %x over ["tp", "dp"] : tensor<4x4x6x6xf32>
  %k = dist.all_reduce sum %x over ["dp"] : tensor<4x4x6x6xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  // Added to zeros: a value that overwrites a parameter is kept for the next
  // step.
  %new_a = nn.sum %a_before, %a : tensor<4x8x6x6xf32>
  %new_b = nn.sum %b_before, %b : tensor<4x8x6x3xf32>
  %new_c = nn.sum %c_before, %c : tensor<2x4x12x6xf32>
  %new_d = nn.sum %d_before, %d : tensor<4x8x6x3xf32>
  %new_e = nn.sum %e_before, %e : tensor<4x2x12x6xf32>
  %new_f = nn.sum %f_before, %f : tensor<4x8x12x6xf32>
  %new_g = nn.sum %g_before, %g : tensor<4x8x3x6xf32>
  %new_h = nn.sum %h_before, %h : tensor<4x8x3x6xf32>
  %new_i = nn.sum %i_before, %i : tensor<1xf32>
  %new_j = nn.sum %j_before, %j : tensor<4x4x6x6xf32>
  %new_k = nn.sum %k_before, %k : tensor<4x4x6x6xf32>
  pipe.yield %one, %one, %new_a, %new_b, %new_c, %new_d, %new_e, %new_f, %new_g,
      %new_h, %new_i, %new_j, %new_k
      : tensor<f32>, tensor<f32>, tensor<4x8x6x6xf32>, tensor<4x8x6x3xf32>,
        tensor<2x4x12x6xf32>, tensor<4x8x6x3xf32>, tensor<4x2x12x6xf32>,
        tensor<4x8x12x6xf32>, tensor<4x8x3x6xf32>, tensor<4x8x3x6xf32>,
        tensor<1xf32>, tensor<4x4x6x6xf32>, tensor<4x4x6x6xf32>
}
pipe.schedule train stage 0 microbatches 1 {
  pipe.run @microbatch.0 microbatch 0
  pipe.run @update.0
}
}
