//===- Collectives.cpp - Collectives in shared memory ---------------------===//

#include "runtime/cpu/Reduction.h"
#include "runtime/shared/Layout.h"
#include "runtime/shared/Transport.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;
using namespace pcc::shared;

namespace {

/// A communicator's slots.
struct Link : Communicator::Link {
  char *slots;
  int64_t slotBytes;

  Slot &slot(uint64_t index) const {
    return *reinterpret_cast<Slot *>(slots + index % kSlots * slotBytes);
  }
  Operands &operands(uint64_t index, int member) const {
    return reinterpret_cast<Operands *>(&slot(index) + 1)[member];
  }
};

/// A collective under way.
class Round {
public:
  Round(SharedTransport &transport, const Collective &collective)
      : transport(transport), collective(collective),
        link(static_cast<Link &>(*collective.c.link)),
        slot(link.slot(collective.index)),
        members(static_cast<uint64_t>(collective.c.size())),
        use(collective.index / kSlots) {}

  /// Waits until earlier uses of the slot are over.
  void awaitSlot(Posted &posted) const {
    posted.await(slot.finished, use * members);
  }
  /// Publishes this rank's operands, and waits for all ranks'.
  void arrive(const Operands &own, Posted &posted) const {
    link.operands(collective.index, collective.c.index) = own;
    count(slot.arrived, posted);
  }
  /// Waits until all ranks are done.
  void finish(Posted &posted) const { count(slot.finished, posted); }

  // For the driver, once all ranks have arrived:

  /// Exits with ExitInternal if the operands differ in kind or size.
  void requireSame() const;
  /// The operands of all ranks.
  std::vector<char *> ins() const { return addresses(&Operands::in); }
  std::vector<char *> outs() const { return addresses(&Operands::out); }

private:
  void count(std::atomic<uint64_t> &counter, Posted &posted) const {
    uint64_t all = (use + 1) * members;
    if (counter.fetch_add(1, std::memory_order_acq_rel) + 1 == all)
      for (size_t i = 0; i < members; ++i)
        if (static_cast<int>(i) != collective.c.index)
          transport.ring(collective.c.ranks[i]);
    posted.await(counter, all);
  }
  std::vector<char *> addresses(int64_t Operands::*operand) const {
    std::vector<char *> found;
    for (size_t i = 0; i < members; ++i)
      found.push_back(transport.addressOf(
          collective.c.ranks[i],
          link.operands(collective.index, static_cast<int>(i)).*operand));
    return found;
  }

  SharedTransport &transport;
  Collective collective;
  Link &link;
  Slot &slot;
  uint64_t members, use;
};

} // namespace

void Round::requireSame() const {
  const Operands &first = link.operands(collective.index, 0);
  for (int i = 1; i < collective.c.size(); ++i) {
    const Operands &other = link.operands(collective.index, i);
    if (other.count != first.count || strcmp(other.name, first.name) != 0)
      fail(ExitInternal,
           format("rank %d issues %s of %lld elements%s, but rank %d issues "
                  "%s of %lld",
                  collective.c.ranks[0], first.name,
                  static_cast<long long>(first.count),
                  collective.c.over.c_str(), collective.c.ranks[i], other.name,
                  static_cast<long long>(other.count)));
  }
}

/// Defines a request: work(round, i) processes the i-th of so many parts of
/// this rank's work. `reads` and `writes` are the bytes of the operands.
template <typename Function>
static void define(SharedTransport &transport, Request &request,
                   const Collective &collective, int64_t reads, int64_t writes,
                   int64_t parts, Function work) {
  Operands own = {};
  if (collective.in)
    own.in = transport.offsetOf(collective.in, reads);
  own.out = transport.offsetOf(collective.out, writes);
  own.count = collective.count;
  strncpy(own.name, collective.name, sizeof(own.name) - 1);
  Round round(transport, collective);
  request.post = [=](int64_t, int phase, int, Posted &posted) {
    const int first = 2;
    if (phase == first)
      round.requireSame();
    if (phase == 0)
      round.awaitSlot(posted);
    else if (phase == 1)
      round.arrive(own, posted);
    else if (phase < first + parts)
      work(round, phase - first);
    else if (phase == first + parts)
      round.finish(posted);
    else
      return false;
    return true;
  };
}

void SharedTransport::connect(Communicator &communicator) {
  auto link = std::make_unique<Link>();
  Layout layout = {ranks};
  int lowest =
      *std::min_element(communicator.ranks.begin(), communicator.ranks.end());
  link->slotBytes = Layout::slotBytes(communicator.size());
  link->slots = mapOrFail(layout.groupOffset(communicator.number, lowest),
                          layout.groupBytes());
  communicator.link = std::move(link);
}

static int64_t partsOf(int64_t count, int64_t size) {
  return (count * size + kPhaseBytes - 1) / kPhaseBytes;
}

void SharedTransport::allReduce(Request &request,
                                const Collective &collective) {
  // Ranks write different cache lines, and one rank adds a few elements alone.
  const int64_t unit = kCacheLine / collective.size;
  int64_t n = collective.count, members = collective.c.size();
  auto boundary = [&](int64_t index) {
    return std::min(n, (n * index / members + unit - 1) / unit * unit);
  };
  int64_t begin = boundary(collective.c.index),
          end = boundary(collective.c.index + 1);
  int64_t size = collective.size, most = kPhaseBytes / size;
  define(*this, request, collective, 0, n * size, partsOf(end - begin, size),
         [=](const Round &round, int64_t part) {
           int64_t at = begin + part * most;
           std::vector<char *> buffers = round.outs();
           for (char *&buffer : buffers)
             buffer += at * size;
           std::vector<const char *> blocks(buffers.begin(), buffers.end());
           Reduction{collective.dtype, collective.reduction}.run(
               blocks, buffers, std::min(most, end - at));
         });
}

void SharedTransport::reduceScatter(Request &request,
                                    const Collective &collective) {
  int64_t count = collective.count, size = collective.size;
  int64_t most = kPhaseBytes / size, index = collective.c.index;
  define(*this, request, collective, collective.c.size() * count * size,
         count * size, partsOf(count, size),
         [=](const Round &round, int64_t part) {
           int64_t at = part * most;
           std::vector<char *> ins = round.ins();
           std::vector<const char *> blocks;
           for (char *in : ins)
             blocks.push_back(in + (index * count + at) * size);
           Reduction{collective.dtype, PCC_SUM, collective.adds}.run(
               blocks, {collective.out + at * size},
               std::min(most, count - at));
         });
}

void SharedTransport::exchangeBlocks(Request &request,
                                     const Collective &collective,
                                     int64_t stride) {
  int64_t count = collective.count, members = collective.c.size();
  int64_t index = collective.c.index, perBlock = partsOf(count, 1);
  define(*this, request, collective, stride ? members * count : count,
         members * count, members * perBlock,
         [=](const Round &round, int64_t part) {
           // Ranks begin with different blocks.
           int64_t from = (index + part / perBlock) % members;
           int64_t at = part % perBlock * kPhaseBytes;
           const char *block = round.ins()[from] + index * stride;
           memmove(collective.out + from * count + at, block + at,
                   std::min(kPhaseBytes, count - at));
         });
}
