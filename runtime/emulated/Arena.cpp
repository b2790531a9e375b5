//===- Arena.cpp - The memory of an emulated device -----------------------===//

#include "runtime/emulated/Arena.h"

#include "runtime/Backend.h"
#include "runtime/cpu/ArenaMemory.h"
#include "runtime/cpu/Context.h"
#include "runtime/emulated/Emulator.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace pcc;

/// The reserved addresses and the device's memory; null before allocateArena().
static char *ofHost = nullptr, *ofDevice = nullptr;
static int64_t arenaBytes = 0;
/// The ends of the copies of copyOut(), by slot.
static Event copied[2];

Device &pcc::device() {
  // The delays differ by rank and, with the seed, by run. Never freed: work
  // that a failing rank has enqueued may still run.
  static Device &device = *new Device([] {
    const char *text = getenv("PCC_EMULATED_SEED");
    uint64_t seed = text ? strtoull(text, nullptr, 10) : 0;
    // The seed also determines the order of blocks.
    pcc_emu_seed(seed);
    return seed + 3 * backend::rank();
  }());
  return device;
}

/// Reserves addresses that cannot be accessed.
static char *reserve(int64_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fail(ExitMemory, format("out of memory: cannot allocate the %s this rank "
                            "needs: %s",
                            bytesText(bytes).c_str(), strerror(errno)));
  return static_cast<char *>(memory);
}

void pcc::poison(char *place, int64_t bytes) {
  const int32_t nan = PCC_EMU_POISON;
  const int64_t whole = bytes / sizeof(nan) * sizeof(nan);
  for (int64_t at = 0; at < whole; at += sizeof(nan))
    memcpy(place + at, &nan, sizeof(nan));
  if (whole < bytes)
    memcpy(place + whole, &nan, bytes - whole);
}

char *backend::allocateArena(int64_t bytes, int64_t kept,
                             const Offload &offload) {
  arenaBytes = std::max<int64_t>(bytes, 1);
  ofDevice = allocateArenaMemory(arenaBytes, offload);
  poison(ofDevice + kept, bytes - kept);
  ofHost = reserve(arenaBytes);
  requireBlasBuffers();
  return ofHost;
}

char *pcc::reach(const void *place) {
  int64_t offset = static_cast<const char *>(place) - ofHost;
  // An empty buffer may be at the end of the arena.
  if (offset < 0 || offset > arenaBytes)
    fail(ExitInternal, "the device is given an address outside the arena");
  return ofDevice + offset;
}

void *backend::openView(char *memory, int64_t bytes, Access access) {
  // Bytes that are not written become zero.
  void *view = calloc(std::max<int64_t>(bytes, 1), 1);
  if (!view)
    fail(ExitMemory, "out of memory on the host");
  if (access == Access::Read) {
    drain();
    memcpy(view, reach(memory), bytes);
  }
  return view;
}

void backend::closeView(void *view, char *memory, int64_t bytes,
                        Access access) {
  if (access == Access::Read)
    return free(view);
  char *to = reach(memory);
  device().enqueue("copy to the device", "", [=] {
    memcpy(to, view, bytes);
    free(view);
  });
}

void backend::beginEntry(pcc_context *context, pcc_step_fn) {
  context->begun = device().recorded();
  for (std::unique_ptr<StreamState> &state : context->streams)
    if (state)
      state->waits.push_back(context->begun);
}

int backend::stepsAhead() { return 1; }

void backend::copyOut(int turn, const std::vector<HostCopy> &copies) {
  std::vector<HostCopy> pieces = copies;
  for (HostCopy &piece : pieces)
    piece.from = reach(piece.from);
  device().enqueue("copy to the host", "", [pieces] {
    for (const HostCopy &piece : pieces)
      memcpy(piece.to, piece.from, piece.bytes);
  });
  copied[turn] = device().recorded();
}

void backend::awaitCopies(int turn) { device().wait(copied[turn]); }

void backend::drain() { device().wait(device().recorded()); }

std::string backend::deviceReport() {
  std::string text = format("\"host_waits\": %lld, \"kernels\": [",
                            static_cast<long long>(device().hostWaits()));
  for (int64_t i = 0; i < kernelCodes().count; ++i) {
    const char *name = kernelCodes().first[i].name;
    pcc_emu_counts counts = pcc_emu_count(name);
    text += format("%s\n    {\"kernel\": \"%s\", \"launches\": %lld, "
                   "\"read_sectors\": %lld, \"written_sectors\": %lld}",
                   i ? "," : "", name, static_cast<long long>(counts.launches),
                   static_cast<long long>(counts.read_sectors),
                   static_cast<long long>(counts.written_sectors));
  }
  return text + "], ";
}
