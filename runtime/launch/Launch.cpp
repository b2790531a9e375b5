//===- Launch.cpp - The launcher of a process -----------------------------===//

#include "runtime/launch/Launch.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/ProgressBar.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

using namespace pcc;

static int64_t number(const char *name, int64_t otherwise) {
  const char *value = getenv(name);
  return value && *value ? atoll(value) : otherwise;
}

/// The rank in a variable, 0 if it is unset; -1: not a valid number.
static int rankNumber(const char *name) {
  const char *value = getenv(name);
  if (!value)
    return 0;
  char *end;
  errno = 0;
  long rank = strtol(value, &end, 10);
  bool isNumber = end != value && !*end && !errno;
  return isNumber && rank >= 0 && rank <= INT_MAX ? static_cast<int>(rank) : -1;
}

/// True inside a step that srun started. Batch scripts and interactive shells
/// have similar variables, with reserved step ids.
static bool insideSlurmStep() {
  const uint32_t batch = 0xfffffffb, interactive = 0xfffffffa;
  int64_t step = number("SLURM_STEP_ID", -1);
  return step >= 0 && step != batch && step != interactive &&
         getenv("SLURM_PROCID") && getenv("SLURM_STEP_NUM_TASKS") &&
         !getenv("SLURM_PTY_PORT");
}

namespace {
/// The names of a launcher's environment variables.
struct Variables {
  const char *rank, *size, *localRank, *localSize;
};
} // namespace

static Launch launchBy(Launcher launcher, const Variables &names) {
  Launch launch;
  launch.launcher = launcher;
  launch.rank = rankNumber(names.rank);
  launch.rankVariable = names.rank;
  launch.size = number(names.size, 1);
  launch.localRank = static_cast<int>(number(names.localRank, -1));
  launch.localSize = number(names.localSize, -1);
  return launch;
}

int64_t pcc::tasksOfNode(const char *list, int64_t node) {
  while (node >= 0) {
    char *end;
    int64_t tasks = strtoll(list, &end, 10), nodes = 1;
    if (!strncmp(end, "(x", 2)) {
      nodes = strtoll(end + 2, &end, 10);
      if (*end != ')')
        return -1;
      ++end;
    }
    if (tasks < 1 || nodes < 1)
      return -1;
    if (node < nodes)
      return tasks;
    if (*end != ',')
      return -1;
    node -= nodes;
    list = end + 1;
  }
  return -1;
}

Launch pcc::findLaunch() {
  if (getenv("PCC_RANK"))
    return launchBy(Launcher::SelfStarted,
                    {"PCC_RANK", "PCC_RANKS", "PCC_RANK", "PCC_RANKS"});
  if (getenv("OMPI_COMM_WORLD_SIZE"))
    return launchBy(Launcher::OpenMPI,
                    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                     "OMPI_COMM_WORLD_LOCAL_RANK",
                     "OMPI_COMM_WORLD_LOCAL_SIZE"});
  if (getenv("TORCHELASTIC_RUN_ID") ||
      (getenv("RANK") && getenv("WORLD_SIZE") && getenv("MASTER_ADDR")))
    return launchBy(Launcher::Torchrun,
                    {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"});
  if (insideSlurmStep()) {
    Launch launch =
        launchBy(getenv("PMIX_RANK") ? Launcher::Slurm : Launcher::SlurmNoPMIx,
                 {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""});
    if (const char *tasks = getenv("SLURM_STEP_TASKS_PER_NODE"))
      launch.localSize = tasksOfNode(tasks, number("SLURM_NODEID", -1));
    return launch;
  }
  if (getenv("PMI_RANK") && getenv("PMI_SIZE"))
    return launchBy(Launcher::Hydra, {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
                                      "MPI_LOCALNRANKS"});
  return {};
}

static const char *launcherName(Launcher launcher) {
  switch (launcher) {
  case Launcher::None:
  case Launcher::SelfStarted:
    return "no launcher";
  case Launcher::OpenMPI:
    return "Open MPI's mpirun";
  case Launcher::Slurm:
    return "srun";
  case Launcher::SlurmNoPMIx:
    return backend::usesMPI() ? "srun without PMIx" : "srun";
  case Launcher::Torchrun:
    return "torchrun";
  case Launcher::Hydra:
    return "Hydra (mpiexec of MPICH or Intel MPI)";
  }
  return "";
}

/// Exits if the program's ranks cannot join under the launcher.
static void checkLauncher(const Launch &launch, long long ranks) {
  std::string name = launcherName(launch.launcher);
  bool byMPI = backend::usesMPI();
  if (launch.launcher == Launcher::Hydra ||
      (launch.launcher == Launcher::Torchrun && byMPI))
    fail(ExitWorld,
         "found " + name + ", which " +
             (byMPI ? "a CPU program" : "this program") + " cannot join",
         byMPI ? format("start it alone, with 'mpirun -n %lld' of Open MPI, or "
                        "with 'srun --mpi=pmix -n %lld'",
                        ranks, ranks)
               : format("start it alone, with 'mpirun -n %lld' of Open MPI, "
                        "with 'srun -n %lld', or with 'torchrun --no-python'",
                        ranks, ranks));
  if (launch.launcher == Launcher::SlurmNoPMIx && byMPI)
    fail(ExitWorld, "found " + name + ": the ranks cannot find each other",
         format("start it with 'srun --mpi=pmix -n %lld'", ranks));
}

void pcc::checkLaunch(const Launch &launch, int64_t worldSize,
                      const std::string &arithmetic) {
  // Before the ranks have joined, each rank reports its own errors.
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  long long ranks = worldSize;
  checkLauncher(launch, ranks);
  if (launch.launcher != Launcher::None && launch.size != worldSize)
    fail(ExitWorld,
         format("started with %lld rank%s, but this program was compiled for "
                "%lld: %s",
                static_cast<long long>(launch.size),
                launch.size == 1 ? "" : "s", ranks, arithmetic.c_str()),
         format(launch.launcher == Launcher::Torchrun
                    ? "let --nnodes times --nproc-per-node be %lld, or start "
                      "the program alone: it starts its own ranks"
                    : "use -n %lld, or start the program alone: it starts its "
                      "own ranks",
                ranks));
  if (launch.rank >= 0 && launch.rank < launch.size)
    return;
  // The number of this rank is invalid.
  setErrorRank(0, 1, nullptr);
  const char *name = launch.rankVariable;
  fail(ExitWorld,
       format("%s is '%s', but ranks are numbered from 0 to %lld", name,
              getenv(name), ranks - 1),
       format("each of the %lld processes needs its own number; "
              "torchrun, mpirun and srun set it",
              ranks));
}

int pcc::findColumns(const Launch &launch) {
  bool direct = launch.launcher == Launcher::None ||
                launch.launcher == Launcher::SelfStarted;
  return direct ? terminalColumns() : 0;
}

std::string pcc::launchLine(const Launch &launch,
                            const std::string &resources) {
  long long ranks = launch.size;
  switch (launch.launcher) {
  case Launcher::None:
    return "pcc: no launcher found: one rank, " + resources;
  case Launcher::SelfStarted:
    return format("pcc: no launcher found: started %lld local ranks, ", ranks) +
           resources + " each";
  default:
    return format("pcc: found %s: joined %lld rank%s, ",
                  launcherName(launch.launcher), ranks, ranks == 1 ? "" : "s") +
           resources + (ranks == 1 ? "" : " each");
  }
}
