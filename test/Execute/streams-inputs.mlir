// Operations own their inputs until the compute stream has waited for them. The
// host fills inputs for the next step as soon as the compute stream is done.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c "import numpy; numpy.arange(64, dtype='<u2').tofile('data.bin')"
// RUN: pcc-run %s --data data.bin --steps 2 | FileCheck %s
// CHECK: step 1/2 | loss 0.000000
// CHECK: step 2/2 | loss 0.000000
// RUN: sed '/rt.wait/d' %s | not pcc-run --data data.bin --steps 2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RACE
// RACE: 'rt.all_gather' op may still be under way when inputs are filled for @train: stream 1 uses them, and stream 0 never waits for it
// Operations in flight when an entry ends complete while the next one runs.
// RUN: sed '/rt.wait/d' %s | pcc-run --data data.bin --steps 2 --allow-races

module attributes {pcc.phase = "rt", dist.spmd} {
rt.program axes <["dp"=2]> comms [["dp"]] beside [["dp"]] microbatches 1
    {micro_batch = 1, seq = 8}
rt.stage 0 arena 320 {
  rt.buffer @input.tokens : memref<1x8xi64> input at 0
      layout <[2, 8], [["dp"], []]>
      {role = "tokens", name = "tokens", nn.ids = {below = 64 : i64, node = ""}}
  rt.buffer @all : memref<2x8xi64> value at 64
  rt.buffer @output.loss : memref<f32> output at 192 {name = "loss"}
  rt.buffer @output.norm : memref<f32> output at 256 {name = "norm"}
  rt.event @gathered
  rt.func @train() {
    %x = rt.address @input.tokens : memref<1x8xi64>
    %all = rt.address @all : memref<2x8xi64>
    %loss = rt.address @output.loss : memref<f32>
    %norm = rt.address @output.norm : memref<f32>
    %gathered = rt.event_of @gathered : !rt.event
    rt.all_gather %x to %all over ["dp"] stream 1
        : memref<1x8xi64> to memref<2x8xi64>
    rt.record %gathered stream 1
    rt.zero %loss : memref<f32>
    rt.zero %norm : memref<f32>
    rt.wait %gathered
  }
}
}
