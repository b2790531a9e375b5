//===- Communicators.cpp - NCCL communicators -----------------------------===//

#include "runtime/cuda/Communicators.h"

#include "runtime/Backend.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/cuda/Libraries.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/LastOperations.h"
#include "runtime/support/Progress.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <unistd.h>
#include <vector>

using namespace pcc;
using namespace pcc::cuda;

namespace {
struct Communicators {
  std::vector<Communicator> comms;
  Communicator transfers;
  /// By the other stage, the channel, and whether this rank sends.
  std::map<std::tuple<int32_t, int32_t, bool>, Communicator> channels;
  const pcc_stage *stage = nullptr; ///< this rank's
  int64_t bytes = 0; ///< device memory, as far as the driver tells
  /// Whether NCCL keeps the launch order. If not, `last` is the event after the
  /// previous operation, which was on stream `lastOn`.
  bool isOrdered = false;
  CUevent last = nullptr;
  CUstream lastOn = nullptr;
};
} // namespace

/// Never freed: NCCL's threads may still use it.
static Communicators &all() {
  static auto &all = *new Communicators;
  return all;
}

/// A byte of device memory, which connect() sends.
static CUdeviceptr connecting() {
  static CUdeviceptr place = [] {
    CUdeviceptr made;
    check(driver().cuMemAlloc(&made, 1), "the start of communication");
    return made;
  }();
  return place;
}

/// In NCCL's version encoding.
static const int orderedSince = 22600;

static bool usesNvls = false;

bool backend::allowNvls() { return usesNvls = true; }

static Nccl openNccl() {
  if (sharesDevices()) {
    // NCCL rejects two ranks on one device of a host. Different host ids make
    // it treat them as ranks of several hosts, connected by the loopback
    // device.
    setenv("NCCL_HOSTID", std::to_string(backend::rank()).c_str(), 0);
    setenv("NCCL_SOCKET_IFNAME", "lo", 0);
    setenv("NCCL_NET", "Socket", 0);
  }
  setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", 1);
  // NVLS (reduction in the switches) is not deterministic, and needs buffers
  // per communicator. It stays on if it was allowed or NCCL_ALGO is set; the
  // user's NCCL_NVLS_ENABLE has priority.
  if (!usesNvls && !getenv("NCCL_ALGO"))
    setenv("NCCL_NVLS_ENABLE", "0", 0);
  // Operations of a graph may still run when the next one is launched.
  setenv("NCCL_GRAPH_MIXING_SUPPORT", "1", 1);
  Library library("libnccl.so.2", Library::Part::Toolkit);
  library.require("several ranks communicate by NCCL: 'pip install "
                  "nvidia-nccl-cu13' has it, and PCC_CUDA_LIBRARIES names "
                  "folders that are looked into first");
  Nccl table;
#define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
#include "runtime/cuda/Nccl.def"
  int version = 0;
  table.ncclGetVersion(&version);
  all().isOrdered = version >= orderedSince;
  return table;
}

const Nccl &cuda::nccl() {
  static const Nccl table = openNccl();
  return table;
}

/// NCCL allocates at most this much at a time: after an allocation failure the
/// device has less than this free.
static const size_t mostAllocated = size_t{64} << 20;

/// Exits with ExitMemory if an NCCL call failed for lack of device memory.
static void requireMemory(ncclResult_t result) {
  size_t free = 0, total = 0;
  if (result != ncclUnhandledCudaError ||
      driver().cuMemGetInfo(&free, &total) || free >= mostAllocated)
    return;
  fail(ExitMemory,
       "out of memory: NCCL cannot allocate its buffers, " + freeText(),
       "the summary of pcc --memory-limit counts what NCCL takes at most");
}

[[noreturn]] static void failNccl(ncclResult_t result,
                                  const Communicator &communicator,
                                  const std::string &what,
                                  const char *node = "") {
  requireMemory(result);
  const char *more = nccl().ncclGetLastError(communicator.comm);
  std::string note = more && *more ? std::string("NCCL says: ") + more
                                   : "NCCL_DEBUG=WARN in the environment has "
                                     "it say more";
  if (*graphsHint())
    note += std::string("; ") + graphsHint();
  fail(ExitCommunication,
       what + communicator.over + (*node ? format(", of '%s',", node) : "") +
           " failed: " + nccl().ncclGetErrorString(result),
       note);
}

//===----------------------------------------------------------------------===//
// Initialization
//===----------------------------------------------------------------------===//

static void check(ncclResult_t result, const Communicator &communicator) {
  if (result != ncclSuccess)
    failNccl(result, communicator, "the start of communication");
}

/// Creates the communicator of the given ranks, in which this rank has index
/// `index`. NCCL allocates buffers per channel, for at most `channels`.
static Communicator join(const std::vector<int> &members, int index,
                         const std::string &over, int channels) {
  Communicator made;
  made.over = over;
  made.index = index;
  made.size = static_cast<int>(members.size());
  if (made.size == 1)
    return made;
  ncclUniqueId id = {};
  if (made.index == 0) {
    check(nccl().ncclGetUniqueId(&id), made);
    for (int i = 1; i < made.size; ++i)
      backend::send(&id, sizeof(id), members[i]);
  } else {
    backend::receive(&id, sizeof(id), members[0]);
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.maxCTAs = channels;
  check(nccl().ncclCommInitRankConfig(&made.comm, made.size, id, made.index,
                                      &config),
        made);
  return made;
}

static Communicator makeCommunicator(const pcc_program &program,
                                     const std::vector<int> &axes,
                                     const Coordinates &own, int channels) {
  int index = 0;
  std::vector<int> members = membersOf(program, axes, own, index);
  return join(members, index, axesText(program, axes), channels);
}

/// Sends a byte to each of `to` and receives one from each of `from`, so that
/// NCCL sets up the connections now. At a first transfer it blocks for the
/// other rank, and for all work that this device has started. If a receive was
/// issued early, and its sender waits for this rank, that would hang.
/// connectCollectives() does the same for collectives.
static void connect(const Communicator &c, const std::vector<int> &to,
                    const std::vector<int> &from) {
  auto *place = reinterpret_cast<char *>(connecting());
  CUstream on = computeStream();
  check(nccl().ncclGroupStart(), c);
  for (int peer : to)
    check(nccl().ncclSend(place, 1, ncclInt8, peer, c.comm, on), c);
  for (int peer : from)
    check(nccl().ncclRecv(place, 1, ncclInt8, peer, c.comm, on), c);
  check(nccl().ncclGroupEnd(), c);
  check(driver().cuEventRecord(all().last, on), "the start of communication");
  waitFor(all().last, "the start of communication");
}

static void connect(const Communicator &c, int peer, bool sends) {
  connect(c, sends ? std::vector{peer} : std::vector<int>(),
          sends ? std::vector<int>() : std::vector{peer});
}

/// Creates the communicators of overlapped channels from and to this rank's
/// stage, and connects all channels.
static void connectChannels(const pcc_program &program,
                            const Coordinates &own) {
  int axis = stageAxis(program);
  for (int i = 0; i < program.n_channels; ++i) {
    const pcc_channel &channel = program.channels[i];
    bool sends = own[axis] == channel.from_stage;
    if (!sends && own[axis] != channel.to_stage)
      continue;
    if (!channel.overlapped) {
      connect(all().transfers, sends ? channel.to_stage : channel.from_stage,
              sends);
      continue;
    }
    std::vector<int> members;
    for (int32_t stage : {channel.from_stage, channel.to_stage}) {
      Coordinates at = own;
      at[axis] = stage;
      members.push_back(static_cast<int>(rankOf(program, at)));
    }
    Communicator &made = all().channels[{
        sends ? channel.to_stage : channel.from_stage, channel.channel, sends}];
    made = join(members, sends ? 0 : 1, axesText(program, {axis}),
                PCC_TRANSFER_CHANNELS);
    connect(made, 1 - made.index, sends);
  }
}

void cuda::makeCommunicators(const pcc_program &program,
                             const Coordinates &coordinates) {
  Operation operation("making communicators", Activity::Waits);
  int64_t before = bytesInUse();
  Communicators &made = all();
  made.stage = &program.stages[stageOf(program, coordinates)];
  made.last = makeEvent();
  // A send in one stage's graph matches receives in several graphs of another
  // stage, but NCCL's buffer registration holds for one pair of graphs only.
  if (stageAxis(program) >= 0)
    setenv("NCCL_GRAPH_REGISTER", "0", 1);
  for (int i = 0; i < program.n_comms; ++i) {
    const pcc_comm &comm = program.comms[i];
    std::vector<int> axes(comm.axes, comm.axes + comm.n_axes);
    made.comms.push_back(
        makeCommunicator(program, axes, coordinates, comm.channels));
    const Communicator &joined = made.comms.back();
    std::vector<int> members(joined.size);
    std::iota(members.begin(), members.end(), 0);
    if (comm.exchanges && joined.comm)
      connect(joined, members, members);
  }
  auto isOnComputeStream = [](const pcc_channel &channel) {
    return !channel.overlapped;
  };
  if (std::any_of(program.channels, program.channels + program.n_channels,
                  isOnComputeStream))
    made.transfers = makeCommunicator(program, {stageAxis(program)},
                                      coordinates, PCC_TRANSFER_CHANNELS);
  connectChannels(program, coordinates);
  made.bytes = bytesInUse() - before;
}

/// Issues a collective on the compute stream, on some memory.
static void issueOnce(const pcc_collective &op, const Communicator &c,
                      char *memory) {
  CUstream on = computeStream();
  int64_t block = op.count * sizeOf(op.dtype);
  char *own = memory + c.index * block;
  switch (op.kind) {
  case PCC_ALL_REDUCE:
    return check(
        nccl().ncclAllReduce(memory, memory, op.count, ncclTypeOf(op.dtype),
                             ncclReductionOf(op.reduction), c.comm, on),
        c);
  case PCC_ALL_GATHER:
    return check(nccl().ncclAllGather(own, memory, block, ncclInt8, c.comm, on),
                 c);
  case PCC_REDUCE_SCATTER:
    return check(nccl().ncclReduceScatter(memory, own, op.count,
                                          ncclTypeOf(op.dtype), ncclSum, c.comm,
                                          on),
                 c);
  default:
    fail(ExitInternal,
         format("the program has a collective of kind %d", op.kind));
  }
}

void cuda::connectCollectives(char *memory) {
  const pcc_stage &stage = *all().stage;
  if (!stage.n_collectives)
    return;
  Operation operation("connecting communicators", Activity::Waits);
  int64_t before = bytesInUse();
  for (int i = 0; i < stage.n_collectives; ++i) {
    const pcc_collective &op = stage.collectives[i];
    const Communicator &c = communicator(op.comm);
    if (!c.comm)
      continue;
    issueOnce(op, c, memory);
    // NCCL would block in the next collective and report no error meanwhile.
    check(driver().cuEventRecord(all().last, computeStream()),
          "the start of communication");
    waitFor(all().last, "the start of communication");
  }
  all().bytes += bytesInUse() - before;
}

std::string backend::communicationText() {
  if (pcc_the_program.n_comms + pcc_the_program.n_channels == 0)
    return "";
  // In KiB, so that the number fits in an int.
  const int64_t unit = 1 << 10;
  // Other users of the device may have freed more.
  int64_t own = std::max<int64_t>(all().bytes, 0);
  int most = maxOverRanks(static_cast<int>(own / unit));
  int version = 0;
  nccl().ncclGetVersion(&version);
  return format("NCCL %s, about %s of device memory on the rank that has most",
                versionText(version).c_str(), bytesText(most * unit).c_str());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Communicator &cuda::communicator(int32_t comm) {
  if (comm < 0 || static_cast<size_t>(comm) >= all().comms.size())
    fail(ExitInternal, format("the program has no communicator %d", comm));
  return all().comms[comm];
}

Communicator &cuda::transfers() { return all().transfers; }

Communicator &cuda::transferChannel(int32_t stage, int32_t channel,
                                    bool sends) {
  auto found = all().channels.find({stage, channel, sends});
  if (found == all().channels.end())
    fail(ExitInternal,
         format("the program has no transfers %s stage %d on channel %d",
                sends ? "to" : "from", stage, channel));
  return found->second;
}

static void noteLast(Communicator &communicator, int32_t stream,
                     const char *name, const char *node) {
  communicator.last = name;
  communicator.lastNode = node;
  noteOperation(stream, name, communicator.over.c_str(), node);
}

/// Issues an operation in a captured graph. NCCL's launch order holds within a
/// graph only, so the first operation of a graph waits for the last one of the
/// graph before. A version without that order makes each operation wait for the
/// one before.
static void issueInGraph(Graphs &graphs, int32_t stream,
                         Communicator &communicator, const char *name,
                         const char *node,
                         const std::function<ncclResult_t(CUstream)> &issue,
                         CUstream on) {
  int32_t order = graphs.communication();
  if (!all().isOrdered || !graphs.hasRecorded(order))
    graphs.wait(stream, order);
  graphs.atLaunch([&communicator, stream, name, node](int64_t) {
    noteLast(communicator, stream, name, node);
  });
  if (ncclResult_t result = issue(on))
    failNccl(result, communicator, name, node);
  graphs.record(stream, order);
}

void cuda::issue(pcc_context *ctx, int32_t stream, Communicator &communicator,
                 const char *name,
                 const std::function<ncclResult_t(CUstream)> &issue) {
  Communicators &made = all();
  CUstream on = streamOf(ctx, stream);
  const char *node = stateOf(ctx).node;
  if (communicator.stream >= 0 && communicator.stream != stream)
    fail(ExitInternal,
         format("the program communicates%s on stream %d, and by the same "
                "communicator on stream %d",
                communicator.over.c_str(), communicator.stream, stream));
  communicator.stream = stream;
  if (Graphs *graphs = stateOf(ctx).graphs; graphs && graphs->isRecording())
    return issueInGraph(*graphs, stream, communicator, name, node, issue, on);
  if (!made.isOrdered && made.lastOn && made.lastOn != on)
    check(driver().cuStreamWaitEvent(on, made.last, CU_EVENT_WAIT_DEFAULT),
          "the order of communication");
  noteLast(communicator, stream, name, node);
  if (ncclResult_t result = issue(on))
    failNccl(result, communicator, name, node);
  if (!made.isOrdered)
    check(driver().cuEventRecord(made.last, on), "the order of communication");
  made.lastOn = on;
}

void cuda::checkCommunicators() {
  auto check = [](const Communicator &communicator) {
    ncclResult_t result = ncclSuccess;
    if (communicator.comm)
      nccl().ncclCommGetAsyncError(communicator.comm, &result);
    if (result == ncclSuccess || result == ncclInProgress)
      return;
    // After a remote error, the detection of lost ranks has a better message
    // and ends this process, too; give it 5 s.
    const useconds_t moment = 5000000;
    if (result == ncclRemoteError)
      usleep(moment);
    failNccl(result, communicator,
             format("%s, or an operation before it,", communicator.last),
             communicator.lastNode);
  };
  for (const Communicator &communicator : all().comms)
    check(communicator);
  check(all().transfers);
  for (const auto &[key, communicator] : all().channels)
    check(communicator);
}
