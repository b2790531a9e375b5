//===- Flags.h - The flags of pcc -------------------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_FLAGS_H
#define PCC_TOOLS_PCC_FLAGS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

namespace cl = llvm::cl;

/// The largest number that a flag takes: products of a few fit in 64 bits.
inline constexpr int64_t kLargestCount = 1'000'000'000;

/// Why a text is no whole number from 1 on, in decimal digits; empty if it is.
inline std::string whyNoCount(llvm::StringRef text) {
  bool isNegative = text.starts_with("-");
  llvm::StringRef digits = text.drop_front(isNegative);
  int64_t value;
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos)
    return (" takes a whole number, not '" + text + "'").str();
  if (isNegative || digits.ltrim('0').empty())
    return (" must be at least 1, not " + text).str();
  if (digits.getAsInteger(10, value) || value > kLargestCount)
    return (" " + text + " is beyond every machine\npcc: note: at most " +
            llvm::Twine(kLargestCount) + " is accepted")
        .str();
  return "";
}

/// A flag that is given once, by whichever of its names: of two values nobody
/// knows which was meant. Numbers are counts.
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
      if (std::string why = whyNoCount(value); !why.empty())
        return refuse(why);
      // A zero in front would make it octal.
      value = value.ltrim('0');
    }
    return cl::opt<T>::addOccurrence(position, name, value, isMore);
  }

private:
  std::string first;
};

/// A flag without a value, with a text and with a number from 1 on.
using Switch = Once<bool>;
using Text = Once<std::string>;
using Count = Once<int64_t>;

/// Every flag of pcc. Constructed in main so that no flag exists before it.
struct Flags {
  /// The headings that --help lists the flags under.
  cl::OptionCategory parallelism{"Parallelism"};
  cl::OptionCategory training{"Training"};
  cl::OptionCategory target{"Target"};
  cl::OptionCategory output{"Output"};
  cl::OptionCategory debugging{"Debugging"};

  cl::list<std::string> inputs{cl::Positional, cl::desc("<model>")};

  Count tp{"tp", cl::desc("Tensor parallel size: ranks that share every layer"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias tpAlias{"tensor-model-parallel-size", cl::aliasopt(tp),
                    cl::desc("Same as --tp")};
  Count pp{"pp", cl::desc("Pipeline parallel size: stages"), cl::init(1),
           cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias ppAlias{"pipeline-model-parallel-size", cl::aliasopt(pp),
                    cl::desc("Same as --pp")};
  Count dp{"dp", cl::desc("Data parallel size: replicas that share the batch"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  Count cp{"cp", cl::desc("Context parallel size: ranks that share a sequence"),
           cl::init(1), cl::value_desc("N"), cl::cat(parallelism)};
  cl::alias cpAlias{"context-parallel-size", cl::aliasopt(cp),
                    cl::desc("Same as --cp")};
  Count worldSize{"world-size",
                  cl::desc("World size: all ranks; dp is what is left of them"),
                  cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  Text schedule{"schedule", cl::desc("Pipeline schedule: gpipe, 1f1b"),
                cl::init("1f1b"), cl::value_desc("NAME"), cl::cat(parallelism)};
  Text overlap{"overlap",
               cl::desc("Whether stages compute while they transfer: on, off"),
               cl::init("on"), cl::value_desc("WHEN"), cl::cat(parallelism)};
  Text recompute{
      "recompute",
      cl::desc("What backward passes compute anew instead of keeping it: none, "
               "selective (norms, gelu and the like), full (whole layers)"),
      cl::init("none"), cl::value_desc("WHAT"), cl::cat(training)};
  Text stageCut{
      "stage-cut",
      cl::desc("Nodes that begin a pipeline stage (default: balance)"),
      cl::value_desc("NODE,NODE"), cl::cat(parallelism)};
  Count microBatch{"micro-batch-size",
                   cl::desc("Micro batch size: samples per replica at once"),
                   cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};
  Count globalBatch{"global-batch-size",
                    cl::desc("Global batch size: samples per step"),
                    cl::init(0), cl::value_desc("N"), cl::cat(parallelism)};

  Switch sequenceParallel{
      "sequence-parallel",
      cl::desc("Sequence parallel norms and residuals, over tp"),
      cl::cat(parallelism)};
  cl::alias sequenceParallelAlias{"sp", cl::aliasopt(sequenceParallel),
                                  cl::desc("Same as --sequence-parallel")};

  Text zero{
      "zero",
      cl::desc("What data parallel ranks keep a part of each: 0, nothing; "
               "1, the optimizer's state (default where dp > 1); 2, gradients, "
               "too; 3, parameters, too"),
      cl::value_desc("N"), cl::cat(parallelism)};
  Text bucketSize{"bucket-size",
                  cl::desc("Gradients that are reduced in one message: whole "
                           "layers until they have so many bytes"),
                  cl::init("25MiB"), cl::value_desc("SIZE"),
                  cl::cat(parallelism)};

  /// What this version has one value of only, or none, and refuses another;
  /// hidden until it has more.
  Text vpp{"vpp", cl::init("1"), cl::Hidden, cl::cat(parallelism)};
  Text layersPerChunk{"num-layers-per-virtual-pipeline-stage", cl::Hidden,
                      cl::cat(parallelism)};
  Switch distributedOptimizer{"use-distributed-optimizer", cl::Hidden,
                              cl::cat(parallelism)};
  Text scheduleFile{"schedule-file", cl::Hidden, cl::cat(parallelism)};

  Count seq{"seq", cl::desc("Sequence length, in tokens"), cl::init(0),
            cl::value_desc("N"), cl::cat(training)};
  cl::list<std::string> dims{"dim", cl::desc("Binds a dynamic dim of the file"),
                             cl::value_desc("NAME=N"), cl::cat(training)};
  Text loss{
      "loss",
      cl::desc("causal-lm, cross-entropy (of classes) or mse (default: "
               "causal-lm if no position sees later tokens); ignored where the "
               "file ends in a loss"),
      cl::value_desc("NAME"), cl::cat(training)};
  Text optimizer{"optimizer", cl::desc("adamw or sgd"), cl::init("adamw"),
                 cl::value_desc("NAME"), cl::cat(training)};
  Text precision{"precision",
                 cl::desc("Type of activations: f32, or bf16 or fp16 with f32 "
                          "master weights"),
                 cl::init("f32"), cl::value_desc("NAME"), cl::cat(training)};
  Text init{"init", cl::desc("Initial weights: from-onnx or random"),
            cl::init("from-onnx"), cl::value_desc("HOW"), cl::cat(training)};
  Text freeze{"freeze", cl::desc("Parameters that are not trained"),
              cl::value_desc("REGEX"), cl::cat(training)};
  Text train{"train",
             cl::desc("Parameters that are trained in spite "
                      "of --freeze, or of looking like buffers"),
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
      "untie", cl::desc("A parameter that is not one with its equal"),
      cl::value_desc("NAME"), cl::cat(training)};
  cl::list<std::string> sharedInputs{
      "shared-input", cl::desc("An input that is the same for all samples"),
      cl::value_desc("NAME"), cl::cat(training)};
  cl::list<std::string> perSample{
      "per-sample", cl::desc("An input that has a row for each sample"),
      cl::value_desc("NAME"), cl::cat(training)};
  Switch paddingMask{
      "padding-mask",
      cl::desc("attention_mask is data; by default so unless the loss is "
               "causal-lm"),
      cl::cat(training)};
  Switch noPaddingMask{
      "no-padding-mask",
      cl::desc("attention_mask is all ones; by default so if the loss is "
               "causal-lm"),
      cl::cat(training)};
  Switch noDropout{"no-dropout",
                   cl::desc("Imports the model without its dropout"),
                   cl::cat(training)};
  Text batchNorm{"batch-norm",
                 cl::desc("Statistics of batch norms: batch, or running, as "
                          "the file has them"),
                 cl::init("batch"), cl::value_desc("HOW"), cl::cat(training)};

  Switch forward{
      "forward",
      cl::desc("Compiles the model's outputs alone, for one rank: the program "
               "reads <input>.npy and writes <output>.npy"),
      cl::cat(training)};

  Text targetName{"target",
                  cl::desc("auto, cpu, cuda, cuda-emulated (a GPU's kernels, "
                           "run by this machine)"),
                  cl::init("auto"), cl::value_desc("NAME"), cl::cat(target)};
  Text attention{"attention-backend",
                 cl::desc("What makes attention on GPUs: auto, cudnn, tiles"),
                 cl::init("auto"), cl::value_desc("NAME"), cl::cat(target)};
  Text gpuArch{"gpu-arch",
               cl::desc("GPUs to compile kernels for beside sm_90: sm_80, "
                        "sm_100, ..."),
               cl::value_desc("sm_N,..."), cl::cat(target)};
  Text epilogues{"epilogues",
                 cl::desc("Whether a GPU's library adds biases, takes gelu and "
                          "so on as it makes products: on, off"),
                 cl::init("on"), cl::value_desc("WHEN"), cl::cat(target)};
  Text targetCpu{"target-cpu",
                 cl::desc("The processor to compile for: native, x86-64-v2, "
                          "x86-64-v3, sapphirerapids, znver3, ..."),
                 cl::init("native"), cl::value_desc("NAME"), cl::cat(target)};
  Text memoryLimit{"memory-limit", cl::desc("Refuses plans over this per rank"),
                   cl::value_desc("80GiB"), cl::cat(target)};

  Text emit{
      "emit",
      cl::desc("Stops at import, nn, train, plan, spmd, pipeline, rt, llvm, "
               "obj or exe"),
      cl::init("exe"), cl::value_desc("STAGE"), cl::cat(output)};
  Text outputPath{"o", cl::desc("Where to write, - for stdout"),
                  cl::value_desc("FILE"), cl::cat(output)};
  Switch check{"check",
               cl::desc("Says whether the file compiles and, if not, why"),
               cl::cat(output)};
  Switch listParams{"list-params", cl::desc("Lists the parameters and stops"),
                    cl::cat(output)};
  Text report{"report", cl::ValueOptional,
              cl::desc("Writes the summary to standard output, "
                       "as text or with =json as JSON"),
              cl::value_desc("json"), cl::cat(output)};
  Switch quiet{"q", cl::desc("Prints no summary"), cl::cat(output)};
  Switch verbose{"v", cl::desc("Prints the reason of every sharding"),
                 cl::cat(output)};
  Switch verifyEach{"verify-each",
                    cl::desc("Verifies after every pass (default on)"),
                    cl::init(true), cl::cat(debugging)};
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_FLAGS_H
