//===- Pipelines.cpp - The passes of every phase, and why so --------------===//
//
// One function per phase adds the passes that lead to it. The order is the
// compiler's design, so each pass says why it stands where it does. A phase
// ends with the pass that verifies what the next one relies on: a mistake shows
// in the phase that makes it, not three phases later.
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

/// Ops' own verifiers say all there is to say: what an importer leaves may
/// still hold what the nn phase removes, and LLVM's dialect has no border.
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

/// The reader of ONNX files makes this phase; there is nothing to run.
static void addImportPasses(OpPassManager &, const Options &) {}

static void addNNPasses(OpPassManager &manager, const Options &) {
  // Layer norms, attention and gelu are found by what they compute. First of
  // all: later passes know these ops, not what an exporter made of them.
  manager.addPass(createNNRecognizePass());
  // What was recognized leaves its primitives without uses.
  manager.addPass(mlir::createCanonicalizerPass());
  // Exporters repeat masks and positions in every layer; one of each is kept.
  manager.addPass(mlir::createCSEPass());
  // Closes the phase: nothing but nn ops of static shape from here on.
  addNNChecks(manager);
}

/// A model that is not trained stays @forward up to its one task.
static void addForwardPasses(OpPassManager &manager) {
  // The program refuses ids that its tables have no rows for.
  manager.addPass(createNNBoundIdsPass());
  // Closes the phase, as it does where a model is trained.
  addNNChecks(manager);
}

/// A device's ranks have a multiple of so many classes: their logits begin at
/// multiples of 128 bytes.
static constexpr int64_t kDeviceClasses = 64;

static void addTrainPasses(OpPassManager &manager, const Options &options) {
  if (options.forward)
    return addForwardPasses(manager);

  // @loss comes before everything that asks what the model is trained for. A
  // loss that is no sum over samples is right only where one microbatch of one
  // rank is the whole batch.
  NNAttachLossPassOptions loss;
  loss.loss = options.loss;
  loss.wholeBatch = options.dp == 1 && options.microbatches == 1;
  manager.addPass(createNNAttachLossPass(std::move(loss)));
  // The loss that a file brings along may be no sum, or have no derivative:
  // said here, where its nodes still have their names.
  manager.addPass(createNNVerifyPass());
  // Before tables are padded: the ids of padding rows are out of bounds.
  manager.addPass(createNNBoundIdsPass());
  if (options.hasDevice()) {
    // Logits of whole accesses, and a product that a device's library is fast
    // with; ranks have equal parts of it.
    NNPadVocabPassOptions padding;
    padding.multiple = options.tp * kDeviceClasses;
    padding.ifPossible = true;
    manager.addPass(createNNPadVocabPass(padding));
  }
  if (options.tp > 1) {
    // Padding rows must exist before their gradients and their states do.
    NNPadVocabPassOptions padding;
    padding.multiple = options.tp;
    manager.addPass(createNNPadVocabPass(padding));
  }
  // The last clean-ups of the forward pass: what they remove needs neither a
  // stage nor a gradient.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  // Stages are marked on the forward pass alone: ops of the backward pass
  // inherit them.
  NNStageCutsPassOptions cuts;
  cuts.stages = options.pp;
  cuts.cut = options.stageCut;
  manager.addPass(createNNStageCutsPass(std::move(cuts)));
  // Likewise, within stages.
  manager.addPass(createNNSegmentsPass());
  // A gradient has its value's type. Copies of parameters belong to the
  // segments that use them, or stages would send them to each other.
  NNPrecisionPassOptions precision;
  precision.kind = options.precision;
  manager.addPass(createNNPrecisionPass(std::move(precision)));
  // Differentiates before the mesh exists: gradients are sharded like all
  // other values.
  manager.addPass(createNNAutodiffPass());
  // Needs to know which parameters have a gradient. No generic clean-up from
  // here until dist-partition: it would drop shardings, which are attributes.
  NNOptimizerPassOptions optimizer;
  optimizer.kind = options.optimizer;
  manager.addPass(createNNOptimizerPass(std::move(optimizer)));
  // Closes the phase: who reads and writes which state, and when.
  addNNChecks(manager);
}

static void addPlanPasses(OpPassManager &manager, const Options &options) {
  // What is not trained runs on one rank: there is no mesh.
  if (options.forward)
    return;

  // The axes that seeds name.
  DistMeshPassOptions mesh;
  mesh.pp = options.pp;
  mesh.dp = options.dp;
  mesh.cp = options.cp;
  mesh.tp = options.tp;
  manager.addPass(createDistMeshPass(mesh));
  // Seeds are wishes, and propagation hears those of this pass first: tensor
  // parallelism has the fewest ways to split a model.
  manager.addPass(createDistSeedTensorPass());
  // The data axes second: they yield where a dim is taken.
  manager.addPass(createDistSeedDataPass());
  // Sequence parallelism takes what tensor parallelism left whole.
  if (options.sequenceParallel)
    manager.addPass(createDistSeedSequencePass());
  // From the seeds to every value, while the program is still one device's.
  DistPropagatePassOptions propagate;
  propagate.remarks = options.verbosity > 1;
  manager.addPass(createDistPropagatePass(propagate));
  // Once all layouts are known, partial sums and changes of layout are, too.
  manager.addPass(createDistInsertReshardsPass());
  // Closes the phase: what partition relies on without looking again.
  addDistChecks(manager);
}

static void addSpmdPasses(OpPassManager &manager, const Options &options) {
  if (options.forward)
    return;
  // Types become local; how values lie stays with the ops.
  manager.addPass(createDistPartitionPass());
  // Each op got its local form by itself; what several of them compute alike,
  // such as a rank's offset, is kept once. No canonicalizer: it would make one
  // constant of two that lie differently.
  manager.addPass(mlir::createCSEPass());
  // Which copies of parameters a rank has is known now: they are kept, and
  // rounded once a step.
  DistHoldCopiesPassOptions copies;
  copies.all = options.zeroStage() == 3 && options.dp * options.cp > 1;
  manager.addPass(createDistHoldCopiesPass(copies));
  // What @update does to each parameter, copies included, it does to many at
  // once from here on.
  DistFormBucketsPassOptions buckets;
  buckets.zero = options.zeroStage();
  buckets.bucketSize = options.bucketSize;
  manager.addPass(createDistFormBucketsPass(buckets));
  // Closes the phase: every value lies as it says.
  addDistChecks(manager);
}

static void addPipelinePasses(OpPassManager &manager, const Options &options) {
  // On local programs: bytes are a rank's, and messages may be repeated. Ahead
  // of tasks, which hand each other what is left.
  if (options.recompute != "none") {
    PipeRecomputePassOptions recompute;
    recompute.kind = options.recompute;
    manager.addPass(createPipeRecomputePass(std::move(recompute)));
  }
  // Tasks are cut from local programs: what crosses stages are local values.
  manager.addPass(createPipeOutlinePass());
  // Once per layer would be once too often for everything from here on.
  manager.addPass(createPipeShareBodiesPass());
  // Orders the tasks, and so knows which values are sent when.
  PipeSchedulePassOptions schedule;
  schedule.kind = options.schedule;
  schedule.microbatches = options.microbatches;
  schedule.ahead = options.overlap == "on";
  manager.addPass(createPipeSchedulePass(std::move(schedule)));
  // Who uses something last is known once there is an order.
  manager.addPass(createPipeGiveUpPass());
  // Closes the phase: the schedules of all stages, run against each other.
  addPipelineChecks(manager);
}

/// Threads that a device has something to do for: 256 blocks of 128.
static constexpr int64_t kDevicePartialSums = 256 * 128;

static void addRTPasses(OpPassManager &manager, const Options &options) {
  // Attention stays whole up to here, and behind it where the library makes it
  // or a kernel by tiles.
  NNExpandAttentionPassOptions attention;
  attention.onDevice = options.hasDevice();
  attention.library = options.attentionLibrary();
  attention.chips.assign(options.chips.begin(), options.chips.end());
  manager.addPass(createNNExpandAttentionPass(std::move(attention)));
  // Before kernels are formed: what the library adds in place belongs to none.
  RTSplitAccumulatePassOptions accumulate;
  accumulate.scatters = !options.hasDevice(); // NCCL has no such thing
  manager.addPass(createRTSplitAccumulatePass(accumulate));
  // All that is neither contraction nor collective nor state goes into kernels.
  RTFormKernelsPassOptions kernels;
  // A device is idle while a few units walk over all rows.
  if (options.hasDevice())
    kernels.partialSums = kDevicePartialSums;
  if (options.hasDevice() && options.epilogues == "on") {
    // Which sums are made in place is known, and what is left for kernels: the
    // bytes that these would move are counted. CPUs' libraries have none.
    RTFormEpiloguesPassOptions epilogues;
    epilogues.partialSums = kernels.partialSums;
    manager.addPass(createRTFormEpiloguesPass(epilogues));
  }
  manager.addPass(createRTFormKernelsPass(kernels));
  // Kernels are verified while they still say what they compute.
  manager.addPass(createRTVerifyKernelsPass());
  // Buffers, launches, streams and offsets in the arena.
  RTLowerPassOptions lower;
  lower.overlap = options.overlap == "on";
  manager.addPass(createRTLowerPass(lower));
  // Once streams and slots are known: what a graph does, it does to them.
  if (options.hasDevice())
    manager.addPass(createRTFormGraphsPass());
  // Closes the phase: every byte that is read holds what is meant.
  manager.addPass(createRTVerifyPass());
}

static void addLLVMPasses(OpPassManager &manager, const Options &options) {
  // Kernels first: a launch says where its kernel's code is. A device's stays
  // apart, in a module of its own, until the object is made.
  if (options.hasDevice()) {
    RTLowerKernelsToGpuPassOptions kernels;
    kernels.chips.assign(options.chips.begin(), options.chips.end());
    manager.addPass(createRTLowerKernelsToGpuPass(kernels));
  } else {
    RTLowerKernelsPassOptions kernels;
    kernels.vectorLanes = options.vectorLanes;
    manager.addPass(createRTLowerKernelsPass(kernels));
  }
  // Last, and the end of the phase: what is no op of the LLVM dialect by now
  // has no form, which this pass says itself.
  RTToLLVMPassOptions calls;
  // Who reads there what is no longer, or not yet, gets NaNs.
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
      {"plan", "where every value lives on the mesh", addPlanPasses,
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
