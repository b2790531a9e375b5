//===- CommandLine.h - The flags of pcc-run ---------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_RUN_COMMANDLINE_H
#define PCC_TOOLS_PCC_RUN_COMMANDLINE_H

#include "interpreter/GradientCheck.h"
#include "runtime/support/Options.h"
#include "llvm/Support/CommandLine.h"

namespace pcc {

/// Exit codes of pcc-run: success; a difference, a failed computation, an
/// invalid module or a flag that LLVM's parser rejects; another error in the
/// command line or in a file that it names.
enum { kDone = 0, kFailed = 1, kUsage = 2 };

/// The flags, each with its help. Constructed in main before the command line
/// is parsed; the values are read straight from here.
struct CommandLine {
  /// Short names, so that a flag is a line or two.
  template <typename T>
  using Opt = llvm::cl::opt<T>;
  using List = llvm::cl::list<std::string>;
  using Desc = llvm::cl::desc;
  using Value = llvm::cl::value_desc;

  /// The category of the flags in --help, and the modifier that assigns it.
  llvm::cl::OptionCategory category{"pcc-run"};
  llvm::cl::cat in{category};

  Opt<std::string> input{llvm::cl::Positional, Desc("<module.mlir | ->"),
                         llvm::cl::init("-"), in};
  List entries{"entry",
               Desc("Functions to run, one after the other on the same "
                    "parameters and states (default: the only one)"),
               llvm::cl::CommaSeparated, Value("name,..."), in};
  List args{"arg",
            Desc("Value of an argument (by name, role or index) or of a "
                 "parameter or state (@name): nested lists, or a .npy or JSON "
                 "file"),
            Value("key=value"), in};
  Opt<std::string> inputs{
      "inputs", Desc("JSON file with an object of such keys and values"),
      Value("file"), in};
  Opt<uint64_t> fill{
      "fill", Desc("Draws all values that are not given, by role and type"),
      Value("seed"), in};
  Opt<int64_t> vocab{"vocab",
                     Desc("Exclusive bound of the token ids that --fill draws"),
                     llvm::cl::init(0), in};
  Opt<bool> exact{
      "exact", Desc("Computes in f64, regardless of the declared types"), in};

  Opt<uint64_t> streamSeed{"stream-seed",
                           Desc("Draws the order in which operations of an rt "
                                "program's streams execute"),
                           Value("seed"), llvm::cl::init(0), in};
  Opt<bool> allowRaces{"allow-races",
                       Desc("Runs an rt program although events do not order "
                            "some accesses to the same bytes"),
                       in};

  List show{"print",
            Desc("Results (by index) and symbols (@name) to print (default: "
                 "all results; none)"),
            llvm::cl::CommaSeparated, Value("key,..."), in};
  Opt<int64_t> maxElements{"max-elements",
                           Desc("Larger tensors are printed abbreviated"),
                           llvm::cl::init(64), in};
  List save{"save", Desc("Writes a result or symbol to a .npy file"),
            Value("key=file"), in};
  List expect{"expect", Desc("Expected value of a result or symbol"),
              Value("key=value"), in};
  Opt<std::string> expected{
      "expected", Desc("JSON file with an object of such keys and values"),
      Value("file"), in};
  Opt<double> rtol{"rtol",
                   Desc("Difference allowed by --expect and --against, "
                        "relative to the largest element"),
                   llvm::cl::init(1e-6), in};

  Opt<bool> missing{
      "list-missing",
      Desc("Lists the nn and dist ops that cannot be interpreted, and stops"),
      in};
  Opt<std::string> against{
      "against",
      Desc("Plan of a partitioned program: the value of every op is assembled "
           "from the ranks' shards and compared with the plan's"),
      Value("module.mlir"), in};
  Opt<bool> checkGradients{
      "check-gradients",
      Desc("Compares the gradients that @microbatch accumulates with finite "
           "differences of @loss, in f64"),
      in};
  Opt<std::string> lossFrom{"loss-from",
                            Desc("Module that has @loss (default: the same)"),
                            Value("module.mlir"), in};
  Opt<int64_t> samples{"samples", Desc("Elements of each parameter to check"),
                       llvm::cl::init(interp::GradientCheckOptions().samples),
                       in};

  /// A flag of a training binary with the same name and default, stored in a
  /// field of `training`.
  template <typename T>
  using To = llvm::cl::opt<T, /*ExternalStorage=*/true>;
  template <typename T>
  using At = llvm::cl::LocationClass<T>;

  /// The options that the flags below set; others keep the runtime's defaults.
  TrainingOptions training;
  To<std::string> data{"data", Desc("Runs training steps on a token file"),
                       Value("file"), At<std::string>(training.data), in};
  To<bool> shuffle{"shuffle",
                   Desc("Visits samples in a random order from --seed"),
                   At<bool>(training.shuffle), in};
  To<int64_t> seed{"seed",
                   Desc("Random seed of weights, dropout and --shuffle"),
                   At<int64_t>(training.seed), in};
  To<int64_t> steps{"steps",
                    Desc("Total steps, also of the learning-rate schedule"),
                    At<int64_t>(training.steps), in};
  To<int64_t> stopAfter{"stop-after", Desc("Ends after step N"),
                        At<int64_t>(training.stopAfter), in};
  To<double> lr{"lr", Desc("Peak learning rate, after warm-up"),
                At<double>(training.lr), in};
  To<double> minLr{"min-lr", Desc("Learning rate at the last step"),
                   At<double>(training.minLr), in};
  To<int64_t> warmup{"warmup-steps", Desc("Steps of linear warm-up to --lr"),
                     At<int64_t>(training.warmupSteps), in};
  To<std::string> schedule{"lr-schedule",
                           Desc("constant, linear, cosine or wsd"),
                           At<std::string>(training.lrSchedule), in};
  To<double> decay{"weight-decay",
                   Desc("Weight decay of tensors of rank 2 or more"),
                   At<double>(training.weightDecay), in};
  To<double> beta1{"beta1", Desc("Decay rate of AdamW's first moment"),
                   At<double>(training.beta1), in};
  To<double> beta2{"beta2", Desc("Decay rate of AdamW's second moment"),
                   At<double>(training.beta2), in};
  To<double> eps{"eps", Desc("Added to AdamW's denominator"),
                 At<double>(training.eps), in};
  To<double> clip{"clip-grad", Desc("Maximum gradient norm, 0 for none"),
                  At<double>(training.clipGrad), in};
  To<int64_t> lossScale{"initial-loss-scale",
                        Desc("fp16: first loss scale, a power of two"),
                        At<int64_t>(training.initialLossScale), in};
  To<int64_t> lossScaleWindow{
      "loss-scale-window",
      Desc(
          "fp16: steps without overflow after which the loss scale is doubled"),
      At<int64_t>(training.lossScaleWindow), in};
  To<std::string> initial{
      "init",
      Desc("Initial weights: from-onnx, random, or a .safetensors file"),
      At<std::string>(training.init), in};
  To<std::string> model{"model",
                        Desc("Path of the model file, if it was moved"),
                        At<std::string>(training.model), in};
  To<std::string> logJson{"log-json", Desc("Writes a JSON object per step"),
                          At<std::string>(training.logJson), in};
  Opt<int64_t> microbatches{
      "microbatches",
      Desc("Microbatches per step, for a module without schedules"),
      llvm::cl::init(0), in};
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_RUN_COMMANDLINE_H
