//===- Context.h - A rank of a CPU program ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_CONTEXT_H
#define PCC_RUNTIME_CPU_CONTEXT_H

#include "runtime/support/Mesh.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <string>
#include <vector>

namespace pcc {

/// A communicator of pcc_program.comms as this rank sees it.
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL; ///< null where size is 1
  int size = 1, index = 0;
  bool oneHost = true; ///< all its ranks share a host
  std::string over;    ///< " over tp"
};

} // namespace pcc

/// What the CPU back end keeps for a rank; compiled code hands it back in every
/// call.
struct pcc_context {
  /// How many threads kernels and BLAS calls of this rank use.
  int threads = 1;
  /// This rank's communicators, by their index in pcc_program.comms.
  std::vector<pcc::Communicator> comms;
  MPI_Comm transfers = MPI_COMM_NULL; ///< for send, receive and exchange
  std::vector<int> peers; ///< [stage] the rank with this one's coordinates
  /// [stage] " to stage 1", " from stage 1"
  std::vector<std::string> toStage, fromStage;
};

namespace pcc {

/// Exits with ExitCommunication if an MPI call did not succeed.
void checkMPI(int status, const char *what);

/// The greatest count one MPI call is given: counts are ints. Tests lower it
/// to reach the paths of large transfers.
extern int64_t greatestCount;

} // namespace pcc

#endif // PCC_RUNTIME_CPU_CONTEXT_H
