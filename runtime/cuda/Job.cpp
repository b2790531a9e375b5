//===- Job.cpp - The start and the end of a program for GPUs --------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Context.h"
#include "runtime/host/Threads.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <unistd.h>

using namespace pcc;
using namespace pcc::cuda;

// A program has one rank.

void backend::join(bool) { device(); }
void backend::finish() {}
void backend::abortRanks(int code) { _exit(code); }
int backend::rank() { return 0; }
int backend::size() { return 1; }
void backend::broadcast(void *, int64_t, int) {}
int backend::maxOverRanks(int value) { return value; }

void backend::send(const void *, int64_t, int) {
  fail(ExitInternal, "there is no other rank to send to");
}

void backend::receive(void *, int64_t, int) {
  fail(ExitInternal, "there is no other rank to receive from");
}

/// The cores that this process may use; OMP_NUM_THREADS decides where it is
/// set.
static int chooseThreads() {
  if (const char *wish = getenv("OMP_NUM_THREADS"))
    if (atoi(wish) > 0)
      return atoi(wish);
  cpu_set_t own;
  return sched_getaffinity(0, sizeof(own), &own) ? 1
                                                 : std::max(1, CPU_COUNT(&own));
}

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  const pcc_stage &stage = program.stages[stageOf(program, coordinates)];
  setThreads(chooseThreads());
  resources = device().name;
  auto *rank = new Rank;
  rank->streams.push_back(computeStream());
  for (int i = 1; i < stage.n_streams; ++i) {
    CUstream made;
    check(driver().cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
          "the start of a stream");
    rank->streams.push_back(made);
  }
  for (int i = 0; i < stage.n_events; ++i)
    rank->events.push_back(makeEvent());
  rank->begun = makeEvent();
  makeStaging(program, stage);
  makeFills(program, stage);
  loadKernels();
  openBlas();
  return reinterpret_cast<pcc_context *>(rank);
}
