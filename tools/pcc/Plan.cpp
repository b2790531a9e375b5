//===- Plan.cpp - Options recorded in a module ----------------------------===//

#include "tools/pcc/Plan.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/IR/Builders.h"
#include "passes/Pipelines.h"
#include "passes/Training/Entry.h"

using namespace mlir;
using namespace pcc;

static constexpr llvm::StringLiteral kPlanAttr = "pcc.plan";

/// Emits an error that the global batch is not a multiple of `unit`, with the
/// nearest multiples.
static LogicalResult refuseBatch(Location loc, int64_t global, int64_t unit,
                                 const Twine &reason) {
  InFlightDiagnostic diag = emitError(loc)
                            << "--global-batch-size " << global
                            << " is not a multiple of " << reason;
  Diagnostic &note = diag.attachNote() << "the nearest that are: ";
  if (global > unit)
    note << global / unit * unit << ", ";
  note << (global / unit + 1) * unit;
  return diag;
}

LogicalResult pcc::resolveBatch(Options &options, int64_t staticBatch,
                                Location loc) {
  int64_t &micro = options.microBatch, &global = options.globalBatch;
  if (staticBatch) {
    if (micro && micro != staticBatch)
      return emitError(loc)
             << "--micro-batch-size " << micro
             << " contradicts the file, whose batch dim is fixed to "
             << staticBatch;
    if (options.dp > 1) {
      InFlightDiagnostic diag =
          emitError(loc) << "cannot share a batch fixed to " << staticBatch
                         << " by the file over --dp " << options.dp;
      diag.attachNote() << "export the model with a dynamic batch dim, or "
                           "leave --dp out";
      return diag;
    }
    micro = staticBatch;
  }
  if (!micro && global && options.pp == 1) {
    if (global % options.dp)
      return refuseBatch(loc, global, options.dp, "--dp " + Twine(options.dp));
    micro = global / options.dp;
  }
  if (!micro)
    micro = 1;
  int64_t perMicrobatch = micro * options.dp;
  if (!global)
    global =
        perMicrobatch *
        (options.pp == 1 ? 1 : std::min(4 * options.pp, kMostMicrobatches));
  if (global % perMicrobatch)
    return refuseBatch(loc, global, perMicrobatch,
                       "micro batch " + Twine(micro) + " x dp " +
                           Twine(options.dp) + " = " + Twine(perMicrobatch));
  options.microbatches = global / perMicrobatch;
  if (options.microbatches <= kMostMicrobatches)
    return success();
  InFlightDiagnostic diag = emitError(loc)
                            << "a step of " << global
                            << " samples in micro batches of " << micro
                            << (options.dp > 1 ? " on " : "");
  if (options.dp > 1)
    diag << options.dp << " data-parallel ranks";
  diag << " is " << options.microbatches << " microbatches, more than the "
       << "allowed " << kMostMicrobatches;
  diag.attachNote() << "take a larger --micro-batch-size or --dp, or a smaller "
                       "--global-batch-size";
  return diag;
}

/// Emits an error that --ep does not divide --dp.
static LogicalResult refuseExperts(const Options &options, Location loc) {
  int64_t ep = options.ep, dp = options.dp, tp = options.tp;
  InFlightDiagnostic diag = emitError(loc)
                            << "--ep " << ep << " does not divide --dp " << dp
                            << ", whose ranks it takes";
  // Megatron's number counts the ranks that split the experts.
  if (options.etp == 1 && tp > 1 && ep % tp == 0 && dp % (ep / tp) == 0)
    diag.attachNote() << "with --etp 1 --tp " << tp
                      << " splits the experts, too: --ep " << ep / tp
                      << " splits the experts " << ep << " ways";
  Diagnostic &note = diag.attachNote();
  note << "valid values for --ep are 1";
  for (int64_t n = 2; n <= dp; ++n)
    if (dp % n == 0)
      note << ", " << n;
  return diag;
}

LogicalResult pcc::resolveExperts(Options &options, Location loc) {
  if (options.dp % options.ep)
    return refuseExperts(options, loc);
  if (!options.etp)
    options.etp = options.tp;
  if (options.etp == 1 || options.etp == options.tp)
    return success();
  InFlightDiagnostic diag = emitError(loc)
                            << "--etp " << options.etp
                            << " is neither 1 nor --tp " << options.tp;
  diag.attachNote() << (options.tp > 1
                            ? "--etp 1 splits the experts over --tp; without "
                              "--etp each expert is split over it"
                            : "the ranks of --etp are ranks of --tp");
  return diag;
}

namespace {
/// A recorded option, its flag, and the phase from which on it is fixed.
struct Choice {
  llvm::StringLiteral key, flag, phase;
  int64_t Options::*number = nullptr;
  std::string Options::*text = nullptr;
};
} // namespace

/// The key of the order of sequences, which dist-balance-sequence chooses.
static constexpr StringLiteral kBalanceKey = "cp_balance";

static const Choice choices[] = {
    {"dp", "dp", "import", &Options::dp},
    {"micro_batch", "micro-batch-size", "import", &Options::microBatch},
    {"seq", "seq", "import", &Options::seq},
    {"tp", "tp", "train", &Options::tp},
    {"pp", "pp", "train", &Options::pp},
    {"cp", "cp", "plan", &Options::cp},
    {"ep", "ep", "plan", &Options::ep},
    {"etp", "etp", "plan", &Options::etp},
    {"cp_comm_type", "cp-comm-type", "plan", nullptr, &Options::cpCommType},
    {kBalanceKey, "cp-balance", "plan", nullptr, &Options::cpBalance},
    {"loss", "loss", "train", nullptr, &Options::loss},
    {"optimizer", "optimizer", "train", nullptr, &Options::optimizer},
    {"optimizer_state", "optimizer-state", "train", nullptr,
     &Options::optimizerState},
    {"precision", "precision", "train", nullptr, &Options::precision},
    {"zero", "zero", "spmd", nullptr, &Options::zero},
    {"bucket_size", "bucket-size", "spmd", &Options::bucketSize},
    {"schedule", "schedule", "pipeline", nullptr, &Options::schedule},
    {"recompute", "recompute", "pipeline", nullptr, &Options::recompute},
    {"head_chunks", "head-chunks", "pipeline", nullptr, &Options::headChunks},
    {"overlap", "overlap", "pipeline", nullptr, &Options::overlap},
    {"global_batch", "global-batch-size", "pipeline", &Options::globalBatch},
    {"target", "target", "rt", nullptr, &Options::target},
    {"attention", "attention-backend", "rt", nullptr, &Options::attention},
    {"epilogues", "epilogues", "rt", nullptr, &Options::epilogues},
    {"offload", "offload", "rt", nullptr, &Options::offload},
};

static StringAttr recordedBalance(ModuleOp module) {
  auto plan = module->getAttrOfType<DictionaryAttr>(kPlanAttr);
  return plan ? plan.getAs<StringAttr>(kBalanceKey) : StringAttr();
}

bool pcc::isHeadTail(ModuleOp module) {
  StringAttr balance = recordedBalance(module);
  return balance && balance.getValue() == "headtail";
}

/// Whether an input of a function has another order than the data.
static bool hasOrder(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, nn::kOrderAttr))
        return true;
  return false;
}

void pcc::recordPlan(ModuleOp module, int phase, const Options &options) {
  Builder builder(module.getContext());
  NamedAttrList plan;
  for (const Choice &choice : choices) {
    bool isAskedFor =
        choice.number == &Options::globalBatch && options.globalBatchGiven;
    // A number is 0 if the model determines it, as it may the sequence length;
    // GEMMs of CPUs have no epilogues; bytes determine chunks, and heads the
    // communication of attention.
    bool isOpen =
        (choice.number && options.*choice.number == 0) ||
        (choice.text == &Options::epilogues && !options.hasDevice()) ||
        (choice.text && choice.text != &Options::attention &&
         options.*choice.text == "auto") ||
        (choice.text == &Options::offload && options.offload.empty());
    if (isOpen || (findPhase(choice.phase) > phase && !isAskedFor))
      continue;
    if (choice.text == &Options::cpBalance)
      continue;
    // A CPU has a single attention backend.
    if (choice.text == &Options::attention && !options.hasDevice())
      continue;
    if (choice.number)
      plan.set(choice.key, builder.getI64IntegerAttr(options.*choice.number));
    else if (auto loss = module->getAttrOfType<StringAttr>(nn::kLossAttr);
             loss && choice.text == &Options::loss)
      plan.set(choice.key, loss);
    else if (choice.text == &Options::zero)
      plan.set(choice.key, builder.getStringAttr(Twine(options.zeroStage())));
    else
      plan.set(choice.key, builder.getStringAttr(options.*choice.text));
  }
  if (options.cp > 1 && phase >= findPhase("plan")) {
    Attribute known = recordedBalance(module);
    plan.set(kBalanceKey, known ? known
                                : builder.getStringAttr(
                                      hasOrder(module) ? "headtail" : "none"));
  }
  module->setAttr(kPlanAttr, plan.getDictionary(module.getContext()));
  module->setAttr(kPhaseAttr, builder.getStringAttr(getPhases()[phase].name));
}

LogicalResult pcc::adoptPlan(ModuleOp module, Arguments &arguments) {
  auto plan = module->getAttrOfType<DictionaryAttr>(kPlanAttr);
  if (!plan)
    return success();
  Options &options = arguments.options;
  for (const Choice &choice : choices) {
    Attribute value = plan.get(choice.key);
    if (!value)
      continue;
    bool given = llvm::is_contained(arguments.given, choice.flag);
    auto contradiction = [&](auto mine, auto theirs) {
      return emitError(module.getLoc())
             << "--" << choice.flag << " " << mine
             << " contradicts the module, which was compiled with " << theirs;
    };
    if (choice.number) {
      auto number = dyn_cast<IntegerAttr>(value);
      if (!number)
        return emitError(module.getLoc())
               << kPlanAttr << ": '" << choice.key << "' is no integer";
      if (given && options.*choice.number != number.getInt())
        return contradiction(options.*choice.number, number.getInt());
      int64_t most =
          choice.number == &Options::bucketSize ? INT64_MAX : 1'000'000'000;
      if (number.getInt() < 1 || number.getInt() > most)
        return emitError(module.getLoc()) << kPlanAttr << ": '" << choice.key
                                          << "' cannot be " << number.getInt();
      options.*choice.number = number.getInt();
      if (choice.number == &Options::globalBatch)
        options.globalBatchGiven = true;
    } else {
      auto text = dyn_cast<StringAttr>(value);
      if (!text)
        return emitError(module.getLoc())
               << kPlanAttr << ": '" << choice.key << "' is no string";
      if (given && options.*choice.text != text.getValue())
        return contradiction(StringRef(options.*choice.text), text.getValue());
      options.*choice.text = text.str();
    }
  }
  return success();
}
