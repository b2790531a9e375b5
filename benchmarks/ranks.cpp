//===- ranks.cpp - Times collectives between ranks of a CPU host ----------===//
//
//     cpu-collectives RANKS BYTES... [--once]
//
// Started alone, it starts RANKS ranks, which share memory. Under 'mpirun -n
// RANKS' the ranks use MPI. For each operation and size, rank 0 prints a line
// of JSON:
//
//     {"op": "all_reduce", "ranks": 2, "bytes": 1048576, "seconds": 0.00042}
//
// BYTES are the size of a rank's largest buffer, of f32: the output of an
// all_gather, the input of a reduce_scatter. The seconds are the least of some
// operations, each on the slowest rank, or with --once of one. Exits with
// ExitInternal if a result is wrong.
//
//===----------------------------------------------------------------------===//

#include "test/Runtime/Ranks.h"
#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace pcc;

// There is no compiled program.
const pcc_program pcc_the_program = {};

/// The target duration of one measurement.
static const double measuredSeconds = 0.5;
static const int mostRepeats = 1000;

namespace {
struct Operation {
  const char *name;
  std::function<void(int64_t count)> run;
  /// The number of elements that it writes, of so many, and their value; all
  /// elements that it reads are 1.
  int64_t part;
  float result;
};
} // namespace

/// The seconds of one operation on the slowest rank.
static double time(const Operation &operation, int64_t count) {
  backend::maxOverRanks(0); // barrier
  double begin = steadyNow();
  operation.run(count);
  const double nanoseconds = 1e9;
  return backend::maxOverRanks(
             static_cast<int>((steadyNow() - begin) * nanoseconds)) /
         nanoseconds;
}

static void measure(const Operation &operation, float *in, float *out,
                    int64_t count, bool once) {
  std::fill(in, in + count, 1.0F);
  std::fill(out, out + count, 1.0F);
  double least = time(operation, count), total = least;
  int64_t written = count / operation.part;
  for (int64_t i : {int64_t{0}, written - 1})
    if (out[i] != operation.result)
      fail(ExitInternal, format("%s computes %g", operation.name, out[i]));
  const int fewest = once ? 1 : 3, most = once ? 1 : mostRepeats;
  for (int i = 1; i < fewest || (total < measuredSeconds && i < most); ++i) {
    double took = time(operation, count);
    least = std::min(least, took);
    total += took;
  }
  if (backend::rank() == 0)
    printf("{\"op\": \"%s\", \"ranks\": %d, \"bytes\": %lld, \"seconds\": "
           "%.7f}\n",
           operation.name, backend::size(), static_cast<long long>(count * 4),
           least);
}

static int measureAll(int64_t ranks, char **texts) {
  const pcc_axis axis = {"all", ranks, PCC_DATA_AXIS};
  const int32_t all = 0;
  const pcc_comm comm = {1, &all, 0, 1};
  const pcc_stage stage = {};
  pcc_program program = {};
  program.n_axes = program.n_comms = program.n_stages = 1;
  program.axes = &axis;
  program.comms = &comm;
  program.stages = &stage;
  std::string resources;
  pcc_context *ctx = backend::prepare(
      program, coordinatesOf(program, backend::rank()), resources);

  std::vector<int64_t> sizes;
  bool once = false;
  for (; *texts; ++texts)
    if (!strcmp(*texts, "--once"))
      once = true;
    else
      sizes.push_back(atoll(*texts) / (4 * ranks) * (4 * ranks));
  int64_t most = *std::max_element(sizes.begin(), sizes.end());
  char *arena = backend::allocateArena(2 * most, 0, {});
  auto *in = reinterpret_cast<float *>(arena),
       *out = reinterpret_cast<float *>(arena + most);
  const Operation operations[] = {
      {"all_reduce",
       [&](int64_t count) {
         pcc_all_reduce(ctx, 0, PCC_F32, PCC_SUM, out, count);
       },
       1, static_cast<float>(ranks)},
      {"all_gather",
       [&](int64_t count) {
         pcc_all_gather(ctx, 0, PCC_F32, in, out, count / ranks);
       },
       1, 1},
      {"reduce_scatter",
       [&](int64_t count) {
         pcc_reduce_scatter(ctx, 0, PCC_F32, in, out, count / ranks, 0);
       },
       ranks, static_cast<float>(ranks)}};
  for (const Operation &operation : operations)
    for (int64_t bytes : sizes)
      measure(operation, in, out, bytes / 4, once);
  return ExitDone;
}

int main(int argc, char **argv) {
  int64_t ranks = argc > 2 ? atoll(argv[1]) : 0;
  if (ranks < 2)
    fail(ExitUsage,
         "usage: cpu-collectives RANKS BYTES..., of 2 ranks or more");
  return runOnRanks(ranks, argv, [&] { return measureAll(ranks, argv + 2); });
}
