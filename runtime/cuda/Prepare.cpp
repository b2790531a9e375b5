//===- Prepare.cpp - Preparation of a rank before its first step ----------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/host/Threads.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <cstdlib>

using namespace pcc;
using namespace pcc::cuda;

/// The threads of this process: its share of the cores that it may use, which a
/// launcher may have reserved for it. OMP_NUM_THREADS overrides.
static int chooseThreads() {
  if (const char *wish = getenv("OMP_NUM_THREADS"))
    if (atoi(wish) > 0)
      return atoi(wish);
  exchange::Neighbors near = exchange::neighbors();
  return fairThreads(reinterpret_cast<const unsigned char *>(near.cores.data()),
                     sizeof(cpu_set_t), near.count(), near.index);
}

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  const pcc_stage &stage = program.stages[stageOf(program, coordinates)];
  setThreads(chooseThreads());
  device();
  openBlas();
  requireSameDevices(stage);
  warnOfConnections();
  auto *rank = new Rank;
  rank->streams.push_back(computeStream());
  // For collectives and the kernels that add their results, for transfers and
  // copies of inputs; other computation is on the first stream.
  for (int i = 1; i < stage.n_streams; ++i)
    rank->streams.push_back(makeStream(StreamUse::Communicates));
  for (int i = 0; i < stage.n_events; ++i)
    rank->events.push_back(makeEvent());
  rank->begun = makeEvent();
  if (usesGraphs())
    rank->graphs = new Graphs(*rank, stage);
  makeCommunicators(program, coordinates);
  makeStaging(program, stage);
  makeFills(program, stage);
  loadKernels();
  std::string attention = makeAttention(stage);
  resources = format(
      "%s, %s for GEMMs, %s of memory in use before", device().name.c_str(),
      bytesText(PCC_WORKSPACE_BYTES).c_str(), bytesText(bytesInUse()).c_str());
  if (!attention.empty())
    resources += ", " + attention;
  return reinterpret_cast<pcc_context *>(rank);
}
