// Three ranks keep a third each of a bucket of parameters, at its offset in the
// whole. A step gathers the bucket in place, on a separate stream, computes
// with it, and updates the shards. The interpreter finds the same in any order
// of streams; so do the compiled program's ranks, with delayed transfers.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c "import numpy; numpy.arange(512, dtype='<u2').tofile('data.bin')"
// RUN: run="--data data.bin --steps 3 --init random --seed 5"
// RUN: for seed in 0 1 2 3 4 5; do \
// RUN:   pcc-run %s $run --stream-seed $seed --print @a,@b | grep @ > $seed.txt && \
// RUN:   cmp 0.txt $seed.txt || exit 1; done
// RUN: pcc %s -q -o program
// RUN: env PCC_DELAY=any=0..6 ./program $run --save saved
// RUN: %python %root/test/Execute/Inputs/split_safetensors.py saved/step-00000003/model.safetensors
// RUN: pcc-run %s $run --print none --expect @a=a.npy --expect @b=b.npy | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: ok @
// Shards are saved: another program goes on with them.
// RUN: ./program --data data.bin --steps 2 --init random --seed 5 --save first
// RUN: ./program --data data.bin --steps 3 --resume first --save second
// RUN: cmp saved/step-00000003/model.safetensors second/step-00000003/model.safetensors

// A bucket that is not gathered is invalid.
// RUN: sed '/rt.call @gather/d' %s > dropped.mlir
// RUN: not pcc-run dropped.mlir $run 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: 'rt.launch' op reads byte {{.*}} which nothing has written
// So is one after a rank has changed its shard.
// RUN: sed 's/^    \/\/ then: //' %s > late.mlir
// RUN: not pcc-run late.mlir $run 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: 'rt.copy' op reads byte {{.*}} which nothing has written
// Gathered while it is used it is refused.
// RUN: for n in 1; do \
// RUN:   awk -v n=$n '!/^ *rt.wait/ || ++i != n' %s > raced.mlir && \
// RUN:   not pcc-run raced.mlir $run 2>&1 | FileCheck %s --check-prefix=RACE || exit 1; done
// RACE: error: {{.*}} bytes on stream {{.}} that stream {{.}} may be using: no event orders the two
// All of it is refused without being run, too.
// RUN: for file in dropped late raced; do \
// RUN:   not pcc-opt --rt-verify $file.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=$file || exit 1; done
// dropped: reads @row, which is stale: its shard @own was not gathered
// late: reads @row, which is stale
// raced: no event orders the two

// The compiled program computes the address of the rank's shard.
// RUN: pcc %s --emit=llvm -q -o - | FileCheck %s --check-prefix=LLVM
// LLVM: %[[INDEX:.*]] = llvm.call @pcc_comm_index(
// LLVM: %[[BYTES:.*]] = llvm.mul %[[INDEX]], %{{.*}} : i64
// LLVM: llvm.getelementptr %{{.*}}[%[[BYTES]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8

module attributes {pcc.phase = "rt", dist.spmd} {
func.func private @head(%x: tensor<1x8xi64>, %a: tensor<40xf32>,
    %b: tensor<1x8xf32>, %loss: tensor<f32>)
    -> (tensor<f32> {rt.inplace = 3 : i64}) attributes {rt.kernel} {
  %f = nn.cast %x : tensor<1x8xi64> -> tensor<1x8xf32>
  %s = nn.scale %f by 1.0e-02 : tensor<1x8xf32>
  %p = nn.mul %s, %b : tensor<1x8xf32>
  %r = nn.reduce %p [0, 1] : tensor<1x8xf32> -> tensor<f32>
  %q = nn.reduce %a [0] : tensor<40xf32> -> tensor<f32>
  %sum = nn.sum %loss, %r, %q : tensor<f32>
  return %sum : tensor<f32>
}
func.func private @update(%w: tensor<1x32xf32>)
    -> (tensor<1x32xf32> {rt.inplace = 0 : i64}) attributes {rt.kernel} {
  %new = nn.scale %w by 0.75 : tensor<1x32xf32>
  return %new : tensor<1x32xf32>
}

rt.program axes <["dp"=3]> comms [["dp"]] beside [["dp"]] microbatches 1
    {micro_batch = 1, seq = 8}
rt.stage 0 arena 704 {
  rt.buffer @row : memref<1x96xf32> bucket at 0 layout <[1, 96], [[], []]>
  rt.buffer @own : memref<1x32xf32> part in @row at 0
      layout <[1, 96], [[], ["dp"]]>
  rt.buffer @a : memref<40xf32> param in @row element 0 at 0
      layout <[40], [[]]> record <init normal>
  rt.buffer @b : memref<1x8xf32> param in @row element 64 at 256
      layout <[1, 8], [[], []]> record <init normal>
  rt.buffer @input.tokens : memref<1x8xi64> input at 384
      layout <[3, 8], [["dp"], []]>
      {role = "tokens", name = "tokens", nn.ids = {below = 512 : i64, node = ""}}
  rt.buffer @output.loss : memref<f32> output at 448 {name = "loss"}
  rt.buffer @output.norm : memref<f32> output at 512 {name = "norm"}
  rt.buffer @late : memref<1x8xf32> value at 576
  rt.event @gathered
  rt.func @gather(%own: memref<1x32xf32>, %row: memref<1x96xf32>)
      attributes {rt.values = array<i64: 0, -1, 0, 1>} {
    rt.all_gather %own to %row over ["dp"] stream 1
        {rt.values = array<i64: 0, 1>} : memref<1x32xf32> to memref<1x96xf32>
  }
  rt.func @train() {
    %row = rt.address @row : memref<1x96xf32>
    %own = rt.address @own : memref<1x32xf32>
    %a = rt.address @a : memref<40xf32>
    %b = rt.address @b : memref<1x8xf32>
    %x = rt.address @input.tokens : memref<1x8xi64>
    %loss = rt.address @output.loss : memref<f32>
    %norm = rt.address @output.norm : memref<f32>
    %late = rt.address @late : memref<1x8xf32>
    %gathered = rt.event_of @gathered : !rt.event
    rt.call @gather(%own, %row) : memref<1x32xf32>, memref<1x96xf32>
    rt.record %gathered stream 1
    rt.zero %loss : memref<f32>
    rt.wait %gathered
    rt.launch @head
        ins(%x, %a, %b, %loss : memref<1x8xi64>, memref<40xf32>,
            memref<1x8xf32>, memref<f32>)
        outs(%loss : memref<f32>) inplace [3]
    rt.all_reduce sum %loss over ["dp"] : memref<f32>
    rt.launch @update ins(%own : memref<1x32xf32>)
        outs(%own : memref<1x32xf32>) inplace [0]
    // then: rt.copy %b to %late : memref<1x8xf32> to memref<1x8xf32>
    rt.copy %loss to %norm : memref<f32> to memref<f32>
  }
}
}
