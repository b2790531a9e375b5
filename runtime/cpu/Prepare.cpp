//===- Prepare.cpp - Threads, communicators and memory --------------------===//

#include "runtime/Backend.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Delays.h"
#include "runtime/exchange/Exchange.h"
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
  exchange::Neighbors near = exchange::neighbors();
  return fairThreads(reinterpret_cast<const unsigned char *>(near.cores.data()),
                     sizeof(cpu_set_t), near.count(), near.index);
}

/// This rank's communicator over some axes: the ranks with the same coordinates
/// on all other axes, ordered by their index on these.
static Communicator makeCommunicator(const pcc_program &program, int32_t number,
                                     const Coordinates &coordinates) {
  const pcc_comm &comm = program.comms[number];
  std::vector<int> axes(comm.axes, comm.axes + comm.n_axes);
  Communicator made;
  made.number = number;
  made.over = axesText(program, axes);
  made.ranks = membersOf(program, axes, coordinates, made.index);
  if (made.size() > 1)
    communication::transport()->connect(made);
  return made;
}

/// Sets up everything that requires communication with the other ranks.
static void connect(pcc_context &context, const pcc_program &program,
                    const Coordinates &coordinates) {
  context.threads = chooseThreads();
  for (int i = 0; i < program.n_comms; ++i)
    context.comms.push_back(makeCommunicator(program, i, coordinates));
  for (int i = 0; i < program.n_constants; ++i) {
    const pcc_constant &constant = program.constants[i];
    int64_t index =
        constant.comm < 0 ? 1 : context.comms.at(constant.comm).index;
    context.constants.push_back({constant.value * index});
  }
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
  int64_t needed = exchange::sumOnHost(bytes);
  int ranks = exchange::neighbors().count();
  int64_t available = availableMemory();
  if (needed > available)
    fail(ExitMemory,
         format("out of memory: the %s of this host need%s %s, %s are "
                "available",
                ranks == 1 ? "rank" : format("%d ranks", ranks).c_str(),
                ranks == 1 ? "s" : "", bytesText(needed).c_str(),
                bytesText(available).c_str()),
         "a smaller micro batch, pcc's --offload optimizer=DIR, or more hosts "
         "with a higher --tp or --pp, need less");
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
