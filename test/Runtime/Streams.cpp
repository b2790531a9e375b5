//===- Streams.cpp - Streams and events of the CPU back end ---------------===//
//
// Runs on 4 ranks, a mesh of pp=2 x tp=2, or on one. The first argument selects
// the test. Most tests need PCC_DELAY, which perturbs the order of operations.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Delays.h"
#include "runtime/mpi/IdleThreads.h"
#include "runtime/mpi/Transport.h"
#include "runtime/support/Clock.h"
#include "runtime/telemetry/Trace.h"
#include "test/Runtime/Check.h"
#include "test/Runtime/Ranks.h"

#include <atomic>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>
#include <unistd.h>

using namespace pcc;

static const int64_t n = 300;
static const pcc_axis axes[] = {{"pp", 2, PCC_PIPELINE_AXIS},
                                {"tp", 2, PCC_TENSOR_AXIS}};
static const int32_t tp[] = {1}, all[] = {0, 1};
static const pcc_comm comms[] = {{1, tp, 1, 1}, {2, all, 0, 1}, {0, tp, 0, 1}};
enum Comm { OverTP, OverAll, Alone };
enum Stream { Compute, First, Second, Third };

static ArenaVector<float> filled(float value) {
  return ArenaVector<float>(n, value);
}

static void sum(pcc_context *ctx, int32_t stream, int32_t comm,
                ArenaVector<float> &a) {
  pcc_all_reduce_async(ctx, stream, comm, PCC_F32, PCC_SUM, a.data(), n);
}

/// A rank that waits for a message reports the message's node of the model.
static void testNodes(pcc_context *ctx) {
  ArenaVector<float> a = filled(1);
  for (const char *node : {"layer/add", "", "layer/add"}) {
    pcc_set_node(ctx, node);
    sum(ctx, First, OverTP, a);
    pcc_record(ctx, First, 3);
    std::string detail = ctx->events[3]->detail;
    CHECK(detail == (*node ? " over tp (layer/add)" : " over tp"));
    pcc_wait(ctx, Compute, 3);
  }
  pcc_set_node(ctx, "");
}

/// Operations of one stream are ordered; operations of different streams are
/// ordered by events.
static void testOrder(pcc_context *ctx) {
  float rank = backend::rank();
  for (int round = 0; round < 20; ++round) {
    ArenaVector<float> a = filled(rank + round), b(2 * n), c(2 * n), d(n);
    // tp pairs: ranks 0 and 1, 2 and 3.
    float pair = 2 * round + (rank < 2 ? 1 : 5);
    sum(ctx, First, OverTP, a);
    pcc_all_gather_async(ctx, First, OverTP, PCC_F32, a.data(), b.data(), n);
    pcc_record(ctx, First, 7);
    // The event is recorded again; the wait refers to the record before.
    pcc_wait(ctx, Second, 7);
    pcc_record(ctx, Compute, 7);
    pcc_all_to_all_async(ctx, Second, OverTP, PCC_F32, b.data(), c.data(), n);
    pcc_reduce_scatter_async(ctx, Second, OverTP, PCC_F32, c.data(), d.data(),
                             n, /*adds=*/0);
    pcc_record(ctx, Second, 8);
    // Dependences are transitive through a stream that only waits.
    pcc_wait(ctx, Third, 8);
    pcc_record(ctx, Third, 9);
    pcc_wait(ctx, Compute, 9);
    CHECK(a == filled(pair));
    CHECK(b == ArenaVector<float>(2 * n, pair));
    CHECK(c == b && d == filled(2 * pair));
    // A rank's block may already be at its offset in the result.
    ArenaVector<float> parts(2 * n, -1), both(n, rank - fmodf(rank, 2));
    both.insert(both.end(), n, both[0] + 1);
    float *own = parts.data() + pcc_comm_index(ctx, OverTP) * n;
    std::fill_n(own, n, rank);
    pcc_all_gather_async(ctx, First, OverTP, PCC_F32, own, parts.data(), n);
    pcc_record(ctx, First, 7);
    pcc_wait(ctx, Compute, 7);
    CHECK(parts == both);
    // Synchronous work of the compute stream follows all operations issued
    // before.
    ArenaVector<float> e = filled(1), f = filled(2);
    sum(ctx, First, OverAll, e);
    pcc_all_reduce(ctx, OverAll, PCC_F32, PCC_SUM, f.data(), n);
    CHECK(f == filled(8));
    pcc_record(ctx, First, 0);
    pcc_wait(ctx, Compute, 0);
    CHECK(e == filled(4));
  }
}

/// Ranks whose streams reach a communicator in different orders enter it in the
/// same order.
static void testOneOrder(pcc_context *ctx) {
  for (int round = 0; round < 20; ++round) {
    ArenaVector<float> slow = filled(1), a = filled(10), b = filled(100);
    sum(ctx, Third, Alone, slow);
    pcc_record(ctx, Third, 1);
    pcc_wait(ctx, First, 1);
    sum(ctx, First, OverAll, a);
    sum(ctx, Second, OverAll, b);
    for (int32_t stream : {First, Second}) {
      pcc_record(ctx, stream, 2);
      pcc_wait(ctx, Compute, 2);
    }
    CHECK(a == filled(40) && b == filled(400));
  }
}

/// Receives are posted ahead, and each is waited for separately.
static void testAhead(pcc_context *ctx) {
  int32_t stage = backend::rank() / 2;
  const int32_t slots = 4;
  ArenaVector<float> buffers[slots];
  for (int round = 0; round < 10; ++round) {
    if (stage == 0) {
      for (int32_t i = 0; i < slots; ++i) {
        // The last transfer is sent when the other stage has the first one.
        ArenaVector<float> go = {0};
        if (i == slots - 1)
          pcc_recv(ctx, 1, 1, go.data(), sizeof(float));
        CHECK(i < slots - 1 || go[0] == round);
        pcc_record(ctx, First, 10 + i);
        pcc_wait(ctx, Compute, 10 + i);
        buffers[i] = filled(100 * round + i);
        pcc_send_async(ctx, First, 1, 0, buffers[i].data(), 4 * n);
      }
      pcc_record(ctx, First, 0);
      pcc_wait(ctx, Compute, 0);
      continue;
    }
    for (int32_t i = 0; i < slots; ++i) {
      buffers[i] = filled(-1);
      pcc_recv_async(ctx, Second, 0, 0, buffers[i].data(), 4 * n);
      pcc_record(ctx, Second, 10 + i);
    }
    for (int32_t i = 0; i < slots; ++i) {
      pcc_wait(ctx, Compute, 10 + i);
      CHECK(buffers[i] == filled(100 * round + i));
      ArenaVector<float> go = {static_cast<float>(round)};
      if (i == 0)
        pcc_send(ctx, 0, 1, go.data(), sizeof(float));
    }
  }
}

/// The second of two receives of one stream is posted before the first has its
/// message if both have separate memory, otherwise not. The other stage detects
/// this by a message so long that it is accepted only when a receive is posted.
static void testTogether(pcc_context *ctx) {
  const int64_t many = 1 << 19;
  ArenaVector<float> one(many), other(many);
  for (bool meet : {false, true}) {
    ArenaVector<float> words = {1};
    float &word = words[0];
    if (backend::rank() >= 2) {
      std::fill(one.begin(), one.end(), 1);
      std::fill(other.begin(), other.end(), 2);
      // A receive that is not posted must not block this stage.
      pcc_send_async(ctx, meet ? First : Compute, 0, 1, other.data(),
                     4 * (meet ? n : many));
      pcc_send(ctx, 0, 2, &word, sizeof(word));
      pcc_recv(ctx, 0, 3, &word, sizeof(word));
      pcc_send(ctx, 0, 0, one.data(), 4 * many);
      pcc_record(ctx, First, 0);
      pcc_wait(ctx, Compute, 0);
      continue;
    }
    std::fill(one.begin(), one.end(), -1);
    std::fill(other.begin(), other.end(), -1);
    float *second = meet ? one.data() + many - n : other.data();
    pcc_recv_async(ctx, First, 1, 0, one.data(), 4 * many);
    pcc_record(ctx, First, 0);
    pcc_recv_async(ctx, First, 1, 1, second, 4 * (meet ? n : many));
    pcc_record(ctx, First, 1);
    // The first one is sent after this stage knows that the second one was
    // sent.
    pcc_recv(ctx, 1, 2, &word, sizeof(word));
    // An operation that finishes out of order is not complete.
    CHECK(!ctx->events[1]->stream->hasDone(ctx->events[1]->count));
    pcc_send(ctx, 1, 3, &word, sizeof(word));
    pcc_wait(ctx, Compute, 1);
    CHECK(ctx->events[0]->stream->hasDone(ctx->events[0]->count));
    CHECK(one[0] == 1 && one[many - n - 1] == 1);
    CHECK(second[0] == 2 && second[n - 1] == 2);
  }
  // Reads after writes, and writes after reads.
  for (int round = 0; round < 20; ++round) {
    float rank = backend::rank(), pair = rank < 2 ? 1 : 5;
    ArenaVector<float> a = filled(rank), b(2 * n), c = filled(10),
                       d = filled(1), e(n, 2 * pair);
    sum(ctx, First, OverTP, a);
    sum(ctx, First, OverTP, d);
    pcc_all_gather_async(ctx, First, OverTP, PCC_F32, a.data(), b.data(), n);
    pcc_reduce_scatter_async(ctx, First, OverTP, PCC_F32, b.data(), c.data(), n,
                             /*adds=*/1);
    sum(ctx, First, OverTP, b);
    sum(ctx, First, OverTP, a);
    pcc_record(ctx, First, 2);
    pcc_wait(ctx, Compute, 2);
    CHECK(a == e && d == filled(2) && c == filled(10 + 2 * pair));
    e.insert(e.end(), n, pair);
    CHECK(b == e);
  }
}

/// Adds buffer 1 to buffer 0.
static void addTo(void *const *args, int64_t begin, int64_t end) {
  auto *to = static_cast<float *>(args[0]),
       *from = static_cast<float *>(args[1]);
  for (int64_t i = begin; i < end; ++i)
    to[i] += from[i];
}

/// A kernel of a stream runs between the messages before and after it.
static void testLaunches(pcc_context *ctx) {
  const int64_t bytes[] = {4 * n, 4 * n};
  const pcc_kernel add = {"add", "", 2, bytes, addTo, n, 1, 0, 0, 0};
  for (int round = 0; round < 20; ++round) {
    float rank = backend::rank(), pair = rank < 2 ? 1 : 5;
    ArenaVector<float> a = filled(rank), b = filled(round);
    sum(ctx, First, OverTP, a);
    {
      // The array is reused for another launch immediately.
      void *args[] = {b.data(), a.data()};
      pcc_launch_async(ctx, First, &add, args);
      args[0] = args[1] = nullptr;
    }
    sum(ctx, First, OverTP, a);
    pcc_record(ctx, First, 2);
    pcc_wait(ctx, Compute, 2);
    CHECK(b == filled(round + pair) && a == filled(2 * pair));
  }
}

/// With PCC_DELAY=send=300: a link sends one transfer after the other, though
/// they are independent.
static void testLink(pcc_context *ctx) {
  ArenaVector<float> buffers[4];
  backend::maxOverRanks(0);
  double begin = steadyNow();
  for (int32_t i = 0; i < 4; ++i) {
    buffers[i] = filled(i);
    if (backend::rank() < 2)
      pcc_send_async(ctx, First, 1, i, buffers[i].data(), 4 * n);
    else
      pcc_recv_async(ctx, First, 0, i, buffers[i].data(), 4 * n);
    pcc_record(ctx, First, i);
  }
  for (int32_t i = 0; i < 4; ++i) {
    pcc_wait(ctx, Compute, i);
    // The other stage may have started to wait later.
    CHECK(backend::rank() >= 2 || steadyNow() - begin >= 0.3 * (i + 1));
    CHECK(buffers[i] == filled(i));
  }
}

static double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// With PCC_DELAY=all_reduce/tp=1500: the all-reduce sleeps that long, and
/// independent operations proceed.
static void testDelay(pcc_context *ctx) {
  ArenaVector<float> a = filled(1), b(4 * n);
  backend::maxOverRanks(0);
  double begin = steadyNow(), cpu = cpuSeconds();
  sum(ctx, First, OverTP, a);
  pcc_record(ctx, First, 0);
  pcc_all_gather_async(ctx, Second, OverAll, PCC_F32, a.data() + 1, b.data(),
                       1);
  pcc_record(ctx, Second, 1);
  pcc_wait(ctx, Compute, 1);
  CHECK(!ctx->events[0]->stream->hasDone(ctx->events[0]->count));
  CHECK(b[0] == 1 && b[3] == 1);
  pcc_wait(ctx, Compute, 0);
  CHECK(a == filled(2));
  CHECK(steadyNow() - begin >= 1.5 && cpuSeconds() - cpu < 0.75);
}

/// With PCC_DELAY=all_reduce/tp=300 and PCC_LAUNCH_ORDER=1: a gather of another
/// stream starts once both earlier reductions have started, so the first one is
/// complete.
static void testLaunchOrder(pcc_context *ctx) {
  ArenaVector<float> a = filled(1), b(4 * n);
  backend::maxOverRanks(0);
  sum(ctx, First, OverTP, a);
  pcc_record(ctx, First, 0);
  sum(ctx, First, OverTP, a);
  pcc_record(ctx, First, 1);
  pcc_all_gather_async(ctx, Second, OverAll, PCC_F32, b.data() + n, b.data(),
                       1);
  pcc_record(ctx, Second, 2);
  pcc_wait(ctx, Compute, 2);
  CHECK(ctx->events[0]->stream->hasDone(ctx->events[0]->count));
  pcc_wait(ctx, Compute, 1);
  CHECK(a == filled(4));
}

/// Fills of the host are in order and overlapped with compute; an event covers
/// the fills before it.
static void testFills(pcc_context *ctx) {
  std::atomic<bool> mayEnd{false};
  std::vector<int64_t> filled, to(3, -1);
  backend::setFiller([&](int32_t input, int64_t microbatch, char *at) {
    while (microbatch == 1 && !mayEnd)
      std::this_thread::yield();
    filled.push_back(microbatch);
    *reinterpret_cast<int64_t *>(at) = 10 * input + microbatch;
  });
  pcc_record(ctx, Compute, 0);
  for (int32_t microbatch = 0; microbatch < 3; ++microbatch) {
    pcc_wait(ctx, First, 0);
    pcc_fill_async(ctx, First, 7, microbatch, &to[microbatch], 8);
    pcc_record(ctx, First, 1 + microbatch);
  }
  pcc_wait(ctx, Compute, 1);
  CHECK(to[0] == 70 && to[1] == -1 && to[2] == -1);
  // A wait for a complete record does not wait for later operations.
  pcc_wait(ctx, Compute, 1);
  mayEnd = true;
  // On another stream, too.
  pcc_wait(ctx, Second, 2);
  CHECK(to[1] == 71);
  pcc_wait(ctx, Compute, 3);
  CHECK(to[2] == 72 && filled == std::vector<int64_t>({0, 1, 2}));
  pcc_fill(ctx, 4, 2, to.data(), 8);
  CHECK(to[0] == 42);
}

/// Checks the counted and traced operations by kind and stream.
static void testCounts(pcc_context *ctx, const pcc_program &program) {
  startTrace();
  ArenaVector<float> a = filled(1);
  sum(ctx, First, OverTP, a);
  sum(ctx, First, OverTP, a);
  pcc_record(ctx, First, 0);
  pcc_wait(ctx, Compute, 0);
  pcc_all_reduce(ctx, OverAll, PCC_F32, PCC_SUM, a.data(), n);
  int32_t stage = backend::rank() / 2;
  if (stage == 0)
    pcc_send_async(ctx, Second, 1, 0, a.data(), 4 * n);
  else
    pcc_recv_async(ctx, Second, 0, 0, a.data(), 4 * n);
  pcc_record(ctx, Second, 0);
  pcc_wait(ctx, Compute, 0);
  std::map<std::string, backend::Traffic> counts;
  for (const backend::Traffic &traffic : backend::traffic())
    counts[traffic.kind] = traffic;
  CHECK(counts.size() == 3);
  backend::Traffic all = counts["all_reduce over pp tp"],
                   pairs = counts["all_reduce over tp"],
                   stages = counts[stage ? "receive over pp" : "send over pp"];
  CHECK(all.stream == 0 && all.messages == 1 && all.bytes == 4 * n &&
        all.sent == 6 * n);
  CHECK(pairs.stream == 1 && pairs.messages == 2 && pairs.bytes == 8 * n &&
        pairs.sent == 8 * n);
  CHECK(stages.stream == 2 && stages.messages == 1 && stages.bytes == 4 * n &&
        stages.sent == (stage ? 0 : 4 * n));
  writeTrace(program, "streams.json");
}

/// A program of one rank has no additional thread.
static void testAlone(pcc_context *ctx) {
  CHECK(threadIds().size() == 1);
  ArenaVector<float> a = filled(3), b(n);
  sum(ctx, First, Alone, a);
  pcc_record(ctx, First, 0);
  pcc_wait(ctx, Second, 0);
  pcc_all_gather_async(ctx, Second, Alone, PCC_F32, a.data(), b.data(), n);
  CHECK(b == a && a == filled(3));
  pcc_record(ctx, Second, 0);
  pcc_wait(ctx, Compute, 0);
  pcc_record(ctx, Compute, 0);
  pcc_wait(ctx, First, 0);
  CHECK(backend::maxOverRanks(5) == 5);

  std::vector<Delay> delays =
      parseDelays("send=5,all_reduce/pp tp=1..3,exchange=4/MiB,any=0..0.5");
  CHECK(findDelay(delays, "send", " to stage 1", 64, 0, 0) == 0.005);
  CHECK(findDelay(delays, "receive", " from stage 1", 64, 0, 0) == 0);
  CHECK(findDelay(delays, "exchange", " with stage 1", 1 << 19, 0, 0) == 0.002);
  double least = 1, most = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    double delay = findDelay(delays, "all_reduce", " over pp tp", 64, 1, i);
    CHECK(delay == findDelay(delays, "all_reduce", " over pp tp", 64, 1, i));
    least = std::min(least, delay);
    most = std::max(most, delay);
    CHECK(findDelay(delays, "all_reduce", " over tp", 64, 1, i) < 0.0005);
  }
  CHECK(least >= 0.001 && least < 0.0015 && most > 0.0025 && most < 0.003);
}

/// All ranks end even if requests are in flight: one without a match, or one
/// whose call on the communication thread does not return.
[[noreturn]] static void testAbort(pcc_context *ctx, bool isStuck) {
  ArenaVector<float> a(n);
  if (backend::rank() < 2)
    pcc_recv_async(ctx, First, 1, 3, a.data(), 4 * n);
  sum(ctx, Second, OverTP, a);
  std::thread([isStuck] {
    usleep(300000);
    if (isStuck || backend::rank() == 0)
      backend::abortRanks(7);
  }).detach();
  if (isStuck)
    communication::call([] { sleep(60); });
  pcc_record(ctx, First, 0);
  pcc_wait(ctx, Compute, 0);
  sleep(60);
  _exit(1);
}

/// Ranks that issue different collectives get an error, as does memory that
/// other ranks cannot access.
static void testMismatch(pcc_context *ctx, bool isOutside) {
  ArenaVector<float> a(n), b(4 * n);
  std::vector<float> outside(n);
  if (isOutside)
    pcc_all_reduce(ctx, OverAll, PCC_F32, PCC_SUM, outside.data(), n);
  else if (backend::rank() == 2)
    pcc_all_reduce(ctx, OverAll, PCC_F32, PCC_SUM, a.data(), n);
  else
    pcc_all_reduce(ctx, OverAll, PCC_F32, PCC_SUM, b.data(), 4 * n);
}

static int runTests(const std::string &what, bool alone) {
  pcc_program program = {};
  program.n_axes = alone ? 0 : 2;
  program.axes = axes;
  program.n_stages = alone ? 1 : 2;
  static const pcc_comm none[] = {{0, tp, 0, 1}, {0, tp, 0, 1}, {0, tp, 0, 1}};
  program.n_comms = 3;
  program.comms = alone ? none : comms;
  std::string resources;
  pcc_context *ctx = backend::prepare(
      program, coordinatesOf(program, backend::rank()), resources);
  ArenaMemory::allocate();
  if (what == "alone")
    testAlone(ctx);
  else if (what == "unrecorded")
    pcc_wait(ctx, First, 3);
  else if (what == "fills")
    testFills(ctx);
  else if (what == "delay")
    testDelay(ctx);
  else if (what == "link")
    testLink(ctx);
  else if (what == "launch-order")
    testLaunchOrder(ctx);
  else if (what == "counts")
    testCounts(ctx, program);
  else if (what == "mismatch" || what == "outside")
    testMismatch(ctx, what == "outside");
  else if (what == "abort" || what == "stuck")
    testAbort(ctx, what == "stuck");
  else {
    testOrder(ctx);
    testOneOrder(ctx);
    testAhead(ctx);
    testTogether(ctx);
    testLaunches(ctx);
    mpi::greatestWhole = 0;
    testOrder(ctx);
    testNodes(ctx);
  }
  failures = backend::maxOverRanks(failures);
  return backend::rank() == 0 ? checkResult() : failures != 0;
}

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  bool alone = what == "alone" || what == "unrecorded" || what == "fills";
  auto body = [&] { return runTests(what, alone); };
  return alone ? body() : runOnRanks(4, argv, body);
}
