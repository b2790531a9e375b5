//===- Prepare.cpp - Threads, communicators and the arena -----------------===//

#include "runtime/common/Backend.h"
#include "runtime/common/Error.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Threads.h"

#include <algorithm>
#include <cblas.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>

using namespace pcc;

/// The cores divided among the ranks of this host, so that ranks x threads do
/// not exceed them; OMP_NUM_THREADS decides where it is set.
static int chooseThreads() {
  if (const char *wish = getenv("OMP_NUM_THREADS"))
    if (atoi(wish) > 0)
      return atoi(wish);
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof(own), &own))
    return 1;
  if (backend::size() == 1)
    return std::max(1, CPU_COUNT(&own));
  MPI_Comm host;
  checkMPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                               MPI_INFO_NULL, &host),
           "finding the ranks of this host");
  int ranks, index;
  MPI_Comm_size(host, &ranks);
  MPI_Comm_rank(host, &index);
  std::vector<unsigned char> masks(ranks * sizeof(own));
  checkMPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, masks.data(),
                         sizeof(own), MPI_BYTE, host),
           "finding the ranks of this host");
  MPI_Comm_free(&host);
  return fairThreads(masks.data(), sizeof(own), ranks, index);
}

/// This rank's communicator over some axes: of the ranks that agree on all
/// others, ordered by the index on these.
static Communicator makeCommunicator(const pcc_program &program,
                                     const pcc_comm &comm,
                                     const Coordinates &coordinates) {
  Communicator made;
  Coordinates others = coordinates;
  for (int i = 0; i < comm.n_axes; ++i) {
    int axis = comm.axes[i];
    int64_t size = program.axes[axis].size;
    made.size *= static_cast<int>(size);
    made.index = static_cast<int>(made.index * size + coordinates[axis]);
    others[axis] = 0;
  }
  if (made.size == 1)
    return made;
  checkMPI(MPI_Comm_split(MPI_COMM_WORLD,
                          static_cast<int>(rankOf(program, others)),
                          made.index, &made.comm),
           "making a communicator");
  MPI_Comm host;
  checkMPI(MPI_Comm_split_type(made.comm, MPI_COMM_TYPE_SHARED, 0,
                               MPI_INFO_NULL, &host),
           "finding the ranks of this host");
  int onHost = 0;
  MPI_Comm_size(host, &onHost);
  MPI_Comm_free(&host);
  // The ranks of a communicator must cut a message alike.
  int local = onHost == made.size;
  checkMPI(MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_INT, MPI_MIN, made.comm),
           "making a communicator");
  made.oneHost = local;
  return made;
}

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  auto *context = new pcc_context;
  context->threads = chooseThreads();
  setThreads(context->threads);
  resources = format("%d thread%s", context->threads,
                     context->threads == 1 ? "" : "s");
  const int openMP = 2;
  if (openblas_get_parallel() != openMP && backend::rank() == 0)
    warn("OpenBLAS is not its OpenMP build: its threads and this program's "
         "compete (Debian: install libopenblas0-openmp)");

  for (int i = 0; i < program.n_comms; ++i)
    context->comms.push_back(
        makeCommunicator(program, program.comms[i], coordinates));
  if (backend::size() > 1)
    checkMPI(MPI_Comm_dup(MPI_COMM_WORLD, &context->transfers),
             "making a communicator");
  int pp = axisIndex(program, "pp");
  for (int stage = 0; stage < program.n_stages; ++stage) {
    Coordinates peer = coordinates;
    if (pp >= 0)
      peer[pp] = stage;
    context->peers.push_back(static_cast<int>(rankOf(program, peer)));
  }
  return context;
}

char *backend::allocateArena(int64_t bytes) {
  void *memory = mmap(nullptr, std::max<int64_t>(bytes, 1),
                      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
  if (memory == MAP_FAILED)
    fail(ExitMemory,
         format("cannot allocate the %.2f GiB this rank needs: %s",
                bytes / 1073741824.0, strerror(errno)),
         "more ranks need less memory each: compile with a higher --tp or "
         "--pp");
  // Fewer page faults and TLB misses; merely advice.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<char *>(memory);
}

void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *, int64_t, Access) {}
