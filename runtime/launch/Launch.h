//===- Launch.h - Under which launcher a process runs -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_LAUNCH_H
#define PCC_RUNTIME_LAUNCH_LAUNCH_H

#include <cstdint>
#include <string>

namespace pcc {

/// What started this process.
enum class Launcher {
  None,        ///< started by hand: starts its own ranks
  SelfStarted, ///< one of the ranks started that way
  OpenMPI,     ///< mpirun
  Slurm,       ///< srun with PMIx
  SlurmNoPMIx, ///< srun without it
  Torchrun,
  Hydra, ///< mpiexec of MPICH or Intel MPI
};

/// A process's part in a run, as the launcher's environment tells it.
struct Launch {
  /// Decides which environment variables hold the other two.
  Launcher launcher = Launcher::None;
  /// This process's number among the ranks, from 0; what checkLaunch() lets
  /// pass is below `size`.
  int rank = 0;
  /// The environment variable that has it; null: none does.
  const char *rankVariable = nullptr;
  int64_t size = 1; ///< ranks the launcher started
  /// Its number among those of this host, and how many these are; -1 where the
  /// launcher does not tell.
  int localRank = -1;
  int64_t localSize = -1;
};

/// Reads the launchers' environment variables.
Launch findLaunch();

/// Checks that the program, which joins its ranks by MPI or without, works
/// under this launcher, that its number of ranks is the program's and that this
/// process is one of them; exits with ExitWorld where not. `arithmetic` is the
/// mesh with its product, such as "pp 2 x tp 2 = 4".
void checkLaunch(const Launch &launch, int64_t worldSize,
                 const std::string &arithmetic);

/// Columns of the terminal that shows what rank 0 prints; 0: none does, or it
/// is not known. An mpirun that the user started stands in between.
int findColumns(const Launch &launch);

/// The first line of a run: who started it. `resources` as in
/// backend::prepare.
std::string launchLine(const Launch &launch, const std::string &resources);

/// Starts `ranks` local ranks of this executable with the same arguments, those
/// that join by MPI through Open MPI's mpirun, waits for them and returns the
/// exit code of the run. A signal asks the ranks for an end, a second one ends
/// them; a lost rank is reported and gives ExitCommunication.
int startRanks(int64_t ranks, char **argv);

/// Exits with ExitDevice where this host has no device for each of so many
/// ranks. A process that ends right after looks for them.
void checkDevices(int64_t ranks);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LAUNCH_H
