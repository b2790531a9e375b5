//===- Prepare.cpp - What a rank has before its first step ----------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/host/Threads.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>

using namespace pcc;
using namespace pcc::cuda;

/// The cores that this process may use, divided among the ranks of its host;
/// OMP_NUM_THREADS decides where it is set.
static int chooseThreads() {
  if (const char *wish = getenv("OMP_NUM_THREADS"))
    if (atoi(wish) > 0)
      return atoi(wish);
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof(own), &own))
    return 1;
  return std::max(1, CPU_COUNT(&own) / exchange::neighbors().count);
}

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  const pcc_stage &stage = program.stages[stageOf(program, coordinates)];
  setThreads(chooseThreads());
  resources = format("%s, %s for products", device().name.c_str(),
                     bytesText(PCC_WORKSPACE_BYTES).c_str());
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
  makeCommunicators(program, coordinates);
  makeStaging(program, stage);
  makeFills(program, stage);
  loadKernels();
  openBlas();
  return reinterpret_cast<pcc_context *>(rank);
}
