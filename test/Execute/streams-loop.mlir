// A loop whose transfers are on streams: sends of one microbatch overlap with
// the compute of the next, with two slots of buffer and event, and receives are
// posted one iteration ahead.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c "import numpy; numpy.arange(2048, dtype='<u2').tofile('data.bin')"
// RUN: for seed in 0 1 2 3 4 5; do \
// RUN:   pcc-run %s --data data.bin --steps 2 --init random --seed 5 \
// RUN:     --stream-seed $seed --print @v | grep @ > $seed.txt && \
// RUN:   cmp 0.txt $seed.txt || exit 1; done
// RUN: pcc %s -q -o program
// RUN: env PCC_DELAY=any=0..6 ./program --data data.bin --steps 2 --init random \
// RUN:   --seed 5 --save saved
// RUN: %python %S/Inputs/split_safetensors.py saved/step-00000002/model.safetensors
// RUN: pcc-run %s --data data.bin --steps 2 --init random --seed 5 --print none \
// RUN:   --expect @v=v.npy --expect @w=w.npy | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: ok @

// One slot for two transfers, and events without waits.
// RUN: sed 's/@act slot %%m :/@act :/' %s \
// RUN:   | not pcc-run --data data.bin --steps 2 --init random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RUN: sed '/rt.wait %%sent/d' %s \
// RUN:   | not pcc-run --data data.bin --steps 2 --init random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RUN: sed '/rt.wait %%free/d' %s \
// RUN:   | not pcc-run --data data.bin --steps 2 --init random 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RACE: error: {{.*}} bytes on stream {{.}} that stream {{.}} may be using: no event orders the two

module attributes {pcc.phase = "rt", dist.spmd} {
func.func private @embed(%x: tensor<1x8xi64>, %w: tensor<1x8xf32>)
    -> tensor<1x8xf32> attributes {rt.kernel} {
  %f = nn.cast %x : tensor<1x8xi64> -> tensor<1x8xf32>
  %s = nn.scale %f by 1.0e-02 : tensor<1x8xf32>
  %y = nn.mul %s, %w : tensor<1x8xf32>
  return %y : tensor<1x8xf32>
}
func.func private @add(%a: tensor<1x8xf32>, %v: tensor<1x8xf32>)
    -> (tensor<1x8xf32> {rt.inplace = 1 : i64}) attributes {rt.kernel} {
  %s = nn.scale %a by 0.125 : tensor<1x8xf32>
  %sum = nn.sum %v, %s : tensor<1x8xf32>
  return %sum : tensor<1x8xf32>
}
rt.program axes <["pp"=2]> comms [] microbatches 7 {micro_batch = 1, seq = 8}
rt.stage 0 arena 640 {
  rt.buffer @w : memref<1x8xf32> param at 0 layout <[1, 8], [[], []]>
      record <init normal>
  rt.buffer @input.tokens : memref<1x8xi64> input at 64 slots 7
      layout <[1, 8], [[], []]>
      {role = "tokens", name = "tokens",
       nn.ids = {below = 2048 : i64, node = ""}}
  rt.buffer @act : memref<1x8xf32> value at 512 slots 2
  rt.event @computed
  rt.event @sent slots 2
  rt.func @front(%x: memref<1x8xi64>, %w: memref<1x8xf32>,
      %a: memref<1x8xf32>, %computed: !rt.event, %sent: !rt.event)
      attributes {rt.values = array<i64: 0, 1, -1, -1, -1, 0, 1, 2, -1, -1>} {
    rt.launch @embed ins(%x, %w : memref<1x8xi64>, memref<1x8xf32>)
        outs(%a : memref<1x8xf32>) {rt.values = array<i64: 0, 1, 2>}
    rt.record %computed
    rt.wait %computed stream 1
    rt.send %a to 1 channel 0 stream 1 {rt.values = array<i64: 2>}
        : memref<1x8xf32>
    rt.record %sent stream 1
  }
  rt.func @train() {
    %w = rt.address @w : memref<1x8xf32>
    %computed = rt.event_of @computed : !rt.event
    rt.for %m = 0 to 2 {
      %x = rt.address @input.tokens slot %m : memref<1x8xi64>
      %a = rt.address @act slot %m : memref<1x8xf32>
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.call @front(%x, %w, %a, %computed, %sent)
          : memref<1x8xi64>, memref<1x8xf32>, memref<1x8xf32>, !rt.event,
            !rt.event
    }
    rt.for %m = 2 to 7 {
      %x = rt.address @input.tokens slot %m : memref<1x8xi64>
      %a = rt.address @act slot %m : memref<1x8xf32>
      %sent = rt.event_of @sent slot %m : !rt.event
      rt.wait %sent
      rt.call @front(%x, %w, %a, %computed, %sent)
          : memref<1x8xi64>, memref<1x8xf32>, memref<1x8xf32>, !rt.event,
            !rt.event
    }
    %last = rt.event_of @sent : !rt.event
    rt.wait %last
  }
}
rt.stage 1 arena 384 {
  rt.buffer @v : memref<1x8xf32> param at 0 layout <[1, 8], [[], []]>
      record <init normal>
  rt.buffer @act : memref<1x8xf32> value at 64 slots 2
  rt.buffer @output.loss : memref<f32> output at 192 {name = "loss"}
  rt.buffer @output.norm : memref<f32> output at 256 {name = "norm"}
  rt.event @received slots 2
  rt.event @used slots 2
  rt.func @back(%a: memref<1x8xf32>, %v: memref<1x8xf32>,
      %received: !rt.event, %used: !rt.event)
      attributes {rt.values = array<i64: 0, 1, -1, -1, 0, 2, -1, -1>} {
    rt.wait %received
    rt.launch @add ins(%a, %v : memref<1x8xf32>, memref<1x8xf32>)
        outs(%v : memref<1x8xf32>) inplace [1] {rt.values = array<i64: 0, 1, 2>}
    rt.record %used
  }
  rt.func @train() {
    %v = rt.address @v : memref<1x8xf32>
    %loss = rt.address @output.loss : memref<f32>
    %norm = rt.address @output.norm : memref<f32>
    %a0 = rt.address @act : memref<1x8xf32>
    %received0 = rt.event_of @received : !rt.event
    %used1 = rt.event_of @used slot 1 : !rt.event
    rt.zero %loss : memref<f32>
    rt.zero %norm : memref<f32>
    rt.recv %a0 from 0 channel 0 stream 1 : memref<1x8xf32>
    rt.record %received0 stream 1
    rt.record %used1
    rt.for %m = 0 to 6 {
      %a = rt.address @act slot %m : memref<1x8xf32>
      %next = rt.address @act slot %m + 1 : memref<1x8xf32>
      %received = rt.event_of @received slot %m : !rt.event
      %coming = rt.event_of @received slot %m + 1 : !rt.event
      %free = rt.event_of @used slot %m + 1 : !rt.event
      %used = rt.event_of @used slot %m : !rt.event
      rt.wait %free stream 1
      rt.recv %next from 0 channel 0 stream 1 : memref<1x8xf32>
      rt.record %coming stream 1
      rt.call @back(%a, %v, %received, %used)
          : memref<1x8xf32>, memref<1x8xf32>, !rt.event, !rt.event
    }
    %a6 = rt.address @act slot 6 : memref<1x8xf32>
    %used0 = rt.event_of @used : !rt.event
    rt.call @back(%a6, %v, %received0, %used0)
        : memref<1x8xf32>, memref<1x8xf32>, !rt.event, !rt.event
  }
}
}
