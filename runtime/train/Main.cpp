//===- Main.cpp - The entry point of a training binary --------------------===//

#include "runtime/Backend.h"
#include "runtime/Version.h"
#include "runtime/launch/Deadline.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Heartbeat.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Signals.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/launch/TargetCpu.h"
#include "runtime/launch/Waiting.h"
#include "runtime/support/Error.h"
#include "runtime/support/Mesh.h"
#include "runtime/support/Options.h"
#include "runtime/telemetry/Console.h"
#include "runtime/train/Forward.h"
#include "runtime/train/Info.h"
#include "runtime/train/SameRun.h"
#include "runtime/train/Train.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sys/prctl.h>

using namespace pcc;

/// "pp 2 x tp 2 = 4".
static std::string arithmetic(const pcc_program &program) {
  std::string text;
  for (int axis = 0; axis < program.n_axes; ++axis)
    text += format("%s%s %lld", axis ? " x " : "", program.axes[axis].name,
                   static_cast<long long>(program.axes[axis].size));
  if (program.n_axes == 0)
    return "it has no parallel axes";
  if (program.n_axes == 1)
    return text;
  return text + format(" = %lld", static_cast<long long>(worldSize(program)));
}

/// Connects the ranks, so that each detects the end of the others.
static void joinRanks(const Launch &launch, const TrainingOptions &options) {
  bool hasParent = launch.launcher == Launcher::SelfStarted;
  bool alone = launch.launcher == Launcher::None;
  // The minimum time for connecting on busy hosts, where progress cannot be
  // observed.
  const int64_t leastStart = 60;
  int64_t seconds =
      options.timeout > 0 ? std::max(options.timeout, leastStart) : 0;
  std::optional<Deadline> deadline;
  if (!alone && !hasParent)
    deadline.emplace("joining the other ranks", seconds, launch.rank);
  backend::join(alone);
  setErrorRank(backend::rank(), backend::size(), backend::abortRanks);
  HeartbeatOptions heartbeat;
  heartbeat.timeout = options.timeout;
  heartbeat.hasParent = hasParent;
  heartbeat.launcherWaits = launch.launcher == Launcher::Slurm;
  startHeartbeat(heartbeat);
  statusJoined();
}

/// Applies the flags of programs for GPUs.
static void chooseForDevices(const pcc_program &program,
                             const TrainingOptions &options) {
  if (options.cudaGraphs && options.noCudaGraphs)
    fail(ExitUsage, "--cuda-graphs and --no-cuda-graphs exclude each other");
  const char *const compiled = "compile it with pcc --target cuda";
  // NCCL documents graphs for ranks that launch the same graph. The graphs of
  // stages differ.
  bool uses = program.n_stages > 1 ? options.cudaGraphs : !options.noCudaGraphs;
  bool isAsked = options.cudaGraphs || options.noCudaGraphs;
  if (!backend::chooseGraphs(uses) && isAsked)
    fail(ExitUsage,
         format("--%scuda-graphs: this program has no CUDA graphs",
                options.noCudaGraphs ? "no-" : ""),
         compiled);
  if (options.nvls && !backend::allowNvls())
    fail(ExitUsage, "--nvls: this program does not communicate by NCCL",
         compiled);
}

static int run(int argc, char **argv) {
  const pcc_program &program = pcc_the_program;
  if (isStarter())
    runStarter(argv);
  Launch launch = findLaunch();
  if (launch.launcher != Launcher::None)
    expectRepeatedSignals();
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  if (program.abi_version != PCC_ABI_VERSION)
    fail(ExitInternal,
         format("the program was compiled for runtime version %d, this is %d",
                program.abi_version, PCC_ABI_VERSION));

  TrainingOptions options = parseOptions(argc, argv);
  if (options.help || options.version || options.info) {
    if (launch.rank == 0)
      print(options.help      ? helpText(argv[0])
            : options.version ? "pcc " PCC_VERSION "\n"
                              : infoText(program));
    if (consoleError() && !isConsoleClosed())
      fail(ExitOutput, format("cannot write to standard output: %s",
                              strerror(consoleError())));
    return ExitDone;
  }
  checkTargetCpu();
  chooseForDevices(program, options);
  if (isForwardProgram(program)) {
    checkLaunch(launch, 1, arithmetic(program));
    backend::join(/*alone=*/true);
    runForward(program, options);
    return ExitDone;
  }
  if (!options.outputs.empty())
    fail(ExitUsage,
         "--outputs: this program trains, and has no outputs to write",
         "pcc --forward compiles one that has");
  if (!options.offloadDir.empty() && !program.offload_dir)
    fail(ExitUsage, "--offload-dir: this program offloads nothing to files",
         "pcc --offload optimizer=DIR compiles one that does");
  if (options.data.empty() && options.resume.empty())
    fail(ExitUsage, "--data PATH is missing", "--help lists all flags");

  int64_t ranks = worldSize(program);
  checkLaunch(launch, ranks, arithmetic(program));
  bool alone = launch.launcher == Launcher::None;
  if (alone && ranks > 1)
    return startRanks(ranks, argv);

  // The ranks end when the daemon that started them ends, for any reason.
  if (launch.launcher == Launcher::SelfStarted ||
      launch.launcher == Launcher::OpenMPI)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Under another launcher, a job in the environment is another one.
  if (launch.launcher == Launcher::SelfStarted)
    joinStatusBoard(launch.rank);
  joinRanks(launch, options);
  requireSameRun(program, options);
  train(program, options, launch);
  statusDone();
  backend::finish();
  endHeartbeat(ExitDone);
  return ExitDone;
}

/// Records signals from the first moment on. The constructors of libraries run
/// next and take part of the milliseconds before main.
static void watchEarly(int, char **argv, char **environment) {
  limitSpins(argv, environment);
  // A program that only computes outputs has no orderly early end.
  if (!isForwardProgram(pcc_the_program))
    watchSignals();
}
__attribute__((section(".preinit_array"),
               used)) static void (*const early)(int, char **,
                                                 char **) = watchEarly;

int main(int argc, char **argv) {
  openConsole();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) {
    fail(ExitMemory, "out of memory on the host");
  } catch (const std::exception &error) {
    fail(ExitInternal, error.what());
  }
}
