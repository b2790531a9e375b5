//===- Launch.cpp - Under which launcher a process runs -------------------===//

#include "runtime/launch/Launch.h"

#include "runtime/support/Error.h"
#include "runtime/telemetry/ProgressBar.h"

#include <cstdlib>

using namespace pcc;

static int64_t number(const char *name, int64_t otherwise) {
  const char *value = getenv(name);
  return value && *value ? atoll(value) : otherwise;
}

/// True inside a step that srun started. A batch script and an interactive
/// shell have step ids of their own, and variables that look the same.
static bool insideSlurmStep() {
  const uint32_t batch = 0xfffffffb, interactive = 0xfffffffa;
  int64_t step = number("SLURM_STEP_ID", -1);
  return step >= 0 && step != batch && step != interactive &&
         getenv("SLURM_PROCID") && getenv("SLURM_STEP_NUM_TASKS") &&
         !getenv("SLURM_PTY_PORT");
}

Launch pcc::findLaunch() {
  Launch launch;
  auto set = [&](Launcher launcher, const char *rank, const char *size) {
    launch = {launcher, static_cast<int>(number(rank, 0)), number(size, 1)};
    return launch;
  };
  if (getenv("OMPI_COMM_WORLD_SIZE"))
    return set(getenv("PCC_SELF_STARTED") ? Launcher::SelfStarted
                                          : Launcher::OpenMPI,
               "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  if (getenv("TORCHELASTIC_RUN_ID") ||
      (getenv("RANK") && getenv("WORLD_SIZE") && getenv("MASTER_ADDR")))
    return set(Launcher::Torchrun, "RANK", "WORLD_SIZE");
  if (insideSlurmStep())
    return set(getenv("PMIX_RANK") ? Launcher::Slurm : Launcher::SlurmNoPMIx,
               "SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
  if (getenv("PMI_RANK") && getenv("PMI_SIZE"))
    return set(Launcher::Hydra, "PMI_RANK", "PMI_SIZE");
  return launch;
}

static const char *launcherName(Launcher launcher) {
  switch (launcher) {
  case Launcher::None:
    return "no launcher";
  case Launcher::SelfStarted:
  case Launcher::OpenMPI:
    return "Open MPI's mpirun";
  case Launcher::Slurm:
    return "srun";
  case Launcher::SlurmNoPMIx:
    return "srun without PMIx";
  case Launcher::Torchrun:
    return "torchrun";
  case Launcher::Hydra:
    return "Hydra (mpiexec of MPICH or Intel MPI)";
  }
  return "";
}

void pcc::checkLaunch(const Launch &launch, int64_t worldSize,
                      const std::string &arithmetic) {
  // Before the ranks have joined, each speaks for itself.
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  std::string name = launcherName(launch.launcher);
  long long ranks = worldSize;
  if (launch.launcher == Launcher::Torchrun ||
      launch.launcher == Launcher::Hydra)
    fail(ExitWorld, "found " + name + ", which a CPU program cannot join",
         format("start it alone, with 'mpirun -n %lld' of Open MPI, or with "
                "'srun --mpi=pmix -n %lld'",
                ranks, ranks));
  if (launch.launcher == Launcher::SlurmNoPMIx)
    fail(ExitWorld, "found " + name + ": the ranks cannot find each other",
         format("start it with 'srun --mpi=pmix -n %lld'", ranks));
  if (launch.launcher != Launcher::None && launch.size != worldSize)
    fail(ExitWorld,
         format("started with %lld rank%s, but this program was compiled for "
                "%lld: %s",
                static_cast<long long>(launch.size),
                launch.size == 1 ? "" : "s", ranks, arithmetic.c_str()),
         format("use -n %lld, or start the program alone: it starts its own "
                "ranks",
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
