// The description of a program, read back through the C header.
// RUN: pcc %s --emit obj -o %t.o -q
// RUN: %cc -I %root %S/Inputs/print-program.c %t.o -o %t
// RUN: %t | FileCheck %s
// The same input gives the same bytes.
// RUN: pcc %s --emit obj -o %t.again.o -q
// RUN: cmp %t.o %t.again.o
// RUN: sed 's/type = tensor<16x8xf64>/type = tensor<16x8xui8>/' %s \
// RUN:   | not pcc - --emit obj -o %t.o 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: {{.*}}has elements of type 'ui8', which the runtime does not know
// RUN: sed 's/strides = \[1, 8\]/strides = [1]/' %s \
// RUN:   | not pcc - --emit obj -o %t.o 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: error: {{.*}}has a source of 1 strides and 2 valid extents for 2 dims

module attributes {pcc.phase = "rt", nn.whole_batch = "why",
    nn.document_ends = array<i64: 7, 50256>,
    nn.saved_types = {h.weight = bf16}, nn.saved_names = {h.weight = "head"},
    nn.model_folder = {path = "/models/m", files = ["config.json", "a/b"]}} {
rt.program axes <["part"=2 data, "tp"=4]> comms [["tp"], ["part", "tp"]]
    beside [["part"]] microbatches 3 {micro_batch = 2 : i64, seq = 8 : i64,
    parameters = 1000 : i64, flops_per_step = 1.5e9 : f64, model = "m",
    source = "m.onnx", summary = "said"}
// CHECK: abi 23 model m source m.onnx
// CHECK-NEXT: summary said
// CHECK-NEXT: folder /models/m config.json a/b
// CHECK-NEXT: whole batch why
// CHECK-NEXT: documents end at 7 50256
// CHECK-NEXT: axis part 2 role 1
// CHECK-NEXT: axis tp 4 role 3
// CHECK-NEXT: comm tp channels 1
// CHECK-NEXT: comm part tp channels 1
// CHECK-NEXT: comm part channels 1
// Each integer once: a factor of the index in communicator 1, and a constant.
// CHECK-NEXT: constant 25129 comm 1
// CHECK-NEXT: constant -4294967297 comm -1
// CHECK-NEXT: seq 8 micro_batch 2 microbatches 3 dp 2 parameters 1000 flops 1.5e+09

// CHECK-NEXT: stage 0 arena 2048 kept {{[1-9][0-9]*}} step yes evaluate yes streams 1 events 0
rt.stage 0 arena 2048 {
  // CHECK-NEXT: tensor w of - kind 0 dtype 0 init 2 decay 1 shape [8 16] axes [() (parttp)] at 0 use 3.1 use 5.2
  // CHECK-NEXT: source h.weight file m.onnx size 1000 digest 18446744073709551615 offset 64 dtype 1 saved head as 2 transposed 1 plus_one 1 base 5 shape [16 8] stride [1 8] valid [8 15]
  rt.buffer @w : memref<8x2xf32> param at 0
      layout <[8, 16], [[], ["part", "tp"]]> record <init normal decay
      source <name = "h.weight", file = "m.onnx", offset = 64,
      type = tensor<16x8xf64>, file_size = 1000,
      digest = 18446744073709551615, base = 5, strides = [1, 8],
      valid = [8, 15]> transposed plus_one uses [3, 1, 5, 2]>
  // CHECK-NEXT: tensor exp_avg.w of w kind 1 dtype 2 init 0 decay 0 shape [8 2] axes [() ()] at 64
  rt.buffer @exp_avg.w : memref<8x2xbf16> state at 64 of @w
  // CHECK-NEXT: tensor grad.w of w kind 2 dtype 0 init 0 decay 0 shape [8 2] axes [() ()] at 128
  rt.buffer @grad.w : memref<8x2xf32> gradient at 128 of @w
  // CHECK-NEXT: tensor loss_sum of - kind 2 dtype 0 init 0 decay 0 shape [] axes [] at 192
  rt.buffer @loss_sum : memref<f32> sum at 192
  // CHECK-NEXT: input tokens ids dtype 4 shape [4 8] axes [(part) ()] at 256 slots 128 vocab 50257 by wte dims 1 0 order 2 along 1
  rt.buffer @input.tokens : memref<2x8xi64> input at 256 slots 3
      layout <[4, 8], [["part"], []]>
      {role = "tokens", name = "ids",
      nn.dims = #nn.dims<batch = 1, sequence = 0>,
      nn.order = #nn.head_tail<ranks = 2, dims = [0]>,
      nn.ids = {below = 50257 : i64, node = "wte"}}
  // CHECK-NEXT: input data kind dtype 4 of loss shape [4] axes [()] at 640 slots 64 vocab 7 by loss dims 0 -1
  rt.buffer @input.kind : memref<4xi64> input at 640 slots 3
      {role = "data", name = "kind",
      nn.ids = {below = 7 : i64, node = "loss", of_loss}}
  // CHECK-NEXT: input lr rate dtype 0 shape [] axes [] at 832 slots 0 vocab 0 by dims -1 -1
  rt.buffer @input.lr : memref<f32> input at 832 {role = "lr", name = "rate"}
  // CHECK-NEXT: output loss at 896
  rt.buffer @output.loss : memref<f32> output at 896 {name = "loss"}
  // CHECK-NEXT: eval output loss at 960
  rt.buffer @output.eval_loss : memref<f32> output at 960 {name = "eval_loss"}
  rt.buffer @order : memref<i64> value at 1024
  rt.func @train() {
    %s = rt.address @loss_sum : memref<f32>
    %o = rt.address @output.loss : memref<f32>
    rt.copy %s to %o : memref<f32> to memref<f32>
    %n = rt.address @order : memref<i64>
    %i = rt.comm_index over ["part", "tp"] times 25129 : memref<i64>
    rt.copy %i to %n : memref<i64> to memref<i64>
    %k = rt.constant -4294967297 : memref<i64>
    rt.copy %k to %n : memref<i64> to memref<i64>
    %again = rt.comm_index over ["part", "tp"] times 25129 : memref<i64>
    rt.copy %again to %n : memref<i64> to memref<i64>
  }
  rt.func @evaluate() {
    %s = rt.address @loss_sum : memref<f32>
    %o = rt.address @output.eval_loss : memref<f32>
    rt.copy %s to %o : memref<f32> to memref<f32>
  }
}
// CHECK-NEXT: stage 1 arena 0 kept 0 step yes evaluate no streams 1 events 0
rt.stage 1 arena 0 {
  rt.func @train() {
  }
  // CHECK-NEXT: attention of layer/attend dtype 2 backward 0 causal 1 scale 0.125 samples 0 key heads 0 workspace 0 sizes [2 8 8 4 2 64] q [6144 768 64] k [1024 128 64] v [1024 128 64] dq [0 0 0] dk [0 0 0] dv [0 0 0]
  // CHECK-NEXT: attention of  dtype 3 backward 1 causal 0 scale 0.5 samples 1 key heads 2 workspace 512 sizes [2 8 6 4 4 64] q [2048 256 64] k [1536 256 64] v [1536 256 64] dq [6144 768 64] dk [3072 512 64] dv [1536 256 64]
  rt.func @attend(%q: memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
      %k: memref<2x8x2x64xbf16>, %v: memref<2x8x2x64xbf16>,
      %o: memref<2x8x4x64xbf16>,
      %stats: memref<2x8x4xf32, strided<[32, 1, 8]>>)
      attributes {rt.values = array<i64: 0, 1, 2, -1, -1, 0, 1, 2, 3, 4>} {
    rt.attention causal %q, %k, %v to %o, %stats scale 0.125
        {rt.values = array<i64: 0, 1, 2, 3, 4>}
        : memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>,
          memref<2x8x4xf32, strided<[32, 1, 8]>> loc("layer/attend")
  }
  rt.func @attend_backward(%q: memref<2x8x4x64xf16>, %k: memref<2x6x4x64xf16>,
      %stats: memref<2x8x4xf32, strided<[32, 1, 8]>>,
      %dq: memref<2x8x4x64xf16, strided<[6144, 768, 64, 1]>>,
      %dk: memref<2x6x4x64xf16, strided<[3072, 512, 64, 1]>>,
      %dv: memref<2x6x4x64xf16>, %w: memref<512xi8>)
      attributes {rt.values = array<i64: 0, 1, 2, -1, -1, -1, -1,
                                         0, 1, 2, 3, 4, 5, 6>} {
    rt.attention_grad %q, %q, %k, %k, %q, %stats to %dq, %dk, %dv workspace %w
        samples 1 key_heads 2 scale 0.5
        {rt.values = array<i64: 0, 0, 1, 1, 0, 2, 3, 4, 5, 6>}
        : memref<2x8x4x64xf16>, memref<2x8x4x64xf16>, memref<2x6x4x64xf16>,
          memref<2x6x4x64xf16>, memref<2x8x4x64xf16>,
          memref<2x8x4xf32, strided<[32, 1, 8]>>,
          memref<2x8x4x64xf16, strided<[6144, 768, 64, 1]>>,
          memref<2x6x4x64xf16, strided<[3072, 512, 64, 1]>>,
          memref<2x6x4x64xf16>, memref<512xi8>
  }
}
}
