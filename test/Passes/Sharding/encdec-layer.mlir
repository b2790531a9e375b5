// An encoder and a decoder block with cross attention.
//
// RUN: pcc-opt %s -mlir-print-op-on-diagnostic=0 %train -dist-mesh='dp=2 tp=2' %plan -o %t.plan 2> %t.remarks
// RUN: pcc-opt %t.plan -dist-partition -dist-verify -o %t.local && cat %t.remarks %t.local | FileCheck --implicit-check-not='= dist.' --implicit-check-not=remark: --implicit-check-not=warning: %s
// RUN: pcc-run %t.local --against %t.plan --exact --fill 1 --rtol 1e-9 --entry microbatch,microbatch,update,evaluate,evaluate_result
//
// CHECK: nn.param @shared.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @encoder.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.0.self_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @encoder.0.self_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @encoder.0.self_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.0.mlp.fc1.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @encoder.0.mlp.fc1.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @encoder.0.mlp.fc2.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @encoder.0.mlp.fc2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @encoder.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.self_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.self_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @decoder.0.self_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.cross_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.cross_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @decoder.0.cross_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_3.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.ln_3.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.0.mlp.fc1.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}]>
// CHECK: nn.param @decoder.0.mlp.fc1.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}]>
// CHECK: nn.param @decoder.0.mlp.fc2.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}]>
// CHECK: nn.param @decoder.0.mlp.fc2.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.param @decoder.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}]>
// CHECK: nn.state @eval_loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @eval_target_count : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @loss_sum : tensor<f32> {{.*}}<@mesh, [], partial = {"dp"}>
// CHECK: nn.state @grad.shared.weight : tensor<6x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.self_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.mlp.fc1.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.mlp.fc1.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.mlp.fc2.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.0.mlp.fc2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.encoder.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_1.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_1.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.self_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_2.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.q_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.q_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.k_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.k_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.v_proj.weight : tensor<8x4xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.v_proj.bias : tensor<4xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.out_proj.weight : tensor<4x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.cross_attn.out_proj.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_3.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.ln_3.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.mlp.fc1.weight : tensor<8x8xf32> {{.*}}<@mesh, [{}, {"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.mlp.fc1.bias : tensor<8xf32> {{.*}}<@mesh, [{"tp"}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.mlp.fc2.weight : tensor<8x8xf32> {{.*}}<@mesh, [{"tp"}, {}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.0.mlp.fc2.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.ln_f.weight : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK: nn.state @grad.decoder.ln_f.bias : tensor<8xf32> {{.*}}<@mesh, [{}], partial = {"dp"}>
// CHECK-LABEL: func.func @microbatch(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x4xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK: = dist.offset ["tp"] by 6 {{.*}} : tensor<i64>
// CHECK-LABEL: func.func @evaluate(
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}} : tensor<1x4x8xf32>
// CHECK: = dist.offset ["tp"] by 6 : tensor<i64>
// CHECK: = dist.all_reduce max %{{.*}} over ["tp"] {{.*}}: tensor<1x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["tp"] {{.*}}: tensor<2x1x4xf32>
// CHECK-LABEL: func.func @evaluate_result(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK-LABEL: func.func @update(
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}}: tensor<f32>, tensor<f32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<6x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<4x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8x8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp"] {{.*}} : tensor<8xf32>
// CHECK: = dist.all_reduce sum %{{.*}} over ["dp", "tp"] {{.*}} : tensor<f32>

nn.param @"shared.weight" : tensor<12x8xf32> init normal decay
nn.param @"encoder.0.ln_1.weight" : tensor<8xf32> init one
nn.param @"encoder.0.ln_1.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.self_attn.q_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"encoder.0.self_attn.q_proj.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.self_attn.k_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"encoder.0.self_attn.k_proj.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.self_attn.v_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"encoder.0.self_attn.v_proj.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.self_attn.out_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"encoder.0.self_attn.out_proj.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.ln_2.weight" : tensor<8xf32> init one
nn.param @"encoder.0.ln_2.bias" : tensor<8xf32> init zero
nn.param @"encoder.0.mlp.fc1.weight" : tensor<8x16xf32> init normal decay
nn.param @"encoder.0.mlp.fc1.bias" : tensor<16xf32> init zero
nn.param @"encoder.0.mlp.fc2.weight" : tensor<16x8xf32> init normal decay
nn.param @"encoder.0.mlp.fc2.bias" : tensor<8xf32> init zero
nn.param @"encoder.ln_f.weight" : tensor<8xf32> init one
nn.param @"encoder.ln_f.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.ln_1.weight" : tensor<8xf32> init one
nn.param @"decoder.0.ln_1.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.self_attn.q_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.self_attn.q_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.self_attn.k_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.self_attn.k_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.self_attn.v_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.self_attn.v_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.self_attn.out_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.self_attn.out_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.ln_2.weight" : tensor<8xf32> init one
nn.param @"decoder.0.ln_2.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.cross_attn.q_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.cross_attn.q_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.cross_attn.k_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.cross_attn.k_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.cross_attn.v_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.cross_attn.v_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.cross_attn.out_proj.weight" : tensor<8x8xf32> init normal decay
nn.param @"decoder.0.cross_attn.out_proj.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.ln_3.weight" : tensor<8xf32> init one
nn.param @"decoder.0.ln_3.bias" : tensor<8xf32> init zero
nn.param @"decoder.0.mlp.fc1.weight" : tensor<8x16xf32> init normal decay
nn.param @"decoder.0.mlp.fc1.bias" : tensor<16xf32> init zero
nn.param @"decoder.0.mlp.fc2.weight" : tensor<16x8xf32> init normal decay
nn.param @"decoder.0.mlp.fc2.bias" : tensor<8xf32> init zero
nn.param @"decoder.ln_f.weight" : tensor<8xf32> init one
nn.param @"decoder.ln_f.bias" : tensor<8xf32> init zero

func.func @forward(%tokens: tensor<2x4xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>},
    %positions: tensor<4xi64> {nn.name = "positions", nn.role = #nn.role<positions>},
    %source: tensor<2x4xi64> {nn.name = "source", nn.role = #nn.role<data>},
    %source_positions: tensor<4xi64> {nn.name = "source_positions", nn.role = #nn.role<positions>})
    -> (tensor<2x4x12xf32> {nn.name = "logits"}) {
  %0 = nn.read @"shared.weight" : tensor<12x8xf32> loc("shared.weight")
  %1 = nn.embedding %source, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("shared")
  %2 = nn.embedding %tokens, %0 : tensor<2x4xi64>, tensor<12x8xf32> -> tensor<2x4x8xf32> loc("shared")
  %3 = nn.read @"encoder.0.ln_1.weight" : tensor<8xf32> loc("encoder.0.ln_1.weight")
  %4 = nn.read @"encoder.0.ln_1.bias" : tensor<8xf32> loc("encoder.0.ln_1.bias")
  %5, %6, %7 = nn.layer_norm %1 scale %3 bias %4 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("encoder.0.ln_1")
  %8 = nn.read @"encoder.0.self_attn.q_proj.weight" : tensor<8x8xf32> loc("encoder.0.self_attn.q_proj.weight")
  %9 = nn.contract "bsk,kn->bsn" %5, %8 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.q_proj")
  %10 = nn.read @"encoder.0.self_attn.q_proj.bias" : tensor<8xf32> loc("encoder.0.self_attn.q_proj.bias")
  %11 = nn.broadcast %10 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.q_proj")
  %12 = nn.sum %9, %11 : tensor<2x4x8xf32> loc("encoder.0.self_attn.q_proj")
  %13 = nn.reshape %12 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("encoder.0.self_attn.q_proj")
  %14 = nn.read @"encoder.0.self_attn.k_proj.weight" : tensor<8x8xf32> loc("encoder.0.self_attn.k_proj.weight")
  %15 = nn.contract "bsk,kn->bsn" %5, %14 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.k_proj")
  %16 = nn.read @"encoder.0.self_attn.k_proj.bias" : tensor<8xf32> loc("encoder.0.self_attn.k_proj.bias")
  %17 = nn.broadcast %16 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.k_proj")
  %18 = nn.sum %15, %17 : tensor<2x4x8xf32> loc("encoder.0.self_attn.k_proj")
  %19 = nn.reshape %18 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("encoder.0.self_attn.k_proj")
  %20 = nn.read @"encoder.0.self_attn.v_proj.weight" : tensor<8x8xf32> loc("encoder.0.self_attn.v_proj.weight")
  %21 = nn.contract "bsk,kn->bsn" %5, %20 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.v_proj")
  %22 = nn.read @"encoder.0.self_attn.v_proj.bias" : tensor<8xf32> loc("encoder.0.self_attn.v_proj.bias")
  %23 = nn.broadcast %22 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.v_proj")
  %24 = nn.sum %21, %23 : tensor<2x4x8xf32> loc("encoder.0.self_attn.v_proj")
  %25 = nn.reshape %24 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("encoder.0.self_attn.v_proj")
  %26, %27 = nn.attention %13, %19, %25 positions %source_positions, %source_positions scale 0.5 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>) loc("encoder.0.self_attn")
  %28 = nn.reshape %26 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn")
  %29 = nn.read @"encoder.0.self_attn.out_proj.weight" : tensor<8x8xf32> loc("encoder.0.self_attn.out_proj.weight")
  %30 = nn.contract "bsk,kn->bsn" %28, %29 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.out_proj")
  %31 = nn.read @"encoder.0.self_attn.out_proj.bias" : tensor<8xf32> loc("encoder.0.self_attn.out_proj.bias")
  %32 = nn.broadcast %31 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("encoder.0.self_attn.out_proj")
  %33 = nn.sum %30, %32 : tensor<2x4x8xf32> loc("encoder.0.self_attn.out_proj")
  %34 = nn.sum %1, %33 : tensor<2x4x8xf32> loc("encoder.0.self_attn.out_proj")
  %35 = nn.read @"encoder.0.ln_2.weight" : tensor<8xf32> loc("encoder.0.ln_2.weight")
  %36 = nn.read @"encoder.0.ln_2.bias" : tensor<8xf32> loc("encoder.0.ln_2.bias")
  %37, %38, %39 = nn.layer_norm %34 scale %35 bias %36 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("encoder.0.ln_2")
  %40 = nn.read @"encoder.0.mlp.fc1.weight" : tensor<8x16xf32> loc("encoder.0.mlp.fc1.weight")
  %41 = nn.contract "bsk,kn->bsn" %37, %40 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("encoder.0.mlp.fc1")
  %42 = nn.read @"encoder.0.mlp.fc1.bias" : tensor<16xf32> loc("encoder.0.mlp.fc1.bias")
  %43 = nn.broadcast %42 [2] : tensor<16xf32> -> tensor<2x4x16xf32> loc("encoder.0.mlp.fc1")
  %44 = nn.sum %41, %43 : tensor<2x4x16xf32> loc("encoder.0.mlp.fc1")
  %45 = nn.gelu %44 : tensor<2x4x16xf32> loc("encoder.0.mlp.fc1")
  %46 = nn.read @"encoder.0.mlp.fc2.weight" : tensor<16x8xf32> loc("encoder.0.mlp.fc2.weight")
  %47 = nn.contract "bsk,kn->bsn" %45, %46 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("encoder.0.mlp.fc2")
  %48 = nn.read @"encoder.0.mlp.fc2.bias" : tensor<8xf32> loc("encoder.0.mlp.fc2.bias")
  %49 = nn.broadcast %48 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("encoder.0.mlp.fc2")
  %50 = nn.sum %47, %49 : tensor<2x4x8xf32> loc("encoder.0.mlp.fc2")
  %51 = nn.sum %34, %50 : tensor<2x4x8xf32> loc("encoder.0.mlp.fc2")
  %52 = nn.read @"encoder.ln_f.weight" : tensor<8xf32> loc("encoder.ln_f.weight")
  %53 = nn.read @"encoder.ln_f.bias" : tensor<8xf32> loc("encoder.ln_f.bias")
  %54, %55, %56 = nn.layer_norm %51 scale %52 bias %53 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("encoder.ln_f")
  %57 = nn.read @"decoder.0.ln_1.weight" : tensor<8xf32> loc("decoder.0.ln_1.weight")
  %58 = nn.read @"decoder.0.ln_1.bias" : tensor<8xf32> loc("decoder.0.ln_1.bias")
  %59, %60, %61 = nn.layer_norm %2 scale %57 bias %58 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("decoder.0.ln_1")
  %62 = nn.read @"decoder.0.self_attn.q_proj.weight" : tensor<8x8xf32> loc("decoder.0.self_attn.q_proj.weight")
  %63 = nn.contract "bsk,kn->bsn" %59, %62 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.q_proj")
  %64 = nn.read @"decoder.0.self_attn.q_proj.bias" : tensor<8xf32> loc("decoder.0.self_attn.q_proj.bias")
  %65 = nn.broadcast %64 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.q_proj")
  %66 = nn.sum %63, %65 : tensor<2x4x8xf32> loc("decoder.0.self_attn.q_proj")
  %67 = nn.reshape %66 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.self_attn.q_proj")
  %68 = nn.read @"decoder.0.self_attn.k_proj.weight" : tensor<8x8xf32> loc("decoder.0.self_attn.k_proj.weight")
  %69 = nn.contract "bsk,kn->bsn" %59, %68 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.k_proj")
  %70 = nn.read @"decoder.0.self_attn.k_proj.bias" : tensor<8xf32> loc("decoder.0.self_attn.k_proj.bias")
  %71 = nn.broadcast %70 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.k_proj")
  %72 = nn.sum %69, %71 : tensor<2x4x8xf32> loc("decoder.0.self_attn.k_proj")
  %73 = nn.reshape %72 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.self_attn.k_proj")
  %74 = nn.read @"decoder.0.self_attn.v_proj.weight" : tensor<8x8xf32> loc("decoder.0.self_attn.v_proj.weight")
  %75 = nn.contract "bsk,kn->bsn" %59, %74 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.v_proj")
  %76 = nn.read @"decoder.0.self_attn.v_proj.bias" : tensor<8xf32> loc("decoder.0.self_attn.v_proj.bias")
  %77 = nn.broadcast %76 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.v_proj")
  %78 = nn.sum %75, %77 : tensor<2x4x8xf32> loc("decoder.0.self_attn.v_proj")
  %79 = nn.reshape %78 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.self_attn.v_proj")
  %80, %81 = nn.attention causal %67, %73, %79 positions %positions, %positions scale 0.5 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>) loc("decoder.0.self_attn")
  %82 = nn.reshape %80 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn")
  %83 = nn.read @"decoder.0.self_attn.out_proj.weight" : tensor<8x8xf32> loc("decoder.0.self_attn.out_proj.weight")
  %84 = nn.contract "bsk,kn->bsn" %82, %83 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.out_proj")
  %85 = nn.read @"decoder.0.self_attn.out_proj.bias" : tensor<8xf32> loc("decoder.0.self_attn.out_proj.bias")
  %86 = nn.broadcast %85 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.self_attn.out_proj")
  %87 = nn.sum %84, %86 : tensor<2x4x8xf32> loc("decoder.0.self_attn.out_proj")
  %88 = nn.sum %2, %87 : tensor<2x4x8xf32> loc("decoder.0.self_attn.out_proj")
  %89 = nn.read @"decoder.0.ln_2.weight" : tensor<8xf32> loc("decoder.0.ln_2.weight")
  %90 = nn.read @"decoder.0.ln_2.bias" : tensor<8xf32> loc("decoder.0.ln_2.bias")
  %91, %92, %93 = nn.layer_norm %88 scale %89 bias %90 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("decoder.0.ln_2")
  %94 = nn.read @"decoder.0.cross_attn.q_proj.weight" : tensor<8x8xf32> loc("decoder.0.cross_attn.q_proj.weight")
  %95 = nn.contract "bsk,kn->bsn" %91, %94 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.q_proj")
  %96 = nn.read @"decoder.0.cross_attn.q_proj.bias" : tensor<8xf32> loc("decoder.0.cross_attn.q_proj.bias")
  %97 = nn.broadcast %96 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.q_proj")
  %98 = nn.sum %95, %97 : tensor<2x4x8xf32> loc("decoder.0.cross_attn.q_proj")
  %99 = nn.reshape %98 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.cross_attn.q_proj")
  %100 = nn.read @"decoder.0.cross_attn.k_proj.weight" : tensor<8x8xf32> loc("decoder.0.cross_attn.k_proj.weight")
  %101 = nn.contract "bsk,kn->bsn" %54, %100 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.k_proj")
  %102 = nn.read @"decoder.0.cross_attn.k_proj.bias" : tensor<8xf32> loc("decoder.0.cross_attn.k_proj.bias")
  %103 = nn.broadcast %102 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.k_proj")
  %104 = nn.sum %101, %103 : tensor<2x4x8xf32> loc("decoder.0.cross_attn.k_proj")
  %105 = nn.reshape %104 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.cross_attn.k_proj")
  %106 = nn.read @"decoder.0.cross_attn.v_proj.weight" : tensor<8x8xf32> loc("decoder.0.cross_attn.v_proj.weight")
  %107 = nn.contract "bsk,kn->bsn" %54, %106 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.v_proj")
  %108 = nn.read @"decoder.0.cross_attn.v_proj.bias" : tensor<8xf32> loc("decoder.0.cross_attn.v_proj.bias")
  %109 = nn.broadcast %108 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.v_proj")
  %110 = nn.sum %107, %109 : tensor<2x4x8xf32> loc("decoder.0.cross_attn.v_proj")
  %111 = nn.reshape %110 : tensor<2x4x8xf32> -> tensor<2x4x2x4xf32> loc("decoder.0.cross_attn.v_proj")
  %112, %113 = nn.attention %99, %105, %111 positions %positions, %source_positions scale 0.5 : (tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>, tensor<4xi64>, tensor<4xi64>) -> (tensor<2x4x2x4xf32>, tensor<2x4x2xf32>) loc("decoder.0.cross_attn")
  %114 = nn.reshape %112 : tensor<2x4x2x4xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn")
  %115 = nn.read @"decoder.0.cross_attn.out_proj.weight" : tensor<8x8xf32> loc("decoder.0.cross_attn.out_proj.weight")
  %116 = nn.contract "bsk,kn->bsn" %114, %115 : tensor<2x4x8xf32>, tensor<8x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.out_proj")
  %117 = nn.read @"decoder.0.cross_attn.out_proj.bias" : tensor<8xf32> loc("decoder.0.cross_attn.out_proj.bias")
  %118 = nn.broadcast %117 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.cross_attn.out_proj")
  %119 = nn.sum %116, %118 : tensor<2x4x8xf32> loc("decoder.0.cross_attn.out_proj")
  %120 = nn.sum %88, %119 : tensor<2x4x8xf32> loc("decoder.0.cross_attn.out_proj")
  %121 = nn.read @"decoder.0.ln_3.weight" : tensor<8xf32> loc("decoder.0.ln_3.weight")
  %122 = nn.read @"decoder.0.ln_3.bias" : tensor<8xf32> loc("decoder.0.ln_3.bias")
  %123, %124, %125 = nn.layer_norm %120 scale %121 bias %122 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("decoder.0.ln_3")
  %126 = nn.read @"decoder.0.mlp.fc1.weight" : tensor<8x16xf32> loc("decoder.0.mlp.fc1.weight")
  %127 = nn.contract "bsk,kn->bsn" %123, %126 : tensor<2x4x8xf32>, tensor<8x16xf32> -> tensor<2x4x16xf32> loc("decoder.0.mlp.fc1")
  %128 = nn.read @"decoder.0.mlp.fc1.bias" : tensor<16xf32> loc("decoder.0.mlp.fc1.bias")
  %129 = nn.broadcast %128 [2] : tensor<16xf32> -> tensor<2x4x16xf32> loc("decoder.0.mlp.fc1")
  %130 = nn.sum %127, %129 : tensor<2x4x16xf32> loc("decoder.0.mlp.fc1")
  %131 = nn.gelu %130 : tensor<2x4x16xf32> loc("decoder.0.mlp.fc1")
  %132 = nn.read @"decoder.0.mlp.fc2.weight" : tensor<16x8xf32> loc("decoder.0.mlp.fc2.weight")
  %133 = nn.contract "bsk,kn->bsn" %131, %132 : tensor<2x4x16xf32>, tensor<16x8xf32> -> tensor<2x4x8xf32> loc("decoder.0.mlp.fc2")
  %134 = nn.read @"decoder.0.mlp.fc2.bias" : tensor<8xf32> loc("decoder.0.mlp.fc2.bias")
  %135 = nn.broadcast %134 [2] : tensor<8xf32> -> tensor<2x4x8xf32> loc("decoder.0.mlp.fc2")
  %136 = nn.sum %133, %135 : tensor<2x4x8xf32> loc("decoder.0.mlp.fc2")
  %137 = nn.sum %120, %136 : tensor<2x4x8xf32> loc("decoder.0.mlp.fc2")
  %138 = nn.read @"decoder.ln_f.weight" : tensor<8xf32> loc("decoder.ln_f.weight")
  %139 = nn.read @"decoder.ln_f.bias" : tensor<8xf32> loc("decoder.ln_f.bias")
  %140, %141, %142 = nn.layer_norm %137 scale %138 bias %139 eps 1.0e-5 : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x4xf32>, tensor<2x4xf32> loc("decoder.ln_f")
  %143 = nn.contract "bsc,vc->bsv" %140, %0 : tensor<2x4x8xf32>, tensor<12x8xf32> -> tensor<2x4x12xf32> loc("lm_head")
  return %143 : tensor<2x4x12xf32>
}
