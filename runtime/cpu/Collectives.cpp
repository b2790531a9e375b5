//===- Collectives.cpp - Collectives on MPI -------------------------------===//
//
// A large all_reduce is composed of point-to-point messages: each rank receives
// all ranks' contributions to its share, adds them in rank order and sends the
// sum to all ranks. So every element is summed once, in the same order in each
// run, and all ranks have the same sum. Open MPI's own nonblocking all_reduce
// sends whole buffers up and down a tree; it takes two to three times as long
// as this or its blocking one (30 MiB on one host). It is used for small
// all_reduces, which take as long as a message, except with bf16 and f16, which
// MPI does not have. Those are summed in f32, and the sum over all ranks is
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

using namespace pcc;

// Large messages are divided into pieces of this many elements.
int64_t pcc::greatestCount = INT_MAX / 2;
int64_t pcc::greatestWhole = 1 << 16;

/// The size of a piece of a reduction, in elements over all ranks' shares. On
/// one host a piece stays in the cache, which is twice as fast as larger
/// pieces; between hosts it is large enough for the message overhead.
static const int64_t nearCount = 1 << 18, farCount = 1 << 20;
/// One piece is transferred while another one is summed.
static const int piecesAtOnce = 2;

static MPI_Datatype typeOf(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return MPI_FLOAT;
  case PCC_F64:
    return MPI_DOUBLE;
  case PCC_I64:
    return MPI_INT64_T;
  case PCC_I32:
    return MPI_INT32_T;
  case PCC_BF16:
  case PCC_F16:
    return MPI_UINT16_T; // for transfers only
  default:
    fail(ExitInternal,
         format("collectives cannot reduce type %s", dtypeName(dtype)));
  }
}

static Communicator &communicator(pcc_context *ctx, int32_t comm) {
  if (comm < 0 || comm >= static_cast<int32_t>(ctx->comms.size()))
    fail(ExitInternal, format("the program has no communicator %d", comm));
  return ctx->comms[comm];
}

namespace {
/// A collective on a communicator, of blocks of `count` elements.
struct Collective {
  Communicator &c;
  const char *name;
  int64_t count, size; ///< size: of an element, in bytes
  int32_t dtype;       ///< of the elements
  MPI_Datatype type = MPI_BYTE;
  MPI_Op op = MPI_OP_NULL;
  const char *in = nullptr;
  char *out = nullptr;
  bool adds = false; ///< the sum is added to the contents of out

  void sendTo(int rank, const char *at, int64_t n, int tag,
              Posted &posted) const;
  void receiveFrom(int rank, char *at, int64_t n, int tag,
                   Posted &posted) const;
  /// Reduces the ranks' blocks of n elements into `to`, in rank order. `own` is
  /// this rank's block and may be `to`. `others` are the other ranks' blocks
  /// and, if this adds, space for one more.
  void combine(const char *own, char *others, char *to, int64_t n) const;
  /// Whether the elements are bf16 or f16.
  bool isHalf() const { return dtype == PCC_BF16 || dtype == PCC_F16; }

  /// Adds `from` to `to`.
  void addTo(char *to, const char *from, int64_t n) const;

private:
  void combineHalves(const char *own, const char *others, char *to,
                     int64_t n) const;
  /// A rank's block of n elements, in `own` or `others`.
  const char *blockOf(int rank, const char *own, const char *others,
                      int64_t n) const {
    if (rank == c.index)
      return own;
    return others + (rank < c.index ? rank : rank - 1) * n * size;
  }
};

/// A piece of [0, count).
struct Range {
  int64_t at, n;
};

/// Reused memory for other ranks' blocks of a piece. Only the communication
/// thread uses it.
class Scratch {
public:
  std::vector<char> take(int64_t bytes) {
    std::vector<char> memory;
    if (!spare.empty()) {
      memory = std::move(spare.back());
      spare.pop_back();
    }
    if (static_cast<int64_t>(memory.size()) < bytes)
      memory.resize(bytes);
    return memory;
  }
  void give(std::vector<char> memory) { spare.push_back(std::move(memory)); }

private:
  std::vector<std::vector<char>> spare;
};
} // namespace

/// Never freed.
static Scratch &scratch = *new Scratch;

/// The i-th piece of `count` elements, `most` at a time.
static Range pieceOf(int64_t count, int64_t most, int64_t i) {
  return {i * most, std::min(most, count - i * most)};
}
static int64_t piecesOf(int64_t count, int64_t most) {
  return (count + most - 1) / most;
}

/// The share of n elements that a rank sums.
static Range shareOf(int64_t n, int rank, int ranks) {
  int64_t begin = n * rank / ranks;
  return {begin, n * (rank + 1) / ranks - begin};
}

void Collective::sendTo(int rank, const char *at, int64_t n, int tag,
                        Posted &posted) const {
  if (n == 0)
    return;
  posted.emplace_back();
  checkMPI(MPI_Isend(at, static_cast<int>(n), type, rank, tag, c.comm,
                     &posted.back()),
           name);
}

void Collective::receiveFrom(int rank, char *at, int64_t n, int tag,
                             Posted &posted) const {
  if (n == 0)
    return;
  posted.emplace_back();
  checkMPI(MPI_Irecv(at, static_cast<int>(n), type, rank, tag, c.comm,
                     &posted.back()),
           name);
}

/// Works on slices that stay in the cache as f32. A slice is read before it is
/// written, so own may be to.
void Collective::combineHalves(const char *own, const char *others, char *to,
                               int64_t n) const {
  const int64_t most = 4096;
  float sum[most], next[most];
  for (int64_t at = 0; at < n; at += most) {
    int64_t part = std::min(most, n - at);
    for (int rank = 0; rank < c.size; ++rank) {
      widen(rank ? next : sum, blockOf(rank, own, others, n) + at * size, dtype,
            part);
      if (rank == 0)
        continue;
      for (int64_t i = 0; i < part; ++i)
        sum[i] = op == MPI_MAX ? std::max(sum[i], next[i]) : sum[i] + next[i];
    }
    if (adds) {
      widen(next, to + at * size, dtype, part);
      for (int64_t i = 0; i < part; ++i)
        sum[i] += next[i];
    }
    narrow(to + at * size, dtype, sum, part);
  }
}

/// to[i] += from[i]
template <typename T>
static void addAll(void *to, const void *from, int64_t n) {
  T *sum = static_cast<T *>(to);
  const T *more = static_cast<const T *>(from);
  for (int64_t i = 0; i < n; ++i)
    sum[i] += more[i];
}

void Collective::addTo(char *to, const char *from, int64_t n) const {
  switch (dtype) {
  case PCC_F32:
    return addAll<float>(to, from, n);
  case PCC_F64:
    return addAll<double>(to, from, n);
  case PCC_I64:
    return addAll<int64_t>(to, from, n);
  case PCC_I32:
    return addAll<int32_t>(to, from, n);
  default:
    fail(ExitInternal,
         format("collectives cannot add type %s", dtypeName(dtype)));
  }
}

void Collective::combine(const char *own, char *others, char *to,
                         int64_t n) const {
  if (n == 0)
    return;
  if (isHalf())
    return combineHalves(own, others, to, n);
  auto blockOf = [&](int rank) { return this->blockOf(rank, own, others, n); };
  // This rank's block, still to be read, occupies the sum's destination.
  bool isLate = own == to && c.index > 0;
  char *sum = isLate ? others : adds ? others + (c.size - 1) * n * size : to;
  if (blockOf(0) != sum)
    memcpy(sum, blockOf(0), n * size);
  for (int rank = 1; rank < c.size; ++rank)
    checkMPI(
        MPI_Reduce_local(blockOf(rank), sum, static_cast<int>(n), type, op),
        name);
  if (adds)
    addTo(to, sum, n);
  else if (isLate)
    memcpy(to, sum, n * size);
}

/// Takes message tags for so many pieces. They repeat after 2^14 pieces, more
/// than can be in flight at once.
static uint64_t takeTags(Communicator &c, int64_t pieces) {
  uint64_t first = c.tags;
  c.tags += pieces;
  return first;
}
static int tagOf(uint64_t first, int64_t piece, int phase) {
  const uint64_t apart = 1 << 14;
  return static_cast<int>(2 * ((first + piece) % apart) + phase);
}

static std::unique_ptr<Request> requestOf(const Collective &collective) {
  auto request = std::make_unique<Request>();
  request->name = collective.name;
  request->detail = collective.c.over.c_str();
  request->addTo(collective.c.order);
  return request;
}

/// On a communicator of one rank: a copy or an addition; for all_reduce
/// nothing.
static std::unique_ptr<Request> copyAlone(const Collective &collective) {
  auto request = requestOf(collective);
  request->post = [=](int64_t, int, int, Posted &) {
    if (collective.adds && collective.isHalf())
      collective.combine(collective.in, nullptr, collective.out,
                         collective.count);
    else if (collective.adds)
      collective.addTo(collective.out, collective.in, collective.count);
    else if (collective.in)
      memmove(collective.out, collective.in,
              collective.count * collective.size);
    return false;
  };
  return request;
}

/// All_reduce of `out` by MPI's own function.
static std::unique_ptr<Request> reduceWhole(const Collective &collective) {
  auto request = requestOf(collective);
  request->pieces = piecesOf(collective.count, greatestCount);
  request->post = [=, most = greatestCount](int64_t piece, int phase, int,
                                            Posted &posted) {
    if (phase > 0)
      return false;
    Range range = pieceOf(collective.count, most, piece);
    posted.emplace_back();
    checkMPI(MPI_Iallreduce(MPI_IN_PLACE,
                            collective.out + range.at * collective.size,
                            static_cast<int>(range.n), collective.type,
                            collective.op, collective.c.comm, &posted.back()),
             collective.name);
    return true;
  };
  return request;
}

/// All_reduce of `out`, in shares.
static std::unique_ptr<Request> reduceShares(const Collective &collective) {
  auto request = requestOf(collective);
  int64_t most =
      std::min(collective.c.oneHost ? nearCount : farCount, greatestCount);
  request->pieces = piecesOf(collective.count, most);
  request->window = piecesAtOnce;
  uint64_t tags = takeTags(collective.c, request->pieces);
  std::vector<std::vector<char>> memory(request->window);
  request->post = [=](int64_t piece, int phase, int slot,
                      Posted &posted) mutable {
    const Communicator &c = collective.c;
    Range range = pieceOf(collective.count, most, piece);
    char *begin = collective.out + range.at * collective.size;
    Range share = shareOf(range.n, c.index, c.size);
    char *own = begin + share.at * collective.size;
    int tag = tagOf(tags, piece, phase);
    if (phase == 0) {
      memory[slot] = scratch.take((c.size - 1) * share.n * collective.size);
      for (int rank = 0, i = 0; rank < c.size; ++rank)
        if (rank != c.index)
          collective.receiveFrom(
              rank, memory[slot].data() + i++ * share.n * collective.size,
              share.n, tag, posted);
    } else if (phase == 1) {
      collective.combine(own, memory[slot].data(), own, share.n);
      scratch.give(std::move(memory[slot]));
    } else {
      return false;
    }
    for (int shift = 1; shift < c.size; ++shift) {
      int to = (c.index + shift) % c.size,
          from = (c.index - shift + c.size) % c.size;
      Range theirs = shareOf(range.n, phase == 0 ? to : from, c.size);
      char *at = begin + theirs.at * collective.size;
      if (phase == 0) {
        collective.sendTo(to, at, theirs.n, tag, posted);
      } else {
        collective.receiveFrom(from, at, theirs.n, tag, posted);
        collective.sendTo(to, own, share.n, tag, posted);
      }
    }
    return true;
  };
  return request;
}

static std::unique_ptr<Request> reduceScatter(const Collective &collective) {
  auto request = requestOf(collective);
  // As much in total as a piece of an all_reduce, but messages of a minimum
  // size.
  const int64_t leastCount = 1 << 14;
  int64_t most = collective.c.oneHost ? nearCount : farCount;
  most =
      std::min(std::max(most / collective.c.size, leastCount), greatestCount);
  request->pieces = piecesOf(collective.count, most);
  request->window = piecesAtOnce;
  uint64_t tags = takeTags(collective.c, request->pieces);
  std::vector<std::vector<char>> memory(request->window);
  request->post = [=](int64_t piece, int phase, int slot,
                      Posted &posted) mutable {
    const Communicator &c = collective.c;
    Range range = pieceOf(collective.count, most, piece);
    auto blockFor = [&](int rank) {
      return collective.in +
             (rank * collective.count + range.at) * collective.size;
    };
    if (phase == 1) {
      collective.combine(blockFor(c.index), memory[slot].data(),
                         collective.out + range.at * collective.size, range.n);
      scratch.give(std::move(memory[slot]));
      return false;
    }
    int64_t bytes = range.n * collective.size;
    int tag = tagOf(tags, piece, 0);
    memory[slot] = scratch.take((c.size - 1 + collective.adds) * bytes);
    for (int rank = 0, i = 0; rank < c.size; ++rank)
      if (rank != c.index)
        collective.receiveFrom(rank, memory[slot].data() + i++ * bytes, range.n,
                               tag, posted);
    for (int shift = 1; shift < c.size; ++shift) {
      int to = (c.index + shift) % c.size;
      collective.sendTo(to, blockFor(to), range.n, tag, posted);
    }
    return true;
  };
  return request;
}

/// Sends a block to each rank, from `in` with this stride between blocks, 0 for
/// the same block to all. out receives the ranks' blocks, one after another.
static std::unique_ptr<Request> exchangeBlocks(const Collective &collective,
                                               int64_t stride) {
  auto request = requestOf(collective);
  request->pieces = piecesOf(collective.count, greatestCount);
  uint64_t tags = takeTags(collective.c, request->pieces);
  request->post = [=, most = greatestCount](int64_t piece, int phase, int,
                                            Posted &posted) {
    const Communicator &c = collective.c;
    if (phase > 0)
      return false;
    Range range = pieceOf(collective.count, most, piece);
    int tag = tagOf(tags, piece, 0);
    auto from = [&](int rank) {
      return collective.in + rank * stride + range.at;
    };
    auto to = [&](int rank) {
      return collective.out + rank * collective.count + range.at;
    };
    for (int shift = 1; shift < c.size; ++shift) {
      int rank = (c.index - shift + c.size) % c.size;
      collective.receiveFrom(rank, to(rank), range.n, tag, posted);
    }
    for (int shift = 1; shift < c.size; ++shift) {
      int rank = (c.index + shift) % c.size;
      collective.sendTo(rank, from(rank), range.n, tag, posted);
    }
    memmove(to(c.index), from(c.index), range.n);
    return true;
  };
  return request;
}

/// Issues a collective that reads and writes so many blocks; `sent`: the bytes
/// that this rank sends.
static void issue(pcc_context *ctx, int32_t stream,
                  const Collective &collective,
                  std::unique_ptr<Request> request, int64_t reads,
                  int64_t writes, int64_t sent) {
  int64_t bytes = collective.count * collective.size;
  if (reads > 0)
    request->accesses.push_back({collective.in, reads * bytes, false});
  request->accesses.push_back({collective.out, writes * bytes, true});
  if (collective.c.size > 1) {
    countTraffic(stream, collective.name, collective.c.over.c_str(), bytes,
                 sent);
    keepLaunchOrder(ctx, *request);
  }
  issueOn(ctx, stream, std::move(request), bytes);
}

void pcc_all_reduce_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, int32_t reduction, void *buffer,
                          int64_t count) {
  Collective collective = {communicator(ctx, comm),
                           "all_reduce",
                           count,
                           sizeOf(dtype),
                           dtype,
                           typeOf(dtype),
                           reduction == PCC_MAX ? MPI_MAX : MPI_SUM};
  collective.out = reach(buffer);
  int64_t bytes = count * sizeOf(dtype), ranks = collective.c.size;
  issue(ctx, stream, collective,
        ranks == 1 ? copyAlone(collective)
        : bytes <= greatestWhole && !collective.isHalf()
            ? reduceWhole(collective)
            : reduceShares(collective),
        0, 1, 2 * (ranks - 1) * bytes / ranks);
}

void pcc_all_gather_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  Collective collective = {communicator(ctx, comm), "all_gather",
                           count * sizeOf(dtype), 1, dtype};
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size;
  issue(ctx, stream, collective,
        ranks == 1 ? copyAlone(collective) : exchangeBlocks(collective, 0), 1,
        ranks, (ranks - 1) * collective.count);
}

void pcc_reduce_scatter_async(pcc_context *ctx, int32_t stream, int32_t comm,
                              int32_t dtype, const void *in, void *out,
                              int64_t count, int32_t adds) {
  Collective collective = {
      communicator(ctx, comm), "reduce_scatter", count, sizeOf(dtype), dtype,
      typeOf(dtype),           MPI_SUM};
  collective.adds = adds != 0;
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size;
  issue(ctx, stream, collective,
        ranks == 1 ? copyAlone(collective) : reduceScatter(collective), ranks,
        1, (ranks - 1) * count * sizeOf(dtype));
}

void pcc_all_to_all_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  int64_t bytes = count * sizeOf(dtype);
  Collective collective = {communicator(ctx, comm), "all_to_all", bytes, 1,
                           dtype};
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size;
  issue(ctx, stream, collective,
        ranks == 1 ? copyAlone(collective) : exchangeBlocks(collective, bytes),
        ranks, ranks, (ranks - 1) * bytes);
}

void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count) {
  pcc_all_reduce_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, reduction, buffer,
                       count);
}

void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  pcc_all_gather_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count);
}

void pcc_reduce_scatter(pcc_context *ctx, int32_t comm, int32_t dtype,
                        const void *in, void *out, int64_t count,
                        int32_t adds) {
  pcc_reduce_scatter_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count,
                           adds);
}

void pcc_all_to_all(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  pcc_all_to_all_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count);
}

const void *pcc_constant_at(pcc_context *ctx, int32_t number) {
  return &ctx->constants[number].value;
}

int64_t pcc_comm_index(pcc_context *ctx, int32_t comm) {
  return communicator(ctx, comm).index;
}
