//===- Ranks.cpp - Collectives and transfers of the CPU back end ----------===//
//
// Runs on 4 ranks, a mesh of pp=2 x tp=2, that share memory or use MPI. With
// MPI: with whole messages and with messages in pieces of 3 elements or bytes,
// as very long ones are sent. Sums are computed by MPI and, like large sums, by
// the ranks from messages.
//
//===----------------------------------------------------------------------===//

#include "test/Runtime/Ranks.h"
#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Threads.h"
#include "runtime/mpi/Transport.h"
#include "runtime/support/DType.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace pcc;

static const int64_t n = 8; // elements of a block

static const pcc_axis axes[] = {{"pp", 2, PCC_PIPELINE_AXIS},
                                {"tp", 2, PCC_TENSOR_AXIS}};
static const int32_t tp[] = {1}, all[] = {0, 1}, reversed[] = {1, 0};
static const pcc_comm comms[] = {
    {1, tp, 0, 1}, {2, all, 1, 1}, {2, reversed, 0, 1}, {0, tp, 0, 1}};

static const int64_t large = int64_t{1} << 33;
static const pcc_constant constants[] = {{2, large}, {-1, -large}, {3, 7}};

static void testConstants(pcc_context *ctx) {
  auto at = [&](int32_t number) {
    return *static_cast<const int64_t *>(pcc_constant_at(ctx, number));
  };
  CHECK(at(0) == pcc_comm_index(ctx, 2) * large);
  CHECK(at(1) == -large);
  CHECK(at(2) == 0);
}

static void testCollectives(pcc_context *ctx) {
  int rank = backend::rank();
  CHECK(pcc_comm_index(ctx, 0) == rank % 2);
  CHECK(pcc_comm_index(ctx, 1) == rank);
  // tp is major here.
  CHECK(pcc_comm_index(ctx, 2) == rank % 2 * 2 + rank / 2);
  CHECK(pcc_comm_index(ctx, 3) == 0);

  ArenaVector<float> a(n, rank + 1), all4(4 * n), out(4 * n);
  pcc_all_reduce(ctx, 0, PCC_F32, PCC_SUM, a.data(), n);
  CHECK(a == ArenaVector<float>(n, rank < 2 ? 3 : 7));
  a.assign(n, rank);
  pcc_all_reduce(ctx, 1, PCC_F32, PCC_MAX, a.data(), n);
  CHECK(a == ArenaVector<float>(n, 3));
  pcc_all_reduce(ctx, 3, PCC_F32, PCC_SUM, a.data(), n);
  CHECK(a == ArenaVector<float>(n, 3));
  ArenaVector<int64_t> whole(n, int64_t{1} << 40);
  pcc_all_reduce(ctx, 1, PCC_I64, PCC_SUM, whole.data(), n);
  CHECK(whole == ArenaVector<int64_t>(n, int64_t{1} << 42));

  for (int64_t i = 0; i < n; ++i)
    a[i] = 100 * rank + i;
  pcc_all_gather(ctx, 2, PCC_F32, a.data(), out.data(), n);
  ArenaVector<float> gathered(4 * n);
  for (int64_t i = 0; i < 4 * n; ++i) {
    int64_t index = i / n, from = index % 2 * 2 + index / 2;
    gathered[i] = 100 * from + i % n;
  }
  CHECK(out == gathered);
  // A rank's block may already be at its offset in the result.
  ArenaVector<float> parts(4 * n, NAN);
  float *own = parts.data() + pcc_comm_index(ctx, 2) * n;
  std::copy(a.begin(), a.end(), own);
  pcc_all_gather(ctx, 2, PCC_F32, own, parts.data(), n);
  CHECK(parts == gathered);

  std::iota(all4.begin(), all4.end(), rank);
  pcc_reduce_scatter(ctx, 1, PCC_F32, all4.data(), a.data(), n, /*adds=*/0);
  for (int64_t i = 0; i < n; ++i)
    CHECK(a[i] == 4 * (rank * n + i) + 6);
  std::iota(a.begin(), a.end(), 1000);
  pcc_reduce_scatter(ctx, 1, PCC_F32, all4.data(), a.data(), n, /*adds=*/1);
  for (int64_t i = 0; i < n; ++i)
    CHECK(a[i] == 4 * (rank * n + i) + 6 + 1000 + i);
  // With one rank only its own block is added.
  pcc_reduce_scatter(ctx, 3, PCC_F32, all4.data(), a.data(), n, /*adds=*/1);
  for (int64_t i = 0; i < n; ++i)
    CHECK(a[i] == 4 * (rank * n + i) + 6 + 1000 + i + rank + i);
  ArenaVector<int64_t> blocks(4 * n, rank), wide(n, int64_t{1} << 40);
  pcc_reduce_scatter(ctx, 1, PCC_I64, blocks.data(), wide.data(), n,
                     /*adds=*/1);
  CHECK(wide == ArenaVector<int64_t>(n, (int64_t{1} << 40) + 6));

  for (int64_t i = 0; i < 4 * n; ++i)
    all4[i] = 1000 * rank + i; // block i / n is for rank i / n
  pcc_all_to_all(ctx, 1, PCC_F32, all4.data(), out.data(), n);
  for (int64_t i = 0; i < 4 * n; ++i)
    CHECK(out[i] == 1000 * (i / n) + rank * n + i % n);
}

/// Sums are in the order of the ranks, on any rank.
static void testOrderOfSums(pcc_context *ctx) {
  const int64_t count = 1001;
  auto element = [](int rank, int64_t i) {
    return static_cast<float>(std::sin(1 + rank * 1000003 + i) *
                              std::pow(10, rank - 2));
  };
  ArenaVector<float> a(count), expected(count);
  for (int64_t i = 0; i < count; ++i) {
    a[i] = element(backend::rank(), i);
    expected[i] = element(0, i);
    for (int rank = 1; rank < 4; ++rank)
      expected[i] += element(rank, i);
  }
  int64_t before = mpi::greatestWhole;
  mpi::greatestWhole = 0;
  pcc_all_reduce(ctx, 1, PCC_F32, PCC_SUM, a.data(), count);
  CHECK(a == expected);
  mpi::greatestWhole = before;
}

/// Sums of bf16 and fp16 are computed in f32 and rounded once.
static void testHalves(pcc_context *ctx, int32_t dtype) {
  const int64_t count = 9001;
  auto narrowed = [&](const ArenaVector<float> &values) {
    ArenaVector<uint16_t> bits(values.size());
    narrow(bits.data(), dtype, values.data(), values.size());
    return bits;
  };
  auto widened = [&](const ArenaVector<uint16_t> &bits) {
    ArenaVector<float> values(bits.size());
    widen(values.data(), bits.data(), dtype, bits.size());
    return values;
  };
  auto valuesOf = [&](int rank) {
    ArenaVector<float> values(4 * count);
    for (int64_t i = 0; i < 4 * count; ++i)
      values[i] = static_cast<float>(std::sin(1 + rank * 1000003 + i) *
                                     std::pow(10, rank - 2));
    return narrowed(values);
  };
  ArenaVector<float> once(4 * count), often(4 * count), most(4 * count);
  for (int rank = 0; rank < 4; ++rank) {
    ArenaVector<float> values = widened(valuesOf(rank));
    for (int64_t i = 0; i < 4 * count; ++i) {
      once[i] += values[i];
      often[i] += values[i];
      most[i] = rank ? std::max(most[i], values[i]) : values[i];
    }
    often = widened(narrowed(often));
  }
  ArenaVector<uint16_t> expected = narrowed(once),
                        all = valuesOf(backend::rank());
  CHECK(expected != narrowed(often));
  ArenaVector<uint16_t> sums(count);
  pcc_reduce_scatter(ctx, 1, dtype, all.data(), sums.data(), count, 0);
  CHECK(std::equal(sums.begin(), sums.end(),
                   expected.begin() + backend::rank() * count));
  // The accumulated value is rounded together with the sum.
  ArenaVector<float> added(count);
  for (int64_t i = 0; i < count; ++i)
    added[i] = static_cast<float>(std::sin(i));
  sums = narrowed(added);
  added = widened(sums);
  for (int64_t i = 0; i < count; ++i)
    added[i] = once[backend::rank() * count + i] + added[i];
  pcc_reduce_scatter(ctx, 1, dtype, all.data(), sums.data(), count, 1);
  CHECK(sums == narrowed(added));
  ArenaVector<uint16_t> few(all.begin(), all.begin() + 3), greatest = all;
  pcc_all_reduce(ctx, 1, dtype, PCC_SUM, all.data(), 4 * count);
  CHECK(all == expected);
  pcc_all_reduce(ctx, 1, dtype, PCC_SUM, few.data(), few.size());
  CHECK(std::equal(few.begin(), few.end(), expected.begin()));
  pcc_all_reduce(ctx, 1, dtype, PCC_MAX, greatest.data(), 4 * count);
  CHECK(greatest == narrowed(most));
  // A NaN of one rank, and the sum of opposite infinities.
  ArenaVector<float> odd = {backend::rank() == 2 ? NAN : 1,
                            backend::rank() == 1   ? INFINITY
                            : backend::rank() == 3 ? -INFINITY
                                                   : 0,
                            backend::rank() == 3 ? INFINITY : 1};
  ArenaVector<uint16_t> bits = narrowed(odd), gathered(4 * bits.size());
  pcc_all_gather(ctx, 1, dtype, bits.data(), gathered.data(), bits.size());
  CHECK(std::equal(bits.begin(), bits.end(),
                   gathered.begin() + backend::rank() * bits.size()));
  pcc_all_reduce(ctx, 1, dtype, PCC_SUM, bits.data(), bits.size());
  odd = widened(bits);
  CHECK(std::isnan(odd[0]) && std::isnan(odd[1]) && odd[2] == INFINITY);
}

static void testTransfers(pcc_context *ctx) {
  int rank = backend::rank(), stage = rank / 2, peer = (rank + 2) % 4;
  const int64_t bytes = 4 * n;
  ArenaVector<int32_t> mine(n, rank + 10), theirs(n), second(n);
  if (stage == 0) {
    pcc_send(ctx, 1, 5, mine.data(), bytes);
  } else {
    pcc_recv(ctx, 0, 5, theirs.data(), bytes);
    CHECK(theirs == ArenaVector<int32_t>(n, peer + 10));
  }
  pcc_exchange(ctx, 1 - stage, stage, mine.data(), bytes, 1 - stage, 1 - stage,
               second.data(), bytes);
  CHECK(second == ArenaVector<int32_t>(n, peer + 10));
  // One side may send fewer bytes than the other.
  second.assign(n, 0);
  pcc_exchange(ctx, 1 - stage, 0, mine.data(), stage ? 4 : bytes, 1 - stage, 0,
               second.data(), stage ? bytes : 4);
  CHECK(second[0] == peer + 10 && second[n - 1] == (stage ? peer + 10 : 0));

  int32_t value = rank * 7;
  backend::broadcast(&value, 4, 2);
  CHECK(value == 14 && backend::maxOverRanks(rank) == 3);
}

static void testKernels(pcc_context *ctx) {
  for (int threads : {1, 2, 5}) {
    ctx->threads = threads;
    setThreads(threads);
    for (int64_t size : {0, 1, 2, 3, 7, 100}) {
      ArenaVector<int> hits(size + 1, 0);
      void *args[] = {hits.data()};
      int64_t bytes = 4 * size;
      pcc_kernel kernel = {"count",
                           "",
                           1,
                           &bytes,
                           [](void *const *args, int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i)
                               ++static_cast<int *>(args[0])[i];
                           },
                           size,
                           2,
                           0,
                           0,
                           0};
      pcc_launch(ctx, &kernel, args);
      CHECK(std::accumulate(hits.begin(), hits.end(), 0) == size);
      CHECK(size == 0 || hits[size - 1] == 1);
    }
    ArenaVector<char> from(5 << 20, 'x'), to(5 << 20, 'y');
    pcc_copy(ctx, to.data(), from.data(), to.size());
    CHECK(from == to);
    pcc_zero(ctx, to.data(), to.size() - 1);
    CHECK(to[0] == 0 && to[to.size() - 2] == 0 && to.back() == 'x');
  }
}

static int runTests() {
  pcc_program program = {};
  program.n_axes = 2;
  program.axes = axes;
  program.n_stages = 2;
  program.n_comms = 4;
  program.comms = comms;
  program.n_constants = 3;
  program.constants = constants;
  CHECK(backend::size() == 4);
  std::string resources;
  pcc_context *ctx = backend::prepare(
      program, coordinatesOf(program, backend::rank()), resources);
  ArenaMemory::allocate();
  testConstants(ctx);
  for (int64_t pieces : {mpi::greatestCount, int64_t{3}})
    for (int64_t whole : {mpi::greatestWhole, int64_t{0}}) {
      mpi::greatestCount = pieces;
      mpi::greatestWhole = whole;
      testCollectives(ctx);
      testTransfers(ctx);
    }
  testOrderOfSums(ctx);
  for (int32_t dtype : {PCC_BF16, PCC_F16})
    testHalves(ctx, dtype);
  if (backend::rank() == 0)
    testKernels(ctx);
  failures = backend::maxOverRanks(failures);
  return backend::rank() == 0 ? checkResult() : failures != 0;
}

int main(int, char **argv) { return runOnRanks(4, argv, runTests); }
