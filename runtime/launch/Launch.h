//===- Launch.h - The launcher of a process ---------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_LAUNCH_H
#define PCC_RUNTIME_LAUNCH_LAUNCH_H

#include <cstdint>
#include <string>

namespace pcc {

/// How this process was started.
enum class Launcher {
  None,        ///< started manually: starts its own ranks
  SelfStarted, ///< a rank of such a program
  OpenMPI,     ///< mpirun
  Slurm,       ///< srun with PMIx
  SlurmNoPMIx, ///< srun without it
  Torchrun,
  Hydra, ///< mpiexec of MPICH or Intel MPI
};

/// A process's rank in a job, according to the launcher's environment.
struct Launch {
  /// Decides which environment variables hold the numbers below.
  Launcher launcher = Launcher::None;
  /// This process's rank, from 0. It is below `size` once checkLaunch() has
  /// succeeded.
  int rank = 0;
  /// The environment variable that holds it; null: none.
  const char *rankVariable = nullptr;
  int64_t size = 1; ///< ranks the launcher started
  /// Its number among the ranks of this host, and their number; -1 if the
  /// launcher does not tell.
  int localRank = -1;
  int64_t localSize = -1;
};

/// Reads the launchers' environment variables.
Launch findLaunch();

/// Returns the number of tasks on a node of a Slurm step, with nodes counted
/// from 0. "4(x2),3" is a list of 4, 4 and 3 tasks. -1: the list has no such
/// node.
int64_t tasksOfNode(const char *list, int64_t node);

/// Checks that the program, with or without MPI, supports this launcher, that
/// the number of ranks is the program's, and that this process is one of them.
/// Otherwise exits with ExitWorld. `arithmetic` is the mesh with its product,
/// such as "pp 2 x tp 2 = 4".
void checkLaunch(const Launch &launch, int64_t worldSize,
                 const std::string &arithmetic);

/// The columns of the terminal that shows rank 0's output; 0 if there is none
/// or it is unknown, as behind an mpirun that the user started.
int findColumns(const Launch &launch);

/// The first line of a run: the launcher and the ranks. `resources` is from
/// backend::prepare.
std::string launchLine(const Launch &launch, const std::string &resources);

/// Starts `ranks` local ranks of this executable with the same arguments. Waits
/// for them and returns the exit code of the run. SIGTERM, SIGUSR1 and SIGHUP
/// request an end; a second SIGTERM or SIGHUP, or a first SIGINT or SIGQUIT,
/// kills the ranks. A lost rank is reported, and the code is then
/// ExitCommunication.
int startRanks(int64_t ranks, char **argv);

/// Exits with ExitDevice if this host has no device, or fewer devices than
/// ranks and PCC_SHARE_DEVICES is not set. A short-lived child process counts
/// them.
void checkDevices(int64_t ranks);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LAUNCH_H
