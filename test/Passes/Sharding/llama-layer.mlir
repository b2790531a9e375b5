// A Llama block with grouped-query attention: there are fewer key/value heads
// than ranks, so heads are sharded over two axes.
//
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='tp=4' %plan -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: nn.param @embed_tokens.weight : tensor<3x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.param @layers.0.input_layernorm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @layers.0.self_attn.q_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.param @layers.0.self_attn.k_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv"}]>
// CHECK: nn.param @layers.0.self_attn.v_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv"}]>
// CHECK: nn.param @layers.0.self_attn.o_proj.weight : tensor<2x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.param @layers.0.post_attention_layernorm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @layers.0.mlp.gate_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.param @layers.0.mlp.up_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.param @layers.0.mlp.down_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.param @norm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @grad.embed_tokens.weight : tensor<3x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.state @grad.layers.0.input_layernorm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.layers.0.self_attn.q_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.state @grad.layers.0.self_attn.k_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv"}], partial = {"tp_rep"}>
// CHECK: nn.state @grad.layers.0.self_attn.v_proj.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {"tp_kv"}], partial = {"tp_rep"}>
// CHECK: nn.state @grad.layers.0.self_attn.o_proj.weight : tensor<2x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.state @grad.layers.0.post_attention_layernorm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.layers.0.mlp.gate_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.state @grad.layers.0.mlp.up_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp_kv", "tp_rep"}]>
// CHECK: nn.state @grad.layers.0.mlp.down_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp_kv", "tp_rep"}, {}]>
// CHECK: nn.state @grad.norm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK-LABEL: func.func @microbatch(
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp_kv", "tp_rep"] {{.*}}: tensor<2x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}}: tensor<2x2x4xf32>
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 {{.*}} : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 {{.*}} : tensor<i64>
// CHECK-LABEL: func.func @evaluate(
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<2x4x8xf32>
// CHECK: = dist.offset ["tp_kv", "tp_rep"] by 3 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp_kv", "tp_rep"] {{.*}}: tensor<2x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}}: tensor<2x2x4xf32>
// CHECK-LABEL: func.func @evaluate_result(
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_rep"] {{.*}} : tensor<8x2xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_rep"] {{.*}} : tensor<8x2xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp_kv", "tp_rep"] {{.*}} : tensor<f32>

nn.param @"embed_tokens.weight" : tensor<12x8xf32> init normal decay
nn.param @"layers.0.input_layernorm.weight" : tensor<8xf32> init one
nn.param @"layers.0.self_attn.q_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"layers.0.self_attn.k_proj.weight" : tensor<8x4xf32> init normal decay
nn.param @"layers.0.self_attn.v_proj.weight" : tensor<8x4xf32> init normal decay
nn.param @"layers.0.self_attn.o_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"layers.0.post_attention_layernorm.weight" : tensor<8xf32> init one
nn.param @"layers.0.mlp.gate_proj.weight" : tensor<8x16xf32> init normal decay
nn.param @"layers.0.mlp.up_proj.weight" : tensor<8x16xf32> init normal decay
nn.param @"layers.0.mlp.down_proj.weight" : tensor<16x8xf32> init normal decay
nn.param @"norm.weight" : tensor<8xf32> init one

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"embed_tokens.weight" : tensor<12x8xf32> loc("embed_tokens.weight")
  %1 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("embed_tokens")
  %2 = nn.read @"layers.0.input_layernorm.weight" : tensor<8xf32> loc("layers.0.input_layernorm.weight")
  %3, %4 = nn.rms_norm %1 scale %2 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32> loc("layers.0.input_layernorm")
  %5 = nn.read @"layers.0.self_attn.q_proj.weight" : tensor<8x8xf32> loc("layers.0.self_attn.q_proj.weight")
  %6 = nn.contract "bsk,kn->bsn" %3, %5 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("layers.0.self_attn.q_proj")
  %7 = nn.reshape %6 : tensor<2x4x8xf32> -> tensor<2x4x4x2xf32> loc("layers.0.self_attn.q_proj")
  %8 = nn.rope %7 positions %positions theta 1.0e4 dim 2 : tensor<2x4x4x2xf32>, tensor<4xi64> loc("layers.0.self_attn.q_proj")
  %9 = nn.read @"layers.0.self_attn.k_proj.weight" : tensor<8x4xf32> loc("layers.0.self_attn.k_proj.weight")
  %10 = nn.contract "bsk,kn->bsn" %3, %9 : tensor<2x4x8xf32>, tensor<8x4xf32> -> tensor<2x4x4xf32> loc("layers.0.self_attn.k_proj")
  %11 = nn.reshape %10 : tensor<2x4x4xf32> -> tensor<2x4x2x2xf32> loc("layers.0.self_attn.k_proj")
  %12 = nn.rope %11 positions %positions theta 1.0e4 dim 2 : tensor<2x4x2x2xf32>, tensor<4xi64> loc("layers.0.self_attn.k_proj")
  %13 = nn.read @"layers.0.self_attn.v_proj.weight" : tensor<8x4xf32> loc("layers.0.self_attn.v_proj.weight")
  %14 = nn.contract "bsk,kn->bsn" %3, %13 : tensor<2x4x8xf32>, tensor<8x4xf32> -> tensor<2x4x4xf32> loc("layers.0.self_attn.v_proj")
  %15 = nn.reshape %14 : tensor<2x4x4xf32> -> tensor<2x4x2x2xf32> loc("layers.0.self_attn.v_proj")
  %16, %17 = nn.attention causal %8, %12, %15 positions %positions, %positions scale 0.7071067811865476 : (tensor<2x4x4x2xf32>, tensor<2x4x2x2xf32>, tensor<2x4x2x2xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x4x2xf32>, tensor<2x4x4xf32>) loc("layers.0.self_attn")
  %18 = nn.reshape %16 : tensor<2x4x4x2xf32> -> tensor<2x4x8xf32> loc("layers.0.self_attn")
  %19 = nn.read @"layers.0.self_attn.o_proj.weight" : tensor<8x8xf32> loc("layers.0.self_attn.o_proj.weight")
  %20 = nn.contract "bsk,kn->bsn" %18, %19 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("layers.0.self_attn.o_proj")
  %21 = nn.sum %1, %20 : tensor<2x4x8xf32> loc("layers.0.self_attn.o_proj")
  %22 = nn.read @"layers.0.post_attention_layernorm.weight" : tensor<8xf32> loc("layers.0.post_attention_layernorm.weight")
  %23, %24 = nn.rms_norm %21 scale %22 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32> loc("layers.0.post_attention_layernorm")
  %25 = nn.read @"layers.0.mlp.gate_proj.weight" : tensor<8x16xf32> loc("layers.0.mlp.gate_proj.weight")
  %26 = nn.contract "bsk,kn->bsn" %23, %25 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("layers.0.mlp.gate_proj")
  %27 = nn.read @"layers.0.mlp.up_proj.weight" : tensor<8x16xf32> loc("layers.0.mlp.up_proj.weight")
  %28 = nn.contract "bsk,kn->bsn" %23, %27 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("layers.0.mlp.up_proj")
  %29 = nn.silu %26 : tensor<2x4x16xf32> loc("layers.0.mlp.up_proj")
  %30 = nn.mul %29, %28 : tensor<2x4x16xf32> loc("layers.0.mlp.up_proj")
  %31 = nn.read @"layers.0.mlp.down_proj.weight" : tensor<16x8xf32> loc("layers.0.mlp.down_proj.weight")
  %32 = nn.contract "bsk,kn->bsn" %30, %31 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("layers.0.mlp.down_proj")
  %33 = nn.sum %21, %32 : tensor<2x4x8xf32> loc("layers.0.mlp.down_proj")
  %34 = nn.read @"norm.weight" : tensor<8xf32> loc("norm.weight")
  %35, %36 = nn.rms_norm %33 scale %34 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32> loc("norm")
  %37 = nn.contract "bsc,vc->bsv" %35, %0 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %37 : tensor<2x4x12xf32>
}
