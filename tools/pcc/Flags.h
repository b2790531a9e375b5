//===- Flags.h - The flags of pcc -------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_FLAGS_H
#define PCC_TOOLS_PCC_FLAGS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

namespace cl = llvm::cl;

/// The largest number that a flag takes; the product of two such numbers fits
/// in 64 bits.
inline constexpr int64_t kLargestCount = 1'000'000'000;

/// Returns why a text is not a whole number from 1 on, in decimal digits; empty
/// if it is one.
inline std::string countError(llvm::StringRef text) {
  bool isNegative = text.starts_with("-");
  llvm::StringRef digits = text.drop_front(isNegative);
  int64_t value;
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    return (" takes a whole number, not '" + text + "'").str();
  if (isNegative || digits.ltrim('0').empty())
    return (" must be at least 1, not " + text).str();
  if (digits.getAsInteger(10, value) || value > kLargestCount)
    return (" " + text + " is too large\npcc: note: at most " +
            llvm::Twine(kLargestCount) + " is accepted")
        .str();
  return "";
}

/// A flag that may be given only once, by any of its names: of two values, the
/// intended one is unknown. Numbers are counts.
template <typename T>
class Once : public cl::opt<T> {
public:
  using cl::opt<T>::opt;

  bool addOccurrence(unsigned position, llvm::StringRef name,
                     llvm::StringRef value, bool isMore = false) override {
    auto refuse = [&](const llvm::Twine &why) {
      llvm::errs() << "pcc: error: " << (name.size() == 1 ? "-" : "--") << name
                   << why << "\n";
      return true;
    };
    if (this->getNumOccurrences())
      return refuse(" is given twice" + (value.empty() && first.empty()
                                             ? ""
                                             : ": '" + llvm::Twine(first) +
                                                   "' and '" + value + "'"));
    if (value.empty() && this->getValueExpectedFlag() == cl::ValueRequired)
      return refuse(" needs a value");
    first = value.str();
    if constexpr (std::is_same_v<T, int64_t>) {
      if (std::string why = countError(value); !why.empty())
        return refuse(why);
      // A leading zero would make it octal.
      value = value.ltrim('0');
    }
    return cl::opt<T>::addOccurrence(position, name, value, isMore);
  }

private:
  std::string first;
};

/// Flags without a value, with a text, and with a number from 1 on.
using Switch = Once<bool>;
using Text = Once<std::string>;
using Count = Once<int64_t>;

/// All flags of pcc. Constructed in parseArguments(), so that no flag exists
/// before it runs.
struct Flags {
  /// The headings that --help lists the flags under.
  cl::OptionCategory parallelism{"Parallelism"};
  cl::OptionCategory training{"Training"};
  cl::OptionCategory directory{"Model directories"};
  cl::OptionCategory target{"Target"};
  cl::OptionCategory output{"Output"};
  cl::OptionCategory debugging{"Debugging"};

  cl::list<std::string> inputs{cl::Positional, cl::desc("<model>")};

  Text task{"task",
            cl::desc("Task of a model directory: causal-lm, masked-lm, "
                     "seq2seq-lm, sequence-classification, "
                     "token-classification or image-classification (default: "
                     "by the architecture in config.json)"),
            cl::value_desc("NAME"), cl::cat(directory)};
  Text python{"python",
              cl::desc("The Python with PyTorch and transformers that exports "
                       "a model directory (default: beside pcc, of "
                       "$VIRTUAL_ENV, on PATH)"),
              cl::value_desc("FILE"), cl::cat(directory)};
  Switch trustRemoteCode{
      "trust-remote-code",
      cl::desc("Runs the Python code that a model directory contains"),
      cl::cat(directory)};

  Count tp{"tp",
           cl::desc("Tensor parallel size: heads, MLPs and the vocabulary are "
                    "split over N ranks"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias tpAlias{"tensor-model-parallel-size", cl::aliasopt(tp),
                    cl::desc("Same as --tp")};
  Count pp{"pp", cl::desc("Pipeline parallel size: number of stages"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias ppAlias{"pipeline-model-parallel-size", cl::aliasopt(pp),
                    cl::desc("Same as --pp")};
  Count dp{"dp", cl::desc("Data parallel size: number of replicas"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  Count ep{"ep",
           cl::desc("Expert parallel size: the experts are split over N of the "
                    "dp ranks"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias epAlias{"expert-model-parallel-size", cl::aliasopt(ep),
                    cl::desc("Same as --ep")};
  Count etp{"etp",
            cl::desc("Expert tensor parallel size: tp, which splits each "
                     "expert (default), or 1, where tp splits the experts"),
            cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias etpAlias{"expert-tensor-parallel-size", cl::aliasopt(etp),
                     cl::desc("Same as --etp")};
  Count cp{"cp",
           cl::desc("Context parallel size: sequences are split over N ranks"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias cpAlias{"context-parallel-size", cl::aliasopt(cp),
                    cl::desc("Same as --cp")};
  Text cpCommType{
      "cp-comm-type",
      cl::desc("Communication of context-parallel attention: a2a exchanges the "
               "sequence for heads (default where cp divides the key/value "
               "heads), allgather gathers keys and values"),
      cl::init("auto"), cl::value_desc("NAME"), cl::cat(parallelism)};
  Text cpBalance{
      "cp-balance",
      cl::desc("Order of a sequence on context-parallel ranks: headtail, equal "
               "work of causal attention with allgather (default where pieces "
               "are whole tiles and no op numbers positions), or none"),
      cl::init("auto"), cl::value_desc("NAME"), cl::cat(parallelism)};
  Count worldSize{
      "world-size",
      cl::desc("World size: number of all ranks, from which dp is derived"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  Text schedule{"schedule", cl::desc("Pipeline schedule: gpipe, 1f1b"),
                cl::init("1f1b"), cl::value_desc("NAME"), cl::cat(parallelism)};
  Text overlap{"overlap",
               cl::desc("Whether communication overlaps with compute: on, off"),
               cl::init("on"), cl::value_desc("WHEN"), cl::cat(parallelism)};
  Text recompute{
      "recompute",
      cl::desc("Activation recomputation: none, selective (norms, activation "
               "functions, sums, casts, dropout), full (whole layers)"),
      cl::init("none"), cl::value_desc("WHAT"), cl::cat(training)};
  Text headChunks{
      "head-chunks",
      cl::desc("Chunks of tokens that the last projection and its loss are "
               "computed in: a number, off, or auto (by the bytes of logits)"),
      cl::init("auto"), cl::value_desc("N"), cl::cat(training)};
  Text stageCut{
      "stage-cut",
      cl::desc(
          "Nodes that begin a pipeline stage (default: stages of equal cost)"),
      cl::value_desc("NODE,NODE"), cl::cat(parallelism)};
  Count microBatch{
      "micro-batch-size",
      cl::desc("Micro batch size: samples that a replica computes at once"),
      cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  Count globalBatch{"global-batch-size",
                    cl::desc("Global batch size: samples per step"),
                    cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};

  Switch sequenceParallel{
      "sequence-parallel",
      cl::desc("Shards norms and residuals over tp, along the sequence"),
      cl::cat(parallelism)};
  cl::alias sequenceParallelAlias{"sp", cl::aliasopt(sequenceParallel),
                                  cl::desc("Same as --sequence-parallel")};

  Text zero{"zero",
            cl::desc("ZeRO stage, the state that is sharded over dp and cp: 0, "
                     "none; 1, optimizer state and master weights (default "
                     "where dp > 1); 2, also gradients; 3, also parameters"),
            cl::value_desc("N"), cl::cat(parallelism)};
  Text bucketSize{"bucket-size",
                  cl::desc("Bytes of gradients after which a bucket takes no "
                           "further layer (default 25MiB)"),
                  cl::init("25MiB"), cl::value_desc("SIZE"),
                  cl::cat(parallelism)};

  /// Flags for which this version supports only one value, or none; hidden
  /// until it supports more.
  Text vpp{"vpp", cl::init("1"), cl::Hidden, cl::cat(parallelism)};
  Text layersPerChunk{"num-layers-per-virtual-pipeline-stage", cl::Hidden,
                      cl::cat(parallelism)};
  Switch distributedOptimizer{"use-distributed-optimizer", cl::Hidden,
                              cl::cat(parallelism)};
  Text scheduleFile{"schedule-file", cl::Hidden, cl::cat(parallelism)};

  Count seq{"seq", cl::desc("Sequence length, in tokens"), cl::init(0),
            cl::value_desc("N"), cl::cat(training)};
  cl::list<std::string> dims{"dim",
                             cl::desc("Extent of a dynamic dim of the file"),
                             cl::value_desc("NAME=N"), cl::cat(training)};
  Text loss{
      "loss",
      cl::desc(
          "causal-lm, cross-entropy (of classes) or mse (default: the file's "
          "own loss, else causal-lm if no position depends on later tokens)"),
      cl::value_desc("NAME"), cl::cat(training)};
  Text optimizer{"optimizer", cl::desc("adamw or sgd"), cl::init("adamw"),
                 cl::value_desc("NAME"), cl::cat(training)};
  Text optimizerState{
      "optimizer-state",
      cl::desc("Type of adamw's moments: f32, or bf16, which takes 4 bytes a "
               "parameter less"),
      cl::init("f32"), cl::value_desc("NAME"), cl::cat(training)};
  Text precision{
      "precision",
      cl::desc("Type of activations and working copies of weights: f32, bf16 "
               "or fp16 (default: f32 on CPUs, bf16 on GPUs)"),
      cl::init("f32"), cl::value_desc("NAME"), cl::cat(training)};
  Text init{"init", cl::desc("Initial weights: from-onnx or random"),
            cl::init("from-onnx"), cl::value_desc("HOW"), cl::cat(training)};
  Text freeze{"freeze", cl::desc("Parameters that are not trained"),
              cl::value_desc("REGEX"), cl::cat(training)};
  Text train{"train",
             cl::desc("Parameters that are trained although --freeze matches "
                      "them or they look like buffers"),
             cl::value_desc("REGEX"), cl::cat(training)};
  Text normPlusOne{
      "norm-plus-one",
      cl::desc("Scales that the exporter computed as 1 + the module's weight, "
               "as of Gemma's norms, by their names in the file or the module"),
      cl::value_desc("REGEX"), cl::cat(training)};
  cl::list<std::string> ties{
      "tie", cl::desc("Two parameters of equal values that are one"),
      cl::value_desc("A=B"), cl::cat(training)};
  cl::list<std::string> unties{
      "untie", cl::desc("A parameter that is separate from its equal"),
      cl::value_desc("NAME"), cl::cat(training)};
  cl::list<std::string> sharedInputs{
      "shared-input", cl::desc("An input that is the same for all samples"),
      cl::value_desc("NAME"), cl::cat(training)};
  cl::list<std::string> perSample{
      "per-sample", cl::desc("An input that has a row for each sample"),
      cl::value_desc("NAME"), cl::cat(training)};
  Switch paddingMask{"padding-mask",
                     cl::desc("attention_mask is an input of the program; "
                              "default unless the loss is causal-lm"),
                     cl::cat(training)};
  Switch noPaddingMask{
      "no-padding-mask",
      cl::desc("attention_mask is all ones; default if the loss is causal-lm"),
      cl::cat(training)};
  Switch noDropout{"no-dropout",
                   cl::desc("Imports the model without its dropout"),
                   cl::cat(training)};
  Text documents{
      "documents",
      cl::desc(
          "Tokens that end a document: attention is masked across documents, "
          "and positions are reset (auto: eos_token_id of config.json)"),
      cl::value_desc("ID,ID"), cl::cat(training)};
  Switch keepPositions{"keep-positions",
                       cl::desc("Positions are not reset at documents"),
                       cl::cat(training)};
  cl::opt<double> moeCapacity{
      "moe-capacity",
      cl::desc("By what factor the tokens of a rank's experts may exceed the "
               "mean over ranks, to save memory (default: any)"),
      cl::value_desc("F"), cl::cat(training)};
  cl::opt<double> moeAuxLoss{
      "moe-aux-loss",
      cl::desc("Factor of the auxiliary loss that balances experts, of each "
               "sample (seq_aux_loss)"),
      cl::value_desc("X"), cl::cat(training)};
  cl::opt<double> moeBiasRate{
      "moe-bias-rate",
      cl::desc("By how much a step changes the correction bias of a router's "
               "experts"),
      cl::value_desc("U"), cl::cat(training)};
  Switch allowGatheredExperts{
      "allow-gathered-experts",
      cl::desc("Trains experts that pcc does not recognize although their "
               "gathered weights need more than 1 GiB on a rank"),
      cl::cat(training)};
  Text batchNorm{"batch-norm",
                 cl::desc("Statistics of batch norms: batch (those of each "
                          "batch) or running (the file's)"),
                 cl::init("batch"), cl::value_desc("HOW"), cl::cat(training)};

  Switch forward{
      "forward",
      cl::desc("Compiles a program of one rank that computes the model's "
               "outputs: it reads <input>.npy and writes <output>.npy"),
      cl::cat(training)};

  Text targetName{"target",
                  cl::desc("auto (cpu), cpu, cuda or cuda-emulated (GPU "
                           "kernels, emulated by this machine)"),
                  cl::init("auto"), cl::value_desc("NAME"), cl::cat(target)};
  Text attention{"attention-backend",
                 cl::desc("Attention on GPUs: auto (cuDNN where it can, else "
                          "tiles), cudnn, tiles (generated kernels)"),
                 cl::init("auto"), cl::value_desc("NAME"), cl::cat(target)};
  Text gpuArch{"gpu-arch",
               cl::desc("GPUs to compile kernels for, in addition to sm_90: "
                        "sm_80, sm_100, ..."),
               cl::value_desc("sm_N,..."), cl::cat(target)};
  Text epilogues{"epilogues",
                 cl::desc("Whether GEMM epilogues of cuBLASLt compute biases, "
                          "residuals, GELU and gradients of biases: on, off"),
                 cl::init("on"), cl::value_desc("WHEN"), cl::cat(target)};
  Text targetCpu{"target-cpu",
                 cl::desc("The processor to compile for: native, x86-64-v2, "
                          "x86-64-v3, sapphirerapids, znver3, ..."),
                 cl::init("native"), cl::value_desc("NAME"), cl::cat(target)};
  Text memoryLimit{"memory-limit",
                   cl::desc("Refuses plans that need more memory on a rank"),
                   cl::value_desc("80GiB"), cl::cat(target)};

  Text offload{"offload",
               cl::desc("Optimizer state that is in the host's memory instead "
                        "of a GPU's: optimizer; or in files of a folder "
                        "instead of a CPU's memory: optimizer=DIR"),
               cl::value_desc("WHAT"), cl::cat(target)};

  Text emit{"emit",
            cl::desc("Phase to stop at: import, nn, train, plan, spmd, "
                     "pipeline, rt, llvm, obj or exe"),
            cl::init("exe"), cl::value_desc("STAGE"), cl::cat(output)};
  Text outputPath{"o", cl::desc("Output file, - for standard output"),
                  cl::value_desc("FILE"), cl::cat(output)};
  Switch check{"check",
               cl::desc("Reports whether the model compiles and, if not, why"),
               cl::cat(output)};
  Switch listParams{"list-params", cl::desc("Lists the parameters and stops"),
                    cl::cat(output)};
  Text report{"report", cl::ValueOptional,
              cl::desc("Writes the summary to standard output, "
                       "as text or with =json as JSON"),
              cl::value_desc("json"), cl::cat(output)};
  Switch memory{"memory",
                cl::desc("Adds to the summary what the forward pass keeps for "
                         "the backward pass, and what other flags would save"),
                cl::cat(output)};
  Switch quiet{"q", cl::desc("Prints no summary"), cl::cat(output)};
  Switch verbose{"v", cl::desc("Also prints the reason of every sharding"),
                 cl::cat(output)};
  Switch verifyEach{"verify-each",
                    cl::desc("Verifies after every pass (default on)"),
                    cl::init(true), cl::cat(debugging)};
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_FLAGS_H
