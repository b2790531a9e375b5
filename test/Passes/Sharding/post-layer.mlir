// Post-norm, and attention as primitive ops.
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='dp=2 tp=2' %sequence -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: nn.param @wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.param @h.0.attn.c_attn.weight : tensor<8x3x1x4xf32> {{.*}}<@mesh, [{}, {}, {"tp"}, {}]>
// CHECK: nn.param @h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @grad.wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.h.0.attn.c_attn.weight : tensor<8x3x1x4xf32> {{.*}}<@mesh, [{}, {}, {"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.h.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.h.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK: nn.state @grad.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp", "tp"}>
// CHECK-LABEL: func.func @microbatch(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["tp"] {{.*}} : tensor<4xi64> -> tensor<2xi64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x4xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK-LABEL: func.func @evaluate(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.shard_slice %{{.*}} dim 0 over ["tp"] {{.*}} : tensor<4xi64> -> tensor<2xi64>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.reduce_scatter %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x4x8xf32> -> tensor<1x2x8xf32>
// CHECK: = dist.all_gather %{{.*}} dim 1 over ["tp"] {{.*}} : tensor<1x2x8xf32> -> tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x4xf32>
// CHECK-LABEL: func.func @evaluate_result(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<6x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x3x1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "tp"] {{.*}} : tensor<f32>

nn.param @"wte.weight" : tensor<12x8xf32> init normal decay
nn.param @"wpe.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.attn.c_attn.weight" : tensor<8x3x2x4xf32> init normal decay
nn.param @"h.0.attn.c_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.ln_1.weight" : tensor<8xf32> init one
nn.param @"h.0.ln_1.bias" : tensor<8xf32> init zero
nn.param @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> init normal decay
nn.param @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> init normal decay
nn.param @"h.0.ln_2.weight" : tensor<8xf32> init one
nn.param @"h.0.ln_2.bias" : tensor<8xf32> init zero
nn.param @"ln_f.weight" : tensor<8xf32> init one
nn.param @"ln_f.bias" : tensor<8xf32> init zero

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"wte.weight" : tensor<12x8xf32> loc("wte.weight")
  %1 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("wte")
  %2 = nn.read @"wpe.weight" : tensor<8x8xf32> loc("wpe.weight")
  %3 = nn.embedding %positions, %2 : tensor<4xi64>, tensor<8x8xf32> -> tensor<4x8xf32> loc("wpe")
  %4 = nn.broadcast %3 [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32> loc("wpe")
  %5 = nn.sum %1, %4 : tensor<2x4x8xf32> loc("wpe")
  %6 = nn.read @"h.0.attn.c_attn.weight" : tensor<8x3x2x4xf32> loc("h.0.attn.c_attn.weight")
  %7 = nn.contract "bsk,kphd->bsphd" %5, %6 : tensor<2x4x8xf32>, tensor<8x3x2x4xf32> -> tensor<2x4x3x2x4xf32> loc("h.0.attn.c_attn")
  %8 = nn.select %7 dim 2 index 0 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %9 = nn.select %7 dim 2 index 1 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %10 = nn.select %7 dim 2 index 2 : tensor<2x4x3x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %11 = nn.contract "bshd,bthd->bhst" %8, %9 : tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x2x4x4xf32> loc("h.0.attn")
  %12 = nn.scale %11 by 0.5 : tensor<2x2x4x4xf32> loc("h.0.attn")
  %13 = nn.constant dense<[[0.0, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9], [0.0, 0.0, 0.0, -1.0e9], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf32> loc("h.0.attn")
  %14 = nn.broadcast %13 [2, 3] : tensor<4x4xf32> -> tensor<2x2x4x4xf32> loc("h.0.attn")
  %15 = nn.sum %12, %14 : tensor<2x2x4x4xf32> loc("h.0.attn")
  %16 = nn.softmax %15 : tensor<2x2x4x4xf32> loc("h.0.attn")
  %17 = nn.contract "bhst,bthd->bshd" %16, %10 : tensor<2x2x4x4xf32>, tensor<2x4x2x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn")
  %18 = nn.reshape %17 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("h.0.attn")
  %19 = nn.read @"h.0.attn.c_proj.weight" : tensor<8x8xf32> loc("h.0.attn.c_proj.weight")
  %20 = nn.contract "bsk,kn->bsn" %18, %19 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %21 = nn.sum %5, %20 : tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %22 = nn.read @"h.0.ln_1.weight" : tensor<8xf32> loc("h.0.ln_1.weight")
  %23 = nn.read @"h.0.ln_1.bias" : tensor<8xf32> loc("h.0.ln_1.bias")
  %24, %25, %26 = nn.layer_norm %21 scale %22 bias %23 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("h.0.ln_1")
  %27 = nn.read @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> loc("h.0.mlp.c_fc.weight")
  %28 = nn.contract "bsk,kn->bsn" %24, %27 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %29 = nn.gelu tanh %28 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %30 = nn.read @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> loc("h.0.mlp.c_proj.weight")
  %31 = nn.contract "bsk,kn->bsn" %29, %30 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %32 = nn.sum %24, %31 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %33 = nn.read @"h.0.ln_2.weight" : tensor<8xf32> loc("h.0.ln_2.weight")
  %34 = nn.read @"h.0.ln_2.bias" : tensor<8xf32> loc("h.0.ln_2.bias")
  %35, %36, %37 = nn.layer_norm %32 scale %33 bias %34 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("h.0.ln_2")
  %38 = nn.read @"ln_f.weight" : tensor<8xf32> loc("ln_f.weight")
  %39 = nn.read @"ln_f.bias" : tensor<8xf32> loc("ln_f.bias")
  %40, %41, %42 = nn.layer_norm %35 scale %38 bias %39 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("ln_f")
  %43 = nn.contract "bsc,vc->bsv" %40, %0 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %43 : tensor<2x4x12xf32>
}
