//===- Staging.cpp - Copies between host and device -----------------------===//
//
// Only copies from and to pinned memory are asynchronous. Small pieces, such as
// those of a step, are taken from a ring buffer of pinned memory:
//
//     [ lr ][ step ][ tokens ][ loss norm ][ lr ][ step ]...
//       ^ the oldest piece: free once the host has waited for later work
//
// The pieces of a step's inputs are free when its scalars are read, for which
// the host waits anyway; the pieces of the scalars are free at a later wait.
// Larger data, such as weights, goes through two alternating blocks.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/cuda/Ring.h"
#include "runtime/support/Clock.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace pcc;
using namespace pcc::cuda;

char *cuda::allocatePinned(int64_t bytes) {
  void *memory = nullptr;
  check(driver().cuMemHostAlloc(&memory, std::max<int64_t>(bytes, 1), 0),
        "the allocation of pinned memory");
  return static_cast<char *>(memory);
}

// With other ranks, the device may wait for them, and hangs if one is lost; so
// NCCL is polled for errors meanwhile.
void cuda::waitFor(CUevent event, const char *what) {
  if (backend::size() == 1) {
    Operation operation(what);
    return check(driver().cuEventSynchronize(event), what);
  }
  Operation operation(what, Activity::Waits);
  const double shortNap = 20e-6, longNap = 200e-6, between = 0.1;
  double begun = steadyNow(), asked = begun;
  CUresult result;
  while ((result = driver().cuEventQuery(event)) == CUDA_ERROR_NOT_READY) {
    double now = steadyNow();
    if (now - asked > between) {
      checkCommunicators();
      asked = now;
    }
    double nap = std::clamp((now - begun) / 8, shortNap, longNap);
    usleep(static_cast<useconds_t>(1e6 * nap));
  }
  check(result, what);
}

static void record(CUevent event) {
  check(driver().cuEventRecord(event, computeStream()),
        "the record of an event");
}

namespace {
/// The ring's bytes in addition to those of steps.
constexpr int64_t kRingBytes = int64_t{4} << 20;
/// Bytes of a block for larger data.
constexpr int64_t kBlockBytes = int64_t{8} << 20;

/// A request of copyOut().
struct Turn {
  CUevent copied = nullptr;
  uint64_t closed = 0; ///< closed pieces of the ring at its issue
  struct Copy {
    char *piece;
    void *to;
    int64_t bytes;
  };
  std::vector<Copy> copies;
};

struct Staging {
  Ring ring;
  /// Larger data passes through these. The event is complete when the device is
  /// done with the block.
  struct Block {
    char *memory;
    CUevent done;
  };
  Block blocks[2];
  int next = 0; ///< the least recently used block
  CUevent drained;
  Turn turns[2];
};
} // namespace

static Staging &staging() {
  static auto &staging = *new Staging;
  return staging;
}

void cuda::makeStaging(const pcc_program &program, const pcc_stage &stage) {
  int64_t step = 0;
  for (int i = 0; i < stage.n_inputs; ++i) {
    const pcc_input &input = stage.inputs[i];
    int64_t elements = 1, slots = input.slot_bytes ? program.microbatches : 1;
    for (int dim = 0; dim < input.layout.rank; ++dim)
      elements *= input.layout.shape[dim];
    if (!input.refilled)
      step += slots * Ring::rounded(elements * sizeOf(input.dtype));
  }
  Staging &made = staging();
  // A step is issued while the one before runs, a piece may not fit at the
  // ring's end, and a piece takes a quarter of the ring at most.
  int64_t bytes = kRingBytes + 4 * step;
  made.ring.give(allocatePinned(bytes), bytes);
  for (Staging::Block &block : made.blocks)
    block = {allocatePinned(kBlockBytes), makeEvent()};
  made.drained = makeEvent();
  for (Turn &turn : made.turns)
    turn.copied = makeEvent();
}

/// Takes a piece of the ring, if need be after draining the device; null if it
/// is too large.
static char *take(int64_t bytes) {
  Ring &ring = staging().ring;
  char *piece = ring.take(bytes);
  if (!piece && ring.fits(bytes)) {
    backend::drain();
    piece = ring.take(bytes);
  }
  return piece;
}

/// Copies between device memory and pageable host memory, block by block. Reads
/// require drain() before.
static void copyLarge(char *memory, char *host, int64_t bytes,
                      backend::Access access) {
  bool reads = access == backend::Access::Read;
  Staging &all = staging();
  // A read block is copied out while the next one is being filled.
  Staging::Block *pending = nullptr;
  int64_t pendingAt = 0, pendingBytes = 0;
  auto takePending = [&] {
    if (!pending)
      return;
    waitFor(pending->done, "a copy to the host");
    memcpy(host + pendingAt, pending->memory, pendingBytes);
  };
  for (int64_t begin = 0; begin < bytes; begin += kBlockBytes) {
    Staging::Block &block = all.blocks[all.next];
    all.next = 1 - all.next;
    int64_t count = std::min(kBlockBytes, bytes - begin);
    if (reads) {
      check(driver().cuMemcpyDtoHAsync(block.memory, at(memory + begin), count,
                                       computeStream()),
            "a copy to the host");
      record(block.done);
      takePending();
      pending = &block;
      pendingAt = begin;
      pendingBytes = count;
      continue;
    }
    waitFor(block.done, "a copy to the device");
    memcpy(block.memory, host + begin, count);
    check(driver().cuMemcpyHtoDAsync(at(memory + begin), block.memory, count,
                                     computeStream()),
          "a copy to the device");
    record(block.done);
  }
  takePending();
}

void *backend::openView(char *memory, int64_t bytes, Access access) {
  char *view = take(bytes);
  if (!view)
    view = static_cast<char *>(malloc(std::max<int64_t>(bytes, 1)));
  if (!view)
    fail(ExitMemory, "out of memory on the host");
  if (access == Access::Write) {
    // Bytes that the host does not write become zero.
    memset(view, 0, bytes);
    return view;
  }
  drain();
  if (!staging().ring.has(view)) {
    copyLarge(memory, view, bytes, access);
    return view;
  }
  if (bytes > 0)
    check(driver().cuMemcpyDtoHAsync(view, at(memory), bytes, computeStream()),
          "a copy to the host");
  drain();
  return view;
}

void backend::closeView(void *view, char *memory, int64_t bytes,
                        Access access) {
  Ring &ring = staging().ring;
  bool writes = access == Access::Write;
  if (!ring.has(view)) {
    if (writes)
      copyLarge(memory, static_cast<char *>(view), bytes, access);
    return free(view);
  }
  if (writes && bytes > 0)
    check(driver().cuMemcpyHtoDAsync(at(memory), view, bytes, computeStream()),
          "a copy to the device");
  ring.close(view);
}

void backend::copyOut(int turn, const std::vector<HostCopy> &copies) {
  Turn &asked = staging().turns[turn];
  asked.copies.clear();
  for (const HostCopy &copy : copies) {
    char *piece = take(copy.bytes);
    if (!piece)
      fail(ExitInternal, "the results of a step exceed the staging memory");
    check(driver().cuMemcpyDtoHAsync(piece, at(copy.from), copy.bytes,
                                     computeStream()),
          "a copy to the host");
    asked.copies.push_back({piece, copy.to, copy.bytes});
  }
  asked.closed = staging().ring.count();
  record(asked.copied);
}

void backend::awaitCopies(int turn) {
  Staging &all = staging();
  Turn &asked = all.turns[turn];
  waitFor(asked.copied, "a step");
  noteComputed();
  for (const Turn::Copy &copy : asked.copies) {
    memcpy(copy.to, copy.piece, copy.bytes);
    all.ring.close(copy.piece);
  }
  // All work issued before the copies is complete.
  all.ring.freeFirst(asked.closed);
  asked.copies.clear();
}

void backend::drain() {
  Staging &all = staging();
  record(all.drained);
  waitFor(all.drained, "the end of what was issued");
  all.ring.freeFirst(all.ring.count());
}
