//===- Pipelines.cpp - The passes of every phase, and their order ---------===//
//
// One function per phase adds its passes. The order is the compiler's design,
// so a comment at each pass says why it stands there. Except for the first and
// the last, a phase ends with a pass that verifies the facts that the next
// phase relies on. A bug then shows in the phase that causes it, not three
// phases later.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Codegen/Gpu/Passes.h"
#include "passes/Codegen/Kernels/Passes.h"
#include "passes/Codegen/Passes.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Recognition/Passes.h"
#include "passes/Sharding/Passes.h"
#include "passes/Training/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace pcc;
using mlir::OpPassManager;

/// For phases whose results only the ops' own verifiers check. The module of an
/// import may still hold ops that the nn phase removes; the llvm phase is the
/// last.
static void addNoChecks(OpPassManager &) {}

static void addNNChecks(OpPassManager &manager) {
  manager.addPass(createNNVerifyPass());
}

static void addDistChecks(OpPassManager &manager) {
  manager.addPass(createDistVerifyPass());
}

static void addPipelineChecks(OpPassManager &manager) {
  manager.addPass(createPipeCheckPass());
}

static void addRTChecks(OpPassManager &manager) {
  manager.addPass(createRTVerifyKernelsPass());
  manager.addPass(createRTVerifyPass());
}

/// The ONNX importer creates this phase's module; no pass runs.
static void addImportPasses(OpPassManager &, const Options &) {}

static void addNNPasses(OpPassManager &manager, const Options &options) {
  // First: recognizes layer norms, attention and gelu by the values they
  // compute. Later passes match these ops, not an exporter's decompositions.
  manager.addPass(createNNRecognizePass());
  // Experts that it did not recognize need memory for a matrix per token.
  NNCheckExpertGathersPassOptions gathers;
  gathers.allow = options.allowGatheredExperts;
  gathers.stages = options.pp;
  gathers.parts = options.dp * options.cp;
  gathers.elementBytes = options.precision == "f32" ? 4 : 2;
  manager.addPass(createNNCheckExpertGathersPass(gathers));
  // Removes the primitives that recognition left without uses.
  manager.addPass(mlir::createCanonicalizerPass());
  // Exporters repeat masks and positions in every layer; CSE keeps one of each.
  manager.addPass(mlir::createCSEPass());
  // Closes the phase: from here on there are only nn ops of static shape.
  addNNChecks(manager);
}

/// A model that is not trained stays @forward until it becomes one task.
static void addForwardPasses(OpPassManager &manager) {
  // Token ids outside their embedding table become a runtime error.
  manager.addPass(createNNBoundIdsPass());
  // Closes the phase, as for training.
  addNNChecks(manager);
}

/// On GPUs the number of classes per rank is a multiple of this, where they can
/// be padded, so that rows of logits begin at multiples of 128 bytes (of bf16).
static constexpr int64_t kDeviceClasses = 64;

static void addTrainPasses(OpPassManager &manager, const Options &options) {
  if (options.forward)
    return addForwardPasses(manager);

  if (!options.documentEnds.empty()) {
    // On the forward pass alone: everything after it is built from that.
    NNDocumentsPassOptions documents;
    llvm::append_range(documents.ends, options.documentEnds);
    documents.keepPositions = options.keepPositions;
    documents.loss = options.loss;
    manager.addPass(createNNDocumentsPass(std::move(documents)));
  }
  // @loss comes before all passes that read the training objective. A loss that
  // is no sum over samples is correct only if one microbatch of one replica is
  // the whole batch.
  NNAttachLossPassOptions loss;
  loss.loss = options.loss;
  loss.wholeBatch = options.dp == 1 && options.microbatches == 1;
  manager.addPass(createNNAttachLossPass(std::move(loss)));
  // Counts and auxiliary losses are part of the layers, which stages are made
  // of.
  NNBalanceExpertsPassOptions balance;
  balance.auxLoss = options.moeAuxLoss;
  balance.biasRate = options.moeBiasRate;
  balance.capacity = options.moeCapacity;
  manager.addPass(createNNBalanceExpertsPass(balance));
  // A loss that is part of the file may be no sum or have no derivative. Report
  // that here, where its nodes still have their names.
  manager.addPass(createNNVerifyPass());
  // Before tables are padded, so that ids of padding rows are out of bounds.
  manager.addPass(createNNBoundIdsPass());
  if (options.hasDevice()) {
    // Aligned rows of logits, and GEMM sizes that are fast in cuBLASLt. Ranks
    // have equal shards of them.
    NNPadVocabPassOptions padding;
    padding.multiple = options.tp * kDeviceClasses;
    padding.ifPossible = true;
    manager.addPass(createNNPadVocabPass(padding));
  }
  if (options.tp > 1) {
    // Padding rows must exist before gradients and optimizer state of the table
    // do.
    NNPadVocabPassOptions padding;
    padding.multiple = options.tp;
    manager.addPass(createNNPadVocabPass(padding));
  }
  // Last generic clean-up of the forward pass: ops that it removes need neither
  // a stage nor a gradient.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  // Stages are marked on the forward pass alone; ops of the backward pass
  // inherit them.
  NNStageCutsPassOptions cuts;
  cuts.stages = options.pp;
  cuts.cut = options.stageCut;
  manager.addPass(createNNStageCutsPass(std::move(cuts)));
  // Segments within stages are marked likewise.
  manager.addPass(createNNSegmentsPass());
  // Before autodiff, because a gradient has the type of its value. After stages
  // and segments: a cast of a parameter belongs to the segment that uses it;
  // otherwise stages would send the results to each other.
  NNPrecisionPassOptions precision;
  precision.kind = options.precision;
  manager.addPass(createNNPrecisionPass(std::move(precision)));
  // Differentiates before the mesh exists, so that gradients are sharded like
  // all other values.
  manager.addPass(createNNAutodiffPass());
  // Needs the gradients of parameters. No generic clean-up from here to
  // dist-partition: it would drop shardings, which are attributes.
  NNOptimizerPassOptions optimizer;
  optimizer.kind = options.optimizer;
  optimizer.state = options.optimizerState;
  manager.addPass(createNNOptimizerPass(std::move(optimizer)));
  // Closes the phase: checks which function reads and writes which state.
  addNNChecks(manager);
}

static void addPlanPasses(OpPassManager &manager, const Options &options) {
  // A model that is not trained runs on one rank: there is no mesh.
  if (options.forward)
    return;

  // Declares the axes that the seeds name.
  DistMeshPassOptions mesh;
  mesh.pp = options.pp;
  mesh.dp = options.dp;
  mesh.ep = options.ep;
  mesh.cp = options.cp;
  mesh.tp = options.tp;
  manager.addPass(createDistMeshPass(mesh));
  // Seeds request shardings, and propagation serves the requests of these two
  // passes first: they have the fewest ways to shard a model. Experts come
  // before the dims of single experts.
  DistSeedExpertsPassOptions experts;
  experts.whole = options.splitsOnlyExperts();
  manager.addPass(createDistSeedExpertsPass(experts));
  manager.addPass(createDistSeedTensorPass());
  // The data axes come second: they give way where a dim is sharded already.
  manager.addPass(createDistSeedDataPass());
  // Sequence parallelism shards dims that tensor parallelism leaves whole.
  if (options.sequenceParallel)
    manager.addPass(createDistSeedSequencePass());
  // From the seeds to all values, while the program is still one device's.
  DistPropagatePassOptions propagate;
  propagate.remarks = options.verbosity > 1;
  manager.addPass(createDistPropagatePass(propagate));
  if (options.cp > 1 && options.cpCommType != "allgather") {
    // After propagation, so that only attention's own shardings change.
    DistAttentionHeadsPassOptions heads;
    heads.isAsked = options.cpCommType == "a2a";
    manager.addPass(createDistAttentionHeadsPass(heads));
  }
  if (options.cp > 1 && options.cpBalance != "none") {
    // Where all attention exchanges its sequence for heads, there is nothing to
    // balance.
    DistBalanceSequencePassOptions balance;
    balance.isAsked = options.cpBalance == "headtail";
    manager.addPass(createDistBalanceSequencePass(balance));
  }
  // Partial sums and reshards follow from the shardings of all values.
  manager.addPass(createDistInsertReshardsPass());
  // Closes the phase: checks the facts that dist-partition relies on.
  addDistChecks(manager);
}

static void addSpmdPasses(OpPassManager &manager, const Options &options) {
  if (options.forward)
    return;
  // Types become local; the shardings of values stay on the ops as attributes.
  manager.addPass(createDistPartitionPass());
  // Ops were localized one by one. CSE removes what several of them compute
  // alike, such as a rank's offset. No canonicalizer: it would merge two
  // constants that have different shardings.
  manager.addPass(mlir::createCSEPass());
  // Local programs show which casts of parameters a rank computes. Their
  // results become working copies, which are rounded once a step.
  DistWorkingCopiesPassOptions copies;
  copies.all = options.zeroStage() == 3 && options.dp * options.cp > 1;
  manager.addPass(createDistWorkingCopiesPass(copies));
  // @update handles parameters and working copies one by one so far; from here
  // on it works on buckets of them.
  DistFormBucketsPassOptions buckets;
  buckets.zero = options.zeroStage();
  buckets.bucketSize = options.bucketSize;
  manager.addPass(createDistFormBucketsPass(buckets));
  // Closes the phase: checks every value's sharding.
  addDistChecks(manager);
}

static void addPipelinePasses(OpPassManager &manager, const Options &options) {
  if (options.headChunks != "off" && !options.forward) {
    // On local programs: their logits are one rank's. Before recomputation and
    // tasks, because a head in chunks has its gradients in the forward task.
    PipeChunkHeadsPassOptions heads;
    heads.chunks = options.headChunkCount();
    // Where all forward tasks run first, each microbatch's reduction of
    // gradients would take those of all heads.
    heads.keepsGradients = options.pp == 1 || options.microbatches == 1 ||
                           options.schedule == "1f1b" ||
                           options.zeroStage() < 2;
    manager.addPass(createPipeChunkHeadsPass(heads));
  }
  // On local programs: their sizes are one rank's, and recomputation may repeat
  // collectives. Before tasks are formed, which pass the remaining values to
  // each other.
  if (options.recompute != "none") {
    PipeRecomputePassOptions recompute;
    recompute.kind = options.recompute;
    manager.addPass(createPipeRecomputePass(std::move(recompute)));
  }
  // Tasks are outlined from local programs, so local values cross stages.
  manager.addPass(createPipeOutlinePass());
  // Equal layers share one body, so that later passes run on it once.
  manager.addPass(createPipeShareBodiesPass());
  // Orders the tasks; the order determines when values are sent.
  PipeSchedulePassOptions schedule;
  schedule.kind = options.schedule;
  schedule.microbatches = options.microbatches;
  schedule.ahead = options.overlap == "on";
  manager.addPass(createPipeSchedulePass(std::move(schedule)));
  // The order determines the last use of each value.
  manager.addPass(createPipeMarkDeadArgumentsPass());
  // Closes the phase: executes the schedules of all stages against each other.
  addPipelineChecks(manager);
}

/// The number of threads that keep a GPU busy: 256 blocks of 128.
static constexpr int64_t kDevicePartialSums = 256 * 128;

static void addRTPasses(OpPassManager &manager, const Options &options) {
  // Tasks are checked and scheduled with whole heads; chunks matter for memory
  // alone.
  manager.addPass(createPipeExpandChunksPass());
  // Experts are one op up to here, like attention. Their routed rows are no
  // tensors of the program that autodiff or propagation would see.
  NNExpandExpertsPassOptions experts;
  experts.tiles = options.hasDevice();
  manager.addPass(createNNExpandExpertsPass(experts));
  // Attention is one op up to here. It stays one where cuDNN computes it or a
  // kernel computes it by tiles.
  NNExpandAttentionPassOptions attention;
  attention.onDevice = options.hasDevice();
  attention.library = options.attentionLibrary();
  attention.chips.assign(options.chips.begin(), options.chips.end());
  manager.addPass(createNNExpandAttentionPass(std::move(attention)));
  // Before kernels are formed: terms that are accumulated in place belong to
  // none.
  RTSplitAccumulatePassOptions accumulate;
  accumulate.scatters = !options.hasDevice(); // NCCL cannot accumulate
  manager.addPass(createRTSplitAccumulatePass(accumulate));
  // Groups ops into kernels. Contractions, collectives, state, sums in place
  // and attention by cuDNN are among those that stay.
  RTFormKernelsPassOptions kernels;
  // A GPU is mostly idle if only a few blocks reduce over all rows.
  if (options.hasDevice())
    kernels.partialSums = kDevicePartialSums;
  if (options.hasDevice() && options.epilogues == "on") {
    // After --rt-split-accumulate, which settles the sums that are accumulated
    // in place, and before kernels are formed: a fusion is chosen by the bytes
    // that kernels would move. BLAS libraries of CPUs have no epilogues.
    RTFormEpiloguesPassOptions epilogues;
    epilogues.partialSums = kernels.partialSums;
    manager.addPass(createRTFormEpiloguesPass(epilogues));
  }
  manager.addPass(createRTFormKernelsPass(kernels));
  // Kernels are verified while they still are nn ops.
  manager.addPass(createRTVerifyKernelsPass());
  // Creates buffers, launches, streams and offsets in the arena.
  RTLowerPassOptions lower;
  lower.overlap = options.overlap == "on";
  lower.offload = !options.offload.empty();
  manager.addPass(createRTLowerPass(lower));
  // After streams and slots are assigned, because a graph records them.
  if (options.hasDevice())
    manager.addPass(createRTFormGraphsPass());
  // Closes the phase: every byte that is read holds the intended value.
  manager.addPass(createRTVerifyPass());
}

static void addLLVMPasses(OpPassManager &manager, const Options &options) {
  // Kernels first: a launch refers to its kernel's code. GPU kernels stay in a
  // module of their own until the object file is emitted.
  if (options.hasDevice()) {
    RTLowerKernelsToGpuPassOptions kernels;
    kernels.chips.assign(options.chips.begin(), options.chips.end());
    manager.addPass(createRTLowerKernelsToGpuPass(kernels));
  } else {
    RTLowerKernelsPassOptions kernels;
    kernels.vectorLanes = options.vectorLanes;
    manager.addPass(createRTLowerKernelsPass(kernels));
  }
  // Closes the phase: reports ops that have no form in the LLVM dialect.
  RTToLLVMPassOptions calls;
  // The emulated GPU fills dead or uninitialized memory with NaNs.
  calls.forgets = options.target == "cuda-emulated";
  manager.addPass(createRTToLLVMPass(calls));
}

llvm::ArrayRef<Phase> pcc::getPhases() {
  static const Phase phases[] = {
      {"import", "the file's operators on tensors of known shape",
       addImportPasses, addNoChecks},
      {"nn", "the model: layer norms, attention, linear layers", addNNPasses,
       addNNChecks},
      {"train", "forward, backward and update of one device", addTrainPasses,
       addNNChecks},
      {"plan", "the sharding of every value over the mesh", addPlanPasses,
       addDistChecks},
      {"spmd", "one rank's program, with collectives", addSpmdPasses,
       addDistChecks},
      {"pipeline", "tasks, and the order each stage runs them in",
       addPipelinePasses, addPipelineChecks},
      {"rt", "launches, library calls, transfers, arena offsets", addRTPasses,
       addRTChecks},
      {"llvm", "machine-level code in the LLVM dialect", addLLVMPasses,
       addNoChecks},
  };
  return phases;
}

int pcc::findPhase(llvm::StringRef name) {
  for (auto [i, phase] : llvm::enumerate(getPhases()))
    if (phase.name == name)
      return static_cast<int>(i);
  return -1;
}

void pcc::registerPhaseChecks() {
  for (const Phase &phase : getPhases())
    mlir::PassPipelineRegistration<>(
        ("check-" + phase.name).str(),
        ("The checks of the phase '" + phase.name + "'").str(),
        phase.addChecks);
}
