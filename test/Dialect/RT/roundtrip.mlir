// Every op is parsed, printed and parsed again.
// RUN: pcc-opt %s | pcc-opt | FileCheck %s

// CHECK: rt.program axes <["pp"=2, "tp"=2]> comms {{\[}}["tp"]] beside {{\[}}["tp"]] microbatches 4 {micro_batch = 2 : i64, seq = 64 : i64}
rt.program axes <["pp"=2, "tp"=2]> comms [["tp"]] beside [["tp"]] microbatches 4
    {micro_batch = 2 : i64, seq = 64 : i64}

func.func private @gelu(tensor<4x8xf32>) -> tensor<4x8xf32>
    attributes {rt.kernel}

// CHECK: rt.stage 0 arena 4096 {
rt.stage 0 arena 4096 {
  // CHECK: rt.buffer @w : memref<8x8xf32> param at 0 layout <[8, 16], {{\[}}[], ["tp"]]>
  rt.buffer @w : memref<8x8xf32> param at 0 layout <[8, 16], [[], ["tp"]]>
  // CHECK: rt.buffer @exp_avg.w : memref<8x8xf32> state at 2432 layout <[8, 16], {{\[}}[], ["tp"]]> of @w record <decay source <name = "w"{{.*}}> plus_one>
  rt.buffer @exp_avg.w : memref<8x8xf32> state at 2432
      layout <[8, 16], [[], ["tp"]]> of @w record <decay source <
      name = "w", file = "m.onnx", offset = 64, type = tensor<8x16xf32>,
      file_size = 1000, digest = 7, base = 0, strides = [16, 1],
      valid = [8, 16]> plus_one>
  // CHECK: rt.buffer @loss_scale : memref<f32> number at 2688 first 1.024000e+03
  rt.buffer @loss_scale : memref<f32> number at 2688 first 1.024000e+03
  // CHECK: rt.buffer @x : memref<4x8xf32> input at 256 slots 7
  rt.buffer @x : memref<4x8xf32> input at 256 slots 7 {role = "data"}
  // CHECK: rt.buffer @y : memref<4x8xf32> value{{$}}
  rt.buffer @y : memref<4x8xf32> value
  // CHECK: rt.buffer @z : memref<4x8xf32> value at 1152, 1408, 1280 slots 3
  rt.buffer @z : memref<4x8xf32> value at 1152, 1408, 1280 slots 3
  // CHECK: rt.buffer @row : memref<1x64xf32> bucket at 1536, 1792, 2048 slots 3
  rt.buffer @row : memref<1x64xf32> bucket at 1536, 1792, 2048 slots 3
  // CHECK: rt.buffer @g : memref<8xf32> gradient in @row element 32 at 1664, 1920, 2176 slots 3
  rt.buffer @g : memref<8xf32> gradient in @row element 32 at 1664, 1920, 2176 slots 3
  // CHECK: rt.buffer @frame.turning : memref<64xi8> frame at 2368, 2304 slots 2
  rt.buffer @frame.turning : memref<64xi8> frame at 2368, 2304 slots 2
  rt.func @turning() frame 64 {
  }
  // CHECK: rt.buffer @frame.task : memref<192xi8> frame{{$}}
  rt.buffer @frame.task : memref<192xi8> frame
  // CHECK: rt.func @task(%{{.*}}: memref<4x8xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<8x8xf32>, %{{.*}}: memref<i64>) frame 192 {
  rt.func @task(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %w: memref<8x8xf32>, %k: memref<i64>) frame 192 {
    // CHECK: rt.gemm %{{.*}}, %{{.*}}, %{{.*}} as <m = 4, n = 8, k = 8, trans_b = true, lda = 8, ldb = 8, ldc = 8>
    rt.gemm %a, %w, %b as <m = 4, n = 8, k = 8,
        trans_b = true, lda = 8, ldb = 8, ldc = 8>
        : memref<4x8xf32>, memref<8x8xf32>, memref<4x8xf32>
    // CHECK: rt.grouped_gemm tn %{{.*}}, %{{.*}}, %{{.*}} ends %{{.*}} adds : memref<4x2xf32>, memref<4x2xf32>, memref<2x2x2xf32>, memref<2xi32>
    %few = rt.temporary at 64 : memref<4x2xf32>
    %groups = rt.temporary at 0 : memref<2x2x2xf32>
    %ends = rt.temporary at 0 : memref<2xi32>
    rt.grouped_gemm tn %few, %few, %groups ends %ends adds
        : memref<4x2xf32>, memref<4x2xf32>, memref<2x2x2xf32>, memref<2xi32>
    // CHECK: rt.temporary at 128 : memref<4x8xbf16>
    %h = rt.temporary at 128 : memref<4x8xbf16>
    // CHECK: rt.temporary at 0 : memref<8x8xbf16>
    %v16 = rt.temporary at 0 : memref<8x8xbf16>
    // CHECK: rt.gemm {{.*}} : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xf32>
    rt.gemm %h, %v16, %b as <m = 4, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8>
        : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xf32>
    // CHECK: rt.gemm {{.*}} : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xbf16>
    rt.gemm %h, %v16, %h as <m = 4, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8>
        : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xbf16>
    // CHECK: rt.gemm {{.*}} epilogue <gelu> vector %{{.*}} : memref<8xf32> matrix %{{.*}} : memref<4x8xf32> : memref<4x8xbf16>
    %bias = rt.view %a : memref<4x8xf32> to memref<8xf32>
    rt.gemm %h, %v16, %b as <m = 4, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8>
        epilogue <gelu> vector %bias : memref<8xf32> matrix %a : memref<4x8xf32>
        : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xf32>
    // CHECK: rt.gemm {{.*}} beta = 1.0{{.*}}> added %{{.*}} : memref<4x8xf32> : memref<4x8xbf16>
    rt.gemm %h, %v16, %b as <m = 4, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8,
        beta = 1.0 : f32> added %a : memref<4x8xf32>
        : memref<4x8xbf16>, memref<8x8xbf16>, memref<4x8xf32>
    // CHECK: rt.launch @gelu ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32>) inplace [0]
    rt.launch @gelu ins(%b : memref<4x8xf32>) outs(%b : memref<4x8xf32>)
        inplace [0]
    // CHECK: rt.view %{{.*}} offset 8 : memref<4x8xf32> to memref<2x4xf32, strided<[8, 1]>>
    %v = rt.view %b offset 8 : memref<4x8xf32>
        to memref<2x4xf32, strided<[8, 1]>>
    // CHECK: rt.all_reduce sum %{{.*}} over ["tp"] : memref<4x8xf32>
    rt.all_reduce sum %b over ["tp"] : memref<4x8xf32>
    // CHECK: rt.temporary : memref<i64>
    %i = rt.temporary : memref<i64>
    // CHECK: rt.comm_index over ["tp"] times 8 : memref<i64>
    %j = rt.comm_index over ["tp"] times 8 : memref<i64>
  }
  // CHECK: rt.func @attention(
  rt.func @attention(%q: memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
      %k: memref<2x8x2x64xbf16>, %o: memref<2x8x4x64xbf16>,
      %stats: memref<2x8x4xf32, strided<[32, 1, 8]>>, %w: memref<512xi8>) {
    // CHECK: rt.attention causal %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}}, %{{.*}} scale 1.250000e-01 : memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>, memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>, memref<2x8x4xf32, strided<[32, 1, 8]>>
    rt.attention causal %q, %k, %k to %o, %stats scale 0.125
        : memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>,
          memref<2x8x4xf32, strided<[32, 1, 8]>>
    // CHECK: rt.attention_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}}, %{{.*}}, %{{.*}} workspace %{{.*}} samples 1 scale 1.250000e-01 :
    rt.attention_grad %o, %q, %k, %k, %o, %stats to %o, %k, %k workspace %w
        samples 1 scale 0.125
        : memref<2x8x4x64xbf16>,
          memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>,
          memref<2x8x4xf32, strided<[32, 1, 8]>>, memref<2x8x4x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<512xi8>
    // CHECK: rt.attention_grad {{.*}} workspace %{{.*}} samples 1 key_heads 1 scale 1.250000e-01 :
    rt.attention_grad %o, %q, %k, %k, %o, %stats to %o, %k, %k workspace %w
        samples 1 key_heads 1 scale 0.125
        : memref<2x8x4x64xbf16>,
          memref<2x8x4x64xbf16, strided<[6144, 768, 64, 1]>>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<2x8x4x64xbf16>,
          memref<2x8x4xf32, strided<[32, 1, 8]>>, memref<2x8x4x64xbf16>,
          memref<2x8x2x64xbf16>, memref<2x8x2x64xbf16>, memref<512xi8>
  }
  // CHECK: rt.func @none() attributes {of = "nothing"} {
  rt.func @none() attributes {of = "nothing"} {
  }
  // CHECK: rt.func @both() frame 64 attributes {of = "nothing"} {
  rt.func @both() frame 64 attributes {of = "nothing"} {
  }
  // CHECK: rt.event @sent slots 2
  rt.event @sent slots 2
  // CHECK: rt.func @reduce(%[[X:.*]]: memref<4x8xf32>, %[[E:.*]]: !rt.event) {
  rt.func @reduce(%x: memref<4x8xf32>, %e: !rt.event) {
    // CHECK-NEXT: rt.all_reduce sum %[[X]] over ["tp"] stream 3 : memref<4x8xf32>
    rt.all_reduce sum %x over ["tp"] stream 3 : memref<4x8xf32>
    // CHECK-NEXT: rt.record %[[E]] stream 3
    rt.record %e stream 3
    // CHECK-NEXT: rt.wait %[[E]]{{$}}
    rt.wait %e
    // CHECK-NEXT: rt.all_gather %[[X]] to %[[X]] over ["tp"] stream 1 :
    rt.all_gather %x to %x over ["tp"] stream 1
        : memref<4x8xf32> to memref<4x8xf32>
    // CHECK-NEXT: rt.reduce_scatter %[[X]] to %[[X]] over ["tp"] stream 1 :
    rt.reduce_scatter %x to %x over ["tp"] stream 1
        : memref<4x8xf32> to memref<4x8xf32>
    // CHECK-NEXT: rt.reduce_scatter %[[X]] to %[[X]] over ["tp"] adds stream 1 :
    rt.reduce_scatter %x to %x over ["tp"] adds stream 1
        : memref<4x8xf32> to memref<4x8xf32>
    // CHECK-NEXT: rt.all_to_all %[[X]] to %[[X]] over ["tp"] stream 1 :
    rt.all_to_all %x to %x over ["tp"] stream 1
        : memref<4x8xf32> to memref<4x8xf32>
    // CHECK-NEXT: rt.send %[[X]] to 1 channel 2 stream 4 : memref<4x8xf32>
    rt.send %x to 1 channel 2 stream 4 : memref<4x8xf32>
    // CHECK-NEXT: rt.recv %[[X]] from 1 channel 2 stream 5 : memref<4x8xf32>
    rt.recv %x from 1 channel 2 stream 5 : memref<4x8xf32>
  }
  rt.func @train() {
    // CHECK: %[[SENT:.*]] = rt.event_of @sent slot 1 : !rt.event
    %sent = rt.event_of @sent slot 1 : !rt.event
    rt.for %m = 0 to 4 {
      // CHECK: rt.event_of @sent slot %[[M:.*]] : !rt.event
      %same = rt.event_of @sent slot %m : !rt.event
      // CHECK: rt.event_of @sent slot %[[M]] + 1 : !rt.event
      %next = rt.event_of @sent slot %m + 1 : !rt.event
      // CHECK: rt.address @row slot %[[M]] among 1 to 3 : memref<1x64xf32>
      %row = rt.address @row slot %m among 1 to 3 : memref<1x64xf32>
      // CHECK: rt.address @g slot %[[M]] + 1 among 0 to 2 : memref<8xf32>
      %g = rt.address @g slot %m + 1 among 0 to 2 : memref<8xf32>
    }
    // CHECK: rt.address @row slot 2 : memref<1x64xf32>
    %row = rt.address @row slot 2 : memref<1x64xf32>
    // CHECK: rt.address @x slot 1 : memref<4x8xf32>
    %x = rt.address @x slot 1 : memref<4x8xf32>
    // CHECK: rt.address @y : memref<4x8xf32>
    %y = rt.address @y : memref<4x8xf32>
    // CHECK: rt.graph 0 turns 2
    rt.graph 0 turns 2
    // CHECK: rt.for %m = 1 to 6 attributes {note = 1 : i64} {
    rt.for %turn = 1 to 6 attributes {note = 1} {
      // CHECK-NEXT: rt.address @x slot %m : memref<4x8xf32>
      %now = rt.address @x slot %turn : memref<4x8xf32>
      // CHECK-NEXT: rt.address @x slot %m + 1 : memref<4x8xf32>
      %then = rt.address @x slot %turn + 1 : memref<4x8xf32>
      // CHECK-NEXT: rt.call @none(){{$}}
      rt.call @none()
      // CHECK-NEXT: rt.call @turning() frame @frame.turning{{$}}
      rt.call @turning() frame @frame.turning
    }
    // CHECK: rt.address @w : memref<8x8xf32>
    %w = rt.address @w : memref<8x8xf32>
    // CHECK: rt.graph 1{{$}}
    rt.graph 1
    // CHECK: rt.constant -4294967296 : memref<i64>
    %k = rt.constant -4294967296 : memref<i64>
    // CHECK: rt.call @task(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) frame @frame.task : memref<4x8xf32>, memref<4x8xf32>, memref<8x8xf32>, memref<i64>
    rt.call @task(%x, %y, %w, %k) frame @frame.task
        : memref<4x8xf32>, memref<4x8xf32>, memref<8x8xf32>, memref<i64>
    // CHECK: rt.call @none(){{$}}
    rt.call @none()
    // CHECK: rt.copy %{{.*}} to %{{.*}} : memref<4x8xf32> to memref<4x8xf32>
    rt.copy %x to %y : memref<4x8xf32> to memref<4x8xf32>
    // CHECK: rt.zero %{{.*}} : memref<4x8xf32>
    rt.zero %y : memref<4x8xf32>
    // CHECK: rt.send %{{.*}} to 1 channel 0 : memref<4x8xf32>
    rt.send %x to 1 channel 0 : memref<4x8xf32>
    // CHECK: rt.recv %{{.*}} from 1 channel 1 : memref<4x8xf32>
    rt.recv %y from 1 channel 1 : memref<4x8xf32>
    // CHECK: rt.exchange %{{.*}} to 1 channel 0, %{{.*}} from 1 channel 1 : memref<4x8xf32>, memref<4x8xf32>
    rt.exchange %x to 1 channel 0, %y from 1 channel 1
        : memref<4x8xf32>, memref<4x8xf32>
    // CHECK: rt.all_gather %{{.*}} to %{{.*}} over ["tp"]
    rt.all_gather %x to %y over ["tp"] : memref<4x8xf32> to memref<4x8xf32>
    rt.reduce_scatter %x to %y over ["tp"]
        : memref<4x8xf32> to memref<4x8xf32>
    rt.all_to_all %x to %y over ["tp"] : memref<4x8xf32> to memref<4x8xf32>
  }
}
// CHECK: rt.stage 1 {
rt.stage 1 {
  // CHECK-NEXT: rt.buffer @x : memref<4xf32> input slots 2 refilled {role = "data"}
  rt.buffer @x : memref<4xf32> input slots 2 refilled {role = "data"}
  // CHECK-NEXT: rt.func @train() {
  rt.func @train() {
    // CHECK-NEXT: %[[X3:.*]] = rt.address @x slot 3 : memref<4xf32>
    %x = rt.address @x slot 3 : memref<4xf32>
    // CHECK-NEXT: rt.fill %[[X3]] stream 2 : memref<4xf32>
    rt.fill %x stream 2 : memref<4xf32>
    // CHECK-NEXT: rt.fill %[[X3]] : memref<4xf32>
    rt.fill %x : memref<4xf32>
  }
}
// CHECK: rt.stage 2 arena 4194304 offloaded 2097152 {
rt.stage 2 arena 4194304 offloaded 2097152 {
}
