//===- Ranks.cpp - Collectives and transfers of the back end for GPUs -----===//
//
// Runs on 4 ranks, a mesh of pp=2 x tp=2, on the doubles of a GPU and of NCCL.
// With an argument one rank misbehaves:
//
//   differ    rank 3 issues another collective than the others
//   crossed   rank 3 issues the collectives of two communicators in the other
//             order
//   streams   rank 3 uses a communicator on two streams
//   hangs     rank 3 waits in a collective of a communicator that the others
//             are not in, until the heartbeat connection ends all
//   dies      rank 3 is killed while the others wait for it
//   fails     NCCL_DOUBLE_FAIL makes an operation fail
//   versions  the ranks that use cuDNN for attention have different versions of
//             it
//
// "sums" prints whether a sum that depends on the order of ranks is the same in
// each call, "nvls" the same where switches may add.
//
// With "library NAME" one rank prints where it finds a library.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/launch/Heartbeat.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

using namespace pcc;

static const int64_t n = 1001; // elements of a block

static const pcc_axis axes[] = {{"pp", 2, PCC_PIPELINE_AXIS},
                                {"tp", 2, PCC_TENSOR_AXIS}};
static const int32_t tp[] = {1}, all[] = {0, 1}, reversed[] = {1, 0};
// Communicators of the compute stream, of stream 1, and one of stream 3.
static const pcc_comm comms[] = {
    {1, tp, 0, 32},       {2, all, 1, 16}, {2, reversed, 0, 32},
    {0, tp, 0, 1},        {1, tp, 0, 32},  {2, all, 1, 16},
    {2, reversed, 0, 32}, {0, tp, 0, 1},   {2, all, 1, 16}};
static const int32_t allOf1 = 5, tpOf1 = 4, reversedOf1 = 6, allOf3 = 8;
// All collectives that are issued on the compute stream, stream 1 and stream 3.
static const pcc_collective collectives[] = {
    {0, PCC_ALL_REDUCE, PCC_F32, PCC_SUM, n},
    {1, PCC_ALL_REDUCE, PCC_F32, PCC_MAX, n},
    {1, PCC_ALL_REDUCE, PCC_BF16, PCC_SUM, n},
    {1, PCC_ALL_REDUCE, PCC_F16, PCC_SUM, n},
    {1, PCC_ALL_REDUCE, PCC_I64, PCC_SUM, n},
    {1, PCC_REDUCE_SCATTER, PCC_F32, PCC_SUM, n},
    {2, PCC_ALL_GATHER, PCC_F32, PCC_SUM, n},
    {4, PCC_ALL_REDUCE, PCC_F32, PCC_SUM, n},
    {4, PCC_ALL_REDUCE, PCC_F32, PCC_MAX, n},
    {5, PCC_ALL_REDUCE, PCC_F32, PCC_SUM, n},
    {5, PCC_ALL_REDUCE, PCC_F32, PCC_MAX, n},
    {5, PCC_ALL_REDUCE, PCC_I64, PCC_SUM, n},
    {5, PCC_REDUCE_SCATTER, PCC_F32, PCC_SUM, n},
    {6, PCC_ALL_GATHER, PCC_F32, PCC_SUM, n},
    {8, PCC_ALL_REDUCE, PCC_F32, PCC_SUM, n},
    {8, PCC_ALL_REDUCE, PCC_F32, PCC_MAX, n}};
static const pcc_channel ways[] = {
    {0, 1, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 1}, {0, 1, 2, 1}, {0, 1, 3, 1},
    {1, 0, 0, 0}, {1, 0, 0, 1}, {1, 0, 1, 0}, {1, 0, 1, 1}, {1, 0, 2, 1}};

// There is no compiled program.
const pcc_program pcc_the_program = {};
const pcc_device_code pcc_the_device_code = {};

namespace {
/// Device memory.
template <typename T>
class Memory {
public:
  explicit Memory(const std::vector<T> &values)
      : count(static_cast<int64_t>(values.size())) {
    CUdeviceptr made;
    cuda::check(cuda::driver().cuMemAlloc(&made, count * sizeof(T)), "memory");
    place = reinterpret_cast<char *>(made);
    HostView view(place, count * sizeof(T), backend::Access::Write);
    memcpy(view.data(), values.data(), count * sizeof(T));
  }
  /// The address of the i-th element.
  T *at(int64_t i = 0) const { return reinterpret_cast<T *>(place) + i; }
  /// The contents after all issued operations.
  std::vector<T> read() const {
    HostView view(place, count * sizeof(T), backend::Access::Read);
    const T *values = static_cast<const T *>(view.data());
    return std::vector<T>(values, values + count);
  }

private:
  char *place;
  int64_t count;
};
} // namespace

template <typename T>
static Memory<T> filled(int64_t count, T value) {
  return Memory<T>(std::vector<T>(count, value));
}

/// Makes the compute stream wait for the operations of another stream.
static void join(pcc_context *ctx, int32_t stream) {
  pcc_record(ctx, stream, 0);
  pcc_wait(ctx, PCC_COMPUTE_STREAM, 0);
}

/// Makes other streams wait for the compute stream, as an entry does.
static void fork(pcc_context *ctx) { backend::beginEntry(ctx, nullptr); }

static void testCollectives(pcc_context *ctx, int32_t stream) {
  int rank = backend::rank();
  CHECK(pcc_comm_index(ctx, 0) == rank % 2);
  CHECK(pcc_comm_index(ctx, 1) == rank);
  CHECK(pcc_comm_index(ctx, 2) == rank % 2 * 2 + rank / 2);
  CHECK(pcc_comm_index(ctx, 3) == 0);

  std::vector<float> given(n), counted(4 * n), blocks(4 * n);
  for (int64_t i = 0; i < n; ++i)
    given[i] = 10000 * rank + i;
  std::iota(counted.begin(), counted.end(), rank);
  for (int64_t i = 0; i < 4 * n; ++i)
    blocks[i] = 100000 * rank + i;
  // A rank's block may already be at its offset in the result.
  std::vector<float> inPlace(4 * n, NAN);
  int64_t own = pcc_comm_index(ctx, 2) * n;
  std::copy(given.begin(), given.end(), inPlace.begin() + own);
  auto sum = filled<float>(n, rank + 1), most = filled<float>(n, rank),
       alone = filled<float>(n, 5), all4 = filled<float>(4 * n, 0),
       copied = filled<float>(n, 0), part = filled<float>(n, 0),
       fromAll = filled<float>(4 * n, 0);
  auto whole = filled<int64_t>(n, int64_t{1} << 40);
  Memory<float> mine(given), parts(inPlace), terms(counted), toAll(blocks);

  // Four for each stream.
  const int32_t tp = 4 * stream, all = tp + 1, reversed = tp + 2, none = tp + 3;
  fork(ctx);
  pcc_all_reduce_async(ctx, stream, tp, PCC_F32, PCC_SUM, sum.at(), n);
  pcc_all_reduce_async(ctx, stream, all, PCC_F32, PCC_MAX, most.at(), n);
  pcc_all_reduce_async(ctx, stream, none, PCC_F32, PCC_SUM, alone.at(), n);
  pcc_all_reduce_async(ctx, stream, all, PCC_I64, PCC_SUM, whole.at(), n);
  pcc_all_gather_async(ctx, stream, reversed, PCC_F32, mine.at(), all4.at(), n);
  pcc_all_gather_async(ctx, stream, none, PCC_F32, mine.at(), copied.at(), n);
  pcc_all_gather_async(ctx, stream, reversed, PCC_F32, parts.at(own),
                       parts.at(), n);
  pcc_reduce_scatter_async(ctx, stream, all, PCC_F32, terms.at(), part.at(), n,
                           /*adds=*/0);
  pcc_all_to_all_async(ctx, stream, all, PCC_F32, toAll.at(), fromAll.at(), n);
  join(ctx, stream);

  CHECK(sum.read() == std::vector<float>(n, rank < 2 ? 3 : 7));
  CHECK(most.read() == std::vector<float>(n, 3));
  CHECK(alone.read() == std::vector<float>(n, 5));
  CHECK(whole.read() == std::vector<int64_t>(n, int64_t{1} << 42));
  CHECK(copied.read() == given);
  std::vector<float> gathered(4 * n), exchanged(4 * n), sums(n);
  for (int64_t i = 0; i < 4 * n; ++i) {
    int64_t index = i / n, from = index % 2 * 2 + index / 2;
    gathered[i] = 10000 * from + i % n;
    exchanged[i] = 100000 * index + rank * n + i % n;
  }
  for (int64_t i = 0; i < n; ++i)
    sums[i] = 4 * (rank * n + i) + 6;
  CHECK(all4.read() == gathered && parts.read() == gathered);
  CHECK(fromAll.read() == exchanged);
  CHECK(part.read() == sums);
}

static void testHalves(pcc_context *ctx, int32_t dtype) {
  std::vector<float> values(n), sums(n);
  for (int64_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 13 + backend::rank());
  std::vector<uint16_t> bits(n);
  narrow(bits.data(), dtype, values.data(), n);
  Memory<uint16_t> memory(bits);
  pcc_all_reduce(ctx, 1, dtype, PCC_SUM, memory.at(), n);
  bits = memory.read();
  widen(sums.data(), bits.data(), dtype, n);
  for (int64_t i = 0; i < n; ++i)
    CHECK(sums[i] == 4 * (i % 13) + 6);
}

/// Transfers on separate streams, several in flight, overlapped with
/// collectives on a third stream.
static void testTransfers(pcc_context *ctx) {
  int rank = backend::rank(), stage = rank / 2, peer = (rank + 2) % 4;
  const int64_t bytes = 4 * n;
  const int count = 20;
  std::vector<Memory<int32_t>> mine, theirs;
  auto most = filled<float>(n, rank);
  for (int i = 0; i < count; ++i) {
    mine.push_back(filled<int32_t>(n, 100 * rank + i));
    theirs.push_back(filled<int32_t>(n, -1));
  }
  fork(ctx);
  // All ranks use one order: down, up, sum.
  for (int i = 0; i < count; ++i) {
    for (int from : {0, 1})
      if (stage == from)
        pcc_send_async(ctx, 1, 1 - stage, i % 3, mine[i].at(), bytes);
      else
        pcc_recv_async(ctx, 2, 1 - stage, i % 3, theirs[i].at(), bytes);
    pcc_all_reduce_async(ctx, 3, allOf3, PCC_F32, PCC_MAX, most.at(), n);
  }
  for (int32_t stream : {1, 2, 3})
    join(ctx, stream);
  for (int i = 0; i < count; ++i)
    CHECK(theirs[i].read() == std::vector<int32_t>(n, 100 * peer + i));
  CHECK(most.read() == std::vector<float>(n, 3));

  auto got = filled<int32_t>(n, 0), few = filled<int32_t>(n, 0);
  pcc_exchange(ctx, 1 - stage, stage, mine[3].at(), bytes, 1 - stage, 1 - stage,
               got.at(), bytes);
  // A side may send less than the other.
  pcc_exchange(ctx, 1 - stage, 0, mine[4].at(), stage ? 4 : bytes, 1 - stage, 0,
               few.at(), stage ? bytes : 4);
  CHECK(got.read() == std::vector<int32_t>(n, 100 * peer + 3));
  std::vector<int32_t> expected(n, stage ? 100 * peer + 4 : 0);
  expected[0] = 100 * peer + 4;
  CHECK(few.read() == expected);
}

/// The number of transfers of a kind on the third stream.
static int64_t countOf(const char *kind) {
  for (const backend::Traffic &found : backend::traffic())
    if (found.stream == 3 && found.kind == kind)
      return found.messages;
  return 0;
}

/// Graphs, two of which are in flight at a time: their collectives start in one
/// order on all ranks, and each sees the results of the previous one.
static void testGraphs(pcc_context *ctx, cuda::Rank &rank) {
  pcc_stage stage = {};
  stage.n_streams = 4;
  stage.n_events = 2;
  rank.events.push_back(cuda::makeEvent());
  rank.graphs = new cuda::Graphs(rank, stage);
  const int32_t order[] = {0, 1, 1, 1, 1, 2};
  int own = backend::rank(), other = 1 - own / 2;
  auto sum = filled<float>(n, 1), kept = filled<float>(n, 0),
       most = filled<float>(n, static_cast<float>(own));
  auto mine = filled<int32_t>(n, own), theirs = filled<int32_t>(n, -1);
  int64_t before = countOf("all_reduce over pp tp");
  for (int entry : {0, 1}) {
    fork(ctx);
    for (int32_t graph : order) {
      if (!pcc_graph_begin(ctx, graph, 0, "a graph"))
        continue;
      CHECK(entry == 0);
      if (graph != 0)
        pcc_wait(ctx, PCC_COMPUTE_STREAM, 0);
      pcc_copy(ctx, kept.at(), sum.at(), 4 * n);
      pcc_record(ctx, PCC_COMPUTE_STREAM, 1);
      pcc_wait(ctx, 3, 1);
      pcc_all_reduce_async(ctx, 3, allOf3, PCC_F32, PCC_SUM, sum.at(), n);
      pcc_record(ctx, 3, 0);
      // The other graphs do not use the first stream.
      if (graph == 1)
        pcc_all_reduce_async(ctx, 1, tpOf1, PCC_F32, PCC_MAX, most.at(), n);
      if (own / 2 == 0)
        pcc_send_async(ctx, 2, other, 3, mine.at(), 4 * n);
      else
        pcc_recv_async(ctx, 2, other, 3, theirs.at(), 4 * n);
      pcc_graph_end(ctx, graph);
    }
  }
  // The sum is multiplied by 4 twelve times.
  CHECK(sum.read() == std::vector<float>(n, 1 << 24));
  CHECK(kept.read() == std::vector<float>(n, 1 << 22));
  CHECK(most.read() == std::vector<float>(n, own | 1));
  CHECK(theirs.read() == std::vector<int32_t>(n, own / 2 ? own - 2 : -1));
  CHECK(countOf("all_reduce over pp tp") - before == 12);
  CHECK(rank.graphs->text().rfind("4, of ", 0) == 0);
  rank.graphs = nullptr;
}

/// Counts the communication up to here, as other back ends do.
static void testCounts() {
  const int64_t block = 4 * n, wide = 8 * n;
  auto text = [](const char *kind, int32_t stream, int64_t messages,
                 int64_t bytes, int64_t sent) {
    return format("%s %d %lld %lld %lld", kind, stream,
                  static_cast<long long>(messages),
                  static_cast<long long>(bytes), static_cast<long long>(sent));
  };
  std::vector<std::string> found,
      expected = {text("all_gather over tp pp", 0, 2, 2 * block, 6 * block),
                  text("all_reduce over pp tp", 0, 2, block + wide,
                       3 * (block + wide) / 2),
                  text("all_reduce over tp", 0, 1, block, block),
                  text("all_to_all over pp tp", 0, 1, block, 3 * block),
                  text("reduce_scatter over pp tp", 0, 1, block, 3 * block)};
  for (const backend::Traffic &kind : backend::traffic())
    found.push_back(text(kind.kind.c_str(), kind.stream, kind.messages,
                         kind.bytes, kind.sent));
  CHECK(found == expected);
}

/// Whether a sum of floats, which depends on the order of the ranks, is the
/// same in each of some calls.
static bool addsInOneOrder(pcc_context *ctx) {
  const float values[] = {1e8, 1, -1e8, 1};
  std::vector<float> first;
  bool isSame = true;
  for (int call = 0; call < 8; ++call) {
    auto sum = filled<float>(n, values[backend::rank()]);
    pcc_all_reduce(ctx, 1, PCC_F32, PCC_SUM, sum.at(), n);
    std::vector<float> found = sum.read();
    if (call == 0)
      first = found;
    isSame &= found == first;
  }
  return isSame;
}

[[noreturn]] static void misbehave(pcc_context *ctx, const std::string &how) {
  auto a = filled<float>(n, 1), b = filled<float>(n, 1);
  bool isOdd = backend::rank() == 3;
  if (how == "dies" && isOdd)
    raise(SIGKILL);
  pcc_set_node(ctx, "layer/add");
  fork(ctx);
  if (how == "differ" && isOdd)
    pcc_all_reduce_async(ctx, 1, allOf1, PCC_F32, PCC_MAX, a.at(), n);
  if (how == "streams" && isOdd)
    pcc_all_reduce_async(ctx, 2, allOf1, PCC_F32, PCC_SUM, a.at(), n);
  if (how == "hangs" && isOdd) {
    pcc_all_reduce_async(ctx, 2, 0, PCC_F32, PCC_SUM, b.at(), n);
    pcc_all_reduce_async(ctx, 1, reversedOf1, PCC_F32, PCC_SUM, a.at(), n);
  } else if (how == "crossed" && isOdd) {
    pcc_all_reduce_async(ctx, 1, allOf1, PCC_F32, PCC_SUM, a.at(), n);
    pcc_all_reduce_async(ctx, 2, 0, PCC_F32, PCC_SUM, b.at(), n);
  } else {
    pcc_all_reduce_async(ctx, 2, 0, PCC_F32, PCC_SUM, b.at(), n);
    pcc_all_reduce_async(ctx, 1, allOf1, PCC_F32, PCC_SUM, a.at(), n);
  }
  join(ctx, 1);
  join(ctx, 2);
  backend::drain();
  _exit(99);
}

int main(int argc, char **argv) {
  pcc_program program = {};
  program.n_axes = 2;
  program.axes = axes;
  program.n_stages = 2;
  program.n_comms = std::size(comms);
  program.comms = comms;
  program.n_channels = std::size(ways);
  program.channels = ways;
  if (argc == 3) {
    cuda::Library library(argv[2], cuda::Library::Part::Toolkit);
    printf("%s\n",
           (library.isOpen() ? library.path() : library.tried()).c_str());
    return 0;
  }
  bool allowsNvls = argc > 1 && !strcmp(argv[1], "nvls");
  bool isOfSums = allowsNvls || (argc > 1 && !strcmp(argv[1], "sums"));
  if (allowsNvls)
    backend::allowNvls();
  Launch launch = findLaunch();
  setErrorRank(launch.rank, static_cast<int>(launch.size), nullptr);
  backend::join(/*alone=*/false);
  setErrorRank(backend::rank(), backend::size(), backend::abortRanks);
  CHECK(backend::size() == 4);
  HeartbeatOptions heartbeat;
  if (argc > 1 && !strcmp(argv[1], "hangs"))
    heartbeat.timeout = 2;
  startHeartbeat(heartbeat);
  // All of backend::prepare except GEMMs and kernels.
  cuda::device();
  pcc_stage stage = {};
  stage.n_attentions = argc > 1 && !strcmp(argv[1], "versions");
  stage.n_collectives = std::size(collectives);
  stage.collectives = collectives;
  const pcc_stage stages[] = {stage, stage};
  program.stages = stages;
  cuda::requireSameDevices(stage);
  auto *rank = new cuda::Rank;
  rank->streams.push_back(cuda::computeStream());
  for (int i = 0; i < 3; ++i)
    rank->streams.push_back(cuda::makeStream(cuda::StreamUse::Communicates));
  rank->events.push_back(cuda::makeEvent());
  rank->begun = cuda::makeEvent();
  cuda::makeCommunicators(program, coordinatesOf(program, backend::rank()));
  cuda::makeStaging(program, stage);
  cuda::connectCollectives(
      reinterpret_cast<char *>(filled<double>(4 * n, 0).at()));
  auto *ctx = reinterpret_cast<pcc_context *>(rank);
  if (argc > 1 && !isOfSums)
    misbehave(ctx, argv[1]);
  if (isOfSums) {
    bool isSame = addsInOneOrder(ctx);
    if (backend::rank() == 0)
      printf("%s\n", isSame ? "in one order" : "in several orders");
    backend::finish();
    endHeartbeat(0);
    _exit(fflush(stdout));
  }

  testCollectives(ctx, PCC_COMPUTE_STREAM);
  testCounts();
  testCollectives(ctx, 1);
  for (int32_t dtype : {PCC_BF16, PCC_F16})
    testHalves(ctx, dtype);
  testTransfers(ctx);
  testGraphs(ctx, *rank);
  failures = backend::maxOverRanks(failures);
  int result = backend::rank() == 0 ? checkResult() : failures != 0;
  backend::finish();
  endHeartbeat(0);
  _exit(fflush(stdout) ? 1 : result);
}
