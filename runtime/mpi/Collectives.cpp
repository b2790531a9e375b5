//===- Collectives.cpp - Collectives on MPI -------------------------------===//
//
// A large all_reduce is composed of point-to-point messages: each rank receives
// all ranks' contributions to its share, adds them in rank order and sends the
// sum to all ranks. So every element is summed once, in the same order in each
// run, and all ranks have the same sum. Open MPI's own nonblocking all_reduce
// sends whole buffers up and down a tree; it takes two to three times as long
// as this or its blocking one (30 MiB on one host). It is used for small
// all_reduces, which take as long as a message, except with bf16 and f16, which
// MPI does not have.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Reduction.h"
#include "runtime/mpi/Transport.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;
using namespace pcc::mpi;

int64_t mpi::greatestWhole = 1 << 16;

/// The size of a piece of a reduction, in elements over all ranks' shares. On
/// one host a piece stays in the cache, which is twice as fast as larger
/// pieces; between hosts it is large enough for the message overhead.
static const int64_t nearCount = 1 << 18, farCount = 1 << 20;
/// One piece is transferred while another one is summed.
static const int piecesAtOnce = 2;

static MPI_Datatype typeOf(int32_t dtype) {
  const Library &mpi = library();
  switch (dtype) {
  case PCC_F32:
    return mpi.f32;
  case PCC_F64:
    return mpi.f64;
  case PCC_I64:
    return mpi.i64;
  case PCC_I32:
    return mpi.i32;
  case PCC_BF16:
  case PCC_F16:
    return mpi.u16; // for transfers only
  default:
    fail(ExitInternal,
         format("collectives cannot reduce type %s", dtypeName(dtype)));
  }
}

static Link &linkOf(const Collective &collective) {
  return static_cast<Link &>(*collective.c.link);
}

namespace {
/// The messages of a collective.
struct Exchange {
  Collective collective;
  MPI_Datatype type;

  const Communicator &c() const { return collective.c; }
  void sendTo(int rank, const char *at, int64_t n, int tag,
              Posted &posted) const;
  void receiveFrom(int rank, char *at, int64_t n, int tag,
                   Posted &posted) const;
  /// Reduces the ranks' blocks of n elements into `to`, in rank order. `own` is
  /// this rank's block and may be `to`; `others` are the other ranks' blocks.
  void combine(const char *own, const char *others, char *to, int64_t n) const;
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

void Exchange::sendTo(int rank, const char *at, int64_t n, int tag,
                      Posted &posted) const {
  if (n == 0)
    return;
  MPI_Request made;
  check(library().Isend(at, static_cast<int>(n), type, rank, tag,
                        linkOf(collective).comm, &made),
        collective.name);
  posted.messages.push_back(made);
}

void Exchange::receiveFrom(int rank, char *at, int64_t n, int tag,
                           Posted &posted) const {
  if (n == 0)
    return;
  MPI_Request made;
  check(library().Irecv(at, static_cast<int>(n), type, rank, tag,
                        linkOf(collective).comm, &made),
        collective.name);
  posted.messages.push_back(made);
}

void Exchange::combine(const char *own, const char *others, char *to,
                       int64_t n) const {
  std::vector<const char *> blocks;
  for (int rank = 0; rank < c().size(); ++rank) {
    int other = rank < c().index ? rank : rank - 1;
    blocks.push_back(rank == c().index ? own
                                       : others + other * n * collective.size);
  }
  Reduction{collective.dtype, collective.reduction, collective.adds}.run(
      blocks, {to}, n);
}

/// Takes message tags for so many pieces. They repeat after 2^14 pieces, more
/// than can be in flight at once.
static uint64_t takeTags(const Collective &collective, int64_t pieces) {
  Link &link = linkOf(collective);
  uint64_t first = link.tags;
  link.tags += pieces;
  return first;
}
static int tagOf(uint64_t first, int64_t piece, int phase) {
  const uint64_t apart = 1 << 14;
  return static_cast<int>(2 * ((first + piece) % apart) + phase);
}

/// All_reduce of `out` by MPI's own function.
static void reduceWhole(Request &request, const Collective &collective) {
  request.pieces = piecesOf(collective.count, greatestCount);
  request.post = [=, most = greatestCount](int64_t piece, int phase, int,
                                           Posted &posted) {
    if (phase > 0)
      return false;
    Range range = pieceOf(collective.count, most, piece);
    const Library &mpi = library();
    MPI_Request made;
    check(mpi.Iallreduce(MPI_IN_PLACE,
                         collective.out + range.at * collective.size,
                         static_cast<int>(range.n), typeOf(collective.dtype),
                         collective.reduction == PCC_MAX ? mpi.max : mpi.sum,
                         linkOf(collective).comm, &made),
          collective.name);
    posted.messages.push_back(made);
    return true;
  };
}

/// All_reduce of `out`, in shares.
static void reduceShares(Request &request, const Collective &collective) {
  Exchange exchange = {collective, typeOf(collective.dtype)};
  int64_t most = std::min(linkOf(collective).oneHost ? nearCount : farCount,
                          greatestCount);
  request.pieces = piecesOf(collective.count, most);
  request.window = piecesAtOnce;
  uint64_t tags = takeTags(collective, request.pieces);
  std::vector<std::vector<char>> memory(request.window);
  request.post = [=](int64_t piece, int phase, int slot,
                     Posted &posted) mutable {
    const Communicator &c = collective.c;
    Range range = pieceOf(collective.count, most, piece);
    char *begin = collective.out + range.at * collective.size;
    Range share = shareOf(range.n, c.index, c.size());
    char *own = begin + share.at * collective.size;
    int tag = tagOf(tags, piece, phase);
    if (phase == 0) {
      memory[slot] = scratch.take((c.size() - 1) * share.n * collective.size);
      for (int rank = 0, i = 0; rank < c.size(); ++rank)
        if (rank != c.index)
          exchange.receiveFrom(
              rank, memory[slot].data() + i++ * share.n * collective.size,
              share.n, tag, posted);
    } else if (phase == 1) {
      exchange.combine(own, memory[slot].data(), own, share.n);
      scratch.give(std::move(memory[slot]));
    } else {
      return false;
    }
    for (int shift = 1; shift < c.size(); ++shift) {
      int to = (c.index + shift) % c.size(),
          from = (c.index - shift + c.size()) % c.size();
      Range theirs = shareOf(range.n, phase == 0 ? to : from, c.size());
      char *at = begin + theirs.at * collective.size;
      if (phase == 0) {
        exchange.sendTo(to, at, theirs.n, tag, posted);
      } else {
        exchange.receiveFrom(from, at, theirs.n, tag, posted);
        exchange.sendTo(to, own, share.n, tag, posted);
      }
    }
    return true;
  };
}

void MPITransport::allReduce(Request &request, const Collective &collective) {
  bool isHalf = collective.dtype == PCC_BF16 || collective.dtype == PCC_F16;
  if (collective.count * collective.size <= greatestWhole && !isHalf)
    reduceWhole(request, collective);
  else
    reduceShares(request, collective);
}

void MPITransport::reduceScatter(Request &request,
                                 const Collective &collective) {
  Exchange exchange = {collective, typeOf(collective.dtype)};
  // As much in total as a piece of an all_reduce, but messages of a minimum
  // size.
  const int64_t leastCount = 1 << 14;
  int64_t most = linkOf(collective).oneHost ? nearCount : farCount;
  most =
      std::min(std::max(most / collective.c.size(), leastCount), greatestCount);
  request.pieces = piecesOf(collective.count, most);
  request.window = piecesAtOnce;
  uint64_t tags = takeTags(collective, request.pieces);
  std::vector<std::vector<char>> memory(request.window);
  request.post = [=](int64_t piece, int phase, int slot,
                     Posted &posted) mutable {
    const Communicator &c = collective.c;
    Range range = pieceOf(collective.count, most, piece);
    auto blockFor = [&](int rank) {
      return collective.in +
             (rank * collective.count + range.at) * collective.size;
    };
    if (phase == 1) {
      exchange.combine(blockFor(c.index), memory[slot].data(),
                       collective.out + range.at * collective.size, range.n);
      scratch.give(std::move(memory[slot]));
      return false;
    }
    int64_t bytes = range.n * collective.size;
    int tag = tagOf(tags, piece, 0);
    memory[slot] = scratch.take((c.size() - 1) * bytes);
    for (int rank = 0, i = 0; rank < c.size(); ++rank)
      if (rank != c.index)
        exchange.receiveFrom(rank, memory[slot].data() + i++ * bytes, range.n,
                             tag, posted);
    for (int shift = 1; shift < c.size(); ++shift) {
      int to = (c.index + shift) % c.size();
      exchange.sendTo(to, blockFor(to), range.n, tag, posted);
    }
    return true;
  };
}

/// Sends a block to each rank, from `in` with this stride between blocks, 0 for
/// the same block to all. out receives the ranks' blocks, one after another.
void MPITransport::exchangeBlocks(Request &request,
                                  const Collective &collective,
                                  int64_t stride) {
  Exchange exchange = {collective, library().byte};
  request.pieces = piecesOf(collective.count, greatestCount);
  uint64_t tags = takeTags(collective, request.pieces);
  request.post = [=, most = greatestCount](int64_t piece, int phase, int,
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
    for (int shift = 1; shift < c.size(); ++shift) {
      int rank = (c.index - shift + c.size()) % c.size();
      exchange.receiveFrom(rank, to(rank), range.n, tag, posted);
    }
    for (int shift = 1; shift < c.size(); ++shift) {
      int rank = (c.index + shift) % c.size();
      exchange.sendTo(rank, from(rank), range.n, tag, posted);
    }
    memmove(to(c.index), from(c.index), range.n);
    return true;
  };
}
