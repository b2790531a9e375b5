//===- Flags.h - The flags of pcc -------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_FLAGS_H
#define PCC_TOOLS_PCC_FLAGS_H

#include "llvm/Support/CommandLine.h"

namespace pcc {

namespace cl = llvm::cl;

/// Every flag of pcc. Constructed in main so that no flag exists before it.
struct Flags {
  cl::OptionCategory parallelism{"Parallelism"};
  cl::OptionCategory training{"Training"};
  cl::OptionCategory target{"Target"};
  cl::OptionCategory output{"Output"};
  cl::OptionCategory debugging{"Debugging"};

  cl::list<std::string> inputs{cl::Positional, cl::desc("<model>")};

  cl::opt<int64_t> tp{"tp", cl::desc("Ranks that share every layer"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias tpAlias{"tensor-model-parallel-size", cl::aliasopt(tp),
                    cl::desc("Same as --tp")};
  cl::opt<int64_t> pp{"pp", cl::desc("Pipeline stages"), cl::init(1),
                      cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias ppAlias{"pipeline-model-parallel-size", cl::aliasopt(pp),
                    cl::desc("Same as --pp")};
  cl::opt<int64_t> dp{"dp", cl::desc("Copies that share the batch"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<int64_t> cp{"cp", cl::desc("Ranks that share every sequence"),
                      cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias cpAlias{"context-parallel-size", cl::aliasopt(cp),
                    cl::desc("Same as --cp")};
  cl::opt<int64_t> worldSize{
      "world-size", cl::desc("All ranks; dp is what is left of them"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<std::string> schedule{
      "schedule", cl::desc("Order of microbatches: gpipe, 1f1b"),
      cl::init("1f1b"), cl::value_desc("NAME"), cl::cat(parallelism)};
  cl::opt<std::string> stageCut{
      "stage-cut", cl::desc("Nodes that begin a stage (default: balance)"),
      cl::value_desc("NODE,NODE"), cl::cat(parallelism)};
  cl::opt<int64_t> microBatch{
      "micro-batch-size", cl::desc("Samples per microbatch and dp rank"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  cl::opt<int64_t> globalBatch{"global-batch-size",
                               cl::desc("Samples per step"), cl::init(0),
                               cl::value_desc("N"), cl::cat(parallelism)};

  cl::opt<bool> sequenceParallel{
      "sequence-parallel",
      cl::desc("Shares norms and residuals over tp by the sequence, too"),
      cl::cat(parallelism)};
  cl::alias sequenceParallelAlias{"sp", cl::aliasopt(sequenceParallel),
                                  cl::desc("Same as --sequence-parallel")};

  // What this version has one value of only, or none; hidden until it has
  // more.
  cl::opt<std::string> precision{"precision", cl::init("f32"), cl::Hidden,
                                 cl::cat(training)};
  cl::opt<std::string> recompute{"recompute", cl::init("none"), cl::Hidden,
                                 cl::cat(training)};
  cl::opt<std::string> zero{"zero", cl::init("0"), cl::Hidden,
                            cl::cat(parallelism)};
  cl::opt<std::string> vpp{"vpp", cl::init("1"), cl::Hidden,
                           cl::cat(parallelism)};
  cl::opt<std::string> layersPerChunk{"num-layers-per-virtual-pipeline-stage",
                                      cl::Hidden, cl::cat(parallelism)};
  cl::opt<bool> distributedOptimizer{"use-distributed-optimizer", cl::Hidden,
                                     cl::cat(parallelism)};
  cl::opt<std::string> scheduleFile{"schedule-file", cl::Hidden,
                                    cl::cat(parallelism)};
  cl::opt<std::string> gpuArch{"gpu-arch", cl::Hidden, cl::cat(target)};

  cl::opt<int64_t> seq{"seq", cl::desc("Tokens per sample"), cl::init(0),
                       cl::value_desc("N"), cl::cat(training)};
  cl::list<std::string> dims{"dim", cl::desc("Binds a dynamic dim of the file"),
                             cl::value_desc("NAME=N"), cl::cat(training)};
  cl::opt<std::string> loss{
      "loss",
      cl::desc("causal-lm, cross-entropy (of classes) or mse (default: "
               "causal-lm if no position sees later tokens); ignored where the "
               "file ends in a loss"),
      cl::value_desc("NAME"), cl::cat(training)};
  cl::opt<std::string> optimizer{"optimizer", cl::desc("adamw or sgd"),
                                 cl::init("adamw"), cl::value_desc("NAME"),
                                 cl::cat(training)};
  cl::opt<std::string> init{
      "init", cl::desc("Initial weights: from-onnx or random"),
      cl::init("from-onnx"), cl::value_desc("HOW"), cl::cat(training)};
  cl::opt<std::string> freeze{"freeze",
                              cl::desc("Parameters that are not trained"),
                              cl::value_desc("REGEX"), cl::cat(training)};
  cl::opt<std::string> train{"train",
                             cl::desc("Parameters that are trained in spite "
                                      "of --freeze"),
                             cl::value_desc("REGEX"), cl::cat(training)};
  cl::opt<bool> paddingMask{
      "padding-mask",
      cl::desc("attention_mask is data; by default so unless --loss is "
               "causal-lm"),
      cl::cat(training)};
  cl::opt<bool> noDropout{"no-dropout", cl::desc("Leaves dropout out"),
                          cl::cat(training)};

  cl::opt<bool> forward{
      "forward",
      cl::desc("Compiles the model's outputs alone, for one rank: the program "
               "reads <input>.npy and writes <output>.npy"),
      cl::cat(training)};

  cl::opt<std::string> targetName{"target", cl::desc("auto, cpu"),
                                  cl::init("auto"), cl::value_desc("NAME"),
                                  cl::cat(target)};
  cl::opt<std::string> memoryLimit{"memory-limit",
                                   cl::desc("Refuses plans over this per rank"),
                                   cl::value_desc("80GiB"), cl::cat(target)};

  cl::opt<std::string> emit{
      "emit",
      cl::desc("Stops at import, nn, train, plan, spmd, pipeline, rt, llvm, "
               "obj or exe"),
      cl::init("exe"), cl::value_desc("STAGE"), cl::cat(output)};
  cl::opt<std::string> outputPath{"o", cl::desc("Where to write, - for stdout"),
                                  cl::value_desc("FILE"), cl::cat(output)};
  cl::opt<bool> check{
      "check", cl::desc("Says which operators of the file are supported"),
      cl::cat(output)};
  cl::opt<bool> supportedOps{"supported-ops",
                             cl::desc("Lists every operator as Markdown"),
                             cl::Hidden, cl::cat(output)};
  cl::opt<bool> listParams{"list-params",
                           cl::desc("Lists the parameters and stops"),
                           cl::cat(output)};
  cl::opt<std::string> report{"report", cl::ValueOptional,
                              cl::desc("Writes the summary to standard output, "
                                       "as text or with =json as JSON"),
                              cl::value_desc("json"), cl::cat(output)};
  cl::opt<bool> quiet{"q", cl::desc("Prints no summary"), cl::cat(output)};
  cl::opt<bool> verbose{"v", cl::desc("Prints the reason of every sharding"),
                        cl::cat(output)};
  cl::opt<bool> verifyEach{"verify-each",
                           cl::desc("Verifies after every pass (default on)"),
                           cl::init(true), cl::cat(debugging)};
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_FLAGS_H
