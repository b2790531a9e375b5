//===- Mpirun.cpp - Ranks that Open MPI's mpirun starts -------------------===//

#include "runtime/launch/Mpirun.h"

#include "runtime/support/Error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace pcc;

static std::vector<std::string> mpirunArguments(int64_t ranks,
                                                const std::string &folder) {
  std::string count = std::to_string(ranks);
  return {"mpirun", "-q", "-n", count,
          // All ranks run here, even inside a batch job with its own hosts.
          "--host", "localhost:" + count, "--oversubscribe", "--bind-to",
          "none", "--mca", "plm", "isolated", "--mca", "ras",
          "^slurm,tm,lsf,gridengine,alps,loadleveler",
          // Ranks of one host need no network, nor the time to detect one.
          "--mca", "pml", "ob1", "--mca", "btl", "self,vader",
          // A waiting rank yields to others. Without it, a step is a hundred
          // times slower with more ranks than cores, or on a busy machine.
          "--mca", "mpi_yield_when_idle", "1",
          // All jobs of a user share Open MPI's own folder, and a job that ends
          // may remove it while another starts.
          "--mca", "orte_tmpdir_base", folder, "--mca",
          "btl_vader_backing_directory", folder};
}

void pcc::becomeMpirun(int64_t ranks, char **argv, const std::string &self,
                       const std::string &folder) {
  setenv("PCC_SELF_STARTED", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);

  std::vector<std::string> arguments = mpirunArguments(ranks, folder);
  arguments.push_back(self);
  for (char **argument = argv + 1; *argument; ++argument)
    arguments.push_back(*argument);
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  // Debian's name for Open MPI's mpirun, in case MPICH owns "mpirun".
  execvp("mpirun.openmpi", pointers.data());
  execvp("mpirun", pointers.data());
  fail(ExitWorld, format("cannot run mpirun: %s", strerror(errno)),
       "starting several ranks needs Open MPI (Debian: openmpi-bin)");
}
