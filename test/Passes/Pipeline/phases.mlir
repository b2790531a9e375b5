// The passes of every phase, in order, with their options.
// RUN: pcc %s --tp 2 --pp 2 --dp 2 --sp --schedule gpipe --optimizer sgd --stage-cut head --global-batch-size 8 --micro-batch-size 2 --emit=pipeline -o %t.mlir -q
// RUN: FileCheck %s --check-prefix=PIPELINE < %t.mlir
// RUN: pcc %t.mlir --emit=llvm -o %t.llvm -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: pcc %s --tp 2 --cp 3 --dp 2 --sp --global-batch-size 8 --emit=plan -o %t.plan.mlir -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIMES
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan.mlir
// RUN: pcc %t.plan.mlir --emit=pipeline -o - -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: pcc %s --dp 2 --global-batch-size 8 --emit=plan -o - -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: pcc %s --forward --emit=rt -o - -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=FORWARD
// RUN: sed 's/"nn"}/"import"}/' %s | pcc - --emit=nn -o - -q --mlir-timing 2>&1 | FileCheck %s --check-prefix=NN
// RUN: pcc %s --tp 2 --emit=plan -o - -v 2>&1 | FileCheck %s --check-prefix=REASONS
// RUN: pcc %s --tp 2 --emit=plan -o - 2>&1 | FileCheck %s --check-prefix=NO-REASONS

// NN:      {{ }}nn{{$}}
// NN-NEXT: NNRecognizePass
// NN-NEXT: NNCheckExpertGathersPass
// NN-NEXT: Canonicalizer
// NN-NEXT: CSE
// NN:      NNVerifyPass
// NN-NEXT: Rest

// TIMES:      {{ }}train{{$}}
// TIMES-NEXT: NNAttachLossPass
// TIMES-NEXT: NNBalanceExpertsPass
// TIMES-NEXT: NNVerifyPass
// TIMES-NEXT: NNBoundIdsPass
// TIMES-NEXT: NNPadVocabPass
// TIMES-NEXT: Canonicalizer
// TIMES-NEXT: CSE
// TIMES:      NNStageCutsPass
// TIMES-NEXT: NNSegmentsPass
// TIMES-NEXT: NNPrecisionPass
// TIMES-NEXT: NNAutodiffPass
// TIMES-NEXT: NNOptimizerPass
// TIMES-NEXT: NNVerifyPass
// TIMES-NEXT: {{ }}plan{{$}}
// TIMES-NEXT: DistMeshPass
// TIMES-NEXT: DistSeedExpertsPass
// TIMES-NEXT: DistSeedTensorPass
// TIMES-NEXT: DistSeedDataPass
// TIMES-NEXT: DistSeedSequencePass
// TIMES-NEXT: DistPropagatePass
// TIMES-NEXT: DistAttentionHeadsPass
// TIMES-NEXT: DistBalanceSequencePass
// TIMES-NEXT: DistInsertReshardsPass
// TIMES-NEXT: DistVerifyPass
// TIMES-NEXT: Rest

// TASKS:      {{ }}spmd{{$}}
// TASKS-NEXT: DistPartitionPass
// TASKS-NEXT: CSE
// TASKS:      DistVerifyPass
// TASKS-NEXT: {{ }}pipeline{{$}}
// TASKS-NEXT: PipeChunkHeadsPass
// TASKS-NEXT: PipeOutlinePass
// TASKS-NEXT: PipeShareBodiesPass
// TASKS-NEXT: PipeSchedulePass
// TASKS-NEXT: PipeMarkDeadArgumentsPass
// TASKS-NEXT: PipeCheckPass
// TASKS-NEXT: Rest

// CODE:      {{ }}rt{{$}}
// CODE-NEXT: PipeExpandChunksPass
// CODE-NEXT: NNExpandExpertsPass
// CODE-NEXT: NNExpandAttentionPass
// CODE-NEXT: RTSplitAccumulatePass
// CODE-NEXT: RTFormKernelsPass
// CODE-NEXT: RTVerifyKernelsPass
// CODE-NEXT: RTLowerPass
// CODE-NEXT: RTVerifyPass
// CODE-NEXT: {{ }}llvm{{$}}
// CODE-NEXT: RTLowerKernelsPass
// CODE:      RTToLLVMPass
// CODE-NEXT: Rest

// With one rank per model, no tables are padded and no sequences are split.
// ALONE-NOT: NNPadVocabPass
// ALONE-NOT: DistSeedSequencePass
// ALONE: DistVerifyPass

// A program that is not trained has neither loss nor mesh.
// FORWARD:      {{ }}train{{$}}
// FORWARD-NEXT: NNBoundIdsPass
// FORWARD-NEXT: NNVerifyPass
// FORWARD-NEXT: {{ }}plan{{$}}
// FORWARD-NEXT: {{ }}spmd{{$}}
// FORWARD-NEXT: {{ }}pipeline{{$}}

// PLAN: dist.mesh @mesh = <["dp"=2, "cp"=3, "tp"=2]>
// PLAN: nn.param @wte : tensor<6x4xf32> {{.*}}dist.sharding = #dist.sharding<@mesh, {{\[}}{"tp"}, {}]>
// PLAN: nn.state @exp_avg.wte
// PLAN: nn.rms_norm {{.*}}{{\[}}{"dp"}, {"cp", "tp"}, {}]

// PIPELINE: dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>
// PIPELINE-NOT: nn.state @exp_avg.
// PIPELINE: pipe.task @forward.2 stage 0
// PIPELINE-NOT: @head
// PIPELINE: pipe.body @forward.3.body (%[[X:[^:]*]]: {{.*}}%head:
// PIPELINE-NEXT: %[[ALL:.*]] = dist.all_gather %[[X]]
// PIPELINE-NEXT: nn.contract {{.*}} %[[ALL]], %head
// PIPELINE: pipe.task @forward.3 stage 1 forward calls @forward.3.body ({{.*}}, @head,
// PIPELINE: nn.sgd
// PIPELINE: pipe.schedule train stage 0 microbatches 2 attributes {live = 2 : i64}
// PIPELINE: pipe.schedule train stage 1 microbatches 2 attributes {live = 2 : i64}

// REASONS: remark:
// NO-REASONS-NOT: remark:
module attributes {pcc.phase = "nn"} {
  nn.param @wte : tensor<5x4xf32> init normal decay
  nn.param @g : tensor<4xf32> init one
  nn.param @down : tensor<4x2xf32> init normal decay
  nn.param @up : tensor<2x4xf32> init normal decay
  nn.param @head : tensor<5x4xf32> init normal decay
  func.func @forward(%tokens: tensor<4x6xi64> {nn.name = "tokens", nn.role = #nn.role<tokens>})
      -> (tensor<4x6x5xf32> {nn.name = "logits"}) {
    %wte = nn.read @wte : tensor<5x4xf32>
    %x = nn.embedding %tokens, %wte : tensor<4x6xi64>, tensor<5x4xf32> -> tensor<4x6x4xf32>
    %g = nn.read @g : tensor<4xf32>
    %n, %rstd = nn.rms_norm %x scale %g eps 1.0e-5 : tensor<4x6x4xf32>, tensor<4xf32> -> tensor<4x6xf32>
    %down = nn.read @down : tensor<4x2xf32>
    %h = nn.contract "bsc,cm->bsm" %n, %down : tensor<4x6x4xf32>, tensor<4x2xf32> -> tensor<4x6x2xf32> loc("down")
    %a = nn.gelu %h : tensor<4x6x2xf32>
    %up = nn.read @up : tensor<2x4xf32>
    %y = nn.contract "bsm,mc->bsc" %a, %up : tensor<4x6x2xf32>, tensor<2x4xf32> -> tensor<4x6x4xf32> loc("up")
    %z = nn.sum %x, %y : tensor<4x6x4xf32>
    %head = nn.read @head : tensor<5x4xf32>
    %logits = nn.contract "bsc,vc->bsv" %z, %head : tensor<4x6x4xf32>, tensor<5x4xf32> -> tensor<4x6x5xf32> loc("head")
    return %logits : tensor<4x6x5xf32>
  }
}
