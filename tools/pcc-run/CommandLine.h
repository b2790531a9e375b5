//===- CommandLine.h - The flags of pcc-run ---------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_RUN_COMMANDLINE_H
#define PCC_TOOLS_PCC_RUN_COMMANDLINE_H

#include "interpreter/GradientCheck.h"
#include "runtime/support/Options.h"
#include "llvm/Support/CommandLine.h"

namespace pcc {

/// Exit codes of pcc-run: all is as it should be; something differs or could
/// not be computed; the command line or a file it names is wrong.
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

  /// The heading that --help lists the flags under, and what puts one there.
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
  Opt<uint64_t> fill{"fill",
                     Desc("Makes up what is not given, by role and type"),
                     Value("seed"), in};
  Opt<int64_t> vocab{"vocab",
                     Desc("Bound of the token ids that --fill makes up"),
                     llvm::cl::init(0), in};
  Opt<bool> exact{"exact", Desc("Computes in f64 whatever the declared types"),
                  in};

  Opt<uint64_t> streamSeed{
      "stream-seed",
      Desc("Draws the order in which streams of an rt program are done"),
      Value("seed"), llvm::cl::init(0), in};
  Opt<bool> allowRaces{
      "allow-races",
      Desc("Runs an rt program although no event orders some accesses"), in};

  List show{"print",
            Desc("Results (by index) and symbols (@name) to print (default: "
                 "all results; none)"),
            llvm::cl::CommaSeparated, Value("key,..."), in};
  Opt<int64_t> maxElements{"max-elements",
                           Desc("Larger tensors are printed in short"),
                           llvm::cl::init(64), in};
  List save{"save", Desc("Writes a result or symbol to a .npy file"),
            Value("key=file"), in};
  List expect{"expect", Desc("What a result or symbol must be"),
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
      Desc("A partitioned program's plan: every op's value is rebuilt from "
           "the ranks and compared with the plan's"),
      Value("module.mlir"), in};
  Opt<bool> checkGradients{
      "check-gradients",
      Desc("Compares the gradients that @microbatch accumulates with "
           "differences of @loss, in f64"),
      in};
  Opt<std::string> lossFrom{
      "loss-from", Desc("The program that has @loss (default: the same)"),
      Value("module.mlir"), in};
  Opt<int64_t> samples{"samples", Desc("Elements of each parameter to check"),
                       llvm::cl::init(interp::GradientCheckOptions().samples),
                       in};

  /// A flag of a training binary, with its name and default, which is kept in a
  /// field of `training`.
  template <typename T>
  using To = llvm::cl::opt<T, /*ExternalStorage=*/true>;
  template <typename T>
  using At = llvm::cl::LocationClass<T>;

  /// What the flags below set; the others stay as the runtime has them.
  TrainingOptions training;
  To<std::string> data{"data", Desc("Runs training steps on a token file"),
                       Value("file"), At<std::string>(training.data), in};
  To<bool> shuffle{"shuffle", Desc("Visits samples in an order of --seed"),
                   At<bool>(training.shuffle), in};
  To<int64_t> seed{"seed",
                   Desc("Random seed of weights, dropout and --shuffle"),
                   At<int64_t>(training.seed), in};
  To<int64_t> steps{"steps", Desc("Steps, also of the schedule"),
                    At<int64_t>(training.steps), in};
  To<int64_t> stopAfter{"stop-after", Desc("Ends early, after this step"),
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
  To<double> decay{"weight-decay", Desc("Of tensors of rank 2 and more"),
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
                        Desc("Of fp16: the first scale, a power of two"),
                        At<int64_t>(training.initialLossScale), in};
  To<int64_t> lossScaleWindow{
      "loss-scale-window",
      Desc("Of fp16: steps after which the scale is doubled"),
      At<int64_t>(training.lossScaleWindow), in};
  To<std::string> initial{"init",
                          Desc("from-onnx, random, or a .safetensors file"),
                          At<std::string>(training.init), in};
  To<std::string> model{"model", Desc("Where the model file lies now"),
                        At<std::string>(training.model), in};
  To<std::string> logJson{"log-json", Desc("Writes a JSON object per step"),
                          At<std::string>(training.logJson), in};
  Opt<int64_t> microbatches{
      "microbatches",
      Desc("Microbatches per step (of a program without schedules)"),
      llvm::cl::init(0), in};
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_RUN_COMMANDLINE_H
