//===- collectives.cpp - Times NCCL's collectives -------------------------===//
//
//     cuda-collectives RANKS BYTES...
//
// Starts RANKS ranks, each on its own GPU. They use the NCCL library that a
// training program would load, with the same settings. For each operation and
// size, rank 0 prints a line of JSON:
//
//     {"op": "all_reduce", "ranks": 8, "bytes": 1048576, "seconds": 2.1e-05}
//
// BYTES are the size of a rank's largest buffer: the output of an all_gather,
// the input of a reduce_scatter. In "send_recv" each rank sends to the next
// rank and receives from the previous one. The seconds are the mean time of one
// of many successive operations, on the slowest rank. Exits with ExitDevice if
// a result is wrong.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/Workspace.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/launch/Heartbeat.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Signals.h"
#include "runtime/launch/StatusBoard.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

// There is no compiled program.
const pcc_program pcc_the_program = {};
const pcc_device_code pcc_the_device_code = {};

/// Every byte of the data sent: 0x3C3C3C3C is an f32 of about 0.0115.
static const unsigned char pattern = 0x3c;
/// The target duration of one measurement, and the maximum number of operations
/// in it.
static const double measuredSeconds = 0.2;
static const int mostRepeats = 200;

namespace {
/// An operation: issue() calls NCCL for `count` f32 elements of the largest
/// buffer; each result element is `factor` times the element that was sent.
struct Operation {
  const char *name;
  std::function<ncclResult_t(size_t count)> issue;
  double factor;
  /// The rank's `count` divided by the number of elements that are written.
  int64_t part;
};

/// The two buffers of a rank.
struct Buffers {
  char *in, *out;
};
} // namespace

static char *allocate(size_t bytes, unsigned char value) {
  CUdeviceptr made;
  cuda::check(cuda::driver().cuMemAlloc(&made, bytes), "memory");
  cuda::check(
      cuda::driver().cuMemsetD8Async(made, value, bytes, cuda::computeStream()),
      "memory");
  return reinterpret_cast<char *>(made);
}

static void require(ncclResult_t result, const char *name) {
  if (result != ncclSuccess)
    fail(ExitCommunication, std::string(name) + " failed: " +
                                cuda::nccl().ncclGetErrorString(result));
}

/// The seconds of `repeats` successive operations.
static double time(const Operation &operation, size_t count, int repeats,
                   CUevent event) {
  backend::maxOverRanks(0); // barrier
  double begin = steadyNow();
  for (int i = 0; i < repeats; ++i)
    require(operation.issue(count), operation.name);
  cuda::check(cuda::driver().cuEventRecord(event, cuda::computeStream()),
              operation.name);
  cuda::waitFor(event, operation.name);
  return steadyNow() - begin;
}

/// Whether the first and the last element that an operation wrote are correct.
static bool isRight(const Operation &operation, const Buffers &buffers,
                    size_t count) {
  float sent;
  memset(&sent, pattern, sizeof(sent));
  double due = sent * operation.factor;
  size_t written = count / operation.part;
  for (size_t i : {size_t{0}, written - 1}) {
    HostView view(buffers.out + i * sizeof(float), sizeof(float),
                  backend::Access::Read);
    float found;
    memcpy(&found, view.data(), sizeof(found));
    if (!(std::abs(found - due) <= 1e-5 * due))
      return false;
  }
  return true;
}

static void measure(const Operation &operation, const Buffers &buffers,
                    size_t bytes, CUevent event) {
  size_t count = bytes / sizeof(float);
  // Warm-up: the first operations connect ranks and load kernels.
  time(operation, count, 2, event);
  double one = time(operation, count, 2, event) / 2;
  int wanted = static_cast<int>(
      std::min<double>(mostRepeats, std::ceil(measuredSeconds / one)));
  int repeats = backend::maxOverRanks(std::max(wanted, 1));
  double took = time(operation, count, repeats, event) / repeats;
  const double nanoseconds = 1e9;
  int slowest = backend::maxOverRanks(
      static_cast<int>(std::min<double>(took * nanoseconds, INT32_MAX)));
  if (!isRight(operation, buffers, count))
    fail(ExitDevice,
         format("%s of %zu bytes has a wrong result", operation.name, bytes));
  if (backend::rank() == 0) {
    printf("{\"op\": \"%s\", \"ranks\": %d, \"bytes\": %zu, \"seconds\": "
           "%.9f}\n",
           operation.name, backend::size(), bytes, slowest / nanoseconds);
    fflush(stdout);
  }
}

static void measureAll(const std::vector<size_t> &sizes) {
  size_t most = *std::max_element(sizes.begin(), sizes.end());
  // Zeros, so that an element that no operation writes is detected.
  Buffers buffers = {allocate(most, pattern), allocate(most, 0)};
  const cuda::Nccl &nccl = cuda::nccl();
  ncclComm_t comm = cuda::communicator(0).comm;
  auto on = reinterpret_cast<cudaStream_t>(cuda::computeStream());
  int rank = backend::rank(), size = backend::size();
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  auto sendAndReceive = [&](size_t count) {
    require(nccl.ncclGroupStart(), "a group");
    require(nccl.ncclSend(buffers.in, count, ncclFloat32, next, comm, on),
            "a send");
    require(nccl.ncclRecv(buffers.out, count, ncclFloat32, before, comm, on),
            "a receive");
    return nccl.ncclGroupEnd();
  };
  const Operation operations[] = {
      {"all_reduce",
       [&](size_t count) {
         return nccl.ncclAllReduce(buffers.in, buffers.out, count, ncclFloat32,
                                   ncclSum, comm, on);
       },
       static_cast<double>(size), 1},
      {"all_gather",
       [&](size_t count) {
         return nccl.ncclAllGather(buffers.in, buffers.out, count / size,
                                   ncclFloat32, comm, on);
       },
       1, 1},
      {"reduce_scatter",
       [&](size_t count) {
         return nccl.ncclReduceScatter(buffers.in, buffers.out, count / size,
                                       ncclFloat32, ncclSum, comm, on);
       },
       static_cast<double>(size), size},
      {"send_recv", sendAndReceive, 1, 1}};
  CUevent event = cuda::makeEvent();
  for (const Operation &operation : operations)
    for (size_t bytes : sizes)
      measure(operation, buffers, bytes, event);
}

/// Parses sizes in bytes, each a multiple of one element per rank.
static std::vector<size_t> sizesOf(char **texts, int64_t ranks) {
  std::vector<size_t> sizes;
  for (; *texts; ++texts) {
    size_t bytes = strtoull(*texts, nullptr, 10);
    if (bytes == 0 || bytes % (sizeof(float) * ranks))
      fail(ExitUsage, format("'%s' bytes are not a multiple of one f32 for "
                             "each of %lld ranks",
                             *texts, static_cast<long long>(ranks)));
    sizes.push_back(bytes);
  }
  return sizes;
}

int main(int argc, char **argv) {
  watchSignals();
  if (isStarter())
    runStarter(argv);
  int64_t ranks = argc > 2 ? atoll(argv[1]) : 0;
  if (ranks < 2)
    fail(ExitUsage, "usage: cuda-collectives RANKS BYTES..., of 2 ranks or "
                    "more");
  Launch launch = findLaunch();
  std::vector<size_t> sizes = sizesOf(argv + 2, ranks);
  checkLaunch(
      launch, ranks,
      format("it was asked for %lld ranks", static_cast<long long>(ranks)));
  if (launch.launcher == Launcher::None)
    return startRanks(ranks, argv);
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  joinStatusBoard(launch.rank);
  backend::join(/*alone=*/false);
  setErrorRank(backend::rank(), backend::size(), backend::abortRanks);
  HeartbeatOptions heartbeat;
  heartbeat.hasParent = launch.launcher == Launcher::SelfStarted;
  startHeartbeat(heartbeat);
  statusJoined();

  const pcc_axis axis = {"all", static_cast<int32_t>(ranks), PCC_DATA_AXIS};
  const int32_t all = 0;
  const pcc_comm comm = {1, &all, 0, PCC_CHANNELS};
  const pcc_stage stage = {};
  pcc_program program = {};
  program.n_axes = 1;
  program.axes = &axis;
  program.n_comms = 1;
  program.comms = &comm;
  program.n_stages = 1;
  program.stages = &stage;
  cuda::device();
  cuda::requireSameDevices(stage);
  cuda::makeCommunicators(program, coordinatesOf(program, backend::rank()));
  cuda::makeStaging(program, stage);
  measureAll(sizes);
  statusDone();
  backend::finish();
  endHeartbeat(ExitDone);
  return ExitDone;
}
