// Parallel attention and MLP: their results are added while partial. Here both
// pipeline stages have all parameters, but they are not replicas.
//
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='pp=2 tp=2' %plan -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: nn.param @wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.param @h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.attn.c_attn.weight : tensor<8x1x3x4xf32> {{.*}}<@mesh, [{}, {"tp"}, {}, {}]>
// CHECK: nn.param @h.0.attn.c_attn.bias : tensor<1x3x4xf32> {{.*}}<@mesh, [{"tp"}, {}, {}]>
// CHECK: nn.param @h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.attn.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @h.0.mlp.c_fc.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.mlp.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @lm_head.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"pp"}>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, [], partial = {"pp"}>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"pp"}>
// CHECK: nn.state @grad.wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.wpe.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.state @grad.h.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.h.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.h.0.attn.c_attn.weight : tensor<8x1x3x4xf32> {{.*}}<@mesh, [{}, {"tp"}, {}, {}]>
// CHECK: nn.state @grad.h.0.attn.c_attn.bias : tensor<1x3x4xf32> {{.*}}<@mesh, [{"tp"}, {}, {}]>
// CHECK: nn.state @grad.h.0.attn.c_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.h.0.attn.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.state @grad.h.0.mlp.c_fc.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.state @grad.h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.h.0.mlp.c_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.lm_head.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK-LABEL: func.func @microbatch(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<2x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x2x4xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK-LABEL: func.func @evaluate(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<2x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x2x4xf32>
// CHECK-LABEL: func.func @evaluate_result(
// CHECK: = dist.all_reduce sum %{{.*}} over ["pp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["pp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["pp", "tp"] {{.*}} : tensor<f32>

nn.param @"wte.weight" : tensor<12x8xf32> init normal decay
nn.param @"wpe.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.ln_1.weight" : tensor<8xf32> init one
nn.param @"h.0.ln_1.bias" : tensor<8xf32> init zero
nn.param @"h.0.attn.c_attn.weight" : tensor<8x2x3x4xf32> init normal decay
nn.param @"h.0.attn.c_attn.bias" : tensor<2x3x4xf32> init zero
nn.param @"h.0.attn.c_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"h.0.attn.c_proj.bias" : tensor<8xf32> init zero
nn.param @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> init normal decay
nn.param @"h.0.mlp.c_fc.bias" : tensor<16xf32> init zero
nn.param @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> init normal decay
nn.param @"h.0.mlp.c_proj.bias" : tensor<8xf32> init zero
nn.param @"ln_f.weight" : tensor<8xf32> init one
nn.param @"ln_f.bias" : tensor<8xf32> init zero
nn.param @"lm_head.weight" : tensor<12x8xf32> init normal decay

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"wte.weight" : tensor<12x8xf32> loc("wte.weight")
  %1 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("wte")
  %2 = nn.read @"wpe.weight" : tensor<8x8xf32> loc("wpe.weight")
  %3 = nn.embedding %positions, %2 : tensor<4xi64>, tensor<8x8xf32> -> tensor<4x8xf32> loc("wpe")
  %4 = nn.broadcast %3 [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32> loc("wpe")
  %5 = nn.sum %1, %4 : tensor<2x4x8xf32> loc("wpe")
  %6 = nn.read @"h.0.ln_1.weight" : tensor<8xf32> loc("h.0.ln_1.weight")
  %7 = nn.read @"h.0.ln_1.bias" : tensor<8xf32> loc("h.0.ln_1.bias")
  %8, %9, %10 = nn.layer_norm %5 scale %6 bias %7 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("h.0.ln_1")
  %11 = nn.read @"h.0.attn.c_attn.weight" : tensor<8x2x3x4xf32> loc("h.0.attn.c_attn.weight")
  %12 = nn.contract "bsk,khpd->bshpd" %8, %11 : tensor<2x4x8xf32>, tensor<8x2x3x4xf32> -> tensor<2x4x2x3x4xf32> loc("h.0.attn.c_attn")
  %13 = nn.read @"h.0.attn.c_attn.bias" : tensor<2x3x4xf32> loc("h.0.attn.c_attn.bias")
  %14 = nn.broadcast %13 [2, 3, 4] : tensor<2x3x4xf32> -> tensor<2x4x2x3x4xf32> loc("h.0.attn.c_attn")
  %15 = nn.sum %12, %14 : tensor<2x4x2x3x4xf32> loc("h.0.attn.c_attn")
  %16 = nn.select %15 dim 3 index 0 : tensor<2x4x2x3x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %17 = nn.select %15 dim 3 index 1 : tensor<2x4x2x3x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %18 = nn.select %15 dim 3 index 2 : tensor<2x4x2x3x4xf32> -> tensor<2x4x2x4xf32> loc("h.0.attn.c_attn")
  %19, %20 = nn.attention causal %16, %17, %18 positions %positions, %positions scale 0.5 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>) loc("h.0.attn")
  %21 = nn.reshape %19 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("h.0.attn")
  %22 = nn.read @"h.0.attn.c_proj.weight" : tensor<8x8xf32> loc("h.0.attn.c_proj.weight")
  %23 = nn.contract "bsk,kn->bsn" %21, %22 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %24 = nn.read @"h.0.attn.c_proj.bias" : tensor<8xf32> loc("h.0.attn.c_proj.bias")
  %25 = nn.broadcast %24 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %26 = nn.sum %23, %25 : tensor<2x4x8xf32> loc("h.0.attn.c_proj")
  %27 = nn.read @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> loc("h.0.mlp.c_fc.weight")
  %28 = nn.contract "bsk,kn->bsn" %8, %27 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %29 = nn.read @"h.0.mlp.c_fc.bias" : tensor<16xf32> loc("h.0.mlp.c_fc.bias")
  %30 = nn.broadcast %29 [2] : tensor<16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %31 = nn.sum %28, %30 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %32 = nn.gelu tanh %31 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %33 = nn.read @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> loc("h.0.mlp.c_proj.weight")
  %34 = nn.contract "bsk,kn->bsn" %32, %33 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %35 = nn.read @"h.0.mlp.c_proj.bias" : tensor<8xf32> loc("h.0.mlp.c_proj.bias")
  %36 = nn.broadcast %35 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %37 = nn.sum %34, %36 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %38 = nn.sum %5, %26, %37 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %39 = nn.read @"ln_f.weight" : tensor<8xf32> loc("ln_f.weight")
  %40 = nn.read @"ln_f.bias" : tensor<8xf32> loc("ln_f.bias")
  %41, %42, %43 = nn.layer_norm %38 scale %39 bias %40 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("ln_f")
  %44 = nn.read @"lm_head.weight" : tensor<12x8xf32> loc("lm_head.weight")
  %45 = nn.contract "bsc,vc->bsv" %41, %44 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %45 : tensor<2x4x12xf32>
}
