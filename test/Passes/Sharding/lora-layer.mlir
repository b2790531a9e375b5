// A low-rank pair (LoRA) next to a weight is no column-row parallel pair: it is
// not sharded.
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='tp=2' %plan -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: remark: loc("h.0.mlp.c_fc.lora_A"): 'h.0.mlp.c_fc.lora_A' runs whole on each of 2 tensor-parallel ranks (256 FLOPs)
// CHECK: remark: loc("h.0.mlp.c_proj.lora_B"): 'h.0.mlp.c_proj.lora_B' runs whole on each of 2 tensor-parallel ranks (256 FLOPs)
// CHECK: nn.param @wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.norm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @h.0.mlp.c_fc.lora_A.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.param @h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @h.0.mlp.c_fc.lora_B.weight : tensor<2x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @h.0.mlp.c_proj.lora_A.weight : tensor<8x2xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @h.0.mlp.c_proj.lora_B.weight : tensor<2x8xf32> {{.*}}<@mesh, [{}, {}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, []>
// CHECK: nn.state @grad.wte.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.h.0.norm.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @grad.h.0.mlp.c_fc.lora_A.weight : tensor<8x2xf32> {{.*}}<@mesh, [{}, {}], partial = {"tp"}>
// CHECK: nn.state @grad.h.0.mlp.c_fc.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.state @grad.h.0.mlp.c_fc.lora_B.weight : tensor<2x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.state @grad.h.0.mlp.c_proj.lora_A.weight : tensor<8x2xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.h.0.mlp.c_proj.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.state @grad.h.0.mlp.c_proj.lora_B.weight : tensor<2x8xf32> {{.*}}<@mesh, [{}, {}], partial = {"tp"}>
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
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<8x2xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<2x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<f32>

nn.param @"wte.weight" : tensor<12x8xf32> init normal decay
nn.param @"h.0.norm.weight" : tensor<8xf32> init one
nn.param @"h.0.mlp.c_fc.lora_A.weight" : tensor<8x2xf32> init normal decay
nn.param @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> init normal decay
nn.param @"h.0.mlp.c_fc.lora_B.weight" : tensor<2x16xf32> init normal decay
nn.param @"h.0.mlp.c_proj.lora_A.weight" : tensor<16x2xf32> init normal decay
nn.param @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> init normal decay
nn.param @"h.0.mlp.c_proj.lora_B.weight" : tensor<2x8xf32> init normal decay

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"wte.weight" : tensor<12x8xf32> loc("wte.weight")
  %1 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("wte")
  %2 = nn.read @"h.0.norm.weight" : tensor<8xf32> loc("h.0.norm.weight")
  %3, %4 = nn.rms_norm %1 scale %2 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32> -> tensor<2x4xf32> loc("h.0.norm")
  %5 = nn.read @"h.0.mlp.c_fc.lora_A.weight" : tensor<8x2xf32> loc("h.0.mlp.c_fc.lora_A.weight")
  %6 = nn.contract "bsk,kn->bsn" %3, %5 : tensor<2x4x8xf32>, tensor<8x2xf32> -> tensor<2x4x2xf32> loc("h.0.mlp.c_fc.lora_A")
  %7 = nn.read @"h.0.mlp.c_fc.weight" : tensor<8x16xf32> loc("h.0.mlp.c_fc.weight")
  %8 = nn.contract "bsk,kn->bsn" %3, %7 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc")
  %9 = nn.read @"h.0.mlp.c_fc.lora_B.weight" : tensor<2x16xf32> loc("h.0.mlp.c_fc.lora_B.weight")
  %10 = nn.contract "bsk,kn->bsn" %6, %9 : tensor<2x4x2xf32>, tensor<2x16xf32> -> tensor<2x4x16xf32> loc("h.0.mlp.c_fc.lora_B")
  %11 = nn.sum %8, %10 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc.lora_B")
  %12 = nn.gelu %11 : tensor<2x4x16xf32> loc("h.0.mlp.c_fc.lora_B")
  %13 = nn.read @"h.0.mlp.c_proj.lora_A.weight" : tensor<16x2xf32> loc("h.0.mlp.c_proj.lora_A.weight")
  %14 = nn.contract "bsk,kn->bsn" %12, %13 : tensor<2x4x16xf32>, tensor<16x2xf32> -> tensor<2x4x2xf32> loc("h.0.mlp.c_proj.lora_A")
  %15 = nn.read @"h.0.mlp.c_proj.weight" : tensor<16x8xf32> loc("h.0.mlp.c_proj.weight")
  %16 = nn.contract "bsk,kn->bsn" %12, %15 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj")
  %17 = nn.read @"h.0.mlp.c_proj.lora_B.weight" : tensor<2x8xf32> loc("h.0.mlp.c_proj.lora_B.weight")
  %18 = nn.contract "bsk,kn->bsn" %14, %17 : tensor<2x4x2xf32>, tensor<2x8xf32> -> tensor<2x4x8xf32> loc("h.0.mlp.c_proj.lora_B")
  %19 = nn.sum %1, %16, %18 : tensor<2x4x8xf32> loc("h.0.mlp.c_proj.lora_B")
  %20 = nn.contract "bsc,vc->bsv" %19, %0 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %20 : tensor<2x4x12xf32>
}
