//===- Prepare.cpp - Threads, communicators and memory --------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Delays.h"
#include "runtime/host/Threads.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cblas.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>

using namespace pcc;

/// The communicator of this host's ranks; null if this is the only rank.
static MPI_Comm hostRanks() {
  static MPI_Comm host = MPI_COMM_NULL;
  if (host == MPI_COMM_NULL && backend::size() > 1)
    checkMPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
                                 MPI_INFO_NULL, &host),
             "finding the ranks of this host");
  return host;
}

/// This rank's share of the cores, at least 1, so that ranks x threads on this
/// host do not exceed them if there are enough; OMP_NUM_THREADS overrides it.
static int chooseThreads() {
  if (const char *wish = getenv("OMP_NUM_THREADS"))
    if (atoi(wish) > 0)
      return atoi(wish);
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof(own), &own))
    return 1;
  if (backend::size() == 1)
    return std::max(1, CPU_COUNT(&own));
  MPI_Comm host = hostRanks();
  int ranks, index;
  MPI_Comm_size(host, &ranks);
  MPI_Comm_rank(host, &index);
  std::vector<unsigned char> masks(ranks * sizeof(own));
  checkMPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, masks.data(), sizeof(own),
                         MPI_BYTE, host),
           "finding the ranks of this host");
  return fairThreads(masks.data(), sizeof(own), ranks, index);
}

/// This rank's communicator over some axes: the ranks with the same coordinates
/// on all other axes, ordered by their index on these.
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
    made.over += (i ? " " : " over ") + std::string(program.axes[axis].name);
  }
  if (made.size == 1)
    return made;
  checkMPI(MPI_Comm_split(MPI_COMM_WORLD,
                          static_cast<int>(rankOf(program, others)), made.index,
                          &made.comm),
           "making a communicator");
  MPI_Comm host;
  checkMPI(MPI_Comm_split_type(made.comm, MPI_COMM_TYPE_SHARED, 0,
                               MPI_INFO_NULL, &host),
           "finding the ranks of this host");
  int onHost = 0;
  MPI_Comm_size(host, &onHost);
  MPI_Comm_free(&host);
  // The ranks of a communicator must divide a message in the same way.
  int local = onHost == made.size;
  checkMPI(MPI_Allreduce(MPI_IN_PLACE, &local, 1, MPI_INT, MPI_MIN, made.comm),
           "making a communicator");
  made.oneHost = local;
  return made;
}

/// Sets up everything that requires communication with the other ranks.
static void connect(pcc_context &context, const pcc_program &program,
                    const Coordinates &coordinates) {
  context.threads = chooseThreads();
  for (int i = 0; i < program.n_comms; ++i)
    context.comms.push_back(
        makeCommunicator(program, program.comms[i], coordinates));
  for (int i = 0; i < program.n_constants; ++i) {
    const pcc_constant &constant = program.constants[i];
    int64_t index =
        constant.comm < 0 ? 1 : context.comms.at(constant.comm).index;
    context.constants.push_back({constant.value * index});
  }
  if (backend::size() > 1)
    checkMPI(MPI_Comm_dup(MPI_COMM_WORLD, &context.transfers),
             "making a communicator");
}

bool backend::chooseGraphs(bool) { return false; }
bool backend::allowNvls() { return false; }
std::string backend::communicationText() { return ""; }
std::string backend::graphsText() { return ""; }

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  Operation operation("making communicators", Activity::Waits);
  givenDelays(); // reports errors early
  auto *context = new pcc_context;
  communication::call([&] { connect(*context, program, coordinates); });
  setThreads(context->threads);
  resources =
      format("%d thread%s", context->threads, context->threads == 1 ? "" : "s");
  const int openMP = 2;
  if (openblas_get_parallel() != openMP && backend::rank() == 0)
    warn("OpenBLAS is not its OpenMP build: its threads and this program's "
         "compete (Debian: install libopenblas0-openmp)");

  int axis = stageAxis(program);
  if (axis >= 0)
    context->overStages = std::string(" over ") + program.axes[axis].name;
  for (int stage = 0; stage < program.n_stages; ++stage) {
    Coordinates peer = coordinates;
    if (axis >= 0)
      peer[axis] = stage;
    context->peers.push_back(static_cast<int>(rankOf(program, peer)));
    context->toStage.push_back(" to stage " + std::to_string(stage));
    context->fromStage.push_back(" from stage " + std::to_string(stage));
  }
  return context;
}

/// The memory that this host can still provide, in bytes; the maximum value if
/// unknown.
static int64_t availableMemory() {
  FILE *file = fopen("/proc/meminfo", "r");
  if (!file)
    return INT64_MAX;
  int64_t sum = 0;
  bool found = false;
  char line[256];
  while (fgets(line, sizeof(line), file)) {
    long long kib;
    if (sscanf(line, "MemAvailable: %lld", &kib) == 1)
      sum += kib * 1024, found = true;
    else if (sscanf(line, "SwapFree: %lld", &kib) == 1)
      sum += kib * 1024;
  }
  fclose(file);
  return found ? sum : INT64_MAX;
}

void pcc::requireMemory(int64_t bytes) {
  Operation operation("adding up memory", Activity::Waits);
  int64_t needed = bytes;
  int ranks = 1;
  communication::call([&] {
    MPI_Comm host = hostRanks();
    if (host == MPI_COMM_NULL)
      return;
    MPI_Comm_size(host, &ranks);
    checkMPI(
        MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_INT64_T, MPI_SUM, host),
        "adding up memory");
  });
  int64_t available = availableMemory();
  if (needed > available)
    fail(ExitMemory,
         format("out of memory: the %s of this host need%s %s, %s are "
                "available",
                ranks == 1 ? "rank" : format("%d ranks", ranks).c_str(),
                ranks == 1 ? "s" : "", bytesText(needed).c_str(),
                bytesText(available).c_str()),
         "a smaller micro batch, or more hosts with a higher --tp or --pp, "
         "need less");
}

void pcc::requireBlasBuffers() {
  constexpr size_t bytesOfBuffer = size_t(128) << 20;
  int threads = getThreads();
  size_t bytes = bytesOfBuffer * threads;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fail(ExitMemory,
         format("out of memory: OpenBLAS needs %s of address space for %d "
                "thread%s: %s",
                bytesText(bytes).c_str(), threads, threads == 1 ? "" : "s",
                strerror(errno)),
         "'ulimit -v' limits the address space; OMP_NUM_THREADS sets the "
         "number of threads");
  munmap(memory, bytes);
}
