// A GPT-2 block with a tied table and dropout: the shardings of its parameters
// and gradients, the order of collectives, and a comparison of every value with
// one rank's.
//
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='dp=2 cp=2 tp=2' %sequence -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: nn.param @wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.param @h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.attn.c_attn.weight : tensor<8x3x1x4xf32> {{.*}}<@mesh, [{}, {}, {"tp"}, {}]>
// CHECK: nn.param @h.0.attn.c_attn.bias : tensor<3x1x4xf32> {{.*}}<@mesh, [{}, {"tp"}, {}]>
// CHECK: nn.param @h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.attn.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @h.0.mlp.c_fc.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.mlp.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp", "cp"}>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, [], partial = {"dp", "cp"}>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.attn.c_attn.weight : tensor<8x3x1x4xf32> {{.*}}<@mesh, [{}, {}, {"tp"}, {}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.attn.c_attn.bias : tensor<3x1x4xf32> {{.*}}<@mesh, [{}, {"tp"}, {}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.attn.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.mlp.c_fc.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp", "cp"}>
// CHECK: nn.state @grad.h.0.mlp.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK: nn.state @grad.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "cp", "tp"}>
// CHECK-LABEL: func.func @microbatch(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["cp", "tp"] {{.*}} : tensor<4xi64> -> tensor<1xi64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["cp"] {{.*}} : tensor<4xi64> -> tensor<2xi64>
// CHECK: = dist.offset ["tp"] by 1 : tensor<i64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x2xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x2xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.offset ["tp"] by 1 {{.*}} : tensor<i64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x4x1x4xf32> -> tensor<1x2x1x4xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x4x1x4xf32> -> tensor<1x2x1x4xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK-LABEL: func.func @evaluate(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["cp", "tp"] {{.*}} : tensor<4xi64> -> tensor<1xi64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["cp"] {{.*}} : tensor<1x2x1x4xf32> -> tensor<1x4x1x4xf32>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["cp"] {{.*}} : tensor<4xi64> -> tensor<2xi64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x1x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x1x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x2xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x2xf32>
// CHECK-LABEL: func.func @evaluate_result(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<6x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8x3x1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<3x1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "cp", "tp"] {{.*}} : tensor<f32>

nn.param @"wte.weight" : tensor<12x8xf32> init normal decay
nn.param @"wpe.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.ln_1.weight" : tensor<8xf32> init one
nn.param @"h.0.ln_1.bias" : tensor<8xf32> init zero
nn.param @"h.0.attn.c_attn.weight" : tensor<8x3x2x4xf32> init normal decay
nn.param @"h.0.attn.c_attn.bias" : tensor<3x2x4xf32> init zero
nn.param @"h.0.attn.c_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.attn.c_proj.bias" : tensor<8xf32> init zero
nn.param @"h.0.ln_2.weight" : tensor<8xf32> init one
nn.param @"h.0.ln_2.bias" : tensor<8xf32> init zero
nn.param @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> init normal decay
nn.param @"h.0.mlp.c_fc.bias" : tensor<16xf32> init zero
nn.param @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> init normal decay
nn.param @"h.0.mlp.c_proj.bias" : tensor<8xf32> init zero
nn.param @"ln_f.weight" : tensor<8xf32> init one
nn.param @"ln_f.bias" : tensor<8xf32> init zero

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>},
    %samples: tensor<2xi64> {nn.name = "samples", nn.role = #nn.role<samples>},
    %seed: tensor<i64> {nn.name = "seed", nn.role = #nn.role<seed>},
    %step: tensor<i64> {nn.name = "step", nn.role = #nn.role<step>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"wte.weight" : tensor<12x8xf32> loc("wte.weight")
  %1 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("wte")
  %2 = nn.read @"wpe.weight" : tensor<8x8xf32> loc("wpe.weight")
  %3 = nn.embedding %positions, %2 : tensor<4xi64>, tensor<8x8xf32> -> tensor<4x8xf32> loc("wpe")
  %4 = nn.broadcast %3 [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32> loc("wpe")
  %5 = nn.sum %1, %4 : tensor<2x4x8xf32> loc("wpe")
  %6 = nn.dropout %5 samples %samples positions %positions seed %seed step %step {p = 0.1, id = 1, batch_dim = 0, seq_dim = 1} : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64> loc("wpe")
  %7 = nn.read @"h.0.ln_1.weight" : tensor<8xf32> loc("h.0.ln_1.weight")
  %8 = nn.read @"h.0.ln_1.bias" : tensor<8xf32> loc("h.0.ln_1.bias")
  %9, %10, %11 = nn.layer_norm %6 scale %7 bias %8 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("h.0.ln_1")
  %12 = nn.read @"h.0.attn.c_attn.weight" : tensor<8x3x2x4xf32> loc("h.0.attn.c_attn.weight")
  %13 = nn.contract "bsk,kphd->bsphd" %9, %12 : tensor<2x4x8xf32>, tensor<8x3x2x4xf32> -> tensor<2x4x3x2x4xf32> loc("h.0.attn.c_attn")
  %14 = nn.read @"h.0.attn.c_attn.bias" : tensor<3x2x4xf32> loc("h.0.attn.c_attn.bias")
  %15 = nn.broadcast %14 [2, 3, 4] : tensor<3x2x4xf32> -> tensor<2x4x3x2x4xf32> loc("h.0.attn.c_attn")
  %16 = nn.sum %13, %15 : tensor<2x4x3x2x4xf32> loc("h.0.attn.c_attn")
  %17 = nn.select %16 dim 2 index 0 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %18 = nn.select %16 dim 2 index 1 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %19 = nn.select %16 dim 2 index 2 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %20, %21 = nn.attention causal %17, %18, %19 positions %positions, %positions samples %samples seed %seed step %step scale 0.5 {p = 0.1, id = 2} : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xi64>, tensor<i64>, tensor<i64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>) loc("h.0.attn")
  %22 = nn.reshape %20 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("h.0.attn")
  %23 = nn.read @"h.0.attn.c_proj.weight" : tensor<8x8xf32> loc("h.0.attn.c_proj.weight")
  %24 = nn.contract "bsk,kn->bsn" %22, %23 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %25 = nn.read @"h.0.attn.c_proj.bias" : tensor<8xf32> loc("h.0.attn.c_proj.bias")
  %26 = nn.broadcast %25 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %27 = nn.sum %24, %26 : tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %28 = nn.dropout %27 samples %samples positions %positions seed %seed step %step {p = 0.1, id = 3, batch_dim = 0, seq_dim = 1} : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64> loc("h.0.attn.c_proj")
  %29 = nn.sum %6, %28 : tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %30 = nn.read @"h.0.ln_2.weight" : tensor<8xf32> loc("h.0.ln_2.weight")
  %31 = nn.read @"h.0.ln_2.bias" : tensor<8xf32> loc("h.0.ln_2.bias")
  %32, %33, %34 = nn.layer_norm %29 scale %30 bias %31 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("h.0.ln_2")
  %35 = nn.read @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> loc("h.0.mlp.c_fc.weight")
  %36 = nn.contract "bsk,kn->bsn" %32, %35 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %37 = nn.read @"h.0.mlp.c_fc.bias" : tensor<16xf32> loc("h.0.mlp.c_fc.bias")
  %38 = nn.broadcast %37 [2] : tensor<16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %39 = nn.sum %36, %38 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %40 = nn.gelu tanh %39 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %41 = nn.read @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> loc("h.0.mlp.c_proj.weight")
  %42 = nn.contract "bsk,kn->bsn" %40, %41 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %43 = nn.read @"h.0.mlp.c_proj.bias" : tensor<8xf32> loc("h.0.mlp.c_proj.bias")
  %44 = nn.broadcast %43 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %45 = nn.sum %42, %44 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %46 = nn.dropout %45 samples %samples positions %positions seed %seed step %step {p = 0.1, id = 4, batch_dim = 0, seq_dim = 1} : tensor<2x4x8xf32>, tensor<2xi64>, tensor<4xi64>, tensor<i64>, tensor<i64> loc("h.0.mlp.c_proj")
  %47 = nn.sum %29, %46 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %48 = nn.read @"ln_f.weight" : tensor<8xf32> loc("ln_f.weight")
  %49 = nn.read @"ln_f.bias" : tensor<8xf32> loc("ln_f.bias")
  %50, %51, %52 = nn.layer_norm %47 scale %48 bias %49 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("ln_f")
  %53 = nn.contract "bsc,vc->bsv" %50, %0 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %53 : tensor<2x4x12xf32>
}
